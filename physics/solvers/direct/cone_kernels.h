// SPDX-License-Identifier: MIT
// The kernels of the direct island solve, over the same blocks of eight manifolds as the sweeps
// (wide/wide_blocks.h). What they compute is explained in direct_solver.h. Plain arrays of floats only,
// because kernels are compiled once per vector width.
#pragma once

#include <cstdint>

#include "physics/solvers/wide/wide_blocks.h"

namespace proxima::physics::direct {

using wide::BodyRecords;
using wide::kBlockLanes;
using wide::kMaxPoints;
using wide::kRecord;
using wide::Row;

/// What a block has beside its impulses, which are the multipliers of the present pass.
struct ConeRows {
    Row bias[kMaxPoints];                                                // b, m/s
    Row drag[kMaxPoints];                                                // mu |v_t| of the pass before
    Row normal[kMaxPoints], tangent1[kMaxPoints], tangent2[kMaxPoints];  // l(u)
};

/// Numbers that all contacts of an island share.
struct ConeLaw {
    float r = 0.0f;           // stiffness of the augmented contact, N s per m/s
    float inverse_h = 0.0f;   // 1/s
    float closed_gap = 0.0f;  // m: a loaded contact with no larger gap is closed
};

/// How overlaps are taken away, apart from the velocities. Contacts that carry something all part or close by
/// the same part of their gap: bodies then go back the way on which they sank in, and no contact opens
/// because another is pushed. The others part when they overlap.
struct PushLaw {
    float r = 0.0f;     // as above
    float slop = 0.0f;  // m of overlap that is left alone where nothing is carried
    float part = 0.0f;  // of a gap that goes in one push
    float most = 0.0f;  // m in one push
};

/// J^T G J of the manifolds of a block, in world axes about the centres of mass: lower triangles of what a
/// and b feel of their own motion, row by row, and the whole block (row a, column b).
struct StiffnessRows {
    Row aa[21], bb[21], ab[36];
};

struct ConeKernels {
    /// The first evaluation, with biases from the gaps and drag from the velocities. Returns the deepest
    /// overlap, m.
    float (*begin[kMaxPoints])(const void* blocks, uint32_t count, ConeRows* cone, const float* velocity,
                               float* wrench, const ConeLaw& law);
    /// l(u), and what it does to the bodies: adds J^T l to the wrenches, and the normal impulses alone to
    /// float 3 of each.
    void (*evaluate[kMaxPoints])(const void* blocks, uint32_t count, ConeRows* cone, const float* velocity,
                                 float* wrench, const ConeLaw& law);
    /// Ends a pass: l(u) becomes the multiplier, drag follows u. Returns the largest natural map of the exact
    /// law, m/s.
    float (*next_pass[kMaxPoints])(void* blocks, uint32_t count, ConeRows* cone, const float* velocity);
    void (*stiffness[kMaxPoints])(const void* block, const ConeRows& cone, const float* velocity,
                                  const ConeLaw& law, StiffnessRows& out);
    /// Adds r times what each overlap should part by, as a wrench, and the squares of those lengths, m^2, by
    /// lane.
    void (*push[kMaxPoints])(const void* blocks, uint32_t count, float* wrench, const PushLaw& law,
                             Row& squares);
};
const ConeKernels& cone_kernels();

/// M and what is left of momentum, of a list of bodies whose records follow each other.
struct MomentumLaw {
    float speed = 0.0f;      // m/s: what may be left of momentum, as a velocity of the body ...
    float load_part = 0.0f;  // ... or as a part of the impulses that act on it, whichever is larger
};
struct MomentumKernels {
    /// M of each body in world axes: inertia (6), mass, radius.
    void (*masses)(uint32_t first, uint32_t count, const BodyRecords& bodies, float* mass);
    /// gradient = M (u - u_free) - wrench. Returns the largest of them over what may be left: at most 1 is
    /// solved.
    float (*gradient)(uint32_t first, uint32_t count, const float* velocity, const float* free_velocity,
                      const float* wrench, const float* mass, const MomentumLaw& law, float* gradient);
};
const MomentumKernels& momentum_kernels();

}  // namespace proxima::physics::direct
