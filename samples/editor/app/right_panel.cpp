// SPDX-License-Identifier: MIT
// The panel on the right: inspector, solver, and what is shown.
#include "engine/profile/trace.h"
#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"

namespace proxima::editor {

namespace {

void tab(PanelContext& c, RightTab which, const char* label, void (*draw)(PanelContext&)) {
    const bool forced = c.state.force_right && c.state.right == which;
    if (ImGui::BeginTabItem(label, nullptr, forced ? ImGuiTabItemFlags_SetSelected : 0)) {
        c.named(std::string("tab.") + label);
        if (!c.state.force_right || forced) c.state.right = which;
        if (forced) c.state.force_right = false;
        ImGui::BeginChild("content");
        draw(c);
        ImGui::EndChild();
        ImGui::EndTabItem();
    } else {
        c.named(std::string("tab.") + label);
    }
}

void check_row(const char* label, const char* tooltip, bool& value) {
    ImGui::Checkbox(label, &value);
    hint(tooltip);
}

}  // namespace

void draw_show_panel(PanelContext& c) {
    ShowOptions& show = c.workspace.show;
    heading("Contacts");
    check_row("Contacts", "Points where bodies touch, and arrows of their normal forces.", show.contacts);
    check_row("Friction", "The friction that each contact may use, and the one it uses.", show.friction);
    check_row("Residuals", "Contacts coloured by how far they are from Coulomb's law.", show.residuals);
    check_row("Sweeps", "Lines between bodies that touch, in the colour of the solver's sweeps.", show.sweeps);
    check_row("Values", "Numbers at contacts, as long as they are few.", show.values);
    check_row("Of the selected body only", "Hides the contacts of all others.", show.selected_only);
    heading("Bodies");
    check_row("Velocities", "Where the centre of mass is after 0.1 s, and the axis of rotation.", show.velocities);
    check_row("Centres of mass", "A cross at each.", show.centres);
    check_row("Names", "Of bodies that can move, the nearest ones.", show.names);
    check_row("Dim sleeping bodies", "Bodies that are left out of steps because they rest.", show.dim_sleeping);
    check_row("Pattern on round bodies", "Shows how they turn.", show.checker);
    check_row("Joints", "Where joints hold their bodies, and arrows of their forces.", show.joints);
    check_row("Rules", "Sensors, green while something is in them, and arrows of one-way surfaces.", show.rules);
    heading("Inside of the step");
    check_row("Islands", "Boxes around what is solved together.", show.islands);
    check_row("Broadphase boxes", "The boxes by which pairs are found.", show.boxes);
    heading("Picture");
    check_row("Grid", "Lines on the ground, 1 m apart.", show.grid);
    check_row("Shadows", "Of the sun.", show.shadows);
    constexpr const char* kModes[] = {"each its own", "by island", "by solver", "by sweep", "by residual", "by speed"};
    ImGui::TextUnformatted("Colour of bodies");
    ImGui::SetNextItemWidth(-1.0f);
    if (ImGui::BeginCombo("##colours", kModes[size_t(show.colours)])) {
        for (size_t i = 0; i < std::size(kModes); ++i)
            if (ImGui::Selectable(kModes[i], size_t(show.colours) == i)) show.colours = render::ColourMode(uint8_t(i));
        ImGui::EndCombo();
    }
    heading("Tools");
    ToolOptions& tool = c.workspace.tool;
    if (begin_properties("snap", 7.0f * c.em)) {
        property_label("Snap moves", "Step of moves while Snap is on.");
        ImGui::DragFloat("##metres", &tool.snap.metres, 0.01f, 0.01f, 10.0f, "%.2f m");
        property_label("Snap turns", "Step of turns while Snap is on.");
        ImGui::DragFloat("##degrees", &tool.snap.degrees, 0.5f, 0.5f, 90.0f, "%.1f\xc2\xb0");
        property_label("Pivot", "What turning and scaling keep in place.");
        constexpr const char* kPivots[] = {"middle of the selection", "last selected", "each its own",
                                           "origin of the world"};
        if (ImGui::BeginCombo("##pivot", kPivots[size_t(tool.pivot)])) {
            for (size_t i = 0; i < std::size(kPivots); ++i)
                if (ImGui::Selectable(kPivots[i], size_t(tool.pivot) == i)) tool.pivot = PivotKind(uint8_t(i));
            ImGui::EndCombo();
        }
        end_properties();
    }
    heading("Files");
    Workspace& ws = c.workspace;
    action_button(ActionId::screenshot, ws, "Screenshot", {});
    c.named("screenshot");
    ImGui::SameLine();
    action_button(ActionId::dump, ws, "Dump this frame", {});
    c.named("dump");
    action_button(ActionId::trace, ws, engine::trace_active() ? "Stop trace" : "Record trace", {});
    c.named("trace");
}

void draw_right_panel(PanelContext& c) {
    if (!c.layout.show_right) return;
    begin_panel("##properties", c.layout.properties);
    if (ImGui::BeginTabBar("right")) {
        tab(c, RightTab::inspector, "Inspector", draw_inspector);
        tab(c, RightTab::solver, "Solver", draw_solver_panel);
        tab(c, RightTab::show, "Show", draw_show_panel);
        ImGui::EndTabBar();
    }
    end_panel();
}

}  // namespace proxima::editor
