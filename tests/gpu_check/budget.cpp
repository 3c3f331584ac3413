// SPDX-License-Identifier: Apache-2.0
#include "budget.hpp"

#include <chrono>

namespace tandem::gpu_check {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point beginning = Clock::now();
double now() { return std::chrono::duration<double>(Clock::now() - beginning).count(); }

}  // namespace

Budget& Budget::get() {
  static Budget budget;
  return budget;
}

void Budget::begin(const std::string& section, double share) {
  begun_.push_back({section, now()});
  end_ = now() + share * (limit_ - now());
}

bool Budget::allows(const std::string& row) {
  if (limit_ <= 0 || now() < end_) return true;
  left_out_.push_back(begun_.empty() ? row : begun_.back().name + ": " + row);
  return false;
}

std::vector<Budget::Section> Budget::sections() const {
  std::vector<Section> all;
  for (std::size_t k = 0; k < begun_.size(); ++k)
    all.push_back({begun_[k].name, (k + 1 < begun_.size() ? begun_[k + 1].at : now()) - begun_[k].at});
  return all;
}

}  // namespace tandem::gpu_check
