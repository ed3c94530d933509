// SPDX-License-Identifier: MIT
#include "compute/world/gpu_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <span>

#include "engine/gpu/gpu_zones.h"
#include "engine/profile/zone.h"

namespace proxima::compute {

using engine::GpuAccess;
using engine::GpuBuffer;
using world::PairBuffers;
using world::vec4;
using world::WorldBody;
using world::WorldStatus;

namespace {

constexpr uint32_t kPairsPerCollider = 6;  // room to begin with: a dense pile has about 5 pairs of boxes a body
constexpr uint32_t kMinPairs = 1024;
constexpr double kMaxSubmitSeconds = 0.5;  // systems end work that occupies a GPU for seconds
constexpr uint32_t kMaxStepsInASubmit = 32;
constexpr uint32_t kMaxRepeats = 8;  // of one step

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

uint32_t flags_of(const WorldBody& body) { return std::bit_cast<uint32_t>(body.inverse1.w); }

/// What a step must find again of the one before, while its buffers are made anew. Planes are strided by the room for
/// pairs.
struct KeptPairs {
    std::vector<uint32_t> offsets, a, b, colours;
    std::vector<vec4> manifolds, points, lambda;

    template <class Kept, class Buffers, class Function>
    static Result<void> each(Kept& kept, Buffers& buffers, const Function& move) {
        if (auto r = move(buffers.offsets, kept.offsets, 1u); !r) return r;
        if (auto r = move(buffers.a, kept.a, 1u); !r) return r;
        if (auto r = move(buffers.b, kept.b, 1u); !r) return r;
        if (auto r = move(buffers.colours, kept.colours, 1u); !r) return r;
        if (auto r = move(buffers.manifolds, kept.manifolds, world::kManifoldPlanes); !r) return r;
        if (auto r = move(buffers.points, kept.points, world::kMaxPoints); !r) return r;
        return move(buffers.lambda, kept.lambda, world::kMaxPoints);
    }
};

}  // namespace

engine::GpuRequirements GpuWorld::requirements() {
    return {.storage_buffers = world::SolverStage::kStorageBuffers,
            .workgroup_size = world::kWorkgroup,
            .push_bytes = 128,
            .storage_bytes = 1 << 27,
            .subgroup_arithmetic = true};
}

Result<std::unique_ptr<GpuWorld>> GpuWorld::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<GpuWorld> made(new GpuWorld);
    made->device_ = device;
    Result<std::unique_ptr<engine::GpuCommands>> commands = engine::GpuCommands::create(device, "world");
    if (!commands) return Error{commands.error()};
    made->commands_ = std::move(commands.value());
    Result<std::unique_ptr<world::PairStage>> pairs = world::PairStage::create(device);
    if (!pairs) return Error{pairs.error()};
    made->pair_stage_ = std::move(pairs.value());
    Result<std::unique_ptr<world::ContactStage>> contacts = world::ContactStage::create(device);
    if (!contacts) return Error{contacts.error()};
    made->contact_stage_ = std::move(contacts.value());
    Result<std::unique_ptr<world::SolverStage>> solver = world::SolverStage::create(device);
    if (!solver) return Error{solver.error()};
    made->solver_stage_ = std::move(solver.value());
    return made;
}

/// Buffers and bindings for what was gathered, with room for so many pairs.
Result<void> GpuWorld::prepare(uint32_t pairs) {
    sizes_ = data_.sizes(pairs);
    if (const Result<bool> ready = buffers_.prepare(device_, sizes_); !ready) return Error{ready.error()};
    if (auto r = pair_stage_->prepare(buffers_, sizes_, data_); !r) return r;
    if (auto r = contact_stage_->prepare(buffers_, sizes_, world::ContactStage::kinds_of(data_.shapes)); !r) return r;
    return solver_stage_->prepare(buffers_, sizes_);
}

Result<void> GpuWorld::upload(const physics::PhysicsWorld& world) {
    Result<world::WorldData> gathered = world::gather(world);
    if (!gathered) return Error{gathered.error()};
    if (auto r = world::check_masses(world.settings(), gathered.value()); !r) return r;
    data_ = std::move(gathered.value());
    settings_ = world.settings();
    const uint32_t usual = std::max(kMinPairs, kPairsPerCollider * uint32_t(data_.colliders.size()));
    if (auto r = prepare(pair_capacity_ > 0 ? pair_capacity_ : usual); !r) return r;
    if (auto r = commands_->begin(); !r) return r;
    if (auto r = world::upload(*commands_, buffers_, data_); !r) return r;
    if (auto r = commands_->finish(); !r) return r;
    status_ = {};
    parity_ = 0;
    quarantined_ = 0;
    steps_done_ = 0;
    substep_ = 0.0f;
    return {};
}

Result<void> GpuWorld::update(const physics::PhysicsWorld& world) {
    Result<world::WorldData> gathered = world::gather(world);
    if (!gathered) return Error{gathered.error()};
    world::WorldData& now = gathered.value();
    if (now.entities != data_.entities || now.collider_entities != data_.collider_entities ||
        now.sizes(0) != data_.sizes(0))
        return Error{
            "Bodies or colliders came or went since the world was taken "
            "to the device; it must be taken again."};
    data_ = std::move(now);
    settings_ = world.settings();
    // Other shapes or margins are another plan for the search of pairs; nothing that is there is lost by it.
    if (auto r = prepare(sizes_.pairs); !r) return r;
    if (auto r = commands_->begin(); !r) return r;
    if (auto r = commands_->upload(buffers_.bodies, std::span<const WorldBody>(data_.bodies)); !r) return r;
    if (auto r = commands_->upload(buffers_.poses, std::span<const vec4>(data_.poses)); !r) return r;
    if (auto r = commands_->upload(buffers_.velocities, std::span<const vec4>(data_.velocities)); !r) return r;
    if (auto r = commands_->upload(buffers_.colliders, std::span<const world::WorldCollider>(data_.colliders)); !r)
        return r;
    return commands_->finish();
}

/// Records and runs up to `steps` steps; fewer when there is no room for pairs on the way.
Result<void> GpuWorld::submit(world::SolverSettings& solver, uint32_t steps) {
    const Clock::time_point start = Clock::now();
    engine::GpuCommands& c = *commands_;
    if (auto r = c.begin(); !r) return r;
    // `stopped` begins anew. The number of steps goes on: now and then colours are given anew by it, and how
    // many steps a submit has must not make a difference.
    const uint32_t steps_before = status_.steps;
    c.fill(buffers_.status, offsetof(WorldStatus, stopped), sizeof(uint32_t), 0);
    c.barrier(GpuAccess::copies, GpuAccess::kernels | GpuAccess::arguments);
    const float dt = solver.dt, h = dt / float(solver.substeps);
    const uint32_t first = c.timestamp();
    for (uint32_t k = 0; k < steps; ++k) {
        const uint32_t parity = (parity_ + k) & 1u;
        // Impulses belong to a sub-step: another length of it scales those that are carried over.
        solver.warm_scale = k == 0 && substep_ > 0.0f ? h / substep_ : 1.0f;
        {
            PX_GPU_ZONE(c, "pairs");
            pair_stage_->record(c, parity, dt);
        }
        c.timestamp();
        {
            PX_GPU_ZONE(c, "contacts");
            contact_stage_->record(c, parity, {settings_.speculative_distance, dt});
        }
        c.timestamp();
        {
            PX_GPU_ZONE(c, "solver");
            solver_stage_->record(c, parity, solver);
        }
        c.timestamp();
    }
    c.barrier(GpuAccess::kernels, GpuAccess::copies);
    if (auto r = c.download(buffers_.status, std::span(&status_, 1)); !r) return r;
    const Clock::time_point waiting = Clock::now();
    {
        PX_ZONE("wait for the device");
        if (auto r = c.finish(); !r) return r;
    }
    const double waited = seconds_since(waiting);

    const uint32_t done = std::min(status_.steps - steps_before, steps);
    steps_done_ += done;
    if (done > 0) substep_ = h;
    parity_ = (parity_ + done) & 1u;
    cost_.steps += done;
    cost_.counts += c.counts();
    cost_.wait_seconds += waited;
    cost_.host_seconds += seconds_since(start) - waited;
    step_seconds_ = waited / double(steps);
    for (uint32_t k = 0; k < steps; ++k) {
        const uint32_t at = first + 3 * k;
        cost_.pairs_seconds += c.seconds_between(at, at + 1);
        cost_.contacts_seconds += c.seconds_between(at + 1, at + 2);
        cost_.solver_seconds += c.seconds_between(at + 2, at + 3);
    }
    return {};
}

/// More room for pairs. What the last step found is kept: the next one starts from its impulses.
Result<void> GpuWorld::grow(uint32_t pairs) {
    KeptPairs kept;
    const PairBuffers& old = buffers_.before(parity_);
    const uint32_t old_room = sizes_.pairs;
    uint32_t count = 0;  // of the pairs there
    if (auto r = commands_->begin(); !r) return r;
    if (auto r = commands_->download(old.offsets, uint64_t(sizes_.colliders) * sizeof(count),
                                     std::as_writable_bytes(std::span(&count, 1)));
        !r)
        return r;
    if (auto r = commands_->finish(); !r) return r;
    count = std::min(count, old_room);
    const auto rows_of = [&](const GpuBuffer& buffer, const PairBuffers& all) {
        return &buffer == &all.offsets ? sizes_.colliders + 1 : count;
    };
    if (auto r = commands_->begin(); !r) return r;
    const auto bring = [&](const GpuBuffer& buffer, auto& values, uint32_t planes) -> Result<void> {
        const uint32_t rows = rows_of(buffer, old);
        using Value = std::decay_t<decltype(values[0])>;
        values.resize(size_t(rows) * planes);
        for (uint32_t p = 0; p < planes && rows > 0; ++p)
            if (auto r = commands_->download(buffer, uint64_t(p) * old_room * sizeof(Value),
                                             std::as_writable_bytes(std::span(values).subspan(size_t(p) * rows, rows)));
                !r)
                return r;
        return {};
    };
    if (auto r = KeptPairs::each(kept, old, bring); !r) return r;
    if (auto r = commands_->finish(); !r) return r;

    if (auto r = prepare(pairs); !r) return r;
    if (auto r = commands_->begin(); !r) return r;
    const PairBuffers& fresh = buffers_.before(parity_);
    const auto send = [&](const GpuBuffer& buffer, const auto& values, uint32_t planes) -> Result<void> {
        const uint32_t rows = rows_of(buffer, fresh);
        using Value = std::decay_t<decltype(values[0])>;
        for (uint32_t p = 0; p < planes && rows > 0; ++p)
            if (auto r = commands_->upload(buffer, uint64_t(p) * sizes_.pairs * sizeof(Value),
                                           std::as_bytes(std::span(values).subspan(size_t(p) * rows, rows)));
                !r)
                return r;
        return {};
    };
    if (auto r = KeptPairs::each(kept, fresh, send); !r) return r;
    return commands_->finish();
}

Result<void> GpuWorld::step(float dt, uint32_t steps) {
    PX_ZONE("step on the device");
    Result<world::SolverSettings> solver = world::make_solver_settings(settings_, dt, data_.bounces);
    if (!solver) return Error{solver.error()};
    cost_ = {};
    uint32_t repeats = 0;
    for (uint32_t left = steps; left > 0;) {
        uint32_t now = std::min(left, kMaxStepsInASubmit);
        if (step_seconds_ > 0.0)
            now = std::clamp(uint32_t(kMaxSubmitSeconds / step_seconds_), 1u, now);
        else
            now = 1;  // nobody knows yet how long it takes
        const uint64_t before = steps_done_;
        if (auto r = submit(solver.value(), now); !r) return r;
        const uint32_t done = uint32_t(steps_done_ - before);
        left -= done;
        if (done > 0) repeats = 0;
        if (status_.stopped == 0) continue;
        if (++repeats > kMaxRepeats)
            return Error{fmt::format("The world on {} found no room for {} pairs after {} attempts.",
                                     device_->info().name, status_.pairs_wanted, repeats - 1)};
        ++cost_.repeats;
        const uint32_t wanted = status_.pairs_wanted;
        if (auto r = grow(std::max(wanted + wanted / 4, sizes_.pairs + sizes_.pairs / 4)); !r) return r;
    }
    return {};
}

Result<void> GpuWorld::download(physics::PhysicsWorld& world) {
    poses_.resize(data_.poses.size());
    velocities_.resize(data_.velocities.size());
    const bool casualties = status_.quarantined != quarantined_;
    std::vector<WorldBody> bodies(casualties ? data_.bodies.size() : 0);
    if (auto r = commands_->begin(); !r) return r;
    commands_->barrier(GpuAccess::kernels, GpuAccess::copies);
    if (auto r = commands_->download(buffers_.poses, std::span(poses_)); !r) return r;
    if (auto r = commands_->download(buffers_.velocities, std::span(velocities_)); !r) return r;
    if (casualties)
        if (auto r = commands_->download(buffers_.bodies, std::span(bodies)); !r) return r;
    if (auto r = commands_->finish(); !r) return r;
    world::scatter(data_, poses_, velocities_, world);
    for (size_t i = 0; i < bodies.size(); ++i) {
        if (!(flags_of(bodies[i]) & world::kQuarantined) || (flags_of(data_.bodies[i]) & world::kQuarantined)) continue;
        world.registry().emplace_or_replace<physics::Quarantined>(data_.entities[i], physics::Quarantined{steps_done_});
        data_.bodies[i] = bodies[i];
    }
    quarantined_ = status_.quarantined;
    return {};
}

uint64_t GpuWorld::device_bytes() const {
    return buffers_.bytes() + pair_stage_->bytes() + contact_stage_->bytes() + solver_stage_->bytes();
}

}  // namespace proxima::compute
