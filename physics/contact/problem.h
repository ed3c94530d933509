// SPDX-License-Identifier: MIT
// The contact problem of a running world, matrix-free: bodies as velocities and inverse masses, contacts as frames
// and lever arms. W = J M^-1 J^T is never formed; a contact impulse moves the two bodies and every velocity follows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "physics/contact/system.h"

namespace proxima::physics {

/// Velocity of a body about its centre of mass; the part of its state that sweeps read and write.
struct BodyVelocity {
    Vec3 linear{0.0f, 0.0f, 0.0f};
    float unused0 = 0.0f;
    Vec3 angular{0.0f, 0.0f, 0.0f};
    float unused1 = 0.0f;
};
static_assert(sizeof(BodyVelocity) == 32, "two bodies of a contact: two half cache lines");

/// Inverse mass and world inverse inertia, all zero for bodies that contacts cannot move.
struct BodyInverseMass {
    Sym3 inertia;
    float mass = 0.0f;
    float unused = 0.0f;
};
static_assert(sizeof(BodyInverseMass) == 32);

/// One contact point of the problem, or the point of a ball joint: geometry, law, and unknown.
struct Contact {
    uint32_t a = 0, b = 0;  // body slots
    Vec3 normal, tangent1, tangent2;
    Vec3 arm_a, arm_b;  // from the centres of mass to the contact point, world
    float friction = 0.0f;
    float bias = 0.0f;                    // added to v_n: s/h for an open gap, a push-out speed for an overlap
    float compliance = 0.0f;              // c, in (m/s) per (N s)
    float normal_block = 0.0f;            // W_nn
    TangentBlock<float> tangent_block{};  // W_tt
    float tangent_step = 0.0f;            // 1/lambda_max(W_tt), 0 when nothing can move
    Vec3 lambda{0.0f, 0.0f, 0.0f};        // (normal, tangent 1, tangent 2)
};

/// What blocks have that may not be contacts: beside them, so that contacts stay small and cost what they cost.
struct BlockKind {
    RowKind kind = RowKind::contact;
    float tangent_bias[2] = {0.0f, 0.0f};  // added to v_t, as Contact::bias is to v_n
};

/// Motion of b seen from a at a contact: of velocities, or of small displacements and turns.
inline Vec3 relative_motion(const Contact& c, const BodyVelocity& a, const BodyVelocity& b) {
    return b.linear + glm::cross(b.angular, c.arm_b) - a.linear - glm::cross(a.angular, c.arm_a);
}

/// Gives b the impulse and a its opposite: u += M^-1 J^T l. Bodies that cannot move are shared between
/// islands: they are read, never written.
inline void apply_impulse(const Contact& c, const Vec3& impulse, std::span<const BodyInverseMass> inverse_mass,
                          std::span<BodyVelocity> velocity) {
    const BodyInverseMass& ma = inverse_mass[c.a];
    if (ma.mass > 0.0f) {
        BodyVelocity& a = velocity[c.a];
        a.linear -= impulse * ma.mass;
        a.angular -= ma.inertia * glm::cross(c.arm_a, impulse);
    }
    const BodyInverseMass& mb = inverse_mass[c.b];
    if (mb.mass > 0.0f) {
        BodyVelocity& b = velocity[c.b];
        b.linear += impulse * mb.mass;
        b.angular += mb.inertia * glm::cross(c.arm_b, impulse);
    }
}

/// What the few contacts have whose friction is more than a disk: beside the contacts, so that these stay small.
struct ExtraFriction {
    float across = 0.0f;          // coefficient along tangent 2
    float torsion_radius = 0.0f;  // e, m: moments about the normal up to e mu l_n
    float rolling_radius = 0.0f;  // r, m: moments about the tangents up to r l_n
    // Blocks of W with angular rows multiplied by their radius.
    float torsion_1 = 0.0f, torsion_2 = 0.0f, torsion_block = 0.0f;  // torsion with tangent 1, 2 and itself
    TangentBlock<float> rolling_block{};
    Vec3 lambda{0.0f, 0.0f, 0.0f};  // torsion, rolling about tangent 1 and 2: moments over radii, N s
};
inline constexpr uint32_t kNoExtra = 0xFFFFFFFFu;

/// All contacts of a step. Contacts of one manifold are neighbours; manifolds of one island are neighbours.
struct ContactProblem {
    std::span<BodyVelocity> velocity;               // in and out: u, with the effect of lambda inside
    std::span<const BodyInverseMass> inverse_mass;  // M^-1
    std::vector<Contact> contacts;
    std::vector<ContactGroup> groups;  // one per manifold
    std::vector<ExtraFriction> extras;
    std::vector<uint32_t> extra_of_contact;  // into extras, or kNoExtra; empty when there are none
    std::vector<BlockKind> kinds;            // 1 per contact, or empty: all are contacts

    /// Fills W_nn, W_tt and the tangent step of a contact from its frame, arms and the bodies' masses.
    void compute_blocks(Contact& contact) const;
    /// The same for the extra rows of a contact, from its frame and arms.
    void compute_blocks(ExtraFriction& extra, const Contact& contact) const;
    /// Friction that is more than a disk, for one more contact of the list.
    void add_extra(uint32_t contact, const ExtraFriction& extra);
    /// Makes a contact of the list a bilateral block. Its bias, frame, arms and compliance are those of the
    /// contact; its friction means nothing.
    void set_bilateral(uint32_t contact, float tangent_bias1 = 0.0f, float tangent_bias2 = 0.0f);
    /// Friction of a contact that stays one acts against v_t + bias.
    void set_tangent_bias(uint32_t contact, float bias1, float bias2);
    bool has_bilateral() const;
    /// Adds M^-1 J^T lambda of every contact in [begin, end) to the velocities: to be done once for given lambdas.
    void apply_warm_start(uint32_t begin, uint32_t end);
};

/// The groups [group_begin, group_end) of a problem and the bodies they touch, as solvers see them.
class BodySystem {
  public:
    using Real = float;

    /// `bodies` lists the slots that may move (needed by save and restore only); scratch is the caller's, so
    /// that a solve allocates nothing once the scratch has grown.
    struct Scratch {
        std::vector<Vec3> lambda;
        std::vector<Vec3> spin;  // of contacts with extra friction
        std::vector<BodyVelocity> velocity;
        // The iterate before, of solvers with momentum.
        std::vector<Vec3> lambda_before, spin_before;
        std::vector<BodyVelocity> velocity_before;
        std::vector<Vec3> lambda_next;     // of a pass that writes when all have read
        std::vector<float> work;           // for solvers: vectors of unknowns
        std::vector<uint32_t> body_count;  // contacts or groups on each body slot: splitting_bounds, count_groups
    };
    BodySystem(ContactProblem& problem, uint32_t group_begin, uint32_t group_end, std::span<const uint32_t> bodies,
               Scratch& scratch)
        : problem_(&problem),
          groups_(problem.groups.data() + group_begin),
          group_count_(group_end - group_begin),
          first_(group_count_ ? groups_[0].begin : 0),
          bodies_(bodies),
          scratch_(&scratch) {}

    uint32_t size() const { return group_count_ ? groups_[group_count_ - 1].end - first_ : 0; }
    uint32_t group_count() const { return group_count_; }
    ContactGroup group(uint32_t g) const { return {groups_[g].begin - first_, groups_[g].end - first_}; }

    const Contact& contact(uint32_t i) const { return at(i); }
    const BodyInverseMass& inverse_mass(uint32_t body) const { return problem_->inverse_mass[body]; }
    const BodyVelocity& velocity(uint32_t body) const { return problem_->velocity[body]; }
    bool has_bilateral() const { return !problem_->kinds.empty() && any_bilateral(); }
    bool is_bilateral(uint32_t i) const {
        return !problem_->kinds.empty() && problem_->kinds[first_ + i].kind == RowKind::bilateral;
    }
    /// What the velocities of its three rows include.
    Vec3 bias(uint32_t i) const {
        if (problem_->kinds.empty()) return {at(i).bias, 0.0f, 0.0f};
        const BlockKind& k = problem_->kinds[first_ + i];
        return {at(i).bias, k.tangent_bias[0], k.tangent_bias[1]};
    }
    float friction(uint32_t i) const { return at(i).friction; }
    float compliance(uint32_t i) const { return at(i).compliance; }
    float normal_block(uint32_t i) const { return at(i).normal_block; }
    TangentBlock<float> tangent_block(uint32_t i) const { return at(i).tangent_block; }
    /// Computed on request: sweeps over contacts do not need it.
    Real2<float> coupling_block(uint32_t i) const;
    float tangent_step(uint32_t i) const { return at(i).tangent_step; }
    Real3<float> impulse(uint32_t i) const {
        const Vec3& l = at(i).lambda;
        return {l.x, l.y, l.z};
    }

    float normal_velocity(uint32_t i) const {
        const Contact& c = at(i);
        return glm::dot(c.normal, relative_velocity(c)) + c.bias;
    }
    Real2<float> tangent_velocity(uint32_t i) const {
        const Contact& c = at(i);
        const Vec3 v = relative_velocity(c);
        const Real2<float> t{glm::dot(c.tangent1, v), glm::dot(c.tangent2, v)};
        if (problem_->kinds.empty()) return t;
        const BlockKind& k = problem_->kinds[first_ + i];
        return {t.x + k.tangent_bias[0], t.y + k.tangent_bias[1]};
    }
    void add_normal(uint32_t i, float delta) {
        Contact& c = at(i);
        c.lambda.x += delta;
        apply(c, c.normal * delta);
    }
    void add_tangent(uint32_t i, Real2<float> delta) {
        Contact& c = at(i);
        c.lambda.y += delta.x;
        c.lambda.z += delta.y;
        apply(c, c.tangent1 * delta.x + c.tangent2 * delta.y);
    }

    // ---- friction that is more than a disk
    /// Any contact of this system.
    bool has_extra() const { return !problem_->extra_of_contact.empty() && any_extra(); }
    bool is_extra(uint32_t i) const { return find_extra(i) != nullptr; }
    ExtraState extra_state(uint32_t i) const;
    /// Torsion, rolling about tangent 1 and 2, in N s: moments over radii.
    void add_spin(uint32_t i, Real3<float> delta);
    /// Blocks of an extra contact with W <= blockdiag over all contacts, each set of rows for itself:
    /// friction_block, rolling_block, and `bound`, on the way in that of splitting_bounds (which must have
    /// run), for the normal.
    ExtraState extra_bounds(uint32_t i, float& bound) const;

    void save();
    void restore();

    /// Momentum: remembers the iterate, and adds beta times its change since the one that was remembered
    /// last. Velocities are linear in impulses, so they are extrapolated like these. Beta 0 only remembers.
    void extrapolate(float beta);
    /// Back to the iterate that extrapolate() has remembered.
    void step_back();

    /// Per contact d with W <= blockdiag(d I), by splitting each body's mass among its contacts:
    /// d = lambda_max(sum over its bodies of n_body J M_body^-1 J^T). Safe steps of Jacobi are 1/d.
    void splitting_bounds(std::span<float> bounds);
    /// Counts the groups on each body slot that these groups name, into scratch().body_count.
    void count_groups();
    Scratch& scratch() { return *scratch_; }

  private:
    Contact& at(uint32_t i) { return problem_->contacts[first_ + i]; }
    const Contact& at(uint32_t i) const { return problem_->contacts[first_ + i]; }

    bool any_extra() const;
    bool any_bilateral() const;
    const ExtraFriction* find_extra(uint32_t i) const {
        if (problem_->extra_of_contact.empty()) return nullptr;
        const uint32_t k = problem_->extra_of_contact[first_ + i];
        return k != kNoExtra ? &problem_->extras[k] : nullptr;
    }
    Vec3 relative_velocity(const Contact& c) const {
        return relative_motion(c, problem_->velocity[c.a], problem_->velocity[c.b]);
    }
    void apply(const Contact& c, const Vec3& impulse) {
        apply_impulse(c, impulse, problem_->inverse_mass, problem_->velocity);
    }

    ContactProblem* problem_;
    const ContactGroup* groups_;
    uint32_t group_count_;
    uint32_t first_;
    std::span<const uint32_t> bodies_;
    Scratch* scratch_;
};

static_assert(ContactSystem<BodySystem>);

}  // namespace proxima::physics
