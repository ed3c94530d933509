// SPDX-License-Identifier: MIT
#include "tests/fuzz/files.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "physics/contact/delassus_file.h"
#include "physics/contact/dump_file.h"
#include "physics/contact/problem_file.h"
#include "physics/physics.h"
#include "physics/solvers/solver.h"
#include "samples/editor/model/import.h"
#include "samples/scenes/scenes.h"
#include "tests/fuzz/mutate.h"

namespace proxima::fuzz {

using namespace proxima::physics;

namespace {

constexpr float kDt = 1.0f / 60.0f;

constexpr size_t kMaxSentence = 1000;

template <class T>
Tried refused(const Result<T>& result) {
    const std::string& said = result.error();
    if (said.size() < 10 || (said.back() != '.' && said.back() != '?'))
        return {false, "It was refused without a sentence: '" + said + "'."};
    if (said.size() > kMaxSentence)
        return {false,
                "It was refused with " + std::to_string(said.size()) + " letters: '" + said.substr(0, 100) + "'."};
    return {};
}

// ---- scenes and recordings

/// Makes the bodies and steps twice, with less work than a scene may ask for.
Tried try_scene_desc(SceneDesc scene) {
    if (scene.bodies.size() > 100) return {true, {}};
    StepSettings& s = scene.settings;
    s.substeps = std::min(s.substeps, 4u);
    s.iterations = std::min(s.iterations, 4u);
    s.relax_iterations = std::min(s.relax_iterations, 4u);
    s.projection_passes = std::min(s.projection_passes, 4u);
    PhysicsWorld world;
    const Result<std::vector<Entity>> made = instantiate(scene, world);
    if (!made) return refused(made);
    for (int k = 0; k < 2; ++k)
        if (const Result<void> stepped = world.step(kDt); !stepped) return refused(stepped);
    const Result<SceneDesc> again = parse_scene(write_scene(scene), "again");
    if (!again) return {true, "A scene that was read cannot be written and read again: " + again.error()};
    return {true, {}};
}

Tried try_scene(const std::string& text) {
    const Result<SceneDesc> scene = parse_scene(text, "scene.json");
    return scene ? try_scene_desc(scene.value()) : refused(scene);
}

Tried try_recording(const std::string& bytes) {
    const Result<Recording> recording = parse_recording(bytes, "run.rec");
    if (!recording) return refused(recording);
    if (format_recording(recording.value()).size() > 4 * bytes.size() + 10000)
        return {true, "A recording became much larger by being read."};
    return try_scene_desc(recording->scene);
}

/// Small scenes, and one that uses every field there is.
std::span<const std::string> good_scenes() {
    static const std::vector<std::string> files = [] {
        std::vector<std::string> made;
        for (const char* name : {"tower5", "cards2", "dominoes"})
            if (const Result<SceneDesc> scene = samples::make_scene(name); scene && scene->bodies.size() <= 60)
                made.push_back(write_scene(scene.value()));
        SceneDesc scene;
        scene.name = "every field";
        scene.shapes = {{.type = ShapeType::box, .half_extents = {0.5f, 0.25f, 0.125f}},
                        {.type = ShapeType::sphere, .radius = 0.5f},
                        {.type = ShapeType::capsule, .radius = 0.25f, .half_height = 0.5f},
                        {.type = ShapeType::half_space},
                        {.type = ShapeType::hull,
                         .points = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}}}};
        for (uint32_t k = 0; k < 5; ++k) {
            SceneBody body;
            body.name = "body " + std::to_string(k);
            body.type = k == 3 ? BodyType::fixed : k == 1 ? BodyType::kinematic : BodyType::dynamic;
            body.position = {0.3f * float(k), float(k), 0.0f};
            body.linear_velocity = {0.0f, -1.0f, 0.0f};
            body.angular_velocity = {0.0f, 0.0f, 2.0f};
            body.mass = k == 2 ? 3.0f : 0.0f;
            body.linear_damping = 0.1f;
            body.allow_sleep = k != 4;
            SceneCollider collider;
            collider.shape = k;
            collider.scale = k == 3 ? Vec3(1.0f) : Vec3(2.0f);
            collider.material = {.friction = 0.4f,
                                 .restitution = 0.3f,
                                 .friction_direction = {1.0f, 0.0f, 0.0f},
                                 .friction_across = 0.1f,
                                 .torsional_friction = 0.01f,
                                 .rolling_friction = 0.02f,
                                 .surface_velocity = {0.0f, 0.0f, 0.5f}};
            collider.group = int32_t(k) - 2;
            collider.sensor = k == 2;
            collider.rules = {.one_way = {0.0f, 1.0f, 0.0f}, .hit_speed = 2.0f, .break_impulse = 100.0f};
            body.colliders = {collider};
            scene.bodies.push_back(body);
        }
        made.push_back(write_scene(scene));
        return made;
    }();
    return files;
}

std::span<const std::string> good_recordings() {
    static const std::vector<std::string> files = [] {
        std::vector<std::string> made;
        for (const std::string& text : good_scenes()) {
            const Result<SceneDesc> scene = parse_scene(text, "scene.json");
            PhysicsWorld world;
            if (!scene || !instantiate(scene.value(), world)) continue;
            Recording recording;
            recording.begin(scene.value(), kDt);
            for (int k = 0; k < 5; ++k) {
                (void)world.step(kDt);
                recording.add_step(world);
            }
            made.push_back(format_recording(recording));
        }
        return made;
    }();
    return files;
}

// ---- contact problems

/// Which solver is tried depends on the file, so that all of them come about.
Tried try_solve(const DelassusProblem& problem, const std::string& bytes) {
    if (problem.size() == 0 || problem.size() > 12) return {true, {}};
    StateHash hash;
    hash.add_text(bytes);
    DelassusSystem system(problem);
    SolveSettings settings;
    settings.iterations = 5;
    const std::span<const Solver> table = solver_table();
    (void)table[hash.value() % table.size()].solve_matrix(system, settings);
    return {true, {}};
}

Tried try_problem(const std::string& text) {
    const Result<DelassusProblem> problem = parse_problem(text, "problem.dat");
    return problem ? try_solve(problem.value(), text) : refused(problem);
}

Tried try_dump(const std::string& bytes) {
    const Result<ContactDump> dump = parse_dump(bytes, "problem.pxc");
    if (!dump) return refused(dump);
    const Result<DelassusProblem> problem = to_matrix(dump.value());
    return problem ? try_solve(problem.value(), bytes) : refused(problem);
}

const std::vector<ContactDump>& good_problems() {
    static const std::vector<ContactDump> dumps = [] {
        std::vector<ContactDump> made;
        for (uint32_t boxes = 1; boxes <= 3; ++boxes) {
            PhysicsWorld world;
            const ShapeId box = world.shapes().add({.type = ShapeType::box}).value();
            const ShapeId plane = world.shapes().add({.type = ShapeType::half_space}).value();
            const Entity floor = world.create_body({.type = BodyType::fixed}).value();
            (void)world.add_collider(floor, {.shape = plane});
            for (uint32_t k = 0; k < boxes; ++k) {
                const Entity body = world.create_body({.pose = {.position = {0.0f, 0.5f + float(k), 0.0f}}}).value();
                (void)world.add_collider(body, {.shape = box});
            }
            for (int k = 0; k < 3; ++k) (void)world.step(kDt);
            if (Result<ContactDump> dump = world.capture(kDt); dump) made.push_back(std::move(dump.value()));
        }
        return made;
    }();
    return dumps;
}

std::span<const std::string> good_texts() {
    static const std::vector<std::string> files = [] {
        std::vector<std::string> made;
        for (const ContactDump& dump : good_problems())
            if (const Result<DelassusProblem> problem = to_matrix(dump); problem)
                for (const MatrixStorage storage : {MatrixStorage::dense, MatrixStorage::sparse})
                    made.push_back(format_problem(problem.value(), storage));
        return made;
    }();
    return files;
}

std::span<const std::string> good_dumps() {
    static const std::vector<std::string> files = [] {
        std::vector<std::string> made;
        for (const ContactDump& dump : good_problems()) made.push_back(format_dump(dump));
        return made;
    }();
    return files;
}

// ---- meshes

Tried try_points(const Result<std::vector<Vec3>>& points) {
    if (!points) return refused(points);
    const Result<editor::ReducedHull> hull = editor::reduce_hull(points.value());
    return hull ? Tried{true, {}} : refused(hull);
}

Tried try_obj(const std::string& text) { return try_points(editor::read_obj(text, "mesh.obj")); }

std::string tetrahedron_bytes() {
    const float places[] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f};
    const uint16_t indices[] = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3};
    std::string bytes(sizeof(places) + sizeof(indices), '\0');
    std::memcpy(bytes.data(), places, sizeof(places));
    std::memcpy(bytes.data() + sizeof(places), indices, sizeof(indices));
    return bytes;
}

Tried try_gltf(const std::string& bytes) {
    return try_points(editor::read_gltf(bytes, "mesh.gltf", [](const std::string& part) -> Result<std::string> {
        if (part == "points.bin") return tetrahedron_bytes();
        return Error{"There is no file '" + part + "'."};
    }));
}

std::span<const std::string> good_objs() {
    static const std::vector<std::string> files = {
        "# a cube\no Cube\nv -1 -1 -1\nv 1.0 -1 -1\nv +1 1e0 -1\nv -1 1 -1 1.0\nv -1 -1 1\nv 1 -1 1\nv 1 1 "
        "1\nv -1 1 1\n"
        "v 50 50 50\nvn 0 0 1\nvt 0 0\ns off\nf 1/1/1 2/1/1 3/1/1 4/1/1\nf 5//1 6//1 7//1 8//1\nf 1 2 6 5\nf "
        "-6 -5 -1 -2\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", [] {
            std::string many;  // more than a hull can have, so that it is reduced
            Source source(7);
            for (int k = 0; k < 400; ++k) {
                const Vec3 v = source.vector(1.0f);
                many += "v " + std::to_string(v.x) + " " + std::to_string(v.y) + " " + std::to_string(v.z) + "\n";
            }
            return many;
        }()};
    return files;
}

std::string tetrahedron_json(const std::string& buffer) {
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"translation":[1,2,3],)"
           R"("rotation":[0,0,0,1],"scale":[1,2,1],"children":[1]},{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],)"
           R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"mode":4}]}],)"
           R"("accessors":[{"bufferView":0,"byteOffset":0,"componentType":5126,"count":4,"type":"VEC3"},)"
           R"({"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}],)"
           R"("bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48,"byteStride":12},)"
           R"({"buffer":0,"byteOffset":48,"byteLength":24}],"buffers":[)" +
           buffer + "]}";
}

std::string base64(const std::string& bytes) {
    const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (size_t i = 0; i + 2 < bytes.size(); i += 3) {  // a multiple of three
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) bits = bits << 8 | uint8_t(bytes[i + k]);
        for (int shift = 18; shift >= 0; shift -= 6) out += letters[bits >> shift & 63u];
    }
    return out;
}

std::span<const std::string> good_gltfs() {
    static const std::vector<std::string> files = {
        tetrahedron_json(R"({"byteLength":72,"uri":"data:application/octet-stream;base64,)" +
                         base64(tetrahedron_bytes()) + "\"}"),
        tetrahedron_json(R"({"byteLength":72,"uri":"points.bin"})")};
    return files;
}

std::span<const std::string> good_glbs() {
    static const std::vector<std::string> files = {[] {
        std::string json = tetrahedron_json(R"({"byteLength":72})");
        while (json.size() % 4 != 0) json += ' ';
        const std::string binary = tetrahedron_bytes();
        std::string out;
        const auto word = [&](uint32_t value) {
            for (int shift = 0; shift < 32; shift += 8) out += char(value >> shift & 0xFFu);
        };
        word(0x46546C67u), word(2), word(uint32_t(12 + 8 + json.size() + 8 + binary.size()));
        word(uint32_t(json.size())), word(0x4E4F534Au);
        out += json;
        word(uint32_t(binary.size())), word(0x004E4942u);
        return out + binary;
    }()};
    return files;
}

constexpr FileKind kKinds[] = {
    {"scene", try_scene, good_scenes, true, nullptr},
    {"problem", try_problem, good_texts, true, nullptr},
    {"dump", try_dump, good_dumps, false, update_dump_checksum},
    {"recording", try_recording, good_recordings, false, update_recording_checksum},
    {"obj", try_obj, good_objs, true, nullptr},
    {"gltf", try_gltf, good_gltfs, true, nullptr},
    {"glb", try_gltf, good_glbs, false, nullptr},
};

}  // namespace

std::span<const FileKind> file_kinds() { return kKinds; }

const FileKind* find_file_kind(std::string_view name) {
    for (const FileKind& kind : kKinds)
        if (kind.name == name) return &kind;
    return nullptr;
}

std::string make_damaged(const FileKind& kind, Source& source) {
    const std::span<const std::string> good = kind.good_files();
    const std::string& from = source.pick_of(good);
    std::string bytes = kind.is_text ? mutate_text(from, good, source) : mutate_bytes(from, good, source);
    if (kind.update_checksum && !source.once_in(6)) kind.update_checksum(bytes);
    return bytes;
}

std::string run_file_cases(const FileKind& kind, uint64_t first, uint64_t count) {
    for (uint64_t number = first; number < first + count; ++number) {
        Source source(number);
        if (Tried tried = kind.try_file(make_damaged(kind, source)); !tried.wrong.empty()) return tried.wrong;
    }
    return {};
}

}  // namespace proxima::fuzz
