// SPDX-License-Identifier: MIT
#include "physics/contact/softness.h"

#include <algorithm>
#include <limits>

#include "engine/core/math.h"

namespace proxima::physics {

ErpCfm to_erp_cfm(float stiffness, float damping, float h) {
    // k = b = 0 is no spring at all: infinitely compliant, so that the row has no effect rather than a wrong one.
    const float denominator = h * h * stiffness + h * damping;
    if (denominator <= 0.0f) return {0.0f, std::numeric_limits<float>::infinity()};
    return {h * stiffness / (h * stiffness + damping), 1.0f / denominator};
}

SpringDamper to_spring_damper(const ErpCfm& soft, float h) {
    return {soft.erp / (h * h * soft.cfm), (1.0f - soft.erp) / (h * soft.cfm)};
}

SoftContact make_soft_contact(float hertz, float damping_ratio, float h) {
    const float w = 2.0f * kPi * hertz;
    const float a1 = 2.0f * damping_ratio + h * w;
    const float a2 = h * w * a1;
    return {w / a1, 1.0f / a2};
}

float SoftnessLaw::stiffest(float h) const { return std::min(std::max(hertz, 0.125f / h), 0.25f / h); }

SoftContact soften(const SoftnessLaw& law, float speed_scale, bool immovable, float h) {
    if (!law.soft) return {};
    const float hertz = std::min(law.hertz / speed_scale, law.stiffest(h));
    return make_soft_contact(immovable ? 2.0f * hertz : hertz, law.damping_ratio, h);
}

}  // namespace proxima::physics
