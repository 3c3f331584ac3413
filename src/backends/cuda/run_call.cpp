// SPDX-License-Identifier: Apache-2.0
/// A call with its arrays where users have them: those of the host go to the device and back piece by piece, one piece
/// on its way up, one worked on, one on its way down.
#include <algorithm>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/pipeline.hpp"
#include "backends/cuda/staging.hpp"

namespace tandem::cuda {
namespace {

bool is_page_locked(const void* data) {
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeHost;
}

template <class T>
class Pieces {
 public:
  Pieces(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments, const Batch<T>& batch,
         const ParameterArrays<T>* varied, bool iterates)
      : algorithm_(algorithm), model_(model), batch_(batch), arguments_(arguments.begin(), arguments.end()) {
    const ModelView<T>& m = model.view<T>();
    if (varied) varied_ = *varied;
    for (const bool inputs : {true, false}) {
      for (std::size_t k = 0; k < arguments.size(); ++k)
        if (is_input(algorithm.arguments[k]) == inputs)
          add(arguments_[k], shape(algorithm.arguments[k].rows, m).count(), inputs);
      if (inputs && varied)
        for (int k = 0; k < n_parameters; ++k)
          add(varied_.values[k], shape(parameters()[static_cast<std::size_t>(k)].rows, m).count(), true);
    }
    varies_ = varied != nullptr;
    counts_ = iterates && !batch.iterations.empty();
    status_is_here_ = !batch.status.empty() && batch.status_place == Place::host;
  }
  bool none() const { return in_.empty() && out_.empty() && !status_is_here_ && !counts_; }

  void run(const Prepared& prepared, Workspace& work) {
    if (!work.pipeline) work.pipeline = std::make_shared<Pipeline>();
    Pipeline& line = *work.pipeline;
    const std::size_t bytes =
        static_cast<std::size_t>(rows_) * sizeof(T) + 1 + (counts_ ? sizeof(std::int32_t) : 0);  // of a state
    const auto held = static_cast<Index>(work.most_staging / Pipeline::slots / bytes);
    piece_ = std::clamp<Index>(held, 1, batch_.size);
    for (Pipeline::Slot& slot : line.slot) {
      if (&slot - line.slot >= (batch_.size + piece_ - 1) / piece_) break;
      slot.there.reserve(static_cast<std::size_t>(piece_) * bytes + alignof(T));
      slot.here.reserve(static_cast<std::size_t>(piece_) * bytes + alignof(T));
    }
    // what is there already may still be on its way
    start_.record(batch_.stream);
    start_.hold(line.up);
    const Index n = (batch_.size + piece_ - 1) / piece_;
    for (Index k = 0; k < n; ++k) {
      Pipeline::Slot& slot = line.slot[k % Pipeline::slots];
      send(line, slot, k);
      slot.up.hold(batch_.stream);
      work_on(prepared, slot, k, work);
      slot.done.record(batch_.stream);
      slot.done.hold(line.down);
      fetch(line, slot, k);
      if (k > 0) settle(line.slot[(k - 1) % Pipeline::slots], k - 1);
    }
    settle(line.slot[(n - 1) % Pipeline::slots], n - 1);
  }

 private:
  void add(Array<T>& array, Index rows, bool input) {
    if (!array.data || array.place == Place::device || rows == 0) return;
    StagedArray<T> p = {array, rows, arrangement_of(array, rows), is_page_locked(array.data), rows_};
    rows_ += rows;
    (input ? in_ : out_).push_back(p);
    (input ? of_in_ : of_out_).push_back(&array);
  }
  Index first(Index k) const { return k * piece_; }
  Index states(Index k) const { return std::min(piece_, batch_.size - first(k)); }
  static std::size_t bytes(Index numbers) { return static_cast<std::size_t>(numbers) * sizeof(T); }
  T* numbers(const Memory& memory) const { return static_cast<T*>(memory.data()); }
  std::int32_t* steps(const Memory& memory, Index k) const {
    return reinterpret_cast<std::int32_t*>(numbers(memory) + rows_ * states(k));
  }
  Status* statuses(const Memory& memory, Index k) const {
    return reinterpret_cast<Status*>(steps(memory, k) + (counts_ ? states(k) : 0));
  }

  /// Copies a piece of an array that is page-locked as it is.
  void copy_direct(const StagedArray<T>& p, T* there, Index k, bool up, Stream stream) const {
    const cudaMemcpyKind kind = up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    const Index n = states(k);
    if (p.arrangement == Arrangement::rows) {
      T* const here = p.host.data + first(k);
      const std::size_t pitch_here = bytes(p.host.row_stride), pitch_there = bytes(n);
      check(cudaMemcpy2DAsync(up ? there : here, up ? pitch_there : pitch_here, up ? here : there,
                              up ? pitch_here : pitch_there, bytes(n), static_cast<std::size_t>(p.rows), kind, stream),
            "copying rows");
      return;
    }
    T* const here = p.host.data + first(k) * p.host.stride;
    const std::size_t size = bytes(p.arrangement == Arrangement::one ? p.rows : p.rows * n);
    check(cudaMemcpyAsync(up ? there : here, up ? here : there, size, kind, stream), "copying states");
  }

  void send(Pipeline& line, Pipeline::Slot& slot, Index k) {
    const Index n = states(k);
    if (k >= Pipeline::slots) {
      slot.down.hold(line.up);  // nothing of the piece before it in this slot is needed any more
      slot.up.wait();
    }
    for (const StagedArray<T>& p : in_) {
      T* const there = numbers(slot.there) + p.first_row * n;
      if (p.is_direct()) {
        copy_direct(p, there, k, true, line.up);
      } else {
        T* const here = numbers(slot.here) + p.first_row * n;
        pack(p, first(k), n, here);
        copy_to_device(there, here, bytes(p.arrangement == Arrangement::one ? p.rows : p.rows * n), line.up);
      }
    }
    slot.up.record(line.up);
  }

  void work_on(const Prepared& prepared, Pipeline::Slot& slot, Index k, Workspace& work) {
    const Index n = states(k);
    const auto advance = [&](Array<T>& array) {
      if (array.data && array.place == Place::device) array.data += first(k) * array.stride;
    };
    std::vector<Array<T>> there = arguments_;
    ParameterArrays<T> varied = varied_;
    std::for_each(there.begin(), there.end(), advance);
    std::for_each(std::begin(varied.values), std::end(varied.values), advance);
    for (const bool input : {true, false})
      for (std::size_t i = 0; i < (input ? in_ : out_).size(); ++i) {
        const Array<T>* const of = (input ? of_in_ : of_out_)[i];
        const StagedArray<T>& p = (input ? in_ : out_)[i];
        const bool is_argument = of >= arguments_.data() && of < arguments_.data() + arguments_.size();
        (is_argument ? there[static_cast<std::size_t>(of - arguments_.data())] : varied.values[of - varied_.values]) =
            p.there(numbers(slot.there), n);
      }
    CallThere<T> call = {there.data(), n, nullptr, varies_ ? &varied : nullptr, batch_.stream};
    if (status_is_here_)
      call.status = statuses(slot.there, k);
    else if (!batch_.status.empty())
      call.status = batch_.status.data() + first(k);
    if (counts_) call.iterations = steps(slot.there, k);
    start(prepared, algorithm_, model_, call, work);
  }

  void fetch(Pipeline& line, Pipeline::Slot& slot, Index k) {
    const Index n = states(k);
    for (const StagedArray<T>& p : out_) {
      T* const there = numbers(slot.there) + p.first_row * n;
      if (p.is_direct())
        copy_direct(p, there, k, false, line.down);
      else
        copy_to_host(numbers(slot.here) + p.first_row * n, there, bytes(p.rows * n), line.down);
    }
    if (status_is_here_)
      copy_to_host(statuses(slot.here, k), statuses(slot.there, k), static_cast<std::size_t>(n), line.down);
    if (counts_)
      copy_to_host(steps(slot.here, k), steps(slot.there, k), static_cast<std::size_t>(n) * sizeof(std::int32_t),
                   line.down);
    slot.down.record(line.down);
  }

  /// Brings what came down to where the user has it.
  void settle(Pipeline::Slot& slot, Index k) {
    slot.down.wait();
    const Index n = states(k);
    for (const StagedArray<T>& p : out_)
      if (!p.is_direct()) unpack(p, first(k), n, numbers(slot.here) + p.first_row * n);
    if (status_is_here_) std::copy_n(statuses(slot.here, k), n, batch_.status.data() + first(k));
    if (counts_)
      std::transform(steps(slot.here, k), steps(slot.here, k) + n, batch_.iterations.data() + first(k),
                     [](std::int32_t x) { return x < 0 ? -1 - x : x; });
  }

  const Algorithm& algorithm_;
  const Model& model_;
  const Batch<T>& batch_;
  std::vector<Array<T>> arguments_;
  ParameterArrays<T> varied_;
  bool varies_ = false, status_is_here_ = false, counts_ = false;
  std::vector<StagedArray<T>> in_, out_;
  std::vector<const Array<T>*> of_in_, of_out_;  ///< the argument or parameter that each is
  Index rows_ = 0, piece_ = 1;
  Event start_;
};

}  // namespace

template <class T>
void run_call(const Prepared& prepared, const Algorithm& algorithm, const Model& model,
              std::span<const Array<T>> arguments, const Batch<T>& batch, const ParameterArrays<T>* varied,
              Workspace& work) {
  if (batch.size == 0) return;
  const DeviceInUse here(prepared.device, work);
  const auto lies_there = [](const Array<T>& array) { return !array.data || array.place == Place::device; };
  const bool parameters_there =
      !varied || std::all_of(std::begin(varied->values), std::end(varied->values), lies_there);
  const bool status_there = batch.status.empty() || batch.status_place == Place::device;
  const bool counts = prepared.iterates && !batch.iterations.empty();
  if (std::all_of(arguments.begin(), arguments.end(), lies_there) && parameters_there && status_there && !counts) {
    Status* const status = batch.status.empty() ? nullptr : batch.status.data();
    return start<T>(prepared, algorithm, model, {arguments.data(), batch.size, status, varied, batch.stream}, work);
  }
  Pieces<T>(algorithm, model, arguments, batch, varied, prepared.iterates).run(prepared, work);
}

template void run_call(const Prepared&, const Algorithm&, const Model&, std::span<const Array<double>>,
                       const Batch<double>&, const ParameterArrays<double>*, Workspace&);
template void run_call(const Prepared&, const Algorithm&, const Model&, std::span<const Array<float>>,
                       const Batch<float>&, const ParameterArrays<float>*, Workspace&);

}  // namespace tandem::cuda
