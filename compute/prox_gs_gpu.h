// SPDX-License-Identifier: MIT
// PROX Gauss-Seidel on a GPU: the twin of physics/solvers/prox_gs.cpp over groups in the order of their
// colours. Groups of one colour share no body that can move, so that all of them can go at once and each
// still sees what those before it left.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compute/prox_gpu.h"

namespace proxima::compute {

class ProxGsGpu : public ProxGpu {
  public:
    static Result<std::unique_ptr<ProxGsGpu>> create(std::shared_ptr<engine::GpuDevice> device);

    /// Of the last solve: groups of the problem in the order in which a sweep visits them, and where each
    /// colour begins and the last ends.
    std::span<const uint32_t> visited() const { return visited_; }
    std::span<const uint32_t> colours() const { return colours_; }
    /// Whether the last solve found the groups of the one before and kept their colours.
    bool kept_colours() const { return kept_; }

  private:
    struct Pair {
        uint32_t a, b, begin, end;
        bool operator==(const Pair&) const = default;
    };
    ProxGsGpu() = default;
    Result<void> arrange(const physics::ContactProblem& problem, const physics::SolveSettings& settings,
                         ProxPlan& plan) override;
    Result<void> prepare_kernels(const ProxPlan& plan) override;
    void record_setup(const ProxPlan& plan) override;
    void record_pass(const ProxPlan& plan, uint32_t pass) override;
    uint64_t sweep_bytes(const ProxPlan& plan) const override;

    void colour_groups();
    void lay_out();
    void record_colours(const ProxPlan& plan, const engine::GpuPipeline& kernel, uint32_t pass, bool decides);

    engine::GpuPipeline start_, measure_[2];  // is box
    engine::GpuPipeline colour_[8];           // bits: measures, is box, is blocked
    engine::GpuPipeline warm_start_;
    std::vector<Pair> pairs_, fresh_;  // what the colours were made for; bodies that cannot move are kStill
    std::vector<uint32_t> visited_, colours_, colour_of_;
    std::vector<uint64_t> used_;    // per body: colours below 64 of its groups
    std::vector<uint32_t> beyond_;  // per body: the next colour from 64 on
    std::vector<uint8_t> touched_;
    bool kept_ = false;
};

}  // namespace proxima::compute
