// SPDX-License-Identifier: Apache-2.0
/// What tests of products of derivatives share.
#pragma once
#include "support/property.hpp"

namespace tandem::test {

/// Increments of everything, of about a unit each.
inline Increments some_increments(const Model& m, const State& s) {
  const auto wave = [](Index n, double from) {
    return Vector(Vector::LinSpaced(n, from, from + static_cast<double>(n)).array().sin());
  };
  return {wave(m.nv(), 1), wave(m.nv(), 2), wave(m.nv(), 5), wave(s.f_ext.size(), 4), parameter_changes(m)};
}
/// Sizes of the terms that products of these add up: of forces, as the robot moves faster by a unit everywhere.
inline double size_of_rates(const Model& m, const State& s, const Vector& a) {
  const Vector one = Vector::Ones(m.nv());
  return scales(m, s.q, s.v.cwiseAbs() + one, a.cwiseAbs() + one, s.f_ext).force + static_cast<double>(s.f_ext.size());
}
/// <J^T weights, increments>
inline double power(const Weighted& by, const Increments& d) {
  return by.q_bar.dot(d.dq) + by.v_bar.dot(d.dv) + by.x_bar.dot(d.dx) + by.f_ext_bar.dot(d.df_ext) +
         by.pi_bar.dot(d.dpi);
}

}  // namespace tandem::test
