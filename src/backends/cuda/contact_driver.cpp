// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/contact_driver.hpp"

#include <algorithm>

#include "backends/cuda/contact_rollout_kernels.hpp"
#include "backends/cuda/device_contacts.hpp"
#include "backends/cuda/device_model.hpp"
#include "backends/cuda/driver.hpp"
#include "core/text.hpp"

namespace tandem::cuda {
namespace {

/// States of one piece: arrays of the host and their places on the device.
class ContactPieces {
 public:
  ContactPieces(const Model& model, const ContactStatesCall<double>& call, std::int32_t* dropped, Workspace& work)
      : call_(call),
        m_(call.model),
        dropped_(dropped),
        work_(work),
        there_(m_),
        replicated_(model),
        problem_(call.contacts, m_) {
    launch_.model = replicated_.view(there_.view(m_));
  }

  void run(Index batch) {
    const std::size_t bytes = place(nullptr, 1);
    const Index piece = std::max<Index>(warp, static_cast<Index>(work_.most_staging / bytes));
    for (Index first = 0; first < batch; first += piece) run(first, std::min(piece, batch - first));
  }

 private:
  /// Places the arrays of n states from `data` on; returns bytes.
  std::size_t place(std::byte* data, Index n) {
    std::size_t next = 0;
    const auto take = [&]<class X>(X*& to, Index rows) {
      constexpr std::size_t alignment = 256;
      to = reinterpret_cast<X*>(data ? data + next : nullptr);
      next += (static_cast<std::size_t>(n * rows) * sizeof(X) + alignment - 1) / alignment * alignment;
    };
    contacts_ = problem_.call();
    DeviceContactStates<double>& s = contacts_.states;
    const Index wrenches = call_.f_ext.data ? 6 * Index{m_.n_links} : 0, loops = contacts_.joints.loops.n,
                couplers = contacts_.joints.couplers.n;
    const auto rows = [&](Array<double>& to, Index count) {
      take(to.data, count);
      to.stride = count;
      to.row_stride = 1;
      to.place = Place::device;
      if (count == 0) to.data = nullptr;
    };
    rows(s.q, m_.nq);
    rows(s.v, m_.nv);
    rows(s.tau, m_.nv);
    rows(s.f_ext, wrenches);
    rows(s.a, m_.nv);
    take(s.f_limit, m_.nv);
    take(s.f_friction, m_.nv);
    take(contacts_.forces, 6 * Index{contacts_.n_slots});
    take(s.f_loop, 6 * loops);
    take(s.f_coupler, couplers);
    take(s.steps, 1);
    take(s.dropped, 1);
    take(s.converged, 1);
    return next;
  }

  void run(Index first, Index n) {
    place(static_cast<std::byte*>(work_.arrays.reserve(place(nullptr, n))), n);
    const DeviceContactStates<double>& s = contacts_.states;
    const auto size = [&](Index rows) { return static_cast<std::size_t>(n * rows) * sizeof(double); };
    const auto there = [&](const Array<double>& to, const Array<double>& from, Index rows) {
      if (to.data) copy_to_device(to.data, from.data + first * rows, size(rows));
    };
    there(s.q, call_.q, m_.nq);
    there(s.v, call_.v, m_.nv);
    there(s.tau, call_.tau, m_.nv);
    there(s.f_ext, call_.f_ext, 6 * Index{m_.n_links});
    there(s.a, call_.a, m_.nv);
    const Index slots = 6 * Index{contacts_.n_slots};
    check(cudaMemsetAsync(contacts_.forces, 0, size(slots)), "contact forces");
    launch(n);
    const auto here = [&](double* to, const double* from, Index rows) {
      if (to && rows > 0) copy_to_host(to + first * rows, from, size(rows));
    };
    const ContactCall<double>& results = call_.contacts;
    here(call_.a.data, s.a.data, m_.nv);
    here(results.f_limit, s.f_limit, m_.nv);
    here(results.f_friction, s.f_friction, m_.nv);
    here(results.forces, contacts_.forces, slots);
    here(results.f_loop, s.f_loop, 6 * Index{contacts_.joints.loops.n});
    here(results.f_coupler, s.f_coupler, contacts_.joints.couplers.n);
    const auto states = static_cast<std::size_t>(n);
    if (call_.steps) copy_to_host(call_.steps + first, s.steps, states * sizeof(std::int32_t));
    copy_to_host(dropped_ + first, s.dropped, states * sizeof(std::int32_t));
    if (call_.converged) copy_to_host(call_.converged + first, s.converged, states);
    synchronise();
  }

  void launch(Index n) {
    launch_.call.batch = n;
    const Index rows = contact_state_rows(contacts_, m_);
    launch_.scratch = take_scratch<double>(work_, std::min(n, resident_contact_rollouts<double>()), rows, warp);
    launch_contact_rollout(launch_, contacts_);
  }

  const ContactStatesCall<double>& call_;
  const ModelView<double>& m_;
  std::int32_t* dropped_;
  Workspace& work_;
  DeviceModel<double> there_;
  ReplicatedModel<double> replicated_;
  ContactProblemThere<double> problem_;
  RolloutLaunch<double> launch_;
  DeviceContacts<double> contacts_;  ///< of a piece
};

}  // namespace

void solve_contacts(const Model& model, int device, const ContactStatesCall<double>& call, Index batch,
                    std::int32_t* dropped, Workspace& work) {
  if (batch == 0) return;
  const DeviceInUse here(device, work);
  ContactPieces(model, call, dropped, work).run(batch);
}

}  // namespace tandem::cuda
