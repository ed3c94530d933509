// SPDX-License-Identifier: MIT
// Contact problems taken out of a running world: what they hold, that taking them disturbs nothing, and their
// files, whole and broken.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>

#include "engine/core/atomic_file.h"
#include "physics/contact/delassus_file.h"
#include "physics/contact/dump_file.h"
#include "physics/contact/problem_file.h"
#include "samples/scenes/scenes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A built-in scene after some steps.
void run(PhysicsWorld& world, const char* name, int steps) {
    const SceneDesc scene = samples::make_scene(name).value();
    REQUIRE(instantiate(scene, world).ok());
    for (int i = 0; i < steps; ++i) REQUIRE(world.step(kDt).ok());
}

ContactDump dump_of(const char* name, int steps) {
    PhysicsWorld world;
    run(world, name, steps);
    Result<ContactDump> dump = world.capture(kDt);
    REQUIRE_MESSAGE(dump.ok(), dump.error());
    dump->source = std::string(name) + ", step " + std::to_string(steps + 1);
    return dump.value();
}

bool same(const ContactDump& a, const ContactDump& b) { return format_dump(a) == format_dump(b); }

void check_refused(const std::string& bytes, const std::string& part) {
    const Result<ContactDump> read = parse_dump(bytes, "broken.pxc");
    REQUIRE_FALSE(read.ok());
    CAPTURE(read.error());
    CHECK(read.error().starts_with("broken.pxc: "));
    CHECK(read.error().find(part) != std::string::npos);
    CHECK(read.error().back() == '.');
}

}  // namespace

TEST_CASE("the problem of a box on the ground is the one that a pen and paper give") {
    TestWorld w;
    w.floor();
    TestWorld::Options options;
    options.position = {0.0f, 0.5f, 0.0f};
    const Entity box = w.body(TestWorld::box(Vec3(0.5f)), options);
    const float mass = 1000.0f;
    REQUIRE(w.world.step(kDt).ok());
    const Vec3 speed = w.world.registry().get<Velocity>(box).linear;
    const Result<ContactDump> captured = w.world.capture(kDt);
    REQUIRE_MESSAGE(captured.ok(), captured.error());
    const ContactDump& dump = captured.value();

    CHECK(dump.dt == kDt);
    REQUIRE(dump.contacts.size() == 4);
    REQUIRE(dump.groups.size() == 1);
    REQUIRE(dump.velocity.size() == 2);
    CHECK(dump.inverse_mass[0].mass == 0.0f);
    CHECK(dump.inverse_mass[1].mass == doctest::Approx(1.0f / mass));
    CHECK(dump.velocity[1].linear.y == doctest::Approx(speed.y - kG * kDt));
    float load = 0.0f;
    for (const Contact& c : dump.contacts) {
        CHECK(std::abs(c.normal.y) == doctest::Approx(1.0f));
        CHECK(c.compliance == 0.0f);
        CHECK(c.bias >= 0.0f);
        load += c.lambda.x;
    }
    // Warm impulses of a sub-step, scaled to the whole step, hold the box up.
    CHECK(load == doctest::Approx(mass * kG * kDt).epsilon(0.05));

    const DelassusProblem matrix = to_matrix(dump).value();
    // Four corners of a cube: sum of all W_nn = n^2 / m, since the turns cancel.
    double sum = 0.0;
    for (const Block3& block : matrix.block) sum += block.m[0][0];
    CHECK(sum == doctest::Approx(16.0 / double(mass)).epsilon(1e-5));
    for (uint32_t i = 0; i < 4; ++i)
        CHECK(matrix.q[3 * i] ==
              doctest::Approx(double(speed.y - kG * kDt) + double(dump.contacts[i].bias)).epsilon(1e-4));
}

TEST_CASE("an open gap enters a captured problem as gap over step, and an overlap as nothing") {
    TestWorld w;
    w.floor();
    TestWorld::Options options;
    options.position = {0.0f, 0.51f, 0.0f};
    w.body(TestWorld::box(Vec3(0.5f)), options);
    options.position = {5.0f, 0.49f, 0.0f};
    w.body(TestWorld::box(Vec3(0.5f)), options);
    const ContactDump dump = w.world.capture(kDt).value();
    REQUIRE(dump.contacts.size() == 8);
    int open = 0, overlapping = 0;
    for (const Contact& c : dump.contacts) {
        if (c.bias == 0.0f)
            ++overlapping;
        else if (std::abs(c.bias - 0.01f / kDt) < 1e-3f)
            ++open;
        CHECK(c.lambda == Vec3(0.0f));  // nothing has been stepped
    }
    CHECK(open == 4);
    CHECK(overlapping == 4);
}

TEST_CASE("capturing leaves the future of a world as it was, bit for bit") {
    for (const char* scene : {"heap60", "cards3", "tower5"}) {
        CAPTURE(scene);
        PhysicsWorld plain, watched;
        run(plain, scene, 0);
        run(watched, scene, 0);
        for (int i = 0; i < 90; ++i) {
            if (i % 7 == 0) {
                engine::Snapshot before, after;
                watched.save(before);
                const StepReport report = watched.report();
                REQUIRE(watched.capture(i % 2 ? kDt : 2.0f * kDt).ok());
                watched.save(after);
                REQUIRE(before.bytes == after.bytes);
                CHECK(watched.report().step == report.step);
                CHECK(watched.report().contacts == report.contacts);
            }
            REQUIRE(plain.step(kDt).ok());
            REQUIRE(watched.step(kDt).ok());
            REQUIRE(plain.state_hash() == watched.state_hash());
        }
    }
}

TEST_CASE("a captured problem has the contacts of the next step, also with components of the game's own") {
    struct Score {
        int value = 0;
    };
    PhysicsWorld world;
    world.world().persist<Score>("Score");
    run(world, "heap60", 50);
    world.registry().emplace<Score>(world.bodies()[0], Score{3});
    for (int i = 0; i < 10; ++i) {
        const ContactDump dump = world.capture(kDt).value();
        REQUIRE(world.step(kDt).ok());
        CHECK(dump.contacts.size() == world.report().contacts);
        CHECK(dump.contacts.size() > 20);
        CHECK(check(dump).ok());
    }
}

TEST_CASE("sleeping bodies have no problem, and a step that is no time is refused") {
    TestWorld w;
    w.floor();
    TestWorld::Options options;
    options.position = {0.0f, 0.5f, 0.0f};
    w.body(TestWorld::box(Vec3(0.5f)), options);
    for (int i = 0; i < 240; ++i) REQUIRE(w.world.step(kDt).ok());
    REQUIRE(w.world.report().sleeping == 1);
    CHECK(w.world.capture(kDt)->contacts.empty());
    for (const float dt : {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), 1e-45f})
        CHECK_FALSE(w.world.capture(dt).ok());
}

TEST_CASE("a binary dump is read back bit for bit") {
    const ContactDump dump = dump_of("cards3", 20);
    const std::string bytes = format_dump(dump);
    const Result<ContactDump> read = parse_dump(bytes, "cards.pxc");
    REQUIRE_MESSAGE(read.ok(), read.error());
    CHECK(same(read.value(), dump));
    CHECK(read->source == "cards3, step 21");
    CHECK(read->dt == dump.dt);
    REQUIRE(read->contacts.size() == dump.contacts.size());
    CHECK(read->contacts.back().lambda == dump.contacts.back().lambda);
    CHECK(read->contacts.back().arm_b == dump.contacts.back().arm_b);
    CHECK(read->inverse_mass.back().inertia.yz == dump.inverse_mass.back().inertia.yz);
    CHECK(read->groups.back().end == dump.groups.back().end);
}

TEST_CASE("the layout of a binary dump is the one that is written down") {
    ContactDump dump;
    dump.source = "by hand";
    dump.dt = 0.5f;
    dump.inverse_mass.resize(2);
    dump.velocity.resize(2);
    dump.inverse_mass[1].mass = 2.0f;
    dump.velocity[1].angular.z = -1.0f;
    Contact c;
    c.a = 0;
    c.b = 1;
    c.normal = {0.0f, 1.0f, 0.0f};
    c.tangent1 = {1.0f, 0.0f, 0.0f};
    c.tangent2 = {0.0f, 0.0f, 1.0f};
    c.friction = 0.25f;
    dump.contacts = {c};
    dump.groups = {{0, 1}};
    dump.kinds = {{RowKind::bilateral, {0.0f, -0.125f}}};
    const std::string bytes = format_dump(dump);
    const auto word = [&](size_t at) {
        uint32_t value = 0;
        for (size_t k = 0; k < 4; ++k) value |= uint32_t(static_cast<unsigned char>(bytes[at + k])) << (8 * k);
        return value;
    };
    CHECK(bytes.substr(0, 8) == "PXCDUMP\n");
    CHECK(word(8) == 2);
    const size_t text = word(12);
    CHECK(text % 4 == 0);
    CHECK(bytes.substr(56, 16) == "source: by hand\n");
    CHECK(word(16) == 2);
    CHECK(word(20) == 1);
    CHECK(word(24) == 1);
    CHECK(word(32) == 26);
    CHECK(word(40) == 0x3F000000u);  // 0.5f
    const size_t records = 56 + text;
    CHECK(bytes.size() == records + 4 * (2 * 13 + 26 + 2));
    CHECK(word(records + 4 * 13) == 0x40000000u);             // 2.0f, inverse mass of the second body
    CHECK(word(records + 4 * (13 + 12)) == 0xBF800000u);      // -1.0f, its last velocity
    CHECK(word(records + 4 * (26 + 1)) == 1);                 // b of the contact
    CHECK(word(records + 4 * (26 + 2 + 15)) == 0x3E800000u);  // 0.25f, its friction
    CHECK(word(records + 4 * (26 + 23)) == 1);                // its kind: bilateral
    CHECK(word(records + 4 * (26 + 25)) == 0xBE000000u);      // -0.125f, its second tangential bias
    CHECK(word(records + 4 * (26 + 26 + 1)) == 1);            // end of the group
}

TEST_CASE("a dump of version 1, which knew contacts only, is read as it was") {
    const Result<ContactDump> read =
        read_dump(std::filesystem::path(PROXIMA_SOURCE_DIR) / "tests" / "data" / "dumps" / "version1.pxc");
    REQUIRE_MESSAGE(read.ok(), read.error());
    CHECK(read->source == "a box on a slope, written by version 1");
    CHECK(read->dt == 0.0625f);
    REQUIRE(read->velocity.size() == 2);
    CHECK(read->inverse_mass[1].mass == 0.5f);
    CHECK(read->inverse_mass[1].inertia.yz == -0.125f);
    CHECK(read->velocity[1].angular == Vec3(0.0f, 0.5f, -0.75f));
    REQUIRE(read->contacts.size() == 2);
    CHECK(read->contacts[0].compliance == 0.0625f);
    CHECK(read->contacts[1].arm_b == Vec3(0.5f, -0.5f, 0.0f));
    CHECK(read->contacts[1].friction == 0.75f);
    CHECK(read->contacts[1].bias == 0.125f);
    CHECK(read->contacts[1].lambda == Vec3(2.0f, 0.25f, -0.125f));
    CHECK(read->groups.back().end == 2);
    CHECK(read->kinds.empty());
    // Written again it is of the present version, and the same problem.
    const Result<ContactDump> again = parse_dump(format_dump(read.value()), "again.pxc");
    REQUIRE_MESSAGE(again.ok(), again.error());
    CHECK(same(again.value(), read.value()));
    CHECK(to_matrix(again.value())->q == to_matrix(read.value())->q);
}

TEST_CASE("joints in a dump keep their kind and their three biases, and become a matrix with them") {
    const TemporaryFolder folder;
    ContactDump dump = dump_of("tower2", 5);
    const size_t n = dump.contacts.size();
    dump.kinds.resize(n);
    dump.kinds[1] = {RowKind::bilateral, {0.5f, -0.25f}};
    dump.contacts[1].bias = 0.125f;
    const Result<ContactDump> read = parse_dump(format_dump(dump), "joints.pxc");
    REQUIRE_MESSAGE(read.ok(), read.error());
    CHECK(same(read.value(), dump));
    REQUIRE(read->kinds.size() == n);
    CHECK(read->kinds[1].kind == RowKind::bilateral);
    CHECK(read->kinds[1].tangent_bias[1] == -0.25f);

    ContactDump plain = dump;
    plain.kinds.clear();
    plain.contacts[1].bias = 0.0f;
    const DelassusProblem with = to_matrix(dump).value(), without = to_matrix(plain).value();
    REQUIRE(with.kinds.size() == n);
    CHECK(with.kinds[0] == RowKind::contact);
    CHECK(with.kinds[1] == RowKind::bilateral);
    CHECK(without.kinds.empty());
    CHECK(with.q[3] - without.q[3] == doctest::Approx(0.125));
    CHECK(with.q[4] - without.q[4] == doctest::Approx(0.5));
    CHECK(with.q[5] - without.q[5] == doctest::Approx(-0.25));
    CHECK(with.q[0] == without.q[0]);

    REQUIRE(write_dump(folder.path / "joints.pxc", dump).ok());
    SolveSettings settings;
    settings.iterations = 20000;
    settings.tolerance = 1e-9;
    const ProblemReport solved = solve_problem_file(folder.path / "joints.pxc", "nncg", settings).value();
    CHECK(solved.bilateral == 1);
    CHECK(solved.solve.stop == StopReason::tolerance);
    CHECK(solved.bilateral_error < 1e-7);
    const ProblemReport refused = solve_problem_file(folder.path / "joints.pxc", "lemke", settings).value();
    CHECK(refused.solve.stop == StopReason::failed);
    CHECK(refused.solve.note.find("bilateral") != std::string_view::npos);

    // The text form knows contacts only, and says so.
    const Result<void> text = write_dump(folder.path / "joints.dat", dump);
    REQUIRE_FALSE(text.ok());
    CHECK(text.error().find("bilateral") != std::string::npos);
    CHECK(text.error().find("'joints.pxc'") != std::string::npos);
    CHECK_FALSE(write_problem(folder.path / "matrix.dat", with, MatrixStorage::sparse).ok());
    CHECK_FALSE(std::filesystem::exists(folder.path / "matrix.dat"));
    CHECK(write_problem(folder.path / "matrix.dat", without, MatrixStorage::sparse).ok());
}

TEST_CASE("broken binary dumps are refused with a sentence") {
    const std::string good = format_dump(dump_of("tower2", 5));
    REQUIRE(parse_dump(good, "good.pxc").ok());
    check_refused("", "not a dump");
    check_refused("3\n1\n0\n", "not a dump");
    check_refused(good.substr(0, 30), "ends after 30 bytes");
    check_refused(good.substr(0, good.size() - 1), "cut short");
    check_refused(good.substr(0, 200), "cut short");
    check_refused(good + "x", "something behind");
    std::string other = good;
    other[8] = 9;
    check_refused(other, "version 9");
    other = good;
    other[28] = 7;
    check_refused(other, "7, 26 and 2 words");
    other = good;
    other[8] = 1;  // the records of version 1 were shorter
    check_refused(other, "version 1 has 13, 23 and 2");
    other = good;
    other[16] = other[17] = other[18] = other[19] = '\xFF';  // four thousand million bodies
    check_refused(other, "cut short");
    // Any bit of the rest: the checksum, or a size.
    for (size_t at = 40; at < good.size(); at += 13) {
        other = good;
        other[at] = char(other[at] ^ 4);
        CHECK_FALSE(parse_dump(other, "damaged.pxc").ok());
    }
}

TEST_CASE("dumps of nonsense are refused though their checksum is right") {
    const ContactDump good = dump_of("tower2", 5);
    const auto refuse = [&](const std::string& part, auto&& spoil) {
        ContactDump bad = good;
        spoil(bad);
        check_refused(format_dump(bad), part);
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    refuse("names body 77", [](ContactDump& d) { d.contacts[1].b = 77; });
    refuse("one body on both sides", [](ContactDump& d) { d.contacts[1].b = d.contacts[1].a; });
    refuse("Contact 2 holds a value", [&](ContactDump& d) { d.contacts[2].bias = nan; });
    refuse("negative coefficient", [](ContactDump& d) { d.contacts[0].friction = -0.1f; });
    refuse("coefficient", [](ContactDump& d) { d.contacts[0].friction = -1e-30f; });
    refuse("negative compliance", [](ContactDump& d) { d.contacts[0].compliance = -1.0f; });
    refuse("right angles", [](ContactDump& d) { d.contacts[0].tangent2 = d.contacts[0].tangent1; });
    refuse("Body 1 holds a value", [&](ContactDump& d) { d.velocity[1].linear.x = nan; });
    refuse("negative inverse mass", [](ContactDump& d) { d.inverse_mass[1].mass = -1.0f; });
    refuse("without gaps", [](ContactDump& d) { d.groups[0].begin = 1; });
    refuse("groups hold", [](ContactDump& d) { d.groups.pop_back(); });
    refuse("time step", [](ContactDump& d) { d.dt = 0.0f; });
    const auto kinds = [](ContactDump& d) { d.kinds.resize(d.contacts.size()); };
    refuse("Contact 2 is of kind 7", [&](ContactDump& d) { kinds(d), d.kinds[2].kind = RowKind(7); });
    refuse("tangential bias, which only", [&](ContactDump& d) { kinds(d), d.kinds[0].tangent_bias[1] = 1.0f; });
    refuse("tangential bias that is not", [&](ContactDump& d) {
        kinds(d);
        d.kinds[1] = {RowKind::bilateral, {nan, 0.0f}};
    });
    ContactDump mismatched = good;
    mismatched.kinds.resize(1);
    const TemporaryFolder folder;
    const Result<void> written = write_dump(folder.path / "mismatched.pxc", mismatched);
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().find("the kinds of 1") != std::string::npos);
}

TEST_CASE("text and binary files of one problem have the same answer") {
    const TemporaryFolder folder;
    const ContactDump dump = dump_of("droparch15", 60);
    const auto text = folder.path / "arch.dat", binary = folder.path / "arch.pxc";
    REQUIRE(write_dump(text, dump).ok());
    REQUIRE(write_dump(binary, dump).ok());
    CHECK(std::filesystem::file_size(binary) < std::filesystem::file_size(text) / 4);
    const DelassusProblem a = load_problem(text).value(), b = load_problem(binary).value();
    REQUIRE(a.size() == dump.contacts.size());
    CHECK(a.q == b.q);
    CHECK(a.mu == b.mu);
    REQUIRE(a.block.size() == b.block.size());
    CHECK(std::memcmp(a.block.data(), b.block.data(), a.block.size() * sizeof(Block3)) == 0);
    SolveSettings settings;
    settings.iterations = 5000;
    settings.tolerance = 1e-8;
    const ProblemReport report = solve_problem_file(binary, "newton_cone", settings).value();
    CHECK(report.problem == "arch.pxc");
    CHECK(report.contacts == dump.contacts.size());
    CHECK(report.bipotential <= 1e-8);
}

TEST_CASE("files that cannot hold a problem are refused and say which can") {
    const TemporaryFolder folder;
    ContactDump dump = dump_of("tower2", 5);
    CHECK(dump_form("x.pxc").value() == DumpForm::binary);
    CHECK(dump_form("x.dat").value() == DumpForm::text);
    CHECK(dump_form("x.json").error().find(".pxc") != std::string::npos);
    CHECK(write_dump(folder.path / "problem", dump).error().find(".pxc") != std::string::npos);
    dump.contacts[0].compliance = 1e-3f;
    CHECK(write_dump(folder.path / "soft.dat", dump).error().find("'soft.pxc'") != std::string::npos);
    REQUIRE(write_dump(folder.path / "soft.pxc", dump).ok());
    CHECK(load_problem(folder.path / "soft.pxc")->compliance[0] == double(1e-3f));

    // A plate with a thousand contacts: a million blocks.
    const Contact c = dump.contacts[1];
    dump.contacts.assign(1000, c);
    dump.groups.assign(1, {0, 1000});
    REQUIRE(check(dump).ok());
    CHECK(count_blocks(dump) >= 1000000);
    CHECK(write_dump(folder.path / "plate.dat", dump).error().find("'plate.pxc'") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path / "plate.dat"));
    dump.contacts.assign(5000, c);
    dump.groups.assign(1, {0, 5000});
    REQUIRE(write_dump(folder.path / "plate.pxc", dump).ok());
    CHECK(load_problem(folder.path / "plate.pxc").error().find("5000 contacts") != std::string::npos);
    // A text under a binary's name is told as what it is.
    REQUIRE(write_file((folder.path / "text.pxc").string(), "3\n1\n0\n").ok());
    CHECK(load_problem(folder.path / "text.pxc").error().find("not a dump") != std::string::npos);
}

TEST_CASE("an empty problem is a problem, and its answer is empty") {
    const TemporaryFolder folder;
    ContactDump dump;
    dump.dt = kDt;
    REQUIRE(check(dump).ok());
    for (const char* file : {"empty.pxc", "empty.dat"}) {
        CAPTURE(file);
        REQUIRE(write_dump(folder.path / file, dump).ok());
        for (const char* solver : {"prox_gs", "newton_cone", "lemke", "staggered"}) {
            const Result<ProblemReport> report = solve_problem_file(folder.path / file, solver, {});
            REQUIRE_MESSAGE(report.ok(), report.error());
            CHECK(report->contacts == 0);
            CHECK(report->reactions.empty());
            CHECK(report->bipotential == 0.0);
        }
    }
}
