// SPDX-License-Identifier: Apache-2.0
/// In place of state_function.cpp where there is no Xbyak.
#include "tracing/jit/state_function.hpp"
#include "tandem/error.hpp"

namespace tandem {

StateFunction::StateFunction(const RecordedFunction& function, Registers) {
  throw Error(function.name +
              " cannot be compiled for single states: this build of Tandem has no Xbyak or is not for x86-64");
}

}  // namespace tandem
