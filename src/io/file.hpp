// SPDX-License-Identifier: Apache-2.0
/// Files of robots.
#pragma once
#include <string>

namespace tandem::io {

/// All of a file or pipe; stops early at what can be no robot description, as the reader will say. Throws ModelError.
std::string read_file(const std::string& path);

}  // namespace tandem::io
