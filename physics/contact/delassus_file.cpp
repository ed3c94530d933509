// SPDX-License-Identifier: MIT
#include "physics/contact/delassus_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "engine/core/assert.h"
#include "engine/core/atomic_file.h"

namespace proxima::physics {

namespace {

/// Words of a text with their line numbers. The first failure stays; every read after it returns zero.
class Reader {
  public:
    Reader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

    bool failed() const { return !error_.empty(); }
    const std::string& error() const { return error_; }
    void fail(const std::string& what) {
        if (!failed()) error_ = std::string(name_) + ", line " + std::to_string(word_line_) + ": " + what;
    }

    double number(const char* what, size_t index = kNoIndex) {
        const std::string_view word = next_word();
        double value = 0.0;
        if (failed() || !present(word, what, index)) return 0.0;
        const char* first = word.data() + (word.front() == '+' ? 1 : 0);
        const auto [end, code] = std::from_chars(first, word.data() + word.size(), value);
        if (code == std::errc::result_out_of_range && end == word.data() + word.size()) {
            // Too small for a double is zero; too large is caught as not finite.
            value = std::strtod(std::string(word).c_str(), nullptr);
        } else if (code != std::errc() || end != word.data() + word.size()) {
            fail("expected " + label(what, index) + ", found '" + clip(word) + "'.");
            return 0.0;
        }
        if (!std::isfinite(value)) {
            fail(label(what, index) + " is '" + clip(word) + "'; it must be a finite number.");
            return 0.0;
        }
        return value;
    }

    uint32_t integer(const char* what, size_t index = kNoIndex) {
        const std::string_view word = next_word();
        uint32_t value = 0;
        if (failed() || !present(word, what, index)) return 0;
        const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (code != std::errc() || end != word.data() + word.size()) {
            fail("expected " + label(what, index) + ", a whole number, found '" + clip(word) + "'.");
            return 0;
        }
        return value;
    }

    /// An integer that can have one value only.
    void exactly(uint32_t wanted, const char* what, size_t index = kNoIndex) {
        const uint32_t value = integer(what, index);
        if (!failed() && value != wanted)
            fail(label(what, index) + " is " + std::to_string(value) + "; it must be " + std::to_string(wanted) + ".");
    }

    bool at_end() {
        skip_space();
        return at_ == text_.size();
    }
    size_t remaining() const { return text_.size() - at_; }
    /// Of the last word.
    uint32_t line() const { return uint32_t(word_line_); }

  private:
    static constexpr size_t kNoIndex = size_t(-1);

    static std::string label(const char* what, size_t index) {
        return index == kNoIndex ? std::string(what) : std::string(what) + " number " + std::to_string(index + 1);
    }
    static std::string clip(std::string_view word) {
        std::string text(word.substr(0, 40));
        if (word.size() > 40) text += "...";
        return text;
    }
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) {
            if (text_[at_] == '\n') ++line_;
            ++at_;
        }
    }
    std::string_view next_word() {
        skip_space();
        word_line_ = line_;
        const size_t begin = at_;
        while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    bool present(std::string_view word, const char* what, size_t index) {
        if (!word.empty()) return true;
        fail("the file ends where " + label(what, index) + " was expected.");
        return false;
    }

    std::string_view text_, name_;
    size_t at_ = 0, line_ = 1, word_line_ = 1;
    std::string error_;
};

/// 9 or 3n x 3n values stand column by column.
void read_dense(Reader& in, uint32_t contacts, std::vector<BlockEntry>& entries) {
    const uint32_t rows = 3 * contacts;
    in.exactly(rows, "the number of rows of W, again");
    in.exactly(rows, "the number of columns of W, again");
    std::vector<BlockEntry> column(contacts);  // one block column at a time; blocks of zeros are dropped
    for (uint32_t j = 0; j < contacts && !in.failed(); ++j) {
        for (int c = 0; c < 3; ++c)
            for (uint32_t i = 0; i < contacts && !in.failed(); ++i)
                for (int r = 0; r < 3; ++r) {
                    const size_t position = size_t(3 * j + c) * rows + 3 * i + r;
                    column[i].block.m[r][c] = in.number("value of W", position);
                    if (r == 0 && c == 0) column[i].line = in.line();
                }
        for (uint32_t i = 0; i < contacts; ++i) {
            bool used = i == j;
            for (const auto& row : column[i].block.m)
                for (double x : row) used = used || x != 0.0;
            column[i].row = i;
            column[i].column = j;
            if (used) entries.push_back(column[i]);
        }
    }
}

void read_sparse(Reader& in, uint32_t contacts, std::vector<BlockEntry>& entries) {
    const uint32_t blocks = in.integer("the number of blocks of W");
    in.exactly(contacts, "the number of block rows of W");
    in.exactly(contacts, "the number of block columns of W");
    for (uint32_t i = 0; i < contacts && !in.failed(); ++i) in.exactly(3 * (i + 1), "end of block row", i);
    for (uint32_t i = 0; i < contacts && !in.failed(); ++i) in.exactly(3 * (i + 1), "end of block column", i);
    in.exactly(contacts + 1, "the length of the first index array");
    in.exactly(blocks, "the length of the second index array");
    if (!in.failed() && blocks > in.remaining())
        in.fail("the file is too short for the number of blocks it announces.");
    if (in.failed()) return;

    std::vector<uint32_t> begin(contacts + 1);
    for (uint32_t i = 0; i <= contacts && !in.failed(); ++i) {
        begin[i] = in.integer("start of block row", i);
        if (in.failed()) return;
        if (begin[i] > blocks || (i == 0 ? begin[i] != 0 : begin[i] < begin[i - 1]))
            in.fail("the starts of block rows must begin with 0, never fall, and not pass the number of blocks.");
    }
    if (!in.failed() && begin[contacts] != blocks) in.fail("the block rows do not use all blocks of W.");
    if (in.failed()) return;
    entries.resize(blocks);
    for (uint32_t i = 0; i < contacts; ++i)
        for (uint32_t k = begin[i]; k < begin[i + 1]; ++k) {
            entries[k].row = i;
            entries[k].column = in.integer("column of block", k);
            if (!in.failed() && entries[k].column >= contacts)
                in.fail("a block column is " + std::to_string(entries[k].column) + "; W has " +
                        std::to_string(contacts) + " block columns.");
            if (in.failed()) return;
        }
    for (uint32_t k = 0; k < blocks && !in.failed(); ++k) {
        in.exactly(k, "block number");
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r) {
                entries[k].block.m[r][c] = in.number("value of W, block", k);
                if (r == 0 && c == 0) entries[k].line = in.line();
            }
    }
}

void append(std::string& text, double value) {
    char word[32];
    std::snprintf(word, sizeof word, "%.17g\n", value);
    text += word;
}
void append(std::string& text, uint32_t value) {
    text += std::to_string(value);
    text += '\n';
}

}  // namespace

Result<DelassusProblem> parse_problem(std::string_view text, std::string_view name) {
    Reader in(text, name);
    const uint32_t dimension = in.integer("the dimension");
    if (!in.failed() && dimension != 3)
        in.fail("the dimension is " + std::to_string(dimension) + "; only problems in 3 dimensions are read.");
    const uint32_t contacts = in.integer("the number of contacts");
    if (!in.failed() && contacts > in.remaining())
        in.fail("the file is too short for the " + std::to_string(contacts) + " contacts it announces.");
    const uint32_t storage = in.integer("the storage of W (0 dense, 1 sparse)");
    if (!in.failed() && storage > 1)
        in.fail("the storage of W is " + std::to_string(storage) + "; it must be 0 (dense) or 1 (sparse).");
    const uint32_t rows = in.integer("the number of rows of W");
    const uint32_t columns = in.integer("the number of columns of W");
    if (!in.failed() && (rows != columns || rows != 3 * contacts))
        in.fail("W has " + std::to_string(rows) + " rows and " + std::to_string(columns) + " columns; " +
                std::to_string(contacts) + " contacts need a square matrix of " + std::to_string(3 * contacts) + ".");
    std::vector<BlockEntry> entries;
    if (!in.failed()) (storage == 0 ? read_dense : read_sparse)(in, contacts, entries);

    std::vector<double> q, mu;
    for (uint32_t i = 0; i < 3 * contacts && !in.failed(); ++i) q.push_back(in.number("value of q", i));
    for (uint32_t i = 0; i < contacts && !in.failed(); ++i) {
        mu.push_back(in.number("value of mu", i));
        if (!in.failed() && mu.back() < 0.0)
            in.fail("mu of contact " + std::to_string(i + 1) +
                    " is negative; friction coefficients are zero or larger.");
    }
    // Some writers append a flag.
    if (!in.failed() && !in.at_end()) in.number("nothing but one number after mu");
    if (!in.failed() && !in.at_end()) in.fail("there is more in the file than W, q and mu of its contacts.");
    if (in.failed()) return Error{in.error()};

    auto problem = make_problem(entries, q, mu);
    if (!problem) {
        const bool placed = problem.error().starts_with("line ");
        return Error{std::string(name) + (placed ? ", " : ": ") + problem.error()};
    }
    if (const uint32_t bad = find_indefinite(*problem); bad < contacts) {
        uint32_t line = 0;
        for (const BlockEntry& e : entries)
            if (e.row == bad && e.column == bad) line = e.line;
        return Error{std::string(name) + ", line " + std::to_string(line) +
                     ": W is indefinite: an impulse that is strongest at contact " + std::to_string(bad + 1) +
                     " has l^T W l < 0, which no bodies with positive masses allow."};
    }
    return problem;
}

Result<DelassusProblem> read_problem(const std::filesystem::path& path) {
    const auto text = read_file(path.string());
    if (!text) return Error{text.error()};
    return parse_problem(*text, path.filename().string());
}

std::string format_problem(const DelassusProblem& problem, MatrixStorage storage) {
    PX_ASSERT(!problem.has_bilateral(), "the text layout knows contacts only");
    const uint32_t n = problem.size();
    std::string text;
    append(text, uint32_t(3));
    append(text, n);
    append(text, uint32_t(storage));
    append(text, 3 * n);
    append(text, 3 * n);
    if (storage == MatrixStorage::dense) {
        append(text, 3 * n);
        append(text, 3 * n);
        std::vector<double> dense(9 * size_t(n) * n, 0.0);  // column by column
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k)
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c)
                        dense[size_t(3 * problem.column[k] + c) * 3 * n + 3 * i + r] = problem.block[k].m[r][c];
        for (double x : dense) append(text, x);
    } else {
        const uint32_t blocks = uint32_t(problem.block.size());
        append(text, blocks);
        append(text, n);
        append(text, n);
        for (int pass = 0; pass < 2; ++pass)
            for (uint32_t i = 1; i <= n; ++i) append(text, 3 * i);
        append(text, n + 1);
        append(text, blocks);
        for (uint32_t begin : problem.row_begin) append(text, begin);
        for (uint32_t column : problem.column) append(text, column);
        for (uint32_t k = 0; k < blocks; ++k) {
            append(text, k);
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r) append(text, problem.block[k].m[r][c]);
        }
    }
    for (double x : problem.q) append(text, x);
    for (double x : problem.mu) append(text, x);
    return text;
}

Result<void> write_problem(const std::filesystem::path& path, const DelassusProblem& problem, MatrixStorage storage) {
    if (problem.has_bilateral())
        return Error{"'" + path.string() +
                     "' is not written: the text form has no place for bilateral blocks (joints)."};
    return write_file(path.string(), format_problem(problem, storage));
}

}  // namespace proxima::physics
