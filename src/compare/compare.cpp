// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/compare.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string_view>

#include "policy/automatic.hpp"
#include "policy/methods.hpp"
#include "core/text.hpp"
#include "counts.hpp"
#include "papers/schedules/formulation_tasks.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/api/schedule.hpp"
#include "tandem/detail/problems/closed_loop_dynamics.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

constexpr double most_counted = 3e9;            // operations: half a minute
constexpr Index most_matrix_entries = 1 << 28;  // 2 GB in double

/// A part of a state by the name of the argument; empty if there is none.
const std::vector<double>& named(const ComparisonState& s, std::string_view name) {
  static const std::vector<double> none;
  return name == "q"       ? s.q
         : name == "v"     ? s.v
         : name == "a"     ? s.a
         : name == "tau"   ? s.tau
         : name == "f_ext" ? s.f_ext
                           : none;
}

ComparisonState random_state(const Model& model, const ComparisonSettings& settings) {
  ComparisonState s;
  s.q = random_configuration(model, settings.seed);
  if (settings.configuration_near_zero) {  // the tenth part of the way from the neutral configuration
    Workspace<double> work;
    std::vector<double> way(static_cast<std::size_t>(model.nv()));
    const auto neutral = neutral_configuration(model);
    difference<double>(model, neutral, s.q, way, work);
    for (double& x : way) x *= 0.1;
    integrate<double>(model, neutral, way, s.q, work);
  }
  std::mt19937_64 bits(settings.seed);
  const auto draw = [&] { return settings.velocity * (std::ldexp(static_cast<double>(bits() >> 11), -52) - 1); };
  for (auto* x : {&s.v, &s.a, &s.tau})
    for (int k = 0; k < model.nv(); ++k) x->push_back(draw());
  return s;
}

/// The state given, or a random one; in float the numbers that float holds.
ComparisonState state_of(const Model& model, const ComparisonSettings& settings) {
  ComparisonState s = settings.state.q.empty() ? random_state(model, settings) : settings.state;
  const auto wrong = [](const std::vector<double>& x, Index rows) { return static_cast<Index>(x.size()) != rows; };
  const Index nv = model.nv();
  if (wrong(s.q, model.nq()) || wrong(s.v, nv) || wrong(s.a, nv) || wrong(s.tau, nv) ||
      (!s.f_ext.empty() && wrong(s.f_ext, Index{6} * model.n_links())))
    throw Error("compare: the state does not have the sizes of " + model.name());
  if (settings.in_float)
    for (auto* x : {&s.q, &s.v, &s.a, &s.tau, &s.f_ext})
      for (double& y : *x) y = static_cast<double>(static_cast<float>(y));
  return s;
}

/// A method as it chooses itself, then with every other value of the options it reads. A value that is a method of its
/// own has its lines there.
void add_variants(std::vector<MethodResult>& results, const Algorithm& algorithm, const Model& model, bool in_float,
                  Method method) {
  const auto add = [&](const Options& options, const std::string& difference) {
    MethodResult r;
    r.algorithm = algorithm.name;
    r.options = options;
    r.name = to_string(method) + (difference.empty() ? "" : " (" + difference + ")");
    results.push_back(r);
  };
  const Options plain = {.method = method}, usual = chosen(algorithm, model, in_float, plain);
  const std::vector<Method> methods = methods_of(algorithm);
  add(plain, "");
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if constexpr (HasNames<Value>) {
      if (option.is_of_problem() || std::is_same_v<Value, Method> || !(options_of(algorithm, method) & option.bit))
        return;
      for (std::size_t k = 1; k < std::size(NamesOf<Value>::table); ++k) {
        Options options = plain;
        option.get(options) = static_cast<Value>(k);
        const std::string name = NamesOf<Value>::table[k].name;
        const bool is_method = std::ranges::any_of(methods, [&](Method other) { return name == to_string(other); });
        // of kinds of matrices every method has its own
        if (std::is_same_v<Value, Matrices> && refusal(algorithm, model, options)) continue;
        if (!is_method && chosen(algorithm, model, in_float, options) != usual) add(options, name);
      }
    }
  });
}

/// What a paper prints where the method's own choice is another: several options at once, or parts of a length of their
/// own.
struct Printed {
  Options options;
  std::string name;  ///< of the paper's algorithm, and what was left to choose
};
std::vector<Printed> printed_methods(Index links) {
  std::vector<Printed> all = {
      {{.method = Method::constraint_force,
        .solver = Solver::odd_even_elimination,
        .right_hand_side = RightHandSide::bias_torque},
       "CFA as printed"},
      {{.method = Method::scan, .form = Form::body, .chunk = 1, .scan_schedule = ScanSchedule::hillis_steele},
       "slides, hillis_steele"},
      {{.method = Method::scan, .form = Form::body, .chunk = 1, .scan_schedule = ScanSchedule::tree}, "slides, tree"}};
  constexpr Index at_the_tip = 8;
  if (links > at_the_tip)
    all.push_back({{.method = Method::divide_and_conquer, .load_ratio = at_the_tip},
                   sentence("DCA+, ", at_the_tip, " links at the tip")});
  const auto chunks = static_cast<int>(std::min<Index>(8, links / 2));
  if (chunks > 1)
    all.push_back({{.method = Method::divide_and_conquer, .chunks = chunks},
                   sentence("DCAe as printed, ", chunks, " subsystems")});
  return all;
}

/// The printed ones that are not there yet and whose options the method reads.
void add_printed(std::vector<MethodResult>& results, const Algorithm& algorithm, const Model& model, Method method) {
  for (const Printed& printed : printed_methods(model.n_links() - 1)) {
    if (printed.options.method != method || unread_option(options_of(algorithm, method), printed.options)) continue;
    MethodResult r;
    r.algorithm = algorithm.name;
    r.options = printed.options;
    r.name = sentence(to_string(method), " (", printed.name, ")");
    results.push_back(r);
  }
}

/// Flops along the longest path of a formulation's tasks, each of which may have a processor.
std::int64_t longest_path(const Model& model, const Options& options) {
  MachineModel flops;
  flops.name = "flops";
  flops.multiplication = flops.addition = 1;
  const TaskGraph graph = graph_of(TaskList(model, options.method, options), options.method, Count::done);
  return std::llround(critical_path(graph, flops).time);
}

bool is_formulation(Method method) {
  return std::ranges::any_of(formulations(),
                             [&](const Named& row) { return row.name == std::string_view(to_string(method)); });
}

/// Largest error over the largest number; of a matrix, entries over the roots of their diagonal entries.
template <class T>
double error_of(const Algorithm& algorithm, const std::vector<T>& result, const std::vector<double>& reference,
                int nv) {
  const bool matrix = algorithm.arguments.back().rows == Rows::matrix;
  const auto size = [](double x) { return std::abs(x); };
  const double scale = matrix ? 1 : size(*std::ranges::max_element(reference, {}, size));
  double worst = 0;
  for (std::size_t k = 0; k < reference.size(); ++k) {
    double error = std::abs(static_cast<double>(result[k]) - reference[k]) / scale;
    if (matrix) {
      const auto n = static_cast<std::size_t>(nv);
      error /= std::sqrt(reference[k / n * (n + 1)] * reference[k % n * (n + 1)]);
    }
    if (!(error <= worst)) worst = error;  // NaN stays
    if (std::isnan(worst)) break;
  }
  return worst;
}

/// Median time of a call, at least five of them, ns.
template <class F>
double time_of(F&& call, double milliseconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const auto begin = Clock::now();
  do {
    const auto before = Clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - before).count());
  } while (times.size() < 5 ||
           (Clock::now() - begin < std::chrono::duration<double, std::milli>(milliseconds) && times.size() < 100000));
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// One problem in one state: its arrays in precision T, and its reference.
template <class T>
class ComparedProblem {
 public:
  ComparedProblem(const Algorithm& algorithm, const Model& model, const ComparisonState& state)
      : algorithm_(algorithm), model_(model) {
    const auto& m = model.view<double>();
    for (const Argument& argument : algorithm.arguments) {
      std::vector<double> input = named(state, argument.name);
      if (argument.role == Role::output)
        memory_.emplace_back(static_cast<std::size_t>(shape(argument.rows, m).count()));
      else
        memory_.emplace_back(input.begin(), input.end());
      if (argument.role == Role::output)
        output_ = memory_.size() - 1;
      else
        inputs_.push_back(std::move(input));
    }
    reference_ = reference_of<T>(algorithm, model, inputs_);
  }

  void run(MethodResult& result, const ComparisonSettings& settings) {
    if (const char* reason = refusal(algorithm_, model_, result.options)) {
      result.refusal = with_methods_that_serve(reason, algorithm_, model_);
      return;
    }
    std::vector<Array<T>> arrays;
    for (std::vector<T>& x : memory_) arrays.push_back({x.empty() ? nullptr : x.data(), 0, 1});
    Batch<T> one(1, settings.threads);
    const auto call = [&] { evaluate<T>(algorithm_, model_, arrays, one, work_, result.options); };
    std::fill(memory_[output_].begin(), memory_[output_].end(), std::numeric_limits<T>::quiet_NaN());
    one.status = std::span(&result.status, 1);
    one.iterations = std::span(&result.steps, 1);
    call();
    one = Batch<T>(1, settings.threads);  // timed without
    result.error = error_of(algorithm_, memory_[output_], reference_, model_.nv());
    if (settings.milliseconds > 0) result.nanoseconds = time_of(call, settings.milliseconds);
    const double n = model_.nv();
    const bool cubic = result.options.method == Method::mass_matrix_inversion;
    if (settings.counts && (cubic ? n * n * n : 3000 * n) < most_counted) {
      const Work counted = work_of(algorithm_, model_, inputs_, decided<T>(algorithm_, model_, result.options));
      result.flops = counted.all.flops();
      result.depth = is_formulation(result.options.method) ? longest_path(model_, result.options) : counted.depth;
    }
  }

 private:
  const Algorithm& algorithm_;
  const Model& model_;
  std::vector<std::vector<T>> memory_;
  std::vector<std::vector<double>> inputs_;
  std::vector<double> reference_;
  std::size_t output_ = 0;
  Workspace<T> work_;
};

template <class T>
void run_all(const Model& model, const ComparisonSettings& settings, std::vector<MethodResult>& results) {
  const ComparisonState state = state_of(model, settings);
  int done = 0;
  for (std::size_t k = 0; k < results.size();) {
    const Algorithm& algorithm = find_algorithm(results[k].algorithm);
    std::optional<ComparedProblem<T>> problem;  // once its matrices, if any, are known to fit
    for (; k < results.size() && results[k].algorithm == algorithm.name; ++k) {
      if (results[k].refusal.empty()) {
        if (!problem) problem.emplace(algorithm, model, state);
        problem->run(results[k], settings);
      }
      if (settings.progress) settings.progress(++done, static_cast<int>(results.size()));
    }
  }
}

/// Methods that hold a matrix of all degrees of freedom.
bool needs_matrix(const MethodResult& r) {
  return find_algorithm(r.algorithm).arguments.back().rows == Rows::matrix ||
         r.options.method == Method::composite_rigid_body || r.options.method == Method::mass_matrix_inversion;
}

}  // namespace

bool is_compared(const Algorithm& algorithm) {
  const auto results = std::ranges::count_if(algorithm.arguments, [](const Argument& a) { return !is_input(a); });
  return !algorithm.methods.empty() && !algorithm.reads("steps") && algorithm.name != ClosedLoopDynamics::name &&
         results == 1;
}

std::vector<MethodResult> compare_methods(const Model& robot, const ComparisonSettings& settings) {
  const Model model = robot.without_loops();  // methods are those of its tree
  if (model.nv() == 0) throw Error(model.name() + " has no movable joints: there is nothing to compare");
  if (!settings.problem.empty() && !is_compared(find_algorithm(settings.problem)))
    throw Error(sentence("compare: ", settings.problem, " is not supported"));
  std::vector<MethodResult> results;
  for (const Algorithm& algorithm : algorithms()) {
    if (!is_compared(algorithm)) continue;
    if (!settings.problem.empty() && settings.problem != algorithm.name) continue;
    for (const Method method : methods_of(algorithm))
      if (method != Method::automatic) {
        add_variants(results, algorithm, model, settings.in_float, method);
        if (settings.of_papers) add_printed(results, algorithm, model, method);
      }
    add_variants(results, algorithm, model, settings.in_float, Method::automatic);
  }
  for (MethodResult& r : results)
    if (r.options.method == Method::conjugate_gradient || r.options.solver == Solver::conjugate_gradient) {
      r.options.tolerance = settings.tolerance;
      r.options.max_iterations = settings.max_iterations;
    }
  if (settings.wanted)
    std::erase_if(results, [&](const MethodResult& r) { return !settings.wanted(r.algorithm, r.options); });
  if (Index{model.nv()} * model.nv() > most_matrix_entries)
    for (MethodResult& r : results)
      if (needs_matrix(r))
        r.refusal = sentence("its matrix has ", model.nv(), " x ", model.nv(), " entries, more than the limit of ",
                             most_matrix_entries);
  if (settings.in_float)
    run_all<float>(model, settings, results);
  else
    run_all<double>(model, settings, results);
  return results;
}

}  // namespace tandem
