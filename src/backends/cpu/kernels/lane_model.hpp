// SPDX-License-Identifier: Apache-2.0
/// Models on packs: topology and placements of one model, and in every lane numbers that parameters may change.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "backends/cpu/call.hpp"
#include "tandem/detail/joint/link_inertia.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// Rows of the numbers of a model that parameters may change.
template <class P, class T>
Index varied_rows(const ModelView<T>& m) {
  Index sum = 0;
  for_each_field_of_both(m, ModelView<P>(), [&](auto, auto field, Index n, const char*) {
    if constexpr (std::is_same_v<decltype(field), const P * ModelView<P>::*>) sum += n;
  });
  return sum;
}

/// A model on packs, every lane the same, in memory of so many rows.
template <class P, class T>
ModelView<P> spread(const ModelView<T>& m, P* memory) {
  ModelView<P> lanes;
  static_cast<ModelCounts&>(lanes) = m;
  for (int k = 0; k < 6; ++k) lanes.base_acceleration[k] = P(m.base_acceleration[k]);
  for_each_field_of_both(m, lanes, [&](auto source, auto target, Index n, const char*) {
    if constexpr (std::is_same_v<decltype(target), const P * ModelView<P>::*>) {
      for (Index row = 0; row < n; ++row) memory[row] = P((m.*source)[row]);
      lanes.*target = memory;
      memory += n;
    } else {
      lanes.*target = m.*source;
    }
  });
  return lanes;
}

/// The same for all calls with a model.
template <class P>
struct PreparedModel {
  using T = typename RealOf<P>::type;
  std::vector<P> memory;
  ModelView<P> view;
  T base_acceleration[6];

  explicit PreparedModel(const ModelView<T>& m)
      : memory(static_cast<std::size_t>(varied_rows<P>(m))), view(spread(m, memory.data())) {
    std::copy_n(m.base_acceleration, 6, base_acceleration);
  }
  PreparedModel(const PreparedModel&) = delete;
  PreparedModel& operator=(const PreparedModel&) = delete;
  /// Calls may have another gravity.
  bool is_for(const ModelView<T>& m) const {
    return std::equal(base_acceleration, base_acceleration + 6, m.base_acceleration);
  }
};

/// A model for one tile of states after the other.
template <class P>
class LaneModel {
 public:
  using T = typename RealOf<P>::type;

  /// Rows of memory that it needs.
  static Index rows(const ModelView<T>& m) { return varied_rows<P>(m) + tile_rows(m); }

  /// Of a model, until parameters, which may be null, are taken; in memory of rows(m) packs, or as it was prepared, if
  /// it was. Of one state without parameters it is the model.
  LaneModel(const ModelView<T>& m, const ParameterArrays<T>* parameters, P* memory,
            const PreparedModel<P>* prepared = nullptr)
      : from_(m), parameters_(parameters), tile_(memory + varied_rows<P>(m)) {
    if (prepared && !parameters && prepared->is_for(m)) {
      view_ = &prepared->view;
      return;
    }
    if constexpr (std::is_same_v<P, T>) {
      if (!parameters) {
        view_ = &m;
        return;
      }
    }
    lanes_ = spread(m, memory);
    view_ = &*lanes_;
  }
  LaneModel(const LaneModel&) = delete;
  LaneModel& operator=(const LaneModel&) = delete;

  /// The parameters of states b, b + 1, ...; lanes beyond n_states repeat the last one.
  void take(Index b, int n_states) {
    if (!parameters_) return;
    take_links(b, n_states);
    take_rows(Parameter::armature, lanes_->armature, b, n_states);
    take_rows(Parameter::damping, lanes_->damping, b, n_states);
    take_rows(Parameter::friction, lanes_->friction, b, n_states);
    take_rows(Parameter::stiffness, lanes_->stiffness, b, n_states);
    if (const P* gravity = gathered(Parameter::gravity, 3, b, n_states, tile_))
      for (int k = 0; k < 3; ++k) lanes_->base_acceleration[3 + k] = P(parameters_->acceleration[3 + k]) - gravity[k];
  }

  const ModelView<P>& view() const { return *view_; }

 private:
  static Index tile_rows(const ModelView<T>& m) { return 10 * Index{m.n_links} + 3; }

  const P* gathered(Parameter parameter, Index rows, Index b, int n_states, P* tile) const {
    const Array<T>& values = parameters_->values[static_cast<int>(parameter)];
    if (!values.data) return nullptr;
    gather(values.data + b * values.stride, values.stride, values.row_stride, rows, n_states, tile);
    return tile;
  }

  void take_rows(Parameter parameter, const P* rows, Index b, int n_states) {
    gathered(parameter, from_.nv, b, n_states, const_cast<P*>(rows));
  }

  /// Values of the states; if they are omitted, those of the model.
  struct StatesOrModel {
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
    link_inertias_from<P>(from_, StatesOrModel{mass, parameters_->link_mass}, StatesOrModel{com, parameters_->link_com},
                          StatesOrModel{inertia, parameters_->link_inertia}, const_cast<P*>(lanes_->inertia));
  }

  const ModelView<T>& from_;
  const ParameterArrays<T>* parameters_;
  std::optional<ModelView<P>> lanes_;
  const ModelView<P>* view_;
  P* tile_;
};

}  // namespace tandem::inline TANDEM_ISA
