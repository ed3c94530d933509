// SPDX-License-Identifier: MIT
// Laws in other engines: that an engine is given the world of the law, and that the law sees what the engine makes of it.
// Which laws hold there is in physics/docs/laws.md, and nothing that we promise.
#include "samples/laws/peers/peer_laws.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "samples/laws/law_world.h"

using namespace proxima;
using namespace proxima::samples;

namespace {

/// Every engine that is built in and takes laws; none is no failure.
std::vector<const bench::Peer*> takers() {
    std::vector<const bench::Peer*> out;
    for (const bench::Peer& peer : bench::peers())
        if (peer.describe && peer.describe().takes_laws) out.push_back(&peer);
    if (out.empty()) MESSAGE("skipped: no other engine is built in");
    return out;
}

std::vector<LawPoint> try_law(const char* name, PeerLaws& device, uint32_t tries) {
    LawOptions options;
    options.settings.sleeping = false;
    options.device = &device;
    options.max_tries = tries;
    const std::vector<LawPoint> points = run_law(*find_law(name), options);
    REQUIRE_MESSAGE(device.refused.empty(), device.refused.front());
    REQUIRE(points.size() == tries);
    return points;
}

LawOptions options_of(PeerLaws& device) {
    LawOptions options;
    options.settings.sleeping = false;
    options.device = &device;
    return options;
}

}  // namespace

TEST_CASE("things fall, roll and brake in other engines, up to a step of theirs") {
    for (const bench::Peer* peer : takers()) {
        CAPTURE(peer->name);
        PeerLaws device(*peer);
        // Semi-implicit steps fall too far, by g dt / 2 a second at most: 0.082 m/s.
        for (const LawPoint& p : try_law("free_fall", device, 6)) {
            CAPTURE(p.parameters);
            CHECK(p.measured < 1e-3);
            CHECK(p.measured > -0.17);
        }
        for (const LawPoint& p : try_law("rolling", device, 4)) {
            CAPTURE(p.parameters);
            CHECK(p.measured == doctest::Approx(1.0).epsilon(0.03));
        }
        // A box of a metre at 1.5 m/s and more: a step is a fortieth of its way.
        for (const LawPoint& p : try_law("braking", device, 4)) {
            CAPTURE(p.parameters);
            CHECK(p.measured == doctest::Approx(1.0).epsilon(0.04));
        }
    }
}

TEST_CASE("what a law writes between two steps reaches other engines: velocities, poses, gravity") {
    for (const bench::Peer* peer : takers()) {
        CAPTURE(peer->name);
        PeerLaws device(*peer);
        LawWorld w(options_of(device), Vec3(0.0f));
        const physics::Entity floor =
            w.box({2.0f, 0.25f, 2.0f}, {.type = physics::BodyType::kinematic, .position = {0.0f, -0.25f, 0.0f}});
        const physics::Entity ball = w.sphere(0.5f, {.position = {0.0f, 3.0f, 0.0f}, .spin = {0.0f, 300.0f, 0.0f}});
        w.run(0.5f);
        CHECK(w.position(ball).y == doctest::Approx(3.0));
        CHECK(w.spin(ball).y == doctest::Approx(300.0).epsilon(0.01));  // no limit
        w.set_velocity(ball, {2.0f, 0.0f, 0.0f});
        w.set_velocity(floor, {0.0f, 0.0f, 1.0f}, {0.0f, 0.5f, 0.0f});
        w.run(1.0f);
        CHECK(w.position(ball).x == doctest::Approx(2.0).epsilon(1e-3));
        CHECK(w.position(floor).z == doctest::Approx(1.0).epsilon(1e-3));
        CHECK(2.0f * std::asin(w.rotation(floor).y) == doctest::Approx(0.5).epsilon(1e-3));
        REQUIRE(w.world().set_pose(ball, {{10.0f, 5.0f, 0.0f}, {1.0f, 0.0f, 0.0f, 0.0f}}).ok());
        physics::StepSettings settings = w.world().settings();
        settings.gravity = {0.0f, -4.0f, 0.0f};
        REQUIRE(w.world().set_settings(settings).ok());
        w.set_velocity(ball, Vec3(0.0f));
        w.run(0.5f);
        CHECK(w.position(ball).x == doctest::Approx(10.0));
        CHECK(w.position(ball).y == doctest::Approx(4.5).epsilon(0.01));
        REQUIRE_MESSAGE(device.refused.empty(), device.refused.front());
    }
}

TEST_CASE("a hull keeps its centre and its moments in other engines, wherever its frame is") {
    // A wedge: its centre is beside the origin, its principal axes are turned about z.
    std::vector<Vec3> points;
    for (const float z : {-0.4f, 0.4f})
        for (const Vec3& corner : {Vec3(-2.0f, 0.0f, z), Vec3(1.0f, 0.0f, z), Vec3(-2.0f, 0.7f, z)})
            points.push_back(corner);
    for (const bench::Peer* peer : takers()) {
        CAPTURE(peer->name);
        PeerLaws device(*peer);
        LawWorld w(options_of(device), Vec3(0.0f));
        // About z, which is a principal axis: it goes on turning about its centre at the same rate.
        const physics::Entity body = w.hull(points, {.velocity = {0.0f, 1.0f, 0.0f}, .spin = {0.0f, 0.0f, 1.0f}});
        const Vec3 center = w.world().mass(body).center;
        const Vec3 moment = w.angular_momentum() - glm::cross(center, w.momentum());
        w.run(1.0f);
        const Vec3 now = w.position(body) + w.rotation(body) * center;
        CHECK(glm::length(now - center - Vec3(0.0f, 1.0f, 0.0f)) < 2e-3f);
        CHECK(2.0f * std::asin(w.rotation(body).z) == doctest::Approx(1.0).epsilon(2e-3));
        CHECK(glm::length(w.angular_momentum() - glm::cross(now, w.momentum()) - moment) < 1e-3f * glm::length(moment));
    }
}

TEST_CASE("overlap in another engine is measured by our own narrowphase, and measuring changes nothing") {
    for (const bench::Peer* peer : takers()) {
        CAPTURE(peer->name);
        float heights[2];
        for (const bool measured : {false, true}) {
            PeerLaws device(*peer);
            LawWorld w(options_of(device));
            w.ground({});
            const physics::Entity box = w.box(Vec3(0.5f), {.position = {0.0f, 0.4f, 0.0f}});
            for (int i = 0; i < 10; ++i) {
                w.step();
                if (measured)
                    CHECK(w.penetration_max() ==
                          doctest::Approx(std::max(0.0f, 0.5f - w.position(box).y)).epsilon(0.01));
            }
            heights[measured] = w.position(box).y;
        }
        CHECK(heights[0] == heights[1]);
    }
}

TEST_CASE("stacks at rest sleep in other engines, and laws see it") {
    for (const bench::Peer* peer : takers()) {
        CAPTURE(peer->name);
        PeerLaws device(*peer);
        CHECK(try_law("rest_sleeps", device, 1)[0].holds());
    }
}

TEST_CASE("what other engines are not given is refused with a sentence") {
    CHECK(find_law("finer_steps")->changes_settings);
    for (const bench::Peer* peer : takers()) {
        CAPTURE(peer->name);
        PeerLaws device(*peer);
        LawWorld w(options_of(device));
        w.sphere(0.5f, {});
        const physics::Entity ball = w.sphere(0.5f, {.position = {3.0f, 0.0f, 0.0f}});
        w.world().registry().get<physics::RigidBody>(ball).linear_damping = 0.1f;
        w.step();
        CHECK(w.position(ball).y < 0.0f);  // the cpu goes on
        REQUIRE(device.refused.size() == 1);
        CHECK(device.refused[0] == "Body 1 is damped.");
    }
}
