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
#include "core/text.hpp"
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
  const auto sizes = std::span(expected.sizes).first(static_cast<std::size_t>(expected.rank));
  throw Error(sentence(algorithm, ": ", argument.name, " has ", given, " numbers, expected ", expected.count(), " ([",
                       comma_separated(sizes, [](Index size) { return std::to_string(size); }), "])"));
}

/// Runs an algorithm on one state, arguments in the order of its table: the very code that evaluate() runs, so that
/// both give the same bits.
template <class A, class T>
void call(const Model& model, Workspace<T>& work, const std::array<Given<T>, std::size(A::arguments)>& given,
          const Options& options = {}) {
  constexpr std::size_t n = std::size(A::arguments);
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
  call<ForwardKinematics>(model, work, {q, motions.v, motions.a, pose, motions.velocity, motions.acceleration},
                          {.reference = motions.reference});
}

template <class T>
void jacobian(const Model& model, In<T> q, int frame, Reference reference, Out<T> J, Workspace<T>& work) {
  call<Jacobian>(model, work, {q, J}, {.frame = frame, .reference = reference});
}

template <class T>
void jacobian_time_derivative_product(const Model& model, In<T> q, In<T> v, int frame, Reference reference,
                                      Out<T> Jdot_v, Workspace<T>& work) {
  call<JacobianTimeDerivativeProduct>(model, work, {q, v, Jdot_v}, {.frame = frame, .reference = reference});
}

template <class T>
void inverse_dynamics(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> tau, Workspace<T>& work, In<T> f_ext,
                      const Options& options) {
  call<InverseDynamics>(model, work, {q, v, a, f_ext, tau}, options);
}

template <class T>
void bias_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work, In<T> f_ext) {
  call<BiasForces>(model, work, {q, v, f_ext, tau});
}

template <class T>
void gravity_forces(const Model& model, In<T> q, Out<T> tau, Workspace<T>& work) {
  call<GravityForces>(model, work, {q, tau});
}

template <class T>
void interbody_wrenches(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> f, Workspace<T>& work, In<T> f_ext) {
  call<InterbodyWrenches>(model, work, {q, v, a, f_ext, f});
}

template <class T>
void mass_matrix(const Model& model, In<T> q, Out<T> M, Workspace<T>& work, const Options& options) {
  call<MassMatrix>(model, work, {q, M}, options);
}

template <class T>
void forward_dynamics(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>& work, In<T> f_ext,
                      In<T> diagonal, const Options& options) {
  call<ForwardDynamics>(model, work, {q, v, tau, f_ext, diagonal, a}, options);
}

template <class T>
void constraint_wrenches(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> f_c, Workspace<T>& work, In<T> f_ext,
                         In<T> diagonal, const Options& options) {
  call<ConstraintWrenches>(model, work, {q, v, tau, f_ext, diagonal, f_c}, options);
}

template <class T>
void inverse_mass_matrix_product(const Model& model, In<T> q, In<T> x, Out<T> y, Workspace<T>& work) {
  call<InverseMassMatrixProduct>(model, work, {q, x, y});
}

template <class T>
void operational_space_mobility(const Model& model, In<T> q, int frame, Reference reference, Out<T> mobility,
                                Workspace<T>& work) {
  call<OperationalSpaceMobility>(model, work, {q, mobility}, {.frame = frame, .reference = reference});
}

template <class T>
void energy(const Model& model, In<T> q, In<T> v, T& kinetic, T& potential, Workspace<T>& work) {
  call<Energy>(model, work, {q, v, kinetic, potential});
}

template <class T>
void centre_of_mass(const Model& model, In<T> q, Out<T> com, Workspace<T>& work, In<T> v, Out<T> velocity, Out<T> J) {
  call<CentreOfMass>(model, work, {q, v, com, velocity, J});
}

template <class T>
void centroidal_momentum(const Model& model, In<T> q, In<T> v, Out<T> h, Workspace<T>& work, Out<T> A) {
  call<CentroidalMomentum>(model, work, {q, v, h, A});
}

template <class T>
void passive_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work) {
  call<PassiveForces>(model, work, {q, v, tau});
}

template <class T>
void integrate(const Model& model, In<T> q, In<T> u, Out<T> q_next, Workspace<T>& work) {
  call<Integrate>(model, work, {q, u, q_next});
}

template <class T>
void difference(const Model& model, In<T> q0, In<T> q1, Out<T> u, Workspace<T>& work) {
  call<Difference>(model, work, {q0, q1, u});
}

template <class T>
void integrate_rate(const Model& model, In<T> u, In<T> v, Out<T> rate, Workspace<T>& work) {
  call<IntegrateRate>(model, work, {u, v, rate});
}

template decltype(forward_kinematics<double>) forward_kinematics<double>;
template decltype(forward_kinematics<float>) forward_kinematics<float>;
template decltype(jacobian<double>) jacobian<double>;
template decltype(jacobian<float>) jacobian<float>;
template decltype(jacobian_time_derivative_product<double>) jacobian_time_derivative_product<double>;
template decltype(jacobian_time_derivative_product<float>) jacobian_time_derivative_product<float>;
template decltype(inverse_dynamics<double>) inverse_dynamics<double>;
template decltype(inverse_dynamics<float>) inverse_dynamics<float>;
template decltype(bias_forces<double>) bias_forces<double>;
template decltype(bias_forces<float>) bias_forces<float>;
template decltype(gravity_forces<double>) gravity_forces<double>;
template decltype(gravity_forces<float>) gravity_forces<float>;
template decltype(interbody_wrenches<double>) interbody_wrenches<double>;
template decltype(interbody_wrenches<float>) interbody_wrenches<float>;
template decltype(mass_matrix<double>) mass_matrix<double>;
template decltype(mass_matrix<float>) mass_matrix<float>;
template decltype(forward_dynamics<double>) forward_dynamics<double>;
template decltype(forward_dynamics<float>) forward_dynamics<float>;
template decltype(constraint_wrenches<double>) constraint_wrenches<double>;
template decltype(constraint_wrenches<float>) constraint_wrenches<float>;
template decltype(inverse_mass_matrix_product<double>) inverse_mass_matrix_product<double>;
template decltype(inverse_mass_matrix_product<float>) inverse_mass_matrix_product<float>;
template decltype(operational_space_mobility<double>) operational_space_mobility<double>;
template decltype(operational_space_mobility<float>) operational_space_mobility<float>;
template decltype(energy<double>) energy<double>;
template decltype(energy<float>) energy<float>;
template decltype(centre_of_mass<double>) centre_of_mass<double>;
template decltype(centre_of_mass<float>) centre_of_mass<float>;
template decltype(centroidal_momentum<double>) centroidal_momentum<double>;
template decltype(centroidal_momentum<float>) centroidal_momentum<float>;
template decltype(passive_forces<double>) passive_forces<double>;
template decltype(passive_forces<float>) passive_forces<float>;
template decltype(integrate<double>) integrate<double>;
template decltype(integrate<float>) integrate<float>;
template decltype(difference<double>) difference<double>;
template decltype(difference<float>) difference<float>;
template decltype(integrate_rate<double>) integrate_rate<double>;
template decltype(integrate_rate<float>) integrate_rate<float>;

}  // namespace tandem
