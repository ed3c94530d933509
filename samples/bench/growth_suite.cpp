// SPDX-License-Identifier: MIT
#include "samples/bench/growth_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "samples/bench/engines.h"
#include "samples/bench/plot.h"

namespace proxima::bench {

namespace {

/// ns per body against bodies, of one engine with one number of threads.
struct Curve {
    std::string engine;
    uint32_t threads = 1;
    std::vector<double> bodies, settled, fall;  // ns per body
    std::vector<const Measurement*> measured;

    std::string label() const { return fmt::format("{}, {} thread{}", engine, threads, threads == 1 ? "" : "s"); }
};

std::vector<Curve> curves_of(const std::vector<Measurement>& measured) {
    constexpr double kNsPerMs = 1e6;
    std::vector<Curve> curves;
    for (const Measurement& m : measured) {
        if (m.runs == 0) continue;
        auto curve = std::find_if(curves.begin(), curves.end(),
                                  [&](const Curve& c) { return c.engine == m.engine && c.threads == m.threads; });
        if (curve == curves.end()) {
            curve = curves.insert(curves.end(), Curve{});
            curve->engine = m.engine;
            curve->threads = m.threads;
        }
        const double bodies = double(m.first.bodies);
        curve->bodies.push_back(bodies);
        curve->settled.push_back(kNsPerMs * m.settled().mean / bodies);
        curve->fall.push_back(kNsPerMs * m.fall().mean / bodies);
        curve->measured.push_back(&m);
    }
    return curves;
}

/// Exponent of the time of a whole step: that of the time per body, plus one.
double step_exponent(const Curve& curve, const std::vector<double>& ns) {
    return 1.0 + growth_exponent(curve.bodies, ns);
}

std::string verdict(const Curve& curve, const std::vector<double>& ns, const char* phase) {
    constexpr double kMaxExponent = 1.1, kMaxRise = 1.5;
    const double exponent = step_exponent(curve, ns);
    const double rise = ns.back() / *std::min_element(ns.begin(), ns.end());
    const bool linear = exponent <= kMaxExponent && rise <= kMaxRise;
    return fmt::format(
        "{}, {}: the time of a step grows with bodies to the {:.2f}; at {:.0f} bodies one costs {:.2f} "
        "times what it costs where it is cheapest: {}.\n",
        curve.label(), phase, exponent, curve.bodies.back(), rise, linear ? "near-linear" : "NOT near-linear");
}

/// Where the time per body goes at the two ends of the curve.
std::string stage_lines(const Curve& curve) {
    constexpr double kNsPerMs = 1e6;
    const Measurement &small = *curve.measured.front(), &large = *curve.measured.back();
    std::string out = fmt::format("\n{}, settled, ns per body by stage: at {:.0f} bodies, at {:.0f}\n", curve.label(),
                                  curve.bodies.front(), curve.bodies.back());
    for (size_t s = 0; s < small.first.stages.size() && s < large.stage_ms.size(); ++s) {
        const double a = kNsPerMs * summarise(small.stage_ms[s], small.windows.settled).mean / curve.bodies.front();
        const double b = kNsPerMs * summarise(large.stage_ms[s], large.windows.settled).mean / curve.bodies.back();
        out += fmt::format("  {:<18} {:>9.1f} {:>9.1f}\n", small.first.stages[s], a, b);
    }
    return out;
}

Result<void> write_stage_chart(const std::string& path, const Curve& curve, const GrowthSuite& suite) {
    constexpr double kNsPerMs = 1e6;
    LineChart chart;
    chart.title = "Where the time of a settled step goes";
    chart.subtitle =
        fmt::format("{}, scene {}N; stages below 2 % everywhere are left out", curve.label(), suite.family);
    chart.x_label = "bodies";
    chart.y_label = "ns per body";
    chart.log_x = chart.log_y = chart.markers = true;
    const std::vector<std::string>& stages = curve.measured.front()->first.stages;
    for (size_t s = 0; s < stages.size(); ++s) {
        Series series{stages[s], {}, {}};
        double most = 0.0;
        for (size_t i = 0; i < curve.measured.size(); ++i) {
            const Measurement& m = *curve.measured[i];
            const double ms = s < m.stage_ms.size() ? summarise(m.stage_ms[s], m.windows.settled).mean : kNotMeasured;
            series.x.push_back(curve.bodies[i]);
            series.y.push_back(kNsPerMs * ms / curve.bodies[i]);
            most = std::max(most, ms / m.settled().mean);
        }
        if (most >= 0.02) chart.series.push_back(std::move(series));
    }
    return write_file(path, to_svg(chart));
}

}  // namespace

Result<void> check_family(const std::string& family) {
    if (family == "growth" || family == "heap") return {};
    return Error{
        fmt::format("There is no family of scenes '{}' that grows; use 'growth' (towers of cubes) or 'heap'.", family)};
}

std::string to_text(const std::vector<Measurement>& measured, const GrowthSuite& suite) {
    const std::vector<Curve> curves = curves_of(measured);
    std::string out =
        fmt::format("Nanoseconds per body and step, scene {}N: while falling / settled\n{:>8}", suite.family, "bodies");
    for (const Curve& curve : curves) out += fmt::format(" {:>22}", curve.label());
    out += "\n";
    for (const uint32_t size : suite.sizes) {
        out += fmt::format("{:>8}", size);
        for (const Curve& curve : curves) {
            const auto at = std::find(curve.bodies.begin(), curve.bodies.end(), double(size));
            const auto i = size_t(at - curve.bodies.begin());
            out += fmt::format(" {:>22}", at == curve.bodies.end()
                                              ? "-"
                                              : fmt::format("{:.0f} / {:.0f}", curve.fall[i], curve.settled[i]));
        }
        out += "\n";
    }
    out += "\n";
    for (const Measurement& m : measured)
        if (!m.error.empty()) out += fmt::format("warning: {} on {} failed. {}\n", m.engine, m.scene, m.error);
    for (const Curve& curve : curves) {
        if (curve.bodies.size() < 2) continue;
        out += verdict(curve, curve.fall, "falling");
        out += verdict(curve, curve.settled, "settled");
    }
    for (const Curve& curve : curves)
        if (curve.engine == kProxima) out += stage_lines(curve);
    return out;
}

Result<void> write_growth(const std::string& folder, const std::vector<Measurement>& measured, const GrowthSuite& suite,
                          const MachineCard& card) {
    const auto path = [&](const std::string& file) { return (std::filesystem::path(folder) / file).string(); };
    if (Result<void> r = write_file(path("growth.csv"), to_csv(to_table(measured, suite.scenes, card))); !r) return r;
    if (Result<void> r = write_file(path("growth.json"), to_json(measured, suite.scenes, card)); !r) return r;
    const std::vector<Curve> curves = curves_of(measured);
    for (const bool settled : {false, true}) {
        LineChart chart;
        chart.title = settled ? "Time per body, settled" : "Time per body while falling";
        chart.subtitle = fmt::format("scene {}N; a level line is growth in proportion", suite.family);
        chart.x_label = "bodies";
        chart.y_label = "ns per body and step";
        chart.log_x = chart.markers = chart.y_from_zero = true;
        for (const Curve& curve : curves)
            chart.series.push_back({curve.label(), curve.bodies, settled ? curve.settled : curve.fall});
        const std::string file = fmt::format("growth_{}.svg", settled ? "settled" : "fall");
        if (Result<void> r = write_file(path(file), to_svg(chart)); !r) return r;
    }
    for (const Curve& curve : curves)
        if (curve.engine == kProxima)
            if (Result<void> r =
                    write_stage_chart(path(fmt::format("growth_stages_{}t.svg", curve.threads)), curve, suite);
                !r)
                return r;
    return {};
}

}  // namespace proxima::bench
