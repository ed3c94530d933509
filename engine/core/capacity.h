// SPDX-License-Identifier: MIT
// How much memory vectors hold on to: what reports of memory use add up.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace proxima {

/// Bytes reserved by the given vectors, used or not.
template <class... T, class... Allocator>
size_t capacity_bytes(const std::vector<T, Allocator>&... lists) {
    return (size_t(0) + ... + (lists.capacity() * sizeof(T)));
}

/// Resizes a list that is used again for other things of about the same size: room is made for a power of
/// two, so that it soon has all it will ever need.
template <class T, class Allocator>
void resize_roomily(std::vector<T, Allocator>& list, size_t size) {
    if (size > list.capacity()) list.reserve(std::bit_ceil(size));
    list.resize(size);
}
/// The same, with every element set to the value.
template <class T, class Allocator>
void fill_roomily(std::vector<T, Allocator>& list, size_t size, const T& value) {
    resize_roomily(list, size);
    std::fill(list.begin(), list.end(), value);
}

}  // namespace proxima
