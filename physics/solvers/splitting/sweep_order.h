// SPDX-License-Identifier: MIT
// The order in which a sweep visits the groups of a system (SolveSettings::order), for both kinds of systems
// and without allocation once the scratch has grown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "engine/core/assert.h"
#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"
#include "physics/solvers/group_sweep.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

/// Layer of every group: 0 for those that touch the ground, one more for each contact on the way there.
/// Bodies: the distance of the lower body from the nearest one that cannot move.
void group_layers(BodySystem& system, std::span<float> layers);
/// Of a matrix, which knows no bodies: see sweep_order.cpp for what is taken for the ground.
void group_layers(DelassusSystem& system, std::span<double> layers);

/// Places in `order` which groups come first; keeps its two numbers a group in scratch().work behind the
/// first `offset` numbers, which are the solver's own. The order `given` keeps nothing.
template <ContactSystem S>
class GroupOrder {
    using Real = typename S::Real;

  public:
    GroupOrder(S& system, const SolveSettings& settings, size_t offset)
        : system_(&system),
          kind_(settings.order),
          offset_(offset),
          count_(system.group_count()),
          random_(settings.seed * 2654435769u + 1u) {
        auto& work = system.scratch().work;
        const size_t wanted = offset + (kind_ == SweepOrder::given ? 0 : 2 * size_t(count_));
        if (work.size() < wanted) work.resize(wanted);
        if (kind_ == SweepOrder::given || kind_ == SweepOrder::reversed) return;
        // Group numbers are kept as reals: exact below 2^24 even in single precision.
        PX_ASSERT(count_ < (1u << 24), "a sweep order numbers its groups in the mantissa of a float");
        const std::span<Real> order = numbers();
        for (uint32_t g = 0; g < count_; ++g) order[g] = Real(g);
        if (kind_ == SweepOrder::shuffled) {
            shuffle();
            return;
        }
        const std::span<Real> layer(work.data() + offset_ + count_, count_);
        group_layers(system, layer);
        const bool up = kind_ == SweepOrder::upward;
        std::sort(order.begin(), order.end(), [&](Real x, Real y) {
            const Real p = layer[uint32_t(x)], q = layer[uint32_t(y)];
            if (p != q) return up ? p < q : p > q;
            return x < y;
        });
    }

    uint32_t size() const { return count_; }
    bool given() const { return kind_ == SweepOrder::given; }
    /// The group at position k.
    uint32_t operator[](uint32_t k) const {
        if (kind_ == SweepOrder::given) return k;
        if (kind_ == SweepOrder::reversed) return count_ - 1 - k;
        return uint32_t(system_->scratch().work[offset_ + k]);
    }
    /// Layer of the group at position k; of upward and downward orders only.
    Real layer(uint32_t k) const { return system_->scratch().work[offset_ + count_ + (*this)[k]]; }
    /// To be called between sweeps: a shuffled order is another one in every sweep.
    void next_sweep() {
        if (kind_ == SweepOrder::shuffled) shuffle();
    }

  private:
    std::span<Real> numbers() { return {system_->scratch().work.data() + offset_, count_}; }
    uint32_t random() {  // a permuted congruential generator: 64 bits of state, the same everywhere
        random_ = random_ * 6364136223846793005ull + 1442695040888963407ull;
        const uint32_t mixed = uint32_t(((random_ >> 18) ^ random_) >> 27), turn = uint32_t(random_ >> 59);
        return (mixed >> turn) | (mixed << ((32 - turn) & 31));
    }
    void shuffle() {
        const std::span<Real> order = numbers();
        for (uint32_t k = count_; k > 1; --k) std::swap(order[k - 1], order[uint32_t((uint64_t(random()) * k) >> 32)]);
    }

    S* system_;
    SweepOrder kind_;
    size_t offset_;
    uint32_t count_;
    uint64_t random_;
};

/// One pass forward, in the shape that group_sweep.h explains: a single point has its friction, then its
/// normal; a manifold its normals once more before that.
template <ContactSystem S, class Friction, class Normal>
inline void sweep_forward(const S& system, const GroupOrder<S>& order, const Friction& friction, const Normal& normal) {
    for (uint32_t k = 0; k < order.size(); ++k) {
        const ContactGroup group = system.group(order[k]);
        if (group.end - group.begin > 1)
            for (uint32_t i = group.begin; i < group.end; ++i) normal(i);
        for (uint32_t i = group.begin; i < group.end; ++i) friction(i);
        for (uint32_t i = group.begin; i < group.end; ++i) normal(i);
    }
}

/// The same as a call of its own: beside a second inlined copy the compiler makes both slower.
template <ContactSystem S, class Friction, class Normal>
[[gnu::noinline]] void sweep_reordered(const S& system, const GroupOrder<S>& order, const Friction& friction,
                                       const Normal& normal) {
    sweep_forward(system, order, friction, normal);
}
/// In the order of the problem without looking anything up: for sweeps that worlds run.
template <ContactSystem S, class Friction, class Normal>
inline void sweep_in_order(const S& system, const GroupOrder<S>& order, const Friction& friction,
                           const Normal& normal) {
    if (order.given())
        sweep_groups(system, friction, normal);
    else
        sweep_reordered(system, order, friction, normal);
}

/// The same rows in exactly the opposite order, which is what makes forward and backward together symmetric.
template <ContactSystem S, class Friction, class Normal>
inline void sweep_backward(const S& system, const GroupOrder<S>& order, const Friction& friction,
                           const Normal& normal) {
    for (uint32_t k = order.size(); k-- > 0;) {
        const ContactGroup group = system.group(order[k]);
        for (uint32_t i = group.end; i-- > group.begin;) normal(i);
        for (uint32_t i = group.end; i-- > group.begin;) friction(i);
        if (group.end - group.begin > 1)
            for (uint32_t i = group.end; i-- > group.begin;) normal(i);
    }
}

}  // namespace proxima::physics
