// SPDX-License-Identifier: MIT
// Includes the public header and uses nothing of it: the registry is compared all the same.
#include "engine/ecs/world.h"

int main() { return 0; }
