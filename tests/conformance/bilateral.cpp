// SPDX-License-Identifier: MIT
// Ball joints as bilateral blocks: every solver that knows them finds the answers on paper and those of a dense
// linear solve, alone and beside contacts with friction; every other one refuses them and changes nothing.
#include <Eigen/Dense>
#include <cstring>

#include "physics/contact/island_matrix.h"
#include "physics/contact/residual.h"
#include "physics/solvers/prox_jacobi_threads.h"
#include "tests/conformance/joint_problems.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;
using proxima::test::Random;

namespace {

std::vector<Solver> joint_solvers() {
    std::vector<Solver> rows;
    for (const Solver& solver : solver_table())
        if (solver.bilateral) rows.push_back(solver);
    return rows;
}

SolveSettings accurate(double tolerance, uint32_t iterations = 300000) {
    SolveSettings settings;
    settings.tolerance = tolerance;
    settings.iterations = iterations;
    return settings;
}

double size_of(const std::vector<double>& x) {
    double size = 1.0;
    for (const double v : x) size = std::max(size, std::abs(v));
    return size;
}

/// Bodies that hang on each other in a tree, or in loops too, with joints in any direction.
JointedBodies random_joints(uint32_t seed, uint32_t count, uint32_t loops, bool soft) {
    Random random{seed};
    const auto number = [&] { return double(random.between(-1.0f, 1.0f)); };
    const auto vector = [&] { return Double3{number(), number(), number()}; };
    JointedBodies out;
    for (uint32_t k = 0; k < count; ++k) out.add({1.0 + 0.8 * number(), 0.3 + 0.2 * number(), vector(), vector()});
    const auto join = [&](uint32_t a, uint32_t b) {
        JointedBodies::Block block{a, b, vector(), vector()};
        block.bias = vector();
        block.compliance = soft ? 0.2 + 0.1 * number() : 0.0;
        // A frame at right angles to itself: each axis loses what the ones before have of it.
        for (size_t k = 0; k < 3; ++k) {
            Double3 x = vector();
            for (size_t j = 0; j < k; ++j) {
                const double along = dot(x, block.axis[j]);
                for (size_t i = 0; i < 3; ++i) x[i] -= along * block.axis[j][i];
            }
            const double length = std::sqrt(dot(x, x));
            for (size_t i = 0; i < 3; ++i) block.axis[k][i] = x[i] / length;
        }
        out.blocks.push_back(block);
    };
    for (uint32_t k = 1; k <= count; ++k) join(random.below(k), k);
    for (uint32_t k = 0; k < loops; ++k) join(k, count - k);
    return out;
}

/// (W + C) l = -q by Eigen.
std::vector<double> dense_answer(const JointedBodies& joints) {
    const Dense d = joints.dense();
    const auto n = Eigen::Index(d.rows());
    Eigen::MatrixXd matrix(n, n);
    Eigen::VectorXd right(n);
    for (Eigen::Index r = 0; r < n; ++r) {
        right[r] = -d.q[size_t(r)];
        for (Eigen::Index c = 0; c < n; ++c) matrix(r, c) = d.at(size_t(r), size_t(c));
        matrix(r, r) += joints.blocks[size_t(r) / 3].compliance;
    }
    const Eigen::VectorXd l = matrix.ldlt().solve(right);
    return {l.data(), l.data() + n};
}

/// A box of mass 2 on four contacts, pushed along x and z, and held at a corner of its top by a ball joint.
JointedBodies tethered_box(bool one_group) {
    JointedBodies out;
    const uint32_t box = out.add({2.0, 0.4, {0.6, -kFall, -0.3}, {0.1, 0.8, -0.2}});
    for (const double x : {-0.5, 0.5})
        for (const double z : {-0.5, 0.5})
            out.blocks.push_back({0, box, {x, -0.5, z}, {x, -0.5, z}, RowKind::contact, 0.5});
    out.blocks.insert(out.blocks.begin() + 2, {0, box, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}});
    out.groups = one_group ? std::vector<ContactGroup>{{0, 5}} : std::vector<ContactGroup>{{0, 2}, {2, 3}, {3, 5}};
    return out;
}

}  // namespace

TEST_CASE("bodies on ball joints get the impulses and velocities of the answers on paper") {
    // Single precision: velocities of 0.25 m/s and loads of up to 26 N s at W about 1 leave 1e-6 m/s of
    // rounding; a chain of ten turns a residual into a hundred times the error of an impulse.
    for (const KnownJoints& known : known_joints())
        for (const Solver& solver : joint_solvers())
            for (const JacobiBlocks blocks : {JacobiBlocks::manifolds, JacobiBlocks::points}) {
                if (blocks == JacobiBlocks::points && solver.name != "prox_jacobi") continue;
                if (known.slides && solver.model == Model::ccp) continue;
                CAPTURE(known.name);
                CAPTURE(solver.name);
                CAPTURE(to_text(blocks));
                Bodies bodies = known.bodies.in_single();
                BodySystem system = bodies.system();
                const double size = size_of(known.impulses);
                SolveSettings settings = accurate(1e-6 * size, 100000);
                settings.jacobi_blocks = blocks;
                const SolveReport report = solver.solve_bodies(system, settings);
                CHECK(report.stop == StopReason::tolerance);
                for (uint32_t i = 0; !known.redundant && i < system.size(); ++i) {
                    const Real3<float> l = system.impulse(i);
                    CHECK(std::abs(double(l.n) - known.impulses[3 * i]) < 5e-4 * size);
                    CHECK(std::abs(double(l.t1) - known.impulses[3 * i + 1]) < 5e-4 * size);
                    CHECK(std::abs(double(l.t2) - known.impulses[3 * i + 2]) < 5e-4 * size);
                }
                const auto expected = known.bodies.after(known.impulses);
                for (size_t b = 1; b < expected.size(); ++b)
                    for (int x = 0; x < 3; ++x) {
                        CHECK(std::abs(double(bodies.velocity[b].linear[x]) - expected[b].linear[size_t(x)]) < 5e-4);
                        CHECK(std::abs(double(bodies.velocity[b].angular[x]) - expected[b].angular[size_t(x)]) < 4e-4);
                    }
            }
}

TEST_CASE("the ground carries half of a rod that is hinged at its other end, with any solver") {
    const KnownJoints known = hinged_rod(0.4, 0.0);
    const DelassusProblem problem = known.bodies.matrix();
    for (const Solver& solver : joint_solvers())
        for (const RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            CAPTURE(name_of(strategy));
            SolveSettings settings = accurate(1e-12);
            settings.r_strategy = strategy;
            DelassusSystem system(problem);
            CHECK(solver.solve_matrix(system, settings).stop == StopReason::tolerance);
            CHECK(system.impulse(0).n == doctest::Approx(known.impulses[0]).epsilon(1e-9));
            CHECK(system.impulse(1).n == doctest::Approx(known.impulses[3]).epsilon(1e-9));
            // Friction along the rod and the joint's pull are equal and opposite, whatever they are.
            CHECK(std::abs(system.impulse(0).t1 + system.impulse(1).t1) < 1e-9);
        }
}

TEST_CASE("random trees of joints have the impulses of a dense linear solve, to ten digits") {
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        const bool soft = seed % 2 == 0;
        const JointedBodies joints = random_joints(seed, 2 + seed, 0, soft);
        const DelassusProblem problem = joints.matrix();
        const std::vector<double> expected = dense_answer(joints);
        for (const Solver& solver : joint_solvers()) {
            CAPTURE(seed);
            CAPTURE(solver.name);
            const std::vector<double> l = solve(solver, problem, accurate(1e-14));
            double error = 0.0;
            for (size_t r = 0; r < l.size(); ++r) error = std::max(error, std::abs(l[r] - expected[r]));
            CHECK(error <= 1e-10 * size_of(expected));
        }
    }
}

TEST_CASE("joints in loops with some give have the impulses of a dense linear solve") {
    for (uint32_t seed = 11; seed <= 13; ++seed) {
        const JointedBodies joints = random_joints(seed, 4, 3, true);
        const DelassusProblem problem = joints.matrix();
        const std::vector<double> expected = dense_answer(joints);
        for (const Solver& solver : joint_solvers())
            for (const RStrategy strategy : kStrategies) {
                CAPTURE(seed);
                CAPTURE(solver.name);
                CAPTURE(name_of(strategy));
                SolveSettings settings = accurate(1e-14);
                settings.r_strategy = strategy;
                const std::vector<double> l = solve(solver, problem, settings);
                double error = 0.0;
                for (size_t r = 0; r < l.size(); ++r) error = std::max(error, std::abs(l[r] - expected[r]));
                CHECK(error <= 1e-10 * size_of(expected));
            }
    }
}

TEST_CASE("a soft joint gives way in proportion to its load, in all three directions") {
    const KnownJoints known = soft_joint();
    const double c = known.bodies.blocks[0].compliance;
    for (const Solver& solver : joint_solvers()) {
        CAPTURE(solver.name);
        const DelassusProblem problem = known.bodies.matrix();
        DelassusSystem system(problem);
        solver.solve_matrix(system, accurate(1e-13));
        const Real3<double> l = system.impulse(0);
        CHECK(system.normal_velocity(0) == doctest::Approx(-c * l.n).epsilon(1e-11));
        CHECK(system.tangent_velocity(0).x == doctest::Approx(-c * l.t1).epsilon(1e-11));
        CHECK(system.tangent_velocity(0).y == doctest::Approx(-c * l.t2).epsilon(1e-11));
        CHECK(std::abs(l.t2) > 0.1);
    }
}

TEST_CASE("one visit solves a joint alone exactly, with every solver that sweeps over blocks") {
    const KnownJoints known = pendulum(0.7);
    for (const char* name :
         {"prox_gs", "pgs", "pgs_symmetric", "pgs_backward", "nscd", "nncg", "pgs_sm", "prox_jacobi"}) {
        CAPTURE(std::string(name));
        SolveSettings settings;
        settings.iterations = 1;
        settings.rollback = false;
        Bodies bodies = known.bodies.in_single();
        BodySystem system = bodies.system();
        solver_named(name).solve_bodies(system, settings);
        CHECK(measure_residual(system).max < 1e-7);
    }
}

TEST_CASE("joints and contacts in one group or in several are solved together") {
    for (const bool one_group : {false, true}) {
        const JointedBodies box = tethered_box(one_group);
        for (const Solver& solver : joint_solvers()) {
            CAPTURE(one_group);
            CAPTURE(solver.name);
            const Law law(solver.set, solver.model == Model::ccp);
            const DelassusProblem problem = box.matrix();
            DelassusSystem matrix(problem);
            SolveSettings fine = accurate(1e-9);
            CHECK(solver.solve_matrix(matrix, fine).stop == StopReason::tolerance);
            CHECK(measure_residual(matrix, law).max < 1e-8);
            Bodies bodies = box.in_single();
            BodySystem system = bodies.system();
            CHECK(solver.solve_bodies(system, accurate(5e-6, 20000)).stop == StopReason::tolerance);
            CHECK(measure_residual(system, law).max <= 5e-6);
        }
    }
}

TEST_CASE("a joint between bodies that cannot move is left alone and disturbs nobody") {
    JointedBodies two = pendulum(0.3).bodies;
    const uint32_t wall = two.add({0.0, 0.0, {0.0, -1.0, 0.0}});
    two.blocks.push_back({0, wall});
    for (const Solver& solver : joint_solvers())
        for (const RStrategy strategy : kStrategies) {
            CAPTURE(solver.name);
            CAPTURE(name_of(strategy));
            SolveSettings settings = accurate(1e-6, 5000);
            settings.r_strategy = strategy;
            Bodies bodies = two.in_single();
            BodySystem system = bodies.system();
            CHECK(solver.solve_bodies(system, settings).stop == StopReason::tolerance);
            CHECK(system.impulse(1).n == 0.0f);
            CHECK(system.impulse(1).t1 == 0.0f);
            CHECK(bodies.velocity[wall].linear.y == -1.0f);
        }
}

TEST_CASE("a solved problem with joints, given back as a start, needs no sweep") {
    const DelassusProblem problem = random_joints(5, 6, 0, false).matrix();
    for (const Solver& solver : joint_solvers()) {
        CAPTURE(solver.name);
        const std::vector<double> l = solve(solver, problem, accurate(1e-10));
        DelassusSystem again(problem);
        again.set_impulses(l);
        const SolveReport report = solver.solve_matrix(again, accurate(1.1e-10));
        CHECK(report.iterations == 0);
        CHECK(impulses(again) == l);
    }
}

TEST_CASE("solvers that know contacts only refuse joints by name and change nothing") {
    uint32_t refusing = 0;
    for (const Solver& solver : solver_table()) {
        if (solver.bilateral) continue;
        ++refusing;
        CAPTURE(solver.name);
        for (const RStrategy strategy : kStrategies) {
            SolveSettings settings = accurate(1e-8, 100);
            settings.r_strategy = strategy;
            const KnownJoints known = hinged_rod(0.4, 0.7);
            Bodies bodies = known.bodies.in_single();
            bodies.problem.contacts[1].lambda = Vec3(0.25f, 0.0f, -0.0f);
            BodySystem system = bodies.system();
            const std::vector<BodyVelocity> before = bodies.velocity;
            const std::vector<Contact> contacts = bodies.problem.contacts;
            const SolveReport report = solver.solve_bodies(system, settings);
            CHECK(report.stop == StopReason::failed);
            CHECK(report.iterations == 0);
            CHECK(report.note.find("bilateral") != std::string_view::npos);
            CHECK(report.note.find("prox_gs") != std::string_view::npos);
            // Bit for bit: not even the sign of a zero.
            CHECK(std::memcmp(before.data(), bodies.velocity.data(), before.size() * sizeof(BodyVelocity)) == 0);
            CHECK(std::memcmp(contacts.data(), bodies.problem.contacts.data(), contacts.size() * sizeof(Contact)) == 0);

            const DelassusProblem problem = known.bodies.matrix();
            DelassusSystem matrix(problem);
            const std::vector<double> start{0.1, 0.2, 0.3, 0.4, 0.0, 0.1};
            matrix.set_impulses(start);
            const SolveReport refused = solver.solve_matrix(matrix, settings);
            CHECK(refused.stop == StopReason::failed);
            CHECK(refused.note == report.note);
            CHECK(impulses(matrix) == start);
        }
    }
    CHECK(refusing == 7);  // lemke, staggered, shock
    const Bodies bodies = hinged_rod(0.4, 0.7).bodies.in_single();
    CHECK_FALSE(ProxJacobiThreads::can_solve(bodies.problem, SolveSettings{}));
}

TEST_CASE("the residual of a joint is the speed that is left, whatever the friction set") {
    const JointedBodies joints = random_joints(3, 3, 1, true);
    const Dense dense = joints.dense();
    const DelassusProblem problem = joints.matrix();
    std::vector<double> l(dense.rows());
    Random random{9};
    for (double& x : l) x = double(random.between(-1.0f, 1.0f));
    DelassusSystem system(problem);
    system.set_impulses(l);
    std::vector<double> v = dense.velocities(l);
    double e = 0.0, worst = 0.0, q = 0.0;
    for (size_t i = 0; i < joints.blocks.size(); ++i) {
        double squared = 0.0;
        for (size_t r = 3 * i; r < 3 * i + 3; ++r) {
            v[r] += joints.blocks[i].compliance * l[r];
            squared += v[r] * v[r];
            q += dense.q[r] * dense.q[r];
        }
        e += squared;
        worst = std::max(worst, std::sqrt(squared));
        for (const Law law : {Law(FrictionSet::disk), Law(FrictionSet::box), Law(FrictionSet::disk, true)}) {
            const ContactResidual r = contact_residual(system, uint32_t(i), law);
            CHECK(r.bilateral == doctest::Approx(std::sqrt(squared)).epsilon(1e-12));
            CHECK(r.total() == r.bilateral);
        }
    }
    for (const Law law : {Law(FrictionSet::disk), Law(FrictionSet::box), Law(FrictionSet::disk, true)}) {
        const Residual measured = measure_residual(system, law);
        CHECK(measured.max == doctest::Approx(worst).epsilon(1e-12));
        CHECK(measured.bilateral == measured.max);
        CHECK(measured.complementarity == 0.0);
        CHECK(relative_residual(system, law, system.q_norm()) == doctest::Approx(std::sqrt(e / q)).epsilon(1e-12));
    }
    // Pulling and pushing alike: no sign is wrong.
    l.assign(l.size(), -2.0);
    system.set_impulses(l);
    CHECK(measure_residual(system).cone == 0.0);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        l[4] = bad;
        system.set_impulses(l);
        CHECK(measure_residual(system).max == std::numeric_limits<double>::infinity());
        CHECK(relative_residual(system, Law{}, system.q_norm()) == std::numeric_limits<double>::infinity());
    }
}

TEST_CASE("an island of joints as a matrix is the same problem") {
    const JointedBodies joints = random_joints(7, 5, 2, true);
    Bodies bodies = joints.in_single();
    BodySystem system = bodies.system();
    const DelassusProblem problem = make_island_matrix(system), expected = joints.matrix();
    CHECK(problem.kinds == expected.kinds);
    REQUIRE(problem.q.size() == expected.q.size());
    for (size_t r = 0; r < problem.q.size(); ++r) CHECK(std::abs(problem.q[r] - expected.q[r]) < 1e-5);
    for (size_t i = 0; i < problem.compliance.size(); ++i)
        CHECK(problem.compliance[i] == doctest::Approx(expected.compliance[i]).epsilon(1e-6));
    const DelassusSystem matrix(problem);
    for (uint32_t i = 0; i < system.size(); ++i) {
        CHECK(std::abs(double(system.coupling_block(i).x) - matrix.coupling_block(i).x) < 1e-5);
        CHECK(std::abs(double(system.coupling_block(i).y) - matrix.coupling_block(i).y) < 1e-5);
    }
    Bodies contacts = joints.in_single();
    contacts.problem.kinds.clear();
    CHECK(make_island_matrix(contacts.system()).kinds.empty());
}

TEST_CASE("a semi-definite 3x3 system is solved along what it can move") {
    Random random{21};
    for (int k = 0; k < 200; ++k) {
        // J J^T of rank 1 to 3, and a right side in its range.
        const int rank = 1 + k % 3;
        double j[3][3] = {}, w[3][3] = {};
        for (auto& row : j)
            for (int c = 0; c < rank; ++c) row[c] = double(random.between(-1.0f, 1.0f));
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                for (int i = 0; i < 3; ++i) w[r][c] += j[r][i] * j[c][i];
        const double y[3] = {0.3, -1.2, 0.7};
        std::array<double, 3> right{};
        for (size_t r = 0; r < 3; ++r)
            for (size_t c = 0; c < 3; ++c) right[r] += w[r][c] * y[c];
        const std::array<double, 3> x =
            solve_semidefinite(Symmetric3{w[0][0], w[1][1], w[2][2], w[0][1], w[0][2], w[1][2]}, right, 1e-13);
        // What is left is rounding over the smallest pivot that counted.
        for (size_t r = 0; r < 3; ++r)
            CHECK(std::abs(w[r][0] * x[0] + w[r][1] * x[1] + w[r][2] * x[2] - right[r]) < 1e-9);
    }
    const std::array<double, 3> none = solve_semidefinite(Symmetric3{}, {1.0, 2.0, 3.0}, 1e-13);
    CHECK(none == std::array<double, 3>{});
}
