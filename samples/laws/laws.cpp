// SPDX-License-Identifier: MIT
#include "samples/laws/laws.h"

#include <cmath>

#include "samples/laws/law_world.h"

namespace proxima::samples {

bool LawPoint::holds() const { return std::abs(measured - expected) <= tolerance; }

float LawTries::draw(float low, float high) {
    // Not std::uniform_real_distribution, whose numbers differ from library to library.
    return low + (high - low) * (float(random_() >> 8) * 0x1p-24f);
}
float LawTries::draw_log(float low, float high) { return low * std::pow(high / low, draw(0.0f, 1.0f)); }

namespace {
/// Ends a law that was tried often enough, wherever it is in its loops.
struct EnoughTries {};
}  // namespace

void LawTries::add(std::string parameters, double expected, double measured, double tolerance) {
    points_.push_back({std::move(parameters), expected, measured, tolerance});
    if (options_.max_tries > 0 && points_.size() >= options_.max_tries) throw EnoughTries{};
}

std::span<const Law> laws() {
    static const std::vector<Law> all = [] {
        std::vector<Law> list;
        for (const std::span<const Law> part : {friction_laws(), rolling_laws(), statics_laws(), impact_laws(),
                                                motion_laws(), sleep_laws(), stack_laws(), convergence_laws()})
            list.insert(list.end(), part.begin(), part.end());
        return list;
    }();
    return all;
}

const Law* find_law(std::string_view name) {
    for (const Law& law : laws())
        if (law.name == name) return &law;
    return nullptr;
}

std::vector<LawPoint> run_law(const Law& law, const LawOptions& options) {
    LawTries tries(options);
    try {
        law.run(tries);
    } catch (const EnoughTries&) {}
    return tries.points();
}

}  // namespace proxima::samples
