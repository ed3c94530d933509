// SPDX-License-Identifier: MIT
#include "physics/solve/sweep/sweep_solver.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "physics/constraints/contact/contact_block.h"
#include "physics/solve/impacts.h"
#include "physics/solve/integrate.h"
#include "physics/solve/sweep/sweep_measure.h"

namespace proxima::physics {

using namespace sweep;

namespace {

PrepareParams prepare_params(const StepParams& params, float h, bool swept) {
    return {h, swept, rigid_softness(h), params.softness};
}

/// Whether the bodies of an island could all move on together without pressing on each other: the same forces give them the
/// same velocity, without spin, and nothing outside of the island holds them, or there are no forces at all. Impulses of
/// the step before, when something held them, say nothing about this one: the lowest box of a stack whose support is gone
/// would be thrown down with the weight of all above it.
bool falls_as_one(const Layout& layout, const Partition& partition, const SweepBodies& bodies) {
    const BodyRecord& first = bodies.drive[partition.body_begin];
    for (uint32_t i = 0; i < partition.body_count; ++i)
        if (std::memcmp(bodies.drive[partition.body_begin + i].value, first.value, sizeof(BodyRecord)) != 0)
            return false;
    const float* d = first.value;
    if (d[4] != 0.0f || d[5] != 0.0f || d[6] != 0.0f) return false;
    bool held = false;
    for (uint32_t r = partition.run_begin; r < partition.run_end; ++r) held |= layout.runs[r].immovable;
    const bool driven = d[0] != 0.0f || d[1] != 0.0f || d[2] != 0.0f;
    return !held || (!driven && layout.driver_count == 0);
}

bool moves_with_bodies(const Layout& layout, const Partition& partition) {
    if (partition.articulation_begin < partition.articulation_end) return true;
    for (uint32_t r = partition.run_begin; r < partition.run_end; ++r)
        if (kind_row(layout.runs[r].kind).sweep.moves_with_bodies) return true;
    return false;
}

/// The blocks of a partition, with the impulses of a (sub-)step of length h.
void prepare_partition(const ConstraintStores& stores, const PrepareParams& params, const BodyRecords& records,
                       Layout& layout, Partition& partition) {
    partition.h = params.h;
    partition.bounces = partition.turns = false;
    partition.has_anew = moves_with_bodies(layout, partition);
    for (uint32_t r = partition.run_begin; r < partition.run_end; ++r) {
        BlockRun& run = layout.runs[r];
        const Prepared prepared = kind_row(run.kind).prepare(stores, params, records, layout.span(run));
        run.bounces = prepared.bounces;
        partition.bounces |= prepared.bounces;
        partition.has_anew |= prepared.anew;
        partition.turns |= prepared.turns;
    }
}

// ---- sub-steps

/// Passes in which a patch that carried nothing finds its load. In a large island that is not its own affair.
constexpr uint32_t kLoadPasses = 40, kLoadPassesLarge = 3;

/// Everything that the sweeps of a step with one length of sub-steps share.
struct Sweeps {
    const ConstraintStores& stores;
    const StepParams& params;
    const StepSettings& settings;
    Layout& layout;
    SweepBodies& records;
    std::vector<MeasureSum>& sums;  // by partition
    const Bodies& all_bodies;
    Articulations& articulations;
    BodyRecords bodies;
    const BodyKernels& body;
    Substeps substeps;
    SweepLaw soft, hard;
    ImpactLaw impact;

    /// The same in other sub-steps.
    Sweeps cut(Substeps other) const {
        Sweeps sweeps = *this;
        sweeps.set_substeps(other);
        return sweeps;
    }
    Sweeps(const ConstraintStores& s, const StepParams& p, Substeps cut, uint32_t load_passes, const Bodies& b,
           Articulations& a, SweepSolver& sweep)
        : stores(s),
          params(p),
          settings(p.settings),
          layout(sweep.layout),
          records(sweep.bodies),
          sums(sweep.sums),
          all_bodies(b),
          articulations(a),
          bodies(sweep.bodies.records()),
          body(body_kernels()) {
        soft.load_passes = load_passes;
        set_substeps(cut);
    }
    void set_substeps(Substeps cut) {
        substeps = cut;
        soft.h = hard.h = substeps.h;
        soft.inverse_h = hard.inverse_h = 1.0f / substeps.h;
        hard.elapsed = elapsed(substeps.count);
        hard.ramp = ramp(params.dt);
        impact.h = substeps.h;
        impact.min_speed = settings.restitution_speed;
        soft.gravity = glm::length(settings.gravity) * substeps.h;
    }

    void turn(const BlockRun& run, uint32_t substep) const {
        if (const auto kernel = kind_row(run.kind).sweep.turn)
            kernel(layout.blocks(run), run.blocks, bodies, {substeps.h, elapsed(substep), lag(elapsed(substep))});
    }
    void warm_start(const BlockRun& run, uint32_t substep, bool turned) const {
        kind_row(run.kind).sweep.warm_start(layout.blocks(run), run.blocks, bodies,
                                            {substeps.h, elapsed(substep), lag(elapsed(substep)), turned});
    }
    /// `iteration` of `count` in a sub-step; `turned`: constraints have followed their bodies already.
    void sweep(const BlockRun& run, uint32_t substep, uint32_t iteration, uint32_t count, bool turned) const {
        SweepLaw law = soft;
        law.first = iteration == 0;
        law.turns = substep > 0 && iteration == 0 && !turned;
        law.adds_up = iteration + 1 == count;
        law.elapsed = elapsed(substep);
        law.ramp = ramp(law.elapsed + 0.5f * substeps.h);
        law.lag = lag(law.elapsed);
        kind_row(run.kind).sweep.sweep(layout.blocks(run), run.blocks, bodies, law);
    }
    void relax(const BlockRun& run) const {
        kind_row(run.kind).sweep.relax(layout.blocks(run), run.blocks, bodies, hard);
    }
    bool bounce(const BlockRun& run, float elapsed) const {
        ImpactLaw law = impact;
        law.elapsed = elapsed;
        law.ramp = ramp(elapsed + substeps.h);
        law.lag = lag(elapsed);
        return bounce(run, law);
    }
    bool bounce(const BlockRun& run, const ImpactLaw& law) const {
        return run.bounces && kind_row(run.kind).sweep.impact(layout.blocks(run), run.blocks, bodies, law,
                                                              &layout.restitution[run.first_block].value);
    }
    bool measures(uint32_t substep) const { return params.measures(substep, substeps.count); }
    /// At the end of a sub-step, before its bodies move.
    void measure(const Partition& partition, uint32_t substep) const {
        const float start = elapsed(substep);
        measure_partition(partition, bodies,
                          {substeps.h, soft.inverse_h, start, ramp(start + 0.5f * substeps.h), lag(start), 0.0f},
                          1.0 / params.measured_substeps(substeps.count), layout, sum_of(partition));
    }
    MeasureSum& sum_of(const Partition& partition) const { return sums[size_t(&partition - layout.partitions.data())]; }
    Advance advance(bool bounces) const {
        return {substeps.h, settings.gyroscopic, bounces ? WarmStart::after_impacts : WarmStart::at_once, true};
    }
    // ---- joints that are solved as one: numbers of Layout::articulations
    ArticulationLaw articulation_law(uint32_t substep) const {
        const float time = elapsed(substep);
        return {substeps.h, time, ramp(time), lag(time), settings.gyroscopic};
    }
    Articulation& articulation(uint32_t k) const { return articulations.list[layout.articulations[k]]; }
    void begin_articulation(uint32_t k) const {
        articulation(k).begin(stores.joints, all_bodies, layout.index_of_body, bodies, articulation_law(0));
    }
    /// Between the motion of a sub-step and what strikes in the next one.
    void end_substep(uint32_t k, uint32_t substep) const {
        articulation(k).end_substep(bodies, articulation_law(substep + 1));
    }
    void begin_substep(uint32_t k, uint32_t substep, bool warm) const {
        ArticulationLaw law = articulation_law(substep);
        law.ramp = ramp(law.elapsed + 0.5f * substeps.h);
        articulation(k).begin_substep(bodies, law, warm);
    }
    void solve_articulation(uint32_t k, uint32_t substep, bool moves_next) const {
        articulation(k).solve(bodies, articulation_law(substep), moves_next);
    }
    void end_articulation(uint32_t k, MeasureSum& sum) const {
        end_substep(k, substeps.count - 1);
        articulation(k).store(articulation_law(substeps.count), sum);
    }
    /// Of what accelerates and no constraint moves (SweepLaw), at a time of the step.
    float lag(float time) const { return records.drivers_accelerate ? 0.5f * time * (time - params.dt) : 0.0f; }
    float ramp(float time) const { return records.drivers_accelerate ? time - 0.5f * params.dt : 0.0f; }
    /// Time since the gaps were measured, at the start of a sub-step.
    float elapsed(uint32_t substep) const { return float(substep) * substeps.h; }
};

/// Sweeps of contacts beside joints that are solved as one, at least: of one the joints have the last word, and what stands on
/// jointed legs trembles.
constexpr uint32_t kJoinedSweeps = 2;

/// One batch from the first sub-step to the last, on one worker. False when its joints could not be held.
bool try_batch(const Sweeps& s, const Partition& batch) {
    const uint32_t* list = s.layout.indices.data() + batch.body_begin;
    const uint32_t count = batch.body_count;
    const Advance how = s.advance(batch.bounces);
    const bool joined = batch.articulation_begin < batch.articulation_end, touches = batch.run_begin < batch.run_end;
    if (!touches && !joined) {
        s.body.fly(list, count, s.bodies, how, s.substeps.count);
        return true;
    }
    const auto for_runs = [&](const auto& work) {
        for (uint32_t r = batch.run_begin; r < batch.run_end; ++r) work(s.layout.runs[r]);
    };
    const auto for_articulations = [&](const auto& work) {
        for (uint32_t k = batch.articulation_begin; k < batch.articulation_end; ++k) work(k);
    };
    const auto bounce = [&](uint32_t substep) {
        const bool bounced = bounce_until_apart([&] {
            bool any = false;
            for_runs([&](const BlockRun& run) { any |= s.bounce(run, s.elapsed(substep)); });
            return any;
        });
        if (!bounced) return;
        s.body.take_shifts(list, count, s.bodies, how);
        if (batch.turns) for_runs([&](const BlockRun& run) { s.turn(run, substep); });
    };
    for_articulations([&](uint32_t a) { s.begin_articulation(a); });
    for (uint32_t k = 0; k < s.substeps.count; ++k) {
        (k == 0 ? s.body.begin : s.body.next)(list, count, s.bodies, how);
        if (k > 0) for_articulations([&](uint32_t a) { s.end_substep(a, k - 1); });
        if (batch.bounces) {
            if (k > 0 && batch.turns) for_runs([&](const BlockRun& run) { s.turn(run, k); });
            bounce(k);
            s.body.give_constraint_velocity(list, count, s.bodies, how);
        }
        for_articulations([&](uint32_t a) { s.begin_substep(a, k, touches); });
        if (k == 0 || batch.has_anew) for_runs([&](const BlockRun& run) { s.warm_start(run, k, batch.bounces); });
        uint32_t sweeps = s.params.sweeps(s.settings.iterations, batch.large, batch.strain, k);
        if (joined) sweeps = touches ? std::max(sweeps, kJoinedSweeps) : 1;
        for (uint32_t i = 0; i < sweeps; ++i) {
            for_runs([&](const BlockRun& run) { s.sweep(run, k, i, sweeps, batch.bounces); });
            for_articulations([&](uint32_t a) { s.solve_articulation(a, k, i + 1 == sweeps); });
        }
        if (s.measures(k)) s.measure(batch, k);
    }
    s.body.end(list, count, s.bodies, how);
    for_articulations([&](uint32_t a) { s.end_articulation(a, s.sum_of(batch)); });
    for (uint32_t i = 0; i < s.params.relax_sweeps(); ++i) for_runs([&](const BlockRun& run) { s.relax(run); });
    bool holds = true;
    for_articulations([&](uint32_t a) { holds &= s.articulation(a).holds(); });
    return holds;
}

/// The longest sub-step for bodies that swing at a rate: what is not much shorter than 2 / rate makes them whip.
constexpr float kMaxSwing = 1.2f;
/// Sub-steps of joints that touch nothing, at least, as a part of what islands have: they are held exactly in each.
constexpr uint32_t kMaxFewer = 4;
/// And at most, as a multiple.
constexpr uint32_t kMaxTimes = 16;

/// The sub-steps of a batch with joints.
Substeps substeps_of(const Sweeps& s, const Partition& batch) {
    float rate = 0.0f;
    for (uint32_t a = batch.articulation_begin; a < batch.articulation_end; ++a)
        rate = std::max(rate, s.articulation(a).fastest_rate(s.stores.joints, s.all_bodies, s.params.dt));
    const uint32_t usual = s.substeps.count, most = kMaxTimes * usual;
    bool few = batch.run_begin == batch.run_end;
    for (uint32_t a = batch.articulation_begin; few && a < batch.articulation_end; ++a)
        few = s.articulation(a).may_step_far(s.stores.joints);
    uint32_t count = few ? std::max(usual / kMaxFewer, 1u) : usual;
    while (count < most && rate * s.params.dt > kMaxSwing * float(count)) count *= 2;
    return {count, s.params.dt / float(count)};
}

/// The same with joints: in as many sub-steps as it takes to hold them.
void solve_batch(const Sweeps& s, Partition& batch) {
    if (batch.articulation_begin == batch.articulation_end) {
        try_batch(s, batch);
        return;
    }
    const MeasureSum before = s.sum_of(batch);
    const uint32_t most = kMaxTimes * s.substeps.count;
    for (Substeps cut = substeps_of(s, batch);; cut = {4 * cut.count, cut.h / 4.0f}) {
        if (cut.h != batch.h) {
            gather_partition(s.layout, s.all_bodies, s.settings.gravity, batch, cut.h, true, s.records);
            prepare_partition(s.stores, prepare_params(s.params, cut.h, true), s.bodies, s.layout, batch);
        }
        if (try_batch(s.cut(cut), batch) || 4 * cut.count > most) return;
        batch.h = 0.0f;  // begins anew
        s.sum_of(batch) = before;
    }
}

/// Bounces until nothing does; whether anything did.
bool bounce_direct(const Sweeps& s, const Partition& partition) {
    // Without restitution the solve itself stops what touches, all at once.
    if (!partition.bounces) return false;
    ImpactLaw law = s.impact;
    law.h = partition.h;
    return bounce_until_apart([&] {
        bool any = false;
        for (uint32_t r = partition.run_begin; r < partition.run_end; ++r) any |= s.bounce(s.layout.runs[r], law);
        return any;
    });
}

/// One island solved directly, in one step of the whole frame. False when that fails.
bool try_direct(const Sweeps& s, Partition& partition, const DirectLimits& limits, const Bodies& bodies,
                direct::DirectSolver::Slot& slot) {
    const uint32_t* list = s.layout.indices.data() + partition.body_begin;
    const Advance how{partition.h, s.settings.gyroscopic, WarmStart::at_once, partition.bounces};
    const size_t first = partition.body_begin;
    slot.report = {};
    s.body.begin(list, partition.body_count, s.bodies, how);
    if (bounce_direct(s, partition)) {
        s.body.take_shifts(list, partition.body_count, s.bodies, how);
        std::copy_n(s.records.velocity.begin() + ptrdiff_t(first), partition.body_count,
                    s.records.free_velocity.begin() + ptrdiff_t(first));
    } else if (!partition.falls_as_one) {
        // What rests goes on resting: the velocity before the step is the best guess there is.
        for (uint32_t i = 0; i < partition.body_count; ++i)
            std::memcpy(s.records.velocity[first + i].value, &bodies.velocity[s.layout.bodies[first + i]],
                        sizeof(BodyRecord));
    }
    slot.report = slot.island->solve({s.layout, s.records, partition, s.params}, limits);
    if (!slot.report.solved) return false;
    measure_partition(partition, s.bodies, {partition.h, 1.0f / partition.h, 0.0f, 0.0f, 0.0f, slot.report.closed_gap},
                      1.0, s.layout, s.sum_of(partition));
    s.body.end(list, partition.body_count, s.bodies, how);
    return true;
}

/// The same, and swept when that fails.
void solve_direct(const Sweeps& s, uint32_t number, const Plan& plan, Bodies& bodies,
                  direct::DirectSolver::Slot& slot) {
    Partition& partition = s.layout.partitions[number];
    uint32_t blocks = 0;
    for (uint32_t r = partition.run_begin; r < partition.run_end; ++r) blocks += s.layout.runs[r].blocks;
    DirectCost cost;
    cost.bodies = s.layout.bodies.data() + partition.body_begin;
    cost.count = partition.body_count;
    cost.high_mass_ratio = plan.traits[partition.island].high_mass_ratio;
    // Of as many sub-steps as small islands have: to be held exactly is worth as much to a large one.
    const uint32_t substeps = s.params.substeps(false, partition.halvings).count;
    cost.sweeps = float(blocks * (substeps * s.settings.iterations + s.params.relax_sweeps()));
    if (!partition.stays) partition.solved_direct = try_direct(s, partition, direct_limits(bodies, cost), bodies, slot);
    if (!partition.solved_direct) {
        gather_partition(s.layout, bodies, s.settings.gravity, partition, s.substeps.h, true, s.records);
        PrepareParams swept = prepare_params(s.params, s.substeps.h, true);
        swept.warm = !partition.falls_as_one;
        prepare_partition(s.stores, swept, s.bodies, s.layout, partition);
        solve_batch(s, partition);
    }
    if (slot.report.waits) return note_waiting(cost, slot.report.substitutions > 0, bodies);
    note_direct(cost, slot.report.solved, slot.report.work, bodies);
}

/// Large islands. Workers take slabs; the boundaries between slabs wait for all of them, and they for the boundaries.
/// A sweep is: inside the slabs, the boundaries, the static contacts. The static contacts of one sub-step, the motion
/// of its bodies and the inside of the next need nobody else, so they go in one piece: two meetings of the workers a
/// sub-step, however many colours there are, and two more where impulses are applied anew.
class SlabSolver {
  public:
    SlabSolver(const Sweeps& sweeps, engine::Jobs& jobs)
        : s_(sweeps),
          p_(sweeps.layout),
          jobs_(jobs),
          how_(s_.advance(p_.slabs_bounce)),
          joined_(p_.large_articulations < p_.articulations.size()) {}

    void solve() {
        if (p_.numbers.slabs == 0) return;
        for_articulations([&](uint32_t a) { s_.begin_articulation(a); });
        for (uint32_t k = 0; k < s_.substeps.count; ++k) sub_step(k);
        for_slabs([&](uint32_t slab) { advance(slab, s_.body.end); });
        end_articulations();
        const auto relax = [&](const BlockRun& run) { s_.relax(run); };
        for (uint32_t i = 0; i < s_.params.relax_sweeps(); ++i) {
            for_slabs([&](uint32_t slab) { for_inside(slab, relax); });
            for_boundaries(relax);
            for_slabs([&](uint32_t slab) { for_static(slab, relax); });
        }
    }

  private:
    void sub_step(uint32_t k) {
        const uint32_t iterations = s_.settings.iterations;
        const bool is_last_step = k + 1 == s_.substeps.count, measures = s_.measures(k);
        // What applies impulses anew or bounces waits for all slabs before it is swept.
        const bool waits = k == 0 || p_.slabs_bounce || p_.slabs_have_anew;
        const auto warm_start = [&](const BlockRun& run) { s_.warm_start(run, k, p_.slabs_bounce); };
        if (waits) {
            for_slabs([&](uint32_t slab) {
                begin(slab, k);
                if (p_.slabs_bounce || joined_) return;
                for_inside(slab, warm_start);
                for_static(slab, warm_start);
            });
            if (k > 0) for_articulations([&](uint32_t a) { s_.end_substep(a, k - 1); });
            if (joined_ && !p_.slabs_bounce) {
                for_articulations([&](uint32_t a) { s_.begin_substep(a, k, true); });
                everywhere(warm_start);
            } else if (p_.slabs_bounce) {
                if (k > 0 && p_.slabs_turn) everywhere([&](const BlockRun& run) { s_.turn(run, k); });
                bounce_then_give_back(k);
                for_articulations([&](uint32_t a) { s_.begin_substep(a, k, true); });
                if (k == 0 || p_.slabs_have_anew) everywhere(warm_start);
            } else {
                for_boundaries(warm_start);
            }
        }
        for (uint32_t i = 0; i < iterations; ++i) {
            const bool last = i + 1 == iterations;
            const auto sweep = [&](const BlockRun& run) { s_.sweep(run, k, i, iterations, p_.slabs_bounce); };
            for_slabs([&](uint32_t slab) {
                if (i == 0 && !waits) begin(slab, k);
                for_inside(slab, sweep);
            });
            for_boundaries(sweep);
            if (!last || is_last_step || measures || joined_)
                for_slabs([&](uint32_t slab) { for_static(slab, sweep); });
            for_articulations([&](uint32_t a) { s_.solve_articulation(a, k, last); });
        }
        if (measures) measure(k);
    }
    /// What is measured waits for the static contacts of all slabs.
    void measure(uint32_t k) const {
        for_all_slabs_and_boundaries([&](const Partition& part) { s_.measure(part, k); });
    }
    /// The static contacts that the last sub-step left open, the motion of its bodies and the forces of this one.
    void begin(uint32_t slab, uint32_t k) const {
        if (k == 0) return advance(slab, s_.body.begin);
        const auto sweep = [&](const BlockRun& run) {
            s_.sweep(run, k - 1, s_.settings.iterations - 1, s_.settings.iterations, p_.slabs_bounce);
        };
        if (!s_.measures(k - 1) && !joined_) for_static(slab, sweep);
        advance(slab, s_.body.next);
    }
    template <class Work>
    void for_slabs(const Work& work) const {
        jobs_.parallel_for(
            p_.numbers.slabs, 1, [&](const engine::JobBlock& block) { work(block.begin); }, engine::Share::affinity);
    }
    template <class Work>
    void for_articulations(const Work& work) const {
        jobs_.parallel_for(uint32_t(p_.articulations.size()) - p_.large_articulations, 1,
                           [&](const engine::JobBlock& block) { work(p_.large_articulations + block.begin); });
    }
    /// Their results, and what is measured of them in their order.
    void end_articulations() const {
        if (!joined_) return;
        std::vector<MeasureSum> sums(p_.articulations.size() - p_.large_articulations);
        for_articulations([&](uint32_t a) { s_.end_articulation(a, sums[a - p_.large_articulations]); });
        for (const MeasureSum& sum : sums) s_.sum_of(p_.partitions[p_.numbers.long_range()]).add(sum);
    }
    template <class Work>
    void for_runs(const Partition& part, const Work& work) const {
        for (uint32_t r = part.run_begin; r < part.run_end; ++r) work(p_.runs[r]);
    }
    template <class Work>
    void for_inside(uint32_t slab, const Work& work) const {
        for_runs(p_.partitions[p_.numbers.slab(slab)], work);
    }
    template <class Work>
    void for_static(uint32_t slab, const Work& work) const {
        for_runs(p_.partitions[p_.numbers.static_contacts(slab)], work);
    }
    template <class Work>
    void for_boundaries(const Work& work) const {
        jobs_.parallel_for(
            p_.numbers.boundaries(), 1,
            [&](const engine::JobBlock& block) { for_runs(p_.partitions[p_.numbers.boundary(block.begin)], work); },
            engine::Share::affinity);
        for_runs(p_.partitions[p_.numbers.long_range()], work);
    }
    template <class Work>
    void everywhere(const Work& work) const {
        for_slabs([&](uint32_t slab) {
            for_inside(slab, work);
            for_static(slab, work);
        });
        for_boundaries(work);
    }
    template <class Work>
    void for_all_slabs_and_boundaries(const Work& work) const {
        for_slabs([&](uint32_t slab) {
            work(p_.partitions[p_.numbers.slab(slab)]);
            work(p_.partitions[p_.numbers.static_contacts(slab)]);
            if (slab < p_.numbers.boundaries()) work(p_.partitions[p_.numbers.boundary(slab)]);
        });
        work(p_.partitions[p_.numbers.long_range()]);
    }
    template <class Motion>
    void advance(uint32_t slab, Motion motion) const {
        const Partition& part = p_.partitions[p_.numbers.slab(slab)];
        motion(p_.indices.data() + part.body_begin, part.body_count, s_.bodies, how_);
    }
    bool bounce(uint32_t substep) {
        return bounce_until_apart([&] {
            std::atomic<bool> bounced{false};
            everywhere([&](const BlockRun& run) {
                if (s_.bounce(run, s_.elapsed(substep))) bounced.store(true, std::memory_order_relaxed);
            });
            return bounced.load(std::memory_order_relaxed);
        });
    }
    void bounce_then_give_back(uint32_t substep) {
        if (bounce(substep)) {
            for_slabs([&](uint32_t slab) { advance(slab, s_.body.take_shifts); });
            if (p_.slabs_turn) everywhere([&](const BlockRun& run) { s_.turn(run, substep); });
        }
        for_slabs([&](uint32_t slab) { advance(slab, s_.body.give_constraint_velocity); });
    }

    const Sweeps& s_;
    Layout& p_;
    engine::Jobs& jobs_;
    Advance how_;
    bool joined_;  // some of their joints are solved as one
};

/// What no constraint moves is moved when all constraints are done.
void move_drivers(const Sweeps& s) {
    for (uint32_t k = s.layout.drivers_begin; k < s.layout.drivers_begin + s.layout.driver_count; ++k) {
        BodyVelocity velocity, delta;
        BodyTransform transform;
        std::memcpy(&velocity, s.records.velocity[k].value, sizeof(BodyRecord));
        std::memcpy(&transform, s.records.transform[k].value, sizeof(BodyRecord));
        move_uniformly(s.params.dt, velocity, delta, transform.rotation);
        std::memcpy(s.records.delta[k].value, &delta, sizeof(BodyRecord));
        std::memcpy(s.records.transform[k].value, &transform, sizeof(BodyRecord));
    }
}

}  // namespace

bool knows_settings(const StepSettings& settings) {
    return settings.simd_kernels && settings.solver == "prox_gs" && settings.r_strategy == RStrategy::local &&
           settings.tolerance == 0.0 && settings.stepping == Stepping::semi_implicit &&
           settings.stabilisation != Stabilisation::projection;
}

void update_layout(const Graph& graph, const Plan& plan, const Articulations& articulations,
                   const ConstraintStores& stores, const Bodies& bodies, SweepSolver& sweep,
                   direct::DirectSolver& direct, const StepTools& tools) {
    const StageScope scope(tools, Stage::update_layout);
    if (make_layout(graph, plan, articulations, stores, bodies, sweep.slabs, sweep.layout, sweep.scratch, tools.jobs))
        direct.assign(sweep.layout, stores, bodies);
}

/// Which partitions the step before stands for: what was at rest in it, with the same bodies, forces, contacts and
/// settings now. A solve would end with the same bits.
void find_what_stays(const ConstraintStores& stores, const Bodies& bodies, const StepParams& params,
                     const direct::DirectSolver& direct, SweepSolver& sweep, engine::Jobs& jobs) {
    const bool same_step = sweep.seen_dt == params.dt && sweep.seen_settings == params.settings;
    const std::vector<uint8_t>& rebuilt = stores.pairs.rebuilt_of_body;
    jobs.parallel_for(sweep.layout.numbers.directs, 1, [&](const engine::JobBlock& block) {
        Partition& partition = sweep.layout.partitions[block.begin];
        partition.stays = same_step && direct.islands[block.begin].report.at_rest;
        for (uint32_t i = 0; partition.stays && i < partition.body_count; ++i)
            partition.stays = !rebuilt[sweep.layout.bodies[partition.body_begin + i]];
        partition.stays = partition.stays && is_as_before(sweep.layout, bodies, params.settings.gravity, partition,
                                                          params.dt, sweep.bodies);
    });
    if (same_step) return;
    sweep.seen_settings = params.settings;
    sweep.seen_dt = params.dt;
}

void prepare(const Graph& graph, const Plan& plan, const ConstraintStores& stores, const Bodies& bodies,
             const StepParams& params, const direct::DirectSolver& direct, SweepSolver& sweep, const StepTools& tools) {
    const StageScope scope(tools, Stage::prepare);
    Layout& layout = sweep.layout;
    find_what_stays(stores, bodies, params, direct, sweep, tools.jobs);
    mark_moving(graph, plan, layout, bodies, params.dt, sweep.bodies, tools.jobs);
    gather_records(layout, bodies, params, sweep.bodies, tools.jobs);
    const BodyRecords records = sweep.bodies.records();
    const PrepareParams large = prepare_params(params, params.substeps(true).h, true),
                        whole = prepare_params(params, params.dt, false);
    PrepareParams small[kMaxHalvings + 1];
    for (uint32_t k = 0; k <= kMaxHalvings; ++k) small[k] = prepare_params(params, params.substeps(false, k).h, true);
    const Partition* first_swept = layout.partitions.data() + layout.numbers.directs;
    for_all_partitions(layout, tools.jobs, [&](Partition& partition) {
        if (partition.stays) return;
        const PrepareParams& swept = partition.large ? large : small[partition.halvings];
        if (&partition >= first_swept) return prepare_partition(stores, swept, records, layout, partition);
        partition.falls_as_one = falls_as_one(layout, partition, sweep.bodies);
        PrepareParams direct_solve = whole;
        direct_solve.warm = !partition.falls_as_one;
        prepare_partition(stores, direct_solve, records, layout, partition);
    });
    layout.slabs_bounce = layout.slabs_turn = false;
    layout.slabs_have_anew = layout.large_articulations < layout.articulations.size();
    for (uint32_t k = layout.numbers.batches; k < layout.partitions.size(); ++k) {
        layout.slabs_bounce |= layout.partitions[k].bounces;
        layout.slabs_have_anew |= layout.partitions[k].has_anew;
        layout.slabs_turn |= layout.partitions[k].turns;
    }
}

void solve_swept_islands(const ConstraintStores& stores, const StepParams& params, const Plan& plan, Bodies& bodies,
                         Articulations& articulations, SweepSolver& sweep, direct::DirectSolver& direct,
                         const StepTools& tools) {
    begin_measuring(sweep.layout, sweep.sums);
    static_assert(kMaxHalvings == 2);
    const Sweeps small[] = {
        Sweeps(stores, params, params.substeps(false, 0), kLoadPasses, bodies, articulations, sweep),
        Sweeps(stores, params, params.substeps(false, 1), kLoadPasses, bodies, articulations, sweep),
        Sweeps(stores, params, params.substeps(false, 2), kLoadPasses, bodies, articulations, sweep)};
    const Sweeps large(stores, params, params.substeps(true), kLoadPassesLarge, bodies, articulations, sweep);
    const PartitionNumbers numbers = sweep.layout.numbers;
    tools.jobs.parallel_for(
        numbers.batches, 1,
        [&](const engine::JobBlock& block) {
            Partition& batch = sweep.layout.partitions[block.begin];
            const Sweeps& sweeps = batch.large ? large : small[batch.halvings];
            if (block.begin < numbers.directs)
                solve_direct(sweeps, block.begin, plan, bodies, direct.islands[block.begin]);
            else
                solve_batch(sweeps, batch);
        },
        engine::Share::affinity);
    SlabSolver(large, tools.jobs).solve();
    move_drivers(large);
}

MeasureSum store_swept_results(const Graph& graph, const StepParams& params, direct::DirectSolver& direct,
                               SweepSolver& sweep, Bodies& bodies, ConstraintStores& stores, Plan& plan,
                               const StepTools& tools) {
    Layout& layout = sweep.layout;
    scatter_records(layout, sweep.bodies, bodies, tools.jobs);
    const BodyRecords records = sweep.bodies.records();
    for_all_partitions(layout, tools.jobs, [&](const Partition& partition) {
        const size_t number = size_t(&partition - layout.partitions.data());
        MeasureSum& sum = sweep.sums[number];
        const bool several = partition.island == kSeveral;
        if (partition.stays) {
            sum = direct.islands[number].measured;
            std::fill(layout.event_flags.begin() + ptrdiff_t(partition.item_begin),
                      layout.event_flags.begin() + ptrdiff_t(partition.item_end), uint8_t(0));
        }
        for (uint32_t r = partition.run_begin; !partition.stays && r < partition.run_end; ++r) {
            const BlockRun& run = layout.runs[r];
            StoreParams store;
            store.h = partition.h;
            store.dt = params.dt;
            store.ramp = sweep.bodies.drivers_accelerate ? 0.5f * params.dt : 0.0f;
            store.solved_direct = partition.solved_direct;
            store.hit_speed = params.settings.hit_speed;
            store.event_flags = layout.event_flags.data() + run.first_item;
            if (several) store.residual = layout.residual.data() + run.first_item;
            kind_row(run.kind).store(stores, store, records, layout.span(run), sum);
            const std::vector<float>& moved = kind_row(run.kind).measure ? layout.substep_residual : layout.residual;
            for (uint32_t k = run.first_item; several && k < run.first_item + run.items; ++k)
                plan.raise_residual(graph.island_of(layout.items[k].body_a, layout.items[k].body_b), moved[k],
                                    layout.residual[k]);
        }
        if (number < layout.numbers.directs) direct.islands[number].measured = sum;
        if (!several)
            plan.raise_residual(partition.island, std::max(float(sum.residual_max), sum.joint_residual_max),
                                std::max(float(sum.end_residual_max), sum.joint_residual_max));
    });
    MeasureSum all;
    for (const MeasureSum& sum : sweep.sums) all.add(sum);
    StepReport& report = tools.report;
    report.direct_islands = report.direct_bodies = report.resting_islands = 0;
    for (uint32_t k = 0; k < direct.islands.size(); ++k) {
        const direct::DirectReport& solved = direct.islands[k].report;
        report.direct_islands += solved.solved;
        report.direct_bodies += solved.solved ? layout.partitions[k].body_count : 0;
        report.resting_islands += layout.partitions[k].stays;
        report.direct_failures += !solved.solved && !solved.waits;
        report.factorisations += solved.factorisations;
        if (solved.solved) {
            report.direct_tolerance = std::max(report.direct_tolerance, double(solved.tolerance));
            report.direct_residual_max = std::max(report.direct_residual_max, double(solved.residual));
        }
        IslandOutcome& outcome = plan.outcome[layout.partitions[k].island];
        outcome.iterations = solved.substitutions;
        outcome.stop = solved.solved  ? StopReason::tolerance
                       : solved.waits ? StopReason::iterations
                                      : StopReason::failed;
    }
    return all;
}

}  // namespace proxima::physics
