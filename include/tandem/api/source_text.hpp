// SPDX-License-Identifier: Apache-2.0
/// Algorithms as source text for one robot: straight lines, without a loop or an array unless they are asked for, in
/// which every number of the robot stands as it is, its zeros and ones left out. They need nothing of Tandem.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// What the text is written in.
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

/// What stands in a text.
struct SourceText {
  Language language = Language::cpp;  ///< what it is written in
  bool in_float = false;  ///< of c and cuda: float, else double; of cpp, what the numbers of the robot are rounded to
  /// Names of the algorithms.
  std::vector<std::string> functions = {"inverse_dynamics", "forward_dynamics", "mass_matrix"};
  std::vector<std::string> optional = {};  ///< names of optional arguments that the functions take
  Options options = {};                    ///< what the functions are told
  bool loops = false;                      ///< cpp and c: isomorphic subtrees become loops
  std::string name_space;                  ///< what the functions belong to; from the robot's name if empty
};

/// The text of a header (a source file of CUDA) with these functions of a robot, and comments that say what their
/// arguments are. Throws Error for a function that there is not, an option or an optional argument that none of them
/// has, a name that is no identifier, or loops in CUDA.
std::string write_source_text(const Model& model, const SourceText& text = {});

}  // namespace tandem
