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
namespace simulation_detail {

/// Numbers for every instance, or one set for all.
template <class T>
std::size_t stride_of(const char* name, std::span<const T> x, std::size_t rows, Index batch) {
  if (x.empty() || x.size() == rows) return 0;
  if (x.size() == rows * static_cast<std::size_t>(batch)) return rows;
  throw Error(sentence("simulation: ", name, " has ", x.size(), " numbers, expected ", rows,
                       batch > 1 ? sentence(", or ", batch, " times as many") : std::string()));
}

}  // namespace simulation_detail

template <class T>
template <class X>
const X& Simulation<T>::at(const std::vector<X>& of, Index instance) {
  if (of.empty()) throw Error("simulation: the object was moved from");
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

/// The number by which users know an instance.
template <class T>
Index Simulation<T>::number_of(Index instance) const {
  return numbers_.empty() ? instance : numbers_[static_cast<std::size_t>(instance)];
}

/// For messages: which of many.
template <class T>
std::string Simulation<T>::of_instance(Index instance) const {
  return batch_ > 1 || !numbers_.empty() ? sentence(" in instance ", number_of(instance)) : std::string();
}

template <class T>
void Simulation<T>::set_time(double time) {
  if (!std::isfinite(time))
    throw Error(sentence("simulation: time is ", time, ", expected a finite number of seconds"));
  began_ = time;
  steps_then_ = steps_;
}

/// Before the first step: the state that resets lead back to.
template <class T>
void Simulation<T>::begin() {
  if (has_begun_) return;
  has_begun_ = true;
  q_first_ = q_;
  v_first_ = v_;
  act_first_ = act_;
}

template <class T>
void Simulation<T>::reset(Index instance) {
  at(accounts_, instance == all ? 0 : instance);
  const auto n = static_cast<std::size_t>(instance == all ? batch_ : 1);
  const Index first = instance == all ? 0 : instance;
  if (!has_begun_) {
    q_first_ = q_;
    v_first_ = v_;
    act_first_ = act_;
  }
  const std::vector<double> act = act_first_;
  const auto q = std::span<const T>(q_first_).subspan(static_cast<std::size_t>(first) * nq_, n * nq_);
  const auto v = std::span<const T>(v_first_).subspan(static_cast<std::size_t>(first) * nv_, n * nv_);
  reset(std::vector<T>(q.begin(), q.end()), std::vector<T>(v.begin(), v.end()), instance);
  const auto rows = static_cast<std::ptrdiff_t>(act.size() / accounts_.size()), b = static_cast<std::ptrdiff_t>(first);
  std::copy_n(act.begin() + b * rows, static_cast<std::ptrdiff_t>(n) * rows, act_.begin() + b * rows);
}

template <class T>
void Simulation<T>::reset(std::span<const T> q, std::span<const T> v, Index instance) {
  at(accounts_, instance == all ? 0 : instance);
  const Index first = instance == all ? 0 : instance, end = instance == all ? batch_ : instance + 1;
  const auto check = [&](const char* name, std::span<const T> x, std::size_t rows) {
    if (x.size() != rows && x.size() != rows * static_cast<std::size_t>(end - first))
      throw Error(sentence("simulation: reset has ", x.size(), " numbers ", name, ", expected ", rows));
    for (const T number : x)
      if (!std::isfinite(number))
        throw Error(sentence("simulation: reset expects finite numbers, ", name, " has ", double{number}));
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
    const std::size_t na = act_.size() / accounts_.size();
    std::fill_n(act_.begin() + static_cast<std::ptrdiff_t>(i * na), na, 0.0);
    if (has_begun_ && instance != all)
      std::fill_n(act_first_.begin() + static_cast<std::ptrdiff_t>(i * na), na, 0.0);
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
  for (auto* x : {&self.q_, &self.v_, &self.q_first_, &self.v_first_, &self.q_seen_, &self.v_seen_, &self.q_target_,
                  &self.kp_, &self.kd_, &self.q_target_seen_, &self.kp_seen_, &self.kd_seen_})
    for (auto& number : *x) f(number);
  for (auto& a : self.accounts_) f(a.dissipated), f(a.stopped), f(a.work), f(a.steps);
  for (auto& w : self.watched_)
    f(w.is_fresh), f(w.kinetic), f(w.potential), f(w.controller), f(w.given), f(w.speed), f(w.most);
  for (auto& number : self.stops_) f(number);
  f(self.is_driven_);
  for (auto* x : {&self.ctrl_, &self.act_, &self.act_first_})
    for (auto& number : *x) f(number);
  if (self.iterates_)
    for (auto& a : self.accounts_)
      f(a.iterated.solutions), f(a.iterated.steps), f(a.iterated.not_converged), f(a.iterated.compared),
          f(a.iterated.gained);
  if (self.contacts_) {
    const auto all_of = [&](auto& x) {
      for (auto& number : x) f(number);
    };
    all_of(self.contacts_->limit_forces), all_of(self.contacts_->forces), all_of(self.contacts_->pushes);
    all_of(self.contacts_->touching), all_of(self.contacts_->q_stage), all_of(self.contacts_->v_stage);
    for (auto& a : self.accounts_)
      f(a.contacts.solutions), f(a.contacts.steps), f(a.contacts.not_converged), f(a.contacts.taken);
  }
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
    throw Error(sentence("simulation: the snapshot has ", snapshot.size(), " numbers, expected ", n,
                         ": it belongs to another model or other options"));
  auto from = snapshot.begin();
  for_each_number(*this, [&](auto& x) { x = static_cast<std::remove_reference_t<decltype(x)>>(*from++); });
  std::fill(is_diverged_.begin(), is_diverged_.end(), char(0));
}

}  // namespace tandem
