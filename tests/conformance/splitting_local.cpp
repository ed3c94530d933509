// SPDX-License-Identifier: MIT
// One contact alone: the exact solver of its 3x3 block against the law and against a search over all
// impulses.
#include "physics/solvers/splitting/local_coulomb.h"

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
    return std::sqrt((l.n - at.n) * (l.n - at.n) + (l.t1 - at.t1) * (l.t1 - at.t1) +
                     (l.t2 - at.t2) * (l.t2 - at.t2));
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
                    look({centre.n + 0.5 * width * n, centre.t1 + 0.5 * width * x,
                          centre.t2 + 0.5 * width * y});
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

TEST_CASE("the local solver survives blocks that are singular") {
    std::mt19937 random(3);
    const auto number = [&] { return double(random()) / 2147483648.0 - 1.0; };
    for (int k = 0; k < 2000; ++k) {
        // Rank two and rank one: A = j j^T (+ h h^T), b in its range, as that of a real mechanism is.
        const double j[3] = {1.0 + 0.3 * number(), number(), number()}, h[3] = {number(), number(), number()};
        const double second = k % 2 ? 1.0 : 0.0, x = -0.5 + 0.4 * number(), y = second * number();
        double a[3][3];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) a[r][c] = j[r] * j[c] + second * h[r] * h[c];
        const LocalProblem p{{a[0][0], {a[0][1], a[0][2]}, {a[1][1], a[1][2], a[2][2]}},
                             {j[0] * x + h[0] * y, j[1] * x + h[1] * y, j[2] * x + h[2] * y},
                             0.3};
        const Real3<double> l = solve_contact(p.block, p.b, p.mu);
        CHECK(std::isfinite(l.n + l.t1 + l.t2));
        CHECK(l.n >= 0.0);
        CHECK(std::hypot(l.t1, l.t2) <= 0.3 * l.n * (1.0 + 1e-9) + 1e-12);
    }
    // No tangent motion at all, and no friction.
    CHECK(solve_contact<double>({2.0, {0, 0}, {0, 0, 0}}, {-4.0, 1.0, 1.0}, 0.5).n == 2.0);
    const auto smooth = solve_contact<double>({2.0, {0.5, 0}, {1, 0, 1}}, {-4.0, 1.0, 1.0}, 0.0);
    CHECK(smooth.n == 2.0);
    CHECK(smooth.t1 == 0.0);
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
