// SPDX-License-Identifier: Apache-2.0
/// How an algorithm describes its arguments: one table that checks, bindings, files and tests all read.
#pragma once
#include "tandem/index.hpp"
#include "tandem/model/view.hpp"
#include "tandem/options.hpp"

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

}  // namespace tandem
