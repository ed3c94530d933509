// SPDX-License-Identifier: MIT
// The contacts of the selected body as a table: with whom, how hard, sticking or slipping, how far from the law.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"

namespace proxima::editor {

namespace {

ImVec4 colour_of(ContactMode mode) {
    switch (mode) {
        case ContactMode::open:
            return ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled);
        case ContactMode::stick:
            return {0.55f, 0.85f, 0.6f, 1.0f};
        case ContactMode::slip:
            return {1.0f, 0.7f, 0.4f, 1.0f};
    }
    return {};
}

void point_row(PanelContext& c, const InspectedContact& contact, const InspectedPoint& point, bool first) {
    ImGui::TableNextRow();
    const auto cell = [](const std::string& text) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(text.c_str());
    };
    ImGui::TableNextColumn();
    if (first) {
        Document& document = c.workspace.document;
        const ItemId other = document.body_of(document.id_of(contact.other));
        const std::string label = c.workspace.name_of(other) + "##" + std::to_string(uint32_t(contact.pair));
        if (ImGui::Selectable(label.c_str())) document.select(other);
        hint("Select the other body.");
    }
    const auto shown = [](float x) { return std::abs(x) < 0.005f ? 0.0f : x; };  // no "-0.00"
    cell(
        fmt::format("{:.2f} {:.2f} {:.2f}", shown(contact.normal.x), shown(contact.normal.y), shown(contact.normal.z)));
    cell(with_unit(1e3 * double(point.gap), "mm"));
    cell(with_unit(double(point.normal_impulse), "N s"));
    // How much of the friction that it may use a contact uses, as a bar.
    ImGui::TableNextColumn();
    const float part = point.friction_limit > 0.0f ? point.friction_impulse / point.friction_limit : 0.0f;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 size{std::max(ImGui::GetContentRegionAvail().x, 1.0f), ImGui::GetTextLineHeight()};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, ImGui::GetColorU32(ImGuiCol_FrameBg), 3.0f);
    list.AddRectFilled(at, {at.x + size.x * std::min(part, 1.0f), at.y + size.y},
                       part > 0.99f ? IM_COL32(214, 130, 62, 255) : IM_COL32(76, 136, 92, 255), 3.0f);
    const std::string text = fmt::format("{:.0f} %", 100.0f * part);
    list.AddText({at.x + 0.5f * (size.x - ImGui::CalcTextSize(text.c_str()).x), at.y},
                 ImGui::GetColorU32(ImGuiCol_Text), text.c_str());
    ImGui::Dummy(size);
    hint(fmt::format("{} of at most {} (friction {:.2f})", with_unit(double(point.friction_impulse), "N s"),
                     with_unit(double(point.friction_limit), "N s"), contact.friction));
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, colour_of(point.mode));
    ImGui::TextUnformatted(to_string(point.mode));
    ImGui::PopStyleColor();
    cell(with_unit(double(point.slip_speed), "m/s"));
    cell(with_unit(double(point.residual), "m/s"));
}

}  // namespace

void draw_contacts_tab(PanelContext& c) {
    const Workspace& ws = c.workspace;
    const ItemId body = ws.primary_body();
    if (!ws.playing() || ws.frame().lanes.empty() || body == ItemId::none) {
        quiet_text(
            "Play the scene and select a body: its contacts are listed here, with their forces, "
            "whether they stick or slip, and how far each is from the law.");
        return;
    }
    const std::vector<InspectedContact>& contacts = ws.frame().lanes[0].contacts;
    Vec3 force(0.0f);
    for (const InspectedContact& contact : contacts) force += contact.force;
    ImGui::Text("%s: %s", ws.name_of(body).c_str(), counted(contacts.size(), "contact", "contacts").c_str());
    ImGui::SameLine();
    ImGui::TextDisabled("  all forces together %.2f %.2f %.2f N", double(force.x), double(force.y), double(force.z));
    if (!ImGui::BeginTable("contacts", 8,
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable |
                               ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings |
                               ImGuiTableFlags_SizingStretchProp))
        return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const char* name : {"With", "Normal", "Gap", "Normal impulse", "Friction", "State", "Slip", "Residual"})
        ImGui::TableSetupColumn(name);
    ImGui::TableHeadersRow();
    for (const InspectedContact& contact : contacts)
        for (uint32_t i = 0; i < contact.count; ++i) point_row(c, contact, contact.points[i], i == 0);
    ImGui::EndTable();
}

}  // namespace proxima::editor
