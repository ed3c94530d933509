// SPDX-License-Identifier: MIT
// What contacts in blocks hand out after a step, and the table of their kernels.
#include "physics/constraints/contact/contact_response.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

/// Gaps now, and the natural map of the exact law at every point (contact/residual.h).
template <uint32_t N>
void results(const void* memory, const BodyRecords& records, float inverse_h, float ramp, ContactResults& out) {
    const ContactBlock<N>& block = *static_cast<const ContactBlock<N>*>(memory);
    const Lanes zero(0.0f);
    for (int k = 0; k < int(kBlockLanes); k += kLanes) {
        const BodyPair motion = load_bodies(block, k, records.delta);
        BodyPair velocity = load_bodies(block, k, records.velocity);
        add_ramp(block, k, records, ramp, velocity);
        const Arms arms = arms_now(block, k);
        Twist twist = relative_twist(block, k, arms, velocity);
        add_chords(block, k, arms, velocity, 1.0f / inverse_h, twist);
        add_surface_velocity(block, k, velocity, 1.0f / inverse_h, twist);
        const GapMotion moved = gap_motion(block, k, motion);
        const Lanes mu = load(block.friction + k);
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            const Lanes gap = gap_of<N>(p, k, moved);
            PointVelocity v = point_velocity(twist, p, k);
            v.n = v.n + max(gap * Lanes(inverse_h), zero);
            const Lanes residual =
                natural_map(p, k, v, mu, max(load(p.normal + k), zero), load(p.tangent1 + k), load(p.tangent2 + k));
            store(out.gap[i] + k, gap);
            store(out.residual[i] + k, residual);
        }
    }
}

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE

namespace proxima::physics::sweep {

namespace level = PX_LEVEL_NAMESPACE;

extern const ContactKernels PX_AT_LEVEL(contact_kernels_);
const ContactKernels PX_AT_LEVEL(contact_kernels_) = {
    {level::prepare<1>, level::prepare<2>, level::prepare<3>, level::prepare<4>},
    {level::prepare_direct<1>, level::prepare_direct<2>, level::prepare_direct<3>, level::prepare_direct<4>},
    {level::results<1>, level::results<2>, level::results<3>, level::results<4>},
    {{level::turn<1>, level::warm_start<1>, level::sweep<1>, level::relax<1>, level::impact<1>},
     {level::turn<2>, level::warm_start<2>, level::sweep<2>, level::relax<2>, level::impact<2>},
     {level::turn<3>, level::warm_start<3>, level::sweep<3>, level::relax<3>, level::impact<3>},
     {level::turn<4>, level::warm_start<4>, level::sweep<4>, level::relax<4>, level::impact<4>}}};

}  // namespace proxima::physics::sweep
