// SPDX-License-Identifier: MIT
#include "physics/report.h"

#include <utility>

namespace proxima::physics {

void StepReport::warn(engine::Entity entity, std::string message) { warnings.push_back({entity, std::move(message)}); }

}  // namespace proxima::physics
