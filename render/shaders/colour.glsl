// SPDX-License-Identifier: MIT
// From light to what a screen shows.

// 1 where the target does not encode by itself.
layout(constant_id = 0) const uint kEncode = 0;

vec3 to_linear(vec3 c) {
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}

vec3 to_screen(vec3 c) {
    return mix(c * 12.92, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055,
               greaterThan(c, vec3(0.0031308)));
}

// The colour that is written, given linearly.
vec4 encoded(vec4 c) { return kEncode != 0 ? vec4(to_screen(clamp(c.rgb, 0.0, 1.0)), c.a) : c; }

// Colours below kStart stay as they are, so that a body has the colour that it was given; above, the largest
// channel p is bent towards 1 along 1 - (1 - s)^2 / (p + 1 - 2 s), which starts with slope 1, and very bright
// colours turn white as film does.
vec3 tone_map(vec3 c) {
    const float kStart = 0.76;
    float peak = max(c.r, max(c.g, c.b));
    if (peak <= kStart) return c;
    float bent = 1.0 - (1.0 - kStart) * (1.0 - kStart) / (peak + 1.0 - 2.0 * kStart);
    vec3 scaled = c * (bent / peak);
    float white = 1.0 - 1.0 / (1.0 + 0.15 * (peak - bent));
    return mix(scaled, vec3(bent), white);
}
