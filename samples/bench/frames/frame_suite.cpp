// SPDX-License-Identifier: MIT
#include "samples/bench/frames/frame_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "engine/gpu/gpu_image.h"
#include "physics/scene/scene.h"
#include "render/renderer.h"
#include "samples/bench/plot.h"
#include "samples/bench/statistics.h"
#include "samples/bench/stopwatch.h"
#include "samples/pictures/world_view.h"
#include "samples/scenes/scenes.h"

namespace proxima::bench {

namespace {

/// What is measured in every frame, to take medians of.
struct Samples {
    std::vector<double> step, extract, record, shadow, draw, overlay, frame;
};

uint32_t count_triangles(const render::DrawList& list, const render::MeshLibrary& meshes) {
    uint64_t indices = 0;
    for (const auto* batches : {&list.opaque_batches, &list.transparent_batches})
        for (const render::Batch& batch : *batches)
            indices += uint64_t(batch.count) * meshes.get(batch.mesh).indices.size();
    return uint32_t(indices / 3);
}

/// An image in the place of a window's.
Result<engine::GpuImage> make_screen(const std::shared_ptr<engine::GpuDevice>& device, const FrameSuite& suite) {
    return engine::GpuImage::create(device,
                                    {suite.width, suite.height, VK_FORMAT_R8G8B8A8_SRGB, 1,
                                     engine::GpuImageUse::drawn | engine::GpuImageUse::copied},
                                    "screen");
}

Result<FrameRow> measure(const FrameSuite& suite, const std::string& name, render::Renderer& renderer,
                         const engine::GpuImage& screen, const std::function<void(const std::string&)>& progress) {
    Result<physics::SceneDesc> scene = samples::make_scene(name);
    if (!scene) return Error{scene.error()};
    const float dt = scene->run.dt;
    physics::PhysicsWorld world;
    if (const auto made = physics::instantiate(scene.value(), world); !made) return Error{made.error()};
    if (progress) progress(fmt::format("{}: {} steps to settle", name, suite.settle));
    for (uint32_t k = 0; k < suite.settle; ++k)
        if (Result<void> stepped = world.step(dt); !stepped) return Error{stepped.error()};

    if (progress) progress(fmt::format("{}: {} frames", name, suite.frames));
    pictures::WorldView view;
    view.begin(world);
    const pictures::WorldPaint paint;
    render::DrawList list;
    pictures::light_scene(list);
    list.camera = view.frame(world, float(suite.width) / float(suite.height));
    FrameRow row;
    row.scene = name;
    Samples all;
    constexpr uint32_t kWarm = 3;  // meshes are sent, pipelines made, memory grows
    for (uint32_t k = 0; k < suite.frames + kWarm; ++k) {
        Stopwatch::time_point start = Stopwatch::now();
        if (Result<void> stepped = world.step(dt); !stepped) return Error{stepped.error()};
        const double step = milliseconds_since(start);

        start = Stopwatch::now();
        view.note_step(world);
        list.clear();
        view.draw(world, 0.5f, paint, list);
        const double extract = milliseconds_since(start);
        if (Result<void> drawn = renderer.draw(list, view.meshes(), std::span<const render::UiDrawData* const>(),
                                               engine::target_of(screen));
            !drawn)
            return Error{drawn.error()};
        if (Result<void> done = renderer.wait(); !done) return Error{done.error()};
        const double frame = milliseconds_since(start);
        if (k < kWarm) continue;
        const render::RendererTimes& times = renderer.times();
        all.step.push_back(step);
        all.extract.push_back(extract);
        all.record.push_back(1e3 * times.host);
        all.shadow.push_back(1e3 * times.shadow);
        all.draw.push_back(1e3 * times.scene);
        all.overlay.push_back(1e3 * times.overlay);
        all.frame.push_back(frame);
        row.slowest = std::max(row.slowest, frame);
    }
    row.bodies = world.report().bodies;
    row.triangles = count_triangles(list, view.meshes());
    row.step = median(all.step);
    row.extract = median(all.extract);
    row.record = median(all.record);
    row.shadow = median(all.shadow);
    row.draw = median(all.draw);
    row.overlay = median(all.overlay);
    row.frame = median(all.frame);
    return row;
}

}  // namespace

Result<FrameReport> run_frames(const FrameSuite& suite, const std::string& device,
                               const std::function<void(const std::string&)>& progress) {
    const Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create({{}, false, {}});
    if (!instance) return Error{instance.error()};
    engine::GpuDeviceOptions options;
    options.graphics = true;
    options.cache_folder = engine::default_gpu_cache_folder();
    options.requirements.storage_bytes = 1 << 20;
    const Result<std::shared_ptr<engine::GpuDevice>> opened =
        engine::GpuDevice::open(instance.value(), device, options);
    if (!opened) return Error{opened.error()};
    Result<std::unique_ptr<render::Renderer>> renderer = render::Renderer::create(opened.value());
    if (!renderer) return Error{renderer.error()};
    const Result<engine::GpuImage> screen = make_screen(opened.value(), suite);
    if (!screen) return Error{screen.error()};
    FrameReport report;
    report.suite = suite;
    report.device = opened.value()->info().name;
    report.driver = opened.value()->info().driver;
    report.msaa = renderer.value()->options().msaa;
    report.shadow_size = renderer.value()->options().shadow_size;
    for (const std::string& name : suite.scenes) {
        Result<FrameRow> row = measure(suite, name, *renderer.value(), screen.value(), progress);
        if (!row) return Error{name + ": " + row.error()};
        report.rows.push_back(std::move(row.value()));
    }
    return report;
}

std::string to_text(const FrameReport& report) {
    std::string out = fmt::format(
        "Frames of {} x {} on {}, {} sample{} per pixel, shadow map of {}; ms, medians of {}\n"
        "  {:<12} {:>7} {:>9} {:>8} {:>8} {:>7} {:>7} {:>8} {:>8} {:>8} {:>9} {:>7} {:>10}\n",
        report.suite.width, report.suite.height, report.device, report.msaa, report.msaa == 1 ? "" : "s",
        report.shadow_size, report.suite.frames, "scene", "bodies", "triangles", "step", "extract", "record", "host",
        "shadow", "scene", "frame", "frames/s", "slowest", "host/step");
    for (const FrameRow& r : report.rows)
        out += fmt::format(
            "  {:<12} {:>7} {:>9} {:>8.3f} {:>8.3f} {:>7.3f} {:>7.3f} {:>8.2f} {:>8.2f} {:>8.2f} {:>9.1f} "
            "{:>7.1f} {:>10.2f}\n",
            r.scene, r.bodies, r.triangles, r.step, r.extract, r.record, r.host(), r.shadow, r.draw, r.frame, r.rate(),
            r.slowest, r.step > 0.0 ? r.host() / r.step : 0.0);
    out +=
        "  host: extract and record, what the thread of the game pays; frame: that and the device's work, "
        "one after the other\n";
    return out;
}

Table to_table(const FrameReport& report, const MachineCard& card) {
    Table table;
    table.card = card;
    table.card.emplace_back("device", report.device + ", " + report.driver);
    table.card.emplace_back("picture", fmt::format("{} x {}, {} samples, shadow map {}", report.suite.width,
                                                   report.suite.height, report.msaa, report.shadow_size));
    table.columns = {"scene",     "bodies",   "triangles",  "step_ms",  "extract_ms", "record_ms",
                     "shadow_ms", "scene_ms", "overlay_ms", "frame_ms", "slowest_ms"};
    for (const FrameRow& r : report.rows) {
        std::vector<std::string> cells = {r.scene, fmt::format("{}", r.bodies), fmt::format("{}", r.triangles)};
        for (const double value : {r.step, r.extract, r.record, r.shadow, r.draw, r.overlay, r.frame, r.slowest})
            cells.push_back(fmt::format("{:.4f}", value));
        table.rows.push_back(std::move(cells));
    }
    return table;
}

Result<void> write_frames(const std::string& folder, const FrameReport& report, const MachineCard& card) {
    const std::filesystem::path to(folder);
    if (Result<void> written = write_file((to / "frames.csv").string(), to_csv(to_table(report, card))); !written)
        return written;
    BarChart chart;
    chart.title = fmt::format("A frame of {} x {}", report.suite.width, report.suite.height);
    chart.subtitle = report.device;
    chart.y_label = "ms";
    for (const FrameRow& r : report.rows) chart.groups.push_back(fmt::format("{}, {} bodies", r.scene, r.bodies));
    const auto bar = [&](const char* name, double FrameRow::*value) {
        BarSeries s;
        s.name = name;
        for (const FrameRow& r : report.rows) s.values.push_back(r.*value);
        chart.series.push_back(std::move(s));
    };
    bar("a step of the world", &FrameRow::step);
    bar("host: extract", &FrameRow::extract);
    bar("host: record", &FrameRow::record);
    bar("device: shadow", &FrameRow::shadow);
    bar("device: scene", &FrameRow::draw);
    return write_file((to / "frames.svg").string(), to_svg(chart));
}

}  // namespace proxima::bench
