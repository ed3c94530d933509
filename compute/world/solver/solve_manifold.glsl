// SPDX-License-Identifier: MIT
// One manifold while all others stand still: a Gauss-Seidel pass over its points. Normals, friction, normals again;
// a single point: friction, then its normal.
//     l_n' = max(0, l_n - (v_n + bias + c l_n) / (W_nn + c)),     l_t' = P_disk(mu l_n)(l_t - v_t / lambda_max(W_tt))
// Arms are read again by every row: the cache has them, and registers for four points would be many.

/// All that the rows read and write; v follows the impulses, with the masses m. One number of all points in a vec4.
Frame f;
Masses m;
Motion v;
vec4 bias, compliance, w_nn, step_t, l_n, l_1, l_2;

void normal_row(uint k, vec3 arm) {
    if (!(w_nn[k] > 1e-30)) return;
    const vec3 arm_b = arm + f.shift;
    const float vn = dot(f.normal, relative(v, arm, arm_b)) + bias[k] + compliance[k] * l_n[k];
    const float after = max(0.0, l_n[k] - vn / (w_nn[k] + compliance[k]));
    const float change = after - l_n[k];
    l_n[k] = after;
    apply(v, m, arm, arm_b, f.normal * change);
}

void friction_row(uint k, vec3 arm) {
    if (!(step_t[k] > 0.0)) return;
    const vec3 arm_b = arm + f.shift, r = relative(v, arm, arm_b);
    const vec2 before = vec2(l_1[k], l_2[k]);
    const vec2 after = project_disk(before - step_t[k] * vec2(dot(f.tangent1, r), dot(f.tangent2, r)),
                                    f.friction * l_n[k]);
    l_1[k] = after.x;
    l_2[k] = after.y;
    apply(v, m, arm, arm_b, f.tangent1 * (after.x - before.x) + f.tangent2 * (after.y - before.y));
}

/// Laws of all points from the gaps that they have now.
void load_laws(uint slot) {
    const Motion displaced = load_moved(f);
    for (uint k = 0u; k < f.points; ++k) {
        const vec4 at = arms[k * push.pairs + slot];
        const vec2 law = law_of(f, gap_of(f, at, displaced), blocks[k * push.pairs + slot].x);
        bias[k] = law.x;
        compliance[k] = law.y;
    }
}

void sweep_manifold(uint slot) {
    const uint n = push.pairs;
    for (uint k = 0u; k < f.points && f.points > 1u; ++k) normal_row(k, arms[k * n + slot].xyz);
    for (uint k = 0u; k < f.points; ++k) friction_row(k, arms[k * n + slot].xyz);
    for (uint k = 0u; k < f.points; ++k) normal_row(k, arms[k * n + slot].xyz);
}
