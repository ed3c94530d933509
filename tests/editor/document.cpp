// SPDX-License-Identifier: MIT
#include "samples/editor/model/document.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "tests/editor/editor_test.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("bodies of every shape are made, mirrored and selected") {
    Document document;
    CHECK(document.bodies().empty());
    CHECK_FALSE(document.is_dirty());
    for (const ShapeDesc& shape : {sphere_shape(), box_shape(), capsule_shape(), hull_shape()}) {
        const ItemId id = take(document.create_body(shape, BodyType::dynamic, {1.0f, 2.0f, 3.0f}));
        REQUIRE(document.selection().size() == 1);
        CHECK(document.selection()[0] == id);
        CHECK(document.body(id)->desc.name == physics::to_string(shape.type));
        check_mirror(document);
    }
    const ItemId ground = take(document.create_body(half_space_shape(), BodyType::fixed, {}));
    CHECK(document.body(ground)->desc.name == "half-space");
    check_mirror(document);
    CHECK(document.is_dirty());
    CHECK(document.undo_name() == "Create 'half-space'");
    CHECK(take(document.create_body(box_shape(), BodyType::dynamic, {})) != ItemId::none);
    CHECK(document.bodies().back().desc.name == "box 2");
    // The floor weighs nothing, a cube of water a tonne.
    CHECK(document.mass_of(document.bodies().back().id).mass == doctest::Approx(1000.0));
}

TEST_CASE("what makes no sense gets a sentence and changes nothing") {
    Document document;
    const ItemId id = take(document.create_body(box_shape(), BodyType::dynamic, {}));
    const std::string before = text_of(document);
    const size_t commands = document.history().undo_count();
    const auto refused = [&](const Result<void>& result, const std::string& part) {
        CHECK_FALSE(result.ok());
        CHECK_MESSAGE(has(result.error(), part), result.error());
        CHECK(text_of(document) == before);
        CHECK(document.history().undo_count() == commands);
        check_mirror(document);
    };
    const auto edit = [&](auto&& change) {
        return document.edit_bodies("Break it", std::span(&id, 1), [&](BodyRecord& record) -> Result<void> {
            change(record.desc);
            return {};
        });
    };
    refused(edit([](SceneBody& d) { d.mass = -1.0f; }), "Body 'box': mass is -1");
    refused(edit([](SceneBody& d) { d.position.x = NAN; }), "position");
    refused(edit([](SceneBody& d) { d.rotation = Quat(2.0f, 0.0f, 0.0f, 0.0f); }), "unit quaternion");
    refused(edit([](SceneBody& d) { d.colliders[0].density = 0.0f; }), "colliders[0].density");
    refused(edit([](SceneBody& d) {
                d.colliders[0].density = 1e38f;
                d.colliders[0].scale = Vec3(100.0f);
            }),
            "mass or inertia");
    refused(edit([](SceneBody& d) { d.colliders[0].material.restitution = 2.0f; }), "between 0 and 1");
    const ItemId collider = document.body(id)->collider_ids[0];
    refused(document.remove(std::span(&collider, 1)), "has no colliders");
    refused(document.rename(ItemId(999), "x"), "no such body");
    refused(document.reorder(id, 5), "Place 5");
    SceneFacts facts = document.facts();
    facts.settings.substeps = 0;
    refused(document.set_facts("Change the settings", facts), "substeps");
    facts = document.facts();
    facts.settings.solver = "magic";
    refused(document.set_facts("Change the settings", facts), "magic");
    const auto half_space = document.create_body(half_space_shape(), BodyType::dynamic, {});
    CHECK(has(half_space.error(), "fixed"));
    CHECK(has(document.create_body(sphere_shape(-1.0f), BodyType::dynamic, {}).error(), "radius"));
    CHECK(text_of(document) == before);
}

TEST_CASE("undo and redo go through every kind of command, and ids stay") {
    Document document;
    std::vector<std::string> states{text_of(document)};
    std::vector<std::vector<ItemId>> ids{{}};
    const auto note = [&] {
        states.push_back(text_of(document));
        ids.emplace_back();
        for (const BodyRecord& record : document.bodies()) {
            ids.back().push_back(record.id);
            for (const ItemId id : record.collider_ids) ids.back().push_back(id);
        }
    };
    const ItemId floor = take(document.create_body(half_space_shape(), BodyType::fixed, {}));
    note();
    const ItemId crate = take(document.create_body(box_shape(), BodyType::dynamic, {0.0f, 1.0f, 0.0f}));
    note();
    done(document.rename(crate, "crate"));
    note();
    const auto copies = take(document.duplicate(std::vector<ItemId>{crate}, {2.0f, 0.0f, 0.0f}));
    note();
    CHECK(document.body(copies[0])->desc.name == "crate 2");
    done(document.reorder(copies[0], 0));
    note();
    CHECK(document.bodies()[0].id == copies[0]);
    const ItemId knob = take(document.add_collider(crate, {sphere_shape(0.2f), {.position = {0.0f, 0.7f, 0.0f}}}));
    note();
    CHECK(document.selection()[0] == knob);
    SceneFacts facts = document.facts();
    facts.settings.substeps = 3;
    done(document.set_facts("Set sub-steps", facts));
    note();
    done(document.remove(std::vector<ItemId>{knob, floor}));
    note();
    CHECK(document.undo_name() == "Delete 1 body and 1 collider");
    done(document.remove(std::vector<ItemId>{copies[0]}));
    note();
    CHECK(document.undo_name() == "Delete 'crate 2'");
    const auto check_at = [&](size_t i) {
        CHECK(text_of(document) == states[i]);
        std::vector<ItemId> now;
        for (const BodyRecord& record : document.bodies()) {
            now.push_back(record.id);
            for (const ItemId id : record.collider_ids) now.push_back(id);
        }
        CHECK(now == ids[i]);
        check_mirror(document);
    };
    for (int round = 0; round < 2; ++round) {
        for (size_t i = states.size() - 1; i-- > 0;) {
            done(document.undo());
            check_at(i);
        }
        CHECK_FALSE(document.undo().ok());
        CHECK_FALSE(document.is_dirty());
        for (size_t i = 1; i < states.size(); ++i) {
            done(document.redo());
            check_at(i);
        }
        CHECK_FALSE(document.redo().ok());
    }
    // Ids are never given again, not even those of things that were undone.
    std::set<ItemId> known;
    for (const auto& list : ids) known.insert(list.begin(), list.end());
    for (int i = 0; i < 4; ++i) done(document.undo());
    const ItemId fresh = take(document.create_body(box_shape(), BodyType::dynamic, {}));
    CHECK_FALSE(known.contains(fresh));
    CHECK_FALSE(known.contains(document.body(fresh)->collider_ids[0]));
    CHECK(document.history().redo_count() == 0);
}

TEST_CASE("random commands, undone all the way and redone, give every state again") {
    test::Random random{11};
    Document document;
    std::vector<std::string> states{text_of(document)};
    for (int i = 0; i < 150; ++i) {
        const size_t before = document.history().undo_count();
        const auto any = [&] { return document.bodies()[random.below(uint32_t(document.bodies().size()))].id; };
        const uint32_t what = document.bodies().empty() ? 0 : random.below(7);
        if (what <= 1) {
            (void)document.create_body(random.below(2) ? box_shape() : hull_shape(), BodyType::dynamic,
                                       {random.between(-5.0f, 5.0f), 0.0f, 0.0f});
        } else if (what == 2) {
            (void)document.remove(std::vector<ItemId>{any(), any()});
        } else if (what == 3) {
            (void)document.duplicate(std::vector<ItemId>{any()}, {1.0f, 0.0f, 0.0f});
        } else if (what == 4) {
            (void)document.reorder(any(), random.below(uint32_t(document.bodies().size())));
        } else if (what == 5) {
            (void)document.add_collider(any(), {sphere_shape(random.between(0.1f, 1.0f)), {}});
        } else {
            (void)document.edit_bodies("Move", std::vector<ItemId>{any(), any()}, [&](BodyRecord& r) -> Result<void> {
                r.desc.position.y += random.between(0.0f, 1.0f);
                return {};
            });
        }
        CHECK(document.history().undo_count() <= before + 1);
        if (document.history().undo_count() > before) states.push_back(text_of(document));
    }
    CHECK(states.size() > 100);
    for (size_t i = states.size() - 1; i-- > 0;) {
        done(document.undo());
        REQUIRE(text_of(document) == states[i]);
    }
    for (size_t i = 1; i < states.size(); ++i) {
        done(document.redo());
        REQUIRE(text_of(document) == states[i]);
    }
    check_mirror(document);
}

TEST_CASE("a drag is one command, a drag that returns is none, a cancelled one never was") {
    Document document;
    const ItemId id = take(document.create_body(box_shape(), BodyType::dynamic, {}));
    const std::string before = text_of(document);
    const size_t commands = document.history().undo_count();
    const auto move_to = [&](float x) {
        done(document.edit_bodies("Move 'box'", std::span(&id, 1), [&](BodyRecord& r) -> Result<void> {
            r.desc.position.x = x;
            return {};
        }));
    };
    document.begin_drag();
    for (int i = 1; i <= 100; ++i) move_to(float(i) * 0.1f);
    document.end_drag();
    CHECK(document.history().undo_count() == commands + 1);
    CHECK(document.body(id)->desc.position.x == 10.0f);
    move_to(11.0f);
    CHECK(document.history().undo_count() == commands + 2);
    done(document.undo());
    done(document.undo());
    CHECK(text_of(document) == before);
    done(document.redo());
    CHECK(document.body(id)->desc.position.x == 10.0f);
    done(document.undo());

    const uint64_t revision = document.history().revision();
    document.begin_drag();
    move_to(5.0f);
    CHECK(document.history().redo_count() == 0);
    move_to(0.0f);
    document.end_drag();
    CHECK(document.history().undo_count() == commands);
    CHECK(document.history().revision() == revision);

    document.begin_drag();
    move_to(5.0f);
    document.cancel_drag();
    CHECK(text_of(document) == before);
    CHECK(document.history().undo_count() == commands);
    CHECK(document.history().redo_count() == 0);
    CHECK(document.history().revision() == revision);
    check_mirror(document);
}

TEST_CASE("the history keeps to its memory and forgets the oldest first") {
    Document document;
    const ItemId id = take(document.create_body(box_shape(), BodyType::dynamic, {}));
    document.set_undo_budget(20000);
    for (int i = 1; i <= 500; ++i)
        done(document.edit_bodies("Move", std::span(&id, 1), [&](BodyRecord& r) -> Result<void> {
            r.desc.position.x = float(i);
            return {};
        }));
    CHECK(document.history().bytes() <= 20000);
    CHECK(document.history().undo_count() > 5);
    CHECK(document.history().undo_count() < 100);
    while (document.undo().ok()) {}
    CHECK(document.body(id)->desc.position.x > 400.0f);
    CHECK(document.is_dirty());  // the saved state is out of reach
    document.set_undo_budget(1);
    CHECK(document.history().bytes() > 0);  // what can be redone stays until something new is done
    done(document.rename(id, "last"));
    CHECK(document.history().undo_count() == 1);
}

TEST_CASE("selection keeps its order, follows undo, and knows bodies of colliders") {
    Document document;
    const auto ids = make_tower(document, 3);
    document.select(std::vector<ItemId>{ids[1], ids[3]});
    document.add_to_selection(ids[2]);
    CHECK(document.selected_bodies() == std::vector<ItemId>{ids[1], ids[3], ids[2]});
    document.toggle_selection(ids[3]);
    CHECK_FALSE(document.is_selected(ids[3]));
    document.add_to_selection(ItemId(12345));
    CHECK(document.selection().size() == 2);
    const auto chosen = document.selected_bodies();
    done(document.remove(chosen));
    CHECK(document.selection().empty());
    done(document.undo());
    CHECK(document.selected_bodies() == chosen);
    const ItemId collider = document.body(ids[3])->collider_ids[0];
    document.select(collider);
    CHECK(document.selected_bodies() == std::vector<ItemId>{ids[3]});
    CHECK(document.selected_colliders() == std::vector<ItemId>{collider});
    document.select_all();
    CHECK(document.selected_bodies().size() == 4);
    CHECK(document.selected_colliders().size() == 4);
}

TEST_CASE("a size that is dragged does not fill the memory with shapes") {
    Document document;
    const auto ids = make_tower(document, 2);
    document.begin_drag();
    for (int i = 0; i < 2000; ++i) {
        const uint32_t shape = take(document.intern_shape(sphere_shape(0.1f + 0.0001f * float(i))));
        done(document.edit_bodies("Set radius", std::span(&ids[1], 1), [&](BodyRecord& r) -> Result<void> {
            r.desc.colliders[0].shape = shape;
            return {};
        }));
    }
    document.end_drag();
    CHECK(document.world().shapes().size() < 1000);
    CHECK(document.scene().shapes.size() == 3);
    check_mirror(document);
    done(document.undo());
    CHECK(document.shape(document.body(ids[1])->desc.colliders[0].shape).type == ShapeType::box);
    done(document.redo());
    CHECK(document.shape(document.body(ids[1])->desc.colliders[0].shape).radius == doctest::Approx(0.2999));
    check_mirror(document);
}

TEST_CASE("an edited document plays as its saved file does") {
    Document document;
    const auto ids = make_tower(document, 4, 0.1f);
    done(document.reorder(ids[4], 1));
    done(document.remove(std::vector<ItemId>{ids[2]}));
    done(document.undo());
    done(document.edit_bodies("Push", std::span(&ids[3], 1), [](BodyRecord& r) -> Result<void> {
        r.desc.linear_velocity.x = 1.0f;
        return {};
    }));
    done(document.prepare_world());
    check_mirror(document);
    physics::PhysicsWorld other;
    const SceneDesc scene = take(physics::parse_scene(text_of(document), "test"));
    take(physics::instantiate(scene, other));
    for (int i = 0; i < 120; ++i) {
        done(document.world().step(1.0f / 60.0f));
        done(other.step(1.0f / 60.0f));
    }
    CHECK(document.world().state_hash() == other.state_hash());
}

TEST_CASE("a locked document refuses commands") {
    Document document;
    const auto ids = make_tower(document, 1);
    document.set_locked(true);
    CHECK(has(document.rename(ids[0], "x").error(), "being played"));
    CHECK_FALSE(document.undo().ok());
    CHECK_FALSE(document.create_body(box_shape(), BodyType::dynamic, {}).ok());
    document.set_locked(false);
    CHECK(document.rename(ids[0], "x").ok());
}

TEST_CASE("joints are made, changed, copied, deleted with their bodies, undone, saved and played") {
    Document document;
    const ItemId beam = take(document.create_body(box_shape(), BodyType::fixed, {0.0f, 5.0f, 0.0f}));
    const ItemId first = take(document.create_body(sphere_shape(), BodyType::dynamic, {0.0f, 3.0f, 0.0f}));
    const ItemId second = take(document.create_body(sphere_shape(), BodyType::dynamic, {0.0f, 1.0f, 0.0f}));
    std::vector<std::string> states{text_of(document)};
    const auto joints_of_world = [&] { return document.world().registry().view<physics::BallJoint>().size(); };
    const auto note = [&](size_t joints) {
        CHECK(document.facts().joints.size() == joints);
        CHECK(joints_of_world() == joints);
        states.push_back(text_of(document));
        check_mirror(document);
    };
    done(document.join(beam, first));
    note(1);
    done(document.join(first, second));
    note(2);
    // Half way between the two, in the frame of each.
    CHECK(std::get<physics::BallJoint>(document.facts().joints[1].joint).anchor_b == Vec3(0.0f, 1.0f, 0.0f));
    physics::BallJoint soft = std::get<physics::BallJoint>(document.facts().joints[1].joint);
    soft.hertz = 3.0f;
    done(document.edit_joint(1, soft));
    note(2);
    const auto copies = take(document.duplicate(std::vector<ItemId>{first, second}, {2.0f, 0.0f, 0.0f}));
    note(3);
    CHECK(document.facts().joints[2].body_a == copies[0]);
    CHECK(std::get<physics::BallJoint>(document.facts().joints[2].joint).hertz == 3.0f);
    done(document.edit_bodies("Make it heavy", std::span(&second, 1), [](BodyRecord& record) -> Result<void> {
        record.desc.mass = 7.0f;  // the body is made anew, its joint too
        return {};
    }));
    note(3);
    done(document.remove(std::vector<ItemId>{first}));
    note(1);
    done(document.remove_joint(0));
    note(0);
    for (size_t k = states.size() - 1; k-- > 0;) {
        done(document.undo());
        CHECK(text_of(document) == states[k]);
        CHECK(joints_of_world() == document.facts().joints.size());
    }
    for (size_t k = 1; k < states.size(); ++k) {
        done(document.redo());
        CHECK(text_of(document) == states[k]);
    }
    for (int i = 0; i < 2; ++i) done(document.undo());
    done(document.prepare_world());
    REQUIRE(document.world().step(1.0f / 60.0f).ok());
    CHECK(document.world().report().joints == 3);

    const std::string before = text_of(document);
    CHECK_FALSE(document.join(beam, beam).ok());
    CHECK_FALSE(document.join(beam, ItemId(9999)).ok());
    soft.hertz = -1.0f;
    CHECK_FALSE(document.edit_joint(0, soft).ok());
    CHECK_FALSE(document.edit_joint(17, soft).ok());
    CHECK_FALSE(document.remove_joint(17).ok());
    CHECK(text_of(document) == before);
}
