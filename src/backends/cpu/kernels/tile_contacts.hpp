// SPDX-License-Identifier: Apache-2.0
/// Contacts of the robots in a tile: poses of shapes, narrow phase, accelerations. All lanes have one list of contacts,
/// of the slots that touch in any lane; the results of a lane do not depend on the others.
#pragma once
#include <memory>
#include <vector>

#include "backends/cpu/coupling_pattern.hpp"
#include "backends/cpu/near_shapes.hpp"
#include "backends/shared/contact.hpp"
#include "tandem/detail/contact/contact_list.hpp"
#include "tandem/detail/contact/pair.hpp"
#include "tiles.hpp"

namespace tandem::inline TANDEM_ISA {

/// Numbers P of this instruction set, as many as are needed. A std::vector<double>, compiled here, could replace that
/// of the library when the program is linked.
template <class P>
class Numbers {
 public:
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  P* data() { return reinterpret_cast<P*>(all_.data()); }
  const P* data() const { return reinterpret_cast<const P*>(all_.data()); }
  P& operator[](std::size_t k) { return all_[k].of; }
  const P& operator[](std::size_t k) const { return all_[k].of; }
  P* begin() { return data(); }
  P* end() { return data() + size(); }
  void assign(std::size_t n, const P& x) { all_.assign(n, {x}); }
  void resize(std::size_t n) { all_.resize(n); }
  void push_back(const P& x) { all_.push_back({x}); }
  void clear() { all_.clear(); }

 private:
  struct One {
    P of;
  };
  std::vector<One> all_;
};

/// P is a pack of robots, or a number of a robot alone.
template <class P>
class TileContacts {
 public:
  using T = typename RealOf<P>::type;
  static constexpr int lanes = TileColumn<P>::width;
  using Column = typename TileColumn<P>::Type;

  TileContacts(const ContactProblem& problem, const ModelView<T>& m);

  /// Goes on to states b, b + 1, ... of a call.
  void take(const ContactCall<T>& call, Index b, int n);
  /// Accelerations; f_ext and diagonal may be null.
  void accelerate(const ModelView<P>& m, Column q, Column v, Column tau, Column f_ext, Column diagonal, Column a);
  /// After a step: where the next one begins, in lanes that are alive.
  void keep(const P& alive);
  /// Statistics of the last step.
  ContactTally tally(int lane) const;
  /// Writes what was found last, for lanes that are alive; the others have where they last began.
  void give(const P& alive);

  const P* limit_forces() const { return f_limit_.data(); }

  // of the last step, of rk4 in all stages so far: work of joint limits, dry friction and contacts, J; Newton steps;
  // solutions, and how many of them did not converge
  P limit_work{0}, friction_work{0}, contact_work{0}, steps{0}, not_converged{0};
  int solutions = 0;

  Numbers<P> columns;  ///< of a call for states

 private:
  /// Two shapes whose spheres are apart by more than their margin have no contact.
  struct Near {
    const PlacedShape<P>*one, *two;
    T reach;  ///< m; of two spheres its square
    bool with_plane, never_apart;
  };
  void begin_step();
  void find(const ModelView<P>& m, P* w);
  void find_near();
  LinkPair found_pair(const NearShapes::Pair& near) const;
  void touch(const LinkPair& pair);
  void place(int shape);
  LinkCouplings<> couple();
  bool is_near(const Near& pair) const;
  P* room(Index rows);
  void write(int lane, Index state) const;
  void keep_normals(const P& alive);

  const ContactProblem& problem_;
  Index nv_;
  const ContactCall<T>* call_ = nullptr;
  Index b_ = 0;
  int n_ = 0, stage_ = 0;
  std::vector<PlacedShape<P>> shapes_;
  std::vector<Near> near_;
  std::vector<Transform<P>> links_;  ///< from the world
  // Elements of vectors are types of this instruction set: a std::vector of a common type, compiled here, could replace
  // that of the library when the program is linked.
  struct Stamp {
    Index time = 0;  ///< of the last placement of a shape; -1: it does not move
  };
  struct Slot {
    int number;  ///< of the set; of a pair that was found, which contact of the two shapes
    bool first_moves;
    int shape_1, shape_2;
    bool is_found;
  };
  struct Kind {
    ContactKind of;
  };
  std::vector<Stamp> placed_;  ///< of the shapes
  Index time_ = 0;             ///< number of calls of find()
  std::vector<Slot> slots_;    ///< of the contacts
  std::vector<Kind> kinds_;    ///< of the contacts
  Numbers<P> places_, forces_;
  Numbers<P> normals_;      ///< [slots] of the step before, of Coupling::disc; else empty
  Numbers<P> last_normal_;  ///< of the contacts
  int n_contacts_ = 0, n_columns_ = 0;
  CouplingPattern couplings_;  ///< of links
  struct Finder {
    NearShapes near;
  };
  std::unique_ptr<Finder> finder_;  ///< null: all pairs are listed
  Numbers<double> origins_;         ///< [shapes][3] of a lane
  Numbers<P> warm_, warm_kept_, f_limit_, f_friction_, within_, after_, bare_, rate_, work_;
  Numbers<P> of_loops_, of_couplers_;  ///< forces
};

/// What ContactTiles consist of: contacts of a tile of robots and of a robot alone, each made when it is needed first.
template <class T>
class PooledContacts {
 public:
  PooledContacts(const ContactProblem& problem, const ModelView<T>& m) : problem_(problem), m_(m) {}
  TileContacts<FullPack<T>>& in_lanes() { return made(in_lanes_); }
  TileContacts<T>& alone() { return made(alone_); }

 private:
  template <class P>
  TileContacts<P>& made(std::unique_ptr<TileContacts<P>>& tile) {
    if (!tile) tile = std::make_unique<TileContacts<P>>(problem_, m_);
    return *tile;
  }

  const ContactProblem& problem_;
  const ModelView<T> m_;
  std::unique_ptr<TileContacts<FullPack<T>>> in_lanes_;
  std::unique_ptr<TileContacts<T>> alone_;
};

}  // namespace tandem::inline TANDEM_ISA
