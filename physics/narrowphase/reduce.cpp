// SPDX-License-Identifier: MIT
#include "physics/narrowphase/generators.h"

namespace proxima::physics {

namespace detail {

namespace {

// A later candidate must be this much better: among equals the first wins, whatever the last bits say.
constexpr float kClearlyBetter = 1.05f;
// Of the patch: how much deeper a point must be before it counts as deeper now, and after the coming motion, which tells
// where a body tilts to long before it has tilted.
constexpr float kAsDeep = 1e-3f, kAsDeepSoon = 2e-4f, kAnyHeight = 1e30f;

/// Twice the signed area of a triangle, seen against the normal.
float area2(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& normal) {
    return glm::dot(glm::cross(b - a, c - a), normal);
}

/// Twice the area of the hull of four points of a plane, in any order: the best of the three pairs of diagonals.
float quad_area2(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& n) {
    return std::max({std::abs(glm::dot(glm::cross(b - a, d - c), n)), std::abs(glm::dot(glm::cross(c - a, d - b), n)),
                     std::abs(glm::dot(glm::cross(d - a, c - b), n))});
}

template <class Score>
int best_of(int count, Score score, float& best) {
    int at = -1;
    best = 0.0f;
    for (int i = 0; i < count; ++i) {
        const float s = score(i);
        if (s > 0.0f && (at < 0 || s > kClearlyBetter * best)) {
            best = s;
            at = i;
        }
    }
    return at;
}

/// Makes sure that the deepest point is among the chosen, unless one of them is as deep within `tolerance`. It takes the place
/// of the one whose loss costs the least area, of those that are within `below_highest` of the highest and not among the first
/// `kept`.
int keep_deepest(const Vec3* p, const float* separations, int count, const Vec3& normal, float tolerance,
                 float below_highest, int kept, int* chosen, int picked) {
    int deepest = 0;
    for (int i = 1; i < count; ++i)
        if (separations[i] < separations[deepest]) deepest = i;
    float least = separations[chosen[0]], most = least;
    for (int i = 1; i < picked; ++i) {
        least = std::min(least, separations[chosen[i]]);
        most = std::max(most, separations[chosen[i]]);
    }
    if (separations[deepest] >= least - tolerance) return picked;
    if (picked < kMaxManifoldPoints) {  // all points lie on a line, or in a triangle
        chosen[picked] = deepest;
        return picked + 1;
    }
    int replaced = -1;
    float best = -1.0f;
    for (int i = kept; i < picked; ++i) {
        if (separations[chosen[i]] < most - below_highest) continue;
        const Vec3& a = p[chosen[(i + 1) % 4]];
        const Vec3& b = p[chosen[(i + 2) % 4]];
        const Vec3& c = p[chosen[(i + 3) % 4]];
        const float area = quad_area2(a, b, c, p[deepest], normal);
        if (best < 0.0f || area > kClearlyBetter * best) {
            best = area;
            replaced = i;
        }
    }
    if (replaced >= 0) chosen[replaced] = deepest;
    return picked;
}

/// The corners between which a load lies, seen from the middle: two, or where it lies at one of them that and its neighbours,
/// because at rest it trembles from one side of it to the other. Returns how many; none where it lies near the middle, beside
/// all points, or between two that are near each other, as on a disc.
int find_loaded_corners(const Vec3* p, const float* separations, int count, const Vec3& normal, const Vec3& middle,
                        const Vec3& load, float patch2, int* corner) {
    // Of the patch: load from its middle; height of its face; sides of what rolls over its corners. Of the angle between two.
    constexpr float kOffCentre = 0.1f, kOfFace = 0.02f, kShort = 0.2f, kAtCorner = 0.25f;
    const Vec3 off = load - middle, along = off - normal * glm::dot(normal, off), left = glm::cross(normal, along);
    if (!(glm::dot(along, along) > kOffCentre * kOffCentre * patch2)) return 0;
    const float highest = *std::min_element(separations, separations + count) + kOfFace * std::sqrt(patch2);
    struct Side {
        int nearest = -1, next = -1;
        float cosine = -2.0f, next_cosine = -2.0f;
    } sides[2];
    for (int i = 0; i < count; ++i) {
        if (separations[i] > highest) continue;
        const Vec3 arm = p[i] - middle;
        const float length = glm::length(arm) * glm::length(along), cosine = glm::dot(arm, along) / length;
        if (!(length > 0.0f)) continue;
        Side& side = sides[glm::dot(arm, left) > 0.0f ? 1 : 0];
        if (cosine > side.cosine) {
            side.next = side.nearest, side.next_cosine = side.cosine;
            side.nearest = i, side.cosine = cosine;
        } else if (cosine > side.next_cosine) {
            side.next = i, side.next_cosine = cosine;
        }
    }
    if (sides[0].nearest < 0 || sides[1].nearest < 0) return 0;
    corner[0] = sides[0].nearest;
    corner[1] = sides[1].nearest;
    const Vec3 between = p[corner[1]] - p[corner[0]];
    if (!(glm::dot(between, between) > kShort * kShort * patch2)) return 0;
    // Chords for angles.
    const auto chord = [](const Side& side) { return std::sqrt(std::max(1.0f - side.cosine, 0.0f)); };
    const float to[2] = {chord(sides[0]), chord(sides[1])};
    const int near = to[0] < to[1] ? 0 : 1;
    if (to[near] > kAtCorner * (to[0] + to[1]) || sides[near].next < 0) return 2;
    corner[2] = sides[near].next;
    return 3;
}

/// Whether points lie outside of the quadrangle of four chosen ones.
bool leaves_corners_out(const Vec3* p, int count, const Vec3& normal, float patch2, const int* chosen) {
    constexpr float kOutside = 0.02f;  // of the patch
    Vec3 corner[kMaxManifoldPoints], middle(0.0f);
    for (int i = 0; i < kMaxManifoldPoints; ++i) middle += 0.25f * p[chosen[i]];
    // Around the middle: quarters by the signs of two coordinates, and the cross product within one.
    const Vec3 x = p[chosen[0]] - middle, y = glm::cross(normal, x);
    float angle[kMaxManifoldPoints];
    for (int i = 0; i < kMaxManifoldPoints; ++i) {
        corner[i] = p[chosen[i]];
        const float u = glm::dot(corner[i] - middle, x), v = glm::dot(corner[i] - middle, y);
        const float sum = std::abs(u) + std::abs(v), part = sum > 0.0f ? u / sum : 0.0f;
        angle[i] = v >= 0.0f ? 1.0f - part : 3.0f + part;  // grows with the angle, from 0 to 4
    }
    for (int i = 1; i < kMaxManifoldPoints; ++i)
        for (int k = i; k > 0 && angle[k] < angle[k - 1]; --k) {
            std::swap(angle[k], angle[k - 1]);
            std::swap(corner[k], corner[k - 1]);
        }
    for (int i = 0; i < kMaxManifoldPoints; ++i) {
        const Vec3 edge = corner[(i + 1) % kMaxManifoldPoints] - corner[i];
        const float least = -kOutside * std::sqrt(patch2 * glm::dot(edge, edge));
        for (int k = 0; k < count; ++k)
            if (glm::dot(glm::cross(edge, p[k] - corner[i]), normal) < least) return true;
    }
    return false;
}

}  // namespace

int select_points(const Vec3* p, const float* separations, const PointChoice& by, int count, const Vec3& normal,
                  int* chosen, bool& reduced) {
    reduced = false;
    if (count <= kMaxManifoldPoints) {
        for (int i = 0; i < count; ++i) chosen[i] = i;
        return count;
    }
    // Span first, depth second: started from the deepest point, the set would change with every rounding
    // error of a box at rest. The farthest from the middle, the farthest from that, then twice the largest
    // area to be gained. For corners of equal rank all starts lead to the same set.
    Vec3 middle(0.0f);
    for (int i = 0; i < count; ++i) middle += p[i];
    middle *= 1.0f / float(count);
    const auto distance2 = [&](const Vec3& x) { return [&p, x](int i) { return glm::dot(p[i] - x, p[i] - x); }; };
    int picked = 0;
    float score = 0.0f;
    chosen[picked++] = std::max(best_of(count, distance2(middle), score), 0);
    int second_index = best_of(count, distance2(p[chosen[0]]), score);
    const float patch2 = score;
    int loaded[3] = {};
    const int kept = by.load ? find_loaded_corners(p, separations, count, normal, middle, *by.load, patch2, loaded) : 0;
    if (kept > 0) chosen[0] = loaded[0], second_index = loaded[1];
    if (second_index >= 0) {
        chosen[picked++] = second_index;
        const Vec3 first = p[chosen[0]], second = p[second_index];
        const auto widest = [&](int i) {
            return kept > 2 && i != loaded[2] ? 0.0f : std::abs(area2(first, second, p[i], normal));
        };
        const int third_index = best_of(count, widest, score);
        if (third_index >= 0 && score > 1e-4f * patch2) {
            chosen[picked++] = third_index;
            const Vec3 third = p[third_index];
            const float turn = area2(first, second, third, normal) > 0.0f ? 1.0f : -1.0f;
            // Area outside an edge of the triangle is what a fourth point adds to the patch.
            const int fourth_index = best_of(
                count,
                [&](int i) {
                    return -std::min({turn * area2(first, second, p[i], normal),
                                      turn * area2(second, third, p[i], normal),
                                      turn * area2(third, first, p[i], normal)});
                },
                score);
            if (fourth_index >= 0 && score > 1e-4f * patch2) chosen[picked++] = fourth_index;
        }
    }
    const float patch = std::sqrt(patch2);
    picked = keep_deepest(p, separations, count, normal, kAsDeep * patch, kAnyHeight, kept, chosen, picked);
    // What the shapes tilt away from will carry nothing.
    if (by.soon)
        picked =
            keep_deepest(p, by.soon, count, normal, kAsDeepSoon * patch, kAsDeepSoon * patch, kept, chosen, picked);
    reduced = picked == kMaxManifoldPoints && leaves_corners_out(p, count, normal, patch2, chosen);
    std::sort(chosen, chosen + picked);
    return picked;
}

}  // namespace detail

int reduce_manifold(RawPoint* points, int count, const Vec3& normal) {
    constexpr int kMaxPoints = 64;
    PX_ASSERT(count <= kMaxPoints, "reduce_manifold takes at most 64 points");
    count = std::min(count, kMaxPoints);
    Vec3 positions[kMaxPoints];
    float separations[kMaxPoints];
    for (int i = 0; i < count; ++i) {
        positions[i] = points[i].point;
        separations[i] = points[i].separation;
    }
    int chosen[kMaxManifoldPoints];
    bool reduced = false;
    const int kept = detail::select_points(positions, separations, {}, count, normal, chosen, reduced);
    for (int i = 0; i < kept; ++i) points[i] = points[chosen[i]];  // ascending: never overwrites one still needed
    return kept;
}

}  // namespace proxima::physics
