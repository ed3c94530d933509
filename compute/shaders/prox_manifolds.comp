// SPDX-License-Identifier: MIT
// One pass over the manifolds, each on its own copies of its two bodies with their shares of mass: the residual of the
// current iterate, and what the pass makes of the iterate that momentum has moved on (physics/solvers/manifold_pass.h).
// Every manifold reads, none writes what another reads; a body gathers three numbers a manifold instead of two a point.
#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "compute/shaders/common.glsl"
#include "compute/shaders/friction.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool kMeasures = true;
layout(constant_id = 2) const bool kIsBox = false;
layout(constant_id = 3) const bool kMomentum = false;
layout(constant_id = 4) const bool kIsStart = false;  // the impulses themselves are the change: a warm start
const bool kIsBlocked = false;
layout(std430, binding = kFrames) readonly buffer Frames { vec4 frames[]; };
layout(std430, binding = kSteps) readonly buffer Steps { vec4 steps[]; };
layout(std430, binding = kBlocks) readonly buffer Blocks { vec4 blocks[]; };
layout(std430, binding = kLambda) buffer Lambda { vec4 lambda[]; };
layout(std430, binding = kImpulse) writeonly buffer Impulse { vec4 impulse[]; };
layout(std430, binding = kMass) readonly buffer Mass { vec4 mass[]; };
layout(std430, binding = kVelocity) readonly buffer Velocity { vec4 velocity[]; };
layout(std430, binding = kOffsets) readonly buffer Offsets { uint offsets[]; };
layout(std430, binding = kState) readonly buffer State { SolveState state[]; };
layout(std430, binding = kMeasure) buffer Measure { uint measure[]; };
layout(std430, binding = kGroups) readonly buffer Groups { uvec4 groups[]; };

#include "compute/shaders/residual.glsl"
#include "compute/shaders/group_pass.glsl"

void main() {
    const uint g = gl_GlobalInvocationID.x, n = push.contacts, slot = push.pass & 1u;
    uint from = push.pass % 3u, to = (push.pass + 1u) % 3u, before = (push.pass + 2u) % 3u, sweep = push.sweep;
    float scale = 1.0;
    if (kMeasures) {
        if (state[slot].stop != kRunning) return;
        from = state[slot].current;
        to = state[slot].next;
        before = state[slot].before;
        sweep = state[slot].momentum;
        scale = state[slot].scale;
    }
    const bool is_moved = kMomentum && sweep > 0u;
    const float beta = is_moved ? momentum_after(sweep) : 0.0;
    uint bits = 0u;
    if (g < push.groups) {
        const uint begin = groups[g].x, end = groups[g].y;
        const uint a = floatBitsToUint(frames[3 * n + begin].w), b = floatBitsToUint(frames[4 * n + begin].w);
        if (kMeasures) {
            const uint at = 2 * (from * push.bodies + a), bt = 2 * (from * push.bodies + b);
            const vec3 la = velocity[at].xyz, aa = velocity[at + 1].xyz, lb = velocity[bt].xyz, ab = velocity[bt + 1].xyz;
            for (uint i = begin; i < end; ++i) {
                const vec3 v = lb + cross(ab, frames[4 * n + i].xyz) - la - cross(aa, frames[3 * n + i].xyz);
                const vec4 normal = frames[i], t1 = frames[n + i], t2 = frames[2 * n + i], step_ = steps[i];
                const vec3 l = lambda[from * n + i].xyz;
                bits = max(bits, residual_bits(l, normal.w, dot(normal.xyz, v) + t1.w + t2.w * l.x,
                                               vec2(dot(t1.xyz, v), dot(t2.xyz, v)), step_.z, step_.w));
            }
        }
        if (!kIsStart) {
            const float na = float(offsets[a + 1] - offsets[a]), nb = float(offsets[b + 1] - offsets[b]);
            const uint plane = is_moved ? kAheadPlane : from;
            const uint at = 2 * (plane * push.bodies + a), bt = 2 * (plane * push.bodies + b);
            Pair p = Pair(velocity[at].xyz, velocity[at + 1].xyz, velocity[bt].xyz, velocity[bt + 1].xyz,
                          na * mass[2 * a], na * mass[2 * a + 1], nb * mass[2 * b], nb * mass[2 * b + 1]);
            for (uint i = begin; i < end; ++i) {
                const vec3 l = lambda[from * n + i].xyz;
                lambda[to * n + i] = vec4(is_moved ? l + beta * (l - lambda[before * n + i].xyz) : l, 0.0);
            }
            pass_group(p, begin, end, to, scale);
        }
        vec3 sum = vec3(0.0), moment_a = vec3(0.0), moment_b = vec3(0.0);
        for (uint i = begin; i < end; ++i) {
            const vec3 l = lambda[from * n + i].xyz;
            const vec3 change = kIsStart ? l : lambda[to * n + i].xyz - l;
            const vec3 p = frames[i].xyz * change.x + frames[n + i].xyz * change.y + frames[2 * n + i].xyz * change.z;
            sum += p;
            moment_a += cross(frames[3 * n + i].xyz, p);
            moment_b += cross(frames[4 * n + i].xyz, p);
        }
        impulse[g] = vec4(sum, 0.0);
        impulse[push.groups + g] = vec4(moment_a, 0.0);
        impulse[2 * push.groups + g] = vec4(moment_b, 0.0);
    }
    if (kMeasures) {
        bits = subgroupMax(bits);
        if (subgroupElect()) atomicMax(measure[slot], bits);
    }
}
