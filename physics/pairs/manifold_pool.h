// SPDX-License-Identifier: MIT
// The contact manifolds of a world under ids that last as long as the manifold does, whatever comes and goes
// beside it. Ids carry no meaning beyond that: no result depends on them.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/long_list.h"
#include "physics/components.h"
#include "physics/graph/colours.h"
#include "physics/step_params.h"

namespace proxima::physics {

using ManifoldId = uint32_t;

/// What the world keeps of a manifold beside what games see.
struct ManifoldSlot {
    uint32_t pair = kNone;       // into Pairs::slots; kNone: the id is free
    ManifoldId next = kNone;     // of the same pair, or the next free id
    uint32_t edge = kNone;       // into Graph::edges
    uint32_t extended = kNone;   // into the extended frictions
    uint32_t part = 0;           // which parts of composite shapes made it; 0 between convex shapes
    uint8_t colour = kNoColour;  // of the sweeps
    uint8_t listed_points = 0;   // points when the graph last looked; 0: not listed
};

/// Begins a cache line.
struct alignas(64) PooledManifold : Manifold {};

class ManifoldPool {
  public:
    Manifold& operator[](ManifoldId id) { return manifolds_[id]; }
    const Manifold& operator[](ManifoldId id) const { return manifolds_[id]; }
    ManifoldSlot& slot(ManifoldId id) { return slots_[id]; }
    const ManifoldSlot& slot(ManifoldId id) const { return slots_[id]; }
    size_t size() const { return manifolds_.size() - free_count_; }

    /// A fresh manifold for a pair.
    ManifoldId make(uint32_t pair) {
        ManifoldId id = first_free_;
        if (id == kNone) {
            id = ManifoldId(manifolds_.size());
            manifolds_.emplace_back();
            slots_.emplace_back();
        } else {
            first_free_ = slots_[id].next;
            --free_count_;
            manifolds_[id] = PooledManifold{};
            slots_[id] = ManifoldSlot{};
        }
        slots_[id].pair = pair;
        return id;
    }
    void free(ManifoldId id) {
        if (slots_[id].extended != kNone) free_extended(id);
        slots_[id] = ManifoldSlot{};
        slots_[id].next = first_free_;
        manifolds_[id].count = 0;
        first_free_ = id;
        ++free_count_;
    }
    void clear() {
        manifolds_.clear();
        slots_.clear();
        extended_.clear();
        free_extended_.clear();
        first_free_ = kNone;
        free_count_ = 0;
    }

    /// Friction beyond the disk; few manifolds have it. nullptr: none.
    ExtendedFriction* extended(ManifoldId id) {
        return slots_[id].extended != kNone ? &extended_[slots_[id].extended] : nullptr;
    }
    const ExtendedFriction* extended(ManifoldId id) const {
        return slots_[id].extended != kNone ? &extended_[slots_[id].extended] : nullptr;
    }
    ExtendedFriction& make_extended(ManifoldId id) {
        if (ExtendedFriction* there = extended(id)) return *there;
        if (free_extended_.empty()) {
            slots_[id].extended = uint32_t(extended_.size());
            return extended_.emplace_back();
        }
        slots_[id].extended = free_extended_.back();
        free_extended_.pop_back();
        return extended_[slots_[id].extended] = ExtendedFriction{};
    }

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(manifolds_, slots_, extended_, free_extended_);
    }

  private:
    void free_extended(ManifoldId id) {
        free_extended_.push_back(slots_[id].extended);
        slots_[id].extended = kNone;
    }

    LongList<PooledManifold> manifolds_;
    std::vector<ManifoldSlot> slots_;  // by the same ids
    std::vector<ExtendedFriction> extended_;
    std::vector<uint32_t> free_extended_;
    ManifoldId first_free_ = kNone;
    size_t free_count_ = 0;
};

}  // namespace proxima::physics
