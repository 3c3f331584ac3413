// SPDX-License-Identifier: Apache-2.0
/// The functions by name against evaluate(): containers, strided arrays and Eigen's matrices of every storage order.
/// Over 400 lines, as every function is called once.
#include "tandem/api/batches.hpp"

#include <gmock/gmock.h>

#include <map>

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
    called_.emplace_back(name);
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
  std::vector<std::string> called_;
};
TYPED_TEST_SUITE(Batches, Reals);

TYPED_TEST(Batches, HaveTheBitsOfEvaluateInEveryOrder) {
  for (const char* name : {"every_joint", "mimic_branches", "chain:7"}) {
    const Model& m = case_named(name).model;
    const int frame = m.n_frames() - 1;
    SCOPED_TRACE(name);
    this->called_.clear();
    this->check(m, "forward_kinematics", [&](auto x, auto& w) {
      forward_kinematics(m, {.q = x("q"), .v = x("v"), .a = x("a")},
                         {.pose = x("pose"), .velocity = x("velocity"), .acceleration = x("acceleration")}, w);
    });
    this->check(m, "forward_kinematics_jvp", [&](auto x, auto& w) {
      forward_kinematics_jvp(m, {.q = x("q"), .dq = x("dq"), .v = x("v"), .a = x("a"), .dv = x("dv"), .da = x("da")},
                             {.dpose = x("dpose"), .dvelocity = x("dvelocity"), .dacceleration = x("dacceleration")},
                             w);
    });
    this->check(m, "forward_kinematics_vjp", [&](auto x, auto& w) {
      forward_kinematics_vjp(m,
                             {.q = x("q"),
                              .v = x("v"),
                              .a = x("a"),
                              .pose_bar = x("pose_bar"),
                              .velocity_bar = x("velocity_bar"),
                              .acceleration_bar = x("acceleration_bar")},
                             {.q_bar = x("q_bar"), .v_bar = x("v_bar"), .a_bar = x("a_bar")}, w);
    });
    this->check(
        m, "forward_kinematics_derivatives",
        [&](auto x, auto& w) {
          forward_kinematics_derivatives(m, {.q = x("q"), .v = x("v"), .a = x("a"), .frame = frame},
                                         {.dvelocity_dq = x("dvelocity_dq"),
                                          .dacceleration_dq = x("dacceleration_dq"),
                                          .dacceleration_dv = x("dacceleration_dv"),
                                          .J = x("J")},
                                         w);
        },
        frame);
    this->check(
        m, "jacobian", [&](auto x, auto& w) { jacobian(m, {.q = x("q"), .frame = frame}, {.J = x("J")}, w); }, frame);
    this->check(
        m, "jacobian_time_derivative_product",
        [&](auto x, auto& w) {
          jacobian_time_derivative_product(m, {.q = x("q"), .v = x("v"), .frame = frame}, {.Jdot_v = x("Jdot_v")}, w);
        },
        frame);
    this->check(m, "inverse_dynamics", [&](auto x, auto& w) {
      inverse_dynamics(m, {.q = x("q"), .v = x("v"), .a = x("a"), .f_ext = x("f_ext")}, {.tau = x("tau")}, w);
    });
    this->check(m, "bias_forces", [&](auto x, auto& w) {
      bias_forces(m, {.q = x("q"), .v = x("v"), .f_ext = x("f_ext")}, {.tau = x("tau")}, w);
    });
    this->check(m, "gravity_forces", [&](auto x, auto& w) { gravity_forces(m, {.q = x("q")}, {.tau = x("tau")}, w); });
    this->check(m, "inverse_dynamics_terms", [&](auto x, auto& w) {
      inverse_dynamics_terms(m, {.q = x("q"), .v = x("v"), .a = x("a"), .f_ext = x("f_ext")},
                             {.inertial = x("inertial"),
                              .coriolis = x("coriolis"),
                              .centrifugal = x("centrifugal"),
                              .gravity = x("gravity"),
                              .external = x("external"),
                              .friction = x("friction"),
                              .springs = x("springs")},
                             w);
    });
    this->check(m, "interbody_wrenches", [&](auto x, auto& w) {
      interbody_wrenches(m, {.q = x("q"), .v = x("v"), .a = x("a"), .f_ext = x("f_ext")}, {.f = x("f")}, w);
    });
    this->check(m, "inverse_dynamics_regressor", [&](auto x, auto& w) {
      inverse_dynamics_regressor(m, {.q = x("q"), .v = x("v"), .a = x("a")}, {.Y = x("Y")}, w);
    });
    this->check(m, "inverse_dynamics_derivatives", [&](auto x, auto& w) {
      inverse_dynamics_derivatives(m, {.q = x("q"), .v = x("v"), .a = x("a"), .f_ext = x("f_ext")},
                                   {.dtau_dq = x("dtau_dq"), .dtau_dv = x("dtau_dv"), .dtau_da = x("dtau_da")}, w);
    });
    this->check(m, "inverse_dynamics_jvp", [&](auto x, auto& w) {
      inverse_dynamics_jvp(m,
                           {.q = x("q"),
                            .v = x("v"),
                            .a = x("a"),
                            .dq = x("dq"),
                            .dv = x("dv"),
                            .da = x("da"),
                            .f_ext = x("f_ext"),
                            .df_ext = x("df_ext"),
                            .dpi = x("dpi")},
                           {.tau = x("tau"), .dtau = x("dtau")}, w);
    });
    this->check(m, "inverse_dynamics_vjp", [&](auto x, auto& w) {
      inverse_dynamics_vjp(m, {.q = x("q"), .v = x("v"), .a = x("a"), .tau_bar = x("tau_bar"), .f_ext = x("f_ext")},
                           {.tau = x("tau"),
                            .q_bar = x("q_bar"),
                            .v_bar = x("v_bar"),
                            .a_bar = x("a_bar"),
                            .f_ext_bar = x("f_ext_bar"),
                            .pi_bar = x("pi_bar")},
                           w);
    });
    this->check(m, "inverse_dynamics_hvp", [&](auto x, auto& w) {
      inverse_dynamics_hvp(m,
                           {.q = x("q"),
                            .v = x("v"),
                            .a = x("a"),
                            .tau_bar = x("tau_bar"),
                            .dq = x("dq"),
                            .dv = x("dv"),
                            .da = x("da"),
                            .dtau_bar = x("dtau_bar"),
                            .f_ext = x("f_ext"),
                            .df_ext = x("df_ext")},
                           {.dtau = x("dtau"),
                            .dq_bar = x("dq_bar"),
                            .dv_bar = x("dv_bar"),
                            .da_bar = x("da_bar"),
                            .df_ext_bar = x("df_ext_bar"),
                            .dpi_bar = x("dpi_bar")},
                           w);
    });
    this->check(m, "inverse_dynamics_second_derivatives", [&](auto x, auto& w) {
      inverse_dynamics_second_derivatives(
          m, {.q = x("q"), .v = x("v"), .a = x("a"), .tau_bar = x("tau_bar"), .f_ext = x("f_ext")},
          {.d2tau_dqdq = x("d2tau_dqdq"),
           .d2tau_dvdq = x("d2tau_dvdq"),
           .d2tau_dadq = x("d2tau_dadq"),
           .d2tau_dvdv = x("d2tau_dvdv")},
          w);
    });
    this->check(m, "mass_matrix", [&](auto x, auto& w) { mass_matrix(m, {.q = x("q")}, {.M = x("M")}, w); });
    this->check(m, "mass_matrix_rate",
                [&](auto x, auto& w) { mass_matrix_rate(m, {.q = x("q"), .v = x("v")}, {.Mdot = x("Mdot")}, w); });
    this->check(m, "coriolis_matrix",
                [&](auto x, auto& w) { coriolis_matrix(m, {.q = x("q"), .v = x("v")}, {.C = x("C")}, w); });
    this->check(m, "forward_dynamics", [&](auto x, auto& w) {
      forward_dynamics(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .f_ext = x("f_ext"), .diagonal = x("diagonal")},
                       {.a = x("a")}, w);
    });
    this->check(m, "constraint_wrenches", [&](auto x, auto& w) {
      constraint_wrenches(m,
                          {.q = x("q"), .v = x("v"), .tau = x("tau"), .f_ext = x("f_ext"), .diagonal = x("diagonal")},
                          {.f_c = x("f_c")}, w);
    });
    this->check(m, "closed_loop_dynamics", [&](auto x, auto& w) {
      closed_loop_dynamics(m,
                           {.q = x("q"), .v = x("v"), .tau = x("tau"), .f_ext = x("f_ext"), .diagonal = x("diagonal")},
                           {.a = x("a"), .f_loop = x("f_loop")}, w);
    });
    this->check(m, "forward_dynamics_derivatives", [&](auto x, auto& w) {
      forward_dynamics_derivatives(
          m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .f_ext = x("f_ext"), .diagonal = x("diagonal")},
          {.da_dq = x("da_dq"), .da_dv = x("da_dv"), .da_dtau = x("da_dtau")}, w);
    });
    this->check(m, "forward_dynamics_jvp", [&](auto x, auto& w) {
      forward_dynamics_jvp(m,
                           {.q = x("q"),
                            .v = x("v"),
                            .tau = x("tau"),
                            .dq = x("dq"),
                            .dv = x("dv"),
                            .dtau = x("dtau"),
                            .f_ext = x("f_ext"),
                            .diagonal = x("diagonal"),
                            .df_ext = x("df_ext"),
                            .dpi = x("dpi")},
                           {.a = x("a"), .da = x("da")}, w);
    });
    this->check(m, "forward_dynamics_vjp", [&](auto x, auto& w) {
      forward_dynamics_vjp(m,
                           {.q = x("q"),
                            .v = x("v"),
                            .tau = x("tau"),
                            .a_bar = x("a_bar"),
                            .f_ext = x("f_ext"),
                            .diagonal = x("diagonal")},
                           {.a = x("a"),
                            .q_bar = x("q_bar"),
                            .v_bar = x("v_bar"),
                            .tau_bar = x("tau_bar"),
                            .f_ext_bar = x("f_ext_bar"),
                            .pi_bar = x("pi_bar")},
                           w);
    });
    this->check(m, "forward_dynamics_hvp", [&](auto x, auto& w) {
      forward_dynamics_hvp(m,
                           {.q = x("q"),
                            .v = x("v"),
                            .tau = x("tau"),
                            .a_bar = x("a_bar"),
                            .dq = x("dq"),
                            .dv = x("dv"),
                            .dtau = x("dtau"),
                            .da_bar = x("da_bar"),
                            .f_ext = x("f_ext"),
                            .df_ext = x("df_ext"),
                            .diagonal = x("diagonal")},
                           {.da = x("da"),
                            .dq_bar = x("dq_bar"),
                            .dv_bar = x("dv_bar"),
                            .dtau_bar = x("dtau_bar"),
                            .df_ext_bar = x("df_ext_bar"),
                            .dpi_bar = x("dpi_bar")},
                           w);
    });
    this->check(m, "forward_dynamics_second_derivatives", [&](auto x, auto& w) {
      forward_dynamics_second_derivatives(m,
                                          {.q = x("q"),
                                           .v = x("v"),
                                           .tau = x("tau"),
                                           .a_bar = x("a_bar"),
                                           .f_ext = x("f_ext"),
                                           .diagonal = x("diagonal")},
                                          {.d2a_dqdq = x("d2a_dqdq"),
                                           .d2a_dvdq = x("d2a_dvdq"),
                                           .d2a_dtaudq = x("d2a_dtaudq"),
                                           .d2a_dvdv = x("d2a_dvdv")},
                                          w);
    });
    this->check(m, "inverse_mass_matrix",
                [&](auto x, auto& w) { inverse_mass_matrix(m, {.q = x("q")}, {.Minv = x("Minv")}, w); });
    this->check(m, "inverse_mass_matrix_product",
                [&](auto x, auto& w) { inverse_mass_matrix_product(m, {.q = x("q"), .x = x("x")}, {.y = x("y")}, w); });
    this->check(
        m, "operational_space_mobility",
        [&](auto x, auto& w) {
          operational_space_mobility(m, {.q = x("q"), .frame = frame}, {.mobility = x("mobility")}, w);
        },
        frame);
    this->check(m, "energy", [&](auto x, auto& w) {
      energy(m, {.q = x("q"), .v = x("v")}, {.kinetic = x("kinetic"), .potential = x("potential")}, w);
    });
    this->check(m, "energy_derivatives", [&](auto x, auto& w) {
      energy_derivatives(
          m, {.q = x("q"), .v = x("v")},
          {.dkinetic_dq = x("dkinetic_dq"), .dkinetic_dv = x("dkinetic_dv"), .dpotential_dq = x("dpotential_dq")}, w);
    });
    this->check(m, "centre_of_mass_derivatives", [&](auto x, auto& w) {
      centre_of_mass_derivatives(m, {.q = x("q"), .v = x("v"), .a = x("a")},
                                 {.dvelocity_dq = x("dvelocity_dq"),
                                  .dacceleration_dq = x("dacceleration_dq"),
                                  .dacceleration_dv = x("dacceleration_dv"),
                                  .J = x("J"),
                                  .acceleration = x("acceleration")},
                                 w);
    });
    this->check(m, "centroidal_momentum_derivatives", [&](auto x, auto& w) {
      centroidal_momentum_derivatives(
          m, {.q = x("q"), .v = x("v"), .a = x("a")},
          {.dh_dq = x("dh_dq"), .dhdot_dq = x("dhdot_dq"), .dhdot_dv = x("dhdot_dv"), .A = x("A"), .hdot = x("hdot")},
          w);
    });
    this->check(m, "passive_forces_derivatives", [&](auto x, auto& w) {
      passive_forces_derivatives(m, {.q = x("q"), .v = x("v")}, {.dtau_dq = x("dtau_dq"), .dtau_dv = x("dtau_dv")}, w);
    });
    this->check(m, "centre_of_mass", [&](auto x, auto& w) {
      centre_of_mass(m, {.q = x("q"), .v = x("v")}, {.com = x("com"), .velocity = x("velocity"), .J = x("J")}, w);
    });
    this->check(m, "centroidal_momentum", [&](auto x, auto& w) {
      centroidal_momentum(m, {.q = x("q"), .v = x("v")}, {.h = x("h"), .A = x("A")}, w);
    });
    this->check(m, "passive_forces",
                [&](auto x, auto& w) { passive_forces(m, {.q = x("q"), .v = x("v")}, {.tau = x("tau")}, w); });
    this->check(m, "integrate",
                [&](auto x, auto& w) { integrate(m, {.q = x("q"), .u = x("u")}, {.q_next = x("q_next")}, w); });
    this->check(m, "difference",
                [&](auto x, auto& w) { difference(m, {.q0 = x("q0"), .q1 = x("q1")}, {.u = x("u")}, w); });
    this->check(m, "integrate_rate",
                [&](auto x, auto& w) { integrate_rate(m, {.u = x("u"), .v = x("v")}, {.rate = x("rate")}, w); });
    this->check(m, "close_loops", [&](auto x, auto& w) {
      close_loops(m, {.q = x("q"), .v = x("v")},
                  {.q_closed = x("q_closed"), .v_closed = x("v_closed"), .error = x("error")}, w);
    });
    this->check(m, "step", [&](auto x, auto& w) {
      step(m,
           {.q = x("q"),
            .v = x("v"),
            .tau = x("tau"),
            .dt = x("dt"),
            .f_ext = x("f_ext"),
            .q_target = x("q_target"),
            .kp = x("kp"),
            .kd = x("kd"),
            .stops = x("stops")},
           {.q_next = x("q_next"),
            .v_next = x("v_next"),
            .stops_next = x("stops_next"),
            .step_energies = x("step_energies")},
           w);
    });
    this->check(m, "step_jvp", [&](auto x, auto& w) {
      step_jvp(m,
               {.q = x("q"),
                .v = x("v"),
                .tau = x("tau"),
                .dt = x("dt"),
                .dq = x("dq"),
                .dv = x("dv"),
                .dtau = x("dtau"),
                .f_ext = x("f_ext"),
                .q_target = x("q_target"),
                .kp = x("kp"),
                .kd = x("kd"),
                .stops = x("stops"),
                .df_ext = x("df_ext"),
                .dq_target = x("dq_target"),
                .dkp = x("dkp"),
                .dkd = x("dkd"),
                .dimpedance = x("dimpedance")},
               {.q_next = x("q_next"),
                .v_next = x("v_next"),
                .dq_next = x("dq_next"),
                .dv_next = x("dv_next"),
                .stops_next = x("stops_next"),
                .dimpedance_next = x("dimpedance_next")},
               w);
    });
    this->check(m, "step_vjp", [&](auto x, auto& w) {
      step_vjp(m,
               {.q = x("q"),
                .v = x("v"),
                .tau = x("tau"),
                .dt = x("dt"),
                .q_next_bar = x("q_next_bar"),
                .v_next_bar = x("v_next_bar"),
                .f_ext = x("f_ext"),
                .q_target = x("q_target"),
                .kp = x("kp"),
                .kd = x("kd"),
                .stops = x("stops"),
                .impedance_next_bar = x("impedance_next_bar")},
               {.q_next = x("q_next"),
                .v_next = x("v_next"),
                .q_bar = x("q_bar"),
                .v_bar = x("v_bar"),
                .tau_bar = x("tau_bar"),
                .f_ext_bar = x("f_ext_bar"),
                .q_target_bar = x("q_target_bar"),
                .kp_bar = x("kp_bar"),
                .kd_bar = x("kd_bar"),
                .stops_next = x("stops_next"),
                .impedance_bar = x("impedance_bar")},
               w);
    });
    for (const Algorithm& algorithm : algorithms())
      EXPECT_TRUE(std::ranges::count(this->called_, algorithm.name)) << algorithm.name << " is not called by name here";
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
              HasSubstr("target is 7 x 5, expected 3 x 4 a state, side by side"));
  EXPECT_THAT(error_of([&] {
                inverse_kinematics(m, {.q0 = start, .target = target, .frame = frame}, {.q = alone}, work,
                                   {.options = {.frame = 2}});
              }),
              HasSubstr("options and device are for other functions"));
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
              HasSubstr("options and device are those of the plan"));
}

TEST_F(NamedCalls, ErrorsNameTheArgumentAndItsSizes) {
  const auto told = [&](const auto& q, auto&& tau) {
    return error_of([&] { gravity_forces(m, {.q = q}, {.tau = tau}, work); });
  };
  std::vector<double> numbers(20), none;
  Matrix transposed(5, 7), few(7, 4), empty;
  EXPECT_EQ(told(numbers, A), "gravity_forces: q has 20 numbers, expected 7 a state ([7]), of 5 states");
  EXPECT_EQ(told(transposed, A),
            "gravity_forces: q is 5 x 7, expected 7 x 1, a column for each state, of 5 states; give its transpose");
  EXPECT_EQ(told(few, A), "gravity_forces: q is 7 x 4, expected 7 x 1, a column for each state, of 5 states");
  EXPECT_THAT(told(Q, transposed),
              HasSubstr("tau is 5 x 7, expected 7 x 1, a column for each state; give its transpose"));
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
              HasSubstr("M is 7 x 34, expected 7 x 7 a state, side by side"));
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
  EXPECT_THAT(error_of([&] { gravity_forces(m, {.q = strided}, {.tau = out}, work); }), HasSubstr("give size"));
  Matrix expected(7, 5);
  gravity_forces(m, {.q = Q}, {.tau = expected}, work);
  gravity_forces(m, {.q = strided}, {.tau = out}, work, {.size = 5});
  EXPECT_EQ(A, expected);
}

}  // namespace
}  // namespace tandem::test
