// SPDX-License-Identifier: Apache-2.0
/// The driver of methods whose chunks of links lie in lanes, see chain_chunks.hpp.
#pragma once
#include "lane_chunks.hpp"
#include "run_links.hpp"

namespace tandem::inline TANDEM_ISA {

/// Groups of chunks on threads, the chunks of a group in lanes.
template <class T>
struct LanesEngine : ThreadsEngine {
  template <class S>
  static constexpr bool has_lanes_of = std::is_same_v<S, T>;
  const PreparedChunks<T>* prepared = nullptr;

  template <class Call, class F>
  void for_each_chunk_of_group(const Call& call, const ChainCut& cut, Index group, T* w, Index rows_per_link,
                               F&& f) const {
    using Number = FullPack<T>;
    constexpr Index W = Number::width, chunks = chunks_in_group<T>;
    static_assert(chunks % W == 0);
    // packs begin where their size says; the method leaves room for that
    auto* packs = w + rows_per_link * cut.rest;
    packs += -(reinterpret_cast<std::uintptr_t>(packs) / sizeof(T)) % static_cast<std::uintptr_t>(W);
    for (Index k = group * chunks; k < (group + 1) * chunks; k += W)
      f(LaneChunk<T, static_cast<int>(W), Call>{call, cut, *prepared, 1 + k,
                                                reinterpret_cast<Number*>(packs) + rows_per_link * cut.length * (k / W),
                                                rows_per_link});
  }
};

/// The method with its engine and the model's numbers ready for the lanes, in the shape of an algorithm.
template <class A, class T>
struct ChunksOnThreads : OnThreads<A, LanesEngine<T>> {
  std::shared_ptr<const void> own;  ///< where the caller has not prepared anything

  static std::shared_ptr<const void> prepare(const ModelView<T>& m, const Options& options) {
    return std::make_shared<const PreparedChunks<T>>(m, with_options<A>(options).cut(m));
  }
  explicit ChunksOnThreads(const Call<T>& call) : OnThreads<A, LanesEngine<T>>(call) {
    if (!call.prepared) own = prepare(call.model, call.options);
    this->engine.prepared = static_cast<const PreparedChunks<T>*>(call.prepared ? call.prepared : own.get());
  }
};

template <class A, class T>
using ChunkDriver = DriverOf<ChunksOnThreads<A, T>, T>;

}  // namespace tandem::inline TANDEM_ISA
