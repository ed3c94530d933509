// SPDX-License-Identifier: MIT
// A save and a restore between any two calls change nothing, also while changes of the game wait for their step: every
// kind of change, in a world of stacks, sleepers and a chain, against the same world without the restore.
#include <functional>
#include <limits>
#include <memory>

#include "physics/joints/ball_joint.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

engine::Snapshot saved(const PhysicsWorld& world) {
    engine::Snapshot snapshot;
    world.save(snapshot);
    return snapshot;
}

/// Handles are the same in every world that was made in the same way.
struct Scene {
    std::unique_ptr<TestWorld> t = std::make_unique<TestWorld>();
    Entity floor{}, box{}, upper{}, ball{}, driver{}, link{}, joint{};
    Entity box_collider{}, ball_collider{}, sleeper{};

    PhysicsWorld& world() { return t->world; }
    entt::registry& registry() { return t->world.registry(); }
    Entity collider_of(Entity body) {
        for (const Entity entity : registry().view<Collider>())
            if (registry().get<Collider>(entity).body == body) return entity;
        return kNoEntity;
    }
    Entity contact_of(Entity body) {
        const auto contacts = world().contacts(body);
        return contacts.empty() ? kNoEntity : contacts[0].pair;
    }

    Scene() {
        StepSettings settings = t->settings();
        settings.sleep_time = 0.1f;
        t->set(settings);
        const auto box_shape = TestWorld::box({0.25f, 0.25f, 0.25f});
        floor = t->floor();
        sleeper = t->body(box_shape, {.position = {6.0f, 0.25f, 0.0f}});
        for (int k = 0; k < 5; ++k) {  // solved directly, at once because of the heavy one on top
            const Entity made = t->body(
                box_shape, {.position = {0.0f, 0.25f + 0.5f * float(k), 0.0f}, .mass = k == 4 ? 5000.0f : 0.0f});
            (k == 0 ? box : upper) = made;
        }
        ball =
            t->body(TestWorld::sphere(0.25f), {.position = {3.0f, 1.0f, 0.0f}, .velocity = {{-1.0f, 0.0f, 0.5f}, {}}});
        driver = t->body(
            box_shape,
            {.type = BodyType::kinematic, .position = {-3.0f, 0.3f, 0.0f}, .velocity = {{0.5f, 0.0f, 0.0f}, {}}});
        Entity before = floor;
        for (int k = 0; k < 3; ++k) {
            link = t->body(TestWorld::sphere(0.25f), {.position = {0.6f * float(k), 4.0f, 3.0f}});
            BallJoint desc;
            desc.body_a = before;
            desc.body_b = link;
            desc.anchor_a = before == floor ? Vec3(-0.3f, 4.0f, 3.0f) : Vec3(0.3f, 0.0f, 0.0f);
            desc.anchor_b = {-0.3f, 0.0f, 0.0f};
            joint = world().create_joint(desc).value();
            before = link;
        }
        box_collider = collider_of(box);
        ball_collider = collider_of(ball);
    }
    void step(int count = 1) {
        for (int k = 0; k < count; ++k) REQUIRE(world().step(kDt).ok());
    }
    void save_and_restore(bool in_new_world) {
        const engine::Snapshot now = saved(world());
        if (in_new_world) {
            auto other = std::make_unique<TestWorld>();
            other->world.shapes() = world().shapes();
            t = std::move(other);
        }
        const Result<void> restored = world().restore(now);
        REQUIRE_MESSAGE(restored.ok(), restored.error());
        CHECK(saved(world()).bytes == now.bytes);
    }
};

struct Change {
    const char* name;
    std::function<void(Scene&)> make;
};

const Change kChanges[] = {
    {"nothing", [](Scene&) {}},
    {"a body is made",
     [](Scene& s) {
         s.t->body(TestWorld::sphere(0.2f), {.position = {0.0f, 4.0f, 0.0f}});
     }},
    {"a body is destroyed", [](Scene& s) { s.world().destroy_body(s.box); }},
    {"a body is destroyed and another made",
     [](Scene& s) {
         s.world().destroy_body(s.box);
         s.t->body(TestWorld::sphere(0.2f), {.position = {0.0f, 0.25f, 0.0f}});
     }},
    {"the floor is destroyed", [](Scene& s) { s.world().destroy_body(s.floor); }},
    {"a sleeper is destroyed", [](Scene& s) { s.world().destroy_body(s.sleeper); }},
    {"a body goes and its colliders stay", [](Scene& s) { s.registry().destroy(s.box); }},
    {"a collider is destroyed", [](Scene& s) { s.registry().destroy(s.box_collider); }},
    {"a collider is removed below a sleeper",
     [](Scene& s) { s.registry().remove<Collider>(s.collider_of(s.sleeper)); }},
    {"a collider is added", [](Scene& s) { (void)s.world().add_collider(s.ball, {.shape = ShapeId{0}}); }},
    {"a collider is patched to another body",
     [](Scene& s) { s.registry().patch<Collider>(s.ball_collider, [&](Collider& c) { c.body = s.box; }); }},
    {"a collider is written in place",
     [](Scene& s) { s.registry().get<Collider>(s.ball_collider).material.friction = 0.1f; }},
    {"a collider is written in place and its body destroyed",
     [](Scene& s) {
         s.registry().get<Collider>(s.ball_collider).body = s.box;
         s.world().destroy_body(s.ball);
     }},
    {"a mass is patched", [](Scene& s) { s.registry().patch<Mass>(s.box, [](Mass& m) { m.mass *= 2.0f; }); }},
    {"a type is written in place", [](Scene& s) { s.registry().get<RigidBody>(s.box).type = BodyType::fixed; }},
    {"a body is patched to what it is", [](Scene& s) { s.registry().patch<RigidBody>(s.upper); }},
    {"a pose is written", [](Scene& s) { s.registry().get<Pose>(s.driver).position.y += 0.1f; }},
    {"a sleeper is put elsewhere", [](Scene& s) { s.registry().get<Pose>(s.sleeper).position.y += 0.2f; }},
    {"a body is put far beyond what floats can step",
     [](Scene& s) { s.registry().get<Pose>(s.upper).position = Vec3(3e38f, -3e38f, 1e30f); }},
    {"the floor is put there", [](Scene& s) { s.registry().get<Pose>(s.floor).position = Vec3(1e30f, -1e30f, 3e38f); }},
    {"a body is far too fast", [](Scene& s) { s.registry().get<Velocity>(s.ball).linear.x = 1e30f; }},
    {"a sleep state is written", [](Scene& s) { s.registry().get<SleepState>(s.sleeper).timer = 0.7f; }},
    {"a sleeper is woken", [](Scene& s) { (void)s.world().wake(s.sleeper); }},
    {"a component is taken away", [](Scene& s) { s.registry().remove<SleepState>(s.box); }},
    {"a stable id is taken away", [](Scene& s) { s.registry().remove<StableId>(s.ball); }},
    {"a body is quarantined by hand", [](Scene& s) { s.registry().emplace<Quarantined>(s.ball); }},
    {"the entity of a contact is destroyed", [](Scene& s) { s.registry().destroy(s.contact_of(s.box)); }},
    {"a solver is chosen that does not exist",
     [](Scene& s) { s.registry().emplace<SolverChoice>(s.box, SolverChoice{.solver = "?"}); }},
    {"a half-space is put on a body that moves",
     [](Scene& s) { s.registry().get<Collider>(s.ball_collider).shape = s.t->shape(TestWorld::half_space()); }},
    {"a new half-space moves",
     [](Scene& s) {
         const Entity plane = s.t->body(TestWorld::half_space(), {.type = BodyType::fixed});
         s.registry().get<RigidBody>(plane).type = BodyType::dynamic;
     }},
    {"the impulses of a joint are not finite",
     [](Scene& s) { s.registry().get<JointState>(s.joint).lambda[0] = std::numeric_limits<float>::quiet_NaN(); }},
    {"a joint is destroyed", [](Scene& s) { s.world().destroy_joint(s.joint); }},
    {"a joint is written", [](Scene& s) { s.registry().get<BallJoint>(s.joint).anchor_b.x = -0.5f; }},
    {"the state of a joint is taken away", [](Scene& s) { s.registry().remove<JointState>(s.joint); }},
    {"a body of a joint is destroyed", [](Scene& s) { s.world().destroy_body(s.link); }},
    {"the stepping is another",
     [](Scene& s) {
         StepSettings settings = s.t->settings();
         settings.stepping = Stepping::moreau_midpoint;
         s.t->set(settings);
     }},
    {"a body has a solver of its own", [](Scene& s) { (void)s.world().set_solver(s.ball, "pgs"); }},
};

}  // namespace

TEST_CASE("a save and a restore between two calls change nothing, whatever waits for its step") {
    for (const Change& change : kChanges)
        for (const bool in_new_world : {false, true})
            for (const int steps_before : {0, 1, 25}) {
                CAPTURE(std::string(change.name));
                CAPTURE(in_new_world);
                CAPTURE(steps_before);
                Scene plain, restored;
                for (Scene* scene : {&plain, &restored}) scene->step(steps_before);
                if (steps_before == 0 && std::string(change.name).find("contact") != std::string::npos) continue;
                restored.save_and_restore(in_new_world);
                change.make(plain);
                change.make(restored);
                restored.save_and_restore(in_new_world);
                for (int k = 0; k < 12; ++k) {
                    CAPTURE(k);
                    plain.step();
                    restored.step();
                    REQUIRE(saved(restored.world()).bytes == saved(plain.world()).bytes);
                    if (k == 3) restored.save_and_restore(in_new_world);
                }
                // Whoever is made now has the same identifier.
                CHECK(plain.world().create_body({}).value() == restored.world().create_body({}).value());
            }
}

TEST_CASE("a body that went non-finite in a step is taken back with the world that it is quarantined in") {
    Scene plain, restored;
    for (Scene* scene : {&plain, &restored}) {
        scene->step(2);
        for (const Entity body : {scene->ball, scene->upper, scene->link})
            scene->registry().get<Force>(body) = {Vec3(3e38f), Vec3(3e38f)};  // finite, but not after a step
        scene->step();
        REQUIRE(scene->registry().all_of<Quarantined>(scene->ball));
    }
    restored.save_and_restore(true);
    for (int k = 0; k < 5; ++k) {
        plain.step();
        restored.step();
        REQUIRE(saved(restored.world()).bytes == saved(plain.world()).bytes);
    }
}
