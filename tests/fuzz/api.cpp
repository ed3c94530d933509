// SPDX-License-Identifier: MIT
#include "tests/fuzz/api.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/hash.h"
#include "tests/fuzz/actions.h"
#include "tests/fuzz/isolate.h"
#include "tests/fuzz/minimise.h"

namespace proxima::fuzz {

namespace {

/// Which action a byte stands for, by weight.
uint8_t action_of(uint32_t choice) {
    const std::span<const Action> list = actions();
    uint32_t all = 0;
    for (const Action& action : list) all += action.weight;
    choice %= all;
    uint8_t at = 0;
    while (choice >= list[at].weight) choice -= list[at++].weight;
    return at;
}

/// A number that a call has whatever its place in a program.
uint64_t label_of(const Call& call) {
    StateHash hash;
    hash.add(call.action);
    hash.add_bytes(std::as_bytes(std::span(call.bytes)));
    return hash.value();
}

}  // namespace

Program make_program(uint64_t seed, uint32_t calls) {
    Source source(seed);
    Program program;
    for (uint8_t& byte : program.setup) byte = source.byte();
    for (uint32_t k = 0; k < calls; ++k) {
        Call call;
        call.action = k < 12 ? 0 : action_of(source.word());  // bodies first
        for (uint8_t& byte : call.bytes) byte = source.byte();
        program.calls.push_back(call);
    }
    return program;
}

Program read_program(std::span<const uint8_t> bytes, uint32_t max_calls) {
    Program program;
    const size_t head = std::min(bytes.size(), program.setup.size());
    std::copy_n(bytes.begin(), head, program.setup.begin());
    bytes = bytes.subspan(head);
    while (bytes.size() >= 16 && program.calls.size() < max_calls) {
        Call call;
        call.action = uint8_t(bytes[0] % actions().size());
        std::copy_n(bytes.begin() + 1, call.bytes.size(), call.bytes.begin());
        program.calls.push_back(call);
        bytes = bytes.subspan(16);
    }
    return program;
}

std::string write_program(const Program& program) {
    std::string bytes(program.setup.begin(), program.setup.end());
    for (const Call& call : program.calls) {
        bytes += char(call.action);
        bytes.append(call.bytes.begin(), call.bytes.end());
    }
    return bytes;
}

ApiRun run_once(const Program& program, const Variant& variant, std::FILE* trace) {
    Rig rig(variant);
    rig.trace = trace;
    Source setup{std::span<const uint8_t>(program.setup)};
    set_up(rig, setup);
    for (const Call& call : program.calls) {
        if (!rig.failure.empty()) break;
        rig.label = label_of(call);
        // About every fifteenth call, and the same ones when others are left out.
        if (const uint64_t how = rig.label % 30; how < 2) save_and_restore(rig, how == 1);
        const Action& action = actions()[call.action];
        rig.note(fmt::format("{}", action.name));
        Source source{std::span<const uint8_t>(call.bytes)};
        action.run(rig, source);
    }
    return {std::move(rig.hashes), std::move(rig.failure)};
}

namespace {

struct NamedVariant {
    Variant variant;
    const char* name;
};
constexpr NamedVariant kVariants[] = {
    {{.threads = 1}, "on one thread"},
    {{.threads = 2}, "on two threads"},
    {{.threads = 1, .restores = true}, "with restores"},
    {{.threads = 2, .restores = true}, "with restores on two threads"},
};

/// Runs one and says what is wrong with it. `first` are the hashes of the first one, which fills them.
std::string run_variant(const Program& program, const NamedVariant& named, std::vector<uint64_t>& first,
                        std::FILE* trace) {
    ApiRun run = run_once(program, named.variant, trace);
    if (!run.failure.empty()) return fmt::format("{}: {}", named.name, run.failure);
    if (&named == kVariants) first = run.hashes;
    for (size_t k = 0; k < first.size(); ++k)
        if (k >= run.hashes.size() || run.hashes[k] != first[k])
            return fmt::format("{}: another future from step call {} of {} on.", named.name, k + 1, first.size());
    return {};
}

/// What two failures have in common that have the same cause, more or less: all but the numbers.
std::string kind_of(std::string failure) {
    std::erase_if(failure, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == 'e'; });
    return failure.substr(0, 400);
}

}  // namespace

std::string run_program(const Program& program, std::FILE* trace) {
    std::vector<uint64_t> first;
    for (const NamedVariant& named : kVariants) {
        if (trace) std::fprintf(trace, "---- %s\n", named.name);
        if (std::string wrong = run_variant(program, named, first, trace); !wrong.empty()) return wrong;
    }
    return {};
}

std::string run_isolated(const Program& program) {
    return isolated([&] { return run_program(program); });
}

Program minimise(const Program& program, size_t attempts) {
    const std::string kind = kind_of(run_isolated(program));
    Program shorter = program;
    shorter.calls = minimise(
        program.calls,
        [&](const std::vector<Call>& calls) {
            return kind_of(run_isolated({program.setup, calls})) == kind;
        },
        attempts);
    return shorter;
}

void describe(const Program& program, std::FILE* out) {
    std::FILE* trace = std::tmpfile();
    if (!trace) return;
    const std::string failure = isolated([&] { return run_program(program, trace); });
    // The run that fails is the last.
    std::rewind(trace);
    std::string lines;
    char line[1024];
    while (std::fgets(line, sizeof(line), trace)) {
        if (std::string_view(line).starts_with("----")) lines.clear();
        lines += line;
    }
    std::fclose(trace);
    std::fprintf(out, "%s%s\n", lines.c_str(), failure.empty() ? "no failure" : failure.c_str());
    std::fflush(out);
}

}  // namespace proxima::fuzz
