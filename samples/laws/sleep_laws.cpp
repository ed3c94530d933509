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

/// Speed gained over theory of balls on gentle slopes, after four seconds: let go, or pushed uphill so that they turn.
void gentle_slopes(LawTries& tries) {
    for (int k = 0; k < 14; ++k) {
        constexpr std::array kSlopes = {0.1f, 0.5f, 1.0f, 1.4f, 0.1f, 0.1f};
        constexpr std::array kRadii = {0.5f, 0.5f, 0.5f, 0.5f, 0.001f, 100.0f};
        const float slope = k < 6 ? kSlopes[size_t(k)] : tries.draw(0.1f, k < 10 ? 2.0f : 0.3f),
                    r = k < 6 ? kRadii[size_t(k)] : tries.draw_log(0.001f, 100.0f),
                    turns = k < 10 ? 0.0f : tries.draw(0.2f, 3.0f);
        LawWorld w(with_sleep(tries.options()));
        w.set_dt(step_for(tries.options(), r));
        const Quat tilt = glm::angleAxis(glm::radians(-slope), Vec3(0.0f, 0.0f, 1.0f));
        const Vec3 down = tilt * Vec3(1.0f, 0.0f, 0.0f);
        const double a = 5.0 / 7.0 * double(kG) * std::sin(double(slope) / kRadian);
        const float push = float(a) * turns;
        w.ground({.rotation = tilt, .friction = 0.6f});
        const Entity ball = w.sphere(r, {.position = tilt * Vec3(0.0f, r, 0.0f),
                                         .velocity = -push * down,
                                         .spin = {0.0f, 0.0f, push / r},
                                         .friction = 0.6f});
        w.run(4.0f);
        tries.add(fmt::format("r {:.2g} m, {:.2g} deg, turns after {:.1f} s", r, slope, turns), 1.0,
                  (double(glm::dot(w.velocity(ball), down)) + double(push)) / (a * double(w.time())), 0.02);
    }
}

/// Way over theory of boxes a little beyond the friction limit after two seconds, and speed gained in the last of them.
void slide_beyond_the_limit(LawTries& tries, bool speed) {
    for (int k = 0; k < 10; ++k) {
        constexpr std::array kSizes = {1.0f, 1.0f, 0.001f, 100.0f};
        const float beyond = k == 0  ? 0.5f
                             : k < 4 ? 0.1f
                                     : tries.draw(0.1f, 1.0f),
                    mu = k < 4 ? 0.6f : tries.draw(0.1f, 0.8f),
                    size = k < 4 ? kSizes[size_t(k)] : tries.draw_log(0.001f, 100.0f);
        const double angle = std::atan(double(mu)) + double(beyond) / kRadian;
        LawWorld w(with_sleep(tries.options()));
        w.set_dt(step_for(tries.options(), size));
        const Quat tilt = glm::angleAxis(-float(angle), Vec3(0.0f, 0.0f, 1.0f));
        const Vec3 down = tilt * Vec3(1.0f, 0.0f, 0.0f);
        w.ground({.rotation = tilt, .friction = mu});
        const Entity box = w.box(size * Vec3(0.5f, 0.2f, 0.5f),
                                 {.position = tilt * Vec3(0.0f, 0.2f * size, 0.0f), .rotation = tilt, .friction = mu});
        const Vec3 start = w.position(box);
        w.run(1.0f);
        const double before = double(glm::dot(w.velocity(box), down)), from = double(w.time());
        w.run(1.0f);
        const double a = double(kG) * (std::sin(angle) - double(mu) * std::cos(angle)), t = double(w.time());
        const std::string name = fmt::format("{:.2g} m, mu {:.2f}, {:.2g} deg beyond", size, mu, beyond);
        if (speed)
            tries.add(name, 1.0, (double(glm::dot(w.velocity(box), down)) - before) / (a * (t - from)), 0.03);
        else
            tries.add(name, 1.0, double(glm::dot(w.position(box) - start, down)) / (0.5 * a * t * t), 0.03);
    }
}
void beyond_the_limit(LawTries& tries) { slide_beyond_the_limit(tries, false); }
void faster_beyond_the_limit(LawTries& tries) { slide_beyond_the_limit(tries, true); }

/// 1 when a stack at rest sleeps within three seconds.
void rest_sleeps(LawTries& tries) {
    for (int k = 0; k < 6; ++k) {
        const float size = k < 2 ? 1.0f : k == 2 ? 0.001f : k == 3 ? 100.0f : tries.draw_log(0.001f, 100.0f);
        LawWorld w(with_sleep(tries.options()));
        w.set_dt(step_for(tries.options(), size));
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

/// Share of a heap of balls, capsules and boxes in a pit that sleeps within some seconds of its size.
void piles_sleep(LawTries& tries) {
    for (int k = 0; k < 4; ++k) {
        const float size = k == 0 ? 1.0f : tries.draw_log(0.05f, 20.0f);
        LawWorld w(with_sleep(tries.options()));
        w.set_dt(step_for(tries.options(), size));
        w.ground({.friction = 0.6f});
        for (int side = 0; side < 4; ++side) {
            const Quat turn = glm::angleAxis(1.5707964f * float(side), Vec3(0.0f, 1.0f, 0.0f));
            w.box(size * Vec3(1.0f, 8.0f, 5.0f), {.type = BodyType::fixed,
                                                  .position = turn * (size * Vec3(4.0f, 8.0f, 0.0f)),
                                                  .rotation = turn,
                                                  .friction = 0.6f});
        }
        std::vector<Entity> bodies;
        for (int i = 0; i < 96; ++i) {
            const Vec3 at(1.4f * float(i % 4) - 2.0f, 1.0f + 1.4f * float(i / 16), 1.4f * float(i / 4 % 4) - 2.1f);
            const LawBody body{
                .position = size * (at + 0.1f * Vec3(tries.draw(-1.0f, 1.0f), 0.0f, tries.draw(-1.0f, 1.0f))),
                .rotation = glm::normalize(
                    Quat(1.0f, tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f), tries.draw(-1.0f, 1.0f))),
                .friction = 0.6f};
            bodies.push_back(i % 3 == 0   ? w.sphere(0.5f * size, body)
                             : i % 3 == 1 ? w.capsule(0.35f * size, 0.35f * size, body)
                                          : w.box(size * Vec3(0.5f, 0.4f, 0.3f), body));
        }
        w.run(30.0f * std::max(1.0f, std::sqrt(size)));
        int asleep = 0;
        for (const Entity body : bodies) asleep += w.world().is_asleep(body);
        tries.add(fmt::format("{} bodies of {:.2g} m", bodies.size(), size), 1.0,
                  double(asleep) / double(bodies.size()), 0.0);
    }
}

constexpr std::array kLaws = {
    Law{"gentle_slopes", "A ball on the gentlest slope rolls, asleep or not", "of its speed", gentle_slopes},
    Law{"beyond_the_limit", "A box a little beyond the limit of friction slides", "of its way", beyond_the_limit},
    Law{"faster_beyond_the_limit", "A box a little beyond the limit of friction gets faster", "of its acceleration",
        faster_beyond_the_limit},
    Law{"rest_sleeps", "A stack at rest sleeps", "asleep", rest_sleeps},
    Law{"piles_sleep", "A heap of balls, capsules and boxes sleeps", "asleep", piles_sleep},
};

}  // namespace

std::span<const Law> sleep_laws() { return kLaws; }

}  // namespace proxima::samples
