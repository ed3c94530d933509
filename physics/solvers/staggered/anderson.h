// SPDX-License-Identifier: MIT
// Anderson's mixing: speeds a slow fixed-point iteration x <- G(x) up by looking back over its last steps.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace proxima::physics {

/// From the last steps g_k = G(x_k) it takes the combination whose residual g - x would be smallest if G were
/// straight. Where G is piecewise straight, as projections are, it lands near the fixed point once the pieces
/// are right; when it does not pay (the residual doubles), it forgets everything and starts again.
class AndersonMixing {
  public:
    explicit AndersonMixing(size_t unknowns) : unknowns_(unknowns) {}

    /// Forgets all steps; g is left as it is until `plain` calls in a row have brought smaller residuals.
    void restart(size_t plain) {
        plain_ = asked_ = plain;
        columns_ = next_ = 0;
        best_ = -1.0;
        has_last_ = false;
    }
    /// Takes x and g = G(x), and replaces g by where to go instead; false: g is left as it is.
    bool mix(std::span<const double> x, std::span<double> g);

    static constexpr size_t kDepth = 6;  // steps that are remembered

  private:
    size_t unknowns_, plain_ = 0, asked_ = 0, columns_ = 0, next_ = 0;
    double best_ = -1.0;  // smallest |g - x|^2 since the restart
    double last_size_ = 0.0;
    bool has_last_ = false;
    std::vector<double> last_g_, last_residual_, residual_;
    std::vector<double> step_g_[kDepth], step_residual_[kDepth];  // differences of consecutive steps
};

}  // namespace proxima::physics
