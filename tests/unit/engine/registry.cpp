// SPDX-License-Identifier: MIT
// What the engine expects of an entity registry. Every sentence holds for EnTT and for the subset in third_party/.
#include <doctest/doctest.h>

#include <cstdint>
#include <entt/entt.hpp>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

struct Position {
    int x = 0;
    int y = 0;
};
struct Speed {
    float value = 0.0f;
};
struct Frozen {};  // a tag
struct Name {
    std::string text;
};
struct Counted {
    explicit Counted(int& alive) : alive_(&alive) { ++*alive_; }
    Counted(Counted&& other) noexcept : alive_(std::exchange(other.alive_, nullptr)) {}
    Counted& operator=(Counted&& other) noexcept {
        if (alive_) --*alive_;
        alive_ = std::exchange(other.alive_, nullptr);
        return *this;
    }
    ~Counted() {
        if (alive_) --*alive_;
    }
    int* alive_;
};

entt::entity id(uint32_t index, uint16_t version = 0) {
    return entt::entt_traits<entt::entity>::construct(index, version);
}

using Entities = std::vector<entt::entity>;

template <class Range>
Entities collect(const Range& range) {
    Entities found;
    for (const entt::entity e : range) found.push_back(e);
    return found;
}

// The entities of a storage in dense order, which is the order that snapshots keep.
Entities dense(const entt::sparse_set& set) { return Entities(set.data(), set.data() + set.size()); }

struct Listener {
    std::vector<std::pair<char, entt::entity>> heard;
    void construct(entt::registry&, entt::entity e) { heard.emplace_back('c', e); }
    void update(entt::registry&, entt::entity e) { heard.emplace_back('u', e); }
    void destroy(entt::registry&, entt::entity e) { heard.emplace_back('d', e); }
};
using Heard = std::vector<std::pair<char, entt::entity>>;

std::vector<int> free_calls;
void first_free(entt::registry&, entt::entity) { free_calls.push_back(1); }
void second_free(entt::registry&, entt::entity) { free_calls.push_back(2); }
void third_free(entt::registry&, entt::entity) { free_calls.push_back(3); }
void check_alive(entt::registry& registry, entt::entity e) {
    free_calls.push_back(registry.valid(e) && registry.all_of<Position>(e) ? registry.get<Position>(e).x : -1);
}

}  // namespace

// ---- identifiers

TEST_CASE("an entity is twenty bits of index and twelve of version") {
    const entt::entity e{0xABC12345u};
    CHECK(entt::to_integral(e) == 0xABC12345u);
    CHECK(entt::to_entity(e) == 0x12345u);
    CHECK(entt::to_version(e) == 0xABCu);
    CHECK(id(0x12345u, 0xABC) == e);
}

TEST_CASE("null is told by the index and tombstone by the version") {
    const entt::entity none = entt::null;
    CHECK(entt::to_integral(none) == 0xFFFFFFFFu);
    CHECK((none == entt::null));
    CHECK((entt::entity{0x000FFFFFu} == entt::null));
    CHECK((entt::null != entt::entity{0xFFF00000u}));
    CHECK((entt::entity{0xFFF00000u} == entt::tombstone));
    CHECK((entt::entity{0x000FFFFFu} != entt::tombstone));
    entt::registry registry;
    CHECK_FALSE(registry.valid(entt::null));
    CHECK_FALSE(registry.valid(entt::tombstone));
}

TEST_CASE("new entities count up from zero") {
    entt::registry registry;
    for (uint32_t i = 0; i < 5000; ++i) REQUIRE(registry.create() == id(i));
    CHECK(registry.valid(id(4999)));
    CHECK_FALSE(registry.valid(id(5000)));
    CHECK_FALSE(registry.valid(id(4999, 1)));
}

TEST_CASE("the entity destroyed last is recycled first, one version up") {
    entt::registry registry;
    for (int i = 0; i < 5; ++i) (void)registry.create();
    CHECK(registry.destroy(id(1)) == 1);
    CHECK(registry.destroy(id(3)) == 1);
    CHECK_FALSE(registry.valid(id(1)));
    CHECK_FALSE(registry.valid(id(1, 1)));
    CHECK(registry.current(id(1)) == 1);
    CHECK(registry.current(id(2)) == 0);
    CHECK(registry.current(id(9)) == 0xFFF);
    CHECK(registry.create() == id(3, 1));
    CHECK(registry.create() == id(1, 1));
    CHECK(registry.create() == id(5));
    CHECK(registry.valid(id(1, 1)));
    CHECK_FALSE(registry.valid(id(1)));
}

TEST_CASE("the identifier storage keeps the living in front and the waiting behind") {
    entt::registry registry;
    for (int i = 0; i < 4; ++i) (void)registry.create();
    registry.destroy(id(0));
    CHECK(dense(registry.storage<entt::entity>()) == Entities{id(3), id(1), id(2), id(0, 1)});
    CHECK(registry.storage<entt::entity>().free_list() == 3);
    registry.destroy(id(1));
    CHECK(dense(registry.storage<entt::entity>()) == Entities{id(3), id(2), id(1, 1), id(0, 1)});
    CHECK(registry.storage<entt::entity>().free_list() == 2);
    CHECK(registry.create() == id(1, 1));
    CHECK(collect(registry.view<entt::entity>()) == Entities{id(1, 1), id(2), id(3)});
    CHECK(registry.view<entt::entity>().size() == 3);
    Entities living;
    for (auto [e] : registry.storage<entt::entity>().each()) living.push_back(e);
    CHECK(living == Entities{id(1, 1), id(2), id(3)});
}

TEST_CASE("versions wrap around and never reach the tombstone") {
    entt::registry registry;
    entt::entity e = registry.create();
    for (int i = 0; i < 0xFFE; ++i) {
        registry.destroy(e);
        e = registry.create();
    }
    CHECK(e == id(0, 0xFFE));
    registry.destroy(e);
    CHECK(registry.create() == id(0, 0));
}

TEST_CASE("a hint is followed exactly when its index is not alive") {
    entt::registry registry;
    CHECK(registry.create(id(3, 7)) == id(3, 7));
    CHECK(registry.create(id(3, 9)) == id(0));  // 3 is alive
    CHECK(registry.create() == id(1));
    CHECK(registry.create() == id(2));
    CHECK(registry.create() == id(4));  // steps over 3
    registry.destroy(id(1));
    registry.destroy(id(2));
    CHECK(registry.create(id(1, 5)) == id(1, 5));  // waiting, and not the next in line
    CHECK(registry.create() == id(2, 1));
    CHECK(registry.create(entt::null) == id(5));
    CHECK(registry.create(entt::tombstone) == id(6));
}

TEST_CASE("clearing the registry destroys everyone and keeps the identifiers for recycling") {
    entt::registry registry;
    for (int i = 0; i < 3; ++i) registry.emplace<Position>(registry.create(), i, i);
    registry.clear();
    CHECK(registry.storage<entt::entity>().free_list() == 0);
    CHECK(registry.storage<Position>().empty());
    CHECK_FALSE(registry.valid(id(1)));
    CHECK(registry.create() == id(0, 1));
    CHECK(registry.create() == id(1, 1));
    CHECK(registry.create() == id(2, 1));
    CHECK(registry.create() == id(3));
}

TEST_CASE("identifiers, versions and the order of recycling can be read out and put back") {
    entt::registry registry;
    for (int i = 0; i < 6; ++i) (void)registry.create();
    registry.destroy(id(4));
    registry.destroy(id(1));
    registry.destroy(registry.create());
    const Entities saved = dense(registry.storage<entt::entity>());
    const std::size_t living = registry.storage<entt::entity>().free_list();

    entt::registry copy;
    (void)copy.create();  // something that has to go
    copy.clear();
    auto& identifiers = copy.storage<entt::entity>();
    identifiers.clear();
    for (const entt::entity e : saved) CHECK(identifiers.generate(e) == e);
    identifiers.free_list(living);
    identifiers.start_from(id(0));
    CHECK(dense(identifiers) == saved);
    CHECK_FALSE(copy.valid(id(1, 2)));
    for (int i = 0; i < 4; ++i) CHECK(copy.create() == registry.create());
}

// ---- components

TEST_CASE("components are made, read, changed and removed") {
    entt::registry registry;
    const entt::entity e = registry.create();
    CHECK(registry.try_get<Position>(e) == nullptr);
    Position& made = registry.emplace<Position>(e, 1, 2);
    CHECK(&registry.get<Position>(e) == &made);
    CHECK(registry.try_get<Position>(e) == &made);
    CHECK(made.y == 2);
    CHECK(registry.replace<Position>(e, 3, 4).x == 3);
    CHECK(registry
              .patch<Position>(
                  e, [](Position& p) { p.x += 10; }, [](Position& p) { p.y += 1; })
              .x == 13);
    CHECK(made.y == 5);
    CHECK(registry.emplace_or_replace<Position>(e, 7, 8).x == 7);
    CHECK(registry.emplace_or_replace<Speed>(e, 2.5f).value == 2.5f);
    CHECK(registry.get_or_emplace<Speed>(e, 9.0f).value == 2.5f);
    CHECK(registry.get_or_emplace<Name>(e, "body").text == "body");
    CHECK(registry.all_of<Position, Speed, Name>(e));
    CHECK_FALSE(registry.all_of<Position, Frozen>(e));
    CHECK(registry.any_of<Frozen, Speed>(e));
    CHECK(registry.remove<Position, Frozen>(e) == 1);
    CHECK(registry.remove<Position>(e) == 0);
    registry.erase<Speed, Name>(e);
    CHECK_FALSE(registry.any_of<Position, Speed, Name>(e));
}

TEST_CASE("several components come as a tuple of references") {
    entt::registry registry;
    const entt::entity e = registry.create();
    registry.emplace<Position>(e, 1, 2);
    registry.emplace<Speed>(e, 3.0f);
    auto [position, speed] = registry.get<Position, const Speed>(e);
    position.x = 5;
    CHECK(registry.get<Position>(e).x == 5);
    CHECK(speed.value == 3.0f);
    auto [found, missing] = registry.try_get<Position, Name>(e);
    CHECK(found->x == 5);
    CHECK(missing == nullptr);
    const entt::registry& reader = registry;
    CHECK(std::get<0>(reader.get<Position, Speed>(e)).x == 5);
    CHECK(std::is_same_v<decltype(reader.get<Position>(e)), const Position&>);
}

TEST_CASE("a tag takes part in everything but has no value") {
    entt::registry registry;
    const entt::entity e = registry.create();
    registry.emplace<Frozen>(e);
    registry.emplace_or_replace<Frozen>(e);
    registry.emplace<Position>(e, 4, 5);
    CHECK(registry.all_of<Frozen>(e));
    int visits = 0;
    for (auto [entity, position] : registry.view<Frozen, Position>().each()) visits += entity == e && position.x == 4;
    registry.view<Frozen, Position>().each([&](Position& position) { visits += position.y == 5; });
    registry.view<Frozen>().each([&] { ++visits; });
    CHECK(visits == 3);
    registry.clear<Frozen>();
    CHECK(registry.storage<Frozen>().empty());
    CHECK(registry.all_of<Position>(e));
}

TEST_CASE("a removed component is replaced by the last one") {
    entt::registry registry;
    for (int i = 0; i < 5; ++i) registry.emplace<Position>(registry.create(), i, 0);
    registry.erase<Position>(id(1));
    auto& positions = registry.storage<Position>();
    CHECK(dense(positions) == Entities{id(0), id(4), id(2), id(3)});
    CHECK(positions.index(id(4)) == 1);
    CHECK(positions.get(id(4)).x == 4);
    CHECK_FALSE(positions.contains(id(1)));
    registry.emplace<Position>(id(1), 11, 0);
    registry.erase<Position>(id(1));  // the last itself
    CHECK(dense(positions) == Entities{id(0), id(4), id(2), id(3)});
}

TEST_CASE("iteration runs from the newest to the oldest") {
    entt::registry registry;
    for (int i = 0; i < 4; ++i) registry.emplace<Position>(registry.create(), i, 0);
    auto& positions = registry.storage<Position>();
    std::vector<int> forward, backward;
    for (const Position& p : positions) forward.push_back(p.x);
    for (auto it = positions.rbegin(); it != positions.rend(); ++it) backward.push_back(it->x);
    CHECK(forward == std::vector<int>{3, 2, 1, 0});
    CHECK(backward == std::vector<int>{0, 1, 2, 3});
    CHECK(collect(static_cast<const entt::sparse_set&>(positions)) == Entities{id(3), id(2), id(1), id(0)});
    CHECK(collect(registry.view<Position>()) == Entities{id(3), id(2), id(1), id(0)});
    CHECK(positions.begin()[1].x == 2);
    CHECK(positions.end() - positions.begin() == 4);
    CHECK(positions.size() == 4);
    CHECK(positions.data()[0] == id(0));
    CHECK(positions[0] == id(0));
}

TEST_CASE("adding components never moves those that exist") {
    entt::registry registry;
    const entt::entity first = registry.create();
    const Position* address = &registry.emplace<Position>(first, 42, 0);
    for (int i = 0; i < 10000; ++i) registry.emplace<Position>(registry.create(), i, 0);
    CHECK(&registry.get<Position>(first) == address);
    CHECK(address->x == 42);
    registry.storage<Position>().reserve(20000);
    CHECK(&registry.get<Position>(first) == address);
    CHECK(registry.get<Position>(id(10000)).x == 9999);
}

TEST_CASE("storages say how much they hold room for, and keep it when entities go") {
    entt::registry registry;
    CHECK(registry.storage<Position>().capacity() == 0);
    CHECK(registry.storage<Position>().extent() == 0);
    for (int i = 0; i < 5000; ++i) registry.emplace<Position>(registry.create(), i, 0);
    const auto& storage = registry.storage<Position>();
    const size_t capacity = storage.capacity(), extent = storage.extent();
    CHECK(capacity >= 5000);
    CHECK(extent >= 5000);
    CHECK(storage.entt::sparse_set::capacity() >= 5000);
    registry.clear<Position>();
    CHECK(storage.capacity() == capacity);
    CHECK(storage.extent() == extent);
    for (int i = 0; i < 5000; ++i) registry.emplace<Position>(id(uint32_t(i)), i, 0);
    CHECK(storage.capacity() == capacity);
    CHECK(storage.extent() == extent);
}

TEST_CASE("values are destroyed exactly once") {
    int alive = 0;
    {
        entt::registry registry;
        for (int i = 0; i < 8; ++i) registry.emplace<Counted>(registry.create(), alive);
        CHECK(alive == 8);
        registry.erase<Counted>(id(2));
        registry.destroy(id(7));
        CHECK(alive == 6);
        registry.clear<Counted>();
        CHECK(alive == 0);
        registry.emplace<Counted>(id(0), alive);
        registry.ctx().emplace<Counted>(alive);
        CHECK(alive == 2);
    }
    CHECK(alive == 0);
}

TEST_CASE("components may own memory") {
    entt::registry registry;
    for (int i = 0; i < 100; ++i)
        registry.emplace<Name>(registry.create(), "a name too long for the small buffer " + std::to_string(i));
    for (uint32_t i = 0; i < 100; i += 3) registry.destroy(id(i));
    for (auto [e, name] : registry.view<Name>().each())
        CHECK(name.text == "a name too long for the small buffer " + std::to_string(entt::to_entity(e)));
    CHECK(registry.view<Name>().size() == 66);
}

TEST_CASE("a storage that was never made is no storage on a const registry") {
    entt::registry registry;
    const entt::registry& reader = registry;
    const entt::entity e = registry.create();
    CHECK(reader.storage<Position>() == nullptr);
    CHECK_FALSE(reader.all_of<Position>(e));
    CHECK(reader.try_get<Position>(e) == nullptr);
    CHECK(reader.view<Position>().empty());
    CHECK(collect(reader.view<Position, Speed>()).empty());
    registry.emplace<Speed>(e, 1.0f);
    CHECK(collect(reader.view<Speed>(entt::exclude<Position>)) == Entities{e});
    CHECK(reader.storage<Speed>()->size() == 1);
    CHECK(reader.storage<entt::entity>()->free_list() == 1);
}

// ---- views

TEST_CASE("a view finds the entities with all of some components and none of others") {
    entt::registry registry;
    for (int i = 0; i < 12; ++i) {
        const entt::entity e = registry.create();
        registry.emplace<Position>(e, i, 0);
        if (i % 2 == 0) registry.emplace<Speed>(e, float(i));
        if (i % 3 == 0) registry.emplace<Frozen>(e);
    }
    CHECK(collect(registry.view<Position, Speed>()) == Entities{id(10), id(8), id(6), id(4), id(2), id(0)});
    CHECK(collect(registry.view<Position, Speed>(entt::exclude<Frozen>)) == Entities{id(10), id(8), id(4), id(2)});
    CHECK(collect(registry.view<Position>(entt::exclude<Speed, Frozen>)) == Entities{id(11), id(7), id(5), id(1)});
    const auto view = registry.view<Position, const Speed>(entt::exclude<Frozen>);
    CHECK(view.contains(id(4)));
    CHECK_FALSE(view.contains(id(6)));
    CHECK_FALSE(view.contains(id(5)));
    CHECK(view.size_hint() == 6);
    CHECK(view.get<Position>(id(4)).x == 4);
    CHECK(std::is_same_v<decltype(view.get<const Speed>(id(4))), const Speed&>);
    CHECK(std::get<1>(view.get<Position, const Speed>(id(8))).value == 8.0f);
    CHECK(std::get<0>(view.get(id(8))).x == 8);
    CHECK(view.storage<Position>()->size() == 12);
}

TEST_CASE("a view is led by its smallest storage, and by the first of equally small ones") {
    entt::registry registry;
    for (int i = 0; i < 3; ++i) (void)registry.create();
    for (const uint32_t i : {0, 1, 2}) registry.emplace<Position>(id(i), int(i), 0);
    for (const uint32_t i : {2, 0, 1}) registry.emplace<Speed>(id(i), float(i));
    CHECK(collect(registry.view<Position, Speed>()) == Entities{id(2), id(1), id(0)});
    CHECK(collect(registry.view<Speed, Position>()) == Entities{id(1), id(0), id(2)});
    registry.erase<Speed>(id(0));
    CHECK(collect(registry.view<Position, Speed>()) == Entities{id(1), id(2)});
    auto view = registry.view<Position, Speed>();
    view.use<Position>();
    CHECK(collect(view) == Entities{id(2), id(1)});
}

TEST_CASE("each calls with the entity or without it, and gives a range of tuples") {
    entt::registry registry;
    for (int i = 0; i < 3; ++i) {
        const entt::entity e = registry.create();
        registry.emplace<Position>(e, i, 0);
        registry.emplace<Speed>(e, 2.0f);
    }
    registry.view<Position>().each([](Position& p) { p.y += 1; });
    registry.view<Position, const Speed>().each([](Position& p, const Speed& s) { p.y += int(s.value); });
    registry.view<Position>().each([](entt::entity e, Position& p) { p.y += 10 * int(entt::to_entity(e)); });
    registry.view<Position, Speed>().each([](entt::entity, Position& p, Speed&) { p.y += 100; });
    for (auto [e, position] : registry.view<Position>().each()) position.y += 1000;
    for (auto [e, position, speed] : registry.view<Position, Speed>().each()) position.y += int(speed.value) * 5000;
    for (auto [e, position] : registry.storage<Position>().each()) position.y += 100000;
    std::vector<int> values;
    for (const auto [e, position] : std::as_const(registry).view<Position>().each()) values.push_back(position.y);
    CHECK(values == std::vector<int>{111123, 111113, 111103});
}

TEST_CASE("the entity at hand may be destroyed while iterating, and new ones are not visited") {
    entt::registry registry;
    for (int i = 0; i < 6; ++i) {
        const entt::entity e = registry.create();
        registry.emplace<Position>(e, i, 0);
        registry.emplace<Speed>(e, 0.0f);
    }
    std::vector<int> visited;
    for (const entt::entity e : registry.view<Position, Speed>()) {
        visited.push_back(registry.get<Position>(e).x);
        if (visited.back() % 2 == 0) registry.destroy(e);
        if (visited.back() == 5) {
            const entt::entity extra = registry.create();
            registry.emplace<Position>(extra, 99, 0);
            registry.emplace<Speed>(extra, 0.0f);
        }
    }
    CHECK(visited == std::vector<int>{5, 4, 3, 2, 1, 0});
    CHECK(registry.view<Position>().size() == 4);
    for (auto [e, position] : registry.view<Position>().each()) registry.destroy(e);
    CHECK(registry.view<Position>().empty());
}

// ---- signals

TEST_CASE("listeners hear of construction, change and destruction") {
    entt::registry registry;
    Listener listener;
    registry.on_construct<Position>().connect<&Listener::construct>(listener);
    registry.on_update<Position>().connect<&Listener::update>(listener);
    registry.on_destroy<Position>().connect<&Listener::destroy>(listener);
    const entt::entity e = registry.create();
    registry.emplace<Position>(e, 1, 2);
    registry.patch<Position>(e, [](Position& p) { p.x = 3; });
    registry.replace<Position>(e, 4, 5);
    registry.emplace_or_replace<Position>(e, 6, 7);
    registry.get<Position>(e).x = 8;  // nobody can hear this
    registry.remove<Position>(e);
    registry.emplace_or_replace<Position>(e, 6, 7);
    registry.destroy(e);
    CHECK(listener.heard == Heard{{'c', e}, {'u', e}, {'u', e}, {'u', e}, {'d', e}, {'c', e}, {'d', e}});
    registry.on_construct<Position>().disconnect<&Listener::construct>(listener);
    registry.on_destroy<Position>().disconnect(&listener);
    listener.heard.clear();
    registry.emplace<Position>(registry.create());
    registry.clear();
    CHECK(listener.heard.empty());
    CHECK(registry.on_destroy<Position>().empty());
    CHECK_FALSE(registry.on_update<Position>().empty());
}

TEST_CASE("a listener finds the component in place when it is made and still in place when it goes") {
    entt::registry registry;
    free_calls.clear();
    registry.on_construct<Position>().connect<&check_alive>();
    registry.on_destroy<Position>().connect<&check_alive>();
    const entt::entity e = registry.create();
    registry.emplace<Position>(e, 7, 0);
    registry.get<Position>(e).x = 8;
    registry.destroy(e);
    CHECK(free_calls == std::vector<int>{7, 8});
}

TEST_CASE("listeners are called from the one connected last to the first, and each is connected once") {
    entt::registry registry;
    free_calls.clear();
    auto sink = registry.on_construct<Position>();
    sink.connect<&first_free>();
    sink.connect<&second_free>();
    sink.connect<&third_free>();
    registry.emplace<Position>(registry.create());
    CHECK(free_calls == std::vector<int>{3, 2, 1});
    free_calls.clear();
    sink.disconnect<&first_free>();  // the last takes its place
    registry.emplace<Position>(registry.create());
    CHECK(free_calls == std::vector<int>{2, 3});
    free_calls.clear();
    sink.connect<&third_free>();
    registry.emplace<Position>(registry.create());
    CHECK(free_calls == std::vector<int>{3, 2});
    free_calls.clear();
    sink.disconnect();
    registry.emplace<Position>(registry.create());
    CHECK(free_calls.empty());
}

TEST_CASE("destruction is heard from the newest storage to the oldest") {
    entt::registry registry;
    Listener listener;
    free_calls.clear();
    registry.on_destroy<Position>().connect<&first_free>();
    registry.on_destroy<Speed>().connect<&second_free>();
    registry.on_destroy<Frozen>().connect<&third_free>();
    registry.on_destroy<entt::entity>().connect<&Listener::destroy>(&listener);
    const entt::entity e = registry.create();
    registry.emplace<Frozen>(e);
    registry.emplace<Position>(e);
    registry.emplace<Speed>(e);
    registry.destroy(e);
    CHECK(free_calls == std::vector<int>{3, 2, 1});
    CHECK(listener.heard == Heard{{'d', e}});
}

TEST_CASE("clearing a storage is heard for every entity, from the newest to the oldest") {
    entt::registry registry;
    Listener listener;
    registry.on_destroy<Position>().connect<&Listener::destroy>(listener);
    for (int i = 0; i < 3; ++i) registry.emplace<Position>(registry.create());
    registry.clear<Position>();
    CHECK(listener.heard == Heard{{'d', id(2)}, {'d', id(1)}, {'d', id(0)}});
    CHECK(registry.valid(id(0)));
    CHECK(registry.storage<Position>().empty());
}

// ---- context

TEST_CASE("the context keeps one object per type at a fixed address") {
    entt::registry registry;
    CHECK(registry.ctx().find<Name>() == nullptr);
    Name& name = registry.ctx().emplace<Name>("first");
    CHECK(&registry.ctx().emplace<Name>("second") == &name);
    CHECK(registry.ctx().get<Name>().text == "first");
    CHECK(registry.ctx().insert_or_assign(Name{"third"}).text == "third");
    registry.ctx().emplace<Position>(1, 2);
    registry.ctx().emplace<Speed>(3.0f);
    CHECK(std::as_const(registry).ctx().get<Position>().y == 2);
    CHECK(std::as_const(registry).ctx().find<Speed>()->value == 3.0f);
    CHECK(registry.ctx().contains<Position>());
    CHECK(registry.ctx().erase<Position>());
    CHECK_FALSE(registry.ctx().erase<Position>());
    CHECK_FALSE(registry.ctx().contains<Position>());
    registry.clear();
    CHECK(registry.ctx().get<Name>().text == "third");
}

// ---- all together

TEST_CASE("a long random life leads to the same identifiers and orders with every registry") {
    // The literal at the end was computed with EnTT; the hash covers every order that a program could observe.
    entt::registry registry;
    Listener listener;
    registry.on_construct<Speed>().connect<&Listener::construct>(listener);
    registry.on_update<Speed>().connect<&Listener::update>(listener);
    registry.on_destroy<Speed>().connect<&Listener::destroy>(listener);
    uint64_t hash = 14695981039346656037u;
    const auto add = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
    uint32_t state = 2024;
    const auto random = [&](uint32_t below) {
        state = state * 1664525u + 1013904223u;
        return (state >> 16) % below;
    };
    for (int i = 0; i < 20000; ++i) {
        const auto& all = registry.storage<entt::entity>();
        const uint32_t action = random(10);
        if (all.free_list() < 5 || action == 0) {
            add(entt::to_integral(registry.create()));
            continue;
        }
        const entt::entity e = all.data()[random(uint32_t(all.free_list()))];
        switch (action) {
            case 1:
                add(registry.destroy(e));
                break;
            case 2:
                registry.emplace_or_replace<Position>(e, i, 0);
                break;
            case 3:
                registry.emplace_or_replace<Speed>(e, float(i));
                break;
            case 4:
                registry.emplace_or_replace<Frozen>(e);
                break;
            case 5:
                add(registry.remove<Position, Frozen>(e));
                break;
            case 6:
                registry.remove<Speed>(e);
                break;
            case 7: {
                const uint32_t index = random(500);
                add(entt::to_integral(registry.create(id(index, uint16_t(i % 9)))));
                break;
            }
            case 8:
                if (random(200) == 0) registry.clear();
                break;
            default:
                if (random(50) == 0) registry.clear<Speed>();
                break;
        }
        if (i % 97 != 0) continue;
        for (const entt::entity listed : dense(all)) add(entt::to_integral(listed));
        for (auto [found, position] : registry.view<Position>(entt::exclude<Frozen>).each())
            add(entt::to_integral(found) + uint64_t(position.x));
        for (auto [found, speed, position] : registry.view<Speed, Position>().each())
            add(entt::to_integral(found) + uint64_t(speed.value) + uint64_t(position.x));
        for (const entt::entity found : registry.view<Frozen, Speed>()) add(entt::to_integral(found));
    }
    for (const auto& [kind, e] : listener.heard) add(uint64_t(kind) + entt::to_integral(e));
    CHECK(listener.heard.size() == 3706);
    CHECK(hash == 14582199370487224775u);
}

TEST_CASE("an entity without components is an orphan, and the registry lists who has what") {
    entt::registry registry;
    const entt::entity bare = registry.create(), both = registry.create();
    registry.emplace<int>(both, 1);
    registry.emplace<float>(both, 2.0f);
    CHECK(registry.orphan(bare));
    CHECK_FALSE(registry.orphan(both));
    int storages = 0;
    for (const auto& [number, storage] : std::as_const(registry).storage()) storages += storage.contains(both);
    CHECK(storages == 2);
    registry.remove<int, float>(both);
    CHECK(registry.orphan(both));
}
