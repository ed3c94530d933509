// SPDX-License-Identifier: MIT
// Friction sets of radius mu l_n: nearest points, and the exact answer over the disk in the metric of a block.

vec2 project_disk(vec2 z, float radius) {
    if (!(radius > 0.0)) return vec2(0.0);
    const float squared = dot(z, z);
    return squared <= radius * radius ? z : z * (radius / sqrt(squared));
}

vec2 project_box(vec2 z, float radius) {
    return radius > 0.0 ? clamp(z, vec2(-radius), vec2(radius)) : vec2(0.0);
}

/// |x(t)| = radius for x_i = h_i / (d_i + t), t > 0, d.x >= d.y >= 0. The root lies between |h|/radius - d.x
/// and |h|/radius - d.y; Newton on 1/radius - 1/|x(t)|, which is almost straight in t, bisection where
/// rounding throws it out.
float solve_secular(vec2 d, vec2 h, float radius) {
    const float reach = length(h) / radius;
    float low = max(0.0, reach - d.x), high = max(low, reach - d.y);
    float t = low;
    for (int k = 0; k < 30; ++k) {
        if (!(d.y + t > 0.0)) t = 0.5 * (low + high);
        const vec2 x = h / (d + t);
        const float squared = dot(x, x), error = sqrt(squared) - radius;
        if (abs(error) <= 4.8e-7 * radius) break;
        if (error > 0.0) low = t; else high = t;
        const float slope = x.x * x.x / (d.x + t) + x.y * x.y / (d.y + t);
        float after = t + (squared / slope) * (error / radius);
        if (!(after > low && after < high)) after = 0.5 * (low + high);
        if (after == t) break;
        t = after;
    }
    return t;
}

/// min over |x| <= radius of 1/2 (x-l)^T W (x-l) + v^T (x-l): sliding straight against the force.
vec2 solve_disk(vec3 w, vec2 l, vec2 v, float radius) {
    if (!(radius > 0.0)) return vec2(0.0);
    const float d1 = largest_eigenvalue(w.x, w.y, w.z);
    if (!(d1 > 0.0)) return project_disk(l, radius);
    float d2 = max(0.0, w.x + w.z - d1);
    if (d2 <= 9.6e-7 * d1) d2 = 0.0;
    vec2 axis = w.x >= w.z ? vec2(d1 - w.z, w.y) : vec2(w.y, d1 - w.x);
    // A block that is round but for rounding has an axis whose square is none: 1e-23 is a number, 1e-46 is not.
    const float size = max(abs(axis.x), abs(axis.y));
    axis = size > 0.0 ? normalize(axis / size) : vec2(1.0, 0.0);
    const vec2 l_ = vec2(dot(axis, l), axis.x * l.y - axis.y * l.x);
    const vec2 v_ = vec2(dot(axis, v), axis.x * v.y - axis.y * v.x);
    const bool stuck_axis = d2 == 0.0;
    if (!stuck_axis || abs(v_.y) <= 1.2e-7 * abs(v_.x)) {
        const vec2 stick = vec2(l_.x - v_.x / d1, stuck_axis ? l_.y : l_.y - v_.y / d2);
        if (dot(stick, stick) <= radius * radius)
            return vec2(axis.x * stick.x - axis.y * stick.y, axis.y * stick.x + axis.x * stick.y);
    }
    const vec2 d = vec2(d1, d2), h = d * l_ - v_;
    const float t = solve_secular(d, h, radius);
    const vec2 y = vec2(h.x / (d1 + t), d2 + t > 0.0 ? h.y / (d2 + t) : 0.0);
    const vec2 x = vec2(axis.x * y.x - axis.y * y.y, axis.y * y.x + axis.x * y.y);
    const float reached = length(x);
    return reached > 0.0 ? x * (radius / reached) : project_disk(l, radius);
}
