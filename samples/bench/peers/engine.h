// SPDX-License-Identifier: MIT
// What the benchmark asks of a physics engine, Proxima or another. Plain numbers only: an adapter is compiled
// with the flags of its engine (which may switch on instruction sets), so nothing of ours that is compiled
// elsewhere may be pulled into it through a header.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace proxima::bench {

enum class ShapeKind : uint8_t { box, sphere, capsule, hull };

struct EngineShape {
    ShapeKind kind = ShapeKind::box;
    float half_extents[3] = {0.0f, 0.0f, 0.0f};
    float radius = 0.0f;
    float half_height = 0.0f;   // capsule: half the length of its core segment, along local y
    std::vector<float> points;  // hull: x y z one after the other, about its centre of mass
};

struct EngineBody {
    uint32_t shape = 0;
    bool moves = false;
    float position[3] = {0.0f, 0.0f, 0.0f};
    float rotation[4] = {0.0f, 0.0f, 0.0f, 1.0f};  // x y z w
    float linear_velocity[3] = {0.0f, 0.0f, 0.0f};
    float angular_velocity[3] = {0.0f, 0.0f, 0.0f};
    double mass = 0.0;  // kg: density times exact volume; 0 for bodies that do not move
    float density = 1000.0f;
};

/// Two surfaces have exactly `friction` together, nothing bounces, nothing is damped.
struct EngineScene {
    std::vector<EngineShape> shapes;
    std::vector<EngineBody> bodies;
    float gravity[3] = {0.0f, -9.81f, 0.0f};
    float friction = 0.6f;
    bool sleeping = false;
    uint32_t threads = 1;
};

struct BodyState {
    float position[3] = {0.0f, 0.0f, 0.0f};
    float rotation[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    float linear_velocity[3] = {0.0f, 0.0f, 0.0f};
    float angular_velocity[3] = {0.0f, 0.0f, 0.0f};
};

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// A world of an engine, filled with a scene.
class Engine {
  public:
    virtual ~Engine() = default;
    virtual void step(float dt) = 0;  // the only call that is timed
    virtual BodyState state(uint32_t body) const = 0;
    virtual int64_t contact_points() { return -1; }  // now; may take one more step. -1: it does not say
    virtual int64_t awake_bodies() { return -1; }

    // What Proxima tells of a step and the others do not.
    virtual uint32_t stage_count() const { return 0; }
    virtual std::string stage_name(uint32_t) const { return {}; }
    virtual double stage_ms(uint32_t) const { return 0.0; }        // in the last step
    virtual double residual_mean() const { return kNotMeasured; }  // natural map of the last step, m/s
};

/// What an adapter says of its engine.
struct EngineDescription {
    std::string version;
    std::string settings;      // what was set, and what was left as the library has it
    uint32_t max_threads = 1;  // that this build of the engine can use
    bool takes_hulls = true;
    std::unique_ptr<Engine> (*make)(const EngineScene& scene) = nullptr;
};

// One for every file in this folder; those that are not built in are not defined.
EngineDescription describe_bullet();
EngineDescription describe_box3d();
EngineDescription describe_jolt();
EngineDescription describe_physx_pgs();
EngineDescription describe_physx_tgs();
EngineDescription describe_ode();

}  // namespace proxima::bench
