// SPDX-License-Identifier: Apache-2.0
/// Exceptions.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace tandem {

/// An invalid call: a wrong shape, an unknown name, a method that does not support the model.
/// The text names the argument, the expected and the given value.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Origin of a description: a line of a file and its element. Line 0: not from a file.
struct Source {
  std::string file;     ///< name of the file
  int line = 0;         ///< from 1
  std::string element;  ///< e.g. `joint "elbow"`
};

/// "file:line: element", as far as known.
std::string to_string(const Source& source);

/// One error of a robot description: its location and what was expected.
struct Problem {
  Source source;        ///< location
  std::string message;  ///< what was expected and found
};

/// `file:line: element: message`
std::string to_string(const Problem& problem);

/// An invalid robot description. Lists all errors, not only the first; what() has one line
/// for each: `file:line: element: message`.
class ModelError : public Error {
 public:
  /// Of one problem or more.
  explicit ModelError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }  ///< all that were found

 private:
  std::vector<Problem> problems_;
};

}  // namespace tandem
