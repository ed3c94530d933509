// SPDX-License-Identifier: MIT
// From manifolds to the rows of the contact problem, and back: geometry once a step, gaps and softness each
// sub-step.
#include <algorithm>
#include <string>

#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kGroupsPerBlock = 64;
constexpr uint32_t kContactsPerBlock = 256;

void assemble_group(StepContext& c, uint32_t g) {
    const PairSlot& slot = c.pairs[c.group_pairs[g]];
    const Manifold& m = *slot.manifold;
    const bool immovable =
        c.bodies.inverse_mass[slot.body_a].mass == 0.0f || c.bodies.inverse_mass[slot.body_b].mass == 0.0f;
    // Impulses belong to a sub-step: another length of it scales them.
    const float scale = m.lambda_dt > 0.0f ? c.h / m.lambda_dt : 0.0f;
    for (uint32_t i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[i];
        Contact& k = c.problem.contacts[slot.first_contact + i];
        k.a = slot.body_a;
        k.b = slot.body_b;
        k.normal = m.normal;
        k.tangent1 = m.tangent1;
        k.tangent2 = m.tangent2;
        k.arm_a = p.arm_a;
        k.arm_b = m.arm_b(i);
        k.friction = m.friction;
        k.lambda = p.lambda * scale;
        c.problem.compute_blocks(k);
        ContactLaw& law = c.laws[slot.first_contact + i];
        law = {};
        const BodyPlace &place_a = c.bodies.place[k.a], &place_b = c.bodies.place[k.b];
        const Vec3 between =
            (place_b.center - place_a.center) + place_b.rotation * p.anchor_b - place_a.rotation * p.anchor_a;
        law.start_gap = law.gap = p.base_gap + glm::dot(m.normal, between);
        law.restitution = m.restitution;
        law.against_immovable = immovable;
        law.approach_speed =
            -glm::dot(k.normal, relative_motion(k, c.bodies.velocity[k.a], c.bodies.velocity[k.b]));
    }
}

/// The rows of contacts whose friction is more than a disk. Few pairs have them, so one thread looks for
/// them, and only in worlds with such surfaces.
void assemble_extras(StepContext& c) {
    c.problem.extras.clear();
    c.problem.extra_of_contact.clear();
    if (c.special_colliders == 0) return;
    const auto& frictions = c.world.registry().storage<PairFriction>();
    bool refused = false;
    for (const uint32_t pair : c.group_pairs) {
        const PairSlot& slot = c.pairs[pair];
        const Manifold& m = *slot.manifold;
        if (!needs_general_path(m) || !frictions.contains(slot.entity)) continue;
        refused |= !c.solver->extra_friction;
        if (refused) continue;
        const PairFriction& friction = frictions.get(slot.entity);
        const float scale = m.lambda_dt > 0.0f ? c.h / m.lambda_dt : 0.0f;
        const auto over = [&](float moment, float radius) {
            return radius > 0.0f ? moment * scale / radius : 0.0f;
        };
        for (uint32_t i = 0; i < m.count; ++i) {
            const Vec3& moment = friction.moment[i];
            ExtraFriction extra;
            extra.across = friction.across;
            extra.torsion_radius = friction.torsion_radius;
            extra.rolling_radius = friction.rolling_radius;
            extra.lambda = {over(moment.x, friction.torsion_radius), over(moment.y, friction.rolling_radius),
                            over(moment.z, friction.rolling_radius)};
            c.problem.compute_blocks(extra, c.problem.contacts[slot.first_contact + i]);
            c.problem.add_extra(slot.first_contact + i, extra);
        }
    }
    // Settings and materials that do not go together are refused where they are given; a game that writes its
    // components itself gets here.
    if (refused)
        c.report.warnings.push_back(
            {kNoEntity,
             "The solver '" + std::string(c.solver->name) +
                 "' knows one coefficient of friction a contact; grain, torsional and rolling friction "
                 "are left out. Choose prox_gs or prox_jacobi."});
}

/// Bias and compliance of a contact whose gap is known. An open gap may close, but no further: v_n >= -s/h.
void set_law(const StepContext& c, const ContactLaw& law, bool push, Contact& k) {
    k.compliance = 0.0f;
    if (law.gap > 0.0f) {
        k.bias = law.gap / c.h;
        return;
    }
    k.bias = 0.0f;
    if (!push || c.settings.stabilisation != Stabilisation::soft) return;
    const SoftContact& soft = law.against_immovable ? c.soft_immovable : c.soft;
    k.bias = std::max(soft.push_rate * law.gap, -c.settings.max_push_speed);
    k.compliance = soft.compliance_factor * k.normal_block;
}

void refresh_contacts(StepContext& c, bool push) {
    c.jobs->parallel_for(uint32_t(c.laws.size()), kContactsPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            Contact& k = c.problem.contacts[i];
            ContactLaw& law = c.laws[i];
            law.gap = law.start_gap +
                      glm::dot(k.normal, relative_motion(k, c.bodies.moved[k.a], c.bodies.moved[k.b]));
            set_law(c, law, push, k);
        }
    });
}

}  // namespace

void assemble(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::assemble));
    c.problem.velocity = c.bodies.velocity;
    c.problem.inverse_mass = c.bodies.inverse_mass;
    c.jobs->parallel_for(uint32_t(c.problem.groups.size()), kGroupsPerBlock,
                         [&](const engine::JobBlock& block) {
                             for (uint32_t g = block.begin; g < block.end; ++g) assemble_group(c, g);
                         });
    assemble_extras(c);
    c.island_bounces.assign(c.islands.size(), 0);
    for (const uint32_t k : c.group_pairs)
        if (c.pairs[k].manifold->restitution > 0.0f)
            c.island_bounces[island_of(c, c.pairs[k].body_a, c.pairs[k].body_b)] = 1;
}

void refresh(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::refresh));
    refresh_contacts(c, true);
}

void refresh_without_push(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::refresh));
    refresh_contacts(c, false);
}

void add_up_impulses(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::refresh));
    for (uint32_t i = 0; i < c.laws.size(); ++i) c.laws[i].total += c.problem.contacts[i].lambda;
}

void store_impulses(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::store_impulses));
    c.jobs->parallel_for(uint32_t(c.problem.groups.size()), kGroupsPerBlock,
                         [&](const engine::JobBlock& block) {
                             for (uint32_t g = block.begin; g < block.end; ++g) {
                                 PairSlot& slot = c.pairs[c.group_pairs[g]];
                                 Manifold& m = *slot.manifold;
                                 m.lambda_dt = c.h;
                                 for (uint32_t i = 0; i < m.count; ++i) {
                                     const Contact& k = c.problem.contacts[slot.first_contact + i];
                                     const ContactLaw& law = c.laws[slot.first_contact + i];
                                     ManifoldPoint& p = m.points[i];
                                     p.lambda = k.lambda;
                                     p.impulse = law.total;
                                     p.separation = law.gap;
                                     p.approach_speed = law.approach_speed;
                                 }
                                 note_contact(slot, c.settings.hit_speed);
                             }
                         });
    if (c.problem.extras.empty()) return;
    auto& frictions = c.world.registry().storage<PairFriction>();
    for (const uint32_t pair : c.group_pairs) {
        const PairSlot& slot = c.pairs[pair];
        for (uint32_t i = 0; i < slot.manifold->count; ++i) {
            const uint32_t k = c.problem.extra_of_contact[slot.first_contact + i];
            if (k == kNoExtra) break;  // a pair's points all have it or none
            const ExtraFriction& extra = c.problem.extras[k];
            frictions.get(slot.entity).moment[i] =
                extra.lambda * Vec3(extra.torsion_radius, extra.rolling_radius, extra.rolling_radius);
        }
    }
}

}  // namespace proxima::physics
