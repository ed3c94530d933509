// SPDX-License-Identifier: MIT
// Measures what is swept or solved directly, sub-step by sub-step: how far the velocities that move the bodies are from the
// exact law. It only reads what the solvers compute with.
#pragma once

#include "physics/solve/measure.h"
#include "physics/solve/sweep/sweep_layout.h"

namespace proxima::physics {

/// Sums by partition, and residuals by constraint, of nothing yet.
void begin_measuring(sweep::Layout& layout, std::vector<MeasureSum>& sums);

/// Measures a partition at the end of a (sub-)step, before its bodies move. `part`: of the sub-steps that are measured.
void measure_partition(const sweep::Partition& partition, const sweep::BodyRecords& bodies,
                       const sweep::MeasureLaw& law, double part, sweep::Layout& layout, MeasureSum& sum);

}  // namespace proxima::physics
