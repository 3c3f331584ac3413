// SPDX-License-Identifier: Apache-2.0
/// What takes long to make and can be made again is kept in files: code that was compiled for a robot.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/sha256.hpp"

namespace tandem {

/// A folder of files, each named by the digest of what its content was made of. Any number of threads and processes use
/// one at a time: a file is written under another name and gets its own when it is whole. A process that is killed, a
/// disk that is full or a folder that is not there cost what was to be kept and nothing else. What comes back is to the
/// bit what was kept under that digest: a file that was cut off or changed, is not a plain one, or may be written to by
/// others than the user of this process is passed over; nothing is read from, or written to, a folder that others may
/// write to.
///
///     const Digest key = Sha256().add("kind of thing, version").add(source).digest();
///     auto code = store.find(key);
///     if (!code) store.keep(key, *(code = compile(source)));
class Store {
 public:
  static constexpr std::uint64_t usual_size = std::uint64_t{256} << 20;

  /// In a folder that is made when first there is something to keep; without one nothing is kept. Once files take more
  /// bytes than `most`, those go that were not asked for longest.
  explicit Store(std::string folder, std::uint64_t most = usual_size) : folder_(std::move(folder)), most_(most) {}

  /// The user's: what TANDEM_CACHE_DIR names, else `tandem` in XDG_CACHE_HOME or ~/.cache. A TANDEM_CACHE_DIR that is
  /// empty says that nothing is to be kept.
  static Store of_user();

  const std::string& folder() const { return folder_; }

  /// What was kept, if it is there.
  std::optional<std::vector<std::byte>> find(const Digest& key) const;
  /// Keeps it, in the place of what was there. False if it could not.
  bool keep(const Digest& key, std::span<const std::byte> content) const;

 private:
  std::string folder_;
  std::uint64_t most_;
};

}  // namespace tandem
