// SPDX-License-Identifier: Apache-2.0
/// How an algorithm describes its arguments: one table that checks, bindings, files and tests all read.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include "tandem/index.hpp"
#include "tandem/model/view.hpp"
#include "tandem/options.hpp"

namespace tandem {

/// Sizes of an argument, by what it holds.
enum class Rows : unsigned char {
  q,
  v,
  link_force,
  pose,
  frame_motion,
  matrix,
  jacobian,
  point_jacobian,
  motion_matrix,
  regressor,
  motion,
  point,
  scalar,
  link,
  link_point,
  link_inertia
};

/// Sizes in the words of a model's counts, and how the numbers lie.
struct RowsKind {
  const char* name;
  const char* sizes;
  const char* order = "";
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
      {"jacobian", "6, nv", "linear first"},
      {"point_jacobian", "3, nv"},
      {"motion_matrix", "6, 6", "linear first"},
      {"regressor", "nv, 10 n_joints", "of every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz"},
      {"motion", "6", "linear first"},
      {"point", "3"},
      {"scalar", ""},
      {"link", "n_links"},
      {"link_point", "n_links, 3"},
      {"link_inertia", "n_links, 6", "xx xy xz yy yz zz"},
  };
};

enum class Role : unsigned char { input, optional_input, output, optional_output };

/// The limits of a robot that the numbers of an argument should keep.
enum class Limit : unsigned char { none, position, velocity, force };

struct Argument {
  const char* name;
  Rows rows;
  Role role;
  const char* units;
  const char* meaning;
  const char* needs = "";  ///< names of the inputs, a letter each, without which an optional output cannot be computed
  Limit limit = Limit::none;
};
constexpr bool is_input(const Argument& a) { return a.role == Role::input || a.role == Role::optional_input; }
constexpr bool is_optional(const Argument& a) {
  return a.role == Role::optional_input || a.role == Role::optional_output;
}

/// Arguments of many algorithms.
namespace argument {
inline constexpr Argument q = {"q", Rows::q, Role::input, "rad|m", "configuration", "", Limit::position};
inline constexpr Argument v = {"v", Rows::v, Role::input, "rad/s|m/s", "velocity", "", Limit::velocity};
inline constexpr Argument a = {"a", Rows::v, Role::input, "rad/s^2|m/s^2", "acceleration"};
inline constexpr Argument tau = {"tau", Rows::v, Role::input, "N m|N", "joint forces", "", Limit::force};
inline constexpr Argument f_ext = {"f_ext", Rows::link_force, Role::optional_input, "N, N m", "forces on the links"};

constexpr Argument in_role(Argument argument, Role role) {
  argument.role = role;
  return argument;
}
constexpr Argument optional(const Argument& argument) { return in_role(argument, Role::optional_input); }
constexpr Argument output(const Argument& argument) { return in_role(argument, Role::output); }
}  // namespace argument

/// Shape of an argument: up to three sizes, how many of them, and their product.
struct Shape {
  Index sizes[3] = {1, 1, 1};
  int rank = 0;
  Index count() const { return sizes[0] * sizes[1] * sizes[2]; }
};

template <class M>
constexpr Shape shape(Rows rows, const ModelView<M>& m) {
  switch (rows) {
    case Rows::q: return {{m.nq, 1, 1}, 1};
    case Rows::v: return {{m.nv, 1, 1}, 1};
    case Rows::link_force: return {{m.n_links, 6, 1}, 2};
    case Rows::pose: return {{m.n_frames, 3, 4}, 3};
    case Rows::frame_motion: return {{m.n_frames, 6, 1}, 2};
    case Rows::matrix: return {{m.nv, m.nv, 1}, 2};
    case Rows::jacobian: return {{6, m.nv, 1}, 2};
    case Rows::point_jacobian: return {{3, m.nv, 1}, 2};
    case Rows::motion_matrix: return {{6, 6, 1}, 2};
    case Rows::regressor: return {{m.nv, Index{10} * (m.n_links - 1), 1}, 2};
    case Rows::motion: return {{6, 1, 1}, 1};
    case Rows::point: return {{3, 1, 1}, 1};
    case Rows::scalar: return {};
    case Rows::link: return {{m.n_links, 1, 1}, 1};
    case Rows::link_point: return {{m.n_links, 3, 1}, 2};
    case Rows::link_inertia: return {{m.n_links, 6, 1}, 2};
  }
  return {};
}

}  // namespace tandem
