// SPDX-License-Identifier: Apache-2.0
#include "numpy.hpp"

#include <cstdint>

namespace tandem::python {
namespace {

/// How an array begins in every version of NumPy 1 and 2: part of its binary interface.
struct Fields {
  PyObject head;
  char* data;
  int rank;
  Py_ssize_t *sizes, *strides;
  PyObject *base, *dtype;
  int flags;
};
constexpr int writeable = 0x0400;

const Fields& fields(nb::handle array) { return *reinterpret_cast<const Fields*>(array.ptr()); }

/// Whether the fields of an array say what its attributes do.
bool agree(const nb::object& array) {
  const Fields& f = fields(array);
  const auto sizes = nb::cast<nb::tuple>(array.attr("shape")), strides = nb::cast<nb::tuple>(array.attr("strides"));
  const auto address = nb::cast<std::uintptr_t>(array.attr("__array_interface__")["data"][0]);
  if (reinterpret_cast<std::uintptr_t>(f.data) != address || f.rank != static_cast<int>(sizes.size())) return false;
  for (int k = 0; k < f.rank; ++k)
    if (f.sizes[k] != nb::cast<Py_ssize_t>(sizes[static_cast<std::size_t>(k)]) ||
        f.strides[k] != nb::cast<Py_ssize_t>(strides[static_cast<std::size_t>(k)]))
      return false;
  return f.dtype == array.attr("dtype").ptr() && f.flags == nb::cast<int>(array.attr("flags").attr("num"));
}

}  // namespace

const NumPy& NumPy::get() {
  static const NumPy* numpy = nullptr;  // the lock of the interpreter guards it
  if (!numpy) numpy = new NumPy();
  return *numpy;
}

NumPy::NumPy() {
  const nb::module_ m = nb::module_::import_("numpy");
  empty = m.attr("empty");
  asarray = m.attr("asarray");
  array = m.attr("array");
  broadcast_to = m.attr("broadcast_to");
  ndarray = m.attr("ndarray");
  float32 = m.attr("dtype")("float32");
  float64 = m.attr("dtype")("float64");
  type_ = reinterpret_cast<PyTypeObject*>(ndarray.ptr());
  const auto implementation = nb::module_::import_("sys").attr("implementation").attr("name");
  if (nb::cast<std::string>(implementation) != "cpython") return;
  find_fields();
  find_empty();
}

void NumPy::find_fields() {
  const nb::object whole = nb::module_::import_("numpy").attr("zeros")(nb::make_tuple(3, 4), float64);
  const nb::object part = whole[nb::make_tuple(nb::slice(1, 3, 1), nb::slice(0, 4, 2))];
  const nb::object single = whole.attr("astype")(float32);
  single.attr("setflags")(nb::arg("write") = false);
  knows_fields_ = agree(whole) && agree(part) && agree(single) && fields(single).dtype == float32.ptr() &&
                  fields(whole).dtype == float64.ptr() && (fields(whole).flags & writeable) != 0 &&
                  (fields(single).flags & writeable) == 0;
}

void NumPy::find_empty() {
  // places in the table, and the versions of it in which they are these
  constexpr int version = 0, empty_of_dtype = 184;
  constexpr unsigned numpy_1 = 0x01000009, numpy_2 = 0x02000000;
  void* const* table = nullptr;
  for (const char* name : {"numpy._core._multiarray_umath", "numpy.core._multiarray_umath"}) {
    try {
      const nb::object capsule = nb::module_::import_(name).attr("_ARRAY_API");
      table = static_cast<void* const*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
      break;
    } catch (nb::python_error&) {
      continue;
    }
  }
  if (!table) {
    PyErr_Clear();
    return;
  }
  const unsigned given = reinterpret_cast<unsigned (*)()>(table[version])();
  if (given == numpy_1 || given == numpy_2) empty_ = reinterpret_cast<Empty>(table[empty_of_dtype]);
}

bool NumPy::look(nb::handle object, bool writable, Py_buffer& view) const {
  static char in_float32[] = "f", in_float64[] = "d";
  if (!knows_fields_ || !is_array(object)) return false;
  const Fields& f = fields(object);
  const bool is_double = f.dtype == float64.ptr();
  if ((!is_double && f.dtype != float32.ptr()) || (writable && (f.flags & writeable) == 0)) return false;
  const Py_ssize_t size = is_double ? 8 : 4;
  Py_ssize_t length = size;
  for (int k = 0; k < f.rank; ++k) length *= f.sizes[k];
  view = {};
  view.buf = f.data;
  view.len = length;
  view.itemsize = size;
  view.readonly = (f.flags & writeable) == 0;
  view.ndim = f.rank;
  view.format = is_double ? in_float64 : in_float32;
  view.shape = f.sizes;
  view.strides = f.strides;
  return true;
}

nb::object NumPy::make(int rank, const Py_ssize_t* sizes, Real real) const {
  if (empty_) {
    Py_INCREF(dtype(real).ptr());  // which the function takes over
    nb::object made = nb::steal(empty_(rank, sizes, dtype(real).ptr(), 0));
    if (!made.is_valid()) throw nb::python_error();
    return made;
  }
  const nb::object shape = nb::steal(PyTuple_New(rank));
  for (int k = 0; k < rank; ++k) NB_TUPLE_SET_ITEM(shape.ptr(), k, PyLong_FromSsize_t(sizes[k]));
  return empty(shape, dtype(real));
}

}  // namespace tandem::python
