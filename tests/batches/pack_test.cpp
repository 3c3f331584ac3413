// SPDX-License-Identifier: Apache-2.0
/// Packs of the instruction set that tests are compiled for, lane by lane against single numbers.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/pack.hpp"
#include "backends/cpu/kernels/transpose.hpp"
#include "core/random.hpp"

namespace tandem::test {
namespace {

template <class P>
class PackOf : public ::testing::Test {
 public:
  using Real = typename RealOf<P>::type;
  static constexpr int width = P::width;

  static P pack(const std::vector<Real>& numbers, std::size_t begin) {
    P p;
    for (int k = 0; k < width; ++k) p.lanes[k] = numbers[(begin + static_cast<std::size_t>(k)) % numbers.size()];
    return p;
  }
  /// Ordinary numbers, zeros of both signs, huge angles, infinities, NaN: each meets every lane.
  static std::vector<Real> numbers() {
    Random random(1);
    std::vector<Real> all = {Real(0),
                             Real(-0.0),
                             Real(1),
                             Real(-1),
                             Real(1e-30),
                             std::numeric_limits<Real>::infinity(),
                             Real(1e30),
                             Real(7e5),
                             Real(1e7),
                             Real(9e3),
                             -std::numeric_limits<Real>::infinity(),
                             std::numeric_limits<Real>::quiet_NaN()};
    for (int k = 0; k < 101; ++k) all.push_back(static_cast<Real>(random.uniform(-20, 20)));
    return all;
  }
  template <class F, class G>
  static void expect_same(F on_packs, G on_numbers) {
    const auto all = numbers();
    for (std::size_t b = 0; b < all.size(); ++b) {
      const P x = pack(all, b), y = pack(all, b + 5), z = pack(all, 2 * b + 3), result = on_packs(x, y, z);
      for (int k = 0; k < width; ++k) {
        const Real expected = on_numbers(Real(x.lanes[k]), Real(y.lanes[k]), Real(z.lanes[k])), ours = result.lanes[k];
        if (expected != expected)
          EXPECT_NE(ours, ours);
        else
          EXPECT_EQ(std::memcmp(&ours, &expected, sizeof(Real)), 0)
              << ours << " " << expected << " of " << x.lanes[k] << ", " << y.lanes[k] << ", " << z.lanes[k];
      }
    }
  }
};
using Packs = ::testing::Types<FullPack<double>, FullPack<float>>;
TYPED_TEST_SUITE(PackOf, Packs);

TYPED_TEST(PackOf, HasTheBitsOfSingleNumbersInEveryLane) {
  using P = TypeParam;
  using R = typename RealOf<P>::type;
  const auto same = [](auto f) { PackOf<P>::expect_same(f, f); };
  same([](auto x, auto y, auto) { return x + y; });
  same([](auto x, auto y, auto) { return x - y; });
  same([](auto x, auto y, auto) { return x * y; });
  same([](auto x, auto y, auto) { return x / y; });
  same([](auto x, auto, auto) { return -x; });
  same([](auto x, auto, auto) { return abs(x); });
  same([](auto x, auto, auto) { return sqrt(x); });
  same([](auto x, auto y, auto z) { return mul_add(x, y, z); });
  same([](auto x, auto y, auto) { return arctangent(x, y); });
  same([](auto x, auto, auto) { return sincos(x).sin; });
  same([](auto x, auto, auto) { return sincos(x).cos; });
  same([](auto x, auto y, auto z) { return select(x < y, z, x); });
  same([](auto x, auto y, auto z) { return select(x == y, z, x); });
  same([](auto x, auto y, auto z) { return select(x != y, z, x); });
  same([](auto x, auto, auto) { return decltype(x)(R(-0.0)) + x * decltype(x)(0.5); });
}

TYPED_TEST(PackOf, AnyLooksAtEveryLane) {
  using P = TypeParam;
  EXPECT_FALSE(any(P(1) < P(0)));
  for (int k = 0; k < P::width; ++k) {
    P x(1);
    x.lanes[k] = -1;
    EXPECT_TRUE(any(x < P(0))) << k;
  }
}

TYPED_TEST(PackOf, TilesOfAnyShapeComeAndGoWhole) {
  using P = TypeParam;
  using R = typename RealOf<P>::type;
  constexpr int W = P::width;
  for (const Index rows : {1, 2, W - 1, W, W + 1, 3 * W + 2})
    for (const bool by_rows : {false, true})
      for (const int n_states : {1, W / 2 + 1, W}) {
        const Index stride = by_rows ? 1 : rows + 3, row_stride = by_rows ? W + 1 : 1;
        std::vector<R> from(static_cast<std::size_t>(W * (rows + 3) + rows * (W + 1)), R(-7)), to = from;
        for (int b = 0; b < n_states; ++b)
          for (Index r = 0; r < rows; ++r) from[static_cast<std::size_t>(b * stride + r * row_stride)] = R(100 * b + r);
        std::vector<P> tile(static_cast<std::size_t>(rows));
        gather(from.data(), stride, row_stride, rows, n_states, tile.data());
        for (Index r = 0; r < rows; ++r)
          for (int b = 0; b < W; ++b)
            EXPECT_EQ(tile[static_cast<std::size_t>(r)].lanes[b], R(100 * std::min(b, n_states - 1) + r));
        scatter(tile.data(), rows, n_states, to.data(), stride, row_stride);
        EXPECT_EQ(from, to) << rows << " rows, " << n_states << " states";
      }
}

}  // namespace
}  // namespace tandem::test
