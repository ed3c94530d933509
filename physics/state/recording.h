// SPDX-License-Identifier: MIT
// Recordings: the scene, the settings and a hash per step, so that a run can be made again and the first difference
// found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/jobs/jobs.h"
#include "physics/scene/scene.h"

namespace proxima::physics {

class PhysicsWorld;

/// Collects a run as it happens. Write it with save_recording. Costs 8 bytes a step and 4 a body and step.
struct Recording {
    SceneDesc scene;  // with the settings of the run
    float dt = 0.0f;
    uint32_t body_count = 0;
    std::vector<uint64_t> step_hashes;  // state after each step
    std::vector<uint32_t> body_hashes;  // body_count per step, bodies in stable order

    /// Call once before the first step, and add_step once after each.
    void begin(const SceneDesc& run_scene, float run_dt);
    void add_step(const PhysicsWorld& world);
};

Result<void> save_recording(const Recording& recording, const std::string& file);
/// A sentence for a file that is no recording, of another version, cut short, damaged, or holds nonsense.
Result<Recording> load_recording(const std::string& file);
/// The bytes of such a file, and back; `name` stands for the file in errors.
std::string format_recording(const Recording& recording);
Result<Recording> parse_recording(std::string_view bytes, const std::string& name);
/// Makes the checksum of such bytes right again, for tools and tests that change them.
void update_recording_checksum(std::string& bytes);

/// What a replay found.
struct ReplayResult {
    uint64_t steps = 0;  // made again
    bool equal = true;
    uint64_t first_step = 0;  // the first step that differs, from 1
    std::string first_body;   // the first body that differs in it: its name, or its number in the scene
};

/// Runs the recording again on the given workers and compares after each step.
Result<ReplayResult> replay_recording(const std::string& file, std::unique_ptr<engine::Jobs> jobs);

}  // namespace proxima::physics
