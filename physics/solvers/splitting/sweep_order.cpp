// SPDX-License-Identifier: MIT
// Layers of a pile: how many contacts lie between a group and the ground.
#include "physics/solvers/splitting/sweep_order.h"

namespace proxima::physics {

namespace {

/// Distances along a chain settle in one pass if it is walked in the right direction: walk both in turn.
template <class Relax>
void settle(uint32_t count, const Relax& relax) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < count; ++k) changed = relax(k) || changed;
        for (uint32_t k = count; k-- > 0;) changed = relax(k) || changed;
    }
}

bool has_column(const DelassusProblem& p, uint32_t row, uint32_t column) {
    const auto begin = p.column.begin() + p.row_begin[row], end = p.column.begin() + p.row_begin[row + 1];
    return std::binary_search(begin, end, column);
}

/// All contacts that share a body with this one share bodies with each other.
bool neighbours_are_a_clique(const DelassusProblem& p, uint32_t i) {
    for (uint32_t j = p.row_begin[i]; j < p.row_begin[i + 1]; ++j)
        for (uint32_t k = j + 1; k < p.row_begin[i + 1]; ++k)
            if (!has_column(p, p.column[j], p.column[k])) return false;
    return true;
}

}  // namespace

void group_layers(BodySystem& system, std::span<float> layers) {
    const uint32_t groups = system.group_count();
    std::vector<uint32_t>& distance = system.scratch().body_count;
    // Only the slots that these contacts name are written and read: the array spans all bodies of the world.
    // Without any body that cannot move all keep the same large distance, and the order is the given one.
    const uint32_t far = system.size() + 1;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < system.size(); ++i)
        largest = std::max({largest, system.contact(i).a, system.contact(i).b});
    if (distance.size() <= largest) distance.resize(size_t(largest) + 1);
    for (uint32_t i = 0; i < system.size(); ++i)
        for (const uint32_t body : {system.contact(i).a, system.contact(i).b})
            distance[body] = system.inverse_mass(body).mass > 0.0f ? far : 0;
    const auto contact_of = [&](uint32_t g) -> const Contact& { return system.contact(system.group(g).begin); };
    settle(groups, [&](uint32_t g) {
        uint32_t& a = distance[contact_of(g).a];
        uint32_t& b = distance[contact_of(g).b];
        if (a > b + 1) return a = b + 1, true;
        if (b > a + 1) return b = a + 1, true;
        return false;
    });
    for (uint32_t g = 0; g < groups; ++g)
        layers[g] = float(std::min(distance[contact_of(g).a], distance[contact_of(g).b]));
}

/// A contact with the ground acts on one body only, so that all contacts it shares a body with share that
/// body: its neighbours in the graph of W are a clique. So are those of a body's only contact, at the top of
/// a pile; but bodies that fall freely for a step approach the ground, and each other not at all. Ground is
/// therefore what has a clique for neighbours and approaches at least half as fast, without impulses, as the
/// fastest of these. A wrong guess costs sweeps, never the answer.
void group_layers(DelassusSystem& system, std::span<double> layers) {
    const DelassusProblem& p = system.problem();
    const uint32_t n = p.size();
    std::vector<uint32_t> distance(n, n);
    std::vector<uint8_t> candidate(n, 0);
    double fastest = 0.0;
    for (uint32_t i = 0; i < n; ++i)
        if (p.q[3 * i] < 0.0 && neighbours_are_a_clique(p, i)) {
            candidate[i] = 1;
            fastest = std::min(fastest, p.q[3 * i]);
        }
    for (uint32_t i = 0; i < n; ++i)
        if (candidate[i] && p.q[3 * i] <= 0.5 * fastest) distance[i] = 0;
    settle(n, [&](uint32_t i) {
        bool changed = false;
        for (uint32_t k = p.row_begin[i]; k < p.row_begin[i + 1]; ++k)
            if (distance[i] > distance[p.column[k]] + 1) {
                distance[i] = distance[p.column[k]] + 1;
                changed = true;
            }
        return changed;
    });
    for (uint32_t g = 0; g < system.group_count(); ++g) {
        uint32_t nearest = n;
        for (uint32_t i = system.group(g).begin; i < system.group(g).end; ++i) nearest = std::min(nearest, distance[i]);
        layers[g] = double(nearest);
    }
}

}  // namespace proxima::physics
