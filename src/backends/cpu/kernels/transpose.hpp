// SPDX-License-Identifier: Apache-2.0
/// Tiles of users' arrays to rows of packs and back: [batch][row] is transposed, [row][batch] copied.
#pragma once
#include <utility>

#include "pack.hpp"
#include "tandem/detail/core/column.hpp"
#include "unaligned_pack.hpp"

namespace tandem::inline TANDEM_ISA {

/// The first n numbers of a pack, the others zero; what lies behind them in memory is not touched.
template <class R, int W>
TANDEM_HD Pack<R, W> load_part(const R* from, int n) {
  if (n >= W) {
    Pack<R, W> whole;
    __builtin_memcpy(&whole.lanes, from, sizeof(whole.lanes));
    return whole;
  }
#if defined(__AVX512F__)
  const auto mask = (1u << n) - 1u;
  if constexpr (sizeof(R) == 8 && W == 8)
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), from);
  else if constexpr (sizeof(R) == 4 && W == 16)
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from);
  else
#endif
  {
    Pack<R, W> p(0);
    for (int k = 0; k < W; ++k)
      if (k < n) p.lanes[k] = from[k];
    return p;
  }
}
template <class R, int W>
TANDEM_HD void store_part(R* to, int n, const Pack<R, W>& p) {
  if (n >= W) {
    __builtin_memcpy(to, &p.lanes, sizeof(p.lanes));
    return;
  }
#if defined(__AVX512F__)
  const auto mask = (1u << n) - 1u;
  if constexpr (sizeof(R) == 8 && W == 8)
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), p.lanes);
  else if constexpr (sizeof(R) == 4 && W == 16)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), p.lanes);
  else
#endif
  {
    for (int k = 0; k < W; ++k)
      if (k < n) to[k] = p.lanes[k];
  }
}

/// Exchanges the off-diagonal blocks of size h of a and b, seen as parts of a matrix of packs.
template <int h, class R, int W, int... j>
TANDEM_HD void exchange(Pack<R, W>& a, Pack<R, W>& b, std::integer_sequence<int, j...>) {
  const auto upper = __builtin_shufflevector(a.lanes, b.lanes, ((j & h) ? W + j - h : j)...);
  b.lanes = __builtin_shufflevector(a.lanes, b.lanes, ((j & h) ? W + j : j + h)...);
  a.lanes = upper;
}
/// Transposes a W x W matrix, a pack a row: blocks of half the size change places, then the same inside the blocks.
template <int h, class R, int W>
TANDEM_HD void transpose(Pack<R, W> (&rows)[W]) {
  for (int i = 0; i < W; ++i)
    if ((i & h) == 0) exchange<h>(rows[i], rows[i + h], std::make_integer_sequence<int, W>());
  if constexpr (h > 1) transpose<h / 2>(rows);
}

/// Rows whose numbers lie side by side lane by lane: line(k, row, n) gives lane k of rows row .. row + n - 1.
template <class R, int W, class Line>
TANDEM_HD void gather_lines(Index n_rows, Pack<R, W>* tile, Line&& line) {
  for (Index row = 0; row < n_rows; row += W) {
    const int n = static_cast<int>(n_rows - row < W ? n_rows - row : W);
    Pack<R, W> block[W];
    for (int k = 0; k < W; ++k) block[k] = line(k, row, n);
    transpose<W / 2>(block);
    for (int k = 0; k < W; ++k)
      if (k < n) tile[row + k] = block[k];
  }
}
/// The same way back, to the first lanes: put(k, row, n, numbers).
template <class R, int W, class Put>
TANDEM_HD void scatter_lines(const Pack<R, W>* tile, Index n_rows, int n_lanes, Put&& put) {
  for (Index row = 0; row < n_rows; row += W) {
    const int n = static_cast<int>(n_rows - row < W ? n_rows - row : W);
    Pack<R, W> block[W];
    for (int k = 0; k < W; ++k) block[k] = tile[row + (k < n ? k : 0)];
    transpose<W / 2>(block);
    for (int k = 0; k < n_lanes; ++k) put(k, row, n, block[k]);
  }
}

/// How many rows of states that lie side by side are brought over at once: with these many numbers of every state next
/// to each other, half of the exchanges of whole registers are spared, and what an arm has seven of takes two steps of
/// four.
template <class R, int W>
inline constexpr int rows_together = sizeof(R) == 4 || W > 4 ? (W < 4 ? W : 4) : 2;

template <class R, int n>
struct Piece {
  typedef R Vector __attribute__((vector_size(n * sizeof(R))));
};
/// n numbers behind n others.
template <class R, int n, int... j>
TANDEM_HD auto side_by_side(typename Piece<R, n>::Vector a, typename Piece<R, n>::Vector b,
                            std::integer_sequence<int, j...>) {
  return __builtin_shufflevector(a, b, j...);
}
/// A pack of W / n pieces: numbers at(0), at(1), ...
template <class R, int W, int n, class At>
TANDEM_HD typename Piece<R, W>::Vector of_pieces(At&& at) {
  if constexpr (W == n) {
    typename Piece<R, n>::Vector piece;
    __builtin_memcpy(&piece, at(0), sizeof(piece));
    return piece;
  } else {
    const auto low = of_pieces<R, W / 2, n>(at);
    const auto high = of_pieces<R, W / 2, n>([&](int k) TANDEM_INLINE { return at(k + W / 2 / n); });
    return side_by_side<R, W / 2>(low, high, std::make_integer_sequence<int, W>());
  }
}
/// And back.
template <class R, int n, int from, int W, int... j>
TANDEM_HD void put_piece(const Pack<R, W>& p, R* to, std::integer_sequence<int, j...>) {
  const typename Piece<R, n>::Vector piece = __builtin_shufflevector(p.lanes, p.lanes, (from + j)...);
  __builtin_memcpy(to, &piece, sizeof(piece));
}
template <class R, int n, int W, class To, int... k>
TANDEM_HD void to_pieces(const Pack<R, W>& p, int pieces, To&& to, std::integer_sequence<int, k...>) {
  ((k < pieces ? put_piece<R, n, k * n>(p, to(k), std::make_integer_sequence<int, n>()) : void()), ...);
}

/// From each n packs with pieces of n numbers, of states k, k + n, k + 2 n ..., to n rows, or back.
template <int h, class R, int W, int n>
TANDEM_HD void transpose_pieces(Pack<R, W> (&rows)[n]) {
  for (int i = 0; i < n; ++i)
    if ((i & h) == 0) exchange<h>(rows[i], rows[i + h], std::make_integer_sequence<int, W>());
  if constexpr (h > 1) transpose_pieces<h / 2>(rows);
}

/// Rows 0 .. n_rows - 1 of the states whose numbers begin at data, data + stride, ... to tile[row], a state a lane.
/// Lanes beyond n_states repeat the last state.
template <class R, int W>
TANDEM_HD void gather(const R* data, Index stride, Index row_stride, Index n_rows, int n_states, Pack<R, W>* tile) {
  constexpr int n = rows_together<R, W>;
  if (stride == 1 && n_states == W) {
    for (Index row = 0; row < n_rows; ++row)
      __builtin_memcpy(&tile[row].lanes, data + row * row_stride, sizeof(tile[row].lanes));
    return;
  }
  const auto state = [&](int k) TANDEM_INLINE { return data + (k < n_states ? k : n_states - 1) * stride; };
  if (row_stride != 1 || n_rows < n) {
    for (Index row = 0; row < n_rows; ++row)
      for (int k = 0; k < W; ++k) tile[row].lanes[k] = state(k)[row * row_stride];
    return;
  }
  for (Index next = 0; next < n_rows; next += n) {
    const Index row = next + n <= n_rows ? next : n_rows - n;  // the last ones overlap with those before
    Pack<R, W> rows[n];
    for (int k = 0; k < n; ++k)
      rows[k] = of_pieces<R, W, n>([&](int piece) TANDEM_INLINE { return state(k + n * piece) + row; });
    transpose_pieces<n / 2>(rows);
    for (int k = 0; k < n; ++k) tile[row + k] = rows[k];
  }
}

/// Of one state.
template <class R>
TANDEM_HD void gather(const R* data, Index, Index row_stride, Index n_rows, int, R* rows) {
  for (Index row = 0; row < n_rows; ++row) rows[row] = data[row * row_stride];
}

/// The same way back; lanes beyond n_states are dropped. Many rows, as of matrices, are written to memory that no cache
/// has: its lines are asked for some time before.
template <class R, int W>
TANDEM_HD void scatter(const Pack<R, W>* tile, Index n_rows, int n_states, R* data, Index stride, Index row_stride) {
  constexpr int n = rows_together<R, W>;
  if (stride == 1 && n_states == W) {
    for (Index row = 0; row < n_rows; ++row)
      __builtin_memcpy(data + row * row_stride, &tile[row].lanes, sizeof(tile[row].lanes));
    return;
  }
  if (row_stride != 1 || n_rows < n) {
    for (Index row = 0; row < n_rows; ++row)
      for (int k = 0; k < n_states; ++k) data[k * stride + row * row_stride] = tile[row].lanes[k];
    return;
  }
  for (Index next = 0; next < n_rows; next += n) {
    const Index row = next + n <= n_rows ? next : n_rows - n;
    constexpr Index line = 64 / sizeof(R), ahead = 8 * line;
    if (next % line == 0 && next + ahead < n_rows)
      for (int k = 0; k < n_states; ++k) __builtin_prefetch(data + k * stride + next + ahead, 1);
    Pack<R, W> rows[n];
    for (int k = 0; k < n; ++k) rows[k] = tile[row + k];
    transpose_pieces<n / 2>(rows);
    for (int k = 0; k < n; ++k)
      to_pieces<R, n>(
          rows[k], (n_states - k + n - 1) / n,
          [&](int piece) TANDEM_INLINE { return data + (k + n * piece) * stride + row; },
          std::make_integer_sequence<int, W / n>());
  }
}

/// Of one state.
template <class R>
TANDEM_HD void scatter(const R* rows, Index n_rows, int, R* data, Index, Index row_stride) {
  for (Index row = 0; row < n_rows; ++row) data[row * row_stride] = rows[row];
}

}  // namespace tandem::inline TANDEM_ISA
