// SPDX-License-Identifier: Apache-2.0
/// The methods that divide one chain, on an executor of processes.
#include <limits>
#include <vector>

#include "part.hpp"
#include "tandem/detail/scan/link_coordinates.hpp"
#include "tandem/detail/scan/scan_articulated_body.hpp"

namespace tandem::mpi {

namespace {

/// Rows of the links here, by the index that a link has in the part's model: link 0 is the link before.
struct LinkForces {
  const double* rows = nullptr;
  explicit operator bool() const { return rows != nullptr; }
  double operator[](Index row) const { return rows[row - 6]; }
};
LinkForces forces_on(std::span<const double> f_ext) { return {f_ext.empty() ? nullptr : f_ext.data()}; }

}  // namespace

Chain::Chain(MPI_Comm communicator, Index links, const std::function<ChainLink(Index)>& describe,
             const ChainOptions& options)
    : part_(std::make_unique<Part>()) {
  Part& part = *part_;
  part.all = Communicator::copy_of(communicator);
  on_all(part.all, [&] {
    if (links < 1) throw Error(sentence("links is ", links, ", expected 1 or more"));
    if (options.chunk < 1) throw Error(sentence("chunk is ", options.chunk, ", expected 1 or more"));
    part.chunk = options.chunk;
    part.chunks = chunks_of(links, options.chunk);
    part.first_length = links - (part.chunks - 1) * options.chunk;
    const Index rank = part.all.rank(), ranks = part.all.size();
    part.begin = part.chunks * rank / ranks;
    part.end = part.chunks * (rank + 1) / ranks;
    if (part.here() > 0)
      part.model = PartModel(part.start(part.begin) + 1, part.start(part.end) + 1, links, describe, options.gravity);
  });
  const bool takes_part = part.here() > 0;
  part.outward = part.all.split(takes_part, part.all.rank());
  part.inward = part.all.split(takes_part, -part.all.rank());
  const long long rows[2] = {part.model.view().nq, part.model.view().nv};
  long long before[2] = {0, 0};
  MPI_Exscan(rows, before, 2, MPI_LONG_LONG, MPI_SUM, part.all.get());
  if (part.all.rank() > 0) {
    part.first_q = static_cast<Index>(before[0]);
    part.first_v = static_cast<Index>(before[1]);
  }
}
Chain::Chain(Chain&&) noexcept = default;
Chain& Chain::operator=(Chain&&) noexcept = default;
Chain::~Chain() = default;

Index Chain::links() const { return part_->here() > 0 ? part_->start(part_->end) - part_->start(part_->begin) : 0; }
Index Chain::first_link() const { return part_->start(part_->begin) + 1; }
Index Chain::nq() const { return part_->model.view().nq; }
Index Chain::nv() const { return part_->model.view().nv; }
Index Chain::first_q() const { return part_->first_q; }
Index Chain::first_v() const { return part_->first_v; }

void Chain::inverse_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                             std::span<const double> f_ext, std::span<double> tau) {
  Part& part = *part_;
  const ModelView<double>& m = part.model.view();
  using Memory = LinkCoordinates::Memory<double>;
  double* w = nullptr;
  ScanPlan plan;
  const auto memory = [&](Arena arena) {
    Memory of(arena, plan.n_chunks, plan.n_slots, plan.group_row[plan.n_groups]);
    return std::pair(of, arena.rows<double>());
  };
  on_all(part.all, [&] {
    check_size("q", q.size(), nq());
    check_size("v", v.size(), nv());
    check_size("a", a.size(), nv());
    check_forces(f_ext.size(), links());
    check_size("tau", tau.size(), nv());
    if (part.here() == 0) return;
    plan = part.plan(LinkCoordinates::rows_of_chunk);
    w = part.memory(memory({}).second);
  });
  if (part.here() == 0) return;
  const InverseCall<double, double, const double*, const double*, const double*, LinkForces, double*, Memory> call = {
      m, plan, q.data(), v.data(), a.data(), forces_on(f_ext), tau.data(), memory(w).first};
  LinkCoordinates::body<true>(OneByOne<>(), part.executor(), call);
}

/// One path over the chunks here, each a group of its own.
ScanPlan Chain::Part::plan(Index (*rows_of_chunk)(int dof, int steps)) {
  using Int = ScanPlan::Int;
  const ModelView<double>& m = model.view();
  ScanPlan p;
  const auto lay_out = [&](Arena arena) {
    arena.take(2, p.path_link, p.path_chunk, p.level_path, p.level_group);
    arena.take(here() + 1, p.chunk, p.chunk_kind, p.group_chunk, p.group_kind, p.group_steps, p.group_dof, p.group_ends,
               p.group_row);
    return arena.rows<std::int64_t>();
  };
  plan_memory.assign(static_cast<std::size_t>(lay_out({})), 0);
  lay_out(plan_memory.data());
  p.n = m.n_links - 1;
  p.n_chunks = p.n_groups = static_cast<Int>(here());
  p.n_paths = p.n_levels = 1;
  p.path_chunk[1] = p.level_group[1] = p.n_chunks;
  p.level_path[1] = 1;
  for (Int c = 0; c <= p.n_chunks; ++c) {
    p.chunk[c] = static_cast<Int>(start(begin + c) - start(begin));
    p.group_chunk[c] = c;
  }
  for (Int c = 0; c < p.n_chunks; ++c) {
    p.chunk_kind[c] = p.group_kind[c] = static_cast<Int>(ScanKind::any);
    p.group_steps[c] = p.chunk[c + 1] - p.chunk[c];
    p.group_dof[c] = 1;
    for (Int k = p.chunk[c] + 1; k <= p.chunk[c + 1]; ++k)
      p.group_dof[c] = std::max<Int>(p.group_dof[c], joint_nv(m.type[k]));
    p.group_ends[c] = begin + c + 1 == chunks;
    p.group_row[c + 1] = p.group_row[c] + (rows_of_chunk(p.group_dof[c], p.group_steps[c]) + 15) / 16 * 16;
  }
  return p;
}

void Chain::forward_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                             std::span<const double> f_ext, std::span<double> a) {
  Part& part = *part_;
  double* w = nullptr;
  ScanPlan plan;
  on_all(part.all, [&] {
    check_size("q", q.size(), nq());
    check_size("v", v.size(), nv());
    check_size("tau", tau.size(), nv());
    check_forces(f_ext.size(), links());
    check_size("a", a.size(), nv());
    if (part.here() == 0) return;
    plan = part.plan(ScanArticulatedBody::rows_of_chunk);
    w = part.memory(ScanArticulatedBody::rows<double>(plan));
  });
  if (part.here() == 0) return;
  const double* none = nullptr;
  ScanArticulatedBody::run<double>(OneByOne<>(), part.executor(), plan, part.model.view(), q.data(), v.data(),
                                   tau.data(), forces_on(f_ext), none, a.data(), Arena(w));
}

}  // namespace tandem::mpi
