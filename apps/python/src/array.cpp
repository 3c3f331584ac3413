// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace tandem::python {
namespace {

/// Precision by the code that the buffer protocol has for it; `open` for anything else.
Real real_from_format(const char* format) {
  constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
  if (format && (*format == '@' || *format == '=' || *format == native)) ++format;
  if (!format || format[0] == '\0' || format[1] != '\0') return Real::open;
  return *format == 'd' ? Real::float64 : *format == 'f' ? Real::float32 : Real::open;
}

/// A number takes 2 to the power of this many bytes: shifts, as divisions cost a call of one state more than all else
/// here.
int size_bits(Real real) { return real == Real::float32 ? 2 : 3; }
bool is_multiple(Index bytes, int bits) { return (bytes & ((Index{1} << bits) - 1)) == 0; }

std::string python_text(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

/// All sizes of an array.
Sizes sizes_of(const Py_buffer& view) { return {view.shape, static_cast<std::size_t>(view.ndim)}; }

}  // namespace

void ArrayArgument::hold(nb::handle object, const char* algorithm, const char* name, Kind kind, GpuArrays* gpu) {
  algorithm_ = algorithm;
  name_ = name;
  kind_ = kind;
  if (kind == Kind::output)
    write(object, gpu);
  else
    read(object, gpu);
}

void ArrayArgument::read(nb::handle object, GpuArrays* gpu) {
  // a plain number is as good as a list: it takes the precision of the other arguments
  const bool list = PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || PyFloat_CheckExact(object.ptr());
  nb::object array;
  if (!list) {
    const bool foreign = !NumPy::get().is_array(object);
    origin_ = foreign ? Origin::elsewhere : Origin::numpy;
    if (!foreign && acquire_array(object, false)) return;
    if (PyObject_CheckBuffer(object.ptr()) && acquire(nb::borrow(object), false) && real_ != Real::open) return;
    if (foreign && acquire_tensor(object, false, gpu)) {
      if (real_ != Real::open) return;
      if (on_gpu())
        throw Error(label() + " has dtype " + python_text(nb::getattr(object, "dtype", nb::str("of another kind"))) +
                    ", expected float64 or float32");
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

void ArrayArgument::write(nb::handle object, GpuArrays* gpu) {
  if (acquire_array(object, true)) return;
  const bool there = gpu && lies_on_gpu(object);  // some have a buffer there and refuse to hand it out
  if (!there && PyObject_CheckBuffer(object.ptr())) {
    if (!acquire(nb::borrow(object), true)) throw Error(label() + " cannot be written to");
  } else if (!acquire_tensor(object, true, gpu)) {
    throw Error(label() + " is a " + python_text(object.type().attr("__name__")) +
                ", expected a NumPy array or an array that supports DLPack");
  }
  if (real_ == Real::open)
    throw Error(label() + " has dtype " + python_text(nb::getattr(object, "dtype", nb::str("of another kind"))) +
                ", expected float64 or float32");
}

void ArrayArgument::create(const Shape& expected, const Leading& batch, Real real, GpuArrays* gpu) {
  Py_ssize_t sizes[Leading::most + 4];
  int rank = 0;
  for (const Py_ssize_t size : batch.all()) sizes[rank++] = size;
  for (int k = 0; k < expected.rank; ++k) sizes[rank++] = static_cast<Py_ssize_t>(expected.sizes[k]);
  kind_ = Kind::output;
  if (gpu && gpu->found()) {
    write(gpu->make({sizes, static_cast<std::size_t>(rank)}, real), gpu);
    find_strides(expected, batch);
    return;
  }
  nb::object made = NumPy::get().make(rank, sizes, real);
  row_stride_ = 1;
  state_stride_ = batch.rank > 0 ? expected.count() : 0;
  if (!acquire_array(made, true)) acquire(std::move(made), true);
}

bool ArrayArgument::acquire_array(nb::handle object, bool writable) {
  if (!memory_.hold_array(object, writable)) return false;
  real_ = *memory_.view().format == 'd' ? Real::float64 : Real::float32;
  return true;
}

bool ArrayArgument::acquire(nb::object object, bool writable) {
  const bool held = memory_.hold_buffer(std::move(object), writable);
  real_ = held ? real_from_format(memory_.view().format) : Real::open;
  return held;
}

bool ArrayArgument::acquire_tensor(nb::handle object, bool writable, GpuArrays* gpu) {
  const bool held = memory_.hold_tensor(nb::borrow(object), writable, label(), gpu);
  real_ = held ? real_from_format(memory_.view().format) : Real::open;
  return held;
}

Sizes ArrayArgument::leading(const Shape& expected) const {
  const Py_buffer& view = memory_.view();
  const int extra = view.ndim - expected.rank;
  bool fits = extra >= 0;
  for (int k = 0; fits && k < expected.rank; ++k) fits = view.shape[extra + k] == expected.sizes[k];
  if (!fits)
    throw Error(label() + " has shape " + sizes_text(sizes_of(view)) + ", expected " + sizes_text({}, expected) +
                " or " + sizes_text({}, expected, true));
  return sizes_of(view).first(static_cast<std::size_t>(extra));
}

void ArrayArgument::settle(const Shape& expected, const Leading& batch, Real real) {
  if (kind_ != Kind::output) {
    if (real_ != real || !find_strides(expected, batch)) copy(expected, batch, real);
    return;
  }
  const Py_buffer& view = memory_.view();
  bool fits = view.ndim == batch.rank + expected.rank;
  for (int k = 0; fits && k < view.ndim; ++k)
    fits = view.shape[k] == (k < batch.rank ? batch.sizes[k] : expected.sizes[k - batch.rank]);
  if (!fits)
    throw Error(label() + " has shape " + sizes_text(sizes_of(view)) + ", expected " +
                sizes_text(batch.all(), expected));
  if (!find_strides(expected, batch))
    throw Error(label() + " has unsupported strides: the numbers of a state must be evenly spaced, in C order" +
                (batch.rank > 1 ? ", and the states, too" : ""));
  if (overlaps_itself(expected.count(), batch.count()))
    throw Error(label() + " has numbers that share memory with each other");
}

void ArrayArgument::copy(const Shape& expected, const Leading& batch, Real real) {
  if (on_gpu())
    throw Error(
        label() +
        " is on a GPU, where arrays are not copied: it must have the precision of the other arrays, evenly spaced "
        "states and numbers in C order, and no memory in common with an output");
  const NumPy& numpy = NumPy::get();
  const auto in_order = [&](const nb::object& numbers) {
    acquire(numpy.array(numbers, numpy.dtype(real), nb::arg("order") = "C"), false);
    return find_strides(expected, batch);
  };
  // the view rather than the object, which NumPy may not know how to read
  const nb::object view = nb::steal(PyMemoryView_FromBuffer(&memory_.view()));
  if (!view.is_valid()) throw nb::python_error();
  const nb::object held = nb::borrow(memory_.object());  // while others take its place
  if (in_order(view)) return;
  // one that stands for some axes of the batch is written out
  nb::list shape;
  for (const Py_ssize_t size : batch.all()) shape.append(size);
  for (int k = 0; k < expected.rank; ++k) shape.append(expected.sizes[k]);
  in_order(numpy.broadcast_to(memory_.object(), nb::tuple(shape)));
}

bool ArrayArgument::find_strides(const Shape& expected, const Leading& batch) {
  if (!find_row_stride(expected)) return false;
  const Py_buffer& view = memory_.view();
  const auto extra = static_cast<std::size_t>(view.ndim - expected.rank);
  const auto stride = batch.stride_through(sizes_of(view).first(extra), view.strides);
  const int bits = size_bits(real_);
  if (!stride || !is_multiple(*stride, bits)) return false;
  state_stride_ = *stride >> bits;
  return true;
}

/// One stride for all axes of a state, read in C order; false if there is none, or if it is no multiple of a number's
/// size.
bool ArrayArgument::find_row_stride(const Shape& expected) {
  const Py_buffer& view = memory_.view();
  const int bits = size_bits(real_);
  if (!is_multiple(static_cast<Index>(reinterpret_cast<std::uintptr_t>(view.buf)), bits)) return false;
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
  row_stride_ = inner == 0 ? 1 : stride >> bits;
  return is_multiple(stride, bits);
}

/// True unless the longer of the two strides steps over all that the shorter one reaches.
bool ArrayArgument::overlaps_itself(Index rows, Index states) const {
  const Index state = std::abs(state_stride_), row = std::abs(row_stride_);
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

void ArrayArgument::keep_apart(const ArrayArgument& output, const Shape& expected, const Leading& batch) {
  if (ranges_overlap(output)) copy(expected, batch, real_);
}

bool ArrayArgument::shares_memory(const ArrayArgument& other) const {
  if (!ranges_overlap(other)) return false;
  if (on_gpu()) return true;
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
std::span<T> ReportArgument::settle(nb::handle object, const char* algorithm, const char* name, const Leading& batch,
                                    GpuArrays* gpu) {
  constexpr bool bytes = sizeof(T) == 1;
  const std::string label = std::string(algorithm) + ": " + name, dtype = bytes ? "uint8" : "int32";
  const bool buffer = PyObject_CheckBuffer(object.ptr()) && !(gpu && lies_on_gpu(object));
  if (buffer ? !memory_.hold_buffer(nb::borrow(object), true)
             : !memory_.hold_tensor(nb::borrow(object), true, label, gpu))
    throw Error(label +
                (buffer ? " cannot be written to"
                        : " is a " + python_text(object.type().attr("__name__")) + ", expected an array of " + dtype));
  const Py_buffer& view = memory_.view();
  if (!view.format || std::string_view(view.format) != (bytes ? "B" : "i"))
    throw Error(label + " has dtype " + python_text(nb::getattr(object, "dtype", nb::str("of another kind"))) +
                ", expected " + dtype);
  const bool single = batch.rank == 0 && view.ndim == 1 && view.shape[0] == 1;
  if (!single && !std::ranges::equal(sizes_of(view), batch.all()))
    throw Error(label + " has shape " + sizes_text(sizes_of(view)) + ", expected " + sizes_text(batch.all()));
  if (batch.stride_through(sizes_of(view), view.strides).value_or(0) != (batch.count() > 1 ? Index{sizeof(T)} : 0))
    throw Error(label + " is not contiguous");
  return {static_cast<T*>(view.buf), static_cast<std::size_t>(batch.count())};
}
template <class T>
std::span<T> ReportArgument::settle_rows(nb::handle object, const char* algorithm, const char* name,
                                         const Leading& batch, std::initializer_list<Index> rows) {
  const std::string label = std::string(algorithm) + ": " + name, dtype = sizeof(T) == 8 ? "float64" : "float32";
  if (!PyObject_CheckBuffer(object.ptr()))
    throw Error(label + " is a " + python_text(object.type().attr("__name__")) + ", expected an array of " + dtype);
  if (!memory_.hold_buffer(nb::borrow(object), true)) throw Error(label + " cannot be written to");
  const Py_buffer& view = memory_.view();
  if (!view.format || std::string_view(view.format) != (sizeof(T) == 8 ? "d" : "f"))
    throw Error(label + " has dtype " + python_text(nb::getattr(object, "dtype", nb::str("of another kind"))) +
                ", expected " + dtype + ", as the call computes");
  const Sizes all = batch.all();
  std::vector<Py_ssize_t> expected(all.begin(), all.end());
  expected.insert(expected.end(), rows);
  if (!std::ranges::equal(sizes_of(view), expected))
    throw Error(label + " has shape " + sizes_text(sizes_of(view)) + ", expected " + sizes_text(Sizes(expected)));
  if (!PyBuffer_IsContiguous(&view, 'C')) throw Error(label + " is not contiguous");
  Index count = 1;
  for (const Index size : expected) count *= size;
  return {static_cast<T*>(view.buf), static_cast<std::size_t>(count)};
}
template std::span<double> ReportArgument::settle_rows(nb::handle, const char*, const char*, const Leading&,
                                                       std::initializer_list<Index>);
template std::span<float> ReportArgument::settle_rows(nb::handle, const char*, const char*, const Leading&,
                                                      std::initializer_list<Index>);

template std::span<Status> ReportArgument::settle(nb::handle, const char*, const char*, const Leading&, GpuArrays*);
template std::span<std::int32_t> ReportArgument::settle(nb::handle, const char*, const char*, const Leading&,
                                                        GpuArrays*);

}  // namespace tandem::python
