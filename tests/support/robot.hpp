// SPDX-License-Identifier: Apache-2.0
/// Over 400 lines, as every function is called once.
/// A robot's functions on Eigen's vectors, called as a user calls them, each call watched: NaN in the workspace and the
/// outputs beforehand, fences around everything.
#pragma once
#include "support/fenced.hpp"
#include "support/scratch.hpp"
#include "tandem/api/functions.hpp"

namespace tandem::test {

/// Where the frames are and how they move.
struct Frames {
  std::vector<Matrix3> R;
  std::vector<Vector3> p;
  Matrix velocity, acceleration;  ///< [n_frames, 6], linear first; empty if not asked for
};

struct AccelerationDerivatives {
  Matrix da_dq, da_dv, da_dtau;
};
struct ForceDerivatives {
  Matrix dtau_dq, dtau_dv, dtau_da;
};
/// Increments of what the dynamics depend on: dx of a or of tau.
struct Increments {
  Vector dq, dv, dx, df_ext, dpi;
};
/// A value and its increment.
struct Along {
  Vector value, increment;
};
/// A value, and products of what it depends on: x_bar of a or of tau.
struct Weighted {
  Vector value, q_bar, v_bar, x_bar, f_ext_bar, pi_bar;
};
/// Of weighted joint forces, x the acceleration, or of weighted accelerations, x the joint forces.
struct SecondDerivatives {
  Matrix by_qq, by_vq, by_xq, by_vv;
};
/// Of a velocity and an acceleration, or of a momentum and its rate: J is both by the next rate of the joints.
struct MotionDerivatives {
  Matrix velocity_by_q, acceleration_by_q, acceleration_by_v, J;
  Vector acceleration = {};
};
struct EnergyDerivatives {
  Vector kinetic_by_q, kinetic_by_v, potential_by_q;
};

template <class T>
class Robot {
 public:
  explicit Robot(const Model& model) : model_(model) {}
  const Model& model() const { return model_; }
  static double epsilon() { return std::numeric_limits<T>::epsilon(); }

  Frames forward_kinematics(const Vector& q) { return kinematics(q, nullptr, nullptr, Reference::local); }
  Frames forward_kinematics(const Vector& q, const Vector& v, Reference reference) {
    return kinematics(q, &v, nullptr, reference);
  }
  Frames forward_kinematics(const Vector& q, const Vector& v, const Vector& a, Reference reference) {
    return kinematics(q, &v, &a, reference);
  }
  /// Of poses, velocities and accelerations of all frames, one behind the other; without v of poses alone.
  Vector forward_kinematics_jvp(const Vector& q, const Vector& v, const Vector& a, const Increments& d,
                                Reference reference) {
    const Index n = model_.n_frames(), moving = v.size() ? 6 * n : 0;
    Fenced<T> q_(q), v_(v), a_(a), dq(d.dq), dv(d.dv), da(d.dx), dpose(12 * n), dvelocity(moving),
        dacceleration(moving);
    const auto watch = watched("forward_kinematics_jvp", {.reference = reference});
    tandem::forward_kinematics_jvp<T>(model_, q_.in(), dq.in(), dpose.out(), work_,
                                      {.v = v_.in(),
                                       .a = a_.in(),
                                       .dv = dv.in(),
                                       .da = da.in(),
                                       .dvelocity = dvelocity.out(),
                                       .dacceleration = dacceleration.out(),
                                       .reference = reference});
    Vector all(12 * n + 2 * moving);
    all << dpose.values(), dvelocity.values(), dacceleration.values();
    return all;
  }
  /// Weights of the same numbers.
  Weighted forward_kinematics_vjp(const Vector& q, const Vector& v, const Vector& a, const Vector& weights,
                                  Reference reference) {
    const Index n = model_.n_frames(), moving = v.size() ? 6 * n : 0, by = v.size() ? model_.nv() : 0;
    Fenced<T> q_(q), v_(v), a_(a), pose_bar(Vector(weights.head(12 * n))),
        velocity_bar(Vector(weights.segment(moving ? 12 * n : 0, moving))),
        acceleration_bar(Vector(weights.tail(moving))), q_bar(Index{model_.nv()}), v_bar(by), a_bar(by);
    const auto watch = watched("forward_kinematics_vjp", {.reference = reference});
    tandem::forward_kinematics_vjp<T>(model_, q_.in(), q_bar.out(), work_,
                                      {.v = v_.in(),
                                       .a = a_.in(),
                                       .pose_bar = pose_bar.in(),
                                       .velocity_bar = velocity_bar.in(),
                                       .acceleration_bar = acceleration_bar.in(),
                                       .v_bar = v_bar.out(),
                                       .a_bar = a_bar.out(),
                                       .reference = reference});
    return {{}, q_bar.values(), v_bar.values(), a_bar.values(), {}, {}};
  }
  Matrix jacobian(const Vector& q, int frame, Reference reference) {
    Fenced<T> q_(q), J(6 * Index{model_.nv()});
    const auto watch = watched("jacobian");
    tandem::jacobian<T>(model_, q_.in(), frame, reference, J.out(), work_);
    return matrix(J, 6);
  }
  Vector jacobian_time_derivative_product(const Vector& q, const Vector& v, int frame, Reference reference) {
    Fenced<T> q_(q), v_(v), out(6);
    const auto watch = watched("jacobian_time_derivative_product");
    tandem::jacobian_time_derivative_product<T>(model_, q_.in(), v_.in(), frame, reference, out.out(), work_);
    return out.values();
  }
  Vector inverse_dynamics(const Vector& q, const Vector& v, const Vector& a, const Vector& f_ext = {},
                          Method method = Method::automatic) {
    Fenced<T> q_(q), v_(v), a_(a), f_ext_(f_ext), tau(Index{model_.nv()});
    const auto watch = watched("inverse_dynamics", {.method = method});
    tandem::inverse_dynamics<T>(model_, q_.in(), v_.in(), a_.in(), tau.out(), work_, f_ext_.in(), {.method = method});
    return tau.values();
  }
  Vector bias_forces(const Vector& q, const Vector& v, const Vector& f_ext = {}) {
    Fenced<T> q_(q), v_(v), f_ext_(f_ext), tau(Index{model_.nv()});
    const auto watch = watched("bias_forces");
    tandem::bias_forces<T>(model_, q_.in(), v_.in(), tau.out(), work_, f_ext_.in());
    return tau.values();
  }
  Vector gravity_forces(const Vector& q) {
    Fenced<T> q_(q), tau(Index{model_.nv()});
    const auto watch = watched("gravity_forces");
    tandem::gravity_forces<T>(model_, q_.in(), tau.out(), work_);
    return tau.values();
  }
  Matrix inverse_dynamics_regressor(const Vector& q, const Vector& v, const Vector& a) {
    Fenced<T> q_(q), v_(v), a_(a), Y(Index{model_.nv()} * 10 * model_.n_joints());
    const auto watch = watched("inverse_dynamics_regressor");
    tandem::inverse_dynamics_regressor<T>(model_, q_.in(), v_.in(), a_.in(), Y.out(), work_);
    return matrix(Y, model_.nv());
  }
  ForceDerivatives inverse_dynamics_derivatives(const Vector& q, const Vector& v, const Vector& a,
                                                const Vector& f_ext = {}) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), a_(a), f_ext_(f_ext), dtau_dq(n * n), dtau_dv(n * n), dtau_da(n * n);
    const auto watch = watched("inverse_dynamics_derivatives");
    tandem::inverse_dynamics_derivatives<T>(model_, q_.in(), v_.in(), a_.in(), dtau_dq.out(), dtau_dv.out(), work_,
                                            f_ext_.in(), dtau_da.out());
    return {matrix(dtau_dq, n), matrix(dtau_dv, n), matrix(dtau_da, n)};
  }
  Along inverse_dynamics_jvp(const Vector& q, const Vector& v, const Vector& a, const Increments& d,
                             const Vector& f_ext = {}) {
    Fenced<T> q_(q), v_(v), a_(a), f_ext_(f_ext), dq(d.dq), dv(d.dv), da(d.dx), df_ext(d.df_ext), dpi(d.dpi),
        tau(Index{model_.nv()}), dtau(Index{model_.nv()});
    const auto watch = watched("inverse_dynamics_jvp");
    tandem::inverse_dynamics_jvp<T>(model_, q_.in(), v_.in(), a_.in(), dq.in(), dv.in(), da.in(), tau.out(), dtau.out(),
                                    work_, f_ext_.in(), df_ext.in(), dpi.in());
    return {tau.values(), dtau.values()};
  }
  Weighted inverse_dynamics_vjp(const Vector& q, const Vector& v, const Vector& a, const Vector& tau_bar,
                                const Vector& f_ext = {}) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), a_(a), f_ext_(f_ext), weights(tau_bar), tau(n), q_bar(n), v_bar(n), a_bar(n),
        f_ext_bar(6 * Index{model_.n_links()}), pi_bar(10 * Index{model_.n_joints()});
    const auto watch = watched("inverse_dynamics_vjp");
    tandem::inverse_dynamics_vjp<T>(model_, q_.in(), v_.in(), a_.in(), weights.in(), tau.out(), q_bar.out(),
                                    v_bar.out(), a_bar.out(), work_, f_ext_.in(), f_ext_bar.out(), pi_bar.out());
    return {tau.values(), q_bar.values(), v_bar.values(), a_bar.values(), f_ext_bar.values(), pi_bar.values()};
  }
  /// How all of them change along increments; of the value as well.
  Weighted inverse_dynamics_hvp(const Vector& q, const Vector& v, const Vector& a, const Vector& tau_bar,
                                const Increments& d, const Vector& dtau_bar = {}, const Vector& f_ext = {}) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), a_(a), f_ext_(f_ext), w(tau_bar), dw(dtau_bar), dq(d.dq), dv(d.dv), da(d.dx),
        df_ext(d.df_ext), dtau(n), q_bar(n), v_bar(n), a_bar(n), f_ext_bar(6 * Index{model_.n_links()}),
        pi_bar(10 * Index{model_.n_joints()});
    const auto watch = watched("inverse_dynamics_hvp");
    tandem::inverse_dynamics_hvp<T>(model_, q_.in(), v_.in(), a_.in(), w.in(), dq.in(), dv.in(), da.in(), dtau.out(),
                                    q_bar.out(), v_bar.out(), a_bar.out(), work_, dw.in(), f_ext_.in(), df_ext.in(),
                                    f_ext_bar.out(), pi_bar.out());
    return {dtau.values(), q_bar.values(), v_bar.values(), a_bar.values(), f_ext_bar.values(), pi_bar.values()};
  }
  SecondDerivatives inverse_dynamics_second_derivatives(const Vector& q, const Vector& v, const Vector& a,
                                                        const Vector& tau_bar, const Vector& f_ext = {}) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), a_(a), f_ext_(f_ext), w(tau_bar), qq(n * n), vq(n * n), aq(n * n), vv(n * n);
    const auto watch = watched("inverse_dynamics_second_derivatives");
    tandem::inverse_dynamics_second_derivatives<T>(model_, q_.in(), v_.in(), a_.in(), w.in(), qq.out(), vq.out(),
                                                   aq.out(), vv.out(), work_, f_ext_.in());
    return {matrix(qq, n), matrix(vq, n), matrix(aq, n), matrix(vv, n)};
  }
  Matrix mass_matrix(const Vector& q) {
    Fenced<T> q_(q), M(Index{model_.nv()} * model_.nv());
    const auto watch = watched("mass_matrix");
    tandem::mass_matrix<T>(model_, q_.in(), M.out(), work_);
    return matrix(M, model_.nv());
  }
  Vector forward_dynamics(const Vector& q, const Vector& v, const Vector& tau, Method method = Method::automatic,
                          const Vector& f_ext = {}, const Vector& diagonal = {}) {
    Fenced<T> q_(q), v_(v), tau_(tau), f_ext_(f_ext), diagonal_(diagonal), a(Index{model_.nv()});
    const auto watch = watched("forward_dynamics", {.method = method});
    tandem::forward_dynamics<T>(model_, q_.in(), v_.in(), tau_.in(), a.out(), work_, f_ext_.in(), diagonal_.in(),
                                {.method = method});
    return a.values();
  }
  Matrix mass_matrix_rate(const Vector& q, const Vector& v) {
    Fenced<T> q_(q), v_(v), Mdot(Index{model_.nv()} * model_.nv());
    const auto watch = watched("mass_matrix_rate");
    tandem::mass_matrix_rate<T>(model_, q_.in(), v_.in(), Mdot.out(), work_);
    return matrix(Mdot, model_.nv());
  }
  Matrix coriolis_matrix(const Vector& q, const Vector& v) {
    Fenced<T> q_(q), v_(v), C(Index{model_.nv()} * model_.nv());
    const auto watch = watched("coriolis_matrix");
    tandem::coriolis_matrix<T>(model_, q_.in(), v_.in(), C.out(), work_);
    return matrix(C, model_.nv());
  }
  AccelerationDerivatives forward_dynamics_derivatives(const Vector& q, const Vector& v, const Vector& tau,
                                                       const Vector& f_ext = {}, const Vector& diagonal = {}) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), tau_(tau), f_ext_(f_ext), diagonal_(diagonal), da_dq(n * n), da_dv(n * n), da_dtau(n * n);
    const auto watch = watched("forward_dynamics_derivatives");
    tandem::forward_dynamics_derivatives<T>(model_, q_.in(), v_.in(), tau_.in(), da_dq.out(), da_dv.out(), work_,
                                            f_ext_.in(), diagonal_.in(), da_dtau.out());
    return {matrix(da_dq, n), matrix(da_dv, n), matrix(da_dtau, n)};
  }
  Along forward_dynamics_jvp(const Vector& q, const Vector& v, const Vector& tau, const Increments& d,
                             const Vector& f_ext = {}, const Vector& diagonal = {}) {
    Fenced<T> q_(q), v_(v), tau_(tau), f_ext_(f_ext), diagonal_(diagonal), dq(d.dq), dv(d.dv), dtau(d.dx),
        df_ext(d.df_ext), dpi(d.dpi), a(Index{model_.nv()}), da(Index{model_.nv()});
    const auto watch = watched("forward_dynamics_jvp");
    tandem::forward_dynamics_jvp<T>(model_, q_.in(), v_.in(), tau_.in(), dq.in(), dv.in(), dtau.in(), a.out(), da.out(),
                                    work_, f_ext_.in(), diagonal_.in(), df_ext.in(), dpi.in());
    return {a.values(), da.values()};
  }
  Weighted forward_dynamics_vjp(const Vector& q, const Vector& v, const Vector& tau, const Vector& a_bar,
                                const Vector& f_ext = {}, const Vector& diagonal = {}) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), tau_(tau), f_ext_(f_ext), diagonal_(diagonal), weights(a_bar), a(n), q_bar(n), v_bar(n),
        tau_bar(n), f_ext_bar(6 * Index{model_.n_links()}), pi_bar(10 * Index{model_.n_joints()});
    const auto watch = watched("forward_dynamics_vjp");
    tandem::forward_dynamics_vjp<T>(model_, q_.in(), v_.in(), tau_.in(), weights.in(), a.out(), q_bar.out(),
                                    v_bar.out(), tau_bar.out(), work_, f_ext_.in(), diagonal_.in(), f_ext_bar.out(),
                                    pi_bar.out());
    return {a.values(), q_bar.values(), v_bar.values(), tau_bar.values(), f_ext_bar.values(), pi_bar.values()};
  }
  Weighted forward_dynamics_hvp(const Vector& q, const Vector& v, const Vector& tau, const Vector& a_bar,
                                const Increments& d, const Vector& da_bar = {}, const Vector& f_ext = {},
                                const Vector& diagonal = {}) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), tau_(tau), f_ext_(f_ext), diagonal_(diagonal), w(a_bar), dw(da_bar), dq(d.dq), dv(d.dv),
        dtau(d.dx), df_ext(d.df_ext), da(n), q_bar(n), v_bar(n), tau_bar(n), f_ext_bar(6 * Index{model_.n_links()}),
        pi_bar(10 * Index{model_.n_joints()});
    const auto watch = watched("forward_dynamics_hvp");
    tandem::forward_dynamics_hvp<T>(model_, q_.in(), v_.in(), tau_.in(), w.in(), dq.in(), dv.in(), dtau.in(), da.out(),
                                    q_bar.out(), v_bar.out(), tau_bar.out(), work_, dw.in(), f_ext_.in(), df_ext.in(),
                                    diagonal_.in(), f_ext_bar.out(), pi_bar.out());
    return {da.values(), q_bar.values(), v_bar.values(), tau_bar.values(), f_ext_bar.values(), pi_bar.values()};
  }
  SecondDerivatives forward_dynamics_second_derivatives(const Vector& q, const Vector& v, const Vector& tau,
                                                        const Vector& a_bar, const Vector& f_ext = {},
                                                        const Vector& diagonal = {}) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), tau_(tau), f_ext_(f_ext), diagonal_(diagonal), w(a_bar), qq(n * n), vq(n * n), tauq(n * n),
        vv(n * n);
    const auto watch = watched("forward_dynamics_second_derivatives");
    tandem::forward_dynamics_second_derivatives<T>(model_, q_.in(), v_.in(), tau_.in(), w.in(), qq.out(), vq.out(),
                                                   tauq.out(), vv.out(), work_, f_ext_.in(), diagonal_.in());
    return {matrix(qq, n), matrix(vq, n), matrix(tauq, n), matrix(vv, n)};
  }
  Matrix inverse_mass_matrix(const Vector& q) {
    Fenced<T> q_(q), Minv(Index{model_.nv()} * model_.nv());
    const auto watch = watched("inverse_mass_matrix");
    tandem::inverse_mass_matrix<T>(model_, q_.in(), Minv.out(), work_);
    return matrix(Minv, model_.nv());
  }
  Vector inverse_mass_matrix_product(const Vector& q, const Vector& x) {
    Fenced<T> q_(q), x_(x), y(Index{model_.nv()});
    const auto watch = watched("inverse_mass_matrix_product");
    tandem::inverse_mass_matrix_product<T>(model_, q_.in(), x_.in(), y.out(), work_);
    return y.values();
  }
  struct Energies {
    double kinetic, potential;
  };
  Energies energy(const Vector& q, const Vector& v) {
    Fenced<T> q_(q), v_(v), kinetic(1), potential(1);
    const auto watch = watched("energy");
    tandem::energy<T>(model_, q_.in(), v_.in(), kinetic.out()[0], potential.out()[0], work_);
    return {kinetic.values()[0], potential.values()[0]};
  }
  MotionDerivatives forward_kinematics_derivatives(const Vector& q, const Vector& v, const Vector& a, int frame,
                                                   Reference reference) {
    const Index n = 6 * Index{model_.nv()};
    Fenced<T> q_(q), v_(v), a_(a), velocity_by_q(n), by_q(n), by_v(n), J(n);
    const auto watch = watched("forward_kinematics_derivatives", {.frame = frame, .reference = reference});
    tandem::forward_kinematics_derivatives<T>(model_, q_.in(), v_.in(), a_.in(), frame, reference, velocity_by_q.out(),
                                              by_q.out(), by_v.out(), work_, J.out());
    return {matrix(velocity_by_q, 6), matrix(by_q, 6), matrix(by_v, 6), matrix(J, 6)};
  }
  MotionDerivatives centre_of_mass_derivatives(const Vector& q, const Vector& v, const Vector& a) {
    const Index n = 3 * Index{model_.nv()};
    Fenced<T> q_(q), v_(v), a_(a), velocity_by_q(n), by_q(n), by_v(n), J(n), acceleration(3);
    const auto watch = watched("centre_of_mass_derivatives");
    tandem::centre_of_mass_derivatives<T>(model_, q_.in(), v_.in(), a_.in(), velocity_by_q.out(), by_q.out(),
                                          by_v.out(), work_, J.out(), acceleration.out());
    return {matrix(velocity_by_q, 3), matrix(by_q, 3), matrix(by_v, 3), matrix(J, 3), acceleration.values()};
  }
  MotionDerivatives centroidal_momentum_derivatives(const Vector& q, const Vector& v, const Vector& a) {
    const Index n = 6 * Index{model_.nv()};
    Fenced<T> q_(q), v_(v), a_(a), momentum_by_q(n), by_q(n), by_v(n), A(n), hdot(6);
    const auto watch = watched("centroidal_momentum_derivatives");
    tandem::centroidal_momentum_derivatives<T>(model_, q_.in(), v_.in(), a_.in(), momentum_by_q.out(), by_q.out(),
                                               by_v.out(), work_, A.out(), hdot.out());
    return {matrix(momentum_by_q, 6), matrix(by_q, 6), matrix(by_v, 6), matrix(A, 6), hdot.values()};
  }
  EnergyDerivatives energy_derivatives(const Vector& q, const Vector& v) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), kinetic_by_q(n), kinetic_by_v(n), potential_by_q(n);
    const auto watch = watched("energy_derivatives");
    tandem::energy_derivatives<T>(model_, q_.in(), v_.in(), kinetic_by_q.out(), kinetic_by_v.out(),
                                  potential_by_q.out(), work_);
    return {kinetic_by_q.values(), kinetic_by_v.values(), potential_by_q.values()};
  }
  ForceDerivatives passive_forces_derivatives(const Vector& q, const Vector& v) {
    const Index n = model_.nv();
    Fenced<T> q_(q), v_(v), by_q(n * n), by_v(n * n);
    const auto watch = watched("passive_forces_derivatives");
    tandem::passive_forces_derivatives<T>(model_, q_.in(), v_.in(), by_q.out(), by_v.out(), work_);
    return {matrix(by_q, n), matrix(by_v, n), {}};
  }
  struct CentreOfMass {
    Vector3 position, velocity;
    Matrix J;
  };
  CentreOfMass centre_of_mass(const Vector& q, const Vector& v) {
    Fenced<T> q_(q), v_(v), com(3), velocity(3), J(3 * Index{model_.nv()});
    const auto watch = watched("centre_of_mass");
    tandem::centre_of_mass<T>(model_, q_.in(), com.out(), work_, v_.in(), velocity.out(), J.out());
    return {com.values(), velocity.values(), matrix(J, 3)};
  }
  struct Momentum {
    Vector h;
    Matrix A;
  };
  Momentum centroidal_momentum(const Vector& q, const Vector& v) {
    Fenced<T> q_(q), v_(v), h(6), A(6 * Index{model_.nv()});
    const auto watch = watched("centroidal_momentum");
    tandem::centroidal_momentum<T>(model_, q_.in(), v_.in(), h.out(), work_, A.out());
    return {h.values(), matrix(A, 6)};
  }
  Vector passive_forces(const Vector& q, const Vector& v) {
    Fenced<T> q_(q), v_(v), tau(Index{model_.nv()});
    const auto watch = watched("passive_forces");
    tandem::passive_forces<T>(model_, q_.in(), v_.in(), tau.out(), work_);
    return tau.values();
  }
  Vector integrate(const Vector& q, const Vector& u) {
    Fenced<T> q_(q), u_(u), next(Index{model_.nq()});
    const auto watch = watched("integrate");
    tandem::integrate<T>(model_, q_.in(), u_.in(), next.out(), work_);
    return next.values();
  }
  Vector difference(const Vector& q0, const Vector& q1) {
    Fenced<T> q0_(q0), q1_(q1), u(Index{model_.nv()});
    const auto watch = watched("difference");
    tandem::difference<T>(model_, q0_.in(), q1_.in(), u.out(), work_);
    return u.values();
  }
  Vector integrate_rate(const Vector& u, const Vector& v) {
    Fenced<T> u_(u), v_(v), rate(Index{model_.nv()});
    const auto watch = watched("integrate_rate");
    tandem::integrate_rate<T>(model_, u_.in(), v_.in(), rate.out(), work_);
    return rate.values();
  }

 private:
  FencedWorkspace<T> watched(const char* algorithm, const Options& options = {}) {
    return {work_, scratch_size<T>(find_algorithm(algorithm), model_, options)};
  }

  static Matrix matrix(const Fenced<T>& numbers, Index rows) {
    const Vector values = numbers.values();
    return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(values.data(), rows,
                                                                            rows == 0 ? 0 : values.size() / rows);
  }

  Frames kinematics(const Vector& q, const Vector* v, const Vector* a, Reference reference) {
    const Index n = model_.n_frames();
    Fenced<T> q_(q), v_(v ? *v : Vector()), a_(a ? *a : Vector()), pose(12 * n), velocity(v ? 6 * n : 0),
        acceleration(a ? 6 * n : 0);
    {
      const auto watch = watched("forward_kinematics", {.reference = reference});
      tandem::forward_kinematics<T>(model_, q_.in(), pose.out(), work_,
                                    {.v = v_.in(),
                                     .a = a_.in(),
                                     .velocity = velocity.out(),
                                     .acceleration = acceleration.out(),
                                     .reference = reference});
    }
    Frames frames{{}, {}, matrix(velocity, n), matrix(acceleration, n)};
    const Vector numbers = pose.values();
    for (Index k = 0; k < n; ++k) {
      const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> Rp(numbers.data() + 12 * k);
      frames.R.push_back(Rp.leftCols<3>());
      frames.p.push_back(Rp.col(3));
    }
    return frames;
  }

  Model model_;
  Workspace<T> work_;
};
extern template class Robot<double>;  // in robot.cpp
extern template class Robot<float>;

}  // namespace tandem::test
