// SPDX-License-Identifier: MIT
// The canonical problems: small ones whose answers are known on paper, for each of the four models.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/canonical.h"
#include "tests/conformance/joint_problems.h"

namespace proxima::physics::test {

struct Known {
    std::string name;
    DelassusProblem problem;
    /// Impulses by model: Coulomb's disk, the box, the polygon of 8 sides, the convex relaxation. Empty where
    /// the answer is not known on paper.
    std::vector<double> disk, box, polygon, relaxed;
    bool by_velocity = false;  // redundant contacts share their load in any way: compare velocities instead
    bool stiff = false;        // one step length for all rows would need millions of sweeps

    /// Whether the solver says no to it by name.
    bool is_refused_by(const Solver& solver) const { return problem.has_bilateral() && !solver.bilateral; }
    const std::vector<double>& answer(const Solver& solver) const {
        if (solver.model == Model::ccp) return relaxed;
        if (solver.model == Model::lcp) return polygon;
        return solver.set == FrictionSet::disk ? disk : box;
    }
};

inline std::vector<double> normals(const std::vector<double>& x) {
    std::vector<double> l;
    for (double v : x) l.insert(l.end(), {v, 0.0, 0.0});
    return l;
}
/// Weights above each contact of a tower.
inline std::vector<double> weights_above(const std::vector<double>& mass) {
    std::vector<double> w(mass.size());
    double sum = 0.0;
    for (size_t i = mass.size(); i-- > 0;) w[i] = sum += mass[i];
    return w;
}
/// One contact of a rod that leans at 45 degrees, mass 1.
inline Dense leaning_rod_block(double mu, double normal_speed, double tangent_speed) {
    Dense d(1);
    d.set(0, 0, 2.5);
    d.set(0, 1, -1.5);
    d.set(1, 1, 2.5);
    d.set(2, 2, 1.0);
    d.q = {normal_speed, tangent_speed, 0.0};
    d.mu = {mu};
    return d;
}

inline void add_complementarity_problems(std::vector<Known>& all) {
    const auto add = [&](const char* name, const std::vector<std::vector<double>>& a, const std::vector<double>& b,
                         const std::vector<double>& x) {
        const std::vector<double> l = normals(x);
        all.push_back({name, lcp(a, b).problem(), l, l, l, l});
    };
    const std::vector<std::vector<double>> a0{{2, 1}, {1, 2}};
    add("one row pushes", {{2}}, {-4}, {2});
    add("one row opens", {{2}}, {4}, {0});
    add("two rows push", a0, {-5, -6}, {4.0 / 3.0, 7.0 / 3.0});
    add("one of two rows opens", a0, {-1, 1}, {0.5, 0});
    add("pivoting would cycle here", {{11, 14, -6}, {14, 22, -15}, {-6, -15, 18}}, {-1, -4, 5}, {0, 2.0 / 11.0, 0});
    add("second cycling matrix", {{8, -12, -10}, {-12, 22, 19}, {-10, 19, 17}}, {4, -5, -2}, {0, 5.0 / 22.0, 0});
    add("a row must open again", {{1, 2}, {2, 5}}, {-4, -5}, {4, 0});
    const auto add_tower = [&](const char* name, std::vector<double> mass) {
        const std::vector<double> l = normals(weights_above(mass));
        const bool stiff = *std::max_element(mass.begin(), mass.end()) > 50.0;
        all.push_back({name, tower(mass).problem(), l, l, l, l, false, stiff});
    };
    add_tower("tower of two", std::vector<double>(2, 1.0));
    add_tower("tower of five", std::vector<double>(5, 1.0));
    add_tower("tower of ten", std::vector<double>(10, 1.0));
    add_tower("ten on one", {1.0, 10.0});
    add_tower("a hundred on one", {1.0, 100.0});
    add_tower("a thousand on one", {1.0, 1000.0});
    std::vector<double> heavy_top(10, 1.0);
    heavy_top.back() = 100.0;
    add_tower("tower of ten with a heavy top", heavy_top);
    const std::vector<double> quarter = normals(std::vector<double>(4, 0.25));
    all.push_back({"four contacts under one mass", lcp(std::vector(4, std::vector(4, 1.0)), {-1, -1, -1, -1}).problem(),
                   quarter, quarter, quarter, quarter, true});
    Known soft{"soft contact", lcp({{1}}, {-1}).problem(), {0.5, 0, 0}, {0.5, 0, 0}, {0.5, 0, 0}, {0.5, 0, 0}};
    soft.problem.compliance = {1.0};  // v + c l = 0 with v = l - 1 and c = 1
    all.push_back(soft);
    all.push_back({"no contact", Dense(0).problem(), {}, {}, {}, {}});
}

inline void add_friction_problems(std::vector<Known>& all) {
    using Impulses = std::vector<double>;
    const auto add = [&](const char* name, const Dense& d, Impulses disk, Impulses box, Impulses polygon,
                         Impulses relaxed) {
        all.push_back({name, d.problem(), std::move(disk), std::move(box), std::move(polygon), std::move(relaxed)});
    };
    const auto add_same = [&](const char* name, const Dense& d, const Impulses& l) { add(name, d, l, l, l, l); };

    // An upper bound: tangent 1 of a contact with radius 1 is the bounded unknown, coupled to a second
    // normal. The convex model trades: l_n = l_t = 1.2.
    Dense bounded(2);
    for (size_t r = 0; r < 6; ++r) bounded.set(r, r, r == 0 ? 1.0 : 2.0);
    bounded.set(1, 3, 1.0);
    bounded.q = {-1, -5, 0, -6, 0, 0};
    bounded.mu = {1, 0};
    const Impulses one{1, 1, 0, 2.5, 0, 0};
    add("bounded unknown", bounded, one, one, one, {1.2, 1.2, 0, 2.4, 0, 0});

    const TangentBlock<double> unit{1, 0, 1};
    const double s = std::sqrt(0.5);
    // The polygon has a corner every 45 degrees; the convex model lifts off with v_n = 1.8, |v_t| = 3.6.
    add("sliding particle", one_contact(unit, {3, 4}, 0.5), {1, -0.3, -0.4}, {1, -0.5, -0.5}, {1, -0.5 * s, -0.5 * s},
        {2.8, -0.84, -1.12});
    add("particle sliding along a tangent", one_contact(unit, {3, 0}, 0.5), {1, -0.5, 0}, {1, -0.5, 0}, {1, -0.5, 0},
        {2, -1, 0});
    add_same("sticking particle", one_contact(unit, {0.3, 0.1}, 0.5), {1, -0.3, -0.1});
    add_same("no friction", one_contact(unit, {3, 4}, 0.0), {1, 0, 0});
    const double lifted = 0.5 + s;
    add("large steps diverge here", one_contact({2, 1, 2}, {-1, 1}, 1.0), {1, s, -s}, {1, 1, -1}, {1, s, -s},
        {lifted, s * lifted, -s * lifted});
    add("tangents of unequal mass", one_contact({1, 0, 4}, {1.5, 3.2}, 0.5), {1, -0.3, -0.4}, {1, -0.5, -0.5},
        {1, -0.5 * s, -0.5 * s}, {});
    Dense open = one_contact(unit, {3, 4}, 0.5);
    open.q[0] = 5.0;  // so fast that the convex model opens too: v_n > mu |v_t|
    add_same("open contact", open, {0, 0, 0});

    add_same("leaning rod sticks", leaning_rod_block(1.0, -1.0, 0.0), {0.625, 0.375, 0});
    add("leaning rod slides", leaning_rod_block(0.5, -1.0, 0.0), {4.0 / 7.0, 2.0 / 7.0, 0}, {4.0 / 7.0, 2.0 / 7.0, 0},
        {4.0 / 7.0, 2.0 / 7.0, 0}, {8.0 / 13.0, 4.0 / 13.0, 0});
    add_same("leaning rod jams", leaning_rod_block(2.0, -1.0, -10.0), {4.375, 6.625, 0});

    // Made from its answer: slides along tangent 2, all three rows coupled.
    Dense coupled(1);
    coupled.set(0, 0, 2.0);
    coupled.set(0, 1, 0.5);
    coupled.set(0, 2, -0.4);
    coupled.set(1, 1, 1.5);
    coupled.set(1, 2, 0.2);
    coupled.set(2, 2, 1.0);
    coupled.q = {-1.76, -0.62, -0.5};
    coupled.mu = {0.6};
    add("coupled block slides", coupled, {1, 0, 0.6}, {1, 0, 0.6}, {1, 0, 0.6}, {});

    Dense immovable(2);
    for (size_t r = 0; r < 3; ++r) immovable.set(r, r, 1.0);  // contact 1 has an empty block
    immovable.q = {-1, 3, 0, 0, 0, 0};
    immovable.mu = {0.5, 0.5};
    add("an immovable contact beside a sliding one", immovable, {1, -0.5, 0, 0, 0, 0}, {1, -0.5, 0, 0, 0, 0},
        {1, -0.5, 0, 0, 0, 0}, {2, -1, 0, 0, 0, 0});
}

inline void add_joint_problems(std::vector<Known>& all) {
    for (const KnownJoints& k : known_joints()) {
        const std::vector<double>& l = k.impulses;
        all.push_back(
            {k.name, k.bodies.matrix(), l, l, {}, k.slides ? std::vector<double>{} : l, k.redundant, k.stiff});
    }
}

inline std::vector<Known> known_problems() {
    std::vector<Known> all;
    add_complementarity_problems(all);
    add_friction_problems(all);
    add_joint_problems(all);
    return all;
}

}  // namespace proxima::physics::test
