// SPDX-License-Identifier: MIT
// The pair stage of a world on the device with everything around it that a test needs, and crowds to try it with.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "compute/world/pairs/pair_plan.h"
#include "compute/world/pairs/pair_stage.h"
#include "compute/world/world_buffers.h"
#include "compute/world/world_data.h"
#include "physics/world.h"
#include "tests/gpu/gpu_test.h"

namespace proxima::test {

using compute::world::vec4;
using compute::world::WorldData;
using compute::world::WorldStatus;

/// What one run of the stage has left on the device.
struct FoundPairs {
    WorldStatus status{};
    compute::world::uvec4 groups;  // of kernels over pairs
    std::vector<uint32_t> offsets, a, b;
    std::vector<vec4> boxes, collider_poses, poses;

    uint32_t level(uint32_t collider) const { return std::bit_cast<uint32_t>(boxes[2 * collider].w); }
    /// Against those of the level `large` bodies are looked at as far as they go.
    bool boxes_overlap(uint32_t i, uint32_t j, uint32_t large) const {
        const vec4 &li = boxes[2 * i], &hi = boxes[2 * i + 1], &lj = boxes[2 * j], &hj = boxes[2 * j + 1];
        const float more = level(i) == large || level(j) == large ? hi.w + hj.w : 0.0f;
        return li.x - more <= hj.x && lj.x - more <= hi.x && li.y - more <= hj.y && lj.y - more <= hi.y &&
               li.z - more <= hj.z && lj.z - more <= hi.z;
    }
    /// Sorted by (a, b).
    std::vector<std::pair<uint32_t, uint32_t>> pairs() const {
        std::vector<std::pair<uint32_t, uint32_t>> all;
        for (size_t k = 0; k < a.size(); ++k) all.emplace_back(a[k], b[k]);
        std::sort(all.begin(), all.end());
        return all;
    }
};

class PairRig {
  public:
    GpuRig gpu;
    WorldData data;
    std::unique_ptr<compute::world::PairStage> stage;
    std::unique_ptr<engine::GpuCommands> commands;
    compute::world::WorldBuffers buffers;

    PairRig() {
        if (!gpu) return;
        Result<std::unique_ptr<compute::world::PairStage>> made = compute::world::PairStage::create(gpu.device);
        REQUIRE_MESSAGE(made.ok(), made.error());
        stage = std::move(made.value());
        Result<std::unique_ptr<engine::GpuCommands>> recorder = engine::GpuCommands::create(gpu.device, "test");
        REQUIRE_MESSAGE(recorder.ok(), recorder.error());
        commands = std::move(recorder.value());
    }

    void load(const physics::PhysicsWorld& world, uint32_t capacity) {
        Result<WorldData> gathered = compute::world::gather(world);
        REQUIRE_MESSAGE(gathered.ok(), gathered.error());
        data = std::move(gathered.value());
        prepare(capacity);
    }
    void prepare(uint32_t capacity) {
        capacity_ = capacity;
        REQUIRE(buffers.prepare(gpu.device, data.sizes(capacity)).ok());
        const Result<void> ready = stage->prepare(buffers, data.sizes(capacity), data);
        REQUIRE_MESSAGE(ready.ok(), ready.error());
    }

    /// Sends the data and runs the stage once. `stopped` is what the step before is said to have left.
    FoundPairs run(float dt = 0.0f, uint32_t parity = 0, uint32_t stopped = 0) {
        FoundPairs out;
        const uint32_t n = uint32_t(data.colliders.size());
        REQUIRE(commands->begin().ok());
        REQUIRE(compute::world::upload(*commands, buffers, data).ok());
        commands->barrier(engine::GpuAccess::copies, engine::GpuAccess::copies | engine::GpuAccess::kernels);
        if (stopped) commands->fill(buffers.status, 0, sizeof(uint32_t), stopped);
        commands->barrier(engine::GpuAccess::copies, engine::GpuAccess::kernels | engine::GpuAccess::arguments);
        stage->record(*commands, parity, dt);
        commands->barrier(engine::GpuAccess::kernels, engine::GpuAccess::copies);
        const compute::world::PairBuffers& now = buffers.now(parity);
        const auto fetch = [&](const engine::GpuBuffer& buffer, auto& into, size_t count) {
            into.resize(count);
            if (count) REQUIRE(commands->download(buffer, std::span(into)).ok());
        };
        REQUIRE(commands->download(buffers.status, std::span(&out.status, 1)).ok());
        REQUIRE(commands->download(buffers.arguments, std::span(&out.groups, 1)).ok());
        fetch(now.offsets, out.offsets, n + 1);
        fetch(now.a, out.a, capacity_);
        fetch(now.b, out.b, capacity_);
        fetch(buffers.boxes, out.boxes, 2 * n);
        fetch(buffers.collider_poses, out.collider_poses, 2 * n);
        fetch(buffers.poses, out.poses, data.poses.size());
        const Result<void> done = commands->finish();
        REQUIRE_MESSAGE(done.ok(), done.error());
        const size_t pairs = std::min(out.status.pairs, capacity_);
        out.a.resize(pairs);
        out.b.resize(pairs);
        return out;
    }

    uint32_t flags(uint32_t collider) const {
        return std::bit_cast<uint32_t>(data.bodies[data.colliders[collider].refs.x].inverse1.w);
    }

    /// Every pair that there should be, by looking at all, with the boxes that the device has.
    std::vector<std::pair<uint32_t, uint32_t>> expected(const FoundPairs& found) const {
        std::vector<std::pair<uint32_t, uint32_t>> all;
        const uint32_t n = uint32_t(data.colliders.size());
        using namespace compute::world;
        const uint32_t large = uint32_t(plan_pairs(data).levels.size()) - 1;
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t j = i + 1; j < n; ++j) {
                const uvec4 &x = data.colliders[i].refs, &y = data.colliders[j].refs;
                if (!found.boxes_overlap(i, j, large)) continue;
                if (x.x == y.x || !(x.z & y.w) || !(y.z & x.w)) continue;
                if (!((flags(i) | flags(j)) & kDynamic) || ((flags(i) | flags(j)) & kQuarantined)) continue;
                all.emplace_back(i, j);
            }
        return all;
    }

    /// The whole of what the list promises: the right pairs, each once, in the list of its owner and in order.
    void check(const FoundPairs& found) const {
        CHECK(found.status.stopped == 0);
        CHECK(found.groups.x == (found.status.pairs + compute::world::kWorkgroup - 1) / compute::world::kWorkgroup);
        CHECK(found.pairs() == expected(found));
        const uint32_t n = uint32_t(data.colliders.size());
        CHECK(found.offsets[0] == 0);
        CHECK(found.offsets[n] == found.status.pairs);
        uint32_t wrong = 0;
        for (uint32_t owner = 0; owner < n; ++owner)
            for (uint32_t k = found.offsets[owner]; k < found.offsets[owner + 1]; ++k) {
                const uint32_t a = found.a[k], b = found.b[k];
                const uint32_t should = found.level(b) < found.level(a) ? b : a;
                const uint32_t partner = a + b - owner;
                const bool ordered = k == found.offsets[owner] || found.a[k - 1] + found.b[k - 1] - owner < partner;
                if (a >= b || owner != should || !ordered) ++wrong;
            }
        CHECK(wrong == 0);
    }

  private:
    uint32_t capacity_ = 0;
};

/// Numbers that are the same on every machine.
class Chance {
  public:
    explicit Chance(uint32_t seed) : engine_(seed) {}
    float in(float low, float high) { return low + (high - low) * (float(engine_() >> 8) * (1.0f / 16777216.0f)); }
    uint32_t below(uint32_t n) { return engine_() % n; }
    Vec3 point(float size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
    Quat rotation() {
        const Quat q(in(-1.0f, 1.0f), in(-1.0f, 1.0f), in(-1.0f, 1.0f), in(-1.0f, 1.0f));
        return glm::dot(q, q) > 1e-4f ? glm::normalize(q) : Quat(1.0f, 0.0f, 0.0f, 0.0f);
    }

  private:
    std::mt19937 engine_;
};

inline const Quat kNoTurn(1.0f, 0.0f, 0.0f, 0.0f);

struct CrowdOptions {
    uint32_t bodies = 1000;
    float smallest = 0.1f, largest = 1.0f;                    // m, sizes of shapes; small ones are more frequent
    float spread = 10.0f;                                     // m, half of the cube that they stand in
    float fixed = 0.1f, kinematic = 0.05f, compound = 0.15f;  // parts of all bodies
    float speed = 0.0f;                                       // m/s, most along each axis
    bool layers = false;
    bool floor = true;
};

inline physics::ShapeDesc some_shape(Chance& chance, float size) {
    physics::ShapeDesc desc;
    desc.type = physics::ShapeType(chance.below(4));
    desc.radius = 0.5f * size * chance.in(0.5f, 1.0f);
    desc.half_height = 0.5f * size * chance.in(0.2f, 1.0f);
    desc.half_extents = 0.5f * size * Vec3(chance.in(0.2f, 1.0f), chance.in(0.2f, 1.0f), chance.in(0.2f, 1.0f));
    if (desc.type == physics::ShapeType::hull) {
        // Points of a ball that is not about the origin.
        const Vec3 middle = chance.point(0.3f * size);
        for (uint32_t k = 8 + chance.below(12); k > 0; --k)
            desc.points.push_back(middle + 0.5f * size * glm::normalize(chance.point(1.0f) + Vec3(1e-3f)));
    }
    return desc;
}

/// Bodies of all shapes and kinds at random.
inline void add_crowd(physics::PhysicsWorld& world, const CrowdOptions& options, uint32_t seed) {
    using physics::BodyType;
    Chance chance(seed);
    const auto add = [&](physics::Entity body, const physics::ShapeDesc& desc, const physics::Pose& local) {
        const Result<physics::ShapeId> shape = world.shapes().add(desc);
        REQUIRE_MESSAGE(shape.ok(), shape.error());
        physics::Collider collider;
        collider.shape = shape.value();
        collider.local = local;
        if (options.layers) {
            collider.layer = 1u << chance.below(4);
            collider.mask = chance.below(16);
        }
        const Result<physics::Entity> added = world.add_collider(body, collider);
        REQUIRE_MESSAGE(added.ok(), added.error());
    };
    const auto create = [&](const physics::BodyDesc& desc) {
        const Result<physics::Entity> body = world.create_body(desc);
        REQUIRE_MESSAGE(body.ok(), body.error());
        return body.value();
    };
    if (options.floor) {
        physics::ShapeDesc half_space;
        half_space.type = physics::ShapeType::half_space;
        const Quat tilted = glm::angleAxis(0.5f, glm::normalize(Vec3(1.0f, 0.0f, 1.0f)));
        add(create({.type = BodyType::fixed, .pose = {Vec3(0.0f, -0.6f * options.spread, 0.0f), kNoTurn}}), half_space,
            {});
        add(create({.type = BodyType::fixed, .pose = {Vec3(0.0f, -2.0f * options.spread, 0.0f), tilted}}), half_space,
            {});
    }
    for (uint32_t k = 0; k < options.bodies; ++k) {
        const float u = chance.in(0.0f, 1.0f), kind = chance.in(0.0f, 1.0f);
        const float size = options.smallest * std::pow(options.largest / options.smallest, u * u);
        physics::BodyDesc desc;
        desc.type = kind < options.fixed                       ? BodyType::fixed
                    : kind < options.fixed + options.kinematic ? BodyType::kinematic
                                                               : BodyType::dynamic;
        desc.pose = {chance.point(options.spread), chance.rotation()};
        if (options.speed > 0.0f && desc.type != BodyType::fixed)
            desc.velocity = {chance.point(options.speed), chance.point(options.speed)};
        const physics::Entity body = create(desc);
        add(body, some_shape(chance, size), {});
        if (chance.in(0.0f, 1.0f) < options.compound)
            for (uint32_t more = 1 + chance.below(3); more > 0; --more)
                add(body, some_shape(chance, size), {chance.point(size), chance.rotation()});
    }
}

}  // namespace proxima::test
