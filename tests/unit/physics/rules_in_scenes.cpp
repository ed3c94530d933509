// SPDX-License-Identifier: MIT
// Rules of contacts in scene files, in what is drawn of a world, and in the limits of what they may be.
#include <limits>

#include "physics/debug/debug_frame.h"
#include "physics/scene/scene.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

SceneDesc scene_with(const SceneCollider& collider) {
    SceneDesc scene;
    scene.name = "rules";
    scene.shapes = {TestWorld::box(Vec3(0.5f))};
    SceneBody body;
    body.colliders = {collider};
    scene.bodies = {body};
    return scene;
}

}  // namespace

TEST_CASE("every rule of a collider comes back from a scene file, and goes into the world") {
    SceneCollider c;
    c.group = -32768;
    c.touch_events = false;
    c.modifiable = true;
    c.rules = {.one_way = {0.0f, 0.5f, -1.0f}, .hit_speed = 2.5f, .force_threshold = 1234.5f, .break_impulse = 0.125f};
    const std::string text = write_scene(scene_with(c));
    for (const char* key :
         {"\"group\": -32768", "\"touch_events\": false", "\"modifiable\": true", "\"hit_speed\": 2.5",
          "\"force_threshold\": 1234.5", "\"break_impulse\": 0.125", "\"one_way\": [0, 0.5, -1]"})
        CHECK_MESSAGE(text.find(key) != std::string::npos, key);
    CHECK(text.find("\"sensor\"") == std::string::npos);  // as usual
    const Result<SceneDesc> read = parse_scene(text, "rules.json");
    REQUIRE_MESSAGE(read.ok(), read.error());
    const SceneCollider& back = read->bodies[0].colliders[0];
    CHECK(back.group == c.group);
    CHECK(back.rules == c.rules);
    CHECK(back.touch_events == false);
    CHECK(back.hit_events == true);
    CHECK(back.sensor == false);
    CHECK(back.modifiable == true);
    TestWorld t;
    const auto bodies = instantiate(read.value(), t.world);
    REQUIRE_MESSAGE(bodies.ok(), bodies.error());
    const Entity collider = t.world.colliders(bodies.value()[0])[0];
    ContactRules wanted = c.rules;
    wanted.modifiable = 1;
    CHECK(t.world.contact_rules(collider) == wanted);
    CHECK(t.world.registry().get<Collider>(collider).group == -32768);
    CHECK(t.world.registry().get<Collider>(collider).events == kHitEvents);

    // One without rules has no component.
    TestWorld plain;
    const auto usual = instantiate(scene_with({}), plain.world);
    CHECK_FALSE(plain.world.registry().all_of<ContactRules>(plain.world.colliders(usual.value()[0])[0]));
}

TEST_CASE("a scene file whose rules make no sense is refused, and the sentence names the key") {
    const auto error_of = [](auto change) {
        SceneCollider c;
        change(c);
        return check(scene_with(c)).error();
    };
    const float bad = std::numeric_limits<float>::quiet_NaN();
    CHECK(error_of([&](SceneCollider& c) { c.group = 40000; }).find("group is 40000") != std::string::npos);
    CHECK(error_of([&](SceneCollider& c) { c.rules.one_way.y = bad; }).find(".one_way") != std::string::npos);
    CHECK(error_of([&](SceneCollider& c) { c.rules.hit_speed = -1.0f; }).find(".hit_speed") != std::string::npos);
    CHECK(error_of([&](SceneCollider& c) { c.rules.force_threshold = bad; }).find(".force_threshold") !=
          std::string::npos);
    CHECK(error_of([&](SceneCollider& c) { c.rules.break_impulse = -2.0f; }).find(".break_impulse") !=
          std::string::npos);
    const auto parsed = [](const char* value) {
        return parse_scene(std::string(R"({"version": 1, "name": "x", "shapes": [{"type": "sphere", "radius": 1}],
            "bodies": [{"colliders": [{"shape": 0, "group": )") +
                               value + "}]}]}",
                           "x.json");
    };
    CHECK(parsed("-3").ok());
    for (const char* wrong : {"1.5", "\"a\"", "9999999999", "-9999999999", "18446744073709551615", "true"}) {
        CAPTURE(wrong);
        CHECK(parsed(wrong).error().find("whole number") != std::string::npos);
    }
}

TEST_CASE("sensors and one-way surfaces are drawn, in another colour while something is inside") {
    TestWorld t;
    const Entity platform =
        t.body(TestWorld::box({1.0f, 0.1f, 1.0f}), {.type = BodyType::fixed, .position = {3.0f, 0.0f, 0.0f}});
    REQUIRE(t.world.set_contact_rules(platform, {.one_way = {0.0f, 2.0f, 0.0f}}).ok());
    BodyDesc zone;
    zone.type = BodyType::fixed;
    zone.colliders = {{.shape = t.shape(TestWorld::box(Vec3(1.0f))), .is_sensor = 1}};
    REQUIRE(t.world.create_body(zone).ok());
    DebugFrame frame;
    t.step();
    collect_debug(t.world, kDebugRules, frame);
    const size_t lines = frame.layer("rules").lines.size();
    REQUIRE(lines == 12 + 3);
    uint32_t before = 0;
    bool arrow = false;
    for (const DebugLine& line : frame.layer("rules").lines) {
        if (glm::length(line.from) < 2.0f) before = line.colour;
        arrow |= line.from == Vec3(3.0f, 0.0f, 0.0f) && line.to.y > 0.5f && line.to.x == 3.0f;
    }
    CHECK(arrow);
    t.body(TestWorld::sphere(0.2f), {});
    t.step();
    collect_debug(t.world, kDebugRules, frame);
    for (const DebugLine& line : frame.layer("rules").lines)
        if (glm::length(line.from) < 2.0f) CHECK(line.colour != before);
    collect_debug(t.world, kDebugBodies, frame);
    CHECK(frame.layer("rules").lines.empty());
}
