// SPDX-License-Identifier: MIT
// What is recorded into a frame: passes, draws, copies, and the barriers between them.
#include "engine/gpu/gpu_frames.h"

namespace proxima::engine {

namespace {

struct Use {
    VkPipelineStageFlags2 stages;
    VkAccessFlags2 reads, writes;
    VkImageLayout layout;
};

Use use_of(GpuImageState state) {
    switch (state) {
        case GpuImageState::drawn:
            return {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT,
                    VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        case GpuImageState::depth:
            return {VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT, VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                    VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
        case GpuImageState::sampled:
            return {VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, 0,
                    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        case GpuImageState::copied_from:
            return {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_ACCESS_2_TRANSFER_READ_BIT, 0,
                    VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
        case GpuImageState::copied_to:
            return {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, 0, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL};
        case GpuImageState::shown:
            break;
    }
    return {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR};
}

}  // namespace

void GpuFrames::barrier(VkImage image, bool depth_format, GpuImageState before, GpuImageState after, bool discard) {
    const Use from = use_of(before), to = use_of(after);
    VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    barrier.srcStageMask = from.stages;
    barrier.srcAccessMask = from.writes;
    barrier.dstStageMask = to.stages;
    barrier.dstAccessMask = to.reads | to.writes;
    barrier.oldLayout = discard ? VK_IMAGE_LAYOUT_UNDEFINED : from.layout;
    barrier.newLayout = to.layout;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = {
        VkImageAspectFlags(depth_format ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT), 0, 1, 0, 1};
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &barrier;
    device_->api().vkCmdPipelineBarrier2(slots_[current_].draws, &info);
}

void GpuFrames::barrier_after_copies() {
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    memory.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    memory.dstStageMask = VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
    memory.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    device_->api().vkCmdPipelineBarrier2(slots_[current_].draws, &info);
}

void GpuFrames::begin_pass(const GpuPass& pass) {
    VkRenderingAttachmentInfo colour{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    colour.imageView = pass.colour;
    colour.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    colour.loadOp = pass.clear_colour ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    colour.storeOp = pass.keep_colour ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE;
    colour.clearValue.color = pass.colour_value;
    if (pass.resolve) {
        colour.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
        colour.resolveImageView = pass.resolve;
        colour.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    }
    VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    depth.imageView = pass.depth;
    depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    depth.loadOp = pass.clear_depth ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    depth.storeOp = pass.keep_depth ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE;
    depth.clearValue.depthStencil = {pass.depth_value, 0};
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = {{0, 0}, {pass.width, pass.height}};
    info.layerCount = 1;
    info.colorAttachmentCount = pass.colour ? 1 : 0;
    info.pColorAttachments = pass.colour ? &colour : nullptr;
    info.pDepthAttachment = pass.depth ? &depth : nullptr;
    device_->api().vkCmdBeginRendering(slots_[current_].draws, &info);
    viewport(0.0f, 0.0f, float(pass.width), float(pass.height));
    scissor(0, 0, pass.width, pass.height);
}

void GpuFrames::end_pass() { device_->api().vkCmdEndRendering(slots_[current_].draws); }

void GpuFrames::viewport(float x, float y, float width, float height) {
    const VkViewport v{x, y, width, height, 0.0f, 1.0f};
    device_->api().vkCmdSetViewport(slots_[current_].draws, 0, 1, &v);
}

void GpuFrames::scissor(int32_t x, int32_t y, uint32_t width, uint32_t height) {
    const VkRect2D rectangle{{x, y}, {width, height}};
    device_->api().vkCmdSetScissor(slots_[current_].draws, 0, 1, &rectangle);
}

void GpuFrames::bind(const GpuGraphicsPipeline& pipeline) {
    device_->api().vkCmdBindPipeline(slots_[current_].draws, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.handle());
}

void GpuFrames::bind(const GpuDrawLayout& layout, VkDescriptorSet set) {
    device_->api().vkCmdBindDescriptorSets(slots_[current_].draws, VK_PIPELINE_BIND_POINT_GRAPHICS, layout.handle(), 0,
                                           1, &set, 0, nullptr);
}

void GpuFrames::push(const GpuDrawLayout& layout, const void* data, uint32_t bytes) {
    PX_ASSERT(bytes <= layout.push_bytes(), "push constants that the layout has room for");
    device_->api().vkCmdPushConstants(slots_[current_].draws, layout.handle(), kDrawStages, 0, bytes, data);
}

void GpuFrames::vertices(uint32_t stream, VkBuffer buffer, uint64_t offset) {
    device_->api().vkCmdBindVertexBuffers(slots_[current_].draws, stream, 1, &buffer, &offset);
}

void GpuFrames::indices(VkBuffer buffer, uint64_t offset, VkIndexType type) {
    device_->api().vkCmdBindIndexBuffer(slots_[current_].draws, buffer, offset, type);
}

void GpuFrames::draw(uint32_t vertices, uint32_t instances, uint32_t first_instance) {
    device_->api().vkCmdDraw(slots_[current_].draws, vertices, instances, 0, first_instance);
}

void GpuFrames::draw_indexed(uint32_t indices, uint32_t instances, uint32_t first_index, int32_t first_vertex,
                             uint32_t first_instance) {
    device_->api().vkCmdDrawIndexed(slots_[current_].draws, indices, instances, first_index, first_vertex,
                                    first_instance);
}

void GpuFrames::copy(const GpuSlice& from, const GpuBuffer& to, uint64_t offset) {
    PX_ASSERT(offset + from.bytes <= to.bytes(), "a copy that fits");
    const VkBufferCopy region{from.offset, offset, from.bytes};
    device_->api().vkCmdCopyBuffer(slots_[current_].draws, from.buffer, to.handle(), 1, &region);
}

void GpuFrames::copy(const GpuSlice& from, const GpuImage& to) {
    PX_ASSERT(from.bytes == uint64_t(to.width()) * to.height() * pixel_bytes(to.format()),
              "as many bytes as the image has");
    VkBufferImageCopy region{};
    region.bufferOffset = from.offset;
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {to.width(), to.height(), 1};
    device_->api().vkCmdCopyBufferToImage(slots_[current_].draws, from.buffer, to.handle(),
                                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
}

void GpuFrames::copy(VkImage from, bool depth_format, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                     const GpuBuffer& to, uint64_t offset) {
    VkBufferImageCopy region{};
    region.bufferOffset = offset;
    region.imageSubresource = {VkImageAspectFlags(depth_format ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT),
                               0, 0, 1};
    region.imageOffset = {int32_t(x), int32_t(y), 0};
    region.imageExtent = {width, height, 1};
    const DeviceApi& api = device_->api();
    api.vkCmdCopyImageToBuffer(slots_[current_].draws, from, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.handle(), 1,
                               &region);
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
    memory.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    memory.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    memory.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    api.vkCmdPipelineBarrier2(slots_[current_].draws, &info);
}

uint32_t GpuFrames::timestamp() {
    Slot& slot = slots_[current_];
    PX_ASSERT(slot.timestamps < kMaxTimestamps, "more timestamps than a frame has room for");
    if (slot.queries)
        device_->api().vkCmdWriteTimestamp2(slot.draws, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, slot.queries,
                                            slot.timestamps);
    return slot.timestamps++;
}

}  // namespace proxima::engine
