// SPDX-License-Identifier: MIT
// What `proxima bench gpu` shows and writes.
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
    chart.subtitle = against_time
                         ? fmt::format("times of {} and of one CPU thread, without measuring", report.device)
                         : "natural map, worst contact; from a warm start";
    chart.x_label = against_time ? "ms" : "sweeps";
    chart.y_label = "residual, m/s";
    chart.log_y = true;
    const auto add = [&](const char* name, const std::vector<double>& history, double per_sweep,
                         SeriesStyle style) {
        Series series;
        series.name = name;
        series.style = style;
        series.y = history;
        series.x.resize(history.size());
        for (size_t k = 0; k < history.size(); ++k)
            series.x[k] = against_time ? 1e3 * per_sweep * double(k) : double(k);
        chart.series.push_back(std::move(series));
    };
    // The first one lies on top: dashes of the twin over the line of the GPU, which it should not leave.
    add("PROX Jacobi, CPU twin", m.twin_history, m.twin, SeriesStyle::dashes);
    add("PROX Jacobi, GPU", m.gpu_history, m.gpu, SeriesStyle::line);
    if (!against_time) add("PROX Gauss-Seidel, CPU", m.gs_history, 0.0, SeriesStyle::line);
    return chart;
}

/// The time of a sweep against the number of contacts.
LineChart growth_chart(const GpuReport& report) {
    LineChart chart;
    chart.title = "One sweep of PROX Jacobi against the number of contacts";
    chart.subtitle = report.device;
    chart.x_label = "contacts";
    chart.y_label = "microseconds";
    chart.log_x = chart.log_y = chart.markers = true;
    std::vector<const GpuMeasurement*> rows;
    for (const GpuMeasurement& m : report.rows) rows.push_back(&m);
    std::stable_sort(rows.begin(), rows.end(), [](const GpuMeasurement* a, const GpuMeasurement* b) {
        return a->contacts < b->contacts;
    });
    const auto add = [&](const char* name, double GpuMeasurement::*seconds) {
        Series series;
        series.name = name;
        for (const GpuMeasurement* m : rows) {
            series.x.push_back(m->contacts);
            series.y.push_back(1e6 * m->*seconds);
        }
        chart.series.push_back(std::move(series));
    };
    add("loop, 1 thread", &GpuMeasurement::loop_1);
    add("loop, 2 threads", &GpuMeasurement::loop_2);
    add("CPU twin, 1 thread", &GpuMeasurement::twin);
    add("GPU", &GpuMeasurement::gpu);
    add("GPU, with residual", &GpuMeasurement::gpu_measured);
    return chart;
}

}  // namespace

std::string to_text(const GpuReport& report) {
    std::string out = fmt::format("{} ({}), {} sweeps, steps of the local strategy\n\n", report.device,
                                  report.driver, report.suite.sweeps);
    out += fmt::format(
        "{:<14} {:>9} {:>7} | {:>8} {:>8} {:>8} {:>9} | {:>8} {:>9} {:>8} | {:>8} {:>8} | {:>10}\n", "scene",
        "contacts", "bodies", "loop 1t", "loop 2t", "twin", "twin+res", "gpu", "gpu+res", "whole", "contacts",
        "bodies", "difference");
    for (const GpuMeasurement& m : report.rows)
        out += fmt::format(
            "{:<14} {:>9} {:>7} | {:>8.1f} {:>8.1f} {:>8.1f} {:>9.1f} | {:>8.1f} {:>9.1f} {:>8.1f} | "
            "{:>8.1f} "
            "{:>8.1f} | {:>10.1e}{}\n",
            m.scene, m.contacts, m.bodies, 1e6 * m.loop_1, 1e6 * m.loop_2, 1e6 * m.twin,
            1e6 * m.twin_measured, 1e6 * m.gpu, 1e6 * m.gpu_measured, 1e6 * m.gpu_whole,
            1e6 * m.cost.contacts_seconds, 1e6 * m.cost.bodies_seconds, m.difference,
            m.repeatable ? "" : " NOT REPEATABLE");
    out +=
        "\nMicroseconds a sweep. loop: the plainest scalar loop on one and two threads; twin: prox_jacobi on "
        "one "
        "thread; +res: with\nresidual and roll-back; gpu: by the device's clock; whole: as the host sees it, "
        "with "
        "packing, copies and waiting. contacts,\nbodies: the two kernels of a sweep. difference: of impulses "
        "between GPU and twin after all sweeps, over the largest.\n\n";
    out += fmt::format("{:<14} {:>8} {:>11} {:>9} {:>12} {:>12} {:>10} {:>10} {:>11} {:>12} {:>7}\n", "scene",
                       "submits", "dispatches", "barriers", "KB up", "KB down", "host ms", "wait ms",
                       "device ms", "KB a sweep", "GB/s");
    for (const GpuMeasurement& m : report.rows)
        out += fmt::format(
            "{:<14} {:>8} {:>11} {:>9} {:>12.1f} {:>12.1f} {:>10.3f} {:>10.3f} {:>11.3f} {:>12.1f} "
            "{:>7.2f}\n",
            m.scene, m.cost.counts.submits, m.cost.counts.dispatches, m.cost.counts.barriers,
            1e-3 * double(m.staged_up), 1e-3 * double(m.staged_down), 1e3 * m.cost.host_seconds,
            1e3 * m.cost.wait_seconds, 1e3 * (m.cost.setup_seconds + m.cost.passes_seconds),
            1e-3 * double(m.cost.sweep_bytes), 1e-9 * double(m.cost.sweep_bytes) / m.gpu);
    out +=
        "\nOf one solve without measuring. A sweep is 2 dispatches and 2 barriers; KB up and down cross the "
        "bus of a "
        "discrete GPU;\nKB a sweep are what its kernels read and write, GB/s how fast they did.\n";
    return out;
}

Table to_table(const GpuReport& report, const MachineCard& card) {
    Table table;
    table.card = card;
    table.card.emplace_back("gpu", report.device + " (" + report.driver + ")");
    table.columns = {"scene",        "contacts",    "bodies",           "sweeps",    "loop_1_us",
                     "loop_2_us",    "twin_us",     "twin_measured_us", "gpu_us",    "gpu_measured_us",
                     "gpu_whole_us", "contacts_us", "bodies_us",        "submits",   "dispatches",
                     "barriers",     "bytes_up",    "bytes_down",       "host_ms",   "wait_ms",
                     "device_ms",    "sweep_bytes", "difference",       "repeatable"};
    const auto number = [](double value) { return fmt::format("{:.6g}", value); };
    for (const GpuMeasurement& m : report.rows)
        table.rows.push_back({m.scene,
                              std::to_string(m.contacts),
                              std::to_string(m.bodies),
                              std::to_string(report.suite.sweeps),
                              number(1e6 * m.loop_1),
                              number(1e6 * m.loop_2),
                              number(1e6 * m.twin),
                              number(1e6 * m.twin_measured),
                              number(1e6 * m.gpu),
                              number(1e6 * m.gpu_measured),
                              number(1e6 * m.gpu_whole),
                              number(1e6 * m.cost.contacts_seconds),
                              number(1e6 * m.cost.bodies_seconds),
                              std::to_string(m.cost.counts.submits),
                              std::to_string(m.cost.counts.dispatches),
                              std::to_string(m.cost.counts.barriers),
                              std::to_string(m.staged_up),
                              std::to_string(m.staged_down),
                              number(1e3 * m.cost.host_seconds),
                              number(1e3 * m.cost.wait_seconds),
                              number(1e3 * (m.cost.setup_seconds + m.cost.passes_seconds)),
                              std::to_string(m.cost.sweep_bytes),
                              number(m.difference),
                              m.repeatable ? "yes" : "no"});
    return table;
}

Result<void> write_gpu(const std::string& folder, const GpuReport& report, const MachineCard& card) {
    const std::filesystem::path place(folder);
    if (auto r = write_file((place / "gpu.csv").string(), to_csv(to_table(report, card))); !r) return r;
    BarChart bars;
    bars.title = "One sweep of PROX Jacobi over all contacts";
    bars.subtitle = fmt::format("{}; the shorter the faster", report.device);
    bars.y_label = "microseconds";
    bars.log_y = true;
    bars.series = {{"loop, 1 thread", {}},
                   {"loop, 2 threads", {}},
                   {"CPU twin, 1 thread", {}},
                   {"GPU", {}},
                   {"GPU, with residual", {}}};
    for (const GpuMeasurement& m : report.rows) {
        bars.groups.push_back(fmt::format("{} ({} contacts)", m.scene, m.contacts));
        const double values[] = {m.loop_1, m.loop_2, m.twin, m.gpu, m.gpu_measured};
        for (size_t k = 0; k < bars.series.size(); ++k) bars.series[k].values.push_back(1e6 * values[k]);
    }
    if (auto r = write_file((place / "gpu_sweeps.svg").string(), to_svg(bars)); !r) return r;
    if (report.rows.size() > 1)
        if (auto r = write_file((place / "gpu_growth.svg").string(), to_svg(growth_chart(report))); !r)
            return r;
    for (const GpuMeasurement& m : report.rows)
        for (const bool against_time : {false, true}) {
            const std::string name =
                fmt::format("gpu_convergence_{}{}.svg", m.scene, against_time ? "_ms" : "");
            if (auto r =
                    write_file((place / name).string(), to_svg(convergence_chart(report, m, against_time)));
                !r)
                return r;
        }
    return {};
}

}  // namespace proxima::bench
