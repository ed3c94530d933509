// SPDX-License-Identifier: MIT
// What measuring found, over the invocations of a workgroup, as a tree: (max, sum, max, sum) and a count.
shared vec4 found_by[kWorkgroup];
shared uint counted_by[kWorkgroup];

vec4 join(vec4 a, vec4 b) { return vec4(max(a.x, b.x), a.y + b.y, max(a.z, b.z), a.w + b.w); }

/// The whole of it arrives at invocation 0.
void reduce(inout vec4 found, inout uint counted) {
    const uint local = gl_LocalInvocationID.x;
    found_by[local] = found;
    counted_by[local] = counted;
    for (uint half_ = kWorkgroup / 2u; half_ > 0u; half_ /= 2u) {
        barrier();
        if (local < half_) {
            found_by[local] = join(found_by[local], found_by[local + half_]);
            counted_by[local] += counted_by[local + half_];
        }
    }
    if (local == 0u) {
        found = found_by[0];
        counted = counted_by[0];
    }
}
