// SPDX-License-Identifier: Apache-2.0
#include "rollout/ensemble.hpp"

#include <algorithm>

namespace tandem::cli {

void Moments::of_group(const double* members, const char* counts, Index count, double* moments) const {
  std::fill_n(moments, size(), 0.0);
  double *mean = moments + 1, *products = mean + n_, n = 0;
  for (Index b = 0; b < count; ++b) {
    if (!counts[b]) continue;
    n += 1;
    for (Index k = 0; k < n_; ++k) mean[k] += members[b * n_ + k];
  }
  moments[0] = n;
  if (n == 0) return;
  for (Index k = 0; k < n_; ++k) mean[k] /= n;
  std::vector<double> d(static_cast<std::size_t>(n_));
  for (Index b = 0; b < count; ++b) {
    if (!counts[b]) continue;
    for (Index k = 0; k < n_; ++k) d[static_cast<std::size_t>(k)] = members[b * n_ + k] - mean[k];
    double* row = products;
    for (Index k = 0; k < n_; ++k) {
      const double x = d[static_cast<std::size_t>(k)];
      for (Index j = k; j < n_; ++j) *row++ += x * d[static_cast<std::size_t>(j)];
    }
  }
}

void Moments::join(double* moments, const double* others) const {
  const double a = moments[0], b = others[0];
  if (b == 0) return;
  if (a == 0) {
    std::copy_n(others, size(), moments);
    return;
  }
  double *mean = moments + 1, *products = mean + n_;
  const double *mean_b = others + 1, *products_b = mean_b + n_;
  std::vector<double> d(static_cast<std::size_t>(n_));
  for (Index k = 0; k < n_; ++k) d[static_cast<std::size_t>(k)] = mean_b[k] - mean[k];
  const double share = b / (a + b), weight = a * share;
  for (Index k = 0; k < n_; ++k) {
    const double x = weight * d[static_cast<std::size_t>(k)];
    for (Index j = k; j < n_; ++j, ++products, ++products_b)
      *products += *products_b + x * d[static_cast<std::size_t>(j)];
  }
  for (Index k = 0; k < n_; ++k) mean[k] += share * d[static_cast<std::size_t>(k)];
  moments[0] = a + b;
}

void Moments::result(const double* moments, double* mean, double* covariance) const {
  std::copy_n(moments + 1, n_, mean);
  const double* product = moments + 1 + n_;
  const double divisor = moments[0] - 1;
  for (Index k = 0; k < n_; ++k)
    for (Index j = k; j < n_; ++j, ++product)
      covariance[k * n_ + j] = covariance[j * n_ + k] = divisor > 0 ? *product / divisor : 0;
}

void Ensemble::add(Place place, std::vector<double> sums) {
  next_ = (place.first + 1) << place.level;
  changed_ = std::min(changed_, parts_.size());
  parts_.push_back({place, std::move(sums)});
  const auto size = static_cast<std::size_t>(moments_.size());
  while (parts_.size() > 1) {
    Part& left = parts_[parts_.size() - 2];
    const Part& right = parts_.back();
    if (left.place.level != right.place.level || left.place.first % 2 != 0 || left.place.first + 1 != right.place.first)
      return;
    for (std::size_t t = 0; t * size < right.sums.size(); ++t)
      moments_.join(left.sums.data() + t * size, right.sums.data() + t * size);
    left.place = {left.place.level + 1, left.place.first / 2};
    parts_.pop_back();
    changed_ = std::min(changed_, parts_.size() - 1);
  }
}

void Ensemble::add(const Ensemble& next) {
  for (const Part& part : next.parts_) add(part.place, part.sums);
}

std::vector<double> Ensemble::all() const {
  const auto size = static_cast<std::size_t>(moments_.size()), times = static_cast<std::size_t>(times_);
  if (parts_.empty()) return std::vector<double>(size * times, 0.0);
  std::vector<double> sums = parts_.back().sums;
  for (std::size_t k = parts_.size() - 1; k-- > 0;) {
    std::vector<double> joined = parts_[k].sums;
    for (std::size_t t = 0; t < times; ++t) moments_.join(joined.data() + t * size, sums.data() + t * size);
    sums = std::move(joined);
  }
  return sums;
}

void Ensemble::pretend(std::int64_t groups) {
  for (std::int64_t k = 0; k < groups; ++k) add({0, next_}, {});
  const auto size = static_cast<std::size_t>(moments_.size() * times_);
  for (Part& part : parts_) part.sums.assign(size, 0.0);
}

std::size_t Ensemble::most_parts(std::int64_t first, std::int64_t groups) {
  Ensemble ensemble(0, 0, first);
  std::size_t most = 0;
  for (std::int64_t k = 0; k < groups; ++k) {
    ensemble.add({0, ensemble.next_}, {});
    most = std::max(most, ensemble.parts());
  }
  return most;
}

}  // namespace tandem::cli
