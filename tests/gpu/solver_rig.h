// SPDX-License-Identifier: MIT
// The solver stage of a world on the device for a test: manifolds are given by the host, what the step makes
// of them is read back.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compute/world/solver/solver_stage.h"
#include "compute/world/world_data.h"
#include "physics/components.h"
#include "tests/gpu/gpu_test.h"
#include "tests/support/random.h"

namespace proxima::test {

namespace cw = compute::world;

inline Vec3 to_vec3(const cw::vec4& v) { return {v.x, v.y, v.z}; }
inline float bits(uint32_t word) { return std::bit_cast<float>(word); }
inline uint32_t word(float x) { return std::bit_cast<uint32_t>(x); }

struct HostPoint {
    Vec3 arm{0.0f, 0.0f, 0.0f};
    float gap = 0.0f;
    Vec3 lambda{0.0f, 0.0f, 0.0f};
};
struct HostManifold {
    uint32_t a = 0, b = 0;
    Vec3 normal{0.0f, 1.0f, 0.0f}, shift{0.0f, 0.0f, 0.0f};
    float friction = 0.5f, restitution = 0.0f;
    uint32_t surface = 0;  // kFrameOnB, kRollsA, kRollsB
    std::vector<HostPoint> points;
    uint32_t colour = cw::kNone;
};

/// Bodies and manifolds as the stage gets them, and as it leaves them.
struct HostStep {
    std::vector<cw::WorldBody> bodies;
    std::vector<cw::vec4> poses, velocities;
    std::vector<HostManifold> manifolds;
    cw::WorldStatus status{};

    bool is_dynamic(uint32_t body) const { return (word(bodies[body].inverse1.w) & cw::kDynamic) != 0; }
};

/// A body as large as a cube of a metre; a mass of 0 is one that cannot move.
inline void add_body(HostStep& step, float mass, const Sym3& inertia, const Vec3& centre, uint32_t more_flags = 0) {
    cw::WorldBody b{};
    uint32_t flags = more_flags;
    if (mass > 0.0f) {
        flags |= cw::kDynamic;
        const Sym3 i = inverse(inertia);
        b.inverse0 = {i.xx, i.yy, i.zz, i.xy};
        b.inverse1 = {i.xz, i.yz, 1.0f / mass, 0.0f};
        b.inertia0 = {inertia.xx, inertia.yy, inertia.zz, inertia.xy};
        b.inertia1 = {inertia.xz, inertia.yz, mass, 1.0f};
    }
    b.inverse1.w = bits(flags);
    b.before0.w = 0.8660254f;
    step.bodies.push_back(b);
    step.poses.push_back({centre.x, centre.y, centre.z, 0.0f});
    step.poses.push_back({0.0f, 0.0f, 0.0f, 1.0f});
    step.velocities.resize(step.velocities.size() + 2);
}

/// Poses and velocities of a world.
inline HostStep bodies_of(const physics::PhysicsWorld& world) {
    Result<cw::WorldData> data = cw::gather(world);
    REQUIRE_MESSAGE(data.ok(), data.error());
    HostStep step;
    step.bodies = data->bodies;
    step.poses = data->poses;
    step.velocities = data->velocities;
    return step;
}

/// The manifolds that a world has now, with the gaps that they have at the poses of `step`, in the order of their
/// entities, or of their colours on the cpu and then of those.
inline void add_manifolds(const physics::PhysicsWorld& world, HostStep& step, bool by_colour = false) {
    std::unordered_map<physics::Entity, uint32_t> slot_of;
    for (uint32_t i = 0; i < world.bodies().size(); ++i) slot_of.emplace(world.bodies()[i], i);
    const auto centre = [&](uint32_t body) { return to_vec3(step.poses[2 * body]); };
    const auto rotation = [&](uint32_t body) {
        const cw::vec4& q = step.poses[2 * body + 1];
        return Quat(q.w, q.x, q.y, q.z);
    };
    std::vector<std::pair<std::pair<uint32_t, physics::Entity>, HostManifold>> found;
    for (const physics::ContactView& pair : world.contacts()) {
        const physics::Manifold& m = *pair.manifold;
        HostManifold h;
        h.a = slot_of.at(pair.body_a);
        h.b = slot_of.at(pair.body_b);
        h.normal = rotation(m.frame_on_b ? h.b : h.a) * m.frame_normal;
        h.shift = centre(h.a) - centre(h.b);
        h.friction = m.friction;
        h.restitution = m.restitution;
        h.surface =
            (m.frame_on_b ? cw::kFrameOnB : 0u) | (m.rolls & 1u ? cw::kRollsA : 0u) | (m.rolls & 2u ? cw::kRollsB : 0u);
        for (uint32_t k = 0; k < m.count; ++k) {
            const physics::ManifoldPoint& p = m.points[k];
            const Vec3 on_a = rotation(h.a) * p.anchor_a, on_b = rotation(h.b) * p.anchor_b - h.shift;
            h.points.push_back({0.5f * (on_a + on_b), glm::dot(h.normal, on_b - on_a), p.lambda});
        }
        found.emplace_back(std::pair(by_colour ? uint32_t(m.colour) : 0u, pair.pair), h);
    }
    std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (auto& [order, manifold] : found) step.manifolds.push_back(std::move(manifold));
}

class SolverRig {
  public:
    explicit SolverRig(const GpuRig& gpu) : device_(gpu.device) {
        auto stage = cw::SolverStage::create(device_);
        REQUIRE_MESSAGE(stage.ok(), stage.error());
        stage_ = std::move(stage.value());
        auto commands = engine::GpuCommands::create(device_, "solver test");
        REQUIRE_MESSAGE(commands.ok(), commands.error());
        commands_ = std::move(commands.value());
    }

    cw::SolverStage& stage() { return *stage_; }
    engine::GpuCommands& commands() { return *commands_; }

    /// One step: everything goes up, the stage runs, everything comes back.
    void run(HostStep& step, const cw::SolverSettings& settings, uint32_t parity = 0) {
        const uint32_t pairs = uint32_t(step.manifolds.size());
        capacity_ = std::max(capacity_, pairs + pairs / 3 + 1);
        cw::WorldSizes sizes;
        sizes.bodies = uint32_t(step.bodies.size());
        sizes.pairs = capacity_;
        REQUIRE(world_.prepare(device_, sizes).ok());
        REQUIRE(stage_->prepare(world_, sizes).ok());
        pack(step);
        REQUIRE(commands_->begin().ok());
        const cw::PairBuffers& now = world_.now(parity);
        const cw::uvec4 groups{(pairs + cw::kWorkgroup - 1) / cw::kWorkgroup, 1, 1, 0};
        step.status.pairs = pairs;
        send(world_.bodies, step.bodies);
        send(world_.poses, step.poses);
        send(world_.velocities, step.velocities);
        send(world_.status, std::vector<cw::WorldStatus>{step.status});
        send(world_.arguments, std::vector<cw::uvec4>{groups});
        send(now.manifolds, manifolds_);
        send(now.points, points_);
        send(now.lambda, lambda_);
        send(now.colours, colours_);
        commands_->barrier(engine::GpuAccess::copies, engine::GpuAccess::kernels | engine::GpuAccess::arguments);
        stage_->record(*commands_, parity, settings);
        commands_->barrier(engine::GpuAccess::kernels, engine::GpuAccess::copies);
        std::vector<cw::WorldStatus> status(1);
        receive(world_.bodies, step.bodies);
        receive(world_.poses, step.poses);
        receive(world_.velocities, step.velocities);
        receive(world_.status, status);
        receive(now.lambda, lambda_);
        receive(now.colours, colours_);
        const Result<void> finished = commands_->finish();
        REQUIRE_MESSAGE(finished.ok(), finished.error());
        step.status = status[0];
        unpack(step);
    }

  private:
    template <class T>
    void send(const engine::GpuBuffer& buffer, const std::vector<T>& values) {
        REQUIRE(commands_->upload(buffer, std::span<const T>(values)).ok());
    }
    template <class T>
    void receive(const engine::GpuBuffer& buffer, std::vector<T>& values) {
        REQUIRE(commands_->download(buffer, std::span<T>(values)).ok());
    }
    void pack(const HostStep& step) {
        const uint32_t n = capacity_;
        manifolds_.assign(cw::kManifoldPlanes * n, {});
        points_.assign(cw::kMaxPoints * n, {});
        lambda_.assign(cw::kMaxPoints * n, {});
        colours_.assign(n, cw::kNone);
        for (uint32_t p = 0; p < step.manifolds.size(); ++p) {
            const HostManifold& m = step.manifolds[p];
            manifolds_[p] = {m.normal.x, m.normal.y, m.normal.z, bits(uint32_t(m.points.size()))};
            manifolds_[cw::kPlaneShift * n + p] = {m.shift.x, m.shift.y, m.shift.z, m.friction};
            manifolds_[cw::kPlaneBodies * n + p] = {bits(m.a), bits(m.b), m.restitution, bits(m.surface)};
            colours_[p] = m.colour;
            for (uint32_t k = 0; k < m.points.size(); ++k) {
                const HostPoint& q = m.points[k];
                points_[k * n + p] = {q.arm.x, q.arm.y, q.arm.z, q.gap};
                lambda_[k * n + p] = {q.lambda.x, q.lambda.y, q.lambda.z, bits(100 * p + k)};
            }
        }
    }
    void unpack(HostStep& step) {
        for (uint32_t p = 0; p < step.manifolds.size(); ++p) {
            HostManifold& m = step.manifolds[p];
            m.colour = colours_[p];
            for (uint32_t k = 0; k < m.points.size(); ++k) {
                m.points[k].lambda = to_vec3(lambda_[k * capacity_ + p]);
                CHECK(word(lambda_[k * capacity_ + p].w) == 100 * p + k);  // features are not the solver's
            }
        }
    }

    std::shared_ptr<engine::GpuDevice> device_;
    std::unique_ptr<cw::SolverStage> stage_;
    std::unique_ptr<engine::GpuCommands> commands_;
    cw::WorldBuffers world_;
    uint32_t capacity_ = 0;
    std::vector<cw::vec4> manifolds_, points_, lambda_;
    std::vector<uint32_t> colours_;
};

inline Vec3 in_box(Random& random, float half) {
    return {random.between(-half, half), random.between(-half, half), random.between(-half, half)};
}
inline Vec3 direction(Random& random) {
    Vec3 v = in_box(random, 1.0f);
    while (glm::length(v) < 0.1f) v = in_box(random, 1.0f);
    return glm::normalize(v);
}

inline cw::SolverSettings settings_of(cw::SolveMethod method, uint32_t substeps, uint32_t iterations, uint32_t relax) {
    physics::StepSettings step;
    step.substeps = substeps;
    step.iterations = iterations;
    step.relax_iterations = relax;
    Result<cw::SolverSettings> made = cw::make_solver_settings(step, 1.0f / 60.0f, false);
    REQUIRE(made.ok());
    made->method = method;
    return made.value();
}

/// No two manifolds of a colour share a body that moves; manifolds without a colour are counted.
inline uint32_t check_colours(const HostStep& step) {
    std::vector<uint32_t> used(step.bodies.size(), 0);
    uint32_t without = 0, clashes = 0;
    for (const HostManifold& m : step.manifolds) {
        if (m.colour == cw::kNone) {
            ++without;
            continue;
        }
        REQUIRE(m.colour < cw::kMaxColours);
        const uint32_t bit = 1u << m.colour;
        for (const uint32_t body : {m.a, m.b}) {
            if (!step.is_dynamic(body)) continue;
            if (used[body] & bit) ++clashes;
            used[body] |= bit;
        }
    }
    CHECK(clashes == 0);
    return without;
}

/// So many bodies, every tenth of which cannot move, with manifolds between any two.
inline HostStep random_contacts(uint32_t bodies, uint32_t manifolds, uint32_t seed) {
    Random random{seed};
    HostStep step;
    for (uint32_t i = 0; i < bodies; ++i)
        add_body(step, i % 10 == 0 ? 0.0f : 1.0f, {0.2f, 0.3f, 0.4f, 0.0f, 0.0f, 0.0f}, in_box(random, 10.0f));
    for (uint32_t i = 0; i < manifolds; ++i) {
        HostManifold m;
        m.a = random.below(bodies);
        do m.b = random.below(bodies);
        while (m.a == m.b || (!step.is_dynamic(m.a) && !step.is_dynamic(m.b)));
        m.normal = direction(random);
        for (uint32_t k = 0; k <= random.below(4); ++k) m.points.push_back({in_box(random, 0.5f), 0.001f, {}});
        m.shift = to_vec3(step.poses[2 * m.a]) - to_vec3(step.poses[2 * m.b]);
        step.manifolds.push_back(m);
    }
    return step;
}

/// The same bits in everything that a step leaves behind.
inline bool same_bits(const HostStep& x, const HostStep& y) {
    const auto same = [](const auto& p, const auto& q) {
        return p.size() == q.size() && std::memcmp(p.data(), q.data(), p.size() * sizeof(p[0])) == 0;
    };
    if (!same(x.bodies, y.bodies) || !same(x.poses, y.poses) || !same(x.velocities, y.velocities)) return false;
    if (std::memcmp(&x.status, &y.status, sizeof(x.status)) != 0) return false;
    for (size_t p = 0; p < x.manifolds.size(); ++p) {
        if (x.manifolds[p].colour != y.manifolds[p].colour) return false;
        for (size_t k = 0; k < x.manifolds[p].points.size(); ++k)
            if (x.manifolds[p].points[k].lambda != y.manifolds[p].points[k].lambda) return false;
    }
    return true;
}

}  // namespace proxima::test
