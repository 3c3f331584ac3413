// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tracing/cuda_text.hpp"
#include "tracing/order.hpp"
#include "tracing/recorded.hpp"
#include "tracing/text_writer.hpp"

namespace tandem {
namespace {

/// The lines of sine and cosine of a moderate angle, which are recorded as everything is.
class AngleWriter : TextWriter {
 public:
  explicit AngleWriter(const RecordedFunction& function) : TextWriter(function, Language::cuda) {}
  std::string write() {
    for (const std::int32_t k : depth_first(function_)) statement(k);
    return std::move(text_);
  }

 private:
  std::string loaded(const Place&) override { return "x"; }
  void store(const Place& place, const std::string& value) override {
    line("result." + std::string(place.column) + " = " + value + ";");
  }
};

std::string moderate_angle_text(Graph::Precision precision) {
  static constexpr Argument x = {"x", Rows::scalar, Role::input, "rad", "angle"};
  static constexpr Argument sine = {"sine", Rows::scalar, Role::output, "", "its sine"};
  static constexpr Argument cosine = {"cosine", Rows::scalar, Role::output, "", "its cosine"};
  RecordedFunction function = {"sine_and_cosine", Graph(precision), {}};
  const Recording recording(function.graph);
  const Recorded angle(function.graph.input());
  const SinCos<Recorded> both = precision == Graph::Precision::double_precision
                                    ? sincos_of_moderate<Recorded, SinCosConstants<double>>(angle)
                                    : sincos_of_moderate<Recorded, SinCosConstants<float>>(angle);
  function.columns = {{&x, {angle.term()}}, {&sine, {both.sin.term()}}, {&cosine, {both.cos.term()}}};
  return AngleWriter(function).write();
}

constexpr const char* cuda_helpers = R"(using S = REAL;
#ifndef TANDEM_THREADS
#define TANDEM_THREADS 128  // of a block, at most
#endif
#ifndef TANDEM_BLOCKS
#define TANDEM_BLOCKS BLOCKS  // blocks per multiprocessor, which bounds the registers of a thread
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
/// Warps of a block wait for each other where each of them has come to a line of its own.
__device__ __forceinline__ void wait_for_block() { asm volatile("barrier.sync 0;" ::: "memory"); }
__device__ __forceinline__ bool any_of_block(bool x) { return __syncthreads_or(x); }

__device__ __forceinline__ S mul_add(S a, S b, S c) { return FUSED(a, b, c); }
__device__ __forceinline__ S square_root(S x) { return SQRT(x); }
__device__ __forceinline__ S absolute(S x) { return FABS(x); }
__device__ __forceinline__ S select_less(S a, S b, S x, S y) { return a < b ? x : y; }
__device__ __forceinline__ S select_equal(S a, S b, S x, S y) { return a == b ? x : y; }
template <int plus, int mask>
__device__ __forceinline__ S select_bits(S a, S x, S y) { return ((BITS(a) + plus) & mask) != 0 ? x : y; }

// what kernels compute by straight lines, as far as they go; a state beyond goes through the functions below
constexpr S largest = LARGEST;
struct Angle { S sine, cosine; };
__device__ __noinline__ Angle sine_and_cosine(const S x) {
  Angle result = {SINE(x), COSINE(x)};
  if (!(absolute(x) < largest)) return result;
MODERATE  return result;
}
__device__ __forceinline__ bool is_moderate(S x, S y, S z, S w) {
  const S n = mul_add(x, x, y * y) + mul_add(z, z, w * w);
  return S(1e-6) < n && n < S(1e6);
}
__device__ __forceinline__ S largest_of(S a, S b) { return a < b ? b : a; }
struct Quaternion { S x, y, z, w; };
// with powers of two nothing is rounded: the rotation stays what it is
__device__ __noinline__ Quaternion of_moderate_length(const In& column, unsigned b, unsigned row) {
  const Quaternion a = {load(column, b, row), load(column, b, row + 1), load(column, b, row + 2),
                        load(column, b, row + 3)};
  const S size = largest_of(largest_of(absolute(a.x), absolute(a.y)), largest_of(absolute(a.z), absolute(a.w)));
  const int power = size > S(0) && size < S(INFINITE) ? -ilogb(size) : 0;
  return {LDEXP(a.x, power), LDEXP(a.y, power), LDEXP(a.z, power), LDEXP(a.w, power)};
}

)";

}  // namespace

std::string cuda_prelude(Graph::Precision precision) {
  const bool single = precision == Graph::Precision::single_precision;
  const auto hexadecimal = [](double x) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "S(%a)", x);
    return std::string(digits);
  };
  return with_words(
      cuda_helpers,
      {{"REAL", single ? "float" : "double"},
       {" BLOCKS", single ? " 4" : " 3"},
       {"KIND", single ? "f32" : "f64"},
       {"LETTER", single ? "f" : "d"},
       {"LARGEST", hexadecimal(single ? double{SinCosConstants<float>::largest} : SinCosConstants<double>::largest)},
       {"FUSED", single ? "__fmaf_rn" : "__fma_rn"},
       {"BITS", single ? "__float_as_int" : "__double_as_longlong"},
       {"COSINE", single ? "cosf" : "cos"},
       {"SINE", single ? "sinf" : "sin"},
       {"MODERATE", moderate_angle_text(precision)},
       {"INFINITE", single ? "__int_as_float(0x7f800000)" : "__longlong_as_double(0x7ff0000000000000)"},
       {"SQRT", single ? "sqrtf" : "sqrt"},
       {"FABS", single ? "fabsf" : "fabs"},
       {"LDEXP", single ? "ldexpf" : "ldexp"}});
}

}  // namespace tandem
