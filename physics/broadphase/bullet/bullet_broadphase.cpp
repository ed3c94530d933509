// SPDX-License-Identifier: MIT
#include "physics/broadphase/bullet/bullet_broadphase.h"

#include <BulletCollision/BroadphaseCollision/btDispatcher.h>
#include <BulletCollision/BroadphaseCollision/btOverlappingPairCache.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace proxima::physics {

/// Bullet's proxy with our names for it.
struct BulletBroadphase::Proxy : btBroadphaseProxy {
    ProxyId id = kNoProxy;
    uint32_t order = 0;
    int known_group = 0, known_mask = 0;  // as the broadphase knows them
};

namespace {

Vec3 to_vec3(const btVector3& v) { return {float(v.x()), float(v.y()), float(v.z())}; }

// Bullet may be built for double precision; then the box grows to the next floats.
Aabb to_aabb(const btVector3& lower, const btVector3& upper) {
    Aabb box{to_vec3(lower), to_vec3(upper)};
    if constexpr (sizeof(btScalar) > sizeof(float)) {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        for (int axis = 0; axis < 3; ++axis) {
            if (btScalar(box.lower[axis]) > lower[axis]) box.lower[axis] = std::nextafter(box.lower[axis], -kInfinity);
            if (btScalar(box.upper[axis]) < upper[axis]) box.upper[axis] = std::nextafter(box.upper[axis], kInfinity);
        }
    }
    return box;
}

bool boxes_overlap(const btBroadphaseProxy& a, const btBroadphaseProxy& b) {
    return overlaps(to_aabb(a.m_aabbMin, a.m_aabbMax), to_aabb(b.m_aabbMin, b.m_aabbMax));
}

}  // namespace

BulletBroadphase::BulletBroadphase(btOverlappingPairCache* pair_cache, engine::Jobs* jobs)
    : cache_(pair_cache), jobs_(jobs) {
    if (cache_ == nullptr) {
        own_cache_ = std::make_unique<btHashedOverlappingPairCache>();
        cache_ = own_cache_.get();
    }
    if (jobs_ == nullptr) {
        own_jobs_ = engine::make_serial_jobs();
        jobs_ = own_jobs_.get();
    }
}

BulletBroadphase::~BulletBroadphase() = default;

// A filter callback of the cache may allow what groups and masks forbid, so with one every overlap must be found.
ProxyFilter BulletBroadphase::filter_of(const btBroadphaseProxy& proxy) const {
    ProxyFilter filter;
    if (filtering_) {
        filter.layer = uint32_t(proxy.m_collisionFilterGroup);
        filter.mask = uint32_t(proxy.m_collisionFilterMask);
    }
    return filter;
}

btBroadphaseProxy* BulletBroadphase::createProxy(const btVector3& aabb_min, const btVector3& aabb_max,
                                                 int /*shape_type*/, void* user, int filter_group, int filter_mask,
                                                 btDispatcher* /*dispatcher*/) {
    auto proxy = std::make_unique<Proxy>();
    proxy->m_clientObject = user;
    proxy->m_collisionFilterGroup = proxy->known_group = filter_group;
    proxy->m_collisionFilterMask = proxy->known_mask = filter_mask;
    proxy->m_aabbMin = aabb_min;
    proxy->m_aabbMax = aabb_max;
    proxy->order = next_order_++;
    proxy->m_uniqueId = int(proxy->order) + 1;
    proxy->id = broadphase_.insert(to_aabb(aabb_min, aabb_max), filter_of(*proxy), proxy->order);
    const size_t number = size_t(proxy->id);
    if (proxies_.size() <= number) proxies_.resize(number + 1);
    proxies_[number] = std::move(proxy);
    return proxies_[number].get();
}

void BulletBroadphase::destroyProxy(btBroadphaseProxy* proxy, btDispatcher* dispatcher) {
    Proxy* own = static_cast<Proxy*>(proxy);
    cache_->removeOverlappingPairsContainingProxy(proxy, dispatcher);
    expected_pairs_ = cache_->getNumOverlappingPairs();
    std::erase_if(events_, [&](const Event& event) { return event.a == own || event.b == own; });
    const ProxyId id = own->id;
    broadphase_.remove(id);
    proxies_[size_t(id)].reset();
}

void BulletBroadphase::setAabb(btBroadphaseProxy* proxy, const btVector3& aabb_min, const btVector3& aabb_max,
                               btDispatcher* /*dispatcher*/) {
    Proxy* own = static_cast<Proxy*>(proxy);
    own->m_aabbMin = aabb_min;
    own->m_aabbMax = aabb_max;
    broadphase_.set_box(own->id, to_aabb(aabb_min, aabb_max));
}

void BulletBroadphase::getAabb(btBroadphaseProxy* proxy, btVector3& aabb_min, btVector3& aabb_max) const {
    aabb_min = proxy->m_aabbMin;
    aabb_max = proxy->m_aabbMax;
}

// Groups and masks are plain fields that anybody may write to.
void BulletBroadphase::update_filters() {
    const bool filtering = cache_->getOverlapFilterCallback() == nullptr;
    const bool all = filtering != filtering_;
    filtering_ = filtering;
    for (const std::unique_ptr<Proxy>& proxy : proxies_) {
        if (!proxy) continue;
        const bool same =
            proxy->known_group == proxy->m_collisionFilterGroup && proxy->known_mask == proxy->m_collisionFilterMask;
        if (same && !all) continue;
        proxy->known_group = proxy->m_collisionFilterGroup;
        proxy->known_mask = proxy->m_collisionFilterMask;
        broadphase_.set_filter(proxy->id, filter_of(*proxy));
    }
}

// Brings the broadphase up to date and keeps in mind what that changed.
void BulletBroadphase::update() {
    if (broadphase_.is_up_to_date()) return;
    broadphase_.update(*jobs_);
    note(broadphase_.ended(), false);
    note(broadphase_.begun(), true);
}

void BulletBroadphase::note(std::span<const PairChange> changes, bool begun) {
    // A proxy that is gone took its pairs with it; another may have its id by now, but never its order.
    const auto proxy_of = [&](ProxyId id, uint32_t order) -> Proxy* {
        Proxy* proxy = proxies_[size_t(id)].get();
        return proxy != nullptr && proxy->order == order ? proxy : nullptr;
    };
    for (const PairChange& change : changes) {
        const Event event{proxy_of(change.a, change.order_a), proxy_of(change.b, change.order_b), begun};
        if (event.a != nullptr && event.b != nullptr) events_.push_back(event);
    }
}

void BulletBroadphase::calculateOverlappingPairs(btDispatcher* dispatcher) {
    update_filters();
    update();
    const bool touched = cache_->getNumOverlappingPairs() != expected_pairs_;
    const bool deferred = cache_->hasDeferredRemoval();
    for (const Event& event : events_) {
        if (event.begun) {
            cache_->addOverlappingPair(event.a, event.b);
        } else if (!deferred) {
            cache_->removeOverlappingPair(event.a, event.b, dispatcher);
        }
    }
    events_.clear();
    // Somebody has taken pairs out of the cache, for example to have them filtered anew.
    if (touched) add_missing();
    if (deferred) remove_parted(dispatcher);
    expected_pairs_ = cache_->getNumOverlappingPairs();
}

void BulletBroadphase::add_missing() {
    for (const ProxyPair& pair : broadphase_.pairs()) {
        Proxy* a = proxies_[size_t(pair.a)].get();
        Proxy* b = proxies_[size_t(pair.b)].get();
        if (cache_->findPair(a, b) == nullptr) cache_->addOverlappingPair(a, b);
    }
}

// A cache that removes pairs later, all at once, wants to be told which.
void BulletBroadphase::remove_parted(btDispatcher* dispatcher) {
    struct Parted final : btOverlapCallback {
        bool processOverlap(btBroadphasePair& pair) override {
            return !boxes_overlap(*pair.m_pProxy0, *pair.m_pProxy1);
        }
    };
    Parted parted;
    cache_->processAllOverlappingPairs(&parted, dispatcher);
}

void BulletBroadphase::rayTest(const btVector3& from, const btVector3& to, btBroadphaseRayCallback& callback,
                               const btVector3& aabb_min, const btVector3& aabb_max) {
    update();
    BoxCast cast;
    cast.origin = to_vec3(from);
    cast.displacement = to_vec3(to - from);
    const Aabb around = to_aabb(aabb_min, aabb_max);
    cast.lower = around.lower;
    cast.upper = around.upper;
    const float length = glm::length(cast.displacement);
    // The length in the callback is a rounded one; what it just fails to reach is still asked.
    constexpr float kSlack = 1.0e-6f;
    if (length > 0.0f) cast.max_fraction = float(callback.m_lambda_max) / length * (1.0f + kSlack);
    std::vector<CastHit> hits;
    broadphase_.cast(cast, hits);
    for (const CastHit& hit : hits) callback.process(proxies_[size_t(hit.id)].get());
}

void BulletBroadphase::aabbTest(const btVector3& aabb_min, const btVector3& aabb_max,
                                btBroadphaseAabbCallback& callback) {
    update();
    std::vector<ProxyId> found;
    broadphase_.query(to_aabb(aabb_min, aabb_max), found);
    for (const ProxyId id : found) callback.process(proxies_[size_t(id)].get());
}

void BulletBroadphase::getBroadphaseAabb(btVector3& aabb_min, btVector3& aabb_max) const {
    bool any = false;
    aabb_min = aabb_max = btVector3(0, 0, 0);
    for (const std::unique_ptr<Proxy>& proxy : proxies_) {
        if (!proxy) continue;
        if (!any) {
            aabb_min = proxy->m_aabbMin;
            aabb_max = proxy->m_aabbMax;
        }
        aabb_min.setMin(proxy->m_aabbMin);
        aabb_max.setMax(proxy->m_aabbMax);
        any = true;
    }
}

void BulletBroadphase::resetPool(btDispatcher* /*dispatcher*/) {
    if (broadphase_.size() > 0) return;
    broadphase_ = Broadphase();
    proxies_.clear();
    events_.clear();
    next_order_ = 0;
    expected_pairs_ = cache_->getNumOverlappingPairs();
}

void BulletBroadphase::printStats() {
    std::printf("broadphase: %zu proxies, %zu overlaps, %d pairs in the cache\n", broadphase_.size(),
                broadphase_.pairs().size(), cache_->getNumOverlappingPairs());
}

}  // namespace proxima::physics
