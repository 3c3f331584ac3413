// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics by scan against the articulated-body algorithm, one pass over the links after the other.
#include <algorithm>

#include "backends/cpu/instruction_set.hpp"
#include "core/random.hpp"
#include "links/reference.hpp"
#include "support/many.hpp"
#include "support/property.hpp"
#include "support/robots.hpp"

namespace tandem::test {
namespace {

/// What a call is given besides the state.
struct Inputs {
  Vector f_ext = {}, diagonal = {};
  int threads = 1;
  Options options = {};
};

template <class T>
std::vector<T> numbers(const Vector& x) {
  return {x.data(), x.data() + x.size()};
}

template <class T>
Vector forward_dynamics(const Model& model, Method method, const State& s, const Inputs& inputs = {}) {
  auto q = numbers<T>(s.q), v = numbers<T>(s.v), tau = numbers<T>(s.tau), f_ext = numbers<T>(inputs.f_ext),
       diagonal = numbers<T>(inputs.diagonal);
  std::vector<T> a(static_cast<std::size_t>(model.nv()), std::numeric_limits<T>::quiet_NaN());
  const auto array = [](std::vector<T>& x) { return Array<T>{x.empty() ? nullptr : x.data(), 0}; };
  const Array<T> arrays[] = {array(q), array(v), array(tau), array(f_ext), array(diagonal), array(a)};
  Options options = method == Method::scan ? inputs.options : Options{};
  options.method = method;
  Workspace<T> work;
  evaluate<T>(find_algorithm("forward_dynamics"), model, arrays, Batch<T>(1, inputs.threads), work, options);
  return Eigen::Map<const Eigen::Matrix<T, -1, 1>>(a.data(), model.nv()).template cast<double>();
}

/// The largest ratio of rotational inertias, about the joint, of a link that a ball joint carries; 0 without ball
/// joints.
double thinness(const Model& model) {
  const auto& m = model.view<double>();
  double largest = 0;
  for (int i = 1; i < m.n_links; ++i) {
    const double* I = m.inertia + 10 * i + 4;
    const Eigen::Matrix3d about_joint{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    if (m.type[i] == JointType::spherical) largest = std::max(largest, eigenvalue_ratio(about_joint));
  }
  return largest;
}

/// Both methods and the reference; the scan may be `factor` times as far off as the articulated-body algorithm, or
/// `least` units of the last place of the largest acceleration. The axes of a chunk do not turn with its links: a thin
/// link that turns about itself by a ball joint keeps there the digits of its largest inertia, in its own axes those of
/// each.
template <class T>
void check(const Model& model, const State& s, const Inputs& inputs = {}, double factor = 4, double least = 200) {
  const Vector expected = reference_acceleration(model, s, inputs.f_ext, inputs.diagonal);
  const double scale = std::max(expected.cwiseAbs().maxCoeff(), 1e-30);
  const auto error = [&](Method method) {
    return (forward_dynamics<T>(model, method, s, inputs) - expected).cwiseAbs().maxCoeff() / scale;
  };
  const double serial = error(Method::articulated_body), scan = error(Method::scan);
  const double rounding = std::max(least, thinness(model)) * std::numeric_limits<T>::epsilon();
  EXPECT_LE(scan, std::max(factor * serial, rounding)) << "serial: " << serial;
}

template <class T>
class Scan : public ::testing::Test {};
TYPED_TEST_SUITE(Scan, Reals);

TYPED_TEST(Scan, AgreesOnEveryCaseWithoutMimicJoints) {
  for (const Case& c : cases()) {
    if (c.model.nv() == 0 || c.model.template view<double>().n_mimic > 0) continue;
    for (const State& s : states(c)) {
      SCOPED_TRACE(c.name + ", state " + std::to_string(s.seed));
      check<TypeParam>(c.model, s, {.f_ext = s.f_ext}, 10);
      check<TypeParam>(c.model, s, {.diagonal = s.a.cwiseAbs()}, 10);
    }
  }
}

TYPED_TEST(Scan, AgreesOnChainsOfEveryLength) {
  constexpr int every = sanitized ? 20 : 70;
  for (int n = 1; n <= 1000; n = n < every ? n + 1 : n * 5 / 4) {
    SCOPED_TRACE(n);
    for (const char* kind : {"chain:", "snake:", "rope:"}) {
      const Model model = generate(kind + std::to_string(n), 3).build();
      State s = random_state(model, 4);
      s.v *= 0.1;
      check<TypeParam>(model, s, {}, 8, 2000);
    }
  }
}

TYPED_TEST(Scan, AgreesHoweverTheChainIsCut) {
  for (const char* spec : {"chain:97", "snake:60", "rope:33", "rope:40:bending"}) {
    const Model model = generate(spec, 3).build();
    State s = random_state(model, 4);
    s.v *= 0.1;
    for (const Options& options :
         {Options{.chunk = 4}, Options{.chunk = 7}, Options{.chunk = 200}, Options{.chunks = 1}, Options{.chunks = 2},
          Options{.chunks = 9}, Options{.chunks = 16}}) {
      SCOPED_TRACE(std::string(spec) + " chunk " + std::to_string(options.chunk) + " chunks " +
                   std::to_string(options.chunks));
      check<TypeParam>(model, s, {.f_ext = s.f_ext, .options = options}, 16, 2000);
    }
  }
}

TYPED_TEST(Scan, AgreesOnTrees) {
  for (const JointType type : {JointType::revolute, JointType::prismatic, JointType::spherical})
    for (const int legs : {1, 7, 30}) {
      const Model model = with_legs(120, legs, type);
      State s = random_state(model, 4);
      s.v *= 0.1;
      SCOPED_TRACE(std::string(to_string(type)) + ", " + std::to_string(legs) + " legs");
      check<TypeParam>(model, s, {.f_ext = s.f_ext}, 10, 2000);
    }
}

TYPED_TEST(Scan, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const char* spec : {"chain:3000", "snake:600", "rope:1500"}) {
    const Model model = generate(spec, 3).build();
    State s = random_state(model, 4);
    s.v *= 0.01;
    const Vector one = forward_dynamics<TypeParam>(model, Method::scan, s);
    for (const int threads : {2, 3}) {
      const Vector more = forward_dynamics<TypeParam>(model, Method::scan, s, {.threads = threads});
      EXPECT_TRUE((one.array() == more.array()).all()) << spec << " on " << threads << " threads";
    }
  }
}

TYPED_TEST(Scan, HasTheSameBitsOnAllInstructionSetsOfAStrictBuild) {
#if !defined(TANDEM_STRICT)
  GTEST_SKIP() << "with fused multiply-adds instruction sets differ in the last place";
#endif
  if (instruction_sets().size() == 1)
    GTEST_SKIP() << "this build has one instruction set; there is none to compare with";
  const Model model = generate("chain:300", 3).build();
  const State s = random_state(model, 4);
  const std::string before = instruction_set();
  const Vector expected = forward_dynamics<TypeParam>(model, Method::scan, s);
  for (const std::string& name : instruction_sets()) {
    use_instruction_set(name);
    EXPECT_TRUE((forward_dynamics<TypeParam>(model, Method::scan, s).array() == expected.array()).all()) << name;
  }
  use_instruction_set(before);
}

/// Three revolute joints without mass between them are a ball joint.
TEST(ScanAccuracy, MasslessLinksBetweenMassiveOnes) {
  RobotMaker maker("balls", 8);
  maker.link("base");
  std::string parent = "base";
  for (int i = 0; i < 72; ++i) {
    const std::string link = "link" + std::to_string(i);
    JointDescription joint = maker.joint(JointType::revolute, parent, link);
    if (i % 3 != 0) joint.placement = {};
    joint.axis = {double(i % 3 == 0), double(i % 3 == 1), double(i % 3 == 2)};
    if (i % 3 == 2) {
      maker.add(joint);
    } else {
      maker.massless(link);
      maker.builder().joint(joint);
    }
    parent = link;
  }
  const Model model = maker.builder().build();
  State s = random_state(model, 9);
  s.q *= 0.1;
  s.v *= 0.1;
  const Vector expected = reference_acceleration(model, s, {}, {});
  for (const Options& options : {Options{}, Options{.chunk = 6}, Options{.chunk = 12}}) {
    const Vector a = forward_dynamics<double>(model, Method::scan, s, {.options = options});
    EXPECT_LT((a - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
  }
}

/// The families of chains that tell methods apart: coils, ropes, both with masses from a gram to a tonne.
Model family(const std::string& name, int n, std::uint64_t seed) {
  RobotMaker maker(name, seed);
  const bool straight = name == "rope" || name == "hard", uneven = name == "mass" || name == "hard";
  const double spread = straight ? 0 : 1, slides = name == "rope" ? 0 : name == "hard" ? 0.1 : 0.25;
  maker.link("base");
  std::string parent = "base";
  for (int i = 0; i < n; ++i) {
    const std::string name_i = "link" + std::to_string(i);
    const bool slide = maker.uniform(0, 1) < slides;
    JointDescription joint = maker.joint(slide ? JointType::prismatic : JointType::revolute, parent, name_i);
    if (straight) {
      joint.placement = {};
      joint.axis = {0, double(i % 2), double(1 - i % 2)};
    }
    joint.placement.position = {1 + 0.3 * spread * maker.uniform(-1, 1), 0.3 * spread * maker.uniform(-1, 1),
                                0.3 * spread * maker.uniform(-1, 1)};
    LinkDescription link{.name = name_i};
    link.mass = uneven ? std::pow(10.0, maker.uniform(-3, 3)) : maker.uniform(0.5, 2);
    link.com = {0.5, 0.05 * spread * maker.uniform(-1, 1), 0.05 * spread * maker.uniform(-1, 1)};
    const double thin = straight ? 1e-4 : 0.02, along = 1.0 / 12 + thin;
    link.inertia = {link.mass * thin, 0, 0, link.mass * along, 0, link.mass * along};
    maker.builder().joint(joint);
    maker.builder().link(link);
    parent = name_i;
  }
  return maker.builder().build();
}

/// Medians over chains of each family: within a factor of four of the serial algorithm, or few roundings. Single chains
/// scatter by more.
template <class T>
void check_families(int n, std::uint64_t chains) {
  for (const auto& [name, widest] : {std::pair{"normal", 3.14}, {"rope", 0.1}, {"mass", 3.14}, {"hard", 1e-3}}) {
    std::vector<double> serial, scan;
    for (std::uint64_t seed = 10; seed < 10 + chains; ++seed) {
      const Model model = family(name, n, seed);
      State s = random_state(model, 100 + seed);
      Random random(seed);
      for (double& q : s.q) q = static_cast<float>(random.uniform(-widest, widest));
      s.v *= 0.3 / std::sqrt(std::max(1.0, n / 10.0));
      const Vector expected = reference_acceleration(model, s, {}, {});
      const auto error = [&](Method method) {
        return (forward_dynamics<T>(model, method, s) - expected).cwiseAbs().maxCoeff() /
               expected.cwiseAbs().maxCoeff();
      };
      serial.push_back(error(Method::articulated_body));
      scan.push_back(error(Method::scan));
    }
    const auto median = [](std::vector<double>& x) {
      std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
      return x[x.size() / 2];
    };
    // where the serial algorithm is nearly exact: the walk of n roundings
    const double walk = std::max(32.0, 2.5 * std::sqrt(n)) * std::numeric_limits<T>::epsilon();
    const double allowed = std::max(4 * median(serial), walk);
    EXPECT_LE(median(scan), allowed) << name << ", " << n << " links";
  }
}

TYPED_TEST(Scan, IsAsAccurateAsTheSerialAlgorithmOnHardChains) { check_families<TypeParam>(64, 101); }

TYPED_TEST(Scan, RefusesMimicJoints) {
  const Model model = mimic_chain(30).build();
  const State s = random_state(model, 1);
  EXPECT_THROW(forward_dynamics<TypeParam>(model, Method::scan, s), Error);
}

/// What chunks keep of their links leaves the cache before the next pass, so that links are placed twice; with
/// branches, and outer forces.
TEST(SlowScan, TreesThatLeaveTheCache) {
  for (const auto& [spine, legs, type] :
       {std::tuple{200000, 3000, JointType::revolute}, {70000, 500, JointType::spherical}}) {
    const Model model = with_legs(spine, legs, type);
    State s = random_state(model, 4);
    s.v *= 0.003;
    SCOPED_TRACE(to_string(type));
    check<double>(model, s, {}, 10, 2000);
    check<double>(model, s, {.f_ext = s.f_ext, .threads = 2}, 10, 2000);
    check<float>(model, s, {.f_ext = s.f_ext}, 10, 2000);
  }
}

TEST(SlowScan, AHundredThousandLinks) {
  for (const char* spec : {"chain:100000", "rope:50000:bending"}) {
    const Model model = generate(spec, 3).build();
    State s = random_state(model, 4);
    s.v *= 0.01;
    check<double>(model, s);
    check<float>(model, s);
  }
  for (const auto& [n, chains] : {std::pair{256, 151}, {1024, 51}, {16384, 7}}) {
    check_families<double>(n, static_cast<std::uint64_t>(chains));
    check_families<float>(n, static_cast<std::uint64_t>(chains));
  }
}

}  // namespace
}  // namespace tandem::test
