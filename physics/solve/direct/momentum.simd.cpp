// SPDX-License-Identifier: MIT
// The bodies' side of the direct solve: masses in world axes, and what is left of momentum.
#include "physics/solve/direct/direct_lanes.h"

namespace proxima::physics::direct::PX_LEVEL_NAMESPACE {

namespace {

void masses(uint32_t first, uint32_t count, const BodyRecords& bodies, float* mass) {
    for (uint32_t i = 0; i < count; i += kLanes) {
        uint32_t list[kLanes], own[kLanes];
        for (uint32_t k = 0; k < kLanes; ++k) {
            list[k] = first + i + k;
            own[k] = i + k;
        }
        Lanes inertia[8], transform[8], inverse[8], out[8];
        load_records(bodies.inertia, list, kRecord, inertia);
        load_records(bodies.transform, list, kRecord, transform);
        load_records(bodies.inverse_mass, list, kRecord, inverse);
        // R I R^T from the rotation's matrix.
        const Lanes x = transform[0], y = transform[1], z = transform[2], w = transform[3], one(1.0f), two(2.0f);
        const Vec axis[3] = {{one - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)},
                             {two * (x * y - w * z), one - two * (x * x + z * z), two * (y * z + w * x)},
                             {two * (x * z + w * y), two * (y * z - w * x), one - two * (x * x + y * y)}};
        const Mat local{{{inertia[0], inertia[3], inertia[4]},
                         {inertia[3], inertia[1], inertia[5]},
                         {inertia[4], inertia[5], inertia[2]}}};
        const Mat world = to_world(local, axis);
        out[0] = world.row[0].x, out[1] = world.row[1].y, out[2] = world.row[2].z;
        out[3] = world.row[0].y, out[4] = world.row[0].z, out[5] = world.row[1].z;
        out[6] = one / inverse[6];
        out[7] = transform[7];
        store_records(mass, own, kRecord, (1u << kLanes) - 1u, out);
    }
}

float gradient(uint32_t first, uint32_t count, const float* velocity, const float* free_velocity, const float* wrench,
               const float* mass, const MomentumLaw& law, float* out) {
    const Lanes zero(0.0f);
    Lanes worst(0.0f);
    for (uint32_t i = 0; i < count; i += kLanes) {
        uint32_t list[kLanes], own[kLanes];
        float counted[kLanes];  // what fills the last run does not count
        for (uint32_t k = 0; k < kLanes; ++k) {
            list[k] = first + i + k;
            own[k] = i + k;
            counted[k] = i + k < count ? 1.0f : 0.0f;
        }
        Lanes u[8], f[8], w[8], m[8], g[8];
        load_records(velocity, list, kRecord, u);
        load_records(free_velocity, list, kRecord, f);
        load_records(wrench, list, kRecord, w);
        load_records(mass, own, kRecord, m);
        const Sym inertia{m[0], m[1], m[2], m[3], m[4], m[5]};
        const Vec push{m[6] * (u[0] - f[0]) - w[0], m[6] * (u[1] - f[1]) - w[1], m[6] * (u[2] - f[2]) - w[2]};
        const Vec turn = inertia * Vec{u[4] - f[4], u[5] - f[5], u[6] - f[6]} - Vec{w[4], w[5], w[6]};
        g[0] = push.x, g[1] = push.y, g[2] = push.z, g[3] = zero;
        g[4] = turn.x, g[5] = turn.y, g[6] = turn.z, g[7] = zero;
        const uint32_t lanes = count - i >= uint32_t(kLanes) ? (1u << kLanes) - 1u : (1u << (count - i)) - 1u;
        store_records(out, own, kRecord, lanes, g);
        const Lanes allowed = m[6] * Lanes(law.speed) + w[3] * Lanes(law.load_part);
        const Lanes left = max(sqrt(dot(push, push)), sqrt(dot(turn, turn)) / m[7]);
        // What is not a number is as wrong as can be.
        const Lanes max_wrong(1e30f), wrong = left / allowed;
        worst = max(worst, load(counted) * select(wrong < max_wrong, wrong, max_wrong));
    }
    return largest(worst);
}

}  // namespace

}  // namespace proxima::physics::direct::PX_LEVEL_NAMESPACE

namespace proxima::physics::direct {

extern const MomentumKernels PX_AT_LEVEL(momentum_kernels_);
const MomentumKernels PX_AT_LEVEL(momentum_kernels_) = {PX_LEVEL_NAMESPACE::masses, PX_LEVEL_NAMESPACE::gradient};

}  // namespace proxima::physics::direct
