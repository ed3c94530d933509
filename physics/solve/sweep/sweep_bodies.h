// SPDX-License-Identifier: MIT
// The bodies as the kernels of sweeps and direct solves see them: records of eight floats, in the order of the layout.
#pragma once

#include <vector>

#include "physics/bodies/bodies.h"
#include "physics/constraints/block.h"
#include "physics/solve/sweep/sweep_layout.h"

namespace proxima::physics::sweep {

struct alignas(32) BodyRecord {
    float value[kRecord] = {};
};

struct SweepBodies {
    std::vector<BodyRecord> velocity, delta, inverse_mass, transform, free_velocity, drive, inertia, inverse_inertia;
    std::vector<BodyRecord> wrench, newton_step;  // of the direct solves

    BodyRecords records() {
        BodyRecords r;
        r.velocity = velocity.data()->value;
        r.delta = delta.data()->value;
        r.inverse_mass = inverse_mass.data()->value;
        r.transform = transform.data()->value;
        r.free_velocity = free_velocity.data()->value;
        r.newton_step = newton_step.data()->value;
        r.drive = drive.data()->value;
        r.inertia = inertia.data()->value;
        r.inverse_inertia = inverse_inertia.data()->value;
        return r;
    }
    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(velocity, delta, inverse_mass, transform, free_velocity, drive, inertia, inverse_inertia,
                        wrench, newton_step);
    }
};

/// Record `i` of the layout from its body, with the forces and damping of a sub-step of length h and the tensors that
/// turning bodies need.
void gather_record(const Layout& layout, const Bodies& bodies, const Vec3& gravity, uint32_t i, float h,
                   SweepBodies& to);
/// Those of a partition.
void gather_partition(const Layout& layout, const Bodies& bodies, const Vec3& gravity, const Partition& partition,
                      float h, SweepBodies& to);
/// All of them; those of direct solves for a step of length dt.
void gather_records(const Layout& layout, const Bodies& bodies, const StepParams& params, SweepBodies& to,
                    engine::Jobs& jobs);
/// And back, of those that moved.
void scatter_records(const Layout& layout, const SweepBodies& from, Bodies& bodies, engine::Jobs& jobs);

}  // namespace proxima::physics::sweep
