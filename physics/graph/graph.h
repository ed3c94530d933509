// SPDX-License-Identifier: MIT
// The constraint graph: bodies joined by constraints of every kind, their colours, and the islands that follow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/bodies/bodies.h"
#include "physics/constraints/kind_id.h"
#include "physics/graph/colours.h"
#include "physics/joints/joints.h"
#include "physics/pairs/pairs.h"

namespace proxima::physics {

/// What the surfaces of a contact have beside plain friction.
enum EdgeSurfaces : uint8_t { kExtendedFriction = 1, kMovingSurface = 2 };

/// A constraint between two bodies. `id` names it in the store of its kind: a manifold, a joint.
struct Edge {
    uint32_t id = 0, body_a = 0, body_b = 0;
    uint8_t colour = kNoColour;
    KindId kind{};
    bool spanning = false;  // without it two islands might not be one
    uint8_t surfaces = 0;   // EdgeSurfaces, of a contact
};
static_assert(sizeof(Edge) == 16);

/// Bodies and constraints that can be solved without the others.
struct Island {
    uint32_t body_begin = 0, body_end = 0;  // into Graph::island_bodies
    uint32_t edges = 0;                     // constraints
    // of them, those that can hold a body up: contacts, and joints with what cannot move
    uint32_t supports = 0;
    uint32_t bodies() const { return body_end - body_begin; }
};

struct Graph {
    /// Raised when edges, colours or islands are other ones than before.
    uint64_t version = 0;
    /// The step in which constraints or wakefulness last changed. A snapshot has it: what depends on history
    /// (partitions) follows it.
    uint64_t changed_in_step = 0;
    // What it was derived from.
    uint64_t seen_bodies = 0, seen_pairs = 0, seen_joints = 0;

    std::vector<Edge> edges;  // what came first, mostly
    std::vector<Island> islands;
    std::vector<uint32_t> island_bodies;   // slots, by island
    std::vector<uint32_t> island_of_body;  // of dynamic awake bodies, otherwise kNone
    std::vector<uint32_t> root_of_body;    // union-find: the smallest slot of a body's set, sleeping ones included
    std::vector<uint64_t> colours_used;    // by body, then by body for edges with an immovable one: bit k, colour k
    uint32_t overflowing = 0;              // edges that found no free colour
    bool may_split = false;                // a spanning edge is gone: sets may have fallen apart
    uint32_t points = 0, joints = 0;       // contact points and joints that take part
    uint32_t awake = 0, sleeping = 0;      // bodies
    // ---- scratch
    std::vector<uint32_t> uncoloured;  // edges that need a colour
    std::vector<uint32_t> gone_edges;
    std::vector<uint8_t> set_is_awake;

    /// The island of an edge; kNone when neither body takes part.
    uint32_t island_of(uint32_t body_a, uint32_t body_b) const {
        const uint32_t island = island_of_body[body_b];
        return island != kNone ? island : island_of_body[body_a];
    }
    uint32_t island_of(const Edge& edge) const { return island_of(edge.body_a, edge.body_b); }
    std::span<const uint32_t> bodies_of(const Island& island) const {
        return {island_bodies.data() + island.body_begin, island.bodies()};
    }

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(edges, islands, island_bodies, island_of_body, root_of_body, colours_used, uncoloured,
                        gone_edges, set_is_awake);
    }
};

// ---- stages

/// Whether nothing moves, nothing was put elsewhere and nothing came, went or changed: a step would leave everything
/// as it is.
bool everything_sleeps(const Bodies& bodies, const Graph& graph, const Joints& joints);

/// Edges, colours and islands for the constraints there are. What touches an awake body is awake. Gives every
/// constraint its colour.
void update_graph(Pairs& pairs, Joints& joints, const StepParams& params, Bodies& bodies, Graph& graph,
                  const StepTools& tools);

/// The order of the edges, for a snapshot: manifolds by their number in the order of the table, then joints. Lanes of
/// blocks follow it, and so do the sums of direct solves.
void save_graph(const Graph& graph, const Pairs& pairs, std::vector<uint32_t>& edges);
/// The graph of a world whose other lists are loaded already, as the step before the snapshot left it.
void load_graph(const std::vector<uint32_t>& edges, uint64_t changed_in_step, Pairs& pairs, Joints& joints,
                Bodies& bodies, Graph& graph, engine::Jobs& jobs);

/// Islands whose bodies have all been still long enough fall asleep.
void update_sleep(const Graph& graph, const Pairs& pairs, const Joints& joints, const StepParams& params,
                  Bodies& bodies, const StepTools& tools);

}  // namespace proxima::physics
