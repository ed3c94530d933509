// SPDX-License-Identifier: MIT
// Leaves out of a list what a failure does not need.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace proxima::fuzz {

/// The list without the runs that `fails` does not need, long runs first, again and again until none is left
/// that can go; at most so many attempts.
template <class T, class Fails>
std::vector<T> minimise(std::vector<T> list, const Fails& fails, size_t attempts) {
    size_t run = list.size() / 2;
    for (bool shorter = true; run > 0 && attempts > 0;) {
        shorter = false;
        for (size_t at = 0; at < list.size() && attempts > 0;) {
            const size_t end = std::min(at + run, list.size());
            std::vector<T> rest(list.begin(), list.begin() + std::ptrdiff_t(at));
            rest.insert(rest.end(), list.begin() + std::ptrdiff_t(end), list.end());
            --attempts;
            if (fails(rest)) {
                list = std::move(rest);
                shorter = true;
            } else {
                at += run;
            }
        }
        if (run > 1)
            run = std::max<size_t>(1, run / 2);
        else if (!shorter)
            break;
    }
    return list;
}

}  // namespace proxima::fuzz
