// SPDX-License-Identifier: MIT
// The stages of a step as the wide solver does them: assembly, sub-steps, read-out. It is PROX Gauss-Seidel
// with local steps as in prox_gs.cpp, for the settings that games use; everything else takes the general
// path.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "physics/solvers/wide/wide_assembly.h"
#include "physics/solvers/wide/wide_parts.h"
#include "physics/step.h"

namespace proxima::physics {

using namespace wide;

namespace {

constexpr uint32_t kBodiesPerJob = 256;
constexpr int kMaxImpactPasses = 64;

/// And back, of those that moved. What fills the last block of a list stands there a second time and does not
/// count.
void scatter_bodies(StepContext& c) {
    Problem& p = c.wide;
    c.jobs->parallel_for(p.moving_count, kBodiesPerJob, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const uint32_t body = p.bodies[i];
            if (p.index_of_body[body] != i) continue;
            std::memcpy(&c.bodies.velocity[body], p.velocity[i].value, sizeof(BodyRecord));
            std::memcpy(&c.bodies.moved[body], p.moved[i].value, sizeof(BodyRecord));
            std::memcpy(&c.bodies.place[body], p.place[i].value, sizeof(BodyRecord));
        }
    });
}

// ---- sub-steps

SweepLaw soft_law(const StepContext& c, bool immovable, bool last) {
    SweepLaw law;
    law.inverse_h = 1.0f / c.h;
    law.adds_up = last;
    if (c.settings.stabilisation != Stabilisation::soft) return law;
    const SoftContact& soft = immovable ? c.soft_immovable : c.soft;
    law.push_rate = soft.push_rate;
    law.max_push_speed = c.settings.max_push_speed;
    law.hardness = 1.0f / (1.0f + soft.compliance_factor);
    return law;
}

/// Everything that the sweeps of a step share.
struct Sweeps {
    StepContext& c;
    Problem& p;
    BodyRecords bodies;
    const ContactKernels& contact;
    const BodyKernels& body;
    SweepLaw soft[2][2];  // [immovable][last of a sub-step]
    SweepLaw hard;
    ImpactLaw impact;

    explicit Sweeps(StepContext& context)
        : c(context),
          p(context.wide),
          bodies(records_of(context)),
          contact(contact_kernels()),
          body(body_kernels()) {
        for (int immovable = 0; immovable < 2; ++immovable)
            for (int last = 0; last < 2; ++last) soft[immovable][last] = soft_law(c, immovable, last);
        hard.inverse_h = 1.0f / c.h;
        hard.corrects = true;
        hard.elapsed = elapsed(c.settings.substeps);
        impact.h = c.h;
        impact.least_speed = c.settings.restitution_speed;
    }

    void* blocks(const Run& run) const { return &p.head(run.offset); }
    void warm_start(const Run& run) const {
        contact.warm_start[run.points - 1](blocks(run), run.blocks, bodies);
    }
    void sweep(const Run& run, bool last, float elapsed) const {
        SweepLaw law = soft[run.immovable][last];
        law.elapsed = elapsed;
        contact.sweep[run.points - 1](blocks(run), run.blocks, bodies, law);
    }
    void relax(const Run& run) const { contact.sweep[run.points - 1](blocks(run), run.blocks, bodies, hard); }
    bool bounce(const Run& run, float elapsed) const {
        ImpactLaw law = impact;
        law.elapsed = elapsed;
        return bounce(run, law);
    }
    bool bounce(const Run& run, const ImpactLaw& law) const {
        return run.bounces && contact.impact[run.points - 1](blocks(run), run.blocks, bodies, law,
                                                             &p.restitution[run.first_block].value);
    }
    /// Time since the gaps were measured, at the start of a sub-step.
    float elapsed(uint32_t substep) const { return float(substep) * c.h; }
    uint32_t relax_sweeps() const {
        return c.settings.stabilisation == Stabilisation::soft ? c.settings.relax_iterations : 0;
    }
};

/// One batch from the first sub-step to the last, on one worker.
void solve_batch(const Sweeps& s, const Part& batch) {
    const uint32_t* list = s.p.indices.data() + batch.body_begin;
    const uint32_t count = batch.body_count;
    const Advance how{s.c.h, s.c.settings.gyroscopic, !batch.bounces};
    const auto for_runs = [&](const auto& work) {
        for (uint32_t r = batch.run_begin; r < batch.run_end; ++r) work(s.p.runs[r]);
    };
    const auto bounce = [&](uint32_t substep) {
        bool any = batch.bounces;
        for (int pass = 0; any && pass < kMaxImpactPasses; ++pass) {
            any = false;
            for_runs([&](const Run& run) { any |= s.bounce(run, s.elapsed(substep)); });
        }
    };
    for (uint32_t k = 0; k < s.c.settings.substeps; ++k) {
        (k == 0 ? s.body.begin : s.body.next)(list, count, s.bodies, how);
        if (batch.bounces) {
            bounce(k);
            s.body.give_contact_velocity(list, count, s.bodies);
        }
        if (k == 0) for_runs([&](const Run& run) { s.warm_start(run); });
        for (uint32_t i = 0; i < s.c.settings.iterations; ++i)
            for_runs([&](const Run& run) { s.sweep(run, i + 1 == s.c.settings.iterations, s.elapsed(k)); });
    }
    s.body.end(list, count, s.bodies, how);
    bounce(s.c.settings.substeps);
    for (uint32_t i = 0; i < s.relax_sweeps(); ++i) for_runs([&](const Run& run) { s.relax(run); });
}

/// One island solved directly, in one step of the whole frame; swept when that fails.
void solve_direct(const Sweeps& s, uint32_t number) {
    StepContext& c = s.c;
    Problem& p = s.p;
    Part& part = p.parts[number];
    DirectSlot& slot = c.directs[number];
    const uint32_t* list = p.indices.data() + part.body_begin;
    const Advance how{c.dt, c.settings.gyroscopic, true};
    s.body.begin(list, part.body_count, s.bodies, how);
    bool bounced = false;
    if (part.bounces) {
        ImpactLaw law = s.impact;
        law.h = c.dt;
        bool any = true;
        for (int pass = 0; any && pass < kMaxImpactPasses; ++pass) {
            any = false;
            for (uint32_t r = part.run_begin; r < part.run_end; ++r) any |= s.bounce(p.runs[r], law);
            bounced |= any;
        }
    }
    const size_t first = part.body_begin;
    if (bounced) {
        std::copy_n(p.velocity.begin() + first, part.body_count, p.free_velocity.begin() + first);
    } else {
        // What rests goes on resting: the velocity before the step is the best guess there is.
        for (uint32_t i = 0; i < part.body_count; ++i)
            std::memcpy(p.velocity[first + i].value, &c.bodies.velocity[p.bodies[first + i]],
                        sizeof(BodyRecord));
    }
    uint32_t blocks = 0;
    for (uint32_t r = part.run_begin; r < part.run_end; ++r) blocks += p.runs[r].blocks;
    const float sweeps = float(blocks * (c.settings.substeps * c.settings.iterations + s.relax_sweeps()));
    slot.report = slot.island->solve(c, part, direct_budget(c, part, sweeps));
    part.in_one_step = slot.report.solved;
    if (slot.report.solved) {
        s.body.end(list, part.body_count, s.bodies, how);
    } else {
        gather_again(c, part, c.h);
        assemble_part(c, part, c.h, true);
        solve_batch(s, part);
    }
    note_direct(c, part, slot.report, sweeps);
}

/// Large islands. Workers take slabs; the seams between slabs wait for all of them, and they for the seams. A
/// sweep is: inside the slabs, the seams, the ground. The ground of one sub-step, the motion of its bodies
/// and the inside of the next need nobody else, so they go in one piece: two meetings of the workers a
/// sub-step, however many colours there are.
class SlabSolver {
  public:
    explicit SlabSolver(const Sweeps& sweeps)
        : s_(sweeps), c_(sweeps.c), p_(sweeps.p), how_{c_.h, c_.settings.gyroscopic, !p_.slabs_bounce} {}

    void solve() {
        if (p_.numbers.slabs == 0) return;
        const uint32_t iterations = c_.settings.iterations;
        for (uint32_t k = 0; k < c_.settings.substeps; ++k) {
            timed(Stage::solve, [&] {
                if (k == 0) {
                    for_slabs([&](uint32_t slab) { advance(slab, s_.body.begin); });
                    if (p_.slabs_bounce) bounce_then_give_back(0);
                    everywhere([&](const Run& run) { s_.warm_start(run); });
                }
                for (uint32_t i = 0; i < iterations; ++i) {
                    const bool last = i + 1 == iterations;
                    const auto sweep = [&](const Run& run) { s_.sweep(run, last, s_.elapsed(k)); };
                    // The ground and the motion that the last sub-step left open come first.
                    const bool continues = i == 0 && k > 0 && !p_.slabs_bounce;
                    for_slabs([&](uint32_t slab) {
                        if (continues) {
                            for_ground(slab, [&](const Run& run) { s_.sweep(run, true, s_.elapsed(k - 1)); });
                            advance(slab, s_.body.next);
                        }
                        for_inside(slab, sweep);
                    });
                    for_seams(sweep);
                    if (!last || k + 1 == c_.settings.substeps || p_.slabs_bounce)
                        for_slabs([&](uint32_t slab) { for_ground(slab, sweep); });
                }
                if (k + 1 == c_.settings.substeps) return;
                if (p_.slabs_bounce) {
                    for_slabs([&](uint32_t slab) { advance(slab, s_.body.next); });
                    bounce_then_give_back(k + 1);
                }
            });
        }
        timed(Stage::integrate, [&] { for_slabs([&](uint32_t slab) { advance(slab, s_.body.end); }); });
        timed(Stage::impacts, [&] { bounce(c_.settings.substeps); });
        timed(Stage::relax, [&] {
            for (uint32_t i = 0; i < s_.relax_sweeps(); ++i) {
                const auto relax = [&](const Run& run) { s_.relax(run); };
                for_slabs([&](uint32_t slab) { for_inside(slab, relax); });
                for_seams(relax);
                for_slabs([&](uint32_t slab) { for_ground(slab, relax); });
            }
        });
    }

  private:
    template <class Work>
    void timed(Stage stage, const Work& work) const {
        const engine::StageTimer timer(c_.times, engine::StageIndex(stage));
        work();
    }
    template <class Work>
    void for_slabs(const Work& work) const {
        c_.jobs->parallel_for(
            p_.numbers.slabs, 1, [&](const engine::JobBlock& block) { work(block.begin); },
            engine::Share::at_home);
    }
    template <class Work>
    void for_runs(const Part& part, const Work& work) const {
        for (uint32_t r = part.run_begin; r < part.run_end; ++r) work(p_.runs[r]);
    }
    template <class Work>
    void for_inside(uint32_t slab, const Work& work) const {
        for_runs(p_.parts[p_.numbers.slab(slab)], work);
    }
    template <class Work>
    void for_ground(uint32_t slab, const Work& work) const {
        for_runs(p_.parts[p_.numbers.ground(slab)], work);
    }
    template <class Work>
    void for_seams(const Work& work) const {
        c_.jobs->parallel_for(
            p_.numbers.seams(), 1,
            [&](const engine::JobBlock& block) { for_runs(p_.parts[p_.numbers.seam(block.begin)], work); },
            engine::Share::at_home);
        for_runs(p_.parts[p_.numbers.far()], work);
    }
    template <class Work>
    void everywhere(const Work& work) const {
        for_slabs([&](uint32_t slab) {
            for_inside(slab, work);
            for_ground(slab, work);
        });
        for_seams(work);
    }
    template <class Motion>
    void advance(uint32_t slab, Motion motion) const {
        const Part& part = p_.parts[p_.numbers.slab(slab)];
        motion(p_.indices.data() + part.body_begin, part.body_count, s_.bodies, how_);
    }
    void bounce(uint32_t substep) {
        bool any = p_.slabs_bounce;
        for (int pass = 0; any && pass < kMaxImpactPasses; ++pass) {
            std::atomic<bool> bounced{false};
            everywhere([&](const Run& run) {
                if (s_.bounce(run, s_.elapsed(substep))) bounced.store(true, std::memory_order_relaxed);
            });
            any = bounced.load(std::memory_order_relaxed);
        }
    }
    void bounce_then_give_back(uint32_t substep) {
        bounce(substep);
        for_slabs([&](uint32_t slab) {
            const Part& part = p_.parts[p_.numbers.slab(slab)];
            s_.body.give_contact_velocity(p_.indices.data() + part.body_begin, part.body_count, s_.bodies);
        });
    }

    const Sweeps& s_;
    StepContext& c_;
    Problem& p_;
    Advance how_;
};

/// What no contact moves is moved when all contacts are done.
void move_kinematic_bodies(const Sweeps& s) {
    const engine::StageTimer timer(s.c.times, engine::StageIndex(Stage::integrate));
    const uint32_t* list = s.p.indices.data() + s.p.drivers_begin;
    const Advance how{s.c.h, s.c.settings.gyroscopic, true};
    s.body.begin(list, s.p.driver_count, s.bodies, how);
    for (uint32_t k = 1; k < s.c.settings.substeps; ++k) s.body.next(list, s.p.driver_count, s.bodies, how);
    s.body.end(list, s.p.driver_count, s.bodies, how);
}

/// Impulses, gaps and closing speeds of a block back to their manifolds; what the step reports of them is
/// added up.
MeasureSum hand_back(StepContext& c, const BlockHead& head, const PointRows* rows, uint32_t points,
                     const ReadOut& out, const Part& part, uint8_t* news) {
    MeasureSum sum;
    for (uint32_t lane = 0; lane < kBlockLanes && head.pair[lane] != kNoLane; ++lane) {
        PairSlot& slot = c.pairs[head.pair[lane]];
        Manifold& m = *slot.manifold;
        m.lambda_dt = part.h;
        float worst = 0.0f;
        for (uint32_t i = 0; i < points; ++i) {
            const PointRows& r = rows[i];
            ManifoldPoint& p = m.points[i];
            p.lambda = {r.normal[lane], r.tangent1[lane], r.tangent2[lane]};
            p.impulse = {r.total_normal[lane], r.total_tangent1[lane], r.total_tangent2[lane]};
            if (part.in_one_step)
                p.impulse += p.lambda;  // sweeps have added theirs up; in there are blows only
            p.separation = out.gap[i][lane];
            p.approach_speed = r.approach_speed[lane];
            const double residual = out.residual[i][lane];
            sum.residual_sum += residual;
            sum.residual_max = std::max(sum.residual_max, residual);
            worst = std::max(worst, out.residual[i][lane]);
            if (p.separation >= 0.0f) continue;
            ++sum.overlaps;
            sum.overlap_sum -= p.separation;
            sum.overlap_max = std::max(sum.overlap_max, -p.separation);
        }
        if (part.island == kSeveral) raise_residual(c, island_of(c, slot.body_a, slot.body_b), worst);
        news[lane] = note_contact(slot, c.settings.hit_speed);
    }
    return sum;
}

}  // namespace

bool can_go_wide(const StepSettings& settings) {
    return settings.wide_kernels && settings.solver == "prox_gs" && settings.r_strategy == RStrategy::local &&
           settings.tolerance == 0.0 && settings.stepping == Stepping::semi_implicit &&
           settings.stabilisation != Stabilisation::projection;
}

void solve_wide(StepContext& c) {
    const Sweeps sweeps(c);
    {
        const engine::StageTimer timer(c.times, engine::StageIndex(Stage::solve));
        c.jobs->parallel_for(
            c.wide.numbers.batches, 1,
            [&](const engine::JobBlock& block) {
                if (block.begin < c.wide.numbers.directs)
                    solve_direct(sweeps, block.begin);
                else
                    solve_batch(sweeps, c.wide.parts[block.begin]);
            },
            engine::Share::at_home);
    }
    SlabSolver(sweeps).solve();
    move_kinematic_bodies(sweeps);
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::write_back));
    scatter_bodies(c);
}

void read_out_wide(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::store_impulses));
    Problem& p = c.wide;
    const BodyRecords bodies = records_of(c);
    const ContactKernels& kernels = contact_kernels();
    c.measure_sums.resize(p.parts.size());
    for_all_parts(c, [&](const Part& part) {
        MeasureSum sum;
        ReadOut out;
        for (uint32_t r = part.run_begin; r < part.run_end; ++r) {
            const Run& run = p.runs[r];
            for (uint32_t b = 0; b < run.blocks; ++b) {
                BlockHead& head = p.head(run.block(b));
                if (b + 1 < run.blocks) fetch_manifolds(c, p.head(run.block(b + 1)));
                kernels.read_out[run.points - 1](&head, bodies, 1.0f / part.h, out);
                sum = add(sum, hand_back(c, head, points_of(head), run.points, out, part,
                                         p.news.data() + run.first_item + b * kBlockLanes));
            }
        }
        c.measure_sums[size_t(&part - p.parts.data())] = sum;
        if (part.island != kSeveral) raise_residual(c, part.island, float(sum.residual_max));
    });
    for (const MeasureSum& sum : c.measure_sums) c.measured = add(c.measured, sum);
}

}  // namespace proxima::physics
