// SPDX-License-Identifier: MIT
#include "compute/world/device_world.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "compute/world/stack_load.h"

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
    if (const Result<void> uploaded = made.value()->upload(*world_); !uploaded) {
        why_ = uploaded.error();
        return;
    }
    if (const Result<void> held = world::check_stacks(*world_); !held) {
        why_ = held.error();
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
    const std::vector<float> missed = std::exchange(steps_since_download_, {});
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
        if (steps_since_download_.size() >= kMaxStepsOnDevice)
            if (Result<void> done = download(); !done) return done;
        if (!gpu_) return step(dt, left);
        const uint32_t now = std::min(left, kMaxStepsOnDevice - uint32_t(steps_since_download_.size()));
        steps_since_download_.insert(steps_since_download_.end(), now, dt);
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
    // The device measures the end of the step only.
    report_.measured_points = s.points;
    report_.residual_max = report_.end_residual_max = double(std::bit_cast<float>(s.residual_max));
    report_.residual_mean = report_.end_residual_mean = double(mean(s.residual_sum, s.points));
    report_.penetration_max = std::bit_cast<float>(s.penetration_max);
    report_.penetration_mean = mean(s.penetration_sum, s.overlapping);
}

Result<void> DeviceWorld::download() {
    if (!gpu_ || steps_since_download_.empty()) return {};
    const uint32_t quarantined_before = gpu_->quarantined_on_host();
    if (const Result<void> downloaded = gpu_->download(*world_); !downloaded) return go_on_without(downloaded.error());
    steps_since_download_.clear();
    if (gpu_->quarantined_on_host() > quarantined_before)
        report_.warn(
            physics::kNoEntity,
            "A body went non-finite on the device; it stays at its last good pose and is left out of the step.");
    return {};
}

Result<void> DeviceWorld::upload_changes() {
    if (!gpu_) return {};
    if (Result<void> done = download(); !done) return done;
    if (!gpu_) return {};
    if (gpu_->update(*world_)) return {};
    // Bodies came or went: everything is taken anew.
    const uint64_t step = first_step_ + gpu_->steps_done();
    if (const Result<void> uploaded = gpu_->upload(*world_); !uploaded) return go_on_without(uploaded.error());
    count_from(step);
    return {};
}

std::string DeviceWorld::name() const { return gpu_ ? gpu_->device().info().name : "cpu"; }

const physics::StepReport& DeviceWorld::report() const { return report_; }

}  // namespace proxima::compute
