// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "backends/cuda/generated/compiler.hpp"
#include "core/text.hpp"
#include "tandem/error.hpp"

extern char** environ;

namespace tandem::cuda {
namespace {

namespace fs = std::filesystem;

/// A folder of this process alone, gone when this is.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "tandem-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error(sentence("cannot make a folder in ", fs::temp_directory_path().string()));
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// True if the program ran and ended well. What it says goes to a file.
bool run(const std::vector<std::string>& words, const std::string& said) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t child = 0;
  const int started = posix_spawnp(&child, arguments.front(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (started != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Nvcc : public Compiler {
 public:
  Nvcc(std::string program, std::string version) : program_(std::move(program)), version_(std::move(version)) {}
  std::string name() const override { return "nvcc " + version_; }

  Image compile(const std::string& text, int capability, const std::atomic<bool>&) const override {
    const Folder folder;
    const std::string source = folder.file("robot.cu"), result = folder.file("robot.cubin"), log = folder.file("log");
    if (!(std::ofstream(source, std::ios::binary) << text).flush()) throw Error("cannot write " + source);
    if (!run({program_, "-O3", "-std=c++17", "-fmad=false", "-cubin", "-arch=sm_" + std::to_string(capability), "-o",
              result, source},
             log))
      throw Error(sentence(name(), ": ", content(log)));
    const std::string bytes = content(result);
    const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
    return {first, first + bytes.size()};
  }

 private:
  std::string program_, version_;
};

}  // namespace

std::unique_ptr<const Compiler> nvcc(std::string& why_not) {
  std::vector<std::string> programs = {"nvcc", "/usr/local/cuda/bin/nvcc"};
  if (const char* const own = std::getenv("CUDACXX"); own && *own) programs = {own};
  try {
    const Folder folder;
    const std::string log = folder.file("log");
    for (const std::string& program : programs) {
      if (!run({program, "--version"}, log)) continue;
      const std::string said = content(log), word = "release ";
      const std::size_t begin = said.find(word);
      if (begin == std::string::npos) continue;
      const std::size_t first = begin + word.size();
      return std::make_unique<const Nvcc>(program, said.substr(first, said.find(',', first) - first));
    }
  } catch (const std::exception&) {  // no place for temporary files
  }
  why_not = sentence("no ", programs.front(), " on the PATH");
  return nullptr;
}

}  // namespace tandem::cuda
