// SPDX-License-Identifier: MIT
// A small entity registry that stands in for EnTT (https://github.com/skypjack/entt) where EnTT is not installed.
//
// It has the names and the meaning of EnTT 3.15 and newer for exactly the list below; anything else does not
// exist here and will not compile. The code is our own, written to the documented behaviour; the tests in
// tests/unit/engine/registry.cpp and world.cpp state that behaviour and pass with either registry.
//
//   entity, null, tombstone    32 bits: 20 of index, 12 of version
//                              with to_integral, to_entity, to_version, entt_traits
//   registry                   create() and create(hint), destroy, valid, current, orphan,
//                              emplace, emplace_or_replace, replace, patch, get, try_get, get_or_emplace,
//                              all_of, any_of, remove, erase, clear,
//                              storage<T>(), storage() as a range of (number, sparse_set&), view<T...>(exclude<U...>), ctx(),
//                              on_construct<T>(), on_update<T>(), on_destroy<T>()
//   storage of a component     size, empty, data, operator[], begin, end, rbegin, rend, contains, index,
//                              find, current, get, emplace, patch, erase, remove, clear, reserve, each,
//                              and the three signals
//   storage<entity>()          the same without values; and generate, free_list, start_from: what a snapshot
//                              needs in order to bring identifiers, versions and the order of recycling back
//   view                       begin, end, each() as a range of tuples, each(function) with or without the
//                              entity, get, contains, storage<T>(), use<T>();
//                              size and empty of one type, size_hint of several
//   sigh, sink                 connect and disconnect of free functions and of members, which are called
//                              with (registry&, entity)
//   ctx()                      emplace, insert_or_assign, get, find, contains, erase
//   sparse_set                 the base of every storage: its entities without their values
//
// Promises that a program may build on, the same as EnTT's:
//   - a removed component is replaced by the last one (swap and pop), and iteration runs from the last to the
//     first, so the element at hand may be removed and new ones may be added while iterating;
//   - components lie in pages: adding never moves those that exist;
//   - empty types take no memory, and get() of one is void;
//   - the identifier destroyed last is the next to be recycled, with its version one up;
//   - a view is led by its smallest storage, and by the first of them where several are equally small;
//   - listeners are called from the one connected last to the first.
//
// All of it lies in an inline namespace of its own: what is compiled with this registry and what is compiled with EnTT
// have other names for the linker, and are not linked together by mistake.
//
// Not here, among others: groups, sorting, in-place deletion, named storages, handles, allocators, connections
// returned by connect(), moving a registry, sharing a registry between shared libraries that hide their symbols.
#pragma once

#include "subset/context.hpp"
#include "subset/entity.hpp"
#include "subset/registry.hpp"
#include "subset/signal.hpp"
#include "subset/sparse_set.hpp"
#include "subset/storage.hpp"
#include "subset/view.hpp"
