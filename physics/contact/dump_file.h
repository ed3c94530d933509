// SPDX-License-Identifier: MIT
// Contact problems of worlds as files: our own binary form, and the text layout of contact/delassus_file.h.
// The binary layout, byte by byte, stands in docs/problems.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "physics/contact/capture.h"

namespace proxima::physics {

inline constexpr std::string_view kDumpExtension = ".pxc";

/// The binary form; little-endian on every machine.
std::string format_dump(const ContactDump& dump);
/// Reads it back bit for bit, also what version 1 wrote, which knew contacts only. `name` stands for the file in
/// errors, which say whether it is no dump at all, of another version, cut short, damaged, or holds nonsense.
Result<ContactDump> parse_dump(std::string_view bytes, std::string_view name);
/// Makes the checksum of such bytes right again, for tools and tests that change them.
void update_dump_checksum(std::string& bytes);
/// Whether bytes begin like a dump.
bool looks_like_dump(std::string_view bytes);

/// The form that an ending stands for: .pxc is binary, .dat and .txt are text with W in sparse blocks. A
/// sentence for any other ending.
enum class DumpForm : uint8_t { binary, text };
Result<DumpForm> dump_form(const std::filesystem::path& path);

/// Text has no place for bilateral blocks, compliance, groups and warm start; a problem with bilateral blocks
/// or compliance is refused, and so is one whose W has more than kMaxTextBlocks blocks. The file appears
/// complete or not at all.
inline constexpr uint64_t kMaxTextBlocks = 500000;  // about 100 MB of digits
Result<void> write_dump(const std::filesystem::path& path, const ContactDump& dump);

Result<ContactDump> read_dump(const std::filesystem::path& path);

}  // namespace proxima::physics
