// SPDX-License-Identifier: Apache-2.0
/// Running another program.
#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace tandem::cli {

/// A file without a name, gone when it is closed. Throws RunError if none can be made.
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;
TemporaryFile temporary_file();

/// How a program ended: its exit code, 128 + n if signal n ended it; `found` is false if it could not be started.
struct Ended {
  bool found = false;
  int code = 0;
};

/// Runs a program, looked for along the PATH, to its end. Its standard input and standard error are the files, from
/// their beginning, or this program's own where there is null; what it prints goes where this program prints.
Ended run_program(const std::vector<std::string>& words, std::FILE* input, std::FILE* errors);

/// The Python that has the package tandem: TANDEM_PYTHON, that of the virtual environment into which a wheel has put
/// this program, or python3.
std::string python_interpreter();

/// Asks a module of the Python package whether it can do what is asked, without doing it. Throws Error that
/// says what is missing, and which extra of the package brings it; `asked` names the option or command, `what` what is
/// done.
void check_python_package(const std::vector<std::string>& words, const std::string& asked, const std::string& what,
                          const std::string& extra);

/// All that is in a file.
std::string text_of(std::FILE* file);

}  // namespace tandem::cli
