// SPDX-License-Identifier: MIT
#include "physics/contact/island_matrix.h"

#include <algorithm>
#include <array>
#include <utility>

#include "physics/solvers/iterate.h"

namespace proxima::physics {

namespace {

using Vec = std::array<double, 3>;

Vec wide(const Vec3& v) { return {double(v.x), double(v.y), double(v.z)}; }
double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec times(const Sym3& m, const Vec& v) {
    return {m.xx * v[0] + m.xy * v[1] + m.xz * v[2], m.xy * v[0] + m.yy * v[1] + m.yz * v[2],
            m.xz * v[0] + m.yz * v[1] + m.zz * v[2]};
}

/// One side of a contact: the rows of J for one body, and M^-1 J^T.
struct Side {
    uint32_t body = 0, contact = 0;
    double inverse_mass = 0.0;
    Vec linear[3], angular[3];  // +-f and +-arm x f for the three directions f
    Vec turned[3];              // I^-1 (+-arm x f)
};

Side make_side(const Contact& c, uint32_t contact, bool b, const BodyInverseMass& m) {
    Side side;
    side.body = b ? c.b : c.a;
    side.contact = contact;
    side.inverse_mass = double(m.mass);
    const double sign = b ? 1.0 : -1.0;
    const Vec arm = wide(b ? c.arm_b : c.arm_a);
    const Vec3 directions[3] = {c.normal, c.tangent1, c.tangent2};
    for (int k = 0; k < 3; ++k) {
        const Vec f = wide(directions[k]), turn = cross(arm, f);
        for (size_t x = 0; x < 3; ++x) {
            side.linear[k][x] = sign * f[x];
            side.angular[k][x] = sign * turn[x];
        }
        side.turned[k] = times(m.inertia, side.angular[k]);
    }
    return side;
}

ContactSide rows_of(const Side& side, uint32_t body) {
    ContactSide out{side.contact, body, {}, {}};
    for (size_t k = 0; k < 3; ++k)
        for (size_t x = 0; x < 3; ++x) {
            out.direction[k][x] = side.linear[k][x];
            out.direction[k][x + 3] = side.angular[k][x];
            out.response[k][x] = side.inverse_mass * side.linear[k][x];
            out.response[k][x + 3] = side.turned[k][x];
        }
    return out;
}

void add_block(const Side& i, const Side& j, Block3& block) {
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            block.m[row][column] +=
                i.inverse_mass * dot(i.linear[row], j.linear[column]) + dot(i.angular[row], j.turned[column]);
}

/// q = v - W l.
void add_free_velocities(const BodySystem& system, DelassusProblem& problem) {
    for (uint32_t i = 0; i < system.size(); ++i) {
        const Real2<float> tangent = system.tangent_velocity(i);
        double v[3] = {double(system.normal_velocity(i)), double(tangent.x), double(tangent.y)};
        for (uint32_t k = problem.row_begin[i]; k < problem.row_begin[i + 1]; ++k) {
            const Real3<float> l = system.impulse(problem.column[k]);
            for (int row = 0; row < 3; ++row)
                v[row] -= problem.block[k].m[row][0] * double(l.n) + problem.block[k].m[row][1] * double(l.t1) +
                          problem.block[k].m[row][2] * double(l.t2);
        }
        problem.q.insert(problem.q.end(), v, v + 3);
    }
}

}  // namespace

DelassusProblem make_island_matrix(const BodySystem& system) {
    const uint32_t n = system.size();
    // Sides of bodies that can move, those of one body together.
    std::vector<Side> sides;
    sides.reserve(2 * n);
    for (uint32_t i = 0; i < n; ++i) {
        const Contact& c = system.contact(i);
        for (const bool b : {false, true}) {
            const BodyInverseMass& m = system.inverse_mass(b ? c.b : c.a);
            if (m.mass > 0.0f) sides.push_back(make_side(c, i, b, m));
        }
    }
    std::stable_sort(sides.begin(), sides.end(), [](const Side& x, const Side& y) { return x.body < y.body; });
    std::vector<std::pair<uint32_t, uint32_t>> sides_of_contact(2 * n, {0u, 0u});  // range of its body's sides
    std::vector<uint32_t> own(2 * n, 0), count(n, 0), number(2 * n, 0);
    DelassusProblem problem;
    for (uint32_t begin = 0; begin < sides.size(); ++problem.body_count) {
        uint32_t end = begin;
        while (end < sides.size() && sides[end].body == sides[begin].body) ++end;
        for (uint32_t k = begin; k < end; ++k) {
            const uint32_t at = 2 * sides[k].contact + count[sides[k].contact]++;
            sides_of_contact[at] = {begin, end};
            own[at] = k;
            number[at] = problem.body_count;
        }
        begin = end;
    }

    problem.row_begin.push_back(0);
    problem.sides.reserve(sides.size());
    std::vector<uint32_t> columns;
    std::vector<uint32_t> mirrored(n);  // per row: the next block whose mirror image is not written yet
    for (uint32_t i = 0; i < n; ++i) {
        columns.assign(1, i);
        for (uint32_t k = 0; k < count[i]; ++k)
            for (uint32_t s = sides_of_contact[2 * i + k].first; s < sides_of_contact[2 * i + k].second; ++s)
                columns.push_back(sides[s].contact);
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        const size_t first = problem.column.size();
        problem.column.insert(problem.column.end(), columns.begin(), columns.end());
        problem.block.resize(problem.column.size());
        // W is symmetric: what lies left of the diagonal stands in earlier rows, whose blocks are met in the
        // order of their columns.
        uint32_t diagonal = 0;
        for (; columns[diagonal] < i; ++diagonal) {
            const Block3& upper = problem.block[mirrored[columns[diagonal]]++];
            Block3& lower = problem.block[first + diagonal];
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) lower.m[r][c] = upper.m[c][r];
        }
        mirrored[i] = uint32_t(first) + diagonal + 1;
        for (uint32_t k = 0; k < count[i]; ++k)
            for (uint32_t s = sides_of_contact[2 * i + k].first; s < sides_of_contact[2 * i + k].second; ++s) {
                if (sides[s].contact < i) continue;
                const auto at = std::lower_bound(columns.begin() + diagonal, columns.end(), sides[s].contact);
                add_block(sides[own[2 * i + k]], sides[s], problem.block[first + size_t(at - columns.begin())]);
            }
        for (uint32_t k = 0; k < count[i]; ++k)
            problem.sides.push_back(rows_of(sides[own[2 * i + k]], number[2 * i + k]));
        problem.row_begin.push_back(uint32_t(problem.column.size()));
        problem.mu.push_back(double(system.friction(i)));
        problem.compliance.push_back(double(system.compliance(i)));
    }
    if (system.has_bilateral())
        for (uint32_t i = 0; i < n; ++i)
            problem.kinds.push_back(system.is_bilateral(i) ? RowKind::bilateral : RowKind::contact);
    add_free_velocities(system, problem);
    for (uint32_t g = 0; g < system.group_count(); ++g) problem.groups.push_back(system.group(g));
    return problem;
}

SolveReport solve_by_matrix(BodySystem& system, const SolveSettings& settings,
                            SolveReport (*solve)(DelassusSystem& system, const SolveSettings& settings)) {
    if (system.has_extra()) return refuse_extra();  // the matrix has three rows a contact, and disks
    const DelassusProblem problem = make_island_matrix(system);
    DelassusSystem matrix(problem);
    std::vector<double> impulses;
    for (uint32_t i = 0; i < system.size(); ++i) {
        const Real3<float> l = system.impulse(i);
        impulses.insert(impulses.end(), {double(l.n), double(l.t1), double(l.t2)});
    }
    matrix.set_impulses(impulses);
    SolveSettings in_velocity = settings;
    in_velocity.in_velocity_units = true;
    const SolveReport report = solve(matrix, in_velocity);
    const bool refused = report.stop == StopReason::failed && report.iterations == 0 && !(report.residual >= 0.0);
    if (refused) return report;  // nothing has changed
    for (uint32_t i = 0; i < system.size(); ++i) {
        const Real3<double> l = matrix.impulse(i);
        const Real3<float> before = system.impulse(i);
        system.add_normal(i, float(l.n - double(before.n)));
        system.add_tangent(i, {float(l.t1 - double(before.t1)), float(l.t2 - double(before.t2))});
    }
    return report;
}

}  // namespace proxima::physics
