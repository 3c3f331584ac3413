// SPDX-License-Identifier: Apache-2.0
/// A chain cut into chunks of consecutive links, which methods work through one link after the other, many chunks at a time.
///
/// A chunk has
///   Number                       what it computes with: S, or packs of W neighbouring chunks in lockstep, a lane each
///   length()                     links
///   outward<reads>(f)            calls f(j, joint, link) for its links j = 0 .. length() - 1, from the base outwards
///   inward<reads>(f)             the same links, the other way; `reads` says what f asks of a link
///   work(j)                      the rows of link j in the method's memory, a column
///   load(slots), store(slots, x) an element for each chunk, or lane, in slots of S numbered by chunk
/// and a link
///   placement() inertia() q() v() a() external_force()   of the model and the call; q, v, a: columns of its joint's rows
///   put(k, x)                    row k of its joint in the result: x, and what accelerating the rotor takes
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/engines/scan.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// An element T<S> for each chunk in the rows of a column; chunks in lanes see T<Pack>.
template <template <class> class T, class S, class Column>
struct ChunkSlots : Records<T<S>, Column> {
  template <class Number>
  using Of = T<Number>;
};
template <template <class> class T, class S, class Column>
TANDEM_HD ChunkSlots<T, S, Column> chunk_slots(Column column) {
  return {{column}};
}

/// What a pass over a chunk asks of its links.
enum Reads : unsigned {
  reads_placement = 1,
  reads_inertia = 2,
  reads_q = 4,
  reads_v = 8,
  reads_a = 16,
  reads_force = 32
};

/// Chunks that go in lockstep where there are lanes: as many doubles, or floats, as the widest registers hold. The same
/// everywhere, so that the way a chain is cut does not depend on who works on it.
template <class S>
inline constexpr int chunks_in_group = sizeof(S) <= 4 ? 16 : 8;

/// How a chain of n joints is cut: chunk 0 has the few joints next to the base that are left over when the others, `count`,
/// are made equally long. They come in whole groups.
struct ChainCut {
  Index rest = 0, length = 0, count = 0;

  /// Into about `chunks` chunks, or else of about `chunk` links; no more of them than links.
  template <class S>
  TANDEM_HD static ChainCut of(Index n, Index chunk, Index chunks) {
    constexpr Index group = chunks_in_group<S>;
    if (chunks <= 0) chunks = (n + chunk - 1) / chunk;
    Index groups = (chunks + group - 1) / group;
    if (groups * group > n) groups = n / group;
    if (groups == 0) return {n, 0, 0};
    const Index length = n / (groups * group);
    return {n - groups * group * length, length, groups * group};
  }
  TANDEM_HD Index chunks() const { return count + 1; }
  /// First joint of a chunk, from 0.
  TANDEM_HD Index begin(Index chunk) const { return chunk == 0 ? 0 : rest + (chunk - 1) * length; }
  TANDEM_HD Index length_of(Index chunk) const { return chunk == 0 ? rest : length; }
};

/// The rows of a call that belong to a chain, by the joints' names.
template <class M, class Q, class Qd, class Qdd, class Fx, class Tau>
struct ChainCall {
  const ModelView<M>& m;
  Q q;
  Qd v;
  Qdd a;
  Fx f_ext;
  Tau tau;
};

/// One chunk, link by link. With `axial` all joints have one degree of freedom and are taken as AxialJoint.
template <class S, bool axial, class Call, class Work>
struct LinkChunk {
  using Number = S;
  const Call& call;
  const ChainCut& cut;
  Index chunk;
  Work w;
  Index rows_per_link;

  struct Link {
    const Call& call;
    int i;
    TANDEM_HD Transform<S> placement() const { return load_transform<S>(call.m.placement, Index{12} * i); }
    TANDEM_HD Inertia<S> inertia() const { return link_inertia<S>(call.m, i); }
    TANDEM_HD auto q() const { return call.q + call.m.q_index[i]; }
    TANDEM_HD auto v() const { return call.v + call.m.v_index[i]; }
    TANDEM_HD auto a() const { return call.a + call.m.v_index[i]; }
    TANDEM_HD Force<S> external_force() const { return tandem::external_force<S>(call.m, i, call.f_ext); }
    TANDEM_HD void put(int k, const S& x) const {
      const Index row = call.m.v_index[i] + k;
      call.tau[row] = mul_add(S(call.m.armature[row]), S(call.a[row]), x);
    }
  };

  TANDEM_HD Index length() const { return cut.length_of(chunk); }
  TANDEM_HD Work work(Index j) const { return w + rows_per_link * (cut.begin(chunk) + j); }
  template <class Slots>
  TANDEM_HD auto load(const Slots& slots) const {
    return slots.load(chunk);
  }
  template <class Slots, class T>
  TANDEM_HD void store(const Slots& slots, const T& x) const {
    slots.store(chunk, x);
  }
  template <unsigned reads, class F>
  TANDEM_HD void outward(F&& f) const {
    for (Index j = 0; j < length(); ++j) visit(j, f);
  }
  template <unsigned reads, class F>
  TANDEM_HD void inward(F&& f) const {
    for (Index j = length() - 1; j >= 0; --j) visit(j, f);
  }

 private:
  template <class F>
  TANDEM_HD void visit(Index j, F&& f) const {
    const int i = static_cast<int>(cut.begin(chunk) + j) + 1;
    const Link link = {call, i};
    if constexpr (axial)
      f(j, AxialJoint<S>::of(call.m, i), link);
    else
      on_joint_at<S>(call.m, i, call.q, [&](auto joint) TANDEM_INLINE { f(j, joint, link); });
  }
};

/// True for a robot without branches and mimic joints.
template <class M>
TANDEM_HD bool is_chain(const ModelView<M>& m) {
  return m.n_mimic == 0 && (m.n_dof == 0 || m.dof_run_start[m.n_dof - 1] == 0);
}
/// True for a chain of joints with one degree of freedom.
template <class M>
TANDEM_HD bool is_axial(const ModelView<M>& m) {
  return m.nv == m.n_links - 1;
}

/// An engine with lanes has  for_each_chunk_of_group(call, cut, group, w, rows_per_link, f)  for numbers of this type.
template <class Engine, class S>
constexpr bool has_lanes = requires { requires Engine::template has_lanes_of<S>; };

/// Calls f(chunk) for every chunk, or several in lanes, groups of them at the same time.
template <class S, class Engine, class Call, class Work, class F>
TANDEM_HD void for_each_chunk(const Engine& engine, const Call& call, const ChainCut& cut, Work w, Index rows_per_link,
                              F&& f) {
  constexpr Index group = chunks_in_group<S>, worth_waking = 1024;  // links
  const auto on_group = [&](Index g) TANDEM_INLINE {
    const Index begin = g == 0 ? 0 : 1 + (g - 1) * group, left = cut.chunks() - begin;
    const Index n = g == 0 ? 1 : left < group ? left : group;
    if (!is_axial(call.m))
      return for_each_in_part(engine, n, [&](Index k) TANDEM_INLINE {
        f(LinkChunk<S, false, Call, Work>{call, cut, begin + k, w, rows_per_link});
      });
    if constexpr (has_lanes<Engine, S>) {
      if (n == group) return engine.for_each_chunk_of_group(call, cut, g - 1, w, rows_per_link, f);
    }
    for_each_in_part(engine, n, [&](Index k) TANDEM_INLINE {
      f(LinkChunk<S, true, Call, Work>{call, cut, begin + k, w, rows_per_link});
    });
  };
  const Index parts = 1 + (cut.count + group - 1) / group;
  for_each_of(engine, parts, cut.rest + cut.count * cut.length < worth_waking ? parts + 1 : 2, on_group);
}

}  // namespace tandem::inline TANDEM_ISA
