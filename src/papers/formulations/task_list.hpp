// SPDX-License-Identifier: Apache-2.0
/// A formulation of inverse dynamics as a list of tasks that can be run one by one, anywhere, in any order that keeps
/// to what they read: on the threads of one process, with one list for all, or in several processes, each with a list
/// of its own, which send each other results.
///
///     TaskList list(model, Method::resne);
///     list.set_state(q, v, a, {});
///     for (int k : some_order) list.run(k);          the list's own order, 0 .. size - 1, is one
///     list.tau()
///
/// A task writes the numbers result(k) and reads those of the tasks named in task(k).reads, and the state. To have task
/// k's result from another process, receive into result(k) what that process has in its own. Tasks that do not wait for
/// each other may be run at the same time.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/counting.hpp"
#include "tandem/index.hpp"
#include "tandem/model/model.hpp"
#include "tandem/options.hpp"

namespace tandem {

/// What is known of a task before it is run.
struct FormulationTask {
  const char* quantity;    ///< "w": what it finds
  int i, j, k;             ///< of which links; -1 for those that it has not
  std::vector<int> reads;  ///< tasks whose results it needs, ascending
  Index row, rows;         ///< where its result lies in the list's memory, and how many numbers it has
  Operations operations;   ///< what it takes
  Operations printed;      ///< where e_z, skew and constant matrices are written out with their zeros, as [Pond] counts

  std::string name() const;  ///< "w(3)", "a(3, 1)"
};

class TaskList {
 public:
  /// Throws Error if the method is no formulation, or does not serve the model. With wrenches if there are forces on
  /// links.
  TaskList(const Model& model, Method method, const Options& options = {}, bool with_wrenches = false);

  TaskList(const TaskList&) = delete;
  TaskList& operator=(const TaskList&) = delete;

  int size() const { return static_cast<int>(tasks_.size()); }
  const FormulationTask& task(int k) const { return tasks_[static_cast<std::size_t>(k)]; }
  std::span<const FormulationTask> tasks() const { return tasks_; }

  /// Before tasks are run. q, v, a of the model's sizes, f_ext of n_links times six if there are wrenches, as
  /// everywhere.
  void set_state(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                 std::span<const double> f_ext = {});
  void run(int k) const { run_[static_cast<std::size_t>(k)](); }
  std::span<double> result(int k);
  /// What all tasks have found in the end.
  std::span<const double> tau() const;

 private:
  template <class Formulation>
  void take(const Formulation& formulation, const Options& options);

  Model model_;
  bool with_wrenches_;
  Index tau_row_ = 0, q_row_ = 0;  ///< of memory: results of tasks, tau, q, v, a, f_ext
  std::vector<double> memory_, constants_;
  std::vector<FormulationTask> tasks_;
  std::vector<std::function<void()>> run_;
  std::shared_ptr<const void> formulation_;  ///< whose tasks they are
};

}  // namespace tandem
