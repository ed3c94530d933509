// SPDX-License-Identifier: MIT
// A PhysicsWorld that is stepped on the device that was asked for. Between two calls of `download` the components
// are those of the last one; when the device fails the cpu goes on from there and makes up for the steps since, so
// that nothing is lost.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compute/world/gpu_world.h"
#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"
#include "physics/world.h"

namespace proxima::compute {

class DeviceWorld {
  public:
    /// Opens the device ("gpu", "gpu:INDEX", "gpu:NAME") and takes the world there. A sentence when there is no such
    /// device; what the device cannot do is no failure: the cpu does it, and why_on_cpu says so.
    static Result<std::unique_ptr<DeviceWorld>> create(physics::PhysicsWorld& world, const std::string& device,
                                                       const engine::GpuInstanceOptions& instance = {},
                                                       engine::GpuDeviceOptions options = {});
    /// The same on a device that is open already.
    static std::unique_ptr<DeviceWorld> on(physics::PhysicsWorld& world, std::shared_ptr<engine::GpuDevice> device);

    /// Advances by `steps` times dt seconds. Fails as PhysicsWorld::step does.
    Result<void> step(float dt, uint32_t steps = 1);
    /// The components are those of now after this.
    Result<void> download();
    /// The game has changed components between two steps: poses, velocities, forces, settings; bodies may have come
    /// and gone. Only after download.
    Result<void> upload_changes();

    bool on_device() const { return gpu_ != nullptr; }
    /// Empty while the device computes.
    const std::string& why_on_cpu() const { return why_; }
    /// Name of what computes: that of the device, or "cpu".
    std::string name() const;
    /// Of the last step, like PhysicsWorld::report; islands and sleep do not exist on the device. Residuals are those of the
    /// velocities that the step ends with, also where PhysicsWorld has those that moved the bodies, and sag is not measured.
    const physics::StepReport& report() const;
    /// nullptr on the cpu.
    GpuWorld* gpu() { return gpu_.get(); }

  private:
    /// So many steps are at most done again when the device fails.
    static constexpr uint32_t kMaxStepsOnDevice = 120;

    explicit DeviceWorld(physics::PhysicsWorld& world) : world_(&world) {}
    void open(std::shared_ptr<engine::GpuDevice> device);
    Result<void> go_on_without(const std::string& why);
    void fill_report();
    void count_from(uint64_t step);

    physics::PhysicsWorld* world_;
    std::unique_ptr<GpuWorld> gpu_;
    std::string why_;
    physics::StepReport report_;
    std::vector<float> steps_since_download_;  // lengths of the steps since the components were true
    uint64_t first_step_ = 0;
    uint32_t moving_ = 0;  // bodies that can move
};

}  // namespace proxima::compute
