// SPDX-License-Identifier: Apache-2.0
/// Calls of methods that divide one robot, watched as those of test::Robot are.
#pragma once
#include <string_view>

#include "support/fenced.hpp"
#include "support/property.hpp"
#include "support/robots.hpp"
#include "support/scratch.hpp"
#include "tandem/error.hpp"

namespace tandem::test {

/// The only output of an algorithm for one state; an empty input is left out.
template <class T>
Vector call_method(const char* name, const Model& model, const Options& options, const std::vector<Vector>& inputs,
                   int threads = 1) {
  const Algorithm& algorithm = find_algorithm(name);
  std::vector<std::unique_ptr<Fenced<T>>> columns;
  std::vector<Array<T>> arrays;
  for (std::size_t k = 0; k < algorithm.arguments.size(); ++k) {
    const Index rows = shape(algorithm.arguments[k].rows, model.view<T>()).count();
    columns.push_back(k < inputs.size() ? std::make_unique<Fenced<T>>(inputs[k]) : std::make_unique<Fenced<T>>(rows));
    arrays.push_back({columns.back()->out().empty() ? nullptr : columns.back()->out().data(), 0});
  }
  Workspace<T> work;
  {
    const FencedWorkspace<T> watch(work, scratch_size<T>(algorithm, model, options));
    Batch<T> batch = 1;
    batch.threads = threads;
    evaluate<T>(algorithm, model, arrays, batch, work, options);
  }
  return columns.back()->values();
}

/// Robots of these generators, and of every joint type and oddity.
inline std::vector<Model> models_of_all_kinds(std::initializer_list<const char*> specs) {
  std::vector<Model> models;
  for (const char* spec : specs) models.push_back(generate(spec, 9).build());
  models.push_back(generate("chain:20", 9).build(BuildOptions{true}));
  for (const auto& description :
       {every_joint(4), unequal_masses(40, 5), massless_links(6), with_armature(7), immovable(0, 8)})
    models.push_back(description.build());
  return models;
}

/// Three arms on the end of a spine, and legs on each of them: long paths side by side, on two levels.
inline Model fork(int links) {
  RobotMaker make("fork", 3);
  make.link("base");
  std::string tip = "base";
  const auto grow = [&](const std::string& name, int n, std::string parent) {
    for (int k = 0; k < n; ++k) {
      const std::string link = name + std::to_string(k);
      make.add(k % 7 == 3 ? JointType::prismatic : JointType::revolute, parent, link);
      parent = link;
    }
    return parent;
  };
  tip = grow("spine", links, tip);
  for (int arm = 0; arm < 3; ++arm) {
    grow("arm" + std::to_string(arm) + "_", links - arm, tip);
    for (int leg = 0; leg < 2; ++leg)
      grow("leg" + std::to_string(arm) + std::to_string(leg) + "_", 3 + leg,
           "arm" + std::to_string(arm) + "_" + std::to_string(links / 2));
  }
  return make.builder().build();
}

/// Robots with branches, and no joints that follow others.
inline std::vector<Model> trees() {
  std::vector<Model> models = {fork(40), with_legs(60, 12, JointType::spherical),
                               with_legs(50, 1, JointType::revolute)};
  models.push_back(load("humanoid"));
  models.push_back(load("quadruped"));
  for (const auto& description : {star(9, 1), binary_tree(6, 2)}) models.push_back(description.build());
  return models;
}

/// Everything but an exact number of states of the chain families, with speeds that a long chain can bear: links at the
/// end add up the speeds of all joints before them.
inline State calm_state(const Model& model, std::uint64_t seed) {
  State s = random_state(model, seed);
  const double calm = 1 / std::max(1.0, std::sqrt(model.nv() / 10.0));
  s.v = (s.v * calm).unaryExpr([](double x) { return static_cast<double>(static_cast<float>(x)); });
  return s;
}

/// The largest number, at least a little.
inline double size_of(const Matrix& x) { return x.size() == 0 ? 1 : std::max(1e-9, x.cwiseAbs().maxCoeff()); }

}  // namespace tandem::test
