// SPDX-License-Identifier: MIT
#include "compute/prox_gpu.h"

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

constexpr uint32_t kTimedPasses = 64;     // of which kernels are timed
constexpr uint32_t kPassesInASlice = 16;  // between two looks at the clock, with a time limit
constexpr uint32_t kMaxPasses = 1024;     // of a submit: systems end work that occupies a GPU for seconds
constexpr uint32_t kMaxIterations = 1000000000;

constexpr const char* kBufferNames[layout::kBuffers] = {
    "frames",  "steps",   "blocks", "lambda",  "impulse", "mass",         "velocity", "offsets", "entries", "state",
    "measure", "history", "vector", "partial", "extra",   "extra_blocks", "spin",     "moment",  "groups"};

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

ProxPlan::ProxPlan(const physics::ContactProblem& problem, const SolveSettings& settings,
                   const GpuSolveOptions& options)
    : contacts(uint32_t(problem.contacts.size())),
      measures(settings.tolerance > 0.0 || settings.rollback || settings.history),
      is_box(options.set == physics::FrictionSet::box),
      warm_start(options.apply_warm_start),
      times(options.time_kernels),
      has_extra(!problem.extras.empty()),
      wants_history(settings.history != nullptr),
      time_limit(settings.time_limit) {
    const RStrategy strategy =
        has_extra && settings.r_strategy == RStrategy::global ? RStrategy::local : settings.r_strategy;
    const double shrink = physics::shrink_factor(strategy);
    push.contacts = contacts;
    push.iterations = std::min(settings.iterations, kMaxIterations);
    push.rollback = settings.rollback ? 1u : 0u;
    push.patience = settings.patience;
    push.tolerance = float(settings.tolerance);
    push.shrink = float(shrink);
    push.step_floor = float(physics::kStepFloor);
    push.history = wants_history ? 1u : 0u;
    passes = push.iterations;
    if (!measures) return;
    // One pass more measures the last sweep. Each return to the best wastes the pass that found out.
    const uint32_t max_returns = 2 + uint32_t(std::log(physics::kStepFloor) / std::log(shrink));
    const uint32_t likely = settings.patience <= 1 ? passes : 2 + 2 * (passes / settings.patience);
    passes += 1 + (settings.rollback ? std::min(max_returns, likely) : 0);
}

engine::GpuRequirements ProxGpu::requirements() {
    return {.storage_buffers = layout::kBuffers,
            .workgroup_size = kWorkgroup,
            .push_bytes = sizeof(layout::Push),
            .storage_bytes = 1 << 27,
            .subgroup_arithmetic = true};
}

Result<void> ProxGpu::make(std::shared_ptr<engine::GpuDevice> device, const char* name) {
    device_ = std::move(device);
    Result<engine::GpuLayout> made_layout =
        engine::GpuLayout::create(device_, layout::kBuffers, sizeof(layout::Push), name);
    if (!made_layout) return Error{made_layout.error()};
    layout_ = std::move(made_layout.value());
    Result<engine::GpuBindings> bindings = engine::GpuBindings::create(device_, layout_, name);
    if (!bindings) return Error{bindings.error()};
    bindings_ = std::move(bindings.value());
    Result<std::unique_ptr<engine::GpuCommands>> commands = engine::GpuCommands::create(device_, name);
    if (!commands) return Error{commands.error()};
    commands_ = std::move(commands.value());
    return {};
}

Result<void> ProxGpu::compile(GpuPipeline& kernel, std::span<const uint32_t> code, std::span<const uint32_t> constants,
                              const char* name) {
    if (kernel.handle()) return {};
    Result<GpuPipeline> made = GpuPipeline::create(device_, layout_, code, constants, name);
    if (!made) return Error{made.error()};
    kernel = std::move(made.value());
    return {};
}

void ProxGpu::time_kernel(const ProxPlan& plan, uint32_t pass) {
    if (plan.times && pass - plan.first_pass < kTimedPasses) commands_->timestamp();
}

Result<void> ProxGpu::prepare_buffers(const ProxPlan& plan) {
    const uint64_t n = plan.contacts, bodies = plan.bodies, vec4 = sizeof(Float4);
    const uint64_t most = std::max(n, 2 * bodies);
    if (workgroups_of(uint32_t(most)) + 1 > device_->limits().maxComputeWorkGroupCount[0])
        return Error{fmt::format("{} contacts and {} bodies are more than {} takes at once; compute on the cpu.", n,
                                 bodies, device_->info().name)};
    uint64_t bytes[layout::kBuffers] = {};
    bytes[layout::kFrames] = layout::kFramePlanes * n * vec4;
    bytes[layout::kSteps] = n * vec4;
    bytes[layout::kBlocks] = plan.is_blocked ? n * vec4 : vec4;
    bytes[layout::kLambda] = layout::kImpulsePlanes * n * vec4;
    const uint64_t groups = std::max<uint64_t>(1, plan.groups);
    bytes[layout::kImpulse] = std::max(n, 3 * groups) * vec4;
    bytes[layout::kMass] = bodies * sizeof(physics::BodyInverseMass);
    bytes[layout::kVelocity] = layout::kVelocityPlanes * bodies * sizeof(physics::BodyVelocity);
    bytes[layout::kOffsets] = (bodies + 1) * sizeof(uint32_t);
    bytes[layout::kEntries] = 2 * n * sizeof(uint32_t);
    bytes[layout::kState] = sizeof(state_);
    bytes[layout::kMeasure] = 4 * sizeof(uint32_t);
    bytes[layout::kHistory] = (plan.wants_history ? uint64_t(plan.push.iterations) + 1 : 1) * sizeof(float);
    bytes[layout::kVector] = plan.is_global ? n * vec4 : vec4;
    bytes[layout::kPartial] = workgroups_of(plan.contacts) * sizeof(float);
    const uint64_t extras = plan.has_extra ? n : 1;
    bytes[layout::kExtra] = extras * vec4;
    bytes[layout::kExtraBlocks] = 3 * extras * vec4;
    bytes[layout::kSpin] = layout::kImpulsePlanes * extras * vec4;
    bytes[layout::kMoment] = extras * vec4;
    bytes[layout::kGroups] = groups * sizeof(Group);
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

void ProxGpu::dispatch(const ProxPlan& plan, const GpuPipeline& kernel, uint32_t workgroups, uint32_t pass,
                       uint32_t first_group, uint32_t end_group) {
    layout::Push push = plan.push;
    push.pass = pass;
    push.sweep = pass - std::min(pass, plan.first_pass);
    push.first_group = first_group;
    push.end_group = end_group;
    commands_->push(layout_, &push, sizeof(push));
    commands_->dispatch(kernel, workgroups);
}

Result<void> ProxGpu::upload(const physics::ContactProblem& problem, const ProxPlan& plan) {
    engine::GpuCommands& c = *commands_;
    layout::SolveState start{};
    start.current = start.best = start.before = plan.first_pass;
    start.next = 1 - start.current;
    start.scale = start.step = 1.0f;
    state_[0] = state_[1] = start;
    const uint32_t zeros[4] = {};
    const auto lambda = std::as_bytes(std::span<const Float4>(lambda_));
    if (auto r = upload_frames(problem); !r) return r;
    if (auto r = c.upload(buffers_[layout::kLambda], 0, lambda); !r) return r;
    if (plan.first_pass == 1)
        if (auto r = c.upload(buffers_[layout::kLambda], lambda.size(), lambda); !r) return r;
    if (auto r = upload_bodies(problem); !r) return r;
    if (auto r = c.upload(buffers_[layout::kOffsets], std::span<const uint32_t>(offsets_)); !r) return r;
    if (!entries_.empty())
        if (auto r = c.upload(buffers_[layout::kEntries], std::span<const uint32_t>(entries_)); !r) return r;
    if (auto r = c.upload(buffers_[layout::kState], std::span<const layout::SolveState>(state_)); !r) return r;
    if (auto r = c.upload(buffers_[layout::kMeasure], std::span<const uint32_t>(zeros)); !r) return r;
    if (plan.has_extra) {
        const auto spin = std::as_bytes(std::span<const Float4>(spin_));
        if (auto r = c.upload(buffers_[layout::kExtra], std::span<const Float4>(extra_)); !r) return r;
        if (auto r = c.upload(buffers_[layout::kSpin], 0, spin); !r) return r;
        if (plan.first_pass == 1)
            if (auto r = c.upload(buffers_[layout::kSpin], spin.size(), spin); !r) return r;
    }
    if (!groups_.empty())
        if (auto r = c.upload(buffers_[layout::kGroups], std::span<const Group>(groups_)); !r) return r;
    c.barrier(GpuAccess::copies, GpuAccess::kernels);
    return {};
}

Result<void> ProxGpu::record_answer(const ProxPlan& plan) {
    engine::GpuCommands& c = *commands_;
    const uint32_t last = plan.first_pass + plan.passes;
    uint64_t plane = last % 3;
    if (plan.measures) {
        dispatch(plan, answer_[plan.has_extra ? 1 : 0], workgroups_of(std::max(plan.contacts, 2 * plan.bodies)), last);
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
Result<void> ProxGpu::run(const physics::ContactProblem& problem, const ProxPlan& plan) {
    const Stopwatch clock;
    const bool sliced = plan.time_limit > 0.0;
    const uint32_t slice = sliced ? kPassesInASlice : kMaxPasses;
    engine::GpuCounts sum;
    uint32_t done = 0;
    for (bool finished = false, first = true; !finished; first = false) {
        if (auto r = commands_->begin(); !r) return r;
        commands_->bind(layout_, bindings_);
        const uint32_t t0 = commands_->timestamp();
        if (first) {
            PX_GPU_ZONE(*commands_, "upload and setup");
            if (auto r = upload(problem, plan); !r) return r;
            record_setup(plan);
        }
        const uint32_t t1 = commands_->timestamp();
        const uint32_t end = std::min(plan.passes, done + slice);
        {
            PX_GPU_ZONE(*commands_, "passes");
            for (uint32_t p = done; p < end; ++p) record_pass(plan, plan.first_pass + p);
        }
        const uint32_t t2 = commands_->timestamp();
        // The passes that time forbids are left out by telling the plan where it ended.
        ProxPlan ended = plan;
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
        sum += commands_->counts();
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
        finished = done >= plan.passes || (plan.measures && state_[(plan.first_pass + done) & 1].stop) ||
                   (sliced && clock.seconds() >= plan.time_limit);
    }
    cost_.sweep_bytes = sweep_bytes(plan);
    cost_.counts = sum;
    cost_.passes = done;
    return {};
}

Result<void> ProxGpu::check_kinds(const physics::ContactProblem& problem) {
    if (problem.has_bilateral())
        return Error{"Bilateral blocks (joints) are not solved on a device; compute on the cpu."};
    return {};
}

Result<SolveReport> ProxGpu::solve(physics::ContactProblem& problem, const SolveSettings& settings,
                                   const GpuSolveOptions& options) {
    PX_ZONE("solve on the device");
    const Stopwatch clock;
    cost_ = {};
    if (Result<void> known = check_kinds(problem); !known) return Error{known.error()};
    ProxPlan plan(problem, settings, options);
    SolveReport report;
    if (plan.contacts == 0) {
        if (plan.measures) {
            report.residual = 0.0;
            report.stop = StopReason::tolerance;
        }
        return report;
    }
    number_bodies(problem);
    if (Result<void> ready = arrange(problem, settings, plan); !ready) return Error{ready.error()};
    plan.bodies = plan.push.bodies = uint32_t(slots_.size());
    plan.groups = plan.push.groups = uint32_t(groups_.size());
    plan.push.partials = workgroups_of(plan.contacts);
    pack(problem);
    if (plan.has_extra) pack_extra(problem);
    const uint32_t size[] = {kWorkgroup}, answer[] = {kWorkgroup, plan.has_extra ? 1u : 0u};
    if (Result<void> ready = prepare_buffers(plan); !ready) return Error{ready.error()};
    if (Result<void> ready = compile(setup_, shaders::prox_setup(), size, "prox_setup"); !ready)
        return Error{ready.error()};
    if (plan.measures)
        if (Result<void> ready =
                compile(answer_[plan.has_extra ? 1 : 0], shaders::prox_answer(), answer, "prox_answer");
            !ready)
            return Error{ready.error()};
    if (Result<void> ready = prepare_kernels(plan); !ready) return Error{ready.error()};
    if (Result<void> ran = run(problem, plan); !ran) return Error{ran.error()};
    store(problem);
    report_end(plan, settings, report);
    cost_.host_seconds = clock.seconds() - cost_.wait_seconds;
    return report;
}

void ProxGpu::report_end(const ProxPlan& plan, const SolveSettings& settings, SolveReport& report) const {
    if (!plan.measures) {
        report.iterations = cost_.passes;
        if (cost_.passes < plan.passes) report.stop = StopReason::time;
        return;
    }
    const layout::SolveState& end = state_[(plan.first_pass + cost_.passes) & 1];
    report.iterations = end.iterations;
    report.rejected = end.rejected;
    report.residual = double(end.residual);
    report.stop = reason_of(end.stop);
    if (end.stop == layout::kRunning) {
        // Time is over, or roll-back took more passes than were recorded: the answer is the best so far.
        if (cost_.passes < plan.passes) report.stop = StopReason::time;
        report.residual = settings.rollback ? double(end.best_residual) : -1.0;
    }
    if (settings.history) settings.history->assign(history_.begin(), history_.begin() + end.iterations + 1);
}

}  // namespace proxima::compute
