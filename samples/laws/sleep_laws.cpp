// SPDX-License-Identifier: MIT
// Sleep, which is on in these whatever the options say: it may stop nothing that would have moved.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "samples/laws/law_world.h"

namespace proxima::samples {

using namespace physics;

namespace {

LawOptions with_sleep(const LawOptions& options) {
    LawOptions out = options;
    out.settings.sleeping = true;
    return out;
}

/// Speed over theory of balls on gentle slopes, after four seconds.
void gentle_slopes(LawTries& tries) {
    for (int k = 0; k < 8; ++k) {
        constexpr std::array kSlopes = {0.1f, 0.5f, 1.0f, 1.4f};
        const float slope = k < 4 ? kSlopes[size_t(k)] : tries.draw(0.1f, 2.0f),
                    r = k < 4 ? 0.5f : tries.draw_log(0.02f, 10.0f);
        LawWorld w(with_sleep(tries.options()));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(r / 0.1f)));
        const Quat tilt = glm::angleAxis(glm::radians(-slope), Vec3(0.0f, 0.0f, 1.0f));
        w.ground({.rotation = tilt, .friction = 0.6f});
        const Entity ball = w.sphere(r, {.position = tilt * Vec3(0.0f, r, 0.0f), .friction = 0.6f});
        w.run(4.0f);
        const double expected = 5.0 / 7.0 * double(kG) * std::sin(double(slope) / kRadian) * double(w.time());
        tries.add(fmt::format("r {:.2g} m, {:.2g} deg", r, slope), 1.0,
                  double(glm::dot(w.velocity(ball), tilt * Vec3(1.0f, 0.0f, 0.0f))) / expected, 0.02);
    }
}

/// Way over theory of boxes a little beyond the friction limit, after two seconds.
void beyond_the_limit(LawTries& tries) {
    for (int k = 0; k < 8; ++k) {
        const float beyond = k == 0   ? 0.5f
                             : k == 1 ? 0.1f
                                      : tries.draw(0.1f, 1.0f),
                    mu = k < 2 ? 0.6f : tries.draw(0.1f, 0.8f), size = k < 4 ? 1.0f : tries.draw_log(0.05f, 10.0f);
        const double angle = std::atan(double(mu)) + double(beyond) / kRadian;
        LawWorld w(with_sleep(tries.options()));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        const Quat tilt = glm::angleAxis(-float(angle), Vec3(0.0f, 0.0f, 1.0f));
        w.ground({.rotation = tilt, .friction = mu});
        const Entity box = w.box(size * Vec3(0.5f, 0.2f, 0.5f),
                                 {.position = tilt * Vec3(0.0f, 0.2f * size, 0.0f), .rotation = tilt, .friction = mu});
        const Vec3 start = w.position(box);
        w.run(2.0f);
        const double t = double(w.time()),
                     expected = 0.5 * double(kG) * (std::sin(angle) - double(mu) * std::cos(angle)) * t * t;
        tries.add(fmt::format("{:.2g} m, mu {:.2f}, {:.2g} deg beyond", size, mu, beyond), 1.0,
                  double(glm::length(w.position(box) - start)) / expected, 0.03);
    }
}

/// 1 when a stack at rest sleeps within three seconds.
void rest_sleeps(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float size = k < 2 ? 1.0f : tries.draw_log(0.02f, 20.0f);
        LawWorld w(with_sleep(tries.options()));
        w.set_dt(tries.options().dt * std::min(1.0f, std::sqrt(size / 0.1f)));
        w.ground({.friction = 0.6f});
        std::vector<Entity> boxes;
        for (int i = 0; i < 1 + k; ++i)
            boxes.push_back(
                w.box(size * Vec3(0.5f), {.position = {0.0f, size * (0.5f + float(i)), 0.0f}, .friction = 0.6f}));
        w.run(3.0f);
        double asleep = 1.0;
        for (const Entity box : boxes) asleep = std::min(asleep, w.world().is_asleep(box) ? 1.0 : 0.0);
        tries.add(fmt::format("{} boxes of {:.2g} m", 1 + k, size), 1.0, asleep, 0.0);
    }
}

constexpr std::array kLaws = {
    Law{"gentle_slopes", "A ball on the gentlest slope rolls, asleep or not", "of its speed", gentle_slopes},
    Law{"beyond_the_limit", "A box a little beyond the limit of friction slides", "of its way", beyond_the_limit},
    Law{"rest_sleeps", "A stack at rest sleeps", "asleep", rest_sleeps},
};

}  // namespace

std::span<const Law> sleep_laws() { return kLaws; }

}  // namespace proxima::samples
