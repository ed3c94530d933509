// SPDX-License-Identifier: MIT
// Soft contacts: a spring and a damper integrated implicitly become a bias and a compliance of the contact row.
#pragma once

namespace proxima::physics {

/// ERP and CFM of an implicit spring-damper (stiffness k in N/m, damping b in N s/m) over a step h:
///     J u+ + epsilon lambda = -upsilon phi / h,  epsilon = 1/(h^2 k + h b),  upsilon = h k/(h k + b) [course
///     Eq. 59]
struct ErpCfm {
    float erp = 0.0f;  // upsilon: share of the error removed in one step
    float cfm = 0.0f;  // epsilon: (m/s) per (N s)
};
ErpCfm to_erp_cfm(float stiffness, float damping, float h);

struct SpringDamper {
    float stiffness = 0.0f;
    float damping = 0.0f;
};
/// The inverse map: (k, b) do not depend on h, (erp, cfm) do.
SpringDamper to_spring_damper(const ErpCfm& soft, float h);

/// The same law given by natural frequency and damping ratio, which scales with the mass that a contact feels
/// (m_c = 1/W_nn): k = m_c w^2, b = 2 zeta m_c w. Then upsilon/h = w/a1 and epsilon = W_nn / a2 with
///     a1 = 2 zeta + h w,   a2 = h w a1.
struct SoftContact {
    float push_rate = 0.0f;          // upsilon / h, 1/s: an overlap s asks for the speed push_rate * s
    float compliance_factor = 0.0f;  // 1/a2: compliance = compliance_factor * W_nn
};
SoftContact make_soft_contact(float hertz, float damping_ratio, float h);

/// How soft the contacts of a step are. Frequency and speed are those of bodies of a metre (scale.h): a smaller pair has
/// a higher frequency, so that everything sags by the same part of its size.
struct SoftnessLaw {
    bool soft = true;  // false: overlaps are not driven apart by a speed
    float hertz = 0.0f, damping_ratio = 0.0f;
    float max_push_speed = 0.0f;  // m/s, the fastest that an overlap is driven apart

    /// The highest frequency for sub-steps of length h. Small things get no more than an eighth of their rate, where one sweep
    /// a sub-step still finds the load, and nothing more than a quarter: above it the implicit spring is a hard contact.
    float stiffest(float h) const;
};
/// That of a pair with this scale of speeds; against a body that cannot move it is twice as stiff.
SoftContact soften(const SoftnessLaw& law, float speed_scale, bool immovable, float h);

}  // namespace proxima::physics
