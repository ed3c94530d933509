// SPDX-License-Identifier: MIT
// A window of the system that Vulkan can draw into, and what its user does. Used by one thread, the main one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_instance.h"
#include "engine/window/window_events.h"

namespace proxima::engine {

struct WindowOptions {
    std::string title = "Proxima";
    uint32_t width = 1280, height = 720;  // in units of the screen: pixels times the scale where it has one
    bool visible = true;
    bool resizable = true;
};

/// The extensions that GpuInstanceOptions::extensions needs for windows. A sentence without a display.
Result<std::vector<std::string>> window_extensions();

class Window {
  public:
    /// A sentence when there is no display.
    static Result<std::unique_ptr<Window>> create(const WindowOptions& options = {});
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    /// What has happened since the last call. The events live until the next one.
    std::span<const WindowEvent> poll();
    /// The same, but sleeps until something happens or the time is over.
    std::span<const WindowEvent> wait(double seconds);

    /// Size of the picture in pixels; 0 while minimised.
    uint32_t width() const;
    uint32_t height() const;
    bool minimised() const { return width() == 0 || height() == 0; }
    /// How much larger texts and widgets must be on this screen than on one with 96 dots per inch.
    float scale() const;
    bool focused() const;
    bool down(Key key) const;
    bool down(MouseButton button) const;
    float mouse_x() const;
    float mouse_y() const;

    /// The user wants the window closed; the program decides.
    bool closing() const;
    void set_closing(bool closing);
    void set_title(const std::string& title);
    void set_size(uint32_t width, uint32_t height);
    /// Hides the mouse and keeps it, for cameras that turn without end.
    void capture_mouse(bool captured);
    void set_pointer(Pointer pointer);
    void set_clipboard(const std::string& text);
    std::string clipboard() const;

    /// Vulkan's view of the window. The caller destroys it, before the window.
    Result<VkSurfaceKHR> make_surface(GpuInstance& instance);
    /// GLFW's window, for libraries that want it.
    void* native() const;

  private:
    struct Inside;
    Window();
    std::unique_ptr<Inside> inside_;
};

}  // namespace proxima::engine
