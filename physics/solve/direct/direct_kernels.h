// SPDX-License-Identifier: MIT
// What a kind of constraints gives the direct island solve: kernels over the same blocks of eight as the sweeps
// (constraints/block.h). What they compute is explained in direct_island.h. Plain arrays of floats only, because
// kernels are compiled once per vector width.
#pragma once

#include <cstdint>

#include "physics/constraints/block.h"

namespace proxima::physics::direct {

using sweep::BodyRecords;
using sweep::kBlockLanes;
using sweep::kRecord;
using sweep::Row;

/// Points of a constraint, at most.
inline constexpr uint32_t kMaxPoints = 4;

/// What a block has beside its impulses, which are the multipliers of the present pass.
struct DirectRows {
    Row bias[kMaxPoints];                                                // b, m/s
    Row drag[kMaxPoints];                                                // mu |v_t| of the pass before
    Row normal[kMaxPoints], tangent1[kMaxPoints], tangent2[kMaxPoints];  // l(u)
    // base[0]: what the motion of c along the tangents is more than its velocity (add_chords), m/s.
    Row base[3][2];
};

/// Numbers that all constraints of an island share.
struct DirectLaw {
    float r = 0.0f;           // stiffness of the augmented contact, N s per m/s
    float h = 0.0f;           // s
    float inverse_h = 0.0f;   // 1/s
    float closed_gap = 0.0f;  // m: a loaded contact with no larger gap is closed ...
    float rounding = 0.0f;    // m: ... and so is any other with one that cannot be told from none
};

/// How overlaps are taken away, apart from the velocities. Contacts that carry something all part or close by the
/// same part of their gap: bodies then go back the way on which they sank in, and no contact opens because another is
/// pushed. The others part when they overlap.
struct PushLaw {
    float r = 0.0f;     // as above
    float slop = 0.0f;  // m of overlap that is left alone where nothing is carried
    float part = 0.0f;  // of a gap that goes in one push
    float most = 0.0f;  // m in one push
};

/// J^T G J of the constraints of a block, in world axes about the centres of mass: lower triangles of what a
/// and b feel of their own motion, row by row, and the whole block (row a, column b).
struct StiffnessRows {
    Row aa[21], bb[21], ab[36];
};

/// What the end of a pass leaves.
struct PassEnd {
    float residual = 0.0f;  // the largest natural map of the exact law, m/s
    bool same = true;       // the multipliers are those of before, in every bit
};

/// The kernels of one kind. A kind without them keeps its island out of the direct solve.
struct DirectKernels {
    /// The first evaluation, with biases from the gaps and drag from the velocities. Returns the largest error of
    /// position, m.
    float (*begin)(const void* blocks, uint32_t count, DirectRows* rows, const BodyRecords& bodies, float* wrench,
                   const DirectLaw& law) = nullptr;
    /// l(u), and what it does to the bodies: adds J^T l to the wrenches, and the size of the impulses alone to float
    /// 3 of each.
    void (*evaluate)(const void* blocks, uint32_t count, DirectRows* rows, const BodyRecords& bodies, float* wrench,
                     const DirectLaw& law) = nullptr;
    /// Ends a pass: l(u) becomes the multiplier, drag follows u.
    PassEnd (*next_pass)(void* blocks, uint32_t count, DirectRows* rows, const BodyRecords& bodies,
                         const DirectLaw& law) = nullptr;
    void (*stiffness)(const void* block, const DirectRows& rows, const BodyRecords& bodies, const DirectLaw& law,
                      StiffnessRows& out) = nullptr;
    /// Before the bodies move. Adds r times what each overlap should part by, as a wrench, and the squares of those
    /// lengths, m^2, by lane. nullptr: nothing of this kind is pushed.
    void (*push)(const void* blocks, uint32_t count, float* wrench, const PushLaw& law, Row& squares) = nullptr;
};

/// M and what is left of momentum, of a list of bodies whose records follow each other.
struct MomentumLaw {
    float speed = 0.0f;      // m/s: what may be left of momentum, as a velocity of the body ...
    float load_part = 0.0f;  // ... and as a part of the impulses that act on it
};
struct MomentumKernels {
    /// M of each body in world axes: inertia (6), mass, radius.
    void (*masses)(uint32_t first, uint32_t count, const BodyRecords& bodies, float* mass);
    /// gradient = M (u - u_free) - wrench. Returns the largest of them over what may be left: at most 1 is solved.
    float (*gradient)(uint32_t first, uint32_t count, const float* velocity, const float* free_velocity,
                      const float* wrench, const float* mass, const MomentumLaw& law, float* gradient);
};
const MomentumKernels& momentum_kernels();

}  // namespace proxima::physics::direct
