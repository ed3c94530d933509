// SPDX-License-Identifier: MIT
// The scene `churn` while it runs: bodies rain into its pit at a steady rate, and the oldest are taken away,
// so that a world can be watched for memory and time that grow although it does not.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "physics/world.h"
#include "samples/scenes/builder.h"

namespace proxima::samples {

struct ChurnOptions {
    double per_second = 200.0;   // bodies that come; as many go once the world is full
    uint32_t most_alive = 1500;  // of the bodies that come
};

/// Where each body appears, and which it is, follows from its number alone: equal runs are equal.
class Churn {
  public:
    explicit Churn(const ChurnOptions& options = {});

    /// To be called before every step of the world.
    Result<void> before_step(physics::PhysicsWorld& world, double dt);

    uint64_t come() const { return come_; }
    uint64_t gone() const { return gone_; }

  private:
    Result<void> add_shapes(physics::PhysicsWorld& world);
    Result<void> add_body(physics::PhysicsWorld& world);

    ChurnOptions options_;
    physics::BodyDesc next_;  // used again and again, so that nothing is allocated
    Random random_{2026};
    std::vector<physics::ShapeId> shapes_;
    std::vector<physics::Entity> bodies_;  // body number k at k % size
    double due_ = 0.0;                     // bodies that should have come by now and have not
    uint64_t come_ = 0, gone_ = 0;
};

/// Whether a built-in scene is one that Churn keeps going.
bool is_churn(std::string_view scene);

}  // namespace proxima::samples
