// SPDX-License-Identifier: MIT
// StrongIndex<Tag>: an index into one kind of array that the compiler does not let stand for another kind.
//     using BodyIndex = StrongIndex<struct BodyIndexTag>;
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace proxima {

/// Invalid by default; the invalid value is the largest of the representation and sorts last.
template <class Tag, std::unsigned_integral Rep = uint32_t>
class StrongIndex {
  public:
    using Representation = Rep;
    static constexpr Rep kInvalidValue = std::numeric_limits<Rep>::max();

    constexpr StrongIndex() = default;
    constexpr explicit StrongIndex(Rep value) : value_(value) {}
    static constexpr StrongIndex invalid() { return StrongIndex(); }

    constexpr Rep value() const { return value_; }
    constexpr bool valid() const { return value_ != kInvalidValue; }
    constexpr explicit operator bool() const { return valid(); }

    constexpr StrongIndex& operator++() {
        ++value_;
        return *this;
    }
    friend constexpr bool operator==(StrongIndex, StrongIndex) = default;
    friend constexpr auto operator<=>(StrongIndex, StrongIndex) = default;

  private:
    Rep value_ = kInvalidValue;
};

}  // namespace proxima

template <class Tag, class Rep>
struct std::hash<proxima::StrongIndex<Tag, Rep>> {
    size_t operator()(proxima::StrongIndex<Tag, Rep> index) const noexcept { return std::hash<Rep>{}(index.value()); }
};
