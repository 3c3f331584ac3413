// SPDX-License-Identifier: Apache-2.0
/// The algorithms as functions of one state. Sizes are checked and named in the Error that a wrong one throws; nothing is
/// allocated once the workspace has grown. Shapes, units and frames stand with each algorithm in tandem/detail/problems.
///
///     Workspace<double> work;
///     forward_dynamics(model, q, v, tau, a, work);     // a <- acceleration; any contiguous containers of double
///
/// Sources, keys as in docs/notation.md: forward_kinematics [RBDA] section 4.2; inverse_dynamics, what follows from it,
/// interbody_wrenches and inverse_dynamics_regressor [RBDA] table 5.1; mass_matrix [RBDA] table 6.2; forward_dynamics [RBDA] table 7.1 and sections
/// 6.2, 6.5; inverse_mass_matrix_product [RBDA] section 7.3; operational_space_mobility
/// [Rodriguez, Jain, Kreutz-Delgado 1992]; centroidal_momentum [Orin 2013] eq. 27; integrate_rate [Munthe-Kaas 1998].
/// Other methods: the table of Method in tandem/options.hpp.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// Arguments: T, double or float, is decided by the workspace.
template <class T>
using In = std::span<const std::type_identity_t<T>>;
template <class T>
using Out = std::span<std::type_identity_t<T>>;

/// Motions asked of forward_kinematics besides the poses; leave empty what is not needed.
template <class T>
struct FrameMotions {
  std::span<const T> v = {}, a = {};
  std::span<T> velocity = {}, acceleration = {};
  Reference reference = Reference::local;
};

template <class T>
void forward_kinematics(const Model&, In<T> q, Out<T> pose, Workspace<T>&, const FrameMotions<T>& = {});
template <class T>
void jacobian(const Model&, In<T> q, int frame, Reference, Out<T> J, Workspace<T>&);
template <class T>
void jacobian_time_derivative_product(const Model&, In<T> q, In<T> v, int frame, Reference, Out<T> Jdot_v,
                                      Workspace<T>&);
template <class T>
void inverse_dynamics(const Model&, In<T> q, In<T> v, In<T> a, Out<T> tau, Workspace<T>&, In<T> f_ext = {},
                      const Options& = {});
template <class T>
void bias_forces(const Model&, In<T> q, In<T> v, Out<T> tau, Workspace<T>&, In<T> f_ext = {});
template <class T>
void gravity_forces(const Model&, In<T> q, Out<T> tau, Workspace<T>&);
template <class T>
void interbody_wrenches(const Model&, In<T> q, In<T> v, In<T> a, Out<T> f, Workspace<T>&, In<T> f_ext = {});
/// Y [nv, 10 n_joints]: tau = Y pi + armature a, for the parameters pi that inertial_parameters gives.
template <class T>
void inverse_dynamics_regressor(const Model&, In<T> q, In<T> v, In<T> a, Out<T> Y, Workspace<T>&);
template <class T>
void mass_matrix(const Model&, In<T> q, Out<T> M, Workspace<T>&, const Options& = {});
template <class T>
void forward_dynamics(const Model&, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>&, In<T> f_ext = {},
                      In<T> diagonal = {}, const Options& = {});
template <class T>
void constraint_wrenches(const Model&, In<T> q, In<T> v, In<T> tau, Out<T> f_c, Workspace<T>&, In<T> f_ext = {},
                         In<T> diagonal = {}, const Options& = {});
template <class T>
void inverse_mass_matrix_product(const Model&, In<T> q, In<T> x, Out<T> y, Workspace<T>&);
template <class T>
void operational_space_mobility(const Model&, In<T> q, int frame, Reference, Out<T> mobility, Workspace<T>&);
template <class T>
void energy(const Model&, In<T> q, In<T> v, T& kinetic, T& potential, Workspace<T>&);
template <class T>
void centre_of_mass(const Model&, In<T> q, Out<T> com, Workspace<T>&, In<T> v = {}, Out<T> velocity = {},
                    Out<T> J = {});
template <class T>
void centroidal_momentum(const Model&, In<T> q, In<T> v, Out<T> h, Workspace<T>&, Out<T> A = {});
template <class T>
void passive_forces(const Model&, In<T> q, In<T> v, Out<T> tau, Workspace<T>&);
template <class T>
void integrate(const Model&, In<T> q, In<T> u, Out<T> q_next, Workspace<T>&);
template <class T>
void difference(const Model&, In<T> q0, In<T> q1, Out<T> u, Workspace<T>&);
template <class T>
void integrate_rate(const Model&, In<T> u, In<T> v, Out<T> rate, Workspace<T>&);

/// What the columns of inverse_dynamics_regressor are multiplied by: [10 n_joints], for each moving link, with what was folded
/// into it, m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz along its axes, moments about its origin; kg, kg m, kg m^2.
std::vector<double> inertial_parameters(const Model&);

/// The configuration in which every joint is at zero, rotations are the identity: [nq].
std::vector<double> neutral_configuration(const Model&);
/// A configuration drawn uniformly: within limits where there are some, else in [-pi, pi] rad or [-1, 1] m, rotations
/// uniform; mimic joints follow. The same seed gives the same numbers on every machine: [nq].
std::vector<double> random_configuration(const Model&, std::uint64_t seed);
/// A batch of them: [batch][nq]. Row k is the configuration of the seed `seed` + k 2^32, so that batches of different seeds,
/// which are below 2^32, have no row in common. Throws Error for a seed of 2^32 or more, a batch below 0.
std::vector<double> random_configurations(const Model&, std::uint64_t seed, Index batch);

}  // namespace tandem
