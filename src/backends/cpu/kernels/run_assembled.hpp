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

  static Index scratch_size(const Call<T>& call) { return assembled(call).numbers(); }

  /// f(argument's place, argument, its rows of the tile) for the inputs or the outputs that are given.
  template <class F>
  static void for_each_column(const Call<T>& call, bool inputs, Lanes* tile, F&& f) {
    const Assembled<T>& a = assembled(call);
    Lanes* rows = inputs ? tile : tile + a.function.inputs();
    for (std::size_t k = 0; k < a.arguments.size(); ++k) {
      if (is_input(a.arguments[k]) != inputs || !a.given[k]) continue;
      f(call.arguments[k], a.arguments[k], rows, a.rows[k]);
      rows += a.rows[k];
    }
  }

  static void gather_parameters(const Call<T>& call, Index b, int n, Lanes* tile) {
    const Assembled<T>& a = assembled(call);
    Lanes* rows = tile + a.function.inputs();
    for (std::size_t k = a.parameters.size(); k-- > 0;) {  // the last ones end where the outputs begin
      const auto which = static_cast<std::size_t>(a.parameters[k]);
      const Array<T>& array = call.parameters->values[which];
      const Index count = shape(parameters()[which].rows, call.model).count();
      rows -= count;
      gather(array.data + b * array.stride, array.stride, array.row_stride, count, n, rows);
    }
  }

  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    const Assembled<T>& a = assembled(call);
    auto* const tile = reinterpret_cast<Lanes*>(scratch);
    T* const rest = scratch + a.numbers();
    for (Index b = begin; b < end; b += Lanes::width) {
      const int n = static_cast<int>(end - b < Lanes::width ? end - b : Lanes::width);
      Verdict<Lanes, T> verdict;
      for_each_column(call, true, tile, [&](const Array<T>& array, const Argument& argument, Lanes* rows, Index count) {
        gather(array.data + b * array.stride, array.stride, array.row_stride, count, n, rows);
        if (call.status) verdict.watch(argument, call.model, rows);
      });
      gather_parameters(call, b, n, tile);
      a.function(tile);
      if (call.status) {
        for_each_column(call, false, tile, [&](const Array<T>&, const Argument& argument, const Lanes* rows, Index) {
          verdict.watch(argument, call.model, rows);
        });
        for (int k = 0; k < n; ++k) call.status[b + k] = verdict.of(k, a.inverts_mass_matrix, true);
      }
      run_others(call, b, n, tile, rest);
      for_each_column(call, false, tile, [&](const Array<T>& array, const Argument&, const Lanes* rows, Index count) {
        scatter(rows, count, n, array.data + b * array.stride, array.stride, array.row_stride);
      });
    }
  }

  /// Of inputs the sum of whose squares is below this, products of as many as are multiplied on the way are numbers,
  /// too.
  static constexpr T largest_squares = std::is_same_v<T, double> ? T(0x1p400) : T(0x1p54);

  /// In which lanes an input is no number or large enough to overflow, where a known zero would hide it, an angle so
  /// large that the squares of all do not stay below that of the largest moderate one, or where the mass matrix has no
  /// inverse. In sums that do not wait for each other.
  static Mask<T, Lanes::width> odd(const Assembled<T>& a, const Lanes* tile) {
    constexpr int sums = 4;
    Lanes size[sums], square[sums];
    for (int k = 0; k < sums; ++k) size[k] = square[k] = Lanes(0);
    const Index inputs = a.function.inputs(), all = inputs + a.function.outputs();
    Index row = 0;
    for (; row + sums <= inputs; row += sums)
      for (int k = 0; k < sums; ++k) size[k] = mul_add(tile[row + k], tile[row + k], size[k]);
    for (; row < inputs; ++row) size[0] = mul_add(tile[row], tile[row], size[0]);
    for (; row < all && a.inverts_mass_matrix; ++row) size[row % sums] = mul_add(tile[row], Lanes(0), size[row % sums]);
    const auto& angles = a.function.angles();
    std::size_t i = 0;
    for (; i + sums <= angles.size(); i += sums)
      for (std::size_t k = 0; k < sums; ++k) square[k] = mul_add(tile[angles[i + k]], tile[angles[i + k]], square[k]);
    for (; i < angles.size(); ++i) square[0] = mul_add(tile[angles[i]], tile[angles[i]], square[0]);
    constexpr T largest = SinCosConstants<T>::largest;
    const auto numbers = (size[0] + size[1]) + (size[2] + size[3]) < Lanes(largest_squares);
    const auto moderate = (square[0] + square[1]) + (square[2] + square[3]) < Lanes(largest * largest);
    return {~(numbers.lanes & moderate.lanes)};
  }

  /// Lanes that are odd, or whose quaternions are too long or too short.
  static Mask<T, Lanes::width> unserved(const Assembled<T>& a, const Lanes* tile) {
    auto bad = odd(a, tile);
    for (const std::int32_t row : a.quaternion_rows) {
      const Lanes square = squared_norm(load<Quaternion<Lanes>>(tile, row));
      const auto short_enough = square < Lanes(longest_square<T>), long_enough = Lanes(shortest_square<T>) < square;
      bad.lanes |= ~(short_enough.lanes & long_enough.lanes);
    }
    return bad;
  }

  /// States that are not served, once more. Inputs are still as they were: outputs may lie
  /// in their places.
  static void run_others(const Call<T>& call, Index b, int n, Lanes* tile, T* scratch) {
    const Assembled<T>& a = assembled(call);
    const auto bad = unserved(a, tile);
    if (!any(bad)) return;
    Call<T> ordinary = call;
    ordinary.prepared = nullptr;
    for (int k = 0; k < n; ++k) {
      if (bad.lanes[k] == 0) continue;
      a.ordinary->run(ordinary, b + k, b + k + 1, scratch);
      for_each_column(call, false, tile, [&](const Array<T>& array, const Argument&, Lanes* rows, Index count) {
        for (Index row = 0; row < count; ++row)
          rows[row].lanes[k] = array.data[(b + k) * array.stride + row * array.row_stride];
      });
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
