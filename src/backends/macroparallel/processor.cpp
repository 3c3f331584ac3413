// SPDX-License-Identifier: Apache-2.0
/// Stages I to V of [Pond] Table 3.2 for a run of bodies, and J-PPCG(2) of Table 3.1 among them.
#include "processor.hpp"

#include <chrono>
#include <cmath>
#include <vector>

#include "tandem/detail/papers/constraint_force.hpp"

namespace tandem::macroparallel {
namespace {

using Clock = std::chrono::steady_clock;

/// m unknowns a joint. Symbols are those of constraint_system.hpp.
template <int m>
struct Body {
  using Unknowns = Matrix<double, m, 1>;
  using Block = Matrix<double, m, m>;

  Transform<double> X;
  JointUnknowns<double> u;
  Force<double> wrench;       ///< S tau
  Force<double> wrench_next;  ///< X_next^T S_next tau_next
  Force<double> K_next[m];    ///< columns of X_next^T P_next
  Motion<double> v, c, free;  ///< free: acceleration but for the constraints
  Motion<double> r, pushed;   ///< pushed: what the constraints add to it
  BodyMobility<double> J;
  Block D, L, U;     ///< L: of Cholesky; U: coupling to the next joint
  double d[2] = {};  ///< what the body adds to the sums: (p, A p), (z, r)
  Unknowns f, R, residual, p, Ap, y, z;
};

template <int m>
class Bodies final : public Processor {
 public:
  Bodies(const ModelView<double>& model, int first, int end, Index chain)
      : model_(model), first_(first), chain_(chain), bodies_(static_cast<std::size_t>(end - first)) {
    for (B& b : bodies_) b.f = Unknowns::zero();
  }

  MacroparallelReport run(Row& row, const MacroparallelOptions& options, const StateHere& state) override {
    MacroparallelReport report;
    Talk talk(row);
    const auto began = Clock::now();
    auto before = began;
    int stage = 0;
    const auto done = [&] {
      const auto now = Clock::now();
      report.stage[static_cast<std::size_t>(stage++)] = std::chrono::duration<double>(now - before).count();
      before = now;
    };
    place(talk, state);
    done();
    find_velocities(talk, state, options.left_out != LeftOut::velocities);
    done();
    assemble(talk, state);
    iterate(talk, options, report);
    done();
    move(talk);
    done();
    find_joint_accelerations(talk, state);
    done();
    report.seconds = std::chrono::duration<double>(before - began).count();
    report.messages = static_cast<double>(talk.messages);
    return report;
  }

 private:
  using B = Body<m>;
  using Unknowns = typename B::Unknowns;
  using Block = typename B::Block;

  int link(std::size_t k) const { return first_ + static_cast<int>(k); }
  bool is_tip(const Talk& talk, std::size_t k) const { return k + 1 == bodies_.size() && !talk.row.has(Side::tip); }

  /// I: where the joints are. What a body has to know of the joint behind it comes from there.
  void place(Talk& talk, const StateHere& s) {
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      B& b = bodies_[k];
      const int i = link(k);
      on_joint_at<double>(model_, i, s.q, [&](auto joint) {
        b.X = joint_transform<double>(joint, model_, i, s.q);
        double own[decltype(joint)::nv];
        for (int j = 0; j < decltype(joint)::nv; ++j) own[j] = s.tau[model_.v_index[i] + j];
        b.wrench = joint.wrench(own);
      });
      b.u = JointUnknowns<double>::of(model_, i, s.q, static_cast<const double*>(nullptr));
      if (k > 0) tell_of(b, bodies_[k - 1].wrench_next, bodies_[k - 1].K_next);
    }
    double out[longest_message], in[longest_message] = {};
    Force<double> wrench, K[m];
    tell_of(bodies_.front(), wrench, K);
    store(&out[0], 0, wrench);
    for (int j = 0; j < m; ++j) store(&out[0], 6 + 6 * j, K[j]);
    talk.shift(Side::base, out, in, 6 + 6 * m);
    B& last = bodies_.back();
    last.wrench_next = load<Force<double>>(in, 0);
    for (int j = 0; j < m; ++j) last.K_next[j] = load<Force<double>>(in, 6 + 6 * j);
  }
  static void tell_of(const B& b, Force<double>& wrench, Force<double>* K) {
    wrench = transpose_mul(b.X, b.wrench);
    for (int j = 0; j < m; ++j) {
      Unknowns one = Unknowns::zero();
      one.e[j][0] = 1;
      K[j] = transpose_mul(b.X, b.u.template spread<m>(one));
    }
  }

  /// II: (3.9), from the base to the tip, one after the other.
  void find_velocities(Talk& talk, const StateHere& s, bool recursively) {
    double numbers[6] = {};
    if (recursively && talk.row.has(Side::base)) talk.row.receive(Side::base, numbers, 6);
    auto v = load<Motion<double>>(numbers, 0);
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      B& b = bodies_[k];
      const int i = link(k);
      on_joint_at<double>(model_, i, s.q, [&](auto joint) {
        const auto v_J = joint_motion<double>(joint, model_, i, s.v);
        if (recursively) v = b.X * v + v_J;
        b.v = v;
        b.c = Motion<double>::zero() + velocity_product(v, v_J);
      });
    }
    if (!recursively || !talk.row.has(Side::tip)) return;
    store(&numbers[0], 0, v);
    talk.send(Side::tip, numbers, 6);
  }

  /// III (i): the blocks of A, and b of (3.7).
  void assemble(Talk& talk, const StateHere& s) {
    double out[longest_message], in[longest_message] = {};
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      B& b = bodies_[k];
      const int i = link(k);
      const auto inertia = link_inertia<double>(model_, i);
      b.J = inverse(inertia);
      auto g = b.wrench - cross(b.v, inertia * b.v);
      if (s.f_ext) g = g + external_force<double>(model_, i, s.f_ext);
      if (!is_tip(talk, k)) {
        g = g - b.wrench_next;
        for (int j = 0; j < m; ++j) {
          const Unknowns column = b.u.template pick<m>(b.J * b.K_next[j]);
          for (int row = 0; row < m; ++row) b.U.e[row][j] = -column.e[row][0];
        }
      }
      b.free = b.J * g;
    }
    store(&out[0], 0, bodies_.back().free);
    store(&out[0], 6, bodies_.back().U);
    talk.shift(Side::tip, out, in, 6 + m * m);
    auto free_before = talk.row.has(Side::base) ? load<Motion<double>>(in, 0) : base_acceleration<double>(model_);
    U_before_ = load<Block>(in, 6);
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      B& b = bodies_[k];
      b.r = b.X * free_before + b.c - b.free;
      free_before = b.free;
      b.R = b.u.template pick<m>(b.r);
      const auto P = b.u.basis.moving(transpose(b.u.basis.moving(matrix6(b.J) + matrix6(mobility_before(talk, k)))));
      for (int row = 0; row < m; ++row)
        for (int column = 0; column < m; ++column)
          b.D.e[row][column] = b.u.weight[row] * b.u.weight[column] * P.e[b.u.axis[row]][b.u.axis[column]] +
                               (row == column && row >= b.u.held ? 1 : 0);
      b.L = cholesky(b.D).L;
    }
  }
  /// Of the link before, seen from link k; nothing moves the base.
  BodyMobility<double> mobility_before(const Talk& talk, std::size_t k) const {
    const B& b = bodies_[k];
    if (k > 0) return seen_from(b.X, bodies_[k - 1].J);
    if (!talk.row.has(Side::base)) return BodyMobility<double>::zero();
    return seen_from(b.X, inverse(link_inertia<double>(model_, first_ - 1)));
  }

  /// Row k of A x, x being what `of` picks of a body, or what came from the neighbours.
  Unknowns times(const Talk& talk, std::size_t k, Unknowns B::* of, const Unknowns& before,
                 const Unknowns& behind) const {
    const B& b = bodies_[k];
    auto Ax = b.D * (b.*of);
    if (k > 0)
      Ax = Ax + transpose_mul(bodies_[k - 1].U, bodies_[k - 1].*of);
    else if (talk.row.has(Side::base))
      Ax = Ax + transpose_mul(U_before_, before);
    if (!is_tip(talk, k)) Ax = Ax + b.U * (k + 1 < bodies_.size() ? bodies_[k + 1].*of : behind);
    return Ax;
  }
  static Unknowns D_inverse(const B& b, const Unknowns& x) { return Cholesky<double, m>{b.L}.solve(x); }
  static Unknowns scaled(Unknowns x, double factor) {
    for (int k = 0; k < m; ++k) x.e[k][0] *= factor;
    return x;
  }
  static double dot(const Unknowns& a, const Unknowns& b) { return column_dots(a, b).e[0][0]; }

  /// The ends' numbers to the neighbours, theirs into `before` and `behind`.
  void exchange(Talk& talk, Unknowns B::* of, Unknowns& before, Unknowns& behind) const {
    talk.exchange(&(bodies_.front().*of).e[0][0], &(bodies_.back().*of).e[0][0], &before.e[0][0], &behind.e[0][0], m);
  }

  /// III (ii): J-PPCG(2).
  void iterate(Talk& talk, const MacroparallelOptions& o, MacroparallelReport& report) {
    const double wanted = o.tolerance > 0 ? o.tolerance : 1e-12, tolerance = wanted * wanted;
    const Index most = std::min<Index>(4 * m * chain_ + 100, 10000);
    const Index limit = o.fixed_iterations > 0 ? o.fixed_iterations : o.max_iterations > 0 ? o.max_iterations : most;
    const bool tests = o.fixed_iterations == 0, freezes = o.freezing != Freezing::none && tests,
               keeps = o.freezing == Freezing::values, sums = o.left_out != LeftOut::sums;
    Unknowns p_before = Unknowns::zero(), p_behind = p_before, y_before = p_before, y_behind = p_before;
    FreezingSums<2> freezing(talk, keeps);
    bool stopped = false;
    // of all bodies: what each has put into d[kind], and another number
    const auto sum = [&](int kind, double other) {
      std::array<double, 2> numbers = {0, other};
      if (sums)
        for (const B& b : bodies_) numbers[0] += b.d[kind];
      else
        numbers[0] = bodies_.back().d[kind];
      if (freezes) stopped = !freezing.sum(kind, numbers, stopped_here_);
      if (freezes && !keeps) {
        if (!talk.takes_part(Side::base)) p_before = y_before = Unknowns::zero();
        if (!talk.takes_part(Side::tip)) p_behind = y_behind = Unknowns::zero();
      }
      if (!freezes && sums) talk.sum<2>(numbers);
      return numbers;
    };
    const auto precondition = [&] {
      exchange(talk, &B::y, y_before, y_behind);
      for (std::size_t k = 0; k < bodies_.size(); ++k) {
        B& b = bodies_[k];
        b.z = b.y + b.y - D_inverse(b, times(talk, k, &B::y, y_before, y_behind));
        b.d[1] = dot(b.z, b.residual);
      }
    };
    stopped_here_ = false;
    for (B& b : bodies_) {
      if (!o.from_last || !std::isfinite(dot(b.f, b.f))) b.f = Unknowns::zero();
      b.residual = b.R;
      b.y = D_inverse(b, b.R);
    }
    precondition();
    const double size = sum(1, 0)[0];
    double now = size;
    if (o.from_last) {
      Unknowns f_before = Unknowns::zero(), f_behind = f_before;
      exchange(talk, &B::f, f_before, f_behind);
      for (std::size_t k = 0; k < bodies_.size(); ++k)
        bodies_[k].residual = bodies_[k].R - times(talk, k, &B::f, f_before, f_behind);
      for (B& b : bodies_) b.y = D_inverse(b, b.residual);
      precondition();
      now = sum(1, 0)[0];
    }
    for (B& b : bodies_) b.p = b.z;
    report.converged = false;
    for (report.iterations = 0; report.iterations < limit; ++report.iterations) {
      if (tests && now <= tolerance * size && report.iterations == 0) {
        report.converged = true;  // the first guess is the solution
        return;
      }
      exchange(talk, &B::p, p_before, p_behind);
      if (!stopped_here_)
        for (std::size_t k = 0; k < bodies_.size(); ++k) {
          B& b = bodies_[k];
          b.Ap = times(talk, k, &B::p, p_before, p_behind);
          b.d[0] = dot(b.p, b.Ap);
        }
      const double power = sum(0, 0)[0];
      if (stopped) break;
      const double alpha = power == 0 ? 0 : now / power;
      double moving = 0;
      if (!stopped_here_) {
        for (B& b : bodies_) {
          const auto step = scaled(b.p, alpha);
          b.f = b.f + step;
          if (dot(step, step) > tolerance * dot(b.f, b.f)) ++moving;
        }
        stopped_here_ = freezes && moving == 0;
        if (stopped_here_ && !keeps)
          for (B& b : bodies_) {
            b.p = b.y = Unknowns::zero();
            b.d[0] = b.d[1] = 0;
          }
      }
      if (stopped_here_) {  // one that has converged says what it said last
        exchange(talk, &B::y, y_before, y_behind);
      } else {
        for (B& b : bodies_) {
          b.residual = b.residual - scaled(b.Ap, alpha);
          b.y = D_inverse(b, b.residual);
        }
        precondition();
      }
      const auto [next, moving_all] = sum(1, moving);
      if (stopped) {
        ++report.iterations;
        break;
      }
      const double beta = now == 0 ? 0 : next / now;
      now = next;
      if (tests && !freezes && moving_all == 0 && next <= tolerance * size) {
        ++report.iterations;
        report.converged = true;
        return;
      }
      if (!stopped_here_)
        for (B& b : bodies_) b.p = b.z + scaled(b.p, beta);
    }
    report.converged = stopped || !tests;
  }

  /// IV: what the constraints add to the acceleration of every body.
  void move(Talk& talk) {
    Unknowns behind = Unknowns::zero();
    talk.shift(Side::base, &bodies_.front().f.e[0][0], &behind.e[0][0], m);
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      B& b = bodies_[k];
      auto f = b.u.template spread<m>(b.f);
      if (!is_tip(talk, k)) {
        const Unknowns& next = k + 1 < bodies_.size() ? bodies_[k + 1].f : behind;
        for (int j = 0; j < m; ++j) f = f - next.e[j][0] * b.K_next[j];
      }
      b.pushed = b.J * f;
    }
  }

  /// V: (3.12).
  void find_joint_accelerations(Talk& talk, const StateHere& s) {
    double out[6], in[6] = {};
    store(&out[0], 0, bodies_.back().pushed);
    talk.shift(Side::tip, out, in, 6);
    auto before = load<Motion<double>>(in, 0);
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const B& b = bodies_[k];
      const int i = link(k);
      const auto opened = b.u.basis.moving(vector6(b.pushed - b.X * before - b.r));
      for (int j = b.u.held; j < 6; ++j) s.a[model_.v_index[i] + j - b.u.held] = opened.e[b.u.axis[j]][0];
      if constexpr (m == 6) ConstraintSystem<6>::prefer_rotors(model_, i, b.u, b.J, mobility_before(talk, k), b.f, s.a);
      before = b.pushed;
    }
  }

  const ModelView<double> model_;
  int first_;
  Index chain_;
  std::vector<B> bodies_;
  Block U_before_;
  bool stopped_here_ = false;
};

}  // namespace

std::unique_ptr<Processor> processor_for(const ModelView<double>& model, int first, int end, Index bodies,
                                         int unknowns) {
  switch (unknowns) {
    case 3: return std::make_unique<Bodies<3>>(model, first, end, bodies);
    case 5: return std::make_unique<Bodies<5>>(model, first, end, bodies);
    default: return std::make_unique<Bodies<6>>(model, first, end, bodies);
  }
}

}  // namespace tandem::macroparallel
