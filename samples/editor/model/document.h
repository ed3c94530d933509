// SPDX-License-Identifier: MIT
// Document: the scene being edited, the world that mirrors it, the selection, and commands with undo and
// redo. Every command either is done completely or says in a sentence why not and changes nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/result.h"
#include "samples/editor/model/history.h"
#include "samples/editor/model/records.h"
#include "samples/editor/model/world_mirror.h"

namespace proxima::editor {

/// A collider with its shape by value, for making bodies.
struct NewCollider {
    ShapeDesc shape;
    SceneCollider desc;  // its `shape` is filled in
};

/// What is known of a document's file since it was read or written.
enum class FileState : uint8_t {
    none,       // the document has no file
    unchanged,  // as this document knows it
    changed,    // somebody else wrote it: reload() or keep_mine()
    gone,       // removed or moved away: save() writes it again
};

class Document {
  public:
    /// A new scene without anything in it.
    Document();
    Document(const Document&) = delete;
    Document& operator=(const Document&) = delete;

    // ---- reading
    std::span<const BodyRecord> bodies() const { return records_; }
    const BodyRecord* body(ItemId id) const;
    /// The body that a collider is on; ItemId::none for strangers. Of a body: itself.
    ItemId body_of(ItemId id) const;
    const SceneCollider* collider(ItemId id) const;
    const ShapeDesc& shape(uint32_t place) const { return shapes_[place]; }
    const SceneFacts& facts() const { return facts_; }
    /// The whole scene as a file holds it.
    SceneDesc scene() const;
    /// Mass, centre and inertia as the world will compute them.
    physics::Mass mass_of(ItemId body) const;

    // ---- the world: only to be read while the document is edited. A command may put another in its place:
    // who keeps something of it compares world_generation().
    physics::PhysicsWorld& world() { return mirror_.world(); }
    const physics::PhysicsWorld& world() const { return mirror_.world(); }
    Entity entity_of(ItemId id) const { return mirror_.entity_of(id); }
    ItemId id_of(Entity entity) const { return mirror_.id_of(entity); }
    uint64_t world_generation() const { return mirror_.generation(); }
    /// Before a play: makes the world exactly what loading the saved file would make, if edits have left it
    /// equal only in content (bodies made in another order give other, equally right results).
    Result<void> prepare_world();
    /// While something else steps the world, commands, undo and redo are refused.
    void set_locked(bool locked) { locked_ = locked; }
    bool is_locked() const { return locked_; }

    // ---- selection: bodies and colliders, in the order of selecting; the last is the primary one
    std::span<const ItemId> selection() const { return selection_; }
    bool is_selected(ItemId id) const;
    void select(std::span<const ItemId> ids);
    void select(ItemId id) { select(std::span(&id, 1)); }
    void add_to_selection(ItemId id);
    void toggle_selection(ItemId id);
    void select_all();
    void clear_selection() { selection_.clear(); }
    /// Selected bodies and those of selected colliders, each once.
    std::vector<ItemId> selected_bodies() const;
    /// Selected colliders; when there are none, all of the selected bodies.
    std::vector<ItemId> selected_colliders() const;

    // ---- commands
    Result<ItemId> create_body(SceneBody desc, std::vector<NewCollider> colliders);
    /// One collider of a shape; the name is made of the shape's.
    Result<ItemId> create_body(const ShapeDesc& shape, BodyType type, const Vec3& position);
    /// Bodies and colliders.
    Result<void> remove(std::span<const ItemId> ids);
    /// Copies of bodies, moved by `offset`, selected; ids in the order of the originals.
    Result<std::vector<ItemId>> duplicate(std::span<const ItemId> bodies, const Vec3& offset);
    Result<void> rename(ItemId body, std::string name);
    /// To this place among the bodies: the order of the file, and of the step.
    Result<void> reorder(ItemId body, size_t place);
    Result<ItemId> add_collider(ItemId body, const NewCollider& collider);
    Result<void> set_facts(std::string command, SceneFacts facts);
    /// Any other edit of bodies: `edit` gets a copy of each record and may not touch ids. To give a collider
    /// another shape, use intern_shape().
    Result<void> edit_bodies(std::string command, std::span<const ItemId> bodies,
                             const std::function<Result<void>(BodyRecord&)>& edit);
    /// The place of a shape in the scene's list; a new place when there is no such shape yet. A sentence when
    /// it is none (sizes, flat hulls).
    Result<uint32_t> intern_shape(const ShapeDesc& shape);

    // ---- joints, by their place in facts().joints
    Result<void> join(ItemId body_a, ItemId body_b, const physics::AnyJoint& joint);
    /// A ball joint half way between two bodies.
    Result<void> join(ItemId body_a, ItemId body_b);
    Result<void> edit_joint(size_t place, const physics::AnyJoint& joint);
    Result<void> remove_joint(size_t place);

    // ---- drags: between begin and end all commands become one
    void begin_drag();
    void end_drag() { drag_ = 0; }
    /// Ends the drag and undoes what it did, with nothing to redo.
    void cancel_drag();
    bool is_dragging() const { return drag_ != 0; }

    // ---- undo and redo
    Result<void> undo();
    Result<void> redo();
    const History& history() const { return history_; }
    void set_undo_budget(size_t bytes) { history_.set_budget(bytes); }
    /// "Move 3 bodies", or empty.
    std::string_view undo_name() const;
    std::string_view redo_name() const;

    // ---- files
    const std::string& file() const { return file_; }
    /// Whether something would be lost without saving.
    bool is_dirty() const { return history_.revision() != saved_revision_; }
    /// "crates.json *", "untitled".
    std::string title() const;
    void new_scene();
    /// A scene that comes from no file, such as a built-in one.
    Result<void> set_scene(const SceneDesc& scene);
    Result<void> open(const std::string& file);
    Result<void> save();
    Result<void> save_as(const std::string& file);
    /// Looks at the file; cheap while its time and size have not changed.
    FileState check_file();
    /// Throws the edits away and reads the file again.
    Result<void> reload();
    /// Keeps the edits although the file has changed; they are unsaved then.
    void keep_mine();

  private:
    struct DiskState {
        int64_t time = 0;
        uint64_t size = 0;
        uint64_t hash = 0;
    };

    ItemId new_id() { return ItemId(next_id_++); }
    size_t place_of(ItemId body) const { return place_of_.at(uint32_t(body)); }
    Result<void> check_unlocked() const;
    Result<void> check_records(std::span<const BodyChange> bodies, const SceneFacts& facts) const;
    Result<void> commit(Change change);
    Result<void> apply(const Change& change, bool forward);
    void put(std::span<const BodyChange> changes, bool forward);
    void index_bodies();
    void drop_unused_shapes();
    void prune_selection();
    std::vector<ItemId> order() const;
    Result<void> take_scene(const SceneDesc& scene);
    Result<void> check_joints(const std::vector<JointRecord>& joints) const;
    static std::optional<DiskState> look_at(const std::string& file, bool with_hash);

    std::vector<BodyRecord> records_;  // in the order of the file
    std::vector<ShapeDesc> shapes_;    // each once; some may be used by the history alone
    SceneFacts facts_;
    WorldMirror mirror_;
    std::unordered_map<uint32_t, size_t> place_of_;  // body id -> place in records_; never walked
    std::unordered_map<uint32_t, ItemId> owner_of_;  // collider id -> body; never walked
    std::vector<ItemId> selection_;
    History history_;
    uint32_t next_id_ = 1;
    uint64_t drag_ = 0, next_drag_ = 1;
    bool locked_ = false;
    std::string file_;
    uint64_t saved_revision_ = 0;
    DiskState disk_;
};

}  // namespace proxima::editor
