// SPDX-License-Identifier: Apache-2.0
#include "rollout/counted_random.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace tandem::cli {

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t instance, std::uint32_t stream, std::uint32_t row) {
  std::uint32_t x0 = static_cast<std::uint32_t>(instance), x1 = static_cast<std::uint32_t>(instance >> 32);
  std::uint32_t x2 = stream, x3 = row;
  std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * x0, b = std::uint64_t{0xCD9E8D57u} * x2;
    x0 = static_cast<std::uint32_t>(b >> 32) ^ x1 ^ k0;
    x1 = static_cast<std::uint32_t>(b);
    x2 = static_cast<std::uint32_t>(a >> 32) ^ x3 ^ k1;
    x3 = static_cast<std::uint32_t>(a);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return std::uint64_t{x0} << 32 | x1;
}

double random_unit(std::uint64_t seed, std::uint64_t instance, std::uint32_t stream, std::uint32_t row) {
  return (static_cast<double>(random_bits(seed, instance, stream, row) >> 12) + 0.5) * 0x1p-52;
}

namespace {

template <int n>
double polynomial(const double (&c)[n], double x) {
  double y = c[n - 1];
  for (int k = n - 2; k >= 0; --k) y = y * x + c[k];
  return y;
}

/// The logarithm by operations that every machine rounds alike: 2 artanh of (m - 1) / (m + 1).
double logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) m *= 2, --exponent;
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 25; k >= 3; k -= 2) sum = (sum + 1.0 / k) * s2;
  return exponent * std::numbers::ln2 + 2 * (s + s * sum);
}

}  // namespace

double normal_quantile(double p) {
  static constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                 1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                 3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr double b[] = {1.0,
                                 4.2313330701600911252e+1,
                                 6.8718700749205790830e+2,
                                 5.3941960214247511077e+3,
                                 2.1213794301586595867e+4,
                                 3.9307895800092710610e+4,
                                 2.8729085735721942674e+4,
                                 5.2264952788528545610e+3};
  static constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                 3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr double d[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
  static constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr double f[] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = std::sqrt(-logarithm(q < 0 ? p : 1 - p));
  const double x =
      r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -x : x;
}

double exponential(double x) {
  const double turns = std::nearbyint(x / std::numbers::ln2);
  if (!(std::abs(turns) < 2000)) return x > 0 ? std::numeric_limits<double>::infinity() : 0;
  const double r = x - turns * std::numbers::ln2;
  double sum = 1;
  for (int k = 18; k >= 1; --k) sum = 1 + sum * r / k;
  return std::ldexp(sum, static_cast<int>(turns));
}

std::uint32_t stream_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace tandem::cli
