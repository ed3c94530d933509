// SPDX-License-Identifier: MIT
// What happens to a window, as plain data. Positions are in pixels of the picture from its left upper corner.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace proxima::engine {

/// Keys by where they are on a US keyboard. Letters and digits have the value of their character.
enum class Key : uint16_t {
    unknown = 0,
    space = 32,
    apostrophe = 39,
    comma = 44,
    minus = 45,
    period = 46,
    slash = 47,
    digit_0 = 48,
    digit_1,
    digit_2,
    digit_3,
    digit_4,
    digit_5,
    digit_6,
    digit_7,
    digit_8,
    digit_9,
    semicolon = 59,
    equal = 61,
    a = 65,
    b,
    c,
    d,
    e,
    f,
    g,
    h,
    i,
    j,
    k,
    l,
    m,
    n,
    o,
    p,
    q,
    r,
    s,
    t,
    u,
    v,
    w,
    x,
    y,
    z,
    left_bracket = 91,
    backslash = 92,
    right_bracket = 93,
    grave = 96,
    escape = 256,
    enter,
    tab,
    backspace,
    insert,
    del,
    right,
    left,
    down,
    up,
    page_up,
    page_down,
    home,
    end,
    f1 = 290,
    f2,
    f3,
    f4,
    f5,
    f6,
    f7,
    f8,
    f9,
    f10,
    f11,
    f12,
    pad_0 = 320,
    pad_1,
    pad_2,
    pad_3,
    pad_4,
    pad_5,
    pad_6,
    pad_7,
    pad_8,
    pad_9,
    pad_decimal,
    pad_divide,
    pad_multiply,
    pad_subtract,
    pad_add,
    pad_enter,
    left_shift = 340,
    left_control,
    left_alt,
    left_super,
    right_shift,
    right_control,
    right_alt,
    right_super,
};

enum class MouseButton : uint8_t { left, right, middle, other };

/// What the mouse looks like over the window.
enum class Pointer : uint8_t { arrow, text, hand, resize_columns, resize_rows, cross, hidden };

/// Keys that are held with others.
struct Modifiers {
    bool shift = false, control = false, alt = false, super = false;
};

struct KeyEvent {
    Key key = Key::unknown;
    bool down = false, repeated = false;
    Modifiers with;
};
struct TextEvent {
    char32_t character = 0;
};
struct MouseMoveEvent {
    float x = 0.0f, y = 0.0f;
};
struct MouseButtonEvent {
    MouseButton button = MouseButton::left;
    bool down = false;
    float x = 0.0f, y = 0.0f;
    Modifiers with;
};
struct ScrollEvent {
    float x = 0.0f, y = 0.0f;  // notches; up and right are positive
};
struct DropEvent {
    std::vector<std::string> files;
};
struct ResizeEvent {
    uint32_t width = 0, height = 0;  // pixels; 0 while minimised
};
struct FocusEvent {
    bool focused = false;
};
struct ScaleEvent {
    float scale = 1.0f;  // of texts and widgets on this screen
};
struct CloseEvent {};

using WindowEvent = std::variant<KeyEvent, TextEvent, MouseMoveEvent, MouseButtonEvent, ScrollEvent, DropEvent,
                                 ResizeEvent, FocusEvent, ScaleEvent, CloseEvent>;

}  // namespace proxima::engine
