// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as one class writes all elements that a description has.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/at.hpp"
#include "core/text.hpp"
#include "mjcf_parts.hpp"
#include "mjcf_poses.hpp"
#include "mjcf_write_shapes.hpp"
#include "model/pose.hpp"
#include "model/principal_axes.hpp"
#include "tandem/error.hpp"
#include "xml_text.hpp"

namespace tandem {
namespace {

using io::XmlText, io::inverse, io::rotated, io::write_place, io::wxyz_from_rotation;

constexpr double least_mass = 1e-15;  // MuJoCo's mjMINVAL: bodies that move must have more

/// Bodies inside each other that MuJoCo's parser of XML takes, which takes 500 elements, <mujoco>, <worldbody> and what
/// a body has among them.
constexpr int most_nested = 496;

bool is_identity(const Pose& pose) { return pose.position == Pose{}.position && pose.rotation == Pose{}.rotation; }

bool is_massless(const LinkDescription& link) {
  return link.mass == 0 && std::ranges::all_of(link.inertia, [](double x) { return x == 0; });
}

/// Writes one description. What MJCF cannot say is gathered, and refused in the end.
class MjcfWriter {
 public:
  explicit MjcfWriter(const ModelBuilder& description) : d_(description) {
    for (const JointDescription& joint : d_.joints()) {
      children_[joint.parent].push_back(&joint);
      carriers_[joint.child] = &joint;
    }
    for (const LinkDescription& link : d_.links()) {
      links_[link.name] = &link;
      if (!carriers_.contains(link.name) && !base_) base_ = &link;
    }
  }

  std::string run() {
    if (!base_) throw Error("write_mjcf: " + element("robot", d_.name()) + " has no root link");
    xml_.open("mujoco").attribute("model", d_.name());
    // numbers are taken as they are: no masses from shapes, nothing made larger, bodies without joints stay
    xml_.leaf("compiler")
        .attribute("angle", "radian")
        .attribute("autolimits", "false")
        .attribute("fusestatic", "false");
    if (d_.contact_settings().cone == FrictionCone::disc)
      refuse("robot", d_.name(), "it has the friction cone disc, which MuJoCo does not have");
    shapes_.write_options();
    shapes_.write_meshes();
    write_bodies();
    shapes_.write_pairs(bodies_);
    write_equalities();
    write_tendons();
    write_actuators();
    write_keys();
    write_customs();
    xml_.close("mujoco");
    if (!problems_.empty()) throw ModelError(std::move(problems_));
    return xml_.text();
  }

 private:
  template <class... Part>
  void refuse(const char* kind, const std::string& name, const Part&... parts) {
    problems_.push_back(
        {{d_.source().file, 0, element(kind, name)}, "cannot be written as MJCF: " + sentence(parts...)});
  }

  void write_bodies() {
    xml_.open("worldbody");
    const bool is_world = base_->name == "world" && is_massless(*base_);
    if (!is_world) {  // the world has no mass
      const std::string name(base_->name == "world" ? io::base_field : base_->name);
      if (name != base_->name && links_.contains(name))
        refuse("link", name, "the name is reserved for the mass of the base");
      xml_.open("body").attribute("name", name);
      write_inertial(*base_, false);
      shapes_.write_shapes(base_->name);
      xml_.close("body");
      bodies_[base_->name] = name;
      world_is_base_ = true;
      if (base_->name != "world" && links_.contains("world"))
        refuse("link", "world", "MuJoCo reserves this name for the base");
    }
    if (is_world) {
      shapes_.write_shapes(base_->name);
      bodies_[base_->name] = "world";
    }
    write_sites(base_->name);
    for (const JointDescription* joint : children_[base_->name]) write_body(*joint, {});
    xml_.close("worldbody");
  }

  /// Links without mass in a row become joints of one body: `joints` leads to the first link that is more than that.
  std::vector<const JointDescription*> row_from(const JointDescription& first) {
    std::vector<const JointDescription*> row{&first};
    const auto is_between = [&](const JointDescription& joint) {
      const std::string& link = joint.child;
      return joint.type != JointType::fixed && joint.type != JointType::free && is_massless(*links_.at(link)) &&
             children_[link].size() == 1 && !is_referred_to(link) &&
             !(children_[link][0]->type == JointType::fixed && shapes_.has_some_on(link));
    };
    while (is_between(*row.back())) {
      const JointDescription& next = *children_[row.back()->child][0];
      row.push_back(&next);
      if (next.type == JointType::fixed) break;
    }
    return row;
  }

  bool is_referred_to(const std::string& link) const {
    return std::ranges::any_of(d_.frames(), [&](const auto& frame) { return frame.link == link; }) ||
           std::ranges::any_of(d_.loops(),
                               [&](const auto& loop) { return loop.link_1 == link || loop.link_2 == link; });
  }

  /// The body that a joint carries, with what hangs from it; `above` is where the frame of the joint's parent stands in
  /// the body that was written for it.
  void write_body(const JointDescription& first, const Pose& above) {
    const std::vector<const JointDescription*> row = row_from(first);
    const LinkDescription& link = *links_.at(row.back()->child);
    Pose place = above;
    for (const JointDescription* joint : row) place = place * joint->placement;
    xml_.open("body").attribute("name", link.name);
    if (link.carried_mass > 0) {
      if (!(link.mass > 0) || link.carried_com != link.com)
        refuse("link", link.name, "its gravity compensation acts elsewhere than at its center of mass");
      xml_.attribute("gravcomp", link.carried_mass / link.mass);
    }
    write_place(xml_, place);
    bool moves = false;
    for (std::size_t k = 0; k < row.size(); ++k) {
      Pose behind;  // of the body, seen from where the joint is
      for (std::size_t i = k + 1; i < row.size(); ++i) behind = behind * row[i]->placement;
      write_joint(*row[k], inverse(behind));
      moves = moves || row[k]->type != JointType::fixed;
    }
    write_inertial(link, moves);
    bodies_[link.name] = link.name;
    shapes_.write_shapes(link.name);
    write_sites(link.name);
    if (++nested_ < most_nested)
      for (const JointDescription* joint : children_[link.name]) write_body(*joint, {});
    else if (!children_[link.name].empty())
      refuse("link", link.name, "it is the ", most_nested, "th nested link, which is the limit of MuJoCo's parser");
    --nested_;
    xml_.close("body");
  }

  static bool is_heavy(const LinkDescription& link) {
    return link.mass > least_mass && model_detail::principal_axes(link.inertia).moments[0] > least_mass;
  }
  bool has_mass_fixed_to_it(const std::string& link) {
    return is_heavy(*links_.at(link)) || std::ranges::any_of(children_[link], [&](const JointDescription* joint) {
      return joint->type == JointType::fixed && has_mass_fixed_to_it(joint->child);
    });
  }

  void write_inertial(const LinkDescription& link, bool moves) {
    if (moves && is_massless(link) && !has_mass_fixed_to_it(link.name))
      refuse("link", link.name, "it moves and has neither mass nor inertia, which MuJoCo requires");
    if (is_massless(link)) return;
    const auto [moments, axes] = model_detail::principal_axes(link.inertia);
    if (moves && !is_heavy(link))
      return refuse("link", link.name,
                    "MuJoCo requires positive mass and principal moments of inertia of moving bodies");
    if (moments[0] + moments[1] < moments[2] * (1 - 1e-12))
      return refuse("link", link.name, "its moments of inertia violate the triangle inequality, which MuJoCo requires");
    const auto& [x, y, unused] = axes;                                       // the third may point the other way
    const std::array<double, 9> R = {x[0], y[0], x[1] * y[2] - x[2] * y[1],  //
                                     x[1], y[1], x[2] * y[0] - x[0] * y[2],  //
                                     x[2], y[2], x[0] * y[1] - x[1] * y[0]};
    xml_.leaf("inertial").attribute("pos", link.com).attribute("mass", link.mass);
    xml_.attribute("diaginertia", moments).attribute("quat", wxyz_from_rotation(R));
  }

  /// `here` is where the joint's frame stands in the body's.
  void write_joint(const JointDescription& joint, const Pose& here) {
    const char* type = nullptr;
    switch (joint.type) {
      case JointType::fixed: return;
      case JointType::revolute:
      case JointType::continuous: type = "hinge"; break;
      case JointType::prismatic: type = "slide"; break;
      case JointType::spherical: type = "ball"; break;
      case JointType::free: type = "free"; break;
      default: return refuse("joint", joint.name, "MuJoCo has no ", to_string(joint.type), " joints");
    }
    if (joint.type == JointType::free && (joint.parent != base_->name || !is_identity(here)))
      return refuse("joint", joint.name, "free joints of MuJoCo move one body relative to the world");
    if (joint.type == JointType::spherical && here.rotation != Pose{}.rotation)
      return refuse("joint", joint.name, "its child link has no inertia and a joint with a rotated frame");
    xml_.leaf("joint").attribute("name", joint.name).attribute("type", type);
    if (joint.type != JointType::free && here.position != Pose{}.position) xml_.attribute("pos", here.position);
    const bool scalar = joint_nq(joint.type) == 1;
    if (scalar) xml_.attribute("axis", rotated(here.rotation, joint.axis));
    const bool has_range = joint_kind(joint.type).has_range;
    if (has_range && (!std::isinf(joint.lower) || !std::isinf(joint.upper))) {
      if (joint.lower >= joint.upper)
        refuse("joint", joint.name, "its limits are ", joint.lower, " and ", joint.upper,
               ", and MuJoCo requires lower < upper");
      const auto finite = [](double x) { return std::isinf(x) ? std::copysign(io::mjcf_unlimited, x) : x; };
      xml_.attribute("limited", "true")
          .attribute("range", std::array<double, 2>{finite(joint.lower), finite(joint.upper)});
    }
    if (joint.type == JointType::spherical && !std::isinf(joint.upper))
      xml_.attribute("limited", "true").attribute("range", std::array<double, 2>{0, joint.upper});
    const auto number = [&](const char* name, double x) {
      if (x != 0) xml_.attribute(name, x);
    };
    number("armature", joint.armature);
    number("damping", joint.damping);
    number("frictionloss", joint.friction);
    number("stiffness", joint.stiffness);
    if (scalar) number("springref", joint.rest);
    number("margin", joint.limit_softness.margin);
    const auto soft = [&](const char* solref, const char* solimp, const ContactSoftness& own) {
      if (own.solref != ContactSoftness{}.solref) xml_.attribute(solref, own.solref);
      if (own.solimp != ContactSoftness{}.solimp) xml_.attribute(solimp, own.solimp);
    };
    soft("solreflimit", "solimplimit", joint.limit_softness);
    soft("solreffriction", "solimpfriction", joint.friction_softness);
    if (scalar && joint.effort > 0 && !std::isinf(joint.effort)) {
      xml_.attribute("actuatorfrclimited", "true")
          .attribute("actuatorfrcrange", std::array<double, 2>{-joint.effort, joint.effort});
    }
    joints_.push_back({&joint, here});
  }

  void write_sites(const std::string& link) {
    for (const FrameDescription& frame : d_.frames()) {
      if (frame.link != link) continue;
      xml_.leaf("site").attribute("name", frame.name);
      write_place(xml_, frame.placement);
    }
    for (const LoopDescription& loop : d_.loops())
      for (const bool second : {false, true}) {
        if ((second ? loop.link_2 : loop.link_1) != link) continue;
        xml_.leaf("site").attribute("name", end_of(loop, second));
        const Pose& end = second ? loop.placement_2 : loop.placement_1;
        write_place(xml_, end);
        if (!turns(loop)) continue;
        xml_.leaf("site").attribute("name", end_of(loop, second) + std::string(io::on_axis));
        write_place(xml_, end * Pose{loop.axis});
      }
  }

  /// A loop that turns about an axis holds two points of it.
  static bool turns(const LoopDescription& loop) {
    return loop.type == JointType::revolute || loop.type == JointType::continuous;
  }

  static std::string end_of(const LoopDescription& loop, bool second) {
    return std::string(io::loop_site) + loop.name + (second ? ":2" : ":1");
  }

  void write_equalities() {
    const auto follows = [](const JointDescription& joint) {
      return !joint.mimic.empty() && joint.type != JointType::fixed;
    };
    if (d_.loops().empty() && d_.couplers().empty() && std::ranges::none_of(d_.joints(), follows)) return;
    const auto soften = [&](const ContactSoftness& own) {
      if (own.solref != ContactSoftness{}.solref) xml_.attribute("solref", own.solref);
      if (own.solimp != ContactSoftness{}.solimp) xml_.attribute("solimp", own.solimp);
    };
    xml_.open("equality");
    for (const JointDescription& joint : d_.joints()) {
      if (!follows(joint)) continue;
      xml_.leaf("joint").attribute("joint1", joint.name).attribute("joint2", joint.mimic);
      xml_.attribute("polycoef", std::array<double, 5>{joint.offset, joint.multiplier, 0, 0, 0});
      soften(joint.mimic_softness);
    }
    for (const CouplerDescription& coupler : d_.couplers()) {
      const std::string element = to_string(coupler.element);
      xml_.leaf(element.c_str()).attribute("name", coupler.name).attribute(element + "1", coupler.first);
      if (!coupler.second.empty()) xml_.attribute(element + "2", coupler.second);
      xml_.attribute("polycoef", coupler.polynomial);
      soften(coupler.softness);
    }
    for (const LoopDescription& loop : d_.loops()) {
      if (loop.type != JointType::fixed && loop.type != JointType::spherical && !turns(loop)) {
        refuse("loop joint", loop.name, "MuJoCo has no constraint of type ", to_string(loop.type));
        continue;
      }
      xml_.leaf(loop.type == JointType::fixed ? "weld" : "connect").attribute("name", loop.name);
      xml_.attribute("site1", end_of(loop, false)).attribute("site2", end_of(loop, true));
      if (loop.type == JointType::fixed && loop.torque_scale != 1) xml_.attribute("torquescale", loop.torque_scale);
      soften(loop.softness);
      if (!turns(loop)) continue;
      const std::string more(io::on_axis);
      xml_.leaf("connect").attribute("name", loop.name + more);
      xml_.attribute("site1", end_of(loop, false) + more).attribute("site2", end_of(loop, true) + more);
      soften(loop.softness);
    }
    xml_.close("equality");
  }

  void write_tendons() {
    if (d_.tendons().empty()) return;
    xml_.open("tendon");
    for (const TendonDescription& tendon : d_.tendons()) {
      xml_.open("fixed").attribute("name", tendon.name);
      if (!std::isinf(tendon.lower) || !std::isinf(tendon.upper)) {
        const auto finite = [](double x) { return std::isinf(x) ? std::copysign(io::mjcf_unlimited, x) : x; };
        xml_.attribute("limited", "true");
        xml_.attribute("range", std::array<double, 2>{finite(tendon.lower), finite(tendon.upper)});
      }
      for (const auto& [name, x] : {std::pair{"margin", tendon.limit_softness.margin},
                                    {"frictionloss", tendon.friction},
                                    {"stiffness", tendon.stiffness},
                                    {"damping", tendon.damping}})
        if (x != 0) xml_.attribute(name, x);
      if (tendon.stiffness != 0) {
        if (tendon.rest == std::array<double, 2>{-1, -1})
          refuse("tendon", tendon.name, "MuJoCo replaces a rest length of -1 by that of the default configuration");
        xml_.attribute("springlength", tendon.rest);
      }
      for (const auto& [solref, solimp, own] :
           {std::tuple{"solreflimit", "solimplimit", &tendon.limit_softness},
            {"solreffriction", "solimpfriction", &tendon.friction_softness}}) {
        if (own->solref != ContactSoftness{}.solref) xml_.attribute(solref, own->solref);
        if (own->solimp != ContactSoftness{}.solimp) xml_.attribute(solimp, own->solimp);
      }
      for (const TendonJoint& part : tendon.joints)
        xml_.leaf("joint").attribute("joint", part.joint).attribute("coef", part.coefficient);
      xml_.close("fixed");
    }
    xml_.close("tendon");
  }

  /// Those that are not ignored.
  void write_actuators() {
    if (std::ranges::none_of(d_.actuators(), &ActuatorDescription::acts)) return;
    const auto finite = [](std::array<double, 2> range) {
      for (double& x : range)
        if (std::isinf(x)) x = std::copysign(io::mjcf_unlimited, x);
      return range;
    };
    xml_.open("actuator");
    for (const ActuatorDescription& actuator : d_.actuators()) {
      if (!actuator.acts()) continue;
      xml_.leaf("general").attribute("name", actuator.name);
      for (const auto& [kind, on] :
           {std::pair{"joint", &actuator.joint}, {"tendon", &actuator.tendon}, {"site", &actuator.frame}})
        if (!on->empty()) xml_.attribute(kind, *on);
      if (actuator.frame.empty())
        xml_.attribute("gear", actuator.gear);
      else
        xml_.attribute("gear", actuator.wrench);
      xml_.attribute("gaintype", "affine").attribute("gainprm", actuator.gain);
      xml_.attribute("biastype", "affine").attribute("biasprm", actuator.bias);
      if (actuator.dynamics != ActivationDynamics::none) {
        const std::string dynamics = to_string(actuator.dynamics);
        xml_.attribute("dyntype", dynamics == "filter_exact" ? "filterexact" : dynamics);
        xml_.attribute("dynprm", actuator.time_constant);
      }
      for (const auto& [name, limited, range] : {std::tuple{"ctrlrange", "ctrllimited", actuator.ctrl_range},
                                                 {"forcerange", "forcelimited", actuator.force_range},
                                                 {"actrange", "actlimited", actuator.act_range}})
        if (!std::isinf(range[0]) || !std::isinf(range[1]))
          xml_.attribute(limited, "true").attribute(name, finite(range));
    }
    xml_.close("actuator");
  }

  /// Every joint's rows as MuJoCo has them, in its order, which is that of the joints as they were written.
  void write_keys() {
    if (d_.configurations().empty()) return;
    xml_.open("keyframe");
    for (const ConfigurationDescription& configuration : d_.configurations()) {
      std::map<std::string, std::vector<double>> given;
      for (const JointPosition& position : configuration.positions) given[position.joint] = position.q;
      std::vector<double> all;
      for (const auto& [joint, here] : joints_) {
        std::vector<double> q = position_of(*joint, given);
        if (joint->type == JointType::free && !is_identity(joint->placement)) {
          const Pose pose = joint->placement * Pose{{q.at(0), q.at(1), q.at(2)},
                                                    rotation_from_quaternion(q.at(3), q.at(4), q.at(5), q.at(6))};
          const auto turned = wxyz_from_rotation(pose.rotation);
          all.insert(all.end(), pose.position.begin(), pose.position.end());
          all.insert(all.end(), turned.begin(), turned.end());
          continue;
        }
        if (q.size() > 1) std::ranges::rotate(q.end() - 4, q.end() - 1, q.end());  // w first
        all.insert(all.end(), q.begin(), q.end());
      }
      xml_.leaf("key").attribute("name", configuration.name).attribute("qpos", all);
      std::vector<double> ctrl;
      for (const ActuatorDescription& actuator : d_.actuators()) {
        if (!actuator.acts()) continue;
        const auto own = std::ranges::find(configuration.controls, actuator.name, &ActuatorControl::actuator);
        ctrl.push_back(own == configuration.controls.end() ? 0 : own->ctrl);
      }
      if (!ctrl.empty()) xml_.attribute("ctrl", ctrl);
    }
    xml_.close("keyframe");
  }

  std::vector<double> position_of(const JointDescription& joint,
                                  const std::map<std::string, std::vector<double>>& given) const {
    if (!joint.mimic.empty()) {
      const JointDescription* leader = d_.find_joint(joint.mimic);
      return {joint.multiplier * (leader ? position_of(*leader, given).at(0) : 0) + joint.offset};
    }
    if (const auto found = given.find(joint.name); found != given.end()) return found->second;
    const JointKind& kind = joint_kind(joint.type);
    std::vector<double> neutral(at(kind.nq), 0.0);
    if (kind.quaternion >= 0) neutral[at(kind.quaternion) + 3] = 1;
    return neutral;
  }

  /// What MJCF has no word for, in fields that MuJoCo keeps and does not look at.
  void write_customs() {
    std::vector<std::pair<std::string, double>> numbers;
    for (const auto& [joint, here] : joints_) {
      if (!std::isinf(joint->velocity))
        numbers.emplace_back(std::string(io::velocity_field) + joint->name, joint->velocity);
      const bool written = joint_nq(joint->type) == 1 && joint->effort > 0;
      if (!written && !std::isinf(joint->effort))
        numbers.emplace_back(std::string(io::effort_field) + joint->name, joint->effort);
    }
    const std::vector<std::string> left_out = shapes_.left_out(bodies_);
    if (!world_is_base_ && numbers.empty() && left_out.empty() && std::ranges::none_of(d_.loops(), turns)) return;
    xml_.open("custom");
    if (world_is_base_) xml_.leaf("text").attribute("name", io::base_field).attribute("data", base_->name);
    for (std::size_t k = 0; k < left_out.size(); ++k)
      xml_.leaf("text")
          .attribute("name", std::string(io::contact_problem_field) + std::to_string(k))
          .attribute("data", left_out[k]);
    for (const auto& [name, number] : numbers) xml_.leaf("numeric").attribute("name", name).attribute("data", number);
    for (const LoopDescription& loop : d_.loops())
      if (turns(loop))
        xml_.leaf("numeric")
            .attribute("name", std::string(io::loop_axis_field) + loop.name)
            .attribute("data", loop.axis);
    xml_.close("custom");
  }

  const ModelBuilder& d_;
  XmlText xml_{"write_mjcf"};
  io::MjcfShapeWriter shapes_{d_, xml_};
  const LinkDescription* base_ = nullptr;
  int nested_ = 0;              ///< bodies that lie within each other, where one is written
  bool world_is_base_ = false;  ///< the world stands for the base, whose mass a body without joints has
  std::unordered_map<std::string, std::vector<const JointDescription*>> children_;
  std::unordered_map<std::string, const JointDescription*> carriers_;
  std::unordered_map<std::string, const LinkDescription*> links_;
  io::BodiesOfLinks bodies_;
  std::vector<std::pair<const JointDescription*, Pose>> joints_;  ///< as written, and where each stands in its body
  std::vector<Problem> problems_;
};

}  // namespace

std::string write_mjcf(const ModelBuilder& description) {
  description.build();  // refuses what is no robot
  return MjcfWriter(description).run();
}

}  // namespace tandem
