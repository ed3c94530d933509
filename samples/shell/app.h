// SPDX-License-Identifier: MIT
// The loop around a client: events, panels, draw list, picture. In a window, or without one for tests and
// pictures; both run the same frame.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"
#include "engine/window/swapchain.h"
#include "engine/window/window.h"
#include "render/picture.h"
#include "render/renderer.h"
#include "render/text/text_layout.h"
#include "samples/shell/app_client.h"
#include "samples/shell/ui_bridge.h"

namespace proxima::shell {

/// s: what happened during a longer pause of the program is not caught up with.
inline constexpr double kLongestFrame = 0.25;

struct AppOptions {
    std::string title = "Proxima";
    uint32_t width = 1280, height = 720;
    std::string device = "gpu";  // as --device names them; "cpu" draws nothing
    bool validation = engine::kValidateByDefault;
    bool wait_for_screen = true;
    double max_frames_per_second = 120.0;  // for screens that do not make us wait
    float scale = 0.0f;                    // of texts and widgets; 0: the screen's, 1 without one
    bool measure = false;                  // keep the times of frames, for App::times
    bool ask_for_graphics_only = true;     // false: the device also steps worlds, and must be able to
    render::RendererOptions renderer;
};

/// Seconds of every frame in a window, in their order.
struct LoopTimes {
    std::vector<float> frame;  // from the begin of one to the begin of the next
    std::vector<float> build;  // of it: events, panels and draw list, before the device is asked for anything
    /// One line: how many, the median and the longest.
    std::string summary() const;
};

/// An event that a script lets happen.
struct TimedEvent {
    uint64_t frame = 0;
    engine::WindowEvent event;
};

/// A run without a window.
struct OffscreenRun {
    uint64_t frames = 1;
    double seconds_per_frame = 1.0 / 60.0;
    std::vector<TimedEvent> events;  // by frame, ascending
    /// With a picture of every frame; without it the last one only is drawn.
    std::function<Result<void>(uint64_t frame, const render::Picture& picture)> on_picture;
    bool draw_all = false;  // draws every frame even if nobody looks: for clients that pick
};

class App {
  public:
    /// Opens a window and a device for it; a sentence where there is no display or no device.
    static Result<std::unique_ptr<App>> open(const AppOptions& options);
    /// The same without a window: pictures of options.width x options.height.
    static Result<std::unique_ptr<App>> open_offscreen(const AppOptions& options);
    ~App();
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// Until the client lets the window close or calls quit. A lost device is opened again after the client
    /// has saved; where that fails the sentence says so.
    Result<void> run(AppClient& client);
    /// The last picture of a scripted run. The client may quit earlier.
    Result<render::Picture> run_offscreen(AppClient& client, const OffscreenRun& script);

    /// The loop ends after this frame.
    void quit() { quit_ = true; }
    /// What lies under a pixel of the picture that was drawn last; waits for the device.
    Result<render::Pick> pick(float x, float y) { return renderer_->pick(x, y); }
    /// The next frame's picture goes to a PNG file, panels and all; `then` hears how that went.
    void save_picture(std::string file, std::function<void(const Result<void>&)> then = {});

    bool has_window() const { return window_ != nullptr; }
    engine::Window* window() { return window_.get(); }
    render::Renderer& renderer() { return *renderer_; }
    const std::shared_ptr<engine::GpuDevice>& device() const { return device_; }
    const std::shared_ptr<engine::GpuInstance>& instance() const { return instance_; }
    UiBridge& ui() { return *ui_; }
    float scale() const { return ui_->scale(); }
    /// Letters of texts in the world.
    const render::FontAtlas& font() const { return atlas_; }
    uint32_t width() const { return window_ ? window_->width() : options_.width; }
    uint32_t height() const { return window_ ? window_->height() : options_.height; }
    /// Empty unless AppOptions::measure.
    const LoopTimes& times() const { return times_; }
    /// How often a lost device was replaced.
    uint32_t devices_lost() const { return devices_lost_; }

  private:
    explicit App(AppOptions options) : options_(std::move(options)) {}
    Result<void> start();
    /// Device, renderer, swapchain and the textures of fonts.
    Result<void> make_device();
    void drop_device();
    Result<void> add_fonts();
    Result<void> change_scale(float scale);
    /// Events to panels and client, panels, draw list.
    Result<void> build_frame(AppClient& client, double seconds);
    Result<void> draw_in_window(AppClient& client);
    Result<render::Picture> draw_picture(AppClient& client);
    Result<void> write_wanted_picture(AppClient& client);
    /// After a failure: a new device where the old one was lost, otherwise the error again.
    Result<void> recover(AppClient& client, const std::string& why);
    void hear(const engine::WindowEvent& event);
    void handle_close(AppClient& client);

    AppOptions options_;
    std::unique_ptr<UiBridge> ui_;
    render::FontAtlas atlas_;
    render::TextMemory text_memory_;
    render::UiDrawData texts_;
    const render::UiDrawData* panels_ = nullptr;
    render::DrawList list_;
    uint32_t text_texture_ = 0;
    uint64_t frame_ = 0;
    float mouse_x_ = 0.0f, mouse_y_ = 0.0f;
    bool focused_ = true, quit_ = false, close_asked_ = false;
    float wanted_scale_ = 0.0f;
    uint32_t devices_lost_ = 0;
    LoopTimes times_;
    std::string picture_file_;
    std::function<void(const Result<void>&)> picture_then_;

    // Last member first: the swapchain goes before its window and device.
    std::shared_ptr<engine::GpuInstance> instance_;
    std::unique_ptr<engine::Window> window_;
    std::shared_ptr<engine::GpuDevice> device_;
    std::unique_ptr<render::Renderer> renderer_;
    std::unique_ptr<engine::Swapchain> swapchain_;
};

/// Opens, runs a script and hands back its last picture.
Result<render::Picture> run_offscreen(AppClient& client, const AppOptions& options, const OffscreenRun& script);

}  // namespace proxima::shell
