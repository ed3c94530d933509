// SPDX-License-Identifier: MIT
#include "compute/prox_jacobi_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "compute/kernels.h"
#include "engine/gpu/gpu_zones.h"
#include "engine/profile/zone.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/r_factors.h"

namespace proxima::compute {

using engine::GpuAccess;
using engine::GpuBuffer;
using engine::GpuMemory;
using engine::GpuPipeline;
using physics::RStrategy;
using physics::SolveReport;
using physics::SolveSettings;
using physics::StopReason;

namespace {

constexpr uint32_t kWorkgroup = 64;
constexpr uint32_t kPowerSteps = 30;      // as the CPU's estimate_largest_eigenvalue
constexpr uint32_t kTimedPasses = 64;     // of which kernels are timed
constexpr uint32_t kPassesInASlice = 16;  // between two looks at the clock, with a time limit
constexpr uint32_t kMostPasses = 1024;    // of a submit: systems end work that occupies a GPU for seconds
constexpr uint32_t kMostIterations = 1000000000;

constexpr const char* kBufferNames[layout::kBuffers] = {
    "frames", "steps",   "blocks",  "lambda", "impulse", "mass",  "velocity",     "offsets", "entries",
    "state",  "measure", "history", "vector", "partial", "extra", "extra_blocks", "spin",    "moment"};

uint32_t groups_of(uint32_t items) { return (items + kWorkgroup - 1) / kWorkgroup; }

uint32_t code_of(RStrategy strategy) {
    switch (strategy) {
        case RStrategy::global:
            return layout::kGlobal;
        case RStrategy::blocked:
            return layout::kBlocked;
        default:
            return layout::kLocal;
    }
}

StopReason reason_of(uint32_t stop) {
    switch (stop) {
        case layout::kStopTolerance:
            return StopReason::tolerance;
        case layout::kStopStalled:
            return StopReason::stalled;
        default:
            return StopReason::iterations;
    }
}

class Stopwatch {
  public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

}  // namespace

/// Sizes and settings of one solve as the kernels get them.
struct ProxJacobiGpu::Plan {
    uint32_t contacts = 0, bodies = 0;
    bool measures = false, is_box = false, warm_start = false, times = false;
    bool has_extra = false, is_blocked = false, is_global = false;
    bool wants_history = false;
    uint32_t passes = 0;
    double time_limit = 0.0;
    layout::Push push{};

    Plan(const physics::ContactProblem& problem, const SolveSettings& settings,
         const GpuSolveOptions& options)
        : contacts(uint32_t(problem.contacts.size())),
          measures(settings.tolerance > 0.0 || settings.rollback || settings.history),
          is_box(options.set == physics::FrictionSet::box),
          warm_start(options.apply_warm_start),
          times(options.time_kernels),
          has_extra(!problem.extras.empty()),
          wants_history(settings.history != nullptr),
          time_limit(settings.time_limit) {
        // The one number of the global strategy knows nothing of angular rows.
        const RStrategy strategy =
            has_extra && settings.r_strategy == RStrategy::global ? RStrategy::local : settings.r_strategy;
        is_blocked = strategy == RStrategy::blocked;
        is_global = strategy == RStrategy::global;
        const double shrink = physics::shrink_factor(strategy);
        push = {contacts,
                bodies,
                0,
                code_of(strategy),
                settings.iterations,
                settings.rollback ? 1u : 0u,
                settings.patience,
                float(settings.tolerance),
                float(shrink),
                float(physics::kStepFloor),
                groups_of(contacts),
                wants_history ? 1u : 0u};
        push.iterations = std::min(settings.iterations, kMostIterations);
        passes = push.iterations;
        if (!measures) return;
        // One pass more measures the last sweep. Each return to the best wastes the pass that found out.
        const uint32_t most_returns = 2 + uint32_t(std::log(physics::kStepFloor) / std::log(shrink));
        const uint32_t likely = settings.patience <= 1 ? passes : 2 + 2 * (passes / settings.patience);
        passes += 1 + (settings.rollback ? std::min(most_returns, likely) : 0);
    }
    /// Known when the problem is packed.
    void set_bodies(uint32_t count) { bodies = push.bodies = count; }
    uint32_t first_pass() const { return warm_start ? 1 : 0; }  // the warm start was pass 0
    uint32_t contact_kernel() const {
        return (measures ? 1u : 0u) | (is_box ? 2u : 0u) | (is_blocked ? 4u : 0u) | (has_extra ? 8u : 0u);
    }
    uint32_t body_kernel(bool measuring) const { return (measuring ? 1u : 0u) | (has_extra ? 2u : 0u); }
};

engine::GpuRequirements ProxJacobiGpu::requirements() {
    return {.storage_buffers = layout::kBuffers,
            .workgroup_size = kWorkgroup,
            .push_bytes = sizeof(layout::Push),
            .storage_bytes = 1 << 27,
            .subgroup_arithmetic = true};
}

Result<std::unique_ptr<ProxJacobiGpu>> ProxJacobiGpu::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<ProxJacobiGpu> made(new ProxJacobiGpu);
    made->device_ = std::move(device);
    if (Result<void> ready = made->make(); !ready) return Error{ready.error()};
    return made;
}

Result<void> ProxJacobiGpu::make() {
    Result<engine::GpuLayout> made_layout =
        engine::GpuLayout::create(device_, layout::kBuffers, sizeof(layout::Push), "prox_jacobi");
    if (!made_layout) return Error{made_layout.error()};
    layout_ = std::move(made_layout.value());
    Result<engine::GpuBindings> bindings = engine::GpuBindings::create(device_, layout_, "prox_jacobi");
    if (!bindings) return Error{bindings.error()};
    bindings_ = std::move(bindings.value());
    Result<std::unique_ptr<engine::GpuCommands>> commands =
        engine::GpuCommands::create(device_, "prox_jacobi");
    if (!commands) return Error{commands.error()};
    commands_ = std::move(commands.value());
    return {};
}

/// Compiles what this solve needs and no solve before has needed.
Result<void> ProxJacobiGpu::prepare_kernels(const Plan& plan) {
    const auto compile = [&](GpuPipeline& kernel, std::span<const uint32_t> code,
                             std::span<const uint32_t> constants, const char* name) -> Result<void> {
        if (kernel.handle()) return {};
        Result<GpuPipeline> made = GpuPipeline::create(device_, layout_, code, constants, name);
        if (!made) return Error{made.error()};
        kernel = std::move(made.value());
        return {};
    };
    const uint32_t measures = plan.measures ? 1 : 0, extra = plan.has_extra ? 1 : 0;
    const uint32_t size[] = {kWorkgroup}, sizes[] = {kWorkgroup, kWorkgroup}, answer[] = {kWorkgroup, extra};
    const uint32_t body[] = {kWorkgroup, measures, extra}, warm[] = {kWorkgroup, 0, extra};
    const uint32_t contact[] = {kWorkgroup, measures, plan.is_box ? 1u : 0u, plan.is_blocked ? 1u : 0u,
                                extra};
    if (auto r = compile(setup_, shaders::prox_setup(), size, "prox_setup"); !r) return r;
    if (auto r =
            compile(contacts_[plan.contact_kernel()], shaders::prox_contacts(), contact, "prox_contacts");
        !r)
        return r;
    if (auto r =
            compile(bodies_[plan.body_kernel(plan.measures)], shaders::prox_bodies(), body, "prox_bodies");
        !r)
        return r;
    if (plan.warm_start)
        if (auto r = compile(bodies_[plan.body_kernel(false)], shaders::prox_bodies(), warm, "prox_bodies");
            !r)
            return r;
    if (plan.measures)
        if (auto r = compile(answer_[extra], shaders::prox_answer(), answer, "prox_answer"); !r) return r;
    if (plan.has_extra)
        if (auto r = compile(extra_setup_, shaders::extra_setup(), size, "extra_setup"); !r) return r;
    if (!plan.is_global) return {};
    if (auto r = compile(power_contacts_, shaders::power_contacts(), sizes, "power_contacts"); !r) return r;
    return compile(power_bodies_, shaders::power_bodies(), size, "power_bodies");
}

Result<void> ProxJacobiGpu::prepare_buffers(const Plan& plan) {
    const uint64_t n = plan.contacts, bodies = plan.bodies, vec4 = sizeof(Float4);
    const uint64_t most = std::max(n, 2 * bodies);
    if (groups_of(uint32_t(most)) + 1 > device_->limits().maxComputeWorkGroupCount[0])
        return Error{
            fmt::format("{} contacts and {} bodies are more than {} takes at once; compute on the cpu.", n,
                        bodies, device_->info().name)};
    uint64_t bytes[layout::kBuffers] = {};
    bytes[layout::kFrames] = layout::kFramePlanes * n * vec4;
    bytes[layout::kSteps] = n * vec4;
    bytes[layout::kBlocks] = plan.is_blocked ? n * vec4 : vec4;
    bytes[layout::kLambda] = layout::kPlanes * n * vec4;
    bytes[layout::kImpulse] = n * vec4;
    bytes[layout::kMass] = bodies * sizeof(physics::BodyInverseMass);
    bytes[layout::kVelocity] = layout::kPlanes * bodies * sizeof(physics::BodyVelocity);
    bytes[layout::kOffsets] = (bodies + 1) * sizeof(uint32_t);
    bytes[layout::kEntries] = 2 * n * sizeof(uint32_t);
    bytes[layout::kState] = sizeof(state_);
    bytes[layout::kMeasure] = 4 * sizeof(uint32_t);
    bytes[layout::kHistory] = (plan.wants_history ? uint64_t(plan.push.iterations) + 1 : 1) * sizeof(float);
    bytes[layout::kVector] = plan.is_global ? n * vec4 : vec4;
    bytes[layout::kPartial] = groups_of(plan.contacts) * sizeof(float);
    const uint64_t extras = plan.has_extra ? n : 1;
    bytes[layout::kExtra] = extras * vec4;
    bytes[layout::kExtraBlocks] = 3 * extras * vec4;
    bytes[layout::kSpin] = layout::kPlanes * extras * vec4;
    bytes[layout::kMoment] = extras * vec4;
    bool changed = false;
    for (uint32_t b = 0; b < layout::kBuffers; ++b) {
        const Result<bool> grown =
            engine::grow_buffer(buffers_[b], device_, bytes[b], GpuMemory::device, kBufferNames[b]);
        if (!grown) return Error{grown.error()};
        changed = changed || grown.value();
    }
    if (!changed) return {};
    const GpuBuffer* all[layout::kBuffers];
    for (uint32_t b = 0; b < layout::kBuffers; ++b) all[b] = &buffers_[b];
    bindings_.set(all);
    return {};
}

void ProxJacobiGpu::dispatch(const Plan& plan, const GpuPipeline& kernel, uint32_t workgroups,
                             uint32_t pass) {
    layout::Push push = plan.push;
    push.pass = pass;
    commands_->push(layout_, &push, sizeof(push));
    commands_->dispatch(kernel, workgroups);
}

Result<void> ProxJacobiGpu::record_start(const physics::ContactProblem& problem, const Plan& plan) {
    engine::GpuCommands& c = *commands_;
    layout::SolveState start{};
    start.current = start.best = plan.warm_start ? 1 : 0;
    start.next = 1 - start.current;
    start.scale = start.step = 1.0f;
    state_[0] = state_[1] = start;
    const uint32_t zeros[4] = {};
    const auto lambda = std::as_bytes(std::span<const Float4>(lambda_));
    if (auto r = upload_frames(problem); !r) return r;
    if (auto r = c.upload(buffers_[layout::kLambda], 0, lambda); !r) return r;
    if (plan.warm_start)
        if (auto r = c.upload(buffers_[layout::kLambda], lambda.size(), lambda); !r) return r;
    if (auto r = upload_bodies(problem); !r) return r;
    if (auto r = c.upload(buffers_[layout::kOffsets], std::span<const uint32_t>(offsets_)); !r) return r;
    if (auto r = c.upload(buffers_[layout::kEntries], std::span<const uint32_t>(entries_)); !r) return r;
    if (auto r = c.upload(buffers_[layout::kState], std::span<const layout::SolveState>(state_)); !r)
        return r;
    if (auto r = c.upload(buffers_[layout::kMeasure], std::span<const uint32_t>(zeros)); !r) return r;
    if (plan.has_extra) {
        const auto spin = std::as_bytes(std::span<const Float4>(spin_));
        if (auto r = c.upload(buffers_[layout::kExtra], std::span<const Float4>(extra_)); !r) return r;
        if (auto r = c.upload(buffers_[layout::kSpin], 0, spin); !r) return r;
        if (plan.warm_start)
            if (auto r = c.upload(buffers_[layout::kSpin], spin.size(), spin); !r) return r;
    }
    c.barrier(GpuAccess::copies, GpuAccess::kernels);
    dispatch(plan, setup_, groups_of(plan.contacts), 0);
    if (plan.has_extra) dispatch(plan, extra_setup_, groups_of(plan.contacts), 0);
    c.barrier(GpuAccess::kernels, GpuAccess::kernels);
    if (plan.warm_start) {
        dispatch(plan, bodies_[plan.body_kernel(false)], groups_of(plan.bodies), 0);
        c.barrier(GpuAccess::kernels, GpuAccess::kernels);
    }
    if (plan.is_global) record_power(plan);
    return {};
}

void ProxJacobiGpu::record_power(const Plan& plan) {
    for (uint32_t step = 0; step <= kPowerSteps; ++step) {
        dispatch(plan, power_contacts_, groups_of(plan.contacts), step);
        commands_->barrier(GpuAccess::kernels, GpuAccess::kernels);
        dispatch(plan, power_bodies_, groups_of(plan.bodies) + 1, step);
        commands_->barrier(GpuAccess::kernels, GpuAccess::kernels);
    }
}

void ProxJacobiGpu::record_passes(const Plan& plan, uint32_t begin, uint32_t end) {
    engine::GpuCommands& c = *commands_;
    const GpuPipeline& contacts = contacts_[plan.contact_kernel()];
    const GpuPipeline& bodies = bodies_[plan.body_kernel(plan.measures)];
    for (uint32_t p = begin; p < end; ++p) {
        dispatch(plan, contacts, groups_of(plan.contacts), plan.first_pass() + p);
        c.barrier(GpuAccess::kernels, GpuAccess::kernels);
        if (plan.times && p < kTimedPasses) c.timestamp();
        // One workgroup more decides about the pass.
        dispatch(plan, bodies, groups_of(plan.bodies) + (plan.measures ? 1 : 0), plan.first_pass() + p);
        c.barrier(GpuAccess::kernels, GpuAccess::kernels);
        if (plan.times && p < kTimedPasses) c.timestamp();
    }
}

Result<void> ProxJacobiGpu::record_answer(const Plan& plan) {
    engine::GpuCommands& c = *commands_;
    const uint32_t last = plan.first_pass() + plan.passes;
    uint64_t plane = last & 1;
    if (plan.measures) {
        dispatch(plan, answer_[plan.has_extra ? 1 : 0], groups_of(std::max(plan.contacts, 2 * plan.bodies)),
                 last);
        plane = layout::kAnswerPlane;
    }
    c.barrier(GpuAccess::kernels, GpuAccess::copies);
    velocity_.resize(plan.bodies);
    if (auto r = c.download(buffers_[layout::kLambda], plane * plan.contacts * sizeof(Float4),
                            std::as_writable_bytes(std::span(lambda_)));
        !r)
        return r;
    if (auto r = c.download(buffers_[layout::kVelocity], plane * plan.bodies * sizeof(physics::BodyVelocity),
                            std::as_writable_bytes(std::span(velocity_)));
        !r)
        return r;
    if (plan.has_extra)
        if (auto r = c.download(buffers_[layout::kSpin], plane * plan.contacts * sizeof(Float4),
                                std::as_writable_bytes(std::span(spin_)));
            !r)
            return r;
    if (auto r = c.download(buffers_[layout::kState], std::span<layout::SolveState>(state_)); !r) return r;
    if (!plan.wants_history) return {};
    history_.resize(size_t(plan.push.iterations) + 1);
    return c.download(buffers_[layout::kHistory], std::span<float>(history_));
}

/// Everything between the packed problem and the downloaded answer: one submit, or several with a time limit
/// and for thousands of sweeps.
Result<void> ProxJacobiGpu::run(const physics::ContactProblem& problem, const Plan& plan) {
    const Stopwatch clock;
    const bool sliced = plan.time_limit > 0.0;
    const uint32_t slice = sliced ? kPassesInASlice : kMostPasses;
    engine::GpuCounts sum;
    uint32_t done = 0;
    for (bool finished = false, first = true; !finished; first = false) {
        if (auto r = commands_->begin(); !r) return r;
        commands_->bind(layout_, bindings_);
        const uint32_t t0 = commands_->timestamp();
        if (first) {
            PX_GPU_ZONE(*commands_, "upload and setup");
            if (auto r = record_start(problem, plan); !r) return r;
        }
        const uint32_t t1 = commands_->timestamp();
        const uint32_t end = std::min(plan.passes, done + slice);
        {
            PX_GPU_ZONE(*commands_, "passes");
            record_passes(plan, done, end);
        }
        const uint32_t t2 = commands_->timestamp();
        // The passes that time forbids are left out by telling the plan where it ended.
        Plan ended = plan;
        ended.passes = end;
        {
            PX_GPU_ZONE(*commands_, "answer");
            if (auto r = record_answer(ended); !r) return r;
        }
        const Stopwatch waiting;
        {
            PX_ZONE("wait for the device");
            if (auto r = commands_->finish(); !r) return r;
        }
        cost_.wait_seconds += waiting.seconds();
        const engine::GpuCounts& counts = commands_->counts();
        sum.submits += counts.submits;
        sum.dispatches += counts.dispatches;
        sum.barriers += counts.barriers;
        sum.copies += counts.copies;
        sum.bytes_up += counts.bytes_up;
        sum.bytes_down += counts.bytes_down;
        if (first) cost_.setup_seconds = commands_->seconds_between(t0, t1);
        cost_.passes_seconds += commands_->seconds_between(t1, t2);
        if (plan.times && first)
            for (uint32_t p = 0; p < std::min(end, kTimedPasses); ++p) {
                const double contact = commands_->seconds_between(t1 + 2 * p, t1 + 2 * p + 1);
                const double body = commands_->seconds_between(t1 + 2 * p + 1, t1 + 2 * p + 2);
                cost_.contacts_seconds = p ? std::min(cost_.contacts_seconds, contact) : contact;
                cost_.bodies_seconds = p ? std::min(cost_.bodies_seconds, body) : body;
            }
        done = end;
        finished = done >= plan.passes || (plan.measures && state_[(plan.first_pass() + done) & 1].stop) ||
                   (sliced && clock.seconds() >= plan.time_limit);
    }
    // Contacts: 5 planes, steps, impulses there and back, the change, and four vec4 of velocities. Bodies:
    // for every entry itself, a change and an arm; mass, velocities there and back, and where the entries
    // begin.
    cost_.sweep_bytes = uint64_t(plan.contacts) * (9 + 4) * sizeof(Float4) +
                        entries_.size() * (sizeof(uint32_t) + 2 * sizeof(Float4)) +
                        uint64_t(plan.bodies) * (6 * sizeof(Float4) + 2 * sizeof(uint32_t));
    cost_.counts = sum;
    cost_.passes = done;
    cost_.dispatches_per_pass = cost_.barriers_per_pass = 2;
    return {};
}

Result<SolveReport> ProxJacobiGpu::solve(physics::ContactProblem& problem, const SolveSettings& settings,
                                         const GpuSolveOptions& options) {
    PX_ZONE("solve on the device");
    const Stopwatch clock;
    cost_ = {};
    Plan plan(problem, settings, options);
    SolveReport report;
    if (plan.contacts == 0) {
        if (plan.measures) {
            report.residual = 0.0;
            report.stop = StopReason::tolerance;
        }
        return report;
    }
    pack(problem);
    plan.set_bodies(uint32_t(slots_.size()));
    if (plan.has_extra) pack_extra(problem);
    if (Result<void> ready = prepare_buffers(plan); !ready) return Error{ready.error()};
    if (Result<void> ready = prepare_kernels(plan); !ready) return Error{ready.error()};
    if (Result<void> ran = run(problem, plan); !ran) return Error{ran.error()};
    store(problem);
    if (plan.measures) {
        const layout::SolveState& end = state_[(plan.first_pass() + cost_.passes) & 1];
        report.iterations = end.iterations;
        report.rejected = end.rejected;
        report.residual = double(end.residual);
        report.stop = reason_of(end.stop);
        if (end.stop == layout::kRunning) {
            // Time is over, or roll-back took more passes than were recorded: the answer is the best so far.
            if (cost_.passes < plan.passes) report.stop = StopReason::time;
            report.residual = settings.rollback ? double(end.best_residual) : -1.0;
        }
        if (settings.history)
            settings.history->assign(history_.begin(), history_.begin() + end.iterations + 1);
    } else {
        report.iterations = cost_.passes;
        if (cost_.passes < plan.passes) report.stop = StopReason::time;
    }
    cost_.host_seconds = clock.seconds() - cost_.wait_seconds;
    return report;
}

}  // namespace proxima::compute
