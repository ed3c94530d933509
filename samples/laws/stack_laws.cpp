// SPDX-License-Identifier: MIT
// Stacks and heavy loads, at rest and dropped, from millimetres to a hundred metres.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "samples/laws/law_world.h"
#include "samples/scenes/evaluate.h"
#include "samples/scenes/scale.h"
#include "samples/scenes/scenes.h"

namespace proxima::samples {

using namespace physics;

namespace {

/// Largest displacement in sizes of a tower after six seconds of its own scale.
void towers(LawTries& tries) {
    for (const float size : {0.001f, 0.01f, 0.1f, 1.0f, 10.0f, 100.0f}) {
        LawWorld w(tries.options());
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        w.ground({.friction = 0.6f});
        std::vector<Entity> boxes;
        for (int i = 0; i < 10; ++i)
            boxes.push_back(
                w.box(size * Vec3(0.5f), {.position = {0.0f, size * (0.5f + float(i)), 0.0f}, .friction = 0.6f}));
        w.run(6.0f * std::max(std::sqrt(size), 0.1f));
        double most = 0.0;
        for (int i = 0; i < 10; ++i)
            most = std::max(
                most, double(glm::length(w.position(boxes[size_t(i)]) - size * Vec3(0.0f, 0.5f + float(i), 0.0f))) /
                          double(size));
        tries.add(fmt::format("10 cubes of {:.3g} m", size), 0.0, most, 0.002);
    }
}

/// Largest overlap in sizes of neighbours in a heap of a hundred cubes, as the report of the last step has it.
void piles(LawTries& tries) {
    for (const float size : {0.001f, 0.01f, 0.1f, 1.0f, 10.0f, 100.0f}) {
        LawWorld w(tries.options());
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        w.ground({.friction = 0.5f});
        for (int side = 0; side < 4; ++side) {
            const Quat turn = glm::angleAxis(1.5707964f * float(side), Vec3(0.0f, 1.0f, 0.0f));
            w.box(size * Vec3(1.0f, 10.0f, 4.5f), {.type = BodyType::fixed,
                                                   .position = turn * (size * Vec3(3.5f, 10.0f, 0.0f)),
                                                   .rotation = turn,
                                                   .friction = 0.2f});
        }
        for (int i = 0; i < 100; ++i) {
            const Vec3 at(1.2f * float(i % 4) - 1.8f, 1.0f + 1.3f * float(i / 16), 1.2f * float(i / 4 % 4) - 1.8f);
            w.box(size * Vec3(0.5f),
                  {.position = size * (at + 0.1f * Vec3(tries.draw(-1.0f, 1.0f), 0.0f, tries.draw(-1.0f, 1.0f))),
                   .rotation = glm::normalize(
                       Quat(1.0f, tries.draw(-0.3f, 0.3f), tries.draw(-0.3f, 0.3f), tries.draw(-0.3f, 0.3f))),
                   .friction = 0.5f});
        }
        w.run(8.0f * std::max(std::sqrt(size), 0.1f));
        tries.add(fmt::format("100 cubes of {:.3g} m", size), 0.0, double(w.penetration_max() / size), 0.01);
    }
}

/// Height in sizes of a heavy cube on four light ones, after four seconds; made there, or dropped by a size.
void heavy_on_light(LawTries& tries, float drop) {
    for (const float ratio : {1e2f, 1e3f, 1e4f, 1e5f}) {
        if (drop > 0.0f && ratio > 5e4f) continue;
        const float size = ratio < 5e2f ? 1.0f : tries.draw_log(0.1f, 5.0f), m = 1000.0f * size * size * size;
        LawWorld w(tries.options());
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        w.ground({.friction = 0.6f});
        std::vector<Entity> boxes;
        for (int i = 0; i < 4; ++i)
            boxes.push_back(w.box(size * Vec3(0.5f),
                                  {.position = {0.0f, size * (0.5f + float(i)), 0.0f}, .friction = 0.6f, .mass = m}));
        const Entity heavy = w.box(
            size * Vec3(0.5f), {.position = {0.0f, size * (4.5f + drop), 0.0f}, .friction = 0.6f, .mass = m * ratio});
        const float limit = std::sqrt(2.0f * kG * size * std::max(drop, 0.05f));
        double fastest = 0.0;
        const int steps = int(4.0f * std::sqrt(size) / w.dt());
        for (int i = 0; i < steps; ++i) {
            w.step();
            for (const Entity box : boxes) fastest = std::max(fastest, double(glm::length(w.velocity(box)) / limit));
        }
        tries.add(fmt::format("{:.0e} : 1, {:.2g} m, height", double(ratio), size), 4.5,
                  double(w.position(heavy).y / size), 0.05);
        tries.add(fmt::format("{:.0e} : 1, {:.2g} m, speed over that of the impact", double(ratio), size), 0.0,
                  std::max(0.0, fastest - 1.0), 0.05);
    }
}
void heavy_at_rest(LawTries& tries) { heavy_on_light(tries, 0.0f); }
void heavy_dropped(LawTries& tries) { heavy_on_light(tries, 1.0f); }

/// Millimetres that things rise above an elevator, or sink into it, that starts, goes and stops.
void elevator(LawTries& tries) {
    for (int k = 0; k < 10; ++k) {
        // The later ones start and stop at once.
        const bool sudden = k >= 4;
        const float size = k < 2 ? 1.0f : tries.draw_log(0.1f, 5.0f),
                    rate = (sudden ? tries.draw(0.05f, 1.5f) : tries.draw(1.0f, 4.0f)) * std::sqrt(size);
        LawWorld w(tries.options());
        const Entity floor =
            w.box(size * Vec3(3.0f, 0.25f, 3.0f),
                  {.type = BodyType::kinematic, .position = {0.0f, -0.25f * size, 0.0f}, .friction = 0.5f});
        const Entity box = w.box(size * Vec3(0.5f), {.position = {0.0f, 0.5f * size, 0.0f}, .friction = 0.5f});
        double worst = 0.0, fastest = 0.0;
        for (int i = 0; i < 240; ++i) {
            const float t = w.time(),
                        smooth = t < 1.0f   ? t
                                 : t < 2.0f ? 1.0f
                                            : std::max(0.0f, 3.0f - t),
                        speed = rate * (sudden ? float(t > 0.3f && t < 2.0f) : smooth);
            w.set_velocity(floor, {0.0f, speed, 0.0f});
            w.step();
            if (sudden && t >= 2.0f) break;
            worst = std::max(worst, std::abs(double(w.position(box).y - w.position(floor).y) / double(size) - 0.75));
            fastest = std::max(fastest, double(w.velocity(box).y));
        }
        tries.add(fmt::format("{:.2g} m, {:.2g} m/s{}", size, rate, sudden ? " at once" : ""), 0.0, 1000.0 * worst,
                  1.0);
        if (sudden)
            tries.add(fmt::format("{:.2g} m, {:.2g} m/s at once, speed over that", size, rate), 1.0,
                      fastest / double(rate), 0.02);
    }
}

// ---- scenes of the benchmark

/// How far the bodies of a scene are from where they began, and how deep inside each other, in metres of the scene as it is.
struct SceneOutcome {
    double displacement = 0.0, penetration = 0.0;
};
SceneOutcome run_scene(const LawTries& tries, const SceneDesc& scene, double factor) {
    SceneDesc other = scaled(scene, factor);
    LawWorld w(tries.options(), other.settings.gravity);
    w.set_dt(other.run.dt * tries.options().dt / scene.run.dt);
    const std::vector<Entity> bodies = w.add_scene(other);
    const auto poses = [&] {
        std::vector<Pose> out;
        for (const Entity body : bodies) out.push_back({w.position(body), w.rotation(body)});
        return scaled_back(std::move(out), factor);
    };
    const std::vector<Pose> start = poses();
    w.run(float(other.run.steps) * other.run.dt);
    const std::vector<Pose> end = poses();
    const Evaluator evaluator(scene);
    return {evaluator.motion(start, end).max, evaluator.penetration(end).max};
}

/// What a scene does at other sizes over what it does as it is; less than a thousandth of a size, which cannot be seen, counts
/// as that. Less than as it is is no fault.
void scaled_scenes(LawTries& tries, std::span<const std::string_view> names, float seconds) {
    const auto ratio = [](double there, double as_is) {
        constexpr double kFloor = 1e-3;
        return std::max(1.0, std::max(there, kFloor) / std::max(as_is, kFloor));
    };
    for (const std::string_view name : names) {
        SceneDesc scene = make_scene(name).value();
        scene.run.steps = std::min(scene.run.steps, uint32_t(seconds / scene.run.dt));
        scene.run.settled_from = std::min(scene.run.settled_from, scene.run.steps);
        const SceneOutcome as_is = run_scene(tries, scene, 1.0);
        for (const double factor : {0.001, 0.01, 0.1, 10.0, 100.0}) {
            const SceneOutcome there = run_scene(tries, scene, factor);
            tries.add(fmt::format("{} x {:g}, moved {:.1e} instead of {:.1e}", name, factor, there.displacement,
                                  as_is.displacement),
                      1.0, ratio(there.displacement, as_is.displacement), 1.0);
            tries.add(fmt::format("{} x {:g}, overlap {:.1e} instead of {:.1e}", name, factor, there.penetration,
                                  as_is.penetration),
                      1.0, ratio(there.penetration, as_is.penetration), 1.0);
        }
    }
}
void scaled_stacks(LawTries& tries) {
    constexpr std::array<std::string_view, 8> kNames = {"tower10", "tower20", "pyramid20", "arch25",
                                                        "cards5",  "mass10",  "mass100",   "mass1000"};
    scaled_scenes(tries, kNames, 5.0f);
}
void scaled_large_scenes(LawTries& tries) {
    constexpr std::array<std::string_view, 6> kNames = {"tower30",  "heap200",   "pyramid60",
                                                        "pile4096", "hulls2000", "grid10k"};
    scaled_scenes(tries, kNames, 5.0f);
}

constexpr std::array kLaws = {
    Law{"towers", "A tower stands, of cubes of a millimetre as of a hundred metres", "sizes moved", towers},
    Law{"piles", "Cubes in a heap do not sink into each other, whatever their size", "sizes", piles},
    Law{"heavy_at_rest", "A heavy cube rests on light ones", "sizes", heavy_at_rest},
    Law{"heavy_dropped", "A heavy cube dropped on light ones stays on them and flings nothing", "sizes", heavy_dropped},
    Law{"elevator", "What stands on an elevator stays on it", "thousandths of a size", elevator},
    Law{"scaled_stacks", "The stacks of the benchmark move and overlap as little at any size, in sizes", "of it",
        scaled_stacks},
    Law{"scaled_large_scenes", "So do its tall and large scenes", "of it", scaled_large_scenes, false, true},
};

}  // namespace

std::span<const Law> stack_laws() { return kLaws; }

}  // namespace proxima::samples
