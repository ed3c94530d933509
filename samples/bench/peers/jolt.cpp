// SPDX-License-Identifier: MIT
// Jolt Physics behind the interface of the benchmark and the laws, with its default settings: ten velocity and two
// position iterations, a slop of 20 mm, deterministic simulation.
#include <Jolt/Jolt.h>
// Jolt.h comes first
#include <Jolt/ConfigurationString.h>
#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/Collision/Shape/PlaneShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Constraints/PointConstraint.h>
#include <Jolt/Physics/PhysicsSettings.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "samples/bench/peers/engine.h"

namespace proxima::bench {

namespace {

constexpr JPH::ObjectLayer kFixed = 0, kMoving = 1;

/// Two layers: what moves meets everything, what does not meets what moves.
class Layers final : public JPH::BroadPhaseLayerInterface {
  public:
    JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
        return JPH::BroadPhaseLayer(JPH::BroadPhaseLayer::Type(layer));
    }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED)
    const char* GetBroadPhaseLayerName(JPH::BroadPhaseLayer layer) const override {
        return layer == JPH::BroadPhaseLayer(kFixed) ? "fixed" : "moving";
    }
#endif
};
class LayerFilter final : public JPH::ObjectVsBroadPhaseLayerFilter {
  public:
    bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override {
        return a == kMoving || b == JPH::BroadPhaseLayer(kMoving);
    }
};
class PairFilter final : public JPH::ObjectLayerPairFilter {
  public:
    bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override { return a == kMoving || b == kMoving; }
};

/// Counts contact points during one extra step; listening costs time, so it does so only then.
class PointCounter final : public JPH::ContactListener {
  public:
    void OnContactAdded(const JPH::Body&, const JPH::Body&, const JPH::ContactManifold& manifold,
                        JPH::ContactSettings&) override {
        points_ += int64_t(manifold.mRelativeContactPointsOn1.size());
    }
    void OnContactPersisted(const JPH::Body&, const JPH::Body&, const JPH::ContactManifold& manifold,
                            JPH::ContactSettings&) override {
        points_ += int64_t(manifold.mRelativeContactPointsOn1.size());
    }
    int64_t points() const { return points_; }

  private:
    std::atomic<int64_t> points_{0};
};

JPH::Vec3 vector_of(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
void write(JPH::Vec3 v, float (&out)[3]) {
    out[0] = v.GetX();
    out[1] = v.GetY();
    out[2] = v.GetZ();
}

/// What the library needs once per process.
void initialise() {
    if (JPH::Factory::sInstance) return;
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory;
    JPH::RegisterTypes();
}

/// Points within a millimetre of each other are one by default: those of a law keep apart at every size.
JPH::ShapeSettings::ShapeResult make_hull(const EngineShape& shape, bool law) {
    JPH::Array<JPH::Vec3> points;
    float size = 0.0f;
    for (size_t i = 0; i + 2 < shape.points.size(); i += 3) {
        points.push_back({shape.points[i], shape.points[i + 1], shape.points[i + 2]});
        size = std::max(size, points.back().Length());
    }
    JPH::ConvexHullShapeSettings settings(points);
    if (law) settings.mHullTolerance = std::min(settings.mHullTolerance, 1.0e-4f * size);
    return settings.Create();
}

JPH::ShapeSettings::ShapeResult make_shape(const EngineShape& shape, bool law) {
    switch (shape.kind) {
        case ShapeKind::sphere:
            return JPH::SphereShapeSettings(shape.radius).Create();
        case ShapeKind::capsule:
            return JPH::CapsuleShapeSettings(shape.half_height, shape.radius).Create();
        case ShapeKind::hull:
            return make_hull(shape, law);
        case ShapeKind::half_space: {
            const JPH::Plane plane(JPH::Vec3::sAxisY(), 0.0f);
            return JPH::PlaneShapeSettings(plane, nullptr, shape.half_extents[0]).Create();
        }
        case ShapeKind::box:
            break;
    }
    const float thinnest = std::min({shape.half_extents[0], shape.half_extents[1], shape.half_extents[2]});
    const float rounding = std::min(JPH::cDefaultConvexRadius, 0.5f * thinnest);  // cards are thin
    return JPH::BoxShapeSettings(vector_of(shape.half_extents), rounding).Create();
}

/// Room that is reserved.
struct Room {
    uint32_t bytes, body_pairs, contacts;
};
/// In a law there is room for contacts of all with all: things of a millimetre are that near to Jolt.
Room room_for(const EngineScene& scene) {
    const auto bodies = uint32_t(scene.bodies.size());
    if (scene.law) return {64u << 20, 1024 + bodies * bodies, 1024 + bodies * bodies / 2};
    return {256u << 20, std::max(262144u, 16 * bodies), std::max(131072u, 8 * bodies)};
}

class JoltEngine final : public Engine {
  public:
    explicit JoltEngine(const EngineScene& scene)
        : memory_(room_for(scene).bytes),
          jobs_(JPH::cMaxPhysicsJobs, JPH::cMaxPhysicsBarriers, int(scene.threads) - 1) {  // and the caller
        const Room room = room_for(scene);
        system_.Init(JPH::uint(scene.bodies.size()) + 64, 0, room.body_pairs, room.contacts, layers_, layer_filter_,
                     pair_filter_);
        system_.SetGravity(vector_of(scene.gravity));
        JPH::PhysicsSettings settings = system_.GetPhysicsSettings();
        settings.mAllowSleeping = scene.sleeping;
        if (scene.accurate) settings.mUseBodyPairContactCache = false;
        system_.SetPhysicsSettings(settings);
        std::vector<JPH::ShapeRefC> shapes;
        for (const EngineShape& shape : scene.shapes) {
            const JPH::ShapeSettings::ShapeResult made = make_shape(shape, scene.law);
            if (made.HasError()) {
                fault_ = "Jolt refuses a shape: " + std::string(made.GetError().c_str());
                return;
            }
            shapes.push_back(made.Get());
        }
        JPH::BodyInterface& bodies = system_.GetBodyInterfaceNoLock();
        for (const EngineBody& body : scene.bodies)
            ids_.push_back(bodies.CreateBody(settings_of(scene, body, shapes[body.shape]))->GetID());
        std::vector<JPH::BodyID> added = ids_;  // sorted by the call below
        const auto state = bodies.AddBodiesPrepare(added.data(), int(added.size()));
        bodies.AddBodiesFinalize(added.data(), int(added.size()), state, JPH::EActivation::Activate);
        system_.OptimizeBroadPhase();
        for (const EngineBallJoint& joint : scene.joints) add(joint);
    }

    void step(float dt) override {
        const JPH::EPhysicsUpdateError error = system_.Update(dt, 1, &memory_, &jobs_);
        if (error != JPH::EPhysicsUpdateError::None)
            std::fprintf(stderr, "Jolt ran out of room for contacts (error %u).\n", unsigned(error));
    }

    BodyState state(uint32_t body) const override {
        const JPH::BodyInterface& bodies = system_.GetBodyInterfaceNoLock();
        JPH::RVec3 position;
        JPH::Quat rotation;
        bodies.GetPositionAndRotation(ids_[body], position, rotation);
        BodyState out;
        write(JPH::Vec3(position), out.position);
        out.rotation[0] = rotation.GetX();
        out.rotation[1] = rotation.GetY();
        out.rotation[2] = rotation.GetZ();
        out.rotation[3] = rotation.GetW();
        write(bodies.GetLinearVelocity(ids_[body]), out.linear_velocity);
        write(bodies.GetAngularVelocity(ids_[body]), out.angular_velocity);
        return out;
    }

    int64_t contact_points() override {
        PointCounter counter;
        system_.SetContactListener(&counter);
        step(1.0f / 60.0f);
        system_.SetContactListener(nullptr);
        return counter.points();
    }

    int64_t awake_bodies() override { return system_.GetNumActiveBodies(JPH::EBodyType::RigidBody); }
    std::string fault() const override { return fault_; }

    void set_pose(uint32_t body, const BodyState& s) override {
        const JPH::Quat rotation(s.rotation[0], s.rotation[1], s.rotation[2], s.rotation[3]);
        system_.GetBodyInterfaceNoLock().SetPositionAndRotation(ids_[body], JPH::RVec3(vector_of(s.position)),
                                                                rotation.Normalized(), JPH::EActivation::Activate);
    }
    void set_velocity(uint32_t body, const BodyState& s) override {
        system_.GetBodyInterfaceNoLock().SetLinearAndAngularVelocity(ids_[body], vector_of(s.linear_velocity),
                                                                     vector_of(s.angular_velocity));
    }
    void set_gravity(const float (&gravity)[3]) override { system_.SetGravity(vector_of(gravity)); }
    bool is_asleep(uint32_t body) const override { return !system_.GetBodyInterfaceNoLock().IsActive(ids_[body]); }

  private:
    void add(const EngineBallJoint& joint) {
        JPH::PointConstraintSettings settings;
        settings.mSpace = JPH::EConstraintSpace::LocalToBodyCOM;
        settings.mPoint1 = JPH::RVec3(vector_of(joint.anchor_a));
        settings.mPoint2 = JPH::RVec3(vector_of(joint.anchor_b));
        JPH::BodyInterface& bodies = system_.GetBodyInterfaceNoLock();
        system_.AddConstraint(bodies.CreateConstraint(&settings, ids_[joint.a], ids_[joint.b]));
    }

    static JPH::BodyCreationSettings settings_of(const EngineScene& scene, const EngineBody& body,
                                                 const JPH::ShapeRefC& shape) {
        const JPH::Quat rotation(body.rotation[0], body.rotation[1], body.rotation[2], body.rotation[3]);
        JPH::BodyCreationSettings out(shape, JPH::RVec3(vector_of(body.position)), rotation.Normalized(),
                                      body.kinematic ? JPH::EMotionType::Kinematic
                                      : body.moves   ? JPH::EMotionType::Dynamic
                                                     : JPH::EMotionType::Static,
                                      body.moves ? kMoving : kFixed);
        // Mixed as the scene asks for: friction to the geometric mean, restitution to the larger one.
        out.mFriction = body.friction;
        out.mRestitution = body.restitution;
        out.mLinearDamping = out.mAngularDamping = 0.0f;
        out.mLinearVelocity = vector_of(body.linear_velocity);
        out.mAngularVelocity = vector_of(body.angular_velocity);
        if (body.moves) {
            out.mOverrideMassProperties = JPH::EOverrideMassProperties::CalculateInertia;
            out.mMassPropertiesOverride.mMass = float(body.mass);
        }
        if (scene.law) set_law(scene, body, out);
        return out;
    }

    static void set_law(const EngineScene& scene, const EngineBody& body, JPH::BodyCreationSettings& out) {
        constexpr float kMaxSpeed = 1e5f, kMaxSpin = 1e5f;
        out.mMaxLinearVelocity = kMaxSpeed;
        out.mMaxAngularVelocity = kMaxSpin;
        out.mApplyGyroscopicForce = scene.accurate;
        if (!(body.inertia[0] > 0.0f)) return;
        out.mOverrideMassProperties = JPH::EOverrideMassProperties::MassAndInertiaProvided;
        out.mMassPropertiesOverride.mInertia = JPH::Mat44::sScale(vector_of(body.inertia));
    }

    Layers layers_;
    LayerFilter layer_filter_;
    PairFilter pair_filter_;
    JPH::TempAllocatorImpl memory_;
    JPH::JobSystemThreadPool jobs_;
    JPH::PhysicsSystem system_;
    std::vector<JPH::BodyID> ids_;  // by body of the scene
    std::string fault_;
};

}  // namespace

EngineDescription describe_jolt() {
    EngineDescription out;
    out.version = std::to_string(JPH_VERSION_MAJOR) + "." + std::to_string(JPH_VERSION_MINOR) + "." +
                  std::to_string(JPH_VERSION_PATCH);
    out.settings = std::string(JPH::GetConfigurationString()) +
                   "; 10 velocity and 2 position iterations, one collision step, defaults";
    out.law_settings = "no limit on speed and spin; points of hulls kept apart";
    out.accurate_settings = "gyroscopic force, no cache of body pairs";
    out.max_threads = 64;
    out.make = [](const EngineScene& scene) -> std::unique_ptr<Engine> {
        initialise();
        return std::make_unique<JoltEngine>(scene);
    };
    return out;
}

}  // namespace proxima::bench
