// SPDX-License-Identifier: Apache-2.0
/// tandem info: what a robot consists of. Over 400 lines, as every element has a table and a JSON object.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "cli.hpp"
#include "table.hpp"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  RobotOptions robot;
  bool json = false, all = false;
};

/// Limits of a joint; NaN where it has none of its own: position limits of joints with several degrees of freedom,
/// all of a mimic joint's.
struct Limits {
  double lower = std::numeric_limits<double>::quiet_NaN(), upper = lower, velocity = lower, effort = lower;
};

Limits limits_of(const Model& model, int joint) {
  Limits limits;
  if (model.is_mimic(joint)) return limits;
  const auto& m = model.view<double>();
  limits.velocity = m.v_limit[m.v_index[joint]];
  limits.effort = m.tau_limit[m.v_index[joint]];
  if (joint_nq(model.joint_type(joint)) == 1) {
    limits.lower = m.q_lower[m.q_index[joint]];
    limits.upper = m.q_upper[m.q_index[joint]];
  }
  return limits;
}

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json link_json(const Model& model, int link) {
  const bool base = link == 0;
  return {{"name", model.link_name(link)},
          {"parent", base ? Json(nullptr) : Json(model.link_name(model.view<double>().parent[link]))},
          {"joint", base ? Json(nullptr) : Json(model.joint_name(link))},
          {"mass", model.link_mass(link)}};
}

Json joint_json(const Model& model, int joint) {
  const auto& m = model.view<double>();
  const JointType type = model.joint_type(joint);
  const bool mimic = model.is_mimic(joint);
  const Limits limits = limits_of(model, joint);
  Json json = {{"name", model.joint_name(joint)},
               {"type", to_string(type)},
               {"parent", model.link_name(m.parent[joint])},
               {"child", model.link_name(joint)},
               {"axis", model.joint_axis(joint)},
               {"q_index", m.q_index[joint]},
               {"v_index", m.v_index[joint]},
               {"nq", mimic ? 0 : joint_nq(type)},
               {"nv", mimic ? 0 : joint_nv(type)},
               {"lower", finite_or_null(limits.lower)},
               {"upper", finite_or_null(limits.upper)},
               {"velocity", finite_or_null(limits.velocity)},
               {"effort", finite_or_null(limits.effort)}};
  if (joint_kind(type).has_pitch) json["pitch"] = model.joint_pitch(joint);
  if (mimic) {
    json["mimic"] = model.joint_name(m.mimics[joint]);
    json["multiplier"] = m.multiplier[joint];
    json["offset"] = m.offset[joint];
    return json;
  }
  const int row = m.v_index[joint];
  json["damping"] = m.damping[row];
  json["friction"] = m.friction[row];
  json["armature"] = m.armature[row];
  json["stiffness"] = m.stiffness[row];
  return json;
}

Json actuator_json(const Model& model, const Actuator& of) {
  Json actuator = {{"name", of.name}, {"joint", nullptr}, {"gear", of.gear}, {"gain", of.gain}, {"bias", of.bias}};
  if (of.joint != 0) actuator["joint"] = model.joint_name(of.joint);
  if (of.tendon >= 0) actuator["tendon"] = tendons(model)[static_cast<std::size_t>(of.tendon)].name;
  if (of.frame >= 0) actuator["frame"] = model.frame_name(of.frame), actuator["wrench"] = of.wrench;
  actuator["ctrl_range"] = {finite_or_null(of.ctrl_range[0]), finite_or_null(of.ctrl_range[1])};
  actuator["force_range"] = {finite_or_null(of.force_range[0]), finite_or_null(of.force_range[1])};
  actuator["dynamics"] = to_string(of.dynamics);
  actuator["time_constant"] = of.time_constant;
  actuator["act_range"] = {finite_or_null(of.act_range[0]), finite_or_null(of.act_range[1])};
  return actuator;
}

Json tendon_json(const Model& model, const Tendon& of) {
  Json joints = Json::object();
  for (const Tendon::Part& part : of.joints) joints[std::string(model.joint_name(part.joint))] = part.coefficient;
  return {{"name", of.name},           {"joints", joints},
          {"limits", {finite_or_null(of.lower), finite_or_null(of.upper)}},
          {"friction", of.friction},   {"stiffness", of.stiffness},
          {"damping", of.damping},     {"rest", of.rest}};
}

/// The joint or tendon that a coupler connects.
std::string coupled_name(const Model& model, const Coupler& of, int k) {
  if (of.element == CoupledElement::joint) return std::string(model.joint_name(k));
  return tendons(model)[static_cast<std::size_t>(k)].name;
}

Json coupler_json(const Model& model, const Coupler& of) {
  Json json = {{"name", of.name},
               {"element", to_string(of.element)},
               {"first", coupled_name(model, of, of.first)},
               {"second", nullptr},
               {"polynomial", of.polynomial},
               {"solref", of.softness.solref},
               {"solimp", of.softness.solimp}};
  if (of.second >= 0) json["second"] = coupled_name(model, of, of.second);
  return json;
}

Json shape_json(const Model& model, const ContactShape& shape) {
  const auto size = std::span(shape.size).first(static_cast<std::size_t>(size_count(shape.type)));
  Json json = {{"name", shape.name},
               {"type", to_string(shape.type)},
               {"link", model.link_name(shape.link)},
               {"frame", model.frame_name(shape.frame)},
               {"position", shape.placement.position},
               {"rotation", shape.placement.rotation},
               {"size", std::vector<double>(size.begin(), size.end())},
               {"condim", shape.condim},
               {"friction", shape.friction},
               {"contype", shape.contype},
               {"conaffinity", shape.conaffinity},
               {"priority", shape.priority},
               {"solmix", shape.solmix},
               {"solref", shape.softness.solref},
               {"solimp", shape.softness.solimp},
               {"margin", shape.softness.margin},
               {"gap", shape.softness.gap}};
  if (shape.type == ShapeType::mesh) json["vertices"] = shape.vertices.size();
  if (!shape.unread.empty()) json["unread"] = shape.unread;
  return json;
}

Json pose_json(const Pose& pose) { return {{"position", pose.position}, {"rotation", pose.rotation}}; }

Json loop_json(const Model& model, int index) {
  const LoopJoint loop = model.loop(index);
  return {{"name", model.loop_name(index)},
          {"type", to_string(loop.type)},
          {"link_1", model.link_name(loop.link_1)},
          {"link_2", model.link_name(loop.link_2)},
          {"placement_1", pose_json(loop.placement_1)},
          {"placement_2", pose_json(loop.placement_2)},
          {"axis", loop.axis},
          {"solref", loop.softness.solref},
          {"solimp", loop.softness.solimp},
          {"torque_scale", loop.torque_scale}};
}

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// A key and its list, an element a line, from `first` to before `end`: written as it is made, as a million links in
/// one JSON value take gigabytes.
template <class Element>
void print_array(const char* key, int first, int end, Element&& element) {
  fmt::print("  \"{}\": [", key);
  for (int i = first; i < end; ++i) fmt::print("{}\n    {}", i == first ? "" : ",", one_line(element(i)));
  fmt::print("{}],\n", first < end ? "\n  " : "");
}

template <class List, class Element>
void print_list(const char* key, const List& list, Element&& element) {
  print_array(key, 0, static_cast<int>(list.size()), [&](int i) { return element(list[static_cast<std::size_t>(i)]); });
}

void print_json(const Model& model) {
  const Json facts = {
      {"name", model.name()}, {"nq", model.nq()}, {"nv", model.nv()}, {"mass", model.mass()}, {"depth", model.depth()}};
  fmt::print("{{\n");
  for (const auto& [key, value] : facts.items()) fmt::print("  \"{}\": {},\n", key, one_line(value));
  print_array("links", 0, model.n_links(), [&](int i) { return link_json(model, i); });
  print_array("joints", 1, model.n_links(), [&](int i) { return joint_json(model, i); });
  print_array("frames", 0, model.n_frames(), [&](int i) -> Json {
    return {{"name", model.frame_name(i)}, {"link", model.link_name(model.view<double>().frame_link[i])}};
  });
  print_array("loops", 0, model.n_loops(), [&](int i) { return loop_json(model, i); });
  print_list("actuators", actuators(model), [&](const Actuator& of) { return actuator_json(model, of); });
  print_list("tendons", tendons(model), [&](const Tendon& of) { return tendon_json(model, of); });
  print_list("couplers", couplers(model), [&](const Coupler& of) { return coupler_json(model, of); });
  print_list("shapes", contact_shapes(model), [&](const ContactShape& shape) { return shape_json(model, shape); });
  print_list("contact_problems", contact_problems(model), [](const std::string& text) -> Json { return text; });
  print_array("configurations", 0, model.n_configurations(), [&](int i) -> Json {
    const auto q = model.configuration(i);
    const auto ctrl = controls(model, i);
    Json configuration = {{"name", model.configuration_name(i)}, {"q", std::vector<double>(q.begin(), q.end())}};
    if (!ctrl.empty()) configuration["ctrl"] = std::vector<double>(ctrl.begin(), ctrl.end());
    return configuration;
  });
  print_list("warnings", model.warnings(), [](const std::string& text) -> Json { return text; });
  fmt::print("  \"gravity\": {}\n}}\n", one_line(model.gravity()));
}

constexpr auto right = Table::Align::right;
using Cells = std::vector<std::string>;

/// A table of rows `first` to before `end` with their numbers under a title, if there are any.
template <class Row>
void print_table(const char* title, std::vector<Table::Column> columns, int first, int end, std::size_t most,
                 Row&& row) {
  if (first >= end) return;
  fmt::print("\n{}\n", title);
  columns.insert(columns.begin(), {"#", right});
  Table table(std::move(columns));
  for (int i = first; i < end; ++i) {
    Cells cells = row(i);
    cells.insert(cells.begin(), std::to_string(i));
    table.add(std::move(cells));
  }
  table.print(stdout, most);
}

std::string rows_text(int first, int count) {
  if (count == 0) return "-";
  return count == 1 ? std::to_string(first) : fmt::format("{}..{}", first, first + count - 1);
}

template <std::size_t n>
std::string numbers_text(const std::array<double, n>& numbers) {
  std::string text;
  for (const double x : numbers) text += (text.empty() ? "" : " ") + brief(x);
  return text;
}

std::string axis_text(const std::array<double, 3>& axis) {
  return axis == std::array<double, 3>{} ? "-" : numbers_text(axis);
}

std::string limit_text(double x) { return std::isnan(x) ? "-" : brief(x); }

std::string range_text(const std::array<double, 2>& range) {
  return std::isinf(range[0]) && std::isinf(range[1]) ? "-" : numbers_text(range);
}

void print_links(const Model& model, std::size_t most) {
  const std::vector<Table::Column> columns = {{"link"}, {"parent"}, {"joint"}, {"mass", right}};
  print_table("Links", columns, 0, model.n_links(), most, [&](int i) -> Cells {
    const bool base = i == 0;
    return {std::string(model.link_name(i)), base ? "-" : std::string(model.link_name(model.view<double>().parent[i])),
            base ? "-" : std::string(model.joint_name(i)), brief(model.link_mass(i))};
  });
}

void print_joints(const Model& model, std::size_t most) {
  const std::vector<Table::Column> columns = {{"joint"},        {"type"},         {"parent"},          {"axis"},
                                              {"q", right},     {"v", right},     {"lower", right},    {"upper", right},
                                              {"velocity", right}, {"effort", right}, {""}};
  const auto& m = model.view<double>();
  print_table("Joints", columns, 1, model.n_links(), most, [&](int i) -> Cells {
    const JointType type = model.joint_type(i);
    const Limits limits = limits_of(model, i);
    std::string follows;
    if (joint_kind(type).has_pitch) follows = fmt::format("{} m per turn ", brief(model.joint_pitch(i)));
    if (model.is_mimic(i)) {
      follows += fmt::format("= {} {}", brief(m.multiplier[i]), model.joint_name(m.mimics[i]));
      if (m.offset[i] != 0) follows += fmt::format(" {} {}", m.offset[i] < 0 ? '-' : '+', brief(std::abs(m.offset[i])));
    }
    return {std::string(model.joint_name(i)), to_string(type), std::string(model.link_name(m.parent[i])),
            axis_text(model.joint_axis(i)), rows_text(m.q_index[i], model.is_mimic(i) ? 0 : joint_nq(type)),
            rows_text(m.v_index[i], model.is_mimic(i) ? 0 : joint_nv(type)), limit_text(limits.lower),
            limit_text(limits.upper), limit_text(limits.velocity), limit_text(limits.effort), follows};
  });
}

void print_frames(const Model& model, std::size_t most) {
  print_table("Frames", {{"frame"}, {"link"}}, model.n_links(), model.n_frames(), most, [&](int k) -> Cells {
    return {std::string(model.frame_name(k)), std::string(model.link_name(model.view<double>().frame_link[k]))};
  });
}

void print_loops(const Model& model, std::size_t most) {
  print_table("Loop joints", {{"joint"}, {"type"}, {"link 1"}, {"link 2"}, {"axis"}}, 0, model.n_loops(), most,
              [&](int i) -> Cells {
                const LoopJoint loop = model.loop(i);
                return {std::string(model.loop_name(i)), to_string(loop.type),
                        std::string(model.link_name(loop.link_1)), std::string(model.link_name(loop.link_2)),
                        axis_text(loop.axis)};
              });
}

void print_actuators(const Model& model, std::size_t most) {
  const std::vector<Table::Column> columns = {{"actuator"}, {"acts on"},    {"gear", right},      {"gain"},
                                              {"bias"},     {"ctrl range"}, {"force range, N m|N"}};
  const auto& all = actuators(model);
  print_table("Actuators", columns, 0, static_cast<int>(all.size()), most, [&](int k) -> Cells {
    const Actuator& of = all[static_cast<std::size_t>(k)];
    const bool pushes = of.acts();
    const std::string on = of.joint != 0    ? std::string(model.joint_name(of.joint))
                           : of.tendon >= 0 ? "tendon " + tendons(model)[static_cast<std::size_t>(of.tendon)].name
                           : of.frame >= 0  ? "frame " + std::string(model.frame_name(of.frame))
                                            : std::string("ignored");
    return {of.name, on, pushes && of.frame < 0 ? brief(of.gear) : "-", pushes ? numbers_text(of.gain) : "-",
            pushes ? numbers_text(of.bias) : "-", range_text(of.ctrl_range), range_text(of.force_range)};
  });
}

void print_tendons(const Model& model, std::size_t most) {
  const std::vector<Table::Column> columns = {
      {"tendon"},          {"joints"}, {"limits, m"}, {"friction, N", right}, {"stiffness, N/m", right},
      {"damping, N s/m", right}};
  const auto& all = tendons(model);
  print_table("Tendons", columns, 0, static_cast<int>(all.size()), most, [&](int k) -> Cells {
    const Tendon& of = all[static_cast<std::size_t>(k)];
    std::string joints;
    for (const Tendon::Part& part : of.joints)
      joints += (joints.empty() ? "" : " + ") + brief(part.coefficient) + " " +
                std::string(model.joint_name(part.joint));
    return {of.name, joints, range_text({of.lower, of.upper}), brief(of.friction), brief(of.stiffness),
            brief(of.damping)};
  });
}

void print_couplers(const Model& model, std::size_t most) {
  const auto& all = couplers(model);
  print_table("Couplers", {{"coupler"}, {"first"}, {"polynomial"}, {"second"}}, 0, static_cast<int>(all.size()), most,
              [&](int k) -> Cells {
                const Coupler& of = all[static_cast<std::size_t>(k)];
                return {of.name, coupled_name(model, of, of.first), numbers_text(of.polynomial),
                        of.second < 0 ? "-" : coupled_name(model, of, of.second)};
              });
}

std::string size_text(const ContactShape& shape) {
  if (!shape.unread.empty()) return "not read";
  if (shape.type == ShapeType::mesh) return fmt::format("{} corners", shape.vertices.size());
  std::string text;
  for (int k = 0; k < size_count(shape.type); ++k)
    text += (k > 0 ? " " : "") + brief(shape.size[static_cast<std::size_t>(k)]);
  return text.empty() ? "-" : text;
}

/// Shapes, how many pairs of them can touch, and what is missing there.
void print_shapes(const Model& model, std::size_t most) {
  const auto& shapes = contact_shapes(model);
  if (shapes.empty()) return;
  const std::vector<Table::Column> columns = {{"shape"},   {"type"},           {"link"},
                                              {"size, m"}, {"friction", right}, {"condim", right}};
  print_table("Shapes that touch", columns, 0, static_cast<int>(shapes.size()), most, [&](int k) -> Cells {
    const ContactShape& shape = shapes[static_cast<std::size_t>(k)];
    return {shape.name, to_string(shape.type), std::string(model.link_name(shape.link)), size_text(shape),
            brief(shape.friction[0]), std::to_string(shape.condim)};
  });
  const ContactSet all(model, {.leave_out = true});
  const ContactSet ground(model, {.self_contact = false, .leave_out = true});
  fmt::print("  {} pairs can touch, {} of them with the base{}\n", all.pairs().size(), ground.pairs().size(),
             all.finds_pairs() ? "; those of other two links are found in every state" : "");
  for (const std::string& problem : all.problems()) fmt::print("  not computed: {}\n", problem);
}

void print_configurations(const Model& model, std::size_t most) {
  constexpr std::size_t shown = 12;
  const std::vector<Table::Column> columns = {{"configuration"}, {"q"}};
  print_table("Named configurations", columns, 0, model.n_configurations(), most, [&](int k) -> Cells {
    const auto q = model.configuration(k);
    std::string numbers;
    for (std::size_t i = 0; i < std::min(q.size(), shown); ++i) numbers += (i == 0 ? "" : " ") + brief(q[i]);
    if (q.size() > shown) numbers += " ...";
    return {std::string(model.configuration_name(k)), numbers};
  });
}

void print_text(const Model& model, bool all) {
  const auto& g = model.gravity();
  fmt::print("{}\n", model.name());
  fmt::print("  {} links, {} joints, {} frames\n", model.n_links(), model.n_joints(), model.n_frames());
  fmt::print("  nq {}, nv {}, depth {}\n", model.nq(), model.nv(), model.depth());
  fmt::print("  mass {} kg, gravity {} {} {} m/s^2\n", brief(model.mass()), brief(g[0]), brief(g[1]), brief(g[2]));
  const std::size_t most = all ? std::numeric_limits<std::size_t>::max() : 100;
  print_links(model, most);
  print_joints(model, most);
  print_loops(model, most);
  print_frames(model, most);
  print_actuators(model, most);
  print_tendons(model, most);
  print_couplers(model, most);
  print_shapes(model, most);
  print_configurations(model, most);
  if (model.warnings().empty()) return;
  fmt::print("\nWarnings\n");
  for (const std::string& warning : model.warnings()) fmt::print("  {}\n", warning);
}

}  // namespace

void add_info(Program& program) {
  auto options = std::make_shared<InfoOptions>();
  Command command = program.add_command(
      "info", "Print links, joints, limits, masses and warnings of a robot",
      R"(Units are m, kg, rad, N, N m, s; axes are those of the frame of the child link. Links of fixed
joints are merged and listed as frames. Mimic joints have no rows in q and v.

Examples:
  tandem info arm7
  tandem info my_robot.urdf --floating --json | python3 -m json.tool)");
  options->robot.add_to(command);
  options->robot.add_packages_to(command);
  command.flag("--json", options->json, "print JSON; infinite and undefined limits are null");
  command.flag("--all", options->all, "do not shorten long tables");
  command.does([options] {
    const Model model = options->robot.load(false);
    if (options->json)
      print_json(model);
    else
      print_text(model, options->all);
    return done;
  });
}

}  // namespace tandem::cli
