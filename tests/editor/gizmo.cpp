// SPDX-License-Identifier: MIT
#include "samples/editor/model/gizmo.h"

#include <doctest/doctest.h>

#include <cmath>

#include "samples/editor/model/transform.h"
#include "tests/editor/editor_test.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::editor;
using proxima::test::done;
using proxima::test::take;

namespace {

constexpr float kWidth = 1920.0f;

/// A camera that looks at a point.
View look(const Vec3& eye, const Vec3& at, float fov = 0.8f) {
    View view;
    view.eye = eye;
    view.forward = glm::normalize(at - eye);
    const Vec3 right = glm::normalize(glm::cross(view.forward, Vec3(0.0f, 1.0f, 0.0f)));
    view.up = glm::cross(right, view.forward);
    view.fov_y = fov;
    return view;
}
Ray through(const View& view, const Vec3& point) {
    const auto pixel = to_pixel(view, point, kWidth);
    REQUIRE(pixel.has_value());
    return pixel_ray(view, pixel->x, pixel->y, kWidth);
}

}  // namespace

TEST_CASE("pixels and points turn into each other") {
    for (const float fov : {0.8f, 0.0f}) {
        const View view = look({3.0f, 4.0f, 5.0f}, {0.0f, 1.0f, 0.0f}, fov);
        for (const Vec3& point : {Vec3(0.0f, 1.0f, 0.0f), Vec3(1.0f, 0.0f, -2.0f), Vec3(-1.0f, 2.0f, 1.0f)}) {
            const Ray ray = through(view, point);
            const Vec3 displacement = point - ray.origin;
            CHECK(glm::length(displacement - glm::dot(displacement, ray.direction) * ray.direction) < 1e-3f);
        }
        CHECK(glm::length(right_of(view)) == doctest::Approx(1.0));
    }
    const View view = look({0.0f, 0.0f, 5.0f}, {0.0f, 0.0f, 0.0f});
    CHECK_FALSE(to_pixel(view, {0.0f, 0.0f, 6.0f}, kWidth).has_value());
    CHECK(to_pixel(view, {0.0f, 0.0f, 0.0f}, kWidth)->x == doctest::Approx(960.0));
    CHECK(to_pixel(view, {0.0f, 1.0f, 0.0f}, kWidth)->y < 540.0f);
}

TEST_CASE("handles have the same size on the screen wherever they are") {
    for (const float distance : {1.0f, 10.0f, 300.0f}) {
        const View view = look({0.0f, 0.0f, distance}, {0.0f, 0.0f, 0.0f});
        const GizmoFrame frame = make_frame(view, {0.0f, 0.0f, 0.0f}, Quat(1.0f, 0.0f, 0.0f, 0.0f));
        const float pixels = to_pixel(view, {frame.size, 0.0f, 0.0f}, kWidth)->x - 960.0f;
        CHECK(pixels == doctest::Approx(kGizmoPixels).epsilon(1e-4));
    }
}

TEST_CASE("every handle is hit where it is drawn, and nothing beside") {
    const View view = look({4.0f, 3.0f, 5.0f}, {0.0f, 0.0f, 0.0f});
    const Quat turned = test::turn({1.0f, 2.0f, 3.0f}, 20.0f);
    for (const Quat& rotation : {Quat(1.0f, 0.0f, 0.0f, 0.0f), turned}) {
        const GizmoFrame f = make_frame(view, {0.3f, 0.2f, -0.1f}, rotation);
        const auto at = [&](float x, float y, float z) {
            return through(view, f.origin + f.size * (f.rotation * Vec3(x, y, z)));
        };
        const auto hit = [&](GizmoMode mode, const Ray& ray) { return hit_test(mode, f, view, ray); };
        CHECK(hit(GizmoMode::move, at(0.9f, 0.0f, 0.0f)) == Handle::axis_x);
        CHECK(hit(GizmoMode::move, at(0.0f, 0.9f, 0.0f)) == Handle::axis_y);
        CHECK(hit(GizmoMode::move, at(0.0f, 0.0f, 0.9f)) == Handle::axis_z);
        CHECK(hit(GizmoMode::move, at(0.0f, 0.4f, 0.4f)) == Handle::plane_x);
        CHECK(hit(GizmoMode::move, at(0.4f, 0.0f, 0.4f)) == Handle::plane_y);
        CHECK(hit(GizmoMode::move, at(0.4f, 0.4f, 0.0f)) == Handle::plane_z);
        CHECK(hit(GizmoMode::move, at(0.0f, 0.0f, 0.0f)) == Handle::centre);
        CHECK(hit(GizmoMode::move, at(1.4f, 0.0f, 0.0f)) == Handle::none);
        CHECK(hit(GizmoMode::scale, at(0.9f, 0.0f, 0.0f)) == Handle::axis_x);
        CHECK(hit(GizmoMode::scale, at(0.0f, 0.0f, 0.0f)) == Handle::centre);
        const float d = std::sqrt(0.5f);
        CHECK(hit(GizmoMode::rotate, at(0.0f, d, d)) == Handle::ring_x);
        CHECK(hit(GizmoMode::rotate, at(d, 0.0f, d)) == Handle::ring_y);
        CHECK(hit(GizmoMode::rotate, at(d, d, 0.0f)) == Handle::ring_z);
        CHECK(hit(GizmoMode::rotate, at(0.0f, 0.0f, 0.0f)) == Handle::none);
        const Vec3 side = right_of(view) - glm::dot(right_of(view), to_eye(view, f.origin)) * to_eye(view, f.origin);
        CHECK(hit(GizmoMode::rotate, through(view, f.origin + kViewRing * f.size * glm::normalize(side))) ==
              Handle::ring_view);
    }
    // An axis that points at the eye cannot be dragged.
    const View front = look({0.0f, 0.0f, 5.0f}, {0.0f, 0.0f, 0.0f});
    const GizmoFrame f = make_frame(front, {}, Quat(1.0f, 0.0f, 0.0f, 0.0f));
    CHECK_FALSE(is_usable(Handle::axis_z, f, front));
    CHECK(is_usable(Handle::axis_x, f, front));
    CHECK_FALSE(is_usable(Handle::plane_x, f, front));
    CHECK_FALSE(
        begin_drag(GizmoMode::move, Handle::axis_z, f, front, {{0.0f, 0.0f, 5.0f}, {0.0f, 0.0f, -1.0f}}).has_value());
}

TEST_CASE("a drag along an axis follows the pointer, and snaps to quarters of a metre") {
    const View view = look({4.0f, 3.0f, 5.0f}, {0.0f, 0.0f, 0.0f});
    const GizmoFrame f = make_frame(view, {}, test::turn({0.0f, 1.0f, 0.0f}, 30.0f));
    for (int i = 0; i < 3; ++i) {
        Vec3 axis(0.0f);
        axis[i] = 1.0f;
        axis = f.rotation * axis;
        const Handle handle = Handle(uint8_t(Handle::axis_x) + i);
        const auto drag = begin_drag(GizmoMode::move, handle, f, view, through(view, 0.5f * f.size * axis));
        REQUIRE(drag.has_value());
        for (const float displacement : {0.0f, 0.7f, -1.3f, 4.0f}) {
            const Ray ray = through(view, (0.5f * f.size + displacement) * axis);
            CHECK(glm::length(*drag_move(*drag, ray) - displacement * axis) < 2e-3f);
            const float snapped = std::round(displacement * 4.0f) / 4.0f;
            CHECK(glm::length(*drag_move(*drag, ray, {.on = true}) - snapped * axis) < 1e-4f);
        }
    }
}

TEST_CASE("a drag in a plane stays in it and loses the pointer beyond the horizon") {
    const View view = look({0.0f, 2.0f, 6.0f}, {0.0f, 0.0f, 0.0f});
    const GizmoFrame f = make_frame(view, {}, Quat(1.0f, 0.0f, 0.0f, 0.0f));
    const auto drag = begin_drag(GizmoMode::move, Handle::plane_y, f, view, through(view, {0.1f, 0.0f, 0.1f}));
    REQUIRE(drag.has_value());
    const Vec3 displacement = *drag_move(*drag, through(view, {1.2f, 0.0f, -2.0f}));
    CHECK(glm::length(displacement - Vec3(1.1f, 0.0f, -2.1f)) < 2e-3f);
    const Vec3 snapped = *drag_move(*drag, through(view, {1.2f, 0.0f, -2.0f}), {.on = true});
    CHECK(glm::length(snapped - Vec3(1.0f, 0.0f, -2.0f)) < 1e-5f);
    CHECK_FALSE(drag_move(*drag, {view.eye, {0.0f, 0.2f, -1.0f}}).has_value());
    const auto free = begin_drag(GizmoMode::move, Handle::centre, f, view, through(view, {}));
    REQUIRE(free.has_value());
    const Vec3 moved = *drag_move(*free, through(view, right_of(view)));
    CHECK(glm::length(moved - right_of(view)) < 2e-3f);
}

TEST_CASE("rings turn by the angle that the pointer goes round, over several turns") {
    const View view = look({2.0f, 5.0f, 3.0f}, {0.0f, 0.0f, 0.0f});
    const GizmoFrame f = make_frame(view, {}, Quat(1.0f, 0.0f, 0.0f, 0.0f));
    const auto on_ring = [&](float degrees) {
        const float a = glm::radians(degrees);
        return through(view, f.size * Vec3(std::cos(a), 0.0f, -std::sin(a)));
    };
    const auto drag = begin_drag(GizmoMode::rotate, Handle::ring_y, f, view, on_ring(10.0f));
    REQUIRE(drag.has_value());
    float angle = 0.0f;
    for (int degrees = 0; degrees <= 800; degrees += 20) {
        angle = *drag_angle(*drag, on_ring(10.0f + float(degrees)), angle);
        CHECK(glm::degrees(angle) == doctest::Approx(double(degrees)).epsilon(0.001));
    }
    CHECK(glm::degrees(*drag_angle(*drag, on_ring(10.0f + 52.0f), 0.0f, {.on = true})) == doctest::Approx(45.0));
    CHECK(glm::degrees(*drag_angle(*drag, on_ring(10.0f + 53.0f), 0.0f, {.on = true})) == doctest::Approx(60.0));

    // Seen edge on, the ring is dragged along its line, and right turns are positive about y.
    const View edge = look({0.0f, 0.0f, 5.0f}, {0.0f, 0.0f, 0.0f});
    const GizmoFrame g = make_frame(edge, {}, Quat(1.0f, 0.0f, 0.0f, 0.0f));
    const auto rope = begin_drag(GizmoMode::rotate, Handle::ring_y, g, edge, through(edge, {0.0f, 0.0f, g.size}));
    REQUIRE(rope.has_value());
    const auto turned = drag_angle(*rope, through(edge, {0.5f * g.size, 0.0f, g.size}), 0.0f);
    REQUIRE(turned.has_value());
    CHECK(*turned == doctest::Approx(0.5).epsilon(0.01));
}

TEST_CASE("scaling drags give factors along one axis or all") {
    const View view = look({4.0f, 3.0f, 5.0f}, {0.0f, 0.0f, 0.0f});
    const GizmoFrame f = make_frame(view, {}, Quat(1.0f, 0.0f, 0.0f, 0.0f));
    const auto x = begin_drag(GizmoMode::scale, Handle::axis_x, f, view, through(view, {f.size, 0.0f, 0.0f}));
    REQUIRE(x.has_value());
    const Vec3 twice = *drag_scale(*x, through(view, {2.0f * f.size, 0.0f, 0.0f}));
    CHECK(twice.x == doctest::Approx(2.0).epsilon(0.01));
    CHECK(twice.y == 1.0f);
    CHECK(drag_scale(*x, through(view, {-3.0f * f.size, 0.0f, 0.0f}))->x == doctest::Approx(0.01));
    CHECK(drag_scale(*x, through(view, {1.43f * f.size, 0.0f, 0.0f}), {.on = true})->x == doctest::Approx(1.4));
    const auto all = begin_drag(GizmoMode::scale, Handle::centre, f, view, through(view, {}));
    REQUIRE(all.has_value());
    const Vec3 grown = *drag_scale(*all, through(view, 0.5f * f.size * (right_of(view) + view.up)));
    CHECK(grown.x == doctest::Approx(2.0).epsilon(0.02));
    CHECK(grown.x == grown.y);
    CHECK(grown.y == grown.z);
}

// ---- what a drag does to a document

TEST_CASE("a selection is moved, turned and scaled about its pivot, exactly as often as one likes") {
    Document document;
    const ItemId a = take(document.create_body(test::box_shape(), BodyType::dynamic, {1.0f, 0.0f, 0.0f}));
    const ItemId b = take(document.create_body(test::sphere_shape(), BodyType::dynamic, {3.0f, 0.0f, 0.0f}));
    const std::vector<ItemId> both{a, b};
    const std::string before = test::text_of(document);
    SelectionTransform transform(document, both, PivotKind::middle, AxisSpace::world);
    CHECK(transform.pivot() == Vec3(2.0f, 0.0f, 0.0f));
    document.begin_drag();
    for (int i = 0; i <= 360; ++i)
        done(transform.apply(document, {.rotation = test::turn({0.0f, 1.0f, 0.0f}, float(i))}));
    done(transform.apply(document, {.rotation = test::turn({0.0f, 1.0f, 0.0f}, 90.0f)}));
    document.end_drag();
    CHECK(document.undo_name() == "Rotate 2 bodies");
    CHECK(glm::length(document.body(a)->desc.position - Vec3(2.0f, 0.0f, 1.0f)) < 1e-6f);
    CHECK(glm::length(document.body(b)->desc.position - Vec3(2.0f, 0.0f, -1.0f)) < 1e-6f);
    done(document.undo());
    CHECK(test::text_of(document) == before);

    done(SelectionTransform(document, both, PivotKind::origin, AxisSpace::world)
             .apply(document, {.scale = {2.0f, 1.0f, 1.0f}}));
    CHECK(document.undo_name() == "Scale 2 bodies");
    CHECK(document.body(a)->desc.position == Vec3(2.0f, 0.0f, 0.0f));
    CHECK(document.body(b)->desc.position == Vec3(6.0f, 0.0f, 0.0f));
    CHECK(document.body(a)->desc.colliders[0].scale == Vec3(2.0f, 1.0f, 1.0f));
    CHECK(document.body(b)->desc.colliders[0].scale.x == doctest::Approx(std::cbrt(2.0)));
    CHECK(document.mass_of(a).mass == doctest::Approx(2000.0));
    CHECK(document.mass_of(b).mass == doctest::Approx(2.0 * 1000.0 * 4.0 / 3.0 * 3.14159265 * 0.125));
    done(document.undo());

    done(SelectionTransform(document, both, PivotKind::each, AxisSpace::world)
             .apply(document, {.rotation = test::turn({0.0f, 0.0f, 1.0f}, 90.0f)}));
    CHECK(document.body(a)->desc.position == Vec3(1.0f, 0.0f, 0.0f));
    CHECK(std::abs(document.body(b)->desc.rotation.z) == doctest::Approx(std::sqrt(0.5)));
    // Along its own axes now: x of the frame is y of the world.
    SelectionTransform local(document, std::span(&a, 1), PivotKind::primary, AxisSpace::local);
    CHECK(glm::length(local.axes() * Vec3(1.0f, 0.0f, 0.0f) - Vec3(0.0f, 1.0f, 0.0f)) < 1e-6f);
    done(local.apply(document, {.scale = {3.0f, 1.0f, 1.0f}}));
    CHECK(document.undo_name() == "Scale 'box'");
    CHECK(glm::length(document.body(a)->desc.colliders[0].scale - Vec3(3.0f, 1.0f, 1.0f)) < 1e-5f);
    // In the world's axes a box that lies on its side is stretched along the axis that points there.
    done(SelectionTransform(document, std::span(&a, 1), PivotKind::primary, AxisSpace::world)
             .apply(document, {.scale = {1.0f, 2.0f, 1.0f}}));
    CHECK(glm::length(document.body(a)->desc.colliders[0].scale - Vec3(6.0f, 1.0f, 1.0f)) < 1e-4f);
    test::check_mirror(document);
    CHECK_FALSE(SelectionTransform(document, {}, PivotKind::middle, AxisSpace::world).apply(document, {}).ok());
}

TEST_CASE("colliders are transformed in the world and kept in the frame of their body") {
    Document document;
    const ItemId body = take(document.create_body(
        {.name = "hammer", .position = {5.0f, 0.0f, 0.0f}, .rotation = test::turn({0.0f, 1.0f, 0.0f}, 90.0f)},
        {{test::box_shape(), {}}, {test::sphere_shape(), {.position = {1.0f, 0.0f, 0.0f}}}}));
    const ItemId head = document.body(body)->collider_ids[1];
    // The head is at (5, 0, -1) of the world.
    SelectionTransform transform(document, std::span(&head, 1), PivotKind::primary, AxisSpace::world);
    CHECK(glm::length(transform.pivot() - Vec3(5.0f, 0.0f, -1.0f)) < 1e-5f);
    done(transform.apply(document, {.move = {2.0f, 0.0f, 0.0f}}));
    CHECK(document.undo_name() == "Move 1 collider");
    CHECK(glm::length(document.collider(head)->position - Vec3(1.0f, 0.0f, 2.0f)) < 1e-5f);
    CHECK(document.body(body)->desc.position == Vec3(5.0f, 0.0f, 0.0f));
    // With its body in the list it moves once, not twice.
    const std::vector<ItemId> both{head, body};
    done(SelectionTransform(document, both, PivotKind::middle, AxisSpace::world)
             .apply(document, {.move = {0.0f, 1.0f, 0.0f}}));
    CHECK(document.undo_name() == "Move 'hammer'");
    CHECK(glm::length(document.collider(head)->position - Vec3(1.0f, 0.0f, 2.0f)) < 1e-5f);
    CHECK(document.body(body)->desc.position.y == 1.0f);
    test::check_mirror(document);
}
