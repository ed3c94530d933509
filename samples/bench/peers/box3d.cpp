// SPDX-License-Identifier: MIT
// Box3D behind the interface of the benchmark and the laws: its sub-step solver with four sub-steps, the number that its
// own samples use, and everything else as the library has it.
#include <box3d/box3d.h>

#include <cstdio>

#include "samples/bench/peers/engine.h"

namespace proxima::bench {

namespace {

constexpr int kSubsteps = 4;

b3Vec3 vector_of(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
void write(const b3Vec3& v, float (&out)[3]) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

class Box3dEngine final : public Engine {
  public:
    explicit Box3dEngine(const EngineScene& scene) {
        b3SetLogFcn([](const char* message) { std::fprintf(stderr, "Box3D: %s\n", message); });  // not to stdout
        b3WorldDef world = b3DefaultWorldDef();
        world.gravity = vector_of(scene.gravity);
        world.enableSleep = scene.sleeping;
        world.workerCount = scene.threads;
        world_ = b3CreateWorld(&world);
        for (const EngineShape& shape : scene.shapes) {
            hulls_.push_back(make_hull(shape));
            if (scene.law && shape.kind == ShapeKind::hull && !keeps_points(hulls_.back(), shape))
                fault_ = "Box3D has hulls of at most 128 vertices, faces and edges.";
        }
        if (!fault_.empty()) return;
        for (const EngineBody& body : scene.bodies) add(scene, body);
        for (const EngineBallJoint& joint : scene.joints) add(joint);
    }
    ~Box3dEngine() override {
        b3DestroyWorld(world_);
        for (b3HullData* hull : hulls_)
            if (hull) b3DestroyHull(hull);
    }

    void step(float dt) override { b3World_Step(world_, dt, kSubsteps); }

    BodyState state(uint32_t body) const override {
        const b3BodyId id = ids_[body];
        const auto position = b3Body_GetPosition(id);
        const b3Quat rotation = b3Body_GetRotation(id);
        BodyState out;
        out.position[0] = float(position.x);
        out.position[1] = float(position.y);
        out.position[2] = float(position.z);
        out.rotation[0] = rotation.v.x;
        out.rotation[1] = rotation.v.y;
        out.rotation[2] = rotation.v.z;
        out.rotation[3] = rotation.s;
        write(b3Body_GetLinearVelocity(id), out.linear_velocity);
        write(b3Body_GetAngularVelocity(id), out.angular_velocity);
        return out;
    }

    /// Each contact is listed by both of its bodies.
    int64_t contact_points() override {
        int64_t twice = 0;
        std::vector<b3ContactData> contacts;
        for (const b3BodyId id : ids_) {
            contacts.resize(size_t(b3Body_GetContactCapacity(id)));
            if (contacts.empty()) continue;
            const int count = b3Body_GetContactData(id, contacts.data(), int(contacts.size()));
            for (int i = 0; i < count; ++i)
                for (int m = 0; m < contacts[size_t(i)].manifoldCount; ++m)
                    twice += contacts[size_t(i)].manifolds[m].pointCount;
        }
        return twice / 2;
    }

    int64_t awake_bodies() override { return b3World_GetAwakeBodyCount(world_); }
    std::string fault() const override { return fault_; }

    void set_pose(uint32_t body, const BodyState& s) override {
        b3Body_SetTransform(ids_[body], {s.position[0], s.position[1], s.position[2]}, rotation_of(s.rotation));
    }
    void set_velocity(uint32_t body, const BodyState& s) override {
        b3Body_SetLinearVelocity(ids_[body], vector_of(s.linear_velocity));
        b3Body_SetAngularVelocity(ids_[body], vector_of(s.angular_velocity));
    }
    void set_gravity(const float (&gravity)[3]) override { b3World_SetGravity(world_, vector_of(gravity)); }
    bool is_asleep(uint32_t body) const override { return !b3Body_IsAwake(ids_[body]); }

  private:
    static b3Quat rotation_of(const float (&q)[4]) { return b3NormalizeQuat({{q[0], q[1], q[2]}, q[3]}); }

    static bool keeps_points(const b3HullData* hull, const EngineShape& shape) {
        return hull && size_t(hull->vertexCount) == shape.points.size() / 3;
    }

    static b3HullData* make_hull(const EngineShape& shape) {
        if (shape.kind != ShapeKind::hull) return nullptr;
        std::vector<b3Vec3> points;
        for (size_t i = 0; i + 2 < shape.points.size(); i += 3)
            points.push_back({shape.points[i], shape.points[i + 1], shape.points[i + 2]});
        return b3CreateHull(points.data(), int(points.size()), int(points.size()));
    }

    void add(const EngineScene& scene, const EngineBody& body) {
        b3BodyDef def = b3DefaultBodyDef();
        def.type = body.kinematic ? b3_kinematicBody : body.moves ? b3_dynamicBody : b3_staticBody;
        def.position = {body.position[0], body.position[1], body.position[2]};
        def.rotation = rotation_of(body.rotation);
        def.linearVelocity = vector_of(body.linear_velocity);
        def.angularVelocity = vector_of(body.angular_velocity);
        def.allowFastRotation = scene.law;
        def.enableContactRecycling = !scene.accurate;
        const b3BodyId id = b3CreateBody(world_, &def);
        ids_.push_back(id);

        b3ShapeDef surface = b3DefaultShapeDef();
        surface.density = body.density;
        // Mixed as the scene asks for: friction to the geometric mean, restitution to the larger one.
        surface.baseMaterial.friction = body.friction;
        surface.baseMaterial.restitution = body.restitution;
        const EngineShape& shape = scene.shapes[body.shape];
        switch (shape.kind) {
            case ShapeKind::box: {
                const b3BoxHull box =
                    b3MakeBoxHull(shape.half_extents[0], shape.half_extents[1], shape.half_extents[2]);
                b3CreateHullShape(id, &surface, &box.base);
                break;
            }
            case ShapeKind::sphere: {
                const b3Sphere sphere = {{0.0f, 0.0f, 0.0f}, shape.radius};
                b3CreateSphereShape(id, &surface, &sphere);
                break;
            }
            case ShapeKind::capsule: {
                const b3Capsule capsule = {
                    {0.0f, -shape.half_height, 0.0f}, {0.0f, shape.half_height, 0.0f}, shape.radius};
                b3CreateCapsuleShape(id, &surface, &capsule);
                break;
            }
            case ShapeKind::hull:
                b3CreateHullShape(id, &surface, hulls_[body.shape]);
                break;
            case ShapeKind::half_space: {  // it has no planes
                const auto& h = shape.half_extents;
                const b3BoxHull slab = b3MakeOffsetBoxHull(h[0], h[1], h[2], {0.0f, -h[1], 0.0f});
                b3CreateHullShape(id, &surface, &slab.base);
                break;
            }
        }
        if (body.inertia[0] > 0.0f) set_mass(id, body);
    }

    static void set_mass(b3BodyId id, const EngineBody& body) {
        b3MassData mass = {};
        mass.mass = float(body.mass);
        mass.inertia.cx.x = body.inertia[0];
        mass.inertia.cy.y = body.inertia[1];
        mass.inertia.cz.z = body.inertia[2];
        b3Body_SetMassData(id, mass);
    }

    void add(const EngineBallJoint& joint) {
        b3SphericalJointDef def = b3DefaultSphericalJointDef();
        def.base.bodyIdA = ids_[joint.a];
        def.base.bodyIdB = ids_[joint.b];
        def.base.localFrameA.p = vector_of(joint.anchor_a);
        def.base.localFrameB.p = vector_of(joint.anchor_b);
        b3CreateSphericalJoint(world_, &def);
    }

    b3WorldId world_ = {};
    std::vector<b3HullData*> hulls_;  // by shape; null where it is not a hull
    std::vector<b3BodyId> ids_;       // by body of the scene
    std::string fault_;
};

}  // namespace

EngineDescription describe_box3d() {
    const b3Version version = b3GetVersion();
    EngineDescription out;
    out.version =
        std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.revision);
    out.settings = "4 sub-steps, its own scheduler, otherwise defaults (contact recycling, continuous collision)";
    out.law_settings = "fast rotation allowed; half-spaces are boxes";
    out.accurate_settings = "no contact recycling";
    out.max_threads = 32;
    out.make = [](const EngineScene& scene) -> std::unique_ptr<Engine> { return std::make_unique<Box3dEngine>(scene); };
    return out;
}

}  // namespace proxima::bench
