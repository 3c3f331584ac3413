// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/links/group_methods.hpp"
#include "backends/cuda/links/plan.hpp"
#include "backends/cuda/links/run_groups.hpp"
#include "backends/cuda/links/scan_layout.hpp"

namespace tandem::cuda {

/// Blocks that so many independent parts keep busy.
inline Index blocks_for(Index parts) { return (parts + group_threads - 1) / group_threads; }

/// Links that a thread goes through one after the other, if nobody says otherwise: what is short for one thread is no
/// shorter for more of them.
inline constexpr int usual_chunk = 8;

/// A plan of a scan with its arrays on the device in use.
template <class T>
class DeviceScanPlan {
 public:
  DeviceScanPlan(const ModelView<T>& m, const ScanCut& cut) {
    const OwnedPlan<T> here(m, cut);
    plan_ = here.plan;
    const std::size_t bytes = here.memory.size() * sizeof(here.memory[0]);
    auto* const there = static_cast<char*>(memory_.reserve(bytes));
    copy_to_device(there, here.memory.data(), bytes);
    check(cudaDeviceSynchronize(), "copying how a robot is cut");
    const auto* const begin = reinterpret_cast<const char*>(here.memory.data());
    const auto move = [&](auto*&... pointers) {
      ((pointers = pointers ? reinterpret_cast<std::remove_reference_t<decltype(pointers)>>(
                                  there + (reinterpret_cast<const char*>(pointers) - begin))
                            : nullptr),
       ...);
    };
    move(plan_.link, plan_.slot, plan_.slot_chunk, plan_.path_link, plan_.path_chunk, plan_.level_path,
         plan_.level_group, plan_.chunk, plan_.chunk_kind, plan_.group_chunk, plan_.group_kind, plan_.group_steps,
         plan_.group_dof, plan_.group_ends, plan_.group_row);
    rows_ = InverseDynamicsScan::rows<T>(here.plan);
  }
  const ScanPlan& plan() const { return plan_; }
  Index rows() const { return rows_; }

 private:
  ScanPlan plan_;
  Index rows_ = 0;
  Memory memory_{Place::device};
};

/// Inverse dynamics by the forms that have no kernels of chunks.
template <class T>
class FormPlan : public LinkPlan<T> {
 public:
  FormPlan(const Model& model, const Options& options, int number)
      : LinkPlan<T>(model, number),
        method_(with_options<InverseDynamicsScan>(options)),
        plan_(model.view<T>(), cut(model)) {}
  void start(const Model& model, const CallThere<T>& call, Workspace& work) const override {
    run(model.view<T>(), this->there(model), call.arguments, call.batch, work, call.stream);
  }
  void run(const ModelView<T>& here, const ModelView<T>& there, const Array<T>* arguments, Index batch, Workspace& work,
           Stream stream) const {
    run_on_groups(InverseDynamicsOnGroup{method_, plan_.plan(), plan_.rows()}, here, there, arguments, batch,
                  blocks_for(plan_.plan().n_chunks), nullptr, work, stream);
  }

 private:
  ScanCut cut(const Model& model) const {
    InverseDynamicsScan method = method_;
    if (method.chunk == 0 && method.chunks == 0) method.chunk = usual_chunk;
    ScanCut cut = method.cut(model.view<T>());
    cut.lanes = 1;
    return cut;
  }
  InverseDynamicsScan method_;
  DeviceScanPlan<T> plan_;
};

}  // namespace tandem::cuda
