// SPDX-License-Identifier: MIT
#include "render/camera_control.h"

#include <doctest/doctest.h>

using namespace proxima;
using namespace proxima::render;

namespace {

const Viewport kView{1280.0f, 720.0f};

Camera tilted() {
    Camera camera;
    camera.eye = {3.0f, 4.0f, -5.0f};
    camera.target = {-1.0f, 0.5f, 2.0f};
    return camera;
}

float distance(const Camera& camera) { return glm::distance(camera.eye, camera.target); }

void check_near(const Vec3& a, const Vec3& b, float within) {
    CAPTURE(a.x - b.x);
    CAPTURE(a.y - b.y);
    CAPTURE(a.z - b.z);
    CHECK(glm::distance(a, b) <= within);
}

}  // namespace

TEST_CASE("the ray through the pixel of a point meets the point") {
    const Camera camera = tilted();
    for (int i = 0; i < 200; ++i) {
        const Vec2 pixel(float(i * 37 % 1280) + 0.25f, float(i * 53 % 720) + 0.75f);
        const Ray ray = ray_through(camera, kView, pixel);
        CHECK(glm::length(ray.direction) == doctest::Approx(1.0f));
        const float along = 0.5f + float(i) * 0.3f;
        const auto seen = project(camera, kView, ray.origin + ray.direction * along);
        REQUIRE(seen.has_value());
        CHECK(glm::distance(seen->pixel, pixel) < 0.01f);
        CHECK(seen->depth <= along * 1.0001f);
    }
}

TEST_CASE("the target is in the middle of the picture, up is up and right is right") {
    const Camera camera = tilted();
    const CameraAxes axes = axes_of(camera);
    const auto middle = project(camera, kView, camera.target);
    REQUIRE(middle.has_value());
    CHECK(middle->pixel.x == doctest::Approx(640.0f));
    CHECK(middle->pixel.y == doctest::Approx(360.0f));
    CHECK(middle->depth == doctest::Approx(distance(camera)));
    CHECK(project(camera, kView, camera.target + Vec3(0.0f, 1.0f, 0.0f))->pixel.y < 360.0f);
    CHECK(project(camera, kView, camera.target + axes.right)->pixel.x > 640.0f);
    // One metre sideways at the target's depth is as many pixels as metres_per_pixel says.
    const float pixels = project(camera, kView, camera.target + axes.right)->pixel.x - 640.0f;
    CHECK(pixels * metres_per_pixel(camera, kView, distance(camera)) == doctest::Approx(1.0f).epsilon(1e-4));
}

TEST_CASE("what is behind the camera has no pixel") {
    const Camera camera = tilted();
    CHECK_FALSE(project(camera, kView, camera.eye - axes_of(camera).forward).has_value());
    CHECK_FALSE(project(camera, kView, camera.eye).has_value());
}

TEST_CASE("orbiting keeps the target and the distance, and never turns over") {
    Camera camera = tilted();
    const float before = distance(camera);
    const Vec3 right = axes_of(camera).right;
    const Camera moved = orbit(camera, 0.1f, 0.0f);
    CHECK(glm::dot(moved.eye - camera.eye, right) > 0.0f);
    CHECK(orbit(camera, 0.0f, 0.1f).eye.y > camera.eye.y);
    for (int i = 0; i < 100; ++i) camera = orbit(camera, 0.2f, 0.3f);
    CHECK(camera.target == tilted().target);
    CHECK(distance(camera) == doctest::Approx(before).epsilon(1e-3));
    CHECK(axes_of(camera).up.y > 0.0f);
    for (int i = 0; i < 100; ++i) camera = orbit(camera, -0.2f, -0.3f);
    CHECK(axes_of(camera).up.y > 0.0f);
    check_near(orbit(orbit(tilted(), 0.4f, 0.2f), -0.4f, -0.2f).eye, tilted().eye, 1e-4f);
}

TEST_CASE("panning moves what is at the target's depth with the pointer") {
    const Camera camera = tilted();
    const Camera moved = pan(camera, kView, {100.0f, 40.0f});
    const auto seen = project(moved, kView, camera.target);
    REQUIRE(seen.has_value());
    CHECK(seen->pixel.x == doctest::Approx(740.0f).epsilon(1e-3));
    CHECK(seen->pixel.y == doctest::Approx(400.0f).epsilon(1e-3));
}

TEST_CASE("a dolly keeps the point under the cursor") {
    const Camera camera = tilted();
    const Vec2 pixel(200.0f, 600.0f);
    const Vec3 point = target_under(camera, kView, pixel);
    const Camera nearer = dolly(camera, point, 0.5f);
    CHECK(distance(nearer) == doctest::Approx(0.5f * distance(camera)));
    const auto seen = project(nearer, kView, point);
    REQUIRE(seen.has_value());
    CHECK(seen->pixel.x == doctest::Approx(pixel.x).epsilon(1e-3));
    CHECK(seen->pixel.y == doctest::Approx(pixel.y).epsilon(1e-3));
    Camera in = camera;
    for (int i = 0; i < 200; ++i) in = dolly(in, in.target, 0.5f);
    CHECK(is_finite(in.eye));
    CHECK(distance(in) > 0.0f);
}

TEST_CASE("flying moves along the axes of the view, looking around keeps the eye") {
    const Camera camera = tilted();
    const CameraAxes axes = axes_of(camera);
    check_near(fly(camera, {1.0f, 2.0f, 3.0f}).eye, camera.eye + axes.right + 2.0f * axes.up + 3.0f * axes.forward,
               1e-5f);
    const Camera looked = look_around(camera, 0.3f, 0.1f);
    CHECK(looked.eye == camera.eye);
    CHECK(glm::dot(axes_of(looked).forward, axes.right) > 0.0f);
    CHECK(axes_of(looked).forward.y > axes.forward.y);
}

TEST_CASE("a scene that is framed lies inside the picture and fills much of it") {
    for (const float aspect : {0.5f, 1.0f, 1.778f, 3.0f}) {
        CAPTURE(aspect);
        const Viewport view{720.0f * aspect, 720.0f};
        for (const Aabb& box :
             {Aabb{{-5.0f, 0.0f, -5.0f}, {5.0f, 1.0f, 5.0f}}, Aabb{{2.0f, 0.0f, 1.0f}, {3.0f, 40.0f, 2.0f}},
              Aabb{{-0.01f, 0.0f, -0.01f}, {0.01f, 0.02f, 0.01f}}}) {
            const Camera camera = frame_scene(box, aspect);
            Vec2 lower(1e9f), upper(-1e9f);
            for (int corner = 0; corner < 8; ++corner) {
                const auto seen =
                    project(camera, view,
                            {corner & 1 ? box.upper.x : box.lower.x, corner & 2 ? box.upper.y : box.lower.y,
                             corner & 4 ? box.upper.z : box.lower.z});
                REQUIRE(seen.has_value());
                lower = glm::min(lower, seen->pixel);
                upper = glm::max(upper, seen->pixel);
            }
            CHECK(lower.x >= 0.0f);
            CHECK(lower.y >= 0.0f);
            CHECK(upper.x <= view.width);
            CHECK(upper.y <= view.height);
            if (box.upper.x > 1.0f)  // the smallest one stays at least 0.1 m away
                CHECK(std::max((upper.x - lower.x) / view.width, (upper.y - lower.y) / view.height) > 0.5f);
        }
    }
    const Camera fallback = frame_scene({Vec3(1.0f), Vec3(-1.0f)}, 1.5f);
    CHECK(fallback.eye == Camera{}.eye);
}

TEST_CASE("a camera that looks straight down still has axes") {
    Camera camera;
    camera.eye = {0.0f, 5.0f, 0.0f};
    camera.target = {0.0f, 0.0f, 0.0f};
    const CameraAxes axes = axes_of(camera);
    CHECK(is_finite(axes.right));
    CHECK(std::abs(glm::dot(axes.right, axes.forward)) < 1e-6f);
    CHECK(project(camera, kView, camera.target).has_value());
    CHECK(is_finite(orbit(camera, 0.1f, 0.1f).eye));
}
