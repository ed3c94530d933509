// SPDX-License-Identifier: MIT
// All that a step reports as text with every bit, so that two worlds can be compared and the first difference read.
#pragma once

#include <cstdio>
#include <string>

#include "physics/physics.h"

namespace proxima::test {

/// Hexadecimal floats: equal texts are equal bits, signs of zeros included.
inline std::string bits_of(double x) {
    char text[40];
    std::snprintf(text, sizeof(text), "%a", x);
    return text;
}

inline std::string text_of(const physics::StepReport& r) {
    std::string text;
    const auto count = [&](const char* name, uint64_t value) {
        text += std::string(name) + " " + std::to_string(value) + "\n";
    };
    const auto number = [&](const char* name, double value) {
        text += std::string(name) + " " + bits_of(value) + "\n";
    };
    count("step", r.step);
    count("bodies", r.bodies);
    count("sleeping", r.sleeping);
    count("pairs", r.pairs);
    count("contacts", r.contacts);
    count("islands", r.islands);
    count("direct islands", r.direct_islands);
    count("direct bodies", r.direct_bodies);
    count("direct failures", r.direct_failures);
    count("factorisations", r.factorisations);
    count("general islands", r.general_islands);
    count("escalated islands", r.escalated_islands);
    count("failed solvers", r.failed_solvers);
    count("islands over tolerance", r.islands_over_tolerance);
    number("direct tolerance", r.direct_tolerance);
    number("direct residual max", r.direct_residual_max);
    count("measured points", r.measured_points);
    number("residual mean", r.residual_mean);
    number("residual max", r.residual_max);
    number("end residual mean", r.end_residual_mean);
    number("end residual max", r.end_residual_max);
    count("loaded points", r.loaded_points);
    number("sag mean", double(r.sag_mean));
    number("sag max", double(r.sag_max));
    number("penetration mean", double(r.penetration_mean));
    number("penetration max", double(r.penetration_max));
    for (const physics::StepWarning& w : r.warnings) text += w.message + "\n";
    return text;
}

/// What became of the island of each body.
inline std::string islands_text(const physics::PhysicsWorld& world) {
    std::string text;
    for (const engine::Entity body : world.bodies()) {
        const auto island = world.island(body);
        if (!island) {
            text += "none\n";
            continue;
        }
        text += std::to_string(island->bodies) + " bodies, " + std::to_string(island->constraints) + " constraints, " +
                std::string(island->solver) + " " + bits_of(island->residual) + " " +
                std::to_string(island->iterations) + " " + std::to_string(int(island->stop)) +
                (island->escalated ? " escalated\n" : "\n");
    }
    return text;
}

/// Events in the order in which a game reads them. `pair_names`: with the entities of the pairs.
inline std::string events_text(const physics::PhysicsWorld& world, bool pair_names = true) {
    std::string text;
    const auto name = [](engine::Entity e) { return " " + std::to_string(entt::to_integral(e)); };
    const auto pair_name = [&](engine::Entity e) { return pair_names ? name(e) : std::string(); };
    const auto number = [](float x) { return " " + bits_of(double(x)); };
    for (const auto& e : world.events().begin)
        text += "begin" + pair_name(e.pair) + name(e.collider_a) + name(e.collider_b) + name(e.body_a) +
                name(e.body_b) + "\n";
    for (const auto& e : world.events().end)
        text += "end" + name(e.collider_a) + name(e.collider_b) + name(e.body_a) + name(e.body_b) + "\n";
    for (const auto& e : world.events().hit)
        text += "hit" + pair_name(e.pair) + name(e.collider_a) + name(e.collider_b) + number(e.point.x) +
                number(e.point.y) + number(e.point.z) + number(e.normal.x) + number(e.normal.y) + number(e.normal.z) +
                number(e.approach_speed) + number(e.normal_impulse) + number(e.tangent_impulse) + "\n";
    return text;
}

}  // namespace proxima::test
