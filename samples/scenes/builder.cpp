// SPDX-License-Identifier: MIT
#include "samples/scenes/builder.h"

#include <utility>

namespace proxima::samples {

using namespace physics;

Quatd Random::rotation() {
    for (;;) {  // a point in the unit ball of R^4, normalised: uniform over rotations
        const double a = symmetric();
        const double b = symmetric();
        const double c = symmetric();
        const double d = symmetric();
        const double n = a * a + b * b + c * c + d * d;
        if (n > 0.01 && n < 1.0) {
            const double s = 1.0 / std::sqrt(n);
            return {a * s, b * s, c * s, d * s};
        }
    }
}

Vec3d Random::direction() {
    for (;;) {
        const double x = symmetric();
        const double y = symmetric();
        const double z = symmetric();
        const Vec3d v{x, y, z};
        const double n = dot(v, v);
        if (n > 0.01 && n < 1.0) return v * (1.0 / std::sqrt(n));
    }
}

SceneBuilder::SceneBuilder(std::string name, std::string description, double friction) {
    scene_.name = std::move(name);
    scene_.description = std::move(description);
    material_.friction = float(friction);
    // The minimum of two equal numbers is that number to the last bit; a root of a product may not be.
    material_.friction_combine = Combine::minimum;
}

uint32_t SceneBuilder::box(const Vec3d& half_extents) {
    ShapeDesc s;
    s.type = ShapeType::box;
    s.half_extents = to_float(half_extents);
    scene_.shapes.push_back(s);
    return uint32_t(scene_.shapes.size() - 1);
}

uint32_t SceneBuilder::sphere(double radius) {
    ShapeDesc s;
    s.type = ShapeType::sphere;
    s.radius = float(radius);
    scene_.shapes.push_back(s);
    return uint32_t(scene_.shapes.size() - 1);
}

uint32_t SceneBuilder::capsule(double radius, double half_height) {
    ShapeDesc s;
    s.type = ShapeType::capsule;
    s.radius = float(radius);
    s.half_height = float(half_height);
    scene_.shapes.push_back(s);
    return uint32_t(scene_.shapes.size() - 1);
}

uint32_t SceneBuilder::hull(const std::vector<Vec3d>& points) {
    ShapeDesc s;
    s.type = ShapeType::hull;
    s.points.reserve(points.size());
    for (const Vec3d& p : points) s.points.push_back(to_float(p));
    scene_.shapes.push_back(std::move(s));
    return uint32_t(scene_.shapes.size() - 1);
}

uint32_t SceneBuilder::half_space() {
    ShapeDesc s;
    s.type = ShapeType::half_space;
    scene_.shapes.push_back(s);
    return uint32_t(scene_.shapes.size() - 1);
}

SceneBody& SceneBuilder::add(BodyType type, uint32_t shape, const Vec3d& position, const Quatd& rotation) {
    SceneBody& body = scene_.bodies.emplace_back();
    body.type = type;
    body.position = to_float(position);
    body.rotation = to_float(rotation);
    SceneCollider& collider = body.colliders.emplace_back();
    collider.shape = shape;
    collider.material = material_;
    return body;
}

SceneBody& SceneBuilder::fixed(uint32_t shape, const Vec3d& position, const Quatd& rotation) {
    return add(BodyType::fixed, shape, position, rotation);
}

SceneBody& SceneBuilder::dynamic(uint32_t shape, const Vec3d& position, const Quatd& rotation, double density) {
    SceneBody& body = add(BodyType::dynamic, shape, position, rotation);
    body.colliders[0].density = float(density);
    return body;
}

physics::JointAnchors SceneBuilder::frames_at(uint32_t body_a, uint32_t body_b, const Vec3d& point, const Vec3d& axis,
                                              const Vec3d& y) const {
    const auto pose = [&](uint32_t body) {
        return physics::Pose{scene_.bodies[body].position, scene_.bodies[body].rotation};
    };
    const Vec3 at = to_float(point), x = to_float(axis), across = to_float(y);
    const bool given = glm::length(across) > 0.0f;
    return (given ? joint_anchors(pose(body_a), pose(body_b), at, x, across)
                  : joint_anchors(pose(body_a), pose(body_b), at, x))
        .value();
}

void SceneBuilder::ball_joint(uint32_t body_a, uint32_t body_b, const Vec3d& point) {
    const auto anchor = [&](const SceneBody& body) {
        const Vec3 position = body.position;
        const Vec3d off{point.x - double(position.x), point.y - double(position.y), point.z - double(position.z)};
        return glm::inverse(body.rotation) * to_float(off);
    };
    physics::BallJoint joint;
    joint.anchor_a = anchor(scene_.bodies[body_a]);
    joint.anchor_b = anchor(scene_.bodies[body_b]);
    scene_.joints.push_back({body_a, body_b, joint});
}

void SceneBuilder::ground() { fixed(box({100.0, 1.0, 100.0}), {0.0, -1.0, 0.0}).name = "ground"; }

void SceneBuilder::pit(double inner, double height) {
    const uint32_t across_x = box({0.5, height / 2.0, inner / 2.0 + 1.0});
    const uint32_t across_z = box({inner / 2.0 + 1.0, height / 2.0, 0.5});
    for (const double side : {-1.0, 1.0}) {
        fixed(across_x, {side * (inner / 2.0 + 0.5), height / 2.0, 0.0}).name = "wall";
        fixed(across_z, {0.0, height / 2.0, side * (inner / 2.0 + 0.5)}).name = "wall";
    }
}

void SceneBuilder::run_for(uint32_t steps, uint32_t settled_from) {
    scene_.run.steps = steps;
    scene_.run.settled_from = settled_from;
}

void SceneBuilder::must_stand(double tolerance) {
    scene_.run.stands_test = true;
    scene_.run.stand_tolerance = float(tolerance);
}

}  // namespace proxima::samples
