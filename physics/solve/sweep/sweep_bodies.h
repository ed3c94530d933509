// SPDX-License-Identifier: MIT
// The bodies as the kernels of sweeps and direct solves see them: records of eight floats, in the order of the layout.
#pragma once

#include <vector>

#include "physics/bodies/bodies.h"
#include "physics/constraints/block.h"
#include "physics/graph/graph.h"
#include "physics/solve/plan.h"
#include "physics/solve/sweep/sweep_layout.h"

namespace proxima::physics::sweep {

struct alignas(32) BodyRecord {
    float value[kRecord] = {};
};

struct SweepBodies {
    std::vector<BodyRecord> velocity, delta, inverse_mass, transform, free_velocity, drive, inertia, inverse_inertia;
    std::vector<BodyRecord> shift;    // of impacts; zero between sub-steps
    bool drivers_accelerate = false;  // some of what no constraint moves
    std::vector<uint8_t> moves;       // by record: 0, kMoves, kSpins or kAnew
    std::vector<BodyRecord> wrench;   // of the direct solves

    BodyRecords records() {
        // Of an empty list there is no first record to take the address of.
        const auto begin = [](std::vector<BodyRecord>& list) { return list.empty() ? nullptr : list.front().value; };
        BodyRecords r;
        r.velocity = begin(velocity);
        r.delta = begin(delta);
        r.inverse_mass = begin(inverse_mass);
        r.transform = begin(transform);
        r.free_velocity = begin(free_velocity);
        r.shift = begin(shift);
        r.drive = begin(drive);
        r.inertia = begin(inertia);
        r.inverse_inertia = begin(inverse_inertia);
        return r;
    }
    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(velocity, delta, inverse_mass, transform, free_velocity, drive, inertia, inverse_inertia, shift,
                        wrench, moves);
    }
};

/// How bodies begin a sub-step with what constraints did in the last one. Each by itself, whatever else is solved beside
/// it.
void mark_moving(const Graph& graph, const Plan& plan, const Layout& layout, const Bodies& bodies, float dt,
                 SweepBodies& to, engine::Jobs& jobs);
/// The records of a partition from its bodies, with the forces and damping of a sub-step of length h: to be swept, or
/// solved directly.
void gather_partition(const Layout& layout, const Bodies& bodies, const Vec3& gravity, const Partition& partition,
                      float h, bool swept, SweepBodies& to);
/// Whether the bodies of a partition are those of its records after the last step, in every bit, under the same forces in a
/// step of length h.
bool is_as_before(const Layout& layout, const Bodies& bodies, const Vec3& gravity, const Partition& partition, float h,
                  const SweepBodies& records);
/// All of them but those of partitions that stay; those of direct solves for a step of length dt.
void gather_records(const Layout& layout, const Bodies& bodies, const StepParams& params, SweepBodies& to,
                    engine::Jobs& jobs);
/// And back, of those that moved.
void scatter_records(const Layout& layout, const SweepBodies& from, Bodies& bodies, engine::Jobs& jobs);

}  // namespace proxima::physics::sweep
