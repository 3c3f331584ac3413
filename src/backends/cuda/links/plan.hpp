// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/device_model.hpp"
#include "backends/cuda/driver.hpp"

namespace tandem::cuda {

/// What a plan of a method that divides one robot holds, the robot as it is cut among it.
template <class T>
class LinkPlan : public Prepared {
 public:
  LinkPlan(const Model& model, int number) : Prepared{number, true}, model_(model.view<T>()) {}
  ~LinkPlan() override = default;
  LinkPlan(const LinkPlan&) = delete;
  LinkPlan& operator=(const LinkPlan&) = delete;

  /// Starts it over a batch, arguments checked and on the device in use.
  virtual void start(const Model& model, const CallThere<T>& call, Workspace& work) const = 0;

  ModelView<T> there(const Model& model) const { return model_.view(model.view<T>()); }

 private:
  DeviceModel<T> model_;
};

/// The plans of the methods, by how they are carried out.
template <class T>
using LinkPlanOf = std::shared_ptr<const LinkPlan<T>> (*)(const Model&, const Options&, int device);

template <class T>
std::shared_ptr<const LinkPlan<T>> plan_forward_scan(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_subsystems(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_inverse_scan(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_composite_scan(const Model&, const Options&, int device);

template <class T>
std::shared_ptr<const LinkPlan<T>> plan_inverse_dynamics(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_log_composite(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_divide_and_conquer(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_constraint_force(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_constraint_wrenches(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_hybrid(const Model&, const Options&, int device);
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_inversion(const Model&, const Options&, int device);

}  // namespace tandem::cuda
