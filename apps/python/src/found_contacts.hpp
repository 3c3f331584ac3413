// SPDX-License-Identifier: Apache-2.0
/// Contacts of pairs that are found, as arrays.
#pragma once
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <vector>

#include "tandem/api/contacts.hpp"

namespace tandem::python {
namespace nb = nanobind;

/// Numbers that numpy has from here on.
template <class X>
nb::object array_from(std::vector<X> numbers, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<X>>(std::move(numbers));
  X* const data = owned->data();
  const nb::capsule owner(owned.release(), [](void* v) noexcept { delete static_cast<std::vector<X>*>(v); });
  return nb::cast(nb::ndarray<nb::numpy, X>(data, shape, owner));
}

/// Rows of all states: which state, shapes, slot, distance, position, frame, force, as tandem.contact.FoundContacts.
inline nb::tuple arrays_of(std::span<const std::span<const FoundContact>> states) {
  std::vector<std::int32_t> state, shape_1, shape_2, slot;
  std::vector<double> distance, position, frame, force;
  for (std::size_t k = 0; k < states.size(); ++k)
    for (const FoundContact& found : states[k]) {
      state.push_back(static_cast<std::int32_t>(k));
      shape_1.push_back(found.shape_1);
      shape_2.push_back(found.shape_2);
      slot.push_back(found.slot);
      distance.push_back(found.contact.distance);
      position.insert(position.end(), found.contact.position.begin(), found.contact.position.end());
      frame.insert(frame.end(), found.contact.frame.begin(), found.contact.frame.end());
      force.insert(force.end(), found.force.begin(), found.force.end());
    }
  const std::size_t n = state.size();
  return nb::make_tuple(array_from(std::move(state), {n}), array_from(std::move(shape_1), {n}),
                        array_from(std::move(shape_2), {n}), array_from(std::move(slot), {n}),
                        array_from(std::move(distance), {n}), array_from(std::move(position), {n, 3}),
                        array_from(std::move(frame), {n, 3, 3}), array_from(std::move(force), {n, 6}));
}

}  // namespace tandem::python
