// SPDX-License-Identifier: Apache-2.0
/// What the parts of the reader of compiled MuJoCo models share.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/text.hpp"
#include "tandem/io/mjcf.hpp"

namespace tandem::io {

/// MuJoCo's numbers of what is read; they are part of its file format.
enum MujocoJoint : int { mj_free = 0, mj_ball = 1, mj_slide = 2, mj_hinge = 3 };
enum MujocoEquality : int { mj_connect = 0, mj_weld = 1, mj_joint_equality = 2, mj_tendon_equality = 3 };
inline constexpr int mj_site = 6;            // a constraint between sites, not bodies
inline constexpr int mj_joint_actuator = 0, mj_joint_in_parent = 1;  // transmissions of actuators
inline constexpr int mj_slider_crank = 2, mj_tendon_actuator = 3, mj_site_actuator = 4, mj_body_actuator = 5;
inline constexpr int mj_joint_of_tendon = 1;                         // parts of the path of a fixed tendon
inline constexpr int mj_filter_exact = 3, mj_muscle = 4;              // dynamics of activations
inline constexpr int mj_affine = 1;                                  // gains and biases that are linear

/// Sites at the ends of loop joints in MJCF that Tandem has written; they are no frames.
inline constexpr std::string_view loop_site = "tandem_loop:";
/// A revolute loop is two connect constraints, at points of its axis; the second is called so, and a custom field has
/// the axis.
inline constexpr std::string_view loop_axis_field = "tandem_loop_axis:", on_axis = ":axis";
/// A limit of this size or beyond means none.
inline constexpr double mjcf_unlimited = 1e300;
/// Custom fields in which MJCF that Tandem has written keeps what MJCF has no word for.
inline constexpr std::string_view base_field = "tandem_base", contact_problem_field = "tandem_contact_problem:",
                                  velocity_field = "tandem_velocity_limit:", effort_field = "tandem_effort_limit:";

/// Throws ModelError, which names the array and the place in it, where the arrays do not fit each other.
void check_mujoco(const MujocoModel& model, const std::string& file);

/// Names that are taken: a further one that reads the same gets something behind it.
class Taken {
 public:
  std::string take(std::string name, std::string_view behind) {
    if (!names_.insert(name).second) {
      name += behind;
      while (!names_.insert(name).second) name += '_';
    }
    return name;
  }

 private:
  std::unordered_set<std::string> names_;
};

/// A compiled model with its elements by index.
class MujocoReader {
 public:
  MujocoReader(const MujocoModel& model, const std::string& file)
      : m_(model), file_(file), robot_(model_name(), {file, 0, {}}) {}

  ModelBuilder read();

 private:
  // mjcf_reader.cpp
  std::string model_name() const;
  std::string given_name(const std::vector<int>& starts, int k) const;
  /// The name of an element, or its kind and number where it has none.
  std::string name_of(const std::vector<int>& starts, const char* kind, int k) const;
  Source source(const char* kind, const std::string& name) const { return {file_, 0, element(kind, name)}; }
  std::vector<std::string> names_of(const std::vector<int>& starts, const char* kind, int count, Taken& taken);
  void name_all();
  void add_body(int body);
  JointDescription joint_of(int joint) const;
  void add_sites();
  void add_keys();
  // mjcf_constraints.cpp
  void add_equalities();
  void add_loop(int eq, const std::string& name);
  /// The numbers of a custom field that Tandem has written, empty if there is none.
  std::vector<double> custom_numbers(const std::string& name) const;
  void add_follower(int eq, const std::string& name);
  void add_tendon_equality(int eq, const std::string& name);
  std::array<double, 5> polynomial(int eq, double reference_1, double reference_2) const;
  ContactSoftness softness_of(int eq) const;
  // mjcf_shapes.cpp
  void add_shapes();
  std::vector<bool> touching_shapes() const;
  std::vector<std::array<double, 3>> hull_of(int mesh) const;
  ShapeDescription shape_of(int geom, const std::string& name) const;
  // mjcf_actuators.cpp
  void add_actuators();
  std::string left_out(int actuator) const;
  std::string left_out_transmission(int actuator) const;
  bool acts_on_joint(int actuator) const;
  /// Calls f(MuJoCo's joint, factor) for joints that an actuator of a joint or of a fixed tendon acts on.
  template <class F>
  void for_each_driven(int actuator, F&& f) const;
  ActuatorDescription actuator_of(int actuator, const std::string& name) const;
  void add_rotor(int actuator, const std::string& name);
  // mjcf_tendons.cpp
  void add_tendons();
  // mjcf_remarks.cpp
  void remark_joint(int joint);
  void remark_rest();
  /// The body that this one hangs from without a joint between, or itself.
  int rigid_root(int body) const;
  /// Of the limits that Tandem has written.
  void read_limits();
  template <class... Part>
  void warn(const char* kind, const std::string& name, const Part&... parts) {
    remark(kind, name, sentence(parts...));
  }
  /// Elements of one kind of which the same is to be said share a warning.
  void remark(const char* kind, const std::string& name, std::string what);
  void add_warnings();

  int n_bodies() const { return static_cast<int>(m_.body_parentid.size()); }
  int n_joints() const { return static_cast<int>(m_.jnt_type.size()); }
  template <class T>
  static T of(const std::vector<T>& values, int k, T otherwise = {}) {
    return static_cast<std::size_t>(k) < values.size() ? values[static_cast<std::size_t>(k)] : otherwise;
  }
  template <std::size_t n>
  static std::array<double, n> row(const std::vector<double>& values, int k, int offset = 0, int width = n) {
    std::array<double, n> all{};
    for (std::size_t i = 0; i < n; ++i) all[i] = of(values, k * width + offset + static_cast<int>(i));
    return all;
  }
  static Pose pose(const std::array<double, 3>& position, const std::array<double, 4>& wxyz) {
    return {position, rotation_from_quaternion(wxyz[1], wxyz[2], wxyz[3], wxyz[0])};
  }

  const MujocoModel& m_;
  std::string file_;
  ModelBuilder robot_;
  Taken link_names_, joint_names_;
  std::vector<std::string> body_names_, jnt_names_;
  std::vector<std::string> tendon_names_;   ///< of MuJoCo's tendons; empty: ignored
  std::vector<std::string> site_names_;     ///< of MuJoCo's sites; empty: no frames
  Taken coupler_names_;
  std::vector<std::string> control_names_;  ///< of the actuators, by control
  std::vector<JointDescription> joints_;  ///< in the order of the bodies, with those that fix bodies
  std::vector<std::size_t> joint_at_;     ///< where MuJoCo's are among them
  std::string base_;                      ///< the base's name of a robot that Tandem has written
  int base_body_ = 0;                     ///< the body without joints that has its mass

  struct Remark {
    const char* kind;
    std::string what;
    std::vector<std::string> names;
  };
  std::vector<Remark> remarks_;
};

}  // namespace tandem::io
