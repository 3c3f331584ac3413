// SPDX-License-Identifier: Apache-2.0
/// The driver: the one loop over a batch. A tile is as many states as S has lanes; S is a number or a pack of them.
#pragma once
#include <algorithm>
#include <iterator>
#include <utility>

#include "backends/cpu/call.hpp"
#include "lane_model.hpp"
#include "status.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

template <class A, class T>
A with_options(const Call<T>& call) {
  if constexpr (std::is_constructible_v<A, const Call<T>&>)
    return A(call);
  else
    return with_options<A>(call.options);
}

/// How the rows of a tile lie in memory: a state's own rows, or rows of neighbouring states.
template <class S>
struct Tile {
  static constexpr int width = 1;
  using Column = S*;
  static bool lies_ready(const Array<S>& a, Index, int) { return a.row_stride == 1; }
  static Column in_place(const Array<S>& a, Index b) { return a.data + b * a.stride; }
  static Column in_buffer(S* buffer) { return buffer; }
  static void gather(const Array<S>& a, Index b, Index n_rows, int, S* buffer) {
    for (Index row = 0; row < n_rows; ++row) buffer[row] = a.data[b * a.stride + row * a.row_stride];
  }
  static void scatter(const S* buffer, Index n_rows, int, const Array<S>& a, Index b) {
    for (Index row = 0; row < n_rows; ++row) a.data[b * a.stride + row * a.row_stride] = buffer[row];
  }
};

template <class R, int W>
struct Tile<Pack<R, W>> {
  static constexpr int width = W;
  /// Rows of W numbers, any distance apart, wherever they begin.
  struct Column {
    R* data = nullptr;
    Index stride = W;
    Column() = default;
    TANDEM_HD Column(R* first, Index apart) : data(first), stride(apart) {}
    TANDEM_HD Column(Pack<R, W>* buffer) : data(reinterpret_cast<R*>(buffer)) {}
    TANDEM_HD UnalignedPack<R, W>& operator[](Index row) const {
      return *reinterpret_cast<UnalignedPack<R, W>*>(data + row * stride);
    }
    TANDEM_HD Column operator+(Index rows) const { return {data + rows * stride, stride}; }
    TANDEM_HD explicit operator bool() const { return data != nullptr; }
  };
  /// Many rows far apart fall on few lines of the cache; written once, behind the call, they cost less.
  static bool lies_ready(const Array<R>& a, Index n_rows, int n_states) {
    return a.stride == 1 && n_states == W && n_rows <= 64;
  }
  static Column in_place(const Array<R>& a, Index b) { return {a.data + b, a.row_stride}; }
  static Column in_buffer(Pack<R, W>* buffer) { return buffer; }
  static void gather(const Array<R>& a, Index b, Index n_rows, int n_states, Pack<R, W>* buffer) {
    tandem::gather(a.data + b * a.stride, a.stride, a.row_stride, n_rows, n_states, buffer);
  }
  static void scatter(const Pack<R, W>* buffer, Index n_rows, int n_states, const Array<R>& a, Index b) {
    tandem::scatter(buffer, n_rows, n_states, a.data + b * a.stride, a.stride, a.row_stride);
  }
};

template <class A, class T>
Index buffer_rows(const ModelView<T>& m) {
  Index rows = 0;
  for (const Argument& argument : A::arguments) rows += shape(argument.rows, m).count();
  return rows;
}

template <class A>
constexpr bool inverts_mass_matrix = requires { A::inverts_mass_matrix; };

/// Calls the body with its columns in the order of the argument table. A function, so that the body stands once for states
/// as they lie and for those that are gathered.
template <class S, class A, class M, class Column, std::size_t... k>
TANDEM_PASS auto call_body(const A& algorithm, const ModelView<M>& m, const Column* columns, S* work,
                           std::index_sequence<k...>) {
  return algorithm.template body<S>(m, columns[k]..., work);
}

/// Runs states begin .. end - 1, a tile at a time. `models` gives the model of a tile: model(b, n_states).
template <class A, class S, class T, class Models>
void run_tiles(const Call<T>& call, Models&& models, Index begin, Index end, S* scratch) {
  using Tiles = Tile<S>;
  constexpr std::size_t n = std::size(A::arguments);
  const A algorithm = with_options<A>(call);
  typename Tiles::Column columns[n] = {};
  Index rows[n];
  S *buffers[n], *next = scratch;
  for (std::size_t k = 0; k < n; ++k) {
    rows[k] = shape(A::arguments[k].rows, call.model).count();
    buffers[k] = next;
    next += rows[k];
  }
  for (Index b = begin; b < end; b += Tiles::width) {
    const int n_states = static_cast<int>(end - b < Tiles::width ? end - b : Tiles::width);
    const auto reads = [](std::size_t k) { return is_input(A::arguments[k]); };
    bool ready[n] = {};
    for (std::size_t k = 0; k < n; ++k) {
      const Array<T>& array = call.arguments[k];
      if (!array.data) continue;
      ready[k] = Tiles::lies_ready(array, rows[k], n_states);
      columns[k] = ready[k] ? Tiles::in_place(array, b) : Tiles::in_buffer(buffers[k]);
      if (!ready[k] && reads(k)) Tiles::gather(array, b, rows[k], n_states, buffers[k]);
    }
    Verdict<S, T> verdict;
    const auto watch = [&](bool inputs) {
      for (std::size_t k = 0; k < n; ++k)
        if (call.arguments[k].data && reads(k) == inputs) verdict.watch(A::arguments[k], call.model, columns[k]);
    };
    if (call.status) watch(true);
    const auto run = [&] {
      return call_body(algorithm, models(b, n_states), columns, next, std::make_index_sequence<n>());
    };
    bool converged[Tiles::width];
    std::fill(std::begin(converged), std::end(converged), true);
    if constexpr (std::is_void_v<decltype(run())>) {
      run();
    } else {
      const auto [steps, within_tolerance] = run();  // of lanes, if there are several, each its own
      for (int k = 0; k < n_states; ++k) {
        converged[k] = lane_of(within_tolerance, k) != 0;
        if (call.iterations) call.iterations[b + k] = static_cast<std::int32_t>(lane_of(steps, k));
      }
    }
    if (call.status) {
      watch(false);
      for (int k = 0; k < n_states; ++k) call.status[b + k] = verdict.of(k, inverts_mass_matrix<A>, converged[k]);
    }
    for (std::size_t k = 0; k < n; ++k)
      if (call.arguments[k].data && !ready[k] && !reads(k))
        Tiles::scatter(buffers[k], rows[k], n_states, call.arguments[k], b);
  }
}

/// One state as it lies, with nothing to gather and nobody asking after it: the shortest way to an answer. False if that
/// is not so.
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
  call_body(with_options<A>(call), call.model, columns, scratch, std::make_index_sequence<n>());
  return true;
}

template <class A, class T>
struct Driver {
  using Lanes = FullPack<T>;

  static Index rows(const Call<T>& call) {
    return buffer_rows<A>(call.model) + with_options<A>(call).work_rows(call.model);
  }

  /// Packs of long robots would not stay in the cache: there one state at a time is faster, and the bits are the same.
  static bool in_lanes(const Call<T>& call) {
    constexpr Index cache_bytes = Index{1} << 19;
    return call.parameters || rows(call) * static_cast<Index>(sizeof(Lanes)) <= cache_bytes;
  }

  static Index scratch_size(const Call<T>& call) {
    Index packs = rows(call);
    if (call.parameters) packs += LaneModel<Lanes>::rows(call.model);
    return in_lanes(call) ? packs * Lanes::width : packs;
  }

  /// How many of n states, the first ones, go in packs. What is left over behind the last full pack is worth one if it fills a
  /// quarter of it.
  static Index in_packs(const Call<T>& call, Index n) {
    const Index left = n % Lanes::width;
    if (!in_lanes(call)) return 0;
    return 4 * left <= Lanes::width ? n - left : n;
  }

  static void run(const Call<T>& call, Index begin, Index end, T* scratch) {
    if (end - begin == 1 && run_in_place<A>(call, begin, scratch)) return;
    auto* packs = reinterpret_cast<Lanes*>(scratch);
    if (call.parameters) {
      LaneModel<Lanes> model(call, packs);
      run_tiles<A, Lanes>(
          call,
          [&](Index b, int n_states) -> const ModelView<Lanes>& {
            model.take(b, n_states);
            return model.view();
          },
          begin, end, packs + LaneModel<Lanes>::rows(call.model));
      return;
    }
    const auto same_for_all = [&](Index, int) -> const ModelView<T>& { return call.model; };
    const Index middle = begin + in_packs(call, end - begin);
    if (begin < middle) run_tiles<A, Lanes>(call, same_for_all, begin, middle, packs);
    run_tiles<A, T>(call, same_for_all, middle, end, scratch);
  }
};

/// An algorithm on this instruction set. Each has an object file, see kernels.cmake.
template <class A, template <class, class> class DriverOfA>
Kernels kernels() {
  using D = DriverOfA<A, double>;
  using F = DriverOfA<A, float>;
  return {{D::Lanes::width, &D::scratch_size, &D::run}, {F::Lanes::width, &F::scratch_size, &F::run}};
}

}  // namespace tandem::inline TANDEM_ISA
