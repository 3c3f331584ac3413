// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "core/text.hpp"
#include "recorded.hpp"
#include "tandem/detail/problems/all.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// A robot's numbers without the roundings of turned frames. What is left of a zero beside the other numbers of a rotation, a
/// way or an inertia, a few roundings of these, is zero; ones of rotations are ones. So a quarter turn costs nothing.
class CleanNumbers {
 public:
  CleanNumbers(const ModelView<double>& m, double epsilon) : view_(m), epsilon_(4 * epsilon) {
    // E and r; sines and cosines; mass, first moments, second moments
    clean(view_.placement, m.n_links, {9, 3});
    clean(view_.frame_placement, m.n_frames, {9, 3});
    clean(view_.zxz, m.n_links, {2, 2, 2});
    clean(view_.inertia, m.n_links, {1, 3, 6});
  }
  const ModelView<double>& view() const { return view_; }

 private:
  /// Rows of parts of so many numbers each.
  void clean(const double*& field, std::int64_t rows, std::initializer_list<int> parts) {
    std::int64_t count = 0;
    for (const int part : parts) count += part;
    auto& own = fields_.emplace_back(field, field + count * rows);
    double* number = own.data();
    for (std::int64_t row = 0; row < rows; ++row)
      for (const int part : parts) {
        double largest = 0;
        for (int k = 0; k < part; ++k) largest = std::max(largest, std::abs(number[k]));
        const bool is_rotation = part == 9 || part == 2;
        for (int k = 0; k < part; ++k) {
          if (std::abs(number[k]) <= epsilon_ * largest) number[k] = 0;
          if (is_rotation && std::abs(std::abs(number[k]) - 1) <= epsilon_) number[k] = number[k] < 0 ? -1 : 1;
        }
        number += part;
      }
    field = own.data();
  }

  ModelView<double> view_;
  double epsilon_;
  std::vector<std::vector<double>> fields_;
};

template <class A>
RecordedFunction record_body(const A& algorithm, const ModelView<double>& m, const RecordOptions& how) {
  RecordedFunction result = {A::name, Graph(how.precision, how.products), {}, {}};
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
    columns[k].resize(static_cast<std::size_t>(shape(argument.rows, m).count()));
    if (is_input(argument))
      for (Recorded& row : columns[k]) row = Recorded(result.graph.input());
    pointers[k] = columns[k].data();
  }
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
  for (const std::string& name : optional) {
    const auto is_meant = [&](const Argument& argument) { return is_optional(argument) && name == argument.name; };
    if (std::none_of(algorithm.arguments.begin(), algorithm.arguments.end(), is_meant))
      throw Error(sentence(algorithm.name, " has no optional argument ", in_quotes(name)));
  }
}

}  // namespace

RecordedFunction record(const Algorithm& algorithm, const Model& model, const Options& options,
                        const RecordOptions& how) {
  check_optional(algorithm, how.optional);
  const double epsilon = how.precision == Graph::Precision::double_precision
                             ? std::numeric_limits<double>::epsilon()
                             : static_cast<double>(std::numeric_limits<float>::epsilon());
  const CleanNumbers robot(model.view<double>(), how.clean ? epsilon : 0);
  std::vector<RecordedFunction> found;
  const auto if_named = [&]<class A>(std::type_identity<A>) {
    if (A::name == std::string_view(algorithm.name))
      found.push_back(record_body(with_options<A>(options), robot.view(), how));
  };
  [&]<class... A>(TypeList<A...>) { (if_named(std::type_identity<A>()), ...); }(Algorithms{});
  return std::move(found.front());
}

}  // namespace tandem
