# SPDX-License-Identifier: Apache-2.0
# Writes the robots into a source file that defines the functions of src/model/shipped_robots.hpp:
#   cmake -DOUT=shipped_robots.cpp "-DROBOTS=a.urdf;b.urdf" -P embed_robots.cmake
# Texts become arrays of characters: string literals may not be longer than 64 kB.

set(arrays "")
set(table "")
list(SORT ROBOTS COMPARE STRING)
list(LENGTH ROBOTS count)
foreach(file IN LISTS ROBOTS)
  get_filename_component(name "${file}" NAME_WE)
  string(MAKE_C_IDENTIFIER "${name}" id)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "constexpr char ${id}[] = {${bytes}};\n")
  string(APPEND table "    {\"${name}\", {${id}, sizeof ${id}}},\n")
endforeach()

file(WRITE "${OUT}" "// Made by cmake/embed_robots.cmake from robots/*.urdf.
#include \"model/shipped_robots.hpp\"

#include <array>

namespace tandem {
namespace {

${arrays}
struct Robot {
  std::string_view name, text;
};
constexpr std::array<Robot, ${count}> robots = {{
${table}}};

}  // namespace

std::vector<std::string_view> shipped_robot_names() {
  std::vector<std::string_view> names;
  for (const Robot& robot : robots) names.push_back(robot.name);
  return names;
}

std::string_view shipped_robot_text(std::string_view name) {
  for (const Robot& robot : robots)
    if (robot.name == name) return robot.text;
  return {};
}

}  // namespace tandem
")
