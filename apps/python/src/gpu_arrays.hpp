// SPDX-License-Identifier: Apache-2.0
/// Python arrays on a GPU, of PyTorch, CuPy or JAX, used in place, on the stream of their package.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "bindings.hpp"
#include "numpy.hpp"

namespace tandem::python {

/// The GPU of a call, by the first array that lies on one.
class GpuArrays {
 public:
  bool found() const { return like_.is_valid(); }
  int ordinal() const { return ordinal_; }
  Stream stream() const { return reinterpret_cast<Stream>(stream_); }
  /// The same as DLPack numbers streams, where 1 is the default one.
  std::uintptr_t stream_of_protocol() const { return stream_ == 0 ? 1 : stream_; }
  /// Whether the call must wait for its results: JAX follows no stream but its own.
  bool waits() const { return kind_ == Kind::jax; }

  /// Takes note of an array on GPU `ordinal`. Throws Error, which begins with `label`, if others lie on another one.
  void take(nb::handle array, int ordinal, const std::string& label);
  /// A new array of the kind of the first one.
  nb::object make(std::span<const Py_ssize_t> sizes, Real real) const;

 private:
  enum class Kind : unsigned char { torch, cupy, jax, other };

  nb::object like_;
  int ordinal_ = 0;
  std::uintptr_t stream_ = 0;
  Kind kind_ = Kind::other;
};

/// f with the workspace of the calling thread for a GPU: calls that share memory there must be on one stream. That of
/// another is given back, which waits for it.
template <class T, class F>
void with_workspace_on(Stream stream, F&& f) {
  thread_local Workspace<T> work;
  thread_local Stream last = nullptr;
  if (stream != last) work = Workspace<T>();
  last = stream;
  f(work);
}

}  // namespace tandem::python
