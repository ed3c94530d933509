// SPDX-License-Identifier: MIT
// A window with a device that draws into it, for tests; any message of the validation layers fails the test.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "engine/window/swapchain.h"
#include "engine/window/window.h"

namespace proxima::test {

/// Empty without a display or a device; the words make ctest count the test as skipped.
struct WindowRig {
    explicit WindowRig(const engine::WindowOptions& options = {"test", 200, 120}) {
        const Result<std::vector<std::string>> extensions = engine::window_extensions();
        if (!extensions) {
            std::printf("skipped: no display (%s)\n", extensions.error().c_str());
            return;
        }
        auto made = engine::GpuInstance::create({{}, true, extensions.value()});
        if (!made || made.value()->devices().empty()) {
            std::printf("skipped: no Vulkan device\n");
            return;
        }
        instance = made.value();
        engine::GpuDeviceOptions device_options;
        device_options.graphics = device_options.present = true;
        device_options.requirements.storage_bytes = 1 << 20;
        auto opened = engine::GpuDevice::open(instance, "gpu", device_options);
        REQUIRE_MESSAGE(opened.ok(), opened.error());
        device = opened.value();
        auto shown = engine::Window::create(options);
        REQUIRE_MESSAGE(shown.ok(), shown.error());
        window = std::move(shown.value());
    }
    ~WindowRig() {
        device.reset();
        window.reset();
        if (!instance) return;
        for (const std::string& message : instance->messages()) FAIL_CHECK(message);
    }
    WindowRig(const WindowRig&) = delete;
    WindowRig& operator=(const WindowRig&) = delete;
    explicit operator bool() const { return window != nullptr; }

    std::shared_ptr<engine::GpuInstance> instance;
    std::shared_ptr<engine::GpuDevice> device;
    std::unique_ptr<engine::Window> window;
};

}  // namespace proxima::test
