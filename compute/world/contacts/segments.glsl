// SPDX-License-Identifier: MIT
// The nearest points of two segments.

/// Parameters in [0, 1] of the nearest points p + s d and q + t e, with r = p - q; and the squared distance.
/// They are inside both segments, or one of the four ends is among them: trying all of these cannot go wrong
/// for parallel or vanishing segments.
vec3 closest_segments(vec3 r, vec3 d, vec3 e) {
    const float dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, r), er = dot(e, r);
    const float determinant = dd * ee - de * de;
    vec3 best = vec3(0.0, 0.0, -1.0);
    if (determinant > 1e-6 * dd * ee) {
        const float s = (de * er - ee * dr) / determinant, t = (dd * er - de * dr) / determinant;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
            const vec3 gap = r + s * d - t * e;
            best = vec3(s, t, dot(gap, gap));
            if (determinant > 1e-3 * dd * ee) return best;  // well conditioned: no end can be nearer
        }
    }
    const float per_dd = dd > 0.0 ? 1.0 / dd : 0.0, per_ee = ee > 0.0 ? 1.0 / ee : 0.0;
    for (uint k = 0u; k < 4u; ++k) {
        const float at = float(k & 1u);
        const float s = k < 2u ? at : clamp((at * de - dr) * per_dd, 0.0, 1.0);
        const float t = k < 2u ? clamp((er + at * de) * per_ee, 0.0, 1.0) : at;
        const vec3 gap = r + s * d - t * e;
        const float distance2 = dot(gap, gap);
        if (best.z < 0.0 || distance2 < best.z) best = vec3(s, t, distance2);
    }
    return best;
}

/// Parameter in [0, 1] of the point of p + s d nearest to x.
float closest_on_segment(vec3 p, vec3 d, vec3 x) {
    const float dd = dot(d, d);
    return dd > 0.0 ? clamp(dot(x - p, d) / dd, 0.0, 1.0) : 0.0;
}
