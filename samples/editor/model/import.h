// SPDX-License-Identifier: MIT
// Meshes from other programs as convex bodies: OBJ, glTF 2.0 and GLB. Only places of vertices are read; what
// a broken file lacks is said in a sentence with the file's name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "samples/editor/model/document.h"

namespace proxima::editor {

/// Every vertex that the faces of an OBJ file use, in its units; all of its vertices when it has no faces.
Result<std::vector<Vec3>> read_obj(std::string_view text, const std::string& name);

/// Reads a file that a glTF file names, given relative to it.
using ReadPart = std::function<Result<std::string>(const std::string& relative_name)>;

/// The vertices of all primitives of the default scene, where its nodes put them. `bytes` is JSON or GLB.
Result<std::vector<Vec3>> read_gltf(std::string_view bytes, const std::string& name, const ReadPart& read_part);

/// At most kMaxHullVertices of the points, such that their hull is nearly that of all: the first ones are the
/// farthest in directions all around, then whatever sticks out most of the hull so far. Exact when the hull
/// has no more vertices than that. A sentence when the points span no volume.
struct ReducedHull {
    std::vector<Vec3> points;  // the vertices of the hull
    bool exact = true;
    float error = 0.0f;  // m, how far the farthest point that was left out lies outside
};
Result<ReducedHull> reduce_hull(std::span<const Vec3> points);

enum class LengthUnit : uint8_t { metre, centimetre, millimetre, inch, foot };
double metres_of(LengthUnit unit);

struct ImportOptions {
    LengthUnit unit = LengthUnit::metre;  // of the file's numbers; glTF is in metres by its own definition
    float scale = 1.0f;                   // on top of the unit
    bool z_up = false;                    // the file's z axis becomes y
    bool centred = true;                  // the body's origin is the centre of mass; otherwise the file's
    BodyType type = BodyType::dynamic;
    Vec3 position{0.0f, 0.0f, 0.0f};  // of the new body
};

struct ImportedBody {
    ItemId body = ItemId::none;
    size_t points = 0;    // in the file
    size_t vertices = 0;  // of the hull
    bool exact = true;    // see ReducedHull
};

/// One hull of everything in the file as a new body, named after the file: one command.
Result<ImportedBody> import_mesh(Document& document, const std::string& file, const ImportOptions& options);
/// The same shape without a document.
Result<ReducedHull> load_hull(const std::string& file, const ImportOptions& options, size_t* points = nullptr);

}  // namespace proxima::editor
