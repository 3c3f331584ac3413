// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "backends/shared/parameters.hpp"
#include "tandem/detail/joint/link_inertia.hpp"

namespace tandem {

/// A model of one topology with the parameters of one state after the other.
template <class T>
class StateModel {
 public:
  StateModel(const ModelView<T>& m, const ParameterArrays<T>& parameters) : from_(m), parameters_(parameters), own_(m) {
    if (given(Parameter::mass) || given(Parameter::com) || given(Parameter::inertia)) {
      inertia_.assign(m.inertia, m.inertia + Index{10} * m.n_links);
      own_.inertia = inertia_.data();
    }
  }
  StateModel(const StateModel&) = delete;
  StateModel& operator=(const StateModel&) = delete;

  /// The parameters of state b.
  void take(Index b) {
    if (own_.inertia != from_.inertia)
      link_inertias_from<T>(from_, Rows(*this, Parameter::mass, b, parameters_.link_mass),
                            Rows(*this, Parameter::com, b, parameters_.link_com),
                            Rows(*this, Parameter::inertia, b, parameters_.link_inertia), inertia_.data());
    take_rows(Parameter::armature, b, armature_, own_.armature);
    take_rows(Parameter::damping, b, damping_, own_.damping);
    take_rows(Parameter::friction, b, friction_, own_.friction);
    take_rows(Parameter::stiffness, b, stiffness_, own_.stiffness);
    if (!given(Parameter::gravity)) return;
    const Rows gravity(*this, Parameter::gravity, b, nullptr);
    for (int k = 0; k < 3; ++k) own_.base_acceleration[3 + k] = parameters_.acceleration[3 + k] - gravity[k];
  }
  const ModelView<T>& view() const { return own_; }

 private:
  const Array<T>& values(Parameter p) const { return parameters_.values[static_cast<int>(p)]; }
  bool given(Parameter p) const { return values(p).data != nullptr; }

  /// Values of a state, or where there are none those of the model.
  struct Rows {
    const T* data;
    Index row_stride;
    Rows(const StateModel& m, Parameter p, Index b, const T* of_model)
        : data(m.given(p) ? m.values(p).data + b * m.values(p).stride : of_model),
          row_stride(m.given(p) ? m.values(p).row_stride : 1) {}
    const T& operator[](Index row) const { return data[row * row_stride]; }
  };
  void take_rows(Parameter p, Index b, std::vector<T>& own, const T*& field) {
    if (!given(p)) return;
    const Rows rows(*this, p, b, nullptr);
    own.resize(static_cast<std::size_t>(from_.nv));
    for (Index k = 0; k < from_.nv; ++k) own[static_cast<std::size_t>(k)] = rows[k];
    field = own.data();
  }

  const ModelView<T>& from_;
  const ParameterArrays<T>& parameters_;
  ModelView<T> own_;
  std::vector<T> inertia_, armature_, damping_, friction_, stiffness_;
};

}  // namespace tandem
