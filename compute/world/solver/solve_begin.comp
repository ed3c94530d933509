// SPDX-License-Identifier: MIT
// The bodies as sub-steps see them, and all counters of the stage from nothing. What came in not finite takes no
// part: its neighbours would be lost with it.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInBodies) buffer BodiesBlock { WorldBody bodies[]; };
layout(std430, binding = kInPoses) readonly buffer PosesBlock { vec4 poses[]; };
layout(std430, binding = kInVelocities) buffer VelocitiesBlock { vec4 velocities[]; };
layout(std430, binding = kInArguments) writeonly buffer ArgumentsBlock { uvec4 arguments[]; };
layout(std430, binding = kMass) writeonly buffer MassBlock { vec4 mass[]; };
layout(std430, binding = kVelocity) writeonly buffer VelocityBlock { vec4 velocity[]; };
layout(std430, binding = kMoved) writeonly buffer MovedBlock { vec4 moved[]; };
layout(std430, binding = kFree) writeonly buffer FreeBlock { vec4 free_velocity[]; };
layout(std430, binding = kRotation) writeonly buffer RotationBlock { vec4 rotations[]; };
layout(std430, binding = kBodyWords) writeonly buffer BodyWordsBlock { uint words[]; };
layout(std430, binding = kImpactArgs) writeonly buffer ImpactArgsBlock { uvec4 impact_args[]; };

/// A kinematic body's velocity is the mean of its step: how it changes, from the step before, unless that is a blow
/// that friction could not follow (physics/solve/integrate.h).
void store_acceleration(uint body, vec3 linear, vec3 angular) {
    const float kMaxGravities = 4.0;
    const vec4 before = bodies[body].before0;
    vec3 a = (linear - before.xyz) / push.dt, turn_ = (angular - bodies[body].before1.xyz) / push.dt;
    const float gravity = length(vec3(push.gravity_x, push.gravity_y, push.gravity_z));
    if (!(length(a) + length(turn_) * before.w <= kMaxGravities * gravity)) a = turn_ = vec3(0.0);
    free_velocity[2 * body] = vec4(a, 0.0);
    free_velocity[2 * body + 1] = vec4(turn_, 0.0);
}

/// What forces give in each sub-step, and what damping leaves.
void store_drive(uint body, vec4 m0, vec3 m1) {
    const vec4 force = bodies[body].force, torque = bodies[body].torque;
    const vec3 gravity = vec3(push.gravity_x, push.gravity_y, push.gravity_z);
    const uint at = 2 * (push.bodies + body);
    const vec3 acceleration = bodies[body].inertia1.w * gravity + m1.z * force.xyz;
    free_velocity[at] = vec4(push.h * acceleration, 1.0 / (1.0 + push.h * force.w));
    free_velocity[at + 1] = vec4(push.h * turn(m0, m1.xy, torque.xyz), 1.0 / (1.0 + push.h * torque.w));
}

void main() {
    if (status.stopped != 0u) return;
    const uint body = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.x == 0u) {
        for (uint i = gl_LocalInvocationID.x; i < kStateWords; i += gl_WorkGroupSize.x) state[i] = 0u;
        for (uint i = gl_LocalInvocationID.x; i < kSolverArgs; i += gl_WorkGroupSize.x)
            arguments[kArgsSolver + i] = uvec4(0u, 1u, 1u, 0u);
        if (gl_LocalInvocationID.x < kMaxColours)
            impact_args[gl_LocalInvocationID.x] = uvec4(0u, 1u, 1u, 0u);
        if (gl_LocalInvocationID.x == 0u) {
            arguments[kArgsManifolds] = uvec4(0u, 1u, 1u, 0u);
            status.bounces = 0u;
        }
    }
    if (body >= push.bodies) return;

    const vec4 centre = poses[2 * body], q = poses[2 * body + 1];
    vec4 linear = velocities[2 * body], angular = velocities[2 * body + 1];
    const vec4 i0 = bodies[body].inverse0, i1 = bodies[body].inverse1;
    uint flags = floatBitsToUint(i1.w);
    const bool sound = is_finite(centre.xyz) && is_finite(q) && is_finite(linear.xyz) &&
                       is_finite(angular.xyz) && is_finite(bodies[body].force) &&
                       is_finite(bodies[body].torque);
    if (!sound && (flags & kQuarantined) == 0u) {
        flags |= kQuarantined;
        bodies[body].inverse1.w = uintBitsToFloat(flags);
        velocities[2 * body] = velocities[2 * body + 1] = vec4(0.0);
        atomicAdd(status.quarantined, 1u);
    }
    // In what follows a body that takes no part is one that cannot move.
    if ((flags & kQuarantined) != 0u) flags = kQuarantined;
    vec4 m0 = vec4(0.0);
    vec3 m1 = vec3(0.0);
    if ((flags & kDynamic) != 0u) {
        vec2 rest;
        turn_tensor(i0, i1.xy, q, m0, rest);
        m1 = vec3(rest, i1.z);
        store_drive(body, m0, m1);
    } else if ((flags & kKinematic) != 0u) {
        store_acceleration(body, linear.xyz, angular.xyz);
    }
    if ((flags & (kDynamic | kKinematic)) == 0u) linear = angular = vec4(0.0);
    mass[2 * body] = m0;
    mass[2 * body + 1] = vec4(m1, uintBitsToFloat(flags));
    for (uint at = 2 * body; at < 4 * push.bodies; at += 2 * push.bodies) {
        velocity[at] = vec4(linear.xyz, 0.0);
        velocity[at + 1] = vec4(angular.xyz, 0.0);
    }
    for (uint at = 2 * body; at < 4 * push.bodies; at += 2 * push.bodies) moved[at] = moved[at + 1] = vec4(0.0);
    rotations[body] = q;
    for (uint k = 0u; k < kBodyWordPlanes; ++k) words[k * push.bodies + body] = 0u;
}
