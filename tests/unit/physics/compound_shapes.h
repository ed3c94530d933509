// SPDX-License-Identifier: MIT
// Compounds, and their parts one by one, for the tests of shapes and of contacts.
#pragma once

#include <utility>
#include <vector>

#include "physics/shapes/shape_classes.h"
#include "tests/support/test_world.h"
#include "tests/unit/physics/shape_poses.h"

namespace proxima::physics::test {

using proxima::test::TestWorld;

inline ChildDesc child(const ShapeDesc& shape, const Vec3& position, const Quat& rotation = Quat(1, 0, 0, 0)) {
    ChildDesc out;
    out.position = position;
    out.rotation = rotation;
    out.shape = shape;
    return out;
}

inline ShapeDesc compound_of(std::vector<ChildDesc> children) {
    ShapeDesc desc;
    desc.type = ShapeType::compound;
    desc.children = std::move(children);
    return desc;
}

/// One of each convex shape, turned and overlapping a little.
inline ShapeDesc mixed() {
    ShapeDesc wedge;
    wedge.type = ShapeType::hull;
    wedge.points = {{-0.4f, -0.3f, -0.3f}, {0.4f, -0.3f, -0.3f}, {0.4f, -0.3f, 0.3f},
                    {-0.4f, -0.3f, 0.3f},  {0.0f, 0.5f, -0.3f},  {0.0f, 0.5f, 0.3f}};
    return compound_of({child(TestWorld::box({0.6f, 0.1f, 0.3f}), {0.1f, 0.0f, 0.0f}, turn(20, {1, 0, 1})),
                        child(TestWorld::sphere(0.25f), {-0.7f, 0.3f, 0.1f}),
                        child(TestWorld::capsule(0.12f, 0.4f), {0.6f, 0.4f, -0.2f}, turn(50, {0, 0, 1})),
                        child(wedge, {0.2f, -0.6f, 0.3f}, turn(-70, {1, 2, 0}))});
}

/// A convex shape by itself, where it is in the world.
struct Part {
    uint32_t id;
    const Shape* shape;
    Transform pose;
};
inline std::vector<Part> parts_of(const Shape& shape, const Transform& pose) {
    if (shape.parts.empty()) return {{0, &shape, pose}};
    std::vector<Part> out;
    for (const ShapePart& part : shape.parts)
        out.push_back({uint32_t(out.size()), &part.shape, compose(pose, part.local)});
    return out;
}

}  // namespace proxima::physics::test
