// SPDX-License-Identifier: MIT
#include "physics/solve/sweep/sweep_bodies.h"

#include <algorithm>
#include <cstring>

#include "physics/solve/integrate.h"

namespace proxima::physics::sweep {

namespace {

constexpr uint32_t kBodiesPerJob = 256;

static_assert(sizeof(BodyVelocity) == sizeof(BodyRecord) && sizeof(BodyInverseMass) == sizeof(BodyRecord) &&
              sizeof(BodyTransform) == sizeof(BodyRecord));

template <class From>
BodyRecord record_of(const From& from) {
    static_assert(sizeof(From) == sizeof(BodyRecord));
    BodyRecord to;
    std::memcpy(to.value, &from, sizeof(to));
    return to;
}

}  // namespace

namespace {

/// Forces and damping of a sub-step of length h.
BodyRecord drive_of(const Bodies& bodies, uint32_t body, const Vec3& gravity, float h) {
    const BodyData& data = bodies.data[body];
    const BodyInverseMass& inverse = bodies.inverse_mass[body];
    if (inverse.mass == 0.0f) return {{0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f}};
    const Vec3 linear = h * (data.gravity_scale * gravity + inverse.mass * data.force);
    const Vec3 angular = h * (inverse.inertia * data.torque);
    return {{linear.x, linear.y, linear.z, 1.0f / (1.0f + h * data.linear_damping), angular.x, angular.y, angular.z,
             1.0f / (1.0f + h * data.angular_damping)}};
}

/// Record `i` of the layout from its body, with the forces and damping of a sub-step of length h and the tensors that
/// turning bodies need. `moves`: it gets impulses anew in every sub-step.
void gather_record(const Layout& layout, const Bodies& bodies, const Vec3& gravity, uint32_t i, float h, uint8_t moves,
                   SweepBodies& to) {
    const uint32_t body = layout.bodies[i];
    const BodyData& data = bodies.data[body];
    const BodyInverseMass& inverse = bodies.inverse_mass[body];
    to.velocity[i] = record_of(bodies.velocity[body]);
    to.delta[i] = {};
    to.inverse_mass[i] = record_of(inverse);
    to.inverse_mass[i].value[7] = float(moves);
    to.transform[i] = record_of(bodies.transform[body]);
    const Sym3 &t = data.inertia_local, &s = data.inverse_inertia_local;
    const bool anisotropic = inverse.mass > 0.0f && !data.isotropic;
    to.inertia[i] = {{t.xx, t.yy, t.zz, t.xy, t.xz, t.yz, anisotropic ? 1.0f : 0.0f, float(moves)}};
    to.inverse_inertia[i] = {{s.xx, s.yy, s.zz, s.xy, s.xz, s.yz, 0.0f, 0.0f}};
    to.drive[i] = drive_of(bodies, body, gravity, h);
}

}  // namespace

void gather_partition(const Layout& layout, const Bodies& bodies, const Vec3& gravity, const Partition& partition,
                      float h, bool swept, SweepBodies& to) {
    for (uint32_t i = partition.body_begin; i < partition.body_begin + partition.body_count; ++i)
        gather_record(layout, bodies, gravity, i, h, swept ? to.moves[i] : uint8_t(0), to);
}

bool is_as_before(const Layout& layout, const Bodies& bodies, const Vec3& gravity, const Partition& partition, float h,
                  const SweepBodies& records) {
    const auto same = [](const void* x, const void* y, size_t bytes) { return std::memcmp(x, y, bytes) == 0; };
    for (uint32_t i = partition.body_begin; i < partition.body_begin + partition.body_count; ++i) {
        const uint32_t body = layout.bodies[i];
        const BodyRecord drive = drive_of(bodies, body, gravity, h);
        if (!same(&bodies.velocity[body], records.velocity[i].value, sizeof(BodyRecord)) ||
            !same(&bodies.transform[body], records.transform[i].value, sizeof(BodyRecord)) ||
            !same(&bodies.inverse_mass[body], records.inverse_mass[i].value, 7 * sizeof(float)) ||
            !same(drive.value, records.drive[i].value, sizeof(BodyRecord)))
            return false;
    }
    return true;
}

/// In the order of the layout a batch or a slab has its bodies for itself: two workers never write to one cache line.
void gather_records(const Layout& layout, const Bodies& bodies, const StepParams& params, SweepBodies& to,
                    engine::Jobs& jobs) {
    const size_t n = layout.bodies.size();
    for (std::vector<BodyRecord>* list : {&to.velocity, &to.delta, &to.inverse_mass, &to.transform, &to.free_velocity,
                                          &to.drive, &to.inertia, &to.inverse_inertia})
        list->resize(n);
    to.shift.assign(n, BodyRecord{});
    const PartitionNumbers& numbers = layout.numbers;
    if (numbers.directs > 0) to.wrench.resize(n);
    const Vec3& gravity = params.settings.gravity;
    jobs.parallel_for(numbers.with_bodies(), 1, [&](const engine::JobBlock& block) {
        const uint32_t number = block.begin;
        const Partition& partition = layout.partitions[number];
        if (partition.stays) return;
        const bool direct = number < numbers.directs;
        const float h = direct ? params.dt : params.substeps(number >= numbers.batches, partition.halvings).h;
        // With what fills up the last block.
        const uint32_t end =
            number + 1 < numbers.with_bodies() ? layout.partitions[number + 1].body_begin : layout.drivers_begin;
        for (uint32_t i = partition.body_begin; i < end; ++i)
            gather_record(layout, bodies, gravity, i, h, direct ? uint8_t(0) : to.moves[i], to);
    });
    jobs.parallel_for(uint32_t(n) - layout.drivers_begin, kBodiesPerJob, [&](const engine::JobBlock& block) {
        for (uint32_t i = layout.drivers_begin + block.begin; i < layout.drivers_begin + block.end; ++i)
            gather_record(layout, bodies, gravity, i, params.h, to.moves[i], to);
    });
    to.drivers_accelerate = false;
    for (uint32_t i = layout.drivers_begin; i < n; ++i) {
        const BodyVelocity a = acceleration_of(bodies, layout.bodies[i], params);
        to.free_velocity[i] = record_of(a);
        to.drivers_accelerate |= a.linear != Vec3(0.0f) || a.angular != Vec3(0.0f);
    }
}

void mark_moving(const Graph& graph, const Plan& plan, const Layout& layout, const Bodies& bodies, float dt,
                 SweepBodies& to, engine::Jobs& jobs) {
    constexpr float kMovingPart = 0.001f;  // of a body's radius
    const uint32_t n = uint32_t(layout.bodies.size());
    to.moves.resize(n);
    jobs.parallel_for(n, kBodiesPerJob, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const uint32_t body = layout.bodies[i], island = graph.island_of_body[body];
            const bool moves = bodies.speed[body] * dt > kMovingPart * bodies.transform[body].radius;
            const bool anew = island != kNone && plan.traits[island].joints > 0;
            to.moves[i] = uint8_t(anew ? kAnew : !moves ? 0.0f : bodies.data[body].isotropic ? kMoves : kSpins);
        }
    });
}

/// What fills the last block of a list stands there a second time and does not count.
void scatter_records(const Layout& layout, const SweepBodies& from, Bodies& bodies, engine::Jobs& jobs) {
    jobs.parallel_for(layout.moving_count, kBodiesPerJob, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const uint32_t body = layout.bodies[i];
            if (layout.index_of_body[body] != i) continue;
            std::memcpy(&bodies.velocity[body], from.velocity[i].value, sizeof(BodyRecord));
            std::memcpy(&bodies.delta[body], from.delta[i].value, sizeof(BodyRecord));
            std::memcpy(&bodies.transform[body], from.transform[i].value, sizeof(BodyRecord));
        }
    });
}

}  // namespace proxima::physics::sweep
