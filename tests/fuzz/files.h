// SPDX-License-Identifier: MIT
// The file fuzzers: everything that reads a file gets damaged ones. A sentence or success, never a crash, never long.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tests/fuzz/source.h"

namespace proxima::fuzz {

/// How it went to read a file.
struct Tried {
    bool read = false;  // it was; otherwise it was refused
    std::string wrong;  // with either, or nothing
};
/// Reads the bytes of a file and does something with what is in it.
using TryFile = Tried (*)(const std::string& bytes);

/// One kind of file: what reads it, and good ones to be damaged.
struct FileKind {
    const char* name;
    TryFile try_file;
    std::span<const std::string> (*good_files)();
    bool is_text;
    void (*update_checksum)(std::string& bytes);  // nullptr: it has none
};

/// scene, problem, dump, recording, obj, gltf, glb.
std::span<const FileKind> file_kinds();
/// nullptr when there is no such kind.
const FileKind* find_file_kind(std::string_view name);

/// A damaged file of a kind.
std::string make_damaged(const FileKind& kind, Source& source);
/// Tries the damaged files of these numbers.
std::string run_file_cases(const FileKind& kind, uint64_t first, uint64_t count);

}  // namespace proxima::fuzz
