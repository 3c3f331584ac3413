// SPDX-License-Identifier: Apache-2.0
/// How soft a row is, and what acceleration it asks for: its D and its reference, from how far it is from its bound
/// and how fast
/// that changes. A row pushes with f = -D (J a - reference) where it pushes.
#pragma once
#include "tandem/detail/contact/kinds.hpp"
#include "tandem/detail/problems/joint_stops.hpp"

namespace tandem::inline TANDEM_ISA {

/// Numbers of a row.
template <class S>
struct RowNumbers {
  S D, reference;
};

struct Laws {
  static constexpr double least_impedance = 1e-4, most_impedance = 0.9999, least_softness = 1e-15;

  TANDEM_HD static double clamped(double x) {
    return x < least_impedance ? least_impedance : x > most_impedance ? most_impedance : x;
  }

  /// The impedance d at distance r: from d0 to dw over the width, two powers that meet at the midpoint.
  template <class S>
  TANDEM_HD static S impedance(const double (&solimp)[5], const S& r) {
    const double d0 = clamped(solimp[0]), dw = clamped(solimp[1]), mid = clamped(solimp[3]);
    const double width = solimp[2], power = solimp[4] < 1 ? 1 : solimp[4];
    if (d0 == dw || !(width > least_softness)) return S(0.5 * (d0 + dw));
    const S way = abs(r) * S(1 / width), x = select(way < S(1), way, S(1));
    S y = x;
    if (power == 2) {
      const S left = S(1) - x;
      y = select(S(mid) < x, S(1) - left * left * S(1 / (1 - mid)), x * x * S(1 / mid));
    } else if (power != 1) {
      const S left = S(1) - x;
      y = select(S(mid) < x, S(1) - raised(left, power) * S(1 / raised(1 - mid, power - 1)),
                 raised(x, power) * S(1 / raised(mid, power - 1)));
    }
    return mul_add(y, S(dw - d0), S(d0));
  }

  /// Stiffness k [1/s^2] and damping b [1/s] of a row. Time constants below two steps are taken as two.
  struct Gains {
    double k, b;
  };
  TANDEM_HD static Gains gains(const double (&solref)[2], const double (&solimp)[5], double h) {
    const double dw = clamped(solimp[1]), shortest = 2 * h, ratio = solref[1];
    if (!(solref[0] > 0 && ratio > 0)) return {-solref[0] / (dw * dw), -ratio / dw};
    const double time = solref[0] < shortest ? shortest : solref[0];
    return {1 / (dw * dw * time * time * ratio * ratio), 2 / (dw * time)};
  }

  /// R = (1 - d) / d A: how soft a row is that feels the mobility A, 1/kg | 1/(kg m^2).
  template <class S>
  TANDEM_HD static S softness(const S& d, double mobility) {
    const S R = (S(1) - d) / d * S(mobility), least(least_softness);
    return select(R < least, least, R);
  }

  /// A row that pushes while r, distance less margin, is below 0; v is how fast r changes. `times` makes R that of a
  /// pyramid's
  /// edge.
  template <class S>
  TANDEM_HD static RowNumbers<S> bound(const LawOptions& options, const Softness& of, const S& r, const S& v,
                                       double mobility, double times = 1) {
    if (options.law == RowLaw::stop) {
      const auto rates = JointStops::rates(S(options.h));
      const S permitted = -r * select(r < S(0), rates.beyond, rates.before);
      return {S(options.hardness / (times * mobility)), (permitted - v) * S(1 / options.h)};
    }
    return servo(options, of, impedance(of.solimp, r), r, v, mobility, times);
  }

  /// A row that holds r at 0 from both sides; `distance` is that of all rows of its constraint together, which says how
  /// stiff they are.
  template <class S>
  TANDEM_HD static RowNumbers<S> held(const LawOptions& options, const Softness& of, const S& distance, const S& r,
                                      const S& v, double mobility) {
    if (options.law == RowLaw::stop)
      return {S(options.hardness / mobility),
              -(mul_add(r, JointStops::rates(S(options.h)).beyond, v)) * S(1 / options.h)};
    return servo(options, of, impedance(of.solimp, distance), r, v, mobility);
  }

  /// s = 1 + h b + h^2 k d: how much softer a row is for the state at the beginning of the step than for that at its
  /// end.
  template <class S>
  TANDEM_HD static S stiffening(const LawOptions& options, const Gains& g, const S& d) {
    return mul_add(S(options.h * options.h * g.k), d, S(1 + options.h * g.b));
  }

  /// The reference of a row that brakes v and has no position to hold: friction of a joint, or of a contact.
  template <class S>
  TANDEM_HD static S braked(const LawOptions& options, const double (&solref)[2], const double (&solimp)[5],
                            const S& v) {
    const double h = options.h;
    if (options.law == RowLaw::stop) return S(-1 / h) * v;
    const double b = gains(solref, solimp, h).b;
    return S(options.law == RowLaw::servo ? -b : -b / (1 + h * b)) * v;
  }

  /// Friction of a joint.
  template <class S>
  TANDEM_HD static RowNumbers<S> friction(const LawOptions& options, const Softness& of, const S& v, double mobility) {
    const S reference = braked(options, of.solref, of.solimp, v);
    if (options.law == RowLaw::stop) return {S(options.hardness / mobility), reference};
    const S D = S(1) / softness(impedance(of.solimp, S(0)), mobility);
    if (options.law == RowLaw::servo) return {D, reference};
    return {S(1 + options.h * gains(of.solref, of.solimp, options.h).b) * D, reference};
  }

 private:
  /// A spring and a damper at the impedance d.
  template <class S>
  TANDEM_HD static RowNumbers<S> servo(const LawOptions& options, const Softness& of, const S& d, const S& r,
                                       const S& v, double mobility, double times = 1) {
    const S h(options.h), D = S(1) / (S(times) * softness(d, mobility));
    const Gains g = gains(of.solref, of.solimp, options.h);
    const S kd = S(g.k) * d, b(g.b);
    if (options.law == RowLaw::servo) return {D, -sum_of_products(b, v, kd, r)};
    const S s = stiffening(options, g, d);
    return {s * D, -sum_of_products(b, v, kd, mul_add(h, v, r)) / s};
  }

  /// x^power of x in [0, 1]: by the mathematics library, lane by lane, as hardly any model has a power but 1 and 2.
  TANDEM_HD static double raised(double x, double power) { return std::pow(x, power); }
  TANDEM_HD static float raised(float x, double power) { return static_cast<float>(std::pow(double(x), power)); }
  template <class S>
  TANDEM_HD static S raised(const S& x, double power) {
    return lane_by_lane(x, [&](auto lane) TANDEM_INLINE { return raised(lane, power); });
  }
};

}  // namespace tandem::inline TANDEM_ISA
