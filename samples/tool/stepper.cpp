// SPDX-License-Identifier: MIT
#include "samples/tool/stepper.h"

#include <algorithm>

#ifdef PROXIMA_GPU
#include "compute/world/device_world.h"
#include "engine/gpu/gpu_instance.h"
#endif

namespace proxima::tool {

namespace {

class CpuStepper final : public Stepper {
  public:
    CpuStepper(physics::PhysicsWorld& world, std::string note) : world_(world), note_(std::move(note)) {}
    Result<void> step(float dt) override { return world_.step(dt); }
    Result<void> download() override { return {}; }
    Result<void> upload_changes() override { return {}; }
    const physics::StepReport& report() const override { return world_.report(); }
    std::string device() const override { return "cpu"; }
    std::vector<std::pair<std::string, double>> stages_ms() const override {
        std::vector<std::pair<std::string, double>> out;
        for (const engine::StageTime& stage : world_.times().stages())
            out.emplace_back(stage.name, stage.total_ms / double(std::max<uint64_t>(1, world_.times().frames())));
        return out;
    }
    std::optional<DeviceCost> cost() const override { return std::nullopt; }
    std::string note() const override { return note_; }

  private:
    physics::PhysicsWorld& world_;
    std::string note_;
};

#ifdef PROXIMA_GPU

class GpuStepper final : public Stepper {
  public:
    explicit GpuStepper(std::unique_ptr<compute::DeviceWorld> world) : world_(std::move(world)) {}

    Result<void> step(float dt) override {
        const Result<void> stepped = world_->step(dt);
        if (!stepped) return stepped;
        if (const compute::GpuWorld* gpu = world_->gpu()) {
            const compute::GpuStepCost& c = gpu->cost();
            ++steps_;
            pairs_ += c.pairs_seconds;
            contacts_ += c.contacts_seconds;
            solver_ += c.solver_seconds;
            sum_.host_ms += 1e3 * c.host_seconds;
            sum_.wait_ms += 1e3 * c.wait_seconds;
            sum_.submits += c.counts.submits;
            sum_.dispatches += c.counts.dispatches;
            sum_.barriers += c.counts.barriers;
            sum_.bytes_up += double(c.counts.bytes_up);
            sum_.bytes_down += double(c.counts.bytes_down);
            sum_.repeats += c.repeats;
            sum_.device_bytes = gpu->device_bytes();
            sum_.colours = gpu->status().colours;
        }
        return {};
    }
    Result<void> download() override { return world_->download(); }
    Result<void> upload_changes() override { return world_->upload_changes(); }
    const physics::StepReport& report() const override { return world_->report(); }
    std::string device() const override { return world_->name(); }
    std::vector<std::pair<std::string, double>> stages_ms() const override {
        const double each = 1e3 / double(std::max<uint64_t>(1, steps_));
        return {{"pairs", each * pairs_}, {"contacts", each * contacts_}, {"solver", each * solver_}};
    }
    std::optional<DeviceCost> cost() const override {
        DeviceCost mean = sum_;
        for (double* value : {&mean.host_ms, &mean.wait_ms, &mean.submits, &mean.dispatches, &mean.barriers,
                              &mean.bytes_up, &mean.bytes_down})
            *value /= double(std::max<uint64_t>(1, steps_));
        return mean;
    }
    std::string note() const override { return world_->why_on_cpu(); }

  private:
    std::unique_ptr<compute::DeviceWorld> world_;
    uint64_t steps_ = 0;
    double pairs_ = 0.0, contacts_ = 0.0, solver_ = 0.0;  // s, summed
    DeviceCost sum_;
};

#endif

}  // namespace

Result<std::unique_ptr<Stepper>> Stepper::create(physics::PhysicsWorld& world, const std::string& device) {
    const auto on_cpu = [&](const std::string& note) -> std::unique_ptr<Stepper> {
        return std::make_unique<CpuStepper>(world, note);
    };
    if (device == "cpu") return on_cpu("");
#ifdef PROXIMA_GPU
    Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create();
    if (!instance) return on_cpu(instance.error() + " The cpu computes instead.");
    if (instance.value()->devices().empty())
        return on_cpu("There is no Vulkan device on this machine. The cpu computes instead.");
    engine::GpuDeviceOptions options;
    options.cache_folder = engine::default_gpu_cache_folder();
    options.requirements = compute::GpuWorld::requirements();
    Result<std::shared_ptr<engine::GpuDevice>> opened = engine::GpuDevice::open(instance.value(), device, options);
    if (!opened) return Error{opened.error() + " Or use --device cpu, or leave the flag out."};
    std::unique_ptr<compute::DeviceWorld> made = compute::DeviceWorld::on(world, opened.value());
    if (!made->on_device()) return on_cpu(made->why_on_cpu() + " The cpu computes instead.");
    return std::unique_ptr<Stepper>(std::make_unique<GpuStepper>(std::move(made)));
#else
    return on_cpu("This build of proxima was made without Vulkan. The cpu computes instead.");
#endif
}

}  // namespace proxima::tool
