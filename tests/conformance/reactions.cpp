// SPDX-License-Identifier: MIT
// Answers on the disk, judged by somebody else: the problem file and the written reactions are read by a
// parser of this file's own, and the law is written out from its definition in plain loops. Nothing of the
// engine's reader, matrix or residual takes part.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "physics/contact/delassus_file.h"
#include "physics/contact/problem_file.h"
#include "tests/conformance/box_stack.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

struct File {
    size_t contacts = 0;
    std::vector<double> w, q, mu;  // w: full, row by row
};

/// The text layout of collections of contact problems, dense and sparse, with nothing but >>.
File read_by_hand(const std::filesystem::path& path) {
    std::ifstream in(path);
    File f;
    size_t dimension = 0, storage = 0, rows = 0, columns = 0, skip = 0;
    in >> dimension >> f.contacts >> storage >> rows >> columns;
    const size_t n = 3 * f.contacts;
    f.w.assign(n * n, 0.0);
    if (storage == 0) {
        in >> skip >> skip;
        for (size_t c = 0; c < n; ++c)
            for (size_t r = 0; r < n; ++r) in >> f.w[r * n + c];
    } else {
        size_t blocks = 0;
        in >> blocks >> skip >> skip;
        for (size_t k = 0; k < 2 * f.contacts; ++k) in >> skip;  // ends of block rows and columns
        in >> skip >> skip;
        std::vector<size_t> start(f.contacts + 1), column(blocks);
        for (size_t& x : start) in >> x;
        for (size_t& x : column) in >> x;
        for (size_t row = 0; row < f.contacts; ++row)
            for (size_t k = start[row]; k < start[row + 1]; ++k) {
                in >> skip;
                for (size_t c = 0; c < 3; ++c)
                    for (size_t r = 0; r < 3; ++r) in >> f.w[(3 * row + r) * n + 3 * column[k] + c];
            }
    }
    f.q.resize(n);
    f.mu.resize(f.contacts);
    for (double& x : f.q) in >> x;
    for (double& x : f.mu) in >> x;
    REQUIRE(bool(in));
    return f;
}

/// Lines "contact r_n r_t1 r_t2 u_n u_t1 u_t2" behind one that starts with #.
std::vector<double> read_reactions(const std::filesystem::path& path, std::vector<double>& velocities) {
    std::ifstream in(path);
    std::string header;
    std::getline(in, header);
    REQUIRE(header.starts_with("#"));
    std::vector<double> r;
    size_t contact = 0;
    double x[6];
    while (in >> contact >> x[0] >> x[1] >> x[2] >> x[3] >> x[4] >> x[5]) {
        r.insert(r.end(), {x[0], x[1], x[2]});
        velocities.insert(velocities.end(), {x[3], x[4], x[5]});
    }
    return r;
}

/// Coulomb's law in the form of De Saxce: K is the cone |r_t| <= mu r_n, u' = W r + q with mu |u_t| added to
/// its normal part, and r answers the law exactly when r is the nearest point of K to r - u'.
double natural_map(const File& f, const std::vector<double>& r) {
    const size_t n = f.q.size();
    double sum = 0.0, free = 0.0;
    for (size_t i = 0; i < f.contacts; ++i) {
        double u[3];
        for (size_t k = 0; k < 3; ++k) {
            u[k] = f.q[3 * i + k];
            free += u[k] * u[k];
            for (size_t c = 0; c < n; ++c) u[k] += f.w[(3 * i + k) * n + c] * r[c];
        }
        const double mu = f.mu[i], slip = std::sqrt(u[1] * u[1] + u[2] * u[2]);
        const double z[3] = {r[3 * i] - u[0] - mu * slip, r[3 * i + 1] - u[1], r[3 * i + 2] - u[2]};
        const double side = std::sqrt(z[1] * z[1] + z[2] * z[2]);
        double nearest[3] = {z[0], z[1], z[2]};  // inside the cone
        if (mu * side <= -z[0]) {                // inside its polar cone
            nearest[0] = nearest[1] = nearest[2] = 0.0;
        } else if (side > mu * z[0]) {  // beside it: on the surface
            const double along = (z[0] + mu * side) / (1.0 + mu * mu);
            nearest[0] = along;
            nearest[1] = mu * along * z[1] / side;
            nearest[2] = mu * along * z[2] / side;
        }
        for (size_t k = 0; k < 3; ++k) sum += (r[3 * i + k] - nearest[k]) * (r[3 * i + k] - nearest[k]);
    }
    return std::sqrt(sum / free);
}

}  // namespace

TEST_CASE("reactions on the disk agree with an evaluation of the law that shares no code") {
    namespace fs = std::filesystem;
    const proxima::test::TemporaryFolder folder;
    std::vector<fs::path> problems;
    for (const auto& entry : fs::directory_iterator(fs::path(PROXIMA_SOURCE_DIR) / "tests" / "data" / "problems"))
        if (entry.path().extension() == ".dat") problems.push_back(entry.path());
    const auto store = [&](const char* name, const DelassusProblem& problem, MatrixStorage storage) {
        problems.push_back(folder.path / name);
        REQUIRE(write_problem(problems.back(), problem, storage).ok());
    };
    store("random.dat", random_problem(6, 77, 0.5).problem(), MatrixStorage::dense);
    store("stack.dat", box_stack({1.0, 2.0, 1.0}, 0.4, 0.2), MatrixStorage::sparse);
    std::sort(problems.begin(), problems.end());
    REQUIRE(problems.size() >= 4);
    for (const fs::path& path : problems) {
        const File file = read_by_hand(path);
        for (const Solver& solver : solver_table()) {
            CAPTURE(path.filename().string());
            CAPTURE(solver.name);
            SolveSettings settings;
            settings.iterations = 100000;
            settings.tolerance = 1e-8;
            const auto report = solve_problem_file(path, solver.name, settings);
            REQUIRE_MESSAGE(report.ok(), report.error());
            const fs::path out = folder.path / "reactions.txt";
            REQUIRE(write_reactions(out, *report).ok());
            std::vector<double> velocities;
            const std::vector<double> r = read_reactions(out, velocities);
            REQUIRE(r.size() == file.q.size());
            const double e = natural_map(file, r);
            CHECK(std::abs(e - report->bipotential) <= 1e-6 * e + 1e-13);
            if (solver.model == Model::ncp) {
                CHECK(report->solve.stop == StopReason::tolerance);
                CHECK(e <= 1.0001e-8);
            }
            for (size_t k = 0; k < r.size(); ++k) {
                double u = file.q[k];
                for (size_t c = 0; c < r.size(); ++c) u += file.w[k * r.size() + c] * r[c];
                CHECK(std::abs(u - velocities[k]) < 1e-12);
            }
        }
    }
}
