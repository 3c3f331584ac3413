// SPDX-License-Identifier: Apache-2.0
/// Memory that notices what a function does to it.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "support/dense.hpp"
#include "tandem/api/workspace.hpp"

namespace tandem::test {

/// Bit pattern that stands around every array and must be there afterwards.
template <class T>
inline const T sentinel = static_cast<T>(-7.0123456789e21);

template <class T>
bool same_bits(const T* a, const T* b, std::size_t n) {
  return n == 0 || std::memcmp(a, b, n * sizeof(T)) == 0;
}

/// An argument between two fences. Inputs must not change; outputs begin as NaN.
template <class T>
class Fenced {
 public:
  /// An output.
  explicit Fenced(Index rows) : numbers_(with_fences(rows)), before_() {
    std::fill(numbers_.begin() + fence, numbers_.end() - fence, std::numeric_limits<T>::quiet_NaN());
  }
  /// An input.
  explicit Fenced(const Vector& values) : numbers_(with_fences(values.size())) {
    for (Index k = 0; k < values.size(); ++k) numbers_[static_cast<std::size_t>(fence + k)] = static_cast<T>(values[k]);
    before_ = numbers_;
  }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;
  ~Fenced() {
    const std::vector<T> posts(fence, sentinel<T>);
    EXPECT_TRUE(same_bits(posts.data(), numbers_.data(), fence)) << "written before the begin of an argument";
    EXPECT_TRUE(same_bits(posts.data(), numbers_.data() + numbers_.size() - fence, fence))
        << "written behind the end of an argument";
    EXPECT_TRUE(before_.empty() || same_bits(before_.data(), numbers_.data(), numbers_.size()))
        << "an input was written to";
  }

  std::span<const T> in() const { return {numbers_.data() + fence, numbers_.size() - 2 * fence}; }
  std::span<T> out() { return {numbers_.data() + fence, numbers_.size() - 2 * fence}; }
  Vector values() const {
    Vector result(static_cast<Index>(in().size()));
    for (Index k = 0; k < result.size(); ++k) result[k] = static_cast<double>(in()[static_cast<std::size_t>(k)]);
    return result;
  }

 private:
  static constexpr int fence = 8;
  static std::vector<T> with_fences(Index rows) {
    return std::vector<T>(static_cast<std::size_t>(rows + 2 * fence), sentinel<T>);
  }
  std::vector<T> numbers_, before_;
};
extern template class Fenced<double>;  // in robot.cpp
extern template class Fenced<float>;

/// Fills the rows that a call may use with NaN and sets a fence behind them.
template <class T>
class FencedWorkspace {
 public:
  FencedWorkspace(Workspace<T>& work, Index rows) : work_(work), rows_(rows) {
    T* numbers = work.reserve(rows + fence);
    std::fill(numbers, numbers + rows, std::numeric_limits<T>::quiet_NaN());
    std::fill(numbers + rows, numbers + rows + fence, sentinel<T>);
  }
  FencedWorkspace(const FencedWorkspace&) = delete;
  FencedWorkspace& operator=(const FencedWorkspace&) = delete;
  ~FencedWorkspace() {
    const std::vector<T> posts(fence, sentinel<T>);
    EXPECT_TRUE(same_bits(posts.data(), work_.data() + rows_, fence)) << "written behind the end of the workspace";
  }

 private:
  static constexpr Index fence = 16;
  Workspace<T>& work_;
  Index rows_;
};
extern template class FencedWorkspace<double>;
extern template class FencedWorkspace<float>;

}  // namespace tandem::test
