// SPDX-License-Identifier: MIT
#include "compute/world/stack_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace proxima::compute::world {

namespace {

constexpr float kMaxLoad = 20.0f;    // weights: a tower of twenty sinks in by a hundredth of a cube
constexpr float kUpright = 0.5f;     // cosine: what leans farther to the side is not what something stands on
constexpr float kDt = 1.0f / 60.0f;  // s: contacts that are near count as well

struct Support {
    uint32_t below = 0, above = 0;
};

}  // namespace

float largest_load(const physics::ContactDump& contacts, const Vec3& up) {
    const size_t n = contacts.inverse_mass.size();
    const auto mass = [&](uint32_t body) { return 1.0f / contacts.inverse_mass[body].mass; };
    const auto moves = [&](uint32_t body) { return contacts.inverse_mass[body].mass > 0.0f; };

    std::vector<Support> supports;  // one a manifold
    std::vector<uint32_t> stands_on(n, 0), carries(n, 0);
    for (const physics::ContactGroup& group : contacts.groups) {
        const physics::Contact& c = contacts.contacts[group.begin];
        const float cosine = glm::dot(c.normal, up);
        if (std::abs(cosine) < kUpright) continue;
        const Support s = cosine > 0.0f ? Support{c.a, c.b} : Support{c.b, c.a};
        if (!moves(s.above)) continue;
        ++stands_on[s.above];
        ++carries[s.below];
        supports.push_back(s);
    }
    // The supports of each body that stands on something follow each other.
    std::sort(supports.begin(), supports.end(), [](const Support& x, const Support& y) { return x.above < y.above; });
    std::vector<uint32_t> first(n + 1, 0);
    for (uint32_t i = 0; i < n; ++i) first[i + 1] = first[i] + stands_on[i];

    // From the top down: a body is through when all that rests on it is.
    std::vector<float> load(n, 0.0f);
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < n; ++i)
        if (carries[i] == 0 && moves(i)) ready.push_back(i);
    float largest = 0.0f;
    while (!ready.empty()) {
        const uint32_t body = ready.back();
        ready.pop_back();
        const float part = (mass(body) + load[body]) / float(std::max(stands_on[body], 1u));
        for (uint32_t k = first[body]; k < first[body + 1]; ++k) {
            const uint32_t below = supports[k].below;
            largest = std::max(largest, part / (moves(below) ? std::min(mass(body), mass(below)) : mass(body)));
            load[below] += part;
            if (--carries[below] == 0 && moves(below)) ready.push_back(below);
        }
    }
    return largest;
}

Result<void> check_stacks(const physics::PhysicsWorld& world) {
    const Vec3 gravity = world.settings().gravity;
    const float strength = glm::length(gravity);
    if (!world.settings().direct_islands || !(strength > 0.0f)) return {};
    const Result<physics::ContactDump> contacts = world.capture(kDt);
    if (!contacts) return {};  // the device refuses it by its own name
    const float load = largest_load(contacts.value(), gravity / -strength);
    if (!(load > kMaxLoad)) return {};
    return Error{
        fmt::format("Something stands there with {:.3g} times its weight on it, and the gpu has no direct solves, "
                    "which hold high stacks "
                    "and heavy loads; the cpu has. Without direct_islands more than {:.0f} times is swept on the gpu "
                    "as well, and sinks in.",
                    load, kMaxLoad)};
}

}  // namespace proxima::compute::world
