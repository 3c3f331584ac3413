// SPDX-License-Identifier: Apache-2.0
/// The loop over a batch for functions that were assembled for one robot.
#pragma once
#include "backends/cpu/assembled.hpp"
#include "status.hpp"
#include "tandem/detail/spatial/load_store.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

template <class T>
struct AssembledDriver {
  using Lanes = FullPack<T>;

  static const Assembled<T>& assembled(const Call<T>& call) { return *static_cast<const Assembled<T>*>(call.prepared); }

  static Index scratch_size(const Call<T>& call) {
    return Index{assembled(call).function.rows()} * Lanes::width;
  }

  /// f(argument's place, argument, its rows of the tile) for the inputs or the outputs that are given.
  template <class F>
  static void for_each_column(const Call<T>& call, bool inputs, Lanes* tile, F&& f) {
    const Assembled<T>& a = assembled(call);
    Lanes* rows = inputs ? tile : tile + a.function.inputs();
    for (std::size_t k = 0; k < a.arguments.size(); ++k) {
      if (is_input(a.arguments[k]) != inputs || !a.given[k]) continue;
      const Index count = shape(a.arguments[k].rows, call.model).count();
      f(call.arguments[k], a.arguments[k], rows, count);
      rows += count;
    }
  }

  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    const Assembled<T>& a = assembled(call);
    auto* const tile = reinterpret_cast<Lanes*>(scratch);
    T* const rest = scratch + Index{a.function.rows()} * Lanes::width;
    for (Index b = begin; b < end; b += Lanes::width) {
      const int n = static_cast<int>(end - b < Lanes::width ? end - b : Lanes::width);
      Verdict<Lanes, T> verdict;
      for_each_column(call, true, tile, [&](const Array<T>& array, const Argument& argument, Lanes* rows, Index count) {
        gather(array.data + b * array.stride, array.stride, array.row_stride, count, n, rows);
        if (call.status) verdict.watch(argument, call.model, rows);
      });
      a.function(tile);
      for_each_column(call, false, tile,
                      [&](const Array<T>& array, const Argument& argument, Lanes* rows, Index count) {
                        if (call.status) verdict.watch(argument, call.model, rows);
                        scatter(rows, count, n, array.data + b * array.stride, array.stride, array.row_stride);
                      });
      if (call.status)
        for (int k = 0; k < n; ++k) call.status[b + k] = verdict.of(k, a.inverts_mass_matrix, true);
      run_others(call, b, n, tile, rest);
    }
  }

  /// In which lanes an input is no number, or angles are so large that the squares of all do not stay below that of the largest
  /// moderate one. In sums that do not wait for each other.
  static Mask<T, Lanes::width> odd(const Assembled<T>& a, const Lanes* tile) {
    constexpr int sums = 4;
    Lanes zero[sums], square[sums];
    for (int k = 0; k < sums; ++k) zero[k] = square[k] = Lanes(0);
    const Index inputs = a.function.inputs();
    Index row = 0;
    for (; row + sums <= inputs; row += sums)
      for (int k = 0; k < sums; ++k) zero[k] = mul_add(tile[row + k], Lanes(0), zero[k]);
    for (; row < inputs; ++row) zero[0] = mul_add(tile[row], Lanes(0), zero[0]);
    const auto& angles = a.function.angles();
    std::size_t i = 0;
    for (; i + sums <= angles.size(); i += sums)
      for (std::size_t k = 0; k < sums; ++k) square[k] = mul_add(tile[angles[i + k]], tile[angles[i + k]], square[k]);
    for (; i < angles.size(); ++i) square[0] = mul_add(tile[angles[i]], tile[angles[i]], square[0]);
    constexpr T largest = SinCosConstants<T>::largest;
    const Lanes all = (zero[0] + zero[1]) + (zero[2] + zero[3]) + ((square[0] + square[1]) + (square[2] + square[3]));
    const auto moderate = all < Lanes(largest * largest);
    return {~moderate.lanes};
  }

  /// States whose angles are too large for the arithmetic of moderate ones, whose quaternions are too long or too short, or
  /// with inputs that are no numbers, once more.
  static void run_others(const Call<T>& call, Index b, int n, Lanes* tile, T* scratch) {
    const Assembled<T>& a = assembled(call);
    auto bad = odd(a, tile);
    for (const std::int32_t row : a.quaternion_rows) {
      const Lanes square = squared_norm(load<Quaternion<Lanes>>(tile, row));
      const auto short_enough = square < Lanes(longest_square<T>), long_enough = Lanes(shortest_square<T>) < square;
      bad.lanes |= ~(short_enough.lanes & long_enough.lanes);
    }
    if (!any(bad)) return;
    Call<T> ordinary = call;
    ordinary.prepared = nullptr;
    for (int k = 0; k < n; ++k)
      if (bad.lanes[k] != 0) a.ordinary->run(ordinary, b + k, b + k + 1, scratch);
  }
};

}  // namespace tandem::inline TANDEM_ISA
