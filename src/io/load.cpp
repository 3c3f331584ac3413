// SPDX-License-Identifier: Apache-2.0
/// A robot by whatever name a user gives it.
#include <algorithm>
#include <filesystem>
#include <string>

#include "core/text.hpp"
#include "file.hpp"
#include "model/names.hpp"
#include "model/shipped_robots.hpp"
#include "tandem/io/mjcf.hpp"
#include "tandem/io/urdf.hpp"
#include "tandem/model/generators.hpp"
#include "urdf_reader.hpp"

namespace tandem {

using namespace model_detail;

namespace {

std::string shipped_names() { return comma_separated(shipped_robot_names()); }

void offer_shipped(Nearest& nearest) {
  for (const std::string_view name : shipped_robot_names()) nearest.offer(name);
}

bool looks_like_a_path(const std::string& robot) {
  if (robot.find('/') != std::string::npos) return true;
  if (robot.ends_with(".urdf") || robot.ends_with(".URDF") || robot.ends_with(".xml")) return true;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(robot, error);
  return !error && std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

[[noreturn]] void refuse(const std::string& robot) {
  Nearest nearest(robot);
  offer_shipped(nearest);
  // "chian:5" is like "chain"; the suggestion keeps the number
  const std::size_t colon = robot.find(':');
  if (colon != std::string::npos) {
    nearest = Nearest(robot);
    const std::string rest = robot.substr(colon);
    for (const char* kind : {"chain", "rope", "tree", "snake"}) nearest.offer(kind + rest);
  }
  throw Error(sentence("robot ", in_quotes(robot),
                       " is neither a file nor a known robot; expected a .urdf or .xml (MJCF) file, a "
                       "generator (chain:N, rope:N, "
                       "rope:N:bending, tree:N, snake:N), or one of the shipped robots ",
                       shipped_names(), nearest.suggestion()));
}

}  // namespace

std::vector<std::string> shipped_robots() {
  const std::vector<std::string_view> names = shipped_robot_names();
  return {names.begin(), names.end()};
}

std::string_view shipped_robot(std::string_view name) {
  const std::string_view text = shipped_robot_text(name);
  if (!text.empty()) return text;
  Nearest nearest(name);
  offer_shipped(nearest);
  throw Error(sentence("no robot ", in_quotes(name), " ships with Tandem, expected one of ", shipped_names(),
                       nearest.suggestion()));
}

Model load(const std::string& robot, const BuildOptions& options, std::uint64_t seed, const MeshOptions& meshes) {
  return describe(robot, seed, meshes).build(options);
}

ModelBuilder describe(const std::string& robot, std::uint64_t seed, const MeshOptions& meshes) {
  if (looks_like_a_path(robot)) {
    const std::string text = io::read_file(robot);
    return is_mjcf(text) ? read_mjcf_file(robot) : io::complete_urdf(text, robot, meshes);
  }
  if (is_generator(robot)) return generate(robot, seed);
  const std::string_view text = shipped_robot_text(robot);
  if (!text.empty()) return read_urdf(text, robot + ".urdf");
  refuse(robot);
}

}  // namespace tandem
