// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/rollout.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/parameters.hpp"
#include "api/workspace_in_use.hpp"
#include "backends/cuda/rollout_driver.hpp"
#include "call.hpp"
#include "check.hpp"
#include "contacts.hpp"
#include "run.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem {

template <class T>
void rollout(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays,
             const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const RolloutOptions& options,
             const Device& device) {
  check_kind(device);
  check_rollout(model, arrays, batch, options, device);
  if (device.kind == Device::cuda && model.n_loops() > 0 && !options.contacts)
    throw Error(sentence("rollout: ", element("robot", model.name()),
                         " has closed loops, which are not rolled out on a GPU; device cpu serves"));
  std::optional<Model> tree;  // its loops are held by contact dynamics
  if (options.contacts && model.n_loops() > 0) tree = model.without_loops();
  const Model& stepped = tree ? *tree : model;
  const Options dynamics = dynamics_of(stepped, options);
  const WorkspaceInUse<T> use(work);
  const std::vector<T> most_speed = most_speeds<T>(stepped, options);
  RolloutCall<T> call = call_of<T>(stepped, arrays, batch, options, dynamics.method, most_speed);
  std::optional<ParametersOfModel<T>> parameters;
  if (!batch.parameters.empty()) {
    parameters.emplace(stepped, batch.parameters, batch.size);
    call.parameters = &parameters->arrays();
  }
  const bool has_pd = arrays.has_controller() && options.tracking == Tracking::pd;
  const std::optional<StepContacts> contacts =
      step_contacts("rollout", model, options, has_pd, kept(work).contacts, device);
  ContactCall<T> contact_call;
  if (contacts) {
    contact_call = contacts->call<T>();
    contact_call.accounts = !arrays.contact_tally.empty();
    contact_call.warm = arrays.stops;
    if (!arrays.contact_forces.empty()) contact_call.forces = arrays.contact_forces.data();
    if (!arrays.contact_tally.empty()) contact_call.tally = arrays.contact_tally.data();
    std::ranges::fill(arrays.contact_forces, 0.0);
    std::ranges::fill(arrays.contact_tally, ContactTally());
    call.contacts = &contact_call;
  }
  if (device.kind == Device::cuda) {
    cuda::roll_out(stepped, numbered(device).ordinal, call, batch.size, batch.status_place, batch.stream,
                   kept(work).on_gpu);
    return use.end();
  }
  const RolloutLines<T> lines(stepped, call, dynamics, contacts ? Specialise::off : options.specialise, work);
  run_on_processor(call, lines, batch.size, batch.threads, work);
  use.end();
}

template <class T>
Device choose_device(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays, Index batch,
                     const RolloutOptions& options) {
  const bool of_its_own = options.specialise == Specialise::on || options.specialise == Specialise::wait;
  if (of_its_own || options.contacts || arrays.pushes.size() > std::size_t{cuda::most_rollout_pushes} ||
      arrays.costs.frames.size() > std::size_t{cuda::most_rollout_frames})
    return {};
  return choose_device<T>(find_algorithm(ForwardDynamics::name), model, batch, options.dynamics);
}

template Device choose_device<double>(const Model&, const RolloutArrays<double>&, Index, const RolloutOptions&);
template Device choose_device<float>(const Model&, const RolloutArrays<float>&, Index, const RolloutOptions&);
template void rollout(const Model&, const RolloutArrays<double>&, const Batch<double>&, Workspace<double>&,
                      const RolloutOptions&, const Device&);
template void rollout(const Model&, const RolloutArrays<float>&, const Batch<float>&, Workspace<float>&,
                      const RolloutOptions&, const Device&);

}  // namespace tandem
