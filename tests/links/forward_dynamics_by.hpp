// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics by methods that divide one robot, each call watched, and how far it may be from the truth.
#pragma once
#include "backends/cpu/instruction_set.hpp"
#include "support/property.hpp"

namespace tandem::test {

inline bool serves(const Options& options, const Model& model) {
  return refusal(find_algorithm("forward_dynamics"), model, options) == nullptr;
}

/// With NaN in the workspace and the output beforehand, fences around everything.
template <class T>
Vector forward_dynamics_by(const Options& options, const Model& model, const State& s, bool pushed = false,
                           const Vector& diagonal = {}, int threads = 1) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  Fenced<T> q(s.q), v(s.v), tau(s.tau), f_ext(pushed ? s.f_ext : Vector()), D(diagonal), a(Index{model.nv()});
  const auto input = [](const Fenced<T>& x) { return Array<T>::input(x.in().empty() ? nullptr : x.in().data(), 0); };
  const Array<T> arguments[] = {input(q), input(v), input(tau), input(f_ext), input(D), {a.out().data(), 0, 1}};
  Workspace<T> work;
  Index rows = 0;
  for (const LinkKernels& kernels : cpu::link_kernels())
    if (kernels.method == options.method && std::string_view(kernels.algorithm) == algorithm.name)
      rows = cpu::in_precision<T>(kernels.kernels).scratch_size({model.view<T>(), options, nullptr});
  const FencedWorkspace<T> watched(work, rows);
  evaluate<T>(algorithm, model, std::span<const Array<T>>(arguments), Batch<T>(1, threads), work, options);
  return a.values();
}

/// Size of the joint force that a method's rounding leaves over: tau - ID(a), in units of eps times the forces that are
/// summed.
template <class T>
double left_over(const Model& model, const State& s, const Vector& a, bool pushed = false,
                 const Vector& diagonal = {}) {
  if (a.size() == 0) return 0;
  const Vector f_ext = pushed ? s.f_ext : Vector();
  const Vector rotor = diagonal.size() ? Vector(diagonal.cwiseProduct(a)) : Vector::Zero(a.size());
  const Vector tau = Robot<double>(model).inverse_dynamics(s.q, s.v, a, f_ext) + rotor;
  const double scale = scales(model, s.q, s.v, a, f_ext).force + s.tau.norm() + rotor.norm();
  const double error = (tau - s.tau).cwiseAbs().maxCoeff();
  return a.allFinite() ? error / (std::numeric_limits<T>::epsilon() * scale) : std::numeric_limits<double>::infinity();
}

}  // namespace tandem::test
