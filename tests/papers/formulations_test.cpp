// SPDX-License-Identifier: Apache-2.0
/// The formulations of [Pond] chapter 2: the answers of the default, as methods and task by task, and what tasks take.
#include <map>
#include <set>

#include "papers/formulations/task_list.hpp"
#include "links/link_call.hpp"
#include "tandem/detail/papers/formulations/all.hpp"

namespace tandem::test::formulations {
namespace {

constexpr JointType hinge = JointType::revolute, slide = JointType::prismatic;

/// Calls f(options) for every formulation, with all matrices that it has.
template <class F>
void for_each_formulation(F&& f) {
  [&]<class... A>(TypeList<A...>) {
    const auto named = [&](Method method, Matrices matrices) {
      SCOPED_TRACE(std::string(to_string(method)) + ", matrices " + to_string(matrices));
      f(Options{.method = method, .matrices = matrices});
    };
    ((named(A::method, Matrices::automatic),
      A::own_matrices != Matrices::automatic ? named(A::method, A::own_matrices) : void()),
     ...);
  }(Formulations{});
}

/// Chains of all kinds of joints and lengths, one with rotors, one whose base is driven.
std::vector<Model> chains() {
  std::vector<Model> all;
  for (const int n : {1, 2, 3, 4, 7, 12})
    for (const auto& types : {std::vector{hinge}, {slide}, {hinge, slide}, {slide, slide, JointType::continuous}})
      all.push_back(chain_of(types, n, static_cast<std::uint64_t>(n)).build());
  all.push_back(load("arm7"));
  auto rotors = chain_of({hinge, hinge, slide}, 6, 3);
  for (const char* name : {"to_link0", "to_link2", "to_link3"})
    rotors.change_joint(name, [](auto& joint) { joint.armature = 0.3; });
  all.push_back(rotors.build());
  all.push_back(all[12].with_base_acceleration({1, -2, 3, 0.5, 0.7, -0.4}));
  all.push_back(all[16].with_base_acceleration({-1, 2, 1, -0.8, 0.3, 0.6}).with_gravity({1, 2, 3}));
  return all;
}

template <class T>
class Formulations_ : public ::testing::Test {};
TYPED_TEST_SUITE(Formulations_, Reals);

TYPED_TEST(Formulations_, AgreeWithTheDefault) {
  for (const Model& model : chains()) {
    const State s = calm_state(model, 5);
    Robot<double> judge(model);
    for (const Vector& f_ext : {Vector(), s.f_ext}) {
      const Vector expected = judge.inverse_dynamics(s.q, s.v, s.a, f_ext);
      const double scale = scales(model, s.q, s.v, s.a, f_ext).force;
      for_each_formulation([&](const Options& o) {
        const Vector tau = call_method<TypeParam>("inverse_dynamics", model, o, {s.q, s.v, s.a, f_ext});
        expect_near(tau, expected, tolerance<TypeParam>(32, 1, scale), model.name());
      });
    }
  }
}

TEST(Formulations, GiveAStateTheSameBitsInEveryBatch) {
  const Model model = chain_of({hinge, slide, hinge}, 5, 4).build();
  const auto& algorithm = find_algorithm("inverse_dynamics");
  constexpr Index n = 37;
  std::vector<double> q(static_cast<std::size_t>(n * model.nq())), v = q, a = q, together = q, alone = q;
  Random random(6);
  for (auto* x : {&q, &v, &a})
    for (double& y : *x) y = random.uniform(-2, 2);
  for_each_formulation([&](const Options& o) {
    Workspace<double> work;
    const Index nv = model.nv();
    const auto arrays = [&](std::vector<double>& tau, Index b) {
      return std::vector<Array<double>>{
          {q.data() + b * nv, nv}, {v.data() + b * nv, nv}, {a.data() + b * nv, nv}, {}, {tau.data() + b * nv, nv}};
    };
    evaluate<double>(algorithm, model, arrays(together, 0), n, work, o);
    for (Index b = 0; b < n; ++b) evaluate<double>(algorithm, model, arrays(alone, b), 1, work, o);
    EXPECT_EQ(together, alone);
    std::vector<double> shared = a;  // accelerations that become joint forces where they lie
    auto in_place = arrays(shared, 0);
    in_place[2] = in_place[4];
    evaluate<double>(algorithm, model, in_place, n, work, o);
    EXPECT_EQ(together, shared);
  });
}

TEST(Formulations, RefuseOtherRobotsAndSayWhatServes) {
  for_each_formulation([&](const Options& o) {
    for (const auto& description :
         {star(2, 1), mimic_chain(2), chain_of({JointType::helical}, 2, 3), chain_of({JointType::spherical}, 2, 3)}) {
      const char* reason = refusal(find_algorithm("inverse_dynamics"), description.build(), o);
      ASSERT_NE(reason, nullptr) << description.name();
      EXPECT_NE(std::string(reason).find("recursive_newton_euler"), std::string::npos);
    }
    EXPECT_THROW(TaskList(star(2, 1).build(), o.method), Error);
  });
  EXPECT_THROW(TaskList(load("arm7"), Method::scan), Error);
}

std::span<const double> span_of(const Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
Vector vector_of(std::span<const double> x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}
Vector3 vector_of(const Vec3<double>& x) { return {x.x, x.y, x.z}; }

/// From frame to frame: Sigma_0 in the base, the joints' R and p^, then where the described frame lies on the link.
TEST(Formulations, HaveTheFramesOfTheThesis) {
  for (const Model& model : chains()) {
    const State s = calm_state(model, 4);
    const auto& m = model.view<double>();
    std::vector<double> numbers(static_cast<std::size_t>(Recne::constant_rows(m)));
    find_link_constants<double>(m, numbers.data());
    const auto links = records<LinkConstants<double>>(numbers.data());
    Robot<double> judge(model);
    const Frames poses = judge.forward_kinematics(s.q);
    TaskList list(model, Method::recne);
    list.set_state(span_of(s.q), span_of(s.v), span_of(s.a));
    std::map<std::string, int> task;
    for (int k = 0; k < list.size(); ++k) {
      list.run(k);
      task[list.task(k).name()] = k;
    }
    Transform<double> X = links.load(0).described;  // from the base to Sigma_i
    for (int i = 1; i < m.n_links; ++i) {
      const auto constants = links.load(i);
      const bool turns = m.type[i] != JointType::prismatic;
      const auto found = list.result(task.at((turns ? "R(" : "p^(") + std::to_string(i) + ")"));
      const auto R = turns ? load<Mat3<double>>(found.data(), 0) : constants.rotation;
      const auto p = turns ? constants.p : load<Vec3<double>>(found.data(), 0);
      const auto axis = transpose(X.E) * Vec3<double>{0, 0, 1};  // of joint i, in the base
      X = Transform<double>{transpose(R), R * p} * X;
      const auto to_link = constants.described * X;
      const auto frame = static_cast<std::size_t>(i);
      const Matrix J = judge.jacobian(s.q, i, Reference::world);
      const Vector3 expected_axis = turns ? J.col(i - 1).tail(3) : J.col(i - 1).head(3);
      Matrix3 R_link;
      R_link << vector_of(to_link.E.row0), vector_of(to_link.E.row1), vector_of(to_link.E.row2);
      const double here = tolerance<double>(32, 1, 2.0 * i);
      expect_near(R_link, poses.R[frame], here, model.name());
      expect_near(vector_of(to_link.r), poses.p[frame], here, model.name());
      expect_near(vector_of(axis), expected_axis, here, model.name());
    }
  }
}

TEST(FormulationTasks, RunAloneInAnyOrderThatKeepsToTheirEdges) {
  for (const Model& model : chains()) {
    const State s = calm_state(model, 7);
    for_each_formulation([&](const Options& o) {
      for (const bool wrenches : {false, true}) {
        TaskList list(model, o.method, o, wrenches);
        const Vector f_ext = wrenches ? s.f_ext : Vector();
        list.set_state(span_of(s.q), span_of(s.v), span_of(s.a), span_of(f_ext));
        Robot<double> judge(model);
        const Vector expected = judge.inverse_dynamics(s.q, s.v, s.a, f_ext);
        Random random(8);
        std::vector<bool> done(static_cast<std::size_t>(list.size()));
        for (int left = list.size(); left > 0; --left) {
          std::vector<int> ready;
          for (int k = 0; k < list.size(); ++k)
            if (!done[static_cast<std::size_t>(k)] && std::ranges::all_of(list.task(k).reads, [&](int before) {
                  return done[static_cast<std::size_t>(before)];
                }))
              ready.push_back(k);
          ASSERT_FALSE(ready.empty());
          const int next = ready[static_cast<std::size_t>(random.below(ready.size()))];
          list.run(next);
          done[static_cast<std::size_t>(next)] = true;
        }
        expect_near(vector_of(list.tau()), expected,
                    tolerance<double>(32, 1, scales(model, s.q, s.v, s.a, f_ext).force), model.name());
      }
    });
  }
}

TEST(FormulationTasks, OfTwoProcessesSendEachOtherResults) {
  const Model model = chain_of({hinge, hinge, slide}, 5, 9).build();
  const State s = calm_state(model, 9);
  for_each_formulation([&](const Options& o) {
    TaskList even(model, o.method, o), odd(model, o.method, o);
    TaskList* const lists[] = {&even, &odd};
    for (TaskList* list : lists) list->set_state(span_of(s.q), span_of(s.v), span_of(s.a));
    Vector tau = Vector::Zero(model.nv());
    for (int k = 0; k < even.size(); ++k) {
      TaskList &mine = *lists[k % 2], &other = *lists[(k + 1) % 2];
      mine.run(k);
      std::ranges::copy(mine.result(k), other.result(k).begin());
    }
    EXPECT_EQ(vector_of(even.tau()), vector_of(odd.tau()));
    Robot<double> judge(model);
    expect_near(vector_of(even.tau()), judge.inverse_dynamics(s.q, s.v, s.a, {}),
                tolerance<double>(32, 1, scales(model, s.q, s.v, s.a, {}).force), "tau");
  });
}

// page 29: accelerations change faster than positions and velocities, and only the last tasks wait for them
TEST(FormulationTasks, OfHybridThatFollowAccelerationsAreThoseOfTau) {
  const Model model = chain_of({hinge, slide, hinge}, 6, 9).build();
  const State s = calm_state(model, 9);
  TaskList list(model, Method::hybrid);
  list.set_state(span_of(s.q), span_of(s.v), span_of(Vector::Zero(model.nv())));
  for (int k = 0; k < list.size(); ++k) list.run(k);
  list.set_state(span_of(s.q), span_of(s.v), span_of(s.a));
  for (int k = 0; k < list.size(); ++k)
    if (std::string(list.task(k).quantity) == "tau") list.run(k);
  Robot<double> judge(model);
  expect_near(vector_of(list.tau()), judge.inverse_dynamics(s.q, s.v, s.a, {}),
              tolerance<double>(32, 1, scales(model, s.q, s.v, s.a, {}).force), "tau");
}

/// Every task's result is read, but for those that are asked for.
TEST(FormulationTasks, AreAllNeeded) {
  for (const int n : {1, 2, 5}) {
    const Model model = chain_of({hinge}, n, 2).build();
    for_each_formulation([&](const Options& o) {
      const TaskList list(model, o.method, o);
      std::set<int> read;
      for (const FormulationTask& task : list.tasks()) read.insert(task.reads.begin(), task.reads.end());
      for (int k = 0; k < list.size(); ++k)
        EXPECT_TRUE(read.contains(k) || std::string(list.task(k).quantity).starts_with("tau"))
            << n << ": " << list.task(k).name();
    });
  }
}

}  // namespace
}  // namespace tandem::test::formulations
