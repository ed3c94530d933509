// SPDX-License-Identifier: MIT
#include "samples/tool/law_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "samples/laws/peers/peer_laws.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

namespace {

/// An engine of the table, and what it makes of the law of the row.
struct Column {
    std::string name, version, settings;
    std::unique_ptr<samples::PeerLaws> device;  // nullptr: Proxima on the CPU

    std::vector<samples::LawPoint> points;
    std::string refused;  // why it was not tried
    size_t held = 0, tried = 0, whole = 0, laws = 0;
};

std::vector<Column> make_columns(const std::vector<std::string>& peers, bool accurate) {
    std::vector<Column> out(1);
    const bench::EngineDescription own = bench::describe_proxima();
    out[0].name = bench::kProxima;
    out[0].version = own.version;
    out[0].settings = own.settings;
    for (const std::string& name : peers) {
        Column& column = out.emplace_back();
        column.device = std::make_unique<samples::PeerLaws>(*bench::find_peer(name), accurate);
        const bench::EngineDescription& description = column.device->description();
        column.name = name;
        column.version = description.version;
        column.settings = description.settings + "; in laws: " + description.law_settings;
        if (accurate && !description.accurate_settings.empty()) column.settings += "; " + description.accurate_settings;
    }
    return out;
}

void try_law(const samples::Law& law, samples::LawOptions options, Column& column) {
    column.points.clear();
    column.refused.clear();
    options.device = column.device.get();
    if (column.device && law.changes_settings) {
        column.refused = "It changes settings of Proxima.";
        return;
    }
    if (column.device) column.device->refused.clear();
    std::vector<samples::LawPoint> points = samples::run_law(law, options);
    if (column.device && !column.device->refused.empty()) {
        column.refused = column.device->refused.front();
        return;
    }
    column.points = std::move(points);
    const size_t held = count_held(column.points);
    column.held += held;
    column.tried += column.points.size();
    column.whole += held == column.points.size();
    ++column.laws;
}

constexpr int kNameWidth = 26, kCellWidth = 13;

std::string share(size_t part, size_t of) { return fmt::format("{} of {}", part, of); }

void print_row(const samples::Law& law, const std::vector<Column>& columns) {
    std::string line = fmt::format("{:<{}}", law.name, kNameWidth);
    for (const Column& c : columns)
        line +=
            fmt::format("{:>{}}", c.refused.empty() ? share(count_held(c.points), c.points.size()) : "-", kCellWidth);
    std::printf("%s\n", line.c_str());
}

/// What theory says and what each engine gives, with a ! where that is too far off.
void print_tries(const samples::Law& law, const std::vector<Column>& columns) {
    const std::vector<samples::LawPoint>& own = columns[0].points;
    for (size_t i = 0; i < own.size(); ++i) {
        std::string line = fmt::format("    {}: {:.5g} +- {:.2g} {}\n{:<{}}", own[i].parameters, own[i].expected,
                                       own[i].tolerance, law.unit, "", kNameWidth);
        for (const Column& c : columns) {
            if (i >= c.points.size()) {
                line += fmt::format("{:>{}}", "-", kCellWidth);
                continue;
            }
            const samples::LawPoint& p = c.points[i];
            line += fmt::format("{:>{}}", fmt::format("{}{:.5g}", p.holds() ? "" : "! ", p.measured), kCellWidth);
        }
        std::printf("%s\n", line.c_str());
    }
}

void print_head(const std::vector<Column>& columns) {
    std::string line = fmt::format("{:<{}}", "tries that hold", kNameWidth);
    for (const Column& c : columns) line += fmt::format("{:>{}}", c.name, kCellWidth);
    std::printf("%s\n", line.c_str());
}

void print_foot(const std::vector<Column>& columns, const std::vector<std::string>& reasons) {
    std::string laws = fmt::format("{:<{}}", "laws", kNameWidth), tries = fmt::format("{:<{}}", "tries", kNameWidth);
    for (const Column& c : columns) {
        laws += fmt::format("{:>{}}", share(c.whole, c.laws), kCellWidth);
        tries += fmt::format("{:>{}}", share(c.held, c.tried), kCellWidth);
    }
    std::printf("%s\n%s\n\n", laws.c_str(), tries.c_str());
    for (const std::string& reason : reasons) std::printf("-  %s\n", reason.c_str());
    for (const Column& c : columns) std::printf("%s %s: %s\n", c.name.c_str(), c.version.c_str(), c.settings.c_str());
}

Json row_as_json(const samples::Law& law, const std::vector<Column>& columns) {
    Json out{{"name", law.name}, {"sentence", law.sentence}, {"unit", law.unit}, {"engines", Json::object()}};
    for (const Column& c : columns)
        out["engines"][c.name] =
            c.refused.empty() ? Json{{"tries", tries_as_json(c.points)}} : Json{{"refused", c.refused}};
    return out;
}

}  // namespace

size_t count_held(const std::vector<samples::LawPoint>& points) {
    return size_t(std::count_if(points.begin(), points.end(), [](const samples::LawPoint& p) { return p.holds(); }));
}

Json tries_as_json(const std::vector<samples::LawPoint>& points) {
    Json out = Json::array();
    for (const samples::LawPoint& p : points)
        out.push_back({{"parameters", p.parameters},
                       {"expected", p.expected},
                       {"measured", p.measured},
                       {"tolerance", p.tolerance},
                       {"holds", p.holds()}});
    return out;
}

int compare_laws(const std::vector<const samples::Law*>& laws, const samples::LawOptions& options,
                 const std::vector<std::string>& peers, bool accurate, const LawTableFormat& format) {
    std::vector<Column> columns = make_columns(peers, accurate);
    std::vector<std::string> reasons;
    Json json{{"seed", options.seed}, {"dt", options.dt}, {"engines", Json::array()}, {"laws", Json::array()}};
    for (const Column& c : columns)
        json["engines"].push_back({{"name", c.name}, {"version", c.version}, {"settings", c.settings}});
    if (!format.json) print_head(columns);
    for (const samples::Law* law : laws) {
        for (Column& column : columns) {
            try_law(*law, options, column);
            if (!column.refused.empty())
                reasons.push_back(fmt::format("{}, {}: {}", law->name, column.name, column.refused));
        }
        if (format.json) {
            json["laws"].push_back(row_as_json(*law, columns));
            continue;
        }
        print_row(*law, columns);
        if (format.all) print_tries(*law, columns);
        std::fflush(stdout);
    }
    if (format.json)
        std::printf("%s\n", json.dump(2).c_str());
    else
        print_foot(columns, reasons);
    return kExitOk;
}

}  // namespace proxima::tool
