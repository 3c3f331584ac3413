// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tandem/error.hpp"

namespace tandem::test {

/// The text of the Error that a call throws; "no error" if it throws none.
template <class F>
std::string error_of(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tandem::test
