// SPDX-License-Identifier: MIT
// The kernels of the wide solver on made-up contacts, so that they can be timed and counted alone: chunks of
// manifolds with bodies of their own, laid out as the solver lays out slabs. All contacts are closed and
// stick, as in a settled pile, and stay so however often a sweep is repeated.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/solvers/wide/wide_problem.h"

namespace proxima::bench {

enum class RigKernel : uint8_t { sweep, prepare, read_out, next };
const char* to_string(RigKernel kernel);
/// Manifolds for the contact kernels, bodies for `next`.
const char* unit_of(RigKernel kernel);

class KernelRig {
  public:
    static constexpr uint32_t kChunkBlocks = 64, kChunkBodies = 256;

    /// Manifolds of 1 to 4 points, or none: bodies only.
    KernelRig(uint32_t points, uint32_t chunks);

    /// Bytes that a kernel goes through per chunk, for choosing the number of chunks.
    static size_t chunk_bytes(RigKernel kernel, uint32_t points);

    /// Blocks of eight manifolds, or eights of bodies.
    uint32_t blocks(RigKernel kernel) const;
    /// Runs a kernel over a range of blocks; `contact` and `body` are kernels of any vector width.
    void run(RigKernel kernel, const physics::wide::ContactKernels& contact,
             const physics::wide::BodyKernels& body, uint32_t first, uint32_t count);
    /// The same over everything.
    void run(RigKernel kernel);

    /// What no lane sees a kernel read: whose bodies, and which of them move.
    const physics::wide::BlockHead& head(uint32_t block) const;

    /// Whether all impulses, velocities and rotations are finite, and none is so small that processors
    /// calculate slowly with it.
    bool is_sound() const;

  private:
    void make_bodies();
    void make_blocks();
    physics::wide::BodyRecords records();

    uint32_t points_, chunks_;
    std::vector<physics::wide::CacheLine> memory_;
    std::vector<physics::wide::BodyRecord> velocity_, moved_, inverse_mass_, place_, free_velocity_, drive_,
        inertia_, inverse_inertia_;
    std::vector<uint32_t> indices_;
    physics::wide::RawBlock raw_;
    physics::wide::ReadOut out_;
};

}  // namespace proxima::bench
