// SPDX-License-Identifier: MIT
// PROX Jacobi wherever it can be had: on the device that was asked for, and on the CPU when there is none or
// it fails. The owner asks once and never has to handle a failure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compute/prox_jacobi_gpu.h"
#include "engine/jobs/jobs.h"
#include "physics/contact/problem.h"
#include "physics/solvers/prox_jacobi_threads.h"
#include "physics/solvers/solver.h"

namespace proxima::compute {

class JacobiSolver {
  public:
    /// `device`: "cpu", "gpu", "gpu:INDEX" or "gpu:NAME". What cannot be had becomes the CPU, and why() says so.
    explicit JacobiSolver(const std::string& device, const engine::GpuInstanceOptions& instance = {},
                          const engine::GpuDeviceOptions& options = {});

    /// All contacts as one system, from the impulses and velocities in the problem. A device that fails is
    /// given up for good: this solve and all later ones are done by the twin on the CPU, from the same start.
    /// A problem with blocks that devices do not know is solved on the CPU, and the device is kept.
    physics::SolveReport solve(physics::ContactProblem& problem, const physics::SolveSettings& settings);

    /// Whose threads solve on the CPU; they must outlive the solver. Without any it is the calling thread.
    void use_jobs(engine::Jobs& jobs) { jobs_ = &jobs; }

    bool on_gpu() const { return gpu_ != nullptr; }
    /// Name of the device that solves; "cpu" without one.
    std::string device() const;
    /// Why it is not the device that was asked for; empty when it is.
    const std::string& why() const { return why_; }
    ProxJacobiGpu* gpu() { return gpu_.get(); }

  private:
    Result<void> open(const std::string& device, const engine::GpuInstanceOptions& instance,
                      engine::GpuDeviceOptions options);
    void give_up(const std::string& why);

    std::unique_ptr<ProxJacobiGpu> gpu_;
    std::string why_;
    bool told_kind_ = false;  // that a problem went to the CPU for what is in it
    std::unique_ptr<engine::Jobs> serial_ = engine::make_serial_jobs();
    engine::Jobs* jobs_ = serial_.get();
    physics::ProxJacobiThreads threads_;
    physics::BodySystem::Scratch scratch_;
    std::vector<uint32_t> bodies_;
};

}  // namespace proxima::compute
