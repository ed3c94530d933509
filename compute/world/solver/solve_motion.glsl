// SPDX-License-Identifier: MIT
// Where a manifold is after its bodies have moved. The point c where impulses act is one point of the world for both
// bodies, so that whatever acts there keeps their angular momentum; physics/docs/step.md says where it goes. The
// kernel brings along `moved`.

/// Plane 0: since the gaps were measured. Plane 1: what impacts add in this sub-step.
Motion load_moved(Frame f, uint plane) {
    const uint a = 2 * (plane * push.bodies + f.a), b = 2 * (plane * push.bodies + f.b);
    return Motion(moved[a].xyz, moved[a + 1].xyz, moved[b].xyz, moved[b + 1].xyz);
}
Motion add(Motion x, Motion y, float scale) {
    return Motion(x.linear_a + scale * y.linear_a, x.angular_a + scale * y.angular_a, x.linear_b + scale * y.linear_b,
                  x.angular_b + scale * y.angular_b);
}

struct Arms {
    vec3 a, b;
};
Arms load_start_arms(uint slot) {
    return Arms(frames[kStartArmA * push.pairs + slot].xyz, frames[kStartArmB * push.pairs + slot].xyz);
}

/// The part of the motion of b against a along the tangents that c makes with b. It stays below a ball that rolls;
/// corners touch faces, and take it along.
float follows(Frame f) {
    const uint round = f.surface & (kRollsA | kRollsB);
    if (round == (kRollsA | kRollsB)) return 0.5;
    return round == kRollsB || (round == 0u && (f.surface & kFrameOnB) == 0u) ? 1.0 : 0.0;
}

Arms moved_arms(Frame f, Arms start, Motion m) {
    vec3 turned_a = vec3(0.0), turned_b = vec3(0.0);
    if (!rolls(f)) {
        turned_a = cross(m.angular_a, start.a);
        turned_b = cross(m.angular_b, start.b);
    }
    const float part = follows(f);
    const vec3 between = (m.linear_b + turned_b) - (m.linear_a + turned_a);
    const vec3 with_b = between * part + f.normal * (dot(f.normal, between) * (0.5 - part));
    return Arms(start.a + turned_a + with_b, start.b + turned_b + (with_b - between));
}

/// Gap of a point: what it was, and what the bodies have moved since.
float gap_of(Frame f, uint slot, uint k, Arms start, Motion displaced) {
    const vec3 offset = offset_of(f, slot, k);
    return arms[k * push.pairs + slot].w + dot(f.normal, relative(displaced, start.a + offset, start.b + offset));
}
