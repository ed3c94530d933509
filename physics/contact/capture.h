// SPDX-License-Identifier: MIT
// The contact problem of one moment of a world, taken out of it as plain data: bodies with their inverse
// masses and velocities, contacts with their frames and arms (J and M, W is not formed). What it poses and
// how it is stored stands in docs/problems.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"

namespace proxima::physics {

/// Find impulses l with v = J (u + M^-1 J^T l) + bias. Only what is touched by a contact is in it.
struct ContactDump {
    std::string source;  // where it is from, one line
    float dt = 0.0f;     // s, that impulses and biases belong to
    std::vector<BodyInverseMass> inverse_mass;
    std::vector<BodyVelocity> velocity;  // u: with forces, without contacts
    // a and b are indices into the two lists; lambda is the warm start, which is not in u; the blocks of W are not
    // filled
    std::vector<Contact> contacts;
    std::vector<ContactGroup> groups;  // one per manifold
    std::vector<BlockKind> kinds;      // 1 per contact, or empty: all are contacts
};

/// A sentence when indices, signs, frames or groups make no sense or a number is not finite.
Result<void> check(const ContactDump& dump);

/// 3x3 blocks that W = J M^-1 J^T would have, at most: contacts are joined by every body that can move.
uint64_t count_blocks(const ContactDump& dump);

/// W, q = J u + bias, mu, compliance, kinds and groups, all in double precision. Fails above kMaxBlocks, when W
/// would not fit into memory.
inline constexpr uint64_t kMaxBlocks = 8000000;  // 1.2 GB with the transposed blocks that solvers sweep over
Result<DelassusProblem> to_matrix(const ContactDump& dump);

}  // namespace proxima::physics
