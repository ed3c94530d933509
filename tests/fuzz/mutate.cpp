// SPDX-License-Identifier: MIT
#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace proxima::fuzz {

namespace {

constexpr size_t kMaxSize = size_t(1) << 20;  // doubling does not go on for ever

struct Run {
    size_t begin = 0, size = 0;
};
Run pick_run(const std::string& bytes, Source& source) {
    if (bytes.empty()) return {};
    const size_t begin = source.below(uint32_t(bytes.size()));
    const size_t most = source.once_in(4) ? bytes.size() - begin : std::min<size_t>(bytes.size() - begin, 64);
    return {begin, 1 + source.below(uint32_t(most))};
}

/// Four or eight bytes that mean something: at the ends of ranges, or close to numbers that were there.
std::string number_bytes(Source& source) {
    uint64_t number = 0;
    size_t size = source.once_in(2) ? 4 : 8;
    switch (source.below(5)) {
        case 0:
            number = source.below(256);
            break;
        case 1:
            number = ~uint64_t(source.below(256));
            break;
        case 2:
            number = uint64_t(1) << source.below(64);
            break;
        case 3:
            number = source.word();
            break;
        default:
            number = std::bit_cast<uint32_t>(source.once_in(2) ? source.nonsense() : source.between(-10.0f, 10.0f));
            size = 4;
            break;
    }
    return std::string(reinterpret_cast<const char*>(&number), size);
}

void mutate_once(std::string& bytes, std::span<const std::string> others, Source& source) {
    if (bytes.empty()) {
        bytes += char(source.byte());
        return;
    }
    const size_t at = source.below(uint32_t(bytes.size()));
    switch (source.below(9)) {
        case 0:
        case 1:
            bytes[at] = char(uint8_t(bytes[at]) ^ 1u << source.below(8));
            break;
        case 2:
            bytes[at] = char(source.byte());
            break;
        case 3:
        case 4: {
            const std::string number = number_bytes(source);
            const size_t aligned = source.once_in(4) ? at : at / 4 * 4;
            for (size_t k = 0; k < number.size() && aligned + k < bytes.size(); ++k) bytes[aligned + k] = number[k];
            break;
        }
        case 5:
            bytes.resize(at);
            break;
        case 6: {
            const Run run = pick_run(bytes, source);
            bytes.erase(run.begin, run.size);
            break;
        }
        case 7: {
            const Run run = pick_run(bytes, source);
            if (bytes.size() + run.size <= kMaxSize) bytes.insert(run.begin, bytes.substr(run.begin, run.size));
            break;
        }
        default: {
            if (others.empty()) break;
            const std::string& other = source.pick_of(others);
            const Run run = pick_run(other, source);
            const size_t to = source.once_in(2) ? std::min(run.begin, bytes.size()) : at;  // mostly the same place
            for (size_t k = 0; k < run.size && to + k < bytes.size(); ++k) bytes[to + k] = other[run.begin + k];
            break;
        }
    }
}

bool is_number(char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+'; }

/// Another word in the place of a number, or of anything else.
void replace_word(std::string& text, Source& source) {
    static constexpr std::string_view words[] = {
        "0",    "-1",      "1e999",    "-1e999",     "1e-999",
        "NaN",  "nan",     "inf",      "4294967295", "65536",
        "-0",   "1e38",    "1e-45",    "null",       "true",
        "\"\"", "{}",      "[]",       "[[",         "}",
        "]",    ",",       ":",        "\"",         "1234567890123456789012345",
        "\n",   "1",       "2",        "3",          "0.5",
        " ",    "\\u0000", "\xff\xfe", "e",          "0x10"};
    size_t at = source.below(uint32_t(text.size()));
    if (!source.once_in(4))
        while (at < text.size() && !is_number(text[at])) ++at;
    size_t end = at;
    while (end < text.size() && is_number(text[end])) ++end;
    text.replace(at, end - at, source.pick(words));
}

void nest(std::string& text, Source& source) {
    const size_t at = source.below(uint32_t(text.size()));
    const char bracket = source.once_in(2) ? '[' : '{';
    text.insert(at, std::string(1 + source.below(source.once_in(8) ? 100000 : 10), bracket));
}

}  // namespace

std::string mutate_bytes(std::string bytes, std::span<const std::string> others, Source& source) {
    const uint32_t count = 1 + source.below(4);
    for (uint32_t k = 0; k < count; ++k) mutate_once(bytes, others, source);
    return bytes;
}

std::string mutate_text(std::string text, std::span<const std::string> others, Source& source) {
    const uint32_t count = 1 + source.below(4);
    for (uint32_t k = 0; k < count; ++k) {
        if (text.empty() || source.once_in(3))
            mutate_once(text, others, source);
        else if (source.once_in(12))
            nest(text, source);
        else
            replace_word(text, source);
    }
    return text;
}

}  // namespace proxima::fuzz
