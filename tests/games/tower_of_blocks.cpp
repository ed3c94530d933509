// SPDX-License-Identifier: MIT
#include "samples/games/tower_of_blocks.h"

#include <doctest/doctest.h>

#include "samples/games/bodies.h"
#include "samples/games/picking.h"
#include "samples/scenes/game_scenes.h"
#include "tests/games/play.h"

using namespace proxima;
using namespace proxima::games;

namespace {

const TowerOfBlocks& tower(const GameSession& session) { return dynamic_cast<const TowerOfBlocks&>(session.game()); }

/// The end of a block that looks to the camera.
Vec3 front_of(const GameSession& session, uint32_t block) {
    const Transform pose = transform_of(session.world(), tower(session).block(block));
    Vec3 axis = pose.rotation * Vec3(1.0f, 0.0f, 0.0f);
    if (glm::dot(axis, TowerOfBlocks::camera().eye) < 0.0f) axis = -axis;
    return pose.position + tower(session).half_extents(block).x * axis;
}

/// Pulls at a block for so many seconds, straight out by `reach` metres, or to a side.
void pull(GameSession& session, uint32_t block, float reach, float aside, double seconds) {
    const Vec3 eye = TowerOfBlocks::camera().eye, from = front_of(session, block);
    const Vec3 middle = pose_of(session.world(), tower(session).block(block)).position;
    const Vec3 out = glm::normalize(Vec3(from.x - middle.x, 0.0f, from.z - middle.z));
    GameInput input;
    point_at(input, eye, from);
    step(session, input);
    input.buttons = kPrimary;
    step(session, input);
    REQUIRE(tower(session).held() == block);
    const Vec3 to = from + reach * out + aside * Vec3(out.z, 0.0f, -out.x);
    point_at(input, eye, {to.x, tower(session).hand().y, to.z});
    play(
        session, seconds, [&] { return input; }, [&] { return session.game().state().phase != Phase::running; });
}

}  // namespace

TEST_CASE("the tower stands by itself for a minute") {
    const std::unique_ptr<GameSession> session = start_game("tower_of_blocks");
    const TowerOfBlocks& game = tower(*session);
    REQUIRE(game.block_count() == 54);
    std::vector<Vec3> start;
    for (uint32_t i = 0; i < game.block_count(); ++i)
        start.push_back(pose_of(session->world(), game.block(i)).position);
    wait(*session, 60.0);
    float farthest = 0.0f;
    for (uint32_t i = 0; i < game.block_count(); ++i)
        farthest = std::max(farthest, glm::length(pose_of(session->world(), game.block(i)).position - start[i]));
    CHECK(farthest < 0.003f);
    CHECK(game.on_ground() == 0);
    CHECK(session->game().state().phase == Phase::running);
}

TEST_CASE("blocks differ in size, and one of each layer is loose") {
    const samples::JengaScene scene = samples::jenga_scene("jenga");
    REQUIRE(scene.half_extents.size() == 54);
    CHECK(scene.loose.size() == 18);
    for (const uint32_t block : scene.loose) {
        const uint32_t first = block - block % 3;
        for (uint32_t i = first; i < first + 3; ++i)
            if (i != block) CHECK(scene.half_extents[i].y > scene.half_extents[block].y + 0.001);
    }
    CHECK(scene.half_extents[0].z != scene.half_extents[1].z);
}

TEST_CASE("a hand is too weak for a block that carries the tower, and strong enough for a loose one") {
    const std::unique_ptr<GameSession> session = start_game("tower_of_blocks");
    const TowerOfBlocks& game = tower(*session);
    const auto moved_by_pulling = [&](uint32_t block) {
        REQUIRE(session->restart().ok());
        const Vec3 before = pose_of(session->world(), game.block(block)).position;
        pull(*session, block, 1.2f, 0.0f, 3.0);
        return glm::length(pose_of(session->world(), game.block(block)).position - before);
    };
    for (const uint32_t loose : game.loose()) {
        if (loose / 3 != 6) continue;
        CHECK(moved_by_pulling(loose) > 0.9f);
        CHECK(moved_by_pulling(loose % 3 == 0 ? loose + 1 : loose - 1) < 0.05f);
        CHECK(session->game().state().phase == Phase::running);
    }
}

TEST_CASE("the uppermost layer cannot be taken") {
    const std::unique_ptr<GameSession> session = start_game("tower_of_blocks");
    GameInput input;
    point_at(input, TowerOfBlocks::camera().eye, front_of(*session, 52));
    step(*session, input);
    input.buttons = kPrimary;
    step(*session, input);
    CHECK(tower(*session).held() == TowerOfBlocks::kNone);
}

TEST_CASE("a careful player lays nine blocks on top and wins") {
    const std::unique_ptr<GameSession> session = start_game("tower_of_blocks");
    let_play(*session, 240.0);
    CHECK(session->game().state().phase == Phase::won);
    CHECK(tower(*session).placed() == TowerOfBlocks::kGoalBlocks);
    CHECK(tower(*session).on_ground() <= 1);  // one may be taken along while it is drawn out
    // They really lie above the old top.
    const float top = float(samples::kTowerLayers * samples::kBlockHeight);
    int above = 0;
    for (uint32_t i = 0; i < 54; ++i) above += pose_of(session->world(), tower(*session).block(i)).position.y > top;
    CHECK(above >= int(TowerOfBlocks::kGoalBlocks));
}

TEST_CASE("who tears at the tower brings it down and loses") {
    const std::unique_ptr<GameSession> session = start_game("tower_of_blocks");
    const TowerOfBlocks& game = tower(*session);
    // Takes what is loose from the upper half and drops it beside the tower.
    for (const uint32_t block : game.loose()) {
        if (session->game().state().phase != Phase::running) break;
        if (block / 3 >= 16) continue;
        pull(*session, block, 1.4f, 0.0f, 2.5);
        wait(*session, 1.0);
    }
    CHECK(session->game().state().phase == Phase::lost);
    CHECK(game.on_ground() > TowerOfBlocks::kMaxOnGround);
    const uint64_t hash = session->hash();
    GameInput input;
    point_at(input, TowerOfBlocks::camera().eye, front_of(*session, 20));
    input.buttons = kPrimary;
    step(*session, input);
    CHECK(game.held() == TowerOfBlocks::kNone);  // over is over
    CHECK(session->hash() != hash);
}
