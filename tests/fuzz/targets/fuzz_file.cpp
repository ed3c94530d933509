// SPDX-License-Identifier: MIT
// libFuzzer: files of the kinds in PROXIMA_FUZZ_KINDS. The first byte of an input chooses one of them where
// there are several.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/fuzz/files.h"

using namespace proxima;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr const char* kKinds[] = {PROXIMA_FUZZ_KINDS};
constexpr size_t kHead = std::size(kKinds) > 1 ? 1 : 0;

const fuzz::FileKind& kind_of(const uint8_t* data) {
    return *fuzz::find_file_kind(kKinds[kHead ? data[0] % std::size(kKinds) : 0]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < kHead) return 0;
    const std::string failure =
        kind_of(data).try_file(std::string(reinterpret_cast<const char*>(data) + kHead, size - kHead)).wrong;
    if (failure.empty()) return 0;
    std::fprintf(stderr, "%s\n", failure.c_str());
    std::abort();
}

/// What a checksum would refuse at once gets a right one.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned) {
    size = LLVMFuzzerMutate(data, size, max_size);
    if (size < kHead) return size;
    const fuzz::FileKind& kind = kind_of(data);
    if (!kind.update_checksum) return size;
    std::string bytes(reinterpret_cast<const char*>(data) + kHead, size - kHead);
    kind.update_checksum(bytes);
    std::memcpy(data + kHead, bytes.data(), bytes.size());
    return size;
}
