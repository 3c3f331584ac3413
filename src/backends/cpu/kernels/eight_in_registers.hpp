// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "pack.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// Eight numbers in as many registers as it takes.
template <class T>
struct EightInRegisters {
  using Number = T;
  static constexpr int W = FullPack<T>::width < 8 ? FullPack<T>::width : 8, n = 8 / W;
  Pack<T, W> parts[n];

  TANDEM_HD static EightInRegisters load(const T* from) {
    EightInRegisters r;
    for (int k = 0; k < n; ++k) __builtin_memcpy(&r.parts[k].lanes, from + W * k, sizeof(r.parts[k].lanes));
    return r;
  }
  TANDEM_HD void store(T* to) const {
    for (int k = 0; k < n; ++k) __builtin_memcpy(to + W * k, &parts[k].lanes, sizeof(parts[k].lanes));
  }
  TANDEM_HD T operator[](int j) const { return parts[j / W].lanes[j % W]; }
};
template <class T>
TANDEM_HD EightInRegisters<T> mul_add(const T& s, const EightInRegisters<T>& x, EightInRegisters<T> y) {
  for (int k = 0; k < y.n; ++k) y.parts[k] = mul_add(Pack<T, y.W>(s), x.parts[k], y.parts[k]);
  return y;
}
template <class T>
TANDEM_HD EightInRegisters<T> operator*(const T& s, EightInRegisters<T> x) {
  for (int k = 0; k < x.n; ++k) x.parts[k] = Pack<T, x.W>(s) * x.parts[k];
  return x;
}
template <class T>
TANDEM_HD EightInRegisters<T> operator-(EightInRegisters<T> x, const EightInRegisters<T>& y) {
  for (int k = 0; k < x.n; ++k) x.parts[k] = x.parts[k] - y.parts[k];
  return x;
}
template <class T>
TANDEM_HD EightInRegisters<T> choose(bool condition, const EightInRegisters<T>& x, const EightInRegisters<T>& y) {
  return condition ? x : y;
}
template <class T>
TANDEM_HD EightInRegisters<T> first_six(const EightInRegisters<T>& x, EightInRegisters<T> y) {
  constexpr int W = EightInRegisters<T>::W;
  for (int j = 0; j < 6; ++j) y.parts[j / W].lanes[j % W] = x.parts[j / W].lanes[j % W];
  return y;
}
template <class T>
TANDEM_HD void transpose(EightInRegisters<T> (&rows)[8]) {
  constexpr int W = EightInRegisters<T>::W, n = 8 / W;
  EightInRegisters<T> from[8];
  for (int i = 0; i < 8; ++i) from[i] = rows[i];
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      Pack<T, W> block[W];
      for (int i = 0; i < W; ++i) block[i] = from[W * a + i].parts[b];
      transpose<W / 2>(block);
      for (int i = 0; i < W; ++i) rows[W * b + i].parts[a] = block[i];
    }
}

}  // namespace tandem::inline TANDEM_ISA
