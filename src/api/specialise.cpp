// SPDX-License-Identifier: Apache-2.0
#include "specialise.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <string_view>

#include "backends/cpu/instruction_set.hpp"
#include "check_call.hpp"
#include "tracing/order.hpp"

namespace tandem {
namespace {

/// A line of operations for more links than these is longer than caches of instructions are.
constexpr int most_links = 100;

/// Of an arm, so many states take longer than it takes to assemble a function; of a longer robot, both grow alike.
constexpr Index pays_from = 16384;
/// A state that comes alone gains as much as so many of a batch; one of a batch whose algorithm is compiled for plain
/// numbers alone as so many that go in lanes.
constexpr Index weight_of_call = 4, weight_without_lanes = 8;
/// Of a line: some hundred bytes for each while it is made, ten to run.
constexpr std::size_t most_operations = std::size_t{1} << 19;

/// The registers that the ordinary way has, or none.
std::optional<Registers> registers_in_use() {
  const auto bytes = [](Registers registers) {
    return registers == Registers::avx512 ? 64 : registers == Registers::avx2 ? 32 : 16;
  };
  for (const Registers registers : registers_here())
    if (cpu::in_use().register_bytes == bytes(registers)) return registers;
  return {};
}

std::string size_of(const AssembledFunction& function, std::size_t operations) {
  return sentence(operations, " operations in ", (function.bytes() + 1023) / 1024, " KiB, ", function.width(),
                  " states per instruction");
}

/// Rows of a tile where the quaternion of a joint begins, in every configuration among the inputs.
template <class T>
std::vector<std::int32_t> quaternion_rows(const RecordedFunction& function, const ModelView<T>& m) {
  std::vector<std::int32_t> rows;
  std::int32_t first = 0;
  for (const RecordedColumn& column : function.columns) {
    if (!is_input(*column.argument)) continue;
    for (int i = 1; i < m.n_links && column.argument->rows == Rows::q && !column.rows.empty(); ++i)
      if (const int quaternion = joint_kind(m.type[i]).quaternion; quaternion >= 0)
        rows.push_back(first + m.q_index[i] + quaternion);
    first += static_cast<std::int32_t>(column.rows.size());
  }
  return rows;
}

/// The same for states that come alone.
template <class T>
void add_state_function(Assembled<T>& line, const RecordedFunction& function, const ModelView<T>& m,
                        Registers registers) {
  if (!serves_single_states(registers)) return;
  for (std::size_t k = 0; k < line.arguments.size(); ++k) {
    const Argument& argument = line.arguments[k];
    if (!line.given[k]) continue;
    for (std::size_t i = 0; i < line.arguments.size(); ++i)
      if (line.given[i] && std::string_view(argument.may_be) == line.arguments[i].name)
        line.may_be_one.push_back({k, i});
    for (int i = 1; i < m.n_links && is_input(argument) && argument.rows == Rows::q; ++i)
      if (const int first = joint_kind(m.type[i]).quaternion; first >= 0)
        line.quaternions.push_back({k, m.q_index[i] + first});
  }
  try {
    line.state.emplace(function, registers);
  } catch (const Error&) {
    // packs serve such states, too
  }
}

}  // namespace

std::string ordinary_way(const std::string& more) { return "generic kernels" + more; }

template <class T>
std::string why_not_specialised(const Algorithm& algorithm, const Model& model, const Options& options,
                                const ExecutionPath<T>& ordinary) {
  if (model.n_loops() > 0 && algorithm.inverts_mass_matrix) return "the robot has closed loops";
  if (const std::string why = why_not_recorded(algorithm, model, options); !why.empty())
    return sentence(algorithm.name, " ", why);
  if (ordinary.divides) return sentence("method ", to_string(options.method), " divides the robot");
  // A line leaves out what is multiplied by 0, and there are infinite numbers where a joint has no inertia to move.
  if (algorithm.inverts_mass_matrix && model.mass() == 0) return "the robot has no mass";
  if (algorithm.inverts_mass_matrix && !model.singular_joints().empty()) return "its mass matrix is singular";
  if (model.n_joints() > most_links)
    return sentence("the robot has ", model.n_joints(), " links, more than ", most_links);
  if (registers_in_use()) return "";
  return "this build of Tandem cannot generate code for this CPU (x86-64 needs Xbyak)";
}

template <class T>
Specialised<T>::Specialised(const Algorithm& algorithm, const Model& model, const Options& options,
                            const ExecutionPath<T>& ordinary, Specialise how)
    : algorithm_(algorithm),
      options_(options),
      tables_(cpu::in_use()),
      ordinary_(ordinary.kernel),
      registers_(*registers_in_use()),
      asked_for_(how != Specialise::automatic),
      needed_(needed_by(algorithm)),
      kernels_([this](ArgumentMask mask, const Model& m) { return make(mask, m); }, needed_, pays_from, asked_for_) {
  if (how == Specialise::on) kernels_.begin(model);
  if (how != Specialise::wait) return;
  kernels_.make_now(model, true);
  if (!kernels_.ready()) refuse(algorithm, "cannot be specialised: ", kernels_.why());
}

template <class T>
ArgumentMask Specialised<T>::mask_of(const Call<T>& call) const {
  ArgumentMask mask = needed_;
  for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k)
    if (call.arguments[k].data) mask |= ArgumentMask{1} << k;
  for (std::size_t k = 0; k < n_parameters && call.parameters; ++k)
    if (call.parameters->values[k].data) mask |= ArgumentMask{1} << (first_parameter + k);
  return mask;
}

template <class T>
const Assembled<T>* Specialised<T>::line_for(const Model& model, const Call<T>& call, Index states) {
  const Index weight = has_lanes() || states == 1 ? states : weight_without_lanes * states;
  return kernels_.find(mask_of(call), std::max(weight, weight_of_call), model);
}

template <class T>
std::unique_ptr<const Assembled<T>> Specialised<T>::make(ArgumentMask mask, const Model& model) const {
  auto made = std::make_unique<const Assembled<T>>(assembled(mask, model));
  if (!asked_for_ && has_lanes() && !pays(made->function.bytes(), made->function.spilled(), made->operations))
    throw Error("the compiled kernel is not faster: " + size_of(made->function, made->operations));
  return made;
}

template <class T>
Assembled<T> Specialised<T>::assembled(ArgumentMask mask, const Model& model) const {
  constexpr auto precision =
      std::is_same_v<T, double> ? Graph::Precision::double_precision : Graph::Precision::single_precision;
  const auto is_given = [&](std::size_t k) { return (mask >> k & 1) != 0; };
  RecordOptions how;
  how.precision = precision;
  how.products = fuses_products(registers_) ? Graph::Products::fused : Graph::Products::rounded;
  how.most_operations = most_operations;
  for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k)
    if (is_optional(algorithm_.arguments[k]) && is_given(k)) how.optional.push_back(algorithm_.arguments[k].name);
  for (std::size_t k = 0; k < n_parameters; ++k)
    if (is_given(first_parameter + k)) how.parameters.push_back(static_cast<Parameter>(k));
  const RecordedFunction function = record(algorithm_, model, options_, how);
  Assembled<T> result = {AssembledFunction(function, registers_), algorithm_.arguments, {}};
  result.parameters = how.parameters;
  for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k) {
    result.given.push_back(is_given(k));
    result.rows.push_back(static_cast<Index>(function.columns[k].rows.size()));
  }
  result.quaternion_rows = quaternion_rows(function, model.view<T>());
  result.inverts_mass_matrix = algorithm_.inverts_mass_matrix;
  result.kernel = &cpu::in_precision<T>(tables_.assembled);
  result.ordinary = ordinary_;
  result.operations = as_recorded(function).size();
  if (how.parameters.empty()) add_state_function(result, function, model.view<T>(), registers_);
  return result;
}

template <class T>
const Assembled<T>* Specialised<T>::ready() const {
  return kernels_.ready();
}

template <class T>
std::string Specialised<T>::description() const {
  using Stage = typename KernelCache<Assembled<T>, Model>::Stage;
  switch (kernels_.stage()) {
    case Stage::there: return "compiled for this robot: " + size_of(ready()->function, ready()->operations);
    case Stage::on_its_way: return ordinary_way(" while the kernel for this robot is compiled");
    case Stage::refused: return ordinary_way(": " + kernels_.why());
    default: {
      const Index states = has_lanes() ? pays_from : pays_from / weight_without_lanes;
      return ordinary_way(sentence(" until ", states, " states have been computed"));
    }
  }
}

template <class T>
std::shared_ptr<Specialised<T>> kernel_cache_of(const Algorithm& algorithm, const Model& model, const Options& options,
                                                const ExecutionPath<T>& ordinary, Specialise how) {
  if (static_cast<std::size_t>(how) >= std::size(NamesOf<Specialise>::table))
    refuse(algorithm, "specialise is ", static_cast<int>(how),
           ", not a valid value; expected automatic, off, on or wait");
  if (how == Specialise::off) return nullptr;
  const std::string why = why_not_specialised(algorithm, model, options, ordinary);
  if (why.empty()) return std::make_shared<Specialised<T>>(algorithm, model, options, ordinary, how);
  if (how != Specialise::automatic) refuse(algorithm, "cannot be specialised: ", why);
  return nullptr;
}

template std::string why_not_specialised(const Algorithm&, const Model&, const Options&, const ExecutionPath<double>&);
template std::string why_not_specialised(const Algorithm&, const Model&, const Options&, const ExecutionPath<float>&);
template class Specialised<double>;
template class Specialised<float>;
template std::shared_ptr<Specialised<double>> kernel_cache_of(const Algorithm&, const Model&, const Options&,
                                                              const ExecutionPath<double>&, Specialise);
template std::shared_ptr<Specialised<float>> kernel_cache_of(const Algorithm&, const Model&, const Options&,
                                                             const ExecutionPath<float>&, Specialise);

}  // namespace tandem
