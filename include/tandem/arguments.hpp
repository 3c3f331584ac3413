// SPDX-License-Identifier: Apache-2.0
/// Tables of the arguments of algorithms, used by checks, bindings, files and tests.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include "tandem/index.hpp"
#include "tandem/model/view.hpp"
#include "tandem/options.hpp"

namespace tandem {

/// Kinds of arguments, which determine their shape.
enum class Rows : unsigned char {
  q,                ///< configuration
  v,                ///< velocity, acceleration, joint torque
  link_force,       ///< wrench on every link
  pose,             ///< pose of every frame
  frame_motion,     ///< motion of every frame
  matrix,           ///< symmetric, of joint space
  square,           ///< of joint space, not symmetric
  jacobian,         ///< of a frame or a momentum
  point_jacobian,   ///< of a point
  motion_matrix,    ///< from wrenches to motions of a frame
  regressor,        ///< ten columns for each moving link
  link_parameters,  ///< ten inertial parameters for each moving link
  frame_pose,       ///< of one frame
  motion,           ///< of one frame
  point,            ///< or a vector
  scalar,           ///< a number
  link,             ///< a number for every link
  link_point,       ///< a point for every link
  link_inertia,     ///< an inertia for every link
  loop_force,       ///< wrench of every loop joint
  stop,             ///< state of the limits of every joint
  step_energy       ///< energies within steps
};

/// Shape in terms of the sizes of a model, and order of the numbers.
struct RowsKind {
  const char* name;        ///< as the value of Rows
  const char* sizes;       ///< "n_links, 6"
  const char* order = "";  ///< order of the numbers, if it is not obvious
};
template <>
struct NamesOf<Rows> {
  static constexpr const char* kind = "argument's sizes";
  static constexpr RowsKind table[] = {
      {"q", "nq"},
      {"v", "nv"},
      {"link_force", "n_links, 6", "linear first, at the link's origin, its axes"},
      {"pose", "n_frames, 3, 4", "rows of [R | p]"},
      {"frame_motion", "n_frames, 6", "linear first"},
      {"matrix", "nv, nv"},
      {"square", "nv, nv", "row-major"},
      {"jacobian", "6, nv", "linear first"},
      {"point_jacobian", "3, nv"},
      {"motion_matrix", "6, 6", "linear first"},
      {"regressor", "nv, 10 n_joints", "for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz"},
      {"link_parameters", "10 n_joints", "for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz"},
      {"frame_pose", "3, 4", "rows of [R | p]"},
      {"motion", "6", "linear first"},
      {"point", "3"},
      {"scalar", ""},
      {"link", "n_links"},
      {"link_point", "n_links, 3"},
      {"link_inertia", "n_links, 6", "xx xy xz yy yz zz"},
      {"loop_force", "n_loops, 6", "linear first, at the origin of frame 2, the axes of frame 1"},
      {"stop", "nv, 3", "impedance, force and side (1 upper, -1 lower, 0 inactive) of every joint limit"},
      {"step_energy", "4", "dissipated, of this by joint limits, work of tau and f_ext, work of the controller"},
  };
};

/// Whether an argument is an input or output, and whether it is optional.
enum class Role : unsigned char {
  input,           ///< required
  optional_input,  ///< zeros if omitted
  output,          ///< required
  optional_output  ///< not computed if omitted
};

/// The limits of a robot for the numbers of an argument.
enum class Limit : unsigned char {
  none,      ///< it has none
  position,  ///< joint_limits: lower and upper
  velocity,  ///< joint_limits: velocity
  force      ///< joint_limits: effort
};

/// An argument of an algorithm.
struct Argument {
  const char* name;        ///< "q"
  Rows rows;               ///< its kind and shape
  Role role;               ///< input or output
  const char* units;       ///< "rad|m": of rows of angles, and of lengths
  const char* meaning;     ///< in a few words
  const char* needs = "";  ///< names of the inputs, a letter each, that an optional output requires
  Limit limit = Limit::none;  ///< limit that is checked
  const char* may_be = "";    ///< name of the input whose array an output may share
};
/// Largest number of arguments of an algorithm.
inline constexpr std::size_t most_arguments = 26;
/// Whether it is an input.
constexpr bool is_input(const Argument& a) { return a.role == Role::input || a.role == Role::optional_input; }
/// Whether it is optional.
constexpr bool is_optional(const Argument& a) {
  return a.role == Role::optional_input || a.role == Role::optional_output;
}

/// Arguments of many algorithms.
namespace argument {
/// Configuration.
inline constexpr Argument q = {"q", Rows::q, Role::input, "rad|m", "configuration", "", Limit::position};
/// Velocity.
inline constexpr Argument v = {"v", Rows::v, Role::input, "rad/s|m/s", "velocity", "", Limit::velocity};
/// Acceleration.
inline constexpr Argument a = {"a", Rows::v, Role::input, "rad/s^2|m/s^2", "acceleration"};
/// Joint torques.
inline constexpr Argument tau = {"tau", Rows::v, Role::input, "N m|N", "joint torques", "", Limit::force};
/// External wrenches on the links, optional.
inline constexpr Argument f_ext = {"f_ext", Rows::link_force, Role::optional_input, "N, N m",
                                   "external wrenches on the links"};
/// Added to the diagonal of the mass matrix, optional.
inline constexpr Argument diagonal = {"diagonal", Rows::v, Role::optional_input, "kg m^2|kg",
                                      "added to the diagonal of the mass matrix"};

/// The argument with the role output.
constexpr Argument in_role(Argument argument, Role role) {
  argument.role = role;
  return argument;
}
/// The argument as an optional input.
constexpr Argument optional(const Argument& argument) { return in_role(argument, Role::optional_input); }
/// The argument as an output, which may share the array of the input of this name.
constexpr Argument output(const Argument& argument, const char* may_be = "") {
  Argument result = in_role(argument, Role::output);
  result.may_be = may_be;
  return result;
}
}  // namespace argument

/// Shape of an argument: up to three sizes, how many of them, and their product.
struct Shape {
  Index sizes[3] = {1, 1, 1};  ///< those beyond rank are 1
  int rank = 0;                ///< number of sizes
  /// Number of elements.
  constexpr Index count() const { return sizes[0] * sizes[1] * sizes[2]; }
};

/// The shape of an argument for a model.
template <class M>
constexpr Shape shape(Rows rows, const ModelView<M>& m) {
  switch (rows) {
    case Rows::q: return {{m.nq, 1, 1}, 1};
    case Rows::v: return {{m.nv, 1, 1}, 1};
    case Rows::link_force: return {{m.n_links, 6, 1}, 2};
    case Rows::pose: return {{m.n_frames, 3, 4}, 3};
    case Rows::frame_motion: return {{m.n_frames, 6, 1}, 2};
    case Rows::matrix: return {{m.nv, m.nv, 1}, 2};
    case Rows::square: return {{m.nv, m.nv, 1}, 2};
    case Rows::jacobian: return {{6, m.nv, 1}, 2};
    case Rows::point_jacobian: return {{3, m.nv, 1}, 2};
    case Rows::motion_matrix: return {{6, 6, 1}, 2};
    case Rows::regressor: return {{m.nv, Index{10} * (m.n_links - 1), 1}, 2};
    case Rows::link_parameters: return {{Index{10} * (m.n_links - 1), 1, 1}, 1};
    case Rows::frame_pose: return {{3, 4, 1}, 2};
    case Rows::motion: return {{6, 1, 1}, 1};
    case Rows::point: return {{3, 1, 1}, 1};
    case Rows::scalar: return {};
    case Rows::link: return {{m.n_links, 1, 1}, 1};
    case Rows::link_point: return {{m.n_links, 3, 1}, 2};
    case Rows::link_inertia: return {{m.n_links, 6, 1}, 2};
    case Rows::loop_force: return {{m.n_loops, 6, 1}, 2};
    case Rows::stop: return {{m.nv, 3, 1}, 2};
    case Rows::step_energy: return {{4, 1, 1}, 1};
  }
  return {};
}

}  // namespace tandem
