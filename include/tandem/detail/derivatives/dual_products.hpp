// SPDX-License-Identifier: Apache-2.0
/// What second derivatives of inverse and forward dynamics share: the products of derivatives with weights, of y = f(q,
/// v, x) with x the acceleration or the joint forces, on dual numbers. Their rates are derivatives along those of q, v,
/// x and of the weights.
#pragma once
#include "tandem/detail/derivatives/moving_configuration.hpp"

namespace tandem::inline TANDEM_ISA {

/// Columns of dual numbers for what goes in and out, and the workspace behind them. Null ones are left out.
template <class S, class Column>
struct DualProducts {
  Column q, v, x, weights, f_ext, diagonal;          ///< in
  Column y, q_bar, v_bar, x_bar, f_ext_bar, pi_bar;  ///< out
  Column work;

  /// What goes in, with rates.
  template <class M, class Q, class Dq, class V, class Dv, class X, class Dx, class Weight, class Dw, class Fx,
            class Dfx>
  TANDEM_HD void take_in(const ModelView<M>& m, Q q_, Dq dq, V v_, Dv dv, X x_, Dx dx, Weight w, Dw dw, Fx fx,
                         Dfx dfx) {
    moving_configuration<S>(m, q_, dq, q);
    join<S>(v_, dv, m.nv, v);
    join<S>(x_, dx, m.nv, x);
    join<S>(w, dw, m.nv, weights);
    if (fx || dfx)
      join<S>(fx, dfx, Index{6} * m.n_links, f_ext);
    else
      f_ext = Column{};
  }
  template <class D>
  TANDEM_HD void take_diagonal(Index n, D diagonal_) {
    if (diagonal_)
      join<S>(diagonal_, D{}, n, diagonal);
    else
      diagonal = Column{};
  }
  template <class M, class Dy, class Dqb, class Dvb, class Dxb, class Dfb, class Dpb>
  TANDEM_HD void give_rates(const ModelView<M>& m, Dy dy, Dqb dq_bar, Dvb dv_bar, Dxb dx_bar, Dfb df_ext_bar,
                            Dpb dpi_bar) const {
    take_rates<S>(y, m.nv, dy);
    take_rates<S>(q_bar, m.nv, dq_bar);
    take_rates<S>(v_bar, m.nv, dv_bar);
    take_rates<S>(x_bar, m.nv, dx_bar);
    take_rates<S>(f_ext_bar, Index{6} * m.n_links, df_ext_bar);
    take_rates<S>(pi_bar, Index{10} * (m.n_links - 1), dpi_bar);
  }
  /// Columns k of three n x n matrices from the derivatives along coordinate k, or that of the fourth from those along
  /// a rate.
  template <class Dqdq, class Dvdq, class Dxdq, class Dvdv>
  TANDEM_HD void give_columns(Index n, Index k, Dqdq d2_dqdq, Dvdq d2_dvdq, Dxdq d2_dxdq, Dvdv d2_dvdv) const {
    if (k < n) {
      take_rates<S>(q_bar, n, d2_dqdq + k, n);
      take_rates<S>(v_bar, n, d2_dvdq + k, n);
      take_rates<S>(x_bar, n, d2_dxdq + k, n);
    } else {
      take_rates<S>(v_bar, n, d2_dvdv + (k - n), n);
    }
  }
};
/// In a workspace of plain numbers.
template <class S, class M, class Work>
TANDEM_HD auto dual_products(const ModelView<M>& m, Work w, bool by_forces, bool by_parameters) {
  auto rest = dual_column<S>(w);
  using Column = decltype(rest);
  const Index n = m.nv, forces = Index{6} * m.n_links, parameters = Index{10} * (m.n_links - 1);
  DualProducts<S, Column> columns{};
  columns.q = take(rest, m.nq);
  for (Column* const of_joints :
       {&columns.v, &columns.x, &columns.weights, &columns.diagonal, &columns.y, &columns.q_bar, &columns.v_bar,
        &columns.x_bar})
    *of_joints = take(rest, n);
  columns.f_ext = take(rest, forces);
  if (by_forces) columns.f_ext_bar = take(rest, forces);
  if (by_parameters) columns.pi_bar = take(rest, parameters);
  columns.work = rest;
  return columns;
}
/// Rows of the columns and of a workspace with this many dual numbers.
template <class M>
TANDEM_HD Index dual_products_rows(const ModelView<M>& m, Index work_rows) {
  return 2 * (m.nq + Index{8} * m.nv + Index{22} * m.n_links + work_rows);
}

}  // namespace tandem::inline TANDEM_ISA
