// SPDX-License-Identifier: Apache-2.0
/// NumPy arrays as the algorithms see them: pointers, strides and a precision, without copies where that is
/// possible.
#pragma once
#include <optional>
#include <string>

#include "bindings.hpp"

namespace tandem::python {

/// Precision of an array's numbers; `open` for lists and integers, which take that of the other arguments.
enum class Real : unsigned char { open, float32, float64 };

/// One argument of a call: the memory of a Python object, held as long as this lives.
class ArrayArgument {
 public:
  ArrayArgument() = default;
  ArrayArgument(const ArrayArgument&) = delete;
  ArrayArgument& operator=(const ArrayArgument&) = delete;
  ~ArrayArgument() { release(); }

  /// Takes hold of an object to read from, or of an array to write to. Throws Error if that cannot be.
  void hold(nb::handle object, const char* algorithm, const char* name, bool input);
  /// Makes a new array to write to.
  void create(const Shape& expected, std::optional<Index> batch, Real real);

  /// The batch that an input's shape says, or none for a single state. Throws Error if it is neither.
  std::optional<Index> check_shape(const Shape& expected) const;
  /// Makes the numbers of every state lie side by side in the precision of the call: an input may have to be
  /// copied. Throws Error for an output of another shape or order.
  void settle(const Shape& expected, std::optional<Index> batch, Real real);
  /// An input that lies in the memory of an output is read from a copy.
  void keep_apart(const ArrayArgument& output);

  bool given() const { return held_; }
  bool is_input() const { return held_ && input_; }
  Real real() const { return real_; }
  nb::handle object() const { return object_; }
  std::string label() const;  ///< "inverse_dynamics: q"
  std::string name() const;   ///< "q"

  /// Data and stride from state to state; a single state stands for every state of a batch.
  template <class T>
  Array<T> array(const Shape& expected) const {
    static T nothing{};
    auto* data = static_cast<T*>(view_.buf ? view_.buf : &nothing);
    return {data, view_.ndim > expected.rank ? view_.strides[0] / Index{sizeof(T)} : 0};
  }

 private:
  void read(nb::handle object);
  void write(nb::handle object);
  bool acquire(nb::object object, bool writable);  ///< false where Python refuses
  void release();
  void copy(Real real);
  bool rows_side_by_side(const Shape& expected) const;

  Py_buffer view_{};
  nb::object object_;
  const char* algorithm_ = "";
  const char* name_ = "";
  Real real_ = Real::open;
  bool held_ = false, input_ = false;
};

}  // namespace tandem::python
