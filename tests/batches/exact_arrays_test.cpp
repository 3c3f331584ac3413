// SPDX-License-Identifier: Apache-2.0
/// Drivers that work on parts of a batch: every array of a call lies alone in memory of exactly its size, so that
/// AddressSanitizer sees an access beyond its ends, and robots that are equal have equal rows wherever they are in the
/// batch.
#include <cstring>
#include <memory>
#include <optional>

#include "support/many.hpp"
#include "support/property.hpp"
#include "support/robots.hpp"
#include "tandem/api/inverse_kinematics.hpp"
#include "tandem/api/rollout_gradient.hpp"
#include "tandem/api/simulation.hpp"

namespace tandem::test {
namespace {

/// Rows of n robots in an allocation of their own.
template <class T>
class RowsAlone {
 public:
  RowsAlone(Index n, Index rows) : n_(n), rows_(rows), numbers_(new T[static_cast<std::size_t>(n * rows)]) {
    std::fill_n(numbers_.get(), n * rows, T(-7));
  }
  /// The same numbers for every robot.
  RowsAlone(Index n, const Vector& of_each) : RowsAlone(n, of_each.size()) {
    for (Index k = 0; k < n_ * rows_; ++k) numbers_[static_cast<std::size_t>(k)] = static_cast<T>(of_each[k % rows_]);
  }
  Array<T> array() { return {numbers_.get(), rows_, 1}; }
  std::span<T> span() { return {numbers_.get(), static_cast<std::size_t>(n_ * rows_)}; }
  /// Rows of every step: the robots' rows are those of all steps, one behind the other.
  Series<T> series(Index steps) { return {numbers_.get(), rows_, rows_ / steps, 1}; }
  const T* of(Index robot) const { return numbers_.get() + robot * rows_; }

  /// Whether all robots have the bits of the first of another batch.
  bool equal(const RowsAlone& other) const {
    for (Index b = 0; b < n_; ++b)
      if (std::memcmp(of(b), other.of(0), static_cast<std::size_t>(rows_) * sizeof(T)) != 0) return false;
    return true;
  }

 private:
  Index n_, rows_;
  std::unique_ptr<T[]> numbers_;
};

/// Numbers of robots: within a pack, and more than packs hold.
std::vector<Index> sizes() { return sanitized ? std::vector<Index>{2, 9} : std::vector<Index>{1, 2, 7, 64, 300}; }

Vector to_vector(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size()));
}

/// A parameter of the model that differs from robot to robot, in an allocation of its own.
template <class T>
struct Varied {
  explicit Varied(const Model& model, Index n)
      : masses(n, to_vector(parameter_values(model, Parameter::mass))),
        damping(n, to_vector(parameter_values(model, Parameter::damping))),
        list{{Parameter::mass, masses.array()}, {Parameter::damping, damping.array()}} {}
  RowsAlone<T> masses, damping;
  std::vector<BatchedParameter<T>> list;
};

template <class T>
class ExactArrays : public ::testing::Test {};
TYPED_TEST_SUITE(ExactArrays, Reals);

/// The arguments of one call for n equal robots.
template <class T>
std::vector<RowsAlone<T>> call(const Algorithm& algorithm, const Model& model, const Options& options, Index n,
                               int threads, bool varies) {
  const RandomInputs inputs(model, 3, 1003);
  std::vector<RowsAlone<T>> rows;
  std::vector<Array<T>> arrays;
  for (const Argument& argument : algorithm.arguments) {
    const Index count = shape(argument.rows, model.view<T>()).count();
    const std::string_view name = argument.name;
    if (!is_input(argument)) {
      rows.emplace_back(n, count);
    } else {
      const Vector& from = inputs.of(argument);
      Vector values = name == "stops" ? Vector::Zero(count) : Vector(from.head(count));
      if (name == "dt") values.fill(1e-3);
      if (name == "diagonal" || name == "kp" || name == "kd") values = values.cwiseAbs();
      rows.emplace_back(n, values);
    }
  }
  for (RowsAlone<T>& r : rows) arrays.push_back(r.array());
  const std::unique_ptr<Status[]> status(new Status[static_cast<std::size_t>(n)]);
  Workspace<T> work;
  std::optional<Varied<T>> varied;
  if (varies) varied.emplace(model, n);
  evaluate<T>(
      algorithm, model, arrays,
      Batch<T>(n, threads, {status.get(), static_cast<std::size_t>(n)},
               varied ? std::span<const BatchedParameter<T>>(varied->list) : std::span<const BatchedParameter<T>>()),
      work, options);
  return rows;
}

std::string place_of(const Model& model, Index n, int threads, bool varies) {
  return std::string(model.name()) + ", " + std::to_string(n) + " robots, " + std::to_string(threads) + " threads" +
         (varies ? ", parameters of their own" : "");
}

/// Calls f(number of robots, threads, whether they have parameters of their own).
template <class F>
void for_each_batch(const Model& model, F&& f) {
  for (const Index n : sizes())
    for (const int threads : {1, 3})
      for (const bool varies : {false, true}) {
        SCOPED_TRACE(place_of(model, n, threads, varies));
        if (threads == 1 || n > 7) f(n, threads, varies);
      }
}

TYPED_TEST(ExactArrays, OfEveryFunctionAndMethod) {
  using T = TypeParam;
  for (const Model& model : {case_named("mimic_branches").model, load("rope:9"), load("four_bar")})
    for (const Algorithm& algorithm : algorithms()) {
      std::vector<Options> all = own_options(algorithm, model);
      for (const Method method : methods_of(algorithm)) {
        all.push_back(all.front());
        all.back().method = method;
      }
      for (const Options& options : all) {
        if (refusal(algorithm, model, options)) continue;
        SCOPED_TRACE(std::string(algorithm.name) + ", " + to_string(options.method));
        const bool own = std::count(algorithm.methods.begin(), algorithm.methods.end(), options.method) > 0;
        for_each_batch(model, [&](Index n, int threads, bool varies) {
          if (varies && !own) return;
          const auto one = call<T>(algorithm, model, options, 1, 1, varies),
                     many = call<T>(algorithm, model, options, n, threads, varies);
          for (std::size_t k = 0; k < one.size(); ++k)
            EXPECT_TRUE(many[k].equal(one[k])) << algorithm.arguments[k].name;
        });
      }
    }
}

/// Starts that are at some upper limits already and come to them at once, so that their stops act.
std::vector<double> at_upper_limits(const Model& model) {
  std::vector<double> q = neutral_configuration(model);
  const auto& m = model.view<double>();
  for (int i = 1; i < m.n_links; ++i)
    if (m.mimics[i] == 0 && joint_nv(m.type[i]) == 1 && std::isfinite(m.q_upper[m.q_index[i]]))
      q[static_cast<std::size_t>(m.q_index[i])] = m.q_upper[m.q_index[i]] - (i % 2 == 0 ? 1e-5 : 5e-3);
  return q;
}

/// What robots have come to, one after the other.
template <class T>
std::vector<std::vector<double>> ends(Simulation<T>& s) {
  const auto nq = static_cast<std::size_t>(s.model().nq()), nv = static_cast<std::size_t>(s.model().nv());
  std::vector<std::vector<double>> all;
  for (std::size_t b = 0; b < static_cast<std::size_t>(s.batch()); ++b) {
    const auto of = static_cast<Index>(b);
    all.push_back({s.dissipated(of), s.stopped(of), s.work(of), static_cast<double>(s.steps_of(of))});
    for (const T x : s.q().subspan(b * nq, nq)) all.back().push_back(double{x});
    for (const T x : s.v().subspan(b * nv, nv)) all.back().push_back(double{x});
  }
  return all;
}

/// A simulation of n equal robots that come to their limits, and are driven.
template <class T>
std::vector<std::vector<double>> simulate(const Model& model, SimulationOptions options, bool varies) {
  if (varies)
    options.parameters = {{Parameter::damping, std::vector<double>(static_cast<std::size_t>(model.nv()), 0.1)}};
  Simulation<T> s(model, options);
  const std::vector<double> q = at_upper_limits(model);
  const std::vector<T> of_each(q.begin(), q.end()), speeds(static_cast<std::size_t>(model.nv()), T(0.5));
  if (model.n_loops() == 0) s.reset(of_each, speeds);
  RowsAlone<T> tau(options.batch, Vector::LinSpaced(model.nv(), -0.3, 0.4)),
      f_ext(options.batch, Vector::LinSpaced(6 * Index{model.n_links()}, -0.1, 0.1));
  if (varies)
    for (T& m : s.parameter(Parameter::mass)) m *= T(1.25);
  for (int k = 0; k < 3; ++k) s.step(tau.span(), f_ext.span());
  for (const Index first : {1, 0}) {
    std::vector<Index> some;
    for (Index b = first; b < options.batch; b += 2) some.push_back(b);
    s.step(tau.span(), f_ext.span(), some);
  }
  s.step(tau.span(), f_ext.span());
  return ends(s);
}

/// Methods of forward dynamics that serve the robot.
std::vector<Method> methods_for(const Model& model) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  std::vector<Method> all;
  for (const Method method : methods_of(algorithm))
    if (!refusal(algorithm, model, {.method = method})) all.push_back(method);
  return all;
}

TYPED_TEST(ExactArrays, OfSimulationsOfEveryMethod) {
  using T = TypeParam;
  double stopped = 0;
  for (const char* robot : {"arm6", "four_bar", "rope:9"})
    for (const Integrator integrator :
         {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint})
      for (const bool led : {false, true}) {
        if (sanitized && (sizeof(T) == 4 || led != (integrator == Integrator::rk4))) continue;
        const Model model = load(robot);
        for (const Method method : methods_for(model)) {
          SimulationOptions options = {.dt = 1e-3, .integrator = integrator, .dynamics = {.method = method}};
          if (led)
            options.controller = {neutral_configuration(model),
                                  std::vector<double>(static_cast<std::size_t>(model.nv()), 2.0),
                                  std::vector<double>(static_cast<std::size_t>(model.nv()), 0.1)};
          const Algorithm& forward = find_algorithm("forward_dynamics");
          const bool own = std::count(forward.methods.begin(), forward.methods.end(), method) > 0;
          SCOPED_TRACE(std::string(to_string(method)) + ", " + to_string(integrator) + (led ? ", led" : ""));
          for (const bool varies : {false, true}) {
            if (varies && (!own || method == Method::automatic)) continue;
            const auto one = simulate<T>(model, options, varies).front();
            stopped += std::abs(one[1]);
            for (const Index n : sizes()) {
              options.batch = n;
              options.threads = n > 7 ? 3 : 1;
              SCOPED_TRACE(place_of(model, n, options.threads, varies));
              for (const auto& end : simulate<T>(model, options, varies)) EXPECT_EQ(end, one);
            }
            options.batch = options.threads = 1;
          }
        }
      }
  EXPECT_GT(stopped, 0) << "no stop was met";
}

/// As many as threads share, under sanitizers too.
TYPED_TEST(ExactArrays, OfManySimulations) {
  const Model model = load("arm6");
  for (const Method method : {Method::automatic, Method::scan}) {
    SimulationOptions options = {.dt = 1e-3, .dynamics = {.method = method}};
    const auto one = simulate<TypeParam>(model, options, false).front();
    for (const Index n : {1, 7, 64, 300}) {
      options.batch = n;
      options.threads = 3;
      SCOPED_TRACE(place_of(model, n, options.threads, false));
      for (const auto& end : simulate<TypeParam>(model, options, false)) EXPECT_EQ(end, one);
    }
  }
}

/// The outputs of a rollout of n equal robots and, with `gradient`, those of its gradient.
template <class T>
std::vector<RowsAlone<T>> roll_out(const Model& model, RolloutOptions options, bool led, bool varies, bool gradient,
                                   Index n, int threads) {
  const Index nq = model.nq(), nv = model.nv(), steps = options.steps;
  const Vector neutral = to_vector(neutral_configuration(model)), ones = Vector::Ones(nv);
  RowsAlone<T> q0(n, to_vector(at_upper_limits(model))), v0(n, Vector(0.5 * ones)),
      tau(n, Vector::LinSpaced(steps * nv, -0.3, 0.4)), target(n, neutral.replicate(steps, 1)), kp(n, Vector(2 * ones)),
      kd(n, Vector(0.1 * ones)), wrench(n, Vector::LinSpaced(6, -1, 1)), weights(n, ones), reference(n, neutral),
      pose(n, (Vector(12) << 1, 0, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3).finished()), frame_weights(n, Vector::Ones(6));
  std::vector<RowsAlone<T>> out;
  for (const Index rows : {nq, nv, (steps + 1) * nq, (steps + 1) * nv, Index{1}, 3 * nv}) out.emplace_back(n, rows);
  std::fill(out[5].span().begin(), out[5].span().end(), T(0));
  const Push<T> push = {.link = model.n_links() - 1, .wrench = wrench.array(), .first = 1, .end = 3};
  const FrameCost<T> frame = {.frame = model.n_frames() - 1,
                              .target = {pose.array().data, 12, 0, 1},
                              .weight = frame_weights.array(),
                              .final_weight = frame_weights.array()};
  RolloutArrays<T> arrays;
  arrays.q0 = q0.array();
  arrays.v0 = v0.array();
  arrays.tau = tau.series(steps);
  if (led) {
    arrays.q_target = target.series(steps);
    arrays.kp = kp.array();
    arrays.kd = kd.array();
  }
  arrays.pushes = {&push, 1};
  arrays.costs.q_reference = {reference.array().data, nq, 0, 1};
  arrays.costs.q_weight = arrays.costs.v_weight = arrays.costs.effort_weight = weights.array();
  arrays.costs.frames = {&frame, 1};
  arrays.q = out[0].array();
  arrays.v = out[1].array();
  arrays.q_path = out[2].series(steps + 1);
  arrays.v_path = out[3].series(steps + 1);
  arrays.cost = out[4].array();
  if (!gradient) arrays.stops = out[5].array();
  std::optional<Varied<T>> varied;
  if (varies) varied.emplace(model, n);
  const std::unique_ptr<Status[]> status(new Status[static_cast<std::size_t>(n)]);
  Batch<T> batch(n, threads, {status.get(), static_cast<std::size_t>(n)});
  if (varied) batch.parameters = varied->list;
  Workspace<T> work;
  if (!gradient) {
    rollout<T>(model, arrays, batch, work, options);
    return out;
  }
  for (const Index rows : {nv, nv, steps * nv, nv, nv, Index{model.n_links()}}) out.emplace_back(n, rows);
  const std::vector<BatchedParameter<T>> by = {{Parameter::mass, out[11].array()}};
  RolloutGradientArrays<T> asked;
  asked.by_q0 = out[6].array();
  asked.by_v0 = out[7].array();
  asked.by_tau = out[8].series(steps);
  if (led) {
    asked.by_kp = out[9].array();
    asked.by_kd = out[10].array();
  }
  asked.by_parameters = by;
  asked.checkpoints = 2;
  rollout_gradient<T>(model, arrays, asked, batch, work, options);
  return out;
}

TYPED_TEST(ExactArrays, OfRolloutsAndTheirGradients) {
  using T = TypeParam;
  for (const char* robot : {"arm6", "rope:5", "four_bar"})
    for (const Integrator integrator :
         {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint})
      for (const bool led : {false, true})
        for (const bool gradient : {false, true}) {
          if (sanitized && (sizeof(T) == 4) != (integrator == Integrator::rk4)) continue;
          const Model model = load(robot);
          if (gradient && model.n_loops() > 0) continue;  // refused
          const RolloutOptions options = {.dt = 1e-3, .steps = 3, .integrator = integrator};
          SCOPED_TRACE(std::string(to_string(integrator)) + (led ? ", led" : "") + (gradient ? ", gradient" : ""));
          for_each_batch(model, [&](Index n, int threads, bool varies) {
            const auto one = roll_out<T>(model, options, led, varies, gradient, 1, 1),
                       many = roll_out<T>(model, options, led, varies, gradient, n, threads);
            for (std::size_t k = 0; k < one.size(); ++k) EXPECT_TRUE(many[k].equal(one[k])) << "output " << k;
          });
        }
}

TYPED_TEST(ExactArrays, OfInverseKinematics) {
  using T = TypeParam;
  const Model model = load("arm7");
  const auto search = [&](Index n, int threads) {
    RowsAlone<T> q0(n, Vector::Constant(model.nq(), 0.3)),
        target(n, (Vector(12) << 1, 0, 0, 0.4, 0, 1, 0, 0.1, 0, 0, 1, 0.5).finished()), weights(n, Vector::Ones(6));
    std::vector<RowsAlone<T>> out;
    out.emplace_back(n, model.nq());
    out.emplace_back(n, 1);
    const std::unique_ptr<Status[]> status(new Status[static_cast<std::size_t>(n)]);
    Workspace<T> work;
    inverse_kinematics<T>(model, model.n_frames() - 1,
                          {q0.array(), target.array(), weights.array(), out[0].array(), out[1].array()},
                          Batch<T>(n, threads, {status.get(), static_cast<std::size_t>(n)}), work, {.restarts = 1});
    return out;
  };
  const auto one = search(1, 1);
  for (const Index n : sizes())
    for (const int threads : {1, 3}) {
      const auto many = search(n, threads);
      for (std::size_t k = 0; k < one.size(); ++k) EXPECT_TRUE(many[k].equal(one[k])) << n << " robots, output " << k;
    }
}

}  // namespace
}  // namespace tandem::test
