// SPDX-License-Identifier: MIT
#include "samples/editor/model/contact_inspector.h"

#include <algorithm>
#include <cmath>

#include "physics/contact/problem.h"
#include "physics/contact/residual.h"

namespace proxima::editor {

namespace {

using physics::BodyInverseMass;
using physics::BodyVelocity;
using physics::Entity;
using physics::Manifold;

/// Slower counts as rest: what a contact at its limit creeps by within a step of a solver that has not finished.
constexpr float kSlipSpeed = 1e-3f;

struct Side {
    Vec3 center{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    BodyVelocity velocity;
    BodyInverseMass inverse;
};

Side side_of(const entt::registry& registry, Entity body) {
    Side side;
    const auto& pose = registry.get<physics::Pose>(body);
    const auto& mass = registry.get<physics::Mass>(body);
    const auto& velocity = registry.get<physics::Velocity>(body);
    side.rotation = pose.rotation;
    side.center = pose.position + pose.rotation * mass.center;
    side.velocity.linear = velocity.linear;
    side.velocity.angular = velocity.angular;
    const auto& rigid = registry.get<physics::RigidBody>(body);
    if (rigid.type == physics::BodyType::dynamic && mass.mass > 0.0f) {
        side.inverse.mass = 1.0f / mass.mass;
        side.inverse.inertia = rotate(inverse(mass.inertia), pose.rotation);
    }
    return side;
}

/// The pair as a contact problem of two bodies, with the impulses of the last sub-step: then the residual of
/// solvers can be laid on it.
void measure_points(const Manifold& m, const physics::ExtendedFriction* friction, const Side& a, const Side& b,
                    InspectedContact& out) {
    std::vector<BodyVelocity> velocity{a.velocity, b.velocity};
    const std::vector<BodyInverseMass> inverse{a.inverse, b.inverse};
    physics::ContactProblem problem;
    problem.velocity = velocity;
    problem.inverse_mass = inverse;
    for (uint32_t i = 0; i < m.count; ++i) {
        physics::Contact c;
        c.a = 0;
        c.b = 1;
        c.normal = m.normal;
        c.tangent1 = m.tangent1;
        c.tangent2 = m.tangent2;
        const physics::ManifoldPoint& p = m.points[i];
        const Vec3 point = 0.5f * (a.center + a.rotation * p.anchor_a + b.center + b.rotation * p.anchor_b);
        c.arm_a = point - a.center;
        c.arm_b = point - b.center;
        c.friction = m.friction;
        const float gap = m.points[i].separation;
        c.bias = gap > 0.0f && m.lambda_dt > 0.0f ? gap / m.lambda_dt : 0.0f;
        c.lambda = m.points[i].lambda;
        problem.compute_blocks(c);
        problem.contacts.push_back(c);
    }
    if (friction)
        for (uint32_t i = 0; i < m.count; ++i) {
            const auto over = [](float moment, float radius) { return radius > 0.0f ? moment / radius : 0.0f; };
            physics::ExtraFriction extra;
            extra.across = friction->across;
            extra.torsion_radius = friction->torsion_radius;
            extra.rolling_radius = friction->rolling_radius;
            extra.lambda = {over(friction->moment[i].x, friction->torsion_radius),
                            over(friction->moment[i].y, friction->rolling_radius),
                            over(friction->moment[i].z, friction->rolling_radius)};
            problem.compute_blocks(extra, problem.contacts[i]);
            problem.add_extra(i, extra);
        }
    problem.groups.push_back({0, m.count});
    physics::BodySystem::Scratch scratch;
    const physics::BodySystem system(problem, 0, 1, {}, scratch);
    for (uint32_t i = 0; i < m.count; ++i) {
        const Vec3 v = relative_motion(problem.contacts[i], a.velocity, b.velocity);
        InspectedPoint& point = out.points[i];
        point.slip_speed = glm::length(v - glm::dot(v, m.normal) * m.normal);
        point.residual = float(physics::contact_residual(system, i).total());
        if (point.normal_impulse <= 0.0f)
            point.mode = ContactMode::open;
        else if (point.slip_speed > kSlipSpeed && point.friction_impulse >= 0.99f * point.friction_limit)
            point.mode = ContactMode::slip;
        else
            point.mode = ContactMode::stick;
    }
}

}  // namespace

const char* to_string(ContactMode mode) {
    switch (mode) {
        case ContactMode::open:
            return "open";
        case ContactMode::stick:
            return "stick";
        case ContactMode::slip:
            return "slip";
    }
    return "unknown";
}

void inspect_contacts(const physics::PhysicsWorld& world, Entity body, float dt, std::vector<InspectedContact>& out) {
    out.clear();
    const entt::registry& registry = world.registry();
    if (!registry.valid(body)) return;
    for (const physics::ContactView& pair : world.contacts(body)) {
        if (!registry.valid(pair.body_a) || !registry.valid(pair.body_b)) continue;
        const Manifold& m = *pair.manifold;
        const bool is_a = pair.body_a == body;
        InspectedContact contact;
        contact.pair = pair.pair;
        contact.other = is_a ? pair.body_b : pair.body_a;
        contact.own_collider = is_a ? pair.collider_a : pair.collider_b;
        contact.other_collider = is_a ? pair.collider_b : pair.collider_a;
        contact.normal = is_a ? m.normal : -m.normal;
        contact.friction = m.friction;
        contact.restitution = m.restitution;
        contact.count = m.count;
        const Side a = side_of(registry, pair.body_a), b = side_of(registry, pair.body_b);
        Vec3 on_b(0.0f);
        for (uint32_t i = 0; i < m.count; ++i) {
            const physics::ManifoldPoint& p = m.points[i];
            InspectedPoint& point = contact.points[i];
            point.position = a.center + a.rotation * p.anchor_a;
            point.gap = p.separation;
            point.normal_impulse = p.impulse.x;
            point.friction_impulse = std::hypot(p.impulse.y, p.impulse.z);
            point.friction_limit = m.friction * p.impulse.x;
            on_b += p.impulse.x * m.normal + p.impulse.y * m.tangent1 + p.impulse.z * m.tangent2;
        }
        contact.force = (is_a ? -on_b : on_b) / dt;
        measure_points(m, pair.extended, a, b, contact);
        out.push_back(contact);
    }
    const auto id = [&](Entity e) { return registry.get<physics::StableId>(e).value; };
    std::sort(out.begin(), out.end(), [&](const InspectedContact& x, const InspectedContact& y) {
        const uint32_t ox = id(x.other_collider), oy = id(y.other_collider);
        return ox != oy ? ox < oy : id(x.own_collider) < id(y.own_collider);
    });
}

}  // namespace proxima::editor
