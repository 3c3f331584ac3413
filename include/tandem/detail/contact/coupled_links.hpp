// SPDX-License-Identifier: Apache-2.0
/// Contacts between two links and loop joints in a Newton step: couplings of articulated bodies.
#pragma once
#include "tandem/detail/contact/contact_rows.hpp"
#include "tandem/detail/contact/loop_rows.hpp"

namespace tandem::inline TANDEM_ISA {

/// The articulated-body algorithm with couplings between links. Beside its articulated inertia IA_i and bias force
/// pA_i, a link has a 6x6 block C_ij with every link j < i that it is coupled to. With all links after i eliminated,
/// the cost is
///
///     1/2 a_i^T IA_i a_i + pA_i^T a_i + sum over j of a_i^T C_ij a_j + terms of links before i
///
/// With a' = X a_p and a_i = a' + S qdd, the least cost over qdd is
///
///     qdd = K (u - U^T a' - sum over j of s_j a_j),   s_j = S^T C_ij
///
/// What is left adds X^T (C_ij - U K s_j) to C_pj, which is twice the symmetric part of an inertia if j = p; takes
/// s_j^T K s_k from C_jk and from IA_j; and adds s_j^T K u to pA_j. It is a sparse block Cholesky factorisation whose
/// order is that of the links: bits of a lane do not depend on the couplings of other lanes, which are zeros in it.
/// Inertias are made as the inward pass comes by; then forces go inward once more, along couplings.
///                                                                       [RBDA] sections 6.5, 7.3
template <class Solver>
struct CoupledLinks {
  using S = typename Solver::Number;
  using Work = typename Solver::Rows::Column;
  using Block = typename Solver::Block;
  using Loops = typename Solver::Loops;
  using On = typename Block::On;
  using Aba = ArticulatedBody;
  /// Of a pair: C by columns, and then s by rows; 1 in lanes in which it may not be zero. Of a link: what pairs add to
  /// its inertia.
  enum Row { block = 0, acts = 36, rows_per_pair = 37, rows_per_link = 21 };
  const Solver& s;

  template <class M>
  TANDEM_HD static Index rows(const ModelView<M>& m, int n_pairs) {
    return Index{rows_per_link} * m.n_links + Index{rows_per_pair} * n_pairs;
  }
  TANDEM_HD const auto& list() const { return s.contacts.couplings; }
  TANDEM_HD Work own(int i) const { return s.coupled_rows() + Index{rows_per_link} * i; }
  TANDEM_HD Work pair(int k) const { return own(s.m.n_links) + Index{rows_per_pair} * k; }
  TANDEM_HD ArticulatedInertia<S> own_inertia(int i) const { return load<ArticulatedInertia<S>>(own(i), 0); }

  /// No coupling.
  TANDEM_HD void clear() const {
    for (int i = 1; i < s.m.n_links; ++i)
      if (list().meets[i]) store(own(i), 0, nothing_articulated<S>());
    const int first = list().first[1];
    fill(pair(first), Index{rows_per_pair} * (list().n - first), S(0));
  }
  /// A contact between two links, but for what it adds to the inertia of the first. False: it adds nothing, in no lane
  /// in which `open` is 1.
  TANDEM_HD bool weld(const Block& b, int link, int other, const S& open) const {
    const auto z = b.kept_zone();
    S trace(0);
    for (int j = 0; j < b.dim; ++j) trace = trace + z.h(j, j);
    if (!any(S(0) < trace * open)) return false;
    const auto acts_in = b.acts();
    const auto was = own_inertia(other);
    store(own(other), 0, select_all(acts_in, was + b.inertia(On::other), was));
    if (s.contacts.iterates) return true;
    const Work C = pair(list().pair(link, other));
    C[acts] = select(acts_in, S(1), S(C[acts]));
    Force<S> W_H[most_contact_rows];
    S of_other[most_contact_rows][6];
    for (int k = 0; k < b.dim; ++k) {
      W_H[k] = z.h(0, k) * b.direction(0, On::link);
      for (int j = 1; j < b.dim; ++j) W_H[k] = mul_add(z.h(j, k), b.direction(j, On::link), W_H[k]);
      store(&of_other[k][0], 0, b.direction(k, On::other));
    }
    for (int c = 0; c < 6; ++c) {
      const auto left = load<Force<S>>(C, 6 * c);
      auto less = left;
      for (int k = 0; k < b.dim; ++k) less = mul_add(-of_other[k][c], W_H[k], less);
      store(C, 6 * c, select_all(acts_in, less, left));
    }
    return true;
  }
  /// Loop joints, which act in all lanes; false if there are none.
  TANDEM_HD bool weld_loops() const {
    const Loops loops = s.loops();
    for (int l = 0; l < loops.list.n; ++l) {
      const int one = loops.list.kinds[l].link_1, two = loops.list.kinds[l].link_2;
      loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        const Force<S> of_one = loops.column(l, j, Loops::On::first), of_two = loops.column(l, j, Loops::On::second);
        if (one != 0) store(own(one), 0, minus_product(own_inertia(one), S(-1) * of_one, of_one));
        if (two != 0) store(own(two), 0, minus_product(own_inertia(two), S(-1) * of_two, of_two));
        if (one == 0 || two == 0) return;
        const Work C = pair(one > two ? list().pair(one, two) : list().pair(two, one));
        C[acts] = S(1);
        minus_outer(C, one > two ? of_one : of_two, one > two ? of_two : of_one);
      });
    }
    return loops.list.n > 0;
  }

  /// Takes link i out, after its joint has yielded, but for forces.
  TANDEM_HD void eliminate(int i) const {
    if (i < s.m.n_links && some(i)) eliminate_coupled(i);
  }
  /// After the inward pass: adds to u at every joint what couplings hand on. Rows F of links are 0 before and after.
  TANDEM_PASS void hand_on() const {
    const auto& m = s.m;
    const Work w = s.w;
    for (int i = m.n_links - 1; i >= 1; --i) {
      const auto f = load<Force<S>>(w, Aba::at(i, Aba::F));
      if (!some(i) && !any(S(0) < size_of(i))) continue;
      store(w, Aba::at(i, Aba::F), Force<S>::zero());
      on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
        constexpr int d = most_nv<decltype(joint)>;
        const auto r = kept_response<S>(joint, w, Aba::at_dof(m, first_dof(m, i)));
        S u[d], more[d], K_more[d];
        const auto left = transmit(joint, r, f, more, K_more);
        for (int l = 0; l < joint.nv; ++l) w[r.row_of_u(l)] = u[l] = r.u(l) + more[l];
        to_partners(i, r, u, joint.nv);
        to_parent(joint, i, left);
      });
    }
  }
  /// What is left of the force of link i beyond its joint, which yields with u, goes on to its parent and, if `couple`,
  /// to partners.
  template <class Joint, class Response, int d>
  TANDEM_HD void hand_on_from(Joint joint, int i, const Response& r, const S (&u)[d], const Force<S>& left,
                              bool couple) const {
    if (couple) to_partners(i, r, u, joint.nv);
    to_parent(joint, i, left);
  }
  /// |F| of a link, as a sum.
  TANDEM_HD S size_of(int i) const {
    S size(0);
    for (int k = 0; k < 6; ++k) size = size + abs(S(s.w[Aba::at(i, Aba::F) + k]));
    return size;
  }
  /// u [n] - sum over j of s_j a_j, on the way out.
  TANDEM_HD void take_off(int i, int n, S* u) const {
    for (int k = list().first[i]; k < list().first[i + 1]; ++k) {
      if (!acts_in_any(k)) continue;
      const auto a_j = load<Motion<S>>(s.motions() + Index{18} * list().partner[k], 0);
      for (int l = 0; l < n; ++l) u[l] = u[l] - dot(a_j, load<Force<S>>(pair(k), 6 * l));
    }
  }

 private:
  TANDEM_HD bool acts_in_any(int k) const { return any(S(0) < S(pair(k)[acts])); }
  TANDEM_HD bool some(int i) const { return list().first[i] < list().first[i + 1]; }

  /// f_j -= s_j^T K u, of forces f that push.
  template <class Response, int d>
  TANDEM_HD void to_partners(int i, const Response& r, const S (&u)[d], int n) const {
    for (int k = list().first[i]; k < list().first[i + 1]; ++k) {
      if (!acts_in_any(k)) continue;
      const Index row = Aba::at(list().partner[k], Aba::F);
      auto f_j = load<Force<S>>(s.w, row);
      for (int l = 0; l < n; ++l) f_j = mul_add(-row_of_K(r, l, u, n), load<Force<S>>(pair(k), 6 * l), f_j);
      store(s.w, row, f_j);
    }
  }
  template <class Joint>
  TANDEM_HD void to_parent(Joint joint, int i, const Force<S>& left) const {
    const int p = s.m.parent[i];
    if (p == 0) return;
    const Index row = Aba::at(p, Aba::F);
    const auto X_ip = recall_transform<S>(joint, s.m, i, s.w, Aba::at(i, Aba::X));
    store(s.w, row, load<Force<S>>(s.w, row) + transpose_mul(X_ip, left));
  }

  TANDEM_PASS void eliminate_coupled(int i) const {
    const auto& m = s.m;
    const Work w = s.w;
    const int p = m.parent[i], begin = list().first[i], end = list().first[i + 1];
    on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
      constexpr int d = most_nv<decltype(joint)>;
      const auto r = kept_response<S>(joint, w, Aba::at_dof(m, first_dof(m, i)));
      const auto X_ip = recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X));
      for (int k = begin; k < end; ++k) {
        if (!acts_in_any(k)) continue;
        const Work C = pair(k);
        S rows[d][6], through[6][6];
        for (int c = 0; c < 6; ++c) {
          S s_c[d], Ks_c[d];
          const auto left = transmit(joint, r, load<Force<S>>(C, 6 * c), s_c, Ks_c);
          for (int l = 0; l < joint.nv; ++l) rows[l][c] = s_c[l];
          if (p != 0) store(&through[c][0], 0, transpose_mul(X_ip, left));
        }
        for (int l = 0; l < joint.nv; ++l)
          for (int c = 0; c < 6; ++c) C[6 * l + c] = rows[l][c];
        if (p != 0) add(p, list().partner[k], through, S(C[acts]));
      }
      for (int k = begin; k < end; ++k)
        if (acts_in_any(k)) couple_partners(r, joint.nv, k, end);
    });
  }
  /// Takes s_j^T K s_k from the inertia of a partner and from the blocks of it with those after it.
  template <class Response>
  TANDEM_HD void couple_partners(const Response& r, int nv, int k, int end) const {
    Force<S> Ks[6];
    for (int l = 0; l < nv; ++l) {
      Ks[l] = r.K(l, 0) * load<Force<S>>(pair(k), 0);
      for (int n = 1; n < nv; ++n) Ks[l] = mul_add(r.K(l, n), load<Force<S>>(pair(k), 6 * n), Ks[l]);
    }
    const int j = list().partner[k];
    auto inertia = own_inertia(j);
    for (int l = 0; l < nv; ++l) inertia = minus_product(inertia, load<Force<S>>(pair(k), 6 * l), Ks[l]);
    store(own(j), 0, inertia);
    int at = list().first[j];
    for (int other = k + 1; other < end; ++other) {
      if (!acts_in_any(other)) continue;
      while (list().partner[at] != list().partner[other]) ++at;
      const Work C = pair(at);
      C[acts] = either(S(C[acts]), S(pair(k)[acts]) * S(pair(other)[acts]));
      for (int l = 0; l < nv; ++l) minus_outer(C, Ks[l], load<Force<S>>(pair(other), 6 * l));
    }
  }
  /// Adds a block of links i and j, by columns.
  TANDEM_HD void add(int i, int j, const S (&more)[6][6], const S& acting) const {
    if (i == j) {
      const auto twice = [&](int a, int b) TANDEM_INLINE { return more[a][b] + more[b][a]; };
      const auto sym = [&](int a) TANDEM_INLINE {
        return Sym3<S>{twice(a, a),     twice(a + 1, a + 1), twice(a + 2, a + 2),
                       twice(a, a + 1), twice(a, a + 2),     twice(a + 1, a + 2)};
      };
      const auto row = [&](int a) TANDEM_INLINE { return Vec3<S>{twice(a, 3), twice(a, 4), twice(a, 5)}; };
      store(own(i), 0, own_inertia(i) + ArticulatedInertia<S>{sym(0), {row(0), row(1), row(2)}, sym(3)});
      return;
    }
    const Work C = pair(i > j ? list().pair(i, j) : list().pair(j, i));
    C[acts] = either(S(C[acts]), acting);
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b) C[6 * a + b] = S(C[6 * a + b]) + (i > j ? more[a][b] : more[b][a]);
  }
  TANDEM_HD static S either(const S& a, const S& b) { return select(a < b, b, a); }
  /// C - a b^T
  TANDEM_HD static void minus_outer(Work C, const Force<S>& a, const Force<S>& b) {
    S of_b[6];
    store(&of_b[0], 0, b);
    for (int c = 0; c < 6; ++c) store(C, 6 * c, mul_add(-of_b[c], a, load<Force<S>>(C, 6 * c)));
  }
};

}  // namespace tandem::inline TANDEM_ISA
