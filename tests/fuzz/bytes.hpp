// SPDX-License-Identifier: Apache-2.0
/// Numbers out of the bytes that a fuzzer makes.
#pragma once
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

namespace tandem::fuzz {

inline void require(bool condition, const char* what, const std::string& detail = {}) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n%s\n", what, detail.c_str());
  std::abort();
}

/// Numbers out of bytes, zeros when they are used up.
class Bytes {
 public:
  explicit Bytes(std::string_view all) : left_(all) {}
  bool empty() const { return left_.empty(); }
  int next() {
    if (left_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  int below(int n) { return next() % n; }
  /// One of 0 .. n - 1, now and then anything.
  int index(int n) {
    const int byte = next();
    if (byte >= 250) return byte == 255 ? std::numeric_limits<int>::max() : byte == 254 ? -1 : next() - 128;
    return n > 0 ? byte % n : 0;
  }
  double number() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double some[] = {0,    1,       -1,    0.5,    2,        1e-3,
                               -0.1, 3.14159, 1e300, 1e-300, infinity, std::numeric_limits<double>::quiet_NaN()};
    const int byte = next();
    if (byte < 240) return byte < 160 ? 0.1 * (byte % 40) : some[static_cast<std::size_t>(byte) % std::size(some)];
    std::array<unsigned char, 8> raw{};
    for (unsigned char& x : raw) x = static_cast<unsigned char>(next());
    double x = 0;
    std::memcpy(&x, raw.data(), sizeof x);
    return x;
  }
  /// -most to most, with 0 and the ends among them.
  double within(double most) { return most * (next() - 128) / 127.0; }
  /// Rows of a rotation by a quaternion of any length; the identity if that is 0.
  std::array<double, 9> rotation() {
    double q[4], norm = 0;
    for (double& x : q) {
      x = within(1);
      norm += x * x;
    }
    if (!(norm > 0)) return {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (double& x : q) x /= std::sqrt(norm);
    const auto [x, y, z, w] = q;
    return {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
            2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
  }
  std::string text(int most) {
    std::string text;
    for (int n = below(most + 1); n > 0; --n) text += static_cast<char>(next());
    return text;
  }

 private:
  std::string_view left_;
};

}  // namespace tandem::fuzz
