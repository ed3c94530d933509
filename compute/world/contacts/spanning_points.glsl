// SPDX-License-Identifier: MIT
// Points of a patch as they are found, and the four of them that span it.

const uint kMaxFound = 16u;        // more are reduced on the way
const float kClearlyBetter = 1.05;  // among equals the first wins, whatever the last bits say

// Each invocation has its own part: lists that are read by an index of its own are slow, or large, as
// variables.
shared vec4 found_list[kMaxFound * kWorkgroup];
uint found_count = 0u;

uint found_slot(uint k) { return k * kWorkgroup + gl_LocalInvocationID.x; }
vec3 found(uint k) { return found_list[found_slot(k)].xyz; }
uint found_id(uint k) { return floatBitsToUint(found_list[found_slot(k)].w); }
void put_found(uint k, vec3 x, uint id) { found_list[found_slot(k)] = vec4(x, uintBitsToFloat(id)); }
void add_found(vec3 x, uint id) {
    put_found(found_count, x, id);
    ++found_count;
}

/// Twice the signed area of a triangle, seen against the normal.
float area2(vec3 a, vec3 b, vec3 c, vec3 n) { return dot(cross(b - a, c - a), n); }

/// Twice the area of the hull of four points of a plane, in any order: the best of the three pairs of
/// diagonals.
float quad_area2(vec3 a, vec3 b, vec3 c, vec3 d, vec3 n) {
    return max(abs(dot(cross(b - a, d - c), n)),
               max(abs(dot(cross(c - a, d - b), n)), abs(dot(cross(d - a, c - b), n))));
}

/// Keeps at most four: the largest area, and the deepest point unless a chosen one is as deep within a
/// thousandth of the patch. Span first, depth second: started from the deepest point, the set would change
/// with every rounding error of a box at rest. The farthest from the middle, the farthest from that, then
/// twice the largest area to be gained; for corners of equal rank all starts lead to the same set.
void keep_spanning(vec3 n) {
    if (found_count <= kMaxPoints) return;
    vec3 first = vec3(0.0), second = vec3(0.0), third = vec3(0.0);
    uint deepest = 0u;
    float lowest = 1e30;
    for (uint k = 0u; k < found_count; ++k) {
        first += found(k);
        const float h = dot(n, found(k));
        if (h < lowest) {
            lowest = h;
            deepest = k;
        }
    }
    first *= 1.0 / float(found_count);  // the middle, until there is a first point

    uvec4 chosen = uvec4(kNone);
    uint picked = 0u;
    float patch2 = 0.0, side = 1.0, least = 1e30;
    for (uint round = 0u; round < 4u; ++round) {
        uint at = kNone;
        float best = 0.0;
        for (uint k = 0u; k < found_count; ++k) {
            const vec3 x = found(k);
            float score;
            if (round < 2u) {
                score = dot(x - first, x - first);
            } else if (round == 2u) {
                score = abs(area2(first, second, x, n));
            } else {  // area outside an edge of the triangle is what a fourth point adds
                score = -min(side * area2(first, second, x, n),
                             min(side * area2(second, third, x, n), side * area2(third, first, x, n)));
            }
            if (score > 0.0 && (at == kNone || score > kClearlyBetter * best)) {
                best = score;
                at = k;
            }
        }
        if (round == 0u && at == kNone) at = 0u;
        if (at == kNone || (round >= 2u && best <= 1e-4 * patch2)) break;
        chosen[round] = at;
        ++picked;
        least = min(least, dot(n, found(at)));
        if (round == 0u) {
            first = found(at);
        } else if (round == 1u) {
            second = found(at);
            patch2 = best;
        } else if (round == 2u) {
            third = found(at);
            side = area2(first, second, third, n) > 0.0 ? 1.0 : -1.0;
        }
    }

    if (lowest < least - 1e-3 * sqrt(patch2)) {
        uint replaced = picked;  // all points lie on a line, or in a triangle
        if (picked == kMaxPoints) {
            // It takes the place of the point whose loss costs the least area.
            const vec3 d = found(deepest), fourth = found(chosen.w);
            const vec4 areas =
                vec4(quad_area2(second, third, fourth, d, n), quad_area2(third, fourth, first, d, n),
                     quad_area2(fourth, first, second, d, n), quad_area2(first, second, third, d, n));
            replaced = 0u;
            float best = areas.x;
            for (uint k = 1u; k < 4u; ++k)
                if (areas[k] > kClearlyBetter * best) {
                    best = areas[k];
                    replaced = k;
                }
        } else {
            ++picked;
        }
        chosen[replaced] = deepest;
    }

    // Ascending, so that the order does not depend on how they were chosen; what is free comes last.
    uvec2 low = min(chosen.xz, chosen.yw), high = max(chosen.xz, chosen.yw);
    chosen = uvec4(min(low.x, low.y), max(low.x, low.y), min(high.x, high.y), max(high.x, high.y));
    chosen = uvec4(chosen.x, min(chosen.y, chosen.z), max(chosen.y, chosen.z), chosen.w);
    for (uint k = 0u; k < picked; ++k) {
        const uint from = k == 0u ? chosen.x : k == 1u ? chosen.y : k == 2u ? chosen.z : chosen.w;
        found_list[found_slot(k)] = found_list[found_slot(from)];
    }
    found_count = picked;
}

/// Of points nearer than sqrt(merge2) to each other only one stays, that with the steadier name: doubles come
/// from corners that fall on a side. Of more than four points none that are chosen are so near.
void drop_doubles(float merge2) {
    for (uint k = 1u; k < found_count; ++k)
        for (uint i = 0u; i < k; ++i) {
            const vec3 d = found(k) - found(i);
            if (!(dot(d, d) < merge2)) continue;
            if ((found_id(k) & kMadeBy) < (found_id(i) & kMadeBy)) {
                put_found(i, found(k), found_id(k));
            }
            --found_count;
            put_found(k, found(found_count), found_id(found_count));
            --k;
            break;
        }
}
