// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::cli {

/// Reports errno: RunError, or std::system_error of a pipe that nobody listens to, which main() passes over.
[[noreturn]] void throw_cannot_write(const std::string& path);

/// A file in the folder of `path` that has no name yet, open to read and write, or -1 where the file system has no such
/// files. It goes when it is closed, or the program is killed, unless it is given a name.
int open_without_name(const std::string& path);
/// A path to such a file, for this process.
std::string path_of(int descriptor);
/// Gives such a file a name that is not taken yet. False with errno if it cannot.
bool link_to(int descriptor, const std::string& name);
/// Gives it a name beside `target`, to be renamed to that: a file that is there is replaced in one step. "" with errno
/// if it cannot.
std::string link_beside(int descriptor, const std::string& target);

/// A file that will replace the one at a path. Until it is put in its place it has no name, where the file system can
/// do that; else it lies beside and is removed, by signals that end the program too.
class Replacement {
 public:
  /// Throws RunError if there is something at `path` that is no ordinary file, or no file can be made beside it.
  explicit Replacement(const std::string& path);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// The file, to be opened and closed by the caller.
  std::string name() const { return descriptor_ >= 0 ? path_of(descriptor_) : temporary_; }
  /// Puts the file, once it is closed, in the place of the other one, with its permissions. Its contents are on the
  /// disk before its name is.
  void commit();

 private:
  std::string path_, target_;  ///< as the user named it; what will be replaced, behind symbolic links
  std::string temporary_;      ///< where it has a name already
  int descriptor_ = -1;
  unsigned mode_ = 0;
};

/// A file that appears as a whole or not at all: what is written goes to a temporary file first. "-" is standard
/// output. What is no ordinary file (a pipe, a device) gets everything at the end.
class WholeFile {
 public:
  explicit WholeFile(const std::string& path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view text);
  /// Puts the file in its place. Without it nothing is left behind.
  void commit();

 private:
  void copy_to_target();

  std::string path_;                        ///< as the user named it
  std::optional<Replacement> replacement_;  ///< none if everything is copied at the end
  std::FILE* file_ = nullptr;
};

}  // namespace tandem::cli
