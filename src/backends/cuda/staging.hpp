// SPDX-License-Identifier: Apache-2.0
/// Staging of host arrays: copies between host arrays and the pieces that are transferred to the device. Host code
/// only.
#pragma once
#include <cstring>
#include <thread>
#include <vector>

#include "backends/cuda/transpose.hpp"

namespace tandem::cuda {

/// Memory order of a host array: [state][row], [row][state], one state for all, or other strides.
enum class Arrangement : unsigned char { states, rows, one, scattered };

template <class T>
Arrangement arrangement_of(const Array<T>& array, Index rows) {
  if (array.stride == 0) return array.row_stride == 1 || rows == 1 ? Arrangement::one : Arrangement::scattered;
  if (array.stride == rows && (array.row_stride == 1 || rows == 1)) return Arrangement::states;
  return array.stride == 1 ? Arrangement::rows : Arrangement::scattered;
}

/// A host array that is transferred in pieces. A piece on the device is [state][row] if the host array is, else
/// [row][state].
template <class T>
struct StagedArray {
  Array<T> host;
  Index rows;
  Arrangement arrangement;
  bool locked;      ///< in page-locked memory, which is transferred directly
  Index first_row;  ///< number of rows of the preceding arrays of the piece
  bool is_direct() const { return locked && arrangement != Arrangement::scattered; }

  Array<T> there(T* piece, Index states) const {
    T* const data = piece + first_row * states;
    if (arrangement == Arrangement::one) return {data, 0, 1, Place::device};
    if (arrangement == Arrangement::states) return {data, rows, 1, Place::device};
    return {data, 1, states, Place::device};
  }
};

/// Number of threads for a copy, limited by memory bandwidth.
inline unsigned copying_threads(std::size_t bytes) {
  constexpr std::size_t worthwhile = std::size_t{2} << 20;
  const std::size_t most = std::min<std::size_t>(8, std::max(1u, std::thread::hardware_concurrency() / 2));
  return static_cast<unsigned>(std::clamp<std::size_t>(bytes / worthwhile, 1, most));
}

/// f(begin, end) for parts of [0, n) on several threads; on this thread if no other can be started.
template <class F>
void in_parts(Index n, unsigned threads, F&& f) {
  std::vector<std::thread> helpers;
  const auto begin_of = [&](unsigned k) { return n * Index{k} / Index{threads}; };
  unsigned started = 1;
  try {
    for (; started < threads; ++started)
      helpers.emplace_back([&f, b = begin_of(started), e = begin_of(started + 1)] { f(b, e); });
  } catch (const std::system_error&) {  // no more threads here
  }
  f(Index{0}, begin_of(1));
  if (started < threads) f(begin_of(started), n);
  for (std::thread& helper : helpers) helper.join();
}

/// Copy `states` states of the array from `first` on to a piece, in the order of there().
template <class T>
void pack(const StagedArray<T>& p, Index first, Index states, T* to) {
  const std::size_t bytes = static_cast<std::size_t>(p.rows * states) * sizeof(T);
  if (p.arrangement == Arrangement::one) {
    std::memcpy(to, p.host.data, static_cast<std::size_t>(p.rows) * sizeof(T));
    return;
  }
  in_parts(states, copying_threads(bytes), [&](Index begin, Index end) {
    const auto n = static_cast<std::size_t>(end - begin) * sizeof(T);
    if (p.arrangement == Arrangement::states) {
      std::memcpy(to + begin * p.rows, p.host.data + (first + begin) * p.rows, n * static_cast<std::size_t>(p.rows));
    } else if (p.arrangement == Arrangement::rows) {
      for (Index k = 0; k < p.rows; ++k)
        std::memcpy(to + k * states + begin, p.host.data + k * p.host.row_stride + first + begin, n);
    } else {
      for_each_in_blocks(p.rows, end - begin, [&](Index k, Index b) {
        to[k * states + begin + b] = p.host.data[(first + begin + b) * p.host.stride + k * p.host.row_stride];
      });
    }
  });
}

/// Copy a piece back to the array.
template <class T>
void unpack(const StagedArray<T>& p, Index first, Index states, const T* from) {
  const std::size_t bytes = static_cast<std::size_t>(p.rows * states) * sizeof(T);
  in_parts(states, copying_threads(bytes), [&](Index begin, Index end) {
    const auto n = static_cast<std::size_t>(end - begin) * sizeof(T);
    if (p.arrangement == Arrangement::states) {
      std::memcpy(p.host.data + (first + begin) * p.rows, from + begin * p.rows, n * static_cast<std::size_t>(p.rows));
    } else if (p.arrangement == Arrangement::rows) {
      for (Index k = 0; k < p.rows; ++k)
        std::memcpy(p.host.data + k * p.host.row_stride + first + begin, from + k * states + begin, n);
    } else {
      for_each_in_blocks(p.rows, end - begin, [&](Index k, Index b) {
        p.host.data[(first + begin + b) * p.host.stride + k * p.host.row_stride] = from[k * states + begin + b];
      });
    }
  });
}

}  // namespace tandem::cuda
