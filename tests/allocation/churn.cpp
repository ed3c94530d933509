// SPDX-License-Identifier: MIT
// A world that bodies come to and go from for a long time: it neither grows nor loses track of anything.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "physics/physics.h"
#include "samples/scenes/churn.h"
#include "samples/scenes/scenes.h"
#include "tests/allocation/heap_counter.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

constexpr float kDt = 1.0f / 60.0f;
constexpr uint32_t kAlive = 600;

struct ChurningWorld {
    explicit ChurningWorld(uint32_t threads) : world(engine::make_threaded_jobs(threads)) {
        const auto scene = samples::make_scene("churn");
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        REQUIRE(instantiate(scene.value(), world).ok());
        fixed = world.bodies().size();
    }
    void run(int steps) {
        bool ok = true;
        for (int i = 0; i < steps; ++i) {
            ok = churn.before_step(world, double(kDt)).ok() && ok;
            ok = world.step(kDt).ok() && ok;
            max_pairs = std::max(max_pairs, world.report().pairs);
            warnings += world.report().warnings.size();
        }
        REQUIRE(ok);
    }
    size_t identifiers() { return world.registry().storage<Entity>().size(); }
    size_t count_pairs() {
        size_t count = 0;
        for ([[maybe_unused]] const Entity pair : world.registry().view<ContactPair>()) ++count;
        return count;
    }

    PhysicsWorld world;
    samples::Churn churn{{.per_second = 200.0, .max_alive = kAlive}};
    size_t fixed = 0, warnings = 0;
    uint32_t max_pairs = 0;
};

}  // namespace

// A list may still grow when there is more at once than there ever was, which happens ever more rarely. What
// is lost with every body, or with every contact, is lost all the time.
TEST_CASE("a world that 200 bodies a second come to and go from does not grow") {
    constexpr int kWindows = 6;
    ChurningWorld w(1);
    w.run(1200);
    const size_t total = w.world.memory().total(), identifiers = w.identifiers();
    int grew = 0, said = 0, allocated = 0;
    for (int window = 0; window < kWindows; ++window) {
        const size_t before = w.world.memory().total();
        const long bytes = test::heap_bytes(), allocations = test::heap_allocations();
        w.run(400);
        grew += test::heap_bytes() > bytes;
        allocated += test::heap_allocations() > allocations;
        said += w.world.memory().total() > before;
    }
    CHECK(w.churn.come() == 12000);
    CHECK(w.churn.come() - w.churn.gone() == kAlive);
    CHECK(grew <= kWindows / 2);
    CHECK(said <= kWindows / 2);
    CHECK(allocated <= kWindows / 2);
    CHECK(w.world.memory().total() <= total + total / 20);
    // An identifier for every body, every collider, and every pair that had points at once.
    CHECK(w.identifiers() <= identifiers + 64);
    CHECK(w.identifiers() <= 2 * (w.fixed + kAlive + 1) + w.max_pairs);
}

TEST_CASE("a world that bodies come to and go from stays sane") {
    ChurningWorld w(2);
    w.run(1500);
    CHECK(w.warnings == 0);
    CHECK(w.world.bodies().size() == w.fixed + kAlive);
    const entt::registry& registry = w.world.registry();
    uint32_t last_id = 0;
    bool ordered = true, inside = true;
    for (const Entity body : w.world.bodies()) {
        const uint32_t id = registry.get<StableId>(body).value;
        ordered = ordered && id > last_id;
        last_id = id;
        if (registry.get<RigidBody>(body).type == BodyType::fixed) continue;
        const Vec3& at = registry.get<Pose>(body).position;
        inside = inside && std::abs(at.x) < 8.0f && std::abs(at.z) < 8.0f && at.y > 0.0f && at.y < 8.0f;
    }
    CHECK(ordered);
    CHECK(inside);
    CHECK(last_id == 2 * (w.fixed + w.churn.come()) - 1);  // two numbers for each body that ever was
    size_t colliders = 0;
    for ([[maybe_unused]] const Entity collider : w.world.registry().view<Collider>()) ++colliders;
    CHECK(colliders == w.fixed + kAlive);
    CHECK(w.count_pairs() <= w.world.report().pairs);
    CHECK(w.count_pairs() > 100);
}

TEST_CASE("what a world says about its memory is nearly all that it allocates") {
    if (!test::kCountsHeap) {
        MESSAGE("skipped: memory is counted with glibc and without sanitizers only");
        return;
    }
    const long before = test::heap_bytes();
    ChurningWorld w(1);
    w.run(900);
    const double counted = double(test::heap_bytes() - before), said = double(w.world.memory().total());
    CHECK(said > 0.9 * counted);
    CHECK(said < 1.01 * counted);
}
