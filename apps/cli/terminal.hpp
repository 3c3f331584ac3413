// SPDX-License-Identifier: Apache-2.0
/// Whether somebody sits there.
#pragma once
#include <cstddef>

namespace tandem::cli {

bool input_is_a_terminal();
bool errors_go_to_a_terminal();
/// Columns of the terminal that errors go to; 80 where it does not say.
std::size_t terminal_width();

}  // namespace tandem::cli
