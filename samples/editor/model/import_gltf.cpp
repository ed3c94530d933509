// SPDX-License-Identifier: MIT
// The part of glTF 2.0 that says where vertices are: buffers, views, accessors, meshes, nodes. Every number
// of the file is checked before it is used; nothing is believed because it is usual.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <glm/mat4x4.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/core/suggest.h"
#include "samples/editor/model/import.h"

namespace proxima::editor {

namespace {

using Json = nlohmann::json;

constexpr uint32_t kGlbMagic = 0x46546C67u;  // "glTF"
constexpr uint32_t kJsonChunk = 0x4E4F534Au, kBinaryChunk = 0x004E4942u;
constexpr int kByte = 5121, kShort = 5123, kInt = 5125, kFloat = 5126;  // component types, unsigned ones
constexpr size_t kMaxPoints = 20'000'000, kMaxNodes = 200'000, kDeepest = 100;

uint32_t word_at(std::string_view bytes, size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value |= uint32_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
}

/// Base 64 as data URIs have it; nothing when a letter is none of the 64.
std::optional<std::string> from_base64(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string out;
    out.reserve(text.size() * 3 / 4);
    uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        uint32_t value = 0;
        if (c >= 'A' && c <= 'Z')
            value = uint32_t(c - 'A');
        else if (c >= 'a' && c <= 'z')
            value = uint32_t(c - 'a') + 26;
        else if (c >= '0' && c <= '9')
            value = uint32_t(c - '0') + 52;
        else if (c == '+' || c == '-')
            value = 62;
        else if (c == '/' || c == '_')
            value = 63;
        else
            return std::nullopt;
        bits = (bits << 6) | value;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        out.push_back(char((bits >> count) & 0xFFu));
    }
    return out;
}

/// "my%20mesh.bin" -> "my mesh.bin".
std::string from_percent(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto digit = [&](size_t at) {
            const char c = at < text.size() ? text[at] : 'x';
            if (c >= '0' && c <= '9') return c - '0';
            if (c >= 'a' && c <= 'f') return c - 'a' + 10;
            if (c >= 'A' && c <= 'F') return c - 'A' + 10;
            return -1;
        };
        if (text[i] == '%' && digit(i + 1) >= 0 && digit(i + 2) >= 0) {
            out.push_back(char(digit(i + 1) * 16 + digit(i + 2)));
            i += 2;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

class GltfReader {
  public:
    GltfReader(const std::string& name, const ReadPart& read_part) : name_(name), read_part_(read_part) {}

    Result<std::vector<Vec3>> read(std::string_view bytes) {
        if (Result<void> opened = open(bytes); !opened) return Error{opened.error()};
        if (Result<void> walked = walk_scene(); !walked) return Error{walked.error()};
        if (points_.empty()) return fail("there is no mesh in it.");
        return std::move(points_);
    }

  private:
    Error fail(const std::string& what) const { return Error{"'" + name_ + "': " + what}; }

    // ---- JSON without surprises

    /// The element of a list of the file, such as meshes[3]; nullptr when there is none.
    const Json* element(const char* list, size_t at) const {
        const auto found = json_.find(list);
        if (found == json_.end() || !found->is_array() || at >= found->size()) return nullptr;
        const Json& value = (*found)[at];
        return value.is_object() ? &value : nullptr;
    }
    /// A whole number that is not negative; nothing when it is absent or anything else.
    static std::optional<size_t> whole(const Json& object, const char* key) {
        const auto found = object.find(key);
        if (found == object.end() || !found->is_number()) return std::nullopt;
        const double value = found->get<double>();
        if (!(value >= 0.0 && value <= 9e15) || value != std::floor(value)) return std::nullopt;
        return size_t(value);
    }
    static size_t whole_or(const Json& object, const char* key, size_t otherwise) {
        return whole(object, key).value_or(otherwise);
    }
    template <size_t count>
    static bool numbers(const Json& object, const char* key, double (&out)[count]) {
        const auto found = object.find(key);
        if (found == object.end()) return true;  // `out` keeps its defaults
        if (!found->is_array() || found->size() != count) return false;
        for (size_t i = 0; i < count; ++i) {
            if (!(*found)[i].is_number()) return false;
            out[i] = (*found)[i].template get<double>();
            if (!std::isfinite(out[i])) return false;
        }
        return true;
    }

    // ---- the file and its parts

    Result<void> open(std::string_view bytes) {
        std::string_view text = bytes;
        if (bytes.size() >= 4 && word_at(bytes, 0) == kGlbMagic) {
            if (bytes.size() < 20) return fail("the GLB file is cut short.");
            if (word_at(bytes, 4) != 2)
                return fail("it is GLB version " + std::to_string(word_at(bytes, 4)) + "; version 2 is read.");
            if (word_at(bytes, 8) > bytes.size())
                return fail("it says that it has " + std::to_string(word_at(bytes, 8)) + " bytes, but has " +
                            std::to_string(bytes.size()) + ".");
            text = {};
            for (size_t at = 12; at + 8 <= bytes.size();) {
                const size_t length = word_at(bytes, at);
                const uint32_t kind = word_at(bytes, at + 4);
                if (length > bytes.size() - at - 8) return fail("a chunk of the GLB file is cut short.");
                const std::string_view chunk = bytes.substr(at + 8, length);
                if (kind == kJsonChunk && text.empty()) text = chunk;
                if (kind == kBinaryChunk && binary_.empty()) binary_ = chunk;
                at += 8 + length;
            }
            if (text.empty()) return fail("the GLB file has no JSON chunk.");
        }
        json_ = Json::parse(text, nullptr, false);
        if (json_.is_discarded() || !json_.is_object()) return fail("it is not JSON, or cut short.");
        return check_header();
    }

    Result<void> check_header() {
        const auto asset = json_.find("asset");
        if (asset == json_.end() || !asset->is_object() || !asset->contains("version"))
            return fail("it is no glTF file: asset.version is missing.");
        const Json& version = (*asset)["version"];
        if (!version.is_string() || !version.get_ref<const std::string&>().starts_with("2."))
            return fail("asset.version must be 2.0 or a later 2.");
        if (const auto needed = json_.find("extensionsRequired"); needed != json_.end()) {
            if (!needed->is_array()) return fail("extensionsRequired must be a list.");
            for (const Json& extension : *needed) {
                const std::string what = extension.is_string() ? extension.get<std::string>() : "?";
                // Only what changes places of vertices is of interest here.
                if (!what.starts_with("KHR_materials") && !what.starts_with("KHR_texture") &&
                    what != "KHR_lights_punctual")
                    return fail("it needs the extension " + what + ", which is not read.");
            }
        }
        return {};
    }

    Result<void> load_buffer(size_t at) {
        if (at < buffers_.size() && !buffers_[at].empty()) return {};
        const Json* buffer = element("buffers", at);
        const std::string what = "buffers[" + std::to_string(at) + "]";
        if (!buffer) return fail(what + " is missing.");
        const auto length = whole(*buffer, "byteLength");
        if (!length) return fail(what + ".byteLength is missing or no whole number.");
        std::string bytes;
        const auto uri = buffer->find("uri");
        if (uri == buffer->end()) {
            if (at != 0 || binary_.empty()) return fail(what + " has no uri, and the file has no binary chunk.");
            bytes = std::string(binary_);
        } else if (!uri->is_string()) {
            return fail(what + ".uri must be text.");
        } else if (const auto& text = uri->get_ref<const std::string&>(); text.starts_with("data:")) {
            const size_t comma = text.find(',');
            const std::string_view all(text);
            if (comma == std::string::npos || !all.substr(0, comma).ends_with(";base64"))
                return fail(what + ".uri holds data that is not base64.");
            auto decoded = from_base64(all.substr(comma + 1));
            if (!decoded) return fail(what + ".uri holds letters that are not base64.");
            bytes = std::move(*decoded);
        } else {
            if (text.find("://") != std::string::npos || text.starts_with('/') || text.starts_with('\\'))
                return fail(what + ".uri is '" + clip(text) + "'; only files beside this one are read.");
            Result<std::string> read = read_part_(from_percent(text));
            if (!read) return fail(what + ": " + read.error());
            bytes = std::move(*read);
        }
        if (bytes.size() < *length)
            return fail(what + " has " + std::to_string(bytes.size()) + " bytes; byteLength says " +
                        std::to_string(*length) + ".");
        if (buffers_.size() <= at) buffers_.resize(at + 1);
        buffers_[at] = std::move(bytes);
        return {};
    }

    /// An accessor as raw elements: `size` bytes each, `stride` apart, all inside the buffer.
    struct Elements {
        const char* first = nullptr;
        size_t count = 0, stride = 0;
        int component = 0;
    };
    Result<Elements> elements(size_t at, const char* type, size_t components) {
        const std::string what = "accessors[" + std::to_string(at) + "]";
        const Json* accessor = element("accessors", at);
        if (!accessor) return fail(what + " is missing.");
        if (accessor->contains("sparse")) return fail(what + " is sparse, which is not read.");
        const auto kind = accessor->find("type");
        if (kind == accessor->end() || !kind->is_string() || kind->get_ref<const std::string&>() != type)
            return fail(what + ".type must be " + type + ".");
        const auto component = whole(*accessor, "componentType"), count = whole(*accessor, "count");
        if (!component || !count) return fail(what + " needs componentType and count.");
        size_t size = 0;
        if (*component == kByte) size = 1;
        if (*component == kShort) size = 2;
        if (*component == kInt || *component == kFloat) size = 4;
        if (size == 0)
            return fail(what + ".componentType is " + std::to_string(*component) +
                        "; floats and unsigned whole numbers are read.");
        if (*count > kMaxPoints) return fail(what + ".count is " + std::to_string(*count) + "; that is too many.");
        const auto view_at = whole(*accessor, "bufferView");
        if (!view_at) return fail(what + ".bufferView is missing.");
        const Json* view = element("bufferViews", *view_at);
        const std::string view_name = "bufferViews[" + std::to_string(*view_at) + "]";
        if (!view) return fail(view_name + " is missing.");
        const auto buffer = whole(*view, "buffer"), length = whole(*view, "byteLength");
        if (!buffer || !length) return fail(view_name + " needs buffer and byteLength.");
        if (*buffer > 10000) return fail(view_name + ".buffer is too large.");
        if (Result<void> loaded = load_buffer(*buffer); !loaded) return Error{loaded.error()};
        const std::string& bytes = buffers_[*buffer];
        const size_t begin = whole_or(*view, "byteOffset", 0), offset = whole_or(*accessor, "byteOffset", 0);
        const size_t stride = whole_or(*view, "byteStride", size * components);
        if (begin > bytes.size() || *length > bytes.size() - begin)
            return fail(view_name + " reaches beyond the end of its buffer.");
        if (stride < size * components || stride > 65536) return fail(view_name + ".byteStride makes no sense.");
        // The last element need not have the whole stride.
        const size_t needed = *count == 0 ? 0 : (*count - 1) * stride + size * components;
        if (offset > *length || needed > *length - offset) return fail(what + " reaches beyond the end of its view.");
        return Elements{bytes.data() + begin + offset, *count, stride, int(*component)};
    }

    // ---- meshes and nodes

    Result<void> add_primitive(const Json& primitive, const std::string& what, const glm::dmat4& transform) {
        if (!primitive.is_object()) return fail(what + " must be an object.");
        const auto attributes = primitive.find("attributes");
        if (attributes == primitive.end() || !attributes->is_object()) return fail(what + ".attributes is missing.");
        if (!attributes->contains("POSITION")) return {};  // nothing to be seen of it
        const auto positions_at = whole(*attributes, "POSITION");
        if (!positions_at) return fail(what + ".attributes.POSITION must be the number of an accessor.");
        const Result<Elements> positions = elements(*positions_at, "VEC3", 3);
        if (!positions) return Error{positions.error()};
        if (positions->component != kFloat)
            return fail("accessors[" + std::to_string(*positions_at) + "]: positions must be floats.");
        const auto add = [&](size_t i) -> Result<void> {
            float xyz[3];
            std::memcpy(xyz, positions->first + i * positions->stride, sizeof(xyz));
            const Vec3 point(transform * glm::dvec4(xyz[0], xyz[1], xyz[2], 1.0));
            if (!is_finite(point)) return fail(what + ": vertex " + std::to_string(i) + " is not finite.");
            if (points_.size() >= kMaxPoints) return fail("it has more vertices than can be read.");
            points_.push_back(point);
            return {};
        };
        std::vector<uint8_t> used(positions->count, 1);
        if (primitive.contains("indices")) {
            if (Result<void> marked = mark_used(primitive, what, used); !marked) return marked;
        }
        for (size_t i = 0; i < used.size(); ++i)
            if (used[i])
                if (Result<void> added = add(i); !added) return added;
        return {};
    }

    Result<void> mark_used(const Json& primitive, const std::string& what, std::vector<uint8_t>& used) {
        const auto at = whole(primitive, "indices");
        if (!at) return fail(what + ".indices must be the number of an accessor.");
        const Result<Elements> indices = elements(*at, "SCALAR", 1);
        if (!indices) return Error{indices.error()};
        if (indices->component == kFloat) return fail(what + ".indices must be whole numbers.");
        std::fill(used.begin(), used.end(), uint8_t(0));
        const size_t size = indices->component == kByte ? 1 : indices->component == kShort ? 2 : 4;
        for (size_t i = 0; i < indices->count; ++i) {
            size_t vertex = 0;
            for (size_t k = 0; k < size; ++k)
                vertex |= size_t(static_cast<unsigned char>(indices->first[i * indices->stride + k])) << (8 * k);
            if (vertex >= used.size())
                return fail(what + ": index " + std::to_string(vertex) + " names a vertex beyond the " +
                            std::to_string(used.size()) + " there are.");
            used[vertex] = 1;
        }
        return {};
    }

    Result<void> add_mesh(size_t at, const glm::dmat4& transform) {
        const std::string what = "meshes[" + std::to_string(at) + "]";
        const Json* mesh = element("meshes", at);
        if (!mesh) return fail(what + " is missing.");
        const auto primitives = mesh->find("primitives");
        if (primitives == mesh->end() || !primitives->is_array()) return fail(what + ".primitives is missing.");
        for (size_t i = 0; i < primitives->size(); ++i)
            if (Result<void> added =
                    add_primitive((*primitives)[i], what + ".primitives[" + std::to_string(i) + "]", transform);
                !added)
                return added;
        return {};
    }

    /// The matrix of a node: given as such, or as translation, rotation and scale.
    static bool node_matrix(const Json& node, glm::dmat4& out) {
        if (node.contains("matrix")) {
            double m[16] = {};
            if (!numbers(node, "matrix", m)) return false;
            for (int i = 0; i < 16; ++i) out[i / 4][i % 4] = m[i];
            return true;
        }
        double t[3] = {0.0, 0.0, 0.0}, r[4] = {0.0, 0.0, 0.0, 1.0}, s[3] = {1.0, 1.0, 1.0};
        if (!numbers(node, "translation", t) || !numbers(node, "rotation", r) || !numbers(node, "scale", s))
            return false;
        const glm::dquat q(r[3], r[0], r[1], r[2]);
        if (std::abs(glm::dot(q, q) - 1.0) > 0.01) return false;
        out = glm::dmat4(glm::mat3_cast(glm::normalize(q)));
        for (int i = 0; i < 3; ++i) out[i] *= s[i];
        out[3] = glm::dvec4(t[0], t[1], t[2], 1.0);
        return true;
    }

    Result<void> walk_node(size_t at, const glm::dmat4& parent, size_t depth) {
        const std::string what = "nodes[" + std::to_string(at) + "]";
        const Json* node = element("nodes", at);
        if (!node) return fail(what + " is missing.");
        if (depth > kDeepest || ++nodes_seen_ > kMaxNodes)
            return fail(what + " is its own child, or there are too many nodes.");
        glm::dmat4 own(1.0);
        if (!node_matrix(*node, own)) return fail(what + " has a transform that is none.");
        const glm::dmat4 transform = parent * own;
        if (node->contains("mesh")) {
            const auto mesh = whole(*node, "mesh");
            if (!mesh) return fail(what + ".mesh must be the number of a mesh.");
            if (Result<void> added = add_mesh(*mesh, transform); !added) return added;
        }
        return walk_list(*node, "children", what, transform, depth + 1);
    }

    Result<void> walk_list(const Json& object, const char* key, const std::string& what, const glm::dmat4& transform,
                           size_t depth) {
        const auto list = object.find(key);
        if (list == object.end()) return {};
        if (!list->is_array()) return fail(what + "." + key + " must be a list.");
        for (const Json& child : *list) {
            if (!child.is_number_unsigned()) return fail(what + "." + key + " must be numbers of nodes.");
            if (Result<void> walked = walk_node(child.get<size_t>(), transform, depth); !walked) return walked;
        }
        return {};
    }

    Result<void> walk_scene() {
        const glm::dmat4 world(1.0);
        if (json_.contains("scenes")) {
            const size_t at = whole_or(json_, "scene", 0);
            const std::string what = "scenes[" + std::to_string(at) + "]";
            const Json* scene = element("scenes", at);
            if (!scene) return fail(what + " is missing.");
            return walk_list(*scene, "nodes", what, world, 0);
        }
        // A library of meshes without a scene: each where it is.
        const auto meshes = json_.find("meshes");
        if (meshes == json_.end() || !meshes->is_array()) return {};
        for (size_t i = 0; i < meshes->size(); ++i)
            if (Result<void> added = add_mesh(i, world); !added) return added;
        return {};
    }

    const std::string& name_;
    const ReadPart& read_part_;
    Json json_;
    std::string_view binary_;
    std::vector<std::string> buffers_;
    std::vector<Vec3> points_;
    size_t nodes_seen_ = 0;
};

}  // namespace

Result<std::vector<Vec3>> read_gltf(std::string_view bytes, const std::string& name, const ReadPart& read_part) {
    return GltfReader(name, read_part).read(bytes);
}

}  // namespace proxima::editor
