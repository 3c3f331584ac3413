// SPDX-License-Identifier: Apache-2.0
/// The plans of the methods whose text groups of blocks go through, and what has to be found before.
#include <array>

#include "backends/cuda/common.hpp"
#include "backends/cuda/links/form_plan.hpp"
#include "tandem/detail/problems/bias_forces.hpp"

namespace tandem::cuda {
namespace {

template <class A>
A told(const Options& options) {
  A method = with_options<A>(options);
  if (options.chunk == 0) method.chunk = usual_chunk;
  return method;
}

/// A method as it is.
template <class A, class T>
class MethodPlan : public LinkPlan<T> {
 public:
  MethodPlan(const Model& model, const A& method, int number, Index parts)
      : LinkPlan<T>(model, number), method_(method), parts_(parts) {}
  void start(const Model& model, const CallThere<T>& call, Workspace& work) const override {
    run_on_groups(method_, model.view<T>(), this->there(model), call.arguments, call.batch, blocks_for(parts_),
                  call.iterations, work, call.stream);
  }

 private:
  A method_;
  Index parts_;
};

/// What an algorithm that is not divided gives, where the robot is no chain.
template <class A, class T>
struct Undivided {
  static Algorithm row() {
    Algorithm algorithm{};
    algorithm.name = A::name;
    algorithm.summary = A::summary;
    algorithm.arguments = A::arguments;
    return algorithm;
  }
  Algorithm algorithm = row();
  std::shared_ptr<const Prepared> prepared;
  Undivided(const Model& model, int device) : prepared(prepare<T>(algorithm, model, {}, device)) {}
  void start(const Model& model, std::initializer_list<Array<T>> arguments, const CallThere<T>& call,
             Workspace& work) const {
    cuda::start<T>(*prepared, algorithm, model, {arguments.begin(), call.batch, nullptr, nullptr, call.stream}, work);
  }
};

/// A piece of a batch: its arguments, and memory for what one kernel leaves to the next, so many numbers for every
/// state, row beside row of neighbouring states.
template <class T, class F>
void in_pieces(const CallThere<T>& call, std::size_t count, Index rows, Workspace& work, F&& f) {
  const Index held = static_cast<Index>(work.most_turned / sizeof(T)) / rows,
              piece = std::clamp<Index>(held, 1, call.batch);
  auto* const between = static_cast<T*>(work.between.reserve(static_cast<std::size_t>(rows * piece + 1) * sizeof(T)));
  for (Index first = 0; first < call.batch; first += piece) {
    std::vector<Array<T>> arguments(call.arguments, call.arguments + count);
    for (Array<T>& array : arguments)
      if (array.data) array.data += first * array.stride;
    CallThere<T> part = call;
    part.arguments = arguments.data();
    part.batch = std::min(piece, call.batch - first);
    if (call.iterations) part.iterations = call.iterations + first;
    f(part, between);
  }
}

/// Bias forces, on chains by the kernels of the scan.
template <class T>
class BiasPlan {
 public:
  BiasPlan(const Model& model, int device, Form form = Form::automatic) {
    if (is_chain(model.view<T>()))
      scan_ = plan_inverse_dynamics<T>(model, {.form = form}, device);
    else
      undivided_ = std::make_unique<const Undivided<BiasForces, T>>(model, device);
  }
  /// `zero`: a number of the device.
  Array<T> start(const Model& model, const CallThere<T>& call, T* bias, T* zero, Workspace& work) const {
    const Array<T>* const given = call.arguments;
    const Array<T> out = {bias, 1, call.batch, Place::device}, none = {zero, 0, 0, Place::device};
    if (undivided_) {
      undivided_->start(model, {given[0], given[1], given[3], out}, call, work);
      return out;
    }
    check(cudaMemsetAsync(zero, 0, sizeof(T), call.stream), "a number of zero");
    const Array<T> arguments[] = {given[0], given[1], none, given[3], out};
    scan_->start(model, {arguments, call.batch, nullptr, nullptr, call.stream}, work);
    return out;
  }

 private:
  std::shared_ptr<const LinkPlan<T>> scan_;
  std::unique_ptr<const Undivided<BiasForces, T>> undivided_;
};

/// tau less what ID(q, v, 0) takes, for methods whose right-hand side is that. The robot then rests.
template <class T>
class EffortPlan {
 public:
  EffortPlan(const Model& model, const Options& options, int device) {
    if (options.right_hand_side == RightHandSide::bias_torque)
      bias_ = std::make_unique<const BiasPlan<T>>(model, device);
  }
  explicit operator bool() const { return bias_ != nullptr; }
  /// Calls f(arguments of a piece, the piece, numbers of its own): so many for each state.
  template <class F>
  void with_effort(const Model& model, const CallThere<T>& call, std::size_t count, Index own, Workspace& work,
                   F&& f) const {
    const Index nv = model.nv();
    in_pieces(call, count, nv + own, work, [&](const CallThere<T>& piece, T* between) {
      T* const bias = between + own * piece.batch;
      std::vector<Array<T>> arguments(piece.arguments, piece.arguments + count);
      T* const zero = bias + nv * piece.batch;
      check(cudaMemsetAsync(zero, 0, sizeof(T), piece.stream), "a number of zero");
      const Array<T> effort = bias_->start(model, piece, bias, zero, work);
      subtract_from(arguments[2], effort, nv, piece.batch, piece.stream);
      arguments[1] = {zero, 0, 0, Place::device};
      arguments[2] = effort;
      arguments[3] = {};
      f(arguments, piece, between);
    });
  }

 private:
  std::unique_ptr<const BiasPlan<T>> bias_;
};

/// All that the constraint forces of a chain tell: `output` 0 accelerations, 1 wrenches.
template <class T>
class ConstraintPlan : public LinkPlan<T> {
 public:
  ConstraintPlan(const Model& model, const Options& options, int number, int output)
      : LinkPlan<T>(model, number),
        method_(told<ConstraintForceOutputs>(options)),
        effort_(model, output == 0 ? options : Options(), number),
        output_(output) {
    if (options.method == Method::conjugate_gradient) method_.solver = Solver::conjugate_gradient;
    this->iterates = method_.solver == Solver::conjugate_gradient;
    without_rotors_ = std::max(5, ConstraintForce::unknowns_of_joints(model.view<T>(), static_cast<const T*>(nullptr)));
  }
  void start(const Model& model, const CallThere<T>& call, Workspace& work) const override {
    constexpr std::size_t n_inputs = ConstraintForceOutputs::Problem::n_inputs;
    const ModelView<T>& m = model.view<T>();
    const ModelView<T> there = effort_ ? this->there(model).without_gravity() : this->there(model);
    const auto run = [&](const Array<T>* given, const CallThere<T>& piece) {
      std::array<Array<T>, n_inputs + 2> arguments = {};
      std::copy_n(given, n_inputs, arguments.begin());
      arguments[n_inputs + static_cast<std::size_t>(output_)] = given[n_inputs];
      ConstraintForceOutputs method = method_;
      method.unknowns = given[4].data ? 6 : without_rotors_;
      const bool by_chunks = method.solver == Solver::chunked;
      run_on_groups(method, m, there, arguments.data(), piece.batch,
                    blocks_for((m.n_links - 1) / (by_chunks ? method.chunk : 1) + 1), piece.iterations, work,
                    piece.stream);
    };
    if (!effort_) return run(call.arguments, call);
    effort_.with_effort(
        model, call, n_inputs + 1, 0, work,
        [&](const std::vector<Array<T>>& arguments, const CallThere<T>& piece, T*) { run(arguments.data(), piece); });
  }

 private:
  ConstraintForceOutputs method_;
  EffortPlan<T> effort_;
  int output_, without_rotors_;
};

/// The hybrid algorithm. As bias_torque it goes as its authors ran it: the processor finds the articulated inertias,
/// all else is done on the device, and the configurations go to the one, what it finds to the other.
template <class T>
class HybridPlan : public LinkPlan<T> {
 public:
  HybridPlan(const Model& model, const Options& options, int number)
      : LinkPlan<T>(model, number), effort_(model, options, number) {
    static_cast<HybridArticulatedBody&>(method_) = told<HybridArticulatedBody>(options);
  }
  void start(const Model& model, const CallThere<T>& call, Workspace& work) const override {
    const ModelView<T>& m = model.view<T>();
    const auto run = [&](const Array<T>* given, const CallThere<T>& piece, const Array<T>& responses) {
      const Array<T> arguments[] = {given[0], given[1], given[2], given[3], given[4], responses, given[5]};
      run_on_groups(method_, m, this->there(model), arguments, piece.batch, blocks_for(m.n_links - 1), nullptr, work,
                    piece.stream);
    };
    if (!effort_) return run(call.arguments, call, {});
    const Index rows = method_.response_rows(m);
    effort_.with_effort(model, call, 6, rows, work,
                        [&](const std::vector<Array<T>>& arguments, const CallThere<T>& piece, T* responses) {
                          for (Index b = 0; b < piece.batch; ++b)
                            find_on_processor(m, arguments, b, responses + b * rows, piece.stream);
                          run(arguments.data(), piece, {responses, rows, 1, Place::device});
                        });
  }

 private:
  static std::vector<T> fetched(const Array<T>& array, Index b, Index rows, Stream stream) {
    std::vector<T> column(array.data ? static_cast<std::size_t>(rows) : 0);
    if (column.empty()) return column;
    const T* const from = array.data + b * array.stride;
    const auto n = static_cast<std::size_t>(rows);
    if (array.row_stride == 1)
      copy_to_host(column.data(), from, n * sizeof(T), stream);
    else
      check(cudaMemcpy2DAsync(column.data(), sizeof(T), from, static_cast<std::size_t>(array.row_stride) * sizeof(T),
                              sizeof(T), n, cudaMemcpyDeviceToHost, stream),
            "bringing a configuration to the processor");
    return column;
  }
  void find_on_processor(const ModelView<T>& m, const std::vector<Array<T>>& arguments, Index b, T* responses,
                         Stream stream) const {
    const std::vector<T> q = fetched(arguments[0], b, m.nq, stream), diagonal = fetched(arguments[4], b, m.nv, stream);
    synchronise(stream);
    std::vector<T> found(static_cast<std::size_t>(method_.response_rows(m))),
        links(static_cast<std::size_t>(HybridArticulatedBody::rows_per_link * (m.n_links - 1)));
    method_.template find_responses<T>(m, q.data(), diagonal.empty() ? nullptr : diagonal.data(), found.data(),
                                       links.data());
    copy_to_device(responses, found.data(), found.size() * sizeof(T), stream);
    synchronise(stream);
  }

  HybridOnGroup method_;
  EffortPlan<T> effort_;
};

/// Bias forces, the mass matrix, then its factors. With form body the columns of the matrix are inverse dynamics at
/// rest, as many at a time as there are.
template <class T>
class InversionPlan : public LinkPlan<T> {
 public:
  InversionPlan(const Model& model, const Options& options, int number)
      : LinkPlan<T>(model, number), bias_(model, number, options.form) {
    const bool chain = is_chain(model.view<T>());
    if (options.form == Form::body && model.view<T>().n_mimic != 0)
      throw Error(sentence("forward_dynamics: form body does not support mimic joints on a GPU, which ", model.name(),
                           " has; use mass_matrix_inversion without a form"));
    if (options.form == Form::body)
      columns_ = std::make_unique<const FormPlan<T>>(model, options, number);
    else if (chain)
      scan_ = plan_composite_scan<T>(model, {}, number);
    else
      undivided_ = std::make_unique<const Undivided<MassMatrix, T>>(model, number);
  }
  void start(const Model& model, const CallThere<T>& call, Workspace& work) const override {
    const ModelView<T>& m = model.view<T>();
    const Index nv = m.nv, matrix = nv * nv;
    in_pieces(call, 6, matrix + 3 * nv, work, [&](const CallThere<T>& piece, T* between) {
      const Array<T>* const given = piece.arguments;
      T *const bias = between + matrix * piece.batch, *const units = bias + nv * piece.batch + 1;
      const Array<T> of_bias = bias_.start(model, piece, bias, units - 1, work);
      const Array<T> M = {between, matrix, 1, Place::device};
      if (columns_) {
        fill_columns(model, piece, M, units, work);
      } else if (undivided_) {
        undivided_->start(model, {given[0], M}, piece, work);
      } else {
        const Array<T> arguments[] = {given[0], M};
        scan_->start(model, {arguments, piece.batch, nullptr, nullptr, piece.stream}, work);
      }
      const Array<T> arguments[] = {given[2], of_bias, given[4], M, given[5]};
      constexpr Index tile = 64;  // entries that a thread takes at a time
      run_on_groups(MassMatrixOnGroup(), m, this->there(model), arguments, piece.batch, blocks_for(matrix / tile / 2),
                    nullptr, work, piece.stream);
    });
  }

 private:
  /// units [2 nv]: zeros but for one in the midst. Shifted by j numbers it is a unit acceleration of row j.
  void fill_columns(const Model& model, const CallThere<T>& piece, const Array<T>& M, T* units, Workspace& work) const {
    const ModelView<T> here = model.view<T>().without_gravity(), there = this->there(model).without_gravity();
    const Index nv = here.nv;
    static const T one(1);
    check(cudaMemsetAsync(units, 0, static_cast<std::size_t>(2 * nv) * sizeof(T), piece.stream), "unit accelerations");
    copy_to_device(units + nv, &one, sizeof(T), piece.stream);
    const Array<T> still = {units, 0, 0, Place::device}, a = {units + nv, -1, 1, Place::device};
    for (Index b = 0; b < piece.batch; ++b) {
      Array<T> q = piece.arguments[0];
      q.data += b * q.stride;
      q.stride = 0;
      const Array<T> arguments[] = {q, still, a, {}, {M.data + b * M.stride, nv, 1, Place::device}};
      columns_->run(here, there, arguments, nv, work, piece.stream);
    }
  }

  BiasPlan<T> bias_;
  std::unique_ptr<const FormPlan<T>> columns_;
  std::shared_ptr<const LinkPlan<T>> scan_;
  std::unique_ptr<const Undivided<MassMatrix, T>> undivided_;
};

}  // namespace

template <class T>
std::shared_ptr<const LinkPlan<T>> plan_inverse_dynamics(const Model& model, const Options& options, int device) {
  const bool naive = options.scan_schedule == ScanSchedule::hillis_steele;
  if (naive && options.form == Form::jet)
    throw Error(
        sentence("inverse_dynamics: form jet does not support scan_schedule hillis_steele on a GPU; use body or ",
                 "world_orientation"));
  if (!naive && (options.form == Form::automatic || options.form == Form::jet))
    return plan_inverse_scan<T>(model, options, device);
  Options with_form = options;
  if (with_form.form == Form::automatic)
    with_form.form = is_chain(model.view<T>()) ? Form::world_orientation : Form::body;
  return std::make_shared<const FormPlan<T>>(model, with_form, device);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_log_composite(const Model& model, const Options&, int device) {
  const Index n = model.view<T>().n_links;
  return std::make_shared<const MethodPlan<LogComposite, T>>(model, LogComposite(), device, n * n / 4);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_divide_and_conquer(const Model& model, const Options& options, int device) {
  if (options.chunks != 0 || options.load_ratio != 0)
    throw Error(
        "forward_dynamics: divide_and_conquer does not support chunks and load_ratio on a GPU; use "
        "divide_and_conquer_efficient, or device cpu");
  if (!is_chain(model.view<T>()))
    throw Error(sentence("forward_dynamics: divide_and_conquer on a GPU is for chains, and ", model.name(),
                         " has branches; use divide_and_conquer_efficient or scan, or device cpu"));
  return std::make_shared<const MethodPlan<DivideAndConquer, T>>(model, DivideAndConquer(), device,
                                                                 model.view<T>().n_links);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_constraint_force(const Model& model, const Options& options, int device) {
  return std::make_shared<const ConstraintPlan<T>>(model, options, device, 0);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_constraint_wrenches(const Model& model, const Options& options, int device) {
  return std::make_shared<const ConstraintPlan<T>>(model, options, device, 1);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_hybrid(const Model& model, const Options& options, int device) {
  return std::make_shared<const HybridPlan<T>>(model, options, device);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_inversion(const Model& model, const Options& options, int device) {
  return std::make_shared<const InversionPlan<T>>(model, options, device);
}

#define TANDEM_PLANS_IN(real)                                                                                 \
  template std::shared_ptr<const LinkPlan<real>> plan_inverse_dynamics(const Model&, const Options&, int);    \
  template std::shared_ptr<const LinkPlan<real>> plan_log_composite(const Model&, const Options&, int);       \
  template std::shared_ptr<const LinkPlan<real>> plan_divide_and_conquer(const Model&, const Options&, int);  \
  template std::shared_ptr<const LinkPlan<real>> plan_constraint_force(const Model&, const Options&, int);    \
  template std::shared_ptr<const LinkPlan<real>> plan_constraint_wrenches(const Model&, const Options&, int); \
  template std::shared_ptr<const LinkPlan<real>> plan_hybrid(const Model&, const Options&, int);              \
  template std::shared_ptr<const LinkPlan<real>> plan_inversion(const Model&, const Options&, int)
TANDEM_PLANS_IN(double);
TANDEM_PLANS_IN(float);

}  // namespace tandem::cuda
