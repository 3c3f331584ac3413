// SPDX-License-Identifier: Apache-2.0
/// Checks of every link, joint and frame on its own.
#include <algorithm>
#include <cmath>

#include "description.hpp"
#include "principal_axes.hpp"

namespace tandem::model_detail {

namespace {

constexpr double rounding_of_inertia = 1e-9;   // of the trace; below it a broken triangle rule is taken for rounding
constexpr double rounding_of_rotation = 1e-6;  // largest entry of R R^T - 1 that is taken for rounding
constexpr double zero_axis = 1e-6;             // an axis shorter than this has no direction
constexpr double unit_axis = 1e-3;             // an axis may differ this much from unit length without a word

std::string list(std::span<const double> numbers) {
  return "(" + comma_separated(numbers, [](double x) { return text(x); }) + ")";
}

/// True if all numbers are finite; else that is a problem.
template <class T>
bool check_finite(const Description& d, const T& described, const char* name, std::span<const double> numbers,
                  Findings& findings) {
  if (finite(numbers)) return true;
  findings.problem(d.where(described), name, " is ", list(numbers), ", expected finite numbers");
  return false;
}

/// True if the three principal moments could be those of a rigid body: none negative, none larger than the
/// sum of the others. Both hold if and only if 1/2 tr(I) 1 - I, the second moments of the mass distribution,
/// is positive semi-definite; its Cholesky factors say so without an eigenvalue.
bool is_rigid_body(const std::array<double, 6>& inertia) {
  const auto [xx, xy, xz, yy, yz, zz] = inertia;
  const double trace = xx + yy + zz;
  if (!(trace > 0)) return std::all_of(inertia.begin(), inertia.end(), [](double x) { return x == 0; });
  const double a = 0.5 + rounding_of_inertia;
  const double d_x = a - xx / trace;
  if (!(d_x > 0)) return false;
  const double l_y = -xy / trace / d_x, l_z = -xz / trace / d_x;
  const double d_y = a - yy / trace - l_y * l_y * d_x;
  if (!(d_y > 0)) return false;
  const double m_z = (-yz / trace - l_y * l_z * d_x) / d_y;
  return a - zz / trace - l_z * l_z * d_x - m_z * m_z * d_y > 0;
}

void check_inertia(const Description& d, const LinkDescription& link, Findings& findings) {
  if (is_rigid_body(link.inertia)) return;
  auto p = principal_axes(link.inertia).moments;
  for (double& moment : p) {
    if (std::abs(moment) < rounding_of_inertia * p[2]) moment = 0;
  }
  const std::string a = rounded_text(p[0]), b = rounded_text(p[1]), c = rounded_text(p[2]);
  const std::string broken = p[0] < 0 ? "is negative" : "+ " + b + " < " + c;
  findings.warning(d.where(link), "principal moments of inertia are not those of a rigid body: ", a, ", ", b, ", ", c,
                   ": ", a, " ", broken);
}

void check_link(const Description& d, const LinkDescription& link, Findings& findings) {
  if (!std::isfinite(link.mass) || link.mass < 0)
    findings.problem(d.where(link), "mass is ", link.mass, ", expected a finite number of 0 or more");
  if (!std::isfinite(link.carried_mass) || link.carried_mass < 0 || !finite(link.carried_com))
    findings.problem(d.where(link), "carried mass is ", link.carried_mass, " at ", list(link.carried_com),
                     ", expected finite numbers and a mass of 0 or more");
  else if (link.carried_mass > 0)
    findings.warning(d.where(link), "gravity compensation ", acts_with_contacts);
  check_finite(d, link, "centre of mass", link.com, findings);
  if (!check_finite(d, link, "inertia", link.inertia, findings)) return;
  check_inertia(d, link, findings);
  if (link.mass == 0 && has_inertia(link)) findings.warning(d.where(link), "has rotational inertia but no mass");
}

/// Largest entry of R R^T - 1, or 2 and more for a reflection.
double distance_from_rotation(const std::array<double, 9>& r) {
  double worst = 0;
  for (std::size_t i = 0; i < 9; i += 3) {
    for (std::size_t j = 0; j <= i; j += 3) {
      const double product = r[i] * r[j] + r[i + 1] * r[j + 1] + r[i + 2] * r[j + 2];
      worst = std::max(worst, std::abs(product - (i == j ? 1 : 0)));
    }
  }
  const double determinant =
      r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
  return determinant > 0 ? worst : std::max(worst, 1 - determinant);
}

template <class T>
void check_placement(const Description& d, const T& described, Findings& findings) {
  const auto& [position, rotation] = described.placement;
  check_finite(d, described, "position", position, findings);
  if (!check_finite(d, described, "rotation", rotation, findings)) return;
  if (const double error = distance_from_rotation(rotation); error > rounding_of_rotation)
    findings.problem(d.where(described), "rotation ", list(rotation),
                     " is not a rotation: expected a matrix R with R R^T = 1 and determinant 1, error ", error);
}

template <class T>
void check_axis(const Description& d, const T& joint, Findings& findings) {
  if (!check_finite(d, joint, "axis", joint.axis, findings)) return;
  const double length = std::hypot(joint.axis[0], joint.axis[1], joint.axis[2]);
  if (length < zero_axis)
    findings.problem(d.where(joint), "axis is ", list(joint.axis), ", expected a unit vector");
  else if (std::abs(length - 1) > unit_axis)
    findings.warning(d.where(joint), "axis ", list(joint.axis), " has length ", length,
                     ", expected 1; it was normalised");
}

void check_limits(const Description& d, const JointDescription& joint, Findings& findings) {
  const double lower = joint.lower, upper = joint.upper;
  if (std::isnan(lower) || std::isnan(upper))
    return findings.problem(d.where(joint), "position limits are ", lower, " and ", upper,
                            ", expected numbers or infinity");
  if (joint.type == JointType::spherical && upper < unlimited) {
    if (upper > 0)
      findings.warning(d.where(joint), "the limit of its angle ", acts_with_contacts);
    else
      findings.problem(d.where(joint), "the limit of its angle is ", upper, ", expected a number above 0, or infinity");
  }
  if (!joint_kind(joint.type).has_range) return;
  if (lower > upper)
    findings.problem(d.where(joint), "position limits are reversed: lower is ", lower, " and upper is ", upper);
  else if (lower == unlimited || upper == -unlimited)
    findings.problem(d.where(joint), "position limits ", lower, " and ", upper, " contain no finite position");
}

void check_joint_numbers(const Description& d, const JointDescription& joint, Findings& findings) {
  const auto expect = [&](bool holds, const char* name, double x, const char* expected) {
    if (!holds) findings.problem(d.where(joint), name, " is ", x, ", expected ", expected);
  };
  for (const auto& [name, x] : {std::pair{"velocity limit", joint.velocity}, {"effort limit", joint.effort}})
    expect(x >= 0, name, x, "0 or more, or infinity");
  for (const auto& [name, x] : {std::pair{"damping", joint.damping},
                                {"friction", joint.friction},
                                {"armature", joint.armature},
                                {"stiffness", joint.stiffness}})
    expect(x >= 0 && !std::isinf(x), name, x, "a finite number of 0 or more");
  for (const auto& [name, x] : {std::pair{"spring rest position", joint.rest},
                                {"mimic multiplier", joint.multiplier},
                                {"mimic offset", joint.offset}})
    expect(std::isfinite(x), name, x, "a finite number");
  if (joint_kind(joint.type).has_pitch)
    expect(std::isfinite(joint.pitch), "pitch", joint.pitch, "a finite number");
  else
    expect(joint.pitch == 0, "pitch", joint.pitch, "0: only helical joints have a pitch");
  if (joint.rest != 0 && joint.type != JointType::fixed && !is_one_dof(joint.type))
    findings.problem(d.where(joint), "spring rest position is ", joint.rest, " on a ", to_string(joint.type),
                     " joint, expected 0: its springs are slack in the neutral configuration");
}

/// Many files have effort limits of 0 where they mean none. Beside joints with an effort limit they are those of
/// passive joints.
void remark_powerless_joints(const Description& d, Findings& findings) {
  constexpr int most_named = 3;
  std::string names;
  const JointDescription* first = nullptr;
  int n = 0;
  for (int j = 0; j < d.n_joints(); ++j) {
    const JointDescription& joint = d.joint(j);
    if (joint.type == JointType::fixed || !joint.mimic.empty()) continue;
    if (joint.effort > 0 && joint.effort < unlimited) return;
    if (joint.effort != 0) continue;
    if (n == 0) first = &joint;
    if (++n <= most_named) names += (n > 1 ? ", " : "") + in_quotes(joint.name);
  }
  if (n == 0) return;
  if (n > most_named) names += ", ...";
  findings.warning(
      d.where(*first), "effort limit is 0", n > 1 ? sentence(", as of ", n, " joints (", names, ")") : "",
      ": controllers and clipped efforts have no effect there; for a joint without a limit, omit the limit or "
      "give a large one");
}

}  // namespace

void check_numbers(const Description& d, Findings& findings) {
  for (int i = 0; i < d.n_links(); ++i) check_link(d, d.link(i), findings);
  for (int j = 0; j < d.n_joints(); ++j) {
    const JointDescription& joint = d.joint(j);
    check_placement(d, joint, findings);
    if (joint_kind(joint.type).has_axis) check_axis(d, joint, findings);
    check_limits(d, joint, findings);
    check_joint_numbers(d, joint, findings);
  }
  remark_powerless_joints(d, findings);
  for (const FrameDescription& frame : d.frames()) check_placement(d, frame, findings);
  for (const ShapeDescription& shape : d.shapes()) check_placement(d, shape, findings);
  for (const LoopDescription& loop : d.loops()) {
    FrameDescription end = {.name = loop.name, .source = d.where(loop)};
    for (const Pose& placement : {loop.placement_1, loop.placement_2}) {
      end.placement = placement;
      check_placement(d, end, findings);
    }
    if (held_directions(loop.type) != 0 && joint_kind(loop.type).has_axis) check_axis(d, loop, findings);
  }
  if (!finite(d.gravity())) findings.problem(d.where(), "gravity is ", list(d.gravity()), ", expected finite numbers");
}

bool finite(std::span<const double> numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

bool has_inertia(const LinkDescription& link) {
  return link.mass != 0 || std::any_of(link.inertia.begin(), link.inertia.end(), [](double x) { return x != 0; });
}

}  // namespace tandem::model_detail
