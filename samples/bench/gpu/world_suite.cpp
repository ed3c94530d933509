// SPDX-License-Identifier: MIT
#include "samples/bench/gpu/world_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "engine/core/atomic_file.h"
#include "engine/ecs/world.h"
#include "physics/scene/scene.h"
#include "samples/bench/plot.h"
#include "samples/bench/stopwatch.h"
#include "samples/scenes/scenes.h"

namespace proxima::bench {

namespace {

/// The fastest of some steps on the CPU, which start from a snapshot and leave the world where they end.
Result<double> time_cpu(physics::PhysicsWorld& world, const engine::Snapshot& from, float dt, uint32_t steps,
                        uint32_t threads) {
    if (Result<void> back = world.restore(from); !back) return Error{back.error()};
    world.set_jobs(engine::make_threaded_jobs(threads));
    double best = std::numeric_limits<double>::infinity();
    for (uint32_t k = 0; k < steps + 2; ++k) {
        const Stopwatch::time_point start = Stopwatch::now();
        if (Result<void> stepped = world.step(dt); !stepped) return Error{stepped.error()};
        if (k >= 2)
            best = std::min(best,
                            milliseconds_since(start));  // the first ones build what a restored world lacks
    }
    return best;
}

/// Two steps to warm up, then the fastest of the others with its stages.
Result<void> time_device(compute::GpuWorld& gpu, float dt, uint32_t steps, GpuWorldRow& row) {
    row.device = std::numeric_limits<double>::infinity();
    for (uint32_t k = 0; k < steps + 2; ++k) {
        const Stopwatch::time_point start = Stopwatch::now();
        if (Result<void> stepped = gpu.step(dt); !stepped) return stepped;
        const double ms = milliseconds_since(start);
        const compute::GpuStepCost& cost = gpu.cost();
        if (k < 2 || cost.repeats > 0 || ms >= row.device) continue;
        row.device = ms;
        row.pair_stage = 1e3 * cost.pairs_seconds;
        row.contact_stage = 1e3 * cost.contacts_seconds;
        row.solver_stage = 1e3 * cost.solver_seconds;
        row.host = 1e3 * cost.host_seconds;
        row.dispatches = cost.counts.dispatches;
        row.barriers = cost.counts.barriers;
        row.bytes_up = cost.counts.bytes_up;
        row.bytes_down = cost.counts.bytes_down;
    }
    return {};
}

Result<GpuWorldRow> measure(const GpuWorldSuite& suite, uint32_t bodies,
                            const std::shared_ptr<engine::GpuDevice>& device,
                            const std::function<void(const std::string&)>& progress) {
    const auto tell = [&](const std::string& what) {
        if (progress) progress(fmt::format("heap{}: {}", bodies, what));
    };
    Result<physics::SceneDesc> scene = samples::make_scene(fmt::format("heap{}", bodies));
    if (!scene) return Error{scene.error()};
    // The device sweeps, so the CPU does as well.
    scene->settings.direct_islands = false;
    const float dt = scene->run.dt;
    physics::PhysicsWorld world(engine::make_threaded_jobs(2));
    if (const auto made = physics::instantiate(scene.value(), world); !made) return Error{made.error()};
    tell(fmt::format("{} steps on the cpu to settle", suite.settle));
    for (uint32_t k = 0; k < suite.settle; ++k)
        if (Result<void> stepped = world.step(dt); !stepped) return Error{stepped.error()};
    engine::Snapshot settled;
    world.save(settled);

    GpuWorldRow row;
    row.bodies = bodies;
    tell("measuring the device");
    Result<std::unique_ptr<compute::GpuWorld>> gpu = compute::GpuWorld::create(device);
    if (!gpu) return Error{gpu.error()};
    if (Result<void> uploaded = gpu.value()->upload(world); !uploaded) return Error{uploaded.error()};
    if (Result<void> timed = time_device(*gpu.value(), dt, suite.steps, row); !timed) return Error{timed.error()};
    const compute::world::WorldStatus& status = gpu.value()->status();
    row.pairs = status.pairs;
    row.points = status.points;
    row.colours = status.colours;
    row.penetration = status.overlapping > 0 ? double(status.penetration_sum) / status.overlapping : 0.0;
    row.memory = gpu.value()->device_bytes();
    row.bytes_readback = 4 * sizeof(compute::world::vec4) * gpu.value()->sizes().bodies;

    physics::StepSettings jacobi = world.settings();
    jacobi.solver = "prox_jacobi";
    if (Result<void> set = world.set_settings(jacobi); !set) return Error{set.error()};
    if (Result<void> uploaded = gpu.value()->upload(world); !uploaded) return Error{uploaded.error()};
    GpuWorldRow other;
    if (Result<void> timed = time_device(*gpu.value(), dt, suite.steps, other); !timed) return Error{timed.error()};
    row.jacobi_stage = other.solver_stage;
    if (Result<void> set = world.set_settings(scene->settings); !set) return Error{set.error()};

    tell("measuring the cpu");
    for (const uint32_t threads : {1u, 2u}) {
        const Result<double> ms = time_cpu(world, settled, dt, suite.steps, threads);
        if (!ms) return Error{ms.error()};
        (threads == 1 ? row.cpu_1 : row.cpu_2) = ms.value();
    }
    row.cpu_penetration = double(world.report().penetration_mean);
    return row;
}

}  // namespace

Result<GpuWorldReport> run_gpu_worlds(const GpuWorldSuite& suite, const std::string& device,
                                      const std::function<void(const std::string&)>& progress) {
    const Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create({{}, false});
    if (!instance) return Error{instance.error()};
    engine::GpuDeviceOptions options;
    options.cache_folder = engine::default_gpu_cache_folder();
    options.requirements = compute::GpuWorld::requirements();
    const Result<std::shared_ptr<engine::GpuDevice>> opened =
        engine::GpuDevice::open(instance.value(), device, options);
    if (!opened) return Error{opened.error()};
    GpuWorldReport report;
    report.suite = suite;
    report.device = opened.value()->info().name;
    report.driver = opened.value()->info().driver;
    for (const uint32_t bodies : suite.bodies) {
        Result<GpuWorldRow> row = measure(suite, bodies, opened.value(), progress);
        if (!row) return Error{fmt::format("heap{}: {}", bodies, row.error())};
        report.rows.push_back(std::move(row.value()));
    }
    return report;
}

std::string to_text(const GpuWorldReport& report) {
    std::string out = fmt::format(
        "Whole steps of heapN on {}, ms; the fastest of {} after {} steps of settling\n"
        "  {:>7} {:>8} {:>8} {:>9} {:>8} {:>9} {:>8} {:>8} {:>7} {:>8} {:>8} {:>7}\n",
        report.device, report.suite.steps, report.suite.settle, "bodies", "pairs", "points", "device", "pairs",
        "contacts", "solver", "jacobi", "host", "cpu 1", "cpu 2", "ratio");
    for (const GpuWorldRow& r : report.rows)
        out += fmt::format(
            "  {:>7} {:>8} {:>8} {:>9.2f} {:>8.2f} {:>9.2f} {:>8.2f} {:>8.2f} {:>7.3f} {:>8.2f} {:>8.2f} "
            "{:>7.2f}\n",
            r.bodies, r.pairs, r.points, r.device, r.pair_stage, r.contact_stage, r.solver_stage, r.jacobi_stage,
            r.host, r.cpu_1, r.cpu_2, r.device / r.cpu_2);
    out += "  ratio: the device over two threads of the cpu\n\n";
    for (const GpuWorldRow& r : report.rows)
        out += fmt::format(
            "  {:>7} bodies: {} dispatches, {} barriers, {} colours; {} bytes up and {} down a step, {} when "
            "poses are "
            "asked for; {:.1f} MB on the device; overlap {:.3f} mm, cpu {:.3f} mm\n",
            r.bodies, r.dispatches, r.barriers, r.colours, r.bytes_up, r.bytes_down, r.bytes_readback,
            1e-6 * double(r.memory), 1e3 * r.penetration, 1e3 * r.cpu_penetration);
    return out;
}

Table to_table(const GpuWorldReport& report, const MachineCard& card) {
    Table table;
    table.card = card;
    table.card.emplace_back("device", report.device + ", " + report.driver);
    table.columns = {"bodies",     "pairs",          "points",       "colours",          "device_ms",
                     "pairs_ms",   "contacts_ms",    "solver_ms",    "jacobi_solver_ms", "host_ms",
                     "cpu_1_ms",   "cpu_2_ms",       "dispatches",   "barriers",         "bytes_up",
                     "bytes_down", "bytes_readback", "device_bytes", "penetration_m",    "cpu_penetration_m"};
    for (const GpuWorldRow& r : report.rows)
        table.rows.push_back({fmt::format("{}", r.bodies),
                              fmt::format("{}", r.pairs),
                              fmt::format("{}", r.points),
                              fmt::format("{}", r.colours),
                              fmt::format("{:.4f}", r.device),
                              fmt::format("{:.4f}", r.pair_stage),
                              fmt::format("{:.4f}", r.contact_stage),
                              fmt::format("{:.4f}", r.solver_stage),
                              fmt::format("{:.4f}", r.jacobi_stage),
                              fmt::format("{:.4f}", r.host),
                              fmt::format("{:.4f}", r.cpu_1),
                              fmt::format("{:.4f}", r.cpu_2),
                              fmt::format("{}", r.dispatches),
                              fmt::format("{}", r.barriers),
                              fmt::format("{}", r.bytes_up),
                              fmt::format("{}", r.bytes_down),
                              fmt::format("{}", r.bytes_readback),
                              fmt::format("{}", r.memory),
                              fmt::format("{:.6g}", r.penetration),
                              fmt::format("{:.6g}", r.cpu_penetration)});
    return table;
}

Result<void> write_gpu_worlds(const std::string& folder, const GpuWorldReport& report, const MachineCard& card) {
    const std::filesystem::path to(folder);
    if (Result<void> written = write_file((to / "gpu_worlds.csv").string(), to_csv(to_table(report, card))); !written)
        return written;
    LineChart growth;
    growth.title = "A step of heapN: growth with the number of bodies";
    growth.subtitle = report.device;
    growth.x_label = "bodies";
    growth.y_label = "ms per step";
    growth.log_x = growth.log_y = growth.markers = true;
    const auto add = [&](const char* name, double GpuWorldRow::*value, SeriesStyle style) {
        Series s;
        s.name = name;
        s.style = style;
        for (const GpuWorldRow& r : report.rows) {
            s.x.push_back(r.bodies);
            s.y.push_back(r.*value);
        }
        growth.series.push_back(std::move(s));
    };
    add("device, whole step", &GpuWorldRow::device, SeriesStyle::line);
    add("  pairs", &GpuWorldRow::pair_stage, SeriesStyle::dashes);
    add("  contacts", &GpuWorldRow::contact_stage, SeriesStyle::dashes);
    add("  solver", &GpuWorldRow::solver_stage, SeriesStyle::dashes);
    add("cpu, 1 thread", &GpuWorldRow::cpu_1, SeriesStyle::line);
    add("cpu, 2 threads", &GpuWorldRow::cpu_2, SeriesStyle::line);
    add("host's part", &GpuWorldRow::host, SeriesStyle::dashes);
    if (Result<void> written = write_file((to / "gpu_worlds_growth.svg").string(), to_svg(growth)); !written)
        return written;

    BarChart stages;
    stages.title = "Stages of a step of heapN on the device";
    stages.subtitle = report.device;
    stages.y_label = "microseconds per body";
    for (const GpuWorldRow& r : report.rows) stages.groups.push_back(fmt::format("{} bodies", r.bodies));
    const auto bar = [&](const char* name, double GpuWorldRow::*value) {
        BarSeries s;
        s.name = name;
        for (const GpuWorldRow& r : report.rows) s.values.push_back(1e3 * (r.*value) / r.bodies);
        stages.series.push_back(std::move(s));
    };
    bar("pairs", &GpuWorldRow::pair_stage);
    bar("contacts", &GpuWorldRow::contact_stage);
    bar("solver, Gauss-Seidel", &GpuWorldRow::solver_stage);
    bar("solver, Jacobi", &GpuWorldRow::jacobi_stage);
    return write_file((to / "gpu_worlds_stages.svg").string(), to_svg(stages));
}

}  // namespace proxima::bench
