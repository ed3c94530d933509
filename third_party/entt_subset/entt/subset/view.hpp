// SPDX-License-Identifier: MIT
// Views: the entities that have all of some components and none of others.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "storage.hpp"

namespace entt {
inline namespace proxima_subset {

template <class... Type>
struct get_t {};
template <class... Type>
struct exclude_t {};
template <class... Type>
inline constexpr exclude_t<Type...> exclude{};

namespace internal {

/// The storage of a possibly const component, const in the same way.
template <class Type>
using storage_of =
    std::conditional_t<std::is_const_v<Type>, const basic_storage<std::remove_const_t<Type>>, basic_storage<Type>>;

template <class Function, class Tuple>
struct accepts : std::false_type {};
template <class Function, class... Args>
struct accepts<Function, std::tuple<Args...>> : std::is_invocable<Function, Args...> {};

/// Position of Type in a list of types.
template <class Type, class... List>
constexpr std::size_t position_in() {
    static_assert((std::is_same_v<Type, List> + ... + 0) == 1, "The view has no such component");
    const bool same[] = {std::is_same_v<Type, List>...};
    std::size_t i = 0;
    while (!same[i]) ++i;
    return i;
}

template <class Get, class Exclude>
class view_state;

/// What a view and its iterators know: which storages, and which of them leads. Small, and copied into every
/// iterator, so that a loop may run over a view that was a temporary.
template <class... Get, class... Exclude>
class view_state<get_t<Get...>, exclude_t<Exclude...>> {
  public:
    using row_type = decltype(std::tuple_cat(std::declval<storage_of<Get>&>().get_as_tuple(entity{})...));
    using entity_row_type = decltype(std::tuple_cat(std::tuple<entity>(), std::declval<row_type>()));
    static constexpr bool single = sizeof...(Get) == 1 && sizeof...(Exclude) == 0;

    view_state() = default;
    view_state(std::tuple<storage_of<Get>*...> pools, std::tuple<storage_of<Exclude>*...> excluded)
        : pools_(pools), sets_(as_sets(pools)), excluded_(as_sets(excluded)) {
        for (const basic_sparse_set* set : sets_) complete_ = complete_ && set != nullptr;
        for (std::size_t i = 1; complete_ && i < sets_.size(); ++i)
            if (sets_[i]->size() < sets_[leading_]->size()) leading_ = i;
    }

    const basic_sparse_set* leader() const { return complete_ ? sets_[leading_] : nullptr; }
    void lead(std::size_t position) { leading_ = position; }
    /// Entities to visit. Identifiers that wait to be recycled stand behind the live ones and do not count.
    std::size_t ahead() const {
        std::size_t live = 0, i = 0;
        const auto take = [&](const auto* pool) {
            if (i++ == leading_) live = pool->live();
        };
        if (complete_) std::apply([&](auto*... pool) { (take(pool), ...); }, pools_);
        return live;
    }
    /// Whether an entity of the leading storage has all the others and none of the excluded.
    bool matches(entity e) const {
        for (std::size_t i = 0; i < sets_.size(); ++i)
            if (i != leading_ && !sets_[i]->contains(e)) return false;
        for (const basic_sparse_set* set : excluded_)
            if (set && set->contains(e)) return false;
        return true;
    }
    template <std::size_t Position>
    auto* pool() const {
        return std::get<Position>(pools_);
    }
    row_type row(entity e) const {
        return std::apply([e](auto*... pool) { return std::tuple_cat(pool->get_as_tuple(e)...); }, pools_);
    }

  private:
    template <class... Storage>
    static std::array<const basic_sparse_set*, sizeof...(Storage)> as_sets(const std::tuple<Storage*...>& pools) {
        return std::apply(
            [](auto*... pool) { return std::array<const basic_sparse_set*, sizeof...(Storage)>{pool...}; }, pools);
    }

    std::tuple<storage_of<Get>*...> pools_{};
    std::array<const basic_sparse_set*, sizeof...(Get)> sets_{};
    std::array<const basic_sparse_set*, sizeof...(Exclude)> excluded_{};
    std::size_t leading_ = 0;
    bool complete_ = true;  // all storages of Get exist
};

/// Walks the leading storage backwards and stops where the view matches.
template <class State>
class view_iterator {
  public:
    using value_type = entity;
    using reference = entity;
    using pointer = const entity*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    view_iterator() = default;
    view_iterator(const State& state, std::size_t ahead) : state_(state), ahead_(ahead) { skip(); }

    entity operator*() const { return state_.leader()->data()[ahead_ - 1]; }
    view_iterator& operator++() { return --ahead_, skip(), *this; }
    view_iterator operator++(int) {
        const view_iterator before = *this;
        return ++*this, before;
    }
    bool operator==(const view_iterator& other) const { return ahead_ == other.ahead_; }

  protected:
    void skip() {
        if constexpr (!State::single)
            while (ahead_ > 0 && !state_.matches(**this)) --ahead_;
    }
    State state_;
    std::size_t ahead_ = 0;  // entities of the leading storage not yet walked, this one included
};

/// The same walk; yields the entity with its components.
template <class State>
class view_row_iterator : public view_iterator<State> {
  public:
    using value_type = typename State::entity_row_type;
    using reference = value_type;
    using iterator_category = std::input_iterator_tag;

    using view_iterator<State>::view_iterator;
    value_type operator*() const {
        const entity e = view_iterator<State>::operator*();
        return std::tuple_cat(std::make_tuple(e), this->state_.row(e));
    }
    view_row_iterator& operator++() { return view_iterator<State>::operator++(), *this; }
    void operator++(int) { ++*this; }
};

}  // namespace internal

template <class Get, class Exclude>
class basic_view;

template <class... Get, class... Exclude>
class basic_view<get_t<Get...>, exclude_t<Exclude...>> {
    static_assert(sizeof...(Get) > 0, "A view needs a component");
    using state_type = internal::view_state<get_t<Get...>, exclude_t<Exclude...>>;
    using row_iterator = internal::view_row_iterator<state_type>;
    template <class Type>
    static constexpr std::size_t position_of =
        internal::position_in<std::remove_const_t<Type>, std::remove_const_t<Get>...>();

  public:
    using iterator = internal::view_iterator<state_type>;

    /// A storage that does not exist is nullptr: nobody has that component.
    basic_view(internal::storage_of<Get>*... get, internal::storage_of<Exclude>*... excluded)
        : state_({get...}, {excluded...}) {}

    /// Number of entities: a view of one type knows it, a view of several only an upper bound.
    std::size_t size() const requires(state_type::single) { return state_.ahead(); }
    bool empty() const requires(state_type::single) { return state_.ahead() == 0; }
    std::size_t size_hint() const requires(!state_type::single) { return state_.ahead(); }

    iterator begin() const { return {state_, state_.ahead()}; }
    iterator end() const { return {state_, 0}; }

    bool contains(entity e) const {
        const basic_sparse_set* leader = state_.leader();
        return leader && leader->contains(e) && leader->index(e) < state_.ahead() && state_.matches(e);
    }

    /// One component by reference, or a tuple of several; without a list, a tuple of all. Tags do not appear in
    /// tuples.
    template <class First, class... Other>
    decltype(auto) get(entity e) const {
        if constexpr (sizeof...(Other) == 0)
            return storage<First>()->get(e);
        else
            return std::tuple_cat(storage<First>()->get_as_tuple(e), storage<Other>()->get_as_tuple(e)...);
    }
    auto get(entity e) const { return state_.row(e); }

    template <class Type>
    auto* storage() const {
        return state_.template pool<position_of<Type>>();
    }

    /// Lets the storage of this type lead, and so give the order.
    template <class Type>
    void use() {
        state_.lead(position_of<Type>);
    }

    /// A range of tuples: the entity, then a reference per component that is not a tag.
    auto each() const { return internal::range<row_iterator>({state_, state_.ahead()}, {state_, 0}); }

    /// Calls the function with the entity and the components, or with the components alone.
    template <class Function>
    void each(Function function) const {
        for (const entity e : *this) {
            if constexpr (internal::accepts<Function&, typename state_type::entity_row_type>::value)
                std::apply(function, std::tuple_cat(std::make_tuple(e), state_.row(e)));
            else
                std::apply(function, state_.row(e));
        }
    }

  private:
    state_type state_;
};

}  // namespace proxima_subset
}  // namespace entt
