// SPDX-License-Identifier: Apache-2.0
#include "tandem/detail/executors/scan.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "backends/cpu/kernels/pack.hpp"
#include "blocks/lanes.hpp"
#include "blocks/schedules.hpp"
#include "tandem/detail/executors/runs.hpp"

namespace tandem::test {
namespace {

const Row<int> sizes = {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 127, 128, 129, 1000, 1023, 1024, 1025};

TEST(Scan, OfIntegersIsExact) { check_integers(sizes); }

TEST(Scan, KeepsTheOrderOfOperatorsThatDoNotCommute) {
  for (const int n : sizes) {
    if (n > 200) break;
    Row<std::string> x;
    for (int i = 0; i < n; ++i) x.push_back(std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i));
    for_each_kind([&]<Scan kind>() {
      const auto expected = by_definition<kind>(Concatenate{}, x);
      for_each_schedule<kind>(Concatenate{}, x, [&](const std::string& name, const Row<std::string>& y) {
        EXPECT_EQ(y, expected) << n << " elements, " << name;
      });
    });
  }
}

TEST(Scan, StopsAtTheEndsOfSegments) {
  for (const int n : sizes) {
    if (n > 200) break;
    for_each_kind([&]<Scan kind>() {
      using Op = Segmented<kind, Concatenate>;
      Row<ElementOf<Op>> x;
      for (int i = 0; i < n; ++i)
        x.push_back({std::string(1, static_cast<char>('a' + i % 26)), (i * i + i / 3) % 7 == 2});
      Row<std::string> expected(x.size());
      std::string sum;
      for (std::size_t k = 0; k < x.size(); ++k) {
        const std::size_t i = is_suffix(kind) ? x.size() - 1 - k : k;
        const std::string before = x[i].cut ? "" : sum;
        sum = is_suffix(kind) ? x[i].value + before : before + x[i].value;
        expected[i] = is_exclusive(kind) ? before : sum;
      }
      for_each_schedule<kind>(Op{}, x, [&](const std::string& name, const Row<ElementOf<Op>>& y) {
        for (std::size_t i = 0; i < x.size(); ++i)
          EXPECT_EQ(is_exclusive(kind) && x[i].cut ? "" : y[i].value, expected[i])
              << name << ", element " << i << " of " << n;
      });
    });
  }
}

template <int m>
tandem::Matrix<double, m, m> rotation_like(RandomSpatial& random) {
  // Q of a random matrix: products stay of order one
  Matrix A(m, m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) A(i, j) = random.number();
  const Matrix Q = orthogonal(A);
  tandem::Matrix<double, m, m> B;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) B(i, j) = Q(i, j);
  return B;
}

TEST(Scan, OfMatricesAgreesForAllSchedules) {
  RandomSpatial random(1);
  check_numbers(Product<double, 2>{}, sizes, [&] { return rotation_like<2>(random); });
  check_numbers(Product<double, 3>{}, sizes, [&] { return rotation_like<3>(random); });
}

TEST(Scan, OfPosesAgreesForAllSchedules) {
  RandomSpatial random(2);
  check_numbers(Chain<double>{}, sizes, [&] { return random.transform(); });
}

TEST(Scan, ReadsAndWritesColumns) {
  RandomSpatial random(4);
  constexpr int n = 37;
  Row<Transform<double>> x(n);
  Row<double> column(12 * n);
  const auto slots = records<Transform<double>>(StridedColumn<double>{column.data(), 1});
  for (int i = 0; i < n; ++i) slots.store(i, x[static_cast<std::size_t>(i)] = random.transform());
  scan_serial<Scan::inclusive_prefix>(Chain<double>{}, n, [&](Index i) { return slots.load(i); }, slots);
  const auto expected = by_definition<Scan::inclusive_prefix>(Chain<double>{}, x);
  EXPECT_LE((dense(slots.load(n - 1)) - dense(expected.back())).norm(), 1e-13 * dense(expected.back()).norm());
}

TEST(Scan, ReducesInTheOrderOfTheRow) {
  for (const int n : sizes) {
    Row<std::string> x, totals(2000);
    for (int i = 0; i < n; ++i) x.push_back(std::to_string(i));
    const std::string all = std::accumulate(x.begin(), x.end(), std::string());
    for (const Index chunk : {1, 3, 64})
      EXPECT_EQ(reduce_chunked(
                    TestedExecutor{}, Concatenate{}, n, chunk, [&](Index i) { return x[static_cast<std::size_t>(i)]; },
                    ArraySlots<std::string>{totals.data()}),
                all);
  }
}

TEST(JoinTree, JoinsNeighboursAndPartsThemInTheOtherOrder) {
  for (const int n : sizes) {
    if (n == 0) continue;
    for (const bool in_a_row : {false, true}) {
      const JoinTree tree{n, in_a_row};
      Row<std::string> x(static_cast<std::size_t>(tree.places()));
      std::string all;
      for (int i = 0; i < n; ++i) all += x[static_cast<std::size_t>(i)] = "(" + std::to_string(i) + ")";
      std::vector<std::pair<Index, Index>> up, down;
      tree.upward(SerialExecutor{}, [&](const Join& j) {
        const auto at = [&](Index first, Index end) -> auto& {
          return x[static_cast<std::size_t>(tree.place(first, end))];
        };
        EXPECT_EQ(at(j.first, j.end), "");  // a place of its own
        at(j.first, j.end) = at(j.first, j.middle) + at(j.middle, j.end);
        up.emplace_back(j.first, j.end);
      });
      EXPECT_EQ(x[static_cast<std::size_t>(tree.root())], all);
      tree.downward(SerialExecutor{}, [&](const Join& j) {
        const auto part_of = [&](const auto& run) { return run.first <= j.first && j.end <= run.second; };
        EXPECT_TRUE(down.empty() ? j.end - j.first == n : std::any_of(down.begin(), down.end(), part_of));
        down.emplace_back(j.first, j.end);
      });
      EXPECT_TRUE(std::is_permutation(up.begin(), up.end(), down.begin(), down.end()));
    }
  }
}

/// Executors that hold parts of a row do the joins of the whole row that lie within.
TEST(JoinTree, OfAPartHasTheJoinsWithin) {
  for (const Index n : {1, 2, 5, 8, 13, 32})
    for (Index begin = 0; begin <= n; ++begin)
      for (Index end = begin; end <= n; ++end) {
        using Joins = std::vector<std::array<Index, 3>>;
        Joins expected, up, down;
        JoinTree{n}.upward(SerialExecutor{}, [&](const Join& j) {
          if (begin <= j.first && j.end <= end) expected.push_back({j.first, j.middle, j.end});
        });
        const JoinTree part{n, false, begin, end};
        part.upward(SerialExecutor{}, [&](const Join& j) { up.push_back({j.first, j.middle, j.end}); });
        part.downward(SerialExecutor{}, [&](const Join& j) { down.push_back({j.first, j.middle, j.end}); });
        EXPECT_EQ(up, expected);
        EXPECT_TRUE(std::is_permutation(down.begin(), down.end(), expected.begin(), expected.end()));
      }
}

/// What comes down to an element are all elements before it and all behind it.
struct Surround {
  using Element = std::string;
  struct Kept {};
  using Port = std::pair<std::string, std::string>;
  void join(const Element& P, const Element& Q, bool, Kept&, Element& whole) const { whole = P + Q; }
  void part(const Port& port, const Kept&, const Element& P, const Element& Q, bool, Port& port_P, Port& port_Q) const {
    port_P = {port.first, Q + port.second};
    port_Q = {port.first + P, port.second};
  }
};

TEST(Runs, TellEveryElementWhatLiesAroundIt) {
  for (const int n : {1, 2, 3, 31, 33, 200})
    for (const Index few : {0, 32}) {
      const auto count = static_cast<std::size_t>(n);
      Row<std::string> elements(count), joined(count);
      Row<Surround::Port> ports(count), ports_of_joined(count);
      for (int i = 0; i < n; ++i) elements[static_cast<std::size_t>(i)] = std::to_string(i) + ",";
      const TestedExecutor executor;
      const Runs<Surround> runs = {{},           tree_over(executor, n, few), elements.data(), joined.data(), nullptr,
                                   ports.data(), ports_of_joined.data()};
      EXPECT_EQ(runs.tree.in_a_row, n <= few);
      gather_runs(executor, runs);
      EXPECT_EQ(runs.whole(), std::accumulate(elements.begin(), elements.end(), std::string()));
      spread_ports(executor, runs, {"[", "]"});
      for (std::size_t i = 0; i < count; ++i) {
        const auto here = elements.begin() + static_cast<std::ptrdiff_t>(i);
        EXPECT_EQ(ports[i].first, std::accumulate(elements.begin(), here, std::string("[")));
        EXPECT_EQ(ports[i].second, std::accumulate(here + 1, elements.end(), std::string()) + "]");
      }
    }
}

TEST(Lanes, GiveBackWhatWasPutIntoThem) {
  constexpr int W = 4;
  RandomSpatial random(5);
  Row<Transform<double>> x;
  for (int c = 0; c < W; ++c) x.push_back(random.transform());
  const auto wide =
      from_lanes<Transform<Pack<double, W>>, double>([&](int c) { return x[static_cast<std::size_t>(c)]; });
  for (int c = 0; c < W; ++c) {
    const auto& expected = x[static_cast<std::size_t>(c)];
    EXPECT_EQ(wide.r.z.lanes[c], expected.r.z);
    EXPECT_EQ(dense(lane<Transform<double>, double>(wide, c)), dense(expected));
  }
}

}  // namespace
}  // namespace tandem::test
