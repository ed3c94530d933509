// SPDX-License-Identifier: MIT
#include "compute/world/pairs/pair_stage.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "compute/world/pairs/pair_kernels.h"

namespace proxima::compute::world {

using engine::GpuAccess;
using engine::GpuBuffer;
using engine::GpuCommands;
using engine::GpuMemory;
using engine::GpuPipeline;

namespace {

constexpr uint32_t kOwnBuffers = pairs::kBuffers - pairs::kLimits;
constexpr const char* kOwnNames[kOwnBuffers] = {
    "pairs limits", "pairs levels",        "pairs extents",      "pairs table",       "pairs cells",
    "pairs turns",  "pairs sorted bounds", "pairs sorted cells", "pairs sorted tags", "pairs near",
    "pairs found",  "pairs found counts",  "pairs spill",        "pairs unsorted"};
constexpr uint32_t kMinTable = 1024;

}  // namespace

Result<std::unique_ptr<PairStage>> PairStage::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<PairStage> made(new PairStage);
    made->device_ = std::move(device);
    if (Result<void> ready = made->make(); !ready) return Error{ready.error()};
    return made;
}

Result<void> PairStage::make() {
    if (auto r = kernels_.make(device_, pairs::kBuffers, sizeof(pairs::PairPush), "pairs"); !r) return r;
    const auto compile = [&](GpuPipeline& kernel, std::span<const uint32_t> code, const char* name) -> Result<void> {
        Result<GpuPipeline> made = kernels_.compile(code, name);
        if (!made) return Error{made.error()};
        kernel = std::move(made.value());
        return {};
    };
    if (auto r = compile(reset_, shaders::pairs_reset(), "pairs_reset"); !r) return r;
    if (auto r = compile(boxes_, shaders::pairs_boxes(), "pairs_boxes"); !r) return r;
    if (auto r = compile(scatter_, shaders::pairs_scatter(), "pairs_scatter"); !r) return r;
    if (auto r = compile(find_, shaders::pairs_find(), "pairs_find"); !r) return r;
    if (auto r = compile(write_, shaders::pairs_write(), "pairs_write"); !r) return r;
    if (auto r = compile(order_, shaders::pairs_order(), "pairs_order"); !r) return r;
    for (std::unique_ptr<PrefixSum>* sum : {&sum_table_, &sum_pairs_}) {
        Result<std::unique_ptr<PrefixSum>> made = PrefixSum::create(device_);
        if (!made) return Error{made.error()};
        *sum = std::move(made.value());
    }
    Result<std::unique_ptr<GpuCommands>> commands = GpuCommands::create(device_, "pairs");
    if (!commands) return Error{commands.error()};
    commands_ = std::move(commands.value());
    return {};
}

Result<void> PairStage::prepare(const WorldBuffers& buffers, const WorldSizes& sizes, const WorldData& data) {
    const PairPlan plan = plan_pairs(data);
    push_ = {};
    push_.colliders = sizes.colliders;
    push_.table = std::max(kMinTable, std::bit_ceil(2 * sizes.colliders));
    push_.levels = uint32_t(plan.levels.size()) - 1;
    push_.capacity = sizes.pairs;
    push_.layers = std::any_of(data.colliders.begin(), data.colliders.end(),
                               [](const WorldCollider& c) { return c.refs.z == 0 || c.refs.w != ~0u; });
    arguments_ = &buffers.arguments;
    if (auto r = prepare_buffers(sizes); !r) return r;
    bind_buffers(buffers);
    const GpuBuffer* table = &own_[pairs::kTable - pairs::kLimits];
    if (auto r = sum_table_->prepare(push_.table + pairs::kExtraEntries, {{table, table}, {table, table}}); !r)
        return r;
    const GpuBuffer *even = &buffers.turns[0].offsets, *odd = &buffers.turns[1].offsets;
    if (auto r = sum_pairs_->prepare(push_.colliders, {{even, even, &buffers.status}, {odd, odd, &buffers.status}}); !r)
        return r;
    return send(plan);
}

Result<void> PairStage::prepare_buffers(const WorldSizes& sizes) {
    const uint64_t n = std::max(sizes.colliders, 1u), pairs = std::max(sizes.pairs, 1u);
    const uint64_t word = sizeof(uint32_t), vec4_bytes = sizeof(vec4);
    uint64_t bytes[kOwnBuffers] = {};
    const auto set = [&](uint32_t buffer, uint64_t size) { bytes[buffer - pairs::kLimits] = size; };
    set(pairs::kLimits, n * vec4_bytes);
    set(pairs::kLevels, (pairs::kMaxLevels + 1) * vec4_bytes);
    set(pairs::kExtents, pairs::kExtentWords * word);
    set(pairs::kTable, (uint64_t(push_.table) + pairs::kExtraEntries + 1) * word);
    set(pairs::kCells, n * vec4_bytes);
    set(pairs::kTurns, n * word);
    set(pairs::kSortedBounds, n * vec4_bytes);
    set(pairs::kSortedCells, n * vec4_bytes);
    set(pairs::kSortedTags, n * vec4_bytes);
    set(pairs::kNear, pairs::kNearEach * n * word);
    set(pairs::kFound, pairs::kFoundEach * n * 2 * word);
    set(pairs::kFoundCounts, n * word);
    set(pairs::kSpill, pairs * vec4_bytes);
    set(pairs::kUnsorted, pairs * 2 * word);
    for (uint32_t k = 0; k < kOwnBuffers; ++k) {
        const Result<bool> grown = engine::grow_buffer(own_[k], device_, bytes[k], GpuMemory::device, kOwnNames[k]);
        if (!grown) return Error{grown.error()};
    }
    return {};
}

void PairStage::bind_buffers(const WorldBuffers& world) {
    for (uint32_t parity = 0; parity < 2; ++parity) {
        const PairBuffers& now = world.now(parity);
        const GpuBuffer* all[pairs::kBuffers] = {&world.bodies, &world.colliders,  &world.shapes, &world.vertices,
                                                 &world.poses,  &world.velocities, &world.status, &world.collider_poses,
                                                 &world.boxes,  &world.arguments,  &now.offsets,  &now.a,
                                                 &now.b};
        for (uint32_t k = 0; k < kOwnBuffers; ++k) all[pairs::kLimits + k] = &own_[k];
        kernels_.set(parity, all);
    }
}

Result<void> PairStage::send(const PairPlan& plan) {
    if (auto r = commands_->begin(); !r) return r;
    if (!plan.limits.empty())
        if (auto r = commands_->upload(own_[0], std::span<const vec4>(plan.limits)); !r) return r;
    if (auto r = commands_->upload(own_[pairs::kLevels - pairs::kLimits], std::span<const vec4>(plan.levels)); !r)
        return r;
    commands_->barrier(GpuAccess::copies, GpuAccess::kernels);
    return commands_->finish();
}

const char* PairStage::to_string(Part part) {
    switch (part) {
        case Part::reset:
            return "reset";
        case Part::boxes:
            return "boxes";
        case Part::sum_table:
            return "sum_table";
        case Part::scatter:
            return "scatter";
        case Part::find:
            return "find";
        case Part::sum_pairs:
            return "sum_pairs";
        case Part::write:
            return "write";
        case Part::order:
            return "order";
    }
    return "unknown";
}

void PairStage::record(GpuCommands& commands, uint32_t parity, float dt) const {
    for (const Part part : kParts) record_part(commands, parity, dt, part);
}

void PairStage::record_part(GpuCommands& commands, uint32_t parity, float dt, Part part) const {
    const uint32_t entries = push_.table + pairs::kExtraEntries, n = push_.colliders;
    // Sums bring kernels and a barrier of their own.
    if (part == Part::sum_table) return sum_table_->record(commands, parity, entries);
    // After a step that stopped, the lists of this turn are those of the last good step.
    if (part == Part::sum_pairs)
        return sum_pairs_->record_unless(commands, parity, n, offsetof(WorldStatus, stopped) / sizeof(uint32_t));
    pairs::PairPush push = push_;
    push.dt = dt;
    kernels_.bind(commands, parity);
    switch (part) {
        case Part::reset:
            kernels_.run(commands, reset_, push, std::max({entries, n, uint32_t(pairs::kExtentWords)}));
            break;
        case Part::boxes:
            kernels_.run(commands, boxes_, push, n);
            break;
        case Part::scatter:
            kernels_.run(commands, scatter_, push, n);
            break;
        case Part::find:
            kernels_.run(commands, find_, push, n);
            break;
        case Part::write:
            // At least one invocation, which tells how many pairs there are.
            kernels_.run(commands, write_, push, std::max(n, 1u));
            break;
        default:
            kernels_.run_indirect(commands, order_, push, *arguments_, kArgsPairs);
            break;
    }
    StageKernels::then(commands);
}

uint64_t PairStage::bytes() const {
    uint64_t sum = sum_table_->bytes() + sum_pairs_->bytes();
    for (const GpuBuffer& buffer : own_) sum += buffer.bytes();
    return sum;
}

}  // namespace proxima::compute::world
