// SPDX-License-Identifier: MIT
#include "samples/bench/csv.h"

#include <fmt/format.h>

#include <algorithm>

namespace proxima::bench {

namespace {

std::string quoted(const std::string& cell) {
    if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
    std::string out = "\"";
    for (const char c : cell) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + "\"";
}

std::string line_of(const std::vector<std::string>& cells) {
    std::string out;
    for (size_t i = 0; i < cells.size(); ++i) out += (i > 0 ? "," : "") + quoted(cells[i]);
    return out + "\n";
}

/// A comment stays on its line whatever the value holds.
std::string on_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
    return text;
}

}  // namespace

int Table::find(const std::string& column) const {
    const auto found = std::find(columns.begin(), columns.end(), column);
    return found == columns.end() ? -1 : int(found - columns.begin());
}

std::string to_csv(const Table& table) {
    std::string out;
    for (const auto& [what, value] : table.card)
        out += fmt::format("# {}: {}\n", on_one_line(what), on_one_line(value));
    out += line_of(table.columns);
    for (const std::vector<std::string>& row : table.rows) out += line_of(row);
    return out;
}

Result<Table> parse_csv(const std::string& text) {
    Table table;
    size_t at = 0, line = 1;
    while (at < text.size() && text[at] == '#') {
        const size_t end = std::min(text.find('\n', at), text.size());
        const std::string comment = text.substr(at, end - at);
        const size_t colon = std::min(comment.find(": "), comment.size());
        table.card.emplace_back(comment.substr(std::min<size_t>(2, colon), colon - std::min<size_t>(2, colon)),
                                comment.substr(std::min(colon + 2, comment.size())));
        at = std::min(end + 1, text.size());
        ++line;
    }
    std::vector<std::string> row;
    std::string cell;
    bool in_quotes = false;
    const auto end_row = [&]() -> Result<void> {
        row.push_back(std::move(cell));
        cell.clear();
        if (table.columns.empty())
            table.columns = row;
        else if (row.size() != table.columns.size())
            return Error{
                fmt::format("Line {} has {} cells, but there are {} columns.", line, row.size(), table.columns.size())};
        else
            table.rows.push_back(row);
        row.clear();
        return {};
    };
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (in_quotes) {
            if (c == '"' && at + 1 < text.size() && text[at + 1] == '"')
                cell += text[++at];
            else if (c == '"')
                in_quotes = false;
            else
                cell += c;
        } else if (c == '"') {
            in_quotes = true;
        } else if (c == ',') {
            row.push_back(std::move(cell));
            cell.clear();
        } else if (c == '\n') {
            if (Result<void> ended = end_row(); !ended) return Error{ended.error()};
            ++line;
        } else if (c != '\r') {
            cell += c;
        }
    }
    if (in_quotes) return Error{fmt::format("A quote in line {} is not closed.", line)};
    if (!cell.empty() || !row.empty())
        if (Result<void> ended = end_row(); !ended) return Error{ended.error()};
    if (table.columns.empty()) return Error{"There is no line with the names of the columns."};
    return table;
}

}  // namespace proxima::bench
