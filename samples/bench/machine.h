// SPDX-License-Identifier: MIT
// The machine that measured: a card that stands on top of every table of figures, and what the operating
// system says of a process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace proxima::bench {

/// "what: value" in the order of printing. `engines` are the names of those that take part.
using MachineCard = std::vector<std::pair<std::string, std::string>>;
MachineCard make_machine_card(std::span<const std::string> engines, const std::string& command);

/// Of one core, data only; the usual sizes where the system does not say.
struct CacheSizes {
    size_t l1 = 32u << 10, l2 = 512u << 10, l3 = 8u << 20;
};
CacheSizes cache_sizes();

/// The most memory that this process has held so far; 0 where the system does not say.
double peak_memory_mb();

/// The program that is running, so that it can start itself; `fallback` where the system does not say.
std::string path_of_this_program(const std::string& fallback);

}  // namespace proxima::bench
