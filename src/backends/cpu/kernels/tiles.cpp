// SPDX-License-Identifier: Apache-2.0
#include "tiles.hpp"

#include "lane_model.hpp"
#include "status.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {
namespace {

/// How the rows of a tile lie in memory.
template <class S>
struct Tile {
  static bool lies_ready(const Array<S>& a, Index, int) { return a.row_stride == 1; }
  static S* in_place(const Array<S>& a, Index b) { return a.data + b * a.stride; }
  static void gather(const Array<S>& a, Index b, Index n_rows, int n_states, S* buffer) {
    tandem::gather(a.data + b * a.stride, a.stride, a.row_stride, n_rows, n_states, buffer);
  }
  static void scatter(const S* buffer, Index n_rows, int n_states, const Array<S>& a, Index b) {
    tandem::scatter(buffer, n_rows, n_states, a.data + b * a.stride, a.stride, a.row_stride);
  }
};

template <class R, int W>
struct Tile<Pack<R, W>> {
  /// Many rows far apart fall on few lines of the cache; written once, behind the call, they cost less.
  static bool lies_ready(const Array<R>& a, Index n_rows, int n_states) {
    return a.stride == 1 && n_states == W && n_rows <= 64;
  }
  static typename TileColumn<Pack<R, W>>::Type in_place(const Array<R>& a, Index b) {
    return {a.data + b, a.row_stride};
  }
  static void gather(const Array<R>& a, Index b, Index n_rows, int n_states, Pack<R, W>* buffer) {
    tandem::gather(a.data + b * a.stride, a.stride, a.row_stride, n_rows, n_states, buffer);
  }
  static void scatter(const Pack<R, W>* buffer, Index n_rows, int n_states, const Array<R>& a, Index b) {
    tandem::scatter(buffer, n_rows, n_states, a.data + b * a.stride, a.stride, a.row_stride);
  }
};

/// `models` gives the model of a tile: models(b, n_states).
template <class S, class T, class Models>
void run(const Call<T>& call, const TileBody<S>& body, Models&& models, Index begin, Index end, S* scratch) {
  using Column = typename TileColumn<S>::Type;
  constexpr int width = TileColumn<S>::width;
  const std::size_t n = body.arguments.size();
  Column columns[most_arguments] = {};
  Index rows[most_arguments];
  S *buffers[most_arguments], *work = scratch;
  for (std::size_t k = 0; k < n; ++k) {
    rows[k] = shape(body.arguments[k].rows, call.model).count();
    buffers[k] = work;
    work += rows[k];
  }
  const auto reads = [&](std::size_t k) { return is_input(body.arguments[k]); };
  for (Index b = begin; b < end; b += width) {
    const int n_states = static_cast<int>(end - b < width ? end - b : width);
    bool ready[most_arguments] = {};
    for (std::size_t k = 0; k < n; ++k) {
      const Array<T>& array = call.arguments[k];
      if (!array.data) continue;
      ready[k] = Tile<S>::lies_ready(array, rows[k], n_states);
      columns[k] = ready[k] ? Tile<S>::in_place(array, b) : Column(buffers[k]);
      if (!ready[k] && reads(k)) Tile<S>::gather(array, b, rows[k], n_states, buffers[k]);
    }
    Verdict<S, T> verdict;
    const auto watch = [&](bool inputs) {
      for (std::size_t k = 0; k < n; ++k)
        if (call.arguments[k].data && reads(k) == inputs) verdict.watch(body.arguments[k], call.model, columns[k]);
    };
    if (call.status) watch(true);
    Steps steps[width];
    body.run(body.algorithm, models(b, n_states), columns, work, steps);
    if (call.iterations)
      for (int k = 0; k < n_states; ++k) call.iterations[b + k] = steps[k].count;
    if (call.status) {
      watch(false);
      for (int k = 0; k < n_states; ++k)
        call.status[b + k] = verdict.of(k, body.inverts_mass_matrix, steps[k].within_tolerance);
    }
    for (std::size_t k = 0; k < n; ++k)
      if (call.arguments[k].data && !ready[k] && !reads(k))
        Tile<S>::scatter(buffers[k], rows[k], n_states, call.arguments[k], b);
  }
}

}  // namespace

template <class T>
void run_tiles(const Call<T>& call, const TileBody<T>& body, Index begin, Index end, T* scratch) {
  run(call, body, [&](Index, int) -> const ModelView<T>& { return call.model; }, begin, end, scratch);
}

template <class S, class T>
void run_tiles_of_models(const Call<T>& call, const TileBody<S>& body, Index begin, Index end, S* scratch) {
  LaneModel<S> model(call.model, call.parameters, scratch, static_cast<const PreparedModel<S>*>(call.prepared));
  const auto models = [&](Index b, int n_states) -> const ModelView<S>& {
    model.take(b, n_states);
    return model.view();
  };
  run(call, body, models, begin, end, scratch + rows_of_lane_model<S>(call.model));
}

template <class S, class T>
Index rows_of_lane_model(const ModelView<T>& m) {
  return LaneModel<S>::rows(m);
}

template <class T>
std::shared_ptr<const void> prepare_lanes(const ModelView<T>& m, const Options&) {
  using P = FullPack<T>;
  if (varied_rows<P>(m) * static_cast<Index>(sizeof(P)) > bytes_in_lanes) return nullptr;
  return std::make_shared<const PreparedModel<P>>(m);
}
template std::shared_ptr<const void> prepare_lanes(const ModelView<double>&, const Options&);
template std::shared_ptr<const void> prepare_lanes(const ModelView<float>&, const Options&);

template void run_tiles(const Call<double>&, const TileBody<double>&, Index, Index, double*);
template void run_tiles(const Call<float>&, const TileBody<float>&, Index, Index, float*);
template void run_tiles_of_models(const Call<double>&, const TileBody<double>&, Index, Index, double*);
template void run_tiles_of_models(const Call<float>&, const TileBody<float>&, Index, Index, float*);
template void run_tiles_of_models(const Call<double>&, const TileBody<FullPack<double>>&, Index, Index,
                                  FullPack<double>*);
template void run_tiles_of_models(const Call<float>&, const TileBody<FullPack<float>>&, Index, Index, FullPack<float>*);
template Index rows_of_lane_model<double>(const ModelView<double>&);
template Index rows_of_lane_model<float>(const ModelView<float>&);
template Index rows_of_lane_model<FullPack<double>>(const ModelView<double>&);
template Index rows_of_lane_model<FullPack<float>>(const ModelView<float>&);

}  // namespace tandem::inline TANDEM_ISA
