// SPDX-License-Identifier: MIT
#include "samples/games/session.h"

#include <string_view>
#include <utility>

#include "engine/core/atomic_file.h"
#include "engine/core/bytes.h"
#include "samples/games/game_list.h"

namespace proxima::games {

namespace {

constexpr uint64_t kMagic = 0x31454D4147585250ull;  // "PRXGAME1" as bytes

}  // namespace

GameSession::GameSession(std::unique_ptr<Game> game, std::unique_ptr<engine::Jobs> jobs)
    : game_(std::move(game)), world_(std::make_unique<physics::PhysicsWorld>(std::move(jobs))) {}

Result<std::unique_ptr<GameSession>> GameSession::make(std::unique_ptr<Game> game, std::unique_ptr<engine::Jobs> jobs) {
    std::unique_ptr<GameSession> session(new GameSession(std::move(game), std::move(jobs)));
    if (Result<void> set = session->clock_.set_step_seconds(double(session->game_->info().step_seconds)); !set)
        return Error{set.error()};
    if (Result<void> built = session->game_->build(*session->world_); !built) return Error{built.error()};
    session->game_->restart();
    session->world_->save(session->start_);
    return session;
}

Result<void> GameSession::step(const GameInput& input) {
    const StepInput both{input, inputs_.empty() ? GameInput{} : inputs_.back()};
    inputs_.push_back(input);
    if (Result<void> before = game_->before_step(*world_, both); !before) return before;
    if (Result<void> stepped = world_->step(game_->info().step_seconds); !stepped) return stepped;
    return game_->after_step(*world_);
}

Result<engine::FrameSteps> GameSession::update(double elapsed_seconds, const GameInput& input) {
    const engine::FrameSteps frame = clock_.advance(elapsed_seconds);
    pending_scroll_ += input.scroll;
    for (uint32_t i = 0; i < frame.steps; ++i) {
        GameInput now = input;
        now.scroll = std::exchange(pending_scroll_, 0.0f);
        if (Result<void> stepped = step(now); !stepped) return Error{stepped.error()};
    }
    return frame;
}

Result<void> GameSession::restart() {
    if (Result<void> restored = world_->restore(start_); !restored) return restored;
    game_->restart();
    clock_.reset();
    inputs_.clear();
    pending_scroll_ = 0.0f;
    return {};
}

uint64_t GameSession::hash() const {
    const GameState state = game_->state();
    StateHash hash;
    hash.add(steps());
    hash.add(world_->state_hash());
    hash.add(state.phase);
    hash.add(state.score);
    game_->add_to_hash(hash);
    return hash.value();
}

GameRecording GameSession::recording() const { return {std::string(game_->info().name), inputs_, hash()}; }

void GameSession::view(GameView& out) const {
    out.clear();
    game_->view(*world_, out);
}

Result<void> save_recording(const GameRecording& recording, const std::string& file) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.value(kMagic);
    out.text(recording.game);
    out.array(recording.inputs);
    out.value(recording.hash);
    return write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<GameRecording> load_recording(const std::string& file) {
    const Result<std::string> text = read_file(file);
    if (!text) return Error{text.error()};
    ByteReader in(std::as_bytes(std::span(text->data(), text->size())));
    GameRecording recording;
    if (in.value<uint64_t>() != kMagic)
        return Error{"'" + file + "' is not the recording of a game: it begins with other bytes."};
    in.text(recording.game);
    in.array(recording.inputs);
    recording.hash = in.value<uint64_t>();
    if (!in.ok() || in.remaining() != 0)
        return Error{"'" + file + "' is cut off or has bytes too many; record the game again."};
    return recording;
}

Result<std::unique_ptr<GameSession>> replay(const GameRecording& recording, std::unique_ptr<engine::Jobs> jobs) {
    Result<std::unique_ptr<Game>> game = make_game(recording.game);
    if (!game) return Error{game.error()};
    Result<std::unique_ptr<GameSession>> session = GameSession::make(std::move(*game), std::move(jobs));
    if (!session) return session;
    for (const GameInput& input : recording.inputs)
        if (Result<void> stepped = (*session)->step(input); !stepped)
            return Error{"Step " + std::to_string((*session)->steps()) + " of the replay: " + stepped.error()};
    if ((*session)->hash() != recording.hash)
        return Error{"The replay of '" + recording.game +
                     "' ends in another state than the recording: it was made by another build."};
    return session;
}

}  // namespace proxima::games
