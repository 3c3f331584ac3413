// SPDX-License-Identifier: Apache-2.0
/// Eigen's vectors and matrices as arguments of the functions by name (tandem/api/batches.hpp), its isometries as
/// poses. Not part of tandem/tandem.hpp: who includes it has Eigen 3.4, and compiles with Eigen3::Eigen beside
/// tandem::tandem.
///
///     Eigen::MatrixXd Q(arm.nq(), 1000), V(arm.nv(), 1000), Tau(arm.nv(), 1000), A(arm.nv(), 1000);
///     Eigen::MatrixXd J(6, arm.nv());
///     forward_dynamics(arm, {.q = Q, .v = V, .tau = Tau}, {.a = A}, work);        // a state is a column
///     jacobian(arm, {.q = Q.col(0), .frame = hand}, {.J = J}, work);              // one state
///
/// What counts is rows and columns as Eigen says them, never the storage order; views (Map, Ref, Block, transpose())
/// are read and written where they lie. A state is a column, and what is more than a column stands side by side:
///
///     q, v, tau ... [n]                       n x batch, or a vector
///     kinetic, potential                      1 x batch, or a vector
///     f_ext, f, f_c, velocity ... [n, 6]      6 x n batch: a column for each link or frame of each state
///     M, J, A, Y, mobility [r, c]             r x c batch
///     pose [n_frames, 3, 4]                   3 x 4 n_frames batch, [R | p] of each frame of each state; isometry()
///
/// A vector or matrix of one state stands for all states of a batch. Outputs have their size before the call; another
/// one is an Error with both. Expressions are no arguments, as they are computed when they are read: evaluate them, as
/// in `.q = (2 * Q).eval()`. Temporaries are no outputs: what is written to them would be lost. Neither compiles.
/// Results that are no vectors are copied once where they lie in another order than row after row (M, being symmetric,
/// also column after column).
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <Eigen/Geometry>

#include "tandem/api/layout.hpp"
#include "tandem/model/pose.hpp"

namespace tandem {

/// Found for Eigen's matrices, arrays and expressions.
template <class D>
D eigen_type(const Eigen::DenseBase<D>&);
/// A matrix, an array or an expression of Eigen's.
template <class X>
concept EigenType = requires(const X& x) { eigen_type(x); };

/// How Eigen's types lie.
template <EigenType X>
struct MatrixLayout<X> {
  using Scalar = typename X::Scalar;                                             ///< of the numbers
  static constexpr bool readable = (X::Flags & Eigen::DirectAccessBit) != 0;     ///< its numbers lie somewhere
  static constexpr bool writable = readable && (X::Flags & Eigen::LvalueBit);    ///< and may be changed
  static constexpr bool owns = std::is_base_of_v<Eigen::PlainObjectBase<X>, X>;  ///< they go with it

  /// Of an input.
  static Layout<Scalar> read(const X& x) { return of(const_cast<Scalar*>(x.data()), x); }
  /// Of an output.
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

/// The pose of frame number `frame`, counted through all states, of the poses of forward_kinematics, 3 x 4 for each.
template <class D>
Eigen::Transform<typename D::Scalar, 3, Eigen::Isometry> isometry(const Eigen::MatrixBase<D>& poses, Index frame) {
  Eigen::Transform<typename D::Scalar, 3, Eigen::Isometry> X;
  X.affine() = poses.template block<3, 4>(0, 4 * frame);
  X.makeAffine();
  return X;
}

/// A pose of a description, and back.
inline Eigen::Isometry3d isometry(const Pose& pose) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation() = Eigen::Map<const Eigen::Vector3d>(pose.position.data());
  X.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.rotation.data());
  return X;
}
/// The pose that an isometry of Eigen's is.
inline Pose pose_of(const Eigen::Isometry3d& X) {
  Pose pose;
  Eigen::Map<Eigen::Vector3d>(pose.position.data()) = X.translation();
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(pose.rotation.data()) = X.linear();
  return pose;
}

}  // namespace tandem
