// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mpi.h>

#include <exception>
#include <string>
#include <utility>

#include "tandem/error.hpp"

namespace tandem::mpi {

/// A communicator of our own.
class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(MPI_Comm owned) : comm_(owned) {}
  Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  ~Communicator() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }

  static Communicator copy_of(MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    return Communicator(copy);
  }
  /// The processes that take part, by their keys; nothing for the others.
  Communicator split(bool takes_part, int key) const {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(comm_, takes_part ? 0 : MPI_UNDEFINED, key, &part);
    return Communicator(part);
  }

  MPI_Comm get() const { return comm_; }
  int rank() const {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    return rank;
  }
  int size() const {
    int size = 0;
    MPI_Comm_size(comm_, &size);
    return size;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Calls f, which does not communicate, on all processes. If it throws on one, all throw, so that none is left waiting
/// in what comes next.
template <class F>
void on_all(const Communicator& comm, F&& f) {
  std::exception_ptr thrown;
  std::string message;
  try {
    f();
  } catch (const std::exception& e) {
    thrown = std::current_exception();
    message = e.what();
  } catch (...) {
    thrown = std::current_exception();
    message = "an unknown exception";
  }
  const int none = comm.size();
  int mine = thrown ? comm.rank() : none, first = none;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm.get());
  if (first == none) return;
  int length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, first, comm.get());
  std::string theirs = std::move(message);
  theirs.resize(static_cast<std::size_t>(length));
  MPI_Bcast(theirs.data(), length, MPI_CHAR, first, comm.get());
  if (thrown) std::rethrow_exception(thrown);
  throw Error("process " + std::to_string(first) + " of " + std::to_string(none) + ": " + theirs);
}

}  // namespace tandem::mpi
