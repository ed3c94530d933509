// SPDX-License-Identifier: MIT
// Which pairs have contacts at all, and what the rules of their colliders ask of them: groups, ignored pairs, sensors,
// one-way surfaces, thresholds. Each pair has them as bits, derived when colliders, rules or ignored pairs changed.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

#include "physics/components.h"
#include "physics/step_params.h"

namespace proxima::physics {

struct Bodies;
struct Colliders;
struct Pairs;
struct PairSlot;

/// Bits of PairSlot::rules.
enum PairRules : uint8_t {
    kSensorA = 1,
    kSensorB = 2,
    kFiltered = 4,  // by a group, by the list of ignored pairs, or because one of them has broken
    kOneWayA = 8,
    kOneWayB = 16,
    kPassing = 32,  // state: one of them is on its way through a one-way surface, until they part
    kWatched = 64,  // has a force threshold or can break
    kModifiable = 128,
};
constexpr bool has_no_contacts(uint8_t rules) { return (rules & (kSensorA | kSensorB | kFiltered)) != 0; }
/// Two sensors see nothing of each other.
constexpr bool is_sensor_pair(uint8_t rules) {
    const int which = rules & (kSensorA | kSensorB | kFiltered);
    return which == kSensorA || which == kSensorB;
}
constexpr bool is_one_way(uint8_t rules) { return (rules & (kOneWayA | kOneWayB)) != 0; }

/// Two bodies or colliders that do not meet, the smaller entity first.
struct IgnoredPair {
    Entity a = kNoEntity, b = kNoEntity;
    auto operator<=>(const IgnoredPair&) const = default;
};
static_assert(sizeof(IgnoredPair) == 8);

/// The rules of a listed collider as the last step found them.
struct SeenRules {
    uint32_t stable_id = 0;
    Entity collider = kNoEntity;
    ContactRules rules;
    // N s, of one that can break: what blows gave in the last step. A blow may come at the end of a step, and the rest of it
    // in the next.
    float blow = 0.0f;
};
static_assert(sizeof(SeenRules) == 40);

struct ContactRuleStore {
    std::vector<IgnoredPair> ignored;  // ascending
    std::vector<SeenRules> seen;       // ascending by stable id
    uint64_t version = 1;              // raised when one of these two changes

    // ---- derived
    uint64_t seen_version = 0, seen_bodies = ~uint64_t(0);  // that the bits of the pairs are of
    std::vector<uint32_t> of_collider;                      // by slot: into `seen`; empty: none has rules
    float min_hit_speed = std::numeric_limits<float>::infinity();
    bool any_bits = false;  // pairs may have bits
    /// Whether pairs may have bits with the rules that there are.
    bool has_bits(const Colliders& colliders) const;
    bool any_one_way = false, any_watched = false, any_modifiable = false, any_breaks = false;

    // ---- scratch
    std::vector<SeenRules> now;
    std::vector<uint8_t> changed;   // by collider slot; empty: none
    std::vector<uint64_t> passing;  // body << 32 | collider that it passes through

    /// nullptr: a collider without rules.
    const ContactRules* of(uint32_t collider) const {
        const uint32_t at = collider < of_collider.size() ? of_collider[collider] : kNone;
        return at != kNone ? &seen[at].rules : nullptr;
    }
    bool ignores(Entity a, Entity b) const;
    /// What `seen` says of these colliders; to be called when one of the two is another one.
    void derive(const Colliders& colliders);

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(ignored, seen, of_collider, now, changed, passing);
    }
};

/// The bits that follow from the colliders of a pair and their rules; kPassing is not among them.
uint8_t derive_rules(const Colliders& colliders, const Pairs& pairs, const PairSlot& pair);

/// The events that the colliders of a pair ask for, bits of Collider::events.
uint8_t events_asked(const Colliders& colliders, const PairSlot& pair);

/// Speed from which an impact of the pair is a hit, m/s: the smaller one of what its colliders' rules say, or the
/// world's.
float hit_speed_of(const Pairs& pairs, const PairSlot& pair, float of_world);

// ---- stage

/// Rules and ignored pairs that changed since the last step: the bits of the pairs, and who wakes. What loses its
/// contacts or its sensor loses them in this step.
void sync_contact_rules(entt::registry& registry, const Colliders& colliders, Bodies& bodies, Pairs& pairs,
                        StepReport& report);

}  // namespace proxima::physics
