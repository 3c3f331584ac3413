// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace tandem::cli {

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
  void open_beside(const std::string& target);
  void copy_to_target();

  std::string path_;       ///< as the user named it
  std::string target_;     ///< the file to be replaced; empty if everything is copied at the end
  std::string temporary_;  ///< name of the temporary file; empty if it has none
  std::FILE* file_ = nullptr;
};

/// A file that is written as it goes, so that what there is stays when a run stops early. "-" is standard output.
class GrowingFile {
 public:
  explicit GrowingFile(const std::string& path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void write(std::string_view text);
  void close();

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
};

}  // namespace tandem::cli
