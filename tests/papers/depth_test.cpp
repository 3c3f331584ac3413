// SPDX-License-Identifier: Apache-2.0
/// How many operations wait for each other where there is a processor for each that does not.
#include <gtest/gtest.h>

#include <bit>

#include "compare/counts.hpp"
#include "links/mass_matrix_levels.hpp"
#include "support/property.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {
namespace {

using Doubles = std::vector<double>;

Model chain(Index n) { return load("chain:" + std::to_string(n)); }

Work work_of_chain(Index n, const Options& options, Index processors = 0) {
  const Model model = chain(n);
  const auto q = random_configuration(model, 3);
  return work_of(find_algorithm("mass_matrix"), model, {{q.begin(), q.end()}}, options, processors);
}
std::int64_t depth_of(Index n, const Options& options, Index processors = 0) {
  return work_of_chain(n, options, processors).depth;
}

/// A chain twice as long: another level of each stage, and nothing else.
TEST(Depth, OfLogCompositeGrowsLikeTheLogarithm) {
  const Options options = {.method = Method::log_composite};
  const std::int64_t level = depth_of(8, options) - depth_of(4, options);
  EXPECT_LE(level, 400);  // a change of frame, a set joined to a set, a force moved twice
  for (const Index n : {16, 64, 256, 1024})
    EXPECT_EQ(depth_of(n, options), depth_of(4, options) + level * std::bit_width(static_cast<std::size_t>(n / 8)))
        << n;
}

/// Two scans of a tree's height over the chunks; all else is of one size: blocks of 16 by 16 entries.
TEST(Depth, OfCompositeScanGrowsLikeTheLogarithm) {
  for (const int chunk : {1, 8}) {
    const Options options = {.method = Method::composite_scan, .chunk = chunk};
    for (const Index n : {64, 256}) EXPECT_LE(depth_of(4 * n, options) - depth_of(n, options), 1500) << n;
  }
}

/// One processor does everything, n^2 are as many as it takes, and more of them never make it longer. On n of them a
/// column of log_composite is a processor's: depth grows like n.
TEST(Depth, IsThatOfAsManyProcessorsAsThereAre) {
  for (const Method method : {Method::log_composite, Method::composite_scan}) {
    const Options options = {.method = method};
    const Work work = work_of_chain(64, options, 1);
    EXPECT_EQ(work.depth, work.all.flops());
    EXPECT_EQ(depth_of(64, options, 64 * 64), depth_of(64, options));
    for (Index p = 1; p < 64 * 64; p *= 2) EXPECT_GE(depth_of(64, options, p), depth_of(64, options, 2 * p)) << p;
  }
  const Options options = {.method = Method::log_composite};
  const auto more = [&](Index n) {
    return static_cast<double>(depth_of(2 * n, options, 2 * n) - depth_of(n, options, n));
  };
  EXPECT_NEAR(more(256) / more(128), 2, 0.1);
}

/// With a link a chunk: a chain twice as long is one level more of each scan by [Hillis, Steele 1986], and two up and
/// down a tree; for half the levels it pays with n log2 n joins in place of 2 n.
TEST(Depth, OfHillisSteeleScansIsHalfOfTreesForMoreWork) {
  const auto work = [](Index n, ScanSchedule schedule) {
    const Model model = chain(n);
    const auto q = random_configuration(model, 3);
    const Doubles v(static_cast<std::size_t>(n), 0.5);
    return work_of(find_algorithm("inverse_dynamics"), model, {{q.begin(), q.end()}, v, v, {}, {}},
                   {.method = Method::scan, .form = Form::body, .chunk = 1, .scan_schedule = schedule});
  };
  for (const Index n : {64, 256}) {
    const Work tree = work(n, ScanSchedule::tree), naive = work(n, ScanSchedule::hillis_steele);
    const std::int64_t level = work(2 * n, ScanSchedule::hillis_steele).depth - naive.depth;  // a join of each scan
    EXPECT_EQ(work(2 * n, ScanSchedule::tree).depth - tree.depth, 2 * level);
    const std::int64_t log_n = std::bit_width(static_cast<std::size_t>(n)) - 1;
    EXPECT_EQ(naive.all.flops() - tree.all.flops(), level * (n * log_n - (n - 1) - 2 * (n - 1)));
  }
}

/// Table 1: n - 1 sets, one after the other, and n - 1 links for the longest column, on n processors. Table 2: n / 2
/// sets and, of all columns, n^2 / 4 entries at a time in ceil(log2 n) levels each. The same n (n - 1) / 2 entries.
/// Between them what section 3.3 turns down: the sets of table 2 and the columns of table 1, n - 1 levels; and every
/// column doubled by itself, log2 n levels, whose changes of frame are found again and again.
TEST(Depth, OfMassMatricesIsThatOfThePapersTables) {
  for (const Index n : {1, 2, 3, 5, 8, 13, 16, 64}) {
    SCOPED_TRACE(n);
    const Model model = chain(n);
    const auto random = random_configuration(model, 3);
    const auto q = counting({random.begin(), random.end()});
    const auto size = static_cast<std::size_t>(n);
    const auto levels = static_cast<std::size_t>(std::bit_width(size - 1));  // ceil(log2 n)
    Levels serial, swept, each, doubled;
    std::vector<std::vector<Counting>> results = {by_table_1({&serial}, model, q), by_swept_columns({&swept}, model, q),
                                                  by_doubled_columns({&each}, model, q),
                                                  by_table_2({&doubled}, model, q)};

    ASSERT_EQ(serial.now, 2 + 2 * (size - 1));  // the links, the sets, the diagonal, the columns
    EXPECT_EQ(serial.sum(1, size), n - 1);
    EXPECT_EQ(serial.sum(size + 1, 2 * size), n * (n - 1) / 2);
    EXPECT_EQ(*std::max_element(serial.busy.begin(), serial.busy.end()), n);

    EXPECT_LE(doubled.now, 2 + 2 * levels);
    EXPECT_EQ(doubled.sum(levels + 2, doubled.now), n * (n - 1) / 2);
    if (std::has_single_bit(size)) {
      EXPECT_EQ(doubled.now, 2 + 2 * levels);
      for (std::size_t l = 1; l <= levels; ++l) EXPECT_EQ(doubled.busy[l], n / 2);  // (18)
      for (std::size_t l = levels + 2; l < doubled.now; ++l) EXPECT_LE(doubled.busy[l], std::max<Index>(n * n / 4, 1));
    }

    EXPECT_EQ(swept.now, 2 + levels + (size - 1));
    EXPECT_EQ(swept.sum(levels + 2, swept.now), n * (n - 1) / 2);
    // of column x, x - h changes of frame more at every step h = 1, 2, 4, ..., then all its entries at once
    Index frames = 0;
    for (Index x = 1; x < n; ++x)
      for (Index h = 1; h < x; h *= 2) frames += x - h;
    if (n > 1) {
      EXPECT_EQ(each.sum(levels + 2, each.now - 1), frames);
    }
    if (n > 1) {
      EXPECT_EQ(each.busy[each.now - 1], n * (n - 1) / 2);
    }
    if (n > 2) {
      EXPECT_EQ(each.now, 2 + levels + static_cast<std::size_t>(std::bit_width(size - 2)) + 1);
    }

    double error = 0;
    const auto expected = Robot<double>(model).mass_matrix(Eigen::Map<const Vector>(random.data(), model.nq()));
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < n; ++j)
        for (auto& H : results)
          error = std::max(error, std::abs(H[static_cast<std::size_t>(k * n + j)].value() - expected(k, j)) /
                                      std::sqrt(expected(k, k) * expected(j, j)));
    EXPECT_LE(error, tolerance<double>(32, 1 + std::sqrt(n), 1));
  }
}

}  // namespace
}  // namespace tandem::test
