// SPDX-License-Identifier: MIT
#include "physics/solve/sweep/sweep_measure.h"

#include <algorithm>

namespace proxima::physics {

using namespace sweep;

void begin_measuring(Layout& layout, std::vector<MeasureSum>& sums) {
    sums.reserve(layout.partitions.capacity());
    sums.assign(layout.partitions.size(), MeasureSum{});
    layout.substep_residual.reserve(layout.items.capacity());
    layout.substep_residual.assign(layout.items.size(), 0.0f);
}

void measure_partition(const Partition& partition, const BodyRecords& bodies, const MeasureLaw& law, double part,
                       Layout& layout, MeasureSum& sum) {
    MeasuredLanes lanes;
    for (uint32_t r = partition.run_begin; r < partition.run_end; ++r) {
        const BlockRun& run = layout.runs[r];
        const MeasureKernel measure = kind_row(run.kind).measure;
        if (!measure) continue;
        float* worst = partition.island == kSeveral ? layout.substep_residual.data() + run.first_item : nullptr;
        measure(layout.blocks(run), run.blocks, bodies, law, worst, lanes);
    }
    double all = 0.0;
    for (const double of_lane : lanes.sum) all += of_lane;
    sum.residual_sum += part * all;
    for (const float of_lane : lanes.max) sum.residual_max = std::max(sum.residual_max, double(of_lane));
}

}  // namespace proxima::physics
