// SPDX-License-Identifier: MIT
#include "samples/editor/model/drag_spring.h"

#include <algorithm>
#include <cmath>
#include <glm/mat3x3.hpp>
#include <unordered_map>

#include "physics/bodies/mass.h"

namespace proxima::editor {

using physics::Entity;
using physics::Force;
using physics::Mass;

Force drag_force(const DragSpring& spring, const physics::Pose& pose, const physics::Velocity& velocity,
                 const Mass& mass, const Vec3& local, const Vec3& target, const Vec3& gravity, float dt) {
    if (!(mass.mass > 0.0f)) return {};
    const glm::dvec3 r(pose.rotation * (local - mass.center)), w(velocity.angular);
    const glm::dvec3 p = glm::dvec3(pose.position + pose.rotation * local);
    const glm::dvec3 v = glm::dvec3(velocity.linear) + glm::cross(w, r);
    const double omega = 2.0 * 3.14159265358979323846 * double(spring.hertz), h = double(dt);
    const double most = double(spring.max_acceleration);
    glm::dvec3 a = (omega * omega * (glm::dvec3(target) - p) - (2.0 * omega + omega * omega * h) * v) /
                   (1.0 + 2.0 * omega * h + omega * omega * h * h);
    if (const double size = glm::length(a); size > most) a *= most / size;
    // A swinging body also pulls at the point by itself: w x (w x r) is part of the point's acceleration.
    a -= glm::dvec3(gravity) + glm::cross(w, glm::cross(w, r));

    // K e_i = e_i / m + (I^-1 (r x e_i)) x r, column by column.
    const Sym3 inertia = rotate(mass.inertia, pose.rotation), inverse_inertia = inverse(inertia);
    const auto times = [](const Sym3& m, const glm::dvec3& x) {
        return glm::dvec3(m.xx * x.x + m.xy * x.y + m.xz * x.z, m.xy * x.x + m.yy * x.y + m.yz * x.z,
                          m.xz * x.x + m.yz * x.y + m.zz * x.z);
    };
    glm::dmat3 k(1.0 / double(mass.mass));
    for (int i = 0; i < 3; ++i) {
        glm::dvec3 e(0.0);
        e[i] = 1.0;
        k[i] += glm::cross(times(inverse_inertia, glm::cross(r, e)), r);
    }
    glm::dvec3 force = glm::inverse(k) * a;
    const double damping = double(spring.spin_damping) / (1.0 + double(spring.spin_damping) * h);
    glm::dvec3 torque = glm::cross(r, force) - damping * times(inertia, w);
    // K is that of the body as it is turned now. Where it turns far within a step it no longer holds, and the
    // spring would feed the spin: thin bodies held beside their axis. So nothing that is held spins faster.
    const glm::dvec3 spin = w + h * times(inverse_inertia, torque);
    if (const double turn = h * glm::length(spin); turn > double(spring.max_turn)) {
        const glm::dvec3 turning = (spin * (double(spring.max_turn) / turn) - w) / h;  // rad/s2
        torque = times(inertia, turning);
        force = double(mass.mass) * (a - glm::cross(turning, r));
    }
    Force out{Vec3(force), Vec3(torque)};
    if (!is_finite(out.linear) || !is_finite(out.angular)) return {};
    return out;
}

std::vector<Mass> masses_of(const physics::PhysicsWorld& world, std::span<const Entity> bodies) {
    const entt::registry& registry = world.registry();
    std::unordered_map<uint32_t, size_t> index_of;
    for (size_t i = 0; i < bodies.size(); ++i) index_of[uint32_t(bodies[i])] = i;
    std::vector<physics::MassAccumulator> sums(bodies.size());
    // In the order of stable ids, as the world adds them up: sums of floats depend on it.
    std::vector<std::pair<uint32_t, Entity>> colliders;
    for (const Entity entity : registry.view<physics::Collider>())
        colliders.emplace_back(registry.get<physics::StableId>(entity).value, entity);
    std::sort(colliders.begin(), colliders.end());
    for (const auto& [id, entity] : colliders) {
        const auto& collider = registry.get<physics::Collider>(entity);
        const auto body = index_of.find(uint32_t(collider.body));
        if (body == index_of.end()) continue;
        sums[body->second].add(world.shapes().get(collider.shape).mass,
                               {collider.local.position, collider.local.rotation}, collider.density);
    }
    std::vector<Mass> masses(bodies.size());
    for (size_t i = 0; i < bodies.size(); ++i) {
        if (registry.get<physics::RigidBody>(bodies[i]).type != physics::BodyType::dynamic) continue;
        const Mass& given = registry.get<Mass>(bodies[i]);
        if (given.source == physics::MassSource::given) {
            masses[i] = given;
            continue;
        }
        masses[i] = sums[i].result();
        if (given.source == physics::MassSource::total) physics::scale_mass(masses[i], given.mass);
    }
    return masses;
}

}  // namespace proxima::editor
