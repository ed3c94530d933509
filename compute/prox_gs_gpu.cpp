// SPDX-License-Identifier: MIT
#include "compute/prox_gs_gpu.h"

#include <algorithm>
#include <bit>

#include "compute/kernels.h"

namespace proxima::compute {

using physics::RStrategy;

namespace {

constexpr uint32_t kStill = 0xFFFFFFFFu;  // in place of a body that cannot move: it forbids no colour
constexpr uint32_t kMaskColours = 64;

uint32_t colour_kernel(const ProxPlan& p) {
    return (p.measures ? 1u : 0u) | (p.is_box ? 2u : 0u) | (p.is_blocked ? 4u : 0u);
}

}  // namespace

Result<std::unique_ptr<ProxGsGpu>> ProxGsGpu::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<ProxGsGpu> made(new ProxGsGpu);
    if (Result<void> ready = made->make(std::move(device), "prox_gs"); !ready) return Error{ready.error()};
    return made;
}

Result<void> ProxGsGpu::arrange(const physics::ContactProblem& problem, const physics::SolveSettings& settings,
                                ProxPlan& plan) {
    if (plan.has_extra)
        return Error{
            "Contacts with ellipses, torsion or rolling are not swept in order on a device; compute on the "
            "cpu, "
            "or with prox_jacobi."};
    if (settings.r_strategy == RStrategy::global)
        return Error{"Sweeps in order have local or blocked steps on a device; compute global ones on the cpu."};
    plan.is_blocked = settings.r_strategy == RStrategy::blocked;
    plan.by_groups = true;
    plan.push.strategy = plan.is_blocked ? layout::kSweepsBlocked : layout::kSweeps;
    fresh_.clear();
    for (const physics::ContactGroup& g : problem.groups) {
        const physics::Contact& first = problem.contacts[g.begin];
        for (uint32_t i = g.begin + 1; i < g.end; ++i)
            if (problem.contacts[i].a != first.a || problem.contacts[i].b != first.b)
                return Error{"A group of contacts is not between two bodies only; compute on the cpu."};
        const auto body = [&](uint32_t slot) {
            return problem.inverse_mass[slot].mass > 0.0f ? number_[slot] : kStill;
        };
        fresh_.push_back({body(first.a), body(first.b), g.begin, g.end});
    }
    kept_ = fresh_ == pairs_;
    if (!kept_) {
        pairs_ = fresh_;
        colour_groups();
    }
    lay_out();
    cost_.colours = uint32_t(colours_.size()) - 1;
    offsets_.assign(slots_.size() + 1, 0);  // nothing is gathered
    entries_.clear();
    return {};
}

/// Greedy in the order of the problem: the lowest colour that no group of either body has yet. A body with
/// more than 64 groups goes on counting from there, above what both bodies have counted.
void ProxGsGpu::colour_groups() {
    const uint32_t bodies = uint32_t(slots_.size()), groups = uint32_t(pairs_.size());
    used_.assign(bodies, 0);
    beyond_.assign(bodies, kMaskColours);
    colour_of_.resize(groups);
    uint32_t count = 0;
    for (uint32_t g = 0; g < groups; ++g) {
        const Pair& p = pairs_[g];
        uint64_t taken = 0;
        uint32_t above = kMaskColours;
        for (const uint32_t body : {p.a, p.b})
            if (body != kStill) {
                taken |= used_[body];
                above = std::max(above, beyond_[body]);
            }
        const uint32_t free = uint32_t(std::countr_one(taken));
        const uint32_t colour = free < kMaskColours ? free : above;
        for (const uint32_t body : {p.a, p.b})
            if (body != kStill) {
                if (colour < kMaskColours)
                    used_[body] |= uint64_t(1) << colour;
                else
                    beyond_[body] = colour + 1;
            }
        colour_of_[g] = colour;
        count = std::max(count, colour + 1);
    }
    // Groups by colour. Colours that no group has are left out.
    colours_.assign(count + 1, 0);
    for (const uint32_t colour : colour_of_) ++colours_[colour + 1];
    for (uint32_t k = 0; k < count; ++k) colours_[k + 1] += colours_[k];
    visited_.resize(groups);
    for (uint32_t g = 0; g < groups; ++g) visited_[colours_[colour_of_[g]]++] = g;
    for (uint32_t k = count; k > 0; --k) colours_[k] = colours_[k - 1];
    colours_[0] = 0;
    colours_.erase(std::unique(colours_.begin(), colours_.end()), colours_.end());
    // Within a colour the order changes nothing: groups with as many points run in step and end together.
    const auto size = [&](uint32_t g) { return pairs_[g].end - pairs_[g].begin; };
    for (size_t k = 0; k + 1 < colours_.size(); ++k)
        std::stable_sort(visited_.begin() + colours_[k], visited_.begin() + colours_[k + 1],
                         [&](uint32_t x, uint32_t y) { return size(x) < size(y); });
}

/// Contacts in the order of the visits, so that the groups of a colour lie together.
void ProxGsGpu::lay_out() {
    touched_.assign(slots_.size(), 0);
    order_.clear();
    groups_.clear();
    for (const uint32_t g : visited_) {
        const Pair& p = pairs_[g];
        const auto first = [&](uint32_t body) {
            if (body == kStill) return true;  // the same in every plane
            const bool is_first = !touched_[body];
            touched_[body] = 1;
            return is_first;
        };
        const uint32_t begin = uint32_t(order_.size());
        const uint32_t flags = (first(p.a) ? 1u : 0u) | (first(p.b) ? 2u : 0u);
        for (uint32_t i = p.begin; i < p.end; ++i) order_.push_back(i);
        groups_.push_back({begin, uint32_t(order_.size()), flags, 0});
    }
}

Result<void> ProxGsGpu::prepare_kernels(const ProxPlan& plan) {
    const uint32_t box = plan.is_box ? 1 : 0, blocked = plan.is_blocked ? 1 : 0;
    const uint32_t size[] = {kWorkgroup}, measure[] = {kWorkgroup, box};
    const uint32_t colour[] = {kWorkgroup, plan.measures ? 1u : 0u, box, blocked, 0};
    const uint32_t warm[] = {kWorkgroup, 0, 0, 0, 1};
    if (auto r = compile(start_, shaders::gs_start(), size, "gs_start"); !r) return r;
    if (auto r = compile(colour_[colour_kernel(plan)], shaders::gs_colour(), colour, "gs_colour"); !r) return r;
    if (plan.warm_start)
        if (auto r = compile(warm_start_, shaders::gs_colour(), warm, "gs_colour"); !r) return r;
    if (!plan.measures) return {};
    return compile(measure_[box], shaders::gs_measure(), measure, "gs_measure");
}

void ProxGsGpu::record_setup(const ProxPlan& plan) {
    dispatch(plan, setup_, workgroups_of(plan.contacts), 0);
    wait_for_kernels();
    if (plan.warm_start) record_colours(plan, warm_start_, 0, false);
    dispatch(plan, start_, workgroups_of(2 * plan.bodies), 0);
    wait_for_kernels();
}

void ProxGsGpu::record_colours(const ProxPlan& plan, const engine::GpuPipeline& kernel, uint32_t pass, bool decides) {
    for (size_t k = 0; k + 1 < colours_.size(); ++k) {
        const uint32_t extra = decides && k == 0 ? 1 : 0;
        dispatch(plan, kernel, workgroups_of(colours_[k + 1] - colours_[k]) + extra, pass, colours_[k],
                 colours_[k + 1]);
        wait_for_kernels();
    }
}

void ProxGsGpu::record_pass(const ProxPlan& plan, uint32_t pass) {
    if (plan.measures) {
        dispatch(plan, measure_[plan.is_box ? 1 : 0], workgroups_of(plan.contacts), pass);
        wait_for_kernels();
    }
    time_kernel(plan, pass);
    record_colours(plan, colour_[colour_kernel(plan)], pass, plan.measures);
    time_kernel(plan, pass);
    cost_.dispatches_per_pass = cost_.barriers_per_pass = cost_.colours + (plan.measures ? 1 : 0);
}

/// If only what a group reads again within its pass stayed in a cache, without measuring. A contact: five planes,
/// steps, impulses there and back; a group: its record, and of two bodies masses and velocities there and back.
uint64_t ProxGsGpu::sweep_bytes(const ProxPlan& plan) const {
    const uint64_t vec4 = sizeof(Float4);
    return plan.contacts * 8 * vec4 + plan.groups * (12 * vec4 + 4 * sizeof(uint32_t));
}

}  // namespace proxima::compute
