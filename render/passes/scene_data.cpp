// SPDX-License-Identifier: MIT
#include "render/passes/scene_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace proxima::render {

namespace {

float largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

Result<void> check_batches(const std::vector<Batch>& batches, size_t instances, uint32_t meshes, const char* what) {
    for (const Batch& batch : batches) {
        if (batch.mesh >= meshes)
            return Error{fmt::format("A batch of {} instances is of mesh {} and there are {} meshes.", what, batch.mesh,
                                     meshes)};
        if (uint64_t(batch.first) + batch.count > instances)
            return Error{fmt::format("A batch of {} instances goes from {} to {} and there are {}.", what, batch.first,
                                     uint64_t(batch.first) + batch.count, instances)};
    }
    return {};
}

constexpr uint32_t kDepths = 192;

/// Equal ratios of distance have equal shares of the order: sixteen steps per doubling from half a metre to
/// 2 km, which are the exponent and the first four bits of the fraction of the number as it is stored.
uint8_t depth_step(float distance) {
    constexpr uint32_t kFirst = std::bit_cast<uint32_t>(0.5f) >> 19;
    if (!(distance > 0.5f)) return 0;
    return uint8_t(std::min((std::bit_cast<uint32_t>(distance) >> 19) - kFirst, kDepths - 1));
}

void put(std::byte* into, uint32_t at, const Instance& instance) {
    std::memcpy(into + size_t(at) * sizeof(Instance), &instance, sizeof(Instance));
}

}  // namespace

Vec3 to_linear(Colour colour) {
    const auto channel = [&](uint32_t shift) {
        const float c = float((colour >> shift) & 255u) / 255.0f;
        return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
    };
    return {channel(0), channel(8), channel(16)};
}

Result<void> SceneData::prepare(engine::GpuFrames& frames, const DrawList& list, const MeshStore& meshes,
                                uint32_t whole_width, uint32_t whole_height, uint32_t shadow_size,
                                uint64_t uniform_alignment) {
    if (Result<void> fine = check(list, meshes); !fine) return fine;
    target_width = whole_width;
    target_height = whole_height;
    take_area(list.area);
    outline = {};
    selection_.clear();
    view = view_of(list.camera, width, height);
    SunSpace sun(list.sun.direction);
    find_visible(list, meshes, sun);
    shadow = list.sun.shadows && shadow_size > 0 ? fit_shadow(sun, view, list.camera.target, shadow_size) : ShadowFit{};
    sort_transparent(list, meshes);
    if (Result<void> done = copy_instances(frames, list, meshes, sun); !done) return done;
    if (Result<void> done = copy_lines(frames, list); !done) return done;
    show_sky = list.environment.show_sky;
    show_grid = list.grid.shown && list.grid.cell > 0.0f && list.grid.reach > 0.0f;
    fill_grid = list.grid.filled && view.eye.y > list.grid.height;  // from below there is no floor to see
    return write_constants(frames, list, sun, shadow_size, uniform_alignment);
}

/// What of an area lies in the target; where nothing does, the whole target stands in for it.
void SceneData::take_area(const PictureArea& area) {
    const int64_t right = std::min<int64_t>(int64_t(area.x) + area.width, target_width);
    const int64_t bottom = std::min<int64_t>(int64_t(area.y) + area.height, target_height);
    left = std::max(area.x, 0);
    top = std::max(area.y, 0);
    if (area.width == 0 || area.height == 0 || right <= left || bottom <= top) {
        left = top = 0;
        width = target_width;
        height = target_height;
        return;
    }
    width = uint32_t(right - left);
    height = uint32_t(bottom - top);
}

Result<void> SceneData::check(const DrawList& list, const MeshStore& meshes) const {
    const Camera& c = list.camera;
    if (!is_finite(c.eye) || !is_finite(c.target) || !is_finite(c.up) || !is_finite(c.field_of_view))
        return Error{"The camera cannot be used: its place, target, up or field of view is not a number."};
    if (Result<void> r = check_batches(list.opaque_batches, list.opaque.size(), meshes.size(), "opaque"); !r) return r;
    if (Result<void> r = check_batches(list.transparent_batches, list.transparent.size(), meshes.size(), "transparent");
        !r)
        return r;
    for (size_t i = 0; i < list.dynamic.size(); ++i) {
        const DynamicMesh& mesh = list.dynamic[i];
        if (mesh.positions.size() != mesh.normals.size())
            return Error{fmt::format("Dynamic mesh {} has {} positions and {} normals; it needs as many.", i,
                                     mesh.positions.size(), mesh.normals.size())};
        for (const uint32_t index : mesh.indices)
            if (index >= mesh.positions.size())
                return Error{
                    fmt::format("Dynamic mesh {} has an index {} and {} vertices.", i, index, mesh.positions.size())};
    }
    return {};
}

void SceneData::find_visible(const DrawList& list, const MeshStore& meshes, SunSpace& sun) {
    seen_.assign(list.opaque.size(), 0);
    for (const Batch& batch : list.opaque_batches) {
        const float radius = meshes.get(batch.mesh).radius;
        for (uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
            const Instance& instance = list.opaque[i];
            const float r = radius * largest(instance.scale);
            seen_[i] = sees(view, instance.position, r)
                           ? uint8_t(1 + depth_step(glm::dot(instance.position - view.eye, view.forward)))
                           : uint8_t(0);
            if (!(instance.flags & kNoShadow)) sun.add(instance.position, r);
            if (instance.flags & kSelected) {
                selection_.push_back({batch.mesh, &instance});
                add_selected(instance.position, r);
            }
        }
    }
    for (const DynamicMesh& mesh : list.dynamic) {
        if (mesh.positions.empty()) continue;
        Vec3 low = mesh.positions[0], high = low;
        for (const Vec3& p : mesh.positions) {
            low = glm::min(low, p);
            high = glm::max(high, p);
        }
        const Vec3 centre = 0.5f * (low + high);
        const float r = 0.5f * glm::length(high - low);
        if (!(mesh.flags & kNoShadow)) sun.add(centre, r);
        if (mesh.flags & kSelected) add_selected(centre, r);
    }
}

void SceneData::add_selected(const Vec3& centre, float radius) {
    constexpr int32_t kMargin = 6;  // the outline itself
    const Vec3 q = centre - view.eye;
    const float d = glm::dot(q, view.forward);
    PixelBox box{0, 0, int32_t(width), int32_t(height)};
    if (d > radius + view.near_plane) {
        // The ball lies within a cube of the same size; its nearest face gives the largest picture.
        const float nearest = d - radius;
        const auto range = [&](float middle, float half, uint32_t pixels, int32_t& low, int32_t& high) {
            const float scale = 0.5f * float(pixels) / half;
            const float a = std::min((middle - radius) / nearest, (middle - radius) / d);
            const float b = std::max((middle + radius) / nearest, (middle + radius) / d);
            const auto pixel = [&](float x) {
                return int32_t(std::clamp(x * scale + 0.5f * float(pixels), -1.0f, float(pixels) + 1.0f));
            };
            low = std::max(pixel(a) - kMargin, 0);
            high = std::min(pixel(b) + kMargin, int32_t(pixels));
        };
        range(glm::dot(q, view.right), view.half_width, width, box.left, box.right);
        range(-glm::dot(q, view.up), view.half_height, height, box.top, box.bottom);
    } else if (d < -radius) {
        return;
    }
    if (box.empty()) return;
    box = {box.left + left, box.top + top, box.right + left, box.bottom + top};
    if (outline.empty()) outline = box;
    outline = {std::min(outline.left, box.left), std::min(outline.top, box.top), std::max(outline.right, box.right),
               std::max(outline.bottom, box.bottom)};
}

void SceneData::sort_transparent(const DrawList& list, const MeshStore& meshes) {
    by_depth_.clear();
    transparent_mesh_.assign(list.transparent.size(), 0);
    for (const Batch& batch : list.transparent_batches) {
        const float radius = meshes.get(batch.mesh).radius;
        for (uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
            const Instance& instance = list.transparent[i];
            const float r = radius * largest(instance.scale);
            if (!is_finite(instance.position) || !sees(view, instance.position, r)) continue;
            transparent_mesh_[i] = batch.mesh;
            by_depth_.push_back({-glm::dot(instance.position - view.eye, view.forward), i});
            if (instance.flags & kSelected) {
                selection_.push_back({batch.mesh, &instance});
                add_selected(instance.position, r);
            }
        }
    }
    std::sort(by_depth_.begin(), by_depth_.end());  // farthest first, then in the order of the list
}

void SceneData::copy_batch(const DrawList& list, const Batch& batch, float radius, const SunSpace& sun, std::byte* into,
                           uint32_t& used) {
    const uint32_t end = batch.first + batch.count;
    MeshRun run;
    run.mesh = batch.mesh;
    run.first = used;
    // Order: seen without a shadow, seen with one, each from near to far by counting; then the others.
    uint32_t at[2][kDepths] = {};
    for (uint32_t i = batch.first; i < end; ++i) {
        const Instance& instance = list.opaque[i];
        run.largest = std::max(run.largest, radius * largest(instance.scale));
        if (seen_[i]) ++at[instance.flags & kNoShadow ? 0 : 1][seen_[i] - 1];
    }
    for (uint32_t kind = 0; kind < 2; ++kind) {
        if (kind == 1) run.first_caster = used;
        for (uint32_t& offset : at[kind]) used += std::exchange(offset, used);
    }
    for (uint32_t i = batch.first; i < end; ++i)
        if (seen_[i]) put(into, at[list.opaque[i].flags & kNoShadow ? 0 : 1][seen_[i] - 1]++, list.opaque[i]);
    run.shown = used - run.first;
    if (shadow.active)
        for (uint32_t i = batch.first; i < end; ++i) {
            const Instance& instance = list.opaque[i];
            if (seen_[i] || (instance.flags & kNoShadow)) continue;
            if (casts_into(shadow, sun, instance.position, radius * largest(instance.scale)))
                put(into, used++, instance);
        }
    run.casters = used - run.first_caster;
    if (used > run.first) opaque.push_back(run);
}

Result<void> SceneData::copy_instances(engine::GpuFrames& frames, const DrawList& list, const MeshStore& meshes,
                                       const SunSpace& sun) {
    opaque.clear();
    transparent.clear();
    selected.clear();
    uint64_t most = by_depth_.size() + selection_.size() + list.dynamic.size();
    for (const Batch& batch : list.opaque_batches) most += batch.count;
    const Result<engine::GpuSlice> slice = frames.upload(most * sizeof(Instance));
    if (!slice) return Error{slice.error()};
    instances = slice.value();
    uint32_t used = 0;
    for (const Batch& batch : list.opaque_batches) {
        const StoredMesh& mesh = meshes.get(batch.mesh);
        if (mesh.index_count > 0) copy_batch(list, batch, mesh.radius, sun, instances.host, used);
    }
    // Large things are behind small ones more often than not: grounds last.
    std::stable_sort(opaque.begin(), opaque.end(),
                     [](const MeshRun& a, const MeshRun& b) { return a.largest < b.largest; });
    for (const auto& [depth, i] : by_depth_) {
        const MeshId mesh = transparent_mesh_[i];
        if (meshes.get(mesh).index_count == 0) continue;
        if (transparent.empty() || transparent.back().mesh != mesh) transparent.push_back({mesh, used, 0, used, 0});
        ++transparent.back().shown;
        put(instances.host, used++, list.transparent[i]);
    }
    for (const auto& [mesh, instance] : selection_) {
        if (meshes.get(mesh).index_count == 0) continue;
        if (selected.empty() || selected.back().mesh != mesh) selected.push_back({mesh, used, 0, used, 0});
        ++selected.back().shown;
        put(instances.host, used++, *instance);
    }
    return copy_dynamic(frames, list, instances.host, used);
}

Result<void> SceneData::copy_dynamic(engine::GpuFrames& frames, const DrawList& list, std::byte* into, uint32_t& used) {
    dynamic.clear();
    for (const DynamicMesh& mesh : list.dynamic) {
        const uint64_t count = mesh.positions.size(), index_count = mesh.indices.size() / 3 * 3;
        if (count == 0 || index_count == 0) continue;
        const Result<engine::GpuSlice> v = frames.upload(count * sizeof(MeshVertex));
        if (!v) return Error{v.error()};
        const Result<engine::GpuSlice> i = frames.upload(index_count * sizeof(uint32_t));
        if (!i) return Error{i.error()};
        for (uint64_t k = 0; k < count; ++k) {
            const MeshVertex vertex{mesh.positions[k], mesh.normals[k]};
            std::memcpy(v->host + k * sizeof(MeshVertex), &vertex, sizeof(vertex));
        }
        std::memcpy(i->host, mesh.indices.data(), index_count * sizeof(uint32_t));
        Instance instance;
        instance.colour = mesh.colour;
        instance.flags = mesh.flags;
        instance.roughness = mesh.roughness;
        instance.id = mesh.id;
        put(into, used, instance);
        dynamic.push_back({v.value(), i.value(), uint32_t(index_count), used, !(mesh.flags & kNoShadow),
                           (mesh.flags & kSelected) != 0});
        ++used;
    }
    return {};
}

Result<void> SceneData::copy_lines(engine::GpuFrames& frames, const DrawList& list) {
    static_assert(sizeof(Line) == 32);
    line_count = uint32_t(list.lines.size());
    top_line_count = uint32_t(list.lines_on_top.size());
    if (line_count + top_line_count == 0) return {};
    const Result<engine::GpuSlice> slice = frames.upload((uint64_t(line_count) + top_line_count) * sizeof(Line));
    if (!slice) return Error{slice.error()};
    lines = slice.value();
    if (line_count > 0) std::memcpy(lines.host, list.lines.data(), line_count * sizeof(Line));
    if (top_line_count > 0)
        std::memcpy(lines.host + size_t(line_count) * sizeof(Line), list.lines_on_top.data(),
                    top_line_count * sizeof(Line));
    return {};
}

Result<void> SceneData::write_constants(engine::GpuFrames& frames, const DrawList& list, const SunSpace& sun,
                                        uint32_t shadow_size, uint64_t alignment) {
    FrameConstants c;
    c.view_projection = view.matrix;
    c.sun_matrix = shadow.matrix;
    c.eye = Vec4(view.eye, list.exposure);
    c.right = Vec4(view.right * view.half_width, 0.0f);
    c.up = Vec4(view.up * view.half_height, 0.0f);
    c.forward = Vec4(view.forward, view.near_plane);
    c.screen = Vec4(float(width), float(height), 1.0f / float(width), 1.0f / float(height));
    c.sun_direction = Vec4(-sun.forward, list.sun.softness);
    c.sun_radiance = Vec4(list.sun.radiance, shadow.active ? 1.0f : 0.0f);
    c.shadow =
        Vec4(shadow_size > 0 ? 1.0f / float(shadow_size) : 1.0f, shadow.texel, std::max(shadow.reach, 1.0f), 0.0f);
    const Environment& e = list.environment;
    c.zenith = Vec4(e.zenith * e.intensity, 0.0f);
    c.horizon = Vec4(e.horizon * e.intensity, e.show_sky && e.haze > 0.0f ? 1.0f / (e.haze * e.haze) : 0.0f);
    c.ground = Vec4(e.ground * e.intensity, 0.0f);
    c.grid = Vec4(list.grid.height, list.grid.cell, list.grid.reach, 0.0f);
    c.grid_colour = Vec4(to_linear(list.grid.floor), 0.0f);
    background = Vec3(0.035f, 0.038f, 0.045f);
    c.fallback = Vec4(background, 1.0f);
    const Result<engine::GpuSlice> slice = frames.upload(sizeof(c), alignment);
    if (!slice) return Error{slice.error()};
    uniforms = slice.value();
    std::memcpy(uniforms.host, &c, sizeof(c));
    return {};
}

}  // namespace proxima::render
