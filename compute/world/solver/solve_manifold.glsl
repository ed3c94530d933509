// SPDX-License-Identifier: MIT
// One manifold while all others stand still: a Gauss-Seidel pass over its points. Normals, friction, normals again;
// a single point: friction, then its normal.
//     l_n' = max(floor, keep l_n - step (v_n + bias)),     l_t' = P_disk(mu l_n)(l_t - v_t / lambda_max(W_tt))
// Offsets of points are read again by every row: the cache has them, registers would be many.

/// All that the rows read and write; v follows the impulses, with the masses m. One number of all points in a vec4.
Frame f;
Masses m;
Motion v;
vec2 slip;  // along the tangents, beside v
vec4 bias, step_n, keep, least, step_t, l_n, l_1, l_2;

/// Overlap is driven apart by a soft contact: compliance c = factor W_nn, so that step = 1 / (W_nn + c). An open gap
/// may close, but no further: v_n >= -gap/h.
void soft_law(uint k, float gap, float true_w_nn, float w_nn) {
    const float speed_scale = push.max_push_speed > 0.0 ? f.max_push / push.max_push_speed : 1.0;
    const float angle = min(push.spring_angle / speed_scale, push.max_spring_angle) * (f.immovable ? 2.0 : 1.0);
    const float a1 = angle + push.damping, rate = angle > 0.0 ? angle / (a1 * push.h) : 0.0;
    const bool open = gap > 0.0;
    const float compliance = open || angle == 0.0 ? 0.0 : true_w_nn / (angle * a1);
    bias[k] = open ? gap / push.h : max(rate * gap, -f.max_push);
    step_n[k] = step_of(w_nn + compliance);
    keep[k] = 1.0 - compliance * step_n[k];
    least[k] = 0.0;
}

/// The hard law after the last sub-step. A contact that pushed in this step may pull by as much as it pushed, and by no
/// more than it gave in the step altogether, until the bodies no longer part: push-out leaves no velocity. One that is
/// open and carries nothing has not touched yet. Of a patch that pushed with some of its points the open ones may only
/// pull.
void relax_law(uint k, float gap, float w_nn, float impulse, float total, float speed) {
    const bool open = gap > 0.0, parts = f.push > 0.0 && speed > 0.0;
    const float whole = step_of(w_nn);
    bias[k] = open && !parts ? gap / push.h : 0.0;
    step_n[k] = open && !parts && impulse <= 0.0 ? 0.0 : whole;
    keep[k] = 1.0;
    least[k] = min(max(-whole * f.push, impulse - total), 0.0);
}

/// Law, block and impulse of a point; `block` is W_nn and the step of the tangents that the pass uses.
void load_point(uint slot, uint k, float gap, float true_w_nn, vec2 block, vec4 l) {
    if ((push.flags & kDoRelax) != 0u) {
        const vec3 offset = offset_of(f, slot, k);
        const float speed = dot(f.normal, relative(v, f.arm_a + offset, f.arm_b + offset));
        relax_law(k, gap, block.x, l.x, l.w, speed);
    } else {
        soft_law(k, gap, true_w_nn, block.x);
    }
    step_t[k] = block.y;
    l_n[k] = l.x;
    l_1[k] = l.y;
    l_2[k] = l.z;
}

void normal_row(uint slot, uint k) {
    const vec3 offset = offset_of(f, slot, k), arm_a = f.arm_a + offset, arm_b = f.arm_b + offset;
    const float vn = dot(f.normal, relative(v, arm_a, arm_b)) + bias[k];
    const float after = max(least[k], keep[k] * l_n[k] - step_n[k] * vn), change = after - l_n[k];
    l_n[k] = after;
    apply(v, m, arm_a, arm_b, f.normal * change);
}
void normal_rows(uint slot) {
    for (uint k = 0u; k < f.points; ++k) normal_row(slot, k);
}

void set_friction(uint k, vec3 arm_a, vec3 arm_b, vec2 after) {
    const vec2 change = after - vec2(l_1[k], l_2[k]);
    l_1[k] = after.x;
    l_2[k] = after.y;
    apply(v, m, arm_a, arm_b, f.tangent1 * change.x + f.tangent2 * change.y);
}
void friction_row(uint slot, uint k) {
    if (!(step_t[k] > 0.0)) return;
    const vec3 offset = offset_of(f, slot, k), arm_a = f.arm_a + offset, arm_b = f.arm_b + offset,
               r = relative(v, arm_a, arm_b);
    const vec2 vt = vec2(dot(f.tangent1, r), dot(f.tangent2, r)) + slip;
    set_friction(k, arm_a, arm_b, project_disk(vec2(l_1[k], l_2[k]) - step_t[k] * vt, f.friction * l_n[k]));
}

void sweep_manifold(uint slot) {
    if (f.points > 1u) normal_rows(slot);
    for (uint k = 0u; k < f.points; ++k) friction_row(slot, k);
    normal_rows(slot);
}

/// The same, as the sweeps of the cpu have it. A patch that carried nothing finds its load first, in a few more passes:
/// one finds about half of it, and friction could only hold as much. Friction follows the last pass over the normals: what
/// slides stays at the edge of its disk, and what was left outside goes back to it.
void sweep_manifold_in_turn(uint slot) {
    bool fresh = (push.flags & kDoRelax) == 0u;
    for (uint k = 0u; k < f.points; ++k) fresh = fresh && !(l_n[k] > 0.0);
    const uint passes = f.points > 1u ? (fresh ? 1u + kLoadPasses : 1u) : (fresh ? 1u : 0u);
    for (uint pass = 0u; pass < passes; ++pass) normal_rows(slot);
    for (uint k = 0u; k < f.points; ++k) friction_row(slot, k);
    const vec4 before = l_n;
    normal_rows(slot);
    for (uint k = 0u; k < f.points; ++k) {
        const vec2 rubs = vec2(l_1[k], l_2[k]);
        const float edge = 0.9999 * f.friction * before[k], carried = max(l_n[k], 0.0);
        const bool slides = edge > 1e-20 && dot(rubs, rubs) >= edge * edge && carried <= 2.0 * before[k];
        const vec2 held = project_disk(slides ? rubs * (carried / before[k]) : rubs, f.friction * carried);
        if (held.x == l_1[k] && held.y == l_2[k]) continue;
        const vec3 offset = offset_of(f, slot, k);
        set_friction(k, f.arm_a + offset, f.arm_b + offset, held);
    }
}

/// Impulse of a point as it is kept, with the sum over the step.
vec4 kept_impulse(uint k, float before, float total) {
    if ((push.flags & kDoAddUp) != 0u) total += l_n[k];
    if ((push.flags & kDoRelax) != 0u) total += l_n[k] - before;
    return vec4(l_n[k], l_1[k], l_2[k], total);
}

/// Notes how fast the points were asked to part.
void keep_push(uint slot) {
    if ((push.flags & kDoPush) == 0u) return;
    float fastest = f.push;
    for (uint k = 0u; k < f.points; ++k)
        if (l_n[k] > 0.0) fastest = max(fastest, -bias[k]);
    if (fastest > f.push) frames[kFrameArmB * push.pairs + slot].w = fastest;
}
