// SPDX-License-Identifier: MIT
#include "compute/world/contacts/contact_stage.h"

#include <string>
#include <utility>

#include "compute/world/contacts/contact_kernels.h"
#include "compute/world/contacts/contact_layout.h"

namespace proxima::compute::world {

using engine::GpuBuffer;
using engine::GpuCommands;

namespace {

constexpr uint32_t kBuffers = 26;

}  // namespace

Result<std::unique_ptr<ContactStage>> ContactStage::create(std::shared_ptr<engine::GpuDevice> device) {
    std::unique_ptr<ContactStage> stage(new ContactStage());
    const Result<void> made = stage->make(std::move(device));
    if (!made) return Error{made.error()};
    return stage;
}

Result<void> ContactStage::make(std::shared_ptr<engine::GpuDevice> device) {
    device_ = std::move(device);
    const Result<void> made = stage_.make(device_, kBuffers, sizeof(ContactPush), "world contacts");
    if (!made) return made;
    struct Source {
        Kernel kernel;
        std::span<const uint32_t> code;
        const char* name;
    };
    const Source sources[] = {{kBegin, shaders::contacts_begin(), "contacts begin"},
                              {kSort, shaders::contacts_sort(), "contacts sort"},
                              {kRoundKernel, shaders::contacts_round(), "contacts round"},
                              {kCoreKernel, shaders::contacts_core(), "contacts core"},
                              {kCoreBoxKernel, shaders::contacts_core_box(), "contacts core box"},
                              {kBoxKernel, shaders::contacts_boxes(), "contacts boxes"},
                              {kHullKernel, shaders::contacts_hulls(), "contacts hulls"},
                              {kHullEdgeKernel, shaders::contacts_hull_edges(), "contacts hull edges"},
                              {kPlaneKernel, shaders::contacts_planes(), "contacts planes"},
                              {kFaceKernel, shaders::contacts_faces(), "contacts faces"},
                              {kBoxFaceKernel, shaders::contacts_box_faces(), "contacts box faces"},
                              {kEdgeKernel, shaders::contacts_edges(), "contacts edges"},
                              {kMatch, shaders::contacts_match(), "contacts match"}};
    for (const Source& source : sources) {
        Result<engine::GpuPipeline> pipeline = stage_.compile(source.code, source.name);
        if (!pipeline) return Error{pipeline.error()};
        kernels_[source.kernel] = std::move(pipeline.value());
    }
    return {};
}

uint32_t ContactStage::kinds_of(std::span<const WorldShape> shapes) {
    uint32_t kinds = 0;
    for (const WorldShape& shape : shapes)
        if (shape.kind.x != kNone) kinds |= 1u << shape.kind.x;
    return kinds;
}

Result<void> ContactStage::prepare(const WorldBuffers& b, const WorldSizes& sizes, uint32_t kinds) {
    const uint64_t words = kListsHeader + uint64_t(kContactLists) * sizes.pairs;
    const Result<bool> grown = engine::grow_buffer(lists_, device_, words * sizeof(uint32_t), engine::GpuMemory::device,
                                                   "world contact lists");
    if (!grown) return Error{grown.error()};
    capacity_ = sizes.pairs;
    kinds_ = kinds;
    arguments_ = &b.arguments;
    for (uint32_t parity = 0; parity < 2; ++parity) {
        const PairBuffers &now = b.now(parity), &before = b.before(parity);
        const GpuBuffer* const all[kBuffers] = {
            &b.status, &b.bodies,      &b.colliders,      &b.shapes,      &b.vertices,       &b.faces,
            &b.loops,  &b.edges,       &b.poses,          &b.velocities,  &b.collider_poses, &now.a,
            &now.b,    &now.manifolds, &now.points,       &now.lambda,    &now.colours,      &before.offsets,
            &before.a, &before.b,      &before.manifolds, &before.points, &before.lambda,    &before.colours,
            &lists_,   &b.boxes};
        stage_.set(parity, all);
    }
    return {};
}

void ContactStage::record(GpuCommands& commands, uint32_t parity, const ContactSettings& settings) const {
    const ContactPush push{capacity_, settings.speculative_distance, settings.dt, 0};
    stage_.bind(commands, parity);
    const auto run_list = [&](Kernel kernel, uint32_t list) {
        stage_.run_indirect(commands, kernels_[kernel], push, lists_, list);
        StageKernels::then(commands);
    };
    stage_.run(commands, kernels_[kBegin], push, kListsHeader);
    StageKernels::then(commands);
    stage_.run_indirect(commands, kernels_[kSort], push, *arguments_, kArgsPairs);
    StageKernels::then(commands);
    const auto any = [&](uint32_t a, uint32_t b) { return (kinds_ & (1u << a | 1u << b)) != 0; };
    const bool round = any(kSphere, kCapsule), polytopes = any(kBox, kHull);
    if (round) run_list(kRoundKernel, kListRound);
    if (round && any(kHull, kHull)) run_list(kCoreKernel, kListCore);
    if (round && any(kBox, kBox)) run_list(kCoreBoxKernel, kListCoreBox);
    if (any(kBox, kBox)) run_list(kBoxKernel, kListBoxes);
    if (any(kHull, kHull)) {
        run_list(kHullKernel, kListHulls);
        run_list(kHullEdgeKernel, kListHullEdges);
    }
    if (any(kHalfSpace, kHalfSpace)) run_list(kPlaneKernel, kListPlanes);
    if (any(kHull, kHull)) run_list(kFaceKernel, kListFaces);
    if (any(kBox, kBox)) run_list(kBoxFaceKernel, kListBoxFaces);
    if (polytopes) run_list(kEdgeKernel, kListEdges);
    stage_.run_indirect(commands, kernels_[kMatch], push, *arguments_, kArgsPairs);
    StageKernels::then(commands);
}

}  // namespace proxima::compute::world
