// SPDX-License-Identifier: MIT
// Results that may not depend on how finely time is cut.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "samples/laws/law_world.h"

namespace proxima::samples {

using namespace physics;

namespace {

/// Heights a second that a wave goes along a row of dominoes, from the seventh to the seventeenth.
double domino_speed(const LawOptions& options, float dt, float size, float gap, float thick, float mu) {
    LawWorld w(options);
    w.set_dt(dt);
    w.ground({.friction = mu});
    constexpr int kCount = 20, kFrom = 6, kTo = 16;
    const float pitch = size * (gap + thick);
    std::vector<Entity> row;
    for (int i = 0; i < kCount; ++i)
        row.push_back(w.box(0.5f * size * Vec3(thick, 1.0f, 0.5f),
                            {.position = {pitch * float(i), 0.5f * size, 0.0f}, .friction = mu}));
    // A push at the middle of the first one: it turns about its lower edge.
    const float push = 2.0f / std::sqrt(size);
    w.set_velocity(row[0], {0.5f * size * push, 0.0f, 0.0f}, {0.0f, 0.0f, -push});
    double from = 0.0, to = 0.0, before[2] = {0.0, 0.0};
    const double tip = 5.0 / kRadian;
    while (to == 0.0 && w.time() < 6.0f * std::sqrt(size)) {
        w.step();
        for (const int end : {0, 1}) {
            const double lean = 2.0 * std::abs(double(w.rotation(row[end ? kTo : kFrom]).z));
            double& at = end ? to : from;
            if (at == 0.0 && lean > tip) at = double(w.time()) - double(dt) * (lean - tip) / (lean - before[end]);
            before[end] = lean;
        }
    }
    return to > from ? double(pitch) * double(kTo - kFrom) / (to - from) / double(size) : 0.0;
}

/// Speed of a wave of dominoes over that with steps of a quarter.
void dominoes(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const float size = k == 0 ? 1.0f : tries.draw_log(0.05f, 20.0f), gap = k == 0 ? 0.4f : tries.draw(0.2f, 0.6f),
                    thick = k == 0 ? 0.15f : tries.draw(0.1f, 0.2f), mu = tries.draw(0.3f, 0.7f);
        const float dt = step_for(tries.options(), size);
        const double fine = domino_speed(tries.options(), 0.25f * dt, size, gap, thick, mu);
        for (const float share : {1.0f, 0.5f})
            tries.add(fmt::format("{:.3g} m, gap {:.2f}, thick {:.2f}, dt / {:.0f}", size, gap, thick, 1.0f / share),
                      1.0, domino_speed(tries.options(), share * dt, size, gap, thick, mu) / fine, 0.02);
    }
}

/// What other laws measure, less what they measure with finer steps, in parts of what they allow.
void finer_steps(LawTries& tries) {
    for (const std::string_view name : {"braking", "backspin", "falling_block", "bounce"}) {
        const Law& law = *find_law(name);
        const std::vector<LawPoint> coarse = run_law(law, tries.options());
        for (const bool substeps : {true, false}) {
            LawOptions options = tries.options();
            if (substeps)
                options.settings.substeps *= 2;
            else
                options.dt *= 0.5f;
            const std::vector<LawPoint> fine = run_law(law, options);
            for (size_t i = 0; i < coarse.size(); ++i)
                tries.add(
                    fmt::format("{}: {}, {}", name, coarse[i].parameters, substeps ? "twice the sub-steps" : "dt / 2"),
                    0.0, (fine[i].measured - coarse[i].measured) / coarse[i].tolerance, 1.0);
        }
    }
}

constexpr std::array kLaws = {
    Law{"dominoes", "A wave of dominoes is as fast with steps of a half and a quarter", "of its speed", dominoes},
    Law{"finer_steps", "Twice the sub-steps, or steps of a half, change no result by more than its law allows",
        "of the tolerance", finer_steps, true},
};

}  // namespace

std::span<const Law> convergence_laws() { return kLaws; }

}  // namespace proxima::samples
