// SPDX-License-Identifier: MIT
#include "samples/bench/engines.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "samples/bench/broadphase_suite.h"
#include "samples/bench/crowds.h"
#include "samples/bench/run_one.h"
#include "samples/bench/scene_suite.h"
#include "samples/scenes/scenes.h"

using namespace proxima;
using namespace proxima::bench;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

RunRequest request_for(const std::string& scene, const std::string& engine) {
    RunRequest r;
    r.scene = scene;
    r.engine = engine;
    r.steps = 30;
    r.timed = 20;
    r.settled_from = 15;
    r.judge = true;
    return r;
}

}  // namespace

TEST_CASE("a scene is translated with exact masses") {
    const physics::SceneDesc scene = samples::make_scene("pile4096").value();
    const EngineScene plain = make_engine_scene(scene, 2).value();
    REQUIRE(plain.bodies.size() == scene.bodies.size());
    CHECK(plain.threads == 2);
    CHECK(plain.bodies[0].friction == 0.6f);
    CHECK_FALSE(plain.sleeping);
    CHECK(plain.bodies[0].mass == 0.0);
    CHECK_FALSE(plain.bodies[0].moves);
    const double r = 0.3f, c = 0.2f;
    CHECK(plain.bodies[5].mass == doctest::Approx(125.0));
    CHECK(plain.bodies[6].mass == doctest::Approx(4000.0 / 3.0 * std::numbers::pi * r * r * r));
    CHECK(plain.bodies[7].mass == doctest::Approx(1000.0 * std::numbers::pi * c * c * (0.5 + 4.0 / 3.0 * c)));
    CHECK(plain.bodies[7].position[1] == scene.bodies[7].position.y);
    CHECK(plain.bodies[7].rotation[3] == scene.bodies[7].rotation.w);
    const std::vector<double> masses = body_masses(scene);
    for (size_t i = 0; i < masses.size(); i += 501) CHECK(masses[i] == plain.bodies[i].mass);
}

TEST_CASE("scenes that not every engine can be given are refused with the reason") {
    CHECK(contains(make_engine_scene(samples::make_scene("incline20").value(), 1).error(), "half"));
    physics::SceneDesc scene = samples::make_scene("tower2").value();
    scene.bodies[2].colliders[0].material.friction = 0.1f;
    CHECK(contains(make_engine_scene(scene, 1).error(), "bodies[2]"));
    scene = samples::make_scene("tower2").value();
    scene.bodies[1].colliders.push_back(scene.bodies[1].colliders[0]);
    CHECK(contains(make_engine_scene(scene, 1).error(), "exactly one collider"));
    CHECK(contains(parse_scenes("incline20", {"proxima", "bullet"}).error(), "incline20"));
    CHECK(parse_scenes("incline20", {"proxima"}).ok());
}

TEST_CASE("lists of peers, scenes and threads are checked") {
    CHECK(contains(parse_peers("bulet").error(), "'bullet'"));
    CHECK(contains(parse_peers("").error(), "--peers is empty"));
    CHECK(parse_peers("none")->empty());
    CHECK(contains(parse_scenes("pyramd60", {"proxima"}).error(), "'pyramid60'"));
    CHECK(contains(parse_scenes(" , ", {"proxima"}).error(), "--scenes is empty"));
    CHECK(parse_scenes("tower1, tower2,tower1", {"proxima"}).value() == std::vector<std::string>{"tower1", "tower2"});
    CHECK(parse_scenes("all", {"proxima"})->size() == 13);
    CHECK(parse_threads("1, 2").value() == std::vector<uint32_t>{1, 2});
    for (const char* bad : {"0", "1,x", "-1", "1.5", "257", ""})
        CHECK(contains(parse_threads(bad).error(), "--threads"));
    CHECK(parse_sizes("2000,1000,2000", 5000).value() == std::vector<uint32_t>{1000, 2000});
    for (const char* bad : {"0", "5001", "ten", ""}) CHECK(contains(parse_sizes(bad, 5000).error(), "--sizes"));
    CHECK(contains(parse_crowds("moveing").error(), "'moving'"));
}

TEST_CASE("a peer that is not built in is refused with what to do about it") {
    for (const Peer& peer : peers()) {
        CAPTURE(peer.name);
        const Result<std::vector<std::string>> parsed = parse_peers(std::string(peer.name));
        CHECK(parsed.ok() == (peer.describe != nullptr));
        if (!parsed) CHECK(contains(parsed.error(), std::string(peer.how_to_get)));
        if (!peer.describe) CHECK(contains(make_engine(peer.name, {}, 1).error(), "not in this build"));
    }
}

TEST_CASE("every engine that is built in drops a small tower and says where it is") {
    std::vector<std::string> engines = parse_peers("all").value();
    engines.emplace_back(kProxima);
    for (const std::string& engine : engines) {
        CAPTURE(engine);
        const RunResult run = run_here(request_for("tower3", engine));
        REQUIRE_MESSAGE(run.error.empty(), run.error);
        CHECK(run.step_ms.size() == 30);
        CHECK(run.bodies == 3);
        REQUIRE(run.quality);
        CHECK(run.quality->stands == true);
        CHECK(run.quality->lost == 0);
        CHECK(run.quality->touching_pairs == 3);
        CHECK(run.quality->displacement_max < 0.1);
        CHECK(run.peak_memory_mb > 0.0);
        CHECK(std::isfinite(run.residual_mean) == (engine == kProxima));
        CHECK(run.stages.empty() == (engine != kProxima));
        CHECK(run.hash != 0);
        if (engine != "ode") CHECK(run_here(request_for("tower3", engine)).hash == run.hash);
    }
}

TEST_CASE("requests and results come back from their text as they were") {
    RunRequest request = request_for("pile4096", "box3d");
    request.threads = 2;
    request.sleeping = true;
    const Result<RunRequest> again = parse_request(to_json(request));
    REQUIRE(again.ok());
    CHECK(to_json(again.value()) == to_json(request));

    RunResult result = run_here(request_for("tower2", std::string(kProxima)));
    const Result<RunResult> read = parse_result(to_json(result));
    REQUIRE(read.ok());
    CHECK(to_json(read.value()) == to_json(result));
    CHECK(read->hash == result.hash);
    CHECK(read->stage_ms.size() == result.stages.size());
    result.residual_mean = kNotMeasured;  // null, and back
    CHECK(std::isnan(parse_result(to_json(result))->residual_mean));
    CHECK_FALSE(parse_request("{").ok());
    CHECK_FALSE(parse_result("{}").ok());
}

TEST_CASE("a run of something unknown ends with a sentence") {
    CHECK(contains(run_here(request_for("tower0", std::string(kProxima))).error, "range"));
    CHECK(contains(run_here(request_for("tower1", "havok")).error, "havok"));
}

TEST_CASE("all structures find the pairs that a comparison of all boxes finds") {
    for (const CrowdInfo& info : crowd_table()) {
        CAPTURE(info.name);
        const Crowd crowd = make_crowd(info.name, 400);
        REQUIRE(crowd.boxes.size() == 400);
        CrowdMotion motion(crowd);
        std::vector<Aabb> boxes = crowd.boxes;
        const std::span<const Aabb> moved = motion.at(20);
        for (size_t k = 0; k < moved.size(); ++k) boxes[motion.movers()[k]] = moved[k];
        uint64_t expected = 0;
        for (size_t i = 0; i < boxes.size(); ++i)
            for (size_t j = i + 1; j < boxes.size(); ++j) {
                const Aabb &a = boxes[i], &b = boxes[j];
                bool overlap = crowd.moves[i] || crowd.moves[j];
                for (int k = 0; k < 3; ++k) overlap = overlap && a.lower[k] <= b.upper[k] && b.lower[k] <= a.upper[k];
                expected += overlap ? 1 : 0;
            }
        for (const PairSearchInfo& search : pair_search_table()) {
            CAPTURE(search.name);
            const std::unique_ptr<PairSearch> filled = search.make(crowd, 1);
            for (uint32_t i = 1; i <= 20; ++i) filled->update(motion.movers(), motion.at(i));
            CHECK(filled->exact_pairs() == expected);
        }
    }
}

TEST_CASE("the broadphase suite measures every structure and compares their pairs") {
    BroadphaseSuite suite;
    suite.crowds = {"moving"};
    suite.sizes = {50, 100};
    suite.threads = {1, 2};
    suite.updates = 3;
    suite.repeats = 1;
    size_t lines = 0, written = 0;
    const auto count_lines = [&](const std::string&) { ++lines; };
    const auto count_crowds = [&](const std::vector<BroadphaseMeasurement>&) { ++written; };
    const std::vector<BroadphaseMeasurement> all = run_broadphase(suite, count_lines, count_crowds);
    CHECK(lines == all.size());
    CHECK(written == 1);
    REQUIRE(all.size() == 12);  // six at two sizes
    for (const BroadphaseMeasurement& m : all) CHECK(m.same_pairs);
    const std::string text = to_text(all, suite);
    CHECK(contains(text, "All found the same number of pairs."));
    CHECK(contains(text, "proxima, 2 threads"));
    CHECK(to_table(all, {}).rows.size() == 12);
    std::vector<BroadphaseMeasurement> wrong = all;
    wrong[3].same_pairs = false;
    CHECK(contains(to_text(wrong, suite), "warning"));
    suite.max_fill_ms = 0.0;  // everything is too slow: nobody gets to the second size
    CHECK(run_broadphase(suite, count_lines, count_crowds).size() == 6);
}
