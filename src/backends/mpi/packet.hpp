// SPDX-License-Identifier: Apache-2.0
/// What MPI_Exscan carries. MPI may combine the contributions of processes in any order of association, and rounding
/// would show which. So elements are the runs of the tree of joins that lie in a part of the row and in no larger run
/// of that part; where two parts meet, runs that the tree joins are joined, and no others. A run is joined from the
/// same two runs wherever that happens: the operation is associative to the last bit.
#pragma once
#include <mpi.h>

#include <type_traits>

#include "tandem/detail/executors/runs.hpp"

namespace tandem::mpi {

/// Elements first .. end - 1 of the row, joined.
template <class Element>
struct Piece {
  Index first, end;
  Element element;
};

/// The largest runs of the tree over n elements that lie within a part, in their order.
template <class Op>
struct Packet {
  using Element = typename Op::Element;
  static_assert(std::is_trivially_copyable_v<Element>);
  /// Runs of which there can be no more than two on each level.
  static constexpr std::size_t capacity = 64;

  Index n;
  std::size_t count = 0;
  Piece<Element> pieces[capacity];

  explicit Packet(Index elements) : n(elements) {}

  /// Puts a piece behind the others, and joins for as long as the last two are the two parts of one run.
  void add(Piece<Element> piece) {
    for (; count > 0; --count) {
      const Piece<Element>& left = pieces[count - 1];
      const Index h = left.end - left.first, both = left.first + 2 * h < n ? left.first + 2 * h : n;
      if (left.first % (2 * h) != 0 || piece.end != both) break;
      Piece<Element> whole = {left.first, piece.end, {}};
      typename Op::Kept kept;
      Op{}.join(left.element, piece.element, piece.end == n, kept, whole.element);
      piece = whole;
    }
    pieces[count++] = piece;
  }

  /// What lies before this process's part, or with the reversed communicator behind it.
  Packet exscan(MPI_Comm comm) const {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    Packet result(n);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Type_contiguous(static_cast<int>(sizeof(Packet)), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(&combine, 0, &op);
    MPI_Exscan(this, &result, 1, type, op, comm);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    return rank == 0 ? Packet(n) : result;
  }

 private:
  /// inout = in and inout: those nearer to the base first, whichever they are.
  static void combine(void* in, void* inout, int* length, MPI_Datatype*) noexcept {
    for (int k = 0; k < *length; ++k) {
      const Packet theirs = static_cast<const Packet*>(in)[k], ours = static_cast<const Packet*>(inout)[k];
      const bool ours_first = theirs.count > 0 && ours.count > 0 && ours.pieces[0].first < theirs.pieces[0].first;
      Packet& both = static_cast<Packet*>(inout)[k];
      both = ours_first ? ours : theirs;
      const Packet& behind = ours_first ? theirs : ours;
      for (std::size_t i = 0; i < behind.count; ++i) both.add(behind.pieces[i]);
    }
  }
};

}  // namespace tandem::mpi
