// SPDX-License-Identifier: MIT
#include "engine/ecs/world.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/checksum.h"

using namespace proxima;
using namespace proxima::engine;

namespace {

struct Position {
    float x = 0.0f, y = 0.0f;
};
struct Padded {  // bytes between its members, and no default constructor
    Padded(char a_, double b_) : a(a_), b(b_) {}
    char a;
    double b;
};
struct Weight {
    float kg = 0.0f;
    uint32_t kind = 0;
};
struct Asleep {};  // a tag
struct Cache {     // not persisted
    int value = 0;
};

/// A resource whose bytes can be wrong: numbers must be below 100.
struct Counters final : StatePart {
    std::vector<uint32_t> numbers;
    void save(ByteWriter& out) const override { out.array(numbers); }
    Result<void> load(ByteReader& in) override {
        std::vector<uint32_t> read;
        if (!in.array(read)) return Error{"The counters are cut short."};
        numbers = read;  // takes it over before it looks: the world has to put it back
        for (const uint32_t n : numbers)
            if (n >= 100) return Error{"A counter is too large."};
        return {};
    }
};

struct TestWorld : World {
    Counters first, second;
    TestWorld() {
        persist<Position>("place");
        persist<Asleep>("asleep");
        persist<Weight>("weight");
        persist<Padded>("padded");
        add_part("first", first);
        add_part("second", second);
    }
    ~TestWorld() {
        remove_part(first);
        remove_part(second);
    }
};

Snapshot saved(const World& world) {
    Snapshot s;
    world.save(s);
    return s;
}

/// A life of random creations, destructions and component changes, the same for the same seed and state.
void live(TestWorld& world, uint32_t seed, int steps) {
    entt::registry& r = world.registry();
    uint32_t state = seed;
    const auto random = [&](uint32_t below) {
        state = state * 1664525u + 1013904223u;
        return (state >> 16) % below;
    };
    for (int i = 0; i < steps; ++i) {
        const auto& all = r.storage<Entity>();
        if (all.free_list() == 0 || random(3) == 0) {
            (void)r.create();
            continue;
        }
        const Entity e = all.data()[random(uint32_t(all.free_list()))];
        switch (random(7)) {
            case 0:
                r.destroy(e);
                break;
            case 1:
                r.emplace_or_replace<Position>(e, float(i), float(state & 0xFF));
                break;
            case 2:
                r.emplace_or_replace<Asleep>(e);
                break;
            case 3:
                r.emplace_or_replace<Weight>(e, float(i), uint32_t(i));
                break;
            case 4:
                r.remove<Position>(e);
                break;
            case 5:
                r.remove<Asleep, Weight>(e);
                break;
            default:
                world.first.numbers.assign(1 + random(4), uint32_t(i % 100));
                break;
        }
    }
}

// Offsets into the bytes of a TestWorld's snapshot.
size_t head_size() { return 4 * 4 + 8 + (8 + 5 + 4) + (8 + 6 + 4) + (8 + 6 + 4) + (8 + 6 + 4) + (8 + 5) + (8 + 6); }

/// Writes a wrong value under a right checksum.
template <class T>
void poke(Snapshot& snapshot, size_t offset, T value) {
    REQUIRE(offset + sizeof(T) <= snapshot.bytes.size());
    std::memcpy(snapshot.bytes.data() + offset, &value, sizeof(T));
    update_checksum(snapshot);
}

/// Also under a right checksum the snapshot is refused, with a sentence that has `words` in it, and the world
/// stays as it is.
void check_refused(TestWorld& world, const Snapshot& bad, const std::string& words) {
    const Snapshot before = saved(world);
    Snapshot under_checksum = bad;
    update_checksum(under_checksum);
    const Result<void> result = world.restore(under_checksum);
    CHECK_FALSE(result.ok());
    INFO(result.error());
    CHECK(result.error().find(words) != std::string::npos);
    CHECK((result.error().empty() || result.error().back() == '.'));
    CHECK(saved(world).bytes == before.bytes);
}

/// Three entities, one of them recycled, one waiting; all three kinds of component.
void populate(TestWorld& world) {
    entt::registry& r = world.registry();
    for (int i = 0; i < 4; ++i) r.emplace<Position>(r.create(), float(i), 0.0f);
    const auto e = [&](size_t i) { return r.storage<Entity>().data()[i]; };
    r.destroy(e(1));
    r.destroy(e(0));
    r.emplace<Position>(r.create(), 9.0f, 9.0f);
    r.emplace<Asleep>(e(0));
    r.emplace<Padded>(e(0), 'a', 1.0);
    r.emplace<Padded>(e(2), 'b', 2.0);
    world.first.numbers = {1, 2, 3};
    world.second.numbers = {4};
}

struct Ear {
    std::string heard;
    void made(entt::registry&, Entity) { heard += 'c'; }
    void gone(entt::registry&, Entity) { heard += 'd'; }
    void made_tag(entt::registry&, Entity) { heard += 't'; }
};

}  // namespace

TEST_CASE("a restored world has the same entities, components, order and parts") {
    TestWorld world;
    populate(world);
    entt::registry& r = world.registry();
    const Snapshot snapshot = saved(world);
    const std::vector<Entity> entities(r.storage<Entity>().data(),
                                       r.storage<Entity>().data() + r.storage<Entity>().size());
    const std::vector<Entity> positions(r.storage<Position>().data(), r.storage<Position>().data() + 3);

    live(world, 5, 500);
    world.second.numbers.clear();
    CHECK(world.restore(snapshot).ok());

    CHECK(std::equal(entities.begin(), entities.end(), r.storage<Entity>().data()));
    CHECK(r.storage<Entity>().size() == entities.size());
    CHECK(r.storage<Entity>().free_list() == 3);
    REQUIRE(r.storage<Position>().size() == 3);
    CHECK(std::equal(positions.begin(), positions.end(), r.storage<Position>().data()));
    CHECK(r.get<Position>(entities[2]).x == 9.0f);
    CHECK(r.all_of<Asleep>(entities[0]));
    CHECK(r.storage<Asleep>().size() == 1);
    CHECK(r.get<Padded>(entities[0]).a == 'a');
    CHECK(r.get<Padded>(entities[2]).b == 2.0);
    CHECK(world.first.numbers == std::vector<uint32_t>{1, 2, 3});
    CHECK(world.second.numbers == std::vector<uint32_t>{4});
}

TEST_CASE("saving a restored world gives the same bytes") {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        TestWorld world, other;
        live(world, seed, 400);
        const Snapshot snapshot = saved(world);
        live(other, seed + 100, 300);
        REQUIRE(other.restore(snapshot).ok());
        CHECK(saved(other).bytes == snapshot.bytes);
        REQUIRE(world.restore(snapshot).ok());
        CHECK(saved(world).bytes == snapshot.bytes);
    }
}

TEST_CASE("equal snapshots have equal futures, recycled identifiers included") {
    for (uint32_t seed = 1; seed <= 10; ++seed) {
        TestWorld world, other;
        live(world, seed, 300);
        REQUIRE(other.restore(saved(world)).ok());
        live(world, seed + 7, 300);
        live(other, seed + 7, 300);
        CHECK(saved(other).bytes == saved(world).bytes);
    }
}

TEST_CASE("new indices after a restore are the ones the original would have used") {
    TestWorld world, other;
    entt::registry& r = world.registry();
    (void)r.create();
    (void)r.create(entt::entity{5});  // a hint leaves 1..4 unused
    r.destroy(r.create(entt::entity{2}));
    REQUIRE(other.restore(saved(world)).ok());
    for (int i = 0; i < 8; ++i) CHECK(other.registry().create() == r.create());
    CHECK(r.valid(entt::entity{7}));
}

TEST_CASE("an empty world can be saved and restored") {
    TestWorld world;
    const Snapshot empty = saved(world);
    live(world, 3, 100);
    CHECK(world.restore(empty).ok());
    CHECK(saved(world).bytes == empty.bytes);
    CHECK(world.registry().create() == entt::entity{0});
    World bare;
    CHECK(bare.restore(saved(bare)).ok());
}

TEST_CASE("many entities and components survive") {
    TestWorld world, other;
    entt::registry& r = world.registry();
    for (int i = 0; i < 20000; ++i) r.emplace<Position>(r.create(), float(i), 1.0f);
    for (uint32_t i = 0; i < 20000; i += 7) r.destroy(entt::entity{i});
    REQUIRE(other.restore(saved(world)).ok());
    CHECK(saved(other).bytes == saved(world).bytes);
    CHECK(other.registry().get<Position>(entt::entity{19998}).x == 19998.0f);
    CHECK(other.registry().create() == r.create());
}

TEST_CASE("components that are not persisted are dropped by a restore") {
    TestWorld world;
    populate(world);
    const Entity e = world.registry().storage<Position>().data()[0];
    world.registry().emplace<Cache>(e, 5);
    CHECK(world.restore(saved(world)).ok());
    CHECK(world.registry().valid(e));
    CHECK_FALSE(world.registry().all_of<Cache>(e));
}

TEST_CASE("saving again into the same snapshot keeps its memory") {
    TestWorld world;
    live(world, 11, 1000);
    Snapshot snapshot;
    world.save(snapshot);
    const std::byte* memory = snapshot.bytes.data();
    const std::vector<std::byte> bytes = snapshot.bytes;
    world.save(snapshot);
    CHECK(snapshot.bytes.data() == memory);
    CHECK(snapshot.bytes == bytes);
}

TEST_CASE("bytes between the members of a component are the same after a restore") {
    TestWorld world, other;
    const auto with_garbage = [](TestWorld& w, int garbage) {
        const Entity e = w.registry().create();
        Padded& padded = w.registry().emplace<Padded>(e, 'x', 0.0);
        std::memset(static_cast<void*>(&padded), garbage, sizeof(Padded));
        padded.a = 'x';
        padded.b = 3.0;
    };
    with_garbage(world, 0x55);
    with_garbage(other, 0xAA);
    const Snapshot snapshot = saved(world);
    if (proxima::engine::detail::kClearsPadding) CHECK(saved(other).bytes == snapshot.bytes);
    REQUIRE(other.restore(snapshot).ok());
    CHECK(saved(other).bytes == snapshot.bytes);
    CHECK(other.registry().get<Padded>(entt::entity{0}).b == 3.0);
}

TEST_CASE("a restore is heard: everything goes, then everything comes") {
    TestWorld world;
    populate(world);
    Ear ear;
    entt::registry& r = world.registry();
    r.on_construct<Position>().connect<&Ear::made>(ear);
    r.on_destroy<Position>().connect<&Ear::gone>(ear);
    r.on_construct<Asleep>().connect<&Ear::made_tag>(ear);
    Ear cache;
    r.on_destroy<Cache>().connect<&Ear::gone>(cache);
    const Snapshot snapshot = saved(world);
    r.emplace<Position>(r.create(), 1.0f, 1.0f);
    r.emplace<Cache>(r.create(), 5);
    ear.heard.clear();
    CHECK(world.restore(snapshot).ok());
    CHECK(ear.heard == "ddddccct");
    CHECK(cache.heard == "d");
    CHECK(saved(world).bytes == snapshot.bytes);
}

TEST_CASE("a restore undoes what listeners did to parts and components") {
    TestWorld world;
    populate(world);
    const Snapshot snapshot = saved(world);
    struct Meddler {
        TestWorld& world;
        void made(entt::registry& registry, Entity e) {
            registry.get<Position>(e).x = -1.0f;
            world.first.numbers.push_back(77);
        }
    } meddler{world};
    world.registry().on_construct<Position>().connect<&Meddler::made>(meddler);
    CHECK(world.restore(snapshot).ok());
    CHECK(saved(world).bytes == snapshot.bytes);
}

TEST_CASE("a snapshot of another layout is refused") {
    TestWorld world;
    populate(world);
    {
        World other;
        other.persist<Position>("place");
        check_refused(world, saved(other), "1 component types and 0 parts");
    }
    {
        World other;
        Counters first, second;
        other.persist<Position>("place");
        other.persist<Asleep>("asleep");
        other.persist<Weight>("weight");
        other.persist<Cache>("padded");
        other.add_part("first", first);
        other.add_part("second", second);
        check_refused(world, saved(other), "'padded' of 4 bytes where this world has 'padded' of 16 bytes");
        other.remove_part(second);
        CHECK_FALSE(world.restore(saved(other)).ok());
    }
    {
        World other;
        Counters first, second;
        other.persist<Position>("place");
        other.persist<Asleep>("asleep");
        other.persist<Weight>("weight");
        other.persist<Padded>("padded");
        other.add_part("second", second);
        other.add_part("first", first);
        check_refused(world, saved(other), "part 'second' where this world has 'first'");
    }
}

TEST_CASE("a snapshot that is cut short anywhere is refused") {
    TestWorld world;
    populate(world);
    Snapshot whole = saved(world);
    live(world, 8, 50);
    const Snapshot before = saved(world);
    for (size_t length = 0; length < whole.bytes.size(); ++length) {
        Snapshot cut;
        cut.bytes.assign(whole.bytes.begin(), whole.bytes.begin() + long(length));
        for (int attempt = 0; attempt < 2; ++attempt) {
            const Result<void> result = world.restore(cut);
            REQUIRE_FALSE(result.ok());
            REQUIRE_FALSE(result.error().empty());
            REQUIRE(saved(world).bytes == before.bytes);
            update_checksum(cut);
        }
    }
    whole.bytes.push_back(std::byte{0});
    check_refused(world, whole, "1 bytes behind its end");
}

TEST_CASE("a snapshot with impossible contents is refused") {
    TestWorld world;
    populate(world);
    const Snapshot good = saved(world);
    const size_t counts = head_size();
    const size_t entities = counts + 16;     // four identifiers of four bytes
    const size_t positions = entities + 16;  // a count of eight bytes, then three entities
    live(world, 9, 50);

    Snapshot bad = good;
    poke(bad, 0, uint32_t(0x12345678));
    check_refused(world, bad, "not the snapshot of a world");
    bad = good;
    poke(bad, 4, uint32_t(1));
    check_refused(world, bad, "format 1");
    bad = good;
    poke(bad, 24, uint64_t(1) << 60);  // length of the first name
    check_refused(world, bad, "list of component types");
    bad = good;
    poke(bad, counts, ~uint64_t(0));
    check_refused(world, bad, "list of entities");
    bad = good;
    poke(bad, counts + 8, uint64_t(5));
    check_refused(world, bad, "5 living among 4");
    bad = good;
    poke(bad, entities, uint32_t(0xFFFFFFFF));
    check_refused(world, bad, "cannot exist");
    bad = good;
    poke(bad, entities, uint32_t(0xFFF00001));
    check_refused(world, bad, "cannot exist");
    bad = good;
    std::memcpy(bad.bytes.data() + entities, bad.bytes.data() + entities + 4, 4);
    check_refused(world, bad, "twice");
    bad = good;
    poke(bad, positions, ~uint64_t(0));
    check_refused(world, bad, "'place'");
    bad = good;
    std::memcpy(bad.bytes.data() + positions + 8, bad.bytes.data() + entities + 12, 4);  // the one that waits
    check_refused(world, bad, "not alive");
    bad = good;
    poke(bad, positions + 8, uint32_t(0xFFFFFFFF));
    check_refused(world, bad, "not alive");
    bad = good;
    std::memcpy(bad.bytes.data() + positions + 8, bad.bytes.data() + positions + 12, 4);
    check_refused(world, bad, "two components 'place'");
    CHECK(world.restore(good).ok());
}

TEST_CASE("when a part refuses its bytes, parts and entities stay as they were") {
    TestWorld world;
    populate(world);
    world.second.numbers = {50};
    Snapshot bad = saved(world);
    poke(bad, bad.bytes.size() - 4, uint32_t(1000));
    world.first.numbers = {8};
    world.second.numbers = {9, 10};
    world.registry().emplace<Cache>(world.registry().create(), 3);
    check_refused(world, bad, "A counter is too large.");
    CHECK(world.first.numbers == std::vector<uint32_t>{8});
    CHECK(world.second.numbers == std::vector<uint32_t>{9, 10});
    CHECK(world.registry().storage<Cache>().size() == 1);

    Snapshot long_part = saved(world);  // the second part claims a number more than it reads
    const size_t part = long_part.bytes.size() - (8 + 8 + 8);
    poke(long_part, part, uint64_t(8 + 8 + 4));
    long_part.bytes.resize(long_part.bytes.size() + 4);
    check_refused(world, long_part, "4 bytes too many");
}

TEST_CASE("random damage is always noticed") {
    TestWorld world;
    live(world, 21, 120);
    const Snapshot good = saved(world);
    live(world, 22, 20);
    const Snapshot before = saved(world);
    for (size_t bit = 0; bit < 8 * good.bytes.size(); bit += 3) {
        Snapshot bad = good;
        bad.bytes[bit / 8] ^= std::byte(1u << bit % 8);
        const Result<void> result = world.restore(bad);
        REQUIRE_FALSE(result.ok());
        REQUIRE_FALSE(result.error().empty());
    }
    CHECK(saved(world).bytes == before.bytes);
}

TEST_CASE("random damage under a right checksum never breaks the world") {
    TestWorld world;
    live(world, 21, 120);
    const Snapshot good = saved(world);
    uint32_t state = 17;
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        Snapshot bad = good;
        state = state * 1664525u + 1013904223u;
        const size_t at = (state >> 8) % bad.bytes.size();
        bad.bytes[at] ^= std::byte(1u << (state & 7));
        update_checksum(bad);
        const Snapshot before = saved(world);
        const Result<void> result = world.restore(bad);
        if (!result) {
            ++refused;
            REQUIRE(saved(world).bytes == before.bytes);
        } else {
            (void)world.registry().create();
        }
    }
    CHECK(refused > 300);
    CHECK(world.restore(good).ok());
    CHECK(saved(world).bytes == good.bytes);
}

TEST_CASE("a component that its check refuses leaves the world as it was, and is named") {
    const auto check_weight = [](const Weight& weight, Entity entity, const SnapshotView& snapshot) -> Result<void> {
        if (!(weight.kg >= 0.0f)) return Error{"A weight is never negative."};
        if (!snapshot.has<Position>(entity)) return Error{"What has a weight has a place."};
        if (snapshot.get<Position>(entity)->x > 5.0f) return Error{"Nothing heavy lies beyond 5."};
        return {};
    };
    const auto declare = [](World& world, auto... check) {
        world.persist<Position>("place");
        world.persist<Weight>("weight", check...);
    };
    World world, careless;
    declare(world, check_weight);
    declare(careless);
    const auto make = [&](float kg, bool with_position, float x) {
        entt::registry& r = careless.registry();
        const Entity e = r.create();
        if (with_position) r.emplace<Position>(e, x, 0.0f);
        r.emplace<Weight>(e, kg, 0u);
        const Snapshot snapshot = saved(careless);
        r.destroy(e);
        return snapshot;
    };
    CHECK(world.restore(make(1.0f, true, 2.0f)).ok());
    const Snapshot before = saved(world);
    CHECK(world.restore(make(-1.0f, true, 2.0f)).error() ==
          "Component 'weight' of entity 0 (version 1) in the snapshot makes no sense. A weight is never "
          "negative.");
    CHECK(world.restore(make(1.0f, false, 0.0f)).error().ends_with("What has a weight has a place."));
    CHECK(world.restore(make(1.0f, true, 9.0f)).error().ends_with("Nothing heavy lies beyond 5."));
    CHECK(saved(world).bytes == before.bytes);
}

TEST_CASE(
    "validating a part sees its bytes and the components around them, and nothing is loaded when it "
    "refuses") {
    struct Limit final : StatePart {
        uint32_t most = 2;
        int loads = 0;
        void save(ByteWriter& out) const override { out.value(most); }
        Result<void> validate(ByteReader& in, const SnapshotView& snapshot) const override {
            const auto limit = in.value<uint32_t>();
            uint32_t seen = 0;
            snapshot.each<Position>(
                [&](Entity entity, const Position& position) { seen += snapshot.alive(entity) && position.x == 1.0f; });
            if (seen != snapshot.count<Position>()) return Error{"Every place is at 1."};
            if (seen > limit) return Error{"There are more places than the limit says."};
            return {};
        }
        Result<void> load(ByteReader& in) override {
            most = in.value<uint32_t>();
            ++loads;
            return {};
        }
    };
    World world;
    Limit limit;
    world.persist<Position>("place");
    world.add_part("limit", limit);
    for (int i = 0; i < 2; ++i) world.registry().emplace<Position>(world.registry().create(), 1.0f, 0.0f);
    const Snapshot good = saved(world);
    limit.most = 1;
    const Snapshot bad = saved(world);
    limit.most = 7;
    CHECK(world.restore(bad).error().ends_with("There are more places than the limit says."));
    CHECK(limit.loads == 0);
    CHECK(limit.most == 7);
    CHECK(world.restore(good).ok());
    CHECK(limit.most == 2);
    world.remove_part(limit);
}

TEST_CASE("bytes that differ in one word never have the same checksum") {
    std::vector<std::byte> bytes(100);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = std::byte(7 * i);
    for (size_t length = 0; length <= bytes.size(); ++length) {
        const std::span<std::byte> part(bytes.data(), length);
        const uint64_t sum = checksum(part);
        if (length > 0) CHECK(sum != checksum(part.first(length - 1)));
        CHECK(sum != checksum(part, 1));
        for (size_t bit = 0; bit < 8 * length; ++bit) {
            bytes[bit / 8] ^= std::byte(1u << bit % 8);
            CHECK(sum != checksum(part));
            bytes[bit / 8] ^= std::byte(1u << bit % 8);
        }
    }
}

TEST_CASE("bytes are written and read back in order, and a short read says so") {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.value(uint16_t(7));
    out.text("name");
    out.array(std::vector<float>{1.0f, 2.0f});
    out.array(std::vector<float>{});
    std::memset(out.append(3), 1, 3);

    ByteReader in(bytes);
    CHECK(in.value<uint16_t>() == 7);
    std::string name;
    CHECK(in.text(name));
    CHECK(name == "name");
    std::vector<float> values;
    CHECK(in.array(values));
    CHECK(values == std::vector<float>{1.0f, 2.0f});
    CHECK(in.array(values));
    CHECK(values.empty());
    CHECK(in.take(3) == bytes.data() + bytes.size() - 3);
    CHECK(in.remaining() == 0);
    CHECK(in.ok());
    CHECK(in.take(1) == nullptr);
    CHECK(in.value<uint32_t>() == 0);
    CHECK_FALSE(in.ok());
}
