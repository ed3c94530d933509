// SPDX-License-Identifier: MIT
#include "samples/games/bowling_score.h"

#include <algorithm>

namespace proxima::games {

void BowlingScore::add(int pins) {
    if (over()) return;
    pins = std::clamp(pins, 0, standing_);
    if (in_frame_ == 0) first_throw_[size_t(frame_)] = throws_.size();
    throws_.push_back(pins);
    standing_ -= pins;
    ++in_frame_;
    const bool last = frame_ == kFrames - 1;
    const bool cleared = standing_ == 0;
    bool frame_done = in_frame_ == 2 || cleared;
    if (last) {
        // Two throws, and a third when the first two were a strike or a spare.
        const size_t first = first_throw_[kFrames - 1];
        const bool bonus = throws_[first] == kPins || (in_frame_ >= 2 && throws_[first] + throws_[first + 1] == kPins);
        frame_done = in_frame_ == 3 || (in_frame_ == 2 && !bonus);
    }
    if (cleared || frame_done) standing_ = kPins;
    if (!frame_done) return;
    ++frame_;
    in_frame_ = 0;
}

int BowlingScore::frame_points(int frame) const {
    const bool begun = frame < frame_ || (frame == frame_ && in_frame_ > 0);
    if (frame < 0 || frame >= kFrames || !begun) return 0;
    const size_t first = first_throw_[size_t(frame)];
    const auto pins = [&](size_t i) { return i < throws_.size() ? throws_[i] : 0; };
    const int two = pins(first) + pins(first + 1);
    if (pins(first) == kPins || two == kPins) return two + pins(first + 2);
    return two;
}

int BowlingScore::total() const {
    int sum = 0;
    for (int frame = 0; frame < kFrames; ++frame) sum += frame_points(frame);
    return sum;
}

}  // namespace proxima::games
