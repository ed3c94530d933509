// SPDX-License-Identifier: MIT
// The program `proxima` as a person meets it: what it prints, what it refuses, and what it leaves on the disk.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/atomic_file.h"
#include "samples/scenes/scenes.h"

#if !defined(_WIN32)
#include "tests/support/run_tool.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A scene file of a small tower with a piece of text replaced.
std::string tower_with(const std::string& from, const std::string& to) {
    std::string text = physics::write_scene(samples::make_scene("tower1").value());
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("help and version are shown and succeed") {
    CHECK(contains(run_tool("--help", "out").text, "run"));
    CHECK(run_tool("--help", "out").exit_code == 0);
    CHECK(contains(run_tool("--version", "out").text, "proxima "));
    CHECK(run_tool("run --help", "out").exit_code == 0);
}

TEST_CASE("the list names scenes and solvers") {
    const Output text = run_tool("list", "out");
    CHECK(text.exit_code == 0);
    CHECK(contains(text.text, "pyramidN"));
    CHECK(contains(text.text, "prox_gs"));
    const Output json = run_tool("list --json", "out");
    CHECK(contains(json.text, "\"name\": \"pile4096\""));
    CHECK(contains(json.text, "\"devices\""));
}

TEST_CASE("unknown commands and flags are bad usage") {
    check_refused("", "subcommand", 2);
    check_refused("rnu", "'run'", 2);
    check_refused("run tower1 --stepps 3", "--stepps", 2);
    check_refused("run tower1 --steps many", "many", 2);
    check_refused("run tower1 --sleep maybe", "maybe", 2);
    check_refused("run", "SCENE", 2);
}

TEST_CASE("unknown scenes, solvers and devices are refused with a suggestion") {
    check_refused("run pyramd20", "'pyramid20'");
    check_refused("run tower1 --solver prox_sg", "'prox_gs'");
    check_refused("solve nothing.dat --solver pgss", "'pgs'");
    check_refused("run tower1 --device tpu", "--device cpu");
}

TEST_CASE("a run on a gpu reports like one on the cpu, whether or not there is a gpu") {
    const TemporaryFolder folder;
    const std::string report = folder.file("report.json");
    const Output out = run_tool("run tower3 --steps 20 --device gpu --report " + report, "out");
    CHECK(out.exit_code == 0);
    CHECK(contains(out.text, "stands         yes"));
    const std::string json = read_file(report).value();
    // Either the device and what it cost, or the cpu and why.
    CHECK(contains(json, "\"device\": \"cpu\"") == contains(json, "The cpu computes instead."));
    CHECK(contains(json, "\"device\": \"cpu\"") != contains(json, "\"device_cost\""));
    check_refused("run tower3 --device gpu --record x.rec", "--record");
}

TEST_CASE("numbers that make no sense are refused") {
    check_refused("run tower1 --dt 0", "--dt");
    check_refused("run tower1 --dt nan", "--dt");
    check_refused("run tower1 --dt -0.01", "--dt");
    check_refused("run tower1 --steps 0", "--steps");
    check_refused("run tower1 --substeps 0", "--substeps");
    check_refused("run tower1 --threads 0", "--threads");
    check_refused("run tower1 --tolerance nan", "--tolerance");
}

TEST_CASE("broken scene files are refused with their place") {
    const TemporaryFolder folder;
    const std::string file = folder.file("scene.json");
    const auto refuse = [&](const std::string& text, const std::string& part) {
        REQUIRE(write_file(file, text).ok());
        check_refused("run \"" + file + "\"", part);
    };
    check_refused("run \"" + folder.file("missing.json") + "\"", "missing.json");
    refuse("{\n  \"version\": 1,,\n}\n", "scene.json:2:16");
    refuse(tower_with("{\"position\"", "{\"mass\": NaN, \"position\""), "not valid JSON");
    refuse(tower_with("{\"position\"", "{\"mass\": null, \"position\""),
           "bodies[1].mass must be a number, but is null");
    refuse(tower_with("{\"shape\": 1", "{\"shape\": 1, \"scale\": [0, 0, 0]"), "bodies[1].colliders[0].scale");
    refuse(tower_with("\"bodies\"", "\"bodys\""), "\"bodies\"");
}

TEST_CASE("a report that cannot be written is refused before the run starts") {
    // pile4096 would run for a long time: the refusal comes at once or the test times out.
    check_refused("run pile4096 --steps 1000000 --report /no/such/folder/report.json", "/no/such/folder");
    check_refused("run pile4096 --steps 1000000 --record /no/such/folder/run.rec", "/no/such/folder");
    check_refused("run pile4096 --steps 1000000 --trace /no/such/folder/trace.json", "/no/such/folder");
    check_refused("run pile4096 --steps 1000000 --report /", "folder");
}

TEST_CASE("a run leaves a report with what a program needs, and nothing else") {
    const TemporaryFolder folder;
    const std::string report = folder.file("report.json");
    const Output output = run_tool("run tower3 --steps 30 --report \"" + report + "\"", "out");
    CHECK(output.exit_code == 0);
    CHECK(contains(output.text, "tower3"));
    CHECK(folder.files() == 1);
    const std::string json = read_file(report).value();
    for (const char* key : {"scene",
                            "solver",
                            "device",
                            "threads",
                            "steps",
                            "bodies",
                            "contacts",
                            "hash",
                            "time_ms",
                            "stages_ms",
                            "residual",
                            "end_residual",
                            "sag",
                            "steps_with_contacts",
                            "failed_solvers",
                            "penetration",
                            "kinetic_energy",
                            "displacement",
                            "drift",
                            "memory",
                            "stands",
                            "sleeping",
                            "warnings"})
        CHECK_MESSAGE(contains(json, std::string("\"") + key + "\":"), key);
    CHECK(contains(json, "\"steps\": 30"));
    CHECK(contains(json, "\"bodies\": 3"));
    CHECK(run_tool("run tower3 --steps 5 --quiet", "out").text.empty());
}

TEST_CASE("a run says once that its solver fails, and loses nothing") {
    const Output output = run_tool("run pyramid20 --steps 20 --solver bpp", "out");
    CHECK(output.exit_code == 0);
    CHECK(contains(output.text, "step 1, entity "));
    CHECK(contains(output.text, "The solver 'bpp' failed in the island of this body"));
    CHECK(contains(output.text, "(19 more times)"));
    CHECK_FALSE(contains(output.text, "lost"));
}

TEST_CASE("means of a run are over the steps that had contacts, and measuring changes nothing else") {
    const Output all = run_tool("run drop3 --steps 60", "out"),
                 one = run_tool("run drop3 --steps 60 --measure one", "out");
    CHECK(all.exit_code == 0);
    CHECK(contains(all.text, "steps with contacts)"));
    const auto hash = [](const std::string& text) { return text.substr(text.find("hash ")); };
    CHECK(hash(all.text) == hash(one.text));
    check_refused("run drop3 --measure some", "some", 2);
}

TEST_CASE("a recorded run can be made again on more threads") {
    const TemporaryFolder folder;
    const std::string recording = folder.file("run.rec");
    CHECK(run_tool("run card_house --steps 40 --quiet --record \"" + recording + "\"").exit_code == 0);
    const Output replayed = run_tool("replay \"" + recording + "\" --threads 2", "out");
    CHECK(replayed.exit_code == 0);
    CHECK(contains(replayed.text, "40 steps, all equal"));
    check_refused("replay \"" + folder.file("missing.rec") + "\"", "missing.rec");
}

TEST_CASE("the churning scene keeps bodies coming while it runs, and cannot be recorded") {
    const Output output = run_tool("run churn --steps 90", "out");
    CHECK(output.exit_code == 0);
    CHECK(contains(output.text, "churn, 300 bodies that move, 5 that do not"));
    CHECK(contains(output.text, "of the world"));
    const TemporaryFolder folder;
    check_refused("run churn --steps 5 --record \"" + folder.file("run.rec") + "\"", "--record");
    CHECK(folder.files() == 0);
}

TEST_CASE("a scene file runs like the built-in scene it was written from") {
    const TemporaryFolder folder;
    const std::string file = folder.file("arch.json");
    REQUIRE(physics::save_scene(samples::make_scene("arch").value(), file).ok());
    const auto hash_of = [&](const std::string& scene) {
        const Output output = run_tool("run \"" + scene + "\" --steps 20", "out");
        CHECK(output.exit_code == 0);
        const size_t at = output.text.find("hash ");
        REQUIRE(at != std::string::npos);
        return output.text.substr(at);
    };
    CHECK(hash_of(file) == hash_of("arch"));
}

TEST_CASE("problem files that make no sense are refused with the line and exit code 1") {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& text, const char* expected) {
        REQUIRE(write_file(folder.file("bad.dat"), text).ok());
        check_refused("solve \"" + folder.file("bad.dat") + "\"", expected);
        check_refused("solve \"" + folder.file("bad.dat") + "\" --all-solvers", expected);
    };
    const std::string head = "3\n1\n0\n3\n3\n3\n3\n", w = "1 0 0\n0 1 0\n0 0 1\n", q = "-1 3 4\n";
    refused(head + "1 0 0\n0.5 1 0\n0 0 1\n" + q + "0.5\n", "line 8: W is not symmetric");
    refused(head + "1 2 0\n2 1 0\n0 0 1\n" + q + "0.5\n", "line 8: W is indefinite");
    refused(head + w + q + "-0.5\n", "line 12: mu of contact 1 is negative");
    refused(head + w + q + "nan\n", "line 12: value of mu number 1 is 'nan'");
    refused(head + w + "-1 3\n", "the file ends where value of q number 3 was expected");
    refused(head + "1 0 0\n0 1,5 0\n", "line 9: expected value of W number 5, found '1,5'");
    refused("", "line 1");
    REQUIRE(write_file(folder.file("good.dat"), head + w + q + "0.5\n").ok());
    const std::string good = "solve \"" + folder.file("good.dat") + "\" ";
    CHECK(run_tool(good, "out").exit_code == 0);
    CHECK(run_tool(good + "--solver nscd --local quartic --order upward --r blocked", "out").exit_code == 0);
    check_refused(good + "--local cubic", "cubic", 2);
    check_refused(good + "--order sideways", "sideways", 2);
    check_refused(good + "--r huge", "huge", 2);
}

TEST_CASE("a folder of problems is solved by all solvers that are named, and answers and curves are left behind") {
    const std::string problems = std::string(PROXIMA_SOURCE_DIR) + "/tests/data/problems";
    const TemporaryFolder folder;
    const Output output = run_tool(
        "solve \"" + problems + "\" --solver prox_gs,pgs --curves --out \"" + folder.file("answers") + "\"", "out");
    CHECK(output.exit_code == 0);
    for (const char* part : {"sliding_particle.dat", "two_masses.dat", "prox_gs", "pgs", "tolerance"})
        CHECK(contains(output.text, part));
    for (const char* file : {"solve.csv", "sliding_particle.svg", "two_masses.svg", "two_masses.prox_gs.txt",
                             "two_masses.pgs.txt", "sliding_particle.prox_gs.txt", "sliding_particle.pgs.txt"})
        CHECK_MESSAGE(std::filesystem::exists(folder.file("answers") + "/" + file), file);
    check_refused("solve \"" + problems + "\" --solver prox_gs,pgss", "'pgs'");
    check_refused("solve \"" + folder.file("") + "\"", "*.dat");
    check_refused("solve \"" + problems + "\" --convergence x.csv", "--curves");
    check_refused("solve \"" + problems + "\" --time-limit -1", "--time-limit");
}

TEST_CASE("the contact problem of a step can be written and solved") {
    const TemporaryFolder folder;
    const std::string binary = folder.file("arch.pxc"), text = folder.file("arch.dat");
    const std::string plain = run_tool("run droparch15 --steps 70", "out").text;
    const Output dumped = run_tool("run droparch15 --steps 70 --dump-frame 60 --dump \"" + binary + "\"", "out");
    CHECK(dumped.exit_code == 0);
    CHECK(contains(dumped.text, " contacts of step 60 are in "));
    // The run goes on as if nothing had happened.
    const auto hash = [](const std::string& report) { return report.substr(report.find("\nhash"), 40); };
    REQUIRE(contains(plain, "\nhash"));
    CHECK(hash(dumped.text) == hash(plain));
    CHECK(run_tool("run droparch15 --steps 70 --quiet --dump-frame 60 --dump \"" + text + "\"").exit_code == 0);
    for (const std::string& file : {binary, text}) {
        const Output solved = run_tool("solve \"" + file + "\" --solver newton_cone --tolerance 1e-7", "out");
        CHECK(solved.exit_code == 0);
        CHECK_MESSAGE(contains(solved.text, "tolerance reached"), solved.text);
    }
    const std::string out = folder.file("out");
    const std::string both = std::filesystem::path(binary).parent_path().string();
    const Output table = run_tool("solve \"" + both + "\" --solver nncg,newton_cone --out \"" + out + "\"", "out");
    CHECK(table.exit_code == 0);
    CHECK(contains(table.text, "arch.dat"));
    CHECK(contains(table.text, "arch.pxc"));
    // Both endings have one stem: neither answer may take the other's place.
    for (const char* file : {"arch.dat.nncg.txt", "arch.pxc.nncg.txt"})
        CHECK_MESSAGE(std::filesystem::exists(out + "/" + file), file);
}

TEST_CASE("dumps that make no sense and broken ones are refused") {
    const TemporaryFolder folder;
    const std::string file = folder.file("tower.pxc");
    check_refused("run pile4096 --dump x.pxc", "--dump-frame");
    check_refused("run pile4096 --dump-frame 0", "--dump-frame is 0");
    check_refused("run pile4096 --dump-frame 1000000", "--dump-frame is 1000000");
    check_refused("run pile4096 --dump-frame 3 --dump x.json", ".pxc");
    check_refused("run pile4096 --dump-frame 3 --dump /no/such/folder/x.pxc", "/no/such/folder");
    check_refused("run spin --steps 3 --dump-frame 2 --dump \"" + file + "\"", "no contact");
    CHECK(folder.files() == 0);
    REQUIRE(run_tool("run tower2 --steps 3 --quiet --dump-frame 2 --dump \"" + file + "\"").exit_code == 0);
    const std::string bytes = read_file(file).value();
    REQUIRE(write_file(file, bytes.substr(0, bytes.size() / 2)).ok());
    check_refused("solve \"" + file + "\"", "cut short");
    std::string damaged = bytes;
    damaged[bytes.size() - 60] ^= 1;
    REQUIRE(write_file(file, damaged).ok());
    check_refused("solve \"" + file + "\"", "checksum");
}

#endif
