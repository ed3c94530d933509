// SPDX-License-Identifier: MIT
// Joints of every type in scene files: each field is read and written, and each mistake is named by its key.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/atomic_file.h"
#include "physics/joints/joint_types.h"
#include "physics/scene/scene.h"
#include "physics/world.h"
#include "samples/scenes/scenes.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Gives every field a value that makes sense and is not its default.
struct Scatter {
    test::Random random;
    bool flips = true;  // flags are the opposite of their defaults; otherwise either
    std::set<std::string> keys = {};

    float part() { return 0.1f + 0.8f * random.between(0.0f, 1.0f); }
    void note(std::string_view key) { CHECK_MESSAGE(keys.insert(std::string(key)).second, key, " stands twice"); }

    void field(std::string_view key, bool& value, const bool& usual) {
        note(key);
        value = flips ? !usual : random.below(2) == 0;
    }
    void field(std::string_view key, float& value, const float&) {
        note(key);
        const bool is_low = ends_with(key, "_lower");
        value = is_low ? -part() : key == "min_length" ? 0.1f * part() : part();
    }
    void field(std::string_view key, Vec3& value, const Vec3&) {
        note(key);
        value = {part(), -part(), 10.0f * part()};
    }
    void field(std::string_view key, Quat& value, const Quat&) {
        note(key);
        value = glm::normalize(Quat(part(), -part(), part(), part()));
    }
};

template <class Joint>
std::array<uint32_t, sizeof(Joint) / 4> words_of(const Joint& joint) {
    static_assert(std::is_trivially_copyable_v<Joint> && sizeof(Joint) % 4 == 0);
    std::array<uint32_t, sizeof(Joint) / 4> words;
    std::memcpy(words.data(), &joint, sizeof(Joint));
    return words;
}

SceneDesc two_bodies() {
    SceneDesc scene;
    scene.shapes.push_back({.type = ShapeType::sphere, .radius = 0.1f});
    for (int i = 0; i < 2; ++i) {
        SceneBody body;
        body.position = {float(i), 0.0f, 0.0f};
        body.colliders.emplace_back();
        scene.bodies.push_back(body);
    }
    return scene;
}

template <class Joint>
void check_type() {
    CAPTURE(Joint::kTypeName);
    for (uint32_t seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        Joint joint;
        Scatter scatter{test::Random{seed + 1}, seed == 0};
        visit_fields(scatter, joint);
        REQUIRE(check_fields(joint) == nullptr);
        if (seed == 0) {
            // What has kept its default is the two bodies: every other number is a field.
            const auto now = words_of(joint), usual = words_of(Joint{});
            size_t same = 0;
            for (size_t i = 0; i < now.size(); ++i) same += now[i] == usual[i];
            CHECK(same == 2);
        }
        SceneDesc scene = two_bodies();
        scene.joints.push_back({0, 1, joint});
        const std::string text = write_scene(scene);
        CHECK(text.find("\"type\": \"" + std::string(Joint::kTypeName) + "\"") != std::string::npos);
        const Result<SceneDesc> again = parse_scene(text, "test.json");
        REQUIRE_MESSAGE(again.ok(), again.error());
        REQUIRE(again->joints.size() == 1);
        REQUIRE(std::holds_alternative<Joint>(again->joints[0].joint));
        CHECK(words_of(std::get<Joint>(again->joints[0].joint)) == words_of(joint));
        CHECK(write_scene(*again) == text);
        if (seed > 2) continue;
        PhysicsWorld world;
        const auto made = instantiate(*again, world);
        REQUIRE_MESSAGE(made.ok(), made.error());
        REQUIRE(world.step(1.0f / 60.0f).ok());
        CHECK(world.report().joints == 1);
    }
}
template <class... Joint>
void check_types(TypeList<Joint...>) {
    (check_type<Joint>(), ...);
}

std::string error_of_joint(const std::string& fields) {
    const std::string text = R"({"version": 1, "shapes": [{"type": "sphere", "radius": 1}], "bodies": [
        {"colliders": [{"shape": 0}]}, {"colliders": [{"shape": 0}]}],
        "joints": [{"type": "ball", "body_a": 0, "body_b": 1}, {"body_a": 0, "body_b": 1, )" +
                             fields + "}]}";
    const Result<SceneDesc> scene = parse_scene(text, "test.json");
    return scene.ok() ? "nothing is wrong" : scene.error();
}

}  // namespace

TEST_CASE("every field of every type of joint is written and read to the last bit") { check_types(JointTypes{}); }

TEST_CASE("what is wrong with a joint is named by its key") {
    struct Case {
        const char *fields, *key, *says;
    };
    const Case cases[] = {
        {R"("type": "ball", "hertz": -1)", "hertz", "frequency"},
        {R"("type": "ball", "break_force": -1)", "break_force", "break"},
        {R"("type": "distance", "min_length": 3, "max_length": 2)", "min_length", "lower limit"},
        {R"("type": "distance", "max_length": 0)", "max_length", "above zero"},
        {R"("type": "distance", "motor": true, "motor_max_force": -5)", "motor_max_force", "largest force"},
        {R"("type": "spherical", "cone_angle": 4)", "cone_angle", "cone"},
        {R"("type": "spherical", "twist": true, "twist_lower": -9)", "twist_lower", "angles"},
        {R"("type": "spherical", "max_torque": -1)", "max_torque", "largest torque"},
        {R"("type": "revolute", "rotation_b": [0, 0, 0, 2])", "rotation_b", "length 1"},
        {R"("type": "revolute", "limit": true, "limit_lower": -1, "limit_upper": -2)", "limit_upper", "lower limit"},
        {R"("type": "revolute", "limit": true, "limit_upper": 3.5)", "limit_upper", "angles"},
        {R"("type": "revolute", "motor": true, "motor_speed": 1e9)", "motor_speed", "speed"},
        {R"("type": "prismatic", "friction": -1)", "friction", "friction"},
        {R"("type": "prismatic", "anchor_a": [0, 1e9, 0])", "anchor_a", "10,000 km"},
        {R"("type": "weld", "break_torque": -1)", "break_torque", "break"},
        {R"("type": "wheel", "steering": 2)", "steering", "steering"},
        {R"("type": "six_dof", "swing_y_locked": false, "swing_y_limit": true, "swing_y_limit_upper": 2)",
         "swing_y_limit_upper", "two swings"},
        {R"("type": "gear", "ratio": 0)", "ratio", "gear"},
        {R"("type": "pulley", "ratio": -1)", "ratio", "pulley"},
        {R"("type": "pulley", "length": 0)", "length", "rope"},
        {R"("type": "pulley", "ground_b": [1e9, 0, 0])", "ground_b", "10,000 km"},
        // What the file itself has wrong.
        {R"("type": "revolute", "limit": 1)", "limit", "true or false"},
        {R"("type": "revolute", "rotation_a": [0, 0, 1])", "rotation_a", "four numbers"},
        {R"("type": "revolute", "axis": [0, 0, 1])", "axis", "is not a key"},
        {R"("type": "gear", "motor": true)", "motor", "is not a key"},
        {R"("type": "hinge")", "type", "\"revolute\""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.fields);
        const std::string error = error_of_joint(c.fields);
        CHECK_MESSAGE(error.find("joints[1]." + std::string(c.key)) != std::string::npos, error);
        CHECK_MESSAGE(error.find(c.says) != std::string::npos, error);
    }
}

TEST_CASE("scenes of joints are written and read as they are") {
    for (const char* name : {"ball_chain", "chain100", "wrecking_ball", "bridge20", "net10", "ragdolls4", "crane",
                             "door_row", "gears_and_pulleys", "four_bar"}) {
        CAPTURE(name);
        const auto scene = samples::make_scene(name);
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        const std::string text = write_scene(*scene);
        const Result<SceneDesc> again = parse_scene(text, name);
        REQUIRE_MESSAGE(again.ok(), again.error());
        CHECK(again->joints.size() == scene->joints.size());
        CHECK(write_scene(*again) == text);
    }
}

namespace {

/// The keys of a type, and which of them switch a limit or motor on.
struct KeyList {
    std::vector<std::string> keys = {};
    std::set<std::string> flags = {};
    template <class T>
    void field(std::string_view key, T&, const T&) {
        keys.emplace_back(key);
        if (std::is_same_v<T, bool>) flags.emplace(key);
    }
};

/// The six axes have the same keys, told of x.
std::string as_told(std::string key) {
    for (const std::string_view axis : {"y_", "z_", "swing_y_", "swing_z_"})
        for (const std::string_view what : {"limit", "motor"})
            if (key.starts_with(std::string(axis) + std::string(what))) return "x_" + key.substr(axis.size());
    if (key.starts_with("twist_limit") || key.starts_with("twist_motor")) return "x_" + key.substr(6);
    return key;
}

template <class Joint>
void check_told(const std::string& text) {
    KeyList list;
    Joint joint;
    visit_fields(list, joint);
    const auto has = [&](const std::string& key) { return text.find("`" + key + "`") != std::string::npos; };
    CHECK(has(std::string(Joint::kTypeName)));
    for (const std::string& key : list.keys) {
        CAPTURE(Joint::kTypeName);
        // Of a limit or motor its flag has a row, and what follows its name is told of all of them.
        const auto part_of = [&](const std::string& flag) {
            if (key == flag || !key.starts_with(flag + "_") || !has(as_told(flag))) return false;
            const std::string rest = key.substr(flag.size());
            return has("limit" + rest) || has("motor" + rest);
        };
        CHECK_MESSAGE((has(as_told(key)) || std::any_of(list.flags.begin(), list.flags.end(), part_of)), key);
    }
}
template <class... Joint>
void check_told(const std::string& text, TypeList<Joint...>) {
    (check_told<Joint>(text), ...);
}

}  // namespace

TEST_CASE("scene-format.md tells of every key of every type of joint") {
    const Result<std::string> text = read_file(std::string(PROXIMA_SOURCE_DIR) + "/physics/docs/scene-format.md");
    REQUIRE_MESSAGE(text.ok(), text.error());
    const size_t begin = text->find("## A joint"), end = text->find("## A collider");
    REQUIRE(begin < end);
    check_told(text->substr(begin, end - begin), JointTypes{});
}

TEST_CASE("a file from when there were ball joints only is still read") {
    // As samples wrote it before other types came; anchor_a, hertz and the rest were left out where they were usual.
    const std::string joint = R"("type": "ball", "anchor_a": [0, -0.1, 0], "anchor_b": [0, 1, 0], "hertz": 2, )"
                              R"("damping_ratio": 0.5, "collide_connected": true)";
    CHECK(error_of_joint(joint) == "nothing is wrong");
}
