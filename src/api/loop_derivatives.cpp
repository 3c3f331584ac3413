// SPDX-License-Identifier: Apache-2.0
#include "loop_derivatives.hpp"

#include <string_view>
#include <vector>

#include "algorithms.hpp"
#include "backends/cpu/threads.hpp"
#include "check_call.hpp"
#include "loop_equations.hpp"
#include "parameters.hpp"
#include "tandem/detail/derivatives/moving_configuration.hpp"

namespace tandem {
namespace {

/// How the equations of the loops of one state change while its acceleration and the forces in the loops are held.
template <class T>
class LoopChanges {
 public:
  std::vector<T> push;   ///< [nv] of J^T x
  std::vector<T> drift;  ///< [held] of J a + dJ/dt v

  explicit LoopChanges(const ModelView<T>& m)
      : push(at(m.nv)), drift(at(m.n_held)), m_(m), q_(at(m.nq)), v_(at(m.nv)), a_(at(m.nv)), J_(at(Index{6} * m.nv)) {}

  /// Along dq, an increment of integrate, and dv; both, or one as zeros.
  template <class Dq, class Dv>
  void along(const std::vector<T>& q, Dq dq, const std::vector<T>& v, Dv dv, const std::vector<T>& a,
             const std::vector<T>& x) {
    moving_configuration<T>(m_, q.data(), dq, q_.data());
    join<T>(v.data(), dv, m_.nv, v_.data());
    join<T>(a.data(), static_cast<const T*>(nullptr), m_.nv, a_.data());
    std::fill(push.begin(), push.end(), T(0));
    Index row = 0;
    for (int loop = 0; loop < m_.n_loops; ++loop) {
      const auto X_21 = loop_transform<Dual<T>>(m_, loop, q_.data());
      Dual<T> rate[6], acceleration[6];
      loop_rates<Dual<T>>(m_, loop, q_.data(), X_21, v_.data(), a_.data(), rate, acceleration);
      std::fill(J_.begin(), J_.end(), Dual<T>(T(0)));
      add_loop_jacobian<Dual<T>>(m_, loop, q_.data(), X_21, J_.data());
      const Dual<T>* J = J_.data();
      for (int r = 0; r < 6; ++r) {
        if (!holds(m_.loop_held[loop], r)) continue;
        drift[at(row)] = acceleration[r].rate;
        for (Index k = 0; k < m_.nv; ++k) push[at(k)] = mul_add(J[k].rate, x[at(row)], push[at(k)]);
        J += m_.nv;
        ++row;
      }
    }
  }

 private:
  const ModelView<T>& m_;
  std::vector<Dual<T>> q_, v_, a_, J_;
};

/// The coordinates of joints in loops: others change nothing there.
template <class T>
std::vector<Index> coordinates_in_loops(const ModelView<T>& m) {
  std::vector<bool> is_in(at(m.nv), false);
  for (int loop = 0; loop < m.n_loops; ++loop) {
    int link[2] = {m.loop_link[2 * loop], m.loop_link[2 * loop + 1]};
    while (link[0] != link[1]) {
      int& i = link[0] > link[1] ? link[0] : link[1];
      on_joint_kind<T>(m, i, [&](auto joint) {
        for (int k = 0; k < joint.nv; ++k) is_in[at(m.v_index[i] + k)] = true;
      });
      i = m.parent[i];
    }
  }
  std::vector<Index> all;
  for (Index k = 0; k < m.nv; ++k)
    if (is_in[at(k)]) all.push_back(k);
  return all;
}

/// One thread's share of a call.
template <class T>
class LoopDerivatives {
 public:
  LoopDerivatives(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                  const Batch<T>& batch, const Options& options)
      : algorithm_(algorithm),
        model_(model),
        tree_(model.without_loops()),
        m_(model.view<T>()),
        arguments_(arguments),
        batch_(batch),
        options_(options),
        responses_(tree_),
        equations_(m_),
        changes_(m_),
        q_(at(m_.nq)),
        v_(at(m_.nv)),
        tau_(v_),
        a_(v_),
        forces_(at(m_.n_held)),
        column_(v_),
        none_(at(m_.nv), T(0)) {}

  void run(Index state) {
    state_ = state;
    varied_ = parameters_of(batch_.parameters, state);
    gather(given("q"), 0, q_);
    gather(given("v"), 0, v_);
    gather(given("tau"), 0, tau_);
    accelerate();
    equations_.find_directions(m_, q_.data());
    equations_.add_transpose(equations_.J, forces_, tau_);  // of loops and joints
    if (is<ForwardDynamicsDerivatives>(algorithm_)) return find_matrices();
    responses_.find(q_, given("diagonal"), varied_, equations_, m_.n_held, 1, work_, {});
    equations_.factorise();
    if (is<ForwardDynamicsJvp>(algorithm_))
      go_along();
    else
      weigh();
    scatter(a_, given("a"), 0);
  }

 private:
  static constexpr const T* nothing = nullptr;

  std::span<Status> if_asked(Status& status) const {
    return batch_.status.empty() ? std::span<Status>() : std::span<Status>(&status, 1);
  }

  Index place(std::string_view name) const {
    Index k = 0;
    while (algorithm_.arguments[at(k)].name != name) ++k;
    return k;
  }
  /// An argument, for this state.
  Array<T> given(std::string_view name) const { return state_of(arguments_[at(place(name))], state_); }

  /// The acceleration, and the forces of the directions held.
  void accelerate() {
    static const Algorithm& algorithm = find_algorithm(ClosedLoopDynamics::name);
    std::vector<T> f(at(Index{6} * m_.n_loops));
    const Array<T> all[] = {given("q"),
                            given("v"),
                            given("tau"),
                            given("f_ext"),
                            given("diagonal"),
                            Array<T>::output(a_.data(), 0),
                            Array<T>::output(f.data(), 0)};
    evaluate<T>(algorithm, model_, all, Batch<T>(1, 1, if_asked(status_), varied_), work_);
    Index row = 0;
    for (int loop = 0; loop < m_.n_loops; ++loop) {
      const auto turn = load<Mat3<T>>(m_.loop_turn, Index{9} * loop);
      const auto along = turn * load<Vec3<T>>(f.data(), Index{6} * loop);
      const auto about = turn * load<Vec3<T>>(f.data(), Index{6} * loop + 3);
      const T held[6] = {along.x, along.y, along.z, about.x, about.y, about.z};
      for (int r = 0; r < 6; ++r)
        if (holds(m_.loop_held[loop], r)) forces_[at(row++)] = held[r];
    }
  }

  /// The function itself of the tree, pushed by joints and loops; with another argument in the place of a given one.
  void evaluate_tree(std::string_view replaced = {}, const std::vector<T>* by = nullptr, T* output = nullptr) {
    std::vector<Array<T>> all;
    for (const Array<T>& array : arguments_) all.push_back(state_of(array, state_));
    all[at(place("tau"))] = Array<T>::input(tau_.data(), 0);
    if (by) all[at(place(replaced))] = Array<T>::input(by->data(), 0);
    if (output) all[at(place(replaced))] = Array<T>::output(output, 0);
    Status of_tree = Status::ok;
    evaluate<T>(algorithm_, tree_, all, Batch<T>(1, 1, if_asked(of_tree), varied_), work_, options_);
    if (batch_.status.empty()) return;
    // what became of the acceleration comes first; limits are those of what was given, not of what loops add
    const auto is_right = [](Status status) { return status == Status::ok || status == Status::limit; };
    batch_.status[at(state_)] = is_right(status_) && !is_right(of_tree) ? of_tree : status_;
  }

  /// y, which leads loops apart by J y + drift, becomes what keeps them closed.
  void keep_closed(std::vector<T>& y, const std::vector<T>& drift) {
    std::vector<T> x = drift;
    equations_.add_product(equations_.J, y, x);
    for (T& b : x) b = -b;
    equations_.solve(x);
    equations_.add_transpose(equations_.Y, x, y);
  }

  void go_along() {
    std::vector<T> dq(at(m_.nv)), dv(at(m_.nv)), dtau(at(m_.nv));
    gather(given("dq"), 0, dq);
    gather(given("dv"), 0, dv);
    gather(given("dtau"), 0, dtau);
    changes_.along(q_, dq.data(), v_, dv.data(), a_, forces_);
    for (Index k = 0; k < m_.nv; ++k) dtau[at(k)] = dtau[at(k)] + changes_.push[at(k)];
    evaluate_tree("dtau", &dtau);
    gather(given("da"), 0, column_);
    keep_closed(column_, changes_.drift);
    scatter(column_, given("da"), 0);
  }

  void weigh() {
    std::vector<T> weights(at(m_.nv)), of_drift(at(m_.n_held), T(0)), tau_bar(at(m_.nv));
    gather(given("a_bar"), 0, weights);
    equations_.add_product(equations_.Y, weights, of_drift);
    for (T& x : of_drift) x = -x;
    equations_.solve(of_drift);
    equations_.add_transpose(equations_.J, of_drift, weights);
    evaluate_tree("a_bar", &weights);
    gather(given("tau_bar"), 0, tau_bar);
    const Array<T> q_bar = given("q_bar"), v_bar = given("v_bar");
    for (const Index k : coordinates_in_loops(m_)) {
      T& by_q = q_bar.data[k * q_bar.row_stride];
      T& by_v = v_bar.data[k * v_bar.row_stride];
      changes_.along(q_, UnitColumn{k}, v_, nothing, a_, forces_);
      for (Index i = 0; i < m_.nv; ++i) by_q = mul_add(tau_bar[at(i)], changes_.push[at(i)], by_q);
      for (Index r = 0; r < m_.n_held; ++r) by_q = mul_add(of_drift[at(r)], changes_.drift[at(r)], by_q);
      changes_.along(q_, none_.data(), v_, UnitColumn{k}, a_, forces_);
      for (Index r = 0; r < m_.n_held; ++r) by_v = mul_add(of_drift[at(r)], changes_.drift[at(r)], by_v);
    }
  }

  void find_matrices() {
    const Index n = m_.nv;
    std::vector<T> inverse(at(n * n)), still(at(m_.n_held), T(0));
    evaluate_tree("da_dtau", nullptr, inverse.data());
    const std::vector<T>& J = equations_.J;
    std::vector<T>& Y = equations_.Y;
    for (Index r = 0; r < m_.n_held; ++r)
      for (Index k = 0; k < n; ++k) {
        T sum = 0;
        for (Index i = 0; i < n; ++i) sum = mul_add(J[at(n * r + i)], inverse[at(n * i + k)], sum);
        Y[at(n * r + k)] = sum;
      }
    equations_.factorise();
    std::vector<bool> in_loop(at(n), false);
    for (const Index k : coordinates_in_loops(m_)) in_loop[at(k)] = true;
    for (Index k = 0; k < n; ++k) {
      const auto with_column = [&](const Array<T>& matrix, auto&& change) {
        const Array<T> column = {matrix.data + k * matrix.row_stride, 0, n * matrix.row_stride};
        gather(column, 0, column_);
        change();
        scatter(column_, column, 0);
      };
      with_column(given("da_dq"), [&] {
        if (in_loop[at(k)]) changes_.along(q_, UnitColumn{k}, v_, nothing, a_, forces_);
        for (Index i = 0; i < n && in_loop[at(k)]; ++i)
          for (Index c = 0; c < n; ++c)
            column_[at(i)] = mul_add(inverse[at(n * i + c)], changes_.push[at(c)], column_[at(i)]);
        keep_closed(column_, in_loop[at(k)] ? changes_.drift : still);
      });
      with_column(given("da_dv"), [&] {
        if (in_loop[at(k)]) changes_.along(q_, none_.data(), v_, UnitColumn{k}, a_, forces_);
        keep_closed(column_, in_loop[at(k)] ? changes_.drift : still);
      });
      if (!given("da_dtau").data) continue;
      with_column(given("da_dtau"), [&] {
        for (Index i = 0; i < n; ++i) column_[at(i)] = inverse[at(n * i + k)];
        keep_closed(column_, still);
      });
    }
  }

  const Algorithm& algorithm_;
  const Model& model_;
  Model tree_;
  const ModelView<T>& m_;
  std::span<const Array<T>> arguments_;
  const Batch<T>& batch_;
  Options options_;
  Workspace<T> work_;
  UnitResponses<T> responses_;
  LoopEquations<T> equations_;
  LoopChanges<T> changes_;
  std::vector<BatchedParameter<T>> varied_;
  std::vector<T> q_, v_, tau_, a_, forces_, column_, none_;
  Index state_ = 0;
  Status status_ = Status::ok;  ///< of the acceleration
};

}  // namespace

bool differentiates_forward_dynamics(const Algorithm& algorithm) {
  return is<ForwardDynamicsDerivatives>(algorithm) || is<ForwardDynamicsJvp>(algorithm) ||
         is<ForwardDynamicsVjp>(algorithm);
}

template <class T>
void evaluate_loop_derivatives(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                               const Batch<T>& batch, const Options& options) {
  check_overlaps(algorithm, model, arguments, batch);
  const ParametersOfModel<T> checked(model, batch.parameters, batch.size);
  std::ranges::fill(batch.iterations, 0);
  const Index grain = std::max<Index>(1, 64 / (1 + model.nv()));  // states that are worth waking a thread for
  cpu::for_each_range(batch.size, grain, cpu::available_threads(batch.threads), [&](Index begin, Index end, int) {
    LoopDerivatives<T> share(algorithm, model, arguments, batch, options);
    for (Index b = begin; b < end; ++b) share.run(b);
  });
}

template void evaluate_loop_derivatives(const Algorithm&, const Model&, std::span<const Array<double>>,
                                        const Batch<double>&, const Options&);
template void evaluate_loop_derivatives(const Algorithm&, const Model&, std::span<const Array<float>>,
                                        const Batch<float>&, const Options&);

}  // namespace tandem
