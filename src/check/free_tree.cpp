// SPDX-License-Identifier: Apache-2.0
#include "check/free_tree.hpp"

#include <algorithm>
#include <cmath>

#include "check/dense.hpp"
#include "api/run_body.hpp"
#include "core/at.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::check_detail {
namespace {

/// y += |A| |x|, A [n, n].
void add_product_of_sizes(const Numbers& A, const double* x, Numbers& y) {
  const std::size_t n = y.size();
  for (std::size_t k = 0; k < n * n; ++k) y[k / n] += std::abs(A[k] * x[k % n]);
}

/// A robot whose mimic joints swing freely.
class FreeTree {
 public:
  FreeTree(const Model& model, const Numbers& q)
      : m_(model.view<double>()),
        view_(m_),
        q_index_(at(m_.n_links), 0),
        no_mimics_(at(m_.n_links), 0),
        multiplier_(at(m_.n_links), 1.0),
        offset_(at(m_.n_links), 0.0),
        armature_(at(m_.n_dof), 0.0),
        M_(at(m_.n_dof) * at(m_.n_dof)) {
    for (int i = 1; i < m_.n_links; ++i) {
      q_index_[at(i)] = static_cast<std::int32_t>(q_.size());
      const bool follows = m_.mimics[i] != 0;
      for (int k = 0; k < joint_nq(m_.type[i]); ++k) {
        const double own = q[at(m_.q_index[i] + k)];
        q_.push_back(follows ? m_.multiplier[i] * own + m_.offset[i] : own);
      }
      for (int k = 0; k < joint_nv(m_.type[i]) && !follows; ++k)
        armature_[at(m_.dof_index[i] + k)] = m_.armature[m_.v_index[i] + k];
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

    run_body<double>(MassMatrix(), view_, q_.data(), M_.data());
    for (int i = 1; i < m_.n_links; ++i) {
      if (m_.mimics[i] == 0) continue;
      const std::size_t dof = at(m_.dof_index[i]);
      double& inertia = M_[(at(view_.nv) + 1) * dof];
      (inertia > 0 ? mimics_ : weightless_).push_back(i);
      if (!(inertia > 0)) inertia += armature_[dof] = 1;  // any will do
    }
  }

  Numbers acceleration_errors(const Numbers& v, const Numbers& tau, const Numbers& f_ext, const Numbers& dof_sizes) {
    const std::size_t n = at(view_.nv);
    Numbers inverse = M_, result(v.size());
    const Numbers free_a = free_acceleration(v, tau, f_ext);
    if (bool positive; !invert(inverse, n, positive) || !hold(inverse, free_a)) return result;

    // errors of all the motions that are summed up
    Numbers sizes = dof_sizes, errors(n);
    add_product_of_sizes(M_, free_a.data(), sizes);
    for (std::size_t j = 0; j < mimics_.size(); ++j) {
      Numbers of_one(n);
      add_product_of_sizes(M_, &response_[j * n], of_one);
      for (std::size_t k = 0; k < n; ++k) sizes[k] += std::abs(force_[j]) * of_one[k];
    }
    add_product_of_sizes(inverse, sizes.data(), errors);
    const Numbers left = left_of(errors);
    for (int i = 1; i < m_.n_links; ++i)
      for (int k = 0; k < joint_nv(m_.type[i]) && m_.mimics[i] == 0; ++k)
        result[at(m_.v_index[i] + k)] = left[at(m_.dof_index[i] + k)];
    return result;
  }

 private:
  Numbers free_acceleration(const Numbers& v, const Numbers& tau, const Numbers& f_ext) const {
    Numbers free_v(at(view_.nv)), free_tau(at(view_.nv)), free_a(at(view_.nv));
    for (int i = 1; i < m_.n_links; ++i)
      for (int k = 0; k < joint_nv(m_.type[i]); ++k) {
        free_v[at(m_.dof_index[i] + k)] = m_.multiplier[i] * v[at(m_.v_index[i] + k)];
        if (m_.mimics[i] == 0) free_tau[at(m_.dof_index[i] + k)] = tau[at(m_.v_index[i] + k)];
      }
    const double *forces = f_ext.empty() ? nullptr : f_ext.data(), *no_diagonal = nullptr;
    run_body<double>(ForwardDynamics(), view_, q_.data(), free_v.data(), free_tau.data(), forces, no_diagonal,
                     free_a.data());
    for (const int i : weightless_) free_a[at(m_.dof_index[i])] = 0;
    return free_a;
  }

  /// Row of C for mimic joint i, times x: how fast it slips from the joint that it follows.
  double slip(int i, const double* x) const {
    return x[m_.dof_index[i]] - m_.multiplier[i] * x[m_.dof_index[m_.mimics[i]]];
  }

  /// Finds the holding forces that one row of C each asks for, per unit and as they are.
  bool hold(const Numbers& inverse, const Numbers& free_a) {
    const std::size_t n = at(view_.nv), n_mimic = mimics_.size();
    response_.resize(n_mimic * n);
    G_inverse_.resize(n_mimic * n_mimic);
    force_.resize(n_mimic);
    for (std::size_t j = 0; j < n_mimic; ++j) {
      for (std::size_t k = 0; k < n; ++k) response_[j * n + k] = slip(mimics_[j], &inverse[k * n]);
      for (std::size_t l = 0; l < n_mimic; ++l) G_inverse_[l * n_mimic + j] = slip(mimics_[l], &response_[j * n]);
    }
    if (bool positive; !invert(G_inverse_, n_mimic, positive)) return false;
    for (std::size_t j = 0; j < n_mimic; ++j)
      for (std::size_t l = 0; l < n_mimic; ++l)
        force_[j] -= G_inverse_[j * n_mimic + l] * slip(mimics_[l], free_a.data());
    return true;
  }

  /// What holding the mimic joints leaves of errors: |1 - response^T G^-1 C| errors.
  Numbers left_of(const Numbers& errors) const {
    const std::size_t n = at(view_.nv), n_mimic = mimics_.size();
    Numbers held(n * n), left(n);
    for (std::size_t k = 0; k < n; ++k) {
      held[k * n + k] = 1;
      for (std::size_t l = 0; l < n_mimic; ++l) {
        double pull = 0;
        for (std::size_t j = 0; j < n_mimic; ++j) pull += response_[j * n + k] * G_inverse_[j * n_mimic + l];
        const int i = mimics_[l];
        held[k * n + at(m_.dof_index[i])] -= pull;
        held[k * n + at(m_.dof_index[m_.mimics[i]])] += pull * m_.multiplier[i];
      }
    }
    add_product_of_sizes(held, errors.data(), left);
    return left;
  }

  const ModelView<double>& m_;
  ModelView<double> view_;
  std::vector<std::int32_t> q_index_, no_mimics_;
  std::vector<int> mimics_;      ///< mimic joints that are held
  std::vector<int> weightless_;  ///< mimic joints that move nothing with inertia: they do not swing
  Numbers multiplier_, offset_, armature_, q_;
  Numbers M_;          ///< [n, n]
  Numbers response_;   ///< [n_mimic, n] motion that a unit of each holding force causes: rows of C M^-1
  Numbers G_inverse_;  ///< [n_mimic, n_mimic] of C M^-1 C^T
  Numbers force_;      ///< [n_mimic] -G^-1 C a_free
};

}  // namespace

Numbers free_tree_errors(const Model& model, const Numbers& q, const Numbers& v, const Numbers& tau,
                         const Numbers& f_ext, const Numbers& dof_sizes) {
  return FreeTree(model, q).acceleration_errors(v, tau, f_ext, dof_sizes);
}

}  // namespace tandem::check_detail
