// SPDX-License-Identifier: Apache-2.0
/// The steps between a ModelBuilder and a Model, in their order, and what they hand on:
///
///     check_numbers      every link, joint and frame on its own
///     make_tree          names, parents and children, depth-first order
///     add_floating_base  a free joint above the root, if asked for
///     resolve_loops      the links that loop joints connect
///     resolve_mimics     which independent joint every mimic joint follows in the end
///     resolve_configurations  which joints named configurations place
///     check_shapes       shapes, which of them touch in any case or never
///     check_massless     joints that move nothing
///     fold               the flat arrays, with the frames turned by align_axes
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "names.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::model_detail {

struct Storage;

/// How warnings of joints end that move nothing with inertia.
inline constexpr std::string_view makes_singular = "; it makes forward dynamics singular";

/// Warning of elements that other calls leave out.
inline constexpr std::string_view acts_with_contacts =
    "acts only in simulations with contacts and in contact dynamics";

/// What has been found wrong, or odd, so far.
class Findings {
 public:
  Findings(std::vector<Problem> known_problems, std::vector<Problem> known_warnings)
      : problems(std::move(known_problems)), warnings(std::move(known_warnings)) {}

  std::vector<Problem> problems, warnings;
  /// Parts of the message as in sentence().
  template <class... Part>
  void problem(Source source, const Part&... parts) {
    problems.push_back({std::move(source), sentence(parts...)});
  }
  template <class... Part>
  void warning(Source source, const Part&... parts) {
    warnings.push_back({std::move(source), sentence(parts...)});
  }

  /// The names that an unknown one may have been meant to be; only for the first few, as each takes a look at
  /// all names.
  std::string suggestion(std::string_view unknown, const Names& names) {
    return ++unknown_names_ <= 10 ? model_detail::suggestion(unknown, {{&names, names.size()}}) : "";
  }

 private:
  int unknown_names_ = 0;
};

/// The links and joints of a builder and, for a robot that is to float, the world and the free joint behind
/// them.
class Description {
 public:
  explicit Description(const ModelBuilder& builder) : builder_(builder) {}

  const std::string& name() const { return builder_.name(); }
  int n_links() const { return static_cast<int>(builder_.links().size()) + floating_; }
  int n_joints() const { return static_cast<int>(builder_.joints().size()) + floating_; }
  const LinkDescription& link(int i) const { return at(builder_.links(), i, world_); }
  const JointDescription& joint(int j) const { return at(builder_.joints(), j, floating_base_); }
  const std::vector<FrameDescription>& frames() const { return builder_.frames(); }
  const std::vector<LoopDescription>& loops() const { return builder_.loops(); }
  const std::vector<ConfigurationDescription>& configurations() const { return builder_.configurations(); }
  const std::vector<ActuatorDescription>& actuators() const { return builder_.actuators(); }
  const std::vector<TendonDescription>& tendons() const { return builder_.tendons(); }
  const std::vector<CouplerDescription>& couplers() const { return builder_.couplers(); }
  const std::vector<ShapeDescription>& shapes() const { return builder_.shapes(); }
  const std::vector<ContactPairDescription>& contact_pairs() const { return builder_.contact_pairs(); }
  const std::vector<ContactExcludeDescription>& contact_excludes() const { return builder_.contact_excludes(); }
  const ContactSettings& contact_settings() const { return builder_.contact_settings(); }
  const std::vector<Problem>& contact_problems() const { return builder_.contact_problems(); }
  const std::array<double, 3>& gravity() const { return builder_.gravity(); }

  /// Where a link, joint, frame or the robot stands, with a name even if the description gives no element.
  Source where(const LinkDescription& link) const { return where("link", link); }
  Source where(const JointDescription& joint) const { return where("joint", joint); }
  Source where(const FrameDescription& frame) const { return where("frame", frame); }
  Source where(const LoopDescription& loop) const { return where("loop joint", loop); }
  Source where(const ConfigurationDescription& configuration) const { return where("configuration", configuration); }
  Source where(const ActuatorDescription& actuator) const { return where("actuator", actuator); }
  Source where(const TendonDescription& tendon) const { return where("tendon", tendon); }
  Source where(const CouplerDescription& coupler) const { return where("coupler", coupler); }
  Source where(const ShapeDescription& shape) const { return where("shape", shape); }
  Source where(const ContactPairDescription& pair) const { return where("contact pair", pair); }
  Source where(const ContactExcludeDescription& exclude) const { return where("contact exclude", exclude); }
  Source where() const {
    const std::vector<LinkDescription>& links = builder_.links();
    const std::string& file = builder_.source().file;
    return {!file.empty() || links.empty() ? file : links.front().source.file, 0, element("robot", name())};
  }

  /// Adds the world and a free joint that carries the root.
  void hang_from_world(std::string world, std::string joint, const std::string& root) {
    floating_ = 1;
    world_.name = std::move(world);
    floating_base_.name = std::move(joint);
    floating_base_.type = JointType::free;
    floating_base_.parent = world_.name;
    floating_base_.child = root;
  }

 private:
  template <class T>
  static const T& at(const std::vector<T>& list, int i, const T& further) {
    const auto k = static_cast<std::size_t>(i);
    return k < list.size() ? list[k] : further;
  }
  template <class T>
  static Source where(std::string_view kind, const T& described) {
    Source source = described.source;
    if (source.element.empty()) source.element = element(kind, described.name);
    return source;
  }

  const ModelBuilder& builder_;
  LinkDescription world_;
  JointDescription floating_base_;
  int floating_ = 0;
};

/// How links and joints hang together. Indices are those of the description.
struct Tree {
  Names links, joints;             ///< names
  std::vector<int> parent, child;  ///< [n_joints] links
  std::vector<int> carrier;        ///< [n_links] the joint that carries a link, -1 for the root
  std::vector<int> order;          ///< [n_links] links depth first; empty if the description is no tree

  bool is_complete() const { return !order.empty(); }
  int root() const { return order.front(); }
  /// The link that a link hangs from, or -1.
  int parent_link(int link) const {
    const int joint = carrier[static_cast<std::size_t>(link)];
    return joint < 0 ? -1 : parent[static_cast<std::size_t>(joint)];
  }
};

/// Which joint a joint follows: position = multiplier * position of source + offset.
struct Mimic {
  int source = -1;
  double multiplier = 1, offset = 0;
};

/// [n_joints] for every joint that follows another one, the independent joint at the end of the line; entries
/// of independent joints have source -1. Empty if no joint follows another.
using Mimics = std::vector<Mimic>;

/// The links that a loop joint connects, by their indices in the description.
struct LoopLinks {
  int link_1, link_2;
};
/// [n_loops]
using Loops = std::vector<LoopLinks>;

/// [configurations][positions] the joint of a position, by its index in the description; -1 with a problem.
using Positions = std::vector<std::vector<int>>;

/// " (line 7)", if the line is known.
std::string in_line(const Source& source);
/// Throws Error for a type of joint that is none.
void check_type(const JointDescription& joint);
void check_type(const LoopDescription& loop);
void check_numbers(const Description& d, Findings& findings);
Tree make_tree(const Description& d, Findings& findings);
/// Problems of names, types and links of loop joints.
Loops resolve_loops(const Description& d, const Tree& tree, Findings& findings);
void add_floating_base(Description& d, Tree& tree, Findings& findings);
Mimics resolve_mimics(const Description& d, const Tree& tree, Findings& findings);
/// Problems of names, joints and numbers of named configurations.
Positions resolve_configurations(const Description& d, const Tree& tree, const Mimics& mimics, Findings& findings);
/// Problems of names, joints and numbers of actuators, and of the controls that configurations have for them.
void check_actuators(const Description& d, const Tree& tree, Findings& findings);
/// Actuators where a joint stays at q, before it is taken out of the tendons: without those that nothing is left for.
void hold(std::vector<ActuatorDescription>& actuators, std::span<const TendonDescription> tendons,
          std::string_view joint, double q);
/// Problems of names, joints and numbers of tendons.
void check_tendons(const Description& d, const Tree& tree, Findings& findings);
/// Adds the tendons of a model to a description that has its joints.
void describe_tendons(const Model& model, ModelBuilder& robot);
/// What a joint at q adds to the length of a tendon, and how many of its parts are of the joint.
struct TendonPart {
  double length = 0;
  std::size_t parts = 0;
};
TendonPart part_of(const TendonDescription& tendon, std::string_view joint, double q);
/// The tendon with the position of a joint, which it has no more; without joints it is none.
void hold(TendonDescription& tendon, std::string_view joint, double q);
/// Problems of names and numbers of couplers.
void check_couplers(const Description& d, const Tree& tree, Findings& findings);
/// Adds the couplers of a model to a description that has its joints and tendons.
void describe_couplers(const Model& model, ModelBuilder& robot);
/// The coefficients of p(x + by).
std::array<double, 5> shifted(const std::array<double, 5>& p, double by);
/// Couplers where a joint stays at q, before it is taken out of the tendons. Returns the names of those that are
/// removed, as nothing is left that they could move.
std::vector<std::string> hold(std::vector<CouplerDescription>& couplers, std::span<const TendonDescription> tendons,
                              std::string_view joint, double q);
inline constexpr std::string_view coupler_ends = "is removed: what follows in it is locked";
/// Problems of names, links and numbers of shapes, explicit pairs, excludes and contact settings.
void check_shapes(const Description& d, const Tree& tree, Findings& findings);
/// What a model keeps of them; frame [described links] is the frame of a link.
void store_shapes(const Description& d, const Tree& tree, const std::vector<int>& frame, Storage& storage);
void check_massless(const Description& d, const Tree& tree, const Mimics& mimics, Findings& findings);

/// Turns a checked description into flat arrays: numbers links and rows, folds fixed joints, turns link frames so that
/// joint axes are z, adds what mimic joints weigh to the rows of the joints they follow.
std::shared_ptr<Storage> fold(const Description& d, const Tree& tree, const Mimics& mimics, const Loops& loops,
                              const Positions& positions, Findings& findings);
/// Turns the frame of every link that turns or slides about z until x is normal to the axis of its first child: what
/// leads there is then a turn about x, followed by that about the child's z. Then writes every placement of a joint
/// with one degree of freedom as such turns.
void align_axes(ModelView<double>& m);

bool finite(std::span<const double> numbers);
/// True if a link has mass or rotational inertia.
bool has_inertia(const LinkDescription& link);
/// True if the joint's position is one number.
inline bool is_one_dof(JointType type) { return joint_nq(type) == 1; }

}  // namespace tandem::model_detail
