// SPDX-License-Identifier: MIT
// Friction that is more than a disk: tangents and torsion in an ellipsoid, rolling in a disk. Needs friction.glsl.
// Radii are divided by the largest one first, so that squares stay in the range of float.

/// A symmetric matrix: diagonal, and (xy, xz, yz).
struct Symmetric {
    vec3 diagonal, rest;
};
vec3 column(Symmetric w, int i) {
    return i == 0 ? vec3(w.diagonal.x, w.rest.x, w.rest.y)
                  : i == 1 ? vec3(w.rest.x, w.diagonal.y, w.rest.z) : vec3(w.rest.y, w.rest.z, w.diagonal.z);
}

/// One rotation in the plane of axes i and j of W = Q diag Q^T, which makes a_ij vanish.
void rotate(inout float aii, inout float ajj, inout float aij, inout float aki, inout float akj, inout vec3 qi,
            inout vec3 qj) {
    if (!(aij * aij > 1e-15 * abs(aii * ajj))) return;
    const float theta = 0.5 * (ajj - aii) / aij;
    const float t = (theta >= 0.0 ? 1.0 : -1.0) / (abs(theta) + sqrt(theta * theta + 1.0));
    const float c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    aii -= t * aij;
    ajj += t * aij;
    aij = 0.0;
    const float ki = aki, kj = akj;
    aki = c * ki - s * kj;
    akj = s * ki + c * kj;
    const vec3 before = qi;
    qi = c * before - s * qj;
    qj = s * before + c * qj;
}
mat3 make_diagonal(inout Symmetric w) {
    vec3 q0 = vec3(1.0, 0.0, 0.0), q1 = vec3(0.0, 1.0, 0.0), q2 = vec3(0.0, 0.0, 1.0);
    for (int k = 0; k < 6; ++k) {
        rotate(w.diagonal.x, w.diagonal.y, w.rest.x, w.rest.y, w.rest.z, q0, q1);
        rotate(w.diagonal.x, w.diagonal.z, w.rest.y, w.rest.x, w.rest.z, q0, q2);
        rotate(w.diagonal.y, w.diagonal.z, w.rest.z, w.rest.x, w.rest.y, q1, q2);
    }
    return mat3(q0, q1, q2);
}

/// |x(t)| = 1 for x_i = h_i / (d_i + t), t > 0: as solve_secular.
float solve_secular3(vec3 d, vec3 h) {
    const float reach = length(h);
    float low = max(0.0, reach - max(d.x, max(d.y, d.z))), high = max(low, reach - min(d.x, min(d.y, d.z)));
    float t = low;
    for (int k = 0; k < 40; ++k) {
        float squared = 0.0, slope = 0.0;
        for (int i = 0; i < 3; ++i) {
            if (h[i] == 0.0) continue;  // an axis without extent: 0 / 0 at t = 0
            const float x = h[i] / (d[i] + t);
            squared += x * x;
            slope += x * x / (d[i] + t);
        }
        const float error = sqrt(squared) - 1.0;
        if (abs(error) <= 3e-7) break;
        if (error > 0.0) low = t; else high = t;
        float after = t + (squared / slope) * error;
        if (!(after > low && after < high)) after = 0.5 * (low + high);
        if (after == t || !(high > low)) break;
        t = after;
    }
    return t;
}

/// Nearest point of sum (x_i / radii_i)^2 <= 1; an axis without radius allows zero only.
vec3 project_ellipsoid(vec3 z, vec3 radii) {
    radii = max(radii, vec3(0.0));
    const float largest = max(radii.x, max(radii.y, radii.z));
    if (!(largest > 0.0)) return vec3(0.0);
    float inside = 0.0;
    for (int i = 0; i < 3; ++i) {
        if (radii[i] > 0.0)
            inside += (z[i] / radii[i]) * (z[i] / radii[i]);
        else
            z[i] = 0.0;
    }
    if (inside <= 1.0) return z;
    const vec3 a = radii / largest, d = a * a, h = a * (z / largest);
    const float t = solve_secular3(d, h);
    for (int i = 0; i < 3; ++i) z[i] = radii[i] > 0.0 ? z[i] * (d[i] / (d[i] + t)) : 0.0;
    return z;
}

/// min over the ellipsoid of 1/2 (x-l)^T W (x-l) + v^T (x-l). With x_i = radii_i y_i it is the unit ball: stop
/// where the velocity can be stopped, otherwise (W' + t) y = W' l' - v' with |y| = 1.
vec3 solve_ellipsoid(Symmetric w, vec3 l, vec3 v, vec3 radii) {
    radii = max(radii, vec3(0.0));
    const float largest = max(radii.x, max(radii.y, radii.z));
    if (!(largest > 0.0)) return vec3(0.0);
    const vec3 a = radii / largest;
    vec3 from = vec3(0.0);
    for (int i = 0; i < 3; ++i) {
        if (radii[i] > 0.0)
            from[i] = l[i] / radii[i];
        else
            v -= column(w, i) * l[i];  // its impulse goes, and the velocities follow before the others are solved
    }
    Symmetric scaled = Symmetric(w.diagonal * a * a, w.rest * vec3(a.x * a.y, a.x * a.z, a.y * a.z));
    const mat3 q = make_diagonal(scaled);
    vec3 d = scaled.diagonal;
    const float most = max(d.x, max(d.y, d.z));
    if (!(most > 0.0)) return project_ellipsoid(l, radii);
    const vec3 l1 = from * q, v1 = (v * a / largest) * q;  // x * Q = Q^T x
    const float fastest = max(abs(v1.x), max(abs(v1.y), abs(v1.z)));
    vec3 change = vec3(0.0);
    bool can_stick = true;
    for (int i = 0; i < 3; ++i) {
        if (d[i] <= 5e-7 * most) {  // nothing moves along this axis
            d[i] = 0.0;
            can_stick = can_stick && abs(v1[i]) <= 5e-7 * fastest;
        } else {
            change[i] = -v1[i] / d[i];
        }
    }
    const vec3 stick = l1 + change;
    if (can_stick && dot(stick, stick) <= 1.0) return vec3(radii.x > 0.0 ? l.x : 0.0, radii.y > 0.0 ? l.y : 0.0,
                                                           radii.z > 0.0 ? l.z : 0.0) + radii * (q * change);
    const vec3 h = d * l1 - v1;
    const float t = solve_secular3(d, h);
    vec3 y = vec3(0.0);
    for (int i = 0; i < 3; ++i) y[i] = h[i] != 0.0 ? h[i] / (d[i] + t) : 0.0;
    const float size = length(y);
    return size > 0.0 ? radii * (q * y) / size : project_ellipsoid(l, radii);
}
