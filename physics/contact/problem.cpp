// SPDX-License-Identifier: MIT
#include "physics/contact/problem.h"

#include <algorithm>

#include "engine/core/assert.h"
#include "physics/contact/symmetric3.h"

namespace proxima::physics {

void ContactProblem::compute_blocks(Contact& c) const {
    const BodyInverseMass& a = inverse_mass[c.a];
    const BodyInverseMass& b = inverse_mass[c.b];
    const float mass = a.mass + b.mass;
    // W_de = (1/m_a + 1/m_b) d.e + (r_a x d) . I_a^-1 (r_a x e) + (r_b x d) . I_b^-1 (r_b x e)
    const auto entry = [&](const Vec3& d, const Vec3& e) {
        return mass * glm::dot(d, e) + glm::dot(glm::cross(c.arm_a, d), a.inertia * glm::cross(c.arm_a, e)) +
               glm::dot(glm::cross(c.arm_b, d), b.inertia * glm::cross(c.arm_b, e));
    };
    c.normal_block = entry(c.normal, c.normal);
    c.tangent_block = {entry(c.tangent1, c.tangent1), entry(c.tangent1, c.tangent2), entry(c.tangent2, c.tangent2)};
    c.tangent_step = step_of(largest_eigenvalue(c.tangent_block));
}

namespace {

/// Directions of the angular rows times their radius: torsion, rolling about tangent 1 and 2.
struct SpinRows {
    Vec3 row[3];
    SpinRows(const Contact& c, const ExtraFriction& x)
        : row{c.normal * x.torsion_radius, c.tangent1 * x.rolling_radius, c.tangent2 * x.rolling_radius} {}
};

/// Gives b the angular impulse and a its opposite.
void apply_spin(const Contact& c, const Vec3& moment, std::span<const BodyInverseMass> inverse_mass,
                std::span<BodyVelocity> velocity) {
    if (inverse_mass[c.a].mass > 0.0f) velocity[c.a].angular -= inverse_mass[c.a].inertia * moment;
    if (inverse_mass[c.b].mass > 0.0f) velocity[c.b].angular += inverse_mass[c.b].inertia * moment;
}

}  // namespace

void ContactProblem::compute_blocks(ExtraFriction& x, const Contact& c) const {
    const BodyInverseMass& a = inverse_mass[c.a];
    const BodyInverseMass& b = inverse_mass[c.b];
    const SpinRows spin(c, x);
    // Angular rows have no lever arm and no mass: W_de = d . I_a^-1 e + d . I_b^-1 e, and with a tangent t
    // (r_a x t) . I_a^-1 e + (r_b x t) . I_b^-1 e.
    const auto entry = [&](const Vec3& d, const Vec3& e) {
        return glm::dot(d, a.inertia * e) + glm::dot(d, b.inertia * e);
    };
    const auto with_tangent = [&](const Vec3& t, const Vec3& e) {
        return glm::dot(glm::cross(c.arm_a, t), a.inertia * e) + glm::dot(glm::cross(c.arm_b, t), b.inertia * e);
    };
    x.torsion_block = entry(spin.row[0], spin.row[0]);
    x.torsion_1 = with_tangent(c.tangent1, spin.row[0]);
    x.torsion_2 = with_tangent(c.tangent2, spin.row[0]);
    x.rolling_block = {entry(spin.row[1], spin.row[1]), entry(spin.row[1], spin.row[2]),
                       entry(spin.row[2], spin.row[2])};
}

void ContactProblem::add_extra(uint32_t contact, const ExtraFriction& extra) {
    if (extra_of_contact.size() != contacts.size()) extra_of_contact.resize(contacts.size(), kNoExtra);
    extra_of_contact[contact] = uint32_t(extras.size());
    extras.push_back(extra);
}

void ContactProblem::set_bilateral(uint32_t contact, float tangent_bias1, float tangent_bias2) {
    if (kinds.size() != contacts.size()) kinds.resize(contacts.size());
    kinds[contact] = {RowKind::bilateral, {tangent_bias1, tangent_bias2}};
}

void ContactProblem::set_tangent_bias(uint32_t contact, float bias1, float bias2) {
    if (kinds.size() != contacts.size()) kinds.resize(contacts.size());
    kinds[contact].tangent_bias[0] = bias1;
    kinds[contact].tangent_bias[1] = bias2;
}

bool ContactProblem::has_bilateral() const {
    return std::any_of(kinds.begin(), kinds.end(), [](const BlockKind& k) { return k.kind == RowKind::bilateral; });
}

void ContactProblem::apply_warm_start(uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; !extra_of_contact.empty() && i < end; ++i) {
        if (extra_of_contact[i] == kNoExtra) continue;
        const ExtraFriction& x = extras[extra_of_contact[i]];
        const SpinRows spin(contacts[i], x);
        apply_spin(contacts[i], spin.row[0] * x.lambda.x + spin.row[1] * x.lambda.y + spin.row[2] * x.lambda.z,
                   inverse_mass, velocity);
    }
    for (uint32_t i = begin; i < end; ++i) {
        const Contact& c = contacts[i];
        const Vec3 impulse = c.normal * c.lambda.x + c.tangent1 * c.lambda.y + c.tangent2 * c.lambda.z;
        apply_impulse(c, impulse, inverse_mass, velocity);
    }
}

Real2<float> BodySystem::coupling_block(uint32_t i) const {
    const Contact& c = at(i);
    const BodyInverseMass& a = problem_->inverse_mass[c.a];
    const BodyInverseMass& b = problem_->inverse_mass[c.b];
    const Vec3 turn_a = a.inertia * glm::cross(c.arm_a, c.normal);
    const Vec3 turn_b = b.inertia * glm::cross(c.arm_b, c.normal);
    const auto entry = [&](const Vec3& t) {
        return (a.mass + b.mass) * glm::dot(c.normal, t) + glm::dot(turn_a, glm::cross(c.arm_a, t)) +
               glm::dot(turn_b, glm::cross(c.arm_b, t));
    };
    return {entry(c.tangent1), entry(c.tangent2)};
}

bool BodySystem::any_bilateral() const {
    for (uint32_t i = 0; i < size(); ++i)
        if (is_bilateral(i)) return true;
    return false;
}

bool BodySystem::any_extra() const {
    for (uint32_t i = 0; i < size(); ++i)
        if (is_extra(i)) return true;
    return false;
}

ExtraState BodySystem::extra_state(uint32_t i) const {
    const Contact& c = at(i);
    const ExtraFriction& x = *find_extra(i);
    const SpinRows spin(c, x);
    const Vec3 turning = problem_->velocity[c.b].angular - problem_->velocity[c.a].angular;
    ExtraState state;
    state.across = double(x.across);
    // The patch turns over both axes of an ellipse: their mean.
    state.torsion = x.torsion_radius > 0.0f ? 0.5 * (double(c.friction) + double(x.across)) : 0.0;
    state.rolls = x.rolling_radius > 0.0f;
    state.friction_block = {double(c.tangent_block.t11), double(c.tangent_block.t22), double(x.torsion_block),
                            double(c.tangent_block.t12), double(x.torsion_1),         double(x.torsion_2)};
    state.rolling_block = {double(x.rolling_block.t11), double(x.rolling_block.t12), double(x.rolling_block.t22)};
    state.impulse = {double(x.lambda.x), double(x.lambda.y), double(x.lambda.z)};
    state.velocity = {double(glm::dot(spin.row[0], turning)), double(glm::dot(spin.row[1], turning)),
                      double(glm::dot(spin.row[2], turning))};
    return state;
}

void BodySystem::add_spin(uint32_t i, Real3<float> delta) {
    const Contact& c = at(i);
    ExtraFriction& x = problem_->extras[problem_->extra_of_contact[first_ + i]];
    x.lambda += Vec3(delta.n, delta.t1, delta.t2);
    const SpinRows spin(c, x);
    apply_spin(c, spin.row[0] * delta.n + spin.row[1] * delta.t1 + spin.row[2] * delta.t2, problem_->inverse_mass,
               problem_->velocity);
}

ExtraState BodySystem::extra_bounds(uint32_t i, float& bound_n) const {
    const Contact& c = at(i);
    const ExtraFriction& x = *find_extra(i);
    const SpinRows spin(c, x);
    // As in splitting_bounds a body gives each of its contacts its share of the mass. A matrix is at most as many
    // times its block diagonal as it has blocks, so that normal, friction and rolling can be treated alone.
    const double blocks = x.rolling_radius > 0.0f ? 3.0 : 2.0;
    const BodyInverseMass bodies[2] = {problem_->inverse_mass[c.a], problem_->inverse_mass[c.b]};
    const Vec3 arms[2] = {c.arm_a, c.arm_b};
    const double shares[2] = {blocks * scratch_->body_count[c.a], blocks * scratch_->body_count[c.b]};
    ExtraState bound = extra_state(i);
    bound.friction_block = {};
    bound.rolling_block = {};
    double normal_sum = 0.0;
    for (int side = 0; side < 2; ++side) {
        const BodyInverseMass& body = bodies[side];
        const Vec3 moment[3] = {glm::cross(arms[side], c.tangent1), glm::cross(arms[side], c.tangent2), spin.row[0]};
        const auto turning = [&](const Vec3& d, const Vec3& e) {
            return shares[side] * double(glm::dot(d, body.inertia * e));
        };
        const double mass = shares[side] * double(body.mass);
        const Vec3 about = glm::cross(arms[side], c.normal);
        normal_sum += mass + turning(about, about);
        Symmetric3& f = bound.friction_block;
        f.xx += mass + turning(moment[0], moment[0]);
        f.yy += mass + turning(moment[1], moment[1]);
        f.zz += turning(moment[2], moment[2]);
        f.xy += turning(moment[0], moment[1]);
        f.xz += turning(moment[0], moment[2]);
        f.yz += turning(moment[1], moment[2]);
        bound.rolling_block.t11 += turning(spin.row[1], spin.row[1]);
        bound.rolling_block.t12 += turning(spin.row[1], spin.row[2]);
        bound.rolling_block.t22 += turning(spin.row[2], spin.row[2]);
    }
    bound_n = float(normal_sum);
    return bound;
}

void BodySystem::save() {
    const uint32_t n = size();
    scratch_->lambda.resize(n);
    for (uint32_t i = 0; i < n; ++i) scratch_->lambda[i] = at(i).lambda;
    scratch_->spin.clear();
    for (uint32_t i = 0; !problem_->extra_of_contact.empty() && i < n; ++i)
        if (const ExtraFriction* x = find_extra(i)) scratch_->spin.push_back(x->lambda);
    scratch_->velocity.resize(bodies_.size());
    for (size_t k = 0; k < bodies_.size(); ++k) scratch_->velocity[k] = problem_->velocity[bodies_[k]];
}

void BodySystem::restore() {
    const uint32_t n = size();
    for (uint32_t i = 0; i < n; ++i) at(i).lambda = scratch_->lambda[i];
    size_t spin = 0;
    for (uint32_t i = 0; !problem_->extra_of_contact.empty() && i < n; ++i)
        if (is_extra(i)) problem_->extras[problem_->extra_of_contact[first_ + i]].lambda = scratch_->spin[spin++];
    for (size_t k = 0; k < bodies_.size(); ++k) problem_->velocity[bodies_[k]] = scratch_->velocity[k];
}

void BodySystem::extrapolate(float beta) {
    const uint32_t n = size();
    Scratch& s = *scratch_;
    const auto move = [&](Vec3& now, Vec3& before) {
        const Vec3 kept = now;
        if (beta != 0.0f) now += beta * (now - before);
        before = kept;
    };
    s.lambda_before.resize(n);
    for (uint32_t i = 0; i < n; ++i) move(at(i).lambda, s.lambda_before[i]);
    if (!problem_->extra_of_contact.empty()) {
        s.spin_before.resize(n);
        for (uint32_t i = 0; i < n; ++i)
            if (is_extra(i)) move(problem_->extras[problem_->extra_of_contact[first_ + i]].lambda, s.spin_before[i]);
    }
    s.velocity_before.resize(bodies_.size());
    for (size_t k = 0; k < bodies_.size(); ++k) {
        if (!(problem_->inverse_mass[bodies_[k]].mass > 0.0f)) continue;  // shared with others
        BodyVelocity& v = problem_->velocity[bodies_[k]];
        move(v.linear, s.velocity_before[k].linear);
        move(v.angular, s.velocity_before[k].angular);
    }
}

void BodySystem::step_back() {
    const Scratch& s = *scratch_;
    for (uint32_t i = 0; i < size(); ++i) at(i).lambda = s.lambda_before[i];
    for (uint32_t i = 0; !problem_->extra_of_contact.empty() && i < size(); ++i)
        if (is_extra(i)) problem_->extras[problem_->extra_of_contact[first_ + i]].lambda = s.spin_before[i];
    for (size_t k = 0; k < bodies_.size(); ++k) {
        if (!(problem_->inverse_mass[bodies_[k]].mass > 0.0f)) continue;
        problem_->velocity[bodies_[k]].linear = s.velocity_before[k].linear;
        problem_->velocity[bodies_[k]].angular = s.velocity_before[k].angular;
    }
}

void BodySystem::count_groups() {
    // Only the slots that these contacts name are cleared and read: the array spans all bodies of the world.
    std::vector<uint32_t>& count = scratch_->body_count;
    if (count.size() < problem_->velocity.size()) count.resize(problem_->velocity.size());
    for (uint32_t g = 0; g < group_count_; ++g) {
        const Contact& c = problem_->contacts[groups_[g].begin];
        count[c.a] = count[c.b] = 0;
    }
    for (uint32_t g = 0; g < group_count_; ++g) {
        const Contact& c = problem_->contacts[groups_[g].begin];
        ++count[c.a];
        ++count[c.b];
    }
}

void BodySystem::splitting_bounds(std::span<float> bounds) {
    const uint32_t n = size();
    PX_ASSERT(bounds.size() >= n, "one bound per contact");
    // Only the slots that these contacts name are cleared and read: the array spans all bodies of the world.
    std::vector<uint32_t>& count = scratch_->body_count;
    if (count.size() < problem_->velocity.size()) count.resize(problem_->velocity.size());
    for (uint32_t i = 0; i < n; ++i) count[at(i).a] = count[at(i).b] = 0;
    for (uint32_t i = 0; i < n; ++i) {
        ++count[at(i).a];
        ++count[at(i).b];
    }
    for (uint32_t i = 0; i < n; ++i) {
        const Contact& c = at(i);
        Symmetric3 sum{};
        const auto add = [&](const BodyInverseMass& body, const Vec3& arm, uint32_t contacts) {
            const Vec3 axis[3] = {c.normal, c.tangent1, c.tangent2};
            const auto entry = [&](int d, int e) {
                return double(contacts) * (double(body.mass) * glm::dot(axis[d], axis[e]) +
                                           glm::dot(glm::cross(arm, axis[d]), body.inertia * glm::cross(arm, axis[e])));
            };
            sum.xx += entry(0, 0);
            sum.yy += entry(1, 1);
            sum.zz += entry(2, 2);
            sum.xy += entry(0, 1);
            sum.xz += entry(0, 2);
            sum.yz += entry(1, 2);
        };
        add(problem_->inverse_mass[c.a], c.arm_a, count[c.a]);
        add(problem_->inverse_mass[c.b], c.arm_b, count[c.b]);
        bounds[i] = float(largest_eigenvalue(sum));
    }
}

}  // namespace proxima::physics
