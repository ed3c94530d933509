// SPDX-License-Identifier: MIT
#include "samples/bench/statistics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace proxima::bench;

TEST_CASE("the mean and the 99th percentile are those of the window") {
    std::vector<double> series(10, 1000.0);  // outside of the window
    for (int i = 1; i <= 101; ++i) series.push_back(double(102 - i));
    series.push_back(5000.0);
    const Summary s = summarise(series, {10, 111});
    CHECK(s.mean == doctest::Approx(51.0));
    CHECK(s.p99 == 100.0);  // 99 of the 100 steps between 1 and 101
}

TEST_CASE("a window that is empty or past the end gives zeros or what there is") {
    const std::vector<double> series = {3.0, 5.0};
    CHECK(summarise(series, {2, 10}).mean == 0.0);
    CHECK(summarise(series, {1, 1}).p99 == 0.0);
    CHECK(summarise(series, {1, 10}).mean == 5.0);
}

TEST_CASE("the per-step minimum takes each step from its fastest repeat") {
    const std::vector<std::vector<double>> series = {{5.0, 2.0, 7.0, 4.0}, {3.0, 6.0}, {4.0, 4.0, 1.0}};
    CHECK(per_step_minimum(series) == std::vector<double>{3.0, 2.0, 1.0, 4.0});
    CHECK(per_step_minimum({}).empty());
}

TEST_CASE("the median is the middle, or between the two in the middle") {
    CHECK(median({3.0, 1.0, 2.0}) == 2.0);
    CHECK(median({4.0, 1.0, 2.0, 3.0}) == 2.5);
    CHECK(median({}) == 0.0);
}

TEST_CASE("the growth exponent is the power that a curve grows with") {
    const std::vector<double> x = {1000.0, 2000.0, 8000.0, 64000.0};
    std::vector<double> linear, quadratic, flat;
    for (const double v : x) {
        linear.push_back(3.0 * v);
        quadratic.push_back(0.5 * v * v);
        flat.push_back(7.0);
    }
    CHECK(growth_exponent(x, linear) == doctest::Approx(1.0));
    CHECK(growth_exponent(x, quadratic) == doctest::Approx(2.0));
    CHECK(std::abs(growth_exponent(x, flat)) < 1e-12);
}

TEST_CASE("large scenes are timed up to step 720 and judged at their end") {
    const Windows pile = make_windows("pile4096", 1200, 600, 4096, 0);
    CHECK(pile.fall.begin == 0);
    CHECK(pile.fall.end == 240);
    CHECK(pile.settled.begin == 600);
    CHECK(pile.settled.end == 720);
    CHECK(pile.timed == 720);
    CHECK(pile.steps == 1200);
    const Windows wall = make_windows("pyramid60", 900, 300, 1830, 0);
    CHECK(wall.fall.end == 120);
    CHECK(wall.settled.begin == 300);
    CHECK(wall.settled.end == 720);
}

TEST_CASE("small scenes are timed to their end") {
    const Windows wall = make_windows("pyramid20", 900, 300, 210, 0);
    CHECK(wall.settled.end == 900);
    CHECK(wall.timed == wall.steps);
    const Windows arch = make_windows("arch25", 720, 120, 25, 0);
    CHECK(arch.fall.end == 60);
    CHECK(arch.settled.size() == 600);
}

TEST_CASE("a run that is too short to settle is settled in its second half") {
    const Windows w = make_windows("pile4096", 1200, 600, 4096, 100);
    CHECK(w.steps == 100);
    CHECK(w.timed == 100);
    CHECK(w.settled.begin == 50);
    CHECK(w.settled.end == 100);
    CHECK(w.fall.end == 50);
    const Windows one = make_windows("tower1", 1200, 600, 1, 1);
    CHECK(one.fall.size() == 1);
    CHECK(one.settled.size() == 1);
}
