// SPDX-License-Identifier: MIT
#include "render/passes/camera_view.h"

#include <algorithm>

namespace proxima::render {

CameraView view_of(const Camera& camera, uint32_t width, uint32_t height) {
    CameraView v;
    v.eye = camera.eye;
    const Vec3 ahead = camera.target - camera.eye;
    if (glm::dot(ahead, ahead) > 1e-12f) v.forward = glm::normalize(ahead);
    Vec3 side = glm::cross(v.forward, camera.up);
    if (!(glm::dot(side, side) > 1e-12f))
        side = glm::cross(v.forward, std::abs(v.forward.y) < 0.9f ? Vec3(0.0f, 1.0f, 0.0f) : Vec3(0.0f, 0.0f, -1.0f));
    v.right = glm::normalize(side);
    v.up = glm::cross(v.right, v.forward);
    v.half_height = std::tan(0.5f * std::clamp(camera.field_of_view, 0.01f, 3.0f));
    v.half_width = v.half_height * float(width) / float(height);
    v.near_plane = std::max(camera.near_plane, 1e-4f);
    v.far_plane = std::max(camera.far_plane, 2.0f * v.near_plane);

    // x = right.q / (a d), y = -up.q / (b d), z = n (f - d) / (d (f - n)) with q = p - eye, d = forward.q
    const float n = v.near_plane, f = v.far_plane;
    const Vec3 rows[3] = {v.right / v.half_width, -v.up / v.half_height, -v.forward * (n / (f - n))};
    const float ends[3] = {0.0f, 0.0f, n * f / (f - n)};
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) v.matrix[c][r] = rows[r][c];
        v.matrix[c][3] = v.forward[c];
    }
    for (int r = 0; r < 3; ++r) v.matrix[3][r] = ends[r] - glm::dot(rows[r], v.eye);
    v.matrix[3][3] = -glm::dot(v.forward, v.eye);

    const auto plane = [&](const Vec3& inwards, float offset) {
        const float length = glm::length(inwards);
        return Vec4(inwards / length, (offset - glm::dot(inwards, v.eye)) / length);
    };
    v.planes = {plane(v.right + v.half_width * v.forward, 0.0f),
                plane(-v.right + v.half_width * v.forward, 0.0f),
                plane(v.up + v.half_height * v.forward, 0.0f),
                plane(-v.up + v.half_height * v.forward, 0.0f),
                plane(v.forward, -n),
                plane(-v.forward, f)};
    return v;
}

Vec3 unproject(const CameraView& view, float x, float y, float depth, uint32_t width, uint32_t height) {
    const float n = view.near_plane, f = view.far_plane;
    const float d = n * f / (depth * (f - n) + n);  // z solved for d
    const float cx = (x / float(width) * 2.0f - 1.0f) * view.half_width;
    const float cy = (1.0f - y / float(height) * 2.0f) * view.half_height;
    return view.eye + d * (view.forward + cx * view.right + cy * view.up);
}

}  // namespace proxima::render
