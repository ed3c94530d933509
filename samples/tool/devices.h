// SPDX-License-Identifier: MIT
// The devices that a run can be computed on.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"

namespace proxima::tool {

struct DeviceLine {
    std::string name;         // as --device takes it
    std::string description;  // one line
};

struct DeviceList {
    std::vector<DeviceLine> devices;  // the cpu first
    std::string note;                 // why there is no gpu in it; empty when there is one
};
DeviceList list_devices();

/// A sentence when the device is not one that worlds are stepped on.
Result<void> check_run_device(const std::string& device);

}  // namespace proxima::tool
