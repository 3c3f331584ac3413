// SPDX-License-Identifier: Apache-2.0
#include "tracing/jit/assemble.hpp"

#include <algorithm>

#include "tracing/jit/write.hpp"
#include "tracing/expand_angles.hpp"
#include "tandem/error.hpp"

namespace tandem {

AssembledFunction::AssembledFunction(const RecordedFunction& recorded, Registers registers) {
  const std::vector<Registers> here = registers_here();
  if (std::find(here.begin(), here.end(), registers) == here.end())
    throw Error(recorded.name +
                " cannot be compiled: this CPU or this build of Tandem does not support these registers");
  const WithoutAngles expanded = expand_angles(recorded);
  const RecordedFunction& function = expanded.function;
  inputs_ = function.graph.inputs();
  for (const RecordedColumn& column : function.columns)
    if (!is_input(*column.argument)) outputs_ += static_cast<std::int32_t>(column.rows.size());
  std::vector<Term> computed_angles;
  for (const Term& angle : expanded.angles) {
    const Node& node = function.graph.nodes()[static_cast<std::size_t>(angle.node)];
    if (node.operation == Operation::input) {
      angles_.push_back(static_cast<std::int32_t>(node.value));
    } else {
      angles_.push_back(inputs_ + outputs_ + static_cast<std::int32_t>(computed_angles.size()));
      computed_angles.push_back(angle);
    }
  }
  const Written written = write_instructions(function, computed_angles, registers);
  code_ = RunnableCode(written.instructions, written.constants);
  call_ = reinterpret_cast<void (*)(void*, const void*)>(code_.entry());
  rows_ = written.rows;
  spilled_ = written.spilled;
  width_ = written.bytes_of_row / (function.graph.precision() == Graph::Precision::single_precision ? 4 : 8);
}

}  // namespace tandem
