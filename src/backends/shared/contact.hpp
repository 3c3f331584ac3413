// SPDX-License-Identifier: Apache-2.0
/// Contacts as they pass to the code compiled once per instruction set.
#pragma once
#include <cstdint>
#include <span>

#include "backends/shared/parameters.hpp"
#include "tandem/api/contact_dynamics.hpp"
#include "tandem/detail/contact/kinds.hpp"
#include "tandem/model/shape_types.hpp"
#include "tandem/model/view.hpp"

namespace tandem {

/// A shape on its link.
struct LinkShape {
  ShapeType type = ShapeType::sphere;
  int link = 0;
  double R[9] = {}, p[3] = {};  ///< turns its axes into those of the link, rows; its origin there, m
  double size[3] = {};    ///< see ShapeType; of a mesh half the edges of a box about its origin
  double radius = 0;  ///< m, of a sphere about the origin that it lies in
  int n_vertices = 0;
  const double* vertices = nullptr;  ///< [n_vertices][3] m
};

/// Two shapes that can touch. Its slots are all of one kind.
struct LinkPair {
  ContactKind kind;
  int shape_1 = 0, shape_2 = 0, first_slot = 0, slots = 0;
  bool first_moves = false;  ///< whether the link is that of shape 1, on which the opposite force acts
  bool is_found = false;     ///< in this state, see FoundPairs
};

/// Pairs of shapes of two moving links that are found in every state, see ContactSet.
struct FoundPairs {
  const ContactSet* set = nullptr;
  std::span<const double> reach;       ///< [shapes] radius and margin, m
  std::span<const double> mobility;    ///< [shapes] how they move under forces, 1/kg
  std::span<const int> material;       ///< [shapes] which parameters a shape has
  int n_materials = 0;
  std::span<const ContactKind> kinds;  ///< [n_materials][n_materials] of two shapes, but for links and mobility
};

/// A contact of such a pair, as FoundContact has it; `push` is the force of shape 1 on shape 2 in the world, N.
struct FoundPush {
  int shape_1 = 0, shape_2 = 0, slot = 0;
  double distance = 0, position[3] = {}, frame[9] = {}, force[6] = {}, push[3] = {};
};
/// Takes what kernels find, of every state from one thread.
class FoundPushes {
 public:
  virtual void begin(Index state) = 0;  ///< nothing has been found there
  virtual void add(Index state, const FoundPush& contact) = 0;

 protected:
  ~FoundPushes() = default;
};

/// What contact dynamics knows before it sees a state.
struct ContactProblem {
  std::span<const LinkShape> shapes;
  std::span<const LinkPair> pairs;  ///< in the order of their links
  int n_slots = 0;
  const FoundPairs* found = nullptr;  ///< null: all pairs are listed
  ContactSolverOptions how;
  JointSoftness joints;
  int most_contacts = 0, most_columns = 0;  ///< that a robot has room for on a GPU; 0: see ContactTables
};

/// Memory of tiles, of kernels that run at the same time.
class ContactTiles {
 public:
  virtual void* take() = 0;
  virtual void give(void* tile) = 0;

 protected:
  ~ContactTiles() = default;
};

/// Contacts of a batch. Null: not wanted.
template <class T>
struct ContactCall {
  const ContactProblem* problem = nullptr;
  ContactTiles* tiles = nullptr;
  bool damps_after = false;  ///< whether joint damping acts after contacts are solved, and springs as before the step
  double h = 0;              ///< s, of a step
  bool has_stages = false;   ///< whether a step is one of rk4, with a solution in each of its four stages
  int stage = 0;             ///< the first one that is solved for
  /// Whether to compute works in a step from v: at the mean of the old and new velocity, or in every stage of rk4.
  bool accounts = false;
  Array<T> warm = {};                           ///< [nv] initial guess, then accelerations before damping; null: zeros
  const T* normals = nullptr;  ///< [batch][slots] N: normal forces of the step before, of FrictionCone::disc; null: 0
  T *f_limit = nullptr, *f_friction = nullptr;  ///< [batch][nv] N m|N
  double* forces = nullptr;                     ///< [batch][slots][6] N, N m, see ContactAcceleration
  double* f_loop = nullptr;                     ///< [batch][n_loops][6] N, N m, see ContactAcceleration
  double* f_coupler = nullptr;                 ///< [batch][couplers] N m|N
  double* pushes = nullptr;                     ///< [batch][slots][3] N: of shape 1 on shape 2, in the world
  /// [batch][1 + slots] number of slots that touch, and their numbers; `forces` and `pushes` of all other slots are 0,
  /// before and after the call. Null: all slots are written.
  std::int32_t* touching = nullptr;
  FoundPushes* found = nullptr;  ///< contacts of pairs that are found
  T *q_stage = nullptr, *v_stage = nullptr;  ///< [batch][nq], [batch][nv] last stage of rk4, in rollouts
  ContactTally* tally = nullptr;             ///< [batch] that steps of rollouts are added to
};

/// Contact dynamics of states.
template <class T>
struct ContactStatesCall {
  const ModelView<T>& model;
  const ParameterArrays<T>* parameters = nullptr;
  Array<T> q, v, tau, f_ext, diagonal, a;
  ContactCall<T> contacts;
  T* works = nullptr;  ///< [batch][3] J done by joint limits, dry friction, contacts; of a stage its part
  std::int32_t* steps = nullptr;
  std::uint8_t* converged = nullptr;
};

/// Contact dynamics on one instruction set.
template <class T>
struct ContactKernel {
  int lanes = 1;
  void* (*create)(const ContactProblem&, const ModelView<T>&) = nullptr;  ///< a tile
  void (*destroy)(void* tile) = nullptr;
  void (*run)(const ContactStatesCall<T>&, Index begin, Index end) = nullptr;
};
struct ContactKernels {
  ContactKernel<double> in_double;
  ContactKernel<float> in_float;
  template <class T>
  const ContactKernel<T>& in() const {
    if constexpr (std::is_same_v<T, double>)
      return in_double;
    else
      return in_float;
  }
};

}  // namespace tandem
