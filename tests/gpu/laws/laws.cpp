// SPDX-License-Identifier: MIT
// Laws of samples/laws on the device, the first tries of each: what moves, slides, rolls and bounces there obeys the same
// mechanics as on the cpu. `proxima laws --device gpu` tries all of them at all parameters.
#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "engine/gpu/gpu_device.h"
#include "engine/gpu/gpu_instance.h"
#include "samples/laws/gpu/gpu_laws.h"
#include "samples/laws/laws.h"

using namespace proxima;
using namespace proxima::samples;

namespace {

/// Without validation layers: laws are thousands of small steps, and the other tests of tests/gpu are watched by them.
std::shared_ptr<engine::GpuDevice> open_device() {
    Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create({{}, false});
    if (!instance || instance.value()->devices().empty()) {
        std::printf("skipped: no Vulkan device (%s)\n", instance ? "the list is empty" : instance.error().c_str());
        return nullptr;
    }
    engine::GpuDeviceOptions options;
    options.requirements = compute::GpuWorld::requirements();
    Result<std::shared_ptr<engine::GpuDevice>> opened = engine::GpuDevice::open(instance.value(), "gpu", options);
    REQUIRE_MESSAGE(opened.ok(), opened.error());
    return opened.value();
}

struct Tried {
    std::string_view name;
    uint32_t tries;
};

void check_laws(const std::vector<Tried>& list) {
    const std::shared_ptr<engine::GpuDevice> device = open_device();
    if (!device) return;
    GpuLaws on_device(device);
    for (const Tried& tried : list) {
        CAPTURE(tried.name);
        const Law* law = find_law(tried.name);
        REQUIRE(law);
        LawOptions options;
        options.settings.sleeping = false;
        options.max_tries = tried.tries;
        options.device = &on_device;
        const std::vector<LawPoint> points = run_law(*law, options);
        CHECK(points.size() == tried.tries);
        for (const std::string& why : on_device.refused) FAIL_CHECK(why);
        for (const LawPoint& p : points) {
            CAPTURE(p.parameters);
            CAPTURE(p.expected);
            CAPTURE(p.measured);
            CHECK_MESSAGE(p.holds(), std::string(law->sentence));
        }
    }
}

}  // namespace

TEST_CASE("what falls, slides and rolls on the device obeys the laws") {
    check_laws({{"free_fall", 2},
                {"braking", 1},
                {"rolling", 2},
                {"spinning_box", 2},
                {"wedge", 2},
                {"overhang", 2},
                {"slope_threshold", 2}});
}

TEST_CASE("supports that move take along what stands on them, on the device as on the cpu") {
    check_laws({{"tilting_ramp", 1}, {"turntable", 1}, {"accelerating_platform", 2}});
}

TEST_CASE("impacts on the device obey Newton and Coulomb") {
    check_laws({{"bounce", 6}, {"oblique", 3}, {"inelastic", 4}, {"stopped_by_wall", 2}, {"row_of_balls", 2}});
}

TEST_CASE("a law that asks for what the device does not have says so") {
    const std::shared_ptr<engine::GpuDevice> device = open_device();
    if (!device) return;
    GpuLaws on_device(device);
    LawOptions options;
    options.max_tries = 1;
    options.device = &on_device;
    REQUIRE(run_law(*find_law("heavy_top"), options).size() == 1);  // it hangs on a joint
    REQUIRE(on_device.refused.size() == 1);
    CHECK(on_device.refused[0].find("Joints") != std::string::npos);
}
