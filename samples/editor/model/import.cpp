// SPDX-License-Identifier: MIT
#include "samples/editor/model/import.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <utility>

#include "engine/core/atomic_file.h"
#include "physics/shapes/shape.h"

namespace proxima::editor {

namespace fs = std::filesystem;
using physics::Polytope;

// ---- hulls

namespace {

/// Directions all around, evenly: a spiral of golden angles from pole to pole.
Vec3 spiral_direction(int i, int count) {
    const double y = 1.0 - (2.0 * i + 1.0) / count, r = std::sqrt(1.0 - y * y);
    const double angle = 2.399963229728653 * i;
    return Vec3(float(r * std::cos(angle)), float(y), float(r * std::sin(angle)));
}

struct Chosen {
    std::vector<uint32_t> places;  // into all points
    std::vector<uint8_t> taken;

    bool add(uint32_t place) {
        if (taken[place]) return false;
        taken[place] = 1;
        places.push_back(place);
        return true;
    }
};

uint32_t farthest_along(std::span<const Vec3> points, const Vec3& direction) {
    uint32_t best = 0;
    float most = glm::dot(points[0], direction);
    for (uint32_t i = 1; i < points.size(); ++i)
        if (const float at = glm::dot(points[i], direction); at > most) {
            most = at;
            best = i;
        }
    return best;
}

float height_over(const Polytope::Face& face, const Vec3& point) { return glm::dot(face.normal, point) - face.offset; }

/// Of the points that lie outside the hull, the farthest of each face. Points inside are dropped from
/// `outside`: hulls only grow, so they never matter again.
struct Sticking {
    float height = 0.0f;
    uint32_t place = 0;
};
std::vector<Sticking> what_sticks_out(const Polytope& hull, std::span<const Vec3> points,
                                      std::vector<uint32_t>& outside, float tolerance) {
    std::vector<Sticking> by_face(hull.faces.size());
    size_t kept = 0;
    for (const uint32_t place : outside) {
        bool is_outside = false;
        for (size_t f = 0; f < hull.faces.size(); ++f) {
            const float height = height_over(hull.faces[f], points[place]);
            if (height <= tolerance) continue;
            is_outside = true;
            if (height > by_face[f].height) by_face[f] = {height, place};
        }
        if (is_outside) outside[kept++] = place;
    }
    outside.resize(kept);
    std::erase_if(by_face, [](const Sticking& s) { return s.height <= 0.0f; });
    std::sort(by_face.begin(), by_face.end(), [](const Sticking& a, const Sticking& b) {
        return a.height != b.height ? a.height > b.height : a.place < b.place;
    });
    return by_face;
}

Result<Polytope> cook(std::span<const Vec3> points, const Chosen& chosen) {
    std::vector<Vec3> list;
    list.reserve(chosen.places.size());
    for (const uint32_t place : chosen.places) list.push_back(points[place]);
    return physics::cook_hull(list);
}

float extent(std::span<const Vec3> points) {
    Vec3 lower = points[0], upper = points[0];
    for (const Vec3& p : points) {
        lower = glm::min(lower, p);
        upper = glm::max(upper, p);
    }
    const Vec3 size = upper - lower;
    return std::max({size.x, size.y, size.z});
}

}  // namespace

Result<ReducedHull> reduce_hull(std::span<const Vec3> points) {
    const auto of = [](const Polytope& hull, bool exact, float error) {
        return ReducedHull{hull.vertices, exact, error};
    };
    for (size_t i = 0; i < points.size(); ++i)
        if (!is_finite(points[i])) return Error{"Point " + std::to_string(i) + " is not finite."};
    constexpr size_t kMost = size_t(physics::kMaxHullVertices);
    if (points.size() <= kMost) {
        const Result<Polytope> hull = physics::cook_hull(points);
        if (!hull) return Error{hull.error()};
        return of(*hull, true, 0.0f);
    }
    constexpr int kDirections = 128;
    Chosen chosen;
    chosen.taken.assign(points.size(), 0);
    for (int axis = 0; axis < 3; ++axis)
        for (const float side : {1.0f, -1.0f}) {
            Vec3 direction(0.0f);
            direction[axis] = side;
            chosen.add(farthest_along(points, direction));
        }
    for (int i = 0; i < kDirections; ++i) chosen.add(farthest_along(points, spiral_direction(i, kDirections)));
    if (chosen.places.size() < 4) return Error{"All points lie on one line or in one place; a hull needs a volume."};
    Result<Polytope> hull = cook(points, chosen);
    if (!hull) return Error{hull.error()};

    // What is left of the gap to the exact hull is closed where it is widest, a few points at a time, because
    // every new point changes the faces around it. The tolerance is what cooking itself welds.
    const float tolerance = 1e-4f * extent(points);
    std::vector<uint32_t> outside(points.size());
    for (uint32_t i = 0; i < outside.size(); ++i) outside[i] = i;
    for (;;) {
        const std::vector<Sticking> sticking = what_sticks_out(*hull, points, outside, tolerance);
        const float error = sticking.empty() ? 0.0f : sticking[0].height;
        const size_t room = kMost - std::min(kMost, chosen.places.size());
        if (sticking.empty() || room == 0) return of(*hull, sticking.empty(), error);
        size_t added = 0;
        const size_t batch = std::clamp<size_t>(room / 2, 1, 64);
        for (const Sticking& s : sticking) {
            if (added == batch) break;
            added += chosen.add(s.place);
        }
        Result<Polytope> larger = added > 0 ? cook(points, chosen) : Result<Polytope>(Error{"nothing new"});
        if (!larger) return of(*hull, false, error);
        hull = std::move(larger);
    }
}

// ---- files

double metres_of(LengthUnit unit) {
    switch (unit) {
        case LengthUnit::metre:
            return 1.0;
        case LengthUnit::centimetre:
            return 0.01;
        case LengthUnit::millimetre:
            return 0.001;
        case LengthUnit::inch:
            return 0.0254;
        case LengthUnit::foot:
            return 0.3048;
    }
    return 1.0;
}

namespace {

std::string ending_of(const std::string& file) {
    std::string ending = fs::path(file).extension().string();
    for (char& c : ending) c = char(std::tolower(static_cast<unsigned char>(c)));
    return ending;
}

Result<std::vector<Vec3>> read_points(const std::string& file) {
    const std::string ending = ending_of(file);
    if (ending != ".obj" && ending != ".gltf" && ending != ".glb")
        return Error{"Cannot import '" + file + "': the endings .obj, .gltf and .glb are read."};
    const Result<std::string> bytes = read_file(file);
    if (!bytes) return Error{bytes.error()};
    if (ending == ".obj") return read_obj(*bytes, file);
    const fs::path folder = fs::path(file).parent_path();
    return read_gltf(*bytes, file, [&](const std::string& part) { return read_file((folder / part).string()); });
}

}  // namespace

Result<ReducedHull> load_hull(const std::string& file, const ImportOptions& options, size_t* count) {
    const double scale = double(options.scale) * metres_of(options.unit);
    if (!(std::isfinite(scale) && scale > 0.0))
        return Error{"The scale of an import must be a positive finite number; it was " +
                     std::to_string(options.scale) + "."};
    Result<std::vector<Vec3>> points = read_points(file);
    if (!points) return Error{points.error()};
    if (count) *count = points->size();
    for (Vec3& p : *points) {
        if (options.z_up) p = Vec3(p.x, p.z, -p.y);
        p = Vec3(scale * glm::dvec3(p));
    }
    Result<ReducedHull> hull = reduce_hull(*points);
    if (!hull) return Error{"Cannot import '" + file + "': " + hull.error()};
    return hull;
}

Result<ImportedBody> import_mesh(Document& document, const std::string& file, const ImportOptions& options) {
    ImportedBody imported;
    Result<ReducedHull> hull = load_hull(file, options, &imported.points);
    if (!hull) return Error{hull.error()};
    if (options.centred) {
        const Result<Polytope> polytope = physics::cook_hull(hull->points);
        if (!polytope) return Error{"Cannot import '" + file + "': " + polytope.error()};
        const Vec3 center = physics::polytope_mass(*polytope).center;
        for (Vec3& p : hull->points) p -= center;
    }
    imported.vertices = hull->points.size();
    imported.exact = hull->exact;
    SceneBody desc;
    desc.name = fs::path(file).stem().string();
    desc.type = options.type;
    desc.position = options.position;
    NewCollider collider;
    collider.shape.type = ShapeType::hull;
    collider.shape.points = std::move(hull->points);
    const Result<ItemId> body = document.create_body(std::move(desc), {std::move(collider)});
    if (!body) return Error{"Cannot import '" + file + "': " + body.error()};
    imported.body = *body;
    return imported;
}

}  // namespace proxima::editor
