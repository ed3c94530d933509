// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_zones.h"

#include "engine/core/assert.h"

namespace proxima::engine {

void GpuZones::begin(const GpuDevice& device, VkCommandBuffer commands) {
    sites_.clear();
    zones_ = depth_ = left_out_ = 0;
    measures_ = GpuTrack::wanted() && device.tick_seconds() > 0.0;
    if (!measures_) return;
    if (!queries_) {
        VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        info.queryCount = 2 * kMaxZones;
        if (device.api().vkCreateQueryPool(device.handle(), &info, nullptr, &queries_) != VK_SUCCESS) {
            queries_ = VK_NULL_HANDLE;
            measures_ = false;
            return;
        }
    }
    device.api().vkCmdResetQueryPool(commands, queries_, 0, 2 * kMaxZones);
}

void GpuZones::stamp(const GpuDevice& device, VkCommandBuffer commands, const ZoneSite* site) {
    device.api().vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_,
                                      uint32_t(sites_.size()));
    sites_.push_back(site);
}

void GpuZones::open(const GpuDevice& device, VkCommandBuffer commands, const ZoneSite& site) {
    if (!measures_) return;
    ++depth_;
    // A zone inside one that is left out is left out too, so that ends find their begins.
    if (left_out_ > 0 || zones_ == kMaxZones) {
        ++left_out_;
        return;
    }
    ++zones_;
    stamp(device, commands, &site);
}

void GpuZones::close(const GpuDevice& device, VkCommandBuffer commands) {
    if (!measures_) return;
    PX_ASSERT(depth_ > 0, "GpuZones: the end of a zone that has not begun");
    --depth_;
    if (left_out_ > 0)
        --left_out_;
    else
        stamp(device, commands, nullptr);
}

void GpuZones::collect(const GpuDevice& device, GpuTrack& track) {
    if (!measures_ || sites_.empty()) return;
    PX_ASSERT(depth_ == 0, "GpuZones: zones end before the work is submitted");
    const int64_t finished_ns = GpuTrack::host_ns();
    ticks_.resize(sites_.size());
    if (device.api().vkGetQueryPoolResults(device.handle(), queries_, 0, uint32_t(sites_.size()),
                                           sites_.size() * sizeof(uint64_t), ticks_.data(), sizeof(uint64_t),
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT) != VK_SUCCESS)
        return;
    marks_.clear();
    for (size_t i = 0; i < sites_.size(); ++i) marks_.push_back({sites_[i], ticks_[i]});
    track.add(marks_, submitted_ns_, finished_ns);
}

void GpuZones::release(const GpuDevice& device) {
    if (queries_) device.api().vkDestroyQueryPool(device.handle(), queries_, nullptr);
    queries_ = VK_NULL_HANDLE;
}

}  // namespace proxima::engine
