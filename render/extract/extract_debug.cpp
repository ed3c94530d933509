// SPDX-License-Identifier: MIT
#include "render/extract/extract_debug.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/extract/extract_joints.h"
#include "render/extract/extract_world.h"
#include "render/palette.h"

namespace proxima::render {

using physics::DebugBody;
using physics::DebugBox;
using physics::DebugContact;
using physics::DebugFrame;
using physics::DebugIsland;
using physics::DebugLayer;

namespace {

constexpr Colour kNormal = rgba(255, 214, 90), kSet = rgba(120, 200, 255), kForce = rgba(255, 110, 90);
constexpr Colour kVelocity = rgba(110, 220, 130), kSpin = rgba(210, 130, 240), kCentre = rgba(255, 255, 255);
constexpr Colour kLabel = rgba(20, 22, 28, 190);
constexpr float kSignSize = 0.004f;    // of the distance to the eye: about four pixels
constexpr float kArrowShare = 0.05f;   // of the distance between eye and target
constexpr float kLongestArrow = 4.0f;  // times the reference
constexpr float kVelocityTime = 0.1f;  // s
constexpr uint32_t kMaxIslandTexts = 40;

/// Lengths of forces. Loads in a heap differ by orders of magnitude, so lengths grow with the root of a
/// force; the vectors of one contact share a scale, and the friction cone keeps its shape.
class ForceScale {
  public:
    ForceScale(const DebugFrame& frame, const DebugStyle& style, const Camera& camera) {
        length_ = style.arrow > 0.0f ? style.arrow : kArrowShare * glm::distance(camera.eye, camera.target);
        reference_ = style.reference_force * frame.dt;
        if (reference_ > 0.0f) return;
        double sum = 0.0;
        size_t count = 0;
        for (const DebugContact& contact : frame.contacts)
            if (contact.impulse.x > 0.0f) {
                sum += double(contact.impulse.x);
                ++count;
            }
        reference_ = count ? float(sum / double(count)) : 1.0f;
    }
    /// Metres per N s at a contact.
    float at(const DebugContact& contact) const {
        const float impulse = contact.impulse.x;
        if (!(impulse > 0.0f)) return 0.0f;
        return length_ * std::min(kLongestArrow, std::sqrt(impulse / reference_)) / impulse;
    }

  private:
    float length_ = 1.0f, reference_ = 1.0f;
};

Colour contact_colour(const DebugContact& contact, const DebugStyle& style) {
    if (contact.asleep) return rgba(120, 124, 132);
    if (!style.residuals || contact.residual < 0.0f) return kNormal;
    return heat_colour(residual_heat(contact.residual, style.coldest, style.hottest));
}

bool is_shown(const DebugContact& contact, const DebugStyle& style) {
    return style.only == physics::kNoEntity || contact.body_a == style.only || contact.body_b == style.only;
}

void add_value(const DebugContact& contact, float dt, DrawList& out) {
    const float per_second = dt > 0.0f ? 1.0f / dt : 0.0f;
    Text text;
    text.text = fmt::format("{:.3g} N", contact.impulse.x * per_second);
    if (contact.friction > 0.0f)
        text.text += fmt::format("\n{:.3g} of {:.3g} N", contact.tangent_impulse() * per_second,
                                 std::max(contact.friction_reach.x, contact.friction_reach.y) * per_second);
    if (contact.residual >= 0.0f) text.text += fmt::format("\n{:.1e} m/s", contact.residual);
    text.position = contact.point;
    text.size = 13.0f;
    text.behind = kLabel;
    out.texts.push_back(std::move(text));
}

void add_contacts(const DebugFrame& frame, const DebugStyle& style, DrawList& out) {
    const ForceScale scale(frame, style, out.camera);
    uint32_t shown = 0;
    for (const DebugContact& contact : frame.contacts) shown += is_shown(contact, style);
    const bool sets = style.friction && shown <= style.max_friction_sets;
    const bool values = style.values && shown <= style.max_values;
    std::vector<Line>& lines = out.lines_on_top;
    for (const DebugContact& contact : frame.contacts) {
        if (!is_shown(contact, style)) continue;
        const Colour colour = contact_colour(contact, style);
        add_cross(lines, contact.point, sign_size(out, contact.point), colour);
        const float metres = scale.at(contact);
        if (metres > 0.0f)
            add_arrow(lines, contact.point, contact.point + contact.normal * (contact.impulse.x * metres),
                      out.camera.eye, colour);
        if (sets && metres > 0.0f && contact.friction > 0.0f) {
            const Vec2 reach = contact.friction_reach * metres;
            add_ellipse(lines, contact.point, contact.tangent1 * reach.x, contact.tangent2 * reach.y, kSet);
            const Vec3 force = (contact.tangent1 * contact.impulse.y + contact.tangent2 * contact.impulse.z) * metres;
            if (glm::dot(force, force) > 0.0f)
                add_arrow(lines, contact.point, contact.point + force, out.camera.eye, kForce, 2.5f);
        }
        if (values) add_value(contact, frame.dt, out);
    }
}

/// Pairs that are solved at the same time: a bar through each pair, at its first point along the normal.
void add_sweeps(const DebugFrame& frame, const DebugStyle& style, DrawList& out) {
    physics::Entity last = physics::kNoEntity;
    for (const DebugContact& contact : frame.contacts) {
        if (contact.pair == last || !is_shown(contact, style)) continue;
        last = contact.pair;
        const float reach = 4.0f * sign_size(out, contact.point);
        out.lines_on_top.push_back({contact.point - contact.normal * reach, contact.point + contact.normal * reach,
                                    palette_colour(contact.colour), 4.0f});
    }
}

void add_bodies(const DebugFrame& frame, const DebugStyle& style, DrawList& out) {
    for (const DebugBody& body : frame.bodies) {
        if (body.type == physics::BodyType::fixed) continue;
        if (style.centres) add_cross(out.lines_on_top, body.center, 1.5f * sign_size(out, body.center), kCentre);
        if (!style.velocities) continue;
        const float least = sign_size(out, body.center);  // shorter ones are not seen
        const Vec3 travel = body.velocity.linear * kVelocityTime, turn = body.velocity.angular * kVelocityTime;
        if (glm::length(travel) > least)
            add_arrow(out.lines_on_top, body.center, body.center + travel, out.camera.eye, kVelocity);
        if (glm::length(turn) > least)
            add_arrow(out.lines_on_top, body.center, body.center + turn, out.camera.eye, kSpin);
    }
}

void add_islands(const DebugFrame& frame, DrawList& out) {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < frame.islands.size(); ++i)
        if (frame.islands[i].bodies > 0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return frame.islands[a].bodies > frame.islands[b].bodies; });
    for (uint32_t rank = 0; rank < order.size(); ++rank) {
        const DebugIsland& island = frame.islands[order[rank]];
        const Colour colour = palette_colour(order[rank]);
        if (island.bodies > 1) add_box(out.lines, island.bounds, colour, 2.0f);
        if (rank >= kMaxIslandTexts || island.constraints == 0) continue;  // what is in the air needs no words
        Text text;
        text.text = fmt::format("{} {}, {}", island.bodies, island.bodies == 1 ? "body" : "bodies", island.solver);
        if (island.iterations) text.text += fmt::format(", {} iterations", island.iterations);
        text.text += fmt::format("\n{:.1e} m/s{}", island.residual, island.escalated ? ", escalated" : "");
        text.position = {0.5f * (island.bounds.lower.x + island.bounds.upper.x), island.bounds.upper.y,
                         0.5f * (island.bounds.lower.z + island.bounds.upper.z)};
        text.size = 13.0f;
        text.centred = true;
        text.colour = mix(colour, rgba(255, 255, 255), 0.5f);
        text.behind = kLabel;
        out.texts.push_back(std::move(text));
    }
}

void add_layer(const DebugLayer& layer, DrawList& out) {
    for (const physics::DebugLine& line : layer.lines)
        out.lines_on_top.push_back({line.from, line.to, line.colour, 2.0f});
    for (const physics::DebugPoint& point : layer.points)
        add_cross(out.lines_on_top, point.position, sign_size(out, point.position), point.colour);
    for (const physics::DebugText& text : layer.texts) {
        Text shown;
        shown.text = text.text;
        shown.position = text.position;
        shown.size = 13.0f;
        shown.colour = text.colour;
        shown.behind = kLabel;
        out.texts.push_back(std::move(shown));
    }
}

}  // namespace

float sign_size(const DrawList& out, const Vec3& position) {
    return kSignSize * glm::distance(out.camera.eye, position);
}

void add_arrow(std::vector<Line>& out, const Vec3& from, const Vec3& to, const Vec3& eye, Colour colour, float width) {
    out.push_back({from, to, colour, width});
    const Vec3 along = to - from;
    Vec3 side = glm::cross(along, eye - to);
    const float length = glm::length(along), across = glm::length(side);
    if (!(length > 0.0f) || !(across > 1e-6f * length)) return;  // seen from its tip
    side *= 0.09f * length / across;
    out.push_back({to, to - along * 0.22f + side, colour, width});
    out.push_back({to, to - along * 0.22f - side, colour, width});
}

void add_box(std::vector<Line>& out, const Aabb& box, Colour colour, float width) {
    const auto corner = [&](int i) {
        return Vec3(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                    i & 4 ? box.upper.z : box.lower.z);
    };
    for (int i = 0; i < 8; ++i)
        for (const int axis : {1, 2, 4})
            if (!(i & axis)) out.push_back({corner(i), corner(i | axis), colour, width});
}

void add_ellipse(std::vector<Line>& out, const Vec3& center, const Vec3& axis1, const Vec3& axis2, Colour colour,
                 float width) {
    constexpr int kSides = 28;
    Vec3 from = center + axis1;
    for (int i = 1; i <= kSides; ++i) {
        const float angle = 2.0f * kPi * float(i) / float(kSides);
        const Vec3 to = i == kSides ? center + axis1 : center + axis1 * std::cos(angle) + axis2 * std::sin(angle);
        out.push_back({from, to, colour, width});
        from = to;
    }
}

void add_cross(std::vector<Line>& out, const Vec3& center, float size, Colour colour, float width) {
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 reach(0.0f);
        reach[axis] = size;
        out.push_back({center - reach, center + reach, colour, width});
    }
}

void extract_debug(const DebugFrame& frame, const DebugStyle& style, DrawList& out) {
    if (style.contacts) add_contacts(frame, style, out);
    if (style.sweeps) add_sweeps(frame, style, out);
    if (style.boxes)
        for (const DebugBox& box : frame.boxes)
            if (is_finite(box.box.lower) && is_finite(box.box.upper))
                add_box(out.lines, box.box, box.awake ? rgba(120, 230, 160) : rgba(120, 130, 150));
    if (style.centres || style.velocities) add_bodies(frame, style, out);
    if (style.joints) add_joints(frame, style, out);
    if (style.islands) add_islands(frame, out);
    if (!style.layers) return;
    for (const DebugLayer& layer : frame.layers) {
        const auto& hidden = style.hidden_layers;
        if (std::find(hidden.begin(), hidden.end(), layer.name) == hidden.end()) add_layer(layer, out);
    }
}

}  // namespace proxima::render
