// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/links/driver.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "backends/cuda/links/plan.hpp"
#include "core/text.hpp"
#include "tandem/detail/problems/constraint_wrenches.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::cuda {
namespace {

template <class T>
struct Served {
  std::string_view algorithm;
  Method method;
  LinkPlanOf<T> plan;
};
template <class T>
constexpr Served<T> served[] = {{ForwardDynamics::name, Method::scan, plan_forward_scan<T>},
                                {ForwardDynamics::name, Method::divide_and_conquer_efficient, plan_subsystems<T>},
                                {ForwardDynamics::name, Method::divide_and_conquer, plan_divide_and_conquer<T>},
                                {ForwardDynamics::name, Method::constraint_force, plan_constraint_force<T>},
                                {ForwardDynamics::name, Method::conjugate_gradient, plan_constraint_force<T>},
                                {ForwardDynamics::name, Method::hybrid_articulated_body, plan_hybrid<T>},
                                {ForwardDynamics::name, Method::mass_matrix_inversion, plan_inversion<T>},
                                {InverseDynamics::name, Method::scan, plan_inverse_dynamics<T>},
                                {MassMatrix::name, Method::composite_scan, plan_composite_scan<T>},
                                {MassMatrix::name, Method::log_composite, plan_log_composite<T>},
                                {ConstraintWrenches::name, Method::constraint_force, plan_constraint_wrenches<T>}};

}  // namespace

template <class T>
std::shared_ptr<const Prepared> prepare_links(const Algorithm& algorithm, const Model& model, const Options& options,
                                              int device) {
  const auto* const found = std::find_if(std::begin(served<T>), std::end(served<T>), [&](const Served<T>& s) {
    return s.algorithm == algorithm.name && s.method == options.method;
  });
  if (found == std::end(served<T>)) {
    std::string others;
    for (const Method method : algorithm.methods)
      if (method != Method::automatic) others.append(to_string(method)).append(", ");
    for (const Served<T>& s : served<T>)
      if (s.algorithm == algorithm.name) others.append(to_string(s.method)).append(", ");
    throw Error(sentence(algorithm.name, ": method ", to_string(options.method), " does not run on a GPU; use ",
                         others.substr(0, others.size() - 2)));
  }
  const DeviceInUse here(device);
  return found->plan(model, options, device);
}

template <class T>
void start_links(const Prepared& prepared, const Model& model, const CallThere<T>& call, Workspace& work) {
  if (model.nv() > 0) static_cast<const LinkPlan<T>&>(prepared).start(model, call, work);
}

template <class T>
ModelView<T> model_of_links(const Prepared& prepared, const Model& model, const Array<T>*) {
  return static_cast<const LinkPlan<T>&>(prepared).there(model);
}

template ModelView<double> model_of_links(const Prepared&, const Model&, const Array<double>*);
template ModelView<float> model_of_links(const Prepared&, const Model&, const Array<float>*);
template std::shared_ptr<const Prepared> prepare_links<double>(const Algorithm&, const Model&, const Options&, int);
template std::shared_ptr<const Prepared> prepare_links<float>(const Algorithm&, const Model&, const Options&, int);
template void start_links(const Prepared&, const Model&, const CallThere<double>&, Workspace&);
template void start_links(const Prepared&, const Model&, const CallThere<float>&, Workspace&);

}  // namespace tandem::cuda
