// SPDX-License-Identifier: MIT
// Contacts that give no more than an impulse: glass. Whatever solves an island, the step is solved as if nothing could
// break; when the contacts of a collider give more than its break_impulse, the step is solved again without them, and
// that much of what they gave is given to the bodies first. So no solver needs to know, and what goes through keeps the
// rest of its momentum to the last bit but rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/events.h"
#include "physics/joints/joints.h"
#include "physics/pairs/pairs.h"

namespace proxima::physics {

/// What a solve changes of the state that the next one begins with.
struct BreakTrial {
    std::vector<BodyTransform> transform;
    std::vector<BodyVelocity> velocity, delta;
    std::vector<SolveHistory> history;
    std::vector<PairSlot> slots;
    std::vector<ManifoldId> ids;
    std::vector<Manifold> manifolds;
    std::vector<ExtendedFriction> extended;
    std::vector<JointData> joints;
    size_t warnings = 0;
    // What the bodies got from what has broken in this step, and the colliders that broke.
    std::vector<uint32_t> colliders;  // slots
    std::vector<float> sums;          // N s, by collider slot
    std::vector<float> limits;  // N s, by collider slot: what is left of its break impulse; negative: it does not break

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(transform, velocity, delta, history, slots, ids, manifolds, extended, joints, colliders, sums,
                        limits);
    }
};

/// Whether a contact of something that can break is about to be solved.
bool may_break(const Bodies& bodies, const Pairs& pairs);
/// What blows gave in this step, for the next one; of a step in which nothing may break, nothing.
void note_blows(const Bodies& bodies, const StepParams& params, bool may_break, Pairs& pairs);

/// Before the first solve.
void begin_trial(const Bodies& bodies, const Pairs& pairs, const Joints& joints, const StepReport& report,
                 BreakTrial& trial);

/// After a solve, with its results stored: whether something gave more than it can. Then everything is again as it was
/// before the solve, but for the contacts of what broke, which are gone, and for the impulse that they gave. At the
/// latest when everything that can break has broken nothing more does.
bool break_contacts(entt::registry& registry, const Colliders& colliders, BreakTrial& trial, Bodies& bodies,
                    Pairs& pairs, Joints& joints, Events& events, StepReport& report);

}  // namespace proxima::physics
