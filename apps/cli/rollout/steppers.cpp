// SPDX-License-Identifier: Apache-2.0
// Steps the instances of a rollout: by rollout(), or, for robots and methods that it does not take, by Simulation.
#include "rollout/steppers.hpp"

#include <algorithm>
#include <limits>

#include "rollout/inputs.hpp"

namespace tandem::cli {
namespace {

/// By calls of rollout(), one after the other. Instances that have diverged are put back after each.
template <class T>
class RolloutStepper : public Stepper<T> {
 public:
  RolloutStepper(const RolloutTask& task, Index count)
      : task_(task), count_(count), nq_(task.model.nq()), nv_(task.model.nv()), inputs_(task) {}

  void begin(std::span<const T> q0, std::span<const T> v0, const std::vector<std::vector<double>>& parameters,
             std::span<const double> forces) override {
    q_.assign(q0.begin(), q0.end());
    v_.assign(v0.begin(), v0.end());
    stops_.assign(static_cast<std::size_t>(3 * nv_ * count_), T(0));
    contacts_ = {};
    inputs_.take(count_, parameters, forces);
    parameters_ = inputs_.parameters();
    status_.resize(static_cast<std::size_t>(count_));
    done_.resize(status_.size());
  }

  void advance(Index first, Index steps, Index every, T* q, T* v, std::vector<Status>& status,
               std::vector<std::int64_t>& diverged) override {
    RolloutOptions options = task_.rollout;
    options.first_step = first;
    options.steps = steps;
    options.every = every;
    const Index states = steps / every;
    q_path_.resize(static_cast<std::size_t>((states + 1) * count_ * nq_));
    v_path_.resize(static_cast<std::size_t>((states + 1) * count_ * nv_));
    RolloutArrays<T> arrays;
    arrays.q0 = arrays.q = Array<T>::output(q_.data(), nq_);
    arrays.v0 = arrays.v = Array<T>::output(v_.data(), nv_);
    arrays.stops = Array<T>::output(stops_.data(), 3 * nv_);
    arrays.q_path = Series<T>::output(q_path_.data(), nq_, count_ * nq_);
    arrays.v_path = Series<T>::output(v_path_.data(), nv_, count_ * nv_);
    inputs_.give(arrays);
    if (options.contacts) {
      tallies_.resize(status_.size());
      arrays.contact_tally = tallies_;
    }
    Batch<T> batch(count_, task_.threads, status_);
    batch.iterations = done_;
    batch.parameters = parameters_;
    const std::vector<T> q_before = q_, v_before = v_;
    rollout<T>(task_.model, arrays, batch, work_, options, task_.device);
    for (Index b = 0; b < count_; ++b) {
      const auto i = static_cast<std::size_t>(b);
      if (diverged[i] == 0 && options.contacts) contacts_.add(tallies_[i]);
      if (diverged[i] != 0) {
        put_back(b, states, q_before, v_before);
      } else if (status_[i] != Status::ok) {
        status[i] = status_[i];
        diverged[i] = first + done_[i] + 1;
      }
    }
    std::copy(q_path_.begin() + count_ * nq_, q_path_.end(), q);
    std::copy(v_path_.begin() + count_ * nv_, v_path_.end(), v);
  }

  ContactTally contact_tally() const override { return contacts_; }

 private:
  void put_back(Index b, Index states, const std::vector<T>& q, const std::vector<T>& v) {
    std::copy_n(q.data() + b * nq_, nq_, q_.data() + b * nq_);
    std::copy_n(v.data() + b * nv_, nv_, v_.data() + b * nv_);
    for (Index j = 0; j <= states; ++j) {
      std::copy_n(q.data() + b * nq_, nq_, q_path_.data() + (j * count_ + b) * nq_);
      std::copy_n(v.data() + b * nv_, nv_, v_path_.data() + (j * count_ + b) * nv_);
    }
  }

  const RolloutTask& task_;
  Index count_, nq_, nv_;
  RolloutInputs<T> inputs_;
  std::vector<T> q_, v_, stops_, q_path_, v_path_;
  std::vector<BatchedParameter<T>> parameters_;
  std::vector<Status> status_;
  std::vector<std::int32_t> done_;
  std::vector<ContactTally> tallies_;
  ContactTally contacts_;
  Workspace<T> work_;
};

/// By steps of a Simulation of as many instances.
template <class T>
class SimulationStepper : public Stepper<T> {
 public:
  SimulationStepper(const RolloutTask& task, Index count)
      : task_(task), simulation_(task.model, options_of(task, count)) {}

  void begin(std::span<const T> q0, std::span<const T> v0, const std::vector<std::vector<double>>& parameters,
             std::span<const double> forces) override {
    std::vector<SimulationParameter> given;
    for (std::size_t k = 0; k < parameters.size(); ++k)
      given.push_back({task_.randomize.parameters()[k], parameters[k]});
    if (!given.empty()) simulation_.set_parameters(given);
    simulation_.reset(q0, v0);
    forces_.assign(forces.begin(), forces.end());
  }

  void advance(Index first, Index steps, Index every, T* q, T* v, std::vector<Status>& status,
               std::vector<std::int64_t>& diverged) override {
    const auto nv = static_cast<std::size_t>(task_.model.nv());
    for (Index s = 1; s <= steps; ++s) {
      if (task_.forces) {
        const auto row = static_cast<std::size_t>(first + s - 1) * nv;
        const std::size_t of_one = task_.forces->is_shared() ? 0 : static_cast<std::size_t>(task_.rollout.steps) * nv;
        tau_.resize(simulation_.v().size());
        for (std::size_t k = 0; k < tau_.size(); ++k) tau_[k] = forces_[k / nv * of_one + row + k % nv];
      }
      simulation_.step(tau_);
      if (s % every != 0) continue;
      q = std::ranges::copy(simulation_.q(), q).out;
      v = std::ranges::copy(simulation_.v(), v).out;
    }
    for (Index b = 0; b < simulation_.batch(); ++b) {
      const Divergence* divergence = simulation_.divergence(b);
      if (!divergence) continue;
      status[static_cast<std::size_t>(b)] = Status::diverged;
      diverged[static_cast<std::size_t>(b)] = divergence->step;
    }
  }

 private:
  static SimulationOptions options_of(const RolloutTask& task, Index count) {
    auto options = with_step_options(SimulationOptions{.controller = task.controller}, task.rollout);
    options.excess = std::numeric_limits<double>::infinity();  // rollout() does not watch energies
    options.batch = count;
    options.threads = task.threads;
    return options;
  }

  const RolloutTask& task_;
  Simulation<T> simulation_;
  std::vector<T> forces_, tau_;
};

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> make_stepper(const RolloutTask& task, Index count) {
  if (task.is_for_rollout()) return std::make_unique<RolloutStepper<T>>(task, count);
  return std::make_unique<SimulationStepper<T>>(task, count);
}
template std::unique_ptr<Stepper<double>> make_stepper(const RolloutTask&, Index);
template std::unique_ptr<Stepper<float>> make_stepper(const RolloutTask&, Index);

}  // namespace tandem::cli
