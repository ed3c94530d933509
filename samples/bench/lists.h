// SPDX-License-Identifier: MIT
// Comma-separated lists, as flags take them and as sentences show them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace proxima::bench {

/// The parts of "a,b, c", without blanks around them; empty parts are left out.
inline std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const size_t end = std::min(text.find(','), text.size());
        std::string_view part = text.substr(0, end);
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        if (!part.empty()) out.emplace_back(part);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

template <class Words>
std::string join_list(const Words& words) {
    std::string out;
    for (const auto& word : words) {
        if (!out.empty()) out += ", ";
        out += word;
    }
    return out;
}

}  // namespace proxima::bench
