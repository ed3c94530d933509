// SPDX-License-Identifier: MIT
#include "samples/laws/law_world.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace proxima::samples {

using namespace physics;

namespace {

template <class T>
T must(Result<T> result) {
    if (result) return std::move(result.value());
    std::fprintf(stderr, "A law asks for what cannot be: %s\n", result.error().c_str());
    std::abort();
}
void must(const Result<void>& result) {
    if (result) return;
    std::fprintf(stderr, "A law asks for what cannot be: %s\n", result.error().c_str());
    std::abort();
}

}  // namespace

float step_for(const LawOptions& options, float size) { return options.dt * std::min(1.0f, std::sqrt(size / 0.1f)); }

Material surface(float friction, float restitution) {
    Material m;
    m.friction = friction;
    m.restitution = restitution;
    m.friction_combine = Combine::geometric_mean;
    m.restitution_combine = Combine::maximum;
    return m;
}

LawWorld::LawWorld(const LawOptions& options, const Vec3& gravity) : device_(options.device), dt_(options.dt) {
    StepSettings settings = options.settings;
    settings.gravity = gravity;
    must(world_.set_settings(settings));
}

Entity LawWorld::add(const ShapeDesc& shape, const LawBody& body) {
    BodyDesc desc;
    desc.type = body.type;
    desc.pose = {body.position, body.rotation};
    desc.velocity = {body.velocity, body.spin};
    desc.mass = body.mass;
    Collider collider;
    collider.shape = must(world().shapes().add(shape));
    collider.material = surface(body.friction, body.restitution);
    collider.material.surface_velocity = body.belt;
    desc.colliders.push_back(collider);
    return must(world_.create_body(desc));
}

Entity LawWorld::box(const Vec3& half_extents, const LawBody& body) {
    return add({.type = ShapeType::box, .half_extents = half_extents}, body);
}
Entity LawWorld::sphere(float radius, const LawBody& body) {
    return add({.type = ShapeType::sphere, .radius = radius}, body);
}
Entity LawWorld::capsule(float radius, float half_height, const LawBody& body) {
    return add({.type = ShapeType::capsule, .radius = radius, .half_height = half_height}, body);
}
Entity LawWorld::hull(const std::vector<Vec3>& points, const LawBody& body) {
    return add({.type = ShapeType::hull, .points = points}, body);
}
Entity LawWorld::boxes(std::span<const Piece> pieces, const LawBody& body) {
    BodyDesc desc;
    desc.type = body.type;
    desc.pose = {body.position, body.rotation};
    desc.velocity = {body.velocity, body.spin};
    desc.mass = body.mass;
    for (const Piece& piece : pieces) {
        Collider& collider = desc.colliders.emplace_back();
        collider.shape = must(world().shapes().add({.type = ShapeType::box, .half_extents = piece.half_extents}));
        collider.local.position = piece.position;
        collider.material = surface(body.friction, body.restitution);
    }
    return must(world_.create_body(desc));
}
Entity LawWorld::ground(const LawBody& body) {
    LawBody fixed = body;
    fixed.type = BodyType::fixed;
    return add({.type = ShapeType::half_space}, fixed);
}

std::vector<Entity> LawWorld::add_scene(const SceneDesc& scene) {
    SceneDesc copy = scene;
    copy.settings = world().settings();
    return must(instantiate(copy, world_));
}

void LawWorld::step() {
    ++steps_;
    if (device_)
        ++waiting_;
    else
        must(world_.step(dt_));
}

const PhysicsWorld& LawWorld::now() const {
    if (waiting_ == 0) return world_;
    if (!stepper_ && device_) {
        Result<std::unique_ptr<LawStepper>> taken = device_->take(world_);
        if (taken) {
            stepper_ = std::move(taken.value());
        } else {
            device_->refused.push_back(taken.error());
            device_ = nullptr;
        }
        changed_ = false;
    }
    const uint32_t steps = std::exchange(waiting_, 0);
    if (stepper_) {
        must(stepper_->step(dt_, steps, std::exchange(changed_, false)));
    } else {
        for (uint32_t k = 0; k < steps; ++k) must(world_.step(dt_));
    }
    return world_;
}

PhysicsWorld& LawWorld::world() {
    now();
    changed_ = true;
    return world_;
}

void LawWorld::set_dt(float dt) {
    now();
    dt_ = dt;
}

float LawWorld::penetration_max() const {
    now();
    return stepper_ ? stepper_->penetration_max() : world_.report().penetration_max;
}

void LawWorld::run(float seconds) {
    for (int n = int(seconds / dt_ + 0.5f); n > 0; --n) step();
}

void LawWorld::set_velocity(Entity body, const Vec3& linear, const Vec3& angular) {
    must(world().set_velocity(body, {linear, angular}));
}

double LawWorld::energy() const {
    double sum = 0.0;
    now();
    const Vec3 g = world_.settings().gravity;
    for (const Entity body : world_.bodies()) {
        if (world_.registry().get<RigidBody>(body).type != BodyType::dynamic) continue;
        const Mass mass = world_.mass(body);
        const Pose pose = world_.pose(body);
        const Velocity v = world_.velocity(body);
        const Vec3 w = glm::conjugate(pose.rotation) * v.angular;
        const Vec3 center = pose.position + pose.rotation * mass.center;
        sum += 0.5 * double(mass.mass) * double(glm::dot(v.linear, v.linear)) +
               0.5 * double(glm::dot(w, mass.inertia * w)) - double(mass.mass) * double(glm::dot(g, center));
    }
    return sum;
}

Vec3 LawWorld::momentum() const {
    Vec3 sum(0.0f);
    now();
    for (const Entity body : world_.bodies())
        if (world_.registry().get<RigidBody>(body).type == BodyType::dynamic)
            sum += world_.mass(body).mass * world_.velocity(body).linear;
    return sum;
}

Vec3 LawWorld::angular_momentum() const {
    double sum[3] = {0.0, 0.0, 0.0};
    now();
    for (const Entity body : world_.bodies()) {
        if (world_.registry().get<RigidBody>(body).type != BodyType::dynamic) continue;
        const Mass mass = world_.mass(body);
        const Pose pose = world_.pose(body);
        const Velocity v = world_.velocity(body);
        const Vec3 own = pose.rotation * (mass.inertia * (glm::conjugate(pose.rotation) * v.angular));
        const Vec3 center = pose.position + pose.rotation * mass.center;
        const Vec3 orbit = glm::cross(center, mass.mass * v.linear);
        for (int k = 0; k < 3; ++k) sum[k] += double(own[k]) + double(orbit[k]);
    }
    return {float(sum[0]), float(sum[1]), float(sum[2])};
}

}  // namespace proxima::samples
