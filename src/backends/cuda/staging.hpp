// SPDX-License-Identifier: Apache-2.0
/// Arrays of the host on their way to the device and back. Nothing in it is CUDA's.
#pragma once
#include <cstring>
#include <thread>
#include <vector>

#include "backends/cuda/transpose.hpp"

namespace tandem::cuda {

/// How an array of the host lies: states one after the other, rows one after the other, one state for all, or
/// otherwise.
enum class Lie : unsigned char { states, rows, one, scattered };

template <class T>
Lie lie_of(const Array<T>& array, Index rows) {
  if (array.stride == 0) return array.row_stride == 1 || rows == 1 ? Lie::one : Lie::scattered;
  if (array.stride == rows && (array.row_stride == 1 || rows == 1)) return Lie::states;
  return array.stride == 1 ? Lie::rows : Lie::scattered;
}

/// An array of the host, of which a piece after the other goes to the device or comes from there. A piece lies there as
/// [state][row] if it does here, else as [row][state].
template <class T>
struct Passage {
  Array<T> host;
  Index rows;
  Lie lie;
  bool locked;      ///< in page-locked memory, which is copied from and to as it is
  Index first_row;  ///< its numbers begin behind those of as many rows
  bool is_direct() const { return locked && lie != Lie::scattered; }

  Array<T> there(T* piece, Index states) const {
    T* const data = piece + first_row * states;
    if (lie == Lie::one) return {data, 0, 1, Place::device};
    if (lie == Lie::states) return {data, rows, 1, Place::device};
    return {data, 1, states, Place::device};
  }
};

/// Threads that copy: no more than bring something where memory is what is waited for.
inline unsigned copying_threads(std::size_t bytes) {
  constexpr std::size_t worthwhile = std::size_t{2} << 20;
  const std::size_t most = std::min<std::size_t>(8, std::max(1u, std::thread::hardware_concurrency() / 2));
  return static_cast<unsigned>(std::clamp<std::size_t>(bytes / worthwhile, 1, most));
}

/// f(begin, end) for parts of [0, n) on threads of their own; on this one if there are none to be had.
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

/// States first, first + 1, ... of the array to where a piece of it is put, as `there` has it.
template <class T>
void pack(const Passage<T>& p, Index first, Index states, T* to) {
  const std::size_t bytes = static_cast<std::size_t>(p.rows * states) * sizeof(T);
  if (p.lie == Lie::one) {
    std::memcpy(to, p.host.data, static_cast<std::size_t>(p.rows) * sizeof(T));
    return;
  }
  in_parts(states, copying_threads(bytes), [&](Index begin, Index end) {
    const auto n = static_cast<std::size_t>(end - begin) * sizeof(T);
    if (p.lie == Lie::states) {
      std::memcpy(to + begin * p.rows, p.host.data + (first + begin) * p.rows, n * static_cast<std::size_t>(p.rows));
    } else if (p.lie == Lie::rows) {
      for (Index k = 0; k < p.rows; ++k)
        std::memcpy(to + k * states + begin, p.host.data + k * p.host.row_stride + first + begin, n);
    } else {
      for_each_in_blocks(p.rows, end - begin, [&](Index k, Index b) {
        to[k * states + begin + b] = p.host.data[(first + begin + b) * p.host.stride + k * p.host.row_stride];
      });
    }
  });
}

/// The way back.
template <class T>
void unpack(const Passage<T>& p, Index first, Index states, const T* from) {
  const std::size_t bytes = static_cast<std::size_t>(p.rows * states) * sizeof(T);
  in_parts(states, copying_threads(bytes), [&](Index begin, Index end) {
    const auto n = static_cast<std::size_t>(end - begin) * sizeof(T);
    if (p.lie == Lie::states) {
      std::memcpy(p.host.data + (first + begin) * p.rows, from + begin * p.rows, n * static_cast<std::size_t>(p.rows));
    } else if (p.lie == Lie::rows) {
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
