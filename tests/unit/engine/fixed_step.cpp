// SPDX-License-Identifier: MIT
#include "engine/time/fixed_step.h"

#include <doctest/doctest.h>

#include <limits>

using namespace proxima;
using namespace proxima::engine;

TEST_CASE("a fixed step turns elapsed time into whole steps and a rest") {
    FixedStep clock;
    REQUIRE(clock.set_step_seconds(0.25).ok());
    CHECK(clock.advance(0.125).steps == 0);
    CHECK(clock.alpha() == 0.5f);
    const FrameSteps frame = clock.advance(0.6875);
    CHECK(frame.steps == 3);
    CHECK(frame.alpha == 0.25f);
    CHECK(frame.dropped_seconds == 0.0);
    CHECK(!frame.bad_input);
}

TEST_CASE("no time is lost or made over a long run of uneven frames") {
    FixedStep clock;
    REQUIRE(clock.set_step_seconds(1.0 / 60.0).ok());
    double fed = 0.0;
    uint64_t steps = 0;
    for (int i = 0; i < 100000; ++i) {
        const double elapsed = 0.001 * double(1 + i * 7919 % 40);
        fed += elapsed;
        const FrameSteps frame = clock.advance(elapsed);
        steps += frame.steps;
        REQUIRE(frame.alpha >= 0.0f);
        REQUIRE(frame.alpha < 1.0f);
        REQUIRE(frame.dropped_seconds == 0.0);
    }
    CHECK((double(steps) + double(clock.alpha())) / 60.0 == doctest::Approx(fed).epsilon(1e-9));
}

TEST_CASE("frames of exactly one step never stutter") {
    FixedStep clock;
    for (int i = 0; i < 1000; ++i) {
        const FrameSteps frame = clock.advance(FixedStep::kDefaultStep);
        REQUIRE(frame.steps == 1);
        REQUIRE(frame.alpha == 0.0f);
    }
}

TEST_CASE("steps slower than real time do not spiral") {
    FixedStep clock;
    REQUIRE(clock.set_step_seconds(0.01).ok());
    REQUIRE(clock.set_max_steps(4).ok());
    // Each step takes three times as long as the time it simulates.
    double elapsed = 0.01;
    for (int i = 0; i < 200; ++i) {
        const FrameSteps frame = clock.advance(elapsed);
        REQUIRE(frame.steps <= 4);
        elapsed = std::max(0.03 * frame.steps, 0.01);
    }
    CHECK(elapsed <= 0.12 + 1e-12);
    CHECK(clock.total_dropped_seconds() > 1.0);
    // The moment the load is gone, the pace is normal again: nothing has piled up.
    clock.advance(0.0);
    CHECK(clock.advance(0.0101).steps <= 2);
}

TEST_CASE("what is dropped is reported and the rest of a step is kept") {
    FixedStep clock;
    REQUIRE(clock.set_step_seconds(0.25).ok());
    REQUIRE(clock.set_max_steps(2).ok());
    const FrameSteps frame = clock.advance(2.125);
    CHECK(frame.steps == 2);
    CHECK(frame.dropped_seconds == 1.5);
    CHECK(frame.alpha == 0.5f);
    CHECK(clock.advance(0.5).dropped_seconds == 0.0);  // exactly the cap drops nothing
    CHECK(clock.total_dropped_seconds() == 1.5);
    clock.reset();
    CHECK(clock.total_dropped_seconds() == 0.0);
    CHECK(clock.alpha() == 0.0f);
}

TEST_CASE("impossible times count as zero and are reported") {
    FixedStep clock;
    clock.advance(0.01);
    const float alpha = clock.alpha();
    for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()}) {
        const FrameSteps frame = clock.advance(bad);
        CHECK(frame.bad_input);
        CHECK(frame.steps == 0);
        CHECK(frame.alpha == alpha);
    }
    CHECK(!clock.advance(-0.0).bad_input);
}

TEST_CASE("the largest time there is gives the cap and stays usable") {
    FixedStep clock;
    REQUIRE(clock.set_time_scale(1e10).ok());
    for (int i = 0; i < 3; ++i) {
        const FrameSteps frame = clock.advance(std::numeric_limits<double>::max());
        CHECK(frame.steps == FixedStep::kDefaultMaxSteps);
        CHECK(std::isfinite(frame.dropped_seconds));
        CHECK(frame.alpha >= 0.0f);
        CHECK(frame.alpha < 1.0f);
    }
    CHECK(std::isfinite(clock.total_dropped_seconds()));
    REQUIRE(clock.set_time_scale(1.0).ok());
    CHECK(clock.advance(FixedStep::kDefaultStep).steps <= 2);
}

TEST_CASE("alpha stays below one although its float would round up to it") {
    FixedStep clock;
    REQUIRE(clock.set_step_seconds(1.0).ok());
    CHECK(clock.advance(1.0 - 1e-12).steps == 0);
    CHECK(clock.alpha() < 1.0f);
    CHECK(clock.alpha() > 0.99f);
}

TEST_CASE("time scale slows, stops and speeds the simulation up") {
    FixedStep clock;
    REQUIRE(clock.set_step_seconds(0.25).ok());
    REQUIRE(clock.set_time_scale(0.5).ok());
    CHECK(clock.advance(1.0).steps == 2);
    REQUIRE(clock.set_time_scale(0.0).ok());
    CHECK(clock.advance(1.0).steps == 0);
    REQUIRE(clock.set_time_scale(2.0).ok());
    CHECK(clock.advance(0.5).steps == 4);
}

TEST_CASE("a paused clock ignores time") {
    FixedStep clock;
    REQUIRE(clock.set_step_seconds(0.25).ok());
    clock.advance(0.125);
    clock.set_paused(true);
    const FrameSteps frame = clock.advance(100.0);
    CHECK(frame.steps == 0);
    CHECK(frame.alpha == 0.5f);
    clock.set_paused(false);
    CHECK(clock.advance(0.125).steps == 1);
}

TEST_CASE("settings that make no sense are refused with a sentence and change nothing") {
    FixedStep clock;
    for (const double bad :
         {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        CHECK(clock.set_step_seconds(bad).error().find("fixed step") != std::string::npos);
    for (const double bad : {-0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        CHECK(clock.set_time_scale(bad).error().find("time scale") != std::string::npos);
    CHECK(!clock.set_max_steps(0).ok());
    CHECK(clock.step_seconds() == FixedStep::kDefaultStep);
    CHECK(clock.time_scale() == 1.0);
    CHECK(clock.max_steps() == FixedStep::kDefaultMaxSteps);
}
