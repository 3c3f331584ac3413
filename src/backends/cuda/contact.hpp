// SPDX-License-Identifier: Apache-2.0
/// Contacts of a robot on a GPU, by one thread: poses of shapes, narrow phase, accelerations, as TileContacts of the
/// processor finds them in lanes. A thread lists the contacts that touch, in the order of their slots, and has room for
/// so many of them. Contacts without room are counted, and the robot ends.
#pragma once
#include "backends/cuda/column.hpp"
#include "backends/shared/contact.hpp"
#include "tandem/detail/contact/damping_after.hpp"
#include "tandem/detail/contact/pair.hpp"
#include "tandem/detail/contact/solver.hpp"

namespace tandem::cuda {

/// A shape on its link, in the precision of the call.
template <class T>
struct ThreadShape {
  ShapeType type;
  int link;
  ShapePose<T> on_link;
  Vec3<T> size;
  int n_vertices;
  const double* vertices;
};
/// Two shapes whose spheres are apart by more than their margin have no contact.
template <class T>
struct ThreadPair {
  LinkPair of;
  T reach;  ///< m; of two spheres its square
  bool with_plane, never_apart;
};

/// Room of a thread: contacts that touch, columns of those between two links, and pairs of links that these couple, see
/// CoupledLinks.
struct ContactRoom {
  int contacts = 0, columns = 0, couplings = 0;
};

/// States whose contact dynamics is wanted, in place of a rollout. Rows that may be null are not wanted.
template <class T>
struct DeviceContactStates {
  Array<T> q, v, tau, f_ext;                    ///< f_ext may be null
  Array<T> a;  ///< initial guess, then the accelerations; NaN without room for contacts
  T *f_limit = nullptr, *f_friction = nullptr;  ///< [batch][nv] N m|N, or null
  double *f_loop = nullptr, *f_coupler = nullptr;  ///< [batch][n_loops][6], [batch][couplers]; both, or both null
  std::uint8_t* converged = nullptr;               ///< [batch]
  std::int32_t *steps = nullptr, *dropped = nullptr;  ///< [batch]
};

/// Contacts in the steps of a rollout or of states, all arrays on the device; passed to the kernel by value.
template <class T>
struct DeviceContacts {
  const ThreadShape<T>* shapes = nullptr;
  const ThreadPair<T>* pairs = nullptr;
  int n_shapes = 0, n_pairs = 0, n_slots = 0;
  ContactSolverOptions how;
  JointSoftness joints;
  ContactRoom room;
  bool damps_after = false, has_stages = false, accounts = false;  ///< as in ContactCall
  double h = 0;                                                    ///< s
  int stage = 0;                                                   ///< the first one that is solved for
  const T* no_friction = nullptr;                                  ///< [nv][warp] zeros
  double* forces = nullptr;       ///< [batch][slots][6] N, N m, zeros before the call; null: not wanted
  ContactTally* tally = nullptr;  ///< [batch], or null
  DeviceContactStates<T> states;  ///< without q: a rollout
};

/// The contacts of one robot after the other, of models M.
template <class T, class M>
class ThreadContacts {
 public:
  using Column = FarColumn<T>;
  /// Numbers of pairs and slots in the list of contacts.
  enum Listed { pair_number, slot_number, listed_rows };
  struct Kinds {
    const ThreadPair<T>* pairs;
    Column list;
    TANDEM_HD const ThreadPair<T>& pair_of(Index c) const {
      return pairs[static_cast<int>(list[listed_rows * c + pair_number])];
    }
    TANDEM_HD const ContactKind& operator[](Index c) const { return pair_of(c).of.kind; }
  };
  struct Links {
    Column X;
    TANDEM_HD Transform<T> operator[](Index link) const { return load<Transform<T>>(X, 12 * link); }
    TANDEM_HD explicit operator bool() const { return true; }
  };
  struct Integers {
    Column rows;
    TANDEM_HD int operator[](Index k) const { return static_cast<int>(rows[k]); }
  };
  using Couplings = LinkCouplings<Integers>;
  using List = ContactList<Column, Kinds, Links, Couplings>;
  using Solver = ContactSolver<T, M, Column, List>;

  /// Rows of scratch memory that stay from step to step, and of what they share with other functions.
  TANDEM_HD static Index own_rows(const DeviceContacts<T>& call, const ModelView<M>& m) {
    return 12 * Index{m.n_links} + 3 * Index{call.n_shapes} +
           (Index{listed_rows} + Index{ContactPlace::rows} + 6) * call.room.contacts + columns * Index{m.nv} +
           (Solver::couples(call.joints, call.room.columns)
                ? 2 * Index{m.n_links} + 1 + call.room.couplings + 2 * most_waiting(call)
                : 0);
  }
  /// Pairs that are known before the links that they are of.
  TANDEM_HD static Index most_waiting(const DeviceContacts<T>& call) {
    return Index{call.room.couplings} + call.room.contacts + call.joints.loops.n;
  }
  TANDEM_HD static Index work_rows(const DeviceContacts<T>& call, const ModelView<M>& m) {
    return Solver::work_rows(m, call.joints, call.room.contacts, call.room.columns, call.room.couplings);
  }

  TANDEM_HD ThreadContacts(const DeviceContacts<T>& call, const ModelView<M>& m, Column own, Column work)
      : call_(call),
        m_(m),
        links_(own),
        centres_(links_ + 12 * Index{m.n_links}),
        list_(centres_ + 3 * Index{call.n_shapes}),
        places_(list_ + Index{listed_rows} * call.room.contacts),
        forces_(places_ + Index{ContactPlace::rows} * call.room.contacts),
        columns_(forces_ + 6 * Index{call.room.contacts}),
        first_pair_(columns_ + columns * Index{m.nv}),
        meets_(first_pair_ + (m.n_links + 1)),
        partner_(meets_ + m.n_links),
        waiting_(partner_ + call.room.couplings),
        work_(work),
        stage_(call.stage) {}

  /// Where the solution of the first step begins; null: at zero.
  TANDEM_HD void begin(Column from) {
    for (Index k = 0; k < m_.nv; ++k) {
      const T a = from ? from[k] : T(0);
      column(warm)[k] = a;
      column(warm_kept)[k] = a;
    }
  }
  TANDEM_HD bool has_dropped() const { return total_.dropped > 0; }

  /// Accelerations; f_ext, the diagonal, and forces of loop joints and couplers may be null.
  TANDEM_PASS void accelerate(Column q, Column v, Column tau, Column f_ext, Column diagonal, Column a,
                              double* f_loop = nullptr, double* f_coupler = nullptr) {
    if (has_dropped()) return;  // this step counts no more
    Solver::place(m_, q, v, f_ext, work_);
    find();
    const bool couples = Solver::couples(call_.joints, n_columns_);
    if (couples) couple();
    if (has_dropped()) return fill(a, m_.nv, T(0));
    const T h(static_cast<T>(call_.h));
    const Column turns = column(rate);
    if (call_.damps_after) LinkPasses::turning_part<T>(m_, v, turns);
    for (Index k = 0; k < m_.nv; ++k) {
      DampedLater<T> row{T(tau[k]), diagonal ? T(diagonal[k]) : T(0), T(0)};
      if (call_.damps_after)
        row = damp_later<T>(row.push, row.within, T(v[k]), T(turns[k]), T(m_.stiffness[k]), T(m_.damping[k]), h);
      column(bare)[k] = row.push;
      column(within)[k] = row.within;
      column(after)[k] = row.after;
    }
    const int stage = call_.has_stages ? stage_++ % 4 : 0;
    if (stage == 0) {
      now_ = {};
      for (Index k = 0; k < m_.nv; ++k) column(warm)[k] = column(warm_kept)[k];
    }
    const List list{n_, {call_.pairs, list_}, places_, Column{}, n_columns_, {links_},
                    couples ? Couplings{call_.room.couplings, {first_pair_}, {partner_}, {meets_}} : Couplings{}};
    const Solver solver{m_, call_.how, call_.joints, list, work_};
    const auto done = solver.solve_placed(q, v, column(bare), column(within), column(warm), column(f_limit),
                                          column(f_friction), forces_);
    if (f_coupler) solver.report_held(f_loop, f_coupler);
    now_.steps += static_cast<std::int64_t>(done.steps);
    now_.not_converged += done.converged == T(0) ? 1 : 0;
    ++now_.solutions;
    if (call_.damps_after)
      solver.slow(v, column(within), column(after), a);
    else
      for (Index k = 0; k < m_.nv; ++k) a[k] = column(warm)[k];
    if (call_.accounts) account(solver, v, a, stage);
  }

  /// After a step of a robot that goes on: where the next one begins.
  TANDEM_HD void keep() {
    total_.solutions += now_.solutions;
    total_.steps += now_.steps;
    total_.not_converged += now_.not_converged;
    total_.taken -= double{contact_work_};
    for (Index k = 0; k < m_.nv; ++k) column(warm_kept)[k] = column(warm)[k];
  }

  /// Writes what was found last, for a robot that did not end.
  TANDEM_HD void give_forces(Index b) const {
    if (!call_.forces) return;
    double* const forces = call_.forces + 6 * Index{call_.n_slots} * b;
    for (Index c = 0; c < n_; ++c)
      for (Index j = 0; j < 6; ++j)
        forces[6 * static_cast<Index>(list_[listed_rows * c + slot_number]) + j] = double{forces_[6 * c + j]};
  }
  TANDEM_HD const ContactTally& tally() const { return total_; }
  TANDEM_HD Column limit_forces() const { return column(f_limit); }
  TANDEM_HD Column friction_forces() const { return column(f_friction); }
  TANDEM_HD Column kept_acceleration() const { return column(warm_kept); }

 private:
  enum Of { warm, warm_kept, f_limit, f_friction, within, after, bare, rate, columns };
  TANDEM_HD Column column(Of which) const { return columns_ + Index{m_.nv} * which; }

  /// The power of contacts, at the mean of the velocities before and after the step, or in a stage.
  TANDEM_HD void account(const Solver& solver, Column v, Column a, int stage) {
    const Column rates = column(rate);
    const T h(static_cast<T>(call_.h)), half = T(0.5) * h;
    const T weight = !call_.has_stages ? h : stage == 0 || stage == 3 ? h / T(6) : h / T(3);
    if (!call_.has_stages) LinkPasses::turning_part<T>(m_, v, rates);
    for (Index k = 0; k < m_.nv; ++k) rates[k] = call_.has_stages ? v[k] : v[k] + half * (a[k] + rates[k]);
    contact_work_ = (stage == 0 ? T(0) : contact_work_) + weight * solver.power(rates, forces_);
  }

  TANDEM_HD Vec3<T> centre(int shape) const {
    const ThreadShape<T>& of = call_.shapes[shape];
    return of.link == 0 ? of.on_link.p : load<Vec3<T>>(centres_, 3 * Index{shape});
  }
  TANDEM_HD PlacedShape<T> placed(int shape) const {
    const ThreadShape<T>& of = call_.shapes[shape];
    PlacedShape<T> there = {of.type, of.on_link, of.size, of.n_vertices, of.vertices};
    if (of.link == 0) return there;
    const Mat3<T> E = load<Transform<T>>(links_, 12 * Index{of.link}).E;
    const Mat3<T>& R = of.on_link.R;
    const auto row = [&](const T& x, const T& y, const T& z) {  // of E^T, times R
      const auto entry = [&](const T& i, const T& j, const T& k) { return mul_add(x, i, mul_add(y, j, z * k)); };
      return Vec3<T>{entry(R.row0.x, R.row1.x, R.row2.x), entry(R.row0.y, R.row1.y, R.row2.y),
                     entry(R.row0.z, R.row1.z, R.row2.z)};
    };
    there.pose = {{row(E.row0.x, E.row1.x, E.row2.x), row(E.row0.y, E.row1.y, E.row2.y),
                   row(E.row0.z, E.row1.z, E.row2.z)},
                  centre(shape)};
    return there;
  }
  TANDEM_HD bool is_near(const ThreadPair<T>& pair) const {
    const Vec3<T> between = centre(pair.of.shape_2) - centre(pair.of.shape_1);
    if (pair.with_plane) return dot(placed(pair.of.shape_1).pose.axis_z(), between) < pair.reach;
    return dot(between, between) < pair.reach;
  }

  /// The contacts of this robot, and where they are.
  TANDEM_PASS void find() {
    LinkPasses::places<T>(m_, work_, [&](int i, const Transform<T>& X_iw) { store(links_, 12 * Index{i}, X_iw); });
    for (int k = 0; k < call_.n_shapes; ++k) {
      const ThreadShape<T>& of = call_.shapes[k];
      if (of.link == 0) continue;
      const auto X = load<Transform<T>>(links_, 12 * Index{of.link});
      store(centres_, 3 * Index{k}, transpose_mul_add(X.E, of.on_link.p, X.r));
    }
    n_ = n_columns_ = 0;
    for (int k = 0; k < call_.n_pairs; ++k)
      if (call_.pairs[k].never_apart || is_near(call_.pairs[k])) look_at(k);
  }
  TANDEM_HD void look_at(int k) {
    const LinkPair& of = call_.pairs[k].of;
    const T margin(static_cast<T>(of.kind.margin));
    ContactPoint<T> points[most_contact_slots];
    pair_contacts(placed(of.shape_1), placed(of.shape_2), points, of.kind.margin);
    for (int i = 0; i < of.slots; ++i) {
      if (!(points[i].distance < margin)) continue;
      if (n_ == call_.room.contacts || n_columns_ + columns_of(of.kind) > call_.room.columns) {
        ++total_.dropped;
        continue;
      }
      list_[listed_rows * Index{n_} + pair_number] = static_cast<T>(k);
      list_[listed_rows * Index{n_} + slot_number] = static_cast<T>(of.first_slot + i);
      const Column place = places_ + Index{ContactPlace::rows} * n_;
      const Mat3<T> axes = contact_frame(points[i]);
      place[ContactPlace::distance] = points[i].distance;
      store(place, ContactPlace::point, points[i].position);
      const T sign(static_cast<T>(of.first_moves ? -1 : 1));
      store(place, ContactPlace::axes, Mat3<T>{sign * axes.row0, sign * axes.row1, sign * axes.row2});
      n_columns_ += columns_of(of.kind);
      ++n_;
    }
  }

  /// The couplings of these contacts and of loop joints, and those that elimination adds, see CouplingPattern; pairs
  /// of the last link stand at the end of the room.
  TANDEM_PASS void couple() {
    Index n = 0;
    const auto wait = [&](int one, int other) {
      if (one == 0 || other == 0) return;
      waiting_[2 * n] = static_cast<T>(one < other ? other : one);
      waiting_[2 * n + 1] = static_cast<T>(one < other ? one : other);
      ++n;
    };
    fill(meets_, m_.n_links, T(0));
    const Kinds kinds = {call_.pairs, list_};
    for (int c = 0; c < n_; ++c) wait(kinds[c].link, kinds[c].other);
    const LoopList& loops = call_.joints.loops;
    for (int l = 0; l < loops.n; ++l) {
      wait(loops.kinds[l].link_1, loops.kinds[l].link_2);
      meets_[loops.kinds[l].link_1] = meets_[loops.kinds[l].link_2] = T(1);
    }
    int begin = call_.room.couplings;
    first_pair_[m_.n_links] = static_cast<T>(begin);
    for (int i = m_.n_links - 1; i >= 0; --i) {
      const int end = begin;
      for (Index k = 0; k < n; ++k) {
        if (static_cast<int>(waiting_[2 * k]) != i) continue;
        if (!insert(static_cast<int>(waiting_[2 * k + 1]), begin, end)) return;
      }
      first_pair_[i] = static_cast<T>(begin);
      if (begin == end) continue;
      const int parent = m_.parent[i], first = static_cast<int>(partner_[begin]);
      const int next = parent < first ? first : parent;
      for (int k = begin; k < end; ++k) {
        const int j = static_cast<int>(partner_[k]);
        meets_[j] = T(1);
        if (j != next) wait(next, j);
      }
      if (parent != next) wait(next, parent);
    }
  }
  /// Puts link j among begin .. end - 1, from the highest one on, unless it is there; without room the robot ends.
  TANDEM_HD bool insert(int j, int& begin, int end) {
    int at = begin;
    while (at < end && j < static_cast<int>(partner_[at])) ++at;
    if (at < end && static_cast<int>(partner_[at]) == j) return true;
    if (begin == 0) {
      ++total_.dropped;
      return false;
    }
    for (int k = begin--; k < at; ++k) partner_[k - 1] = T(partner_[k]);
    partner_[at - 1] = static_cast<T>(j);
    return true;
  }

  const DeviceContacts<T>& call_;
  const ModelView<M>& m_;
  Column links_, centres_, list_, places_, forces_, columns_, first_pair_, meets_, partner_, waiting_, work_;
  int stage_, n_ = 0, n_columns_ = 0;
  T contact_work_{0};         ///< J, in this step
  ContactTally now_, total_;  ///< of this step, of all of them
};

}  // namespace tandem::cuda
