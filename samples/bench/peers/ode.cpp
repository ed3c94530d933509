// SPDX-License-Identifier: MIT
// The Open Dynamics Engine behind the interface of the benchmark: quick step with its default of twenty
// iterations, hash space, at most eight contacts a pair. Its convex hulls are not dependable, so scenes with
// hulls are left out.
#include <ode/ode.h>

#include <numbers>

#include "samples/bench/peers/engine.h"

namespace proxima::bench {

namespace {

class OdeEngine final : public Engine {
  public:
    explicit OdeEngine(const EngineScene& scene)
        : world_(dWorldCreate()),
          space_(dHashSpaceCreate(nullptr)),
          contacts_(dJointGroupCreate(0)),
          friction_(scene.bodies.empty() ? 0.0f : scene.bodies[0].friction) {
        dHashSpaceSetLevels(space_, -1, 8);
        dWorldSetGravity(world_, scene.gravity[0], scene.gravity[1], scene.gravity[2]);
        dWorldSetAutoDisableFlag(world_, scene.sleeping ? 1 : 0);
        for (const EngineBody& body : scene.bodies) add(scene.shapes[body.shape], body);
    }
    ~OdeEngine() override {
        dJointGroupDestroy(contacts_);
        dSpaceDestroy(space_);
        dWorldDestroy(world_);
    }

    void step(float dt) override {
        points_ = 0;
        dSpaceCollide(space_, this, collide);
        dWorldQuickStep(world_, dReal(dt));
        dJointGroupEmpty(contacts_);
    }

    BodyState state(uint32_t i) const override {
        BodyState out;
        dQuaternion fixed_rotation;
        const dReal* position = nullptr;
        const dReal* rotation = nullptr;
        if (bodies_[i]) {
            position = dBodyGetPosition(bodies_[i]);
            rotation = dBodyGetQuaternion(bodies_[i]);
            const dReal* linear = dBodyGetLinearVel(bodies_[i]);
            const dReal* angular = dBodyGetAngularVel(bodies_[i]);
            for (int k = 0; k < 3; ++k) {
                out.linear_velocity[k] = float(linear[k]);
                out.angular_velocity[k] = float(angular[k]);
            }
        } else {
            position = dGeomGetPosition(geoms_[i]);
            dGeomGetQuaternion(geoms_[i], fixed_rotation);
            rotation = fixed_rotation;
        }
        for (int k = 0; k < 3; ++k) {
            out.position[k] = float(position[k]);
            out.rotation[k] = float(rotation[k + 1]);  // ODE puts w first
        }
        out.rotation[3] = float(rotation[0]);
        return out;
    }

    int64_t contact_points() override { return points_; }

    int64_t awake_bodies() override {
        int64_t count = 0;
        for (dBodyID body : bodies_) count += body && dBodyIsEnabled(body);
        return count;
    }

  private:
    static void collide(void* self, dGeomID a, dGeomID b) {
        auto& engine = *static_cast<OdeEngine*>(self);
        dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
        if (!body_a && !body_b) return;
        constexpr int kMaxPoints = 8;
        dContact contacts[kMaxPoints];
        const int count = dCollide(a, b, kMaxPoints, &contacts[0].geom, sizeof(dContact));
        engine.points_ += count;
        for (int i = 0; i < count; ++i) {
            contacts[i].surface.mode = dContactApprox1;  // a friction pyramid whose size follows the normal force
            contacts[i].surface.mu = engine.friction_;
            dJointAttach(dJointCreateContact(engine.world_, engine.contacts_, &contacts[i]), body_a, body_b);
        }
    }

    void add(const EngineShape& shape, const EngineBody& body) {
        const auto& h = shape.half_extents;
        const dReal radius = shape.radius, length = 2.0 * dReal(shape.half_height), density = body.density;
        dGeomID geom = nullptr;
        dMass mass;
        dMassSetZero(&mass);
        if (shape.kind == ShapeKind::box) {
            const dReal x = 2.0 * dReal(h[0]), y = 2.0 * dReal(h[1]), z = 2.0 * dReal(h[2]);
            geom = dCreateBox(space_, x, y, z);
            dMassSetBox(&mass, density, x, y, z);
        } else if (shape.kind == ShapeKind::sphere) {
            geom = dCreateSphere(space_, radius);
            dMassSetSphere(&mass, density, radius);
        } else {
            geom = dCreateCapsule(space_, radius, length);
            dMassSetCapsule(&mass, density, 2, radius, length);  // 2: along y
        }
        const dQuaternion rotation = {dReal(body.rotation[3]), dReal(body.rotation[0]), dReal(body.rotation[1]),
                                      dReal(body.rotation[2])};
        dBodyID made = nullptr;
        if (body.moves) {
            made = dBodyCreate(world_);
            dBodySetMass(made, &mass);
            dGeomSetBody(geom, made);
            if (shape.kind == ShapeKind::capsule) {  // along z in ODE, along y in the scene
                dQuaternion turn;
                dQFromAxisAndAngle(turn, 1.0, 0.0, 0.0, std::numbers::pi / 2.0);
                dGeomSetOffsetQuaternion(geom, turn);
            }
            dBodySetPosition(made, body.position[0], body.position[1], body.position[2]);
            dBodySetQuaternion(made, rotation);
            dBodySetLinearVel(made, body.linear_velocity[0], body.linear_velocity[1], body.linear_velocity[2]);
            dBodySetAngularVel(made, body.angular_velocity[0], body.angular_velocity[1], body.angular_velocity[2]);
        } else {
            dGeomSetPosition(geom, body.position[0], body.position[1], body.position[2]);
            dGeomSetQuaternion(geom, rotation);
        }
        bodies_.push_back(made);
        geoms_.push_back(geom);
    }

    dWorldID world_;
    dSpaceID space_;
    dJointGroupID contacts_;
    dReal friction_;               // scenes of the benchmark have one for all surfaces
    std::vector<dBodyID> bodies_;  // by body of the scene; null for those that do not move
    std::vector<dGeomID> geoms_;
    int64_t points_ = 0;
};

}  // namespace

EngineDescription describe_ode() {
    EngineDescription out;
    out.version =
        dGetConfiguration()
            ? "0.16 (" + std::string(dCheckConfiguration("ODE_double_precision") ? "double" : "single") + " precision)"
            : "unknown";
    out.settings = "quick step, 20 iterations, hash space, at most 8 contacts a pair";
    out.max_threads = 1;
    out.takes_hulls = false;
    out.takes_laws = false;
    out.make = [](const EngineScene& scene) -> std::unique_ptr<Engine> {
        static const int ready = dInitODE2(0) && dAllocateODEDataForThread(dAllocateMaskAll);
        return ready ? std::make_unique<OdeEngine>(scene) : nullptr;
    };
    return out;
}

}  // namespace proxima::bench
