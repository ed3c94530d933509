// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "engine/core/assert.h"
#include "engine/core/bytes.h"
#include "engine/core/hash.h"
#include "engine/core/log.h"
#include "engine/core/result.h"
#include "engine/core/strong_index.h"

using namespace proxima;

// ---- strong indices

using BodyIndex = StrongIndex<struct BodyIndexTag>;
using PairIndex = StrongIndex<struct PairIndexTag, uint16_t>;

static_assert(!std::is_convertible_v<uint32_t, BodyIndex>);
static_assert(!std::is_convertible_v<BodyIndex, uint32_t>);
static_assert(!std::is_constructible_v<BodyIndex, PairIndex>);
static_assert(sizeof(BodyIndex) == 4 && sizeof(PairIndex) == 2);
static_assert(std::is_trivially_copyable_v<BodyIndex>);

TEST_CASE("a strong index is invalid until it gets a value, compares and hashes") {
    CHECK(!BodyIndex().valid());
    CHECK(BodyIndex::invalid() == BodyIndex());
    CHECK(!PairIndex(0xFFFF));
    CHECK(BodyIndex(3).valid());
    CHECK(BodyIndex(3).value() == 3);
    CHECK(BodyIndex(3) < BodyIndex(4));
    CHECK(BodyIndex(4) < BodyIndex::invalid());
    BodyIndex next(7);
    CHECK(++next == BodyIndex(8));
    const std::unordered_set<BodyIndex> set{BodyIndex(1), BodyIndex(2), BodyIndex(1)};
    CHECK(set.size() == 2);
    CHECK(set.contains(BodyIndex(2)));
}

// ---- hash

namespace {

template <class... Values>
uint64_t hash_of(const Values&... values) {
    StateHash hash;
    (hash.add(values), ...);
    return hash.value();
}

}  // namespace

TEST_CASE("the state hash has the values of its definition") {
    // Computed from the definition by a program in another language.
    CHECK(mix_bits(1) == 0x5692161d100b05e5ull);
    CHECK(hash_of() == 0x48218226ff3cd4bfull);
    CHECK(hash_of(0u) == 0xf05d222bbe850ed9ull);
    CHECK(hash_of(1, 2, 3) == 0x5d1150c978042e98ull);
    CHECK(hash_of(int8_t(-2)) == 0x7641d669defa4c63ull);
    CHECK(hash_of(uint64_t(0x0123456789ABCDEFull)) == 0x2f60e3271557e869ull);
    StateHash seeded(7);
    seeded.add(1.5f);
    seeded.add(-0.0f);
    seeded.add(std::numeric_limits<float>::quiet_NaN());
    CHECK(seeded.value() == 0x695d2901b16813cfull);
    StateHash text;
    text.add_text("proxima");
    CHECK(text.value() == 0x888c05ebf9c915d7ull);
}

TEST_CASE("the state hash tells zeros apart and takes all NaN for one") {
    CHECK(hash_of(0.0f) != hash_of(-0.0f));
    CHECK(hash_of(0.0) != hash_of(-0.0));
    CHECK(hash_of(std::bit_cast<float>(0xFFC00000u)) == hash_of(std::bit_cast<float>(0x7FC00001u)));
    CHECK(hash_of(std::bit_cast<double>(0xFFF8000000000000ull)) == hash_of(std::numeric_limits<double>::quiet_NaN()));
    CHECK(hash_of(std::numeric_limits<float>::infinity()) != hash_of(std::numeric_limits<float>::quiet_NaN()));
}

TEST_CASE("the state hash depends on order, on length and on every bit") {
    CHECK(hash_of(1u, 2u) != hash_of(2u, 1u));
    CHECK(hash_of(0u) != hash_of(0u, 0u));
    CHECK(hash_of(Vec3(1, 2, 3)) == hash_of(1.0f, 2.0f, 3.0f));
    CHECK(hash_of(Quat(4, 1, 2, 3)) == hash_of(1.0f, 2.0f, 3.0f, 4.0f));

    // One flipped bit anywhere in a stream of 16 words changes close to half of the 64 bits of the hash.
    double changed = 0.0;
    int smallest = 64;
    for (int bit = 0; bit < 16 * 32; ++bit) {
        StateHash a, b;
        for (int w = 0; w < 16; ++w) {
            const uint32_t value = uint32_t(w) * 0x01000193u;
            a.word(value);
            b.word(w == bit / 32 ? value ^ (1u << (bit % 32)) : value);
        }
        const int difference = std::popcount(a.value() ^ b.value());
        changed += difference;
        smallest = std::min(smallest, difference);
    }
    CHECK(changed / (16 * 32) == doctest::Approx(32.0).epsilon(0.02));
    CHECK(smallest > 12);
}

TEST_CASE("no two of a hundred thousand neighbouring states have the same hash") {
    std::unordered_set<uint64_t> seen;
    for (uint32_t x = 0; x < 316; ++x)
        for (uint32_t y = 0; y < 316; ++y) seen.insert(hash_of(float(x), float(y)));
    CHECK(seen.size() == 316 * 316);
}

// ---- result and assert

TEST_CASE("a result holds a value or a sentence") {
    const auto half = [](int n) -> Result<int> {
        if (n % 2) return Error{"The number is odd; give an even one."};
        return n / 2;
    };
    CHECK(half(4).ok());
    CHECK(*half(4) == 2);
    CHECK(half(4).error().empty());
    CHECK(!half(3));
    CHECK(half(3).error() == "The number is odd; give an even one.");

    Result<std::unique_ptr<int>> owner = std::make_unique<int>(5);
    CHECK(**owner == 5);
    const std::unique_ptr<int> moved = std::move(owner).value();
    CHECK(*moved == 5);

    CHECK(Result<void>().ok());
    CHECK(Result<void>(Error{"No."}).error() == "No.");
    // A result of text knows a value from an error.
    CHECK(Result<std::string>(std::string("text")).ok());
    CHECK(!Result<std::string>(Error{"text"}).ok());
}

#if defined(PROXIMA_ASSERTS) || !defined(NDEBUG)
namespace {
std::string last_assert;
}
TEST_CASE("a failed assertion reaches the host's handler with its message") {
    const AssertHandler before =
        set_assert_handler([](const char* condition, const char*, int line, const std::string& message) {
            last_assert = std::string(condition) + " | " + message + (line > 0 ? "" : " | no line");
        });
    PX_ASSERT(1 + 1 == 2, "arithmetic works");
    CHECK(last_assert.empty());
    PX_ASSERT(1 + 1 == 3, "arithmetic is broken");
    CHECK(last_assert == "1 + 1 == 3 | arithmetic is broken");
    set_assert_handler(before);
}
#endif

// ---- bytes

TEST_CASE("values written to bytes are read back in order") {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.value(42);
    out.text("hello");
    out.array(std::vector<float>{1.0f, 2.0f});
    out.array(std::vector<float>{});
    out.text("");
    out.value(uint8_t(9));

    ByteReader in(bytes);
    std::string text;
    std::vector<float> array{5.0f};
    CHECK(in.value<int>() == 42);
    CHECK(in.text(text));
    CHECK(text == "hello");
    CHECK(in.array(array));
    CHECK(array == std::vector<float>{1.0f, 2.0f});
    CHECK(in.array(array));
    CHECK(array.empty());
    CHECK(in.text(text));
    CHECK(text.empty());
    CHECK(in.value<uint8_t>() == 9);
    CHECK(in.ok());
    CHECK(in.remaining() == 0);
}

TEST_CASE("reading past the end of bytes yields zeros and stays failed") {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.value(uint16_t(0xFFFF));
    out.value(uint16_t(0xFFFF));
    ByteReader in(bytes);
    CHECK(in.value<uint64_t>() == 0);
    CHECK(!in.ok());
    CHECK(in.value<uint16_t>() == 0);  // two bytes are there, but the order is lost
    CHECK(!in.ok());
}

TEST_CASE("a count larger than the bytes that follow is refused before memory is taken") {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.value(std::numeric_limits<uint64_t>::max());
    out.value(1.0f);
    std::vector<float> array{3.0f};
    ByteReader first(bytes);
    CHECK(!first.array(array));
    CHECK(!first.ok());
    CHECK(array == std::vector<float>{3.0f});
    std::string text = "kept";
    ByteReader second(bytes);
    CHECK(!second.text(text));
    CHECK(text == "kept");
}

// ---- log

TEST_CASE("a host receives messages at or above the level, formatted") {
    std::vector<std::pair<LogLevel, std::string>> received;
    set_log_sink([&](LogLevel level, std::string_view message) { received.emplace_back(level, message); });
    const LogLevel before = log_level();
    set_log_level(LogLevel::info);
    log_debug("not {}", "seen");
    log_info("{} bodies, {:.2f} ms", 12, 1.5);
    log_warning("{{}}");
    set_log_level(LogLevel::error);
    log_warning("not seen");
    log_error("seen {}", std::string("too"));
    set_log_level(LogLevel::off);
    log_error("not seen");
    CHECK(!log_enabled(LogLevel::off));
    set_log_level(before);
    set_log_sink({});

    REQUIRE(received.size() == 3);
    CHECK(received[0] == std::pair(LogLevel::info, std::string("12 bodies, 1.50 ms")));
    CHECK(received[1] == std::pair(LogLevel::warning, std::string("{}")));
    CHECK(received[2] == std::pair(LogLevel::error, std::string("seen too")));
}

TEST_CASE("a sink may replace itself while it is called") {
    int first = 0, second = 0;
    set_log_sink([&](LogLevel, std::string_view) {
        ++first;
        set_log_sink([&](LogLevel, std::string_view) { ++second; });
    });
    log_error("one");
    log_error("two");
    set_log_sink({});
    CHECK(first == 1);
    CHECK(second == 1);
}
