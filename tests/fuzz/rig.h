// SPDX-License-Identifier: MIT
// A world under test with what the actions of the API fuzzer remember of it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/hash.h"
#include "engine/ecs/world.h"
#include "physics/world.h"

namespace proxima::fuzz {

/// In what the runs of one program may differ without a difference in the results.
struct Variant {
    uint32_t threads = 1;
    bool restores = false;  // a save and a restore are inserted here and there
};

/// Something that a call made, found again by a number that depends on that call alone: when other calls are
/// left out of a program, the calls that stay still pick the same things.
template <class T>
struct Labelled {
    T thing;
    uint32_t label = 0;
};

struct Rig {
    explicit Rig(const Variant& how) : variant(how), world(make_world()) {}

    Variant variant;
    std::unique_ptr<physics::PhysicsWorld> world;
    uint32_t nonsense_once_in = 0;  // a number that is written is nonsense once in so many; 0: never
    bool writes_in_place = false;   // RigidBody, Mass and Collider are also written without patch()
    bool laboratory = false;        // the solvers of the laboratory are chosen too
    std::vector<physics::ShapeId> shapes;
    std::vector<Labelled<physics::Entity>> bodies, colliders, joints;  // all that were ever made: some are gone
    std::vector<Labelled<engine::Snapshot>> snapshots;
    uint64_t label = 0;            // of the call, raised with everything it makes
    std::vector<uint64_t> hashes;  // of everything, after each step
    std::string failure;           // the first one, a sentence
    std::FILE* trace = nullptr;    // where to say what each call did, as it does it

    uint32_t next_label() { return uint32_t(mix_bits(++label)); }
    void fail(std::string what) {
        if (failure.empty()) failure = std::move(what);
    }
    /// A line of the trace; at once, because what comes next may crash.
    void note(const std::string& what) const {
        if (!trace) return;
        std::fprintf(trace, "%s\n", what.c_str());
        std::fflush(trace);
    }
    std::unique_ptr<physics::PhysicsWorld> make_world() const {
        return std::make_unique<physics::PhysicsWorld>(engine::make_threaded_jobs(variant.threads));
    }
};

}  // namespace proxima::fuzz
