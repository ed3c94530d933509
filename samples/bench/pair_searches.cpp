// SPDX-License-Identifier: MIT
// Proxima's broadphase and Bullet's, each used as it is meant to be: boxes are set where they changed, then
// the pairs are asked for.
#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <algorithm>

#include "engine/jobs/jobs.h"
#include "physics/broadphase/broadphase.h"
#include "physics/broadphase/bullet/bullet_broadphase.h"
#include "samples/bench/crowds.h"

namespace proxima::bench {

namespace {

class ProximaSearch final : public PairSearch {
  public:
    ProximaSearch(const Crowd& crowd, uint32_t threads) : jobs_(engine::make_threaded_jobs(threads)) {
        for (uint32_t i = 0; i < crowd.boxes.size(); ++i) {
            physics::ProxyFilter filter;
            filter.moves = crowd.moves[i] != 0;
            ids_.push_back(broadphase_.insert(crowd.boxes[i], filter, i));
        }
        broadphase_.update(*jobs_);
    }

    void update(std::span<const uint32_t> movers, std::span<const Aabb> boxes) override {
        moved_.clear();
        for (const uint32_t i : movers) moved_.push_back(ids_[i]);
        broadphase_.set_boxes(moved_, boxes, *jobs_);
        broadphase_.update(*jobs_);
    }

    uint64_t exact_pairs() const override { return broadphase_.pairs().size(); }

  private:
    std::unique_ptr<engine::Jobs> jobs_;
    physics::Broadphase broadphase_;
    std::vector<physics::ProxyId> ids_, moved_;
};

btVector3 vector_of(const Vec3& v) { return {v.x, v.y, v.z}; }

/// Any broadphase of Bullet. Its algorithms ask the dispatcher for nothing but its debug settings.
class BulletSearch final : public PairSearch {
  public:
    BulletSearch(const Crowd& crowd, std::unique_ptr<btBroadphaseInterface> broadphase)
        : broadphase_(std::move(broadphase)) {
        for (size_t i = 0; i < crowd.boxes.size(); ++i) {
            const bool moves = crowd.moves[i] != 0;
            const int group = moves ? btBroadphaseProxy::DefaultFilter : btBroadphaseProxy::StaticFilter;
            const int mask =
                moves ? btBroadphaseProxy::AllFilter : btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter;
            const btVector3 lower = vector_of(crowd.boxes[i].lower), upper = vector_of(crowd.boxes[i].upper);
            btBroadphaseProxy* proxy = broadphase_->createProxy(lower, upper, 0, nullptr, group, mask, nullptr);
            proxy->m_aabbMin = lower;  // the sweeps fill these in only when a box is set again
            proxy->m_aabbMax = upper;
            proxies_.push_back(proxy);
        }
        broadphase_->calculateOverlappingPairs(nullptr);
    }
    ~BulletSearch() override {
        for (btBroadphaseProxy* proxy : proxies_) broadphase_->destroyProxy(proxy, nullptr);
    }

    void update(std::span<const uint32_t> movers, std::span<const Aabb> boxes) override {
        for (size_t k = 0; k < movers.size(); ++k)
            broadphase_->setAabb(proxies_[movers[k]], vector_of(boxes[k].lower), vector_of(boxes[k].upper), nullptr);
        broadphase_->calculateOverlappingPairs(nullptr);
    }

    uint64_t exact_pairs() const override {
        const btBroadphasePairArray& pairs = broadphase_->getOverlappingPairCache()->getOverlappingPairArray();
        uint64_t count = 0;
        for (int i = 0; i < pairs.size(); ++i) {
            const btBroadphaseProxy &a = *pairs[i].m_pProxy0, &b = *pairs[i].m_pProxy1;
            bool overlap = true;
            for (int k = 0; k < 3; ++k)
                overlap = overlap && a.m_aabbMin[k] <= b.m_aabbMax[k] && b.m_aabbMin[k] <= a.m_aabbMax[k];
            count += overlap ? 1 : 0;
        }
        return count;
    }

  private:
    std::unique_ptr<btBroadphaseInterface> broadphase_;
    std::vector<btBroadphaseProxy*> proxies_;
};

/// What the sweep-and-prune structures quantise: the space of the crowd, with room to move.
std::pair<btVector3, btVector3> space_of(const Crowd& crowd) {
    Vec3 lower(0.0f), upper(0.0f);
    for (const Aabb& box : crowd.boxes) {
        lower = glm::min(lower, box.lower);
        upper = glm::max(upper, box.upper);
    }
    return {vector_of(lower - Vec3(2.0f)), vector_of(upper + Vec3(2.0f))};
}

constexpr bool kNoTree = true;  // the sweeps would keep a tree beside them for rays; pairs need none

constexpr PairSearchInfo kSearches[] = {
    {"proxima", true, 0,
     [](const Crowd& crowd, uint32_t threads) -> std::unique_ptr<PairSearch> {
         return std::make_unique<ProximaSearch>(crowd, threads);
     }},
    {"proxima_in_bullet", false, 0,  // through Bullet's interface, into Bullet's cache of pairs
     [](const Crowd& crowd, uint32_t) -> std::unique_ptr<PairSearch> {
         return std::make_unique<BulletSearch>(crowd, std::make_unique<physics::BulletBroadphase>());
     }},
    {"btDbvtBroadphase", false, 0,
     [](const Crowd& crowd, uint32_t) -> std::unique_ptr<PairSearch> {
         return std::make_unique<BulletSearch>(crowd, std::make_unique<btDbvtBroadphase>());
     }},
    {"btAxisSweep3", false, 16000,  // two 16-bit ends per box, and room to spare
     [](const Crowd& crowd, uint32_t) -> std::unique_ptr<PairSearch> {
         const auto [lower, upper] = space_of(crowd);
         const auto handles = static_cast<unsigned short>(crowd.boxes.size() + 16);
         return std::make_unique<BulletSearch>(crowd,
                                               std::make_unique<btAxisSweep3>(lower, upper, handles, nullptr, kNoTree));
     }},
    {"bt32BitAxisSweep3", false, 0,
     [](const Crowd& crowd, uint32_t) -> std::unique_ptr<PairSearch> {
         const auto [lower, upper] = space_of(crowd);
         const auto handles = static_cast<unsigned int>(crowd.boxes.size() + 16);
         return std::make_unique<BulletSearch>(
             crowd, std::make_unique<bt32BitAxisSweep3>(lower, upper, handles, nullptr, kNoTree));
     }},
};

}  // namespace

std::span<const PairSearchInfo> pair_search_table() { return kSearches; }

}  // namespace proxima::bench
