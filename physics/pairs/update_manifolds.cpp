// SPDX-License-Identifier: MIT
// The stage that brings every pair's manifold up to date. A manifold belongs to its bodies: its frame turns with the one
// whose face touches, its anchors are fixed in both. While the two hardly move against each other it is kept as it is,
// however they move together; otherwise it is made anew, with the impulses of the contact points that are still there.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "physics/contact/material.h"
#include "physics/narrowphase/ghost_contacts.h"
#include "physics/pairs/pairs.h"
#include "physics/scale.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kPairsPerScan = 512;
constexpr uint32_t kPairsPerLook = 16;
// What moves faster than this gets a new manifold each step, so that a landing face finds all its corners.
constexpr float kReuseSpeed = 0.25f;  // m/s, of the fastest point, for bodies of a metre (scale.h)
// Relative motion, in radii of the smaller body, for which a manifold is kept: where clipped points are is known to
// that, and so is where a box tips. Round shapes have closed forms, and their normals turn quickly.
constexpr float kReusePart = 0.003f, kReusePartRound = 0.0001f;
constexpr float kMaxRadius = 1e4f;     // m, of what a pair is judged by
constexpr size_t kMaxNeighbours = 64;  // that are asked whether they hide a contact
constexpr float kHitPart = 0.03f;      // of the radius, in a step: what closes faster and touches is a hit
constexpr float kStrikePart = 0.1f;    // the same: contacts of what is behind are looked for
constexpr float kMatchPart = 0.06f;    // of the same, for contact points without an equal feature

bool is_round(const Shape& shape) { return shape_class(shape).round; }

/// What a pair's stages ask again and again.
struct PairView {
    const ColliderData& collider_a;
    const ColliderData& collider_b;
    const BodyTransform& a;
    const BodyTransform& b;
    float radius;          // of the smaller body that can move
    float relative_speed;  // bound on the speed of any point of one seen from the other
    bool is_round;         // one of the shapes
};

/// What the parallel passes read.
struct Input {
    const Bodies& bodies;
    const Colliders& colliders;
    const Joints& joints;
    const Pairs& pairs;
    const StepParams& params;
};

/// What pairs are judged by: the smaller radius of their colliders on bodies that can move. It is the collider's own: boxes of
/// the broadphase reach as far (colliders/update_boxes.cpp), and do not change when the body gets other colliders.
float measured_radius(const Bodies& bodies, const ColliderData& collider) {
    const bool fixed = bodies.data[collider.body].type == BodyType::fixed;
    return fixed ? kMaxRadius : std::min(collider.shape->bounding_radius, kMaxRadius);
}
Vec3 surface_velocity_of(const Collider& collider) {
    return collider.local.rotation * collider.material.surface_velocity;
}
void measure_colliders(const Bodies& bodies, const Colliders& colliders, Pairs& pairs) {
    if (pairs.measured_bodies == bodies.version && pairs.collider_radius.size() == colliders.size()) return;
    pairs.measured_bodies = bodies.version;
    pairs.collider_radius.resize(colliders.data.size());
    for (size_t i = 0; i < colliders.data.size(); ++i)
        pairs.collider_radius[i] = measured_radius(bodies, colliders.data[i]);
    pairs.surface_velocity.clear();
    if (colliders.moving_surface_count == 0) return;
    for (const Collider& collider : colliders.seen) pairs.surface_velocity.push_back(surface_velocity_of(collider));
}
float smaller_radius(const Pairs& pairs, const PairSlot& slot) {
    return std::min(pairs.collider_radius[slot.collider_a], pairs.collider_radius[slot.collider_b]);
}

PairView view_pair(const Input& in, const PairSlot& slot) {
    const Bodies& bodies = in.bodies;
    const ColliderData& ca = in.colliders.data[slot.collider_a];
    const ColliderData& cb = in.colliders.data[slot.collider_b];
    const BodyTransform& a = bodies.transform[slot.body_a];
    const BodyTransform& b = bodies.transform[slot.body_b];
    const BodyVelocity& va = bodies.velocity[slot.body_a];
    const BodyVelocity& vb = bodies.velocity[slot.body_b];
    const float radius = smaller_radius(in.pairs, slot);
    const float speed = glm::length(vb.linear - va.linear) + glm::length(vb.angular - va.angular) * radius;
    return {ca, cb, a, b, radius, speed, is_round(*ca.shape) || is_round(*cb.shape)};
}

/// Whether a collider is a ball about the centre of mass: its spin turns nothing that can be seen.
bool is_centred_ball(const ColliderData& collider, const BodyTransform& body) {
    constexpr float kCentred = 1e-5f;  // of the radius
    const Vec3 off = collider.world.position - body.center;
    const float most = kCentred * collider.shape->bounding_radius;
    return shape_class(*collider.shape).symmetry == ShapeSymmetry::point && glm::dot(off, off) <= most * most;
}

bool has_extended_friction(const PairView& v) {
    return v.collider_a.material.has_extended_friction || v.collider_b.material.has_extended_friction;
}

/// |sin(angle / 2)| between two rotations.
float sine_half_angle(const Quat& p, const Quat& q) {
    const Quat turned = glm::conjugate(p) * q;
    return std::sqrt(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z);
}

float reuse_tolerance(const StepParams& params, const PairView& v) {
    return std::min(params.settings.manifold_reuse_distance, (v.is_round ? kReusePartRound : kReusePart) * v.radius);
}

/// |sin(angle / 2)| of what b turned against a since the manifold was made.
float turned_since(const PairView& v, const Manifold& m) {
    return sine_half_angle(m.made_rotation, glm::conjugate(v.a.rotation) * v.b.rotation);
}

/// Whether a patch with more corners than points may need others: its load lies at the edge of those that it has.
bool is_loaded_at_edge(const Manifold& m) {
    if ((m.made & kReduced) == 0) return false;
    bool any = false, all = true;
    for (uint32_t i = 0; i < m.count; ++i) {
        any |= m.points[i].lambda.x > 0.0f;
        all &= m.points[i].lambda.x > 0.0f;
    }
    return any && !all;
}

/// How far the bodies may still move while the manifold stays as it is; negative: it may not.
float slack_of(const StepParams& params, const PairView& v, const Manifold& m) {
    if (!m.made || v.relative_speed > kReuseSpeed * speed_scale(v.radius)) return -1.0f;
    const Vec3 position = glm::conjugate(v.a.rotation) * (v.b.center - v.a.center);
    const float moved = glm::length(position - m.made_position) + 2.0f * turned_since(v, m) * v.radius;
    return reuse_tolerance(params, v) - moved;
}

/// What is left of a manifold that is made anew, with its frame where the bodies are now.
struct OldContact {
    uint32_t count;
    Vec3 tangent1, tangent2;
    Vec3 anchor_b[kMaxManifoldPoints], lambda[kMaxManifoldPoints], moment[kMaxManifoldPoints];
    uint32_t feature[kMaxManifoldPoints];

    OldContact(const PairView& v, const Manifold& m, const ExtendedFriction* extra) : count(m.count) {
        const Quat& turn = m.frame_on_b ? v.b.rotation : v.a.rotation;
        tangent1 = turn * m.frame_tangent;
        tangent2 = glm::cross(turn * m.frame_normal, tangent1);
        for (uint32_t i = 0; i < count; ++i) {
            const ManifoldPoint& p = m.points[i];
            moment[i] = extra && m.extended_friction ? extra->moment[i] : Vec3(0.0f);
            anchor_b[i] = p.anchor_b;
            lambda[i] = p.lambda;
            feature[i] = p.feature;
        }
    }
};

/// Calls take(new point, old point) for each new point that was there before: by feature, or else the nearest free one.
template <class Take>
void match_points(const OldContact& old, const Manifold& made, float near, const Take& take) {
    bool used[kMaxManifoldPoints] = {};
    bool matched[kMaxManifoldPoints] = {};
    const auto match = [&](uint32_t to, uint32_t from) {
        used[from] = matched[to] = true;
        take(to, from);
    };
    for (uint32_t i = 0; i < made.count; ++i)
        for (uint32_t k = 0; k < old.count && !matched[i]; ++k)
            if (!used[k] && old.feature[k] == made.points[i].feature) match(i, k);
    for (uint32_t i = 0; i < made.count; ++i) {
        if (matched[i]) continue;
        int best = -1;
        float nearest = near * near;
        for (uint32_t k = 0; k < old.count; ++k) {
            if (used[k]) continue;
            const Vec3 d = old.anchor_b[k] - made.points[i].anchor_b;
            if (glm::dot(d, d) < nearest) {
                nearest = glm::dot(d, d);
                best = int(k);
            }
        }
        if (best >= 0) match(i, uint32_t(best));
    }
}

/// What an impulse is in the new tangents; it is carried as a world vector.
Vec3 carry(const OldContact& old, const Manifold& made, const Vec3& l) {
    const Vec3 tangent = old.tangent1 * l.y + old.tangent2 * l.z;
    return Vec3(l.x, glm::dot(tangent, made.tangent1), glm::dot(tangent, made.tangent2));
}

/// Impulses of the old manifold to the new points.
void match_impulses(const OldContact& old, float near, Manifold& made, ExtendedFriction* extra) {
    for (uint32_t i = 0; i < made.count; ++i) {
        made.points[i].lambda = Vec3(0.0f);
        if (extra) extra->moment[i] = Vec3(0.0f);
    }
    match_points(old, made, near, [&](uint32_t to, uint32_t from) {
        made.points[to].lambda = carry(old, made, old.lambda[from]);
        if (extra) extra->moment[to] = carry(old, made, old.moment[from]);
    });
}

/// The whole load of the old manifold to the new points, each impulse to those near it: with weights 1/d^4 a
/// point that is still there gets nearly all of its own, and what was between two points stays between them.
/// A stack that is solved directly keeps its lines of thrust that way, and little is left to be found.
void spread_impulses(const OldContact& old, Manifold& made) {
    constexpr float kNear = 1e-6f;  // m2
    for (uint32_t i = 0; i < made.count; ++i) made.points[i].lambda = Vec3(0.0f);
    for (uint32_t k = 0; k < old.count && made.count > 0; ++k) {
        if (!(old.lambda[k].x > 0.0f)) continue;
        float weight[kMaxManifoldPoints], sum = 0.0f;
        for (uint32_t i = 0; i < made.count; ++i) {
            const Vec3 d = old.anchor_b[k] - made.points[i].anchor_b;
            const float squared = glm::dot(d, d) + kNear;
            sum += weight[i] = 1.0f / (squared * squared);
        }
        const Vec3 load = carry(old, made, old.lambda[k]);
        for (uint32_t i = 0; i < made.count; ++i) made.points[i].lambda += load * (weight[i] / sum);
    }
}

/// The margin within which points count: contacts that may close within the step take part with their gap. Beyond
/// a body's size the direction of a far contact says little, except with a half-space, so faster bodies rely on the next
/// step.
float contact_margin(const StepParams& params, const PairView& v) {
    const bool everywhere = shape_class(*v.collider_a.shape).unbounded || shape_class(*v.collider_b.shape).unbounded;
    const float most = everywhere ? kMaxRadius : v.is_round ? 2.0f * v.radius : v.radius;
    return params.settings.speculative_distance * length_scale(v.radius) + std::min(v.relative_speed * params.dt, most);
}

/// What became of a pair that was looked at.
enum Found : uint8_t {
    kSame = 0,
    kPointsChanged = 1,  // or the kind of its friction, or whether its surfaces move
    kPointsGone = 2,
    kSensorChanged = 4,  // it overlaps its sensor now, or does so no longer
    kWantsManifold = 3,  // has contact and no manifold yet, or none with the friction that it needs: it comes again
};

/// Friction of two surfaces of which one has a grain, torsional or rolling friction; the tangents follow the grain.
void make_extended_friction(const Input& in, const PairSlot& slot, const PairView& v, Manifold& m,
                            ExtendedFriction& out) {
    const auto surface = [&](uint32_t collider, const ColliderData& data) {
        const Material& material = in.colliders.seen[collider].material;
        return GrainySurface{material, data.world.rotation * material.friction_direction};
    };
    const CombinedFriction friction = combine_all_friction(
        surface(slot.collider_a, v.collider_a), surface(slot.collider_b, v.collider_b), m.normal, m.tangent1);
    m.tangent2 = glm::cross(m.normal, m.tangent1);
    m.friction = friction.along;
    m.extended_friction = !friction.is_plain();
    out.across = friction.across;
    out.torsion_radius = friction.torsion_radius;
    out.rolling_radius = friction.rolling_radius;
}

/// Bits of Manifold::moving_surfaces: what moves straight towards the other surface, or away, is no motion along itself.
uint8_t find_moving_surfaces(const Input& in, const PairSlot& slot, const PairView& v, const Vec3& normal) {
    constexpr float kAlong = 1e-5f;  // of the velocity: more than rounding
    const auto moves = [&](uint32_t collider, const ColliderData& data) {
        if (!data.material.surface_moves) return false;
        const Vec3 velocity = in.bodies.transform[data.body].rotation * in.pairs.surface_velocity[collider];
        return glm::length(velocity - normal * glm::dot(normal, velocity)) > kAlong * glm::length(velocity);
    };
    return uint8_t(moves(slot.collider_a, v.collider_a) | moves(slot.collider_b, v.collider_b) << 1);
}

/// The geometry of a manifold from what the narrowphase found; its world frame is made already.
void fill_manifold(const PairView& v, const RawManifold& raw, Manifold& m) {
    const Quat inverse_a = glm::conjugate(v.a.rotation), inverse_b = glm::conjugate(v.b.rotation);
    m.made_position = inverse_a * (v.b.center - v.a.center);
    m.made_rotation = inverse_a * v.b.rotation;
    m.frame_on_b = raw.frame_on_b;
    m.rolls = uint8_t(is_round(*v.collider_a.shape) | is_round(*v.collider_b.shape) << 1);
    const int balls = int(is_centred_ball(v.collider_a, v.a)) + int(is_centred_ball(v.collider_b, v.b));
    if (balls == 2) m.rolls |= kBalls;
    if (balls == 1 && raw.aside != Vec3(0.0f)) m.rolls |= kBallMeets;
    const Quat& inverse_frame = raw.frame_on_b ? inverse_b : inverse_a;
    m.frame_normal = inverse_frame * m.normal;
    m.frame_tangent = inverse_frame * m.tangent1;
    m.count = uint32_t(raw.count);
    for (int i = 0; i < raw.count; ++i) {
        const RawPoint& from = raw.points[i];
        ManifoldPoint& to = m.points[i];
        to.point = from.point;
        const Vec3 half = 0.5f * (from.separation * m.normal + raw.aside);
        to.anchor_a = inverse_a * (from.point - half - v.a.center);
        to.anchor_b = inverse_b * (from.point + half - v.b.center);
        to.separation = from.separation;
        to.feature = from.feature;
    }
}

/// Takes out the contacts with an immovable collider that others, which cannot move relative to it, hide; false when
/// none is left.
bool remove_ghost_contacts(const Input& in, const PairView& v, const PairSlot& slot, const Transform& world_a,
                           const Transform& world_b, float margin, RawManifold& raw) {
    const ImmovableNeighbours& neighbours = in.pairs.immovable_neighbours;
    const bool solid_is_b = neighbours.immovable[slot.collider_b] != 0;
    if (solid_is_b == (neighbours.immovable[slot.collider_a] != 0)) return true;
    const std::span<const uint32_t> near = neighbours.of(solid_is_b ? slot.collider_a : slot.collider_b);
    if (near.size() < 2) return true;
    const Broadphase& broadphase = in.colliders.broadphase;
    const ColliderData& mover = solid_is_b ? v.collider_a : v.collider_b;
    const ColliderData& solid = solid_is_b ? v.collider_b : v.collider_a;
    const bool fixed = in.bodies.data[solid.body].type == BodyType::fixed;
    PlacedShape around[kMaxNeighbours];
    size_t count = 0;
    for (const uint32_t k : near) {
        const ColliderData& other = in.colliders.data[k];
        if (&other == &solid || count == kMaxNeighbours) continue;
        if (other.body != solid.body && !(fixed && in.bodies.data[other.body].type == BodyType::fixed)) continue;
        if (!overlaps(broadphase.box(other.proxy), broadphase.box(solid.proxy))) continue;
        if (in.joints.connects(mover.body, other.body)) continue;
        around[count++] = {other.shape, &other.world};
    }
    if (count == 0) return true;
    return remove_ghost_contacts({mover.shape, solid_is_b ? &world_a : &world_b},
                                 {solid.shape, solid_is_b ? &world_b : &world_a}, solid_is_b, std::span(around, count),
                                 margin, raw);
}

/// How far b moves along a, as the last manifold has its surface, until the middle of the step: there contacts of what slides
/// over an edge are looked for. Corners stay where they are on their body, but a point that clipping makes on an edge of the
/// face below stays on that edge while the body slides on, and a manifold takes it along for a step. Zero of what hardly
/// moves, and of what had no such points.
Vec3 slide_to_mid_step(const Input& in, const PairView& v, const PairSlot& slot) {
    constexpr float kMinPart = 1e-4f, kMaxPart = 0.1f;  // of the radius
    const Vec3 none(0.0f);
    if (v.is_round || slot.manifold == kNone) return none;
    if (shape_class(*v.collider_a.shape).unbounded || shape_class(*v.collider_b.shape).unbounded) return none;
    const float half = 0.5f * in.params.dt;
    if (v.relative_speed * half < kMinPart * v.radius) return none;
    const Manifold& m = in.pairs.manifolds[slot.manifold];
    if (!m.made) return none;
    bool any_on_side = false;
    for (uint32_t i = 0; i < m.count; ++i) any_on_side |= is_on_side(m.points[i].feature);
    if (!any_on_side) return none;
    Vec3 middle(0.0f);
    for (uint32_t i = 0; i < m.count; ++i) middle += v.b.rotation * m.points[i].anchor_b / float(m.count);
    const BodyVelocity &va = in.bodies.velocity[slot.body_a], &vb = in.bodies.velocity[slot.body_b];
    const Vec3 u = vb.linear - va.linear + glm::cross(vb.angular, middle) -
                   glm::cross(va.angular, v.b.center - v.a.center + middle);
    const Vec3 normal = (m.frame_on_b ? v.b.rotation : v.a.rotation) * m.frame_normal;
    const Vec3 slide = half * (u - normal * glm::dot(normal, u));
    const float length = glm::length(slide);
    if (!(length >= kMinPart * v.radius)) return none;
    return slide * std::min(1.0f, kMaxPart * v.radius / length);
}

/// How b's place of contact moves against a's in the coming step. What is round moves with its core, whatever its spin.
Vec3 way_of_cores(const Input& in, const PairView& v, const PairSlot& slot, const RawPoint& p) {
    const BodyVelocity &va = in.bodies.velocity[slot.body_a], &vb = in.bodies.velocity[slot.body_b];
    const Vec3 a = va.linear + glm::cross(va.angular, p.core_a - v.a.center),
               b = vb.linear + glm::cross(vb.angular, p.core_b - v.b.center);
    // What falls onto something that does not fall comes half of the step's gravity faster, in the mean.
    const auto falls = [&](uint32_t body) {
        return in.bodies.dynamic[body] ? in.bodies.data[body].gravity_scale : 0.0f;
    };
    const Vec3 fall = 0.5f * in.params.dt * (falls(slot.body_b) - falls(slot.body_a)) * in.params.settings.gravity;
    return in.params.dt * (b - a + fall);
}

int nearest_point(const RawManifold& raw) {
    int nearest = 0;
    for (int i = 1; i < raw.count; ++i)
        if (raw.points[i].separation < raw.points[nearest].separation) nearest = i;
    return nearest;
}

/// What a ball meets within the step, in another direction than the one in which it sees it now: the contact as it is when they
/// touch, or when they are nearest to each other, told where the bodies are now. Taken as they see each other now, two balls
/// that meet obliquely would part in a wrong direction, and one that passes by an edge would hit a plane in the air. `find` fills contacts with b moved; the distance of convex shapes that do not turn is a convex function of
/// that motion, which Newton's method goes down without ever going too far while there is contact ahead.
template <class Find>
void move_to_impact(const PairView& v, const Vec3& way, const Find& find, RawManifold& raw) {
    constexpr float kMinAside = 1e-4f, kClosed = 1e-4f;  // of the radius
    constexpr int kTries = 6;
    constexpr float kParallel = 1e-3f;  // sine between way and surface
    const float length = glm::length(way);
    float gap = raw.points[nearest_point(raw)].separation, closing = -glm::dot(raw.normal, way);
    if (!(gap > 0.0f) || !(closing > gap)) return;
    const Vec3 across = way + raw.normal * closing;
    if (glm::length(across) * gap < kMinAside * v.radius * closing) return;  // what is left to go is along the normal
    float time = 0.0f, beyond = 1.0f;                                        // in steps
    bool passes = false;  // `beyond` is after the time when they are nearest
    RawManifold found = raw;
    for (int i = 0; i < kTries; ++i) {
        const float next = passes ? 0.5f * (time + beyond) : std::min(time + gap / closing, beyond);
        RawManifold then{.motion = raw.motion};
        if (!find(next * way, then)) return;  // rounding at the margin
        if (then.count == 0) {                // hidden by a neighbour
            raw.count = 0;
            return;
        }
        const float closing_then = -glm::dot(then.normal, way);
        if (closing_then < -kParallel * length) {
            passes = true;
            beyond = next;
            continue;
        }
        time = next;
        found = then;
        gap = found.points[nearest_point(found)].separation;
        closing = closing_then;
        if (gap < kClosed * v.radius || closing <= kParallel * length || time == 1.0f) break;
    }
    raw = found;
    raw.aside = -time * (way + raw.normal * closing);
    for (int i = 0; i < raw.count; ++i) {
        RawPoint& p = raw.points[i];
        const Vec3 on_a = p.point - 0.5f * p.separation * raw.normal;
        p.separation += time * closing;
        p.core_b -= time * way;
        p.point = on_a + 0.5f * (p.separation * raw.normal + raw.aside);
    }
}

/// The contacts of a pair as they are in the middle of the step, or when it meets, told where the bodies are now; false when
/// there are none.
bool find_contacts(const Input& in, const PairView& v, PairSlot& slot, float margin, RawManifold& raw, bool& near) {
    constexpr float kSameNormal = 0.9999f;
    const Vec3 slide = slide_to_mid_step(in, v, slot);
    const auto find = [&](const Transform& world_a, const Transform& world_b) {
        near = collide(*v.collider_a.shape, world_a, *v.collider_b.shape, world_b, margin, raw, &slot.cache);
        return near && remove_ghost_contacts(in, v, slot, world_a, world_b, margin, raw);
    };
    // What cannot move stays, with what lies around it.
    const bool moves_b = in.pairs.immovable_neighbours.immovable[slot.collider_b] == 0;
    if (slide == Vec3(0.0f)) {
        if (!find(v.collider_a.world, v.collider_b.world)) return false;
        const bool has_one_normal =
            shape_class(*v.collider_a.shape).unbounded || shape_class(*v.collider_b.shape).unbounded;
        if (has_one_normal || !(is_centred_ball(v.collider_a, v.a) || is_centred_ball(v.collider_b, v.b))) return true;
        const auto find_moved = [&](const Vec3& way, RawManifold& then) {
            Transform world_a = v.collider_a.world, world_b = v.collider_b.world;
            if (moves_b)
                world_b.position += way;
            else
                world_a.position -= way;
            if (!collide(*v.collider_a.shape, world_a, *v.collider_b.shape, world_b, margin, then)) return false;
            if (!remove_ghost_contacts(in, v, slot, world_a, world_b, margin, then)) then.count = 0;
            for (int i = 0; i < then.count && !moves_b; ++i) {
                RawPoint& p = then.points[i];
                p.point += way;
                p.core_a += way;
                p.core_b += way;
            }
            return true;
        };
        move_to_impact(v, way_of_cores(in, v, slot, raw.points[nearest_point(raw)]), find_moved, raw);
        return raw.count > 0;
    }
    Transform world = moves_b ? v.collider_b.world : v.collider_a.world;
    world.position += moves_b ? slide : -slide;
    const bool found = moves_b ? find(v.collider_a.world, world) : find(world, v.collider_b.world);
    const Manifold& m = in.pairs.manifolds[slot.manifold];
    const Vec3 normal = (m.frame_on_b ? v.b.rotation : v.a.rotation) * m.frame_normal;
    // Another face, or none: only along this one is it known where they will be.
    if (!found || glm::dot(raw.normal, normal) < kSameNormal) {
        raw = RawManifold{.motion = raw.motion, .has_load = raw.has_load, .load_at = raw.load_at};
        return find(v.collider_a.world, v.collider_b.world);
    }
    const bool corners_of_b = !raw.frame_on_b;
    const Vec3 back = corners_of_b != moves_b ? Vec3(0.0f) : moves_b ? -slide : slide;
    const float nearer = glm::dot(raw.normal, slide);
    for (int i = 0; i < raw.count; ++i) {
        RawPoint& p = raw.points[i];
        p.point += back;
        p.core_a += back;
        p.core_b += back;
        p.separation -= nearer;
        p.base_gap -= nearer;
    }
    return true;
}

/// How b will move against a in the coming step, by the velocities at its start.
ComingMotion coming_motion(const Input& in, const PairView& v, const PairSlot& slot) {
    const BodyVelocity &va = in.bodies.velocity[slot.body_a], &vb = in.bodies.velocity[slot.body_b];
    const float dt = in.params.dt;
    return {dt * (vb.linear - va.linear + glm::cross(vb.angular, v.a.center - v.b.center)),
            dt * (vb.angular - va.angular), v.a.center};
}

/// Where the load of a manifold acted, for the choice among the corners of its patch.
void tell_load(const PairView& v, const Manifold& m, RawManifold& raw) {
    float sum = 0.0f;
    Vec3 at(0.0f);
    for (uint32_t i = 0; i < m.count; ++i) {
        const float load = std::max(m.points[i].lambda.x, 0.0f);
        sum += load;
        at += load * m.points[i].anchor_b;
    }
    raw.has_load = sum > 0.0f;
    if (raw.has_load) raw.load_at = v.b.center + v.b.rotation * (at / sum);
}

bool has_same_points(const RawManifold& raw, const Manifold& m) {
    bool same = uint32_t(raw.count) == m.count && raw.frame_on_b == (m.frame_on_b != 0);
    for (uint32_t i = 0; i < m.count && same; ++i) same = raw.points[i].feature == m.points[i].feature;
    return same;
}

/// Whether a contact of a one-way surface lets its bodies through. They stand on the side that it points to, and stay there
/// while they have contact. Whoever overlaps it and did not come from there is on the way through, until it is out again,
/// however slow it is and whichever way it turns. What came from there so fast that it overlaps at the first sight did come
/// from there.
bool goes_through(const Input& in, const PairView& v, PairSlot& slot, const RawManifold& raw) {
    constexpr float kMinCosine = 0.25f;  // between contact and direction: flatter is the side of the surface
    const RawPoint& point = raw.points[nearest_point(raw)];
    if (slot.rules & kPassing) {
        if (point.separation < 0.0f) return true;
        slot.rules &= uint8_t(~kPassing);
    } else if (slot.manifold != kNone) {
        return false;
    }
    bool stands = true;
    const auto look = [&](uint32_t collider, const ColliderData& data, const Vec3& normal) {
        const Vec3 up = data.world.rotation * in.pairs.rules.of(collider)->one_way;
        stands = stands && glm::dot(up, normal) > kMinCosine * glm::length(up);
    };
    if (slot.rules & kOneWayA) look(slot.collider_a, v.collider_a, raw.normal);
    if (slot.rules & kOneWayB) look(slot.collider_b, v.collider_b, -raw.normal);
    const BodyVelocity &va = in.bodies.velocity[slot.body_a], &vb = in.bodies.velocity[slot.body_b];
    const Vec3 motion = vb.linear - va.linear + glm::cross(vb.angular, point.point - v.b.center) -
                        glm::cross(va.angular, point.point - v.a.center);
    const float came = std::max(-glm::dot(raw.normal, motion), 0.0f) * in.params.dt,
                slop = in.params.settings.speculative_distance * length_scale(v.radius);
    if (stands && point.separation + came >= -slop) return false;
    if (point.separation < 0.0f) slot.rules |= kPassing;
    return true;
}

/// Generates the contacts of a pair. `keeps`: not if they are those that it has.
Found make_manifold(const Input& in, const PairView& v, PairSlot& slot, Pairs& pairs, bool keeps = false) {
    RawManifold raw;
    // A body that takes no part in steps may have its centre of mass where no contact can be expressed.
    const Vec3 between = v.b.center - v.a.center;
    const bool in_range = std::isfinite(glm::dot(between, between));
    const float margin = contact_margin(in.params, v);
    bool near = false;
    raw.motion = coming_motion(in, v, slot);
    // What rolls faster is loaded elsewhere a step later.
    const bool stays = v.relative_speed <= kReuseSpeed * speed_scale(v.radius);
    if (slot.manifold != kNone && !v.is_round && stays) tell_load(v, pairs.manifolds[slot.manifold], raw);
    if (!in_range || !find_contacts(in, v, slot, margin, raw, near)) {
        slot.slack = near ? 0.0f : raw.distance;  // what is hidden now may be touched after the next motion
        slot.rules &= uint8_t(~kPassing);
        return slot.manifold != kNone ? kPointsGone : kSame;
    }
    if (is_one_way(slot.rules) && goes_through(in, v, slot, raw)) {
        slot.slack = -1.0f;
        return slot.manifold != kNone ? kPointsGone : kSame;
    }
    if (slot.manifold == kNone) return kWantsManifold;
    const bool extended_surfaces = has_extended_friction(v);
    ExtendedFriction* extended = extended_surfaces ? pairs.manifolds.extended(slot.manifold) : nullptr;
    if (extended_surfaces && !extended) return kWantsManifold;
    Manifold& m = pairs.manifolds[slot.manifold];
    if (keeps && has_same_points(raw, m)) return kSame;
    for (const uint32_t body : {slot.body_a, slot.body_b})
        std::atomic_ref<uint8_t>(pairs.rebuilt_of_body[body]).store(1, std::memory_order_relaxed);
    const uint32_t points_before = m.count;
    const bool extended_before = m.extended_friction != 0;
    const uint8_t moving_before = m.moving_surfaces;
    const OldContact old(v, m, extended);
    m.made = uint8_t(raw.is_reduced ? kMade | kReduced : kMade);
    slot.reduced = raw.is_reduced;
    m.friction = combine_friction(v.collider_a.material, v.collider_b.material);
    m.restitution = combine_restitution(v.collider_a.material, v.collider_b.material);
    m.extended_friction = 0;
    m.normal = raw.normal;
    make_tangents(m.normal, m.tangent1, m.tangent2);
    if (extended_surfaces) make_extended_friction(in, slot, v, m, *extended);
    m.moving_surfaces = find_moving_surfaces(in, slot, v, m.normal);
    fill_manifold(v, raw, m);
    const bool direct =
        in.bodies.history[slot.body_a].direct_steps > 0 || in.bodies.history[slot.body_b].direct_steps > 0;
    if (direct)
        spread_impulses(old, m);
    else
        match_impulses(old, kMatchPart * v.radius, m, extended);
    slot.slack = reuse_tolerance(in.params, v);
    const bool same =
        points_before == m.count && extended_before == (m.extended_friction != 0) && moving_before == m.moving_surfaces;
    return same ? kSame : kPointsChanged;
}

/// Whether a collider overlaps a sensor, where both stand at the start of the step. How far they are apart, or that they
/// overlap, holds until one of them moves.
Found look_into_sensor(const PairView& v, PairSlot& slot) {
    float distance = 0.0f;
    const bool inside = overlap(*v.collider_a.shape, v.collider_a.world, *v.collider_b.shape, v.collider_b.world,
                                distance, &slot.cache);
    slot.slack = distance;
    if (inside == (slot.touching != 0)) return kSame;
    slot.touching = inside;
    return kSensorChanged;
}

/// Asks early for what looking at a queued pair reads: bodies, colliders and manifolds lie anywhere in memory.
void prefetch_pair([[maybe_unused]] const Input& in, [[maybe_unused]] size_t k) {
#if defined(__GNUC__)
    constexpr size_t kSlotAhead = 8, kMembersAhead = 4;
    const std::vector<uint32_t>& queue = in.pairs.narrowphase_queue;
    if (k + kSlotAhead < queue.size()) __builtin_prefetch(&in.pairs.slots[queue[k + kSlotAhead]]);
    if (k + kMembersAhead >= queue.size()) return;
    const PairSlot& slot = in.pairs.slots[queue[k + kMembersAhead]];
    for (const uint32_t body : {slot.body_a, slot.body_b}) {
        __builtin_prefetch(&in.bodies.transform[body]);
        __builtin_prefetch(&in.bodies.velocity[body]);
    }
    for (const uint32_t collider : {slot.collider_a, slot.collider_b}) {
        const char* data = reinterpret_cast<const char*>(&in.colliders.data[collider]);
        __builtin_prefetch(data);
        __builtin_prefetch(data + 64);
    }
    if (slot.manifold == kNone) return;
    // The manifolds of polytopes have up to four points.
    const char* manifold = reinterpret_cast<const char*>(&in.pairs.manifolds[slot.manifold]);
    const size_t bytes = slot.cache.kind == SatCache::none ? offsetof(Manifold, points[1]) : sizeof(Manifold);
    for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(manifold + at);
#endif
}

/// Takes what bodies moved in the last step from what pairs allow, and lists those that may have changed, in
/// the order of the table.
void queue_pairs(Bodies& bodies, const Joints& joints, const StepParams& params, Pairs& pairs, engine::Jobs& jobs) {
    const uint32_t n = uint32_t(pairs.slots.size());
    pairs.pick(jobs, n, kPairsPerScan, pairs.narrowphase_queue, [&](uint32_t k, uint32_t& picked) {
        PairSlot& slot = pairs.slots[k];
        if (slot.is_free()) return false;
        const uint32_t a = slot.body_a, b = slot.body_b;
        slot.slack -= bodies.unseen_displacement[a] + bodies.unseen_displacement[b];
        picked = k;
        if (has_no_contacts(slot.rules)) {
            if (slot.manifold != kNone) return true;  // once more, to lose it
            return is_sensor_pair(slot.rules) && (slot.slack < 0.0f || bodies.teleported[a] || bodies.teleported[b]);
        }
        if (joints.connects(a, b)) return slot.manifold != kNone;  // once more, to lose it
        if (bodies.teleported[a] || bodies.teleported[b]) return true;
        if (!bodies.awake[a] && !bodies.awake[b]) return false;
        if (slot.rules & kModifiable) return true;
        const float speed = bodies.speed[a] + bodies.speed[b], radius = smaller_radius(pairs, slot);
        const bool stays =
            slot.manifold != kNone
                ? slot.slack > 0.0f && speed <= kReuseSpeed * speed_scale(radius) &&
                      !(slot.reduced && is_loaded_at_edge(pairs.manifolds[slot.manifold]))
                : slot.slack > params.settings.speculative_distance * length_scale(radius) + speed * params.dt;
        return !stays;
    });
    bodies.unseen_displacement.assign(bodies.size(), 0.0f);
}

float least_separation(const Manifold& m) {
    float least = m.points[0].separation;
    for (uint32_t i = 1; i < m.count; ++i) least = std::min(least, m.points[i].separation);
    return least;
}

/// By how much a pair that hits within the step changes its velocity, m/s; 0 of any other.
float hit_of(const StepParams& params, const Bodies& bodies, const PairSlot& slot, const PairView& v,
             const Manifold& m) {
    const BodyVelocity &va = bodies.velocity[slot.body_a], &vb = bodies.velocity[slot.body_b];
    const float closing = glm::dot(m.normal, va.linear - vb.linear) + glm::length(vb.angular - va.angular) * v.radius;
    const float way = closing * params.dt;
    return way > kHitPart * v.radius && way > least_separation(m) ? closing * (1.0f + m.restitution) : 0.0f;
}

/// A body that is struck takes the hardest strike for all of them.
void strike(const Bodies& bodies, const PairSlot& slot, const Vec3& normal, float speed, std::vector<Vec3>& change) {
    const auto give = [&](uint32_t body, const Vec3& by) {
        if (bodies.dynamic[body] && glm::dot(by, by) > glm::dot(change[body], change[body])) change[body] = by;
    };
    give(slot.body_a, -speed * normal);
    give(slot.body_b, speed * normal);
}

void add_manifold(const Input& in, uint32_t index, Pairs& pairs) {
    const PairSlot& slot = pairs.slots[index];
    if (slot.manifold == kNone) pairs.add_manifold(index);
    if (has_extended_friction(view_pair(in, slot))) pairs.manifolds.make_extended(slot.manifold);
}

/// Manifolds for the queued pairs that want one; whether there are any.
bool add_manifolds(const Input& in, Pairs& pairs) {
    bool any_new = false;
    for (uint32_t k = 0; k < pairs.narrowphase_queue.size(); ++k) {
        if (pairs.narrowphase_result[k] != kWantsManifold) continue;
        add_manifold(in, pairs.narrowphase_queue[k], pairs);
        any_new = true;
    }
    return any_new;
}

/// Those of pairs that came apart; and the news of sensors.
void remove_manifolds(Bodies& bodies, Pairs& pairs) {
    for (uint32_t k = 0; k < pairs.narrowphase_queue.size(); ++k) {
        if (pairs.narrowphase_result[k] == kPointsGone) lose_contact(bodies, pairs, pairs.narrowphase_queue[k]);
        if (pairs.narrowphase_result[k] == kSensorChanged) pairs.sensor_changes.push_back(pairs.narrowphase_queue[k]);
    }
}

/// Contacts of what follows a body that is struck in this step. Margins go by relative speeds at its start, of which boxes that
/// fall onto the floor one above the other have none: without this each of them would fall into the one below for a step.
/// From what strikes to what follows it, and on to what follows that.
void look_behind_strikes(const Input& in, Pairs& pairs, engine::Jobs& jobs) {
    constexpr uint32_t kMaxRounds = 16;
    const std::vector<uint32_t>& queue = pairs.narrowphase_queue;
    std::vector<uint8_t>& result = pairs.narrowphase_result;
    std::vector<uint32_t>& behind = pairs.behind_strikes;
    std::vector<Vec3>& change = pairs.velocity_change;
    bool any = false;
    for (uint32_t k = 0; k < queue.size(); ++k) {
        if (!(pairs.hit_speed[k] > 0.0f)) continue;
        const PairSlot& slot = pairs.slots[queue[k]];
        pairs.hit_of_body[slot.body_a] = pairs.hit_of_body[slot.body_b] = 1;
        const Manifold& m = pairs.manifolds[slot.manifold];
        const float closing = pairs.hit_speed[k] / (1.0f + m.restitution);
        if (!(closing * in.params.dt > kStrikePart * smaller_radius(pairs, slot))) continue;
        if (!any) change.assign(in.bodies.size(), Vec3(0.0f));
        any = true;
        strike(in.bodies, slot, m.normal, pairs.hit_speed[k], change);
    }
    // How fast its bodies come together, the strikes done.
    const auto closing = [&](const PairSlot& slot) {
        const uint32_t a = slot.body_a, b = slot.body_b;
        if (change[a] == Vec3(0.0f) && change[b] == Vec3(0.0f)) return 0.0f;
        const Vec3 between = in.bodies.transform[b].center - in.bodies.transform[a].center;
        const Vec3 apart = in.bodies.velocity[b].linear + change[b] - in.bodies.velocity[a].linear - change[a];
        const float distance = glm::length(between);
        return distance > 0.0f ? std::max(-glm::dot(apart, between) / distance, 0.0f) : glm::length(apart);
    };
    const auto struck_view = [&](const PairSlot& slot) {
        PairView v = view_pair(in, slot);
        v.relative_speed = std::max(v.relative_speed, closing(slot));
        return v;
    };
    // A pair that came apart but for the strikes keeps its manifold, loads and colour.
    const auto has_contact = [&](uint32_t k) {
        return pairs.slots[queue[k]].manifold != kNone && result[k] != kPointsGone;
    };
    std::vector<uint32_t>& apart = pairs.without_contact;
    apart.clear();
    for (uint32_t k = 0; any && k < queue.size(); ++k)
        if (!has_contact(k) && !has_no_contacts(pairs.slots[queue[k]].rules)) apart.push_back(k);
    for (uint32_t round = 0; any && round < kMaxRounds; ++round) {
        behind.clear();
        for (const uint32_t k : apart) {
            const PairSlot& slot = pairs.slots[queue[k]];
            if (has_contact(k) || !(closing(slot) > 0.0f)) continue;
            if (slot.slack < contact_margin(in.params, struck_view(slot)) &&
                !in.joints.connects(slot.body_a, slot.body_b))
                behind.push_back(k);
        }
        if (behind.empty()) return;
        const auto look = [&](bool again) {
            jobs.parallel_for(uint32_t(behind.size()), kPairsPerLook, [&](const engine::JobBlock& block) {
                for (uint32_t i = block.begin; i < block.end; ++i) {
                    if (again && result[behind[i]] != kWantsManifold) continue;
                    PairSlot& slot = pairs.slots[queue[behind[i]]];
                    result[behind[i]] = make_manifold(in, struck_view(slot), slot, pairs);
                }
            });
        };
        look(false);
        for (const uint32_t k : behind)
            if (result[k] == kWantsManifold) add_manifold(in, queue[k], pairs);
        look(true);
        any = false;
        for (const uint32_t k : behind) {
            if (!has_contact(k)) continue;
            any = true;
            const PairSlot& slot = pairs.slots[queue[k]];
            const float speed = closing(slot);
            const Manifold& m = pairs.manifolds[slot.manifold];
            if (!(speed * in.params.dt > least_separation(m))) continue;
            pairs.hit_of_body[slot.body_a] = pairs.hit_of_body[slot.body_b] = 1;
            strike(in.bodies, slot, m.normal, speed, change);
        }
    }
}

/// A body of several colliders goes through a one-way surface as a whole.
void let_bodies_through(Bodies& bodies, Pairs& pairs) {
    std::vector<uint64_t>& passing = pairs.rules.passing;
    passing.clear();
    const auto key_of = [](const PairSlot& slot) {
        return slot.rules & kOneWayA ? uint64_t(slot.body_b) << 32 | slot.collider_a
                                     : uint64_t(slot.body_a) << 32 | slot.collider_b;
    };
    for (const PairSlot& slot : pairs.slots)
        if (!slot.is_free() && is_one_way(slot.rules) && (slot.rules & kPassing)) passing.push_back(key_of(slot));
    if (passing.empty()) return;
    std::sort(passing.begin(), passing.end());
    for (uint32_t k = 0; k < pairs.slots.size(); ++k) {
        PairSlot& slot = pairs.slots[k];
        if (slot.is_free() || !is_one_way(slot.rules) || slot.manifold == kNone) continue;
        if (!std::binary_search(passing.begin(), passing.end(), key_of(slot))) continue;
        lose_contact(bodies, pairs, k);
        slot.slack = -1.0f;
    }
}

}  // namespace

void lose_contact(Bodies& bodies, Pairs& pairs, uint32_t index) {
    PairSlot& slot = pairs.slots[index];
    while (slot.manifold != kNone) pairs.remove_manifold(index, slot.manifold);
    if (!slot.touching) return;
    pairs.lost_touch.push_back(index);
    for (const uint32_t body : {slot.body_a, slot.body_b})
        if (!bodies.awake[body]) bodies.wake(body);
}

void remeasure_collider(const Bodies& bodies, const Colliders& colliders, uint32_t k, Pairs& pairs) {
    if (pairs.measured_bodies != bodies.version || pairs.collider_radius.size() != colliders.size()) return;
    pairs.collider_radius[k] = measured_radius(bodies, colliders.data[k]);
    if (pairs.surface_velocity.empty() != (colliders.moving_surface_count == 0))
        pairs.measured_bodies = ~uint64_t(0);  // all of them, or none
    else if (!pairs.surface_velocity.empty())
        pairs.surface_velocity[k] = surface_velocity_of(colliders.seen[k]);
}

void update_manifolds(Bodies& bodies, const Colliders& colliders, const Joints& joints, const StepParams& params,
                      Pairs& pairs, const StepTools& tools) {
    const StageScope scope(tools, Stage::update_manifolds);
    const Input in{bodies, colliders, joints, pairs, params};
    measure_colliders(bodies, colliders, pairs);
    pairs.immovable_neighbours.update(bodies, colliders, pairs.slots);
    pairs.rebuilt_of_body.assign(bodies.size(), 0);
    pairs.hit_of_body.assign(bodies.size(), 0);
    queue_pairs(bodies, joints, params, pairs, tools.jobs);
    std::vector<uint32_t>& queue = pairs.narrowphase_queue;
    std::vector<uint8_t>& result = pairs.narrowphase_result;
    result.resize(queue.size());
    pairs.hit_speed.assign(queue.size(), 0.0f);
    const auto look = [&](bool again) {
        tools.jobs.parallel_for(uint32_t(queue.size()), kPairsPerLook, [&](const engine::JobBlock& block) {
            for (uint32_t k = block.begin; k < block.end; ++k) {
                if (again && result[k] != kWantsManifold) continue;
                prefetch_pair(in, k);
                PairSlot& slot = pairs.slots[queue[k]];
                const PairView view = view_pair(in, slot);
                if (has_no_contacts(slot.rules)) {
                    result[k] = slot.manifold != kNone ? kPointsGone : look_into_sensor(view, slot);
                    continue;
                }
                if (joints.connects(slot.body_a, slot.body_b)) {
                    result[k] = kPointsGone;
                    continue;
                }
                if (!again && slot.manifold != kNone) {
                    slot.slack = slack_of(params, view, pairs.manifolds[slot.manifold]);
                    result[k] = kSame;
                    // What a modifier may have changed is told to it anew.
                    const bool keeps = !(slot.rules & kModifiable);
                    if (keeps && slot.slack > 0.0f && !is_loaded_at_edge(pairs.manifolds[slot.manifold])) continue;
                }
                result[k] = make_manifold(in, view, slot, pairs,
                                          slot.manifold != kNone && slot.slack > 0.0f && !(slot.rules & kModifiable));
                if (result[k] <= kPointsChanged && slot.manifold != kNone)
                    pairs.hit_speed[k] = hit_of(params, bodies, slot, view, pairs.manifolds[slot.manifold]);
            }
        });
    };
    look(false);
    if (add_manifolds(in, pairs)) look(true);
    look_behind_strikes(in, pairs, tools.jobs);
    remove_manifolds(bodies, pairs);
    if (pairs.rules.any_one_way) let_bodies_through(bodies, pairs);
    pairs.changed.clear();
    for (uint32_t k = 0; k < queue.size(); ++k)
        if (result[k] == kPointsChanged && pairs.slots[queue[k]].manifold != kNone)
            pairs.changed.push_back(pairs.slots[queue[k]].manifold);
    pairs.version += !pairs.changed.empty();
}

}  // namespace proxima::physics
