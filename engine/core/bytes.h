// SPDX-License-Identifier: MIT
// Appending plain values to a byte buffer and reading them back with bounds checks: snapshots, recordings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace proxima {

class ByteWriter {
  public:
    explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

    /// Makes room for `size` bytes at the end; the pointer holds until the next write.
    std::byte* append(size_t size) {
        const size_t at = out_.size();
        out_.resize(at + size);
        return out_.data() + at;
    }
    void raw(const void* data, size_t size) {
        const auto* first = static_cast<const std::byte*>(data);
        out_.insert(out_.end(), first, first + size);
    }
    template <class T>
    void value(const T& v) {
        static_assert(std::is_trivially_copyable_v<T>);
        raw(&v, sizeof(T));
    }
    /// A count, then the elements.
    template <class T>
    void array(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        value(uint64_t(values.size()));
        raw(values.data(), values.size() * sizeof(T));
    }
    void text(std::string_view s) {
        value(uint64_t(s.size()));
        raw(s.data(), s.size());
    }

  private:
    std::vector<std::byte>& out_;
};

/// Reads in the order of writing. After the first short read everything else yields zeros and ok() is false.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    bool ok() const { return ok_; }
    size_t remaining() const { return bytes_.size() - position_; }

    /// The next `size` bytes in place; nullptr when there are fewer.
    const std::byte* take(size_t size) {
        if (!ok_ || remaining() < size) {
            ok_ = false;
            return nullptr;
        }
        position_ += size;
        return bytes_.data() + (position_ - size);
    }
    bool raw(void* data, size_t size) {
        if (!ok_ || remaining() < size) {
            ok_ = false;
            if (size > 0) std::memset(data, 0, size);
            return false;
        }
        if (size == 0) return true;  // `data` may be the nullptr of an empty vector
        std::memcpy(data, bytes_.data() + position_, size);
        position_ += size;
        return true;
    }
    template <class T>
    T value() {
        static_assert(std::is_trivially_copyable_v<T>);
        T v;
        raw(&v, sizeof(T));
        return v;
    }
    template <class T>
    bool array(std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto count = value<uint64_t>();
        if (!ok_ || count > remaining() / sizeof(T)) return ok_ = false;
        values.resize(size_t(count));
        return raw(values.data(), size_t(count) * sizeof(T));
    }
    bool text(std::string& s) {
        const auto count = value<uint64_t>();
        if (!ok_ || count > remaining()) return ok_ = false;
        s.resize(size_t(count));
        return raw(s.data(), size_t(count));
    }

  private:
    std::span<const std::byte> bytes_;
    size_t position_ = 0;
    bool ok_ = true;
};

}  // namespace proxima
