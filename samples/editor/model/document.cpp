// SPDX-License-Identifier: MIT
// Document: what it is made of, selection, and how a change gets into it and out again.
#include "samples/editor/model/document.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/core/assert.h"
#include "physics/bodies/mass.h"

namespace proxima::editor {

Document::Document() { new_scene(); }

// ---- reading

const BodyRecord* Document::body(ItemId id) const {
    const auto found = place_of_.find(uint32_t(id));
    return found == place_of_.end() ? nullptr : &records_[found->second];
}

ItemId Document::body_of(ItemId id) const {
    if (place_of_.contains(uint32_t(id))) return id;
    const auto found = owner_of_.find(uint32_t(id));
    return found == owner_of_.end() ? ItemId::none : found->second;
}

const SceneCollider* Document::collider(ItemId id) const {
    const auto found = owner_of_.find(uint32_t(id));
    if (found == owner_of_.end()) return nullptr;
    const BodyRecord& record = records_[place_of(found->second)];
    const auto at = std::find(record.collider_ids.begin(), record.collider_ids.end(), id);
    return &record.desc.colliders[size_t(at - record.collider_ids.begin())];
}

SceneDesc Document::scene() const {
    SceneDesc scene;
    editor::set_facts(scene, facts_);
    scene.shapes = shapes_;
    scene.bodies.reserve(records_.size());
    for (const BodyRecord& record : records_) scene.bodies.push_back(record.desc);
    for (const JointRecord& joint : facts_.joints)
        scene.joints.push_back({uint32_t(place_of(joint.body_a)), uint32_t(place_of(joint.body_b)), joint.joint});
    return without_unused_shapes(scene);
}

physics::Mass Document::mass_of(ItemId id) const {
    const BodyRecord* record = body(id);
    physics::MassAccumulator sum;
    if (!record) return sum.result();
    const physics::PhysicsWorld& world = mirror_.world();
    for (const ItemId collider_id : record->collider_ids) {
        const auto& c = world.registry().get<physics::Collider>(mirror_.entity_of(collider_id));
        sum.add(world.shapes().get(c.shape).mass, {c.local.position, c.local.rotation}, c.density);
    }
    physics::Mass mass = sum.result();
    if (record->desc.mass > 0.0f) physics::scale_mass(mass, record->desc.mass);
    return mass;
}

Result<void> Document::prepare_world() {
    if (mirror_.is_as_built()) return {};
    return mirror_.rebuild(facts_, records_, shapes_, mirror_.is_wasteful());
}

// ---- selection

bool Document::is_selected(ItemId id) const {
    return std::find(selection_.begin(), selection_.end(), id) != selection_.end();
}

void Document::select(std::span<const ItemId> ids) {
    const std::vector<ItemId> wanted(ids.begin(), ids.end());  // ids may be our own list
    selection_.clear();
    for (const ItemId id : wanted) add_to_selection(id);
}

void Document::add_to_selection(ItemId id) {
    if (body_of(id) == ItemId::none) return;
    std::erase(selection_, id);
    selection_.push_back(id);
}

void Document::toggle_selection(ItemId id) {
    if (is_selected(id))
        std::erase(selection_, id);
    else
        add_to_selection(id);
}

void Document::select_all() {
    selection_.clear();
    for (const BodyRecord& record : records_) selection_.push_back(record.id);
}

std::vector<ItemId> Document::selected_bodies() const {
    std::vector<ItemId> bodies;
    for (const ItemId id : selection_) {
        const ItemId owner = body_of(id);
        if (std::find(bodies.begin(), bodies.end(), owner) == bodies.end()) bodies.push_back(owner);
    }
    return bodies;
}

std::vector<ItemId> Document::selected_colliders() const {
    std::vector<ItemId> colliders;
    for (const ItemId id : selection_)
        if (owner_of_.contains(uint32_t(id))) colliders.push_back(id);
    if (!colliders.empty()) return colliders;
    for (const ItemId id : selection_) {
        const BodyRecord& record = records_[place_of(id)];
        colliders.insert(colliders.end(), record.collider_ids.begin(), record.collider_ids.end());
    }
    return colliders;
}

void Document::prune_selection() {
    std::erase_if(selection_, [&](ItemId id) { return body_of(id) == ItemId::none; });
}

// ---- checks

Result<void> Document::check_unlocked() const {
    if (locked_) return Error{"The scene is being played; stop the play before changing it."};
    return {};
}

namespace {

/// "bodies[1].mass is -1; ..." in terms of what the designer sees: "Body 'crate': mass is -1; ...".
std::string with_name(const std::string& sentence, const std::vector<std::string>& names) {
    constexpr std::string_view kStart = "bodies[";
    if (!sentence.starts_with(kStart)) return sentence;
    size_t place = 0;
    const char* end = sentence.data() + sentence.size();
    const auto [after, error] = std::from_chars(sentence.data() + kStart.size(), end, place);
    if (error != std::errc() || after == end || place >= names.size()) return sentence;
    std::string rest(after + 1, end);  // behind the bracket
    const std::string who = names[place].empty() ? "The body" : "Body '" + names[place] + "'";
    if (!rest.starts_with('.')) return who + rest;
    return who + ": " + rest.substr(1);
}

}  // namespace

/// The scene's own check, on the changed bodies alone: a drag in a large scene asks sixty times a second. Its
/// shapes were cooked when they came into the list.
Result<void> Document::check_records(std::span<const BodyChange> bodies, const SceneFacts& facts) const {
    SceneDesc part;
    editor::set_facts(part, facts);
    std::vector<std::string> names;
    std::unordered_map<uint32_t, uint32_t> place_of_shape;
    const auto add = [&](const BodyRecord& record) {
        PX_ASSERT(record.collider_ids.size() == record.desc.colliders.size(), "every collider has an id");
        SceneBody& body = part.bodies.emplace_back(record.desc);
        names.push_back(record.desc.name);
        for (SceneCollider& collider : body.colliders) {
            PX_ASSERT(collider.shape < shapes_.size(), "shapes of colliders are in the list");
            const auto [known, fresh] = place_of_shape.try_emplace(collider.shape, uint32_t(part.shapes.size()));
            if (fresh) part.shapes.push_back(shapes_[collider.shape]);
            collider.shape = known->second;
        }
    };
    for (const BodyChange& change : bodies)
        if (change.after) add(*change.after);
    // Settings have to fit all bodies: not every solver knows every material.
    if (!same(facts, facts_))
        for (const BodyRecord& record : records_) add(record);
    if (Result<void> good = physics::check(part, physics::ShapeCheck::known); !good)
        return Error{with_name(good.error(), names)};
    return {};
}

Result<void> Document::check_joints(const std::vector<JointRecord>& joints) const {
    for (const JointRecord& joint : joints) {
        if (joint.body_a == joint.body_b) return Error{"A joint needs two different bodies."};
        if (const char* wrong = std::visit([](const auto& j) { return check_fields(j); }, joint.joint))
            return Error{wrong};
    }
    return {};
}

// ---- changes

std::vector<ItemId> Document::order() const {
    std::vector<ItemId> ids;
    ids.reserve(records_.size());
    for (const BodyRecord& record : records_) ids.push_back(record.id);
    return ids;
}

Result<void> Document::commit(Change change) {
    if (Result<void> free = check_unlocked(); !free) return free;
    if (change.is_nothing()) return {};
    const SceneFacts& facts = change.facts ? change.facts->after : facts_;
    if (Result<void> good = check_records(change.bodies, facts); !good) return good;
    if (change.facts)
        if (Result<void> good = check_joints(facts.joints); !good) return good;
    change.selection.before = selection_;
    if (Result<void> applied = apply(change, true); !applied) return applied;
    if (!change.selection.after.empty()) select(change.selection.after);
    change.selection.after = selection_;
    change.drag = drag_;
    history_.push_or_merge(std::move(change));
    drop_unused_shapes();
    return {};
}

/// World first, because it may refuse (a mass that no float holds); then the records, which do not.
Result<void> Document::apply(const Change& change, bool forward) {
    const physics::StepSettings settings_before = facts_.settings;
    if (change.facts) {
        const SceneFacts& facts = forward ? change.facts->after : change.facts->before;
        if (Result<void> set = mirror_.set_settings(facts.settings); !set) return set;
    }
    std::vector<MirrorChange> mirrored;
    mirrored.reserve(change.bodies.size());
    for (const BodyChange& body : change.bodies) {
        const std::optional<BodyRecord>& from = forward ? body.before : body.after;
        const std::optional<BodyRecord>& to = forward ? body.after : body.before;
        mirrored.push_back({body.id, from ? &*from : nullptr, to ? &*to : nullptr});
    }
    if (Result<void> applied = mirror_.apply(mirrored, shapes_); !applied) {
        const Result<void> back = mirror_.set_settings(settings_before);
        PX_ASSERT(back.ok(), "settings that were there are taken back");
        return applied;
    }
    if (change.facts) facts_ = forward ? change.facts->after : change.facts->before;
    mirror_.set_joints(facts_.joints);
    put(change.bodies, forward);
    if (change.order) {
        const std::vector<ItemId>& wanted = forward ? change.order->after : change.order->before;
        PX_ASSERT(wanted.size() == records_.size(), "an order names every body");
        std::vector<BodyRecord> sorted;
        sorted.reserve(wanted.size());
        for (const ItemId id : wanted) sorted.push_back(std::move(records_[place_of(id)]));
        records_ = std::move(sorted);
        index_bodies();
        mirror_.note_new_order();
    }
    prune_selection();
    return {};
}

/// Records in, out or replaced; new ones go to the end until the order says where they belong.
void Document::put(std::span<const BodyChange> changes, bool forward) {
    std::vector<uint8_t> gone(records_.size() + changes.size(), 0);
    bool any_gone = false;
    for (const BodyChange& change : changes) {
        const std::optional<BodyRecord>& from = forward ? change.before : change.after;
        if (!from) continue;
        for (const ItemId id : from->collider_ids) owner_of_.erase(uint32_t(id));
    }
    for (const BodyChange& change : changes) {
        const std::optional<BodyRecord>& from = forward ? change.before : change.after;
        const std::optional<BodyRecord>& to = forward ? change.after : change.before;
        if (to)
            for (const ItemId id : to->collider_ids) owner_of_[uint32_t(id)] = to->id;
        if (from && to) {
            records_[place_of(change.id)] = *to;
        } else if (to) {
            place_of_[uint32_t(change.id)] = records_.size();
            records_.push_back(*to);
        } else {
            gone[place_of(change.id)] = 1;
            place_of_.erase(uint32_t(change.id));
            any_gone = true;
        }
    }
    if (!any_gone) return;
    size_t kept = 0;
    for (size_t i = 0; i < records_.size(); ++i) {
        if (gone[i]) continue;
        if (kept != i) records_[kept] = std::move(records_[i]);
        ++kept;
    }
    records_.resize(kept);
    index_bodies();
}

void Document::index_bodies() {
    for (size_t i = 0; i < records_.size(); ++i) place_of_[uint32_t(records_[i].id)] = i;
}

/// A slider that is dragged leaves a shape for every value it passed. When most of the list is such, it is
/// renumbered, in the history too.
void Document::drop_unused_shapes() {
    if (mirror_.is_wasteful()) {
        const Result<void> rebuilt = mirror_.rebuild(facts_, records_, shapes_, true);
        PX_ASSERT(rebuilt.ok(), "a world that exists can be made again");
    }
    if (shapes_.size() < 256 || shapes_.size() < 4 * records_.size()) return;
    std::vector<uint8_t> used(shapes_.size(), 0);
    const auto note = [&](BodyRecord& record) {
        for (const SceneCollider& collider : record.desc.colliders) used[collider.shape] = 1;
    };
    for (BodyRecord& record : records_) note(record);
    history_.for_each_record(note);
    const size_t count = size_t(std::count(used.begin(), used.end(), uint8_t(1)));
    if (2 * count > shapes_.size()) return;
    std::vector<uint32_t> place(shapes_.size(), 0);
    std::vector<ShapeDesc> kept;
    for (size_t i = 0; i < shapes_.size(); ++i) {
        place[i] = uint32_t(kept.size());
        if (used[i]) kept.push_back(std::move(shapes_[i]));
    }
    shapes_ = std::move(kept);
    const auto renumber = [&](BodyRecord& record) {
        for (SceneCollider& collider : record.desc.colliders) collider.shape = place[collider.shape];
    };
    for (BodyRecord& record : records_) renumber(record);
    history_.for_each_record(renumber);
    const Result<void> rebuilt = mirror_.rebuild(facts_, records_, shapes_, true);
    PX_ASSERT(rebuilt.ok(), "a world that exists can be made again");
}

// ---- undo and redo

Result<void> Document::undo() {
    if (Result<void> free = check_unlocked(); !free) return free;
    end_drag();
    const Change* change = history_.next_undo();
    if (!change) return Error{"There is nothing to undo."};
    if (Result<void> applied = apply(*change, false); !applied) return applied;
    select(change->selection.before);
    history_.undone();
    return {};
}

Result<void> Document::redo() {
    if (Result<void> free = check_unlocked(); !free) return free;
    end_drag();
    const Change* change = history_.next_redo();
    if (!change) return Error{"There is nothing to redo."};
    if (Result<void> applied = apply(*change, true); !applied) return applied;
    select(change->selection.after);
    history_.redone();
    return {};
}

void Document::begin_drag() { drag_ = next_drag_++; }

void Document::cancel_drag() {
    const uint64_t drag = drag_;
    end_drag();
    const std::optional<Change> change = history_.take_back(drag);
    if (!change) return;
    const Result<void> back = apply(*change, false);
    PX_ASSERT(back.ok(), "a state that was there is brought back");
    select(change->selection.before);
}

std::string_view Document::undo_name() const {
    return history_.next_undo() ? std::string_view(history_.next_undo()->name) : std::string_view();
}
std::string_view Document::redo_name() const {
    return history_.next_redo() ? std::string_view(history_.next_redo()->name) : std::string_view();
}

}  // namespace proxima::editor
