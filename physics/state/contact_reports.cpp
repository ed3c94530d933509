// SPDX-License-Identifier: MIT
#include "physics/state/contact_reports.h"

#include <algorithm>

namespace proxima::physics {

namespace {

template <bool kTakesOut>
void change_reports(StateImage& image) {
    static thread_local std::vector<const SavedBody*> body_of_place, body_of_collider;
    static thread_local std::vector<uint8_t> moves;  // by row of the colliders
    const std::vector<SavedCollider>& colliders = image.history.colliders;
    body_of_place.assign(image.entities.size(), nullptr);
    for (const SavedBody& body : image.history.bodies)
        if (const uint32_t place = image.place_of(body.entity); place != kNone) body_of_place[place] = &body;
    moves.clear();
    body_of_collider.clear();
    for (const SavedCollider& collider : colliders) {
        const uint32_t place = image.place_of(collider.seen.body);
        const SavedBody* body = place != kNone ? body_of_place[place] : nullptr;
        const std::byte* sleep = image.value(kTypeOf<SleepState>, place);
        body_of_collider.push_back(body);
        moves.push_back(body && sleep && body->dynamic && !engine::detail::read_component<SleepState>(sleep).asleep);
    }
    image.index_colliders();
    const auto row_of = [&](uint32_t stable_id) {
        const SavedCollider* collider = image.collider_with_id(stable_id);
        return collider ? size_t(collider - colliders.data()) : colliders.size();
    };
    size_t next = 0;
    for (const SavedPair& pair : image.history.pairs) {
        const size_t first = next;
        next += pair.manifolds;
        if (pair.manifolds == 0) continue;
        const size_t row_a = row_of(uint32_t(pair.key >> 32)), row_b = row_of(uint32_t(pair.key));
        if (row_a == colliders.size() || row_b == colliders.size() || !(moves[row_a] || moves[row_b])) continue;
        const SavedBody *a = body_of_collider[row_a], *b = body_of_collider[row_b];
        if (!a || !b) continue;
        for (size_t k = first; k < next; ++k) {
            Manifold& m = image.history.manifolds[k].manifold;
            const Quat& rotation = (m.frame_on_b ? b : a)->rotation;
            m.normal = rotation * m.frame_normal;
            m.tangent1 = rotation * m.frame_tangent;
            m.tangent2 = glm::cross(m.normal, m.tangent1);
            for (uint32_t i = 0; i < std::min(m.count, 4u); ++i) {
                ManifoldPoint& p = m.points[i];
                p.impulse = p.point = Vec3(0.0f);
                p.separation = p.approach_speed = 0.0f;
                if (kTakesOut) continue;
                const Vec3 on_a = a->center + a->rotation * p.anchor_a, on_b = b->center + b->rotation * p.anchor_b;
                p.point = 0.5f * (on_a + on_b);
                p.separation = glm::dot(m.normal, on_b - on_a);
            }
        }
    }
}

}  // namespace

void take_out_reports(StateImage& image) { change_reports<true>(image); }
void derive_reports(StateImage& image) { change_reports<false>(image); }

}  // namespace proxima::physics
