// SPDX-License-Identifier: MIT
// The thread that steps: takes commands from a queue between two steps, and leaves a finished frame after
// each. The thread that draws never waits for a step to read one.
#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "samples/editor/model/play_core.h"

namespace proxima::editor {

class StepThread {
  public:
    using Command = std::function<void(PlayCore& core)>;

    /// The core, and the worlds in it, belong to the thread until it ends.
    explicit StepThread(std::unique_ptr<PlayCore> core);
    /// Does what was posted before and ends.
    ~StepThread();
    StepThread(const StepThread&) = delete;
    StepThread& operator=(const StepThread&) = delete;

    /// Done between two steps, in the order of posting; returns at once.
    void post(Command command);
    uint64_t posted() const { return posted_; }

    /// Done between two steps while the caller waits: for the step that is under way, and for this.
    template <class Function>
    auto call(Function&& function) {
        using Answer = decltype(function(std::declval<PlayCore&>()));
        std::promise<Answer> promise;
        std::future<Answer> answer = promise.get_future();
        post([&](PlayCore& core) {
            if constexpr (std::is_void_v<Answer>) {
                function(core);
                promise.set_value();
            } else {
                promise.set_value(function(core));
            }
        });
        return answer.get();
    }

    /// The newest finished frame; good until the next call. Only for the thread that owns this object.
    const PlayFrame& frame();

  private:
    void run();
    void publish();

    std::unique_ptr<PlayCore> core_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Command> queue_;  // guarded by mutex_
    bool quit_ = false;           // guarded by mutex_
    uint64_t posted_ = 0;         // of the owner
    uint64_t done_ = 0;           // of the thread

    // Three frames: one that is being filled, one that is finished, one that is being read. Handing over is
    // an exchange of two numbers, so neither side ever waits for the other's copying.
    std::array<PlayFrame, 3> frames_;
    std::mutex frame_mutex_;
    size_t filled_ = 0;    // of the thread
    size_t finished_ = 1;  // guarded by frame_mutex_
    bool fresh_ = false;   // guarded by frame_mutex_: `finished_` was not read yet
    size_t read_ = 2;      // of the owner
    uint64_t frame_number_ = 0;

    std::thread thread_;  // last: everything above is there when it starts
};

}  // namespace proxima::editor
