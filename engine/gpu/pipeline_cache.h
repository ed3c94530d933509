// SPDX-License-Identifier: MIT
// Compiled pipelines as a file. Drivers are free to crash on data that are not theirs, so a file is only
// believed when it is whole and was written by the same driver of the same device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/vulkan_api.h"

namespace proxima::engine {

/// The device and driver that can read compiled pipelines.
struct PipelineCacheKey {
    uint32_t vendor = 0, device = 0, driver = 0, api = 0;
    uint8_t uuid[VK_UUID_SIZE] = {};
};
PipelineCacheKey make_cache_key(const VkPhysicalDeviceProperties& properties);

/// A name that is different for different drivers, so that they do not overwrite each other's file.
std::string cache_file_name(const PipelineCacheKey& key);

/// The text of a file around a driver's data.
std::string pack_pipelines(const PipelineCacheKey& key, std::span<const std::byte> data);
/// The driver's data; a sentence when the file is cut off, damaged or of another driver.
Result<std::vector<std::byte>> unpack_pipelines(const PipelineCacheKey& key, const std::string& file);

}  // namespace proxima::engine
