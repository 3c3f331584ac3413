// SPDX-License-Identifier: Apache-2.0
#include "files/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cli.hpp"
#include "signals.hpp"

namespace tandem::cli {
namespace {

std::string name_of(const std::string& path) { return path == "-" ? "standard output" : path; }

void write_all(std::FILE* file, std::string_view text, const std::string& path) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) throw_cannot_write(path);
}

mode_t mode_of_new_file() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// Beside the file, but for its end; names may have 255 bytes.
std::string name_of_temporary(const std::string& target) {
  constexpr std::size_t most = 200;
  const std::filesystem::path path(target);
  return (path.parent_path() / path.filename().string().substr(0, most)).string();
}

}  // namespace

int open_without_name([[maybe_unused]] const std::string& path) {
#ifdef O_TMPFILE
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  if (descriptor < 0 || ::access(path_of(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);  // without /proc it could get no name
#endif
  return -1;
}

std::string path_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

bool link_to(int descriptor, const std::string& name) {
  return ::linkat(AT_FDCWD, path_of(descriptor).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

std::string link_beside(int descriptor, const std::string& target) {
  errno = EEXIST;
  for (int trial = 0; errno == EEXIST && trial < 100; ++trial) {
    std::string name = fmt::format("{}.{:06x}", name_of_temporary(target), (::getpid() + trial) & 0xffffff);
    if (link_to(descriptor, name)) return name;
  }
  return "";
}

void throw_cannot_write(const std::string& path) {
  if (errno == EPIPE) throw std::system_error(errno, std::generic_category(), "cannot write to " + name_of(path));
  throw RunError(fmt::format("cannot write to {}: {}", name_of(path), std::strerror(errno)));
}

Replacement::Replacement(const std::string& path) : path_(path), target_(path), mode_(mode_of_new_file()) {
  struct ::stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw RunError(fmt::format("cannot write to {}: it is a directory", path));
    if (!S_ISREG(status.st_mode)) throw RunError(fmt::format("cannot write to {}: it is not a regular file", path));
    target_ = std::filesystem::canonical(path).string();
    mode_ = status.st_mode & 07777;
  }
  const SignalsHeld until_known;  // to the handler that removes the file
  descriptor_ = open_without_name(target_);
  if (descriptor_ < 0) {
    std::string name = name_of_temporary(target_) + ".XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0) throw_cannot_write(path_);
    ::close(descriptor);
    temporary_ = name;
  }
  remove_when_ended(temporary_);
}

Replacement::~Replacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  keep_when_ended();
}

void Replacement::commit() {
  const int file = descriptor_ >= 0 ? descriptor_ : ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC);
  ::fchmod(file, mode_);
  const bool on_disk = ::fsync(file) == 0;
  if (file != descriptor_) ::close(file);
  if (!on_disk) throw_cannot_write(path_);
  const SignalsHeld meanwhile;
  if (descriptor_ >= 0 && !link_to(descriptor_, target_)) {
    if (errno == EEXIST) temporary_ = link_beside(descriptor_, target_);
    if (temporary_.empty()) throw_cannot_write(path_);
  }
  if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) throw_cannot_write(path_);
  temporary_.clear();
  keep_when_ended();
}

WholeFile::WholeFile(const std::string& path) : path_(path) {
  struct ::stat status{};
  const bool exists = path != "-" && ::stat(path.c_str(), &status) == 0;
  if (path == "-" || (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) {
    file_ = std::tmpfile();
    if (!file_) throw RunError(fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
    return;
  }
  replacement_.emplace(path);
  file_ = std::fopen(replacement_->name().c_str(), "w");
  if (!file_) throw_cannot_write(path_);
}

WholeFile::~WholeFile() {
  if (file_) std::fclose(file_);
}

void WholeFile::write(std::string_view text) { write_all(file_, text, path_); }

void WholeFile::commit() {
  if (std::fflush(file_) != 0) throw_cannot_write(path_);
  if (!replacement_) return copy_to_target();
  const int status = std::fclose(file_);
  file_ = nullptr;
  if (status != 0) throw_cannot_write(path_);
  replacement_->commit();
}

void WholeFile::copy_to_target() {
  std::rewind(file_);
  std::FILE* to = path_ == "-" ? stdout : std::fopen(path_.c_str(), "w");
  if (!to) throw_cannot_write(path_);
  std::vector<char> buffer(1 << 20);
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file_))
    write_all(to, {buffer.data(), n}, path_);
  if (std::ferror(file_)) throw RunError(fmt::format("cannot read a temporary file: {}", std::strerror(errno)));
  if (to == stdout ? std::fflush(to) != 0 : std::fclose(to) != 0) throw_cannot_write(path_);
}

}  // namespace tandem::cli
