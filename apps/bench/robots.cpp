// SPDX-License-Identifier: Apache-2.0
#include "robots.hpp"

#include "core/random.hpp"

namespace tandem::bench {

std::shared_ptr<const Robot> load_robot(const std::string& name) {
  auto robot = std::make_shared<Robot>(Robot{name, load(name, {}, 1), {}});
  const int count = robot->model.n_links() > 10000 ? 1 : robot->model.n_links() > 500 ? 2 : 16;
  Random random(7);
  for (int k = 0; k < count; ++k) {
    State state{random_configuration(robot->model, 100 + static_cast<std::uint64_t>(k)), {}, {}, {}};
    for (auto* column : {&state.v, &state.a, &state.tau})
      for (int row = 0; row < robot->model.nv(); ++row) column->push_back(random.uniform(-1, 1));
    robot->states.push_back(std::move(state));
  }
  return robot;
}

}  // namespace tandem::bench
