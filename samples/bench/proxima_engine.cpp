// SPDX-License-Identifier: MIT
#include "samples/bench/proxima_engine.h"

#include <fmt/format.h>

#include "physics/world.h"
#include "samples/bench/engines.h"

namespace proxima::bench {

namespace {

class ProximaEngine final : public Engine {
  public:
    explicit ProximaEngine(uint32_t threads) : world_(engine::make_threaded_jobs(threads)) {}

    Result<void> fill(const physics::SceneDesc& scene) {
        Result<std::vector<physics::Entity>> made = physics::instantiate(scene, world_);
        if (!made) return Error{made.error()};
        entities_ = std::move(made).value();
        return {};
    }

    void step(float dt) override {
        const Result<void> stepped = world_.step(dt);
        PX_ASSERT(stepped.ok(), "the step lengths of scenes are checked before");
    }

    BodyState state(uint32_t body) const override {
        const physics::Entity entity = entities_[body];
        const auto& pose = world_.registry().get<physics::Pose>(entity);
        BodyState out;
        const float rotation[4] = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w};
        std::copy(rotation, rotation + 4, out.rotation);
        const auto* velocity = world_.registry().try_get<physics::Velocity>(entity);
        for (int k = 0; k < 3; ++k) {
            out.position[k] = pose.position[k];
            out.linear_velocity[k] = velocity ? velocity->linear[k] : 0.0f;
            out.angular_velocity[k] = velocity ? velocity->angular[k] : 0.0f;
        }
        return out;
    }

    int64_t contact_points() override { return world_.report().contacts; }
    int64_t awake_bodies() override { return world_.report().bodies; }
    uint32_t stage_count() const override { return uint32_t(world_.times().stages().size()); }
    std::string stage_name(uint32_t i) const override { return world_.times().stages()[i].name; }
    double stage_ms(uint32_t i) const override { return world_.times().stages()[i].last_ms; }
    double residual_mean() const override {
        return world_.report().measured_points > 0 ? world_.report().residual_mean : kNotMeasured;
    }

  private:
    physics::PhysicsWorld world_;
    std::vector<physics::Entity> entities_;  // by body of the scene
};

}  // namespace

Result<std::unique_ptr<Engine>> make_proxima_engine(const physics::SceneDesc& scene, uint32_t threads) {
    auto engine = std::make_unique<ProximaEngine>(threads);
    if (Result<void> filled = engine->fill(scene); !filled) return Error{filled.error()};
    return std::unique_ptr<Engine>(std::move(engine));
}

EngineDescription describe_proxima() {
    const physics::StepSettings settings;
    EngineDescription out;
    out.version = PROXIMA_VERSION;
    out.settings = fmt::format("solver {}, {} sub-steps, {} sweep(s) in each, {} without push-out; the defaults",
                               settings.solver, settings.substeps, settings.iterations, settings.relax_iterations);
    out.max_threads = 256;
    return out;
}

}  // namespace proxima::bench
