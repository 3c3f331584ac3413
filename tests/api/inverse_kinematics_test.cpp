// SPDX-License-Identifier: Apache-2.0
/// Inverse kinematics in C++: what is reached, the same bits in any lane, bad states and bad calls.
#include "tandem/api/inverse_kinematics.hpp"

#include <gmock/gmock.h>

#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem::test {
namespace {

template <class T>
class PoseSearches : public ::testing::Test {};
TYPED_TEST_SUITE(PoseSearches, Reals);

/// A batch of targets that can be reached.
template <class T>
struct Targets {
  Model model;
  int frame;
  Index n;
  std::vector<T> q0, pose, q, error;
  std::vector<Status> status;
  std::vector<std::int32_t> steps;
  Workspace<T> work;

  Targets(const char* name, Index count) : model(case_named(name).model), frame(model.n_frames() - 1), n(count) {
    const auto nq = static_cast<std::size_t>(model.nq());
    std::vector<T> poses(static_cast<std::size_t>(12 * model.n_frames()));
    for (Index b = 0; b < n; ++b) {
      const std::vector<double> there = random_configuration(model, static_cast<std::uint64_t>(100 + b));
      const std::vector<double> start = random_configuration(model, static_cast<std::uint64_t>(500 + b));
      forward_kinematics<T>(model, std::vector<T>(there.begin(), there.end()), poses, work);
      pose.insert(pose.end(), poses.end() - 12, poses.end());
      for (std::size_t k = 0; k < nq; ++k) q0.push_back(static_cast<T>(start[k]));
    }
    q.resize(q0.size());
    error.resize(static_cast<std::size_t>(n));
    status.resize(error.size());
    steps.resize(error.size());
  }
  PoseSearch<T> arrays() {
    const Index nq = model.nq();
    return {{q0.data(), nq}, {pose.data(), 12}, {}, {q.data(), nq}, {error.data(), 1}};
  }
  void search(int threads = 0) {
    Batch<T> batch(n, threads, status);
    batch.iterations = steps;
    inverse_kinematics<T>(model, frame, arrays(), batch, work, {.restarts = 40});
  }
};

TYPED_TEST(PoseSearches, ReachTheirTargets) {
  for (const char* name : {"humanoid", "every_joint", "mimic_branches", "chain:7"}) {
    SCOPED_TRACE(name);
    Targets<TypeParam> t(name, 13);
    t.search();
    const double tolerance = std::is_same_v<TypeParam, double> ? 1e-8 : 1e-4;
    std::vector<TypeParam> poses(static_cast<std::size_t>(12 * t.model.n_frames()));
    for (Index b = 0; b < t.n; ++b) {
      const auto at = static_cast<std::size_t>(b);
      EXPECT_EQ(t.status[at], Status::ok) << b << ": " << t.error[at];
      EXPECT_LE(t.error[at], tolerance);
      EXPECT_GT(t.steps[at], 0);
      const std::span q(t.q.data() + b * t.model.nq(), static_cast<std::size_t>(t.model.nq()));
      forward_kinematics<TypeParam>(t.model, q, poses, t.work);
      for (std::size_t k = 0; k < 12; ++k)
        EXPECT_NEAR(poses[poses.size() - 12 + k], t.pose[12 * at + k], 8 * tolerance) << "number " << k;
    }
  }
}

TYPED_TEST(PoseSearches, HaveTheBitsOfOneAloneOnAnyThreads) {
  Targets<TypeParam> one("humanoid", 37), many("humanoid", 37);
  many.search();
  one.search(1);
  EXPECT_EQ(one.q, many.q);
  EXPECT_EQ(one.steps, many.steps);
  for (const Index b : {Index{0}, Index{5}, Index{36}}) {
    const auto at = static_cast<std::size_t>(b), nq = static_cast<std::size_t>(one.model.nq());
    std::vector<TypeParam> q(nq);
    auto arrays = one.arrays();
    arrays.q0.data += b * arrays.q0.stride;
    arrays.target.data += b * arrays.target.stride;
    arrays.q.data = q.data();
    arrays.error = {};
    inverse_kinematics<TypeParam>(one.model, one.frame, arrays, 1, one.work);
    EXPECT_TRUE(same_bits(q.data(), many.q.data() + at * nq, nq)) << b;
  }
}

TYPED_TEST(PoseSearches, ABadStateTouchesNoOther) {
  Targets<TypeParam> good("chain:7", 9), bad("chain:7", 9);
  bad.pose[12 * 4 + 3] = std::numeric_limits<TypeParam>::quiet_NaN();
  bad.q0[7 * 6] = std::numeric_limits<TypeParam>::infinity();
  good.search();
  bad.search();
  for (std::size_t b = 0; b < 9; ++b) {
    if (b == 4 || b == 6)
      EXPECT_EQ(bad.status[b], Status::non_finite) << b;
    else
      EXPECT_TRUE(same_bits(good.q.data() + 7 * b, bad.q.data() + 7 * b, 7)) << b;
  }
}

TYPED_TEST(PoseSearches, WhatIsWrongIsNamed) {
  using T = TypeParam;
  using ::testing::HasSubstr;
  Targets<T> t("chain:7", 3);
  const auto error = [&](int frame, const PoseSearch<T>& arrays, const Batch<T>& batch,
                         const PoseSearchOptions& options) {
    return error_of([&] { inverse_kinematics<T>(t.model, frame, arrays, batch, t.work, options); });
  };
  EXPECT_THAT(error(99, t.arrays(), 3, {}), HasSubstr("inverse_kinematics: frame 99 does not exist"));
  auto arrays = t.arrays();
  arrays.target = {};
  EXPECT_THAT(error(0, arrays, 3, {}), HasSubstr("argument target is missing"));
  arrays = t.arrays();
  arrays.q.place = Place::device;
  EXPECT_THAT(error(0, arrays, 3, {}), HasSubstr("arrays are in device memory, but the search runs on the CPU"));
  EXPECT_THAT(error(0, t.arrays(), -1, {}), HasSubstr("batch.size is -1, expected 0 or more"));
  EXPECT_THAT(error(0, t.arrays(), {3, -2}, {}), HasSubstr("threads is -2"));
  EXPECT_THAT(error(0, t.arrays(), {3, 0, std::span(t.status).first(2)}, {}),
              HasSubstr("status has 2 entries, expected 3"));
  EXPECT_THAT(error(0, t.arrays(), 3, {.tolerance = -1}), HasSubstr("tolerance is -1"));
  EXPECT_THAT(error(0, t.arrays(), 3, {.restarts = -1}), HasSubstr("restarts is -1"));
  t.pose[12] += 1;
  EXPECT_THAT(error(0, t.arrays(), 3, {}), HasSubstr("target of state 1 is not a pose"));
}

}  // namespace
}  // namespace tandem::test
