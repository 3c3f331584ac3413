// SPDX-License-Identifier: Apache-2.0
/// Inverse dynamics by its terms: together they are what they were, and each is what its name says.
#include "support/property.hpp"

namespace tandem::test {
namespace {

/// The terms in the order of the table.
enum Term { inertial, coriolis, centrifugal, gravity, external, friction, springs, n_terms };

template <class T>
std::vector<Vector> terms_of(const Model& model, const Vector& q, const Vector& v, const Vector& a,
                             const Vector& f_ext = {}) {
  const Fenced<T> q_(q), v_(v), a_(a), f_ext_(f_ext);
  std::vector<std::unique_ptr<Fenced<T>>> out;
  for (int k = 0; k < n_terms; ++k) out.push_back(std::make_unique<Fenced<T>>(Index{model.nv()}));
  Workspace<T> work;
  inverse_dynamics_terms<T>(model, q_.in(), v_.in(), a_.in(), out[0]->out(), out[1]->out(), out[2]->out(),
                            out[3]->out(), out[4]->out(), out[5]->out(), out[6]->out(), work, f_ext_.in());
  std::vector<Vector> terms;
  for (const auto& term : out) terms.push_back(term->values());
  return terms;
}

double size_of(const std::vector<Vector>& terms) {
  double size = 1e-9;
  for (const Vector& term : terms)
    if (term.size()) size = std::max(size, term.cwiseAbs().maxCoeff());
  return size;
}

template <class T>
class InverseDynamicsTermsOf : public ::testing::Test {};
TYPED_TEST_SUITE(InverseDynamicsTermsOf, Reals);

TYPED_TEST(InverseDynamicsTermsOf, AddUp) {
  using T = TypeParam;
  for_each_state<T>([](const Case& c, Robot<T>& robot, const State& s) {
    const auto terms = terms_of<T>(c.model, s.q, s.v, s.a, s.f_ext);
    Vector sum = Vector::Zero(c.model.nv());
    for (const Vector& term : terms) sum += term;
    const Vector expected = robot.inverse_dynamics(s.q, s.v, s.a, s.f_ext) - robot.passive_forces(s.q, s.v);
    expect_near(sum, expected, tolerance<T>(32, std::sqrt(c.model.n_links()), size_of(terms)), "sum");
  });
}

TYPED_TEST(InverseDynamicsTermsOf, AreWhatTheirNamesSay) {
  using T = TypeParam;
  for_each_state<T>([](const Case& c, Robot<T>&, const State& s) {
    const auto terms = terms_of<T>(c.model, s.q, s.v, s.a, s.f_ext);
    Robot<double> judge(c.model);
    const double bound = tolerance<T>(32, std::sqrt(c.model.n_links()), size_of(terms));
    const Vector zero = Vector::Zero(c.model.nv()), weight = judge.gravity_forces(s.q);
    expect_near(terms[inertial], judge.mass_matrix(s.q) * s.a, bound, "inertial");
    expect_near(terms[gravity], weight, bound, "gravity");
    expect_near(terms[external], judge.inverse_dynamics(s.q, zero, zero, s.f_ext) - weight, bound, "external");
    expect_near(terms[springs], -judge.passive_forces(s.q, zero), bound, "springs");
    expect_near(terms[friction], judge.passive_forces(s.q, zero) - judge.passive_forces(s.q, s.v), bound, "friction");
    // [Pond] (2.37): rows that move one at a time
    Vector squares = zero;
    for (int k = 0; k < c.model.nv(); ++k) {
      Vector v = zero;
      v[k] = s.v[k];
      squares += judge.bias_forces(s.q, v) - weight;
    }
    expect_near(terms[centrifugal], squares, bound + 32 * eps * c.model.nv() * size_of({weight}), "centrifugal");
    expect_near(terms[coriolis], judge.bias_forces(s.q, s.v) - weight - squares,
                bound + 32 * eps * c.model.nv() * size_of({weight}), "coriolis");
  });
}

/// Two links in a plane, in closed form: h = m2 l1 l2 sin q2.
TEST(InverseDynamicsTerms, OfTwoLinksInAPlane) {
  ModelBuilder arm("two_links");
  const double l1 = 0.7, l2 = 0.4, m2 = 2;
  for (const auto& [name, mass] : {std::pair{"upper", 1.0}, {"lower", m2}}) {
    LinkDescription link;
    link.name = name;
    link.mass = mass;
    link.com = {std::string(name) == "upper" ? 0.3 : l2, 0, 0};
    arm.link(link);
  }
  LinkDescription base;
  base.name = "base";
  arm.link(base);
  for (const auto& [parent, child, x] : {std::tuple{"base", "upper", 0.0}, {"upper", "lower", l1}}) {
    JointDescription joint;
    joint.name = std::string("to_") + child;
    joint.type = JointType::revolute;
    joint.parent = parent;
    joint.child = child;
    joint.axis = {0, 0, 1};
    joint.placement.position = {x, 0, 0};
    arm.joint(joint);
  }
  const Model model = arm.build();
  Vector q(2), v(2);
  q << 0.3, 0.8;
  v << 1.5, -2.0;
  const auto terms = terms_of<double>(model, q, v, Vector::Zero(2));
  const double h = m2 * l1 * l2 * std::sin(q[1]);
  EXPECT_NEAR(terms[coriolis][0], -2 * h * v[0] * v[1], 1e-14);
  EXPECT_NEAR(terms[coriolis][1], 0, 1e-14);
  EXPECT_NEAR(terms[centrifugal][0], -h * v[1] * v[1], 1e-14);
  EXPECT_NEAR(terms[centrifugal][1], h * v[0] * v[0], 1e-14);
}

}  // namespace
}  // namespace tandem::test
