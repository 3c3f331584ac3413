// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "cli.hpp"

extern "C" char** environ;  // not every system's headers name it

namespace tandem::cli {

TemporaryFile temporary_file() {
  TemporaryFile file(std::tmpfile());
  if (!file) throw RunError(fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
  return file;
}

Ended run_program(const std::vector<std::string>& words, std::FILE* input, std::FILE* errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input) {
    std::fflush(input);
    ::lseek(fileno(input), 0, SEEK_SET);
    posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
  }
  if (errors) posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO);
  std::fflush(stdout);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return {};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {true, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

std::string text_of(std::FILE* file) {
  std::string text;
  ::lseek(fileno(file), 0, SEEK_SET);
  std::rewind(file);
  char block[4096];
  for (std::size_t got; (got = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, got);
  return text;
}

std::string python_interpreter() {
  if (const char* named = std::getenv("TANDEM_PYTHON"); named && *named) return named;
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = own.parent_path(), beside = folder / "python3";
  const bool of_environment = !own.empty() && std::filesystem::exists(folder.parent_path() / "pyvenv.cfg", error) &&
                              std::filesystem::exists(beside, error);
  return of_environment ? beside.string() : "python3";
}

void check_python_package(const std::vector<std::string>& words, const std::string& asked, const std::string& what,
                          const std::string& extra) {
  const TemporaryFile errors = temporary_file();
  const Ended ended = run_program(words, nullptr, errors.get());
  if (ended.found && ended.code == done) return;
  std::string said = ended.found ? text_of(errors.get()) : "";
  while (!said.empty() && said.back() == '\n') said.pop_back();
  constexpr std::string_view mark = "error: ";
  if (said.starts_with(mark)) throw Error(asked + ": " + said.substr(mark.size()));
  throw Error(fmt::format(
      "{}: {} by the Python package tandem, which {} {}. Install it in Tandem's folder with\n"
      "  pip install '.[{}]'\nor set the environment variable TANDEM_PYTHON to an interpreter that has it{}",
      asked, what, words[0], ended.found ? "does not have" : "was to import, but this program does not exist", extra,
      said.empty() ? "" : "\n(its message: " + said.substr(said.rfind('\n') + 1) + ")"));
}

}  // namespace tandem::cli
