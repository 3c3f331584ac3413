// SPDX-License-Identifier: Apache-2.0
/// Which links of a robot are coupled when their articulated bodies are made, from the last link to the first.
#pragma once
#include <cstdint>
#include <vector>

namespace tandem {

/// Pairs of links: those that are added, and those that elimination couples besides (a symbolic Cholesky factorisation
/// in the order of the links). All members are compiled once: code for an instruction set may include this.
class CouplingPattern {
 public:
  CouplingPattern(const std::int32_t* parents, int n_links);
  ~CouplingPattern();
  CouplingPattern(const CouplingPattern&) = delete;
  CouplingPattern& operator=(const CouplingPattern&) = delete;

  void clear();
  /// Either may be 0, what does not move: then there is nothing to couple.
  void add(int link, int other);
  /// Rows add to the inertia of a link.
  void meet(int link);
  /// After all are added: finds what elimination couples, and sorts.
  void close();

  // see LinkCouplings, after close()
  int n() const;
  const int* first() const;
  const int* partners() const;
  const int* meets() const;

 private:
  std::vector<int> parents_, first_, partners_, meets_;
  std::vector<std::vector<int>> of_links_;  ///< partners of lower numbers
};

}  // namespace tandem
