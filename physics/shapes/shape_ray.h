// SPDX-License-Identifier: MIT
// A ray in the frame of one shape. In double precision throughout: a pointer's ray comes from far away and
// has to meet small things.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "engine/core/math.h"

namespace proxima::physics {

/// What becomes of a ray that starts inside a convex shape, or inside a part of a composite one.
enum class RayStart : uint8_t {
    hits,    // there and then, at distance 0, with a normal that looks back along the ray
    passes,  // the shape is not seen: a ray that begins inside a large box sees what is beyond it
};

struct LocalRay {
    glm::dvec3 origin{0.0, 0.0, 0.0};
    glm::dvec3 direction{0.0, 0.0, -1.0};  // unit
    double limit = std::numeric_limits<double>::infinity();
    RayStart start = RayStart::hits;
};

struct LocalRayHit {
    double distance = 0.0;
    glm::dvec3 normal{0.0, 1.0, 0.0};  // outward; against the ray where it starts inside
    bool starts_inside = false;
    uint32_t part = 0;  // of a composite shape
};

/// The part of a line that is inside a convex set, as [enter, leave], and the surface where it enters.
/// Empty when enter > leave.
struct RaySpan {
    double enter = -std::numeric_limits<double>::infinity();
    double leave = std::numeric_limits<double>::infinity();
    glm::dvec3 normal{0.0, 0.0, 0.0};

    static RaySpan none() { return {1.0, 0.0, {}}; }
    bool empty() const { return !(enter <= leave); }
    /// Keeps what lies behind the plane n . x <= offset.
    void cut(const glm::dvec3& n, double offset, const glm::dvec3& origin, const glm::dvec3& direction) {
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
inline RaySpan ball_span(const glm::dvec3& o, const glm::dvec3& d, const glm::dvec3& center, double radius) {
    const double along = glm::dot(center - o, d);
    const glm::dvec3 off = o + along * d - center;
    const double rest = radius * radius - glm::dot(off, off);
    if (rest < 0.0) return RaySpan::none();
    const double half = std::sqrt(rest);
    return {along - half, along + half, (o + (along - half) * d - center) / radius};
}

/// Where a ray first meets the convex set that its line is inside of within `span`.
inline std::optional<LocalRayHit> first_hit(const RaySpan& span, const LocalRay& ray) {
    if (span.empty() || span.leave < 0.0 || span.enter > ray.limit) return std::nullopt;
    if (span.enter >= 0.0) return LocalRayHit{span.enter, span.normal};
    if (ray.start == RayStart::passes) return std::nullopt;
    return LocalRayHit{0.0, -ray.direction, true};
}

/// Whether a ball that holds a shape is passed by; cheap, for the many that a ray does not meet.
inline bool misses_ball(const LocalRay& ray, const glm::dvec3& center, double radius) {
    const glm::dvec3 to = center - ray.origin;
    const double along = std::max(0.0, std::min(glm::dot(to, ray.direction), ray.limit));
    const glm::dvec3 off = to - along * ray.direction;
    return glm::dot(off, off) > radius * radius * 1.0001;  // a little more than the roundings of floats
}

}  // namespace proxima::physics
