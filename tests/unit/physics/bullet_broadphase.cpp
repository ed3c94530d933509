// SPDX-License-Identifier: MIT
// Bullet's own worlds on our broadphase and on btDbvtBroadphase, side by side: the same contacts, rays,
// sweeps and ghosts. Bullet's tree enlarges boxes, so of its pairs those count whose boxes really overlap.
#include "physics/broadphase/bullet/bullet_broadphase.h"

#include <btBulletDynamicsCommon.h>
#include <doctest/doctest.h>

#include <BulletCollision/CollisionDispatch/btGhostObject.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "engine/jobs/jobs.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

using IndexPair = std::pair<int, int>;

/// A collision world with all that it needs, on one broadphase or the other.
struct BulletWorld {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    std::unique_ptr<btBroadphaseInterface> broadphase;
    btGhostPairCallback ghost_callback;
    std::unique_ptr<btCollisionWorld> world;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::map<int, std::unique_ptr<btCollisionObject>> objects;  // by the index in their user data

    explicit BulletWorld(std::unique_ptr<btBroadphaseInterface> which) : broadphase(std::move(which)) {
        world = std::make_unique<btCollisionWorld>(&dispatcher, broadphase.get(), &configuration);
        broadphase->getOverlappingPairCache()->setInternalGhostPairCallback(&ghost_callback);
    }
    ~BulletWorld() {
        for (auto& [index, object] : objects) world->removeCollisionObject(object.get());
    }

    void add(int index, std::unique_ptr<btCollisionShape> shape, const btTransform& pose, int group, int mask,
             bool ghost = false) {
        auto object = ghost ? std::make_unique<btPairCachingGhostObject>() : std::make_unique<btCollisionObject>();
        object->setCollisionShape(shape.get());
        object->setWorldTransform(pose);
        object->setUserIndex(index);
        if (ghost) object->setCollisionFlags(btCollisionObject::CF_NO_CONTACT_RESPONSE);
        world->addCollisionObject(object.get(), group, mask);
        shapes.push_back(std::move(shape));
        objects[index] = std::move(object);
    }
    void remove(int index) {
        world->removeCollisionObject(objects[index].get());
        objects.erase(index);
    }

    static int index_of(const btBroadphaseProxy* proxy) {
        return static_cast<const btCollisionObject*>(proxy->m_clientObject)->getUserIndex();
    }
    /// Pairs of the cache whose boxes overlap; all of them with `loose`.
    std::set<IndexPair> pairs(bool loose = false) const {
        std::set<IndexPair> result;
        btBroadphasePairArray& array = broadphase->getOverlappingPairCache()->getOverlappingPairArray();
        for (int i = 0; i < array.size(); ++i) {
            const btBroadphaseProxy *a = array[i].m_pProxy0, *b = array[i].m_pProxy1;
            if (loose || TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax))
                result.insert(std::minmax(index_of(a), index_of(b)));
        }
        return result;
    }
    /// Pairs by testing every two objects.
    std::set<IndexPair> pairs_by_hand() const {
        std::set<IndexPair> result;
        for (const auto& [i, one] : objects)
            for (const auto& [j, other] : objects) {
                btBroadphaseProxy *a = one->getBroadphaseHandle(), *b = other->getBroadphaseHandle();
                const bool wanted = (a->m_collisionFilterGroup & b->m_collisionFilterMask) != 0 &&
                                    (b->m_collisionFilterGroup & a->m_collisionFilterMask) != 0;
                if (i < j && wanted && TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax))
                    result.insert({i, j});
            }
        return result;
    }
    /// Every contact point: bodies, depth and place.
    std::vector<std::tuple<int, int, float, float, float, float>> contacts() {
        std::vector<std::tuple<int, int, float, float, float, float>> result;
        for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
            const btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(m);
            for (int p = 0; p < manifold->getNumContacts(); ++p) {
                const btManifoldPoint& point = manifold->getContactPoint(p);
                const btVector3& at = point.getPositionWorldOnB();
                result.emplace_back(manifold->getBody0()->getUserIndex(), manifold->getBody1()->getUserIndex(),
                                    point.getDistance(), at.x(), at.y(), at.z());
            }
        }
        std::sort(result.begin(), result.end());
        return result;
    }
};

/// Random numbers for both worlds at once.
struct Dice {
    std::mt19937 random;
    explicit Dice(uint32_t seed) : random(seed) {}
    float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); }
    int index(int count) { return int(random() % uint32_t(count)); }
    btVector3 vector(float low, float high) { return {uniform(low, high), uniform(low, high), uniform(low, high)}; }
    btTransform pose(float space) {
        btQuaternion turn(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(0.1f, 1));
        turn.normalize();
        return btTransform(turn, vector(-space, space));
    }
};

struct ShapeChoice {
    int kind = 0;
    btVector3 size;
    std::unique_ptr<btCollisionShape> make() const {
        if (kind == 0) return std::make_unique<btBoxShape>(size);
        if (kind == 1) return std::make_unique<btSphereShape>(size.x());
        return std::make_unique<btCapsuleShape>(size.x(), size.y());
    }
};

/// The same objects in two worlds.
struct TwoWorlds {
    BulletWorld ours{std::make_unique<BulletBroadphase>()};
    BulletWorld bullet{std::make_unique<btDbvtBroadphase>()};
    Dice dice;
    int next_index = 0;

    explicit TwoWorlds(uint32_t seed, int count, bool filters = false) : dice(seed) {
        for (int i = 0; i < count; ++i) add(filters);
    }
    void add(bool filters = false, bool ghost = false) {
        ShapeChoice shape{dice.index(3), dice.vector(0.2f, 0.8f)};
        if (dice.index(15) == 0) shape = {0, dice.vector(2.0f, 5.0f)};
        const btTransform pose = dice.pose(4.0f);
        int group = 1, mask = -1;
        if (filters) {
            group = 1 << dice.index(4);
            mask = dice.index(16);
        }
        ours.add(next_index, shape.make(), pose, group, mask, ghost);
        bullet.add(next_index, shape.make(), pose, group, mask, ghost);
        ++next_index;
    }
    void remove_one() {
        auto victim = ours.objects.begin();
        std::advance(victim, dice.index(int(ours.objects.size())));
        const int index = victim->first;
        ours.remove(index);
        bullet.remove(index);
    }
    void move_some(int one_in) {
        for (auto& [index, object] : ours.objects) {
            if (dice.index(one_in) != 0) continue;
            btTransform pose = object->getWorldTransform();
            pose.getOrigin() += dice.vector(-0.3f, 0.3f);
            pose.setRotation(dice.pose(1.0f).getRotation());
            object->setWorldTransform(pose);
            bullet.objects[index]->setWorldTransform(pose);
        }
    }
    void detect() {
        ours.world->performDiscreteCollisionDetection();
        bullet.world->performDiscreteCollisionDetection();
    }
    void check_pairs_and_contacts() {
        const std::set<IndexPair> pairs = ours.pairs(true);
        CHECK(pairs == ours.pairs_by_hand());
        CHECK(pairs == bullet.pairs());
        CHECK(ours.contacts() == bullet.contacts());
    }
};

}  // namespace

TEST_CASE("Bullet's collision world finds the same pairs and contacts on our broadphase as on its own") {
    TwoWorlds worlds(61, 60);
    size_t contacts = 0;
    for (int step = 0; step < 50; ++step) {
        CAPTURE(step);
        worlds.move_some(step % 3 == 0 ? 1 : 6);
        worlds.detect();
        worlds.check_pairs_and_contacts();
        contacts += worlds.ours.contacts().size();
    }
    CHECK(contacts > 1000);
}

TEST_CASE("Bullet's objects may come and go, in groups and with masks") {
    TwoWorlds worlds(62, 70, true);
    size_t pairs = 0;
    for (int step = 0; step < 60; ++step) {
        CAPTURE(step);
        worlds.move_some(4);
        for (int i = 0; i < 3; ++i) {
            worlds.remove_one();
            worlds.add(true);
        }
        worlds.detect();
        worlds.check_pairs_and_contacts();
        pairs += worlds.ours.pairs().size();
    }
    CHECK(pairs > 1000);
}

TEST_CASE("a filter callback of the pair cache decides in place of groups and masks, from when it is set") {
    struct OnlyEven final : btOverlapFilterCallback {
        bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
            return (BulletWorld::index_of(a) + BulletWorld::index_of(b)) % 2 == 0;
        }
    };
    OnlyEven only_even;
    TwoWorlds worlds(63, 60, true);
    for (BulletWorld* world : {&worlds.ours, &worlds.bullet})
        world->broadphase->getOverlappingPairCache()->setOverlapFilterCallback(&only_even);
    for (int step = 0; step < 20; ++step) {
        worlds.move_some(1);
        worlds.detect();
    }
    // Bullet has forgotten what it met before the callback only where pairs have parted since; all have
    // moved by now.
    std::set<IndexPair> expected;
    for (const auto& [i, one] : worlds.ours.objects)
        for (const auto& [j, other] : worlds.ours.objects) {
            const btBroadphaseProxy *a = one->getBroadphaseHandle(), *b = other->getBroadphaseHandle();
            if (i < j && (i + j) % 2 == 0 &&
                TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax))
                expected.insert({i, j});
        }
    CHECK(expected.size() > 30);
    CHECK(worlds.ours.pairs() == expected);
}

TEST_CASE("a group that is written into a proxy counts from the next detection on") {
    TwoWorlds worlds(64, 40);
    worlds.detect();
    CHECK(!worlds.ours.pairs().empty());
    for (auto& [index, object] : worlds.ours.objects)
        if (index % 2 == 0) object->getBroadphaseHandle()->m_collisionFilterMask = 0;
    worlds.ours.world->performDiscreteCollisionDetection();
    CHECK(worlds.ours.pairs(true) == worlds.ours.pairs_by_hand());
}

TEST_CASE("Bullet's rays hit the same objects at the same places") {
    TwoWorlds worlds(65, 80, true);
    worlds.detect();
    int hits = 0;
    for (int i = 0; i < 300; ++i) {
        if (i % 50 == 25) {  // rays see what has been added and moved since the last detection
            worlds.add(true);
            worlds.remove_one();
            worlds.move_some(5);
            worlds.ours.world->updateAabbs();
            worlds.bullet.world->updateAabbs();
        }
        const btVector3 from = worlds.dice.vector(-6, 6), to = worlds.dice.vector(-6, 6);
        btCollisionWorld::ClosestRayResultCallback one(from, to), other(from, to);
        one.m_collisionFilterMask = other.m_collisionFilterMask = i % 3 == 0 ? 3 : -1;
        worlds.ours.world->rayTest(from, to, one);
        worlds.bullet.world->rayTest(from, to, other);
        REQUIRE(one.hasHit() == other.hasHit());
        btCollisionWorld::AllHitsRayResultCallback all_one(from, to), all_other(from, to);
        worlds.ours.world->rayTest(from, to, all_one);
        worlds.bullet.world->rayTest(from, to, all_other);
        const auto listed = [](const btCollisionWorld::AllHitsRayResultCallback& all) {
            std::vector<std::pair<int, float>> result;
            for (int k = 0; k < all.m_hitFractions.size(); ++k)
                result.emplace_back(all.m_collisionObjects[k]->getUserIndex(), all.m_hitFractions[k]);
            std::sort(result.begin(), result.end());
            return result;
        };
        CHECK(listed(all_one) == listed(all_other));
        if (!one.hasHit()) continue;
        ++hits;
        CHECK(one.m_collisionObject->getUserIndex() == other.m_collisionObject->getUserIndex());
        CHECK(one.m_closestHitFraction == other.m_closestHitFraction);
        CHECK(one.m_hitNormalWorld == other.m_hitNormalWorld);
    }
    CHECK(hits > 100);
}

TEST_CASE("Bullet's sweeps hit the same objects at the same places") {
    TwoWorlds worlds(66, 60);
    worlds.detect();
    btSphereShape ball(0.4f);
    btBoxShape box(btVector3(0.3f, 0.5f, 0.2f));
    int hits = 0;
    for (int i = 0; i < 150; ++i) {
        btConvexShape& shape = i % 2 == 0 ? static_cast<btConvexShape&>(ball) : box;
        const btTransform from = worlds.dice.pose(7.0f), to = worlds.dice.pose(7.0f);
        btCollisionWorld::ClosestConvexResultCallback one(from.getOrigin(), to.getOrigin());
        btCollisionWorld::ClosestConvexResultCallback other(from.getOrigin(), to.getOrigin());
        worlds.ours.world->convexSweepTest(&shape, from, to, one);
        worlds.bullet.world->convexSweepTest(&shape, from, to, other);
        REQUIRE(one.hasHit() == other.hasHit());
        if (!one.hasHit()) continue;
        ++hits;
        CHECK(one.m_closestHitFraction == doctest::Approx(other.m_closestHitFraction).epsilon(1e-4));
        // Two objects may be hit at once, above all when the sweep begins inside both.
        if (one.m_closestHitFraction > 0.0f)
            CHECK(one.m_hitCollisionObject->getUserIndex() == other.m_hitCollisionObject->getUserIndex());
    }
    CHECK(hits > 50);
}

TEST_CASE("Bullet's contact test finds the same contacts") {
    struct Collect final : btCollisionWorld::ContactResultCallback {
        std::vector<std::tuple<int, int, float>> found;
        btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper* a, int, int,
                                 const btCollisionObjectWrapper* b, int, int) override {
            found.emplace_back(a->getCollisionObject()->getUserIndex(), b->getCollisionObject()->getUserIndex(),
                               point.getDistance());
            return 0;
        }
    };
    TwoWorlds worlds(67, 70);
    worlds.detect();
    size_t found = 0;
    for (const auto& [index, object] : worlds.ours.objects) {
        Collect one, other;
        worlds.ours.world->contactTest(object.get(), one);
        worlds.bullet.world->contactTest(worlds.bullet.objects[index].get(), other);
        std::sort(one.found.begin(), one.found.end());
        std::sort(other.found.begin(), other.found.end());
        CHECK(one.found == other.found);
        found += one.found.size();
    }
    CHECK(found > 50);
}

TEST_CASE("a ghost object knows what overlaps it, also after moving and after others are gone") {
    TwoWorlds worlds(68, 50);
    for (int i = 0; i < 5; ++i) worlds.add(false, true);
    size_t overlapping = 0;
    for (int step = 0; step < 40; ++step) {
        CAPTURE(step);
        worlds.move_some(3);
        if (step % 4 == 0) worlds.remove_one();
        if (step % 4 == 1) worlds.add();
        worlds.detect();
        for (const auto& [index, object] : worlds.ours.objects) {
            btGhostObject* ghost = btGhostObject::upcast(object.get());
            if (ghost == nullptr) continue;
            const auto objects_in = [](btGhostObject* g) {
                std::set<int> result;
                const btBroadphaseProxy* self = g->getBroadphaseHandle();
                for (int i = 0; i < g->getNumOverlappingObjects(); ++i) {
                    const btBroadphaseProxy* other = g->getOverlappingObject(i)->getBroadphaseHandle();
                    if (TestAabbAgainstAabb2(self->m_aabbMin, self->m_aabbMax, other->m_aabbMin, other->m_aabbMax))
                        result.insert(BulletWorld::index_of(other));
                }
                return result;
            };
            const std::set<int> inside = objects_in(ghost);
            CHECK(inside.size() == size_t(ghost->getNumOverlappingObjects()));  // our boxes are exact
            CHECK(inside == objects_in(btGhostObject::upcast(worlds.bullet.objects[index].get())));
            overlapping += inside.size();
        }
    }
    CHECK(overlapping > 100);
}

TEST_CASE("boxes, bounds and numbers of Bullet's proxies are what was set") {
    BulletBroadphase broadphase;
    btVector3 low, high;
    broadphase.getBroadphaseAabb(low, high);
    CHECK(low == btVector3(0, 0, 0));
    CHECK(high == btVector3(0, 0, 0));
    int user = 0;
    btBroadphaseProxy* a = broadphase.createProxy({0, 0, 0}, {1, 1, 1}, 0, &user, 1, -1, nullptr);
    btBroadphaseProxy* b = broadphase.createProxy({3, 3, 3}, {4, 5, 6}, 0, nullptr, 2, 3, nullptr);
    CHECK(a->m_clientObject == &user);
    CHECK(a->getUid() < b->getUid());
    CHECK(b->m_collisionFilterGroup == 2);
    CHECK(b->m_collisionFilterMask == 3);
    broadphase.setAabb(a, {-1, -2, -3}, {1, 1, 1}, nullptr);
    broadphase.getAabb(a, low, high);
    CHECK(low == btVector3(-1, -2, -3));
    CHECK(high == btVector3(1, 1, 1));
    broadphase.getBroadphaseAabb(low, high);
    CHECK(low == btVector3(-1, -2, -3));
    CHECK(high == btVector3(4, 5, 6));
    const int first = a->getUid();
    broadphase.destroyProxy(a, nullptr);
    broadphase.resetPool(nullptr);  // not yet: b is still there
    broadphase.getBroadphaseAabb(low, high);
    CHECK(low == btVector3(3, 3, 3));
    broadphase.destroyProxy(b, nullptr);
    broadphase.resetPool(nullptr);
    a = broadphase.createProxy({0, 0, 0}, {1, 1, 1}, 0, nullptr, 1, -1, nullptr);
    CHECK(a->getUid() == first);
    broadphase.destroyProxy(a, nullptr);
}

TEST_CASE("a box test calls back for the proxies in it, and nobody else") {
    struct Count final : btBroadphaseAabbCallback {
        std::set<const btBroadphaseProxy*> seen;
        bool process(const btBroadphaseProxy* proxy) override { return seen.insert(proxy).second; }
    };
    BulletBroadphase ours;
    std::vector<btBroadphaseProxy*> proxies;
    Dice dice(69);
    for (int i = 0; i < 200; ++i) {
        const btVector3 low = dice.vector(-10, 10);
        proxies.push_back(ours.createProxy(low, low + dice.vector(0.1f, 3.0f), 0, nullptr, 1, 0, nullptr));  // mask 0
    }
    for (int i = 0; i < 50; ++i) {
        const btVector3 low = dice.vector(-10, 10), high = low + dice.vector(0.1f, 6.0f);
        Count count;
        ours.aabbTest(low, high, count);
        for (const btBroadphaseProxy* proxy : proxies)
            CHECK(count.seen.contains(proxy) == TestAabbAgainstAabb2(proxy->m_aabbMin, proxy->m_aabbMax, low, high));
    }
    for (btBroadphaseProxy* proxy : proxies) ours.destroyProxy(proxy, nullptr);
}

TEST_CASE("pairs that somebody takes out of Bullet's cache come back, and a cache that removes late is kept true") {
    for (const bool sorted : {false, true}) {
        CAPTURE(sorted);
        btSortedOverlappingPairCache late;
        btDefaultCollisionConfiguration configuration;
        btCollisionDispatcher dispatcher(&configuration);
        BulletBroadphase broadphase(sorted ? static_cast<btOverlappingPairCache*>(&late) : nullptr);
        btOverlappingPairCache* cache = broadphase.getOverlappingPairCache();
        std::vector<btBroadphaseProxy*> proxies;
        for (int i = 0; i < 10; ++i)
            proxies.push_back(broadphase.createProxy(btVector3(btScalar(i), 0, 0), btVector3(i + 1.5f, 1, 1), 0,
                                                     nullptr, 1, -1, &dispatcher));
        broadphase.calculateOverlappingPairs(&dispatcher);
        CHECK(cache->getNumOverlappingPairs() == 9);
        CHECK(cache->findPair(proxies[3], proxies[4]) != nullptr);
        cache->removeOverlappingPairsContainingProxy(proxies[4], &dispatcher);
        broadphase.calculateOverlappingPairs(&dispatcher);
        CHECK(cache->getNumOverlappingPairs() == 9);
        CHECK(cache->findPair(proxies[3], proxies[4]) != nullptr);
        broadphase.setAabb(proxies[4], {50, 0, 0}, {51, 1, 1}, &dispatcher);
        broadphase.calculateOverlappingPairs(&dispatcher);
        CHECK(cache->getNumOverlappingPairs() == 7);
        CHECK(cache->findPair(proxies[3], proxies[4]) == nullptr);
        for (btBroadphaseProxy* proxy : proxies) broadphase.destroyProxy(proxy, &dispatcher);
        CHECK(cache->getNumOverlappingPairs() == 0);
    }
}

TEST_CASE("Bullet's dynamics world steps a small pile on our broadphase, with threads as without") {
    const auto run = [](uint32_t threads) {
        btDefaultCollisionConfiguration configuration;
        btCollisionDispatcher dispatcher(&configuration);
        const std::unique_ptr<engine::Jobs> jobs = engine::make_threaded_jobs(threads);
        BulletBroadphase broadphase(nullptr, jobs.get());
        btSequentialImpulseConstraintSolver solver;
        btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
        world.setGravity({0, -10, 0});
        btStaticPlaneShape plane({0, 1, 0}, 0);
        btBoxShape box(btVector3(0.5f, 0.5f, 0.5f));
        std::vector<std::unique_ptr<btRigidBody>> bodies;
        btVector3 inertia(0, 0, 0);
        bodies.push_back(std::make_unique<btRigidBody>(0.0f, nullptr, &plane, inertia));
        world.addRigidBody(bodies.back().get());
        box.calculateLocalInertia(1.0f, inertia);
        for (int i = 0; i < 27; ++i) {
            bodies.push_back(std::make_unique<btRigidBody>(1.0f, nullptr, &box, inertia));
            bodies.back()->setWorldTransform(btTransform(
                btQuaternion::getIdentity(), btVector3(btScalar(1.02f * float(i % 3)), 0.52f + 1.05f * float(i / 9),
                                                       btScalar(1.02f * float(i / 3 % 3)))));
            world.addRigidBody(bodies.back().get());
        }
        for (int step = 0; step < 120; ++step) world.stepSimulation(1.0f / 60.0f, 0);
        std::vector<float> heights;
        for (size_t i = 1; i < bodies.size(); ++i) heights.push_back(bodies[i]->getWorldTransform().getOrigin().y());
        for (const auto& body : bodies) world.removeRigidBody(body.get());
        return heights;
    };
    const std::vector<float> heights = run(1);
    for (size_t i = 0; i < heights.size(); ++i) {
        CAPTURE(i);
        CHECK(heights[i] == doctest::Approx(0.5 + double(i / 9)).epsilon(0.1));
    }
    CHECK(run(3) == heights);
}
