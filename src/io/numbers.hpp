// SPDX-License-Identifier: Apache-2.0
/// Numbers as text, the same in every locale.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tandem::io {

/// Fills `out` with numbers separated by white space. Returns what is wrong with the text, if anything; `out`
/// is then unspecified. "nan" and "inf" are numbers here; whoever uses them decides.
std::optional<std::string> read_reals(std::string_view text, std::span<double> out);

}  // namespace tandem::io
