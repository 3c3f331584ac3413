// SPDX-License-Identifier: Apache-2.0
/// What differs from one operating system to the next, but for the command line (apps/cli).
#pragma once
#include <string>

namespace tandem {

/// "AMD EPYC 9B14"; "unknown processor" where nobody says.
std::string processor_name();

/// Where a user's settings are kept, without an end: XDG_CONFIG_HOME or ~/.config, on Windows LOCALAPPDATA; empty where
/// there is none of these.
std::string settings_folder();

/// Where what can be made again is kept for the user, without an end: TANDEM_CACHE_DIR, or `tandem` in XDG_CACHE_HOME
/// or ~/.cache, on Windows in LOCALAPPDATA; empty where there is none of these, or TANDEM_CACHE_DIR is empty.
std::string cache_folder();

}  // namespace tandem
