// SPDX-License-Identifier: MIT
// Combine modes: every mode for friction, restitution and moments, in both orders, from the function to the
// contact of a world and the scene file.
#include <cmath>

#include "physics/contact/material.h"
#include "physics/scene/scene.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

constexpr Combine kModes[] = {Combine::average, Combine::minimum, Combine::maximum, Combine::multiply,
                              Combine::geometric_mean};
constexpr const char* kWords[] = {"average", "minimum", "maximum", "multiply", "geometric_mean"};
// Chosen so that all five modes give different numbers, and none of them is a number that went in swapped.
constexpr float kA = 0.9f, kB = 0.4f;

float expected(Combine mode, float a = kA, float b = kB) {
    switch (mode) {
        case Combine::average:
            return 0.65f;
        case Combine::minimum:
            return 0.4f;
        case Combine::maximum:
            return 0.9f;
        case Combine::multiply:
            return 0.36f;
        case Combine::geometric_mean:
            return 0.6f;
    }
    return a + b;
}

/// The later one in the list decides: written out here, not computed.
Combine winner(Combine a, Combine b) { return int(a) > int(b) ? a : b; }

const Manifold& only_manifold(TestWorld& t) {
    const std::vector<ContactView> found = t.world.contacts();
    REQUIRE(!found.empty());
    return *found.back().manifold;
}

Entity add_cube(TestWorld& t, BodyType type, float y, const Material& material) {
    const Entity body = t.world.create_body({.type = type, .pose = {.position = {0.0f, y, 0.0f}}}).value();
    REQUIRE(t.world.add_collider(body, {.shape = t.shape(TestWorld::box(Vec3(0.5f))), .material = material}).ok());
    return body;
}

}  // namespace

TEST_CASE("friction of two surfaces: each mode against each mode, in both orders") {
    for (const Combine mode_a : kModes) {
        for (const Combine mode_b : kModes) {
            CAPTURE(int(mode_a));
            CAPTURE(int(mode_b));
            // Restitution has the other mode: code that reads the wrong one is found out.
            const Material a{.friction = kA, .friction_combine = mode_a, .restitution_combine = mode_b};
            const Material b{.friction = kB, .friction_combine = mode_b, .restitution_combine = mode_a};
            const float want = expected(winner(mode_a, mode_b));
            CHECK(combine_friction(a, b) == doctest::Approx(want).epsilon(1e-6));
            CHECK(combine_friction(b, a) == combine_friction(a, b));
            CHECK(combine_friction(contact_material(a), contact_material(b)) == combine_friction(a, b));
            CHECK(combine_friction(contact_material(b), contact_material(a)) == combine_friction(a, b));
        }
    }
}

TEST_CASE("restitution of two surfaces: each mode against each mode, in both orders") {
    for (const Combine mode_a : kModes) {
        for (const Combine mode_b : kModes) {
            CAPTURE(int(mode_a));
            CAPTURE(int(mode_b));
            const Combine low = Combine::average;  // of friction: never decides here
            const Material a{.restitution = kA, .friction_combine = low, .restitution_combine = mode_a};
            const Material b{.restitution = kB, .friction_combine = low, .restitution_combine = mode_b};
            const float want = expected(winner(mode_a, mode_b));
            CHECK(combine_restitution(a, b) == doctest::Approx(want).epsilon(1e-6));
            CHECK(combine_restitution(b, a) == combine_restitution(a, b));
            CHECK(combine_restitution(contact_material(a), contact_material(b)) == combine_restitution(a, b));
            CHECK(combine_restitution(contact_material(b), contact_material(a)) == combine_restitution(a, b));
        }
    }
}

TEST_CASE("torsional and rolling friction of two surfaces: each mode against each mode, in both orders") {
    for (const Combine mode_a : kModes) {
        for (const Combine mode_b : kModes) {
            CAPTURE(int(mode_a));
            CAPTURE(int(mode_b));
            const Material a{.moment_combine = mode_a, .torsional_friction = kA, .rolling_friction = 10.0f * kA};
            const Material b{.moment_combine = mode_b, .torsional_friction = kB, .rolling_friction = 10.0f * kB};
            const GrainySurface x{a, Vec3(0.0f)}, y{b, Vec3(0.0f)};
            const Combine mode = winner(mode_a, mode_b);
            const float torsion = expected(mode), rolling = torsion * (mode == Combine::multiply ? 100.0f : 10.0f);
            for (const bool swapped : {false, true}) {
                Vec3 tangent(1.0f, 0.0f, 0.0f);
                const CombinedFriction c =
                    combine_all_friction(swapped ? y : x, swapped ? x : y, {0.0f, 1.0f, 0.0f}, tangent);
                CHECK(c.torsion_radius == doctest::Approx(torsion).epsilon(1e-6));
                CHECK(c.rolling_radius == doctest::Approx(rolling).epsilon(1e-6));
                CHECK_FALSE(c.is_plain());
            }
        }
    }
}

TEST_CASE("a contact of a world has the friction and restitution that the modes of its two surfaces say") {
    for (const Combine friction : kModes) {
        for (const Combine restitution : kModes) {
            for (const bool fixed_first : {true, false}) {
                CAPTURE(int(friction));
                CAPTURE(int(restitution));
                CAPTURE(fixed_first);
                // One surface has the modes, the other the least of them, so that it never decides.
                const Material with{.friction = kA,
                                    .restitution = kB,
                                    .friction_combine = friction,
                                    .restitution_combine = restitution};
                const Material plain{.friction = kB,
                                     .restitution = kA,
                                     .friction_combine = Combine::average,
                                     .restitution_combine = Combine::average};
                TestWorld t;
                if (fixed_first) add_cube(t, BodyType::fixed, 0.0f, with);
                add_cube(t, BodyType::dynamic, 1.0f, plain);
                if (!fixed_first) add_cube(t, BodyType::fixed, 0.0f, with);
                t.step();
                CHECK(only_manifold(t).friction == doctest::Approx(expected(friction)).epsilon(1e-6));
                CHECK(only_manifold(t).restitution == doctest::Approx(expected(restitution)).epsilon(1e-6));
            }
        }
    }
}

TEST_CASE("scene files carry all three combine modes, by word, to the components and back") {
    for (int i = 0; i < 5; ++i) {
        const int friction = i, restitution = (i + 1) % 5, moment = (i + 2) % 5;
        CAPTURE(i);
        const std::string text = std::string(R"({"version": 1, "name": "modes",
            "shapes": [{"type": "sphere", "radius": 0.5}],
            "bodies": [{"colliders": [{"shape": 0, "material": {"friction_combine": ")") +
                                 kWords[friction] + R"(", "restitution_combine": ")" + kWords[restitution] +
                                 R"(", "moment_combine": ")" + kWords[moment] + R"("}}]}]})";
        const Result<SceneDesc> scene = parse_scene(text, "modes.json");
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        const auto check = [&](const Material& m) {
            CHECK(m.friction_combine == kModes[friction]);
            CHECK(m.restitution_combine == kModes[restitution]);
            CHECK(m.moment_combine == kModes[moment]);
        };
        check(scene->bodies[0].colliders[0].material);
        const Result<SceneDesc> again = parse_scene(write_scene(scene.value()), "again.json");
        REQUIRE_MESSAGE(again.ok(), again.error());
        check(again->bodies[0].colliders[0].material);
        PhysicsWorld world;
        REQUIRE(instantiate(again.value(), world).ok());
        for (const auto [entity, collider] : world.registry().view<Collider>().each()) check(collider.material);
    }
    const std::string wrong =
        R"({"version": 1, "name": "modes", "shapes": [{"type": "sphere", "radius": 0.5}],
        "bodies": [{"colliders": [{"shape": 0, "material": {"restitution_combine": "mean"}}]}]})";
    const Result<SceneDesc> refused = parse_scene(wrong, "modes.json");
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().find("restitution_combine") != std::string::npos);
}

TEST_CASE("a ball of a scene file bounces as high as its restitution_combine says") {
    for (const char* mode : {"minimum", "maximum", "average"}) {
        CAPTURE(mode);
        // Ball 0.8, floor 0.2. The floor's mode is the earliest of the list, so the ball's decides.
        const std::string text = std::string(R"({"version": 1, "name": "bounce",
            "shapes": [{"type": "sphere", "radius": 0.5}, {"type": "half_space"}],
            "bodies": [
              {"type": "fixed", "colliders": [{"shape": 1,
                "material": {"restitution": 0.2, "restitution_combine": "average"}}]},
              {"position": [0, 2, 0], "colliders": [{"shape": 0,
                "material": {"restitution": 0.8, "restitution_combine": ")") +
                                 mode + R"("}}]}]})";
        const Result<SceneDesc> scene = parse_scene(text, "bounce.json");
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        PhysicsWorld world;
        REQUIRE(instantiate(scene.value(), world).ok());
        const Entity ball = world.bodies()[1];
        float down = 0.0f, up = 0.0f;
        for (int i = 0; i < 60; ++i) {
            REQUIRE(world.step(kDt).ok());
            const float v = world.registry().get<Velocity>(ball).linear.y;
            down = std::min(down, v);
            up = std::max(up, v);
        }
        const float e = std::string(mode) == "minimum" ? 0.2f : std::string(mode) == "maximum" ? 0.8f : 0.5f;
        // A step of gravity, 0.16 m/s, is lost or won on either side: the impact lies somewhere inside a step.
        CHECK(std::abs(up - e * -down) < (1.0f + e) * kG * kDt);
    }
}
