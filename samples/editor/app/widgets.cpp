// SPDX-License-Identifier: MIT
#include "samples/editor/app/widgets.h"

#include <imgui_internal.h>  // how long the mouse has been on a widget

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace proxima::editor {

// ---- signs

namespace {

class Sign {
  public:
    Sign(ImDrawList& list, const ImVec2& corner, float size, ImU32 colour)
        : list_(list), corner_(corner), size_(size), colour_(colour), thick_(std::max(1.2f, 0.1f * size)) {}

    ImVec2 at(float x, float y) const { return {corner_.x + x * size_, corner_.y + y * size_}; }
    void triangle(float x0, float y0, float x1, float y1, float x2, float y2) {
        list_.AddTriangleFilled(at(x0, y0), at(x1, y1), at(x2, y2), colour_);
    }
    void bar(float x0, float y0, float x1, float y1) {
        list_.AddRectFilled(at(x0, y0), at(x1, y1), colour_, 0.06f * size_);
    }
    void line(float x0, float y0, float x1, float y1) { list_.AddLine(at(x0, y0), at(x1, y1), colour_, thick_); }
    void frame(float x0, float y0, float x1, float y1, float round = 0.0f) {
        list_.AddRect(at(x0, y0), at(x1, y1), colour_, round * size_, 0, thick_);
    }
    void circle(float x, float y, float r) { list_.AddCircle(at(x, y), r * size_, colour_, 0, thick_); }
    void dot(float x, float y, float r) { list_.AddCircleFilled(at(x, y), r * size_, colour_); }
    void arc(float x, float y, float r, float from, float to) {
        list_.PathArcTo(at(x, y), r * size_, from, to, 20);
        list_.PathStroke(colour_, 0, thick_);
    }

  private:
    ImDrawList& list_;
    ImVec2 corner_;
    float size_;
    ImU32 colour_;
    float thick_;
};

void arrow_cross(Sign& s) {
    s.line(0.5f, 0.15f, 0.5f, 0.85f);
    s.line(0.15f, 0.5f, 0.85f, 0.5f);
    s.triangle(0.5f, 0.0f, 0.36f, 0.2f, 0.64f, 0.2f);
    s.triangle(0.5f, 1.0f, 0.36f, 0.8f, 0.64f, 0.8f);
    s.triangle(0.0f, 0.5f, 0.2f, 0.36f, 0.2f, 0.64f);
    s.triangle(1.0f, 0.5f, 0.8f, 0.36f, 0.8f, 0.64f);
}

void solid_box(Sign& s) {
    s.frame(0.08f, 0.3f, 0.68f, 0.92f);
    s.line(0.08f, 0.3f, 0.32f, 0.08f);
    s.line(0.32f, 0.08f, 0.92f, 0.08f);
    s.line(0.68f, 0.3f, 0.92f, 0.08f);
    s.line(0.92f, 0.08f, 0.92f, 0.68f);
    s.line(0.68f, 0.92f, 0.92f, 0.68f);
}

}  // namespace

void draw_icon(ImDrawList& list, Icon icon, const ImVec2& corner, float size, ImU32 colour) {
    constexpr float kTurn = std::numbers::pi_v<float>;
    Sign s(list, corner, size, colour);
    switch (icon) {
        case Icon::none:
            break;
        case Icon::save:
            s.frame(0.06f, 0.06f, 0.94f, 0.94f, 0.1f);
            s.bar(0.28f, 0.06f, 0.72f, 0.36f);
            s.frame(0.26f, 0.58f, 0.74f, 0.94f);
            break;
        case Icon::undo:
            s.arc(0.52f, 0.58f, 0.34f, 1.05f * kTurn, 2.35f * kTurn);
            s.triangle(0.0f, 0.5f, 0.42f, 0.5f, 0.16f, 0.88f);
            break;
        case Icon::redo:
            s.arc(0.48f, 0.58f, 0.34f, 0.65f * kTurn, 1.95f * kTurn);
            s.triangle(1.0f, 0.5f, 0.58f, 0.5f, 0.84f, 0.88f);
            break;
        case Icon::play:
            s.triangle(0.15f, 0.05f, 0.15f, 0.95f, 0.95f, 0.5f);
            break;
        case Icon::pause:
            s.bar(0.15f, 0.08f, 0.4f, 0.92f);
            s.bar(0.6f, 0.08f, 0.85f, 0.92f);
            break;
        case Icon::stop:
            s.bar(0.12f, 0.12f, 0.88f, 0.88f);
            break;
        case Icon::step:
            s.triangle(0.1f, 0.1f, 0.1f, 0.9f, 0.68f, 0.5f);
            s.bar(0.72f, 0.1f, 0.9f, 0.9f);
            break;
        case Icon::step_back:
            s.triangle(0.9f, 0.1f, 0.9f, 0.9f, 0.32f, 0.5f);
            s.bar(0.1f, 0.1f, 0.28f, 0.9f);
            break;
        case Icon::move:
            arrow_cross(s);
            break;
        case Icon::rotate:
            s.arc(0.5f, 0.52f, 0.38f, -0.35f * kTurn, 1.25f * kTurn);
            s.triangle(0.78f, 0.0f, 0.98f, 0.34f, 0.58f, 0.3f);
            break;
        case Icon::scale:
            s.frame(0.05f, 0.5f, 0.5f, 0.95f);
            s.line(0.45f, 0.55f, 0.88f, 0.12f);
            s.triangle(1.0f, 0.0f, 0.62f, 0.1f, 0.9f, 0.38f);
            break;
        case Icon::snap:
            for (const float x : {0.14f, 0.5f, 0.86f})
                for (const float y : {0.14f, 0.5f, 0.86f}) s.dot(x, y, 0.1f);
            break;
        case Icon::axes:
            s.line(0.2f, 0.8f, 0.2f, 0.1f);
            s.line(0.2f, 0.8f, 0.92f, 0.8f);
            s.line(0.2f, 0.8f, 0.65f, 0.35f);
            break;
        case Icon::eye:
            s.arc(0.5f, 0.95f, 0.62f, 1.2f * kTurn, 1.8f * kTurn);
            s.arc(0.5f, 0.12f, 0.62f, 0.2f * kTurn, 0.8f * kTurn);
            s.dot(0.5f, 0.52f, 0.17f);
            break;
        case Icon::add:
            s.bar(0.42f, 0.1f, 0.58f, 0.9f);
            s.bar(0.1f, 0.42f, 0.9f, 0.58f);
            break;
        case Icon::sphere:
            s.circle(0.5f, 0.5f, 0.42f);
            s.arc(0.5f, 0.28f, 0.44f, 0.2f * kTurn, 0.8f * kTurn);
            break;
        case Icon::box:
            solid_box(s);
            break;
        case Icon::capsule:
            s.frame(0.28f, 0.05f, 0.72f, 0.95f, 0.22f);
            break;
        case Icon::hull:
            s.line(0.5f, 0.05f, 0.95f, 0.4f);
            s.line(0.95f, 0.4f, 0.78f, 0.92f);
            s.line(0.78f, 0.92f, 0.2f, 0.92f);
            s.line(0.2f, 0.92f, 0.05f, 0.4f);
            s.line(0.05f, 0.4f, 0.5f, 0.05f);
            s.line(0.5f, 0.05f, 0.48f, 0.55f);
            s.line(0.48f, 0.55f, 0.2f, 0.92f);
            s.line(0.48f, 0.55f, 0.95f, 0.4f);
            break;
        case Icon::plane:
            s.line(0.0f, 0.72f, 0.3f, 0.34f);
            s.line(0.3f, 0.34f, 1.0f, 0.34f);
            s.line(1.0f, 0.34f, 0.7f, 0.72f);
            s.line(0.7f, 0.72f, 0.0f, 0.72f);
            break;
        case Icon::parts:
            s.frame(0.05f, 0.05f, 0.62f, 0.62f, 0.0f);
            s.frame(0.38f, 0.38f, 0.95f, 0.95f, 0.0f);
            break;
    }
}

// ---- buttons

bool sign_button(const char* id, std::string_view label, const ButtonLook& look) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float size = std::round(0.85f * ImGui::GetFontSize());
    const ImVec2 text = ImGui::CalcTextSize(label.data(), label.data() + label.size());
    const bool sign = look.icon != Icon::none;
    const float gap = sign && !label.empty() ? 0.45f * ImGui::GetFontSize() : 0.0f;
    const ImVec2 box{std::max(look.min_width, style.FramePadding.x * 2.0f + (sign ? size : 0.0f) + gap + text.x),
                     ImGui::GetFrameHeight()};
    ImGui::BeginDisabled(!look.enabled);
    const bool pressed = ImGui::InvisibleButton(id, box);
    const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
    ImGui::EndDisabled();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    ImU32 back = ImGui::GetColorU32(held ? ImGuiCol_ButtonActive : hovered ? ImGuiCol_ButtonHovered : ImGuiCol_Button);
    ImU32 front = ImGui::GetColorU32(look.enabled ? ImGuiCol_Text : ImGuiCol_TextDisabled);
    if (look.active) {
        back = ImGui::GetColorU32(ImGuiCol_CheckMark, hovered ? 0.95f : 0.85f);
        front = IM_COL32(20, 20, 22, 255);
    } else if (look.strong && look.enabled) {
        back = hovered ? IM_COL32(66, 150, 84, 255) : IM_COL32(48, 124, 66, 255);
        front = IM_COL32(255, 255, 255, 255);
    }
    list.AddRectFilled(low, high, back, style.FrameRounding);
    ImU32 colour = look.colour != 0 && look.enabled && !look.active ? look.colour : front;
    float x = low.x + style.FramePadding.x;
    if (sign) draw_icon(list, look.icon, {x, std::round(0.5f * (low.y + high.y - size))}, size, colour);
    x += (sign ? size : 0.0f) + gap;
    list.AddText({x, std::round(0.5f * (low.y + high.y - text.y))}, front, label.data(), label.data() + label.size());
    return pressed;
}

bool action_button(ActionId id, Workspace& workspace, std::string_view label, ButtonLook look) {
    const Action& a = action(id);
    look.enabled = is_enabled(a, workspace);
    if (a.checked) look.active = a.checked(workspace);
    const std::string name = "##action" + std::to_string(int(id));
    const bool pressed = sign_button(name.c_str(), label, look);
    if (pressed) run(id, workspace);
    const std::string keys = to_text(a.chord);
    hint(keys.empty() ? std::string(a.tooltip) : std::string(a.tooltip) + "\nKey: " + keys);
    return pressed;
}

constexpr float kHintSeconds = 0.45f;

void hint(std::string_view text) {
    if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    // A button that is about to be pressed needs no words over its neighbour.
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (ImGui::GetItemID() != 0 && (g.HoveredIdTimer < kHintSeconds || ImGui::IsItemActive())) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(24.0f * ImGui::GetFontSize());
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void quiet_text(std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

void heading(std::string_view text) {
    ImGui::Dummy({0.0f, 0.15f * ImGui::GetFontSize()});
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_CheckMark));
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopStyleColor();
    ImGui::Separator();
}

void line_between_tools() {
    ImGui::SameLine();
    const float h = ImGui::GetFrameHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddLine({at.x + 2.0f, at.y + 0.12f * h}, {at.x + 2.0f, at.y + 0.88f * h},
                                        ImGui::GetColorU32(ImGuiCol_Separator));
    ImGui::Dummy({5.0f, h});
    ImGui::SameLine();
}

// ---- panels

bool splitter(const char* id, const PanelRect& border, bool upright, float sign, float em, float& size) {
    // A thin window of its own over the border: it stands above both panels and takes the mouse first.
    const float reach = 3.0f;
    const PanelRect r = upright ? PanelRect{border.x - reach, border.y, 2.0f * reach, border.height}
                                : PanelRect{border.x, border.y - reach, border.width, 2.0f * reach};
    if (r.width < 1.0f || r.height < 1.0f) return false;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0.0f, 0.0f});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1.0f, 1.0f});
    ImGui::SetNextWindowPos({r.x, r.y});
    ImGui::SetNextWindowSize({r.width, r.height});
    bool moved = false;
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing);
    ImGui::InvisibleButton("grip", {r.width, r.height});
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        ImGui::GetWindowDrawList()->AddRectFilled(
            {r.x + (upright ? reach - 1.0f : 0.0f), r.y + (upright ? 0.0f : reach - 1.0f)},
            {r.x + r.width - (upright ? reach - 1.0f : 0.0f), r.y + r.height - (upright ? 0.0f : reach - 1.0f)},
            ImGui::GetColorU32(ImGuiCol_SeparatorActive));
    }
    if (ImGui::IsItemActive()) {
        const ImVec2 by = ImGui::GetIO().MouseDelta;
        const float change = sign * (upright ? by.x : by.y) / em;
        size += change;
        moved = change != 0.0f;
    }
    ImGui::End();
    ImGui::PopStyleVar(2);
    return moved;
}

bool begin_panel(const char* name, const PanelRect& rect, ImGuiWindowFlags more) {
    ImGui::SetNextWindowPos({rect.x, rect.y});
    ImGui::SetNextWindowSize({std::max(1.0f, rect.width), std::max(1.0f, rect.height)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1.0f, 1.0f});
    const bool open = ImGui::Begin(name, nullptr,
                                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                       ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                       ImGuiWindowFlags_NoBringToFrontOnFocus | more);
    ImGui::PopStyleVar(2);
    return open;
}

void end_panel() { ImGui::End(); }

bool begin_properties(const char* id, float label_width) {
    if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_NoSavedSettings)) return false;
    ImGui::TableSetupColumn("label", ImGuiTableColumnFlags_WidthFixed, label_width);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

void end_properties() { ImGui::EndTable(); }

void property_label(std::string_view label, std::string_view tooltip) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label.data(), label.data() + label.size());
    hint(tooltip);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-1.0f);
}

// ---- texts

namespace {

int grow_text(ImGuiInputTextCallbackData* data) {
    auto* text = static_cast<std::string*>(data->UserData);
    if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
        text->resize(size_t(data->BufTextLen));
        data->Buf = text->data();
    }
    return 0;
}

}  // namespace

bool text_input(const char* id, std::string& text, const char* when_empty, ImGuiInputTextFlags flags) {
    return ImGui::InputTextWithHint(id, when_empty, text.data(), text.capacity() + 1,
                                    flags | ImGuiInputTextFlags_CallbackResize, grow_text, &text);
}

std::string with_unit(double value, std::string_view unit) {
    if (value == 0.0) return fmt::format("0 {}", unit);
    const double size = std::abs(value);
    if (!std::isfinite(value)) return fmt::format("{} {}", value, unit);
    if (size >= 1e5 || size < 1e-3) return fmt::format("{:.2e} {}", value, unit);
    if (size >= 100.0) return fmt::format("{:.0f} {}", value, unit);
    if (size >= 1.0) return fmt::format("{:.2f} {}", value, unit);
    return fmt::format("{:.4f} {}", value, unit);
}

}  // namespace proxima::editor
