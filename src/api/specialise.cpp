// SPDX-License-Identifier: Apache-2.0
#include "specialise.hpp"

#include <optional>

#include "backends/cpu/instruction_set.hpp"
#include "check_call.hpp"
#include "recording/order.hpp"

namespace tandem {
namespace {

/// A line of operations for more links than these is longer than caches of instructions are.
constexpr int most_links = 100;

/// The registers that the ordinary way has, or none.
std::optional<Registers> registers_in_use() {
  const auto bytes = [](Registers registers) {
    return registers == Registers::avx512 ? 64 : registers == Registers::avx2 ? 32 : 16;
  };
  for (const Registers registers : registers_here())
    if (cpu::in_use().register_bytes == bytes(registers)) return registers;
  return {};
}

/// Measured on arms and humanoids: what fits the cache of instructions pays always, longer lines unless much of what they
/// compute has to wait in memory.
bool pays(const AssembledFunction& function, std::size_t operations) {
  return function.bytes() <= 32768 || 4 * static_cast<std::size_t>(function.spilled()) <= operations;
}

template <class T>
Assembled<T> assembled_for(const Algorithm& algorithm, const Model& model, const Options& options,
                           const Way<T>& ordinary, Registers registers) {
  constexpr auto precision =
      std::is_same_v<T, double> ? Graph::Precision::double_precision : Graph::Precision::single_precision;
  const RecordedFunction function =
      record(algorithm, model, options,
             {.precision = precision,
              .clean = false,
              .products = fuses_products(registers) ? Graph::Products::fused : Graph::Products::rounded});
  Assembled<T> result = {AssembledFunction(function, registers), algorithm.arguments, {}};
  for (const RecordedColumn& column : function.columns) result.given.push_back(!is_optional(*column.argument));
  result.inverts_mass_matrix = algorithm.name == std::string_view("forward_dynamics") ||
                               algorithm.name == std::string_view("inverse_mass_matrix_product") ||
                               algorithm.name == std::string_view("constraint_wrenches") ||
                               algorithm.name == std::string_view("operational_space_mobility");
  result.kernel = &cpu::in_precision<T>(cpu::in_use().assembled);
  result.ordinary = ordinary.kernel;
  result.ordinary_scratch = ordinary.scratch;
  result.operations = as_recorded(function).size();
  return result;
}

}  // namespace

template <class T>
std::shared_ptr<const Assembled<T>> specialised(const Algorithm& algorithm, const Model& model, const Options& options,
                                                const Way<T>& ordinary, Specialise specialise) {
  const bool asked_for = specialise == Specialise::always;
  const auto none = [&](const auto&... why) -> std::shared_ptr<const Assembled<T>> {
    if (asked_for) refuse(algorithm, "cannot be specialised: ", why...);
    return nullptr;
  };
  if (specialise == Specialise::never) return nullptr;
  if (ordinary.divides) return none("method ", to_string(options.method), " divides the robot");
  if (!ordinary.kernel) return none("it runs on a GPU");
  if (model.n_joints() > most_links) return none("the robot has ", model.n_joints(), " links, more than ", most_links);
  const std::optional<Registers> registers = registers_in_use();
  if (!registers) return none("this copy of Tandem has no assembler for this processor (on x86-64 that is Xbyak)");
  try {
    auto assembled =
        std::make_shared<const Assembled<T>>(assembled_for<T>(algorithm, model, options, ordinary, *registers));
    if (!asked_for && !pays(assembled->function, assembled->operations)) return nullptr;
    return assembled;
  } catch (const Error& error) {
    return none(error.what());
  }
}

template <class T>
Index scratch_of(const Assembled<T>& assembled) {
  return Index{assembled.function.rows()} * assembled.function.width() + assembled.ordinary_scratch;
}

template std::shared_ptr<const Assembled<double>> specialised(const Algorithm&, const Model&, const Options&,
                                                              const Way<double>&, Specialise);
template std::shared_ptr<const Assembled<float>> specialised(const Algorithm&, const Model&, const Options&,
                                                             const Way<float>&, Specialise);
template Index scratch_of(const Assembled<double>&);
template Index scratch_of(const Assembled<float>&);

}  // namespace tandem
