// SPDX-License-Identifier: Apache-2.0
/// tandem generate: URDF of generated and shipped robots, and of robots that are edited.
#include <algorithm>
#include <memory>

#include "cli.hpp"
#include "files/output.hpp"

namespace tandem::cli {
namespace {

struct GenerateOptions {
  std::string robot, out = "-", format = "urdf";
  std::uint64_t seed = 1;
  std::vector<std::string> locks, removed;
  double length = 1, mass = 1;
  std::string appended, to, prefix;

  bool edits() const {
    return !locks.empty() || !removed.empty() || length != 1 || mass != 1 || !appended.empty() || !to.empty() ||
           !prefix.empty();
  }
};

/// "elbow=0.3", or "elbow": at zero.
void lock(ModelBuilder& robot, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  std::vector<double> position;
  if (equals != std::string::npos) {
    position = read_numbers(std::string_view(text).substr(equals + 1), "--lock " + name);
  } else if (const JointDescription* joint = robot.find_joint(name)) {
    const JointKind& kind = joint_kind(joint->type);
    position.resize(static_cast<std::size_t>(kind.nq));
    if (kind.quaternion >= 0) position[static_cast<std::size_t>(kind.quaternion) + 3] = 1;
  }
  robot.lock_joint(name, position);
}

std::string written(const ModelBuilder& robot, const GenerateOptions& options) {
  return options.format == "mjcf" ? write_mjcf(robot) : write_urdf(robot);
}

std::string edited(const GenerateOptions& options) {
  ModelBuilder robot = describe(options.robot, options.seed);
  if (!options.edits()) return written(robot, options);
  for (const std::string& link : options.removed) robot.remove_link(link);
  for (const std::string& joint : options.locks) lock(robot, joint);
  robot.scale({options.length, options.mass});
  if (options.appended.empty() != options.to.empty())
    throw Error("--append requires --to and the reverse: the other robot, and the link or frame to attach it to");
  if (options.appended.empty() && !options.prefix.empty()) throw Error("--prefix requires --append");
  if (!options.appended.empty()) robot.append(describe(options.appended, options.seed), options.to, {}, options.prefix);
  robot.build();  // refuses what is wrong with it
  return written(robot, options);
}

int generate_file(const GenerateOptions& options) {
  const std::vector<std::string> shipped = shipped_robots();
  const bool is_shipped = std::find(shipped.begin(), shipped.end(), options.robot) != shipped.end();
  WholeFile out(options.out);
  out.write(is_shipped && !options.edits() && options.format == "urdf" ? std::string(shipped_robot(options.robot))
                                                                       : edited(options));
  out.commit();
  return done;
}

}  // namespace

void add_generate(Program& program) {
  auto options = std::make_shared<GenerateOptions>();
  Command command = program.add_command(
      "generate", "Generate, convert or edit a robot, and write URDF or MJCF",
      R"(The same ROBOT and seed give the same file on every machine. URDF has no spherical joints: they are
written as three continuous joints. MJCF has no planar, universal and helical joints. A file of one format can
be converted to the other. For the list of generators: tandem list

Edits are applied in this order: links are removed, joints are locked, the robot is scaled, another robot is
appended.

Examples:
  tandem generate chain:1000 --seed 1 > chain.urdf
  tandem generate arm7 --lock joint3 --lock joint5=0.3 --scale-length 1.2 --out my_arm.urdf
  tandem generate arm7 --append arm6 --to link7 --prefix tool_ > two_arms.urdf
  tandem generate humanoid --format mjcf --out humanoid.xml)");
  command.option("ROBOT", options->robot, "a generator (chain:20), a shipped robot's name or a .urdf or .xml file",
                 {.required = true});
  command.option("--seed", options->seed, "seed of random numbers",
                 {.type = "N", .check = seed_number(), .shows_default = true});
  command.option("--remove", options->removed, "remove a link and its descendants; repeatable",
                 {.type = "LINK", .repeats = true});
  command.option("--lock", options->locks, "fix a joint at a position (0); repeatable",
                 {.type = "JOINT[=Q]", .repeats = true});
  command.option("--scale-length", options->length, "scale lengths, and inertias by the square",
                 {.type = "X", .check = number_above_zero(), .shows_default = true});
  command.option("--scale-mass", options->mass, "scale masses and inertias",
                 {.type = "X", .check = number_above_zero(), .shows_default = true});
  command.option("--append", options->appended, "attach another robot to --to", {.type = "ROBOT"});
  command.option("--to", options->to, "link or frame to attach the other robot to", {.type = "LINK"});
  command.option("--prefix", options->prefix, "prefix of all names of the other robot", {.type = "TEXT"});
  command.option("--format", options->format, "output format: urdf or mjcf",
                 {.type = "NAME", .check = one_of({"urdf", "mjcf"}), .shows_default = true});
  command.option("--out", options->out, "file to write; - is standard output", {.type = "FILE", .shows_default = true});
  command.does([options] { return generate_file(*options); });
}

}  // namespace tandem::cli
