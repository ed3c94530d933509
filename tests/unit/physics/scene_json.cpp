// SPDX-License-Identifier: MIT
// Scene files: what is written reads back to the last bit, and every mistake is named by its place.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "engine/core/atomic_file.h"
#include "physics/scene/scene.h"
#include "physics/world.h"
#include "samples/scenes/scenes.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

constexpr const char* kSmall = R"({
  "version": 1,
  "name": "small",
  "shapes": [{"type": "box", "half_extents": [1, 2, 3]}, {"type": "sphere", "radius": 0.5}],
  "bodies": [
    {"type": "fixed", "colliders": [{"shape": 0}]},
    {"position": [0, 5, 0], "colliders": [{"shape": 1, "material": {"friction": 0.25}}]}
  ]
})";

/// The small scene with one piece of its text replaced by another.
std::string small_with(const std::string& from, const std::string& to) {
    std::string text = kSmall;
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
    const Result<SceneDesc> scene = parse_scene(text, "test.json");
    REQUIRE_FALSE(scene.ok());
    return scene.error();
}

void check_says(const std::string& sentence, const std::string& part) {
    CHECK_MESSAGE(sentence.find(part) != std::string::npos, sentence, " (should say: ", part, ")");
}

}  // namespace

TEST_CASE("a small scene file is read with defaults for what it leaves out") {
    const Result<SceneDesc> scene = parse_scene(kSmall, "test.json");
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    CHECK(scene->name == "small");
    REQUIRE(scene->shapes.size() == 2);
    CHECK(scene->shapes[0].type == ShapeType::box);
    CHECK(scene->shapes[0].half_extents == Vec3(1.0f, 2.0f, 3.0f));
    REQUIRE(scene->bodies.size() == 2);
    CHECK(scene->bodies[0].type == BodyType::fixed);
    CHECK(scene->bodies[1].type == BodyType::dynamic);
    CHECK(scene->bodies[1].position.y == 5.0f);
    CHECK(scene->bodies[1].colliders[0].material.friction == 0.25f);
    CHECK(scene->bodies[1].colliders[0].density == 1000.0f);
    CHECK(scene->settings.substeps == StepSettings().substeps);
}

TEST_CASE("every built-in scene survives writing and reading unchanged") {
    for (const std::string_view name : samples::built_in_scene_names()) {
        CAPTURE(name);
        const SceneDesc scene = samples::make_scene(name).value();
        const std::string once = write_scene(scene);
        const Result<SceneDesc> again = parse_scene(once, std::string(name));
        REQUIRE_MESSAGE(again.ok(), again.error());
        CHECK(write_scene(again.value()) == once);
        REQUIRE(again->bodies.size() == scene.bodies.size());
        bool same = true;
        for (size_t i = 0; i < scene.bodies.size(); ++i)
            same = same && std::memcmp(&again->bodies[i].position, &scene.bodies[i].position, sizeof(Vec3)) == 0 &&
                   std::memcmp(&again->bodies[i].rotation, &scene.bodies[i].rotation, sizeof(Quat)) == 0;
        CHECK(same);
    }
}

TEST_CASE("a scene with nothing at its default comes back whole") {
    SceneDesc scene;
    scene.name = "all \"set\" \n\t\\ \xc3\xbc";
    scene.description = "every key";
    scene.settings = {.gravity = {0.1f, -1.5f, -0.0f},
                      .stepping = Stepping::moreau_midpoint,
                      .stabilisation = Stabilisation::projection,
                      .substeps = 3,
                      .solver = "pgs",
                      .iterations = 7,
                      .relax_iterations = 2,
                      .tolerance = 1.0 / 3.0,
                      .r_strategy = RStrategy::blocked,
                      .contact_hertz = 30.5f,
                      .contact_damping_ratio = 5.25f,
                      .max_push_speed = 0.75f,
                      .speculative_distance = 0.01f,
                      .manifold_reuse_distance = 0.03f,
                      .projection_slop = 0.001f,
                      .projection_passes = 2,
                      .restitution_speed = 0.25f,
                      .hit_speed = 2.0f,
                      .gyroscopic = false,
                      .sleeping = false,
                      .sleep_speed = 0.1f,
                      .sleep_time = 1.5f};
    scene.run = {.dt = 0.01f, .steps = 10, .settled_from = 5, .stands_test = true, .stand_tolerance = 0.3f};
    ShapeDesc hull{.type = ShapeType::hull, .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.0f / 3.0f}}};
    scene.shapes = {hull, {.type = ShapeType::capsule, .radius = 0.1f, .half_height = 0.2f}};
    SceneBody body;
    body.name = "b";
    body.type = BodyType::kinematic;
    body.position = {1e-20f, 8388607.5f, -0.0f};
    body.rotation = Quat(0.5f, 0.5f, -0.5f, 0.5f);
    body.linear_velocity = {1, 2, 3};
    body.angular_velocity = {4, 5, 6};
    body.mass = 2.5f;
    body.gravity_scale = -1.0f;
    body.linear_damping = 0.1f;
    body.angular_damping = 0.2f;
    body.allow_sleep = false;
    SceneCollider collider;
    collider.shape = 1;
    collider.position = {0.1f, 0.2f, 0.3f};
    collider.rotation = Quat(0.0f, 1.0f, 0.0f, 0.0f);
    collider.scale = {2, 2, 2};
    collider.material = {.friction = 0.3f,
                         .restitution = 0.5f,
                         .friction_combine = Combine::multiply,
                         .restitution_combine = Combine::average,
                         .unused = 0};
    collider.density = 10.0f;
    collider.layer = 4;
    collider.mask = 5;
    body.colliders = {collider};
    scene.bodies = {body};

    const Result<SceneDesc> again = parse_scene(write_scene(scene), "test.json");
    REQUIRE_MESSAGE(again.ok(), again.error());
    CHECK(write_scene(again.value()) == write_scene(scene));
    CHECK(again->name == scene.name);
    CHECK(again->settings.tolerance == scene.settings.tolerance);
    CHECK(again->settings.stepping == Stepping::moreau_midpoint);
    CHECK(again->settings.sleep_time == 1.5f);
    CHECK(again->run.stand_tolerance == 0.3f);
    CHECK(again->shapes[0].points[3].z == 1.0f / 3.0f);
    const SceneBody& read = again->bodies[0];
    CHECK(read.position == body.position);
    CHECK(std::signbit(read.position.z));
    CHECK(read.rotation == body.rotation);
    CHECK(read.angular_damping == 0.2f);
    CHECK_FALSE(read.allow_sleep);
    CHECK(read.colliders[0].scale == collider.scale);
    CHECK(read.colliders[0].material.friction_combine == Combine::multiply);
    CHECK(read.colliders[0].mask == 5);
    // Every key that can differ from its default is in the text.
    for (const char* key : {"gravity", "hit_speed", "projection_passes", "gyroscopic", "allow_sleep", "layer"})
        check_says(write_scene(scene), std::string("\"") + key + "\":");
}

TEST_CASE("an unknown key is refused with its path and the nearest known key") {
    check_says(error_of(small_with("\"position\"", "\"positoin\"")), "bodies[1].positoin");
    check_says(error_of(small_with("\"position\"", "\"positoin\"")), "\"position\"");
    check_says(error_of(small_with("\"friction\"", "\"fricton\"")), "bodies[1].colliders[0].material.fricton");
    check_says(error_of(small_with("\"name\"", "\"nmae\"")), "\"name\"");
    // A key of another type of shape is no key of this one.
    check_says(error_of(small_with("\"radius\": 0.5", "\"radius\": 0.5, \"half_extents\": [1, 1, 1]")),
               "shapes[1].half_extents");
}

TEST_CASE("a value of the wrong type is refused with its path and what it must be") {
    check_says(error_of(small_with("[0, 5, 0]", "[0, 5]")), "bodies[1].position must be a list of three numbers");
    check_says(error_of(small_with("[0, 5, 0]", "[0, null, 0]")),
               "bodies[1].position[1] must be a number, but is null");
    check_says(error_of(small_with("\"radius\": 0.5", "\"radius\": \"big\"")), "shapes[1].radius must be a number");
    check_says(error_of(small_with("\"shape\": 1", "\"shape\": -1")), "bodies[1].colliders[0].shape");
    check_says(error_of(small_with("\"shape\": 1", "\"shape\": 1.5")), "a whole number");
    check_says(error_of(small_with("\"fixed\"", "\"static\"")),
               "bodies[0].type must be one of \"fixed\", \"kinematic\", \"dynamic\", but is the text \"static\"");
    check_says(error_of(small_with("0.25", "1e39")), "material.friction");
    check_says(error_of("[]"), "an object");
    check_says(error_of(small_with("\"shapes\": [", "\"shapes\": 3, \"bodies\": [")), "\"bodies\" stands twice");
}

TEST_CASE("values that make no sense are refused with their path") {
    const auto with_body = [](const std::string& keys) { return small_with("\"position\": [0, 5, 0]", keys); };
    check_says(error_of(with_body("\"mass\": -1")), "bodies[1].mass is -1");
    check_says(error_of(with_body("\"rotation\": [0, 0, 0, 0]")), "bodies[1].rotation");
    check_says(error_of(with_body("\"linear_damping\": -0.5")), "bodies[1].linear_damping");
    const auto with_collider = [](const std::string& keys) {
        return small_with("\"shape\": 1", "\"shape\": 1, " + keys);
    };
    check_says(error_of(with_collider("\"scale\": [0, 0, 0]")), "bodies[1].colliders[0].scale is [0, 0, 0]");
    check_says(error_of(with_collider("\"scale\": [1, 2, 1]")), "round shapes");
    check_says(error_of(with_collider("\"density\": 0")), "bodies[1].colliders[0].density");
    check_says(error_of(small_with("\"shape\": 1", "\"shape\": 7")), "the scene has 2 shapes");
    check_says(error_of(small_with("0.25", "-0.25")), "material.friction");
    check_says(error_of(small_with("\"radius\": 0.5", "\"radius\": 0")), "shapes[1]");
    check_says(error_of(small_with("\"name\": \"small\"", "\"run\": {\"dt\": 0}")), "run.dt is 0");
    check_says(error_of(small_with("\"name\": \"small\"", "\"settings\": {\"substeps\": 0}")), "substeps");
    check_says(error_of(small_with("\"name\": \"small\"", "\"settings\": {\"solver\": \"magic\"}")), "magic");
    check_says(error_of(small_with("\"type\": \"sphere\", \"radius\": 0.5", "\"type\": \"half_space\"")),
               "a half-space goes on fixed bodies only");
    check_says(error_of(small_with("[{\"shape\": 1, \"material\": {\"friction\": 0.25}}]", "[]")), "no colliders");
}

TEST_CASE("a compound is read with its children, and written as it was") {
    const std::string box = R"({"type": "box", "half_extents": [1, 2, 3]})";
    const std::string compound =
        R"({"type": "compound", "children": [{"type": "box", "half_extents": [1, 2, 3], "position": [0, 0.1, 0]}, )"
        R"({"type": "capsule", "radius": 0.25, "half_height": 1, "rotation": [0, 0, 1, 0]}, )"
        R"({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}, )"
        R"({"type": "sphere", "radius": 0.5}]})";
    const Result<SceneDesc> scene = parse_scene(small_with(box, compound), "test.json");
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    const std::vector<ChildDesc>& children = scene->shapes[0].children;
    REQUIRE(children.size() == 4);
    CHECK(children[0].shape.half_extents == Vec3(1.0f, 2.0f, 3.0f));
    CHECK(children[0].position.y == 0.1f);
    CHECK(children[1].shape.type == ShapeType::capsule);
    CHECK(children[1].rotation == Quat(0.0f, 0.0f, 0.0f, 1.0f));
    CHECK(children[2].shape.points.size() == 4);
    CHECK(children[3].shape.radius == 0.5f);
    const std::string text = write_scene(*scene);
    CHECK(text.find(compound) != std::string::npos);
    CHECK(write_scene(parse_scene(text, "again").value()) == text);

    const auto with_children = [&](const std::string& list) {
        return error_of(small_with(box, R"({"type": "compound", "children": )" + list + "}"));
    };
    check_says(with_children("[]"), "shapes[0]: The compound has no children");
    check_says(with_children("3"), "shapes[0].children must be a list");
    check_says(with_children(R"([{"radius": 1}])"), "shapes[0].children[0] has no \"type\"");
    check_says(with_children(R"([{"type": "sphere"}])"), "shapes[0].children[0] has no \"radius\"");
    check_says(with_children(R"([{"type": "sphere", "radius": 1, "postion": [0, 0, 0]}])"),
               "did you mean \"position\"?");
    check_says(with_children(R"([{"type": "sphere", "radius": -1}])"),
               "shapes[0]: children[0] of the compound: The radius of the sphere is -1 m");
    // Neither compounds nor half-spaces are children, however deep a file nests them.
    const std::string allowed =
        "children[0].type must be one of \"sphere\", \"box\", \"capsule\", \"hull\", but is the text ";
    check_says(with_children(R"([{"type": "half_space"}])"), allowed + "\"half_space\"");
    std::string deep = R"({"type": "sphere", "radius": 1})";
    for (int i = 0; i < 2000; ++i) deep = R"({"type": "compound", "children": [)" + deep + "]}";
    check_says(with_children("[" + deep + "]"), allowed + "\"compound\"");
    SceneDesc stretched = *scene;
    stretched.bodies[0].colliders[0].scale = {1.0f, 2.0f, 1.0f};
    check_says(check(stretched).error(), "compounds take the same factor");
}

TEST_CASE("joints are read, written as they were, and refused with their path") {
    const std::string joint = R"("joints": [{"type": "ball", "body_a": 0, "body_b": 1, "anchor_b": [0, 1, 0], )"
                              R"("hertz": 2.5, "collide_connected": true}])";
    const auto with = [&](const std::string& joints) {
        return small_with("\"version\": 1,", "\"version\": 1, " + joints + ",");
    };
    const Result<SceneDesc> scene = parse_scene(with(joint), "test.json");
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    REQUIRE(scene->joints.size() == 1);
    CHECK(scene->joints[0].body_b == 1);
    const BallJoint& ball = std::get<BallJoint>(scene->joints[0].joint);
    CHECK(ball.anchor_b == Vec3(0.0f, 1.0f, 0.0f));
    CHECK(ball.hertz == 2.5f);
    CHECK(ball.damping_ratio == 1.0f);
    CHECK(ball.collide_connected == 1);
    const std::string text = write_scene(*scene);
    CHECK(write_scene(parse_scene(text, "again").value()) == text);

    PhysicsWorld world;
    const auto bodies = instantiate(*scene, world);
    REQUIRE_MESSAGE(bodies.ok(), bodies.error());
    REQUIRE(world.step(1.0f / 60.0f).ok());
    CHECK(world.report().joints == 1);

    check_says(error_of(with(R"("joints": [{"type": "rope", "body_a": 0, "body_b": 1}])")), "joints[0].type");
    check_says(error_of(with(R"("joints": [{"type": "ball", "body_a": 0}])")), "has no \"body_b\"");
    check_says(error_of(with(R"("joints": [{"type": "ball", "body_a": 0, "body_b": 2}])")), "joints[0].body_b is 2");
    check_says(error_of(with(R"("joints": [{"type": "ball", "body_a": 1, "body_b": 1}])")), "joins a body to itself");
    check_says(error_of(with(R"("joints": [{"type": "ball", "body_a": 0, "body_b": 1, "hertz": -1}])")), "frequency");
    check_says(error_of(with(R"("joints": [{"type": "ball", "body_a": 0, "body_b": 1, "hurtz": 1}])")), "\"hertz\"");
}

TEST_CASE("NaN in a scene made by a program is named by its path") {
    SceneDesc scene = parse_scene(kSmall, "test.json").value();
    scene.bodies[1].mass = std::numeric_limits<float>::quiet_NaN();
    check_says(check(scene).error(), "bodies[1].mass is nan");
    check_says(save_scene(scene, "never.json").error(), "bodies[1].mass");
    CHECK_FALSE(std::filesystem::exists("never.json"));
}

TEST_CASE("a scene of which a body cannot be made leaves no bodies behind, and the settings that the world had") {
    SceneDesc scene = parse_scene(kSmall, "test.json").value();
    scene.settings.substeps = 3;
    scene.settings.gravity = Vec3(0.0f);
    // Each number is one that a scene may have; the mass that they make together is beyond what a float can hold.
    scene.bodies.push_back(scene.bodies[1]);
    scene.bodies.back().colliders[0].density = 3e38f;
    scene.bodies.back().colliders[0].scale = Vec3(100.0f);
    REQUIRE(check(scene).ok());
    PhysicsWorld world;
    const auto made = instantiate(scene, world);
    REQUIRE_FALSE(made.ok());
    check_says(made.error(), "bodies[2]");
    CHECK(world.bodies().empty());
    CHECK(world.settings().substeps == StepSettings().substeps);
    CHECK(world.settings().gravity == StepSettings().gravity);
}

TEST_CASE("broken JSON is refused with line and column") {
    check_says(error_of("{\n  \"version\": 1,\n  \"name\": }\n"), "test.json:3:11: this is not valid JSON");
    check_says(error_of(""), "test.json:1:1");
    check_says(error_of(small_with("0.25", "NaN")), "not valid JSON");
    check_says(error_of(small_with("0.25", "1e999")), "not valid JSON");
}

TEST_CASE("a file of another version, or of none, is refused") {
    check_says(error_of(small_with("\"version\": 1", "\"version\": 2")), "version is 2; this program reads version 1");
    check_says(error_of(small_with("\"version\": 1,", "")), "has no \"version\"");
}

TEST_CASE("a saved scene file loads again and a missing one is named") {
    const test::TemporaryFolder folder;
    const std::string file = folder.file("scene.json");
    const SceneDesc scene = samples::make_scene("arch").value();
    REQUIRE(save_scene(scene, file).ok());
    const Result<SceneDesc> loaded = load_scene(file);
    REQUIRE_MESSAGE(loaded.ok(), loaded.error());
    CHECK(write_scene(loaded.value()) == write_scene(scene));

    // A failed save leaves the old file as it was, and nothing beside it.
    SceneDesc broken = scene;
    broken.bodies[1].position.x = std::numeric_limits<float>::infinity();
    CHECK_FALSE(save_scene(broken, file).ok());
    CHECK(read_file(file).value() == write_scene(scene));
    CHECK(folder.files() == 1);
    check_says(save_scene(scene, folder.file("no/such/place.json")).error(), "no folder");
    check_says(save_scene(scene, folder.path.string()).error(), "is a folder");
    std::filesystem::remove(file);
    check_says(load_scene(file).error(), file);
}
