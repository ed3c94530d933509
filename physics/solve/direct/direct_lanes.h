// SPDX-License-Identifier: MIT
// What the direct-solve kernels of every kind share: 3 x 3 matrices of lanes, and the stiffness of a pair of bodies
// from that of a point. For `*.simd.cpp` files only.
#pragma once

#include "engine/simd/lanes.h"
#include "physics/solve/direct/direct_kernels.h"

namespace proxima::physics::direct::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;

inline float largest(Lanes x) {
    float lanes[kLanes];
    store(lanes, x);
    float out = 0.0f;
    for (const float lane : lanes) out = lane > out ? lane : out;
    return out;
}

template <class Work>
PX_INLINE void for_lanes(uint32_t count, const Work& work) {
    for (uint32_t b = 0; b < count; ++b)
        for (int k = 0; k < int(kBlockLanes); k += kLanes) work(b, k);
}

struct Mat {
    Vec row[3];
};
PX_INLINE Mat operator+(const Mat& a, const Mat& b) {
    return {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
}
PX_INLINE Mat operator-(const Mat& a, const Mat& b) {
    return {{a.row[0] - b.row[0], a.row[1] - b.row[1], a.row[2] - b.row[2]}};
}
PX_INLINE Mat transposed(const Mat& a) {
    return {{{a.row[0].x, a.row[1].x, a.row[2].x},
             {a.row[0].y, a.row[1].y, a.row[2].y},
             {a.row[0].z, a.row[1].z, a.row[2].z}}};
}
/// m [y]x: each row becomes row x y.
PX_INLINE Mat times_cross(const Mat& m, const Vec& y) {
    return {{cross(m.row[0], y), cross(m.row[1], y), cross(m.row[2], y)}};
}
/// [x]x m.
PX_INLINE Mat cross_times(const Vec& x, const Mat& m) {
    return {{m.row[2] * x.y - m.row[1] * x.z, m.row[0] * x.z - m.row[2] * x.x, m.row[1] * x.x - m.row[0] * x.y}};
}
/// From the frame into world axes: q m q^T, q = [n t1 t2].
PX_INLINE Mat to_world(const Mat& m, const Vec axis[3]) {
    Mat half;  // m q^T: its rows are combinations of the axes
    for (int i = 0; i < 3; ++i) half.row[i] = axis[0] * m.row[i].x + axis[1] * m.row[i].y + axis[2] * m.row[i].z;
    return {{half.row[0] * axis[0].x + half.row[1] * axis[1].x + half.row[2] * axis[2].x,
             half.row[0] * axis[0].y + half.row[1] * axis[1].y + half.row[2] * axis[2].y,
             half.row[0] * axis[0].z + half.row[1] * axis[1].z + half.row[2] * axis[2].z}};
}

/// What body x feels of the motion of y: (1, -[y]x) from the right, its like of x from the left.
struct Quarters {
    Mat linear, mixed, turned, angular;  // (lin, lin), (lin, ang), (ang, lin), (ang, ang)
};
PX_INLINE Quarters about(const Mat& a, const Mat& b, const Mat& c, const Vec& x, const Vec& y) {
    Quarters q;
    q.linear = a;
    q.mixed = b - times_cross(a, y);
    q.turned = cross_times(x, a) + transposed(b);
    q.angular = cross_times(x, q.mixed) + (c - times_cross(transposed(b), y));
    return q;
}
PX_INLINE Lanes entry(const Quarters& q, int i, int j) {
    const Mat& m = i < 3 ? (j < 3 ? q.linear : q.mixed) : (j < 3 ? q.turned : q.angular);
    const Vec& row = m.row[i % 3];
    return j % 3 == 0 ? row.x : j % 3 == 1 ? row.y : row.z;
}
PX_INLINE void store_lower(Row* rows, int k, const Quarters& q) {
    for (int i = 0, at = 0; i < 6; ++i)
        for (int j = 0; j <= i; ++j) store(rows[at++] + k, entry(q, i, j));
}

}  // namespace proxima::physics::direct::PX_LEVEL_NAMESPACE
