// SPDX-License-Identifier: MIT
// Staggered projections: Coulomb's law as two convex problems that feed each other.
//     contact projection    min over l_n >= 0             1/2 l_n (W_nn + C) l_n + l_n v_n    friction frozen
//     friction projection   min over |l_t| <= mu l_n      1/2 l_t W_tt l_t + l_t v_t          normals frozen
// A fixed point of the two in turn satisfies both halves of the law, and the law has no other answers. One
// round is a friction projection followed by a contact projection, so that whatever stops the rounds, nothing
// approaches. The disks of the friction projection keep the radius mu l_n of the round's normals during all
// of its sweeps: that is the difference to sweeps that refresh the radius at each contact.
//
// There is no proof of convergence. Seen from one contact the error of a round shrinks by
// W_nt^2 / (W_nn W_tt) where it sticks and by mu |W_nt| / W_nn where it slides; arches and stacks that barely
// stand shrink it by a few per cent only, and a factor above one runs away until the contact jams, or cycles.
// Slow rounds are mixed with the ones before (anderson.h) from the ninth on; cycles are met by damping:
// friction then goes only a part of the way to its projection.
#include "physics/solvers/staggered/staggered.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "physics/contact/delassus.h"
#include "physics/solvers/friction_set.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/staggered/anderson.h"
#include "physics/solvers/staggered/conjugate_sweeps.h"

namespace proxima::physics {

namespace {

constexpr double kDamp = 0.7;          // what a failure multiplies the damping with
constexpr double kInnerShare = 0.01;   // inner errors, of the outer tolerance or of the last outer change
constexpr double kContactShare = 0.1;  // of the contact projection, of that: it carries the guarantee
constexpr double kRounding = 1e-14;    // of the velocities at hand: no inner solve can do better
constexpr double kSingle = 1e-6;       // the same for worlds that ask for no tolerance
constexpr uint32_t kPlainRounds = 8;   // before rounds are mixed: what converges quickly needs no memory

class Staggered {
  public:
    Staggered(DelassusSystem& system, const SolveSettings& settings, std::vector<StaggeredRound>* rounds)
        : system_(&system), rounds_(rounds), limit_(settings), count_(system.size()), mixing_(3 * size_t(count_)) {
        normal_root_.resize(count_);
        tangent_root_.resize(count_);
        radius_.resize(count_);
        before_.resize(count_);
        frozen_.resize(count_);
        impulse_.resize(3 * size_t(count_));
        pack();
        from_.resize(3 * size_t(count_));
        to_.resize(3 * size_t(count_));
        double largest = 0.0;
        for (uint32_t i = 0; i < count_; ++i) {
            const double w = system.normal_block(i), t = system.tangent_step(i);
            normal_root_[i] = w > 1e-30 ? std::sqrt(w + system.compliance(i)) : 0.0;
            tangent_root_[i] = t > 0.0 ? std::sqrt(1.0 / t) : 0.0;
            const Real2<double> v = system.tangent_velocity(i);
            largest = std::max({largest, std::abs(system.normal_velocity(i)), std::abs(v.x), std::abs(v.y)});
            const Real3<double> l = system.impulse(i);  // what impulses cancel counts as well
            largest = std::max({largest, std::abs(l.n) * w,
                                tangent_root_[i] * tangent_root_[i] * std::max(std::abs(l.t1), std::abs(l.t2))});
        }
        floor_ = kRounding * largest;
        const double tolerance = settings.in_velocity_units ? settings.tolerance
                                 : count_ ? settings.tolerance * system.q_norm() / std::sqrt(3.0 * count_)
                                          : 0.0;
        wanted_ = std::max(floor_, kInnerShare * tolerance);
        // Bodies keep their velocities in single precision: finer answers would be rounded away.
        if (settings.in_velocity_units && !(tolerance > 0.0)) wanted_ = kSingle * largest;
        last_change_ = largest;
    }

    /// Friction, then normals; the very first time normals before both, since the friction that came in may
    /// need other normals than those that came with it.
    void round(double damping) {
        StaggeredRound told;
        const double tolerance = inner_tolerance();
        if (first_) told.contact_sweeps += project_contact(kContactShare * tolerance);
        first_ = false;
        for (uint32_t i = 0; i < count_; ++i) before_[i] = tangent(i);
        gather(from_);
        const double norm_before = rounds_ ? friction_norm() : 0.0;
        told.friction_sweeps = project_friction(tolerance);
        last_change_ = finish_friction(damping);
        if (rounds_) {
            told.relative_change = relative_change(norm_before);
            told.complementarity = complementarity();
        }
        told.contact_sweeps += project_contact(kContactShare * tolerance);
        if (damping != damping_) {  // the caller has gone back to an older round
            mixing_.restart(kPlainRounds);
            damping_ = damping;
        }
        gather(to_);
        if (mixing_.mix(from_, to_)) {
            scatter(to_);
            told.contact_sweeps += project_contact(kContactShare * tolerance);
        }
        if (rounds_) rounds_->push_back(told);
    }

    /// The contact projection that ends a solve, as exact as rounding allows.
    void project_finally() { project_contact(std::max(floor_, kContactShare * wanted_)); }

    /// Without any friction, for starts that would add energy.
    void drop_friction() {
        for (uint32_t i = 0; i < count_; ++i) {
            const Real2<double> t = tangent(i);
            if (t.x != 0.0 || t.y != 0.0) system_->add_tangent(i, {-t.x, -t.y});
        }
        project_finally();
    }

    /// Work done by the impulses, l^T v - 1/2 l^T W l: what the kinetic energy grows by. No answer of the law
    /// has a positive one.
    double energy() {
        double work = 0.0;
        const DelassusProblem& problem = system_->problem();
        for (uint32_t i = 0; i < count_; ++i) {
            const Real3<double> l = system_->impulse(i);
            const Real2<double> t = system_->tangent_velocity(i);
            const double* q = &problem.q[3 * i];
            work += 0.5 * (l.n * (system_->normal_velocity(i) + q[0]) + l.t1 * (t.x + q[1]) + l.t2 * (t.y + q[2]));
        }
        return work;
    }

  private:
    Real2<double> tangent(uint32_t i) const {
        const Real3<double> l = system_->impulse(i);
        return {l.t1, l.t2};
    }

    /// Early rounds need no better projections than the friction still moves.
    double inner_tolerance() const { return std::max(wanted_, kInnerShare * last_change_); }

    /// Both projections work on the part of W that they need, packed: the sweeps are the cost of the method,
    /// and of the nine numbers of a block they read one or four.
    void pack() {
        const DelassusProblem& problem = system_->problem();
        normal_part_.reserve(problem.block.size());
        tangent_part_.reserve(problem.block.size());
        for (const Block3& b : problem.block) {
            normal_part_.push_back(b.m[0][0]);
            tangent_part_.push_back({b.m[1][1], b.m[1][2], b.m[2][1], b.m[2][2]});
        }
    }
    double normal_row(uint32_t i) const {  // row i of W_nn l_n
        const DelassusProblem& problem = system_->problem();
        double sum = 0.0;
        for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k)
            sum += normal_part_[k] * impulse_[3 * problem.column[k]];
        return sum;
    }
    Real2<double> tangent_row(uint32_t i) const {  // rows of contact i of W_tt l_t
        const DelassusProblem& problem = system_->problem();
        Real2<double> sum{0.0, 0.0};
        for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k) {
            const double* l = &impulse_[3 * problem.column[k]];
            const std::array<double, 4>& w = tangent_part_[k];
            sum.x += w[0] * l[1] + w[1] * l[2];
            sum.y += w[2] * l[1] + w[3] * l[2];
        }
        return sum;
    }
    void read_impulses() {
        for (uint32_t i = 0; i < count_; ++i) {
            const Real3<double> l = system_->impulse(i);
            impulse_[3 * i] = l.n;
            impulse_[3 * i + 1] = l.t1;
            impulse_[3 * i + 2] = l.t2;
        }
    }

    uint32_t project_contact(double tolerance) {
        const DelassusSystem& s = *system_;
        read_impulses();
        for (uint32_t i = 0; i < count_; ++i) frozen_[i].x = s.normal_velocity(i) - normal_row(i);
        const auto sweep = [&](std::span<double> gradient) {
            double largest = 0.0;
            for (uint32_t i = 0; i < count_; ++i) {
                const double root = normal_root_[i];
                if (root == 0.0) continue;
                double& l = impulse_[3 * i];
                const double v = frozen_[i].x + normal_row(i) + s.compliance(i) * l;
                const double next = std::max(0.0, l - v / (root * root));
                gradient[i] = root * (l - next);
                l = next;
                largest = std::max(largest, std::abs(root * gradient[i]));
            }
            return largest;
        };
        const auto move = [&](std::span<const double> direction) {
            for (uint32_t i = 0; i < count_; ++i)
                if (normal_root_[i] > 0.0) impulse_[3 * i] += direction[i] / normal_root_[i];
        };
        const uint32_t sweeps = conjugate_.run(count_, std::max(floor_, tolerance), limit_, sweep, move);
        system_->set_impulses(impulse_);
        return sweeps;
    }

    uint32_t project_friction(double tolerance) {
        const DelassusSystem& s = *system_;
        read_impulses();
        for (uint32_t i = 0; i < count_; ++i) {
            radius_[i] = s.friction(i) * std::max(0.0, impulse_[3 * i]);
            const Real2<double> v = s.tangent_velocity(i), own = tangent_row(i);
            frozen_[i] = {v.x - own.x, v.y - own.y};
        }
        const auto sweep = [&](std::span<double> gradient) {
            double largest = 0.0;
            for (uint32_t i = 0; i < count_; ++i) {
                const double root = tangent_root_[i];
                double* l = &impulse_[3 * i];
                gradient[2 * i] = gradient[2 * i + 1] = 0.0;
                if (root == 0.0 || (radius_[i] == 0.0 && l[1] == 0.0 && l[2] == 0.0)) continue;
                const Real2<double> row = tangent_row(i);
                const Real2<double> next =
                    solve_disk(s.tangent_block(i), Real2<double>{l[1], l[2]},
                               Real2<double>{frozen_[i].x + row.x, frozen_[i].y + row.y}, radius_[i]);
                const Real2<double> delta{next.x - l[1], next.y - l[2]};
                gradient[2 * i] = -root * delta.x;
                gradient[2 * i + 1] = -root * delta.y;
                l[1] = next.x;
                l[2] = next.y;
                largest = std::max(largest, root * root * detail::length(delta));
            }
            return largest;
        };
        const auto move = [&](std::span<const double> direction) {
            for (uint32_t i = 0; i < count_; ++i) {
                if (tangent_root_[i] == 0.0) continue;
                impulse_[3 * i + 1] += direction[2 * i] / tangent_root_[i];
                impulse_[3 * i + 2] += direction[2 * i + 1] / tangent_root_[i];
            }
        };
        const uint32_t sweeps = conjugate_.run(2 * size_t(count_), tolerance, limit_, sweep, move);
        system_->set_impulses(impulse_);
        return sweeps;
    }

    /// Impulses as the mixing sees them, in the metric of the diagonal of W.
    void gather(std::vector<double>& x) const {
        for (uint32_t i = 0; i < count_; ++i) {
            const Real3<double> l = system_->impulse(i);
            x[3 * i] = normal_root_[i] * l.n;
            x[3 * i + 1] = tangent_root_[i] * l.t1;
            x[3 * i + 2] = tangent_root_[i] * l.t2;
        }
    }
    /// Goes to mixed impulses, moved into their cones.
    void scatter(const std::vector<double>& x) {
        for (uint32_t i = 0; i < count_; ++i) {
            const Real3<double> l = system_->impulse(i);
            const double rn = normal_root_[i], rt = tangent_root_[i];
            const double n = rn > 0.0 ? std::max(0.0, x[3 * i] / rn) : l.n;
            if (n != l.n) system_->add_normal(i, n - l.n);
            if (rt == 0.0) continue;
            const Real2<double> t =
                project_disk(Real2<double>{x[3 * i + 1] / rt, x[3 * i + 2] / rt}, system_->friction(i) * n);
            if (t.x != l.t1 || t.y != l.t2) system_->add_tangent(i, {t.x - l.t1, t.y - l.t2});
        }
    }

    /// Goes back a part of the way when damped; returns the largest change of friction by the projection, as a
    /// velocity.
    double finish_friction(double damping) {
        double largest = 0.0;
        for (uint32_t i = 0; i < count_; ++i) {
            const Real2<double> now = tangent(i), old = before_[i];
            const Real2<double> delta{now.x - old.x, now.y - old.y};
            largest = std::max(largest, tangent_root_[i] * tangent_root_[i] * detail::length(delta));
            if (damping < 1.0 && (delta.x != 0.0 || delta.y != 0.0))
                system_->add_tangent(i, {(damping - 1.0) * delta.x, (damping - 1.0) * delta.y});
        }
        return largest;
    }

    /// |f|^2 = f^T W f, read off the velocities that friction alone makes.
    double friction_norm() {
        return norm_of([this](uint32_t i) { return tangent(i); });
    }
    template <class Friction>
    double norm_of(const Friction& friction) {
        std::vector<double> all, alone(3 * size_t(count_), 0.0);
        for (uint32_t i = 0; i < count_; ++i) {
            const Real3<double> l = system_->impulse(i);
            const Real2<double> f = friction(i);
            all.insert(all.end(), {l.n, l.t1, l.t2});
            alone[3 * i + 1] = f.x;
            alone[3 * i + 2] = f.y;
        }
        system_->set_impulses(alone);
        double squared = 0.0;
        for (uint32_t i = 0; i < count_; ++i) {
            const Real2<double> v = system_->tangent_velocity(i);
            const double* q = &system_->problem().q[3 * i];
            squared += alone[3 * i + 1] * (v.x - q[1]) + alone[3 * i + 2] * (v.y - q[2]);
        }
        system_->set_impulses(all);
        return squared;
    }
    double relative_change(double norm_before) {
        const double change = norm_of([this](uint32_t i) {
            const Real2<double> t = tangent(i);
            return Real2<double>{t.x - before_[i].x, t.y - before_[i].y};
        });
        if (norm_before > 0.0) return change / norm_before;
        return change > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
    }

    double complementarity() const {
        double sum = 0.0;
        for (uint32_t i = 0; i < count_; ++i) {
            const double l = system_->impulse(i).n;
            sum += std::abs(l * (system_->normal_velocity(i) + system_->compliance(i) * l));
        }
        return sum;
    }

    DelassusSystem* system_;
    std::vector<StaggeredRound>* rounds_;
    TimeLimit limit_;
    uint32_t count_;
    std::vector<double> normal_root_, tangent_root_;  // (W_nn + c)^1/2, lambda_max(W_tt)^1/2; 0: cannot move
    std::vector<double> radius_;                      // mu l_n while friction is projected
    std::vector<Real2<double>> before_;
    std::vector<double> normal_part_;                  // W_nn, beside the blocks of W
    std::vector<std::array<double, 4>> tangent_part_;  // W_tt, row by row
    std::vector<double> impulse_;                      // while a projection runs
    std::vector<Real2<double>> frozen_;                // velocities without the unknowns of a projection
    ConjugateSweeps conjugate_;
    AndersonMixing mixing_;
    std::vector<double> from_, to_;  // impulses before and after a round, see gather
    double damping_ = 0.0;           // none yet
    double floor_ = 0.0, wanted_ = 0.0, last_change_ = 0.0;
    bool first_ = true;
};

}  // namespace

SolveReport staggered_traced(DelassusSystem& system, const SolveSettings& settings,
                             std::vector<StaggeredRound>* rounds) {
    if (has_extra(system)) return refuse_extra();
    if (system.has_bilateral()) return refuse_bilateral();
    const Law law{FrictionSet::disk};
    const double given = settings.rollback ? stop_residual(system, law, settings) : -1.0;
    std::vector<double> start;
    if (settings.rollback)
        for (uint32_t i = 0; i < system.size(); ++i) {
            const Real3<double> l = system.impulse(i);
            start.insert(start.end(), {l.n, l.t1, l.t2});
        }
    Staggered method(system, settings, rounds);
    SolveReport report = iterate(system, law, settings, kDamp, [&](double damping) { method.round(damping); });
    if (report.iterations == 0) return report;

    // The best rounds may have been projected loosely: once more, as exactly as can be. A converged answer
    // must stay one; any other is kept unless it is worse than what was given.
    const bool measured = report.residual >= 0.0;
    const bool converged = report.stop == StopReason::tolerance;
    if (converged) system.save();
    method.project_finally();
    // Friction of rounds that were cut short may be too much for where the contacts are now.
    if (!converged && method.energy() > 0.0) method.drop_friction();
    if (!measured) return report;
    const double residual = stop_residual(system, law, settings);
    if (converged && residual > settings.tolerance) {
        system.restore();
    } else if (!converged && settings.rollback && !(residual <= given)) {
        system.set_impulses(start);
        report.residual = given;
    } else {
        report.residual = residual;
    }
    return report;
}

SolveReport staggered_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return staggered_traced(system, settings, nullptr);
}

}  // namespace proxima::physics
