// SPDX-License-Identifier: MIT
// begun() and ended() of the broadphase against the difference of what was there before and after.
#include <set>
#include <tuple>

#include "tests/unit/physics/broadphase_scene.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::broadphase_tests;

namespace {

/// A proxy with a name of its own for its whole life, which neither id nor order is.
struct Named {
    Entry entry;
    uint32_t name = 0;
};

/// One pair of names with what the broadphase should say of it; sorts by orders.
struct NamedPair {
    uint32_t order_a, order_b;
    uint32_t name_a, name_b;
    ProxyId a, b;
    auto operator<=>(const NamedPair&) const = default;
};

using Changes = std::vector<std::tuple<uint32_t, uint32_t, ProxyId, ProxyId>>;

Changes listed(std::span<const PairChange> changes) {
    Changes result;
    for (const PairChange& change : changes) result.emplace_back(change.order_a, change.order_b, change.a, change.b);
    return result;
}

/// A broadphase that is asked after every update what changed, and a list that knows.
struct Witness {
    Broadphase broadphase;
    std::unique_ptr<engine::Jobs> jobs = engine::make_serial_jobs();
    std::vector<Named> proxies;
    std::set<NamedPair> before;
    uint32_t next_name = 0;
    size_t begun = 0, ended = 0;

    void add(const Aabb& box, uint32_t order, const ProxyFilter& filter = {}) {
        proxies.push_back({{box, filter, order, broadphase.insert(box, filter, order)}, next_name++});
    }
    void remove(size_t index) {
        broadphase.remove(proxies[index].entry.id);
        proxies.erase(proxies.begin() + ptrdiff_t(index));
    }
    void move(size_t index, const Aabb& box) {
        proxies[index].entry.box = box;
        broadphase.set_box(proxies[index].entry.id, box);
    }

    std::set<NamedPair> pairs_now() const {
        std::set<NamedPair> result;
        for (size_t i = 0; i < proxies.size(); ++i)
            for (size_t j = 0; j < proxies.size(); ++j) {
                const Entry &a = proxies[i].entry, &b = proxies[j].entry;
                if (a.order >= b.order || !is_somewhere(a.box) || !is_somewhere(b.box)) continue;
                if (!overlaps(a.box, b.box) || !filters_agree(a.filter, b.filter)) continue;
                result.insert({a.order, b.order, proxies[i].name, proxies[j].name, a.id, b.id});
            }
        return result;
    }

    void check() {
        broadphase.update(*jobs);
        std::set<NamedPair> now = pairs_now();
        Changes expected_begun, expected_ended;
        for (const NamedPair& pair : now)
            if (!before.contains(pair)) expected_begun.emplace_back(pair.order_a, pair.order_b, pair.a, pair.b);
        for (const NamedPair& pair : before)
            if (!now.contains(pair)) expected_ended.emplace_back(pair.order_a, pair.order_b, pair.a, pair.b);
        CHECK(listed(broadphase.begun()) == expected_begun);
        CHECK(listed(broadphase.ended()) == expected_ended);
        CHECK(broadphase.pairs().size() == now.size());
        begun += expected_begun.size();
        ended += expected_ended.size();
        before = std::move(now);
    }
};

}  // namespace

TEST_CASE("a pair begins once, lasts without a word, and ends once") {
    Scene scene;
    scene.add({Vec3(0.0f), Vec3(1.0f)}, {}, 7);
    scene.add({Vec3(0.5f), Vec3(1.5f)}, {}, 3);
    const ProxyId first = scene.entries[1].id, second = scene.entries[0].id;
    scene.update();
    CHECK(listed(scene.broadphase.begun()) == Changes{{3, 7, first, second}});
    CHECK(scene.broadphase.ended().empty());
    scene.update();  // nothing has changed
    CHECK(scene.broadphase.begun().empty());
    scene.broadphase.set_box(first, {Vec3(0.6f), Vec3(1.6f)});
    scene.update();
    CHECK(scene.broadphase.begun().empty());
    CHECK(scene.broadphase.ended().empty());
    scene.broadphase.set_box(first, {Vec3(2.6f), Vec3(3.6f)});
    scene.update();
    CHECK(scene.broadphase.begun().empty());
    CHECK(listed(scene.broadphase.ended()) == Changes{{3, 7, first, second}});
    scene.update();
    CHECK(scene.broadphase.ended().empty());
}

TEST_CASE("the pairs of a removed proxy end, and those of a new one with its id and order begin") {
    Witness witness;
    const Aabb box{Vec3(0.0f), Vec3(1.0f)};
    for (uint32_t i = 0; i < 4; ++i) witness.add(box, 10 * i);
    witness.check();
    CHECK(witness.begun == 6);
    const ProxyId old = witness.proxies[1].entry.id;
    witness.remove(1);
    witness.add(box, 10);
    CHECK(witness.proxies.back().entry.id == old);
    witness.check();
    CHECK(witness.begun == 9);
    CHECK(witness.ended == 3);
    // The same id with another order, and two neighbours in the order gone at once.
    witness.remove(3);
    witness.remove(1);
    witness.add(box, 5);
    witness.add(box, 35);
    witness.check();
    CHECK(witness.before.size() == 6);
}

TEST_CASE("a filter that changes its mind begins and ends pairs") {
    Witness witness;
    for (uint32_t i = 0; i < 3; ++i) witness.add({Vec3(0.0f), Vec3(1.0f)}, i);
    witness.check();
    witness.proxies[1].entry.filter.mask = 0;
    witness.broadphase.set_filter(witness.proxies[1].entry.id, witness.proxies[1].entry.filter);
    witness.check();
    CHECK(witness.ended == 2);
    witness.proxies[1].entry.filter.mask = 1;
    witness.broadphase.set_filter(witness.proxies[1].entry.id, witness.proxies[1].entry.filter);
    witness.check();
    CHECK(witness.begun == 5);
}

TEST_CASE("what began and ended is the difference of before and after, whoever moves, comes and goes") {
    for (const uint32_t threads : {1u, 3u}) {
        CAPTURE(threads);
        RandomBoxes boxes(31);
        Witness witness;
        witness.jobs = engine::make_threaded_jobs(threads);
        std::set<uint32_t> orders;
        const auto add = [&] {
            uint32_t order = boxes.index(400);  // few numbers: orders come again
            while (!orders.insert(order).second) order = boxes.index(400);
            ProxyFilter filter;
            filter.moves = boxes.index(4) != 0;
            witness.add(boxes.box(4.0f, 0.1f, 4.0f), order, filter);
        };
        for (int i = 0; i < 100; ++i) add();
        for (int step = 0; step < 100; ++step) {
            CAPTURE(step);
            // Times when all move, when few do, when nobody does; when many come and go, and nobody.
            const uint32_t movers = step % 3 == 0 ? 50 : step % 3 == 1 ? 3 : 0;
            for (uint32_t i = 0; i < movers; ++i)
                witness.move(boxes.index(witness.proxies.size()), boxes.box(4.0f, 0.1f, 4.0f));
            const uint32_t swaps = step % 5 == 0 ? 20 : step % 5 == 1 ? 1 : 0;
            for (uint32_t i = 0; i < swaps; ++i) {
                const uint32_t victim = boxes.index(witness.proxies.size());
                orders.erase(witness.proxies[victim].entry.order);
                witness.remove(victim);
                add();
            }
            witness.check();
        }
        CHECK(witness.begun > 1000);
        CHECK(witness.ended > 1000);
    }
}

TEST_CASE("long lists of changes are found whole, by any number of threads") {
    // More pairs than one block of the comparison.
    for (const uint32_t threads : {1u, 4u}) {
        Scene scene;
        scene.jobs = engine::make_threaded_jobs(threads);
        RandomBoxes boxes(32);
        for (uint32_t i = 0; i < 600; ++i) scene.add(boxes.box(1.0f, 0.5f, 1.0f), {}, 2 * i);
        scene.update();
        OrderPairs before = scene.found();
        CHECK(before.size() > 9000);
        CHECK(scene.broadphase.begun().size() == before.size());
        for (int step = 0; step < 6; ++step) {
            for (Entry& entry : scene.entries) {
                if (boxes.index(3) != 0) continue;
                entry.box = boxes.box(1.0f, 0.5f, 1.0f);
                scene.broadphase.set_box(entry.id, entry.box);
            }
            if (step % 2 == 1) scene.add(boxes.box(1.0f, 0.5f, 1.0f), {}, uint32_t(2 * step + 1));
            scene.update();
            const OrderPairs after = scene.found();
            OrderPairs begun, ended, found_begun, found_ended;
            std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(begun));
            std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(ended));
            for (const PairChange& pair : scene.broadphase.begun())
                found_begun.emplace_back(pair.order_a, pair.order_b);
            for (const PairChange& pair : scene.broadphase.ended())
                found_ended.emplace_back(pair.order_a, pair.order_b);
            CHECK(found_begun == begun);
            CHECK(found_ended == ended);
            before = after;
        }
        for (const Entry& entry : scene.entries) scene.broadphase.remove(entry.id);
        scene.update();
        CHECK(scene.broadphase.ended().size() == before.size());
        CHECK(scene.broadphase.pairs().empty());
    }
}
