// SPDX-License-Identifier: MIT
// "Did you mean ...?": the nearest of a list of known words, for error sentences; and words of files in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxima {

/// What stands in a file, short enough for a sentence.
inline std::string clip(std::string_view text, size_t most = 60) {
    return text.size() <= most ? std::string(text) : std::string(text.substr(0, most)) + "...";
}

/// Levenshtein distance: how many letters to insert, remove or replace.
inline size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];  // distance of a[0, i-1) and b[0, j-1)
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

/// The known word with the smallest distance, the first one of several; empty when the list is.
template <class Words>
std::string_view nearest_word(std::string_view word, const Words& known) {
    std::string_view best;
    size_t best_distance = size_t(-1);
    for (const auto& candidate : known) {
        const std::string_view text(candidate);
        const size_t distance = edit_distance(word, text);
        if (distance < best_distance) {
            best = text;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace proxima
