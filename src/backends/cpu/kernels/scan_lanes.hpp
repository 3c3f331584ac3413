// SPDX-License-Identifier: Apache-2.0
/// Chunks of scans side by side, a chunk a lane, as their passes see them.
#pragma once
#include "pack_chunk.hpp"
#include "tandem/detail/scan/inverse_chunk.hpp"
#include "tandem/detail/scan/scan_passes.hpp"
#include "tandem/detail/scan/link_coordinates.hpp"

namespace tandem::inline TANDEM_ISA {

/// Chunks of methods that turn inertias: joints, and inertias along other axes.
template <class Call, class P, class Joint>
class TurningChunk : public PackChunk<Call, P, Joint, true> {
  using Base = PackChunk<Call, P, Joint, true>;

 protected:
  using Base::is_one_dof, Base::constant, Base::gather_q, Base::q_, Base::begin_;
  using Base::nq, Base::block;
  using typename Base::Prepared;

 public:
  using Base::Base;

  /// Joint k behind the placement X_T.
  TANDEM_HD Transform<P> transform(Joint joint, int k, const Transform<P>& X_T) const {
    if constexpr (nq > 1) {
      return joint.transform(X_T, q_ + nq * (k - begin_));
    } else {
      const Mat3<P> E = rotated_z(turn_[k - begin_], X_T.E);
      if constexpr (is_one_dof) return {E, mul_add(joint.slides * q_[k - begin_], E.row2, X_T.r)};
      return {E, X_T.r};
    }
  }
  TANDEM_HD Inertia<P> rotated_inertia(int k, const Mat3<P>& E) const {
    const auto c = constant(k);
    const auto a = transpose_mul(E, load<Vec3<P>>(c, Prepared::spread)),
               b = transpose_mul(E, load<Vec3<P>>(c, Prepared::spread + 3));
    const P least = c[Prepared::least];
    return {c[Prepared::mass],
            transpose_mul(E, load<Vec3<P>>(c, Prepared::moment)),
            {mul_add(a.x, a.x, mul_add(b.x, b.x, least)), mul_add(a.y, a.y, mul_add(b.y, b.y, least)),
             mul_add(a.z, a.z, mul_add(b.z, b.z, least)), sum_of_products(a.x, a.y, b.x, b.y),
             sum_of_products(a.x, a.z, b.x, b.z), sum_of_products(a.y, a.z, b.y, b.z)}};
  }

 protected:
  /// Joints k .. k + n - 1 come next.
  TANDEM_HD void place_joints(int k, int n) {
    begin_ = k;
    gather_q(k, n, q_);
    if constexpr (nq == 1) {  // in a loop of its own: neighbours overlap
      for (int i = 0; i < n; ++i) {
        P angle = q_[i];
        if constexpr (is_one_dof) angle = this->joint_of(constant(k + i)).turns * angle;
        turn_[i] = sincos(angle);
      }
    }
  }

 private:
  SinCos<P> turn_[block];
};

/// Chunks of the scan form of forward dynamics.
template <class Call, class P, class Joint>
class PackLane : public TurningChunk<Call, P, Joint> {
  using Base = TurningChunk<Call, P, Joint>;
  using Base::constant, Base::gather_rows, Base::q_, Base::v_, Base::begin_, Base::constants_, Base::some_carry,
      Base::load_slots, Base::store_slots;
  using Base::W, Base::nq, Base::nv, Base::block;
  using typename Base::T, typename Base::Prepared, typename Base::Place;

 public:
  using Base::Base, Base::call, Base::steps, Base::w;
  static constexpr ScanRows rows() { return {nv}; }

  void begin_place(int k, int n, bool keep) {
    begin_ = k;
    if (call.far()) {
      fetch(constants_, Prepared::rows(nv) * Prepared::lanes, k + block);
      this->template fetch_rows<nq>(call.q, &Place::q, k + block);
      this->template fetch_rows<nv>(call.v, &Place::v, k + block);
    }
    this->place_joints(k, n);
    gather_rows(call.v, k, n, v_);
    if (keep)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < nv; ++j) w[rows().of_lane(k + i) + j] = v_[i * nv + j];
  }
  void begin_gather(int k, int n) {
    begin_ = k;
    if (call.far()) this->template fetch_rows<nv>(call.tau, &Place::v, k - block);
    gather_rows(call.tau, k, n, q_);
    if (call.diagonal) gather_rows(call.diagonal, k, n, v_);
  }
  void begin_accelerate(int k, int) {
    begin_ = k;
    if (call.far()) fetch(reinterpret_cast<const T*>(w), rows().per_joint() * W, k + block);
  }
  void end_accelerate(int k, int n) { this->scatter_rows(q_, k, n, call.a); }

  TANDEM_HD const P* v(int k) const { return w + rows().of_lane(k); }
  TANDEM_HD const P* v_of_block(int k) const { return v_ + nv * (k - begin_); }
  TANDEM_HD P tau(int k, int j) const { return q_[nv * (k - begin_) + j]; }
  TANDEM_HD P armature(int k, int j) const {
    const P armature = constant(k)[Prepared::armature + j];
    return call.diagonal ? armature + v_[nv * (k - begin_) + j] : armature;
  }
  TANDEM_HD void write(int k, int j, const P& x) { q_[nv * (k - begin_) + j] = x; }

  TANDEM_HD bool carries(int k) const { return call.plan.slot && some_carry(k); }
  void mark(int k, const Mat3<P>& E, const Vec3<P>& turning) const {
    const auto none = TwoHandle<P>::identity();
    store_slots(k, &ScanSlot<T>::J, none.J);
    store_slots(k, &ScanSlot<T>::eta, none.eta);
    store_slots(k, &ScanSlot<T>::axes, E);
    store_slots(k, &ScanSlot<T>::w, turning);
  }
  Mat3<P> axes(int k) const { return load_slots(k, &ScanSlot<T>::axes); }
  ArticulatedInertia<P> inertia_of_branches(int k) const { return load_slots(k, &ScanSlot<T>::J); }
  Force<P> bias_of_branches(int k) const { return load_slots(k, &ScanSlot<T>::eta); }
  void note(int k, const Motion<P>& g) const { store_slots(k, &ScanSlot<T>::moves, g); }
  void keep(int k, const Motion<P>& a) const {
    const Motion<P> sum = a + load_slots(k, &ScanSlot<T>::moves);
    const Mat3<P> E = axes(k);
    store_slots(k, &ScanSlot<T>::moves, Motion<P>{E * sum.w, E * sum.v});
  }

 private:
  /// The numbers of the next block, so many for each joint, on their way from memory before they are wanted.
  void fetch(const T* numbers, Index per_joint, int k) const {
    constexpr Index line = 64 / sizeof(T);
    const int end = k + block < steps ? k + block : steps;
    for (Index i = per_joint * k; i < per_joint * end; i += line) __builtin_prefetch(numbers + i);
  }
};

/// Chunks of the scans of inverse dynamics.
template <class... Parts, class P, class Joint>
class PackLane<InverseCall<Parts...>, P, Joint> : public PackChunk<InverseCall<Parts...>, P, Joint, false> {
  using Base = PackChunk<InverseCall<Parts...>, P, Joint, false>;
  using Base::constant, Base::joint_of, Base::gather_rows, Base::q_, Base::v_;
  using Base::nq, Base::nv, Base::block;
  using typename Base::T, typename Base::Prepared, typename Base::Constants;

 public:
  using Base::Base, Base::call, Base::steps;

  struct Link {
    Constants numbers;
    const P *q, *v, *a;
    P* result;
    TANDEM_HD Transform<P> transform(const Joint& joint) const {
      return joint.transform(load<Transform<P>>(numbers, Prepared::placement), q);
    }
    TANDEM_HD Inertia<P> inertia() const { return load<Inertia<P>>(numbers, Prepared::mass); }
    TANDEM_HD void put(int j, const P& x) const { result[j] = mul_add(numbers[Prepared::armature + j], a[j], x); }
  };
  template <unsigned reads, class F>
  TANDEM_HD void outward(F&& f) {
    outward_blocks(steps, [&](int begin, int n) TANDEM_INLINE {
      look_at(reads, begin, n);
      for (int i = 0; i < n; ++i) visit(begin, i, f);
    });
  }
  template <unsigned reads, class F>
  TANDEM_HD void inward(F&& f) {
    inward_blocks(steps, [&](int begin, int n) TANDEM_INLINE {
      look_at(reads, begin, n);
      for (int i = n - 1; i >= 0; --i) visit(begin, i, f);
      this->scatter_rows(q_, begin, n, call.tau);
    });
  }
  TANDEM_HD bool carries(int k) const { return call.plan.slot && this->some_carry(k); }
  void note(int k, const Motion<P>& v, const Motion<P>& a) const {
    using Slot = LinkCoordinates::Slot<T>;
    this->store_slots(k, &Slot::v, v);
    this->store_slots(k, &Slot::a, a);
    this->store_slots(k, &Slot::brought, Force<P>::zero());
  }
  Force<P> brought(int k) const { return this->load_slots(k, &LinkCoordinates::Slot<T>::brought); }

 private:
  template <class F>
  TANDEM_HD void visit(int begin, int i, const F& f) {
    const Link link = {constant(begin + i), q_ + nq * i, v_ + nv * i, a_ + nv * i, q_ + nv * i};
    f(begin + i, link, joint_of(link.numbers));
  }
  void look_at(unsigned reads, int begin, int n) {
    if ((reads & reads_q) != 0) this->gather_q(begin, n, q_);
    if ((reads & reads_v) != 0) gather_rows(call.v, begin, n, v_);
    if ((reads & reads_a) != 0) gather_rows(call.a, begin, n, a_);
  }

  P a_[block * nv];
};

}  // namespace tandem::inline TANDEM_ISA
