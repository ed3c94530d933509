// SPDX-License-Identifier: MIT
// What is kept of an island from step to step: its factor, and the one that is made while that is in use. The solve itself
// is in direct_newton.cpp.
#include "physics/solve/direct/direct_island.h"

#include <algorithm>

#include "engine/core/capacity.h"

namespace proxima::physics::direct {

using sweep::BodyRecord;
using sweep::Item;
using sweep::Layout;
using sweep::Partition;

namespace {

constexpr float kMaxGrowth = 1.25f;  // of the work in the old order of rows: beyond it there is a new one

}  // namespace

DirectIsland::DirectIsland() {
    constexpr uint32_t kBodies = 16, kPairs = 64;
    factor_.reserve(kBodies, kPairs);
    edges_.reserve(kPairs);
    rows_.reserve(kPairs / 4);
    for (std::vector<BodyRecord>* list : {&mass_, &gradient_, &direction_, &start_, &kept_}) list->reserve(kBodies);
    packed_.reserve(kBlock6Stride * kBodies);
}

bool DirectIsland::change_constraints() {
    has_graph_ = next_has_graph_ = false;
    return spread_;
}

/// Without a factor the one that is under way has its place.
void DirectIsland::drop_factor() {
    if (has_factor_ && under_way_) {
        std::swap(factor_, *next_);
        std::swap(has_graph_, next_has_graph_);
    }
    has_factor_ = false;
}

/// What was under way is the factor from now on.
void DirectIsland::end_factor() {
    drop_factor();
    has_factor_ = true;
    under_way_ = false;
}

void DirectIsland::list_edges(const Layout& layout, const Partition& partition) {
    resize_roomily(edges_, partition.item_end - partition.item_begin);
    edges_.clear();
    // A body that constraints move has a record of the partition.
    const auto is_own = [&](uint32_t index) {
        return index >= partition.body_begin && index < partition.body_begin + partition.body_count;
    };
    for (uint32_t k = partition.item_begin; k < partition.item_end; ++k) {
        const Item& item = layout.items[k];
        const uint32_t a = layout.index_of_body[item.body_a], b = layout.index_of_body[item.body_b];
        if (is_own(a) && is_own(b)) edges_.push_back({a - partition.body_begin, b - partition.body_begin});
    }
}

/// Lays out the factor that is to be made. False when it would be too large.
bool DirectIsland::analyse(const Layout& layout, const Partition& partition) {
    if (!has_factor_) {
        if (has_graph_) return true;
        list_edges(layout, partition);
        has_graph_ = factor_.analyse(partition.body_count, edges_);
        return has_graph_;
    }
    if (!next_) next_ = std::make_unique<BlockCholesky>();
    if (next_has_graph_) return true;
    list_edges(layout, partition);
    // In the order of the factor in use, columns that stay as they are need not be made again.
    next_has_graph_ = next_->analyse_in_order(factor_.order(), edges_);
    if (!next_has_graph_ || float(next_->work()) > kMaxGrowth * float(factor_.work()))
        next_has_graph_ = next_->analyse(partition.body_count, edges_);
    return next_has_graph_;
}

void DirectIsland::save_factors(const Identity& identity, SavedFactors& out) const {
    const auto save = [&](const BlockCholesky& factor, uint32_t flags) {
        out.list.push_back({identity, factor.rows(), uint32_t(factor.pairs()), factor.columns_done(),
                            flags | (spread_ ? SavedFactor::kSpread : 0)});
        for (uint32_t k = 0; k < factor.rows(); ++k)
            out.indices.push_back(factor.order()[k] |
                                  (factor.kept()[k] && !factor.is_complete() ? SavedFactor::kKept : 0));
        factor.list_pairs(out.indices);
        factor.save_matrix(out.values);
    };
    if (has_factor_ || under_way_) save(factor_, 0);
    if (has_factor_ && under_way_) save(*next_, SavedFactor::kNext);
}

bool DirectIsland::restore_factor(const Partition& partition, const SavedFactor& saved, std::span<const float> values,
                                  std::span<const uint32_t> indices) {
    const bool is_next = saved.flags & SavedFactor::kNext;
    const bool is_complete = saved.columns == saved.rows;
    // Only the one that others wait for is in pieces, and only of islands whose factors are.
    if (saved.rows != partition.body_count || under_way_ || is_next != has_factor_ ||
        (!is_complete && !(saved.flags & SavedFactor::kSpread)))
        return false;
    if (is_next && !next_) next_ = std::make_unique<BlockCholesky>();
    BlockCholesky& factor = is_next ? *next_ : factor_;
    resize_roomily(edges_, saved.pairs);
    for (uint32_t k = 0; k < saved.pairs; ++k)
        edges_[k] = {indices[saved.rows + 2 * k], indices[saved.rows + 2 * k + 1]};
    std::vector<uint32_t> order;
    std::vector<uint8_t> kept;
    for (const uint32_t index : indices.first(saved.rows)) {
        order.push_back(index & ~SavedFactor::kKept);
        kept.push_back(index & SavedFactor::kKept ? 1 : 0);
    }
    if (!factor.analyse_in_order(order, edges_) || factor.pairs() != saved.pairs) return false;
    factor.load_matrix(values);
    if (!factor.factorise_kept(kept) || !factor.factorise_until(saved.columns)) return false;
    spread_ = saved.flags & SavedFactor::kSpread;
    (is_next || !is_complete ? under_way_ : has_factor_) = true;
    return true;
}

size_t DirectIsland::bytes() const {
    return sizeof(*this) + factor_.bytes() + (next_ ? sizeof(*next_) + next_->bytes() : 0) +
           capacity_bytes(edges_, rows_, mass_, gradient_, direction_, start_, kept_, packed_);
}

}  // namespace proxima::physics::direct
