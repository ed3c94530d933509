// SPDX-License-Identifier: MIT
// Many small random worlds: whatever shapes, masses, solvers and step lengths come together, nothing explodes.
#include <random>
#include <string>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

class Dice {
  public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    float uniform(float low, float high) { return low + (high - low) * (float(engine_() >> 8) / 16777216.0f); }
    uint32_t below(uint32_t n) { return engine_() % n; }
    Vec3 vec(float size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
    Quat rotation() {
        const Vec3 v = vec(1.0f);
        return glm::normalize(Quat(uniform(0.1f, 1.0f), v.x, v.y, v.z));
    }

  private:
    std::mt19937 engine_;  // its sequence is fixed by the standard
};

ShapeDesc random_shape(Dice& dice) {
    const float size = dice.uniform(0.05f, 0.6f);
    switch (dice.below(4)) {
        case 0:
            return TestWorld::sphere(size);
        case 1:
            return TestWorld::box({size, size * dice.uniform(0.2f, 1.0f), size * dice.uniform(0.2f, 1.0f)});
        case 2:
            return TestWorld::capsule(0.5f * size, dice.uniform(0.0f, 1.0f) * size);
        default:
            break;
    }
    ShapeDesc hull;
    hull.type = ShapeType::hull;
    // A tetrahedron of full size keeps the hull from being flat; further points round it off.
    hull.points = {{-size, -size, -size}, {size, -size, size}, {size, size, -size}, {-size, size, size}};
    for (uint32_t i = dice.below(12); i > 0; --i) hull.points.push_back(dice.vec(size));
    return hull;
}

StepSettings random_settings(Dice& dice, const StepSettings& base) {
    StepSettings s = base;
    constexpr const char* kSweeps[] = {"prox_gs", "prox_jacobi", "pgs"};
    s.solver = kSweeps[dice.below(3)];
    s.substeps = 1 + dice.below(8);
    s.iterations = 1 + dice.below(8);
    if (s.solver == "prox_jacobi") s.iterations += 8;  // its careful steps need several times the passes
    s.stepping = dice.below(4) == 0 ? Stepping::moreau_midpoint : Stepping::semi_implicit;
    s.stabilisation = Stabilisation(dice.below(3));
    s.r_strategy = dice.below(2) == 0 ? RStrategy::blocked : RStrategy::local;
    s.tolerance = dice.below(4) == 0 ? 1e-3 : 0.0;
    s.sleeping = dice.below(2) == 0;
    return s;
}

float total_energy(TestWorld& t, const std::vector<Entity>& bodies) {
    float sum = 0.0f;
    for (const Entity e : bodies) sum += t.kinetic_energy(e) + t.mass(e).mass * kG * (t.pose(e).position.y + 5.0f);
    return sum;
}

/// Drops a random crowd on a floor for 241 steps and looks at what became of it.
template <class Adjust>
void run_world(unsigned seed, const Adjust& adjust) {
    CAPTURE(seed);
    Dice dice(seed);
    TestWorld t(1 + seed % 2);
    StepSettings settings = random_settings(dice, t.settings());
    adjust(settings);
    t.set(settings);
    const float friction = dice.uniform(0.0f, 1.2f), restitution = dice.below(3) == 0 ? dice.uniform(0.0f, 1.0f) : 0.0f;
    t.body(TestWorld::half_space(), {.type = BodyType::fixed, .friction = friction, .restitution = restitution});
    std::vector<Entity> bodies;
    const uint32_t count = 4 + dice.below(24);
    for (uint32_t i = 0; i < count; ++i)
        bodies.push_back(t.body(random_shape(dice), {.position = {dice.uniform(-1.0f, 1.0f), 1.2f + 1.3f * float(i),
                                                                  dice.uniform(-1.0f, 1.0f)},
                                                     .rotation = dice.rotation(),
                                                     .velocity = {.linear = dice.vec(2.0f), .angular = dice.vec(4.0f)},
                                                     .friction = friction,
                                                     .restitution = restitution,
                                                     .density = dice.uniform(100.0f, 5000.0f)}));
    const float dt = dice.uniform(1.0f / 120.0f, 1.0f / 40.0f);
    t.step(dt);
    const float energy = total_energy(t, bodies);
    for (int i = 0; i < 240; ++i) {
        t.step(dt);
        for (const StepWarning& w : t.world.report().warnings) FAIL_CHECK(w.message);
    }
    CHECK(total_energy(t, bodies) < 1.02f * energy);
    for (const Entity e : bodies) {
        CHECK(is_finite(t.pose(e).position));
        // Without stabilisation nothing brings back what few sweeps let sink.
        if (t.settings().stabilisation != Stabilisation::none) CHECK(t.pose(e).position.y > -0.3f);
    }
}

}  // namespace

TEST_CASE("random worlds stay finite, keep their energy and lose nobody through the floor") {
    for (unsigned seed = 1; seed <= 60; ++seed) run_world(seed, [](StepSettings&) {});
}

TEST_CASE("a tolerance with one sweep a sub-step takes nobody's support away") {
    // Roll-back once compared the worst residual of an island before and after its only sweep, found another
    // contact worse, and undid the sweep: step after step a ball got no impulse and fell through the floor.
    // One world in forty showed it.
    for (unsigned seed = 61; seed <= 130; ++seed)
        run_world(seed, [](StepSettings& s) {
            s.solver = "pgs";
            s.r_strategy = RStrategy::local;
            s.stepping = Stepping::semi_implicit;
            s.stabilisation = Stabilisation::soft;
            s.substeps = 5;
            s.iterations = 1;
            s.tolerance = 1e-3;
        });
}
