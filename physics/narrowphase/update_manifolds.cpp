// SPDX-License-Identifier: MIT
// The stage that brings every pair's manifold up to date: kept frozen while the pair hardly moves, otherwise
// made anew, with the impulses of the contact points that it still recognises.
#include <algorithm>
#include <atomic>

#include "physics/contact/material.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kPairsPerScan = 512;
constexpr uint32_t kPairsPerLook = 16;
// A frozen frame may also not be used when either body turned, because its directions are fixed in the world.
constexpr float kReuseSineHalfAngle = 0.08715574f;  // sin(10 deg / 2)
constexpr float kReuseSineGrain = 0.00872654f;      // sin(1 deg / 2): the grain of a surface turns with it
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
    const BodyPlace& a = c.bodies.place[slot.body_a];
    const BodyPlace& b = c.bodies.place[slot.body_b];
    const float radius_a = c.bodies.facts[slot.body_a].type == BodyType::fixed ? 1e30f : a.radius;
    const float radius_b = c.bodies.facts[slot.body_b].type == BodyType::fixed ? 1e30f : b.radius;
    const BodyVelocity& va = c.bodies.velocity[slot.body_a];
    const BodyVelocity& vb = c.bodies.velocity[slot.body_b];
    const float radius = std::min(radius_a, radius_b);
    const float speed = glm::length(vb.linear - va.linear) + glm::length(vb.angular - va.angular) * radius;
    return {ca, cb, a, b, radius, speed};
}

bool is_special(const PairView& v) { return v.collider_a.surface.special || v.collider_b.surface.special; }

/// |sin(angle / 2)| between two rotations.
float sine_half_angle(const Quat& p, const Quat& q) {
    const Quat turned = glm::conjugate(p) * q;
    return std::sqrt(turned.x * turned.x + turned.y * turned.y + turned.z * turned.z);
}

float reuse_tolerance(const StepContext& c, const PairView& v) {
    const bool round = is_round(*v.collider_a.shape) || is_round(*v.collider_b.shape);
    return round ? kReuseDistanceRound
                 : std::min(c.settings.manifold_reuse_distance, kReusePartOfSize * v.radius);
}

/// How far the bodies may still move while the manifold stays as it is; negative: it may not.
float slack_of(const StepContext& c, const PairView& v, const Manifold& m) {
    if (!m.made || v.relative_speed > kReuseSpeed) return -1.0f;
    const Quat inverse_a = glm::conjugate(v.a.rotation);
    const Vec3 position = inverse_a * (v.b.center - v.a.center);
    const float moved = glm::length(position - m.made_position) +
                        2.0f * sine_half_angle(m.made_rotation, inverse_a * v.b.rotation) * v.radius;
    // A body that turns by d (as |sin(angle / 2)|) moves by 2 d radius at least by its own count.
    const float most = m.extra_friction ? kReuseSineGrain : kReuseSineHalfAngle;
    const float turn_a = most - sine_half_angle(m.made_rotation_a, v.a.rotation);
    const float turn_b = most - sine_half_angle(m.made_rotation_b, v.b.rotation);
    return std::min({reuse_tolerance(c, v) - moved, turn_a * v.a.radius, turn_b * v.b.radius});
}

/// What is left of a manifold that is made anew.
struct OldContact {
    uint32_t count;
    Vec3 tangent1, tangent2;
    Vec3 anchor_b[kMaxManifoldPoints], lambda[kMaxManifoldPoints], moment[kMaxManifoldPoints];
    uint32_t feature[kMaxManifoldPoints];

    OldContact(const Manifold& m, const PairFriction* extra)
        : count(m.count), tangent1(m.tangent1), tangent2(m.tangent2) {
        for (uint32_t i = 0; i < count; ++i) {
            moment[i] = extra && m.extra_friction ? extra->moment[i] : Vec3(0.0f);
            anchor_b[i] = m.points[i].anchor_b;
            lambda[i] = m.points[i].lambda;
            feature[i] = m.points[i].feature;
        }
    }
};

/// Impulses of the old manifold to the new points: first by feature, then the nearest free one. The tangent
/// part is carried as a world vector into the new tangents.
void match_impulses(const OldContact& old, Manifold& made, PairFriction* extra) {
    bool used[kMaxManifoldPoints] = {};
    bool matched[kMaxManifoldPoints] = {};
    const auto carry = [&](const Vec3& l) {
        const Vec3 tangent = old.tangent1 * l.y + old.tangent2 * l.z;
        return Vec3(l.x, glm::dot(tangent, made.tangent1), glm::dot(tangent, made.tangent2));
    };
    const auto take = [&](uint32_t to, uint32_t from) {
        used[from] = matched[to] = true;
        made.points[to].lambda = carry(old.lambda[from]);
        if (extra) extra->moment[to] = carry(old.moment[from]);
    };
    for (uint32_t i = 0; i < made.count; ++i) {
        made.points[i].lambda = Vec3(0.0f);
        if (extra) extra->moment[i] = Vec3(0.0f);
        for (uint32_t k = 0; k < old.count && !matched[i]; ++k)
            if (!used[k] && old.feature[k] == made.points[i].feature) take(i, k);
    }
    for (uint32_t i = 0; i < made.count; ++i) {
        if (matched[i]) continue;
        int best = -1;
        float nearest = kMatchDistance * kMatchDistance;
        for (uint32_t k = 0; k < old.count; ++k) {
            if (used[k]) continue;
            const Vec3 d = old.anchor_b[k] - made.points[i].anchor_b;
            if (glm::dot(d, d) < nearest) {
                nearest = glm::dot(d, d);
                best = int(k);
            }
        }
        if (best >= 0) take(i, uint32_t(best));
    }
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
        const Vec3 tangent = old.tangent1 * old.lambda[k].y + old.tangent2 * old.lambda[k].z;
        const Vec3 load(old.lambda[k].x, glm::dot(tangent, made.tangent1), glm::dot(tangent, made.tangent2));
        for (uint32_t i = 0; i < made.count; ++i) made.points[i].lambda += load * (weight[i] / sum);
    }
}

/// The margin within which points count: contacts that may close within the step take part with their gap.
/// Beyond half a body's size the direction of a far contact says little, so faster bodies rely on the next
/// step.
float contact_margin(const StepContext& c, const PairView& v) {
    return c.settings.speculative_distance + std::min(v.relative_speed * c.dt, 0.5f * v.radius);
}

/// What became of a pair that was looked at.
enum Found : uint8_t { kSame = 0, kPointsChanged = 1, kWantsEntity = 2 };

/// Friction of two surfaces of which one has a grain, torsional or rolling friction; the tangents follow the
/// grain.
void make_extra_friction(const StepContext& c, const PairView& v, Manifold& m, PairFriction& extra) {
    const auto& colliders = c.world.registry().storage<Collider>();
    const auto surface = [&](const ColliderFacts& facts) {
        const Material& material = colliders.get(facts.entity).material;
        return GrainySurface{material, facts.world.rotation * material.friction_direction};
    };
    const CombinedFriction friction =
        combine_all_friction(surface(v.collider_a), surface(v.collider_b), m.normal, m.tangent1);
    m.tangent2 = glm::cross(m.normal, m.tangent1);
    m.friction = friction.along;
    m.extra_friction = !friction.is_plain();
    extra.across = friction.across;
    extra.torsion_radius = friction.torsion_radius;
    extra.rolling_radius = friction.rolling_radius;
}

/// Generates the contacts of a pair. One without an entity that turns out to have points gets it first, and
/// comes again; so does one without the component that its surfaces ask for.
Found make_manifold(StepContext& c, const PairView& v, PairSlot& slot) {
    RawManifold raw;
    const bool touching = collide(*v.collider_a.shape, v.collider_a.world, *v.collider_b.shape,
                                  v.collider_b.world, contact_margin(c, v), raw, &slot.cache);
    if (!touching) {
        slot.slack = raw.distance;
        const bool had_points = slot.count > 0;
        slot.count = 0;
        if (slot.manifold) slot.manifold->count = slot.manifold->made = 0;
        return had_points ? kPointsChanged : kSame;
    }
    if (!slot.manifold) return kWantsEntity;
    PairFriction* extra = nullptr;
    if (is_special(v)) {
        auto& extras = c.world.registry().storage<PairFriction>();
        if (!extras.contains(slot.entity)) return kWantsEntity;
        extra = &extras.get(slot.entity);
    }
    Manifold& m = *slot.manifold;
    for (const uint32_t body : {slot.body_a, slot.body_b})
        std::atomic_ref<uint8_t>(c.bodies.has_new_manifold[body]).store(1, std::memory_order_relaxed);
    const OldContact old(m, extra);
    m.made = 1;
    m.friction = combine_friction(v.collider_a.surface, v.collider_b.surface);
    m.restitution = combine_restitution(v.collider_a.surface, v.collider_b.surface);
    m.extra_friction = 0;
    m.normal = raw.normal;
    make_tangents(m.normal, m.tangent1, m.tangent2);
    if (extra) make_extra_friction(c, v, m, *extra);
    const Quat inverse_a = glm::conjugate(v.a.rotation), inverse_b = glm::conjugate(v.b.rotation);
    m.made_position = inverse_a * (v.b.center - v.a.center);
    m.made_rotation = inverse_a * v.b.rotation;
    m.made_rotation_a = v.a.rotation;
    m.made_rotation_b = v.b.rotation;
    m.count = uint32_t(raw.count);
    m.arm_shift = v.a.center - v.b.center;
    for (int i = 0; i < raw.count; ++i) {
        const RawPoint& from = raw.points[i];
        ManifoldPoint& to = m.points[i];
        to.arm_a = from.point - v.a.center;
        to.anchor_a = inverse_a * (from.core_a - v.a.center);
        to.anchor_b = inverse_b * (from.core_b - v.b.center);
        to.base_gap = from.base_gap;
        to.separation = from.separation;
        to.feature = from.feature;
    }
    const bool direct =
        c.bodies.watch[slot.body_a].direct_steps > 0 || c.bodies.watch[slot.body_b].direct_steps > 0;
    if (direct)
        spread_impulses(old, m);
    else
        match_impulses(old, m, extra);
    slot.slack = reuse_tolerance(c, v);
    const bool changed = slot.count != m.count;
    slot.count = uint8_t(m.count);
    return changed ? kPointsChanged : kSame;
}

/// Takes what bodies moved in the last step from what pairs allow, and lists those that may have changed, in
/// the order of the table.
void list_pairs_to_look_at(StepContext& c) {
    const uint32_t n = uint32_t(c.pairs.size());
    const BodyArrays& bodies = c.bodies;
    c.pick_pairs(*c.jobs, n, kPairsPerScan, c.look_list, [&](uint32_t k, uint32_t& picked) {
        PairSlot& slot = c.pairs[k];
        const uint32_t a = slot.body_a, b = slot.body_b;
        slot.slack -= bodies.unseen_motion[a] + bodies.unseen_motion[b];
        picked = k;
        if (bodies.placed_anew[a] || bodies.placed_anew[b]) return true;
        if (!bodies.awake[a] && !bodies.awake[b]) return false;
        const float speed = bodies.speed[a] + bodies.speed[b];
        const bool stays = slot.count > 0 ? slot.slack > 0.0f && speed <= kReuseSpeed
                                          : slot.slack > c.settings.speculative_distance + speed * c.dt;
        return !stays;
    });
    c.bodies.unseen_motion.assign(c.bodies.size(), 0.0f);
}

}  // namespace

void update_manifolds(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::update_manifolds));
    c.bodies.has_new_manifold.assign(c.bodies.size(), 0);
    list_pairs_to_look_at(c);
    c.look_found.resize(c.look_list.size());
    const auto look = [&](bool again) {
        c.jobs->parallel_for(uint32_t(c.look_list.size()), kPairsPerLook, [&](const engine::JobBlock& block) {
            for (uint32_t k = block.begin; k < block.end; ++k) {
                if (again && c.look_found[k] != kWantsEntity) continue;
                PairSlot& slot = c.pairs[c.look_list[k]];
                const PairView view = view_pair(c, slot);
                if (!again && slot.count > 0) {
                    slot.slack = slack_of(c, view, *slot.manifold);
                    c.look_found[k] = kSame;
                    if (slot.slack > 0.0f) continue;
                }
                c.look_found[k] = make_manifold(c, view, slot);
            }
        });
    };
    look(false);
    bool any_new = false;
    for (uint32_t k = 0; k < c.look_list.size(); ++k) {
        if (c.look_found[k] != kWantsEntity) continue;
        PairSlot& slot = c.pairs[c.look_list[k]];
        if (!slot.manifold) give_entity(c, c.look_list[k]);
        if (is_special(view_pair(c, slot))) c.world.registry().get_or_emplace<PairFriction>(slot.entity);
        any_new = true;
    }
    if (any_new) look(true);
    c.changed_pairs.clear();
    for (uint32_t k = 0; k < c.look_list.size(); ++k)
        if (c.look_found[k] == kPointsChanged) c.changed_pairs.push_back(c.look_list[k]);
    c.contacts_changed |= !c.changed_pairs.empty();
}

}  // namespace proxima::physics
