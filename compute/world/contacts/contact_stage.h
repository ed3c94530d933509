// SPDX-License-Identifier: MIT
// The contact stage of a world on the device: of the pairs of a step it makes manifolds of up to four points,
// with the impulses of the step before. The mathematics of physics/narrowphase, cut into kernels by what is
// done, not by what the shapes are: sort, search an axis, clip faces, join edges, match.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "compute/world/stage_kernels.h"
#include "compute/world/world_buffers.h"
#include "engine/core/result.h"

namespace proxima::compute::world {

struct ContactSettings {
    float speculative_distance = 0.02f;  // m: points nearer than this, of bodies of a metre, are contacts
    float dt = 0.0f;                     // s: and those that may close within this time
};

class ContactStage {
  public:
    static Result<std::unique_ptr<ContactStage>> create(std::shared_ptr<engine::GpuDevice> device);

    /// Bit k: some collider has a shape of kind k (kSphere, ...). Kernels for others are not recorded.
    static uint32_t kinds_of(std::span<const WorldShape> shapes);
    /// Own buffers, and the buffers of both parities; to be called when sizes or buffers have changed.
    Result<void> prepare(const WorldBuffers& buffers, const WorldSizes& sizes, uint32_t kinds);
    /// Pairs and collider poses of this step have been written; manifolds, points, lambda and colours follow.
    void record(engine::GpuCommands& commands, uint32_t parity, const ContactSettings& settings) const;
    /// Of its own buffers.
    uint64_t bytes() const { return lists_.bytes(); }

  private:
    enum Kernel : uint32_t {
        kBegin,
        kSort,
        kRoundKernel,
        kCoreKernel,
        kCoreBoxKernel,
        kBoxKernel,
        kHullKernel,
        kHullEdgeKernel,
        kPlaneKernel,
        kFaceKernel,
        kBoxFaceKernel,
        kEdgeKernel,
        kMatch,
        kKernels
    };

    ContactStage() = default;
    Result<void> make(std::shared_ptr<engine::GpuDevice> device);

    std::shared_ptr<engine::GpuDevice> device_;
    StageKernels stage_;
    engine::GpuPipeline kernels_[kKernels];
    engine::GpuBuffer lists_;
    const engine::GpuBuffer* arguments_ = nullptr;
    uint32_t capacity_ = 0;  // of pairs
    uint32_t kinds_ = 0;
};

}  // namespace proxima::compute::world
