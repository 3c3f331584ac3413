// SPDX-License-Identifier: Apache-2.0
/// Options of algorithms in one table, used by checks, the command line, the bindings and the comparison of methods.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <type_traits>

#include "tandem/names.hpp"

namespace tandem {

/// Axes that a frame's motion is given along, and the point whose linear part is given.
enum class Reference : unsigned char {
  local,               ///< the frame's own axes and origin
  world,               ///< the world's axes and origin
  local_world_aligned  ///< the world's axes, the frame's origin
};
template <>
struct NamesOf<Reference> {
  static constexpr const char* kind = "reference";
  static constexpr Named table[] = {{"local", "the frame's own axes and origin"},
                                    {"world", "the world's axes and origin"},
                                    {"local_world_aligned", "the world's axes, the frame's origin"}};
};

/// Ways to solve a problem, by the names of the field; sources as in docs/notation.md. Which problem has which:
/// methods_of.
enum class Method : unsigned char {
  automatic,                     ///< the fastest for the robot and the machine
  recursive_newton_euler,        ///< motions outward, forces inward, [RBDA] table 5.1
  articulated_body,              ///< articulated inertias inward, accelerations outward, [RBDA] table 7.1
  composite_rigid_body,          ///< composite inertias; for accelerations a matrix factorization, [RBDA] table 6.2
  scan,                          ///< the passes as parallel scans, those of inverse dynamics [Yang] (2)
  log_composite,                 ///< columns of the matrix in logarithmic depth, [Amin-Javaheri] table 2
  composite_scan,                ///< composite inertias by a scan, [Amin-Javaheri] stage A
  mass_matrix_inversion,         ///< the matrix filled by scans, then factored, [Yang] (6), (7)
  hybrid_articulated_body,       ///< elimination by blocks of joints, [Yang] (8)
  constraint_force,              ///< a block-tridiagonal system of the constraint forces, [Yang] (12) - (17)
  divide_and_conquer,            ///< subchains joined in a binary tree, [Critchley] (12) - (42)
  divide_and_conquer_efficient,  ///< subchains by articulated bodies, then joined, [Critchley] (44) - (59)
  conjugate_gradient,            ///< constraint forces by conjugate gradients, [Pond] chapter 3
  recne,                         ///< recursive Newton-Euler as tasks, [Pond] table 2.2
  recneb,                        ///< the same in the axes of the base by recursive doubling, [Pond] p. 18
  resne,                         ///< resolved Newton-Euler, by partial velocities, [Pond] table 2.3
  classle,                       ///< classical Lagrange-Euler, by coefficients, [Pond] table 2.4
  recle,                         ///< recursive Lagrange-Euler, [Pond] table 2.5
  hybrid                         ///< recursive Newton-Euler and compound links, [Pond] table 2.6
};
template <>
struct NamesOf<Method> {
  static constexpr const char* kind = "method";
  static constexpr Named table[] = {
      {"automatic", "the fastest for the robot and the machine"},
      // one pass over the links after the other
      {"recursive_newton_euler", "motions outward, forces inward, [RBDA] table 5.1", "rnea"},
      {"articulated_body", "articulated inertias inward, accelerations outward, [RBDA] table 7.1", "aba"},
      {"composite_rigid_body", "composite inertias; for accelerations a matrix factorization, [RBDA] table 6.2",
       "crba"},
      // divided among the links of one robot
      {"scan", "the passes as parallel scans, those of inverse dynamics [Yang] (2)"},
      {"log_composite", "columns of the matrix in logarithmic depth, [Amin-Javaheri] table 2"},
      {"composite_scan", "composite inertias by a scan, [Amin-Javaheri] stage A"},
      {"mass_matrix_inversion", "the matrix filled by scans, then factored, [Yang] (6), (7)", "jsiia"},
      {"hybrid_articulated_body", "elimination by blocks of joints, [Yang] (8)", "abia"},
      {"constraint_force", "a block-tridiagonal system of the constraint forces, [Yang] (12) - (17)", "cfa"},
      {"divide_and_conquer", "subchains joined in a binary tree, [Critchley] (12) - (42)", "dca"},
      {"divide_and_conquer_efficient", "subchains by articulated bodies, then joined, [Critchley] (44) - (59)", "dcae"},
      {"conjugate_gradient", "constraint forces by conjugate gradients, [Pond] chapter 3"},
      // formulations that are compared, in tasks
      {"recne", "recursive Newton-Euler as tasks, [Pond] table 2.2"},
      {"recneb", "the same in the axes of the base by recursive doubling, [Pond] p. 18"},
      {"resne", "resolved Newton-Euler, by partial velocities, [Pond] table 2.3"},
      {"classle", "classical Lagrange-Euler, by coefficients, [Pond] table 2.4"},
      {"recle", "recursive Lagrange-Euler, [Pond] table 2.5"},
      {"hybrid", "recursive Newton-Euler and compound links, [Pond] table 2.6"}};
};

/// Ways to solve a block-tridiagonal system, see solve/block_tridiagonal.hpp.
enum class Solver : unsigned char {
  automatic,             ///< chosen by the method
  block_lu,              ///< sequential block elimination
  odd_even_elimination,  ///< all blocks in parallel, in logarithmic depth
  cyclic_reduction,      ///< every second block, until one remains
  chunked,               ///< chunks first, then their interfaces
  conjugate_gradient     ///< by iteration
};
template <>
struct NamesOf<Solver> {
  static constexpr const char* kind = "solver";
  static constexpr Named table[] = {{"automatic", "chosen by the method"},
                                    {"block_lu", "sequential block elimination"},
                                    {"odd_even_elimination", "all blocks in parallel, in logarithmic depth"},
                                    {"cyclic_reduction", "every second block, until one remains"},
                                    {"chunked", "chunks first, then their interfaces"},
                                    {"conjugate_gradient", "by iteration"}};
};

/// Where the bias forces enter methods that solve for constraint forces.
enum class RightHandSide : unsigned char {
  automatic,   ///< chosen by the method
  local,       ///< as wrenches on the links, [Pond] (3.7): accurate
  bias_torque  ///< as joint torques tau - ID(q, v, 0), [Yang]: error grows with the condition of M
};
template <>
struct NamesOf<RightHandSide> {
  static constexpr const char* kind = "right-hand side";
  static constexpr Named table[] = {
      {"automatic", "chosen by the method"},
      {"local", "as wrenches on the links, [Pond] (3.7): accurate"},
      {"bias_torque", "as joint torques tau - ID(q, v, 0), [Yang]: error grows with the condition of M"}};
};

/// Coordinates of inverse dynamics by scans.
enum class Form : unsigned char {
  automatic,         ///< chosen by the method
  body,              ///< three scans in link coordinates
  jet,               ///< velocity and acceleration in one scan, forces in another
  world_orientation  ///< world axes, each link's own origin
};
template <>
struct NamesOf<Form> {
  static constexpr const char* kind = "form";
  static constexpr Named table[] = {{"automatic", "chosen by the method"},
                                    {"body", "three scans in link coordinates"},
                                    {"jet", "velocity and acceleration in one scan, forces in another"},
                                    {"world_orientation", "world axes, each link's own origin"}};
};

/// Order in which a scan combines its elements.
enum class ScanSchedule : unsigned char {
  automatic,     ///< chosen by the method
  tree,          ///< up a tree and down again: 2 log2 n levels, 2 n joins, [Blelloch 1990]
  hillis_steele  ///< each element with those 1, 2, 4, ... before it: log2 n levels, n log2 n joins, [Hillis, Steele
                 ///< 1986]
};
template <>
struct NamesOf<ScanSchedule> {
  static constexpr const char* kind = "scan schedule";
  static constexpr Named table[] = {
      {"automatic", "chosen by the method"},
      {"tree", "up a tree and down again: 2 log2 n levels, 2 n joins, [Blelloch 1990]"},
      {"hillis_steele",
       "each element with those 1, 2, 4, ... before it: log2 n levels, n log2 n joins, [Hillis, Steele 1986]"}};
};

/// Matrices of formulations of inverse dynamics that are compared.
enum class Matrices : unsigned char {
  automatic,  ///< chosen by the method
  omega,      ///< of recne: points accelerate by Omega = dw~ + w~ w~, [Pond] (2.13)
  blocks      ///< of classle: 3x3 in place of 4x4, [Pond] p. 26
};
template <>
struct NamesOf<Matrices> {
  static constexpr const char* kind = "kind of matrices";
  static constexpr Named table[] = {{"automatic", "chosen by the method"},
                                    {"omega", "of recne: points accelerate by Omega = dw~ + w~ w~, [Pond] (2.13)"},
                                    {"blocks", "of classle: 3x3 in place of 4x4, [Pond] p. 26"}};
};

/// Integrators of time steps.
enum class Integrator : unsigned char {
  semi_implicit_euler,  ///< order 1; damping, friction, springs and the controller implicit: stable if stiff
  rk4,                  ///< order 4, [Munthe-Kaas 1998] on the configuration manifold; all forces explicit
  implicit_midpoint     ///< order 2; conserves energy over any time without losses and work; five to sixteen times the
                        ///< cost
};
template <>
struct NamesOf<Integrator> {
  static constexpr const char* kind = "integrator";
  static constexpr Named table[] = {
      {"semi_implicit_euler", "order 1; damping, friction, springs and the controller implicit: stable if stiff"},
      {"rk4", "order 4, [Munthe-Kaas 1998] on the configuration manifold; all forces explicit"},
      {"implicit_midpoint",
       "order 2; conserves energy over any time without losses and work; five to sixteen times the cost"}};
};

/// Whether a part of the model is enabled.
enum class Switch : unsigned char {
  on,  ///< enabled
  off  ///< disabled
};
template <>
struct NamesOf<Switch> {
  static constexpr const char* kind = "switch";
  static constexpr Named table[] = {{"on", "enabled"}, {"off", "disabled"}};
};

/// Options of algorithms. Each algorithm and method uses some of them.
struct Options {
  int frame = 0;                                             ///< index of the frame
  Reference reference = Reference::local;                    ///< axes and point of velocities and Jacobians
  Method method = Method::automatic;                         ///< method
  Solver solver = Solver::automatic;                         ///< solver of the system of constraint forces
  RightHandSide right_hand_side = RightHandSide::automatic;  ///< form of the bias forces in this system
  Form form = Form::automatic;                               ///< coordinates of inverse dynamics by scans
  int chunk = 0;           ///< number of links in a sequential chunk; 0: chosen by the method
  int chunks = 0;          ///< number of parts of the robot; 0: chosen by the method
  double load_ratio = 0;   ///< length of the terminal chunk over that of the others; 0: chosen by the method
  double tolerance = 0;    ///< relative change and residual at which an iteration ends; 0: default of the method
  int max_iterations = 0;  ///< limit of iterations; 0: default of the method
  ScanSchedule scan_schedule = ScanSchedule::automatic;     ///< order of joins in scans
  double stabilisation = 0;                                 ///< rate at which gaps of loops decay, 1/s; 0: they remain
  Matrices matrices = Matrices::automatic;                  ///< form of the matrices of recne and classle
  Integrator integrator = Integrator::semi_implicit_euler;  ///< integrator
  int steps = 1;                                            ///< number of steps of a call
  Switch limits = Switch::on;                               ///< whether joint limits act
  Switch losses = Switch::on;                               ///< whether joint damping and friction act
  Switch effort_limits = Switch::off;                       ///< whether the sum of tau and the controller is clipped
  /// Equality.
  bool operator==(const Options&) const = default;
};

/// A row of the table of options. `get` gives the member of that name, of Options or of an algorithm that reads it.
template <class Get>
struct Option {
  using Value = std::remove_cvref_t<std::invoke_result_t<Get, Options&>>;  ///< type of the option
  const char* name;                                                        ///< name of its member in Options
  const char* meaning;                                                     ///< short description
  Get get;                                                                 ///< returns the member
  unsigned bit;                                                            ///< bit of the option in sets of options
  bool of_problem = false;                                                 ///< defines what is computed, not how

  /// Whether it defines what is computed, not how: frames, references, steps.
  constexpr bool is_of_problem() const { return of_problem; }
};

/// Call f(Option) for every option; this is the table of names and descriptions. Numbers of a method are 0, which
/// selects the default of the method, or positive.
template <class F>
constexpr void for_each_option(F&& f) {
  unsigned bit = 1;
  const auto row = [&](const char* name, const char* meaning, auto get, bool of_problem = false) {
    f(Option<decltype(get)>{name, meaning, get, bit, of_problem});
    bit *= 2;
  };
  row(
      "frame", "frame, by name or index", [](auto& o) -> decltype((o.frame)) { return o.frame; }, true);
  row(
      "reference", "axes and reference point of velocities and Jacobians",
      [](auto& o) -> decltype((o.reference)) { return o.reference; }, true);
  row("method", "method", [](auto& o) -> decltype((o.method)) { return o.method; });
  row("solver", "solver of the system of constraint forces", [](auto& o) -> decltype((o.solver)) { return o.solver; });
  row("right_hand_side", "form of the bias forces in methods that solve for constraint forces",
      [](auto& o) -> decltype((o.right_hand_side)) { return o.right_hand_side; });
  row("form", "coordinates of inverse dynamics by scans", [](auto& o) -> decltype((o.form)) { return o.form; });
  row("chunk", "number of links in a sequential chunk", [](auto& o) -> decltype((o.chunk)) { return o.chunk; });
  row("chunks", "number of parts of the robot", [](auto& o) -> decltype((o.chunks)) { return o.chunks; });
  row("load_ratio", "length of the terminal chunk over that of the others",
      [](auto& o) -> decltype((o.load_ratio)) { return o.load_ratio; });
  row("tolerance", "relative change and residual at which an iteration ends",
      [](auto& o) -> decltype((o.tolerance)) { return o.tolerance; });
  row("max_iterations", "limit of iterations",
      [](auto& o) -> decltype((o.max_iterations)) { return o.max_iterations; });
  row("scan_schedule", "order of joins in scans of inverse dynamics",
      [](auto& o) -> decltype((o.scan_schedule)) { return o.scan_schedule; });
  row("stabilisation", "rate at which gaps of loops decay, 1/s",
      [](auto& o) -> decltype((o.stabilisation)) { return o.stabilisation; });
  row("matrices", "form of the matrices of recne and classle",
      [](auto& o) -> decltype((o.matrices)) { return o.matrices; });
  row(
      "integrator", "integrator", [](auto& o) -> decltype((o.integrator)) { return o.integrator; }, true);
  row(
      "steps", "number of steps of a call", [](auto& o) -> decltype((o.steps)) { return o.steps; }, true);
  row(
      "limits", "whether joint limits act", [](auto& o) -> decltype((o.limits)) { return o.limits; }, true);
  row(
      "losses", "whether joint damping and friction act", [](auto& o) -> decltype((o.losses)) { return o.losses; },
      true);
  row(
      "effort_limits", "whether the sum of tau and the controller is clipped to effort limits",
      [](auto& o) -> decltype((o.effort_limits)) { return o.effort_limits; }, true);
}

/// The options that an algorithm or a method uses, as bits: those for which it has members.
template <class A>
constexpr unsigned read_options = [] {
  unsigned read = 0;
  for_each_option([&](const auto& option) {
    if (std::is_invocable_v<decltype(option.get), A&>) read |= option.bit;
  });
  return read;
}();

/// An algorithm or a method with its options. Other options keep their defaults.
template <class A>
constexpr A with_options(const Options& given) {
  constexpr Options none;
  A result;
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    if constexpr (std::is_invocable_r_v<Value&, decltype(option.get), A&>)
      if (option.get(given) != option.get(none)) option.get(result) = option.get(given);
  });
  return result;
}

}  // namespace tandem
