// SPDX-License-Identifier: Apache-2.0
#include "api/check/free_tree.hpp"

#include <algorithm>
#include <cmath>

#include "api/check/dense.hpp"
#include "core/at.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::check_detail {
namespace {

template <class F>
void for_each_dof(const ModelView<double>& m, int i, F&& f) {
  on_joint(m.type[i], [&](auto joint) {
    for (int k = 0; k < decltype(joint)::nv; ++k) f(k);
  });
}

/// y += |A| |x|, A [n, n].
void add_product_of_sizes(const Numbers& A, const double* x, Numbers& y) {
  const std::size_t n = y.size();
  for (std::size_t k = 0; k < n * n; ++k) y[k / n] += std::abs(A[k] * x[k % n]);
}

}  // namespace

FreeTree::FreeTree(const Model& model, const Numbers& q)
    : model_(model),
      view_(model.view<double>()),
      q_index_(at(view_.n_links), 0),
      no_mimics_(at(view_.n_links), 0),
      multiplier_(at(view_.n_links), 1.0),
      offset_(at(view_.n_links), 0.0),
      armature_(at(view_.n_dof), 0.0) {
  const auto& m = model.view<double>();
  for (int i = 1; i < m.n_links; ++i) {
    q_index_[at(i)] = static_cast<std::int32_t>(q_.size());
    const bool follows = m.mimics[i] != 0;
    on_joint(m.type[i], [&](auto joint) {
      for (int k = 0; k < decltype(joint)::nq; ++k) {
        const double own = q[at(m.q_index[i] + k)];
        q_.push_back(follows ? m.multiplier[i] * own + m.offset[i] : own);
      }
    });
    if (!follows) for_each_dof(m, i, [&](int k) { armature_[at(m.dof_index[i] + k)] = m.armature[m.v_index[i] + k]; });
  }
  view_.nv = view_.n_dof;
  view_.nq = static_cast<std::int32_t>(q_.size());
  view_.n_mimic = 0;
  view_.q_index = q_index_.data();
  view_.v_index = view_.dof_index;
  view_.mimics = no_mimics_.data();
  view_.multiplier = multiplier_.data();
  view_.offset = offset_.data();
  view_.armature = armature_.data();

  Numbers M(at(view_.nv) * at(view_.nv)), work(at(MassMatrix::work_rows(view_)));
  MassMatrix::body<double>(view_, q_.data(), M.data(), work.data());
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] == 0) continue;
    const std::size_t dof = at(m.dof_index[i]);
    const bool heavy = M[(at(view_.nv) + 1) * dof] > 0;
    (heavy ? mimics_ : weightless_).push_back(i);
    if (!heavy) armature_[dof] = 1;  // any will do
  }
}

Numbers FreeTree::free_acceleration(const Numbers& v, const Numbers& tau, const Numbers& f_ext) const {
  const auto& m = model_.view<double>();
  Numbers free_v(at(view_.nv)), free_tau(at(view_.nv)), free_a(at(view_.nv));
  for (int i = 1; i < m.n_links; ++i)
    for_each_dof(m, i, [&](int k) {
      free_v[at(m.dof_index[i] + k)] = m.multiplier[i] * v[at(m.v_index[i] + k)];
      if (m.mimics[i] == 0) free_tau[at(m.dof_index[i] + k)] = tau[at(m.v_index[i] + k)];
    });
  Numbers work(at(ForwardDynamics().work_rows(view_)));
  const double* forces = f_ext.empty() ? nullptr : f_ext.data();
  const double* no_diagonal = nullptr;
  ForwardDynamics().body<double>(view_, q_.data(), free_v.data(), free_tau.data(), forces, no_diagonal, free_a.data(),
                                 work.data());
  for (const int i : weightless_) free_a[at(m.dof_index[i])] = 0;
  return free_a;
}

double FreeTree::slip(int i, const double* x) const {
  const auto& m = model_.view<double>();
  return x[m.dof_index[i]] - m.multiplier[i] * x[m.dof_index[m.mimics[i]]];
}

/// The holding forces that one row of C each asks for, per unit and as they are.
struct FreeTree::Holding {
  Numbers response;   ///< [n_mimic, n] motion that a unit of each force causes: rows of C M^-1
  Numbers G_inverse;  ///< [n_mimic, n_mimic] of C M^-1 C^T
  Numbers force;      ///< [n_mimic] -G^-1 C a_free
};

bool FreeTree::hold(const Numbers& inverse, const Numbers& free_a, Holding& h) const {
  const std::size_t n = at(view_.nv), n_mimic = mimics_.size();
  h = {Numbers(n_mimic * n), Numbers(n_mimic * n_mimic), Numbers(n_mimic)};
  for (std::size_t j = 0; j < n_mimic; ++j) {
    for (std::size_t k = 0; k < n; ++k) h.response[j * n + k] = slip(mimics_[j], &inverse[k * n]);
    for (std::size_t l = 0; l < n_mimic; ++l) h.G_inverse[l * n_mimic + j] = slip(mimics_[l], &h.response[j * n]);
  }
  if (!invert(h.G_inverse, n_mimic)) return false;
  for (std::size_t j = 0; j < n_mimic; ++j)
    for (std::size_t l = 0; l < n_mimic; ++l)
      h.force[j] -= h.G_inverse[j * n_mimic + l] * slip(mimics_[l], free_a.data());
  return true;
}

/// What holding the mimic joints leaves of errors: |1 - response^T G^-1 C| errors.
Numbers FreeTree::left_of(const Numbers& errors, const Holding& h) const {
  const auto& m = model_.view<double>();
  const std::size_t n = at(view_.nv), n_mimic = mimics_.size();
  Numbers held(n * n), left(n);
  for (std::size_t k = 0; k < n; ++k) {
    held[k * n + k] = 1;
    for (std::size_t l = 0; l < n_mimic; ++l) {
      double pull = 0;
      for (std::size_t j = 0; j < n_mimic; ++j) pull += h.response[j * n + k] * h.G_inverse[j * n_mimic + l];
      const int i = mimics_[l];
      held[k * n + at(m.dof_index[i])] -= pull;
      held[k * n + at(m.dof_index[m.mimics[i]])] += pull * m.multiplier[i];
    }
  }
  add_product_of_sizes(held, errors.data(), left);
  return left;
}

Numbers FreeTree::acceleration_errors(const Numbers& v, const Numbers& tau, const Numbers& f_ext,
                                      const Numbers& dof_sizes) const {
  const auto& m = model_.view<double>();
  const std::size_t n = at(view_.nv);
  Numbers M(n * n), work(at(MassMatrix::work_rows(view_)));
  MassMatrix::body<double>(view_, q_.data(), M.data(), work.data());
  Numbers inverse = M, result(v.size());
  const Numbers free_a = free_acceleration(v, tau, f_ext);
  Holding holding;
  if (!invert(inverse, n) || !hold(inverse, free_a, holding)) return result;

  // errors of all the motions that are summed up
  Numbers sizes = dof_sizes, errors(n);
  add_product_of_sizes(M, free_a.data(), sizes);
  for (std::size_t j = 0; j < mimics_.size(); ++j) {
    Numbers of_one(n);
    add_product_of_sizes(M, &holding.response[j * n], of_one);
    for (std::size_t k = 0; k < n; ++k) sizes[k] += std::abs(holding.force[j]) * of_one[k];
  }
  add_product_of_sizes(inverse, sizes.data(), errors);
  const Numbers left = left_of(errors, holding);
  for (int i = 1; i < m.n_links; ++i)
    if (m.mimics[i] == 0)
      for_each_dof(m, i, [&](int k) { result[at(m.v_index[i] + k)] = left[at(m.dof_index[i] + k)]; });
  return result;
}

}  // namespace tandem::check_detail
