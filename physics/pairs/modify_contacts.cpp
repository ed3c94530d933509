// SPDX-License-Identifier: MIT
// The stage between narrowphase and solve in which the game may change contacts: one call with an array of all that it
// asked for, on the thread that steps, in the order of the table of pairs.
#include <cmath>

#include "physics/contact/material.h"
#include "physics/limits.h"
#include "physics/pairs/pairs.h"

namespace proxima::physics {

namespace {

/// m/s, world: b's surface against a's.
Vec3 velocity_between_surfaces(const Bodies& bodies, const Pairs& pairs, const PairSlot& pair, const Manifold& m) {
    Vec3 out(0.0f);
    if (pairs.surface_velocity.empty()) return out;
    if (m.moving_surfaces & 2u) out += bodies.transform[pair.body_b].rotation * pairs.surface_velocity[pair.collider_b];
    if (m.moving_surfaces & 1u) out -= bodies.transform[pair.body_a].rotation * pairs.surface_velocity[pair.collider_a];
    return out;
}

ModifiableContact describe(const Bodies& bodies, const Pairs& pairs, uint32_t slot, const Manifold& m) {
    const PairSlot& pair = pairs.slots[slot];
    const ContactPair& names = pairs.names[slot];
    const BodyTransform &a = bodies.transform[pair.body_a], &b = bodies.transform[pair.body_b];
    ModifiableContact out;
    out.collider_a = names.collider_a;
    out.collider_b = names.collider_b;
    out.body_a = names.body_a;
    out.body_b = names.body_b;
    out.normal = m.normal;
    out.count = m.count;
    for (uint32_t i = 0; i < m.count; ++i) {
        const Vec3 on_a = a.center + a.rotation * m.points[i].anchor_a,
                   on_b = b.center + b.rotation * m.points[i].anchor_b;
        out.points[i] = 0.5f * (on_a + on_b);
        out.separation[i] = m.points[i].separation;
    }
    out.friction = m.friction;
    out.restitution = m.restitution;
    out.surface_velocity = velocity_between_surfaces(bodies, pairs, pair, m);
    return out;
}

bool is_sensible(const ModifiableContact& c) {
    return c.friction >= 0.0f && c.friction <= kMaxFriction && c.restitution >= 0.0f && c.restitution <= 1.0f &&
           is_finite(c.surface_velocity) && glm::length(c.surface_velocity) <= kMaxSpeed;
}

void take(const ModifiableContact& to, const ModifiableContact& from, const Bodies& bodies, uint32_t slot,
          ManifoldId id, Pairs& pairs) {
    Manifold& m = pairs.manifolds[id];
    m.friction = to.friction;
    m.restitution = to.restitution;
    ExtendedFriction* extended = m.extended_friction ? pairs.manifolds.extended(id) : nullptr;
    if (extended && to.friction != from.friction) extended->across = to.friction;
    if (to.surface_velocity == from.surface_velocity) return;
    m.moving_surfaces = to.surface_velocity != Vec3(0.0f) ? kModifiedSurface : uint8_t(0);
    if (pairs.modified_velocity.size() <= id) pairs.modified_velocity.resize(id + 1, Vec3(0.0f));
    pairs.modified_velocity[id] =
        glm::conjugate(bodies.transform[pairs.slots[slot].body_b].rotation) * to.surface_velocity;
    pairs.changed.push_back(id);
    ++pairs.version;
}

}  // namespace

void modify_contacts(const ContactModifier& modifier, Bodies& bodies, Pairs& pairs, StepReport& report) {
    if (!modifier || !pairs.rules.any_modifiable) return;
    std::vector<ModifiableContact>& contacts = pairs.modifiable;
    std::vector<ManifoldId>& ids = pairs.modifiable_ids;
    contacts.clear();
    ids.clear();
    for (uint32_t k = 0; k < pairs.slots.size(); ++k) {
        const PairSlot& pair = pairs.slots[k];
        if (pair.is_free() || !(pair.rules & kModifiable)) continue;
        if (!bodies.awake[pair.body_a] && !bodies.awake[pair.body_b]) continue;
        for (const ManifoldId id : ManifoldChain{pairs, k}) {
            contacts.push_back(describe(bodies, pairs, k, pairs.manifolds[id]));
            ids.push_back(id);
        }
    }
    if (contacts.empty()) return;
    modifier(contacts);
    for (size_t k = 0; k < ids.size() && k < contacts.size(); ++k) {
        const uint32_t slot = pairs.manifolds.slot(ids[k]).pair;
        if (slot == kNone) continue;  // its pair was switched off by another of its manifolds
        const ModifiableContact &to = contacts[k], from = describe(bodies, pairs, slot, pairs.manifolds[ids[k]]);
        if (!to.enabled) {
            std::erase(pairs.changed, ids[k]);
            lose_contact(bodies, pairs, slot);
            pairs.slots[slot].slack = -1.0f;
        } else if (is_sensible(to)) {
            take(to, from, bodies, slot, ids[k], pairs);
        } else {
            report.warn(from.collider_a,
                        "The contact modifier gave a friction, restitution or surface velocity that makes no sense; "
                        "the contact is as its materials say.");
        }
    }
}

}  // namespace proxima::physics
