// SPDX-License-Identifier: MIT
// Rules of contacts between two steps: who ignores whom, what colliders ask of their contacts, what sensors hold.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "physics/check_input.h"
#include "physics/simulation.h"
#include "physics/world.h"

namespace proxima::physics {

namespace {

bool is_body_or_collider(const entt::registry& registry, Entity entity) {
    return registry.valid(entity) && registry.any_of<RigidBody, Collider>(entity);
}

Result<IgnoredPair> make_pair(const entt::registry& registry, Entity a, Entity b) {
    if (!is_body_or_collider(registry, a) || !is_body_or_collider(registry, b))
        return Error{"A pair to ignore needs two existing bodies or colliders; one of these entities is neither."};
    if (a == b) return Error{"A pair to ignore needs two different bodies or colliders."};
    return IgnoredPair{std::min(a, b), std::max(a, b)};
}

}  // namespace

Result<void> PhysicsWorld::set_contact_rules(Entity collider_or_body, const ContactRules& rules) {
    entt::registry& r = registry();
    std::vector<Entity> changed = colliders(collider_or_body);
    if (r.valid(collider_or_body) && r.all_of<Collider>(collider_or_body) && !r.all_of<RigidBody>(collider_or_body))
        changed.push_back(collider_or_body);
    if (changed.empty())
        return Error{
            "Contact rules are given to an existing collider, or to a body with colliders; this entity is neither."};
    if (auto ok = check_contact_rules(rules); !ok) return ok;
    for (const Entity collider : changed) r.emplace_or_replace<ContactRules>(collider, rules);
    return {};
}

ContactRules PhysicsWorld::contact_rules(Entity collider) const {
    const ContactRules* own = registry().valid(collider) ? registry().try_get<ContactRules>(collider) : nullptr;
    return own ? *own : ContactRules{};
}

Result<void> PhysicsWorld::ignore_pair(Entity a, Entity b) {
    const Result<IgnoredPair> pair = make_pair(registry(), a, b);
    if (!pair) return Error{pair.error()};
    ContactRuleStore& store = mutable_simulation().pairs.rules;
    const auto at = std::lower_bound(store.ignored.begin(), store.ignored.end(), pair.value());
    if (at != store.ignored.end() && *at == pair.value()) return {};
    store.ignored.insert(at, pair.value());
    ++store.version;
    return {};
}

Result<void> PhysicsWorld::stop_ignoring_pair(Entity a, Entity b) {
    const Result<IgnoredPair> pair = make_pair(registry(), a, b);
    if (!pair) return Error{pair.error()};
    ContactRuleStore& store = mutable_simulation().pairs.rules;
    const auto at = std::lower_bound(store.ignored.begin(), store.ignored.end(), pair.value());
    if (at == store.ignored.end() || *at != pair.value())
        return Error{"These two are not an ignored pair: it ends as it began, with the same bodies or colliders."};
    store.ignored.erase(at);
    ++store.version;
    return {};
}

bool PhysicsWorld::is_ignored_pair(Entity a, Entity b) const { return simulation().pairs.rules.ignores(a, b); }
bool PhysicsWorld::has_ignored_pairs() const { return !simulation().pairs.rules.ignored.empty(); }

std::vector<Entity> PhysicsWorld::overlaps_of(Entity entity) const {
    const Simulation& s = simulation();
    const entt::registry& r = registry();
    const auto is_there = [&](const ContactPair& names) {
        return r.valid(names.collider_a) && r.all_of<Collider>(names.collider_a) && r.valid(names.collider_b) &&
               r.all_of<Collider>(names.collider_b) && r.valid(names.body_a) && r.all_of<RigidBody>(names.body_a) &&
               r.valid(names.body_b) && r.all_of<RigidBody>(names.body_b);
    };
    std::vector<std::pair<uint32_t, Entity>> found;  // by stable id
    for (uint32_t k = 0; k < s.pairs.slots.size(); ++k) {
        const PairSlot& pair = s.pairs.slots[k];
        if (pair.is_free() || !pair.touching || !is_sensor_pair(pair.rules)) continue;
        const ContactPair& names = s.pairs.names[k];
        if (!is_there(names)) continue;
        const bool a_is_sensor = (pair.rules & kSensorA) != 0;
        const Entity sensor = a_is_sensor ? names.collider_a : names.collider_b,
                     other = a_is_sensor ? names.collider_b : names.collider_a,
                     other_body = a_is_sensor ? names.body_b : names.body_a;
        const uint32_t id_a = uint32_t(pair.key >> 32), id_b = uint32_t(pair.key);
        if (entity == sensor) found.emplace_back(a_is_sensor ? id_b : id_a, other);
        if (entity == other || entity == other_body) found.emplace_back(a_is_sensor ? id_a : id_b, sensor);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<Entity> out;
    for (const auto& [id, collider] : found) out.push_back(collider);
    return out;
}

void PhysicsWorld::set_contact_modifier(ContactModifier modifier) {
    mutable_simulation().contact_modifier = std::move(modifier);
}

}  // namespace proxima::physics
