// SPDX-License-Identifier: Apache-2.0
#include "rollout/options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "contacts.hpp"
#include "device.hpp"
#include "files/hdf5.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {
namespace {

/// What --controls asks for.
struct Controls {
  bool pd = false, gravity = false;
  std::string file;
};

Controls controls_of(const RolloutCommand& options) {
  Controls c;
  c.pd = options.controls == "pd" || options.controls == "pd+gravity";
  c.gravity = options.controls == "gravity" || options.controls == "pd+gravity";
  if (!c.pd && !c.gravity && options.controls != "none") c.file = options.controls;
  const bool has_gains = !options.kp.empty() || !options.kd.empty();
  if (c.pd && !has_gains) throw Error("--controls pd: expected --kp, --kd or both");
  if (!c.pd && (has_gains || !options.target.empty()))
    throw Error("--kp, --kd and --target require --controls pd or pd+gravity");
  return c;
}

/// What instances cost, and by what that is derived. Throws Error for what belongs to no cost, or is not
/// differentiated.
void add_cost(const RolloutCommand& options, bool has_controller, RolloutTask& task) {
  if (!options.cost.empty() && task.model.nv() == 0)
    throw Error(fmt::format("--cost: {} has no movable joints", task.model.name()));
  task.cost = cost_terms_from(options.cost, task.model);
  task.derivatives = derivatives_from(options.gradient);
  const Derivatives& by = task.derivatives;
  if (!task.cost.any() && by.any())
    throw Error("--gradient requires --cost, such as --cost final_q=10,effort=1e-3");
  if (!task.cost.has_goal() && !options.goal.empty())
    throw Error("--goal requires the term q or final_q in --cost");
  if (!task.cost.any()) return;
  if (options.statistics)
    throw Error("--cost and --statistics are mutually exclusive");
  if (!task.has_costs())
    throw Error(fmt::format("--cost: method {} is not supported with costs; expected articulated-body or, without "
                            "loops, composite-rigid-body",
                            to_string(task.rollout.dynamics.method)));
  if (by.any() && task.rollout.contacts)
    throw Error("--gradient: contacts are not differentiated; --contacts off simulates without contacts");
  if (by.any() && task.model.n_loops() > 0)
    throw Error(fmt::format("--gradient: {} has closed loops, through which no gradients go; --cost without it serves",
                            task.model.name()));
  if (task.cost.has_goal())
    task.cost.goal = options.goal.empty() && has_controller
                         ? task.controller.q_target
                         : configuration_from(task.model, options.goal, "--goal", options.robot.seed + 3);
  if (!by.any()) return;
  if (options.device == "cuda") throw Error("--gradient requires --device cpu");
  for (const RolloutArgument* row : by.inputs)
    if (is_of_controller(*row) && !has_controller)
      throw Error(fmt::format("--gradient: {} requires --controls pd or pd+gravity", row->name));
}

/// Of all numbers that a model holds.
std::uint64_t hash_of(const Model& model) {
  const auto& m = model.view<double>();
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](const void* data, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; ++k) hash = (hash ^ static_cast<const unsigned char*>(data)[k]) * 0x100000001b3u;
  };
  add(m.base_acceleration, sizeof m.base_acceleration);
  for_each_field(m, [&](auto field, std::int64_t rows, const char*) {
    add(m.*field, static_cast<std::size_t>(rows) * sizeof *(m.*field));
  });
  return hash;
}

std::uint64_t hash_of(const std::vector<double>& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const double x : numbers) {
    unsigned char bytes[sizeof x];
    std::memcpy(bytes, &x, sizeof x);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  }
  return hash;
}

/// The description of the robot: a file as it is, what is generated as URDF. Not of those with more than a few thousand
/// links.
std::string text_of_robot(const RolloutCommand& options) {
  constexpr std::size_t most = std::size_t{1} << 22;
  std::string text;
  if (std::filesystem::is_regular_file(options.robot.robot)) {
    std::ifstream file(options.robot.robot, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  } else {
    try {
      text = write_urdf(describe(options.robot.robot, options.robot.seed));
    } catch (const Error&) {  // URDF has no words for it; its hash stands for it
    }
  }
  return text.size() > most ? std::string() : text;
}

std::string text_of_method(const Options& method) {
  std::string text;
  const Options unset;
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if (option.is_of_problem() || option.get(method) == option.get(unset)) return;
    if constexpr (HasNames<Value>)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", option.name, to_string(option.get(method)));
    else
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", option.name, option.get(method));
  });
  return text.empty() ? "automatic" : text;
}

/// The default is neutral; with contacts "home" or "qpos0" of the file, which is not in the floor.
std::string q0_of(const RolloutCommand& options, bool touches, const Model& model) {
  return options.q0.empty() ? start_name(model, touches, "neutral") : options.q0;
}

}  // namespace

GrowingHdf5::Texts texts_of(const RolloutCommand& o, const RolloutTask& task) {
  const RolloutOptions& rollout = task.rollout;
  const std::string kept = o.last ? "the last state" : fmt::format("every {} steps", o.every);
  GrowingHdf5::Texts texts = {
      {"tandem_version", TANDEM_VERSION},
      {"device", o.device},
      {"instruction_set", instruction_set()},
      {"robot", o.robot.robot},
      {"robot_text", text_of_robot(o)},
      {"robot_hash", fmt::format("{:016x}", hash_of(task.model))},
      {"floating", o.robot.floating ? "yes" : "no"},
      {"gravity", o.robot.gravity},
      {"instances", std::to_string(task.instances)},
      {"steps", std::to_string(rollout.steps)},
      {"dt", fmt::format("{}", rollout.dt)},
      {"kept", o.statistics ? kept + ", as means and covariances" : kept},
      {"integrator", o.integrator},
      {"precision", o.precision},
      {"controls", o.controls},
      {"target", o.target},
      {"kp", o.kp},
      {"kd", o.kd},
      {"q0", q0_of(o, rollout.contacts.has_value(), task.model)},
      {"v0", o.v0},
      {"start_hash", fmt::format("{:016x}{:016x}", hash_of(task.start.q), hash_of(task.start.v))},
      {"randomize", o.randomize},
      {"seed", std::to_string(o.robot.seed)},
      {"losses", o.lossless ? "no" : "yes"},
      {"limits", o.no_limits ? "no" : "yes"},
      {"max_speed", fmt::format("{}", o.max_speed)},
      {"contacts", rollout.contacts ? fmt::format("{} pairs", rollout.contacts->pairs().size()) : "off"},
      {"cost", o.cost},
      {"goal", o.goal},
      {"gradient", o.gradient},
      {"method", text_of_method(rollout.dynamics)},
      {"specialise", to_string(rollout.specialise)},
  };
  if (task.forces) texts.emplace_back("controls_hash", fmt::format("{:016x}", task.forces->hash()));
  return texts;
}

RolloutTask task_of(const RolloutCommand& options) {
  const auto check = [](const char* name, double x, bool good, const char* expected) {
    if (!good) throw Error(fmt::format("{} is {}, expected {}", name, x, expected));
  };
  check("--dt", options.dt, std::isfinite(options.dt) && options.dt > 0, "a finite positive number");
  check("--max-speed", options.max_speed, options.max_speed >= 0, "0 or more, or inf");
  if (!is_hdf5_name(options.out))
    throw Error(fmt::format("--out {}: expected a name that ends in .h5 or .hdf5", readable(options.out)));
  if (options.last && options.every != 1)
    throw Error("--final and --every are mutually exclusive");
  const Controls controls = controls_of(options);

  RolloutOptions rollout;
  rollout.dt = options.dt;
  rollout.steps = options.steps;
  rollout.every = options.every;
  rollout.integrator = from_name<Integrator>(options.integrator);
  rollout.losses = !options.lossless;
  rollout.limits = !options.no_limits;
  rollout.max_speed = options.max_speed;
  rollout.gravity_compensation = controls.gravity;
  options.method.read(find_algorithm("forward_dynamics"), rollout.dynamics);
  const Model model = options.robot.load(true, options.contacts != "off");
  const ContactsOfRun contacts = contacts_of(
      options.contacts, model, {.integrator = rollout.integrator, .dynamics = rollout.dynamics});
  rollout.contacts = contacts.set;
  const std::string q0 = q0_of(options, contacts.set.has_value(), model);
  StartState start = start_state_from(model, q0, options.v0, options.robot.seed);
  if (!contacts.set) close_start(model, start);
  RolloutTask task{model,        rollout,
                   {},           options.instances,
                   options.last, options.threads,
                   start,        Randomize(options.randomize, model, options.robot.seed, !options.no_limits)};
  task.contacts = contacts.text;
  if (controls.pd) task.controller = controller_from(model, options.target, options.kp, options.kd, options.robot.seed);
  if (!controls.file.empty())
    task.forces = std::make_shared<const ForceTable>(controls.file, model, options.instances, options.steps);
  add_cost(options, controls.pd, task);
  if (options.device == "cuda") {
    if (options.threads != 0) throw Error("--threads requires --device cpu");
    if (!task.is_for_rollout())
      throw Error(fmt::format("--device cuda: {} on a GPU; use articulated-body or composite-rigid-body and no loops",
                              model.n_loops() > 0
                                  ? "closed loops are not supported"
                                  : fmt::format("method {} is not supported", to_string(rollout.dynamics.method))));
    task.device = device_named(options.device, false);
  }
  return task;
}

}  // namespace tandem::cli
