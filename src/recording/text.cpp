// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "recording/expand_angles.hpp"
#include "recording/order.hpp"

namespace tandem {
namespace {

/// The shortest digits that give the number again, as a literal of a floating type.
std::string digits(double x, bool single) {
  std::array<char, 40> buffer;
  const auto end = single ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(x)).ptr
                          : std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

class Writer {
 public:
  /// `angles` must be moderate, which the text looks after.
  Writer(const RecordedFunction& function, Language language, const std::vector<Term>& angles)
      : function_(function),
        angles_to_check_(angles),
        nodes_(function.graph.nodes()),
        language_(language),
        single_(function.graph.precision() == Graph::Precision::single_precision) {}

  std::string write(const std::vector<std::int32_t>& order, const std::string& name) {
    head(name);
    places_of_inputs();
    outputs_of_nodes();
    for (const std::int32_t k : order) statement(k);
    known_outputs();
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  struct Place {
    const char* column;
    std::size_t row;
    bool minus = false;
  };

  static std::string variable(std::int32_t k) { return "t" + std::to_string(k); }
  std::string number(double x) const {
    const std::string text = digits(x, single_);
    return language_ == Language::c ? text + (single_ ? "f" : "") : "S(" + text + ")";
  }
  std::string term(const Term& t) const {
    const bool known = function_.graph.is_known(t);
    return (t.minus ? "-" : "") + (known ? number(std::abs(function_.graph.value(t))) : variable(t.node));
  }

  void head(const std::string& name) {
    const char* real = single_ ? "float" : "double";
    std::string parameters;
    for (const RecordedColumn& column : function_.columns) {
      if (column.rows.empty()) continue;
      const std::string own = column.argument->name;
      if (!parameters.empty()) parameters += ", ";
      switch (language_) {
        case Language::cpp: parameters += "const Column_" + own + "& " + own; break;
        case Language::c:
          parameters += std::string(is_input(*column.argument) ? "const " : "") + real + "* " + own;
          break;
        case Language::cuda: parameters += (is_input(*column.argument) ? "const In " : "const Out ") + own; break;
      }
    }
    switch (language_) {
      case Language::cpp: {
        text_ += "template <class S";
        for (const RecordedColumn& column : function_.columns)
          if (!column.rows.empty()) text_ += std::string(", class Column_") + column.argument->name;
        text_ += ">\ninline void " + name + "(" + parameters + ") {\n";
        break;
      }
      case Language::c: text_ += "void " + name + "(" + parameters + ") {\n"; break;
      case Language::cuda:
        text_ += "extern \"C\" __global__ void __launch_bounds__(TANDEM_THREADS, TANDEM_BLOCKS) " + name + "(" +
                 parameters +
                 ", const unsigned batch, unsigned* const large) {\n"
                 "  const unsigned b = blockIdx.x * TANDEM_THREADS + threadIdx.x;\n"
                 "  if (b >= batch) return;\n"
                 "  bool is_large = false;\n";
        break;
    }
  }

  void places_of_inputs() {
    for (const RecordedColumn& column : function_.columns)
      if (is_input(*column.argument))
        for (std::size_t row = 0; row < column.rows.size(); ++row) inputs_.push_back({column.argument->name, row});
  }
  void outputs_of_nodes() {
    outputs_.resize(nodes_.size());
    for (const RecordedColumn& column : function_.columns)
      if (!is_input(*column.argument))
        for (std::size_t row = 0; row < column.rows.size(); ++row)
          outputs_[static_cast<std::size_t>(column.rows[row].node)].push_back(
              {column.argument->name, row, column.rows[row].minus});
  }
  void line(const std::string& text) { text_ += "  " + text + "\n"; }

  std::string loaded(const Place& place) const {
    const std::string row = std::to_string(place.row);
    return language_ == Language::cuda ? std::string("load(") + place.column + ", b, " + row + ")"
                                       : std::string(place.column) + "[" + row + "]";
  }
  void store(const Place& place, const std::string& value) {
    const std::string row = std::to_string(place.row);
    line(language_ == Language::cuda ? std::string("store(") + place.column + ", b, " + row + ", " + value + ");"
                                     : std::string(place.column) + "[" + row + "] = " + value + ";");
  }

  std::string function_of_angle(std::int32_t angle, bool sine) {
    const auto own = static_cast<std::size_t>(angle);
    if (angles_.size() < nodes_.size()) angles_.resize(nodes_.size());
    const std::string name = "angle" + std::to_string(angle);
    if (!angles_[own]) {
      angles_[own] = true;
      line((language_ == Language::c ? std::string("const tandem_angle ") : std::string("const auto ")) + name +
           " = sine_and_cosine(" + variable(angle) + ");");
    }
    return name + (sine ? ".sine" : ".cosine");
  }

  std::string expression(const Node& node) {
    const auto operand = [&](int k) { return term(node.operand[k]); };
    const auto sum = [&](int a, int b) {
      const Term& second = node.operand[b];
      return operand(a) + (second.minus ? " - " + term(-second) : " + " + term(second));
    };
    const auto call = [&](const char* function, int operands) {
      std::string all = std::string(function) + "(";
      for (int k = 0; k < operands; ++k) all += (k > 0 ? ", " : "") + operand(k);
      return all + ")";
    };
    switch (node.operation) {
      case Operation::input: return loaded(inputs_[static_cast<std::size_t>(node.value)]);
      case Operation::constant: return number(node.value);
      case Operation::add: return sum(0, 1);
      case Operation::multiply: return operand(0) + " * " + operand(1);
      case Operation::multiply_add: return call("mul_add", 3);
      case Operation::divide: return operand(0) + " / " + operand(1);
      case Operation::square_root: return call("square_root", 1);
      case Operation::absolute: return call("absolute", 1);
      case Operation::sine: return function_of_angle(node.operand[0].node, true);
      case Operation::cosine: return function_of_angle(node.operand[0].node, false);
      case Operation::arctangent: return call("arctangent", 2);
      case Operation::select_less: return call("select_less", 4);
      case Operation::select_equal: return call("select_equal", 4);
      case Operation::select_bit: {
        const int which = static_cast<int>(function_.graph.value(node.operand[1]));
        return "select_bits<" + std::to_string(which / 4) + ", " + std::to_string(which % 4) + ">(" + operand(0) +
               ", " + operand(2) + ", " + operand(3) + ")";
      }
    }
    return {};
  }

  void statement(std::int32_t k) {
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    const std::string value = expression(node);
    line((language_ == Language::c ? (single_ ? "const float " : "const double ") : "const S ") + variable(k) + " = " +
         value + ";");
    for (const Place& place : outputs_[static_cast<std::size_t>(k)])
      store(place, (place.minus ? "-" : "") + variable(k));
    for (const Term& angle : angles_to_check_)
      if (angle.node == k) line("is_large |= !(absolute(" + variable(k) + ") < largest);");
  }
  void known_outputs() {
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (nodes_[k].operation == Operation::constant)
        for (const Place& place : outputs_[k]) store(place, (place.minus ? "-" : "") + number(nodes_[k].value));
    if (language_ == Language::cuda) line("if (is_large) atomicOr(large, 1u);");
  }

  const RecordedFunction& function_;
  const std::vector<Term>& angles_to_check_;
  const std::vector<Node>& nodes_;
  Language language_;
  bool single_;
  std::string text_;
  std::vector<Place> inputs_;
  std::vector<std::vector<Place>> outputs_;
  std::vector<bool> angles_;
};

/// A text with words replaced by others.
std::string with_words(std::string text, const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, by] : words)
    for (std::size_t k = text.find(word); k != std::string::npos; k = text.find(word, k + by.size()))
      text.replace(k, word.size(), by);
  return text;
}

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
template <class S>
S arctangent(S y, S x) { using std::atan2; return atan2(y, x); }
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
static inline REAL arctangent(REAL y, REAL x) { return atan2F(y, x); }
static inline REAL select_less(REAL a, REAL b, REAL x, REAL y) { return a < b ? x : y; }
static inline REAL select_equal(REAL a, REAL b, REAL x, REAL y) { return a == b ? x : y; }
#endif

)";
  std::vector<std::pair<std::string, std::string>> words = {{"REAL", real}};
  for (const char* function : {"sin", "cos", "sqrt", "fabs", "atan2"})
    words.emplace_back(function + std::string("F("), function + f + "(");
  return with_words(text, words);
}

/// CUDA C++ for one precision.
std::string cuda_prelude(bool single) {
  const std::string text = R"(using S = REAL;
#ifndef TANDEM_THREADS
#define TANDEM_THREADS 128  // of a block
#endif
#ifndef TANDEM_BLOCKS
#define TANDEM_BLOCKS 4  // that a multiprocessor holds at least, which bounds the registers of a thread
#endif

/// Rows of the states: number `row` of state b stands `b * stride + row * row_stride` bytes behind `data`.
struct In { const S* data; unsigned stride, row_stride; };
struct Out { S* data; unsigned stride, row_stride; };
// addresses in one instruction; written as indices they keep compilers busy for minutes
__device__ __forceinline__ S load(const In& x, unsigned b, unsigned row) {
  S value;
  asm("{.reg .u64 a; mad.wide.u32 a, %1, %2, %3; mad.wide.u32 a, %4, %5, a; ld.global.nc.KIND %0, [a];}"
      : "=LETTER"(value) : "r"(row), "r"(x.row_stride), "l"(x.data), "r"(b), "r"(x.stride));
  return value;
}
__device__ __forceinline__ void store(const Out& x, unsigned b, unsigned row, S value) {
  asm volatile("{.reg .u64 a; mad.wide.u32 a, %0, %1, %2; mad.wide.u32 a, %3, %4, a; st.global.KIND [a], %5;}"
               :: "r"(row), "r"(x.row_stride), "l"(x.data), "r"(b), "r"(x.stride), "LETTER"(value));
}

// angles beyond this are not computed here: *large is set to 1
constexpr S largest = LARGEST;
__device__ __forceinline__ S mul_add(S a, S b, S c) { return FUSED(a, b, c); }
__device__ __forceinline__ S square_root(S x) { return sqrt(x); }
__device__ __forceinline__ S absolute(S x) { return fabs(x); }
__device__ __forceinline__ S arctangent(S y, S x) { return atan2(y, x); }
__device__ __forceinline__ S select_less(S a, S b, S x, S y) { return a < b ? x : y; }
__device__ __forceinline__ S select_equal(S a, S b, S x, S y) { return a == b ? x : y; }
template <int plus, int mask>
__device__ __forceinline__ S select_bits(S a, S x, S y) { return ((BITS(a) + plus) & mask) != 0 ? x : y; }

)";
  return with_words(text, {{"REAL", single ? "float" : "double"},
                           {"KIND", single ? "f32" : "f64"},
                           {"LETTER", single ? "f" : "d"},
                           {"LARGEST", single ? "8e3f" : "1e6"},
                           {"FUSED", single ? "__fmaf_rn" : "__fma_rn"},
                           {"BITS", single ? "__float_as_int" : "__double_as_longlong"}});
}

}  // namespace

std::string function_text(const RecordedFunction& function, Language language, const std::string& name) {
  if (language != Language::cuda) return Writer(function, language, {}).write(depth_first(function), name);
  const WithoutAngles expanded = expand_angles(function);
  return Writer(expanded.function, language, expanded.angles).write(depth_first(expanded.function), name);
}

std::string prelude_text(Language language, Graph::Precision precision) {
  const bool single = precision == Graph::Precision::single_precision;
  if (language == Language::cuda) return cuda_prelude(single);
  if (language == Language::cpp) return cpp_prelude;
  return single ? c_prelude("float", "f") : c_prelude("double", "");
}

}  // namespace tandem
