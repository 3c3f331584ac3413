// SPDX-License-Identifier: Apache-2.0
/// Inverse dynamics as scans: the answers of the serial recursion, in every form, however the chain is cut.
#include "tandem/detail/scan/inverse_dynamics_scan.hpp"
#include "links/link_call.hpp"
#include "support/roundings.hpp"
#include "tandem/detail/spatial/exponential.hpp"

namespace tandem::test {
namespace {

constexpr Form forms[] = {Form::automatic, Form::body, Form::jet, Form::world_orientation};

/// kappa: rounding errors are a random walk along the chain; world axes add up what link axes would turn away.
template <class T>
void check(const Model& model, const State& s, Options options, const std::string& what) {
  SCOPED_TRACE(what + ", form " + std::to_string(static_cast<int>(options.form)) + ", chunks " +
               std::to_string(options.chunks) + " of " + std::to_string(options.chunk));
  options.method = Method::scan;
  Robot<double> judge(model);
  const bool in_link_axes = options.form == Form::body || options.form == Form::jet;
  const double kappa = (in_link_axes ? 1 : 4) * (1 + std::sqrt(model.n_links()));
  for (const Vector& f_ext : {Vector(), s.f_ext}) {
    const Vector expected = judge.inverse_dynamics(s.q, s.v, s.a, f_ext);
    const Vector tau = call_method<T>("inverse_dynamics", model, options, {s.q, s.v, s.a, f_ext});
    expect_near(tau, expected, tolerance<T>(32, kappa, size_of(expected)), "tau");
  }
}

template <class T>
class InverseDynamicsScans : public ::testing::Test {};
TYPED_TEST_SUITE(InverseDynamicsScans, Reals);

TYPED_TEST(InverseDynamicsScans, AgreeOnChainsOfEveryLength) {
  for (const int n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 129, 300}) {
    const Model model = generate("chain:" + std::to_string(n), 5).build();
    const State s = calm_state(model, 6);
    for (const Form form : forms) check<TypeParam>(model, s, {.form = form}, model.name());
  }
}

TYPED_TEST(InverseDynamicsScans, AgreeHoweverTheChainIsCut) {
  const Model model = generate("chain:300", 7).build();
  const State s = calm_state(model, 8);
  for (const Form form : forms)
    for (const int size : {1, 2, 5, 9, 64, 1000}) {
      check<TypeParam>(model, s, {.form = form, .chunk = size}, "chunk");
      check<TypeParam>(model, s, {.form = form, .chunks = size}, "chunks");
    }
}

TYPED_TEST(InverseDynamicsScans, AgreeForEveryJointType) {
  const auto models = models_of_all_kinds({"rope:1", "rope:40", "rope:20:bending", "snake:1", "snake:60"});
  int served = 0;
  for (const Model& model : models) {
    if (refusal(find_algorithm("inverse_dynamics"), model, {.method = Method::scan})) continue;
    ++served;
    const State s = calm_state(model, 10);
    for (const Form form : forms) {
      if (refusal(find_algorithm("inverse_dynamics"), model, {.method = Method::scan, .form = form})) continue;
      for (const int chunk : {0, 1, 3}) check<TypeParam>(model, s, {.form = form, .chunk = chunk}, model.name());
    }
  }
  EXPECT_GE(served, 9);
}

TYPED_TEST(InverseDynamicsScans, AgreeOnTrees) {
  for (const Model& model : trees()) {
    const State s = calm_state(model, 17);
    for (const Form form : {Form::automatic, Form::jet, Form::body})
      for (const int chunk : {0, 1, 3}) {
        check<TypeParam>(model, s, {.form = form, .chunk = chunk}, model.name());
        check<TypeParam>(model, s, {.form = form, .chunk = chunk, .scan_schedule = ScanSchedule::hillis_steele},
                         model.name() + ", naive");
      }
    check<TypeParam>(model, s, {.chunks = 5}, model.name());
    const auto by = [&](Form form, int threads) {
      return call_method<TypeParam>("inverse_dynamics", model, {.method = Method::scan, .form = form, .chunk = 1},
                                    {s.q, s.v, s.a, s.f_ext}, threads);
    };
    for (const Form form : {Form::jet, Form::body}) EXPECT_TRUE(by(form, 1) == by(form, 5)) << model.name();
  }
}

TYPED_TEST(InverseDynamicsScans, AgreeInEitherOrderOfScans) {
  for (const char* spec : {"chain:1", "chain:2", "chain:100", "chain:300", "rope:40", "snake:60"}) {
    const Model model = generate(spec, 15).build();
    const State s = calm_state(model, 16);
    for (const Form form : forms)
      for (const int chunk : {1, 5})
        check<TypeParam>(model, s, {.form = form, .chunk = chunk, .scan_schedule = ScanSchedule::hillis_steele}, spec);
  }
}

TYPED_TEST(InverseDynamicsScans, KeepTheirDigitsOnLongChains) {
  for (const char* spec : {"chain:10000", "rope:10000", "rope:5000:bending"}) {
    const Model model = generate(spec, 11).build();
    const State s = calm_state(model, 12);
    for (const Form form : forms) check<TypeParam>(model, s, {.form = form}, spec);
  }
}

TYPED_TEST(InverseDynamicsScans, GiveTheSameBitsOnAnyNumberOfThreadsAndWithoutLanes) {
  using T = TypeParam;
  const Model model = generate("chain:1003", 13).build();
  const State s = calm_state(model, 14);
  const auto& m = model.view<T>();
  const Eigen::Matrix<T, -1, 1> q = s.q.cast<T>(), v = s.v.cast<T>(), a = s.a.cast<T>(), f = s.f_ext.cast<T>();
  for (const Form form : forms) {
    const Options options = {.method = Method::scan, .form = form, .chunk = 10};
    const Vector one = call_method<T>("inverse_dynamics", model, options, {s.q, s.v, s.a, s.f_ext}, 1);
    const Vector many = call_method<T>("inverse_dynamics", model, options, {s.q, s.v, s.a, s.f_ext}, 7);
    EXPECT_TRUE(one == many);

    if (roundings_of_a_product() == 1) continue;  // tests are compiled without fused multiply-adds
    const auto scan = with_options<InverseDynamicsScan>(options);
    std::vector<T> work(static_cast<std::size_t>(scan.work_rows(m)));
    Eigen::Matrix<T, -1, 1> tau(model.nv());
    scan.body<T>(SerialExecutor(), m, q.data(), v.data(), a.data(), f.data(), tau.data(), work.data());
    EXPECT_TRUE(one == tau.template cast<double>());
  }
}

TEST(InverseDynamicsScan, RefusesMimicJointsAndTreesInWorldAxes) {
  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  const Options in_world_axes = {.method = Method::scan, .form = Form::world_orientation};
  for (const char* reason : {refusal(algorithm, star(3, 1).build(), in_world_axes),
                             refusal(algorithm, mimic_chain(2).build(), {.method = Method::scan})}) {
    ASSERT_NE(reason, nullptr);
    EXPECT_NE(std::string(reason).find("recursive_newton_euler"), std::string::npos);
  }
  EXPECT_EQ(refusal(algorithm, star(3, 1).build(), {.method = Method::scan}), nullptr);
  EXPECT_EQ(refusal(algorithm, generate("snake:5").build(), {.method = Method::scan}), nullptr);
}

// what an operator combines must not depend on brackets, and its identity must change nothing
template <class Op, class Make>
void check_operator(const Op& op, Make&& make) {
  using T = decltype(op.identity());
  constexpr std::size_t rows = sizeof(T) / sizeof(double);
  const auto expect_same = [](const T& a, const T& b) {
    const auto x = std::bit_cast<std::array<double, rows>>(a), y = std::bit_cast<std::array<double, rows>>(b);
    for (std::size_t k = 0; k < rows; ++k) EXPECT_NEAR(x[k], y[k], 1e-13) << "number " << k;
  };
  const T P = make(), Q = make(), R = make();
  expect_same(op(op(P, Q), R), op(P, op(Q, R)));
  expect_same(op(op.identity(), P), P);
  expect_same(op(P, op.identity()), P);
}

TEST(ScanOperators, AreAssociative) {
  Random random(3);
  const auto vec3 = [&] { return Vec3<double>{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  const auto motion = [&] { return Motion<double>{vec3(), vec3()}; };
  const auto force = [&] { return Force<double>{vec3(), vec3()}; };
  const auto turn = [&] {
    const auto w = vec3();
    return rotation(exponential(w));
  };
  const auto transform = [&] { return Transform<double>{turn(), vec3()}; };
  check_operator(Product<Transform<double>>(), transform);
  check_operator(Product<Mat3<double>>(), turn);
  check_operator(Affine<double>(), [&] { return AffineRun<double>{transform(), motion()}; });
  check_operator(Jet<double>(), [&] { return JetRun<double>{transform(), motion(), motion()}; });
  check_operator(WorldJet<double>(), [&] { return WorldJetRun<double>{vec3(), vec3()}; });
  check_operator(Inward<double, Force>(), [&] { return InwardRun<double, Force>{transform(), force()}; });
  check_operator(Inward<double, Inertia>(), [&] {
    return InwardRun<double, Inertia>{transform(), {random.uniform(1, 2), vec3(), {1, 2, 3, 0.1, 0.2, 0.3}}};
  });
  check_operator(Sum<double>(), vec3);
}

}  // namespace
}  // namespace tandem::test
