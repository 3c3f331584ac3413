// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "algorithms.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

const LinkKernels* find_link_kernels(const Algorithm& algorithm, Method method) {
  for (const LinkKernels& kernels : cpu::link_kernels())
    if (kernels.method == method && std::string_view(kernels.algorithm) == algorithm.name) return &kernels;
  return nullptr;
}

[[noreturn]] void throw_no_method(const Algorithm& algorithm, Method method) {
  std::string names;
  for (const Method m : methods_of(algorithm)) names += std::string(names.empty() ? "" : ", ") + to_string(m);
  throw Error(std::string(algorithm.name) + " has no method " + to_string(method) +
              (names.empty() ? std::string("; it takes none") : "; there are " + names));
}

}  // namespace

const char* divided_only(const Options& given) {
  const Options none;
  if (given.solver != none.solver) return "solver";
  if (given.right_hand_side != none.right_hand_side) return "right_hand_side";
  if (given.form != none.form) return "form";
  if (given.chunk != none.chunk) return "chunk";
  if (given.chunks != none.chunks) return "chunks";
  if (given.load_ratio != none.load_ratio) return "load_ratio";
  return nullptr;
}

std::vector<Method> methods_of(const Algorithm& asked_for) {
  const Algorithm& algorithm = known(asked_for);
  std::vector<Method> methods(algorithm.methods.begin(), algorithm.methods.end());
  for (const LinkKernels& kernels : cpu::link_kernels())
    if (std::string_view(kernels.algorithm) == algorithm.name) methods.push_back(kernels.method);
  return methods;
}

const char* refusal(const Algorithm& algorithm, const Model& model, const Options& options) {
  const LinkKernels* kernels = find_link_kernels(known(algorithm), options.method);
  return kernels ? kernels->refuses(model.view<double>(), options) : nullptr;
}

bool reads_options(const Algorithm& algorithm, const Options& options) {
  const LinkKernels* kernels = find_link_kernels(algorithm, options.method);
  return !(kernels ? kernels->unread(options) : divided_only(options));
}

const LinkKernels* link_method(const Algorithm& algorithm, const Model& model, const Options& options) {
  const auto& own = algorithm.methods;
  const bool is_own =
      options.method == Method::automatic || std::find(own.begin(), own.end(), options.method) != own.end();
  const LinkKernels* kernels = is_own ? nullptr : find_link_kernels(algorithm, options.method);
  if (!is_own && !kernels) throw_no_method(algorithm, options.method);
  if (const char* name = is_own ? divided_only(options) : kernels->unread(options))
    throw Error(std::string(algorithm.name) + ": method " + to_string(options.method) + " does not read the option " +
                name);
  if (kernels)
    if (const char* reason = kernels->refuses(model.view<double>(), options))
      throw Error(std::string(algorithm.name) + ": method " + to_string(options.method) + " does not serve " +
                  model.name() + ": " + reason);
  return kernels;
}

}  // namespace tandem
