// SPDX-License-Identifier: MIT
#include "compute/world/device_world.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace proxima::compute {

Result<std::unique_ptr<DeviceWorld>> DeviceWorld::create(physics::PhysicsWorld& world, const std::string& device,
                                                         const engine::GpuInstanceOptions& instance,
                                                         engine::GpuDeviceOptions options) {
    Result<std::shared_ptr<engine::GpuInstance>> made = engine::GpuInstance::create(instance);
    if (!made) return Error{made.error()};
    options.requirements = GpuWorld::requirements();
    Result<std::shared_ptr<engine::GpuDevice>> opened = engine::GpuDevice::open(made.value(), device, options);
    if (!opened) return Error{opened.error()};
    return on(world, opened.value());
}

std::unique_ptr<DeviceWorld> DeviceWorld::on(physics::PhysicsWorld& world, std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<DeviceWorld> out(new DeviceWorld(world));
    out->open(std::move(device));
    return out;
}

void DeviceWorld::open(std::shared_ptr<engine::GpuDevice> device) {
    Result<std::unique_ptr<GpuWorld>> made = GpuWorld::create(std::move(device));
    if (!made) {
        why_ = made.error();
        return;
    }
    if (const Result<void> taken = made.value()->take(*world_); !taken) {
        why_ = taken.error();
        return;
    }
    gpu_ = std::move(made.value());
    count_from(world_->report().step);
}

/// The world was just taken to the device, after so many steps.
void DeviceWorld::count_from(uint64_t step) {
    first_step_ = step;
    moving_ = 0;
    for (const world::WorldBody& body : gpu_->data().bodies)
        moving_ += (std::bit_cast<uint32_t>(body.inverse1.w) & world::kDynamic) != 0;
}

/// The device has failed: the cpu begins where the components are and makes up for the steps since.
Result<void> DeviceWorld::go_on_without(const std::string& why) {
    gpu_.reset();
    why_ = why;
    const std::vector<float> missed = std::exchange(away_, {});
    std::vector<physics::StepWarning> warnings{{physics::kNoEntity, "The device failed, the cpu goes on: " + why}};
    for (const float dt : missed) {
        if (Result<void> stepped = world_->step(dt); !stepped) return stepped;
        const auto& more = world_->report().warnings;
        warnings.insert(warnings.end(), more.begin(), more.end());
    }
    report_ = world_->report();
    report_.warnings = std::move(warnings);
    return {};
}

Result<void> DeviceWorld::step(float dt, uint32_t steps) {
    if (!gpu_) {
        for (uint32_t k = 0; k < steps; ++k)
            if (Result<void> stepped = world_->step(dt); !stepped) return stepped;
        report_ = world_->report();
        return {};
    }
    // A bad dt is the caller's mistake and no reason to leave the device.
    if (!(dt > 0.0f) || !is_finite(dt)) return gpu_->step(dt, steps);
    for (uint32_t left = steps; left > 0;) {
        if (away_.size() >= kMostStepsAway)
            if (Result<void> home = bring_home(); !home) return home;
        if (!gpu_) return step(dt, left);
        const uint32_t now = std::min(left, kMostStepsAway - uint32_t(away_.size()));
        away_.insert(away_.end(), now, dt);
        left -= now;
        if (const Result<void> stepped = gpu_->step(dt, now); !stepped) {
            if (Result<void> made_up = go_on_without(stepped.error()); !made_up) return made_up;
            if (left == 0) return {};
            std::vector<physics::StepWarning> warnings = report_.warnings;
            if (Result<void> rest = step(dt, left); !rest) return rest;
            report_.warnings.insert(report_.warnings.begin(), warnings.begin(), warnings.end());
            return {};
        }
    }
    fill_report();
    return {};
}

void DeviceWorld::fill_report() {
    const world::WorldStatus& s = gpu_->status();
    const auto mean = [](float sum, uint32_t count) { return count > 0 ? sum / float(count) : 0.0f; };
    report_ = {};
    report_.step = first_step_ + gpu_->steps_done();
    report_.bodies = moving_ - std::min(moving_, s.quarantined);
    report_.pairs = s.pairs;
    report_.contacts = s.points;
    report_.residual_max = double(std::bit_cast<float>(s.residual_max));
    report_.residual_mean = double(mean(s.residual_sum, s.points));
    report_.penetration_max = std::bit_cast<float>(s.penetration_max);
    report_.penetration_mean = mean(s.penetration_sum, s.overlapping);
}

Result<void> DeviceWorld::bring_home() {
    if (!gpu_ || away_.empty()) return {};
    const uint32_t quarantined_before = gpu_->quarantined_at_home();
    if (const Result<void> given = gpu_->give(*world_); !given) return go_on_without(given.error());
    away_.clear();
    if (gpu_->quarantined_at_home() > quarantined_before)
        report_.warn(
            physics::kNoEntity,
            "A body went non-finite on the device; it stays at its last good pose and is left out of the step.");
    return {};
}

Result<void> DeviceWorld::take_changes() {
    if (!gpu_) return {};
    if (Result<void> home = bring_home(); !home) return home;
    if (!gpu_) return {};
    if (gpu_->update(*world_)) return {};
    // Bodies came or went: everything is taken anew.
    const uint64_t step = first_step_ + gpu_->steps_done();
    if (const Result<void> taken = gpu_->take(*world_); !taken) return go_on_without(taken.error());
    count_from(step);
    return {};
}

std::string DeviceWorld::name() const { return gpu_ ? gpu_->device().info().name : "cpu"; }

const physics::StepReport& DeviceWorld::report() const { return report_; }

}  // namespace proxima::compute
