// SPDX-License-Identifier: MIT
#include "engine/ecs/component_cursor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace proxima;
using namespace proxima::engine;

namespace {
struct Number {
    int value = 0;
};
}  // namespace

TEST_CASE("a cursor finds each entity's own component, in the order of the storage or in any other") {
    entt::registry registry;
    std::vector<Entity> entities;
    for (int i = 0; i < 3000; ++i) {  // more than a page
        entities.push_back(registry.create());
        if (i % 3 != 1) registry.emplace<Number>(entities.back(), Number{i});
    }
    // Holes are filled with the last ones, so the storage is in no order any more.
    for (int i = 0; i < 3000; i += 30) registry.remove<Number>(entities[size_t(i)]);
    std::vector<int> numbers;
    for (int i = 0; i < 3000; ++i)
        if (registry.all_of<Number>(entities[size_t(i)])) numbers.push_back(i);
    REQUIRE(numbers.size() == 1900);

    const auto check = [&] {
        ComponentCursor<Number> number_of(registry.storage<Number>());
        for (const int i : numbers) REQUIRE(number_of(entities[size_t(i)]).value == i);
    };
    check();
    std::reverse(numbers.begin(), numbers.end());
    check();
    for (size_t i = 0; i + 7 < numbers.size(); i += 3) std::swap(numbers[i], numbers[i + 7]);
    check();
}

TEST_CASE("what is written through a cursor is in the registry, also when an entity is asked for twice") {
    entt::registry registry;
    const Entity a = registry.create(), b = registry.create();
    registry.emplace<Number>(a);
    registry.emplace<Number>(b);
    ComponentCursor<Number> number_of(registry.storage<Number>());
    number_of(b).value = 2;
    number_of(b).value += 3;
    number_of(a).value = 1;
    CHECK(registry.get<Number>(a).value == 1);
    CHECK(registry.get<Number>(b).value == 5);
}
