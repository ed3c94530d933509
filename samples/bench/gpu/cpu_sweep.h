// SPDX-License-Identifier: MIT
// The plainest loop that does what a sweep of the GPU does: contacts, then bodies, scalar, on one or more
// threads. What a kernel is compared with, besides the solver of the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/jobs/jobs.h"
#include "physics/contact/problem.h"

namespace proxima::bench {

class CpuSweep {
  public:
    /// Steps of the local strategy, friction disks, from the impulses and velocities of the problem.
    explicit CpuSweep(physics::ContactProblem& problem);
    void sweep(engine::Jobs& jobs);
    Vec3 lambda(uint32_t contact) const { return contacts_[contact].lambda; }

  private:
    struct Row {
        uint32_t a, b;
        Vec3 normal, tangent1, tangent2, arm_a, arm_b;
        float friction, bias, compliance, normal_step, tangent_step;
        Vec3 lambda;
    };
    std::vector<Row> contacts_;
    std::vector<Vec3> impulse_;
    std::vector<physics::BodyVelocity> velocity_;
    std::vector<physics::BodyInverseMass> mass_;
    std::vector<uint32_t> offsets_, entries_;  // contact * 2 + side, in the order of contacts
};

}  // namespace proxima::bench
