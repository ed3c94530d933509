// SPDX-License-Identifier: MIT
#include "physics/joints/joints.h"

namespace proxima::physics {

void sync_joints(entt::registry&, const Bodies&, Joints&, const StepTools&) {}
void write_back_joints(const Joints&, entt::registry&) {}

}  // namespace proxima::physics
