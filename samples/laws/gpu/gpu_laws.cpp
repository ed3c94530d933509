// SPDX-License-Identifier: MIT
#include "samples/laws/gpu/gpu_laws.h"

#include <bit>
#include <utility>

#include "physics/world.h"

namespace proxima::samples {

class GpuLaws::Stepper final : public LawStepper {
  public:
    Stepper(GpuLaws& owner, std::unique_ptr<compute::GpuWorld> gpu, physics::PhysicsWorld& world)
        : owner_(owner), gpu_(std::move(gpu)), world_(world) {}
    ~Stepper() override { owner_.unused_.push_back(std::move(gpu_)); }

    Result<void> step(float dt, uint32_t steps, bool changed) override {
        if (changed && !gpu_->update(world_))  // bodies came or went
            if (auto r = gpu_->upload(world_); !r) return r;
        if (auto r = gpu_->step(dt, steps); !r) return r;
        return gpu_->download(world_);
    }
    float penetration_max() const override { return std::bit_cast<float>(gpu_->status().penetration_max); }

  private:
    GpuLaws& owner_;
    std::unique_ptr<compute::GpuWorld> gpu_;
    physics::PhysicsWorld& world_;
};

Result<std::unique_ptr<LawStepper>> GpuLaws::take(physics::PhysicsWorld& world) {
    if (unused_.empty()) {
        Result<std::unique_ptr<compute::GpuWorld>> made = compute::GpuWorld::create(device_);
        if (!made) return Error{made.error()};
        unused_.push_back(std::move(made.value()));
    }
    if (const Result<void> uploaded = unused_.back()->upload(world); !uploaded) return Error{uploaded.error()};
    std::unique_ptr<compute::GpuWorld> gpu = std::move(unused_.back());
    unused_.pop_back();
    return std::unique_ptr<LawStepper>(std::make_unique<Stepper>(*this, std::move(gpu), world));
}

}  // namespace proxima::samples
