// SPDX-License-Identifier: MIT
#include "physics/broadphase/broadphase.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/assert.h"

namespace proxima::physics {

namespace {

const Aabb kInvertedBox{Vec3(1.0f, 1.0f, 1.0f), Vec3(-1.0f, -1.0f, -1.0f)};

// Equal bit for bit, so that a box of NaNs is equal to itself and nothing is recomputed for it.
bool same_box(const Aabb& a, const Aabb& b) { return std::memcmp(&a, &b, sizeof(Aabb)) == 0; }

}  // namespace

uint32_t Broadphase::slot_of(ProxyId id) const {
    PX_ASSERT(uint32_t(id) < states_.size() && states_[uint32_t(id)] != State::free,
              "This proxy is not in the broadphase; it was removed or never inserted.");
    return uint32_t(id);
}

void Broadphase::touch(uint32_t slot) {
    changed_[slot] = 1;
    any_changed_ = true;
}

void Broadphase::leave_grid(uint32_t slot) {
    if (grid_of_[slot] != kNoGrid) grids_[grid_of_[slot]].remove(grid_index_[slot]);
    grid_of_[slot] = kNoGrid;
}

ProxyId Broadphase::insert(const Aabb& box, const ProxyFilter& filter, uint32_t order) {
    uint32_t slot = uint32_t(boxes_.size());
    if (free_.empty()) {
        boxes_.push_back(box);
        filters_.push_back(filter);
        orders_.push_back(order);
        ranks_.push_back(0);
        states_.push_back(State::fresh);
        changed_.push_back(0);
        grid_of_.push_back(kNoGrid);
        grid_index_.push_back(BoxGrid::kNoIndex);
    } else {
        slot = free_.back();
        free_.pop_back();
        boxes_[slot] = box;
        filters_[slot] = filter;
        orders_[slot] = order;
        states_[slot] = State::fresh;
    }
    moving_count_ += uint32_t(filter.moves);
    fresh_.push_back(slot);
    rank_table_.changed = true;
    touch(slot);
    return ProxyId{slot};
}

void Broadphase::remove(ProxyId id) {
    const uint32_t slot = slot_of(id);
    if (states_[slot] == State::known) touched_ranks_[ranks_[slot]] = 1;
    leave_grid(slot);
    moving_count_ -= uint32_t(filters_[slot].moves);
    boxes_[slot] = kInvertedBox;
    states_[slot] = State::free;
    free_.push_back(slot);
    rank_table_.changed = true;
    changed_[slot] = 0;
    any_changed_ = true;
}

void Broadphase::set_box(ProxyId id, const Aabb& box) {
    const uint32_t slot = slot_of(id);
    if (same_box(boxes_[slot], box)) return;
    boxes_[slot] = box;
    touch(slot);
}

void Broadphase::set_boxes(std::span<const ProxyId> ids, std::span<const Aabb> boxes) {
    PX_ASSERT(ids.size() == boxes.size(), "set_boxes needs one box for each proxy.");
    for (size_t i = 0; i < ids.size(); ++i) set_box(ids[i], boxes[i]);
}

void Broadphase::set_boxes(std::span<const ProxyId> ids, std::span<const Aabb> boxes, engine::Jobs& jobs) {
    PX_ASSERT(ids.size() == boxes.size(), "set_boxes needs one box for each proxy.");
    constexpr uint32_t kBlock = 2048;
    const uint32_t count = uint32_t(ids.size());
    block_changed_.assign(engine::block_count(count, kBlock), 0);
    jobs.parallel_for(count, kBlock, [&](const engine::JobBlock& block) {
        uint8_t any = 0;
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const uint32_t slot = slot_of(ids[i]);
            const uint8_t differs = uint8_t(!same_box(boxes_[slot], boxes[i]));
            boxes_[slot] = boxes[i];
            changed_[slot] |= differs;
            any |= differs;
        }
        block_changed_[block.block] = any;
    });
    for (const uint8_t any : block_changed_) any_changed_ |= any != 0;
}

void Broadphase::set_filter(ProxyId id, const ProxyFilter& filter) {
    const uint32_t slot = slot_of(id);
    if (filters_[slot].moves != filter.moves) {
        filter.moves ? ++moving_count_ : --moving_count_;
        lists_stale_ = true;
    }
    filters_[slot] = filter;
    filter_changed_ = true;
    touch(slot);
}

// The slots with a change, and the ranks that their proxies had.
void Broadphase::collect_changed() {
    changed_slots_.clear();
    const uint32_t count = uint32_t(changed_.size());
    const auto collect = [&](uint32_t slot) {
        changed_[slot] = 0;
        changed_slots_.push_back(slot);
        if (states_[slot] == State::known) touched_ranks_[ranks_[slot]] = 1;
        resting_changed_ |= !filters_[slot].moves || grid_of_[slot] == kResting;
    };
    uint32_t slot = 0;
    // Most are unchanged when it matters: eight at a time.
    for (; slot + 8 <= count; slot += 8) {
        uint64_t eight = 0;
        std::memcpy(&eight, changed_.data() + slot, 8);
        if (eight == 0) continue;
        for (uint32_t k = 0; k < 8; ++k)
            if (changed_[slot + k] != 0) collect(slot + k);
    }
    for (; slot < count; ++slot)
        if (changed_[slot] != 0) collect(slot);
}

// Gives every proxy its place in the caller's order.
void Broadphase::update_ranks() {
    RankTable& table = rank_table_;
    std::vector<uint32_t>& by_order = table.slot_of_rank;
    // A slot that was freed and taken again is fresh: its old entry goes, its new one comes from the list
    // below. What goes leaves its order behind.
    table.old_order_of_rank.swap(table.order_of_rank);
    table.new_rank_of_old.resize(by_order.size());
    for (size_t rank = 0; rank < by_order.size(); ++rank)
        table.new_rank_of_old[rank] = states_[by_order[rank]] == State::known ? 0u : RankTable::kNoRank;
    std::erase_if(by_order, [&](uint32_t slot) { return states_[slot] != State::known; });
    size_t kept = 0;
    for (const uint32_t slot : fresh_) {
        if (states_[slot] != State::fresh) continue;  // removed again, or listed twice
        states_[slot] = State::known;
        fresh_[kept++] = slot;
    }
    fresh_.resize(kept);
    const auto earlier = [&](uint32_t a, uint32_t b) { return orders_[a] < orders_[b]; };
    std::sort(fresh_.begin(), fresh_.end(), earlier);
    merge_scratch_.resize(by_order.size() + fresh_.size());
    std::merge(by_order.begin(), by_order.end(), fresh_.begin(), fresh_.end(), merge_scratch_.begin(), earlier);
    by_order.swap(merge_scratch_);
    fresh_.clear();
    table.order_of_rank.resize(by_order.size());
    for (uint32_t rank = 0; rank < by_order.size(); ++rank) {
        const uint32_t order = orders_[by_order[rank]];
        PX_ASSERT(rank == 0 || table.order_of_rank[rank - 1] < order,
                  "Two proxies of the broadphase have the same order; orders must be unique.");
        table.order_of_rank[rank] = order;
        ranks_[by_order[rank]] = rank;
    }
    lists_stale_ = true;
    find_common_ranks();
}

// Merges old and new ranks by order. Of two proxies of one order, the old one gone and the new one come, the
// old one is first.
void Broadphase::find_common_ranks() {
    RankTable& table = rank_table_;
    const size_t old_count = table.old_order_of_rank.size(), new_count = table.order_of_rank.size();
    table.old_common_rank.resize(old_count);
    table.new_common_rank.resize(new_count);
    size_t before = 0, after = 0;
    for (uint32_t index = 0; before < old_count || after < new_count; ++index) {
        const bool old_first =
            after == new_count || (before < old_count && table.old_order_of_rank[before] <= table.order_of_rank[after]);
        const bool stays = old_first && table.new_rank_of_old[before] != RankTable::kNoRank;
        if (stays) table.new_rank_of_old[before] = uint32_t(after);
        if (!old_first || stays) table.new_common_rank[after++] = index;
        if (old_first) table.old_common_rank[before++] = index;
    }
}

void Broadphase::update(engine::Jobs& jobs) {
    list_.clear_changes();
    if (!any_changed_) return;
    collect_changed();
    if (rank_table_.changed) update_ranks();
    if (can_follow() && (following_ || is_worth_following())) {
        follow(jobs);
        for (const uint32_t slot : changed_slots_) touched_ranks_[ranks_[slot]] = 0;
    } else {
        // The grid of followed boxes is good for following only.
        if (following_ || is_cheaper_anew()) {
            update_anew(jobs);
        } else {
            update_changed(jobs);
        }
        touched_ranks_.assign(rank_table_.slot_of_rank.size(), 0);
    }
    rank_table_.changed = false;
    filter_changed_ = false;
    any_changed_ = false;
}

// Whether to find all pairs again or only those of the boxes that changed. In units of about 20 ns on one
// thread: a box that changed among others that did not costs some four times one of a crowd that moves.
bool Broadphase::is_cheaper_anew() {
    if (!sorted_) return true;
    const size_t resting_count = size() - moving_count_;
    const size_t moving_cost = 8 * size_t(moving_count_);
    // Sorting those at rest again is put off, but not for ever: what that costs every time is summed up.
    const size_t resting_cost = resting_changed_ ? 2 * resting_count : 0;
    const size_t overlay = earlier_slots_.size() + latest_slots_.size();
    const size_t changed = 36 * changed_slots_.size() + 2 * overlay + list_.pairs().size() / 16;
    if (changed < moving_cost) return false;
    put_off_ += changed - moving_cost;
    return put_off_ > resting_cost;
}

// Few boxes move, nothing else has changed.
bool Broadphase::can_follow() const {
    return sorted_ && !rank_table_.changed && !filter_changed_ && !resting_changed_ && moving_count_ > 0 &&
           8 * size_t(moving_count_) <= size();
}

// Most of those that can move do so all the time.
bool Broadphase::is_worth_following() {
    if (follow_pause_ > 0) --follow_pause_;
    return follow_pause_ == 0 && 4 * changed_slots_.size() >= moving_count_;
}

void Broadphase::follow(engine::Jobs& jobs) {
    float step = 0.0f;
    bool stay = following_;
    for (const uint32_t slot : changed_slots_) {
        if (!stay) break;
        const float travel = distance_between(shown_[slot], boxes_[slot]);
        step = std::max(step, travel);
        stay = std::isfinite(travel) && is_within(boxes_[slot], fat_boxes_[slot]);
    }
    if (!stay) {
        search_around(jobs);
        return;
    }
    for (const uint32_t slot : changed_slots_) shown_[slot] = boxes_[slot];
    near_.advance(double(step), shown_);
    list_.change(near_.gone(), near_.come(), rank_table_, jobs);
    ++updates_in_fat_boxes_;
}

// Gives all that move new fat boxes, and finds what is near them.
void Broadphase::search_around(engine::Jobs& jobs) {
    constexpr uint32_t kFewUpdates = 3, kPause = 64;
    searches_in_a_row_ = following_ && updates_in_fat_boxes_ < kFewUpdates ? searches_in_a_row_ + 1 : 0;
    if (searches_in_a_row_ > kFewUpdates) {
        follow_pause_ = kPause;
        searches_in_a_row_ = 0;
        update_anew(jobs);
        return;
    }
    updates_in_fat_boxes_ = 0;
    if (!following_) shown_ = boxes_;
    if (lists_stale_) list_slots();
    fat_boxes_.resize(boxes_.size());
    for (const uint32_t slot : moving_slots_) {
        fat_boxes_[slot] = fat_box_around(shown_[slot], boxes_[slot]);
        shown_[slot] = boxes_[slot];
    }
    sort_all(false, fat_boxes_, jobs);
    following_ = true;
    const std::array<PairFinder::Meeting, 2> meetings{
        {{&grids_[kMoving], &grids_[kMoving]}, {&grids_[kMoving], &grids_[kResting]}}};
    finder_.find(meetings, uint32_t(rank_table_.slot_of_rank.size()), near_found_, jobs);
    near_.begin(near_found_, rank_table_.slot_of_rank, shown_, filters_, found_);
    list_.replace(found_, rank_table_, jobs);
}

void Broadphase::update_anew(engine::Jobs& jobs) {
    sort_all(resting_changed_, boxes_, jobs);
    const std::array<PairFinder::Meeting, 2> meetings{
        {{&grids_[kMoving], &grids_[kMoving]}, {&grids_[kMoving], &grids_[kResting]}}};
    finder_.find(meetings, uint32_t(rank_table_.slot_of_rank.size()), found_, jobs);
    list_.replace(found_, rank_table_, jobs);
}

void Broadphase::update_changed(engine::Jobs& jobs) {
    for (const uint32_t slot : changed_slots_) leave_grid(slot);
    if (!changed_slots_.empty()) {
        // What changed in earlier updates and rests now goes to one grid, what changed now to another.
        earlier_slots_.insert(earlier_slots_.end(), latest_slots_.begin(), latest_slots_.end());
        std::erase_if(earlier_slots_,
                      [&](uint32_t slot) { return grid_of_[slot] != kEarlier && grid_of_[slot] != kLatest; });
        latest_slots_ = changed_slots_;
        sort_into(kEarlier, earlier_slots_, jobs);
        sort_into(kLatest, latest_slots_, jobs);
        grids_stale_ = true;
    }
    if (rank_table_.changed)
        for (BoxGrid& grid : grids_) grid.update_ranks(ranks_, jobs);
    found_.clear();
    if (!changed_slots_.empty()) {
        const BoxGrid* latest = &grids_[kLatest];
        const std::array<PairFinder::Meeting, 4> meetings{
            {{latest, latest}, {latest, &grids_[kEarlier]}, {latest, &grids_[kMoving]}, {latest, &grids_[kResting]}}};
        finder_.find(meetings, uint32_t(rank_table_.slot_of_rank.size()), found_, jobs);
    }
    list_.patch(touched_ranks_, found_, rank_table_, jobs);
    // Holes and overlays make every search a little slower, so they must stay few.
    if (8 * (earlier_slots_.size() + latest_slots_.size()) > size()) sort_all(resting_changed_, boxes_, jobs);
}

// Sorts all boxes into the first two grids.
void Broadphase::sort_all(bool resting_too, std::span<const Aabb> moving_boxes, engine::Jobs& jobs) {
    if (lists_stale_) list_slots();
    const GridAxes before = axes_;
    choose_axes();
    resting_too |= !sorted_ || before.sort != axes_.sort || before.strip != axes_.strip;
    if (grids_stale_) {
        for (const uint32_t slot : resting_slots_) grid_of_[slot] = kResting;
        for (const uint32_t slot : moving_slots_) grid_of_[slot] = kMoving;
    }
    const BoxGrid::Source source{boxes_, filters_, ranks_};
    grids_[kMoving].build({moving_boxes, filters_, ranks_}, moving_slots_, axes_, grid_index_, jobs);
    following_ = false;
    if (resting_too) {
        grids_[kResting].build(source, resting_slots_, axes_, grid_index_, jobs);
    } else if (rank_table_.changed) {
        grids_[kResting].update_ranks(ranks_, jobs);
    }
    grids_[kEarlier].clear();
    grids_[kLatest].clear();
    earlier_slots_.clear();
    latest_slots_.clear();
    // What the next updates with few changes may need.
    const uint32_t few = uint32_t(size() / 2 + 16);
    for (const Grid grid : {kEarlier, kLatest}) grids_[grid].reserve(few);
    for (std::vector<uint32_t>* slots : {&changed_slots_, &earlier_slots_, &latest_slots_})
        slots->reserve(boxes_.size());
    found_.reserve(list_.pairs().size());
    if (8 * size_t(moving_count_) <= size())
        for (std::vector<Aabb>* list : {&fat_boxes_, &shown_}) list->reserve(boxes_.size());
    sorted_ = true;
    grids_stale_ = false;
    resting_changed_ = false;
    put_off_ = 0;
}

void Broadphase::sort_into(Grid grid, std::span<const uint32_t> slots, engine::Jobs& jobs) {
    for (const uint32_t slot : slots) grid_of_[slot] = grid;
    grids_[grid].build({boxes_, filters_, ranks_}, slots, axes_, grid_index_, jobs);
}

void Broadphase::list_slots() {
    resting_slots_.clear();
    moving_slots_.clear();
    for (const uint32_t slot : rank_table_.slot_of_rank)
        (filters_[slot].moves ? moving_slots_ : resting_slots_).push_back(slot);
    lists_stale_ = false;
    grids_stale_ = true;
}

// The axis along which the crowd has the fewest layers of boxes is the third: a search looks at everything in
// its column along it. The one with the most is sorted along. A sample says enough, and the old axes stay
// unless others are clearly better, because the resting boxes follow them.
void Broadphase::choose_axes() {
    constexpr size_t kSample = 256;
    const std::vector<uint32_t>& slots = moving_slots_.empty() ? resting_slots_ : moving_slots_;
    const size_t stride = std::max<size_t>(1, slots.size() / kSample);
    double layers[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
        double count = 0.0, sum = 0.0, extent = 0.0, spread = 0.0;
        const auto for_sample = [&](auto&& visit) {
            for (size_t i = 0; i < slots.size(); i += stride) {
                const double lower = boxes_[slots[i]].lower[axis], upper = boxes_[slots[i]].upper[axis];
                if (std::isfinite(lower) && std::isfinite(upper) && lower <= upper) visit(lower, upper);
            }
        };
        for_sample([&](double lower, double upper) {
            count += 1.0;
            sum += 0.5 * (lower + upper);
            extent += upper - lower;
        });
        const double mean = sum / std::max(count, 1.0);
        for_sample([&](double lower, double upper) { spread += std::abs(0.5 * (lower + upper) - mean); });
        // Evenly spread boxes are a quarter of the length away from their middle in the mean.
        const double length = 4.0 * spread / std::max(count, 1.0);
        const double mean_extent = extent / std::max(count, 1.0);
        axes_.length[axis] = std::max(length, 1.0e-6);
        layers[axis] = length / std::max(mean_extent, 1.0e-30) + 1.0;
    }
    int third = 0, sort = 0;
    for (int axis = 1; axis < 3; ++axis) {
        if (layers[axis] < layers[third]) third = axis;
        if (layers[axis] >= layers[sort]) sort = axis;
    }
    if (third == sort) third = (sort + 1) % 3;
    constexpr double kClearly = 1.3;
    const bool better =
        layers[axes_.third] > kClearly * layers[third] || layers[sort] > kClearly * kClearly * layers[axes_.sort];
    if (!better && sorted_) return;
    axes_.third = third;
    axes_.sort = sort;
    axes_.strip = 3 - third - sort;
}

size_t Broadphase::bytes() const {
    size_t sum = capacity_bytes(boxes_, filters_, orders_, ranks_, states_, changed_, grid_of_, grid_index_, free_,
                                fresh_, merge_scratch_, touched_ranks_, changed_slots_, resting_slots_, moving_slots_,
                                earlier_slots_, latest_slots_, block_changed_, found_, near_found_, fat_boxes_, shown_);
    sum += capacity_bytes(rank_table_.slot_of_rank, rank_table_.order_of_rank, rank_table_.old_order_of_rank,
                          rank_table_.new_rank_of_old, rank_table_.old_common_rank, rank_table_.new_common_rank);
    for (const BoxGrid& grid : grids_) sum += grid.bytes();
    return sum + finder_.bytes() + list_.bytes() + near_.bytes();
}

void Broadphase::query(const Aabb& box, std::vector<ProxyId>& out) const {
    const bool ordered = box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
    if (!ordered) return;
    const size_t first = out.size();
    for (const BoxGrid& grid : grids_) {
        const bool has_room = following_ && &grid == &grids_[kMoving];
        grid.for_boxes(box, [&](uint32_t index) {
            const uint32_t slot = grid.slot(index);
            if (!has_room || overlaps(shown_[slot], box)) out.push_back(ProxyId{slot});
        });
        for (const UnboundedBox& other : grid.unbounded())
            if (overlaps(has_room ? shown_[other.slot] : other.box, box)) out.push_back(ProxyId{other.slot});
    }
    std::sort(out.begin() + ptrdiff_t(first), out.end(),
              [&](ProxyId a, ProxyId b) { return orders_[uint32_t(a)] < orders_[uint32_t(b)]; });
}

void Broadphase::cast(const BoxCast& cast, std::vector<CastHit>& out) const {
    const size_t first = out.size();
    for_cast(cast, [&](ProxyId id, float fraction) {
        out.push_back({id, fraction});
        return cast.max_fraction;
    });
    std::sort(out.begin() + ptrdiff_t(first), out.end(), [&](const CastHit& a, const CastHit& b) {
        if (a.fraction != b.fraction) return a.fraction < b.fraction;
        return orders_[uint32_t(a.id)] < orders_[uint32_t(b.id)];
    });
}

}  // namespace proxima::physics
