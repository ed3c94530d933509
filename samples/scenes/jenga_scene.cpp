// SPDX-License-Identifier: MIT
// A tower of 54 blocks, ten times as large as the ones for a table.
#include <algorithm>
#include <numbers>

#include "samples/scenes/families.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::samples {

using physics::SceneDesc;

JengaScene jenga_scene(const std::string& name) {
    SceneBuilder b(name, "18 layers of three blocks, some a little lower than their neighbours", 0.4);
    JengaScene out;
    b.ground();
    out.blocks = {uint32_t(b.scene().bodies.size()), uint32_t(3 * kTowerLayers)};
    Random random(1983);
    const Quatd across = axis_angle({0.0, 1.0, 0.0}, std::numbers::pi / 2.0);
    for (int layer = 0; layer < kTowerLayers; ++layer) {
        // One block of each layer is lower than the others and carries nothing: the one to look for. It is
        // the middle one, or an outer one on changing sides, so that the tower does not lean; and lower by
        // more than the others give way under the load.
        const int low = random.unit() < 0.5 ? 1 : layer % 4 < 2 ? 0 : 2;
        for (int i = 0; i < 3; ++i) {
            const double missing = i == low ? 0.004 + 0.003 * random.unit() : 0.0;
            const double narrower = 0.002 + 0.003 * random.unit(), shorter = 0.004 * random.unit();
            const Vec3d half{(kBlockLength - shorter) / 2.0, (kBlockHeight - missing) / 2.0,
                             (kBlockWidth - narrower) / 2.0};
            const double aside = (i - 1) * kBlockWidth, y = layer * kBlockHeight + half.y;
            const bool turned = layer % 2 == 1;
            const Vec3d position = turned ? Vec3d{aside, y, 0.0} : Vec3d{0.0, y, aside};
            b.dynamic(b.box(half), position, turned ? across : Quatd{}, 500.0).name = "block";
            if (i == low) out.loose.push_back(uint32_t(out.half_extents.size()));
            out.half_extents.push_back(half);
        }
    }
    std::reverse(out.loose.begin(), out.loose.end());
    b.run_for(3600, 600);
    b.must_stand(0.02);
    out.scene = b.take();
    return out;
}

SceneDesc jenga(const std::string& name, double) { return jenga_scene(name).scene; }

}  // namespace proxima::samples
