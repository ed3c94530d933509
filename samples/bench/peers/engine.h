// SPDX-License-Identifier: MIT
// What the benchmark and the laws ask of a physics engine, Proxima or another. Plain numbers only: an adapter is compiled
// with the flags of its engine (which may switch on instruction sets), so nothing of ours that is compiled
// elsewhere may be pulled into it through a header.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace proxima::bench {

enum class ShapeKind : uint8_t { box, sphere, capsule, hull, half_space };

struct EngineShape {
    ShapeKind kind = ShapeKind::box;
    /// Of a half-space, which is solid below its local y = 0: the box below it that is enough for its scene, where an
    /// engine has no planes or wants to know how far they are used.
    float half_extents[3] = {0.0f, 0.0f, 0.0f};
    float radius = 0.0f;
    float half_height = 0.0f;   // capsule: half the length of its core segment, along local y
    std::vector<float> points;  // hull: x y z one after the other, about its centre of mass
};

struct EngineBody {
    uint32_t shape = 0;
    bool moves = false;
    bool kinematic = false;  // moves as its velocity says, whatever it meets
    float position[3] = {0.0f, 0.0f, 0.0f};
    float rotation[4] = {0.0f, 0.0f, 0.0f, 1.0f};  // x y z w
    float linear_velocity[3] = {0.0f, 0.0f, 0.0f};
    float angular_velocity[3] = {0.0f, 0.0f, 0.0f};
    double mass = 0.0;  // kg: density times exact volume; 0 for bodies that do not move
    float density = 1000.0f;
    float inertia[3] = {0.0f, 0.0f, 0.0f};  // kg m2 about the local axes; zero: as the engine has it for shape and mass
    float friction = 0.6f;                  // of two bodies: the root of the product
    float restitution = 0.0f;               // of two bodies: the larger one
};

/// A point of a body stays on a point of another.
struct EngineBallJoint {
    uint32_t a = 0, b = 0;
    float anchor_a[3] = {0.0f, 0.0f, 0.0f};  // local
    float anchor_b[3] = {0.0f, 0.0f, 0.0f};
};

/// Nothing is damped.
struct EngineScene {
    std::vector<EngineShape> shapes;
    std::vector<EngineBody> bodies;
    std::vector<EngineBallJoint> joints;
    float gravity[3] = {0.0f, -9.81f, 0.0f};
    bool sleeping = false;
    uint32_t threads = 1;
    /// A world of samples/laws, of which there are thousands: little room is reserved, what spins may spin as fast as it
    /// likes, and hulls of a centimetre keep their points.
    bool law = false;
    bool accurate = false;  // a law with what engines leave out for speed by default and have a switch for
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
    /// Why the scene cannot be had from this engine, which is then not to be stepped; empty when it can.
    virtual std::string fault() const { return {}; }

    // Changes between two steps, of engines that take laws.
    virtual void set_pose(uint32_t, const BodyState&) {}      // its velocity stays
    virtual void set_velocity(uint32_t, const BodyState&) {}  // its pose stays
    virtual void set_gravity(const float (&)[3]) {}
    virtual bool is_asleep(uint32_t) const { return false; }

    // What Proxima tells of a step and the others do not.
    virtual uint32_t stage_count() const { return 0; }
    virtual std::string stage_name(uint32_t) const { return {}; }
    virtual double stage_ms(uint32_t) const { return 0.0; }        // in the last step
    virtual double residual_mean() const { return kNotMeasured; }  // StepReport's, m/s
};

/// What an adapter says of its engine.
struct EngineDescription {
    std::string version;
    std::string settings;      // what was set, and what was left as the library has it
    uint32_t max_threads = 1;  // that this build of the engine can use
    bool takes_hulls = true;
    bool takes_laws = true;    // half-spaces, kinematic bodies, joints, several surfaces, changes between two steps
    std::string law_settings;  // what a law sets beside that
    std::string accurate_settings;  // and what when it is to be accurate; empty: nothing
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
