// SPDX-License-Identifier: Apache-2.0
#include "task_list.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "tandem/api/task_graph.hpp"
#include "tandem/detail/papers/formulations/all.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// Whose results a task reads while it is run.
struct Listener {
  std::vector<int> owner;  ///< the task that writes a row, or -1
  std::vector<int> heard;
  bool listens = false;
};
/// A column that tells which rows are looked at.
struct ListeningColumn {
  Counting* data;
  Listener* listener;
  Index first;
  Counting& operator[](Index row) const {
    if (listener->listens) listener->heard.push_back(listener->owner[static_cast<std::size_t>(first + row)]);
    return data[first + row];
  }
  ListeningColumn operator+(Index rows) const { return {data, listener, first + rows}; }
};

/// What a formulation reads: its columns in one memory, behind the results of its tasks.
struct StateRows {
  Index tau, q, v, a, f_ext, end;
  explicit StateRows(const ModelView<double>& m, Index task_rows)
      : tau(task_rows), q(tau + m.nv), v(q + m.nq), a(v + m.nv), f_ext(a + m.nv), end(f_ext + Index{6} * m.n_links) {}
};

/// Counts operations and collects what tasks read, by running them.
template <class F, class Notation>
std::vector<FormulationTask> traced(const F& formulation, const ModelView<double>& m, const double* constants,
                                    std::span<const double> memory, bool with_wrenches) {
  const StateRows rows(m, formulation.task_rows(m));
  std::vector<Counting> numbers(memory.begin(), memory.end());
  Listener listener;
  listener.owner.assign(numbers.size(), -1);
  const Counting* const x = numbers.data();
  const ListeningColumn work = {numbers.data(), &listener, 0};
  std::vector<FormulationTask> tasks;
  const auto on = [&](const auto& place, const auto& find) {
    listener.heard.clear();
    listener.listens = true;
    Counting::count = {};
    const auto found = find();
    const Operations count = Counting::count;
    listener.listens = false;
    place.put(found);
    std::vector<int> reads = listener.heard;
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    if (!reads.empty() && reads.front() < 0)
      throw Error(sentence("task ", tasks.size(), " reads a value that no earlier task writes"));
    const Index first = place.column.first + place.row;
    std::fill_n(listener.owner.begin() + first, place.rows, static_cast<int>(tasks.size()));
    tasks.push_back({place.name, place.i, place.j, place.k, std::move(reads), first, place.rows, count, count});
  };
  formulation.template tasks_of<Counting, Notation>(m, constants, x + rows.q, x + rows.v, x + rows.a,
                                                    with_wrenches ? x + rows.f_ext : nullptr, work + rows.tau, work,
                                                    [&](const auto& all) { all.tasks(on); });
  return tasks;
}

}  // namespace

std::string FormulationTask::name() const {
  if (k >= 0) return sentence(quantity, "(", i, ", ", j, ", ", k, ")");
  if (j >= 0) return sentence(quantity, "(", i, ", ", j, ")");
  return sentence(quantity, "(", i, ")");
}

template <class F>
void TaskList::take(const F& formulation, const Options& options) {
  const auto& m = model_.view<double>();
  if (const char* reason = F::refuses(m, options))
    throw Error(sentence("formulation ", to_string(F::method), " does not support ", model_.name(), ": ", reason));
  const StateRows rows(m, formulation.task_rows(m));
  tau_row_ = rows.tau;
  q_row_ = rows.q;
  memory_.assign(static_cast<std::size_t>(rows.end), 0);
  constants_.resize(static_cast<std::size_t>(F::constant_rows(m)));
  find_link_constants<double>(m, constants_.data());
  tasks_ = traced<F, Reduced>(formulation, m, constants_.data(), memory_, with_wrenches_);
  const auto printed = traced<F, Printed>(formulation, m, constants_.data(), memory_, with_wrenches_);
  for (std::size_t k = 0; k < tasks_.size(); ++k) tasks_[k].printed = printed[k].operations;

  double* const w = memory_.data();
  const double* const x = w;
  formulation.template tasks_of<double, Reduced>(
      m, static_cast<const double*>(constants_.data()), x + rows.q, x + rows.v, x + rows.a,
      with_wrenches_ ? x + rows.f_ext : nullptr, w + rows.tau, w, [&]<class All>(const All& all) {
        const auto kept = std::make_shared<const All>(all);
        formulation_ = kept;
        kept->tasks([&](const auto& place, const auto& find) { run_.push_back([place, find] { place.put(find()); }); });
      });
}

TaskList::TaskList(const Model& model, Method method, const Options& options, bool with_wrenches)
    : model_(model), with_wrenches_(with_wrenches) {
  const auto taken = [&]<class... F>(TypeList<F...>) {
    return ((F::method == method && (take(with_options<F>(options), options), true)) || ...);
  }(Formulations{});
  if (!taken) formulation_from_name(to_string(method));  // throws
}

void TaskList::set_state(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                         std::span<const double> f_ext) {
  const auto& m = model_.view<double>();
  Index row = q_row_;
  const auto put = [&](const char* name, std::span<const double> from, Index rows, bool given) {
    if (static_cast<Index>(from.size()) != (given ? rows : 0))
      throw Error(sentence("tasks of ", model_.name(), ": ", name, " has ", from.size(), " numbers, expected ",
                           given ? rows : 0));
    std::copy(from.begin(), from.end(), memory_.begin() + row);
    row += rows;
  };
  put("q", q, m.nq, true);
  put("v", v, m.nv, true);
  put("a", a, m.nv, true);
  put("f_ext", f_ext, Index{6} * m.n_links, with_wrenches_);
}

std::span<double> TaskList::result(int k) {
  const FormulationTask& t = task(k);
  return std::span(memory_).subspan(static_cast<std::size_t>(t.row), static_cast<std::size_t>(t.rows));
}

std::span<const double> TaskList::tau() const {
  return std::span(memory_).subspan(static_cast<std::size_t>(tau_row_), static_cast<std::size_t>(model_.nv()));
}

}  // namespace tandem
