// SPDX-License-Identifier: MIT
// The first and the last stage: clears what the step reports, and turns contacts into events that are read as
// arrays.
#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

namespace {

// A contact that lost its impulse still counts as touching until it opens this far: no flicker of events.
constexpr float kStillTouching = 0.001f;  // m

bool touches(const Manifold& m, bool touched_before) {
    for (uint32_t i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[i];
        if (p.impulse.x > 0.0f || p.separation <= (touched_before ? kStillTouching : 0.0f)) return true;
    }
    return false;
}

/// The blow of a whole manifold: impulses of its points together, at the point that took most of it.
void report_hit(StepContext& c, const PairSlot& slot) {
    const Manifold& m = *slot.manifold;
    float speed = 0.0f, normal_impulse = 0.0f;
    Vec3 tangent(0.0f);
    uint32_t strongest = 0;
    for (uint32_t i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[i];
        if (p.impulse.x > 0.0f) speed = std::max(speed, p.approach_speed);
        normal_impulse += p.impulse.x;
        tangent += m.tangent1 * p.impulse.y + m.tangent2 * p.impulse.z;
        if (p.impulse.x > m.points[strongest].impulse.x) strongest = i;
    }
    if (speed < c.settings.hit_speed || normal_impulse <= 0.0f) return;
    ContactHit hit;
    hit.pair = slot.entity;
    hit.collider_a = slot.pair->collider_a;
    hit.collider_b = slot.pair->collider_b;
    hit.body_a = slot.pair->body_a;
    hit.body_b = slot.pair->body_b;
    hit.normal = m.normal;
    const uint32_t body_a = c.colliders[slot.collider_a].body;
    hit.point = c.bodies.place[body_a].center + m.points[strongest].arm_a;
    hit.approach_speed = speed;
    hit.normal_impulse = normal_impulse;
    hit.tangent_impulse = glm::length(tangent);
    c.hit_events.push_back(hit);
}

}  // namespace

void begin_step(StepContext& c) {
    c.times.begin_frame();
    ++c.step_number;
    c.begin_events.clear();
    c.end_events.clear();
    c.hit_events.clear();
    c.report.step = c.step_number;
    c.report.warnings.clear();
    c.h = c.dt / float(c.settings.substeps);
    c.goes_wide = can_go_wide(c.settings);
    c.scratch.resize(c.jobs->worker_count());
    // No spring stiffer than a quarter of the sub-step rate: above it the implicit spring is a hard contact
    // anyway.
    const float hertz = std::min(c.settings.contact_hertz, 0.25f / c.h);
    c.soft = make_soft_contact(hertz, c.settings.contact_damping_ratio, c.h);
    c.soft_immovable = make_soft_contact(2.0f * hertz, c.settings.contact_damping_ratio, c.h);
}

void end_step(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::events));
    for (const PairSlot& slot : c.pairs) {
        ContactPair& pair = *slot.pair;
        if (slot.island == kNoIsland && slot.manifold->count > 0) continue;  // asleep: as it was
        const bool now = touches(*slot.manifold, pair.touching != 0);
        if (now && !pair.touching)
            c.begin_events.push_back(
                {slot.entity, pair.collider_a, pair.collider_b, pair.body_a, pair.body_b});
        if (!now && pair.touching)
            c.end_events.push_back({pair.collider_a, pair.collider_b, pair.body_a, pair.body_b});
        pair.touching = now;
        if (now) report_hit(c, slot);
    }
}

}  // namespace proxima::physics
