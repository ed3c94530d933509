// SPDX-License-Identifier: MIT
// What a scene must fulfil before a body is made of it. The first offending value is named by its path.
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "physics/contact/material.h"
#include "physics/limits.h"
#include "physics/scene/scene.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::physics {

namespace {

/// "1.5", "nan", "-inf": a number as the shortest text that gives it back.
std::string text_of(float value) {
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
    return error == std::errc() ? std::string(buffer, end) : "?";
}
std::string text_of(const Vec3& v) { return "[" + text_of(v.x) + ", " + text_of(v.y) + ", " + text_of(v.z) + "]"; }
std::string text_of(const Quat& q) {
    return "[" + text_of(q.x) + ", " + text_of(q.y) + ", " + text_of(q.z) + ", " + text_of(q.w) + "]";
}

/// Collects the first complaint; paths are only put together when something is wrong.
class Checker {
  public:
    bool failed() const { return !message_.empty(); }
    const std::string& message() const { return message_; }

    template <class Value>
    bool require(bool good, const std::string& path, const Value& value, const char* rule) {
        if (!good && !failed()) message_ = path + " is " + text_of(value) + "; it must be " + rule + ".";
        return good;
    }
    void fail(const std::string& sentence) {
        if (!failed()) message_ = sentence;
    }

  private:
    std::string message_;
};

bool positive(float x) { return is_finite(x) && x > 0.0f; }
bool not_negative(float x) { return is_finite(x) && x >= 0.0f; }
bool is_unit(const Quat& q) {
    const double n = double(q.x) * q.x + double(q.y) * q.y + double(q.z) * q.z + double(q.w) * q.w;
    return is_finite(q) && std::abs(n - 1.0) < 2e-3;
}
constexpr const char* kUnitRule = "a unit quaternion [x, y, z, w], such as [0, 0, 0, 1] for no rotation";
constexpr const char* kFiniteRule = "finite";
constexpr const char* kNearRule = "finite and within 1e7 m of the origin";
constexpr const char* kSlowRule = "finite and at most 1e6";
bool is_within(const Vec3& v, float most) {
    return std::abs(v.x) <= most && std::abs(v.y) <= most && std::abs(v.z) <= most;
}

void check_collider(const SceneDesc& scene, const SceneBody& body, const SceneCollider& c, const std::string& path,
                    Checker& checker) {
    if (c.shape >= scene.shapes.size()) {
        checker.fail(path + ".shape is " + std::to_string(c.shape) + "; the scene has " +
                     std::to_string(scene.shapes.size()) + " shapes, counted from 0.");
        return;
    }
    checker.require(is_within(c.position, kMaxCoordinate), path + ".position", c.position, kNearRule);
    checker.require(is_unit(c.rotation), path + ".rotation", c.rotation, kUnitRule);
    checker.require(positive(c.scale.x) && positive(c.scale.y) && positive(c.scale.z), path + ".scale", c.scale,
                    "positive and finite along all three axes");
    checker.require(positive(c.density), path + ".density", c.density, "positive and finite, in kg/m3");
    checker.require(not_negative(c.material.friction), path + ".material.friction", c.material.friction,
                    "zero or positive, and finite");
    checker.require(c.material.restitution >= 0.0f && c.material.restitution <= 1.0f, path + ".material.restitution",
                    c.material.restitution, "between 0 and 1");
    checker.require(is_finite(c.material.friction_direction), path + ".material.friction_direction",
                    c.material.friction_direction, "finite, a direction of the collider, or zero for no grain");
    checker.require(not_negative(c.material.friction_across), path + ".material.friction_across",
                    c.material.friction_across, "zero or positive, and finite");
    checker.require(not_negative(c.material.torsional_friction), path + ".material.torsional_friction",
                    c.material.torsional_friction, "zero or positive, and finite, in m");
    checker.require(not_negative(c.material.rolling_friction), path + ".material.rolling_friction",
                    c.material.rolling_friction, "zero or positive, and finite, in m");
    checker.require(is_within(c.material.surface_velocity, kMaxSpeed), path + ".material.surface_velocity",
                    c.material.surface_velocity, "finite and at most 1,000,000 m/s, or zero for a surface at rest");
    if (c.group < -32768 || c.group > 32767)
        checker.fail(path + ".group is " + std::to_string(c.group) + "; it must lie between -32768 and 32767.");
    checker.require(is_within(c.rules.one_way, kMaxCoordinate), path + ".one_way", c.rules.one_way,
                    "finite, a direction of the collider, or zero for none");
    checker.require(not_negative(c.rules.hit_speed), path + ".hit_speed", c.rules.hit_speed,
                    "positive and finite, in m/s, or 0 for the scene's");
    checker.require(not_negative(c.rules.force_threshold), path + ".force_threshold", c.rules.force_threshold,
                    "positive and finite, in N, or 0 for none");
    checker.require(not_negative(c.rules.break_impulse), path + ".break_impulse", c.rules.break_impulse,
                    "positive and finite, in N s, or 0 for what does not break");
    if (has_extended_friction(c.material) && !find_solver(scene.settings.solver)->extra_friction)
        checker.fail(path + ".material has a grain, torsional or rolling friction, which the solver '" +
                     scene.settings.solver + "' does not know; prox_gs and prox_jacobi do.");
    const ShapeClass& shape = shape_class(scene.shapes[c.shape].type);
    if (!shape.may_move && body.type != BodyType::fixed)
        checker.fail(path + ".shape is a " + shape.label + " on a body that can move; a " + shape.label +
                     " goes on fixed bodies only.");
    if (shape.scaling == ShapeScaling::uniform && (c.scale.x != c.scale.y || c.scale.y != c.scale.z))
        checker.fail(path + ".scale is " + text_of(c.scale) + " on a " + shape.name +
                     "; round shapes and compounds take the same factor along all three axes.");
}

void check_body(const SceneDesc& scene, const SceneBody& body, const std::string& path, Checker& checker) {
    checker.require(is_within(body.position, kMaxCoordinate), path + ".position", body.position, kNearRule);
    checker.require(is_unit(body.rotation), path + ".rotation", body.rotation, kUnitRule);
    checker.require(is_within(body.linear_velocity, kMaxSpeed), path + ".linear_velocity", body.linear_velocity,
                    kSlowRule);
    checker.require(is_within(body.angular_velocity, kMaxSpeed), path + ".angular_velocity", body.angular_velocity,
                    kSlowRule);
    checker.require(not_negative(body.mass), path + ".mass", body.mass,
                    "positive and finite, in kg, or 0 to take it from the densities");
    checker.require(is_finite(body.gravity_scale), path + ".gravity_scale", body.gravity_scale, kFiniteRule);
    checker.require(not_negative(body.linear_damping), path + ".linear_damping", body.linear_damping,
                    "zero or positive, and finite");
    checker.require(not_negative(body.angular_damping), path + ".angular_damping", body.angular_damping,
                    "zero or positive, and finite");
    checker.require(not_negative(body.max_linear_speed), path + ".max_linear_speed", body.max_linear_speed,
                    "zero for none or positive, and finite");
    checker.require(not_negative(body.max_angular_speed), path + ".max_angular_speed", body.max_angular_speed,
                    "zero for none or positive, and finite");
    for (size_t k = 0; k < body.colliders.size() && !checker.failed(); ++k)
        check_collider(scene, body, body.colliders[k], path + ".colliders[" + std::to_string(k) + "]", checker);
    if (body.type == BodyType::dynamic && body.colliders.empty())
        checker.fail(path +
                     " is dynamic and has no colliders; give it at least one, they are what its mass comes from.");
}

/// The key of what is wrong with a joint: its numbers become their defaults one after another, until it has another fault or none.
template <class Joint>
class FaultyKey {
  public:
    explicit FaultyKey(const Joint& joint) : joint_(joint), fault_(check_fields(joint)) {}
    /// Empty when no number alone is at fault.
    std::string find() {
        if (fault_) visit_fields(*this, joint_);
        return key_;
    }
    const char* fault() const { return fault_; }

    template <class T>
    void field(std::string_view key, T& value, const T& usual) {
        // What a flag switches off is no fault of the flag.
        if (std::is_same_v<T, bool> || !key_.empty()) return;
        value = usual;
        if (check_fields(joint_) != fault_) key_ = "." + std::string(key);
    }

  private:
    Joint joint_;
    const char* fault_;
    std::string key_;
};

void check_joint(const SceneDesc& scene, const SceneJoint& joint, const std::string& path, Checker& checker) {
    for (const auto& [key, body] : {std::pair{".body_a", joint.body_a}, std::pair{".body_b", joint.body_b}})
        if (body >= scene.bodies.size())
            checker.fail(path + key + " is " + std::to_string(body) + "; the scene has " +
                         std::to_string(scene.bodies.size()) + " bodies, counted from 0.");
    if (joint.body_a == joint.body_b) checker.fail(path + " joins a body to itself; it needs two different ones.");
    std::visit(
        [&](const auto& fields) {
            FaultyKey faulty(fields);
            if (const char* wrong = faulty.fault()) checker.fail(path + faulty.find() + ": " + wrong);
        },
        joint.joint);
}

void check_shape(const ShapeDesc& shape, const std::string& path, ShapeCheck check, Checker& checker) {
    if (size_t(shape.type) >= kShapeClasses.size() || check == ShapeCheck::cook)
        if (const Result<Shape> cooked = cook(shape); !cooked) checker.fail(path + ": " + cooked.error());
}

}  // namespace

Result<void> check(const SceneDesc& scene, ShapeCheck shapes) {
    if (Result<void> settings = check(scene.settings); !settings) return Error{"settings: " + settings.error()};
    Checker checker;
    checker.require(positive(scene.run.dt), "run.dt", scene.run.dt, "positive and finite, in seconds");
    checker.require(positive(scene.run.stand_tolerance), "run.stand_tolerance", scene.run.stand_tolerance,
                    "positive and finite, in metres");
    if (scene.run.steps == 0) checker.fail("run.steps is 0; a scene runs for at least one step.");
    if (scene.run.settled_from > scene.run.steps)
        checker.fail("run.settled_from is " + std::to_string(scene.run.settled_from) + "; it must not lie after the " +
                     std::to_string(scene.run.steps) + " steps of run.steps.");

    for (size_t i = 0; i < scene.shapes.size() && !checker.failed(); ++i)
        check_shape(scene.shapes[i], "shapes[" + std::to_string(i) + "]", shapes, checker);
    for (size_t i = 0; i < scene.bodies.size() && !checker.failed(); ++i)
        check_body(scene, scene.bodies[i], "bodies[" + std::to_string(i) + "]", checker);
    for (size_t i = 0; i < scene.joints.size() && !checker.failed(); ++i)
        check_joint(scene, scene.joints[i], "joints[" + std::to_string(i) + "]", checker);
    if (checker.failed()) return Error{checker.message()};
    return {};
}

}  // namespace proxima::physics
