// SPDX-License-Identifier: MIT
// The constraint graph: edges, colours, islands. Islands are bodies connected through constraints, solved
// independently of all others; what touches an awake body is awake.
#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "physics/constraints/kinds.h"
#include "physics/graph/graph.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kEdgesPerCount = 1024;

/// What the passes over the graph work on.
struct Builder {
    Pairs& pairs;
    Joints& joints;
    Bodies& bodies;
    Graph& graph;

    bool is_dynamic(uint32_t body) const { return bodies.dynamic[body] != 0; }
    bool both_move(const Edge& e) const { return is_dynamic(e.body_a) && is_dynamic(e.body_b); }
    bool any_moves(const Edge& e) const { return is_dynamic(e.body_a) || is_dynamic(e.body_b); }
};

// ---- edges

uint8_t surfaces_of(const Manifold& m) {
    return uint8_t((m.extended_friction ? kExtendedFriction : 0) | (m.moving_surfaces ? kMovingSurface : 0));
}

Edge edge_of_manifold(const Pairs& pairs, ManifoldId id) {
    const PairSlot& pair = pairs.slots[pairs.manifolds.slot(id).pair];
    const Manifold& m = pairs.manifolds[id];
    return {id, pair.body_a, pair.body_b, m.colour, contact_kind(m.count), false, surfaces_of(m)};
}

/// Colour of an edge, kept with its constraint too: a snapshot brings it back.
void set_colour(const Builder& b, Edge& edge, uint8_t colour) {
    edge.colour = colour;
    if (is_contact(edge.kind))
        b.pairs.manifolds[edge.id].colour = colour;
    else
        b.joints.data[edge.id].state.colour = colour;
}

/// All constraints that touch a body which can move, listed anew.
void list_all_edges(const Builder& b) {
    Graph& graph = b.graph;
    graph.edges.clear();
    graph.edges.reserve(b.pairs.slots.capacity());
    graph.overflowing = 0;
    for (uint32_t k = 0; k < b.pairs.slots.size(); ++k) {
        if (b.pairs.slots[k].is_free()) continue;
        for (const ManifoldId id : ManifoldChain{b.pairs, k}) {
            b.pairs.manifolds.slot(id).edge = uint32_t(graph.edges.size());
            graph.edges.push_back(edge_of_manifold(b.pairs, id));
        }
    }
    for (uint32_t k = 0; k < b.joints.data.size(); ++k) {
        const JointData& joint = b.joints.data[k];
        graph.edges.push_back({k, joint.body_a, joint.body_b, uint8_t(joint.state.colour), joint.kind, false});
    }
}

/// Edges that were listed in the order of the stores, in another one.
void reorder_edges(const Builder& b, const std::vector<uint32_t>& order) {
    const std::vector<Edge> listed(b.graph.edges);
    for (uint32_t k = 0; k < order.size(); ++k) {
        b.graph.edges[k] = listed[order[k]];
        if (is_contact(listed[order[k]].kind)) b.pairs.manifolds.slot(listed[order[k]].id).edge = k;
    }
}

void remove_edge(const Builder& b, uint32_t at) {
    Graph& graph = b.graph;
    graph.may_split |= graph.edges[at].spanning;
    graph.edges[at] = graph.edges.back();
    graph.edges.pop_back();
    if (at < graph.edges.size() && is_contact(graph.edges[at].kind))
        b.pairs.manifolds.slot(graph.edges[at].id).edge = at;
}

// ---- colours

/// A constraint keeps its colour while it lasts; new ones get the lowest that is free, in the order of their keys.
/// Sweeping colour by colour, and constraints with immovable bodies last so that they have the final word, spreads
/// what a sweep learns over the whole island. Along the keys, which often run through a stack from one end to the
/// other, one sweep a sub-step does not converge on tall walls (docs/stepping.md).
///
/// Which colours a body has is kept from step to step, so the work is with what came and went. All is done anew when
/// bodies or joints changed, and while there are constraints that found no free colour: another's end may have freed
/// one.
class Colouring {
  public:
    explicit Colouring(const Builder& builder) : b_(builder), graph_(builder.graph) {}

    void begin_anew() { graph_.colours_used.assign(2 * b_.bodies.size(), 0); }
    /// The colour that an edge has already, if it may keep it; otherwise the edge gets one later.
    void keep(uint32_t at) {
        Edge& edge = graph_.edges[at];
        if (!b_.any_moves(edge)) return;
        const uint32_t colour = edge.colour % kColoursPerKind;
        // What a body was when the constraint got its colour may have changed.
        const bool keeps = edge.colour < kColourCount && is_immovable(edge.colour) == !b_.both_move(edge) &&
                           !is_overflow(edge.colour) && !(used_by(edge) >> colour & 1);
        if (keeps)
            take(edge, colour);
        else
            graph_.uncoloured.push_back(at);
    }
    /// The colour of a snapshot, as it is; false when an edge cannot have it.
    bool load(uint32_t at) {
        Edge& edge = graph_.edges[at];
        if (!b_.any_moves(edge)) return true;
        const uint32_t colour = edge.colour % kColoursPerKind;
        const bool fits = edge.colour < kColourCount && is_immovable(edge.colour) == !b_.both_move(edge) &&
                          (is_overflow(edge.colour) || !(used_by(edge) >> colour & 1));
        if (!fits) return false;
        take(edge, colour);
        graph_.overflowing += is_overflow(edge.colour);
        return true;
    }
    void give_back(uint32_t a, uint32_t b, uint8_t colour) {
        if (colour >= kColourCount) return;
        const uint64_t others = ~(uint64_t(1) << colour % kColoursPerKind);
        if (is_immovable(colour)) {
            of_one(a, b) &= others;
        } else {
            of_two(a) &= others;
            of_two(b) &= others;
        }
    }
    /// Colours for those that have none.
    void finish(const ConstraintStores& stores) {
        const auto key = [&](uint32_t at) { return kind_row(graph_.edges[at].kind).key(stores, graph_.edges[at].id); };
        std::sort(graph_.uncoloured.begin(), graph_.uncoloured.end(),
                  [&](uint32_t x, uint32_t y) { return key(x) < key(y); });
        graph_.overflowing = 0;
        for (const uint32_t at : graph_.uncoloured) {
            Edge& edge = graph_.edges[at];
            take(edge, std::min(uint32_t(std::countr_one(used_by(edge))), kColoursPerKind - 1));
            graph_.overflowing += is_overflow(edge.colour);
        }
    }

  private:
    /// By body: first of edges between two that move, then of edges with an immovable one.
    uint64_t& of_two(uint32_t body) { return graph_.colours_used[body]; }
    uint64_t& of_one(uint32_t a, uint32_t b) {
        return graph_.colours_used[b_.bodies.size() + (b_.is_dynamic(a) ? a : b)];
    }
    uint64_t used_by(const Edge& e) {
        return b_.both_move(e) ? of_two(e.body_a) | of_two(e.body_b) : of_one(e.body_a, e.body_b);
    }
    void take(Edge& e, uint32_t colour) {
        const uint64_t bit = uint64_t(1) << colour;
        const bool both = b_.both_move(e);
        if (both) {
            of_two(e.body_a) |= bit;
            of_two(e.body_b) |= bit;
        } else {
            of_one(e.body_a, e.body_b) |= bit;
        }
        set_colour(b_, e, uint8_t(both ? colour : kFirstImmovableColour + colour));
    }

    const Builder& b_;
    Graph& graph_;
};

/// Edges and colours of all constraints, or of those that came and went. Returns whether all of them are new.
bool update_edges(const Builder& b, bool anew) {
    Graph& graph = b.graph;
    Colouring colouring(b);
    graph.uncoloured.clear();
    graph.uncoloured.reserve(b.pairs.slots.capacity());
    graph.gone_edges.reserve(b.pairs.slots.capacity() / 4);
    anew |= graph.overflowing > 0;
    if (anew) {
        list_all_edges(b);
        colouring.begin_anew();
        for (uint32_t k = 0; k < graph.edges.size(); ++k) colouring.keep(k);
    } else {
        // From the last one down, the edge that fills a hole is never one that is gone.
        graph.gone_edges.clear();
        for (const GoneContact& gone : b.pairs.gone) {
            colouring.give_back(gone.body_a, gone.body_b, gone.colour);
            graph.gone_edges.push_back(gone.edge);
        }
        std::sort(graph.gone_edges.begin(), graph.gone_edges.end(), std::greater<>());
        for (const uint32_t at : graph.gone_edges) remove_edge(b, at);
        for (const ManifoldId id : b.pairs.changed) {
            uint32_t& at = b.pairs.manifolds.slot(id).edge;
            if (at != kNone) {
                graph.edges[at].kind = contact_kind(b.pairs.manifolds[id].count);
                graph.edges[at].surfaces = surfaces_of(b.pairs.manifolds[id]);
                continue;
            }
            at = uint32_t(graph.edges.size());
            graph.edges.push_back(edge_of_manifold(b.pairs, id));
            graph.edges[at].colour = kNoColour;
            if (b.any_moves(graph.edges[at])) graph.uncoloured.push_back(at);
        }
    }
    b.pairs.gone.clear();
    colouring.finish({b.pairs, b.joints});
    return anew;
}

// ---- islands

/// Joins the sets of two bodies; false when they are one already. A parent is always the smaller slot, so the
/// root of a set is its smallest slot, whatever came first. Both paths are walked at once, each hung below
/// the other's next parent on the way (Rem's algorithm): two bodies of one set are mostly seen to be so at
/// the first look.
bool join(std::vector<uint32_t>& parent, uint32_t a, uint32_t b) {
    while (parent[a] != parent[b]) {
        if (parent[a] < parent[b]) std::swap(a, b);
        const uint32_t up = std::exchange(parent[a], parent[b]);
        if (up == a) return true;
        a = up;
    }
    return false;
}

/// Sets of dynamic bodies joined by constraints, sleeping ones included. Afterwards each body names its root. An edge
/// that joined two sets is marked: the marked ones hold the sets together, and as long as all of them last no set
/// falls apart, however many others end. Returns false when the sets are those of the step before.
bool join_bodies(const Builder& b, bool anew) {
    Graph& graph = b.graph;
    const uint32_t n = uint32_t(b.bodies.size());
    bool changed = false;
    const auto join_two = [&](Edge& edge) {
        if (!b.both_move(edge) || !join(graph.root_of_body, edge.body_a, edge.body_b)) return;
        edge.spanning = changed = true;
    };
    if (anew || graph.may_split) {
        graph.root_of_body.resize(n);
        std::iota(graph.root_of_body.begin(), graph.root_of_body.end(), 0u);
        for (Edge& edge : graph.edges) {
            edge.spanning = false;
            join_two(edge);
        }
        changed = true;
    } else {
        for (const ManifoldId id : b.pairs.changed) join_two(graph.edges[b.pairs.manifolds.slot(id).edge]);
    }
    graph.may_split = false;
    // Parents are smaller, so in this order a parent is already at its root.
    for (uint32_t i = 0; changed && i < n; ++i) graph.root_of_body[i] = graph.root_of_body[graph.root_of_body[i]];
    return changed;
}

/// An island with one awake body, or pushed by a moving kinematic one, or whose ground was moved, is awake as a
/// whole.
void spread_wakefulness(const Builder& b) {
    Bodies& bodies = b.bodies;
    Graph& graph = b.graph;
    graph.set_is_awake.reserve(bodies.size());  // before the first one falls asleep
    bool any_asleep = false;
    for (uint32_t i = 0; i < bodies.size(); ++i) any_asleep |= bodies.dynamic[i] > bodies.awake[i];
    if (!any_asleep) return;
    graph.set_is_awake.assign(bodies.size(), 0);
    const auto wake_root = [&](uint32_t body) { graph.set_is_awake[graph.root_of_body[body]] = 1; };
    for (uint32_t i = 0; i < bodies.size(); ++i)
        if (b.is_dynamic(i) && bodies.awake[i]) wake_root(i);
    for (const Edge& edge : graph.edges) {
        const auto disturbs = [&](uint32_t body) {
            return !b.is_dynamic(body) && (bodies.awake[body] || bodies.teleported[body]);
        };
        if (b.is_dynamic(edge.body_a) && disturbs(edge.body_b)) wake_root(edge.body_a);
        if (b.is_dynamic(edge.body_b) && disturbs(edge.body_a)) wake_root(edge.body_b);
    }
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        if (!b.is_dynamic(i) || bodies.awake[i] || !graph.set_is_awake[graph.root_of_body[i]]) continue;
        bodies.awake[i] = 1;
        bodies.sleep_timer[i] = 0.0f;
    }
}

/// Islands of awake bodies in the order of their smallest slot, with their bodies in slot order.
void number_islands(const Builder& b) {
    const Bodies& bodies = b.bodies;
    Graph& graph = b.graph;
    graph.islands.reserve(bodies.size());
    graph.island_bodies.reserve(bodies.size());
    graph.islands.clear();
    graph.island_of_body.assign(bodies.size(), kNone);
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        if (!b.is_dynamic(i) || !bodies.awake[i]) continue;
        const uint32_t root = graph.root_of_body[i];
        if (root == i) {
            graph.island_of_body[i] = uint32_t(graph.islands.size());
            graph.islands.emplace_back();
        } else {
            graph.island_of_body[i] = graph.island_of_body[root];  // the root came first
        }
        ++graph.islands[graph.island_of_body[i]].body_end;
    }
    uint32_t first = 0;
    for (Island& island : graph.islands) {
        const uint32_t count = island.body_end;
        island.body_begin = island.body_end = first;
        first += count;
    }
    graph.island_bodies.resize(first);
    for (uint32_t i = 0; i < bodies.size(); ++i)
        if (graph.island_of_body[i] != kNone)
            graph.island_bodies[graph.islands[graph.island_of_body[i]].body_end++] = i;
}

/// How many constraints an island has and which can hold it up, and the points and joints of those that take part.
void count_edges(const Builder& b, engine::Jobs& jobs) {
    Graph& graph = b.graph;
    for (Island& island : graph.islands) island.edges = island.supports = 0;
    std::atomic<uint32_t> points{0}, joints{0};
    jobs.parallel_for(uint32_t(graph.edges.size()), kEdgesPerCount, [&](const engine::JobBlock& block) {
        // Neighbours in the list are often of one island: it is told when another follows.
        uint32_t island = kNone, edges = 0, supports = 0, all_points = 0, all_joints = 0;
        const auto tell = [&] {
            if (edges == 0) return;
            std::atomic_ref<uint32_t>(graph.islands[island].edges).fetch_add(edges, std::memory_order_relaxed);
            std::atomic_ref<uint32_t>(graph.islands[island].supports).fetch_add(supports, std::memory_order_relaxed);
            edges = supports = 0;
        };
        for (uint32_t k = block.begin; k < block.end; ++k) {
            const Edge& edge = graph.edges[k];
            const uint32_t here = graph.island_of(edge);
            if (here == kNone) continue;
            if (here != island) tell();
            island = here;
            ++edges;
            supports += is_contact(edge.kind) || !b.both_move(edge);
            all_points += points_of(edge.kind);
            all_joints += !is_contact(edge.kind);
        }
        tell();
        points.fetch_add(all_points, std::memory_order_relaxed);
        joints.fetch_add(all_joints, std::memory_order_relaxed);
    });
    graph.points = points.load();
    graph.joints = joints.load();
}

void count_bodies(const Builder& b) {
    b.graph.awake = b.graph.sleeping = 0;
    for (uint32_t i = 0; i < b.bodies.size(); ++i) {
        b.bodies.was_awake[i] = b.bodies.awake[i];
        b.graph.awake += b.bodies.awake[i];
        b.graph.sleeping += b.is_dynamic(i) && !b.bodies.awake[i];
    }
}

/// A joint that is new or was changed wakes its bodies.
void wake_by_joints(const Builder& b) {
    for (JointData& joint : b.joints.data) {
        if (!joint.wakes) continue;
        joint.wakes = 0;
        b.bodies.wake(joint.body_a);
        b.bodies.wake(joint.body_b);
    }
    for (const Entity body : b.joints.released)
        if (const uint32_t slot = b.bodies.slot_of(body); slot != kNone) b.bodies.wake(slot);
    b.joints.released.clear();
}

void mark_seen(const Builder& b) {
    b.graph.seen_bodies = b.bodies.version;
    b.graph.seen_joints = b.joints.version;
    b.graph.seen_pairs = b.pairs.version;
}

}  // namespace

void save_graph(const Graph& graph, const Pairs& pairs, std::vector<uint32_t>& edges) {
    edges.resize(graph.edges.size());
    uint32_t number = 0;
    for (uint32_t k = 0; k < pairs.slots.size(); ++k)
        for (const ManifoldId id : ManifoldChain{pairs, k}) edges[pairs.manifolds.slot(id).edge] = number++;
    for (uint32_t k = 0; k < edges.size(); ++k)
        if (!is_contact(graph.edges[k].kind)) edges[k] = number + graph.edges[k].id;
}

void load_graph(const std::vector<uint32_t>& edges, uint64_t changed_in_step, Pairs& pairs, Joints& joints,
                Bodies& bodies, Graph& graph, engine::Jobs& jobs) {
    const Builder b{pairs, joints, bodies, graph};
    graph.changed_in_step = changed_in_step;
    ++graph.version;
    mark_seen(b);
    list_all_edges(b);
    bool good = edges.size() == graph.edges.size();
    if (good) reorder_edges(b, edges);
    Colouring colouring(b);
    colouring.begin_anew();
    for (uint32_t k = 0; k < graph.edges.size(); ++k) good = colouring.load(k) && good;
    if (!good) graph.seen_bodies = ~bodies.version;  // a damaged snapshot: the next step makes all of it anew
    join_bodies(b, true);
    spread_wakefulness(b);
    number_islands(b);
    count_edges(b, jobs);
    count_bodies(b);
}

void update_graph(Pairs& pairs, Joints& joints, const StepParams& params, Bodies& bodies, Graph& graph,
                  const StepTools& tools) {
    const StageScope scope(tools, Stage::update_graph);
    const Builder b{pairs, joints, bodies, graph};
    wake_by_joints(b);
    const bool anew = graph.seen_bodies != bodies.version || graph.seen_joints != joints.version;
    const bool changed =
        anew || graph.seen_pairs != pairs.version || bodies.awake != bodies.was_awake ||
        std::find(bodies.teleported.begin(), bodies.teleported.end(), uint8_t(1)) != bodies.teleported.end();
    mark_seen(b);
    if (changed) {
        graph.changed_in_step = params.step;
        ++graph.version;
        const bool all_new = update_edges(b, anew);
        const bool sets_changed = join_bodies(b, all_new);
        spread_wakefulness(b);
        if (sets_changed || bodies.awake != bodies.was_awake) number_islands(b);
        count_edges(b, tools.jobs);
        count_bodies(b);
    }
    tools.report.islands = uint32_t(graph.islands.size());
    tools.report.contacts = graph.points;
    tools.report.joints = graph.joints;
    tools.report.bodies = graph.awake;
    tools.report.sleeping = graph.sleeping;
}

}  // namespace proxima::physics
