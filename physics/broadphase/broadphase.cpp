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
    // below. What goes leaves its order behind.
    old_order_of_rank_.swap(order_of_rank_);
    old_place_of_rank_.resize(by_order_.size());
    for (size_t rank = 0; rank < by_order_.size(); ++rank)
        old_place_of_rank_[rank] = uint32_t(states_[by_order_[rank]] == State::known);
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
    order_of_rank_.resize(by_order_.size());
    for (size_t rank = 0; rank < by_order_.size(); ++rank) order_of_rank_[rank] = orders_[by_order_[rank]];
    find_places();
}

// Merges old and new ranks by order; old_place_of_rank_ comes with a 1 for every proxy that stays. Of two
// proxies of one order, the old one gone and the new one come, the old one is first.
void Broadphase::find_places() {
    const size_t old_count = old_order_of_rank_.size(), new_count = order_of_rank_.size();
    new_place_of_rank_.resize(new_count);
    size_t before = 0, after = 0;
    for (uint32_t place = 0; before < old_count || after < new_count; ++place) {
        const bool old_first =
            after == new_count || (before < old_count && old_order_of_rank_[before] <= order_of_rank_[after]);
        if (!old_first || old_place_of_rank_[before] != 0) new_place_of_rank_[after++] = place;
        if (old_first) old_place_of_rank_[before++] = place;
    }
}

void Broadphase::update(engine::Jobs& jobs) {
    begun_.clear();
    ended_.clear();
    if (!changed_) return;
    if (ranks_changed_) update_ranks();
    const BoxGrid::Source source{boxes_, filters_, ranks_};
    grid_.build(source, jobs);
    finder_.find(grid_, uint32_t(by_order_.size()), jobs);
    old_keys_.swap(keys_);
    finder_.take(keys_);
    find_changes(jobs);
    pairs_.resize(keys_.size());
    jobs.parallel_for(uint32_t(keys_.size()), kPairBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i)
            pairs_[i] = {ProxyId{by_order_[first_rank(keys_[i])]}, ProxyId{by_order_[second_rank(keys_[i])]}};
    });
    changed_ = false;
    ranks_changed_ = false;
}

// Holds the new keys against the old ones; pairs_ still has the ids of the old. When proxies came or went,
// ranks are no common measure and places take their part.
void Broadphase::find_changes(engine::Jobs& jobs) {
    const auto to_places = [&](const std::vector<PairKey>& keys, const std::vector<uint32_t>& place_of_rank,
                               std::vector<PairKey>& out) {
        out.resize(keys.size());
        jobs.parallel_for(uint32_t(keys.size()), kPairBlock, [&](const engine::JobBlock& block) {
            for (uint32_t i = block.begin; i < block.end; ++i)
                out[i] =
                    PairKey(place_of_rank[first_rank(keys[i])]) << 32 | place_of_rank[second_rank(keys[i])];
        });
    };
    if (ranks_changed_) {
        to_places(old_keys_, old_place_of_rank_, old_keys_in_places_);
        to_places(keys_, new_place_of_rank_, keys_in_places_);
        difference_.find(old_keys_in_places_, keys_in_places_, jobs);
    } else {
        difference_.find(old_keys_, keys_, jobs);
    }
    const std::vector<uint32_t>& old_orders = ranks_changed_ ? old_order_of_rank_ : order_of_rank_;
    for (const uint32_t i : difference_.gone()) {
        const uint32_t a = first_rank(old_keys_[i]), b = second_rank(old_keys_[i]);
        ended_.push_back({pairs_[i].a, pairs_[i].b, old_orders[a], old_orders[b]});
    }
    for (const uint32_t i : difference_.come()) {
        const uint32_t a = first_rank(keys_[i]), b = second_rank(keys_[i]);
        begun_.push_back(
            {ProxyId{by_order_[a]}, ProxyId{by_order_[b]}, order_of_rank_[a], order_of_rank_[b]});
    }
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
