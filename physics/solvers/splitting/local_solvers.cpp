// SPDX-License-Identifier: MIT
#include "physics/solvers/splitting/local_solvers.h"

#include <array>

#include "physics/contact/residual.h"

namespace proxima::physics {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Real3<double> velocity(const ContactBlock<double>& a, const Real3<double>& b, const Real3<double>& l) {
    return {a.normal * l.n + a.coupling.x * l.t1 + a.coupling.y * l.t2 + b.n,
            a.coupling.x * l.n + a.tangent.t11 * l.t1 + a.tangent.t12 * l.t2 + b.t1,
            a.coupling.y * l.n + a.tangent.t12 * l.t1 + a.tangent.t22 * l.t2 + b.t2};
}

double length(const Real3<double>& x) { return std::sqrt(x.n * x.n + x.t1 * x.t1 + x.t2 * x.t2); }
Real3<double> minus(const Real3<double>& x, const Real3<double>& y) { return {x.n - y.n, x.t1 - y.t1, x.t2 - y.t2}; }

bool open_or_smooth(const ContactBlock<double>& a, const Real3<double>& b, double mu,
                    std::optional<Real3<double>>& answer) {
    if (mu > 0.0 && largest_eigenvalue(a.tangent) > 0.0) return false;
    answer = Real3<double>{std::max(0.0, -b.n / a.normal), 0.0, 0.0};
    return true;
}

/// c[0] + c[1] x + ... + c[4] x^4.
using Polynomial = std::array<double, 5>;

double value_of(const Polynomial& c, int degree, double x) {
    double y = c[size_t(degree)];
    for (int k = degree; k-- > 0;) y = y * x + c[size_t(k)];
    return y;
}

/// The root between low and high, whose values have opposite signs: Newton, halving where it leaves them.
double root_between(const Polynomial& c, const Polynomial& slope, int degree, double low, double high) {
    const bool rises = value_of(c, degree, low) < 0.0;
    double x = 0.5 * (low + high);
    for (int k = 0; k < 100; ++k) {
        const double y = value_of(c, degree, x);
        if (y == 0.0) return x;
        ((y < 0.0) == rises ? low : high) = x;
        double next = x - y / value_of(slope, degree - 1, x);
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (std::abs(next - x) <= kEpsilon * std::abs(x) || !(next > low && next < high)) return next;
        x = next;
    }
    return x;
}

/// Real roots in (0, end), ascending: between two neighbouring roots of the derivative lies at most one.
/// Degree by degree, since the formulas for cubics and quartics lose their digits where roots are close.
int positive_roots(const Polynomial& c, int degree, double end, std::array<double, 4>& roots) {
    if (degree == 1) {
        const double x = -c[0] / c[1];
        roots[0] = x;
        return x > 0.0 && x < end ? 1 : 0;
    }
    Polynomial slope{};
    for (int k = 1; k <= degree; ++k) slope[size_t(k - 1)] = k * c[size_t(k)];
    std::array<double, 4> turn;
    const int turns = positive_roots(slope, degree - 1, end, turn);
    int found = 0;
    double low = 0.0, at_low = c[0];
    for (int k = 0; k <= turns; ++k) {
        const double high = k < turns ? turn[size_t(k)] : end, at_high = value_of(c, degree, high);
        if ((at_low < 0.0) != (at_high < 0.0) && at_low != 0.0)
            roots[size_t(found++)] = root_between(c, slope, degree, low, high);
        low = high;
        at_low = at_high;
    }
    return found;
}

/// The contact in the axes of its tangent block, scaled so that A_nn = d1 = 1 (impulses and velocities have
/// their units changed alike for both tangents, so the disk stays a disk).
struct Scaled {
    double c, s;              // first axis of W_tt
    double scale_n, scale_t;  // l = (scale_n x_n, scale_t x_t)
    double d2, a1, a2;        // of the scaled block
    double b0, b1, b2, mu;    // of the scaled problem
    double p(double x) const { return b0 * (1.0 + x) * (d2 + x) - a1 * b1 * (d2 + x) - a2 * b2 * (1.0 + x); }
    double t1(double x) const { return (b1 - a1 * b0) * (d2 + x) - a2 * (b1 * a2 - b2 * a1); }
    double t2(double x) const { return (b2 - a2 * b0) * (1.0 + x) - a1 * (b2 * a1 - b1 * a2); }
    double determinant(double x) const { return (1.0 + x) * (d2 + x) - a1 * a1 * (d2 + x) - a2 * a2 * (1.0 + x); }
};

Scaled make_scaled(const ContactBlock<double>& block, const Real3<double>& b, double mu) {
    const TangentBlock<double>& w = block.tangent;
    const double d1 = largest_eigenvalue(w);
    Scaled k{};
    k.c = w.t11 >= w.t22 ? d1 - w.t22 : w.t12;
    k.s = w.t11 >= w.t22 ? w.t12 : d1 - w.t11;
    const double axis = std::sqrt(k.c * k.c + k.s * k.s);
    k.c = axis > 0.0 ? k.c / axis : 1.0;
    k.s = axis > 0.0 ? k.s / axis : 0.0;
    k.scale_n = 1.0 / std::sqrt(block.normal);
    k.scale_t = 1.0 / std::sqrt(d1);
    k.d2 = std::max(0.0, w.t11 + w.t22 - d1) / d1;
    k.a1 = (k.c * block.coupling.x + k.s * block.coupling.y) * k.scale_n * k.scale_t;
    k.a2 = (k.c * block.coupling.y - k.s * block.coupling.x) * k.scale_n * k.scale_t;
    k.b0 = b.n * k.scale_n;
    k.b1 = (k.c * b.t1 + k.s * b.t2) * k.scale_t;
    k.b2 = (k.c * b.t2 - k.s * b.t1) * k.scale_t;
    k.mu = mu * k.scale_n / k.scale_t;  // |scale_t x_t| <= mu scale_n x_n
    return k;
}

/// The impulse that belongs to s, back in the axes of the contact.
Real3<double> impulse_at(const Scaled& k, double x) {
    const double determinant = k.determinant(x);
    const double n = -k.p(x) / determinant * k.scale_n;
    const double t1 = -k.t1(x) / determinant * k.scale_t, t2 = -k.t2(x) / determinant * k.scale_t;
    return {n, k.c * t1 - k.s * t2, k.s * t1 + k.c * t2};
}

/// Squares lose half of the digits where two roots are close: the equation without squares has the last word.
double polish(const Scaled& k, double x) {
    const auto excess = [&](double y) { return std::hypot(k.t1(y), k.t2(y)) + k.mu * k.p(y); };
    double error = std::abs(excess(x));
    for (int step = 0; step < 4; ++step) {
        const double t1 = k.t1(x), t2 = k.t2(x), t = std::hypot(t1, t2);
        if (!(t > 0.0)) break;
        const double slope = (t1 * (k.b1 - k.a1 * k.b0) + t2 * (k.b2 - k.a2 * k.b0)) / t +
                             k.mu * (k.b0 * (1.0 + k.d2 + 2.0 * x) - k.a1 * k.b1 - k.a2 * k.b2);
        const double next = x - excess(x) / slope;
        if (!(next > 0.0) || !(std::abs(excess(next)) < error)) break;
        error = std::abs(excess(next));
        x = next;
    }
    return x;
}

/// |l - P(l - v')| for the natural map of the bipotential with steps 1/A, in impulse units.
double law_error(const ContactBlock<double>& a, const Real3<double>& b, double mu, const Real3<double>& l) {
    const Real3<double> v = velocity(a, b, l);
    const double rho = 1.0 / std::max(a.normal, largest_eigenvalue(a.tangent));
    const double slip = std::sqrt(v.t1 * v.t1 + v.t2 * v.t2);
    return length(minus(l, project_cone({l.n - rho * (v.n + mu * slip), l.t1 - rho * v.t1, l.t2 - rho * v.t2}, mu)));
}

/// How large an answer is: what its error is compared with.
double size_of(const ContactBlock<double>& a, const Real3<double>& b, const Real3<double>& l) {
    return length(l) + length(b) / std::max(a.normal, largest_eigenvalue(a.tangent));
}

}  // namespace

std::optional<Real3<double>> solve_contact_quartic(const ContactBlock<double>& block, Real3<double> b, double mu,
                                                   Real3<double> start) {
    std::optional<Real3<double>> best;
    if (open_or_smooth(block, b, mu, best)) return best;
    double distance = 0.0;
    const auto offer = [&](const Real3<double>& l) {
        if (!(l.n >= 0.0) || !std::isfinite(length(l))) return;
        if (!(law_error(block, b, mu, l) <= 1e-12 * size_of(block, b, l))) return;
        const double away = length(minus(l, start));
        if (best && !(away < distance)) return;
        best = l;
        distance = away;
    };
    if (b.n >= 0.0) offer({0.0, 0.0, 0.0});
    const Scaled k = make_scaled(block, b, mu);
    if (k.determinant(0.0) > 0.0) {
        const Real3<double> stick = impulse_at(k, 0.0);
        if (std::hypot(stick.t1, stick.t2) <= mu * stick.n) offer(stick);
    }
    // T1, T2 and P by powers of x; f = T1^2 + T2^2 - mu^2 P^2.
    const double f1 = k.b1 - k.a1 * k.b0, f0 = f1 * k.d2 - k.a2 * (k.b1 * k.a2 - k.b2 * k.a1);
    const double g1 = k.b2 - k.a2 * k.b0, g0 = g1 - k.a1 * (k.b2 * k.a1 - k.b1 * k.a2);
    const double p2 = k.b0, p1 = k.b0 * (1.0 + k.d2) - k.a1 * k.b1 - k.a2 * k.b2;
    const double p0 = k.b0 * k.d2 - k.a1 * k.b1 * k.d2 - k.a2 * k.b2;
    const double m = k.mu * k.mu;
    const Polynomial f{f0 * f0 + g0 * g0 - m * p0 * p0, 2.0 * (f0 * f1 + g0 * g1 - m * p0 * p1),
                       f1 * f1 + g1 * g1 - m * (p1 * p1 + 2.0 * p0 * p2), -2.0 * m * p1 * p2, -m * p2 * p2};
    int degree = 4;
    double largest = 0.0;
    for (double x : f) largest = std::max(largest, std::abs(x));
    while (degree > 1 && std::abs(f[size_t(degree)]) <= 1e-300 + 1e-18 * largest) --degree;
    if (!(std::abs(f[size_t(degree)]) > 0.0) || !std::isfinite(largest)) return best;
    const double end = 1.0 + largest / std::abs(f[size_t(degree)]);  // Cauchy: no root lies beyond
    std::array<double, 4> roots;
    const int count = positive_roots(f, degree, end, roots);
    for (int i = 0; i < count; ++i) {
        const double x = polish(k, roots[size_t(i)]);
        if (k.determinant(x) > 0.0 && k.p(x) <= 0.0) offer(impulse_at(k, x));
    }
    return best;
}

std::optional<Real3<double>> solve_contact_newton(const ContactBlock<double>& a, Real3<double> b, double mu,
                                                  Real3<double> start) {
    std::optional<Real3<double>> answer;
    if (open_or_smooth(a, b, mu, answer)) return answer;
    const double rn = 1.0 / a.normal, rt = 1.0 / largest_eigenvalue(a.tangent);
    const double w[3][3] = {{a.normal, a.coupling.x, a.coupling.y},
                            {a.coupling.x, a.tangent.t11, a.tangent.t12},
                            {a.coupling.y, a.tangent.t12, a.tangent.t22}};
    struct Map {
        Real3<double> error, z;
        double radius, slip;
    };
    const auto map = [&](const Real3<double>& l) {
        const Real3<double> v = velocity(a, b, l);
        Map m{{}, {l.n - rn * v.n, l.t1 - rt * v.t1, l.t2 - rt * v.t2}, 0.0, 0.0};
        m.radius = mu * std::max(0.0, m.z.n);
        m.slip = std::sqrt(m.z.t1 * m.z.t1 + m.z.t2 * m.z.t2);
        const double scale = m.slip > m.radius ? m.radius / m.slip : 1.0;
        m.error = {l.n - std::max(0.0, m.z.n), l.t1 - scale * m.z.t1, l.t2 - scale * m.z.t2};
        return m;
    };
    Real3<double> l = start;
    Map m = map(l);
    for (int step = 0; step < 40; ++step) {
        const double size = size_of(a, b, l), error = length(m.error);
        if (!std::isfinite(error)) return std::nullopt;
        if (error <= 2.0 * kEpsilon * size) return l;
        // The derivative of the map's error, row by row.
        double j[3][4] = {{1, 0, 0, -m.error.n}, {0, 1, 0, -m.error.t1}, {0, 0, 1, -m.error.t2}};
        if (m.z.n > 0.0) {
            for (int c = 0; c < 3; ++c) j[0][c] = rn * w[0][c];
            if (m.slip <= m.radius) {
                for (int r = 1; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) j[r][c] = rt * w[r][c];
            } else {
                const double d[2] = {m.z.t1 / m.slip, m.z.t2 / m.slip}, share = m.radius / m.slip;
                for (int c = 0; c < 3; ++c) {
                    const double zn = (c == 0 ? 1.0 : 0.0) - rn * w[0][c];
                    const double z1 = (c == 1 ? 1.0 : 0.0) - rt * w[1][c];
                    const double z2 = (c == 2 ? 1.0 : 0.0) - rt * w[2][c], along = d[0] * z1 + d[1] * z2;
                    j[1][c] = (c == 1 ? 1.0 : 0.0) - mu * d[0] * zn - share * (z1 - d[0] * along);
                    j[2][c] = (c == 2 ? 1.0 : 0.0) - mu * d[1] * zn - share * (z2 - d[1] * along);
                }
            }
        }
        for (int p = 0; p < 3; ++p) {
            int best = p;
            for (int r = p + 1; r < 3; ++r)
                if (std::abs(j[r][p]) > std::abs(j[best][p])) best = r;
            if (!(std::abs(j[best][p]) > 1e-14)) return std::nullopt;
            std::swap(j[p], j[best]);
            for (int r = p + 1; r < 3; ++r) {
                const double factor = j[r][p] / j[p][p];
                for (int c = p; c < 4; ++c) j[r][c] -= factor * j[p][c];
            }
        }
        double x[3];
        for (int r = 3; r-- > 0;) {
            x[r] = j[r][3];
            for (int c = r + 1; c < 3; ++c) x[r] -= j[r][c] * x[c];
            x[r] /= j[r][r];
        }
        bool better = false;
        for (double tau = 1.0; tau > 1e-3 && !better; tau *= 0.5) {
            const Real3<double> next{l.n + tau * x[0], l.t1 + tau * x[1], l.t2 + tau * x[2]};
            const Map at = map(next);
            better = length(at.error) < error * (1.0 - 1e-4 * tau);
            if (!better) continue;
            l = next;
            m = at;
        }
        if (!better) return error <= 1e-13 * size ? std::optional(l) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<Real3<double>> solve_contact_fixed_point(const ContactBlock<double>& a, Real3<double> b, double mu,
                                                       Real3<double> start) {
    std::optional<Real3<double>> answer;
    if (open_or_smooth(a, b, mu, answer)) return answer;
    const auto shifted = [&](const Real3<double>& l) {
        Real3<double> v = velocity(a, b, l);
        v.n += mu * std::sqrt(v.t1 * v.t1 + v.t2 * v.t2);
        return v;
    };
    double rho = 1.0 / std::max(a.normal, largest_eigenvalue(a.tangent));
    const double least = 1e-6 * rho;
    Real3<double> l = project_cone(start, mu);
    Real3<double> u = shifted(l);
    for (int step = 0; step < 300; ++step) {
        const Real3<double> next = project_cone({l.n - rho * u.n, l.t1 - rho * u.t1, l.t2 - rho * u.t2}, mu);
        const double moved = length(minus(next, l));
        if (!std::isfinite(moved)) return std::nullopt;
        if (moved <= 4.0 * kEpsilon * length(next) && rho > least)
            return law_error(a, b, mu, next) <= 1e-13 * size_of(a, b, next) ? std::optional(next) : std::nullopt;
        const Real3<double> at_next = shifted(next);
        const double ratio = rho * length(minus(at_next, u)) / moved;
        if (ratio > 0.9 && rho > least) {
            rho *= 2.0 / 3.0;
            continue;
        }
        l = next;
        u = at_next;
        if (ratio < 0.3) rho *= 1.5;
    }
    return std::nullopt;
}

}  // namespace proxima::physics
