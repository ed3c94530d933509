// SPDX-License-Identifier: MIT
#include "physics/state/word_packing.h"

#include <algorithm>
#include <cstring>

namespace proxima::physics {

// A table: u32 rows, u8 whether rows are left out, then a bit for each row that is there; per column of those rows: u8
// the bytes of its short words, 0 for a column of zeros, then two bits a row (0: zero, 1: short, 2: three bytes, 3: four)
// and the bytes, lowest first.

namespace {

bool is_zero(const uint32_t* row, uint32_t width) {
    for (uint32_t k = 0; k < width; ++k)
        if (row[k] != 0) return false;
    return true;
}

void pack_column(const WordRows& rows, const std::vector<uint32_t>& there, uint32_t column, ByteWriter& out) {
    const uint32_t *const words = rows.words.data() + column, *const index = there.data();
    const size_t width = rows.width, count = there.size();
    size_t wide = 0, of_two = 0, of_one = 0;  // words that have a bit beyond two bytes, beyond one, and any other
    for (size_t k = 0; k < count; ++k) {
        const uint32_t word = words[index[k] * width];
        wide += word > 0xFFFFu;
        of_two += word > 0xFFu && word <= 0xFFFFu;
        of_one += word != 0 && word <= 0xFFu;
    }
    if (wide + of_two + of_one == 0) return out.value(uint8_t(0));
    // With a short length of one byte, words of two take three.
    const uint32_t brief = of_one > of_two ? 1 : 2, limit = brief == 1 ? 0xFFu : 0xFFFFu;
    out.value(uint8_t(brief));
    const uint32_t bytes_of_code[4] = {0, brief, 3, 4};
    const size_t codes = (count + 3) / 4;
    static thread_local std::vector<std::byte> packed;
    packed.resize(codes + count * 4 + 4);
    std::byte* const begin = packed.data();
    std::memset(begin, 0, codes);
    std::byte* to = begin + codes;
    for (size_t k = 0; k < count; ++k) {
        const uint32_t word = words[index[k] * width];
        const uint32_t code = uint32_t(word != 0) + uint32_t(word > limit) + uint32_t(word > 0xFFFFFFu);
        begin[k / 4] |= std::byte(code << 2 * (k % 4));
        std::memcpy(to, &word, sizeof(word));
        to += bytes_of_code[code];
    }
    out.raw(begin, size_t(to - begin));
}

bool unpack_column(ByteReader& in, const std::vector<uint32_t>& there, uint32_t column, WordRows& out) {
    const auto brief = in.value<uint8_t>();
    if (brief == 0) return in.ok();
    if (brief > 2) return false;
    const size_t count = there.size(), width = out.width;
    const std::byte* codes = in.take((count + 3) / 4);
    if (!codes) return false;
    const uint32_t bytes_of_code[4] = {0, brief, 3, 4};
    const auto code_of = [&](size_t k) { return uint32_t(codes[k / 4]) >> 2 * (k % 4) & 3; };
    size_t size = 0;
    for (size_t k = 0; k < count; ++k) size += bytes_of_code[code_of(k)];
    const std::byte* from = in.take(size);
    if (!from) return false;
    uint32_t* const words = out.words.data() + column;
    for (size_t k = 0; k < count; ++k) {
        const uint32_t bytes = bytes_of_code[code_of(k)];
        std::memcpy(words + there[k] * width, from, bytes);
        from += bytes;
    }
    return true;
}

}  // namespace

void pack_words(const WordRows& rows, ByteWriter& out) {
    const size_t count = rows.count();
    out.value(uint32_t(count));
    if (count == 0) return;
    static thread_local std::vector<uint32_t> there;
    there.clear();
    for (uint32_t i = 0; i < count; ++i)
        if (!is_zero(rows.row(i), rows.width)) there.push_back(i);
    const uint8_t sparse = there.size() < count;
    out.value(sparse);
    if (sparse) {
        out.value(uint32_t(there.size()));
        if (there.empty()) return;
        const size_t bytes = (count + 7) / 8;
        std::byte* bits = out.append(bytes);
        std::memset(bits, 0, bytes);
        for (const uint32_t i : there) bits[i / 8] |= std::byte(1u << i % 8);
    }
    for (uint32_t column = 0; column < rows.width; ++column) pack_column(rows, there, column, out);
}

bool unpack_words(ByteReader& in, uint32_t width, size_t max_rows, WordRows& out) {
    const auto count = in.value<uint32_t>();
    if (!in.ok() || count > max_rows) return false;
    out.reset(width, count);
    if (count == 0) return true;
    static thread_local std::vector<uint32_t> there;
    there.clear();
    const auto sparse = in.value<uint8_t>();
    if (!in.ok() || sparse > 1) return false;
    if (sparse) {
        const auto expected = in.value<uint32_t>();
        if (!in.ok() || expected >= count) return false;
        if (expected == 0) return true;
        const std::byte* bits = in.take((size_t(count) + 7) / 8);
        if (!bits) return false;
        for (uint32_t i = 0; i < count; ++i)
            if ((bits[i / 8] >> i % 8 & std::byte(1)) != std::byte(0)) there.push_back(i);
        if (there.size() != expected) return false;
    } else {
        for (uint32_t i = 0; i < count; ++i) there.push_back(i);
    }
    for (uint32_t column = 0; column < width; ++column)
        if (!unpack_column(in, there, column, out)) return false;
    return true;
}

void chain_rows(WordRows& rows) {
    for (size_t i = rows.words.size(); i-- > rows.width;) rows.words[i] ^= rows.words[i - rows.width];
}

void unchain_rows(WordRows& rows) {
    for (size_t i = rows.width; i < rows.words.size(); ++i) rows.words[i] ^= rows.words[i - rows.width];
}

}  // namespace proxima::physics
