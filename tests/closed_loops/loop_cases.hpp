// SPDX-License-Identifier: Apache-2.0
/// Robots of the case table with loops put on them, in states whose loops are closed, and the equations of loops once
/// more.
#pragma once
#include <optional>

#include "support/property.hpp"

namespace tandem::test {

struct LoopCase {
  std::string name;
  Model model;
  Vector q, v;
};

/// Every robot with two joints or more, a random state, and one or two loops of every type between random links, closed
/// there.
const std::vector<LoopCase>& loop_cases();

/// Numbers as a function takes them.
template <class T>
std::vector<T> in(const Vector& x) {
  return {x.data(), x.data() + x.size()};
}

/// J of the directions held, dJ/dt v, and how far frames are apart, from the Jacobians of links.
struct LoopEquations {
  Matrix J;
  Vector bias, error;
};
LoopEquations equations(const Model& model, const Vector& q, const Vector& v);

/// The largest acceleration of the tree.
double free_size(const LoopCase& c, const Vector& tau);
/// Whether directions are held that others hold.
bool is_redundant(const LoopCase& c);

}  // namespace tandem::test
