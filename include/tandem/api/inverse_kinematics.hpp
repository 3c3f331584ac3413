// SPDX-License-Identifier: Apache-2.0
/// Inverse kinematics: configurations in which a frame has given poses, for batches, in SIMD lanes.
///
///     Workspace<double> work;
///     inverse_kinematics<double>(model, model.frame_index("tool0"), {q0, target, {}, q, error}, {n, 0, status}, work);
#pragma once
#include "tandem/requires_cxx20.hpp"

#include "tandem/api/layout.hpp"
#include "tandem/api/workspace.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

/// The arrays of a batch. An input of stride 0 is shared by all states.
template <class T>
struct PoseSearch {
  Array<T> q0;      ///< [nq] rad|m, initial guess, clipped to joint limits
  Array<T> target;  ///< [3, 4] rows of [R | p]: pose of the frame in the world
  Array<T>
      /// [6] 1/m of the error's linear part, 1/rad of its angular one, along the frame's axes; or none: all 1.
      weights;
                ///< 1 1 1 0 0 0: position only
  Array<T> q;      ///< [nq] rad|m, solution, or the closest configuration found
  Array<T> error;  ///< [] remaining weighted distance; may be none
};

/// Names, shapes and units of these arrays, in their order.
std::span<const Argument> pose_search_arguments();

/// Options of inverse kinematics.
struct PoseSearchOptions {
  double tolerance = 0;    ///< of the error; 0: 1e-8 in double, 1e-4 in float
  int max_iterations = 0;  ///< of each search; 0: 100
  /// Number of restarts after a failure: the k-th from random_configuration(model, k).
  int restarts = 10;
};

/// Damped Gauss-Newton iteration within joint limits, for every state of the batch. The status is
/// not_converged if the error stays above the tolerance; iterations are those of all restarts. Results are
/// bit-identical in any batch and on any number of threads. Throws Error if an array is missing, a frame does not exist
/// or a target is not a pose.
template <class T>
void inverse_kinematics(const Model& model, int frame, const PoseSearch<T>& arrays,
                        const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work,
                        const PoseSearchOptions& options = {});

/// Inputs of inverse_kinematics by name: containers, arrays or matrices, as those of the functions in
/// tandem/api/batches.hpp.
template <class T>
struct InverseKinematicsIn {
  Input<T> q0 = {};       ///< [nq] rad|m, initial guess
  Input<T> target = {};   ///< [3, 4] rows of [R | p]: pose of the frame in the world; of Eigen's, 3 x 4 batch
  Input<T> weights = {};  ///< [6] 1/m, 1/rad, weights of the error; optional: all 1
  int frame = -1;         ///< index of the frame, Model::frame_index
};
/// Outputs of inverse_kinematics by name.
template <class T>
struct InverseKinematicsOut {
  Output<T> q = {};      ///< [nq] rad|m, solution, or the closest configuration found
  Output<T> error = {};  ///< [] remaining weighted distance; optional
};
/// The same by name. `how` has no options and no device here.
template <class T>
void inverse_kinematics(const Model& model, const std::type_identity_t<InverseKinematicsIn<T>>& in,
                        const std::type_identity_t<InverseKinematicsOut<T>>& out, Workspace<T>& work,
                        const std::type_identity_t<BatchOptions<T>>& how = {}, const PoseSearchOptions& options = {});

}  // namespace tandem
