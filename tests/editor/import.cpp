// SPDX-License-Identifier: MIT
#include "samples/editor/model/import.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/atomic_file.h"
#include "tests/editor/editor_test.h"
#include "tests/support/random.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const char* const kCube = R"(# a cube of two metres, and a vertex that no face uses
o Cube
v -1 -1 -1
v 1.0 -1 -1
v +1 1e0 -1
v -1 1 -1 1.0
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
v 50 50 50
vn 0 0 1
vt 0 0
s off
f 1/1/1 2/1/1 3/1/1 4/1/1
f 5//1 6//1 7//1 8//1
f 1 2 6 5
f -6 -5 -1 -2
)";

std::string bytes_of_floats(const std::vector<float>& values) {
    std::string bytes(values.size() * 4, '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::string base64(const std::string& bytes) {
    const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < bytes.size() ? uint32_t(static_cast<unsigned char>(bytes[i + k])) : 0u);
        for (size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? letters[bits >> (18 - 6 * k) & 63u] : '=';
    }
    return out;
}

/// A tetrahedron of four vertices and a fifth that no triangle uses; `indices` as bytes of the given type.
std::string tetrahedron_bytes(int index_type) {
    std::string bytes = bytes_of_floats({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9});
    for (const unsigned i : {0u, 1u, 2u, 0u, 1u, 3u, 0u, 2u, 3u, 1u, 2u, 3u}) {
        bytes += char(i);
        if (index_type == 5123) bytes += std::string(1, '\0');
        if (index_type == 5125) bytes += std::string(3, '\0');
    }
    return bytes;
}
std::string gltf_text(const std::string& buffer, int index_type, size_t length) {
    const std::string index_count = "12";
    const size_t index_bytes = 12 * (index_type == 5121 ? 1 : index_type == 5123 ? 2 : 4);
    return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
 "nodes": [{"translation": [10, 0, 0], "children": [1, 2]},
           {"mesh": 0, "rotation": [0, 0, 0.70710678, 0.70710678], "scale": [2, 1, 1]},
           {"mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 5, "type": "VEC3"},
               {"bufferView": 1, "componentType": )" +
           std::to_string(index_type) + R"(, "count": 12, "type": "SCALAR"}],
 "bufferViews": [{"buffer": 0, "byteLength": 60}, {"buffer": 0, "byteOffset": 60, "byteLength": )" +
           std::to_string(index_bytes) + R"(}],
 "buffers": [{)" +
           buffer + R"("byteLength": )" + std::to_string(length) + "}]}";
}
std::string embedded(int index_type) {
    const std::string bytes = tetrahedron_bytes(index_type);
    return gltf_text("\"uri\": \"data:application/octet-stream;base64," + base64(bytes) + "\", ", index_type,
                     bytes.size());
}
std::string glb(int index_type) {
    std::string bytes = tetrahedron_bytes(index_type);
    std::string json = gltf_text("", index_type, bytes.size());
    while (json.size() % 4 != 0) json += ' ';
    while (bytes.size() % 4 != 0) bytes += '\0';
    const auto word = [](uint32_t value) {
        std::string out(4, '\0');
        for (int i = 0; i < 4; ++i) out[size_t(i)] = char(value >> (8 * i) & 0xFFu);
        return out;
    };
    return "glTF" + word(2) + word(uint32_t(12 + 8 + json.size() + 8 + bytes.size())) + word(uint32_t(json.size())) +
           "JSON" + json + word(uint32_t(bytes.size())) + std::string("BIN\0", 4) + bytes;
}
Result<std::string> no_parts(const std::string& part) { return Error{"There is no file '" + part + "'."}; }

void check_two_tetrahedra(const std::vector<Vec3>& points) {
    REQUIRE(points.size() == 8);
    const auto near = [&](const Vec3& p) {
        CAPTURE(p.x);
        CAPTURE(p.y);
        CAPTURE(p.z);
        CHECK(std::any_of(points.begin(), points.end(), [&](const Vec3& q) { return glm::length(p - q) < 1e-5f; }));
    };
    // x is doubled and turned to y, then moved; the other one is only moved.
    near({10.0f, 2.0f, 0.0f});
    near({9.0f, 0.0f, 0.0f});
    near({10.0f, 0.0f, 1.0f});
    near({11.0f, 0.0f, 5.0f});
    near({10.0f, 0.0f, 6.0f});
}

}  // namespace

TEST_CASE("an OBJ file gives the vertices that its faces use") {
    const auto points = take(read_obj(kCube, "cube.obj"));
    CHECK(points.size() == 9);  // -1 counts back to the stray vertex
    CHECK(points[2] == Vec3(1.0f, 1.0f, -1.0f));
    CHECK(take(read_obj("v 0 0 0\r\nv 1 0 0\r\n", "cloud.obj")).size() == 2);
    const auto refused = [](const std::string& text, const std::string& part) {
        const auto result = read_obj(text, "bad.obj");
        CHECK_FALSE(result.ok());
        CHECK_MESSAGE(has(result.error(), part), result.error());
        CHECK(has(result.error(), "bad.obj"));
    };
    refused("", "no vertices");
    refused("v 0 0\n", "line 1");
    refused("v 0 0 0\nv 1 nan 0\n", "line 2");
    refused("v 0 0 1e99\n", "finite");
    refused("v 0 0 0\nf 1 2 3\n", "vertex 2");
    refused("v 0 0 0\nf 1 x 3\n", "'x'");
    refused("v 0 0 0\nf 1 1\n", "three");
    refused("v 0 0 0\nf 0 1 1\n", "vertex 0");
    refused("v 0 0 0\nf -2 1 1\n", "vertex -2");
}

TEST_CASE("glTF and GLB give the vertices of all primitives where the nodes put them") {
    for (const int type : {5121, 5123, 5125}) {
        CAPTURE(type);
        check_two_tetrahedra(take(read_gltf(embedded(type), "t.gltf", no_parts)));
        check_two_tetrahedra(take(read_gltf(glb(type), "t.glb", no_parts)));
    }
    const std::string bytes = tetrahedron_bytes(5123);
    const std::string outside = gltf_text("\"uri\": \"my%20mesh.bin\", ", 5123, bytes.size());
    check_two_tetrahedra(take(read_gltf(outside, "t.gltf", [&](const std::string& part) -> Result<std::string> {
        CHECK(part == "my mesh.bin");
        return bytes;
    })));
    // Without indices all vertices count, and without a scene the meshes stand for themselves.
    std::string plain = embedded(5123);
    plain.replace(plain.find(", \"indices\": 1"), 14, "");
    CHECK(take(read_gltf(plain, "t.gltf", no_parts)).size() == 10);
    std::string library = embedded(5123);
    library.replace(library.find("\"scenes\""), 8, "\"sceneries\"");
    CHECK(take(read_gltf(library, "t.gltf", no_parts)).size() == 4);
}

TEST_CASE("a broken glTF file is refused with what is wrong") {
    const auto refused = [](std::string text, const std::string& what, const std::string& with,
                            const std::string& part) {
        const size_t at = text.find(what);
        REQUIRE_MESSAGE(at != std::string::npos, what);
        text.replace(at, what.size(), with);
        const auto result = read_gltf(text, "bad.gltf", no_parts);
        CHECK_FALSE(result.ok());
        CHECK_MESSAGE(has(result.error(), part), result.error());
        CHECK(has(result.error(), "bad.gltf"));
    };
    const std::string good = embedded(5123);
    refused(good, "{", "", "not JSON");
    refused(good, "\"2.0\"", "\"1.0\"", "asset.version");
    refused(good, "\"asset\"", "\"asst\"", "asset.version");
    refused(good, "\"scene\": 0", "\"scene\": 3", "scenes[3]");
    refused(good, "\"nodes\": [0]", "\"nodes\": [7]", "nodes[7]");
    refused(good, "\"children\": [1, 2]", "\"children\": [0]", "own child");
    refused(good, "0.70710678, 0.70710678", "3, 0.70710678", "transform");
    refused(good, "\"mesh\": 0", "\"mesh\": 4", "meshes[4]");
    refused(good, "\"POSITION\": 0", "\"POSITION\": 1", "VEC3");
    refused(good, "\"POSITION\": 0", "\"POSITION\": -1", "POSITION");
    refused(good, "5126", "5120", "componentType");
    refused(good, "\"count\": 5", "\"count\": 6", "beyond the end of its view");
    refused(good, "\"count\": 5", "\"count\": 4000000000000", "too many");
    refused(good, "\"byteLength\": 60}", "\"byteLength\": 6000}", "beyond the end of its buffer");
    refused(good, "\"byteLength\": 84", "\"byteLength\": 85", "84 bytes");
    refused(good, ";base64", ";base63", "base64");
    refused(good, "base64,", "base64,!", "base64");
    refused(good, "data:", "http://", "beside this one");
    refused(good, "data:application", "missing.bin", "missing.bin");
    refused(good, "\"scene\": 0", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"]", "draco");
    refused(good, "\"indices\": 1", "\"indices\": 0", "SCALAR");
    std::string bytes = tetrahedron_bytes(5123);
    bytes[60] = 5;
    const auto index = read_gltf(gltf_text("\"uri\": \"data:;base64," + base64(bytes) + "\", ", 5123, bytes.size()),
                                 "bad.gltf", no_parts);
    CHECK(has(index.error(), "index 5"));
    refused(glb(5123), "glTF\2", "glTF\3", "version 3");
    refused(glb(5123), "JSON", "JSOM", "no JSON");
    refused(glb(5123), "BIN", "BUN", "no binary chunk");
}

TEST_CASE("cut and mangled files never crash, and say something") {
    const std::string files[] = {kCube, embedded(5123), glb(5125)};
    test::Random random{17};
    const auto read = [](size_t kind, const std::string& bytes) {
        const auto result = kind == 0 ? read_obj(bytes, "f") : read_gltf(bytes, "f", no_parts);
        if (result.ok())
            CHECK(result->size() > 0);
        else
            CHECK(result.error().size() > 5);
    };
    for (size_t kind = 0; kind < 3; ++kind) {
        for (size_t length = 0; length < files[kind].size(); ++length) read(kind, files[kind].substr(0, length));
        for (int round = 0; round < 1500; ++round) {
            std::string bytes = files[kind];
            for (uint32_t k = 1 + random.below(4); k > 0; --k) {
                const size_t at = random.below(uint32_t(bytes.size()));
                switch (random.below(4)) {
                    case 0:
                        bytes[at] = char(random.below(256));
                        break;
                    case 1:
                        bytes[at] = char('0' + random.below(10));
                        break;
                    case 2:
                        bytes.erase(at, 1 + random.below(8));
                        break;
                    default:
                        bytes.insert(at, bytes.substr(random.below(uint32_t(bytes.size())), 1 + random.below(8)));
                }
                if (bytes.empty()) bytes = "x";
            }
            read(kind, bytes);
        }
    }
}

TEST_CASE("a hull with too many points is reduced to what a hull can have, and stays near") {
    std::vector<Vec3> ball;
    test::Random random{5};
    while (ball.size() < 5000) {
        const Vec3 p(random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f));
        if (const float r = glm::length(p); r > 0.1f && r < 1.0f) ball.push_back(p / r);
    }
    const ReducedHull hull = take(reduce_hull(ball));
    CHECK_FALSE(hull.exact);
    CHECK(hull.points.size() <= size_t(physics::kMaxHullVertices));
    CHECK(hull.points.size() > 200);
    CHECK(hull.error < 0.03f);
    CHECK(hull.error > 0.0f);
    const auto polytope = take(physics::cook_hull(hull.points));
    CHECK(physics::polytope_mass(polytope).volume == doctest::Approx(4.18879).epsilon(0.03));

    // Many points but few corners: exactly those, whatever lies inside and on the sides.
    std::vector<Vec3> box;
    for (int i = 0; i < 3000; ++i)
        box.emplace_back(random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f));
    for (int i = 0; i < 8; ++i) box.emplace_back(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
    const ReducedHull corners = take(reduce_hull(box));
    CHECK(corners.exact);
    CHECK(corners.points.size() == 8);

    CHECK(has(reduce_hull(std::vector<Vec3>(300, Vec3(1.0f))).error(), "volume"));
    std::vector<Vec3> plate;
    for (int i = 0; i < 400; ++i) plate.emplace_back(float(i % 20), 0.0f, float(i / 20));
    CHECK(has(reduce_hull(plate).error(), "plane"));
    plate[7].x = NAN;
    CHECK(has(reduce_hull(plate).error(), "finite"));
}

TEST_CASE("a mesh becomes a body, in metres, about its centre of mass, in one command") {
    TemporaryFolder folder;
    const std::string file = (folder.path / "crate.obj").string();
    std::string text(kCube);
    text.replace(text.find("v 50 50 50"), 10, "v 0 0 0.00");
    done(write_file(file, text));
    Document document;
    const ImportedBody plain = take(import_mesh(document, file, {.position = {0.0f, 3.0f, 0.0f}}));
    CHECK(plain.vertices == 8);
    CHECK(plain.exact);
    CHECK(document.undo_name() == "Create 'crate'");
    CHECK(document.mass_of(plain.body).mass == doctest::Approx(8000.0));
    check_mirror(document);
    const ImportedBody small =
        take(import_mesh(document, file, {.unit = LengthUnit::centimetre, .scale = 50.0f, .type = BodyType::fixed}));
    CHECK(document.body(small.body)->desc.name == "crate 2");
    CHECK(document.mass_of(small.body).mass == doctest::Approx(1000.0));
    done(document.undo());
    done(document.undo());
    CHECK(document.bodies().empty());

    // A wedge that stands on its z axis elsewhere; its body is where its mass is.
    const std::string wedge = (folder.path / "wedge.obj").string();
    done(write_file(wedge, "v 10 0 0\nv 11 0 0\nv 10 1 0\nv 10 0 3\n"));
    const ImportedBody turned = take(import_mesh(document, wedge, {.z_up = true}));
    CHECK(glm::length(document.mass_of(turned.body).center) < 1e-5f);
    const ShapeDesc& shape = document.shape(document.body(turned.body)->desc.colliders[0].shape);
    float top = -100.0f;
    for (const Vec3& p : shape.points) top = std::max(top, p.y);
    CHECK(top == doctest::Approx(2.25));
    const ImportedBody raw = take(import_mesh(document, wedge, {.centred = false}));
    CHECK(document.mass_of(raw.body).center.x == doctest::Approx(10.25));

    CHECK(has(import_mesh(document, wedge, {.scale = -1.0f}).error(), "scale"));
    CHECK(has(import_mesh(document, (folder.path / "a.stl").string(), {}).error(), ".obj"));
    CHECK(has(import_mesh(document, (folder.path / "a.obj").string(), {}).error(), "a.obj"));
    done(write_file(wedge, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"));
    CHECK(has(import_mesh(document, wedge, {}).error(), "plane"));
    CHECK(document.bodies().size() == 2);
}
