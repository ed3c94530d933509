// SPDX-License-Identifier: MIT
#include "physics/state/state_format.h"

#include <algorithm>
#include <string>

#include "engine/core/checksum.h"
#include "physics/state/archive.h"
#include "physics/state/contact_reports.h"
#include "physics/state/predictions.h"
#include "physics/state/word_packing.h"

namespace proxima::physics {

// A snapshot, numbers as this machine stores them: u32 mark, u32 format, u64 checksum of all bytes but its own, u64
// checksum of the snapshot that it is a difference to (0: it is a full one), the lists that are short, as they are, then
// tables of words (word_packing.h). A word is stored as its difference to what is predicted of it: from the tables before,
// from the same row of the base or, in a full snapshot, from the row before.

namespace {

constexpr uint32_t kMark = 0x53505850;  // "PXPS" on a little-endian machine
constexpr uint32_t kFormat = 1;
constexpr size_t kChecksumAt = 8, kChecksumEnd = 16;

uint64_t sum_of(std::span<const std::byte> bytes) {
    const uint64_t sum = checksum(bytes.subspan(kChecksumEnd), checksum(bytes.first(kChecksumAt)));
    return sum != 0 ? sum : 1;
}

const Error kDamaged{"The snapshot is cut short or damaged; it must be kept whole."};

void toggle_words(uint32_t* words, const void* other, size_t size) {
    const auto* from = static_cast<const std::byte*>(other);
    for (size_t k = 0; k < size / sizeof(uint32_t); ++k) {
        uint32_t word = 0;
        std::memcpy(&word, from + k * sizeof(word), sizeof(word));
        words[k] ^= word;
    }
}

uint32_t zigzag(uint32_t x) { return x << 1 ^ (0u - (x >> 31)); }
uint32_t unzigzag(uint32_t x) { return x >> 1 ^ (0u - (x & 1)); }

/// What both directions need, kept from one snapshot to the next.
struct Scratch {
    WordRows rows;
    StableOrder order;
    PairNames names;
    std::vector<ColliderLink> links;
    std::vector<uint32_t> words;
    std::vector<uint32_t> rank_of_place, like;
    std::vector<uint32_t> first_of_base;  // manifold of each pair of the base
    std::vector<uint32_t> pair_of, ordinal, added;
    std::vector<std::pair<uint32_t, uint32_t>> keys;
};

Scratch& scratch() {
    static thread_local Scratch one;
    return one;
}

/// Walks over the tables of an image and writes them, or reads them into it. Each step says whether it went well.
template <bool kWrites>
class Coder {
  public:
    Coder(StateImage& image, const StateImage* base, ByteWriter* out, ByteReader* in, size_t bytes)
        : image_(image), base_(base), out_(out), in_(in), max_rows_(bytes) {
        if (base) max_rows_ += base->entities.size() + base->history.pairs.size() + base->history.manifolds.size();
    }

    bool run() {
        History& h = image_.history;
        const History* b = base_ ? &base_->history : nullptr;
        const auto shape = [&](size_t i) { return base_ && i < base_->shapes.size() ? base_->shapes[i] : uint64_t(0); };
        if (base_) max_rows_ += base_->shapes.size();
        if (!list(image_.shapes, true, shape) || !entities()) return false;
        max_rows_ += image_.entities.size();
        if (!components(kTypeOf<Collider>)) return false;
        for (uint32_t type = 0; type < kComponentTypes; ++type)
            if (type != kTypeOf<ContactPair> && type != kTypeOf<Collider> && !components(type)) return false;
        if (!kWrites) image_.index_rows();
        StableOrder& order = s_.order;
        order.list(image_);
        const auto base_of = [&]<class T>(const std::vector<T>* list, const auto& ids, size_t i) -> const T* {
            if (!list || i >= ids.size()) return nullptr;
            const auto at = std::lower_bound(list->begin(), list->end(), ids[i].first,
                                             [](const T& row, uint32_t id) { return row.stable_id < id; });
            return at != list->end() && at->stable_id == ids[i].first ? &*at : nullptr;
        };
        const bool good = list(h.bodies, false, [&](size_t i) { return predict_body(image_, order, i); }) &&
                          list(h.colliders, true,
                               [&](size_t i) {
                                   const SavedCollider* base = base_of(b ? &b->colliders : nullptr, order.colliders, i);
                                   return predict_collider(image_, order, i, base);
                               }) &&
                          index_colliders() &&
                          list(h.joints, true,
                               [&](size_t i) {
                                   const SavedJoint* base = base_of(b ? &b->joints : nullptr, order.joints, i);
                                   return predict_joint(image_, order, i, base);
                               }) &&
                          links() && pairs();
        if (!good) return false;
        s_.names.list(image_);
        if (!components(kTypeOf<ContactPair>)) return false;
        if (!kWrites) image_.index_rows();
        return manifolds() && numbers(h.free_pairs, b ? &b->free_pairs : nullptr) &&
               numbers(h.edges, b ? &b->edges : nullptr) && slabs() && factors();
    }

  private:
    // ---- tables
    /// `fill` writes the rows as they are, and `take` reads them; `predict(i, words)` takes a prediction from row i or
    /// puts it back.
    template <class Fill, class Predict, class Take>
    bool table(uint32_t width, size_t count, bool chained, const Fill& fill, const Predict& predict, const Take& take) {
        WordRows& rows = s_.rows;
        chained = chained && !base_;
        if constexpr (kWrites) {
            rows.reset(width, count);
            for (size_t i = 0; i < count; ++i) {
                fill(i, rows.row(i));
                predict(i, rows.row(i));
            }
            if (chained) chain_rows(rows);
            pack_words(rows, *out_);
        } else {
            if (!unpack_words(*in_, width, max_rows_, rows)) return false;
            if (count != kAny && rows.count() != count) return false;
            if (chained) unchain_rows(rows);
            take(rows.count());
            for (size_t i = 0; i < rows.count(); ++i) {
                predict(i, rows.row(i));
                take(i, rows.row(i));
            }
        }
        return true;
    }
    static constexpr size_t kAny = ~size_t(0);

    /// Rows of a plain type.
    template <class T, class Predict>
    bool list(std::vector<T>& rows, bool chained, const Predict& predict) {
        static_assert(sizeof(T) % sizeof(uint32_t) == 0);
        struct Take {
            std::vector<T>& to;
            void operator()(size_t count) const { to.resize(count); }
            void operator()(size_t i, const uint32_t* words) const {
                std::memcpy(static_cast<void*>(&to[i]), words, sizeof(T));
            }
        };
        return table(
            sizeof(T) / sizeof(uint32_t), kWrites ? rows.size() : kAny, chained,
            [&](size_t i, uint32_t* words) { std::memcpy(words, &rows[i], sizeof(T)); },
            [&](size_t i, uint32_t* words) {
                const T predicted = predict(i);
                toggle_words(words, &predicted, sizeof(T));
            },
            Take{rows});
    }

    /// Numbers that mostly follow each other.
    bool numbers(std::vector<uint32_t>& list, const std::vector<uint32_t>* base) {
        std::vector<uint32_t>& words = s_.words;
        if constexpr (kWrites) {
            words.resize(list.size());
            for (size_t i = 0; i < list.size(); ++i) words[i] = guess(list, base, i, list[i]);
            return plain(words, false);
        } else {
            if (!plain(words, false)) return false;
            list.resize(words.size());
            for (size_t i = 0; i < words.size(); ++i) list[i] = guess(list, base, i, words[i]);
            return true;
        }
    }
    static uint32_t guess(const std::vector<uint32_t>& list, const std::vector<uint32_t>* base, size_t i, uint32_t x) {
        if (base) return x ^ (i < base->size() ? (*base)[i] : 0);
        const uint32_t expected = i > 0 ? list[i - 1] + 1 : 0;
        return kWrites ? zigzag(x - expected) : unzigzag(x) + expected;
    }
    template <class T>
    bool plain(std::vector<T>& words, bool chained) {
        return list(words, chained, [](size_t) { return T{}; });
    }

    bool index_colliders() {
        image_.index_colliders();
        return true;
    }

    // ---- what there is
    bool entities() {
        std::vector<Entity>& all = image_.entities;
        if (base_) {
            if (!changed_entities(base_->entities, all)) return false;
        } else {
            std::vector<uint32_t>& words = s_.words;
            if constexpr (kWrites) {
                words.clear();
                for (size_t i = 0; i < all.size(); ++i)
                    words.push_back(uint32_t(entt::to_integral(all[i])) - (i > 0 ? entt::to_integral(all[i - 1]) : 0u));
            }
            if (!plain(words, false)) return false;
            if constexpr (!kWrites) {
                all.clear();
                uint32_t last = 0;
                for (const uint32_t word : words) all.push_back(Entity(last += word));
            }
        }
        if (!kWrites && !are_in_order(all)) return false;
        const auto predict = [&](size_t i) {
            const uint32_t place = base_ ? base_->place_of(all[i]) : kNone;
            return place != kNone ? base_->types[place] : 0u;
        };
        if (!kWrites) image_.types.clear();
        if (!kWrites) max_rows_ += all.size();
        if (!list(image_.types, true, [&](size_t i) { return i < all.size() ? predict(i) : 0u; })) return false;
        if (image_.types.size() != all.size()) return false;
        for (const uint32_t bits : image_.types)
            if (bits == 0 || bits >> kComponentTypes != 0) return false;
        return true;
    }
    static bool are_in_order(const std::vector<Entity>& all) {
        for (size_t i = 0; i < all.size(); ++i) {
            if (all[i] == kNoEntity || all[i] == entt::tombstone || all[i] == entt::null) return false;
            if (entt::to_entity(all[i]) == entt::to_entity(kNoEntity)) return false;
            if (i > 0 && entt::to_entity(all[i - 1]) >= entt::to_entity(all[i])) return false;
        }
        return true;
    }
    /// Those of the base that are gone, as bits, and those that are new.
    bool changed_entities(const std::vector<Entity>& base, std::vector<Entity>& all) {
        std::vector<uint32_t>&gone = s_.words, &added = s_.added;
        added.clear();
        const size_t bits = (base.size() + 31) / 32;
        const auto is_before = [](Entity x, Entity y) { return entt::to_entity(x) < entt::to_entity(y); };
        if constexpr (kWrites) {
            gone.assign(bits, 0);
            size_t next = 0;
            for (size_t i = 0; i < base.size(); ++i) {
                for (; next < all.size() && is_before(all[next], base[i]); ++next) added.push_back(uint32_t(all[next]));
                if (next < all.size() && all[next] == base[i])
                    ++next;
                else
                    gone[i / 32] |= 1u << i % 32;
            }
            for (; next < all.size(); ++next) added.push_back(uint32_t(all[next]));
        }
        if (!plain(gone, false) || gone.size() != bits || !numbers_of_added(added)) return false;
        if constexpr (!kWrites) {
            all.clear();
            for (size_t i = 0; i < base.size(); ++i)
                if (!(gone[i / 32] >> i % 32 & 1)) all.push_back(base[i]);
            for (const uint32_t entity : added) all.push_back(Entity(entity));
            std::sort(all.begin(), all.end(), is_before);
        }
        return true;
    }
    bool numbers_of_added(std::vector<uint32_t>& added) {
        return list(added, false, [](size_t) { return 0u; });
    }

    bool components(uint32_t type) {
        std::vector<std::byte>& values = image_.values[type];
        const uint32_t size = kComponentSizes[type];
        std::vector<uint32_t>& places = s_.words;  // of the rows
        places.clear();
        for (uint32_t place = 0; place < image_.types.size(); ++place)
            if (image_.types[place] >> type & 1) places.push_back(place);
        struct Take {
            std::vector<std::byte>& to;
            uint32_t size;
            void operator()(size_t count) const { to.resize(count * size); }
            void operator()(size_t i, const uint32_t* words) const { std::memcpy(to.data() + i * size, words, size); }
        };
        const bool named = type == kTypeOf<ContactPair>, shaped = type == kTypeOf<Mass> && !base_;
        if (shaped) list_like_masses(places);
        return table(
            size / uint32_t(sizeof(uint32_t)), places.size(), !named && !shaped,
            [&](size_t i, uint32_t* words) { std::memcpy(words, values.data() + i * size, size); },
            [&](size_t i, uint32_t* words) {
                const Entity entity = image_.entities[places[i]];
                if (shaped) {
                    if (const uint32_t like = s_.like[i]; like != kNone)
                        toggle_words(words, values.data() + like * size, size);
                } else if (named) {
                    const ContactPair names = s_.names.of(image_, entity);
                    toggle_words(words, &names, sizeof(names));
                } else if (base_) {
                    if (const std::byte* before = base_->value(type, base_->place_of(entity)))
                        toggle_words(words, before, size);
                }
            },
            Take{values, size});
    }

    /// The last row before each whose body has the same shape: most masses follow from the shape.
    void list_like_masses(const std::vector<uint32_t>& places) {
        std::vector<uint32_t>&shape_of_index = s_.rank_of_place, &like = s_.like;
        shape_of_index.assign(image_.entities.empty() ? 0 : entt::to_entity(image_.entities.back()) + 1, kNone);
        const std::vector<std::byte>& colliders = image_.values[kTypeOf<Collider>];
        for (size_t at = 0; at < colliders.size(); at += sizeof(Collider)) {
            const auto collider = engine::detail::read_component<Collider>(colliders.data() + at);
            const size_t index = entt::to_entity(collider.body);
            if (index < shape_of_index.size()) shape_of_index[index] = uint32_t(collider.shape);
        }
        like.assign(places.size(), kNone);
        std::vector<std::pair<uint32_t, uint32_t>>& keys = s_.keys;  // shape, row
        keys.clear();
        for (uint32_t i = 0; i < places.size(); ++i)
            keys.emplace_back(shape_of_index[entt::to_entity(image_.entities[places[i]])], i);
        std::sort(keys.begin(), keys.end());
        for (size_t k = 1; k < keys.size(); ++k)
            if (keys[k].first == keys[k - 1].first) like[keys[k].second] = keys[k - 1].second;
    }

    /// Their entities by rank among the pairs' entities: 0 for none.
    bool pairs() {
        std::vector<uint32_t>& ranked = s_.words;  // places of the pairs' entities
        ranked.clear();
        for (uint32_t place = 0; place < image_.entities.size(); ++place)
            if (image_.types[place] >> kTypeOf<ContactPair> & 1) ranked.push_back(place);
        if constexpr (kWrites) {
            s_.rank_of_place.assign(image_.entities.size(), 0);
            for (uint32_t k = 0; k < ranked.size(); ++k) s_.rank_of_place[ranked[k]] = k + 1;
        }
        std::vector<SavedPair>& now = image_.history.pairs;
        const std::vector<SavedPair>* before = base_ ? &base_->history.pairs : nullptr;
        // An entity that is no pair's (the game destroyed it) is stored behind the ranks.
        const uint32_t end = uint32_t(ranked.size()) + 1;
        const auto to_rank = [&](Entity entity) {
            if (entity == kNoEntity) return 0u;
            const uint32_t place = image_.place_of(entity), rank = place != kNone ? s_.rank_of_place[place] : 0;
            return rank != 0 ? rank : end + uint32_t(entt::to_integral(entity));
        };
        const auto to_entity = [&](uint32_t rank) {
            if (rank == 0) return kNoEntity;
            return rank < end ? image_.entities[ranked[rank - 1]] : Entity(rank - end);
        };
        constexpr size_t at = offsetof(SavedPair, entity) / sizeof(uint32_t);
        struct Take {
            std::vector<SavedPair>& to;
            void operator()(size_t count) const { to.resize(count); }
            void operator()(size_t i, const uint32_t* words) const {
                std::memcpy(static_cast<void*>(&to[i]), words, sizeof(SavedPair));
            }
        };
        // In a difference 0 is the entity of before.
        return table(
            sizeof(SavedPair) / sizeof(uint32_t), kWrites ? now.size() : kAny, false,
            [&](size_t i, uint32_t* words) { std::memcpy(words, &now[i], sizeof(SavedPair)); },
            [&](size_t i, uint32_t* words) {
                const SavedPair predicted = before && i < before->size() ? (*before)[i] : SavedPair{};
                if constexpr (kWrites) {
                    const auto entity = Entity(words[at]);
                    words[at] = before && entity == predicted.entity ? 0 : to_rank(entity) + (before ? 1 : 0);
                } else {
                    const uint32_t rank = words[at];
                    const Entity entity = before && rank == 0 ? predicted.entity : to_entity(rank - (before ? 1 : 0));
                    words[at] = uint32_t(entt::to_integral(entity));
                }
                const uint32_t entity = words[at];
                toggle_words(words, &predicted, sizeof(predicted));
                words[at] = entity;
            },
            Take{now});
    }

    bool links() {
        std::vector<ColliderLink>& now = image_.history.links;
        predict_links(image_, s_.order, s_.links);
        if constexpr (kWrites) {
            const auto is_same = [](const ColliderLink& x, const ColliderLink& y) {
                return x.collider == y.collider && x.body == y.body;
            };
            const bool same = std::equal(now.begin(), now.end(), s_.links.begin(), s_.links.end(), is_same);
            out_->value(uint8_t(same));
            return same || plain(now, true);
        } else {
            const auto same = in_->value<uint8_t>();
            if (!in_->ok() || same > 1) return false;
            if (same == 0) return plain(now, true);
            now = s_.links;
            return true;
        }
    }

    // ---- contacts
    struct Head {
        std::byte manifold[offsetof(Manifold, points)];
        uint32_t part = 0, has_extended = 0;
    };
    static_assert(sizeof(Head) % sizeof(uint32_t) == 0);

    bool manifolds() {
        std::vector<SavedManifold>& all = image_.history.manifolds;
        size_t count = 0;
        for (const SavedPair& pair : image_.history.pairs) count += pair.manifolds;
        if (!kWrites && count > max_rows_) return false;
        if (!kWrites) all.assign(count, SavedManifold{});
        list_pairs(count);
        struct Take {
            std::vector<SavedManifold>& to;
            void operator()(size_t) const {}
            void operator()(size_t i, const uint32_t* words) const {
                std::memcpy(static_cast<void*>(&to[i].manifold), words, offsetof(Manifold, points));
                std::memcpy(&to[i].part, words + offsetof(Manifold, points) / 4, 8);
            }
        };
        const bool heads = table(
            sizeof(Head) / sizeof(uint32_t), count, true,
            [&](size_t i, uint32_t* words) {
                Manifold head;
                std::memcpy(static_cast<void*>(&head), &all[i].manifold, offsetof(Manifold, points));
                toggle_world_frame(image_, image_.history.pairs[pair_of_[i]], true, head);
                std::memcpy(words, &head, offsetof(Manifold, points));
                std::memcpy(words + offsetof(Manifold, points) / 4, &all[i].part, 8);
            },
            [&](size_t i, uint32_t* words) {
                const SavedManifold* before = base_manifold(i);
                if (!before) return;
                Manifold head;
                std::memcpy(static_cast<void*>(&head), &before->manifold, offsetof(Manifold, points));
                toggle_world_frame(*base_, image_.history.pairs[pair_of_[i]], true, head);
                toggle_words(words, &head, offsetof(Manifold, points));
                toggle_words(words + offsetof(Manifold, points) / 4, &before->part, 8);
            },
            Take{all});
        if (!heads) return false;
        if constexpr (!kWrites) {
            for (size_t i = 0; i < count; ++i) {
                if (all[i].manifold.count > 4 || all[i].has_extended > 1 || all[i].manifold.frame_on_b > 1)
                    return false;
                toggle_world_frame(image_, image_.history.pairs[pair_of_[i]], false, all[i].manifold);
            }
        }
        return points() && extended();
    }

    void list_pairs(size_t count) {
        pair_of_.clear();
        ordinal_.clear();
        pair_of_.reserve(count);
        for (uint32_t k = 0; k < image_.history.pairs.size(); ++k)
            for (uint32_t j = 0; j < image_.history.pairs[k].manifolds; ++j) {
                pair_of_.push_back(k);
                ordinal_.push_back(j);
            }
        if (!base_) return;
        s_.first_of_base.clear();
        uint32_t first = 0;
        for (const SavedPair& pair : base_->history.pairs) {
            s_.first_of_base.push_back(first);
            first += pair.manifolds;
        }
    }
    /// The same manifold in the base; nullptr: it was not there.
    const SavedManifold* base_manifold(size_t i) const {
        const uint32_t k = pair_of_[i];
        if (!base_ || k >= base_->history.pairs.size()) return nullptr;
        const SavedPair& before = base_->history.pairs[k];
        if (before.key != image_.history.pairs[k].key || ordinal_[i] >= before.manifolds) return nullptr;
        return &base_->history.manifolds[s_.first_of_base[k] + ordinal_[i]];
    }

    /// Points that count; the others mean nothing.
    bool points() {
        std::vector<SavedManifold>& all = image_.history.manifolds;
        std::vector<uint32_t>& at = s_.words;  // manifold * 4 + point
        at.clear();
        for (uint32_t i = 0; i < all.size(); ++i)
            for (uint32_t j = 0; j < std::min(all[i].manifold.count, 4u); ++j) at.push_back(4 * i + j);
        struct Take {
            std::vector<SavedManifold>& to;
            const std::vector<uint32_t>& at;
            void operator()(size_t) const {}
            void operator()(size_t k, const uint32_t* words) const {
                std::memcpy(static_cast<void*>(&to[at[k] / 4].manifold.points[at[k] % 4]), words,
                            sizeof(ManifoldPoint));
            }
        };
        return table(
            sizeof(ManifoldPoint) / sizeof(uint32_t), at.size(), true,
            [&](size_t k, uint32_t* words) {
                std::memcpy(words, &all[at[k] / 4].manifold.points[at[k] % 4], sizeof(ManifoldPoint));
            },
            [&](size_t k, uint32_t* words) {
                const SavedManifold* before = base_manifold(at[k] / 4);
                if (before && at[k] % 4 < before->manifold.count)
                    toggle_words(words, &before->manifold.points[at[k] % 4], sizeof(ManifoldPoint));
            },
            Take{all, at});
    }

    bool extended() {
        std::vector<SavedManifold>& all = image_.history.manifolds;
        std::vector<uint32_t>& at = s_.words;
        at.clear();
        for (uint32_t i = 0; i < all.size(); ++i)
            if (all[i].has_extended) at.push_back(i);
        struct Take {
            std::vector<SavedManifold>& to;
            const std::vector<uint32_t>& at;
            void operator()(size_t) const {}
            void operator()(size_t k, const uint32_t* words) const {
                std::memcpy(static_cast<void*>(&to[at[k]].extended), words, sizeof(ExtendedFriction));
            }
        };
        return table(
            sizeof(ExtendedFriction) / sizeof(uint32_t), at.size(), true,
            [&](size_t k, uint32_t* words) { std::memcpy(words, &all[at[k]].extended, sizeof(ExtendedFriction)); },
            [&](size_t k, uint32_t* words) {
                const SavedManifold* before = base_manifold(at[k]);
                if (before && before->has_extended) toggle_words(words, &before->extended, sizeof(ExtendedFriction));
            },
            Take{all, at});
    }

    // ---- what the solvers keep
    bool slabs() {
        std::vector<uint8_t>& of_body = image_.history.slabs.of_body;
        std::vector<uint32_t>& words = s_.words;
        if constexpr (kWrites) words.assign(of_body.begin(), of_body.end());
        if (!list(words, true, [&](size_t i) {
                return base_ && i < base_->history.slabs.of_body.size() ? uint32_t(base_->history.slabs.of_body[i])
                                                                        : 0u;
            }))
            return false;
        if constexpr (!kWrites) {
            of_body.clear();
            for (const uint32_t word : words) {
                if (word > 255) return false;
                of_body.push_back(uint8_t(word));
            }
        }
        return true;
    }
    bool factors() {
        direct::SavedFactors& now = image_.history.factors;
        const direct::SavedFactors* before = base_ ? &base_->history.factors : nullptr;
        const auto of = [](const auto* list, size_t i) {
            using T = std::remove_cvref_t<decltype((*list)[0])>;
            return list && i < list->size() ? (*list)[i] : T{};
        };
        return list(now.list, true, [&](size_t i) { return of(before ? &before->list : nullptr, i); }) &&
               list(now.values, false, [&](size_t i) { return of(before ? &before->values : nullptr, i); }) &&
               list(now.indices, true, [&](size_t i) { return of(before ? &before->indices : nullptr, i); });
    }

    StateImage& image_;
    const StateImage* base_;
    ByteWriter* out_;
    ByteReader* in_;
    size_t max_rows_;  // of any table: more cannot be meant
    Scratch& s_ = scratch();
    std::vector<uint32_t>&pair_of_ = s_.pair_of, &ordinal_ = s_.ordinal;  // by manifold
};

/// What is short, and changes little.
template <class Archive>
void visit_rest(Archive& archive, StateImage& image) {
    archive.value(image.step);
    archive.value(image.next_stable_id);
    visit_settings(archive, image.settings);
    History& h = image.history;
    h.log.visit(archive);
    archive.state(h.written_ids, h.ignored, h.rules);
    archive.value(h.graph_changed_in_step);
    archive.value(h.slabs.cut_in_step);
}

}  // namespace

uint64_t checksum_in(std::span<const std::byte> bytes) {
    uint64_t sum = 0;
    if (bytes.size() >= kChecksumEnd) std::memcpy(&sum, bytes.data() + kChecksumAt, sizeof(sum));
    return sum;
}

bool is_whole(std::span<const std::byte> bytes) {
    return bytes.size() >= kChecksumEnd && sum_of(bytes) == checksum_in(bytes);
}

void update_checksum(PhysicsSnapshot& snapshot) {
    if (snapshot.bytes.size() < kChecksumEnd) return;
    const uint64_t sum = sum_of(snapshot.bytes);
    std::memcpy(snapshot.bytes.data() + kChecksumAt, &sum, sizeof(sum));
}

void write_state(StateImage& image, const StateImage* base, uint64_t base_checksum, PhysicsSnapshot& out) {
    out.bytes.clear();
    ByteWriter writer(out.bytes);
    writer.value(kMark);
    writer.value(kFormat);
    writer.value(uint64_t(0));
    writer.value(base ? base_checksum : uint64_t(0));
    SaveArchive archive(writer);
    visit_rest(archive, image);
    take_out_reports(image);
    (void)Coder<true>(image, base, &writer, nullptr, 0).run();
    update_checksum(out);
}

void make_base(StateImage& image) { take_out_reports(image); }

Result<void> read_state(std::span<const std::byte> bytes, const StateImage* base, uint64_t base_checksum,
                        StateImage& out) {
    ByteReader in(bytes);
    const auto mark = in.value<uint32_t>();
    const auto format = in.value<uint32_t>();
    if (!in.ok() || mark != kMark)
        return Error{"These bytes are not the snapshot of a world's physics, or of a machine with another byte order."};
    if (format != kFormat)
        return Error{"The snapshot of the physics has format " + std::to_string(format) +
                     "; this program reads format " + std::to_string(kFormat) + "."};
    (void)in.value<uint64_t>();
    const auto needs = in.value<uint64_t>();
    if (!in.ok() || !is_whole(bytes)) return kDamaged;
    if (needs != 0 && !base) return Error{"The snapshot is a difference to another one: give that one, too."};
    if (needs == 0 && base) return Error{"The snapshot is a full one: there is nothing that it is a difference to."};
    if (needs != 0 && needs != base_checksum)
        return Error{"The snapshot is a difference to another one than the one that was given."};
    LoadArchive archive(in);
    visit_rest(archive, out);
    if (!in.ok() || !archive.is_sound()) return kDamaged;
    if (!Coder<false>(out, base, nullptr, &in, bytes.size()).run() || in.remaining() > 0) return kDamaged;
    derive_reports(out);
    return {};
}

}  // namespace proxima::physics
