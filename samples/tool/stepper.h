// SPDX-License-Identifier: MIT
// Steps a world on the device that was asked for; the cpu when that cannot be had, with a sentence why.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "physics/world.h"

namespace proxima::tool {

/// What a device has cost, per step.
struct DeviceCost {
    double host_ms = 0.0;  // recording and everything else but waiting for the device
    double wait_ms = 0.0;
    double submits = 0.0, dispatches = 0.0, barriers = 0.0;
    double bytes_up = 0.0, bytes_down = 0.0;
    uint64_t device_bytes = 0;  // memory held there
    uint64_t repeats = 0;       // steps done again for lack of room, all in all
    uint32_t colours = 0;       // of the last step
};

class Stepper {
  public:
    /// `device`: "cpu", or as engine::choose_device knows them. A sentence for a device that does not exist.
    static Result<std::unique_ptr<Stepper>> create(physics::PhysicsWorld& world, const std::string& device);
    virtual ~Stepper() = default;

    virtual Result<void> step(float dt) = 0;
    /// After this the components of the world are those of now.
    virtual Result<void> bring_home() = 0;
    /// Bodies came or went, or components were changed.
    virtual Result<void> take_changes() = 0;
    virtual const physics::StepReport& report() const = 0;
    /// Name of what computes.
    virtual std::string device() const = 0;
    /// Mean times of the stages in ms, in their order.
    virtual std::vector<std::pair<std::string, double>> stages_ms() const = 0;
    /// Nothing on the cpu.
    virtual std::optional<DeviceCost> cost() const = 0;
    /// Why it is not the device that was asked for; empty when it is.
    virtual std::string note() const = 0;
};

}  // namespace proxima::tool
