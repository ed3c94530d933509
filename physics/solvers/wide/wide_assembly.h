// SPDX-License-Identifier: MIT
// From the bodies and manifolds of a step to the records and blocks of the wide solver.
#pragma once

#include "physics/solvers/wide/wide_problem.h"
#include "physics/step.h"

namespace proxima::physics::wide {

/// The bodies as kernels see them.
BodyRecords records_of(StepContext& c);

/// Asks for the manifolds of a block early: they lie anywhere in memory, and eight misses at once cost little
/// more than one.
inline void fetch_manifolds([[maybe_unused]] const StepContext& c, [[maybe_unused]] const BlockHead& head) {
#if defined(__GNUC__)
    for (uint32_t lane = 0; lane < kBlockLanes && head.pair[lane] != kNoLane; ++lane) {
        const char* manifold = reinterpret_cast<const char*>(c.pairs[head.pair[lane]].manifold);
        for (int line = 0; line < 4; ++line) __builtin_prefetch(manifold + 64 * line);
    }
#endif
}

/// The blocks of a part, with the impulses of a sub-step of length h, and with or without what sweeps need.
void assemble_part(StepContext& c, Part& part, float h, bool sweeps);

/// The blocks of a part that was solved directly in the last step and has the same manifolds still: its
/// impulses are in there.
void refresh_part(StepContext& c, const Part& part);

/// The bodies of a part once more, as they are before the step, with the forces of a sub-step of length h.
void gather_again(StepContext& c, const Part& part, float h);

}  // namespace proxima::physics::wide
