// SPDX-License-Identifier: Apache-2.0
/// Laws of many steps through time: a body that nothing holds flies along a parabola, and implicit_midpoint keeps the
/// energy.
#include <cmath>

#include "check/stepped.hpp"
#include "core/at.hpp"
#include "model/principal_axes.hpp"
#include "tandem/detail/problems/step.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::check_detail {
namespace {

constexpr Integrator integrators[] = {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint};

/// A state that goes through steps of length h, alone.
template <class T>
struct Run {
  std::vector<T> q, v;
  Status status = Status::ok;

  void go(const Model& model, Integrator integrator, T h, int steps, Workspace<T>& work) {
    static const Algorithm& algorithm = find_algorithm(Step::name);
    const std::vector<T> nothing(v.size());
    std::vector<Array<T>> arguments;
    for (const Argument& argument : algorithm.arguments) {
      const std::string_view name = argument.name;
      arguments.push_back(name == "q"        ? Array<T>::input(q.data(), 0)
                          : name == "v"      ? Array<T>::input(v.data(), 0)
                          : name == "tau"    ? Array<T>::input(nothing.data(), 0)
                          : name == "dt"     ? Array<T>::input(&h, 0)
                          : name == "q_next" ? Array<T>::output(q.data(), 0)
                          : name == "v_next" ? Array<T>::output(v.data(), 0)
                                             : Array<T>());
    }
    Options options;
    options.integrator = integrator;
    options.steps = steps;
    options.limits = options.losses = Switch::off;
    evaluate<T>(algorithm, model, arguments, Batch<T>(1, 1, {&status, 1}), work, options);
  }
};

/// The robot as one rigid body about its centre of mass, from the first rows of the mass matrix of its floating base.
LinkDescription as_one_body(const Model& model, const Numbers& M) {
  const std::size_t n = at(model.nv());
  const double* const rotor = model.view<double>().armature;
  const auto of = [&](std::size_t i, std::size_t k) { return M[i * n + k] - (i == k ? rotor[i] : 0); };
  const double m = of(0, 0), x = of(1, 5) / m, y = of(2, 3) / m, z = of(0, 4) / m;
  LinkDescription body = {.name = "body", .mass = m};
  body.inertia = {of(3, 3) - m * (y * y + z * z), of(3, 4) + m * x * y, of(3, 5) + m * x * z,
                  of(4, 4) - m * (x * x + z * z), of(4, 5) + m * y * z, of(5, 5) - m * (x * x + y * y)};
  return body;
}

/// While it spins, the slower the more its moments of inertia differ, as Euler's equations are stepped explicitly: each
/// integrator has its parabola in closed form.
template <class T>
void flies_along_a_parabola(State<T>& s, CheckVerdict& verdict) {
  constexpr int steps = 1000;
  constexpr double h = 0x1p-10, fastest = 5;  // s, rad/s
  if (!s.matrices) return verdict.add_note("matrices are not computed");
  if (!s.subject.unphysical.empty()) return verdict.add_note("links have unphysical inertias");
  const LinkDescription link = as_one_body(s.model(), s.matrices->M);
  const auto moments = model_detail::principal_axes(link.inertia).moments;
  if (!(moments[0] > 1e-6 * moments[2])) return verdict.add_note("its mass is on a line");
  JointDescription free = {.name = "free", .type = JointType::free, .parent = "base", .child = link.name};
  const Model body =
      ModelBuilder("body").link({.name = "base"}).link(link).joint(free).gravity(s.model().gravity()).build();
  const double spin = fastest * moments[0] / moments[2];
  const double turn = std::hypot(s.v[3], s.v[4], s.v[5]), t = steps * h;
  const auto& g = s.model().gravity();
  for (const Integrator integrator : integrators) {
    Run<T> run = {.q = {T(0), T(0), T(0), T(0), T(0), T(0), T(1)},
                  .v = std::vector<T>(s.v_T.begin(), s.v_T.begin() + 6)};
    if (turn > 0)
      for (std::size_t k = 3; k < 6; ++k) run.v[k] = static_cast<T>(s.v[k] / turn * spin);
    const Numbers start = converted<double>(run.v);
    run.go(body, integrator, T(h), steps, s.work);
    if (run.status == Status::not_converged) {
      verdict.add_note("some steps by implicit_midpoint do not converge");
      continue;
    }
    const double late = integrator == Integrator::semi_implicit_euler ? h : 0;
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) size += std::abs(start[k]) * t + std::abs(g[k]) * t * t;
    for (std::size_t k = 0; k < 3; ++k)
      verdict.compare(double{run.q[k]}, start[k] * t + g[k] * t * (t + late) / 2, s.unit * steps * size);
  }
}

/// Of a robot without losses, in steps that are short for its motion.
template <class T>
void midpoint_keeps_the_energy(State<T>& s, CheckVerdict& verdict) {
  constexpr int steps = 50;
  if (!s.subject.springs_have_potential) return verdict.add_note("springs on a free or planar joint have no potential");
  const Stepped<T> x(s, Integrator::implicit_midpoint, false);
  Run<T> run = {.q = x.q, .v = x.v};
  T kinetic, potential, kinetic_then, potential_then;
  energy<T>(s.model(), run.q, run.v, kinetic, potential, s.work);
  run.go(s.model(), Integrator::implicit_midpoint, x.h, steps, s.work);
  if (run.status == Status::not_converged) return verdict.add_note("some steps by implicit_midpoint do not converge");
  energy<T>(s.model(), run.q, run.v, kinetic_then, potential_then, s.work);
  const double size = std::abs(double{kinetic}) + std::abs(double{potential}) + std::abs(double{kinetic_then}) +
                      std::abs(double{potential_then});
  verdict.compare(double{kinetic_then} + double{potential_then}, double{kinetic} + double{potential},
                  s.unit * steps * size);
}

}  // namespace

template <class T>
std::vector<Property<T>> long_run_properties() {
  return {
      {"a rigid floating robot flies along a parabola", Needs::floating_base, flies_along_a_parabola<T>},
      {"implicit_midpoint conserves energy", Needs::invertible, midpoint_keeps_the_energy<T>},
  };
}

template std::vector<Property<double>> long_run_properties();
template std::vector<Property<float>> long_run_properties();

}  // namespace tandem::check_detail
