// SPDX-License-Identifier: MIT
// What the thread that steps hands to the thread that draws: copies, never references into a world.
#pragma once

#include <any>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/play/play_session.h"
#include "physics/components.h"
#include "samples/editor/model/contact_inspector.h"
#include "samples/editor/model/input_tape.h"
#include "samples/editor/model/monitor.h"

namespace proxima::editor {

/// Pictures are fewer than steps: so many samples a frame carries, so that plots miss none.
inline constexpr uint64_t kRecentSamples = 32;

/// One world of a play: the document's own, or one that is solved otherwise beside it.
struct LaneFrame {
    std::vector<physics::Pose> before, now;  // by index in the scene; of the last two steps
    std::vector<uint8_t> asleep;
    MonitorSample sample;
    std::vector<MonitorSample> recent;  // of the last kRecentSamples steps, oldest first
    physics::StepSettings settings;
    std::vector<InspectedContact> contacts;  // of the inspected body
    std::optional<physics::IslandReport> island;
    std::vector<std::string> warnings;  // of the last step
    std::any extra;                     // what the extractor made; kept from frame to frame for its memory
};

struct PlayFrame {
    uint64_t number = 0;         // grows with every frame
    uint64_t commands_done = 0;  // of those sent
    engine::PlayState state = engine::PlayState::edit;
    uint64_t step = 0, oldest = 0, newest = 0;  // of the time line
    bool seeking = false;                       // on the way to a step; poses are of the way
    float alpha = 0.0f;                         // show before + alpha (now - before)
    double speed = 1.0;
    double dropped_seconds = 0.0;  // that could not be kept up with, since the play began
    std::optional<Grab> grab;      // that held in the last step
    std::string error;             // why the play paused by itself
    std::vector<LaneFrame> lanes;
};

/// A pose between two steps.
physics::Pose blend(const physics::Pose& before, const physics::Pose& now, float alpha);

}  // namespace proxima::editor
