// SPDX-License-Identifier: Apache-2.0
/// Eigen vectors and matrices as arguments of functions with named arguments (tandem/api/batches.hpp), and conversion
/// of poses to Eigen isometries. Not part of tandem/tandem.hpp: it requires Eigen 3.4, and linking to Eigen3::Eigen in
/// addition to tandem::tandem.
///
///     Eigen::MatrixXd Q(arm.nq(), 1000), V(arm.nv(), 1000), Tau(arm.nv(), 1000), A(arm.nv(), 1000);
///     Eigen::MatrixXd J(6, arm.nv());
///     forward_dynamics(arm, {.q = Q, .v = V, .tau = Tau}, {.a = A}, work);        // a state is a column
///     jacobian(arm, {.q = Q.col(0), .frame = hand}, {.J = J}, work);              // one state
///
/// Shapes are rows and columns, in any storage order; views (Map, Ref, Block, transpose()) are read and written in
/// place. A vector of a state is a column; matrices of several states are side by side:
///
///     q, v, tau ... [n]                       n x batch, or a vector
///     kinetic, potential                      1 x batch, or a vector
///     f_ext, f, f_c, velocity ... [n, 6]      6 x n batch: a column for each link or frame of each state
///     M, J, A, Y, mobility [r, c]             r x c batch
///     pose [n_frames, 3, 4]                   3 x 4 n_frames batch, [R | p] of each frame of each state; isometry()
///
/// An input with one state is shared by all states of a batch. Outputs must have the right size before the call,
/// otherwise the call throws Error with both sizes. Expressions must be evaluated first, as in `.q = (2 * Q).eval()`,
/// and outputs must not be temporaries; neither compiles. Matrix results are computed in row-major order and copied
/// once for another storage order (the symmetric M is not copied for column-major order).
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <Eigen/Geometry>

#include "tandem/api/layout.hpp"
#include "tandem/model/pose.hpp"

namespace tandem {

/// Overload for Eigen matrices, arrays and expressions; used by EigenType.
template <class D>
D eigen_type(const Eigen::DenseBase<D>&);
/// A matrix, array or expression of Eigen.
template <class X>
concept EigenType = requires(const X& x) { eigen_type(x); };

/// Memory layout of Eigen types.
template <EigenType X>
struct MatrixLayout<X> {
  using Scalar = typename X::Scalar;                                             ///< type of the numbers
  static constexpr bool readable = (X::Flags & Eigen::DirectAccessBit) != 0;     ///< in memory, not an expression
  static constexpr bool writable = readable && (X::Flags & Eigen::LvalueBit);    ///< may be an output
  static constexpr bool owns = std::is_base_of_v<Eigen::PlainObjectBase<X>, X>;  ///< owns its memory

  /// Layout of an input.
  static Layout<Scalar> read(const X& x) { return of(const_cast<Scalar*>(x.data()), x); }
  /// Layout of an output.
  static Layout<Scalar> write(X& x) { return of(x.data(), x); }

 private:
  static Layout<Scalar> of(Scalar* data, const X& x) {
    if constexpr (X::IsVectorAtCompileTime) {
      return {Layout<Scalar>::matrix, Place::host, data, x.size(), 1, x.innerStride(), x.size() * x.innerStride()};
    } else {
      const Index row = X::IsRowMajor ? x.outerStride() : x.innerStride();
      const Index column = X::IsRowMajor ? x.innerStride() : x.outerStride();
      return {Layout<Scalar>::matrix, Place::host, data, x.rows(), x.cols(), row, column};
    }
  }
};

/// One pose of the result of forward_kinematics, 3 x 4 n_frames batch. `frame` counts through all states: state *
/// n_frames + frame of the state.
template <class D>
Eigen::Transform<typename D::Scalar, 3, Eigen::Isometry> isometry(const Eigen::MatrixBase<D>& poses, Index frame) {
  Eigen::Transform<typename D::Scalar, 3, Eigen::Isometry> X;
  X.affine() = poses.template block<3, 4>(0, 4 * frame);
  X.makeAffine();
  return X;
}

/// Convert a pose to an isometry.
inline Eigen::Isometry3d isometry(const Pose& pose) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() = Eigen::Map<const Eigen::Vector3d>(pose.position.data());
  X.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.rotation.data());
  return X;
}
/// Convert an isometry to a pose.
inline Pose pose_of(const Eigen::Isometry3d& X) {
  Pose pose;
  Eigen::Map<Eigen::Vector3d>(pose.position.data()) = X.translation();
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.rotation.data()) = X.linear();
  return pose;
}

}  // namespace tandem
