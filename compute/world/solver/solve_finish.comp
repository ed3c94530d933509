// SPDX-License-Identifier: MIT
// New poses and velocities, one invocation a body. What is not finite stays where it was last good and takes no
// part from now on.
#version 460
#include "compute/world/solver/solve_common.glsl"

layout(local_size_x_id = 0) in;
layout(std430, binding = kInBodies) buffer BodiesBlock { WorldBody bodies[]; };
layout(std430, binding = kInPoses) buffer PosesBlock { vec4 poses[]; };
layout(std430, binding = kInVelocities) writeonly buffer VelocitiesBlock { vec4 velocities[]; };
layout(std430, binding = kMass) readonly buffer MassBlock { vec4 mass[]; };
layout(std430, binding = kVelocity) readonly buffer VelocityBlock { vec4 velocity[]; };
layout(std430, binding = kMoved) readonly buffer MovedBlock { vec4 moved[]; };
layout(std430, binding = kRotation) readonly buffer RotationBlock { vec4 rotations[]; };

void main() {
    const uint body = gl_GlobalInvocationID.x;
    if (status.stopped != 0u || body >= push.bodies) return;
    const uint flags = floatBitsToUint(mass[2 * body + 1].w);
    if ((flags & (kDynamic | kKinematic)) == 0u) return;
    const vec3 linear = velocity[2 * body].xyz, angular = velocity[2 * body + 1].xyz;
    // Nothing changes the velocity of a kinematic body: its way is that of the whole step.
    const vec3 way = (flags & kKinematic) != 0u ? push.dt * linear : moved[2 * body].xyz;
    const vec3 centre = poses[2 * body].xyz + way;
    const vec4 q = rotations[body];
    // A spin so fast that its quaternion overflows normalises to zero, which is finite but no rotation.
    const bool sound = is_finite(centre) && is_finite(linear) && is_finite(angular) && is_finite(q) &&
                       abs(dot(q, q) - 1.0) < 1e-3;
    if (!sound) {
        bodies[body].inverse1.w = uintBitsToFloat(flags | kQuarantined);
        velocities[2 * body] = velocities[2 * body + 1] = vec4(0.0);
        atomicAdd(status.quarantined, 1u);
        return;
    }
    // Forces are for one step; what stands beside them is damping.
    bodies[body].force.xyz = bodies[body].torque.xyz = vec3(0.0);
    if ((flags & kKinematic) != 0u) {
        bodies[body].before0.xyz = linear;
        bodies[body].before1.xyz = angular;
    }
    poses[2 * body] = vec4(centre, 0.0);
    poses[2 * body + 1] = q;
    velocities[2 * body] = vec4(linear, 0.0);
    velocities[2 * body + 1] = vec4(angular, 0.0);
}
