// SPDX-License-Identifier: MIT
#include "physics/state/recording.h"

#include <cmath>
#include <cstring>

#include "engine/core/atomic_file.h"
#include "engine/core/bytes.h"
#include "engine/core/checksum.h"
#include "engine/core/hash.h"
#include "physics/world.h"

namespace proxima::physics {

namespace {

// A recording: eight letters, the last three the version; u64 checksum of all bytes but its own; text of the scene,
// f32 dt, u32 bodies, u64 count and the hashes of steps, u64 count and the hashes of bodies, step by step.
constexpr std::string_view kKind = "PXREC", kVersion = "002";  // 001 had no checksum
constexpr size_t kChecksumAt = 8, kChecksumEnd = 16;

std::span<const std::byte> as_bytes(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

uint64_t checksum_of(std::string_view bytes) {
    return checksum(as_bytes(bytes.substr(kChecksumEnd)), checksum(as_bytes(bytes.substr(0, kChecksumAt))));
}

uint32_t body_hash(const entt::registry& registry, Entity entity) {
    const Pose& pose = registry.get<Pose>(entity);
    const Velocity& velocity = registry.get<Velocity>(entity);
    StateHash hash;
    hash.add(pose.position);
    hash.add(pose.rotation);
    hash.add(velocity.linear);
    hash.add(velocity.angular);
    return uint32_t(hash.value());
}

std::string body_label(const SceneDesc& scene, size_t index) {
    const bool named = index < scene.bodies.size() && !scene.bodies[index].name.empty();
    return named ? scene.bodies[index].name : "body " + std::to_string(index);
}

}  // namespace

void Recording::begin(const SceneDesc& run_scene, float run_dt) {
    scene = run_scene;
    dt = run_dt;
    body_count = uint32_t(run_scene.bodies.size());
    step_hashes.clear();
    body_hashes.clear();
}

void Recording::add_step(const PhysicsWorld& world) {
    step_hashes.push_back(world.state_hash());
    const auto bodies = world.bodies();
    for (size_t i = 0; i < body_count; ++i)
        body_hashes.push_back(i < bodies.size() ? body_hash(world.registry(), bodies[i]) : 0u);
}

std::string format_recording(const Recording& recording) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.raw(kKind.data(), kKind.size());
    out.raw(kVersion.data(), kVersion.size());
    out.value(uint64_t(0));
    out.text(write_scene(recording.scene));
    out.value(recording.dt);
    out.value(recording.body_count);
    out.array(recording.step_hashes);
    out.array(recording.body_hashes);
    std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    update_recording_checksum(file);
    return file;
}

void update_recording_checksum(std::string& bytes) {
    if (bytes.size() < kChecksumEnd) return;
    const uint64_t sum = checksum_of(bytes);
    std::memcpy(bytes.data() + kChecksumAt, &sum, sizeof(sum));
}

Result<Recording> parse_recording(std::string_view bytes, const std::string& name) {
    const auto wrong = [&](const std::string& what) { return Error{"The recording '" + name + "' " + what}; };
    if (!bytes.starts_with(kKind)) return Error{"'" + name + "' is not a recording of Proxima."};
    if (const std::string_view version = bytes.substr(kKind.size(), kVersion.size()); version != kVersion)
        return wrong("is of another version of Proxima; this one reads version " + std::string(kVersion) + ".");
    if (bytes.size() < kChecksumEnd) return wrong("is cut short.");
    ByteReader in(as_bytes(bytes.substr(kChecksumAt)));
    if (in.value<uint64_t>() != checksum_of(bytes))
        return wrong("is cut short or damaged: its checksum is not that of its bytes.");
    Recording recording;
    std::string scene_text;
    in.text(scene_text);
    recording.dt = in.value<float>();
    recording.body_count = in.value<uint32_t>();
    in.array(recording.step_hashes);
    in.array(recording.body_hashes);
    if (!in.ok()) return wrong("is cut short.");
    if (in.remaining() > 0) return wrong("has " + std::to_string(in.remaining()) + " bytes behind its end.");
    if (!(std::isfinite(recording.dt) && recording.dt > 0.0f)) return wrong("has steps of no positive finite length.");
    auto scene = parse_scene(scene_text, name);
    if (!scene) return Error{scene.error()};
    recording.scene = std::move(scene.value());
    if (recording.body_count != recording.scene.bodies.size())
        return wrong("counts " + std::to_string(recording.body_count) + " bodies, but its scene has " +
                     std::to_string(recording.scene.bodies.size()) + ".");
    if (recording.body_hashes.size() != recording.step_hashes.size() * recording.body_count)
        return wrong("does not have as many hashes as its steps and bodies ask for.");
    return recording;
}

Result<void> save_recording(const Recording& recording, const std::string& file) {
    return write_file(file, format_recording(recording));
}

Result<Recording> load_recording(const std::string& file) {
    const auto content = read_file(file);
    if (!content) return Error{content.error()};
    return parse_recording(*content, file);
}

Result<ReplayResult> replay_recording(const std::string& file, std::unique_ptr<engine::Jobs> jobs) {
    auto loaded = load_recording(file);
    if (!loaded) return Error{loaded.error()};
    const Recording& recording = loaded.value();
    PhysicsWorld world(std::move(jobs));
    if (auto made = instantiate(recording.scene, world); !made) return Error{made.error()};

    ReplayResult result;
    for (size_t k = 0; k < recording.step_hashes.size(); ++k) {
        if (auto ok = world.step(recording.dt); !ok) return Error{ok.error()};
        ++result.steps;
        if (world.state_hash() == recording.step_hashes[k]) continue;
        result.equal = false;
        result.first_step = k + 1;
        const auto bodies = world.bodies();
        for (size_t i = 0; i < recording.body_count && result.first_body.empty(); ++i)
            if (i >= bodies.size() ||
                body_hash(world.registry(), bodies[i]) != recording.body_hashes[k * recording.body_count + i])
                result.first_body = body_label(recording.scene, i);
        break;
    }
    return result;
}

}  // namespace proxima::physics
