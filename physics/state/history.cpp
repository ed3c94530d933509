// SPDX-License-Identifier: MIT
#include "physics/state/history.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "engine/core/result.h"
#include "physics/bodies/mass.h"
#include "physics/check_input.h"
#include "physics/constraints/kinds.h"
#include "physics/shapes/shape_classes.h"
#include "physics/state/state_image.h"

namespace proxima::physics {

namespace {

bool is_frame(const Manifold& m) {
    const auto unit = [](const Vec3& v) { return std::abs(glm::dot(v, v) - 1.0f) < 1e-2f; };
    return unit(m.normal) && unit(m.tangent1) && unit(m.tangent2) && unit(m.frame_normal) && unit(m.frame_tangent);
}

bool is_finite_point(const ManifoldPoint& p) {
    return is_finite(p.point) && is_finite(p.anchor_a) && is_finite(p.anchor_b) && is_finite(p.lambda) &&
           is_finite(p.impulse) && std::isfinite(p.separation) && std::isfinite(p.approach_speed);
}

Result<void> check_manifold(const SavedManifold& saved) {
    const Manifold& m = saved.manifold;
    if (m.count < 1 || m.count > 4) return Error{"A contact manifold of the snapshot has not one to four points."};
    bool good = is_frame(m) && std::isfinite(m.friction) && m.friction >= 0.0f && m.restitution >= 0.0f &&
                m.restitution <= 1.0f && std::isfinite(m.lambda_dt) && m.lambda_dt >= 0.0f && m.frame_on_b <= 1 &&
                m.rolls <= (m.count == 1 ? 15 : 3) && is_finite(m.made_position) && is_finite(m.made_rotation);
    for (uint32_t i = 0; i < m.count; ++i) good = good && is_finite_point(m.points[i]);
    const ExtendedFriction& x = saved.extended;
    good = good && std::isfinite(x.across) && x.across >= 0.0f && std::isfinite(x.torsion_radius) &&
           x.torsion_radius >= 0.0f && std::isfinite(x.rolling_radius) && x.rolling_radius >= 0.0f;
    for (const Vec3& moment : x.moment) good = good && is_finite(moment);
    if (!good) return Error{"A contact manifold of the snapshot holds numbers that make no sense."};
    return {};
}

/// Bodies in the order of their ids, each entity once.
Result<void> check_bodies(const std::vector<SavedBody>& bodies) {
    uint32_t id_before = 0;
    std::vector<Entity> entities;
    for (const SavedBody& body : bodies) {
        if (body.stable_id <= id_before) return Error{"The snapshot's bodies are not in the order of their ids."};
        id_before = body.stable_id;
        entities.push_back(body.entity);
        const bool can_move = body.type == BodyType::dynamic && !body.excluded;
        bool good = body.type <= BodyType::dynamic && body.excluded <= 1 && body.dynamic <= 1 && body.was_awake <= 1 &&
                    (!body.dynamic || body.type == BodyType::dynamic);
        // One that went wrong in its last step is left where it was last seen, wherever that is.
        if (!body.excluded)
            good = good && is_finite(body.center) && is_finite(body.rotation) && is_finite(body.center_local);
        if (can_move) good = good && is_sensible({body.mass, body.center_local, body.inertia_local});
        if (!good) return Error{"A body of the snapshot's physics part holds numbers that make no sense."};
    }
    std::sort(entities.begin(), entities.end());
    const bool twice = std::adjacent_find(entities.begin(), entities.end()) != entities.end();
    if (twice || (!entities.empty() && entities.back() == kNoEntity))
        return Error{"A body of the snapshot's physics part is there twice, or is none."};
    return {};
}

const SavedBody* find_body(const std::vector<std::pair<Entity, const SavedBody*>>& bodies, Entity entity) {
    const auto at = std::lower_bound(bodies.begin(), bodies.end(), std::pair(entity, (const SavedBody*)nullptr));
    return at != bodies.end() && at->first == entity ? at->second : nullptr;
}

/// Colliders and joints, which name bodies. Boxes may hold any numbers, as those of a body that was put where no number
/// is: nothing overlaps them.
Result<void> check_members(const History& history, const ShapeLibrary& shapes) {
    std::vector<std::pair<Entity, const SavedBody*>> bodies;
    for (const SavedBody& body : history.bodies) bodies.emplace_back(body.entity, &body);
    std::sort(bodies.begin(), bodies.end());
    uint32_t id_before = 0;
    for (const SavedCollider& collider : history.colliders) {
        if (collider.stable_id <= id_before)
            return Error{"The snapshot's colliders are not in the order of their ids."};
        id_before = collider.stable_id;
        const Collider& seen = collider.seen;
        const SavedBody* body = find_body(bodies, seen.body);
        if (!body || !shapes.contains(seen.shape) || collider.entity == kNoEntity || collider.moves > 1 ||
            !check_pose(seen.local, "a collider") || !check_material(seen.material) || !check_density(seen.density) ||
            !check_on_body(shapes.get(seen.shape), body->type != BodyType::fixed))
            return Error{"A collider of the snapshot's physics part makes no sense."};
    }
    id_before = 0;
    for (const SavedJoint& joint : history.joints) {
        if (joint.stable_id <= id_before) return Error{"The snapshot's joints are not in the order of their ids."};
        id_before = joint.stable_id;
        const bool good = joint.kind < kKindCount && !is_contact(KindId(joint.kind)) && joint.body_a != joint.body_b &&
                          find_body(bodies, joint.body_a) && find_body(bodies, joint.body_b) &&
                          joint.collide_connected <= 1;
        if (!good) return Error{"A joint of the snapshot's physics part makes no sense."};
    }
    return {};
}

/// Whether a list has each of the numbers in [0, count) at most once, and no others.
bool are_distinct(const std::vector<uint32_t>& list, size_t count) {
    std::vector<uint8_t> there(count, 0);
    for (const uint32_t number : list)
        if (number >= count || there[number]++) return false;
    return true;
}

Result<void> check_pairs(const History& history) {
    uint64_t named = 0;
    std::vector<uint64_t> keys;
    for (const SavedPair& pair : history.pairs) {
        named += pair.manifolds;
        if (pair.key == 0 ? pair.manifolds > 0 : uint32_t(pair.key >> 32) >= uint32_t(pair.key))
            return Error{"A pair of the snapshot does not name two colliders in order."};
        if (pair.key != 0) keys.push_back(pair.key);
        if (pair.rules > 255 || pair.touching > 1) return Error{"A pair of the snapshot has rules that cannot be."};
        if (pair.cache.kind > SatCache::edges) return Error{"A pair of the snapshot has an axis of no kind."};
        if (pair.manifolds > history.manifolds.size())
            return Error{"The snapshot's pairs name more contacts than it has."};
    }
    std::sort(keys.begin(), keys.end());
    if (std::adjacent_find(keys.begin(), keys.end()) != keys.end())
        return Error{"Two pairs of the snapshot are of the same two colliders."};
    bool free = keys.size() + history.free_pairs.size() == history.pairs.size() &&
                are_distinct(history.free_pairs, history.pairs.size());
    for (const uint32_t slot : history.free_pairs) free = free && history.pairs[slot].key == 0;
    if (!free) return Error{"The snapshot's list of free pairs is not that of its pairs."};
    const size_t constraints = history.manifolds.size() + history.joints.size();
    if (history.edges.size() != constraints || !are_distinct(history.edges, constraints))
        return Error{"The snapshot's constraint graph does not have each constraint once."};
    if (named != history.manifolds.size())
        return Error{"The snapshot's pairs do not have as many contact manifolds as they say."};
    for (const SavedManifold& manifold : history.manifolds)
        if (auto ok = check_manifold(manifold); !ok) return ok;
    return {};
}

/// Whether the order of a factor has each row once, and its pairs are of two rows.
bool are_rows(const direct::SavedFactor& factor, std::span<const uint32_t> indices) {
    std::vector<uint8_t> there(factor.rows, 0);
    for (const uint32_t index : indices.first(factor.rows)) {
        const uint32_t row = index & ~direct::SavedFactor::kKept;
        if (row >= factor.rows || there[row]++) return false;
    }
    for (size_t k = factor.rows; k < indices.size(); k += 2)
        if (indices[k] >= factor.rows || indices[k + 1] >= factor.rows || indices[k] == indices[k + 1]) return false;
    return true;
}

Result<void> check_factors(const direct::SavedFactors& factors) {
    uint64_t values = 0, indices = 0;
    for (const direct::SavedFactor& factor : factors.list) {
        if (factor.values() > factors.values.size() - values || factor.indices() > factors.indices.size() - indices)
            return Error{"The snapshot's factors of direct solves do not have as many numbers as they say."};
        const std::span<const uint32_t> own(factors.indices.data() + indices, factor.indices());
        if (factor.columns > factor.rows || factor.flags > direct::SavedFactor::kFlags || !are_rows(factor, own))
            return Error{"A factor of the snapshot has rows or columns that cannot be."};
        values += factor.values();
        indices += factor.indices();
    }
    if (values != factors.values.size() || indices != factors.indices.size())
        return Error{"The snapshot's factors of direct solves do not have as many numbers as they say."};
    for (const float value : factors.values)
        if (!std::isfinite(value)) return Error{"A factor of the snapshot holds a number that is not finite."};
    return {};
}

bool is_in(const std::vector<Entity>& sorted, Entity entity) {
    return std::binary_search(sorted.begin(), sorted.end(), entity);
}

std::vector<Entity> sorted(std::vector<Entity> list) {
    std::sort(list.begin(), list.end());
    return list;
}

}  // namespace

Result<void> check_history(const History& history, const ShapeLibrary& shapes, uint32_t next_stable_id) {
    if (auto ok = check_bodies(history.bodies); !ok) return ok;
    if (auto ok = check_members(history, shapes); !ok) return ok;
    uint32_t last = 0;  // each list is in the order of its ids
    if (!history.bodies.empty()) last = std::max(last, history.bodies.back().stable_id);
    if (!history.colliders.empty()) last = std::max(last, history.colliders.back().stable_id);
    if (!history.joints.empty()) last = std::max(last, history.joints.back().stable_id);
    for (const WrittenId& body : history.written_ids)
        last = std::max(last, body.stable_id == 0 ? kNone : body.stable_id);
    if (last >= next_stable_id)
        return Error{"Stable id " + std::to_string(last) + " is there, but the next new one would be " +
                     std::to_string(next_stable_id) + "."};
    if (auto ok = check_pairs(history); !ok) return ok;
    if (auto ok = check_factors(history.factors); !ok) return ok;
    if (!std::is_sorted(history.ignored.begin(), history.ignored.end()))
        return Error{"The snapshot's list of ignored pairs is not in order."};
    for (const SeenRules& own : history.rules)
        if (!(std::isfinite(own.blow) && own.blow >= 0.0f))
            return Error{"A blow of the snapshot's contact rules is no impulse."};
    const auto is_earlier = [](const SeenRules& x, const SeenRules& y) { return x.stable_id < y.stable_id; };
    if (!std::is_sorted(history.rules.begin(), history.rules.end(), is_earlier))
        return Error{"The snapshot's contact rules are not in the order of their colliders."};
    for (const uint8_t slab : history.slabs.of_body)
        if (slab >= sweep::kMaxSlabs) return Error{"A body of the snapshot is in a slab that cannot be."};
    return {};
}

namespace {

template <class View>
Result<void> check_components(const History& history, const View& snapshot) {
    std::vector<uint32_t> linked;
    for (const ColliderLink& link : history.links) {
        if (link.body == kNoEntity || !snapshot.template has<Collider>(link.collider))
            return Error{"The snapshot's list of a body's colliders names one that is not there."};
        linked.push_back(entt::to_entity(link.collider));
    }
    std::sort(linked.begin(), linked.end());
    if (std::adjacent_find(linked.begin(), linked.end()) != linked.end())
        return Error{"The snapshot's lists of colliders by body have one twice."};

    std::vector<std::pair<Entity, uint32_t>> written;
    for (const WrittenId& body : history.written_ids) {
        if (!snapshot.template has<RigidBody>(body.entity) || !snapshot.template has<StableId>(body.entity))
            return Error{"The snapshot's list of stable ids names a body that is not there."};
        written.emplace_back(body.entity, body.stable_id);
    }
    std::sort(written.begin(), written.end());
    const auto written_id = [&](Entity entity) {
        const auto at = std::lower_bound(written.begin(), written.end(), std::pair(entity, uint32_t(0)));
        return at != written.end() && at->first == entity ? at->second : 0;
    };

    const std::vector<Entity> stripped = sorted(history.log.stripped_bodies);
    bool complete = true;
    snapshot.template each<RigidBody>([&](Entity body, const RigidBody&) {
        const bool whole = snapshot.template has<Pose>(body) && snapshot.template has<Velocity>(body) &&
                           snapshot.template has<Force>(body) && snapshot.template has<Mass>(body) &&
                           snapshot.template has<SleepState>(body);
        complete = complete && (whole || !snapshot.template has<StableId>(body) || is_in(stripped, body));
    });
    if (!complete) return Error{"A body needs a Pose, a Velocity, a Force, a Mass and a SleepState."};

    if (history.log.needs_rebuild()) return {};  // the lists will be made anew
    const Error unlike{"The snapshot's lists of bodies and colliders are not those of its components."};
    const std::vector<Entity> gone_bodies = sorted(history.log.gone_bodies);
    const std::vector<Entity> gone_colliders = sorted(history.log.gone_colliders);
    const auto is_same = [&](Entity entity, uint32_t stable_id) {
        const auto id = snapshot.template get<StableId>(entity);
        const uint32_t before = written_id(entity);
        return id && (before != 0 ? before : id->value) == stable_id;
    };
    std::vector<Entity> known = history.log.new_bodies;
    for (const SavedBody& body : history.bodies) {
        known.push_back(body.entity);
        const bool there = snapshot.template has<RigidBody>(body.entity) && is_same(body.entity, body.stable_id);
        if (!there && !is_in(gone_bodies, body.entity)) return unlike;
    }
    std::vector<std::pair<Entity, Entity>> body_of_collider;
    for (const ColliderLink& link : history.links) body_of_collider.emplace_back(link.collider, link.body);
    std::sort(body_of_collider.begin(), body_of_collider.end());
    for (const SavedCollider& collider : history.colliders) {
        const bool there =
            snapshot.template has<Collider>(collider.entity) && snapshot.template has<StableId>(collider.entity);
        if (!there && !is_in(gone_colliders, collider.entity)) return unlike;
        if (!there) continue;
        // It goes with the body that it was seen on, or with the one that the game has given it since.
        const auto link =
            std::lower_bound(body_of_collider.begin(), body_of_collider.end(), std::pair(collider.entity, Entity{}));
        if (link == body_of_collider.end() || link->first != collider.entity ||
            (link->second != collider.seen.body &&
             link->second != snapshot.template get<Collider>(collider.entity)->body))
            return Error{"A collider of the snapshot is linked to a body that it is not on."};
    }
    std::sort(known.begin(), known.end());
    bool all_known = true;
    snapshot.template each<RigidBody>([&](Entity body, const RigidBody&) {
        all_known = all_known && (!snapshot.template has<StableId>(body) || is_in(known, body));
    });
    if (!all_known) return unlike;
    return {};
}

}  // namespace

Result<void> check_history(const History& history, const engine::SnapshotView& snapshot) {
    return check_components(history, snapshot);
}
Result<void> check_history(const History& history, const StateImage& image) { return check_components(history, image); }

}  // namespace proxima::physics
