// SPDX-License-Identifier: MIT
#include "physics/debug/debug_frame.h"

#include <algorithm>
#include <array>

#include "physics/contact/residual.h"
#include "physics/debug/debug_joints.h"
#include "physics/debug/debug_rules.h"
#include "physics/joints/joint_types.h"
#include "physics/simulation.h"
#include "physics/solve/general/island_problem.h"
#include "physics/world.h"

namespace proxima::physics {

namespace {

DebugSolver to_debug(IslandSolver solver) {
    switch (solver) {
        case IslandSolver::swept:
            return DebugSolver::swept;
        case IslandSolver::direct:
            return DebugSolver::direct;
        case IslandSolver::general:
            return DebugSolver::general;
    }
    return DebugSolver::none;
}

/// The island that a body was solved in. Numbers of bodies that took no part are left over from earlier.
uint32_t island_in_step(const Simulation& s, uint32_t slot) {
    if (slot == kNone || slot >= s.graph.island_of_body.size() || !s.bodies.was_awake[slot]) return kNoDebugIsland;
    const uint32_t island = s.graph.island_of_body[slot];
    return island < s.graph.islands.size() && island < s.plan.outcome.size() ? island : kNoDebugIsland;
}

/// Contacts of one pair as a problem of two bodies: the residual of contact/residual.h then measures them. Not
/// the arrays of the step: those of the sweep solver have no contacts one by one, and all of them may name
/// pairs that are gone by now.
class PairResiduals {
  public:
    explicit PairResiduals(const Simulation& s) : s_(s) {
        problem_.velocity = velocity_;
        problem_.inverse_mass = inverse_mass_;
    }

    void measure(const Manifold& m, const ExtendedFriction* extra, uint32_t slot_a, uint32_t slot_b,
                 std::span<DebugContact> out) {
        velocity_ = {s_.bodies.velocity[slot_a], s_.bodies.velocity[slot_b]};
        inverse_mass_ = {s_.bodies.inverse_mass[slot_a], s_.bodies.inverse_mass[slot_b]};
        problem_.contacts.assign(m.count, Contact{});
        problem_.groups.assign(1, ContactGroup{0, m.count});
        problem_.extras.clear();
        problem_.extra_of_contact.clear();
        for (uint32_t i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[i];
            Contact& k = problem_.contacts[i];
            k.a = 0;
            k.b = 1;
            k.normal = m.normal;
            k.tangent1 = m.tangent1;
            k.tangent2 = m.tangent2;
            k.arm_a = p.point - s_.bodies.transform[slot_a].center;
            k.arm_b = p.point - s_.bodies.transform[slot_b].center;
            k.friction = m.friction;
            k.lambda = p.lambda;
            // The hard law: an open gap may close, but no further; nothing is pushed out.
            k.bias = p.separation > 0.0f && m.lambda_dt > 0.0f ? p.separation / m.lambda_dt : 0.0f;
            problem_.compute_blocks(k);
            if (extra) add_extra(*extra, i);
        }
        const BodySystem system(problem_, 0, 1, {}, scratch_);
        for (uint32_t i = 0; i < m.count; ++i) {
            out[i].residual = float(contact_residual(system, i).total());
            const Real2<float> slip = system.tangent_velocity(i);
            out[i].slip = std::sqrt(slip.x * slip.x + slip.y * slip.y);
        }
    }

  private:
    void add_extra(const ExtendedFriction& friction, uint32_t i) {
        ExtraFriction extra = to_extra(friction, friction.moment[i]);
        problem_.compute_blocks(extra, problem_.contacts[i]);
        problem_.add_extra(i, extra);
    }

    const Simulation& s_;
    std::array<BodyVelocity, 2> velocity_;
    std::array<BodyInverseMass, 2> inverse_mass_;
    ContactProblem problem_;
    BodySystem::Scratch scratch_;
};

/// Rotation and centre of mass, as the components have them now.
BodyTransform transform_in(const entt::registry& registry, Entity body) {
    const Pose* there = registry.try_get<Pose>(body);  // one that the game took away comes back with the next step
    const Pose pose = there ? *there : Pose{};
    const Mass* mass = registry.try_get<Mass>(body);
    BodyTransform transform;
    transform.rotation = pose.rotation;
    transform.center = mass ? pose.rotation * mass->center + pose.position : pose.position;
    return transform;
}
Vec3 center_of(const entt::registry& registry, Entity body) { return transform_in(registry, body).center; }

bool sleeps(const entt::registry& registry, Entity body) {
    const SleepState* sleep = registry.try_get<SleepState>(body);
    return sleep && sleep->asleep != 0;
}

void collect_contact(const Simulation& s, const ContactView& view, bool residuals, PairResiduals& meter,
                     DebugFrame& frame) {
    const entt::registry& registry = s.registry;
    const Manifold& m = *view.manifold;
    if (!registry.valid(view.body_a) || !registry.valid(view.body_b)) return;
    const uint32_t slot_a = s.bodies.slot_of(view.body_a), slot_b = s.bodies.slot_of(view.body_b);
    DebugContact contact;
    contact.normal = m.normal;
    contact.tangent1 = m.tangent1;
    contact.tangent2 = m.tangent2;
    contact.friction = m.friction;
    contact.colour = m.colour;
    contact.pair = view.pair;
    contact.body_a = view.body_a;
    contact.body_b = view.body_b;
    contact.island = island_in_step(s, slot_b);
    if (contact.island == kNoDebugIsland) contact.island = island_in_step(s, slot_a);
    contact.asleep = sleeps(registry, view.body_a) || sleeps(registry, view.body_b);
    const BodyTransform a = transform_in(registry, view.body_a), b = transform_in(registry, view.body_b);
    const size_t first = frame.contacts.size();
    for (uint32_t i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[i];
        // Between the two surfaces, where the bodies are now.
        contact.point = 0.5f * ((a.center + a.rotation * p.anchor_a) + (b.center + b.rotation * p.anchor_b));
        contact.impulse = p.impulse;
        contact.separation = p.separation;
        const float normal = std::max(0.0f, p.impulse.x);
        contact.friction_reach = {m.friction * normal, (view.extended ? view.extended->across : m.friction) * normal};
        frame.contacts.push_back(contact);
    }
    const bool solved = contact.island != kNoDebugIsland && slot_a != kNone && slot_b != kNone;
    if (residuals && solved) meter.measure(m, view.extended, slot_a, slot_b, std::span(frame.contacts).subspan(first));
}

void collect_contacts(const Simulation& s, bool residuals, DebugFrame& frame) {
    PairResiduals meter(s);
    for (const ContactView& view : list_contacts(s)) collect_contact(s, view, residuals, meter, frame);
}

void collect_bodies(const Simulation& s, DebugFrame& frame) {
    const entt::registry& registry = s.registry;
    for (const Entity entity : s.body_list.entities()) {
        DebugBody body;
        body.entity = entity;
        body.type = registry.get<RigidBody>(entity).type;
        body.asleep = body.type == BodyType::dynamic && sleeps(registry, entity);
        body.quarantined = registry.all_of<Quarantined>(entity);
        body.center = center_of(registry, entity);
        if (const Velocity* velocity = registry.try_get<Velocity>(entity)) body.velocity = *velocity;
        body.island = island_in_step(s, s.bodies.slot_of(entity));
        if (body.island != kNoDebugIsland) body.solver = to_debug(s.plan.islands[body.island].solver);
        frame.bodies.push_back(body);
    }
}

void collect_islands(const Simulation& s, DebugFrame& frame) {
    if (s.bodies.size() == 0) return;  // not stepped yet
    const size_t count = std::min(s.graph.islands.size(), s.plan.outcome.size());
    for (uint32_t i = 0; i < count; ++i) {
        const Island& from = s.graph.islands[i];
        DebugIsland island;
        island.bounds = {Vec3(INFINITY), Vec3(-INFINITY)};
        for (const uint32_t slot : s.graph.bodies_of(from)) {
            if (slot >= s.bodies.size() || island_in_step(s, slot) != i) continue;
            const Entity entity = s.bodies.data[slot].entity;
            if (!s.registry.valid(entity)) continue;
            const Vec3 center = center_of(s.registry, entity);
            island.bounds = {glm::min(island.bounds.lower, center), glm::max(island.bounds.upper, center)};
            ++island.bodies;
        }
        // An island of a world that slept since keeps its number, and has nobody in it.
        island.constraints = island.bodies ? from.edges : 0;
        island.kind = island.bodies ? to_debug(s.plan.islands[i].solver) : DebugSolver::none;
        island.solver = island.kind == DebugSolver::none     ? std::string_view()
                        : island.kind == DebugSolver::direct ? std::string_view("direct")
                                                             : s.plan.islands[i].row->name;
        island.residual = s.plan.outcome[i].residual;
        island.iterations = s.plan.outcome[i].iterations;
        island.escalated = s.plan.outcome[i].escalated;
        frame.islands.push_back(island);
    }
}

void collect_boxes(const Simulation& s, DebugFrame& frame) {
    for (const ColliderData& collider : s.colliders.data) {
        if (collider.proxy == kNoProxy || !s.registry.valid(collider.entity)) continue;
        if (collider.body >= s.bodies.size()) continue;
        frame.boxes.push_back({s.colliders.broadphase.box(collider.proxy), collider.entity,
                               s.bodies.data[collider.body].entity, s.bodies.awake[collider.body] != 0});
    }
}

}  // namespace

const char* to_string(DebugSolver solver) {
    switch (solver) {
        case DebugSolver::none:
            return "none";
        case DebugSolver::swept:
            return "swept";
        case DebugSolver::direct:
            return "direct";
        case DebugSolver::general:
            return "general";
    }
    return "unknown";
}

DebugLayer& DebugFrame::layer(std::string_view name) {
    for (DebugLayer& known : layers)
        if (known.name == name) return known;
    layers.push_back({std::string(name), {}, {}, {}});
    return layers.back();
}

void DebugFrame::clear() {
    flags = 0;
    step = 0;
    dt = 0.0f;
    contacts.clear();
    bodies.clear();
    islands.clear();
    boxes.clear();
    joints.clear();
    for (DebugLayer& known : layers) {
        known.lines.clear();
        known.points.clear();
        known.texts.clear();
    }
}

void collect_debug(const PhysicsWorld& world, uint32_t flags, DebugFrame& frame) {
    const Simulation& s = world.simulation();
    frame.clear();
    frame.flags = flags;
    frame.step = s.step_number;
    frame.dt = s.last_dt;
    const bool residuals = (flags & kDebugResiduals) != 0;
    if ((flags & kDebugContacts) || residuals) collect_contacts(s, residuals, frame);
    if (flags & (kDebugBodies | kDebugIslands)) collect_bodies(s, frame);
    if (flags & kDebugIslands) collect_islands(s, frame);
    if (flags & kDebugBoxes) collect_boxes(s, frame);
    if (flags & kDebugJoints) collect_joints(s, frame);
    if (flags & kDebugRules) collect_rules(s, frame);
}

}  // namespace proxima::physics
