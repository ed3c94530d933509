// SPDX-License-Identifier: MIT
// The scenes that come with Proxima, by name. They build plain scene data; samples, tests and benchmarks share them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "physics/scene/scene.h"

namespace proxima::samples {

struct SceneInfo {
    std::string_view name;                       // a capital N, R or DEG at its end stands for a number: pyramidN
    std::string_view group;                      // benchmark, growth, course, sample, game, disturbed
    std::string_view description;                // one line
    std::span<const std::string_view> examples;  // names that make_scene takes; the name itself for a plain one
};

/// Every family of scenes, in the order of the listing.
std::span<const SceneInfo> built_in_scenes();
/// All examples of all families.
std::vector<std::string_view> built_in_scene_names();

/// A fresh scene. An unknown name gets the nearest known one suggested, a number out of range its range.
Result<physics::SceneDesc> make_scene(std::string_view name);

}  // namespace proxima::samples
