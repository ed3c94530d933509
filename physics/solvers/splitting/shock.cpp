// SPDX-License-Identifier: MIT
// Shock propagation: a pile is solved layer by layer from the ground up, with what lies below taken for
// immovable, and its weight handed down again; ordinary sweeps take out what that guess got wrong.
#include <vector>

#include "physics/solvers/iterate.h"
#include "physics/solvers/splitting/disk_rows.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kInnerSweeps = 10;  // over one layer

/// One pass up and down over the layers of an island.
///   Up: layer by layer, impulses move only the upper body of a contact. That is what gives bodies the
///   velocities
///       they shall have, and it is wrong about impulses: a tower's contacts would carry one body each.
///   Down: the layers again, from the top. The lower body of a contact is seen with the velocity that the way
///   up
///       gave it, and takes the opposite impulse to the contacts below, which find out what they must carry.
/// Where every body stands on bodies of the layer below, both together are a direct solution: the tower of
/// any height and any masses. What it breaks is everything that goes the other way: the lower body does not
/// give way, so that a hard blow from above, a body that leans on its neighbours, a seesaw get a wrong guess.
/// The impulses act on both bodies in the end, so momentum is kept; only the guess is biased.
class ShockPass {
  public:
    /// Uses scratch().work behind its first `offset` numbers, and scratch().body_count.
    ShockPass(BodySystem& system, size_t offset) : system_(system) {
        const uint32_t n = system.size(), groups = system.group_count();
        bodies_ = number_bodies();
        const size_t wanted = offset + 8 * size_t(n) + 2 * size_t(groups) + 13 * size_t(bodies_);
        auto& work = system.scratch().work;
        if (work.size() < wanted) work.resize(wanted);
        float* at = work.data() + offset;
        const auto take = [&](size_t count) {
            float* begin = at;
            at += count;
            return begin;
        };
        start_ = take(3 * size_t(n));
        impulse_ = take(3 * size_t(n));
        block_ = take(2 * size_t(n));
        order_ = take(groups);
        stage_ = take(groups);
        distance_ = take(bodies_);
        wanted_ = take(6 * size_t(bodies_));
        moved_ = take(6 * size_t(bodies_));
    }

    void run() {
        measure_distances();
        sort_groups();
        read_contacts();
        std::fill(wanted_, wanted_ + 12 * size_t(bodies_), 0.0f);
        const uint32_t groups = system_.group_count();
        for (uint32_t begin = 0; begin < groups;) begin = sweep_layer(begin, true);
        // On the way down the impulses found so far act on both bodies.
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const Real3<float> l = system_.impulse(i);
            const float* x = impulse_ + 3 * size_t(i);
            push(i, {x[0] - l.n, x[1] - l.t1, x[2] - l.t2}, moved_, true);
        }
        for (uint32_t end = groups; end > 0;) {
            uint32_t begin = end - 1;
            while (begin > 0 && stage(begin - 1) == stage(begin)) --begin;
            sweep_layer(begin, false);
            end = begin;
        }
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const Real3<float> l = system_.impulse(i);
            const float* x = impulse_ + 3 * size_t(i);
            if (x[0] != l.n) system_.add_normal(i, x[0] - l.n);
            if (x[1] != l.t1 || x[2] != l.t2) system_.add_tangent(i, {x[1] - l.t1, x[2] - l.t2});
        }
    }

  private:
    /// Gives the bodies of the contacts numbers from 0, kept in body_count; returns how many there are.
    uint32_t number_bodies() {
        std::vector<uint32_t>& number = system_.scratch().body_count;
        uint32_t largest = 0, count = 0;
        for (uint32_t i = 0; i < system_.size(); ++i)
            largest = std::max({largest, system_.contact(i).a, system_.contact(i).b});
        if (number.size() <= largest) number.resize(size_t(largest) + 1);
        for (uint32_t i = 0; i < system_.size(); ++i)
            number[system_.contact(i).a] = number[system_.contact(i).b] = UINT32_MAX;
        for (uint32_t i = 0; i < system_.size(); ++i)
            for (const uint32_t body : {system_.contact(i).a, system_.contact(i).b})
                if (number[body] == UINT32_MAX) number[body] = count++;
        return count;
    }
    uint32_t number_of(uint32_t body) const { return system_.scratch().body_count[body]; }
    float distance_of(uint32_t body) const { return distance_[number_of(body)]; }

    /// Contacts between a body and the nearest one that cannot move. Walked in both directions in turn: along
    /// a chain one of them settles everything.
    void measure_distances() {
        for (uint32_t i = 0; i < system_.size(); ++i)
            for (const uint32_t body : {system_.contact(i).a, system_.contact(i).b})
                distance_[number_of(body)] = system_.inverse_mass(body).mass > 0.0f ? float(system_.size() + 1) : 0.0f;
        const auto shorten = [&](uint32_t i) {
            float& a = distance_[number_of(system_.contact(i).a)];
            float& b = distance_[number_of(system_.contact(i).b)];
            if (a > b + 1.0f) return a = b + 1.0f, true;
            if (b > a + 1.0f) return b = a + 1.0f, true;
            return false;
        };
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t i = 0; i < system_.size(); ++i) changed = shorten(i) || changed;
            for (uint32_t i = system_.size(); i-- > 0;) changed = shorten(i) || changed;
        }
    }

    /// A layer holds the contacts on which its bodies stand, and those between bodies of the same layer.
    void sort_groups() {
        for (uint32_t g = 0; g < system_.group_count(); ++g) {
            const Contact& c = system_.contact(system_.group(g).begin);
            order_[g] = float(g);
            stage_[g] = std::max(distance_of(c.a), distance_of(c.b));
        }
        std::sort(order_, order_ + system_.group_count(), [&](float x, float y) {
            const float p = stage_[uint32_t(x)], q = stage_[uint32_t(y)];
            return p != q ? p < q : x < y;
        });
    }
    float stage(uint32_t position) const { return stage_[uint32_t(order_[position])]; }
    bool moves(const Contact& c, uint32_t body) const {
        return system_.inverse_mass(body).mass > 0.0f &&
               distance_of(body) >= std::max(distance_of(c.a), distance_of(c.b));
    }

    /// Velocities and impulses to begin with, and the blocks of W without what does not move.
    void read_contacts() {
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const Contact& c = system_.contact(i);
            const Real2<float> v = system_.tangent_velocity(i);
            const Real3<float> l = system_.impulse(i);
            float *s = start_ + 3 * size_t(i), *x = impulse_ + 3 * size_t(i);
            s[0] = system_.normal_velocity(i);
            s[1] = v.x;
            s[2] = v.y;
            x[0] = l.n;
            x[1] = l.t1;
            x[2] = l.t2;
            const auto entry = [&](const Vec3& d, const Vec3& e) {
                float sum = 0.0f;
                for (const bool b : {false, true}) {
                    const uint32_t body = b ? c.b : c.a;
                    if (!moves(c, body)) continue;
                    const BodyInverseMass& m = system_.inverse_mass(body);
                    const Vec3& arm = b ? c.arm_b : c.arm_a;
                    sum += m.mass * glm::dot(d, e) + glm::dot(glm::cross(arm, d), m.inertia * glm::cross(arm, e));
                }
                return sum;
            };
            block_[2 * i] = entry(c.normal, c.normal);
            block_[2 * i + 1] = largest_eigenvalue(TangentBlock<float>{
                entry(c.tangent1, c.tangent1), entry(c.tangent1, c.tangent2), entry(c.tangent2, c.tangent2)});
        }
    }

    static Vec3 vector(const float* x) { return {x[0], x[1], x[2]}; }
    /// What the changes of two bodies, numbers of 6, change at a contact.
    Vec3 relative(const Contact& c, const float* a, const float* b) const {
        const Vec3 v = vector(b) + glm::cross(vector(b + 3), c.arm_b) - vector(a) - glm::cross(vector(a + 3), c.arm_a);
        return {glm::dot(c.normal, v), glm::dot(c.tangent1, v), glm::dot(c.tangent2, v)};
    }
    void push_body(uint32_t body, const Vec3& arm, const Vec3& impulse, float* motion) {
        const BodyInverseMass& m = system_.inverse_mass(body);
        const Vec3 linear = impulse * m.mass, angular = m.inertia * glm::cross(arm, impulse);
        float* x = motion + 6 * size_t(number_of(body));
        for (int k = 0; k < 3; ++k) {
            x[k] += linear[k];
            x[k + 3] += angular[k];
        }
    }
    /// Lets the change of an impulse act on those bodies that move in this layer, or on both.
    void push(uint32_t i, const Vec3& change, float* motion, bool both) {
        const Contact& c = system_.contact(i);
        const Vec3 impulse = c.normal * change.x + c.tangent1 * change.y + c.tangent2 * change.z;
        const auto moved = [&](uint32_t body) {
            return both ? system_.inverse_mass(body).mass > 0.0f : moves(c, body);
        };
        if (moved(c.a)) push_body(c.a, c.arm_a, -impulse, motion);
        if (moved(c.b)) push_body(c.b, c.arm_b, impulse, motion);
    }

    /// The law at one contact, with the steps of what can move here: normal, then friction.
    void relax(uint32_t i, bool up) {
        if (!(block_[2 * i] > 1e-30f)) return;
        const Contact& c = system_.contact(i);
        float* own = up ? wanted_ : moved_;
        const auto motion = [&](uint32_t body) {
            return (moves(c, body) ? own : wanted_) + 6 * size_t(number_of(body));
        };
        const auto velocity = [&] { return vector(start_ + 3 * size_t(i)) + relative(c, motion(c.a), motion(c.b)); };
        float* l = impulse_ + 3 * size_t(i);
        const float vn = velocity().x + c.compliance * l[0];
        const float normal = std::max(0.0f, l[0] - vn / (block_[2 * i] + c.compliance));
        push(i, {normal - l[0], 0.0f, 0.0f}, own, !up);
        l[0] = normal;
        if (!(block_[2 * i + 1] > 1e-30f)) return;
        const Vec3 v = velocity();
        const float r = 1.0f / block_[2 * i + 1];
        const Real2<float> next = project_disk(Real2<float>{l[1] - r * v.y, l[2] - r * v.z}, c.friction * l[0]);
        push(i, {0.0f, next.x - l[1], next.y - l[2]}, own, !up);
        l[1] = next.x;
        l[2] = next.y;
    }

    /// Sweeps over the layer that begins at this position of the order; returns where the next begins.
    uint32_t sweep_layer(uint32_t begin, bool up) {
        uint32_t end = begin + 1;
        while (end < system_.group_count() && stage(end) == stage(begin)) ++end;
        for (uint32_t k = 0; k < kInnerSweeps; ++k)
            for (uint32_t position = begin; position < end; ++position) {
                const ContactGroup group = system_.group(uint32_t(order_[position]));
                for (uint32_t i = group.begin; i < group.end; ++i) relax(i, up);
            }
        return end;
    }

    BodySystem& system_;
    uint32_t bodies_ = 0;
    float *start_, *impulse_, *block_;  // of contacts: v and l, and the two numbers of W
    float *order_, *stage_;             // of groups: sorted by layer, and the layer of each
    float *distance_, *wanted_,
        *moved_;  // of bodies: layer, change of velocity on the way up, on the way down
};

/// A matrix does not say which part of a block belongs to which body, so nobody can be held: the layers of
/// its graph are swept one by one, up and down.
void sweep_layers(DelassusSystem& system, const SolveSettings& settings, size_t offset) {
    SolveSettings by_layers = settings;
    by_layers.order = SweepOrder::upward;
    const GroupOrder<DelassusSystem> order(system, by_layers, offset);
    const auto layer = [&](uint32_t begin, uint32_t end) {
        for (uint32_t k = 0; k < kInnerSweeps; ++k)
            for (uint32_t position = begin; position < end; ++position) {
                const ContactGroup group = system.group(order[position]);
                for (uint32_t i = group.begin; i < group.end; ++i) {
                    relax_disk(system, i, RStrategy::local, 1.0, 0.0);
                    relax_normal(system, i, 1.0, 0.0);
                }
            }
    };
    for (uint32_t begin = 0; begin < order.size();) {
        uint32_t end = begin + 1;
        while (end < order.size() && order.layer(end) == order.layer(begin)) ++end;
        layer(begin, end);
        begin = end;
    }
    for (uint32_t end = order.size(); end > 0;) {
        uint32_t begin = end - 1;
        while (begin > 0 && order.layer(begin - 1) == order.layer(end - 1)) --begin;
        layer(begin, end);
        end = begin;
    }
}

/// The first iteration begins with the pass over layers; all end with a PROX Gauss-Seidel sweep. More passes
/// would hold back what the sweeps bring down to the lower layers.
template <ContactSystem S, class Pass>
SolveReport solve(S& system, const SolveSettings& settings, const Pass& pass) {
    using Real = typename S::Real;
    const Real one_step = global_step(system, settings);
    GroupOrder<S> order(system, settings, 0);
    bool first = true;
    return iterate(system, FrictionSet::disk, settings, shrink_factor(settings.r_strategy), [&](double scale) {
        if (first) {
            // A warm pile is nearer to its answer than the guess: keep what is better. The
            // place of save is free, or holds this very state.
            const double before = measure_residual(system, FrictionSet::disk).max;
            system.save();
            pass(2 * size_t(system.group_count()));
            if (!(measure_residual(system, FrictionSet::disk).max < before)) system.restore();
        }
        first = false;
        order.next_sweep();
        sweep_disk(system, order, false, settings.r_strategy, Real(scale), one_step);
    });
}

}  // namespace

SolveReport shock_bodies(BodySystem& system, const SolveSettings& settings) {
    return solve(system, settings, [&](size_t offset) { ShockPass(system, offset).run(); });
}
SolveReport shock_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return solve(system, settings, [&](size_t offset) { sweep_layers(system, settings, offset); });
}

}  // namespace proxima::physics
