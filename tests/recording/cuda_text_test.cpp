// SPDX-License-Identifier: Apache-2.0
/// The text of kernels, run on the processor: each of them gives the library's bits, in any layout, for any state.
#include "recording/cuda_on_host.hpp"
#include "recording/recording_support.hpp"

namespace tandem::test {
namespace {

template <class T>
class CudaTextSlow : public ::testing::Test {};
TYPED_TEST_SUITE(CudaTextSlow, Reals);

/// As texts declare them.
struct Column {
  void* data;
  unsigned stride, row_stride;
};
using Run = void(const Column* columns, unsigned batch);

/// A kernel that is compiled among others.
struct Kernel {
  const Algorithm& algorithm;
  const Case& of;
  Options options;
  std::vector<std::string> optional;
  RecordedFunction function;
  std::string name;
  int teams = 0;
};

/// Lines that run a kernel over a batch.
std::string runner(const Kernel& kernel, const std::string& name, const std::string& states, int threads) {
  std::string arguments;
  int n = 0;
  for (const RecordedColumn& column : kernel.function.columns) {
    if (column.rows.empty()) continue;
    const std::string own = "columns[" + std::to_string(n++) + "]";
    const bool in = is_input(*column.argument);
    arguments +=
        std::string(in ? "In{(const S*)" : "Out{(S*)") + own + ".data, " + own + ".stride, " + own + ".row_stride}, ";
  }
  return "extern \"C\" void run_" + name + "(const Column* columns, unsigned batch) {\n  run_grid((batch + " + states +
         " - 1) / " + states + ", " + std::to_string(threads) + ", [&] { " + name + "(" + arguments +
         "batch); });\n}\n";
}

/// All kernels of some robots, and the text of them.
template <class T>
std::vector<Kernel> kernels(std::string& text) {
  std::vector<Kernel> all;
  text = host_prelude(precision_of<T>) + "struct Column { void* data; unsigned stride, row_stride; };\n";
  const auto is_dynamics = [](const std::string_view name) {
    return name == "inverse_dynamics" || name == "forward_dynamics" || name == "mass_matrix";
  };
  const auto is_long = [](const std::string_view name) {
    return name == "constraint_wrenches" || name == "operational_space_mobility" ||
           name == "inverse_dynamics_regressor";
  };
  for (const std::string_view robot : {"every_joint", "mimic_branches", "tree:24+floating"})
    for (const Algorithm& algorithm : algorithms())
      for (const bool given : {false, true}) {
        const auto optional = optional_of(algorithm, given);
        // all of them of one robot, of the others those that are called most: compilers take their time
        if (given && (optional.empty() || robot != "every_joint")) continue;
        if ((robot != "every_joint" || given || sizeof(T) == 4) && !is_dynamics(algorithm.name)) continue;
        if (is_long(algorithm.name) || !can_be_printed(algorithm)) continue;
        const Case& c = case_named(std::string(robot));
        const Options options = own_options(algorithm, c.model).front();
        RecordOptions how = {.precision = precision_of<T>, .optional = optional};
        how.products = products_in_use();
        Kernel kernel = {algorithm, c, options, optional, record(algorithm, c.model, options, how), "", 0};
        kernel.name = "kernel" + std::to_string(all.size());
        text += redo_text(kernel.function, kernel.name) + kernel_text(kernel.function, kernel.name) +
                runner(kernel, kernel.name, "13", 13);
        const TeamKernel teams = team_kernel_text(kernel.function, kernel.name, c.model.view<double>());
        kernel.teams = teams.teams;
        if (teams.teams > 0) text += teams.text + runner(kernel, kernel.name + "_by_limbs", "32", 32 * teams.teams);
        all.push_back(std::move(kernel));
      }
  return all;
}

/// A batch: states at random, one of which has angles beyond the straight line, one a long quaternion, one a short one.
template <class T>
struct States {
  States(const Kernel& kernel, unsigned batch, bool rows_apart) : size(batch) {
    const Model& model = kernel.of.model;
    for (const RecordedColumn& column : kernel.function.columns) {
      const auto rows = static_cast<unsigned>(column.rows.size());
      auto& own = numbers.emplace_back(std::size_t{rows} * batch, std::numeric_limits<T>::quiet_NaN());
      const unsigned apart = rows_apart ? 1 : rows, row_apart = rows_apart ? batch : 1;
      arrays.push_back({rows ? own.data() : nullptr, apart, row_apart, Place::host});
      if (rows > 0) columns.push_back({own.data(), apart * unsigned{sizeof(T)}, row_apart * unsigned{sizeof(T)}});
      if (!is_input(*column.argument)) continue;
      for (unsigned b = 0; b < batch; ++b) {
        const bool second = column.argument->name == std::string_view("q1");
        const State s = random_state(model, b + (second ? 500 : 0));
        for (unsigned row = 0; row < rows; ++row) {
          const auto k = static_cast<Index>(row);
          double x = column.argument->rows == Rows::q            ? s.q[k]
                     : column.argument->rows == Rows::link_force ? s.f_ext[k]
                     : column.argument->rows == Rows::v          ? std::abs(s.tau[k])
                                                                 : 0.25;
          if (column.argument->rows == Rows::q) x *= factor(kernel, b, row);
          own[b * apart + row * row_apart] = static_cast<T>(x);
        }
      }
    }
  }
  static double factor(const Kernel& kernel, unsigned b, unsigned row) {
    const auto& quaternions = kernel.function.quaternions;
    const bool of_quaternion = std::any_of(quaternions.begin(), quaternions.end(), [&](std::int32_t first) {
      return row >= static_cast<unsigned>(first) && row < static_cast<unsigned>(first) + 4;
    });
    const bool single = sizeof(T) == 4;
    if (of_quaternion) return b == 5 ? (single ? 0x1p62 : 0x1p505) : b == 6 ? (single ? 0x1p-60 : 0x1p-470) : 1;
    const auto& m = kernel.of.model.template view<T>();
    for (int i = 1; i < m.n_links; ++i)
      if (b == 3 && row == static_cast<unsigned>(m.q_index[i]) && m.type[i] == JointType::revolute)
        return single ? 1e5 : 1e8;
    return 1;
  }

  unsigned size;
  std::vector<std::vector<T>> numbers;
  std::vector<Array<T>> arrays;
  std::vector<Column> columns;
};

template <class T>
void expect_bits(const Kernel& kernel, Run* run, unsigned batch, bool rows_apart) {
  ASSERT_NE(run, nullptr);
  States<T> ours(kernel, batch, rows_apart), right(kernel, batch, rows_apart);
  run(ours.columns.data(), batch);
  Workspace<T> work;
  evaluate<T>(kernel.algorithm, kernel.of.model, right.arrays, tandem::Batch<T>(batch, 1), work, kernel.options);
  const auto same = [](T x, T y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (std::size_t k = 0; k < ours.numbers.size(); ++k)
    for (std::size_t n = 0; n < ours.numbers[k].size(); ++n)
      ASSERT_TRUE(same(ours.numbers[k][n], right.numbers[k][n]))
          << kernel.function.columns[k].argument->name << ", number " << n << " of " << ours.numbers[k].size() << ": "
          << ours.numbers[k][n] << ", expected " << right.numbers[k][n] << (rows_apart ? ", rows apart" : "");
}

TYPED_TEST(CudaTextSlow, HasTheBitsOfTheLibrary) {
  std::string text;
  const std::vector<Kernel> all = kernels<TypeParam>(text);
  const HostLibrary library(text);
  if (!library) GTEST_SKIP() << "no compiler for this: " << library.why_not().substr(0, 2000);
  int divided = 0;
  for (const Kernel& kernel : all) {
    SCOPED_TRACE(std::string(kernel.algorithm.name) + ", " + kernel.of.name +
                 (kernel.optional.empty() ? "" : ", all arguments"));
    for (const bool rows_apart : {false, true}) {
      expect_bits<TypeParam>(kernel, library.find<Run>("run_" + kernel.name), 17, rows_apart);
      if (kernel.teams > 0)
        expect_bits<TypeParam>(kernel, library.find<Run>("run_" + kernel.name + "_by_limbs"), 35, rows_apart);
    }
    divided += kernel.teams > 0;
  }
  EXPECT_GE(divided, 2);
}

}  // namespace
}  // namespace tandem::test
