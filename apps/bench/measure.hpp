// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "bench.hpp"
#include "results.hpp"

namespace tandem::bench {

/// Times every row as often as asked, all rows in turn in random order, and gives their lines. Rows of which one call
/// takes long may say that fewer repetitions do.
Lines measure(const Rows& rows, const Settings& settings, const std::function<int(const Row&)>& repetitions = {});

}  // namespace tandem::bench
