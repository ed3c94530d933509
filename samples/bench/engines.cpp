// SPDX-License-Identifier: MIT
#include "samples/bench/engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "engine/core/suggest.h"
#include "physics/shapes/shape_classes.h"
#include "samples/bench/lists.h"
#include "samples/bench/proxima_engine.h"
#include "samples/scenes/convex.h"

namespace proxima::bench {

namespace {

#if defined(PROXIMA_PEER_BOX3D)
constexpr auto kDescribeBox3d = describe_box3d;
#else
constexpr EngineDescription (*kDescribeBox3d)() = nullptr;
#endif
#if defined(PROXIMA_PEER_JOLT)
constexpr auto kDescribeJolt = describe_jolt;
#else
constexpr EngineDescription (*kDescribeJolt)() = nullptr;
#endif
#if defined(PROXIMA_PEER_PHYSX)
constexpr auto kDescribePgs = describe_physx_pgs;
constexpr auto kDescribeTgs = describe_physx_tgs;
#else
constexpr EngineDescription (*kDescribePgs)() = nullptr;
constexpr EngineDescription (*kDescribeTgs)() = nullptr;
#endif
#if defined(PROXIMA_PEER_ODE)
constexpr auto kDescribeOde = describe_ode;
#else
constexpr EngineDescription (*kDescribeOde)() = nullptr;
#endif
#if defined(PROXIMA_PEER_BULLET)
constexpr auto kDescribeBullet = describe_bullet;
#else
constexpr EngineDescription (*kDescribeBullet)() = nullptr;
#endif

constexpr std::string_view kFromSource =
    "build and install it, then configure Proxima with its install folder in CMAKE_PREFIX_PATH";
constexpr Peer kPeers[] = {
    {"box3d", "Box3D", kDescribeBox3d, kFromSource},
    {"jolt", "Jolt Physics", kDescribeJolt, kFromSource},
    {"physx", "PhysX with its default solver, PGS", kDescribePgs, kFromSource},
    {"physx-tgs", "PhysX with its solver TGS", kDescribeTgs, kFromSource},
    {"bullet", "Bullet", kDescribeBullet, "install libBulletDynamics (Debian: libbullet-dev) and configure again"},
    {"ode", "Open Dynamics Engine", kDescribeOde, "install it (Debian: libode-dev) and configure again"},
};

/// Cubic metres of a shape, from the same numbers that every engine gets.
double volume_of(const EngineShape& shape) {
    const double r = shape.radius;
    const auto* h = shape.half_extents;
    switch (shape.kind) {
        case ShapeKind::box:
            return 8.0 * double(h[0]) * double(h[1]) * double(h[2]);
        case ShapeKind::sphere:
            return 4.0 / 3.0 * std::numbers::pi * r * r * r;
        case ShapeKind::capsule:
            return std::numbers::pi * r * r * (2.0 * double(shape.half_height) + 4.0 / 3.0 * r);
        case ShapeKind::half_space:
            return 0.0;
        case ShapeKind::hull:
            break;
    }
    std::vector<samples::Vec3d> points;
    for (size_t i = 0; i + 2 < shape.points.size(); i += 3)
        points.push_back({shape.points[i], shape.points[i + 1], shape.points[i + 2]});
    return samples::make_convex(points).volume;
}

/// The classes of shapes that every engine has. Their sizes have the same names everywhere.
struct Translation {
    std::string_view name;
    ShapeKind kind;
};
constexpr Translation kTranslations[] = {{"box", ShapeKind::box},
                                         {"sphere", ShapeKind::sphere},
                                         {"capsule", ShapeKind::capsule},
                                         {"hull", ShapeKind::hull},
                                         {"half_space", ShapeKind::half_space}};

Result<EngineShape> convert(const physics::ShapeDesc& shape, const std::string& scene) {
    const std::optional<ShapeKind> kind = shape_kind(shape.type);
    if (!kind || *kind == ShapeKind::half_space)
        return Error{
            fmt::format("Scene '{}' cannot be compared with other engines: it has a shape of type {}, "
                        "and only boxes, spheres, capsules and hulls are translated.",
                        scene, physics::to_string(shape.type))};
    EngineShape out;
    out.kind = *kind;
    for (const physics::ShapeField& field : physics::shape_class(shape.type).fields) {
        if (field.key == "half_extents")
            for (int k = 0; k < 3; ++k) out.half_extents[k] = shape.half_extents[k];
        if (field.key == "radius") out.radius = shape.radius;
        if (field.key == "half_height") out.half_height = shape.half_height;
        if (field.key == "points")
            for (const Vec3& p : shape.points) out.points.insert(out.points.end(), {p.x, p.y, p.z});
    }
    return out;
}

}  // namespace

std::optional<ShapeKind> shape_kind(physics::ShapeType type) {
    const std::string_view name = physics::to_string(type);
    for (const Translation& row : kTranslations)
        if (row.name == name) return row.kind;
    return {};
}

std::span<const Peer> peers() { return kPeers; }

const Peer* find_peer(std::string_view name) {
    const auto found =
        std::find_if(std::begin(kPeers), std::end(kPeers), [&](const Peer& p) { return p.name == name; });
    return found == std::end(kPeers) ? nullptr : &*found;
}

Result<std::vector<std::string>> parse_peers(const std::string& list) {
    std::vector<std::string> out;
    if (list == "none") return out;
    if (list == "all") {
        for (const Peer& peer : kPeers)
            if (peer.describe) out.emplace_back(peer.name);
        return out;
    }
    std::vector<std::string_view> known = {"all", "none"};
    for (const Peer& peer : kPeers) known.push_back(peer.name);
    for (const std::string& name : split_list(list)) {
        if (name == kProxima) continue;  // it is measured in any case
        const Peer* peer = find_peer(name);
        if (!peer)
            return Error{
                fmt::format("There is no engine called '{}' to compare with; did you mean '{}'? Known are: {}.", name,
                            nearest_word(name, known), join_list(known))};
        if (!peer->describe)
            return Error{fmt::format("{} is not in this build of proxima, so '{}' cannot be compared with: {}.",
                                     peer->title, name, peer->how_to_get)};
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    if (out.empty() && list.find_first_not_of(", ") == std::string::npos)
        return Error{"--peers is empty; name the engines to compare with, such as 'bullet', or 'all' or 'none'."};
    return out;
}

Result<EngineScene> make_engine_scene(const physics::SceneDesc& scene, uint32_t threads) {
    EngineScene out;
    out.threads = threads;
    out.sleeping = scene.settings.sleeping;
    for (int k = 0; k < 3; ++k) out.gravity[k] = scene.settings.gravity[k];
    std::vector<double> volumes;
    for (const physics::ShapeDesc& shape : scene.shapes) {
        Result<EngineShape> converted = convert(shape, scene.name);
        if (!converted) return Error{converted.error()};
        volumes.push_back(volume_of(converted.value()));
        out.shapes.push_back(std::move(converted).value());
    }
    const auto refuse = [&](size_t body, const char* what) {
        return Error{
            fmt::format("Scene '{}' cannot be compared with other engines: bodies[{}] {}.", scene.name, body, what)};
    };
    for (size_t i = 0; i < scene.bodies.size(); ++i) {
        const physics::SceneBody& body = scene.bodies[i];
        if (body.type == physics::BodyType::kinematic) return refuse(i, "is kinematic");
        if (body.colliders.size() != 1) return refuse(i, "does not have exactly one collider");
        const physics::SceneCollider& collider = body.colliders[0];
        const physics::SceneCollider plain;
        if (collider.position != plain.position || collider.rotation != plain.rotation || collider.scale != plain.scale)
            return refuse(i, "has a collider that is moved, turned or scaled");
        const float friction = scene.bodies[0].colliders[0].material.friction;
        if (collider.material.friction != friction || collider.material.restitution != 0.0f)
            return refuse(i, "has another friction than bodies[0], or bounces");
        if (body.linear_damping != 0.0f || body.angular_damping != 0.0f || body.gravity_scale != 1.0f)
            return refuse(i, "is damped or has a gravity of its own");
        EngineBody& to = out.bodies.emplace_back();
        to.shape = collider.shape;
        to.moves = body.type == physics::BodyType::dynamic;
        to.density = collider.density;
        to.friction = friction;
        to.mass = !to.moves          ? 0.0
                  : body.mass > 0.0f ? double(body.mass)
                                     : double(collider.density) * volumes[collider.shape];
        for (int k = 0; k < 3; ++k) {
            to.position[k] = body.position[k];
            to.linear_velocity[k] = body.linear_velocity[k];
            to.angular_velocity[k] = body.angular_velocity[k];
        }
        const float rotation[4] = {body.rotation.x, body.rotation.y, body.rotation.z, body.rotation.w};
        std::copy(rotation, rotation + 4, to.rotation);
    }
    return out;
}

std::vector<double> body_masses(const physics::SceneDesc& scene) {
    std::vector<double> volumes;
    for (const physics::ShapeDesc& shape : scene.shapes) {
        const Result<EngineShape> converted = convert(shape, scene.name);
        volumes.push_back(converted ? volume_of(converted.value()) : 0.0);  // half-spaces do not move
    }
    std::vector<double> masses;
    for (const physics::SceneBody& body : scene.bodies) {
        double mass = 0.0;
        for (const physics::SceneCollider& c : body.colliders)
            mass += double(c.density) * volumes[c.shape] * double(c.scale.x) * double(c.scale.y) * double(c.scale.z);
        if (body.mass > 0.0f) mass = double(body.mass);
        masses.push_back(body.type == physics::BodyType::dynamic ? mass : 0.0);
    }
    return masses;
}

Result<std::unique_ptr<Engine>> make_engine(std::string_view name, const physics::SceneDesc& scene, uint32_t threads) {
    if (name == kProxima) return make_proxima_engine(scene, threads);
    const Peer* peer = find_peer(name);
    if (!peer || !peer->describe) return Error{fmt::format("The engine '{}' is not in this build of proxima.", name)};
    const Result<EngineScene> converted = make_engine_scene(scene, threads);
    if (!converted) return Error{converted.error()};
    return peer->describe().make(converted.value());
}

}  // namespace proxima::bench
