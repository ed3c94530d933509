// SPDX-License-Identifier: MIT
// The first and the last stage: clears what the step reports, and turns contacts into events that are read as
// arrays.
#include <algorithm>
#include <cstring>

#include "physics/step.h"

namespace proxima::physics {

namespace {

// A contact that lost its impulse still counts as touching until it opens this far: no flicker of events.
constexpr float kStillTouching = 0.001f;  // m

enum News : uint8_t { kTouchChanged = 1, kHit = 2 };

constexpr uint32_t kCollidersPerBlock = 1024;

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
    hit.collider_a = c.colliders[slot.collider_a].entity;
    hit.collider_b = c.colliders[slot.collider_b].entity;
    hit.body_a = c.bodies.facts[slot.body_a].entity;
    hit.body_b = c.bodies.facts[slot.body_b].entity;
    hit.normal = m.normal;
    hit.point = c.bodies.place[slot.body_a].center + m.points[strongest].arm_a;
    hit.approach_speed = speed;
    hit.normal_impulse = normal_impulse;
    hit.tangent_impulse = glm::length(tangent);
    c.hit_events.push_back(hit);
}

/// Pairs that lost their points, and those that the read-out marked.
void list_pairs_with_news(StepContext& c) {
    c.slot_list.clear();
    for (const uint32_t k : c.changed_pairs) {
        PairSlot& slot = c.pairs[k];
        if (slot.count > 0 || !slot.touching) continue;
        slot.touching = 0;
        slot.news = kTouchChanged;
        c.slot_list.push_back(k);
    }
    for (const uint32_t k : c.group_pairs)
        if (c.pairs[k].news) c.slot_list.push_back(k);
    if (!c.goes_wide) return;
    // Most have none: eight at a time.
    const std::vector<uint8_t>& news = c.wide.news;
    for (size_t k = 0; k < news.size(); k += sizeof(uint64_t)) {
        uint64_t eight = 0;
        const size_t end = std::min(k + sizeof(eight), news.size());
        std::memcpy(&eight, news.data() + k, end - k);
        for (size_t i = k; eight != 0 && i < end; ++i)
            if (news[i]) c.slot_list.push_back(c.wide.items[i].pair);
    }
}

}  // namespace

uint8_t note_contact(PairSlot& slot, float hit_speed) {
    const Manifold& m = *slot.manifold;
    bool now = false, hit = false;
    for (uint32_t i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[i];
        now |= p.impulse.x > 0.0f || p.separation <= (slot.touching ? kStillTouching : 0.0f);
        hit |= p.impulse.x > 0.0f && p.approach_speed >= hit_speed;
    }
    slot.news = uint8_t((now != (slot.touching != 0) ? kTouchChanged : 0) | (now && hit ? kHit : 0));
    slot.touching = now;
    return slot.news;
}

void begin_step(StepContext& c) {
    c.times.begin_frame();
    ++c.step_number;
    c.begin_events.clear();
    c.end_events.clear();
    c.hit_events.clear();
    c.report.step = c.step_number;
    c.report.warnings.clear();
    c.measured = {};
    c.h = c.dt / float(c.settings.substeps);
    c.goes_wide = can_go_wide(c.settings);
    c.scratch.resize(c.jobs->worker_count());
    // No spring stiffer than a quarter of the sub-step rate: above it the implicit spring is a hard contact
    // anyway.
    const float hertz = std::min(c.settings.contact_hertz, 0.25f / c.h);
    c.soft = make_soft_contact(hertz, c.settings.contact_damping_ratio, c.h);
    c.soft_immovable = make_soft_contact(2.0f * hertz, c.settings.contact_damping_ratio, c.h);
}

/// What the bodies moved in this step is taken from what their boxes allow; pairs do the same when they are
/// next looked through. Then the events, in the order of the pairs' keys.
void end_step(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::events));
    const std::vector<float>& motion = c.bodies.motion;
    c.jobs->parallel_for(uint32_t(c.colliders.size()), kCollidersPerBlock,
                         [&](const engine::JobBlock& block) {
                             for (uint32_t k = block.begin; k < block.end; ++k)
                                 c.colliders[k].box_slack -= motion[c.colliders[k].body];
                         });
    c.bodies.unseen_motion.swap(c.bodies.motion);
    c.bodies.motion.resize(c.bodies.size());
    list_pairs_with_news(c);
    std::sort(c.slot_list.begin(), c.slot_list.end(),
              [&](uint32_t x, uint32_t y) { return c.pairs[x].key < c.pairs[y].key; });
    auto& pairs = c.world.registry().storage<ContactPair>();
    for (const uint32_t k : c.slot_list) {
        PairSlot& slot = c.pairs[k];
        ContactPair& pair = pairs.get(slot.entity);
        pair.touching = slot.touching;
        if (slot.news & kTouchChanged) {
            if (slot.touching)
                c.begin_events.push_back(
                    {slot.entity, pair.collider_a, pair.collider_b, pair.body_a, pair.body_b});
            else
                c.end_events.push_back({pair.collider_a, pair.collider_b, pair.body_a, pair.body_b});
        }
        if (slot.news & kHit) report_hit(c, slot);
        slot.news = 0;
    }
    c.contacts_changed = false;
}

}  // namespace proxima::physics
