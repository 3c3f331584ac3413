// SPDX-License-Identifier: Apache-2.0
/// The driver of formulations: state after state, with what does not change of the links found once.
#pragma once
#include <vector>

#include "run_links.hpp"

namespace tandem::inline TANDEM_ISA {

/// A formulation with the constants of a model, in the shape of an algorithm.
template <class F, class T>
struct FormulationOfModel : F {
  static constexpr auto& arguments = F::Problem::arguments;
  std::shared_ptr<const void> own;  ///< where the caller has not prepared anything
  const T* constants;

  static std::shared_ptr<const void> prepare(const ModelView<T>& m, const Options&) {
    auto found = std::make_shared<std::vector<T>>(static_cast<std::size_t>(F::constant_rows(m)));
    find_link_constants<T>(m, found->data());
    return found;
  }
  explicit FormulationOfModel(const Call<T>& call) : F(with_options<F>(call.options)) {
    if (!call.prepared) own = prepare(call.model, call.options);
    constants = static_cast<const std::vector<T>*>(call.prepared ? call.prepared : own.get())->data();
  }
  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    return F::run_rows(m);
  }
  template <class S, class M, class... Column>
  void body(const ModelView<M>& m, Column... columns) const {
    F::template run<S>(m, constants, columns...);
  }
};

template <class F, class T>
using FormulationDriver = DriverOf<FormulationOfModel<F, T>, T>;

}  // namespace tandem::inline TANDEM_ISA
