// SPDX-License-Identifier: Apache-2.0
/// Products of a step's derivatives with weights, against the step on dual numbers; along increments, against those and
/// against differences of a step with more digits.
#include "scalars/stepped_case.hpp"

namespace tandem::test {
namespace {

TEST(StepProducts, AreTheRateOnDualNumbers) {
  for (const std::string& name : robots_for_scalars()) {
    const Model& model = case_named(name).model;
    if (model.nv() == 0 || model.n_loops() > 0) continue;
    for (const Integrator integrator : every_integrator)
      for (const bool controlled : {false, true})
        for (const Switch effort_limits : {Switch::off, Switch::on}) {
          SCOPED_TRACE(name + ", " + to_string(integrator) + (controlled ? ", controlled" : ""));
          const SteppedCase x(model, stepping(integrator, Switch::off, effort_limits), controlled, !controlled);
          double size = 0;
          const double along = x.along(x.vjp(), size);
          EXPECT_NEAR(along, x.rate(), tolerance<double>(32, x.condition_of_step(), size));
        }
  }
}

/// Calls f(case, tolerance's condition) for robots that come to their stops and press against them, with each
/// integrator.
template <class F>
int at_stops(F&& f) {
  int robots = 0;
  for (const char* const name : {"arm7", "humanoid", "quadruped"}) {
    const Model model = load(name);
    for (const Integrator integrator : every_integrator)
      for (const bool controlled : {false, true}) {
        SCOPED_TRACE(std::string(name) + ", " + to_string(integrator) + (controlled ? ", controlled" : ""));
        SteppedCase x(model, stepping(integrator, Switch::on, Switch::off), controlled, true);
        if (integrator == Integrator::implicit_midpoint) x.dt = 2.5e-4;  // else it does not converge
        // a third of the joints that have limits come to them too fast, another lies beyond them
        const auto& m = model.view<double>();
        int turn = 0;
        for_each_limited_row(m, [&](int iq, int iv) {
          const auto row = static_cast<std::size_t>(iq);
          if (!std::isfinite(m.q_upper[iq]) || ++turn % 3 == 0) return;
          x.q[row] = m.q_upper[iq] + (turn % 3 == 1 ? -1e-3 : 1e-3);
          x.v[static_cast<std::size_t>(iv)] = turn % 3 == 1 ? 2 : 0.01;
        });
        for (const bool again : {false, true}) {  // stops that are met, then stops that are held
          SCOPED_TRACE(again);
          const Columns<double> found = x.vjp();
          f(x, found);
          double pressing = 0;
          x.q = found[12];
          x.v = found[13];
          x.stops = found[21];
          for (std::size_t k = 2; k < x.stops.size(); k += 3) pressing += std::abs(x.stops[k]);
          robots += pressing > 0;
        }
      }
  }
  return robots;
}

TEST(StepProducts, OfARobotAtItsStopsAreTheRateOnDualNumbers) {
  const int robots = at_stops([](const SteppedCase& x, const Columns<double>& found) {
    double size = 0;
    const double along = x.along(found, size);
    EXPECT_NEAR(along, x.rate(), tolerance<double>(32, x.condition_of_step() * JointStops::hardness, size));
  });
  EXPECT_EQ(robots, 35);
}

/// <w, J x> = <J^T w, x>
void expect_transposed(const SteppedCase& x, const Columns<double>& vjp, double condition) {
  double size = 0;
  const double back = x.along(vjp, size), ahead = x.weighted(x.jvp(), size);
  EXPECT_NEAR(ahead, back, tolerance<double>(32, condition, size));
}

TEST(StepIncrements, AreTheTransposeOfTheWayBack) {
  for (const std::string& name : robots_for_scalars()) {
    const Model& model = case_named(name).model;
    if (model.nv() == 0 || model.n_loops() > 0) continue;
    for (const Integrator integrator : every_integrator)
      for (const bool controlled : {false, true})
        for (const Switch effort_limits : {Switch::off, Switch::on}) {
          SCOPED_TRACE(name + ", " + to_string(integrator) + (controlled ? ", controlled" : ""));
          const SteppedCase x(model, stepping(integrator, Switch::off, effort_limits), controlled, !controlled);
          expect_transposed(x, x.vjp(), x.condition_of_step());
        }
  }
}

TEST(StepIncrements, OfARobotAtItsStopsAreTheTransposeOfTheWayBack) {
  at_stops([](const SteppedCase& x, const Columns<double>& found) {
    expect_transposed(x, found, x.condition_of_step() * JointStops::hardness);
  });
}

TEST(StepIncrements, OfLongStepsThatIterateHaveCome) {
  // an iteration brings a digit: rates lag behind the values. Both ways go on from the same step, however that is
  // rounded
  const Model model = load("arm7");
  SteppedCase x(model, stepping(Integrator::implicit_midpoint, Switch::off, Switch::off), false, false);
  for (double& each : x.v) each *= 3;
  x.dt = 0.04;
  expect_transposed(x, x.vjp(), 1);
}

TEST(StepIncrements, AreDifferencesOfMoreDigits) {
  for (const std::string& name : robots_for_scalars()) {
    const Model& model = case_named(name).model;
    if (model.nv() == 0 || model.n_loops() > 0) continue;
    for (const Integrator integrator : every_integrator)
      for (const bool controlled : {false, true}) {
        SCOPED_TRACE(name + ", " + to_string(integrator) + (controlled ? ", controlled" : ""));
        const SteppedCase x(model, stepping(integrator, Switch::off, Switch::off), controlled, !controlled);
        const Columns<double> found = x.jvp();
        const auto rates = x.differences(found);
        double size = 0;
        for (const long double each : rates) size = std::max(size, std::abs(static_cast<double>(each)));
        for (std::size_t k = 0; k < x.nv; ++k) {
          EXPECT_NEAR(found[19][k], static_cast<double>(rates[k]), 1e-9 * size);
          EXPECT_NEAR(found[20][k], static_cast<double>(rates[x.nv + k]), 1e-9 * size);
        }
      }
  }
}

TEST(StepProducts, StepAsTheStepDoes) {
  for (const Integrator integrator : every_integrator) {
    const Model model = load("humanoid");
    SteppedCase x(model, stepping(integrator, Switch::on, Switch::on), true, true);
    Columns<double> step = {x.q,
                            x.v,
                            x.tau,
                            {x.dt},
                            x.f_ext,
                            x.target,
                            x.kp,
                            x.kd,
                            x.stops,
                            std::vector<double>(x.nq),
                            std::vector<double>(x.nv),
                            x.stops,
                            {}};
    Options options = x.options;
    options.method = Method::articulated_body;
    run_in_double("step", model, options, step);
    const Columns<double> back = x.vjp(), ahead = x.jvp();
    SCOPED_TRACE(to_string(integrator));
    EXPECT_EQ(back[12], step[9]);
    EXPECT_EQ(back[13], step[10]);
    EXPECT_EQ(ahead[17], step[9]);
    EXPECT_EQ(ahead[18], step[10]);
    EXPECT_EQ(ahead[21], step[11]);
  }
}

TEST(StepIncrements, StepAsTheStepDoesWhereItDoesNotConverge) {
  const Model model = load("arm7");
  SteppedCase x(model, stepping(Integrator::implicit_midpoint, Switch::off, Switch::off), false, false);
  x.options.max_iterations = 2;
  Columns<double> step = {
      x.q, x.v, x.tau, {x.dt}, {}, {}, {}, {}, {}, std::vector<double>(x.nq), std::vector<double>(x.nv), {}, {}};
  Options options = x.options;
  options.method = Method::articulated_body;
  run_in_double("step", model, options, step);
  const Columns<double> ahead = x.jvp();
  EXPECT_EQ(ahead[17], step[9]);
  EXPECT_EQ(ahead[18], step[10]);
}

}  // namespace
}  // namespace tandem::test
