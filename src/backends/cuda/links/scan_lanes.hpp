// SPDX-License-Identifier: Apache-2.0
/// Where a thread that has a chunk finds its numbers: the Lane of scan/inward_chunk.hpp.
#pragma once
#include "backends/cuda/instance.hpp"
#include "backends/cuda/links/scan_shape.hpp"
#include "backends/cuda/links/team.hpp"
#include "tandem/detail/scan/inward_chunk.hpp"

namespace tandem::cuda {

enum class Pass { place, gather, accelerate };

/// The call for one state.
template <class T>
struct StateOfCall {
  const ScanCallOnDevice<T>& call;
  ScanScratch<T> scratch;
  StridedColumn<T> q, v, tau, f_ext, diagonal, a, M;

  TANDEM_BLOCK StateOfCall(const ScanCallOnDevice<T>& c, Index state)
      : call(c),
        scratch(c.scratch.of(state, c.shape.counters())),
        q(column_of(c.q, c.first_state + state)),
        v(column_of(c.v, c.first_state + state)),
        tau(column_of(c.tau, c.first_state + state)),
        f_ext(column_of(c.f_ext, c.first_state + state)),
        diagonal(column_of(c.diagonal, c.first_state + state)),
        a(column_of(c.a, c.first_state + state)),
        M(column_of(c.M, c.first_state + state)) {}
};

template <class T, LaneKind kind>
using PackedJoint = std::conditional_t<kind == LaneKind::revolute, RevoluteJoint,
                                       std::conditional_t<kind == LaneKind::one_dof, AxialJoint<T>, SphericalJoint>>;
/// From how far it slides as it turns, infinite for one that slides only.
template <class T>
TANDEM_BLOCK AxialJoint<T> axial_joint(const T& slides) {
  const bool turns = slides < T(1) / T(0);
  return {turns ? T(1) : T(0), turns ? slides : T(1)};
}

/// part(path) of all that hang from a carrier.
template <class T, class X, class F>
TANDEM_BLOCK X sum_of_hanging(const ScanShape<T>& shape, int carrier, X sum, F&& part) {
  for (int k = shape.first_hanging[carrier]; k < shape.first_hanging[carrier + 1]; ++k)
    sum = sum + part(shape.hanging[k]);
  return sum;
}

/// What all lanes share. Numbers that are kept lie [joint][row][lane].
template <class T, LaneKind kind>
class LaneBase {
 public:
  using S = T;
  static constexpr LaneRows rows = rows_of(kind);
  int steps, longest;

  TANDEM_BLOCK LaneBase(const StateOfCall<T>& state, Index slot, const ChunkPlace& place)
      : steps(place.steps), state_(state), place_(place), tile_(state.call.shape.tile[slot / warp_lanes]), slot_(slot) {
    longest = tile_.longest;
    kept_ = state.scratch.kept + tile_.kept + slot % warp_lanes;
    drift_ = state.scratch.drift + tile_.drift + slot % warp_lanes;
  }

  TANDEM_BLOCK int link(int j) const {
    const int k = steps - 1 - j;
    return place_.position < 0 ? place_.first_link + k : shape().link[place_.position + k];
  }
  template <int n>
  TANDEM_BLOCK Index q_row(int j) const {
    return place_.position < 0 ? Index{place_.q} + n * (steps - 1 - j) : Index{model().q_index[link(j)]};
  }
  template <int n>
  TANDEM_BLOCK Index v_row(int j) const {
    return place_.position < 0 ? Index{place_.v} + n * (steps - 1 - j) : Index{model().v_index[link(j)]};
  }

  TANDEM_BLOCK bool feels() const { return static_cast<bool>(state_.f_ext); }
  TANDEM_BLOCK Force<T> force(int j) const { return external_force<T>(model(), link(j), state_.f_ext); }

  TANDEM_BLOCK bool carries(int j) const { return shape().carrier && shape().carrier[link(j)] != 0; }
  TANDEM_BLOCK void mark(int j, const Mat3<T>& E, const Vec3<T>& w) const {
    carrier(j).E_place = E;
    carrier(j).w = w;
  }
  TANDEM_BLOCK ArticulatedInertia<T> inertia_of_branches(int j) const {
    return sum_of_branches(j, TwoHandle<T>::identity().J,
                           [&](int path) TANDEM_INLINE { return state_.scratch.brought[path].J; });
  }
  TANDEM_BLOCK Force<T> bias_of_branches(int j) const {
    return sum_of_branches(j, Force<T>::zero(),
                           [&](int path) TANDEM_INLINE { return state_.scratch.brought[path].eta; });
  }
  TANDEM_BLOCK void note(int j, const Mat3<T>& E, const Motion<T>& g) const {
    carrier(j).E = E;
    carrier(j).g = g;
  }
  TANDEM_BLOCK void keep_acceleration(int j, const Motion<T>& a) const {
    auto& carries = carrier(j);
    const Motion<T> sum = a + carries.g;
    carries.a = {carries.E * sum.w, carries.E * sum.v};
  }

  TANDEM_BLOCK void keep_drift(int block, const Motion<T>& g) const {
    store(Strided{drift_ + 6 * warp_lanes * block}, 0, g);
  }
  TANDEM_BLOCK Motion<T> drift(int block) const { return load<Motion<T>>(Strided{drift_ + 6 * warp_lanes * block}, 0); }
  TANDEM_BLOCK void keep_base(const Mat3<T>& E) const { state_.scratch.base[slot_] = E; }
  TANDEM_BLOCK Mat3<T> base() const { return state_.scratch.base[slot_]; }

 protected:
  /// Numbers of a lane, side by side with those of the others.
  struct Strided {
    T* data;
    TANDEM_BLOCK T& operator[](Index row) const { return data[row * warp_lanes]; }
  };
  enum Row { r = 0, axes_row = 3 };
  template <int d>
  static constexpr int response_row = d == 1 ? 6 : 12;
  template <int d>
  static constexpr int G_row = response_row<d> + 6 * d + d * d + d;

  TANDEM_BLOCK const ModelView<T>& model() const { return state_.call.m; }
  TANDEM_BLOCK const ScanShape<T>& shape() const { return state_.call.shape; }
  TANDEM_BLOCK Strided kept(int j) const { return {kept_ + Index{j} * (rows.kept * warp_lanes)}; }
  TANDEM_BLOCK int carrier_of(int j) const { return shape().carrier[link(j)]; }
  TANDEM_BLOCK Carrier<T>& carrier(int j) const { return state_.scratch.carriers[carrier_of(j)]; }
  /// part(path) of all that hang from link j.
  template <class X, class F>
  TANDEM_BLOCK X sum_of_branches(int j, X sum, F&& part) const {
    return sum_of_hanging(shape(), carrier_of(j), sum, part);
  }

  const StateOfCall<T>& state_;
  const ChunkPlace& place_;
  const TilePlace tile_;
  const Index slot_;
  T *kept_, *drift_;
};

/// What a joint keeps of how it yields, in the rows of a chunk.
template <class T, LaneKind kind>
class KeepingLane : public LaneBase<T, kind> {
  using Base = LaneBase<T, kind>;

 public:
  using Base::Base;
  template <class Axes, int d>
  TANDEM_BLOCK void keep(const Axes& axes, int j, const Vec3<T>& way, const JointResponse<T, d>& response) const {
    const auto to = this->kept(j);
    store(to, Base::r, way);
    if constexpr (d == 1)
      store(to, Base::axes_row, axes.E.row2);
    else
      store(to, Base::axes_row, axes.E);
    store(to, Base::template response_row<d>, response);
  }
  template <int d>
  TANDEM_BLOCK void keep_G(int j, int k, const Force<T>& G) const {
    store(this->kept(j), Base::template G_row<d> + 6 * k, G);
  }
  TANDEM_BLOCK Vec3<T> lever(int j) const { return load<Vec3<T>>(this->kept(j), Base::r); }
  template <class Joint>
  TANDEM_BLOCK JointAxes<T, Joint> axes(const Joint& joint, int j) const {
    if constexpr (Joint::nv > 1)
      return {joint, load<Mat3<T>>(this->kept(j), Base::axes_row)};
    else
      return {joint, {Vec3<T>::zero(), Vec3<T>::zero(), load<Vec3<T>>(this->kept(j), Base::axes_row)}};
  }
  template <int d>
  TANDEM_BLOCK auto response(int j) const {
    return KeptResponse<T, d, typename Base::Strided>{this->kept(j), Base::template response_row<d>};
  }
  template <int d>
  TANDEM_BLOCK Motion<T> G(int j, int k) const {
    return load<Motion<T>>(this->kept(j), Base::template G_row<d> + 6 * k);
  }
  TANDEM_BLOCK void write(int j, int k, const T& x) const {
    this->state_.a[this->template v_row<Base::rows.dof>(j) + k] = x;
  }
};

/// 21 numbers to add up in, in shared memory: there are no registers for them.
template <class T>
struct MobilityNumbers {
  T* at;
  TANDEM_BLOCK void add(int k, const T& x) const { at[k * warp_lanes] += x; }
};

/// Joints of one kind, the model's numbers prepared. The numbers of the next joint are on their way while one is worked
/// on: to shared memory where chunks are gathered, else to registers.
template <class ThreadBlock, class T, LaneKind kind, Pass pass>
class PackedLane : public KeepingLane<T, kind> {
  using Base = KeepingLane<T, kind>;
  using Joint = PackedJoint<T, kind>;
  static constexpr int nq = Joint::nq, nv = Joint::nv, n_constants = Base::rows.constants,
                       n_staged = n_constants + nq + 2 * nv;
  static constexpr bool is_one_dof = kind == LaneKind::one_dof;
  static constexpr int n_ahead = pass == Pass::place                   ? 9 + is_one_dof + nq + nv
                                 : pass == Pass::accelerate && nv == 1 ? Base::rows.kept + is_one_dof
                                                                       : 0;
  static constexpr bool has_response = pass == Pass::accelerate && nv == 1;  // in registers
  enum Row { placement = 0, inertia_row = 12, armature_row = 22, slides_row = 23 };

 public:
  /// Numbers of shared memory of a warp.
  static constexpr int shared = pass == Pass::gather ? (2 * n_staged + 21) * warp_lanes : 0;

  TANDEM_BLOCK PackedLane(const StateOfCall<T>& state, Index slot, const ChunkPlace& place, T* memory)
      : Base(state, slot, place), constants_(state.call.shape.constants + this->tile_.constants + slot % warp_lanes) {
    if constexpr (pass == Pass::gather) {
      staged_ = memory + slot % warp_lanes;
      for (int k = 0; k < 21; ++k) mobility().at[k * warp_lanes] = T(0);
    }
  }
  TANDEM_BLOCK void look_inward(int j) {
    if (j == 0) {
      fetch(0);
      ThreadBlock::commit();
    }
    if (j + 1 < this->steps) fetch(j + 1);
    ThreadBlock::commit();
    ThreadBlock::wait();
  }
  TANDEM_BLOCK void look_outward(int j) {
    if constexpr (n_ahead > 0) {
      if (j == this->steps - 1) fetch_ahead(j);
      TANDEM_UNROLLED for (int i = 0; i < n_ahead; ++i) now_[i] = next_[i];
      if (j > 0) fetch_ahead(j - 1);
    }
  }

  template <class F>
  TANDEM_BLOCK void on_joint(int j, F&& f) const {
    if constexpr (is_one_dof) {
      f(axial_joint(number(j, slides_row)));
    } else {
      f(Joint{});
    }
  }
  TANDEM_BLOCK Transform<T> transform(const Joint& joint, int j) const {
    return joint.transform(load<Transform<T>>(Numbers{*this, j}, placement), Q{*this, j});
  }
  TANDEM_BLOCK Mat3<T> rotation(const Joint& joint, int j) const {
    return joint.transform(Transform<T>{load<Mat3<T>>(Numbers{*this, j}, placement), Vec3<T>::zero()}, Q{*this, j}).E;
  }
  TANDEM_BLOCK Inertia<T> inertia(int j) const { return load<Inertia<T>>(Numbers{*this, j}, inertia_row); }
  struct V {
    const PackedLane& lane;
    int j;
    TANDEM_BLOCK T operator[](Index k) const {
      if constexpr (pass == Pass::gather)
        return lane.number(j, n_constants + nq + static_cast<int>(k));
      else
        return lane.now_[9 + is_one_dof + nq + k];
    }
  };
  TANDEM_BLOCK V v(int j) const { return {*this, j}; }
  TANDEM_BLOCK T tau(int j, int k) const { return number(j, n_constants + nq + nv + k); }
  TANDEM_BLOCK T armature(int j, int k) const {
    const T own = number(j, armature_row + k);
    return this->state_.diagonal ? own + this->state_.diagonal[this->template v_row<nv>(j) + k] : own;
  }
  TANDEM_BLOCK MobilityNumbers<T> mobility() const { return {staged_ + 2 * n_staged * warp_lanes}; }

  TANDEM_BLOCK Vec3<T> lever(int j) const {
    if constexpr (has_response)
      return load<Vec3<T>>(&now_[0], Base::r);
    else
      return Base::lever(j);
  }
  TANDEM_BLOCK JointAxes<T, Joint> axes(const Joint& joint, int j) const {
    if constexpr (has_response)
      return {joint, {Vec3<T>::zero(), Vec3<T>::zero(), load<Vec3<T>>(&now_[0], Base::axes_row)}};
    else
      return Base::axes(joint, j);
  }
  template <int d>
  TANDEM_BLOCK auto response(int j) const {
    if constexpr (has_response)
      return KeptResponse<T, d, const T*>{&now_[0], Base::template response_row<d>};
    else
      return Base::template response<d>(j);
  }
  template <int d>
  TANDEM_BLOCK Motion<T> G(int j, int k) const {
    if constexpr (has_response)
      return load<Motion<T>>(&now_[0], Base::template G_row<d>);
    else
      return Base::template G<d>(j, k);
  }

 private:
  TANDEM_BLOCK T number(int j, int row) const {
    if constexpr (pass == Pass::gather)
      return staged_[((j & 1) * n_staged + row) * warp_lanes];
    else if constexpr (pass == Pass::place)
      return now_[row < 9 ? row : 9];
    else
      return now_[Base::rows.kept];
  }
  struct Numbers {
    const PackedLane& lane;
    int j;
    TANDEM_BLOCK T operator[](Index row) const { return lane.number(j, static_cast<int>(row)); }
  };
  struct Q {
    const PackedLane& lane;
    int j;
    TANDEM_BLOCK T operator[](Index k) const {
      if constexpr (pass == Pass::gather)
        return lane.number(j, n_constants + static_cast<int>(k));
      else
        return lane.now_[9 + is_one_dof + k];
    }
  };
  TANDEM_BLOCK void fetch_ahead(int j) {
    const T* const from = constants_ + Index{j} * (n_constants * warp_lanes);
    if constexpr (pass == Pass::place) {
      TANDEM_UNROLLED for (int i = 0; i < 9; ++i) next_[i] = from[i * warp_lanes];
      const Index q_row = this->template q_row<nq>(j), v_row = this->template v_row<nv>(j);
      TANDEM_UNROLLED for (int k = 0; k < nq; ++k) next_[9 + is_one_dof + k] = this->state_.q[q_row + k];
      TANDEM_UNROLLED for (int k = 0; k < nv; ++k) next_[9 + is_one_dof + nq + k] = this->state_.v[v_row + k];
    } else {
      const auto kept = this->kept(j);
      TANDEM_UNROLLED for (int i = 0; i < Base::rows.kept; ++i) next_[i] = kept[i];
    }
    if constexpr (is_one_dof) next_[pass == Pass::place ? 9 : Base::rows.kept] = from[slides_row * warp_lanes];
  }
  TANDEM_BLOCK void fetch(int j) {
    T* to = staged_ + (j & 1) * n_staged * warp_lanes;
    const T* const from = constants_ + Index{j} * (n_constants * warp_lanes);
    TANDEM_UNROLLED for (int row = 0; row < n_constants; ++row)
        ThreadBlock::copy_async(to + row * warp_lanes, from + row * warp_lanes);
    to += n_constants * warp_lanes;
    const Index q_row = this->template q_row<nq>(j), v_row = this->template v_row<nv>(j);
    TANDEM_UNROLLED for (int k = 0; k < nq; ++k)
      ThreadBlock::copy_async(to + k * warp_lanes, &this->state_.q[q_row + k]);
    TANDEM_UNROLLED for (int k = 0; k < nv; ++k) {
      ThreadBlock::copy_async(to + (nq + k) * warp_lanes, &this->state_.v[v_row + k]);
      ThreadBlock::copy_async(to + (nq + nv + k) * warp_lanes, &this->state_.tau[v_row + k]);
    }
  }

  const T* constants_;
  T* staged_ = nullptr;
  T now_[n_ahead > 0 ? n_ahead : 1], next_[n_ahead > 0 ? n_ahead : 1];
};

/// Joints of any kind, numbers from the model as it is.
template <class ThreadBlock, class T, Pass pass>
class PackedLane<ThreadBlock, T, LaneKind::any, pass> : public KeepingLane<T, LaneKind::any> {
  using Base = KeepingLane<T, LaneKind::any>;

 public:
  static constexpr int shared = pass == Pass::gather ? 21 * warp_lanes : 0;

  TANDEM_BLOCK PackedLane(const StateOfCall<T>& state, Index slot, const ChunkPlace& place, T* memory)
      : Base(state, slot, place), mobility_{memory ? memory + slot % warp_lanes : nullptr} {
    if constexpr (pass == Pass::gather)
      for (int k = 0; k < 21; ++k) mobility_.at[k * warp_lanes] = T(0);
  }
  TANDEM_BLOCK void look_inward(int) {}
  TANDEM_BLOCK void look_outward(int) {}
  template <class F>
  TANDEM_BLOCK void on_joint(int j, F&& f) const {
    on_joint_at<T>(this->model(), this->link(j), this->state_.q, f);
  }
  template <class Joint>
  TANDEM_BLOCK Transform<T> transform(const Joint& joint, int j) const {
    return joint_transform<T>(joint, this->model(), this->link(j), this->state_.q);
  }
  template <class Joint>
  TANDEM_BLOCK Mat3<T> rotation(const Joint& joint, int j) const {
    return transform(joint, j).E;
  }
  TANDEM_BLOCK Inertia<T> inertia(int j) const { return link_inertia<T>(this->model(), this->link(j)); }
  TANDEM_BLOCK StridedColumn<T> v(int j) const { return this->state_.v + row(j); }
  TANDEM_BLOCK T tau(int j, int k) const { return this->state_.tau[row(j) + k]; }
  TANDEM_BLOCK T armature(int j, int k) const {
    const T own = this->model().armature[row(j) + k];
    return this->state_.diagonal ? own + this->state_.diagonal[row(j) + k] : own;
  }
  TANDEM_BLOCK void write(int j, int k, const T& x) const { this->state_.a[row(j) + k] = x; }
  TANDEM_BLOCK MobilityNumbers<T> mobility() const { return mobility_; }

 private:
  TANDEM_BLOCK Index row(int j) const { return this->model().v_index[this->link(j)]; }
  MobilityNumbers<T> mobility_;
};

}  // namespace tandem::cuda
