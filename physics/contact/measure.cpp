// SPDX-License-Identifier: MIT
// The stage that says how far a step is from the exact Coulomb law: hard contacts, exact friction disk, no
// push-out.
#include <algorithm>
#include <atomic>

#include "engine/jobs/ordered_sum.h"
#include "physics/contact/residual.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kContactsPerBlock = 256;

}  // namespace

MeasureSum add(MeasureSum sum, const MeasureSum& part) {
    sum.residual_sum += part.residual_sum;
    sum.residual_max = std::max(sum.residual_max, part.residual_max);
    sum.overlap_sum += part.overlap_sum;
    sum.overlap_max = std::max(sum.overlap_max, part.overlap_max);
    sum.overlaps += part.overlaps;
    return sum;
}

void raise_residual(StepContext& c, uint32_t island, float residual) {
    // Several workers may look at one island: the largest wins, whoever comes last.
    std::atomic_ref<float> worst(c.island_outcome[island].residual);
    float before = worst.load(std::memory_order_relaxed);
    while (residual > before && !worst.compare_exchange_weak(before, residual, std::memory_order_relaxed)) {}
}

void report_measure(StepContext& c) {
    const MeasureSum& all = c.measured;
    const uint32_t contacts = c.report.contacts;
    c.report.residual_mean = contacts ? all.residual_sum / contacts : 0.0;
    c.report.residual_max = all.residual_max;
    c.report.penetration_mean = all.overlaps ? float(all.overlap_sum / all.overlaps) : 0.0f;
    c.report.penetration_max = all.overlap_max;
}

void measure(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::measure));
    const uint32_t n = uint32_t(c.problem.contacts.size());
    // The whole problem as one system; relax has set biases and compliances of the hard law.
    const uint32_t groups = uint32_t(c.problem.groups.size());
    const BodySystem system(c.problem, 0, groups, {}, c.scratch[0].solver);
    const auto measure_block = [&](const engine::JobBlock& block) {
        MeasureSum sum;
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const double r = contact_residual(system, i).total();
            sum.residual_sum += r;
            sum.residual_max = std::max(sum.residual_max, r);
            raise_residual(c, island_of(c, c.problem.contacts[i].a, c.problem.contacts[i].b), float(r));
            const float overlap = -c.laws[i].gap;
            if (overlap <= 0.0f) continue;
            ++sum.overlaps;
            sum.overlap_sum += overlap;
            sum.overlap_max = std::max(sum.overlap_max, overlap);
        }
        return sum;
    };
    c.measured = add(c.measured, engine::ordered_reduce(*c.jobs, n, kContactsPerBlock, MeasureSum{},
                                                        c.measure_sums, measure_block, add));
}

}  // namespace proxima::physics
