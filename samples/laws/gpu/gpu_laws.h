// SPDX-License-Identifier: MIT
// The worlds of laws on a Vulkan device.
#pragma once

#include <memory>
#include <vector>

#include "compute/world/gpu_world.h"
#include "engine/gpu/gpu_device.h"
#include "samples/laws/laws.h"

namespace proxima::samples {

/// Worlds come and go by the hundred, kernels take a second to compile: what one law leaves the next one takes over.
class GpuLaws final : public LawDevice {
  public:
    explicit GpuLaws(std::shared_ptr<engine::GpuDevice> device) : device_(std::move(device)) {}
    Result<std::unique_ptr<LawStepper>> take(physics::PhysicsWorld& world) override;

  private:
    class Stepper;

    std::shared_ptr<engine::GpuDevice> device_;
    std::vector<std::unique_ptr<compute::GpuWorld>> unused_;
};

}  // namespace proxima::samples
