// SPDX-License-Identifier: MIT
// Blocks of W = J M^-1 J^T for one point of contact.

/// Of one body and the rows normal, tangent 1, tangent 2: diagonal, and (n t1, n t2, t1 t2).
struct Block {
    vec3 diagonal, rest;
};
Block block_of(vec3 n, vec3 t1, vec3 t2, vec3 arm, vec4 m0, vec4 m1) {
    const vec3 rn = cross(arm, n), r1 = cross(arm, t1), r2 = cross(arm, t2);
    const vec3 in_ = turn(m0, m1.xy, rn), i1 = turn(m0, m1.xy, r1), i2 = turn(m0, m1.xy, r2);
    return Block(m1.z * vec3(dot(n, n), dot(t1, t1), dot(t2, t2)) + vec3(dot(rn, in_), dot(r1, i1), dot(r2, i2)),
                 m1.z * vec3(dot(n, t1), dot(n, t2), dot(t1, t2)) + vec3(dot(rn, i1), dot(rn, i2), dot(r1, i2)));
}

/// A rotation about the third axis k that makes a_ij vanish.
void clear_entry(inout float aii, inout float ajj, inout float aij, inout float aki, inout float akj) {
    if (!(abs(aij) > 1e-12 * (abs(aii) + abs(ajj)))) return;
    const float theta = 0.5 * (ajj - aii) / aij;
    const float t = (theta >= 0.0 ? 1.0 : -1.0) / (abs(theta) + sqrt(theta * theta + 1.0));
    const float c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    aii -= t * aij;
    ajj += t * aij;
    aij = 0.0;
    const float ki = aki, kj = akj;
    aki = c * ki - s * kj;
    akj = s * ki + c * kj;
}

/// lambda_max of a symmetric matrix by Jacobi's rotations: roots of the characteristic polynomial in float would
/// lose half of their digits where two of them are equal.
float largest_eigenvalue3(vec3 d, vec3 r) {
    for (int k = 0; k < 5; ++k) {
        clear_entry(d.x, d.y, r.x, r.y, r.z);
        clear_entry(d.x, d.z, r.y, r.x, r.z);
        clear_entry(d.y, d.z, r.z, r.x, r.y);
    }
    return max(0.0, max(d.x, max(d.y, d.z)));
}
