// SPDX-License-Identifier: MIT
#include "physics/query/ray_cast.h"

#include <algorithm>
#include <cmath>

#include "physics/physics_world.h"

namespace proxima::physics {

namespace {

// In double precision throughout: a pointer's ray comes from far away and has to meet small things.
using Vec = glm::dvec3;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The part of a line that is inside a convex set, as [enter, leave], and the surface where it enters.
/// Empty when enter > leave.
struct Span {
    double enter = -kInfinite, leave = kInfinite;
    Vec normal{0.0, 0.0, 0.0};

    static Span none() { return {1.0, 0.0, {}}; }
    bool empty() const { return !(enter <= leave); }
    /// Keeps what lies behind the plane n . x <= offset.
    void cut(const Vec& n, double offset, const Vec& origin, const Vec& direction) {
        const double height = glm::dot(n, origin) - offset, slope = glm::dot(n, direction);
        if (slope == 0.0) {
            if (height > 0.0) *this = none();
        } else if (slope > 0.0) {
            leave = std::min(leave, -height / slope);
        } else if (-height / slope > enter) {
            enter = -height / slope;
            normal = n;
        }
    }
};

/// |o + t d - c| = r with |d| = 1. The distance of the centre to the line comes from its own difference, not
/// from b^2 - c, which cancels for small spheres far away.
Span ball_span(const Vec& o, const Vec& d, const Vec& center, double radius) {
    const double along = glm::dot(center - o, d);
    const Vec off = o + along * d - center;
    const double rest = radius * radius - glm::dot(off, off);
    if (rest < 0.0) return Span::none();
    const double half = std::sqrt(rest);
    return {along - half, along + half, (o + (along - half) * d - center) / radius};
}

Span box_span(const Vec& o, const Vec& d, const Vec& half) {
    Span span;
    for (int i = 0; i < 3; ++i)
        for (const double side : {1.0, -1.0}) {
            Vec n(0.0);
            n[i] = side;
            span.cut(n, half[i], o, d);
        }
    return span;
}

/// A capsule is the union of a cylinder and two balls, and convex: it is entered at the first entry into any
/// of them and left at the last exit.
Span capsule_span(const Vec& o, const Vec& d, double radius, double half_height) {
    Span whole = Span::none();
    const auto add = [&](const Span& part) {
        if (part.empty()) return;
        if (whole.empty()) {
            whole = part;
            return;
        }
        if (part.enter < whole.enter) {
            whole.enter = part.enter;
            whole.normal = part.normal;
        }
        whole.leave = std::max(whole.leave, part.leave);
    };
    add(ball_span(o, d, {0.0, half_height, 0.0}, radius));
    add(ball_span(o, d, {0.0, -half_height, 0.0}, radius));

    // The round side, cut off at both ends. Its flat ends lie inside the balls, so an entry through one of
    // them is never the first.
    const double dd = d.x * d.x + d.z * d.z;
    Span side;
    if (dd > 0.0) {
        const double along = -(o.x * d.x + o.z * d.z) / dd;
        const double x = o.x + along * d.x, z = o.z + along * d.z, rest = radius * radius - x * x - z * z;
        if (rest < 0.0) return whole;
        const double half = std::sqrt(rest / dd);
        side.enter = along - half;
        side.leave = along + half;
        side.normal = Vec(o.x + side.enter * d.x, 0.0, o.z + side.enter * d.z) / radius;
    } else if (o.x * o.x + o.z * o.z > radius * radius) {
        return whole;
    }
    side.cut({0.0, 1.0, 0.0}, half_height, o, d);
    side.cut({0.0, -1.0, 0.0}, half_height, o, d);
    add(side);
    return whole;
}

Span hull_span(const Vec& o, const Vec& d, const Polytope& hull) {
    Span span;
    for (const Polytope::Face& face : hull.faces) {
        span.cut(Vec(face.normal), double(face.offset), o, d);
        if (span.empty()) return span;
    }
    return span;
}

Span span_of(const Shape& shape, const Vec& o, const Vec& d) {
    switch (shape.type) {
        case ShapeType::sphere:
            return ball_span(o, d, Vec(0.0), double(shape.radius));
        case ShapeType::box:
            return box_span(o, d, Vec(shape.half_extents));
        case ShapeType::capsule:
            return capsule_span(o, d, double(shape.radius), double(shape.half_height));
        case ShapeType::hull:
            return hull_span(o, d, shape.polytope);
        case ShapeType::half_space: {
            Span span;
            span.cut({0.0, 1.0, 0.0}, 0.0, o, d);
            return span;
        }
    }
    return Span::none();
}

struct UnitRay {
    Vec origin, direction;
    bool usable = false;
};
UnitRay unit(const Ray& ray) {
    UnitRay out{Vec(ray.origin), Vec(ray.direction)};
    const double length = glm::length(out.direction);
    out.usable = is_finite(ray.origin) && is_finite(ray.direction) && length > 0.0;
    if (out.usable) out.direction /= length;
    return out;
}

std::optional<RayHit> cast(const Shape& shape, const Transform& pose, const UnitRay& ray, double limit,
                           RayStart start) {
    const glm::dquat to_world{pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    const glm::dquat to_local = glm::conjugate(to_world);
    const Vec d = glm::normalize(to_local * ray.direction);
    const Span span = span_of(shape, to_local * (ray.origin - Vec(pose.position)), d);
    if (span.empty() || span.leave < 0.0 || span.enter > limit) return std::nullopt;
    if (span.enter < 0.0) {
        if (start == RayStart::passes) return std::nullopt;
        return RayHit{0.0f, Vec3(ray.origin), Vec3(-ray.direction)};
    }
    return RayHit{float(span.enter), Vec3(ray.origin + span.enter * ray.direction),
                  Vec3(glm::normalize(to_world * span.normal))};
}

/// Whether a ball that holds the shape is passed by; cheap, for the many that a ray does not meet.
bool misses_ball(const UnitRay& ray, const Vec& center, double radius, double limit) {
    const Vec to = center - ray.origin;
    const double along = std::clamp(glm::dot(to, ray.direction), 0.0, limit);
    const Vec off = to - along * ray.direction;
    return glm::dot(off, off) > radius * radius * 1.0001;  // a little more than the roundings of floats
}

}  // namespace

std::optional<RayHit> ray_cast(const Shape& shape, const Transform& pose, const Ray& ray, float limit, RayStart start) {
    const UnitRay line = unit(ray);
    if (!line.usable) return std::nullopt;
    return cast(shape, pose, line, double(limit), start);
}

std::optional<WorldRayHit> ray_cast(const PhysicsWorld& world, const Ray& ray, float limit, uint32_t mask,
                                    RayStart start) {
    const UnitRay line = unit(ray);
    if (!line.usable) return std::nullopt;
    const entt::registry& registry = world.registry();
    std::optional<WorldRayHit> best;
    uint32_t best_id = 0;
    double nearest = double(limit);
    for (const Entity entity : registry.view<Collider>()) {
        const Collider& collider = registry.get<Collider>(entity);
        if ((collider.layer & mask) == 0 || size_t(collider.shape) >= world.shapes().size()) continue;
        if (!registry.valid(collider.body) || !registry.all_of<Pose, StableId>(collider.body)) continue;
        const Pose& body = registry.get<Pose>(collider.body);
        const Transform pose =
            compose({body.position, body.rotation}, {collider.local.position, collider.local.rotation});
        const Shape& shape = world.shapes().get(collider.shape);
        if (shape.type != ShapeType::half_space &&
            misses_ball(line, Vec(pose.position), double(shape.bounding_radius), nearest))
            continue;
        const std::optional<RayHit> hit = cast(shape, pose, line, nearest, start);
        if (!hit) continue;
        const uint32_t id = registry.get<StableId>(entity).value;
        if (best && (hit->distance > best->hit.distance || (hit->distance == best->hit.distance && id > best_id)))
            continue;
        best = WorldRayHit{collider.body, entity, *hit};
        best_id = id;
        nearest = double(std::nextafter(hit->distance, kNoRayLimit));  // one as far may still be older
    }
    return best;
}

}  // namespace proxima::physics
