// SPDX-License-Identifier: MIT
// The boxed linear complementarity problem on a full matrix, in double: what the pivoting methods solve, the
// labels they look for, and what they need in common. Inside the folder of pivoting methods only.
//
//     v = A x + b,  lower <= x <= upper,   v_i > 0 only where x_i = lower_i,  v_i < 0 only where x_i =
//     upper_i
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "physics/solvers/iterate.h"

namespace proxima::physics::pivoting {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A is symmetric. Rows with lower = upper have no unknown: they stay there, whatever their v.
struct BoxedLcp {
    std::vector<double> a;  // row by row
    std::vector<double> b, lower, upper;

    uint32_t size() const { return uint32_t(b.size()); }
    double at(uint32_t r, uint32_t c) const { return a[size_t(r) * b.size() + c]; }
    const double* row(uint32_t r) const { return a.data() + size_t(r) * b.size(); }
    bool pinned(uint32_t i) const { return !(lower[i] < upper[i]); }
};

/// Where an unknown is: strictly inside with v = 0, or at a bound.
enum class Label : uint8_t { free, lower, upper };

/// Unknowns, their velocities and labels: start of a solve and its answer.
struct PivotState {
    std::vector<double> x, v;
    std::vector<Label> label;
};

enum class PivotStop : uint8_t {
    solved,
    limit,     // more pivots than allowed: cycling, or a problem that this method is too slow for
    singular,  // A_FF cannot be factorised: redundant unknowns
    aborted,   // the caller's clock
};

/// What happened in a solve, and how often.
struct PivotReport {
    PivotStop stop = PivotStop::solved;
    uint32_t solves = 0;  // linear systems with A_FF
    uint32_t pivots = 0;  // labels changed
};

/// One event of a solve, for following it: which unknown was driven or flipped, by how much,
/// and how many unknowns were free before.
struct PivotEvent {
    uint32_t index;
    double step;  // of incremental pivoting; 0 for the others
    uint32_t free;
};

struct PivotLimits {
    uint32_t pivots = 0;              // 0: pivot_limit(n)
    const TimeLimit* time = nullptr;  // looked at before every linear system
    std::vector<PivotEvent>* trace = nullptr;

    bool passed() const { return time && time->passed(); }
};
/// Far more than healthy solves need (about as many pivots as unknowns), so that only cycles meet it.
inline uint32_t pivot_limit(uint32_t n) { return 1000 + 20 * n; }

/// Solves from the labels and values in `state`; on `solved` the state is the answer. All need A_FF positive
/// definite for every F they meet and say `singular` where it is not.
using PivotMethod = PivotReport (*)(const BoxedLcp& problem, PivotState& state, const PivotLimits& limits);
PivotReport solve_dantzig(const BoxedLcp& problem, PivotState& state, const PivotLimits& limits);
PivotReport solve_murty(const BoxedLcp& problem, PivotState& state, const PivotLimits& limits);
PivotReport solve_block_pivoting(const BoxedLcp& problem, PivotState& state, const PivotLimits& limits);

/// v = A x + b.
void compute_velocities(const BoxedLcp& problem, std::span<const double> x, std::span<double> v);
/// max over i of A_ii |x_i - clamp(x_i - v_i / A_ii, lower_i, upper_i)|, in units of v; pinned rows count by
/// their distance from where they must be.
double natural_residual(const BoxedLcp& problem, std::span<const double> x);
/// Labels that fit values: at a bound or beyond it, or free.
void guess_labels(const BoxedLcp& problem, std::span<const double> x, std::vector<Label>& label);
/// Makes any start valid: pinned unknowns are not free, and nobody is at a bound that does not exist.
void correct_labels(const BoxedLcp& problem, std::vector<Label>& label);
/// Below this a velocity is rounding: a part in 1e12 of the largest terms that v is a sum of. Nearly
/// redundant unknowns are known less well, and labels that rounding decides could flip for ever: the part
/// grows tenfold, up to 1e-7, with every 2 n + 50 pivots, which healthy solves hardly ever need.
double velocity_tolerance(const BoxedLcp& problem, std::span<const double> x, uint32_t pivots);

/// Cholesky factor of A_FF that grows and shrinks by one unknown in O(|F|^2).
class FreeFactor {
  public:
    explicit FreeFactor(const BoxedLcp& problem);

    std::span<const uint32_t> members() const { return members_; }
    bool contains(uint32_t i) const { return position_[i] != kNone; }
    /// Factorises anew; false, and nothing inside, when a pivot is not clearly positive.
    bool reset(std::span<const uint32_t> members);
    /// False, and unchanged, when the matrix would become singular.
    bool append(uint32_t i);
    void remove(uint32_t i);
    /// Makes the members exactly the free ones, by single changes or anew, whichever is less work.
    bool follow(std::span<const Label> label);
    /// A_FF y = y, in the order of members().
    void solve(std::span<double> y) const;

  private:
    static constexpr uint32_t kNone = ~0u;
    double* row(uint32_t k) { return factor_.data() + size_t(k) * stride_; }
    const double* row(uint32_t k) const { return factor_.data() + size_t(k) * stride_; }

    const BoxedLcp* problem_;
    size_t stride_;
    std::vector<double> factor_;  // lower triangle, row by row
    std::vector<uint32_t> members_, position_;
    std::vector<double> column_;
};

/// Values for labels: x at its bounds, A_FF x_F = -b_F - A_FT x_T, then v = A x + b, exactly 0 on F. False: singular.
bool solve_labels(const BoxedLcp& problem, FreeFactor& factor, PivotState& state);
/// Moves free unknowns to their bounds where the tolerance let them pass.
void clamp_free(const BoxedLcp& problem, PivotState& state);

/// What is wrong with an unknown's label, and the label it should get: the rule that principal pivoting flips
/// by. The tests are strict with a tolerance: an unknown at its bound with v = 0 fits both labels, and would
/// flip for ever.
bool violates(const BoxedLcp& problem, const PivotState& state, uint32_t i, double tolerance, Label& flipped);

}  // namespace proxima::physics::pivoting
