// SPDX-License-Identifier: Apache-2.0
#include "gpu_arrays.hpp"

namespace tandem::python {
namespace {

/// The package that an object comes from.
std::string package_of(nb::handle object) {
  const auto name = nb::cast<std::string>(nb::str(object.type().attr("__module__")));
  return name.substr(0, name.find('.'));
}

}  // namespace

void GpuArrays::take(nb::handle array, int ordinal, const std::string& label) {
  if (found()) {
    if (ordinal != ordinal_)
      throw Error(label + " is on GPU " + std::to_string(ordinal) + ", but others are on GPU " +
                  std::to_string(ordinal_));
    return;
  }
  like_ = nb::borrow(array);
  ordinal_ = ordinal;
  const std::string package = package_of(array);
  if (package == "torch") {
    kind_ = Kind::torch;
    const nb::object cuda = nb::module_::import_("torch").attr("cuda");
    stream_ = nb::cast<std::uintptr_t>(cuda.attr("current_stream")(ordinal).attr("cuda_stream"));
  } else if (package == "cupy") {
    kind_ = Kind::cupy;
    const nb::object cuda = nb::module_::import_("cupy").attr("cuda");
    stream_ = nb::cast<std::uintptr_t>(cuda.attr("get_current_stream")().attr("ptr"));
  } else if (package == "jax" || package == "jaxlib") {
    kind_ = Kind::jax;
  }
}

nb::object GpuArrays::make(std::span<const Py_ssize_t> sizes, Real real) const {
  nb::list shape;
  for (const Py_ssize_t size : sizes) shape.append(size);
  const nb::tuple of(shape);
  const char* const dtype = real == Real::float32 ? "float32" : "float64";
  if (kind_ == Kind::torch) {
    const nb::object torch = nb::module_::import_("torch");
    return torch.attr("empty")(of, nb::arg("dtype") = torch.attr(dtype), nb::arg("device") = like_.attr("device"));
  }
  if (kind_ == Kind::cupy) return nb::module_::import_("cupy").attr("empty")(of, nb::arg("dtype") = dtype);
  if (kind_ == Kind::jax) {
    // nobody else has it yet, so that it may still be written to
    const nb::object zeros = nb::module_::import_("jax.numpy").attr("zeros");
    return zeros(of, nb::arg("dtype") = dtype, nb::arg("device") = like_.attr("device")).attr("block_until_ready")();
  }
  throw Error("results on a GPU are arrays of PyTorch, CuPy or JAX; for other types use out=");
}

}  // namespace tandem::python
