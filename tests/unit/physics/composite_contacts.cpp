// SPDX-License-Identifier: MIT
// Manifolds of composite shapes: those of their parts, each with the ids of the parts it belongs to.
#include <limits>

#include "tests/unit/physics/compound_shapes.h"
#include "tests/unit/physics/exact_distance.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

struct Tally {
    int manifolds = 0, several = 0, separated = 0, left_out = 0;
    double sum_bound = 0.0, sum_exact = 0.0;
};

/// The sink against every pair of parts one by one. SAT measures gaps along its own axes, so a pair of corners may
/// have contacts although it is farther apart than the margin; boxes may know better, and leave it out.
void compare(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
             PairCache* cache, Tally& tally) {
    ManifoldSink sink;
    sink.manifolds.resize(3);  // what was there before does not matter
    const bool touching = collide(a, pose_a, b, pose_b, margin, sink, cache);
    REQUIRE(touching == !sink.manifolds.empty());
    size_t next = 0;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Part& pa : parts_of(a, pose_a))
        for (const Part& pb : parts_of(b, pose_b)) {
            RawManifold m;
            const bool wanted = collide(*pa.shape, pa.pose, *pb.shape, pb.pose, margin, m);
            if (next < sink.manifolds.size() && sink.manifolds[next].parts == PartPair{pa.id, pb.id}) {
                REQUIRE(wanted);
                REQUIRE(same_contacts(sink.manifolds[next++].contacts, m));
                continue;
            }
            const double distance = pa.shape->type == ShapeType::half_space
                                        ? exact_distance(*pb.shape, pb.pose, *pa.shape, pa.pose)
                                        : exact_distance(*pa.shape, pa.pose, *pb.shape, pb.pose);
            if (wanted) {
                REQUIRE(distance > double(margin));
                ++tally.left_out;
            }
            nearest = std::min(nearest, distance);
        }
    REQUIRE(next == sink.manifolds.size());  // all of them, in ascending order
    REQUIRE(double(sink.distance) <= nearest);
    tally.manifolds += int(next);
    tally.several += next > 1;
    tally.separated += !touching;
    if (touching || !std::isfinite(nearest)) return;
    tally.sum_bound += double(sink.distance);
    tally.sum_exact += nearest;
}

}  // namespace

TEST_CASE("the manifolds of a compound are those of its parts, to the last bit") {
    Random random(303);
    const Shape whole = make_shape(mixed()), table = make_shape(shape_class(ShapeType::compound).example());
    const Shape others[] = {sphere(0.4f),        box({0.5f, 0.3f, 0.4f}), box({3.0f, 0.2f, 3.0f}),
                            capsule(0.2f, 0.5f), random.cloud(16, 0.6f),  half_space(),
                            make_shape(mixed())};
    for (const Shape* composite : {&whole, &table})
        for (const Shape& other : others) {
            CAPTURE(to_string(other.type));
            Tally tally;
            const float reach =
                shape_class(other).unbounded ? 1.0f : 0.6f * (composite->bounding_radius + other.bounding_radius);
            for (int i = 0; i < 200; ++i) {
                const Transform a{random.vector(10.0f), random.rotation()};
                // Every third pair aligned, as things that stand on each other are.
                const Transform b{a.position + random.direction() * (reach * random.uniform(0.2f, 2.2f)),
                                  i % 3 ? random.rotation() : a.rotation};
                const float margin = i % 2 ? 0.02f : 0.1f;
                compare(*composite, a, other, b, margin, nullptr, tally);
                compare(other, b, *composite, a, margin, nullptr, tally);
            }
            CHECK(tally.manifolds > 100);
            CHECK(tally.several > 30);
            CHECK(tally.separated > 20);
            CHECK(tally.left_out <= tally.manifolds / 50);
            // The bound is one of boxes, and as good as those of convex pairs: a step need not look every time.
            CHECK(tally.sum_bound > 0.4 * tally.sum_exact);
        }
}

TEST_CASE("a pair of convex shapes has one manifold in the sink, the one it always had") {
    Random random(304);
    const Shape shapes[] = {sphere(0.4f), box({0.5f, 0.3f, 0.4f}), capsule(0.2f, 0.5f), random.cloud(16, 0.6f),
                            half_space()};
    int touching = 0;
    for (const Shape& a : shapes)
        for (const Shape& b : shapes)
            for (int i = 0; i < 60; ++i) {
                const Transform pa{random.vector(1.0f), random.rotation()};
                const Transform pb{pa.position + random.direction() * random.uniform(0.2f, 1.5f), random.rotation()};
                RawManifold m;
                ManifoldSink sink;
                SatCache cache;
                PairCache pair_cache;
                const bool found = collide(a, pa, b, pb, 0.02f, m, &cache);
                REQUIRE(collide(a, pa, b, pb, 0.02f, sink, &pair_cache) == found);
                REQUIRE(sink.manifolds.size() == (found ? 1u : 0u));
                REQUIRE(std::memcmp(&cache, &pair_cache.sat, sizeof cache) == 0);
                if (found) {
                    REQUIRE(sink.manifolds[0].parts == PartPair{0, 0});
                    REQUIRE(same_contacts(sink.manifolds[0].contacts, m));
                    REQUIRE(sink.distance == kInfinite);
                } else {
                    REQUIRE(same_bits(sink.distance, m.distance));
                }
                touching += found;
            }
    CHECK(touching > 300);
}

TEST_CASE("a cache that follows a compound changes no contact, and holds the parts that are near only") {
    Random random(305);
    const Shape a = make_shape(mixed()), b = make_shape(shape_class(ShapeType::compound).example());
    Tally tally;
    size_t most = 0;
    for (int path = 0; path < 12; ++path) {
        PairCache cache;
        const Vec3 from = random.direction() * 2.0f, axis = random.direction();
        const Quat rotation = random.rotation();
        for (int i = 0; i < 100; ++i) {  // through each other, 4 cm and two degrees a step
            const Transform pose{from * (1.0f - 0.02f * float(i)), turn(2.0f * float(i), axis) * rotation};
            compare(a, at(0, 0, 0), b, pose, 0.02f, &cache, tally);
            most = std::max(most, cache.parts.size());
            REQUIRE(cache.parts.size() <= a.parts.size() * b.parts.size());
            for (size_t k = 1; k < cache.parts.size(); ++k) REQUIRE(cache.parts[k - 1].parts < cache.parts[k].parts);
        }
        compare(a, at(0, 0, 0), b, at(100, 0, 0), 0.02f, &cache, tally);
        REQUIRE(cache.parts.empty());
    }
    CHECK(tally.several > 200);
    CHECK(tally.separated > 100);
    CHECK(most > 3);
}

TEST_CASE("a table that slides over the floor keeps the ids of its feet and of their corners") {
    const Shape table = make_shape(shape_class(ShapeType::compound).example());
    const Shape floor = box({20.0f, 1.0f, 20.0f});
    PairCache cache;
    ManifoldSink sink, before;
    for (int i = 0; i < 200; ++i) {
        const Transform pose{{0.013f * float(i), 0.4f - 0.001f, -0.007f * float(i)}, turn(0.3f * float(i), {0, 1, 0})};
        REQUIRE(collide(table, pose, floor, at(0, -1, 0), 0.02f, sink, &cache));
        REQUIRE(sink.manifolds.size() == 4);
        for (uint32_t foot = 0; foot < 4; ++foot) {
            const PartManifold& m = sink.manifolds[foot];
            CHECK(m.parts == PartPair{foot + 1, 0});
            CHECK(m.contacts.count == 4);
            CHECK(deepest(m.contacts) == doctest::Approx(-0.001).epsilon(1e-3));
            CHECK(near(m.contacts.normal, {0.0f, -1.0f, 0.0f}));
            if (i == 0) continue;
            for (int k = 0; k < 4; ++k) {
                bool known = false;
                for (int l = 0; l < 4; ++l)
                    known = known || m.contacts.points[k].feature == before.manifolds[foot].contacts.points[l].feature;
                CHECK(known);
            }
        }
        // The top is 72 cm above, and no part of it can touch before it has come down by as much.
        CHECK(sink.distance == doctest::Approx(0.719).epsilon(1e-3));
        before = sink;
    }
}

TEST_CASE("poses that are not finite make no contact that is not") {
    const Shape table = make_shape(shape_class(ShapeType::compound).example());
    const float nan = std::nanf("");
    ManifoldSink sink;
    for (const Shape& other : {sphere(0.5f), box(Vec3(0.5f)), half_space(), table})
        for (const Transform& pose : {at(nan, 0, 0), at(nan, nan, nan), at(kInfinite, 0, 0)}) {
            collide(table, at(0, 0, 0), other, pose, 0.02f, sink);
            CHECK_FALSE(std::isnan(sink.distance));
            collide(other, pose, table, at(0, 0, 0), 0.02f, sink);
            CHECK_FALSE(std::isnan(sink.distance));
        }
}
