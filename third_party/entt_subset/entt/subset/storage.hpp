// SPDX-License-Identifier: MIT
// What the registry keeps per type: entities with their components, entities with a tag, and the identifiers
// themselves.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "signal.hpp"
#include "sparse_set.hpp"

namespace entt {
inline namespace proxima_subset {

class basic_registry;

namespace internal {

/// A begin and an end, for range-for.
template <class Iterator>
class range {
  public:
    range(Iterator first, Iterator last) : first_(first), last_(last) {}
    Iterator begin() const { return first_; }
    Iterator end() const { return last_; }

  private:
    Iterator first_, last_;
};

/// Yields (entity, component&), or (entity) for storages without values.
template <class Storage>
class storage_each_iterator {
  public:
    using value_type =
        decltype(std::tuple_cat(std::make_tuple(entity{}), std::declval<Storage&>().tuple_at(std::size_t(0))));
    using reference = value_type;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    storage_each_iterator() = default;
    storage_each_iterator(Storage* storage, std::size_t ahead) : storage_(storage), ahead_(ahead) {}

    reference operator*() const {
        return std::tuple_cat(std::make_tuple(storage_->data()[ahead_ - 1]), storage_->tuple_at(ahead_ - 1));
    }
    storage_each_iterator& operator++() { return --ahead_, *this; }
    storage_each_iterator operator++(int) { return --ahead_, storage_each_iterator(storage_, ahead_ + 1); }
    bool operator==(const storage_each_iterator& other) const { return ahead_ == other.ahead_; }

  private:
    Storage* storage_ = nullptr;
    std::size_t ahead_ = 0;
};

/// Signals and removal, the same for all storages. Derived says how one entity and how all of them leave.
template <class Derived>
class signalling_storage : public basic_sparse_set {
  public:
    using signal_type = sigh<void(basic_registry&, entity)>;

    explicit signalling_storage(basic_registry& owner) : owner_(owner) {}

    auto on_construct() noexcept { return sink{construction_}; }
    auto on_update() noexcept { return sink{update_}; }
    auto on_destroy() noexcept { return sink{destruction_}; }

    auto each() { return make_each(static_cast<Derived*>(this)); }
    auto each() const { return make_each(static_cast<const Derived*>(this)); }

  protected:
    void constructed(entity e) { construction_.publish(owner_, e); }
    void updated(entity e) { update_.publish(owner_, e); }

    void erase_one(entity e) final {
        destruction_.publish(owner_, e);
        static_cast<Derived*>(this)->drop(e);
    }
    void announce_destruction(entity e) { destruction_.publish(owner_, e); }
    bool destruction_heard() const { return !destruction_.empty(); }

  private:
    template <class Storage>
    static auto make_each(Storage* storage) {
        using iterator = storage_each_iterator<Storage>;
        return range<iterator>({storage, storage->live()}, {storage, 0});
    }

    basic_registry& owner_;
    signal_type construction_, update_, destruction_;
};

}  // namespace internal

/// Components of one type. They lie in pages in the order of the dense array: adding moves none of them.
template <class Type, bool Empty = std::is_empty_v<Type>>
class basic_storage final : public internal::signalling_storage<basic_storage<Type, Empty>> {
    using base = internal::signalling_storage<basic_storage<Type, Empty>>;
    static_assert(std::is_same_v<Type, std::remove_cvref_t<Type>>, "Components are plain types");
    static_assert(std::is_move_constructible_v<Type> && std::is_move_assignable_v<Type>,
                  "In-place deletion is not part of this subset: components must be movable");
    static constexpr std::size_t page_size = 1024;

  public:
    using base_type = basic_sparse_set;
    using element_type = Type;
    using value_type = Type;
    using iterator = internal::backward_iterator<basic_storage, Type>;
    using const_iterator = internal::backward_iterator<const basic_storage, const Type>;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    using base::base;
    ~basic_storage() override {
        destroy_values();
        for (Type* page : pages_) std::allocator<Type>().deallocate(page, page_size);
    }

    iterator begin() { return {*this, std::ptrdiff_t(this->size())}; }
    iterator end() { return {*this, 0}; }
    const_iterator begin() const { return {*this, std::ptrdiff_t(this->size())}; }
    const_iterator end() const { return {*this, 0}; }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

    Type& get(entity e) { return at_position(this->index(e)); }
    const Type& get(entity e) const { return at_position(this->index(e)); }
    std::tuple<Type&> get_as_tuple(entity e) { return {get(e)}; }
    std::tuple<const Type&> get_as_tuple(entity e) const { return {get(e)}; }

    template <class... Args>
    Type& emplace(entity e, Args&&... args) {
        const std::size_t position = this->size();
        make_pages(position + 1);
        Type* place = &at_position(position);
        if constexpr (std::is_aggregate_v<Type>)
            ::new (static_cast<void*>(place)) Type{std::forward<Args>(args)...};
        else
            ::new (static_cast<void*>(place)) Type(std::forward<Args>(args)...);
        this->append(e);
        this->constructed(e);
        return get(e);  // not *place: a listener may have moved it
    }
    template <class... Function>
    Type& patch(entity e, Function&&... change) {
        Type& value = get(e);
        (std::forward<Function>(change)(value), ...);
        this->updated(e);
        return get(e);
    }
    void reserve(std::size_t count) override {
        basic_sparse_set::reserve(count);
        make_pages(count);
    }
    std::size_t capacity() const noexcept override { return pages_.size() * page_size; }

    // For the iterators and views.
    Type& at_position(std::size_t position) { return pages_[position / page_size][position % page_size]; }
    const Type& at_position(std::size_t position) const { return pages_[position / page_size][position % page_size]; }
    std::tuple<Type&> tuple_at(std::size_t position) { return {at_position(position)}; }
    std::tuple<const Type&> tuple_at(std::size_t position) const { return {at_position(position)}; }
    std::size_t live() const { return this->size(); }

  private:
    friend base;

    void drop(entity e) {
        const std::size_t position = this->index(e), last = this->size() - 1;
        if (position != last) at_position(position) = std::move(at_position(last));
        std::destroy_at(&at_position(last));
        this->swap_and_pop(e);
    }
    /// Listeners hear of every entity, from the last to the first, before any of them goes.
    void erase_all() override {
        if (this->destruction_heard())
            for (const entity e : static_cast<const basic_sparse_set&>(*this)) this->announce_destruction(e);
        destroy_values();
        this->forget_all();
    }
    void destroy_values() {
        if constexpr (!std::is_trivially_destructible_v<Type>)
            for (std::size_t i = 0; i < this->size(); ++i) std::destroy_at(&at_position(i));
    }
    void make_pages(std::size_t count) {
        while (pages_.size() * page_size < count) {
            pages_.reserve(pages_.size() + 1);
            pages_.push_back(std::allocator<Type>().allocate(page_size));
        }
    }

    std::vector<Type*> pages_;
};

/// Empty types carry no value: the set of their entities is all there is.
template <class Type>
class basic_storage<Type, true> final : public internal::signalling_storage<basic_storage<Type, true>> {
    using base = internal::signalling_storage<basic_storage<Type, true>>;

  public:
    using base_type = basic_sparse_set;
    using element_type = Type;
    using value_type = void;

    using base::base;

    void get(entity e) const {
        ENTT_ASSERT(this->contains(e), "The set does not contain this entity");
        (void)e;
    }
    std::tuple<> get_as_tuple(entity e) const { return get(e), std::tuple<>(); }

    template <class... Args>
    void emplace(entity e, Args&&...) {
        this->append(e);
        this->constructed(e);
    }
    template <class... Function>
    void patch(entity e, Function&&... change) {
        ENTT_ASSERT(this->contains(e), "The set does not contain this entity");
        (std::forward<Function>(change)(), ...);
        this->updated(e);
    }

    std::tuple<> tuple_at(std::size_t) const { return {}; }
    std::size_t live() const { return this->size(); }

  private:
    friend base;

    void drop(entity e) { this->swap_and_pop(e); }
    void erase_all() override {
        if (this->destruction_heard())
            for (const entity e : *this) this->announce_destruction(e);
        this->forget_all();
    }
};

/// All identifiers ever handed out. The dense array holds the live ones first, then those that wait to be
/// recycled, the next one in front and each with the version it will come back with.
template <>
class basic_storage<entity, false> final : public internal::signalling_storage<basic_storage<entity, false>> {
    using base = internal::signalling_storage<basic_storage<entity, false>>;

  public:
    using base_type = basic_sparse_set;
    using element_type = entity;
    using value_type = void;

    using base::base;

    /// Number of live entities, which is where the waiting ones begin.
    std::size_t free_list() const noexcept { return live_; }
    /// Declares the first `live` identifiers alive and the others waiting, in their present order and version.
    void free_list(std::size_t live) {
        ENTT_ASSERT(live <= size(), "There are fewer identifiers than that");
        live_ = live;
    }
    /// New indices are the first unused ones from this on.
    void start_from(entity first) { next_index_ = traits::to_entity(first); }

    entity generate() {
        const entity e = live_ < size() ? data()[live_] : unused();
        revive(e);
        return announce(e);
    }
    /// Exactly `hint`, version included, if its index is not alive; otherwise any identifier.
    entity generate(entity hint) {
        if (hint == null || hint == tombstone) return generate();
        if (current(hint) != no_version && position_of_index(hint) < live_) return generate();
        revive(hint);
        return announce(hint);
    }

    void get(entity e) const {
        ENTT_ASSERT(index(e) < live_, "The entity is not alive");
        (void)e;
    }
    std::tuple<> get_as_tuple(entity e) const { return get(e), std::tuple<>(); }

    std::tuple<> tuple_at(std::size_t) const { return {}; }
    std::size_t live() const { return live_; }

  private:
    friend base;
    static constexpr version_type no_version = traits::version_mask;

    entity unused() {
        while (current(traits::construct(next_index_, 0)) != no_version) ++next_index_;
        ENTT_ASSERT(next_index_ < traits::entity_mask, "All indices are in use");
        return traits::construct(next_index_++, 0);
    }
    /// Puts an identifier that is new or waiting behind the live ones; who stood there takes its place.
    void revive(entity e) {
        if (current(e) == no_version)
            append(e);
        else
            set_version(e);
        swap_positions(index(e), live_++);
    }
    entity announce(entity e) {
        constructed(e);
        return e;
    }
    void drop(entity e) {
        const std::size_t position = index(e);
        if (position < live_) --live_;
        set_version(traits::next(e));
        swap_positions(position, live_);
    }
    void erase_all() override {
        if (destruction_heard())
            for (std::size_t i = 0; i < live_; ++i) announce_destruction(data()[i]);
        forget_all();
        live_ = 0;
        next_index_ = 0;
    }

    std::size_t live_ = 0;
    traits::entity_type next_index_ = 0;
};

}  // namespace proxima_subset
}  // namespace entt
