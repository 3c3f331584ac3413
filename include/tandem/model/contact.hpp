// SPDX-License-Identifier: Apache-2.0
/// Collision shapes of a model, and the pairs that can touch.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/model/model.hpp"
#include "tandem/names.hpp"
#include "tandem/model/shapes.hpp"

namespace tandem {

/// A collision shape of a model, see ShapeDescription.
struct ContactShape {
  std::string name{};                             ///< unique name
  int link = 0;                                   ///< index of its link, after merging over fixed joints
  int frame = 0;                                  ///< index of the frame of the link in the description
  ShapeType type = ShapeType::sphere;             ///< type
  Pose placement{};                               ///< pose in this frame
  std::array<double, 3> size{};                   ///< see ShapeType, m
  std::vector<std::array<double, 3>> vertices{};  ///< mesh: vertices of its convex hull, m
  std::string unread{};                           ///< why its geometry is unknown; empty: it is known
  int condim = 3;                                 ///< dimensions of a contact
  std::array<double, 3> friction{};               ///< sliding; torsional, m; rolling, m
  int contype = 1;                                ///< bits, see ContactSet
  int conaffinity = 1;                            ///< bits, see ContactSet
  int priority = 0;                               ///< of a pair, the shape with higher priority sets the parameters
  double solmix = 1;                              ///< weight for averaging the softness of a pair
  ContactSoftness softness{};                     ///< softness of its contacts
  std::array<double, 3> com{};                    ///< center of mass of its link in the description, in `frame`, m
};

/// Two shapes that can touch, with the parameters of their contacts.
struct ContactPair {
  int shape_1 = 0;                         ///< index of the shape with the lower type, for equal types the lower index
  int shape_2 = 0;                         ///< index of the other shape; normals point to it
  std::string name{};                      ///< name of an explicit pair, else empty
  int condim = 3;                          ///< dimensions of a contact: 1 (no friction), 3, 4 or 6
  std::array<double, 5> friction{};        ///< two sliding; torsional, two rolling, m; at least 1e-5
  std::array<double, 2> solreffriction{};  ///< solref of friction; {0, 0}: that of the normal
  ContactSoftness softness{};              ///< softness of its contacts
  int first_slot = 0;                      ///< its first slot in a ContactSet
  int slots = 0;                           ///< number of its slots
};

/// The shapes of a robot, in the order of the description. The span is valid as long as a copy of the model exists.
std::span<const ContactShape> contact_shapes(const Model& model);
/// Index of the shape with a name; -1 if there is none.
int find_contact_shape(const Model& model, std::string_view name);
/// As find_contact_shape(), but throws Error that suggests the nearest names.
int contact_shape_index(const Model& model, std::string_view name);
/// Options of contacts in the description.
const ContactSettings& contact_settings(const Model& model);

/// Softness of joint limits in contact dynamics, [nv]; empty: the default for all.
std::span<const ContactSoftness> limit_softness(const Model& model);
/// Softness of dry friction of the joints in contact dynamics, [nv]; empty: the default for all.
std::span<const ContactSoftness> friction_softness(const Model& model);

/// A limit of the angle of a spherical joint, about whichever axis it has turned.
struct AngleLimit {
  int joint;     ///< index of the joint
  double upper;  ///< rad
};
std::span<const AngleLimit> angle_limits(const Model& model);  ///< limits of spherical joints, by joint

/// A mass whose weight a force on a link carries in simulations with contacts and in contact dynamics, as MuJoCo's
/// gravcomp does. On a base that accelerates, the apparent weight.
struct CarriedMass {
  int link;                        ///< index of the link
  double mass;                     ///< kg
  std::array<double, 3> position;  ///< where the force acts, in the frame that the link has in the model's arrays, m
};
std::span<const CarriedMass> carried_masses(const Model& model);  ///< all of a model, by link

/// How a ContactSet knows which shapes of two moving links can touch.
enum class SelfPairs : unsigned char {
  automatic,  ///< listed, or found if there are more than 10^6
  listed,     ///< all pairs are listed once, each with slots of its own
  found       ///< pairs that are near each other are found in every state
};
template <>
struct NamesOf<SelfPairs> {
  static constexpr const char* kind = "self_pairs";
  static constexpr Named table[] = {{"automatic", "listed, or found if there are more than 10^6"},
                                    {"listed", "listed once, each with slots of its own"},
                                    {"found", "found in every state, if they are near each other"}};
};

/// Options of a ContactSet.
struct ContactOptions {
  bool self_contact = true;  ///< whether pairs of two moving links are included
  bool leave_out = false;    ///< whether unsupported pairs are left out; otherwise they are an Error
  SelfPairs self_pairs = SelfPairs::automatic;  ///< how pairs of two moving links are known
};

/// The pairs of shapes of a robot that can touch, by the rules of MuJoCo:
///
/// - contype of one shape and conaffinity of the other have a common bit;
/// - the shapes are on links that move relative to each other;
/// - the links are not a link and its moving parent, across links without mass and shapes, if filter_parent is set;
/// - no exclude names the links.
///
/// Explicit pairs are added regardless of these rules. The parameters of a pair are combined from those of its shapes
/// as in MuJoCo.
///
/// Every pair has one slot for each contact that it can have at a time. Slots are numbered in the order of the pairs. A
/// contact keeps its slot as long as it lasts.
///
/// A robot with very many shapes has no list of all pairs of two moving links, see SelfPairs. Its pairs() are those
/// with what does not move, those of planes, and explicit ones. All others that can touch are found in every state, and
/// their contacts are FoundContact, without slots.
class ContactSet {
 public:
  /// Throws Error that names the unsupported pairs, unless options.leave_out is set.
  explicit ContactSet(const Model& model, const ContactOptions& options = {});

  const Model& model() const { return model_; }                   ///< the robot
  const ContactOptions& options() const { return options_; }      ///< the given options
  std::span<const ContactPair> pairs() const { return *pairs_; }  ///< supported pairs
  int n_slots() const { return n_slots_; }                        ///< number of slots of all pairs
  bool finds_pairs() const { return finds_pairs_; }  ///< whether pairs of two moving links are found in every state
  /// Whether two shapes are a pair to be found: by their indices, which differ. False if pairs are listed.
  bool can_find(int shape_1, int shape_2) const;
  /// Parameters of such a pair, without slots.
  ContactPair found_pair(int shape_1, int shape_2) const;
  /// Unsupported pairs and shapes, and other contact problems of the description, one sentence for each kind.
  const std::vector<std::string>& problems() const { return *problems_; }

 private:
  Model model_;
  ContactOptions options_;
  std::shared_ptr<const std::vector<ContactPair>> pairs_;
  std::shared_ptr<const std::vector<std::string>> problems_;
  struct Rules;
  std::shared_ptr<const Rules> rules_;
  int n_slots_ = 0;
  bool finds_pairs_ = false;
};

/// Problems of the contacts of a robot: those of a ContactSet with leave_out. Empty if all contacts are supported.
std::vector<std::string> contact_problems(const Model& model, const ContactOptions& options = {});

}  // namespace tandem
