// SPDX-License-Identifier: Apache-2.0
/// Memory of Python objects that others may read and write: by the buffer protocol (NumPy) or by DLPack (PyTorch, JAX,
/// CuPy ...), never copied.
#pragma once
#include <string>

#include "bindings.hpp"
#include "gpu_arrays.hpp"

namespace tandem::python {

/// The memory of one object, held as long as this lives.
class Memory {
 public:
  Memory() {}  // leaves the view alone: calls have room for many arguments and use few
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { release(); }

  /// Takes hold of an array of NumPy's by its fields, the fastest way; false where NumPy::look is.
  bool hold_array(nb::handle object, bool writable);
  /// Takes hold by the buffer protocol; false where the object refuses.
  bool hold_buffer(nb::object object, bool writable);
  /// Takes hold by DLPack; false if the object knows nothing of it. Throws Error, which begins with `label`, for memory
  /// that the processor cannot read, unless there are `gpu` arrays to take note of it, for tensors that record
  /// derivatives, and where the object refuses. Of a tensor whose negative bit is set, a copy with the right signs is
  /// held.
  bool hold_tensor(nb::object object, bool writable, const std::string& label, GpuArrays* gpu = nullptr);
  void release();

  bool held() const { return held_; }
  bool on_gpu() const { return on_gpu_; }
  nb::handle object() const { return object_; }
  /// Address, sizes and strides in bytes; the format is none for numbers other than float32, float64 and bytes.
  const Py_buffer& view() const { return view_; }

 private:
  struct Tensor;

  Py_buffer view_;  // has no values before held_ is true
  nb::object object_;
  Tensor* tensor_ = nullptr;
  bool held_ = false, by_protocol_ = false, on_gpu_ = false;
};

/// Whether the memory of an object lies on a GPU, by DLPack.
bool lies_on_gpu(nb::handle object);

/// The function that makes an array of the kind of `object` of a NumPy array, without a copy; none if NumPy's own kind
/// will do.
nb::object importer_like(nb::handle object);

}  // namespace tandem::python
