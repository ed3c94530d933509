// SPDX-License-Identifier: MIT
// The laws of samples/laws that hold, each at all its parameters. Which do not is in physics/docs/laws.md.
#include "samples/laws/laws.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace proxima;
using namespace proxima::samples;

namespace {

void check_law(std::string_view name, const LawOptions& options) {
    const Law* law = find_law(name);
    REQUIRE_MESSAGE(law, std::string(name));
    const std::vector<LawPoint> points = run_law(*law, options);
    REQUIRE(!points.empty());
    for (const LawPoint& p : points) {
        CAPTURE(p.parameters);
        CAPTURE(p.expected);
        CAPTURE(p.measured);
        CHECK_MESSAGE(p.holds(), std::string(law->sentence));
    }
}

LawOptions options_with(bool sleeping, uint32_t seed) {
    LawOptions options;
    options.settings.sleeping = sleeping;
    options.seed = seed;
    return options;
}

}  // namespace

TEST_CASE("laws that hold, at other parameters in every round, with and without sleep") {
    for (const std::string_view name : {"braking", "rolling", "backspin", "rolling_threshold", "spinning_box", "seams",
                                        "tilings", "three_cylinders", "arch", "heavy_ball_turns", "free_spin",
                                        "middle_axis", "falling_row", "heavy_top", "heavy_at_rest", "elevator"})
        for (const uint32_t seed : {1u, 2u, 3u})
            for (const bool sleeping : {false, true}) {
                CAPTURE(name);
                CAPTURE(seed);
                CAPTURE(sleeping);
                check_law(name, options_with(sleeping, seed));
            }
}

TEST_CASE("belts carry what lies on them, with and without sleep, swept or solved by the laboratory") {
    for (const uint32_t seed : {1u, 2u, 3u})
        for (const bool sleeping : {false, true})
            for (const bool simd : {false, true}) {
                CAPTURE(seed);
                CAPTURE(sleeping);
                CAPTURE(simd);
                LawOptions options = options_with(sleeping, seed);
                options.settings.simd_kernels = simd;
                check_law("conveyor", options);
            }
}

TEST_CASE("laws that hold in motion, at other parameters in every round") {
    for (const std::string_view name : {"slope_threshold",
                                        "tilting_ramp",
                                        "tipping_on_ramp",
                                        "prism_on_ramp",
                                        "turntable",
                                        "turntable_drift",
                                        "accelerating_platform",
                                        "ladder",
                                        "oblique",
                                        "balls_meet",
                                        "faces_meet",
                                        "inelastic",
                                        "stopped_by_wall",
                                        "overlaps_part",
                                        "row_of_balls",
                                        "elastic_cloud",
                                        "elastic_tumble",
                                        "no_impact_before_contact",
                                        "free_fall",
                                        "cloud",
                                        "falling_block",
                                        "rocking_block",
                                        "towers",
                                        "piles",
                                        "heavy_dropped",
                                        "dominoes",
                                        "scaled_stacks",
                                        "overhang",
                                        "bounce",
                                        "finer_steps",
                                        "wedge"})
        for (const uint32_t seed : {1u, 2u, 3u}) {
            CAPTURE(name);
            CAPTURE(seed);
            check_law(name, options_with(false, seed));
        }
}

TEST_CASE("what gets faster does not sleep and stacks at rest do, whatever their size") {
    for (const std::string_view name : {"gentle_slopes", "faster_beyond_the_limit", "rest_sleeps"})
        for (const uint32_t seed : {1u, 2u, 3u}) {
            CAPTURE(name);
            CAPTURE(seed);
            check_law(name, options_with(true, seed));
        }
}

TEST_CASE("a law at the same seed gives the same numbers, and at another one others") {
    const Law* law = find_law("rolling");
    REQUIRE(law);
    const auto first = run_law(*law, options_with(false, 1)), again = run_law(*law, options_with(false, 1)),
               other = run_law(*law, options_with(false, 2));
    REQUIRE(first.size() == again.size());
    for (size_t k = 0; k < first.size(); ++k) CHECK(first[k].measured == again[k].measured);
    CHECK(first.back().parameters != other.back().parameters);
}

TEST_CASE("a try holds only when its number is one") {
    LawPoint point{"", 1.0, 1.0, 0.1};
    CHECK(point.holds());
    point.measured = 1.2;
    CHECK_FALSE(point.holds());
    point.measured = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(point.holds());
}
