// SPDX-License-Identifier: Apache-2.0
/// The functions by name against evaluate(): containers, strided arrays and Eigen's matrices of every storage order.
#include "tandem/api/batches.hpp"

#include <gmock/gmock.h>

#include <map>

#include "batch_calls.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/api/inverse_kinematics.hpp"
#include "tandem/eigen.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
using MatrixOfAny = Eigen::Matrix<T, -1, -1>;
template <class T>
using RowMajor = Eigen::Matrix<T, -1, -1, Eigen::RowMajor>;
using AnyStride = Eigen::Stride<-1, -1>;
template <class T>
using View = Eigen::Map<MatrixOfAny<T>, 0, AnyStride>;

// what would be swapped, computed anew or lost in silence does not compile
using Product = decltype(std::declval<Matrix>() * 2.0);
static_assert(std::constructible_from<Input<double>, const Matrix&> &&
              std::constructible_from<Output<double>, Matrix&>);
static_assert(std::constructible_from<Output<double>, Eigen::Block<Matrix>>);
static_assert(std::constructible_from<Output<double>, Eigen::Ref<Matrix>>);
static_assert(std::constructible_from<Output<double>, Eigen::Transpose<Matrix>>);
static_assert(std::constructible_from<Input<double>, Eigen::Ref<const Matrix>>);
static_assert(!std::constructible_from<Input<double>, Product> && !std::constructible_from<Output<double>, Product>);
static_assert(!std::constructible_from<Output<double>, Matrix> &&
              !std::constructible_from<Output<double>, const Matrix&>);
static_assert(!std::constructible_from<Output<double>, Eigen::Block<const Matrix>>);
static_assert(!std::constructible_from<Output<double>, Eigen::Ref<const Matrix>>);
static_assert(!std::constructible_from<Input<float>, const Matrix&> &&
              !std::constructible_from<Output<float>, Matrix&>);
static_assert(!std::constructible_from<Output<double>, std::vector<double>>);
static_assert(!std::constructible_from<Output<double>, const std::vector<double>&>);
static_assert(!std::constructible_from<Input<double>, std::vector<float>>);
static_assert(std::constructible_from<Output<double>, double&> && !std::constructible_from<Output<double>, double>);

/// The numbers of one argument, state after state.
template <class T>
using Numbers = std::map<std::string, std::vector<T>, std::less<>>;

template <class T>
Numbers<T> numbers_of(const Algorithm& a, const Model& m, Index batch) {
  Numbers<T> all;
  Random random(7);
  for (const Argument& argument : a.arguments) {
    std::vector<T>& x = all[argument.name];
    x.assign(static_cast<std::size_t>(shape(argument.rows, m.view<T>()).count() * batch),
             std::numeric_limits<T>::quiet_NaN());
    if (!is_input(argument)) continue;
    for (T& number : x) number = static_cast<T>(random.uniform(0, 1));
    if (argument.rows != Rows::q) continue;
    const std::vector<double> q = random_configurations(m, 5, batch);
    std::copy(q.begin(), q.end(), x.begin());
  }
  return all;
}

/// One of Eigen's matrices with these numbers, by the definition in tandem/eigen.hpp; `order` is how it lies.
template <class T>
class InMatrix {
 public:
  enum Order { columns, rows, gaps, reversed_gaps };
  InMatrix(const Argument& a, const Shape& s, Index batch, const std::vector<T>& x, Order order)
      : a_(a), s_(s), batch_(batch) {
    const bool list = a.rows == Rows::link_force || a.rows == Rows::frame_motion || a.rows == Rows::loop_force;
    r_ = list ? s.sizes[1] : a.rows == Rows::pose ? 3 : s.sizes[0];
    c_ = batch * (list ? s.sizes[0] : a.rows == Rows::pose ? 4 * s.sizes[0] : s.sizes[1]);
    const Index gap = order == gaps || order == reversed_gaps ? 3 : 0, inner = gap ? 2 : 1;
    by_columns_ = order == columns || order == gaps;
    outer_ = inner * (by_columns_ ? r_ : c_) + gap;
    inner_ = inner;
    storage_.assign(static_cast<std::size_t>(outer_ * ((by_columns_ ? c_ : r_) + 1)), T(-77));
    for (Index b = 0; b < batch; ++b)
      for (Index k = 0; k < s.count(); ++k) at(b, k) = x[static_cast<std::size_t>(b * s.count() + k)];
  }
  View<T> view() {
    return {storage_.data(), r_, c_, by_columns_ ? AnyStride(outer_, inner_) : AnyStride(inner_, outer_)};
  }
  T& at(Index b, Index k) {
    const Index* n = s_.sizes;
    Index row = k, column = b;
    if (a_.rows == Rows::link_force || a_.rows == Rows::frame_motion || a_.rows == Rows::loop_force) {
      row = k % n[1], column = b * n[0] + k / n[1];
    } else if (a_.rows == Rows::pose) {
      row = k % 12 / 4, column = 4 * (b * n[0] + k / 12) + k % 4;
    } else if (s_.rank == 2) {
      row = k / n[1], column = b * n[1] + k % n[1];
    }
    return storage_[static_cast<std::size_t>(by_columns_ ? column * outer_ + row * inner_
                                                         : row * outer_ + column * inner_)];
  }
  std::ptrdiff_t untouched() const { return std::count(storage_.begin(), storage_.end(), T(-77)); }

 private:
  const Argument& a_;
  Shape s_;
  Index batch_, r_ = 0, c_ = 0, inner_ = 1, outer_ = 1;
  bool by_columns_ = true;
  std::vector<T> storage_;
};

template <class T>
class Batches : public ::testing::Test {
 protected:
  /// A function, called by f(arguments by name), against evaluate().
  template <class F>
  void check(const Model& m, const char* name, F&& f, int frame = 0) {
    const Algorithm& a = find_algorithm(name);
    for (const Index batch : {1, 3, 19}) {
      SCOPED_TRACE(std::string(name) + ", batch " + std::to_string(batch));
      const Numbers<T> given = numbers_of<T>(a, m, batch);
      Numbers<T> expected = given, by_name = given;
      std::vector<Array<T>> arrays;
      for (const Argument& argument : a.arguments)
        arrays.push_back(Array<T>::output(expected[argument.name].data(), shape(argument.rows, m.view<T>()).count()));
      evaluate<T>(a, m, arrays, Batch<T>(batch, 1), work_, {.frame = frame});
      f([&](const char* argument) -> std::vector<T>& { return by_name.at(argument); }, work_);
      for (const Argument& argument : a.arguments)
        EXPECT_TRUE(
            same_bits(by_name[argument.name].data(), expected[argument.name].data(), by_name[argument.name].size()))
            << argument.name;
      for (const auto order : {InMatrix<T>::columns, InMatrix<T>::rows, InMatrix<T>::gaps, InMatrix<T>::reversed_gaps})
        check_matrices(m, a, batch, given, expected, order, f);
    }
  }
  template <class F>
  void check_matrices(const Model& m, const Algorithm& a, Index batch, const Numbers<T>& given,
                      const Numbers<T>& expected, typename InMatrix<T>::Order order, F&& f) {
    std::map<std::string, InMatrix<T>, std::less<>> matrices;
    for (const Argument& argument : a.arguments)
      matrices.emplace(argument.name,
                       InMatrix<T>(argument, shape(argument.rows, m.view<T>()), batch, given.at(argument.name), order));
    std::map<std::string, std::ptrdiff_t> untouched;
    for (auto& [name, matrix] : matrices) untouched[name] = matrix.untouched();
    f([&](const char* argument) { return matrices.at(argument).view(); }, work_);
    for (const Argument& argument : a.arguments) {
      InMatrix<T>& matrix = matrices.at(argument.name);
      const std::vector<T>& numbers = expected.at(argument.name);
      const Index count = shape(argument.rows, m.view<T>()).count();
      bool same = true;
      for (Index b = 0; b < batch; ++b)
        for (Index k = 0; k < count; ++k)
          same &= same_bits(&matrix.at(b, k), &numbers[static_cast<std::size_t>(b * count + k)], 1);
      EXPECT_TRUE(same) << argument.name << " of order " << order;
      EXPECT_EQ(matrix.untouched(), untouched[argument.name]) << argument.name;
    }
  }

  Workspace<T> work_;
};
TYPED_TEST_SUITE(Batches, Reals);

TYPED_TEST(Batches, HaveTheBitsOfEvaluateInEveryOrder) {
  for (const char* name : {"every_joint", "mimic_branches", "chain:7"}) {
    const Model& m = case_named(name).model;
    SCOPED_TRACE(name);
    for_each_batch_function([&](const char* function, auto call) {
      const int frame = find_algorithm(function).reads("frame") ? m.n_frames() - 1 : 0;
      this->check(m, function, [&](auto x, auto& work) { call(m, x, work, frame); }, frame);
    });
  }
}

struct NamedCalls : ::testing::Test {
  const Model& m = case_named("chain:7").model;
  Workspace<double> work;
  Matrix Q = Matrix::Constant(7, 5, 0.3), V = Matrix::Constant(7, 5, 0.2), A = Matrix::Zero(7, 5);
};

TEST_F(NamedCalls, TakeMatricesOfEitherOrderAndOneStateForAll) {
  Matrix once(7, 1), all(7, 5);
  RowMajor<double> rows(7, 5);
  const Vector q = Q.col(0), v = V.col(0);
  inverse_dynamics(m, {.q = q, .v = v, .a = v}, {.tau = once}, work);
  inverse_dynamics(m, {.q = q, .v = V, .a = v}, {.tau = all}, work);
  inverse_dynamics(m, {.q = Q, .v = V.transpose().eval().transpose(), .a = V}, {.tau = rows}, work);
  EXPECT_EQ(all, once.replicate(1, 5));
  EXPECT_EQ(Matrix(rows), all);
  Matrix J(6, 7), wide(6, 35);
  RowMajor<double> J_rows(6, 7);
  std::vector<double> expected(42);
  jacobian(m, {.q = q, .frame = 7}, {.J = J}, work);
  jacobian(m, {.q = q, .frame = 7}, {.J = J_rows}, work);
  jacobian(m, {.q = Q, .frame = 7}, {.J = wide}, work);
  jacobian(m, {.q = q, .frame = 7}, {.J = expected}, work);
  const Matrix as_written = Eigen::Map<const RowMajor<double>>(expected.data(), 6, 7);
  EXPECT_EQ(J, as_written);
  EXPECT_EQ(Matrix(J_rows), as_written);
  EXPECT_EQ(wide, as_written.replicate(1, 5));
  double kinetic = -1;
  Eigen::RowVectorXd potential(1);
  energy(m, {.q = q, .v = v}, {.kinetic = kinetic, .potential = potential}, work);
  EXPECT_GT(kinetic, 0);
  Vector energies(5), potentials(5);
  energy(m, {.q = Q, .v = V}, {.kinetic = energies, .potential = potentials}, work);
  EXPECT_EQ(energies, Vector::Constant(5, kinetic));
  Matrix poses(3, 4 * m.n_frames());
  forward_kinematics(m, {.q = q}, {.pose = poses}, work);
  EXPECT_LT((isometry(poses, 7).linear() * isometry(poses, 7).linear().transpose() - Matrix3::Identity()).norm(),
            32 * eps);
  const Eigen::Isometry3d X = isometry(poses, 7);
  EXPECT_TRUE(tandem::isometry(tandem::pose_of(X)).isApprox(X, 1e-15));
}

TEST_F(NamedCalls, SearchForPoses) {
  const int frame = m.n_frames() - 1;
  Matrix poses(3, 4 * m.n_frames() * 5), found(7, 5), there(3, 4 * m.n_frames() * 5);
  const std::vector<double> within = random_configurations(m, 4, 5);  // the limits, which searches keep
  Q = Matrix::Map(within.data(), 7, 5);
  Vector error(5), start = Q.col(0);
  forward_kinematics(m, {.q = Q}, {.pose = poses}, work);
  Matrix targets(3, 20);
  for (Index b = 0; b < 5; ++b) targets.middleCols(4 * b, 4) = poses.middleCols(4 * (b * m.n_frames() + frame), 4);
  inverse_kinematics(m, {.q0 = start, .target = targets, .frame = frame}, {.q = found, .error = error}, work);
  EXPECT_LT(error.maxCoeff(), 1e-8);
  forward_kinematics(m, {.q = found}, {.pose = there}, work);
  for (Index b = 0; b < 5; ++b)
    EXPECT_LT((there.middleCols(4 * (b * m.n_frames() + frame), 4) - targets.middleCols(4 * b, 4)).norm(), 1e-7);
  const Vector one = found.col(2);
  Vector alone(7);
  const Matrix target = targets.middleCols(8, 4);
  inverse_kinematics(m, {.q0 = start, .target = target, .frame = frame}, {.q = alone}, work);
  EXPECT_EQ(alone, one);
  EXPECT_THAT(error_of([&] { inverse_kinematics(m, {.q0 = start, .target = target}, {.q = alone}, work); }),
              HasSubstr("frame -1 does not exist"));
  EXPECT_THAT(error_of([&] { inverse_kinematics(m, {.q0 = start, .target = Q, .frame = frame}, {.q = alone}, work); }),
              HasSubstr("target is 7 x 5, expected 3 x 4 per state, side by side"));
  EXPECT_THAT(error_of([&] {
                inverse_kinematics(m, {.q0 = start, .target = target, .frame = frame}, {.q = alone}, work,
                                   {.options = {.frame = 2}});
              }),
              HasSubstr("inverse_kinematics: options and device are not supported: the frame is an input"));
}

TEST_F(NamedCalls, ReadAndWriteRowsOfOneMatrix) {
  Matrix expected(7, 5), all = Matrix::Constant(28, 5, -77);
  forward_dynamics(m, {.q = Q, .v = V, .tau = A}, {.a = expected}, work);
  all.topRows(7) = Q;
  all.middleRows(7, 7) = V;
  all.middleRows(14, 7) = A;
  forward_dynamics(m, {.q = all.topRows(7), .v = all.middleRows(7, 7), .tau = all.middleRows(14, 7)},
                   {.a = all.bottomRows(7)}, work);
  EXPECT_EQ(all.bottomRows(7), expected);
  EXPECT_EQ(all.topRows(7), Q);
  integrate(m, {.q = all.topRows(7), .u = V}, {.q_next = all.topRows(7)}, work);  // in its place
  EXPECT_EQ(all.topRows(7), Q + V);
}

TEST_F(NamedCalls, AllocateNothingTheSecondTime) {
  const Vector q = Q.col(0);
  Matrix J(6, 7), a(7, 5), poses(3, 4 * m.n_frames());
  const auto calls = [&] {
    jacobian(m, {.q = q, .frame = 7}, {.J = J}, work);
    forward_kinematics(m, {.q = q}, {.pose = poses}, work);
    forward_dynamics(m, {.q = Q, .v = V, .tau = A}, {.a = a}, work);
  };
  calls();
  const std::size_t before = allocations();
  calls();
  EXPECT_EQ(allocations(), before);
}

TEST_F(NamedCalls, RunByAPlanOnThreadsAndSayWhatBecameOfEachState) {
  Matrix expected(7, 5);
  forward_dynamics(m, {.q = Q, .v = V, .tau = A}, {.a = expected}, work);
  const Plan<double> plan(m, find_algorithm("forward_dynamics"));
  Q(2, 3) = NAN;
  std::vector<Status> status(5);
  Matrix a(7, 5);
  forward_dynamics(plan, {.q = Q, .v = V, .tau = A}, {.a = a}, work, {.threads = 2, .status = status});
  EXPECT_EQ(status[3], Status::non_finite);
  EXPECT_NE(status[2], Status::non_finite);
  EXPECT_EQ(a.leftCols(3), expected.leftCols(3));
  const std::vector<double> masses(5 * 8, 2.0);
  const BatchedParameter<double> heavier[] = {{Parameter::mass, Array<double>::input(masses.data(), 8)}};
  Q(2, 3) = 0;
  forward_dynamics(m, {.q = Q, .v = V, .tau = A}, {.a = a}, work,
                   {.parameters = heavier, .options = {.method = Method::articulated_body}});
  EXPECT_NE(a.col(0), expected.col(0));
  EXPECT_EQ(error_of([&] { mass_matrix(plan, {.q = Q}, {.M = a}, work); }),
            "mass_matrix: the plan is for forward_dynamics");
  EXPECT_THAT(error_of([&] {
                forward_dynamics(plan, {.q = Q, .v = V, .tau = A}, {.a = a}, work,
                                 {.options = {.method = Method::scan}});
              }),
              HasSubstr("options and device are set by the plan and cannot be given here"));
}

TEST_F(NamedCalls, ErrorsNameTheArgumentAndItsSizes) {
  const auto told = [&](const auto& q, auto&& tau) {
    return error_of([&] { gravity_forces(m, {.q = q}, {.tau = tau}, work); });
  };
  std::vector<double> numbers(20), none;
  Matrix transposed(5, 7), few(7, 4), empty;
  EXPECT_EQ(told(numbers, A), "gravity_forces: q has 20 numbers, expected 7 a state ([7]), of 5 states");
  EXPECT_EQ(told(transposed, A),
            "gravity_forces: q is 5 x 7, expected 7 x 1, one column per state, of 5 states; give its transpose");
  EXPECT_EQ(told(few, A), "gravity_forces: q is 7 x 4, expected 7 x 1, one column per state, of 5 states");
  EXPECT_THAT(told(Q, transposed),
              HasSubstr("tau is 5 x 7, expected 7 x 1, one column per state; give its transpose"));
  EXPECT_THAT(told(Q, empty), HasSubstr("tau is 0 x 0, expected 7 x 1"));
  EXPECT_THAT(told(Q, none), HasSubstr("tau has 0 numbers, expected 7 a state"));
  EXPECT_THAT(error_of([&] { gravity_forces(m, {}, {.tau = A}, work); }), HasSubstr("argument q is missing"));
  EXPECT_THAT(error_of([&] { gravity_forces(m, {.q = Q}, {}, work); }), HasSubstr("argument tau is missing"));
  Matrix J(6, 7);
  EXPECT_THAT(error_of([&] { jacobian(m, {.q = Q}, {.J = J}, work); }), HasSubstr("q is 7 x 5, expected 7 x 1"));
  EXPECT_THAT(error_of([&] { jacobian(m, {.q = Vector(Q.col(0))}, {.J = J}, work); }),
              HasSubstr("frame -1 does not exist"));
  EXPECT_THAT(
      error_of([&] { jacobian(m, {.q = Vector(Q.col(0)), .frame = 3}, {.J = J}, work, {.options = {.frame = 2}}); }),
      HasSubstr("frame is given twice"));
  Matrix M(7, 7), wide(7, 34);
  EXPECT_THAT(error_of([&] { mass_matrix(m, {.q = Q}, {.M = wide}, work); }),
              HasSubstr("M is 7 x 34, expected 7 x 7 per state, side by side"));
  std::vector<double> shared(5);
  EXPECT_EQ(error_of([&] { energy(m, {.q = Q, .v = V}, {.kinetic = shared, .potential = shared}, work); }),
            "energy: the outputs kinetic and potential share memory");
  Matrix both(9, 7);
  EXPECT_THAT(error_of([&] {
                centroidal_momentum(m, {.q = Vector(Q.col(0)), .v = Vector(V.col(0))},
                                    {.h = both.col(0).head(6), .A = both.topRows(6)}, work);
              }),
              HasSubstr("the outputs h and A share memory"));
  centre_of_mass(m, {.q = Vector(Q.col(0))}, {.com = both.col(0).head(3), .J = both.bottomRows(3)}, work);  // beside it
  const Array<double> strided = {Q.data(), 7}, out = {A.data(), 7};
  EXPECT_THAT(error_of([&] { gravity_forces(m, {.q = strided}, {.tau = out}, work); }), HasSubstr("size is required"));
  Matrix expected(7, 5);
  gravity_forces(m, {.q = Q}, {.tau = expected}, work);
  gravity_forces(m, {.q = strided}, {.tau = out}, work, {.size = 5});
  EXPECT_EQ(A, expected);
}

}  // namespace
}  // namespace tandem::test
