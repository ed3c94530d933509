// SPDX-License-Identifier: MIT
// Reading scene files: strict, and every complaint names the place and what would be right there.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/core/suggest.h"
#include "physics/scene/scene_fields.h"

namespace proxima::physics {

namespace {

using nlohmann::json;

/// How a value of a scene file is spoken of in an error.
std::string describe(const json& value) {
    if (value.is_string()) return "the text " + clip(value.dump(-1, ' ', false, json::error_handler_t::replace));
    if (value.is_array()) return "a list of " + std::to_string(value.size());
    if (value.is_object()) return "an object";
    return value.dump();  // null, true, false, a number
}

/// Reads the keys of one JSON object. The first error of the whole file is kept; after it nothing is read any more.
class ObjectReader {
  public:
    ObjectReader(const json& value, std::string path, std::string& error)
        : value_(value), path_(std::move(path)), error_(error) {
        if (!value_.is_object()) fail(path_, "an object { ... }", value_);
    }

    bool failed() const { return !error_.empty(); }

    template <class T>
    void field(std::string_view key, T& out, const T& otherwise) {
        if (const json* value = find(key))
            read(*value, path_of(key), out);
        else
            out = otherwise;
    }
    template <class T>
    void required(std::string_view key, T& out) {
        if (const json* value = find(key))
            read(*value, path_of(key), out);
        else if (!failed())
            error_ = (path_.empty() ? "The scene" : path_) + " has no \"" + std::string(key) + "\"; it must have one.";
    }
    template <class Visit>
    void object(std::string_view key, Visit&& visit) {
        const json* value = find(key);
        if (!value) return;
        ObjectReader inner(*value, path_of(key), error_);
        inner.read_all(visit);
    }
    template <class T, class Visit>
    void list(std::string_view key, std::vector<T>& out, Visit&& visit) {
        const json* value = find(key);
        if (!value) return;
        const std::string path = path_of(key);
        if (!value->is_array()) return fail(path, "a list [ ... ] of objects", *value);
        out.resize(value->size());
        for (size_t i = 0; i < value->size() && !failed(); ++i) {
            ObjectReader inner((*value)[i], path + "[" + std::to_string(i) + "]", error_);
            inner.read_all([&](ObjectReader& reader) { visit(reader, out[i]); });
        }
    }

    /// Visits the known keys, then complains about any other.
    template <class Visit>
    void read_all(Visit&& visit) {
        if (!failed()) visit(*this);
        for (auto it = value_.begin(); !failed() && it != value_.end(); ++it) {
            bool known = false;
            for (const std::string& key : known_) known = known || key == it.key();
            if (known) continue;
            const std::string key = clip(it.key());
            error_ = path_of(key) + " is not a key that " + (path_.empty() ? "a scene" : path_) +
                     " can have; did you mean \"" + std::string(nearest_word(key, known_)) + "\"?";
        }
    }

  private:
    std::string path_of(std::string_view key) const {
        return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
    }
    const json* find(std::string_view key) {
        known_.emplace_back(key);
        if (failed()) return nullptr;
        const auto it = value_.find(std::string(key));
        return it == value_.end() ? nullptr : &*it;
    }
    void fail(const std::string& path, const std::string& rule, const json& value) {
        if (!failed())
            error_ = (path.empty() ? "The file" : path) + " must be " + rule + ", but is " + describe(value) + ".";
    }

    void read(const json& value, const std::string& path, double& out) {
        if (!value.is_number()) return fail(path, "a number", value);
        out = value.get<double>();
    }
    void read(const json& value, const std::string& path, float& out) {
        if (!value.is_number()) return fail(path, "a number", value);
        const double wide = value.get<double>();
        if (!(std::abs(wide) <= double(std::numeric_limits<float>::max())))
            return fail(path, "a number that single precision can hold (up to 3.4e38)", value);
        out = float(wide);
    }
    void read(const json& value, const std::string& path, uint32_t& out) {
        if (!value.is_number_unsigned() || value.get<uint64_t>() > 0xFFFFFFFFu)
            return fail(path, "a whole number from 0 to 4294967295", value);
        out = value.get<uint32_t>();
    }
    void read(const json& value, const std::string& path, int32_t& out) {
        const bool whole =
            value.is_number_integer() && !(value.is_number_unsigned() && value.get<uint64_t>() > 0x7FFFFFFFu);
        if (!whole || value.get<int64_t>() < std::numeric_limits<int32_t>::min())
            return fail(path, "a whole number from -2147483648 to 2147483647", value);
        out = value.get<int32_t>();
    }
    void read(const json& value, const std::string& path, bool& out) {
        if (!value.is_boolean()) return fail(path, "true or false", value);
        out = value.get<bool>();
    }
    void read(const json& value, const std::string& path, std::string& out) {
        if (!value.is_string()) return fail(path, "a text in quotes", value);
        out = value.get<std::string>();
    }
    void read(const json& value, const std::string& path, Vec3& out) {
        if (!value.is_array() || value.size() != 3) return fail(path, "a list of three numbers [x, y, z]", value);
        read(value[0], path + "[0]", out.x);
        read(value[1], path + "[1]", out.y);
        read(value[2], path + "[2]", out.z);
    }
    void read(const json& value, const std::string& path, Quat& out) {
        if (!value.is_array() || value.size() != 4)
            return fail(path, "a quaternion, a list of four numbers [x, y, z, w]", value);
        read(value[0], path + "[0]", out.x);
        read(value[1], path + "[1]", out.y);
        read(value[2], path + "[2]", out.z);
        read(value[3], path + "[3]", out.w);
    }
    void read(const json& value, const std::string& path, std::vector<Vec3>& out) {
        if (!value.is_array()) return fail(path, "a list of points [[x, y, z], ...]", value);
        out.resize(value.size());
        for (size_t i = 0; i < value.size() && !failed(); ++i)
            read(value[i], path + "[" + std::to_string(i) + "]", out[i]);
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void read(const json& value, const std::string& path, Enum& out) {
        std::string allowed;
        for (const auto& word : scene_fields::words_of(out)) {
            if (value.is_string() && value.get_ref<const std::string&>() == word.text) {
                out = word.value;
                return;
            }
            allowed += (allowed.empty() ? "\"" : ", \"") + std::string(word.text) + "\"";
        }
        fail(path, "one of " + allowed, value);
    }

    const json& value_;
    std::string path_;
    std::string& error_;
    std::vector<std::string> known_;  // copies: keys of limits and motors are put together as they are visited
};

/// "3:14", counted from 1, of a byte of the text.
std::string line_and_column(const std::string& text, size_t byte) {
    size_t line = 1, column = 1;
    for (size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return std::to_string(line) + ":" + std::to_string(column);
}

/// Of "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error while ...": the end.
std::string last_part(const std::string& what) {
    const size_t colon = what.find(": ");
    const size_t bracket = what.find("] ");
    if (colon != std::string::npos) return what.substr(colon + 2);
    return bracket != std::string::npos ? what.substr(bracket + 2) : what;
}

/// The parsed text, with keys that stand twice in one object refused: the parser alone would keep the last one.
Result<json> parse_json(const std::string& text, const std::string& source_name) {
    std::vector<std::set<std::string>> open;  // keys seen in each open object
    std::string twice;
    const auto watch = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) open.emplace_back();
        if (event == json::parse_event_t::object_end && !open.empty()) open.pop_back();
        if (event == json::parse_event_t::key && !open.empty()) {
            const auto& key = parsed.get_ref<const std::string&>();
            if (!open.back().insert(key).second && twice.empty()) twice = key;
        }
        return true;
    };
    try {
        json value = json::parse(text, watch);
        if (!twice.empty())
            return Error{source_name + ": the key \"" + clip(twice) +
                         "\" stands twice in one object; keep one of them."};
        return value;
    } catch (const json::parse_error& error) {
        return Error{source_name + ":" + line_and_column(text, error.byte) +
                     ": this is not valid JSON: " + clip(last_part(error.what()), 200) + "."};
    } catch (const json::exception& error) {
        return Error{source_name + ": this is not valid JSON: " + clip(last_part(error.what()), 200) + "."};
    }
}

}  // namespace

Result<SceneDesc> parse_scene(const std::string& text, const std::string& source_name) {
    const Result<json> parsed = parse_json(text, source_name);
    if (!parsed) return Error{parsed.error()};
    const json& root = parsed.value();

    SceneDesc scene;
    std::string error;
    ObjectReader reader(root, "", error);
    reader.read_all([&](ObjectReader& r) {
        uint32_t version = 0;
        r.required("version", version);
        // A newer file may hold keys that mean nothing here: say so before complaining about one of them.
        if (!r.failed() && version != SceneDesc::kVersion)
            error = "version is " + std::to_string(version) + "; this program reads version " +
                    std::to_string(SceneDesc::kVersion) + ".";
        const std::string no_text;
        r.field("name", scene.name, no_text);
        r.field("description", scene.description, no_text);
        r.object("settings", [&](ObjectReader& inner) { scene_fields::visit_settings(inner, scene.settings); });
        r.object("run", [&](ObjectReader& inner) { scene_fields::visit_run(inner, scene.run); });
        r.list("shapes", scene.shapes, [](ObjectReader& inner, ShapeDesc& s) { scene_fields::visit_shape(inner, s); });
        r.list("bodies", scene.bodies, [](ObjectReader& inner, SceneBody& b) { scene_fields::visit_body(inner, b); });
        r.list("joints", scene.joints, [](ObjectReader& inner, SceneJoint& j) { scene_fields::visit_joint(inner, j); });
    });
    if (!error.empty()) return Error{source_name + ": " + error};
    if (Result<void> good = check(scene); !good) return Error{source_name + ": " + good.error()};
    return scene;
}

Result<SceneDesc> load_scene(const std::string& file) {
    const Result<std::string> text = read_file(file);
    if (!text) return Error{text.error()};
    return parse_scene(text.value(), file);
}

}  // namespace proxima::physics
