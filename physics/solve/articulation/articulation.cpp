// SPDX-License-Identifier: MIT
#include "physics/solve/articulation/articulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/constraints/joint_errors.h"
#include "physics/joints/row_law.h"
#include "physics/solve/integrate.h"

namespace proxima::physics {

namespace {

using sweep::BodyRecords;
using sweep::kRecord;

// ---- errors that are left alone
constexpr float kClosedPart = 1e-5f;     // of the smaller body's radius, between steps ...
constexpr float kMotionPart = 1e-5f;     // ... of what a sub-step adds to them ...
constexpr float kAimPart = 1e-7f;        // ... and where it is reckoned to end
constexpr float kRoundingPart = 4e-7f;   // of the coordinates: what floats can tell
constexpr float kFailedPart = 1e-3f;     // what is left open by more has not been solved
constexpr float kTurnsForSwing = 10.0f;  // a turn is followed less far in a sub-step than a swing
// ---- passes
constexpr uint32_t kMaxPasses = 16;       // of the active set in a solve
constexpr uint32_t kPatientPasses = 4;    // in which rows may be taken up; then they are only let go, which ends
constexpr uint32_t kMaxAims = 4;          // Newton steps on the end of a sub-step before it ...
constexpr double kMinTaken = 0.2;         // ... of which no less is taken
constexpr uint32_t kMaxMotionPasses = 4;  // ... and after it ...
constexpr double kSurely = 1e4;  // times what may be left: errors that a step closes without being looked at again ...
constexpr double kLeft = 4.0, kMinTurn = 1e-3;  // ... where it leaves so much for each rad
constexpr double kPays = 0.5;                   // ... while each leaves no more than this of the error
constexpr double kMaxReturn = 1e-4;             // m or rad, of what is counted, in a sub-step
constexpr uint32_t kMaxClosings = 6;            // Newton steps on positions before a step
constexpr double kMaxClosingTurn = 0.1;  // rad in one of them: light links would turn farther than the linear law holds
constexpr double kSpeedRounding = 1e-7;  // m/s or rad/s: slower, nothing passes a limit
// Loops can be taut: what hangs between two posts, nearly straight, is under a thousand times its weight, which changes with every
// motion. Sweeps give way a little there, which contacts with such a net can follow; mechanisms of a few bodies are no nets.
constexpr size_t kMaxLoopBodies = 4;
constexpr size_t kMaxWork = 4000, kSmallWork = 20000;  // multiplications of a factor: by joint, and of any

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DMat3 to_matrix(const float* s) {  // xx, yy, zz, xy, xz, yz
    return DMat3(s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]);
}

DMat3 axes_of(const float* q) {  // x, y, z, w
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double scale = 1.0 / std::sqrt(x * x + y * y + z * z + w * w);
    return to_axes(x * scale, y * scale, z * scale, w * scale);
}

/// Turned as sub-steps turn a body: by the quaternion (1, w h / 2), made a unit.
DMat3 stepped(const DVec3& half, const DMat3& axes) {
    const double scale = 2.0 / (1.0 + glm::dot(half, half));
    const auto turn = [&](const DVec3& v) {
        const DVec3 side = glm::cross(half, v);
        return v + (side + glm::cross(half, side)) * scale;
    };
    return DMat3(turn(axes[0]), turn(axes[1]), turn(axes[2]));
}

double dot(const JointJacobian& j, const JointJacobian& y) {
    return glm::dot(j.linear_a, y.linear_a) + glm::dot(j.angular_a, y.angular_a) + glm::dot(j.linear_b, y.linear_b) +
           glm::dot(j.angular_b, y.angular_b);
}

}  // namespace

// ---- what depends on the graph alone

bool Articulation::analyse(const std::vector<uint32_t>& ids, const Joints& joints, const Bodies& bodies) {
    ids_ = ids;
    slots_.clear();
    links_.clear();
    couplings_.clear();
    const auto member_of = [&](uint32_t slot) {
        const auto at = std::find(slots_.begin(), slots_.end(), slot);
        // What cannot move has nothing to share: every joint has its own.
        if (at != slots_.end() && bodies.dynamic[slot]) return uint32_t(at - slots_.begin());
        slots_.push_back(slot);
        return uint32_t(slots_.size() - 1);
    };
    std::vector<uint8_t> sizes;
    uint32_t rows = 0;
    for (const uint32_t id : ids) {
        const JointData& joint = joints.data[id];
        Link& link = links_.emplace_back();
        link.id = id;
        link.a = member_of(joint.body_a);
        link.b = member_of(joint.body_b);
        link.row = rows;
        link.rows = joint.row_count;
        rows += joint.row_count;
        sizes.push_back(uint8_t(joint.row_count));
    }
    // The first body is one that moves: the island of the articulation is its own.
    members_.assign(slots_.size(), Member{});
    std::vector<std::vector<uint32_t>> links_of(slots_.size());
    const size_t moving =
        size_t(std::count_if(slots_.begin(), slots_.end(), [&](uint32_t s) { return bodies.dynamic[s] != 0; }));
    for (uint32_t k = 0; k < links_.size(); ++k)
        for (const uint32_t member : {links_[k].a, links_[k].b})
            if (bodies.dynamic[slots_[member]]) links_of[member].push_back(k);
    if (!is_tree(bodies) && moving > kMaxLoopBodies) return false;
    std::vector<RowPair> pairs;
    size_t crowd = 0;
    for (const std::vector<uint32_t>& list : links_of) crowd += list.size() * list.size();
    if (crowd > kSmallWork + 64 * links_.size()) return false;
    for (uint32_t member = 0; member < links_of.size(); ++member)
        for (size_t i = 0; i < links_of[member].size(); ++i)
            for (size_t j = 0; j < i; ++j) {
                const uint32_t a = links_of[member][i], b = links_of[member][j];
                pairs.push_back({a, b});
                couplings_.push_back({a, b, links_[a].b == member, links_[b].b == member});
            }
    if (!matrix_.analyse(sizes, pairs, kSmallWork + kMaxWork * links_.size())) return false;
    for (uint32_t k = 0; k < links_.size(); ++k) links_[k].unknown = matrix_.offset(k);
    for (Coupling& c : couplings_) c.at = matrix_.beside(c.a, c.b, c.transposed);
    rows_.assign(rows, Row{});
    unknowns_.assign(matrix_.unknowns(), 0.0);
    rates_.assign(members_.size(), 0.0f);
    ends_.assign(members_.size(), JointBody{});
    push_linear_.assign(members_.size(), DVec3(0.0));
    push_angular_.assign(members_.size(), DVec3(0.0));
    return true;
}

/// Whether its bodies are joined without a loop, with all that cannot move as one; several joints between two bodies are one.
bool Articulation::is_tree(const Bodies& bodies) const {
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    size_t nodes = 0;
    bool anchored = false;
    for (const uint32_t slot : slots_) nodes += bodies.dynamic[slot] != 0;
    for (const Link& link : links_) {
        const auto node = [&](uint32_t member) { return bodies.dynamic[slots_[member]] ? slots_[member] : kNone; };
        const uint32_t a = node(link.a), b = node(link.b);
        anchored |= a == kNone || b == kNone;
        edges.emplace_back(std::min(a, b), std::max(a, b));
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges.size() + 1 == nodes + anchored;
}

// ---- a step

void Articulation::load(const BodyRecords& records, const ArticulationLaw& law) {
    for (Member& m : members_) {
        const size_t at = size_t(m.record) * kRecord;
        const float *transform = records.transform + at, *delta = records.delta + at, *v = records.velocity + at;
        m.at.center = DVec3(transform[4], transform[5], transform[6]) + DVec3(delta[0], delta[1], delta[2]);
        m.at.axes = axes_of(transform);
        m.linear = DVec3(v[0], v[1], v[2]);
        m.angular = DVec3(v[4], v[5], v[6]);
        if (m.moves) {
            const float* mass = records.inverse_mass + at;
            m.inverse_mass = double(mass[6]);
            m.inverse_inertia = to_matrix(mass);
            const bool turns = law.gyroscopic && records.inertia[at + 6] > 0.0f;
            m.inertia_local = turns ? records.inertia + at : nullptr;
            m.inverse_inertia_local = turns ? records.inverse_inertia + at : nullptr;
        } else {
            // What no constraint moves is moved when all constraints are done.
            const float* a = records.free_velocity + at;
            const DVec3 acceleration(a[0], a[1], a[2]), spin_up(a[4], a[5], a[6]);
            const double time = double(law.elapsed), lag = double(law.lag), ramp = double(law.ramp);
            m.at.center += m.linear * time + acceleration * lag;
            m.at.axes = turned_by(m.angular * time + spin_up * lag, m.at.axes);
            m.linear += acceleration * ramp;
            m.angular += spin_up * ramp;
        }
    }
}

void Articulation::load_velocities(const BodyRecords& records) {
    for (Member& m : members_) {
        if (!m.moves) continue;
        const float* v = records.velocity + size_t(m.record) * kRecord;
        m.linear = DVec3(v[0], v[1], v[2]);
        m.angular = DVec3(v[4], v[5], v[6]);
    }
}

void Articulation::write_velocities(const BodyRecords& records) const {
    for (const Member& m : members_) {
        if (!m.moves) continue;
        float* v = records.velocity + size_t(m.record) * kRecord;
        for (int c = 0; c < 3; ++c) {
            v[c] = float(m.linear[c]);
            v[4 + c] = float(m.angular[c]);
        }
    }
}

/// Coordinates where the bodies are now; `jacobians`: lever arms, too.
void Articulation::evaluate(bool jacobians) {
    JointJacobian unused;
    for (Link& link : links_) {
        const JointData& joint = joints_->data[link.id];
        const JointBody &a = members_[link.a].at, &b = members_[link.b].at;
        const JointFrames frames = frames_of(joint, a, b);
        if (jacobians) link.arm_b = frames.arm_b;
        for (uint32_t r = link.row; r < link.row + link.rows; ++r) {
            Row& row = rows_[r];
            const double value = coordinate(joint, row.law.axis, frames, a, b, jacobians ? row.j : unused);
            if (!is_counted(row.law.axis)) row.value = value;
        }
    }
}

/// M^-1 J^T, and what an impulse of each row does to its own speed.
void Articulation::weigh_rows() {
    for (const Link& link : links_) {
        const Member &a = members_[link.a], &b = members_[link.b];
        for (uint32_t r = link.row; r < link.row + link.rows; ++r) {
            Row& row = rows_[r];
            row.y = JointJacobian{};
            if (a.moves) {
                row.y.linear_a = row.j.linear_a * a.inverse_mass;
                row.y.angular_a = a.inverse_inertia * row.j.angular_a;
            }
            if (b.moves) {
                row.y.linear_b = row.j.linear_b * b.inverse_mass;
                row.y.angular_b = b.inverse_inertia * row.j.angular_b;
            }
            row.response = dot(row.j, row.y);
        }
    }
}

/// What each row wants in this sub-step, and what it may give for that.
void Articulation::set_bounds(const ArticulationLaw& law) {
    has_bounds_ = false;
    for (Row& row : rows_) {
        if (row.plain) {  // what aim_of says of it
            row.end = row.value;
            row.hold = Hold::equal;
            continue;
        }
        const RowAim aim = aim_of(row.law, row.value, row.response, double(law.h));
        row.bias = aim.bias;
        row.compliance = aim.compliance;
        row.lowest = aim.lowest;
        row.highest = aim.highest;
        row.end = aim.end;
        row.keeps_place = aim.keeps_place;
        row.hold = Hold::equal;
        row.bounded = row.lowest > -kInfinity || row.highest < kInfinity;
        if (!row.bounded) continue;
        has_bounds_ = true;
        row.lambda = std::clamp(row.lambda, row.lowest, row.highest);
        if (row.lowest >= row.highest || (!aim.closed && row.lambda == 0.0))
            row.hold = Hold::none;
        else if (row.law.law != JointLaw::limit && row.lambda >= row.highest)
            row.hold = Hold::upper_most;
        else if (row.law.law != JointLaw::limit && row.lambda <= row.lowest)
            row.hold = Hold::lower_most;
    }
}

/// The matrix of the rows that are held now, and its factor.
void Articulation::factorise() {
    const auto side = [](const JointJacobian& j, bool b, DVec3& linear, DVec3& angular) {
        linear = b ? j.linear_b : j.linear_a;
        angular = b ? j.angular_b : j.angular_a;
    };
    for (uint32_t k = 0; k < links_.size(); ++k) {
        Link& link = links_[k];
        link.held_count = 0;
        for (uint32_t i = 0; i < link.rows; ++i) {
            Row& row = rows_[link.row + i];
            if (row.hold != Hold::equal) continue;
            row.unknown = link.unknown + link.held_count;
            link.held[link.held_count++] = uint8_t(i);
        }
        matrix_.set_size(k, uint8_t(link.held_count));
    }
    matrix_.clear();
    for (uint32_t k = 0; k < links_.size(); ++k) {
        const Link& link = links_[k];
        double* block = matrix_.diagonal(k);
        const uint32_t n = link.held_count;
        for (uint32_t i = 0; i < n; ++i) {
            const Row& row = rows_[link.row + link.held[i]];
            block[i * n + i] = row.response + row.compliance;
            for (uint32_t j = 0; j < i; ++j)
                block[i * n + j] = block[j * n + i] = dot(row.j, rows_[link.row + link.held[j]].y);
        }
    }
    for (const Coupling& c : couplings_) {
        double* block = matrix_.at(c.at);
        const Link &a = links_[c.a], &b = links_[c.b];
        const uint32_t m = a.held_count, n = b.held_count;
        for (uint32_t i = 0; i < m; ++i) {
            DVec3 linear, angular;
            side(rows_[a.row + a.held[i]].j, c.side_a, linear, angular);
            for (uint32_t j = 0; j < n; ++j) {
                DVec3 y, turn;
                side(rows_[b.row + b.held[j]].y, c.side_b, y, turn);
                block[c.transposed ? j * m + i : i * n + j] += glm::dot(linear, y) + glm::dot(angular, turn);
            }
        }
    }
    matrix_.factorise();
    factor_is_old_ = false;
}

void Articulation::give(const Row& row, const Link& link, double impulse) {
    Member &a = members_[link.a], &b = members_[link.b];
    a.linear += row.y.linear_a * impulse;
    a.angular += row.y.angular_a * impulse;
    b.linear += row.y.linear_b * impulse;
    b.angular += row.y.angular_b * impulse;
}

double Articulation::speed_of(const Row& row, const Link& link) const {
    const Member &a = members_[link.a], &b = members_[link.b];
    return glm::dot(row.j.linear_a, a.linear) + glm::dot(row.j.angular_a, a.angular) +
           glm::dot(row.j.linear_b, b.linear) + glm::dot(row.j.angular_b, b.angular);
}

template <class Work>
void Articulation::for_rows(const Work& work) {
    for (Link& link : links_)
        for (uint32_t i = 0; i < link.rows; ++i) work(link, rows_[link.row + i]);
}

bool Articulation::may_step_far(const Joints& joints) const {
    return std::all_of(ids_.begin(), ids_.end(), [&](uint32_t id) {
        const JointData& joint = joints.data[id];
        const auto rows = joint.row_list();
        return joint.state.lambda_dt > 0.0f &&
               std::all_of(rows.begin(), rows.end(), [](const JointRow& row) { return row.rigid(); });
    });
}

float Articulation::fastest_rate(const Joints& joints, const Bodies& bodies, float dt) const {
    float fastest = 0.0f;  // its square
    std::vector<float>& swing = rates_;
    std::fill(swing.begin(), swing.end(), 0.0f);
    for (const Link& link : links_) {
        const JointData& joint = joints.data[link.id];
        const float load = glm::length(joint.state.impulse) / dt;
        for (const auto& [member, frame] : {std::pair(link.a, &joint.frame_a), std::pair(link.b, &joint.frame_b)}) {
            const uint32_t slot = slots_[member];
            if (!bodies.dynamic[slot]) continue;
            const float radius = bodies.transform[slot].radius;
            const float length = std::max(glm::length(frame->origin), 0.05f * radius);
            if (!(length > 0.0f)) continue;
            // A load at the end of an arm turns the body back like a pendulum, about any axis across the arm.
            const Sym3& i = bodies.data[slot].inverse_inertia_local;
            const Vec3 arm = frame->origin / length;
            const Vec3 u = glm::normalize(glm::cross(arm, std::abs(arm.x) < 0.7f ? Vec3(1, 0, 0) : Vec3(0, 1, 0))),
                       v = glm::cross(arm, u);
            const float uu = glm::dot(u, i * u), vv = glm::dot(v, i * v), uv = glm::dot(u, i * v);
            const float across = 0.5f * (uu + vv) + std::sqrt(0.25f * (uu - vv) * (uu - vv) + uv * uv);
            swing[member] += load * (length * across + bodies.inverse_mass[slot].mass / length);
        }
    }
    for (size_t k = 0; k < slots_.size(); ++k) {
        if (!bodies.dynamic[slots_[k]]) continue;
        const Vec3& w = bodies.velocity[slots_[k]].angular;
        fastest = std::max({fastest, swing[k], kTurnsForSwing * kTurnsForSwing * glm::dot(w, w)});
    }
    return std::sqrt(fastest);
}

void Articulation::begin(Joints& joints, const Bodies& bodies, const std::vector<uint32_t>& index_of_body,
                         const BodyRecords& records, const ArticulationLaw& law) {
    joints_ = &joints;
    worst_motion_ = 0.0;
    holds_ = true;
    for (size_t k = 0; k < members_.size(); ++k) {
        Member& m = members_[k];
        m = Member{};
        m.record = index_of_body[slots_[k]];
        m.moves = bodies.dynamic[slots_[k]] != 0;
        m.radius = records.transform[size_t(m.record) * kRecord + 7];
    }
    load(records, law);
    for (Link& link : links_) {
        const JointData& joint = joints.data[link.id];
        const float radius = judged_radius(members_[link.a].radius, members_[link.b].radius);
        const DVec3& at = members_[link.b].at.center;
        link.rounding = kRoundingPart * float(std::abs(at.x) + std::abs(at.y) + std::abs(at.z));
        link.radius = radius;
        link.impulse = link.moment = DVec3(0.0);
        const float scale = joint.state.lambda_dt > 0.0f ? law.h / joint.state.lambda_dt : 0.0f;
        for (uint32_t i = 0; i < link.rows; ++i) {
            Row& row = rows_[link.row + i];
            row = Row{};
            row.law = joint.rows[i];
            row.plain = row.law.law == JointLaw::locked && row.law.rigid() && !is_counted(row.law.axis) &&
                        row.law.max_force == std::numeric_limits<float>::infinity();
            row.keeps_place = row.plain;
            row.lowest = -kInfinity;
            row.highest = kInfinity;
            row.lambda = double(joint.state.lambda[i] * scale);
            if (is_counted(row.law.axis)) row.value = double(joint.state.counted);
        }
    }
    close(records, law);
    is_evaluated_ = false;
}

/// Whether positions have to obey a row, and how far off it is.
bool Articulation::is_open(const Row& row, double& error) {
    if (is_counted(row.law.axis)) return false;
    const RowAim aim = aim_of(row.law, row.value, 0.0, 1.0);
    error = aim.error;
    return aim.keeps_place && (row.law.law == JointLaw::locked || aim.closed);
}

/// Newton steps on positions, which leave momentum alone.
void Articulation::close(const BodyRecords& records, const ArticulationLaw& law) {
    for (uint32_t pass = 0; pass <= kMaxClosings; ++pass) {
        evaluate(false);
        double worst = 0.0;
        for_rows([&](Link& link, Row& row) {
            double error = 0.0;
            const bool open = is_open(row, error);
            row.hold = open ? Hold::equal : Hold::none;
            row.x = open ? -error : 0.0;
            if (open) worst = std::max(worst, std::abs(error) / tolerance_of(link, row, kClosedPart, link.rounding));
        });
        if (!(worst > 1.0) || pass == kMaxClosings) break;
        evaluate(true);
        weigh_rows();
        for (Row& row : rows_) row.compliance = 0.0;
        factorise();
        solve_rows();
        move(records, law, 1.0, false);
    }
    factor_is_old_ = true;
}

double Articulation::tolerance_of(const Link& link, const Row& row, float part, float rounding) const {
    const double length = double(part * link.radius + rounding);
    return is_turn(row.law.axis) ? length / double(link.radius) : length;
}

void Articulation::begin_substep(const BodyRecords& records, const ArticulationLaw& law, bool warm) {
    if (is_evaluated_) {
        load_velocities(records);
    } else {
        load(records, law);
        evaluate(true);
    }
    is_evaluated_ = false;
    weigh_rows();
    set_bounds(law);
    factor_is_old_ = true;
    if (!warm) {
        // Rows that hold give what the solve finds; those that give as much as they can do so from the start.
        for_rows([&](Link& link, Row& row) {
            if (row.hold == Hold::upper_most || row.hold == Hold::lower_most)
                give(row, link, row.lambda);
            else
                row.lambda = 0.0;
        });
    } else {
        for_rows([&](Link& link, Row& row) { give(row, link, row.lambda); });
    }
    write_velocities(records);
}

/// Rows that hold and should not are let go, and with `takes_up` the other way round. Returns whether any changed.
bool Articulation::change_holds(bool takes_up) {
    bool changed = false;
    for_rows([&](Link& link, Row& row) {
        if (!row.bounded || row.lowest >= row.highest) return;
        if (row.hold == Hold::equal) {
            const double kept = std::clamp(row.lambda, row.lowest, row.highest);
            if (kept == row.lambda) return;
            give(row, link, kept - row.lambda);
            row.lambda = kept;
            row.hold = kept == 0.0 ? Hold::none : kept == row.lowest ? Hold::lower_most : Hold::upper_most;
            changed = true;
            return;
        }
        if (!takes_up) return;
        // More impulse makes the speed larger: what is too slow wants more of it.
        const double speed = speed_of(row, link) + row.bias + row.compliance * row.lambda;
        const bool wants_more = speed < -kSpeedRounding && row.lambda < row.highest;
        const bool wants_less = speed > kSpeedRounding && row.lambda > row.lowest;
        if (!wants_more && !wants_less) return;
        row.hold = Hold::equal;
        changed = true;
    });
    return changed;
}

void Articulation::solve(const BodyRecords& records, const ArticulationLaw& law, bool moves_next) {
    load_velocities(records);
    for (uint32_t pass = 0; pass < kMaxPasses; ++pass) {
        if (factor_is_old_) factorise();
        for_rows([&](Link& link, Row& row) {
            row.x = row.hold == Hold::equal ? -(speed_of(row, link) + row.bias + row.compliance * row.lambda) : 0.0;
        });
        solve_rows();
        give_solution(1.0);
        if (!has_bounds_ || !change_holds(pass < kPatientPasses)) break;
        factor_is_old_ = true;
    }
    if (moves_next) solve_motion(law);
    write_velocities(records);
}

/// Solves for what the rows that hold are to give; what they want stands in them, and then the answer.
void Articulation::solve_rows() {
    for (const Row& row : rows_)
        if (row.hold == Hold::equal) unknowns_[row.unknown] = row.x;
    matrix_.solve(unknowns_.data());
    for (Row& row : rows_) row.x = row.hold == Hold::equal ? unknowns_[row.unknown] : 0.0;
}

/// Gives the bodies a part of the answer.
void Articulation::give_solution(double part) {
    for_rows([&](Link& link, Row& row) {
        if (row.hold != Hold::equal) return;
        row.lambda += part * row.x;
        give(row, link, part * row.x);
    });
}

/// Where a body gets to in this sub-step with the velocity that it has.
JointBody Articulation::moved(const Member& m, const ArticulationLaw& law) const {
    const double h = double(law.h);
    JointBody to;
    to.center = m.at.center + m.linear * h;
    DVec3 spin = m.angular;
    if (m.inverse_inertia_local) {
        // Of a body without forces angular momentum stays: it turns with the velocity that it has half way.
        const DMat3 half = stepped(m.angular * (0.25 * h), m.at.axes);
        const DVec3 momentum = m.at.axes * (to_matrix(m.inertia_local) * (glm::transpose(m.at.axes) * m.angular));
        spin = half * (to_matrix(m.inverse_inertia_local) * (glm::transpose(half) * momentum));
    }
    to.axes = stepped(spin * (0.5 * h), m.at.axes);
    return to;
}

/// How far the coordinates would be from where they should be at the end of the sub-step, over what may be left; rows
/// want what closes that.
double Articulation::aim(const ArticulationLaw& law) {
    const double h = double(law.h), rate = 1.0 / h;
    JointJacobian unused;
    double worst = 0.0;
    for (size_t k = 0; k < members_.size(); ++k) {
        const Member& m = members_[k];
        if (m.moves)
            ends_[k] = moved(m, law);
        else
            ends_[k] = {m.at.center + m.linear * h, turned_by(m.angular * h, m.at.axes)};
    }
    for (Link& link : links_) {
        const JointData& joint = joints_->data[link.id];
        const JointBody &a = ends_[link.a], &b = ends_[link.b];
        const JointFrames frames = frames_of(joint, a, b);
        for (uint32_t i = 0; i < link.rows; ++i) {
            Row& row = rows_[link.row + i];
            row.x = 0.0;
            if (!row.keeps_place || row.hold != Hold::equal) continue;
            // What is counted comes back from where a stop that nothing can pass has let it slip to.
            const double error =
                is_counted(row.law.axis)
                    ? std::clamp(row.value, -kMaxReturn, kMaxReturn) + h * speed_of(row, link)
                    : coordinate_difference(row.law.axis, coordinate(joint, row.law.axis, frames, a, b, unused),
                                            row.end);
            worst = std::max(worst, std::abs(error) / tolerance_of(link, row, kAimPart, 0.0f));
            row.x = -error * rate;
        }
    }
    return worst;
}

/// The same impulses, changed so that the positions at the end of the sub-step obey. What turns or strikes so hard that Newton
/// steps lead astray keeps the impulses that were best.
void Articulation::solve_motion(const ArticulationLaw& law) {
    double best = aim(law), part = 1.0;
    // A Newton step leaves about as much of an error as the bodies turn meanwhile.
    double turn = 0.0;
    for (const Member& m : members_)
        if (m.moves) turn = std::max(turn, glm::dot(m.angular, m.angular));
    const double leaves = kLeft * (std::sqrt(turn) * double(law.h) + kMinTurn);
    for (uint32_t pass = 0; pass < kMaxAims && best > 1.0; ++pass) {
        solve_rows();
        if (best < kSurely && best * leaves < 1.0) return give_solution(1.0);
        for (Row& row : rows_) row.last = row.x;
        const auto take = [&](double by) {
            for (Row& row : rows_) row.x = row.last;
            give_solution(by);
            return aim(law);
        };
        double worst = take(part);
        for (; !(worst < best) && part > kMinTaken; part *= 0.5) worst = take(-0.5 * part);
        if (!(worst < best)) {
            take(-part);
            break;
        }
        best = worst;
    }
    holds_ &= best * double(kAimPart) < double(kFailedPart);
}

/// Moves the bodies by what the answer, as impulses, leads to in a time h. `is_motion`: their velocities take part.
void Articulation::move(const BodyRecords& records, const ArticulationLaw& law, double h, bool is_motion) {
    push_linear_.assign(members_.size(), DVec3(0.0));
    push_angular_.assign(members_.size(), DVec3(0.0));
    for_rows([&](Link& link, Row& row) {
        if (row.hold != Hold::equal) return;
        const double x = row.x;
        push_linear_[link.a] += row.j.linear_a * x;
        push_angular_[link.a] += row.j.angular_a * x;
        push_linear_[link.b] += row.j.linear_b * x;
        push_angular_[link.b] += row.j.angular_b * x;
    });
    double turn = 0.0;
    for (size_t k = 0; k < members_.size(); ++k) {
        const Member& m = members_[k];
        push_linear_[k] = m.moves ? push_linear_[k] * m.inverse_mass : DVec3(0.0);
        push_angular_[k] = m.moves ? m.inverse_inertia * push_angular_[k] : DVec3(0.0);
        turn = std::max(turn, glm::length(push_angular_[k]) * h);
    }
    const double scale = !is_motion && turn > kMaxClosingTurn ? kMaxClosingTurn / turn : 1.0;
    for (size_t k = 0; k < members_.size(); ++k) {
        Member& m = members_[k];
        if (!m.moves) continue;
        const DVec3 way = push_linear_[k] * (h * scale), turns = push_angular_[k] * (h * scale);
        const size_t at = size_t(m.record) * kRecord;
        float *transform = records.transform + at, *delta = records.delta + at, *v = records.velocity + at;
        const float* kind = records.inertia + at;
        const bool anisotropic = law.gyroscopic && kind[6] > 0.0f;
        const Quat before(transform[3], transform[0], transform[1], transform[2]);
        const Quat after = integrate_rotation(before, Vec3(turns), 1.0f);
        for (int c = 0; c < 3; ++c) {
            delta[c] = float(double(delta[c]) + way[c]);
            delta[4 + c] = float(double(delta[4 + c]) + turns[c]);
        }
        transform[0] = after.x, transform[1] = after.y, transform[2] = after.z, transform[3] = after.w;
        if (is_motion) {
            for (int c = 0; c < 3; ++c) {
                v[c] = float(double(v[c]) + push_linear_[k][c]);
                v[4 + c] = float(double(v[4 + c]) + push_angular_[k][c]);
            }
        } else if (anisotropic) {
            // A body that is turned without a moment keeps its angular momentum: the spin of a long link about its axis would
            // otherwise stay behind, and be a fast turn across the axis from now on.
            const DMat3 inertia = to_matrix(kind), inverse = to_matrix(records.inverse_inertia + at);
            const DMat3 &was = m.at.axes, now = axes_of(transform);
            const DVec3 momentum = was * (inertia * (glm::transpose(was) * DVec3(v[4], v[5], v[6])));
            const DVec3 spin = now * (inverse * (glm::transpose(now) * momentum));
            for (int c = 0; c < 3; ++c) v[4 + c] = float(spin[c]);
        }
        if (kind[6] > 0.0f) {
            const DMat3 now = axes_of(transform);
            const DMat3 world = now * to_matrix(records.inverse_inertia + at) * glm::transpose(now);
            float* mass = records.inverse_mass + at;
            mass[0] = float(world[0][0]), mass[1] = float(world[1][1]), mass[2] = float(world[2][2]);
            mass[3] = float(world[0][1]), mass[4] = float(world[0][2]), mass[5] = float(world[1][2]);
        }
    }
    load(records, law);
}

void Articulation::end_substep(const BodyRecords& records, const ArticulationLaw& law) {
    for_rows([&](Link& link, Row& row) {
        if (is_counted(row.law.axis)) row.value += double(law.h) * speed_of(row, link);
        row.total += row.lambda;
        link.impulse += row.j.linear_b * row.lambda;
        link.moment += (row.j.angular_b - glm::cross(link.arm_b, row.j.linear_b)) * row.lambda;
    });
    load(records, law);
    const double rate = 1.0 / double(law.h);
    double before = kInfinity, motion = 0.0, worst = 0.0;
    for (uint32_t pass = 0;; ++pass) {
        evaluate(true);
        worst = motion = 0.0;
        for_rows([&](Link& link, Row& row) {
            row.x = 0.0;
            if (!row.keeps_place || row.hold != Hold::equal || is_counted(row.law.axis)) return;
            const double error = coordinate_difference(row.law.axis, row.value, row.end);
            worst = std::max(worst, std::abs(error) / tolerance_of(link, row, kMotionPart, link.rounding));
            motion = std::max(motion, std::abs(error) * (is_turn(row.law.axis) ? double(link.radius) : 1.0));
            row.x = -error * rate;
        });
        if (!(worst > 1.0) || !(worst < before) || pass == kMaxMotionPasses) break;
        before = kPays * worst;
        if (factor_is_old_) factorise();
        solve_rows();
        move(records, law, double(law.h), true);
    }
    worst_motion_ = std::max(worst_motion_, motion * rate);
    holds_ &= worst * double(kMotionPart) < double(kFailedPart);
    is_evaluated_ = true;
}

void Articulation::store(const ArticulationLaw& law, MeasureSum& sum) const {
    for (const Link& link : links_) {
        JointData& joint = joints_->data[link.id];
        JointState& state = joint.state;
        double way = 0.0, turn = 0.0, open = 0.0;  // squares
        state.impulse = Vec3(link.impulse);
        state.angular_impulse = Vec3(link.moment);
        state.motor_impulse = 0.0f;
        state.lambda_dt = law.h;
        for (uint32_t i = 0; i < link.rows; ++i) {
            const Row& row = rows_[link.row + i];
            state.lambda[i] = float(row.lambda);
            if (row.law.law == JointLaw::motor) state.motor_impulse += float(row.total);
            if (is_counted(row.law.axis)) state.counted = float(row.value);
            double error = 0.0;
            const bool rigid = is_open(row, error), soft = !rigid && row.law.law == JointLaw::locked;
            if (soft) error = coordinate_difference(row.law.axis, row.value, double(row.law.lower));
            if (rigid || soft) (is_turn(row.law.axis) ? turn : way) += error * error;
            if (rigid && !is_turn(row.law.axis)) open += error * error;
        }
        if (joint.shown != JointAxis::world_x) {
            JointJacobian unused;
            const JointBody &a = members_[link.a].at, &b = members_[link.b].at;
            state.position = is_counted(joint.shown)
                                 ? state.counted
                                 : float(coordinate(joint, joint.shown, frames_of(joint, a, b), a, b, unused));
        }
        state.error = float(std::sqrt(way));
        state.angular_error = float(std::sqrt(turn));
        sum.joint_error_max = std::max(sum.joint_error_max, float(std::sqrt(open)));
    }
    sum.joint_residual_max = std::max(sum.joint_residual_max, float(worst_motion_));
}

size_t Articulation::bytes() const {
    return matrix_.bytes() + rows_.capacity() * sizeof(Row) + links_.capacity() * sizeof(Link) +
           members_.capacity() * sizeof(Member) + couplings_.capacity() * sizeof(Coupling) +
           (ids_.capacity() + slots_.capacity()) * sizeof(uint32_t) + unknowns_.capacity() * sizeof(double) +
           (push_linear_.capacity() + push_angular_.capacity()) * sizeof(DVec3);
}

// ---- all of them

void update_articulations(const Joints& joints, const Bodies& bodies, Articulations& all) {
    if (all.seen_joints == joints.version && all.seen_bodies == bodies.version) return;
    all.seen_joints = joints.version;
    all.seen_bodies = bodies.version;
    ++all.version;
    all.of_joint.assign(joints.data.size(), Articulations::kSwept);
    all.count = 0;
    if (joints.data.empty()) return;
    std::vector<uint32_t>& parent = all.root_of_body;
    parent.resize(bodies.size());
    for (uint32_t i = 0; i < bodies.size(); ++i) parent[i] = i;
    const auto root_of = [&](uint32_t body) {
        while (parent[body] != body) body = parent[body] = parent[parent[body]];
        return body;
    };
    for (const JointData& joint : joints.data) {
        if (!bodies.dynamic[joint.body_a] || !bodies.dynamic[joint.body_b]) continue;
        const uint32_t a = root_of(joint.body_a), b = root_of(joint.body_b);
        parent[std::max(a, b)] = std::min(a, b);
    }
    // Joints by the articulation that they would be in, in the order of the list.
    std::vector<std::pair<uint32_t, uint32_t>>& order = all.order;
    order.clear();
    for (uint32_t k = 0; k < joints.data.size(); ++k) {
        const JointData& joint = joints.data[k];
        const uint32_t moving = bodies.dynamic[joint.body_a] ? joint.body_a : joint.body_b;
        if (!bodies.dynamic[moving] || joint.row_count == 0) continue;
        order.emplace_back(root_of(moving), k);
    }
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> ids;
    for (size_t k = 0; k < order.size();) {
        ids.clear();
        const uint32_t root = order[k].first;
        for (; k < order.size() && order[k].first == root; ++k) ids.push_back(order[k].second);
        if (all.count == all.list.size()) all.list.emplace_back();
        if (!all.list[all.count].analyse(ids, joints, bodies)) continue;
        for (const uint32_t id : ids) all.of_joint[id] = all.count;
        ++all.count;
    }
}

}  // namespace proxima::physics
