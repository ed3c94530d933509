// SPDX-License-Identifier: MIT
// The residual of physics/contact/residual.h for one contact with a friction disk or box. Needs friction.glsl, kIsBox.

vec2 project(vec2 z, float radius) { return kIsBox ? project_box(z, radius) : project_disk(z, radius); }

/// Natural map of the contact in m/s; infinite (by its bits) when anything is not a number.
uint residual_bits(vec3 l, float mu, float vn, vec2 vt, float wn, float wt) {
    float normal = 0.0, tangent = 0.0;
    if (wn > 0.0) normal = abs(min(l.x * wn, vn));
    if (wt > 0.0) tangent = wt * length(l.yz - project(l.yz - vt / wt, mu * max(0.0, l.x)));
    const float sum = mu + wn + wt + l.x + l.y + l.z + vn + vt.x + vt.y;
    const float worst = max(normal, tangent);
    return is_finite(sum) && is_finite(worst) ? floatBitsToUint(worst) : 0x7F800000u;
}
