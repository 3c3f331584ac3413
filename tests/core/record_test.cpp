// SPDX-License-Identifier: Apache-2.0
/// Records lie in a column as their fields say, whatever the column.
#include "tandem/detail/core/record.hpp"

#include <gtest/gtest.h>

#include <array>

#include "core/counting.hpp"
#include "tandem/detail/spatial/load_store.hpp"

namespace tandem {
namespace {

template <class S>
struct Kept {
  Transform<S> X;
  S mass;
  Force<S> f;
  Inertia<S> I;
};

template <class S, int d>
struct Sized {
  S x[d];
  Motion<S> a;
};

TEST(Record, HasTheRowsOfItsParts) {
  EXPECT_EQ(rows_of<Kept<double>>, 29);
  EXPECT_EQ(rows_of<Kept<float>>, 29);
  EXPECT_EQ(rows_of<Kept<Counting>>, 29);
  EXPECT_EQ((rows_of<Sized<float, 3>>), 9);
  const auto kept = records<Kept<double>>(StridedColumn<double>{});
  EXPECT_EQ(kept.row(2, &Kept<double>::X), 58);
  EXPECT_EQ(kept.row(2, &Kept<double>::mass), 70);
  EXPECT_EQ(kept.row(2, &Kept<double>::f), 71);
  EXPECT_EQ(kept.row(2, &Kept<double>::I), 77);
  EXPECT_EQ((records<Sized<float, 3>>(StridedColumn<double>{}).row(1, &Sized<float, 3>::a)), 12);
}

TEST(Record, IsReadAndWrittenAsAWholeAndByParts) {
  std::array<double, 200> numbers;
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(k);
  const auto kept = records<Kept<double>>(StridedColumn<double>{numbers.data(), 2});

  const auto one = kept.load(1);  // rows 29 .. 57, every second number
  EXPECT_EQ(one.X.E.row0.x, 58);
  EXPECT_EQ(one.X.r.z, 80);
  EXPECT_EQ(one.mass, 82);
  EXPECT_EQ(one.f.n.x, 84);
  EXPECT_EQ(one.I.I.yz, 114);
  EXPECT_EQ(kept.load(1, &Kept<double>::mass), 82);
  EXPECT_EQ(kept.load(1, &Kept<double>::f).f.z, 94);

  kept.store(1, &Kept<double>::f, {{1, 2, 3}, {4, 5, 6}});
  kept.store(1, &Kept<double>::mass, 7);
  for (const auto& [index, expected] : {std::pair{82, 7.}, {84, 1.}, {86, 2.}, {88, 3.}, {90, 4.}, {94, 6.}, {96, 96.}})
    EXPECT_EQ(numbers[static_cast<std::size_t>(index)], expected) << index;
  for (std::size_t k = 1; k < numbers.size(); k += 2) EXPECT_EQ(numbers[k], static_cast<double>(k));

  kept.store(0, one);
  EXPECT_EQ(numbers[0], 58);
  EXPECT_EQ(numbers[56], 114);
  EXPECT_EQ(numbers[58], 58);
}

}  // namespace
}  // namespace tandem
