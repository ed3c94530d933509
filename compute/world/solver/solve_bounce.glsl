// SPDX-License-Identifier: MIT
// Newton's impact law for the points of a manifold that touch first in this sub-step, on the velocities of free flight at
// that time, with Coulomb friction on their impulses; physics/docs/step.md, "Impacts". The bodies go on from where and
// when they touched: what that is less than moving with the new velocity from the start is a shift of their positions.
layout(std430, binding = kFree) readonly buffer FreeBlock { vec4 free_velocity[]; };
layout(std430, binding = kImpulses) buffer ImpulsesBlock { vec4 impulses[]; };

const float kNever = 3e38;
const float kTogether = 0.1;  // sub-steps between points of a patch that count as one impact

/// What forces gave the two bodies in this sub-step. Plane 1 is there for those that can move only.
Motion load_drive(Frame f, Masses m) {
    const uint a = 2 * (push.bodies + f.a), b = 2 * (push.bodies + f.b);
    Motion drive = Motion(vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0));
    if (m.a1.z > 0.0) {
        drive.linear_a = free_velocity[a].xyz;
        drive.angular_a = free_velocity[a + 1].xyz;
    }
    if (m.b1.z > 0.0) {
        drive.linear_b = free_velocity[b].xyz;
        drive.angular_b = free_velocity[b + 1].xyz;
    }
    return drive;
}

/// After which time the points of a manifold touch, of those that come fast enough to bounce.
struct Approach {
    vec4 time;
    float first;  // the earliest time within the sub-step; kNever: nothing hits
};

/// Free flight from the gap g with v - a h at the start and v at the end of the sub-step: a point touches with
/// v_i = -sqrt((v - a h)^2 - 2 a g), after 2 g / (a h - v - v_i). What gravity gives in a few sub-steps is no impact: a
/// body at rest has that speed again and again. Without restitution sweeps do the same for slow ones.
Approach approach_of(Frame f, uint slot, Arms start, Arms now, Motion displaced, Motion v, Motion drive) {
    Approach out_ = Approach(vec4(kNever), kNever);
    for (uint k = 0u; k < f.points; ++k) {
        const vec3 offset = offset_of(f, slot, k);
        const float gap = gap_of(f, slot, k, start, displaced);
        const float vn = dot(f.normal, relative(v, now.a + offset, now.b + offset));
        const float driven = dot(f.normal, relative(drive, now.a + offset, now.b + offset));
        const float open = max(gap, 0.0), before = vn - driven;
        const float square = before * before - 2.0 * (driven / push.h) * open, speed = -sqrt(max(square, 0.0));
        const float slowest = f.restitution > 0.0 ? max(push.restitution_speed, float(kBounceDrives) * abs(driven))
                                                  : float(kInelasticDrives) * abs(driven);
        if (!(before < 0.0 && square > 0.0 && speed < -slowest)) continue;
        out_.time[k] = 2.0 * open / (-before - speed);
        if (gap + push.h * vn <= 0.0) out_.first = min(out_.first, out_.time[k]);
    }
    return out_;
}

/// Whether a manifold has points that hit now.
bool hits(uint slot) {
    const uint word = floatBitsToUint(frames[kFrameTangent * push.pairs + slot].w);
    if ((word & kMayImpact) == 0u) return false;
    const Frame f = load_frame(slot);
    const Masses m = load_masses(f);
    const Arms start = load_start_arms(slot);
    const Motion displaced = add(load_moved(f, 0u), load_moved(f, 1u), 1.0);
    return approach_of(f, slot, start, moved_arms(f, start, displaced), displaced, load_velocity(f, 0u),
                       load_drive(f, m))
               .first < kNever;
}

/// The impulses p >= 0 of the points that touch together, after which they part with -e times their speeds:
/// W p = -(1 + e) v where p > 0. Energy, which changes by p v + p W p / 2, is not let grow by what is left of that.
vec4 impact_impulses(Frame f, Masses m, uint slot, Arms at, bvec4 hit, vec4 speed) {
    const uint passes = f.points > 1u ? 40u : 1u;
    mat4 w = mat4(0.0);  // column i: what a unit impulse at point i does
    for (uint i = 0u; i < f.points; ++i) {
        const vec3 offset = offset_of(f, slot, i);
        Motion given = Motion(vec3(0.0), vec3(0.0), vec3(0.0), vec3(0.0));
        apply(given, m, at.a + offset, at.b + offset, f.normal);
        for (uint j = 0u; j < f.points; ++j) {
            const vec3 there = offset_of(f, slot, j);
            w[i][j] = dot(f.normal, relative(given, at.a + there, at.b + there));
        }
    }
    const vec4 target = (1.0 + f.restitution) * speed;
    vec4 p = vec4(0.0);
    for (uint pass = 0u; pass < passes; ++pass)
        for (uint i = 0u; i < f.points; ++i)
            if (hit[i]) p[i] = max(p[i] - step_of(w[i][i]) * (target[i] + dot(w[i], p)), 0.0);
    const float given = dot(p, speed), kept = 0.5 * dot(p, w * p);
    return given + kept > 0.0 ? p * (max(-given, 0.0) / kept) : p;
}

/// What stops the points from sliding, within mu times the impulses there.
void add_impact_friction(Frame f, Masses m, uint slot, Arms at, vec4 p, inout Motion v) {
    const uint passes = f.points > 1u ? 10u : 1u;
    vec4 l_1 = vec4(0.0), l_2 = vec4(0.0);
    for (uint pass = 0u; pass < passes; ++pass)
        for (uint k = 0u; k < f.points; ++k) {
            if (!(p[k] > 0.0)) continue;
            const vec3 offset = offset_of(f, slot, k), arm_a = at.a + offset, arm_b = at.b + offset,
                       r = relative(v, arm_a, arm_b);
            const float step = tangent_step(block_of(f, arm_a, m.a0, m.a1) + block_of(f, arm_b, m.b0, m.b1));
            const vec2 before = vec2(l_1[k], l_2[k]);
            const vec2 after = project_disk(before - step * vec2(dot(f.tangent1, r), dot(f.tangent2, r)),
                                            f.friction * p[k]);
            l_1[k] = after.x;
            l_2[k] = after.y;
            apply(v, m, arm_a, arm_b, f.tangent1 * (after.x - before.x) + f.tangent2 * (after.y - before.y));
        }
}

/// Adds what a body's change of velocity is too much of before it touched.
void add_shift(uint body, float late, vec3 linear, vec3 angular) {
    const uint at = 2 * (push.bodies + body);
    moved[at].xyz -= late * linear;
    moved[at + 1].xyz -= late * angular;
}

/// Lets the points of a manifold that touch first bounce. Returns how many.
uint bounce(uint slot) {
    const uint word = floatBitsToUint(frames[kFrameTangent * push.pairs + slot].w);
    if ((word & kMayImpact) == 0u) return 0u;
    const Frame f = load_frame(slot);
    const Masses m = load_masses(f);
    const Arms start = load_start_arms(slot);
    const Motion displaced = add(load_moved(f, 0u), load_moved(f, 1u), 1.0), before = load_velocity(f, 0u);
    const Arms now = moved_arms(f, start, displaced);
    const Motion drive = load_drive(f, m);
    const Approach approach = approach_of(f, slot, start, now, displaced, before, drive);
    if (!(approach.first < kNever)) return 0u;
    const bvec4 hit = lessThanEqual(approach.time, vec4(approach.first + kTogether * push.h));
    // Where the bodies are when they touch, and how fast.
    const float late = approach.first, left = 1.0 - late / push.h;
    const Motion then = add(before, drive, -left), mean = add(then, drive, -0.5 * (1.0 - left));
    const Arms at = moved_arms(f, start, add(displaced, mean, late));
    vec4 speed = vec4(0.0);
    uint count = 0u;
    for (uint k = 0u; k < f.points; ++k) {
        const vec3 offset = offset_of(f, slot, k);
        speed[k] = dot(f.normal, relative(then, at.a + offset, at.b + offset));
        count += hit[k] ? 1u : 0u;
    }
    const vec4 p = impact_impulses(f, m, slot, at, hit, speed);
    Motion v = then;
    for (uint k = 0u; k < f.points; ++k) {
        const vec3 offset = offset_of(f, slot, k);
        apply(v, m, at.a + offset, at.b + offset, f.normal * p[k]);
        // The warm start is about lasting forces: a blow is counted in the step's total only.
        impulses[k * push.pairs + slot].w += p[k];
    }
    add_impact_friction(f, m, slot, at, p, v);
    store_velocity(f, m, add(v, drive, left));
    if (m.a1.z > 0.0) add_shift(f.a, late, v.linear_a - then.linear_a, v.angular_a - then.angular_a);
    if (m.b1.z > 0.0) add_shift(f.b, late, v.linear_b - then.linear_b, v.angular_b - then.angular_b);
    return count;
}
