// SPDX-License-Identifier: Apache-2.0
/// Descriptions as bytes: every field in turn, numbers as they lie in memory.
#include <bit>
#include <cstring>
#include <type_traits>

#include "recipe.hpp"

namespace tandem::python {
namespace {

constexpr std::string_view head =
    std::endian::native == std::endian::little ? "tandem description 10\n" : "tandem description 10, big end first\n";

void fields(auto& a, Source& x) { a(x.file, x.line, x.element); }
void fields(auto& a, Problem& x) { a(x.source, x.message); }
void fields(auto& a, Pose& x) { a(x.position, x.rotation); }
void fields(auto& a, LinkDescription& x) {
  a(x.name, x.mass, x.com, x.inertia, x.source, x.carried_mass, x.carried_com);
}
void fields(auto& a, ContactSoftness& x) { a(x.solref, x.solimp, x.margin, x.gap); }
void fields(auto& a, JointDescription& x) {
  a(x.name, x.type, x.parent, x.child, x.placement, x.axis, x.pitch, x.lower, x.upper, x.velocity, x.effort, x.damping,
    x.friction, x.armature, x.stiffness, x.rest, x.mimic, x.multiplier, x.offset, x.source, x.limit_softness,
    x.friction_softness, x.mimic_softness);
}
void fields(auto& a, FrameDescription& x) { a(x.name, x.link, x.placement, x.source); }
void fields(auto& a, LoopDescription& x) {
  a(x.name, x.type, x.link_1, x.link_2, x.placement_1, x.placement_2, x.axis, x.source, x.softness,
    x.torque_scale);
}
void fields(auto& a, JointPosition& x) { a(x.joint, x.q); }
void fields(auto& a, ActuatorDescription& x) {
  a(x.name, x.joint, x.gear, x.gain, x.bias, x.ctrl_range, x.force_range, x.source, x.dynamics,
    x.time_constant, x.act_range, x.tendon, x.frame, x.wrench);
}
void fields(auto& a, TendonJoint& x) { a(x.joint, x.coefficient); }
void fields(auto& a, TendonDescription& x) {
  a(x.name, x.joints, x.lower, x.upper, x.friction, x.stiffness, x.damping, x.rest, x.limit_softness,
    x.friction_softness, x.source);
}
void fields(auto& a, CouplerDescription& x) {
  a(x.name, x.element, x.first, x.second, x.polynomial, x.softness, x.source);
}
void fields(auto& a, ActuatorControl& x) { a(x.actuator, x.ctrl); }
void fields(auto& a, ConfigurationDescription& x) { a(x.name, x.positions, x.source, x.controls); }
void fields(auto& a, ShapeDescription& x) {
  a(x.name, x.link, x.type, x.placement, x.size, x.vertices, x.unread, x.condim, x.friction, x.contype, x.conaffinity,
    x.priority, x.solmix, x.softness, x.source);
}
void fields(auto& a, ContactPairDescription& x) {
  a(x.name, x.shape_1, x.shape_2, x.condim, x.friction, x.solreffriction, x.softness, x.source);
}
void fields(auto& a, ContactExcludeDescription& x) { a(x.name, x.link_1, x.link_2, x.source); }
void fields(auto& a, ContactSettings& x) {
  a(x.cone, x.impratio, x.timestep, x.integrator, x.enabled, x.filter_parent);
}

template <class T>
constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Goes through fields down to numbers and texts, which an archive knows.
template <class Archive>
struct Fields {
  template <class... T>
  void operator()(T&... x) {
    (self().one(x), ...);
  }
  template <class T>
  void one(T& x) {
    if constexpr (is_number<T>)
      self().number(x);
    else
      fields(self(), x);
  }
  template <std::size_t n>
  void one(std::array<double, n>& x) {
    for (double& entry : x) self().number(entry);
  }

 private:
  Archive& self() { return static_cast<Archive&>(*this); }
};

struct Writer : Fields<Writer> {
  using Fields::one;
  std::string bytes{head};

  template <class T>
  void number(T& x) {
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  void one(std::string& x) {
    std::uint64_t size = x.size();
    number(size);
    bytes += x;
  }
  template <class T>
  void one(std::vector<T>& x) {
    all(x);
  }
  template <class T>
  void all(const std::vector<T>& items) {
    std::uint64_t size = items.size();
    number(size);
    for (T item : items) one(item);
  }
};

struct Reader : Fields<Reader> {
  using Fields::one;
  std::string_view bytes;

  explicit Reader(std::string_view all) : bytes(all) {}
  [[noreturn]] static void refuse() {
    throw Error("the pickled description is damaged or of another version of Tandem");
  }
  std::string_view take(std::uint64_t size) {
    if (size > bytes.size()) refuse();
    const std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return taken;
  }
  template <class T>
  void number(T& x) {
    std::memcpy(&x, take(sizeof x).data(), sizeof x);
  }
  template <HasNames E>
  void one(E& x) {
    std::underlying_type_t<E> value{};
    number(value);
    if (value >= std::size(NamesOf<E>::table)) refuse();
    x = static_cast<E>(value);
  }
  void one(std::string& x) {
    std::uint64_t size{};
    number(size);
    x = take(size);
  }
  template <class T>
  void one(std::vector<T>& x) {
    each<T>([&](T item) { x.push_back(std::move(item)); });
  }
  template <class T, class F>
  void each(F&& f) {
    std::uint64_t size{};
    number(size);
    for (std::uint64_t k = 0; k < size; ++k) {
      T item{};
      one(item);
      f(std::move(item));
    }
  }
};

}  // namespace

std::string to_bytes(const ModelBuilder& b) {
  Writer write;
  std::string name = b.name();
  Source source = b.source();
  std::array<double, 3> gravity = b.gravity();
  write(name, source, gravity);
  write.all(b.links());
  write.all(b.joints());
  write.all(b.frames());
  write.all(b.loops());
  write.all(b.actuators());
  write.all(b.tendons());
  write.all(b.couplers());
  write.all(b.configurations());
  write.all(b.shapes());
  write.all(b.contact_pairs());
  write.all(b.contact_excludes());
  ContactSettings contacts = b.contact_settings();
  write(contacts);
  write.all(b.contact_problems());
  write.all(b.problems());
  write.all(b.warnings());
  return std::move(write.bytes);
}

ModelBuilder builder_from_bytes(std::string_view bytes) {
  Reader read(bytes);
  if (read.take(head.size()) != head) Reader::refuse();
  std::string name;
  Source source;
  std::array<double, 3> gravity{};
  read(name, source, gravity);
  ModelBuilder b(name, source);
  b.gravity(gravity);
  read.each<LinkDescription>([&](LinkDescription link) { b.link(std::move(link)); });
  read.each<JointDescription>([&](JointDescription joint) { b.joint(std::move(joint)); });
  read.each<FrameDescription>([&](FrameDescription frame) { b.frame(std::move(frame)); });
  read.each<LoopDescription>([&](LoopDescription loop) { b.loop(std::move(loop)); });
  read.each<ActuatorDescription>([&](ActuatorDescription a) { b.actuator(std::move(a)); });
  read.each<TendonDescription>([&](TendonDescription tendon) { b.tendon(std::move(tendon)); });
  read.each<CouplerDescription>([&](CouplerDescription coupler) { b.coupler(std::move(coupler)); });
  read.each<ConfigurationDescription>([&](ConfigurationDescription c) { b.configuration(std::move(c)); });
  read.each<ShapeDescription>([&](ShapeDescription shape) { b.shape(std::move(shape)); });
  read.each<ContactPairDescription>([&](ContactPairDescription pair) { b.contact_pair(std::move(pair)); });
  read.each<ContactExcludeDescription>([&](ContactExcludeDescription e) { b.contact_exclude(std::move(e)); });
  ContactSettings contacts;
  read(contacts);
  b.contact_settings(std::move(contacts));
  read.each<Problem>(
      [&](Problem missing) { b.contact_problem(std::move(missing.source), std::move(missing.message)); });
  read.each<Problem>([&](Problem problem) { b.problem(std::move(problem.source), std::move(problem.message)); });
  read.each<Problem>([&](Problem warning) { b.warning(std::move(warning.source), std::move(warning.message)); });
  if (!read.bytes.empty()) Reader::refuse();
  return b;
}

}  // namespace tandem::python
