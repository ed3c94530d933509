// SPDX-License-Identifier: MIT
// A world for laws: bodies are made in one line, and settings that make no sense end the program, because a law is
// ours to write and not a user's.
#pragma once

#include "physics/physics.h"
#include "physics/scene/scene.h"
#include "samples/laws/laws.h"

namespace proxima::samples {

inline constexpr float kG = 9.81f;
inline constexpr double kRadian = 57.29577951308232;  // degrees

/// Steps are shorter for small things, as they fall faster for their size.
float step_for(const LawOptions& options, float size);

/// A surface that has exactly these coefficients with any other one made by surface().
physics::Material surface(float friction, float restitution = 0.0f);

struct LawBody {
    physics::BodyType type = physics::BodyType::dynamic;
    Vec3 position{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    Vec3 velocity{0.0f, 0.0f, 0.0f};
    Vec3 spin{0.0f, 0.0f, 0.0f};
    float friction = 0.0f;
    float restitution = 0.0f;
    float mass = 0.0f;            // kg; 0: water
    Vec3 belt{0.0f, 0.0f, 0.0f};  // velocity of its surface in its frame
};

class LawWorld {
  public:
    explicit LawWorld(const LawOptions& options, const Vec3& gravity = {0.0f, -kG, 0.0f});

    physics::Entity box(const Vec3& half_extents, const LawBody& body);
    physics::Entity sphere(float radius, const LawBody& body);
    physics::Entity capsule(float radius, float half_height, const LawBody& body);  // along y
    physics::Entity hull(const std::vector<Vec3>& points, const LawBody& body);
    /// One body of several boxes, which are given in its frame.
    struct Piece {
        Vec3 position, half_extents;
    };
    physics::Entity boxes(std::span<const Piece> pieces, const LawBody& body);
    /// Solid below y = 0 of its frame; fixed.
    physics::Entity ground(const LawBody& body);
    /// The bodies of a scene, in its order; settings stay those of the law.
    std::vector<physics::Entity> add_scene(const physics::SceneDesc& scene);

    void step();
    /// For so many seconds.
    void run(float seconds);
    float dt() const { return dt_; }
    float time() const { return float(steps_) * dt_; }
    void set_dt(float dt);

    Vec3 position(physics::Entity body) const { return now().pose(body).position; }
    Quat rotation(physics::Entity body) const { return now().pose(body).rotation; }
    Vec3 velocity(physics::Entity body) const { return now().velocity(body).linear; }
    Vec3 spin(physics::Entity body) const { return now().velocity(body).angular; }
    void set_velocity(physics::Entity body, const Vec3& linear, const Vec3& angular = {0.0f, 0.0f, 0.0f});
    /// Kinetic energy and that of height in the gravity there is, J, of all bodies that move.
    double energy() const;
    /// About the origin, kg m2/s.
    Vec3 angular_momentum() const;
    Vec3 momentum() const;
    /// Deepest overlap after the last step, m.
    float penetration_max() const;
    physics::PhysicsWorld& world();

  private:
    physics::Entity add(const physics::ShapeDesc& shape, const LawBody& body);
    /// The world after all steps that were asked for: a device makes several in one go.
    const physics::PhysicsWorld& now() const;

    mutable physics::PhysicsWorld world_;
    mutable LawDevice* device_;                    // nullptr: the cpu, or what the device has refused
    mutable std::unique_ptr<LawStepper> stepper_;  // made with the first step, when all bodies are there
    mutable uint32_t waiting_ = 0;                 // steps that the device has not made yet
    mutable bool changed_ = false;                 // components, since its last step
    float dt_;
    uint64_t steps_ = 0;
};

/// The lists of laws, one a file.
std::span<const Law> friction_laws();
std::span<const Law> rolling_laws();
std::span<const Law> statics_laws();
std::span<const Law> impact_laws();
std::span<const Law> motion_laws();
std::span<const Law> sleep_laws();
std::span<const Law> stack_laws();
std::span<const Law> convergence_laws();

}  // namespace proxima::samples
