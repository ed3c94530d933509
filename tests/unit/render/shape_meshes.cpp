// SPDX-License-Identifier: MIT
#include "render/shape_meshes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "physics/shapes/shape_classes.h"

using namespace proxima;
using namespace proxima::render;
using physics::ShapeDesc;
using physics::ShapeType;

namespace {

/// Every edge of a closed surface is walked once in each direction. Flat faces have vertices of their own, so
/// corners are told apart by position.
bool is_closed(const Mesh& mesh) {
    using Corner = std::tuple<float, float, float>;
    const auto corner = [&](uint32_t i) {
        const Vec3& p = mesh.vertices[mesh.indices[i]].position;
        return Corner(p.x, p.y, p.z);
    };
    std::map<std::pair<Corner, Corner>, int> walks;
    for (uint32_t i = 0; i < mesh.indices.size(); i += 3)
        for (uint32_t k = 0; k < 3; ++k) ++walks[{corner(i + k), corner(i + (k + 1) % 3)}];
    for (const auto& [edge, count] : walks) {
        const auto back = walks.find({edge.second, edge.first});
        if (count != 1 || back == walks.end() || back->second != 1) return false;
    }
    return !walks.empty();
}

/// Unit normals that look to the same side as the triangles they belong to.
bool has_outward_normals(const Mesh& mesh) {
    for (size_t i = 0; i < mesh.indices.size(); i += 3) {
        const MeshVertex &a = mesh.vertices[mesh.indices[i]], &b = mesh.vertices[mesh.indices[i + 1]],
                         &c = mesh.vertices[mesh.indices[i + 2]];
        const Vec3 across = glm::cross(b.position - a.position, c.position - a.position);
        for (const MeshVertex* v : {&a, &b, &c}) {
            if (std::abs(glm::length(v->normal) - 1.0f) > 1e-5f) return false;
            if (glm::dot(across, v->normal) <= 0.0f) return false;
        }
    }
    return true;
}

double volume_of(const MeshLibrary& library, const ScaledMesh& mesh) {
    return enclosed_volume(library.get(mesh.mesh)) * double(mesh.scale.x) * double(mesh.scale.y) * double(mesh.scale.z);
}

struct Case {
    ShapeDesc desc;
    double fine, coarse;  // how much of the volume may be cut off
};

std::vector<Case> cases() {
    std::vector<Case> out;
    out.push_back({{.type = ShapeType::sphere, .radius = 0.3f}, 0.02, 0.4});
    out.push_back({{.type = ShapeType::box, .half_extents = {0.5f, 0.5f, 0.5f}}, 0.01, 1e-5});
    out.push_back({{.type = ShapeType::box, .half_extents = {0.2f, 3.0f, 1.0f}}, 0.01, 1e-5});
    out.push_back({{.type = ShapeType::box, .half_extents = {50.0f, 0.5f, 50.0f}}, 1e-5, 1e-5});
    out.push_back({{.type = ShapeType::capsule, .radius = 0.25f, .half_height = 1.0f}, 0.02, 0.2});
    out.push_back({{.type = ShapeType::capsule, .radius = 1.0f, .half_height = 0.01f}, 0.03, 0.3});
    ShapeDesc hull;
    hull.type = ShapeType::hull;
    hull.points = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 2.0f, 0.0f}, {0.0f, 0.0f, 3.0f}, {1.0f, 1.0f, 1.0f}};
    out.push_back({hull, 1e-5, 1e-5});
    return out;
}

}  // namespace

TEST_CASE("meshes of shapes are closed, look outward and have the volume of their shape") {
    MeshLibrary library;
    ShapeMeshes meshes(library);
    physics::ShapeLibrary shapes;
    for (const Case& c : cases()) {
        const auto id = shapes.add(c.desc);
        REQUIRE_MESSAGE(id.ok(), id.error());
        const physics::Shape& shape = shapes.get(*id);
        std::vector<ShapeMesh> drawn;
        meshes.add(shape, drawn);
        REQUIRE(drawn.size() == 1);
        const ShapeMesh& mesh = drawn[0];
        CAPTURE(to_string(shape.type));
        CHECK(mesh.radius == shape.bounding_radius);
        for (uint32_t k = 0; k < kDetails; ++k) {
            CAPTURE(k);
            CHECK(is_closed(library.get(mesh.details[k].mesh)));
            CHECK(has_outward_normals(library.get(mesh.details[k].mesh)));
            const double volume = volume_of(library, mesh.details[k]), exact = double(shape.mass.volume);
            CHECK(volume <= exact * (1.0 + 1e-5));
            CHECK(volume >= exact * (1.0 - (k == 0 ? c.fine : std::max(c.fine, c.coarse))));
        }
    }
}

TEST_CASE("a mesh reaches as far as its shape, so that contacts are seen where they are") {
    const Mesh mesh = bevelled_box_mesh({1.0f, 2.0f, 3.0f}, 0.1f);
    Vec3 lower(0.0f), upper(0.0f);
    for (const MeshVertex& v : mesh.vertices) {
        lower = glm::min(lower, v.position);
        upper = glm::max(upper, v.position);
    }
    CHECK(upper == Vec3(1.0f, 2.0f, 3.0f));
    CHECK(lower == Vec3(-1.0f, -2.0f, -3.0f));
    CHECK(mesh.indices.size() == 3 * 44);
}

TEST_CASE("shapes that differ by a scale share a mesh, those of other worlds too") {
    MeshLibrary library;
    ShapeMeshes meshes(library);
    physics::ShapeLibrary first, second;
    const auto box = [](float x, float y, float z) {
        return ShapeDesc{.type = ShapeType::box, .half_extents = {x, y, z}};
    };
    const auto small = first.add(box(0.5f, 0.25f, 0.5f)), large = first.add(box(2.0f, 1.0f, 2.0f));
    const auto other = first.add(box(0.5f, 0.5f, 0.5f));
    const auto ball = first.add({.type = ShapeType::sphere, .radius = 0.1f});
    const auto ball2 = second.add({.type = ShapeType::sphere, .radius = 7.0f});
    MeshCache cache(meshes), cache2(meshes);
    const auto finest = [](MeshCache& meshes_of, const physics::ShapeLibrary& shapes, physics::ShapeId id) {
        REQUIRE(meshes_of.get(shapes, id).size() == 1);
        return meshes_of.get(shapes, id)[0].details[0];
    };
    CHECK(finest(cache, first, *small).mesh == finest(cache, first, *large).mesh);
    CHECK(finest(cache, first, *small).mesh != finest(cache, first, *other).mesh);
    CHECK(finest(cache, first, *ball).mesh == finest(cache2, second, *ball2).mesh);
    CHECK(finest(cache2, second, *ball2).scale == Vec3(7.0f));

    const uint32_t before = library.size();
    MeshCache again(meshes);
    for (uint32_t i = 0; i < first.size(); ++i) (void)again.get(first, physics::ShapeId(i));
    CHECK(library.size() == before);
}

TEST_CASE("boxes of very many proportions share the plain cube") {
    MeshLibrary library;
    ShapeMeshes meshes(library);
    physics::ShapeLibrary shapes;
    MeshCache cache(meshes);
    for (int i = 0; i < 500; ++i) {
        const auto id = shapes.add({.type = ShapeType::box, .half_extents = {1.0f, 1.0f + 0.01f * float(i), 1.0f}});
        REQUIRE(id.ok());
        const ShapeMesh& mesh = cache.get(shapes, *id)[0];
        CHECK(volume_of(library, mesh.details[0]) ==
              doctest::Approx(double(shapes.get(*id).mass.volume)).epsilon(0.01));
    }
    CHECK(library.size() < 100);
}

TEST_CASE("shapes of every class are drawn, and a compound as its children are") {
    MeshLibrary library;
    ShapeMeshes meshes(library);
    physics::ShapeLibrary shapes;
    MeshCache cache(meshes);
    for (const physics::ShapeClass& row : physics::kShapeClasses) {
        CAPTURE(row.name);
        const physics::ShapeId id = shapes.add(row.example()).value();
        const physics::Shape& shape = shapes.get(id);
        const std::span<const ShapeMesh> drawn = cache.get(shapes, id);
        REQUIRE(drawn.size() == std::max<size_t>(shape.parts.size(), 1));
        if (row.unbounded) {
            CHECK(drawn[0].endless);
            continue;
        }
        double volume = 0.0;
        for (const ShapeMesh& mesh : drawn) volume += volume_of(library, mesh.details[0]);
        // Bevels and the faces of round meshes cut a little off; the parts of the example do not overlap by more.
        CHECK(volume == doctest::Approx(double(shape.mass.volume)).epsilon(0.02));
        for (size_t i = 0; i < shape.parts.size(); ++i) {
            std::vector<ShapeMesh> alone;
            meshes.add(shape.parts[i].shape, alone);
            CHECK(drawn[i].details[0].mesh == alone[0].details[0].mesh);
            CHECK(drawn[i].details[0].scale == alone[0].details[0].scale);
            CHECK(drawn[i].radius == alone[0].radius);
            CHECK(drawn[i].local.position == shape.parts[i].local.position);
            CHECK(drawn[i].local.rotation == shape.parts[i].local.rotation);
        }
    }
    cache.forget();
    CHECK(cache.get(shapes, physics::ShapeId{0}).size() == 1);
}
