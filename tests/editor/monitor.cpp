// SPDX-License-Identifier: MIT
#include "samples/editor/model/monitor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "samples/editor/model/contact_inspector.h"
#include "samples/editor/model/drag_spring.h"
#include "samples/editor/model/play_core.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::editor;
using physics::BodyType;
using physics::Entity;
using proxima::test::TestWorld;

namespace {

std::vector<Entity> bodies_of(const physics::PhysicsWorld& world) {
    return {world.bodies().begin(), world.bodies().end()};
}

void run(PlayCore& core, int steps) {
    for (int i = 0; i < steps; ++i) {
        core.step();
        while (core.pump()) {}
        REQUIRE_MESSAGE(core.error().empty(), core.error());
    }
}

}  // namespace

TEST_CASE("samples are kept for a while, by the number of the step") {
    Monitor monitor(10);
    CHECK(monitor.empty());
    CHECK(monitor.at(0) == nullptr);
    for (uint64_t step = 0; step <= 25; ++step) {
        MonitorSample sample;
        sample.step = step;
        sample.contacts = uint32_t(step);
        monitor.add(sample);
    }
    CHECK(monitor.oldest() == 16);
    CHECK(monitor.newest() == 25);
    CHECK(monitor.at(15) == nullptr);
    CHECK(monitor.at(16)->contacts == 16);
    CHECK(monitor.at(26) == nullptr);
    CHECK(monitor.start().step == 0);
    std::vector<float> series;
    monitor.series(
        20, 30, [](const MonitorSample& s) { return s.contacts; }, series);
    CHECK(series == std::vector<float>{20, 21, 22, 23, 24, 25});
    MonitorSample again;
    again.step = 20;
    again.contacts = 99;
    monitor.add(again);
    CHECK(monitor.newest() == 25);
    CHECK(monitor.at(20)->contacts == 99);
    monitor.truncate_after(18);
    CHECK(monitor.newest() == 18);
    CHECK(monitor.oldest() == 16);
    CHECK(monitor.at(19) == nullptr);
    monitor.truncate_after(5);
    CHECK(monitor.empty());
}

TEST_CASE("energy and momentum of a thrown, spinning body are those of the book") {
    TestWorld t;
    t.floor();
    const Entity box =
        t.body(TestWorld::box({0.1f, 0.2f, 0.3f}),
               {.position = {1.0f, 5.0f, 0.0f}, .velocity = {{3.0f, 0.0f, 0.0f}, {0.0f, 2.0f, 0.0f}}, .mass = 2.0f});
    const auto bodies = bodies_of(t.world);
    const auto masses = masses_of(t.world, bodies);
    const Mechanics m = mechanics_of(t.world, bodies, masses);
    const double inertia = 2.0 / 3.0 * (0.01 + 0.09);
    CHECK(m.kinetic == doctest::Approx(0.5 * 2.0 * 9.0 + 0.5 * inertia * 4.0));
    CHECK(m.potential == doctest::Approx(2.0 * 9.81 * 5.0));
    CHECK(m.linear.x == doctest::Approx(6.0));
    CHECK(m.angular.y == doctest::Approx(inertia * 2.0));
    CHECK(m.angular.z == doctest::Approx(-5.0 * 6.0));
    (void)box;
}

TEST_CASE("the audit finds nothing wrong with free flight, and drags are not counted") {
    TestWorld t;
    t.body(TestWorld::box({0.1f, 0.2f, 0.3f}),
           {.position = {0.0f, 50.0f, 0.0f}, .velocity = {{1.0f, 2.0f, 3.0f}, {1.0f, 4.0f, 2.0f}}, .mass = 2.0f});
    t.body(TestWorld::sphere(0.3f), {.position = {5.0f, 50.0f, 0.0f}, .mass = 1.0f});
    PlayCore core({{&t.world, bodies_of(t.world)}}, 1.0 / 60.0);
    run(core, 60);
    const Monitor& monitor = core.monitor(0);
    CHECK(monitor.newest() == 60);
    Audit a = audit(monitor.start(), *monitor.at(60));
    CHECK(std::abs(a.energy_relative) < 0.02);
    CHECK(glm::length(a.linear_drift) < 0.01);
    CHECK(monitor.at(60)->mechanics.kinetic > monitor.start().mechanics.kinetic + 50.0);

    core.hold({1, {0.0f, 0.0f, 0.0f}, {5.0f, 80.0f, 0.0f}});
    run(core, 120);
    const MonitorSample& pulled = *monitor.at(180);
    CHECK(pulled.outside.energy > 100.0);  // it was lifted by thirty metres
    a = audit(monitor.start(), pulled);
    CHECK(std::abs(a.energy_drift) < 0.05 * pulled.outside.energy);
    CHECK(glm::length(a.linear_drift) < 0.05);
    // The books are right after going back and on again.
    const double energy = pulled.outside.energy;
    core.seek(100);
    while (core.pump()) {}
    run(core, 80);
    CHECK(core.monitor(0).at(180)->outside.energy == energy);
}

TEST_CASE("samples have the numbers of the step's own report") {
    TestWorld t;
    t.floor();
    for (int i = 0; i < 4; ++i) t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f + float(i), 0.0f}});
    PlayCore core({{&t.world, bodies_of(t.world)}}, 1.0 / 60.0);
    run(core, 10);
    const MonitorSample& s = *core.monitor(0).at(10);
    CHECK(s.contacts == t.world.report().contacts);
    CHECK(s.contacts == 16);
    CHECK(s.residual_max == t.world.report().residual_max);
    CHECK(s.penetration_max == t.world.report().penetration_max);
    CHECK(s.sag_max == t.world.report().sag_max);
    CHECK(s.bodies == 4);
    CHECK(s.step_ms > 0.0f);
    CHECK(t.world.times().stages().size() <= kStageCount);
}

// ---- contacts of a body

TEST_CASE("the contacts of a body carry its weight, stick on level ground and slip on a slide") {
    TestWorld t;
    physics::StepSettings settings = t.settings();
    settings.sleeping = false;
    t.set(settings);
    const Entity floor = t.floor(0.5f);
    const Entity box =
        t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}, .friction = 0.5f, .mass = 10.0f});
    const Entity slider =
        t.body(TestWorld::box(Vec3(0.5f)),
               {.position = {5.0f, 0.5f, 0.0f}, .velocity = {{6.0f, 0.0f, 0.0f}, {}}, .friction = 0.5f, .mass = 10.0f});
    t.run(0.5f);
    std::vector<InspectedContact> contacts;
    inspect_contacts(t.world, box, test::kDt, contacts);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].other == floor);
    CHECK(contacts[0].count == 4);
    CHECK(contacts[0].normal.y == doctest::Approx(-1.0));
    CHECK(contacts[0].force.y == doctest::Approx(98.1).epsilon(0.01));
    CHECK(contacts[0].friction == doctest::Approx(0.5));
    for (uint32_t i = 0; i < 4; ++i) {
        const InspectedPoint& p = contacts[0].points[i];
        CHECK(p.mode == ContactMode::stick);
        CHECK(p.position.y == doctest::Approx(0.0).epsilon(0.01));
        CHECK(std::abs(p.position.x) == doctest::Approx(0.5).epsilon(0.01));
        CHECK(std::abs(p.gap) < 0.005f);
        CHECK(p.residual < 1e-2f);
    }
    inspect_contacts(t.world, slider, test::kDt, contacts);
    REQUIRE(contacts.size() == 1);
    CHECK(contacts[0].force.x == doctest::Approx(-49.05).epsilon(0.05));
    for (uint32_t i = 0; i < contacts[0].count; ++i) {
        const InspectedPoint& p = contacts[0].points[i];
        if (p.mode == ContactMode::open) continue;
        CHECK(p.mode == ContactMode::slip);
        CHECK(p.slip_speed > 1.0f);
        CHECK(p.friction_impulse == doctest::Approx(p.friction_limit).epsilon(0.02));
    }
    inspect_contacts(t.world, floor, test::kDt, contacts);
    CHECK(contacts.size() == 2);
    CHECK(contacts[0].other == box);
    CHECK(contacts[1].other == slider);
    CHECK(contacts[0].normal.y == doctest::Approx(1.0));
    inspect_contacts(t.world, physics::kNoEntity, test::kDt, contacts);
    CHECK(contacts.empty());
    CHECK(std::string(to_string(ContactMode::slip)) == "slip");
}

TEST_CASE("residuals of inspected contacts are those that the step reports") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        physics::StepSettings settings = t.settings();
        settings.sleeping = false;
        settings.direct_islands = false;
        settings.simd_kernels = simd;
        t.set(settings);
        t.floor();
        for (int i = 0; i < 6; ++i)
            t.body(TestWorld::box({0.5f, 0.4f, 0.5f}),
                   {.position = {0.12f * float(i % 2), 0.4f + 0.8f * float(i), 0.0f},
                    .rotation = test::turn({0.0f, 1.0f, 0.0f}, 10.0f * float(i))});
        for (int step = 0; step < 40; ++step) {
            t.step();
            float most = 0.0f;
            std::vector<InspectedContact> contacts;
            for (const Entity body : bodies_of(t.world)) {
                inspect_contacts(t.world, body, test::kDt, contacts);
                for (const InspectedContact& contact : contacts)
                    for (uint32_t i = 0; i < contact.count; ++i) most = std::max(most, contact.points[i].residual);
            }
            CHECK(double(most) == doctest::Approx(t.world.report().end_residual_max).epsilon(0.02));
        }
    }
}
