// SPDX-License-Identifier: Apache-2.0
/// The driver of the scan form of forward dynamics: groups of chunks on threads, chunks in lanes.
#pragma once
#include "run_links.hpp"
#include "scan_lanes.hpp"

namespace tandem::inline TANDEM_ISA {

/// Eight numbers in as many registers as it takes.
template <class T>
struct EightInRegisters {
  using Number = T;
  static constexpr int W = FullPack<T>::width < 8 ? FullPack<T>::width : 8, n = 8 / W;
  Pack<T, W> parts[n];

  TANDEM_HD static EightInRegisters load(const T* from) {
    EightInRegisters r;
    for (int k = 0; k < n; ++k) __builtin_memcpy(&r.parts[k].lanes, from + W * k, sizeof(r.parts[k].lanes));
    return r;
  }
  TANDEM_HD void store(T* to) const {
    for (int k = 0; k < n; ++k) __builtin_memcpy(to + W * k, &parts[k].lanes, sizeof(parts[k].lanes));
  }
  TANDEM_HD T operator[](int j) const { return parts[j / W].lanes[j % W]; }
};
template <class T>
TANDEM_HD EightInRegisters<T> mul_add(const T& s, const EightInRegisters<T>& x, EightInRegisters<T> y) {
  for (int k = 0; k < y.n; ++k) y.parts[k] = mul_add(Pack<T, y.W>(s), x.parts[k], y.parts[k]);
  return y;
}
template <class T>
TANDEM_HD EightInRegisters<T> operator*(const T& s, EightInRegisters<T> x) {
  for (int k = 0; k < x.n; ++k) x.parts[k] = Pack<T, x.W>(s) * x.parts[k];
  return x;
}
template <class T>
TANDEM_HD EightInRegisters<T> operator-(EightInRegisters<T> x, const EightInRegisters<T>& y) {
  for (int k = 0; k < x.n; ++k) x.parts[k] = x.parts[k] - y.parts[k];
  return x;
}
template <class T>
TANDEM_HD EightInRegisters<T> choose(bool condition, const EightInRegisters<T>& x, const EightInRegisters<T>& y) {
  return condition ? x : y;
}
template <class T>
TANDEM_HD EightInRegisters<T> first_six(const EightInRegisters<T>& x, EightInRegisters<T> y) {
  constexpr int W = EightInRegisters<T>::W;
  for (int j = 0; j < 6; ++j) y.parts[j / W].lanes[j % W] = x.parts[j / W].lanes[j % W];
  return y;
}
template <class T>
TANDEM_HD void transpose(EightInRegisters<T> (&rows)[8]) {
  constexpr int W = EightInRegisters<T>::W, n = 8 / W;
  EightInRegisters<T> from[8];
  for (int i = 0; i < 8; ++i) from[i] = rows[i];
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      Pack<T, W> block[W];
      for (int i = 0; i < W; ++i) block[i] = from[W * a + i].parts[b];
      transpose<W / 2>(block);
      for (int i = 0; i < W; ++i) rows[W * b + i].parts[a] = block[i];
    }
}

/// The three passes over a group, its chunks in packs where they have joints of one kind.
template <class P>
struct ChunksInLanes {
  template <class T>
  using Row = EightInRegisters<T>;
  const PreparedScan<typename RealOf<P>::type>& prepared;

  template <class Call>
  void place(const Call& call, Index g) const {
    each(
        call, g, [&](auto& lane, auto* w) TANDEM_INLINE { ScanPasses::place(lane, w, call); },
        [&]() TANDEM_INLINE { OneByOne<>().place(call, g); });
  }
  template <class Call>
  void gather(const Call& call, Index g) const {
    const bool ends = call.plan.group_ends[g] != 0;
    each(
        call, g, [&](auto& lane, auto* w) TANDEM_INLINE { ScanPasses::gather(lane, w, ends, call); },
        [&]() TANDEM_INLINE { OneByOne<>().gather(call, g); });
  }
  template <class Call>
  void accelerate(const Call& call, Index g) const {
    const bool ends = call.plan.group_ends[g] != 0;
    each(
        call, g, [&](auto& lane, auto* w) TANDEM_INLINE { ScanPasses::accelerate(lane, w, ends, call); },
        [&]() TANDEM_INLINE { OneByOne<>().accelerate(call, g); });
  }

 private:
  template <class Call, class F, class Alone>
  void each(const Call& call, Index g, F&& f, Alone&& alone) const {
    switch (static_cast<ScanKind>(call.plan.group_kind[g])) {
      case ScanKind::revolute: return in_packs<RevoluteJoint>(call, g, f);
      case ScanKind::one_dof: return in_packs<OneDofJoint<Mask<typename RealOf<P>::type, P::width>>>(call, g, f);
      case ScanKind::spherical: return in_packs<SphericalJoint>(call, g, f);
      case ScanKind::any: return alone();
    }
  }
  template <class Joint, class Call, class F>
  void in_packs(const Call& call, Index g, F&& f) const {
    auto* w = reinterpret_cast<P*>(call.chunks + call.plan.group_row[g]);
    for (Index c = call.plan.group_chunk[g]; c < call.plan.group_chunk[g + 1]; c += P::width) {
      PackLane<Call, P, Joint> lane(call, prepared, g, c, w);
      f(lane, w);
      w += lane.rows().of_chunk(lane.steps);
    }
  }
};

/// The method with its engine and its lanes, in the shape of an algorithm.
template <class A, class T>
struct ScanOnThreads : OnThreads<A> {
  const PreparedScan<T>* prepared;
  std::shared_ptr<const void> own;  ///< where the caller has not prepared anything

  static std::shared_ptr<const void> prepare(const ModelView<T>& m, const Options& options) {
    return std::make_shared<const PreparedScan<T>>(m, options);
  }
  explicit ScanOnThreads(const Call<T>& call) : OnThreads<A>(call) {
    if (!call.prepared) own = prepare(call.model, call.options);
    prepared = static_cast<const PreparedScan<T>*>(call.prepared ? call.prepared : own.get());
  }
  template <class M>
  Index work_rows(const ModelView<M>&) const {
    return A::template rows<T>(prepared->plan());
  }
  template <class S, class M, class... Column>
  void body(const ModelView<M>& m, Column... columns) const {
    const FlushToZero guard;
    A::run(ChunksInLanes<FullPack<T>>{*prepared}, this->engine, prepared->plan(), m, columns...);
  }
};

template <class A, class T>
using ScanDriver = DriverOf<ScanOnThreads<A, T>, T>;

}  // namespace tandem::inline TANDEM_ISA
