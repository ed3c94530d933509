// SPDX-License-Identifier: MIT
// After each pass: whether the iterate that was measured is kept, and whether there is another sweep. The
// rules of the CPU's loop (physics/solvers/iterate.h), in float: a run fails when it blows up, or when for
// `patience` sweeps and as long as it took to reach the best nothing better came and nothing is falling.

const float kNone = 3.0e38;
const float kBlowUp = 1000.0, kFalling = 0.99;
const uint kMorePatience = 4u, kMaxPatience = 16u;

/// The watch judges again after half of the waiting time, by what it was before.
void wait_on(inout SolveState s, float before) {
    s.early = before;
    s.late = kNone;
    s.judged_at = s.sweeps + (s.patience > 1u ? (s.patience + s.best_at + 1u) / 2u : 1u);
}

/// A plane in which neither `current` nor `best` nor the iterate before lies.
void choose_next(inout SolveState s) {
    s.next = 0u;
    while (s.next == s.current || s.next == s.best || s.next == s.before) ++s.next;
}

/// Takes the residual of a sweep; true when the run has failed.
bool watch(inout SolveState s, float residual, bool finite) {
    ++s.sweeps;
    const bool better = finite && residual < s.best_residual;
    if (better) {
        s.best_residual = residual;
        s.best = s.current;
        s.best_at = s.sweeps;
        wait_on(s, kNone);
    }
    bool failed = !finite || !(residual <= kBlowUp * s.best_residual);
    if (better) return failed;
    if (finite) s.late = min(s.late, residual);
    if (s.sweeps < s.judged_at) return failed;
    failed = failed || s.patience <= 1u || !(s.late < kFalling * s.early);
    wait_on(s, s.late);
    return failed;
}

/// Back to the best with shorter steps, which get more time where the last ones brought nothing.
void go_back(inout SolveState s) {
    s.current = s.before = s.best;
    s.momentum = 0u;
    s.residual = s.best_residual;
    s.swept = 0u;
    ++s.rejected;
    choose_next(s);
    if (s.scale <= push.step_floor) {
        s.stop = kStopStalled;
        return;
    }
    s.scale = max(push.step_floor, s.scale * push.shrink);
    if (s.best_at == 0u && s.patience > 1u && s.patience < kMaxPatience * push.patience)
        s.patience *= kMorePatience;
    s.sweeps = s.best_at = 0u;
    wait_on(s, kNone);
    if (s.iterations >= push.iterations) s.stop = kStopIterations;
}

/// The state that the next pass reads; `bits` are those of the residual of the current iterate.
SolveState decide(SolveState s, uint bits) {
    if (s.stop != kRunning) return s;
    const float residual = uintBitsToFloat(bits);
    const bool finite = bits < 0x7F800000u;
    const bool met = finite && (residual == 0.0 || residual <= push.tolerance);
    if (s.started == 0u) {
        s.started = 1u;
        s.residual = s.best_residual = residual;
        s.best = s.current;
        s.patience = push.patience;
        wait_on(s, kNone);
        if (push.history != 0u) history[0] = residual;
        if (met) s.stop = kStopTolerance;
        else if (!finite) s.stop = kStopStalled;
        else if (push.iterations == 0u) s.stop = kStopIterations;
    } else if (s.swept != 0u) {
        ++s.iterations;
        s.residual = residual;
        if (push.history != 0u) history[s.iterations] = residual;
        if (met) {
            s.stop = kStopTolerance;
        } else if (push.rollback != 0u) {
            if (watch(s, residual, finite)) {
                go_back(s);
                return s;
            }
            if (s.iterations >= push.iterations) {
                s.stop = kStopIterations;
                if (residual > s.best_residual) {
                    s.current = s.best;
                    s.residual = s.best_residual;
                }
            }
        } else if (!finite) {
            s.stop = kStopStalled;
        } else if (s.iterations >= push.iterations) {
            s.stop = kStopIterations;
        }
    }
    if (s.stop != kRunning) return s;
    // What this pass has swept becomes the current iterate.
    s.before = s.current;
    s.current = s.next;
    if (s.scale == 1.0) ++s.momentum;  // shortened steps go without, as on the CPU
    s.swept = 1u;
    choose_next(s);
    return s;
}
