// SPDX-License-Identifier: MIT
// The light from everywhere, as formulas: a sky that goes from horizon to zenith, over a ground.

// The sky at a height of 0 (horizon) to 1 (zenith), seen through a lobe: `blur` 0 is a mirror, 1 half the world.
vec3 sky_above(float height, float blur) {
    float rise = 1.0 - height;
    return mix(frame.zenith.rgb, frame.horizon.rgb, mix(rise * rise * rise, 0.45, blur));
}

// Radiance from a direction.
vec3 sky_light(vec3 direction, float blur) {
    // A lobe sees ground and sky at once near the horizon.
    float width = mix(0.015, 1.0, blur);
    return mix(frame.ground.rgb, sky_above(max(direction.y, 0.0), blur), smoothstep(-width, width, direction.y));
}

// Irradiance over pi on a surface: mean radiance weighted with the cosine. The mean height of the sky under
// that weight is 2/3, where the formula above has (1 - 2/3)^3 of the horizon; walls see more of it.
vec3 sky_irradiance(vec3 normal) {
    float up = 0.5 + 0.5 * normal.y;
    vec3 above = mix(frame.horizon.rgb, frame.zenith.rgb, 0.25 + 0.35 * up);
    return mix(frame.ground.rgb, above, up);
}
