// SPDX-License-Identifier: MIT
// Signals: a list of listeners (sigh) and the handle through which a listener joins or leaves it (sink).
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

#include "entity.hpp"

namespace entt {
inline namespace proxima_subset {

template <class Function>
class sigh;
template <class Signal>
class sink;

template <class... Args>
class sigh<void(Args...)> {
  public:
    bool empty() const noexcept { return listeners_.empty(); }
    std::size_t size() const noexcept { return listeners_.size(); }

    /// Calls every listener, the one connected last first: a listener may leave while it is being called.
    void publish(Args... args) const {
        for (std::size_t i = listeners_.size(); i > 0; --i) {
            const listener next = listeners_[i - 1];  // a copy, as the call may change the list
            next.call(next.object, args...);
        }
    }

  private:
    friend class sink<sigh>;

    struct listener {
        const void* object = nullptr;  // the instance of a member function; none for a free function
        void (*call)(const void*, Args...) = nullptr;

        bool operator==(const listener&) const = default;
    };
    std::vector<listener> listeners_;
};

template <class... Args>
class sink<sigh<void(Args...)>> {
    using signal_type = sigh<void(Args...)>;
    using listener = typename signal_type::listener;

  public:
    sink(signal_type& signal) noexcept : signal_(&signal) {}

    bool empty() const noexcept { return signal_->empty(); }

    /// A free function. What is connected already moves to the end of the list.
    template <auto Candidate>
    void connect() {
        join(free_listener<Candidate>());
    }
    /// A member function of `instance`, or a free function that takes `instance` as its first argument.
    template <auto Candidate, class Type>
    void connect(Type& instance) {
        join(bound_listener<Candidate>(instance));
    }
    template <auto Candidate, class Type>
    void connect(Type* instance) {
        join(pointer_listener<Candidate>(instance));
    }

    template <auto Candidate>
    void disconnect() {
        const listener leaving = free_listener<Candidate>();
        leave([&](const listener& l) { return l == leaving; });
    }
    template <auto Candidate, class Type>
    void disconnect(Type& instance) {
        const listener leaving = bound_listener<Candidate>(instance);
        leave([&](const listener& l) { return l == leaving; });
    }
    template <auto Candidate, class Type>
    void disconnect(Type* instance) {
        const listener leaving = pointer_listener<Candidate>(instance);
        leave([&](const listener& l) { return l == leaving; });
    }
    /// Everything that is bound to this instance.
    void disconnect(const void* instance) {
        ENTT_ASSERT(instance != nullptr, "An instance is needed to disconnect its listeners");
        leave([&](const listener& l) { return l.object == instance; });
    }
    /// Everyone.
    void disconnect() { signal_->listeners_.clear(); }

  private:
    template <auto Candidate>
    static listener free_listener() {
        return {nullptr, [](const void*, Args... args) { std::invoke(Candidate, args...); }};
    }
    template <auto Candidate, class Type>
    static listener bound_listener(Type& instance) {
        return {&instance,
                [](const void* object, Args... args) { std::invoke(Candidate, *typed<Type>(object), args...); }};
    }
    template <auto Candidate, class Type>
    static listener pointer_listener(Type* instance) {
        return {instance, [](const void* object, Args... args) {
                    if constexpr (std::is_invocable_v<decltype(Candidate), Type*, Args...>)
                        std::invoke(Candidate, typed<Type>(object), args...);
                    else
                        std::invoke(Candidate, *typed<Type>(object), args...);
                }};
    }
    template <class Type>
    static Type* typed(const void* object) {
        return static_cast<Type*>(const_cast<void*>(object));
    }

    void join(const listener& joining) {
        leave([&](const listener& l) { return l == joining; });
        signal_->listeners_.push_back(joining);
    }
    /// The last listener takes the place of one that leaves.
    template <class Predicate>
    void leave(Predicate leaves) {
        auto& list = signal_->listeners_;
        for (std::size_t i = list.size(); i > 0; --i) {
            if (!leaves(list[i - 1])) continue;
            list[i - 1] = list.back();
            list.pop_back();
        }
    }

    signal_type* signal_;
};

template <class Function>
sink(sigh<Function>&) -> sink<sigh<Function>>;

}  // namespace proxima_subset
}  // namespace entt
