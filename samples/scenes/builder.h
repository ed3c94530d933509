// SPDX-License-Identifier: MIT
// The few moves that every built-in scene is made of. Numbers are doubles until they enter the scene.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "physics/scene/scene.h"
#include "samples/scenes/convex.h"

namespace proxima::samples {

/// The random numbers of the benchmark scenes: a 64-bit linear congruential generator, top 32 bits used.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    double unit() {  // [0, 1)
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        return double(uint32_t(state_ >> 32)) / 4294967296.0;
    }
    double symmetric() { return unit() * 2.0 - 1.0; }  // [-1, 1)
    Quatd rotation();
    Vec3d direction();

  private:
    uint64_t state_;
};

inline Vec3 to_float(const Vec3d& v) { return {float(v.x), float(v.y), float(v.z)}; }
inline Quat to_float(const Quatd& q) { return Quat(float(q.w), float(q.x), float(q.y), float(q.z)); }

class SceneBuilder {
  public:
    /// Every surface of the scene has friction mu, and two of them together have exactly mu.
    SceneBuilder(std::string name, std::string description, double friction);

    uint32_t box(const Vec3d& half_extents);
    uint32_t sphere(double radius);
    uint32_t capsule(double radius, double half_height);
    uint32_t hull(const std::vector<Vec3d>& points);
    uint32_t half_space();

    physics::SceneBody& fixed(uint32_t shape, const Vec3d& position, const Quatd& rotation = {});
    physics::SceneBody& dynamic(uint32_t shape, const Vec3d& position, const Quatd& rotation = {},
                                double density = 1000.0);

    /// A ball joint of two bodies, by their numbers, at a point of the world where both are now.
    void ball_joint(uint32_t body_a, uint32_t body_b, const Vec3d& point);
    /// A joint of any type between two bodies, by their numbers, with its frames at a point of the world, their x axes along an axis
    /// there. Returns it, for the rest to be filled in; `y` is where their y axes point to.
    template <class Joint>
    Joint& joint(uint32_t body_a, uint32_t body_b, const Vec3d& point, const Vec3d& axis, const Vec3d& y = {}) {
        scene_.joints.push_back({body_a, body_b, with_anchors(Joint{}, frames_at(body_a, body_b, point, axis, y))});
        return std::get<Joint>(scene_.joints.back().joint);
    }
    /// The number of the joint that was added last.
    uint32_t last_joint() const { return uint32_t(scene_.joints.size() - 1); }
    /// The number of the body that was added last.
    uint32_t last_body() const { return uint32_t(scene_.bodies.size() - 1); }

    /// A fixed box of 200 x 2 x 200 m with its top at y = 0.
    void ground();
    /// Four fixed walls, 1 m thick, around a square of `inner` metres.
    void pit(double inner, double height);

    void run_for(uint32_t steps, uint32_t settled_from);
    void must_stand(double tolerance);
    physics::SceneDesc& scene() { return scene_; }
    physics::SceneDesc take() { return std::move(scene_); }

  private:
    physics::JointAnchors frames_at(uint32_t body_a, uint32_t body_b, const Vec3d& point, const Vec3d& axis,
                                    const Vec3d& y) const;
    physics::SceneBody& add(physics::BodyType type, uint32_t shape, const Vec3d& position, const Quatd& rotation);

    physics::SceneDesc scene_;
    physics::Material material_;
};

}  // namespace proxima::samples
