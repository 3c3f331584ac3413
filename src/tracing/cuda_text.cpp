// SPDX-License-Identifier: Apache-2.0
#include "tracing/cuda_text.hpp"

#include <algorithm>

#include "tracing/expand_angles.hpp"
#include "tracing/order.hpp"
#include "tracing/text_writer.hpp"

namespace tandem {
namespace {

/// Lines whose columns are In and Out, b being the state.
class CudaWriter : protected TextWriter {
 public:
  explicit CudaWriter(const RecordedFunction& function) : TextWriter(function, Language::cuda) {}

 protected:
  std::string parameters() const {
    std::string text;
    for (const RecordedColumn& column : function_.columns)
      if (!column.rows.empty())
        text += (is_input(*column.argument) ? "const In " : "const Out ") + std::string(column.argument->name) + ", ";
    return text;
  }
  std::string arguments() const {
    std::string text;
    for (const RecordedColumn& column : function_.columns)
      if (!column.rows.empty()) text += column.argument->name + std::string(", ");
    return text;
  }
  std::string loaded(const Place& place) override {
    return std::string("load(") + place.column + ", b, " + std::to_string(place.row) + ")";
  }
  void store(const Place& place, const std::string& value) override {
    line(std::string("store(") + place.column + ", b, " + std::to_string(place.row) + ", " + value + ");");
  }
  /// f(column of configurations, row at which a quaternion begins)
  template <class F>
  void for_each_quaternion(F&& f) const {
    for (const RecordedColumn& column : function_.columns)
      if (is_input(*column.argument) && column.argument->rows == Rows::q && !column.rows.empty())
        for (const std::int32_t row : function_.quaternions) f(column, row);
  }
};

/// The function of any state, its sines and cosines those of any angle. For few states: it need not be fast.
class RedoWriter : CudaWriter {
 public:
  using CudaWriter::CudaWriter;

  std::string write(const std::string& name) {
    text_ += "__device__ __noinline__ void " + name + "_of_any(" + parameters() + "const unsigned b) {\n";
    for_each_quaternion([&](const RecordedColumn& column, std::int32_t row) {
      const std::string own = column.argument->name;
      line("const auto " + quaternion(own, row) + " = of_moderate_length(" + own + ", b, " + std::to_string(row) +
           ");");
    });
    for (const std::int32_t k : depth_first(function_)) statement(k);
    known_outputs();
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  static std::string quaternion(const std::string& column, std::int32_t row) {
    return "quaternion_" + column + std::to_string(row);
  }
  std::string loaded(const Place& place) override {
    for (const RecordedColumn& column : function_.columns)
      if (column.argument->name == place.column && column.argument->rows == Rows::q)
        for (const std::int32_t first : function_.quaternions) {
          const auto k = static_cast<std::int32_t>(place.row) - first;
          if (k >= 0 && k < 4) return quaternion(place.column, first) + "." + "xyzw"[k];
        }
    return CudaWriter::loaded(place);
  }
};

/// Lines that note which states need more than them: those with large angles, and quaternions of extreme lengths.
class KernelWriter : protected CudaWriter {
 public:
  /// Its angles written out.
  explicit KernelWriter(const WithoutAngles& expanded) : CudaWriter(expanded.function), angles_(expanded.angles) {}

  std::string write(const std::string& name) {
    head(name, "TANDEM_THREADS", "TANDEM_BLOCKS");
    text_ +=
        "  const unsigned b = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (b >= batch) return;\n"
        "  bool is_odd = false;\n";
    begin_lines();
    for (const std::int32_t k : depth_first(function_)) compute(k);
    known_outputs();
    line("if (is_odd) " + name + "_of_any(" + arguments() + "b);");
    text_ += "}\n";
    return std::move(text_);
  }

 protected:
  void head(const std::string& name, const std::string& threads, const std::string& blocks) {
    text_ += "extern \"C\" __global__ void __launch_bounds__(" + threads + ", " + blocks + ") " + name + "(" +
             parameters() + "const unsigned batch) {\n";
  }
  /// Quaternions that are watched; each when its last number is there.
  void begin_lines() {
    quaternions_.clear();
    for_each_quaternion([&](const RecordedColumn& column, std::int32_t row) {
      quaternions_.push_back({&column.rows[static_cast<std::size_t>(row)]});
    });
  }
  void compute(std::int32_t k) {
    statement(k);
    for (const Term& angle : angles_)
      if (angle.node == k) line("is_odd |= !(absolute(" + variable(k) + ") < largest);");
    if (node(k).operation != Operation::input) return;
    for (Quaternion& own : quaternions_)
      for (int i = 0; i < 4; ++i)
        if (own.terms[i].node == k && --own.missing == 0) watch(own);
  }
  struct Quaternion {
    const Term* terms;
    int missing = 4;  ///< of its numbers
  };
  void watch(const Quaternion& own) {
    std::string numbers;
    for (int i = 0; i < 4; ++i) numbers += (i > 0 ? ", " : "") + variable(own.terms[i].node);
    line("is_odd |= !is_moderate(" + numbers + ");");
  }

 private:
  const std::vector<Term>& angles_;
  std::vector<Quaternion> quaternions_;
};

/// A warp for each limb.
class TeamWriter : KernelWriter {
 public:
  TeamWriter(const WithoutAngles& expanded, const Teams& teams) : KernelWriter(expanded), teams_(teams) {}

  std::string write(const std::string& name) {
    const auto n = static_cast<int>(teams_.teams.size());
    // 128 registers for a float, 168 for a double: as many threads as a multiprocessor then holds
    head(name + "_by_limbs", std::to_string(32 * n), std::to_string(std::max(1, (single_ ? 16 : 12) / n)));
    if (teams_.places > 0) line("__shared__ S between[" + std::to_string(teams_.places) + "][32];");
    text_ +=
        "  const unsigned lane = threadIdx.x % 32;\n"
        "  const unsigned own = blockIdx.x * 32 + lane, b = own < batch ? own : batch - 1;\n"
        "  bool is_odd = false;\n"
        "  switch (threadIdx.x / 32) {\n";
    const std::vector<int> teams_of_known = shares_of_known();
    for (int team = 0; team < n; ++team) {
      text_ += "  case " + std::to_string(team) + ": {\n";
      begin_lines();
      for (const TeamStep& step : teams_.teams[static_cast<std::size_t>(team)]) take(step);
      std::size_t next = 0;
      known_outputs([&] { return teams_of_known[next++] == team; });
      text_ += "  } break;\n";
    }
    text_ += "  }\n";
    // all of its numbers are there when others take their place
    line("if (any_of_block(is_odd) && threadIdx.x < 32) " + name + "_of_any(" + arguments() + "b);");
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  /// The team that writes each output that is known beforehand: one that has little to do.
  std::vector<int> shares_of_known() {
    std::vector<std::size_t> lines;
    for (const auto& steps : teams_.teams) lines.push_back(steps.size());
    std::vector<int> shares;
    known_outputs([&] {
      const auto least = std::min_element(lines.begin(), lines.end());
      ++*least;
      shares.push_back(static_cast<int>(least - lines.begin()));
      return false;
    });
    return shares;
  }
  void take(const TeamStep& step) {
    const std::string place = "between[" + std::to_string(step.place) + "][lane]";
    switch (step.kind) {
      case TeamStep::compute: return compute(step.node);
      case TeamStep::share: return line(place + " = " + variable(step.node) + ";");
      case TeamStep::fetch: return line("const S " + variable(step.node) + " = " + place + ";");
      case TeamStep::wait: return line("wait_for_block();");
    }
  }

  const Teams& teams_;
};

}  // namespace

std::string redo_text(const RecordedFunction& function, const std::string& name) {
  return RedoWriter(function).write(name);
}

std::string kernel_text(const RecordedFunction& function, const std::string& name) {
  const WithoutAngles expanded = expand_angles(function);
  return KernelWriter(expanded).write(name);
}

TeamKernel team_kernel_text(const RecordedFunction& function, const std::string& name, const ModelView<double>& m) {
  constexpr std::int32_t most_teams = 8, most_waits = 8;
  constexpr std::size_t most_bytes = 40 << 10;  // of a block between its teams
  const Limbs limbs = limbs_of(m, most_teams);
  if (limbs.count < 2) return {};
  const WithoutAngles expanded = expand_angles(function);
  const Teams teams = divided(expanded.function, depth_first(expanded.function), m, limbs);
  const std::size_t bytes = static_cast<std::size_t>(teams.places) * 32 *
                            (function.graph.precision() == Graph::Precision::single_precision ? 4 : 8);
  if (teams.waits > most_waits || bytes > most_bytes || 10 * teams.longest > 7 * teams.operations) return {};
  return {TeamWriter(expanded, teams).write(name), limbs.count};
}

}  // namespace tandem
