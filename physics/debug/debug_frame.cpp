// SPDX-License-Identifier: MIT
#include "physics/debug/debug_frame.h"

#include <algorithm>
#include <array>

#include "physics/contact/residual.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

DebugWay to_debug(IslandWay way) {
    switch (way) {
        case IslandWay::swept:
            return DebugWay::swept;
        case IslandWay::direct:
            return DebugWay::direct;
        case IslandWay::apart:
            return DebugWay::apart;
    }
    return DebugWay::none;
}

/// The slot of a body in the arrays of the last step; kNoSlot when it was not there yet.
uint32_t slot_in_step(const StepContext& c, Entity body) {
    const size_t index = size_t(entt::to_entity(body));
    const uint32_t slot = index < c.slot_of_entity.size() ? c.slot_of_entity[index] : kNoSlot;
    return slot < c.bodies.size() && c.bodies.facts[slot].entity == body ? slot : kNoSlot;
}

/// The island that a body was solved in. Numbers of bodies that took no part are left over from earlier.
uint32_t island_in_step(const StepContext& c, uint32_t slot) {
    if (slot == kNoSlot || slot >= c.bodies.island.size() || !c.bodies.was_awake[slot]) return kNoDebugIsland;
    const uint32_t island = c.bodies.island[slot];
    return island < c.islands.size() && island < c.island_outcome.size() && island < c.island_way.size()
               ? island
               : kNoDebugIsland;
}

/// Contacts of one pair as a problem of two bodies: the ruler of contact/residual.h then measures them. Not
/// the arrays of the step: those of the wide solver have no contacts one by one, and all of them may name
/// pairs that are gone by now.
class PairRuler {
  public:
    explicit PairRuler(const StepContext& c) : c_(c) {
        problem_.velocity = velocity_;
        problem_.inverse_mass = inverse_mass_;
    }

    void measure(const Manifold& m, const PairFriction* extra, uint32_t slot_a, uint32_t slot_b,
                 std::span<DebugContact> out) {
        velocity_ = {c_.bodies.velocity[slot_a], c_.bodies.velocity[slot_b]};
        inverse_mass_ = {c_.bodies.inverse_mass[slot_a], c_.bodies.inverse_mass[slot_b]};
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
            k.arm_a = p.arm_a;
            k.arm_b = m.arm_b(i);
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
    void add_extra(const PairFriction& friction, uint32_t i) {
        const auto over = [](float moment, float radius) { return radius > 0.0f ? moment / radius : 0.0f; };
        const Vec3& moment = friction.moment[i];
        ExtraFriction extra;
        extra.across = friction.across;
        extra.torsion_radius = friction.torsion_radius;
        extra.rolling_radius = friction.rolling_radius;
        extra.lambda = {over(moment.x, friction.torsion_radius), over(moment.y, friction.rolling_radius),
                        over(moment.z, friction.rolling_radius)};
        problem_.compute_blocks(extra, problem_.contacts[i]);
        problem_.add_extra(i, extra);
    }

    const StepContext& c_;
    std::array<BodyVelocity, 2> velocity_;
    std::array<BodyInverseMass, 2> inverse_mass_;
    ContactProblem problem_;
    BodySystem::Scratch scratch_;
};

Vec3 center_of(const entt::registry& registry, Entity body) {
    const Pose& pose = registry.get<Pose>(body);
    const Mass* mass = registry.try_get<Mass>(body);
    return mass ? pose.rotation * mass->center + pose.position : pose.position;
}

bool sleeps(const entt::registry& registry, Entity body) {
    const Rest* rest = registry.try_get<Rest>(body);
    return rest && rest->asleep != 0;
}

void collect_contacts(const StepContext& c, const entt::registry& registry, bool residuals,
                      DebugFrame& frame) {
    PairRuler ruler(c);
    for (const auto [entity, pair, m] : registry.view<const ContactPair, const Manifold>().each()) {
        if (m.count == 0 || !registry.valid(pair.body_a) || !registry.valid(pair.body_b)) continue;
        const PairFriction* extra = m.extra_friction ? registry.try_get<PairFriction>(entity) : nullptr;
        const uint32_t slot_a = slot_in_step(c, pair.body_a), slot_b = slot_in_step(c, pair.body_b);
        DebugContact contact;
        contact.normal = m.normal;
        contact.tangent1 = m.tangent1;
        contact.tangent2 = m.tangent2;
        contact.friction = m.friction;
        contact.colour = m.colour;
        contact.pair = entity;
        contact.body_a = pair.body_a;
        contact.body_b = pair.body_b;
        contact.island = island_in_step(c, slot_b);
        if (contact.island == kNoDebugIsland) contact.island = island_in_step(c, slot_a);
        contact.asleep = sleeps(registry, pair.body_a) || sleeps(registry, pair.body_b);
        const Vec3 center_a = center_of(registry, pair.body_a), center_b = center_of(registry, pair.body_b);
        const size_t first = frame.contacts.size();
        for (uint32_t i = 0; i < m.count; ++i) {
            const ManifoldPoint& p = m.points[i];
            // Where each body would have it; arms are as old as the manifold, so the two differ a little.
            contact.point = 0.5f * ((center_a + p.arm_a) + (center_b + m.arm_b(i)));
            contact.impulse = p.impulse;
            contact.separation = p.separation;
            const float normal = std::max(0.0f, p.impulse.x);
            contact.friction_reach = {m.friction * normal, (extra ? extra->across : m.friction) * normal};
            frame.contacts.push_back(contact);
        }
        const bool solved = contact.island != kNoDebugIsland && slot_a != kNoSlot && slot_b != kNoSlot;
        if (residuals && solved)
            ruler.measure(m, extra, slot_a, slot_b, std::span(frame.contacts).subspan(first));
    }
}

void collect_bodies(const StepContext& c, const PhysicsWorld& world, DebugFrame& frame) {
    const entt::registry& registry = world.registry();
    for (const Entity entity : world.bodies()) {
        DebugBody body;
        body.entity = entity;
        body.type = registry.get<RigidBody>(entity).type;
        body.asleep = body.type == BodyType::dynamic && sleeps(registry, entity);
        body.quarantined = registry.all_of<Quarantined>(entity);
        body.center = center_of(registry, entity);
        body.velocity = registry.get<Velocity>(entity);
        body.island = island_in_step(c, slot_in_step(c, entity));
        if (body.island != kNoDebugIsland) body.way = to_debug(c.island_way[body.island]);
        frame.bodies.push_back(body);
    }
}

void collect_islands(const StepContext& c, const entt::registry& registry, DebugFrame& frame) {
    if (c.bodies.size() == 0) return;  // restored, and not stepped since
    const size_t count = std::min({c.islands.size(), c.island_outcome.size(), c.island_way.size()});
    for (uint32_t i = 0; i < count; ++i) {
        const Island& from = c.islands[i];
        DebugIsland island;
        island.bounds = {Vec3(INFINITY), Vec3(-INFINITY)};
        for (uint32_t k = from.body_begin; k < from.body_end; ++k) {
            const uint32_t slot = c.island_bodies[k];
            if (slot >= c.bodies.size() || island_in_step(c, slot) != i) continue;
            const Entity entity = c.bodies.facts[slot].entity;
            if (!registry.valid(entity)) continue;
            const Vec3 center = center_of(registry, entity);
            island.bounds = {glm::min(island.bounds.lower, center), glm::max(island.bounds.upper, center)};
            ++island.bodies;
        }
        // An island of a world that slept since keeps its number, and has nobody in it.
        island.contact_pairs = island.bodies ? from.group_end - from.group_begin : 0;
        island.way = island.bodies ? to_debug(c.island_way[i]) : DebugWay::none;
        island.solver = island.way == DebugWay::none     ? std::string_view()
                        : island.way == DebugWay::direct ? std::string_view("direct")
                                                         : solver_of(c, i).name;
        island.residual = c.island_outcome[i].residual;
        island.iterations = c.island_outcome[i].iterations;
        island.escalated = c.island_outcome[i].escalated;
        frame.islands.push_back(island);
    }
}

void collect_boxes(const StepContext& c, const entt::registry& registry, DebugFrame& frame) {
    for (const ColliderFacts& collider : c.colliders) {
        if (collider.proxy == kNoProxy || !registry.valid(collider.entity)) continue;
        if (collider.body >= c.bodies.size()) continue;
        frame.boxes.push_back({c.broadphase.box(collider.proxy), collider.entity,
                               c.bodies.facts[collider.body].entity, c.bodies.awake[collider.body] != 0});
    }
}

}  // namespace

const char* to_string(DebugWay way) {
    switch (way) {
        case DebugWay::none:
            return "none";
        case DebugWay::swept:
            return "swept";
        case DebugWay::direct:
            return "direct";
        case DebugWay::apart:
            return "apart";
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
    for (DebugLayer& known : layers) {
        known.lines.clear();
        known.points.clear();
        known.texts.clear();
    }
}

void collect_debug(const PhysicsWorld& world, uint32_t flags, DebugFrame& frame) {
    const StepContext& c = world.context();
    frame.clear();
    frame.flags = flags;
    frame.step = c.step_number;
    frame.dt = c.dt;
    const bool residuals = (flags & kDebugResiduals) != 0;
    if ((flags & kDebugContacts) || residuals) collect_contacts(c, world.registry(), residuals, frame);
    if (flags & (kDebugBodies | kDebugIslands)) collect_bodies(c, world, frame);
    if (flags & kDebugIslands) collect_islands(c, world.registry(), frame);
    if (flags & kDebugBoxes) collect_boxes(c, world.registry(), frame);
}

}  // namespace proxima::physics
