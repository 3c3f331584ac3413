// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace tandem::python {
namespace {

/// The parts of NumPy that are called from here, looked up at the first call and kept until the process ends.
struct NumPy {
  nb::object empty, asarray, array, float32, float64;
  static const NumPy& get() {
    static const NumPy* numpy = nullptr;  // the lock of the interpreter guards it
    if (!numpy) {
      const nb::module_ m = nb::module_::import_("numpy");
      numpy = new NumPy{m.attr("empty"), m.attr("asarray"), m.attr("array"), m.attr("dtype")("float32"),
                        m.attr("dtype")("float64")};
    }
    return *numpy;
  }
  nb::handle dtype(Real real) const { return real == Real::float32 ? float32 : float64; }
};

/// Precision by the code that the buffer protocol has for it; `open` for anything else.
Real real_from_format(const char* format) {
  constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
  if (format && (*format == '@' || *format == '=' || *format == native)) ++format;
  if (!format || format[0] == '\0' || format[1] != '\0') return Real::open;
  return *format == 'd' ? Real::float64 : *format == 'f' ? Real::float32 : Real::open;
}

Index size_of(Real real) { return real == Real::float32 ? 4 : 8; }

std::string python_text(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

/// As Python writes a tuple.
std::string tuple_text(const std::vector<std::string>& items) {
  std::string result = "(";
  for (const std::string& item : items) result += (result.size() > 1 ? ", " : "") + item;
  return result + (items.size() == 1 ? ",)" : ")");
}

std::string sizes_text(const Py_buffer& view) {
  std::vector<std::string> sizes;
  for (int k = 0; k < view.ndim; ++k) sizes.push_back(std::to_string(view.shape[k]));
  return tuple_text(sizes);
}

/// The sizes of one state, or of a batch of them.
std::string sizes_text(const Shape& expected, const std::string& batch) {
  std::vector<std::string> sizes;
  if (!batch.empty()) sizes.push_back(batch);
  for (int k = 0; k < expected.rank; ++k) sizes.push_back(std::to_string(expected.sizes[k]));
  return tuple_text(sizes);
}

}  // namespace

void ArrayArgument::hold(nb::handle object, const char* algorithm, const char* name, bool input) {
  algorithm_ = algorithm;
  name_ = name;
  input_ = input;
  if (input)
    read(object);
  else
    write(object);
}

void ArrayArgument::read(nb::handle object) {
  const bool list = PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
  if (!list && PyObject_CheckBuffer(object.ptr())) {
    if (acquire(nb::borrow(object), false) && real_ != Real::open) return;
  }
  // a list, integers, or an object that NumPy knows how to read
  nb::object array;
  try {
    array = NumPy::get().asarray(object);
  } catch (nb::python_error& e) {
    throw Error(label() + " cannot be read as an array of numbers: " + python_text(e.value()));
  }
  const nb::object dtype = array.attr("dtype");
  const auto kind = nb::cast<std::string>(dtype.attr("kind"));
  const auto size = nb::cast<int>(dtype.attr("itemsize"));
  if (kind == "f" && !list && (size == 4 || size == 8)) {
    if (!nb::cast<bool>(dtype.attr("isnative"))) array = array.attr("astype")(dtype.attr("newbyteorder")("="));
  } else if (kind == "i" || kind == "u" || (kind == "f" && list)) {
    array = NumPy::get().asarray(array, NumPy::get().float64);
  } else {
    throw Error(label() + " has dtype " + python_text(dtype) + ", expected float64 or float32");
  }
  acquire(array, false);
  if (list || kind != "f") real_ = Real::open;
}

void ArrayArgument::write(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr()))
    throw Error(label() + " is a " + python_text(object.type().attr("__name__")) + ", expected a NumPy array");
  if (!acquire(nb::borrow(object), true)) throw Error(label() + " cannot be written to");
  if (real_ == Real::open)
    throw Error(label() + " has dtype " + python_text(nb::getattr(object, "dtype", nb::str("of another kind"))) +
                ", expected float64 or float32");
}

void ArrayArgument::create(const Shape& expected, std::optional<Index> batch, Real real) {
  Index sizes[4];
  int rank = 0;
  if (batch) sizes[rank++] = *batch;
  for (int k = 0; k < expected.rank; ++k) sizes[rank++] = expected.sizes[k];
  const nb::object shape = nb::steal(PyTuple_New(rank));
  for (int k = 0; k < rank; ++k) PyTuple_SET_ITEM(shape.ptr(), k, PyLong_FromLongLong(sizes[k]));
  acquire(NumPy::get().empty(shape, NumPy::get().dtype(real)), true);
}

bool ArrayArgument::acquire(nb::object object, bool writable) {
  release();
  if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  held_ = true;
  object_ = std::move(object);
  real_ = real_from_format(view_.format);
  return true;
}

void ArrayArgument::release() {
  if (held_) PyBuffer_Release(&view_);
  held_ = false;
  real_ = Real::open;
}

std::optional<Index> ArrayArgument::check_shape(const Shape& expected) const {
  const int extra = view_.ndim - expected.rank;
  bool fits = extra == 0 || extra == 1;
  for (int k = 0; fits && k < expected.rank; ++k) fits = view_.shape[extra + k] == expected.sizes[k];
  if (!fits)
    throw Error(label() + " has shape " + sizes_text(view_) + ", expected " + sizes_text(expected, "") + " or " +
                sizes_text(expected, "batch"));
  return extra ? std::optional<Index>(view_.shape[0]) : std::nullopt;
}

void ArrayArgument::settle(const Shape& expected, std::optional<Index> batch, Real real) {
  if (input_) {
    if (real_ != real || !rows_side_by_side(expected)) copy(real);
    return;
  }
  const int extra = view_.ndim - expected.rank;
  bool fits = extra == (batch ? 1 : 0) && (!batch || view_.shape[0] == *batch);
  for (int k = 0; fits && k < expected.rank; ++k) fits = view_.shape[extra + k] == expected.sizes[k];
  if (!fits)
    throw Error(label() + " has shape " + sizes_text(view_) + ", expected " +
                sizes_text(expected, batch ? std::to_string(*batch) : ""));
  if (!rows_side_by_side(expected))
    throw Error(label() + " is not contiguous: the numbers of a state must lie side by side, in C order");
}

void ArrayArgument::copy(Real real) {
  acquire(NumPy::get().array(object_, NumPy::get().dtype(real), nb::arg("order") = "C"), false);
}

bool ArrayArgument::rows_side_by_side(const Shape& expected) const {
  const Index size = size_of(real_);
  if (reinterpret_cast<std::uintptr_t>(view_.buf) % static_cast<std::uintptr_t>(size) != 0) return false;
  const int extra = view_.ndim - expected.rank;
  Index stride = size;
  for (int k = expected.rank - 1; k >= 0; --k) {
    if (view_.shape[extra + k] > 1 && view_.strides[extra + k] != stride) return false;
    stride *= view_.shape[extra + k];
  }
  return extra == 0 || view_.strides[0] % size == 0;
}

void ArrayArgument::keep_apart(const ArrayArgument& output) {
  const auto range = [](const Py_buffer& v) {  // first byte and the one behind the last
    auto low = reinterpret_cast<std::intptr_t>(v.buf), high = low + v.itemsize;
    for (int k = 0; k < v.ndim; ++k) {
      if (v.shape[k] == 0) return std::pair(low, low);
      (v.strides[k] < 0 ? low : high) += v.strides[k] * (v.shape[k] - 1);
    }
    return std::pair(low, high);
  };
  const auto [begin, end] = range(view_);
  const auto [out_begin, out_end] = range(output.view_);
  if (begin < out_end && out_begin < end) copy(real_);
}

std::string ArrayArgument::label() const { return std::string(algorithm_) + ": " + name(); }

std::string ArrayArgument::name() const { return input_ ? name_ : "out (" + std::string(name_) + ")"; }

}  // namespace tandem::python
