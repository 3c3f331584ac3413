// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tandem::test {

/// Sanitizers look at what a line of code does, not at how many numbers went through it: there, some tests try fewer.
#if defined(TANDEM_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// True where more robots of a kind, more links of a robot and a second precision would go through the same lines once
/// more: under sanitizers, unless the build asks for every case (TANDEM_EVERY_CASE, as scripts/test --thorough does).
#if defined(TANDEM_SANITIZED) && !defined(TANDEM_EVERY_CASE)
inline constexpr bool few_cases = true;
#else
inline constexpr bool few_cases = false;
#endif

/// n, or a tenth of it under sanitizers: for tests of depth and cost, whose faults would show either way.
constexpr int many(int n) { return sanitized ? n / 10 : n; }

}  // namespace tandem::test
