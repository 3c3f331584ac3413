// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace tandem::cli {

bool input_is_a_terminal() { return ::isatty(STDIN_FILENO) != 0; }
bool errors_go_to_a_terminal() { return ::isatty(STDERR_FILENO) != 0; }

std::size_t terminal_width() {
  struct winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace tandem::cli
