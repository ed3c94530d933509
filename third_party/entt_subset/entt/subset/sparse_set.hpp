// SPDX-License-Identifier: MIT
// A set of entities: a dense array in the order of insertion, and pages that find the place of an entity in it.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "entity.hpp"

namespace entt {
inline namespace proxima_subset {

namespace internal {

/// Walks a container from its last element to its first. Holds a position, not an address: it survives growth
/// of the container and removal of the element it stands on.
template <class Container, class Value>
class backward_iterator {
  public:
    using value_type = std::remove_const_t<Value>;
    using reference = Value&;
    using pointer = Value*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;

    backward_iterator() = default;
    backward_iterator(Container& container, difference_type ahead) : container_(&container), ahead_(ahead) {}

    /// Position of the element in the dense order; -1 at the end.
    difference_type index() const { return ahead_ - 1; }

    reference operator*() const { return container_->at_position(std::size_t(ahead_ - 1)); }
    pointer operator->() const { return &**this; }
    reference operator[](difference_type n) const { return *(*this + n); }

    backward_iterator& operator+=(difference_type n) { return ahead_ -= n, *this; }
    backward_iterator& operator-=(difference_type n) { return ahead_ += n, *this; }
    backward_iterator& operator++() { return *this += 1; }
    backward_iterator& operator--() { return *this -= 1; }
    backward_iterator operator++(int) { return --ahead_, backward_iterator(*container_, ahead_ + 1); }
    backward_iterator operator--(int) { return ++ahead_, backward_iterator(*container_, ahead_ - 1); }
    backward_iterator operator+(difference_type n) const { return backward_iterator(*this) += n; }
    backward_iterator operator-(difference_type n) const { return backward_iterator(*this) -= n; }
    friend backward_iterator operator+(difference_type n, const backward_iterator& it) { return it + n; }
    difference_type operator-(const backward_iterator& other) const { return other.ahead_ - ahead_; }

    bool operator==(const backward_iterator& other) const { return ahead_ == other.ahead_; }
    std::strong_ordering operator<=>(const backward_iterator& other) const { return other.ahead_ <=> ahead_; }

  private:
    Container* container_ = nullptr;
    difference_type ahead_ = 0;  // elements not yet walked, this one included
};

}  // namespace internal

class basic_sparse_set {
  protected:
    using traits = entt_traits<entity>;

  public:
    using entity_type = entity;
    using version_type = traits::version_type;
    using size_type = std::size_t;
    using iterator = internal::backward_iterator<const basic_sparse_set, const entity>;
    using const_iterator = iterator;
    using reverse_iterator = std::reverse_iterator<iterator>;

    basic_sparse_set() = default;
    basic_sparse_set(const basic_sparse_set&) = delete;
    basic_sparse_set& operator=(const basic_sparse_set&) = delete;
    virtual ~basic_sparse_set() = default;

    size_type size() const noexcept { return dense_.size(); }
    bool empty() const noexcept { return dense_.empty(); }
    /// Entities in dense order: iterators run the other way.
    const entity* data() const noexcept { return dense_.data(); }
    entity operator[](size_type position) const {
        ENTT_ASSERT(position < dense_.size(), "There is no entity at this position");
        return dense_[position];
    }
    virtual void reserve(size_type count) { dense_.reserve(count); }
    /// Elements that fit without another allocation.
    virtual size_type capacity() const noexcept { return dense_.capacity(); }
    /// Length of the array that finds the place of an entity.
    size_type extent() const noexcept { return slot_pages_.size() * slots_per_page; }

    iterator begin() const { return {*this, std::ptrdiff_t(dense_.size())}; }
    iterator end() const { return {*this, 0}; }
    reverse_iterator rbegin() const { return reverse_iterator(end()); }
    reverse_iterator rend() const { return reverse_iterator(begin()); }

    bool contains(entity e) const noexcept {
        const slot found = slot_of(e);
        return found != empty_slot && found >> traits::index_bits == traits::to_version(e);
    }
    size_type index(entity e) const {
        ENTT_ASSERT(contains(e), "The set does not contain this entity");
        return slot_of(e) & traits::entity_mask;
    }
    iterator find(entity e) const { return contains(e) ? end() - std::ptrdiff_t(index(e) + 1) : end(); }
    /// Version in which the set knows the index of this entity; the tombstone's if it does not.
    version_type current(entity e) const noexcept { return version_type(slot_of(e) >> traits::index_bits); }

    void erase(entity e) {
        ENTT_ASSERT(contains(e), "The set does not contain this entity");
        erase_one(e);
    }
    bool remove(entity e) {
        const bool found = contains(e);
        if (found) erase_one(e);
        return found;
    }
    void clear() { erase_all(); }

    const entity& at_position(size_type position) const { return dense_[position]; }  // for the iterators

  protected:
    virtual void erase_one(entity e) = 0;
    virtual void erase_all() = 0;

    /// Appends an entity whose index the set does not know.
    void append(entity e) {
        ENTT_ASSERT(e != null && e != tombstone, "null and tombstone belong to no set");
        slot& place = make_slot(e);
        ENTT_ASSERT(place == empty_slot, "The set contains this entity already");
        place = make(dense_.size(), e);
        dense_.push_back(e);
    }
    /// The last entity takes the place of the one that goes.
    void swap_and_pop(entity e) {
        const size_type position = index(e);
        const entity last = dense_.back();
        dense_[position] = last;
        make_slot(last) = make(position, last);
        make_slot(e) = empty_slot;
        dense_.pop_back();
    }
    void swap_positions(size_type i, size_type k) {
        std::swap(dense_[i], dense_[k]);
        make_slot(dense_[i]) = make(i, dense_[i]);
        make_slot(dense_[k]) = make(k, dense_[k]);
    }
    /// Gives a known index the version of `e`.
    void set_version(entity e) {
        const size_type position = slot_of(e) & traits::entity_mask;
        dense_[position] = e;
        make_slot(e) = make(position, e);
    }
    size_type position_of_index(entity e) const { return slot_of(e) & traits::entity_mask; }
    void forget_all() {
        for (const entity e : dense_) make_slot(e) = empty_slot;
        dense_.clear();
    }

  private:
    // Position in the dense array (20 bits) and version (12 bits): one load answers contains() without the dense
    // array.
    using slot = std::uint32_t;
    static constexpr slot empty_slot = 0xFFFFFFFFu;
    static constexpr size_type slots_per_page = 4096;

    static slot make(size_type position, entity e) {
        return slot(position) | slot(traits::to_version(e)) << traits::index_bits;
    }
    slot slot_of(entity e) const noexcept {
        const size_type i = traits::to_entity(e);
        const size_type p = i / slots_per_page;
        return p < slot_pages_.size() && slot_pages_[p] ? slot_pages_[p][i % slots_per_page] : empty_slot;
    }
    slot& make_slot(entity e) {
        const size_type i = traits::to_entity(e);
        const size_type p = i / slots_per_page;
        if (p >= slot_pages_.size()) slot_pages_.resize(p + 1);
        if (!slot_pages_[p]) {
            slot_pages_[p] = std::make_unique_for_overwrite<slot[]>(slots_per_page);
            std::fill_n(slot_pages_[p].get(), slots_per_page, empty_slot);
        }
        return slot_pages_[p][i % slots_per_page];
    }

    std::vector<std::unique_ptr<slot[]>> slot_pages_;
    std::vector<entity> dense_;
};

using sparse_set = basic_sparse_set;

}  // namespace proxima_subset
}  // namespace entt
