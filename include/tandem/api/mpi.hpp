// SPDX-License-Identifier: Apache-2.0
/// A chain distributed over the processes of an MPI communicator. Each process stores only the links of its part and
/// their rows of the state. Library tandem::mpi, available if the build found MPI; see docs/mpi.md.
///
///     mpi::Chain chain(MPI_COMM_WORLD, 10'000'000, [](Index i) { return link_of_my_rope(i); });
///     std::vector<double> q(chain.nq()), v(chain.nv()), tau(chain.nv()), a(chain.nv());   // this process's rows
///     chain.forward_dynamics(q, v, tau, {}, a);
///
/// The constructor and the functions are collective: all processes of the communicator call them, in the same order.
/// Results are bit-identical on any number of processes. If a process throws an exception, the others throw an Error
/// that names the process.
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

/// A link and the joint to its parent. Names, parent and child are assigned by the chain.
struct ChainLink {
  LinkDescription link;    ///< without a name
  JointDescription joint;  ///< without a name, parent and child
};

/// Options of a distributed chain.
struct ChainOptions {
  Index chunk = 256;                           ///< links per chunk; rounding of the results depends on it
  std::array<double, 3> gravity{0, 0, -9.81};  ///< base axes, m/s^2
};

/// A chain distributed over processes.
class Chain {
 public:
  /// A chain of `links` links on a base, as ModelBuilder builds it. `describe(i)` returns link i, 1 .. links; it is
  /// called only for the links of this process and their neighbours. Fixed and mimic joints are not supported.
  ///
  /// The chain is divided into chunks of options.chunk links; the first one, at the base, may be shorter. Every process
  /// has consecutive chunks, or none if there are fewer chunks than processes. The last link of each chunk needs a mass
  /// or inertia that is not tiny compared with those of its neighbours.
  Chain(MPI_Comm communicator, Index links, const std::function<ChainLink(Index)>& describe,
        const ChainOptions& options = {});
  Chain(Chain&&) noexcept;             ///< the other one is empty afterwards
  Chain& operator=(Chain&&) noexcept;  ///< the same
  ~Chain();                            ///< must precede MPI_Finalize

  Index links() const;       ///< number of links of this process: first_link() .. first_link() + links() - 1
  Index first_link() const;  ///< first link of this process, from 1
  Index nq() const;          ///< rows of q of this process
  Index nv() const;          ///< rows of v, a and tau of this process
  Index first_q() const;     ///< first of these rows of q in the whole chain
  Index first_v() const;     ///< first of these rows of v, a and tau in the whole chain

  /// Inverse dynamics by scans, [Yang] (2): tau [nv] from q [nq], v [nv], a [nv] and f_ext, the external wrenches on
  /// the links of this process: [links][6] N, N m, linear first, at the link's origin along the axes of its
  /// description, or empty. The order of rows is that of Model and inverse_dynamics.
  void inverse_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                        std::span<const double> f_ext, std::span<double> tau);
  /// Forward dynamics: a [nv] from q [nq], v [nv], tau [nv] and f_ext.
  void forward_dynamics(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                        std::span<const double> f_ext, std::span<double> a);
  /// Forward dynamics by conjugate gradients on a row of processes that communicate with their neighbours only, [Pond]
  /// chapter 3. Results are accurate to the tolerance of the iteration, and their last bits depend on the number of
  /// processes. Every body needs mass and a regular inertia. The report is that of the whole row; options.processors is
  /// not used.
  MacroparallelReport macroparallel(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                    std::span<const double> f_ext, std::span<double> a,
                                    const MacroparallelOptions& options = {});

 private:
  struct Part;
  std::unique_ptr<Part> part_;
};

/// Run a schedule on one process per processor, as tandem::run_schedule does with threads, with MPI messages.
/// Collective: all processes pass the same schedule, and further processes wait. The results and the times of all
/// processors, us from the common start, are the same on all processes; `serial` is measured on each process.
ScheduleRun run_schedule(MPI_Comm communicator, const Schedule& schedule, Method formulation, const Model& model,
                         std::span<const double> q, std::span<const double> v, std::span<const double> a,
                         int rounds = 1000);

/// Model of this machine with messages between processes 0 and 1. Collective, for two processes or more; the result is
/// the same on all processes.
MachineModel measured_machine(MPI_Comm communicator);

}  // namespace tandem::mpi
