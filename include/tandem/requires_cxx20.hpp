// SPDX-License-Identifier: Apache-2.0
/// Included before anything else: under an older standard a user reads one line about that, and not pages about what
/// the older standard does not know.
#pragma once

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "Tandem needs C++20: compile with -std=c++20, in CMake target_compile_features(TARGET PRIVATE cxx_std_20)"
#include "stop: see the line above"  // there is no such file, which ends the compilation
#endif
