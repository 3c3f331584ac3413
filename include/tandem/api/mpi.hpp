// SPDX-License-Identifier: Apache-2.0
/// One chain over the processes of a communicator, each of which holds its own part and nothing else: its links'
/// numbers and its rows of the state. Library tandem::mpi, where the build found MPI; docs/mpi.md.
///
///     mpi::Chain chain(MPI_COMM_WORLD, 10'000'000, [](Index i) { return link_of_my_rope(i); });
///     std::vector<double> q(chain.nq()), v(chain.nv()), tau(chain.nv()), a(chain.nv());   // this process's rows
///     chain.forward_dynamics(q, v, tau, {}, a);
///
/// The constructor and both functions are collective: all processes of the communicator call them, in the same order.
/// The results have the same bits on any number of processes. If one process throws, all do: that one what it threw,
/// the others an Error that names it.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <mpi.h>

#include <functional>
#include <memory>
#include <span>

#include "tandem/api/macroparallel.hpp"
#include "tandem/api/schedule.hpp"
#include "tandem/index.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::mpi {

/// A link and the joint that carries it. The chain gives them names, and each joint its parent and child.
struct ChainLink {
  LinkDescription link;    ///< without a name
  JointDescription joint;  ///< without a name, parent and child
};

/// How a chain is divided, and what pulls at it.
struct ChainOptions {
  Index chunk = 256;                           ///< links that stay together; the bits of results depend on it
  std::array<double, 3> gravity{0, 0, -9.81};  ///< base axes, m/s^2
};

/// A chain, of which every process holds its part.
class Chain {
 public:
  /// A chain of `links` links on a base, as ModelBuilder would build it. `describe(i)` gives link i, 1 .. links, and is
  /// called for this process's links and their neighbours only. Joints of any type but fixed ones and mimics.
  ///
  /// The links are cut into chunks of options.chunk, the first one next to the base shorter, and every process has a
  /// run of chunks; a process that there is no chunk for has none. The last link of each chunk needs a mass or inertia
  /// of its own to carry its joint, and not one that is tiny among its neighbours'.
  Chain(MPI_Comm communicator, Index links, const std::function<ChainLink(Index)>& describe,
        const ChainOptions& options = {});
  Chain(Chain&&) noexcept;             ///< the other one is empty then
  Chain& operator=(Chain&&) noexcept;  ///< the same
  ~Chain();                            ///< before MPI_Finalize

  Index links() const;       ///< of this process: first_link() .. first_link() + links() - 1
  Index first_link() const;  ///< from 1
  Index nq() const;          ///< this process's rows of q
  Index nv() const;          ///< and of v, a and tau
  Index first_q() const;     ///< which of the whole chain's rows of q is the first one here
  Index first_v() const;     ///< and of v, a and tau

  /// tau [nv] from q [nq], v [nv], a [nv] and f_ext, the external wrenches on the links here: [links][6], linear first,
  /// described link axes, or empty. Rows as those of Model and inverse_dynamics. By scans, [Yang] (2).
  void inverse_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                        std::span<const double> f_ext, std::span<double> tau);
  /// a [nv] from q [nq], v [nv], tau [nv] and f_ext.
  void forward_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                        std::span<const double> f_ext, std::span<double> a);
  /// The same by conjugate gradients, every process being one of a row of processors that talk to their neighbours
  /// only: [Pond], chapter 3. To the tolerance of the iteration, so that the last bits depend on the number of
  /// processes. Every body needs mass and a regular inertia. The report is of the whole row; options.processors counts
  /// for nothing.
  MacroparallelReport macroparallel(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                    std::span<const double> f_ext, std::span<double> a,
                                    const MacroparallelOptions& options = {});

 private:
  struct Part;
  std::unique_ptr<Part> part_;
};

/// Carries out a schedule, of which every process has the same, on a process for each processor: what
/// tandem::run_schedule does with threads, with messages of MPI. Collective; further processes wait. The same results
/// everywhere, and for each processor the us from where all had begun; `serial` is this process's own.
ScheduleRun run_schedule(MPI_Comm communicator, const Schedule& schedule, Method formulation, const Model& model,
                         std::span<const double> q, std::span<const double> v, std::span<const double> a,
                         int rounds = 1000);

/// This machine with messages between processes 0 and 1, the same everywhere. Collective, of two processes at least.
MachineModel measured_machine(MPI_Comm communicator);

}  // namespace tandem::mpi
