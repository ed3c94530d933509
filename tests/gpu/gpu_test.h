// SPDX-License-Identifier: MIT
// A device for a test, watched by the validation layers: any message of theirs fails the test.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "engine/core/atomic_file.h"
#include "engine/gpu/gpu_device.h"

namespace proxima::test {

/// Empty without a Vulkan device; the words make ctest count the test as skipped.
class GpuRig {
  public:
    explicit GpuRig(engine::GpuDeviceOptions options = {}) {
        options.requirements.storage_bytes = 1 << 20;
        Result<std::shared_ptr<engine::GpuInstance>> made = engine::GpuInstance::create({{}, true});
        if (made && !made.value()->devices().empty()) {
            instance = made.value();
            Result<std::shared_ptr<engine::GpuDevice>> opened = engine::GpuDevice::open(instance, "gpu", options);
            REQUIRE_MESSAGE(opened.ok(), opened.error());
            device = opened.value();
            // For the people who run the tests; several run at the same time, so written whole.
            const Result<void> told =
                write_file(std::string(PROXIMA_BINARY_DIR) + "/gpu_device.txt",
                           "GPU tests ran on " + device->info().name + " (" + device->info().driver + "), " +
                               (instance->validating() ? "validation layers on\n" : "without validation layers\n"));
            CHECK_MESSAGE(told.ok(), told.error());
        } else {
            std::printf("skipped: no Vulkan device (%s)\n", made ? "the list is empty" : made.error().c_str());
        }
    }
    ~GpuRig() {
        if (!instance) return;
        device.reset();
        if (expect_messages) return;
        for (const std::string& message : instance->messages()) FAIL_CHECK(message);
    }
    GpuRig(const GpuRig&) = delete;
    GpuRig& operator=(const GpuRig&) = delete;

    explicit operator bool() const { return device != nullptr; }

    std::shared_ptr<engine::GpuInstance> instance;
    std::shared_ptr<engine::GpuDevice> device;
    bool expect_messages = false;
};

}  // namespace proxima::test
