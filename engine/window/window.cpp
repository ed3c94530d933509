// SPDX-License-Identifier: MIT
#include "engine/window/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace proxima::engine {

namespace {

/// What GLFW said last; it speaks on the thread of the call.
std::string& last_words() {
    static std::string words;
    return words;
}

/// GLFW is open while there is a window or somebody asks it something.
struct Library {
    Library() {
        if (count()++ == 0) {
            glfwSetErrorCallback([](int, const char* text) { last_words() = text ? text : ""; });
            last_words().clear();
            open() = glfwInit() == GLFW_TRUE;
        }
    }
    ~Library() {
        if (--count() > 0) return;
        if (open()) glfwTerminate();
        open() = false;
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    static bool& open() {
        static bool is_open = false;
        return is_open;
    }
    static int& count() {
        static int users = 0;
        return users;
    }
};

Error no_display() {
    return Error{
        fmt::format("No window can be opened: there is no display ({}); start it in a graphical session, or "
                    "run without a "
                    "window.",
                    last_words().empty() ? "the system does not say why" : last_words())};
}

Modifiers modifiers_of(int bits) {
    return {(bits & GLFW_MOD_SHIFT) != 0, (bits & GLFW_MOD_CONTROL) != 0, (bits & GLFW_MOD_ALT) != 0,
            (bits & GLFW_MOD_SUPER) != 0};
}

MouseButton button_of(int button) {
    switch (button) {
        case GLFW_MOUSE_BUTTON_LEFT:
            return MouseButton::left;
        case GLFW_MOUSE_BUTTON_RIGHT:
            return MouseButton::right;
        case GLFW_MOUSE_BUTTON_MIDDLE:
            return MouseButton::middle;
        default:
            return MouseButton::other;
    }
}

static_assert(int(Key::escape) == GLFW_KEY_ESCAPE && int(Key::f12) == GLFW_KEY_F12 &&
              int(Key::pad_enter) == GLFW_KEY_KP_ENTER && int(Key::right_super) == GLFW_KEY_RIGHT_SUPER &&
              int(Key::end) == GLFW_KEY_END && int(Key::z) == GLFW_KEY_Z && int(Key::grave) == GLFW_KEY_GRAVE_ACCENT);

}  // namespace

struct Window::Inside {
    Library library;
    GLFWwindow* window = nullptr;
    std::vector<WindowEvent> events, handed_out;
    int width = 0, height = 0;  // pixels
    float scale = 1.0f;
    float x = 0.0f, y = 0.0f;
    Pointer pointer = Pointer::arrow;
    bool captured = false;
    std::array<GLFWcursor*, 6> cursors{};  // by Pointer, made when first shown

    static Inside& of(GLFWwindow* w) { return *static_cast<Inside*>(glfwGetWindowUserPointer(w)); }
    void listen();
    void show_pointer();
    /// GLFW counts in units of the screen, pictures in pixels.
    void move_to(double at_x, double at_y) {
        int w = 0, h = 0;
        glfwGetWindowSize(window, &w, &h);
        x = float(at_x) * (w > 0 ? float(width) / float(w) : 1.0f);
        y = float(at_y) * (h > 0 ? float(height) / float(h) : 1.0f);
    }
    std::span<const WindowEvent> hand_out() {
        handed_out.swap(events);
        events.clear();
        return handed_out;
    }
    ~Inside() {
        for (GLFWcursor* cursor : cursors)
            if (cursor) glfwDestroyCursor(cursor);
        if (window) glfwDestroyWindow(window);
    }
};

void Window::Inside::listen() {
    glfwSetWindowUserPointer(window, this);
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int, int action, int mods) {
        const Key known = key >= 0 && key <= GLFW_KEY_LAST ? Key(key) : Key::unknown;
        of(w).events.push_back(KeyEvent{known, action != GLFW_RELEASE, action == GLFW_REPEAT, modifiers_of(mods)});
    });
    glfwSetCharCallback(
        window, [](GLFWwindow* w, unsigned int character) { of(w).events.push_back(TextEvent{char32_t(character)}); });
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double at_x, double at_y) {
        Inside& in = of(w);
        in.move_to(at_x, at_y);
        in.events.push_back(MouseMoveEvent{in.x, in.y});
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
        Inside& in = of(w);
        in.events.push_back(MouseButtonEvent{button_of(button), action == GLFW_PRESS, in.x, in.y, modifiers_of(mods)});
    });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double by_x, double by_y) {
        of(w).events.push_back(ScrollEvent{float(by_x), float(by_y)});
    });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        of(w).events.push_back(DropEvent{std::vector<std::string>(paths, paths + count)});
    });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int new_width, int new_height) {
        Inside& in = of(w);
        in.width = std::max(new_width, 0);
        in.height = std::max(new_height, 0);
        in.events.push_back(ResizeEvent{uint32_t(in.width), uint32_t(in.height)});
    });
    // Some systems keep the size of a minimised window; there is nothing to draw into all the same.
    glfwSetWindowIconifyCallback(window, [](GLFWwindow* w, int iconified) {
        Inside& in = of(w);
        in.width = in.height = 0;
        if (!iconified) glfwGetFramebufferSize(w, &in.width, &in.height);
        in.events.push_back(ResizeEvent{uint32_t(in.width), uint32_t(in.height)});
    });
    glfwSetWindowFocusCallback(
        window, [](GLFWwindow* w, int focused) { of(w).events.push_back(FocusEvent{focused == GLFW_TRUE}); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float new_scale, float) {
        of(w).scale = new_scale > 0.0f ? new_scale : 1.0f;
        of(w).events.push_back(ScaleEvent{of(w).scale});
    });
    glfwSetWindowCloseCallback(window, [](GLFWwindow* w) { of(w).events.push_back(CloseEvent{}); });
}

void Window::Inside::show_pointer() {
    constexpr int kShapes[] = {GLFW_ARROW_CURSOR,   GLFW_IBEAM_CURSOR,   GLFW_HAND_CURSOR,
                               GLFW_HRESIZE_CURSOR, GLFW_VRESIZE_CURSOR, GLFW_CROSSHAIR_CURSOR};
    const bool hidden = pointer == Pointer::hidden;
    glfwSetInputMode(window, GLFW_CURSOR,
                     captured ? GLFW_CURSOR_DISABLED : (hidden ? GLFW_CURSOR_HIDDEN : GLFW_CURSOR_NORMAL));
    if (hidden) return;
    GLFWcursor*& cursor = cursors[size_t(pointer)];
    if (!cursor) cursor = glfwCreateStandardCursor(kShapes[size_t(pointer)]);
    glfwSetCursor(window, cursor);  // none where the system has no such shape: then it is the arrow
}

Result<std::vector<std::string>> window_extensions() {
    const Library library;
    if (!Library::open()) return no_display();
    uint32_t count = 0;
    const char** names = glfwGetRequiredInstanceExtensions(&count);
    if (!names)
        return Error{
            fmt::format("Windows of this system cannot show what Vulkan draws ({}); install a Vulkan loader "
                        "and driver, or "
                        "run without a window.",
                        last_words().empty() ? "no driver offers it" : last_words())};
    return std::vector<std::string>(names, names + count);
}

Window::Window() : inside_(std::make_unique<Inside>()) {}
Window::~Window() = default;

Result<std::unique_ptr<Window>> Window::create(const WindowOptions& options) {
    std::unique_ptr<Window> made(new Window);
    if (!Library::open()) return no_display();
    Inside& in = *made->inside_;
    last_words().clear();
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_RESIZABLE, options.resizable ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    in.window = glfwCreateWindow(int(std::max(options.width, 1u)), int(std::max(options.height, 1u)),
                                 options.title.c_str(), nullptr, nullptr);
    if (!in.window)
        return Error{fmt::format("The window '{}' of {} x {} could not be opened ({}).", options.title, options.width,
                                 options.height, last_words())};
    glfwGetFramebufferSize(in.window, &in.width, &in.height);
    float scale_y = 1.0f;
    glfwGetWindowContentScale(in.window, &in.scale, &scale_y);
    if (!(in.scale > 0.0f)) in.scale = 1.0f;
    double x = 0.0, y = 0.0;
    glfwGetCursorPos(in.window, &x, &y);
    in.move_to(x, y);
    in.listen();
    return made;
}

std::span<const WindowEvent> Window::poll() {
    glfwPollEvents();
    return inside_->hand_out();
}

std::span<const WindowEvent> Window::wait(double seconds) {
    if (seconds > 0.0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
    return inside_->hand_out();
}

uint32_t Window::width() const { return uint32_t(inside_->width); }
uint32_t Window::height() const { return uint32_t(inside_->height); }
float Window::scale() const { return inside_->scale; }
bool Window::focused() const { return glfwGetWindowAttrib(inside_->window, GLFW_FOCUSED) == GLFW_TRUE; }
bool Window::down(Key key) const { return key != Key::unknown && glfwGetKey(inside_->window, int(key)) == GLFW_PRESS; }
bool Window::down(MouseButton button) const {
    const int buttons[] = {GLFW_MOUSE_BUTTON_LEFT, GLFW_MOUSE_BUTTON_RIGHT, GLFW_MOUSE_BUTTON_MIDDLE,
                           GLFW_MOUSE_BUTTON_4};
    return glfwGetMouseButton(inside_->window, buttons[int(button)]) == GLFW_PRESS;
}
float Window::mouse_x() const { return inside_->x; }
float Window::mouse_y() const { return inside_->y; }

bool Window::closing() const { return glfwWindowShouldClose(inside_->window) == GLFW_TRUE; }
void Window::set_closing(bool closing) { glfwSetWindowShouldClose(inside_->window, closing ? GLFW_TRUE : GLFW_FALSE); }
void Window::set_title(const std::string& title) { glfwSetWindowTitle(inside_->window, title.c_str()); }
void Window::set_size(uint32_t width, uint32_t height) {
    glfwSetWindowSize(inside_->window, int(std::max(width, 1u)), int(std::max(height, 1u)));
}
void Window::capture_mouse(bool captured) {
    inside_->captured = captured;
    inside_->show_pointer();
}
void Window::set_pointer(Pointer pointer) {
    if (inside_->pointer == pointer) return;
    inside_->pointer = pointer;
    inside_->show_pointer();
}
void Window::set_clipboard(const std::string& text) { glfwSetClipboardString(inside_->window, text.c_str()); }
std::string Window::clipboard() const {
    const char* text = glfwGetClipboardString(inside_->window);
    return text ? text : "";
}

Result<VkSurfaceKHR> Window::make_surface(GpuInstance& instance) {
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    last_words().clear();
    if (const VkResult r = glfwCreateWindowSurface(instance.handle(), inside_->window, nullptr, &surface);
        r != VK_SUCCESS)
        return Error{fmt::format("The window cannot show what Vulkan draws: {}{}{}.", to_text(r),
                                 last_words().empty() ? "" : ", ", last_words())};
    return surface;
}

void* Window::native() const { return inside_->window; }

}  // namespace proxima::engine
