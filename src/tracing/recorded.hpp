// SPDX-License-Identifier: Apache-2.0
/// A number that writes down what is done with it: a body that runs on it leaves the graph of what it computes.
#pragma once
#include "tracing/graph.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem {

/// A sibling of the counting number: a plain number becomes one only when asked to, it never turns back, and no branch
/// can be taken on it. What it stands for is known, as are all numbers of the robot, or a term of the graph that is
/// being recorded.
class Recorded {
 public:
  Recorded() = default;
  explicit Recorded(double x) : term_(graph().constant(x)) {}
  explicit Recorded(Term term) : term_(term) {}
  Term term() const { return term_; }

  /// The graph that this thread records. A Recording says which as long as it lives.
  static Graph& graph() { return *recorded_; }

 private:
  friend class Recording;
  static inline thread_local Graph* recorded_ = nullptr;
  Term term_;  // node 0 is the number 0
};

/// Numbers of this thread are recorded into a graph as long as it lives.
class Recording {
 public:
  explicit Recording(Graph& graph) : before_(Recorded::recorded_) { Recorded::recorded_ = &graph; }
  ~Recording() { Recorded::recorded_ = before_; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  Graph* before_;
};

/// What a comparison gives: good for select.
struct RecordedCondition {
  Operation kind;
  Term a, b;
};

inline Recorded operator+(Recorded a, Recorded b) { return Recorded(Recorded::graph().add(a.term(), b.term())); }
inline Recorded operator-(Recorded a, Recorded b) { return Recorded(Recorded::graph().add(a.term(), -b.term())); }
inline Recorded operator*(Recorded a, Recorded b) { return Recorded(Recorded::graph().multiply(a.term(), b.term())); }
inline Recorded operator/(Recorded a, Recorded b) { return Recorded(Recorded::graph().divide(a.term(), b.term())); }
inline Recorded operator-(Recorded a) { return Recorded(-a.term()); }
inline RecordedCondition operator<(Recorded a, Recorded b) { return {Operation::select_less, a.term(), b.term()}; }
inline RecordedCondition operator==(Recorded a, Recorded b) { return {Operation::select_equal, a.term(), b.term()}; }

/// Whether two numbers differ: good for any(), which is true unless they are known to be equal. What then is computed
/// for nothing adds zeros.
struct RecordedDifference {
  Term a, b;
};
inline RecordedDifference operator!=(Recorded a, Recorded b) { return {a.term(), b.term()}; }
inline bool any(const RecordedDifference& d) {
  const Graph& graph = Recorded::graph();
  return !graph.is_known(d.a) || !graph.is_known(d.b) || graph.value(d.a) != graph.value(d.b);
}

inline Recorded mul_add(const Recorded& a, const Recorded& b, const Recorded& c) {
  return Recorded(Recorded::graph().multiply_add(a.term(), b.term(), c.term()));
}
inline Recorded select(const RecordedCondition& c, Recorded x, Recorded y) {
  return Recorded(Recorded::graph().select(c.kind, c.a, c.b, x.term(), y.term()));
}
inline Recorded sqrt(Recorded a) { return Recorded(Recorded::graph().square_root(a.term())); }
inline Recorded abs(Recorded a) { return Recorded(Recorded::graph().absolute(a.term())); }
inline Recorded arctangent(Recorded y, Recorded x) {
  return Recorded::graph().precision() == Graph::Precision::double_precision
             ? arctangent<Recorded, ArctangentConstants<double>>(y, x)
             : arctangent<Recorded, ArctangentConstants<float>>(y, x);
}
inline SinCos<Recorded> sincos(Recorded a) {
  return {Recorded(Recorded::graph().sine(a.term())), Recorded(Recorded::graph().cosine(a.term()))};
}

/// The bits of a number as an integer, of which the lowest tell quadrants.
struct RecordedBits {
  Term of;
  int plus = 0, mask = 0;
  friend RecordedBits operator+(RecordedBits bits, int more) { return {bits.of, bits.plus + more, bits.mask}; }
  friend RecordedBits operator&(RecordedBits bits, int these) { return {bits.of, bits.plus, these}; }
  friend RecordedCondition operator!=(RecordedBits bits, int) {
    return {Operation::select_bit, bits.of, Recorded::graph().constant(bits.mask + 4 * bits.plus)};
  }
};
inline RecordedBits bits_of(Recorded x) { return {x.term()}; }

/// What is done at a joint is a step of the graph.
template <>
struct AtJoint<Recorded> {
  static void visit(int link) { Recorded::graph().begin_step(link); }
};

}  // namespace tandem
