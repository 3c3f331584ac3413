// SPDX-License-Identifier: Apache-2.0
/// What the copies of a model share.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "names.hpp"
#include "tandem/model/actuators.hpp"
#include "tandem/model/contact.hpp"
#include "tandem/model/couplers.hpp"
#include "tandem/model/memory.hpp"
#include "tandem/model/tendons.hpp"
#include "tandem/model/view.hpp"

namespace tandem::model_detail {

/// Arrays start at multiples of this: a cache line, and the widest vector register.
inline constexpr std::size_t alignment = 64;

struct FreeLines {
  void operator()(std::byte* bytes) const { free_lines(bytes); }
};
using Buffer = std::unique_ptr<std::byte, FreeLines>;

/// One buffer for all arrays of a view whose counts are set; the view then points into it. All bytes are
/// zero.
template <class M>
Buffer allocate(ModelView<M>& view);

/// The same model with its reals rounded to float.
Buffer copy_to_float(const ModelView<double>& from, ModelView<float>& to);

/// Two links whose shapes do not touch.
struct ContactExclude {
  std::string name;
  int frame_1, frame_2;  ///< of the links
};

/// What algorithms on trees have no use for of a loop joint.
struct LoopDetails {
  std::array<double, 3> axis;  ///< as described
  std::array<std::array<double, 3>, 2> com;  ///< of the described links, in the frames of the model's links, m
  ContactSoftness softness;
  double torque_scale;
};

struct Storage {
  std::string name;
  Names frames;        ///< the first n_links are the links' names
  Names joints;        ///< of joints 1 ..
  Names fixed_joints;  ///< folded away
  Names loops;
  Names configurations;
  std::vector<double> configuration_q;     ///< [configurations][nq]
  std::vector<double> configuration_ctrl;  ///< [configurations][actuators]
  std::vector<Actuator> actuators;
  std::vector<Tendon> tendons;
  std::vector<Coupler> couplers;
  Names shape_names;
  std::vector<ContactShape> shapes;
  std::vector<ContactPair> contact_pairs;  ///< explicit ones; shapes in order, without slots
  std::vector<ContactExclude> contact_excludes;
  ContactSettings contact_settings;
  std::vector<Problem> contact_problems;
  std::vector<ContactSoftness> limit_softness, friction_softness;  ///< [nv]; empty: all as by default
  std::vector<AngleLimit> angle_limits;
  std::vector<CarriedMass> carried_masses;  ///< in the order of links
  std::vector<LoopDetails> loop_details;
  std::vector<int> fixed_joint_frame;            ///< the frame of a fixed joint's child
  std::vector<std::string> warnings;
  double mass = 0;
  std::array<double, 3> gravity{};
  ModelView<double> view;
  ModelView<float> view_float;
  Buffer data, data_float;
};

/// What a model shares with its copies.
inline const Storage& storage_of(const Model& model) { return *static_cast<const Storage*>(model.shared_data().get()); }

/// The arrays of a view belong to the storage that is being filled.
template <class T>
T* writable(const T* array) {
  return const_cast<T*>(array);
}

}  // namespace tandem::model_detail
