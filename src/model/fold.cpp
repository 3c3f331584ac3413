// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as one class fills all arrays of a model.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/at.hpp"
#include "description.hpp"
#include "pose.hpp"
#include "principal_axes.hpp"
#include "storage.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::model_detail {

namespace {

using Frame = Transform<double>;  // X_ip as in the algorithms: into frame i, from frame p
using Matrix = Mat3<double>;
using Vector = Vec3<double>;

/// The shortest rotation that turns z into the axis: its columns are the turned x, y and z.
Matrix rotation_from_z_to(const std::array<double, 3>& axis) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  const Vector a = {axis[0] / length, axis[1] / length, axis[2] / length};
  const double across = a.x * a.x + a.y * a.y;
  if (across == 0) return a.z > 0 ? Matrix::identity() : Matrix{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  const double k = a.z > 0 ? 1 / (1 + a.z) : (1 - a.z) / across;  // the same number, without cancellation
  return {{1 - a.x * a.x * k, -a.x * a.y * k, a.x}, {-a.x * a.y * k, 1 - a.y * a.y * k, a.y}, {-a.x, -a.y, a.z}};
}

/// Inertia about the origin of the link's frame.
Inertia<double> inertia_of(const LinkDescription& link) {
  const Vector c = vector(link.com), h = link.mass * c;
  const auto& [xx, xy, xz, yy, yz, zz] = link.inertia;
  const Sym3<double> about_com = {xx, yy, zz, xy, xz, yz};
  return {link.mass, h, about_com + minus_skew_product(c, h)};
}

/// True if a link has no inertia in a direction in which its joint can move it.
bool is_singular(JointType type, double slides, const Inertia<double>& I) {
  constexpr double rounding = 1e-14;
  const double least = rounding * (I.I.xx + I.I.yy + I.I.zz);
  const auto smallest_moment = [](const Sym3<double>& J) {
    return principal_axes({J.xx, J.xy, J.xz, J.yy, J.yz, J.zz}).moments[0];
  };
  if (type == JointType::prismatic) return I.m == 0;
  if (type == JointType::spherical) return !(smallest_moment(I.I) > least);
  if (type == JointType::helical) return !(I.I.zz + slides * slides * I.m > least);
  if (type == JointType::universal)  // in the neutral configuration
    return !(I.I.xx * I.I.yy - I.I.xy * I.I.xy > least * (I.I.xx + I.I.yy));
  if (type != JointType::planar && type != JointType::free) return !(I.I.zz > least);
  if (I.m == 0) return true;
  const Sym3<double> about_com = I.I - minus_skew_product((1 / I.m) * I.h, I.h);
  return !((type == JointType::planar ? about_com.zz : smallest_moment(about_com)) > least);
}

/// Writes the arrays, one group after the other.
class Folder {
 public:
  Folder(const Description& d, const Tree& tree, const Mimics& mimics, const Loops& loops, const Positions& positions,
         Findings& findings)
      : d_(d), tree_(tree), mimics_(mimics), loops_(loops), positions_(positions), findings_(findings) {}

  std::shared_ptr<Storage> fold() {
    storage_->name = d_.name();
    storage_->gravity = d_.gravity();
    count();
    storage_->data = allocate(view_);
    number_links();
    number_rows();
    place_frames();
    align_axes(view_);
    place_loops();
    add_inertias();
    fill_rows();
    add_followers();
    place_actuators();
    place_tendons();
    place_couplers();
    store_shapes(d_, tree_, frame_, *storage_);
    place_configurations();
    name();
    check_result();
    storage_->data_float = copy_to_float(view_, storage_->view_float);
    return std::move(storage_);
  }

 private:
  const JointDescription& joint_of(int link) const { return d_.joint(tree_.carrier[at(link)]); }
  bool is_folded(int link) const { return link != tree_.root() && joint_of(link).type == JointType::fixed; }
  /// The joint that carries a link, if it follows another one; else null.
  const Mimic* mimic_of(int link) const {
    if (mimics_.empty()) return nullptr;
    const Mimic& mimic = mimics_[at(tree_.carrier[at(link)])];
    return mimic.source < 0 ? nullptr : &mimic;
  }
  /// The described link of a joint of the model.
  int described(int i) const { return described_[at(i)]; }

  void count() {
    view_.n_frames = static_cast<std::int32_t>(tree_.order.size() + d_.frames().size());
    for (const int link : tree_.order) {
      if (is_folded(link)) continue;
      ++view_.n_links;
      if (link == tree_.root()) continue;
      const JointType type = joint_of(link).type;
      if (mimic_of(link) != nullptr) {
        ++view_.n_mimic;
      } else {
        view_.nq += joint_nq(type);
        view_.nv += joint_nv(type);
      }
    }
    view_.n_dof = view_.nv + view_.n_mimic;
    for (const LoopDescription& loop : d_.loops()) view_.n_held += held_directions_of(loop);
    view_.n_loops = static_cast<std::int32_t>(d_.loops().size());
  }
  static int held_directions_of(const LoopDescription& loop) {
    return std::popcount(static_cast<unsigned>(held_directions(loop.type)));
  }

  /// Links in depth-first order, then the frames of the folded ones in the same order.
  void number_links() {
    frame_.resize(at(d_.n_links()));
    described_.reserve(at(view_.n_links));
    std::vector<int> depth(at(view_.n_links), 0);
    int next_frame = view_.n_links;
    for (const int link : tree_.order) {
      const int parent_link = tree_.parent_link(link);
      const int p = parent_link < 0 ? -1 : view_.frame_link[frame_[at(parent_link)]];
      if (is_folded(link)) {
        frame_[at(link)] = next_frame;
        writable(view_.frame_link)[next_frame++] = p;
        continue;
      }
      const int i = static_cast<int>(described_.size());
      described_.push_back(link);
      frame_[at(link)] = i;
      writable(view_.frame_link)[i] = i;
      writable(view_.parent)[i] = p;
      if (i == 0) continue;
      writable(view_.last_child)[p] = i;
      writable(view_.type)[i] = joint_of(link).type;
      writable(view_.slides)[i] =
          view_.type[i] == JointType::prismatic ? 1 : joint_of(link).pitch / (2 * std::numbers::pi);
      depth[at(i)] = depth[at(p)] + 1;
      view_.depth = std::max(view_.depth, depth[at(i)]);
    }
  }

  void number_rows() {
    int q = 0, v = 0, dof = 0;
    for (int i = 1; i < view_.n_links; ++i) {
      const int p = view_.parent[i];
      const int of_parent = p == 0 ? -1 : view_.dof_index[p] + joint_nv(view_.type[p]) - 1;
      writable(view_.dof_index)[i] = dof;
      for (int k = 0; k < joint_nv(view_.type[i]); ++k, ++dof) {
        writable(view_.dof_link)[dof] = i;
        writable(view_.dof_axis)[dof] = on_joint(view_, i, [&]<class Joint>(Joint) {
          if constexpr (Joint::unit_axes)
            return Joint::row(k);
          else
            return 6;
        });
        view_.n_own_axes += view_.dof_axis[dof] == 6;
        writable(view_.dof_parent)[dof] = k == 0 ? of_parent : dof - 1;
        writable(view_.dof_run_start)[dof] =
            dof > 0 && view_.dof_parent[dof] == dof - 1 ? view_.dof_run_start[dof - 1] : dof;
      }
      if (mimic_of(described(i)) != nullptr) continue;
      writable(view_.q_index)[i] = q;
      writable(view_.v_index)[i] = v;
      q += joint_nq(view_.type[i]);
      v += joint_nv(view_.type[i]);
    }
    std::fill_n(writable(view_.multiplier), view_.n_links, 1.0);
    if (view_.n_mimic > 0) is_in_mimicry_.resize(at(view_.n_links));
    for (int i = 1; i < view_.n_links && view_.n_mimic > 0; ++i) {
      const Mimic* mimic = mimic_of(described(i));
      if (mimic == nullptr) continue;
      const int source = frame_[at(tree_.child[at(mimic->source)])];
      writable(view_.mimics)[i] = source;
      writable(view_.q_index)[i] = view_.q_index[source];
      writable(view_.v_index)[i] = view_.v_index[source];
      writable(view_.multiplier)[i] = mimic->multiplier;
      writable(view_.offset)[i] = mimic->offset;
      is_in_mimicry_[at(i)] = is_in_mimicry_[at(source)] = true;
    }
  }

  /// Frame placements lead from a link's frame in the model, whose z is the joint axis, to the frames of the
  /// description that ride on it.
  void place_frames() {
    const auto frame_placement = records<Frame>(writable(view_.frame_placement));
    const auto placement = records<Frame>(writable(view_.placement));
    frame_placement.store(0, Frame::identity());
    placement.store(0, Frame::identity());
    for (const int link : tree_.order) {
      const int parent_link = tree_.parent_link(link);
      if (parent_link < 0) continue;
      const int f = frame_[at(link)];
      const JointDescription& joint = joint_of(link);
      const Frame X_parent = frame_placement.load(frame_[at(parent_link)]);
      const Frame given = transform(joint.placement), X = Frame{without_roundings(given.E), given.r} * X_parent;
      if (is_folded(link)) {
        frame_placement.store(f, Frame{without_roundings(X.E), X.r});
        continue;
      }
      const Matrix turn =
          joint_kind(joint.type).has_axis ? without_roundings(rotation_from_z_to(joint.axis)) : Matrix::identity();
      placement.store(f, Frame{without_roundings(transpose_mul(turn, X.E)), X.r});
      frame_placement.store(f, Frame{turn, Vector::zero()});
    }
    int f = static_cast<int>(tree_.order.size());
    for (const FrameDescription& frame : d_.frames()) {
      const int on = frame_[at(tree_.links.find(frame.link))];
      writable(view_.frame_link)[f] = view_.frame_link[on];
      const Frame X = transform(frame.placement) * frame_placement.load(on);
      frame_placement.store(f++, Frame{without_roundings(X.E), X.r});
    }
  }

  void place_loops() {
    for (std::size_t l = 0; l < d_.loops().size(); ++l) {
      const LoopDescription& loop = d_.loops()[l];
      const bool has_axis = joint_kind(loop.type).has_axis;
      const int ends[] = {loops_[l].link_1, loops_[l].link_2};
      const Pose* const placements[] = {&loop.placement_1, &loop.placement_2};
      for (std::size_t end = 0; end < 2; ++end) {
        const int f = frame_[at(ends[end])];
        const Frame X = transform(*placements[end]) * records<Frame>(view_.frame_placement).load(f);
        writable(view_.loop_link)[2 * l + end] = view_.frame_link[f];
        records<Frame>(writable(view_.loop_placement))
            .store(static_cast<int>(2 * l + end), Frame{without_roundings(X.E), X.r});
      }
      store(writable(view_.loop_turn), static_cast<Index>(9 * l),
            has_axis ? transpose(without_roundings(rotation_from_z_to(loop.axis))) : Matrix::identity());
      writable(view_.loop_type)[l] = loop.type;
      writable(view_.loop_held)[l] = held_directions(loop.type);
      storage_->loops.add(loop.name);
      LoopDetails& details = storage_->loop_details.emplace_back(
          LoopDetails{loop.axis, {}, loop.softness, loop.torque_scale});
      for (std::size_t end = 0; end < 2; ++end) {
        const auto [E, r] = records<Frame>(view_.frame_placement).load(frame_[at(ends[end])]);
        const auto& com = d_.link(ends[end]).com;
        const Vector p = transpose_mul_add(E, Vector{com[0], com[1], com[2]}, r);
        details.com[end] = {p.x, p.y, p.z};
      }
    }
  }

  void add_inertias() {
    const auto inertia = records<Inertia<double>>(writable(view_.inertia));
    std::vector<double> carried(at(view_.n_links));
    std::vector<Vector> moments(at(view_.n_links), Vector::zero());
    for (const int link : tree_.order) {
      const int f = frame_[at(link)], i = view_.frame_link[f];
      const Frame X = records<Frame>(view_.frame_placement).load(f);
      inertia.store(i, inertia.load(i) + transpose_mul(X, inertia_of(d_.link(link))));
      storage_->mass += d_.link(link).mass;
      const double mass = d_.link(link).carried_mass;
      carried[at(i)] += mass;
      moments[at(i)] = moments[at(i)] + mass * transpose_mul_add(X.E, vector(d_.link(link).carried_com), X.r);
    }
    for (int i = 1; i < view_.n_links; ++i) {
      if (carried[at(i)] == 0) continue;
      const Vector p = (1 / carried[at(i)]) * moments[at(i)];
      storage_->carried_masses.push_back({i, carried[at(i)], {p.x, p.y, p.z}});
    }
  }

  void fill_rows() {
    for (int i = 1; i < view_.n_links; ++i) {
      if (view_.mimics[i] != 0) continue;
      const JointDescription& joint = joint_of(described(i));
      const int q = view_.q_index[i], v = view_.v_index[i], nq = joint_nq(joint.type), nv = joint_nv(joint.type);
      std::fill_n(writable(view_.armature) + v, nv, joint.armature);
      std::fill_n(writable(view_.damping) + v, nv, joint.damping);
      std::fill_n(writable(view_.friction) + v, nv, joint.friction);
      std::fill_n(writable(view_.stiffness) + v, nv, joint.stiffness);
      soften(storage_->limit_softness, joint.limit_softness, v, nv);
      soften(storage_->friction_softness, joint.friction_softness, v, nv);
      std::fill_n(writable(view_.v_limit) + v, nv, joint.velocity);
      std::fill_n(writable(view_.tau_limit) + v, nv, joint.effort);
      const auto& kind = joint_kind(joint.type);
      std::fill_n(writable(view_.q_lower) + q, nq, kind.has_range ? joint.lower : -unlimited);
      std::fill_n(writable(view_.q_upper) + q, nq, kind.has_range ? joint.upper : unlimited);
      if (joint.type == JointType::spherical && joint.upper < unlimited)
        storage_->angle_limits.push_back({i, joint.upper});
      double* rest = writable(view_.q_rest) + q;
      if (is_one_dof(joint.type)) rest[0] = joint.rest;
      if (kind.quaternion >= 0) rest[kind.quaternion + 3] = 1;
    }
  }

  /// Rows of what not all robots have.
  void soften(std::vector<ContactSoftness>& rows, const ContactSoftness& own, int v, int nv) const {
    if (own == ContactSoftness{}) return;
    rows.resize(at(view_.nv));
    std::fill_n(rows.begin() + v, nv, own);
  }

  /// A follower with position m q + o adds to the row of q what its own row would have held: m^2 times inertia
  /// and damping, |m| times friction, and a spring m^2 k that is slack at (rest - o) / m.
  void add_followers() {
    for (int i = 1; i < view_.n_links && view_.n_mimic > 0; ++i) {
      const double m = view_.multiplier[i];
      if (view_.mimics[i] == 0 || m == 0) continue;
      const JointDescription& joint = joint_of(described(i));
      const int q = view_.q_index[i], v = view_.v_index[i];
      writable(view_.armature)[v] += m * m * joint.armature;
      writable(view_.damping)[v] += m * m * joint.damping;
      writable(view_.friction)[v] += std::abs(m) * joint.friction;
      if (joint.stiffness == 0) continue;
      double& stiffness = writable(view_.stiffness)[v];
      double& rest = writable(view_.q_rest)[q];
      const double added = m * m * joint.stiffness, added_rest = (joint.rest - view_.offset[i]) / m;
      rest = (stiffness * rest + added * added_rest) / (stiffness + added);
      stiffness += added;
    }
  }

  void place_actuators() {
    for (const ActuatorDescription& described : d_.actuators()) {
      const int j = described.joint.empty() ? -1 : tree_.joints.find(described.joint);
      const auto tendon = std::ranges::find(d_.tendons(), described.tendon, &TendonDescription::name);
      storage_->actuators.push_back(
          {.name = described.name,
           .joint = j < 0 ? 0 : frame_[at(tree_.child[at(j)])],
           .gear = described.gear,
           .gain = described.gain,
           .bias = described.bias,
           .ctrl_range = described.ctrl_range,
           .force_range = described.force_range,
           .dynamics = described.dynamics,
           .time_constant = described.time_constant,
           .act_range = described.act_range,
           .tendon = static_cast<int>(described.tendon.empty() ? -1 : tendon - d_.tendons().begin()),
           .frame = described.frame.empty() ? -1 : frame_of(described.frame),
           .wrench = described.wrench});
    }
  }

  /// Of a link or an added frame.
  int frame_of(const std::string& name) const {
    if (const int link = tree_.links.find(name); link >= 0) return frame_[at(link)];
    const auto found = std::ranges::find(d_.frames(), name, &FrameDescription::name);
    return static_cast<int>(tree_.order.size()) + static_cast<int>(found - d_.frames().begin());
  }

  void place_tendons() {
    for (const TendonDescription& described : d_.tendons()) {
      Tendon& tendon = storage_->tendons.emplace_back();
      tendon.name = described.name;
      for (const TendonJoint& part : described.joints)
        tendon.joints.push_back({frame_[at(tree_.child[at(tree_.joints.find(part.joint))])], part.coefficient});
      tendon.lower = described.lower;
      tendon.upper = described.upper;
      tendon.friction = described.friction;
      tendon.stiffness = described.stiffness;
      tendon.damping = described.damping;
      tendon.rest = described.rest;
      tendon.limit_softness = described.limit_softness;
      tendon.friction_softness = described.friction_softness;
    }
  }

  void place_couplers() {
    for (const CouplerDescription& described : d_.couplers()) {
      const auto index = [&](const std::string& name) {
        if (name.empty()) return -1;
        if (described.element == CoupledElement::joint) return frame_[at(tree_.child[at(tree_.joints.find(name))])];
        const auto found = std::ranges::find(d_.tendons(), name, &TendonDescription::name);
        return static_cast<int>(found - d_.tendons().begin());
      };
      storage_->couplers.push_back({described.name, described.element, index(described.first),
                                     index(described.second), described.polynomial, described.softness});
    }
  }

  void place_configurations() {
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      const ConfigurationDescription& configuration = d_.configurations()[k];
      storage_->configurations.add(configuration.name);
      std::vector<double> q(at(view_.nq), 0.0);
      for (int i = 1; i < view_.n_links; ++i)
        if (const int w = joint_kind(view_.type[i]).quaternion; w >= 0) q[at(view_.q_index[i] + w + 3)] = 1;
      for (std::size_t p = 0; p < configuration.positions.size(); ++p) {
        const std::vector<double>& own = configuration.positions[p].q;
        const int i = frame_[at(tree_.child[at(positions_[k][p])])];
        std::ranges::copy(own, q.begin() + view_.q_index[i]);
      }
      storage_->configuration_q.insert(storage_->configuration_q.end(), q.begin(), q.end());
      std::vector<double> ctrl(storage_->actuators.size(), 0.0);
      for (const ActuatorControl& control : configuration.controls)
        ctrl[static_cast<std::size_t>(std::ranges::find(storage_->actuators, control.actuator, &Actuator::name) -
                                      storage_->actuators.begin())] = control.ctrl;
      storage_->configuration_ctrl.insert(storage_->configuration_ctrl.end(), ctrl.begin(), ctrl.end());
    }
  }

  void name() {
    storage_->frames.reserve(at(view_.n_frames));
    storage_->joints.reserve(at(view_.n_links));
    for (int i = 0; i < view_.n_links; ++i) {
      storage_->frames.add(d_.link(described(i)).name);
      if (i > 0) storage_->joints.add(joint_of(described(i)).name);
    }
    for (const int link : tree_.order) {
      if (!is_folded(link)) continue;
      storage_->frames.add(d_.link(link).name);
      storage_->fixed_joints.add(joint_of(link).name);
      storage_->fixed_joint_frame.push_back(frame_[at(link)]);
    }
    for (const FrameDescription& frame : d_.frames()) storage_->frames.add(frame.name);
  }

  /// Finite numbers may still add up to more than a double can hold.
  void check_result() {
    for (int i = 0; i < view_.n_links; ++i) {
      if (!finite({view_.inertia + 10 * Index{i}, 10}))
        findings_.problem(d_.where(d_.link(described(i))),
                          "inertia about the link's origin, including merged links, is too large");
      if (i > 0) warn_of_singular_link(i);
    }
    for (int v = 0; v < view_.nv; ++v)
      if (!std::isfinite(view_.armature[v] + view_.damping[v] + view_.friction[v] + view_.stiffness[v]))
        findings_.problem(d_.where(), "a chain of mimic joints has too large numbers");
    for (int f = 0; f < view_.n_frames; ++f)
      if (!finite({view_.frame_placement + 12 * Index{f}, 12}))
        findings_.problem(d_.where(), "frame ", f, " is too far from its link");
  }

  /// Two cases in which the mass matrix is singular though every joint moves something: the last link of a
  /// branch lacks inertia in some direction; or a massless link floats and carries a single joint, whose motion
  /// it can undo.
  void warn_of_singular_link(int i) {
    const bool stiffened = view_.armature[view_.v_index[i]] > 0 || (view_.n_mimic > 0 && is_in_mimicry_[at(i)]);
    if (stiffened) return;
    const auto I = records<Inertia<double>>(view_.inertia).load(i);
    const bool massless = I.m == 0 && I.I.xx == 0 && I.I.yy == 0 && I.I.zz == 0;
    const int child = view_.last_child[i];
    const auto warn = [&](const char* kind, const char* why) {
      findings_.warning(d_.where(joint_of(described(i))), element(kind, d_.link(described(i)).name), why,
                        "; forward dynamics is singular");
    };
    if (child == 0 && !massless && is_singular(view_.type[i], view_.slides[i], I))
      warn("link", " has no inertia in a direction of this joint");
    if (child == i + 1 && massless && view_.type[i] == JointType::free && view_.armature[view_.v_index[child]] == 0)
      warn("floating link", " has no inertia and a single joint");
  }

  const Description& d_;
  const Tree& tree_;
  const Mimics& mimics_;
  const Loops& loops_;
  const Positions& positions_;
  Findings& findings_;
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>();
  ModelView<double>& view_ = storage_->view;
  std::vector<int> frame_;      // [described links] the frame of a link; below n_links also its own link in the model
  std::vector<int> described_;  // [n_links] the description of a link
  std::vector<bool> is_in_mimicry_;  // [n_links] whether its joint follows another one or is followed; empty: none is
};

}  // namespace

std::shared_ptr<Storage> fold(const Description& d, const Tree& tree, const Mimics& mimics, const Loops& loops,
                              const Positions& positions, Findings& findings) {
  return Folder(d, tree, mimics, loops, positions, findings).fold();
}

}  // namespace tandem::model_detail
