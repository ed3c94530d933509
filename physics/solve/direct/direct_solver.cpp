// SPDX-License-Identifier: MIT
#include "physics/solve/direct/direct_solver.h"

#include <algorithm>

namespace proxima::physics::direct {

namespace {

using sweep::Item;
using sweep::Layout;
using sweep::Partition;

uint64_t scatter_bits(uint64_t x) {  // splitmix64
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

Identity identity_of(const Layout& layout, const Partition& partition, const ConstraintStores& stores,
                     const Bodies& bodies) {
    Identity id;
    for (uint32_t k = partition.item_begin; k < partition.item_end; ++k) {
        const KindId kind = KindId(layout.items[k].bin % kKindCount);
        const Item& item = layout.items[k];
        const uint64_t key = kind_row(kind).key(stores, item.id);
        // A joint that is given another body of the same island keeps its key, but the factor has no block for it.
        const uint64_t ends = uint64_t(entt::to_integral(bodies.data[item.body_a].entity)) << 32 |
                              entt::to_integral(bodies.data[item.body_b].entity);
        id.contents += scatter_bits(key ^ scatter_bits(scatter_bits(ends) + uint64_t(kind) + 1));
    }
    for (uint32_t k = partition.body_begin; k < partition.body_begin + partition.body_count; ++k)
        id.name += scatter_bits(~uint64_t(entt::to_integral(bodies.data[layout.bodies[k]].entity)) ^
                                uint64_t(k - partition.body_begin) << 40);  // a factor has bodies in their order
    return id;
}

}  // namespace

void DirectSolver::assign(const Layout& layout, const ConstraintStores& stores, const Bodies& bodies) {
    const auto by_name = [](const Slot& x, const Slot& y) { return x.identity.name < y.identity.name; };
    std::sort(islands.begin(), islands.end(), by_name);
    before.swap(islands);
    islands.clear();
    islands.resize(layout.numbers.directs);
    for (uint32_t k = 0; k < layout.numbers.directs; ++k) {
        islands[k].identity = identity_of(layout, layout.partitions[k], stores, bodies);
        const auto old = std::lower_bound(before.begin(), before.end(), islands[k], by_name);
        if (old == before.end() || old->identity.name != islands[k].identity.name) continue;
        if (old->identity == islands[k].identity || old->island->change_constraints())
            islands[k].island = std::move(old->island);
    }
    for (Slot& slot : before)
        if (slot.island) spare.push_back(std::move(slot.island));
    before.clear();
    for (Slot& slot : islands) {
        if (slot.island) continue;
        if (spare.empty()) {
            slot.island = std::make_unique<DirectIsland>();
        } else {
            slot.island = std::move(spare.back());
            spare.pop_back();
        }
        slot.island->begin();
    }
    const float* values = restored.values.data();
    const uint32_t* indices = restored.indices.data();
    for (const SavedFactor& factor : restored.list) {
        for (uint32_t k = 0; k < islands.size(); ++k)
            if (islands[k].identity == factor.identity)
                islands[k].island->restore_factor(layout.partitions[k], factor, {values, factor.values()},
                                                  {indices, factor.indices()});
        values += factor.values();
        indices += factor.indices();
    }
    restored = {};
}

void DirectSolver::release() {
    for (Slot& slot : islands) spare.push_back(std::move(slot.island));
    islands.clear();
    restored = {};
}

void DirectSolver::save(SavedFactors& out) const {
    out = restored;
    for (const Slot& slot : islands) slot.island->save_factors(slot.identity, out);
}

void DirectSolver::load(SavedFactors factors) {
    release();
    restored = std::move(factors);
}

}  // namespace proxima::physics::direct
