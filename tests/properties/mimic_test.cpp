// SPDX-License-Identifier: Apache-2.0
/// A robot with mimic joints is the same robot without them, its coordinates bound to one another: q_all = G q + g.
#include "support/property.hpp"

namespace tandem::test {
namespace {

template <class T>
class Mimic : public ::testing::Test {};
TYPED_TEST_SUITE(Mimic, Reals);

/// The robot whose mimic joints have been set free, and how the bound coordinates make up all of them.
struct Freed {
  Model model;
  Matrix G_q, G;  ///< [nq_all, nq], [nv_all, nv]
  Vector g;       ///< [nq_all]

  explicit Freed(const Case& c) : model(build(c)) {
    const auto &m = c.model.view<double>(), &all = model.view<double>();
    G_q = Matrix::Zero(all.nq, m.nq);
    G = Matrix::Zero(all.nv, m.nv);
    g = Vector::Zero(all.nq);
    for (int i = 1; i < m.n_links; ++i) {
      const int j = model.joint_index(c.model.joint_name(i));
      // follow the description from joint to joint, independently of what the model made of it
      auto [source, multiplier, offset] = resolved(c, std::string(c.model.joint_name(i)));
      const int s = c.model.joint_index(source);
      for (int k = 0; k < joint_nq(m.type[i]); ++k) G_q(all.q_index[j] + k, m.q_index[s] + k) = multiplier;
      for (int k = 0; k < joint_nv(m.type[i]); ++k) G(all.v_index[j] + k, m.v_index[s] + k) = multiplier;
      if (joint_nq(m.type[i]) == 1) g[all.q_index[j]] = offset;
    }
  }

 private:
  static Model build(const Case& c) {
    ModelBuilder builder(c.description.name());
    builder.gravity(c.description.gravity());
    for (const LinkDescription& link : c.description.links()) builder.link(link);
    for (JointDescription joint : c.description.joints()) {
      joint.mimic.clear();
      if (joint.armature == 0 && c.name == "mimic_massless") joint.armature = 1e-300;  // carries nothing, may stay
      builder.joint(joint);
    }
    return builder.build(c.options);
  }
  static std::tuple<std::string, double, double> resolved(const Case& c, const std::string& name) {
    for (const JointDescription& joint : c.description.joints()) {
      if (joint.name != name || joint.mimic.empty()) continue;
      const auto [source, multiplier, offset] = resolved(c, joint.mimic);
      return {source, joint.multiplier * multiplier, joint.multiplier * offset + joint.offset};
    }
    return {name, 1, 0};
  }
};

std::vector<const Case*> cases_with_mimic() {
  std::vector<const Case*> result;
  for (const Case& c : cases())
    if (c.model.view<double>().n_mimic > 0) result.push_back(&c);
  return result;
}

TYPED_TEST(Mimic, TheCaseTableHasChainsBranchesAndScrews) {
  EXPECT_GE(cases_with_mimic().size(), 7u);
  EXPECT_EQ(case_named("mimic_chain").model.nv(), 2 + 3);
  EXPECT_EQ(case_named("mimic_branches").model.nv(), 3);
  EXPECT_EQ(case_named("mimic_prismatic+floating").model.nv(), 6 + 2);
}

TYPED_TEST(Mimic, BoundCoordinatesMoveAsTheFreeOnesUnderTheConstraint) {
  for (const Case* c : cases_with_mimic()) {
    const Freed freed(*c);
    Robot<TypeParam> bound(c->model);
    Robot<double> all(freed.model);
    for (const State& s : states(*c)) {
      SCOPED_TRACE(c->name + ", state " + std::to_string(s.seed));
      const Vector q = freed.G_q * s.q + freed.g, v = freed.G * s.v, a = freed.G * s.a;
      const Scales scale = scales(c->model, s);
      expect_near(bound.mass_matrix(s.q), freed.G.transpose() * all.mass_matrix(q) * freed.G,
                  tolerance<TypeParam>(16, 1, scale.mass), "M = G^T M G");
      expect_near(bound.inverse_dynamics(s.q, s.v, s.a, s.f_ext),
                  freed.G.transpose() * all.inverse_dynamics(q, v, a, s.f_ext),
                  tolerance<TypeParam>(16, 1, scale.force), "tau = G^T tau");
      expect_near(bound.passive_forces(s.q, s.v), freed.G.transpose() * all.passive_forces(q, v),
                  tolerance<TypeParam>(16, 1, scale.force), "passive forces");
      const Frames ours = bound.forward_kinematics(s.q, s.v, s.a, Reference::world);
      const Frames theirs = all.forward_kinematics(q, v, a, Reference::world);
      expect_near(ours.velocity, theirs.velocity, tolerance<TypeParam>(16, 1, scale.motion), "velocity");
      expect_near(ours.acceleration, theirs.acceleration, tolerance<TypeParam>(16, 1, scale.acceleration),
                  "acceleration");
      for (int k = 0; k < c->model.n_frames(); ++k)
        expect_near(bound.jacobian(s.q, k, Reference::world), all.jacobian(q, k, Reference::world) * freed.G,
                    tolerance<TypeParam>(16, 1, scale.length), "Jacobian");
      EXPECT_NEAR(bound.energy(s.q, s.v).kinetic, all.energy(q, v).kinetic, tolerance<TypeParam>(16, 1, scale.energy));
      expect_near(bound.centroidal_momentum(s.q, s.v).A, all.centroidal_momentum(q, v).A * freed.G,
                  tolerance<TypeParam>(16, 1, scale.mass), "centroidal momentum matrix");
      expect_near(bound.centre_of_mass(s.q, s.v).J, all.centre_of_mass(q, v).J * freed.G,
                  tolerance<TypeParam>(16, 1, scale.length), "Jacobian of the centre of mass");
    }
  }
}

TYPED_TEST(Mimic, SpringsOfFollowersAreFeltByTheJointTheyFollow) {
  const Case& c = case_named("passive");
  const Freed freed(c);
  Robot<double> bound(c.model), all(freed.model);
  const State s = random_state(c.model, 3), t = random_state(c.model, 4);
  const auto potential = [&](const Vector& q) { return bound.energy(q, s.v).potential; };
  const auto potential_all = [&](const Vector& q) {
    return all.energy(freed.G_q * q + freed.g, freed.G * s.v).potential;
  };
  // the springs' energies differ by a constant only: where the sum of two springs is slack, neither needs to be
  const double ours = potential(s.q) - potential(t.q), theirs = potential_all(s.q) - potential_all(t.q);
  EXPECT_NEAR(ours, theirs, tolerance<double>(16, 1, scales(c.model, s).energy + scales(c.model, t).energy));
}

}  // namespace
}  // namespace tandem::test
