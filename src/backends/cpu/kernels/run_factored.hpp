// SPDX-License-Identifier: Apache-2.0
/// The driver of algorithms that solve with what one configuration alone decides: where a batch has one configuration
/// for all its states (stride 0), that is found once for all the states that a thread takes in turn.
#pragma once
#include "run.hpp"

namespace tandem::inline TANDEM_ISA {

/// The second half of an algorithm, in its shape: the first half lies in the work already.
template <class A>
struct SecondHalf {
  static constexpr auto& arguments = A::arguments;
  static constexpr bool inverts_mass_matrix = tandem::inverts_mass_matrix<A>;

  template <class S, class M, class Q, class X, class Y, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q, X x, Y y, Work w) {
    A::template solve<S>(m, x, y, w);
  }
};

/// A, in two halves where it has them and that pays, with the same bits.
template <class A, class T>
struct FactoredDriver : Driver<A, T> {
  using Whole = Driver<A, T>;
  static_assert(Whole::lanes == 1, "what is found once is found for plain numbers");

  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    const Array<T>& q = call.arguments[0];
    const bool same_q = q.data && q.stride == 0 && end - begin > 1;
    if (!same_q || call.parameters || !A::has_halves(call.model)) return Whole::run(call, begin, end, scratch);
    run_factored(call, begin, end, scratch);
  }

 private:
  /// The whole for a vector of zeros leaves the factors where run_tiles has its work, behind the rows of the arguments.
  static void run_factored(const Call<T>& call, Index begin, Index end, T* scratch) {
    const auto& m = call.model;
    const Array<T>& q = call.arguments[0];
    T* columns[std::size(A::arguments)];
    T* next = scratch;
    for (std::size_t k = 0; k < std::size(A::arguments); ++k) {
      const Index rows = shape(A::arguments[k].rows, m).count();
      columns[k] = next;
      for (Index row = 0; row < rows; ++row) next[row] = k == 0 ? q.data[row * q.row_stride] : T(0);
      next += rows;
    }
    const A whole{};
    Steps ignored;
    call_body<T, A>(&whole, m, columns, next, &ignored);
    const SecondHalf<A> half{};
    run_tiles(call, tile_body<T>(half), begin, end, scratch);
  }
};

/// The driver that serves an algorithm.
template <class A, class T>
using ProblemDriver =
    std::conditional_t<requires(const ModelView<T>& m) { A::has_halves(m); }, FactoredDriver<A, T>, Driver<A, T>>;

}  // namespace tandem::inline TANDEM_ISA
