// SPDX-License-Identifier: MIT
// The API fuzzer: programs of random calls, run several times in ways that must not make a difference.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "tests/fuzz/rig.h"

namespace proxima::fuzz {

/// One call: which action, and the bytes that its decisions are taken from. It does not depend on the calls
/// before it, so a program stays a program when calls are left out.
struct Call {
    uint8_t action = 0;
    std::array<uint8_t, 15> bytes{};
};

struct Program {
    std::array<uint8_t, 15> setup{};
    std::vector<Call> calls;
};

/// The program of a seed.
Program make_program(uint64_t seed, uint32_t calls = 400);
/// The program of a fuzzer's input: 15 bytes of set-up, then 16 a call.
Program read_program(std::span<const uint8_t> bytes, uint32_t max_calls = 400);
/// Such an input.
std::string write_program(const Program& program);

struct ApiRun {
    std::vector<uint64_t> hashes;  // of everything, after each step
    std::string failure;           // empty: none
};
/// `trace`: where each call says what it does.
ApiRun run_once(const Program& program, const Variant& variant, std::FILE* trace = nullptr);

/// Runs it on one thread and on two, with and without saves and restores inserted, and compares everything after each
/// step. Returns what is wrong, or nothing.
std::string run_program(const Program& program, std::FILE* trace = nullptr);

/// The same in a process of its own: a crash is a sentence too.
std::string run_isolated(const Program& program);

/// The calls that a failing program needs to fail in the same way.
Program minimise(const Program& program, size_t attempts);
/// Prints what a program does in the run that fails.
void describe(const Program& program, std::FILE* out);

}  // namespace proxima::fuzz
