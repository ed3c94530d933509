// SPDX-License-Identifier: MIT
// Contact problems from files: reading, writing, every way a file can be broken, and recorded problems of other
// simulators.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "physics/contact/delassus_file.h"
#include "physics/contact/problem_file.h"
#include "tests/conformance/canonical.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

const std::filesystem::path kData = std::filesystem::path(PROXIMA_SOURCE_DIR) / "tests" / "data" / "problems";
const std::filesystem::path kRecorded =
    std::filesystem::path(PROXIMA_SOURCE_DIR) / ".." / "shared" / "problems" / "siconos";

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

void check_error(const std::string& text, const std::string& expected) {
    const auto result = parse_problem(text, "broken.dat");
    REQUIRE_FALSE(result.ok());
    CAPTURE(result.error());
    CHECK(result.error().find("broken.dat") == 0);
    CHECK(result.error().find(expected) != std::string::npos);
    CHECK(result.error().back() == '.');
}

/// The bipotential measure once more, from the blocks as they stand in the problem.
double measure_e(const DelassusProblem& p, const std::vector<double>& r) {
    double q2 = 0.0, e2 = 0.0;
    for (uint32_t i = 0; i < p.size(); ++i) {
        double u[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = p.q[3 * i + k];
            q2 += u[k] * u[k];
            for (uint32_t b = p.row_begin[i]; b < p.row_begin[i + 1]; ++b)
                for (int c = 0; c < 3; ++c) u[k] += p.block[b].m[k][c] * r[3 * p.column[b] + c];
        }
        const double mu = p.mu[i];
        const double zn = r[3 * i] - u[0] - mu * std::hypot(u[1], u[2]);
        const double z1 = r[3 * i + 1] - u[1], z2 = r[3 * i + 2] - u[2], zt = std::hypot(z1, z2);
        double pn = zn, s = 1.0;
        if (zn < 0.0 || zt > mu * zn) {
            pn = std::max(0.0, (zn + mu * zt) / (1.0 + mu * mu));
            s = zt > 0.0 ? mu * pn / zt : 0.0;
        }
        e2 += std::pow(r[3 * i] - pn, 2) + std::pow(r[3 * i + 1] - s * z1, 2) + std::pow(r[3 * i + 2] - s * z2, 2);
    }
    return std::sqrt(e2 / q2);
}

}  // namespace

TEST_CASE("dense and sparse problem files are read") {
    const auto particle = read_problem(kData / "sliding_particle.dat");
    REQUIRE_MESSAGE(particle.ok(), particle.error());
    CHECK(particle->size() == 1);
    CHECK(particle->q == std::vector<double>{-1, 3, 4});
    CHECK(particle->mu == std::vector<double>{0.5});
    const auto masses = read_problem(kData / "two_masses.dat");
    REQUIRE_MESSAGE(masses.ok(), masses.error());
    CHECK(masses->size() == 2);
    CHECK(masses->column == std::vector<uint32_t>{0, 1, 0, 1});
    CHECK(masses->block[1].m[0][0] == -1.0);
    CHECK(masses->block[3].m[2][2] == 2.0);
}

TEST_CASE("a problem written and read again is the same to the last bit, dense and sparse") {
    const DelassusProblem problem = random_problem(4, 6, 0.3).problem();
    for (const MatrixStorage storage : {MatrixStorage::dense, MatrixStorage::sparse}) {
        const auto again = parse_problem(format_problem(problem, storage), "again");
        REQUIRE_MESSAGE(again.ok(), again.error());
        CHECK(again->q == problem.q);
        CHECK(again->mu == problem.mu);
        CHECK(again->column == problem.column);
        CHECK(again->row_begin == problem.row_begin);
        for (size_t k = 0; k < problem.block.size(); ++k)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) CHECK(again->block[k].m[r][c] == problem.block[k].m[r][c]);
    }
}

TEST_CASE("a slightly asymmetric matrix is kept as it is, column by column") {
    Dense dense = random_problem(2, 6, 0.3);
    dense.at(0, 4) += 1e-4;
    const DelassusProblem problem = dense.problem();
    for (const MatrixStorage storage : {MatrixStorage::dense, MatrixStorage::sparse}) {
        const auto again = parse_problem(format_problem(problem, storage), "again");
        REQUIRE(again.ok());
        CHECK(again->block[1].m[0][1] == dense.at(0, 4));
        CHECK(again->block[2].m[1][0] == dense.at(4, 0));
    }
    // Velocities follow columns of W, not rows.
    DelassusSystem system(problem);
    system.add_normal(0, 0.5);
    system.add_tangent(1, {0.25, -0.5});
    const auto v = dense.velocities(impulses(system));
    for (uint32_t i = 0; i < 2; ++i) {
        CHECK(system.normal_velocity(i) == doctest::Approx(v[3 * i]).epsilon(1e-14));
        CHECK(system.tangent_velocity(i).x == doctest::Approx(v[3 * i + 1]).epsilon(1e-14));
    }
}

TEST_CASE("broken files are refused with the place and the reason") {
    const std::string dense = text_of(kData / "sliding_particle.dat"), sparse = text_of(kData / "two_masses.dat");
    check_error("", "line 1: the file ends where the dimension");
    check_error("2" + dense.substr(1), "only problems in 3 dimensions");
    check_error("three", "found 'three'");
    check_error("3\n-1\n", "line 2: expected the number of contacts, a whole number, found '-1'");
    check_error("3\n4000000000\n0\n", "too short for the 4000000000 contacts");
    check_error(replaced(dense, "3\n1\n0\n", "3\n1\n7\n"), "the storage of W is 7");
    check_error(replaced(dense, "0\n3\n3\n", "0\n3\n4\n"), "3 rows and 4 columns");
    check_error(replaced(dense, "0\n3\n3\n3\n3\n", "0\n3\n3\n3\n2\n"),
                "line 7: the number of columns of W, again is 2");
    check_error(replaced(dense, "0 1 0", "0 x1 0"), "line 9: expected value of W number 5, found 'x1'");
    check_error(replaced(dense, "0 1 0", "0 nan 0"), "line 9: value of W number 5 is 'nan'");
    check_error(replaced(dense, "0 1 0", "0 1e999 0"), "must be a finite number");
    check_error(replaced(dense, "0 1 0", "0.5 1 0"), "line 8: W is not symmetric");
    check_error(replaced(dense, "1 0 0\n", "-1 0 0\n"), "line 8: W has a negative diagonal");
    check_error(replaced(replaced(dense, "1 0 0\n", "1 2 0\n"), "0 1 0", "2 1 0"), "line 8: W is indefinite");
    check_error(replaced(sparse, "-1 0 0\n0 -1 0\n", "-1 0 0\n0.5 -1 0\n"), "line 24: W is not symmetric");
    check_error(replaced(sparse, "0 1 0\n", "0 x 0\n"), "found 'x'");
    check_error(replaced(dense, "-1 3 4", "-1 3 inf"), "value of q number 3 is 'inf'");
    check_error(replaced(dense, "0.5", "-0.5"), "mu of contact 1 is negative");
    check_error(replaced(dense, "0.5", "nan"), "value of mu number 1 is 'nan'");
    check_error(replaced(dense, "0.5\n", ""), "the file ends where value of mu number 1 was expected");
    check_error(dense + "1 2", "more in the file");
    check_error(dense + "junk", "found 'junk'");
    check_error(replaced(sparse, "3 6\n", "3 5\n"), "end of block row number 2 is 5");
    check_error(replaced(sparse, "0 2 4\n", "0 5 4\n"), "must begin with 0");
    check_error(replaced(sparse, "0 2 4\n", "0 2 3\n"), "do not use all blocks");
    check_error(replaced(sparse, "0 1 0 1\n", "0 1 0 2\n"), "W has 2 block columns");
    check_error(replaced(sparse, "0 1 0 1\n", "0 0 0 1\n"), "given twice");
    check_error(replaced(sparse, "-1 0 0\n0 -1 0\n0 0 -1\n2\n", "-1 0 0\n0 -1 0\n0 0 -1\n9\n"), "block number is 9");
    check_error(replaced(sparse, "6\n6\n4\n", "6\n6\n4000000000\n"), "second index array is 4");
    // Every prefix of a good file is refused, and nothing breaks.
    for (const std::string& text : {dense, sparse}) {
        const size_t last = text.find_last_not_of(" \n");
        for (size_t length = 0; length + 6 < last; ++length)
            CHECK_FALSE(parse_problem(text.substr(0, length), "prefix").ok());
    }
    CHECK_FALSE(read_problem(kData / "no_such_file.dat").ok());
    CHECK_FALSE(read_problem(kData).ok());
}

TEST_CASE("a matrix that gives energy to some impulse is found, one that rounding made so is not") {
    // The pair of contacts 3 and 4 would gain energy from pushing against each other.
    Dense dense = random_problem(6, 12, 0.4);
    CHECK(find_indefinite(dense.problem()) == 6);
    dense.set(9, 12, 3.0);
    const uint32_t bad = find_indefinite(dense.problem());
    CHECK((bad == 3 || bad == 4));
    Dense singular = lcp(std::vector(5, std::vector(5, 1.0)), {-1, -1, -1, -1, -1});
    singular.at(0, 0) -= 1e-9;
    CHECK(find_indefinite(singular.problem()) == 5);
}

TEST_CASE("one contact and ten thousand contacts are read, solved and written") {
    CHECK(solve_problem_file(kData / "sliding_particle.dat", "prox_gs", {}).ok());
    // A hundred towers of a hundred; as a full matrix this would be seven gigabytes.
    const uint32_t n = 10000, height = 100;
    std::vector<BlockEntry> entries;
    std::vector<double> q(3 * size_t(n), 0.0), mu(n, 0.5);
    for (uint32_t i = 0; i < n; ++i) {
        if (i % height == 0) q[3 * i] = -0.1;
        for (const int side : {-1, 0, 1}) {
            if ((side < 0 && i % height == 0) || (side > 0 && i % height == height - 1)) continue;
            BlockEntry e{i, uint32_t(int(i) + side), {}};
            for (int r = 0; r < 3; ++r) e.block.m[r][r] = side ? -1.0 : i % height ? 2.0 : 1.0;
            entries.push_back(e);
        }
    }
    const auto made = make_problem(entries, q, mu);
    REQUIRE_MESSAGE(made.ok(), made.error());
    const proxima::test::TemporaryFolder folder;
    const std::filesystem::path path = folder.path / "ten_thousand.dat";
    REQUIRE(write_problem(path, *made, MatrixStorage::sparse).ok());
    SolveSettings settings;
    settings.tolerance = 1e-8;
    settings.iterations = 20;
    const auto solved = solve_problem_file(path, "newton_min", settings);
    REQUIRE_MESSAGE(solved.ok(), solved.error());
    CHECK(solved->contacts == n);
    CHECK(solved->solve.stop == StopReason::tolerance);
    CHECK(solved->reactions[0] == doctest::Approx(0.1 * height));
    // What cannot hold such a problem says so by itself.
    const auto refused = solve_problem_file(path, "dantzig", settings);
    REQUIRE(refused.ok());
    CHECK(refused->solve.stop == StopReason::failed);
    CHECK(refused->solve.note.find("too many") != std::string_view::npos);
    // A full matrix of that size that ends early is refused where it ends, not after an allocation.
    check_error("3\n10000\n0\n30000\n30000\n30000\n30000\n" + std::string(30000, ' ') + "1 2 3",
                "the file ends where value of W number 4 was expected");
}

TEST_CASE("a matrix whose sizes disagree is refused") {
    CHECK_FALSE(make_problem(std::vector<double>(8), std::vector<double>(3), std::vector<double>(1)).ok());
    CHECK_FALSE(make_problem(std::vector<double>(9), std::vector<double>(2), std::vector<double>(1)).ok());
    const std::vector<BlockEntry> outside{{0, 3, {}}};
    CHECK_FALSE(make_problem(outside, std::vector<double>(3), std::vector<double>(1)).ok());
}

TEST_CASE("a problem file is solved by name, reported and written down") {
    SolveSettings settings;
    settings.tolerance = 1e-9;
    std::vector<double> history;
    settings.history = &history;
    const auto report = solve_problem_file(kData / "sliding_particle.dat", "prox_gs", settings);
    REQUIRE_MESSAGE(report.ok(), report.error());
    CHECK(report->problem == "sliding_particle.dat");
    CHECK(report->contacts == 1);
    CHECK(report->solve.stop == StopReason::tolerance);
    CHECK(report->bipotential <= 1e-9);
    CHECK(report->reactions[1] == doctest::Approx(-0.3));
    CHECK(report->velocities[2] == doctest::Approx(3.6));
    CHECK(history.size() == report->solve.iterations + 1);

    const auto boxed = solve_problem_file(kData / "sliding_particle.dat", "pgs", settings);
    REQUIRE(boxed.ok());
    CHECK(boxed->solve.residual <= 1e-9);  // by its own set
    CHECK(boxed->cone_violation > 0.1);    // the box reaches out of Coulomb's cone, and the report says so

    const proxima::test::TemporaryFolder folder;
    const std::filesystem::path out = folder.path / "reactions.txt";
    REQUIRE(write_reactions(out, *report).ok());
    const std::string text = text_of(out);
    CHECK(text.find("# contact r_n r_t1 r_t2 u_n u_t1 u_t2\n0 ") == 0);
    std::istringstream line(text.substr(text.find('\n') + 3));
    for (const double expected : {1.0, report->reactions[1], report->reactions[2]}) {
        double value = 0.0;
        line >> value;
        CHECK(value == expected);  // 17 digits bring every bit back
    }
    REQUIRE(write_convergence(out, history).ok());
    CHECK(text_of(out).find("sweep,residual\n0,") == 0);

    const auto unknown = solve_problem_file(kData / "sliding_particle.dat", "magic", settings);
    REQUIRE_FALSE(unknown.ok());
    CHECK(unknown.error().find("known are prox_gs, prox_jacobi, pgs") != std::string::npos);
    settings.tolerance = -1.0;
    CHECK_FALSE(solve_problem_file(kData / "sliding_particle.dat", "prox_gs", settings).ok());
    CHECK_FALSE(write_reactions("/no/such/folder/out.txt", *report).ok());
}

TEST_CASE("recorded problems of other simulators are solved") {
    if (!std::filesystem::exists(kRecorded)) {
        MESSAGE("skipped: no recorded problems beside the source tree");
        return;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(kRecorded))
        if (entry.path().extension() == ".dat") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        CAPTURE(file.filename().string());
        // A stack of boxes with redundant contacts: Gauss-Seidel needs far more sweeps than a test may take.
        const bool slow = file.filename().string().starts_with("BoxesStack");
        SolveSettings settings;
        settings.iterations = 2000;
        settings.tolerance = slow ? 1e-4 : 1e-6;
        const auto report = solve_problem_file(file, "prox_gs", settings);
        REQUIRE_MESSAGE(report.ok(), report.error());
        const auto problem = read_problem(file);
        REQUIRE(problem.ok());
        CHECK(report->solve.stop == StopReason::tolerance);
        CHECK(measure_e(*problem, report->reactions) <= settings.tolerance * (1.0 + 1e-6));
        CHECK(report->bipotential == doctest::Approx(measure_e(*problem, report->reactions)).epsilon(1e-6));
    }
}
