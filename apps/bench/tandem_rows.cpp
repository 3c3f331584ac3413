// SPDX-License-Identifier: Apache-2.0
#include "own_rows.hpp"

namespace tandem::bench {
namespace {

/// Output and scratch memory of one row, reused from call to call.
struct Memory {
  Workspace<double> work;
  std::vector<double> out;
};

std::pair<std::span<double>, std::span<double>> halves(std::vector<double>& out) {
  const std::span<double> whole(out);
  return {whole.first(whole.size() / 2), whole.last(whole.size() / 2)};
}

}  // namespace

void add_tandem_rows(Rows& rows, const RobotPointer& robot) {
  const Model model = robot->model;
  const auto memory = [](int size) {
    auto m = std::make_shared<Memory>();
    m->out.resize(static_cast<std::size_t>(size));
    return m;
  };
  const int nv = model.nv();
  add_serial_row(rows, "inverse_dynamics", robot->plain, "tandem", "", [model, m = memory(nv)](const PlainState& s) {
    inverse_dynamics(model, s.q, s.v, s.a, m->out, m->work, {}, {.method = Method::recursive_newton_euler});
  });
  add_serial_row(rows, "forward_dynamics", robot->plain, "tandem", "articulated_body",
                 [model, m = memory(nv)](const PlainState& s) {
                   forward_dynamics(model, s.q, s.v, s.tau, m->out, m->work, {}, {},
                                    {.method = Method::articulated_body});
                 });
  add_serial_row(rows, "forward_kinematics", robot->plain, "tandem", "",
                 [model, m = memory(12 * model.n_frames())](const PlainState& s) {
                   forward_kinematics(model, s.q, m->out, m->work);
                 });
  add_serial_row(rows, "inverse_dynamics_vjp", robot->plain, "tandem", "",
                 [model, m = memory(4 * nv)](const PlainState& s) {
                   const auto [first, second] = halves(m->out);
                   const auto n = first.size() / 2;
                   inverse_dynamics_vjp(model, s.q, s.v, s.a, s.tau, first.first(n), first.last(n), second.first(n),
                                        second.last(n), m->work);
                 });
  add_serial_row(rows, "forward_dynamics_vjp", robot->plain, "tandem", "",
                 [model, m = memory(4 * nv)](const PlainState& s) {
                   const auto [first, second] = halves(m->out);
                   const auto n = first.size() / 2;
                   forward_dynamics_vjp(model, s.q, s.v, s.tau, s.a, first.first(n), first.last(n), second.first(n),
                                        second.last(n), m->work);
                 });
  if (nv > 2000) return;
  add_serial_row(rows, "mass_matrix", robot->plain, "tandem", "", [model, m = memory(nv * nv)](const PlainState& s) {
    mass_matrix(model, s.q, m->out, m->work, {.method = Method::composite_rigid_body});
  });
  add_serial_row(rows, "inverse_dynamics_derivatives", robot->plain, "tandem", "",
                 [model, m = memory(2 * nv * nv)](const PlainState& s) {
                   const auto [by_q, by_v] = halves(m->out);
                   inverse_dynamics_derivatives(model, s.q, s.v, s.a, by_q, by_v, m->work);
                 });
  add_serial_row(rows, "forward_dynamics_derivatives", robot->plain, "tandem", "",
                 [model, m = memory(2 * nv * nv)](const PlainState& s) {
                   const auto [by_q, by_v] = halves(m->out);
                   forward_dynamics_derivatives(model, s.q, s.v, s.tau, by_q, by_v, m->work);
                 });
  add_serial_row(
      rows, "inverse_mass_matrix", robot->plain, "tandem", "",
      [model, m = memory(nv * nv)](const PlainState& s) { inverse_mass_matrix(model, s.q, m->out, m->work); });
  add_serial_row(rows, "forward_dynamics", robot->plain, "tandem", "composite_rigid_body",
                 [model, m = memory(nv)](const PlainState& s) {
                   forward_dynamics(model, s.q, s.v, s.tau, m->out, m->work, {}, {},
                                    {.method = Method::composite_rigid_body});
                 });
}

}  // namespace tandem::bench
