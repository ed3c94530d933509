// SPDX-License-Identifier: MIT
// Contacts at the end of a sub-step: the natural map of the exact Coulomb law (contact/residual.h) at every point, of the
// velocities that are about to move the bodies. report.h says what is measured, and by which law.
#include "physics/constraints/contact/contact_measure.h"

#include "physics/constraints/contact/contact_lanes.h"

namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE {

namespace {

constexpr float kLargest = 3.0e38f;  // m/s, of velocities at the end of what floats hold, or beyond

/// v_n + gap/h, which the hard law wants to be 0 where an impulse acts and not negative anywhere; an overlap counts as no
/// gap. A gap that counts as closed may be used up or not.
PX_INLINE Lanes normal_error(Lanes v_n, Lanes gap, Lanes impulse, const MeasureLaw& law) {
    const Lanes zero(0.0f), open = max(gap, zero), inverse_h(law.inverse_h);
    const Lanes error = v_n + open * inverse_h, allowed = min(open, Lanes(law.closed_gap)) * inverse_h;
    return select((impulse > zero) & (error > zero), max(error - allowed, zero), error);
}

template <uint32_t N>
PX_INLINE void measure_lanes(const ContactBlock<N>& block, int k, const BodyRecords& records, const MeasureLaw& law,
                             Row (&residual)[N]) {
    BodyPair velocity = load_bodies(block, k, records.velocity);
    add_ramp(block, k, records, law.ramp, velocity);
    const Arms arms = arms_now(block, k);
    const GapMotion moved = gap_motion(block, k, load_motions(block, k, records, law.elapsed, law.lag));
    Twist twist = relative_twist(block, k, arms, velocity);
    add_chords(block, k, arms, velocity, law.h, twist);
    add_surface_velocity(block, k, velocity, law.h, twist);
    const Lanes mu = load(block.friction + k);
    for (uint32_t i = 0; i < N; ++i) {
        const PointRows& p = block.point[i];
        const Lanes gap = gap_of<N>(p, k, moved);
        const Lanes impulse = max(load(p.normal + k), Lanes(0.0f));
        PointVelocity v = point_velocity(twist, p, k);
        v.n = normal_error(v.n, gap, impulse, law);
        const Lanes error = natural_map(p, k, v, mu, impulse, load(p.tangent1 + k), load(p.tangent2 + k));
        store(residual[i] + k, select(error < Lanes(kLargest), error, Lanes(kLargest)));
    }
}

template <uint32_t N>
void measure(const void* memory, uint32_t count, const BodyRecords& records, const MeasureLaw& law, float* worst,
             MeasuredLanes& out) {
    const ContactBlock<N>* blocks = static_cast<const ContactBlock<N>*>(memory);
    for (uint32_t b = 0; b < count; ++b) {
        // Empty lanes cannot move anything, and so have no error.
        Row residual[N], most = {};
        for (int k = 0; k < int(kBlockLanes); k += kLanes) measure_lanes<N>(blocks[b], k, records, law, residual);
        for (uint32_t i = 0; i < N; ++i)
            for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
                out.sum[lane] += double(residual[i][lane]);
                most[lane] = most[lane] > residual[i][lane] ? most[lane] : residual[i][lane];
            }
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane)
            out.max[lane] = out.max[lane] > most[lane] ? out.max[lane] : most[lane];
        if (!worst) continue;
        for (uint32_t lane = 0; lane < kBlockLanes && blocks[b].id[lane] != kNoLane; ++lane) {
            float& known = worst[b * kBlockLanes + lane];
            known = known > most[lane] ? known : most[lane];
        }
    }
}

}  // namespace

}  // namespace proxima::physics::sweep::PX_LEVEL_NAMESPACE

namespace proxima::physics::sweep {

namespace level = PX_LEVEL_NAMESPACE;

extern const ContactMeasureKernels PX_AT_LEVEL(contact_measure_kernels_);
const ContactMeasureKernels PX_AT_LEVEL(contact_measure_kernels_) = {
    {level::measure<1>, level::measure<2>, level::measure<3>, level::measure<4>}};

}  // namespace proxima::physics::sweep
