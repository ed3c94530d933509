// SPDX-License-Identifier: MIT
// One pass over the contacts: how far the current iterate is from the law, and the next impulses
//     l_n' = max(0, y_n - r_n v_n),      l_t' = P_F(mu l_n')(y_t - r_t v_t)
// from the iterate y that momentum makes of the current one and the one before.
// Every contact reads, none writes what another reads.
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "compute/shaders/common.glsl"
#include "compute/shaders/friction.glsl"
#include "compute/shaders/extra.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kMeasures = true;  // otherwise planes take turns by the number of the pass
layout(constant_id = 2) const bool kIsBox = false;
layout(constant_id = 3) const bool kIsBlocked = false;
layout(constant_id = 4) const bool kHasExtra = false;
layout(constant_id = 5) const bool kMomentum = false;
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kSteps) readonly buffer Steps { vec4 steps[]; };
layout(std430, binding = kBlocks) readonly buffer Blocks { vec4 blocks[]; };
layout(std430, binding = kLambda) buffer Lambda { vec4 lambda[]; };
layout(std430, binding = kImpulse) writeonly buffer Impulse { vec4 impulse[]; };
layout(std430, binding = kVelocity) readonly buffer Velocity { vec4 velocity[]; };
layout(std430, binding = kState) readonly buffer State { SolveState state[]; };
layout(std430, binding = kMeasure) buffer Measure { uint measure[]; };
layout(std430, binding = kExtra) readonly buffer Extra { vec4 extra[]; };
layout(std430, binding = kExtraBlocks) readonly buffer ExtraBlocks { vec4 extra_blocks[]; };
layout(std430, binding = kSpin) buffer Spin { vec4 spin[]; };
layout(std430, binding = kMoment) writeonly buffer Moment { vec4 moment[]; };

#include "compute/shaders/residual.glsl"

/// Rows of a contact with extra friction: angular ones are multiplied by their radius, so all are m/s and N s.
struct ExtraRows {
    vec3 radii;           // of tangents and torsion, over l_n
    float rolls;          // radius of rolling
    vec3 spin, velocity;  // impulses and velocities of torsion and the two rolling rows
};

/// What is wrong with its friction: natural maps over ellipsoid and disk.
float extra_residual(ExtraRows x, uint i, vec3 l, vec2 vt) {
    const float l_n = max(0.0, l.x), w = extra_blocks[3 * i + 1].w, w_roll = extra_blocks[3 * i + 2].w;
    float worst = 0.0;
    if (w > 0.0) {
        const vec3 at = vec3(l.yz, x.spin.x), v = vec3(vt, x.radii.z > 0.0 ? x.velocity.x : 0.0);
        worst = w * length(at - project_ellipsoid(at - v / w, x.radii * l_n));
    }
    if (x.rolls > 0.0 && w_roll > 0.0)
        worst = max(worst, w_roll * length(x.spin.yz - project_disk(x.spin.yz - x.velocity.yz / w_roll, l_n)));
    return worst;
}

ExtraRows extra_rows(uint i, vec3 spins, vec3 turning) {
    const uint n = push.contacts;
    const vec4 normal = frames[i], params = extra[i];
    const float torsion = params.y > 0.0 ? 0.5 * (normal.w + params.x) : 0.0;  // over both axes of the ellipse
    return ExtraRows(vec3(normal.w, params.x, torsion), params.z, spins,
                     vec3(params.y * dot(normal.xyz, turning), params.z * dot(frames[n + i].xyz, turning),
                          params.z * dot(frames[2 * n + i].xyz, turning)));
}

uint extra_bits(ExtraRows x, uint i, vec3 l, float wn, float vn, vec2 vt) {
    const float worst = max(wn > 0.0 ? abs(min(l.x * wn, vn)) : 0.0, extra_residual(x, i, l, vt));
    const float sum = l.x + l.y + l.z + vn + vt.x + vt.y + dot(x.spin + x.velocity + x.radii, vec3(1.0));
    return is_finite(sum) && is_finite(worst) ? floatBitsToUint(worst) : 0x7F800000u;
}

/// One pass over a contact with extra friction; each set is solved in the metric of its own block.
void pass_extra(ExtraRows x, uint i, uint from, uint to, float scale, vec3 l, float wn, float vn, vec2 vt) {
    const uint n = push.contacts;
    const vec4 normal = frames[i], t1 = frames[n + i], t2 = frames[2 * n + i], params = extra[i];
    const vec4 b0 = extra_blocks[3 * i], b1 = extra_blocks[3 * i + 1], b2 = extra_blocks[3 * i + 2];
    float next_n = l.x;
    if (wn - t2.w > 1e-30) {
        const float free = l.x - scale * step_of(b0.w + t2.w) * vn;
        next_n = free > 0.0 ? free : 0.0;
    }
    const float l_n = max(0.0, next_n);
    const vec3 next = solve_ellipsoid(Symmetric(b0.xyz / scale, b1.xyz / scale), vec3(l.yz, x.spin.x),
                                      vec3(vt, x.velocity.x), x.radii * l_n);
    vec2 roll = x.spin.yz;
    if (x.rolls > 0.0) roll = solve_disk(b2.xyz / scale, x.spin.yz, x.velocity.yz, l_n);
    lambda[to * n + i] = vec4(next_n, next.xy, 0.0);
    spin[to * n + i] = vec4(next.z, roll, 0.0);
    const vec3 change = vec3(next_n, next.xy) - lambda[from * n + i].xyz;
    const vec3 turns = vec3(next.z, roll) - spin[from * n + i].xyz;
    impulse[i] = vec4(normal.xyz * change.x + t1.xyz * change.y + t2.xyz * change.z, 0.0);
    moment[i] = vec4(normal.xyz * (params.y * turns.x) + t1.xyz * (params.z * turns.y) + t2.xyz * (params.z * turns.z),
                     0.0);
}

/// Motion of b seen from a at the contact, and how b turns seen from a, with the velocities of a plane.
struct Motion {
    vec3 velocity, turning;
};
Motion motion_of(uint plane, vec4 arm_a, vec4 arm_b) {
    const uint a = 2 * (plane * push.bodies + floatBitsToUint(arm_a.w));
    const uint b = 2 * (plane * push.bodies + floatBitsToUint(arm_b.w));
    const vec3 turn_a = velocity[a + 1].xyz, turn_b = velocity[b + 1].xyz;
    return Motion(velocity[b].xyz + cross(turn_b, arm_b.xyz) - velocity[a].xyz - cross(turn_a, arm_a.xyz),
                  turn_b - turn_a);
}

void main() {
    const uint i = gl_GlobalInvocationID.x, n = push.contacts;
    const uint slot = push.pass & 1u;
    uint from = push.pass % 3u, to = (push.pass + 1u) % 3u, before = (push.pass + 2u) % 3u, sweep = push.sweep;
    float scale = state[kMeasures ? slot : 0u].step;
    if (kMeasures) {
        if (state[slot].stop != kRunning) return;
        from = state[slot].current;
        to = state[slot].next;
        before = state[slot].before;
        sweep = state[slot].momentum;
        scale *= state[slot].scale;
    }
    const bool is_moved = kMomentum && sweep > 0u;
    uint bits = 0u;
    if (i < n) {
        const vec4 normal = frames[i], t1 = frames[n + i], t2 = frames[2 * n + i];
        const vec4 arm_a = frames[3 * n + i], arm_b = frames[4 * n + i], step_ = steps[i];
        const bool is_extra = kHasExtra && extra[i].w > 0.0;
        const vec3 current = lambda[from * n + i].xyz;
        vec3 l = current, spins = is_extra ? spin[from * n + i].xyz : vec3(0.0);
        Motion m;
        if (kMeasures || !is_moved) m = motion_of(from, arm_a, arm_b);
        if (kMeasures) {
            const float vn = dot(normal.xyz, m.velocity) + t1.w + t2.w * l.x;
            const vec2 vt = vec2(dot(t1.xyz, m.velocity), dot(t2.xyz, m.velocity));
            bits = is_extra ? extra_bits(extra_rows(i, spins, m.turning), i, l, step_.z, vn, vt)
                            : residual_bits(l, normal.w, vn, vt, step_.z, step_.w);
        }
        if (is_moved) {
            const float beta = momentum_after(sweep);
            l += beta * (l - lambda[before * n + i].xyz);
            if (is_extra) spins += beta * (spins - spin[before * n + i].xyz);
            m = motion_of(kAheadPlane, arm_a, arm_b);
        }
        const float vn = dot(normal.xyz, m.velocity) + t1.w + t2.w * l.x;
        const vec2 vt = vec2(dot(t1.xyz, m.velocity), dot(t2.xyz, m.velocity));
        if (is_extra) {
            pass_extra(extra_rows(i, spins, m.turning), i, from, to, scale, l, step_.z, vn, vt);
        } else {
            const float free = l.x - scale * step_.x * vn;
            const float next_n = free > 0.0 ? free : 0.0;
            // The radius follows the new normal impulse of this very contact: every iterate stays in its cone.
            const float radius = normal.w * next_n;
            vec2 next_t = l.yz;
            if (step_.y > 0.0) {
                if (kIsBlocked && !kIsBox)
                    next_t = solve_disk(blocks[i].xyz / scale, l.yz, vt, radius);
                else
                    next_t = project(l.yz - (scale * step_.y) * vt, radius);
            }
            lambda[to * n + i] = vec4(next_n, next_t, 0.0);
            const vec3 change = vec3(next_n, next_t) - current;
            impulse[i] = vec4(normal.xyz * change.x + t1.xyz * change.y + t2.xyz * change.z, 0.0);
        }
    }
    if (kMeasures) {
        // Bits of numbers that are not negative are ordered like the numbers; a maximum has no order.
        bits = subgroupMax(bits);
        if (subgroupElect()) atomicMax(measure[slot], bits);
    }
}
