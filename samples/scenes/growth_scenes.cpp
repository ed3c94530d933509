// SPDX-License-Identifier: MIT
// Scenes of any size for curves of time against bodies. Only their width grows with the number of bodies, never their
// height: a body has the same neighbours in all sizes, so that the work per body should stay the same.
#include <cmath>

#include "samples/scenes/builder.h"
#include "samples/scenes/families.h"

namespace proxima::samples {

using physics::SceneDesc;

SceneDesc growth(const std::string& name, double number) {
    SceneBuilder b(name, "Short towers of cubes close their gaps and should then stand", 0.6);
    b.scene().settings.sleeping = false;
    b.ground();
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    const int bodies = int(number), height = 5, towers = (bodies + height - 1) / height;
    const int side = int(std::ceil(std::sqrt(double(towers))));
    const double pitch = 1.4, middle = 0.5 * (side - 1);
    for (int i = 0; i < bodies; ++i) {
        const int tower = i / height;
        b.dynamic(cube, {(tower % side - middle) * pitch, 0.6 + 1.1 * (i % height), (tower / side - middle) * pitch});
    }
    b.run_for(300, 180);
    return b.take();
}

namespace {

/// Bodies of `kinds` shapes, the first of which is `shape`, fall in 16 layers into a pit as wide as they need.
void rain(SceneBuilder& b, int bodies, uint32_t shape, uint32_t kinds, uint32_t seed) {
    const int layers = 16, per_layer = (bodies + layers - 1) / layers;
    const int side = int(std::ceil(std::sqrt(double(per_layer))));
    const double pitch = 0.95, middle = 0.5 * (side - 1);
    b.pit(side * pitch + 0.3, 10.0);
    Random random(seed);
    for (int i = 0; i < bodies; ++i) {
        const int layer = i / per_layer, index = i % per_layer;
        const double jitter_x = random.symmetric() * 0.01;
        const double jitter_z = random.symmetric() * 0.01;
        b.dynamic(shape + uint32_t(i) % kinds,
                  {(index % side - middle) * pitch + jitter_x, 1.0 + layer * pitch,
                   (index / side - middle) * pitch + jitter_z},
                  random.rotation());
    }
}

}  // namespace

SceneDesc heap(const std::string& name, double number) {
    SceneBuilder b(name, "Cubes, spheres and capsules fall into a pit as wide as they need", 0.6);
    b.scene().settings.sleeping = false;
    b.ground();
    const uint32_t cube = b.box({0.25, 0.25, 0.25});
    b.sphere(0.3);
    b.capsule(0.2, 0.25);
    rain(b, int(number), cube, 3, 4321);
    b.run_for(720, 600);
    return b.take();
}

SceneDesc gpu_pile(const std::string& name, double) {
    SceneBuilder b(name, "20,000 spheres and boxes fall into a pit", 0.6);
    b.scene().settings.sleeping = false;
    b.ground();
    const uint32_t box = b.box({0.3, 0.25, 0.2});
    b.sphere(0.28);
    rain(b, 20000, box, 2, 2024);
    b.run_for(600, 420);
    return b.take();
}

}  // namespace proxima::samples
