// SPDX-License-Identifier: MIT
#include "samples/scenes/scale.h"

#include <algorithm>
#include <cmath>

#include "engine/core/assert.h"

namespace proxima::samples {

using namespace physics;

namespace {

void scale_shape(ShapeDesc& shape, float factor) {
    shape.half_extents *= factor;
    shape.radius *= factor;
    shape.half_height *= factor;
    for (Vec3& point : shape.points) point *= factor;
    for (ChildDesc& child : shape.children) {
        child.position *= factor;
        scale_shape(child.shape, factor);
    }
}

}  // namespace

SceneDesc scaled(SceneDesc scene, double factor) {
    PX_ASSERT(scene.joints.empty(), "joints have lengths of their own");
    constexpr double kSmall = 0.1;  // m
    const float f = float(factor), slower = float(std::sqrt(factor));
    for (ShapeDesc& shape : scene.shapes) scale_shape(shape, f);
    for (SceneBody& body : scene.bodies) {
        body.position *= f;
        body.linear_velocity *= slower;
        body.angular_velocity /= slower;
        body.mass *= f * f * f;
        for (SceneCollider& collider : body.colliders) {
            collider.position *= f;
            collider.material.torsional_friction *= f;
            collider.material.rolling_friction *= f;
            collider.material.surface_velocity *= slower;
        }
    }
    const double step = std::min(1.0, std::sqrt(factor / kSmall)), more = std::sqrt(factor) / step;
    scene.run.dt = float(double(scene.run.dt) * step);
    scene.run.steps = uint32_t(std::lround(double(scene.run.steps) * more));
    scene.run.settled_from = uint32_t(std::lround(double(scene.run.settled_from) * more));
    scene.run.stand_tolerance *= f;
    return scene;
}

std::vector<Pose> scaled_back(std::vector<Pose> poses, double factor) {
    for (Pose& pose : poses) pose.position /= float(factor);
    return poses;
}

}  // namespace proxima::samples
