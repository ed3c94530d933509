// SPDX-License-Identifier: MIT
#include "physics/contact/capture.h"

#include <algorithm>
#include <cmath>

#include "physics/contact/island_matrix.h"

namespace proxima::physics {

namespace {

double dot(const Vec3& a, const Vec3& b) {
    return double(a.x) * double(b.x) + double(a.y) * double(b.y) + double(a.z) * double(b.z);
}

/// f . (v + w x arm) in double precision.
double point_velocity(const Vec3& f, const Vec3& arm, const BodyVelocity& body) {
    const Vec3 &w = body.angular, &r = arm;
    const double x = double(w.y) * double(r.z) - double(w.z) * double(r.y);
    const double y = double(w.z) * double(r.x) - double(w.x) * double(r.z);
    const double z = double(w.x) * double(r.y) - double(w.y) * double(r.x);
    return dot(f, body.linear) + double(f.x) * x + double(f.y) * y + double(f.z) * z;
}

bool is_finite_body(const BodyInverseMass& m, const BodyVelocity& v) {
    const Sym3& i = m.inertia;
    return is_finite(v.linear) && is_finite(v.angular) &&
           std::isfinite(m.mass + i.xx + i.xy + i.xz + i.yy + i.yz + i.zz);
}
bool is_finite_contact(const Contact& c) {
    return is_finite(c.normal) && is_finite(c.tangent1) && is_finite(c.tangent2) && is_finite(c.arm_a) &&
           is_finite(c.arm_b) && is_finite(c.lambda) && std::isfinite(c.friction) && std::isfinite(c.bias) &&
           std::isfinite(c.compliance);
}
bool is_frame(const Contact& c) {
    constexpr double kOff = 1e-3;
    const auto unit = [](const Vec3& v) { return std::abs(dot(v, v) - 1.0) < kOff; };
    const auto across = [](const Vec3& a, const Vec3& b) { return std::abs(dot(a, b)) < kOff; };
    return unit(c.normal) && unit(c.tangent1) && unit(c.tangent2) && across(c.normal, c.tangent1) &&
           across(c.normal, c.tangent2) && across(c.tangent1, c.tangent2);
}

/// What is wrong with a contact, as the end of a sentence; empty: nothing.
std::string fault_of(const Contact& c, size_t bodies) {
    if (c.a >= bodies || c.b >= bodies)
        return "names body " + std::to_string(std::max(c.a, c.b)) + " of " + std::to_string(bodies);
    if (c.a == c.b) return "has one body on both sides";
    if (!is_finite_contact(c)) return "holds a value that is not a finite number";
    if (c.friction < 0.0f) return "has a negative coefficient of friction";
    if (c.compliance < 0.0f) return "has a negative compliance";
    if (!is_frame(c)) return "has a normal and tangents that are not three unit vectors at right angles";
    return "";
}

}  // namespace

Result<void> check(const ContactDump& dump) {
    if (dump.inverse_mass.size() != dump.velocity.size())
        return Error{"There are " + std::to_string(dump.inverse_mass.size()) + " masses but " +
                     std::to_string(dump.velocity.size()) + " velocities."};
    if (!(dump.dt > 0.0f && std::isfinite(dump.dt)))
        return Error{"The time step is " + std::to_string(dump.dt) + " s; it must be positive and finite."};
    for (size_t i = 0; i < dump.velocity.size(); ++i) {
        const BodyInverseMass& m = dump.inverse_mass[i];
        const std::string body = "Body " + std::to_string(i);
        if (!is_finite_body(m, dump.velocity[i])) return Error{body + " holds a value that is not a finite number."};
        if (m.mass < 0.0f || m.inertia.xx < 0.0f || m.inertia.yy < 0.0f || m.inertia.zz < 0.0f)
            return Error{body + " has a negative inverse mass or inertia."};
    }
    for (size_t i = 0; i < dump.contacts.size(); ++i)
        if (const std::string fault = fault_of(dump.contacts[i], dump.velocity.size()); !fault.empty())
            return Error{"Contact " + std::to_string(i) + " " + fault + "."};
    uint32_t end = 0;
    for (const ContactGroup& group : dump.groups) {
        if (group.begin != end || group.end <= group.begin)
            return Error{"The groups of contacts must follow each other without gaps, none of them empty."};
        end = group.end;
    }
    if (end != dump.contacts.size())
        return Error{"The groups hold " + std::to_string(end) + " of " + std::to_string(dump.contacts.size()) +
                     " contacts."};
    return {};
}

uint64_t count_blocks(const ContactDump& dump) {
    std::vector<uint64_t> contacts_of(dump.inverse_mass.size(), 0);
    for (const Contact& c : dump.contacts)
        for (const uint32_t body : {c.a, c.b})
            if (dump.inverse_mass[body].mass > 0.0f) ++contacts_of[body];
    uint64_t blocks = 0;
    for (const uint64_t n : contacts_of) blocks += n * n;
    return std::max<uint64_t>(blocks, dump.contacts.size());
}

Result<DelassusProblem> to_matrix(const ContactDump& dump) {
    if (const uint64_t blocks = count_blocks(dump); blocks > kMaxBlocks)
        return Error{"The matrix of " + std::to_string(dump.contacts.size()) + " contacts would have about " +
                     std::to_string(blocks) + " blocks; " + std::to_string(kMaxBlocks) +
                     " are the most that are formed."};
    ContactProblem bodies;
    std::vector<BodyVelocity> velocity = dump.velocity;
    bodies.velocity = velocity;
    bodies.inverse_mass = dump.inverse_mass;
    bodies.contacts = dump.contacts;
    bodies.groups = dump.groups;
    bodies.kinds = dump.kinds;
    for (Contact& c : bodies.contacts) c.lambda = Vec3(0.0f);
    BodySystem::Scratch scratch;
    const BodySystem system(bodies, 0, uint32_t(bodies.groups.size()), {}, scratch);
    DelassusProblem problem = make_island_matrix(system);
    // Once more in double: there q comes from velocities in float, whose rounding is above a residual of 1e-8.
    for (size_t i = 0; i < dump.contacts.size(); ++i) {
        const Contact& c = dump.contacts[i];
        const Vec3* directions[3] = {&c.normal, &c.tangent1, &c.tangent2};
        for (size_t k = 0; k < 3; ++k)
            problem.q[3 * i + k] = point_velocity(*directions[k], c.arm_b, dump.velocity[c.b]) -
                                   point_velocity(*directions[k], c.arm_a, dump.velocity[c.a]) +
                                   double(system.bias(uint32_t(i))[int(k)]);
    }
    return problem;
}

}  // namespace proxima::physics
