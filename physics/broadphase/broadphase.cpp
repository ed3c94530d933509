// SPDX-License-Identifier: MIT
#include "physics/broadphase/broadphase.h"

#include <algorithm>
#include <cstring>

#include "engine/core/assert.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kPairBlock = 4096;
const Aabb kInvertedBox{Vec3(1.0f, 1.0f, 1.0f), Vec3(-1.0f, -1.0f, -1.0f)};

// Equal bit for bit, so that a box of NaNs is equal to itself and nothing is recomputed for it.
bool same_box(const Aabb& a, const Aabb& b) { return std::memcmp(&a, &b, sizeof(Aabb)) == 0; }

}  // namespace

uint32_t Broadphase::slot_of(ProxyId id) const {
    PX_ASSERT(uint32_t(id) < states_.size() && states_[uint32_t(id)] != State::free,
              "This proxy is not in the broadphase; it was removed or never inserted.");
    return uint32_t(id);
}

ProxyId Broadphase::insert(const Aabb& box, const ProxyFilter& filter, uint32_t order) {
    uint32_t slot = uint32_t(boxes_.size());
    if (free_.empty()) {
        boxes_.push_back(box);
        filters_.push_back(filter);
        orders_.push_back(order);
        ranks_.push_back(0);
        states_.push_back(State::fresh);
    } else {
        slot = free_.back();
        free_.pop_back();
        boxes_[slot] = box;
        filters_[slot] = filter;
        orders_[slot] = order;
        states_[slot] = State::fresh;
    }
    fresh_.push_back(slot);
    ranks_changed_ = true;
    changed_ = true;
    return ProxyId{slot};
}

void Broadphase::remove(ProxyId id) {
    const uint32_t slot = slot_of(id);
    boxes_[slot] = kInvertedBox;
    states_[slot] = State::free;
    free_.push_back(slot);
    ranks_changed_ = true;
    changed_ = true;
}

void Broadphase::set_box(ProxyId id, const Aabb& box) {
    Aabb& stored = boxes_[slot_of(id)];
    if (same_box(stored, box)) return;
    stored = box;
    changed_ = true;
}

void Broadphase::set_boxes(std::span<const ProxyId> ids, std::span<const Aabb> boxes) {
    PX_ASSERT(ids.size() == boxes.size(), "set_boxes needs one box for each proxy.");
    for (size_t i = 0; i < ids.size(); ++i) set_box(ids[i], boxes[i]);
}

void Broadphase::set_filter(ProxyId id, const ProxyFilter& filter) {
    filters_[slot_of(id)] = filter;
    changed_ = true;
}

// Gives every proxy its place in the caller's order. Ranks are dense, so pairs of them need few bits to sort.
void Broadphase::update_ranks() {
    // A slot that was freed and taken again is fresh: its old entry goes, its new one comes from the list
    // below.
    std::erase_if(by_order_, [&](uint32_t slot) { return states_[slot] != State::known; });
    size_t kept = 0;
    for (const uint32_t slot : fresh_) {
        if (states_[slot] != State::fresh) continue;  // removed again, or listed twice
        states_[slot] = State::known;
        fresh_[kept++] = slot;
    }
    fresh_.resize(kept);
    const auto earlier = [&](uint32_t a, uint32_t b) { return orders_[a] < orders_[b]; };
    std::sort(fresh_.begin(), fresh_.end(), earlier);
    by_order_scratch_.resize(by_order_.size() + fresh_.size());
    std::merge(by_order_.begin(), by_order_.end(), fresh_.begin(), fresh_.end(), by_order_scratch_.begin(),
               earlier);
    by_order_.swap(by_order_scratch_);
    fresh_.clear();
    for (uint32_t rank = 0; rank < by_order_.size(); ++rank) {
        PX_ASSERT(rank == 0 || orders_[by_order_[rank - 1]] < orders_[by_order_[rank]],
                  "Two proxies of the broadphase have the same order; orders must be unique.");
        ranks_[by_order_[rank]] = rank;
    }
}

void Broadphase::update(engine::Jobs& jobs) {
    if (!changed_) return;
    if (ranks_changed_) update_ranks();
    const BoxGrid::Source source{boxes_, filters_, ranks_};
    grid_.build(source, jobs);
    finder_.find(grid_, uint32_t(by_order_.size()), jobs);
    const std::span<const PairKey> keys = finder_.pairs();
    pairs_.resize(keys.size());
    jobs.parallel_for(uint32_t(keys.size()), kPairBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i)
            pairs_[i] = {ProxyId{by_order_[first_rank(keys[i])]}, ProxyId{by_order_[second_rank(keys[i])]}};
    });
    changed_ = false;
    ranks_changed_ = false;
}

void Broadphase::query(const Aabb& box, std::vector<ProxyId>& out) const {
    const bool ordered =
        box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
    if (!ordered) return;
    const size_t first = out.size();
    const auto add = [&](uint32_t slot) {
        if (states_[slot] == State::known) out.push_back(ProxyId{slot});
    };
    const GridBox area{box.lower, 0.0f, box.upper, 0.0f};
    for (const GridLevel& level : grid_.levels())
        grid_.for_boxes(level, area, [&](uint32_t place) { add(grid_.slot(place)); });
    for (const UnboundedBox& other : grid_.unbounded())
        if (overlaps(other.box, box)) add(other.slot);
    std::sort(out.begin() + ptrdiff_t(first), out.end(),
              [&](ProxyId a, ProxyId b) { return orders_[uint32_t(a)] < orders_[uint32_t(b)]; });
}

}  // namespace proxima::physics
