// SPDX-License-Identifier: MIT
// The contact stage by itself: shapes, pairs and poses come from the test, contacts go back to it.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "compute/world/contacts/contact_stage.h"
#include "compute/world/world_data.h"
#include "physics/narrowphase/collide.h"
#include "tests/gpu/gpu_test.h"

namespace proxima::test {

namespace world = compute::world;

inline Vec3 to_vec3(const world::vec4& v) { return {v.x, v.y, v.z}; }

/// A shape of the library and where it is; the centre of mass lies beside it.
struct PlacedShape {
    physics::ShapeId shape{};
    Transform pose;
    Vec3 centre{0.0f, 0.0f, 0.0f};  // of mass, about the shape's origin, world
};
/// Two of them by their indices, the smaller one first.
struct PairOf {
    uint32_t a = 0, b = 0;
};

/// What the device has found about one pair.
struct FoundContact {
    Vec3 normal{0.0f, 1.0f, 0.0f};
    uint32_t count = 0, body_a = 0, body_b = 0, colour = 0;
    Vec3 shift{0.0f, 0.0f, 0.0f};
    float friction = 0.0f, restitution = 0.0f;
    Vec3 point[4];  // world
    float gap[4] = {};
    Vec3 lambda[4];
    uint32_t feature[4] = {};

    float deepest() const {
        float least = gap[0];
        for (uint32_t i = 1; i < count; ++i) least = std::min(least, gap[i]);
        return least;
    }
};

class ContactRig {
  public:
    explicit ContactRig(const GpuRig& gpu) : device_(gpu.device) {
        auto stage = world::ContactStage::create(device_);
        REQUIRE_MESSAGE(stage.ok(), stage.error());
        stage_ = std::move(stage.value());
        auto commands = engine::GpuCommands::create(device_, "contact rig");
        REQUIRE_MESSAGE(commands.ok(), commands.error());
        commands_ = std::move(commands.value());
    }

    physics::ShapeId add(const physics::ShapeDesc& desc) {
        const Result<physics::ShapeId> id = shapes.shapes().add(desc);
        REQUIRE_MESSAGE(id.ok(), id.error());
        return id.value();
    }
    const physics::Shape& shape(physics::ShapeId id) const { return shapes.shapes().get(id); }

    /// One body a shape, none of them related. `edit` may change the records before they go up. The larger a
    /// collider's level, the less it owns pairs: all have level 0 when there are no levels.
    template <class Edit>
    void begin(const std::vector<PlacedShape>& placed, uint32_t capacity, const Edit& edit,
               std::vector<uint32_t> levels = {}) {
        const Result<world::WorldData> gathered = world::gather(shapes);
        REQUIRE_MESSAGE(gathered.ok(), gathered.error());
        data = gathered.value();
        const uint32_t n = uint32_t(placed.size());
        data.bodies.assign(n, {});
        data.colliders.assign(n, {});
        data.velocities.assign(2 * n, {});
        for (uint32_t i = 0; i < n; ++i) {
            data.bodies[i].inverse1.w = std::bit_cast<float>(world::kDynamic);
            data.colliders[i].refs = {i, uint32_t(placed[i].shape), 1, 1};
            data.colliders[i].turn.w = 1.0f;
        }
        place(placed);
        edit(data);
        sizes = data.sizes(capacity);
        const Result<bool> made = buffers.prepare(device_, sizes);
        REQUIRE_MESSAGE(made.ok(), made.error());
        const Result<void> ready = stage_->prepare(buffers, sizes, world::ContactStage::kinds_of(data.shapes));
        REQUIRE_MESSAGE(ready.ok(), ready.error());
        submit([&] { REQUIRE(world::upload(*commands_, buffers, data).ok()); });
        levels_ = std::move(levels);
        levels_.resize(n, 0);
        std::vector<world::vec4> boxes(2 * n);
        for (uint32_t i = 0; i < n; ++i) boxes[2 * i].w = std::bit_cast<float>(levels_[i]);
        submit([&] { send(buffers.boxes, boxes); });
        runs_ = 0;
    }
    void begin(const std::vector<PlacedShape>& placed, uint32_t capacity) {
        begin(placed, capacity, [](world::WorldData&) {});
    }

    /// Poses of the bodies and colliders.
    void place(const std::vector<PlacedShape>& placed) {
        data.poses.clear();
        poses_.clear();
        for (const PlacedShape& s : placed) {
            const Vec3 c = s.pose.position + s.centre, x = s.pose.position;
            const world::vec4 q{s.pose.rotation.x, s.pose.rotation.y, s.pose.rotation.z, s.pose.rotation.w};
            data.poses.push_back({c.x, c.y, c.z, 0.0f});
            data.poses.push_back(q);
            poses_.push_back({x.x, x.y, x.z, 0.0f});
            poses_.push_back(q);
        }
    }

    /// One step's contacts, in the order of `pairs`. Those of the last run are the step before.
    std::vector<FoundContact> run(const std::vector<PairOf>& pairs, const world::ContactSettings& settings,
                                  uint32_t stopped = 0) {
        const uint32_t parity = runs_ & 1u, capacity = sizes.pairs, n = uint32_t(pairs.size());
        REQUIRE(n <= capacity);
        const world::PairBuffers& now = buffers.now(parity);
        sort_pairs(pairs);
        std::vector<world::vec4> manifolds(world::kManifoldPlanes * capacity), points(world::kMaxPoints * capacity),
            lambda(world::kMaxPoints * capacity);
        std::vector<uint32_t> colours(capacity);
        const uint32_t status[4] = {stopped, 0, n, 0};
        const uint32_t groups[4] = {(n + world::kWorkgroup - 1) / world::kWorkgroup, 1, 1, 0};
        submit([&] {
            send(buffers.poses, data.poses);
            send(buffers.collider_poses, poses_);
            send(now.offsets, offsets_);
            send(now.a, a_);
            send(now.b, b_);
            send(buffers.status, status);
            send(buffers.arguments, groups);
        });
        submit([&] {
            commands_->barrier(engine::GpuAccess::copies, engine::GpuAccess::kernels);
            const uint32_t begin = commands_->timestamp();
            stage_->record(*commands_, parity, settings);
            const uint32_t end = commands_->timestamp();
            times_[0] = begin;
            times_[1] = end;
            commands_->barrier(engine::GpuAccess::kernels, engine::GpuAccess::copies);
            REQUIRE(commands_->download(now.manifolds, std::span(manifolds)).ok());
            REQUIRE(commands_->download(now.points, std::span(points)).ok());
            REQUIRE(commands_->download(now.lambda, std::span(lambda)).ok());
            REQUIRE(commands_->download(now.colours, std::span(colours)).ok());
        });
        seconds = commands_->seconds_between(times_[0], times_[1]);
        ++runs_;
        std::vector<FoundContact> found(n);
        for (uint32_t i = 0; i < n; ++i) {
            FoundContact& f = found[i];
            const uint32_t p = slots_[i];
            const world::vec4 &head = manifolds[p], &shift = manifolds[capacity + p],
                              &ends = manifolds[2 * capacity + p];
            f.normal = to_vec3(head);
            f.count = std::bit_cast<uint32_t>(head.w);
            f.shift = to_vec3(shift);
            f.friction = shift.w;
            f.body_a = std::bit_cast<uint32_t>(ends.x);
            f.body_b = std::bit_cast<uint32_t>(ends.y);
            f.restitution = ends.z;
            f.colour = colours[p];
            if (stopped == 0) REQUIRE(f.count <= world::kMaxPoints);
            for (uint32_t k = 0; k < std::min(f.count, world::kMaxPoints); ++k) {
                f.point[k] = to_vec3(points[k * capacity + p]) + to_vec3(data.poses[2 * f.body_a]);
                f.gap[k] = points[k * capacity + p].w;
                f.lambda[k] = to_vec3(lambda[k * capacity + p]);
                f.feature[k] = std::bit_cast<uint32_t>(lambda[k * capacity + p].w);
            }
        }
        return found;
    }

    /// Impulses and colours of the last run, as a solver would leave them.
    template <class Impulse, class Colour>
    void solve(const std::vector<FoundContact>& found, const Impulse& impulse, const Colour& colour) {
        const world::PairBuffers& turn = buffers.before(runs_ & 1u);
        const uint32_t capacity = sizes.pairs;
        std::vector<world::vec4> lambda(world::kMaxPoints * capacity);
        std::vector<uint32_t> colours(capacity, world::kNone);
        for (uint32_t i = 0; i < found.size(); ++i) {
            colours[slots_[i]] = colour(i);
            for (uint32_t k = 0; k < found[i].count; ++k) {
                const Vec3 l = impulse(i, k);
                lambda[k * capacity + slots_[i]] = {l.x, l.y, l.z, std::bit_cast<float>(found[i].feature[k])};
            }
        }
        submit([&] {
            send(turn.lambda, lambda);
            send(turn.colours, colours);
        });
    }

    template <class Values>
    void send(const engine::GpuBuffer& buffer, const Values& values) {
        const auto bytes = std::as_bytes(std::span(values));
        if (!bytes.empty()) REQUIRE(commands_->upload(buffer, 0, bytes).ok());
    }
    template <class Record>
    void submit(const Record& record) {
        REQUIRE(commands_->begin().ok());
        record();
        const Result<void> done = commands_->finish();
        REQUIRE_MESSAGE(done.ok(), done.error());
    }

    const world::ContactStage& stage() const { return *stage_; }

    physics::PhysicsWorld shapes;  // for its library only
    world::WorldData data;
    world::WorldSizes sizes;
    world::WorldBuffers buffers;
    double seconds = 0.0;  // of the last run, by the device's clock

  private:
    /// Slots as the pair stage gives them: by owner, and by partner in an owner's list.
    void sort_pairs(const std::vector<PairOf>& pairs) {
        const auto owner = [&](const PairOf& p) { return levels_[p.b] < levels_[p.a] ? p.b : p.a; };
        std::vector<uint32_t> order(pairs.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](uint32_t i, uint32_t k) {
            const uint32_t oi = owner(pairs[i]), ok = owner(pairs[k]);
            const uint32_t pi = pairs[i].a + pairs[i].b - oi, pk = pairs[k].a + pairs[k].b - ok;
            return oi != ok ? oi < ok : pi < pk;
        });
        offsets_.assign(levels_.size() + 1, 0);
        a_.resize(pairs.size());
        b_.resize(pairs.size());
        slots_.resize(pairs.size());
        for (uint32_t slot = 0; slot < order.size(); ++slot) {
            const PairOf& pair = pairs[order[slot]];
            a_[slot] = pair.a;
            b_[slot] = pair.b;
            slots_[order[slot]] = slot;
            ++offsets_[owner(pair) + 1];
        }
        for (size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
    }

    std::shared_ptr<engine::GpuDevice> device_;
    std::unique_ptr<world::ContactStage> stage_;
    std::unique_ptr<engine::GpuCommands> commands_;
    std::vector<uint32_t> levels_, offsets_, a_, b_, slots_;
    std::vector<world::vec4> poses_;
    uint32_t runs_ = 0, times_[2] = {0, 0};
};

}  // namespace proxima::test
