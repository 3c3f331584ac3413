// SPDX-License-Identifier: Apache-2.0
/// A model of its own in every lane, or of the one state that plain numbers have: one topology, parameters that differ from state to state.
#pragma once
#include "backends/cpu/call.hpp"
#include "tandem/detail/joint/link_inertia.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

template <class P>
class LaneModel {
 public:
  using T = typename RealOf<P>::type;

  /// Rows of packs that the arrays of a model take.
  static Index rows(const ModelView<T>& m) {
    Index sum = 0;
    for_each_field(m, [&](auto field, Index n, const char*) {
      if constexpr (is_real<decltype(m.*field)>) sum += n;
    });
    return sum + tile_rows(m);
  }

  /// Every lane the same, in memory of rows(m) packs.
  LaneModel(const Call<T>& call, P* memory) : from_(call.model), parameters_(*call.parameters) {
    static_cast<ModelCounts&>(lanes_) = from_;
    for (int k = 0; k < 6; ++k) lanes_.base_acceleration[k] = P(from_.base_acceleration[k]);
    for_each_field_of_both(from_, lanes_, [&](auto source, auto target, Index n, const char*) {
      if constexpr (is_real<decltype(from_.*source)>) {
        for (Index row = 0; row < n; ++row) memory[row] = P((from_.*source)[row]);
        lanes_.*target = memory;
        memory += n;
      } else {
        lanes_.*target = from_.*source;
      }
    });
    tile_ = memory;
  }

  /// The parameters of states b, b + 1, ...; lanes beyond n_states repeat the last one.
  void take(Index b, int n_states) {
    take_links(b, n_states);
    take_rows(Parameter::armature, lanes_.armature, b, n_states);
    take_rows(Parameter::damping, lanes_.damping, b, n_states);
    take_rows(Parameter::friction, lanes_.friction, b, n_states);
    take_rows(Parameter::stiffness, lanes_.stiffness, b, n_states);
    if (const P* gravity = gathered(Parameter::gravity, 3, b, n_states, tile_))
      for (int k = 0; k < 3; ++k) lanes_.base_acceleration[3 + k] = P(parameters_.acceleration[3 + k]) - gravity[k];
  }

  const ModelView<P>& view() const { return lanes_; }

 private:
  template <class Field>
  static constexpr bool is_real = std::is_same_v<std::remove_cvref_t<Field>, const T*>;

  static Index tile_rows(const ModelView<T>& m) { return 10 * Index{m.n_links} + 3; }

  const P* gathered(Parameter parameter, Index rows, Index b, int n_states, P* tile) const {
    const Array<T>& values = parameters_.values[static_cast<int>(parameter)];
    if (!values.data) return nullptr;
    gather(values.data + b * values.stride, values.stride, values.row_stride, rows, n_states, tile);
    return tile;
  }

  void take_rows(Parameter parameter, const P* rows, Index b, int n_states) {
    gathered(parameter, from_.nv, b, n_states, const_cast<P*>(rows));
  }

  /// Values of the states, or where there are none those of the model.
  struct Given {
    const P* of_states;
    const T* of_model;
    P operator[](Index row) const { return of_states ? of_states[row] : P(of_model[row]); }
  };

  void take_links(Index b, int n_states) {
    const Index n = from_.n_links;
    const P* mass = gathered(Parameter::mass, n, b, n_states, tile_);
    const P* com = gathered(Parameter::com, 3 * n, b, n_states, tile_ + n);
    const P* inertia = gathered(Parameter::inertia, 6 * n, b, n_states, tile_ + 4 * n);
    if (!mass && !com && !inertia) return;
    link_inertias_from<P>(from_, Given{mass, parameters_.link_mass}, Given{com, parameters_.link_com},
                          Given{inertia, parameters_.link_inertia}, const_cast<P*>(lanes_.inertia));
  }

  const ModelView<T>& from_;
  const ParameterArrays<T>& parameters_;
  ModelView<P> lanes_;
  P* tile_;
};

}  // namespace tandem::inline TANDEM_ISA
