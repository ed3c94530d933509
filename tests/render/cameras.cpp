// SPDX-License-Identifier: MIT
// Cameras and the square of the shadow map, which need no device.
#include <doctest/doctest.h>

#include "render/passes/camera_view.h"
#include "render/passes/shadow_fit.h"

using namespace proxima;
using namespace proxima::render;

namespace {

Vec3 project(const CameraView& view, const Vec3& position) {
    const Vec4 clip = view.matrix * Vec4(position, 1.0f);
    return Vec3(clip.x, clip.y, clip.z) / clip.w;
}

}  // namespace

TEST_CASE("the camera's matrix, its planes and the way back agree") {
    Camera camera;
    camera.eye = {3.0f, 2.0f, -4.0f};
    camera.target = {-1.0f, 0.5f, 2.0f};
    const CameraView view = view_of(camera, 200, 100);
    CHECK(project(view, camera.target).x == doctest::Approx(0.0).epsilon(1e-4));
    CHECK(project(view, view.eye + view.forward * view.near_plane).z == doctest::Approx(1.0));
    CHECK(project(view, view.eye + view.forward * view.far_plane).z == doctest::Approx(0.0).epsilon(1e-4));
    CHECK(project(view, camera.target + view.up).y < 0.0f);  // up is at the top: y down
    CHECK(project(view, camera.target + view.right).x > 0.0f);
    int inside = 0;
    for (int i = 0; i < 4000; ++i) {
        const Vec3 position =
            camera.eye + Vec3(float(i % 20) - 10.0f, float(i / 20 % 20) - 10.0f, float(i / 400) * 2.0f - 9.7f);
        const Vec4 clip = view.matrix * Vec4(position, 1.0f);
        const bool seen = clip.w > 0.0f && std::abs(clip.x) <= clip.w && std::abs(clip.y) <= clip.w && clip.z >= 0.0f &&
                          clip.z <= clip.w;
        CHECK(sees(view, position, 0.0f) == seen);
        if (!seen) continue;
        ++inside;
        const Vec3 p = Vec3(clip.x, clip.y, clip.z) / clip.w;
        const Vec3 back = unproject(view, (p.x + 1.0f) * 100.0f, (p.y + 1.0f) * 50.0f, p.z, 200, 100);
        CHECK(glm::length(back - position) < 0.02f);
    }
    CHECK(inside > 100);
}

TEST_CASE("cameras that look nowhere or along their up still look somewhere") {
    for (const Vec3& target : {Vec3(0.0f), Vec3(0.0f, 5.0f, 0.0f), Vec3(0.0f, -5.0f, 0.0f)}) {
        Camera camera;
        camera.eye = Vec3(0.0f);
        camera.target = target;
        camera.near_plane = 0.0f;
        camera.field_of_view = 0.0f;
        const CameraView view = view_of(camera, 10, 10);
        for (int c = 0; c < 4; ++c)
            for (int r = 0; r < 4; ++r) CHECK(std::isfinite(view.matrix[c][r]));
        CHECK(glm::length(view.right) == doctest::Approx(1.0));
        CHECK(std::abs(glm::dot(view.right, view.forward)) < 1e-5f);
    }
}

TEST_CASE("the shadow map covers every caster that the camera sees") {
    Camera camera;
    camera.eye = {10.0f, 8.0f, 10.0f};
    const CameraView view = view_of(camera, 160, 90);
    SunSpace sun(Sun().direction);
    std::vector<Vec3> casters;
    for (int i = 0; i < 50; ++i) casters.push_back({float(i % 7) * 1.5f - 4.0f, float(i % 3), float(i % 11) - 5.0f});
    for (const Vec3& c : casters) sun.add(c, 0.5f);
    sun.add({0.0f, -50.0f, 0.0f}, 70.0f);  // a ground does not widen the map
    const ShadowFit fit = fit_shadow(sun, view, camera.target, 1024);
    REQUIRE(fit.active);
    CHECK(fit.half < 12.0f);
    for (const Vec3& c : casters) {
        const Vec4 at = fit.matrix * Vec4(c, 1.0f);
        for (int i = 0; i < 3; ++i) {
            CHECK(at[i] > 0.0f);
            CHECK(at[i] < 1.0f);
        }
        CHECK(casts_into(fit, sun, c, 0.5f));
    }
    CHECK_FALSE(casts_into(fit, sun, Vec3(200.0f, 0.0f, -200.0f), 0.5f));
    CHECK_FALSE(fit_shadow(SunSpace(Sun().direction), view, camera.target, 1024).active);
}

TEST_CASE("the shadow map moves in whole texels while bodies and cameras move a little") {
    ShadowFit first;
    for (int i = 0; i < 200; ++i) {
        const float t = 0.0007f * float(i);
        Camera camera;
        camera.eye = {10.0f + t, 8.0f - t, 10.0f};
        SunSpace sun(Sun().direction);
        sun.add({-3.0f + 2.0f * t, 0.5f, 1.0f - t}, 0.5f);
        sun.add({3.0f, 0.5f + t, -2.0f}, 0.5f);
        const ShadowFit fit = fit_shadow(sun, view_of(camera, 160, 90), camera.target, 1024);
        REQUIRE(fit.active);
        if (i == 0) first = fit;
        CHECK(fit.half == first.half);
        // A fixed place moves by whole texels in the map.
        const Vec4 a = first.matrix * Vec4(1.0f, 2.0f, 3.0f, 1.0f), b = fit.matrix * Vec4(1.0f, 2.0f, 3.0f, 1.0f);
        for (int k = 0; k < 2; ++k) {
            const float texels = (b[k] - a[k]) * 1024.0f;
            CHECK(std::abs(texels - std::round(texels)) < 0.02f);
        }
    }
}
