// SPDX-License-Identifier: MIT
// The panel below the picture: time line, plots, audit, times of stages, counters, log.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"

namespace proxima::editor {

namespace {

/// The steps that plots show: those of the time line.
struct Span {
    uint64_t first = 0, last = 0;
    bool any = false;
};
Span span_of(const PanelContext& c) {
    const Monitor& monitor = c.workspace.monitor(0);
    if (monitor.empty()) return {};
    const uint64_t newest = monitor.newest();
    const uint64_t first = newest > PlayControl::kTimeLineSteps ? newest - PlayControl::kTimeLineSteps : 0;
    return {std::max(first, monitor.oldest()), newest, true};
}

/// Curves of one value over all lanes, or of several values of the first.
class CurveSet {
  public:
    explicit CurveSet(const PanelContext& c) : c_(c), span_(span_of(c)) {
        values_.reserve(8);  // spans point into these vectors, not into the list: still, no moves
        names_.reserve(8);
    }
    template <class Pick>
    void add_lanes(Pick&& pick) {
        for (size_t k = 0; k < c_.workspace.lanes(); ++k)
            add(k, c_.workspace.lane_name(k), to_imgui(kLaneColours[k]), pick);
    }
    template <class Pick>
    void add(size_t lane, std::string name, ImU32 colour, Pick&& pick) {
        names_.push_back(std::move(name));
        values_.emplace_back();
        if (span_.any) c_.workspace.monitor(lane).series(span_.first, span_.last, pick, values_.back());
        curves_.push_back({values_.back(), colour, names_.back()});
    }
    const Span& span() const { return span_; }
    std::span<const Curve> curves() const { return curves_; }

  private:
    const PanelContext& c_;
    Span span_;
    std::vector<std::vector<float>> values_;
    std::vector<std::string> names_;
    std::vector<Curve> curves_;
};

PlotLook look_of(const PanelContext& c, const CurveSet& set, std::string_view title, std::string_view unit) {
    PlotLook look;
    look.title = title;
    look.unit = unit;
    look.first_step = set.span().first;
    look.shown_step = c.workspace.playing() ? c.workspace.frame().step : 0;
    look.step_seconds = double(c.workspace.document.scene_data().run.dt);
    return look;
}

void plot_and_seek(PanelContext& c, const char* id, const CurveSet& set, const PlotLook& look, float width) {
    const uint64_t step = plot(id, set.curves(), look, {width, ImGui::GetContentRegionAvail().y});
    if (step > 0 && c.workspace.playing() && step >= c.workspace.frame().oldest && step <= c.workspace.frame().newest)
        c.workspace.tell(c.workspace.play.seek(step));
}

float half_width() { return 0.5f * (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x); }

}  // namespace

// ---- time line

void draw_time_line(PanelContext& c) {
    Workspace& ws = c.workspace;
    const PlayFrame& frame = ws.frame();
    const double dt = double(ws.document.scene_data().run.dt);
    const bool any = ws.playing() && frame.newest > 0;
    const uint64_t first = any ? ws.play.time_line_begin(frame) : 0, last = any ? frame.newest : 0;
    const std::string text =
        any ? fmt::format("{:.2f} s   step {}", double(frame.step) * dt, frame.step) : std::string("not playing");
    const float wide = 11.5f * c.em;
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("Time");
    ImGui::SameLine();
    const ImVec2 size{std::max(ImGui::GetContentRegionAvail().x - wide, 4.0f * c.em), ImGui::GetFrameHeight()};
    ImGui::BeginDisabled(!any);
    ImGui::InvisibleButton("##time line", size);
    const bool held = ImGui::IsItemActive();
    ImGui::EndDisabled();
    c.named("time_line");
    hint(any ? "Drag to go back and forth over the last 10 s; play goes on from there."
             : "Play the scene: the last 10 s can then be gone through here.");
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = 0.5f * (low.y + high.y), r = 0.28f * c.em;
    list.AddRectFilled({low.x, y - r}, {high.x, y + r}, ImGui::GetColorU32(ImGuiCol_FrameBg), r);
    if (any) {
        const double length = std::max<double>(1.0, double(last - first));
        const auto x_of = [&](uint64_t step) {
            return low.x + float(double(step - std::min(step, first)) / length) * (high.x - low.x);
        };
        const float x = x_of(frame.step);
        list.AddRectFilled({low.x, y - r}, {x, y + r}, ImGui::GetColorU32(ImGuiCol_CheckMark, 0.55f), r);
        // A line a second.
        const auto steps = uint64_t(std::max(1.0, std::round(1.0 / dt)));
        for (uint64_t step = (first / steps + 1) * steps; step < last; step += steps)
            list.AddLine({x_of(step), y - r}, {x_of(step), y + r}, ImGui::GetColorU32(ImGuiCol_Text, 0.25f));
        list.AddCircleFilled({x, y}, 0.48f * c.em, ImGui::GetColorU32(ImGuiCol_CheckMark));
        if (held) {
            const double t = double(ImGui::GetIO().MousePos.x - low.x) / double(high.x - low.x);
            const auto wanted = first + uint64_t(std::clamp(t, 0.0, 1.0) * length + 0.5);
            if (wanted != frame.step || ws.play.state() == engine::PlayState::play) ws.tell(ws.play.seek(wanted));
        }
    }
    ImGui::SameLine(0.0f, 0.9f * c.em);
    ImGui::PushFont(c.fonts.numbers);
    ImGui::TextDisabled("%s", text.c_str());
    ImGui::PopFont();
}

// ---- tabs

void draw_residual_tab(PanelContext& c) {
    ImGui::Checkbox("logarithmic", &c.state.logarithmic);
    ImGui::SameLine();
    quiet_text("How far the worst contact is from Coulomb's law, and how deep bodies overlap.");
    const float width = half_width();
    CurveSet residual(c);
    residual.add_lanes([](const MonitorSample& s) { return s.residual_max; });
    PlotLook look = look_of(c, residual, "Residual", "m/s");
    look.logarithmic = c.state.logarithmic;
    look.min_top = 1e-3f;
    plot_and_seek(c, "##residual", residual, look, width);
    ImGui::SameLine();
    CurveSet depth(c);
    depth.add_lanes([](const MonitorSample& s) { return 1e3f * s.penetration_max; });
    PlotLook deep = look_of(c, depth, "Penetration", "mm");
    deep.min_top = 0.1f;
    plot_and_seek(c, "##penetration", depth, deep, width);
}

namespace {

void audit_row(const char* label, const char* tooltip, const std::string& text, bool bad) {
    property_label(label, tooltip);
    if (bad) ImGui::PushStyleColor(ImGuiCol_Text, {1.0f, 0.72f, 0.35f, 1.0f});
    ImGui::TextUnformatted(text.c_str());
    if (bad) ImGui::PopStyleColor();
}

}  // namespace

void draw_energy_tab(PanelContext& c) {
    const float right = std::min(22.0f * c.em, 0.5f * ImGui::GetContentRegionAvail().x);
    CurveSet energy(c);
    energy.add(0, "kinetic", IM_COL32(235, 110, 90, 255), [](const MonitorSample& s) { return s.mechanics.kinetic; });
    energy.add(0, "potential", IM_COL32(110, 180, 235, 255),
               [](const MonitorSample& s) { return s.mechanics.potential; });
    energy.add(0, "total", IM_COL32(230, 232, 236, 255), [](const MonitorSample& s) { return s.mechanics.total(); });
    PlotLook look = look_of(c, energy, "Energy", "J");
    plot_and_seek(c, "##energy", energy, look,
                  ImGui::GetContentRegionAvail().x - right - ImGui::GetStyle().ItemSpacing.x);
    ImGui::SameLine();
    ImGui::BeginChild("audit", {right, 0.0f});
    const Monitor& monitor = c.workspace.monitor(0);
    const MonitorSample* now =
        c.workspace.playing() && !monitor.empty() ? monitor.at(c.workspace.frame().step) : nullptr;
    if (!now && !monitor.empty()) now = monitor.at(monitor.newest());
    if (!now) {
        quiet_text("The audit compares energy and momentum with what they were when the play began.");
    } else if (begin_properties("books", 7.2f * c.em)) {
        const Audit books = audit(monitor.start(), *now);
        audit_row("Energy drift",
                  "Since the play began, without the work of drags. Friction and impacts make it fall; it must "
                  "not rise.",
                  fmt::format("{} ({:+.2f} %)", with_unit(books.energy_drift, "J"), 100.0 * books.energy_relative),
                  books.energy_relative > 0.001);
        const auto length = [](const glm::dvec3& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); };
        audit_row("Momentum drift", "Without drags and gravity. What touches fixed bodies gives its momentum to them.",
                  with_unit(length(books.linear_drift), "N s"), false);
        audit_row("Angular drift", "About the origin of the world.", with_unit(length(books.angular_drift), "N m s"),
                  false);
        audit_row("Work of drags", "By pulling bodies with the mouse.", with_unit(now->outside.energy, "J"), false);
        audit_row("Kinetic", "Energy of motion.", with_unit(now->mechanics.kinetic, "J"), false);
        audit_row("Potential", "In the scene's gravity, zero at the origin.", with_unit(now->mechanics.potential, "J"),
                  false);
        end_properties();
    }
    ImGui::EndChild();
}

void draw_times_tab(PanelContext& c) {
    const Monitor& monitor = c.workspace.monitor(0);
    if (monitor.empty()) {
        quiet_text("Press Play: the time of each stage of a step is shown here, mean and last.");
        return;
    }
    // The mean over a second is what can be read; the last step is drawn as a line.
    const uint64_t newest =
        c.workspace.playing() ? std::min(c.workspace.frame().step, monitor.newest()) : monitor.newest();
    std::array<float, kStageCount> mean{}, last{};
    float count = 0.0f, total = 0.0f;
    for (uint64_t step = newest > 60 ? newest - 60 : 1; step <= newest; ++step)
        if (const MonitorSample* sample = monitor.at(step)) {
            for (size_t i = 0; i < kStageCount; ++i) mean[i] += sample->stage_ms[i];
            total += sample->step_ms;
            count += 1.0f;
            last = sample->stage_ms;
        }
    if (count == 0.0f) return;
    float largest = 1e-6f;
    for (float& m : mean) largest = std::max(largest, m /= count);
    ImGui::Text("%.3f ms a step", double(total / count));
    ImGui::SameLine();
    ImGui::TextDisabled("mean of the last second; the line is the last step");
    ImGui::BeginChild("bars");
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (size_t i = 0; i < std::min(c.workspace.stage_names().size(), kStageCount); ++i) {
        std::string spoken = c.workspace.stage_names()[i];
        std::replace(spoken.begin(), spoken.end(), '_', ' ');
        ImGui::TextUnformatted(spoken.c_str());
        ImGui::SameLine(9.5f * c.em);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float wide = std::max(ImGui::GetContentRegionAvail().x - 6.0f * c.em, 1.0f);
        const float high = ImGui::GetTextLineHeight();
        list.AddRectFilled({at.x, at.y + 2.0f}, {at.x + wide * mean[i] / largest, at.y + high - 1.0f},
                           IM_COL32(94, 160, 214, 255), 2.0f);
        const float x = at.x + wide * std::min(last[i] / largest, 1.0f);
        list.AddLine({x, at.y + 1.0f}, {x, at.y + high}, ImGui::GetColorU32(ImGuiCol_CheckMark), 2.0f);
        ImGui::Dummy({wide, high});
        ImGui::SameLine();
        ImGui::TextDisabled("%.3f ms", double(mean[i]));
    }
    ImGui::EndChild();
}

void draw_counters_tab(PanelContext& c) {
    Workspace& ws = c.workspace;
    const size_t lanes = ws.lanes();
    if (!ImGui::BeginTable("counters", int(lanes) + 1,
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_NoSavedSettings |
                               ImGuiTableFlags_ScrollY))
        return;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("");
    std::vector<std::string> names;
    for (size_t k = 0; k < lanes; ++k) names.push_back(ws.lane_name(k));
    for (const std::string& name : names) ImGui::TableSetupColumn(name.c_str());
    ImGui::TableHeadersRow();
    const auto sample = [&](size_t k) -> MonitorSample {
        if (ws.playing() && k < ws.frame().lanes.size()) return ws.frame().lanes[k].sample;
        const Monitor& m = ws.monitor(k);
        return m.empty() ? MonitorSample() : *m.at(m.newest());
    };
    const auto row = [&](const char* label, auto&& text) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(label);
        for (size_t k = 0; k < lanes; ++k) {
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(std::string(text(sample(k))).c_str());
        }
    };
    row("Bodies awake", [](const MonitorSample& s) { return std::to_string(s.bodies); });
    row("Bodies asleep", [](const MonitorSample& s) { return std::to_string(s.sleeping); });
    row("Contact points", [](const MonitorSample& s) { return std::to_string(s.contacts); });
    row("Pairs of boxes", [](const MonitorSample& s) { return std::to_string(s.pairs); });
    row("Islands", [](const MonitorSample& s) { return std::to_string(s.islands); });
    row("Time of a step", [](const MonitorSample& s) { return fmt::format("{:.3f} ms", s.step_ms); });
    row("Residual, worst", [](const MonitorSample& s) { return with_unit(s.residual_max, "m/s"); });
    row("Residual, mean", [](const MonitorSample& s) { return with_unit(s.residual_mean, "m/s"); });
    row("Sag of loaded contacts, worst",
        [](const MonitorSample& s) { return with_unit(1e3 * double(s.sag_max), "mm"); });
    row("Sag of loaded contacts, mean",
        [](const MonitorSample& s) { return with_unit(1e3 * double(s.sag_mean), "mm"); });
    row("Penetration, worst", [](const MonitorSample& s) { return with_unit(1e3 * double(s.penetration_max), "mm"); });
    row("Penetration, mean", [](const MonitorSample& s) { return with_unit(1e3 * double(s.penetration_mean), "mm"); });
    if (ws.playing())
        row("Time that was dropped",
            [&](const MonitorSample&) { return fmt::format("{:.2f} s", ws.frame().dropped_seconds); });
    ImGui::EndTable();
}

void draw_log_tab(PanelContext& c) {
    const MessageLog& log = c.workspace.messages;
    if (ImGui::SmallButton("Clear")) c.workspace.messages.clear();
    ImGui::SameLine();
    if (ImGui::SmallButton("Copy")) {
        std::string all;
        for (const Message& message : log.messages()) all += message.text + "\n";
        ImGui::SetClipboardText(all.c_str());
    }
    hint("Everything in the log, to the clipboard.");
    ImGui::BeginChild("messages");
    for (const Message& message : log.messages()) {
        const ImVec4 colour = message.severity == Severity::error     ? ImVec4(1.0f, 0.5f, 0.45f, 1.0f)
                              : message.severity == Severity::warning ? ImVec4(1.0f, 0.8f, 0.4f, 1.0f)
                                                                      : ImGui::GetStyleColorVec4(ImGuiCol_Text);
        ImGui::PushStyleColor(ImGuiCol_Text, colour);
        ImGui::PushTextWrapPos(0.0f);
        const std::string text =
            message.times > 1 ? fmt::format("{}  ({} times)", message.text, message.times) : message.text;
        ImGui::TextUnformatted(text.c_str());
        ImGui::PopTextWrapPos();
        ImGui::PopStyleColor();
    }
    if (log.count() != c.state.log_seen) {
        c.state.log_seen = log.count();
        ImGui::SetScrollHereY(1.0f);
    }
    ImGui::EndChild();
}

// ---- the panel

void draw_bottom_panel(PanelContext& c) {
    if (!c.layout.show_bottom) return;
    begin_panel("##monitors", c.layout.monitors);
    draw_time_line(c);
    if (ImGui::BeginTabBar("bottom")) {
        struct Tab {
            BottomTab which;
            const char* label;
            void (*draw)(PanelContext&);
        };
        constexpr Tab kTabs[] = {
            {BottomTab::residual, "Residual", draw_residual_tab}, {BottomTab::energy, "Energy", draw_energy_tab},
            {BottomTab::times, "Times", draw_times_tab},          {BottomTab::counters, "Counters", draw_counters_tab},
            {BottomTab::contacts, "Contacts", draw_contacts_tab}, {BottomTab::log, "Log", draw_log_tab}};
        for (const Tab& tab : kTabs) {
            const bool forced = c.state.force_bottom && c.state.bottom == tab.which;
            const bool open = ImGui::BeginTabItem(tab.label, nullptr, forced ? ImGuiTabItemFlags_SetSelected : 0);
            c.named(std::string("tab.") + tab.label);
            if (!open) continue;
            if (!c.state.force_bottom || forced) c.state.bottom = tab.which;
            if (forced) c.state.force_bottom = false;
            ImGui::BeginChild("content");
            tab.draw(c);
            ImGui::EndChild();
            ImGui::EndTabItem();
        }
        ImGui::EndTabBar();
    }
    end_panel();
}

}  // namespace proxima::editor
