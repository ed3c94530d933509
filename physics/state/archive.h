// SPDX-License-Identifier: MIT
// The archives that walk over the state of a world. Every owner enumerates its members once, in visit(archive): what
// is state is saved, loaded, hashed and counted; what is derived from it only counts as memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/bytes.h"
#include "engine/core/capacity.h"
#include "engine/core/hash.h"

namespace proxima::physics {

/// Writes what is state.
class SaveArchive {
  public:
    explicit SaveArchive(ByteWriter& out) : out_(out) {}
    template <class T>
    void value(const T& v) {
        out_.value(v);
    }
    void text(const std::string& v) { out_.text(v); }
    template <class... T>
    void state(const std::vector<T>&... lists) {
        (out_.array(lists), ...);
    }
    template <class... List>
    void derived(const List&...) {}
    void derived_bytes(size_t) {}

  private:
    ByteWriter& out_;
};

/// Reads it back. After the first short read everything else is zero and ok() of the reader is false.
class LoadArchive {
  public:
    explicit LoadArchive(ByteReader& in) : in_(in) {}
    template <class T>
    void value(T& v) {
        static_assert(std::is_trivially_copyable_v<T>);
        if constexpr (std::is_same_v<T, bool>) {
            const auto byte = in_.value<uint8_t>();
            is_sound_ = is_sound_ && byte <= 1;
            v = byte == 1;
        } else {
            in_.raw(&v, sizeof(T));
        }
    }
    /// False when a byte that stands for yes or no was neither.
    bool is_sound() const { return is_sound_; }
    void text(std::string& v) { in_.text(v); }
    template <class... T>
    void state(std::vector<T>&... lists) {
        (in_.array(lists), ...);
    }
    template <class... List>
    void derived(const List&...) {}
    void derived_bytes(size_t) {}

  private:
    ByteReader& in_;
    bool is_sound_ = true;
};

/// Hashes what is state.
class HashArchive {
  public:
    template <class T>
    void value(const T& v) {
        bytes(&v, sizeof(T));
    }
    void text(const std::string& v) { bytes(v.data(), v.size()); }
    template <class... T>
    void state(const std::vector<T>&... lists) {
        (bytes(lists.data(), lists.size() * sizeof(T)), ...);
    }
    template <class... List>
    void derived(const List&...) {}
    void derived_bytes(size_t) {}
    uint64_t hash() const { return hash_; }

  private:
    void bytes(const void* data, size_t size) {
        const auto* byte = static_cast<const unsigned char*>(data);
        for (size_t i = 0; i < size; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001B3ull;
        hash_ = (hash_ ^ size) * 0x100000001B3ull;
    }
    uint64_t hash_ = 0xCBF29CE484222325ull;
};

/// Adds up what lists hold on the heap, used or not.
class MemoryArchive {
  public:
    template <class T>
    void value(const T&) {}
    void text(const std::string& v) { bytes_ += v.capacity() > 15 ? v.capacity() : 0; }
    template <class... T>
    void state(const std::vector<T>&... lists) {
        bytes_ += capacity_bytes(lists...);
    }
    template <class... List>
    void derived(const List&... lists) {
        bytes_ += capacity_bytes(lists...);
    }
    void derived_bytes(size_t bytes) { bytes_ += bytes; }
    size_t bytes() const { return bytes_; }

  private:
    size_t bytes_ = 0;
};

/// Bytes that an owner holds.
template <class Owner>
size_t memory_of(const Owner& owner) {
    MemoryArchive archive;
    const_cast<Owner&>(owner).visit(archive);  // reads only
    return archive.bytes();
}

}  // namespace proxima::physics
