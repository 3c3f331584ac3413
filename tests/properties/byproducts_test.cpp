// SPDX-License-Identifier: Apache-2.0
/// By-products of the recursions: wrenches between links, the mobility of a frame, many vectors for one configuration.
#include "support/property.hpp"
#include "support/roundings.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

template <class T>
class Byproducts : public ::testing::Test {};
TYPED_TEST_SUITE(Byproducts, Reals);

template <class T>
std::vector<T> rounded(const Vector& x) {
  std::vector<T> result(static_cast<std::size_t>(x.size()));
  for (Index k = 0; k < x.size(); ++k) result[static_cast<std::size_t>(k)] = static_cast<T>(x[k]);
  return result;
}

/// Row i: the wrench onto link i.
template <class T>
Matrix interbody_wrenches(const Model& model, const State& s) {
  Workspace<T> work;
  std::vector<T> f(static_cast<std::size_t>(6 * model.n_links()));
  tandem::interbody_wrenches<T>(model, rounded<T>(s.q), rounded<T>(s.v), rounded<T>(s.a), f, work, rounded<T>(s.f_ext));
  Matrix result(model.n_links(), 6);
  for (Index k = 0; k < result.size(); ++k) result(k / 6, k % 6) = f[static_cast<std::size_t>(k)];
  return result;
}

template <class T>
Matrix operational_space_mobility(const Model& model, const State& s, int frame, Reference reference) {
  Workspace<T> work;
  std::vector<T> A(36);
  tandem::operational_space_mobility<T>(model, rounded<T>(s.q), frame, reference, A, work);
  Matrix result(6, 6);
  for (Index k = 0; k < 36; ++k) result(k / 6, k % 6) = A[static_cast<std::size_t>(k)];
  return result;
}

/// A wrench at p, along axes that R turns into the world's: about the world's origin.
Vector6 in_world(const Matrix3& R, const Vector3& p, const Vector6& wrench) {
  Vector6 result;
  const Vector3 force = R * wrench.head<3>();
  result << force, R * wrench.tail<3>() + p.cross(force);
  return result;
}

/// What links and all that is fixed to them take to move as they do, from the numbers of their description, about the
/// world's origin.
Matrix wrenches_of_motion(const Case& c, const State& s) {
  const auto& m = c.model.view<double>();
  const Frames frames = Robot<double>(c.model).forward_kinematics(s.q, s.v, s.a, Reference::local_world_aligned);
  const Vector3 minus_gravity = Eigen::Map<const Vector3>(m.base_acceleration + 3);
  Matrix result = Matrix::Zero(m.n_links, 6);
  for (const LinkDescription& link : c.description.links()) {
    const int k = c.model.frame_index(link.name);
    const auto at = static_cast<std::size_t>(k);
    const Matrix3& R = frames.R[at];
    const Vector6 u = frames.velocity.row(k), u_dot = frames.acceleration.row(k);
    const Vector3 w = u.tail<3>(), w_dot = u_dot.tail<3>(), com = R * Vector3(link.com.data());
    const auto& [xx, xy, xz, yy, yz, zz] = link.inertia;
    Matrix3 I;
    I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    I = R * I * R.transpose();
    Vector6 wrench;
    wrench << link.mass * (u_dot.head<3>() + minus_gravity + w_dot.cross(com) + w.cross(w.cross(com))),
        I * w_dot + w.cross(I * w);
    result.row(m.frame_link[k]) += in_world(Matrix3::Identity(), frames.p[at] + com, wrench);
  }
  return result;
}

TYPED_TEST(Byproducts, InterbodyWrenchesBalanceEveryLink) {
  for_each_state<TypeParam>([](const Case& c, auto&, const State& s) {
    const auto& m = c.model.view<double>();
    const Matrix f = interbody_wrenches<TypeParam>(c.model, s);
    const Frames frames = Robot<double>(c.model).forward_kinematics(s.q);
    Matrix taken = wrenches_of_motion(c, s), given = Matrix::Zero(m.n_links, 6);
    taken.row(0).setZero();  // the base's own weight is no part of what its row says
    for (int i = 0; i < m.n_links; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Vector6 f_i = in_world(frames.R[at], frames.p[at], f.row(i));
      given.row(i) += f_i + in_world(frames.R[at], frames.p[at], s.f_ext.segment<6>(6 * i));
      if (i > 0) given.row(m.parent[i]) -= f_i;
    }
    // f_ext on the base is not among the scales of a robot's forces
    const double scale = scales(c.model, s).force + s.f_ext.head<6>().norm();
    expect_near(given, taken, tolerance<TypeParam>(16, 1, scale), "balance of links");
  });
}

TYPED_TEST(Byproducts, InterbodyWrenchesAlongTheJointAreTheJointForces) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const auto& m = c.model.view<double>();
    if (m.n_mimic > 0) return;
    const Matrix f = interbody_wrenches<TypeParam>(c.model, s);
    Robot<double> exact(c.model);
    Vector along(m.nv);
    for (int i = 1; i < m.n_links; ++i) {
      const Matrix S_i =
          exact.jacobian(s.q, i, Reference::local).middleCols(m.v_index[i], joint_nv(m.type[i]));  // its own columns
      along.segment(m.v_index[i], S_i.cols()) = S_i.transpose() * f.row(i).transpose();
    }
    const Vector armature = Eigen::Map<const Vector>(m.armature, m.nv);
    expect_near(robot.inverse_dynamics(s.q, s.v, s.a, s.f_ext) - armature.cwiseProduct(s.a), along,
                tolerance<TypeParam>(8, 1, scales(c.model, s).force), "joint forces");
  });
}

TYPED_TEST(Byproducts, OperationalSpaceMobilityIsThatOfTheMassMatrix) {
  for_each_state<TypeParam>([](const Case& c, auto&, const State& s) {
    Robot<double> exact(c.model);
    const Matrix M = exact.mass_matrix(s.q);
    const Vector d = M.diagonal().cwiseSqrt().cwiseInverse();
    const Matrix scaled = d.asDiagonal() * M * d.asDiagonal();
    for (const int frame : {0, c.model.n_links() / 2, c.model.n_frames() - 1})
      for (const Reference reference : {Reference::local, Reference::world, Reference::local_world_aligned}) {
        if (M.rows() == 0) continue;
        const Matrix JD = exact.jacobian(s.q, frame, reference) * d.asDiagonal();
        const Matrix ours = operational_space_mobility<TypeParam>(c.model, s, frame, reference);
        // most of it is what Eigen loses on the sums over the rows of M
        const double rows = static_cast<double>(M.rows());
        const double allowed =
            tolerance<TypeParam>(8 * roundings_of_a_product(), condition(M) * std::sqrt(rows), JD.squaredNorm());
        expect_near(ours, JD * solve_positive_definite(scaled, JD.transpose()), allowed, "J M^-1 J^T");
        EXPECT_TRUE(ours == ours.transpose());
        // a sum of squares: negative by no more than the rounding of its own entries
        EXPECT_GE(eigenvalues(ours).minCoeff(),
                  -tolerance<TypeParam>(32, c.model.view<double>().n_mimic ? condition(M) : 1,
                                        JD.squaredNorm() + ours.norm()));
      }
  });
}

/// y = M^-1 x for many x with one q: the bits of single calls, whatever is left over behind the lanes.
template <class T>
void check_shared_configuration(const Model& model) {
  const Algorithm& algorithm = find_algorithm("inverse_mass_matrix_product");
  const State s = random_state(model, 4);
  const std::vector<T> q = rounded<T>(s.q);
  const auto nv = static_cast<std::size_t>(model.nv());
  for (const Index n : {1, 2, 7, 8, 9, 16, 37, 200}) {
    std::vector<T> x, y(nv * static_cast<std::size_t>(n)), single(nv);
    for (Index b = 0; b < n; ++b)
      for (const T number : rounded<T>(random_state(model, 10 + static_cast<std::uint64_t>(b)).tau))
        x.push_back(number);
    std::vector<Status> status(static_cast<std::size_t>(n), Status::singular);
    Workspace<T> work;
    const auto column = [&](const std::vector<T>& numbers, Index stride) {
      return Array<T>::output(const_cast<T*>(numbers.data()), stride);
    };
    for (const bool watched : {false, true}) {
      std::fill(y.begin(), y.end(), std::numeric_limits<T>::quiet_NaN());
      const Array<T> arrays[] = {column(q, 0), column(x, model.nv()), column(y, model.nv())};
      tandem::Batch<T> batch(n);
      if (watched) batch.status = status;
      evaluate<T>(algorithm, model, arrays, batch, work);
      for (Index b = 0; b < n; ++b) {
        const auto first = static_cast<std::size_t>(b) * nv;
        inverse_mass_matrix_product<T>(model, q, std::span<const T>(x).subspan(first, nv), single, work);
        EXPECT_TRUE(same_bits(single.data(), y.data() + first, nv)) << "vector " << b << " of " << n;
        EXPECT_TRUE(!watched || status[static_cast<std::size_t>(b)] != Status::singular);
      }
    }
  }
}

TYPED_TEST(Byproducts, ManyVectorsForOneConfigurationHaveTheBitsOfSingleCalls) {
  for (const char* name : {"one_free", "every_joint", "chain:7", "tree:24+floating", "mimic_branches", "humanoid"}) {
    SCOPED_TRACE(name);
    check_shared_configuration<TypeParam>(case_named(name).model);
  }
  check_shared_configuration<TypeParam>(generate("chain:400", 3).build());  // too long for lanes
}

}  // namespace
}  // namespace tandem::test
