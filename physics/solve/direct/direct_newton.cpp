// SPDX-License-Identifier: MIT
// The solve of an island: Newton's method as direct_island.h explains it, and the parting of overlaps.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/capacity.h"
#include "engine/simd/simd_level.h"
#include "physics/scale.h"
#include "physics/solve/direct/direct_island.h"
#include "physics/solve/integrate.h"

namespace proxima::physics::direct {

PX_DECLARE_LEVELS(MomentumKernels, momentum_kernels_);
const MomentumKernels& momentum_kernels() { return PX_PICK_LEVEL(momentum_kernels_); }

namespace {

using sweep::BlockHead;
using sweep::BlockRun;
using sweep::BodyRecord;
using sweep::Layout;
using sweep::Partition;
using sweep::SweepBodies;

// ---- the law
constexpr float kStiffness = 100.0f;       // r, in masses of the heaviest body
constexpr float kStiffnessSlow = 1000.0f;  // ... of what hardly moves, from the step on in which it has a factor,
constexpr float kMaxStiffnessSlow = 1e5f;  // but no more than this, in masses of the lightest, where that is beyond r
// ---- overlaps
constexpr float kSlop = 0.0001f;       // m that are left alone
constexpr float kPushFrom = 0.00012f;  // m: nothing is moved for less
constexpr float kClosedGap = 0.0002f;  // m: pushing some contacts apart opens others a little
constexpr float kRoundings = 4.0f;     // of the farthest coordinate: a smaller gap is none
constexpr uint64_t kPushEvery = 2;     // steps: it costs a back-substitution
constexpr float kPushPart = 0.1f;      // of an overlap that goes in one push
// ---- when it is solved
constexpr float kMomentumSpeed = 1e-5f;     // m/s that momentum may be wrong by: nothing slower is told from rest ...
constexpr float kRestDrive = 5e-4f;         // ... nor what gravity would give in a step if it were this part of it
constexpr float kSlowSpeed = 0.03f;         // m/s: islands as slow as this are solved until they stand still
constexpr float kMomentumLoad = 1e-6f;      // ... or this part of the load, about what floats can tell
constexpr float kGoodResidual = 1e-3f;      // m/s, natural map: more passes are not worth it
constexpr float kGoodResidualSlow = 2e-6f;  // ... for what hardly moves: it would sway from what is left
constexpr float kUsableResidual = 5e-3f;    // m/s: worse is a failure
constexpr float kRoundedMomentum = 5.0f;    // times the above: as near as heavy and fast bodies can get in floats
constexpr uint32_t kMaxPasses = 6, kMaxPassesSlow = 10, kMaxPassesAtRest = 30;
constexpr uint32_t kMaxSteps = 40;   // of Newton's method in a pass
constexpr float kPays = 0.3f;        // a step that leaves more of the error wants a new factor
constexpr float kFlatEnough = 0.5f;  // of the slope along a step that may be left at its end
constexpr int kMaxTrials = 10;       // of the line search
// ---- factors that are made in pieces
constexpr float kEntryBudget = 2.0f;   // times the budget: of the first solve with a factor that was waited for
constexpr float kSameNumbers = 2e-5f;  // of the diagonal: columns that differ by less are not made again
// ---- what things cost, in sweeps over one block of eight manifolds with their bodies (1200 .. 1700 cycles)
constexpr float kEvaluateCost = 0.25f, kPassCost = 0.15f, kStiffnessCost = 1.2f;  // by block of manifolds
constexpr float kProductCost = 0.04f;                                             // a product of 6 x 6 blocks
constexpr float kSubstituteCost = 0.03f;  // a block of the factor, forth and back

/// The blocks of a partition: work(run, block within the run, number of the block within the partition).
template <class Work>
void for_blocks(const Layout& layout, const Partition& partition, const Work& work) {
    uint32_t at = 0;
    for (uint32_t r = partition.run_begin; r < partition.run_end; ++r)
        for (uint32_t b = 0; b < layout.runs[r].blocks; ++b) work(layout.runs[r], b, at++);
}

}  // namespace

/// One solve: the state of the method.
class DirectIsland::Solve {
  public:
    Solve(DirectIsland& island, const DirectProblem& problem, const DirectLimits& limits)
        : d_(island),
          layout_(problem.layout),
          bodies_(problem.bodies),
          part_(problem.partition),
          params_(problem.params),
          limits_(limits),
          records_(bodies_.records()),
          velocity_(bodies_.velocity.data()->value),
          wrench_(bodies_.wrench.data()->value) {
        const size_t padded = (part_.body_count + kBlockLanes - 1) / kBlockLanes * kBlockLanes;
        for (std::vector<BodyRecord>* list : {&d_.mass_, &d_.gradient_, &d_.direction_, &d_.start_, &d_.kept_})
            resize_roomily(*list, padded);
        for_blocks(layout_, part_, [&](const BlockRun&, uint32_t, uint32_t) { ++blocks_; });
        resize_roomily(d_.rows_, blocks_);
        momentum_.masses(part_.body_begin, part_.body_count, bodies_.records(), d_.mass_.data()->value);
        float smallest = bodies_.transform[part_.body_begin].value[7];
        for (uint32_t i = 1; i < part_.body_count; ++i)
            smallest = std::min(smallest, bodies_.transform[part_.body_begin + i].value[7]);
        float farthest = 0.0f;  // from the origin: what positions are rounded by
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            const float* t = bodies_.transform[part_.body_begin + i].value;
            farthest = std::max({farthest, std::abs(t[4]) + t[7], std::abs(t[5]) + t[7], std::abs(t[6]) + t[7]});
        }
        scale_ = length_scale(smallest);
        speed_scale_ = speed_scale(smallest);
        float heaviest = 0.0f, lightest = std::numeric_limits<float>::max();
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            heaviest = std::max(heaviest, d_.mass_[i].value[6]);
            lightest = std::min(lightest, d_.mass_[i].value[6]);
        }
        // Where steps are short for the size of things, what drives them is less than that.
        momentum_speed_ = kMomentumSpeed * speed_scale_;
        if (const float most = kRestDrive * drive(); most > 0.0f) momentum_speed_ = std::min(momentum_speed_, most);
        slow_ = fastest_point() <= kSlowSpeed * speed_scale_;
        law_.r = kStiffness * heaviest;
        if (slow_ && d_.has_factor_ && !d_.spread_)
            law_.r = std::max(law_.r, std::min(kStiffnessSlow * heaviest, kMaxStiffnessSlow * lightest));
        law_.h = part_.h;
        law_.inverse_h = 1.0f / part_.h;
        law_.closed_gap = kClosedGap * scale_;
        law_.rounding = std::min(kRoundings * std::numeric_limits<float>::epsilon() * farthest, law_.closed_gap);
    }

    /// Velocities, then positions.
    DirectReport run() {
        const bool starts_at_rest = is_at_rest();
        if (starts_at_rest) rest_error_ = rest_speed() / momentum_speed_;
        // From what the sweeps left it is farther than from one solved step to the next.
        const bool enters = d_.under_way_ && !d_.has_factor_;
        if (d_.under_way_) go_on_with_factor();
        if (enters && d_.has_factor_) limits_.budget *= kEntryBudget;
        if (d_.under_way_ && !d_.has_factor_) {
            report_.waits = true;
            return report_;
        }
        find_velocities();
        // A factor that no longer leads there is not tried again before the next one is ready.
        if (!report_.solved && d_.under_way_) {
            report_.waits = true;
            d_.drop_factor();
        }
        const bool due = params_.step % kPushEvery == 0;
        const bool is_deep = deepest_ > kPushFrom * scale_;
        // What overlaps and carries nothing has had no need of a factor yet.
        if (due && report_.solved && is_deep && (d_.has_factor_ || factorise())) push_apart();
        if (report_.solved) come_to_rest();
        report_.at_rest = starts_at_rest && report_.solved && report_.passes == 1 && multipliers_stay_ && !is_deep &&
                          report_.substitutions == 0 && !d_.under_way_ && is_at_rest() && !touches_drivers();
        report_.work += factor_work_;
        return report_;
    }

  private:
    void find_velocities() {
        report_.tolerance = kUsableResidual * speed_scale_;
        report_.closed_gap = law_.closed_gap;
        const float good = (slow_ ? kGoodResidualSlow : kGoodResidual) * speed_scale_;
        for (report_.passes = 1;; ++report_.passes) {
            evaluate(report_.passes == 1);
            if (!descend()) {
                // The answer of the pass before may do: its impulses are the multipliers of this one.
                if (!report_.solved) return;
                std::copy_n(d_.kept_.begin(), part_.body_count, bodies_.velocity.begin() + part_.body_begin);
                report_.residual = kept_residual_;
                return;
            }
            report_.residual = 0.0f;
            multipliers_stay_ = true;
            for_runs([&](const BlockRun& run, void* blocks, DirectRows* cone) {
                const PassEnd end = kind_row(run.kind).direct.next_pass(blocks, run.blocks, cone, records_, law_);
                report_.residual = std::max(report_.residual, end.residual);
                multipliers_stay_ &= end.same;
            });
            report_.work += kPassCost * float(blocks_);
            report_.solved = report_.residual <= report_.tolerance;
            const bool spent = report_.passes == (rest_error_ > 0.0f ? kMaxPassesAtRest
                                                  : slow_            ? kMaxPassesSlow
                                                                     : kMaxPasses) ||
                               report_.work > limits_.budget;
            if (!(report_.residual > good) || spent) return;
            kept_residual_ = report_.residual;
            std::copy_n(bodies_.velocity.begin() + part_.body_begin, part_.body_count, d_.kept_.begin());
        }
    }

    /// Whether no body moves at all.
    bool is_at_rest() const {
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            const float* u = velocity_ + size_t(part_.body_begin + i) * kRecord;
            for (const int k : {0, 1, 2, 4, 5, 6})
                if (u[k] != 0.0f) return false;
        }
        return true;
    }

    /// m/s
    float fastest_point() const {
        float fastest = 0.0f;
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            const float* u = velocity_ + size_t(part_.body_begin + i) * kRecord;
            fastest = std::max(fastest, glm::length(Vec3(u[0], u[1], u[2])) +
                                            glm::length(Vec3(u[4], u[5], u[6])) * d_.mass_[i].value[7]);
        }
        return fastest;
    }

    /// Velocities that momentum does not tell from rest become none: what stands stays where it is in every bit, and need not
    /// be solved again as long as nothing else changes.
    void come_to_rest() {
        if (fastest_point() > rest_speed()) return;
        for (uint32_t i = 0; i < part_.body_count; ++i)
            for (const int k : {0, 1, 2, 4, 5, 6}) velocity_[size_t(part_.body_begin + i) * kRecord + size_t(k)] = 0.0f;
    }

    /// m/s that gravity gives in a step.
    float drive() const { return glm::length(params_.settings.gravity) * part_.h; }
    /// m/s that is not told from rest.
    float rest_speed() const {
        return rests_on_what_stays() ? std::max(momentum_speed_, kRestDrive * drive()) : momentum_speed_;
    }

    /// Whether it has contacts with bodies that nothing moves, and none with those that move by themselves.
    bool rests_on_what_stays() const {
        bool any = false;
        for (uint32_t r = part_.run_begin; r < part_.run_end; ++r) any |= layout_.runs[r].immovable;
        return any && !touches_drivers();
    }

    /// Whether a constraint is one with a body that moves by itself.
    bool touches_drivers() const {
        if (layout_.driver_count == 0) return false;
        bool any = false;
        for_blocks(layout_, part_, [&](const BlockRun& run, uint32_t b, uint32_t) {
            const BlockHead& head = layout_.head(run, b);
            for (uint32_t lane = 0; lane < kBlockLanes && head.id[lane] != sweep::kNoLane; ++lane)
                for (const uint32_t body : {head.body_a[lane], head.body_b[lane]})
                    any |= body - layout_.drivers_begin < layout_.driver_count;
        });
        return any;
    }

    /// Moves bodies out of each other and leaves velocities alone: d = H^-1 J^T r e, which parts every
    /// overlap by its e and moves no other contact that is closed. Push-out speeds inside the velocity
    /// problem would be summed up in the multipliers, and tall towers swing more and more under such an
    /// integral of their positions.
    void push_apart() {
        clear_wrench();
        const PushLaw law{law_.r, kSlop * scale_, kPushPart, params_.settings.max_push_speed * params_.dt};
        Row squares = {};
        for_runs([&](const BlockRun& run, void* blocks, DirectRows*) {
            const auto push = kind_row(run.kind).direct.push;
            if (push) push(blocks, run.blocks, wrench_, law, squares);
        });
        move_by_wrench(squares, law_.r);
    }

    /// Moves the bodies by H^-1 times the wrenches, which ask for the given squares of lengths. Velocities stay as they are.
    void move_by_wrench(const Row& squares, float r) {
        double asked = 0.0;  // r e^2: twice the energy of all that is asked for
        for (const float square : squares) asked += double(r) * double(square);
        if (!(asked > 0.0)) return;
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            const float* w = wrench_ + size_t(part_.body_begin + i) * kRecord;
            float* g = d_.gradient_[i].value;
            for (const int k : {0, 1, 2, 4, 5, 6}) g[k] = -w[k];
        }
        find_direction();
        // With H itself the wrenches do no more work than was asked for. A factor that was made when contacts
        // were open is too soft, and would fling bodies about.
        const double work = -slope();
        if (!(work > 0.0)) return;
        const float scale = float(std::min(1.0, asked / work));
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            const float* d = d_.direction_[i].value;
            const uint32_t body = part_.body_begin + i;
            float *delta = bodies_.delta[body].value, *transform = bodies_.transform[body].value;
            for (const int k : {0, 1, 2, 4, 5, 6}) delta[k] += scale * d[k];
            const Quat before(transform[3], transform[0], transform[1], transform[2]);
            const Quat q = integrate_rotation(before, scale * Vec3(d[4], d[5], d[6]), 1.0f);
            transform[0] = q.x, transform[1] = q.y, transform[2] = q.z, transform[3] = q.w;
        }
    }

    /// Calls work(run, its blocks, their rows).
    template <class Work>
    void for_runs(const Work& work) {
        DirectRows* cone = d_.rows_.data();
        for (uint32_t r = part_.run_begin; r < part_.run_end; ++r) {
            const BlockRun& run = layout_.runs[r];
            work(run, layout_.blocks(run), cone);
            cone += run.blocks;
        }
    }

    void clear_wrench() {
        std::memset(wrench_ + size_t(part_.body_begin) * kRecord, 0, size_t(part_.body_count) * sizeof(BodyRecord));
    }

    /// F at the present velocities.
    void evaluate(bool first = false) {
        clear_wrench();
        for_runs([&](const BlockRun& run, void* blocks, DirectRows* cone) {
            if (first)
                deepest_ = std::max(deepest_,
                                    kind_row(run.kind).direct.begin(blocks, run.blocks, cone, records_, wrench_, law_));
            else
                kind_row(run.kind).direct.evaluate(blocks, run.blocks, cone, records_, wrench_, law_);
        });
        error_ = momentum_.gradient(part_.body_begin, part_.body_count, velocity_, bodies_.free_velocity.data()->value,
                                    wrench_, d_.mass_.data()->value, {momentum_speed_, kMomentumLoad},
                                    d_.gradient_.data()->value);
        ++report_.evaluations;
        report_.work += kEvaluateCost * float(blocks_);
    }

    /// F along the direction.
    double slope() const {
        double sum = 0.0;
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            const float *g = d_.gradient_[i].value, *d = d_.direction_[i].value;
            for (const int k : {0, 1, 2, 4, 5, 6}) sum += double(g[k]) * double(d[k]);
        }
        return sum;
    }

    /// u = start + a d.
    void go(float a) {
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            float* u = velocity_ + size_t(part_.body_begin + i) * kRecord;
            const float *s = d_.start_[i].value, *d = d_.direction_[i].value;
            for (const int k : {0, 1, 2, 4, 5, 6}) u[k] = s[k] + a * d[k];
        }
        evaluate();
    }

    /// H at the present velocities, and its factor: at once, or the first piece of it. False when there is none to go
    /// on with.
    bool factorise() {
        if (d_.under_way_) return d_.has_factor_;
        if (!d_.spread_) d_.has_factor_ = false;
        if (!d_.analyse(layout_, part_)) return d_.has_factor_;
        BlockCholesky& factor = d_.unfinished();
        const float cost = kProductCost * float(factor.work());
        if (cost > limits_.factor || substitution_cost(factor) > limits_.substitution) return d_.has_factor_;
        d_.spread_ = cost > limits_.factor_spread;
        fill_matrix(factor);
        if (d_.has_factor_) factor.take_over(d_.factor_, kSameNumbers);
        ++report_.factorisations;
        d_.under_way_ = true;
        const float left = d_.has_factor_ ? kProductCost * float(factor.work_left()) : cost;
        if (d_.spread_ && left > limits_.factor_at_once) return go_on_with_factor();
        limits_.factor_at_once -= left;
        report_.work += left;
        if (factor.factorise_until(factor.rows()))
            d_.end_factor();
        else
            d_.under_way_ = false;
        return d_.has_factor_;
    }

    /// One piece of the factor that is under way. Returns whether there is one to go on with.
    bool go_on_with_factor() {
        size_t products = size_t(limits_.factor_piece / kProductCost);
        const bool good = d_.unfinished().factorise_some(products);
        factor_work_ += kProductCost * float(products);
        if (!good)
            d_.under_way_ = false;
        else if (d_.unfinished().is_complete())
            d_.end_factor();
        return d_.has_factor_;
    }

    float substitution_cost(const BlockCholesky& factor) const {
        return kSubstituteCost * float(factor.fill() + factor.rows());
    }

    void fill_matrix(BlockCholesky& factor) {
        factor.clear();
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            const float* m = d_.mass_[i].value;
            Block6& to = factor.diagonal(i);
            for (uint32_t k = 0; k < 3; ++k) to.at(k, k) = m[6];
            to.at(3, 3) = m[0], to.at(4, 4) = m[1], to.at(5, 5) = m[2];
            to.at(4, 3) = m[3], to.at(5, 3) = m[4], to.at(5, 4) = m[5];
        }
        for_blocks(layout_, part_, [&](const BlockRun& run, uint32_t b, uint32_t at) {
            const BlockHead& head = layout_.head(run, b);
            kind_row(run.kind).direct.stiffness(&head, d_.rows_[at], records_, law_, stiffness_);
            for (uint32_t lane = 0; lane < kBlockLanes && head.id[lane] != sweep::kNoLane; ++lane)
                add_stiffness(factor, head, lane);
        });
        report_.work += kStiffnessCost * float(blocks_);
    }

    void add_stiffness(BlockCholesky& factor, const BlockHead& head, uint32_t lane) {
        const bool moves_a = head.moves_a >> lane & 1, moves_b = head.moves_b >> lane & 1;
        const uint32_t a = head.body_a[lane] - part_.body_begin, b = head.body_b[lane] - part_.body_begin;
        const auto add_lower = [&](Block6& to, const Row* rows) {
            for (uint32_t i = 0; i < 6; ++i)
                for (uint32_t j = 0; j <= i; ++j) to.at(i, j) += (*rows++)[lane];
        };
        if (moves_a) add_lower(factor.diagonal(a), stiffness_.aa);
        if (moves_b) add_lower(factor.diagonal(b), stiffness_.bb);
        if (!moves_a || !moves_b) return;
        bool transposed = false;
        Block6& to = factor.beside(a, b, transposed);
        for (uint32_t i = 0; i < 6; ++i)
            for (uint32_t j = 0; j < 6; ++j) (transposed ? to.at(j, i) : to.at(i, j)) += stiffness_.ab[6 * i + j][lane];
    }

    /// d = -H^-1 F, and where the velocities stand.
    void find_direction() {
        resize_roomily(d_.packed_, size_t(kBlock6Stride) * part_.body_count);
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            float* to = d_.packed_.data() + size_t(kBlock6Stride) * d_.factor_.elimination_index(i);
            const float* g = d_.gradient_[i].value;
            to[0] = -g[0], to[1] = -g[1], to[2] = -g[2], to[3] = -g[4], to[4] = -g[5], to[5] = -g[6];
            to[6] = to[7] = 0.0f;
        }
        d_.factor_.solve(d_.packed_);
        for (uint32_t i = 0; i < part_.body_count; ++i) {
            const float* from = d_.packed_.data() + size_t(kBlock6Stride) * d_.factor_.elimination_index(i);
            float* d = d_.direction_[i].value;
            d[0] = from[0], d[1] = from[1], d[2] = from[2], d[4] = from[3], d[5] = from[4], d[6] = from[5];
            d_.start_[i] = bodies_.velocity[part_.body_begin + i];
        }
        ++report_.substitutions;
        report_.work += substitution_cost(d_.factor_);
    }

    /// To the minimum along the direction, or near it: the slope grows from its value at the start through
    /// zero. A full step is mostly right; otherwise bisection helped by the secant (Illinois).
    bool search_line() {
        const double first = slope();
        if (!(first < 0.0)) return false;
        const double flat = double(kFlatEnough) * -first;
        float low = 0.0f, high = 0.0f, a = 1.0f;
        double low_slope = first, high_slope = 0.0;
        for (int trial = 0; trial < kMaxTrials; ++trial) {
            go(a);
            const double here = slope();
            if (!std::isfinite(here)) return false;
            if (std::abs(here) <= flat || report_.work > limits_.budget) return true;
            if (here < 0.0) {
                low = a;
                low_slope = here;
                high_slope *= 0.5;
            } else {
                high = a;
                high_slope = here;
                low_slope *= 0.5;
            }
            a = high > 0.0f ? low + (high - low) * float(low_slope / (low_slope - high_slope)) : 2.0f * a;
        }
        return true;
    }

    /// Newton's method until momentum is kept. False when it cannot be reached.
    bool descend() {
        bool fresh = false, stalled = false;
        if (error_ <= rest_error_) return true;
        for (uint32_t step = 0; error_ > 1.0f; ++step) {
            const bool spent = step == kMaxSteps || report_.work > limits_.budget;
            if (spent) return false;
            if (!d_.has_factor_) {
                if (!factorise()) return false;
                fresh = true;
            }
            find_direction();
            const float before = error_;
            const bool went = search_line();
            if (!went && fresh) return false;
            // A factor that led nowhere, or not far enough, is made anew where we stand.
            if (!went) {
                for (uint32_t i = 0; i < part_.body_count; ++i) bodies_.velocity[part_.body_begin + i] = d_.start_[i];
                evaluate();
            }
            const bool pays = went && !(error_ > 1.0f && error_ > kPays * before);
            // Where a new factor does not pay either, or the old one twice, what is left is rounding: that of the
            // velocities, times r.
            const bool stalls = went && !pays && error_ <= kRoundedMomentum;
            if (stalls && (fresh || stalled)) return true;
            stalled = stalls;
            fresh = false;
            if (pays) continue;
            if (d_.spread_ && went)
                factorise();  // one that will pay again; until it is ready the old one has to do
            else
                d_.drop_factor();
        }
        return true;
    }

    DirectIsland& d_;
    Layout& layout_;
    SweepBodies& bodies_;
    const Partition& part_;
    const StepParams& params_;
    DirectLimits limits_;
    sweep::BodyRecords records_;
    float* velocity_;
    float* wrench_;
    uint32_t blocks_ = 0;
    DirectLaw law_;
    float momentum_speed_ = 0.0f;              // m/s that momentum may be wrong by
    float scale_ = 1.0f, speed_scale_ = 1.0f;  // of the smallest body: the constants are those of a metre (scale.h)
    bool slow_ = false;                        // where the solve begins
    float kept_residual_ = 0.0f;
    float deepest_ = 0.0f;           // overlap, m
    bool multipliers_stay_ = false;  // in the last pass
    float rest_error_ = 0.0f;        // of momentum, in the units of error_: what was at rest stays so
    float error_ = 0.0f;             // largest momentum left over what may be left
    float factor_work_ = 0.0f;       // of the piece of a factor, which has its own limit
    DirectReport report_;
    StiffnessRows stiffness_;
    const MomentumKernels& momentum_ = momentum_kernels();
};

DirectReport DirectIsland::solve(const DirectProblem& problem, const DirectLimits& limits) {
    return Solve(*this, problem, limits).run();
}

}  // namespace proxima::physics::direct
