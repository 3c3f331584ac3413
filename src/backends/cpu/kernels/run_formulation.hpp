// SPDX-License-Identifier: Apache-2.0
/// The driver of formulations: states in lanes, with what does not change of the links found once.
#pragma once
#include <vector>

#include "run.hpp"
#include "tandem/detail/core/arena.hpp"

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
struct FormulationDriver {
  using Whole = FormulationOfModel<F, T>;
  using Lanes = FullPack<T>;
  static constexpr int lanes = Lanes::width;

  static Index rows(const Call<T>& call) { return buffer_rows<Whole>(call.model) + F::run_rows(call.model); }
  /// Packs of what stays in the cache; beyond one state at a time is faster.
  static bool in_lanes(const Call<T>& call) {
    return rows(call) * static_cast<Index>(sizeof(Lanes)) <= bytes_near_core;
  }
  static Index scratch_size(const Call<T>& call) { return rows(call) * (in_lanes(call) ? lanes : 1); }

  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    if (end - begin == 1 && run_in_place<Whole>(call, begin, scratch)) return;
    const Whole whole(call);
    const Index left = (end - begin) % lanes;
    const Index middle = !in_lanes(call) ? begin : 4 * left <= lanes ? end - left : end;
    if (begin < middle) run_tiles(call, tile_body<Lanes, T>(whole), begin, middle, reinterpret_cast<Lanes*>(scratch));
    if (middle < end) run_tiles(call, tile_body<T, T>(whole), middle, end, scratch);
  }
};

}  // namespace tandem::inline TANDEM_ISA
