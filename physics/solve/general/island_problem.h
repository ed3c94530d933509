// SPDX-License-Identifier: MIT
// An island as the solvers of the laboratory see it: its bodies and the rows of its constraints, with nothing of the
// rest of the world. One worker takes it through all sub-steps of a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/bodies/bodies.h"
#include "physics/constraints/kinds.h"
#include "physics/contact/problem.h"
#include "physics/solve/measure.h"
#include "physics/solve/plan.h"

namespace proxima::physics {

/// The law of one row of the problem during a step, beside the row itself.
struct RowLaw {
    float gap = 0.0f;        // now
    float start_gap = 0.0f;  // when `delta` was zero
    float restitution = 0.0f;
    float approach_speed = 0.0f;
    Vec3 total{0.0f, 0.0f, 0.0f};  // impulse summed over the step
    bool with_static = false;      // one of the bodies cannot be moved
    bool rolls = false;            // one of the surfaces is round
    bool balls = false;            // bit of BlockHead::balls
    float follows = 0.5f;          // ContactHead::follows
    SoftContact softness;
    float max_push = 0.0f;  // m/s
    bool is_contact = false;
    float push = 0.0f;   // m/s, the fastest that it was asked to part with in this step
    bool apart = false;  // overlaps and carries nothing: positions are to part in this sub-step
    // Of the first point of a manifold: whether it is new, strikes in this sub-step, did so in the last and in the one
    // before that, gives no lasting force in this sub-step, and has to find its load.
    bool begins = false, strikes = false, struck = false, struck_before = false, blow = false, finds_load = false;
    // Of a contact: its frame turns with a body, c is the middle of its manifold (contact_block.h).
    uint32_t frame_body = 0;                                               // in the problem
    Vec3 frame_normal{0.0f, 0.0f, 0.0f}, frame_tangent{0.0f, 0.0f, 0.0f};  // in the frame of that body
    Vec3 offset{0.0f, 0.0f, 0.0f};                                         // from c along tangents and normal
    Vec3 start_arm_a{0.0f, 0.0f, 0.0f}, start_arm_b{0.0f, 0.0f, 0.0f};     // to c, when `delta` was zero
    // Of surfaces that move along themselves, in the frames of their bodies, m/s.
    bool surface_moves = false;
    Vec3 surface_a{0.0f, 0.0f, 0.0f}, surface_b{0.0f, 0.0f, 0.0f};
};

/// What a joint has beside its row: its lever arms follow the bodies in every sub-step.
struct ProblemJoint {
    uint32_t row = 0;
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};  // body frames, about the centres of mass
    float push_rate = 0.0f, compliance_factor = 0.0f;             // of the spring that it is, or that keeps it together
    bool rigid = true;
    float error = 0.0f;  // m
};

/// Friction beyond the disk as rows of a problem have it: moments become impulses at their radii.
ExtraFriction to_extra(const ExtendedFriction& friction, const Vec3& moment);

/// Why the answer of a laboratory solver was thrown away.
enum class SolverFailure : uint8_t {
    none,
    gave_up,     // the solver said so
    not_finite,  // velocities or impulses
    far_off,     // farther from the law than sweeps get
};
/// A solver that failed in an island, which was swept from there to the end of the step.
struct FailedSolver {
    const Solver* solver = nullptr;  // nullptr: none
    SolverFailure why = SolverFailure::none;
    std::string_view note;  // its own words, as the end of a sentence; may be empty
};

struct IslandProblem {
    const StepParams* params = nullptr;
    float h = 0.0f;
    bool knows_extended_friction = true;
    uint32_t dynamic_count = 0;  // bodies of the island; behind them those that its constraints touch and cannot move

    // ---- by body of the problem
    std::vector<uint32_t> slots;
    std::vector<BodyTransform> transform;
    std::vector<BodyVelocity> velocity, delta;
    std::vector<BodyVelocity> free, drive;   // after the forces of the sub-step and its impacts; what the forces gave
    std::vector<BodyVelocity> shift;         // what impacts and overlaps add to the motion of the sub-step
    std::vector<BodyVelocity> acceleration;  // of kinematic bodies
    std::vector<BodyInverseMass> inverse_mass;

    // ---- by row
    ContactProblem rows;
    std::vector<RowLaw> laws;
    std::vector<ProblemJoint> joints;

    // ---- scratch
    std::vector<Vec3> kept_lambda;  // of rows, then of their extra friction, to go back to
    std::vector<BodyVelocity> kept_velocity;
    std::vector<uint32_t> index_of_slot;  // by body slot; of the bodies above only
    std::vector<uint32_t> numbers;        // 0, 1, 2, ...
    BodySystem::Scratch scratch;

    uint32_t index_of(uint32_t slot) const { return index_of_slot[slot]; }
    /// Where the anchors of a joint are apart, b seen from a, with the bodies as they are now.
    Vec3 error_of(const ProblemJoint& joint) const;
    /// Rows of friction beyond the disk for a contact; `moment` is the warm start about normal and tangents, N m s.
    void add_extended(uint32_t contact, const ExtendedFriction& friction, const Vec3& moment);
    /// Moments of a contact back, where it has such rows.
    void store_extended(uint32_t contact, Vec3& moment) const;

    size_t bytes() const;
    void reserve(size_t bodies, size_t points, size_t groups, size_t all_bodies);
};

/// Takes an island through the sub-steps of a step: its bodies' velocities, transforms and deltas, and the impulses
/// of its rows, come out as they are after it. `edges` are its constraints in the order of the sweeps. `failure` stays as it
/// is unless the solver fails.
IslandOutcome solve_island(const ConstraintStores& stores, const Bodies& bodies,
                           std::span<const uint32_t> island_bodies, std::span<const Edge> edges, const IslandPlan& plan,
                           const StepParams& params, IslandProblem& problem, MeasureSum& sum, FailedSolver& failure);

/// The bodies and rows of an island as they are before its first sub-step, of h seconds.
void gather_island(const ConstraintStores& stores, const Bodies& bodies, std::span<const uint32_t> island_bodies,
                   std::span<const Edge> edges, const Solver& solver, const StepParams& params, float h,
                   IslandProblem& problem);
/// Forces of one sub-step into the velocities.
void integrate_velocities(const Bodies& bodies, IslandProblem& problem);
/// Gaps of the rows where the bodies are now, `since` seconds after the start of a sub-step, and the law that follows: pushed
/// apart where soft, or hard.
void refresh_rows(IslandProblem& problem, bool push, float since);

}  // namespace proxima::physics
