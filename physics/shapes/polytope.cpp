// SPDX-License-Identifier: MIT
#include <glm/mat3x3.hpp>
#include <unordered_map>

#include "physics/shapes/shape.h"

namespace proxima::physics {

bool link_edges(Polytope& p) {
    p.edges.clear();
    p.face_edges.assign(p.face_vertices.size(), 0);
    // Directed edge -> its place; each undirected edge is made by whichever face comes first. Lookups only,
    // the order of the map is never seen.
    std::unordered_map<uint32_t, uint32_t> open;
    const auto key = [](uint32_t tail, uint32_t head) { return (tail << 16) | head; };
    for (size_t f = 0; f < p.faces.size(); ++f) {
        const Polytope::Face& face = p.faces[f];
        for (int i = 0; i < face.count; ++i) {
            const uint16_t tail = p.face_vertices[size_t(face.first + i)];
            const uint16_t head = p.face_vertices[size_t(face.first + (i + 1) % face.count)];
            if (tail == head) return false;
            const auto twin = open.find(key(head, tail));
            if (twin != open.end()) {
                p.edges[twin->second].right = uint16_t(f);
                p.face_edges[size_t(face.first + i)] = uint16_t(twin->second);
                if (p.edges[twin->second].left == uint16_t(f)) return false;
                open.erase(twin);
                continue;
            }
            if (!open.emplace(key(tail, head), uint32_t(p.edges.size())).second) return false;
            p.face_edges[size_t(face.first + i)] = uint16_t(p.edges.size());
            p.edges.push_back({tail, head, uint16_t(f), uint16_t(f)});
        }
    }
    return open.empty();
}

void make_search_data(Polytope& p) {
    std::vector<std::vector<uint16_t>> around(p.vertices.size());
    for (size_t f = 0; f < p.faces.size(); ++f)
        for (int i = 0; i < p.faces[f].count; ++i)
            around[p.face_vertices[size_t(p.faces[f].first + i)]].push_back(uint16_t(f));
    p.vertex_first.assign(1, 0);
    p.vertex_faces.clear();
    for (const std::vector<uint16_t>& faces : around) {
        p.vertex_faces.insert(p.vertex_faces.end(), faces.begin(), faces.end());
        p.vertex_first.push_back(uint16_t(p.vertex_faces.size()));
    }

    p.sides.clear();
    for (const Polytope::Face& face : p.faces)
        for (int i = 0; i < face.count; ++i) {
            const Vec3 tail = p.vertices[p.face_vertices[size_t(face.first + i)]];
            const Vec3 head = p.vertices[p.face_vertices[size_t(face.first + (i + 1) % face.count)]];
            const Vec3 outward = glm::normalize(glm::cross(head - tail, face.normal));
            p.sides.push_back({outward, glm::dot(outward, tail)});
        }

    const auto blocks = [](size_t count, int rows) {
        return std::vector<float>((count + 7) / 8 * 8 * size_t(rows), 0.0f);
    };
    const auto slot = [](std::vector<float>& data, size_t i, int rows, int row) -> float& {
        return data[(i / 8 * size_t(rows) + size_t(row)) * 8 + i % 8];
    };
    const auto put = [&](std::vector<float>& data, size_t i, int rows, int row, const Vec3& v) {
        for (int k = 0; k < 3; ++k) slot(data, i, rows, row + k) = v[k];
    };
    p.vertex_blocks = blocks(p.vertices.size(), Polytope::kVertexRows);
    for (size_t i = 0; i < (p.vertices.size() + 7) / 8 * 8; ++i)
        put(p.vertex_blocks, i, Polytope::kVertexRows, 0, p.vertices[i < p.vertices.size() ? i : i / 8 * 8] - p.center);

    p.face_blocks = blocks(p.faces.size(), Polytope::kFaceRows);
    for (size_t i = 0; i < (p.faces.size() + 7) / 8 * 8; ++i) {
        slot(p.face_blocks, i, Polytope::kFaceRows, 3) = kFillerDepth;
        if (i >= p.faces.size()) continue;
        put(p.face_blocks, i, Polytope::kFaceRows, 0, p.faces[i].normal);
        slot(p.face_blocks, i, Polytope::kFaceRows, 3) = p.faces[i].offset - glm::dot(p.faces[i].normal, p.center);
    }

    p.edge_blocks = blocks(p.edges.size(), Polytope::kEdgeRows);
    p.edge_records.assign(p.edges.size() * Polytope::kEdgeRecord, 0.0f);
    for (size_t i = 0; i < p.edges.size(); ++i) {
        const Polytope::Edge& e = p.edges[i];
        const Vec3 left = p.faces[e.left].normal, right = p.faces[e.right].normal;
        put(p.edge_blocks, i, Polytope::kEdgeRows, 0, p.vertices[e.tail] - p.center);
        const Vec3 along = p.vertices[e.head] - p.vertices[e.tail];
        put(p.edge_blocks, i, Polytope::kEdgeRows, 3, glm::normalize(along));
        slot(p.edge_blocks, i, Polytope::kEdgeRows, 12) = glm::length(along);
        put(p.edge_blocks, i, Polytope::kEdgeRows, 6, left);
        put(p.edge_blocks, i, Polytope::kEdgeRows, 9, right);
        for (int row = 0; row < 12; ++row)
            p.edge_records[i * Polytope::kEdgeRecord + size_t(row)] = slot(p.edge_blocks, i, Polytope::kEdgeRows, row);
    }
}

MassProperties polytope_mass(const Polytope& p) {
    using Vec = glm::dvec3;
    // Fans of every face, joined to an inner point o, are tetrahedra (o, a, b, c):
    //   6 V = det(a, b, c);  4 int x = V s;  20 int x x^T = V (a a^T + b b^T + c c^T + s s^T),  s = a + b +
    //   c.
    // Measured from an inner point, so that all volumes are positive and nothing cancels.
    const Vec origin(p.center);
    double volume = 0.0;
    Vec first(0.0);
    glm::dmat3 second(0.0);
    for (const Polytope::Face& face : p.faces) {
        const Vec a = Vec(p.vertices[p.face_vertices[face.first]]) - origin;
        for (int i = 1; i + 1 < face.count; ++i) {
            const Vec b = Vec(p.vertices[p.face_vertices[size_t(face.first + i)]]) - origin;
            const Vec c = Vec(p.vertices[p.face_vertices[size_t(face.first + i + 1)]]) - origin;
            const Vec s = a + b + c;
            const double v = glm::dot(a, glm::cross(b, c)) / 6.0;
            volume += v;
            first += v / 4.0 * s;
            second +=
                v / 20.0 *
                (glm::outerProduct(a, a) + glm::outerProduct(b, b) + glm::outerProduct(c, c) + glm::outerProduct(s, s));
        }
    }
    const Vec center = first / volume;
    const glm::dmat3 c = second - volume * glm::outerProduct(center, center);
    MassProperties out;
    out.volume = float(volume);
    out.center = Vec3(origin + center);
    out.inertia = {float(c[1][1] + c[2][2]), float(c[0][0] + c[2][2]), float(c[0][0] + c[1][1]),
                   float(-c[1][0]),          float(-c[2][0]),          float(-c[2][1])};
    return out;
}

}  // namespace proxima::physics
