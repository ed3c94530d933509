// SPDX-License-Identifier: MIT
#include "samples/scenes/scenes.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "engine/core/suggest.h"
#include "samples/scenes/disturbed.h"
#include "samples/scenes/families.h"
#include "samples/scenes/goal.h"

namespace proxima::samples {

namespace {

using Names = std::string_view;
constexpr Names kPyramid[] = {"pyramid20", "pyramid60"}, kPile[] = {"pile4096"}, kGrid[] = {"grid10k"},
                kHulls[] = {"hulls2000"}, kBenchmarkArch[] = {"arch25"}, kCards[] = {"cards5"},
                kMass[] = {"mass10", "mass100", "mass1000"}, kTower[] = {"tower10", "tower20", "tower30"},
                kGrowth[] = {"growth1000"}, kHeap[] = {"heap1000"}, kGpuPile[] = {"gpu_pile20k"}, kChurn[] = {"churn"},
                kSphereOnBox[] = {"sphere_on_box"}, kMarbleBox[] = {"marble_box"},
                kIncline[] = {"incline20", "incline25"}, kLeaningRod[] = {"leaning_rod"},
                kCradle[] = {"newtons_cradle"}, kSpin[] = {"spin"}, kBallChain[] = {"ball_chain"},
                kDominoes[] = {"dominoes"}, kCardHouse[] = {"card_house"}, kArch[] = {"arch"},
                kTop[] = {"spinning_top"}, kTurntable[] = {"turntable"}, kTiltingRamp[] = {"tilting_ramp"},
                kConveyor[] = {"conveyor"}, kOneWay[] = {"one_way"}, kSensors[] = {"sensors"},
                kGlassWall[] = {"glass_wall"}, kDropTower[] = {"drop10", "drop25"},
                kDropHeavy[] = {"dropheavy100", "dropheavy500"}, kDropCards[] = {"dropcards3", "dropcards5"},
                kDropArch[] = {"droparch15", "droparch25"}, kHitPyramid[] = {"hitpyramid10"},
                kHitTower[] = {"hittower10"}, kHitArch[] = {"hitarch17"}, kOverlapTower[] = {"overlap5"},
                kOverlapPyramid[] = {"overlappyramid8"}, kLeanTower[] = {"leantower4", "leantower6"},
                kLeanPlank[] = {"leanplank34.5", "leanplank37"}, kSlopeStack[] = {"slopestack25.5", "slopestack28"},
                kCannonballs[] = {"cannonballs4"}, kLogs[] = {"logs5"}, kPocket[] = {"pocket"}, kBounce[] = {"bounce"},
                kHullStack[] = {"hullstack"}, kMixedMasses[] = {"mixedmasses"}, kMixedPit[] = {"mixedpit"},
                kFelt[] = {"felt"}, kRollSlope[] = {"rollslope10", "rollslope13"}, kSledges[] = {"sledges"},
                kBowling[] = {"bowling"}, kCastle[] = {"castle"}, kDominoRun[] = {"domino_run"}, kJenga[] = {"jenga"},
                kMarbleRun[] = {"marble_run"}, kChain[] = {"chain100"}, kWreckingBall[] = {"wrecking_ball"},
                kBridge[] = {"bridge20"}, kNet[] = {"net40"}, kRagdolls[] = {"ragdolls200"}, kCrane[] = {"crane"},
                kDoors[] = {"door_row"}, kGears[] = {"gears_and_pulleys"}, kFourBar[] = {"four_bar"};

constexpr SceneInfo kInfos[] = {
    {"pyramidN", "benchmark", "planar wall of cubes with N in its lowest row", kPyramid},
    {"pile4096", "benchmark", "4096 cubes, spheres and capsules fall into a pit", kPile},
    {"grid10k", "benchmark", "400 columns of 25 cubes close their gaps and should stand", kGrid},
    {"hulls2000", "benchmark", "2000 convex hulls fall into a pit", kHulls},
    {"archN", "benchmark", "semicircular arch of N touching wedges on the ground", kBenchmarkArch},
    {"cardsN", "benchmark", "house of leaning cards with N levels, mu 0.7", kCards},
    {"massR", "benchmark", "five cubes of 10 kg under one that is R times as heavy", kMass},
    {"towerN", "benchmark", "N cubes stacked, each off by up to 2 cm", kTower},
    {"growthN", "growth", "N cubes in towers of five close their gaps and should stand", kGrowth},
    {"heapN", "growth", "N cubes, spheres and capsules fall into a pit as wide as they need", kHeap},
    {"gpu_pile20k", "growth", "20,000 spheres and boxes fall into a pit; for devices", kGpuPile},
    {"churn", "growth", "200 bodies a second rain into a pit, and the oldest are taken away", kChurn},
    {"sphere_on_box", "course", "a spinning sphere falls on a box, slips and rolls", kSphereOnBox},
    {"marble_box", "course", "162 marbles fall into an open box", kMarbleBox},
    {"inclineDEG", "course", "a cube on a plane tilted by DEG degrees, mu 0.4", kIncline},
    {"leaning_rod", "course", "a plank leans on a wall, held by friction", kLeaningRod},
    {"newtons_cradle", "course", "one ball hits four in a line, restitution 1", kCradle},
    {"spin", "course", "a free box tumbles about its middle axis", kSpin},
    {"ball_chain", "course", "20 links swing with a ball 100 times as heavy at their end", kBallChain},
    {"dominoes", "sample", "a row of dominoes with a half turn in it", kDominoes},
    {"card_house", "sample", "a small house of cards", kCardHouse},
    {"arch", "sample", "a stone arch on two piers", kArch},
    {"spinning_top", "sample", "a tilted top precesses on the floor", kTop},
    {"turntable", "sample", "boxes go round on a turntable, and those too far out slide off it", kTurntable},
    {"tilting_ramp", "sample", "boxes on a ramp that tilts slip one after the other", kTiltingRamp},
    {"bowling", "game", "a ball rolls down a lane into ten pins", kBowling},
    {"castle", "game", "towers of wedges and an arch stand without mortar", kCastle},
    {"domino_run", "game", "dominoes: slalom, stairs, a split and a spiral", kDominoRun},
    {"jenga", "game", "a tower of 54 blocks, some of them loose, must stand", kJenga},
    {"marble_run", "game", "marbles roll through turns and a funnel into a bowl", kMarbleRun},
    {"dropN", "disturbed", "N cubes close gaps of 7 cm and must stand as a tower", kDropTower},
    {"dropheavyR", "disturbed", "10 t fall off centre on four cubes that are R times lighter", kDropHeavy},
    {"dropcardsN", "disturbed", "a house of cards with N levels is let down from 4 mm", kDropCards},
    {"droparchN", "disturbed", "the N stones of an arch start 5 mm apart", kDropArch},
    {"hitpyramidN", "disturbed", "a block of 2 t hits a wall of cubes at 12 m/s", kHitPyramid},
    {"hittowerN", "disturbed", "a ball of 20 kg hits a tower that must stand", kHitTower},
    {"hitarchN", "disturbed", "a block of 3 t falls on the keystone of an arch that must stand", kHitArch},
    {"overlapN", "disturbed", "N cubes start 5 cm inside each other and must part gently", kOverlapTower},
    {"overlappyramidN", "disturbed", "a wall of cubes shrunk by 2 % must grow back", kOverlapPyramid},
    {"leantowerN", "disturbed", "a tower tilted by 3 degrees must fall back on its feet", kLeanTower},
    {"leanplankDEG", "disturbed", "a plank leans on a wall, held from 35.8 degrees on", kLeanPlank},
    {"slopestackDEG", "disturbed", "four slabs on a slope, held below 26.57 degrees", kSlopeStack},
    {"cannonballsN", "disturbed", "a pyramid of balls in a frame, let down layer by layer", kCannonballs},
    {"logsN", "disturbed", "logs stacked between posts, let down row by row", kLogs},
    {"pocket", "disturbed", "a ball on a tray on four balls in a well", kPocket},
    {"bounce", "disturbed", "a ball bounces on a tower at rest, restitution 0.7", kBounce},
    {"hullstack", "disturbed", "prisms and wedges are let down on each other", kHullStack},
    {"mixedmasses", "disturbed", "60 bodies of all shapes, the heaviest of 400 to 1 on top", kMixedMasses},
    {"mixedpit", "disturbed", "150 bodies of all shapes fall into a pit", kMixedPit},
    {"felt", "disturbed", "balls roll out and stop where rolling friction says", kFelt},
    {"rollslopeDEG", "disturbed", "balls on a slope, held by rolling friction below 11.3 degrees", kRollSlope},
    {"sledges", "disturbed", "runners with a grain hold across a slope and glide down it", kSledges},
    {"conveyor", "disturbed", "belts carry boxes and balls, one of them up a slope", kConveyor},
    {"one_way", "disturbed", "what jumps passes platforms from below, and stands on them", kOneWay},
    {"sensors", "disturbed", "a gate counts what falls through it, a basket what lies in it, asleep or not", kSensors},
    {"glass_wall", "disturbed", "balls go through panes and lose what those take; one pane holds", kGlassWall},
    {"chainN", "joints", "N links let go level, with an end 1000 times as heavy as each", kChain},
    {"wrecking_ball", "joints", "a ball of 500 kg on a chain swings into a wall of boxes", kWreckingBall},
    {"bridgeN", "joints", "a hanging bridge of N planks with crates on it", kBridge},
    {"netN", "joints", "a net of N x N balls in a frame catches boxes", kNet},
    {"ragdollsN", "joints", "N ragdolls of 15 parts fall on a heap and come to rest", kRagdolls},
    {"crane", "joints", "a motor turns a jib and a winch lifts a load on a rope", kCrane},
    {"door_row", "joints", "doors on one, two and three hinges: limits, friction, springs, a lock that breaks", kDoors},
    {"gears_and_pulleys", "joints", "a motor drives gears and a rack; two loads balance over a pulley", kGears},
    {"four_bar", "joints", "linkages with redundant hinges turn round and round", kFourBar},
};
constexpr size_t kCount = std::size(kInfos);

/// How a row is built: `prefix` is followed by a number of [low, high], whole unless said; no number when
/// high is 0.
struct Maker {
    std::string_view prefix;
    physics::SceneDesc (*make)(const std::string& name, double number);
    double low = 0.0, high = 0.0;
    bool whole = true;
    SceneWithGoal (*make_with_goal)(const std::string& name, double number) = nullptr;
};
constexpr Maker kMakers[kCount] = {
    {"pyramid", pyramid, 1, 200},
    {"pile4096", pile},
    {"grid10k", grid},
    {"hulls2000", hulls},
    {"arch", benchmark_arch, 3, 99},
    {"cards", cards, 1, 30},
    {"mass", mass_ratio, 1, 1e6},
    {"tower", tower, 1, 1000},
    {"growth", growth, 1, 120000},
    {"heap", heap, 1, 120000},
    {"gpu_pile20k", gpu_pile},
    {"churn", churn},
    {"sphere_on_box", sphere_on_box},
    {"marble_box", marble_box},
    {"incline", incline, 0, 80, false},
    {"leaning_rod", leaning_rod},
    {"newtons_cradle", newtons_cradle},
    {"spin", spin},
    {"ball_chain", ball_chain},
    {"dominoes", dominoes},
    {"card_house", card_house},
    {"arch", arch},
    {"spinning_top", spinning_top},
    {"turntable", turntable},
    {"tilting_ramp", tilting_ramp},
    {"bowling", bowling},
    {"castle", castle},
    {"domino_run", domino_run},
    {"jenga", jenga},
    {"marble_run", marble_run},
    {"drop", scene_of<drop_tower>, 1, 200, true, drop_tower},
    {"dropheavy", scene_of<drop_heavy>, 1, 1e6, true, drop_heavy},
    {"dropcards", scene_of<drop_cards>, 1, 30, true, drop_cards},
    {"droparch", scene_of<drop_arch>, 3, 99, true, drop_arch},
    {"hitpyramid", scene_of<hit_pyramid>, 1, 100, true, hit_pyramid},
    {"hittower", scene_of<hit_tower>, 2, 100, true, hit_tower},
    {"hitarch", scene_of<hit_arch>, 3, 99, true, hit_arch},
    {"overlap", scene_of<overlap_tower>, 1, 100, true, overlap_tower},
    {"overlappyramid", scene_of<overlap_pyramid>, 1, 100, true, overlap_pyramid},
    {"leantower", scene_of<lean_tower>, 1, 8, true, lean_tower},
    {"leanplank", scene_of<lean_plank>, 5, 85, false, lean_plank},
    {"slopestack", scene_of<slope_stack>, 0, 45, false, slope_stack},
    {"cannonballs", scene_of<cannonballs>, 1, 20, true, cannonballs},
    {"logs", scene_of<logs>, 1, 40, true, logs},
    {"pocket", scene_of<pocket>, 0, 0, true, pocket},
    {"bounce", scene_of<bounce>, 0, 0, true, bounce},
    {"hullstack", scene_of<hull_stack>, 0, 0, true, hull_stack},
    {"mixedmasses", scene_of<mixed_masses>, 0, 0, true, mixed_masses},
    {"mixedpit", scene_of<mixed_pit>, 0, 0, true, mixed_pit},
    {"felt", scene_of<felt>, 0, 0, true, felt},
    {"rollslope", scene_of<roll_slope>, 0, 45, false, roll_slope},
    {"sledges", scene_of<sledges>, 0, 0, true, sledges},
    {"conveyor", scene_of<conveyor>, 0, 0, true, conveyor},
    {"one_way", scene_of<one_way>, 0, 0, true, one_way},
    {"sensors", scene_of<sensors>, 0, 0, true, sensors},
    {"glass_wall", scene_of<glass_wall>, 0, 0, true, glass_wall},
    {"chain", scene_of<chain>, 2, 1000, true, chain},
    {"wrecking_ball", scene_of<wrecking_ball>, 0, 0, true, wrecking_ball},
    {"bridge", scene_of<bridge>, 2, 200, true, bridge},
    {"net", scene_of<net>, 3, 100, true, net},
    {"ragdolls", scene_of<ragdolls>, 1, 2000, true, ragdolls},
    {"crane", scene_of<crane>, 0, 0, true, crane},
    {"door_row", scene_of<door_row>, 0, 0, true, door_row},
    {"gears_and_pulleys", scene_of<gears_and_pulleys>, 0, 0, true, gears_and_pulleys},
    {"four_bar", scene_of<four_bar>, 0, 0, true, four_bar},
};

/// The number that makes up all of `text`, written with digits and at most one point.
std::optional<double> parse_number(std::string_view text) {
    if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string plain(double number) { return std::to_string((long long)number); }

}  // namespace

std::span<const SceneInfo> built_in_scenes() { return kInfos; }

std::vector<std::string_view> built_in_scene_names() {
    std::vector<std::string_view> names;
    for (const SceneInfo& info : kInfos) names.insert(names.end(), info.examples.begin(), info.examples.end());
    return names;
}

std::optional<Goal> goal_of(std::string_view scene_name) {
    for (const Maker& maker : kMakers) {
        if (!maker.make_with_goal || !scene_name.starts_with(maker.prefix)) continue;
        const std::string_view rest = scene_name.substr(maker.prefix.size());
        const std::optional<double> number = maker.high == 0.0 ? 0.0 : parse_number(rest);
        if (!number || (maker.high == 0.0 && !rest.empty()) || !make_scene(scene_name).ok()) continue;
        return maker.make_with_goal(std::string(scene_name), *number).goal;
    }
    return std::nullopt;
}

Result<physics::SceneDesc> make_scene(std::string_view name) {
    for (const Maker& maker : kMakers) {
        if (!name.starts_with(maker.prefix)) continue;
        const std::string_view rest = name.substr(maker.prefix.size());
        if (maker.high == 0.0) {
            if (rest.empty()) return maker.make(std::string(name), 0.0);
            continue;
        }
        const std::optional<double> number = parse_number(rest);
        if (!number) continue;
        if (*number < maker.low || *number > maker.high || (maker.whole && *number != std::floor(*number)))
            return Error{"Scene '" + std::string(name) + "' is out of range: the number after '" +
                         std::string(maker.prefix) + "' must be " + (maker.whole ? "a whole number " : "") + "from " +
                         plain(maker.low) + " to " + plain(maker.high) + "."};
        return maker.make(std::string(name), *number);
    }
    return Error{"There is no scene called '" + std::string(name) + "'; did you mean '" +
                 std::string(nearest_word(name, built_in_scene_names())) + "'? `proxima list` shows them all."};
}

}  // namespace proxima::samples
