// SPDX-License-Identifier: MIT
// Our broadphase behind Bullet's interface: a btCollisionWorld or btDiscreteDynamicsWorld runs on it in place
// of btDbvtBroadphase. In a library of its own, so that nothing else needs Bullet for it.
#pragma once

#include <BulletCollision/BroadphaseCollision/btBroadphaseInterface.h>

#include <memory>
#include <span>
#include <vector>

#include "engine/jobs/jobs.h"
#include "physics/broadphase/broadphase.h"

class btOverlappingPairCache;

namespace proxima::physics {

/// Differences to btDbvtBroadphase that a caller can see: boxes are exact, not enlarged, so there are fewer
/// pairs; and pairs enter and leave the cache in calculateOverlappingPairs(), in the order in which their
/// proxies were made, not already while boxes are set. Rays, sweeps and box tests see boxes as they are now.
class BulletBroadphase final : public btBroadphaseInterface {
  public:
    /// Both may be null and must outlive this otherwise: `pair_cache` then is a btHashedOverlappingPairCache,
    /// and `jobs` runs on the calling thread.
    explicit BulletBroadphase(btOverlappingPairCache* pair_cache = nullptr, engine::Jobs* jobs = nullptr);
    ~BulletBroadphase() override;
    BulletBroadphase(const BulletBroadphase&) = delete;
    BulletBroadphase& operator=(const BulletBroadphase&) = delete;

    btBroadphaseProxy* createProxy(const btVector3& aabb_min, const btVector3& aabb_max, int shape_type, void* user,
                                   int filter_group, int filter_mask, btDispatcher* dispatcher) override;
    void destroyProxy(btBroadphaseProxy* proxy, btDispatcher* dispatcher) override;
    void setAabb(btBroadphaseProxy* proxy, const btVector3& aabb_min, const btVector3& aabb_max,
                 btDispatcher* dispatcher) override;
    void getAabb(btBroadphaseProxy* proxy, btVector3& aabb_min, btVector3& aabb_max) const override;

    /// Calls back for every proxy whose box the ray touches, enlarged by the box aabb_min .. aabb_max, nearest first;
    /// m_lambda_max of the callback is the length of the ray. This and aabbTest() may be called from several threads
    /// as long as nothing has been set, made or destroyed since calculateOverlappingPairs().
    void rayTest(const btVector3& from, const btVector3& to, btBroadphaseRayCallback& callback,
                 const btVector3& aabb_min = btVector3(0, 0, 0),
                 const btVector3& aabb_max = btVector3(0, 0, 0)) override;
    void aabbTest(const btVector3& aabb_min, const btVector3& aabb_max, btBroadphaseAabbCallback& callback) override;

    void calculateOverlappingPairs(btDispatcher* dispatcher) override;
    btOverlappingPairCache* getOverlappingPairCache() override { return cache_; }
    const btOverlappingPairCache* getOverlappingPairCache() const override { return cache_; }

    /// Holds all boxes; of an empty broadphase a point at the origin.
    void getBroadphaseAabb(btVector3& aabb_min, btVector3& aabb_max) const override;
    /// Once all proxies are destroyed, numbers them from the beginning again, so that what is made next is
    /// made as the first time.
    void resetPool(btDispatcher* dispatcher) override;
    void printStats() override;

  private:
    struct Proxy;
    struct Event {
        Proxy* a = nullptr;
        Proxy* b = nullptr;
        bool begun = false;
    };

    ProxyFilter filter_of(const btBroadphaseProxy& proxy) const;
    void update_filters();
    void update();
    void note(std::span<const PairChange> changes, bool begun);
    void add_missing();
    void remove_parted(btDispatcher* dispatcher);

    std::unique_ptr<btOverlappingPairCache> own_cache_;
    btOverlappingPairCache* cache_ = nullptr;
    std::unique_ptr<engine::Jobs> own_jobs_;
    engine::Jobs* jobs_ = nullptr;

    Broadphase broadphase_;
    std::vector<std::unique_ptr<Proxy>> proxies_;  // by number of the ProxyId
    uint32_t next_order_ = 0;
    bool filtering_ = true;  // the broadphase knows groups and masks; not while a callback decides
    // What has changed since calculateOverlappingPairs(), in order; rays bring the broadphase up to date but
    // must leave the cache alone.
    std::vector<Event> events_;
    int expected_pairs_ = 0;  // in the cache, when nobody else has touched it
};

}  // namespace proxima::physics
