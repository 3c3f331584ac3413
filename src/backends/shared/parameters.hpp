// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tandem/api/batch.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

/// Parameters of the model that differ from state to state, and what the others are.
template <class T>
struct ParameterArrays {
  Array<T> values[n_parameters];  ///< by Parameter; without data: as in the model
  const T* link_mass = nullptr;   ///< [n_links] of the model
  const T* link_com = nullptr;    ///< [n_links][3] of the model, link axes
  const T* link_inertia =
      nullptr;             ///< [n_links][6] of the model, xx xy xz yy yz zz about the centre of mass, link axes
  T acceleration[6] = {};  ///< [angular; linear] of the base, without gravity
};

/// Masses, centres of mass and inertias as links are described, in the precision of a call.
template <class T>
struct LinkNumbers {
  std::vector<T> mass, com, inertia;
  explicit LinkNumbers(const Model& model) {
    for (int i = 0; i < model.n_links(); ++i) {
      const MassProperties link = model.mass_properties(i);
      mass.push_back(static_cast<T>(link.mass));
      for (const double x : link.com) com.push_back(static_cast<T>(x));
      for (const double x : link.inertia) inertia.push_back(static_cast<T>(x));
    }
  }
};

}  // namespace tandem
