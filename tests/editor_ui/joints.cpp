// SPDX-License-Identifier: MIT
// Joints made and moved by a hand: the list of types, handles of frames, ends of ranges, undo and play.
#include "tests/editor_ui/editor_ui_test.h"

#include <cmath>

using namespace proxima;
using namespace proxima::test;
using Json = nlohmann::json;

namespace {

const physics::AnyJoint& joint_of(EditorRig& rig) { return rig.workspace().document.scene_data().joints.at(0).joint; }

std::string pixel(const Json& handles, const std::string& name, float dx = 0.0f, float dy = 0.0f) {
    REQUIRE_MESSAGE(handles.contains(name), name);
    return std::to_string(int(float(handles[name][0]) + dx)) + "," + std::to_string(int(float(handles[name][1]) + dy));
}

/// A hinge about z between two bodies that are seen.
void make_hinge(EditorRig& rig) {
    rig.run(
        "wait 3\nclick body:heavy_ball\nclick body:crate_12 ctrl\nkey J\nwait 2\nclick @join.axis.z\nclick "
        "@join.revolute");
    REQUIRE(rig.workspace().document.scene_data().joints.size() == 1);
    REQUIRE(std::holds_alternative<physics::RevoluteJoint>(joint_of(rig)));
}

}  // namespace

TEST_CASE("a hinge is made with J about the axis that was chosen, undone, and played") {
    EditorRig rig;
    if (!rig) return;
    const std::string before = physics::write_scene(rig.workspace().document.scene());
    make_hinge(rig);
    const Json made = rig.report();
    CHECK(made["joints"] == Json{{{"type", "revolute"}, {"body_a", "heavy ball"}, {"body_b", "crate 12"}}});
    CHECK(made["undo_count"] == 1);
    const auto& record = rig.workspace().document.scene_data().joints[0];
    const physics::SceneBody& a = rig.workspace().document.body(record.body_a)->desc;
    const auto& hinge = std::get<physics::RevoluteJoint>(record.joint);
    CHECK(glm::distance(a.rotation * hinge.rotation_a * Vec3(1.0f, 0.0f, 0.0f), Vec3(0.0f, 0.0f, 1.0f)) < 1e-5f);
    rig.run("key Ctrl+Z");
    CHECK(physics::write_scene(rig.workspace().document.scene()) == before);
    rig.run("key Ctrl+Shift+Z\nclick @play\nuntil_step 20");
    CHECK(rig.workspace().play.state() == engine::PlayState::play);
    rig.run("key Ctrl+Space");
    CHECK(rig.report()["world"] == made["world"]);
    CHECK(rig.report()["errors"] == 0);
}

TEST_CASE("Escape closes the list of types and makes nothing") {
    EditorRig rig;
    if (!rig) return;
    rig.run("wait 3\nclick body:heavy_ball\nkey J\nwait 2");
    CHECK(!rig.workspace().joint_tool.choosing);  // one body cannot be joined
    rig.run("click body:crate_12 ctrl\nkey J\nwait 2");
    CHECK(rig.workspace().joint_tool.choosing);
    rig.run("key Esc\nwait 2");
    CHECK(!rig.workspace().joint_tool.choosing);
    CHECK(rig.workspace().document.scene_data().joints.empty());
}

TEST_CASE("the frame of a joint is moved and turned by its handles on both bodies, a drag being one command") {
    EditorRig rig;
    if (!rig) return;
    make_hinge(rig);
    const Json handles = rig.report()["handles"];
    const auto frames = [&] {
        const auto& record = rig.workspace().document.scene_data().joints[0];
        const auto pose = [&](editor::ItemId id) {
            const physics::SceneBody& body = rig.workspace().document.body(id)->desc;
            return physics::Pose{body.position, body.rotation};
        };
        const physics::Pose a = pose(record.body_a), b = pose(record.body_b);
        return std::array{editor::joint_frame(record.joint, a, b, editor::JointEnd::a),
                          editor::joint_frame(record.joint, a, b, editor::JointEnd::b)};
    };
    const auto before = frames();
    CHECK(glm::distance(before[0].position, before[1].position) < 1e-5f);
    rig.run("drag " + pixel(handles, "y") + " " + pixel(handles, "y", 0.0f, -40.0f));
    const auto moved = frames();
    CHECK(moved[0].position.y > before[0].position.y + 0.1f);
    CHECK(std::abs(moved[0].position.x - before[0].position.x) < 1e-4f);
    CHECK(glm::distance(moved[0].position, moved[1].position) < 1e-5f);
    CHECK(rig.report()["undo_count"] == 2);
    rig.run("key Ctrl+Z");
    CHECK(glm::distance(frames()[0].position, before[0].position) < 1e-6f);
}

TEST_CASE("the end of a hinge's range is drawn by its mark, and not beyond the other end") {
    EditorRig rig;
    if (!rig) return;
    make_hinge(rig);
    CHECK(!rig.report()["handles"].contains("limit_upper"));
    auto hinge = std::get<physics::RevoluteJoint>(joint_of(rig));
    hinge.limit = {.enabled = 1, .lower = -0.5f, .upper = 0.5f};
    REQUIRE(rig.workspace().document.edit_joint(0, hinge).ok());
    const Json handles = rig.report()["handles"];
    rig.run("drag " + pixel(handles, "limit_upper") + " " + pixel(handles, "limit_upper", -25.0f, -25.0f));
    const auto changed = std::get<physics::RevoluteJoint>(joint_of(rig));
    CHECK(std::abs(changed.limit.upper - 0.5f) > 0.05f);
    CHECK(changed.limit.lower == -0.5f);
    // Across to the far side of the other end: it stays at the last angle that made sense.
    const Json now = rig.report()["handles"];
    rig.run("drag " + pixel(now, "limit_upper") + " " + pixel(now, "limit_lower", 0.0f, 3.0f));
    const auto last = std::get<physics::RevoluteJoint>(joint_of(rig));
    CHECK(last.limit.upper >= last.limit.lower);
    CHECK(rig.report()["errors"] == 0);
}

TEST_CASE("the inspector shows every field of a joint, and turns its frame by angles") {
    EditorRig rig;
    if (!rig) return;
    make_hinge(rig);
    CHECK(rig.report()["widgets"].contains("tab.Inspector"));
    rig.run("click @tab.Inspector\nmove 1180,500\nscroll -60\nwait 3");
    const Json widgets = rig.report()["widgets"];
    CHECK(widgets.contains("joint.0.delete"));
    CHECK(widgets.contains("joint.0.handles"));
    CHECK(widgets.contains("joint.0.collide_connected"));
    rig.run("click @joint.0.collide_connected");
    CHECK(std::get<physics::RevoluteJoint>(joint_of(rig)).collide_connected == 1);
    rig.run("click @joint.0.delete");
    CHECK(rig.workspace().document.scene_data().joints.empty());
}
