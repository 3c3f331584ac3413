// SPDX-License-Identifier: Apache-2.0
/// What MPI_Exscan carries. MPI may combine the contributions of processes in any order of association, and rounding would
/// show which. So elements are the runs of the tree of joins that lie in a part of the row and in no larger run of that part;
/// where two parts meet, runs that the tree joins are joined, and no others. A run is joined from the same two runs wherever
/// that happens: the operation is associative to the last bit.
#pragma once
#include <mpi.h>

#include <cstring>
#include <type_traits>
#include <vector>

#include "tandem/detail/engines/runs.hpp"

namespace tandem::mpi {

/// Elements first .. end - 1 of the row, joined.
template <class Element>
struct Piece {
  Index first, end;
  Element element;
};

/// The largest runs of the tree over n elements that lie within a part, in their order.
template <class Op>
class Packet {
 public:
  using Element = typename Op::Element;
  static_assert(std::is_trivially_copyable_v<Element>);
  /// Runs of which there can be no more than two on each level.
  static constexpr std::size_t capacity = 64;

  explicit Packet(Index n = 0) : bytes_(size, std::byte{0}) { header() = {n, 0}; }

  Index n() const { return header().n; }
  std::size_t count() const { return static_cast<std::size_t>(header().count); }
  const Piece<Element>& operator[](std::size_t k) const { return pieces(bytes_.data())[k]; }

  void add(const Piece<Element>& piece) { append(bytes_.data(), piece); }

  /// What lies before this process's part, or with the reversed communicator behind it.
  Packet exscan(MPI_Comm comm) const {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    Packet result(n());
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(&combine, 0, &op);
    MPI_Exscan(bytes_.data(), result.bytes_.data(), 1, type, op, comm);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    if (rank == 0) result = Packet(n());
    return result;
  }

 private:
  struct alignas(16) Header {
    Index n, count;
  };
  static constexpr std::size_t size = sizeof(Header) + capacity * sizeof(Piece<Element>);

  static Header& header(void* bytes) { return *static_cast<Header*>(bytes); }
  static Piece<Element>* pieces(void* bytes) {
    return reinterpret_cast<Piece<Element>*>(static_cast<std::byte*>(bytes) + sizeof(Header));
  }
  static const Piece<Element>* pieces(const void* bytes) { return pieces(const_cast<void*>(bytes)); }
  Header& header() { return header(bytes_.data()); }
  const Header& header() const { return *reinterpret_cast<const Header*>(bytes_.data()); }

  /// Puts a piece behind the others, and joins for as long as the last two are the two parts of one run.
  static void append(void* bytes, Piece<Element> piece) {
    Header& head = header(bytes);
    Piece<Element>* const list = pieces(bytes);
    while (head.count > 0) {
      const Piece<Element>& left = list[head.count - 1];
      const Index h = left.end - left.first, both = left.first + 2 * h < head.n ? left.first + 2 * h : head.n;
      if (left.first % (2 * h) != 0 || piece.end != both) break;
      Piece<Element> whole = {left.first, piece.end, {}};
      typename Op::Kept kept;
      Op{}.join(left.element, piece.element, piece.end == head.n, kept, whole.element);
      piece = whole;
      --head.count;
    }
    list[head.count++] = piece;
  }

  /// inout = in and inout: those nearer to the base first, whichever they are.
  static void combine(void* in, void* inout, int* length, MPI_Datatype*) noexcept {
    for (int k = 0; k < *length; ++k) {
      void* theirs = static_cast<std::byte*>(in) + size * static_cast<std::size_t>(k);
      void* ours = static_cast<std::byte*>(inout) + size * static_cast<std::size_t>(k);
      Packet left(header(theirs).n), right = left;
      std::memcpy(left.bytes_.data(), theirs, size);
      std::memcpy(right.bytes_.data(), ours, size);
      if (left.count() > 0 && right.count() > 0 && right[0].first < left[0].first) std::swap(left, right);
      for (std::size_t i = 0; i < right.count(); ++i) left.add(right[i]);
      std::memcpy(ours, left.bytes_.data(), size);
    }
  }

  std::vector<std::byte> bytes_;
};

}  // namespace tandem::mpi
