// SPDX-License-Identifier: MIT
// One invocation a manifold, before the sweeps of a sub-step: its frame, lever arms and gaps where the bodies are now,
// the blocks of W there, and the impulses that it starts from, in the world. After the last sub-step only gaps and
// frame.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(std430, binding = kVelocity) buffer VelocityBlock { vec4 velocity[]; };
layout(std430, binding = kMoved) buffer MovedBlock { vec4 moved[]; };

#include "compute/world/solver/solve_contact.glsl"
#include "compute/world/solver/solve_pair.glsl"
#include "compute/world/solver/solve_motion.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInPoses) readonly buffer PosesBlock { vec4 poses[]; };
layout(std430, binding = kRotation) readonly buffer RotationBlock { vec4 rotations[]; };
layout(std430, binding = kBodyWords) readonly buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kImpulses) readonly buffer ImpulsesBlock { vec4 impulses[]; };
layout(std430, binding = kChanges) writeonly buffer ChangesBlock { vec4 changes[]; };

/// The frame turns with the body whose face touches, and what its points carry with it.
void turn_frame(uint slot, inout Frame f) {
    const uint body = (f.surface & kFrameOnB) != 0u ? f.b : f.a;
    const vec4 since = compose(rotations[body], conjugate(poses[2 * body + 1]));
    const vec3 start = frames[kStartNormal * push.pairs + slot].xyz;
    vec3 t1, t2;
    make_tangents(start, t1, t2);
    f.normal = rotate(since, start);
    f.tangent1 = rotate(since, t1);
    f.tangent2 = cross(f.normal, f.tangent1);
}

void main() {
    const uint slot = gl_GlobalInvocationID.x, n = push.pairs;
    if (status.stopped != 0u || slot >= state[kStateManifolds]) return;
    Frame f = load_frame(slot);
    const Arms start = load_start_arms(slot);
    const Motion displaced = load_moved(f, 0u);
    const bool places = (push.flags & kDoPlace) != 0u;
    if (places && (push.flags & kDoTurn) != 0u) turn_frame(slot, f);
    vec4 gaps = vec4(0.0);
    for (uint k = 0u; k < f.points; ++k) gaps[k] = gap_of(f, slot, k, start, displaced);
    frames[kFrameGaps * n + slot] = gaps;
    if (!places) {
        // Where sub-steps start from is no longer asked for: the frame as the next step finds its impulses in.
        if ((push.flags & kDoTurn) != 0u) turn_frame(slot, f);
        frames[kEndNormal * n + slot] = vec4(f.normal, 0.0);
        frames[kEndTangent * n + slot] = vec4(f.tangent1, 0.0);
        return;
    }

    const Arms now = moved_arms(f, start, displaced);
    frames[slot] = vec4(f.normal, f.friction);
    frames[kFrameTangent * n + slot].xyz = f.tangent1;
    frames[kFrameArmA * n + slot].xyz = now.a;
    frames[kFrameArmB * n + slot].xyz = now.b;
    const Masses m = load_masses(f);
    const float copies_a = float(words[kWordJacobi * push.bodies + f.a]);
    const float copies_b = float(words[kWordJacobi * push.bodies + f.b]);
    vec3 sum = vec3(0.0), moment = vec3(0.0);
    for (uint k = 0u; k < f.points; ++k) {
        const vec3 offset = offset_of(f, slot, k), l = impulses[k * n + slot].xyz;
        const vec4 wa = block_of(f, now.a + offset, m.a0, m.a1), wb = block_of(f, now.b + offset, m.b0, m.b1);
        const vec4 both = wa + wb, copied = copies_a * wa + copies_b * wb;
        blocks[k * n + slot] = vec4(both.x, tangent_step(both), copied.x, tangent_step(copied));
        const vec3 impulse = f.normal * l.x + f.tangent1 * l.y + f.tangent2 * l.z;
        sum += impulse;
        moment += cross(offset, impulse);
    }
    changes[slot] = vec4(sum, 0.0);
    changes[n + slot] = vec4(moment + cross(now.a, sum), 0.0);
    changes[2 * n + slot] = vec4(moment + cross(now.b, sum), 0.0);
}
