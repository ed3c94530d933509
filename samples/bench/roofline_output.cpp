// SPDX-License-Identifier: MIT
// What `proxima bench roofline` shows and writes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "samples/bench/plot.h"
#include "samples/bench/roofline_suite.h"

namespace proxima::bench {

namespace {

constexpr const char* kOperationNames[engine::kLaneOperations] = {"add",  "multiply", "max",    "divide",
                                                                  "root", "compare",  "select", "negate"};

uint32_t widest_lanes(const Roofline& r) {
    uint32_t widest = 1;
    for (const Peak& p : r.roofs.peaks) widest = std::max(widest, p.lanes);
    return widest;
}

std::string size_text(size_t bytes) {
    return bytes >= (1u << 20) ? fmt::format("{} MB", bytes >> 20) : fmt::format("{} KB", bytes >> 10);
}

}  // namespace

std::string to_text(const Roofline& r) {
    std::string out = fmt::format("{:<10} {:>10} {:>8} {:>12} {:>18}\n", "data in", "of size", "threads", "read GB/s",
                                  "read+write GB/s");
    for (const Bandwidth& b : r.roofs.bandwidths)
        out += fmt::format("{:<10} {:>10} {:>8} {:>12.1f} {:>18.1f}\n", b.memory, size_text(b.bytes), b.threads,
                           1e-9 * b.read, 1e-9 * b.update);
    out += fmt::format("\n{:<10} {:>8} {:>24}\n", "lanes", "threads", "multiply + add GFLOP/s");
    for (const Peak& p : r.roofs.peaks)
        out += fmt::format("{:<10} {:>8} {:>24.1f}\n", p.lanes, p.threads, 1e-9 * p.flops);
    out += "\nA result is there after, in ns:";
    for (int i = 0; i < engine::kLaneOperations; ++i)
        out += fmt::format(" {} {:.2f}{}", kOperationNames[i], 1e9 * double(r.roofs.latency[i]),
                           i + 1 < engine::kLaneOperations ? "," : "");
    out += fmt::format("; max(k x - s, 0) {:.2f}\n\n", 1e9 * r.roofs.law_latency);
    out += fmt::format("{:<20} {:>5} {:>7} {:>7} {:>6} {:>7} {:>9} {:>7} {:>9} | {:>8} {:>8} {:>8} {:>6}  {}\n",
                       "kernel", "lanes", "threads", "in", "flops", "bytes", "flop/byte", "ns", "GFLOP/s", "peak ns",
                       "bytes ns", "chain ns", "roof", "bound");
    for (const KernelMeasurement& m : r.kernels)
        out += fmt::format(
            "{:<20} {:>5} {:>7} {:>7} {:>6.0f} {:>7.0f} {:>9.2f} {:>7.2f} {:>9.1f} | {:>8.2f} {:>8.2f} "
            "{:>8.2f} {:>5.0f}%  {}\n",
            m.points == 0 ? to_string(m.kernel) : fmt::format("{} {}", to_string(m.kernel), m.points), m.lanes,
            m.threads, m.memory, m.cost.flops, m.cost.traffic_bytes(), m.intensity(), 1e9 * m.seconds, 1e-9 * m.flops(),
            1e9 * m.peak_seconds, 1e9 * m.bandwidth_seconds, 1e9 * m.chain_seconds, 100.0 * m.fraction(), m.bound());
    out +=
        "\nPer manifold (next: per body), all threads together. peak ns: its operations at the peak; bytes "
        "ns: "
        "its cache lines at the\nbandwidth; chain ns: its longest chain of operations, if blocks waited for "
        "each other. roof: the larger of the first two over\nthe time; bound: the largest of the three.\n";
    return out;
}

Table to_table(const Roofline& r, const MachineCard& card) {
    Table table;
    table.card = card;
    table.columns = {"row",           "name",    "points",   "lanes",    "threads",       "place",      "set_bytes",
                     "gb_s",          "gflop_s", "ns",       "flops",    "touched_bytes", "bytes_read", "bytes_written",
                     "flop_per_byte", "peak_ns", "bytes_ns", "chain_ns", "roof_fraction", "bound"};
    const auto number = [](double value) { return fmt::format("{:.6g}", value); };
    const auto add = [&](const std::vector<std::pair<std::string, std::string>>& cells) {
        std::vector<std::string> row(table.columns.size());
        for (const auto& [column, value] : cells) row[size_t(table.find(column))] = value;
        table.rows.push_back(std::move(row));
    };
    for (const Bandwidth& b : r.roofs.bandwidths)
        for (const bool update : {false, true})
            add({{"row", "bandwidth"},
                 {"name", update ? "update" : "read"},
                 {"threads", std::to_string(b.threads)},
                 {"place", b.memory},
                 {"set_bytes", std::to_string(b.bytes)},
                 {"gb_s", number(1e-9 * (update ? b.update : b.read))}});
    for (const Peak& p : r.roofs.peaks)
        add({{"row", "peak"},
             {"name", "multiply and add"},
             {"lanes", std::to_string(p.lanes)},
             {"threads", std::to_string(p.threads)},
             {"gflop_s", number(1e-9 * p.flops)}});
    for (int i = 0; i < engine::kLaneOperations; ++i)
        add({{"row", "latency"}, {"name", kOperationNames[i]}, {"ns", number(1e9 * double(r.roofs.latency[i]))}});
    add({{"row", "latency"}, {"name", "max(k x - s, 0)"}, {"ns", number(1e9 * r.roofs.law_latency)}});
    for (const KernelMeasurement& m : r.kernels)
        add({{"row", "kernel"},
             {"name", to_string(m.kernel)},
             {"points", m.points == 0 ? "" : std::to_string(m.points)},
             {"lanes", std::to_string(m.lanes)},
             {"threads", std::to_string(m.threads)},
             {"place", m.memory},
             {"gb_s", number(1e-9 * m.cost.traffic_bytes() / m.seconds)},
             {"gflop_s", number(1e-9 * m.flops())},
             {"ns", number(1e9 * m.seconds)},
             {"flops", number(m.cost.flops)},
             {"touched_bytes", number(m.cost.touched_bytes)},
             {"bytes_read", number(64.0 * m.cost.lines_read)},
             {"bytes_written", number(64.0 * m.cost.lines_written)},
             {"flop_per_byte", number(m.intensity())},
             {"peak_ns", number(1e9 * m.peak_seconds)},
             {"bytes_ns", number(1e9 * m.bandwidth_seconds)},
             {"chain_ns", number(1e9 * m.chain_seconds)},
             {"roof_fraction", number(m.fraction())},
             {"bound", m.bound()}});
    return table;
}

std::string to_svg(const Roofline& r, uint32_t threads) {
    constexpr double kMinIntensity = 0.15, kMaxIntensity = 4.0;  // flop per byte
    const uint32_t lanes = widest_lanes(r);
    LineChart chart;
    chart.title = fmt::format("Roofline of the contact kernels, {} thread{}", threads, threads > 1 ? "s" : "");
    chart.subtitle =
        "dots: kernels by where their data lie, with the number of points of a manifold; lines: what the "
        "machine does";
    chart.x_label = "flop per byte";
    chart.y_label = "GFLOP/s";
    chart.log_x = chart.log_y = true;
    // Kernels first: they get the strongest colours and lie on top.
    for (const RigKernel kernel : {RigKernel::sweep, RigKernel::prepare, RigKernel::results, RigKernel::next})
        for (const char* memory : {"L2", "memory"}) {
            Series dots{fmt::format("{}, {}", to_string(kernel), memory), {}, {}, SeriesStyle::dots, {}, {}};
            for (const KernelMeasurement& m : r.kernels) {
                if (m.kernel != kernel || m.memory != memory || m.threads != threads || m.lanes != lanes) continue;
                dots.x.push_back(m.intensity());
                dots.y.push_back(1e-9 * m.flops());
                dots.labels.push_back(m.points == 0 ? "" : std::to_string(m.points));
            }
            if (!dots.x.empty()) chart.series.push_back(std::move(dots));
        }
    const auto level = [&](double height, const std::string& label, const char* colour) {
        chart.series.push_back(
            {"", {kMinIntensity, kMaxIntensity}, {height, height}, SeriesStyle::dashes, {"", label}, colour});
    };
    const double peak = 1e-9 * r.roofs.peak(lanes, threads);
    for (const Peak& p : r.roofs.peaks)
        if (p.threads == threads)
            level(1e-9 * p.flops,
                  fmt::format("peak, {} lane{}: {:.1f} GFLOP/s", p.lanes, p.lanes > 1 ? "s" : "", 1e-9 * p.flops),
                  "#444444");
    // One contact after the other, each waiting for the one before it.
    const double chain = 1e-9 * 3.0 * lanes * threads / r.roofs.law_latency;
    level(chain, fmt::format("one chain of contact laws, {} lanes: {:.1f} GFLOP/s", lanes, chain), "#b2182b");
    for (const Bandwidth& b : r.roofs.bandwidths) {
        const double slope = 1e-9 * b.read, corner = peak / slope;
        if (b.threads != threads || corner <= kMinIntensity) continue;
        const double end = std::min(corner, kMaxIntensity);
        chart.series.push_back({"",
                                {kMinIntensity, end},
                                {kMinIntensity * slope, end * slope},
                                SeriesStyle::line,
                                {fmt::format("{}: {:.0f} GB/s", b.memory, slope)},
                                "#888888"});
    }
    return to_svg(chart);
}

Result<void> write_roofline(const std::string& folder, const Roofline& r, const RooflineSuite& suite,
                            const MachineCard& card) {
    const auto path = [&](const std::string& file) { return (std::filesystem::path(folder) / file).string(); };
    if (Result<void> w = write_file(path("roofline.csv"), to_csv(to_table(r, card))); !w) return w;
    for (const uint32_t threads : suite.threads)
        if (Result<void> w = write_file(path(fmt::format("roofline_{}t.svg", threads)), to_svg(r, threads)); !w)
            return w;
    return {};
}

}  // namespace proxima::bench
