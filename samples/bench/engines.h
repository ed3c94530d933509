// SPDX-License-Identifier: MIT
// The engines that the benchmark knows: Proxima, and the others that were found when it was configured.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "physics/scene/scene.h"
#include "samples/bench/peers/engine.h"

namespace proxima::bench {

inline constexpr std::string_view kProxima = "proxima";

/// An engine that Proxima can be compared with.
struct Peer {
    std::string_view name;
    std::string_view title;
    EngineDescription (*describe)() = nullptr;  // null: not built in
    std::string_view how_to_get;                // a clause: what to do so that it is built in
};

std::span<const Peer> peers();
const Peer* find_peer(std::string_view name);

/// The names in a comma-separated list, checked: "all" stands for every peer that is built in, "none" for no
/// peer. A sentence for a name that is unknown or not built in.
Result<std::vector<std::string>> parse_peers(const std::string& list);

EngineDescription describe_proxima();

/// Nothing for shapes that other engines are not given.
std::optional<ShapeKind> shape_kind(physics::ShapeType type);

/// The scene in plain numbers, for engines that are not ours. A sentence for what they cannot all take: half-
/// spaces, bodies of several colliders, different frictions.
Result<EngineScene> make_engine_scene(const physics::SceneDesc& scene, uint32_t threads);

/// A world of the named engine with the scene in it. The scene's settings say whether bodies may sleep.
Result<std::unique_ptr<Engine>> make_engine(std::string_view name, const physics::SceneDesc& scene, uint32_t threads);

/// Kilograms of every body, density times exact volume; 0 for those that do not move.
std::vector<double> body_masses(const physics::SceneDesc& scene);

}  // namespace proxima::bench
