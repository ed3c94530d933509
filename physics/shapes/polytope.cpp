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
            second += v / 20.0 *
                      (glm::outerProduct(a, a) + glm::outerProduct(b, b) + glm::outerProduct(c, c) +
                       glm::outerProduct(s, s));
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
