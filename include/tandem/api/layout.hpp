// SPDX-License-Identifier: Apache-2.0
/// Argument types of the functions with named arguments (tandem/api/batches.hpp): any contiguous container of
/// numbers, an Array with strides, and, with tandem/eigen.hpp, vectors and matrices of Eigen.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tandem/api/batch.hpp"
#include "tandem/options.hpp"

namespace tandem {

/// Memory layout of an argument for all states of a batch.
template <class T>
struct Layout {
  /// Kinds of layouts.
  enum Kind : unsigned char {
    none,     ///< omitted
    numbers,  ///< `rows` contiguous numbers: one state after another, or one state for all
    matrix,   ///< `rows` x `columns`: states side by side, see tandem/eigen.hpp
    strided   ///< an Array, with the number of states of the others
  };
  Kind kind = none;           ///< kind of layout
  Place place = Place::host;  ///< memory space
  T* data = nullptr;          ///< the first number
  Index rows = 0;             ///< number of rows; unknown for an Array
  Index columns = 0;          ///< number of columns
  Index row_step = 1;         ///< stride of rows
  Index column_step = 0;      ///< stride of columns, or states
};

/// Specialized for matrix types: `Scalar`; `readable` and `writable` in place; `owns` its numbers; read(x) and
/// write(x) return the Layout.
template <class X>
struct MatrixLayout;
/// A supported matrix type.
template <class X, class T>
concept MatrixOf = std::same_as<typename MatrixLayout<std::remove_cvref_t<X>>::Scalar, T>;

/// Types of inputs: containers and matrices of T. Expressions must be evaluated first.
template <class X, class T>
concept ReadableAs = [] {
  if constexpr (MatrixOf<X, T>)
    return MatrixLayout<std::remove_cvref_t<X>>::readable;
  else
    return std::constructible_from<std::span<const T>, const X&>;
}();

/// Types of outputs: containers, matrices and views of T, but no
/// temporaries that own their numbers, as the results would be lost.
template <class X, class T>
concept WritableAs = [] {
  if constexpr (MatrixOf<X, T>) {
    using M = MatrixLayout<std::remove_cvref_t<X>>;
    return M::writable && !std::is_const_v<std::remove_reference_t<X>> && (!M::owns || std::is_lvalue_reference_v<X>);
  } else {
    return std::constructible_from<std::span<T>, X>;
  }
}();

/// A named input. It refers to its source.
template <class T>
class Input {
 public:
  Input() = default;  ///< omitted
  /// A container: one state after another, or one state for all; or a matrix.
  template <ReadableAs<T> X>
  Input(const X& x) {
    if constexpr (MatrixOf<X, T>) {
      layout_ = MatrixLayout<X>::read(x);
    } else {
      const std::span<const T> all(x);
      layout_ = {Layout<T>::numbers, Place::host, const_cast<T*>(all.data()), static_cast<Index>(all.size())};
    }
  }
  /// With strides, in host or GPU memory.
  Input(const Array<T>& a)
      : layout_{a.data ? Layout<T>::strided : Layout<T>::none, a.place, a.data, 0, 0, a.row_stride, a.stride} {}

  const Layout<T>& layout() const { return layout_; }  ///< its layout; never written

 private:
  Layout<T> layout_;
};

/// A named output. It refers to its target, which must have the right size.
template <class T>
class Output {
 public:
  Output() = default;  ///< omitted
  /// A container of all states, one after the other, or a matrix.
  template <class X>
    requires WritableAs<X, T>
  Output(X&& x) {
    if constexpr (MatrixOf<X, T>) {
      layout_ = MatrixLayout<std::remove_cvref_t<X>>::write(x);
    } else {
      const std::span<T> all(static_cast<X&&>(x));
      layout_ = {Layout<T>::numbers, Place::host, all.data(), static_cast<Index>(all.size())};
    }
  }
  /// A single number.
  Output(T& number) : layout_{Layout<T>::numbers, Place::host, &number, 1} {}
  /// With strides, in host or GPU memory.
  Output(const Array<T>& a)
      : layout_{a.data ? Layout<T>::strided : Layout<T>::none, a.place, a.data, 0, 0, a.row_stride, a.stride} {}

  const Layout<T>& layout() const { return layout_; }  ///< its layout

 private:
  Layout<T> layout_;
};

/// Options of functions with named arguments.
template <class T>
struct BatchOptions {
  Index size = -1;                                       ///< number of states; -1: that of the outputs
  int threads = 0;                                       ///< 0: all cores
  std::span<Status> status = {};                         ///< [size] status of each state, or empty
  std::span<const BatchedParameter<T>> parameters = {};  ///< parameters of the model for each state
  std::span<std::int32_t> iterations = {};               ///< [size] number of iterations, or empty
  Options options = {};                                  ///< method and its options
  Device device = {};                                    ///< device
  Stream stream = nullptr;                               ///< stream of a GPU
};

struct Algorithm;
class Model;
template <class T>
class Plan;
template <class T>
class Workspace;

/// A model, or a plan of a function of it.
template <class M, class T>
concept ModelOrPlan = std::same_as<M, Model> || std::same_as<M, Plan<T>>;

/// Evaluate algorithms()[algorithm] with arguments in the order of its table, as functions with named arguments do.
/// `problem` has the frame and the reference, if the algorithm uses them. Throws Error as evaluate() does, and for
/// sizes that do not match the model or each other.
template <class T>
void evaluate_layouts(int algorithm, const Model& model, std::span<const Layout<T>> arguments, Workspace<T>& work,
                      const BatchOptions<T>& how, const Options& problem = {});
/// The same with a plan, which defines options and device.
template <class T>
void evaluate_layouts(int algorithm, const Plan<T>& plan, std::span<const Layout<T>> arguments, Workspace<T>& work,
                      const BatchOptions<T>& how);

}  // namespace tandem
