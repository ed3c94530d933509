// SPDX-License-Identifier: MIT
// What becomes of the measurements: a table for programs, one for people, and plots.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"
#include "samples/bench/engines.h"
#include "samples/bench/plot.h"
#include "samples/bench/scene_suite.h"

namespace proxima::bench {

namespace {

using Json = nlohmann::ordered_json;

/// Empty where nothing was measured.
std::string cell(double value, const char* format = "{:.4f}") {
    return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : std::string();
}
std::string count_cell(int64_t value) { return value < 0 ? std::string() : std::to_string(value); }
std::string stands_cell(const std::optional<Quality>& q) { return !q || !q->stands ? "" : *q->stands ? "yes" : "no"; }
std::string hash_text(uint64_t hash) { return fmt::format("{:016x}", hash); }

/// Names of all stages of all runs, in the order of the step.
std::vector<std::string> all_stages(const std::vector<Measurement>& measurements) {
    std::vector<std::string> names;
    for (const Measurement& m : measurements)
        for (const std::string& name : m.first.stages)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return names;
}

double stage_mean(const Measurement& m, const std::string& stage, Window window) {
    for (size_t s = 0; s < m.first.stages.size(); ++s)
        if (m.first.stages[s] == stage) return summarise(m.stage_ms[s], window).mean;
    return kNotMeasured;
}

/// The figures that engines are compared by.
struct Figure {
    const char* name;
    double (*read)(const Measurement&);
};
constexpr Figure kFigures[] = {
    {"fall mean", [](const Measurement& m) { return m.fall().mean; }},
    {"fall p99", [](const Measurement& m) { return m.fall().p99; }},
    {"settled mean", [](const Measurement& m) { return m.settled().mean; }},
    {"settled p99", [](const Measurement& m) { return m.settled().p99; }},
};

const Measurement* find(const std::vector<Measurement>& all, const std::string& engine, const std::string& scene,
                        uint32_t threads) {
    for (const Measurement& m : all)
        if (m.engine == engine && m.scene == scene && m.threads == threads && m.runs > 0) return &m;
    return nullptr;
}

/// Proxima's figure over the smallest of the others; NaN where either is missing.
double ratio_to_fastest(const std::vector<Measurement>& all, const std::vector<std::string>& engines,
                        const std::string& scene, uint32_t threads, const Figure& figure, std::string& fastest) {
    const Measurement* ours = find(all, std::string(kProxima), scene, threads);
    double best = HUGE_VAL;
    for (const std::string& engine : engines) {
        const Measurement* other = engine == kProxima ? nullptr : find(all, engine, scene, threads);
        if (other && figure.read(*other) < best) {
            best = figure.read(*other);
            fastest = engine;
        }
    }
    return ours && best < HUGE_VAL && best > 0.0 ? figure.read(*ours) / best : kNotMeasured;
}

std::string thread_text(uint32_t threads) { return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"); }

std::string repeat_text(uint32_t repeats) { return fmt::format("{} repeat{}", repeats, repeats == 1 ? "" : "s"); }

std::string times_table(const std::vector<Measurement>& all, const SceneSuite& suite) {
    std::string out = fmt::format(
        "{:<11} {:>3} {:<10} {:>10} {:>10} {:>10} {:>10} {:>8} {:>9} {:>9} {:>9} {:>6} {:>8}\n", "scene", "thr",
        "engine", "fall", "p99", "settled", "p99", "points", "pen mm", "drift mm", "moved mm", "stands", "MB");
    for (const Measurement& m : all) {
        out += fmt::format("{:<11} {:>3} {:<10} ", m.scene, m.threads, m.engine);
        if (m.runs == 0) {
            out += "failed. " + m.error + "\n";
            continue;
        }
        const Quality q = m.first.quality.value_or(Quality{});
        out +=
            fmt::format("{:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>8} {:>9.3f} {:>9.3f} {:>9.1f} {:>6} {:>8.1f}\n",
                        m.fall().mean, m.fall().p99, m.settled().mean, m.settled().p99,
                        count_cell(m.first.contact_points), 1e3 * q.penetration_mean, 1e3 * q.drift_mean,
                        1e3 * q.displacement_max, q.stands ? (*q.stands ? "yes" : "no") : "-", m.first.peak_memory_mb);
    }
    return fmt::format("Times in ms per step, the per-step minimum over {}\n", repeat_text(suite.repeats)) + out;
}

std::string ratio_table(const std::vector<Measurement>& all, const SceneSuite& suite) {
    std::string out = "\nProxima over the fastest other engine (below 1: Proxima is faster)\n";
    out += fmt::format("{:<11} {:>3}", "scene", "thr");
    for (const Figure& figure : kFigures) out += fmt::format(" {:>22}", figure.name);
    out += "\n";
    std::vector<double> ratios[std::size(kFigures)];
    for (const std::string& scene : suite.scenes)
        for (const uint32_t threads : suite.threads) {
            std::string row;
            bool any = false;
            for (size_t f = 0; f < std::size(kFigures); ++f) {
                std::string fastest;
                const double ratio = ratio_to_fastest(all, suite.engines, scene, threads, kFigures[f], fastest);
                if (std::isfinite(ratio)) ratios[f].push_back(ratio);
                any = any || std::isfinite(ratio);
                row += fmt::format(" {:>22}", std::isfinite(ratio) ? fmt::format("{:.2f} of {}", ratio, fastest) : "-");
            }
            if (any) out += fmt::format("{:<11} {:>3}{}\n", scene, threads, row);
        }
    if (ratios[0].empty()) return {};
    out += fmt::format("{:<15}", "median");
    for (const std::vector<double>& column : ratios)
        out += fmt::format(" {:>22}", fmt::format("{:.2f}", median(column)));
    return out + "\n";
}

std::string warnings(const std::vector<Measurement>& all) {
    std::string out;
    for (const Measurement& m : all) {
        if (!m.same_hash)
            out += fmt::format(
                "warning: {} on {} with {} did not come to the same state in every repeat; its per-step "
                "minimum mixes different runs.\n",
                m.engine, m.scene, thread_text(m.threads));
        if (m.runs > 0 && !m.error.empty())
            out += fmt::format("warning: a repeat of {} on {} with {} failed. {}\n", m.engine, m.scene,
                               thread_text(m.threads), m.error);
    }
    return out.empty() ? out : "\n" + out;
}

/// One bar chart per phase and thread count, scenes along the axis.
Result<void> write_bars(const std::string& folder, const std::string& name, const std::vector<Measurement>& all,
                        const SceneSuite& suite) {
    for (const uint32_t threads : suite.threads)
        for (const bool settled : {false, true}) {
            BarChart chart;
            chart.title = settled ? "Time of a step, settled" : "Time of a step while things fall";
            chart.subtitle =
                fmt::format("{}, sleeping {}, per-step minimum over {}, mean of the phase", thread_text(threads),
                            suite.sleeping ? "on" : "off", repeat_text(suite.repeats));
            chart.y_label = "ms per step";
            chart.log_y = true;
            chart.groups = suite.scenes;
            for (const std::string& engine : suite.engines) {
                BarSeries& series = chart.series.emplace_back();
                series.name = engine;
                for (const std::string& scene : suite.scenes) {
                    const Measurement* m = find(all, engine, scene, threads);
                    series.values.push_back(!m ? kNotMeasured : settled ? m->settled().mean : m->fall().mean);
                }
            }
            const std::string file = fmt::format("{}_{}_{}t.svg", name, settled ? "settled" : "fall", threads);
            const std::string path = (std::filesystem::path(folder) / file).string();
            if (Result<void> written = write_file(path, to_svg(chart)); !written) return written;
        }
    return {};
}

/// Step by step, one chart per scene and thread count.
Result<void> write_steps(const std::string& folder, const std::string& name, const std::vector<Measurement>& all,
                         const SceneSuite& suite) {
    for (const std::string& scene : suite.scenes)
        for (const uint32_t threads : suite.threads) {
            LineChart chart;
            chart.title = fmt::format("{}: time of each step", scene);
            chart.subtitle =
                fmt::format("{}, per-step minimum over {}", thread_text(threads), repeat_text(suite.repeats));
            chart.x_label = "step";
            chart.y_label = "ms";
            chart.log_y = true;
            for (const std::string& engine : suite.engines) {
                const Measurement* m = find(all, engine, scene, threads);
                if (!m) continue;
                Series& series = chart.series.emplace_back();
                series.name = engine;
                for (uint32_t i = 0; i < std::min<size_t>(m->windows.timed, m->step_ms.size()); ++i) {
                    series.x.push_back(double(i));
                    series.y.push_back(m->step_ms[i]);
                }
            }
            const std::string file = fmt::format("{}_{}_{}t.svg", name, scene, threads);
            const std::string path = (std::filesystem::path(folder) / file).string();
            if (Result<void> written = write_file(path, to_svg(chart)); !written) return written;
        }
    return {};
}

/// Where Proxima's time goes: bars by scene, one per stage that takes more than two per cent somewhere.
Result<void> write_stages(const std::string& folder, const std::string& name, const std::vector<Measurement>& all,
                          const SceneSuite& suite) {
    for (const uint32_t threads : suite.threads) {
        BarChart chart;
        chart.title = "Where Proxima's step spends its time, settled";
        chart.subtitle = thread_text(threads) + ", share of the step; stages below 2 % everywhere are left out";
        chart.y_label = "per cent of the step";
        chart.groups = suite.scenes;
        for (const std::string& stage : all_stages(all)) {
            BarSeries series;
            series.name = stage;
            double most = 0.0;
            for (const std::string& scene : suite.scenes) {
                const Measurement* m = find(all, std::string(kProxima), scene, threads);
                const double share =
                    m ? 100.0 * stage_mean(*m, stage, m->windows.settled) / m->settled().mean : kNotMeasured;
                series.values.push_back(share);
                if (std::isfinite(share)) most = std::max(most, share);
            }
            if (most >= 2.0) chart.series.push_back(std::move(series));
        }
        const std::string path =
            (std::filesystem::path(folder) / fmt::format("{}_stages_{}t.svg", name, threads)).string();
        if (Result<void> written = write_file(path, to_svg(chart)); !written) return written;
    }
    return {};
}

}  // namespace

Table to_table(const std::vector<Measurement>& measurements, const SceneSuite& suite, const MachineCard& card) {
    Table table;
    table.card = card;
    table.columns = {"engine",
                     "scene",
                     "threads",
                     "sleeping",
                     "bodies",
                     "repeats",
                     "fall_mean_ms",
                     "fall_p99_ms",
                     "settled_mean_ms",
                     "settled_p99_ms",
                     "contact_points",
                     "touching_pairs",
                     "penetration_max_mm",
                     "penetration_mean_mm",
                     "drift_max_mm",
                     "drift_mean_mm",
                     "displacement_max_mm",
                     "stands",
                     "lost",
                     "kinetic_energy_j",
                     "awake",
                     "residual_mean_m_s",
                     "peak_memory_mb",
                     "hash",
                     "hash_equal",
                     "calibration_ms",
                     "error"};
    const std::vector<std::string> stages = all_stages(measurements);
    for (const std::string& stage : stages) table.columns.push_back("fall_" + stage + "_ms");
    for (const std::string& stage : stages) table.columns.push_back("settled_" + stage + "_ms");
    for (const Measurement& m : measurements) {
        std::vector<std::string> row = {m.engine, m.scene, std::to_string(m.threads), suite.sleeping ? "on" : "off"};
        const auto add = [&](std::string value) { row.push_back(std::move(value)); };
        if (m.runs == 0) {
            row.resize(table.columns.size());
            row[size_t(table.find("repeats"))] = "0";
            row[size_t(table.find("error"))] = m.error;
            table.rows.push_back(std::move(row));
            continue;
        }
        const RunResult& r = m.first;
        add(std::to_string(r.bodies));
        add(std::to_string(m.runs));
        for (const Figure& figure : kFigures) add(cell(figure.read(m)));
        add(count_cell(r.contact_points));
        const std::optional<Quality>& q = r.quality;
        add(q ? std::to_string(q->touching_pairs) : "");
        for (const double metres : {q ? q->penetration_max : kNotMeasured, q ? q->penetration_mean : kNotMeasured,
                                    q ? q->drift_max : kNotMeasured, q ? q->drift_mean : kNotMeasured,
                                    q ? q->displacement_max : kNotMeasured})
            add(cell(1e3 * metres));
        add(stands_cell(q));
        add(q ? std::to_string(q->lost) : "");
        add(cell(q ? q->kinetic_energy : kNotMeasured, "{:.4g}"));
        add(count_cell(r.awake));
        add(cell(r.residual_mean, "{:.3e}"));
        add(cell(r.peak_memory_mb, "{:.1f}"));
        add(hash_text(r.hash));
        add(m.runs < 2 ? "" : m.same_hash ? "yes" : "no");
        add(cell(m.calibration_ms, "{:.3f}"));
        add(m.error);
        for (const std::string& stage : stages) add(cell(stage_mean(m, stage, m.windows.fall)));
        for (const std::string& stage : stages) add(cell(stage_mean(m, stage, m.windows.settled)));
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string to_json(const std::vector<Measurement>& measurements, const SceneSuite& suite, const MachineCard& card) {
    const Table table = to_table(measurements, suite, card);
    Json out;
    for (const auto& [what, value] : card) out["machine"][what] = value;
    out["measurements"] = Json::array();
    for (size_t i = 0; i < measurements.size(); ++i) {
        Json row;
        for (size_t c = 0; c < table.columns.size(); ++c) {
            const std::string& text = table.rows[i][c];
            // Figures become numbers; names, answers and the hash stay text; what is not there is null.
            const bool is_text = c < 2 || table.columns[c] == "sleeping" || table.columns[c] == "stands" ||
                                 table.columns[c] == "hash" || table.columns[c] == "hash_equal" ||
                                 table.columns[c] == "error";
            row[table.columns[c]] = text.empty() ? Json(nullptr) : is_text ? Json(text) : Json(std::stod(text));
        }
        const Windows& w = measurements[i].windows;
        row["fall_window"] = {w.fall.begin, w.fall.end};
        row["settled_window"] = {w.settled.begin, w.settled.end};
        row["judged_steps"] = w.steps;
        row["step_ms"] = measurements[i].step_ms;
        out["measurements"].push_back(std::move(row));
    }
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const std::vector<Measurement>& measurements, const SceneSuite& suite) {
    return times_table(measurements, suite) + ratio_table(measurements, suite) + warnings(measurements);
}

Result<void> write_suite(const std::string& folder, const std::string& name,
                         const std::vector<Measurement>& measurements, const SceneSuite& suite,
                         const MachineCard& card) {
    const auto path = [&](const char* ending) { return (std::filesystem::path(folder) / (name + ending)).string(); };
    if (Result<void> r = write_file(path(".csv"), to_csv(to_table(measurements, suite, card))); !r) return r;
    if (Result<void> r = write_file(path(".json"), to_json(measurements, suite, card)); !r) return r;
    if (Result<void> r = write_bars(folder, name, measurements, suite); !r) return r;
    if (Result<void> r = write_steps(folder, name, measurements, suite); !r) return r;
    return write_stages(folder, name, measurements, suite);
}

}  // namespace proxima::bench
