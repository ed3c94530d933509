// SPDX-License-Identifier: MIT
#include "samples/bench/solver_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "physics/contact/capture.h"
#include "physics/contact/dump_file.h"
#include "physics/contact/problem_file.h"
#include "physics/contact/residual.h"
#include "physics/world.h"
#include "samples/bench/stopwatch.h"
#include "samples/scenes/scenes.h"

namespace proxima::bench {

namespace {

using physics::Real2;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Every second body that moves becomes heavier; inertia follows.
void make_every_second_heavier(physics::SceneDesc& scene, float ratio) {
    bool heavy = false;
    for (physics::SceneBody& body : scene.bodies) {
        if (body.type != physics::BodyType::dynamic) continue;
        if (heavy) {
            body.mass *= ratio;  // 0 stays: then the densities say it
            for (physics::SceneCollider& collider : body.colliders) collider.density *= ratio;
        }
        heavy = !heavy;
    }
}

std::string name_of(const SceneFrame& frame) {
    return frame.alternate && frame.mass_ratio != 1.0
               ? fmt::format("{} x{:g} @{}", frame.scene, frame.mass_ratio, frame.step)
               : fmt::format("{} @{}", frame.scene, frame.step);
}

Result<SolverProblem> make_problem(const SceneFrame& frame) {
    Result<physics::SceneDesc> scene = samples::make_scene(frame.scene);
    if (!scene) return Error{scene.error()};
    scene->settings.sleeping = false;
    if (frame.alternate) make_every_second_heavier(scene.value(), float(frame.mass_ratio));
    physics::PhysicsWorld world;
    if (const auto made = physics::instantiate(scene.value(), world); !made) return Error{made.error()};
    for (uint32_t i = 1; i < frame.step; ++i)
        if (Result<void> stepped = world.step(scene->run.dt); !stepped) return Error{stepped.error()};
    const Result<physics::ContactDump> dump = world.capture(scene->run.dt);
    if (!dump) return Error{dump.error()};
    Result<physics::DelassusProblem> matrix = physics::to_matrix(dump.value());
    if (!matrix) return Error{name_of(frame) + ": " + matrix.error()};
    return SolverProblem{name_of(frame), "scene", frame.mass_ratio, std::move(matrix.value())};
}

/// Nearest point of the polygon with `sides` corners on a circle of this radius, the first one on the first axis.
Real2<double> project_polygon(Real2<double> z, double radius, uint32_t sides) {
    constexpr double kTurn = 6.283185307179586;
    if (!(radius > 0.0)) return {0.0, 0.0};
    const double angle = kTurn / double(sides), inside = radius * std::cos(0.5 * angle);
    // The side that the point lies over: its outward normal is at the middle of the side.
    const double side = std::floor(std::atan2(z.y, z.x) / angle);
    const double c = std::cos((side + 0.5) * angle), s = std::sin((side + 0.5) * angle);
    const double out = c * z.x + s * z.y, along = c * z.y - s * z.x;
    if (out <= inside) return z;
    const double half = radius * std::sin(0.5 * angle), t = std::clamp(along, -half, half);
    return {c * inside - s * t, s * inside + c * t};
}

/// |r - P(r - u)| / |q| with the polygon for the tangents, as the box has it.
double polygon_residual(const physics::DelassusSystem& system, uint32_t sides) {
    double sum = 0.0;
    for (uint32_t i = 0; i < system.size(); ++i) {
        if (system.is_bilateral(i)) {  // no friction, no polygon
            const double error = physics::contact_residual(system, i).total();
            sum += error * error;
            continue;
        }
        const auto l = system.impulse(i);
        const auto vt = system.tangent_velocity(i);
        const double vn = system.normal_velocity(i) + system.compliance(i) * l.n;
        const double n = std::max(0.0, l.n - vn);
        const Real2<double> t =
            project_polygon({l.t1 - vt.x, l.t2 - vt.y}, system.friction(i) * std::max(0.0, l.n), sides);
        sum += (l.n - n) * (l.n - n) + (l.t1 - t.x) * (l.t1 - t.x) + (l.t2 - t.y) * (l.t2 - t.y) +
               0.0 * (l.n + vn + l.t1 + l.t2 + vt.x + vt.y);
    }
    return physics::detail::finite_or_infinite(std::sqrt(sum) / std::max(system.q_norm(), 1e-30));
}

/// One solve from zero impulses; a run with its times and residuals.
SolverRun solve_once(const SolverSuite& suite, uint32_t problem, uint32_t solver, uint32_t tolerance,
                     double wall_limit) {
    SolverRun run;
    run.problem = problem;
    run.solver = solver;
    run.tolerance = tolerance;
    run.tried = true;
    physics::SolveSettings settings;
    settings.iterations = 1000000000;
    settings.tolerance = suite.tolerances[tolerance];
    settings.time_limit = wall_limit;
    const physics::Solver& row = *suite.solvers[solver];
    physics::DelassusSystem system(suite.problems[problem].matrix);
    const double start = thread_seconds();
    const physics::SolveReport report = row.solve_matrix(system, settings);
    run.milliseconds = 1e3 * (thread_seconds() - start);
    system.refresh();
    run.iterations = report.iterations;
    run.own_residual = own_residual(system, row, settings.polygon_sides);
    run.exact_residual = physics::relative_residual(system, physics::Law{}, system.q_norm());
    run.out_of_time = report.stop == physics::StopReason::time;
    run.stop = std::string(physics::to_text(report.stop));
    if (!report.note.empty()) run.stop += ": " + std::string(report.note);
    return run;
}

/// Up to five solves, as long as they are short: what is above the shortest is the machine's. The limit is
/// one of processor time, and solvers look at a clock on the wall: who was stopped early because the machine
/// did something else gets longer.
SolverRun run_one(const SolverSuite& suite, uint32_t problem, uint32_t solver, uint32_t tolerance) {
    constexpr int kSolves = 5, kLonger = 3;
    constexpr double kLongEnough = 100.0;  // ms
    const double limit = 1e3 * suite.time_limit;
    SolverRun best = solve_once(suite, problem, solver, tolerance, suite.time_limit);
    double wall = suite.time_limit;
    for (int k = 0; k < kLonger && best.out_of_time && best.milliseconds < 0.9 * limit; ++k) {
        wall *= std::min(4.0, 1.1 * limit / best.milliseconds);
        best = solve_once(suite, problem, solver, tolerance, wall);
    }
    double total = best.milliseconds;
    for (int k = 1; k < kSolves && total < kLongEnough; ++k) {
        SolverRun again = solve_once(suite, problem, solver, tolerance, wall);
        total += again.milliseconds;
        if (again.milliseconds < best.milliseconds) best = std::move(again);
    }
    return best;
}

}  // namespace

std::vector<SceneFrame> solver_scenes(bool quick) {
    if (quick) return {{"mass1", 30, 1.0}, {"mass100", 30, 100.0}, {"tower5", 60, 1.0}, {"heap20", 40, 1.0}};
    std::vector<SceneFrame> frames = {{"mass1", 1, 1.0},       {"mass1", 120, 1.0},      {"mass100", 1, 100.0},
                                      {"mass100", 120, 100.0}, {"mass1000", 1, 1e3},     {"mass1000", 20, 1e3},
                                      {"tower20", 1, 1.0},     {"tower20", 200, 1.0},    {"arch25", 1, 1.0},
                                      {"arch25", 120, 1.0},    {"cards5", 1, 1.0},       {"cards5", 120, 1.0},
                                      {"marble_box", 60, 1.0}, {"marble_box", 300, 1.0}, {"dominoes", 60, 1.0}};
    for (const char* scene : {"pyramid10", "heap150"})
        for (const double ratio : {1.0, 100.0, 1000.0})
            for (const uint32_t step : {uint32_t(scene[0] == 'h' ? 60 : 1), 300u})
                frames.push_back({scene, step, ratio, true});
    return frames;
}

Result<std::vector<SolverProblem>> collect_problems(const std::vector<SceneFrame>& scenes,
                                                    const std::vector<std::filesystem::path>& folders,
                                                    const std::function<void(const std::string&)>& show) {
    std::vector<SolverProblem> problems;
    const auto add = [&](SolverProblem problem) {
        if (problem.matrix.size() == 0)
            show(problem.name + " has no contacts and is left out");
        else
            problems.push_back(std::move(problem));
    };
    for (const SceneFrame& frame : scenes) {
        Result<SolverProblem> made = make_problem(frame);
        if (!made) return Error{made.error()};
        add(std::move(made.value()));
    }
    for (const std::filesystem::path& folder : folders) {
        std::error_code failed;
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
            if (entry.path().extension() == ".dat" || entry.path().extension() == physics::kDumpExtension)
                files.push_back(entry.path());
        if (failed) return Error{"The folder '" + folder.string() + "' cannot be read."};
        if (files.empty()) return Error{"There is no problem file (*.dat, *.pxc) in '" + folder.string() + "'."};
        std::sort(files.begin(), files.end());
        for (const std::filesystem::path& file : files) {
            Result<physics::DelassusProblem> matrix = physics::load_problem(file);
            if (!matrix) return Error{matrix.error()};
            add({file.filename().string(), "file", 0.0, std::move(matrix.value())});
        }
    }
    show(fmt::format(
        "{} problems, {} of them from scenes", problems.size(),
        std::count_if(problems.begin(), problems.end(), [](const SolverProblem& p) { return p.kind == "scene"; })));
    return problems;
}

double own_residual(const physics::DelassusSystem& system, const physics::Solver& solver, uint32_t sides) {
    if (solver.model == physics::Model::lcp) return polygon_residual(system, sides);
    const physics::Law law(solver.set, solver.model == physics::Model::ccp);
    return physics::relative_residual(system, law, system.q_norm());
}

std::vector<SolverRun> run_solvers(const SolverSuite& suite, const std::function<void(const std::string&)>& show) {
    std::vector<SolverRun> runs;
    for (uint32_t p = 0; p < suite.problems.size(); ++p) {
        const Clock::time_point start = Clock::now();
        std::vector<uint32_t> solved(suite.tolerances.size(), 0);
        for (uint32_t s = 0; s < suite.solvers.size(); ++s) {
            std::string failed;
            for (uint32_t t = 0; t < suite.tolerances.size(); ++t) {
                SolverRun run;
                if (failed.empty()) {
                    run = run_one(suite, p, s, t);
                } else {
                    run = runs.back();
                    run.tolerance = t;
                    run.tried = false;
                }
                if (run.solves_own(suite))
                    ++solved[t];
                else
                    failed = run.stop;
                runs.push_back(std::move(run));
            }
        }
        std::string counts;
        for (size_t t = 0; t < solved.size(); ++t)
            counts += fmt::format("{}{} to {:g}", t ? ", " : "", solved[t], suite.tolerances[t]);
        show(fmt::format("[{}/{}] {}, {} contacts: of {} solvers {}; {:.1f} s", p + 1, suite.problems.size(),
                         suite.problems[p].name, suite.problems[p].matrix.size(), suite.solvers.size(), counts,
                         seconds_since(start)));
    }
    return runs;
}

}  // namespace proxima::bench
