// SPDX-License-Identifier: MIT
// Scenes of another size: the same picture, and the same film at another speed.
#pragma once

#include <vector>

#include "physics/scene/scene.h"

namespace proxima::samples {

/// The scene with all lengths times `factor`, of the same densities and gravity. What falls takes sqrt(factor) times as long, so
/// that velocities are sqrt(factor) times as large and the run as much longer; its step is that of the scene for things of
/// 10 cm and more, and shorter with the square root of `factor` below. Scenes without joints only.
physics::SceneDesc scaled(physics::SceneDesc scene, double factor);

/// Poses of such a scene as those of the one that it was made from.
std::vector<physics::Pose> scaled_back(std::vector<physics::Pose> poses, double factor);

}  // namespace proxima::samples
