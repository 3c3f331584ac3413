// SPDX-License-Identifier: Apache-2.0
/// What a build without MuJoCo's headers says of MJCF.
#include "tandem/error.hpp"
#include "tandem/io/mjcf.hpp"

namespace tandem {
namespace {

[[noreturn]] void refuse_mjcf(const std::string& what) {
  throw Error(what +
              " is MJCF, and this build of Tandem has no MuJoCo, which reads it. In Python, pip install mujoco is "
              "enough. For other programs, convert the file: python3 -m tandem.mjcf robot.xml > robot.urdf; or build "
              "Tandem with MuJoCo");
}

}  // namespace

bool reads_mjcf() { return false; }
ModelBuilder read_mjcf_file(const std::string& path) { refuse_mjcf(path); }
ModelBuilder read_mjcf(std::string_view, const std::string& name) { refuse_mjcf(name); }

}  // namespace tandem
