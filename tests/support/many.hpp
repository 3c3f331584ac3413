// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tandem::test {

/// Sanitizers look at what a line of code does, not at how many numbers went through it: there, some tests try fewer.
#if defined(TANDEM_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// n, or a tenth of it under sanitizers: for tests of depth and cost, whose faults would show either way.
constexpr int many(int n) { return sanitized ? n / 10 : n; }

}  // namespace tandem::test
