// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/text.hpp"
#include "recorded.hpp"
#include "tandem/detail/joint/link_inertia.hpp"
#include "tandem/detail/all_algorithms.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

template <class A>
constexpr bool goes_different_ways = requires { A::branches; };
template <class A>
constexpr bool can_be_recorded =
    !goes_different_ways<A> || requires(const A& a, const ModelView<double>& m) { a.branches_of(m, true); };
constexpr const char* different_ways = "has branches that depend on the state";
template <class A>
constexpr bool is_too_long = requires { A::is_too_long_to_print; };

/// Calls f for the type of an algorithm.
template <class F>
void if_named(const Algorithm& algorithm, F&& f) {
  const auto look_at = [&]<class A>(std::type_identity<A> type) {
    if (A::name == std::string_view(algorithm.name)) f(type);
  };
  [&]<class... A>(TypeList<A...>) { (look_at(std::type_identity<A>()), ...); }(Algorithms{});
}

/// A robot whose numbers are known, but for the parameters that are inputs: of these it makes what algorithms read.
class RecordedModel {
 public:
  RecordedModel(const Model& model, const std::vector<Parameter>& parameters, RecordedFunction& into) {
    const ModelView<double>& numbers = model.view<double>();
    static_cast<ModelCounts&>(view_) = numbers;
    for_each_field_of_both(numbers, view_, [&](auto source, auto target, std::int64_t n, const char*) {
      const auto* const rows = numbers.*source;
      if constexpr (std::is_same_v<decltype(rows), const double* const>) {
        std::vector<Recorded> own;
        for (std::int64_t row = 0; row < n; ++row) own.push_back(Recorded(rows[row]));
        view_.*target = kept(std::move(own));
      } else {
        view_.*target = rows;
      }
    });
    for (std::size_t k = 0; k < 6; ++k) view_.base_acceleration[k] = Recorded(numbers.base_acceleration[k]);

    const Recorded* given[n_parameters] = {};
    for (const Parameter parameter : parameters) {
      const Argument& argument = tandem::parameters()[static_cast<std::size_t>(parameter)];
      RecordedColumn& column = into.columns.emplace_back(&argument, std::vector<Term>());
      std::vector<Recorded> rows;
      for (Index row = shape(argument.rows, numbers).count(); row > 0; --row) {
        column.rows.push_back(into.graph.input());
        rows.push_back(Recorded(column.rows.back()));
      }
      given[static_cast<std::size_t>(parameter)] = kept(std::move(rows));
    }
    const auto of = [&](Parameter parameter) { return given[static_cast<std::size_t>(parameter)]; };
    const auto replace = [&](Parameter parameter, const Recorded*& field) {
      if (of(parameter)) field = of(parameter);
    };
    replace(Parameter::armature, view_.armature);
    replace(Parameter::damping, view_.damping);
    replace(Parameter::friction, view_.friction);
    replace(Parameter::stiffness, view_.stiffness);
    if (of(Parameter::gravity))
      for (std::size_t k = 0; k < 3; ++k)
        view_.base_acceleration[3 + k] = Recorded(model.base_acceleration()[k]) - of(Parameter::gravity)[k];
    if (of(Parameter::mass) || of(Parameter::com) || of(Parameter::inertia))
      take_links(model, numbers, of(Parameter::mass), of(Parameter::com), of(Parameter::inertia));
  }
  const ModelView<Recorded>& view() const { return view_; }

 private:
  const Recorded* kept(std::vector<Recorded> rows) { return fields_.emplace_back(std::move(rows)).data(); }

  /// Inertias from what is given of links, and what the model has for the rest.
  void take_links(const Model& model, const ModelView<double>& numbers, const Recorded* mass, const Recorded* com,
                  const Recorded* inertia) {
    std::vector<Recorded> masses, coms, inertias, all(static_cast<std::size_t>(10 * numbers.n_links));
    for (int i = 0; i < model.n_links(); ++i) {
      const MassProperties link = model.mass_properties(i);
      masses.push_back(mass ? mass[i] : Recorded(link.mass));
      for (int k = 0; k < 3; ++k)
        coms.push_back(com ? com[3 * i + k] : Recorded(link.com[static_cast<std::size_t>(k)]));
      for (int k = 0; k < 6; ++k)
        inertias.push_back(inertia ? inertia[6 * i + k] : Recorded(link.inertia[static_cast<std::size_t>(k)]));
    }
    link_inertias_from<Recorded>(numbers, masses.data(), coms.data(), inertias.data(), all.data());
    for (int k = 0; k < 10; ++k) all[static_cast<std::size_t>(k)] = view_.inertia[k];  // of the base
    view_.inertia = kept(std::move(all));
  }

  ModelView<Recorded> view_;
  std::deque<std::vector<Recorded>> fields_;
};

template <class A>
RecordedFunction record_body(const A& algorithm, const Model& model, const RecordOptions& how) {
  RecordedFunction result = {A::name, Graph(how.precision, how.products, how.most_operations), {}, {}};
  const Recording recording(result.graph);
  constexpr std::size_t n = std::size(A::arguments);
  std::vector<Recorded> columns[n];
  Recorded* pointers[n] = {};
  for (std::size_t k = 0; k < n; ++k) {
    const Argument& argument = A::arguments[k];
    result.columns.push_back({&argument, {}});
    if (is_optional(argument) &&
        std::find(how.optional.begin(), how.optional.end(), argument.name) == how.optional.end())
      continue;
    columns[k].resize(static_cast<std::size_t>(shape(argument.rows, model.view<double>()).count()));
    if (is_input(argument))
      for (Recorded& row : columns[k]) row = Recorded(result.graph.input());
    pointers[k] = columns[k].data();
  }
  const RecordedModel robot(model, how.parameters, result);
  const ModelView<Recorded>& m = robot.view();
  std::vector<Recorded> work(static_cast<std::size_t>(algorithm.work_rows(m)));
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    algorithm.template body<Recorded>(m, pointers[k]..., work.data());
  }(std::make_index_sequence<n>());
  for (std::size_t k = 0; k < n; ++k)
    for (const Recorded& row : columns[k]) result.columns[k].rows.push_back(row.term());
  for (int i = 1; i < m.n_links; ++i)
    if (const int first = joint_kind(m.type[i]).quaternion; first >= 0)
      result.quaternions.push_back(m.q_index[i] + first);
  return result;
}

void check_optional(const Algorithm& algorithm, const std::vector<std::string>& optional) {
  const auto is_given = [&](const Argument& argument) {
    return !is_optional(argument) || std::find(optional.begin(), optional.end(), argument.name) != optional.end();
  };
  for (const Argument& argument : algorithm.arguments)
    for (const char needed : std::string_view(is_given(argument) ? argument.needs : ""))
      for (const Argument& input : algorithm.arguments)
        if (input.name == std::string_view(&needed, 1) && !is_given(input))
          throw Error(sentence(algorithm.name, ": ", argument.name, " needs the argument ", input.name));
  for (const std::string& name : optional) {
    const auto is_meant = [&](const Argument& argument) { return is_optional(argument) && name == argument.name; };
    if (std::none_of(algorithm.arguments.begin(), algorithm.arguments.end(), is_meant))
      throw Error(sentence(algorithm.name, " has no optional argument ", in_quotes(name)));
  }
}

}  // namespace

std::string why_not_recorded(const Algorithm& algorithm, const Model& model, const Options& options,
                             const std::vector<std::string>& optional) {
  const bool has_target = std::find(optional.begin(), optional.end(), controller_inputs[0].name) != optional.end();
  const char* why = nullptr;
  if_named(algorithm, [&]<class A>(std::type_identity<A>) {
    if constexpr (can_be_recorded<A> && goes_different_ways<A>)
      why = with_options<A>(options).branches_of(model.view<double>(), has_target);
    else if constexpr (!can_be_recorded<A>)
      why = different_ways;
  });
  return why ? why : "";
}
std::string why_not_printed(const Algorithm& algorithm) {
  const char* why = nullptr;
  if_named(algorithm, [&]<class A>(std::type_identity<A>) {
    if (goes_different_ways<A>) why = different_ways;
    if (is_too_long<A>) why = "needs too many operations";
  });
  return why ? why : "";
}
bool can_be_printed(const Algorithm& algorithm) { return why_not_printed(algorithm).empty(); }

RecordedFunction record(const Algorithm& algorithm, const Model& model, const Options& options,
                        const RecordOptions& how) {
  check_optional(algorithm, how.optional);
  if (const std::string why = why_not_recorded(algorithm, model, options, how.optional); !why.empty())
    throw Error(sentence(algorithm.name, " ", why, ", and cannot be traced"));
  if (model.n_loops() > 0 && algorithm.inverts_mass_matrix)
    throw Error(sentence(algorithm.name, ": ", model.name(), " has closed loops, which tracing does not support"));
  std::vector<RecordedFunction> found;
  if_named(algorithm, [&]<class A>(std::type_identity<A>) {
    if constexpr (can_be_recorded<A>) found.push_back(record_body(with_options<A>(options), model, how));
  });
  return std::move(found.front());
}

}  // namespace tandem
