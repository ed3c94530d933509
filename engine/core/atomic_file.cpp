// SPDX-License-Identifier: MIT
#include "engine/core/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

namespace proxima {

namespace {

std::string temporary_name(const std::string& file) {
#if defined(_WIN32)
    return file + "." + std::to_string(_getpid()) + ".tmp";
#else
    return file + "." + std::to_string(getpid()) + ".tmp";  // two programs writing one file must not meet
#endif
}

Error cannot(const char* what, const std::string& file, const std::string& why) {
    return Error{std::string("Cannot ") + what + " '" + file + "': " + why + "."};
}

/// What stands in the way of a file of that name, as far as the folder can tell.
Result<void> check_destination(const std::string& file) {
    std::error_code error;
    if (file.empty()) return Error{"Cannot write a file without a name."};
    if (std::filesystem::is_directory(file, error)) return cannot("write", file, "it is a folder");
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder, error))
        return cannot("write", file, "there is no folder '" + folder.string() + "'");
    return {};
}

}  // namespace

Result<void> check_writable(const std::string& file) {
    if (Result<void> checked = check_destination(file); !checked) return checked;
    const std::string temporary = temporary_name(file);
    errno = 0;
    std::FILE* opened = std::fopen(temporary.c_str(), "wb");
    if (!opened) return cannot("write", file, std::strerror(errno));
    std::fclose(opened);
    std::remove(temporary.c_str());
    return {};
}

Result<void> write_file(const std::string& file, std::string_view bytes) {
    if (Result<void> checked = check_destination(file); !checked) return checked;
    const std::string temporary = temporary_name(file);
    errno = 0;
    std::FILE* opened = std::fopen(temporary.c_str(), "wb");
    if (!opened) return cannot("write", file, std::strerror(errno));
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), opened) == bytes.size();
    const int write_error = errno;
    const bool closed = std::fclose(opened) == 0;  // a full disk may show only here
    if (!written || !closed) {
        std::remove(temporary.c_str());
        return cannot("write", file, std::strerror(written ? errno : write_error));
    }
    std::error_code error;
    std::filesystem::rename(temporary, file, error);
    if (error) {
        std::remove(temporary.c_str());
        return cannot("write", file, error.message());
    }
    return {};
}

Result<std::string> read_file(const std::string& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) return cannot("read", file, "it is a folder");
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return cannot("read", file, std::strerror(errno ? errno : ENOENT));
    std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    if (stream.bad()) return cannot("read", file, "it could not be read to its end");
    return bytes;
}

}  // namespace proxima
