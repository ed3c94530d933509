// SPDX-License-Identifier: MIT
// `proxima bench` as a person meets it: what it prints and refuses, and what it leaves on the disk.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "engine/core/atomic_file.h"

#if !defined(_WIN32)
#include "tests/support/run_tool.h"

using namespace proxima;
using namespace proxima::test;

namespace {

size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("a quick benchmark of a small wall leaves tables and plots") {
    const TemporaryFolder folder;
    const std::string out = folder.file("new");
    const std::string arguments =
        "bench scenes --scenes pyramid10 --peers bullet --threads 1 --quick --repeats 2 --steps 20 --out \"" + out +
        "\"";
    const Output printed = run_tool(arguments, "out");
    REQUIRE(printed.exit_code == 0);
    CHECK(contains(printed.text, "processor:"));
    CHECK(contains(printed.text, "pyramid10     1 proxima"));
    CHECK(contains(printed.text, "pyramid10     1 bullet"));
    CHECK(contains(printed.text, "of bullet"));
    CHECK_FALSE(contains(printed.text, "warning"));

    const Result<std::string> csv = read_file(out + "/scenes.csv");
    REQUIRE_MESSAGE(csv.ok(), csv.error());
    CHECK(csv->starts_with("# date: "));
    CHECK(contains(csv.value(), "# command: "));
    CHECK(contains(csv.value(), "\nproxima,pyramid10,1,off,55,2,"));
    CHECK(contains(csv.value(), "\nbullet,pyramid10,1,off,55,2,"));
    for (const char* file : {"scenes.json", "scenes_fall_1t.svg", "scenes_settled_1t.svg", "scenes_pyramid10_1t.svg",
                             "scenes_stages_1t.svg"}) {
        const Result<std::string> text = read_file(out + "/" + file);
        CHECK_MESSAGE((text.ok() && text->size() > 500), file);
    }
}

TEST_CASE("laws in another engine are a table, with reasons for what is not tried") {
    const Output printed = run_tool("laws free_fall finer_steps --tries 2 --peers bullet --all", "out");
    REQUIRE(printed.exit_code == 0);
    CHECK(contains(printed.text, "proxima       bullet"));
    CHECK(contains(printed.text, "2 of 2"));
    CHECK(contains(printed.text, "m too far"));
    CHECK(contains(printed.text, "finer_steps, bullet: It changes settings of Proxima."));
    const Output json = run_tool("laws free_fall --tries 2 --peers bullet --json", "out");
    CHECK(json.text.substr(0, 1) == "{");
    CHECK(contains(json.text, "\"bullet\""));
    CHECK(contains(json.text, "\"settings\""));
    check_refused("laws --peers bulet", "'bullet'");
    check_refused("laws --peers bullet --device gpu", "--device");
}

TEST_CASE("every finished run of a benchmark is a line of progress") {
    const Output output =
        run_tool("bench scenes --scenes tower1,tower2 --peers none --threads 1,2 --repeats 2 --steps 5");
    CHECK(output.exit_code == 0);
    CHECK(count(output.text, "\n") == 8);
    CHECK(contains(output.text, "[8/8] repeat 2, tower2, 2 threads, proxima: fall "));
}

TEST_CASE("a benchmark of nonsense is refused before it starts") {
    check_refused("bench scenes --scenes pyramd60", "'pyramid60'");
    check_refused("bench scenes --peers bulet", "'bullet'");
    check_refused("bench scenes --repeats 0", "--repeats is 0");
    check_refused("bench scenes --steps 0", "--steps is 0");
    check_refused("bench scenes --threads 0", "--threads holds '0'");
    check_refused("bench scenes --scenes incline20 --peers bullet", "half");
    check_refused("bench scenes --out /proc/nothing", "--out is '/proc/nothing'");
    check_refused("bench broadphase --crowds sttic", "'static'");
    check_refused("bench broadphase --sizes 0", "--sizes holds '0'");
    check_refused("bench broadphase --repeats 0", "--repeats is 0");
    check_refused("bench rollback --sizes 0", "--sizes holds '0'");
    check_refused("bench rollback --repeats 0", "--repeats is 0");
    check_refused("bench growth --family tower", "'heap'");
    check_refused("bench growth --sizes 1000000", "--sizes holds '1000000'");
    check_refused("bench solvers --solver prox_sg", "'prox_gs'");
    check_refused("bench solvers --solver ,", "--solver");
    check_refused("bench solvers --time-limit -1", "--time-limit");
    check_refused("bench solvers --time-limit nan", "--time-limit");
    check_refused("bench solvers --out /proc/nothing", "--out is '/proc/nothing'");
    check_refused("bench one missing.json result.json", "missing.json");
    check_refused("bench sceens", "'scenes'", 2);
    check_refused("bench", "subcommand", 2);
}

TEST_CASE("the rollback benchmark leaves tables, and says that worlds came back exactly") {
    const TemporaryFolder folder;
    const std::string out = folder.file("");
    const Output rollback = run_tool("bench rollback --quick --sizes 60 --out \"" + out + "\"", "out");
    REQUIRE(rollback.exit_code == 0);
    CHECK(contains(rollback.text, "yes"));
    CHECK_FALSE(contains(rollback.text, "NO"));
    CHECK(read_file(out + "/rollback.csv").ok());
    const auto json = read_file(out + "/rollback.json");
    REQUIRE(json.ok());
    CHECK(contains(json.value(), "\"full_bytes\""));
}

TEST_CASE("the broadphase and growth benchmarks leave tables and plots") {
    const TemporaryFolder folder;
    const std::string out = folder.file("");
    const Output broadphase =
        run_tool("bench broadphase --quick --crowds moving --sizes 100,200 --out \"" + out + "\"", "out");
    REQUIRE(broadphase.exit_code == 0);
    CHECK(contains(broadphase.text, "All found the same number of pairs."));
    CHECK(read_file(out + "/broadphase.csv").ok());
    CHECK(read_file(out + "/broadphase_moving.svg").ok());
    const Output growth =
        run_tool("bench growth --sizes 10,20 --steps 8 --repeats 1 --threads 1 --out \"" + out + "\"", "out");
    REQUIRE(growth.exit_code == 0);
    CHECK(contains(growth.text, "near-linear"));
    CHECK(read_file(out + "/growth.csv").ok());
    CHECK(read_file(out + "/growth_settled.svg").ok());
    CHECK(read_file(out + "/growth_stages_1t.svg").ok());
}

TEST_CASE("a quick benchmark of solvers leaves every solve, profiles and plots") {
    const TemporaryFolder folder;
    const std::string out = folder.file("out"), problems = folder.file("problems");
    std::filesystem::create_directories(problems);
    REQUIRE(run_tool("run tower2 --steps 5 --quiet --dump-frame 5 --dump \"" + problems + "/two.pxc\"").exit_code == 0);
    const Output printed = run_tool("bench solvers --quick --solver nncg,newton_cone,pgs,lemke --problems \"" +
                                        problems + "\" --out \"" + out + "\"",
                                    "out");
    REQUIRE(printed.exit_code == 0);
    CHECK(contains(printed.text, "processor:"));
    CHECK(contains(printed.text, "e <= 1e-2, solvers of the exact Coulomb law"));
    CHECK(contains(printed.text, "e <= 1e-8, all solvers"));
    const Result<std::string> csv = read_file(out + "/solvers.csv");
    REQUIRE_MESSAGE(csv.ok(), csv.error());
    for (const char* part : {"\nmass100 @30,scene,100,24,nncg,conjugate,ncp,1e-8,", "\ntwo.pxc,file,,8,lemke,"})
        CHECK_MESSAGE(contains(csv.value(), part), part);
    CHECK(contains(read_file(out + "/profiles.csv").value(), "\nexact,1e-4,newton_cone,"));
    CHECK_FALSE(contains(read_file(out + "/profiles.csv").value(), "\nexact,1e-4,pgs,"));
    for (const char* law : {"exact", "own"})
        for (const char* tolerance : {"1e-2", "1e-4", "1e-8"}) {
            const std::string file = std::string("/profile_") + law + "_" + tolerance + ".svg";
            const Result<std::string> svg = read_file(out + file);
            CHECK_MESSAGE((svg.ok() && contains(svg.value(), "share of problems solved")), file);
        }
    check_refused("bench solvers --quick --problems \"" + folder.file("nothing") + "\"", "nothing");
}

#endif
