// SPDX-License-Identifier: Apache-2.0
/// One chain on a row of processors, each with a run of bodies, that communicate with their two neighbors
/// only: the macroparallel algorithm of [Pond], chapter 3, as it ran on transputers. Here the processors are threads;
/// over processes it is mpi::Chain::macroparallel. The method conjugate_gradient is the same mathematics and faster;
/// this class is for measurements of such a row, docs/papers/pond_macro.md.
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

/// A part of the work that is left out, to see what it costs by what is then missing: so [Pond] 3.4 timed it.
/// Accelerations are then wrong.
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

/// What a processor does whose forces have converged while others' have not, [Pond] 3.2. One that stops goes on to the
/// next stage as soon as all between it and the nearer end have.
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

/// How a chain is solved on a row of processors.
struct MacroparallelOptions {
  int processors =
      0;  ///< threads; 0: as many as there are cores, and bodies. Of processes there are as many as there are
  double tolerance = 0;        ///< of the iteration; 0: 1e-12
  Index max_iterations = 0;    ///< after which it ends short of that; 0: min(4 m n + 100, 10000), as conjugate_gradient
  Index fixed_iterations = 0;  ///< above 0: so many, whatever the tolerance
  bool from_last = false;  ///< begin at the forces of the last call, [Pond] p. 75, not at zero; over threads alone
  Freezing freezing = Freezing::none;   ///< of processors that have converged
  LeftOut left_out = LeftOut::nothing;  ///< to time it
};

/// What a row of processors took.
struct MacroparallelReport {
  Index iterations = 0;   ///< steps of J-PPCG(2)
  bool converged = true;  ///< false if they ended at their limit
  double seconds = 0;     ///< from when all began to when the last was done
  std::array<double, 5>
      stage{};              ///< s in stages I to V of [Pond] Table 3.2, waiting included: mean over the processors
  double messages = 0;      ///< that a processor sent: mean
  Index stopped_early = 0;  ///< processors that went on before the last had converged: where they freeze
};

/// Threads in a row, each with a run of bodies of a chain. They are started once and sleep between calls.
class Macroparallel {
 public:
  /// Throws Error for a robot that conjugate_gradient does not serve, and for more processors than bodies.
  explicit Macroparallel(const Model& model, const MacroparallelOptions& options = {});
  Macroparallel(Macroparallel&&) noexcept;             ///< the other one is empty then
  Macroparallel& operator=(Macroparallel&&) noexcept;  ///< the same
  ~Macroparallel();

  int processors() const;  ///< how many there are

  /// a [nv] from q [nq], v [nv], tau [nv] and f_ext [n_links][6] (or empty), as forward_dynamics has them. Not to be
  /// called by two threads at a time.
  MacroparallelReport forward_dynamics(std::span<const double> q, std::span<const double> v,
                                       std::span<const double> tau, std::span<const double> f_ext, std::span<double> a);
  /// The same with other options; the number of processors stays.
  void set_options(const MacroparallelOptions& options);

 private:
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace tandem
