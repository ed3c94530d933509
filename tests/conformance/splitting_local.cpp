// SPDX-License-Identifier: MIT
// One contact alone: the exact solvers of its 3x3 block against the law, against known answers and against a
// search over all impulses.
#include "physics/solvers/splitting/local_solvers.h"

#include "physics/contact/residual.h"
#include "tests/conformance/canonical.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

struct LocalProblem {
    ContactBlock<double> block;
    Real3<double> b;
    double mu;
};

/// A = J J^T + shift I; small shifts couple normal and tangents strongly.
LocalProblem random_local(std::mt19937& random, double shift) {
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    double j[3][3], a[3][3];
    for (auto& row : j)
        for (double& x : row) x = number();
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            a[r][c] = r == c ? shift : 0.0;
            for (int k = 0; k < 3; ++k) a[r][c] += j[r][k] * j[c][k];
        }
    return {{a[0][0], {a[0][1], a[0][2]}, {a[1][1], a[1][2], a[2][2]}},
            {number() - 0.3, number(), number()},
            0.5 * (number() + 1.0) * 1.5};
}

Real3<double> velocity(const LocalProblem& p, const Real3<double>& l) {
    const auto& [normal, a, t] = p.block;
    return {normal * l.n + a.x * l.t1 + a.y * l.t2 + p.b.n, a.x * l.n + t.t11 * l.t1 + t.t12 * l.t2 + p.b.t1,
            a.y * l.n + t.t12 * l.t1 + t.t22 * l.t2 + p.b.t2};
}

/// |l - P(l - rho v')| with the bipotential: zero exactly at answers.
double law_error(const LocalProblem& p, const Real3<double>& l) {
    const Real3<double> v = velocity(p, l);
    const double slip = std::hypot(v.t1, v.t2);
    const Real3<double> at = project_cone({l.n - v.n - p.mu * slip, l.t1 - v.t1, l.t2 - v.t2}, p.mu);
    return std::sqrt((l.n - at.n) * (l.n - at.n) + (l.t1 - at.t1) * (l.t1 - at.t1) + (l.t2 - at.t2) * (l.t2 - at.t2));
}

constexpr std::array kLocals{LocalSolver::curve, LocalSolver::quartic, LocalSolver::newton, LocalSolver::fixed_point};

Real3<double> solve_by(LocalSolver local, const LocalProblem& p, Real3<double> start = {0.0, 0.0, 0.0}) {
    return solve_contact(local, p.block, p.b, p.mu, start);
}

double size_of(const Real3<double>& l) { return 1.0 + std::sqrt(l.n * l.n + l.t1 * l.t1 + l.t2 * l.t2); }

/// A problem whose answer is l with velocity v: b = v - A l.
LocalProblem with_answer(LocalProblem p, const Real3<double>& l, const Real3<double>& v) {
    p.b = {0.0, 0.0, 0.0};
    const Real3<double> moved = velocity(p, l);
    p.b = {v.n - moved.n, v.t1 - moved.t1, v.t2 - moved.t2};
    return p;
}

/// Of rank one or two, b in its range as that of a real mechanism is.
LocalProblem singular_local(std::mt19937& random, bool rank_two) {
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    const double j[3] = {1.0 + 0.3 * number(), number(), number()}, h[3] = {number(), number(), number()};
    const double second = rank_two ? 1.0 : 0.0, x = -0.5 + 0.4 * number(), y = second * number();
    double a[3][3];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) a[r][c] = j[r] * j[c] + second * h[r] * h[c];
    return {{a[0][0], {a[0][1], a[0][2]}, {a[1][1], a[1][2], a[2][2]}},
            {j[0] * x + h[0] * y, j[1] * x + h[1] * y, j[2] * x + h[2] * y},
            0.3};
}

/// The best of all impulses in the cone by search: a grid over height and cone section, then finer ones
/// around the best few places. Knows nothing of open, stick and slip.
Real3<double> search(const LocalProblem& p, double reach) {
    Real3<double> best{0.0, 0.0, 0.0};
    double error = law_error(p, best);
    const auto look = [&](const Real3<double>& l) {
        if (l.n < 0.0) return;
        const double e = law_error(p, l);
        if (e < error) {
            error = e;
            best = l;
        }
    };
    for (int n = 1; n <= 24; ++n)
        for (int r = 0; r <= 8; ++r)
            for (int k = 0; k < 24; ++k) {
                const double height = reach * n / 24.0, radius = p.mu * height * r / 8.0,
                             angle = 6.283185307179586 * k / 24.0;
                look({height, radius * std::cos(angle), radius * std::sin(angle)});
            }
    for (double width = reach / 12.0; width > 1e-9 * reach; width *= 0.7) {
        const Real3<double> centre = best;
        for (int n = -2; n <= 2; ++n)
            for (int x = -2; x <= 2; ++x)
                for (int y = -2; y <= 2; ++y)
                    look({centre.n + 0.5 * width * n, centre.t1 + 0.5 * width * x, centre.t2 + 0.5 * width * y});
    }
    return best;
}

}  // namespace

TEST_CASE("the local solver obeys Coulomb's law for any positive definite block") {
    std::mt19937 random(5);
    int open = 0, stick = 0, slip = 0;
    for (const double shift : {1.0, 0.1, 1e-3, 1e-5})
        for (int k = 0; k < 5000; ++k) {
            const LocalProblem p = random_local(random, shift);
            const Real3<double> l = solve_contact(p.block, p.b, p.mu);
            const double size = 1.0 + std::sqrt(l.n * l.n + l.t1 * l.t1 + l.t2 * l.t2);
            CAPTURE(shift);
            CAPTURE(k);
            REQUIRE(law_error(p, l) < 1e-10 * size);
            const double ratio = std::hypot(l.t1, l.t2) / (p.mu * l.n);
            if (l.n == 0.0)
                ++open;
            else if (ratio < 1.0 - 1e-9)
                ++stick;
            else
                ++slip;
        }
    CHECK(open > 1000);
    CHECK(stick > 1000);
    CHECK(slip > 1000);
}

TEST_CASE("the local solver finds what a search over all impulses finds") {
    // Well conditioned blocks with little friction, whose answer is the only one.
    std::mt19937 random(11);
    int searched = 0;
    for (int k = 0; k < 40; ++k) {
        LocalProblem p = random_local(random, 1.5);
        p.mu *= 0.4;
        const Real3<double> l = solve_contact(p.block, p.b, p.mu);
        const Real3<double> found = search(p, 2.0);
        if (!(law_error(p, found) < 1e-4)) continue;  // the grid got stuck between two places
        ++searched;
        CHECK(l.n == doctest::Approx(found.n).epsilon(2e-3));
        CHECK(std::abs(l.t1 - found.t1) < 2e-3);
        CHECK(std::abs(l.t2 - found.t2) < 2e-3);
    }
    CHECK(searched >= 30);
}

TEST_CASE("every local solver survives blocks that are singular, and finds answers there") {
    for (const LocalSolver local : kLocals) {
        CAPTURE(to_text(local));
        std::mt19937 random(3);
        for (int k = 0; k < 1000; ++k) {
            const LocalProblem p = singular_local(random, k % 2 == 1);
            const Real3<double> l = solve_by(local, p);
            CHECK(l.n >= 0.0);
            CHECK(std::hypot(l.t1, l.t2) <= 0.3 * l.n * (1.0 + 1e-9) + 1e-12);
            CHECK(law_error(p, l) < 1e-10 * size_of(l));
        }
    }
    // No tangent motion at all, and no friction.
    CHECK(solve_contact<double>({2.0, {0, 0}, {0, 0, 0}}, {-4.0, 1.0, 1.0}, 0.5).n == 2.0);
    const auto smooth = solve_contact<double>({2.0, {0.5, 0}, {1, 0, 1}}, {-4.0, 1.0, 1.0}, 0.0);
    CHECK(smooth.n == 2.0);
    CHECK(smooth.t1 == 0.0);
}

TEST_CASE("every local solver finds the answers of contacts that are made from their answers") {
    // Coupling and friction so small that there is one answer only: mu |A_tn| < A_nn.
    std::mt19937 random(17);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    for (int k = 0; k < 600; ++k) {
        LocalProblem p = random_local(random, 1.0);
        const double coupling = std::hypot(p.block.coupling.x, p.block.coupling.y);
        p.mu = std::min(0.1 + p.mu, 0.8 * p.block.normal / (coupling + 1e-9));
        const double n = 0.2 + std::abs(number()), angle = 3.2 * number();
        Real3<double> l{n, p.mu * n * std::cos(angle), p.mu * n * std::sin(angle)}, v{0.0, 0.0, 0.0};
        if (k % 3 == 0) {  // slides straight against its friction
            const double rate = 0.05 + std::abs(number());
            v = {0.0, -rate * l.t1, -rate * l.t2};
        } else if (k % 3 == 1) {  // sticks
            const double inside = 0.9 * std::abs(number());
            l = {n, inside * l.t1, inside * l.t2};
        } else {  // opens
            l = {0.0, 0.0, 0.0};
            v = {n, number(), number()};
        }
        p = with_answer(p, l, v);
        for (const LocalSolver local : kLocals) {
            CAPTURE(to_text(local));
            CAPTURE(k);
            const Real3<double> x = solve_by(local, p);
            CHECK(std::abs(x.n - l.n) < 1e-10);
            CHECK(std::abs(x.t1 - l.t1) < 1e-10);
            CHECK(std::abs(x.t2 - l.t2) < 1e-10);
        }
    }
}

TEST_CASE("every local solver obeys the law for strong coupling and for friction up to twenty") {
    for (const LocalSolver local : kLocals)
        for (const double shift : {1.0, 0.1, 1e-3, 1e-5})
            for (const double friction : {1.0, 13.0}) {
                std::mt19937 random(29);
                for (int k = 0; k < 300; ++k) {
                    LocalProblem p = random_local(random, shift);
                    p.mu *= friction;
                    const Real3<double> l = solve_by(local, p);
                    CAPTURE(to_text(local));
                    CAPTURE(shift);
                    CAPTURE(k);
                    REQUIRE(law_error(p, l) < 1e-10 * size_of(l));
                    // Started near the answer.
                    const Real3<double> again = solve_by(local, p, {0.99 * l.n, 1.01 * l.t1, l.t2});
                    REQUIRE(law_error(p, again) < 1e-10 * size_of(again));
                }
            }
}

TEST_CASE("what each local solver finds by itself, without the curve to fall back on") {
    std::mt19937 random(31);
    int quartic = 0, newton = 0, fixed_point = 0;
    const int tried = 1000;
    for (int k = 0; k < tried; ++k) {
        const LocalProblem p = random_local(random, 1.0);
        const Real3<double> nothing{0.0, 0.0, 0.0};
        quartic += solve_contact_quartic(p.block, p.b, p.mu, nothing).has_value();
        newton += solve_contact_newton(p.block, p.b, p.mu, nothing).has_value();
        fixed_point += solve_contact_fixed_point(p.block, p.b, p.mu, nothing).has_value();
    }
    CHECK(quartic == tried);
    CHECK(newton >= tried - 5);
    CHECK(fixed_point >= tried - 20);
}

TEST_CASE("where one contact has three answers, the quartic takes the nearest") {
    // A_nn - mu A_tn < 0: sliding presses the contact together. b = (0.6, 2.2) may stay open, slide with
    // l = (1, -2), or stick with l = (1.16, -1.72) / 0.36.
    const LocalProblem p{{1.0, {0.8, 0.0}, {1.0, 0.0, 1.0}}, {0.6, 2.2, 0.0}, 2.0};
    const Real3<double> open{0, 0, 0}, slide{1, -2, 0}, stick{1.16 / 0.36, -1.72 / 0.36, 0};
    for (const Real3<double>& answer : {open, slide, stick}) {
        CHECK(law_error(p, answer) < 1e-14);
        for (const double off : {-0.1, 0.0, 0.1}) {
            const Real3<double> l = solve_by(LocalSolver::quartic, p, {answer.n + off, answer.t1 - off, 0.3 * off});
            CHECK(std::abs(l.n - answer.n) < 1e-10);
            CHECK(std::abs(l.t1 - answer.t1) < 1e-10);
        }
    }
    const Real3<double> curve = solve_by(LocalSolver::curve, p, stick);
    CHECK(curve.n == 0.0);  // opens where it may, wherever it comes from
}

TEST_CASE("blocked Gauss-Seidel ends at the same answer with every local solver, on matrices and bodies") {
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        const Dense dense = random_problem(8, seed, 0.6);
        const DelassusProblem problem = dense.problem();
        std::vector<double> first;
        for (const LocalSolver local : kLocals) {
            CAPTURE(to_text(local));
            SolveSettings settings;
            settings.iterations = 5000;
            settings.tolerance = 1e-11;
            settings.local_solver = local;
            SolveReport report;
            const auto l = solve(solver_named("nscd"), problem, settings, &report);
            CHECK(report.stop == StopReason::tolerance);
            if (first.empty()) first = l;
            for (size_t i = 0; i < l.size(); ++i) CHECK(std::abs(l[i] - first[i]) < 1e-9);
        }
    }
    for (const LocalSolver local : kLocals) {
        CAPTURE(to_text(local));
        Bodies world;  // a box on four corners, pushed sideways
        const uint32_t box = world.add(2.0f, Vec3(0.5f, -1.0f, 0.2f), 0.5f);
        for (const float x : {-0.5f, 0.5f})
            for (const float z : {-0.5f, 0.5f}) world.touch(0, box, 0.4f, Vec3(x, 0, z), Vec3(x, -0.5f, z));
        BodySystem system = world.system();
        SolveSettings settings;
        settings.iterations = 2000;
        settings.tolerance = 1e-5;
        settings.local_solver = local;
        CHECK(solver_named("nscd").solve_bodies(system, settings).stop == StopReason::tolerance);
        CHECK(measure_residual(system).max < 1e-5);
    }
}

TEST_CASE("a contact alone is solved by one sweep, whatever its coupling") {
    // Where rows are taken one by one, the same problem needs many sweeps.
    std::mt19937 random(8);
    for (int k = 0; k < 50; ++k) {
        const LocalProblem p = random_local(random, 0.2);
        Dense dense(1);
        dense.set(0, 0, p.block.normal);
        dense.set(0, 1, p.block.coupling.x);
        dense.set(0, 2, p.block.coupling.y);
        dense.set(1, 1, p.block.tangent.t11);
        dense.set(1, 2, p.block.tangent.t12);
        dense.set(2, 2, p.block.tangent.t22);
        dense.q = {p.b.n, p.b.t1, p.b.t2};
        dense.mu = {p.mu};
        SolveSettings settings;
        settings.iterations = 1;
        settings.tolerance = 1e-10;
        SolveReport report;
        const auto l = solve(solver_named("nscd"), dense.problem(), settings, &report);
        CHECK(report.stop == StopReason::tolerance);
        CHECK(dense_residual(dense, l, true).e < 2e-10);
    }
}
