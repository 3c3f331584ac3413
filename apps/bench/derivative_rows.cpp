// SPDX-License-Identifier: Apache-2.0
/// Derivatives of the dynamics: one state at a time and in batches, by code for any robot and as plans choose by
/// themselves; and their products with columns, beside the functions themselves.
#include "batch_row.hpp"

namespace tandem::bench {
namespace {

template <class T>
void add(Rows& rows, const RobotPointer& robot, Index batch) {
  const auto data = data_of<T>(*robot, batch, false);
  for (const char* algorithm : {"inverse_dynamics_derivatives", "forward_dynamics_derivatives", "inverse_mass_matrix"})
    for (const Specialise specialise : {Specialise::off, Specialise::automatic})
      rows.push_back(row_of<T>(robot, {algorithm, batch, 1, instruction_set(), false, specialise}, data));
  for (const char* algorithm :
       {"inverse_dynamics", "inverse_dynamics_jvp", "inverse_dynamics_vjp", "inverse_dynamics_hvp", "forward_dynamics",
        "forward_dynamics_jvp", "forward_dynamics_vjp", "forward_dynamics_hvp"})
    rows.push_back(row_of<T>(robot, {algorithm, batch, 1, instruction_set(), false}, data));
  // of which batches have no other lanes
  for (const char* algorithm : {"inverse_dynamics_hvp", "forward_dynamics_hvp"})
    rows.push_back(
        row_of<T>(robot, {algorithm, batch, 1, instruction_set(), false, Specialise::automatic}, data));
}

}  // namespace

void add_derivative_rows(Rows& rows, const RobotPointer& robot) {
  constexpr int small = 64;  // the matrices of 4096 states of a chain are gigabytes
  for (const Index batch : {Index{1}, compared}) {
    if (batch > 1 && robot->model.nv() > small) continue;
    add<double>(rows, robot, batch);
    add<float>(rows, robot, batch);
  }
}

}  // namespace tandem::bench
