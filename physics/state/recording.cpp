// SPDX-License-Identifier: MIT
#include "physics/state/recording.h"

#include "engine/core/atomic_file.h"
#include "engine/core/bytes.h"
#include "engine/core/hash.h"
#include "physics/physics_world.h"

namespace proxima::physics {

namespace {

constexpr char kMagic[8] = {'P', 'X', 'R', 'E', 'C', '0', '0', '1'};

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

Result<void> save_recording(const Recording& recording, const std::string& file) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.raw(kMagic, sizeof(kMagic));
    out.text(write_scene(recording.scene));
    out.value(recording.dt);
    out.value(recording.body_count);
    out.array(recording.step_hashes);
    out.array(recording.body_hashes);

    return write_file(file, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Result<Recording> load_recording(const std::string& file) {
    auto content = read_file(file);
    if (!content) return Error{content.error()};
    ByteReader in(std::as_bytes(std::span(content->data(), content->size())));
    char magic[sizeof(kMagic)];
    in.raw(magic, sizeof(magic));
    if (!in.ok() || std::string_view(magic, sizeof(magic)) != std::string_view(kMagic, sizeof(kMagic)))
        return Error{"'" + file + "' is not a recording of this version of Proxima."};
    Recording recording;
    std::string scene_text;
    in.text(scene_text);
    recording.dt = in.value<float>();
    recording.body_count = in.value<uint32_t>();
    in.array(recording.step_hashes);
    in.array(recording.body_hashes);
    if (!in.ok() || recording.body_hashes.size() != recording.step_hashes.size() * recording.body_count)
        return Error{"The recording '" + file + "' is cut short or damaged."};
    auto scene = parse_scene(scene_text, file);
    if (!scene) return Error{scene.error()};
    recording.scene = std::move(scene.value());
    return recording;
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
