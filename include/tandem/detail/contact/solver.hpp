// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as all passes of a Newton step work on the memory of one class.
#pragma once
#include "tandem/detail/contact/carried_masses.hpp"
#include "tandem/detail/contact/contact_columns.hpp"
#include "tandem/detail/contact/contact_gradients.hpp"
#include "tandem/detail/contact/contact_rows.hpp"
#include "tandem/detail/contact/coupled_links.hpp"
#include "tandem/detail/contact/held_rows.hpp"
#include "tandem/detail/contact/joint_rows.hpp"
#include "tandem/detail/contact/line_search.hpp"
#include "tandem/detail/contact/link_passes.hpp"
#include "tandem/detail/contact/tendon_rows.hpp"

namespace tandem::inline TANDEM_ISA {

/// How it went, one number a lane.
template <class S>
struct ContactSolution {
  S converged;  ///< 1, or 0 after most_steps
  S steps;      ///< Newton steps
};

/// Forward dynamics of a robot that touches what does not move, or itself, with its limits and friction: the
/// acceleration a that minimises
///
///     1/2 |a - a_free|^2_M + sum over blocks of s(J a - reference)
///
/// [MuJoCo, Computation, Constraint model], with the laws of laws.hpp and the costs of zones.hpp.
///
/// Method    Newton's method in the accelerations:
///
///           1. begin      rows with their x = J a - reference, at the a of the step before; f and H of each
///           2. weld       W H W^T on links that touch, h on the joints with limits and friction
///           3. respond    (M + J^T H J) step = tau - bias + J^T f - M a
///           4. search     alpha, by slopes along the step
///           5. advance    a += alpha step;  f and H of all rows there;  from 2. on until it converges
///
///           As H of a contact acts on one link alone, step 3 is forward dynamics of a robot to whose links W H W^T is
///           welded, on which W f pushes, and whose joints have the curvature of their rows beside their armature:
///           articulated bodies, O(links + contacts), with neither M nor H. Of M a links keep what each of them takes,
///           I a. Contacts between two links and loop joints couple articulated bodies, see CoupledLinks, or are
///           iterated, see ContactGradients; mimic joints, tendons and couplers are columns over them, see
///           ContactColumns.
///           A lane converges when a step was within the tolerance, or when rows push after it as the quadratic model
///           has foreseen: the next step would be zero
/// In        q [nq]   v [nv]   tau [nv] N m|N with all passive forces but friction   f_ext, diagonal as in forward
///           dynamics
///           contacts, in the order of their links   a [nv]: where to begin, the acceleration of the step before
/// Out       a [nv] rad/s^2|m/s^2   f_limit, f_friction [nv] N m|N: pushes of limits, friction of joints
///           f_contact [contacts][6] N, N m: along the normal and the tangents, about them; columns may be left out
///           Of loop joints and couplers: see report_held
/// Errors    none; a contact with a NaN in it gives NaN in its own lane
/// Lanes that have converged go on with alpha = 0, without their contacts; `open` is 1 in the others. Loops have their
/// columns as local variables, where compilers keep them in registers while rows are written.
template <class S, class M, class Work, class List = ContactList<Work>>
struct ContactSolver {
  using Number = S;
  using Aba = ArticulatedBody;
  using Rows = ContactRows<S, M, Work, List>;
  using Block = typename Rows::Block;
  using Joints = JointRows<S, M, Work>;
  using Tendons = TendonRows<S, M, Work>;
  using Loops = LoopRows<S, Work>;
  using Couplers = CouplerRows<S, Work>;
  using Carried = CarriedMasses<S, M, Work>;
  using Columns = ContactColumns<ContactSolver>;
  using Coupled = CoupledLinks<ContactSolver>;
  using Gradients = ContactGradients<ContactSolver>;
  using Held = HeldRows<ContactSolver>;
  using Link = LinkPasses;
  static constexpr bool is_float = std::is_same_v<typename RealOf<S>::type, float>;
  static constexpr double unit = is_float ? 0x1p-23 : 0x1p-52;
  /// A decrement, relative to what is balanced, that may be rounding.
  static constexpr double noise = is_float ? 1e-7 : 1e-21;

  const ModelView<M>& m;
  const ContactSolverOptions& options;
  const JointSoftness& softness;
  const List& contacts;
  Work w;

  /// Forces of a link: weight, speed and outer force while no joint accelerates; what its acceleration a takes, and its
  /// step.
  enum LinkRow { bias = 0, own = 6, change = 12, rows_per_link = 18 };

  TANDEM_HD static Index at_columns(const ModelView<M>& m) { return Aba::work_rows(m); }
  TANDEM_HD static Index at_joints(const ModelView<M>& m) { return at_columns(m) + Index{5} * m.nv; }
  TANDEM_HD static Index at_links(const ModelView<M>& m) { return at_joints(m) + Joints::rows_of_all(m); }
  TANDEM_HD static Index at_contacts(const ModelView<M>& m) { return at_links(m) + Index{rows_per_link} * m.n_links; }
  TANDEM_HD static Index at_motions(const ModelView<M>& m, int n) { return at_contacts(m) + Rows::rows * n; }
  /// Columns that mimic joints, tendons and couplers have at most.
  TANDEM_HD static Index most_columns(const ModelView<M>& m, const JointSoftness& of) {
    return Index{m.n_mimic} + of.tendons.n + of.couplers.n;
  }
  TANDEM_HD Index most_columns() const { return most_columns(m, softness); }
  /// Whether rows couple links.
  TANDEM_HD static bool couples(const JointSoftness& of, int n_columns) { return n_columns > 0 || of.loops.n > 0; }
  TANDEM_HD bool couples() const { return couples(softness, contacts.n_columns); }
  TANDEM_HD static Index at_coupled(const ModelView<M>& m, const JointSoftness& of, int n_contacts, int n_columns) {
    return at_motions(m, n_contacts) + (couples(of, n_columns) ? Index{18} * m.n_links : 0);
  }
  TANDEM_HD static Index at_more_columns(const ModelView<M>& m, const JointSoftness& of, int n_contacts, int n_columns,
                                         int n_couplings) {
    return at_coupled(m, of, n_contacts, n_columns) + (couples(of, n_columns) ? Coupled::rows(m, n_couplings) : 0);
  }
  TANDEM_HD static Index work_rows(const ModelView<M>& m, const JointSoftness& of, int n_contacts, int n_columns,
                                   int n_couplings) {
    const Index k = most_columns(m, of);
    return at_more_columns(m, of, n_contacts, n_columns, n_couplings) + (k > 0 ? Columns::rows(m, k) : 0) +
           Index{Tendons::rows} * of.tendons.n + Index{Loops::rows} * of.loops.n +
           Index{Couplers::rows} * of.couplers.n + Index{Carried::rows} * of.carried.n;
  }
  TANDEM_HD Work motions() const { return w + at_motions(m, contacts.n); }
  TANDEM_HD Work coupled_rows() const { return w + at_coupled(m, softness, contacts.n, contacts.n_columns); }
  TANDEM_HD Work columns() const {
    return w + at_more_columns(m, softness, contacts.n, contacts.n_columns, contacts.couplings.n);
  }
  TANDEM_HD Coupled coupled() const { return {*this}; }
  /// In rows behind work_rows().
  TANDEM_HD Gradients gradients() const {
    return {*this, w + work_rows(m, softness, contacts.n, contacts.n_columns, contacts.couplings.n)};
  }
  TANDEM_HD Rows rows() const { return {options, contacts, w + at_contacts(m), w, motions(), couples()}; }
  TANDEM_HD Tendons tendons() const {
    const Index k = most_columns();
    return {m, softness.tendons, columns() + (k > 0 ? Columns::rows(m, k) : 0)};
  }
  TANDEM_HD Loops loops() const { return {softness.loops, tendons().of(softness.tendons.n)}; }
  TANDEM_HD Held held() const { return {*this}; }
  TANDEM_HD Couplers couplers() const { return {softness.couplers, loops().of(softness.loops.n)}; }
  TANDEM_HD Carried carried() const { return {m, softness.carried, couplers().of(softness.couplers.n)}; }
  TANDEM_HD Joints joints() const { return {m, w + at_joints(m)}; }
  TANDEM_HD Work of_link(int i) const { return w + at_links(m) + Index{rows_per_link} * i; }
  TANDEM_HD Work column(int k) const { return w + at_columns(m) + Index{k} * m.nv; }
  TANDEM_HD Work given_effort() const { return column(0); }  ///< tau, with springs and dampers of tendons
  TANDEM_HD Work effort() const { return column(1); }        ///< of a Newton step
  TANDEM_HD Work diagonal() const { return column(2); }      ///< the same, with what was given
  TANDEM_HD Work step() const { return column(3); }
  TANDEM_HD Work a() const { return column(4); }
  /// Effort and step of every degree of freedom of the tree, mimic joints included.
  TANDEM_HD Work effort_of_dofs() const { return has_mimic_joints(m) ? w + Aba::at_dof(m, m.n_dof) : effort(); }
  TANDEM_HD Work step_of_dofs() const { return has_mimic_joints(m) ? effort_of_dofs() + m.n_dof : step(); }
  /// Forces of rows of v, x [nv], on the degrees of freedom of the tree, and of rates the other way. Where no joint
  /// mimics these are the same rows.
  TANDEM_HD void expand(Work x, Work of_dofs) const {
    if (!has_mimic_joints(m)) return;
    fill(of_dofs, Index{m.n_dof}, S(0));
    Aba::for_each_own_dof(m, [&](int dof, int row) TANDEM_INLINE { of_dofs[dof] = S(x[row]); });
  }
  TANDEM_HD void gather_step() const {
    if (!has_mimic_joints(m)) return;
    const Work x = step(), of_dofs = step_of_dofs();
    Aba::for_each_own_dof(m, [&](int dof, int row) TANDEM_INLINE { x[row] = S(of_dofs[dof]); });
  }
  template <class D>
  TANDEM_HD S rotor(D given, int k) const {
    return given ? S(m.armature[k]) + S(given[k]) : S(m.armature[k]);
  }

  template <class Q, class V, class Tau, class Fx, class D, class A, class FLimit, class FFriction, class FContact>
  TANDEM_HD ContactSolution<S> solve(Q q, V v, Tau tau, Fx f_ext, D given, A warm, FLimit f_limit, FFriction f_friction,
                                     FContact f_contact) const {
    place(m, q, v, f_ext, w);
    return solve_placed(q, v, tau, given, warm, f_limit, f_friction, f_contact);
  }
  /// The two halves of solve: link transforms and bias forces, in rows of the workspace that do not depend on contacts;
  /// and the rest.
  template <class Q, class V, class Fx>
  TANDEM_HD static void place(const ModelView<M>& m, Q q, V v, Fx f_ext, Work w) {
    Aba::place_and_move<S, true>(m, q, v, f_ext, w);
  }
  template <class Q, class V, class Tau, class D, class A, class FLimit, class FFriction, class FContact>
  TANDEM_HD ContactSolution<S> solve_placed(Q q, V v, Tau tau, D given, A warm, FLimit f_limit, FFriction f_friction,
                                            FContact f_contact) const {
    for (int k = 0; k < m.nv; ++k) given_effort()[k] = S(tau[k]);
    S scale = begin(q, v, warm, given);  // a^T M a
    evaluate(true, S(0), S(1));
    ContactSolution<S> solution{S(0), S(0)};
    S least(0), stale(0), alpha(0);
    for (int n = 0; n < options.most_steps; ++n) {
      const S open = S(1) - solution.converged;
      const bool couple = weld(given, alpha, open);
      const StepTaken taken = respond(given, open, couple);
      const S decrement = taken.mass + taken.rows.curvature;  // step^T (M + J^T H J) step

      alpha = select(S(0) < open, search(taken, open), S(0));
      advance(alpha, open);
      if (n == 0) rows().seed_normals();
      const auto sums = evaluate(false, alpha, open);
      scale = mul_add(alpha, mul_add(alpha, taken.mass, S(2) * taken.along), scale);

      solution.steps = solution.steps + open;
      // what is at rest has no a, but pushes that balance: a hundredth of the tolerance holds for these
      const S size = abs(scale) + abs(sums.works);
      const S limit = S(options.tolerance * options.tolerance) * mul_add(S(1e-4), abs(sums.works), abs(scale));
      // rounding leaves a decrement that no step brings down
      const auto worse = S(n == 0 ? 0 : 0.25) * least < decrement;
      stale = n == 0 ? S(0) : select(worse, select(decrement < S(noise) * size, stale + S(1), S(0)), S(0));
      least = n == 0 ? decrement : select(decrement < least, decrement, least);
      const S small = select(decrement < limit, S(1), select(decrement == limit, S(1), S(0)));  // 0 of NaN
      const auto foreseen = sums.unforeseen + taken.left < mul_add(S(1e-4), limit, S(16 * unit * unit) * size);
      const S done = select(S(1) < stale, S(1), select(foreseen, S(1), small));
      solution.converged = select(S(0) < open, done, S(1));
      if (!any(solution.converged == S(0))) break;
    }
    report(warm, f_limit, f_friction, f_contact);
    return solution;
  }

  /// After solve(): the accelerations a' if joints had `more` [nv] on their diagonal besides, under the same forces,
  ///
  ///     (M + given) a' + more (a' + t) = (M + given) a
  ///
  /// with t the turning part of v: free joints are slowed as if their rates were along axes of the world.
  template <class V, class D, class More, class A>
  TANDEM_PASS void slow(V v, D given, More more, A out) const {
    const Work turns = step();
    Link::turning_part<S>(m, v, turns);
    for (int k = 0; k < m.nv; ++k) {
      effort()[k] = S(more[k]) * (S(a()[k]) + S(turns[k]));
      diagonal()[k] = given ? S(given[k]) + S(more[k]) : S(more[k]);
    }
    release();
    yield(0, false);
    if (has_mimic_joints(m)) join(S(1), false, false);
    Aba::outward<S>(m, step_of_dofs(), w);
    gather_step();
    for (int k = 0; k < m.nv; ++k) out[k] = S(a()[k]) - S(step()[k]);
  }

  /// After solve(): the wrenches f_loop [loops][6] N, N m, of loop joints on their second links, at the origins of
  /// their frames there, along the described axes of frame 1, linear first; and the forces of couplers, N m|N.
  template <class FLoop, class FCoupler>
  TANDEM_PASS void report_held(FLoop f_loop, FCoupler f_coupler) const {
    for (int l = 0; l < softness.loops.n; ++l) loops().report(l, f_loop);
    for (int c = 0; c < softness.couplers.n; ++c) f_coupler[c] = S(couplers().of(c)[Couplers::force]);
  }

  /// After solve(): W of the forces of contacts, tendons, loop joints, couplers and gravity compensation where the
  /// robot moves with `rate` [nv].
  template <class Rate, class FContact>
  TANDEM_PASS S power(Rate rate, FContact) const {
    S sum(0);
    const auto of_tendons = tendons();
    for (int t = 0; t < of_tendons.list.n; ++t)
      if (of_tendons.is_tendon(t)) sum = mul_add(S(of_tendons.of(t)[Tendons::force]), of_tendons.along(t, rate), sum);
    int next = 0, next_carried = 0;
    const Rows of_contacts = rows();
    const Carried of_masses = carried();
    Link::motions<S>(
        m, w,
        [&](int i, const Motion<S>(&v_i)[1]) TANDEM_INLINE {
          if (softness.carried.n > 0) sum = sum + of_masses.power(i, v_i[0], next_carried);
          of_contacts.on_link(
              i, v_i, next, [](const Block&) TANDEM_INLINE { return true; },
              [&](const Block& b, int, const auto& speed) TANDEM_INLINE {
                for (int j = 0; j < b.dim; ++j) sum = mul_add(b.get(Block::f, j), speed[0][j], sum);
              });
        },
        {last_measured()}, rate);
    return sum + held().power(rate);
  }

  /// The last link whose motion rows depend on.
  TANDEM_HD int last_measured() const {
    if (softness.loops.n > 0 || softness.carried.n > 0) return m.n_links - 1;
    return contacts.n > 0 ? contacts.kinds[contacts.n - 1].link : 0;
  }
  /// Nothing pushes on links.
  TANDEM_HD void release() const {
    for (int i = 1; i < m.n_links; ++i) store(w, Aba::at(i, Aba::F), Force<S>::zero());
  }

 private:
  /// What a step is measured by: step^T M step, step^T M a, what it does to rows, and |.|^2 of what it left over.
  struct StepTaken {
    S mass, along;
    StepSums<S> rows;
    S left;
  };

  /// Articulated bodies inward, with what is welded to the links of the first n contacts, and with couplings; mimic
  /// joints are free.
  TANDEM_PASS void yield(int n, bool couple) const {
    const Rows of_contacts = rows();
    const Coupled of_pairs = coupled();
    expand(effort(), effort_of_dofs());
    Aba::inward_welded<S, true, true>(m, effort_of_dofs(), diagonal(), w,
                                      WeldedContacts<S, Rows, Coupled>{of_contacts, of_pairs, n, couple});
  }

  /// Step 1; returns a^T M a.
  template <class Q, class V, class A, class D>
  TANDEM_PASS S begin(Q q, V v, A warm, D given) const {
    joints().prepare(options.law, softness, q, v);
    const auto of_tendons = tendons();
    of_tendons.prepare(options.law, softness, q, v);
    for (int t = 0; t < of_tendons.list.n; ++t)
      of_tendons.spread(t, S(of_tendons.of(t)[Tendons::spring]), given_effort());
    held().place(q, v);
    if (softness.carried.n > 0) carried().push(w);
    const auto of_contacts = rows();
    place_contacts(of_contacts);
    S energy(0);
    const Work a = this->a(), turns = step(), links = of_link(0), bodies = w;
    for (int k = 0; k < m.nv; ++k) {
      const S given_a = warm[k];
      a[k] = select(abs(given_a) < S(1e30), given_a, S(0));  // NaN and infinities: begin at rest
      energy = mul_add(rotor(given, k) * S(a[k]), S(a[k]), energy);
    }
    for (int t = 0; t < of_tendons.list.n; ++t) of_tendons.of(t)[Tendons::position] = of_tendons.along(t, a);
    Link::turning_part<S>(m, v, turns);
    int next = 0;
    const int last = last_measured();
    Link::motions<S>(
        m, bodies,
        [&](int i, const Motion<S>(&of)[3]) TANDEM_INLINE {
          const Force<S> f = link_inertia<S>(m, i) * of[0];
          const Work link = links + Index{rows_per_link} * i;
          energy = energy + dot(of[0], f);
          store(link, own, f);
          store(link, change, Force<S>::zero());
          store(link, bias, load<Force<S>>(bodies, Aba::at(i, Aba::F)));
          of_contacts.on_link(
              i, of, next, [](const Block&) TANDEM_INLINE { return true; },
              [&](const Block& b, int c, const auto& moves)
                  TANDEM_INLINE { of_contacts.prepare(b, c, moves[1], moves[2], moves[0]); });
        },
        {m.n_links - 1, last, Link::has_turning_part(m) ? last : 0}, a, v, turns);
    held().begin();
    return energy;
  }

  TANDEM_HD void place_contacts(const Rows& of_contacts) const {
    using On = typename Block::On;
    if (contacts.links) {
      for (int c = 0; c < contacts.n; ++c) {
        of_contacts.place(c, contacts.links[contacts.kinds[c].link], On::link);
        if (const int other = contacts.kinds[c].other; other != 0)
          of_contacts.place(c, contacts.links[other], On::other);
      }
      return;
    }
    for (const On on : {On::link, On::other})  // scales stand first
      Link::places<S>(m, w, [&](int i, const Transform<S>& X_iw) TANDEM_INLINE {
        for (int c = 0; c < contacts.n; ++c)
          if ((on == On::link ? contacts.kinds[c].link : contacts.kinds[c].other) == i) of_contacts.place(c, X_iw, on);
      });
  }

  /// Forces and curvatures of all rows, after a step of length alpha; `first`: where the iteration begins.
  TANDEM_PASS IterateSums<S> evaluate(bool first, S alpha, S open) const {
    IterateSums<S> sums{S(0), S(0)};
    const auto of_row = [&](Work row, const S& at, const S& jd) TANDEM_INLINE {
      const auto push = Joints::push(row, at);
      sums.works = sums.works + Joints::work(row, at);
      if (!first) {
        const S e = push.f - mul_add(-alpha * S(row[Joints::h]), jd, S(row[Joints::f]));
        sums.unforeseen = mul_add(e * e, S(row[Joints::compliance]), sums.unforeseen);
      }
      row[Joints::f] = push.f;
      row[Joints::h] = push.h;
    };
    for_each_row(of_row);
    held().for_each([&](const S& f, const S& h, const S&) TANDEM_INLINE { sums.works = mul_add(f / h, f, sums.works); },
                    S(0));
    rows().evaluate(first, alpha, open, sums);
    return sums;
  }

  /// Calls f(row, J a, J step) for rows of joints that may push, and of tendons.
  template <class F>
  TANDEM_HD void for_each_row(F&& f) const {
    const Work a = this->a(), step = this->step();
    const Joints of_joints = joints();
    const int nv = m.nv;
    for (int k = 0; k < nv; ++k)
      if (of_joints.some(k)) f(of_joints.of(k), S(a[k]), S(step[k]));
    for (int t = 0; t < softness.tendons.n; ++t) {
      const Work row = tendons().of(t);
      f(row, S(row[Tendons::position]), S(row[Tendons::motion]));
    }
  }

  /// Step 2, after a step of length alpha; returns whether rows couple links.
  template <class D>
  TANDEM_PASS bool weld(D given, S alpha, S open) const {
    const Work a = this->a(), tau = given_effort(), effort = this->effort(), diagonal = this->diagonal();
    const Joints of_joints = joints();
    const auto* const armature = m.armature;
    const int nv = m.nv, n_links = m.n_links;
    for (int k = 0; k < nv; ++k) {
      const S of_joint = given ? S(given[k]) : S(0), left = mul_add(-(S(armature[k]) + of_joint), S(a[k]), S(tau[k]));
      effort[k] = left;
      diagonal[k] = of_joint;
      if (!of_joints.some(k)) continue;
      const Work row = of_joints.of(k);
      const auto acts = Joints::acting(row);  // elsewhere as if there were no rows
      effort[k] = select(acts, left + S(row[Joints::f]), left);
      diagonal[k] = select(acts, of_joint + S(row[Joints::h]), of_joint);
    }
    for (int t = 0; t < softness.tendons.n; ++t) tendons().spread(t, S(tendons().of(t)[Joints::f]), effort);
    const Work links = of_link(0), bodies = w;
    for (int i = 1; i < n_links; ++i) {
      const Work link = links + Index{rows_per_link} * i, F = bodies + Aba::at(i, Aba::F);
      for (int j = 0; j < 6; ++j) {
        const S was = link[own + j], now = select(S(0) < open, mul_add(alpha, S(link[change + j]), was), was);
        link[own + j] = now;
        F[j] = S(link[bias + j]) + now;
      }
    }
    bool couple = false;
    const Coupled of_pairs = coupled();
    if (couples()) {
      of_pairs.clear();
      couple = of_pairs.weld_loops();
    }
    rows().weld(open, [&](const Block& b, int c) TANDEM_INLINE {
      const bool acts = couples() && of_pairs.weld(b, contacts.kinds[c].link, contacts.kinds[c].other, open);
      couple = couple || acts;
      return acts;
    });
    held().push(effort);
    return couple;
  }

  /// Step 3; `couple` if there are couplings.
  template <class D>
  TANDEM_HD StepTaken respond(D given, S open, bool couple) const {
    yield(contacts.n, couple);
    const bool iterate = couple && contacts.iterates;
    if (couple && !iterate) {
      release();
      coupled().hand_on();
    }
    if (most_columns() > 0) join(open, couple, true);
    StepTaken taken = iterate ? respond_iterated(open) : respond_outward(open, couple);
    const Work a = this->a(), step = this->step();
    for (int k = 0; k < m.nv; ++k) {
      const S of_rotor = rotor(given, k) * S(step[k]);
      taken.mass = mul_add(of_rotor, S(step[k]), taken.mass);
      taken.along = mul_add(of_rotor, S(a[k]), taken.along);
    }
    for (int t = 0; t < softness.tendons.n; ++t) tendons().of(t)[Tendons::motion] = tendons().along(t, step);
    for_each_row([&](Work row, const S&, const S& jd)
                     TANDEM_INLINE { taken.rows.add(S(row[Joints::f]), S(row[Joints::h]) * jd, jd); });
    held().measure();
    held().for_each([&](const S& f, const S& h, const S& jd) TANDEM_INLINE { taken.rows.add(f, h * jd, jd); }, S(0));
    return taken;
  }
  TANDEM_PASS void join(S open, bool couple, bool soft) const { Columns{*this, open}.join(couple, soft); }
  TANDEM_PASS StepTaken respond_outward(S open, bool couple) const {
    StepTaken taken = nothing_taken();
    int next = 0;
    const Work links = of_link(0);
    const Rows of_contacts = rows();
    const auto take_off = [&](int i, int n, S* u) TANDEM_INLINE {
      if (couple) coupled().take_off(i, n, u);
    };
    Link::respond<S>(m, step_of_dofs(), w, take_off, [&](int i, const Motion<S>(&da)[1]) TANDEM_INLINE {
      measure(i, da, open, links, of_contacts, next, taken);
    });
    gather_step();
    return taken;
  }
  TANDEM_HD static StepTaken nothing_taken() { return {S(0), S(0), {S(0), S(0), S(0)}, S(0)}; }
  TANDEM_PASS StepTaken respond_iterated(S open) const {
    StepTaken taken = nothing_taken();
    int next = 0;
    const Work links = of_link(0);
    const Rows of_contacts = rows();
    taken.left = gradients().solve(open, [&](int i, const Motion<S>(&da)[1]) TANDEM_INLINE {
      measure(i, da, open, links, of_contacts, next, taken);
    });
    return taken;
  }
  TANDEM_HD void measure(int i, const Motion<S> (&da)[1], S open, Work links, const Rows& of_contacts, int& next,
                         StepTaken& taken) const {
    const Work link = links + Index{rows_per_link} * i;
    const Force<S> f = link_inertia<S>(m, i) * da[0];
    store(link, change, f);
    taken.mass = taken.mass + dot(da[0], f);
    taken.along = taken.along + dot(da[0], load<Force<S>>(link, own));
    of_contacts.on_link(
        i, da, next, [&](const Block& b) TANDEM_INLINE { return b.touches_in(open); },
        [&](const Block& b, int, const auto& jd) TANDEM_INLINE { of_contacts.measure(b, jd[0], taken.rows); });
  }

  /// Step 4.
  TANDEM_PASS S search(const StepTaken& taken, S open) const {
    const S decrement = taken.mass + taken.rows.curvature, slope = taken.rows.force - decrement;
    const S tolerance = mul_add(S(32 * unit), taken.rows.size, S(options.search_tolerance) * decrement);
    return line_search(
        slope, taken.mass, tolerance, open, options.most_trials,
        [&](const S& at, const S& in) TANDEM_INLINE { return slopes(at, in); },
        [&](const S& upwards, const S& low, const S& high)
            TANDEM_INLINE { return rows().next_turn(upwards, low, high); });
  }
  /// f^T J step and (J step)^T H J step of all rows, alpha steps ahead.
  TANDEM_PASS Slope<S> slopes(S alpha, S open) const {
    Slope<S> sum{S(0), S(0)};
    const auto of_row = [&](Work row, const S& at, const S& jd) TANDEM_INLINE {
      const auto push = Joints::push(row, mul_add(alpha, jd, at));
      sum = {mul_add(push.f, jd, sum.force), mul_add(push.h * jd, jd, sum.curvature)};
    };
    for_each_row(of_row);
    held().for_each(
        [&](const S& f, const S& h, const S& jd) TANDEM_INLINE {
          sum = {mul_add(f, jd, sum.force), mul_add(h * jd, jd, sum.curvature)};
        },
        alpha);
    rows().slopes(alpha, open, sum);
    return sum;
  }

  /// Step 5, but for forces, and for what links take, which the next step needs.
  TANDEM_PASS void advance(S alpha, S open) const {
    const auto go_on = [=](Work x, const S& along)
                           TANDEM_INLINE { x[0] = select(S(0) < open, mul_add(alpha, along, S(x[0])), S(x[0])); };
    const Work a = this->a(), step = this->step();
    const int nv = m.nv;
    for (int k = 0; k < nv; ++k) go_on(a + k, S(step[k]));
    for (int t = 0; t < softness.tendons.n; ++t)
      go_on(tendons().of(t) + Tendons::position, S(tendons().of(t)[Tendons::motion]));
    held().advance(alpha, open);
    rows().advance(alpha, open);
  }

  template <class A, class FLimit, class FFriction, class FContact>
  TANDEM_PASS void report(A out, FLimit f_limit, FFriction f_friction, FContact f_contact) const {
    const Work a = this->a();
    const Joints of_joints = joints();
    const int nv = m.nv;
    for (int k = 0; k < nv; ++k) {
      const Work row = of_joints.of(k);
      const bool some = of_joints.some(k);
      out[k] = S(a[k]);
      if (f_limit) f_limit[k] = some ? Joints::limit_force(row, S(a[k])) : S(0);
      if (f_friction) f_friction[k] = some ? Joints::friction_force(row, S(a[k])) : S(0);
    }
    for (int t = 0; t < softness.tendons.n; ++t) {
      const Work row = tendons().of(t);
      row[Tendons::force] = S(row[Tendons::spring]) + S(row[Joints::f]);
      if (f_limit && !tendons().is_tendon(t)) tendons().spread(t, S(row[Joints::f]), f_limit);
    }
    held().report();
    if (f_contact) rows().report(f_contact);
  }
};

}  // namespace tandem::inline TANDEM_ISA
