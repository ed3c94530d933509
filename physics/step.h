// SPDX-License-Identifier: MIT
// The stages of a step and the dense arrays they share. Components are gathered into the arrays at the start
// of a step and scattered back at its end; in between nobody looks at the registry. Each stage can be called
// alone by a test.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/flat_map.h"
#include "engine/core/math.h"
#include "engine/jobs/jobs.h"
#include "engine/jobs/ordered_lists.h"
#include "engine/profile/stage_times.h"
#include "physics/broadphase/broadphase.h"
#include "physics/components.h"
#include "physics/contact/material.h"
#include "physics/contact/problem.h"
#include "physics/contact/softness.h"
#include "physics/islands/colours.h"
#include "physics/narrowphase/collide.h"
#include "physics/physics_world.h"
#include "physics/solvers/direct/direct_solver.h"
#include "physics/solvers/solver.h"
#include "physics/solvers/wide/wide_problem.h"
#include "physics/state/bodies.h"
#include "physics/state/collider_links.h"
#include "physics/state/structure.h"
#include "physics/step_settings.h"

namespace proxima::physics {

inline constexpr uint32_t kNoIsland = 0xFFFFFFFFu;
inline constexpr uint32_t kNoContact = 0xFFFFFFFFu;

/// Slots of bodies are dense and in stable order; they last until bodies are made or removed.
struct BodyPlace {
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    Vec3 center{0.0f, 0.0f,
                0.0f};    // centre of mass at the start of the step; BodyArrays::moved leads on from it
    float radius = 0.0f;  // of the body about its centre of mass
};
static_assert(sizeof(BodyPlace) == 32);

enum class Symmetry : uint8_t { none, axis, point };

struct BodyFacts {  // what the sweeps do not touch
    Entity entity = kNoEntity;
    BodyType type = BodyType::fixed;
    float mass = 0.0f;
    Vec3 center_local{0.0f, 0.0f, 0.0f};
    Sym3 inertia_local, inverse_inertia_local;
    bool isotropic = true;                 // inertia is a multiple of the identity: no gyroscopic motion
    Symmetry symmetry = Symmetry::none;    // of its shape: spin that cannot be seen
    Vec3 symmetry_axis{0.0f, 1.0f, 0.0f};  // body frame
    bool allow_sleep = true;
    bool out_of_step = false;  // quarantined, or content that makes no sense
    float gravity_scale = 1.0f, linear_damping = 0.0f, angular_damping = 0.0f;
    Vec3 force{0.0f, 0.0f, 0.0f}, torque{0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(BodyFacts) == 128);

/// See Rest.
struct BodyWatch {
    uint8_t dear_steps = 0, direct_steps = 0, calm_steps = 255, barred_steps = 0;
};
static_assert(sizeof(BodyWatch) == 4);

struct BodyArrays {
    std::vector<BodyFacts> facts;
    std::vector<BodyPlace> place;
    std::vector<BodyVelocity> velocity;
    std::vector<BodyVelocity>
        moved;  // how far a body has moved and turned (small angles) since the manifolds' gaps
    std::vector<BodyInverseMass> inverse_mass;
    std::vector<uint8_t> dynamic;  // 1: can be moved by contacts
    std::vector<uint8_t> awake;    // 1: takes part in this step (dynamic and awake, or kinematic and moving)
    std::vector<uint8_t>
        placed_anew;            // 1: put somewhere else since the last step while it was not moving by itself
    std::vector<float> motion;  // bound on how far any point of a body moved since the last step looked
    std::vector<float>
        unseen_motion;         // the same of the last step, until the pairs have taken it into account
    std::vector<float> speed;  // bound on the speed of any point, at the start of the step
    std::vector<uint8_t> has_new_manifold;  // 1: a manifold of the body was made anew in this step
    std::vector<uint8_t> was_awake;         // in the step before, after waking neighbours
    std::vector<uint8_t> falls_asleep;      // 1: took part in this step and sleeps from the next on
    std::vector<float> quiet_time;
    std::vector<BodyVelocity> mean_velocity;  // of the last second or so
    std::vector<BodyWatch> watch;
    std::vector<uint32_t> island;  // of dynamic awake bodies, otherwise kNoIsland
    size_t size() const { return facts.size(); }
};
struct ColliderFacts {
    Entity entity = kNoEntity;
    uint32_t stable_id = 0;
    uint32_t body = 0;  // slot
    ProxyId proxy = kNoProxy;
    const Shape* shape = nullptr;
    Transform local;  // about the body's centre of mass
    Transform world;
    Surface surface;
    float box_slack = -1.0f;  // how far the body may still move before its box in the broadphase is too small
};
static_assert(sizeof(ColliderFacts) == 96);

/// A pair of the broadphase, for as long as the two boxes overlap. Its entity comes with its first contact
/// points and lasts until the pair ends. A step looks at every slot, so a slot is one cache line and holds
/// what most steps need.
struct PairSlot {
    uint64_t key = 0;  // (stable id of a) << 32 | (stable id of b)
    Manifold* manifold = nullptr;
    Entity entity = kNoEntity;
    uint32_t collider_a = 0, collider_b = 0;  // slots
    uint32_t body_a = 0, body_b = 0;          // slots
    // How far the two bodies may still move before the pair must be looked at: with contact points, until the
    // frozen manifold is too old; without, the distance of the shapes at least. Never saved: without it more
    // pairs are looked at, and found unchanged.
    float slack = -1.0f;
    uint32_t contact = kNoContact;  // into contact_list
    uint32_t first_contact = 0;     // into the problem of the general path
    SatCache cache;
    uint8_t count = 0;  // contact points
    uint8_t colour = kNoColour;
    uint8_t touching = 0;  // after the last step
    uint8_t news = 0;      // for the events of a step
};
static_assert(sizeof(PairSlot) == 64);

/// What a snapshot has of pairs without an entity and of boxes, which depend on the past: equal snapshots
/// then have equal futures.
struct SavedPair {
    uint64_t key = 0;
    float slack = 0.0f;
    SatCache cache;
    uint32_t unused = 0;
};
static_assert(sizeof(SavedPair) == 24);
struct SavedBox {
    uint32_t stable_id = 0;
    float slack = 0.0f;
    Aabb box;
};
static_assert(sizeof(SavedBox) == 32);
void save_pairs(const StepContext& c, std::vector<SavedPair>& pairs,
                std::vector<SavedBox>& boxes);  // state/pairs.cpp
/// The slab of each body, and whether it was awake: the wide solver cuts its slabs when contacts change, so
/// who restores a snapshot in between must know how they were cut. By slot; empty when there is no layout to
/// be kept.
void save_parts(const StepContext& c, std::vector<uint8_t>& parts);

/// The law of one contact point during a step, beside its row in the problem.
struct ContactLaw {
    float gap = 0.0f;        // now
    float start_gap = 0.0f;  // when `moved` was zero
    float restitution = 0.0f;
    float approach_speed = 0.0f;
    uint32_t against_immovable = 0;
    Vec3 total{0.0f, 0.0f, 0.0f};  // impulse summed over the step
};
static_assert(sizeof(ContactLaw) == 32 && sizeof(Contact) == 112, "144 bytes a point in the general path");

/// A pair with contact points.
struct ContactRef {
    uint32_t pair = 0, body_a = 0, body_b = 0;
    uint8_t colour = kNoColour;
    uint8_t count = 0;   // points
    bool joins = false;  // without it two islands might not be one
};
static_assert(sizeof(ContactRef) == 16);

/// What a manifold that is gone had taken.
struct FreedColour {
    uint32_t body_a = 0, body_b = 0;
    uint8_t colour = kNoColour;
};
static_assert(sizeof(FreedColour) == 12);

/// Bodies and groups of contacts that can be solved without the others.
struct Island {
    uint32_t body_begin = 0, body_end = 0;    // into island_bodies
    uint32_t group_begin = 0, group_end = 0;  // into problem.groups
};
static_assert(sizeof(Island) == 16);

/// Who solves an island.
enum class IslandWay : uint8_t {
    swept,   // the wide solver, sub-step by sub-step
    direct,  // solvers/direct, in one step
    apart,   // the general path: a solver of its own, or friction that the wide solver does not know
};

/// How the solve of an island went.
struct IslandOutcome {
    float residual = 0.0f;  // natural map of the exact law, worst contact, m/s
    uint32_t iterations =
        0;  // of the last sub-step; Newton steps of a direct solve; 0: swept as the settings say
    StopReason stop = StopReason::iterations;
    bool escalated = false;  // handed to a stronger solver
};
static_assert(sizeof(IslandOutcome) == 12);

/// A run of islands worth a job of its own.
struct IslandBatch {
    uint32_t begin = 0, end = 0;
};

/// What the measuring stage adds up.
struct MeasureSum {
    double residual_sum = 0.0, residual_max = 0.0;
    double overlap_sum = 0.0;
    float overlap_max = 0.0f;
    uint32_t overlaps = 0;
};
MeasureSum add(MeasureSum sum, const MeasureSum& part);  // contact/measure.cpp

/// An island that is solved directly, and what became of it in this step.
struct DirectSlot {
    direct::Identity identity;
    std::unique_ptr<direct::DirectIsland> island;
    direct::DirectReport report;
};

/// A factor in a snapshot: `count` of the values that follow those of the one before.
struct SavedFactor {
    direct::Identity identity;
    uint64_t count = 0;
};
static_assert(sizeof(SavedFactor) == 24);

struct WorkerScratch {
    BodySystem::Scratch solver;
};

struct StepContext {
    // the world's
    engine::World& world;
    const ShapeLibrary& shapes;
    const StepSettings& settings;
    engine::Jobs* jobs = nullptr;
    engine::StageTimes& times;
    StepReport& report;
    std::vector<ContactBegin>& begin_events;
    std::vector<ContactEnd>& end_events;
    std::vector<ContactHit>& hit_events;
    uint64_t& step_number;

    // kept between steps, rebuilt from the registry when bodies or colliders come, go or change
    bool structure_changed = true;         // all lists have to be made anew; otherwise `changes` says it all
    StructureChanges changes;              // since the last step
    ColliderLinks collider_links;          // who has which colliders
    bool lists_are_new = true;             // changed in this step
    std::vector<Entity> reshaped_bodies;   // colliders or mass changed: their contacts are made anew
    std::vector<Entity> body_entities;     // slot -> entity, in stable order
    bool body_list_stale = true;           // bodies came or went since that list was made
    uint32_t last_body_id = 0;             // stable id: no listed body has a larger one
    std::vector<uint32_t> slot_of_entity;  // entity index -> body slot
    BodyArrays bodies;
    std::vector<ColliderFacts> colliders;      // in stable order
    uint32_t special_colliders = 0;            // with friction that is more than a disk
    std::vector<uint32_t> collider_of_entity;  // entity index -> collider slot
    std::vector<uint32_t> collider_of_proxy;
    std::vector<Aabb> collider_boxes;
    Broadphase broadphase;
    std::vector<PairSlot> pairs;  // dense, in no order that matters
    FlatMap pair_of_key;
    std::vector<uint32_t> pair_of_entity;  // by entity index
    bool boxes_stale = true;               // sleeping and fixed bodies have no box in the broadphase yet
    bool restored = false;                 // a snapshot was loaded: pairs and boxes are the ones it had
    std::vector<SavedPair> saved_pairs;
    std::vector<SavedBox> saved_boxes;
    // Parts of bodies at the time of a snapshot, by slot; empty when the wide solver was not at work.
    std::vector<uint8_t> saved_parts;
    bool contacts_changed = true;  // islands, colours and layout of the last step no longer hold
    bool layout_lost = false;      // by a restore or moved pairs: to be made again as it was
    bool cut_anew = true;          // the large islands

    // of this step
    float dt = 0.0f;
    float h = 0.0f;  // sub-step
    const Solver* solver = nullptr;
    SoftContact soft, soft_immovable;
    bool goes_wide = false;  // the wide solver does this step
    bool went_wide = false;  // and did the last one
    wide::Problem wide;
    ContactProblem problem;
    std::vector<ContactLaw> laws;       // one per contact of the problem
    std::vector<uint32_t> group_pairs;  // problem.groups[g] belongs to pairs[group_pairs[g]]
    std::vector<Island> islands;
    std::vector<uint32_t> island_bodies;
    std::vector<uint8_t> island_bounces;  // 1: has a contact with restitution
    std::vector<IslandWay> island_way;    // how each is solved in this step
    uint32_t apart_islands = 0;           // that the general path solves, contacts or not
    std::vector<uint32_t> island_choice;  // who chose the island's solver: a body slot, or kNoSlot
    std::vector<IslandOutcome> island_outcome;
    std::vector<uint8_t> island_uneven;   // 1: a heavy body leans on a light one
    std::vector<uint8_t> island_special;  // 1: has friction beyond the disk
    bool ways_changed = false;            // islands are solved in other ways than the layout says
    std::vector<DirectSlot> directs;      // by part: the islands solved directly
    std::vector<DirectSlot> directs_before;
    std::vector<std::unique_ptr<direct::DirectIsland>> spare_directs;
    std::vector<SavedFactor> saved_factors;  // of a snapshot, until the first step
    std::vector<float> saved_factor_values;
    std::vector<IslandBatch> batches;
    std::vector<WorkerScratch> scratch;  // one per worker
    std::vector<uint32_t> union_find;
    std::vector<uint64_t> colours_used;    // by body and kind: bit k, a manifold of colour k touches it
    std::vector<ContactRef> contact_list;  // pairs with points; kept up to date, in no order that matters
    engine::OrderedPick<uint32_t> pick_pairs;
    std::vector<FreedColour> freed_colours;  // by pairs that ended since colours were given
    std::vector<uint32_t> fresh_contacts;    // pairs that need a colour
    uint32_t overflowing_contacts = 0;       // found no free colour
    bool sets_broken = true;                 // a contact ended that joined two sets of bodies
    bool recoloured = true;                  // colours of all contacts were looked at anew
    std::vector<uint32_t> groups_by_key;
    std::vector<uint32_t> look_list;
    std::vector<uint8_t> look_found;
    std::vector<uint32_t> changed_pairs;  // points came or went, in the order of the table
    std::vector<uint8_t> box_changed;
    std::vector<uint8_t> body_troubles;  // by block of bodies: one of them is not finite
    std::vector<uint64_t> sort_keys;
    std::vector<Entity> entity_list;
    std::vector<uint32_t> slot_list;
    std::vector<Entity> orphans;  // entities of pairs that are gone from the table
    std::vector<MassAccumulator> mass_sums;
    std::vector<uint32_t> gone_bodies, gone_colliders;  // slots
    std::vector<uint32_t> new_slot, new_collider_slot;  // by old slot
    std::vector<MeasureSum> measure_sums;               // one per block of contacts
    MeasureSum measured;                                // of the step so far
};

/// Names of the stages in StageTimes, in the order they run.
enum class Stage : uint32_t {
    user_changes,
    find_pairs,
    update_manifolds,
    build_islands,
    assemble,
    integrate,
    refresh,
    solve,
    impacts,
    relax,
    measure,
    correct_positions,
    store_impulses,
    sleep,
    write_back,
    events,
    count
};
const char* to_string(Stage stage);

// ---- the stages, in the order of step.cpp
void begin_step(StepContext& c);
void apply_user_changes(StepContext& c);  // state/bodies.cpp: lists, masses, gather
void advance_half_step(StepContext& c);   // Moreau only: contacts are looked for at the middle of the step
void find_pairs(StepContext& c);          // broadphase/find_pairs.cpp
void update_manifolds(StepContext& c);    // narrowphase/update_manifolds.cpp
void build_islands(StepContext& c);       // islands/islands.cpp
void choose_ways(StepContext& c);         // islands/choose_ways.cpp: who solves which island
/// Whether the general path moves a body: those of its islands, and what no contact moves.
inline bool moves_apart(const StepContext& c, uint32_t body) {
    const uint32_t island = c.bodies.island[body];
    return island == kNoIsland || c.island_way[island] == IslandWay::apart;
}
/// The island of a contact; kNoIsland when neither body takes part.
inline uint32_t island_of(const StepContext& c, uint32_t body_a, uint32_t body_b) {
    const uint32_t island = c.bodies.island[body_b];
    return island != kNoIsland ? island : c.bodies.island[body_a];
}
void assemble(StepContext& c);              // contact/assemble.cpp
void integrate_velocities(StepContext& c);  // integrate.cpp
void refresh(StepContext& c);        // contact/assemble.cpp: gaps, push-out and compliance of this sub-step
void solve_impacts(StepContext& c);  // contact/impact.cpp: bounces of this sub-step
void warm_start(StepContext& c);
void run_solver(StepContext& c);  // solvers/run_solver.cpp
/// The solver of an island of the general path, and the tolerance it has, 0 when none.
const Solver& solver_of(const StepContext& c, uint32_t island);
float tolerance_of(const StepContext& c, uint32_t island);
void integrate_positions(StepContext& c, float h);
void add_up_impulses(StepContext& c);
void refresh_without_push(StepContext& c);  // the hard, unbiased law at the present gaps
void relax(StepContext& c);
void measure(StepContext& c);            // contact/measure.cpp: distance from the exact Coulomb law
void correct_positions(StepContext& c);  // contact/project.cpp
void store_impulses(StepContext& c);
void update_sleep(StepContext& c);  // islands/sleep.cpp
void write_back(StepContext& c);    // state/bodies.cpp: scatter, quarantine
/// Whether a pair touches now, for the events at the end of the step; as soon as its impulses are known.
/// Returns whether there is news.
uint8_t note_contact(PairSlot& slot, float hit_speed);  // contact/events.cpp
void end_step(StepContext& c);                          // contact/events.cpp

// ---- the same for the settings that the wide solver serves (solvers/wide/wide_solver.cpp)
bool can_go_wide(const StepSettings& settings);
void assemble_wide(StepContext& c);  // blocks from manifolds
void solve_wide(StepContext& c);     // all sub-steps, impacts and relax
void read_out_wide(StepContext& c);  // measure and store_impulses in one pass

/// Who sleeps begins anew: a snapshot of a sleeping world has no factors.
void forget_direct_islands(StepContext& c);
/// Gives the parts that are solved directly what is kept of their islands.
void find_direct_islands(StepContext& c);  // islands/choose_ways.cpp
/// Remembers how a direct solve went; `sweeps` is what sweeping the island would have cost.
void note_direct(StepContext& c, const wide::Part& part, const direct::DirectReport& report, float sweeps);
/// Work that a direct solve of a part may take; `sweeps` as above.
float direct_budget(const StepContext& c, const wide::Part& part, float sweeps);
/// Who was solved how, into the report and into what bodies remember.
void report_ways(StepContext& c);
/// The factors of direct solves, for snapshots.
void save_factors(const StepContext& c, std::vector<SavedFactor>& factors, std::vector<float>& values);
void restore_factors(StepContext& c);

/// A residual that was measured in an island.
void raise_residual(StepContext& c, uint32_t island, float residual);
/// What measuring found, into the report.
void report_measure(StepContext& c);  // contact/measure.cpp

/// The list of bodies alone, in stable order.
void list_bodies(StepContext& c);  // state/structure.cpp
/// The table of pairs for new lists of bodies and colliders, after a restore from the snapshot.
void rebuild_pairs(StepContext& c);  // state/pairs.cpp
/// An entity for a pair that has its first contact points.
void give_entity(StepContext& c, uint32_t pair);
/// Takes a pair out of the table; the last one takes its place. Its entity becomes an orphan.
void remove_pair(StepContext& c, uint32_t pair);
/// Takes a pair without points off the list of contacts.
void drop_contact(StepContext& c, uint32_t pair);
/// What bodies moved in the last step, taken from what pairs allow: before slots of bodies get other
/// meanings.
void use_up_slack(StepContext& c);
/// False when the bodies are not those of the snapshot.
bool restore_parts(StepContext& c);
/// Ends the entities of pairs that are gone, with their events; what they held up wakes.
void end_orphans(StepContext& c);

/// All of them.
void run_step(StepContext& c);

/// What all of it holds on the heap.
MemoryUse memory_use(const StepContext& c);  // state/memory.cpp

}  // namespace proxima::physics
