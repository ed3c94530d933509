// SPDX-License-Identifier: MIT
// A lying capsule whose end hangs over the edge of a box rocked: with the least tilt its lower end counted as
// nearest, and the capsule lost the contact point at its other end.
#include <vector>

#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

constexpr float kRadius = 0.2f, kHalfHeight = 0.25f, kHalfExtent = 0.25f;
constexpr float kOver = 0.056f;  // of the lower end of the core, beyond the edge

/// The capsule lies along the direction `yaw` in the plane of the box's top, leans down by `degrees` where it
/// hangs over, and touches the edge.
Transform lying(float yaw, float degrees) {
    const float tilt = glm::radians(degrees);
    const Vec3 along(std::cos(tilt), -std::sin(tilt), 0.0f);  // to the end that hangs over
    const Vec3 low_end(kHalfExtent + kOver, kHalfExtent + kRadius - kOver * std::tan(tilt), 0.0f);
    // The axis of a capsule is its y: turn it onto `along`.
    const Quat lie = glm::angleAxis(-0.5f * kPi - tilt, Vec3(0.0f, 0.0f, 1.0f));
    const Quat turn = glm::angleAxis(yaw, Vec3(0.0f, 1.0f, 0.0f));
    return {turn * (low_end - kHalfHeight * along), turn * lie};
}

}  // namespace

TEST_CASE("a capsule that hangs over the edge of a box keeps two points when it tilts by a hair") {
    const Shape rod = capsule(kRadius, kHalfHeight);
    for (const Shape& target : {box(Vec3(kHalfExtent)), box_hull(Vec3(kHalfExtent))}) {
        CAPTURE(to_string(target.type));
        for (int quarter = 0; quarter < 4; ++quarter) {
            for (const float degrees : {0.0f, 0.1f, 0.2f, 0.3f}) {
                CAPTURE(quarter);
                CAPTURE(degrees);
                RawManifold m;
                REQUIRE(collide(rod, lying(0.5f * kPi * float(quarter), degrees), target, {}, 0.02f, m));
                REQUIRE(m.count == 2);
                CHECK(m.normal.y < -0.9999f);
                // One point at the edge, one at the end that lies on the box.
                CHECK(glm::distance(m.points[0].point, m.points[1].point) ==
                      doctest::Approx(2.0f * kHalfHeight - kOver).epsilon(0.02));
                for (int i = 0; i < m.count; ++i) {
                    CHECK(m.points[i].separation > -1e-3f);
                    CHECK(m.points[i].separation < 3e-3f);
                }
            }
        }
    }
}

TEST_CASE("a capsule that leans over the edge of a box by thirty degrees touches the edge alone") {
    const Shape rod = capsule(kRadius, kHalfHeight), cube = box(Vec3(kHalfExtent));
    RawManifold m;
    REQUIRE(collide(rod, lying(0.0f, 30.0f), cube, {}, 0.02f, m));
    CHECK(m.count == 1);
    CHECK(m.normal.x < -0.3f);
}
