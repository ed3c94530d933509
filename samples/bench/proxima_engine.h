// SPDX-License-Identifier: MIT
// Proxima behind the interface of the benchmark.
#pragma once

#include <memory>

#include "engine/core/result.h"
#include "physics/scene/scene.h"
#include "samples/bench/peers/engine.h"

namespace proxima::bench {

Result<std::unique_ptr<Engine>> make_proxima_engine(const physics::SceneDesc& scene, uint32_t threads);

}  // namespace proxima::bench
