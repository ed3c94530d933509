// SPDX-License-Identifier: MIT
// Laws as a table: a row a law, a column an engine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "samples/laws/laws.h"

namespace proxima::tool {

using Json = nlohmann::ordered_json;

size_t count_held(const std::vector<samples::LawPoint>& points);
Json tries_as_json(const std::vector<samples::LawPoint>& points);

struct LawTableFormat {
    bool all = false;   // every try below its law
    bool json = false;  // for programs, with every try
};

/// Tries laws on the CPU and in peers that are built in, prints the table, and gives the exit code.
int compare_laws(const std::vector<const samples::Law*>& laws, const samples::LawOptions& options,
                 const std::vector<std::string>& peers, bool accurate, const LawTableFormat& format);

}  // namespace proxima::tool
