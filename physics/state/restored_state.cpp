// SPDX-License-Identifier: MIT
#include "physics/state/restored_state.h"

#include <cmath>

#include "engine/core/result.h"

namespace proxima::physics {

namespace {

bool is_frame(const Manifold& m) {
    const auto unit = [](const Vec3& v) { return std::abs(glm::dot(v, v) - 1.0f) < 1e-2f; };
    return unit(m.normal) && unit(m.tangent1) && unit(m.tangent2);
}

bool is_finite_point(const ManifoldPoint& p) {
    return is_finite(p.arm_a) && is_finite(p.anchor_a) && is_finite(p.anchor_b) && is_finite(p.lambda) &&
           is_finite(p.impulse) && std::isfinite(p.base_gap) && std::isfinite(p.separation) &&
           std::isfinite(p.approach_speed);
}

Result<void> check_manifold(const SavedManifold& saved) {
    const Manifold& m = saved.manifold;
    if (m.count < 1 || m.count > 4) return Error{"A contact manifold of the snapshot has not one to four points."};
    bool good = is_frame(m) && std::isfinite(m.friction) && m.friction >= 0.0f && m.restitution >= 0.0f &&
                m.restitution <= 1.0f && std::isfinite(m.lambda_dt) && m.lambda_dt >= 0.0f && is_finite(m.arm_shift) &&
                is_finite(m.made_position) && is_finite(m.made_rotation) && is_finite(m.made_rotation_a) &&
                is_finite(m.made_rotation_b);
    for (uint32_t i = 0; i < m.count; ++i) good = good && is_finite_point(m.points[i]);
    const ExtendedFriction& x = saved.extended;
    good = good && std::isfinite(x.across) && x.across >= 0.0f && std::isfinite(x.torsion_radius) &&
           x.torsion_radius >= 0.0f && std::isfinite(x.rolling_radius) && x.rolling_radius >= 0.0f;
    for (const Vec3& moment : x.moment) good = good && is_finite(moment);
    if (!good) return Error{"A contact manifold of the snapshot holds numbers that make no sense."};
    return {};
}

}  // namespace

Result<void> check_history(const RestoredState& state) {
    uint64_t named = 0, key_before = 0;
    for (const SavedPair& pair : state.pairs) {
        if (pair.key <= key_before) return Error{"The snapshot's pairs are not in the order of their keys."};
        if (uint32_t(pair.key >> 32) >= uint32_t(pair.key))
            return Error{"A pair of the snapshot does not name two colliders in order."};
        if (!std::isfinite(pair.slack)) return Error{"A pair of the snapshot holds a number that is not finite."};
        if (pair.cache.kind > SatCache::edges) return Error{"A pair of the snapshot has an axis of no kind."};
        key_before = pair.key;
        named += pair.manifolds;
        if (pair.manifolds > state.manifolds.size())
            return Error{"The snapshot's pairs name more contacts than it has."};
    }
    if (named != state.manifolds.size())
        return Error{"The snapshot's pairs do not have as many contact manifolds as they say."};
    for (const SavedManifold& manifold : state.manifolds)
        if (auto ok = check_manifold(manifold); !ok) return ok;
    for (const SavedBox& box : state.boxes)
        if (std::isnan(box.slack) || glm::any(glm::isnan(box.box.lower)) || glm::any(glm::isnan(box.box.upper)))
            return Error{"A box of the snapshot holds a number that is not finite."};
    uint32_t id_before = 0;
    for (const SavedBody& body : state.bodies) {
        if (body.stable_id <= id_before) return Error{"The snapshot's bodies are not in the order of their ids."};
        id_before = body.stable_id;
        if (body.slab >= sweep::kMaxSlabs || body.was_awake > 1 || !is_finite(body.center) || !is_finite(body.rotation))
            return Error{"A body of the snapshot's physics part holds numbers that make no sense."};
    }
    if (state.lists_are_current > 1) return Error{"The snapshot's physics part is damaged."};
    uint64_t values = 0;
    for (const direct::SavedFactor& factor : state.factors) {
        if (factor.count > state.factor_values.size())
            return Error{"A factor of the snapshot is larger than all of them."};
        values += factor.count;
    }
    if (values != state.factor_values.size())
        return Error{"The snapshot's factors of direct solves do not have as many numbers as they say."};
    for (const float value : state.factor_values)
        if (!std::isfinite(value)) return Error{"A factor of the snapshot holds a number that is not finite."};
    return {};
}

}  // namespace proxima::physics
