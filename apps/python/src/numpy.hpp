// SPDX-License-Identifier: Apache-2.0
/// The parts of NumPy that are called from here. Calls of one state live from getting at arrays fast: their fields are
/// read where they lie, and new ones are made by NumPy's C function, if a look at known arrays has shown that both are
/// as expected.
#pragma once
#include "bindings.hpp"

namespace tandem::python {

/// Precision of an array's numbers; `open` for lists and integers, which take that of the other arguments.
enum class Real : unsigned char { open, float32, float64 };

struct NumPy {
  nb::object empty, asarray, array, broadcast_to, ndarray, float32, float64;

  /// Looked up at the first call and kept until the process ends.
  static const NumPy& get();

  nb::handle dtype(Real real) const { return real == Real::float32 ? float32 : float64; }
  bool is_array(nb::handle object) const { return Py_TYPE(object.ptr()) == type_; }

  /// Address, sizes and strides of an array of float32 or float64, which live as long as it does; false for others, for
  /// those that may not be written to if that is asked for, and where the fields are not known: the buffer protocol
  /// serves then.
  bool look(nb::handle object, bool writable, Py_buffer& view) const;

  /// A new array in C order, with whatever is in its memory.
  nb::object make(int rank, const Py_ssize_t* sizes, Real real) const;

 private:
  using Empty = PyObject* (*)(int, const Py_ssize_t*, PyObject*, int);

  NumPy();
  void find_fields();
  void find_empty();

  PyTypeObject* type_ = nullptr;
  bool knows_fields_ = false;
  Empty empty_ = nullptr;
};

}  // namespace tandem::python
