// SPDX-License-Identifier: MIT
// The bytes of a PhysicsSnapshot: what of a state cannot be predicted, packed without loss (docs/rollback.md).
#pragma once

#include <span>

#include "physics/state/state_image.h"

namespace proxima::physics {

/// Writes an image: all of it or, with a base, the difference to that one, which the checksum of its own bytes names.
void write_state(StateImage& image, const StateImage* base, uint64_t base_checksum, PhysicsSnapshot& out);
/// Reads it back. `base` is what a difference is to; nullptr for a full snapshot. What is read has the shape of an
/// image; check_history() looks at its numbers. After an error `out` holds anything.
Result<void> read_state(std::span<const std::byte> bytes, const StateImage* base, uint64_t base_checksum,
                        StateImage& out);
/// What was read becomes what differences are to.
void make_base(StateImage& image);

/// The checksum that a snapshot carries, and whether it is that of its bytes.
uint64_t checksum_in(std::span<const std::byte> bytes);
bool is_whole(std::span<const std::byte> bytes);

}  // namespace proxima::physics
