// SPDX-License-Identifier: MIT
#include "physics/state/check_components.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "physics/check_input.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

using engine::SnapshotView;

namespace {

bool is_at_least_zero(float x) { return std::isfinite(x) && x >= 0.0f; }
/// A step makes it a unit quaternion again, as long as there is a direction to be seen.
bool is_rotation(const Quat& q) {
    const float length2 = glm::dot(q, q);
    return std::isfinite(length2) && length2 > 1e-12f;
}
bool is_flag(uint32_t value) { return value <= 1; }

Result<void> check_pose_numbers(const Pose& pose) {
    if (!is_finite(pose.position)) return Error{"A position must be three finite numbers."};
    if (!is_rotation(pose.rotation)) return Error{"A rotation must be a unit quaternion."};
    return {};
}

}  // namespace

Result<void> check_component(const Pose& pose, Entity, const SnapshotView&) { return check_pose_numbers(pose); }

Result<void> check_component(const Velocity& velocity, Entity, const SnapshotView&) {
    if (!is_finite(velocity.linear) || !is_finite(velocity.angular)) return Error{"A velocity must be finite."};
    return {};
}

Result<void> check_component(const Force& force, Entity, const SnapshotView&) {
    if (!is_finite(force.linear) || !is_finite(force.angular)) return Error{"A force must be finite."};
    return {};
}

Result<void> check_component(const RigidBody& body, Entity, const SnapshotView&) {
    if (body.type > BodyType::dynamic) return Error{"A body is fixed, kinematic or dynamic."};
    if (!std::isfinite(body.gravity_scale)) return Error{"The gravity scale of a body must be finite."};
    if (!is_at_least_zero(body.linear_damping) || !is_at_least_zero(body.angular_damping))
        return Error{"Damping must be a finite number per second, 0 or greater."};
    return {};
}

Result<void> check_component(const Mass& mass, Entity, const SnapshotView&) {
    if (mass.source > MassSource::given) return Error{"There is no such source of a mass."};
    return {};
}

Result<void> check_component(const SleepState& sleep, Entity, const SnapshotView&) {
    if (!is_at_least_zero(sleep.timer)) return Error{"A time of rest must be finite, 0 or greater."};
    if (!is_flag(sleep.asleep)) return Error{"A body sleeps or does not."};
    if (!is_finite(sleep.mean_linear) || !is_finite(sleep.mean_angular))
        return Error{"The mean velocity of a body must be finite."};
    return {};
}

Result<void> check_component(const SolverChoice& choice, Entity, const SnapshotView&) {
    if (!find_solver(choice.name())) return Error{"There is no solver called '" + std::string(choice.name()) + "'."};
    if (choice.iterations > 1000000) return Error{"The iterations of a solver must be at most 1000000."};
    if (!is_at_least_zero(choice.tolerance)) return Error{"A tolerance must be a finite speed, 0 or greater."};
    return {};
}

Result<void> check_component(const StableId& id, Entity, const SnapshotView&) {
    if (id.value == 0 || id.value == 0xFFFFFFFFu) return Error{"Stable ids run from 1 to 4294967294."};
    return {};
}

Result<void> check_component(const Collider& collider, const ShapeLibrary& shapes) {
    if (collider.shape != kNoShape && size_t(collider.shape) >= shapes.size())
        return Error{"It has shape number " + std::to_string(uint32_t(collider.shape)) + ", but this world has only " +
                     std::to_string(shapes.size()) + "."};
    if (Result<void> good = check_pose_numbers(collider.local); !good) return good;
    if (Result<void> good = check_material(collider.material); !good) return good;
    if (!(std::isfinite(collider.density) && collider.density > 0.0f))
        return Error{"The density of a collider must be a positive finite number of kg/m3."};
    return {};
}

Result<void> check_component(const ContactPair& pair, Entity, const SnapshotView& snapshot) {
    if (!is_flag(pair.touching)) return Error{"Two colliders touch or do not."};
    if (pair.collider_a == pair.collider_b) return Error{"A contact is between two colliders."};
    const auto id_a = snapshot.get<StableId>(pair.collider_a), id_b = snapshot.get<StableId>(pair.collider_b);
    if (id_a && id_b && id_a->value >= id_b->value)
        return Error{"The first collider of a contact has the smaller stable id."};
    return {};
}

Result<void> check_component(const JointState& joint, Entity, const SnapshotView&) {
    if (!is_finite(joint.impulse) || !is_finite(joint.lambda) || !is_at_least_zero(joint.lambda_dt) ||
        !is_at_least_zero(joint.error))
        return Error{"The impulses and the error of a joint must be finite."};
    return {};
}

Result<void> check_identities(const SnapshotView& snapshot, uint32_t next_stable_id) {
    std::vector<uint32_t> ids;
    ids.reserve(snapshot.count<StableId>());
    snapshot.each<StableId>([&](Entity, const StableId& id) { ids.push_back(id.value); });
    std::sort(ids.begin(), ids.end());
    if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end())
        return Error{"Stable id " + std::to_string(*twice) + " is there twice."};
    if (!ids.empty() && ids.back() >= next_stable_id)
        return Error{"Stable id " + std::to_string(ids.back()) + " is there, but the next new one would be " +
                     std::to_string(next_stable_id) + "."};
    std::vector<uint64_t> pairs;
    pairs.reserve(snapshot.count<ContactPair>());
    snapshot.each<ContactPair>([&](Entity, const ContactPair& pair) {
        pairs.push_back(uint64_t(entt::to_integral(pair.collider_a)) << 32 | entt::to_integral(pair.collider_b));
    });
    std::sort(pairs.begin(), pairs.end());
    if (std::adjacent_find(pairs.begin(), pairs.end()) != pairs.end())
        return Error{"Two contacts are between the same two colliders."};
    return {};
}

}  // namespace proxima::physics
