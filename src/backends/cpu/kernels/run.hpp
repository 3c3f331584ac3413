// SPDX-License-Identifier: Apache-2.0
/// The driver: which states of a batch go in packs, and which one by one.
#pragma once
#include <iterator>
#include <utility>

#include "lane_body.hpp"
#include "passes.hpp"
#include "status.hpp"
#include "tiles.hpp"

namespace tandem::inline TANDEM_ISA {

template <class A, class T>
A with_options(const Call<T>& call) {
  if constexpr (std::is_constructible_v<A, const Call<T>&>)
    return A(call);
  else
    return with_options<A>(call.options);
}

template <class A, class T>
Index buffer_rows(const ModelView<T>& m) {
  Index rows = 0;
  for (const Argument& argument : A::arguments) rows += shape(argument.rows, m).count();
  return rows;
}

template <class A>
constexpr bool inverts_mass_matrix = requires { A::inverts_mass_matrix; };

/// The body with its columns in the order of the argument table. It stands once for states as they lie and for those
/// that are gathered.
template <class S, class A>
TANDEM_PASS void call_body(const void* algorithm, const ModelView<S>& m, const typename TileColumn<S>::Type* columns,
                           S* work, Steps* of_lanes) {
  const A& a = *static_cast<const A*>(algorithm);
  const auto call = [&]<std::size_t... k>(std::index_sequence<k...>)
                        TANDEM_INLINE { return a.template body<S>(m, columns[k]..., work); };
  constexpr auto all = std::make_index_sequence<std::size(A::arguments)>();
  if constexpr (std::is_void_v<decltype(call(all))>) {
    call(all);
  } else {
    const auto [steps, within_tolerance] = call(all);  // of lanes, if there are several, each its own
    for (int k = 0; k < TileColumn<S>::width; ++k)
      of_lanes[k] = {static_cast<std::int32_t>(lane_of(steps, k)), lane_of(within_tolerance, k) != 0};
  }
}

/// An algorithm for the loop over tiles.
template <class S, class A>
TileBody<S> tile_body(const A& algorithm) {
  static_assert(std::size(A::arguments) <= most_arguments);
  return {A::arguments, inverts_mass_matrix<A>, &algorithm, &call_body<S, A>};
}

/// Its body in lanes, for loops that call it.
template <class A, class T>
inline constexpr LaneBody<T> lane_body = &call_body<FullPack<T>, A>;
/// And of one state.
template <class A, class T>
inline constexpr StateBody<T> state_body = &call_body<T, A>;

/// One state as it lies, with nothing to gather and nobody asking after it: the shortest way to an answer. False if
/// that is not so.
template <class A, class T>
bool run_in_place(const Call<T>& call, Index b, T* scratch) {
  constexpr std::size_t n = std::size(A::arguments);
  if (call.status || call.iterations || call.parameters) return false;
  T* columns[n];
  for (std::size_t k = 0; k < n; ++k) {
    const Array<T>& array = call.arguments[k];
    if (array.row_stride != 1 && array.data) return false;
    columns[k] = array.data ? array.data + b * array.stride : nullptr;
  }
  const A algorithm = with_options<A>(call);
  Steps ignored;
  call_body<T, A>(&algorithm, call.model, columns, scratch, &ignored);
  return true;
}

/// What the states of a batch go through the body of an algorithm in: packs, or one after the other. Batches of an
/// algorithm without packs get lanes from instructions for the robot, see api/specialise.hpp.
template <class A, class T>
using LanesOf = std::conditional_t<requires { requires A::has_lanes; }, FullPack<T>, T>;

template <class A, class T>
struct Driver {
  using Lanes = LanesOf<A, T>;
  static constexpr int lanes = TileColumn<Lanes>::width;

  static Index rows(const Call<T>& call) {
    return buffer_rows<A>(call.model) + with_options<A>(call).work_rows(call.model);
  }

  /// Rows of the packs of a tile, of the numbers of its robots among them.
  static Index rows_in_lanes(const Call<T>& call) { return rows(call) + rows_of_lane_model<Lanes>(call.model); }

  /// Beyond, one state at a time is as fast. The bits are the same.
  static bool in_lanes(const Call<T>& call) {
    return lanes > 1 && rows_in_lanes(call) * static_cast<Index>(sizeof(Lanes)) <= bytes_in_lanes;
  }

  static Index scratch_size(const Call<T>& call) {
    if (in_lanes(call)) return rows_in_lanes(call) * lanes;
    return call.parameters ? rows(call) + rows_of_lane_model<T>(call.model) : rows(call);
  }

  /// How many of n states, the first ones, go in packs. What is left over behind the last full pack is worth one if it
  /// fills a quarter of it.
  static Index in_packs(const Call<T>& call, Index n) {
    const Index left = n % lanes;
    if (!in_lanes(call)) return 0;
    return 4 * left <= lanes ? n - left : n;
  }

  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    if (end - begin == 1 && run_in_place<A>(call, begin, scratch)) return;
    const A algorithm = with_options<A>(call);
    const Index middle = begin + in_packs(call, end - begin);
    if (begin < middle)
      run_tiles_of_models(call, tile_body<Lanes>(algorithm), begin, middle, reinterpret_cast<Lanes*>(scratch));
    if (middle < end && call.parameters)
      return run_tiles_of_models(call, tile_body<T>(algorithm), middle, end, scratch);
    if (middle < end) run_tiles(call, tile_body<T>(algorithm), middle, end, scratch);
  }
};

/// What calls of a driver go by.
template <class D, class T>
Kernel<T> kernel() {
  Kernel<T> kernel = {D::lanes, &D::scratch_size, &D::run};
  if constexpr (requires { &D::Whole::prepare; }) kernel.prepare = &D::Whole::prepare;
  return kernel;
}

}  // namespace tandem::inline TANDEM_ISA
