// SPDX-License-Identifier: MIT
// Small worlds with known answers. A law is a sentence of mechanics; it is tried at several parameters (sizes, masses,
// speeds, angles, some of them drawn at random), and each try gives what was measured beside what theory says.
// tests/laws asserts them, `proxima laws` prints them.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "physics/settings.h"

namespace proxima::physics {
class PhysicsWorld;
}

namespace proxima::samples {

/// One try of a law.
struct LawPoint {
    std::string parameters;  // "2 m, mu 0.4"
    double expected = 0.0;
    double measured = 0.0;
    double tolerance = 0.0;  // how far the two may differ
    bool holds() const;      // not when something is not finite
};

/// Steps one world of a law somewhere else than on the cpu.
class LawStepper {
  public:
    virtual ~LawStepper() = default;
    /// So many steps, after which the components are those of then. `changed`: the law has written some since the last.
    virtual Result<void> step(float dt, uint32_t steps, bool changed) = 0;
    /// m, of the last step.
    virtual float penetration_max() const = 0;
};

/// Where the worlds of laws can be stepped instead.
class LawDevice {
  public:
    virtual ~LawDevice() = default;
    /// The world outlives what it is stepped by.
    virtual Result<std::unique_ptr<LawStepper>> take(physics::PhysicsWorld& world) = 0;
    /// Why worlds were left to the cpu, since this was last emptied.
    std::vector<std::string> refused;
};

/// How the worlds of a law are stepped.
struct LawOptions {
    physics::StepSettings settings;  // gravity is the law's own business
    float dt = 1.0f / 60.0f;
    uint32_t seed = 1;            // of the parameters that are drawn at random
    uint32_t max_tries = 0;       // of a law, the first ones; 0: all
    LawDevice* device = nullptr;  // nullptr: the cpu
};

/// Collects the tries of a law, and draws parameters.
class LawTries {
  public:
    explicit LawTries(const LawOptions& options) : options_(options), random_(options.seed) {}

    const LawOptions& options() const { return options_; }
    /// Between low and high, evenly.
    float draw(float low, float high);
    /// The same on a scale of orders of magnitude.
    float draw_log(float low, float high);
    void add(std::string parameters, double expected, double measured, double tolerance);
    const std::vector<LawPoint>& points() const { return points_; }

  private:
    LawOptions options_;
    std::mt19937 random_;
    std::vector<LawPoint> points_;
};

struct Law {
    std::string_view name;      // "turntable"
    std::string_view sentence;  // "A box on a turntable slips at the speed where friction ends"
    std::string_view unit;      // of expected and measured
    void (*run)(LawTries& tries) = nullptr;
    bool changes_settings = false;  // those of Proxima's step, which other engines have not
    bool takes_long = false;        // minutes: only where it is asked for by its name
};

/// All of them, in the order of the table.
std::span<const Law> laws();
/// nullptr: there is none of that name.
const Law* find_law(std::string_view name);
std::vector<LawPoint> run_law(const Law& law, const LawOptions& options);

}  // namespace proxima::samples
