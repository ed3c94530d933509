// SPDX-License-Identifier: MIT
// PhysX on the CPU behind the interface of the benchmark and the laws, with either of its solvers and its default
// iterations: four of positions and one of velocities.
#include <PxPhysicsAPI.h>

#include <algorithm>
#include <cmath>

#include "samples/bench/peers/engine.h"

namespace proxima::bench {

namespace {

using namespace physx;

constexpr size_t kScratch = 16u << 20;  // bytes; PhysX wants multiples of 16 KB, 16-byte aligned

PxVec3 vector_of(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
void write(const PxVec3& v, float (&out)[3]) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/// The library, which exists once per process and stays until its end.
PxPhysics& physics() {
    static PxDefaultAllocator allocator;
    static PxDefaultErrorCallback errors;
    static PxFoundation* foundation = PxCreateFoundation(PX_PHYSICS_VERSION, allocator, errors);
    static PxPhysics* made = PxCreatePhysics(PX_PHYSICS_VERSION, *foundation, PxTolerancesScale());
    return *made;
}

PxQuat rotation_of(const float (&q)[4]) { return PxQuat(q[0], q[1], q[2], q[3]).getNormalized(); }

class PhysxEngine final : public Engine {
  public:
    PhysxEngine(const EngineScene& scene, PxSolverType::Enum solver) : scratch_(kScratch + 16) {
        PxSceneDesc desc(physics().getTolerancesScale());
        desc.gravity = vector_of(scene.gravity);
        // No worker: tasks run in the call of simulate(). Otherwise the caller only waits.
        dispatcher_ = PxDefaultCpuDispatcherCreate(scene.threads == 1 ? 0 : scene.threads);
        desc.cpuDispatcher = dispatcher_;
        desc.filterShader = PxDefaultSimulationFilterShader;
        desc.broadPhaseType = PxBroadPhaseType::ePABP;
        desc.solverType = solver;
        desc.flags |= PxSceneFlag::eENABLE_PCM;
        scene_ = physics().createScene(desc);
        for (const EngineShape& shape : scene.shapes) {
            meshes_.push_back(cook(shape, scene.law));
            if (scene.law && shape.kind == ShapeKind::hull && !keeps_points(meshes_.back(), shape))
                fault_ = "PhysX cooks a hull to one of fewer points.";
        }
        if (!fault_.empty()) return;
        same_friction_ = std::all_of(scene.bodies.begin(), scene.bodies.end(),
                                     [&](const EngineBody& body) { return body.friction == scene.bodies[0].friction; });
        for (const EngineBody& body : scene.bodies) add(scene, body);
        for (const EngineBallJoint& joint : scene.joints) add(joint);
    }
    ~PhysxEngine() override {
        for (PxJoint* joint : joints_) joint->release();
        for (PxRigidActor* actor : actors_) actor->release();
        scene_->release();
        for (PxConvexMesh* mesh : meshes_)
            if (mesh) mesh->release();
        for (const Surface& surface : surfaces_) surface.material->release();
        dispatcher_->release();
    }

    void step(float dt) override {
        for (const Kinematic& kinematic : kinematics_) aim(kinematic, dt);
        void* start = scratch_.data();
        size_t room = scratch_.size();
        scene_->simulate(dt, nullptr, std::align(16, kScratch, start, room), PxU32(kScratch));
        scene_->fetchResults(true);
    }

    BodyState state(uint32_t body) const override {
        const PxTransform pose = actors_[body]->getGlobalPose();
        BodyState out;
        write(pose.p, out.position);
        out.rotation[0] = pose.q.x;
        out.rotation[1] = pose.q.y;
        out.rotation[2] = pose.q.z;
        out.rotation[3] = pose.q.w;
        if (const auto* dynamic = actors_[body]->is<PxRigidDynamic>()) {
            write(dynamic->getLinearVelocity(), out.linear_velocity);
            write(dynamic->getAngularVelocity(), out.angular_velocity);
        }
        return out;
    }

    int64_t awake_bodies() override {
        return std::count_if(actors_.begin(), actors_.end(), [](PxRigidActor* actor) {
            const auto* dynamic = actor->is<PxRigidDynamic>();
            return dynamic && !dynamic->isSleeping();
        });
    }
    std::string fault() const override { return fault_; }

    void set_pose(uint32_t body, const BodyState& s) override {
        actors_[body]->setGlobalPose({vector_of(s.position), rotation_of(s.rotation)});
    }
    void set_velocity(uint32_t body, const BodyState& s) override {
        for (Kinematic& kinematic : kinematics_)
            if (kinematic.body == body) {
                kinematic.linear = vector_of(s.linear_velocity);
                kinematic.angular = vector_of(s.angular_velocity);
                return;
            }
        auto* dynamic = actors_[body]->is<PxRigidDynamic>();
        if (!dynamic) return;
        dynamic->setLinearVelocity(vector_of(s.linear_velocity));
        dynamic->setAngularVelocity(vector_of(s.angular_velocity));
    }
    void set_gravity(const float (&gravity)[3]) override { scene_->setGravity(vector_of(gravity)); }
    bool is_asleep(uint32_t body) const override {
        const auto* dynamic = actors_[body]->is<PxRigidDynamic>();
        return dynamic && dynamic->isSleeping();
    }

  private:
    /// PhysX is told where a kinematic body will be, not how fast it is.
    struct Kinematic {
        uint32_t body = 0;
        PxVec3 linear, angular;
    };
    void aim(const Kinematic& kinematic, float dt) {
        PxTransform pose = actors_[kinematic.body]->getGlobalPose();
        const float spin = kinematic.angular.magnitude();
        pose.p += dt * kinematic.linear;
        if (spin > 0.0f) pose.q = (PxQuat(spin * dt, kinematic.angular / spin) * pose.q).getNormalized();
        actors_[kinematic.body]->is<PxRigidDynamic>()->setKinematicTarget(pose);
    }

    struct Surface {
        float friction = 0.0f, restitution = 0.0f;
        PxMaterial* material = nullptr;
    };
    /// Restitution is the larger one of two. PhysX has no geometric mean of frictions, but a product: that of roots is
    /// the same. Where all are equal, so is their mean, without rounding.
    PxMaterial& material_of(const EngineBody& body) {
        for (const Surface& surface : surfaces_)
            if (surface.friction == body.friction && surface.restitution == body.restitution) return *surface.material;
        const float friction = same_friction_ ? body.friction : std::sqrt(body.friction);
        PxMaterial* made = physics().createMaterial(friction, friction, body.restitution);
        if (!same_friction_) made->setFrictionCombineMode(PxCombineMode::eMULTIPLY);
        made->setRestitutionCombineMode(PxCombineMode::eMAX);
        surfaces_.push_back({body.friction, body.restitution, made});
        return *made;
    }

    static bool keeps_points(const PxConvexMesh* mesh, const EngineShape& shape) {
        return mesh && size_t(mesh->getNbVertices()) == shape.points.size() / 3;
    }

    static PxConvexMesh* cook(const EngineShape& shape, bool law) {
        if (shape.kind != ShapeKind::hull) return nullptr;
        PxConvexMeshDesc desc;
        desc.points.count = PxU32(shape.points.size() / 3);
        desc.points.stride = 3 * sizeof(float);
        desc.points.data = shape.points.data();
        desc.flags = PxConvexFlag::eCOMPUTE_CONVEX;
        PxCookingParams params(physics().getTolerancesScale());
        if (law) params.planeTolerance = 0.0f;  // a disc of 48 corners stays one
        return PxCreateConvexMesh(params, desc, physics().getPhysicsInsertionCallback());
    }

    static PxShape* make_shape(const EngineShape& shape, PxConvexMesh* mesh, const PxMaterial& material) {
        const PxQuat x_to_y(PxHalfPi, PxVec3(0.0f, 0.0f, 1.0f));
        switch (shape.kind) {
            case ShapeKind::sphere:
                return physics().createShape(PxSphereGeometry(shape.radius), material, true);
            case ShapeKind::capsule: {  // along x in PhysX, along y in the scene
                PxShape* made =
                    physics().createShape(PxCapsuleGeometry(shape.radius, shape.half_height), material, true);
                made->setLocalPose(PxTransform(x_to_y));
                return made;
            }
            case ShapeKind::hull:
                return physics().createShape(PxConvexMeshGeometry(mesh), material, true);
            case ShapeKind::half_space: {  // below x = 0 in PhysX
                PxShape* made = physics().createShape(PxPlaneGeometry(), material, true);
                made->setLocalPose(PxTransform(x_to_y));
                return made;
            }
            case ShapeKind::box:
                break;
        }
        return physics().createShape(PxBoxGeometry(vector_of(shape.half_extents)), material, true);
    }

    void add(const EngineScene& scene, const EngineBody& body) {
        const PxTransform pose(vector_of(body.position), rotation_of(body.rotation));
        PxShape* shape = make_shape(scene.shapes[body.shape], meshes_[body.shape], material_of(body));
        PxRigidActor* actor = nullptr;
        if (body.moves) {
            PxRigidDynamic* dynamic = physics().createRigidDynamic(pose);
            dynamic->attachShape(*shape);
            if (body.kinematic) {
                dynamic->setRigidBodyFlag(PxRigidBodyFlag::eKINEMATIC, true);
                kinematics_.push_back(
                    {uint32_t(actors_.size()), vector_of(body.linear_velocity), vector_of(body.angular_velocity)});
            } else {
                set_motion(scene, body, *dynamic);
            }
            actor = dynamic;
        } else {
            actor = physics().createRigidStatic(pose);
            actor->attachShape(*shape);
        }
        shape->release();
        scene_->addActor(*actor);
        actors_.push_back(actor);
    }

    static void set_motion(const EngineScene& scene, const EngineBody& body, PxRigidDynamic& dynamic) {
        PxRigidBodyExt::setMassAndUpdateInertia(dynamic, float(body.mass));
        if (scene.law) set_law(scene, body, dynamic);
        dynamic.setLinearDamping(0.0f);
        dynamic.setAngularDamping(0.0f);
        dynamic.setLinearVelocity(vector_of(body.linear_velocity));
        dynamic.setAngularVelocity(vector_of(body.angular_velocity));
        if (scene.sleeping) return;
        dynamic.setSleepThreshold(0.0f);
        dynamic.setStabilizationThreshold(0.0f);
        dynamic.setWakeCounter(1e9f);
    }

    static void set_law(const EngineScene& scene, const EngineBody& body, PxRigidDynamic& dynamic) {
        constexpr float kMaxSpin = 1e5f;
        dynamic.setMaxAngularVelocity(kMaxSpin);
        dynamic.setRigidBodyFlag(PxRigidBodyFlag::eENABLE_GYROSCOPIC_FORCES, scene.accurate);
        if (!(body.inertia[0] > 0.0f)) return;
        dynamic.setCMassLocalPose(PxTransform(PxIdentity));
        dynamic.setMassSpaceInertiaTensor(vector_of(body.inertia));
    }

    void add(const EngineBallJoint& joint) {
        joints_.push_back(PxSphericalJointCreate(physics(), actors_[joint.a], PxTransform(vector_of(joint.anchor_a)),
                                                 actors_[joint.b], PxTransform(vector_of(joint.anchor_b))));
    }

    std::vector<char> scratch_;
    PxDefaultCpuDispatcher* dispatcher_ = nullptr;
    PxScene* scene_ = nullptr;
    std::vector<Surface> surfaces_;
    bool same_friction_ = true;
    std::vector<PxConvexMesh*> meshes_;  // by shape; null where it is not a hull
    std::vector<PxRigidActor*> actors_;  // by body of the scene
    std::vector<Kinematic> kinematics_;
    std::vector<PxJoint*> joints_;
    std::string fault_;
};

EngineDescription describe(const char* solver) {
    EngineDescription out;
    out.version = std::to_string(PX_PHYSICS_VERSION_MAJOR) + "." + std::to_string(PX_PHYSICS_VERSION_MINOR) + "." +
                  std::to_string(PX_PHYSICS_VERSION_BUGFIX);
    out.settings = std::string("CPU, solver ") + solver +
                   ", 4 position and 1 velocity iterations, PCM, broadphase PABP, patch friction";
    out.law_settings = "no limit on spin; all points of hulls kept";
    out.accurate_settings = "gyroscopic forces";
    out.max_threads = 64;
    return out;
}

}  // namespace

EngineDescription describe_physx_pgs() {
    EngineDescription out = describe("PGS");
    out.make = [](const EngineScene& scene) -> std::unique_ptr<Engine> {
        return std::make_unique<PhysxEngine>(scene, PxSolverType::ePGS);
    };
    return out;
}

EngineDescription describe_physx_tgs() {
    EngineDescription out = describe("TGS");
    out.make = [](const EngineScene& scene) -> std::unique_ptr<Engine> {
        return std::make_unique<PhysxEngine>(scene, PxSolverType::eTGS);
    };
    return out;
}

}  // namespace proxima::bench
