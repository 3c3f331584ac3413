// SPDX-License-Identifier: Apache-2.0
/// Which kernels there are: an algorithm has several, each compiled for what some models need, and a plan takes the
/// first one that serves its model. kernels.cmake says in which source each is compiled.
#pragma once
#include <type_traits>

#include "backends/cuda/plan.hpp"
#include "tandem/detail/joint/joint_set.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem::cuda {

/// Forward dynamics by one of its methods.
template <class By>
struct ForwardDynamicsBy : By {
  static constexpr const char* name = ForwardDynamics::name;
  static constexpr auto& arguments = ForwardDynamics::arguments;
  static constexpr bool inverts_mass_matrix = true;
};
using ByArticulatedBodies = ForwardDynamicsBy<ArticulatedBody>;
using ByMassMatrix = ForwardDynamicsBy<CompositeRigidBody>;

/// A number of a model of which every thread has its own, row k of neighbouring threads side by side: a pointer to the
/// first one of a thread goes from row to row.
template <class R>
struct InWarp {
  R value;
  R others[warp - 1];
  InWarp() = default;
  TANDEM_HD constexpr InWarp(R x) : value(x) {}
  TANDEM_HD constexpr operator R() const { return value; }
};

/// Whether a body gives its steps and whether they were enough.
template <class Body>
inline constexpr bool iterates = requires { Body::iterates; };

enum class Models : unsigned char {
  one,    ///< for all states
  varied  ///< one for each state
};

/// A kernel: `Body` on models whose joints are of a set. Scratch memory of a thread is an array of its own of so many
/// rows, if there are any, else lies in the memory of the call. `shares` threads work on a state together. The model
/// comes with the arguments of the kernel if it takes no more than so many bytes, else lies in the device's memory.
template <class Body_, JointSet joints_, int own_rows_ = 0, int model_bytes_ = 0, int shares_ = 1,
          Models models_ = Models::one>
struct Variant {
  using Body = Body_;
  static constexpr JointSet joints = joints_;
  static constexpr int own_rows = own_rows_;
  static constexpr int model_bytes = model_bytes_;
  static constexpr int shares = shares_;
  static constexpr Models models = models_;
  /// Of its models.
  template <class T>
  using Number = std::conditional_t<models == Models::varied, InWarp<T>,
                                    std::conditional_t<joints == JointSet::any, T, Known<T, joints>>>;
};
template <class Body>
using Varied = Variant<Body, JointSet::any, 0, 0, 1, Models::varied>;

/// Rows of a thread's own array: of seven or eight hinges; of the thirty links of a humanoid in inverse dynamics, the
/// mass matrix and forward dynamics. The device sets memory aside for the rows of every thread that it can hold,
/// whether it runs or not: 132 multiprocessors 0.5 GB in float for the few, 2 GB for the most.
inline constexpr int few_rows = 448, many_rows = 896, matrix_rows = 1344, most_rows = 1920;
/// Bytes of a model among the arguments: with few hinges, of a humanoid.
inline constexpr int few_bytes = 8 << 10, many_bytes = 24 << 10;
/// Threads that share a state where there are few states.
inline constexpr int shares = 8;

template <class... V>
struct Variants {};

/// Those of an algorithm, those for fewer models first.
template <class Body, class T>
struct VariantsOf {
  using type = Variants<Variant<Body, JointSet::any>, Varied<Body>>;
};

// Of the algorithms that robots are simulated and controlled with, as measured to be fastest on an H100. Arrays of
// their own that are long pay in float alone but for inverse dynamics: in double they do not fit into the cache either.
template <class T>
struct VariantsOf<InverseDynamics, T> {
  using A = InverseDynamics;
  using type = Variants<Variant<A, JointSet::hinges, few_rows>, Variant<A, JointSet::common, many_rows>,
                        Variant<A, JointSet::common>, Variant<A, JointSet::any>, Varied<A>>;
};
template <class T>
struct VariantsOf<ByArticulatedBodies, T> {
  using A = ByArticulatedBodies;
  static constexpr int rows = std::is_same_v<T, float> ? most_rows : 0;
  using type =
      Variants<Variant<A, JointSet::hinges, few_rows, few_bytes>, Variant<A, JointSet::common, rows, many_bytes>,
               Variant<A, JointSet::common>, Variant<A, JointSet::any>, Varied<A>>;
};
// where there are few states several threads fill in the matrix of one
template <class T>
struct VariantsOf<MassMatrix, T> {
  template <JointSet joints, int own_rows = 0, int model_bytes = 0, int n_threads = 1>
  using M = Variant<MassMatrix, joints, own_rows, model_bytes, n_threads>;
  static constexpr bool in_float = std::is_same_v<T, float>;
  static constexpr int rows = in_float ? matrix_rows : 0, hinge_rows = in_float ? few_rows : 0;
  using type = Variants<M<JointSet::hinges, hinge_rows, few_bytes>, M<JointSet::hinges, few_rows, few_bytes, shares>,
                        M<JointSet::common, rows, many_bytes>, M<JointSet::common, rows, many_bytes, shares>,
                        M<JointSet::common>, M<JointSet::any>, Varied<MassMatrix>>;
};

// Derivatives: what they keep between their passes does not fit into arrays of threads.
template <class Body>
struct OfDerivatives {
  using type = Variants<Variant<Body, JointSet::hinges, 0, few_bytes>, Variant<Body, JointSet::common, 0, many_bytes>,
                        Variant<Body, JointSet::any>, Varied<Body>>;
};
template <class T>
struct VariantsOf<InverseDynamicsDerivatives, T> : OfDerivatives<InverseDynamicsDerivatives> {};
template <class T>
struct VariantsOf<ForwardDynamicsDerivatives, T> : OfDerivatives<ForwardDynamicsDerivatives> {};

// nothing in them but where the links are
template <class Body>
struct OfPlaces {
  using type = Variants<Variant<Body, JointSet::any>>;
};
template <class T>
struct VariantsOf<ForwardKinematics, T> : OfPlaces<ForwardKinematics> {};
template <class T>
struct VariantsOf<ForwardKinematicsJvp, T> : OfPlaces<ForwardKinematicsJvp> {};
template <class T>
struct VariantsOf<ForwardKinematicsVjp, T> : OfPlaces<ForwardKinematicsVjp> {};
template <class T>
struct VariantsOf<Jacobian, T> : OfPlaces<Jacobian> {};
template <class T>
struct VariantsOf<JacobianTimeDerivativeProduct, T> : OfPlaces<JacobianTimeDerivativeProduct> {};
template <class T>
struct VariantsOf<Integrate, T> : OfPlaces<Integrate> {};
template <class T>
struct VariantsOf<Difference, T> : OfPlaces<Difference> {};
template <class T>
struct VariantsOf<IntegrateRate, T> : OfPlaces<IntegrateRate> {};

// long texts, half a minute each to compile: one for both
template <class Body>
struct OfLongTexts {
  using type = Variants<Varied<Body>>;
};
template <class T>
struct VariantsOf<Step, T> : OfLongTexts<Step> {};
template <class T>
struct VariantsOf<StepVjp, T> : OfLongTexts<StepVjp> {};
template <class T>
struct VariantsOf<StepJvp, T> : OfLongTexts<StepJvp> {};
template <class T>
struct VariantsOf<ConstraintWrenches, T> : OfLongTexts<ConstraintWrenches> {};
template <class T>
struct VariantsOf<ForwardDynamicsJvp, T> : OfLongTexts<ForwardDynamicsJvp> {};
template <class T>
struct VariantsOf<ForwardDynamicsVjp, T> : OfLongTexts<ForwardDynamicsVjp> {};
template <class T>
struct VariantsOf<OperationalSpaceMobility, T> : OfLongTexts<OperationalSpaceMobility> {};
template <class T>
struct VariantsOf<InverseDynamicsHvp, T> : OfLongTexts<InverseDynamicsHvp> {};
template <class T>
struct VariantsOf<InverseDynamicsSecondDerivatives, T> : OfLongTexts<InverseDynamicsSecondDerivatives> {};
template <class T>
struct VariantsOf<ForwardDynamicsHvp, T> : OfLongTexts<ForwardDynamicsHvp> {};
template <class T>
struct VariantsOf<ForwardDynamicsSecondDerivatives, T> : OfLongTexts<ForwardDynamicsSecondDerivatives> {};

}  // namespace tandem::cuda
