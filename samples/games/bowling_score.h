// SPDX-License-Identifier: MIT
// The score of a game of bowling, from the pins of each throw.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace proxima::games {

/// Ten frames of at most two throws. A strike counts ten and the next two throws, a spare ten and the next
/// one; the tenth frame has a third throw after either.
class BowlingScore {
  public:
    static constexpr int kFrames = 10, kPins = 10;

    /// Pins that the next throw knocked down; more than stand count as those that stand.
    void add(int pins);
    bool over() const { return frame_ == kFrames; }
    int frame() const { return frame_; }                   // from 0; kFrames when it is over
    int throw_in_frame() const { return int(in_frame_); }  // from 0
    /// How many pins stand for the next throw.
    int standing() const { return standing_; }
    /// Whether ten fresh pins stand for the next throw.
    bool fresh_rack() const { return standing_ == kPins; }
    /// Points of a frame with its bonus as far as it is known.
    int frame_points(int frame) const;
    int total() const;
    const std::vector<int>& throws() const { return throws_; }

  private:
    std::vector<int> throws_;
    std::array<std::size_t, kFrames> first_throw_{};  // of each frame begun
    int frame_ = 0, standing_ = kPins;
    std::size_t in_frame_ = 0;
};

}  // namespace proxima::games
