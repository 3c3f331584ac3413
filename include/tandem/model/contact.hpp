// SPDX-License-Identifier: Apache-2.0
/// Shapes of a model, and which of them can touch.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/model/model.hpp"
#include "tandem/model/shapes.hpp"

namespace tandem {

/// A shape of a model, see ShapeDescription.
struct ContactShape {
  std::string name{};                             ///< of which there is one
  int link = 0;                                   ///< the link that it is attached to, over fixed joints
  int frame = 0;                                  ///< the frame of the link that it was described on
  ShapeType type = ShapeType::sphere;             ///< what it is
  Pose placement{};                               ///< in that frame
  std::array<double, 3> size{};                   ///< see ShapeType, m
  std::vector<std::array<double, 3>> vertices{};  ///< of a mesh: the corners of its convex hull, m
  std::string unread{};                           ///< why its form is not known; empty: it is
  int condim = 3;                                 ///< dimensions of a contact
  std::array<double, 3> friction{};               ///< sliding; torsional, m; rolling, m
  int contype = 1;                                ///< bits: it touches shapes whose conaffinity has one of them
  int conaffinity = 1;                            ///< bits
  int priority = 0;                               ///< the parameters of the shape with the higher one count
  double solmix = 1;                              ///< its weight where softness is averaged
  ContactSoftness softness{};                     ///< how soft its contacts are
  std::array<double, 3> com{};                    ///< centre of mass of the link that it was described on, in `frame`, m
};

/// Two shapes that can touch, with the parameters of their contacts.
struct ContactPair {
  int shape_1 = 0;                   ///< index of the shape with the lower type, or of the first of two with the same
  int shape_2 = 0;                   ///< index of the other; normals point to it
  std::string name{};                ///< of an explicit pair; else empty
  int condim = 3;                    ///< dimensions of a contact: 1 (no friction), 3, 4 or 6
  std::array<double, 5> friction{};  ///< two sliding; torsional, two rolling, m; at least 1e-5
  std::array<double, 2> solreffriction{};  ///< solref of friction; {0, 0}: that of the normal
  ContactSoftness softness{};              ///< how soft its contacts are
  int first_slot = 0;                      ///< its first slot in a ContactSet
  int slots = 0;                           ///< how many it has
};

/// The shapes of a robot, in the order of their descriptions. They stay as long as a copy of the model lives.
std::span<const ContactShape> contact_shapes(const Model& model);
/// Index of the shape of that name; -1 if there is none.
int find_contact_shape(const Model& model, std::string_view name);
/// The same, but throwing an Error that suggests the nearest names.
int contact_shape_index(const Model& model, std::string_view name);
/// What the description says of contacts as a whole.
const ContactSettings& contact_settings(const Model& model);

/// How soft joint limits are in contact dynamics, [nv]; empty: all have the default.
std::span<const ContactSoftness> limit_softness(const Model& model);
/// The same of dry friction of the joints.
std::span<const ContactSoftness> friction_softness(const Model& model);

/// Which pairs of shapes a ContactSet has.
struct ContactOptions {
  bool self_contact = true;  ///< whether it has those of two links that move
  bool leave_out = false;    ///< whether it leaves pairs out whose contacts cannot be computed; else that is an Error
};

/// The pairs of shapes of a robot that can touch, by MuJoCo's rules: one has a bit of contype that the other has in
/// conaffinity, they are attached to links that move relative to each other, these are not a link and the moving link
/// that carries it, over links without mass and shapes (unless the description says that those collide), and no exclude
/// names their links; then explicit pairs, whatever these rules say. Parameters of a pair are mixed from those of its
/// shapes as MuJoCo mixes them.
///
/// Every pair has slots, as many as it can have contacts at a time. Slots are numbered in the order of the pairs: a
/// contact has the same slot as long as it lasts.
class ContactSet {
 public:
  /// Throws Error in one line that names the pairs whose contacts cannot be computed, unless they are to be left out.
  explicit ContactSet(const Model& model, const ContactOptions& options = {});

  const Model& model() const { return model_; }                   ///< the robot
  const ContactOptions& options() const { return options_; }      ///< what it was made with
  std::span<const ContactPair> pairs() const { return *pairs_; }  ///< those whose contacts can be computed
  int n_slots() const { return n_slots_; }                        ///< slots of all of them
  /// Pairs, and shapes, whose contacts cannot be computed and what the description has besides; a sentence for each
  /// kind.
  const std::vector<std::string>& problems() const { return *problems_; }

 private:
  Model model_;
  ContactOptions options_;
  std::shared_ptr<const std::vector<ContactPair>> pairs_;
  std::shared_ptr<const std::vector<std::string>> problems_;
  int n_slots_ = 0;
};

/// What is missing in the contacts of a robot: problems of a ContactSet that leaves them out. Empty: nothing.
std::vector<std::string> contact_problems(const Model& model, const ContactOptions& options = {});

}  // namespace tandem
