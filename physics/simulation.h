// SPDX-License-Identifier: MIT
// A world from the inside: the owners of its state, and the step that takes them on by dt.
#pragma once

#include <memory>

#include "physics/bodies/bodies.h"
#include "physics/colliders/colliders.h"
#include "physics/constraints/contact/break_contacts.h"
#include "physics/events.h"
#include "physics/graph/graph.h"
#include "physics/joints/joints.h"
#include "physics/pairs/pairs.h"
#include "physics/report.h"
#include "physics/settings.h"
#include "physics/solve/articulation/articulation.h"
#include "physics/solve/solve_islands.h"
#include "physics/state/history.h"
#include "physics/structure/sync_structure.h"

namespace proxima::physics {

/// Each member is written by the stages that take it by reference, and by nobody else.
struct Simulation {
    explicit Simulation(entt::registry& r, std::unique_ptr<engine::Jobs> j);

    entt::registry& registry;
    ShapeLibrary shapes;
    StepSettings settings;
    std::unique_ptr<engine::Jobs> jobs;
    uint64_t step_number = 0;
    float last_dt = 0.0f;  // of the last step; 0: none yet

    StructureLog log;
    BodyList body_list;
    uint32_t next_stable_id = 1;
    StructureScratch structure_scratch;

    Bodies bodies;
    Colliders colliders;
    Pairs pairs;
    Joints joints;
    Articulations articulations;
    Graph graph;
    Plan plan;
    SweepSolver sweep;
    direct::DirectSolver direct;
    GeneralSolver general;

    ContactModifier contact_modifier;  // the game's, and no state
    BreakTrial trial;

    Events events;
    StepReport report;
    engine::StageTimes times;

    ConstraintStores stores() { return {pairs, joints}; }
};

/// Advances by dt seconds, which must be positive and finite.
void step(Simulation& s, float dt);

/// What the game changed since the last step: lists, components, joints.
void sync_changes(Simulation& s, const StepParams& params, const StepTools& tools);
/// Numbers of the next step; clears what the last one reported.
StepParams begin_step(Simulation& s, float dt);

/// The history that a snapshot has beside the components.
void save_history(const Simulation& s, History& out);
/// Takes over a history that was checked. It does not look at the registry: what the game changed since the step before
/// the snapshot is found by the next one, as in the world that was saved.
void load_history(const History& history, Simulation& s);

/// Every contact patch of the world, but for those of what the game destroyed since the last step.
std::vector<ContactView> list_contacts(const Simulation& s);

MemoryUse memory_use(const Simulation& s);

}  // namespace proxima::physics
