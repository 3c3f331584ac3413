// SPDX-License-Identifier: Apache-2.0
/// What descriptions are made of, from what Python gives.
#pragma once
#include "bindings.hpp"

namespace tandem::python {

/// xx xy xz yy yz zz from those six numbers, or from the rows of a symmetric 3 x 3 matrix.
inline std::array<double, 6> inertia_from(nb::handle given, const std::string& what) {
  std::array<double, 6> six{};
  if (nb::try_cast(given, six)) return six;
  std::array<std::array<double, 3>, 3> I{};
  if (!nb::try_cast(given, I))
    throw Error(what + " must be a 3 x 3 matrix or the 6 numbers xx xy xz yy yz zz, not " +
                nb::cast<std::string>(nb::repr(given)));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < r; ++c)
      if (I[r][c] != I[c][r]) throw Error(what + " is not symmetric");
  return {I[0][0], I[0][1], I[0][2], I[1][1], I[1][2], I[2][2]};
}

/// Where a frame stands: position, and either roll, pitch, yaw or a quaternion.
inline Pose pose_from(nb::handle position, nb::handle rpy, nb::handle quaternion, const std::string& what) {
  Pose pose;
  pose.position = numbers<3>(position, what + ": position");
  if (!rpy.is_none() && !quaternion.is_none()) throw Error(what + ": give rpy or quaternion, not both");
  if (!rpy.is_none()) {
    const auto a = numbers<3>(rpy, what + ": rpy");
    pose.rotation = rotation_from_rpy(a[0], a[1], a[2]);
  }
  if (!quaternion.is_none()) {
    const auto x = numbers<4>(quaternion, what + ": quaternion");
    pose.rotation = rotation_from_quaternion(x[0], x[1], x[2], x[3]);
  }
  return pose;
}

/// The placement with what was given of it.
inline void place(Pose& placement, nb::handle position, nb::handle rpy, nb::handle quaternion,
                  const std::string& what) {
  const Pose given =
      pose_from(position.is_none() ? nb::cast(placement.position) : nb::borrow(position), rpy, quaternion, what);
  placement.position = given.position;
  if (!rpy.is_none() || !quaternion.is_none()) placement.rotation = given.rotation;
}

/// Names of elements of a description, in the order of insertion.
template <class T>
std::vector<std::string> names_of(const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T& each : all) names.push_back(each.name);
  return names;
}

/// The quaternion (x, y, z, w) of a pose.
inline nb::object quaternion_of(const Pose& pose) {
  const auto& r = pose.rotation;
  nb::list rows;
  for (std::size_t k = 0; k < 9; k += 3) rows.append(nb::make_tuple(r[k], r[k + 1], r[k + 2]));
  const nb::object matrix = nb::module_::import_("numpy").attr("array")(rows);
  return nb::tuple(nb::module_::import_("tandem.spatial").attr("quaternion_from_matrix")(matrix).attr("tolist")());
}

inline JointType joint_type_from(std::string_view name, const std::string& joint) {
  try {
    return from_name<JointType>(name);
  } catch (const Error& e) {
    throw Error("joint \"" + joint + "\": " + e.what());
  }
}

}  // namespace tandem::python
