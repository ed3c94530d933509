// SPDX-License-Identifier: MIT
// The stage that brings every pair's manifold up to date: kept frozen while the pair hardly moves, otherwise
// made anew, with the impulses of the contact points that it still recognises.
#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kPairsPerBlock = 64;
// A frozen frame may also not be used when either body turned, because its directions are fixed in the world.
constexpr float kReuseCosineHalfAngle = 0.99619470f;  // cos(10 deg / 2)
// Frozen frames are for bodies at rest: what moves faster than this gets a new manifold each step, so that a
// landing face finds all its corners.
constexpr float kReuseSpeed = 0.25f;  // m/s, of the fastest point
constexpr float kReusePartOfSize =
    0.06f;  // of the smaller body's radius: tolerances shrink with small bodies
constexpr float kReuseDistanceRound =
    0.001f;                              // m; round shapes have closed forms, and their normals turn quickly
constexpr float kMatchDistance = 0.05f;  // m, for contact points without an equal feature

bool is_round(const Shape& shape) {
    return shape.type == ShapeType::sphere || shape.type == ShapeType::capsule;
}

/// What a pair's stages ask again and again.
struct PairView {
    const ColliderFacts& collider_a;
    const ColliderFacts& collider_b;
    const BodyPlace& a;
    const BodyPlace& b;
    float radius;          // of the smaller body that can move
    float relative_speed;  // bound on the speed of any point of one seen from the other
};

PairView view_pair(const StepContext& c, const PairSlot& slot) {
    const ColliderFacts& ca = c.colliders[slot.collider_a];
    const ColliderFacts& cb = c.colliders[slot.collider_b];
    const BodyPlace& a = c.bodies.place[ca.body];
    const BodyPlace& b = c.bodies.place[cb.body];
    const float radius_a = c.bodies.facts[ca.body].type == BodyType::fixed ? 1e30f : a.radius;
    const float radius_b = c.bodies.facts[cb.body].type == BodyType::fixed ? 1e30f : b.radius;
    const BodyVelocity& va = c.bodies.velocity[ca.body];
    const BodyVelocity& vb = c.bodies.velocity[cb.body];
    const float radius = std::min(radius_a, radius_b);
    const float speed = glm::length(vb.linear - va.linear) + glm::length(vb.angular - va.angular) * radius;
    return {ca, cb, a, b, radius, speed};
}

/// The half-angle between two unit quaternions, as its cosine.
float cosine_half_angle(const Quat& p, const Quat& q) { return std::abs(glm::dot(p, q)); }

bool may_stay_frozen(const StepContext& c, const PairView& v, const Manifold& m) {
    if (!m.made || v.relative_speed > kReuseSpeed) return false;
    const bool round = is_round(*v.collider_a.shape) || is_round(*v.collider_b.shape);
    const float tolerance = round ? kReuseDistanceRound
                                  : std::min(c.settings.manifold_reuse_distance, kReusePartOfSize * v.radius);
    const Quat inverse_a = glm::conjugate(v.a.rotation);
    const Vec3 position = inverse_a * (v.b.center - v.a.center);
    const Quat turned = glm::conjugate(m.made_rotation) * (inverse_a * v.b.rotation);
    const float moved =
        glm::length(position - m.made_position) +
        2.0f * std::sqrt(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z) * v.radius;
    return moved < tolerance && cosine_half_angle(m.made_rotation_a, v.a.rotation) > kReuseCosineHalfAngle &&
           cosine_half_angle(m.made_rotation_b, v.b.rotation) > kReuseCosineHalfAngle;
}

/// Impulses of the old manifold to the new points: first by feature, then the nearest free one. The tangent
/// part is carried as a world vector into the new tangents.
void match_impulses(const Manifold& old, Manifold& made) {
    bool used[kMaxManifoldPoints] = {};
    bool matched[kMaxManifoldPoints] = {};
    const auto take = [&](uint32_t to, uint32_t from) {
        used[from] = matched[to] = true;
        const Vec3& l = old.points[from].lambda;
        const Vec3 tangent = old.tangent1 * l.y + old.tangent2 * l.z;
        made.points[to].lambda = {l.x, glm::dot(tangent, made.tangent1), glm::dot(tangent, made.tangent2)};
    };
    for (uint32_t i = 0; i < made.count; ++i)
        for (uint32_t k = 0; k < old.count && !matched[i]; ++k)
            if (!used[k] && old.points[k].feature == made.points[i].feature) take(i, k);
    for (uint32_t i = 0; i < made.count; ++i) {
        if (matched[i]) continue;
        int best = -1;
        float nearest = kMatchDistance * kMatchDistance;
        for (uint32_t k = 0; k < old.count; ++k) {
            if (used[k]) continue;
            const Vec3 d = old.points[k].anchor_b - made.points[i].anchor_b;
            if (glm::dot(d, d) < nearest) {
                nearest = glm::dot(d, d);
                best = int(k);
            }
        }
        if (best >= 0) take(i, uint32_t(best));
    }
}

void make_manifold(const StepContext& c, const PairView& v, PairSlot& slot) {
    // Contacts that may close within the step take part with their gap. Beyond half a body's size the
    // direction of a far contact says little, so faster bodies rely on the next step.
    const float reach = std::min(v.relative_speed * c.dt, 0.5f * v.radius);
    RawManifold raw;
    Manifold& m = *slot.manifold;
    const bool touching =
        collide(*v.collider_a.shape, v.collider_a.world, *v.collider_b.shape, v.collider_b.world,
                c.settings.speculative_distance + reach, raw, slot.cache);
    if (!touching) {
        m.count = 0;
        m.made = 0;
        return;
    }
    Manifold made;
    made.lambda_dt = m.lambda_dt;
    made.made = 1;
    made.normal = raw.normal;
    make_tangents(made.normal, made.tangent1, made.tangent2);
    const Quat inverse_a = glm::conjugate(v.a.rotation), inverse_b = glm::conjugate(v.b.rotation);
    made.made_position = inverse_a * (v.b.center - v.a.center);
    made.made_rotation = inverse_a * v.b.rotation;
    made.made_rotation_a = v.a.rotation;
    made.made_rotation_b = v.b.rotation;
    made.count = uint32_t(raw.count);
    for (int i = 0; i < raw.count; ++i) {
        const RawPoint& from = raw.points[i];
        ManifoldPoint& to = made.points[i];
        to.arm_a = from.point - v.a.center;
        to.arm_b = from.point - v.b.center;
        to.anchor_a = inverse_a * (from.core_a - v.a.center);
        to.anchor_b = inverse_b * (from.core_b - v.b.center);
        to.base_gap = from.base_gap;
        to.separation = from.separation;
        to.feature = from.feature;
    }
    match_impulses(m, made);
    m = made;
}

/// The gap of frozen points at the bodies' present poses.
void update_gaps(const PairView& v, Manifold& m) {
    for (uint32_t i = 0; i < m.count; ++i) {
        ManifoldPoint& p = m.points[i];
        const Vec3 between =
            (v.b.center - v.a.center) + v.b.rotation * p.anchor_b - v.a.rotation * p.anchor_a;
        p.separation = p.base_gap + glm::dot(m.normal, between);
    }
}

}  // namespace

void update_manifolds(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::update_manifolds));
    c.jobs->parallel_for(uint32_t(c.pairs.size()), kPairsPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t k = block.begin; k < block.end; ++k) {
            PairSlot& slot = c.pairs[k];
            const uint32_t body_a = c.colliders[slot.collider_a].body,
                           body_b = c.colliders[slot.collider_b].body;
            const bool quiet = !c.bodies.awake[body_a] && !c.bodies.awake[body_b];
            if (quiet && !c.bodies.placed_anew[body_a] && !c.bodies.placed_anew[body_b]) continue;
            const PairView view = view_pair(c, slot);
            if (may_stay_frozen(c, view, *slot.manifold))
                update_gaps(view, *slot.manifold);
            else
                make_manifold(c, view, slot);
        }
    });
}

}  // namespace proxima::physics
