// SPDX-License-Identifier: Apache-2.0
/// A file that is written while it grows, so that what there is stays when a run stops early.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tandem::cli {

/// A write that lies within one of these, counted from the beginning of a file, happens as a whole or not at all, even
/// if the program is killed.
constexpr std::int64_t file_page = 4096;

/// A file that has no name before publish(), where the file system can do that, so that it appears with its first
/// contents. What is at `path` already is replaced then; a device or a pipe is written to from the start. A failure is
/// a RunError that names the file; a broken pipe is a std::system_error.
class NewFile {
 public:
  /// "-": standard output. Throws RunError if another process is writing to the file.
  explicit NewFile(const std::string& path);
  /// One that is there already and has its name, to read, or to write further. No other process may write to it
  /// meanwhile.
  enum class Open { to_read, to_go_on };
  NewFile(const std::string& path, Open how);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// False of pipes, devices and the like, which take bytes one after the other.
  bool is_ordinary() const { return ordinary_; }
  /// Of an ordinary file.
  void write_at(std::int64_t position, std::string_view bytes);
  /// False if the file ends before.
  bool read_at(std::int64_t position, char* bytes, std::size_t count) const;
  /// Keeps other processes from writing to it; throws RunError if one does.
  void lock();
  /// Behind what was written.
  void write(std::string_view bytes);
  /// By zeros.
  void lengthen(std::int64_t bytes);
  /// Takes off what was written last, after an error.
  void cut(std::int64_t bytes) const;
  /// Gives the file its name. What was there stays until then, and if another process is writing to it: a RunError.
  void publish();
  void close();

  [[noreturn]] void fail() const;  ///< with errno

 private:
  void refuse_target_in_use() const;

  std::string path_, target_;  ///< as the user named it; where it will be, behind symbolic links
  int descriptor_ = -1;
  bool ordinary_ = false, named_ = true;
};

/// Lines of text in a file that has whole ones at every moment: a line that would go over the end of a page of the file
/// has blanks before it, so that it begins with the next one. Where a line is longer than a page its fields do so, and
/// a program that is killed may leave some of its numbers, but never a part of one.
class GrowingText {
 public:
  explicit GrowingText(const std::string& path) : file_(path) {
    if (file_.is_ordinary()) file_.lock();
  }

  /// Adds lines that end in a line end. The file appears with the first ones. If they cannot be written the file is cut
  /// off behind those before.
  void write(std::string_view lines);
  void close() { file_.close(); }

 private:
  void add_unit(std::string_view unit);

  NewFile file_;
  std::string pending_;
  std::int64_t size_ = 0;  ///< bytes, with those pending
  bool published_ = false;
};

}  // namespace tandem::cli
