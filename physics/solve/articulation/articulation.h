// SPDX-License-Identifier: MIT
// Joints that hang together, solved as one: exactly, in every sub-step, in double precision. Where an island has contacts too this
// is one block of its Gauss-Seidel sweeps: contacts are swept, then all joints of an articulation are solved for what is left.
//
// With J the rows of the joints that hold now, M the masses and S the compliance of springs, the change x of the impulses is
//     (J M^-1 J^T + S) x = -(J v + b + S l),
// a block row for each joint, which two joints share a block of when they share a body that they can move: a tree has no fill
// (block_ldl.h). Limits hold when they would be passed and let go when they would pull; motors and friction hold as far as
// their force goes: which rows do is found by solving again until none of them changes (an active set).
//
// Velocities that obey J v = 0 where a sub-step begins lead off the constraint by (w h)^2 / 2 of a lever arm where it ends, and
// bringing bodies back would take that from their energy. The impulses of a sub-step are therefore those that make the
// *positions* at its end obey (SHAKE; Ryckaert, Ciccotti and Berendsen 1977): where the bodies would get to is reckoned in double
// precision, and the same factor gives the impulses for what is missing, along the lever arms with which they set out. Positions
// as they are rounded play no part in that: fed back they would shake a chain by 1e-7 m / h. What is left open in the end, and
// what was open before the step, is closed by positions alone.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/bodies/bodies.h"
#include "physics/constraints/block.h"
#include "physics/joints/joint_coordinates.h"
#include "physics/joints/joints.h"
#include "physics/solve/articulation/block_ldl.h"
#include "physics/solve/measure.h"

namespace proxima::physics {

/// How a sub-step of an articulation is reckoned with.
struct ArticulationLaw {
    float h = 0.0f;                 // s
    float elapsed = 0.0f;           // s since the step began
    float ramp = 0.0f, lag = 0.0f;  // those of sweep::SweepLaw, of kinematic bodies
    bool gyroscopic = true;
};

class Articulation {
  public:
    /// Of joints that hang together, by their numbers in the list. False when a factor would cost more than sweeps.
    bool analyse(const std::vector<uint32_t>& ids, const Joints& joints, const Bodies& bodies);

    /// Whether long sub-steps do it no harm: its loads are known, and it has no springs, which lose energy to them.
    bool may_step_far(const Joints& joints) const;
    /// 1/s: the fastest that its bodies swing under the loads of the last step, or turn. A sub-step that is long against its
    /// inverse makes a light link under a heavy load whip, however exact the solve.
    float fastest_rate(const Joints& joints, const Bodies& bodies, float dt) const;
    /// Before the first sub-step: its bodies are the records that `index_of_body` names. What joints are off by is closed by
    /// positions.
    void begin(Joints& joints, const Bodies& bodies, const std::vector<uint32_t>& index_of_body,
               const sweep::BodyRecords& records, const ArticulationLaw& law);
    /// At the start of a sub-step, when its bodies have their free velocities: lever arms and factor. `warm` gives the
    /// impulses of the sub-step before, for what is swept in between to see them.
    void begin_substep(const sweep::BodyRecords& records, const ArticulationLaw& law, bool warm);
    /// The velocities of its bodies as the joints want them; `moves_next`: nothing else changes them before the bodies move.
    void solve(const sweep::BodyRecords& records, const ArticulationLaw& law, bool moves_next);
    /// After the bodies moved: positions and velocities as the joints want them, and the impulses of the sub-step.
    void end_substep(const sweep::BodyRecords& records, const ArticulationLaw& law);
    /// After the last sub-step.
    void store(const ArticulationLaw& law, MeasureSum& sum) const;

    /// Whether positions could be made to obey in every sub-step of this step.
    bool holds() const { return holds_; }
    const std::vector<uint32_t>& joints() const { return ids_; }
    /// Slots of the bodies of its joints, those that cannot move included.
    const std::vector<uint32_t>& bodies() const { return slots_; }
    size_t bytes() const;

  private:
    /// What a row does now.
    enum class Hold : uint8_t {
        none,        // it gives nothing
        equal,       // what it takes to have the speed that it wants
        lower_most,  // as much as it may, in either direction
        upper_most,
    };
    struct Member {
        JointBody at;
        DMat3 inverse_inertia{0.0};  // world
        double inverse_mass = 0.0;
        const float* inverse_inertia_local = nullptr;  // of bodies whose inertia turns with them
        const float* inertia_local = nullptr;
        DVec3 linear{0.0}, angular{0.0};  // velocity
        uint32_t record = 0;
        float radius = 0.0f;
        bool moves = false;
    };
    struct Link {
        uint32_t id = 0;             // in Joints::data
        uint32_t a = 0, b = 0;       // members
        uint32_t row = 0, rows = 0;  // the first one, and how many
        uint32_t unknown = 0;        // the first one in the order of elimination
        uint32_t held_count = 0;     // rows that hold, and which
        uint8_t held[kMaxJointRows] = {};
        float radius = 0.0f, rounding = 0.0f;  // m: by which errors are judged, and what floats cannot tell
        DVec3 arm_b{0.0};                      // from the centre of mass of b to its anchor
        DVec3 impulse{0.0}, moment{0.0};       // on b, about its anchor, summed over the step
    };
    /// Two links that share a member that moves.
    struct Coupling {
        uint32_t a = 0, b = 0;
        bool side_a = false, side_b = false;  // whether it is body b of the link
        bool transposed = false;
        size_t at = 0;  // of their block of the matrix
    };
    struct Row {
        JointRow law;
        JointJacobian j, y;                  // J, and M^-1 J^T
        double value = 0.0;                  // of the coordinate
        double end = 0.0;                    // where it is to be at the end of the sub-step
        double bias = 0.0;                   // m/s or rad/s
        double compliance = 0.0;             // (m/s) per (N s)
        double response = 0.0;               // J M^-1 J^T of the row alone
        double lambda = 0.0, total = 0.0;    // impulse of the sub-step, and of the step
        double x = 0.0, last = 0.0;          // what a solve is to bring, and its answer; the one before
        double lowest = 0.0, highest = 0.0;  // that it may give
        uint32_t unknown = 0;                // of rows that hold, in the order of elimination
        Hold hold = Hold::none;
        bool bounded = false;
        bool plain = false;        // rigid and locked, and nothing else
        bool keeps_place = false;  // positions have to obey it at the end of a sub-step
    };

    template <class Work>
    void for_rows(const Work& work);
    void load(const sweep::BodyRecords& records, const ArticulationLaw& law);
    void load_velocities(const sweep::BodyRecords& records);
    void write_velocities(const sweep::BodyRecords& records) const;
    void evaluate(bool jacobians);
    void solve_rows();
    void give_solution(double part);
    double aim(const ArticulationLaw& law);
    bool is_tree(const Bodies& bodies) const;
    void weigh_rows();
    void set_bounds(const ArticulationLaw& law);
    void factorise();
    void solve_motion(const ArticulationLaw& law);
    JointBody moved(const Member& member, const ArticulationLaw& law) const;
    bool change_holds(bool takes_up);
    void give(const Row& row, const Link& link, double impulse);
    void move(const sweep::BodyRecords& records, const ArticulationLaw& law, double h, bool is_motion);
    void close(const sweep::BodyRecords& records, const ArticulationLaw& law);
    double speed_of(const Row& row, const Link& link) const;
    double tolerance_of(const Link& link, const Row& row, float part, float rounding) const;
    static bool is_open(const Row& row, double& error);

    std::vector<uint32_t> ids_, slots_;
    std::vector<Member> members_;
    std::vector<Link> links_;
    std::vector<Coupling> couplings_;
    std::vector<Row> rows_;
    std::vector<double> unknowns_;
    std::vector<DVec3> push_linear_, push_angular_;  // by member
    BlockLdl matrix_;
    Joints* joints_ = nullptr;  // of the step that is solved
    bool has_bounds_ = false, factor_is_old_ = true;
    bool holds_ = true;
    bool is_evaluated_ = false;         // where its bodies are now
    mutable std::vector<float> rates_;  // scratch, by member
    std::vector<JointBody> ends_;       // by member: where it would get to
    double worst_motion_ = 0.0;         // m/s, of what the motion of a sub-step left open
};

/// All articulations of a world.
struct Articulations {
    static constexpr uint32_t kSwept = 0xFFFFFFFFu;
    uint64_t version = 0;  // raised when they are other ones
    uint64_t seen_joints = ~uint64_t(0), seen_bodies = ~uint64_t(0);
    std::vector<Articulation> list;
    uint32_t count = 0;                  // of the list; the others wait to be used again
    std::vector<uint32_t> of_joint;      // by joint: its articulation; kSwept: it is swept with the contacts
    std::vector<uint32_t> root_of_body;  // scratch
    std::vector<std::pair<uint32_t, uint32_t>> order;  //

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(list, of_joint, root_of_body, order);
        for (const Articulation& a : list) archive.derived_bytes(a.bytes());
    }
};

// ---- stages

/// The articulations of the joints there are. Those that are solved by a solver of the laboratory are in there, too.
void update_articulations(const Joints& joints, const Bodies& bodies, Articulations& articulations);

}  // namespace proxima::physics
