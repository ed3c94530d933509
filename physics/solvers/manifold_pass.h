// SPDX-License-Identifier: MIT
// One manifold solved while all others stand still: a Gauss-Seidel pass over its points, in the order of
// group_sweep.h, on copies of its two bodies. Jacobi over manifolds gives each body as many copies as it has
// manifolds, each with its share 1/n of the mass: W <= blockdiag(n W_gg), so that adding up what the copies
// did is as safe as with single points, with a fourth of the shares and the coupling inside of a face kept.
#pragma once

#include <algorithm>
#include <cstdint>

#include "physics/contact/problem.h"
#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/friction_set.h"

namespace proxima::physics {

/// The copies: velocities that follow the impulses of the manifold, and the inverses of the shares of mass.
struct ManifoldBodies {
    Vec3 linear_a, angular_a, linear_b, angular_b;
    float mass_a, mass_b;
    Sym3 inertia_a, inertia_b;

    ManifoldBodies(const BodyVelocity& a, const BodyVelocity& b, const BodyInverseMass& of_a,
                   const BodyInverseMass& of_b, float manifolds_a, float manifolds_b)
        : linear_a(a.linear),
          angular_a(a.angular),
          linear_b(b.linear),
          angular_b(b.angular),
          mass_a(of_a.mass * manifolds_a),
          mass_b(of_b.mass * manifolds_b),
          inertia_a(scaled(of_a.inertia, manifolds_a)),
          inertia_b(scaled(of_b.inertia, manifolds_b)) {}

    template <class Row>
    Vec3 relative_velocity(const Row& c) const {
        return linear_b + glm::cross(angular_b, c.arm_b) - linear_a - glm::cross(angular_a, c.arm_a);
    }
    template <class Row>
    void apply(const Row& c, const Vec3& impulse) {
        linear_a -= impulse * mass_a;
        angular_a -= inertia_a * glm::cross(c.arm_a, impulse);
        linear_b += impulse * mass_b;
        angular_b += inertia_b * glm::cross(c.arm_b, impulse);
    }

  private:
    static Sym3 scaled(const Sym3& m, float by) {
        return {m.xx * by, m.yy * by, m.zz * by, m.xy * by, m.xz * by, m.yz * by};
    }
};

/// Inverses of W_nn + c and lambda_max(W_tt) of one contact with shares of mass; 0 where nothing can move.
struct ManifoldSteps {
    float normal, tangent;
};
inline ManifoldSteps manifold_steps(const Contact& c, const BodyInverseMass& a, const BodyInverseMass& b,
                                    float manifolds_a, float manifolds_b) {
    const auto entry = [&](const Vec3& d, const Vec3& e) {
        const auto of = [&](const BodyInverseMass& body, const Vec3& arm) {
            return body.mass * glm::dot(d, e) + glm::dot(glm::cross(arm, d), body.inertia * glm::cross(arm, e));
        };
        return manifolds_a * of(a, c.arm_a) + manifolds_b * of(b, c.arm_b);
    };
    const float normal = entry(c.normal, c.normal);
    const TangentBlock<float> tangent{entry(c.tangent1, c.tangent1), entry(c.tangent1, c.tangent2),
                                      entry(c.tangent2, c.tangent2)};
    return {normal > 1e-30f ? step_of(normal + c.compliance) : 0.0f, step_of(largest_eigenvalue(tangent))};
}

/// The pass. row(i) has frame, arms and law of point i, steps(i) its ManifoldSteps, lambda(i) is its impulse,
/// in and out.
template <class RowOf, class StepsOf, class LambdaOf>
inline void sweep_manifold(uint32_t begin, uint32_t end, ManifoldBodies& bodies, float scale, const RowOf& row,
                           const StepsOf& steps, const LambdaOf& lambda) {
    // What does not change costs no velocities: half of the contacts of a heap are open.
    const auto normal = [&](uint32_t i) {
        const float r = scale * steps(i).normal;
        if (!(r > 0.0f)) return;
        const auto& c = row(i);
        Vec3& l = lambda(i);
        const float vn = glm::dot(c.normal, bodies.relative_velocity(c)) + c.bias + c.compliance * l.x;
        const float next = std::max(0.0f, l.x - r * vn);
        if (next == l.x) return;
        bodies.apply(c, c.normal * (next - l.x));
        l.x = next;
    };
    const auto friction = [&](uint32_t i) {
        const float r = scale * steps(i).tangent;
        const auto& c = row(i);
        Vec3& l = lambda(i);
        const float radius = c.friction * l.x;
        if (!(r > 0.0f) || (!(radius > 0.0f) && l.y == 0.0f && l.z == 0.0f)) return;
        const Vec3 v = bodies.relative_velocity(c);
        const Real2<float> next =
            project_disk(Real2<float>{l.y - r * glm::dot(c.tangent1, v), l.z - r * glm::dot(c.tangent2, v)}, radius);
        if (next.x == l.y && next.y == l.z) return;
        bodies.apply(c, c.tangent1 * (next.x - l.y) + c.tangent2 * (next.y - l.z));
        l.y = next.x;
        l.z = next.y;
    };
    if (end - begin > 1)
        for (uint32_t i = begin; i < end; ++i) normal(i);
    for (uint32_t i = begin; i < end; ++i) friction(i);
    for (uint32_t i = begin; i < end; ++i) normal(i);
}

/// A bilateral block in place of a point: its law made to hold exactly on the copies. `bias` is added to its
/// velocities.
inline void relax_bilateral(const Contact& c, const Vec3& bias, ManifoldBodies& bodies, float scale, Vec3& lambda) {
    const Vec3 axis[3] = {c.normal, c.tangent1, c.tangent2};
    const auto entry = [&](int d, int e) {
        const auto of = [&](float mass, const Sym3& inertia, const Vec3& arm) {
            return mass * glm::dot(axis[d], axis[e]) +
                   glm::dot(glm::cross(arm, axis[d]), inertia * glm::cross(arm, axis[e]));
        };
        return double(of(bodies.mass_a, bodies.inertia_a, c.arm_a) + of(bodies.mass_b, bodies.inertia_b, c.arm_b) +
                      (d == e ? c.compliance : 0.0f));
    };
    const Symmetric3 block{entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
    const Vec3 v = bodies.relative_velocity(c);
    const auto error = [&](int row) { return glm::dot(axis[row], v) + bias[row] + c.compliance * lambda[row]; };
    const Real3<float> x = solve_bilateral(block, Real3<float>{error(0), error(1), error(2)}, scale);
    bodies.apply(c, c.normal * x.n + c.tangent1 * x.t1 + c.tangent2 * x.t2);
    lambda += Vec3(x.n, x.t1, x.t2);
}

}  // namespace proxima::physics
