// SPDX-License-Identifier: MIT
// The last stage of a step on the device: manifolds of this step in, new velocities, poses and impulses out.
// The twin of physics/step.cpp's solve_in_general for disks of friction and soft contacts: sub-steps of
// coloured PROX Gauss-Seidel or of PROX Jacobi, relax sweeps, impacts, integration, measuring.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "compute/world/stage_kernels.h"
#include "compute/world/world_buffers.h"
#include "engine/core/math.h"
#include "engine/core/result.h"
#include "physics/contact/softness.h"
#include "physics/settings.h"

namespace proxima::compute::world {

enum class SolveMethod : uint8_t {
    gauss_seidel,  // a dispatch a colour; manifolds without a colour as jacobi
    jacobi,        // two dispatches a sweep
};

struct SolverSettings {
    SolveMethod method = SolveMethod::gauss_seidel;
    float dt = 1.0f / 60.0f;
    uint32_t substeps = 16;
    uint32_t iterations = 1;        // sweeps per sub-step
    uint32_t relax_iterations = 1;  // sweeps of the hard law at the end
    Vec3 gravity{0.0f, -9.81f, 0.0f};
    physics::SoftnessLaw softness{false, 0.0f, 0.0f, 0.5f};  // not soft: hard contacts, no push-out
    float restitution_speed = 0.0f;                          // m/s
    /// m/s: what closes slower when a step begins, and has no restitution, is left to the sweeps. Negative: nothing is,
    /// as with the laboratory solvers of the cpu.
    float inelastic_speed = 0.0f;
    bool bounces = false;  // some contact has restitution
    /// Of the impacts of a sub-step where manifolds are many (kFewManifolds), at most 15. Few ones bounce until they
    /// are apart.
    uint32_t impact_passes = 4;
    bool gyroscopic = true;
    /// Jacobi only: sweep k of a sub-step starts from x + momentum[k] (x - x before it); the first one has
    /// none, the last number serves all that follow. All zero: plain sweeps.
    std::array<float, 20> momentum{};
    /// The sub-step's length over that of the step before: impulses that are carried over grow with it.
    float warm_scale = 1.0f;
    /// Colours that have a dispatch in each sweep, and rounds in which new manifolds ask for one; empty ones
    /// cost next to nothing. Manifolds that get no such colour are solved by Jacobi passes: more or less
    /// of these is another result, so they do not follow what happens to be in use.
    uint32_t colours = 24;  // at most kMaxColours
    uint32_t rounds = 32;   // at most kMaxRounds
};

/// As a step of the world on the CPU would have them. A sentence when a step or its number of sub-steps makes no
/// sense.
Result<SolverSettings> make_solver_settings(const physics::StepSettings& settings, float dt, bool bounces);

class SolverStage {
  public:
    static constexpr uint32_t kStorageBuffers = 28;  // that its kernels see
    static Result<std::unique_ptr<SolverStage>> create(std::shared_ptr<engine::GpuDevice> device);
    /// Own buffers and bindings, whenever sizes or buffers have changed.
    Result<void> prepare(const WorldBuffers& world, const WorldSizes& sizes);
    /// One step. Wants what the contact stage has written behind a barrier, and ends with one.
    void record(engine::GpuCommands& commands, uint32_t parity, const SolverSettings& settings) const;
    uint64_t bytes() const;

    /// Colours that a step has a dispatch for; Jacobi has them for impacts only.
    static uint32_t recorded_colours(const SolverSettings& settings);
    /// Calls this with the name of the kernel after each dispatch, for measuring time.
    using Watcher = void (*)(void* context, const char* kernel);
    void watch(Watcher watcher, void* context) { watcher_ = watcher, watching_ = context; }

  private:
    class Recording;

    SolverStage() = default;
    Result<void> make();

    std::shared_ptr<engine::GpuDevice> device_;
    StageKernels kernels_;
    engine::GpuPipeline begin_, list_, round_, count_, scan_, offsets_, pack_, first_, sweep_, place_, closing_,
        few_impacts_, impact_, measure_, finish_, status_;
    static constexpr uint32_t kBodyKernels = 5;
    engine::GpuPipeline jacobi_[2], bodies_[kBodyKernels];  // without and with momentum; by what they do
    std::vector<engine::GpuBuffer> buffers_;  // by the numbers of solve_layout.h; those of its own are there
    WorldSizes sizes_;
    const engine::GpuBuffer* arguments_ = nullptr;
    Watcher watcher_ = nullptr;
    void* watching_ = nullptr;
};

}  // namespace proxima::compute::world
