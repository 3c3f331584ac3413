// SPDX-License-Identifier: Apache-2.0
/// Rows of loop joints: two frames on two links that springs and dampers hold together, beside the rows of contacts.
#pragma once
#include "tandem/detail/contact/contact_list.hpp"
#include "tandem/detail/contact/laws.hpp"
#include "tandem/detail/spatial/rates.hpp"
#include "tandem/model/view.hpp"

namespace tandem::inline TANDEM_ISA {

/// The rows of all loop joints, in the workspace. With p_k, Q_k the origin and the orientation of frame k,
///
///     r = p_1 - p_2  along the axes of frame 1,    e = vector part of conj(Q_2) Q_1
///
/// are held at 0 in the directions of the joint, e times `torque_scale` [MuJoCo, Modeling, equality/weld]. With u the
/// angular velocity of frame 1 seen from frame 2, along the axes of frame 1, and e_0 the scalar part,
///
///     e' = (e_0 u + e x u) / 2,    e'' = (e_0 u' + e x u' - |u|^2 e / 2) / 2
///
/// Joints that hold all three directions of r, as `connect` and `weld` do, are pulled at both origins, along axes that
/// do not turn; the others at the origin of frame 2 alone, along axes that turn with frame 1.
template <class S, class Work>
struct LoopRows {
  enum Row { at_1 = 0, at_2 = 21, rates_1 = 42, rates_2 = 51, turn = 60, D = 64, reference = 66, x = 72, along = 78,
             rows = 84 };
  /// Of either link, where its rows begin: a point, the axes of frame 1, and those along which e' is measured.
  enum class On : int { first = at_1, second = at_2 };
  enum Part { point = 0, axes = 3, turns = 12 };
  const LoopList& list;
  Work w;

  TANDEM_HD Work of(int l) const { return w + Index{rows} * l; }
  TANDEM_HD Work of(int l, On on) const { return of(l) + static_cast<int>(on); }
  TANDEM_HD S get(int l, Row first, int j) const { return S(of(l)[first + j]); }
  /// D of row j.
  TANDEM_HD S stiffness(int l, int j) const { return get(l, D, j < 3 ? 0 : 1); }
  /// Calls f(row) for all directions that a joint holds.
  template <class F>
  TANDEM_HD void for_each_held(int l, F&& f) const {
    for (int j = 0; j < 6; ++j)
      if (holds(list.kinds[l].held, j)) f(j);
  }

  /// How the frames of a joint move relative to each other as their links do.
  TANDEM_HD void measure(int l, const Motion<S>& a_1, const Motion<S>& a_2, S (&out)[6]) const {
    const Work one = of(l, On::first), two = of(l, On::second);
    const Vec3<S> v_1 = add_cross(a_1.v, a_1.w, load<Vec3<S>>(one, point)),
                  v_2 = add_cross(a_2.v, a_2.w, load<Vec3<S>>(two, point));
    for (int j = 0; j < 6; ++j) {
      const int axis = axes + 3 * j;  // turns follow axes
      out[j] = dot(load<Vec3<S>>(one, axis), j < 3 ? v_1 : a_1.w) - dot(load<Vec3<S>>(two, axis), j < 3 ? v_2 : a_2.w);
    }
  }
  /// The force of f [6] on a link, about its origin; the other link has the opposite one.
  TANDEM_HD Force<S> force(int l, const S* f, On on) const {
    const Work at = of(l, on);
    auto sum = Force<S>::zero();
    for_each_held(l, [&](int j) TANDEM_INLINE {
      const auto axis = load<Vec3<S>>(at, axes + 3 * j);
      if (j < 3)
        sum.f = mul_add(f[j], axis, sum.f);
      else
        sum.n = mul_add(f[j], axis, sum.n);
    });
    sum.n = add_cross(sum.n, load<Vec3<S>>(at, point), sum.f);
    return sum;
  }
  /// The force of a unit along row j, times the root of D: a column of H.
  TANDEM_HD Force<S> column(int l, int j, On on) const {
    S f[6] = {S(0), S(0), S(0), S(0), S(0), S(0)};
    f[j] = sqrt(stiffness(l, j));
    return force(l, f, on);
  }

  /// Where the frames are, on links that X_1 and X_2 lead to from anything that both are seen from.
  TANDEM_HD void place(int l, const Transform<S>& X_1, const Transform<S>& X_2) const {
    const LoopKind& kind = list.kinds[l];
    const auto F_1 = load<Transform<S>>(kind.frame_1, 0), F_2 = load<Transform<S>>(kind.frame_2, 0);
    const auto one = F_1 * X_1, two = F_2 * X_2;  // to the frames
    const Vec3<S> r = one.E * (one.r - two.r);
    const auto any = quaternion_of(mul_transpose(two.E, one.E));
    const S shorter = S(1) / sqrt(squared_norm(any));
    const Vec3<S> e = {any.x * shorter, any.y * shorter, any.z * shorter};
    const S e_0 = any.w * shorter, scale(kind.torque_scale), half = S(0.5) * scale;
    const Mat3<S> e_x = skew(e);
    const Mat3<S> G = {half * mul_add(e_0, Vec3<S>{S(1), S(0), S(0)}, e_x.row0),
                       half * mul_add(e_0, Vec3<S>{S(0), S(1), S(0)}, e_x.row1),
                       half * mul_add(e_0, Vec3<S>{S(0), S(0), S(1)}, e_x.row2)};
    const auto on_link = [&](On on, const Vec3<S>& p, const Mat3<S>& A) TANDEM_INLINE {
      store(of(l, on), point, p);
      store(of(l, on), axes, A);
      store(of(l, on), turns, G * A);
    };
    on_link(On::first, holds_place(kind) ? F_1.r : X_1.E * (two.r - X_1.r), F_1.E);
    on_link(On::second, F_2.r, mul_transpose(one.E, X_2.E));
    store(of(l), turn, e);
    of(l)[turn + 3] = e_0;
    store(of(l), x, r);
    store(of(l), x + 3, scale * e);
  }

  /// D and references, after place(), of a joint whose frames move with v and whose links have their rates without
  /// accelerations of joints.
  TANDEM_HD void prepare(int l, const LawOptions& options, const S (&v)[6]) const {
    const LoopKind& kind = list.kinds[l];
    const Work row = of(l);
    S bend[6], squared(0);
    bends(l, v, bend);
    for_each_held(l, [&](int j) TANDEM_INLINE { squared = mul_add(get(l, x, j), get(l, x, j), squared); });
    const S distance = sqrt(squared);
    for_each_held(l, [&](int j) TANDEM_INLINE {
      const int part = j < 3 ? 0 : 1;
      const auto numbers = Laws::held(options, kind.softness, distance, get(l, x, j), v[j], kind.mobility[part]);
      row[D + part] = numbers.D;
      row[reference + j] = numbers.reference - bend[j];
    });
  }
  /// x of a joint whose frames accelerate with a.
  TANDEM_HD void begin(int l, const S* a) const {
    for_each_held(l, [&](int j) TANDEM_INLINE {
      of(l)[x + j] = a[j] - get(l, reference, j);
      of(l)[along + j] = S(0);
    });
  }
  /// What pulls in a row, alpha steps ahead.
  TANDEM_HD S pull(int l, int j, const S& alpha) const {
    return -stiffness(l, j) * mul_add(alpha, get(l, along, j), get(l, x, j));
  }

  /// The wrench on the second link, at the origin of frame 2, along the described axes of frame 1; linear first.
  template <class Out>
  TANDEM_HD void report(int l, Out out) const {
    auto f = Vec3<S>::zero(), about = Vec3<S>::zero();
    S* const parts[] = {&f.x, &f.y, &f.z};
    const Work two = of(l, On::second);
    for_each_held(l, [&](int j) TANDEM_INLINE {
      const S pulled = S(0) - pull(l, j, S(0));
      if (j < 3)
        *parts[j] = pulled;
      else
        about = mul_add(pulled, load<Vec3<S>>(two, axes + 3 * j), about);
    });
    const auto turned = load<Mat3<S>>(list.kinds[l].turned, 0);
    store(out, Index{6} * l, transpose_mul(turned, f));
    store(out, Index{6} * l + 3, transpose_mul(turned, load<Mat3<S>>(two, axes) * about));
  }

 private:
  /// Whether a joint holds all three directions of r.
  TANDEM_HD static bool holds_place(const LoopKind& kind) {
    return holds(kind.held, 0) && holds(kind.held, 1) && holds(kind.held, 2);
  }

  /// How the six numbers accelerate while no joint does.
  TANDEM_HD void bends(int l, const S (&v)[6], S (&out)[6]) const {
    const LoopKind& kind = list.kinds[l];
    const Work row = of(l), one = of(l, On::first), two = of(l, On::second);
    const auto i_1 = rates_of(load<CarriedRates<S>>(row, rates_1)), i_2 = rates_of(load<CarriedRates<S>>(row, rates_2));
    const auto A_1 = load<Mat3<S>>(one, axes), A_2 = load<Mat3<S>>(two, axes);
    const Vec3<S> w_1 = A_1 * i_1.angular.w, w_2 = A_2 * i_2.angular.w, u = w_1 - w_2;
    auto r = A_1 * mul_add(i_1.angular.Omega, load<Vec3<S>>(one, point), i_1.a) -
             A_2 * mul_add(i_2.angular.Omega, load<Vec3<S>>(two, point), i_2.a);
    if (!holds_place(kind)) r = r - S(2) * cross(w_1, Vec3<S>{v[0], v[1], v[2]});
    const auto e = load<Vec3<S>>(row, turn);
    const Vec3<S> du = add_cross(A_1 * i_1.angular.dw - A_2 * i_2.angular.dw, w_1, w_2);
    const Vec3<S> bent = mul_add(get(l, turn, 3), du, cross(e, du)) - (S(0.5) * dot(u, u)) * e;
    const S half(0.5 * kind.torque_scale);
    const S all[6] = {r.x, r.y, r.z, half * bent.x, half * bent.y, half * bent.z};
    for (int j = 0; j < 6; ++j) out[j] = all[j];
  }
};

}  // namespace tandem::inline TANDEM_ISA
