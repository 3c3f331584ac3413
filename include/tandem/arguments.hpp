// SPDX-License-Identifier: Apache-2.0
/// How an algorithm describes its arguments: one table that checks, bindings, files and tests all read.
#pragma once
#include "tandem/index.hpp"
#include "tandem/model/view.hpp"

namespace tandem {

/// Sizes of an argument, by what it holds.
enum class Rows : unsigned char {
  q,               ///< [nq]
  v,               ///< [nv]
  link_force,      ///< [n_links, 6], linear first, at the link's origin along its own axes
  pose,            ///< [n_frames, 3, 4], rotation and position, rows of [R | p]
  frame_motion,    ///< [n_frames, 6], linear first
  matrix,          ///< [nv, nv]
  jacobian,        ///< [6, nv], linear first
  point_jacobian,  ///< [3, nv]
  motion_matrix,   ///< [6, 6], linear first
  motion,          ///< [6], linear first
  point,           ///< [3]
  scalar,          ///< []
  link,            ///< [n_links]
  link_point,      ///< [n_links, 3]
  link_inertia     ///< [n_links, 6], xx xy xz yy yz zz
};

enum class Role : unsigned char { input, optional_input, output, optional_output };

struct Argument {
  const char* name;
  Rows rows;
  Role role;
  const char* units;
  const char* meaning;
};

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
    case Rows::motion: return {{6, 1, 1}, 1};
    case Rows::point: return {{3, 1, 1}, 1};
    case Rows::scalar: return {};
    case Rows::link: return {{m.n_links, 1, 1}, 1};
    case Rows::link_point: return {{m.n_links, 3, 1}, 2};
    case Rows::link_inertia: return {{m.n_links, 6, 1}, 2};
  }
  return {};
}

/// Axes that a frame's motion is given along, and the point whose linear part is given.
enum class Reference : unsigned char {
  local,               ///< the frame's own axes and origin
  world,               ///< the world's axes and origin
  local_world_aligned  ///< the world's axes, the frame's origin
};

/// Ways to solve a problem, by the names of the field. Which problem has which: the headers of that name.
enum class Method : unsigned char {
  automatic,
  // one pass over the links after the other
  recursive_newton_euler,
  articulated_body,
  composite_rigid_body,
  // divided among the links of one robot
  scan,
  log_composite,
  composite_scan,
  mass_matrix_inversion,
  hybrid_articulated_body,
  constraint_force,
  divide_and_conquer,
  divide_and_conquer_efficient,
  conjugate_gradient
};

/// Ways to solve a block-tridiagonal system, see blocks/block_tridiagonal.hpp.
enum class Solver : unsigned char {
  automatic,
  block_lu,
  odd_even_elimination,
  cyclic_reduction,
  chunked,
  conjugate_gradient
};

/// Where the bias forces enter methods that solve for constraint forces.
enum class RightHandSide : unsigned char {
  automatic,
  local,       ///< as forces on the links, [Pond] (3.7): keeps the digits
  bias_torque  ///< as joint forces tau - ID(q, v, 0), [Yang]: loses digits with the condition of M
};

/// In which coordinates inverse dynamics is written as scans.
enum class Form : unsigned char {
  automatic,
  body,              ///< three scans in link coordinates
  jet,               ///< velocity and acceleration in one scan, forces in another
  world_orientation  ///< world axes, each link's own origin
};

/// What an algorithm can be told besides its arrays. Each algorithm says which of these it reads.
struct Options {
  int frame = 0;
  Reference reference = Reference::local;
  Method method = Method::automatic;
  Solver solver = Solver::automatic;
  RightHandSide right_hand_side = RightHandSide::automatic;
  Form form = Form::automatic;
  int chunk = 0;          ///< links that are worked through one after the other; 0: chosen by the method
  int chunks = 0;         ///< parts that a robot is divided into; 0: chosen by the method
  double load_ratio = 0;  ///< length of the terminal chunk over that of the others; 0: chosen by the method
};

}  // namespace tandem
