// SPDX-License-Identifier: MIT
// PhysX on the CPU behind the interface of the benchmark, with either of its solvers and its default
// iterations: four of positions and one of velocities.
#include <PxPhysicsAPI.h>

#include <algorithm>

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
        material_ = physics().createMaterial(scene.friction, scene.friction, 0.0f);
        for (const EngineShape& shape : scene.shapes) meshes_.push_back(cook(shape));
        for (const EngineBody& body : scene.bodies) add(scene, body);
    }
    ~PhysxEngine() override {
        for (PxRigidActor* actor : actors_) actor->release();
        scene_->release();
        for (PxConvexMesh* mesh : meshes_)
            if (mesh) mesh->release();
        material_->release();
        dispatcher_->release();
    }

    void step(float dt) override {
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

  private:
    static PxConvexMesh* cook(const EngineShape& shape) {
        if (shape.kind != ShapeKind::hull) return nullptr;
        PxConvexMeshDesc desc;
        desc.points.count = PxU32(shape.points.size() / 3);
        desc.points.stride = 3 * sizeof(float);
        desc.points.data = shape.points.data();
        desc.flags = PxConvexFlag::eCOMPUTE_CONVEX;
        return PxCreateConvexMesh(PxCookingParams(physics().getTolerancesScale()), desc,
                                  physics().getPhysicsInsertionCallback());
    }

    PxShape* make_shape(const EngineShape& shape, PxConvexMesh* mesh) {
        switch (shape.kind) {
            case ShapeKind::sphere:
                return physics().createShape(PxSphereGeometry(shape.radius), *material_, true);
            case ShapeKind::capsule: {  // along x in PhysX, along y in the scene
                PxShape* made =
                    physics().createShape(PxCapsuleGeometry(shape.radius, shape.half_height), *material_, true);
                made->setLocalPose(PxTransform(PxQuat(PxHalfPi, PxVec3(0.0f, 0.0f, 1.0f))));
                return made;
            }
            case ShapeKind::hull:
                return physics().createShape(PxConvexMeshGeometry(mesh), *material_, true);
            case ShapeKind::box:
                break;
        }
        return physics().createShape(PxBoxGeometry(vector_of(shape.half_extents)), *material_, true);
    }

    void add(const EngineScene& scene, const EngineBody& body) {
        const PxQuat rotation(body.rotation[0], body.rotation[1], body.rotation[2], body.rotation[3]);
        const PxTransform pose(vector_of(body.position), rotation.getNormalized());
        PxShape* shape = make_shape(scene.shapes[body.shape], meshes_[body.shape]);
        PxRigidActor* actor = nullptr;
        if (body.moves) {
            PxRigidDynamic* dynamic = physics().createRigidDynamic(pose);
            dynamic->attachShape(*shape);
            PxRigidBodyExt::setMassAndUpdateInertia(*dynamic, float(body.mass));
            dynamic->setLinearDamping(0.0f);
            dynamic->setAngularDamping(0.0f);
            dynamic->setLinearVelocity(vector_of(body.linear_velocity));
            dynamic->setAngularVelocity(vector_of(body.angular_velocity));
            if (!scene.sleeping) {
                dynamic->setSleepThreshold(0.0f);
                dynamic->setStabilizationThreshold(0.0f);
                dynamic->setWakeCounter(1e9f);
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

    std::vector<char> scratch_;
    PxDefaultCpuDispatcher* dispatcher_ = nullptr;
    PxScene* scene_ = nullptr;
    PxMaterial* material_ = nullptr;
    std::vector<PxConvexMesh*> meshes_;  // by shape; null where it is not a hull
    std::vector<PxRigidActor*> actors_;  // by body of the scene
};

EngineDescription describe(const char* solver) {
    EngineDescription out;
    out.version = std::to_string(PX_PHYSICS_VERSION_MAJOR) + "." + std::to_string(PX_PHYSICS_VERSION_MINOR) + "." +
                  std::to_string(PX_PHYSICS_VERSION_BUGFIX);
    out.settings = std::string("CPU, solver ") + solver +
                   ", 4 position and 1 velocity iterations, PCM, broadphase PABP, patch friction";
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
