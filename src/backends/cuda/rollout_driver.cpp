// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/rollout_driver.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "backends/cuda/contact_rollout_kernels.hpp"
#include "backends/cuda/device_contacts.hpp"
#include "backends/cuda/device_model.hpp"
#include "backends/cuda/driver.hpp"
#include "backends/cuda/rollout_kernels.hpp"
#include "backends/cuda/staging.hpp"
#include "core/text.hpp"

namespace tandem::cuda {
namespace {

/// An array of the host on its way: instances side by side there, or one for all.
template <class T>
struct StagedSeries {
  Series<T> here;
  Index rows, steps;
  bool input, output;
  Index numbers(Index instances) const { return rows * steps * (here.stride == 0 ? 1 : instances); }

  Series<T> placed(T* data, Index instances) const {
    const Index apart = here.stride == 0 ? 1 : instances;
    return {data, here.stride == 0 ? 0 : Index{1}, here.step_stride == 0 ? 0 : rows * apart, apart, Place::device};
  }
  /// f(number here, its place there) for the instances from one on.
  template <class F>
  void for_each(Index first, Index instances, F&& f) const {
    const Index n = here.stride == 0 ? 1 : instances;
    const std::size_t bytes = static_cast<std::size_t>(numbers(instances)) * sizeof(T);
    in_parts(n, copying_threads(bytes), [&](Index begin, Index end) {
      for (Index step = 0; step < steps; ++step)
        for (Index row = 0; row < rows; ++row)
          for (Index b = begin; b < end; ++b)
            f(here.data[(here.stride == 0 ? 0 : (first + b) * here.stride) + step * here.step_stride +
                        row * here.row_stride],
              (step * rows + row) * n + b);
    });
  }
};

template <class T>
class RolloutPieces {
 public:
  RolloutPieces(const Model& model, const RolloutCall<T>& call, Index batch, Place status_place, Stream stream,
                Workspace& work)
      : model_(model), host_(model.view<T>()), call_(call), batch_(batch), stream_(stream), work_(work), there_(host_) {
    status_is_here_ = call.status && status_place == Place::host;
    if (static_cast<int>(call.frames.size()) > most_rollout_frames)
      throw Error(sentence("rollout: ", call.frames.size(), " frame costs, expected at most ", most_rollout_frames,
                           " on a GPU"));
    if (static_cast<int>(call.pushes.size()) > most_rollout_pushes)
      throw Error(sentence("rollout: ", call.pushes.size(), " external wrenches, expected at most ",
                           most_rollout_pushes, " on a GPU"));
    launch_.call.law = call.law;
    launch_.call.method = call.method;
    launch_.call.n_pushes = static_cast<int>(call.pushes.size());
    launch_.stream = stream;
    list();
  }

  void run() {
    kind_ = call_.parameters                                                                 ? RolloutKind::varied
            : is_of(JointSet::hinges, host_) && call_.method != Method::composite_rigid_body ? RolloutKind::hinges
                                                                                             : RolloutKind::any;
    launch_.model = there_.view(host_);
    if (kind_ == RolloutKind::varied || call_.contacts) {
      replicated_.emplace(model_);
      launch_.model = replicated_->view(launch_.model);
    }
    if (call_.contacts) contacts_.emplace(*call_.contacts, host_);
    Index bytes = static_cast<Index>(bytes_of_reports());
    for (const StagedSeries<T>& f : staged_)
      if (f.here.stride != 0) bytes += f.rows * f.steps * static_cast<Index>(sizeof(T));
    const Index held = std::max<Index>(warp, static_cast<Index>(work_.most_staging) / bytes);
    const Index piece = is_all_there() ? batch_ : std::min(batch_, held);
    for (Index first = 0; first < batch_; first += piece) run(first, std::min(piece, batch_ - first));
  }

 private:
  /// Everything that a kernel is told, as series.
  void list() {
    const Index nq = host_.nq, nv = host_.nv, n = call_.law.first + call_.law.steps;
    const Index samples = call_.law.steps / call_.law.every + 1;
    const auto add = [&](const Series<T>& given, Index rows, Index steps, bool input, bool output) {
      series_.push_back({});
      CallSeries& g = series_.back();
      g.now = given;
      if (given.data && given.place == Place::host && rows > 0)
        staged_.push_back({given, rows, given.step_stride == 0 ? 1 : steps, input, output});
      g.staged = given.data && given.place == Place::host && rows > 0 ? static_cast<int>(staged_.size()) - 1 : -1;
    };
    series_.reserve(128);
    for (int k = 0; k < n_rollout_inputs; ++k)
      add(call_.inputs[k], rows_of_input(static_cast<RolloutInput>(k), host_), rollout_inputs[k].values(n), true,
          false);
    for (const FrameCost<T>& f : call_.frames) {
      add(f.target, 12, n + 1, true, false);
      add(series_of(f.weight), 6, 1, true, false);
      add(series_of(f.final_weight), 6, 1, true, false);
    }
    for (const Push<T>& p : call_.pushes) add(series_of(p.wrench), 6, 1, true, false);
    for (int k = 0; k < n_parameters; ++k)
      add(call_.parameters ? series_of(call_.parameters->values[k]) : Series<T>(),
          shape(parameters()[static_cast<std::size_t>(k)].rows, host_).count(), 1, true, false);
    add({const_cast<T*>(call_.most_speed), 0, 0, 1}, nv, 1, true, false);
    add(series_of(call_.q0), nq, 1, true, false);
    add(series_of(call_.v0), nv, 1, true, false);
    add(series_of(call_.stops), 3 * nv, 1, true, true);
    add(series_of(call_.q), nq, 1, false, true);
    add(series_of(call_.v), nv, 1, false, true);
    add(series_of(call_.cost), 1, 1, false, true);
    add(call_.q_path, nq, samples, false, true);
    add(call_.v_path, nv, samples, false, true);
  }

  void run(Index first, Index n) {
    bring_there(first, n);
    launch(first, n);
    if (!is_all_there()) bring_here(first, n);
  }

  void bring_there(Index first, Index n) {
    Index all = 0;
    for (const StagedSeries<T>& f : staged_) all += f.numbers(n);
    numbers_.resize(static_cast<std::size_t>(all));
    data_ = static_cast<T*>(work_.arrays.reserve(static_cast<std::size_t>(all) * sizeof(T)));
    Index next = 0;
    for (CallSeries& g : series_) {
      if (g.staged < 0) {
        g.there = g.now;
        if (g.there.data) g.there.data += first * g.there.stride;
        continue;
      }
      const StagedSeries<T>& f = staged_[static_cast<std::size_t>(g.staged)];
      T* const here = numbers_.data() + next;
      if (f.input) f.for_each(first, n, [here](const T& x, Index place) { here[place] = x; });
      g.there = f.placed(data_ + next, n);
      next += f.numbers(n);
    }
    copy_to_device(data_, numbers_.data(), static_cast<std::size_t>(all) * sizeof(T), stream_);
  }

  void bring_here(Index first, Index n) {
    copy_to_host(numbers_.data(), data_, numbers_.size() * sizeof(T), stream_);
    const auto states = static_cast<std::size_t>(n);
    if (status_is_here_) copy_to_host(call_.status + first, status_there_, states * sizeof(Status), stream_);
    if (call_.steps) copy_to_host(call_.steps + first, steps_there_, states * sizeof(std::int32_t), stream_);
    if (const std::size_t n_forces = forces_of_instance(); n_forces > 0)
      copy_to_host(call_.contacts->forces + static_cast<std::size_t>(first) * n_forces, contact_call_.forces,
                   states * n_forces * sizeof(double), stream_);
    if (contact_call_.tally)
      copy_to_host(call_.contacts->tally + first, contact_call_.tally, states * sizeof(ContactTally), stream_);
    synchronise(stream_);
    Index next = 0;
    for (const StagedSeries<T>& f : staged_) {
      const T* const here = numbers_.data() + next;
      if (f.output) f.for_each(first, n, [here](T& x, Index place) { x = here[place]; });
      next += f.numbers(n);
    }
  }

  void launch(Index first, Index n) {
    std::size_t k = 0;
    const auto series = [&] { return series_[k++].there; };
    const auto array = [&] { return series().at(0); };
    DeviceRollout<T>& c = launch_.call;
    for (Series<T>& input : c.inputs) input = series();
    for (std::size_t i = 0; i < call_.frames.size(); ++i) {
      c.frames[i].frame = call_.frames[i].frame;
      c.frames[i].target = series();
      c.frames[i].weight = array();
      c.frames[i].final_weight = array();
    }
    for (std::size_t i = 0; i < call_.pushes.size(); ++i) {
      c.pushes[i] = call_.pushes[i];
      c.pushes[i].wrench = array();
    }
    ParameterArrays<T> varied = call_.parameters ? *call_.parameters : ParameterArrays<T>();
    for (Array<T>& values : varied.values) values = array();
    c.most_speed = series().data;
    c.q0 = array();
    c.v0 = array();
    c.stops = array();
    c.q = array();
    c.v = array();
    c.cost = array();
    c.q_path = series();
    c.v_path = series();
    c.batch = n;
    place_reports(first, n);

    const Index rows = contacts_ ? contact_rollout_rows(c, contact_call_, host_) : rollout_rows(c, host_);
    const Index own = call_.parameters ? own_rows(host_) : 0;
    const Index resident = contacts_ ? resident_contact_rollouts<T>() : resident_rollouts<T>(kind_);
    const Scratch<T> scratch = take_scratch<T>(work_, std::min(n, resident), rows + own, warp);
    launch_.scratch = scratch;
    if (call_.parameters) launch_.variation = replicated_->variation(varied, scratch.data + rows * scratch.stride);
    if (contacts_)
      launch_contact_rollout(launch_, contact_call_);
    else
      launch_rollout(kind_, launch_);
  }

  void place_reports(Index first, Index n) {
    const auto states = static_cast<std::size_t>(n);
    auto* bytes = static_cast<std::byte*>(work_.reports.reserve(states * bytes_of_reports()));
    if (contacts_) {
      contact_call_ = contacts_->call();
      const std::size_t of_forces = states * forces_of_instance() * sizeof(double);
      contact_call_.forces = of_forces > 0 ? reinterpret_cast<double*>(bytes) : nullptr;
      if (of_forces > 0) check(cudaMemsetAsync(bytes, 0, of_forces, stream_), "contact forces");
      bytes += of_forces;
      contact_call_.tally = call_.contacts->tally ? reinterpret_cast<ContactTally*>(bytes) : nullptr;
      bytes += states * sizeof(ContactTally);
    }
    steps_there_ = reinterpret_cast<std::int32_t*>(bytes);
    status_there_ = reinterpret_cast<Status*>(bytes + states * sizeof(std::int32_t));
    launch_.call.steps = call_.steps ? steps_there_ : nullptr;
    launch_.call.status = !call_.status ? nullptr : status_is_here_ ? status_there_ : call_.status + first;
  }

  /// Whether nothing goes to the host.
  bool is_all_there() const { return staged_.empty() && !status_is_here_ && !call_.steps && !gives_contacts(); }
  bool gives_contacts() const { return call_.contacts && (call_.contacts->forces || call_.contacts->tally); }
  std::size_t forces_of_instance() const {
    if (!call_.contacts || !call_.contacts->forces) return 0;
    return 6 * static_cast<std::size_t>(call_.contacts->problem->n_slots);
  }
  /// Of an instance. Forces of contacts come first, then their statistics.
  std::size_t bytes_of_reports() const {
    return forces_of_instance() * sizeof(double) + (call_.contacts ? sizeof(ContactTally) : 0) + sizeof(std::int32_t) +
           sizeof(Status);
  }

  struct CallSeries {
    Series<T> now, there;
    int staged = -1;  ///< index in staged_; -1: not staged
  };
  const Model& model_;
  const ModelView<T>& host_;
  const RolloutCall<T>& call_;
  Index batch_;
  Stream stream_;
  Workspace& work_;
  DeviceModel<T> there_;
  std::optional<ReplicatedModel<T>> replicated_;
  std::optional<ContactProblemThere<T>> contacts_;
  DeviceContacts<T> contact_call_;  ///< of a piece
  RolloutKind kind_ = RolloutKind::any;
  RolloutLaunch<T> launch_;
  std::vector<CallSeries> series_;
  std::vector<StagedSeries<T>> staged_;
  std::vector<T> numbers_;
  T* data_ = nullptr;
  std::int32_t* steps_there_ = nullptr;
  Status* status_there_ = nullptr;
  bool status_is_here_ = false;
};

}  // namespace

template <class T>
void roll_out(const Model& model, int device, const RolloutCall<T>& call, Index batch, Place status_place,
              Stream stream, Workspace& work) {
  if (batch == 0) return;
  const DeviceInUse here(device, work);
  RolloutPieces<T>(model, call, batch, status_place, stream, work).run();
  synchronise(stream);  // the model that it reads goes with the call
}

template void roll_out(const Model&, int, const RolloutCall<double>&, Index, Place, Stream, Workspace&);
template void roll_out(const Model&, int, const RolloutCall<float>&, Index, Place, Stream, Workspace&);

}  // namespace tandem::cuda
