// SPDX-License-Identifier: MIT
// The kernels of the SIMD sweeps on made-up contacts, so that they can be timed and counted alone: chunks of
// manifolds with bodies of their own, laid out as the solver lays out slabs. All contacts are closed and
// stick, as in a settled pile, and stay so however often a sweep is repeated.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/constraints/contact/contact_block.h"
#include "physics/solve/sweep/sweep_bodies.h"

namespace proxima::bench {

enum class RigKernel : uint8_t { sweep, prepare, results, next };
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
    void run(RigKernel kernel, const physics::sweep::ContactKernels& contact, const physics::sweep::BodyKernels& body,
             uint32_t first, uint32_t count);
    /// The same over everything.
    void run(RigKernel kernel);

    /// What no lane sees a kernel read: whose bodies, and which of them move.
    const physics::sweep::ContactHead& head(uint32_t block) const;

    /// Whether all impulses, velocities and rotations are finite, and none is so small that processors
    /// calculate slowly with it.
    bool is_sound() const;

  private:
    const physics::sweep::PointRows* points_at(uint32_t block) const;
    void make_bodies();
    void make_blocks();
    physics::sweep::BodyRecords records();

    uint32_t points_, chunks_;
    std::vector<physics::sweep::CacheLine> memory_;
    std::vector<physics::sweep::BodyRecord> velocity_, delta_, inverse_mass_, transform_, free_velocity_, drive_,
        inertia_, inverse_inertia_;
    std::vector<uint32_t> indices_;
    physics::sweep::RawContacts raw_;
    physics::sweep::ContactResults out_;
};

}  // namespace proxima::bench
