// SPDX-License-Identifier: MIT
#include "samples/bench/gpu/gpu_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "physics/contact/capture.h"
#include "physics/physics_world.h"
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

SolveSettings settings_of(const GpuSuite& suite, bool measured) {
    SolveSettings s;
    s.iterations = suite.sweeps;
    s.rollback = measured;
    return s;
}

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
        if (std::memcmp(&a.problem.contacts[i].lambda, &b.problem.contacts[i].lambda, sizeof(Vec3)) != 0)
            return false;
    return true;
}

void measure_cpu(const GpuSuite& suite, const Captured& start, Captured& work, GpuMeasurement& m) {
    m.loop_1 = m.loop_2 = m.twin = m.twin_measured = std::numeric_limits<double>::infinity();
    const auto serial = engine::make_serial_jobs();
    const auto two = engine::make_threaded_jobs(2);
    for (uint32_t r = 0; r < suite.repeats; ++r) {
        for (engine::Jobs* jobs : {serial.get(), two.get()}) {
            work.reset(start);
            CpuSweep loop(work.problem);
            const double seconds = seconds_of([&] {
                const engine::JobBurst burst(*jobs);
                for (uint32_t k = 0; k < suite.sweeps; ++k) loop.sweep(*jobs);
            });
            double& least = jobs == serial.get() ? m.loop_1 : m.loop_2;
            least = std::min(least, seconds / suite.sweeps);
        }
        for (const bool measured : {true, false}) {
            work.reset(start);
            uint32_t done = 0;
            const double seconds = seconds_of(
                [&] { done = work.solve("prox_jacobi", settings_of(suite, measured)).iterations; });
            double& least = measured ? m.twin_measured : m.twin;
            least = std::min(least, seconds / std::max(1u, done));
        }
    }
}

/// Residuals of every sweep, on the device and on the CPU.
Result<void> measure_convergence(const GpuSuite& suite, compute::ProxJacobiGpu& solver, const Captured& start,
                                 Captured& work, GpuMeasurement& m) {
    SolveSettings settings = settings_of(suite, false);
    settings.history = &m.gpu_history;
    work.reset(start);
    if (const auto solved = solver.solve(work.problem, settings); !solved) return Error{solved.error()};
    settings.history = &m.twin_history;
    work.reset(start);
    work.solve("prox_jacobi", settings);
    settings.history = &m.gs_history;
    work.reset(start);
    work.solve("prox_gs", settings);
    return {};
}

Result<GpuMeasurement> measure(const GpuSuite& suite, const std::string& scene,
                               compute::ProxJacobiGpu& solver, compute::ProxJacobiGpu& staged) {
    const Result<physics::ContactDump> dump = capture(scene, suite.step);
    if (!dump) return Error{dump.error()};
    const Captured start(dump.value());
    Captured work(dump.value()), twin(dump.value()), first(dump.value());
    GpuMeasurement m;
    m.scene = scene;
    m.contacts = uint32_t(start.problem.contacts.size());
    m.bodies = uint32_t(start.velocity.size());
    if (m.contacts == 0)
        return Error{
            fmt::format("{} has no contacts at step {}; give --step a later one.", scene, suite.step)};
    measure_cpu(suite, start, work, m);
    twin.solve("prox_jacobi", settings_of(suite, false));

    m.gpu = m.gpu_measured = m.gpu_whole = std::numeric_limits<double>::infinity();
    for (uint32_t r = 0; r <= suite.repeats; ++r) {  // the first one compiles kernels
        for (const bool measured : {true, false}) {
            work.reset(start);
            const Result<physics::SolveReport> solved =
                solver.solve(work.problem, settings_of(suite, measured));
            if (!solved) return Error{solved.error()};
            if (r == 0) continue;
            const compute::GpuSolveCost& cost = solver.cost();
            const double whole = cost.host_seconds + cost.wait_seconds;
            // A queue without a clock: what the host waited.
            const double device = cost.passes_seconds > 0.0 ? cost.passes_seconds : cost.wait_seconds;
            if (measured) {
                m.gpu_measured = std::min(m.gpu_measured, device / std::max(1u, cost.passes));
            } else {
                m.gpu = std::min(m.gpu, device / std::max(1u, cost.passes));
                if (whole / suite.sweeps < m.gpu_whole) m.cost = cost;
                m.gpu_whole = std::min(m.gpu_whole, whole / suite.sweeps);
            }
        }
        if (r == 0) first.reset(work);
        m.repeatable = m.repeatable && same_bits(first, work);
    }
    m.difference = difference(twin, work);
    work.reset(start);
    if (const auto solved = solver.solve(work.problem, settings_of(suite, false), {.time_kernels = true});
        !solved)
        return Error{solved.error()};
    m.cost.contacts_seconds = solver.cost().contacts_seconds;
    m.cost.bodies_seconds = solver.cost().bodies_seconds;
    work.reset(start);
    if (const auto solved = staged.solve(work.problem, settings_of(suite, false)); !solved)
        return Error{solved.error()};
    m.staged_up = staged.cost().counts.bytes_up;
    m.staged_down = staged.cost().counts.bytes_down;
    if (Result<void> done = measure_convergence(suite, solver, start, work, m); !done)
        return Error{done.error()};
    return m;
}

Result<std::unique_ptr<compute::ProxJacobiGpu>> make_solver(
    const std::shared_ptr<engine::GpuInstance>& instance, const std::string& choice, bool staging) {
    engine::GpuDeviceOptions options;
    options.force_staging = staging;
    options.cache_folder = engine::default_gpu_cache_folder();
    options.requirements = compute::ProxJacobiGpu::requirements();
    const Result<std::shared_ptr<engine::GpuDevice>> device =
        engine::GpuDevice::open(instance, choice, options);
    if (!device) return Error{device.error()};
    return compute::ProxJacobiGpu::create(device.value());
}

}  // namespace

Result<GpuReport> run_gpu(const GpuSuite& suite, const std::string& device,
                          const std::function<void(const std::string&)>& progress) {
    // Layers would measure themselves.
    const Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create({{}, false});
    if (!instance) return Error{instance.error()};
    Result<std::unique_ptr<compute::ProxJacobiGpu>> solver = make_solver(instance.value(), device, false);
    if (!solver) return Error{solver.error()};
    Result<std::unique_ptr<compute::ProxJacobiGpu>> staged = make_solver(instance.value(), device, true);
    if (!staged) return Error{staged.error()};
    GpuReport report;
    report.device = solver.value()->device().info().name;
    report.driver = solver.value()->device().info().driver;
    report.suite = suite;
    for (const std::string& scene : suite.scenes) {
        if (progress) progress(fmt::format("{} on {}", scene, report.device));
        Result<GpuMeasurement> row = measure(suite, scene, *solver.value(), *staged.value());
        if (!row) return Error{row.error()};
        report.rows.push_back(std::move(row.value()));
    }
    return report;
}

}  // namespace proxima::bench
