// SPDX-License-Identifier: MIT
// PROX Jacobi on a GPU: the twin of physics/solvers/prox_jacobi.cpp. Contacts compute their next impulses
// from the velocities of the pass before, bodies gather what their contacts changed; all passes of a solve
// are one submit, and the device itself decides about step lengths and the end. README.md has layout and
// equations.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compute/layout.h"
#include "engine/core/result.h"
#include "engine/gpu/gpu_commands.h"
#include "physics/contact/problem.h"
#include "physics/solvers/solver.h"

namespace proxima::compute {

struct GpuSolveOptions {
    physics::FrictionSet set = physics::FrictionSet::disk;
    bool apply_warm_start = false;  // the velocities come without the effect of lambda; the device adds it
    bool time_kernels = false;      // fills the times of single kernels in GpuSolveCost
};

/// What a solve has cost. Times of the device are 0 where its queue has no clock.
struct GpuSolveCost {
    engine::GpuCounts counts;
    uint32_t passes = 0;  // recorded: sweeps, one for the measurement, and those that roll-back may need
    uint32_t dispatches_per_pass = 0, barriers_per_pass = 0;
    uint64_t sweep_bytes = 0;  // that the two kernels of a sweep read and write, if nothing stayed in a cache
    double host_seconds = 0.0;    // packing, recording, unpacking: everything but waiting
    double wait_seconds = 0.0;    // submit until the device is through
    double setup_seconds = 0.0;   // of the device, before the first pass
    double passes_seconds = 0.0;  // of the device, all passes
    double contacts_seconds = 0.0, bodies_seconds = 0.0;  // the fastest of each kernel, on request
};

class ProxJacobiGpu {
  public:
    /// What the device must offer.
    static engine::GpuRequirements requirements();
    static Result<std::unique_ptr<ProxJacobiGpu>> create(std::shared_ptr<engine::GpuDevice> device);

    /// Solves all contacts of the problem as one system, from the impulses and velocities in it. A sentence
    /// when the device fails: the problem is as it was then, and the twin on the cpu can take over. With a
    /// time limit the passes go out in several submits, since a device cannot be stopped.
    Result<physics::SolveReport> solve(physics::ContactProblem& problem,
                                       const physics::SolveSettings& settings,
                                       const GpuSolveOptions& options = {});

    /// Of the last solve.
    const GpuSolveCost& cost() const { return cost_; }
    engine::GpuDevice& device() { return *device_; }
    const engine::GpuDevice& device() const { return *device_; }

  private:
    struct Float4 {
        float x, y, z, w;
    };
    struct Plan;  // of one solve

    ProxJacobiGpu() = default;
    Result<void> make();
    void number_bodies(const physics::ContactProblem& problem);
    void pack(const physics::ContactProblem& problem);
    Result<void> upload_frames(const physics::ContactProblem& problem);
    Result<void> upload_bodies(const physics::ContactProblem& problem);
    void pack_extra(const physics::ContactProblem& problem);
    Result<void> prepare_buffers(const Plan& plan);
    Result<void> prepare_kernels(const Plan& plan);
    Result<void> record_start(const physics::ContactProblem& problem, const Plan& plan);
    void record_power(const Plan& plan);
    void record_passes(const Plan& plan, uint32_t begin, uint32_t end);
    Result<void> record_answer(const Plan& plan);
    Result<void> run(const physics::ContactProblem& problem, const Plan& plan);
    void store(physics::ContactProblem& problem) const;
    void dispatch(const Plan& plan, const engine::GpuPipeline& kernel, uint32_t workgroups, uint32_t pass);

    std::shared_ptr<engine::GpuDevice> device_;
    engine::GpuLayout layout_;
    engine::GpuBindings bindings_;
    std::unique_ptr<engine::GpuCommands> commands_;
    engine::GpuPipeline setup_, extra_setup_, power_contacts_, power_bodies_;
    engine::GpuPipeline contacts_[16];  // bits: measures, is box, is blocked, has extra friction
    engine::GpuPipeline bodies_[4];     // bits: measures, has extra friction
    engine::GpuPipeline answer_[2];     // has extra friction
    engine::GpuBuffer buffers_[layout::kBuffers];
    // The host's side of the buffers, kept from solve to solve.
    std::vector<Float4> lambda_, extra_, spin_;
    std::vector<physics::BodyVelocity> velocity_;
    std::vector<uint32_t> offsets_, entries_;
    std::vector<uint32_t> slots_,
        number_;  // of the bodies that contacts touch: slot of a number, number of a slot
    std::vector<float> history_;
    layout::SolveState state_[2] = {};
    GpuSolveCost cost_;
};

}  // namespace proxima::compute
