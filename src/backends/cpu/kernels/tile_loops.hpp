// SPDX-License-Identifier: Apache-2.0
/// Closed loops of the robots in a tile, one lane after the other: bodies of one state, which are compiled with their
/// kernels.
#pragma once
#include <algorithm>
#include <optional>

#include "backends/cpu/rollout.hpp"
#include "lane_body.hpp"
#include "lane_model.hpp"
#include "tandem/detail/problems/close_loops.hpp"
#include "tandem/detail/problems/closed_loop_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

template <class T>
class TileLoops {
 public:
  using P = FullPack<T>;
  static constexpr int lanes = P::width;
  using Column = typename TileColumn<P>::Type;

  /// Rows of packs that it needs.
  static Index rows(const RolloutCall<T>& call) {
    const ModelView<T>& m = call.model;
    if (m.n_loops == 0) return 0;
    const Index work = std::max(ClosedLoopDynamics::work_rows(m), CloseLoops::work_rows(m));
    const Index numbers = columns(m) + work + (call.parameters ? lanes * rows_of_lane_model<T>(m) : Index{0});
    return (numbers + lanes - 1) / lanes + m.nq + m.nv;
  }

  TileLoops(const RolloutCall<T>& call, P* memory) : call_(call), found_(memory) {
    const ModelView<T>& m = call.model;
    if (m.n_loops == 0) return;
    T* numbers = reinterpret_cast<T*>(memory + m.nq + m.nv);
    state_ = numbers;
    work_ = numbers += columns(m);
    numbers += std::max(ClosedLoopDynamics::work_rows(m), CloseLoops::work_rows(m));
    for (int k = 0; k < lanes && call.parameters; ++k)
      models_[k].emplace(m, call.parameters, numbers + k * rows_of_lane_model<T>(m));
  }

  /// Goes on to instances b, b + 1, ...
  void take(Index b, int n) {
    n_ = n;
    for (int k = 0; k < n && models_[k]; ++k) models_[k]->take(b + k, 1);
  }

  /// The accelerations, with or without weight; lanes behind the last instance have those of it.
  void accelerate(bool weighs, Column q, Column v, Column tau, Column diagonal, Column a) const {
    const ClosedLoopDynamics algorithm;
    const Index nq = call_.model.nq, nv = call_.model.nv;
    T *const v_k = state_ + nq, *const tau_k = v_k + nv, *const diagonal_k = tau_k + nv, *const a_k = diagonal_k + nv;
    T* const arguments[] = {state_, v_k, tau_k, nullptr, diagonal_k, a_k, nullptr};
    for (int k = 0; k < n_; ++k) {
      take_lane(q, nq, k, state_);
      take_lane(v, nv, k, v_k);
      take_lane(tau, nv, k, tau_k);
      take_lane(diagonal, nv, k, diagonal_k);
      Steps ignored;
      if (weighs) {
        state_body_of<ClosedLoopDynamics, T>()(&algorithm, model(k), arguments, work_, &ignored);
      } else {
        const ModelView<T> weightless = model(k).without_gravity();
        state_body_of<ClosedLoopDynamics, T>()(&algorithm, weightless, arguments, work_, &ignored);
      }
      give_lane(a_k, nv, k, found_);
    }
    for (Index row = 0; row < nv; ++row) a[row] = found_[row];
  }

  /// States with closed loops in the place of these; 1 in lanes that got there.
  P close(Column q, Column v) const {
    const CloseLoops algorithm;
    const Index nq = call_.model.nq, nv = call_.model.nv;
    T* const v_k = state_ + nq;
    T* const arguments[] = {state_, v_k, state_, v_k, nullptr};
    P closed(0);
    for (int k = 0; k < n_; ++k) {
      take_lane(q, nq, k, state_);
      take_lane(v, nv, k, v_k);
      Steps steps;
      state_body_of<CloseLoops, T>()(&algorithm, model(k), arguments, work_, &steps);
      give_lane(state_, nq, k, found_);
      give_lane(v_k, nv, k, found_ + nq);
      for (int lane = k; lane < end_of(k); ++lane) closed.lanes[lane] = T(steps.within_tolerance);
    }
    for (Index row = 0; row < nq; ++row) q[row] = found_[row];
    for (Index row = 0; row < nv; ++row) v[row] = found_[nq + row];
    return closed;
  }

 private:
  static Index columns(const ModelView<T>& m) { return m.nq + Index{4} * m.nv; }
  const ModelView<T>& model(int k) const { return models_[k] ? models_[k]->view() : call_.model; }
  /// The lanes that are given what lane k has end there.
  int end_of(int k) const { return k + 1 < n_ ? k + 1 : lanes; }

  static void take_lane(Column from, Index rows, int k, T* to) {
    for (Index row = 0; row < rows; ++row) to[row] = P(from[row]).lanes[k];
  }
  void give_lane(const T* from, Index rows, int k, P* to) const {
    for (int lane = k; lane < end_of(k); ++lane)
      for (Index row = 0; row < rows; ++row) to[row].lanes[lane] = from[row];
  }

  const RolloutCall<T>& call_;
  P* found_;
  T *state_ = nullptr, *work_ = nullptr;
  std::optional<LaneModel<T>> models_[lanes];
  int n_ = 0;
};

}  // namespace tandem::inline TANDEM_ISA
