// SPDX-License-Identifier: MIT
// The list of bodies: found by name, selected, renamed, put in another order.
#include <algorithm>
#include <cctype>

#include "physics/shapes/shape_classes.h"
#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"

namespace proxima::editor {

namespace {

Icon icon_of(ShapeType type) {
    using physics::DrawPrimitive;
    switch (physics::shape_class(type).draw.primitive) {
        case DrawPrimitive::sphere:
            return Icon::sphere;
        case DrawPrimitive::box:
            return Icon::box;
        case DrawPrimitive::capsule:
            return Icon::capsule;
        case DrawPrimitive::polytope:
            return Icon::hull;
        case DrawPrimitive::plane:
            return Icon::plane;
        case DrawPrimitive::parts:
            return Icon::parts;
    }
    return Icon::none;
}

ImU32 colour_of(BodyType type) {
    switch (type) {
        case BodyType::fixed:
            return IM_COL32(150, 155, 165, 255);
        case BodyType::kinematic:
            return IM_COL32(236, 178, 70, 255);
        case BodyType::dynamic:
            return IM_COL32(110, 180, 235, 255);
    }
    return 0;
}

bool contains(std::string_view text, std::string_view part) {
    const auto found = std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
    return found != text.end() || part.empty();
}

/// What the list shows: bodies, and the colliders of those that are opened.
struct Row {
    uint32_t body = 0;
    int collider = -1;
};

std::vector<Row> rows_of(const PanelContext& c) {
    std::vector<Row> rows;
    const std::span<const BodyRecord> bodies = c.workspace.document.bodies();
    const std::vector<ItemId>& open = c.state.expanded;
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        if (!c.state.filter.empty() && !contains(c.workspace.name_at(i), c.state.filter)) continue;
        rows.push_back({i, -1});
        if (std::binary_search(open.begin(), open.end(), bodies[i].id))
            for (size_t k = 0; k < bodies[i].desc.colliders.size(); ++k) rows.push_back({i, int(k)});
    }
    return rows;
}

void toggle_open(std::vector<ItemId>& open, ItemId id) {
    const auto at = std::lower_bound(open.begin(), open.end(), id);
    if (at != open.end() && *at == id)
        open.erase(at);
    else
        open.insert(at, id);
}

void click_body(PanelContext& c, ItemId id) {
    Document& document = c.workspace.document;
    const ImGuiIO& io = ImGui::GetIO();
    if (io.KeyShift && document.body(c.state.range_start)) {
        // Everything between the last click and this one.
        std::vector<ItemId> range;
        bool inside = false;
        for (const BodyRecord& body : document.bodies()) {
            const bool edge = body.id == id || body.id == c.state.range_start;
            if (inside || edge) range.push_back(body.id);
            if (edge && id != c.state.range_start) inside = !inside;
        }
        document.select(range);
        return;
    }
    c.state.range_start = id;
    if (io.KeyCtrl)
        document.toggle_selection(id);
    else
        document.select(id);
}

void begin_rename(PanelContext& c, const BodyRecord& body) {
    c.state.renaming = body.id;
    c.state.new_name = body.desc.name;
    c.state.rename_begins = true;
}

void body_popup(PanelContext& c, const BodyRecord& body) {
    if (!ImGui::BeginPopupContextItem()) return;
    if (!c.workspace.document.is_selected(body.id)) c.workspace.document.select(body.id);
    const bool editing = !c.workspace.playing();
    if (ImGui::MenuItem("Focus", "F")) run(ActionId::focus, c.workspace);
    if (ImGui::MenuItem("Rename", "F2", false, editing)) begin_rename(c, body);
    if (ImGui::MenuItem("Duplicate", "Ctrl+D", false, editing)) run(ActionId::duplicate, c.workspace);
    if (ImGui::BeginMenu("Add collider", editing)) {
        constexpr ShapeType kShapes[] = {ShapeType::box, ShapeType::sphere, ShapeType::capsule};
        for (const ShapeType type : kShapes)
            if (ImGui::MenuItem(physics::shape_class(type).label)) {
                NewCollider collider;
                collider.shape = physics::shape_class(type).example();
                c.workspace.tell(c.workspace.document.add_collider(body.id, collider));
            }
        ImGui::EndMenu();
    }
    ImGui::Separator();
    if (ImGui::MenuItem("Delete", "Del", false, editing)) run(ActionId::remove, c.workspace);
    ImGui::EndPopup();
}

void drag_body(PanelContext& c, const BodyRecord& body, uint32_t index) {
    if (c.workspace.playing()) return;
    if (ImGui::BeginDragDropSource(ImGuiDragDropFlags_SourceNoDisableHover)) {
        ImGui::SetDragDropPayload("body", &body.id, sizeof(body.id));
        ImGui::Text("Move '%s' here", c.workspace.name_at(index).c_str());
        ImGui::EndDragDropSource();
    }
    if (ImGui::BeginDragDropTarget()) {
        if (const ImGuiPayload* payload = ImGui::AcceptDragDropPayload("body"))
            c.workspace.tell(c.workspace.document.reorder(*static_cast<const ItemId*>(payload->Data), index));
        ImGui::EndDragDropTarget();
    }
}

void rename_field(PanelContext& c, const BodyRecord& body) {
    ImGui::SetNextItemWidth(-1.0f);
    if (c.state.rename_begins) ImGui::SetKeyboardFocusHere();
    const bool done = text_input("##rename", c.state.new_name, "name",
                                 ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    const bool left = !c.state.rename_begins && ImGui::IsItemDeactivated();
    c.state.rename_begins = false;
    if (!done && !left) return;
    if (done && c.state.new_name != body.desc.name)
        c.workspace.tell(c.workspace.document.rename(body.id, c.state.new_name));
    c.state.renaming = ItemId::none;
}

void draw_sign(const PanelContext& c, float x, Icon icon, ImU32 colour) {
    const ImVec2 low = ImGui::GetItemRectMin();
    const float size = 0.8f * c.em;
    draw_icon(*ImGui::GetWindowDrawList(), icon, {low.x + x, low.y + 0.5f * (ImGui::GetItemRectSize().y - size)}, size,
              colour);
}

void body_row(PanelContext& c, const Row& row) {
    const BodyRecord& body = c.workspace.document.bodies()[row.body];
    if (row.collider >= 0) {
        const ItemId id = body.collider_ids[size_t(row.collider)];
        const ShapeType type = c.workspace.document.shape(body.desc.colliders[size_t(row.collider)].shape).type;
        const std::string label = std::string("              ") + physics::shape_class(type).label;
        if (ImGui::Selectable(label.c_str(), c.workspace.document.is_selected(id))) {
            if (ImGui::GetIO().KeyCtrl)
                c.workspace.document.toggle_selection(id);
            else
                c.workspace.document.select(id);
        }
        draw_sign(c, 2.6f * c.em, icon_of(type), ImGui::GetColorU32(ImGuiCol_TextDisabled));
        return;
    }
    if (c.state.renaming == body.id) {
        rename_field(c, body);
        return;
    }
    const bool several = body.desc.colliders.size() > 1;
    const std::string label = "          " + c.workspace.name_at(row.body);
    if (ImGui::Selectable(label.c_str(), c.workspace.document.is_selected(body.id),
                          ImGuiSelectableFlags_AllowDoubleClick)) {
        const float x = ImGui::GetIO().MousePos.x - ImGui::GetItemRectMin().x;
        if (several && x < 1.1f * c.em)
            toggle_open(c.state.expanded, body.id);
        else
            click_body(c, body.id);
        if (ImGui::IsMouseDoubleClicked(0)) c.workspace.wishes.focus = true;
    }
    if (row.body < 40) c.named("body." + std::to_string(row.body));
    body_popup(c, body);
    drag_body(c, body, row.body);
    const Icon icon = body.desc.colliders.empty()
                          ? Icon::axes
                          : icon_of(c.workspace.document.shape(body.desc.colliders[0].shape).type);
    draw_sign(c, 1.3f * c.em, icon, colour_of(body.desc.type));
    if (several) {
        const bool open = std::binary_search(c.state.expanded.begin(), c.state.expanded.end(), body.id);
        const ImVec2 low = ImGui::GetItemRectMin();
        const float y = low.y + 0.5f * ImGui::GetItemRectSize().y, x = low.x + 0.55f * c.em, r = 0.25f * c.em;
        const ImU32 colour = ImGui::GetColorU32(ImGuiCol_TextDisabled);
        if (open)
            ImGui::GetWindowDrawList()->AddTriangleFilled({x - r, y - 0.6f * r}, {x + r, y - 0.6f * r},
                                                          {x, y + 0.8f * r}, colour);
        else
            ImGui::GetWindowDrawList()->AddTriangleFilled({x - 0.6f * r, y - r}, {x - 0.6f * r, y + r},
                                                          {x + 0.8f * r, y}, colour);
    }
}

void add_popup(PanelContext& c) {
    if (!ImGui::BeginPopup("add")) return;
    const Vec3 at = c.viewport.position_for_new();
    struct Entry {
        const char* label;
        ShapeType shape;
        BodyType type;
    };
    constexpr Entry kEntries[] = {
        {"Box", ShapeType::box, BodyType::dynamic},         {"Sphere", ShapeType::sphere, BodyType::dynamic},
        {"Capsule", ShapeType::capsule, BodyType::dynamic}, {"Convex hull", ShapeType::hull, BodyType::dynamic},
        {"Fixed box", ShapeType::box, BodyType::fixed},     {"Ground plane", ShapeType::half_space, BodyType::fixed}};
    for (const Entry& entry : kEntries) {
        if (ImGui::MenuItem(entry.label))
            c.workspace.create(entry.shape, entry.type, physics::shape_class(entry.shape).unbounded ? Vec3(0.0f) : at);
        c.named(std::string("add.") + entry.label);
    }
    ImGui::Separator();
    if (ImGui::MenuItem("Import mesh...", "Ctrl+I")) run(ActionId::import_mesh, c.workspace);
    ImGui::EndPopup();
}

}  // namespace

void draw_hierarchy(PanelContext& c) {
    if (!c.layout.show_left) return;
    begin_panel("##hierarchy", c.layout.hierarchy);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("Bodies");
    ImGui::SameLine();
    ImGui::TextDisabled("%zu", c.workspace.document.bodies().size());
    ImGui::SameLine(ImGui::GetWindowWidth() - 5.3f * c.em);
    if (sign_button("##add", "Add", {Icon::add, false, !c.workspace.playing()})) ImGui::OpenPopup("add");
    hint(c.workspace.playing() ? "Stop the play to add bodies." : "Add a body to the scene.");
    c.named("add");
    add_popup(c);
    ImGui::SetNextItemWidth(-1.0f);
    text_input("##filter", c.state.filter, "Find by name");
    ImGui::BeginChild("list");
    const std::vector<Row> rows = rows_of(c);
    // A body that was picked in the picture is brought into sight here.
    const ItemId primary = c.workspace.primary_body();
    if (primary != c.state.last_primary) {
        c.state.last_primary = primary;
        if (primary != ItemId::none) c.state.scroll_to = primary;
    }
    if (c.state.scroll_to != ItemId::none) {
        const float high = ImGui::GetTextLineHeightWithSpacing();
        for (size_t i = 0; i < rows.size(); ++i)
            if (c.workspace.document.bodies()[rows[i].body].id == c.state.scroll_to) {
                const float y = float(i) * high, top = ImGui::GetScrollY(), seen = ImGui::GetWindowHeight();
                if (y < top || y + high > top + seen) ImGui::SetScrollY(std::max(0.0f, y - 0.4f * seen));
                break;
            }
        c.state.scroll_to = ItemId::none;
    }
    ImGui::PushStyleColor(ImGuiCol_Header, ImGui::GetColorU32(ImGuiCol_CheckMark, 0.38f));
    ImGui::PushStyleColor(ImGuiCol_HeaderHovered, ImGui::GetColorU32(ImGuiCol_CheckMark, 0.22f));
    ImGuiListClipper clipper;
    clipper.Begin(int(rows.size()), ImGui::GetTextLineHeightWithSpacing());
    while (clipper.Step())
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const Row& row = rows[size_t(i)];
            ImGui::PushID(i);
            if (row.body < c.workspace.document.bodies().size()) body_row(c, row);
            ImGui::PopID();
        }
    ImGui::PopStyleColor(2);
    if (rows.empty() && !c.state.filter.empty()) quiet_text("No body has this name.");
    if (ImGui::IsMouseClicked(0) && ImGui::IsWindowHovered() && !ImGui::IsAnyItemHovered())
        c.workspace.document.clear_selection();
    ImGui::EndChild();
    end_panel();
}

}  // namespace proxima::editor
