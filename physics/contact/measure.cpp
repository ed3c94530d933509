// SPDX-License-Identifier: MIT
// The stage that says how far a step is from the exact Coulomb law: hard contacts, exact friction disk, no
// push-out.
#include <algorithm>

#include "physics/contact/residual.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kContactsPerBlock = 256;

struct BlockSum {
    double residual_sum = 0.0, residual_max = 0.0;
    double overlap_sum = 0.0;
    float overlap_max = 0.0f;
    uint32_t overlaps = 0;
};

}  // namespace

void measure(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::measure));
    const uint32_t n = uint32_t(c.problem.contacts.size());
    const uint32_t blocks = (n + kContactsPerBlock - 1) / kContactsPerBlock;
    c.block_sums.assign(size_t(blocks) * 5, 0.0);
    // The whole problem as one system; relax has set biases and compliances of the hard law.
    const uint32_t groups = uint32_t(c.problem.groups.size());
    const BodySystem system(c.problem, 0, groups, {}, c.scratch[0].solver);
    c.jobs->parallel_for(n, kContactsPerBlock, [&](const engine::JobBlock& block) {
        BlockSum sum;
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const double r = contact_residual(system, i).total();
            sum.residual_sum += r;
            sum.residual_max = std::max(sum.residual_max, r);
            const float overlap = -c.laws[i].gap;
            if (overlap <= 0.0f) continue;
            ++sum.overlaps;
            sum.overlap_sum += overlap;
            sum.overlap_max = std::max(sum.overlap_max, overlap);
        }
        double* out = c.block_sums.data() + size_t(block.block) * 5;
        out[0] = sum.residual_sum;
        out[1] = sum.residual_max;
        out[2] = sum.overlap_sum;
        out[3] = sum.overlap_max;
        out[4] = sum.overlaps;
    });
    BlockSum all;
    for (uint32_t k = 0; k < blocks; ++k) {
        const double* in = c.block_sums.data() + size_t(k) * 5;
        all.residual_sum += in[0];
        all.residual_max = std::max(all.residual_max, in[1]);
        all.overlap_sum += in[2];
        all.overlap_max = std::max(all.overlap_max, float(in[3]));
        all.overlaps += uint32_t(in[4]);
    }
    c.report.residual_mean = n ? all.residual_sum / n : 0.0;
    c.report.residual_max = all.residual_max;
    c.report.penetration_mean = all.overlaps ? float(all.overlap_sum / all.overlaps) : 0.0f;
    c.report.penetration_max = all.overlap_max;
}

}  // namespace proxima::physics
