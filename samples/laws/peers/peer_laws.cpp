// SPDX-License-Identifier: MIT
#include "samples/laws/peers/peer_laws.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "physics/world.h"

namespace proxima::samples {

using namespace physics;
using bench::BodyState;
using bench::EngineBody;
using bench::EngineScene;
using bench::EngineShape;

namespace {

void write(const Vec3& v, float (&out)[3]) {
    for (int k = 0; k < 3; ++k) out[k] = v[k];
}
void write(const Quat& q, float (&out)[4]) {
    const float xyzw[4] = {q.x, q.y, q.z, q.w};
    std::copy(xyzw, xyzw + 4, out);
}
Vec3 read(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
Quat read(const float (&q)[4]) { return Quat(q[3], q[0], q[1], q[2]); }

/// What a body of the world is to the engine: its frame there is that of its principal moments, about its centre.
struct PeerBody {
    Entity entity = kNoEntity;
    BodyType type = BodyType::fixed;
    Transform local{};  // the engine's frame in the body's
    Pose pose{};        // as both know them
    Velocity velocity{};
};

/// Axes of the moments of inertia, where they are not those of the body's frame.
Quat principal_axes(const Sym3& inertia, Vec3& moments) {
    moments = {inertia.xx, inertia.yy, inertia.zz};
    const float off = std::max({std::abs(inertia.xy), std::abs(inertia.xz), std::abs(inertia.yz)});
    if (off <= 1e-5f * std::max({moments.x, moments.y, moments.z})) return Quat(1.0f, 0.0f, 0.0f, 0.0f);
    Eigen::Matrix3d m;
    m << inertia.xx, inertia.xy, inertia.xz, inertia.xy, inertia.yy, inertia.yz, inertia.xz, inertia.yz, inertia.zz;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(m);
    Eigen::Matrix3d axes = solver.eigenvectors();
    if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
    for (int k = 0; k < 3; ++k) moments[k] = float(solver.eigenvalues()[k]);
    const Eigen::Quaterniond q(axes);
    return Quat(float(q.w()), float(q.x()), float(q.y()), float(q.z()));
}

/// A body as a sentence names it.
Error refuse(size_t body, const char* what) { return Error{fmt::format("Body {} {}.", body, what)}; }

Result<EngineShape> convert(const Shape& shape, const Transform& local, size_t body) {
    EngineShape out;
    const std::optional<bench::ShapeKind> kind = bench::shape_kind(shape.type);
    if (!kind) return refuse(body, "is of a shape that is not translated for other engines");
    out.kind = *kind;
    write(shape.half_extents, out.half_extents);
    out.radius = shape.radius;
    out.half_height = shape.half_height;
    if (out.kind == bench::ShapeKind::hull)
        for (const Vec3& vertex : shape.polytope.vertices) {
            const Vec3 p = to_local(local, vertex);
            out.points.insert(out.points.end(), {p.x, p.y, p.z});
        }
    return out;
}

/// nullptr, or why other engines cannot have it.
const char* fault_of(const RigidBody& body, std::span<const Entity> colliders, const entt::registry& registry) {
    if (colliders.size() != 1) return "does not have exactly one collider";
    if (body.linear_damping != 0.0f || body.angular_damping != 0.0f) return "is damped";
    if (body.gravity_scale != 1.0f) return "has a gravity of its own";
    const Collider& collider = registry.get<Collider>(colliders[0]);
    const Material& m = collider.material;
    const Pose none;
    if (collider.local.position != none.position || collider.local.rotation != none.rotation)
        return "has a collider that is moved or turned";
    if (m.friction_combine != Combine::geometric_mean || m.restitution_combine != Combine::maximum)
        return "has a surface whose coefficients meet others in another way";
    if (m.friction_direction != Vec3(0.0f) || m.torsional_friction != 0.0f || m.rolling_friction != 0.0f)
        return "has a grain, or torsional or rolling friction";
    if (m.surface_velocity != Vec3(0.0f)) return "has a surface that moves along itself";
    return nullptr;
}

/// Half the sides of the box that stands for a half-space: wider than anything goes in a law, and so thick that nothing
/// passes. Small ones where things are small, because coordinates of large boxes are rough.
Vec3 slab_for(const PhysicsWorld& world) {
    float largest = 0.0f;
    for (const Entity body : world.bodies())
        for (const Entity collider : world.colliders(body)) {
            const float r = world.shapes().get(world.registry().get<Collider>(collider).shape).bounding_radius;
            if (std::isfinite(r)) largest = std::max(largest, r);
        }
    const float wide = 5.0f + 200.0f * largest;
    return {wide, 1.0f + 2.0f * largest, wide};
}

Result<void> add_body(const PhysicsWorld& world, Entity entity, EngineScene& scene, std::vector<PeerBody>& bodies) {
    const entt::registry& registry = world.registry();
    const RigidBody& body = registry.get<RigidBody>(entity);
    const std::vector<Entity> colliders = world.colliders(entity);
    const size_t index = bodies.size();
    if (const char* fault = fault_of(body, colliders, registry)) return refuse(index, fault);
    const Collider& collider = registry.get<Collider>(colliders[0]);

    PeerBody& known =
        bodies.emplace_back(PeerBody{entity, body.type, Transform{}, world.pose(entity), world.velocity(entity)});
    EngineBody& to = scene.bodies.emplace_back();
    to.moves = body.type != BodyType::fixed;
    to.kinematic = body.type == BodyType::kinematic;
    to.friction = collider.material.friction;
    to.restitution = collider.material.restitution;
    if (body.type == BodyType::dynamic) {
        const Mass mass = world.mass(entity);
        Vec3 moments;
        known.local = {mass.center, principal_axes(mass.inertia, moments)};
        to.mass = double(mass.mass);
        write(moments, to.inertia);
    }
    const Shape& shape = world.shapes().get(collider.shape);
    Result<EngineShape> converted = convert(shape, known.local, index);
    if (!converted) return Error{converted.error()};
    if (converted->kind != bench::ShapeKind::hull && to_local(known.local, Vec3(0.0f)) != Vec3(0.0f))
        return refuse(index, "has its centre of mass elsewhere than its shape");
    if (converted->kind == bench::ShapeKind::half_space) write(slab_for(world), converted->half_extents);
    to.shape = uint32_t(scene.shapes.size());
    scene.shapes.push_back(std::move(converted.value()));

    const Transform pose = compose({known.pose.position, known.pose.rotation}, known.local);
    write(pose.position, to.position);
    write(pose.rotation, to.rotation);
    write(known.velocity.linear, to.linear_velocity);
    write(known.velocity.angular, to.angular_velocity);
    return {};
}

Result<void> add_joints(const PhysicsWorld& world, std::span<const PeerBody> bodies, EngineScene& scene) {
    size_t balls = 0;
    const auto index_of = [&](Entity entity) {
        return uint32_t(
            std::find_if(bodies.begin(), bodies.end(), [&](const PeerBody& body) { return body.entity == entity; }) -
            bodies.begin());
    };
    for (const auto [entity, joint] : world.registry().view<const BallJoint>().each()) {
        ++balls;
        if (joint.hertz != 0.0f) return Error{"A joint is a spring."};
        bench::EngineBallJoint& to = scene.joints.emplace_back();
        to.a = index_of(joint.body_a);
        to.b = index_of(joint.body_b);
        write(to_local(bodies[to.a].local, joint.anchor_a), to.anchor_a);
        write(to_local(bodies[to.b].local, joint.anchor_b), to.anchor_b);
    }
    size_t joints = 0;
    for ([[maybe_unused]] const auto [entity, state] : world.registry().view<const JointState>().each()) ++joints;
    if (joints != balls) return Error{"A joint is not a ball joint."};
    return {};
}

}  // namespace

class PeerLaws::Stepper final : public LawStepper {
  public:
    Stepper(PhysicsWorld& world, std::unique_ptr<bench::Engine> engine, std::vector<PeerBody> bodies)
        : world_(world), engine_(std::move(engine)), bodies_(std::move(bodies)), gravity_(world.settings().gravity) {}

    Result<void> step(float dt, uint32_t steps, bool changed) override {
        if (world_.bodies().size() != bodies_.size()) return Error{"Bodies came or went, which no law does yet."};
        if (changed) send_changes();
        for (uint32_t k = 0; k < steps; ++k) engine_->step(dt);
        for (size_t i = 0; i < bodies_.size(); ++i)
            if (bodies_[i].type != BodyType::fixed) fetch(uint32_t(i));
        return {};
    }

    /// By our own narrowphase: of a step that is too short for anything to move, which is then undone.
    float penetration_max() const override {
        constexpr float kNoTime = 1e-9f;
        engine::Snapshot before;
        world_.save(before);
        const bool stepped = world_.step(kNoTime).ok();
        const float deepest = stepped ? world_.report().penetration_max : std::numeric_limits<float>::quiet_NaN();
        (void)world_.restore(before);
        return deepest;
    }

  private:
    /// What the law has written since the last step; what it has not, the engine knows better, to the last bit.
    void send_changes() {
        if (world_.settings().gravity != gravity_) {
            gravity_ = world_.settings().gravity;
            const float gravity[3] = {gravity_.x, gravity_.y, gravity_.z};
            engine_->set_gravity(gravity);
        }
        for (size_t i = 0; i < bodies_.size(); ++i) {
            PeerBody& body = bodies_[i];
            const Pose pose = world_.pose(body.entity);
            const Velocity velocity = world_.velocity(body.entity);
            BodyState state;
            if (pose.position != body.pose.position || pose.rotation != body.pose.rotation) {
                const Transform there = compose({pose.position, pose.rotation}, body.local);
                write(there.position, state.position);
                write(there.rotation, state.rotation);
                engine_->set_pose(uint32_t(i), state);
                body.pose = pose;
            }
            if (velocity.linear != body.velocity.linear || velocity.angular != body.velocity.angular) {
                write(velocity.linear, state.linear_velocity);
                write(velocity.angular, state.angular_velocity);
                engine_->set_velocity(uint32_t(i), state);
                body.velocity = velocity;
            }
        }
    }

    void fetch(uint32_t index) {
        PeerBody& body = bodies_[index];
        const BodyState state = engine_->state(index);
        const Quat rotation = read(state.rotation) * glm::conjugate(body.local.rotation);
        body.pose = {read(state.position) - rotation * body.local.position, rotation};
        world_.registry().get<Pose>(body.entity) = body.pose;
        if (body.type == BodyType::kinematic) return;  // its velocity is the law's
        body.velocity = {read(state.linear_velocity), read(state.angular_velocity)};
        world_.registry().get<Velocity>(body.entity) = body.velocity;
        world_.registry().get<SleepState>(body.entity).asleep = engine_->is_asleep(index) ? 1 : 0;
    }

    PhysicsWorld& world_;
    std::unique_ptr<bench::Engine> engine_;
    std::vector<PeerBody> bodies_;
    Vec3 gravity_;
};

Result<std::unique_ptr<LawStepper>> PeerLaws::take(PhysicsWorld& world) {
    if (!description_.takes_laws) return Error{fmt::format("The adapter of {} has no laws.", peer_.title)};
    EngineScene scene;
    scene.law = true;
    scene.accurate = accurate_;
    scene.sleeping = world.settings().sleeping;
    write(world.settings().gravity, scene.gravity);
    std::vector<PeerBody> bodies;
    for (const Entity entity : world.bodies())
        if (const Result<void> added = add_body(world, entity, scene, bodies); !added) return Error{added.error()};
    if (const Result<void> added = add_joints(world, bodies, scene); !added) return Error{added.error()};
    std::unique_ptr<bench::Engine> engine = description_.make(scene);
    if (!engine) return Error{fmt::format("{} could not be started.", peer_.title)};
    if (std::string fault = engine->fault(); !fault.empty()) return Error{std::move(fault)};
    return std::unique_ptr<LawStepper>(std::make_unique<Stepper>(world, std::move(engine), std::move(bodies)));
}

}  // namespace proxima::samples
