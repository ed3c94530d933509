// SPDX-License-Identifier: MIT
// The solver of the contacts, for the whole world or for the island of the selected body, live; and the same
// scene solved by others beside it.
#include <fmt/format.h>

#include <algorithm>

#include "physics/solvers/solver.h"
#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"

namespace proxima::editor {

using physics::FrictionSet;
using physics::Solver;
using physics::StepSettings;

namespace {

const char* to_text(FrictionSet set) { return set == FrictionSet::disk ? "disk" : "box"; }

void solver_tooltip(const Solver& solver) {
    if (!ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(28.0f * ImGui::GetFontSize());
    ImGui::TextUnformatted(std::string(solver.name).c_str());
    ImGui::Separator();
    const auto line = [](const char* label, std::string_view text) {
        ImGui::TextDisabled("%s", label);
        ImGui::SameLine();
        ImGui::TextUnformatted(text.data(), text.data() + text.size());
    };
    line("Solves", solver.solves);
    line("Guarantees", solver.guarantees);
    line("Costs", solver.costs);
    line("Family", physics::to_text(solver.family));
    line("Model", physics::to_text(solver.model));
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

/// A list of solvers to choose from; empty when nothing was chosen.
std::string solver_combo(PanelContext& c, const char* id, const std::string& now, int friction_filter) {
    std::string chosen;
    ImGui::SetNextWindowSizeConstraints({24.0f * ImGui::GetFontSize(), 0.0f},
                                        {34.0f * ImGui::GetFontSize(), 24.0f * ImGui::GetFontSize()});
    if (!ImGui::BeginCombo(id, now.c_str(), ImGuiComboFlags_HeightLargest)) return chosen;
    for (const Solver& solver : physics::solver_table()) {
        if (friction_filter == 1 && solver.set != FrictionSet::disk) continue;
        if (friction_filter == 2 && solver.set != FrictionSet::box) continue;
        const std::string name(solver.name);
        if (ImGui::Selectable(name.c_str(), solver.name == now)) chosen = name;
        c.named("choose." + name);
        solver_tooltip(solver);
        if (solver.name == now) ImGui::SetItemDefaultFocus();
        ImGui::SameLine(9.0f * ImGui::GetFontSize());
        ImGui::TextDisabled("%s", std::string(solver.solves).c_str());
    }
    ImGui::EndCombo();
    return chosen;
}

void describe(const std::string& name) {
    if (const Solver* solver = physics::find_solver(name)) {
        ImGui::PushTextWrapPos(0.0f);
        ImGui::TextUnformatted(solver->solves.data(), solver->solves.data() + solver->solves.size());
        ImGui::PopTextWrapPos();
        quiet_text(std::string(solver->guarantees));
    }
}

void friction_row(PanelContext& c, const std::string& solver) {
    property_label("Friction set",
                   "disk: Coulomb's law, the same in every direction. box: each tangent by itself, up to 41 % "
                   "too strong diagonally. It belongs to the solver: choosing one lists the solvers that have it.");
    const Solver* now = physics::find_solver(solver);
    const char* shown = c.state.friction_filter == 0 ? "any" : c.state.friction_filter == 1 ? "disk" : "box";
    const std::string label =
        c.state.friction_filter == 0 && now ? fmt::format("any (now {})", to_text(now->set)) : shown;
    if (!ImGui::BeginCombo("##friction", label.c_str())) return;
    constexpr const char* kNames[] = {"any", "disk", "box"};
    for (int i = 0; i < 3; ++i)
        if (ImGui::Selectable(kNames[i], c.state.friction_filter == i)) c.state.friction_filter = i;
    ImGui::EndCombo();
}

template <class T>
bool whole_row(const char* label, const char* tooltip, T& value, int low, int high) {
    property_label(label, tooltip);
    auto number = int(value);
    ImGui::PushID(label);
    const bool changed = ImGui::SliderInt("##value", &number, low, high);
    ImGui::PopID();
    if (changed) value = T(std::clamp(number, low, 100000));
    return changed;
}

bool small_row(const char* label, const char* tooltip, double& value, double step, const char* format) {
    property_label(label, tooltip);
    auto number = float(value);
    ImGui::PushID(label);
    const bool changed = ImGui::DragFloat("##value", &number, float(step), 0.0f, 1e6f, format);
    ImGui::PopID();
    if (changed) value = std::max(0.0, double(number));
    return changed;
}

/// While a slider is dragged in edit, all changes are one command.
void note_drag(Workspace& ws) {
    if (ws.playing()) return;
    if (ImGui::IsAnyItemActive() && ImGui::IsMouseClicked(0)) ws.document.begin_drag();
    if (!ImGui::IsMouseDown(0) && ws.document.is_dragging()) ws.document.end_drag();
}

void world_rows(PanelContext& c) {
    Workspace& ws = c.workspace;
    StepSettings settings = ws.settings(0);
    bool changed = false;
    if (!begin_properties("world", 7.0f * c.em)) return;
    property_label("Solver", "What solves the contacts of the whole world.");
    if (const std::string chosen = solver_combo(c, "##solver", settings.solver, c.state.friction_filter);
        !chosen.empty()) {
        settings.solver = chosen;
        changed = true;
    }
    c.named("solver");
    friction_row(c, settings.solver);
    changed |= whole_row("Sub-steps", "Parts that a step is divided into; more is stiffer and dearer.",
                         settings.substeps, 1, 32);
    changed |= whole_row("Iterations", "Sweeps per sub-step.", settings.iterations, 1, 100);
    changed |= whole_row("Relax", "Sweeps without push-out after the last sub-step.", settings.relax_iterations, 0, 20);
    changed |= small_row("Tolerance", "Islands at or below this residual are not swept further; 0: never.",
                         settings.tolerance, 1e-5, "%.6g m/s");
    double budget = 1e3 * settings.time_limit;
    if (small_row("Budget", "Time for one island in one sub-step; 0: none. Results then depend on the machine.", budget,
                  0.01, "%.3g ms")) {
        settings.time_limit = 1e-3 * budget;
        changed = true;
    }
    property_label("Escalate", "Islands that miss the tolerance go to a stronger solver.");
    changed |= ImGui::Checkbox("##escalate", &settings.escalate);
    property_label("Direct islands", "Small stacks at rest and uneven ones are solved exactly.");
    changed |= ImGui::Checkbox("##direct", &settings.direct_islands);
    end_properties();
    note_drag(ws);
    if (changed) ws.change_settings(0, settings);
    describe(settings.solver);
    if (ws.playing() && ws.has_live_settings()) {
        ImGui::Checkbox("Keep these settings after Stop", &ws.keep_live_settings);
        hint("What is changed during a play is forgotten when it stops, unless this is on.");
    }
}

void island_rows(PanelContext& c) {
    Workspace& ws = c.workspace;
    const ItemId body = ws.primary_body();
    if (!ws.playing() || body == ItemId::none || ws.frame().lanes.empty()) {
        quiet_text(
            "Play the scene and select a body: its island, which is everything that it touches and "
            "leans on, can then have a solver of its own.");
        return;
    }
    const std::optional<physics::IslandReport>& island = ws.frame().lanes[0].island;
    if (begin_properties("island", 7.0f * c.em)) {
        property_label("Solver", "What solves the island of the selected body, wherever it goes.");
        const std::string now = island ? std::string(island->solver) : std::string("(the world's)");
        std::string chosen = solver_combo(c, "##island", now, c.state.friction_filter);
        c.named("island.solver");
        friction_row(c, now);
        // A number counts when its drag has ended: each change goes onto the tape of the play. It is for a
        // solver that iterates; an island that is solved directly gets the world's.
        const std::string iterating = physics::find_solver(now) ? now : ws.settings(0).solver;
        property_label("Iterations",
                       "Per sub-step; 0: as the world's. Every solver makes as many as it needs for an answer at all.");
        ImGui::DragInt("##iterations", &c.state.island_iterations, 0.2f, 0, 10000);
        if (ImGui::IsItemDeactivatedAfterEdit() && island) chosen = iterating;
        c.named("island.iterations");
        property_label("Tolerance", "Stop at or below this residual; 0: never.");
        ImGui::DragFloat("##tolerance", &c.state.island_tolerance, 1e-5f, 0.0f, 1.0f, "%.6g m/s");
        if (ImGui::IsItemDeactivatedAfterEdit() && island) chosen = iterating;
        if (!chosen.empty())
            ws.tell(ws.play.change_solver(kAllLanes, body, chosen, c.state.island_tolerance,
                                          uint32_t(std::max(0, c.state.island_iterations))));
        if (island) {
            property_label("Bodies", "In the island.");
            ImGui::Text("%u, %u pairs in contact", island->bodies, island->constraints);
            property_label("Residual", "Of its worst contact in the last step.");
            ImGui::TextUnformatted(with_unit(island->residual, "m/s").c_str());
            property_label("Stopped by", "Why the last solve ended.");
            ImGui::Text("%s after %u%s", std::string(physics::to_text(island->stop)).c_str(), island->iterations,
                        island->escalated ? ", escalated" : "");
        }
        end_properties();
    }
    if (ImGui::Button("Back to the world's solver")) ws.tell(ws.play.reset_solver(kAllLanes, body));
    c.named("island.reset");
    if (!island) quiet_text("The body took no part in the last step: it sleeps, is fixed, or floats free.");
}

void comparison(PanelContext& c) {
    Workspace& ws = c.workspace;
    heading("Compare solvers");
    quiet_text("The same scene beside itself, solved by others: coloured ghosts and curves.");
    size_t removed = 0;
    for (size_t k = 1; k < ws.lanes(); ++k) {
        ImGui::PushID(int(k));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float h = ImGui::GetFrameHeight();
        ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + 0.25f * h}, {at.x + 0.5f * h, at.y + 0.75f * h},
                                                  to_imgui(kLaneColours[k]), 2.0f);
        ImGui::Dummy({0.6f * h, h});
        ImGui::SameLine();
        ImGui::SetNextItemWidth(-2.4f * c.em);
        StepSettings settings = ws.settings(k);
        if (const std::string chosen = solver_combo(c, "##lane", settings.solver, 0); !chosen.empty()) {
            settings.solver = chosen;
            ws.change_settings(k, settings);
        }
        ImGui::SameLine();
        ImGui::BeginDisabled(ws.playing());
        if (ImGui::Button("x")) removed = k;
        ImGui::EndDisabled();
        hint(ws.playing() ? "Stop the play to change what is compared." : "Compare without it.");
        if (ws.playing() && k < ws.frame().lanes.size()) {
            const MonitorSample& sample = ws.frame().lanes[k].sample;
            ImGui::TextDisabled("   residual %s, %.1f ms", with_unit(sample.residual_max, "m/s").c_str(),
                                double(sample.step_ms));
        }
        ImGui::PopID();
    }
    if (removed) ws.remove_lane(removed);
    if (ws.lanes() >= kMaxLanes) return;
    ImGui::BeginDisabled(ws.playing());
    ImGui::SetNextItemWidth(-1.0f);
    if (const std::string chosen = solver_combo(c, "##new lane", "+ Compare with...", 0); !chosen.empty())
        ws.add_lane(chosen);
    ImGui::EndDisabled();
    c.named("compare");
    hint(ws.playing() ? "Stop the play to change what is compared." : "Up to three solvers beside the scene's.");
}

}  // namespace

void draw_solver_panel(PanelContext& c) {
    Workspace& ws = c.workspace;
    if (ImGui::RadioButton("Whole world", !c.state.for_island)) c.state.for_island = false;
    ImGui::SameLine();
    if (ImGui::RadioButton("Island of selection", c.state.for_island)) c.state.for_island = true;
    c.named("solver.island");
    if (c.state.for_island)
        island_rows(c);
    else
        world_rows(c);
    if (ws.playing() && !ws.frame().lanes.empty()) {
        const MonitorSample& sample = ws.frame().lanes[0].sample;
        ImGui::TextDisabled("Now: residual %s, %.2f ms a step", with_unit(sample.residual_max, "m/s").c_str(),
                            double(sample.step_ms));
    }
    comparison(c);
}

}  // namespace proxima::editor
