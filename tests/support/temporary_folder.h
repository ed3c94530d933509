// SPDX-License-Identifier: MIT
// A folder of a test's own: tests run side by side, each in a process of its own.
#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace proxima::test {

struct TemporaryFolder {
    std::filesystem::path path;

    TemporaryFolder() {
        std::random_device random;
        do {
            path = std::filesystem::temp_directory_path() / ("proxima_test_" + std::to_string(random()));
        } while (!std::filesystem::create_directory(path));
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace proxima::test
