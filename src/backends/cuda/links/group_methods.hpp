// SPDX-License-Identifier: Apache-2.0
/// What groups of blocks carry out: methods of link_methods.hpp, as they are or in the parts that a GPU takes them in.
/// kernels.cmake has a source for each and every precision.
#pragma once
#include "tandem/detail/papers/constraint_force.hpp"
#include "tandem/detail/papers/divide_and_conquer.hpp"
#include "tandem/detail/papers/hybrid_articulated_body.hpp"
#include "tandem/detail/scan/inverse_dynamics_scan.hpp"
#include "tandem/detail/papers/log_composite.hpp"
#include "tandem/detail/papers/mass_matrix_inversion.hpp"

namespace tandem::cuda {

/// Inverse dynamics by scan, of a chain that was cut on the host.
struct InverseDynamicsOnGroup {
  using Problem = InverseDynamics;
  InverseDynamicsScan method;
  ScanPlan plan;
  Index rows;  ///< of scratch memory

  template <class T>
  Index work_rows(const ModelView<T>&) const {
    return rows;
  }
  template <class T, class Executor>
  TANDEM_HD void body(const Executor& executor, const ModelView<T>& m, StridedColumn<T> q, StridedColumn<T> v,
                      StridedColumn<T> a, StridedColumn<T> f_ext, StridedColumn<T> tau, T* w) const {
    method.run<T>(OneByOne<Executor>{executor}, executor, plan, m, q, v, a, f_ext, tau, Arena(w));
  }
};

/// The hybrid algorithm; with the last argument what the processor found of the joints.
struct HybridOnGroup : HybridArticulatedBody {
  struct Problem {
    static constexpr const char* name = ForwardDynamics::name;
    static constexpr auto& of_a = ForwardDynamics::arguments;
    static_assert(std::size(of_a) == 6);
    static constexpr Argument arguments[] = {
        of_a[0], of_a[1], of_a[2],
        of_a[3], of_a[4], {"responses", Rows::v, Role::optional_input, "", "response of the joints, all rows"},
        of_a[5]};
  };
  template <class T, class Executor>
  TANDEM_HD void body(const Executor& executor, const ModelView<T>& m, StridedColumn<T> q, StridedColumn<T> v,
                      StridedColumn<T> tau, StridedColumn<T> f_ext, StridedColumn<T> diagonal,
                      StridedColumn<T> responses, StridedColumn<T> a, T* w) const {
    body_after<T>(executor, m, q, v, tau, f_ext, diagonal, a, w, responses ? responses.data : w + responses_row(m),
                  static_cast<bool>(responses));
  }
};

/// a = (M + diag(diagonal))^-1 (tau - bias): the last step of mass_matrix_inversion. M is overwritten.
struct MassMatrixOnGroup {
  struct Problem {
    static constexpr const char* name = ForwardDynamics::name;
    static constexpr Argument arguments[] = {{"tau", Rows::v, Role::input, "", "joint torques"},
                                             {"bias", Rows::v, Role::input, "", "bias forces"},
                                             {"diagonal", Rows::v, Role::optional_input, "", "added to the diagonal"},
                                             {"M", Rows::matrix, Role::input, "", "the mass matrix"},
                                             {"a", Rows::v, Role::output, "", "accelerations"}};
  };
  template <class T>
  Index work_rows(const ModelView<T>&) const {
    return 0;
  }
  template <class T, class Executor>
  TANDEM_HD void body(const Executor& executor, const ModelView<T>& m, StridedColumn<T> tau, StridedColumn<T> bias,
                      StridedColumn<T> diagonal, StridedColumn<T> M, StridedColumn<T> a, T*) const {
    MassMatrixInversion::solve<T>(executor, m.nv, M, tau, bias, diagonal, a);
  }
};

}  // namespace tandem::cuda
