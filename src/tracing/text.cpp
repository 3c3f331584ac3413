// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <utility>

#include "tracing/cuda_text.hpp"
#include "tracing/order.hpp"
#include "tracing/text_writer.hpp"

namespace tandem {
namespace {

/// C++ and C: a straight line.
class FunctionWriter : TextWriter {
 public:
  using TextWriter::TextWriter;

  std::string write(const std::vector<std::int32_t>& order, const std::string& name) {
    text_ = function_head(function_, language_, name);
    for (const std::int32_t k : order) statement(k);
    known_outputs();
    text_ += "}\n";
    return std::move(text_);
  }
};

constexpr const char* cpp_prelude =
    R"(// for float and double; packs of numbers bring their own, found by argument-dependent lookup
inline float mul_add(float a, float b, float c) { return std::fma(a, b, c); }
inline double mul_add(double a, double b, double c) { return std::fma(a, b, c); }
template <class S>
struct Angle { S sine, cosine; };
inline Angle<float> sine_and_cosine(float x) { return {std::sin(x), std::cos(x)}; }
inline Angle<double> sine_and_cosine(double x) { return {std::sin(x), std::cos(x)}; }
template <class S>
S square_root(S x) { using std::sqrt; return sqrt(x); }
template <class S>
S absolute(S x) { using std::abs; return abs(x); }
inline float select_less(float a, float b, float x, float y) { return a < b ? x : y; }
inline double select_less(double a, double b, double x, double y) { return a < b ? x : y; }
inline float select_equal(float a, float b, float x, float y) { return a == b ? x : y; }
inline double select_equal(double a, double b, double x, double y) { return a == b ? x : y; }

)";

/// C for one precision; `f` is the suffix of the functions of float.
std::string c_prelude(const std::string& real, const std::string& f) {
  const std::string text = R"(#include <math.h>

#ifndef TANDEM_PRELUDE  /* of one precision in a file */
#define TANDEM_PRELUDE
typedef struct { REAL sine, cosine; } tandem_angle;
static inline tandem_angle sine_and_cosine(REAL x) {
  const tandem_angle a = {sinF(x), cosF(x)};
  return a;
}
/* one instruction where the processor has it and the compiler may use it */
static inline REAL mul_add(REAL a, REAL b, REAL c) { return a * b + c; }
static inline REAL square_root(REAL x) { return sqrtF(x); }
static inline REAL absolute(REAL x) { return fabsF(x); }
static inline REAL select_less(REAL a, REAL b, REAL x, REAL y) { return a < b ? x : y; }
static inline REAL select_equal(REAL a, REAL b, REAL x, REAL y) { return a == b ? x : y; }
#endif

)";
  std::vector<std::pair<std::string, std::string>> words = {{"REAL", real}};
  for (const char* function : {"sin", "cos", "sqrt", "fabs"})
    words.emplace_back(function + std::string("F("), function + f + "(");
  return with_words(text, words);
}

}  // namespace

std::string function_text(const RecordedFunction& function, Language language, const std::string& name) {
  if (language == Language::cuda) return redo_text(function, name) + kernel_text(function, name);
  return FunctionWriter(function, language).write(depth_first(function), name);
}

std::string prelude_text(Language language, Graph::Precision precision) {
  if (language == Language::cuda) return cuda_prelude(precision);
  if (language == Language::cpp) return cpp_prelude;
  return precision == Graph::Precision::single_precision ? c_prelude("float", "f") : c_prelude("double", "");
}

}  // namespace tandem
