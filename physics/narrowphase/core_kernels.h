// SPDX-License-Identifier: MIT
// The core of a sphere or capsule, a point or a segment, against the faces and edges of a hull, eight at a
// time. Every level gives the same bits. Internal to the narrowphase.
#pragma once

#include "physics/narrowphase/sat_kernels.h"

namespace proxima::physics::detail {

/// The core runs from `start` by `along`, which is zero for a sphere; about the hull's centre, in its frame.
struct CoreSearch {
    const float* faces = nullptr;
    const float* edges = nullptr;
    int face_blocks = 0, edge_blocks = 0;
    Vec3 start{0.0f, 0.0f, 0.0f}, along{0.0f, 0.0f, 0.0f};
};

struct CoreFaces {
    int face = 0;                        // the face that the lower end of the core is farthest above ...
    float separation = -1e30f;           // ... and how far
    int highest[2] = {0, 0};             // for each end, the face it is farthest above ...
    float height[2] = {-1e30f, -1e30f};  // ... and how far: if it is above that face's inside, its distance
    bool inside = false;                 // some point of the core is in the hull
};

struct CoreKernels {
    void (*scan_faces)(const CoreSearch& search, CoreFaces& out);
    /// The edge nearest to the core, lowest index first.
    int (*nearest_edge)(const CoreSearch& search);
};

/// Those of the level in use.
const CoreKernels& core_kernels();

inline CoreSearch core_search(const Polytope& p, const Vec3& start, const Vec3& along) {
    CoreSearch search;
    search.faces = p.face_blocks.data();
    search.edges = p.edge_blocks.data();
    search.face_blocks = p.face_block_count();
    search.edge_blocks = p.edge_block_count();
    search.start = start - p.center;
    search.along = along;
    return search;
}

/// Whether a point above the plane of a face is above the face itself.
inline bool above_face(const Polytope& p, const Polytope::Face& face, const Vec3& x) {
    for (int i = 0; i < face.count; ++i) {
        const Polytope::Side& side = p.sides[size_t(face.first + i)];
        if (glm::dot(side.outward, x) > side.offset) return false;
    }
    return true;
}

}  // namespace proxima::physics::detail
