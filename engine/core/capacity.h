// SPDX-License-Identifier: MIT
// How much memory vectors hold on to: what reports of memory use add up.
#pragma once

#include <cstddef>
#include <vector>

namespace proxima {

/// Bytes reserved by the given vectors, used or not.
template <class... T>
size_t capacity_bytes(const std::vector<T>&... lists) {
    return (size_t(0) + ... + (lists.capacity() * sizeof(T)));
}

}  // namespace proxima
