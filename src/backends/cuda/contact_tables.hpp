// SPDX-License-Identifier: Apache-2.0
/// What threads read of a contact problem, in arrays.
#pragma once
#include <algorithm>
#include <vector>

#include "backends/cuda/contact.hpp"
#include "backends/cuda/plan.hpp"

namespace tandem::cuda {

/// Numbers in T, and room for contacts: what the problem says, else for all slots if these take less than 8 kB, else
/// for 48 contacts, and for 24 columns of contacts between two links. A column may couple eight pairs of links, and a
/// direction of a loop joint as many.
template <class T>
class ContactTables {
 public:
  ContactTables(const ContactProblem& problem, const ModelView<T>& m)
      : no_friction_(static_cast<std::size_t>(m.nv * warp)) {
    for (const LinkShape& of : problem.shapes) shapes_.push_back(shape(of));
    for (const LinkPair& of : problem.pairs) pairs_.push_back(pair(problem, of));
    call_.how = problem.how;
    call_.joints = problem.joints;
    call_.n_slots = problem.n_slots;
    set_room(problem, m);
  }

  const std::vector<ThreadShape<T>>& shapes() const { return shapes_; }
  const std::vector<ThreadPair<T>>& pairs() const { return pairs_; }
  const std::vector<T>& no_friction() const { return no_friction_; }
  /// With the arrays here.
  DeviceContacts<T> call(const ContactCall<T>& given) const {
    DeviceContacts<T> c = call_;
    c.shapes = shapes_.data();
    c.pairs = pairs_.data();
    c.n_shapes = static_cast<int>(shapes_.size());
    c.n_pairs = static_cast<int>(pairs_.size());
    c.no_friction = no_friction_.data();
    c.damps_after = given.damps_after;
    c.has_stages = given.has_stages;
    c.accounts = given.accounts;
    c.h = given.h;
    c.stage = given.stage;
    c.forces = given.forces;
    c.tally = given.tally;
    return c;
  }

 private:
  static ThreadShape<T> shape(const LinkShape& of) {
    const auto t = [](double x) { return static_cast<T>(x); };
    const double* const R = of.R;
    return {of.type,
            of.link,
            {{{t(R[0]), t(R[1]), t(R[2])}, {t(R[3]), t(R[4]), t(R[5])}, {t(R[6]), t(R[7]), t(R[8])}},
             {t(of.p[0]), t(of.p[1]), t(of.p[2])}},
            {t(of.size[0]), t(of.size[1]), t(of.size[2])},
            of.n_vertices,
            of.vertices};
  }
  static ThreadPair<T> pair(const ContactProblem& problem, const LinkPair& of) {
    const LinkShape &one = problem.shapes[static_cast<std::size_t>(of.shape_1)],
                    &two = problem.shapes[static_cast<std::size_t>(of.shape_2)];
    const bool with_plane = one.type == ShapeType::plane;
    const double reach = with_plane ? two.radius + of.kind.margin : one.radius + two.radius + of.kind.margin;
    return {of, static_cast<T>(with_plane ? reach : reach * reach), with_plane, !with_plane && !(0 < reach)};
  }
  static int couplings(const ContactProblem& problem, const ModelView<T>& m, int columns) {
    const Index n = m.n_links - 1, all = n * (n - 1) / 2, rows = Index{columns} + problem.joints.loops.n_held;
    return static_cast<int>(std::min(all, 8 * rows));
  }
  void set_room(const ContactProblem& problem, const ModelView<T>& m) {
    using Contacts = ThreadContacts<T, T>;
    constexpr int most_contacts = 48, most_columns = 24;
    const auto rows = [&](ContactRoom room) {
      DeviceContacts<T> c = call_;
      c.room = room;
      return Contacts::own_rows(c, m) + Contacts::work_rows(c, m);
    };
    const auto choose = [&](int all, int given, int usual, ContactRoom of_all) {
      if (given > 0) return std::min(all, given);
      const Index bytes = (rows(of_all) - rows({})) * static_cast<Index>(sizeof(T));
      return bytes < 8192 ? all : std::min(all, usual);
    };
    int columns = 0;
    for (const LinkPair& of : problem.pairs) columns += of.slots * columns_of(of.kind);
    call_.room.contacts = choose(problem.n_slots, problem.most_contacts, most_contacts, {problem.n_slots, 0});
    const ContactRoom all = {0, columns, couplings(problem, m, columns)};
    call_.room.columns = choose(columns, problem.most_columns, most_columns, all);
    call_.room.couplings = couplings(problem, m, call_.room.columns);
  }

  std::vector<ThreadShape<T>> shapes_;
  std::vector<ThreadPair<T>> pairs_;
  std::vector<T> no_friction_;  ///< [nv][warp] zeros
  DeviceContacts<T> call_;
};

}  // namespace tandem::cuda
