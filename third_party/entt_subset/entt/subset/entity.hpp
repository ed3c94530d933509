// SPDX-License-Identifier: MIT
// Identifiers: an index with a version, and the two that stand for nothing.
#pragma once

#include <cassert>
#include <cstdint>

// The same hook as EnTT's: define it before the include to route failed checks elsewhere.
#ifndef ENTT_ASSERT
#define ENTT_ASSERT(condition, message) assert(((condition) && (message)))
#endif

namespace entt {
inline namespace proxima_subset {

/// Low 20 bits: index. High 12 bits: version, which tells an identifier from earlier users of the same index.
enum class entity : std::uint32_t {};

template <class Type>
struct entt_traits;

template <>
struct entt_traits<entity> {
    using value_type = entity;
    using entity_type = std::uint32_t;
    using version_type = std::uint16_t;

    static constexpr int index_bits = 20;
    static constexpr entity_type entity_mask = 0xFFFFF;
    static constexpr entity_type version_mask = 0xFFF;

    static constexpr entity_type to_integral(entity e) noexcept { return entity_type(e); }
    static constexpr entity_type to_entity(entity e) noexcept { return entity_type(e) & entity_mask; }
    static constexpr version_type to_version(entity e) noexcept { return version_type(entity_type(e) >> index_bits); }
    static constexpr entity construct(entity_type index, version_type version) noexcept {
        return entity{(index & entity_mask) | ((entity_type(version) & version_mask) << index_bits)};
    }
    /// The same index, one version up. The last version means "none" and is skipped.
    static constexpr entity next(entity e) noexcept {
        const auto version = version_type(to_version(e) + 1);
        return construct(to_entity(e), version == version_mask ? version_type(0) : version);
    }
};

constexpr auto to_integral(entity e) noexcept { return entt_traits<entity>::to_integral(e); }
constexpr auto to_entity(entity e) noexcept { return entt_traits<entity>::to_entity(e); }
constexpr auto to_version(entity e) noexcept { return entt_traits<entity>::to_version(e); }

/// No entity: equal to every identifier with the last index, whatever its version.
struct null_t {
    constexpr operator entity() const noexcept { return entity{0xFFFFFFFFu}; }
    constexpr bool operator==(null_t) const noexcept { return true; }
    constexpr bool operator==(entity e) const noexcept { return to_entity(e) == entt_traits<entity>::entity_mask; }
};

/// No version: equal to every identifier with the last version, whatever its index.
struct tombstone_t {
    constexpr operator entity() const noexcept { return entity{0xFFFFFFFFu}; }
    constexpr bool operator==(tombstone_t) const noexcept { return true; }
    constexpr bool operator==(entity e) const noexcept { return to_version(e) == entt_traits<entity>::version_mask; }
};

inline constexpr null_t null{};
inline constexpr tombstone_t tombstone{};

}  // namespace proxima_subset
}  // namespace entt
