// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tandem::test {

/// n, or a tenth of it under sanitizers: for tests of depth and cost, whose faults would show either way.
constexpr int many(int n) {
#if defined(TANDEM_SANITIZED)
  return n / 10;
#else
  return n;
#endif
}

}  // namespace tandem::test
