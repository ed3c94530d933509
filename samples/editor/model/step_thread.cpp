// SPDX-License-Identifier: MIT
#include "samples/editor/model/step_thread.h"

#include "engine/profile/zone.h"

namespace proxima::editor {

StepThread::StepThread(std::unique_ptr<PlayCore> core) : core_(std::move(core)) {
    publish();  // frame() has something to show from the start
    thread_ = std::thread([this] { run(); });
}

StepThread::~StepThread() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void StepThread::post(Command command) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(command));
    }
    ++posted_;
    wake_.notify_one();
}

void StepThread::run() {
    engine::set_thread_name("steps");
    std::vector<Command> commands;
    bool busy = false;
    for (;;) {
        bool quit = false;
        {
            std::unique_lock lock(mutex_);
            if (!busy) wake_.wait(lock, [&] { return quit_ || !queue_.empty(); });
            std::swap(commands, queue_);
            quit = quit_;
        }
        for (const Command& command : commands) {
            command(*core_);
            ++done_;
        }
        if (quit) return;
        const bool had_commands = !commands.empty();
        commands.clear();
        busy = core_->pump();
        if (busy || had_commands) publish();
    }
}

void StepThread::publish() {
    PX_ZONE("publish");
    PlayFrame& frame = frames_[filled_];
    core_->fill(frame);
    frame.number = ++frame_number_;
    frame.commands_done = done_;
    const std::lock_guard lock(frame_mutex_);
    std::swap(filled_, finished_);
    fresh_ = true;
}

const PlayFrame& StepThread::frame() {
    {
        const std::lock_guard lock(frame_mutex_);
        if (fresh_) {
            std::swap(read_, finished_);
            fresh_ = false;
        }
    }
    return frames_[read_];
}

}  // namespace proxima::editor
