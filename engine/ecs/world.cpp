// SPDX-License-Identifier: MIT
#include "engine/ecs/world.h"

#include <algorithm>

#include "engine/core/checksum.h"

namespace proxima::engine {

// A snapshot, all numbers as this machine stores them:
//   u32 mark, u32 format, u64 checksum of all bytes but its own, u32 types, u32 parts
//   per type: text name, u32 bytes of one component        per part: text name
//   u64 identifiers, u64 of them alive, the identifiers: the living, then those that wait, in their order of
//   recycling
//   per type: u64 count, entities, components, both in the dense order of the storage
//   per part: u64 bytes, what the part wrote

namespace {

constexpr uint32_t kMark = 0x53575850;  // "PXWS" on a little-endian machine, so that another byte order is noticed
constexpr uint32_t kFormat = 2;         // 1 had no checksum
constexpr size_t kChecksumAt = 8, kChecksumEnd = 16;
constexpr uint32_t kDead = 0xFFFFFFFFu;

using Traits = entt::entt_traits<Entity>;

Entity entity_at(const std::byte* entities, size_t i) {
    return detail::read_component<Entity>(entities + i * sizeof(Entity));
}

Error cut_short(const std::string& where) {
    return Error{"The snapshot is cut short in " + where + "; it must be kept whole."};
}

uint64_t checksum_of(std::span<const std::byte> snapshot) {
    return checksum(snapshot.subspan(kChecksumEnd), checksum(snapshot.first(kChecksumAt)));
}

std::string describe(const std::string& name, uint32_t size) {
    return "'" + name + "' of " + std::to_string(size) + " bytes";
}

std::string describe(Entity e) {
    return std::to_string(entt::to_entity(e)) + " (version " + std::to_string(entt::to_version(e)) + ")";
}

}  // namespace

/// Filled by the read_ functions, which check everything that rebuild() relies on.
struct World::Content {
    const std::byte* entities = nullptr;
    size_t entity_count = 0;
    size_t live_count = 0;
    uint32_t first_unused = 0;  // smallest index that no identifier has
    SnapshotView view;
    std::vector<std::span<const std::byte>> parts;
};

bool SnapshotView::alive(Entity entity) const {
    const uint32_t index = entt::to_entity(entity);
    return entity != entt::tombstone && index < living_.size() && living_[index] == entt::to_integral(entity);
}

uint32_t SnapshotView::row_of(const Type* type, Entity entity) const {
    if (!type || type->row.empty() || !alive(entity)) return kNoRow;
    return type->row[entt::to_entity(entity)];
}

Result<void> StatePart::validate(ByteReader&, const SnapshotView&) const { return {}; }

void update_checksum(Snapshot& snapshot) {
    if (snapshot.bytes.size() < kChecksumEnd) return;
    const uint64_t sum = checksum_of(snapshot.bytes);
    std::memcpy(snapshot.bytes.data() + kChecksumAt, &sum, sizeof(sum));
}

template <>
const char LibraryIsBuiltWith<entt::registry>::this_registry = 0;

World::World() : own_(std::make_unique<entt::registry>()), registry_(*own_) {}
World::World(entt::registry& registry) : registry_(registry) {}
World::~World() = default;

void World::persist_type(PersistedType type) {
    for (const PersistedType& known : types_) {
        PX_ASSERT(known.name != type.name, "Two persisted component types have the name '" + type.name + "'.");
        PX_ASSERT(known.storage != type.storage,
                  "Component '" + type.name + "' is persisted already as '" + known.name + "'.");
        (void)known;
    }
    types_.push_back(std::move(type));
}

void World::add_part(std::string_view name, StatePart& part) {
    for (const auto& known : parts_) {
        PX_ASSERT(known.first != name, "Two parts have the name '" + std::string(name) + "'.");
        PX_ASSERT(known.second != &part, "Part '" + std::string(name) + "' was added before as '" + known.first + "'.");
        (void)known;
    }
    parts_.emplace_back(std::string(name), &part);
}

void World::remove_part(StatePart& part) {
    std::erase_if(parts_, [&](const auto& known) { return known.second == &part; });
}

// ---- saving

void World::save(Snapshot& out) const {
    out.bytes.clear();
    ByteWriter writer(out.bytes);
    writer.value(kMark);
    writer.value(kFormat);
    writer.value(uint64_t(0));
    writer.value(uint32_t(types_.size()));
    writer.value(uint32_t(parts_.size()));
    for (const PersistedType& type : types_) {
        writer.text(type.name);
        writer.value(type.size);
    }
    for (const auto& part : parts_) writer.text(part.first);

    const auto& identifiers = *registry().storage<Entity>();
    writer.value(uint64_t(identifiers.size()));
    writer.value(uint64_t(identifiers.free_list()));
    writer.raw(identifiers.data(), identifiers.size() * sizeof(Entity));

    for (const PersistedType& type : types_) type.save(registry_, writer);
    save_parts(out.bytes);
    update_checksum(out);
}

void World::save_parts(std::vector<std::byte>& bytes) const {
    ByteWriter writer(bytes);
    for (const auto& part : parts_) {
        const size_t start = bytes.size();
        writer.value(uint64_t(0));
        part.second->save(writer);
        const uint64_t length = bytes.size() - start - sizeof(uint64_t);
        std::memcpy(bytes.data() + start, &length, sizeof(length));
    }
}

// ---- reading and checking, without touching the world

Result<void> World::read_header(ByteReader& in) const {
    const auto mark = in.value<uint32_t>();
    const auto format = in.value<uint32_t>();
    if (!in.ok() || mark != kMark)
        return Error{"These bytes are not the snapshot of a world, or of a machine with another byte order."};
    if (format != kFormat)
        return Error{"The snapshot has format " + std::to_string(format) + "; this program reads format " +
                     std::to_string(kFormat) + "."};
    (void)in.value<uint64_t>();  // the checksum, which restore() compares
    const auto type_count = in.value<uint32_t>();
    const auto part_count = in.value<uint32_t>();
    if (!in.ok()) return cut_short("its head");
    if (type_count != types_.size() || part_count != parts_.size())
        return Error{"The snapshot has " + std::to_string(type_count) + " component types and " +
                     std::to_string(part_count) + " parts; this world has " + std::to_string(types_.size()) + " and " +
                     std::to_string(parts_.size()) + "."};
    std::string name;
    for (const PersistedType& type : types_) {
        in.text(name);
        const auto size = in.value<uint32_t>();
        if (!in.ok()) return cut_short("the list of component types");
        if (name != type.name || size != type.size)
            return Error{"The snapshot has component " + describe(name, size) + " where this world has " +
                         describe(type.name, type.size) + "."};
    }
    for (const auto& part : parts_) {
        in.text(name);
        if (!in.ok()) return cut_short("the list of parts");
        if (name != part.first)
            return Error{"The snapshot has part '" + name + "' where this world has '" + part.first + "'."};
    }
    return {};
}

Result<void> World::read_entities(ByteReader& in, Content& content) const {
    const auto count = in.value<uint64_t>();
    const auto live = in.value<uint64_t>();
    if (!in.ok() || count > in.remaining() / sizeof(Entity)) return cut_short("the list of entities");
    if (live > count)
        return Error{"The snapshot counts " + std::to_string(live) + " living among " + std::to_string(count) +
                     " entities."};
    content.entity_count = size_t(count);
    content.live_count = size_t(live);
    content.entities = in.take(size_t(count) * sizeof(Entity));

    uint32_t end = 0;  // one past the largest index
    for (size_t i = 0; i < count; ++i) {
        const Entity e = entity_at(content.entities, i);
        if (e == entt::null || e == entt::tombstone)
            return Error{"The snapshot lists entity " + describe(e) + ", which cannot exist."};
        end = std::max(end, uint32_t(entt::to_entity(e)) + 1);
    }
    std::vector<uint32_t>& living = content.view.living_;
    living.assign(end, kDead);
    std::vector<bool> seen(end, false);
    for (size_t i = 0; i < count; ++i) {
        const Entity e = entity_at(content.entities, i);
        const uint32_t index = entt::to_entity(e);
        if (seen[index]) return Error{"The snapshot lists entity " + std::to_string(index) + " twice."};
        seen[index] = true;
        if (i < live) living[index] = entt::to_integral(e);
    }
    content.first_unused = uint32_t(std::find(seen.begin(), seen.end(), false) - seen.begin());
    return {};
}

Result<void> World::read_components(ByteReader& in, Content& content) const {
    SnapshotView& view = content.view;
    view.registry_ = &registry_;
    view.types_.reserve(types_.size());
    for (const PersistedType& type : types_) {
        const auto count = in.value<uint64_t>();
        const size_t each = sizeof(Entity) + type.size;
        if (!in.ok() || count > in.remaining() / each) return cut_short("the components '" + type.name + "'");
        SnapshotView::Type& found = view.types_.emplace_back();
        found.storage = type.storage;
        found.count = size_t(count);
        found.entities = in.take(found.count * sizeof(Entity));
        found.values = in.take(found.count * type.size);
        if (count > 0) found.row.assign(view.living_.size(), SnapshotView::kNoRow);
        for (size_t i = 0; i < found.count; ++i) {
            const Entity e = entity_at(found.entities, i);
            if (!view.alive(e))
                return Error{"The snapshot has a component '" + type.name + "' of entity " + describe(e) +
                             ", which is not alive in it."};
            uint32_t& row = found.row[entt::to_entity(e)];
            if (row != SnapshotView::kNoRow)
                return Error{"The snapshot has two components '" + type.name + "' of entity " + describe(e) + "."};
            row = uint32_t(i);
        }
    }
    return {};
}

Result<void> World::read_parts(ByteReader& in, Content& content) const {
    for (const auto& part : parts_) {
        const auto length = in.value<uint64_t>();
        if (!in.ok() || length > in.remaining()) return cut_short("part '" + part.first + "'");
        content.parts.emplace_back(in.take(size_t(length)), size_t(length));
    }
    if (in.remaining() > 0)
        return Error{"The snapshot has " + std::to_string(in.remaining()) + " bytes behind its end."};
    return {};
}

namespace {

/// After a part was read.
Result<void> check_all_read(const std::string& name, const ByteReader& in) {
    if (!in.ok()) return cut_short("part '" + name + "'");
    if (in.remaining() > 0)
        return Error{"Part '" + name + "' of the snapshot has " + std::to_string(in.remaining()) + " bytes too many."};
    return {};
}

}  // namespace

/// What the checks of components and parts say. All counts and entities are right by now.
Result<void> World::check_content(const Content& content) const {
    for (size_t k = 0; k < types_.size(); ++k) {
        const PersistedType& type = types_[k];
        const SnapshotView::Type& found = content.view.types_[k];
        for (size_t i = 0; type.check && i < found.count; ++i) {
            const Entity e = entity_at(found.entities, i);
            const Result<void> checked = type.check(found.values + i * type.size, e, content.view);
            if (!checked)
                return Error{"Component '" + type.name + "' of entity " + describe(e) +
                             " in the snapshot makes no sense. " + checked.error()};
        }
    }
    for (size_t k = 0; k < parts_.size(); ++k) {
        ByteReader in(content.parts[k]);
        const Result<void> checked = parts_[k].second->validate(in, content.view);
        if (!checked) return Error{"Part '" + parts_[k].first + "' of the snapshot cannot be read. " + checked.error()};
        if (parts_[k].second->validates_all())
            if (Result<void> whole = check_all_read(parts_[k].first, in); !whole) return whole;
    }
    return {};
}

// ---- restoring

namespace {

Result<void> load_part(const std::string& name, StatePart& part, std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    Result<void> loaded = part.load(in);
    if (!loaded) return Error{"Part '" + name + "' of the snapshot cannot be read. " + loaded.error()};
    return check_all_read(name, in);
}

}  // namespace

/// Lets every part load that may still refuse. If one does, all that loaded get back what they held.
Result<void> World::try_parts(const Content& content) {
    const auto is_tried = [&](size_t i) { return !parts_[i].second->validates_all(); };
    std::vector<std::vector<std::byte>> before(parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
        if (!is_tried(i)) continue;
        ByteWriter out(before[i]);
        parts_[i].second->save(out);
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
        if (!is_tried(i)) continue;
        Result<void> loaded = load_part(parts_[i].first, *parts_[i].second, content.parts[i]);
        if (loaded) continue;
        for (size_t k = 0; k <= i; ++k) {
            if (!is_tried(k)) continue;
            [[maybe_unused]] const Result<void> undone = load_part(parts_[k].first, *parts_[k].second, before[k]);
            PX_ASSERT(undone.ok(), "A part cannot read what it wrote itself. " + undone.error());
        }
        return loaded;
    }
    return {};
}

/// Whether a living entity of the game's registry is there for persisted components alone.
bool World::is_ours_alone(Entity entity) const {
    size_t ours = 0, all = 0;
    for (const PersistedType& type : types_) ours += type.entities->contains(entity);
    for (const auto& [number, storage] : registry().storage()) all += storage.contains(entity);
    return ours > 0 && ours == all;
}

/// In a registry of the game's, an index may be another entity's by now.
Result<void> World::check_identifiers(const Content& content) const {
    const auto& identifiers = *registry().storage<Entity>();
    std::vector<Entity> now;  // by index
    for (size_t i = 0; i < identifiers.free_list(); ++i) {
        const Entity entity = identifiers.data()[i];
        if (now.size() <= entt::to_entity(entity)) now.resize(entt::to_entity(entity) + 1, kNoEntity);
        now[entt::to_entity(entity)] = entity;
    }
    for (const SnapshotView::Type& type : content.view.types_)
        for (size_t i = 0; i < type.count; ++i) {
            const Entity saved = entity_at(type.entities, i);
            const size_t index = entt::to_entity(saved);
            if (index >= now.size() || now[index] == kNoEntity || now[index] == saved || is_ours_alone(now[index]))
                continue;
            return Error{"Entity " + describe(saved) + " of the snapshot has the index of entity " +
                         describe(now[index]) +
                         ", which the game has made since in its registry; destroy that one before you restore."};
        }
    return {};
}

/// Takes the persisted components out of a registry of the game's, with the entities that were there for them alone, and
/// makes those that the snapshot has components of.
void World::make_room(const Content& content) {
    std::vector<Entity> ours;
    for (const PersistedType& type : types_)
        ours.insert(ours.end(), type.entities->data(), type.entities->data() + type.entities->size());
    std::sort(ours.begin(), ours.end());
    ours.erase(std::unique(ours.begin(), ours.end()), ours.end());
    for (size_t i = types_.size(); i-- > 0;) types_[i].clear(registry_);
    const auto is_saved = [&](Entity entity) {
        for (const SnapshotView::Type& type : content.view.types_)
            if (!type.row.empty() && content.view.row_of(&type, entity) != SnapshotView::kNoRow) return true;
        return false;
    };
    for (const Entity entity : ours)
        if (registry_.orphan(entity) && !is_saved(entity)) registry_.destroy(entity);
    for (const SnapshotView::Type& type : content.view.types_)
        for (size_t i = 0; i < type.count; ++i) {
            const Entity saved = entity_at(type.entities, i);
            if (registry_.valid(saved)) continue;
            [[maybe_unused]] const Entity made = registry_.create(saved);
            PX_ASSERT(made == saved, "A listener made an entity while the world was restored.");
        }
}

/// Entities exactly as the snapshot has them, in a registry of the world's own.
void World::rebuild_entities(const Content& content) {
    registry_.clear();
    auto& identifiers = registry_.storage<Entity>();
    identifiers.clear();  // clear() of the registry keeps identifiers for recycling; these go as well
    identifiers.reserve(content.entity_count);
    for (size_t i = 0; i < content.entity_count; ++i) {
        [[maybe_unused]] const Entity made = identifiers.generate(entity_at(content.entities, i));
        PX_ASSERT(made == entity_at(content.entities, i), "A listener made an entity while the world was restored.");
    }
    identifiers.free_list(content.live_count);
    // The registry hands out the smallest index that was never used. It does not tell how far it got, but the list
    // does.
    identifiers.start_from(Traits::construct(content.first_unused, 0));
}

void World::rebuild(const Content& content) {
    if (own_)
        rebuild_entities(content);
    else
        make_room(content);
    for (size_t i = 0; i < types_.size(); ++i) {
        const SnapshotView::Type& type = content.view.types_[i];
        PX_ASSERT(types_[i].count(registry_) == 0, "A listener made '" + types_[i].name + "' during a restore.");
        types_[i].load(registry_, type.entities, type.values, type.count);
    }
    for (size_t i = 0; i < types_.size(); ++i)
        PX_ASSERT(types_[i].count(registry_) == content.view.types_[i].count,
                  "A listener made or removed '" + types_[i].name + "' during a restore.");
}

Result<void> World::restore(const Snapshot& snapshot) {
    ByteReader in(snapshot.bytes);
    Content content;
    if (Result<void> read = read_header(in); !read) return read;
    uint64_t sum = 0;
    std::memcpy(&sum, snapshot.bytes.data() + kChecksumAt, sizeof(sum));
    if (sum != checksum_of(snapshot.bytes))
        return Error{"The snapshot is damaged: its checksum is not that of its bytes."};
    if (Result<void> read = read_entities(in, content); !read) return read;
    if (Result<void> read = read_components(in, content); !read) return read;
    if (Result<void> read = read_parts(in, content); !read) return read;
    if (Result<void> checked = check_content(content); !checked) return checked;
    if (!own_)
        if (Result<void> checked = check_identifiers(content); !checked) return checked;
    if (Result<void> loaded = try_parts(content); !loaded) return loaded;

    rebuild(content);
    for (size_t i = 0; i < parts_.size(); ++i) {
        [[maybe_unused]] const Result<void> loaded = load_part(parts_[i].first, *parts_[i].second, content.parts[i]);
        PX_ASSERT(loaded.ok(), "A part read its bytes once but not twice. " + loaded.error());
    }
    return {};
}

}  // namespace proxima::engine
