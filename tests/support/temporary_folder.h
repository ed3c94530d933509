// SPDX-License-Identifier: MIT
// A folder of a test's own: tests run side by side, each in a process of its own, and so may two runs of all tests.
#pragma once

#include <cstddef>
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

    std::string file(const std::string& name) const { return (path / name).string(); }
    size_t files() const {
        size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path)) ++count;
        return count;
    }
};

}  // namespace proxima::test
