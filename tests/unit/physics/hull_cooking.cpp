// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "physics/shapes/shape.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

/// Everything a polytope promises: closed, convex, outward, planar faces, loops and edges that agree.
void check_polytope(const Polytope& p, float size) {
    CHECK(p.vertices.size() + p.faces.size() == p.edges.size() + 2);
    REQUIRE(p.face_edges.size() == p.face_vertices.size());
    REQUIRE(p.face_vertices.size() == 2 * p.edges.size());
    float inner = 1e30f;
    for (const Polytope::Face& f : p.faces) inner = std::min(inner, f.offset - glm::dot(f.normal, p.center));
    CHECK(std::abs(p.inner_radius - inner) < 1e-5f * size);
    int bad_planes = 0, bad_edges = 0, bad_loops = 0;
    for (size_t f = 0; f < p.faces.size(); ++f) {
        const Polytope::Face& face = p.faces[f];
        if (std::abs(glm::length(face.normal) - 1.0f) > 1e-5f) ++bad_planes;
        if (glm::dot(face.normal, p.center) >= face.offset) ++bad_planes;
        for (const Vec3& v : p.vertices)
            if (glm::dot(face.normal, v) > face.offset + 1e-5f * size) ++bad_planes;
        Vec3 area(0.0f);
        for (int i = 0; i < face.count; ++i) {
            const size_t at = size_t(face.first + i), next = size_t(face.first + (i + 1) % face.count);
            const Vec3 tail = p.vertices[p.face_vertices[at]], head = p.vertices[p.face_vertices[next]];
            if (std::abs(glm::dot(face.normal, tail) - face.offset) > 2e-4f * size) ++bad_planes;
            area += glm::cross(tail - p.center, head - p.center);
            const Polytope::Edge& e = p.edges[p.face_edges[at]];
            const bool forward = e.left == f && e.tail == p.face_vertices[at] && e.head == p.face_vertices[next];
            const bool backward = e.right == f && e.head == p.face_vertices[at] && e.tail == p.face_vertices[next];
            if (forward == backward) ++bad_edges;
        }
        if (glm::dot(area, face.normal) <= 0.0f) ++bad_loops;  // counter-clockwise from outside
    }
    for (const Polytope::Edge& e : p.edges)
        if (e.left == e.right || e.left >= p.faces.size() || e.right >= p.faces.size()) ++bad_edges;
    CHECK(bad_planes == 0);
    CHECK(bad_edges == 0);
    CHECK(bad_loops == 0);
}

std::vector<Vec3> cube_points(float h) {
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i) points.emplace_back((i & 1) ? h : -h, (i & 2) ? h : -h, (i & 4) ? h : -h);
    return points;
}

std::vector<Vec3> prism(int sides, float radius, float half_height) {
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i) {
        const float angle = 2.0f * kPi * float(i) / float(sides);
        for (float y : {-half_height, half_height})
            points.emplace_back(radius * std::cos(angle), y, radius * std::sin(angle));
    }
    return points;
}

}  // namespace

TEST_CASE("eight corners cook to a box of six quads and twelve edges") {
    const Polytope p = *cook_hull(cube_points(1.0f));
    CHECK(p.vertices.size() == 8);
    CHECK(p.faces.size() == 6);
    CHECK(p.edges.size() == 12);
    for (const Polytope::Face& f : p.faces) CHECK(f.count == 4);
    check_polytope(p, 2.0f);
    check_polytope(box_polytope({1.0f, 2.0f, 3.0f}), 6.0f);
}

TEST_CASE("points inside, doubled, on edges and on faces leave no trace") {
    std::vector<Vec3> points = cube_points(1.0f);
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    for (int i = 0; i < 500; ++i) {
        Vec3 p(uniform(random), uniform(random), uniform(random));
        if (i % 3 == 0) p[i % 9 / 3] = (i & 1) ? 1.0f : -1.0f;                                      // on a face
        if (i % 5 == 0) p = Vec3(uniform(random), (i & 2) ? 1.0f : -1.0f, (i & 4) ? 1.0f : -1.0f);  // on an edge
        points.push_back(p);
    }
    points.insert(points.end(), points.begin(), points.begin() + 100);
    const Polytope p = *cook_hull(points);
    CHECK(p.vertices.size() == 8);
    CHECK(p.faces.size() == 6);
    check_polytope(p, 2.0f);
}

TEST_CASE("coplanar triangles merge under any rotation and with rounding noise") {
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    for (int trial = 0; trial < 200; ++trial) {
        const Quat q = glm::normalize(Quat(normal(random), normal(random), normal(random), normal(random)));
        const int sides = 3 + trial % 30;
        std::vector<Vec3> points = prism(sides, 0.8f, 0.4f);
        for (Vec3& p : points) {
            p = q * p * (trial % 2 ? 1.0f : 1000.0f);
            if (trial % 4 == 1) p += 5e-6f * Vec3(normal(random), normal(random), normal(random));
        }
        const Result<Polytope> p = cook_hull(points);
        REQUIRE(p.ok());
        CHECK(p->vertices.size() == size_t(2 * sides));
        CHECK(p->faces.size() == size_t(sides + 2));
        check_polytope(*p, trial % 2 ? 1.6f : 1600.0f);
    }
}

TEST_CASE("random clouds cook to valid polytopes that contain their points") {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    for (int trial = 0; trial < 150; ++trial) {
        std::vector<Vec3> points;
        const int count = 4 + trial;
        const bool round = trial % 2 == 0;
        for (int i = 0; i < count; ++i) {
            Vec3 p(normal(random), normal(random), normal(random));
            if (round) p = glm::normalize(p);
            points.push_back(p);
        }
        const Result<Polytope> p = cook_hull(points);
        REQUIRE(p.ok());
        check_polytope(*p, 4.0f);
        float outside = 0.0f;
        for (const Vec3& x : points)
            for (const Polytope::Face& f : p->faces) outside = std::max(outside, glm::dot(f.normal, x) - f.offset);
        CHECK(outside < 1e-3f);
        if (round && count < 60) CHECK(p->vertices.size() >= size_t(count * 9 / 10));  // all lie on the sphere
    }
}

TEST_CASE("integer lattices with many coplanar points cook to valid polytopes") {
    std::mt19937 random(17);
    std::uniform_int_distribution<int> coordinate(-2, 2);
    int cooked = 0;
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<Vec3> points;
        for (int i = 0; i < 12; ++i)
            points.emplace_back(float(coordinate(random)), float(coordinate(random)), float(coordinate(random)));
        const Result<Polytope> p = cook_hull(points);
        if (!p.ok()) continue;
        ++cooked;
        check_polytope(*p, 4.0f);
        for (const Polytope::Edge& e : p->edges)  // no two neighbours in one plane are left
            CHECK(glm::dot(p->faces[e.left].normal, p->faces[e.right].normal) < 0.9999f);
    }
    CHECK(cooked > 290);
}

TEST_CASE("thin plates keep both sides and flat ones are refused") {
    for (float thickness : {0.1f, 0.01f, 0.001f}) {
        std::vector<Vec3> points = cube_points(0.5f);
        for (Vec3& p : points) p.y *= thickness;
        const Result<Polytope> p = cook_hull(points);
        REQUIRE(p.ok());
        CHECK(p->vertices.size() == 8);
        CHECK(p->faces.size() == 6);
        CHECK(polytope_mass(*p).volume == doctest::Approx(thickness).epsilon(1e-3));
    }
    for (float thickness : {1e-4f, 1e-6f, 0.0f}) {
        std::vector<Vec3> points = cube_points(0.5f);
        for (Vec3& p : points) p = glm::angleAxis(0.3f, glm::normalize(Vec3(1, 2, 3))) * (p * Vec3(1, thickness, 1));
        const Result<Polytope> p = cook_hull(points);
        REQUIRE_FALSE(p.ok());
        CHECK(p.error().find("plane") != std::string::npos);
    }
}

TEST_CASE("degenerate point sets are refused with a sentence") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const std::vector<std::vector<Vec3>> bad = {
        {},
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
        {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}},
        {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, nan}},
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, inf}},
        {{0, 0, 0}, {1e-9f, 0, 0}, {0, 1e-9f, 0}, {0, 0, 1e-9f}},
        {{0, 0, 0}, {1e9f, 0, 0}, {0, 1e9f, 0}, {0, 0, 1e9f}},
    };
    for (const std::vector<Vec3>& points : bad) {
        const Result<Polytope> p = cook_hull(points);
        REQUIRE_FALSE(p.ok());
        CHECK(p.error().back() == '.');
        CHECK(p.error().size() > 20);
    }
}

TEST_CASE("a hull keeps up to 255 vertices and says so beyond") {
    const Result<Polytope> most = cook_hull(prism(127, 1.0f, 0.5f));
    REQUIRE(most.ok());
    CHECK(most->vertices.size() == 254);
    CHECK(most->faces.size() == 129);
    check_polytope(*most, 2.0f);
    const Result<Polytope> more = cook_hull(prism(128, 1.0f, 0.5f));
    REQUIRE_FALSE(more.ok());
    CHECK(more.error().find("256") != std::string::npos);
    CHECK(more.error().find("255") != std::string::npos);
}

TEST_CASE("cooking the same points twice gives the same polytope") {
    std::mt19937 random(23);
    std::normal_distribution<float> normal;
    std::vector<Vec3> points;
    for (int i = 0; i < 80; ++i) points.emplace_back(normal(random), normal(random), normal(random));
    const Polytope a = *cook_hull(points), b = *cook_hull(points);
    CHECK(a.vertices == b.vertices);
    CHECK(a.face_vertices == b.face_vertices);
    CHECK(a.face_edges == b.face_edges);
}
