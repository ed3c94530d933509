// SPDX-License-Identifier: MIT
// One Gauss-Seidel pass over the groups of a system, in the order that all sweeping solvers share.
#pragma once

#include <cstdint>

#include "physics/contact/system.h"

namespace proxima::physics {

/// Calls the row updates of every group, each of which sees the velocities that the ones before it left. A
/// manifold of several points: normals, friction, normals again. The normals of a manifold are strongly
/// coupled (four corners carry one face), so a second pass over them does what a second sweep over everything
/// does elsewhere: on walls of boxes it decides between creep and rest (docs/stepping.md). A single point:
/// friction, then its normal. The normal rows have the last word, so that a sweep ends without approach.
template <ContactSystem S, class Friction, class Normal>
inline void sweep_groups(const S& system, const Friction& friction, const Normal& normal) {
    const uint32_t groups = system.group_count();
    for (uint32_t g = 0; g < groups; ++g) {
        const ContactGroup group = system.group(g);
        if (group.end - group.begin > 1)
            for (uint32_t i = group.begin; i < group.end; ++i) normal(i);
        for (uint32_t i = group.begin; i < group.end; ++i) friction(i);
        for (uint32_t i = group.begin; i < group.end; ++i) normal(i);
    }
}

}  // namespace proxima::physics
