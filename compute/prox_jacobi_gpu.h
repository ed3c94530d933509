// SPDX-License-Identifier: MIT
// PROX Jacobi on a GPU: the twin of physics/solvers/prox_jacobi.cpp. Contacts or manifolds compute their next
// impulses from the velocities of the pass before, bodies gather what these changed.
#pragma once

#include <memory>

#include "compute/prox_gpu.h"

namespace proxima::compute {

class ProxJacobiGpu : public ProxGpu {
  public:
    static Result<std::unique_ptr<ProxJacobiGpu>> create(std::shared_ptr<engine::GpuDevice> device);

  private:
    ProxJacobiGpu() = default;
    Result<void> arrange(const physics::ContactProblem& problem, const physics::SolveSettings& settings,
                         ProxPlan& plan) override;
    Result<void> prepare_kernels(const ProxPlan& plan) override;
    void record_setup(const ProxPlan& plan) override;
    void record_pass(const ProxPlan& plan, uint32_t pass) override;
    uint64_t sweep_bytes(const ProxPlan& plan) const override;

    void order_by_size(const physics::ContactProblem& problem);
    void list_entries(const physics::ContactProblem& problem, const ProxPlan& plan);
    void record_power(const ProxPlan& plan);

    std::vector<uint32_t> device_index_;  // of the groups of the problem, among those of the device
    engine::GpuPipeline extra_setup_, power_contacts_, power_bodies_;
    engine::GpuPipeline contacts_[32];  // bits: measures, is box, is blocked, has extra friction, momentum
    engine::GpuPipeline manifolds_[8];  // bits: measures, is box, momentum
    engine::GpuPipeline manifold_start_;
    engine::GpuPipeline bodies_[16];  // bits: measures, has extra friction, of groups, momentum
};

}  // namespace proxima::compute
