// SPDX-License-Identifier: MIT
// What PROX solvers on a GPU have in common: contact problems on their way to the device and back, the loop
// of passes in which the device itself decides about step lengths and the end, and what all of it costs.
// Which kernels make a pass is the matter of the solvers. README.md has layout and equations.
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
    uint32_t colours = 0;         // of Gauss-Seidel
    uint64_t sweep_bytes = 0;     // that the kernels of a sweep read and write, if nothing stayed in a cache
    double host_seconds = 0.0;    // packing, recording, unpacking: everything but waiting
    double wait_seconds = 0.0;    // submit until the device is through
    double setup_seconds = 0.0;   // of the device, before the first pass
    double passes_seconds = 0.0;  // of the device, all passes
    double contacts_seconds = 0.0, bodies_seconds = 0.0;  // the fastest of each kernel, on request
};

/// Sizes and settings of one solve as the kernels get them.
struct ProxPlan {
    uint32_t contacts = 0, bodies = 0, groups = 0;
    bool measures = false, is_box = false, warm_start = false, times = false;
    bool has_extra = false, is_blocked = false, is_global = false;
    bool by_groups = false;  // passes over groups instead of single contacts
    bool momentum = false;
    bool wants_history = false;
    uint32_t passes = 0;
    uint32_t first_pass = 0;  // 1 when the warm start was pass 0
    double time_limit = 0.0;
    layout::Push push{};

    ProxPlan(const physics::ContactProblem& problem, const physics::SolveSettings& settings,
             const GpuSolveOptions& options);
};

class ProxGpu {
  public:
    /// What the device must offer.
    static engine::GpuRequirements requirements();
    virtual ~ProxGpu() = default;

    /// A sentence when the problem has blocks that no kernel knows: bilateral ones.
    static Result<void> check_kinds(const physics::ContactProblem& problem);

    /// Solves all contacts of the problem as one system, from the impulses and velocities in it. A sentence when the
    /// device fails or does not know a kind of block: the problem is as it was then, and the twin on the cpu can take
    /// over. With a time limit the passes go out in several submits, since a device cannot be stopped.
    Result<physics::SolveReport> solve(physics::ContactProblem& problem, const physics::SolveSettings& settings,
                                       const GpuSolveOptions& options = {});

    /// Of the last solve.
    const GpuSolveCost& cost() const { return cost_; }
    engine::GpuDevice& device() { return *device_; }
    const engine::GpuDevice& device() const { return *device_; }

  protected:
    struct Float4 {
        float x, y, z, w;
    };
    struct Group {
        uint32_t begin, end, first, unused;
    };

    ProxGpu() = default;
    Result<void> make(std::shared_ptr<engine::GpuDevice> device, const char* name);

    // ---- what a solver decides
    /// Completes the plan and fills order_, groups_, offsets_ and entries_; bodies are numbered already.
    virtual Result<void> arrange(const physics::ContactProblem& problem, const physics::SolveSettings& settings,
                                 ProxPlan& plan) = 0;
    /// Compiles what this solve needs and no solve before has needed.
    virtual Result<void> prepare_kernels(const ProxPlan& plan) = 0;
    /// Everything on the device before the first pass; ends with a barrier.
    virtual void record_setup(const ProxPlan& plan) = 0;
    /// One sweep, with measuring where the plan says so; ends with a barrier.
    virtual void record_pass(const ProxPlan& plan, uint32_t pass) = 0;
    /// Bytes that the kernels of a sweep read and write.
    virtual uint64_t sweep_bytes(const ProxPlan& plan) const = 0;

    Result<void> compile(engine::GpuPipeline& kernel, std::span<const uint32_t> code,
                         std::span<const uint32_t> constants, const char* name);
    void dispatch(const ProxPlan& plan, const engine::GpuPipeline& kernel, uint32_t workgroups, uint32_t pass,
                  uint32_t first_group = 0, uint32_t end_group = 0);
    void wait_for_kernels() { commands_->barrier(engine::GpuAccess::kernels, engine::GpuAccess::kernels); }
    static uint32_t workgroups_of(uint32_t items) { return (items + kWorkgroup - 1) / kWorkgroup; }
    /// A time stamp after a kernel, in solves that time them.
    void time_kernel(const ProxPlan& plan, uint32_t pass);

    static constexpr uint32_t kWorkgroup = 64;
    std::shared_ptr<engine::GpuDevice> device_;
    std::unique_ptr<engine::GpuCommands> commands_;
    GpuSolveCost cost_;
    std::vector<uint32_t> order_;              // contact of the problem at each index of the device
    std::vector<Group> groups_;                // indices
    std::vector<uint32_t> offsets_, entries_;  // what bodies gather
    std::vector<uint32_t> slots_, number_;     // of the bodies that contacts touch: slot of a number, and back
    engine::GpuPipeline setup_;

  private:
    void number_bodies(const physics::ContactProblem& problem);
    void pack(const physics::ContactProblem& problem);
    Result<void> upload_frames(const physics::ContactProblem& problem);
    Result<void> upload_bodies(const physics::ContactProblem& problem);
    void pack_extra(const physics::ContactProblem& problem);
    Result<void> prepare_buffers(const ProxPlan& plan);
    Result<void> upload(const physics::ContactProblem& problem, const ProxPlan& plan);
    Result<void> record_answer(const ProxPlan& plan);
    Result<void> run(const physics::ContactProblem& problem, const ProxPlan& plan);
    void store(physics::ContactProblem& problem) const;
    void report_end(const ProxPlan& plan, const physics::SolveSettings& settings, physics::SolveReport& report) const;

    engine::GpuLayout layout_;
    engine::GpuBindings bindings_;
    engine::GpuPipeline answer_[2];  // has extra friction
    engine::GpuBuffer buffers_[layout::kBuffers];
    // The host's side of the buffers, kept from solve to solve.
    std::vector<Float4> lambda_, extra_, spin_;
    std::vector<physics::BodyVelocity> velocity_;
    std::vector<float> history_;
    layout::SolveState state_[2] = {};
};

}  // namespace proxima::compute
