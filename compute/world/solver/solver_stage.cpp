// SPDX-License-Identifier: MIT
#include "compute/world/solver/solver_stage.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "compute/world/solver/solve_kernels.h"
#include "compute/world/solver/solve_layout.h"
#include "engine/core/assert.h"
#include "physics/constraints/contact/contact_block.h"
#include "physics/solve/impacts.h"

namespace proxima::compute::world {

using namespace solve;
using engine::GpuBuffer;
using engine::GpuCommands;
using engine::GpuMemory;
using engine::GpuPipeline;

namespace {

constexpr uint32_t kFirstOwn = kMass;  // buffers before it are the world's
constexpr float kMaxMomentum = 0.9f;
constexpr uint32_t kMoreRelaxing = 7;  // times the relax sweeps, where overlaps are deep: eight in all, as on the cpu
static_assert(kMaxPasses == physics::kMaxImpactPasses);
static_assert(float(kBounceDrives) == physics::sweep::kBounceDrives);

constexpr const char* kNames[kSolveBuffers - kFirstOwn] = {
    "solver mass",           "solver velocity", "solver moved",
    "solver free velocity",  "solver rotation", "solver words",
    "solver entries",        "solver keys",     "solver counts",
    "solver fresh pairs",    "solver frames",   "solver arms",
    "solver impulses",       "solver blocks",   "solver changes",
    "solver state",          "solver partials", "solver impact arguments",
    "solver impulses before"};

/// Variants of the kernel over the bodies, by what they know to do, the smallest first.
constexpr uint32_t kBodyKernelDoes[] = {kDoGather, kDoWarmStart, kDoGather | kDoMomentum, kDoGather | kDoAdvance,
                                        kDoGather | kDoAdvance | kDoForces};
static_assert(SolverSettings{}.rounds <= kMaxRounds && SolverSettings{}.colours <= kMaxColours);

uint32_t groups_of(uint32_t items) { return (items + kWorkgroup - 1) / kWorkgroup; }

}  // namespace

Result<SolverSettings> make_solver_settings(const physics::StepSettings& from, float dt, bool bounces) {
    if (!(dt > 0.0f) || !std::isfinite(dt)) return Error{"A step on the gpu needs a length above zero."};
    if (from.substeps == 0) return Error{"A step on the gpu needs at least one sub-step."};
    SolverSettings s;
    s.method = from.solver == "prox_jacobi" ? SolveMethod::jacobi : SolveMethod::gauss_seidel;
    s.dt = dt;
    s.substeps = from.substeps;
    const physics::Solver* solver = physics::find_solver(from.solver);
    const uint32_t usual = solver ? solver->usual_iterations : 1;
    s.iterations = std::max(from.iterations, usual);
    s.relax_iterations = 0;
    s.gravity = from.gravity;
    s.restitution_speed = from.restitution_speed;
    s.inelastic_speed = float(kInelasticDrives) * glm::length(from.gravity) * dt / float(from.substeps);
    s.bounces = bounces;
    if (!bounces) s.impact_passes = 1;
    s.gyroscopic = from.gyroscopic;
    for (size_t k = 0; k < s.momentum.size(); ++k) s.momentum[k] = std::min(float(k) / (float(k) + 2.0f), kMaxMomentum);
    s.softness = {from.stabilisation == physics::Stabilisation::soft, from.contact_hertz, from.contact_damping_ratio,
                  from.max_push_speed};
    if (s.softness.soft && from.relax_iterations > 0) s.relax_iterations = std::max(from.relax_iterations, usual);
    return s;
}

Result<std::unique_ptr<SolverStage>> SolverStage::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<SolverStage> stage(new SolverStage);
    stage->device_ = std::move(device);
    if (Result<void> made = stage->make(); !made) return Error{made.error()};
    return stage;
}

Result<void> SolverStage::make() {
    static_assert(kSolveBuffers == kStorageBuffers);
    if (Result<void> made = kernels_.make(device_, kSolveBuffers, sizeof(SolvePush), "solver"); !made) return made;
    const struct {
        GpuPipeline* kernel;
        std::span<const uint32_t> code;
        const char* name;
    } all[] = {{&begin_, shaders::solve_begin(), "solve_begin"},
               {&list_, shaders::solve_list(), "solve_list"},
               {&round_, shaders::solve_round(), "solve_round"},
               {&count_, shaders::solve_count(), "solve_count"},
               {&scan_, shaders::solve_scan(), "solve_scan"},
               {&offsets_, shaders::solve_offsets(), "solve_offsets"},
               {&pack_, shaders::solve_pack(), "solve_pack"},
               {&first_, shaders::solve_first(), "solve_first"},
               {&place_, shaders::solve_place(), "solve_place"},
               {&few_impacts_, shaders::solve_few_impacts(), "solve_few_impacts"},
               {&sweep_, shaders::solve_sweep(), "solve_sweep"},
               {&closing_, shaders::solve_closing(), "solve_closing"},
               {&impact_, shaders::solve_impact(), "solve_impact"},
               {&measure_, shaders::solve_measure(), "solve_measure"},
               {&finish_, shaders::solve_finish(), "solve_finish"},
               {&status_, shaders::solve_status(), "solve_status"}};
    const auto compile = [&](GpuPipeline& kernel, std::span<const uint32_t> code, const char* name,
                             std::span<const uint32_t> constants) -> Result<void> {
        Result<GpuPipeline> made = kernels_.compile(code, name, constants);
        if (!made) return Error{made.error()};
        kernel = std::move(made.value());
        return {};
    };
    for (const auto& one : all)
        if (auto r = compile(*one.kernel, one.code, one.name, {}); !r) return r;
    for (uint32_t momentum = 0; momentum < 2; ++momentum) {
        const uint32_t constants[] = {momentum};
        if (auto r = compile(jacobi_[momentum], shaders::solve_jacobi(), "solve_jacobi", constants); !r) return r;
    }
    for (uint32_t k = 0; k < kBodyKernels; ++k) {
        const uint32_t can_do[] = {kBodyKernelDoes[k]};
        if (auto r = compile(bodies_[k], shaders::solve_bodies(), "solve_bodies", can_do); !r) return r;
    }
    return {};
}

Result<void> SolverStage::prepare(const WorldBuffers& world, const WorldSizes& sizes) {
    const uint64_t bodies = sizes.bodies, pairs = sizes.pairs, blocks = groups_of(sizes.pairs);
    uint64_t bytes[kSolveBuffers] = {};
    bytes[kMass] = 2 * bodies * kVec4;
    bytes[kVelocity] = bytes[kMoved] = bytes[kFree] = 4 * bodies * kVec4;
    bytes[kRotation] = bodies * kVec4;
    bytes[kBodyWords] = kBodyWordPlanes * bodies * kWord;
    bytes[kEntries] = 2 * pairs * kWord;
    bytes[kKeys] = bytes[kFresh] = pairs * kWord;
    bytes[kCounts] = kSortKeys * blocks * kWord;
    bytes[kFrames] = kFramePlanes * pairs * kVec4;
    bytes[kArms] = kMaxPoints * pairs * kVec4;
    bytes[kImpulses] = bytes[kImpulsesBefore] = kMaxPoints * pairs * kVec4;
    bytes[kBlocks] = kMaxPoints * pairs * kVec4;
    bytes[kChanges] = 3 * pairs * kVec4;
    bytes[kState] = kStateWords * kWord;
    bytes[kPartials] = 2 * blocks * kVec4;
    bytes[kImpactArgs] = kMaxColours * kVec4;
    buffers_.resize(kSolveBuffers);
    for (uint32_t b = kFirstOwn; b < kSolveBuffers; ++b) {
        const Result<bool> grown = engine::grow_buffer(buffers_[b], device_, std::max(bytes[b], kVec4),
                                                       GpuMemory::device, kNames[b - kFirstOwn]);
        if (!grown) return Error{grown.error()};
    }
    for (uint32_t parity = 0; parity < 2; ++parity) {
        const PairBuffers& now = world.now(parity);
        const GpuBuffer* list[kSolveBuffers] = {&world.bodies, &world.poses,     &world.velocities,
                                                &world.status, &world.arguments, &now.manifolds,
                                                &now.points,   &now.lambda,      &now.colours};
        for (uint32_t b = kFirstOwn; b < kSolveBuffers; ++b) list[b] = &buffers_[b];
        kernels_.set(parity, list);
    }
    sizes_ = sizes;
    arguments_ = &world.arguments;
    return {};
}

uint64_t SolverStage::bytes() const {
    uint64_t sum = 0;
    for (const GpuBuffer& buffer : buffers_) sum += buffer.bytes();
    return sum;
}

uint32_t SolverStage::recorded_colours(const SolverSettings& settings) {
    if (settings.method == SolveMethod::jacobi && !settings.bounces) return 0;
    return std::min(settings.colours, kMaxColours);
}

/// One step on its way into the commands.
class SolverStage::Recording {
  public:
    Recording(const SolverStage& stage, GpuCommands& commands, const SolverSettings& settings)
        : stage_(stage), commands_(commands), settings_(settings) {
        for (const float beta : settings.momentum) has_momentum_ = has_momentum_ || (is_jacobi() && beta != 0.0f);
        push_.bodies = stage.sizes_.bodies;
        push_.pairs = stage.sizes_.pairs;
        push_.blocks = groups_of(stage.sizes_.pairs);
        push_.colours = recorded_colours(settings);
        push_.h = settings.dt / float(settings.substeps);
        push_.dt = settings.dt;
        push_.fast = settings.inelastic_speed;
        push_.warm_scale = settings.warm_scale;
        const physics::SoftnessLaw& softness = settings.softness;
        push_.spring_angle = softness.soft ? 2.0f * kPi * softness.hertz * push_.h : 0.0f;
        push_.max_spring_angle = 2.0f * kPi * softness.stiffest(push_.h) * push_.h;
        push_.damping = 2.0f * softness.damping_ratio;
        push_.max_push_speed = softness.max_push_speed;
        push_.restitution_speed = settings.restitution_speed;
        push_.gravity_x = settings.gravity.x;
        push_.gravity_y = settings.gravity.y;
        push_.gravity_z = settings.gravity.z;
    }

    void run() {
        lists();
        for (uint32_t k = 0; k < settings_.substeps; ++k) {
            push_.ramp = (float(k) + 0.5f) * push_.h - 0.5f * push_.dt;
            impacts();
            place(kDoPlace);
            over_bodies(kDoWarmStart);
            const uint32_t open = sweeps(settings_.iterations, kDoPush);
            const bool last = k + 1 == settings_.substeps;
            over_bodies(open | kDoAdvance | (last ? 0 : kDoForces));
        }
        push_.ramp = 0.5f * push_.dt;
        place(0);
        if (sweeps(settings_.relax_iterations, kDoRelax) != 0) gather_alone(0.0f);
        for (uint32_t k = 0; k < kMoreRelaxing * settings_.relax_iterations; ++k) relax_deep();
        finish();
    }

  private:
    bool is_jacobi() const { return settings_.method == SolveMethod::jacobi; }
    /// Frames and inertia turn in sub-steps where they do on the cpu: in its sweeps, and not for laboratory solvers.
    uint32_t turns() const { return is_jacobi() ? 0 : kDoTurn; }

    void done(const char* kernel) {
        StageKernels::then(commands_);
        if (stage_.watcher_) stage_.watcher_(stage_.watching_, kernel);
    }
    void direct(const GpuPipeline& kernel, uint32_t items, const char* name) {
        stage_.kernels_.run(commands_, kernel, push_, std::max(items, 1u));
        done(name);
    }
    void indirect(const GpuPipeline& kernel, uint32_t argument, const char* name) {
        stage_.kernels_.run_indirect(commands_, kernel, push_, *stage_.arguments_, argument);
        done(name);
    }

    /// Bodies, colours, slots, and the first sub-step up to its first sweep.
    void lists() {
        push_.flags = is_jacobi() ? kDoAllJacobi : 0;
        direct(stage_.begin_, push_.bodies, "solve_begin");
        indirect(stage_.list_, kArgsPairs, "solve_list");
        if (push_.colours > 0) {
            for (push_.round = 0; push_.round < std::min(settings_.rounds, kMaxRounds); ++push_.round)
                indirect(stage_.round_, kArgsSolver + kArgsFresh, "solve_round");
        }
        indirect(stage_.count_, kArgsPairs, "solve_count");
        direct(stage_.scan_, kSortKeys * kWorkgroup + push_.bodies, "solve_scan");
        direct(stage_.offsets_, 1, "solve_offsets");
        indirect(stage_.pack_, kArgsPairs, "solve_pack");
        direct(stage_.first_, push_.bodies, "solve_first");
    }

    /// Returns what the next kernel over the bodies has to do first, since the last sweep ends with their part.
    uint32_t sweeps(uint32_t count, uint32_t flags) {
        for (uint32_t k = 0; k < count; ++k) {
            if (k > 0) gather_alone(beta_of(k));
            push_.flags = flags | (flags == kDoPush && k + 1 == count ? kDoAddUp : 0);
            for (push_.group = 0; !is_jacobi() && push_.group < push_.colours; ++push_.group)
                indirect(stage_.sweep_, kArgsSolver + push_.group, "solve_sweep");
            push_.beta = beta_of(k);
            push_.plane = push_.beta != 0.0f ? 1 : 0;
            indirect(stage_.jacobi_[has_momentum_ ? 1 : 0], kArgsSolver + kArgsJacobi, "solve_jacobi");
        }
        return count > 0 ? kDoGather : 0;
    }
    /// A sweep that is there only where some overlap is deep.
    void relax_deep() {
        push_.flags = kDoRelax;
        for (push_.group = 0; !is_jacobi() && push_.group < push_.colours; ++push_.group)
            indirect(stage_.sweep_, kArgsSolver + kArgsDeep + push_.group, "solve_sweep");
        push_.beta = 0.0f;
        push_.plane = 0;
        indirect(stage_.jacobi_[0], kArgsSolver + kArgsDeep + kArgsJacobi, "solve_jacobi");
        push_.next_beta = 0.0f;
        indirect(body_kernel(kDoGather), kArgsSolver + kArgsDeep + kArgsJacobiBodies, "solve_gather");
    }
    float beta_of(uint32_t sweep) const {
        if (!has_momentum_ || sweep == 0) return 0.0f;
        return settings_.momentum[std::min<size_t>(sweep, settings_.momentum.size() - 1)];
    }

    const GpuPipeline& body_kernel(uint32_t flags) {
        push_.flags = flags | (settings_.gyroscopic ? kDoGyroscopic : 0) | turns();
        const uint32_t known = kDoGather | kDoWarmStart | kDoAdvance | kDoForces | kDoMomentum;
        uint32_t k = 0;
        while ((flags & known & ~kBodyKernelDoes[k]) != 0) ++k;
        return stage_.bodies_[k];
    }
    void over_bodies(uint32_t flags) { direct(body_kernel(flags), push_.bodies, "solve_bodies"); }
    /// Between two sweeps, and after the last one.
    void gather_alone(float next_beta) {
        push_.next_beta = next_beta;
        const GpuPipeline& kernel = body_kernel(kDoGather | (next_beta != 0.0f ? kDoMomentum : 0));
        // With momentum the next plane is that of all bodies, touched or not.
        if (is_jacobi())
            direct(kernel, push_.bodies, "solve_gather");
        else
            indirect(kernel, kArgsSolver + kArgsJacobiBodies, "solve_gather");
    }

    void place(uint32_t flags) {
        push_.flags = flags | turns();
        indirect(stage_.place_, kArgsManifolds, "solve_place");
    }

    void impacts() {
        // Where there is no room for many, the one workgroup does them all.
        const bool few = stage_.sizes_.pairs <= kFewManifolds;
        const uint32_t passes = few ? 0 : std::min(settings_.impact_passes, kMaxRecordedPasses);
        indirect(stage_.closing_, kArgsManifolds, "solve_closing");
        direct(stage_.few_impacts_, 1, "solve_few_impacts");
        for (push_.round = 0; push_.round < passes; ++push_.round)
            for (push_.group = 0; push_.group < push_.colours; ++push_.group) {
                stage_.kernels_.run_indirect(commands_, stage_.impact_, push_, stage_.buffers_[kImpactArgs],
                                             push_.group);
                done("solve_impact");
            }
    }

    void finish() {
        push_.flags = 0;
        direct(stage_.finish_, push_.bodies, "solve_finish");
        indirect(stage_.measure_, kArgsManifolds, "solve_measure");
        direct(stage_.status_, 1, "solve_status");
    }

    const SolverStage& stage_;
    GpuCommands& commands_;
    const SolverSettings& settings_;
    SolvePush push_{};
    bool has_momentum_ = false;
};

void SolverStage::record(GpuCommands& commands, uint32_t parity, const SolverSettings& settings) const {
    PX_ASSERT(arguments_ && settings.substeps > 0, "prepare comes first, and a step has a sub-step");
    kernels_.bind(commands, parity);
    Recording(*this, commands, settings).run();
}

}  // namespace proxima::compute::world
