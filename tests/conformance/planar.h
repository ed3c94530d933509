// SPDX-License-Identifier: MIT
// Small scenes in a plane as contact problems: rods and blocks with mass and inertia, contact points between
// them, and the W and q that follow, in full double precision.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/conformance/canonical.h"

namespace proxima::physics::test {

struct Planar {
    static constexpr uint32_t kGround = ~0u;
    struct Vec {
        double x = 0.0, y = 0.0;
    };
    struct Body {
        Vec centre;
        double inverse_mass = 0.0, inverse_inertia = 0.0;
        std::array<double, 4> velocity{};  // x, y, out of the plane, turn
    };
    struct Touch {
        uint32_t a, b;
        Vec point, normal;  // from a to b
        double mu;
    };
    std::vector<Body> bodies;
    std::vector<Touch> touches;

    /// A slender body: inertia m length^2 / 12.
    uint32_t rod(Vec centre, double mass, double length) {
        bodies.push_back({centre, 1.0 / mass, 12.0 / (mass * length * length), {}});
        return uint32_t(bodies.size() - 1);
    }
    void touch(uint32_t a, uint32_t b, Vec point, Vec normal, double mu) {
        touches.push_back({a, b, point, normal, mu});
    }
    /// The same change of velocity for every body, as a step of gravity gives it.
    void pull(Vec change) {
        for (Body& body : bodies) {
            body.velocity[0] += change.x;
            body.velocity[1] += change.y;
        }
    }
    /// An impulse at a point of one body.
    void push(uint32_t at, Vec point, Vec impulse) {
        Body& body = bodies[at];
        body.velocity[0] += body.inverse_mass * impulse.x;
        body.velocity[1] += body.inverse_mass * impulse.y;
        body.velocity[3] +=
            body.inverse_inertia * ((point.x - body.centre.x) * impulse.y - (point.y - body.centre.y) * impulse.x);
    }

    /// Rows normal, tangent in the plane (normal turned right), tangent out of the plane.
    Dense dense() const {
        Dense d(touches.size());
        for (size_t r = 0; r < d.rows(); ++r) {
            d.mu[r / 3] = touches[r / 3].mu;
            for (const bool b : {false, true}) {
                const uint32_t body = b ? touches[r / 3].b : touches[r / 3].a;
                if (body == kGround) continue;
                const auto j = row(r, b);
                for (size_t k = 0; k < 4; ++k) d.q[r] += j[k] * bodies[body].velocity[k];
                const double m = bodies[body].inverse_mass, i = bodies[body].inverse_inertia;
                for (size_t c = 0; c < d.rows(); ++c)
                    for (const bool other : {false, true}) {
                        if ((other ? touches[c / 3].b : touches[c / 3].a) != body) continue;
                        const auto jc = row(c, other);
                        d.at(r, c) += m * (j[0] * jc[0] + j[1] * jc[1] + j[2] * jc[2]) + i * j[3] * jc[3];
                    }
            }
        }
        return d;
    }

  private:
    std::array<double, 4> row(size_t r, bool b) const {
        const Touch& t = touches[r / 3];
        const Vec centre = bodies[b ? t.b : t.a].centre;
        const double sign = b ? 1.0 : -1.0;
        if (r % 3 == 2) return {0.0, 0.0, sign, 0.0};
        const Vec f = r % 3 == 0 ? t.normal : Vec{t.normal.y, -t.normal.x};
        const double turn = (t.point.x - centre.x) * f.y - (t.point.y - centre.y) * f.x;
        return {sign * f.x, sign * f.y, 0.0, sign * turn};
    }
};

}  // namespace proxima::physics::test
