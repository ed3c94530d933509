// SPDX-License-Identifier: MIT
#include "physics/solve/general/island_measure.h"

#include <algorithm>

#include "physics/contact/residual.h"

namespace proxima::physics {

void measure_substep(IslandProblem& p, const BodySystem& system, double part, IslandOutcome& outcome, MeasureSum& sum) {
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        const RowLaw& law = p.laws[i];
        if (!law.is_contact) continue;
        Contact& k = p.rows.contacts[i];
        k.bias = std::max(law.gap, 0.0f) / p.h;  // gaps are those of the start of the sub-step
        k.compliance = 0.0f;
        const double residual = contact_residual(system, i).total();
        outcome.residual = std::max(outcome.residual, float(MeasureSum::finite(residual)));
        sum.add_substep(residual, part);
    }
}

void measure_end(const IslandProblem& p, const BodySystem& system, IslandOutcome& outcome, MeasureSum& sum) {
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        const double residual = contact_residual(system, i).total();
        outcome.end_residual = std::max(outcome.end_residual, float(residual));
        if (system.is_bilateral(i)) {
            outcome.residual = std::max(outcome.residual, float(residual));
            sum.joint_residual_max = std::max(sum.joint_residual_max, float(residual));
            continue;
        }
        sum.add_end(residual, p.laws[i].gap, p.rows.contacts[i].lambda.x > 0.0f);
    }
}

}  // namespace proxima::physics
