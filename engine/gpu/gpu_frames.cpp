// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_frames.h"

#include <algorithm>

namespace proxima::engine {

namespace {

constexpr uint64_t kMinFrameChunk = 1 << 18;
constexpr uint32_t kSetsPerPool = 64;

}  // namespace

Result<std::unique_ptr<GpuFrames>> GpuFrames::create(std::shared_ptr<GpuDevice> device, uint32_t in_flight,
                                                     const std::string& name) {
    PX_ASSERT(in_flight > 0, "at least one frame");
    std::unique_ptr<GpuFrames> made(new GpuFrames);
    made->device_ = std::move(device);
    made->name_ = name;
    made->track_ = std::make_unique<GpuTrack>(made->device_->info().name + ": " + name, made->device_->tick_seconds(),
                                              made->device_->tick_mask());
    made->slots_.resize(in_flight);
    made->current_ = in_flight - 1;
    for (Slot& slot : made->slots_)
        if (Result<void> ready = made->make(slot, name); !ready) return Error{ready.error()};
    return made;
}

Result<void> GpuFrames::make(Slot& slot, const std::string& name) {
    const DeviceApi& api = device_->api();
    const std::string what = "Making the frames '" + name + "'";
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = device_->queue_family();
    if (const VkResult r = api.vkCreateCommandPool(device_->handle(), &pool, nullptr, &slot.pool); r != VK_SUCCESS) {
        slot.pool = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = slot.pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 2;
    VkCommandBuffer buffers[2] = {};
    if (const VkResult r = api.vkAllocateCommandBuffers(device_->handle(), &allocate, buffers); r != VK_SUCCESS)
        return device_->failure(what, r);
    slot.copies = buffers[0];
    slot.draws = buffers[1];
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (const VkResult r = api.vkCreateFence(device_->handle(), &fence, nullptr, &slot.fence); r != VK_SUCCESS) {
        slot.fence = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    if (device_->tick_seconds() > 0.0) {
        VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
        queries.queryCount = kMaxTimestamps;
        if (const VkResult r = api.vkCreateQueryPool(device_->handle(), &queries, nullptr, &slot.queries);
            r != VK_SUCCESS) {
            slot.queries = VK_NULL_HANDLE;
            return device_->failure(what, r);
        }
    }
    device_->set_name(VK_OBJECT_TYPE_COMMAND_BUFFER, reinterpret_cast<uint64_t>(slot.draws), name);
    device_->set_name(VK_OBJECT_TYPE_COMMAND_BUFFER, reinterpret_cast<uint64_t>(slot.copies), name + " copies");
    return {};
}

GpuFrames::~GpuFrames() {
    const DeviceApi& api = device_->api();
    for (Slot& slot : slots_)
        if (slot.submitted && !device_->lost())
            api.vkWaitForFences(device_->handle(), 1, &slot.fence, VK_TRUE, UINT64_MAX);
    for (Slot& slot : slots_) {
        for (const VkDescriptorPool pool : slot.descriptors)
            api.vkDestroyDescriptorPool(device_->handle(), pool, nullptr);
        slot.zones.release(*device_);
        if (slot.queries) api.vkDestroyQueryPool(device_->handle(), slot.queries, nullptr);
        if (slot.fence) api.vkDestroyFence(device_->handle(), slot.fence, nullptr);
        if (slot.pool) api.vkDestroyCommandPool(device_->handle(), slot.pool, nullptr);
    }
}

Result<void> GpuFrames::finish(Slot& slot) {
    if (!slot.submitted) return {};
    const DeviceApi& api = device_->api();
    // No limit: a driver ends work that hangs and reports the device lost.
    if (const VkResult r = api.vkWaitForFences(device_->handle(), 1, &slot.fence, VK_TRUE, UINT64_MAX); r != VK_SUCCESS)
        return device_->failure("Waiting for a picture", r);
    slot.submitted = false;
    if (const VkResult r = api.vkResetFences(device_->handle(), 1, &slot.fence); r != VK_SUCCESS)
        return device_->failure("Waiting for a picture", r);
    slot.zones.collect(*device_, *track_);
    ticks_.assign(slot.timestamps, 0);
    if (slot.queries && slot.timestamps > 0)
        if (const VkResult r = api.vkGetQueryPoolResults(
                device_->handle(), slot.queries, 0, slot.timestamps, slot.timestamps * sizeof(uint64_t), ticks_.data(),
                sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
            r != VK_SUCCESS)
            return device_->failure("Reading timestamps", r);
    return {};
}

Result<void> GpuFrames::begin() {
    const DeviceApi& api = device_->api();
    recording_ = false;
    if (device_->lost()) return device_->failure("Drawing", VK_ERROR_DEVICE_LOST);
    const uint32_t next = (current_ + 1) % uint32_t(slots_.size());
    Slot& slot = slots_[next];
    if (Result<void> done = finish(slot); !done) return done;
    for (Chunk& chunk : slot.chunks) chunk.used = 0;
    for (const VkDescriptorPool pool : slot.descriptors)
        if (const VkResult r = api.vkResetDescriptorPool(device_->handle(), pool, 0); r != VK_SUCCESS)
            return device_->failure("Drawing", r);
    slot.descriptor_pool = 0;
    slot.timestamps = 0;
    VkResult r = api.vkResetCommandPool(device_->handle(), slot.pool, 0);
    if (r == VK_SUCCESS) {
        VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        r = api.vkBeginCommandBuffer(slot.draws, &info);
    }
    if (r != VK_SUCCESS) return device_->failure("Drawing", r);
    if (slot.queries) api.vkCmdResetQueryPool(slot.draws, slot.queries, 0, kMaxTimestamps);
    slot.zones.begin(*device_, slot.draws);
    current_ = next;
    recording_ = true;
    return {};
}

Result<GpuSlice> GpuFrames::upload(uint64_t bytes, uint64_t alignment) {
    PX_ASSERT(recording_, "uploads come between begin and submit");
    Slot& slot = slots_[current_];
    bytes = std::max<uint64_t>(bytes, 4);
    Chunk* chosen = nullptr;
    uint64_t at = 0;
    for (Chunk& chunk : slot.chunks) {
        at = (chunk.used + alignment - 1) / alignment * alignment;
        if (at + bytes > chunk.host.bytes()) continue;
        chosen = &chunk;
        break;
    }
    if (!chosen) {
        const uint64_t most = device_->limits().maxStorageBufferRange;  // of one buffer, see GpuBuffer
        const uint64_t size = std::max(bytes, std::min(std::max(bytes + bytes / 2, kMinFrameChunk), most));
        Chunk chunk;
        if (device_->stages()) {
            Result<GpuBuffer> staging = GpuBuffer::create(device_, size, GpuMemory::upload, name_ + " upload");
            if (!staging) return Error{staging.error()};
            Result<GpuBuffer> local = GpuBuffer::create(device_, size, GpuMemory::device, name_ + " data");
            if (!local) return Error{local.error()};
            chunk.host = std::move(staging.value());
            chunk.device = std::move(local.value());
        } else {
            Result<GpuBuffer> local = GpuBuffer::create(device_, size, GpuMemory::device, name_ + " data");
            if (!local) return Error{local.error()};
            chunk.host = std::move(local.value());
        }
        slot.chunks.push_back(std::move(chunk));
        chosen = &slot.chunks.back();
        at = 0;
    }
    chosen->used = at + bytes;
    return GpuSlice{chosen->device.handle() ? chosen->device.handle() : chosen->host.handle(), at, bytes,
                    chosen->host.mapped() + at};
}

Result<VkDescriptorPool> GpuFrames::add_descriptor_pool(Slot& slot) {
    const VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsPerPool},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2 * kSetsPerPool},
    };
    VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    info.maxSets = kSetsPerPool;
    info.poolSizeCount = 2;
    info.pPoolSizes = sizes;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    if (const VkResult r = device_->api().vkCreateDescriptorPool(device_->handle(), &info, nullptr, &pool);
        r != VK_SUCCESS)
        return device_->failure("Making descriptors of the frames '" + name_ + "'", r);
    slot.descriptors.push_back(pool);
    return pool;
}

Result<VkDescriptorSet> GpuFrames::bindings(const GpuDrawLayout& layout, std::span<const GpuSlotValue> values) {
    PX_ASSERT(recording_ && values.size() == layout.slots().size() && values.size() <= 8,
              "one value per number of the layout");
    Slot& slot = slots_[current_];
    const VkDescriptorSetLayout set_layout = layout.set_layout();
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkResult r = VK_ERROR_OUT_OF_POOL_MEMORY;
    while (r == VK_ERROR_OUT_OF_POOL_MEMORY || r == VK_ERROR_FRAGMENTED_POOL) {
        const bool fresh = slot.descriptor_pool == slot.descriptors.size();
        if (fresh)
            if (Result<VkDescriptorPool> added = add_descriptor_pool(slot); !added) return Error{added.error()};
        allocate.descriptorPool = slot.descriptors[slot.descriptor_pool];
        r = device_->api().vkAllocateDescriptorSets(device_->handle(), &allocate, &set);
        if (r == VK_SUCCESS) break;
        if (fresh) return device_->failure("Making descriptors of the frames '" + name_ + "'", r);
        ++slot.descriptor_pool;
    }
    VkDescriptorBufferInfo buffers[8];
    VkDescriptorImageInfo images[8];
    VkWriteDescriptorSet writes[8];
    for (uint32_t i = 0; i < values.size(); ++i) {
        writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        if (layout.slots()[i] == GpuSlot::uniforms) {
            buffers[i] = {values[i].uniforms.buffer, values[i].uniforms.offset, values[i].uniforms.bytes};
            writes[i].descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
            writes[i].pBufferInfo = &buffers[i];
        } else {
            images[i] = {values[i].sampler->handle(), values[i].image->view(),
                         VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
            writes[i].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
            writes[i].pImageInfo = &images[i];
        }
    }
    device_->api().vkUpdateDescriptorSets(device_->handle(), uint32_t(values.size()), writes, 0, nullptr);
    return set;
}

Result<void> GpuFrames::record_copies(Slot& slot) {
    const DeviceApi& api = device_->api();
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (const VkResult r = api.vkBeginCommandBuffer(slot.copies, &begin); r != VK_SUCCESS)
        return device_->failure("Drawing", r);
    for (const Chunk& chunk : slot.chunks) {
        if (chunk.used == 0) continue;
        const VkBufferCopy region{0, 0, chunk.used};
        api.vkCmdCopyBuffer(slot.copies, chunk.host.handle(), chunk.device.handle(), 1, &region);
    }
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    memory.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    memory.dstStageMask = VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    memory.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    api.vkCmdPipelineBarrier2(slot.copies, &info);
    if (const VkResult r = api.vkEndCommandBuffer(slot.copies); r != VK_SUCCESS) return device_->failure("Drawing", r);
    return {};
}

Result<void> GpuFrames::submit(VkSemaphore wait, VkSemaphore signal) {
    const DeviceApi& api = device_->api();
    PX_ASSERT(recording_, "submit comes after begin");
    recording_ = false;
    Slot& slot = slots_[current_];
    if (const VkResult r = api.vkEndCommandBuffer(slot.draws); r != VK_SUCCESS) return device_->failure("Drawing", r);
    uploaded_ = 0;
    for (const Chunk& chunk : slot.chunks) {
        if (chunk.used > 0)
            if (Result<void> flushed = chunk.host.flush(); !flushed) return flushed;
        uploaded_ += chunk.used;
    }
    VkCommandBufferSubmitInfo commands[2] = {{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO},
                                             {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO}};
    commands[0].commandBuffer = slot.copies;
    commands[1].commandBuffer = slot.draws;
    const bool copies = device_->stages() && uploaded_ > 0;
    if (copies)
        if (Result<void> recorded = record_copies(slot); !recorded) return recorded;
    VkSemaphoreSubmitInfo waits{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    waits.semaphore = wait;
    // Only drawing into the target waits for it: shadows are drawn before.
    waits.stageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    VkSemaphoreSubmitInfo signals{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    signals.semaphore = signal;
    signals.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    submit.waitSemaphoreInfoCount = wait ? 1 : 0;
    submit.pWaitSemaphoreInfos = &waits;
    submit.signalSemaphoreInfoCount = signal ? 1 : 0;
    submit.pSignalSemaphoreInfos = &signals;
    submit.commandBufferInfoCount = copies ? 2 : 1;
    submit.pCommandBufferInfos = copies ? commands : commands + 1;
    slot.zones.submitted();
    if (const VkResult r = api.vkQueueSubmit2(device_->queue(), 1, &submit, slot.fence); r != VK_SUCCESS)
        return device_->failure("Submitting a picture", r);
    slot.submitted = true;
    return {};
}

Result<void> GpuFrames::wait() {
    // The oldest first, so that the times kept at the end are those of the youngest.
    for (uint32_t i = 1; i <= slots_.size(); ++i)
        if (Result<void> done = finish(slots_[(current_ + i) % slots_.size()]); !done) return done;
    return {};
}

double GpuFrames::seconds_between(uint32_t first, uint32_t second) const {
    if (first >= ticks_.size() || second >= ticks_.size()) return 0.0;
    return double((ticks_[second] - ticks_[first]) & device_->tick_mask()) * device_->tick_seconds();
}

}  // namespace proxima::engine
