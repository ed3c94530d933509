// SPDX-License-Identifier: MIT
#include "samples/bench/broadphase_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"
#include "samples/bench/crowds.h"
#include "samples/bench/lists.h"
#include "samples/bench/plot.h"
#include "samples/bench/statistics.h"

namespace proxima::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

/// What is measured in turn: a structure with a number of threads.
struct Contender {
    const PairSearchInfo* search = nullptr;
    uint32_t threads = 1;
    bool slow = false;  // too slow for larger sizes of this crowd
    std::unique_ptr<PairSearch> filled;
    std::vector<std::vector<double>> series;
    BroadphaseMeasurement result;
};

std::vector<Contender> make_contenders(const BroadphaseSuite& suite) {
    std::vector<Contender> out;
    for (const PairSearchInfo& search : pair_search_table()) {
        if (!search.ours) {
            out.push_back({&search, 1, false, {}, {}, {}});
            continue;
        }
        for (const uint32_t threads : suite.threads) out.push_back({&search, threads, false, {}, {}, {}});
    }
    return out;
}

void fill(const Crowd& crowd, Contender& c) {
    const Clock::time_point begin = Clock::now();
    c.filled = c.search->make(crowd, c.threads);
    c.result.fill_ms = milliseconds(Clock::now() - begin);
}

/// One repeat: every update, timed one by one. The boxes are computed outside of the clock.
void measure(CrowdMotion& motion, Contender& c, uint32_t updates) {
    std::vector<double> times;
    for (uint32_t i = 0; i < updates; ++i) {
        const std::span<const Aabb> boxes = motion.at(i + 1);
        const Clock::time_point before = Clock::now();
        c.filled->update(motion.movers(), boxes);
        times.push_back(milliseconds(Clock::now() - before));
    }
    c.series.push_back(std::move(times));
}

std::string label(const BroadphaseMeasurement& m) {
    return m.search == "proxima" ? fmt::format("proxima, {} thread{}", m.threads, m.threads == 1 ? "" : "s") : m.search;
}

}  // namespace

std::vector<BroadphaseMeasurement> run_broadphase(
    const BroadphaseSuite& suite, const std::function<void(const std::string&)>& progress,
    const std::function<void(const std::vector<BroadphaseMeasurement>&)>& after_crowd) {
    std::vector<BroadphaseMeasurement> out;
    for (const std::string& name : suite.crowds) {
        std::vector<Contender> contenders = make_contenders(suite);
        for (const uint32_t size : suite.sizes) {
            const Crowd crowd = make_crowd(name, size);
            const auto takes_part = [&](const Contender& c) {
                return !c.slow && (c.search->max_boxes == 0 || size <= c.search->max_boxes);
            };
            CrowdMotion motion(crowd);
            for (Contender& c : contenders) {
                c.series.clear();
                c.result = {name, std::string(c.search->name), size, c.threads};
                if (takes_part(c)) fill(crowd, c);
            }
            for (uint32_t repeat = 0; repeat < suite.repeats; ++repeat)
                for (Contender& c : contenders)
                    if (takes_part(c)) measure(motion, c, suite.updates);
            for (Contender& c : contenders) {
                if (c.filled) c.result.pairs = c.filled->exact_pairs();
                c.filled.reset();
            }
            const uint64_t expected = contenders[0].result.pairs;  // Proxima with the first number of threads
            for (Contender& c : contenders) {
                if (!takes_part(c)) continue;
                const Summary summary = summarise(per_step_minimum(c.series), {0, suite.updates});
                c.result.mean_ms = summary.mean;
                c.result.p99_ms = summary.p99;
                c.result.same_pairs = c.result.pairs == expected;
                c.slow = summary.mean > suite.max_update_ms || c.result.fill_ms > suite.max_fill_ms;
                progress(fmt::format("{}, {} boxes, {}: {:.3f} ms an update, {} pairs{}", name, size, label(c.result),
                                     c.result.mean_ms, c.result.pairs, c.slow ? "; not taken to larger sizes" : ""));
                out.push_back(c.result);
            }
        }
        after_crowd(out);
    }
    return out;
}

Result<std::vector<uint32_t>> parse_sizes(const std::string& list, uint32_t most) {
    std::vector<uint32_t> out;
    for (const std::string& text : split_list(list)) {
        uint32_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most)
            return Error{fmt::format("--sizes holds '{}'; it must be whole numbers from 1 to {}, such as '1000,10000'.",
                                     text, most)};
        out.push_back(value);
    }
    if (out.empty()) return Error{"--sizes is empty; give numbers such as '1000,10000'."};
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Table to_table(const std::vector<BroadphaseMeasurement>& measured, const MachineCard& card) {
    Table table;
    table.card = card;
    table.columns = {"crowd",      "search",         "threads",       "boxes",  "pairs",
                     "same_pairs", "update_mean_ms", "update_p99_ms", "fill_ms"};
    for (const BroadphaseMeasurement& m : measured)
        table.rows.push_back({m.crowd, m.search, std::to_string(m.threads), std::to_string(m.boxes),
                              std::to_string(m.pairs), m.same_pairs ? "yes" : "no", fmt::format("{:.5f}", m.mean_ms),
                              fmt::format("{:.5f}", m.p99_ms), fmt::format("{:.3f}", m.fill_ms)});
    return table;
}

std::string to_text(const std::vector<BroadphaseMeasurement>& measured, const BroadphaseSuite& suite) {
    std::string out = fmt::format(
        "Time of an update with its pairs, ms: mean of {} updates, each the minimum over {} repeat{}. In "
        "brackets p99.\n",
        suite.updates, suite.repeats, suite.repeats == 1 ? "" : "s");
    // Columns in the order of the table of searches.
    std::vector<std::string> labels;
    for (const BroadphaseMeasurement& m : measured)
        if (std::find(labels.begin(), labels.end(), label(m)) == labels.end()) labels.push_back(label(m));
    bool all_equal = true;
    for (const std::string& crowd : suite.crowds) {
        out += fmt::format("\n{:<10} {:>8} {:>9}", crowd, "boxes", "pairs");
        for (const std::string& name : labels) out += fmt::format(" {:>20}", name);
        out += "\n";
        std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> curves;
        for (const uint32_t size : suite.sizes) {
            std::string row;
            uint64_t pairs = 0;
            for (const std::string& name : labels) {
                const auto found = std::find_if(measured.begin(), measured.end(), [&](const BroadphaseMeasurement& m) {
                    return m.crowd == crowd && m.boxes == size && label(m) == name;
                });
                if (found == measured.end()) {
                    row += fmt::format(" {:>20}", "-");
                    continue;
                }
                if (pairs == 0) pairs = found->pairs;
                all_equal = all_equal && found->same_pairs;
                row += fmt::format(" {:>20}", fmt::format("{:.3f} ({:.3f}){}", found->mean_ms, found->p99_ms,
                                                          found->same_pairs ? "" : "!"));
                curves[name].first.push_back(double(size));
                curves[name].second.push_back(std::max(found->mean_ms, 1e-6));
            }
            out += fmt::format("{:<10} {:>8} {:>9}{}\n", "", size, pairs, row);
        }
        if (suite.sizes.size() < 2) continue;
        out += fmt::format("{:<29}", "  grows with boxes to the");
        for (const std::string& name : labels) {
            const auto& [x, y] = curves[name];
            out += fmt::format(" {:>20}", x.size() < 2 ? "-" : fmt::format("{:.2f}", growth_exponent(x, y)));
        }
        out += "\n";
    }
    out += all_equal ? "\nAll found the same number of pairs.\n"
                     : "\nwarning: the numbers marked with ! come with another number of overlapping pairs "
                       "than Proxima's.\n";
    return out;
}

Result<void> write_broadphase(const std::string& folder, const std::vector<BroadphaseMeasurement>& measured,
                              const BroadphaseSuite& suite, const MachineCard& card) {
    const auto path = [&](const std::string& file) { return (std::filesystem::path(folder) / file).string(); };
    if (Result<void> r = write_file(path("broadphase.csv"), to_csv(to_table(measured, card))); !r) return r;
    Json json;
    for (const auto& [what, value] : card) json["machine"][what] = value;
    json["measurements"] = Json::array();
    for (const BroadphaseMeasurement& m : measured)
        json["measurements"].push_back({{"crowd", m.crowd},
                                        {"search", m.search},
                                        {"threads", m.threads},
                                        {"boxes", m.boxes},
                                        {"pairs", m.pairs},
                                        {"same_pairs", m.same_pairs},
                                        {"update_mean_ms", m.mean_ms},
                                        {"update_p99_ms", m.p99_ms},
                                        {"fill_ms", m.fill_ms}});
    if (Result<void> r = write_file(path("broadphase.json"), json.dump(1) + "\n"); !r) return r;
    for (const std::string& crowd : suite.crowds) {
        LineChart chart;
        chart.title = fmt::format("Finding pairs, crowd '{}'", crowd);
        for (const CrowdInfo& info : crowd_table())
            if (info.name == crowd) chart.subtitle = std::string(info.description);
        chart.x_label = "boxes";
        chart.y_label = "ms per update, pairs included";
        chart.log_x = chart.log_y = chart.markers = true;
        for (const BroadphaseMeasurement& m : measured) {
            if (m.crowd != crowd) continue;
            auto series = std::find_if(chart.series.begin(), chart.series.end(),
                                       [&](const Series& s) { return s.name == label(m); });
            if (series == chart.series.end())
                series = chart.series.insert(chart.series.end(), Series{label(m), {}, {}});
            series->x.push_back(double(m.boxes));
            series->y.push_back(m.mean_ms);
        }
        if (Result<void> r = write_file(path(fmt::format("broadphase_{}.svg", crowd)), to_svg(chart)); !r) return r;
    }
    return {};
}

}  // namespace proxima::bench
