// SPDX-License-Identifier: MIT
// `proxima run`: a built-in scene or a scene file, headless, with a report.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/profile/plot.h"
#include "engine/profile/trace.h"
#include "physics/contact/dump_file.h"
#include "physics/state/recording.h"
#include "physics/world.h"
#include "samples/scenes/churn.h"
#include "samples/scenes/evaluate.h"
#include "samples/scenes/goal.h"
#include "samples/tool/devices.h"
#include "samples/tool/progress.h"
#include "samples/tool/run_film.h"
#include "samples/tool/run_report.h"
#include "samples/tool/stepper.h"
#include "samples/tool/tool.h"
#include "samples/tool/warning_log.h"

namespace proxima::tool {

namespace {

using physics::Pose;
using Clock = std::chrono::steady_clock;

struct RunOptions {
    std::string scene;
    std::optional<int64_t> steps, substeps, iterations;
    std::optional<double> dt, tolerance;
    std::optional<std::string> solver, sleep, direct;
    std::string measure = "all";
    int64_t threads = 1;
    std::string device = "cpu";
    std::string report, record, trace;
    std::optional<int64_t> dump_frame;
    std::string dump;  // file
    RunFilmOptions film;
    bool quiet = false;
};

double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

/// Flags over the scene's own values. The scene is checked as a whole afterwards.
Result<void> apply_options(const RunOptions& o, physics::SceneDesc& scene) {
    constexpr int64_t kMaxValue = 1000000000;
    const auto count = [](const std::optional<int64_t>& value, const char* flag, uint32_t& out) -> Result<void> {
        if (!value) return {};
        if (*value < 1 || *value > kMaxValue)
            return Error{std::string(flag) + " is " + std::to_string(*value) + "; it must be from 1 to 1000000000."};
        out = uint32_t(*value);
        return {};
    };
    if (Result<void> known = check_run_device(o.device); !known) return known;
    if (o.threads < 1 || o.threads > 256)
        return Error{"--threads is " + std::to_string(o.threads) + "; it must be from 1 to 256."};
    if (o.dt && !(*o.dt > 0.0 && *o.dt <= 1.0))
        return Error{"--dt is " + std::to_string(*o.dt) + "; it must be a positive number of seconds, at most 1."};
    if (o.tolerance && !(*o.tolerance >= 0.0 && std::isfinite(*o.tolerance)))
        return Error{"--tolerance is " + std::to_string(*o.tolerance) + "; it must be zero or positive, in m/s."};
    if (o.solver)
        if (Result<void> known = check_solver(*o.solver); !known) return known;
    if (Result<void> r = count(o.steps, "--steps", scene.run.steps); !r) return r;
    if (Result<void> r = count(o.substeps, "--substeps", scene.settings.substeps); !r) return r;
    if (o.substeps) scene.settings.large_island_substeps = scene.settings.substeps;
    if (Result<void> r = count(o.iterations, "--iterations", scene.settings.iterations); !r) return r;
    if (o.dt) scene.run.dt = float(*o.dt);
    if (o.tolerance) scene.settings.tolerance = *o.tolerance;
    if (o.solver) scene.settings.solver = *o.solver;
    if (o.sleep) scene.settings.sleeping = *o.sleep == "on";
    if (o.direct) scene.settings.direct_islands = *o.direct == "on";
    scene.settings.measure_all_substeps = o.measure == "all";
    // A run shorter than the scene's settling time is taken as settled in its second half.
    if (scene.run.settled_from >= scene.run.steps) scene.run.settled_from = scene.run.steps / 2;
    return physics::check(scene);
}

/// Also gives the dump its name when it was not given one.
Result<void> check_dump(RunOptions& o, const physics::SceneDesc& scene) {
    if (!o.dump_frame) {
        if (o.dump.empty()) return {};
        return Error{"--dump needs --dump-frame N: the step whose contact problem is written."};
    }
    if (*o.dump_frame < 1 || *o.dump_frame > int64_t(scene.run.steps))
        return Error{"--dump-frame is " + std::to_string(*o.dump_frame) + "; the run has the steps 1 to " +
                     std::to_string(scene.run.steps) + "."};
    if (o.dump.empty())
        o.dump = scene.name + "-" + std::to_string(*o.dump_frame) + std::string(physics::kDumpExtension);
    const Result<physics::DumpForm> form = physics::dump_form(o.dump);
    return form ? Result<void>() : Error{form.error()};
}

Result<void> check_outputs(const RunOptions& o) {
    for (const std::string& file : {o.report, o.record, o.trace, o.dump})
        if (!file.empty())
            if (Result<void> writable = check_writable(file); !writable) return writable;
    return {};
}

std::vector<Pose> read_poses(const physics::PhysicsWorld& world, const std::vector<physics::Entity>& entities) {
    std::vector<Pose> poses;
    poses.reserve(entities.size());
    for (const physics::Entity entity : entities) poses.push_back(world.registry().get<Pose>(entity));
    return poses;
}

/// Memory of this program that is in use and not swapped out; 0 where the system does not say.
size_t resident_bytes() {
#if defined(__linux__)
    size_t pages = 0, resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%zu %zu", &pages, &resident) != 2) resident = 0;
        std::fclose(file);
    }
    return resident * size_t(sysconf(_SC_PAGESIZE));
#else
    return 0;
#endif
}

/// E = 1/2 m v.v + 1/2 w.I w over dynamic bodies.
void measure_energy(const physics::PhysicsWorld& world, RunReport& out) {
    for (const physics::Entity entity : world.bodies()) {
        if (world.registry().get<physics::RigidBody>(entity).type != physics::BodyType::dynamic) continue;
        const auto& mass = world.registry().get<physics::Mass>(entity);
        const auto& velocity = world.registry().get<physics::Velocity>(entity);
        const Vec3 spin = glm::conjugate(world.registry().get<Pose>(entity).rotation) * velocity.angular;
        const double linear = 0.5 * double(mass.mass) * double(glm::dot(velocity.linear, velocity.linear));
        out.kinetic_energy_translational += linear;
        out.kinetic_energy += linear + 0.5 * double(glm::dot(spin, mass.inertia * spin));
    }
}

/// What is gathered while the steps go by.
struct StepLog {
    std::vector<double> step_ms;
    double joint_error = 0.0, direct_tolerance = 0.0, direct_residual = 0.0;
    MeanMax residual, end_residual, sag;  // sums instead of means
    uint32_t steps_with_contacts = 0, steps_with_load = 0;
    uint64_t body_steps = 0, direct_body_steps = 0, factorisations = 0, direct_failures = 0, escalated = 0,
             failed_solvers = 0;
    WarningLog warnings;

    void add(const physics::StepReport& report, double ms) {
        step_ms.push_back(ms);
        body_steps += report.bodies;
        direct_body_steps += report.direct_bodies;
        factorisations += report.factorisations;
        direct_failures += report.direct_failures;
        escalated += report.escalated_islands;
        failed_solvers += report.failed_solvers;
        direct_tolerance = std::max(direct_tolerance, report.direct_tolerance);
        direct_residual = std::max(direct_residual, report.direct_residual_max);
        steps_with_contacts += report.measured_points > 0;
        steps_with_load += report.loaded_points > 0;
        const auto put = [](double mean, double max, MeanMax& to) {
            to.mean += mean;
            to.max = std::max(to.max, max);
        };
        put(report.residual_mean, report.residual_max, residual);
        put(report.end_residual_mean, report.end_residual_max, end_residual);
        put(double(report.sag_mean), double(report.sag_max), sag);
        joint_error = std::max(joint_error, double(report.joint_error_max));
        for (const physics::StepWarning& warning : report.warnings) warnings.add(report.step, warning);
    }
};

/// Sums become means over the steps that had something to measure.
MeanMax over(const MeanMax& sum, uint32_t steps) { return {sum.mean / std::max(1u, steps), sum.max}; }

void fill_times(const StepLog& log, const Stepper& stepper, RunReport& out) {
    const auto mean = [](auto first, auto last) {
        double sum = 0.0;
        for (auto it = first; it != last; ++it) sum += *it;
        return first == last ? 0.0 : sum / double(last - first);
    };
    const std::vector<double>& ms = log.step_ms;
    out.time_mean_ms = mean(ms.begin(), ms.end());
    out.time_settled_mean_ms = mean(ms.begin() + std::ptrdiff_t(out.settled_from), ms.end());
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    out.time_p99_ms = sorted[size_t(0.99 * double(sorted.size() - 1))];
    out.time_max_ms = sorted.back();
    out.stages_ms = stepper.stages_ms();
}

/// Writes the contact problem of the coming step.
Result<void> dump_problem(const physics::PhysicsWorld& world, const physics::SceneDesc& scene,
                          const RunOptions& options) {
    Result<physics::ContactDump> captured = world.capture(scene.run.dt);
    if (!captured) return Error{captured.error()};
    physics::ContactDump& dump = captured.value();
    dump.source = scene.name + ", step " + std::to_string(*options.dump_frame);
    if (dump.contacts.empty())
        return Error{"there is no contact to write to '" + options.dump +
                     "': nothing is near anything else, or all bodies sleep (--sleep off keeps them awake)."};
    if (Result<void> written = physics::write_dump(options.dump, dump); !written) return written;
    if (!options.quiet)
        std::printf("%u contacts of step %lld are in %s\n", uint32_t(dump.contacts.size()),
                    static_cast<long long>(*options.dump_frame), options.dump.c_str());
    return {};
}

/// Runs and measures the scene; on failure the sentence says in which step the run ended.
Result<RunReport> run_scene(const physics::SceneDesc& scene, const RunOptions& options, physics::Recording* recording,
                            RunFilm& film) {
    physics::PhysicsWorld world(engine::make_threaded_jobs(uint32_t(options.threads)));
    const Result<std::vector<physics::Entity>> made = physics::instantiate(scene, world);
    if (!made) return Error{made.error()};
    const std::vector<physics::Entity>& entities = made.value();
    if (recording) recording->begin(scene, scene.run.dt);
    film.begin(world);
    Result<std::unique_ptr<Stepper>> opened = Stepper::create(world, options.device);
    if (!opened) return Error{opened.error()};
    Stepper& stepper = *opened.value();
    if (!stepper.note().empty() && !options.quiet) std::fprintf(stderr, "%s\n", stepper.note().c_str());

    const std::vector<Pose> start = read_poses(world, entities);
    std::vector<Pose> settled = start;
    StepLog log;
    log.step_ms.reserve(scene.run.steps);
    RunReport out;
    samples::Churn churn;
    std::optional<samples::GoalJudge> judge;
    if (std::optional<samples::Goal> goal = samples::goal_of(options.scene)) {
        judge.emplace(scene, std::move(*goal));
        judge->watch(world, entities);
    }
    {
        ProgressLine progress(options.quiet);
        for (uint32_t i = 0; i < scene.run.steps; ++i) {
            const auto failed = [&](const std::string& why) {
                return Error{"Step " + std::to_string(i + 1) + ": " + why};
            };
            const bool churns = samples::is_churn(options.scene);
            const bool dumps = options.dump_frame && int64_t(i) + 1 == *options.dump_frame;
            if (i == scene.run.settled_from || churns || dumps)
                if (Result<void> done = stepper.download(); !done) return failed(done.error());
            if (i == scene.run.settled_from) {
                settled = read_poses(world, entities);
                out.memory_settled = world.memory();
                out.resident_settled = resident_bytes();
            }
            if (churns) {
                if (Result<void> changed = churn.before_step(world, double(scene.run.dt)); !changed)
                    return failed(changed.error());
                if (Result<void> taken = stepper.upload_changes(); !taken) return failed(taken.error());
            }
            if (dumps)
                if (Result<void> dumped = dump_problem(world, scene, options); !dumped) return failed(dumped.error());
            const Clock::time_point before = Clock::now();
            const Result<void> stepped = stepper.step(scene.run.dt);
            const double ms = milliseconds(Clock::now() - before);
            if (!stepped) return failed(stepped.error());
            log.add(stepper.report(), ms);
            if (judge || recording || !options.film.video.empty())
                if (Result<void> done = stepper.download(); !done) return failed(done.error());
            if (judge) judge->watch(world, entities);
            if (recording) recording->add_step(world);
            film.after_step(world, double(scene.run.dt));
            if (progress.due())
                progress.say(fmt::format("step {} of {}, {} contacts, residual {:.1e} m/s", i + 1, scene.run.steps,
                                         stepper.report().contacts, stepper.report().residual_max));
            engine::mark_frame();
        }
    }
    if (Result<void> done = stepper.download(); !done) return Error{done.error()};
    film.end(world);
    const std::vector<Pose> end = read_poses(world, entities);

    out.memory = world.memory();
    out.resident = resident_bytes();
    out.scene = scene.name;
    out.solver = scene.settings.solver;
    out.threads = uint32_t(options.threads);
    out.steps = scene.run.steps;
    out.substeps = scene.settings.substeps;
    out.settled_from = scene.run.settled_from;
    out.measures_all = scene.settings.measure_all_substeps && options.device == "cpu";
    out.dt = double(scene.run.dt);
    for (const physics::Entity body : world.bodies())
        ++(world.registry().get<physics::RigidBody>(body).type == physics::BodyType::fixed ? out.fixed_bodies
                                                                                           : out.bodies);
    out.device = stepper.device();
    out.device_cost = stepper.cost();
    const physics::StepReport& last = stepper.report();
    out.contacts = last.contacts;
    out.pairs = last.pairs;
    out.islands = last.islands;
    out.sleeping = last.sleeping;
    out.hash = world.state_hash();
    out.direct_part = log.body_steps ? double(log.direct_body_steps) / double(log.body_steps) : 0.0;
    out.factorisations = log.factorisations;
    out.direct_failures = log.direct_failures;
    out.escalated = log.escalated;
    out.joints = last.joints;
    out.joint_error = log.joint_error;
    out.direct_tolerance = log.direct_tolerance;
    out.direct_residual = log.direct_residual;
    out.failed_solvers = log.failed_solvers;
    out.steps_with_contacts = log.steps_with_contacts;
    out.residual = over(log.residual, log.steps_with_contacts);
    out.end_residual = over(log.end_residual, log.steps_with_contacts);
    if (!out.device_cost) out.sag = over(log.sag, log.steps_with_load);
    out.warnings = log.warnings.lines();
    if (!stepper.note().empty()) out.warnings.insert(out.warnings.begin(), stepper.note());
    fill_times(log, stepper, out);
    measure_energy(world, out);

    const samples::Evaluator evaluator(scene);
    const samples::PenetrationResult at_settled = evaluator.penetration(settled), at_end = evaluator.penetration(end);
    out.penetration = {at_end.mean, std::max(at_settled.max, at_end.max)};
    out.touching_pairs = at_end.touching_pairs;
    const samples::MotionResult displacement = evaluator.motion(start, end), drift = evaluator.motion(settled, end);
    out.displacement = {displacement.mean, displacement.max};
    out.drift = {drift.mean, drift.max};
    out.stands = evaluator.stands(start, end);
    out.lost = evaluator.lost(end);
    if (judge) out.goal = judge->result();
    return out;
}

int run(RunOptions& options) {
    Result<physics::SceneDesc> found = find_scene(options.scene);
    if (!found) return complain(found.error());
    physics::SceneDesc& scene = found.value();
    if (scene.name.empty()) scene.name = options.scene;
    if (Result<void> good = apply_options(options, scene); !good) return complain(good.error());
    if (samples::is_churn(options.scene) && !options.record.empty())
        return complain("'" + options.scene +
                        "' makes and removes bodies while it runs, which a recording does not hold; leave out "
                        "--record.");
    if (options.device != "cpu" && !options.record.empty())
        return complain(
            "A recording is replayed on the cpu, whose last bits are not those of a gpu; leave out --record "
            "or "
            "--device.");
    if (Result<void> good = check_dump(options, scene); !good) return complain(good.error());
    if (Result<void> good = check_outputs(options); !good) return complain(good.error());
    options.film.quiet = options.quiet;
    if (Result<void> good = RunFilm::check(options.film); !good) return complain(good.error());
    if (!options.trace.empty())
        if (Result<void> started = engine::start_trace(options.trace); !started) return complain(started.error());

    physics::Recording recording;
    RunFilm film(options.film, options.scene, options.steps ? scene.run.steps : 0);
    const Result<RunReport> report = run_scene(scene, options, options.record.empty() ? nullptr : &recording, film);
    // The trace is worth most when the run went wrong: it is written in any case.
    if (!options.trace.empty())
        if (const auto stopped = engine::stop_trace(); !stopped) return complain(stopped.error());
    if (!report) return complain(report.error());
    if (!options.report.empty())
        if (Result<void> written = write_file(options.report, to_json(report.value())); !written)
            return complain(written.error());
    if (!options.record.empty())
        if (Result<void> written = physics::save_recording(recording, options.record); !written)
            return complain(written.error());
    if (!options.quiet) std::fputs(to_text(report.value()).c_str(), stdout);
    // Last: a run is worth its report whatever became of its pictures.
    if (const Result<void> filmed = film.finish(); !filmed) return complain(filmed.error());
    return kExitOk;
}

}  // namespace

void add_run_command(const Command& program, int& exit_code) {
    const Command command = program.add_command("run", "Run a built-in scene or a scene file and report on it");
    auto o = std::make_shared<RunOptions>();
    command.add_option("SCENE", o->scene, "Name of a scene, or a scene file (.json)").required();
    command.add_option("--steps", o->steps, "Steps to run (default: the scene's)");
    command.add_option("--dt", o->dt, "Length of a step in seconds (default: the scene's)");
    command.add_option("--substeps", o->substeps, "Sub-steps in a step, of all islands");
    command.add_option("--solver", o->solver, "Name of the solver");
    command.add_option("--iterations", o->iterations, "Sweeps of the solver in a sub-step");
    command.add_option("--tolerance", o->tolerance, "Stop sweeping an island below this residual, m/s; 0: never");
    command.add_option("--threads", o->threads, "Threads to compute with").show_default();
    command.add_option("--device", o->device, "Device to compute on: cpu, gpu, gpu:INDEX or gpu:NAME").show_default();
    command.add_option("--direct", o->direct, "Whether stacks at rest are solved directly: on or off")
        .one_of({"on", "off"});
    command.add_option("--sleep", o->sleep, "Whether bodies at rest fall asleep: on or off").one_of({"on", "off"});
    command
        .add_option("--measure", o->measure,
                    "Sub-steps of which the residual is measured: all, or one of each step, which takes less time")
        .one_of({"all", "one"})
        .show_default();
    command.add_option("--report", o->report, "Write the report as JSON to this file");
    command.add_option("--record", o->record, "Write a recording for `proxima replay` to this file");
    command.add_option("--trace", o->trace, "Write a trace for Perfetto or Tracy to this file");
    command.add_option("--dump-frame", o->dump_frame,
                       "Write the contact problem of this step, from 1, for `proxima solve`");
    command.add_option("--dump", o->dump, "File for it: .pxc (binary) or .dat (text); default: SCENE-N.pxc");
    add_film_flags(command, o->film);
    command.add_flag("--quiet", o->quiet, "Print nothing but errors");
    command.callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace proxima::tool
