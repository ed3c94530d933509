// SPDX-License-Identifier: MIT
// Crowds of moving boxes, and the structures that find their overlapping pairs: Proxima's and two of
// Bullet's, behind one interface.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/math.h"
#include "engine/core/result.h"

namespace proxima::bench {

/// Boxes and how they move: box i goes to and fro along velocity[i], a straight line per update.
struct Crowd {
    std::string name;
    std::vector<Aabb> boxes;
    std::vector<Vec3> velocities;  // m per update; zero for boxes that rest
    std::vector<uint8_t> moves;    // whether it is a body that can move (two that cannot never pair)
};

struct CrowdInfo {
    std::string_view name, description;
};
std::span<const CrowdInfo> crowd_table();
/// A crowd of the table with `count` boxes, the same every time. The name must be in the table.
Crowd make_crowd(std::string_view name, uint32_t count);
/// Names of crowds in a comma-separated list; "all" stands for all. A sentence for an unknown one.
Result<std::vector<std::string>> parse_crowds(const std::string& list);

/// Where the boxes are in an update: only those in `movers`, the others are where they began.
class CrowdMotion {
  public:
    explicit CrowdMotion(const Crowd& crowd);
    std::span<const uint32_t> movers() const { return movers_; }
    /// The boxes of the movers, in their order.
    std::span<const Aabb> at(uint32_t update);

  private:
    const Crowd& crowd_;
    std::vector<uint32_t> movers_;
    std::vector<Aabb> boxes_;
};

/// Finds pairs of overlapping boxes.
class PairSearch {
  public:
    virtual ~PairSearch() = default;
    /// Gives the movers their boxes and brings the pairs up to date: the call that is timed.
    virtual void update(std::span<const uint32_t> movers, std::span<const Aabb> boxes) = 0;
    /// Pairs whose boxes really overlap now. Some structures keep more, with a margin or until they tidy up.
    virtual uint64_t exact_pairs() const = 0;
};

struct PairSearchInfo {
    std::string_view name;
    bool ours = false;       // takes a number of threads
    uint32_t max_boxes = 0;  // that it can hold; 0: any number
    std::unique_ptr<PairSearch> (*make)(const Crowd& crowd, uint32_t threads) = nullptr;
};
/// proxima, proxima_in_bullet, btDbvtBroadphase, btAxisSweep3, bt32BitAxisSweep3.
std::span<const PairSearchInfo> pair_search_table();

}  // namespace proxima::bench
