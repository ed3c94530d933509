// SPDX-License-Identifier: MIT
#include "samples/scenes/scenes.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "engine/core/suggest.h"
#include "samples/scenes/families.h"

namespace proxima::samples {

namespace {

using Names = std::string_view;
constexpr Names kPyramid[] = {"pyramid20", "pyramid60"}, kPile[] = {"pile4096"}, kGrid[] = {"grid10k"},
                kHulls[] = {"hulls2000"}, kBenchmarkArch[] = {"arch25"}, kCards[] = {"cards5"},
                kMass[] = {"mass10", "mass100", "mass1000"}, kTower[] = {"tower10", "tower20", "tower30"},
                kGrowth[] = {"growth1000"}, kHeap[] = {"heap1000"}, kChurn[] = {"churn"},
                kSphereOnBox[] = {"sphere_on_box"}, kMarbleBox[] = {"marble_box"},
                kIncline[] = {"incline20", "incline25"}, kLeaningRod[] = {"leaning_rod"},
                kCradle[] = {"newtons_cradle"}, kSpin[] = {"spin"}, kDominoes[] = {"dominoes"},
                kCardHouse[] = {"card_house"}, kArch[] = {"arch"}, kTop[] = {"spinning_top"};

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
    {"churn", "growth", "200 bodies a second rain into a pit, and the oldest are taken away", kChurn},
    {"sphere_on_box", "course", "a spinning sphere falls on a box, slips and rolls", kSphereOnBox},
    {"marble_box", "course", "162 marbles fall into an open box", kMarbleBox},
    {"inclineDEG", "course", "a cube on a plane tilted by DEG degrees, mu 0.4", kIncline},
    {"leaning_rod", "course", "a plank leans on a wall, held by friction", kLeaningRod},
    {"newtons_cradle", "course", "one ball hits four in a line, restitution 1", kCradle},
    {"spin", "course", "a free box tumbles about its middle axis", kSpin},
    {"dominoes", "sample", "a row of dominoes with a half turn in it", kDominoes},
    {"card_house", "sample", "a small house of cards", kCardHouse},
    {"arch", "sample", "a stone arch on two piers", kArch},
    {"spinning_top", "sample", "a tilted top precesses on the floor", kTop},
};
constexpr size_t kCount = std::size(kInfos);

/// How a row is built: `prefix` is followed by a number of [low, high], whole unless said; no number when
/// high is 0.
struct Maker {
    std::string_view prefix;
    physics::SceneDesc (*make)(const std::string& name, double number);
    double low = 0.0, high = 0.0;
    bool whole = true;
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
    {"growth", growth, 1, 80000},
    {"heap", heap, 1, 80000},
    {"churn", churn},
    {"sphere_on_box", sphere_on_box},
    {"marble_box", marble_box},
    {"incline", incline, 0, 80, false},
    {"leaning_rod", leaning_rod},
    {"newtons_cradle", newtons_cradle},
    {"spin", spin},
    {"dominoes", dominoes},
    {"card_house", card_house},
    {"arch", arch},
    {"spinning_top", spinning_top},
};

/// The number that makes up all of `text`, written with digits and at most one point.
std::optional<double> parse_number(std::string_view text) {
    if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    double value = 0.0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string plain(double number) { return std::to_string((long long)number); }

}  // namespace

std::span<const SceneInfo> built_in_scenes() { return kInfos; }

std::vector<std::string_view> built_in_scene_names() {
    std::vector<std::string_view> names;
    for (const SceneInfo& info : kInfos)
        names.insert(names.end(), info.examples.begin(), info.examples.end());
    return names;
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
                         std::string(maker.prefix) + "' must be " + (maker.whole ? "a whole number " : "") +
                         "from " + plain(maker.low) + " to " + plain(maker.high) + "."};
        return maker.make(std::string(name), *number);
    }
    return Error{"There is no scene called '" + std::string(name) + "'; did you mean '" +
                 std::string(nearest_word(name, built_in_scene_names())) +
                 "'? `proxima list` shows them all."};
}

}  // namespace proxima::samples
