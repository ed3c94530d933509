// SPDX-License-Identifier: MIT
#include "samples/editor/app/actions.h"

#include <algorithm>
#include <array>

#include "engine/core/assert.h"
#include "engine/profile/trace.h"

namespace proxima::editor {

using engine::Key;

namespace {

constexpr Chord key(Key k) { return {k, false, false, false}; }
constexpr Chord ctrl(Key k) { return {k, true, false, false}; }
constexpr Chord ctrl_shift(Key k) { return {k, true, true, false}; }

bool editing(const Workspace& ws) { return !ws.playing(); }
bool some_selected(const Workspace& ws) { return !ws.document.selection().empty(); }
bool can_change_selected(const Workspace& ws) { return editing(ws) && some_selected(ws); }
bool two_bodies_selected(const Workspace& ws) { return editing(ws) && ws.document.selected_bodies().size() == 2; }
bool in_play(const Workspace& ws) { return ws.playing(); }

constexpr std::array kSpeeds = {0.1, 0.25, 0.5, 1.0, 2.0, 4.0};

void change_speed(Workspace& ws, int by) {
    size_t nearest = 0;
    for (size_t i = 0; i < kSpeeds.size(); ++i)
        if (std::abs(kSpeeds[i] - ws.play.speed()) < std::abs(kSpeeds[nearest] - ws.play.speed())) nearest = i;
    const int wanted = std::clamp(int(nearest) + by, 0, int(kSpeeds.size()) - 1);
    ws.play.set_speed(kSpeeds[size_t(wanted)]);
}

template <bool ShowOptions::*Member>
Action show_switch(ActionId id, std::string_view label, std::string_view tooltip, Chord chord) {
    Action a{id, "View", label, tooltip, chord};
    a.run = [](Workspace& ws) { ws.show.*Member = !(ws.show.*Member); };
    a.checked = [](const Workspace& ws) { return ws.show.*Member; };
    return a;
}

template <GizmoMode Mode>
Action tool(ActionId id, std::string_view label, std::string_view tooltip, Chord chord) {
    Action a{id, "Edit", label, tooltip, chord};
    a.run = [](Workspace& ws) { ws.tool.mode = Mode; };
    a.checked = [](const Workspace& ws) { return ws.tool.mode == Mode; };
    return a;
}

void add_file(std::vector<Action>& out) {
    out.push_back({ActionId::new_scene, "File", "New", "An empty scene.", ctrl(Key::n), false,
                   [](Workspace& ws) { ws.new_scene(); }});
    out.push_back({ActionId::open, "File", "Open...", "Open a scene file.", ctrl(Key::o), false,
                   [](Workspace& ws) { ws.dialog = FileDialog::open; }});
    out.push_back({ActionId::open_sample, "File", "Open sample...", "Open one of the built-in scenes.",
                   ctrl_shift(Key::o), false, [](Workspace& ws) { ws.samples_open = true; }});
    out.push_back({ActionId::save, "File", "Save", "Save the scene to its file.", ctrl(Key::s), true,
                   [](Workspace& ws) { ws.save(); }});
    out.push_back({ActionId::save_as, "File", "Save as...", "Save the scene to another file.", ctrl_shift(Key::s),
                   false, [](Workspace& ws) { ws.dialog = FileDialog::save_as; }});
    out.push_back({ActionId::import_mesh, "File", "Import mesh...", "Add an OBJ, glTF or GLB file as a convex body.",
                   ctrl(Key::i), true, [](Workspace& ws) { ws.dialog = FileDialog::import; }, editing});
    out.push_back({ActionId::reload, "File", "Reload", "Read the scene's file again.", key(Key::f5), false,
                   [](Workspace& ws) { ws.reload(); },
                   [](const Workspace& ws) { return !ws.document.file().empty(); }});
    out.push_back(
        {ActionId::quit, "File", "Quit", "Close the editor.", ctrl(Key::q), true, [](Workspace& ws) { ws.quit(); }});
}

void add_edit(std::vector<Action>& out) {
    Action undo{ActionId::undo, "Edit", "Undo", "Take the last change back.", ctrl(Key::z)};
    undo.run = [](Workspace& ws) { ws.tell(ws.document.undo()); };
    undo.enabled = [](const Workspace& ws) { return editing(ws) && !ws.document.undo_name().empty(); };
    undo.renamed = [](const Workspace& ws) { return "Undo " + std::string(ws.document.undo_name()); };
    out.push_back(undo);
    Action redo{ActionId::redo, "Edit", "Redo", "Do again what was undone.", ctrl_shift(Key::z)};
    redo.run = [](Workspace& ws) { ws.tell(ws.document.redo()); };
    redo.enabled = [](const Workspace& ws) { return editing(ws) && !ws.document.redo_name().empty(); };
    redo.renamed = [](const Workspace& ws) { return "Redo " + std::string(ws.document.redo_name()); };
    out.push_back(redo);
    out.push_back({ActionId::duplicate, "Edit", "Duplicate", "Copy the selected bodies.", ctrl(Key::d), true,
                   [](Workspace& ws) { ws.duplicate_selected(); }, can_change_selected});
    out.push_back({ActionId::remove, "Edit", "Delete", "Remove what is selected.", key(Key::del), false,
                   [](Workspace& ws) { ws.remove_selected(); }, can_change_selected});
    out.push_back({ActionId::join, "Edit", "Join...", "Connect the two selected bodies by a joint.", key(Key::j), false,
                   [](Workspace& ws) { ws.joint_tool.choosing = true; }, two_bodies_selected});
    out.push_back({ActionId::select_all, "Edit", "Select all", "Select every body.", ctrl(Key::a), false,
                   [](Workspace& ws) { ws.document.select_all(); }});
    out.push_back({ActionId::select_none, "Edit", "Select nothing", "Clear the selection.", key(Key::escape), false,
                   [](Workspace& ws) { ws.document.clear_selection(); }, some_selected});
    out.push_back(
        tool<GizmoMode::move>(ActionId::tool_move, "Move", "Move the selection with its arrows.", key(Key::g)));
    out.back().starts_group = true;
    out.push_back(
        tool<GizmoMode::rotate>(ActionId::tool_rotate, "Rotate", "Turn the selection with its rings.", key(Key::r)));
    out.push_back(
        tool<GizmoMode::scale>(ActionId::tool_scale, "Scale", "Scale the selection with its handles.", key(Key::t)));
    Action snap{ActionId::toggle_snap, "Edit", "Snap",
                "Move in steps of 1/4 m, turn in steps of 15 degrees, scale in tenths.", key(Key::x)};
    snap.run = [](Workspace& ws) { ws.tool.snap.on = !ws.tool.snap.on; };
    snap.checked = [](const Workspace& ws) { return ws.tool.snap.on; };
    out.push_back(snap);
    Action local{ActionId::toggle_local, "Edit", "Local axes",
                 "Handles along the axes of the body instead of the world's.", key(Key::l)};
    local.run = [](Workspace& ws) {
        ws.tool.space = ws.tool.space == AxisSpace::local ? AxisSpace::world : AxisSpace::local;
    };
    local.checked = [](const Workspace& ws) { return ws.tool.space == AxisSpace::local; };
    out.push_back(local);
}

void add_play(std::vector<Action>& out) {
    Action play{ActionId::play_pause, "Play", "Play", "Run the scene, or pause it.", key(Key::space)};
    play.run = [](Workspace& ws) { ws.play_or_pause(); };
    play.renamed = [](const Workspace& ws) -> std::string {
        return ws.play.state() == engine::PlayState::play ? "Pause" : "Play";
    };
    out.push_back(play);
    out.push_back({ActionId::stop, "Play", "Stop", "End the play: everything is as before it.", ctrl(Key::space), false,
                   [](Workspace& ws) { ws.stop(); }, in_play});
    out.push_back({ActionId::step, "Play", "Step", "One step forward.", key(Key::period), false,
                   [](Workspace& ws) { ws.tell(ws.play.step()); }});
    out.push_back({ActionId::step_back, "Play", "Step back", "One step back in time.", key(Key::comma), false,
                   [](Workspace& ws) { ws.tell(ws.play.step_back()); },
                   [](const Workspace& ws) { return in_play(ws) && ws.frame().step > ws.frame().oldest; }});
    out.push_back({ActionId::slower, "Play", "Slower", "Less time passes in the scene.", key(Key::left_bracket), true,
                   [](Workspace& ws) { change_speed(ws, -1); }});
    out.push_back({ActionId::faster, "Play", "Faster", "More time passes in the scene.", key(Key::right_bracket), false,
                   [](Workspace& ws) { change_speed(ws, 1); }});
}

void add_view(std::vector<Action>& out) {
    out.push_back({ActionId::focus, "View", "Focus selection", "Move the camera to what is selected.", key(Key::f),
                   false, [](Workspace& ws) { ws.wishes.focus = true; }, some_selected});
    out.push_back({ActionId::view_all, "View", "View all", "Move the camera so that all is seen.", key(Key::home),
                   false, [](Workspace& ws) { ws.wishes.view_all = true; }});
    out.push_back(show_switch<&ShowOptions::contacts>(
        ActionId::show_contacts, "Contacts", "Contact points, and arrows of their forces.", key(Key::digit_1)));
    out.back().starts_group = true;
    out.push_back(show_switch<&ShowOptions::friction>(ActionId::show_friction, "Friction",
                                                      "How much friction each contact may use, and how much it does.",
                                                      key(Key::digit_2)));
    out.push_back(show_switch<&ShowOptions::residuals>(ActionId::show_residuals, "Residuals",
                                                       "Contacts coloured by how far they are from the law.",
                                                       key(Key::digit_3)));
    out.push_back(show_switch<&ShowOptions::velocities>(ActionId::show_velocities, "Velocities",
                                                        "Where each body goes.", key(Key::digit_4)));
    out.push_back(show_switch<&ShowOptions::islands>(ActionId::show_islands, "Islands", "What is solved together.",
                                                     key(Key::digit_5)));
    out.push_back(
        show_switch<&ShowOptions::names>(ActionId::show_names, "Names", "Names of the bodies.", key(Key::digit_6)));
    out.push_back(
        show_switch<&ShowOptions::grid>(ActionId::show_grid, "Grid", "Lines on the ground.", key(Key::digit_7)));
    out.push_back({ActionId::screenshot, "View", "Screenshot", "Write this picture as a PNG file.", key(Key::f12), true,
                   [](Workspace& ws) { ws.wishes.screenshot = true; }});
    out.push_back({ActionId::dump, "View", "Dump this frame",
                   "Write the contact problem of this step to a file, for `proxima solve`.", key(Key::f10), false,
                   [](Workspace& ws) { ws.dump_frame(); }, in_play});
    Action trace{ActionId::trace, "View", "Record trace",
                 "Record what the program spends its time on; again to write the file.", key(Key::f11)};
    trace.run = [](Workspace& ws) { ws.toggle_trace(); };
    trace.checked = [](const Workspace&) { return engine::trace_active(); };
    out.push_back(trace);
}

void add_help(std::vector<Action>& out) {
    out.push_back({ActionId::help, "Help", "Keys and mouse", "All shortcuts on one page.", key(Key::f1), false,
                   [](Workspace& ws) { ws.help_open = !ws.help_open; }});
    out.push_back({ActionId::about, "Help", "About Proxima", "What this program is.", {}, false, [](Workspace& ws) {
                       ws.about_open = true;
                   }});
}

struct KeyName {
    Key key;
    std::string_view text;
};
constexpr KeyName kKeyNames[] = {
    {Key::space, "Space"},     {Key::comma, ","},     {Key::period, "."}, {Key::left_bracket, "["},
    {Key::right_bracket, "]"}, {Key::escape, "Esc"},  {Key::del, "Del"},  {Key::home, "Home"},
    {Key::end, "End"},         {Key::enter, "Enter"}, {Key::tab, "Tab"},  {Key::backspace, "Backspace"},
};

}  // namespace

std::string to_text(const Chord& chord) {
    if (chord.key == Key::unknown) return {};
    std::string out =
        std::string(chord.control ? "Ctrl+" : "") + (chord.alt ? "Alt+" : "") + (chord.shift ? "Shift+" : "");
    const uint32_t value = uint32_t(chord.key);
    for (const KeyName& name : kKeyNames)
        if (name.key == chord.key) return out + std::string(name.text);
    if (chord.key >= Key::f1 && chord.key <= Key::f12) return out + "F" + std::to_string(value - uint32_t(Key::f1) + 1);
    return out + char(value);
}

std::span<const Action> actions() {
    static const std::vector<Action> table = [] {
        std::vector<Action> out;
        add_file(out);
        add_edit(out);
        add_play(out);
        add_view(out);
        add_help(out);
        PX_ASSERT(out.size() == size_t(ActionId::count), "every action has a row");
        for (size_t i = 0; i < out.size(); ++i)
            PX_ASSERT(size_t(out[i].id) == i, "rows stand in the order of their ids");
        return out;
    }();
    return table;
}

const Action& action(ActionId id) { return actions()[size_t(id)]; }

bool is_enabled(const Action& action, const Workspace& workspace) {
    return !action.enabled || action.enabled(workspace);
}

void run(ActionId id, Workspace& workspace) {
    const Action& asked = action(id);
    if (is_enabled(asked, workspace)) asked.run(workspace);
}

const Action* find_action(const engine::KeyEvent& event) {
    const bool control = event.with.control || event.with.super;
    for (const Action& a : actions())
        if (a.chord.key == event.key && a.chord.key != Key::unknown && a.chord.control == control &&
            a.chord.shift == event.with.shift && a.chord.alt == event.with.alt)
            return &a;
    // Redo has a second key that many hands know.
    if (event.key == Key::y && control && !event.with.shift) return &action(ActionId::redo);
    return nullptr;
}

std::span<const Gesture> gestures() {
    static constexpr Gesture kGestures[] = {
        {"Left click", "Select a body; with Ctrl add it or take it off"},
        {"Left drag on nothing", "Select everything in a rectangle"},
        {"Left drag on a handle", "Move, rotate or scale the selection"},
        {"Left drag on a yellow mark of a joint", "Set the end of its range"},
        {"Left drag on a body while playing", "Pull the body by a spring"},
        {"Right drag", "Turn the camera around what it looks at"},
        {"Right button + W A S D, Q E", "Fly; faster with Shift"},
        {"Middle drag, Shift + right drag", "Move the camera sideways"},
        {"Wheel", "Nearer and farther, towards the pointer"},
        {"Esc during a drag", "Give the drag up"},
        {"Drag on a number", "Change it; double click to type one"},
    };
    return kGestures;
}

}  // namespace proxima::editor
