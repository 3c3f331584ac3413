// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

namespace tandem::bench {
namespace {

/// Output and scratch memory of one row, reused from call to call.
struct Memory {
  Workspace<double> work;
  std::vector<double> out;
};

}  // namespace

void register_tandem(std::shared_ptr<const Robot> robot) {
  const Model model = robot->model;
  const auto memory = [](int rows) {
    auto m = std::make_shared<Memory>();
    m->out.resize(static_cast<std::size_t>(rows));
    return m;
  };
  const int nv = model.nv();
  add_row("inverse_dynamics", robot, "tandem",
          [model, m = memory(nv)](const State& s) { inverse_dynamics(model, s.q, s.v, s.a, m->out, m->work); });
  add_row("forward_dynamics", robot, "tandem_articulated_body", [model, m = memory(nv)](const State& s) {
    forward_dynamics(model, s.q, s.v, s.tau, m->out, m->work, {}, {}, Method::articulated_body);
  });
  add_row("forward_kinematics", robot, "tandem", [model, m = memory(12 * model.n_frames())](const State& s) {
    forward_kinematics(model, s.q, m->out, m->work);
  });
  if (nv > 2000) return;
  add_row("mass_matrix", robot, "tandem",
          [model, m = memory(nv * nv)](const State& s) { mass_matrix(model, s.q, m->out, m->work); });
  add_row("forward_dynamics", robot, "tandem_composite_rigid_body", [model, m = memory(nv)](const State& s) {
    forward_dynamics(model, s.q, s.v, s.tau, m->out, m->work, {}, {}, Method::composite_rigid_body);
  });
}

}  // namespace tandem::bench
