// SPDX-License-Identifier: MIT
// What measuring found, over the invocations of a workgroup: (max, sum, max, sum) and a count. Subgroups add up as
// the device does it, always alike on one device; their sums follow in order.
shared vec4 found_by[kWorkgroup];
shared uint counted_by[kWorkgroup];

vec4 join(vec4 a, vec4 b) { return vec4(max(a.x, b.x), a.y + b.y, max(a.z, b.z), a.w + b.w); }

/// The whole of it arrives at invocation 0.
void reduce(inout vec4 found, inout uint counted) {
    found = vec4(subgroupMax(found.x), subgroupAdd(found.y), subgroupMax(found.z), subgroupAdd(found.w));
    counted = subgroupAdd(counted);
    if (subgroupElect()) {
        found_by[gl_SubgroupID] = found;
        counted_by[gl_SubgroupID] = counted;
    }
    barrier();
    if (gl_LocalInvocationID.x != 0u) return;
    found = found_by[0];
    counted = counted_by[0];
    for (uint k = 1u; k < gl_NumSubgroups; ++k) {
        found = join(found, found_by[k]);
        counted += counted_by[k];
    }
}
