// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/methods/link_coordinates.hpp"
#include "tandem/detail/methods/world_orientation.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse dynamics of one long chain as parallel scans.
///
/// Method    [Yang] (2a)-(2d): velocities and accelerations are prefix scans over the links, forces a suffix scan. Changed:
///           both Coriolis terms have the other sign (in print they are wrong); the operators know their structure instead
///           of multiplying 6x6 matrices; chunks of consecutive links run the ordinary recursion, once from rest to see
///           what they do to their ends, and again when the scan over chunks has told how their ends move. Forms:
///             body               v, then a, then f: three scans
///             jet                v and a in one scan, then f
///             world_orientation  sums along world axes; see world_orientation.hpp
///             automatic          world_orientation, in float of more than some thousand links jet: it keeps more digits
/// In, out   those of inverse_dynamics
/// Joints    every type; chains only
/// Options   form; chunk, the links of a chunk; or chunks, how many. Chunks come in groups of 8 in double, 16 in float,
///           that go in lockstep in the lanes of vector registers, if all joints are revolute or prismatic
/// Work      12 or 18 rows per link, at most 72 per chunk      Cost O(n_links), depth chunk + log(chunks)
/// Errors    none; a NaN stays in its own state
struct InverseDynamicsScan {
  using Problem = InverseDynamics;
  static constexpr Method method = Method::scan;
  Form form = Form::automatic;
  int chunk = 0, chunks = 0;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    if (m.n_mimic != 0) return "joints that follow others; recursive_newton_euler serves them";
    if (!is_chain(m)) return "it has branches, and scans go along a chain; recursive_newton_euler does";
    return nullptr;
  }

  template <class M>
  TANDEM_HD ChainCut cut(const ModelView<M>& m) const {
    const Index n = m.n_links - 1;
    return ChainCut::of<M>(n, chunk > 0 ? chunk : 256, chunks);
  }
  /// The form that a chain is served by. Measured, see docs/algorithms/inverse_dynamics_scan.md.
  template <class M>
  TANDEM_HD Form chosen(const ModelView<M>& m) const {
    if (form != Form::automatic) return form;
    return sizeof(M) <= sizeof(float) && m.n_links > 4096 ? Form::jet : Form::world_orientation;
  }
  template <class M>
  TANDEM_HD Index link_rows(const ModelView<M>& m) const {
    return chosen(m) == Form::world_orientation ? WorldOrientation::link_rows(m)
                                                : Index{LinkCoordinates::rows_per_link};
  }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    const Index per_chunk = chosen(m) == Form::world_orientation ? Index{WorldOrientation::rows_per_chunk}
                                                                 : Index{LinkCoordinates::rows_per_chunk};
    return first_slot(m) + per_chunk * cut(m).chunks();
  }

  template <class S, class Engine, class M, class Q, class Qd, class Qdd, class Fx, class Tau, class Work>
  TANDEM_HD void body(const Engine& engine, const ModelView<M>& m, Q q, Qd v, Qdd a, Fx f_ext, Tau tau, Work w) const {
    const ChainCall<M, Q, Qd, Qdd, Fx, Tau> call = {m, q, v, a, f_ext, tau};
    const auto slots = w + first_slot(m);
    switch (chosen(m)) {
      case Form::body: LinkCoordinates::body<S, false>(engine, call, cut(m), w, slots); break;
      case Form::jet: LinkCoordinates::body<S, true>(engine, call, cut(m), w, slots); break;
      default: WorldOrientation::body<S>(engine, call, cut(m), w, slots);
    }
  }

 private:
  /// Behind the rows of links, which lanes may push to a boundary of packs.
  template <class M>
  TANDEM_HD Index first_slot(const ModelView<M>& m) const {
    return link_rows(m) * (m.n_links - 1) + chunks_in_group<M>;
  }
};

}  // namespace tandem::inline TANDEM_ISA
