// SPDX-License-Identifier: MIT
#include "physics/bodies/mass.h"

#include <cmath>

#include "physics/limits.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::physics {

void MassAccumulator::add(const MassProperties& shape, const Transform& local, float density) {
    const double m = double(shape.volume) * density;
    const Vec3 at = to_world(local, shape.center);
    const Sym3 turned = rotate(shape.inertia, local.rotation);
    mass += m;
    const double p[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; ++k) moment[k] += m * p[k];
    // Parallel axes, about the body's origin; result() moves it to the centre of mass.
    const double own[6] = {turned.xx, turned.yy, turned.zz, turned.xy, turned.xz, turned.yz};
    const double shift[6] = {p[1] * p[1] + p[2] * p[2],
                             p[0] * p[0] + p[2] * p[2],
                             p[0] * p[0] + p[1] * p[1],
                             -p[0] * p[1],
                             -p[0] * p[2],
                             -p[1] * p[2]};
    for (int k = 0; k < 6; ++k) inertia[k] += own[k] * density + m * shift[k];
}

Mass MassAccumulator::result() const {
    Mass out;
    if (mass <= 0.0) {  // no colliders: a sphere of 1 kg and radius 0.5 m
        out.mass = 1.0f;
        out.inertia = {0.1f, 0.1f, 0.1f, 0.0f, 0.0f, 0.0f};
        return out;
    }
    const double x = moment[0] / mass, y = moment[1] / mass, z = moment[2] / mass;
    out.mass = float(mass);
    out.center = {float(x), float(y), float(z)};
    out.inertia = {float(inertia[0] - mass * (y * y + z * z)), float(inertia[1] - mass * (x * x + z * z)),
                   float(inertia[2] - mass * (x * x + y * y)), float(inertia[3] + mass * x * y),
                   float(inertia[4] + mass * x * z),           float(inertia[5] + mass * y * z)};
    return out;
}

void scale_mass(Mass& mass, float total) {
    const float f = total / mass.mass;
    mass.mass = total;
    Sym3& i = mass.inertia;
    i = {i.xx * f, i.yy * f, i.zz * f, i.xy * f, i.xz * f, i.yz * f};
}

Mass mass_of_colliders(const Mass& given, std::span<const Collider> colliders, const ShapeLibrary& shapes) {
    if (given.source == MassSource::given) return given;
    MassAccumulator sum;
    for (const Collider& collider : colliders) {
        if (!shapes.contains(collider.shape)) continue;
        const Shape& shape = shapes.get(collider.shape);
        if (shape_class(shape).unbounded || collider.is_sensor) continue;
        sum.add(shape.mass, {collider.local.position, collider.local.rotation}, collider.density);
    }
    Mass derived = sum.result();
    derived.source = given.source;
    if (given.source == MassSource::total) scale_mass(derived, given.mass);
    return derived;
}

Mass mass_of_desc(const BodyDesc& desc, const ShapeLibrary& shapes) {
    Mass given;
    if (desc.mass > 0.0f) {
        given.source = MassSource::total;
        given.mass = desc.mass;
    }
    return mass_of_colliders(given, desc.colliders, shapes);
}

Sym3 free_inverse_inertia(const Sym3& inertia, const Quat& rotation, uint32_t locked_axes) {
    const Sym3 i = rotate(inertia, rotation);
    const bool x = (locked_axes & kLockRotationX) == 0, y = (locked_axes & kLockRotationY) == 0,
               z = (locked_axes & kLockRotationZ) == 0;
    if (x && y && z) return inverse(i);
    Sym3 out{0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    // At most two axes are left, and at most one product of inertia.
    const auto two = [](float a, float b, float c, float& ia, float& ib, float& ic) {
        const double det = double(a) * b - double(c) * c;
        ia = float(b / det);
        ib = float(a / det);
        ic = float(-c / det);
    };
    if (x && y) two(i.xx, i.yy, i.xy, out.xx, out.yy, out.xy);
    if (x && z) two(i.xx, i.zz, i.xz, out.xx, out.zz, out.xz);
    if (y && z) two(i.yy, i.zz, i.yz, out.yy, out.zz, out.yz);
    if (x && !y && !z) out.xx = 1.0f / i.xx;
    if (y && !x && !z) out.yy = 1.0f / i.yy;
    if (z && !x && !y) out.zz = 1.0f / i.zz;
    return out;
}

namespace {

/// Whether matter can have these moments of inertia: half of their sum less them is the tensor of the squares of its
/// coordinates, of which no direction has less than none.
bool can_be_inertia(const Sym3& i) {
    constexpr double kRounding = 1e-3;  // of the sum
    const double sum = double(i.xx) + i.yy + i.zz, half = (0.5 + kRounding) * sum;
    const double x = half - i.xx, y = half - i.yy, z = half - i.zz;
    const double det = x * (y * z - double(i.yz) * i.yz) - double(i.xy) * (double(i.xy) * z + double(i.yz) * i.xz) -
                       double(i.xz) * (double(i.xy) * i.yz + y * double(i.xz));
    return x >= 0.0 && x * y - double(i.xy) * i.xy >= 0.0 && det >= 0.0;
}

}  // namespace

bool is_sensible(const Mass& mass) {
    const Sym3& i = mass.inertia;
    const Vec3& c = mass.center;
    const auto near = [](float x) { return std::abs(x) <= kMaxCoordinate; };
    const bool in_range = near(c.x) && near(c.y) && near(c.z) && mass.mass >= kMinMass && mass.mass <= kMaxMass;
    const bool finite =
        in_range && proxima::is_finite(Vec3(i.xx, i.yy, i.zz)) && proxima::is_finite(Vec3(i.xy, i.xz, i.yz));
    const double det = double(i.xx) * (double(i.yy) * i.zz - double(i.yz) * i.yz) -
                       double(i.xy) * (double(i.xy) * i.zz - double(i.yz) * i.xz) +
                       double(i.xz) * (double(i.xy) * i.yz - double(i.yy) * i.xz);
    return finite && i.xx > 0.0f && i.yy > 0.0f && i.zz > 0.0f && det > 0.0 && proxima::is_finite(1.0f / mass.mass) &&
           proxima::is_finite(inverse(i).xx) && can_be_inertia(i);
}

}  // namespace proxima::physics
