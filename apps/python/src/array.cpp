// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tandem::python {
namespace {

/// The parts of NumPy that are called from here, looked up at the first call and kept until the process ends.
struct NumPy {
  nb::object empty, asarray, array, ndarray, float32, float64;
  static const NumPy& get() {
    static const NumPy* numpy = nullptr;  // the lock of the interpreter guards it
    if (!numpy) {
      const nb::module_ m = nb::module_::import_("numpy");
      numpy = new NumPy{m.attr("empty"),   m.attr("asarray"),          m.attr("array"),
                        m.attr("ndarray"), m.attr("dtype")("float32"), m.attr("dtype")("float64")};
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

void ArrayArgument::hold(nb::handle object, const char* algorithm, const char* name, Kind kind) {
  algorithm_ = algorithm;
  name_ = name;
  kind_ = kind;
  if (kind == Kind::output)
    write(object);
  else
    read(object);
}

void ArrayArgument::read(nb::handle object) {
  const bool list = PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
  nb::object array;
  if (!list) {
    const bool foreign = object.type().ptr() != NumPy::get().ndarray.ptr();
    origin_ = foreign ? Origin::elsewhere : Origin::numpy;
    if (PyObject_CheckBuffer(object.ptr()) && acquire(nb::borrow(object), false) && real_ != Real::open) return;
    if (foreign && acquire_tensor(object, false)) {
      if (real_ != Real::open) return;
      try {
        array = nb::module_::import_("numpy").attr("from_dlpack")(memory_.object());
      } catch (nb::python_error& e) {
        throw Error(label() + " has dtype " + python_text(nb::getattr(object, "dtype", nb::str("of another kind"))) +
                    ", expected float64 or float32 (" + python_text(e.value()) + ")");
      }
    }
  }
  // a list, integers, or an object that NumPy knows how to read
  try {
    array = NumPy::get().asarray(array.is_valid() ? nb::handle(array) : object);
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
  if (PyObject_CheckBuffer(object.ptr())) {
    if (!acquire(nb::borrow(object), true)) throw Error(label() + " cannot be written to");
  } else if (!acquire_tensor(object, true)) {
    throw Error(label() + " is a " + python_text(object.type().attr("__name__")) +
                ", expected a NumPy array or another one that knows DLPack");
  }
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
  for (int k = 0; k < rank; ++k) NB_TUPLE_SET_ITEM(shape.ptr(), k, PyLong_FromLongLong(sizes[k]));
  kind_ = Kind::output;
  acquire(NumPy::get().empty(shape, NumPy::get().dtype(real)), true);
}

bool ArrayArgument::acquire(nb::object object, bool writable) {
  const bool held = memory_.hold_buffer(std::move(object), writable);
  real_ = held ? real_from_format(memory_.view().format) : Real::open;
  return held;
}

bool ArrayArgument::acquire_tensor(nb::handle object, bool writable) {
  const bool held = memory_.hold_tensor(nb::borrow(object), writable, label());
  real_ = held ? real_from_format(memory_.view().format) : Real::open;
  return held;
}

std::optional<Index> ArrayArgument::check_shape(const Shape& expected) const {
  const Py_buffer& view = memory_.view();
  const int extra = view.ndim - expected.rank;
  bool fits = extra == 0 || extra == 1;
  for (int k = 0; fits && k < expected.rank; ++k) fits = view.shape[extra + k] == expected.sizes[k];
  if (!fits)
    throw Error(label() + " has shape " + sizes_text(view) + ", expected " + sizes_text(expected, "") + " or " +
                sizes_text(expected, "batch"));
  return extra ? std::optional<Index>(view.shape[0]) : std::nullopt;
}

void ArrayArgument::settle(const Shape& expected, std::optional<Index> batch, Real real) {
  if (kind_ != Kind::output) {
    if (real_ != real || !find_row_stride(expected)) copy(real);
    return;
  }
  const Py_buffer& view = memory_.view();
  const int extra = view.ndim - expected.rank;
  bool fits = extra == (batch ? 1 : 0) && (!batch || view.shape[0] == *batch);
  for (int k = 0; fits && k < expected.rank; ++k) fits = view.shape[extra + k] == expected.sizes[k];
  if (!fits)
    throw Error(label() + " has shape " + sizes_text(view) + ", expected " +
                sizes_text(expected, batch ? std::to_string(*batch) : ""));
  if (!find_row_stride(expected))
    throw Error(label() + " is not evenly spaced: the numbers of a state must lie equally far apart, in C order");
  if (overlaps_itself(expected)) throw Error(label() + " has numbers that share memory with each other");
}

void ArrayArgument::copy(Real real) {
  // the view rather than the object, which NumPy may not know how to read
  const nb::object view = nb::steal(PyMemoryView_FromBuffer(&memory_.view()));
  if (!view.is_valid()) throw nb::python_error();
  acquire(NumPy::get().array(view, NumPy::get().dtype(real), nb::arg("order") = "C"), false);
  row_stride_ = 1;
}

/// One stride for all axes of a state, read in C order; false if there is none, or if it is no multiple of a number's
/// size.
bool ArrayArgument::find_row_stride(const Shape& expected) {
  const Py_buffer& view = memory_.view();
  const Index size = size_of(real_);
  if (reinterpret_cast<std::uintptr_t>(view.buf) % static_cast<std::uintptr_t>(size) != 0) return false;
  const int extra = view.ndim - expected.rank;
  Index stride = 0, inner = 0;  // of rows, in bytes; how many rows one step of the axis spans
  for (int k = expected.rank - 1; k >= 0; --k) {
    const Index n = view.shape[extra + k];
    if (n <= 1) continue;
    if (inner == 0) {
      stride = view.strides[extra + k];
      inner = n;
    } else {
      if (view.strides[extra + k] != stride * inner) return false;
      inner *= n;
    }
  }
  row_stride_ = inner == 0 ? 1 : stride / size;
  return stride % size == 0 && (extra == 0 || view.shape[0] <= 1 || view.strides[0] % size == 0);
}

/// True unless the longer of the two strides steps over all that the shorter one reaches.
bool ArrayArgument::overlaps_itself(const Shape& expected) const {
  const Py_buffer& view = memory_.view();
  const Index size = size_of(real_), rows = expected.count();
  const bool batched = view.ndim > expected.rank;
  const Index states = batched ? view.shape[0] : 1, state = batched ? std::abs(view.strides[0] / size) : 0;
  const Index row = std::abs(row_stride_);
  if (rows == 0 || states == 0) return false;
  if (rows == 1) return states > 1 && state == 0;
  if (states == 1) return row == 0;
  return row < state ? row == 0 || state < row * (rows - 1) + 1 : state == 0 || row < state * (states - 1) + 1;
}

bool ArrayArgument::ranges_overlap(const ArrayArgument& other) const {
  const auto range = [](const Py_buffer& v) {  // first byte and the one behind the last
    auto low = reinterpret_cast<std::intptr_t>(v.buf), high = low + v.itemsize;
    for (int k = 0; k < v.ndim; ++k) {
      if (v.shape[k] == 0) return std::pair(low, low);
      (v.strides[k] < 0 ? low : high) += v.strides[k] * (v.shape[k] - 1);
    }
    return std::pair(low, high);
  };
  const auto [begin, end] = range(memory_.view());
  const auto [other_begin, other_end] = range(other.memory_.view());
  return begin < other_end && other_begin < end;
}

void ArrayArgument::keep_apart(const ArrayArgument& output) {
  if (ranges_overlap(output)) copy(real_);
}

bool ArrayArgument::shares_memory(const ArrayArgument& other) const {
  if (!ranges_overlap(other)) return false;
  constexpr int most_work = 100'000;  // of the search for a number in common, which seldom takes more than a step
  const auto numbers = [](const ArrayArgument& a) {
    const nb::object view = nb::steal(PyMemoryView_FromBuffer(&a.memory_.view()));
    if (!view.is_valid()) throw nb::python_error();
    return NumPy::get().asarray(view);
  };
  try {
    return nb::cast<bool>(
        nb::module_::import_("numpy").attr("shares_memory")(numbers(*this), numbers(other), most_work));
  } catch (nb::python_error& e) {
    if (e.matches(PyExc_RuntimeError)) return true;  // TooHardError
    throw;
  }
}

std::string ArrayArgument::label() const { return std::string(algorithm_) + ": " + name(); }

std::string ArrayArgument::name() const {
  if (kind_ == Kind::output) return "out (" + std::string(name_) + ")";
  return (kind_ == Kind::parameter ? "parameter " : "") + std::string(name_);
}

template <class T>
std::span<T> ReportArgument::settle(nb::handle object, const char* algorithm, const char* name,
                                    std::optional<Index> batch) {
  constexpr bool bytes = sizeof(T) == 1;
  const std::string label = std::string(algorithm) + ": " + name, dtype = bytes ? "uint8" : "int32";
  const bool buffer = PyObject_CheckBuffer(object.ptr());
  if (buffer ? !memory_.hold_buffer(nb::borrow(object), true) : !memory_.hold_tensor(nb::borrow(object), true, label))
    throw Error(label +
                (buffer ? " cannot be written to"
                        : " is a " + python_text(object.type().attr("__name__")) + ", expected an array of " + dtype));
  const Py_buffer& view = memory_.view();
  if (!view.format || std::string_view(view.format) != (bytes ? "B" : "i"))
    throw Error(label + " has dtype " + python_text(nb::getattr(object, "dtype", nb::str("of another kind"))) +
                ", expected " + dtype);
  const bool fits =
      batch ? view.ndim == 1 && view.shape[0] == *batch : view.ndim == 0 || (view.ndim == 1 && view.shape[0] == 1);
  if (!fits)
    throw Error(label + " has shape " + sizes_text(view) + ", expected " +
                (batch ? "(" + std::to_string(*batch) + ",)" : "()"));
  if (view.ndim == 1 && view.shape[0] > 1 && view.strides[0] != sizeof(T))
    throw Error(label + " is not contiguous: its numbers must lie side by side");
  return {static_cast<T*>(view.buf), static_cast<std::size_t>(batch.value_or(1))};
}
template std::span<Status> ReportArgument::settle(nb::handle, const char*, const char*, std::optional<Index>);
template std::span<std::int32_t> ReportArgument::settle(nb::handle, const char*, const char*, std::optional<Index>);

}  // namespace tandem::python
