// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <nanobind/ndarray.h>

#include <optional>
#include <utility>
#include <vector>

#include "numpy.hpp"

namespace tandem::python {
namespace {

using AnyArray = nb::ndarray<nb::ro>;

constexpr int on_processor = 1, page_locked = 3, on_cuda = 2;  // devices of DLPack; the processor reads the first two

std::string python_text(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

/// True of a tensor whose numbers mean the opposite of what lies in its memory, as those of PyTorch may.
bool is_negated(nb::handle object) {
  const nb::object asked = nb::getattr(object, "is_neg", nb::none());
  return PyCallable_Check(asked.ptr()) && asked().is(Py_True);
}

/// True of an array on a GPU, which is then among those of the call.
bool find_place(nb::handle object, const std::string& label, GpuArrays* gpu) {
  const nb::object grad = nb::getattr(object, "requires_grad", nb::none());
  if (grad.is(Py_True))
    throw Error(label +
                " requires grad, which this function does not support: use tandem.torch; without "
                "derivatives, pass x.detach()");
  const nb::object place = object.attr("__dlpack_device__")();
  const int device = nb::cast<int>(place[nb::int_(0)]);
  if (device == on_processor || device == page_locked) return false;
  if (device != on_cuda || gpu == nullptr)
    throw Error(label +
                " is in the memory of a GPU or another device; move it to host memory, x.cpu() in PyTorch, or "
                "use device=\"cuda\"");
  gpu->take(object, nb::cast<int>(place[nb::int_(1)]), label);
  return true;
}

/// Older producers know no max_version; what is read-only is handed out only to those that ask with it.
nb::object capsule_of(nb::handle object, bool writable, const GpuArrays* gpu) {
  const nb::object dlpack = object.attr("__dlpack__");
  if (gpu) return dlpack(nb::arg("stream") = gpu->stream_of_protocol());
  try {
    return dlpack();
  } catch (nb::python_error& e) {
    if (writable || !e.matches(PyExc_BufferError)) throw;
  }
  return dlpack(nb::arg("max_version") = nb::make_tuple(1, 0));
}

char* format_of(nb::dlpack::dtype type) {
  static char float32[] = "f", float64[] = "d", byte[] = "B";
  if (type == nb::dtype<float>()) return float32;
  if (type == nb::dtype<double>()) return float64;
  return type == nb::dtype<std::uint8_t>() ? byte : nullptr;
}

}  // namespace

struct Memory::Tensor {
  AnyArray array;
  std::vector<Py_ssize_t> shape, strides;
};

bool Memory::hold_array(nb::handle object, bool writable) {
  release();
  if (!NumPy::get().look(object, writable, view_)) return false;
  held_ = true;
  object_ = nb::borrow(object);
  return true;
}

bool Memory::hold_buffer(nb::object object, bool writable) {
  release();
  if (PyObject_GetBuffer(object.ptr(), &view_, writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  held_ = by_protocol_ = true;
  object_ = std::move(object);
  return true;
}

bool Memory::hold_tensor(nb::object object, bool writable, const std::string& label, GpuArrays* gpu) {
  release();
  if (!nb::hasattr(object, "__dlpack__") || !nb::hasattr(object, "__dlpack_device__")) return false;
  const bool there = find_place(object, label, gpu);
  if (is_negated(object)) {
    if (writable) throw Error(label + " cannot be written to: its negative bit is set; pass x.resolve_neg()");
    object = object.attr("resolve_neg")();
  }
  std::optional<AnyArray> array;
  try {
    array = nb::cast<AnyArray>(capsule_of(object, writable, there ? gpu : nullptr));
  } catch (nb::python_error& e) {
    throw Error(label + (writable ? " cannot be written to: " : " cannot be read: ") + python_text(e.value()));
  } catch (const std::bad_cast&) {
    throw Error(label + " uses an unsupported version of DLPack");
  }
  tensor_ = new Tensor{std::move(*array), {}, {}};
  const AnyArray& a = tensor_->array;
  const auto item = static_cast<Py_ssize_t>(a.itemsize());
  for (std::size_t k = 0; k < a.ndim(); ++k) {
    tensor_->shape.push_back(static_cast<Py_ssize_t>(a.shape(k)));
    tensor_->strides.push_back(static_cast<Py_ssize_t>(a.stride(k)) * item);
  }
  view_ = {};
  view_.buf = const_cast<void*>(a.data());
  view_.itemsize = item;
  view_.len = static_cast<Py_ssize_t>(a.size()) * item;
  view_.readonly = !writable;
  view_.ndim = static_cast<int>(a.ndim());
  view_.format = format_of(a.dtype());
  view_.shape = tensor_->shape.data();
  view_.strides = tensor_->strides.data();
  on_gpu_ = there;
  held_ = true;
  object_ = std::move(object);
  return true;
}

void Memory::release() {
  if (!held_) return;
  if (std::exchange(by_protocol_, false)) PyBuffer_Release(&view_);
  delete std::exchange(tensor_, nullptr);
  on_gpu_ = false;
  held_ = false;
}

bool lies_on_gpu(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__")) return false;
  return nb::cast<int>(object.attr("__dlpack_device__")()[nb::int_(0)]) == on_cuda;
}

nb::object importer_like(nb::handle object) {
  if (nb::isinstance(object, nb::module_::import_("numpy").attr("ndarray"))) return nb::none();
  if (nb::hasattr(object, "__array_namespace__")) return object.attr("__array_namespace__")().attr("from_dlpack");
  const nb::object torch = nb::module_::import_("sys").attr("modules").attr("get")("torch");
  if (!torch.is_none() && nb::isinstance(object, torch.attr("Tensor"))) return torch.attr("from_dlpack");
  return nb::none();
}

}  // namespace tandem::python
