// SPDX-License-Identifier: Apache-2.0
/// Rollouts as threads of the GPU do them, run on the processor, against those in lanes.
#include "backends/cuda/rollout.hpp"

#include "api/parameters.hpp"
#include "rollout/law.hpp"
#include "backends/cuda/replication.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

template <class T>
struct Robots {
  Index n = 7, steps = 9, nq, nv;
  std::vector<T> q0, v0, tau, target, gains, weights, wrench, pose, mass, q, v, path, cost;
  std::vector<Status> status;
  std::vector<std::int32_t> done;

  explicit Robots(const Model& model) : nq(model.nq()), nv(model.nv()) {
    const auto fill = [](std::vector<T>& x, Index size, double scale) {
      for (Index k = 0; k < size; ++k) x.push_back(static_cast<T>(scale * std::sin(1.0 + static_cast<double>(k))));
    };
    for (const double x : random_configurations(model, 3, n)) q0.push_back(static_cast<T>(x));
    for (const double x : random_configurations(model, 5, steps)) target.push_back(static_cast<T>(x));
    fill(v0, n * nv, 0.5);
    fill(tau, n * steps * nv, 1);
    fill(wrench, n * 6, 3);
    gains.assign(static_cast<std::size_t>(nv), T(2));
    weights.assign(static_cast<std::size_t>(std::max<Index>(nv, 6)), T(1));
    pose = {T(1), T(0), T(0), T(0.1), T(0), T(1), T(0), T(0.2), T(0), T(0), T(1), T(0.3)};
    for (Index b = 0; b < n; ++b)
      for (int i = 0; i < model.n_links(); ++i)
        mass.push_back(static_cast<T>(model.mass_properties(i).mass * (1 + 0.02 * static_cast<double>(b))));
    tau[static_cast<std::size_t>((2 * steps + 4) * nv)] = std::numeric_limits<T>::quiet_NaN();  // which ends number 2
    clear();
  }
  void clear() {
    const auto size = [](Index k) { return static_cast<std::size_t>(k); };
    q.assign(q0.size(), T(0));
    v.assign(v0.size(), T(0));
    path.assign(size(n * (steps / 3 + 1) * nq), T(0));
    cost.assign(size(n), T(0));
    status.assign(size(n), Status::limit);
    done.assign(size(n), -1);
  }
};

/// Products are fused there and not here: a rounding each, of hundreds a step.
template <class T>
void expect_states(const std::vector<T>& found, const std::vector<T>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (std::isinf(expected[k])) {
      EXPECT_EQ(found[k], expected[k]);
      continue;
    }
    const double size = 1 + std::abs(double{expected[k]});
    EXPECT_NEAR(double{found[k]}, double{expected[k]}, 32 * 9 * 32 * double{std::numeric_limits<T>::epsilon()} * size);
  }
}

template <class T>
class RolloutThreads : public ::testing::Test {};
TYPED_TEST_SUITE(RolloutThreads, Reals);

TYPED_TEST(RolloutThreads, DoWhatLanesDo) {
  using T = TypeParam;
  for (const char* name : {"chain:7", "every_joint", "tree:24+floating", "mimic_branches"})
    for (const bool varied : {false, true})
      for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
        SCOPED_TRACE(name);
        const Model& model = case_named(name).model;
        const auto& m = model.view<T>();
        Robots<T> r(model);
        RolloutArrays<T> a;
        a.q0 = {r.q0.data(), r.nq};
        a.v0 = {r.v0.data(), r.nv};
        a.tau = {r.tau.data(), r.steps * r.nv, r.nv};
        a.q_target = {r.target.data(), 0, r.nq};
        a.kp = a.kd = {r.gains.data(), 0};
        const Push<T> pushes[] = {{model.n_links() - 1, {r.wrench.data(), 6}, 2, 5}, {1, {r.wrench.data(), 0}, 4, 8}};
        a.pushes = pushes;
        const FrameCost<T> frames[] = {{model.n_links() - 1, {r.pose.data()}, {r.weights.data()}, {r.weights.data()}}};
        a.costs.frames = frames;
        a.costs.effort_weight = a.costs.v_weight = a.costs.final_q_weight = {r.weights.data(), 0};
        a.costs.q_reference = {r.q0.data(), r.nq};
        a.q = {r.q.data(), r.nq};
        a.v = {r.v.data(), r.nv};
        a.q_path = {r.path.data(), r.nq * (r.steps / 3 + 1), r.nq};
        a.cost = {r.cost.data(), 1};
        RolloutOptions o;
        o.dt = 1e-3;
        o.steps = r.steps;
        o.every = 3;
        o.integrator = integrator;
        o.gravity_compensation = true;
        o.specialise = Specialise::off;
        const BatchedParameter<T> masses[] = {{Parameter::mass, {r.mass.data(), model.n_links()}}};
        Batch<T> batch(r.n, 1, r.status, varied ? masses : std::span<const BatchedParameter<T>>());
        batch.iterations = r.done;
        Workspace<T> work;
        rollout<T>(model, a, batch, work, o);
        const Robots<T> expected = r;
        r.clear();

        cuda::DeviceRollout<T> call;
        call.law = law_of(a, o);
        call.method = ForwardDynamics().chosen(m);
        fill_inputs(call.inputs, a);
        std::ranges::copy(frames, call.frames);
        std::ranges::copy(pushes, call.pushes);
        call.n_pushes = 2;
        const std::vector<T> speeds = most_speeds<T>(model, o);
        call.most_speed = speeds.data();
        call.q0 = a.q0;
        call.v0 = a.v0;
        call.q = a.q;
        call.v = a.v;
        call.cost = a.cost;
        call.q_path = a.q_path;
        call.status = r.status.data();
        call.steps = r.done.data();
        call.batch = r.n;
        constexpr Index apart = 64, threads = 3;
        if (varied) {
          const ParametersOfModel<T> parameters(model, masses, r.n);
          const cuda::Replication<T> replication(model);
          const T* const numbers = replication.numbers().data();
          const auto view = known_as<cuda::InWarp<T>>(replication.view(m, numbers));
          const Index rows = cuda::rollout_rows(call, view);
          std::vector<T> scratch(static_cast<std::size_t>((rows + cuda::own_rows(m)) * apart));
          const auto variation = replication.variation(parameters.arrays(), numbers, scratch.data() + rows * apart);
          for (Index t = 0; t < threads + 2; ++t)
            cuda::run_rollout_thread<cuda::Models::varied, ForwardDynamics>(
                call, view, {scratch.data(), apart, threads}, variation, t);
        } else {
          std::vector<T> scratch(static_cast<std::size_t>(cuda::rollout_rows(call, m) * apart));
          for (Index t = 0; t < threads + 2; ++t)
            cuda::run_rollout_thread<cuda::Models::one, ForwardDynamics>(call, m, {scratch.data(), apart, threads}, {},
                                                                         t);
        }
        expect_states(r.q, expected.q);
        expect_states(r.v, expected.v);
        expect_states(r.path, expected.path);
        expect_states(r.cost, expected.cost);
        EXPECT_EQ(r.status, expected.status);
        EXPECT_EQ(r.done, expected.done);
        EXPECT_EQ(r.status[2], Status::diverged);
        EXPECT_EQ(r.done[2], 4);
      }
}

}  // namespace
}  // namespace tandem::test
