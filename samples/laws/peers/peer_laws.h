// SPDX-License-Identifier: MIT
// The worlds of laws in other engines, through the adapters of samples/bench.
#pragma once

#include <string>

#include "samples/bench/engines.h"
#include "samples/laws/laws.h"

namespace proxima::samples {

/// Bodies are read from the components of a law's world, with exact masses and moments, and the surfaces that it has
/// between any two of them; poses and velocities go back into the components after every step. What an engine cannot
/// have is refused with a sentence. Its settings stay its defaults, but for those of EngineDescription.
class PeerLaws final : public LawDevice {
  public:
    /// A peer that is built in. `accurate`: with what the engine leaves out for speed by default and has a switch for.
    explicit PeerLaws(const bench::Peer& peer, bool accurate = false)
        : peer_(peer), description_(peer.describe()), accurate_(accurate) {}
    Result<std::unique_ptr<LawStepper>> take(physics::PhysicsWorld& world) override;

    const bench::Peer& peer() const { return peer_; }
    const bench::EngineDescription& description() const { return description_; }

  private:
    class Stepper;

    const bench::Peer& peer_;
    bench::EngineDescription description_;
    bool accurate_;
};

}  // namespace proxima::samples
