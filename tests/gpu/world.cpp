// SPDX-License-Identifier: MIT
// A world that lives on the device: the same motion as on the CPU, the same bits however it is asked for, and
// nothing lost when something goes wrong.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "compute/world/contacts/contact_stage.h"
#include "compute/world/device_world.h"
#include "compute/world/gpu_world.h"
#include "compute/world/stack_load.h"
#include "compute/world/world_data.h"
#include "physics/contact/capture.h"
#include "physics/shapes/shape_classes.h"
#include "samples/scenes/evaluate.h"
#include "tests/gpu/gpu_test.h"
#include "tests/gpu/world_scenes.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::test;
using compute::DeviceWorld;
using compute::GpuWorld;

namespace {

std::unique_ptr<GpuWorld> on_device(const GpuRig& gpu, const PhysicsWorld& world) {
    Result<std::unique_ptr<GpuWorld>> made = GpuWorld::create(gpu.device);
    REQUIRE_MESSAGE(made.ok(), made.error());
    const Result<void> uploaded = made.value()->upload(world);
    REQUIRE_MESSAGE(uploaded.ok(), uploaded.error());
    return std::move(made.value());
}

uint64_t hash_after(const GpuRig& gpu, const std::string& scene, const char* solver, const std::vector<uint32_t>& calls,
                    uint32_t pair_capacity = 0, uint32_t* repeats = nullptr) {
    SceneWorld s(scene, solver);
    Result<std::unique_ptr<GpuWorld>> made = GpuWorld::create(gpu.device);
    REQUIRE(made.ok());
    made.value()->set_pair_capacity(pair_capacity);
    REQUIRE(made.value()->upload(s.world).ok());
    uint32_t again = 0;
    for (const uint32_t steps : calls) {
        const Result<void> stepped = made.value()->step(s.dt(), steps);
        REQUIRE_MESSAGE(stepped.ok(), stepped.error());
        again += made.value()->cost().repeats;
    }
    if (repeats) *repeats = again;
    REQUIRE(made.value()->download(s.world).ok());
    return s.world.state_hash();
}

VkResult lose_device(VkQueue, uint32_t, const VkSubmitInfo2*, VkFence) { return VK_ERROR_DEVICE_LOST; }

}  // namespace

TEST_CASE("bodies in flight move on the device as on the cpu") {
    GpuRig gpu;
    if (!gpu) return;
    // A box that tumbles about its middle axis, and everything in a pit before it lands.
    for (const char* name : {"spin", "mixedpit"}) {
        CAPTURE(name);
        SceneWorld cpu(name), other(name);
        const auto device = on_device(gpu, other.world);
        for (int k = 0; k < 5; ++k) REQUIRE(cpu.world.step(cpu.dt()).ok());
        const Result<void> stepped = device->step(other.dt(), 5);
        REQUIRE_MESSAGE(stepped.ok(), stepped.error());
        REQUIRE(device->download(other.world).ok());
        const std::vector<Pose> a = cpu.poses(), b = other.poses();
        float far = 0.0f, turned = 0.0f;
        for (size_t i = 0; i < a.size(); ++i) {
            far = std::max(far, glm::length(a[i].position - b[i].position));
            turned = std::max(turned, 1.0f - std::abs(glm::dot(a[i].rotation, b[i].rotation)));
        }
        CHECK(far < 1e-4f);
        CHECK(turned < 1e-5f);
        CHECK(device->steps_done() == 5);
    }
}

TEST_CASE("a small pile comes to rest on the device as deep as on the cpu") {
    GpuRig gpu;
    if (!gpu) return;
    for (const char* solver : {"prox_gs", "prox_jacobi"}) {
        CAPTURE(solver);
        SceneWorld s("mixedpit", solver);
        const auto device = on_device(gpu, s.world);
        REQUIRE(device->step(s.dt(), 240).ok());
        REQUIRE(device->download(s.world).ok());
        const samples::Evaluator evaluator(s.scene);
        const std::vector<Pose> end = s.poses();
        CHECK(evaluator.lost(end) == 0);
        CHECK(evaluator.penetration(end).mean < 0.004);
        CHECK(device->status().manifolds > 100);
        CHECK(device->status().quarantined == 0);
        uint32_t moving = 0;  // a ball may still roll off the top
        for (const Entity body : s.entities)
            moving += glm::length(s.world.registry().get<Velocity>(body).linear) > 0.5f;
        CHECK(moving <= 1);
    }
}

TEST_CASE("steps on the device are the same bits one by one, together, again, and with little room") {
    GpuRig gpu;
    if (!gpu) return;
    for (const char* solver : {"prox_gs", "prox_jacobi"}) {
        CAPTURE(solver);
        const uint64_t one_by_one = hash_after(gpu, "pyramid6", solver, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
        CHECK(hash_after(gpu, "pyramid6", solver, {1, 11}) == one_by_one);
        CHECK(hash_after(gpu, "pyramid6", solver, {5, 7}) == one_by_one);
        // Room for a few pairs only: steps are done again with more, from the same bodies and impulses.
        uint32_t repeats = 0;
        CHECK(hash_after(gpu, "pyramid6", solver, {5, 7}, 10, &repeats) == one_by_one);
        CHECK(repeats > 0);
    }
    GpuRig staged(engine::GpuDeviceOptions{.force_staging = true});
    CHECK(hash_after(staged, "pyramid6", "prox_gs", {3, 9}) == hash_after(gpu, "pyramid6", "prox_gs", {12}));
}

TEST_CASE("room for pairs that grows in the middle of a run does not disturb what rests") {
    GpuRig gpu;
    if (!gpu) return;
    // 150 bodies fall: pairs come with time.
    uint32_t repeats = 0;
    const uint64_t little = hash_after(gpu, "mixedpit", "prox_gs", {100}, 160, &repeats);
    CHECK(repeats > 0);
    CHECK(little == hash_after(gpu, "mixedpit", "prox_gs", {100}));
}

TEST_CASE("a device that is lost leaves the world to the cpu, with every step made up for") {
    GpuRig gpu;
    if (!gpu) return;
    SceneWorld s("tower5"), twin("tower5");
    const auto world = DeviceWorld::on(s.world, gpu.device);
    REQUIRE_MESSAGE(world->on_device(), world->why_on_cpu());
    REQUIRE(world->step(s.dt(), 4).ok());
    REQUIRE(world->download().ok());
    // From here the cpu's twin starts as well.
    for (size_t i = 0; i < s.entities.size(); ++i) {
        twin.world.registry().get<Pose>(twin.entities[i]) = s.world.registry().get<Pose>(s.entities[i]);
        twin.world.registry().get<Velocity>(twin.entities[i]) = s.world.registry().get<Velocity>(s.entities[i]);
    }
    REQUIRE(world->step(s.dt(), 3).ok());
    CHECK(world->report().step == 7);
    const auto submit = gpu.device->api().vkQueueSubmit2;
    gpu.device->api_for_tests().vkQueueSubmit2 = lose_device;
    REQUIRE(world->step(s.dt(), 2).ok());
    gpu.device->api_for_tests().vkQueueSubmit2 = submit;
    CHECK(!world->on_device());
    CHECK(world->name() == "cpu");
    CHECK(world->why_on_cpu().find("lost") != std::string::npos);
    REQUIRE(!world->report().warnings.empty());
    CHECK(world->report().warnings[0].message.find("cpu goes on") != std::string::npos);
    for (int k = 0; k < 5; ++k) REQUIRE(twin.world.step(twin.dt()).ok());
    CHECK(s.world.state_hash() == twin.world.state_hash());
    REQUIRE(world->step(s.dt()).ok());  // and goes on there
}

TEST_CASE("what the device cannot do is done by the cpu, which says why") {
    GpuRig gpu;
    if (!gpu) return;
    {
        SceneWorld felt("felt");  // rolling friction
        const auto world = DeviceWorld::on(felt.world, gpu.device);
        CHECK(!world->on_device());
        CHECK(world->why_on_cpu().find("rolling friction") != std::string::npos);
        CHECK(world->step(felt.dt(), 2).ok());
        CHECK(felt.world.report().step == 2);
    }
    {
        PhysicsWorld heavy;
        const ShapeId box = heavy.shapes().add({.type = ShapeType::box}).value();
        for (const float mass : {1.0f, 1000.0f}) {
            BodyDesc body;
            body.mass = mass;
            body.pose.position.x = 10.0f * mass;
            body.colliders = {{.shape = box}};
            REQUIRE(heavy.create_body(body).ok());
        }
        CHECK(DeviceWorld::on(heavy, gpu.device)->why_on_cpu().find("1e+03 : 1") != std::string::npos);
        StepSettings swept = heavy.settings();
        swept.direct_islands = false;
        REQUIRE(heavy.set_settings(swept).ok());
        CHECK(DeviceWorld::on(heavy, gpu.device)->on_device());
    }
    SceneWorld tower("tower3", "nncg");
    const auto world = DeviceWorld::on(tower.world, gpu.device);
    CHECK(!world->on_device());
    CHECK(world->why_on_cpu().find("nncg") != std::string::npos);
}

TEST_CASE("high stacks and heavy loads are left to the direct solves of the cpu, and stand there") {
    GpuRig gpu;
    if (!gpu) return;
    const auto solve_directly = [](SceneWorld& s) {
        StepSettings direct = s.world.settings();
        direct.direct_islands = true;
        REQUIRE(s.world.set_settings(direct).ok());
    };
    for (const char* name : {"tower30", "mass100", "pyramid60"}) {
        CAPTURE(name);
        SceneWorld s(name);
        CHECK(DeviceWorld::on(s.world, gpu.device)->on_device());  // without direct solves
        solve_directly(s);
        const auto world = DeviceWorld::on(s.world, gpu.device);
        CHECK(!world->on_device());
        CHECK(world->why_on_cpu().find("times its weight") != std::string::npos);
        REQUIRE(world->step(s.dt(), 20).ok());
        CHECK(samples::Evaluator(s.scene).motion(s.start, s.poses()).max < 1e-3);
    }
    for (const char* name : {"tower10", "pyramid20", "arch25"}) {
        CAPTURE(name);
        SceneWorld s(name);
        solve_directly(s);
        CHECK(DeviceWorld::on(s.world, gpu.device)->on_device());
    }
}

TEST_CASE("the load of a stack is what stands on its lowest body, shared by what bodies stand on") {
    const auto load_of = [](const char* name) {
        SceneWorld s(name);
        const Result<physics::ContactDump> contacts = s.world.capture(s.dt());
        REQUIRE(contacts.ok());
        return compute::world::largest_load(contacts.value(), Vec3(0.0f, 1.0f, 0.0f));
    };
    CHECK(load_of("tower10") == doctest::Approx(10.0f));
    CHECK(load_of("tower30") == doctest::Approx(30.0f));
    CHECK(load_of("mass100") > 100.0f);
    // Two below each: what the middle of the lowest row carries is between the mean and the height.
    CHECK(load_of("pyramid20") > 10.5f);
    CHECK(load_of("pyramid20") < 20.0f);
}

TEST_CASE("steps that are no steps are refused and change nothing") {
    GpuRig gpu;
    if (!gpu) return;
    SceneWorld s("tower3");
    const auto world = DeviceWorld::on(s.world, gpu.device);
    REQUIRE(world->on_device());
    for (const float dt :
         {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        CHECK(!world->step(dt).ok());
    CHECK(world->on_device());
    CHECK(world->gpu()->steps_done() == 0);
}

TEST_CASE("the game changes bodies between steps: forces, velocities, new bodies") {
    GpuRig gpu;
    if (!gpu) return;
    SceneWorld s("tower3");
    const auto world = DeviceWorld::on(s.world, gpu.device);
    REQUIRE(world->on_device());
    REQUIRE(world->step(s.dt(), 10).ok());
    REQUIRE(world->download().ok());
    const Entity top = s.entities[3];
    s.world.registry().get<Velocity>(top).linear = Vec3(0.0f, 3.0f, 0.0f);
    REQUIRE(world->upload_changes().ok());
    REQUIRE(world->step(s.dt(), 6).ok());
    REQUIRE(world->download().ok());
    const float lifted = s.world.registry().get<Pose>(top).position.y - s.start[3].position.y;
    CHECK(lifted == doctest::Approx(0.1f * 3.0f - 0.5f * 9.81f * 0.01f).epsilon(0.1));
    s.world.destroy_body(s.entities[1]);
    REQUIRE(world->upload_changes().ok());
    CHECK(world->on_device());
    REQUIRE(world->step(s.dt(), 60).ok());
    REQUIRE(world->download().ok());
    CHECK(world->report().step == 76);
    CHECK(world->report().bodies == 2);
    // The tower stands one storey lower.
    CHECK(s.world.registry().get<Pose>(s.entities[2]).position.y == doctest::Approx(0.5f).epsilon(0.05));
    CHECK(s.world.registry().get<Pose>(top).position.y == doctest::Approx(1.5f).epsilon(0.05));
}

TEST_CASE("a body that goes non-finite is left out on the device, and the others go on") {
    GpuRig gpu;
    if (!gpu) return;
    SceneWorld s("growth20"), clean("growth20");
    const Entity victim = s.entities[6];  // the lowest of the second tower
    s.world.registry().get<Force>(victim).linear = Vec3(std::numeric_limits<float>::infinity(), 0.0f, 0.0f);
    const auto world = DeviceWorld::on(s.world, gpu.device);
    REQUIRE(world->on_device());
    REQUIRE(world->step(s.dt(), 30).ok());
    REQUIRE(world->download().ok());
    CHECK(s.world.registry().all_of<Quarantined>(victim));
    CHECK(world->report().warnings.size() == 1);
    CHECK(world->gpu()->status().quarantined == 1);
    for (const Entity body : s.entities) {
        const Pose& pose = s.world.registry().get<Pose>(body);
        CHECK(is_finite(pose.position));
        CHECK(is_finite(pose.rotation));
    }
    // A tower that has nothing to do with it moves as if nothing had happened.
    const auto other = DeviceWorld::on(clean.world, gpu.device);
    REQUIRE(other->step(clean.dt(), 30).ok());
    REQUIRE(other->download().ok());
    CHECK(glm::length(s.poses()[18].position - clean.poses()[18].position) < 1e-3f);
}

TEST_CASE("forces and damping act on the device as on the cpu") {
    GpuRig gpu;
    if (!gpu) return;
    PhysicsWorld cpu, other;
    std::vector<Entity> bodies;
    for (PhysicsWorld* world : {&cpu, &other}) {
        const ShapeId box = world->shapes().add({.type = ShapeType::box, .half_extents = {0.2f, 0.3f, 0.4f}}).value();
        BodyDesc body;
        body.velocity.linear = {1.0f, 2.0f, 3.0f};
        body.velocity.angular = {3.0f, 1.0f, 0.5f};
        body.linear_damping = 0.5f;
        body.angular_damping = 0.7f;
        body.gravity_scale = 0.25f;
        body.colliders = {{.shape = box}};
        const Entity made = world->create_body(body).value();
        BodyDesc carrier;
        carrier.type = BodyType::kinematic;
        carrier.pose.position = {10.0f, 0.0f, 0.0f};
        carrier.velocity = {{0.5f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
        carrier.colliders = {{.shape = box}};
        REQUIRE(world->create_body(carrier).ok());
        bodies.push_back(made);
    }
    // A force is for one step, on both.
    for (PhysicsWorld* world : {&cpu, &other})
        world->registry().get<Force>(world->bodies()[0]) = {{2000.0f, 500.0f, 0.0f}, {0.0f, 40.0f, 90.0f}};
    const auto device = on_device(gpu, other);
    for (int k = 0; k < 30; ++k) REQUIRE(cpu.step(1.0f / 60.0f).ok());
    REQUIRE(device->step(1.0f / 60.0f, 30).ok());
    REQUIRE(device->download(other).ok());
    CHECK(other.registry().get<Force>(other.bodies()[0]).linear == Vec3(0.0f));
    for (size_t i = 0; i < cpu.bodies().size(); ++i) {
        const Pose &a = cpu.registry().get<Pose>(cpu.bodies()[i]), &b = other.registry().get<Pose>(other.bodies()[i]);
        CHECK(glm::length(a.position - b.position) < 1e-4f);
        CHECK(std::abs(glm::dot(a.rotation, b.rotation)) > 0.99999f);
    }
}

TEST_CASE("only the status comes back from a step, and little goes there") {
    GpuRig gpu(engine::GpuDeviceOptions{.force_staging = true});
    if (!gpu) return;
    SceneWorld s("growth100");
    const auto device = on_device(gpu, s.world);
    REQUIRE(device->step(s.dt(), 3).ok());
    REQUIRE(device->step(s.dt(), 8).ok());
    CHECK(device->cost().steps == 8);
    CHECK(device->cost().counts.bytes_up == 0);
    CHECK(device->cost().counts.bytes_down <= device->cost().counts.submits * sizeof(compute::world::WorldStatus));
    CHECK(device->device_bytes() > 0);
}

TEST_CASE("an empty world steps on the device") {
    GpuRig gpu;
    if (!gpu) return;
    PhysicsWorld empty;
    const auto device = on_device(gpu, empty);
    CHECK(device->step(0.01f, 3).ok());
    CHECK(device->download(empty).ok());
}

TEST_CASE("a shape that no kernel knows is refused by its name, once a collider has it") {
    PhysicsWorld world;
    const ShapeId table = world.shapes().add(shape_class(ShapeType::compound).example()).value();
    const Entity body = world.create_body({.type = BodyType::fixed}).value();
    const Result<compute::world::WorldData> unused = compute::world::gather(world);
    REQUIRE_MESSAGE(unused.ok(), unused.error());
    CHECK(compute::world::ContactStage::kinds_of(unused.value().shapes) == 0);
    // By hand: the world itself would not take it.
    entt::registry& registry = world.registry();
    const Entity collider = registry.create();
    registry.emplace<StableId>(collider, StableId{1000});
    registry.emplace<Collider>(collider, Collider{.body = body, .shape = table});
    CHECK(compute::world::gather(world).error() ==
          "Shapes of type compound are not there on the gpu; use the cpu for them.");
}

TEST_CASE("rules of contacts are refused by their names, one by one") {
    const auto refused = [](auto change) {
        PhysicsWorld world;
        ShapeDesc ball;
        ball.radius = 0.5f;
        const ShapeId shape = world.shapes().add(ball).value();
        const Entity first = world.create_body({.colliders = {{.shape = shape}}}).value();
        const Entity second = world.create_body({.colliders = {{.shape = shape}}}).value();
        REQUIRE(compute::world::gather(world).ok());
        change(world, first, second);
        return compute::world::gather(world).error();
    };
    const auto rules = [&](const ContactRules& own) {
        return refused([&](PhysicsWorld& w, Entity a, Entity) { REQUIRE(w.set_contact_rules(a, own).ok()); });
    };
    CHECK(rules({.one_way = {0.0f, 1.0f, 0.0f}}).starts_with("One-way surfaces (one_way)"));
    CHECK(rules({.hit_speed = 1.0f}).starts_with("Hit speeds of colliders (hit_speed)"));
    CHECK(rules({.force_threshold = 1.0f}).starts_with("Force thresholds (force_threshold)"));
    CHECK(rules({.break_impulse = 1.0f}).starts_with("Colliders that break (break_impulse)"));
    CHECK(rules({.modifiable = 1}).starts_with("Contact modifiers (modifiable)"));
    CHECK(refused([](PhysicsWorld& w, Entity a, Entity b) {
              REQUIRE(w.ignore_pair(a, b).ok());
          }).starts_with("Ignored pairs"));
    CHECK(refused([](PhysicsWorld& w, Entity a, Entity) {
              w.registry().get<Collider>(w.colliders(a)[0]).is_sensor = 1;
          }).starts_with("Sensors"));
    CHECK(refused([](PhysicsWorld& w, Entity a, Entity) {
              w.registry().get<Collider>(w.colliders(a)[0]).group = 3;
          }).starts_with("Groups of colliders"));
}

TEST_CASE("locked axes and speed limits are refused by name") {
    for (int which = 0; which < 3; ++which) {
        PhysicsWorld world;
        BodyDesc desc;
        if (which == 0) desc.locked_axes = kLockRotationY;
        if (which == 1) desc.max_linear_speed = 3.0f;
        if (which == 2) desc.max_angular_speed = 3.0f;
        REQUIRE(world.create_body(desc).ok());
        CHECK(compute::world::gather(world).error() ==
              "Locked axes and speed limits of bodies are not there on the gpu; use the cpu for them.");
    }
}
