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

TEST_CASE("a watch names what is another than it was, and takes over single ones") {
    for (const int count : {1, 5, 1024, 2600}) {
        CAPTURE(count);
        const auto jobs = make_serial_jobs();
        entt::registry registry;
        std::vector<Entity> entities;
        for (int i = 0; i < count; ++i) {
            entities.push_back(registry.create());
            registry.emplace<Number>(entities.back(), Number{float(i)});
        }
        auto& storage = registry.storage<Number>();
        ComponentWatch<Number> watch;
        std::vector<Entity> others;
        const auto look = [&] {
            others.clear();
            return watch.for_each_other(storage, [&](Entity e) { others.push_back(e); });
        };
        CHECK_FALSE(look());  // nothing was remembered
        watch.remember(storage);
        CHECK(look());
        CHECK(others.empty());
        const std::vector<Entity> written{entities.front(), entities[size_t(count) / 2], entities.back()};
        for (const Entity e : written) registry.get<Number>(e).value += 0.5f;
        CHECK(look());
        for (const Entity e : written) {
            CHECK(std::find(others.begin(), others.end(), e) != others.end());
            watch.update(storage, e);
        }
        CHECK(others.size() == size_t(std::min(count, 3)));
        CHECK(look());
        CHECK(others.empty());
        CHECK(are_unchanged(registry, *jobs, watch));
        registry.emplace<Number>(registry.create());
        CHECK_FALSE(look());  // another storage
        CHECK(others.empty());
    }
}
