// SPDX-License-Identifier: MIT
#include "engine/ecs/component_watch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace proxima;
using namespace proxima::engine;

namespace {
struct Number {
    float value = 0.0f;
};
struct Word {
    uint32_t letters[5] = {};
};
}  // namespace

TEST_CASE("a watch notices every write, in any place of any page, and nothing else") {
    const auto jobs = make_serial_jobs();
    for (const int count : {1, 2, 1023, 1024, 1025, 2600}) {
        CAPTURE(count);
        entt::registry registry;
        std::vector<Entity> entities;
        for (int i = 0; i < count; ++i) {
            entities.push_back(registry.create());
            registry.emplace<Number>(entities.back(), Number{float(i)});
            if (i % 2 == 0) registry.emplace<Word>(entities.back());
        }
        ComponentWatch<Number> numbers;
        ComponentWatch<Word> words;
        const auto unchanged = [&] { return are_unchanged(registry, *jobs, numbers, words); };
        const auto remember = [&] {
            numbers.remember(registry.storage<Number>());
            words.remember(registry.storage<Word>());
        };
        CHECK_FALSE(unchanged());  // nothing was remembered
        remember();
        CHECK(unchanged());
        for (int i = 0; i < count; i += std::max(1, count / 7)) {
            Number& number = registry.get<Number>(entities[size_t(i)]);
            const float before = number.value;
            number.value = std::nanf("");
            CHECK_FALSE(unchanged());
            remember();
            CHECK(unchanged());  // not a number is the same as itself
            number.value = before;
            CHECK_FALSE(unchanged());
            remember();
            if (i % 2 != 0) continue;
            registry.get<Word>(entities[size_t(i)]).letters[4] ^= 1;
            CHECK_FALSE(unchanged());
            remember();
        }
        CHECK(unchanged());
        numbers.forget();
        CHECK_FALSE(unchanged());
    }
}

TEST_CASE("a watch notices entities that came, went, or carry each other's components") {
    const auto jobs = make_serial_jobs();
    entt::registry registry;
    std::vector<Entity> entities;
    for (int i = 0; i < 40; ++i) {
        entities.push_back(registry.create());
        registry.emplace<Number>(entities.back(), Number{float(i / 2)});  // neighbours are alike
    }
    ComponentWatch<Number> numbers;
    const auto unchanged = [&] { return are_unchanged(registry, *jobs, numbers); };
    numbers.remember(registry.storage<Number>());
    REQUIRE(unchanged());
    registry.remove<Number>(entities[39]);
    CHECK_FALSE(unchanged());
    registry.emplace<Number>(entities[39], Number{19.0f});
    CHECK(unchanged());
    // The same bytes one after the other, of other entities.
    registry.remove<Number>(entities[39]);
    registry.remove<Number>(entities[38]);
    registry.emplace<Number>(entities[39], Number{19.0f});
    registry.emplace<Number>(entities[38], Number{19.0f});
    CHECK_FALSE(unchanged());
}
