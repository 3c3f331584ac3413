// SPDX-License-Identifier: Apache-2.0
/// What contacts and the rows of joints are made of, the same for all states of a robot.
#pragma once
#include <cstdint>

namespace tandem {

/// How the friction of a contact is bounded by its normal force.
enum class Coupling : unsigned char {
  cone,     ///< MuJoCo's elliptic cone
  pyramid,  ///< MuJoCo's pyramid: edges (1, +-mu_j) that push, each as a row of its own
  disc      ///< by mu times the normal force of the step before
};

/// What is solved at the end of a step of length h, and how.
enum class RowLaw : unsigned char {
  servo,  ///< a spring and a damper that act with the state at the beginning of the step, as MuJoCo's Euler has them
  servo_implicit,  ///< the same with the state at its end, as MuJoCo's `discrete` has them
  stop             ///< rigid but for 1 / hardness, met without a rebound: Tandem's joint stops
};

/// Softness of a row under MuJoCo's names. [MuJoCo, Modeling, Solver parameters]
struct Softness {
  double solref[2] = {0.02, 1};  ///< time constant [s] and damping ratio; if negative, -stiffness
                                 ///< [1/s^2] and -damping [1/s]
  double solimp[5] = {0.9, 0.95, 0.001, 0.5,
                      2};  ///< impedance at no depth and at full width, width [m|rad], midpoint, power
};

/// What the laws have in common in a step.
struct LawOptions {
  RowLaw law = RowLaw::servo;
  double h = 0.002;         ///< step, s
  double hardness = 10000;  ///< of `stop`: how many times it outweighs what the row feels in one step
};

/// How the contact problem is put and solved.
struct ContactSolverOptions {
  LawOptions law;
  Coupling coupling = Coupling::cone;
  double impratio = 1;      ///< how much stiffer friction is than the normal
  double tolerance = 1e-3;  ///< of accelerations, in the norm of the mass matrix: of the step before the last one
  int most_steps = 20;      ///< Newton steps
  double search_tolerance = 1e-3;  ///< slope at the end of a line search over that at its beginning
  int most_trials = 12;            ///< of a line search
};

/// The part of a joint in the length of a tendon.
struct TendonPart {
  std::int32_t q = 0, v = 0;  ///< rows of the joint
  double coefficient = 1;
};

/// A fixed tendon, see TendonDescription: length = offset + sum of coefficient q. Or the angle of a spherical joint, as
/// length of a tendon along the axis about which it has turned.
struct TendonKind {
  std::int32_t first = 0, count = 0;     ///< its parts
  std::int32_t ball_q = -1, ball_v = 0;  ///< rows of the spherical joint; -1: a tendon
  double offset = 0;                     ///< m, of joints that follow others
  double lower = 0, upper = 0;           ///< limits of the length, m
  double margin = 0;                     ///< distance below which they push, m
  double friction = 0;                   ///< N
  double stiffness = 0;                  ///< N/m
  double damping = 0;                    ///< N s/m
  double rest[2] = {0, 0};               ///< lengths between which the spring is slack, m
  double mobility = 1;                   ///< J M^-1 J^T, 1/kg, see tendon_mobility
  Softness of_limits, of_friction;
};

/// All tendons of a robot.
struct TendonList {
  int n = 0;
  const TendonKind* kinds = nullptr;  ///< [n]
  const TendonPart* parts = nullptr;
  bool springs = false;  ///< whether springs act; else their forces are given
  bool damping = false;  ///< the same for damping
};

/// A loop joint, see LoopDescription, as rows that pull its two frames together.
struct LoopKind {
  std::int32_t link_1 = 0, link_2 = 0;  ///< the links that it connects; 0: what does not move
  std::int32_t held = 0;                ///< directions, see held_directions
  double frame_1[12] = {}, frame_2[12] = {};  ///< E (rows), r: from the links to its frames, turned
  double turned[9] = {};                      ///< from the described axes of the frames to those with the joint's as z
  double torque_scale = 1;                    ///< of rows about the axes, m
  double mobility[2] = {1, 1};                ///< how the links move under forces, 1/kg, and moments, 1/(kg m^2)
  Softness softness;
};

/// All loop joints of a robot.
struct LoopList {
  int n = 0;
  const LoopKind* kinds = nullptr;  ///< [n]
  int n_held = 0;                   ///< directions of all of them
};

/// Two sums of joint positions of which the first follows the second, see CouplerDescription:
/// offset + sum of coefficient q each, less their references.
struct CouplerKind {
  std::int32_t first[2] = {0, 0}, count[2] = {0, 0};  ///< parts of both; the second may have none
  double offset[2] = {0, 0};                          ///< rad|m
  double polynomial[5] = {0, 1, 0, 0, 0};             ///< of the second, constant term first
  double mobility = 1;                                ///< of the first and the second
  Softness softness;
};

/// All couplers of a robot.
struct CouplerList {
  int n = 0;
  const CouplerKind* kinds = nullptr;  ///< [n]
  const TendonPart* parts = nullptr;
};

/// A mass whose weight a force on a link carries, see CarriedMass.
struct CarriedKind {
  std::int32_t link = 0;
  double mass = 0;                 ///< kg
  double position[3] = {0, 0, 0};  ///< in the link's frame, m
};
struct CarriedList {
  int n = 0;
  const CarriedKind* kinds = nullptr;  ///< [n], in the order of links
};

/// What limits and friction of the rows of v are made of; null: as Softness has it by default.
struct JointSoftness {
  const Softness* limit = nullptr;     ///< [nv]
  const Softness* friction = nullptr;  ///< [nv]
  const double* mobility =
      nullptr;  ///< [nv] how a joint moves under forces on it, 1/kg | 1/(kg m^2): see joint_mobilities. Never null
  bool limits = true;         ///< whether joints have their limits
  bool friction_acts = true;  ///< whether they have their friction
  TendonList tendons{};       ///< rows over several joints
  CouplerList couplers{};   ///< the same, always held
  LoopList loops{};           ///< rows between two links, always held
  CarriedList carried{};      ///< forces on links
  const double* margin = nullptr;  ///< [nv] distance from a limit below which it acts, rad|m; null: 0
};

/// What a contact is made of. What moves with the state stands in a column, see ContactPlace.
struct ContactKind {
  std::int32_t link = 0;   ///< the link that is pushed
  std::int32_t other = 0;  ///< the link that is pushed the other way, of a lower number; 0: what does not move
  std::int32_t dim = 3;    ///< 1, 3, 4 or 6: normal, two tangents, about the normal, about the tangents
  double friction[5] = {1, 1, 0.005, 0.0001, 0.0001};  ///< along the tangents; about the normal and the tangents, m
  Softness softness;
  double solreffriction[2] = {0, 0};  ///< solref of friction; {0, 0}: that of the normal. Pyramids have no use for it
  double margin = 0;                  ///< distance below which it pushes, m
  double mobility = 1;                ///< how the links move under forces on them, 1/kg: see contact_mobility
};

/// Rows of a contact in the column that says where it is: distance [m], point [3] m, axes [3][3]: the normal, which
/// points to the
/// link, and two tangents; in world coordinates.
struct ContactPlace {
  enum Row { distance = 0, point = 1, axes = 4, rows = 13 };
};

}  // namespace tandem
