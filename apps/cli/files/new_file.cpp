// SPDX-License-Identifier: Apache-2.0
#include "files/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli.hpp"
#include "files/output.hpp"
#include "signals.hpp"

namespace tandem::cli {

NewFile::NewFile(const std::string& path) : path_(path), target_(path) {
  if (path == "-") {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  struct ::stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  ordinary_ = !exists || S_ISREG(status.st_mode);
  std::error_code ignored;
  const bool may_be_replaced = exists ? ordinary_ && ::access(path.c_str(), W_OK) == 0
                                      : !std::filesystem::is_symlink(std::filesystem::path(path), ignored);
  if (may_be_replaced) {
    if (exists) target_ = std::filesystem::canonical(path).string();
    if (exists) refuse_target_in_use();
    descriptor_ = open_without_name(target_);  // where it cannot, the file is there from the start
    named_ = descriptor_ < 0;
    if (descriptor_ >= 0 && exists) ::fchmod(descriptor_, status.st_mode & 07777);
  }
  if (descriptor_ < 0) descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail();
}

NewFile::NewFile(const std::string& path, Open how) : path_(path), target_(path), ordinary_(true) {
  descriptor_ = ::open(path.c_str(), (how == Open::to_read ? O_RDONLY : O_RDWR) | O_CLOEXEC);
  if (descriptor_ < 0) throw RunError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  struct ::stat status{};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
    throw RunError(fmt::format("cannot open {}: it is not a regular file", path));
  if (how == Open::to_go_on) lock();
}

namespace {

/// Of one byte far behind all others, so that readers that lock what they read are not in the way, nor this in theirs.
struct ::flock writing() {
  struct ::flock whole{};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  whole.l_start = std::int64_t{1} << 62;
  whole.l_len = 1;
  return whole;
}

}  // namespace

void NewFile::lock() {
#ifdef F_OFD_SETLK
  constexpr int set = F_OFD_SETLK;  // of this descriptor: it stays when another one of the file is closed
#else
  constexpr int set = F_SETLK;
#endif
  struct ::flock whole = writing();
  if (::fcntl(descriptor_, set, &whole) != 0 && (errno == EACCES || errno == EAGAIN))
    throw RunError(fmt::format("{}: another process is writing to it", path_));
}

/// Throws if another process writes to the target, which it then locks.
void NewFile::refuse_target_in_use() const {
  const int there = ::open(target_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (there < 0) return;
#ifdef F_OFD_GETLK
  constexpr int get = F_OFD_GETLK;
#else
  constexpr int get = F_GETLK;
#endif
  struct ::flock whole = writing();
  const bool is_written = ::fcntl(there, get, &whole) == 0 && whole.l_type != F_UNLCK;
  ::close(there);
  if (is_written) throw RunError(fmt::format("{}: another process is writing to it", path_));
}

bool NewFile::read_at(std::int64_t position, char* bytes, std::size_t count) const {
  while (count > 0) {
    const ssize_t n = ::pread(descriptor_, bytes, count, position);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw RunError(fmt::format("cannot read {}: {}", path_, std::strerror(errno)));
    if (n == 0) return false;
    position += n;
    bytes += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

NewFile::~NewFile() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
}

void NewFile::fail() const { throw_cannot_write(path_); }

void NewFile::write_at(std::int64_t position, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), position);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    position += n;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void NewFile::cut(std::int64_t bytes) const { [[maybe_unused]] const int ignored = ::ftruncate(descriptor_, bytes); }

void NewFile::lengthen(std::int64_t bytes) {
  if (::ftruncate(descriptor_, bytes) != 0) fail();
}

void NewFile::publish() {
  if (named_) return;
  if (::fsync(descriptor_) != 0) fail();
  const SignalsHeld meanwhile;
  if (!link_to(descriptor_, target_)) {
    if (errno != EEXIST) fail();
    refuse_target_in_use();
    const std::string other = link_beside(descriptor_, target_);
    if (other.empty()) fail();
    if (std::rename(other.c_str(), target_.c_str()) != 0) {
      const int why = errno;
      ::unlink(other.c_str());
      errno = why;
      fail();
    }
  }
  named_ = true;
}

void NewFile::close() {
  if (descriptor_ < 0 || descriptor_ == STDOUT_FILENO) return;
  if (::close(std::exchange(descriptor_, -1)) != 0) fail();
}

void GrowingText::add_unit(std::string_view unit) {
  const std::int64_t room = file_page - size_ % file_page;
  const auto length = static_cast<std::int64_t>(unit.size());
  if (length > room && length <= file_page) {
    pending_.append(static_cast<std::size_t>(room), ' ');
    size_ += room;
  }
  pending_ += unit;
  size_ += length;
}

void GrowingText::write(std::string_view lines) {
  if (!file_.is_ordinary()) return file_.write(lines);
  const std::int64_t before = size_;
  pending_.clear();
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n') + 1);
    lines.remove_prefix(line.size());
    while (static_cast<std::int64_t>(line.size()) > file_page) {
      const std::string_view field = line.substr(0, line.find(',') + 1);
      if (field.empty()) break;
      add_unit(field);
      line.remove_prefix(field.size());
    }
    add_unit(line);
  }
  try {
    std::string_view left = pending_;
    for (std::int64_t at = before; at < size_;) {
      const std::string_view in_page = left.substr(0, static_cast<std::size_t>(file_page - at % file_page));
      file_.write_at(at, in_page);
      at += static_cast<std::int64_t>(in_page.size());
      left.remove_prefix(in_page.size());
    }
  } catch (...) {
    file_.cut(before);
    throw;
  }
  if (!std::exchange(published_, true)) file_.publish();
}

}  // namespace tandem::cli
