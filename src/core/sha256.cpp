// SPDX-License-Identifier: Apache-2.0
#include "core/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tandem {
namespace {

__extension__ using Wide = unsigned __int128;

/// The largest r whose power is at most x.
constexpr std::uint64_t root(Wide x, int power) {
  std::uint64_t r = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 36; bit > 0; bit /= 2) {
    const Wide tried = r + bit;
    if ((power == 2 ? tried * tried : tried * tried * tried) <= x) r += bit;
  }
  return r;
}

/// The first 32 bits behind the point of the roots of the first primes.
template <std::size_t n>
constexpr std::array<std::uint32_t, n> bits_of_roots(int power) {
  std::array<std::uint32_t, n> bits = {};
  unsigned prime = 1;
  for (std::uint32_t& word : bits) {
    for (bool is_prime = false; !is_prime;) {
      ++prime;
      is_prime = true;
      for (unsigned k = 2; k < prime; ++k) is_prime = is_prime && prime % k != 0;
    }
    word = static_cast<std::uint32_t>(root(Wide{prime} << (32 * power), power));
  }
  return bits;
}

constexpr auto first_state = bits_of_roots<8>(2);
constexpr auto of_rounds = bits_of_roots<64>(3);
static_assert(first_state[0] == 0x6a09e667 && of_rounds[63] == 0xc67178f2);

std::uint32_t big_endian(const std::byte* bytes) {
  std::uint32_t word = 0;
  for (int k = 0; k < 4; ++k) word = word << 8 | static_cast<std::uint32_t>(bytes[k]);
  return word;
}

}  // namespace

Sha256::Sha256() : state_(first_state) {}

void Sha256::take_block(const std::byte* block) {
  std::uint32_t w[64];
  for (int t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (int t = 16; t < 64; ++t) {
    const std::uint32_t x = w[t - 15], y = w[t - 2];
    w[t] = w[t - 16] + w[t - 7] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) +
           (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + of_rounds[t] + w[t];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::uint32_t more[8] = {a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < 8; ++k) state_[k] += more[k];
}

void Sha256::take(std::span<const std::byte> bytes) {
  std::size_t in_rest = size_ % 64;
  size_ += bytes.size();
  if (in_rest > 0) {
    const std::size_t n = std::min(bytes.size(), 64 - in_rest);
    std::copy_n(bytes.begin(), n, rest_.begin() + static_cast<std::ptrdiff_t>(in_rest));
    bytes = bytes.subspan(n);
    in_rest += n;
    if (in_rest < 64) return;
    take_block(rest_.data());
  }
  for (; bytes.size() >= 64; bytes = bytes.subspan(64)) take_block(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

Sha256& Sha256::add(std::span<const std::byte> part) {
  const std::uint64_t size = part.size();
  take(std::as_bytes(std::span(&size, 1)));
  take(part);
  return *this;
}

Digest Sha256::digest() const {
  Sha256 all = *this;
  std::array<std::byte, 72> end = {std::byte{0x80}};
  const std::size_t zeros = (119 - size_ % 64) % 64;
  for (std::size_t k = 0; k < 8; ++k) end[1 + zeros + k] = static_cast<std::byte>(8 * size_ >> (56 - 8 * k));
  all.take(std::span(end).first(zeros + 9));
  Digest digest;
  for (std::size_t k = 0; k < 32; ++k) digest[k] = static_cast<std::byte>(all.state_[k / 4] >> (24 - 8 * (k % 4)));
  return digest;
}

Digest Sha256::of(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.take(bytes);
  return hash.digest();
}

std::string hexadecimal(const Digest& digest) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte b : digest) {
    text += digits[std::to_integer<unsigned>(b) / 16];
    text += digits[std::to_integer<unsigned>(b) % 16];
  }
  return text;
}

}  // namespace tandem
