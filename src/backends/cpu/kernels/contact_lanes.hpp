// SPDX-License-Identifier: Apache-2.0
/// Contact dynamics of tiles: compiled once for packs and once for numbers, in each precision, for steps and for states
/// alike. A robot alone in its tile is solved in numbers, with the same bits.
#pragma once
#include <algorithm>

#include "find_contacts.hpp"
#include "lane_model.hpp"
#include "passes.hpp"
#include "status.hpp"
#include "tandem/detail/contact/damping_after.hpp"
#include "tandem/detail/contact/solver.hpp"
#include "tile_contacts.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

template <class P>
TileContacts<P>::TileContacts(const ContactProblem& problem, const ModelView<T>& m)
    : problem_(problem),
      nv_(m.nv),
      links_(static_cast<std::size_t>(m.n_links)),
      placed_(problem.shapes.size()),
      couplings_(m.parent, m.n_links) {
  links_[0] = Transform<P>::identity();
  for (std::size_t k = 0; k < problem.shapes.size(); ++k) {
    const LinkShape& of = problem.shapes[k];
    PlacedShape<P> shape = {of.type,
                            {Mat3<P>::identity(), Vec3<P>::zero()},
                            {P(of.size[0]), P(of.size[1]), P(of.size[2])},
                            of.n_vertices,
                            of.vertices};
    if (of.link == 0) {
      const auto row = [&](int r) { return Vec3<P>{P(of.R[3 * r]), P(of.R[3 * r + 1]), P(of.R[3 * r + 2])}; };
      shape.pose = {{row(0), row(1), row(2)}, {P(of.p[0]), P(of.p[1]), P(of.p[2])}};
      placed_[k].time = -1;
    }
    shapes_.push_back(shape);
  }
  for (const LinkPair& pair : problem.pairs) {
    const LinkShape &one = problem.shapes[static_cast<std::size_t>(pair.shape_1)],
                    &two = problem.shapes[static_cast<std::size_t>(pair.shape_2)];
    const bool with_plane = one.type == ShapeType::plane;
    const double reach = with_plane ? two.radius + pair.kind.margin : one.radius + two.radius + pair.kind.margin;
    near_.push_back({&shapes_[static_cast<std::size_t>(pair.shape_1)], &shapes_[static_cast<std::size_t>(pair.shape_2)],
                     static_cast<T>(with_plane ? reach : reach * reach), with_plane, !with_plane && !(0 < reach)});
  }
  const auto rows = static_cast<std::size_t>(nv_);
  for (Numbers<P>* x : {&warm_, &warm_kept_, &f_limit_, &f_friction_, &within_, &after_, &bare_, &rate_})
    x->assign(rows, P(0));
  if (problem.found) {
    finder_.reset(new Finder{NearShapes(*problem.found->set, problem.found->reach)});
    origins_.resize(3 * problem.shapes.size());
  }
  if (problem.how.coupling == Coupling::disc) normals_.assign(static_cast<std::size_t>(problem.n_slots), P(0));
  of_loops_.assign(6 * static_cast<std::size_t>(problem.joints.loops.n), P(0));
  of_couplers_.assign(static_cast<std::size_t>(problem.joints.couplers.n), P(0));
}

template <class P>
void TileContacts<P>::take(const ContactCall<T>& call, Index b, int n) {
  call_ = &call;
  b_ = b;
  n_ = n;
  n_contacts_ = 0;
  stage_ = call.stage;
  begin_step();
  if (call.warm.data)
    gather(call.warm.data + b * call.warm.stride, call.warm.stride, call.warm.row_stride, nv_, n, warm_.data());
  else
    fill(warm_.data(), nv_, P(0));
  for (std::size_t k = 0; k < warm_.size(); ++k) warm_kept_[k] = warm_[k];
  const auto slots = static_cast<Index>(normals_.size());
  if (call.normals && slots > 0)
    gather(call.normals + b * slots, slots, 1, slots, n, normals_.data());
  else
    fill(normals_.data(), slots, P(0));
}

template <class P>
void TileContacts<P>::begin_step() {
  limit_work = friction_work = contact_work = steps = not_converged = P(0);
  solutions = 0;
}

template <class P>
ContactTally TileContacts<P>::tally(int lane) const {
  return {solutions, static_cast<std::int64_t>(lane_of(steps, lane)),
          static_cast<std::int64_t>(lane_of(not_converged, lane)), -double{lane_of(contact_work, lane)}};
}

template <class P>
void TileContacts<P>::keep(const P& alive) {
  for (int lane = 0; call_->tally && lane < n_; ++lane)
    if (lane_of(alive, lane) > T(0)) call_->tally[b_ + lane].add(tally(lane));
  for (std::size_t k = 0; k < warm_.size(); ++k) warm_kept_[k] = select(P(0) < alive, warm_[k], warm_kept_[k]);
  if (!normals_.empty()) keep_normals(alive);
}

template <class P>
void TileContacts<P>::keep_normals(const P& alive) {
  for (P& normal : normals_) normal = select(P(0) < alive, P(0), normal);
  for (int c = 0; c < n_contacts_; ++c) {
    const auto i = static_cast<std::size_t>(c);
    const P& distance = places_[i * ContactPlace::rows + ContactPlace::distance];
    const auto touches = distance < P(static_cast<T>(kinds_[i].of.margin));
    P& normal = normals_[static_cast<std::size_t>(slots_[i].number)];
    normal = select(P(0) < alive, select(touches, forces_[6 * i], P(0)), normal);
  }
}

template <class P>
P* TileContacts<P>::room(Index rows) {
  if (static_cast<Index>(work_.size()) < rows) work_.resize(static_cast<std::size_t>(rows + rows / 4));
  return work_.data();
}

/// The couplings of these contacts, and of loop joints.
template <class P>
LinkCouplings<> TileContacts<P>::couple() {
  if (!ContactSolver<P, P, P*>::couples(problem_.joints, n_columns_)) return {};
  couplings_.clear();
  for (const Kind& kind : kinds_) {
    if (kind.of.other == 0) continue;
    if (problem_.found)
      couplings_.meet(kind.of.other);  // iterated, see ContactGradients
    else
      couplings_.add(kind.of.link, kind.of.other);
  }
  const LoopList& loops = problem_.joints.loops;
  for (int l = 0; l < loops.n; ++l) {
    couplings_.add(loops.kinds[l].link_1, loops.kinds[l].link_2);
    couplings_.meet(loops.kinds[l].link_1);
    couplings_.meet(loops.kinds[l].link_2);
  }
  couplings_.close();
  return {couplings_.n(), couplings_.first(), couplings_.partners(), couplings_.meets()};
}

template <class P>
void TileContacts<P>::accelerate(const ModelView<P>& m, Column q, Column v, Column tau, Column f_ext, Column diagonal,
                                 Column a) {
  using Solver = ContactSolver<P, P, P*>;
  P* w = room(Solver::work_rows(m, problem_.joints, 0, 0, 0));
  Solver::place(m, q, v, f_ext, w);
  find(m, w);
  const LinkCouplings<> couplings = couple();
  const bool iterates = problem_.found != nullptr;
  w = room(Solver::work_rows(m, problem_.joints, n_contacts_, n_columns_, couplings.n) +
           (iterates ? Solver::Gradients::rows(m) : 0));
  P* const within = within_.data();
  P* const after = after_.data();
  P* const bare = bare_.data();
  P* const turns = rate_.data();
  if (call_->damps_after) LinkPasses::turning_part<P>(m, v, turns);
  for (Index k = 0; k < nv_; ++k) {
    DampedLater<P> row{P(tau[k]), diagonal ? P(diagonal[k]) : P(0), P(0)};
    if (call_->damps_after)
      row = damp_later<P>(row.push, row.within, P(v[k]), turns[k], P(m.stiffness[k]), P(m.damping[k]),
                          P(static_cast<T>(call_->h)));
    bare[k] = row.push;
    within[k] = row.within;
    after[k] = row.after;
  }
  const int stage = call_->has_stages ? stage_++ % 4 : 0;
  if (stage == 0) {  // or again, where another lane asks for it, with the same bits
    begin_step();
    for (std::size_t k = 0; k < warm_.size(); ++k) warm_[k] = warm_kept_[k];
  }
  const ContactKind* const kinds = n_contacts_ > 0 ? &kinds_.data()->of : nullptr;
  P* const last_normal = normals_.empty() ? nullptr : last_normal_.data();
  const ContactList<P*> list{n_contacts_, kinds, places_.data(), last_normal, n_columns_, links_.data(), couplings,
                             iterates};
  const Solver solver{m, problem_.how, problem_.joints, list, w};
  const auto done = solver.solve_placed(q, v, Column(bare), within, warm_.data(), f_limit_.data(), f_friction_.data(),
                                        forces_.data());
  solver.report_held(of_loops_.data(), of_couplers_.data());
  steps = steps + done.steps;
  not_converged = not_converged + (P(1) - done.converged);
  ++solutions;
  if (call_->damps_after)
    solver.slow(v, within, after, a);
  else
    for (Index k = 0; k < nv_; ++k) a[k] = warm_[static_cast<std::size_t>(k)];
  if (!call_->accounts) return;
  P* const rate = rate_.data();
  const P h(static_cast<T>(call_->h)), half = P(T(0.5)) * h;
  const P weight = !call_->has_stages ? h : stage == 0 || stage == 3 ? h / P(6) : h / P(3);
  if (!call_->has_stages) LinkPasses::turning_part<P>(m, v, rate);
  P limit_power(0), friction_power(0);
  for (Index k = 0; k < nv_; ++k) {
    const auto i = static_cast<std::size_t>(k);
    rate[k] = call_->has_stages ? P(v[k]) : P(v[k]) + half * (P(a[k]) + rate[k]);
    limit_power = mul_add(rate[k], f_limit_[i], limit_power);
    friction_power = mul_add(rate[k], f_friction_[i], friction_power);
  }
  limit_work = limit_work + weight * limit_power;
  friction_work = friction_work + weight * friction_power;
  contact_work = contact_work + weight * solver.power(rate, forces_.data());
}

template <class P>
void TileContacts<P>::give(const P& alive) {
  const auto rows = [&](const Numbers<P>& x, T* to) {
    if (!to) return;
    for (int lane = 0; lane < n_; ++lane)
      if (lane_of(alive, lane) > T(0))
        for (Index k = 0; k < nv_; ++k) to[(b_ + lane) * nv_ + k] = lane_of(x[static_cast<std::size_t>(k)], lane);
  };
  const Array<T>& warm = call_->warm;
  if (warm.data) scatter(warm_kept_.data(), nv_, n_, warm.data + b_ * warm.stride, warm.stride, warm.row_stride);
  rows(f_limit_, call_->f_limit);
  rows(f_friction_, call_->f_friction);
  const auto numbers = [&](const Numbers<P>& x, double* to) {
    if (!to) return;
    for (int lane = 0; lane < n_; ++lane)
      if (lane_of(alive, lane) > T(0))
        for (std::size_t k = 0; k < x.size(); ++k)
          to[static_cast<std::size_t>(b_ + lane) * x.size() + k] = double{lane_of(x[k], lane)};
  };
  numbers(of_loops_, call_->f_loop);
  numbers(of_couplers_, call_->f_coupler);
  if (!call_->forces && !call_->pushes && !call_->found) return;
  for (int lane = 0; lane < n_; ++lane)
    if (lane_of(alive, lane) > T(0)) write(lane, b_ + lane);
}

template <class P>
void TileContacts<P>::write(int lane, Index state) const {
  const Index n = problem_.n_slots;
  double* const forces = call_->forces ? call_->forces + 6 * n * state : nullptr;
  double* const pushes = call_->pushes ? call_->pushes + 3 * n * state : nullptr;
  std::int32_t* const touching = call_->touching ? call_->touching + (n + 1) * state : nullptr;
  const auto clear = [&](Index first, Index slots) {
    if (forces) std::fill_n(forces + 6 * first, 6 * slots, 0.0);
    if (pushes) std::fill_n(pushes + 3 * first, 3 * slots, 0.0);
  };
  if (touching)
    for (std::int32_t k = 1; k <= touching[0]; ++k) clear(touching[k], 1);
  else
    clear(0, n);
  if (call_->found) call_->found->begin(state);
  std::int32_t count = 0;
  for (int c = 0; c < n_contacts_; ++c) {
    const P* const place = places_.data() + Index{ContactPlace::rows} * c;
    const ContactKind& kind = kinds_[static_cast<std::size_t>(c)].of;
    if (!(lane_of(place[ContactPlace::distance], lane) < static_cast<T>(kind.margin))) continue;
    const Slot slot = slots_[static_cast<std::size_t>(c)];
    const auto number = [&](int row) { return double{lane_of(place[row], lane)}; };
    FoundPush of{slot.shape_1, slot.shape_2, slot.number};
    double* const f = of.force;
    for (int j = 0; j < 6; ++j) f[j] = double{lane_of(forces_[static_cast<std::size_t>(6 * c + j)], lane)};
    for (int j = 0; j < 3; ++j) {
      const auto axis = [&](int k) { return number(ContactPlace::axes + 3 * k + j); };
      const double push = f[0] * axis(0) + f[1] * axis(1) + f[2] * axis(2);
      of.push[j] = slot.first_moves ? -push : push;
    }
    if (slot.is_found) {
      if (!call_->found) continue;
      of.distance = number(ContactPlace::distance);
      for (int j = 0; j < 3; ++j) of.position[j] = number(ContactPlace::point + j);
      for (int j = 0; j < 9; ++j)
        of.frame[j] = slot.first_moves ? -number(ContactPlace::axes + j) : number(ContactPlace::axes + j);
      call_->found->add(state, of);
      continue;
    }
    if (touching) touching[++count] = slot.number;
    for (int j = 0; forces && j < 6; ++j) forces[Index{6} * slot.number + j] = f[j];
    for (int j = 0; pushes && j < 3; ++j) pushes[Index{3} * slot.number + j] = of.push[j];
  }
  if (touching) touching[0] = count;
}

/// States begin .. end - 1, a tile at a time.
template <class P>
void solve_states(TileContacts<P>& tile, const ContactStatesCall<typename RealOf<P>::type>& call, Index begin,
                  Index end) {
  using T = typename RealOf<P>::type;
  using Column = typename TileColumn<P>::Type;
  constexpr int lanes = TileColumn<P>::width;
  const Index nq = call.model.nq, nv = call.model.nv, wrenches = 6 * Index{call.model.n_links};
  const Index own = nq + 4 * nv + wrenches;
  tile.columns.resize(static_cast<std::size_t>(own + rows_of_lane_model<P>(call.model)));
  P *const q = tile.columns.data(), *const v = q + nq, *const tau = v + nv, *const diagonal = tau + nv,
           *const a = diagonal + nv, *const f_ext = a + nv;
  LaneModel<P> model(call.model, call.parameters, f_ext + wrenches);
  for (Index b = begin; b < end; b += lanes) {
    const int n = static_cast<int>(std::min<Index>(end - b, lanes));
    model.take(b, n);
    const auto bring = [&](const Array<T>& from, Index rows, P* to) {
      if (!from.data) return Column();
      gather(from.data + b * from.stride, from.stride, from.row_stride, rows, n, to);
      return Column(to);
    };
    const Column of_q = bring(call.q, nq, q), of_v = bring(call.v, nv, v), of_tau = bring(call.tau, nv, tau);
    tile.take(call.contacts, b, n);
    tile.accelerate(model.view(), of_q, of_v, of_tau, bring(call.f_ext, wrenches, f_ext),
                    bring(call.diagonal, nv, diagonal), a);
    scatter(a, nv, n, call.a.data + b * call.a.stride, call.a.stride, call.a.row_stride);
    tile.keep(P(1));
    tile.give(P(1));
    for (int k = 0; k < n; ++k) {
      if (call.works) {
        T* const works = call.works + 3 * (b + k);
        works[0] = lane_of(tile.limit_work, k);
        works[1] = lane_of(tile.friction_work, k);
        works[2] = lane_of(tile.contact_work, k);
      }
      if (call.steps) call.steps[b + k] = static_cast<std::int32_t>(lane_of(tile.steps, k));
      if (call.converged) call.converged[b + k] = lane_of(tile.not_converged, k) == T(0) ? 1 : 0;
    }
  }
}

template <class T>
ContactKernel<T> contact_kernel();

/// Contact dynamics of states, a tile at a time.
template <class T>
struct ContactDriver {
  using Pooled = PooledContacts<T>;
  static constexpr int lanes = FullPack<T>::width;

  static void* create(const ContactProblem& problem, const ModelView<T>& m) { return new Pooled(problem, m); }
  static void destroy(void* tile) { delete static_cast<Pooled*>(tile); }

  static void run(const ContactStatesCall<T>& call, Index begin, Index end) {
    auto& pooled = *static_cast<Pooled*>(call.contacts.tiles->take());
    const Index middle = (end - begin) % lanes == 1 ? end - 1 : end;
    if (begin < middle) solve_states(pooled.in_lanes(), call, begin, middle);
    if (middle < end) solve_states(pooled.alone(), call, middle, end);
    call.contacts.tiles->give(&pooled);
  }
};

}  // namespace tandem::inline TANDEM_ISA
