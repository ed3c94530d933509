// SPDX-License-Identifier: MIT
#include "render/extract/extract_world.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "render/palette.h"

namespace proxima::render {

using physics::BodyType;
using physics::DebugBody;
using physics::DebugContact;
using physics::DebugFrame;
using physics::DebugSolver;

namespace {

// Of half the picture's height: a body of the first radius or more is drawn with the finest mesh, and so on.
// The outline of a sphere is then wrong by half a pixel at most in a picture of 720 rows.
constexpr std::array<float, kDetails - 1> kDetailSizes{0.10f, 0.03f, 0.010f};

Colour solver_colour(DebugSolver solver) {
    switch (solver) {
        case DebugSolver::swept:
            return rgba(84, 150, 196);
        case DebugSolver::direct:
            return rgba(150, 185, 105);
        case DebugSolver::general:
            return rgba(240, 160, 96);
        case DebugSolver::none:
            break;
    }
    return rgba(130, 132, 138);
}

bool takes_part(const DrawnBody& body) { return body.type == BodyType::dynamic && !body.asleep; }

using Paint = ExtractMemory::Paint;

/// Colours by body, whatever the mode adds.
void paint_plainly(const DrawnWorld& world, const WorldLook& look, std::vector<Paint>& paints) {
    paints.clear();
    for (const DrawnBody& body : world.bodies) {
        Paint paint;
        paint.colour = body.quarantined                   ? look.quarantined
                       : body.type == BodyType::fixed     ? look.fixed
                       : body.type == BodyType::kinematic ? look.kinematic
                       : look.mode == ColourMode::body    ? palette_colour(body.order)
                                                          : rgba(150, 152, 158);
        if (body.asleep && look.dim_sleeping) paint.colour = dimmed(paint.colour);
        paints.push_back(paint);
    }
}

void paint_islands(const DrawnWorld& world, const DebugFrame& frame, bool by_solver, std::vector<Paint>& paints) {
    for (const DebugBody& body : frame.bodies) {
        const uint32_t i = world.find(body.entity);
        if (i == kNobody || body.island == physics::kNoDebugIsland) continue;
        paints[i].colour = by_solver ? solver_colour(body.solver) : palette_colour(body.island);
    }
}

/// The smallest colour of its contacts: two bodies of one colour that touch are then rare.
void paint_sweeps(const DrawnWorld& world, const DebugFrame& frame, std::vector<float>& first,
                  std::vector<Paint>& paints) {
    constexpr float kNone = 1e9f;
    first.assign(world.bodies.size(), kNone);
    for (const DebugContact& contact : frame.contacts)
        for (const Entity entity : {contact.body_a, contact.body_b})
            if (const uint32_t i = world.find(entity); i != kNobody)
                first[i] = std::min(first[i], float(contact.colour));
    for (uint32_t i = 0; i < first.size(); ++i)
        if (first[i] < kNone && takes_part(world.bodies[i])) paints[i].colour = palette_colour(uint32_t(first[i]));
}

void paint_residuals(const DrawnWorld& world, const DebugFrame& frame, const WorldLook& look, std::vector<float>& worst,
                     std::vector<Paint>& paints) {
    worst.assign(world.bodies.size(), -1.0f);
    for (const DebugContact& contact : frame.contacts)
        for (const Entity entity : {contact.body_a, contact.body_b})
            if (const uint32_t i = world.find(entity); i != kNobody) worst[i] = std::max(worst[i], contact.residual);
    for (uint32_t i = 0; i < worst.size(); ++i)
        if (takes_part(world.bodies[i])) paints[i].heat = residual_heat(worst[i], look.coldest, look.hottest);
}

void paint_speeds(const DrawnWorld& world, const DebugFrame& frame, const WorldLook& look, std::vector<Paint>& paints) {
    for (const DebugBody& body : frame.bodies) {
        const uint32_t i = world.find(body.entity);
        if (i == kNobody || body.type == BodyType::fixed) continue;
        paints[i].heat = std::min(1.0f, glm::length(body.velocity.linear) / look.fastest);
    }
}

void paint(const DrawnWorld& world, const WorldLook& look, ExtractMemory& memory) {
    std::vector<Paint>& paints = memory.paints;
    WorldLook plain = look;
    if (!look.debug) plain.mode = ColourMode::body;
    paint_plainly(world, plain, paints);
    switch (plain.mode) {
        case ColourMode::body:
            break;
        case ColourMode::island:
        case ColourMode::solver:
            paint_islands(world, *look.debug, look.mode == ColourMode::solver, paints);
            break;
        case ColourMode::colour:
            paint_sweeps(world, *look.debug, memory.values, paints);
            break;
        case ColourMode::residual:
            paint_residuals(world, *look.debug, look, memory.values, paints);
            break;
        case ColourMode::speed:
            paint_speeds(world, *look.debug, look, paints);
            break;
    }
    for (const BodyColour& given : look.colours)
        if (const uint32_t i = world.find(given.body); i != kNobody) {
            paints[i].colour = given.colour;
            paints[i].heat = -1.0f;
        }
    for (const Entity entity : look.selected)
        if (const uint32_t i = world.find(entity); i != kNobody) paints[i].flags |= kSelected;
}

/// Which mesh each collider has, seen from the camera.
void choose_meshes(const DrawnWorld& world, const physics::ShapeLibrary& shapes, MeshCache& meshes,
                   const WorldLook& look, const Camera& camera, ExtractMemory& memory) {
    const Vec3 view = camera.target - camera.eye;
    const Vec3 forward = glm::dot(view, view) > 0.0f ? glm::normalize(view) : Vec3(0.0f, 0.0f, -1.0f);
    const float half = std::tan(0.5f * camera.field_of_view);
    const bool ghost = alpha_of(look.ghost) > 0;
    memory.pieces.clear();
    memory.first.clear();
    memory.first_glass.clear();
    for (uint32_t k = 0; k < world.colliders.size(); ++k) {
        const DrawnCollider& collider = world.colliders[k];
        const bool glass = ghost || alpha_of(memory.paints[collider.body].colour) < 255;
        std::vector<uint32_t>& counts = glass ? memory.first_glass : memory.first;
        for (const ShapeMesh& mesh : meshes.get(shapes, collider.shape)) {
            uint32_t detail = 0;
            if (mesh.endless) {
                if (!look.half_spaces || ghost) continue;
            } else {
                const float depth = glm::dot(memory.poses[collider.body].position - camera.eye, forward);
                const float size = mesh.radius / (std::max(depth, camera.near_plane) * half);
                while (detail < kDetailSizes.size() && size < kDetailSizes[detail]) ++detail;
            }
            const ScaledMesh& chosen = mesh.details[detail];
            if (chosen.mesh >= counts.size()) counts.resize(chosen.mesh + 1, 0);
            ++counts[chosen.mesh];
            memory.pieces.push_back(
                {chosen.mesh, k, compose(collider.local, mesh.local), chosen.scale, mesh.round, glass});
        }
    }
}

/// From how many instances each mesh has to where its first one goes, behind those that are there.
void place_meshes(std::vector<uint32_t>& first, std::vector<Instance>& instances, std::vector<Batch>& batches) {
    uint32_t first_instance = uint32_t(instances.size());
    for (MeshId mesh = 0; mesh < first.size(); ++mesh) {
        const uint32_t count = first[mesh];
        first[mesh] = first_instance;
        if (count) batches.push_back({mesh, first_instance, count});
        first_instance += count;
    }
    instances.resize(first_instance);
}

}  // namespace

float residual_heat(float residual, float coldest, float hottest) {
    if (residual < 0.0f) return -1.0f;
    if (residual <= coldest) return 0.0f;
    return std::min(1.0f, std::log(residual / coldest) / std::log(hottest / coldest));
}

void extract_world(const PoseHistory& history, float alpha, const physics::ShapeLibrary& shapes, MeshCache& meshes,
                   const WorldLook& look, ExtractMemory& memory, DrawList& out) {
    const DrawnWorld& world = history.now();
    const bool ghost = alpha_of(look.ghost) > 0;
    memory.poses.resize(world.bodies.size());
    for (uint32_t i = 0; i < world.bodies.size(); ++i) memory.poses[i] = history.at(i, alpha);
    paint(world, look, memory);
    choose_meshes(world, shapes, meshes, look, out.camera, memory);

    // Sorted by counting, what can be seen through apart.
    place_meshes(memory.first, out.opaque, out.opaque_batches);
    place_meshes(memory.first_glass, out.transparent, out.transparent_batches);
    for (const ExtractMemory::Piece& piece : memory.pieces) {
        const DrawnCollider& collider = world.colliders[piece.collider];
        const DrawnBody& body = world.bodies[collider.body];
        const Paint& paint = memory.paints[collider.body];
        const Transform pose = compose(memory.poses[collider.body], piece.local);
        Instance& instance =
            piece.glass ? out.transparent[memory.first_glass[piece.mesh]++] : out.opaque[memory.first[piece.mesh]++];
        instance = Instance{};
        instance.position = pose.position;
        instance.rotation = pose.rotation;
        instance.scale = piece.scale;
        if (ghost) {
            instance.colour = look.ghost;
            instance.flags = kNoShadow;
            continue;
        }
        const bool moves = body.type != BodyType::fixed;
        instance.colour = paint.colour;
        instance.heat = paint.heat;
        instance.flags = paint.flags | (piece.glass ? uint32_t(kNoShadow) : 0u);
        if (look.checker && moves && (piece.round || body.type == BodyType::kinematic)) instance.flags |= kChecker;
        instance.roughness = moves ? (piece.round ? 0.35f : 0.5f) : 0.8f;
        instance.id = pick_id(body.entity);
    }
}

}  // namespace proxima::render
