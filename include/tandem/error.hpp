// SPDX-License-Identifier: Apache-2.0
/// What Tandem throws.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace tandem {

/// A call that cannot be carried out: a wrong shape, an unknown name, a method that does not serve the model.
/// The text names the argument, what was expected and what was given.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where a description comes from: a line of a file and the element that stands there. Line 0: not from a file.
struct Source {
  std::string file;     ///< name of the file
  int line = 0;         ///< from 1
  std::string element;  ///< e.g. `joint "elbow"`
};

/// "file:line: element", as far as it is known.
std::string to_string(const Source& source);

/// One thing wrong with a robot description: where, and what was expected.
struct Problem {
  Source source;        ///< where
  std::string message;  ///< what was expected, and what is there
};

/// `file:line: element: message`
std::string to_string(const Problem& problem);

/// A robot description that cannot become a model. Lists every problem found, not only the first; what() has one line
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
