// SPDX-License-Identifier: MIT
#include "physics/narrowphase/sat_kernels.h"
#include "physics/shapes/block_search.h"

namespace proxima::physics::detail {

namespace {

using namespace PX_LEVEL_NAMESPACE;

constexpr int kFaceFloats = Polytope::kFaceRows * kBlock;
constexpr int kEdgeFloats = Polytope::kEdgeRows * kBlock;
constexpr int kMaxEdgeSlots = (kMaxEdges + 7) / 8 * 8;

PX_INLINE Vec rows(const float* block, int run, int first) {
    const float* p = block + first * kBlock + run * kLanes;
    return {load(p), load(p + kBlock), load(p + 2 * kBlock)};
}
/// Three rows of one slot, the same in every lane.
PX_INLINE Vec slot(const float* p, int first) {
    p += first * kBlock;
    return {Lanes(p[0]), Lanes(p[kBlock]), Lanes(p[2 * kBlock])};
}
/// Three floats, the same in every lane.
PX_INLINE Vec all(const float* p) { return {Lanes(p[0]), Lanes(p[1]), Lanes(p[2])}; }
PX_INLINE Vec rotate(const float* m, const Vec& v) {
    return {Lanes(m[0]) * v.x + Lanes(m[3]) * v.y + Lanes(m[6]) * v.z,
            Lanes(m[1]) * v.x + Lanes(m[4]) * v.y + Lanes(m[7]) * v.z,
            Lanes(m[2]) * v.x + Lanes(m[5]) * v.y + Lanes(m[8]) * v.z};
}
PX_INLINE void put(float* block, int run, int first, const Vec& v) {
    float* p = block + first * kBlock + run * kLanes;
    store(p, v.x), store(p + kBlock, v.y), store(p + 2 * kBlock, v.z);
}

/// Calls `take(slot)`, ascending, for the bits that `test(block, run)` sets. The bits of up to eight blocks are
/// collected before any is taken: one loop of unknown length is one wrong guess of the processor, not eight.
template <class Test, class Take>
PX_INLINE void for_set_slots(int blocks, Test test, Take take) {
    for (int begin = 0; begin < blocks; begin += 8) {
        const int end = begin + 8 < blocks ? begin + 8 : blocks;
        uint64_t set = 0;
        for (int b = begin; b < end; ++b)
            for (int r = 0; r < kRuns; ++r) set |= uint64_t(test(b, r)) << ((b - begin) * kBlock + r * kLanes);
        for (; set; set &= set - 1) take(begin * kBlock + std::countr_zero(set));
    }
}

// ---- faces

PX_INLINE float face_row(const FaceSearch& s, int f, int row) {
    return s.faces[f / kBlock * kFaceFloats + row * kBlock + f % kBlock];
}

/// The separations of q from eight faces of p, given by their slots: one face per lane, so that no minimum
/// has to be taken across lanes.
PX_INLINE void measure_faces(const FaceSearch& s, const int* face, float* separations) {
    alignas(32) float n[4 * kBlock];
    for (int k = 0; k < kBlock; ++k)
        for (int row = 0; row < 4; ++row) n[row * kBlock + k] = face_row(s, face[k], row);
    const Vec t{Lanes(s.towards.x), Lanes(s.towards.y), Lanes(s.towards.z)};
    for (int r = 0; r < kRuns; ++r) {
        const Vec normal = rows(n, r, 0), d = rotate(s.turn, normal);
        Lanes low = dot(d, slot(s.vertices, 0));
        for (int b = 0; b < s.vertex_blocks; ++b)
            for (int v = 0; v < kBlock; ++v)
                low = min(low, dot(d, slot(s.vertices + b * Polytope::kVertexRows * kBlock + v, 0)));
        const Lanes height = dot(normal, t) - load(n + 3 * kBlock + r * kLanes);
        store(separations + r * kLanes, height + (low + Lanes(0.0f)));  // one zero, not two
    }
}

/// The face that q's inner ball is farthest above.
PX_INLINE int most_promising_face(const FaceSearch& s) {
    alignas(32) float heights[kMaxFaceSlots];
    const Lanes x(s.ball.center.x), y(s.ball.center.y), z(s.ball.center.z);
    Lanes most(-0.1f * kFillerDepth);  // above the fillers, which are never found
    for (int b = 0; b < s.face_blocks; ++b)
        for (int r = 0; r < kRuns; ++r) {
            const float* block = s.faces + b * kFaceFloats;
            const Lanes h = along(block, r, x, y, z) - load(block + 3 * kBlock + r * kLanes);
            store(heights + b * kBlock + r * kLanes, h);
            most = max(h, most);
        }
    const Lanes peak(max_lane(most));
    for (int i = 0; i < s.face_blocks * kBlock; i += kLanes) {
        const uint32_t equal = bits(load(heights + i) >= peak);
        if (equal) return i + std::countr_zero(equal);
    }
    return 0;  // nothing is a number
}

/// Measures one face, with the vertex of q that is deepest below it.
PX_INLINE FaceFound measure_face(const FaceSearch& s, int f) {
    const float x = face_row(s, f, 0), y = face_row(s, f, 1), z = face_row(s, f, 2);
    float n[3];
    for (int k = 0; k < 3; ++k) n[k] = s.turn[k] * x + s.turn[3 + k] * y + s.turn[6 + k] * z;
    const float least = min_along(s.vertices, s.vertex_blocks, n[0], n[1], n[2]);
    const float height = x * s.towards.x + y * s.towards.y + z * s.towards.z - face_row(s, f, 3);
    return {f, first_along(s.vertices, s.vertex_blocks, n[0], n[1], n[2], least), height + least};
}

void best_face(const FaceSearch& s, FaceFound& found) {
    const int first = s.first >= 0 ? s.first : most_promising_face(s);
    const FaceFound start = measure_face(s, first);
    if (start.separation > found.separation) found = start;
    // Two bounds, a product each, leave few of the other faces: none separates q farther than q's inner ball, nor
    // than any vertex of q, and the one deepest below a good face is nearly the deepest below its neighbours.
    const float* p = s.vertices + start.support / kBlock * Polytope::kVertexRows * kBlock + start.support % kBlock;
    float v[3];
    for (int k = 0; k < 3; ++k)  // back into p's frame: the transpose of `turn`
        v[k] = s.turn[3 * k] * p[0] + s.turn[3 * k + 1] * p[kBlock] + s.turn[3 * k + 2] * p[2 * kBlock];
    const Vec ball{Lanes(s.ball.center.x), Lanes(s.ball.center.y), Lanes(s.ball.center.z)};
    const Lanes vx(v[0] + s.towards.x), vy(v[1] + s.towards.y), vz(v[2] + s.towards.z);
    const Lanes radius(s.ball.radius), limit(found.separation - s.rounding);
    int list[kBlock], count = 0;
    bool more = false;
    const auto finish = [&] {
        float separations[kBlock];
        for (int k = count; k < kBlock; ++k) list[k] = list[0];
        measure_faces(s, list, separations);
        for (int k = 0; k < count; ++k)
            if (separations[k] > found.separation || (separations[k] == found.separation && list[k] < found.face))
                found.separation = separations[k], found.face = list[k], more = true;
        count = 0;
    };
    for_set_slots(
        s.face_blocks,
        [&](int b, int r) {
            const float* block = s.faces + b * kFaceFloats;
            const Lanes depth = load(block + 3 * kBlock + r * kLanes);
            const Lanes by_ball = along(block, r, ball.x, ball.y, ball.z) - depth - radius;
            const Lanes by_vertex = along(block, r, vx, vy, vz) - depth;
            return bits(min(by_ball, by_vertex) >= limit);
        },
        [&](int f) {
            if (f == first) return;
            list[count++] = f;
            if (count == kBlock) finish();
        });
    if (count > 0) finish();
    if (more) found = measure_face(s, found.face);
}

// ---- edges

/// The edges that may hold an axis better than `least`. Along the arc of normals n of an edge the surface passes
/// through its tail, so the separation is at most n . w - radius, w from there to the other's inner ball: largest at
/// an end of the arc, or, when it grows from both ends inwards, straight across the edge.
PX_INLINE int facing_edges(const float* edges, int blocks, const InnerBall& ball, float least, uint32_t* list) {
    const Vec center{Lanes(ball.center.x), Lanes(ball.center.y), Lanes(ball.center.z)};
    const float height = least + ball.radius;
    const Lanes wanted(height), wanted2(height > 0.0f ? height * height : -1.0f), zero(0.0f);
    int count = 0;
    for_set_slots(
        blocks,
        [&](int b, int r) {
            const float* block = edges + b * kEdgeFloats;
            const Vec w = center - rows(block, r, 0), u = rows(block, r, 3);
            const Vec left = rows(block, r, 6), right = rows(block, r, 9), turn = cross(w, u);
            const Lanes on_left = dot(left, w), on_right = dot(right, w);
            const Mask ends = max(on_left, on_right) >= wanted;
            const Mask across = (dot(left, turn) * dot(right, turn) <= zero) & (on_left + on_right > zero) &
                                (dot(turn, turn) >= wanted2);
            return bits((ends | across) & (dot(u, u) > zero));  // fillers have no direction
        },
        [&](int e) { list[count++] = uint32_t(e); });
    return count;
}

void best_edges(const EdgeSearch& s, EdgesFound& found) {
    uint32_t list_a[kMaxEdgeSlots], list_b[kMaxEdgeSlots];
    const int count_a = facing_edges(s.edges_a, s.blocks_a, s.ball_b, s.least, list_a);
    if (count_a == 0) return;
    const int count_b = facing_edges(s.edges_b, s.blocks_b, s.ball_a, s.least, list_b);
    if (count_b == 0) return;

    // B's edges close up into blocks, turned into A's frame; A's are taken one by one against eight of B. The
    // last block is filled up with its last edge.
    alignas(32) float arcs[kMaxEdgeSlots * 12];
    const int blocks = (count_b + 7) / 8;
    for (int i = count_b; i < blocks * kBlock; ++i) list_b[i] = list_b[count_b - 1];
    const Vec t{Lanes(s.towards.x), Lanes(s.towards.y), Lanes(s.towards.z)};
    for (int b = 0; b < blocks; ++b)
        for (int r = 0; r < kRuns; ++r) {
            const uint32_t* index = list_b + b * kBlock + r * kLanes;
            Lanes e[16];
            load_records(s.records_b, index, Polytope::kEdgeRecord, e);
            load_records(s.records_b + 8, index, Polytope::kEdgeRecord, e + 8);
            float* block = arcs + b * 12 * kBlock;
            put(block, r, 0, rotate(s.turn, {e[0], e[1], e[2]}) + t);
            for (int k = 3; k < 12; k += 3) put(block, r, k, rotate(s.turn, {e[k], e[k + 1], e[k + 2]}));
        }

    // A pair makes a face of the Minkowski sum exactly when A's arc crosses the arc of B's reversed normals:
    // three signs, before anything is divided.
    const Lanes zero(0.0f);
    for (int i = 0; i < count_a; ++i) {
        const float* a = s.records_a + list_a[i] * Polytope::kEdgeRecord;
        const Vec a_tail = all(a), a_along = all(a + 3), a_left = all(a + 6), a_right = all(a + 9);
        for (int b = 0; b < blocks; ++b)
            for (int r = 0; r < kRuns; ++r) {
                const float* block = arcs + b * 12 * kBlock;
                const Vec b_along = rows(block, r, 3);
                const Lanes bl = dot(rows(block, r, 6), a_along), br = dot(rows(block, r, 9), a_along);
                const Lanes al = dot(a_left, b_along), ar = dot(a_right, b_along);
                Mask crossing = (bl * br < zero) & (al * ar < zero) & (bl * ar < zero);
                if (!any(crossing)) continue;
                const Vec n = cross(a_along, b_along);
                const Lanes sine2 = dot(n, n);
                const Lanes gap = dot(n, rows(block, r, 0) - a_tail);
                const Lanes outward = dot(n, a_left + a_right);
                const Lanes separation = select(outward < zero, -gap, gap) / sqrt(sine2);
                crossing = crossing & (sine2 >= Lanes(kParallelSine2)) & (separation >= Lanes(found.separation));
                if (!any(crossing)) continue;
                float value[kLanes];
                store(value, separation);
                for (uint32_t left = bits(crossing); left; left &= left - 1) {
                    const int k = std::countr_zero(left), j = b * kBlock + r * kLanes + k;
                    if (j >= count_b || value[k] <= found.separation) continue;  // the first of equals stays
                    found.separation = value[k];
                    found.a = int(list_a[i]);
                    found.b = int(list_b[j]);
                }
            }
    }
}

}  // namespace

extern const SatKernels PX_AT_LEVEL(sat_kernels_);
const SatKernels PX_AT_LEVEL(sat_kernels_){best_face, best_edges};

}  // namespace proxima::physics::detail
