// SPDX-License-Identifier: Apache-2.0
/// Contacts between two links in a Newton step, without couplings of articulated bodies: conjugate gradients.
#pragma once
#include "tandem/detail/contact/contact_rows.hpp"
#include "tandem/detail/contact/link_passes.hpp"

namespace tandem::inline TANDEM_ISA {

/// The method of conjugate gradients for the step y of
///
///     (P - C) y = g,   g = tau - bias + J^T f - M a
///
/// P has the articulated bodies of the workspace, to whose links the inertia W H W^T of all contacts is welded, also of
/// those between two links; C is what these have besides: W_i H W_j^T of the links i and j. With P as preconditioner,
///
///     z = P^-1 r,   d = z + beta d,   P d = r + beta P d,   r -= alpha (P - C) d,   y += alpha d
///
/// an iteration is a pass inwards and one outwards with forces alone, and O(contacts): no coupling fills in. Contacts
/// push with H on the relative motion x_i - x_j of two links, and in P with H on x_i and on x_j: P - C < 2 P, and
/// motions of both links together are what takes iterations. Their number depends on how much H outweighs the inertia
/// of the links, and hardly on how many links and contacts there are.
///                                                        [Saad, Iterative Methods for Sparse Linear Systems, 9.2]
///
/// Forces are pairs of tau [nv] and wrenches [links][6], and accelerations are rates [nv] and motions [links][6], so
/// that r^T y is a sum of products: wrenches are never projected onto joints.
template <class Solver>
struct ContactGradients {
  using S = typename Solver::Number;
  using Work = typename Solver::Rows::Column;
  using Block = typename Solver::Block;
  using On = typename Block::On;
  using Aba = ArticulatedBody;
  enum Vector { y = 0, r, z, d, Pd, vectors };
  /// Ends where |r|^2 is less than this part of |y|^2, in the norms of P^-1 and P - C.
  static constexpr double tolerance = 1e-6;
  static constexpr int most_iterations = 500;
  const Solver& s;
  Work w;

  template <class M>
  TANDEM_HD static Index length(const ModelView<M>& m) {
    return Index{m.nv} + 6 * Index{m.n_links};
  }
  template <class M>
  TANDEM_HD static Index rows(const ModelView<M>& m) {
    return vectors * length(m);
  }
  TANDEM_HD Work joints(Vector x) const { return w + x * length(s.m); }
  TANDEM_HD Work link(Vector x, int i) const { return joints(x) + s.m.nv + Index{6} * i; }

  /// After articulated bodies were made of forces in the rows F of links and of efforts: the step, and
  /// moved(link, [its acceleration]). Returns r^T P^-1 r.
  template <class F>
  TANDEM_HD S solve(const S& open, F&& moved) const {
    begin();
    accelerate();
    S rho = product(r, z), going = select(S(0) < open, S(1), S(0)), decrement(0);
    copy(z, d);
    copy(r, Pd);
    for (int k = 0; k < most_iterations; ++k) {
      const S curved = product(d, Pd) - S(2) * couple();  // d^T (P - C) d
      const S alpha = select(S(0) < curved * going, rho / curved, S(0));
      decrement = mul_add(alpha, rho, decrement);
      go_on(alpha);
      accelerate();
      const S next = product(r, z);
      going = select(S(tolerance) * decrement < next, select(S(0) < alpha, going, S(0)), S(0));
      const S beta = next / select(S(0) < rho, rho, S(1));
      rho = next;
      if (!any(S(0) < going)) break;
      turn(beta);
    }
    Work step = s.step();
    for (int k = 0; k < s.m.nv; ++k) step[k] = S(joints(y)[k]) + S(0);  // -0 becomes 0
    for (int i = 1; i < s.m.n_links; ++i) {
      const Motion<S> of[1] = {load<Motion<S>>(link(y, i), 0)};
      moved(i, of);
    }
    return rho;
  }

 private:
  /// y = 0, r = g.
  TANDEM_PASS void begin() const {
    const auto& m = s.m;
    fill(joints(y), length(m), S(0));
    for (Vector x : {r, z}) store(link(x, 0), 0, Force<S>::zero());
    const Work effort = s.effort();
    for (int k = 0; k < m.nv; ++k) joints(r)[k] = S(effort[k]);
    for (int i = 1; i < m.n_links; ++i) store(link(r, i), 0, S(-1) * load<Force<S>>(s.w, Aba::at(i, Aba::F)));
  }

  /// z = P^-1 r: forces inwards, each joint yields to what is beyond it; accelerations outwards.
  TANDEM_PASS void accelerate() const {
    const auto& m = s.m;
    const Work bodies = s.w, tau = joints(r);
    for (int i = 1; i < m.n_links; ++i) store(bodies, Aba::at(i, Aba::F), load<Force<S>>(link(r, i), 0));
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i], first = first_dof(m, i);
      on_kept_joint_kind<S>(m, i, bodies, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
        constexpr int n = most_nv<decltype(joint)>;
        const auto of = kept_response<S>(joint, bodies, Aba::at_dof(m, first));
        auto f = load<Force<S>>(bodies, Aba::at(i, Aba::F));
        S u[n];
        for (int k = 0; k < joint.nv; ++k) bodies[of.row_of_u(k)] = u[k] = S(tau[first + k]) + joint.along(k, f);
        if (p == 0) return;
        for (int k = 0; k < joint.nv; ++k) f = mul_add(-row_of_K(of, k, u, joint.nv), of.U(k), f);
        const auto X_ip = recall_transform<S>(joint, m, i, bodies, Aba::at(i, Aba::X));
        store(bodies, Aba::at(p, Aba::F), load<Force<S>>(bodies, Aba::at(p, Aba::F)) + transpose_mul(X_ip, f));
      });
    }
    const auto all = [](int, int, const S*) TANDEM_INLINE {};
    LinkPasses::respond<S>(m, joints(z), bodies, all, [&](int i, const Motion<S>(&a_i)[1]) TANDEM_INLINE {
      store(link(z, i), 0, a_i[0]);
    });
  }

  /// Calls f(block, link, other link) for contacts between two links.
  template <class F>
  TANDEM_HD void for_each(F&& f) const {
    s.rows().for_each(S(1), [&](const Block& b, int c) TANDEM_INLINE {
      if (const auto& kind = s.contacts.kinds[c]; kind.other != 0) f(b, kind.link, kind.other);
    });
  }
  /// d^T C d / 2; keeps H x_j and H x_i of every contact, with x as both links move along d.
  TANDEM_PASS S couple() const {
    S sum(0);
    for_each([&](const Block& b, int i, int j) TANDEM_INLINE {
      S x_i[most_contact_rows], x_j[most_contact_rows], H_x[most_contact_rows];
      b.measure(load<Motion<S>>(link(d, i), 0), x_i);
      b.measure(load<Motion<S>>(link(d, j), 0), x_j, On::other);
      const auto zone = b.kept_zone();
      zone.bend(x_i, H_x);
      b.write(Block::bent, H_x);
      zone.bend(x_j, H_x);
      b.write(Block::along, H_x);
      for (int k = 0; k < b.dim; ++k) sum = mul_add(H_x[k], x_i[k], sum);
    });
    return sum;
  }
  /// y += alpha d, r -= alpha (P - C) d, in lanes with alpha > 0.
  TANDEM_PASS void go_on(const S& alpha) const {
    const auto goes = S(0) < alpha;
    const auto add = [&](Vector to, const S& times, Vector x) TANDEM_INLINE {
      const Work a = joints(to), b = joints(x);
      for (Index k = 0; k < length(s.m); ++k) a[k] = select(goes, mul_add(times, S(b[k]), S(a[k])), S(a[k]));
    };
    add(y, alpha, d);
    add(r, -alpha, Pd);
    for_each([&](const Block& b, int i, int j) TANDEM_INLINE {
      S H_x[most_contact_rows];
      const auto push = [&](int on, const Force<S>& f) TANDEM_INLINE {
        const auto was = load<Force<S>>(link(r, on), 0);
        store(link(r, on), 0, select_all(b.acts(), select_all(goes, mul_add(alpha, f, was), was), was));
      };
      b.read(Block::along, H_x);
      push(i, b.force(H_x));
      b.read(Block::bent, H_x);
      push(j, b.force(H_x, On::other));
    });
  }
  /// d = z + beta d, P d = r + beta P d.
  TANDEM_PASS void turn(const S& beta) const {
    const Work of_z = joints(z), of_r = joints(r), of_d = joints(d), of_Pd = joints(Pd);
    for (Index k = 0; k < length(s.m); ++k) {
      of_d[k] = mul_add(beta, S(of_d[k]), S(of_z[k]));
      of_Pd[k] = mul_add(beta, S(of_Pd[k]), S(of_r[k]));
    }
  }
  TANDEM_HD void copy(Vector from, Vector to) const {
    for (Index k = 0; k < length(s.m); ++k) joints(to)[k] = S(joints(from)[k]);
  }
  TANDEM_PASS S product(Vector one, Vector two) const {
    const Work a = joints(one), b = joints(two);
    S sums[4] = {S(0), S(0), S(0), S(0)};  // one sum would wait for each addition
    const Index n = length(s.m), whole = n / 4 * 4;
    for (Index k = 0; k < whole; k += 4)
      for (int part = 0; part < 4; ++part)
        sums[part] = mul_add(S(a[k + part]), S(b[k + part]), sums[part]);
    for (Index k = whole; k < n; ++k) sums[0] = mul_add(S(a[k]), S(b[k]), sums[0]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
};

}  // namespace tandem::inline TANDEM_ISA
