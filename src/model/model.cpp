// SPDX-License-Identifier: Apache-2.0
#include "tandem/model/model.hpp"

#include <cmath>
#include <span>

#include "core/text.hpp"
#include "description.hpp"
#include "storage.hpp"
#include "tandem/detail/joint/joint.hpp"
#include "tandem/error.hpp"

namespace tandem {

using namespace model_detail;

namespace {

void check_finite(const Model& model, const char* what, std::span<const double> numbers) {
  for (const double x : numbers)
    if (!std::isfinite(x))
      throw Error(sentence(element("robot", model.name()), ": ", what, " is (",
                           comma_separated(numbers, [](double number) { return text(number); }),
                           "), expected finite numbers"));
}

}  // namespace

Model::Model(std::shared_ptr<const Storage> storage)
    : storage_(std::move(storage)),
      view_(storage_->view),
      view_float_(storage_->view_float),
      gravity_(storage_->gravity) {
  update_views();
}

/// In the base's frame gravity is the same as an acceleration of the base the other way. Views are angular
/// first.
void Model::update_views() {
  for (std::size_t i = 0; i < 3; ++i) {
    view_.base_acceleration[i] = base_acceleration_[i + 3];
    view_.base_acceleration[i + 3] = base_acceleration_[i] - gravity_[i];
  }
  for (int i = 0; i < 6; ++i) view_float_.base_acceleration[i] = static_cast<float>(view_.base_acceleration[i]);
}

Model Model::with_gravity(const std::array<double, 3>& gravity) const {
  check_finite(*this, "gravity", gravity);
  Model other = *this;
  other.gravity_ = gravity;
  other.update_views();
  return other;
}

Model Model::with_base_acceleration(const std::array<double, 6>& acceleration) const {
  check_finite(*this, "acceleration of the base", acceleration);
  Model other = *this;
  other.base_acceleration_ = acceleration;
  other.update_views();
  return other;
}

Model Model::without_loops() const {
  Model other = *this;
  for (ModelCounts* counts : {static_cast<ModelCounts*>(&other.view_), static_cast<ModelCounts*>(&other.view_float_)})
    counts->n_loops = counts->n_held = 0;
  return other;
}

const std::string& Model::name() const { return storage_->name; }
double Model::mass() const { return storage_->mass; }
double Model::link_mass(int link) const { return view_.inertia[10 * std::int64_t{of_link(link)}]; }
int Model::depth() const { return view<double>().depth; }
const std::vector<std::string>& Model::warnings() const { return storage_->warnings; }

std::vector<std::string> Model::singular_joints() const {
  std::vector<std::string> found;
  for (const std::string& warning : warnings())
    if (warning.ends_with(makes_singular)) found.push_back(warning);
  return found;
}

void Model::throw_outside(const char* kind, int index, int first, int last) const {
  const std::string robot = element("robot", name());
  if (last < first) throw Error(sentence(robot, " has no ", kind, " ", index, ": it has no ", kind, "s"));
  throw Error(sentence(robot, " has no ", kind, " ", index, ": its ", kind, "s are ", first, " to ", last));
}

MassProperties Model::mass_properties(int link) const {
  of_link(link);
  const Inertia<double> I =
      transpose_mul(inverse(frame_transform<double>(view_, link)), link_inertia<double>(view_, link));
  const Vec3<double> com = (I.m > 0 ? 1 / I.m : 0.0) * I.h;
  const Sym3<double> C = shift(I, -com).I;
  return {I.m, {com.x, com.y, com.z}, {C.xx, C.xy, C.xz, C.yy, C.yz, C.zz}};
}

std::string_view Model::link_name(int link) const { return storage_->frames[of_link(link)]; }
std::string_view Model::joint_name(int joint) const { return storage_->joints[of_joint(joint) - 1]; }
std::string_view Model::frame_name(int frame) const { return storage_->frames[of_frame(frame)]; }
std::string_view Model::loop_name(int loop) const { return storage_->loops[of_loop(loop)]; }

int Model::find_link(std::string_view name) const {
  const int frame = storage_->frames.find(name);
  return frame < view_.n_links ? frame : -1;
}

int Model::find_joint(std::string_view name) const {
  const int joint = storage_->joints.find(name);
  return joint < 0 ? -1 : joint + 1;
}

int Model::find_frame(std::string_view name) const {
  const int frame = storage_->frames.find(name);
  if (frame >= 0) return frame;
  const int joint = storage_->fixed_joints.find(name);
  return joint < 0 ? -1 : storage_->fixed_joint_frame[static_cast<std::size_t>(joint)];
}

int Model::find_loop(std::string_view name) const {
  const int loop = storage_->loops.find(name);
  return loop < n_loops() ? loop : -1;
}

int Model::link_index(std::string_view name) const {
  if (const int link = find_link(name); link >= 0) return link;
  const std::string start = sentence(element("robot", this->name()), " has no link ", in_quotes(name));
  if (const int frame = find_frame(name); frame >= 0)
    throw Error(sentence(start, ": it is a frame on link ", in_quotes(link_name(view_.frame_link[frame]))));
  throw Error(start + suggestion(name, {{&storage_->frames, n_links()}}));
}

int Model::joint_index(std::string_view name) const {
  if (const int joint = find_joint(name); joint >= 0) return joint;
  const std::string start = sentence(element("robot", this->name()), " has no joint ", in_quotes(name));
  if (const int fixed = storage_->fixed_joints.find(name); fixed >= 0) {
    const int frame = storage_->fixed_joint_frame[static_cast<std::size_t>(fixed)];
    throw Error(sentence(start, ": it is fixed and was merged into frame ", in_quotes(frame_name(frame))));
  }
  throw Error(start + suggestion(name, {{&storage_->joints, n_joints()}}));
}

int Model::loop_index(std::string_view name) const {
  if (const int loop = find_loop(name); loop >= 0) return loop;
  throw Error(sentence(element("robot", this->name()), " has no loop joint ", in_quotes(name),
                       suggestion(name, {{&storage_->loops, n_loops()}})));
}

int Model::n_configurations() const { return storage_->configurations.size(); }

std::string_view Model::configuration_name(int configuration) const {
  return storage_->configurations[within("configuration", configuration, 0, n_configurations() - 1)];
}

int Model::find_configuration(std::string_view name) const { return storage_->configurations.find(name); }

int Model::configuration_index(std::string_view name) const {
  if (const int configuration = find_configuration(name); configuration >= 0) return configuration;
  const std::string start = sentence(element("robot", this->name()), " has no configuration ", in_quotes(name));
  if (n_configurations() == 0) throw Error(start + ": it has no named configurations");
  throw Error(start + suggestion(name, {{&storage_->configurations, n_configurations()}}));
}

std::span<const double> Model::configuration(int configuration) const {
  within("configuration", configuration, 0, n_configurations() - 1);
  const auto n = static_cast<std::size_t>(nq());
  return std::span(storage_->configuration_q).subspan(static_cast<std::size_t>(configuration) * n, n);
}

int Model::frame_index(std::string_view name) const {
  if (const int frame = find_frame(name); frame >= 0) return frame;
  const Names &frames = storage_->frames, &fixed = storage_->fixed_joints;
  throw Error(sentence(element("robot", this->name()), " has no frame ", in_quotes(name),
                       suggestion(name, {{&frames, n_frames()}, {&fixed, fixed.size()}})));
}

}  // namespace tandem
