// SPDX-License-Identifier: MIT
#include "physics/solve/general/capture_contacts.h"

#include "physics/simulation.h"

namespace proxima::physics {

Result<ContactDump> capture_contacts(Simulation& s, float dt) {
    s.settings.substeps = 1;
    s.settings.stepping = Stepping::semi_implicit;
    s.settings.simd_kernels = false;  // its blocks are not the contacts that are asked for
    const StepParams p = begin_step(s, dt);
    const StepTools t{*s.jobs, s.times, s.report};
    sync_changes(s, p, t);
    find_pairs(s.bodies, p, s.colliders, s.pairs, t);
    update_manifolds(s.bodies, s.colliders, s.joints, p, s.pairs, t);
    update_graph(s.pairs, s.joints, p, s.bodies, s.graph, t);
    assign_solvers(s.registry, s.pairs, s.graph, p, s.bodies, s.plan, t);
    list_general_islands(s.graph, s.plan, s.stores(), s.general);

    ContactDump dump;
    dump.dt = p.h;
    std::vector<BodyVelocity> velocity(s.bodies.size());
    std::vector<uint8_t> touched(s.bodies.size(), 0);
    IslandProblem problem;
    const Solver& knows_all = *find_solver("prox_gs");  // rows of every kind of friction, so that they can be refused
    for (size_t k = 0; k < s.general.islands.size(); ++k) {
        const uint32_t first = s.general.first_edge[k], count = s.general.first_edge[k + 1] - first;
        gather_island(s.stores(), s.bodies, s.graph.bodies_of(s.graph.islands[s.general.islands[k]]),
                      {s.general.edges.data() + first, count}, knows_all, p, p.h, problem);
        if (!problem.rows.extras.empty())
            return Error{
                "Contacts of this world have a grain, torsional or rolling friction; a contact problem holds one "
                "coefficient of friction a contact."};
        for (const RowLaw& law : problem.laws)
            if (law.surface_moves)
                return Error{
                    "Contacts of this world have a surface that moves along itself (surface_velocity); a contact "
                    "problem holds surfaces that move with their bodies."};
        integrate_velocities(s.bodies, problem);
        refresh_rows(problem, false, 0.0f);
        const uint32_t shift = uint32_t(dump.contacts.size());
        for (const ContactGroup& group : problem.rows.groups)
            dump.groups.push_back({group.begin + shift, group.end + shift});
        for (Contact contact : problem.rows.contacts) {
            contact.a = problem.slots[contact.a];
            contact.b = problem.slots[contact.b];
            touched[contact.a] = touched[contact.b] = 1;
            dump.contacts.push_back(contact);
        }
        for (size_t i = 0; i < problem.slots.size(); ++i) velocity[problem.slots[i]] = problem.velocity[i];
    }
    // The bodies that contacts touch, in the order of their slots; contacts then name indices into this list.
    std::vector<uint32_t> index(s.bodies.size(), 0);
    for (uint32_t slot = 0; slot < index.size(); ++slot) {
        if (!touched[slot]) continue;
        index[slot] = uint32_t(dump.velocity.size());
        dump.velocity.push_back(velocity[slot]);
        dump.inverse_mass.push_back(s.bodies.inverse_mass[slot]);
    }
    for (Contact& contact : dump.contacts) {
        contact.a = index[contact.a];
        contact.b = index[contact.b];
    }
    return dump;
}

}  // namespace proxima::physics
