// SPDX-License-Identifier: Apache-2.0
/// Macroparallel forward dynamics of a chain, [Pond] chapter 3: a row of processors, each with consecutive bodies,
/// which communicate with their two neighbours only. Processors are threads here, and processes in
/// mpi::Chain::macroparallel. The method conjugate_gradient solves the same equations and is faster; this class
/// reproduces the measurements of the thesis, see docs/papers/pond_macro.md.
///
///     Macroparallel row(robot, {.processors = 2});
///     const MacroparallelReport done = row.forward_dynamics(q, v, tau, {}, a);
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <memory>
#include <span>

#include "tandem/index.hpp"
#include "tandem/model/model.hpp"
#include "tandem/names.hpp"

namespace tandem {

/// Omitted part of the algorithm. The time saved is the cost of this part, [Pond] 3.4; accelerations are wrong.
enum class LeftOut : unsigned char {
  nothing,     ///< nothing is omitted
  velocities,  ///< the velocity recursion (3.9)
  sums         ///< the sums for alpha and beta over all bodies
};
template <>
struct NamesOf<LeftOut> {
  static constexpr const char* kind = "omitted part";
  static constexpr Named table[] = {{"nothing", "nothing is omitted"},
                                    {"velocities", "the velocity recursion (3.9)"},
                                    {"sums", "the sums for alpha and beta over all bodies"}};
};

/// Behaviour of a processor whose forces have converged before those of other processors, [Pond] 3.2. A stopped
/// processor continues with the next stage when all processors between it and the nearer end have converged.
enum class Freezing : unsigned char {
  none,    ///< it continues with the others: directions stay conjugate
  values,  ///< it stops, and neighbors continue with its last values, as printed; the iteration may diverge
  forces   ///< it stops with constant forces: its directions are zero for neighbors
};
template <>
struct NamesOf<Freezing> {
  static constexpr const char* kind = "kind of freezing";
  static constexpr Named table[] = {
      {"none", "it continues with the others: directions stay conjugate"},
      {"values", "it stops, and neighbors continue with its last values, as printed; the iteration may diverge"},
      {"forces", "it stops with constant forces: its directions are zero for neighbors"}};
};

/// Options of macroparallel forward dynamics.
struct MacroparallelOptions {
  /// Number of threads; 0: one per core, but at most one per body. Not used over processes.
  int processors = 0;
  double tolerance = 0;  ///< tolerance of the iteration; 0: 1e-12
  /// Limit of iterations; 0: min(4 m n + 100, 10000), as for conjugate_gradient.
  Index max_iterations = 0;
  Index fixed_iterations = 0;           ///< above 0: number of iterations, the tolerance is not used
  bool from_last = false;               ///< start from the forces of the last call, [Pond] p. 75; threads only
  Freezing freezing = Freezing::none;   ///< behaviour of processors that have converged
  LeftOut left_out = LeftOut::nothing;  ///< omitted part
};

/// Statistics of a call.
struct MacroparallelReport {
  Index iterations = 0;   ///< steps of J-PPCG(2)
  bool converged = true;  ///< false if the limit of iterations was reached
  double seconds = 0;     ///< time from the common start to the end of the last processor, s
  /// Time in stages I to V of [Pond] Table 3.2, including waiting, mean over the processors, s.
  std::array<double, 5> stage{};
  double messages = 0;      ///< messages sent per processor, mean
  Index stopped_early = 0;  ///< processors that stopped before the last one converged, see Freezing
};

/// A row of threads, each with consecutive bodies of a chain. Threads are started once and sleep between calls.
class Macroparallel {
 public:
  /// Throws Error for a robot that conjugate_gradient does not support, and for more processors than bodies.
  explicit Macroparallel(const Model& model, const MacroparallelOptions& options = {});
  Macroparallel(Macroparallel&&) noexcept;             ///< the other one is empty afterwards
  Macroparallel& operator=(Macroparallel&&) noexcept;  ///< the same
  ~Macroparallel();

  int processors() const;  ///< number of processors

  /// Accelerations a [nv] from q [nq], v [nv], tau [nv] and f_ext [n_links][6] (or empty), as forward_dynamics. Not
  /// thread-safe.
  MacroparallelReport forward_dynamics(std::span<const double> q, std::span<const double> v,
                                       std::span<const double> tau, std::span<const double> f_ext, std::span<double> a);
  /// Change the options except the number of processors.
  void set_options(const MacroparallelOptions& options);

 private:
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace tandem
