// SPDX-License-Identifier: MIT
// Curves over steps. Dear ImGui's own plot has one curve, no axis and no logarithm.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "samples/editor/app/widgets.h"

namespace proxima::editor {

namespace {

struct Range {
    float low = 0.0f, high = 1.0f;
};

/// Of all curves; whole decades when the axis is logarithmic.
Range range_of(std::span<const Curve> curves, const PlotLook& look) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (const Curve& curve : curves)
        for (const float v : curve.values) {
            if (!std::isfinite(v) || (look.logarithmic && v <= 0.0f)) continue;
            low = std::min(low, v);
            high = std::max(high, v);
        }
    if (look.logarithmic) {
        if (!(low <= high)) return {-6.0f, 0.0f};
        const float top = std::ceil(std::log10(std::max(high, look.min_top)) + 1e-4f);
        return {std::max(std::floor(std::log10(low)), top - 8.0f), top};
    }
    if (!(low <= high)) return {0.0f, 1.0f};
    if (look.from_zero) {
        low = std::min(low, 0.0f);
        high = std::max(high, look.min_top);
    }
    const float margin = std::max(0.06f * (high - low), 1e-12f);
    if (high - low < 1e-6f * std::max(std::abs(high), 1e-12f)) return {low - 0.5f, high + 0.5f};
    return {low < 0.0f || !look.from_zero ? low - margin : low, high + margin};
}

std::string tick_text(float value, bool logarithmic) {
    if (logarithmic) return fmt::format("1e{:.0f}", value);
    if (value == 0.0f) return "0";
    const float size = std::abs(value);
    if (size < 1e4f && size >= 1e-2f) return fmt::format("{:.3g}", value);
    const float power = std::floor(std::log10(size));
    return fmt::format("{:.2g}e{:.0f}", value / std::pow(10.0f, power), power);
}

class PlotArea {
  public:
    PlotArea(const PlotLook& look, Range range, const ImVec2& low, const ImVec2& high, size_t count)
        : look_(look), range_(range), low_(low), high_(high), count_(count) {}

    float x_of(size_t i) const {
        return low_.x + (high_.x - low_.x) * (count_ > 1 ? float(i) / float(count_ - 1) : 0.5f);
    }
    /// Nothing to draw for values that a logarithm has no place for.
    float y_of(float value) const {
        const float v = look_.logarithmic ? (value > 0.0f ? std::log10(value) : range_.low) : value;
        const float t = (v - range_.low) / (range_.high - range_.low);
        return high_.y - std::clamp(t, 0.0f, 1.0f) * (high_.y - low_.y);
    }
    float y_at(float axis) const {
        return high_.y - (axis - range_.low) / (range_.high - range_.low) * (high_.y - low_.y);
    }
    size_t index_at(float x) const {
        const float t = (x - low_.x) / std::max(high_.x - low_.x, 1.0f);
        return size_t(std::clamp(t, 0.0f, 1.0f) * float(count_ - 1) + 0.5f);
    }

  private:
    const PlotLook& look_;
    Range range_;
    ImVec2 low_, high_;
    size_t count_;
};

void draw_ticks(ImDrawList& list, const PlotArea& area, const PlotLook& look, Range range, const ImVec2& low,
                const ImVec2& high) {
    const ImU32 faint = ImGui::GetColorU32(ImGuiCol_Separator, 0.5f);
    const ImU32 quiet = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    const int steps = look.logarithmic ? std::max(1, int(range.high - range.low + 0.5f)) : 2;
    const int stride =
        std::max(1, int(std::ceil(float(steps) * 1.5f * ImGui::GetFontSize() / std::max(high.y - low.y, 1.0f))));
    for (int k = 0; k <= steps; k += stride) {
        const float at = range.low + (range.high - range.low) * float(k) / float(steps);
        const float y = std::round(area.y_at(at)) + 0.5f;
        list.AddLine({low.x, y}, {high.x, y}, faint);
        const std::string text = tick_text(at, look.logarithmic);
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        // In a plot lower than a line of text there is no room to keep to: the upper end counts.
        const float upper = low.y - 0.3f * size.y, lower = high.y - 0.8f * size.y;
        list.AddText({low.x - size.x - 5.0f, std::max(upper, std::min(y - 0.5f * size.y, lower))}, quiet, text.c_str());
    }
}

void draw_curve(ImDrawList& list, const PlotArea& area, const Curve& curve) {
    std::vector<ImVec2> points;
    points.reserve(curve.values.size());
    for (size_t i = 0; i < curve.values.size(); ++i)
        if (std::isfinite(curve.values[i])) points.push_back({area.x_of(i), area.y_of(curve.values[i])});
    list.AddPolyline(points.data(), int(points.size()), curve.colour, 0, 1.6f);
}

void draw_legend(ImDrawList& list, std::span<const Curve> curves, const PlotLook& look, const ImVec2& corner,
                 float right) {
    const std::string title =
        look.unit.empty() ? std::string(look.title) : fmt::format("{} [{}]", look.title, look.unit);
    list.AddText(corner, ImGui::GetColorU32(ImGuiCol_Text), title.c_str());
    float x = right;
    const float em = ImGui::GetFontSize();
    for (size_t k = curves.size(); k-- > 0;) {
        const std::string name(curves[k].name);
        const float width = ImGui::CalcTextSize(name.c_str()).x + 1.1f * em;
        x -= width + 0.5f * em;
        if (x < corner.x + ImGui::CalcTextSize(title.c_str()).x) break;
        list.AddRectFilled({x, corner.y + 0.42f * em}, {x + 0.7f * em, corner.y + 0.62f * em}, curves[k].colour);
        list.AddText({x + 0.95f * em, corner.y}, ImGui::GetColorU32(ImGuiCol_TextDisabled), name.c_str());
    }
}

}  // namespace

uint64_t plot(const char* id, std::span<const Curve> curves, const PlotLook& look, const ImVec2& size) {
    const float em = ImGui::GetFontSize();
    ImGui::InvisibleButton(id, {std::max(size.x, 4.0f * em), std::max(size.y, 3.0f * em)});
    const ImVec2 corner = ImGui::GetItemRectMin(), end = ImGui::GetItemRectMax();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 low{corner.x + 3.9f * em, corner.y + 1.4f * em}, high{end.x - 0.4f * em, end.y - 0.2f * em};
    list.AddRectFilled(low, high, ImGui::GetColorU32(ImGuiCol_FrameBg), 3.0f);
    draw_legend(list, curves, look, corner, end.x);
    size_t count = 0;
    for (const Curve& curve : curves) count = std::max(count, curve.values.size());
    const Range range = range_of(curves, look);
    const PlotArea area(look, range, low, high, count);
    draw_ticks(list, area, look, range, low, high);
    if (count == 0) {
        const char* text = "Press Play to record";
        const ImVec2 wide = ImGui::CalcTextSize(text);
        list.AddText({0.5f * (low.x + high.x - wide.x), 0.5f * (low.y + high.y - wide.y)},
                     ImGui::GetColorU32(ImGuiCol_TextDisabled), text);
        return 0;
    }
    list.PushClipRect(low, high, true);
    for (const Curve& curve : curves) draw_curve(list, area, curve);
    if (look.shown_step >= look.first_step && look.shown_step < look.first_step + count) {
        const float x = area.x_of(size_t(look.shown_step - look.first_step));
        list.AddLine({x, low.y}, {x, high.y}, ImGui::GetColorU32(ImGuiCol_CheckMark, 0.8f), 1.5f);
    }
    list.PopClipRect();
    if (!ImGui::IsItemHovered()) return 0;
    const size_t i = area.index_at(ImGui::GetIO().MousePos.x);
    const float x = area.x_of(i);
    list.AddLine({x, low.y}, {x, high.y}, ImGui::GetColorU32(ImGuiCol_Text, 0.35f));
    ImGui::BeginTooltip();
    const uint64_t step = look.first_step + i;
    ImGui::Text("step %llu, %.2f s", static_cast<unsigned long long>(step), double(step) * look.step_seconds);
    for (const Curve& curve : curves)
        if (i < curve.values.size()) {
            ImGui::PushStyleColor(ImGuiCol_Text, curve.colour);
            ImGui::Text("%s: %s", std::string(curve.name).c_str(),
                        with_unit(double(curve.values[i]), look.unit).c_str());
            ImGui::PopStyleColor();
        }
    ImGui::EndTooltip();
    return ImGui::IsItemActive() ? step : 0;
}

}  // namespace proxima::editor
