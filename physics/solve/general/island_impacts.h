// SPDX-License-Identifier: MIT
// Impacts of an island of the laboratory: those with restitution at their time, and what strikes without it.
#pragma once

#include "physics/solve/general/island_problem.h"

namespace proxima::physics {

/// By how much a turn makes an arm another one: Turn of contact_lanes.h.
Vec3 change_of_arm(const Vec3& turn, const Vec3& arm);
/// From c to a point of a contact.
Vec3 offset_of(const Contact& k, const RowLaw& law);
/// Lever arms of a contact where its bodies are after a time, with the velocities that they have, as the sweeps have them
/// (contact_lanes.h).
void move_arms(IslandProblem& problem, uint32_t row, float time);

/// Contacts that close faster than a threshold bounce, one manifold after the other, until none does. Going from
/// manifold to manifold lets an impact travel through a row of touching bodies (Newton's cradle), which asking all
/// contacts for their own e v_n- at once does not. Every single impact loses energy or keeps it.
/// Returns whether anything bounced.
bool solve_impacts(IslandProblem& problem, BodySystem& system);

/// Manifolds that carried nothing and close faster than lasting forces would make them in a few sub-steps are struck: in
/// this sub-step, and in the next, where what came to the other body in this one stops, they are hard and what they give is
/// no warm start. As mark_blows of contact_sweep.simd.cpp.
void mark_blows(IslandProblem& problem, BodySystem& system);
/// The load of manifolds that are struck, or new.
void find_loads(const IslandProblem& problem, BodySystem& system);
/// After the sub-step: what a blow gave is no impulse to begin the next one with.
void forget_blows(IslandProblem& problem);

}  // namespace proxima::physics
