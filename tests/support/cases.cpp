// SPDX-License-Identifier: Apache-2.0
#include "support/cases.hpp"

#include <algorithm>
#include <stdexcept>

#include "support/many.hpp"
#include "support/robots.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem::test {
namespace {

/// Collects the table.
class Table {
 public:
  std::vector<Case> cases;

  void generated(const std::string& spec, std::uint64_t seed, bool floating = false) {
    cases.emplace_back(spec + (floating ? "+floating" : ""), seed, generate(spec, seed), BuildOptions{floating});
  }
  void shipped(const std::string& name, bool floating = false) {
    cases.emplace_back(name + (floating ? "+floating" : ""), 1, read_urdf(shipped_robot(name), name + ".urdf"),
                       BuildOptions{floating});
  }
  void made(ModelBuilder description, std::uint64_t seed, bool floating = false) {
    const std::string name = description.name() + (floating ? "+floating" : "");
    cases.emplace_back(name, seed, std::move(description), BuildOptions{floating});
  }
};

std::vector<Case> make_cases() {
  Table table;
  for (const JointType type : {JointType::revolute, JointType::continuous, JointType::prismatic, JointType::helical,
                               JointType::universal, JointType::planar, JointType::spherical, JointType::free})
    table.made(one_joint(type, 3), 3);
  table.made(every_joint(4), 4);

  table.made(chain_of({JointType::helical}, 40, 5), 5);
  table.made(chain_of({JointType::universal}, 12, 6), 6);
  table.made(chain_of({JointType::prismatic, JointType::helical, JointType::revolute}, 40, 7), 7);
  table.made(chain_of({JointType::revolute, JointType::universal, JointType::helical}, 8, 8), 8, true);

  for (const char* spec : {"chain:1", "chain:2", "chain:7", "chain:30", "chain:100"}) table.generated(spec, 11);
  table.generated("chain:6", 12, true);
  for (const char* spec : {"rope:1", "rope:10", "rope:40", "rope:20:bending"}) table.generated(spec, 13);
  for (const char* spec : {"snake:1", "snake:8", "snake:40"}) table.generated(spec, 14);
  for (const std::uint64_t seed : {15, 16, 17})
    if (!few_cases || seed == 15) table.generated("tree:12", seed);
  table.generated("tree:60", 18);
  table.generated("tree:24", 19, true);
  table.made(star(12, 20), 20);
  table.made(star(5, 21), 21, true);
  table.made(binary_tree(6, 22), 22);

  table.made(mimic_chain(30), 30);
  table.made(mimic_branches(31), 31);
  table.made(mimic_prismatic(32), 32, true);
  table.made(mimic_massless(33), 33);
  table.made(mimic_helical(34), 34);

  table.made(unequal_masses(10, 40), 40);
  table.made(massless_links(41), 41);
  table.made(with_armature(42), 42);
  table.made(with_passive_forces(52), 52);
  table.made(with_fixed_links(44), 44);
  table.made(with_fixed_links(45), 45, true);
  table.made(immovable(0, 46), 46);
  table.made(immovable(3, 47), 47);

  for (const std::string& name : shipped_robots())
    if (load(name).n_loops() == 0) table.shipped(name);  // tests/closed_loops has the others
  return std::move(table.cases);
}

const std::vector<Case>& all_cases() {
  static const std::vector<Case> table = make_cases();
  return table;
}

std::vector<Case> chosen_cases() {
  std::vector<Case> chosen = all_cases();
  // long robots take the same ways through memory as shorter ones of their kind
  if (sanitized) std::erase_if(chosen, [](const Case& c) { return c.model.n_links() > 41; });
  // most functions take a time that grows with the square or the cube of nv
  if (few_cases) std::erase_if(chosen, [](const Case& c) { return c.model.nv() > 40; });
  return chosen;
}

double as_float(double x) { return static_cast<float>(x); }

}  // namespace

Case::Case(std::string name_, std::uint64_t seed_, ModelBuilder description_, BuildOptions options_)
    : name(std::move(name_)),
      seed(seed_),
      options(options_),
      description(std::move(description_)),
      model(description.build(options)) {}

const std::vector<Case>& cases() {
  static const std::vector<Case> table = chosen_cases();
  return table;
}

const Case& case_named(const std::string& name) {
  for (const Case& c : all_cases())
    if (c.name == name) return c;
  throw std::out_of_range("no case is called " + name);
}

State random_state(const Model& model, std::uint64_t seed) {
  Random random(seed);
  const auto drawn = [&](Index rows, double range) {
    return Vector(Vector::NullaryExpr(rows, [&] { return as_float(random.uniform(-range, range)); }));
  };
  const std::vector<double> q = random_configuration(model, random.bits());
  State state{seed, Eigen::Map<const Vector>(q.data(), model.nq()).unaryExpr(&as_float), {}, {}, {}, {}};
  state.v = drawn(model.nv(), 1);
  state.a = drawn(model.nv(), 2);
  state.tau = drawn(model.nv(), 5);
  state.f_ext = drawn(6 * Index{model.n_links()}, 3);
  return state;
}

Vector frame_weights(const Model& model) {
  const Index n = 12 * Index{model.n_frames()};
  return Vector::LinSpaced(n, 1, 1 + 0.37 * static_cast<double>(n)).array().sin();
}

Vector parameter_changes(const Model& model) {
  const std::vector<double> pi = inertial_parameters(model);
  const auto n = static_cast<Index>(pi.size());
  const Vector wave = Vector::LinSpaced(n, 3, 3 + static_cast<double>(n)).array().sin();
  return wave.cwiseProduct(Eigen::Map<const Vector>(pi.data(), n).cwiseAbs());
}

const Vector& RandomInputs::of(const Argument& argument) const {
  const std::string_view name = argument.name;
  switch (argument.rows) {
    case Rows::q: return name == "q1" ? other_.q : state_.q;
    case Rows::link_force: return state_.f_ext;
    case Rows::link_parameters: return changes_;
    case Rows::pose:
    case Rows::frame_motion: return weights_;
    default: return name == "v" ? state_.v : state_.tau;
  }
}

std::vector<State> states(const Case& c) {
  std::vector<State> all = {random_state(c.model, 1000 + c.seed)};
  if (!sanitized) all.push_back(random_state(c.model, 2000 + c.seed));  // other numbers take the same ways, too
  return all;
}

std::vector<Options> own_options(const Algorithm& algorithm, const Model& model) {
  const std::size_t references = algorithm.reads("reference") ? std::size(NamesOf<Reference>::table) : 1;
  std::vector<Options> all(std::max(references, algorithm.methods.size()));
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (algorithm.reads("frame")) all[k].frame = model.n_frames() - 1;
    if (k < references) all[k].reference = static_cast<Reference>(k);
    if (k < algorithm.methods.size()) all[k].method = algorithm.methods[k];
  }
  return all;
}

bool has_joint(const Model& model, JointType type) {
  for (int i = 1; i < model.n_links(); ++i)
    if (model.joint_type(i) == type) return true;
  return false;
}

bool is_free_floating(const Model& model) {
  if (model.n_links() < 2 || model.joint_type(1) != JointType::free) return false;
  for (int i = 2; i < model.n_links(); ++i)
    if (model.view<double>().parent[i] == 0) return false;
  return true;
}

}  // namespace tandem::test
