// SPDX-License-Identifier: Apache-2.0
/// Means and covariances of an ensemble whose members come in parts: the same bits however it was divided.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Members that are summed one after the other, from a multiple of this on. Groups are joined in pairs, pairs in pairs,
/// by their numbers, so that every sum is made of the same two wherever that happens.
constexpr Index members_of_group = 64;

/// Count, mean and sums of products of deviations from it, of vectors of n numbers: [1 + n + n (n + 1) / 2], the
/// products by rows from the diagonal on.
class Moments {
 public:
  explicit Moments(Index n) : n_(n) {}
  Index size() const { return 1 + n_ + n_ * (n_ + 1) / 2; }

  /// Of `count` members, all given at once: the mean first, then deviations from it. `counts`: who takes part.
  void of_group(const double* members, const char* counts, Index count, double* moments) const;
  /// Those of two groups together, into the first (Chan, Golub, LeVeque 1979).
  void join(double* moments, const double* others) const;
  /// [n] and [n][n]: zeros of nobody; the covariance by count - 1, zeros of one.
  void result(const double* moments, double* mean, double* covariance) const;

 private:
  Index n_;
};

/// Moments at `times` moments of all groups so far, as far as they can be joined.
class Ensemble {
 public:
  /// `first`: number of the first group.
  Ensemble(Index times, Index n, std::int64_t first) : moments_(n), times_(times), next_(first) {}

  Index times() const { return times_; }
  const Moments& moments() const { return moments_; }
  /// Moments of the next group: [times][moments.size()].
  void add_group(std::vector<double> sums) { add({0, next_}, std::move(sums)); }
  /// All of another ensemble, which begins where this one ends.
  void add(const Ensemble& next);

  /// What cannot be joined yet: [times][moments.size()] each.
  std::size_t parts() const { return parts_.size(); }
  const std::vector<double>& part(std::size_t k) const { return parts_[k].sums; }
  /// The first of them that is not as it was when this was called last.
  std::size_t first_changed() { return std::exchange(changed_, parts_.size()); }
  /// Of all groups: [times][moments.size()].
  std::vector<double> all() const;
  /// As one that was given so many groups, with its parts to be filled in.
  void pretend(std::int64_t groups);
  std::vector<double>& part_to_fill(std::size_t k) { return parts_[k].sums; }
  /// The most parts that there are at a time on the way through so many groups.
  static std::size_t most_parts(std::int64_t first, std::int64_t groups);

 private:
  struct Place {
    int level = 0;           ///< of 2^level groups
    std::int64_t first = 0;  ///< in units of these
  };
  struct Part {
    Place place;
    std::vector<double> sums;
  };
  void add(Place place, std::vector<double> sums);

  Moments moments_;
  Index times_;
  std::int64_t next_;
  std::vector<Part> parts_;
  std::size_t changed_ = 0;
};

}  // namespace tandem::cli
