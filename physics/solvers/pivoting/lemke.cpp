// SPDX-License-Identifier: MIT
// Lemke's method for friction cones with flat sides (Stewart and Trinkle, Anitescu and Potra): a contact has
// a normal impulse, one impulse a for each of k directions d in the tangent plane, and a sliding speed s,
//     0 <= v_n + c l_n       _|_  l_n >= 0
//     0 <= s + d . v_t       _|_  a   >= 0      for each direction
//     0 <= mu l_n - sum a    _|_  s   >= 0
// The polygon of friction has its corners on the disk: friction is up to 1 - cos(pi/k) too weak and points up
// to pi/k away from straight against sliding.
#include <cmath>
#include <numbers>

#include "physics/solvers/iterate.h"
#include "physics/solvers/pivoting/lemke_lcp.h"
#include "physics/solvers/pivoting/pivoting.h"

namespace proxima::physics {

namespace {

using pivoting::LemkeReport;
using pivoting::LemkeStop;
using pivoting::PlainLcp;

/// The dictionary of so many unknowns has 46 MB, all of it touched by every pivot; with eight directions
/// these are 240 contacts.
constexpr uint32_t kUnknownLimit = 2400;

/// Of |q|: what the pivots may leave of the polygon's own law before their answer counts as spoiled.
constexpr double kLawTolerance = 1e-8;

/// Where the unknowns of the contacts stand. Without friction a contact has its normal alone; without any
/// freedom to move it has none, and keeps the impulse it has.
struct Layout {
    static constexpr uint32_t kNone = ~0u;
    uint32_t sides;
    uint32_t size = 0;
    std::vector<uint32_t> normal;  // directions follow it, then the sliding speed
    std::vector<bool> friction;

    Layout(const DelassusSystem& system, uint32_t polygon_sides) : sides(polygon_sides) {
        for (uint32_t i = 0; i < system.size(); ++i) {
            const bool moves = system.normal_block(i) + system.compliance(i) > 1e-30;
            friction.push_back(moves && system.friction(i) > 0.0 &&
                               largest_eigenvalue(system.tangent_block(i)) > 1e-30);
            normal.push_back(moves ? size : kNone);
            if (moves) size += friction[i] ? sides + 2 : 1;
        }
    }
};

std::vector<Real2<double>> directions_of(uint32_t sides) {
    std::vector<Real2<double>> directions;
    for (uint32_t k = 0; k < sides; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / sides;
        directions.push_back({std::cos(angle), std::sin(angle)});
    }
    return directions;
}

/// Impulses are measured in units of 1/w, so that all unknowns are velocities and all entries near one.
PlainLcp make_lcp(const DelassusSystem& system, const Layout& layout, double w) {
    const DelassusProblem& given = system.problem();
    const std::vector<Real2<double>> directions = directions_of(layout.sides);
    const uint32_t n = layout.size;
    PlainLcp lcp;
    lcp.m.assign(size_t(n) * n, 0.0);
    lcp.q.assign(n, 0.0);
    const auto entry = [&](uint32_t r, uint32_t c) -> double& { return lcp.m[size_t(r) * n + c]; };
    // Rows and columns of a contact: its normal, and its directions as combinations of two tangents.
    const auto count = [&](uint32_t i) { return layout.friction[i] ? layout.sides + 1 : 1u; };
    const auto axis = [&](uint32_t k) {
        return k == 0 ? Real3<double>{1.0, 0.0, 0.0} : Real3<double>{0.0, directions[k - 1].x, directions[k - 1].y};
    };
    for (uint32_t i = 0; i < given.size(); ++i) {
        const uint32_t first = layout.normal[i];
        if (first == Layout::kNone) continue;
        for (uint32_t b = given.row_begin[i]; b < given.row_begin[i + 1]; ++b) {
            const uint32_t j = given.column[b], other = layout.normal[j];
            const auto& m = given.block[b].m;
            if (other == Layout::kNone) {  // what keeps its impulse is part of q
                const Real3<double> kept = system.impulse(j);
                for (uint32_t r = 0; r < count(i); ++r) {
                    const Real3<double> x = axis(r);
                    const double row[3] = {m[0][0] * kept.n + m[0][1] * kept.t1 + m[0][2] * kept.t2,
                                           m[1][0] * kept.n + m[1][1] * kept.t1 + m[1][2] * kept.t2,
                                           m[2][0] * kept.n + m[2][1] * kept.t1 + m[2][2] * kept.t2};
                    lcp.q[first + r] += x.n * row[0] + x.t1 * row[1] + x.t2 * row[2];
                }
                continue;
            }
            for (uint32_t r = 0; r < count(i); ++r) {
                const Real3<double> x = axis(r);
                const double row[3] = {x.n * m[0][0] + x.t1 * m[1][0] + x.t2 * m[2][0],
                                       x.n * m[0][1] + x.t1 * m[1][1] + x.t2 * m[2][1],
                                       x.n * m[0][2] + x.t1 * m[1][2] + x.t2 * m[2][2]};
                for (uint32_t c = 0; c < count(j); ++c) {
                    const Real3<double> y = axis(c);
                    entry(first + r, other + c) = (row[0] * y.n + row[1] * y.t1 + row[2] * y.t2) / w;
                }
            }
        }
        entry(first, first) += system.compliance(i) / w;
        for (uint32_t r = 0; r < count(i); ++r) {
            const Real3<double> x = axis(r);
            lcp.q[first + r] += x.n * given.q[3 * i] + x.t1 * given.q[3 * i + 1] + x.t2 * given.q[3 * i + 2];
        }
        if (!layout.friction[i]) continue;
        const uint32_t speed = first + layout.sides + 1;
        entry(speed, first) = system.friction(i);
        for (uint32_t k = 1; k <= layout.sides; ++k) {
            entry(speed, first + k) = -1.0;
            entry(first + k, speed) = 1.0;
        }
    }
    return lcp;
}

std::vector<double> impulses_of(const DelassusSystem& system, const Layout& layout, const std::vector<double>& z,
                                double w) {
    const std::vector<Real2<double>> directions = directions_of(layout.sides);
    std::vector<double> impulses;
    for (uint32_t i = 0; i < system.size(); ++i) {
        Real3<double> l = system.impulse(i);
        const uint32_t first = layout.normal[i];
        if (first != Layout::kNone) {
            l = {z[first] / w, 0.0, 0.0};
            for (uint32_t k = 0; layout.friction[i] && k < layout.sides; ++k) {
                l.t1 += directions[k].x * z[first + 1 + k] / w;
                l.t2 += directions[k].y * z[first + 1 + k] / w;
            }
        }
        impulses.insert(impulses.end(), {l.n, l.t1, l.t2});
    }
    return impulses;
}

double mean_normal_block(const DelassusSystem& system) {
    double sum = 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < system.size(); ++i)
        if (system.normal_block(i) > 1e-30) {
            sum += system.normal_block(i);
            ++count;
        }
    return count ? sum / count : 1.0;
}

}  // namespace

/// An iteration is a pivot. There is no answer before the last one: a solve that is stopped returns what it was
/// given.
SolveReport lemke_matrix(DelassusSystem& system, const SolveSettings& settings) {
    if (has_extra(system)) return refuse_extra();
    if (system.has_bilateral()) return refuse_bilateral();
    SolveReport report;
    const TimeLimit limit(settings);
    const auto measure = [&] { return stop_residual(system, FrictionSet::disk, settings); };
    const auto finish = [&](StopReason stop, std::string_view note = {}) {
        report.stop = stop;
        report.note = note;
        return report;
    };
    const auto good = [&] { return report.residual == 0.0 || report.residual <= settings.tolerance; };
    report.residual = measure();
    if (settings.history) settings.history->push_back(report.residual);
    if (good()) return finish(StopReason::tolerance);
    if (!std::isfinite(report.residual))
        return finish(StopReason::stalled, "the problem holds values that are not numbers");
    if (settings.polygon_sides < 4 || settings.polygon_sides > 16 || settings.polygon_sides % 2 != 0)
        return finish(StopReason::failed, "the polygon of friction needs 4 to 16 sides, an even number");
    const Layout layout(system, settings.polygon_sides);
    if (layout.size > kUnknownLimit)
        return finish(StopReason::failed, "more than 2400 unknowns are too many for a full dictionary");
    if (settings.iterations == 0) return finish(StopReason::iterations);

    const double w = mean_normal_block(system);
    const PlainLcp lcp = make_lcp(system, layout, w);
    pivoting::PivotLimits limits;
    limits.pivots = settings.iterations;
    limits.time = &limit;
    std::vector<double> z;
    const LemkeReport done = pivoting::solve_lemke(lcp, z, limits);
    report.iterations = done.pivots;
    if (done.stop == LemkeStop::limit) return finish(StopReason::iterations);
    if (done.stop == LemkeStop::aborted) return finish(StopReason::time);
    if (done.stop == LemkeStop::ray) return finish(StopReason::failed, "the path of pivots ran off along a ray");
    const double law = pivoting::natural_residual(lcp, z);

    const double before = report.residual;
    system.save();
    system.set_impulses(impulses_of(system, layout, z, w));
    report.residual = measure();
    if (settings.history) settings.history->push_back(report.residual);
    if (good()) return finish(StopReason::tolerance);
    const bool better = report.residual < before;  // by the disk, which is what is asked for
    if (!better) {
        system.restore();
        report.residual = before;
    }
    if (!(law <= kLawTolerance * system.q_norm())) return finish(StopReason::failed, "rounding has spoiled the pivots");
    if (!better) return finish(StopReason::stalled, "what was given is nearer to the disk than the polygon's answer");
    return finish(StopReason::stalled, "the polygon's answer is exact, the rest is its distance from the disk");
}

}  // namespace proxima::physics
