// SPDX-License-Identifier: MIT
#include "compute/prox_jacobi_gpu.h"

#include <algorithm>
#include <numeric>

#include "compute/kernels.h"

namespace proxima::compute {

using physics::RStrategy;

namespace {

constexpr uint32_t kPowerSteps = 30;  // as the CPU's estimate_largest_eigenvalue

uint32_t bit(bool on, uint32_t position) { return on ? 1u << position : 0u; }
uint32_t contact_kernel(const ProxPlan& p) {
    return bit(p.measures, 0) | bit(p.is_box, 1) | bit(p.is_blocked, 2) | bit(p.has_extra, 3) | bit(p.momentum, 4);
}
uint32_t manifold_kernel(const ProxPlan& p) { return bit(p.measures, 0) | bit(p.is_box, 1) | bit(p.momentum, 2); }
/// Of a pass, or of the warm start, which neither measures nor moves anything on.
uint32_t body_kernel(const ProxPlan& p, bool is_start) {
    return bit(p.measures && !is_start, 0) | bit(p.has_extra, 1) | bit(p.by_groups, 2) |
           bit(p.momentum && !is_start, 3);
}

/// As by_manifolds() of the CPU's solver.
bool by_manifolds(const physics::ContactProblem& problem, const physics::SolveSettings& settings,
                  const ProxPlan& plan) {
    if (settings.jacobi_blocks != physics::JacobiBlocks::manifolds || settings.r_strategy != RStrategy::local ||
        plan.has_extra)
        return false;
    return std::all_of(problem.groups.begin(), problem.groups.end(), [&](const physics::ContactGroup& g) {
        const physics::Contact& first = problem.contacts[g.begin];
        return std::all_of(problem.contacts.begin() + g.begin, problem.contacts.begin() + g.end,
                           [&](const physics::Contact& c) { return c.a == first.a && c.b == first.b; });
    });
}

}  // namespace

Result<std::unique_ptr<ProxJacobiGpu>> ProxJacobiGpu::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<ProxJacobiGpu> made(new ProxJacobiGpu);
    if (Result<void> ready = made->make(std::move(device), "prox_jacobi"); !ready) return Error{ready.error()};
    return made;
}

Result<void> ProxJacobiGpu::arrange(const physics::ContactProblem& problem, const physics::SolveSettings& settings,
                                    ProxPlan& plan) {
    // The one number of the global strategy knows nothing of angular rows.
    const RStrategy strategy =
        plan.has_extra && settings.r_strategy == RStrategy::global ? RStrategy::local : settings.r_strategy;
    plan.is_blocked = strategy == RStrategy::blocked;
    plan.is_global = strategy == RStrategy::global;
    plan.by_groups = by_manifolds(problem, settings, plan);
    plan.momentum = settings.momentum && !plan.is_blocked;
    plan.push.strategy = plan.is_global    ? layout::kGlobal
                         : plan.is_blocked ? layout::kBlocked
                         : plan.by_groups  ? layout::kManifolds
                                           : layout::kLocal;
    plan.first_pass = plan.warm_start ? 1 : 0;
    groups_.clear();
    if (plan.by_groups) {
        order_by_size(problem);
    } else {
        order_.resize(plan.contacts);
        std::iota(order_.begin(), order_.end(), 0u);
    }
    list_entries(problem, plan);
    return {};
}

/// Manifolds with as many points lie together: invocations that run in step then end together. No answer
/// depends on the order but by rounding, since all read before any writes.
void ProxJacobiGpu::order_by_size(const physics::ContactProblem& problem) {
    order_.clear();
    device_index_.resize(problem.groups.size());
    uint32_t most = 0;
    for (const physics::ContactGroup& g : problem.groups) most = std::max(most, g.end - g.begin);
    for (uint32_t size = 1; size <= most; ++size)
        for (size_t k = 0; k < problem.groups.size(); ++k) {
            const physics::ContactGroup& g = problem.groups[k];
            if (g.end - g.begin != size) continue;
            device_index_[k] = uint32_t(groups_.size());
            const uint32_t begin = uint32_t(order_.size());
            for (uint32_t i = g.begin; i < g.end; ++i) order_.push_back(i);
            groups_.push_back({begin, begin + size, 0, 0});
        }
}

/// For every body that can move the list of its contacts or groups in their order. Bodies that cannot move
/// get none: thousands of contacts may rest on one of them, and their sum would change nothing.
void ProxJacobiGpu::list_entries(const physics::ContactProblem& problem, const ProxPlan& plan) {
    const uint32_t items = plan.by_groups ? uint32_t(groups_.size()) : plan.contacts;
    const uint32_t bodies = uint32_t(slots_.size());
    const auto contact = [&](uint32_t i) -> const physics::Contact& {
        return problem.contacts[order_[plan.by_groups ? groups_[i].begin : i]];
    };
    const auto moves = [&](uint32_t slot) { return problem.inverse_mass[slot].mass > 0.0f; };
    offsets_.assign(bodies + 1, 0);
    for (uint32_t i = 0; i < items; ++i) {
        const physics::Contact& c = contact(i);
        if (moves(c.a)) ++offsets_[number_[c.a] + 1];
        if (moves(c.b)) ++offsets_[number_[c.b] + 1];
    }
    for (uint32_t b = 0; b < bodies; ++b) offsets_[b + 1] += offsets_[b];
    entries_.resize(offsets_[bodies]);
    // offsets_[b] runs through the entries of b and ends at the begin of b + 1; then everything moves up by one.
    for (uint32_t k = 0; k < items; ++k) {
        const uint32_t i = plan.by_groups ? device_index_[k] : k;  // sums in the order of the problem, as on the CPU
        const physics::Contact& c = contact(i);
        if (moves(c.a)) entries_[offsets_[number_[c.a]]++] = 2 * i;
        if (moves(c.b)) entries_[offsets_[number_[c.b]]++] = 2 * i + 1;
    }
    for (uint32_t b = bodies; b > 0; --b) offsets_[b] = offsets_[b - 1];
    offsets_[0] = 0;
}

Result<void> ProxJacobiGpu::prepare_kernels(const ProxPlan& plan) {
    const uint32_t measures = plan.measures ? 1 : 0, extra = plan.has_extra ? 1 : 0;
    const uint32_t box = plan.is_box ? 1 : 0, groups = plan.by_groups ? 1 : 0;
    const uint32_t momentum = plan.momentum ? 1 : 0;
    const uint32_t size[] = {kWorkgroup}, sizes[] = {kWorkgroup, kWorkgroup};
    const uint32_t body[] = {kWorkgroup, measures, extra, groups, momentum};
    const uint32_t start[] = {kWorkgroup, 0, extra, groups, 0};
    if (plan.by_groups) {
        const uint32_t manifold[] = {kWorkgroup, measures, box, momentum, 0};
        const uint32_t manifold_start[] = {kWorkgroup, 0, 0, 0, 1};
        if (auto r = compile(manifolds_[manifold_kernel(plan)], shaders::prox_manifolds(), manifold, "prox_manifolds");
            !r)
            return r;
        if (plan.warm_start)
            if (auto r = compile(manifold_start_, shaders::prox_manifolds(), manifold_start, "prox_manifolds"); !r)
                return r;
    } else {
        const uint32_t contact[] = {kWorkgroup, measures, box, plan.is_blocked ? 1u : 0u, extra, momentum};
        if (auto r = compile(contacts_[contact_kernel(plan)], shaders::prox_contacts(), contact, "prox_contacts"); !r)
            return r;
    }
    if (auto r = compile(bodies_[body_kernel(plan, false)], shaders::prox_bodies(), body, "prox_bodies"); !r) return r;
    if (plan.warm_start)
        if (auto r = compile(bodies_[body_kernel(plan, true)], shaders::prox_bodies(), start, "prox_bodies"); !r)
            return r;
    if (plan.has_extra)
        if (auto r = compile(extra_setup_, shaders::extra_setup(), size, "extra_setup"); !r) return r;
    if (!plan.is_global) return {};
    if (auto r = compile(power_contacts_, shaders::power_contacts(), sizes, "power_contacts"); !r) return r;
    return compile(power_bodies_, shaders::power_bodies(), size, "power_bodies");
}

void ProxJacobiGpu::record_setup(const ProxPlan& plan) {
    dispatch(plan, setup_, workgroups_of(plan.contacts), 0);
    if (plan.has_extra) dispatch(plan, extra_setup_, workgroups_of(plan.contacts), 0);
    wait_for_kernels();
    if (plan.warm_start && plan.by_groups) {
        dispatch(plan, manifold_start_, workgroups_of(plan.groups), 0);
        wait_for_kernels();
    }
    if (plan.warm_start) {
        dispatch(plan, bodies_[body_kernel(plan, true)], workgroups_of(plan.bodies), 0);
        wait_for_kernels();
    }
    if (plan.is_global) record_power(plan);
}

void ProxJacobiGpu::record_power(const ProxPlan& plan) {
    for (uint32_t step = 0; step <= kPowerSteps; ++step) {
        dispatch(plan, power_contacts_, workgroups_of(plan.contacts), step);
        wait_for_kernels();
        dispatch(plan, power_bodies_, workgroups_of(plan.bodies) + 1, step);
        wait_for_kernels();
    }
}

void ProxJacobiGpu::record_pass(const ProxPlan& plan, uint32_t pass) {
    if (plan.by_groups)
        dispatch(plan, manifolds_[manifold_kernel(plan)], workgroups_of(plan.groups), pass);
    else
        dispatch(plan, contacts_[contact_kernel(plan)], workgroups_of(plan.contacts), pass);
    wait_for_kernels();
    time_kernel(plan, pass);
    // One workgroup more decides about the pass.
    dispatch(plan, bodies_[body_kernel(plan, false)], workgroups_of(plan.bodies) + (plan.measures ? 1 : 0), pass);
    wait_for_kernels();
    time_kernel(plan, pass);
    cost_.dispatches_per_pass = cost_.barriers_per_pass = 2;
}

/// If nothing stayed in a cache, without measuring. A contact: five planes, steps, impulses there and back,
/// and with momentum those before; alone also the change and four vec4 of velocities, which a manifold has
/// once, with three vec4 of changes and its record. Bodies: for every entry itself and two vec4; mass,
/// velocities there and back and ahead, and where the entries begin.
uint64_t ProxJacobiGpu::sweep_bytes(const ProxPlan& plan) const {
    const uint64_t vec4 = sizeof(Float4), moved = plan.momentum ? 1 : 0;
    const uint64_t contact = (8 + moved) * vec4;
    const uint64_t items =
        plan.by_groups ? plan.groups * ((1 + 4 + 4 + 3) * vec4 + 4 * sizeof(uint32_t)) : plan.contacts * (1 + 4) * vec4;
    return plan.contacts * contact + items + entries_.size() * (sizeof(uint32_t) + 2 * vec4) +
           plan.bodies * ((6 + 2 * moved) * vec4 + 2 * sizeof(uint32_t));
}

}  // namespace proxima::compute
