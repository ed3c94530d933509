// SPDX-License-Identifier: MIT
#include "samples/shell/ui_bridge.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <variant>

#include "engine/core/assert.h"
#include "render/text/font_atlas.h"

namespace proxima::shell {

static_assert(sizeof(ImDrawIdx) == sizeof(uint16_t), "our renderer draws 16 bit indices from a first vertex");
static_assert(sizeof(ImDrawVert) == sizeof(render::UiVertex));

namespace {

using engine::Key;

/// Indices of ImGuiIO::KeysDown are the numbers of our keys.
constexpr size_t kKeys = 512;
static_assert(size_t(Key::right_super) < kKeys && sizeof(ImGuiIO::KeysDown) == kKeys * sizeof(bool));

void map_keys(ImGuiIO& io) {
    constexpr std::pair<int, Key> kMap[] = {{ImGuiKey_Tab, Key::tab},
                                            {ImGuiKey_LeftArrow, Key::left},
                                            {ImGuiKey_RightArrow, Key::right},
                                            {ImGuiKey_UpArrow, Key::up},
                                            {ImGuiKey_DownArrow, Key::down},
                                            {ImGuiKey_PageUp, Key::page_up},
                                            {ImGuiKey_PageDown, Key::page_down},
                                            {ImGuiKey_Home, Key::home},
                                            {ImGuiKey_End, Key::end},
                                            {ImGuiKey_Insert, Key::insert},
                                            {ImGuiKey_Delete, Key::del},
                                            {ImGuiKey_Backspace, Key::backspace},
                                            {ImGuiKey_Space, Key::space},
                                            {ImGuiKey_Enter, Key::enter},
                                            {ImGuiKey_Escape, Key::escape},
                                            {ImGuiKey_KeyPadEnter, Key::pad_enter},
                                            {ImGuiKey_A, Key::a},
                                            {ImGuiKey_C, Key::c},
                                            {ImGuiKey_V, Key::v},
                                            {ImGuiKey_X, Key::x},
                                            {ImGuiKey_Y, Key::y},
                                            {ImGuiKey_Z, Key::z}};
    for (const auto& [theirs, ours] : kMap) io.KeyMap[theirs] = int(ours);
}

/// Letters of Latin and Greek, and the signs that buttons and formulas are made of.
constexpr ImWchar kLetters[] = {0x0020, 0x017F, 0x0370, 0x03FF, 0x2010, 0x205E, 0x2070, 0x209C, 0x2190, 0x21FF, 0x2200,
                                0x22FF, 0x23E9, 0x23FA, 0x25A0, 0x25FF, 0x2699, 0x2699, 0x2713, 0x2717, 0};
constexpr ImWchar kFewLetters[] = {0x0020, 0x00FF, 0x2010, 0x2027, 0x2190, 0x2193, 0};

struct FontWish {
    ImFont* UiFonts::*font;
    const char* file;
    float pixels;
    const ImWchar* letters;
};
constexpr FontWish kWishes[] = {{&UiFonts::body, "DejaVuSans.ttf", 15.0f, kLetters},
                                {&UiFonts::heading, "DejaVuSans.ttf", 22.0f, kFewLetters},
                                {&UiFonts::large, "DejaVuSans.ttf", 34.0f, kFewLetters},
                                {&UiFonts::numbers, "DejaVuSansMono.ttf", 14.0f, kFewLetters}};

void set_modifiers(ImGuiIO& io, const engine::Modifiers& with) {
    io.KeyShift = with.shift;
    io.KeyCtrl = with.control;
    io.KeyAlt = with.alt;
    io.KeySuper = with.super;
}

/// What one frame has heard so far: a second change of the same thing must wait for the next.
struct Heard {
    bool moved = false, scrolled = false, typed = false;
    uint32_t buttons = 0;
    std::array<bool, kKeys> keys{};

    bool operator()(const engine::KeyEvent& e) {
        const size_t key = size_t(e.key);
        if (key >= kKeys) return true;
        // Letters typed before a key must be read before it (and after the one they came with).
        if (keys[key] || (typed && e.down && !e.repeated)) return false;
        return keys[key] = true;
    }
    bool operator()(const engine::TextEvent&) { return typed = true; }
    bool operator()(const engine::MouseMoveEvent&) {
        // Where a button was pressed must be seen before the mouse goes on.
        if (buttons != 0) return false;
        return moved = true;
    }
    bool operator()(const engine::MouseButtonEvent& e) {
        const uint32_t bit = 1u << uint32_t(e.button);
        // A place first, then what is done there: widgets learn in one frame that the mouse is over them.
        if ((buttons & bit) != 0 || moved) return false;
        buttons |= bit;
        return true;
    }
    bool operator()(const engine::ScrollEvent&) { return scrolled = true; }
    template <class Other>
    bool operator()(const Other&) {
        return true;
    }
};

struct Teller {
    ImGuiIO& io;

    void operator()(const engine::KeyEvent& e) const {
        if (size_t(e.key) < kKeys) io.KeysDown[size_t(e.key)] = e.down;
        engine::Modifiers with = e.with;
        // Systems say of a modifier itself whether it was held before.
        if (e.key == Key::left_shift || e.key == Key::right_shift) with.shift = e.down;
        if (e.key == Key::left_control || e.key == Key::right_control) with.control = e.down;
        if (e.key == Key::left_alt || e.key == Key::right_alt) with.alt = e.down;
        if (e.key == Key::left_super || e.key == Key::right_super) with.super = e.down;
        set_modifiers(io, with);
    }
    void operator()(const engine::TextEvent& e) const { io.AddInputCharacter(e.character); }
    void operator()(const engine::MouseMoveEvent& e) const { io.MousePos = {e.x, e.y}; }
    void operator()(const engine::MouseButtonEvent& e) const {
        io.MousePos = {e.x, e.y};
        io.MouseDown[size_t(e.button)] = e.down;
        set_modifiers(io, e.with);
    }
    void operator()(const engine::ScrollEvent& e) const {
        io.MouseWheel += e.y;
        io.MouseWheelH -= e.x;
    }
    void operator()(const engine::FocusEvent& e) const {
        io.AddFocusEvent(e.focused);
        if (e.focused) return;
        // Whatever is let go while another window has the keyboard is never told.
        std::fill(std::begin(io.KeysDown), std::end(io.KeysDown), false);
        std::fill(std::begin(io.MouseDown), std::end(io.MouseDown), false);
        set_modifiers(io, {});
    }
    template <class Other>
    void operator()(const Other&) const {}
};

}  // namespace

UiBridge::UiBridge(float scale) {
    IMGUI_CHECKVERSION();
    ImGuiContext* before = ImGui::GetCurrentContext();
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // layouts are kept by whoever has one
    io.LogFilename = nullptr;
    io.BackendPlatformName = "proxima";
    io.BackendRendererName = "proxima";
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset | ImGuiBackendFlags_HasMouseCursors;
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
    map_keys(io);
    io.ClipboardUserData = this;
    io.GetClipboardTextFn = [](void* self) {
        UiBridge& bridge = *static_cast<UiBridge*>(self);
        if (bridge.clipboard_.get) bridge.clipboard_text_ = bridge.clipboard_.get();
        return bridge.clipboard_text_.c_str();
    };
    io.SetClipboardTextFn = [](void* self, const char* text) {
        UiBridge& bridge = *static_cast<UiBridge*>(self);
        bridge.clipboard_text_ = text ? text : "";
        if (bridge.clipboard_.set) bridge.clipboard_.set(bridge.clipboard_text_);
    };
    set_scale(scale);
    if (before) ImGui::SetCurrentContext(before);
}

UiBridge::~UiBridge() { ImGui::DestroyContext(context_); }

void UiBridge::set_scale(float scale) {
    PX_ASSERT(!in_frame_, "the scale of a user interface is changed between frames");
    scale_ = std::isfinite(scale) ? std::clamp(scale, 0.5f, 4.0f) : 1.0f;
    ImGui::SetCurrentContext(context_);
    apply_style(scale_);
    load_fonts();
}

void UiBridge::load_fonts() {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    const ImTextureID texture = atlas.TexID;
    atlas.Clear();
    note_.clear();
    for (const FontWish& wish : kWishes) {
        const std::string file = render::find_font(wish.file);
        ImFont* font = nullptr;
        if (!file.empty()) {
            ImFontConfig config;
            config.OversampleH = 2;
            font = atlas.AddFontFromFileTTF(file.c_str(), std::round(wish.pixels * scale_), &config, wish.letters);
        }
        if (!font) {
            note_ =
                "The font DejaVu Sans was not found, so the user interface has simple letters; on Debian "
                "the package fonts-dejavu-core brings it.";
            ImFontConfig config;
            // Its letters are made for 13 pixels: whole multiples stay sharp.
            config.SizePixels = 13.0f * std::max(1.0f, std::round(wish.pixels * scale_ / 13.0f));
            font = atlas.AddFontDefault(&config);
        }
        fonts_.*wish.font = font;
    }
    atlas.Build();
    atlas.SetTexID(texture);
    ImGui::GetIO().FontDefault = fonts_.body;
}

render::Picture UiBridge::font_picture() const {
    ImGui::SetCurrentContext(context_);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    render::Picture picture;
    picture.width = uint32_t(width);
    picture.height = uint32_t(height);
    picture.pixels.assign(pixels, pixels + size_t(width) * size_t(height) * 4);
    return picture;
}

void UiBridge::set_font_texture(uint32_t texture) {
    ImGui::SetCurrentContext(context_);
    ImGui::GetIO().Fonts->SetTexID(reinterpret_cast<ImTextureID>(uintptr_t(texture)));
}

void UiBridge::add_event(const engine::WindowEvent& event) { waiting_.push_back(event); }

void UiBridge::take_events() {
    Heard heard;
    const Teller tell{ImGui::GetIO()};
    heard_.clear();
    while (!waiting_.empty() && std::visit(heard, waiting_.front())) {
        std::visit(tell, waiting_.front());
        heard_.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
}

bool UiBridge::wants_mouse() const {
    ImGui::SetCurrentContext(context_);
    return ImGui::GetIO().WantCaptureMouse;
}
bool UiBridge::wants_keyboard() const {
    ImGui::SetCurrentContext(context_);
    return ImGui::GetIO().WantCaptureKeyboard;
}
bool UiBridge::wants_text() const {
    ImGui::SetCurrentContext(context_);
    return ImGui::GetIO().WantTextInput;
}

void UiBridge::begin_frame(double seconds, uint32_t width, uint32_t height) {
    PX_ASSERT(!in_frame_, "a frame of the user interface begins in another one");
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {float(width), float(height)};
    io.DeltaTime = float(std::clamp(seconds, 1e-5, 1.0));
    take_events();
    ImGui::NewFrame();
    in_frame_ = true;
}

const render::UiDrawData& UiBridge::end_frame() {
    PX_ASSERT(in_frame_, "a frame of the user interface ends that has not begun");
    in_frame_ = false;
    ImGui::Render();
    convert_ui(*ImGui::GetDrawData(), data_);
    return data_;
}

engine::Pointer UiBridge::pointer() const {
    ImGui::SetCurrentContext(context_);
    switch (ImGui::GetMouseCursor()) {
        case ImGuiMouseCursor_None:
            return engine::Pointer::hidden;
        case ImGuiMouseCursor_TextInput:
            return engine::Pointer::text;
        case ImGuiMouseCursor_Hand:
            return engine::Pointer::hand;
        case ImGuiMouseCursor_ResizeEW:
            return engine::Pointer::resize_columns;
        case ImGuiMouseCursor_ResizeNS:
            return engine::Pointer::resize_rows;
        case ImGuiMouseCursor_ResizeAll:
        case ImGuiMouseCursor_ResizeNESW:
        case ImGuiMouseCursor_ResizeNWSE:
            return engine::Pointer::cross;
        default:
            return engine::Pointer::arrow;
    }
}

void convert_ui(const ImDrawData& from, render::UiDrawData& out) {
    out.vertices.clear();
    out.indices.clear();
    out.commands.clear();
    out.width = from.DisplaySize.x;
    out.height = from.DisplaySize.y;
    for (int i = 0; i < from.CmdListsCount; ++i) {
        const ImDrawList& list = *from.CmdLists[i];
        const uint32_t first_vertex = uint32_t(out.vertices.size());
        const uint32_t first_index = uint32_t(out.indices.size());
        out.vertices.resize(first_vertex + size_t(list.VtxBuffer.Size));
        if (list.VtxBuffer.Size > 0)
            std::memcpy(static_cast<void*>(&out.vertices[first_vertex]), list.VtxBuffer.Data,
                        size_t(list.VtxBuffer.Size) * sizeof(ImDrawVert));
        out.indices.insert(out.indices.end(), list.IdxBuffer.begin(), list.IdxBuffer.end());
        for (const ImDrawCmd& command : list.CmdBuffer) {
            if (command.UserCallback || command.ElemCount == 0) continue;
            const ImVec2 origin = from.DisplayPos;
            out.commands.push_back(
                {command.ClipRect.x - origin.x, command.ClipRect.y - origin.y, command.ClipRect.z - origin.x,
                 command.ClipRect.w - origin.y, uint32_t(reinterpret_cast<uintptr_t>(command.GetTexID())),
                 first_index + command.IdxOffset, command.ElemCount, first_vertex + command.VtxOffset});
        }
    }
}

}  // namespace proxima::shell
