// SPDX-License-Identifier: MIT
// The contact side of the direct island solve.
#include "physics/solvers/direct/cone_kernels.h"
#include "physics/solvers/wide/block_lanes.h"

namespace proxima::physics::direct::PX_LEVEL_NAMESPACE {

using namespace ::proxima::PX_LEVEL_NAMESPACE;
using namespace ::proxima::physics::wide::PX_LEVEL_NAMESPACE;
using wide::Block;
using wide::PointRows;

namespace {

float largest(Lanes x) {
    float lanes[kLanes];
    store(lanes, x);
    float out = 0.0f;
    for (const float lane : lanes) out = lane > out ? lane : out;
    return out;
}

template <class Work>
PX_INLINE void for_lanes(uint32_t count, const Work& work) {
    for (uint32_t b = 0; b < count; ++b)
        for (int k = 0; k < int(kBlockLanes); k += kLanes) work(b, k);
}

/// z = l_c - r (v + b).
struct Trial {
    Lanes n, t1, t2;
    Lanes length;  // of the tangent part
};
PX_INLINE Trial trial(const PointRows& p, const ConeRows& cone, uint32_t i, int k, const Twist& twist,
                      Lanes r) {
    const PointVelocity v = point_velocity(twist, p, k);
    Trial z;
    z.n = load(p.normal + k) - r * (v.n + (load(cone.bias[i] + k) + load(cone.drag[i] + k)));
    z.t1 = load(p.tangent1 + k) - r * v.t1;
    z.t2 = load(p.tangent2 + k) - r * v.t2;
    z.length = sqrt(z.t1 * z.t1 + z.t2 * z.t2);
    return z;
}

/// Gives b the wrench in the frame about c and a its opposite.
PX_INLINE void add_wrench(const wide::BlockHead& head, int k, const Twist& sum, float* wrench) {
    const Vec n = load_vec(head.normal, k), t1 = load_vec(head.tangent1, k), t2 = load_vec(head.tangent2, k);
    const Vec force = n * sum.n + t1 * sum.t1 + t2 * sum.t2;
    const Vec torque = n * sum.wn + t1 * sum.w1 + t2 * sum.w2;
    const Vec moment_a = cross(load_vec(head.arm_a, k), force) + torque;
    const Vec moment_b = cross(load_vec(head.arm_b, k), force) + torque;
    BodyPair on = load_bodies(head, k, wrench);
    const auto add = [&](Lanes(&to)[8], const Vec& f, const Vec& m, Lanes sign) {
        to[0] = to[0] + sign * f.x, to[1] = to[1] + sign * f.y, to[2] = to[2] + sign * f.z;
        to[3] = to[3] + sum.n;
        to[4] = to[4] + sign * m.x, to[5] = to[5] + sign * m.y, to[6] = to[6] + sign * m.z;
    };
    add(on.a, force, moment_a, Lanes(-1.0f));
    add(on.b, force, moment_b, Lanes(1.0f));
    store_records(wrench, head.body_a + k, kRecord, head.moves_a >> k, on.a);
    store_records(wrench, head.body_b + k, kRecord, head.moves_b >> k, on.b);
}

/// Bias of the gap and drag of the velocity of one point.
PX_INLINE void begin_point(const PointRows& p, ConeRows& cone, uint32_t i, int k, const Twist& twist,
                           Lanes mu, const ConeLaw& law, Lanes& deepest) {
    const Lanes zero(0.0f), gap = load(p.start_gap + k);
    // A contact that carries something is closed as long as its gap cannot be seen.
    const Lanes closed = select(load(p.normal + k) > zero, Lanes(law.closed_gap), zero);
    store(cone.bias[i] + k, max(gap - closed, zero) * Lanes(law.inverse_h));
    const PointVelocity v = point_velocity(twist, p, k);
    store(cone.drag[i] + k, mu * sqrt(v.t1 * v.t1 + v.t2 * v.t2));
    deepest = max(deepest, zero - gap);
}

template <uint32_t N, bool First>
PX_INLINE float evaluate_blocks(const void* memory, uint32_t count, ConeRows* cone, const float* velocity,
                                float* wrench, const ConeLaw& law) {
    const Block<N>* blocks = static_cast<const Block<N>*>(memory);
    const Lanes zero(0.0f), r(law.r);
    Lanes deepest(0.0f);
    for_lanes(count, [&](uint32_t b, int k) {
        const Block<N>& block = blocks[b];
        const Twist twist = relative_twist(block, k, load_bodies(block, k, velocity));
        const Lanes mu = load(block.friction + k), inverse = Lanes(1.0f) / (Lanes(1.0f) + mu * mu);
        Twist sum{zero, zero, zero, zero, zero, zero};
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            if constexpr (First) begin_point(p, cone[b], i, k, twist, mu, law, deepest);
            const Trial z = trial(p, cone[b], i, k, twist, r);
            // The nearest point of the cone |l_t| <= mu l_n: z itself, the tip, or on the surface.
            const Mask inside = z.length <= mu * z.n;
            const Mask open = mu * z.length <= -z.n;
            const Lanes surface = (z.n + mu * z.length) * inverse;
            const Lanes scale = mu * surface / select(z.length > zero, z.length, Lanes(1.0f));
            const Lanes ln = select(inside, z.n, select(open, zero, surface));
            const Lanes part = select(inside, Lanes(1.0f), select(open, zero, scale));
            const Lanes l1 = part * z.t1, l2 = part * z.t2;
            store(cone[b].normal[i] + k, ln);
            store(cone[b].tangent1[i] + k, l1);
            store(cone[b].tangent2[i] + k, l2);
            const Lanes x = load(p.x + k), y = load(p.y + k), h = load(p.z + k);
            sum.n = sum.n + ln;
            sum.t1 = sum.t1 + l1;
            sum.t2 = sum.t2 + l2;
            sum.wn = sum.wn + (x * l2 - y * l1);
            sum.w1 = sum.w1 + (y * ln - h * l2);
            sum.w2 = sum.w2 + (h * l1 - x * ln);
        }
        add_wrench(block, k, sum, wrench);
    });
    return First ? largest(deepest) : 0.0f;
}

template <uint32_t N>
float begin(const void* memory, uint32_t count, ConeRows* cone, const float* velocity, float* wrench,
            const ConeLaw& law) {
    return evaluate_blocks<N, true>(memory, count, cone, velocity, wrench, law);
}

template <uint32_t N>
void evaluate(const void* memory, uint32_t count, ConeRows* cone, const float* velocity, float* wrench,
              const ConeLaw& law) {
    evaluate_blocks<N, false>(memory, count, cone, velocity, wrench, law);
}

template <uint32_t N>
void push(const void* memory, uint32_t count, float* wrench, const PushLaw& law, Row& squares) {
    const Block<N>* blocks = static_cast<const Block<N>*>(memory);
    const Lanes zero(0.0f);
    for_lanes(count, [&](uint32_t b, int k) {
        const Block<N>& block = blocks[b];
        Lanes square = load(squares + k);
        Twist sum{zero, zero, zero, zero, zero, zero};
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            const Lanes overlap = zero - load(p.start_gap + k);
            const Lanes beyond =
                select(load(p.normal + k) > zero, overlap, max(overlap - Lanes(law.slop), zero));
            const Lanes length = max(min(beyond * Lanes(law.part), Lanes(law.most)), Lanes(-law.most));
            square = square + length * length;
            const Lanes l = length * Lanes(law.r);
            sum.n = sum.n + l;
            sum.w1 = sum.w1 + load(p.y + k) * l;
            sum.w2 = sum.w2 - load(p.x + k) * l;
        }
        store(squares + k, square);
        add_wrench(block, k, sum, wrench);
    });
}

template <uint32_t N>
float next_pass(void* memory, uint32_t count, ConeRows* cone, const float* velocity) {
    Block<N>* blocks = static_cast<Block<N>*>(memory);
    Lanes worst(0.0f);
    for_lanes(count, [&](uint32_t b, int k) {
        const Twist twist = relative_twist(blocks[b], k, load_bodies(blocks[b], k, velocity));
        const Lanes mu = load(blocks[b].friction + k);
        for (uint32_t i = 0; i < N; ++i) {
            PointRows& p = blocks[b].point[i];
            PointVelocity v = point_velocity(twist, p, k);
            store(cone[b].drag[i] + k, mu * sqrt(v.t1 * v.t1 + v.t2 * v.t2));
            v.n = v.n + load(cone[b].bias[i] + k);
            const Lanes ln = load(cone[b].normal[i] + k), l1 = load(cone[b].tangent1[i] + k),
                        l2 = load(cone[b].tangent2[i] + k);
            worst = max(worst, natural_map(p, k, v, mu, ln, l1, l2));
            store(p.normal + k, ln);
            store(p.tangent1 + k, l1);
            store(p.tangent2 + k, l2);
        }
    });
    return largest(worst);
}

// ---- stiffness

struct Mat {
    Vec row[3];
};
PX_INLINE Mat operator+(const Mat& a, const Mat& b) {
    return {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
}
PX_INLINE Mat operator-(const Mat& a, const Mat& b) {
    return {{a.row[0] - b.row[0], a.row[1] - b.row[1], a.row[2] - b.row[2]}};
}
PX_INLINE Mat transposed(const Mat& a) {
    return {{{a.row[0].x, a.row[1].x, a.row[2].x},
             {a.row[0].y, a.row[1].y, a.row[2].y},
             {a.row[0].z, a.row[1].z, a.row[2].z}}};
}
/// m [y]x: each row becomes row x y.
PX_INLINE Mat times_cross(const Mat& m, const Vec& y) {
    return {{cross(m.row[0], y), cross(m.row[1], y), cross(m.row[2], y)}};
}
/// [x]x m.
PX_INLINE Mat cross_times(const Vec& x, const Mat& m) {
    return {
        {m.row[2] * x.y - m.row[1] * x.z, m.row[0] * x.z - m.row[2] * x.x, m.row[1] * x.x - m.row[0] * x.y}};
}
/// From the frame into world axes: q m q^T, q = [n t1 t2].
PX_INLINE Mat to_world(const Mat& m, const Vec axis[3]) {
    Mat half;  // m q^T: its rows are combinations of the axes
    for (int i = 0; i < 3; ++i)
        half.row[i] = axis[0] * m.row[i].x + axis[1] * m.row[i].y + axis[2] * m.row[i].z;
    return {{half.row[0] * axis[0].x + half.row[1] * axis[1].x + half.row[2] * axis[2].x,
             half.row[0] * axis[0].y + half.row[1] * axis[1].y + half.row[2] * axis[2].y,
             half.row[0] * axis[0].z + half.row[1] * axis[1].z + half.row[2] * axis[2].z}};
}

/// -dl/dv of one point in its frame: what the nearest point of the cone follows of z, times r.
PX_INLINE Mat cone_stiffness(const Trial& z, Lanes mu, Lanes r) {
    const Lanes zero(0.0f), one(1.0f);
    const Mask inside = z.length <= mu * z.n;
    const Mask open = mu * z.length <= -z.n;
    const Lanes inverse = one / (one + mu * mu), ln = (z.n + mu * z.length) * inverse;
    const Lanes per = one / select(z.length > zero, z.length, one);
    const Lanes e1 = z.t1 * per, e2 = z.t2 * per, q = mu * ln * per, s = mu * mu * inverse;
    const auto pick = [&](Lanes stick, Lanes slip) {
        return r * select(inside, stick, select(open, zero, slip));
    };
    const Lanes nn = pick(one, inverse), n1 = pick(zero, mu * inverse * e1),
                n2 = pick(zero, mu * inverse * e2);
    const Lanes g11 = pick(one, s * e1 * e1 + q * e2 * e2), g22 = pick(one, s * e2 * e2 + q * e1 * e1),
                g12 = pick(zero, (s - q) * e1 * e2);
    return {{{nn, n1, n2}, {n1, g11, g12}, {n2, g12, g22}}};
}

/// What body x feels of the motion of y: (1, -[y]x) from the right, its like of x from the left.
struct Quarters {
    Mat linear, mixed, turned, angular;  // (lin, lin), (lin, ang), (ang, lin), (ang, ang)
};
PX_INLINE Quarters about(const Mat& a, const Mat& b, const Mat& c, const Vec& x, const Vec& y) {
    Quarters q;
    q.linear = a;
    q.mixed = b - times_cross(a, y);
    q.turned = cross_times(x, a) + transposed(b);
    q.angular = cross_times(x, q.mixed) + (c - times_cross(transposed(b), y));
    return q;
}
PX_INLINE Lanes entry(const Quarters& q, int i, int j) {
    const Mat& m = i < 3 ? (j < 3 ? q.linear : q.mixed) : (j < 3 ? q.turned : q.angular);
    const Vec& row = m.row[i % 3];
    return j % 3 == 0 ? row.x : j % 3 == 1 ? row.y : row.z;
}
PX_INLINE void store_lower(Row* rows, int k, const Quarters& q) {
    for (int i = 0, at = 0; i < 6; ++i)
        for (int j = 0; j <= i; ++j) store(rows[at++] + k, entry(q, i, j));
}

template <uint32_t N>
void stiffness(const void* memory, const ConeRows& cone, const float* velocity, const ConeLaw& law,
               StiffnessRows& out) {
    const Block<N>& block = *static_cast<const Block<N>*>(memory);
    const Lanes zero(0.0f);
    for (int k = 0; k < int(kBlockLanes); k += kLanes) {
        const Twist twist = relative_twist(block, k, load_bodies(block, k, velocity));
        const Lanes mu = load(block.friction + k);
        const Vec none{zero, zero, zero};
        Mat a{{none, none, none}}, b = a, c = a;
        for (uint32_t i = 0; i < N; ++i) {
            const PointRows& p = block.point[i];
            const Mat g = cone_stiffness(trial(p, cone, i, k, twist, Lanes(law.r)), mu, Lanes(law.r));
            // v = u + C w with C w = w x o, o the offset: C = -[o]x.
            const Vec offset{load(p.z + k), load(p.x + k), load(p.y + k)};
            const Mat gc = Mat{{none, none, none}} - times_cross(g, offset);
            a = a + g;
            b = b + gc;
            c = c + cross_times(offset, gc);
        }
        const Vec axis[3] = {load_vec(block.normal, k), load_vec(block.tangent1, k),
                             load_vec(block.tangent2, k)};
        a = to_world(a, axis);
        b = to_world(b, axis);
        c = to_world(c, axis);
        const Vec arm_a = load_vec(block.arm_a, k), arm_b = load_vec(block.arm_b, k);
        store_lower(out.aa, k, about(a, b, c, arm_a, arm_a));
        store_lower(out.bb, k, about(a, b, c, arm_b, arm_b));
        const Quarters ab = about(a, b, c, arm_a, arm_b);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) store(out.ab[6 * i + j] + k, zero - entry(ab, i, j));
    }
}

// ---- momentum

void masses(uint32_t first, uint32_t count, const BodyRecords& bodies, float* mass) {
    for (uint32_t i = 0; i < count; i += kLanes) {
        uint32_t list[kLanes], own[kLanes];
        for (uint32_t k = 0; k < kLanes; ++k) {
            list[k] = first + i + k;
            own[k] = i + k;
        }
        Lanes inertia[8], place[8], inverse[8], out[8];
        load_records(bodies.inertia, list, kRecord, inertia);
        load_records(bodies.place, list, kRecord, place);
        load_records(bodies.inverse_mass, list, kRecord, inverse);
        // R I R^T from the rotation's matrix.
        const Lanes x = place[0], y = place[1], z = place[2], w = place[3], one(1.0f), two(2.0f);
        const Vec axis[3] = {{one - two * (y * y + z * z), two * (x * y + w * z), two * (x * z - w * y)},
                             {two * (x * y - w * z), one - two * (x * x + z * z), two * (y * z + w * x)},
                             {two * (x * z + w * y), two * (y * z - w * x), one - two * (x * x + y * y)}};
        const Mat local{{{inertia[0], inertia[3], inertia[4]},
                         {inertia[3], inertia[1], inertia[5]},
                         {inertia[4], inertia[5], inertia[2]}}};
        const Mat world = to_world(local, axis);
        out[0] = world.row[0].x, out[1] = world.row[1].y, out[2] = world.row[2].z;
        out[3] = world.row[0].y, out[4] = world.row[0].z, out[5] = world.row[1].z;
        out[6] = one / inverse[6];
        out[7] = place[7];
        store_records(mass, own, kRecord, (1u << kLanes) - 1u, out);
    }
}

float gradient(uint32_t first, uint32_t count, const float* velocity, const float* free_velocity,
               const float* wrench, const float* mass, const MomentumLaw& law, float* out) {
    const Lanes zero(0.0f);
    Lanes worst(0.0f);
    for (uint32_t i = 0; i < count; i += kLanes) {
        uint32_t list[kLanes], own[kLanes];
        float counted[kLanes];  // what fills the last run does not count
        for (uint32_t k = 0; k < kLanes; ++k) {
            list[k] = first + i + k;
            own[k] = i + k;
            counted[k] = i + k < count ? 1.0f : 0.0f;
        }
        Lanes u[8], f[8], w[8], m[8], g[8];
        load_records(velocity, list, kRecord, u);
        load_records(free_velocity, list, kRecord, f);
        load_records(wrench, list, kRecord, w);
        load_records(mass, own, kRecord, m);
        const Sym inertia{m[0], m[1], m[2], m[3], m[4], m[5]};
        const Vec push{m[6] * (u[0] - f[0]) - w[0], m[6] * (u[1] - f[1]) - w[1], m[6] * (u[2] - f[2]) - w[2]};
        const Vec turn = inertia * Vec{u[4] - f[4], u[5] - f[5], u[6] - f[6]} - Vec{w[4], w[5], w[6]};
        g[0] = push.x, g[1] = push.y, g[2] = push.z, g[3] = zero;
        g[4] = turn.x, g[5] = turn.y, g[6] = turn.z, g[7] = zero;
        const uint32_t lanes = count - i >= uint32_t(kLanes) ? (1u << kLanes) - 1u : (1u << (count - i)) - 1u;
        store_records(out, own, kRecord, lanes, g);
        const Lanes allowed = m[6] * Lanes(law.speed) + w[3] * Lanes(law.load_part);
        const Lanes left = max(sqrt(dot(push, push)), sqrt(dot(turn, turn)) / m[7]);
        // What is not a number is as wrong as can be.
        const Lanes most_wrong(1e30f), wrong = left / allowed;
        worst = max(worst, load(counted) * select(wrong < most_wrong, wrong, most_wrong));
    }
    return largest(worst);
}

}  // namespace

}  // namespace proxima::physics::direct::PX_LEVEL_NAMESPACE

namespace proxima::physics::direct {

namespace level = PX_LEVEL_NAMESPACE;

extern const ConeKernels PX_AT_LEVEL(cone_kernels_);
const ConeKernels PX_AT_LEVEL(cone_kernels_) = {
    {level::begin<1>, level::begin<2>, level::begin<3>, level::begin<4>},
    {level::evaluate<1>, level::evaluate<2>, level::evaluate<3>, level::evaluate<4>},
    {level::next_pass<1>, level::next_pass<2>, level::next_pass<3>, level::next_pass<4>},
    {level::stiffness<1>, level::stiffness<2>, level::stiffness<3>, level::stiffness<4>},
    {level::push<1>, level::push<2>, level::push<3>, level::push<4>}};

extern const MomentumKernels PX_AT_LEVEL(momentum_kernels_);
const MomentumKernels PX_AT_LEVEL(momentum_kernels_) = {level::masses, level::gradient};

}  // namespace proxima::physics::direct
