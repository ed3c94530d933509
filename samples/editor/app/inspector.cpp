// SPDX-License-Identifier: MIT
// The fields of what is selected, or of the scene when nothing is: a loop over the table of fields.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"
#include "samples/editor/model/fields.h"

namespace proxima::editor {

namespace {

/// A drag of a widget is one command: from the press of the mouse to its release.
void note_drag(Document& document) {
    if (ImGui::IsItemActivated()) document.begin_drag();
    if (ImGui::IsItemDeactivated()) document.end_drag();
}

const char* number_format(const Field& field, bool mixed, bool automatic, std::string& memory) {
    if (mixed) return "mixed";
    if (automatic) return "from density";
    memory = field.step > 0.0 && field.step < 0.001 ? "%.5g" : "%.4g";
    if (!field.unit.empty()) memory += " " + std::string(field.unit);
    return memory.c_str();
}

void edit_number(PanelContext& c, const Field& field, const FieldReading& reading, std::span<const ItemId> ids) {
    auto value = float(std::get<double>(reading.value));
    std::string memory;
    const float speed = field.step > 0.0 ? float(field.step) : 0.01f;
    const bool automatic = field.key == "body.mass" && value == 0.0f;
    const bool changed =
        ImGui::DragFloat("##value", &value, speed, 0.0f, 0.0f, number_format(field, reading.mixed, automatic, memory));
    note_drag(c.workspace.document);
    if (changed) c.workspace.tell(set_field(c.workspace.document, field, ids, double(value)));
}

void edit_whole(PanelContext& c, const Field& field, const FieldReading& reading, std::span<const ItemId> ids) {
    auto value = int(std::get<int64_t>(reading.value));
    const bool changed = ImGui::DragInt("##value", &value, std::max(0.1f, 0.05f * float(field.step)), 0, 0,
                                        reading.mixed ? "mixed" : "%d");
    note_drag(c.workspace.document);
    if (changed) c.workspace.tell(set_field(c.workspace.document, field, ids, int64_t(value)));
}

/// Three numbers side by side, each with the colour of its axis.
int drag_three(Vec3& value, const std::array<bool, 3>& mixed, float speed, const char* format, Document& document) {
    constexpr ImU32 kAxes[3] = {IM_COL32(235, 80, 80, 255), IM_COL32(115, 205, 85, 255), IM_COL32(80, 145, 245, 255)};
    int changed = -1;
    const float gap = 3.0f;
    const float wide = (ImGui::GetContentRegionAvail().x - 2.0f * gap) / 3.0f;
    for (int i = 0; i < 3; ++i) {
        ImGui::PushID(i);
        if (i > 0) ImGui::SameLine(0.0f, gap);
        ImGui::SetNextItemWidth(std::max(wide, 8.0f));
        if (ImGui::DragFloat("##axis", &value[i], speed, 0.0f, 0.0f, mixed[size_t(i)] ? "mixed" : format)) changed = i;
        note_drag(document);
        const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
        ImGui::GetWindowDrawList()->AddRectFilled({low.x, low.y + 3.0f}, {low.x + 2.5f, high.y - 3.0f}, kAxes[i]);
        ImGui::PopID();
    }
    return changed;
}

void edit_vector(PanelContext& c, const Field& field, const FieldReading& reading, std::span<const ItemId> ids) {
    Vec3 value = std::get<Vec3>(reading.value);
    const int axis = drag_three(value, reading.mixed_axis, float(field.step), "%.4g", c.workspace.document);
    if (axis >= 0) c.workspace.tell(set_field_axis(c.workspace.document, field, ids, axis, value[axis]));
}

/// Angles are kept while they are dragged: read back from the rotation they would jump where y passes 90 degrees. Returns
/// whether the rotation changed.
bool drag_angles(PanelContext& c, const std::string& key, Quat& rotation, bool is_mixed, float step) {
    const bool ours = c.state.edited_field == key;
    Vec3 angles = ours ? c.state.edited_angles : to_degrees(rotation);
    for (int i = 0; i < 3; ++i)
        if (!ours && std::abs(angles[i]) < 0.005f) angles[i] = 0.0f;  // no "-0.0"
    ImGui::BeginGroup();
    const int axis = drag_three(angles, {is_mixed, is_mixed, is_mixed}, step, "%.1f\xc2\xb0", c.workspace.document);
    ImGui::EndGroup();
    if (ImGui::IsItemActive()) {
        c.state.edited_field = key;
        c.state.edited_angles = angles;
    } else if (ours) {
        c.state.edited_field.clear();
    }
    if (axis < 0) return false;
    rotation = from_degrees(angles);
    return true;
}

void edit_rotation(PanelContext& c, const Field& field, const FieldReading& reading, std::span<const ItemId> ids) {
    Quat rotation = std::get<Quat>(reading.value);
    if (drag_angles(c, std::string(field.key), rotation, reading.mixed, float(field.step)))
        c.workspace.tell(set_field(c.workspace.document, field, ids, rotation));
}

void edit_text(PanelContext& c, const Field& field, const FieldReading& reading, std::span<const ItemId> ids) {
    std::string value = reading.mixed ? std::string() : std::get<std::string>(reading.value);
    const std::string before = value;
    const bool changed = text_input("##value", value, reading.mixed ? "mixed" : "");
    note_drag(c.workspace.document);
    if (changed && value != before) c.workspace.tell(set_field(c.workspace.document, field, ids, value));
}

/// "geometric_mean" as people write it.
std::string spoken(std::string_view word) {
    std::string out(word);
    std::replace(out.begin(), out.end(), '_', ' ');
    return out;
}

void edit_choice(PanelContext& c, const Field& field, const FieldReading& reading, std::span<const ItemId> ids) {
    const std::string now = std::get<std::string>(reading.value);
    const bool names = field.key == "settings.solver";  // solvers are called by their names
    if (!ImGui::BeginCombo("##value", reading.mixed ? "mixed" : names ? now.c_str() : spoken(now).c_str())) return;
    for (const std::string_view choice : field.choices())
        if (ImGui::Selectable((names ? std::string(choice) : spoken(choice)).c_str(), !reading.mixed && choice == now))
            c.workspace.tell(set_field(c.workspace.document, field, ids, std::string(choice)));
    ImGui::EndCombo();
}

void edit_bits(PanelContext& c, const Field& field, const FieldReading& reading, std::span<const ItemId> ids) {
    const auto bits = uint32_t(std::get<int64_t>(reading.value));
    const std::string label = reading.mixed ? "mixed" : bits == 0xFFFFFFFFu ? "all" : fmt::format("{:#x}", bits);
    if (!ImGui::BeginCombo("##value", label.c_str(), ImGuiComboFlags_HeightLarge)) return;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {3.0f, 3.0f});
    for (int bit = 0; bit < 32; ++bit) {
        if (bit % 8) ImGui::SameLine();
        ImGui::PushID(bit);
        bool on = bits >> bit & 1u;
        if (ImGui::Checkbox("##bit", &on))
            c.workspace.tell(set_field(c.workspace.document, field, ids, int64_t(bits ^ 1u << bit)));
        hint(fmt::format("Layer {}", bit));
        ImGui::PopID();
    }
    ImGui::PopStyleVar();
    ImGui::EndCombo();
}

void edit_field(PanelContext& c, const Field& field, const FieldReading& reading, std::span<const ItemId> ids) {
    property_label(field.label, field.tooltip);
    ImGui::PushID(field.key.data(), field.key.data() + field.key.size());
    switch (field.kind) {
        case FieldKind::number:
            edit_number(c, field, reading, ids);
            break;
        case FieldKind::whole:
            edit_whole(c, field, reading, ids);
            break;
        case FieldKind::toggle: {
            bool value = std::get<bool>(reading.value);
            if (ImGui::Checkbox("##value", &value))
                c.workspace.tell(set_field(c.workspace.document, field, ids, value));
            break;
        }
        case FieldKind::vector:
            edit_vector(c, field, reading, ids);
            break;
        case FieldKind::rotation:
            edit_rotation(c, field, reading, ids);
            break;
        case FieldKind::text:
            edit_text(c, field, reading, ids);
            break;
        case FieldKind::choice:
            edit_choice(c, field, reading, ids);
            break;
        case FieldKind::bits:
            edit_bits(c, field, reading, ids);
            break;
    }
    c.named("field." + std::string(field.key));
    ImGui::PopID();
}

/// Groups in the order of the table; a group without a field that applies is left out.
template <class Wanted>
void field_groups(PanelContext& c, std::span<const ItemId> ids, Wanted&& wanted) {
    const std::span<const Field> table = field_table();
    for (size_t i = 0; i < table.size();) {
        size_t end = i;
        while (end < table.size() && table[end].group == table[i].group) ++end;
        bool headed = false, open = false;
        for (size_t k = i; k < end; ++k) {
            if (!wanted(table[k])) continue;
            const FieldReading reading = read_field(c.workspace.document, table[k], ids);
            if (!reading.applies) continue;
            if (!headed) {
                headed = true;
                const std::string name(table[i].group);
                const bool first = name != "Rigid body" && name != "Velocity" && name != "Contacts" && name != "Sleep";
                open = ImGui::CollapsingHeader(name.c_str(), first ? ImGuiTreeNodeFlags_DefaultOpen : 0) &&
                       begin_properties(name.c_str(), 7.6f * c.em);
            }
            if (open) edit_field(c, table[k], reading, ids);
        }
        if (open) end_properties();
        i = end;
    }
}

/// An archive for the fields of a joint (physics/joints) that shows each as a row.
class JointRows {
  public:
    JointRows(PanelContext& c, size_t index) : c_(c), index_(index) {}
    bool changed() const { return changed_; }

    void field(std::string_view key, Vec3& value, const Vec3&) {
        row(key);
        changed_ |= drag_three(value, {false, false, false}, 0.01f, "%.4g", c_.workspace.document) >= 0;
        end_row(key);
    }
    void field(std::string_view key, float& value, const float&) {
        row(key);
        changed_ |= ImGui::DragFloat("##value", &value, 0.02f, 0.0f, 0.0f, "%.4g");
        note_drag(c_.workspace.document);
        end_row(key);
    }
    void field(std::string_view key, Quat& value, const Quat&) {
        row(key);
        changed_ |= drag_angles(c_, fmt::format("joint.{}.{}", index_, key), value, false, 0.5f);
        end_row(key);
    }
    void field(std::string_view key, bool& value, const bool&) {
        row(key);
        changed_ |= ImGui::Checkbox("##value", &value);
        end_row(key);
    }

  private:
    void row(std::string_view key) {
        property_label(spoken(key), "");
        ImGui::PushID(key.data(), key.data() + key.size());
    }
    void end_row(std::string_view key) {
        c_.named(fmt::format("joint.{}.{}", index_, key));
        ImGui::PopID();
    }

    PanelContext& c_;
    size_t index_;
    bool changed_ = false;
};

/// Which joint has handles in the picture, and what they move.
void handle_buttons(PanelContext& c, size_t index) {
    JointTool& tool = c.workspace.joint_tool;
    ImGui::PushID(int(index));
    bool active = tool.active == index;
    if (ImGui::Checkbox("Handles", &active)) tool.active = active ? std::optional(index) : std::nullopt;
    hint("Move and turn its frames, and draw the ends of its ranges, in the picture.");
    c.named(fmt::format("joint.{}.handles", index));
    constexpr std::pair<const char*, JointEnd> kEnds[] = {
        {"both", JointEnd::both}, {"a", JointEnd::a}, {"b", JointEnd::b}};
    for (const auto& [label, end] : kEnds) {
        if (!active) break;
        ImGui::SameLine();
        if (ImGui::RadioButton(label, tool.end == end)) tool.end = end;
        c.named(fmt::format("joint.{}.end.{}", index, label));
    }
    ImGui::PopID();
}

/// Every joint of the selected body.
void joint_groups(PanelContext& c) {
    Document& document = c.workspace.document;
    const ItemId body = c.workspace.primary_body();
    for (size_t i = 0; i < document.scene_data().joints.size(); ++i) {
        const JointRecord record = document.scene_data().joints[i];  // a change replaces the list
        if (record.body_a != body && record.body_b != body) continue;
        const ItemId other = record.body_a == body ? record.body_b : record.body_a;
        const std::string_view type = std::visit([](const auto& j) { return j.kTypeName; }, record.joint);
        const std::string name = fmt::format("Joint ({}) with {}##joint{}", type, c.workspace.name_of(other), i);
        if (!ImGui::CollapsingHeader(name.c_str(), ImGuiTreeNodeFlags_DefaultOpen)) continue;
        physics::AnyJoint joint = record.joint;
        JointRows rows(c, i);
        if (begin_properties(name.c_str(), 7.6f * c.em)) {
            std::visit([&](auto& j) { visit_fields(rows, j); }, joint);
            end_properties();
        }
        if (rows.changed()) c.workspace.tell(document.edit_joint(i, joint));
        handle_buttons(c, i);
        const bool removed = ImGui::SmallButton(fmt::format("Delete joint##{}", i).c_str());
        c.named(fmt::format("joint.{}.delete", i));
        if (!removed) continue;
        c.workspace.joint_tool.active.reset();  // the others have other numbers now
        c.workspace.tell(document.remove_joint(i));
        return;
    }
}

void title(const PanelContext& c) {
    const Document& document = c.workspace.document;
    const std::vector<ItemId> bodies = document.selected_bodies();
    if (bodies.empty()) {
        ImGui::TextUnformatted("Scene");
        ImGui::SameLine();
        ImGui::TextDisabled("nothing is selected");
        return;
    }
    if (bodies.size() > 1) {
        ImGui::Text("%zu bodies", bodies.size());
        ImGui::SameLine();
        ImGui::TextDisabled("a change is for all of them");
        return;
    }
    const BodyRecord* body = document.body(bodies[0]);
    ImGui::TextUnformatted(c.workspace.name_of(bodies[0]).c_str());
    if (body->desc.type == BodyType::dynamic) {
        ImGui::SameLine();
        ImGui::TextDisabled("%s", with_unit(double(document.mass_of(bodies[0]).mass), "kg").c_str());
    }
}

void live_row(PanelContext& c, const char* label, const Vec3& v) {
    property_label(label, "");
    ImGui::PushFont(c.fonts.numbers);
    const auto shown = [](float x) { return double(std::abs(x) < 0.005f ? 0.0f : x); };  // no "-0.00"
    ImGui::Text("%7.2f %7.2f %7.2f", shown(v.x), shown(v.y), shown(v.z));
    ImGui::PopFont();
}

/// While a play runs: where the selected body is and how it moves.
void live_state(PanelContext& c) {
    const ItemId id = c.workspace.primary_body();
    const BodyRecord* body = c.workspace.document.body(id);
    if (!body || !begin_properties("live", 6.2f * c.em)) return;
    const Transform pose = c.scene.pose_of(id);
    live_row(c, "Position m", pose.position);
    live_row(c, "Rotation \xc2\xb0", to_degrees(pose.rotation));
    const Entity entity = c.workspace.document.entity_of(id);
    for (const physics::DebugBody& state : c.scene.debug().bodies)
        if (state.entity == entity) {
            live_row(c, "Velocity m/s", state.velocity.linear);
            live_row(c, "Spin rad/s", state.velocity.angular);
            property_label("State", "");
            ImGui::TextUnformatted(state.quarantined ? "out of the step: not finite"
                                   : state.asleep    ? "asleep"
                                                     : "awake");
        }
    end_properties();
}

}  // namespace

void draw_inspector(PanelContext& c) {
    title(c);
    if (c.workspace.playing()) {
        live_state(c);
        quiet_text("The scene is being played: these are the values it starts from. Stop to change them.");
    }
    ImGui::BeginDisabled(c.workspace.playing());
    const std::vector<ItemId> ids(c.workspace.document.selection().begin(), c.workspace.document.selection().end());
    if (ids.empty())
        field_groups(c, ids, [](const Field& field) {
            // Solvers have a panel of their own.
            return field.of == FieldOf::scene && field.group != "Solver";
        });
    else
        field_groups(c, ids, [](const Field& field) { return field.of != FieldOf::scene; });
    joint_groups(c);
    ImGui::EndDisabled();
}

}  // namespace proxima::editor
