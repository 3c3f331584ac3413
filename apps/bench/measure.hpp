// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench.hpp"
#include "results.hpp"

namespace tandem::bench {

/// Times every row as often as asked, all rows in turn in random order, and gives their lines.
Lines measure(const Rows& rows, const Settings& settings);

}  // namespace tandem::bench
