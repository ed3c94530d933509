// SPDX-License-Identifier: MIT
// Everything that can be asked of the editor by a button, a menu or a key, as one table: the tool bar, the
// menus, the keyboard and the page of shortcuts are loops over it and cannot disagree.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/window/window_events.h"
#include "samples/editor/app/workspace.h"

namespace proxima::editor {

struct Chord {
    engine::Key key = engine::Key::unknown;
    bool control = false, shift = false, alt = false;
};
/// "Ctrl+Shift+Z"; empty without a key.
std::string to_text(const Chord& chord);

enum class ActionId : uint8_t {
    // File
    new_scene,
    open,
    open_sample,
    save,
    save_as,
    import_mesh,
    reload,
    quit,
    // Edit
    undo,
    redo,
    duplicate,
    remove,
    join,
    select_all,
    select_none,
    tool_move,
    tool_rotate,
    tool_scale,
    toggle_snap,
    toggle_local,
    // Play
    play_pause,
    stop,
    step,
    step_back,
    slower,
    faster,
    // View
    focus,
    view_all,
    show_contacts,
    show_friction,
    show_residuals,
    show_velocities,
    show_islands,
    show_names,
    show_grid,
    screenshot,
    dump,
    trace,
    // Help
    help,
    about,
    count
};

struct Action {
    ActionId id = ActionId::count;
    std::string_view menu;   // "File", "Edit", "Play", "View" or "Help"
    std::string_view label;  // "Save as..."
    std::string_view tooltip;
    Chord chord;
    bool starts_group = false;                           // a line above it in menus
    void (*run)(Workspace& workspace) = nullptr;         //
    bool (*enabled)(const Workspace& ws) = nullptr;      // nullptr: always
    bool (*checked)(const Workspace& ws) = nullptr;      // nullptr: it is no switch
    std::string (*renamed)(const Workspace&) = nullptr;  // a label that says more, such as "Undo Move body"
};

/// In the order of ActionId, which is the order of the menus.
std::span<const Action> actions();
const Action& action(ActionId id);
/// Whether it can be done now.
bool is_enabled(const Action& action, const Workspace& workspace);
/// Does it when it can be done; otherwise nothing.
void run(ActionId id, Workspace& workspace);
/// The action of a key, or nullptr.
const Action* find_action(const engine::KeyEvent& event);

/// What the mouse and keys do in the picture, which is no action: for the page of shortcuts.
struct Gesture {
    std::string_view keys, what;
};
std::span<const Gesture> gestures();

}  // namespace proxima::editor
