// SPDX-License-Identifier: Apache-2.0
/// Where a thread that has a chunk finds its numbers in inverse dynamics: the Lane of scan/jet_chunk.hpp.
#pragma once
#include "backends/cuda/links/scan_lanes.hpp"
#include "tandem/detail/scan/jet_chunk.hpp"

namespace tandem::cuda {

/// Joints of one kind, the model's numbers prepared.
template <class T, LaneKind kind>
class InverseNumbers : public LaneBase<T, kind> {
  using Base = LaneBase<T, kind>;
  using Joint = PackedJoint<T, kind>;
  enum Row { placement = 0, inertia_row = 12, armature_row = 22, slides_row = 23 };

 public:
  TANDEM_BLOCK InverseNumbers(const StateOfCall<T>& state, Index slot, const ChunkPlace& place)
      : Base(state, slot, place), constants_(state.call.shape.constants + this->tile_.constants + slot % warp_lanes) {}
  template <class F>
  TANDEM_BLOCK void on_joint(int j, F&& f) const {
    if constexpr (kind == LaneKind::one_dof)
      f(axial_joint(numbers(j)[slides_row]));
    else
      f(Joint{});
  }
  TANDEM_BLOCK Transform<T> transform(const Joint& joint, int j) const {
    return joint.transform(load<Transform<T>>(numbers(j), placement),
                           this->state_.q + this->template q_row<Joint::nq>(j));
  }
  TANDEM_BLOCK Inertia<T> inertia(int j) const { return load<Inertia<T>>(numbers(j), inertia_row); }
  TANDEM_BLOCK T armature(int j, int k) const { return numbers(j)[armature_row + k]; }
  TANDEM_BLOCK Index row(int j) const { return this->template v_row<Joint::nv>(j); }

 private:
  struct Numbers {
    const T* data;
    TANDEM_BLOCK const T& operator[](Index row) const { return data[row * warp_lanes]; }
  };
  TANDEM_BLOCK Numbers numbers(int j) const { return {constants_ + Index{j} * (Base::rows.constants * warp_lanes)}; }
  const T* constants_;
};
/// Joints of any kind, numbers from the model as it is.
template <class T>
class InverseNumbers<T, LaneKind::any> : public LaneBase<T, LaneKind::any> {
  using Base = LaneBase<T, LaneKind::any>;

 public:
  using Base::Base;
  template <class F>
  TANDEM_BLOCK void on_joint(int j, F&& f) const {
    on_joint_at<T>(this->model(), this->link(j), this->state_.q, f);
  }
  template <class Joint>
  TANDEM_BLOCK Transform<T> transform(const Joint& joint, int j) const {
    return joint_transform<T>(joint, this->model(), this->link(j), this->state_.q);
  }
  TANDEM_BLOCK Inertia<T> inertia(int j) const { return link_inertia<T>(this->model(), this->link(j)); }
  TANDEM_BLOCK T armature(int j, int k) const { return this->model().armature[row(j) + k]; }
  TANDEM_BLOCK Index row(int j) const { return this->model().v_index[this->link(j)]; }
};

template <class T, LaneKind kind>
struct InverseLaneOnDevice : InverseNumbers<T, kind> {
  using InverseNumbers<T, kind>::InverseNumbers;
  TANDEM_BLOCK StridedColumn<T> v(int j) const { return this->state_.v + this->row(j); }
  TANDEM_BLOCK StridedColumn<T> a(int j) const { return this->state_.a + this->row(j); }
  TANDEM_BLOCK void keep_force(int j, const Force<T>& f) const { store(this->kept(j), 0, f); }
  TANDEM_BLOCK Force<T> force_kept(int j) const { return load<Force<T>>(this->kept(j), 0); }
  TANDEM_BLOCK void keep_way(int j, const JetRun<T>& run) const {
    this->state_.scratch.ways[this->carrier_of(j)] = run;
  }
  TANDEM_BLOCK Force<T> brought(int j) const {
    return this->sum_of_branches(j, Force<T>::zero(),
                                 [&](int path) TANDEM_INLINE { return this->state_.scratch.contributions[path]; });
  }
  TANDEM_BLOCK void put(int j, int k, const T& x) const {
    this->state_.tau[this->row(j) + k] = mul_add(this->armature(j, k), a(j)[k], x);
  }
};

}  // namespace tandem::cuda
