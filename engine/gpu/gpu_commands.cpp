// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_commands.h"

#include <algorithm>
#include <cstring>

namespace proxima::engine {

namespace {

constexpr uint64_t kMinUploadChunk = 1 << 20;

struct Scope {
    VkPipelineStageFlags2 stages = 0;
    VkAccessFlags2 reads = 0, writes = 0;
};

Scope scope_of(GpuAccess access) {
    Scope s;
    if (has(access, GpuAccess::kernels)) {
        s.stages |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        s.reads |= VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
        s.writes |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
    }
    if (has(access, GpuAccess::copies)) {
        s.stages |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
        s.reads |= VK_ACCESS_2_TRANSFER_READ_BIT;
        s.writes |= VK_ACCESS_2_TRANSFER_WRITE_BIT;
    }
    if (has(access, GpuAccess::arguments)) {
        s.stages |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
        s.reads |= VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
    }
    return s;
}

}  // namespace

Result<std::unique_ptr<GpuCommands>> GpuCommands::create(std::shared_ptr<GpuDevice> device, const std::string& name) {
    std::unique_ptr<GpuCommands> made(new GpuCommands);
    made->device_ = std::move(device);
    made->track_ = std::make_unique<GpuTrack>(made->device_->info().name + ": " + name, made->device_->tick_seconds(),
                                              made->device_->tick_mask());
    if (Result<void> ready = made->make(name); !ready) return Error{ready.error()};
    return made;
}

Result<void> GpuCommands::make(const std::string& name) {
    const DeviceApi& api = device_->api();
    const std::string what = "Making the commands '" + name + "'";
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = device_->queue_family();
    if (const VkResult r = api.vkCreateCommandPool(device_->handle(), &pool, nullptr, &pool_); r != VK_SUCCESS) {
        pool_ = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = pool_;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    if (const VkResult r = api.vkAllocateCommandBuffers(device_->handle(), &allocate, &commands_); r != VK_SUCCESS)
        return device_->failure(what, r);
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (const VkResult r = api.vkCreateFence(device_->handle(), &fence, nullptr, &fence_); r != VK_SUCCESS) {
        fence_ = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    if (device_->tick_seconds() > 0.0) {
        VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
        queries.queryCount = kMaxTimestamps;
        if (const VkResult r = api.vkCreateQueryPool(device_->handle(), &queries, nullptr, &queries_);
            r != VK_SUCCESS) {
            queries_ = VK_NULL_HANDLE;
            return device_->failure(what, r);
        }
    }
    device_->set_name(VK_OBJECT_TYPE_COMMAND_BUFFER, reinterpret_cast<uint64_t>(commands_), name);
    return {};
}

GpuCommands::~GpuCommands() {
    const DeviceApi& api = device_->api();
    zones_.release(*device_);
    if (queries_) api.vkDestroyQueryPool(device_->handle(), queries_, nullptr);
    if (fence_) api.vkDestroyFence(device_->handle(), fence_, nullptr);
    if (pool_) api.vkDestroyCommandPool(device_->handle(), pool_, nullptr);
}

Result<void> GpuCommands::begin() {
    const DeviceApi& api = device_->api();
    counts_ = {};
    timestamps_ = 0;
    downloads_.clear();
    written_.clear();
    for (Chunk& chunk : uploads_) chunk.used = 0;
    for (Chunk& chunk : readbacks_) chunk.used = 0;
    recording_ = false;
    if (device_->lost()) return device_->failure("Recording", VK_ERROR_DEVICE_LOST);
    VkResult r = api.vkResetCommandPool(device_->handle(), pool_, 0);
    if (r == VK_SUCCESS) {
        VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        r = api.vkBeginCommandBuffer(commands_, &info);
    }
    if (r != VK_SUCCESS) return device_->failure("Recording", r);
    if (queries_) api.vkCmdResetQueryPool(commands_, queries_, 0, kMaxTimestamps);
    zones_.begin(*device_, commands_);
    recording_ = true;
    return {};
}

Result<GpuCommands::Allocation> GpuCommands::reserve(std::vector<Chunk>& chunks, uint64_t bytes, GpuMemory memory) {
    const uint64_t wanted = (bytes + 15) & ~uint64_t(15);
    for (uint32_t i = 0; i < chunks.size(); ++i) {
        if (chunks[i].buffer.bytes() - chunks[i].used < wanted) continue;
        const Allocation allocation{i, chunks[i].used};
        chunks[i].used += wanted;
        return allocation;
    }
    Result<GpuBuffer> made = GpuBuffer::create(device_, std::max(wanted + wanted / 2, kMinUploadChunk), memory,
                                               memory == GpuMemory::upload ? "upload" : "readback");
    if (!made) return Error{made.error()};
    chunks.push_back({std::move(made.value()), wanted});
    return Allocation{uint32_t(chunks.size() - 1), 0};
}

Result<void> GpuCommands::upload(const GpuBuffer& buffer, uint64_t offset, std::span<const std::byte> bytes) {
    const Result<std::span<std::byte>> into = stage(buffer, offset, bytes.size());
    if (!into) return Error{into.error()};
    if (!bytes.empty()) std::memcpy(into->data(), bytes.data(), bytes.size());
    return {};
}

Result<std::span<std::byte>> GpuCommands::stage(const GpuBuffer& buffer, uint64_t offset, uint64_t bytes) {
    PX_ASSERT(recording_ && offset + bytes <= buffer.bytes(), "an upload that fits, between begin and finish");
    if (bytes == 0) return std::span<std::byte>();
    counts_.bytes_up += bytes;
    if (buffer.mapped()) {
        if (written_.empty() || written_.back() != &buffer) written_.push_back(&buffer);
        return std::span(buffer.mapped() + offset, size_t(bytes));
    }
    const Result<Allocation> allocation = reserve(uploads_, bytes, GpuMemory::upload);
    if (!allocation) return Error{allocation.error()};
    const GpuBuffer& staging = uploads_[allocation->chunk].buffer;
    const VkBufferCopy region{allocation->offset, offset, bytes};
    device_->api().vkCmdCopyBuffer(commands_, staging.handle(), buffer.handle(), 1, &region);
    ++counts_.copies;
    return std::span(staging.mapped() + allocation->offset, size_t(bytes));
}

void GpuCommands::fill(const GpuBuffer& buffer, uint64_t offset, uint64_t bytes, uint32_t word) {
    device_->api().vkCmdFillBuffer(commands_, buffer.handle(), offset, bytes, word);
}

void GpuCommands::bind(const GpuLayout& layout, const GpuBindings& bindings) {
    const VkDescriptorSet set = bindings.handle();
    device_->api().vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout.handle(), 0, 1, &set, 0,
                                           nullptr);
}

void GpuCommands::push(const GpuLayout& layout, const void* data, uint32_t bytes) {
    PX_ASSERT(bytes <= layout.push_bytes(), "push constants that the layout has room for");
    device_->api().vkCmdPushConstants(commands_, layout.handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, data);
}

void GpuCommands::dispatch(const GpuPipeline& pipeline, uint32_t workgroups) {
    device_->api().vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    device_->api().vkCmdDispatch(commands_, workgroups, 1, 1);
    ++counts_.dispatches;
}

void GpuCommands::dispatch_indirect(const GpuPipeline& pipeline, const GpuBuffer& arguments, uint64_t offset) {
    device_->api().vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    device_->api().vkCmdDispatchIndirect(commands_, arguments.handle(), offset);
    ++counts_.dispatches;
}

void GpuCommands::barrier(GpuAccess before, GpuAccess after) {
    const Scope from = scope_of(before), to = scope_of(after);
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = from.stages;
    memory.srcAccessMask = from.writes;  // reads need the order only
    memory.dstStageMask = to.stages;
    memory.dstAccessMask = to.reads | to.writes;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    device_->api().vkCmdPipelineBarrier2(commands_, &info);
    ++counts_.barriers;
}

Result<void> GpuCommands::download(const GpuBuffer& buffer, uint64_t offset, std::span<std::byte> into) {
    PX_ASSERT(recording_ && offset + into.size() <= buffer.bytes(), "a download that fits, between begin and finish");
    if (into.empty()) return {};
    counts_.bytes_down += into.size();
    if (buffer.mapped()) {
        downloads_.push_back({&buffer, offset, into, 0, 0});
        return {};
    }
    const Result<Allocation> allocation = reserve(readbacks_, into.size(), GpuMemory::readback);
    if (!allocation) return Error{allocation.error()};
    const VkBufferCopy region{offset, allocation->offset, into.size()};
    device_->api().vkCmdCopyBuffer(commands_, buffer.handle(), readbacks_[allocation->chunk].buffer.handle(), 1,
                                   &region);
    ++counts_.copies;
    downloads_.push_back({nullptr, 0, into, allocation->chunk, allocation->offset});
    return {};
}

uint32_t GpuCommands::timestamp() {
    PX_ASSERT(timestamps_ < kMaxTimestamps, "more timestamps than a recording has room for");
    if (queries_)
        device_->api().vkCmdWriteTimestamp2(commands_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_, timestamps_);
    return timestamps_++;
}

Result<void> GpuCommands::finish() {
    const DeviceApi& api = device_->api();
    PX_ASSERT(recording_, "finish comes after begin");
    recording_ = false;
    if (!downloads_.empty()) {
        VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        memory.srcStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
        memory.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT;
        memory.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
        memory.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &memory;
        api.vkCmdPipelineBarrier2(commands_, &info);
        ++counts_.barriers;
    }
    if (const VkResult r = api.vkEndCommandBuffer(commands_); r != VK_SUCCESS) return device_->failure("Recording", r);
    for (const GpuBuffer* buffer : written_)
        if (Result<void> flushed = buffer->flush(); !flushed) return flushed;
    for (const Chunk& chunk : uploads_)
        if (chunk.used > 0)
            if (Result<void> flushed = chunk.buffer.flush(); !flushed) return flushed;

    VkCommandBufferSubmitInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
    commands.commandBuffer = commands_;
    VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &commands;
    zones_.submitted();
    if (const VkResult r = api.vkQueueSubmit2(device_->queue(), 1, &submit, fence_); r != VK_SUCCESS)
        return device_->failure("Submitting work", r);
    ++counts_.submits;
    // No limit: a driver ends work that hangs and reports the device lost.
    if (const VkResult r = api.vkWaitForFences(device_->handle(), 1, &fence_, VK_TRUE, UINT64_MAX); r != VK_SUCCESS) {
        // Whatever it was: the work may still run, and its buffers may not be touched before it has ended.
        Error error = device_->failure("Waiting for the device", r);
        if (!device_->lost()) {
            api.vkDeviceWaitIdle(device_->handle());
            api.vkResetFences(device_->handle(), 1, &fence_);
        }
        return error;
    }
    if (const VkResult r = api.vkResetFences(device_->handle(), 1, &fence_); r != VK_SUCCESS)
        return device_->failure("Waiting for the device", r);
    return collect();
}

Result<void> GpuCommands::collect() {
    const DeviceApi& api = device_->api();
    zones_.collect(*device_, *track_);
    ticks_.assign(timestamps_, 0);
    if (queries_ && timestamps_ > 0) {
        const VkResult r = api.vkGetQueryPoolResults(device_->handle(), queries_, 0, timestamps_,
                                                     timestamps_ * sizeof(uint64_t), ticks_.data(), sizeof(uint64_t),
                                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        if (r != VK_SUCCESS) return device_->failure("Reading timestamps", r);
    }
    for (const Chunk& chunk : readbacks_)
        if (chunk.used > 0)
            if (Result<void> seen = chunk.buffer.invalidate(); !seen) return seen;
    for (const Download& d : downloads_)
        if (d.buffer)
            if (Result<void> seen = d.buffer->invalidate(); !seen) return seen;
    for (const Download& d : downloads_) {
        const std::byte* from =
            d.buffer ? d.buffer->mapped() + d.offset : readbacks_[d.chunk].buffer.mapped() + d.chunk_offset;
        std::memcpy(d.into.data(), from, d.into.size());
    }
    return {};
}

double GpuCommands::seconds_between(uint32_t first, uint32_t second) const {
    if (first >= ticks_.size() || second >= ticks_.size()) return 0.0;
    return double((ticks_[second] - ticks_[first]) & device_->tick_mask()) * device_->tick_seconds();
}

}  // namespace proxima::engine
