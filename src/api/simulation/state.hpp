// SPDX-License-Identifier: Apache-2.0
/// The state of a simulation, its instances, what they differ in, and how it is set, kept and brought back.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem {

template <class T>
template <class X>
const X& Simulation<T>::at(const std::vector<X>& of, Index instance) {
  if (of.empty()) throw Error("simulation: it was moved from and has no state");
  if (instance < 0 || instance >= static_cast<Index>(of.size()))
    throw Error(sentence("simulation: there is no instance ", instance, ", expected 0 to ", of.size() - 1));
  return of[static_cast<std::size_t>(instance)];
}

/// Calls f(instance, its first number in q, its first number in v).
template <class T>
template <class F>
void Simulation<T>::for_each_instance(F&& f) const {
  for (Index b = 0; b < batch_; ++b) f(b, static_cast<std::size_t>(b) * nq_, static_cast<std::size_t>(b) * nv_);
}

/// Calls f(parameters of the instances from one on, as evaluate() takes them), with gravity among them or not.
template <class T>
template <class F>
void Simulation<T>::with_parameters(Index from, bool gravity, F&& f) const {
  std::array<BatchedParameter<T>, n_parameters> varied;
  std::size_t n = 0;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const Parameter parameter = options_.parameters[k].parameter;
    if (parameter == Parameter::gravity && !gravity) continue;
    const Index rows = shape(parameters()[static_cast<std::size_t>(parameter)].rows, model_.view<T>()).count();
    const Index stride = static_cast<Index>(parameters_[k].size()) > rows ? rows : 0;
    varied[n++] = {parameter, Array<T>::input(parameters_[k].data() + from * stride, stride)};
  }
  f(std::span<const BatchedParameter<T>>(varied.data(), n));
}

/// The model with the joint forces of one instance.
template <class T>
ModelView<T> Simulation<T>::view_of(Index instance) const {
  ModelView<T> m = model_.view<T>();
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const std::size_t stride = parameters_[k].size() > nv_ ? nv_ : 0;
    const T* values = parameters_[k].data() + static_cast<std::size_t>(instance) * stride;
    switch (options_.parameters[k].parameter) {
      case Parameter::damping: m.damping = values; break;
      case Parameter::friction: m.friction = values; break;
      case Parameter::stiffness: m.stiffness = values; break;
      default: break;
    }
  }
  return m;
}

template <class T>
void Simulation<T>::set_parameters(std::vector<SimulationParameter> given) {
  at(accounts_, 0);
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (*to_string(given[k].parameter) == '\0')
      throw Error(sentence("simulation: parameter ", static_cast<int>(given[k].parameter), " is none; there are 0 to ",
                           n_parameters - 1));
    const Argument& kind = parameters()[static_cast<std::size_t>(given[k].parameter)];
    for (std::size_t j = 0; j < k; ++j)
      if (given[j].parameter == given[k].parameter)
        throw Error(sentence("simulation: parameter ", kind.name, " is given twice"));
    const Index rows = shape(kind.rows, model_.view<T>()).count(), size = static_cast<Index>(given[k].values.size());
    if (size != rows && size != rows * batch_)
      throw Error(sentence("simulation: parameter ", kind.name, " has ", size, " numbers, expected ", rows,
                           batch_ > 1 ? sentence(", or ", batch_, " times as many") : std::string()));
    const Parameter p = given[k].parameter;
    const bool any_sign = p == Parameter::com || p == Parameter::inertia || p == Parameter::gravity;
    for (const double x : given[k].values)
      if (!std::isfinite(x) || (!any_sign && x < 0))
        throw Error(sentence("simulation: parameter ", kind.name, " has ", x, ", expected finite numbers",
                             any_sign ? "" : " of 0 or more"));
  }
  if (!given.empty() && methods_of(dynamics_.algorithm()).size() > dynamics_.algorithm().methods.size()) {
    const auto own = dynamics_.algorithm().methods;
    if (std::find(own.begin(), own.end(), dynamics_.options().method) == own.end())
      throw Error(sentence("simulation: method ", to_string(dynamics_.options().method),
                           " takes no parameters; articulated_body and composite_rigid_body do"));
  }
  options_.parameters = std::move(given);
  parameters_.clear();
  for (const auto& [parameter, values] : options_.parameters) parameters_.emplace_back(values.begin(), values.end());
  has_springs_ = false;
  for_each_instance([&](Index b, std::size_t, std::size_t) {
    const T* stiffness = view_of(b).stiffness;
    has_springs_ |= std::any_of(stiffness, stiffness + nv_, [](T k) { return k != T(0); });
  });
  stretch_.resize(has_springs_ ? v_.size() : 0);
  for (Index b = 0; b < batch_; ++b) forget(b);
}

template <class T>
void Simulation<T>::set_time(double time) {
  if (!std::isfinite(time))
    throw Error(sentence("simulation: time is ", time, ", expected a finite number of seconds"));
  began_ = time;
  steps_then_ = steps_;
}

template <class T>
void Simulation<T>::reset(Index instance) {
  at(accounts_, instance == all ? 0 : instance);
  const auto n = static_cast<std::size_t>(instance == all ? batch_ : 1);
  const Index first = instance == all ? 0 : instance;
  if (!has_begun_) {
    q_first_ = q_;
    v_first_ = v_;
  }
  const auto q = std::span<const T>(q_first_).subspan(static_cast<std::size_t>(first) * nq_, n * nq_);
  const auto v = std::span<const T>(v_first_).subspan(static_cast<std::size_t>(first) * nv_, n * nv_);
  reset(std::vector<T>(q.begin(), q.end()), std::vector<T>(v.begin(), v.end()), instance);
}

template <class T>
void Simulation<T>::reset(std::span<const T> q, std::span<const T> v, Index instance) {
  at(accounts_, instance == all ? 0 : instance);
  const Index first = instance == all ? 0 : instance, end = instance == all ? batch_ : instance + 1;
  const auto check = [&](const char* name, std::span<const T> x, std::size_t rows) {
    if (x.size() != rows && x.size() != rows * static_cast<std::size_t>(end - first))
      throw Error(sentence("simulation: reset to ", x.size(), " numbers ", name, ", expected ", rows));
    for (const T number : x)
      if (!std::isfinite(number)) throw Error(sentence("simulation: reset to ", name, " with ", double{number}));
  };
  check("q", q, nq_);
  if (!v.empty()) check("v", v, nv_);
  for (Index b = first; b < end; ++b) {
    const auto i = static_cast<std::size_t>(b), k = static_cast<std::size_t>(b - first);
    const T* from_q = q.data() + (q.size() > nq_ ? k * nq_ : 0);
    const T* from_v = v.data() + (v.size() > nv_ ? k * nv_ : 0);
    std::copy_n(from_q, nq_, q_.data() + i * nq_);
    if (v.empty())
      std::fill_n(v_.data() + i * nv_, nv_, T(0));
    else
      std::copy_n(from_v, nv_, v_.data() + i * nv_);
    if (has_begun_ && instance != all) {  // this is where the instance begins now
      std::copy_n(q_.data() + i * nq_, nq_, q_first_.data() + i * nq_);
      std::copy_n(v_.data() + i * nv_, nv_, v_first_.data() + i * nv_);
    }
    accounts_[i] = {};
    forget(b);
  }
  if (instance != all) return;
  has_begun_ = false;
  steps_ = steps_then_ = 0;
  began_ = 0;
}

template <class T>
bool Simulation<T>::finite() const {
  const auto all_finite = [](const std::vector<T>& x) {
    return std::all_of(x.begin(), x.end(), [](T value) { return std::isfinite(value); });
  };
  return all_finite(q_) && all_finite(v_);
}

/// Calls f(number) for every number that changes from step to step.
template <class T>
template <class Self, class F>
void Simulation<T>::for_each_number(Self& self, F&& f) {
  f(self.steps_), f(self.steps_then_), f(self.began_), f(self.has_begun_);
  for (auto* x : {&self.q_, &self.v_, &self.q_first_, &self.v_first_, &self.q_seen_, &self.v_seen_})
    for (auto& number : *x) f(number);
  for (auto& a : self.accounts_) f(a.dissipated), f(a.stopped), f(a.work);
  for (auto& w : self.watched_) f(w.is_fresh), f(w.kinetic), f(w.potential), f(w.controller), f(w.given), f(w.speed);
  for (auto& s : self.stops_) f(s.impedance), f(s.push), f(s.side);
  if (self.iterates_)
    for (auto& a : self.accounts_)
      f(a.iterated.solutions), f(a.iterated.steps), f(a.iterated.not_converged), f(a.iterated.compared),
          f(a.iterated.gained);
  if (self.guess_.empty()) return;
  f(self.found_at_), f(self.found_before_at_);
  for (auto* x : {&self.found_, &self.found_before_})
    for (auto& number : *x) f(number);
  for (auto& known : self.known_) f(known);
}

template <class T>
std::vector<double> Simulation<T>::snapshot() const {
  std::vector<double> numbers;
  for_each_number(*this, [&](const auto& x) { numbers.push_back(static_cast<double>(x)); });
  return numbers;
}

template <class T>
void Simulation<T>::restore(std::span<const double> snapshot) {
  std::size_t n = 0;
  for_each_number(*this, [&](const auto&) { ++n; });
  if (snapshot.size() != n)
    throw Error(sentence("simulation: a snapshot of ", snapshot.size(), " numbers, expected ", n,
                         ": it is of another model or other options"));
  auto from = snapshot.begin();
  for_each_number(*this, [&](auto& x) { x = static_cast<std::remove_reference_t<decltype(x)>>(*from++); });
  std::fill(is_diverged_.begin(), is_diverged_.end(), char(0));
}

}  // namespace tandem
