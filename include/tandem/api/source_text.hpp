// SPDX-License-Identifier: Apache-2.0
/// Generation of source code of algorithms for one robot. The code is straight-line, without loops or arrays unless
/// requested. The parameters of the robot are literals, and operations with zeros and ones are omitted. It does not
/// depend on Tandem.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// Languages of generated code.
enum class Language : std::uint8_t {
  cpp,  ///< C++11 templates: float, double, and pack types with their own functions
  c,    ///< C99 without static memory, for one precision
  cuda  ///< CUDA C++: a kernel with one thread per state, for one precision
};
template <>
struct NamesOf<Language> {
  static constexpr const char* kind = "language";
  static constexpr Named table[] = {{"cpp", "C++11 templates: float, double, and pack types with their own functions"},
                                    {"c", "C99 without static memory, for one precision"},
                                    {"cuda", "CUDA C++: a kernel with one thread per state, for one precision"}};
};

/// Options of write_source_text().
struct SourceText {
  Language language = Language::cpp;  ///< language of the code
  /// Precision, float or double: of the code in C and CUDA, of the robot's parameters in C++.
  bool in_float = false;
  /// Names of the algorithms.
  std::vector<std::string> functions = {"inverse_dynamics", "forward_dynamics", "mass_matrix"};
  std::vector<std::string> optional = {};  ///< names of optional arguments to include
  Options options = {};                    ///< options of the algorithms
  bool loops = false;                      ///< cpp and c: isomorphic subtrees become loops
  std::string name_space;                  ///< namespace, or prefix in C; empty: derived from the robot's name
};

/// Text of a header (for CUDA, of a source file) with functions for one robot and comments on their arguments. Throws
/// Error for an unknown algorithm, an option or optional argument that no algorithm has, a name that is not an
/// identifier, and loops in CUDA.
std::string write_source_text(const Model& model, const SourceText& text = {});

}  // namespace tandem
