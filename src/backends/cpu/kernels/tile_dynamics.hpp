// SPDX-License-Identifier: Apache-2.0
/// Dynamics of the robots in a tile of a rollout.
#pragma once
#include "backends/cpu/rollout.hpp"
#include "lane_body.hpp"
#include "run_assembled.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tile_contacts.hpp"
#include "tile_loops.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics in a tile: by what was assembled for the robot, if that is there, else, and where that does not
/// serve, by the body that is compiled with its kernels; of robots with closed loops lane by lane.
template <class T>
class TileDynamics {
 public:
  using P = FullPack<T>;
  using Column = typename TileColumn<P>::Type;
  static constexpr bool closes_loops = true;

  /// Rows of packs that it needs.
  static Index rows(const RolloutCall<T>& call) {
    return TileLoops<T>::rows(call) + (call.line ? Index{call.line->function.rows()} : 0);
  }

  TileDynamics(const RolloutCall<T>& call, P* memory)
      : call_(call), algorithm_{call.method}, loops_(call, memory), tile_(memory + TileLoops<T>::rows(call)) {}

  /// Goes on to instances b, b + 1, ..., of a model.
  void take(Index b, int n, const ModelView<P>& m) {
    model_ = &m;
    if (contacts) contacts->take(*call_.contacts, b, n);
    loops_.take(b, n);
    if (!call_.line || !call_.parameters) return;
    const Call<T> call = {call_.model, options_, nullptr, nullptr, call_.parameters, 1, call_.line};
    AssembledDriver<T>::gather_parameters(call, b, n, tile_);
  }

  template <class S>
  void body(const ModelView<P>& m, Column q, Column v, Column tau, Column, Column diagonal, Column a, P* work) const {
    if (contacts) return contacts->accelerate(*model_, q, v, tau, Column(), diagonal, a);
    if (m.n_loops > 0) return loops_.accelerate(&m == model_, q, v, tau, diagonal, a);
    if (call_.line && &m == model_ && assembled(q, v, tau, diagonal, a)) return;
    const Column columns[] = {q, v, tau, Column(), diagonal, a};
    Steps ignored[TileColumn<P>::width];
    lane_body_of<ForwardDynamics, T>()(&algorithm_, m, columns, work, ignored);
  }

  P close_loops(Column q, Column v) const { return loops_.close(q, v); }

  TileContacts<P>* contacts = nullptr;  ///< or null

 private:
  /// False if it does not serve every lane.
  bool assembled(Column q, Column v, Column tau, Column diagonal, Column a) const {
    const Index nq = call_.model.nq, nv = call_.model.nv;
    P* const in = tile_;
    for (Index k = 0; k < nq; ++k) in[k] = q[k];
    for (Index k = 0; k < nv; ++k) {
      in[nq + k] = v[k];
      in[nq + nv + k] = tau[k];
      in[nq + 2 * nv + k] = diagonal[k];
    }
    call_.line->function(tile_);
    if (any(AssembledDriver<T>::unserved(*call_.line, tile_))) return false;
    const P* const out = tile_ + call_.line->function.inputs();
    for (Index k = 0; k < nv; ++k) a[k] = out[k];
    return true;
  }

  const RolloutCall<T>& call_;
  ForwardDynamics algorithm_;
  Options options_;
  TileLoops<T> loops_;
  P* tile_;
  const ModelView<P>* model_ = nullptr;  ///< that the states are of, apart from those without weight
};

/// Inverse dynamics in a tile, of the model as it is, without parameters of instances.
template <class T>
class TileInverse {
 public:
  using P = FullPack<T>;
  using Column = typename TileColumn<P>::Type;

  TileInverse(const ModelView<P>& m, P* work) : heavy_(m), weightless_(m.without_gravity()), work_(work) {}
  void operator()(P* q, P* v, P* a, P* f_ext, bool weighs, P* tau) const {
    const InverseDynamics algorithm;
    const Column columns[] = {q, v, a, f_ext ? Column(f_ext) : Column(), tau};
    Steps ignored[TileColumn<P>::width];
    lane_body_of<InverseDynamics, T>()(&algorithm, weighs ? heavy_ : weightless_, columns, work_, ignored);
  }

 private:
  const ModelView<P>& heavy_;
  ModelView<P> weightless_;
  P* work_;
};

}  // namespace tandem::inline TANDEM_ISA
