// SPDX-License-Identifier: MIT
#include "engine/gpu/pipeline_cache.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/core/bytes.h"
#include "engine/core/hash.h"

namespace proxima::engine {

namespace {

constexpr uint64_t kMagic = 0x3145484341435850ull;  // "PXCACHE1"

uint64_t hash_of(const PipelineCacheKey& key, std::span<const std::byte> data) {
    StateHash hash;
    hash.add(key.vendor);
    hash.add(key.device);
    hash.add(key.driver);
    hash.add(key.api);
    hash.add_bytes(std::as_bytes(std::span(key.uuid)));
    hash.add_bytes(data);
    return hash.value();
}

}  // namespace

PipelineCacheKey make_cache_key(const VkPhysicalDeviceProperties& properties) {
    PipelineCacheKey key{properties.vendorID, properties.deviceID, properties.driverVersion, properties.apiVersion};
    std::memcpy(key.uuid, properties.pipelineCacheUUID, sizeof(key.uuid));
    return key;
}

std::string cache_file_name(const PipelineCacheKey& key) {
    return fmt::format("pipelines-{:016x}.bin", hash_of(key, {}));
}

std::string pack_pipelines(const PipelineCacheKey& key, std::span<const std::byte> data) {
    std::vector<std::byte> out;
    ByteWriter write(out);
    write.value(kMagic);
    write.value(hash_of(key, data));
    write.value(uint64_t(data.size()));
    write.raw(data.data(), data.size());
    return {reinterpret_cast<const char*>(out.data()), out.size()};
}

Result<std::vector<std::byte>> unpack_pipelines(const PipelineCacheKey& key, const std::string& file) {
    ByteReader read(std::as_bytes(std::span(file.data(), file.size())));
    if (read.value<uint64_t>() != kMagic || !read.ok()) return Error{"It is not a file of compiled pipelines."};
    const auto hash = read.value<uint64_t>();
    const auto size = read.value<uint64_t>();
    if (!read.ok() || size != read.remaining()) return Error{"The file of compiled pipelines is cut off."};
    const std::byte* data = read.take(size_t(size));
    const std::span<const std::byte> bytes(data, size_t(size));
    if (hash != hash_of(key, bytes)) return Error{"The file of compiled pipelines is damaged or of another driver."};
    return std::vector<std::byte>(bytes.begin(), bytes.end());
}

}  // namespace proxima::engine
