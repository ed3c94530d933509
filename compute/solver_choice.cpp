// SPDX-License-Identifier: MIT
#include "compute/solver_choice.h"

#include <numeric>

#include "engine/core/log.h"

namespace proxima::compute {

JacobiSolver::JacobiSolver(const std::string& device, const engine::GpuInstanceOptions& instance,
                           const engine::GpuDeviceOptions& options) {
    if (device == "cpu") return;
    if (Result<void> ready = open(device, instance, options); !ready) give_up(ready.error());
}

Result<void> JacobiSolver::open(const std::string& device, const engine::GpuInstanceOptions& instance_options,
                                engine::GpuDeviceOptions options) {
    const Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create(instance_options);
    if (!instance) return Error{instance.error()};
    options.requirements = ProxJacobiGpu::requirements();
    const Result<std::shared_ptr<engine::GpuDevice>> opened =
        engine::GpuDevice::open(instance.value(), device, options);
    if (!opened) return Error{opened.error()};
    Result<std::unique_ptr<ProxJacobiGpu>> made = ProxJacobiGpu::create(opened.value());
    if (!made) return Error{made.error()};
    gpu_ = std::move(made.value());
    return {};
}

void JacobiSolver::give_up(const std::string& why) {
    log_warning("{} Contacts are solved on the cpu.", why);
    why_ = why;
    gpu_.reset();
}

std::string JacobiSolver::device() const { return gpu_ ? gpu_->device().info().name : "cpu"; }

physics::SolveReport JacobiSolver::solve(physics::ContactProblem& problem, const physics::SolveSettings& settings) {
    const Result<void> known = ProxGpu::check_kinds(problem);
    if (gpu_ && !known && !told_kind_) log_warning("{}", known.error());
    told_kind_ = told_kind_ || (gpu_ && !known);
    if (gpu_ && known) {
        const Result<physics::SolveReport> report = gpu_->solve(problem, settings);
        if (report) return report.value();
        give_up(report.error());  // the problem is as it was
    }
    if (physics::ProxJacobiThreads::can_solve(problem, settings)) return threads_.solve(problem, settings, *jobs_);
    bodies_.resize(problem.velocity.size());
    std::iota(bodies_.begin(), bodies_.end(), 0u);
    physics::BodySystem system(problem, 0, uint32_t(problem.groups.size()), bodies_, scratch_);
    return physics::find_solver("prox_jacobi")->solve_bodies(system, settings);
}

}  // namespace proxima::compute
