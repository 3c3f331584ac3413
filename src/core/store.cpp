// SPDX-License-Identifier: Apache-2.0
#include "core/store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include "core/machine.hpp"

namespace tandem {
namespace {

/// What a file begins with; the content follows.
struct Header {
  char kind[16] = {'t', 'a', 'n', 'd', 'e', 'm', ' ', 'k', 'e', 'p', 't', ' ', '1', '\n', 0, 0};
  Digest key = {}, of_content = {};
  std::uint64_t size = 0;
};
static_assert(sizeof(Header) == 88);

constexpr std::string_view ending = ".kept", ending_of_new = ".new";
constexpr std::time_t hour = 3600;

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }
  bool close() { return descriptor_ < 0 || ::close(release()) == 0; }

  /// True of a file or folder that nobody but this user, and root, may write to.
  bool is_own(mode_t kind, struct ::stat& found) const {
    return ::fstat(descriptor_, &found) == 0 && (found.st_mode & S_IFMT) == kind && found.st_uid == ::geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }
  bool read(std::byte* to, std::size_t n) const {
    while (n > 0) {
      const ssize_t got = ::read(descriptor_, to, n);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      to += got;
      n -= static_cast<std::size_t>(got);
    }
    return true;
  }
  bool write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
    return true;
  }

 private:
  int descriptor_;
};

/// The folder, if it is the user's alone.
int open_folder(const std::string& path) {
  File folder(path.empty() ? -1 : ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct ::stat found{};
  return folder && folder.is_own(S_IFDIR, found) ? folder.release() : -1;
}

/// With the folders that it lies in, as far as they are not there.
void make_folder(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    ::mkdir(path.substr(0, end).c_str(), 0700);
  ::mkdir(path.c_str(), 0700);
}

/// True of what is called as the files of a store are: a digest and an ending.
bool is_ours(std::string_view name, std::string_view end) {
  return name.size() >= 64 + end.size() && name.find_first_not_of("0123456789abcdef") == 64 &&
         name.substr(64, end.size()) == end;
}

/// Removes the oldest files until what is left takes no more bytes than `most`, and what runs that were killed have
/// left.
void trim(int folder, std::uint64_t most) {
  struct Entry {
    std::string name;
    std::uint64_t size;
    struct ::timespec used;
  };
  std::vector<Entry> entries;
  std::uint64_t all = 0;
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const list = own < 0 ? nullptr : ::fdopendir(own);
  if (!list) {
    if (own >= 0) ::close(own);
    return;
  }
  while (const ::dirent* const entry = ::readdir(list)) {
    const std::string_view name = entry->d_name;
    const bool kept = is_ours(name, ending) && name.size() == 64 + ending.size(), left = is_ours(name, ending_of_new);
    struct ::stat found{};
    if ((!kept && !left) || ::fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (left && found.st_mtime + hour < std::time(nullptr)) ::unlinkat(folder, entry->d_name, 0);
    if (!kept) continue;
    entries.push_back({entry->d_name, static_cast<std::uint64_t>(found.st_size), found.st_mtim});
    all += entries.back().size;
  }
  ::closedir(list);
  if (all <= most) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Entry& entry : entries) {
    if (all <= most) return;
    if (::unlinkat(folder, entry.name.c_str(), 0) == 0) all -= entry.size;
  }
}

/// Beyond it a write would end the process with a signal.
bool may_be_so_large(std::uint64_t size) {
  struct ::rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

}  // namespace

Store Store::of_user() { return Store(cache_folder()); }

std::optional<std::vector<std::byte>> Store::find(const Digest& key) const try {
  const File folder(open_folder(folder_));
  if (!folder) return {};
  const std::string name = hexadecimal(key) + std::string(ending);
  const File file(::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct ::stat found{};
  if (!file || !file.is_own(S_IFREG, found)) return {};
  Header header;
  const auto size = static_cast<std::uint64_t>(found.st_size);
  if (size < sizeof header || size - sizeof header > most_) return {};
  std::vector<std::byte> content(size - sizeof header);
  if (!file.read(reinterpret_cast<std::byte*>(&header), sizeof header) || !file.read(content.data(), content.size()))
    return {};
  if (std::memcmp(header.kind, Header().kind, sizeof header.kind) != 0 || header.key != key ||
      header.size != content.size() || header.of_content != Sha256::of(content))
    return {};
  if (found.st_mtime + hour < std::time(nullptr)) ::futimens(file.get(), nullptr);  // used now
  return content;
} catch (const std::bad_alloc&) {
  return {};
}

bool Store::keep(const Digest& key, std::span<const std::byte> content) const try {
  Header header;
  const std::uint64_t size = sizeof header + content.size();
  if (folder_.empty() || size > most_ || !may_be_so_large(size)) return false;
  int opened = open_folder(folder_);
  if (opened < 0) {
    make_folder(folder_);
    opened = open_folder(folder_);
  }
  const File folder(opened);
  if (!folder) return false;
  header.key = key;
  header.of_content = Sha256::of(content);
  header.size = content.size();

  static std::atomic<unsigned> count = 0;
  const std::string name = hexadecimal(key), unfinished = name + std::string(ending_of_new) + "-" +
                                                          std::to_string(::getpid()) + "-" + std::to_string(++count);
  File file(::openat(folder.get(), unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return false;
  const bool whole =
      file.write(std::as_bytes(std::span(&header, 1))) && file.write(content) && file.close() &&
      ::renameat(folder.get(), unfinished.c_str(), folder.get(), (name + std::string(ending)).c_str()) == 0;
  if (!whole) ::unlinkat(folder.get(), unfinished.c_str(), 0);
  trim(folder.get(), most_);
  return whole;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace tandem
