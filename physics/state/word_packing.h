// SPDX-License-Identifier: MIT
// Rows of 32-bit words packed without loss: columns whose words are all zero cost nothing, and words cost as many bytes
// as they have up to their highest one. Callers make words small by taking away what they predict.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/bytes.h"

namespace proxima::physics {

/// Words of one table, row by row.
struct WordRows {
    uint32_t width = 0;  // words of a row
    std::vector<uint32_t> words;

    size_t count() const { return width > 0 ? words.size() / width : 0; }
    uint32_t* row(size_t i) { return words.data() + i * width; }
    const uint32_t* row(size_t i) const { return words.data() + i * width; }
    void reset(uint32_t w, size_t rows) {
        width = w;
        words.assign(rows * w, 0);
    }
};

/// Rows that are all zero are left out first, so that a difference costs an eighth of a byte for what stayed.
void pack_words(const WordRows& rows, ByteWriter& out);
/// False when the bytes are no table of that width, or one of more than `max_rows` rows.
bool unpack_words(ByteReader& in, uint32_t width, size_t max_rows, WordRows& out);

/// Each row but the first becomes the difference to the one before it, and back: for tables whose rows are alike.
void chain_rows(WordRows& rows);
void unchain_rows(WordRows& rows);

}  // namespace proxima::physics
