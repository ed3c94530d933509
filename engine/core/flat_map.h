// SPDX-License-Identifier: MIT
// A hash map from 64-bit keys to 32-bit values in two flat arrays: for tables that are asked often and
// changed a little every frame. It is never walked, so its order can reach no result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/assert.h"

namespace proxima {

/// Linear probing, at most half full; removal closes the gap it leaves, so there are no tombstones to clean up.
class FlatMap {
  public:
    static constexpr uint32_t kNone = 0xFFFFFFFFu;  // no such key; not allowed as a value

    size_t size() const { return size_; }
    /// Memory held, used or not. At most half full: 24 to 48 bytes a key, once it has grown.
    size_t bytes() const { return keys_.capacity() * sizeof(uint64_t) + values_.capacity() * sizeof(uint32_t); }
    void clear() {
        values_.assign(values_.size(), kNone);
        size_ = 0;
    }

    /// The value of a key, or kNone.
    uint32_t find(uint64_t key) const {
        if (values_.empty()) return kNone;
        return values_[slot_of(key)];
    }

    /// Adds a key, or gives it another value.
    void set(uint64_t key, uint32_t value) {
        PX_ASSERT(value != kNone, "FlatMap::kNone stands for 'not there' and cannot be stored.");
        if (2 * (size_ + 1) > values_.size()) grow();
        const size_t slot = slot_of(key);
        if (values_[slot] == kNone) ++size_;
        keys_[slot] = key;
        values_[slot] = value;
    }

    /// Removes a key if it is there.
    void remove(uint64_t key) {
        if (values_.empty()) return;
        size_t hole = slot_of(key);
        if (values_[hole] == kNone) return;
        --size_;
        const size_t mask = values_.size() - 1;
        // Entries behind the hole move into it unless that would put them before their home.
        for (size_t slot = (hole + 1) & mask; values_[slot] != kNone; slot = (slot + 1) & mask) {
            const size_t ideal = hash(keys_[slot]) & mask;
            if (((slot - ideal) & mask) < ((slot - hole) & mask)) continue;
            keys_[hole] = keys_[slot];
            values_[hole] = values_[slot];
            hole = slot;
        }
        values_[hole] = kNone;
    }

  private:
    static size_t hash(uint64_t key) {
        key ^= key >> 32;
        key *= 0x9E3779B97F4A7C15ull;
        return size_t(key ^ (key >> 29));
    }
    /// Where a key is, or where it would go.
    size_t slot_of(uint64_t key) const {
        const size_t mask = values_.size() - 1;
        size_t slot = hash(key) & mask;
        while (values_[slot] != kNone && keys_[slot] != key) slot = (slot + 1) & mask;
        return slot;
    }
    void grow() {
        std::vector<uint64_t> keys(values_.empty() ? 64 : 2 * values_.size());
        std::vector<uint32_t> values(keys.size(), kNone);
        keys.swap(keys_);
        values.swap(values_);
        for (size_t i = 0; i < values.size(); ++i) {
            if (values[i] == kNone) continue;
            const size_t slot = slot_of(keys[i]);
            keys_[slot] = keys[i];
            values_[slot] = values[i];
        }
    }

    std::vector<uint64_t> keys_;
    std::vector<uint32_t> values_;  // kNone: free
    size_t size_ = 0;
};

}  // namespace proxima
