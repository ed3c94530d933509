// SPDX-License-Identifier: MIT
// Walking over the parts of the wide problem.
#pragma once

#include "physics/solvers/wide/wide_problem.h"
#include "physics/step.h"

namespace proxima::physics::wide {

/// Calls work(part) for every part, on the worker that will sweep it or has swept it where workers have a
/// choice: what it touches is then in its own cache.
template <class Work>
void for_all_parts(StepContext& c, const Work& work) {
    Problem& p = c.wide;
    const PartNumbers numbers = p.numbers;
    c.jobs->parallel_for(numbers.batches, 1,
                         [&](const engine::JobBlock& block) { work(p.parts[numbers.batch(block.begin)]); });
    c.jobs->parallel_for(numbers.slabs, 1, [&](const engine::JobBlock& block) {
        work(p.parts[numbers.slab(block.begin)]);
        work(p.parts[numbers.ground(block.begin)]);
        if (block.begin < numbers.seams()) work(p.parts[numbers.seam(block.begin)]);
    });
    work(p.parts[numbers.far()]);
}

}  // namespace proxima::physics::wide
