// SPDX-License-Identifier: MIT
// Dear ImGui between a window's events and the renderer's triangles. It opens no window and calls no Vulkan,
// so that the same panels run in a window, in a picture without a display, and in tests.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/window/window_events.h"
#include "render/picture.h"
#include "render/ui_draw.h"

struct ImDrawData;
struct ImFont;
struct ImGuiContext;

namespace proxima::shell {

/// Letters for panels. Never null.
struct UiFonts {
    ImFont* body = nullptr;     // 15 px at scale 1
    ImFont* heading = nullptr;  // 22 px, for titles
    ImFont* large = nullptr;    // 34 px, for menus of games
    ImFont* numbers = nullptr;  // 14 px, all digits equally wide
};

/// Where copied text is kept: the system's clipboard with a window, a string of the bridge without.
struct UiClipboard {
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;
};

class UiBridge {
  public:
    /// `scale` is that of the screen: fonts and spaces are multiplied by it.
    explicit UiBridge(float scale = 1.0f);
    ~UiBridge();
    UiBridge(const UiBridge&) = delete;
    UiBridge& operator=(const UiBridge&) = delete;

    /// Other fonts and spaces for another screen; the font picture is another one afterwards.
    void set_scale(float scale);
    float scale() const { return scale_; }
    const UiFonts& fonts() const { return fonts_; }
    /// Empty, or a sentence: why the letters are not those that one would expect.
    const std::string& note() const { return note_; }
    void set_clipboard(UiClipboard clipboard) { clipboard_ = std::move(clipboard); }

    /// All letters as a picture. Its owner adds it to the renderer and says which number it got.
    render::Picture font_picture() const;
    void set_font_texture(uint32_t texture);

    /// Events wait for the next frame. Those that would cancel each other in one (a button pressed and let
    /// go) are spread over several, otherwise a quick click on a slow machine would be none.
    void add_event(const engine::WindowEvent& event);
    /// The events of the frame that began last: the world under the user interface gets them in the same
    /// portions, and knows for each whether the user interface has taken it.
    std::span<const engine::WindowEvent> frame_events() const { return heard_; }
    /// Whether the mouse or the keyboard is the user interface's: then the world under it leaves them alone.
    bool wants_mouse() const;
    bool wants_keyboard() const;
    /// A field for text is being filled.
    bool wants_text() const;

    /// Sizes in pixels. All calls of ImGui belong between these two.
    void begin_frame(double seconds, uint32_t width, uint32_t height);
    /// The triangles live until the next frame begins.
    const render::UiDrawData& end_frame();
    /// Whether events still wait for a frame.
    bool pending() const { return !waiting_.empty(); }
    /// What the mouse should look like.
    engine::Pointer pointer() const;

  private:
    void load_fonts();
    /// Hands over as many of the waiting events as one frame can tell apart.
    void take_events();

    ImGuiContext* context_ = nullptr;
    float scale_ = 1.0f;
    UiFonts fonts_;
    std::string note_;
    UiClipboard clipboard_;
    std::string clipboard_text_;  // lent to ImGui, and kept where there is no system's clipboard
    std::deque<engine::WindowEvent> waiting_;
    std::vector<engine::WindowEvent> heard_;
    render::UiDrawData data_;
    bool in_frame_ = false;
};

/// From ImGui's lists to ours; `out` keeps its memory. Commands that are functions are left out: nobody here makes
/// any.
void convert_ui(const ImDrawData& from, render::UiDrawData& out);

/// Dark, calm and a little rounded; one accent colour.
void apply_style(float scale);

}  // namespace proxima::shell
