// SPDX-License-Identifier: MIT
#include "samples/editor/app/layout.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"

namespace proxima::editor {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void Layout::arrange(float width, float height, float em_pixels, float menu_height) {
    em = em_pixels;
    const float tool_height = std::round(2.9f * em), status_height = std::round(1.9f * em);
    // The picture keeps a quarter of each direction; panels share what is left in their proportions.
    left = std::clamp(left, 8.0f, 60.0f);
    right = std::clamp(right, 12.0f, 60.0f);
    bottom = std::clamp(bottom, 6.0f, 60.0f);
    float wide_left = show_left ? std::round(left * em) : 0.0f;
    float wide_right = show_right ? std::round(right * em) : 0.0f;
    const float sides = wide_left + wide_right, max_sides = std::max(0.75f * width, 1.0f);
    if (sides > max_sides) {
        wide_left = std::floor(wide_left * max_sides / sides);
        wide_right = std::floor(wide_right * max_sides / sides);
    }
    const float body = std::max(height - menu_height - tool_height - status_height, 1.0f);
    const float high = show_bottom ? std::floor(std::min(std::round(bottom * em), 0.75f * body)) : 0.0f;
    menu = {0.0f, 0.0f, width, menu_height};
    tools = {0.0f, menu_height, width, tool_height};
    const float top = menu_height + tool_height;
    hierarchy = {0.0f, top, wide_left, body};
    properties = {width - wide_right, top, wide_right, body};
    const float middle = std::max(width - wide_left - wide_right, 1.0f);
    picture = {wide_left, top, middle, std::max(body - high, 1.0f)};
    monitors = {wide_left, top + body - high, middle, high};
    status = {0.0f, top + body, width, status_height};
}

render::PictureArea Layout::picture_area() const {
    return {int32_t(picture.x), int32_t(picture.y), uint32_t(std::max(1.0f, picture.width)),
            uint32_t(std::max(1.0f, picture.height))};
}

std::string default_settings_file() {
    const std::string recent = RecentFiles::default_store();
    return recent.empty() ? std::string() : (fs::path(recent).parent_path() / "editor.json").string();
}

namespace {

/// Both directions in one list: a setting that is read is written.
template <class Visit>
void visit_settings(EditorSettings& s, Visit&& visit) {
    visit("window_width", s.window_width);
    visit("window_height", s.window_height);
    visit("left", s.layout.left);
    visit("right", s.layout.right);
    visit("bottom", s.layout.bottom);
    visit("show_left", s.layout.show_left);
    visit("show_right", s.layout.show_right);
    visit("show_bottom", s.layout.show_bottom);
    visit("contacts", s.show.contacts);
    visit("friction", s.show.friction);
    visit("residuals", s.show.residuals);
    visit("velocities", s.show.velocities);
    visit("centres", s.show.centres);
    visit("boxes", s.show.boxes);
    visit("joints", s.show.joints);
    visit("rules", s.show.rules);
    visit("islands", s.show.islands);
    visit("sweeps", s.show.sweeps);
    visit("values", s.show.values);
    visit("selected_only", s.show.selected_only);
    visit("names", s.show.names);
    visit("grid", s.show.grid);
    visit("shadows", s.show.shadows);
    visit("checker", s.show.checker);
    visit("dim_sleeping", s.show.dim_sleeping);
    visit("snap", s.tool.snap.on);
    visit("snap_metres", s.tool.snap.metres);
    visit("snap_degrees", s.tool.snap.degrees);
    visit("snap_factor", s.tool.snap.factor);
}

bool makes_sense(float value) { return std::isfinite(value) && value > 0.0f && value < 1000.0f; }

void take(const Json& json, bool& value) {
    if (json.is_boolean()) value = json.get<bool>();
}
void take(const Json& json, float& value) {
    if (json.is_number() && makes_sense(json.get<float>())) value = json.get<float>();
}
void take(const Json& json, uint32_t& value) {
    if (json.is_number_integer() && json.get<int64_t>() >= 64 && json.get<int64_t>() <= 16384)
        value = uint32_t(json.get<int64_t>());
}

}  // namespace

Result<void> load_settings(const std::string& file, EditorSettings& settings) {
    std::error_code ignored;
    if (file.empty() || !fs::exists(file, ignored)) return {};
    const Result<std::string> text = read_file(file);
    if (!text) return Error{text.error()};
    const Json json = Json::parse(*text, nullptr, false);
    if (!json.is_object()) return Error{"The editor's settings in '" + file + "' cannot be read and are not used."};
    visit_settings(settings, [&](const char* name, auto& value) {
        if (const auto found = json.find(name); found != json.end()) take(*found, value);
    });
    return {};
}

Result<void> save_settings(const std::string& file, const EditorSettings& settings) {
    if (file.empty()) return {};
    Json json;
    EditorSettings copy = settings;
    visit_settings(copy, [&](const char* name, auto& value) { json[name] = value; });
    std::error_code error;
    fs::create_directories(fs::path(file).parent_path(), error);
    return write_file(file, json.dump(2) + "\n");
}

}  // namespace proxima::editor
