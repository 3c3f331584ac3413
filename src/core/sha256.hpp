// SPDX-License-Identifier: Apache-2.0
/// The hash SHA-256 (FIPS 180-4): names what something was made of, and tells whether it came back whole.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tandem {

using Digest = std::array<std::byte, 32>;

class Sha256 {
 public:
  Sha256();
  /// A part, told from the next one by its length.
  Sha256& add(std::span<const std::byte> part);
  Sha256& add(std::string_view part) { return add(std::as_bytes(std::span(part))); }
  /// Of all parts so far.
  Digest digest() const;

  /// Of these bytes and nothing else.
  static Digest of(std::span<const std::byte> bytes);

 private:
  void take(std::span<const std::byte> bytes);
  void take_block(const std::byte* block);

  std::array<std::uint32_t, 8> state_;
  std::array<std::byte, 64> rest_ = {};
  std::uint64_t size_ = 0;
};

/// 64 letters and digits.
std::string hexadecimal(const Digest& digest);

}  // namespace tandem
