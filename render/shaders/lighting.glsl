// SPDX-License-Identifier: MIT
// Light on a surface: the sun with GGX and a shadow map, the sky for everything else.

// Lookups of the shadow map, a square number; more are softer and slower.
layout(constant_id = 1) const uint kShadowTaps = 9;

layout(set = 0, binding = 1) uniform sampler2DShadow shadow_map;

const float kPi = 3.14159265;

// 1 in the sun, 0 in the shadow. The position is moved off the surface along the normal by as much as a texel of
// the map covers, more where the light grazes: that hides the steps of the map without moving the shadow.
float sun_visibility(vec3 position, vec3 normal, float facing, float away) {
    if (frame.sun_radiance.w == 0.0 || facing <= 0.0) return 1.0;
    float slope = sqrt(max(1.0 - facing * facing, 0.0));
    vec3 moved = position + normal * (frame.shadow.y * (0.4 + 1.4 * slope));
    vec3 at = (frame.sun_matrix * vec4(moved, 1.0)).xyz;
    if (any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) return 1.0;
    at.z = min(at.z, 1.0);
    float lit = 0.0;
    if (kShadowTaps == 4) {
        float r = frame.shadow.x * frame.sun_direction.w * 0.5;
        lit = 0.25 * (texture(shadow_map, at + vec3(-r, -r, 0.0)) + texture(shadow_map, at + vec3(r, -r, 0.0)) +
                      texture(shadow_map, at + vec3(-r, r, 0.0)) + texture(shadow_map, at + vec3(r, r, 0.0)));
    } else {
        float r = frame.shadow.x * frame.sun_direction.w;
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x) lit += texture(shadow_map, at + vec3(float(x) * r, float(y) * r, 0.0));
        lit *= 1.0 / 9.0;
    }
    return mix(lit, 1.0, smoothstep(0.85, 1.0, away / frame.shadow.z));
}

struct Surface {
    vec3 position, normal, colour;
    float roughness, metalness;
};

struct Light {
    vec3 diffuse, specular;
};

Light light_of(Surface s) {
    vec3 view = frame.eye.xyz - s.position;
    float away = length(view);
    view /= max(away, 1e-6);
    vec3 n = s.normal;
    float nv = max(dot(n, view), 1e-3);
    float roughness = clamp(s.roughness, 0.05, 1.0);
    vec3 f0 = mix(vec3(0.04), s.colour, s.metalness);
    vec3 matt = s.colour * (1.0 - s.metalness);
    Light light;

    // The sky: what is reflected, with the mean of GGX over the lobe as a fit in roughness and angle, is not
    // there any more to be scattered.
    vec4 fit = roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float bend = min(fit.x * fit.x, exp2(-9.28 * nv)) * fit.x + fit.y;
    vec3 reflected = f0 * (-1.04 * bend + fit.z) + vec3(1.04 * bend + fit.w);
    light.diffuse = matt * (1.0 - reflected) * sky_irradiance(n);
    light.specular = reflected * sky_light(reflect(-view, n), roughness);

    // The sun: Lambert and GGX with Smith's shadowing, f = D F / (4 nl nv G).
    vec3 l = frame.sun_direction.xyz;
    float nl = dot(n, l);
    if (nl > 0.0) {
        float visible = sun_visibility(s.position, n, nl, away);
        vec3 h = normalize(l + view);
        float nh = max(dot(n, h), 0.0), lh = max(dot(l, h), 0.0);
        float a = roughness * roughness, a2 = a * a;
        float d = nh * nh * (a2 - 1.0) + 1.0;
        float lobe = a2 / (kPi * d * d) * 0.5 / mix(2.0 * nl * nv, nl + nv, a);
        float grazing = 1.0 - lh, g2 = grazing * grazing;
        vec3 fresnel = f0 + (1.0 - f0) * (g2 * g2 * grazing);
        vec3 sun = frame.sun_radiance.rgb * (nl * visible);
        light.diffuse += matt * (1.0 - fresnel) * (1.0 / kPi) * sun;
        light.specular += fresnel * lobe * sun;
    }
    return light;
}
