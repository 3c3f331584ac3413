// SPDX-License-Identifier: Apache-2.0
/// Methods of papers, which a build may leave out (TANDEM_PAPERS=OFF). Tests of these alone are in tests/papers.
#pragma once

namespace tandem::test {

/// Whether this build has them.
#if defined(TANDEM_HAS_PAPERS)
inline constexpr bool has_papers = true;
#else
inline constexpr bool has_papers = false;
#endif

}  // namespace tandem::test
