// SPDX-License-Identifier: Apache-2.0
/// A model of its own for every thread: one topology, parameters that differ from state to state.
#pragma once
#include "backends/cuda/column.hpp"
#include "backends/cuda/variants.hpp"
#include "backends/shared/parameters.hpp"
#include "tandem/detail/joint/link_inertia.hpp"

namespace tandem::cuda {

/// What of a model differs, passed to the kernel by value.
template <class T>
struct Variation {
  Array<T> values[n_parameters];  ///< by Parameter; without data: as in the model
  bool links = false;      ///< mass, com or inertia differ; those of the three that do not are the model's, stride 0
  T acceleration[6] = {};  ///< [angular; linear] of the base, without gravity
  T* own = nullptr;        ///< [warps][own_rows][warp]: what threads make of it
};

/// Rows of a thread's own numbers: of inertia, then of what joints have.
template <class M>
TANDEM_HD Index own_rows(const ModelView<M>& m) {
  return 10 * Index{m.n_links} + 4 * Index{m.nv};
}

template <class T>
class ThreadModel {
 public:
  using M = InWarp<T>;
  using View = ModelView<M>;

  /// That of thread t, at first the one for all.
  TANDEM_HD ThreadModel(const View& for_all, const Variation<T>& variation, Index t)
      : variation_(variation), view_(for_all) {
    const Index lane = t % warp;
    for_each_field(for_all, [&](auto field, Index, const char*) {
      if constexpr (std::is_same_v<std::remove_reference_t<decltype(view_.*field)>, const M*>)
        view_.*field = reinterpret_cast<const M*>(reinterpret_cast<const T*>(for_all.*field) + lane);
    });
    own_ = variation.own ? variation.own + t / warp * (own_rows(for_all) * warp) + lane : nullptr;
  }

  /// The parameters of state b.
  TANDEM_HD void take(Index b) {
    if (!own_) return;
    const Index n = view_.n_links, nv = view_.nv;
    if (variation_.links) {
      link_inertias_from<T>(view_, given(Parameter::mass, b), given(Parameter::com, b), given(Parameter::inertia, b),
                            own(0));
      view_.inertia = rows(0);
    }
    take_rows(Parameter::armature, view_.armature, 10 * n, b);
    take_rows(Parameter::damping, view_.damping, 10 * n + nv, b);
    take_rows(Parameter::friction, view_.friction, 10 * n + 2 * nv, b);
    take_rows(Parameter::stiffness, view_.stiffness, 10 * n + 3 * nv, b);
    if (const auto gravity = given(Parameter::gravity, b))
      for (int k = 0; k < 3; ++k) view_.base_acceleration[3 + k] = variation_.acceleration[3 + k] - gravity[k];
  }
  TANDEM_HD const View& view() const { return view_; }

 private:
  TANDEM_HD FarColumn<T> given(Parameter p, Index b) const {
    return far_column_of(variation_.values[static_cast<int>(p)], b);
  }
  TANDEM_HD FarColumn<T> own(Index row) const { return FarColumn<T>(own_ + row * warp, warp); }
  TANDEM_HD const M* rows(Index row) const { return reinterpret_cast<const M*>(own_ + row * warp); }
  TANDEM_HD void take_rows(Parameter p, const M*& field, Index row, Index b) {
    const auto values = given(p, b);
    if (!values) return;
    for (Index k = 0; k < view_.nv; ++k) own(row)[k] = values[k];
    field = rows(row);
  }

  const Variation<T>& variation_;
  View view_;
  T* own_;
};

}  // namespace tandem::cuda
