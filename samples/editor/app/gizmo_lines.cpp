// SPDX-License-Identifier: MIT
#include "samples/editor/app/gizmo_lines.h"

#include <cmath>

#include "render/palette.h"

namespace proxima::editor {

using render::Colour;
using render::Line;

namespace {

constexpr Colour kAxisColours[3] = {render::rgba(235, 80, 80), render::rgba(115, 205, 85), render::rgba(80, 145, 245)};
constexpr Colour kHot = render::rgba(255, 225, 90);
constexpr Colour kCentreColour = render::rgba(230, 232, 236);

class Drawing {
  public:
    Drawing(const GizmoFrame& frame, const View& view, Handle hot, float width, std::vector<Line>& out)
        : frame_(frame), view_(view), hot_(hot), width_(width), out_(out) {
        const Vec3 eye_direction = to_eye(view, frame.origin);
        make_tangents(eye_direction, side_, up_);
    }

    void axis(int i, bool box_end) {
        const Handle handle = numbered(Handle::axis_x, i);
        if (!is_usable(handle, frame_, view_)) return;
        const Vec3 along = frame_.rotation * unit(i);
        const Vec3 tip = at(along);
        line(at(kCentreRadius * along), tip, colour(handle, i), handle);
        if (box_end) {  // a small cube, seen as two squares
            Vec3 u, v;
            make_tangents(along, u, v);
            constexpr float kHalf = 0.045f;
            for (const float end : {-kHalf, kHalf})
                square(tip + frame_.size * end * along, frame_.size * kHalf * u, frame_.size * kHalf * v,
                       colour(handle, i), handle);
            return;
        }
        // An arrow head as a fan of strokes from the tip: a cone of lines.
        Vec3 u, v;
        make_tangents(along, u, v);
        constexpr int kStrokes = 12;
        Vec3 last(0.0f);
        for (int k = 0; k <= kStrokes; ++k) {
            const float angle = 2.0f * kPi * float(k) / float(kStrokes);
            const Vec3 rim = at(0.83f * along + 0.06f * (std::cos(angle) * u + std::sin(angle) * v));
            line(tip, rim, colour(handle, i), handle);
            if (k > 0) line(last, rim, colour(handle, i), handle);
            last = rim;
        }
    }

    void plane(int i) {
        const Handle handle = numbered(Handle::plane_x, i);
        if (!is_usable(handle, frame_, view_)) return;
        const Vec3 u = frame_.rotation * unit((i + 1) % 3), v = frame_.rotation * unit((i + 2) % 3);
        const float middle = 0.5f * (kPlaneBegin + kPlaneEnd), half = 0.5f * (kPlaneEnd - kPlaneBegin);
        const Vec3 centre = at(middle * (u + v));
        square(centre, frame_.size * half * u, frame_.size * half * v, colour(handle, i), handle);
        // Hatched, so that it reads as a surface.
        for (int k = 1; k < 6; ++k) {
            const float s = half * (2.0f * float(k) / 6.0f - 1.0f);
            out_.push_back({centre + frame_.size * (s * u - half * v), centre + frame_.size * (s * u + half * v),
                            render::with_alpha(colour(handle, i), handle == hot_ ? 190 : 90), width_});
        }
    }

    void ring(Handle handle, const Vec3& normal, float radius, Colour colour, bool front_only) {
        Vec3 u, v;
        make_tangents(normal, u, v);
        const Vec3 eye_direction = to_eye(view_, frame_.origin);
        constexpr int kChords = 72;
        for (int k = 0; k < kChords; ++k) {
            const auto point = [&](int n) {
                const float angle = 2.0f * kPi * float(n) / float(kChords);
                return radius * (std::cos(angle) * u + std::sin(angle) * v);
            };
            const Vec3 a = point(k), b = point(k + 1);
            const bool behind = front_only && glm::dot(a + b, eye_direction) < 0.0f;
            if (behind)
                out_.push_back({at(a), at(b), render::with_alpha(colour, 50), width_});
            else
                line(at(a), at(b), handle == hot_ ? kHot : colour, handle);
        }
    }

    void centre() {
        const Colour c = hot_ == Handle::centre ? kHot : kCentreColour;
        constexpr int kChords = 20;
        for (int k = 0; k < kChords; ++k) {
            const auto point = [&](int n) {
                const float angle = 2.0f * kPi * float(n) / float(kChords);
                return at(kCentreRadius * (std::cos(angle) * side_ + std::sin(angle) * up_));
            };
            line(point(k), point(k + 1), c, Handle::centre);
        }
    }

    static Handle numbered(Handle first, int axis) { return Handle(uint8_t(first) + uint8_t(axis)); }
    static Vec3 unit(int i) {
        Vec3 out(0.0f);
        out[i] = 1.0f;
        return out;
    }
    Vec3 eye_direction() const { return to_eye(view_, frame_.origin); }

  private:
    Vec3 at(const Vec3& offset) const { return frame_.origin + frame_.size * offset; }
    Colour colour(Handle handle, int axis) const { return handle == hot_ ? kHot : kAxisColours[axis]; }
    void line(const Vec3& from, const Vec3& to, Colour c, Handle handle) {
        out_.push_back({from, to, c, handle == hot_ ? 1.5f * width_ : width_});
    }
    void square(const Vec3& middle, const Vec3& u, const Vec3& v, Colour c, Handle handle) {
        const Vec3 corners[4] = {middle - u - v, middle + u - v, middle + u + v, middle - u + v};
        for (int k = 0; k < 4; ++k) line(corners[k], corners[(k + 1) % 4], c, handle);
    }

    const GizmoFrame& frame_;
    const View& view_;
    Handle hot_;
    float width_;
    std::vector<Line>& out_;
    Vec3 side_{1.0f, 0.0f, 0.0f}, up_{0.0f, 1.0f, 0.0f};
};

}  // namespace

void add_gizmo(GizmoMode mode, const GizmoFrame& frame, const View& view, Handle hot, float width,
               std::vector<Line>& out) {
    Drawing drawing(frame, view, hot, width, out);
    for (int i = 0; i < 3; ++i) {
        if (mode == GizmoMode::rotate) {
            drawing.ring(Drawing::numbered(Handle::ring_x, i), frame.rotation * Drawing::unit(i), 1.0f, kAxisColours[i],
                         true);
        } else {
            if (mode == GizmoMode::move) drawing.plane(i);
            drawing.axis(i, mode == GizmoMode::scale);
        }
    }
    if (mode == GizmoMode::rotate)
        drawing.ring(Handle::ring_view, drawing.eye_direction(), kViewRing, kCentreColour, false);
    else
        drawing.centre();
}

}  // namespace proxima::editor
