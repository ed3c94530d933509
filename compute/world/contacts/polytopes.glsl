// SPDX-License-Identifier: MIT
// Two polytopes as the kernels of the separating axis test see them.

/// b as a sees it, and of each a ball inside: no axis separates two polytopes farther than the ball of one is
/// above the surface of the other.
struct Polytopes {
    mat3 turn;  // from b's frame to a's
    vec3 position;
    vec3 ball_a, ball_b;  // ball_a as b sees it, ball_b as a sees it
    float size, rounding, slop;
};

/// The middle of a ball inside a shape near the point x: a box holds its inner ball also anywhere along its
/// longer sides, which matters for plates and floors.
vec3 inner_ball_near(Placed s, vec3 x) {
    if (s.kind != kBox) return s.center;
    const vec3 room = s.size - s.inner_radius;
    return clamp(x, -room, room);
}

Polytopes polytopes(Placed a, Placed b) {
    Polytopes p;
    const vec4 to_a = conjugate(a.rotation);
    p.turn = matrix_of(compose(to_a, b.rotation));
    p.position = rotate(to_a, b.position - a.position);
    p.ball_a = (inner_ball_near(a, p.turn * b.center + p.position) - p.position) * p.turn;
    p.ball_b = p.turn * inner_ball_near(b, p.ball_a) + p.position;
    p.size = a.bounding_radius + b.bounding_radius;
    p.rounding = 1e-6 * p.size;
    p.slop = min(a.slop, b.slop);
    return p;
}
