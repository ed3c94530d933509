// SPDX-License-Identifier: MIT
// What the first part of `proxima bench gpu` shows and writes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "samples/bench/gpu/gpu_suite.h"
#include "samples/bench/plot.h"

namespace proxima::bench {

namespace {

/// A plot of residuals: against sweeps, or against the milliseconds that these take.
LineChart convergence_chart(const GpuReport& report, const GpuMeasurement& m, bool against_time) {
    LineChart chart;
    chart.title = fmt::format("Convergence on {}, {} contacts", m.scene, m.contacts);
    chart.subtitle = against_time ? fmt::format("{}; CPU: one thread; times without measuring", report.device)
                                  : "natural map, worst contact; from a warm start";
    chart.x_label = against_time ? "ms" : "sweeps";
    chart.y_label = "residual, m/s";
    chart.log_y = true;
    const auto add = [&](std::string name, const std::vector<double>& history, double per_sweep, SeriesStyle style) {
        Series series;
        series.name = std::move(name);
        series.style = style;
        series.y = history;
        series.x.resize(history.size());
        for (size_t k = 0; k < history.size(); ++k)
            series.x[k] = against_time ? 1e3 * per_sweep * double(k) : double(k);
        chart.series.push_back(std::move(series));
    };
    for (const GpuVariant& variant : m.variants)
        add("GPU: " + variant.label, variant.history, variant.sweep, SeriesStyle::line);
    add("CPU: Gauss-Seidel", m.gs_history, m.gs, SeriesStyle::dashes);
    if (against_time) add("CPU: Jacobi, manifolds, momentum", m.twin_history, m.twin_1, SeriesStyle::dashes);
    return chart;
}

constexpr const char* kNotes =
    "\nMicroseconds a sweep. loop: the plainest scalar loop of Jacobi over points on one and two threads; "
    "twin: "
    "Jacobi over manifolds with\nmomentum on one and two threads; gs: prox_gs on one thread; none of them "
    "measures. device: by its clock; +res: with residual and\nroll-back; whole: as the host sees it, with "
    "packing, copies and waiting; /twin: device over the faster of the twins,\nproc: the same of processor "
    "time. difference: of\nimpulses to the "
    "twin "
    "of the same method after all sweeps, over the largest. d, b: dispatches and barriers a sweep; KB up and "
    "down\ncross the bus of a discrete GPU in one solve; KB a sweep are what its kernels read and write, "
    "GB/s how "
    "fast they did.\n";

}  // namespace

std::string to_text(const GpuReport& report) {
    std::string out =
        fmt::format("{} ({}), {} sweeps, local steps\n\n", report.device, report.driver, report.suite.sweeps);
    out += fmt::format("{:<12} {:>8} {:>7} {:>7} | {:>8} {:>8} {:>8} {:>8} {:>8}\n", "scene", "contacts", "groups",
                       "bodies", "loop 1t", "loop 2t", "twin 1t", "twin 2t", "gs 1t");
    for (const GpuMeasurement& m : report.rows)
        out += fmt::format("{:<12} {:>8} {:>7} {:>7} | {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f}\n", m.scene,
                           m.contacts, m.groups, m.bodies, 1e6 * m.loop_1, 1e6 * m.loop_2, 1e6 * m.twin_1,
                           1e6 * m.twin_2, 1e6 * m.gs);
    out +=
        fmt::format("\n{:<12} {:<17} {:>8} {:>8} {:>8} {:>7} {:>6} {:>9} {:>10} {:>3} {:>3} {:>8} {:>8} {:>8} {:>6}\n",
                    "scene", "method", "device", "+res", "whole", "/twin", "proc", "residual", "difference", "d", "b",
                    "KB up", "KB down", "KB sweep", "GB/s");
    for (const GpuMeasurement& m : report.rows)
        for (const GpuVariant& w : m.variants)
            out += fmt::format(
                "{:<12} {:<17} {:>8.1f} {:>8.1f} {:>8.1f} {:>7.2f} {:>6.2f} {:>9.2e} {:>10.1e} {:>3} {:>3} "
                "{:>8.1f} "
                "{:>8.1f} "
                "{:>8.1f} {:>6.2f}{}\n",
                m.scene, w.name, 1e6 * w.sweep, 1e6 * w.measured, 1e6 * w.whole, w.sweep / std::min(m.twin_1, m.twin_2),
                w.processor / m.twin_processor, w.history.back(), w.difference, w.cost.dispatches_per_pass,
                w.cost.barriers_per_pass, 1e-3 * double(w.bytes_up), 1e-3 * double(w.bytes_down),
                1e-3 * double(w.cost.sweep_bytes), 1e-9 * double(w.cost.sweep_bytes) / w.sweep,
                w.repeatable ? "" : " NOT REPEATABLE");
    for (const GpuMeasurement& m : report.rows)
        out += fmt::format("{:<12} prox_gs on the CPU ends at {:.2e} m/s\n", m.scene, m.gs_history.back());
    return out + kNotes;
}

Table to_table(const GpuReport& report, const MachineCard& card) {
    Table table;
    table.card = card;
    table.card.emplace_back("gpu", report.device + " (" + report.driver + ")");
    table.columns = {"scene",      "method",           "contacts",       "groups",       "bodies",
                     "sweeps",     "loop_1_us",        "loop_2_us",      "twin_1_us",    "twin_2_us",
                     "gs_us",      "gpu_us",           "measured_us",    "processor_us", "twin_processor_us",
                     "whole_us",   "contacts_us",      "bodies_us",      "submits",      "dispatches",
                     "barriers",   "sweep_dispatches", "sweep_barriers", "colours",      "bytes_up",
                     "bytes_down", "host_ms",          "wait_ms",        "device_ms",    "sweep_bytes",
                     "residual",   "gs_residual",      "difference",     "repeatable"};
    const auto number = [](double value) { return fmt::format("{:.6g}", value); };
    for (const GpuMeasurement& m : report.rows)
        for (const GpuVariant& w : m.variants)
            table.rows.push_back({m.scene,
                                  w.name,
                                  std::to_string(m.contacts),
                                  std::to_string(m.groups),
                                  std::to_string(m.bodies),
                                  std::to_string(report.suite.sweeps),
                                  number(1e6 * m.loop_1),
                                  number(1e6 * m.loop_2),
                                  number(1e6 * m.twin_1),
                                  number(1e6 * m.twin_2),
                                  number(1e6 * m.gs),
                                  number(1e6 * w.sweep),
                                  number(1e6 * w.measured),
                                  number(1e6 * w.processor),
                                  number(1e6 * m.twin_processor),
                                  number(1e6 * w.whole),
                                  number(1e6 * w.cost.contacts_seconds),
                                  number(1e6 * w.cost.bodies_seconds),
                                  std::to_string(w.cost.counts.submits),
                                  std::to_string(w.cost.counts.dispatches),
                                  std::to_string(w.cost.counts.barriers),
                                  std::to_string(w.cost.dispatches_per_pass),
                                  std::to_string(w.cost.barriers_per_pass),
                                  std::to_string(w.cost.colours),
                                  std::to_string(w.bytes_up),
                                  std::to_string(w.bytes_down),
                                  number(1e3 * w.cost.host_seconds),
                                  number(1e3 * w.cost.wait_seconds),
                                  number(1e3 * (w.cost.setup_seconds + w.cost.passes_seconds)),
                                  std::to_string(w.cost.sweep_bytes),
                                  number(w.history.back()),
                                  number(m.gs_history.back()),
                                  number(w.difference),
                                  w.repeatable ? "yes" : "no"});
    return table;
}

Result<void> write_gpu(const std::string& folder, const GpuReport& report, const MachineCard& card) {
    const std::filesystem::path path(folder);
    if (auto r = write_file((path / "gpu.csv").string(), to_csv(to_table(report, card))); !r) return r;
    BarChart bars;
    bars.title = "One sweep over all contacts";
    bars.subtitle = fmt::format("{}; the shorter the faster", report.device);
    bars.y_label = "microseconds";
    bars.log_y = true;
    bars.series = {{"CPU loop, 1 thread", {}}, {"CPU twin, 1 thread", {}}, {"CPU twin, 2 threads", {}}};
    if (!report.rows.empty())
        for (const GpuVariant& variant : report.rows[0].variants) bars.series.push_back({"GPU: " + variant.label, {}});
    for (const GpuMeasurement& m : report.rows) {
        bars.groups.push_back(fmt::format("{} ({} contacts)", m.scene, m.contacts));
        std::vector<double> values = {m.loop_1, m.twin_1, m.twin_2};
        for (const GpuVariant& variant : m.variants) values.push_back(variant.sweep);
        for (size_t k = 0; k < bars.series.size(); ++k) bars.series[k].values.push_back(1e6 * values[k]);
    }
    if (auto r = write_file((path / "gpu_sweeps.svg").string(), to_svg(bars)); !r) return r;
    for (const GpuMeasurement& m : report.rows)
        for (const bool against_time : {false, true}) {
            const std::string name = fmt::format("gpu_convergence_{}{}.svg", m.scene, against_time ? "_ms" : "");
            if (auto r = write_file((path / name).string(), to_svg(convergence_chart(report, m, against_time))); !r)
                return r;
        }
    return {};
}

}  // namespace proxima::bench
