// SPDX-License-Identifier: MIT
// Writing scene files: values that equal their defaults are left out, numbers are the shortest that read back
// exactly, one shape or body stands on one line.
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/atomic_file.h"
#include "physics/scene/scene_fields.h"

namespace proxima::physics {

namespace {

template <class Number>
std::string shortest(Number value) {
    char buffer[40];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
    std::string text = error == std::errc() ? std::string(buffer, end) : "0";
    if (text == "-0") text = "-0.0";  // a JSON reader takes -0 for an integer and drops the sign
    // The reader goes through double: should two roundings ever differ from one, all digits are written.
    double wide = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), wide);
    return Number(wide) == value || sizeof(Number) == sizeof(double) ? text : shortest(double(value));
}

std::string to_json(float value) { return shortest(value); }
std::string to_json(double value) { return shortest(value); }
std::string to_json(uint32_t value) { return std::to_string(value); }
std::string to_json(int32_t value) { return std::to_string(value); }
std::string to_json(bool value) { return value ? "true" : "false"; }
std::string to_json(const std::string& value) {
    return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string to_json(const Vec3& v) { return "[" + shortest(v.x) + ", " + shortest(v.y) + ", " + shortest(v.z) + "]"; }
std::string to_json(const Quat& q) {
    return "[" + shortest(q.x) + ", " + shortest(q.y) + ", " + shortest(q.z) + ", " + shortest(q.w) + "]";
}
std::string to_json(const std::vector<Vec3>& points) {
    std::string out = "[";
    for (size_t i = 0; i < points.size(); ++i) out += (i ? ", " : "") + to_json(points[i]);
    return out + "]";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string to_json(Enum value) {
    for (const auto& word : scene_fields::words_of(value))
        if (word.value == value) return "\"" + std::string(word.text) + "\"";
    return "\"\"";
}

/// One object; `separator` stands between its members: ", " on one line, a line break otherwise.
class ObjectWriter {
  public:
    explicit ObjectWriter(std::string separator) : separator_(std::move(separator)) {}

    template <class T>
    void field(std::string_view key, const T& value, const T& usual) {
        if (!(value == usual)) required(key, value);
    }
    template <class T>
    void required(std::string_view key, const T& value) {
        member(key, to_json(value));
    }
    template <class Visit>
    void object(std::string_view key, Visit&& visit) {
        ObjectWriter inner(", ");
        visit(inner);
        if (!inner.body_.empty()) member(key, "{" + inner.body_ + "}");
    }
    template <class T, class Visit>
    void list(std::string_view key, const std::vector<T>& values, Visit&& visit, const char* between = ", ",
              const char* around = "") {
        if (values.empty()) return;
        std::string out = std::string("[") + around;
        for (size_t i = 0; i < values.size(); ++i) {
            ObjectWriter inner(", ");
            visit(inner, values[i]);
            out += (i ? between : "") + std::string("{") + inner.body_ + "}";
        }
        const std::string end = *around ? "\n  ]" : "]";
        member(key, out + end);
    }
    const std::string& body() const { return body_; }

  private:
    void member(std::string_view key, const std::string& value) {
        if (!body_.empty()) body_ += separator_;
        body_ += "\"" + std::string(key) + "\": " + value;
    }
    std::string separator_;
    std::string body_;
};

}  // namespace

std::string write_scene(const SceneDesc& scene) {
    ObjectWriter w(",\n  ");
    const std::string no_text;
    w.required("version", SceneDesc::kVersion);
    w.field("name", scene.name, no_text);
    w.field("description", scene.description, no_text);
    w.object("settings", [&](ObjectWriter& inner) { scene_fields::visit_settings(inner, scene.settings); });
    w.object("run", [&](ObjectWriter& inner) { scene_fields::visit_run(inner, scene.run); });
    w.list(
        "shapes", scene.shapes, [](ObjectWriter& inner, const ShapeDesc& s) { scene_fields::visit_shape(inner, s); },
        ",\n    ", "\n    ");
    w.list(
        "bodies", scene.bodies, [](ObjectWriter& inner, const SceneBody& b) { scene_fields::visit_body(inner, b); },
        ",\n    ", "\n    ");
    w.list(
        "joints", scene.joints, [](ObjectWriter& inner, const SceneJoint& j) { scene_fields::visit_joint(inner, j); },
        ",\n    ", "\n    ");
    return "{\n  " + w.body() + "\n}\n";
}

Result<void> save_scene(const SceneDesc& scene, const std::string& file) {
    // A scene that could not be read back is not worth a file.
    if (Result<void> good = check(scene); !good) return Error{"The scene is not saved: " + good.error()};
    return write_file(file, write_scene(scene));
}

}  // namespace proxima::physics
