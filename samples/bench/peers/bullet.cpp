// SPDX-License-Identifier: MIT
// Bullet behind the interface of the benchmark: sequential impulses with ten iterations and split impulses,
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

/// Bullet puts its margin around the points of a hull; they are moved in by it, so that the outside stays
/// where the scene has it.
std::unique_ptr<btCollisionShape> make_hull(const EngineShape& shape) {
    btConvexHullComputer shrunk;
    shrunk.compute(shape.points.data(), int(3 * sizeof(float)), int(shape.points.size() / 3), kHullMargin, 0.0f);
    auto hull = std::make_unique<btConvexHullShape>();
    for (int i = 0; i < shrunk.vertices.size(); ++i) hull->addPoint(shrunk.vertices[i], false);
    hull->setMargin(kHullMargin);
    hull->recalcLocalAabb();
    hull->optimizeConvexHull();
    return hull;
}

std::unique_ptr<btCollisionShape> make_shape(const EngineShape& shape) {
    switch (shape.kind) {
        case ShapeKind::sphere:
            return std::make_unique<btSphereShape>(shape.radius);
        case ShapeKind::capsule:
            return std::make_unique<btCapsuleShape>(shape.radius, 2.0f * shape.half_height);
        case ShapeKind::hull:
            return make_hull(shape);
        case ShapeKind::box:
            break;
    }
    auto box = std::make_unique<btBoxShape>(vector_of(shape.half_extents));
    const float thinnest = std::min({shape.half_extents[0], shape.half_extents[1], shape.half_extents[2]});
    if (thinnest < 2.0f * kHullMargin) box->setMargin(thinnest / 2.0f);  // cards are thinner than the margin
    return box;
}

btDefaultCollisionConstructionInfo large_pools() {
    btDefaultCollisionConstructionInfo info;
    info.m_defaultMaxPersistentManifoldPoolSize = 80000;
    info.m_defaultMaxCollisionAlgorithmPoolSize = 80000;
    return info;
}

class BulletEngine final : public Engine {
  public:
    explicit BulletEngine(const EngineScene& scene)
        : configuration_(large_pools()),
          dispatcher_(&configuration_),
          world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
        world_.setGravity(vector_of(scene.gravity));
        for (const EngineShape& shape : scene.shapes) shapes_.push_back(make_shape(shape));
        for (const EngineBody& body : scene.bodies) {
            btCollisionShape* shape = shapes_[body.shape].get();
            const auto mass = btScalar(body.moves ? body.mass : 0.0);
            btVector3 inertia(0.0f, 0.0f, 0.0f);
            if (body.moves) shape->calculateLocalInertia(mass, inertia);
            btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
            info.m_startWorldTransform = btTransform(
                {body.rotation[0], body.rotation[1], body.rotation[2], body.rotation[3]}, vector_of(body.position));
            info.m_friction = std::sqrt(scene.friction);  // Bullet multiplies the two coefficients
            info.m_restitution = 0.0f;
            auto made = std::make_unique<btRigidBody>(info);
            made->setLinearVelocity(vector_of(body.linear_velocity));
            made->setAngularVelocity(vector_of(body.angular_velocity));
            if (!scene.sleeping) made->setActivationState(DISABLE_DEACTIVATION);
            world_.addRigidBody(made.get());
            bodies_.push_back(std::move(made));
        }
    }
    ~BulletEngine() override {
        for (const auto& body : bodies_) world_.removeRigidBody(body.get());
    }

    void step(float dt) override { world_.stepSimulation(dt, 0, dt); }

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

  private:
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    btDiscreteDynamicsWorld world_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

EngineDescription describe_bullet() {
    EngineDescription out;
    out.version = std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
    out.settings =
        "sequential impulses, 10 iterations, split impulse, btDbvtBroadphase; hulls moved in by their margin";
    out.max_threads = 1;
    out.make = [](const EngineScene& scene) -> std::unique_ptr<Engine> {
        return std::make_unique<BulletEngine>(scene);
    };
    return out;
}

}  // namespace proxima::bench
