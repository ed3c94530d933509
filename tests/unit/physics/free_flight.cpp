// SPDX-License-Identifier: MIT
// Bodies that touch nothing go through all sub-steps at once: exactly the motion of one sub-step after the other.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "physics/constraints/block.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;
using physics::sweep::Advance;
using physics::sweep::BodyKernels;
using physics::sweep::BodyRecords;

namespace {

using Record = std::array<float, physics::sweep::kRecord>;

/// Records of bodies with velocities, forces, damping and inertia drawn at random.
struct Flyers {
    std::vector<Record> velocity, delta, inverse_mass, transform, free_velocity, shift, drive, inertia, inverse_inertia;
    std::vector<uint32_t> list;

    Flyers(uint32_t count, uint32_t seed, float spin) {
        std::mt19937 random(seed);
        const auto draw = [&](float most) { return std::uniform_real_distribution<float>(-most, most)(random); };
        for (uint32_t i = 0; i < count; ++i) {
            list.push_back(i);
            velocity.push_back({draw(5), draw(5), draw(5), 0, draw(spin), draw(spin), draw(spin), 0});
            const bool pushed = i % 3 == 0;
            const float damping = pushed ? 0.999f : 1.0f, turn = pushed ? 0.01f : 0.0f;
            drive.push_back({draw(0.1f), draw(0.1f), draw(0.1f), damping, draw(turn), draw(turn), draw(turn), damping});
            const Quat q = glm::normalize(Quat(draw(1), draw(1), draw(1), draw(1) + 2.0f));
            transform.push_back({q.x, q.y, q.z, q.w, draw(9), draw(9), draw(9), 1.0f});
            const bool even = i % 4 == 0;
            const float x = 1.0f + draw(0.5f), y = even ? x : 1.0f + draw(0.5f), z = even ? x : 1.0f + draw(0.5f);
            inertia.push_back({x, y, z, 0, 0, 0, even ? 0.0f : 1.0f, 0});
            inverse_inertia.push_back({1 / x, 1 / y, 1 / z, 0, 0, 0, 0, 0});
            inverse_mass.push_back({1 / x, 1 / y, 1 / z, 0, 0, 0, 1, 0});
            delta.push_back({});
            free_velocity.push_back({});
            shift.push_back({});
        }
        for (std::vector<Record>* records :
             {&velocity, &drive, &transform, &inertia, &inverse_inertia, &inverse_mass, &delta, &free_velocity, &shift})
            while (records->size() % physics::sweep::kBlockLanes != 0) records->push_back(records->back());
        while (list.size() % physics::sweep::kBlockLanes != 0) list.push_back(uint32_t(list.size()));
    }
    BodyRecords records() {
        BodyRecords r;
        r.velocity = velocity[0].data();
        r.delta = delta[0].data();
        r.inverse_mass = inverse_mass[0].data();
        r.transform = transform[0].data();
        r.free_velocity = free_velocity[0].data();
        r.shift = shift[0].data();
        r.drive = drive[0].data();
        r.inertia = inertia[0].data();
        r.inverse_inertia = inverse_inertia[0].data();
        return r;
    }
};

bool same(const std::vector<Record>& x, const std::vector<Record>& y, uint32_t count) {
    return std::equal(x.begin(), x.begin() + count, y.begin());
}

}  // namespace

TEST_CASE("all sub-steps of a free flight at once are one sub-step after the other") {
    const BodyKernels& kernels = physics::sweep::body_kernels();
    for (const bool gyroscopic : {true, false})
        for (const uint32_t substeps : {1u, 3u, 16u})
            for (const float spin : {0.0f, 3.0f, 60.0f}) {
                CAPTURE(gyroscopic);
                CAPTURE(substeps);
                CAPTURE(spin);
                constexpr uint32_t kCount = 21;
                Flyers once(kCount, 7, spin), many(kCount, 7, spin);
                Advance how;
                how.h = 1.0f / 60.0f / float(substeps);
                how.gyroscopic = gyroscopic;
                how.has_shifts = true;
                kernels.fly(once.list.data(), kCount, once.records(), how, substeps);
                kernels.begin(many.list.data(), kCount, many.records(), how);
                for (uint32_t k = 1; k < substeps; ++k) kernels.next(many.list.data(), kCount, many.records(), how);
                kernels.end(many.list.data(), kCount, many.records(), how);
                // Turns in every bit; what flies on a parabola is rounded once and not in every sub-step.
                CHECK(same(once.transform, many.transform, kCount));
                for (uint32_t i = 0; i < kCount; ++i)
                    for (int c = 0; c < 8; ++c) {
                        const float v = many.velocity[i][size_t(c)], x = many.delta[i][size_t(c)];
                        CHECK(std::abs(once.velocity[i][size_t(c)] - v) <=
                              (c < 3 ? 2e-6f * (1.0f + std::abs(v)) : 0.0f));
                        CHECK(std::abs(once.delta[i][size_t(c)] - x) <= (c < 3 ? 2e-7f * (1.0f + std::abs(x)) : 0.0f));
                    }
            }
}

TEST_CASE("a body in the air does not care whether others touch") {
    const auto fly = [](bool beside_a_stack) {
        TestWorld t;
        t.floor();
        const Entity flyer = t.body(t.box({0.3f, 0.5f, 0.2f}), {.position = {0.0f, 9.0f, 0.0f},
                                                                .velocity = {{1.0f, 2.0f, 0.0f}, {3.0f, 1.0f, 9.0f}}});
        if (beside_a_stack)
            for (int i = 0; i < 3; ++i)
                t.body(t.box({0.5f, 0.5f, 0.5f}), {.position = {5.0f, 0.5f + 1.01f * float(i), 0.0f}});
        t.run(0.8f);
        return t.pose(flyer);
    };
    const Pose alone = fly(false), beside = fly(true);
    CHECK(alone.position == beside.position);
    CHECK(alone.rotation == beside.rotation);
}
