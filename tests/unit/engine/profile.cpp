// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "engine/profile/stage_times.h"
#include "engine/profile/trace.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::engine;

namespace {

std::string temporary_file(const std::string& name) {
    static const test::TemporaryFolder folder;
    return folder.file(name);
}

nlohmann::json read_json_and_remove(const std::string& path) {
    nlohmann::json document;
    {
        std::ifstream in(path);
        REQUIRE(in.good());
        document = nlohmann::json::parse(in);
    }
    std::filesystem::remove(path);
    return document;
}

void nested_work() {
    PX_ZONE("outer");
    for (int i = 0; i < 3; ++i) {
        PX_ZONE("inner");
    }
}

}  // namespace

TEST_CASE("a trace file is JSON with one complete event per zone, nested in time") {
    const std::string path = temporary_file("trace.json");
    set_thread_name("tester \"one\"");
    REQUIRE(start_trace(path).ok());
    CHECK(trace_active());
    nested_work();
    std::thread other([] {
        set_thread_name("other");
        nested_work();
    });
    other.join();
    const Result<TraceSummary> summary = stop_trace();
    CHECK(!trace_active());
    REQUIRE(summary.ok());
    CHECK(summary->events == 8);
    CHECK(summary->threads == 2);
    CHECK(summary->dropped == 0);
    CHECK(!std::filesystem::exists(path + ".part"));

    const nlohmann::json document = read_json_and_remove(path);
    std::map<int, std::string> thread_names;
    std::string process_name;
    std::map<int, std::vector<nlohmann::json>> zones;
    for (const auto& event : document.at("traceEvents")) {
        const std::string kind = event.at("ph");
        if (kind == "M" && event.at("name") == "process_name") process_name = event.at("args").at("name");
        if (kind == "M" && event.at("name") == "thread_name")
            thread_names[event.at("tid")] = event.at("args").at("name");
        if (kind == "X") zones[event.at("tid")].push_back(event);
    }
    CHECK(process_name == "proxima");
    REQUIRE(zones.size() == 2);
    std::set<std::string> names;
    for (const auto& [thread, events] : zones) {
        names.insert(thread_names.at(thread));
        REQUIRE(events.size() == 4);
        // Recorded when they end: the three inner ones, one after the other, then the outer one around them.
        const double outer_begin = events[3].at("ts"), outer_end = outer_begin + double(events[3].at("dur"));
        CHECK(events[3].at("name") == "outer");
        double before = outer_begin;
        for (int i = 0; i < 3; ++i) {
            CHECK(events[i].at("name") == "inner");
            CHECK(double(events[i].at("ts")) >= before - 1e-6);
            before = double(events[i].at("ts")) + double(events[i].at("dur"));
        }
        CHECK(before <= outer_end + 1e-6);
    }
    CHECK(names == std::set<std::string>{"tester \"one\"", "other"});
}

TEST_CASE("zones that do not lie wholly inside a trace are left out of it") {
    const std::string path = temporary_file("partial.json");
    {
        PX_ZONE("open at the start");
        REQUIRE(start_trace(path).ok());
    }
    {
        PX_ZONE("open at the stop");
        REQUIRE(stop_trace().ok());
        REQUIRE(start_trace(path).ok());  // the zone above belongs to the trace before
    }
    { PX_ZONE("inside"); }
    const auto summary = stop_trace();
    REQUIRE(summary.ok());
    CHECK(summary->events == 1);
    int zones = 0;
    const nlohmann::json document = read_json_and_remove(path);
    for (const auto& event : document.at("traceEvents"))
        if (event.at("ph") == "X") {
            ++zones;
            CHECK(event.at("name") == "inside");
        }
    CHECK(zones == 1);
}

TEST_CASE("a full trace drops events, counts them and says so in the file") {
    const std::string path = temporary_file("full.json");
    TraceSettings settings;
    settings.max_events = 4096;
    settings.process_name = "a \\ full\ntrace";
    REQUIRE(start_trace(path, settings).ok());
    for (int i = 0; i < 5000; ++i) {
        PX_ZONE("many");
    }
    const auto summary = stop_trace();
    REQUIRE(summary.ok());
    CHECK(summary->events == 4096);
    CHECK(summary->dropped == 904);

    const nlohmann::json document = read_json_and_remove(path);
    CHECK(document.at("otherData").at("dropped_events") == 904);
    int zones = 0;
    bool noted = false;
    for (const auto& event : document.at("traceEvents")) {
        zones += event.at("ph") == "X";
        noted = noted || (event.at("ph") == "i" && event.at("name").get<std::string>().starts_with("904 events"));
    }
    CHECK(zones == 4096);
    CHECK(noted);
}

TEST_CASE("starting and stopping a trace at the wrong moment or place is refused with a sentence") {
    CHECK(stop_trace().error().find("No trace is being recorded") != std::string::npos);
    const auto no_folder = start_trace("/no/such/folder/trace.json");
    CHECK(!no_folder.ok());
    CHECK(no_folder.error().find("/no/such/folder/trace.json") != std::string::npos);
    CHECK(!start_trace("").ok());
    CHECK(!start_trace(test::TemporaryFolder().path.string()).ok());
    CHECK(!trace_active());

    const std::string path = temporary_file("twice.json");
    REQUIRE(start_trace(path).ok());
    CHECK(start_trace(path + "2").error().find("already") != std::string::npos);
    CHECK(!std::filesystem::exists(path));  // appears when it is complete
    CHECK(stop_trace().ok());
    CHECK(std::filesystem::exists(path));
    std::filesystem::remove(path);
}

TEST_CASE("threads may open zones while traces start and stop") {
    const std::string path = temporary_file("race.json");
    std::atomic<bool> done{false};
    std::thread busy([&] {
        while (!done) nested_work();
    });
    for (int i = 0; i < 20; ++i) {
        REQUIRE(start_trace(path, {"race", 8192}).ok());
        nested_work();
        const auto summary = stop_trace();
        REQUIRE(summary.ok());
        CHECK(summary->events >= 4);
    }
    done = true;
    busy.join();
    CHECK(read_json_and_remove(path).at("traceEvents").size() >= 5);
}

TEST_CASE("a name known at run time has one site for the whole program") {
    const std::string name = "run time name";
    const ZoneSite& site = make_zone_site(name);
    CHECK(&make_zone_site("run time name") == &site);
    CHECK(&make_zone_site("another name") != &site);
    CHECK(std::string(site.name) == name);
}

TEST_CASE("stage times add up calls in a frame and keep total, largest frame and count") {
    using std::chrono::milliseconds;
    StageTimes times;
    const StageIndex pairs = times.add("find pairs");
    const StageIndex solve = times.add("solve");
    CHECK(times.add("find pairs") == pairs);
    CHECK(times.find("solve") == solve);
    CHECK(times.find("nothing") == kNoStage);
    REQUIRE(times.stages().size() == 2);

    times.begin_frame();
    times.record(solve, milliseconds(2));
    times.record(solve, milliseconds(3));
    CHECK(times[solve].last_ms == doctest::Approx(5.0));
    times.begin_frame();
    CHECK(times[solve].last_ms == 0.0);
    times.record(solve, milliseconds(4));
    times.record(pairs, milliseconds(1));

    CHECK(times[solve].last_ms == doctest::Approx(4.0));
    CHECK(times[solve].total_ms == doctest::Approx(9.0));
    CHECK(times[solve].max_ms == doctest::Approx(5.0));
    CHECK(times[solve].count == 3);
    CHECK(times[pairs].count == 1);
    CHECK(times.frames() == 2);

    times.reset();
    CHECK(times[solve].total_ms == 0.0);
    CHECK(times[solve].max_ms == 0.0);
    CHECK(times[solve].count == 0);
    CHECK(times.frames() == 0);
    CHECK(times.stages()[solve].name == "solve");
}

TEST_CASE("stages that follow each other add up to their frame") {
    StageTimes times;
    const StageIndex first = times.add("first"), second = times.add("second");
    const auto begin = StageTimes::Clock::now();
    times.begin_frame();
    for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // between stages: counts for the next one
        { StageTimer timer(times, first); }
        StageTimer timer(times, second);
    }
    const auto end = StageTimes::Clock::now();
    const auto ms = [](StageTimes::Clock::duration x) { return std::chrono::duration<double, std::milli>(x).count(); };
    const double sum = times[first].last_ms + times[second].last_ms;
    CHECK(times[first].count == 3);
    CHECK(times[first].last_ms >= 3.0);
    CHECK(sum <= ms(end - begin));
    times.begin_frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    times.begin_frame();  // a frame begins anew
    { StageTimer timer(times, second); }
    CHECK(times[second].last_ms < ms(StageTimes::Clock::now() - end) - 1.0);
}

TEST_CASE("a stage timer records its scope and leaves a zone of the stage's name in the trace") {
    const std::string path = temporary_file("stage.json");
    REQUIRE(start_trace(path).ok());
    {
        // The list is gone before the trace is written; the name must not be.
        StageTimes times;
        const StageIndex stage = times.add(std::string("a stage with a name of its own"));
        {
            StageTimer timer(times, stage);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        CHECK(times[stage].count == 1);
        CHECK(times[stage].last_ms >= 2.0);
    }
    REQUIRE(stop_trace().ok());
    bool found = false;
    const nlohmann::json document = read_json_and_remove(path);
    for (const auto& event : document.at("traceEvents"))
        found = found || (event.at("ph") == "X" && event.at("name") == "a stage with a name of its own" &&
                          double(event.at("dur")) >= 2000.0);
    CHECK(found);
}
