// SPDX-License-Identifier: MIT
// Runs cases of the fuzzers by hand: many of them to look for failures, or one to look at it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/api.h"
#include "tests/fuzz/files.h"
#include "tests/fuzz/isolate.h"
#include "tests/fuzz/snapshots.h"

using namespace proxima;

namespace {

int usage() {
    std::fputs(
        "usage: fuzz_replay KIND FIRST [COUNT]    runs these cases; api is slow, others are quick\n"
        "       fuzz_replay KIND NUMBER --here    one case in this process, for a debugger\n"
        "       fuzz_replay KIND NUMBER --write FILE   the damaged file of a case\n"
        "       fuzz_replay api NUMBER --trace    says what each call does\n"
        "       fuzz_replay api NUMBER --minimal  the calls that a failure needs\n"
        "       fuzz_replay corpus FOLDER         good files of each kind, to start libFuzzer with\n"
        "KIND is api, snapshot, scene, problem, dump, recording, obj, gltf or glb.\n",
        stderr);
    return 2;
}

int say(const std::string& failure) {
    std::printf("%s\n", failure.empty() ? "no failure" : failure.c_str());
    return failure.empty() ? 0 : 1;
}

int run_worlds(uint64_t first, uint64_t count) {
    uint64_t failures = 0, calls = 0;
    for (uint64_t seed = first; seed < first + count; ++seed) {
        const fuzz::Program program = fuzz::make_program(seed);
        const std::string failure = fuzz::run_isolated(program);
        if (failure.empty()) {
            calls += program.calls.size();  // one that fails does not get to its end
            continue;
        }
        ++failures;
        std::printf("seed %llu %s\n", static_cast<unsigned long long>(seed), failure.c_str());
        std::fflush(stdout);
    }
    std::printf("%llu of %llu worlds failed; the others went through %llu calls in every variant\n",
                static_cast<unsigned long long>(failures), static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(calls));
    return failures == 0 ? 0 : 1;
}

int replay_world(uint64_t seed, const std::string& how) {
    const fuzz::Program program = fuzz::make_program(seed);
    if (how == "--minimal") {
        fuzz::describe(fuzz::minimise(program, 2000), stdout);
        return 0;
    }
    return say(fuzz::run_program(program, how == "--trace" ? stdout : nullptr));
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

int write_corpus(const std::filesystem::path& folder) {
    int number = 0;
    for (const fuzz::FileKind& kind : fuzz::file_kinds())
        for (const std::string& file : kind.good_files())
            write_file(folder / kind.name / ("good_" + std::to_string(number++)), file);
    const fuzz::SnapshotFuzzer snapshots;
    for (const std::string& file : snapshots.good_files())
        write_file(folder / "snapshot" / ("good_" + std::to_string(number++)), file);
    for (uint64_t seed = 0; seed < 20; ++seed)
        write_file(folder / "api" / ("seed_" + std::to_string(seed)),
                   fuzz::write_program(fuzz::make_program(seed, 60)));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() < 2) return usage();
    const std::string& kind = arguments[0];
    if (kind == "corpus") return write_corpus(arguments[1]);
    const fuzz::FileKind* file = fuzz::find_file_kind(kind);
    if (!file && kind != "api" && kind != "snapshot") return usage();
    const uint64_t first = std::strtoull(arguments[1].c_str(), nullptr, 10);
    const std::string what = arguments.size() > 2 ? arguments[2] : "1";
    const auto run = [&](uint64_t begin, uint64_t count) {
        return file ? fuzz::run_file_cases(*file, begin, count) : fuzz::run_snapshot_cases(begin, count);
    };
    if (what.starts_with("--")) {
        if (kind == "api") return replay_world(first, what);
        if (what == "--here") return say(run(first, 1));
        if (what != "--write" || !file || arguments.size() < 4) return usage();
        fuzz::Source source(first);
        write_file(arguments[3], fuzz::make_damaged(*file, source));
        return 0;
    }
    const uint64_t count = std::strtoull(what.c_str(), nullptr, 10);
    if (kind == "api") return run_worlds(first, count);
    const std::vector<fuzz::FailedCase> failed = fuzz::run_cases(first, count, 20, run);
    for (const fuzz::FailedCase& one : failed)
        std::printf("%s %llu %s\n", kind.c_str(), static_cast<unsigned long long>(one.number), one.failure.c_str());
    std::printf("%zu failures found in %llu cases\n", failed.size(), static_cast<unsigned long long>(count));
    return failed.empty() ? 0 : 1;
}
