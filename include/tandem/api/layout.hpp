// SPDX-License-Identifier: Apache-2.0
/// What functions by name (tandem/api/batches.hpp) take for an argument of a batch: any contiguous container of
/// numbers, an Array with strides of its own, and, with tandem/eigen.hpp, Eigen's vectors and matrices.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tandem/api/batch.hpp"
#include "tandem/options.hpp"

namespace tandem {

/// Where the numbers of an argument lie, for all states of a batch.
template <class T>
struct Layout {
  /// How they are counted.
  enum Kind : unsigned char {
    none,     ///< left out
    numbers,  ///< `rows` numbers one behind the other: state after state, or one state that stands for all
    matrix,   ///< `rows` x `columns`: states side by side, see tandem/eigen.hpp
    strided   ///< an Array, of as many states as the others have
  };
  Kind kind = none;           ///< how they are counted
  Place place = Place::host;  ///< whose memory it is
  T* data = nullptr;          ///< the first number
  Index rows = 0;             ///< how many; of an Array unknown
  Index columns = 0;          ///< the same
  Index row_step = 1;         ///< from one row to the next
  Index column_step = 0;      ///< from one column, or state, to the next
};

/// Specialised for types of matrices: `Scalar`; `readable` and `writable` in place; `owns` its numbers; read(x) and
/// write(x) give the Layout.
template <class X>
struct MatrixLayout;
/// A type of matrices that is known.
template <class X, class T>
concept MatrixOf = std::same_as<typename MatrixLayout<std::remove_cvref_t<X>>::Scalar, T>;

/// What can be read as an input: containers and matrices of T. Expressions have to be evaluated first.
template <class X, class T>
concept ReadableAs = [] {
  if constexpr (MatrixOf<X, T>)
    return MatrixLayout<std::remove_cvref_t<X>>::readable;
  else
    return std::constructible_from<std::span<const T>, const X&>;
}();

/// What can be written to as an output and is there after the call: containers, matrices and views of T, none of them a
/// temporary with numbers of its own, which would be written to and lost.
template <class X, class T>
concept WritableAs = [] {
  if constexpr (MatrixOf<X, T>) {
    using M = MatrixLayout<std::remove_cvref_t<X>>;
    return M::writable && !std::is_const_v<std::remove_reference_t<X>> && (!M::owns || std::is_lvalue_reference_v<X>);
  } else {
    return std::constructible_from<std::span<T>, X>;
  }
}();

/// An input of a function by name. It refers to what it is made of.
template <class T>
class Input {
 public:
  Input() = default;  ///< left out
  /// A container: state after state, or one state that stands for all; or a matrix.
  template <ReadableAs<T> X>
  Input(const X& x) {
    if constexpr (MatrixOf<X, T>) {
      layout_ = MatrixLayout<X>::read(x);
    } else {
      const std::span<const T> all(x);
      layout_ = {Layout<T>::numbers, Place::host, const_cast<T*>(all.data()), static_cast<Index>(all.size())};
    }
  }
  /// Strides of its own, on the host or a GPU.
  Input(const Array<T>& a)
      : layout_{a.data ? Layout<T>::strided : Layout<T>::none, a.place, a.data, 0, 0, a.row_stride, a.stride} {}

  const Layout<T>& layout() const { return layout_; }  ///< nothing is written to it

 private:
  Layout<T> layout_;
};

/// An output of a function by name. It refers to what it is made of, which has the size already.
template <class T>
class Output {
 public:
  Output() = default;  ///< left out
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
  /// Strides of its own, on the host or a GPU.
  Output(const Array<T>& a)
      : layout_{a.data ? Layout<T>::strided : Layout<T>::none, a.place, a.data, 0, 0, a.row_stride, a.stride} {}

  const Layout<T>& layout() const { return layout_; }  ///< where the numbers go

 private:
  Layout<T> layout_;
};

/// How a function by name runs over a batch, and what it is told besides its arguments.
template <class T>
struct BatchOptions {
  Index size = -1;                                       ///< states; -1: as many as the outputs have
  int threads = 0;                                       ///< 0: all cores
  std::span<Status> status = {};                         ///< [size] what became of each state; empty: nobody asks
  std::span<const BatchedParameter<T>> parameters = {};  ///< what of the model differs from state to state
  std::span<std::int32_t> iterations = {};               ///< [size] steps of methods that iterate; empty: nobody asks
  Options options = {};                                  ///< method, and what it is told
  Device device = {};                                    ///< where it is computed
  Stream stream = nullptr;                               ///< that a GPU works on
};

struct Algorithm;
class Model;
template <class T>
class Plan;
template <class T>
class Workspace;

/// Runs algorithms()[algorithm] with arguments in the order of its table: what every function by name does. `problem`
/// has the frame and the reference, where the algorithm reads them. Throws Error for what evaluate() throws, and for
/// sizes that do not fit the model or one another.
template <class T>
void evaluate_layouts(int algorithm, const Model& model, std::span<const Layout<T>> arguments, Workspace<T>& work,
                      const BatchOptions<T>& how, const Options& problem = {});
/// The same by a plan, which decides on options and device.
template <class T>
void evaluate_layouts(int algorithm, const Plan<T>& plan, std::span<const Layout<T>> arguments, Workspace<T>& work,
                      const BatchOptions<T>& how);

}  // namespace tandem
