// SPDX-License-Identifier: MIT
#include "samples/bench/gpu/gpu_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <numeric>

#include "compute/prox_gs_gpu.h"
#include "compute/prox_jacobi_gpu.h"
#include "engine/core/assert.h"
#include "physics/contact/capture.h"
#include "physics/solvers/prox_jacobi_threads.h"
#include "physics/world.h"
#include "samples/bench/gpu/cpu_sweep.h"
#include "samples/scenes/scenes.h"

namespace proxima::bench {

namespace {

using physics::SolveSettings;

/// A captured problem with bodies of its own, warm-started.
struct Captured {
    std::vector<physics::BodyVelocity> velocity;
    std::vector<physics::BodyInverseMass> mass;
    physics::ContactProblem problem;
    std::vector<uint32_t> bodies;
    physics::BodySystem::Scratch scratch;

    explicit Captured(const physics::ContactDump& dump) : velocity(dump.velocity), mass(dump.inverse_mass) {
        problem.contacts = dump.contacts;
        problem.groups = dump.groups;
        problem.velocity = velocity;
        problem.inverse_mass = mass;
        for (physics::Contact& c : problem.contacts) problem.compute_blocks(c);
        bodies.resize(velocity.size());
        std::iota(bodies.begin(), bodies.end(), 0u);
        problem.apply_warm_start(0, uint32_t(problem.contacts.size()));
    }
    Captured(const Captured&) = delete;
    physics::SolveReport solve(const char* solver, const SolveSettings& settings) {
        physics::BodySystem system(problem, 0, uint32_t(problem.groups.size()), bodies, scratch);
        return physics::find_solver(solver)->solve_bodies(system, settings);
    }
    /// Back to the start without new memory.
    void reset(const Captured& other) {
        std::copy(other.velocity.begin(), other.velocity.end(), velocity.begin());
        for (size_t i = 0; i < problem.contacts.size(); ++i)
            problem.contacts[i].lambda = other.problem.contacts[i].lambda;
    }
};

Result<physics::ContactDump> capture(const std::string& name, uint32_t step) {
    Result<physics::SceneDesc> scene = samples::make_scene(name);
    if (!scene) return Error{scene.error()};
    scene->settings.sleeping = false;
    physics::PhysicsWorld world;
    if (const auto made = physics::instantiate(scene.value(), world); !made) return Error{made.error()};
    for (uint32_t i = 0; i < step; ++i)
        if (Result<void> stepped = world.step(scene->run.dt); !stepped) return Error{stepped.error()};
    return world.capture(scene->run.dt);
}

template <class Work>
double seconds_of(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The ways in which the device solves; Jacobi's differ in their settings.
struct WayOf {
    const char *name, *label;
    bool jacobi;
    physics::JacobiBlocks blocks;
    bool momentum;
};
constexpr WayOf kWays[] = {
    {"jacobi_points", "Jacobi, points", true, physics::JacobiBlocks::points, false},
    {"jacobi_manifolds", "Jacobi, manifolds", true, physics::JacobiBlocks::manifolds, false},
    {"jacobi_momentum", "Jacobi, manifolds, momentum", true, physics::JacobiBlocks::manifolds, true},
    {"gauss_seidel", "coloured Gauss-Seidel", false, physics::JacobiBlocks::manifolds, false},
};

/// Processor time so far, of all threads of the program.
double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

SolveSettings settings_of(const GpuSuite& suite, bool measured, const WayOf& way) {
    SolveSettings s;
    s.iterations = suite.sweeps;
    s.rollback = measured;
    s.jacobi_blocks = way.blocks;
    s.momentum = way.momentum;
    return s;
}

/// The solvers of one device.
struct Solvers {
    std::unique_ptr<compute::ProxJacobiGpu> jacobi;
    std::unique_ptr<compute::ProxGsGpu> gs;
    compute::ProxGpu& of(const WayOf& way) { return way.jacobi ? static_cast<compute::ProxGpu&>(*jacobi) : *gs; }
};

double difference(const Captured& a, const Captured& b) {
    double most = 0.0, apart = 0.0;
    for (size_t i = 0; i < a.problem.contacts.size(); ++i) {
        const Vec3 x = a.problem.contacts[i].lambda, y = b.problem.contacts[i].lambda;
        most = std::max(most, double(glm::length(x)));
        apart = std::max(apart, double(glm::length(x - y)));
    }
    return apart / std::max(most, 1e-30);
}

bool same_bits(const Captured& a, const Captured& b) {
    for (size_t i = 0; i < a.problem.contacts.size(); ++i)
        if (std::memcmp(&a.problem.contacts[i].lambda, &b.problem.contacts[i].lambda, sizeof(Vec3)) != 0) return false;
    return true;
}

/// Groups and contacts in the order in which the device visits them; impulses come back by the list.
std::vector<uint32_t> reorder(physics::ContactProblem& problem, std::span<const uint32_t> visited) {
    const physics::ContactProblem old = problem;
    std::vector<uint32_t> places;
    problem.contacts.clear();
    problem.groups.clear();
    for (const uint32_t g : visited) {
        const uint32_t begin = uint32_t(places.size());
        for (uint32_t i = old.groups[g].begin; i < old.groups[g].end; ++i) {
            places.push_back(i);
            problem.contacts.push_back(old.contacts[i]);
        }
        problem.groups.push_back({begin, uint32_t(places.size())});
    }
    return places;
}

/// The answer of the twin, in `twin`, which comes as the start.
void solve_twin(const physics::ContactDump& dump, const WayOf& way, Solvers& solvers, const SolveSettings& settings,
                Captured& twin) {
    if (way.jacobi) {
        twin.solve("prox_jacobi", settings);
        return;
    }
    Captured ordered(dump);
    const std::vector<uint32_t> places = reorder(ordered.problem, solvers.gs->visited());
    ordered.solve("prox_gs", settings);
    for (size_t i = 0; i < places.size(); ++i)
        twin.problem.contacts[places[i]].lambda = ordered.problem.contacts[i].lambda;
}

/// Seconds of a sweep without what comes before and after all sweeps.
template <class Solve>
double seconds_of_sweep(uint32_t sweeps, const Solve& solve) {
    const double none = solve(0), all = solve(sweeps);
    return std::max(0.0, all - none) / std::max(1u, sweeps);
}

void measure_cpu(const GpuSuite& suite, const Captured& start, Captured& work, GpuMeasurement& m) {
    m.loop_1 = m.loop_2 = m.twin_1 = m.twin_2 = m.twin_processor = m.gs = std::numeric_limits<double>::infinity();
    const auto serial = engine::make_serial_jobs();
    const auto two = engine::make_threaded_jobs(2);
    physics::ProxJacobiThreads twin;
    SolveSettings settings = settings_of(suite, false, kWays[2]);
    for (uint32_t r = 0; r < suite.repeats; ++r) {
        for (engine::Jobs* jobs : {serial.get(), two.get()}) {
            work.reset(start);
            CpuSweep loop(work.problem);
            const double seconds = seconds_of([&] {
                const engine::JobBurst burst(*jobs);
                for (uint32_t k = 0; k < suite.sweeps; ++k) loop.sweep(*jobs);
            });
            double& least_loop = jobs == serial.get() ? m.loop_1 : m.loop_2;
            least_loop = std::min(least_loop, seconds / suite.sweeps);
            double& least_twin = jobs == serial.get() ? m.twin_1 : m.twin_2;
            least_twin = std::min(least_twin, seconds_of_sweep(suite.sweeps, [&](uint32_t sweeps) {
                                      work.reset(start);
                                      settings.iterations = sweeps;
                                      return seconds_of([&] { twin.solve(work.problem, settings, *jobs); });
                                  }));
        }
        m.gs = std::min(m.gs, seconds_of_sweep(suite.sweeps, [&](uint32_t sweeps) {
                            work.reset(start);
                            settings.iterations = sweeps;
                            return seconds_of([&] { work.solve("prox_gs", settings); });
                        }));
    }
    settings.iterations = suite.sweeps;
    for (uint32_t r = 0; r < suite.repeats; ++r) {
        work.reset(start);
        const double before = processor_seconds();
        twin.solve(work.problem, settings, *serial);
        m.twin_processor = std::min(m.twin_processor, (processor_seconds() - before) / suite.sweeps);
    }
    settings.history = &m.twin_history;
    work.reset(start);
    twin.solve(work.problem, settings, *serial);
    settings.history = &m.gs_history;
    work.reset(start);
    work.solve("prox_gs", settings);
}

/// Times of one way; the first solve compiles kernels and does not count.
Result<void> measure_times(const GpuSuite& suite, const WayOf& way, compute::ProxGpu& solver, const Captured& start,
                           Captured& work, Captured& first, GpuWay& m) {
    m.sweep = m.measured = m.whole = m.processor = std::numeric_limits<double>::infinity();
    for (uint32_t r = 0; r <= suite.repeats; ++r) {
        for (const bool measured : {true, false}) {
            work.reset(start);
            const double before = processor_seconds();
            const Result<physics::SolveReport> solved = solver.solve(work.problem, settings_of(suite, measured, way));
            if (!solved) return Error{solved.error()};
            const double spent = processor_seconds() - before;
            if (r == 0) continue;
            const compute::GpuSolveCost& cost = solver.cost();
            const double whole = (cost.host_seconds + cost.wait_seconds) / suite.sweeps;
            // A queue without a clock: what the host waited.
            const double device = cost.passes_seconds > 0.0 ? cost.passes_seconds : cost.wait_seconds;
            double& least = measured ? m.measured : m.sweep;
            least = std::min(least, device / std::max(1u, cost.passes));
            if (measured) continue;
            m.processor = std::min(m.processor, spent / suite.sweeps);
            if (whole < m.whole) m.cost = cost;
            m.whole = std::min(m.whole, whole);
        }
        if (r == 0) first.reset(work);
        m.repeatable = m.repeatable && same_bits(first, work);
    }
    work.reset(start);
    if (const auto solved = solver.solve(work.problem, settings_of(suite, false, way), {.time_kernels = true}); !solved)
        return Error{solved.error()};
    m.cost.contacts_seconds = solver.cost().contacts_seconds;
    m.cost.bodies_seconds = solver.cost().bodies_seconds;
    return {};
}

Result<GpuWay> measure_way(const GpuSuite& suite, const physics::ContactDump& dump, const WayOf& way, Solvers& solvers,
                           Solvers& staged, const Captured& start) {
    GpuWay m;
    m.name = way.name;
    m.label = way.label;
    Captured work(dump), first(dump), twin(dump);
    if (Result<void> done = measure_times(suite, way, solvers.of(way), start, work, first, m); !done)
        return Error{done.error()};
    solve_twin(dump, way, solvers, settings_of(suite, false, way), twin);
    m.difference = difference(twin, first);
    work.reset(start);
    compute::ProxGpu& copying = staged.of(way);
    if (const auto solved = copying.solve(work.problem, settings_of(suite, false, way)); !solved)
        return Error{solved.error()};
    m.bytes_up = copying.cost().counts.bytes_up;
    m.bytes_down = copying.cost().counts.bytes_down;
    SolveSettings settings = settings_of(suite, false, way);
    settings.history = &m.history;
    work.reset(start);
    if (const auto solved = solvers.of(way).solve(work.problem, settings); !solved) return Error{solved.error()};
    return m;
}

Result<GpuMeasurement> measure(const GpuSuite& suite, const std::string& scene, Solvers& solvers, Solvers& staged) {
    const Result<physics::ContactDump> dump = capture(scene, suite.step);
    if (!dump) return Error{dump.error()};
    const Captured start(dump.value());
    Captured work(dump.value());
    GpuMeasurement m;
    m.scene = scene;
    m.contacts = uint32_t(start.problem.contacts.size());
    m.groups = uint32_t(start.problem.groups.size());
    m.bodies = uint32_t(start.velocity.size());
    if (m.contacts == 0)
        return Error{fmt::format("{} has no contacts at step {}; give --step a later one.", scene, suite.step)};
    measure_cpu(suite, start, work, m);
    for (const WayOf& way : kWays) {
        Result<GpuWay> measured = measure_way(suite, dump.value(), way, solvers, staged, start);
        if (!measured) return Error{measured.error()};
        m.ways.push_back(std::move(measured.value()));
    }
    return m;
}

Result<Solvers> make_solvers(const std::shared_ptr<engine::GpuInstance>& instance, const std::string& choice,
                             bool staging) {
    engine::GpuDeviceOptions options;
    options.force_staging = staging;
    options.cache_folder = engine::default_gpu_cache_folder();
    options.requirements = compute::ProxGpu::requirements();
    const Result<std::shared_ptr<engine::GpuDevice>> device = engine::GpuDevice::open(instance, choice, options);
    if (!device) return Error{device.error()};
    Result<std::unique_ptr<compute::ProxJacobiGpu>> jacobi = compute::ProxJacobiGpu::create(device.value());
    if (!jacobi) return Error{jacobi.error()};
    Result<std::unique_ptr<compute::ProxGsGpu>> gs = compute::ProxGsGpu::create(device.value());
    if (!gs) return Error{gs.error()};
    return Solvers{std::move(jacobi.value()), std::move(gs.value())};
}

}  // namespace

const GpuWay& GpuMeasurement::way(std::string_view name) const {
    const auto found = std::find_if(ways.begin(), ways.end(), [&](const GpuWay& w) { return w.name == name; });
    PX_ASSERT(found != ways.end(), "every measurement has all ways");
    return *found;
}

Result<GpuReport> run_gpu(const GpuSuite& suite, const std::string& device,
                          const std::function<void(const std::string&)>& progress) {
    // Layers would measure themselves.
    const Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create({{}, false});
    if (!instance) return Error{instance.error()};
    Result<Solvers> solvers = make_solvers(instance.value(), device, false);
    if (!solvers) return Error{solvers.error()};
    Result<Solvers> staged = make_solvers(instance.value(), device, true);
    if (!staged) return Error{staged.error()};
    GpuReport report;
    report.device = solvers->jacobi->device().info().name;
    report.driver = solvers->jacobi->device().info().driver;
    report.suite = suite;
    for (const std::string& scene : suite.scenes) {
        if (progress) progress(fmt::format("{} on {}", scene, report.device));
        Result<GpuMeasurement> row = measure(suite, scene, solvers.value(), staged.value());
        if (!row) return Error{row.error()};
        report.rows.push_back(std::move(row.value()));
    }
    return report;
}

}  // namespace proxima::bench
