// SPDX-License-Identifier: MIT
#include "render/extract/extract_debug.h"

#include <algorithm>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;
using namespace proxima::render;

namespace {

DebugStyle nothing() {
    DebugStyle style;
    style.contacts = style.friction = style.residuals = style.layers = false;
    return style;
}

DebugFrame one_contact() {
    DebugFrame frame;
    frame.dt = kDt;
    DebugContact contact;
    contact.point = {1.0f, 0.0f, 0.0f};
    contact.normal = {0.0f, 1.0f, 0.0f};
    contact.tangent1 = {1.0f, 0.0f, 0.0f};
    contact.tangent2 = {0.0f, 0.0f, 1.0f};
    contact.impulse = {2.0f, 0.5f, 0.0f};
    contact.friction = 0.5f;
    contact.friction_reach = {1.0f, 0.5f};
    contact.residual = 1e-3f;
    frame.contacts.push_back(contact);
    return frame;
}

}  // namespace

TEST_CASE("a contact is drawn as a cone: normal force, friction set and friction force have one scale") {
    const DebugFrame frame = one_contact();
    DrawList list;
    DebugStyle style;
    style.arrow = 0.8f;
    extract_debug(frame, style, list);
    REQUIRE(!list.lines_on_top.empty());
    float highest = 0.0f, widest = 0.0f, deepest = 0.0f;
    bool force = false;
    for (const Line& line : list.lines_on_top) {
        highest = std::max(highest, line.to.y);
        // The outline: all of it lies in the contact plane.
        if (line.from.y == 0.0f && line.to.y == 0.0f) {
            widest = std::max(widest, line.to.x - 1.0f);
            deepest = std::max(deepest, line.to.z);
            force |= line.from == frame.contacts[0].point && line.to.x == doctest::Approx(1.2f) && line.to.z == 0.0f;
        }
    }
    CHECK(highest == doctest::Approx(0.8f));  // 2 N s, the mean of the frame
    CHECK(widest == doctest::Approx(0.4f));
    CHECK(deepest == doctest::Approx(0.2f).epsilon(0.01));
    CHECK(force);
}

TEST_CASE("what is switched off leaves no line") {
    TestWorld w;
    w.floor();
    w.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}, .velocity = {{3.0f, 0.0f, 0.0f}, {}}});
    w.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 1.5f, 0.0f}});
    for (int i = 0; i < 3; ++i) w.step();
    DebugFrame frame;
    collect_debug(w.world, kDebugAll, frame);
    frame.layer("springs").lines.push_back({{0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, rgba(1, 2, 3)});
    const auto draw = [&](auto&& change) {
        DebugStyle style = nothing();
        change(style);
        DrawList list;
        extract_debug(frame, style, list);
        return list;
    };
    const auto lines = [](const DrawList& list) { return list.lines.size() + list.lines_on_top.size(); };
    CHECK(lines(draw([](DebugStyle&) {})) == 0);
    CHECK(draw([](DebugStyle&) {}).texts.empty());
    CHECK(lines(draw([](DebugStyle& s) { s.boxes = true; })) == 3 * 12);
    CHECK(lines(draw([](DebugStyle& s) { s.centres = true; })) == 2 * 3);
    CHECK(lines(draw([](DebugStyle& s) { s.velocities = true; })) >= 3);
    CHECK(lines(draw([](DebugStyle& s) { s.sweeps = true; })) == 2);
    CHECK(draw([](DebugStyle& s) { s.islands = true; }).texts.size() == 1);
    CHECK(lines(draw([](DebugStyle& s) { s.islands = true; })) == 12);
    CHECK(draw([](DebugStyle& s) { s.contacts = s.values = true; }).texts.size() == frame.contacts.size());
    const DrawList layer = draw([](DebugStyle& s) { s.layers = true; });
    REQUIRE(layer.lines_on_top.size() == 1);
    CHECK(layer.lines_on_top[0].colour == rgba(1, 2, 3));
    const std::string hidden[] = {"springs"};
    CHECK(lines(draw([&](DebugStyle& s) {
              s.layers = true;
              s.hidden_layers = hidden;
          })) == 0);
}

TEST_CASE("contacts of one body can be drawn alone, and very many have no friction sets") {
    TestWorld w;
    w.floor();
    const Entity first = w.body(TestWorld::sphere(0.5f), {.position = {0.0f, 0.5f, 0.0f}});
    w.body(TestWorld::sphere(0.5f), {.position = {5.0f, 0.5f, 0.0f}});
    for (int i = 0; i < 3; ++i) w.step();
    DebugFrame frame;
    collect_debug(w.world, kDebugResiduals, frame);
    REQUIRE(frame.contacts.size() == 2);
    DrawList all, one, plain;
    DebugStyle style;
    extract_debug(frame, style, all);
    style.only = first;
    extract_debug(frame, style, one);
    CHECK(2 * one.lines_on_top.size() == all.lines_on_top.size());
    style.only = kNoEntity;
    style.max_friction_sets = 1;
    extract_debug(frame, style, plain);
    CHECK(plain.lines_on_top.size() < 20);
    for (const DrawList* list : {&all, &one, &plain})
        for (const Line& line : list->lines_on_top) {
            CHECK(is_finite(line.from));
            CHECK(is_finite(line.to));
        }
}

TEST_CASE("arrows seen from their tip and of no length are drawn without a head") {
    std::vector<Line> lines;
    add_arrow(lines, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, 5.0f}, rgba(255, 255, 255));
    CHECK(lines.size() == 1);
    add_arrow(lines, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 5.0f}, rgba(255, 255, 255));
    CHECK(lines.size() == 2);
    add_arrow(lines, {0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 5.0f}, rgba(255, 255, 255));
    CHECK(lines.size() == 5);
}
