// SPDX-License-Identifier: MIT
// What the API fuzzer leaves out because it is known to fail: each line goes when its cause is mended. A
// fuzzer that fails on every second world for one known reason finds no other.
#pragma once

namespace proxima::fuzz {

/// destroy_body, wake and set_solver take entities that are no bodies, such as the entity of a contact.
inline constexpr bool kOnlyBodiesAsBodies = false;
/// Saving, looking inside and restoring wait for a step when bodies, colliders, poses or solvers changed
/// since the last: a snapshot does not know where bodies were last seen, orphans of a new world crash, and a
/// solver's chooser that is gone crashes island() and collect_debug().
inline constexpr bool kSnapshotsOnlyAfterSteps = true;
/// Colliders whose body is gone give a restored world another future.
inline constexpr bool kNoOrphans = true;
/// A body that is quarantined while its contacts stay the same breaks the islands.
inline constexpr bool kNoNonFiniteWrites = false;
/// The half step of Moreau's stepping uses the islands of the step before.
inline constexpr bool kNoMoreau = false;
/// Islands that are solved apart break when bodies go.
inline constexpr bool kNoSolversOfIslands = false;

}  // namespace proxima::fuzz
