// SPDX-License-Identifier: MIT
// Bullet behind the interface of the benchmark and the laws: sequential impulses with ten iterations and split impulses,
// the dynamic tree as broadphase. Debian builds Bullet without thread safety, so it runs on one thread.
#include <LinearMath/btConvexHullComputer.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>

#include "samples/bench/peers/engine.h"

namespace proxima::bench {

namespace {

constexpr float kHullMargin = 0.04f;  // m, Bullet's own

btVector3 vector_of(const float (&v)[3]) { return {v[0], v[1], v[2]}; }
void write(const btVector3& v, float (&out)[3]) {
    out[0] = v.x();
    out[1] = v.y();
    out[2] = v.z();
}

/// A tenth of the least half width of a law's hull, as Bullet has it for boxes, at most its usual one.
float hull_margin(const EngineShape& shape, bool law) {
    if (!law) return kHullMargin;
    float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f}, thinnest = 1e30f;
    for (size_t i = 0; i < shape.points.size(); ++i) {
        low[i % 3] = std::min(low[i % 3], shape.points[i]);
        high[i % 3] = std::max(high[i % 3], shape.points[i]);
    }
    for (int k = 0; k < 3; ++k) thinnest = std::min(thinnest, 0.5f * (high[k] - low[k]));
    return std::min(kHullMargin, 0.1f * thinnest);
}

/// Bullet puts its margin around the points of a hull; they are moved in by it, so that the outside stays
/// where the scene has it.
std::unique_ptr<btCollisionShape> make_hull(const EngineShape& shape, float margin) {
    btConvexHullComputer shrunk;
    shrunk.compute(shape.points.data(), int(3 * sizeof(float)), int(shape.points.size() / 3), margin, 0.0f);
    auto hull = std::make_unique<btConvexHullShape>();
    for (int i = 0; i < shrunk.vertices.size(); ++i) hull->addPoint(shrunk.vertices[i], false);
    hull->setMargin(margin);
    hull->recalcLocalAabb();
    hull->optimizeConvexHull();
    return hull;
}

/// Half-spaces are planes where only balls and capsules fall on them, which large boxes hold badly. What has faces falls
/// on boxes: of a plane it would get one point a step, of a box four at once.
bool all_round(const EngineScene& scene) {
    return std::none_of(scene.bodies.begin(), scene.bodies.end(), [&](const EngineBody& body) {
        const ShapeKind kind = scene.shapes[body.shape].kind;
        return body.moves && (kind == ShapeKind::box || kind == ShapeKind::hull);
    });
}

std::unique_ptr<btCollisionShape> make_shape(const EngineShape& shape, bool law, bool planes) {
    switch (shape.kind) {
        case ShapeKind::sphere:
            return std::make_unique<btSphereShape>(shape.radius);
        case ShapeKind::capsule:
            return std::make_unique<btCapsuleShape>(shape.radius, 2.0f * shape.half_height);
        case ShapeKind::hull:
            return make_hull(shape, hull_margin(shape, law));
        case ShapeKind::half_space:
            if (planes) return std::make_unique<btStaticPlaneShape>(btVector3(0.0f, 1.0f, 0.0f), 0.0f);
            break;
        case ShapeKind::box:
            break;
    }
    auto box = std::make_unique<btBoxShape>(vector_of(shape.half_extents));
    const float thinnest = std::min({shape.half_extents[0], shape.half_extents[1], shape.half_extents[2]});
    if (thinnest < 2.0f * kHullMargin) box->setMargin(thinnest / 2.0f);  // cards are thinner than the margin
    return box;
}

btDefaultCollisionConstructionInfo pools(bool law) {
    btDefaultCollisionConstructionInfo info;
    info.m_defaultMaxPersistentManifoldPoolSize = law ? 1024 : 80000;
    info.m_defaultMaxCollisionAlgorithmPoolSize = law ? 1024 : 80000;
    return info;
}

btQuaternion rotation_of(const float (&q)[4]) { return btQuaternion(q[0], q[1], q[2], q[3]).normalized(); }

/// Of two, where Bullet would take their product.
btScalar larger_restitution(const btCollisionObject* a, const btCollisionObject* b) {
    return std::max(a->getRestitution(), b->getRestitution());
}

class BulletEngine final : public Engine {
  public:
    explicit BulletEngine(const EngineScene& scene)
        : configuration_(pools(scene.law)),
          dispatcher_(&configuration_),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
        gCalculateCombinedRestitutionCallback = larger_restitution;
        world_.setGravity(vector_of(scene.gravity));
        world_.setInternalTickCallback(give_velocities, this, true);
        has_planes_ = all_round(scene);
        for (const EngineShape& shape : scene.shapes) shapes_.push_back(make_shape(shape, scene.law, has_planes_));
        for (const EngineBody& body : scene.bodies) add(scene, body);
        for (const EngineBallJoint& joint : scene.joints) add(joint);
    }
    ~BulletEngine() override {
        for (const auto& joint : joints_) world_.removeConstraint(joint.get());
        for (const auto& body : bodies_) world_.removeRigidBody(body.get());
    }

    void step(float dt) override {
        world_.stepSimulation(dt, 0, dt);
        for (const Kinematic& kinematic : kinematics_) move(kinematic, dt);
    }

    BodyState state(uint32_t body) const override {
        const btRigidBody& b = *bodies_[body];
        const btQuaternion rotation = b.getWorldTransform().getRotation();
        BodyState out;
        write(b.getWorldTransform().getOrigin(), out.position);
        out.rotation[0] = rotation.x();
        out.rotation[1] = rotation.y();
        out.rotation[2] = rotation.z();
        out.rotation[3] = rotation.w();
        write(b.getLinearVelocity(), out.linear_velocity);
        write(b.getAngularVelocity(), out.angular_velocity);
        return out;
    }

    int64_t contact_points() override {
        int64_t count = 0;
        for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
            count += dispatcher_.getManifoldByIndexInternal(i)->getNumContacts();
        return count;
    }

    int64_t awake_bodies() override {
        return std::count_if(bodies_.begin(), bodies_.end(),
                             [](const auto& b) { return !b->isStaticObject() && b->isActive(); });
    }

    void set_pose(uint32_t body, const BodyState& s) override {
        const btTransform pose(rotation_of(s.rotation), vector_of(s.position));
        bodies_[body]->setWorldTransform(pose);
        bodies_[body]->setInterpolationWorldTransform(pose);
        bodies_[body]->activate(true);
    }
    void set_velocity(uint32_t body, const BodyState& s) override {
        for (Kinematic& kinematic : kinematics_)
            if (kinematic.body == body) {
                kinematic.linear = vector_of(s.linear_velocity);
                kinematic.angular = vector_of(s.angular_velocity);
                return;
            }
        bodies_[body]->setLinearVelocity(vector_of(s.linear_velocity));
        bodies_[body]->setAngularVelocity(vector_of(s.angular_velocity));
        bodies_[body]->activate(true);
    }
    void set_gravity(const float (&gravity)[3]) override { world_.setGravity(vector_of(gravity)); }
    bool is_asleep(uint32_t body) const override { return !bodies_[body]->isActive(); }

  private:
    struct Kinematic {
        uint32_t body = 0;
        btVector3 linear, angular;
    };
    /// During a step a kinematic body stands where the step begins, as all others do. Bullet's manual puts it where the step
    /// ends; what lies on it is then a step ahead of it (fewer laws of platforms hold).
    void move(const Kinematic& kinematic, float dt) {
        btTransform pose = bodies_[kinematic.body]->getWorldTransform();
        const float spin = kinematic.angular.length();
        pose.setOrigin(pose.getOrigin() + dt * kinematic.linear);
        if (spin > 0.0f)
            pose.setRotation((btQuaternion(kinematic.angular / spin, spin * dt) * pose.getRotation()).normalized());
        bodies_[kinematic.body]->setWorldTransform(pose);
    }
    /// Bullet takes the velocity of a kinematic body from where it was and is; in single precision turns of less than
    /// 0.04 degrees a step are lost on the way. Here it is given, before contacts are solved.
    static void give_velocities(btDynamicsWorld* world, btScalar) {
        auto& engine = *static_cast<BulletEngine*>(world->getWorldUserInfo());
        for (const Kinematic& kinematic : engine.kinematics_) {
            engine.bodies_[kinematic.body]->setLinearVelocity(kinematic.linear);
            engine.bodies_[kinematic.body]->setAngularVelocity(kinematic.angular);
        }
    }

    void add(const EngineScene& scene, const EngineBody& body) {
        btCollisionShape* shape = shapes_[body.shape].get();
        const bool dynamic = body.moves && !body.kinematic;
        const auto mass = btScalar(dynamic ? body.mass : 0.0);
        btVector3 inertia(0.0f, 0.0f, 0.0f);
        if (dynamic) shape->calculateLocalInertia(mass, inertia);
        if (body.inertia[0] > 0.0f) inertia = vector_of(body.inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        info.m_startWorldTransform = btTransform(
            {body.rotation[0], body.rotation[1], body.rotation[2], body.rotation[3]}, vector_of(body.position));
        if (const EngineShape& box = scene.shapes[body.shape]; box.kind == ShapeKind::half_space && !has_planes_)
            info.m_startWorldTransform *= btTransform(btQuaternion::getIdentity(), {0.0f, -box.half_extents[1], 0.0f});
        info.m_friction = std::sqrt(body.friction);  // Bullet multiplies the two coefficients
        info.m_restitution = body.restitution;
        auto made = std::make_unique<btRigidBody>(info);
        made->setLinearVelocity(vector_of(body.linear_velocity));
        made->setAngularVelocity(vector_of(body.angular_velocity));
        if (body.kinematic) {
            made->setCollisionFlags(made->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
            kinematics_.push_back(
                {uint32_t(bodies_.size()), vector_of(body.linear_velocity), vector_of(body.angular_velocity)});
        }
        if (!scene.sleeping || body.kinematic) made->setActivationState(DISABLE_DEACTIVATION);
        world_.addRigidBody(made.get());
        bodies_.push_back(std::move(made));
    }

    void add(const EngineBallJoint& joint) {
        joints_.push_back(std::make_unique<btPoint2PointConstraint>(
            *bodies_[joint.a], *bodies_[joint.b], vector_of(joint.anchor_a), vector_of(joint.anchor_b)));
        world_.addConstraint(joints_.back().get(), true);
    }

    bool has_planes_ = false;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    std::vector<Kinematic> kinematics_;
    std::vector<std::unique_ptr<btPoint2PointConstraint>> joints_;
};

}  // namespace

EngineDescription describe_bullet() {
    EngineDescription out;
    out.version = std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
    out.settings =
        "sequential impulses, 10 iterations, split impulse, btDbvtBroadphase; hulls moved in by their margin";
    out.law_settings =
        "margins of hulls at most a tenth of their width; half-spaces are planes below balls and capsules, boxes below "
        "the rest";
    out.max_threads = 1;
    out.make = [](const EngineScene& scene) -> std::unique_ptr<Engine> {
        return std::make_unique<BulletEngine>(scene);
    };
    return out;
}

}  // namespace proxima::bench
