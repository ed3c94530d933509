// SPDX-License-Identifier: MIT
#include "samples/bench/rollback_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"
#include "physics/physics.h"
#include "samples/bench/stopwatch.h"

namespace proxima::bench {

using namespace proxima::physics;

namespace {

constexpr float kDt = 1.0f / 60.0f;

/// Cubes, spheres and capsules over a pit that holds them a few layers high, as in the scene pile4096.
bool build_pile(PhysicsWorld& world, uint32_t bodies) {
    const ShapeId shapes[] = {
        world.shapes().add({.type = ShapeType::box, .half_extents = {0.25f, 0.25f, 0.25f}}).value(),
        world.shapes().add({.type = ShapeType::sphere, .radius = 0.3f}).value(),
        world.shapes().add({.type = ShapeType::capsule, .radius = 0.2f, .half_height = 0.25f}).value()};
    const uint32_t side = std::max(1u, uint32_t(std::cbrt(double(bodies))));
    const float half = 0.45f * float(side) + 0.2f;
    const ShapeId wall =
        world.shapes().add({.type = ShapeType::box, .half_extents = {0.5f, 10.0f, half + 1.0f}}).value();
    const ShapeId floor = world.shapes().add({.type = ShapeType::half_space}).value();
    bool good = world.create_body({.type = BodyType::fixed, .colliders = {{.shape = floor}}}).ok();
    for (int k = 0; k < 4; ++k) {
        const Quat turn = glm::angleAxis(glm::half_pi<float>() * float(k), Vec3(0.0f, 1.0f, 0.0f));
        const Pose pose{turn * Vec3(half + 0.5f, 10.0f, 0.0f), turn};
        good = world.create_body({.type = BodyType::fixed, .pose = pose, .colliders = {{.shape = wall}}}).ok() && good;
    }
    uint32_t state = 12345;
    const auto random = [&] { return float((state = state * 1664525u + 1013904223u) >> 8) / float(1 << 23) - 1.0f; };
    for (uint32_t n = 0; n < bodies; ++n) {
        const uint32_t x = n % side, z = n / side % side, y = n / (side * side);
        Pose pose;
        pose.position = {0.85f * (float(x) - 0.5f * float(side - 1)) + 0.02f * random(), 1.0f + 0.95f * float(y),
                         0.85f * (float(z) - 0.5f * float(side - 1)) + 0.02f * random()};
        pose.rotation = glm::normalize(Quat(1.1f + random(), random(), random(), random()));
        good = world.create_body({.pose = pose, .colliders = {{.shape = shapes[n % 3]}}}).ok() && good;
    }
    return good;
}

template <class Work>
double fastest_ms(uint32_t repeats, const Work& work) {
    double best = 1e30;
    for (uint32_t k = 0; k < repeats; ++k) {
        const Stopwatch::time_point start = Stopwatch::now();
        work();
        best = std::min(best, milliseconds_since(start));
    }
    return best;
}

RollbackMeasurement measure(PhysicsWorld& world, uint32_t repeats) {
    RollbackMeasurement m;
    PhysicsSnapshot base, full, difference;
    world.save_state(base);
    for (int k = 0; k < 8; ++k) (void)world.step(kDt);
    m.step = world.step_number();
    for (const Entity body : world.bodies()) {
        const bool moves = world.registry().get<RigidBody>(body).type == BodyType::dynamic;
        m.bodies += moves;
        m.awake += moves && !world.is_asleep(body);
    }
    for (const ContactView& contact : world.contacts()) m.contacts += contact.manifold->count;
    engine::Snapshot whole;
    m.whole_save_ms = fastest_ms(repeats, [&] { world.save(whole); });
    m.save_ms = fastest_ms(repeats, [&] { world.save_state(full); });
    m.save_difference_ms = fastest_ms(repeats, [&] { (void)world.save_state_since(base, difference); });
    m.whole_bytes = double(whole.bytes.size()) / m.bodies;
    m.full_bytes = double(full.bytes.size()) / m.bodies;
    m.difference_bytes = double(difference.bytes.size()) / std::max(1u, m.awake > 0 ? m.awake : m.bodies);
    for (int k = 0; k < 60; ++k) (void)world.step(kDt);
    const uint64_t future = world.state_hash();
    m.whole_restore_ms = fastest_ms(repeats, [&] { m.exact = world.restore(whole).ok() && m.exact; });
    m.restore_difference_ms =
        fastest_ms(repeats, [&] { m.exact = world.restore_state(base, difference).ok() && m.exact; });
    m.restore_ms = fastest_ms(repeats, [&] { m.exact = world.restore_state(full).ok() && m.exact; });
    for (int k = 0; k < 60; ++k) (void)world.step(kDt);
    m.exact = m.exact && world.state_hash() == future;
    return m;
}

}  // namespace

std::vector<RollbackMeasurement> run_rollback(const RollbackSuite& suite,
                                              const std::function<void(const std::string&)>& progress) {
    std::vector<RollbackMeasurement> measured;
    for (const uint32_t size : suite.sizes) {
        PhysicsWorld world;
        if (!build_pile(world, size)) continue;
        for (const uint64_t step : {uint64_t(52), uint64_t(240), uint64_t(900)}) {
            progress(fmt::format("pile of {}, step {}", size, step));
            while (world.step_number() < step) (void)world.step(kDt);
            measured.push_back(measure(world, suite.repeats));
        }
    }
    return measured;
}

Table to_table(const std::vector<RollbackMeasurement>& measured, const MachineCard& card) {
    Table table;
    table.card = card;
    table.columns = {"bodies",
                     "step",
                     "awake",
                     "contacts",
                     "whole_bytes",
                     "full_bytes",
                     "difference_bytes",
                     "whole_save_ms",
                     "whole_restore_ms",
                     "save_ms",
                     "restore_ms",
                     "save_difference_ms",
                     "restore_difference_ms",
                     "exact"};
    const auto ms = [](double x) { return fmt::format("{:.4f}", x); };
    const auto bytes = [](double x) { return fmt::format("{:.1f}", x); };
    for (const RollbackMeasurement& m : measured)
        table.rows.push_back({std::to_string(m.bodies), std::to_string(m.step), std::to_string(m.awake),
                              std::to_string(m.contacts), bytes(m.whole_bytes), bytes(m.full_bytes),
                              bytes(m.difference_bytes), ms(m.whole_save_ms), ms(m.whole_restore_ms), ms(m.save_ms),
                              ms(m.restore_ms), ms(m.save_difference_ms), ms(m.restore_difference_ms),
                              m.exact ? "yes" : "no"});
    return table;
}

std::string to_text(const std::vector<RollbackMeasurement>& measured) {
    std::string out =
        "Snapshots of a pile on one thread. Bytes a body (of differences to eight steps before: a body that moves); "
        "fastest time, ms.\n\n";
    out += fmt::format("{:>7} {:>5} {:>6} {:>8} | {:>7} {:>7} {:>7} | {:>15} {:>15} {:>15} {:>6}\n", "bodies", "step",
                       "awake", "contacts", "whole", "full", "diff.", "whole", "full", "difference", "exact");
    const auto pair = [](double save, double restore) { return fmt::format("{:.3f} / {:.3f}", save, restore); };
    for (const RollbackMeasurement& m : measured)
        out += fmt::format("{:>7} {:>5} {:>6} {:>8} | {:>7.1f} {:>7.1f} {:>7.1f} | {:>15} {:>15} {:>15} {:>6}\n",
                           m.bodies, m.step, m.awake, m.contacts, m.whole_bytes, m.full_bytes, m.difference_bytes,
                           pair(m.whole_save_ms, m.whole_restore_ms), pair(m.save_ms, m.restore_ms),
                           pair(m.save_difference_ms, m.restore_difference_ms), m.exact ? "yes" : "NO");
    return out + "\nTimes are of saving / of restoring.\n";
}

Result<void> write_rollback(const std::string& folder, const std::vector<RollbackMeasurement>& measured,
                            const MachineCard& card) {
    const auto path = [&](const std::string& file) { return (std::filesystem::path(folder) / file).string(); };
    const Table table = to_table(measured, card);
    if (Result<void> r = write_file(path("rollback.csv"), to_csv(table)); !r) return r;
    nlohmann::ordered_json json;
    for (const auto& [what, value] : card) json["machine"][what] = value;
    json["measurements"] = nlohmann::ordered_json::array();
    for (const std::vector<std::string>& row : table.rows) {
        nlohmann::ordered_json one;
        for (size_t k = 0; k < row.size(); ++k)
            one[table.columns[k]] = k + 1 < row.size() ? nlohmann::ordered_json(std::stod(row[k]))
                                                       : nlohmann::ordered_json(row[k] == "yes");
        json["measurements"].push_back(std::move(one));
    }
    return write_file(path("rollback.json"), json.dump(1) + "\n");
}

}  // namespace proxima::bench
