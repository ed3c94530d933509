// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/gpu/gpu_commands.h"
#include "engine/gpu/pipeline_cache.h"
#include "tests/gpu/gpu_test.h"
#include "tests/support/temporary_folder.h"

namespace proxima::shaders {
std::span<const uint32_t> scale_add();
}

using namespace proxima;
using namespace proxima::engine;
using proxima::test::GpuRig;
using proxima::test::TemporaryFolder;

namespace {

struct ScaleAdd {
    uint32_t count;
    float a, b;
};

/// Two buffers and the kernel y = a x + b in both directions.
struct Rig {
    explicit Rig(const std::shared_ptr<GpuDevice>& device, uint32_t n) : count(n) {
        layout = GpuLayout::create(device, 2, sizeof(ScaleAdd), "scale_add").value();
        const uint32_t constants[] = {64};
        pipeline = GpuPipeline::create(device, layout, shaders::scale_add(), constants, "scale_add").value();
        x = GpuBuffer::create(device, n * 4, GpuMemory::device, "x").value();
        y = GpuBuffer::create(device, n * 4, GpuMemory::device, "y").value();
        forth = GpuBindings::create(device, layout, "forth").value();
        back = GpuBindings::create(device, layout, "back").value();
        const GpuBuffer* const xy[] = {&x, &y};
        const GpuBuffer* const yx[] = {&y, &x};
        forth.set(xy);
        back.set(yx);
        commands = std::move(GpuCommands::create(device, "test").value());
    }
    void run(const GpuBindings& bindings, float a, float b) {
        const ScaleAdd push{count, a, b};
        commands->bind(layout, bindings);
        commands->push(layout, &push, sizeof(push));
        commands->dispatch(pipeline, (count + 63) / 64);
    }

    uint32_t count;
    GpuLayout layout;
    GpuPipeline pipeline;
    GpuBuffer x, y;
    GpuBindings forth, back;
    std::unique_ptr<GpuCommands> commands;
};

std::vector<float> numbers(uint32_t n) {
    std::vector<float> out(n);
    std::iota(out.begin(), out.end(), -100.0f);
    return out;
}

/// Uploads, computes there and back, downloads.
Result<std::vector<float>> go_there_and_back(Rig& rig) {
    const std::vector<float> in = numbers(rig.count);
    std::vector<float> out(rig.count);
    if (Result<void> r = rig.commands->begin(); !r) return Error{r.error()};
    if (Result<void> r = rig.commands->upload(rig.x, std::span<const float>(in)); !r) return Error{r.error()};
    rig.commands->barrier(GpuAccess::copies, GpuAccess::kernels);
    rig.run(rig.forth, 2.0f, 1.0f);
    rig.commands->barrier(GpuAccess::kernels, GpuAccess::kernels);
    rig.run(rig.back, 0.5f, 3.0f);
    rig.commands->barrier(GpuAccess::kernels, GpuAccess::copies);
    if (Result<void> r = rig.commands->download(rig.x, std::span<float>(out)); !r) return Error{r.error()};
    if (Result<void> r = rig.commands->finish(); !r) return Error{r.error()};
    return out;
}

void check_result(const std::vector<float>& out) {
    const std::vector<float> in = numbers(uint32_t(out.size()));
    for (size_t i = 0; i < out.size(); ++i) REQUIRE(out[i] == in[i] + 3.5f);
}

GpuDeviceInfo info_of(uint32_t index, const char* name, const char* kind, bool usable = true) {
    GpuDeviceInfo info;
    info.index = index;
    info.name = name;
    info.kind = kind;
    info.api_version = usable ? VK_API_VERSION_1_3 : VK_API_VERSION_1_1;
    info.usable = usable;
    return info;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a machine without a loader is told so in a sentence") {
    const auto made = GpuInstance::create({"libvulkan_that_is_not_there.so", false});
    REQUIRE(!made.ok());
    CHECK(contains(made.error(), "There is no Vulkan loader"));
    CHECK(contains(made.error(), "cpu"));
    // A library that is no loader.
    const auto other = GpuInstance::create({"libm.so.6", false});
    REQUIRE(!other.ok());
    CHECK(contains(other.error(), "libm.so.6"));
}

TEST_CASE("devices are chosen by kind, index and part of the name") {
    const std::vector<GpuDeviceInfo> devices = {
        info_of(0, "llvmpipe (LLVM 15)", "software"), info_of(1, "Old Card", "discrete", false),
        info_of(2, "Fast Card 9", "discrete"), info_of(3, "Laptop Graphics", "integrated")};
    CHECK(choose_device(devices, "gpu").value() == 2);
    CHECK(choose_device(devices, "gpu:0").value() == 0);
    CHECK(choose_device(devices, "gpu:laptop").value() == 3);
    CHECK(choose_device(devices, "gpu:LLVM").value() == 0);
    CHECK(contains(choose_device(devices, "gpu:7").error(), "gpu:2 is Fast Card 9"));
    CHECK(contains(choose_device(devices, "gpu:nvidia").error(), "There is no device 'gpu:nvidia'"));
    CHECK(contains(choose_device(devices, "gpu:1").error(), "1.3 is needed"));
    CHECK(contains(choose_device(devices, "cuda").error(), "gpu:INDEX"));
    CHECK(contains(choose_device({}, "gpu").error(), "There is no Vulkan device"));
    CHECK(contains(choose_device({devices[1]}, "gpu").error(), "No device here offers Vulkan 1.3"));
}

TEST_CASE("a kernel computes the same on mapped and on staged memory") {
    for (const bool staging : {false, true}) {
        GpuDeviceOptions options;
        options.force_staging = staging;
        GpuRig gpu(options);
        if (!gpu) return;
        CAPTURE(staging);
        Rig rig(gpu.device, 10007);
        if (staging) {
            CHECK(gpu.device->stages());
            CHECK(rig.x.mapped() == nullptr);
        }
        for (int repeat = 0; repeat < 3; ++repeat) {  // staging memory is used again
            const Result<std::vector<float>> out = go_there_and_back(rig);
            REQUIRE_MESSAGE(out.ok(), out.error());
            check_result(out.value());
        }
        const GpuCounts& counts = rig.commands->counts();
        CHECK(counts.submits == 1);
        CHECK(counts.dispatches == 2);
        CHECK(counts.barriers == 4);  // and one to the host
        CHECK(counts.copies == (gpu.device->stages() ? 2 : 0));
        CHECK(counts.bytes_up == 40028);
        CHECK(counts.bytes_down == 40028);
    }
}

TEST_CASE("uploads larger than a piece of staging memory arrive whole") {
    GpuDeviceOptions options;
    options.force_staging = true;
    GpuRig gpu(options);
    if (!gpu) return;
    Rig rig(gpu.device, 700001);
    const Result<std::vector<float>> out = go_there_and_back(rig);
    REQUIRE_MESSAGE(out.ok(), out.error());
    check_result(out.value());
}

TEST_CASE("the device reads the size of an indirect dispatch from a buffer") {
    GpuRig gpu;
    if (!gpu) return;
    Rig rig(gpu.device, 640);
    GpuBuffer arguments = GpuBuffer::create(gpu.device, 12, GpuMemory::device, "arguments").value();
    const uint32_t sizes[] = {5, 1, 1};  // half of the numbers
    const std::vector<float> in = numbers(640), zeros(640, 0.0f);
    std::vector<float> out(640);
    GpuCommands& c = *rig.commands;
    REQUIRE(c.begin());
    REQUIRE(c.upload(arguments, std::span<const uint32_t>(sizes)));
    REQUIRE(c.upload(rig.x, std::span<const float>(in)));
    REQUIRE(c.upload(rig.y, std::span<const float>(zeros)));
    c.barrier(GpuAccess::copies, GpuAccess::kernels | GpuAccess::arguments);
    const ScaleAdd push{640, 1.0f, 0.0f};
    c.bind(rig.layout, rig.forth);
    c.push(rig.layout, &push, sizeof(push));
    c.dispatch_indirect(rig.pipeline, arguments, 0);
    c.barrier(GpuAccess::kernels, GpuAccess::copies);
    REQUIRE(c.download(rig.y, std::span<float>(out)));
    REQUIRE(c.finish());
    for (size_t i = 0; i < out.size(); ++i) REQUIRE(out[i] == (i < 320 ? in[i] : 0.0f));
}

TEST_CASE("timestamps tell how long kernels take") {
    GpuRig gpu;
    if (!gpu || gpu.device->tick_seconds() == 0.0) return;
    Rig rig(gpu.device, 1000000);
    REQUIRE(rig.commands->begin());
    const uint32_t first = rig.commands->timestamp();
    for (int i = 0; i < 4; ++i) {
        rig.commands->fill(rig.x, 0, rig.x.bytes(), 0);
        rig.commands->barrier(GpuAccess::copies, GpuAccess::kernels);
        rig.run(rig.forth, 1.0f, 1.0f);
        rig.commands->barrier(GpuAccess::kernels, GpuAccess::copies | GpuAccess::kernels);
    }
    const uint32_t second = rig.commands->timestamp();
    REQUIRE(rig.commands->finish());
    CHECK(rig.commands->seconds_between(first, second) > 0.0);
    CHECK(rig.commands->seconds_between(first, second) < 60.0);
}

TEST_CASE("a barrier that is missing is reported by the layers") {
    GpuRig gpu;
    if (!gpu || !gpu.instance->validating()) return;
    gpu.expect_messages = true;
    Rig rig(gpu.device, 1000);
    REQUIRE(rig.commands->begin());
    rig.run(rig.forth, 1.0f, 1.0f);
    rig.run(rig.back, 1.0f, 1.0f);  // reads what the kernel before may not have written yet
    REQUIRE(rig.commands->finish());
    CHECK(!gpu.instance->messages().empty());
}

TEST_CASE("a device that offers too little is refused with the limit") {
    GpuRig gpu;
    if (!gpu) return;
    const auto refused = [&](GpuRequirements needed, const char* part) {
        GpuDeviceOptions options;
        options.requirements = needed;
        const auto opened = GpuDevice::open(gpu.instance, "gpu", options);
        REQUIRE(!opened.ok());
        CHECK(contains(opened.error(), part));
        CHECK(contains(opened.error(), gpu.device->info().name.c_str()));
    };
    refused({.storage_buffers = 0xFFFFFFFFu}, "storage buffers");
    refused({.workgroup_size = 1 << 20}, "workgroup");
    refused({.push_bytes = 1 << 20}, "push constants");
    refused({.storage_bytes = 1ull << 50}, "bytes in a storage buffer");
}

TEST_CASE("memory that is not there is a sentence, and the device works on") {
    GpuRig gpu;
    if (!gpu) return;
    const auto huge = GpuBuffer::create(gpu.device, 1ull << 50, GpuMemory::device, "huge");
    REQUIRE(!huge.ok());
    CHECK(contains(huge.error(), "'huge' of 1125899906842624 bytes"));
    const auto staging = GpuBuffer::create(gpu.device, 1ull << 44, GpuMemory::upload, "staging");
    REQUIRE(!staging.ok());

    // A driver that has no memory left.
    const auto allocate = gpu.device->api().vkAllocateMemory;
    gpu.device->api_for_tests().vkAllocateMemory = [](VkDevice, const VkMemoryAllocateInfo*,
                                                      const VkAllocationCallbacks*,
                                                      VkDeviceMemory*) { return VK_ERROR_OUT_OF_DEVICE_MEMORY; };
    const auto none = GpuBuffer::create(gpu.device, 64, GpuMemory::device, "small");
    gpu.device->api_for_tests().vkAllocateMemory = allocate;
    REQUIRE(!none.ok());
    CHECK(contains(none.error(), "out of memory"));
    CHECK(!gpu.device->lost());
    Rig rig(gpu.device, 100);
    CHECK(go_there_and_back(rig).ok());
}

TEST_CASE("a lost device is a sentence and stays lost") {
    GpuRig gpu;
    if (!gpu) return;
    Rig rig(gpu.device, 100);
    const auto submit = gpu.device->api().vkQueueSubmit2;
    gpu.device->api_for_tests().vkQueueSubmit2 = [](VkQueue, uint32_t, const VkSubmitInfo2*, VkFence) {
        return VK_ERROR_DEVICE_LOST;
    };
    const auto out = go_there_and_back(rig);
    gpu.device->api_for_tests().vkQueueSubmit2 = submit;
    REQUIRE(!out.ok());
    CHECK(contains(out.error(), "the device was lost"));
    CHECK(gpu.device->lost());
    CHECK(contains(go_there_and_back(rig).error(), "the device was lost"));
}

TEST_CASE("files of compiled pipelines are believed only when they are whole and of this driver") {
    PipelineCacheKey key{1, 2, 3, 4, {5, 6}};
    const std::vector<std::byte> data = {std::byte{1}, std::byte{2}, std::byte{3}};
    const std::string file = pack_pipelines(key, data);
    CHECK(unpack_pipelines(key, file).value() == data);
    for (size_t size = 0; size < file.size(); ++size) CHECK(!unpack_pipelines(key, file.substr(0, size)).ok());
    CHECK(!unpack_pipelines(key, file + "x").ok());
    for (size_t i = 0; i < file.size(); ++i) {
        std::string damaged = file;
        damaged[i] = char(damaged[i] ^ 0x10);
        CHECK(!unpack_pipelines(key, damaged).ok());
    }
    PipelineCacheKey other = key;
    other.driver = 4;
    CHECK(!unpack_pipelines(other, file).ok());
    CHECK(cache_file_name(other) != cache_file_name(key));
}

TEST_CASE("compiled pipelines are kept on disk, and a damaged file is replaced") {
    namespace fs = std::filesystem;
    const TemporaryFolder temporary;
    const fs::path folder = temporary.path / "pipelines";  // made by the device
    GpuDeviceOptions options;
    options.cache_folder = folder.string();
    const auto use = [&] {
        GpuRig gpu(options);
        if (!gpu) return false;
        Rig rig(gpu.device, 100);
        const auto out = go_there_and_back(rig);
        REQUIRE(out.ok());
        check_result(out.value());
        return true;
    };
    if (!use()) return;
    REQUIRE(fs::exists(folder));
    const fs::path file = fs::directory_iterator(folder)->path();
    const std::string good = read_file(file.string()).value();
    CHECK(use());
    REQUIRE(write_file(file.string(), good.substr(0, good.size() / 2)));
    CHECK(use());
    CHECK(read_file(file.string()).value().size() > good.size() / 2);
    REQUIRE(write_file(file.string(), "something else"));
    CHECK(use());
}
