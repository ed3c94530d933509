// SPDX-License-Identifier: MIT
// A simulation without a world around it, so that single stages can be called with what they take.
#pragma once

#include <doctest/doctest.h>

#include "engine/jobs/jobs.h"
#include "physics/events/publish_events.h"
#include "physics/simulation.h"

namespace proxima::test {

using namespace physics;

struct StageRig {
    entt::registry registry;
    Simulation s{registry, engine::make_serial_jobs()};
    StepParams params = begin_step(s, 1.0f / 60.0f);
    StepTools tools{*s.jobs, s.times, s.report};

    StageRig() {
        s.shapes.add({.type = ShapeType::box, .half_extents = {0.5f, 0.5f, 0.5f}}).value();
        s.settings.sleeping = true;
    }

    /// A cube of 1 m with its centre there, and its collider.
    Entity cube(Vec3 at, BodyType type = BodyType::dynamic, Vec3 velocity = {0.0f, 0.0f, 0.0f}) {
        const Entity body = registry.create();
        registry.emplace<StableId>(body, s.next_stable_id);
        registry.emplace<Pose>(body, Pose{at, {1.0f, 0.0f, 0.0f, 0.0f}});
        registry.emplace<Velocity>(body, Velocity{velocity, {0.0f, 0.0f, 0.0f}});
        registry.emplace<Force>(body);
        registry.emplace<Mass>(body);
        registry.emplace<SleepState>(body);
        registry.emplace<RigidBody>(body, RigidBody{.type = type});
        s.body_list.add(body, s.next_stable_id++);
        const Entity collider = registry.create();
        registry.emplace<StableId>(collider, s.next_stable_id++);
        Collider content;
        content.body = body;
        content.shape = ShapeId(0);
        registry.emplace<Collider>(collider, content);
        s.colliders.links.add(collider, body);
        s.log.request_rebuild();
        return body;
    }

    StructureLists lists() {
        return {s.body_list, s.next_stable_id, s.shapes, s.bodies, s.colliders, s.pairs, s.structure_scratch};
    }
    void sync() { sync_structure(registry, s.log, lists(), tools); }
    bool gather() { return gather_bodies(registry, params, s.bodies, tools); }
    /// Everything up to the manifolds.
    void collide() {
        sync();
        REQUIRE(gather());
        find_pairs(s.bodies, params, s.colliders, s.pairs, tools);
        update_manifolds(s.bodies, s.colliders, s.joints, params, s.pairs, tools);
    }
    /// Everything up to the plan.
    void plan() {
        collide();
        update_graph(s.pairs, s.joints, params, s.bodies, s.graph, tools);
        assign_solvers(registry, s.pairs, s.graph, params, s.bodies, s.plan, tools);
    }
    uint32_t slot(Entity body) const { return s.bodies.slot_of(body); }
};

}  // namespace proxima::test
