// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/functions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>

#include "algorithms.hpp"
#include "automatic.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "check_call.hpp"
#include "methods.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// One argument of a call: where it is and how many numbers it has.
template <class T>
struct Given {
  T* data;
  Index count;
  Given(std::span<const T> in) : data(const_cast<T*>(in.data())), count(static_cast<Index>(in.size())) {}
  Given(std::span<T> out) : data(out.data()), count(static_cast<Index>(out.size())) {}
  Given(T& out) : data(&out), count(1) {}
};

[[noreturn]] void throw_size(const char* algorithm, const Argument& argument, Index given, const Shape& expected) {
  std::string shape;
  for (int k = 0; k < expected.rank; ++k) shape += (k ? ", " : "") + std::to_string(expected.sizes[k]);
  throw Error(std::string(algorithm) + ": " + argument.name + " has " + std::to_string(given) + " numbers, expected " +
              std::to_string(expected.count()) + " ([" + shape + "])");
}

/// Runs an algorithm on one state, arguments in the order of its table: the very code that evaluate() runs, so that
/// both give the same bits.
template <class A, class T, std::size_t n>
void call(const Model& model, Workspace<T>& work, const std::array<Given<T>, n>& given, const Options& options = {}) {
  static_assert(n == std::size(A::arguments));
  const auto& m = model.view<T>();
  Array<T> arguments[n];
  for (std::size_t k = 0; k < n; ++k) {
    const Argument& argument = A::arguments[k];
    if (is_optional(argument) && given[k].count == 0) continue;
    const Shape expected = shape(argument.rows, m);
    if (given[k].count != expected.count()) throw_size(A::name, argument, given[k].count, expected);
    arguments[k].data = given[k].data;
  }
  constexpr std::size_t index = index_in<A>(Algorithms{});
  // short robots go straight to the kernel
  if constexpr (requires { A::methods; }) {
    const bool own = std::find(std::begin(A::methods), std::end(A::methods), options.method) != std::end(A::methods);
    if (!own || m.n_links >= shortest_divided || unread_option(read_options<A>, options))
      return evaluate<T>(algorithms()[index], model, arguments, 1, work, options);
  }
  if constexpr (requires(A a) { a.frame; })
    if (options.frame < 0 || options.frame >= m.n_frames) check_options(algorithms()[index], model, options);
  bool needs_inputs = false;
  for (std::size_t k = 0; k < n; ++k) needs_inputs |= *A::arguments[k].needs && arguments[k].data;
  if (needs_inputs) check_call<T>(algorithms()[index], model, arguments);
  const auto& kernel = cpu::kernel<T>(index);
  const Call<T> one = {m, options, arguments};
  kernel.run(one, 0, 1, work.reserve(kernel.scratch_size(one)));
}

}  // namespace

template <class T>
void forward_kinematics(const Model& model, In<T> q, Out<T> pose, Workspace<T>& work, const FrameMotions<T>& motions) {
  call<ForwardKinematics, T, 6>(model, work, {q, motions.v, motions.a, pose, motions.velocity, motions.acceleration},
                                {.reference = motions.reference});
}

template <class T>
void jacobian(const Model& model, In<T> q, int frame, Reference reference, Out<T> J, Workspace<T>& work) {
  call<Jacobian, T, 2>(model, work, {q, J}, {.frame = frame, .reference = reference});
}

template <class T>
void jacobian_time_derivative_product(const Model& model, In<T> q, In<T> v, int frame, Reference reference,
                                      Out<T> Jdot_v, Workspace<T>& work) {
  call<JacobianTimeDerivativeProduct, T, 3>(model, work, {q, v, Jdot_v}, {.frame = frame, .reference = reference});
}

template <class T>
void inverse_dynamics(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> tau, Workspace<T>& work, In<T> f_ext,
                      const Options& options) {
  call<InverseDynamics, T, 5>(model, work, {q, v, a, f_ext, tau}, options);
}

template <class T>
void bias_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work, In<T> f_ext) {
  call<BiasForces, T, 4>(model, work, {q, v, f_ext, tau});
}

template <class T>
void gravity_forces(const Model& model, In<T> q, Out<T> tau, Workspace<T>& work) {
  call<GravityForces, T, 2>(model, work, {q, tau});
}

template <class T>
void interbody_wrenches(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> f, Workspace<T>& work, In<T> f_ext) {
  call<InterbodyWrenches, T, 5>(model, work, {q, v, a, f_ext, f});
}

template <class T>
void mass_matrix(const Model& model, In<T> q, Out<T> M, Workspace<T>& work, const Options& options) {
  call<MassMatrix, T, 2>(model, work, {q, M}, options);
}

template <class T>
void forward_dynamics(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>& work, In<T> f_ext,
                      In<T> diagonal, const Options& options) {
  call<ForwardDynamics, T, 6>(model, work, {q, v, tau, f_ext, diagonal, a}, options);
}

template <class T>
void constraint_wrenches(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> f_c, Workspace<T>& work, In<T> f_ext,
                         In<T> diagonal, const Options& options) {
  call<ConstraintWrenches, T, 6>(model, work, {q, v, tau, f_ext, diagonal, f_c}, options);
}

template <class T>
void inverse_mass_matrix_product(const Model& model, In<T> q, In<T> x, Out<T> y, Workspace<T>& work) {
  call<InverseMassMatrixProduct, T, 3>(model, work, {q, x, y});
}

template <class T>
void operational_space_mobility(const Model& model, In<T> q, int frame, Reference reference, Out<T> mobility,
                                Workspace<T>& work) {
  call<OperationalSpaceMobility, T, 2>(model, work, {q, mobility}, {.frame = frame, .reference = reference});
}

template <class T>
void energy(const Model& model, In<T> q, In<T> v, T& kinetic, T& potential, Workspace<T>& work) {
  call<Energy, T, 4>(model, work, {q, v, kinetic, potential});
}

template <class T>
void centre_of_mass(const Model& model, In<T> q, Out<T> com, Workspace<T>& work, In<T> v, Out<T> velocity, Out<T> J) {
  call<CentreOfMass, T, 5>(model, work, {q, v, com, velocity, J});
}

template <class T>
void centroidal_momentum(const Model& model, In<T> q, In<T> v, Out<T> h, Workspace<T>& work, Out<T> A) {
  call<CentroidalMomentum, T, 4>(model, work, {q, v, h, A});
}

template <class T>
void passive_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work) {
  call<PassiveForces, T, 3>(model, work, {q, v, tau});
}

template <class T>
void integrate(const Model& model, In<T> q, In<T> u, Out<T> q_next, Workspace<T>& work) {
  call<Integrate, T, 3>(model, work, {q, u, q_next});
}

template <class T>
void difference(const Model& model, In<T> q0, In<T> q1, Out<T> u, Workspace<T>& work) {
  call<Difference, T, 3>(model, work, {q0, q1, u});
}

template <class T>
void integrate_rate(const Model& model, In<T> u, In<T> v, Out<T> rate, Workspace<T>& work) {
  call<IntegrateRate, T, 3>(model, work, {u, v, rate});
}

template void forward_kinematics<double>(const Model&, In<double>, Out<double>, Workspace<double>&,
                                         const FrameMotions<double>&);
template void forward_kinematics<float>(const Model&, In<float>, Out<float>, Workspace<float>&,
                                        const FrameMotions<float>&);
template void jacobian<double>(const Model&, In<double>, int, Reference, Out<double>, Workspace<double>&);
template void jacobian<float>(const Model&, In<float>, int, Reference, Out<float>, Workspace<float>&);
template void jacobian_time_derivative_product<double>(const Model&, In<double>, In<double>, int, Reference,
                                                       Out<double>, Workspace<double>&);
template void jacobian_time_derivative_product<float>(const Model&, In<float>, In<float>, int, Reference, Out<float>,
                                                      Workspace<float>&);
template void inverse_dynamics<double>(const Model&, In<double>, In<double>, In<double>, Out<double>,
                                       Workspace<double>&, In<double>, const Options&);
template void inverse_dynamics<float>(const Model&, In<float>, In<float>, In<float>, Out<float>, Workspace<float>&,
                                      In<float>, const Options&);
template void bias_forces<double>(const Model&, In<double>, In<double>, Out<double>, Workspace<double>&, In<double>);
template void bias_forces<float>(const Model&, In<float>, In<float>, Out<float>, Workspace<float>&, In<float>);
template void gravity_forces<double>(const Model&, In<double>, Out<double>, Workspace<double>&);
template void gravity_forces<float>(const Model&, In<float>, Out<float>, Workspace<float>&);
template void interbody_wrenches<double>(const Model&, In<double>, In<double>, In<double>, Out<double>,
                                         Workspace<double>&, In<double>);
template void interbody_wrenches<float>(const Model&, In<float>, In<float>, In<float>, Out<float>, Workspace<float>&,
                                        In<float>);
template void mass_matrix<double>(const Model&, In<double>, Out<double>, Workspace<double>&, const Options&);
template void mass_matrix<float>(const Model&, In<float>, Out<float>, Workspace<float>&, const Options&);
template void forward_dynamics<double>(const Model&, In<double>, In<double>, In<double>, Out<double>,
                                       Workspace<double>&, In<double>, In<double>, const Options&);
template void forward_dynamics<float>(const Model&, In<float>, In<float>, In<float>, Out<float>, Workspace<float>&,
                                      In<float>, In<float>, const Options&);
template void constraint_wrenches<double>(const Model&, In<double>, In<double>, In<double>, Out<double>,
                                          Workspace<double>&, In<double>, In<double>, const Options&);
template void constraint_wrenches<float>(const Model&, In<float>, In<float>, In<float>, Out<float>, Workspace<float>&,
                                         In<float>, In<float>, const Options&);
template void inverse_mass_matrix_product<double>(const Model&, In<double>, In<double>, Out<double>,
                                                  Workspace<double>&);
template void inverse_mass_matrix_product<float>(const Model&, In<float>, In<float>, Out<float>, Workspace<float>&);
template void operational_space_mobility<double>(const Model&, In<double>, int, Reference, Out<double>,
                                                 Workspace<double>&);
template void operational_space_mobility<float>(const Model&, In<float>, int, Reference, Out<float>, Workspace<float>&);
template void energy<double>(const Model&, In<double>, In<double>, double&, double&, Workspace<double>&);
template void energy<float>(const Model&, In<float>, In<float>, float&, float&, Workspace<float>&);
template void centre_of_mass<double>(const Model&, In<double>, Out<double>, Workspace<double>&, In<double>, Out<double>,
                                     Out<double>);
template void centre_of_mass<float>(const Model&, In<float>, Out<float>, Workspace<float>&, In<float>, Out<float>,
                                    Out<float>);
template void centroidal_momentum<double>(const Model&, In<double>, In<double>, Out<double>, Workspace<double>&,
                                          Out<double>);
template void centroidal_momentum<float>(const Model&, In<float>, In<float>, Out<float>, Workspace<float>&, Out<float>);
template void passive_forces<double>(const Model&, In<double>, In<double>, Out<double>, Workspace<double>&);
template void passive_forces<float>(const Model&, In<float>, In<float>, Out<float>, Workspace<float>&);
template void integrate<double>(const Model&, In<double>, In<double>, Out<double>, Workspace<double>&);
template void integrate<float>(const Model&, In<float>, In<float>, Out<float>, Workspace<float>&);
template void difference<double>(const Model&, In<double>, In<double>, Out<double>, Workspace<double>&);
template void difference<float>(const Model&, In<float>, In<float>, Out<float>, Workspace<float>&);
template void integrate_rate<double>(const Model&, In<double>, In<double>, Out<double>, Workspace<double>&);
template void integrate_rate<float>(const Model&, In<float>, In<float>, Out<float>, Workspace<float>&);

}  // namespace tandem
