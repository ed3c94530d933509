// SPDX-License-Identifier: MIT
// One manifold while all others stand still: a Gauss-Seidel pass over its points. Normals, friction, normals again;
// a single point: friction, then its normal.
//     l_n' = max(0, l_n - (v_n + bias + c l_n) / (W_nn + c)),     l_t' = P_disk(mu l_n)(l_t - v_t / lambda_max(W_tt))
// Arms of all but the first point are read again by every row: the cache has them, registers would be many.

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

/// Law, block and impulse of a point; `block` is W_nn and the step of the tangents that the pass uses.
void load_point(uint k, vec4 at, Motion displaced, float true_w_nn, vec2 block, vec3 l) {
    const vec2 law = law_of(f, gap_of(f, at, displaced), true_w_nn);
    bias[k] = law.x;
    compliance[k] = law.y;
    w_nn[k] = block.x;
    step_t[k] = block.y;
    l_n[k] = l.x;
    l_1[k] = l.y;
    l_2[k] = l.z;
}

/// `first` is the arm of point 0: many manifolds have no other.
void sweep_manifold(uint slot, vec3 first) {
    const uint n = push.pairs;
    if (f.points > 1u) normal_row(0u, first);
    for (uint k = 1u; k < f.points; ++k) normal_row(k, arms[k * n + slot].xyz);
    friction_row(0u, first);
    for (uint k = 1u; k < f.points; ++k) friction_row(k, arms[k * n + slot].xyz);
    normal_row(0u, first);
    for (uint k = 1u; k < f.points; ++k) normal_row(k, arms[k * n + slot].xyz);
}
