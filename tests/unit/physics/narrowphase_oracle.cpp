// SPDX-License-Identifier: MIT
// Thousands of random and degenerate poses against two judges: a brute-force SAT in double precision, and
// Bullet's GJK/EPA on rounded shapes (with a margin, without which EPA errs for aligned boxes).
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include <memory>

#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

using Vec = glm::dvec3;

/// A polytope, or the core of a round shape, as points, face normals and edge directions in the world.
struct Solid {
    std::vector<Vec> points, normals, edges;
    double radius = 0.0;
};

Solid solid(const Shape& s, const Transform& pose) {
    const glm::dquat q = glm::normalize(glm::dquat(pose.rotation));
    const Vec position(pose.position);
    Solid out;
    out.radius = s.radius;
    if (s.type == ShapeType::sphere) out.points = {position};
    if (s.type == ShapeType::capsule) {
        const Vec half = q * Vec(0.0, s.half_height, 0.0);
        out.points = {position - half, position + half};
        if (s.half_height > 0.0f) out.edges = {glm::normalize(half)};
    }
    for (const Vec3& v : s.polytope.vertices) out.points.push_back(q * Vec(v) + position);
    // Each direction once: a box has twelve edges and three directions.
    const auto add = [](std::vector<Vec>& list, const Vec& direction) {
        const Vec unit = glm::normalize(direction);
        for (const Vec& other : list)
            if (glm::length(glm::cross(unit, other)) < 1e-7) return;
        list.push_back(unit);
    };
    for (const Polytope::Face& f : s.polytope.faces) add(out.normals, q * Vec(f.normal));
    for (const Polytope::Edge& e : s.polytope.edges)
        add(out.edges, q * Vec(s.polytope.vertices[e.head] - s.polytope.vertices[e.tail]));
    return out;
}

/// The gap from a to b along a unit axis.
double gap_along(const Solid& a, const Solid& b, const Vec& n) {
    double most = -1e300, least = 1e300;
    for (const Vec& p : a.points) most = std::max(most, glm::dot(n, p));
    for (const Vec& p : b.points) least = std::min(least, glm::dot(n, p));
    return least - most - a.radius - b.radius;
}

/// The largest gap over all normals and all products of edges: the exact depth, where it is negative.
double brute_force_sat(const Solid& a, const Solid& b) {
    double best = -1e300;
    const auto consider = [&](const Vec& axis) {
        const double length = glm::length(axis);
        if (length < 1e-9) return;
        best = std::max({best, gap_along(a, b, axis / length), gap_along(a, b, -axis / length)});
    };
    for (const Vec& n : a.normals) consider(n);
    for (const Vec& n : b.normals) consider(n);
    for (const Vec& d : a.edges)
        for (const Vec& e : b.edges) {
            const Vec c = glm::cross(d, e);
            if (glm::length(c) > 1e-5) consider(c);
        }
    return best;
}

btTransform to_bullet(const Transform& t) {
    return btTransform(btQuaternion(t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w),
                       btVector3(t.position.x, t.position.y, t.position.z));
}

std::unique_ptr<btConvexShape> to_bullet(const Shape& s, float& rounding) {
    rounding = 0.0f;
    if (s.type == ShapeType::sphere) return std::make_unique<btSphereShape>(s.radius);
    if (s.type == ShapeType::capsule) return std::make_unique<btCapsuleShape>(s.radius, 2.0f * s.half_height);
    auto shape = std::make_unique<btConvexHullShape>();
    for (const Vec3& v : s.polytope.vertices) shape->addPoint(btVector3(v.x, v.y, v.z), false);
    shape->recalcLocalAabb();
    rounding = 0.04f;
    shape->setMargin(rounding);
    return shape;
}

/// A pair of shapes, kept with its twin in Bullet.
struct Pair {
    Shape a, b;
    std::unique_ptr<btConvexShape> bullet_a, bullet_b;
    float rounding = 0.0f;
    Pair(const Shape& first, const Shape& second) : a(first), b(second) {
        float ra = 0.0f, rb = 0.0f;
        bullet_a = to_bullet(a, ra);
        bullet_b = to_bullet(b, rb);
        rounding = ra + rb;
    }
    /// Distance, or minus the depth; false where Bullet has no answer.
    bool bullet_gap(const Transform& pa, const Transform& pb, float& gap) const {
        btVoronoiSimplexSolver simplex;
        btGjkEpaPenetrationDepthSolver epa;
        btGjkPairDetector detector(bullet_a.get(), bullet_b.get(), &simplex, &epa);
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA = to_bullet(pa);
        input.m_transformB = to_bullet(pb);
        btPointCollector result;
        detector.getClosestPoints(input, result, nullptr);
        gap = result.m_distance + rounding;
        return result.m_hasResult;
    }
};

struct Tally {
    int poses = 0, touching = 0, overlapping = 0, separated = 0;
    int wrong_hit = 0;       // contact although an axis separates by more than the margin
    int missed_overlap = 0;  // no contact although they overlap
    int missed_near = 0;     // no contact although nearer than the margin
    int unsound = 0;
    int wrong_depth = 0;     // deepest point against the exact depth
    int wrong_normal = 0;    // the gap along the normal is not the depth that the points say
    int wrong_point = 0;     // a point away from one of the shapes
    int differs_bullet = 0;  // from GJK/EPA
    int no_bullet = 0;
};

constexpr float kMargin = 0.02f;

void judge(const Pair& pair, const Transform& pa, const Transform& pb, Tally& t) {
    const Solid sa = solid(pair.a, pa), sb = solid(pair.b, pb);
    const bool round = !pair.a.polytope.faces.size() || !pair.b.polytope.faces.size();
    const double sat = brute_force_sat(sa, sb);
    float bullet = 0.0f;
    const bool has_bullet = pair.bullet_gap(pa, pb, bullet);
    // SAT knows the axes between vertices of neither two cores nor a core and a polytope that are apart; GJK does.
    const bool use_sat = !round || (sat > -1e100 && sat + sa.radius + sb.radius < -1e-5) || !has_bullet;
    const double exact = use_sat ? sat : double(bullet);
    // Two millimetres per metre of the smaller shape is what the preference for faces may cost, plus rounding.
    const float size = std::min(pair.a.bounding_radius, pair.b.bounding_radius);
    const float tolerance = round ? 2e-4f + 4e-3f * size : 3e-3f * size + 1e-4f;

    RawManifold m;
    const bool hit = collide(pair.a, pa, pair.b, pb, kMargin, m);
    ++t.poses;
    if (!has_bullet) ++t.no_bullet;
    if (hit) ++t.touching;
    if (exact > double(kMargin) + 1e-5) ++t.separated;
    if (sat > double(kMargin) + 1e-5 && hit) ++t.wrong_hit;  // an axis that separates is a proof, whatever the shapes
    if (exact < (use_sat ? -1e-5 : -1e-3)) {
        ++t.overlapping;
        if (!hit) ++t.missed_overlap;
    }
    if (!hit && has_bullet && exact > 0.0 && bullet < kMargin - 1e-3f) ++t.missed_near;
    if (!hit) return;

    if (!sound(m, kMargin)) ++t.unsound;
    const float depth = deepest(m);
    if (exact < 0.0 && use_sat && std::abs(double(depth) - exact) > double(tolerance)) ++t.wrong_depth;
    if (std::abs(gap_along(sa, sb, glm::normalize(Vec(m.normal))) - double(depth)) > double(tolerance))
        ++t.wrong_normal;
    if (has_bullet) {
        // Apart, SAT may report less than the distance between boxes and hulls, never more.
        const bool bad = bullet < 0.0f || round ? std::abs(depth - bullet) > tolerance : depth > bullet + tolerance;
        if (bad) ++t.differs_bullet;
    }
    for (int i = 0; i < m.count; ++i) {
        const float reach = 0.5f * std::abs(m.points[i].separation) + 2e-2f * size;  // the middle of gap or overlap
        if (outside(pair.a, pa, m.points[i].point) > reach || outside(pair.b, pb, m.points[i].point) > reach)
            ++t.wrong_point;
    }
}

void expect_good(const Tally& t) {
    CAPTURE(t.poses);
    CHECK(t.touching > t.poses / 10);
    CHECK(t.separated > t.poses / 50);
    CHECK(t.overlapping > t.poses / 10);
    CHECK(t.wrong_hit == 0);
    CHECK(t.missed_overlap == 0);
    CHECK(t.missed_near == 0);
    CHECK(t.unsound == 0);
    CHECK(t.wrong_depth == 0);
    CHECK(t.wrong_normal == 0);
    CHECK(t.wrong_point == 0);
    CHECK(t.differs_bullet <= t.poses / 1000);  // EPA gives up early now and then; brute force has no such excuse
    CHECK(t.no_bullet <= t.poses / 1000 + 1);
}

/// Random places around touching, any rotation.
void random_poses(const Pair& pair, Random& random, int count, Tally& tally) {
    const float reach = pair.a.bounding_radius + pair.b.bounding_radius;
    for (int i = 0; i < count; ++i) {
        const Transform pa{random.vector(1.0f), random.rotation()};
        const Transform pb{pa.position + random.direction() * (reach * random.uniform(0.15f, 1.0f)), random.rotation()};
        judge(pair, pa, pb, tally);
    }
}

/// Any rotation, moved together until they nearly touch: where contacts live.
void touching_poses(const Pair& pair, Random& random, int count, Tally& tally) {
    for (int i = 0; i < count; ++i) {
        const Transform pa{random.vector(1.0f), random.rotation()};
        const Vec3 direction = random.direction();
        Transform pb{pa.position + direction * (pair.a.bounding_radius + pair.b.bounding_radius), random.rotation()};
        const float target = random.uniform(-0.02f, 0.03f);
        for (int k = 0; k < 5; ++k) {
            float gap = 0.0f;
            if (!pair.bullet_gap(pa, pb, gap)) break;
            pb.position -= direction * (gap - target);
        }
        judge(pair, pa, pb, tally);
    }
}

/// Aligned axes, quarter turns, equal rotations and tiny tilts; places on a coarse grid, so that faces, edges
/// and corners coincide.
void degenerate_poses(const Pair& pair, Random& random, int count, Tally& tally) {
    const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < count; ++i) {
        const Quat common = i % 3 == 0 ? random.rotation() : Quat(1, 0, 0, 0);
        const auto special = [&] {
            Quat q = turn(45.0f * float(random.engine() % 8), axes[random.engine() % 3]);
            if (random.engine() % 2) q = turn(90.0f * float(random.engine() % 4), axes[random.engine() % 3]) * q;
            if (random.engine() % 3 == 0) q = turn(random.uniform(-0.01f, 0.01f), random.direction()) * q;
            return q;
        };
        Vec3 position;
        for (int k = 0; k < 3; ++k) position[k] = 0.125f * float(int(random.engine() % 21) - 10);
        if (random.engine() % 4 == 0) position += random.vector(1e-5f);
        const Transform motion{Vec3(0.0f), common};
        judge(pair, compose(motion, {Vec3(0.0f), special()}), compose(motion, {position, special()}), tally);
    }
}

}  // namespace

TEST_CASE("boxes in random poses agree with brute force and with Bullet") {
    Random random(71);
    Tally tally;
    random_poses(Pair(box({0.5f, 0.5f, 0.5f}), box({0.5f, 0.5f, 0.5f})), random, 900, tally);
    random_poses(Pair(box({0.5f, 0.7f, 0.3f}), box({0.2f, 0.9f, 0.6f})), random, 900, tally);
    random_poses(Pair(box({1.0f, 0.05f, 1.0f}), box({0.1f, 0.8f, 0.1f})), random, 900, tally);
    touching_poses(Pair(box({0.5f, 0.7f, 0.3f}), box({0.2f, 0.9f, 0.6f})), random, 900, tally);
    expect_good(tally);
}

TEST_CASE("boxes in degenerate poses agree with brute force and with Bullet") {
    Random random(72);
    Tally tally;
    degenerate_poses(Pair(box({0.5f, 0.5f, 0.5f}), box({0.5f, 0.5f, 0.5f})), random, 1200, tally);
    degenerate_poses(Pair(box({0.5f, 0.25f, 0.75f}), box({0.25f, 0.5f, 0.125f})), random, 1200, tally);
    expect_good(tally);
}

TEST_CASE("hulls in random poses agree with brute force and with Bullet") {
    Random random(73);
    Tally tally;
    for (int i = 0; i < 8; ++i) {
        const Shape cloud = random.cloud(6 + 3 * i, 0.7f);
        random_poses(Pair(cloud, random.cloud(20 - 2 * i, 0.6f)), random, 90, tally);
        random_poses(Pair(box({0.5f, 0.4f, 0.3f}), cloud), random, 90, tally);
    }
    random_poses(Pair(prism(12, 0.5f, 0.5f), prism(5, 0.6f, 0.2f)), random, 180, tally);
    touching_poses(Pair(prism(12, 0.5f, 0.5f), random.cloud(16, 0.6f)), random, 300, tally);
    expect_good(tally);
}

TEST_CASE("hulls in degenerate poses agree with brute force and with Bullet") {
    Random random(74);
    Tally tally;
    degenerate_poses(Pair(prism(6, 0.5f, 0.5f), prism(6, 0.5f, 0.5f)), random, 480, tally);
    degenerate_poses(Pair(box({0.5f, 0.25f, 0.5f}), prism(8, 0.5f, 0.25f)), random, 480, tally);
    degenerate_poses(
        Pair(hull({{0, 0.5f, 0}, {0.5f, -0.5f, 0.5f}, {-0.5f, -0.5f, 0.5f}, {0, -0.5f, -0.5f}}), box_hull(Vec3(0.5f))),
        random, 480, tally);
    expect_good(tally);
}

TEST_CASE("capsules agree with brute force and with Bullet") {
    Random random(75);
    Tally tally;
    const Shape pill = capsule(0.25f, 0.5f);
    random_poses(Pair(pill, box({0.5f, 0.4f, 0.3f})), random, 900, tally);
    random_poses(Pair(pill, random.cloud(16, 0.6f)), random, 480, tally);
    touching_poses(Pair(pill, box({0.5f, 0.4f, 0.3f})), random, 480, tally);
    touching_poses(Pair(pill, random.cloud(16, 0.6f)), random, 240, tally);
    degenerate_poses(Pair(pill, box(Vec3(0.5f))), random, 900, tally);
    degenerate_poses(Pair(prism(6, 0.5f, 0.5f), pill), random, 480, tally);
    expect_good(tally);
}

TEST_CASE("thin capsules that pass the corners of pointed hulls agree with brute force and with Bullet") {
    // A long core crosses the planes of all faces beside a corner: none of them separates, an edge is nearest.
    Random random(78);
    Tally tally;
    const Shape pin = capsule(0.08f, 0.7f);
    for (int k = 0; k < 12; ++k) {
        random_poses(Pair(pin, random.cloud(6, 0.5f)), random, 200, tally);
        touching_poses(Pair(pin, random.cloud(5, 0.5f)), random, 100, tally);
    }
    expect_good(tally);
}

TEST_CASE("pairs of spheres and capsules agree with Bullet") {
    Random random(76);
    Tally tally;
    const Shape pill = capsule(0.25f, 0.5f), ball = sphere(0.4f);
    random_poses(Pair(pill, capsule(0.3f, 0.2f)), random, 900, tally);
    random_poses(Pair(ball, pill), random, 300, tally);
    random_poses(Pair(ball, box({0.5f, 0.4f, 0.3f})), random, 600, tally);
    random_poses(Pair(ball, random.cloud(16, 0.6f)), random, 300, tally);
    touching_poses(Pair(pill, capsule(0.3f, 0.2f)), random, 300, tally);
    touching_poses(Pair(ball, random.cloud(16, 0.6f)), random, 300, tally);
    degenerate_poses(Pair(ball, box(Vec3(0.5f))), random, 300, tally);
    degenerate_poses(Pair(pill, pill), random, 300, tally);
    expect_good(tally);
}

TEST_CASE("plates, needles, many-sided, tiny and huge hulls agree with brute force") {
    Random random(77);
    const auto scaled = [](const Shape& s, float by) {
        std::vector<Vec3> points = s.polytope.vertices;
        for (Vec3& v : points) v *= by;
        return hull(points);
    };
    const Shape plate = box_hull({1.0f, 0.002f, 1.0f}), needle = box_hull({0.01f, 1.0f, 0.01f});
    const Shape stone = random.cloud(12, 0.6f), ball = random.cloud(40, 0.7f);
    const Shape tetra = hull({{0, 0.5f, 0}, {0.5f, -0.5f, 0.5f}, {-0.5f, -0.5f, 0.5f}, {0, -0.5f, -0.5f}});
    const Shape away = [&] {  // far from its own origin
        std::vector<Vec3> points = stone.polytope.vertices;
        for (Vec3& v : points) v += Vec3(30.0f, -20.0f, 10.0f);
        return hull(points);
    }();
    const Shape floor = box({40.0f, 0.5f, 40.0f});
    const std::pair<Shape, Shape> pairs[] = {{plate, stone},
                                             {needle, plate},
                                             {needle, needle},
                                             {ball, stone},
                                             {tetra, ball},
                                             {stone, floor},
                                             {away, stone},
                                             {scaled(stone, 1e-3f), scaled(tetra, 1e-3f)},
                                             {scaled(stone, 1e3f), scaled(tetra, 1e3f)}};
    for (const auto& [a, b] : pairs) {
        const float size = std::min(glm::length(a.half_extents), glm::length(b.half_extents));
        const float margin = 0.02f * size;
        int touching = 0, no_contact = 0, wrong_hit = 0, missed = 0, wrong_depth = 0, wrong_normal = 0, unsound = 0;
        int wrong_distance = 0;
        for (int i = 0; i < 40; ++i) {
            const Transform pa{random.vector(size), random.rotation()};
            Transform pb{Vec3(0.0f), random.rotation()};
            // Centres within reach of each other; over the floor, anywhere above its top.
            const Vec3 offset =
                b.type == ShapeType::box ? Vec3(0.0f) : random.direction() * (size * random.uniform(0.1f, 1.8f));
            pb.position = to_world(pa, a.polytope.center) + offset - pb.rotation * b.polytope.center;
            if (b.type == ShapeType::box)
                pb.position -= pb.rotation * Vec3(random.uniform(-35.0f, 35.0f), random.uniform(0.3f, 1.3f),
                                                  random.uniform(-35.0f, 35.0f));
            const Solid sa = solid(a, pa), sb = solid(b, pb);
            const double sat = brute_force_sat(sa, sb);
            const double rounding = 1e-5 * double(a.bounding_radius + b.bounding_radius);
            RawManifold m;
            if (!collide(a, pa, b, pb, margin, m)) {
                ++no_contact;
                if (sat < -rounding) ++missed;
                if (double(m.distance) > std::max(sat, 0.0) + rounding && sat > 0.0) ++wrong_distance;
                continue;
            }
            ++touching;
            if (!sound(m, margin)) ++unsound;
            if (sat > double(margin) + rounding) ++wrong_hit;
            const double tolerance = 3e-3 * double(size) + rounding;
            if (sat < 0.0 && std::abs(double(deepest(m)) - sat) > tolerance) ++wrong_depth;
            if (std::abs(gap_along(sa, sb, glm::normalize(Vec(m.normal))) - double(deepest(m))) > tolerance)
                ++wrong_normal;
        }
        CAPTURE(size);
        CHECK(touching > 3);
        CHECK(no_contact > 3);
        CHECK(unsound == 0);
        CHECK(missed == 0);
        CHECK(wrong_hit == 0);
        CHECK(wrong_depth == 0);
        CHECK(wrong_normal == 0);
        CHECK(wrong_distance == 0);
    }
}

// Where a vertex of one lies over a face of the other, or goes a little into it, the other axes are not searched at all.
TEST_CASE("hulls that just touch or overlap by a hair have the axis that a search of all axes finds") {
    Random random(77);
    const std::vector<Shape> shapes = {
        random.cloud(16, 0.7f), random.cloud(40, 0.4f), prism(9, 0.5f, 0.3f), box_hull({1.5f, 0.05f, 1.0f}),
        hull({{0, 0.5f, 0}, {0.5f, -0.5f, 0.5f}, {-0.5f, -0.5f, 0.5f}, {0, -0.5f, -0.5f}})};
    int poses = 0, overlapping = 0, by_faces = 0, by_edges = 0, worse = 0, wrong_depth = 0;
    for (const Shape& a : shapes)
        for (const Shape& b : shapes)
            for (int i = 0; i < 60; ++i) {
                const double slop = double(std::min(a.axis_slop, b.axis_slop));
                const double wanted = slop * double(random.uniform(-3.0f, 3.0f));
                const Quat turned = random.rotation();
                const Vec3 from = random.direction(), aside = random.vector(0.2f);
                const auto pose_at = [&](double distance) { return Transform{from * float(distance) + aside, turned}; };
                const Solid still = solid(a, at(0, 0, 0));
                double near = 0.0, far = 4.0;  // the gap grows with the distance once they are apart
                for (int k = 0; k < 40; ++k) {
                    const double middle = 0.5 * (near + far);
                    (brute_force_sat(still, solid(b, pose_at(middle))) < wanted ? near : far) = middle;
                }
                const Transform pose = pose_at(far);
                const Solid moved = solid(b, pose);
                const double exact = brute_force_sat(still, moved);
                if (std::abs(exact - wanted) > 0.1 * slop) continue;  // from deep inside there may be no such distance
                SatCache cache;
                RawManifold m;
                REQUIRE(collide(a, at(0, 0, 0), b, pose, kMargin, m, &cache));
                ++poses;
                overlapping += exact < 0.0;
                ++(cache.kind == SatCache::edges ? by_edges : by_faces);
                // Another axis is preferred to an edge that is better by less than two slops, and A to B by one.
                const double along = gap_along(still, moved, glm::normalize(Vec(m.normal)));
                worse += along < exact - 2.1 * slop;
                double deepest = 1e30;
                for (int k = 0; k < m.count; ++k) deepest = std::min(deepest, double(m.points[k].separation));
                wrong_depth += std::abs(deepest - along) > 2.1 * slop;
            }
    CHECK(poses > 1200);
    CHECK(overlapping > 400);
    CHECK(by_faces > 300);
    CHECK(by_edges > 300);
    CHECK(worse == 0);
    CHECK(wrong_depth == 0);
}
