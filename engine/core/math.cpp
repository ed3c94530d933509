// SPDX-License-Identifier: MIT
#include "engine/core/math.h"

namespace proxima {

Sym3 rotate(const Sym3& m, const Quat& q) {
    const Mat3 r = glm::mat3_cast(q);
    // (R m R^T)_ij = row_i . m row_j with the rows of R; six of the nine are enough.
    const Vec3 c0 = m * Vec3(r[0][0], r[1][0], r[2][0]);
    const Vec3 c1 = m * Vec3(r[0][1], r[1][1], r[2][1]);
    const Vec3 c2 = m * Vec3(r[0][2], r[1][2], r[2][2]);
    const Vec3 row0(r[0][0], r[1][0], r[2][0]);
    const Vec3 row1(r[0][1], r[1][1], r[2][1]);
    const Vec3 row2(r[0][2], r[1][2], r[2][2]);
    return {glm::dot(row0, c0), glm::dot(row1, c1), glm::dot(row2, c2),
            glm::dot(row0, c1), glm::dot(row0, c2), glm::dot(row1, c2)};
}

Sym3 inverse(const Sym3& m) {
    const double xx = m.xx, yy = m.yy, zz = m.zz, xy = m.xy, xz = m.xz, yz = m.yz;
    const double a = yy * zz - yz * yz, b = xz * yz - xy * zz, c = xy * yz - xz * yy;
    const double det = xx * a + xy * b + xz * c;
    const double s = 1.0 / det;
    return {float(a * s), float((xx * zz - xz * xz) * s), float((xx * yy - xy * xy) * s), float(b * s),
            float(c * s), float((xy * xz - xx * yz) * s)};
}

}  // namespace proxima
