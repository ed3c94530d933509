// SPDX-License-Identifier: MIT
#include "samples/shell/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

#include "engine/core/log.h"
#include "engine/profile/plot.h"

namespace proxima::shell {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

/// s without a window's events while it is minimised.
constexpr double kMinimisedPause = 0.1;
/// A device that is lost more often in one run will be lost again.
constexpr uint32_t kMaxDevices = 3;

/// Median and longest, in ms.
std::string spread(std::vector<float> seconds) {
    std::sort(seconds.begin(), seconds.end());
    return fmt::format("median {:.1f} ms, longest {:.1f} ms", 1e3 * double(seconds[seconds.size() / 2]),
                       1e3 * double(seconds.back()));
}

}  // namespace

std::string LoopTimes::summary() const {
    if (frame.empty() || build.empty()) return "no frame was measured";
    return fmt::format("{} frames: {}; before drawing: {}", frame.size(), spread(frame), spread(build));
}

Result<std::unique_ptr<App>> App::open(const AppOptions& options) {
    std::unique_ptr<App> app(new App(options));
    const Result<std::vector<std::string>> extensions = engine::window_extensions();
    if (!extensions) return Error{extensions.error()};
    auto instance = engine::GpuInstance::create({{}, options.validation, extensions.value()});
    if (!instance) return Error{instance.error()};
    app->instance_ = std::move(instance.value());
    auto window = engine::Window::create({options.title, options.width, options.height});
    if (!window) return Error{window.error()};
    app->window_ = std::move(window.value());
    if (Result<void> started = app->start(); !started) return Error{started.error()};
    return app;
}

Result<std::unique_ptr<App>> App::open_offscreen(const AppOptions& options) {
    if (options.width == 0 || options.height == 0)
        return Error{fmt::format("A picture of {} x {} pixels has none.", options.width, options.height)};
    std::unique_ptr<App> app(new App(options));
    auto instance = engine::GpuInstance::create({{}, options.validation, {}});
    if (!instance) return Error{instance.error()};
    app->instance_ = std::move(instance.value());
    if (Result<void> started = app->start(); !started) return Error{started.error()};
    return app;
}

App::~App() {
    if (renderer_ && !device_->lost()) (void)renderer_->wait();
    drop_device();
}

Result<void> App::start() {
    float scale = options_.scale;
    if (!(scale > 0.0f)) scale = window_ ? window_->scale() : 1.0f;
    ui_ = std::make_unique<UiBridge>(scale);
    if (!ui_->note().empty()) log_warning("{}", ui_->note());
    atlas_ = render::make_font_atlas(scale);
    if (window_)
        ui_->set_clipboard({[this] { return window_->clipboard(); },
                            [this](const std::string& text) { window_->set_clipboard(text); }});
    return make_device();
}

Result<void> App::make_device() {
    engine::GpuDeviceOptions wanted;
    wanted.graphics = true;
    wanted.present = has_window();
    wanted.cache_folder = engine::default_gpu_cache_folder();
    if (options_.ask_for_graphics_only) wanted.requirements.storage_bytes = 1 << 20;
    auto device = engine::GpuDevice::open(instance_, options_.device, wanted);
    if (!device) return Error{device.error()};
    device_ = std::move(device.value());
    auto renderer = render::Renderer::create(device_, options_.renderer);
    if (!renderer) return Error{renderer.error()};
    renderer_ = std::move(renderer.value());
    if (Result<void> added = add_fonts(); !added) return added;
    if (!window_) return {};
    auto swapchain = engine::Swapchain::create(device_, *window_, {options_.wait_for_screen});
    if (!swapchain) return Error{swapchain.error()};
    swapchain_ = std::move(swapchain.value());
    return {};
}

void App::drop_device() {
    swapchain_.reset();
    renderer_.reset();
    device_.reset();
}

Result<void> App::add_fonts() {
    const Result<uint32_t> texts = renderer_->add_texture(atlas_.picture);
    if (!texts) return Error{texts.error()};
    text_texture_ = texts.value();
    const Result<uint32_t> panels = renderer_->add_texture(ui_->font_picture());
    if (!panels) return Error{panels.error()};
    ui_->set_font_texture(panels.value());
    return {};
}

Result<void> App::change_scale(float scale) {
    // Frames under way still look letters up in the old pictures.
    if (Result<void> waited = renderer_->wait(); !waited) return waited;
    ui_->set_scale(scale);
    atlas_ = render::make_font_atlas(scale);
    return add_fonts();
}

void App::hear(const engine::WindowEvent& event) {
    if (const auto* moved = std::get_if<engine::MouseMoveEvent>(&event)) {
        mouse_x_ = moved->x;
        mouse_y_ = moved->y;
    } else if (const auto* pressed = std::get_if<engine::MouseButtonEvent>(&event)) {
        mouse_x_ = pressed->x;
        mouse_y_ = pressed->y;
    } else if (const auto* focus = std::get_if<engine::FocusEvent>(&event)) {
        focused_ = focus->focused;
    } else if (const auto* scaled = std::get_if<engine::ScaleEvent>(&event)) {
        if (!(options_.scale > 0.0f)) wanted_scale_ = scaled->scale;
    } else if (const auto* resized = std::get_if<engine::ResizeEvent>(&event)) {
        // A script may change the size of a picture as a user does that of a window.
        if (!window_ && resized->width > 0 && resized->height > 0) {
            options_.width = resized->width;
            options_.height = resized->height;
        }
    } else if (std::holds_alternative<engine::CloseEvent>(event)) {
        close_asked_ = true;
    }
    ui_->add_event(event);
}

Result<void> App::build_frame(AppClient& client, double seconds) {
    PX_ZONE("build frame");
    if (const float scale = std::exchange(wanted_scale_, 0.0f); scale > 0.0f && scale != ui_->scale())
        if (Result<void> changed = change_scale(scale); !changed) return changed;
    FrameInfo info;
    info.number = frame_++;
    info.seconds = std::clamp(seconds, 0.0, kLongestFrame);
    info.width = width();
    info.height = height();
    info.scale = ui_->scale();
    info.mouse_x = mouse_x_;
    info.mouse_y = mouse_y_;
    info.focused = focused_;

    ui_->begin_frame(info.seconds, info.width, info.height);
    const EventUse use{ui_->wants_mouse(), ui_->wants_keyboard(), ui_->wants_text()};
    for (const engine::WindowEvent& event : ui_->frame_events()) client.on_event(event, use);
    client.ui(info);
    panels_ = &ui_->end_frame();
    if (window_) window_->set_pointer(ui_->pointer());

    list_.clear();
    if (Result<void> made = client.frame(info, list_); !made) return made;
    texts_.vertices.clear();
    texts_.indices.clear();
    texts_.commands.clear();
    render::layout_texts(list_, {float(info.width), float(info.height)}, info.scale, atlas_, text_texture_,
                         text_memory_, texts_);
    return {};
}

Result<void> App::draw_in_window(AppClient& client) {
    PX_ZONE("draw in window");
    const std::array<const render::UiDrawData*, 2> layers = {&texts_, panels_};
    const Result<engine::GpuTarget> target = swapchain_->acquire();
    if (!target) return Error{target.error()};
    if (target->empty()) return {};
    if (Result<void> drawn = renderer_->draw(list_, client.meshes(), layers, target.value()); !drawn) return drawn;
    return swapchain_->present();
}

Result<render::Picture> App::draw_picture(AppClient& client) {
    const std::array<const render::UiDrawData*, 2> layers = {&texts_, panels_};
    return renderer_->render_picture(list_, client.meshes(), layers, width(), height());
}

void App::save_picture(std::string file, std::function<void(const Result<void>&)> then) {
    picture_file_ = std::move(file);
    picture_then_ = std::move(then);
}

Result<void> App::write_wanted_picture(AppClient& client) {
    if (picture_file_.empty()) return {};
    const std::string file = std::exchange(picture_file_, {});
    const Result<render::Picture> picture = draw_picture(client);
    const Result<void> written =
        picture ? render::write_png(file, picture.value()) : Result<void>(Error{picture.error()});
    if (auto then = std::exchange(picture_then_, {})) then(written);
    // A file that cannot be written is the client's to tell; a device that cannot draw ends the frame.
    return picture ? Result<void>() : Error{picture.error()};
}

void App::handle_close(AppClient& client) {
    if (!std::exchange(close_asked_, false)) return;
    if (client.on_close()) quit_ = true;
    if (window_) window_->set_closing(false);
}

Result<void> App::recover(AppClient& client, const std::string& why) {
    client.save_what_matters();
    if (!device_ || !device_->lost()) return Error{why};
    if (++devices_lost_ > kMaxDevices)
        return Error{fmt::format("{} It was lost {} times; this ends here.", why, devices_lost_)};
    log_warning("{} It is opened again.", why);
    drop_device();
    if (Result<void> made = make_device(); !made)
        return Error{fmt::format("{} Opening it again failed: {}", why, made.error())};
    return client.on_start(*this);
}

Result<void> App::run(AppClient& client) {
    PX_ASSERT(has_window(), "a loop without a window is run_offscreen");
    quit_ = false;
    if (Result<void> started = client.on_start(*this); !started) return started;
    Clock::time_point last = Clock::now();
    const double shortest = options_.max_frames_per_second > 0.0 ? 1.0 / options_.max_frames_per_second : 0.0;
    mouse_x_ = window_->mouse_x();
    mouse_y_ = window_->mouse_y();
    while (!quit_) {
        const double spare = window_->minimised() ? kMinimisedPause : 0.0;
        for (const engine::WindowEvent& event : window_->wait(spare)) hear(event);
        handle_close(client);
        if (quit_) break;
        if (window_->minimised()) continue;
        const double seconds = seconds_since(last);
        last = Clock::now();
        if (Result<void> built = build_frame(client, seconds); !built) {
            client.save_what_matters();
            return built;
        }
        if (options_.measure) {
            if (frame_ > 1) times_.frame.push_back(float(seconds));
            times_.build.push_back(float(seconds_since(last)));
        }
        Result<void> drawn = write_wanted_picture(client);
        if (drawn) drawn = draw_in_window(client);
        if (!drawn)
            if (Result<void> again = recover(client, drawn.error()); !again) return again;
        engine::mark_frame();
        // Sleeps the rest of a frame's least time, and wakes up for whatever the user does.
        for (double rest = shortest - seconds_since(last); rest > 0.0; rest = shortest - seconds_since(last))
            for (const engine::WindowEvent& event : window_->wait(rest)) hear(event);
    }
    return renderer_->wait();
}

Result<render::Picture> App::run_offscreen(AppClient& client, const OffscreenRun& script) {
    quit_ = false;
    frame_ = 0;
    if (Result<void> started = client.on_start(*this); !started) return Error{started.error()};
    size_t next = 0;
    Result<render::Picture> picture = render::Picture{};
    for (uint64_t frame = 0; frame < std::max<uint64_t>(1, script.frames) && !quit_; ++frame) {
        for (; next < script.events.size() && script.events[next].frame <= frame; ++next)
            hear(script.events[next].event);
        handle_close(client);
        if (Result<void> built = build_frame(client, script.seconds_per_frame); !built) {
            client.save_what_matters();
            return Error{built.error()};
        }
        if (Result<void> written = write_wanted_picture(client); !written) return Error{written.error()};
        if (!script.on_picture && !script.draw_all && frame + 1 < script.frames && !quit_) continue;
        picture = draw_picture(client);
        if (!picture) {
            if (Result<void> again = recover(client, picture.error()); !again) return Error{again.error()};
            picture = draw_picture(client);
            if (!picture) return picture;
        }
        if (script.on_picture)
            if (Result<void> taken = script.on_picture(frame, picture.value()); !taken) return Error{taken.error()};
    }
    return picture;
}

Result<render::Picture> run_offscreen(AppClient& client, const AppOptions& options, const OffscreenRun& script) {
    auto app = App::open_offscreen(options);
    if (!app) return Error{app.error()};
    return app.value()->run_offscreen(client, script);
}

}  // namespace proxima::shell
