// SPDX-License-Identifier: Apache-2.0
#include "files/recording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/csv.hpp"
#include "files/hdf5.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {
namespace {

constexpr std::size_t text_of_block = 1 << 16;                             // characters, CSV
constexpr std::size_t numbers_kept = 1 << 13;                              // HDF5: that many are written at once
constexpr std::size_t states_of_chunk = 1024, numbers_of_chunk = 1 << 21;  // HDF5, at most
constexpr std::chrono::milliseconds longest_wait{500};                     // for a state to be written

/// How many states have so many numbers.
Index states_of(std::size_t numbers, const Model& model, std::size_t more) {
  const auto width = static_cast<std::size_t>(model.nq() + model.nv() + 6) + more;
  return static_cast<Index>(std::clamp<std::size_t>(numbers / width, 1, states_of_chunk));
}

}  // namespace

template <class T>
Recording<T>::Recording(const std::string& path, const Model& model, const RobotOptions& robot, std::int64_t most,
                        const std::vector<int>& touching)
    : has_contacts_(!touching.empty()) {
  if (is_hdf5_name(path))
    begin_hdf5(path, model, robot, most, touching);
  else
    begin_csv(path, model, touching);
}

template <class T>
void Recording<T>::begin_csv(const std::string& path, const Model& model, const std::vector<int>& touching) {
  csv_.emplace(path);
  std::vector<std::string> names = {"t"};
  for (int k = 0; k < model.nq(); ++k) names.push_back(fmt::format("q{}", k));
  for (int k = 0; k < model.nv(); ++k) names.push_back(fmt::format("v{}", k));
  names.insert(names.end(), {"kinetic", "potential", "energy", "dissipated", "work"});
  for (const int link : touching)
    for (const char axis : {'x', 'y', 'z'})
      names.push_back(fmt::format("contact_force_{}_{}", model.link_name(link), axis));
  const std::string header = csv_header(names);
  text_.append(header.data(), header.data() + header.size());
}

template <class T>
void Recording<T>::begin_hdf5(const std::string& path, const Model& model, const RobotOptions& robot,
                              std::int64_t most, const std::vector<int>& touching) {
  const auto more = 3 * touching.size();
  block_ = states_of(numbers_kept, model, more);
  const Hdf5Number number = std::is_same_v<T, float> ? Hdf5Number::f32 : Hdf5Number::f64;
  const auto energy = [&](const char* name, const char* meaning) {
    return GrowingHdf5::Dataset{name, "J", meaning, {}, number};
  };
  std::vector<GrowingHdf5::Dataset> datasets = {
      {"t", "s", "time", {}},
      {"q", "rad|m", "configuration", {model.nq()}, number},
      {"v", "rad/s|m/s", "velocity", {model.nv()}, number},
      energy("kinetic", "kinetic energy"),
      energy("potential", "potential energy of weight and springs"),
      energy("energy", "sum of both"),
      energy("dissipated", "energy dissipated by damping, friction, joint limits and contacts since the start"),
      energy("work", "work of the controller since the start"),
  };
  std::string links;
  for (const int link : touching) links += fmt::format("{}{}", links.empty() ? "" : ", ", model.link_name(link));
  const std::string meaning =
      "sum of the contact forces in the last step, along the axes of the world, on the links " + links;
  if (has_contacts_)
    datasets.push_back({"contact_force", "N", meaning, {static_cast<Index>(touching.size()), 3}, number});
  hdf5_.emplace(path,
                GrowingHdf5::Form{
                    GrowingHdf5::Texts{{"tandem_version", TANDEM_VERSION},
                                       {"robot", std::string(model.name())},
                                       {"robot_source", robot.robot},
                                       {"floating", robot.floating ? "yes" : "no"},
                                       {"gravity", robot.gravity},
                                       {"seed", std::to_string(robot.seed)}},
                    std::move(datasets),
                    std::min<Index>(most, states_of(numbers_of_chunk, model, more)),
                    {}});
}

template <class T>
void Recording<T>::add(double t, std::span<const T> q, std::span<const T> v, const Energies& e,
                       std::span<const double> contact_force) {
  const T energies[] = {T(e.kinetic), T(e.potential), T(e.kinetic) + T(e.potential), T(e.dissipated), T(e.work)};
  if (csv_) {
    append_field(text_, t);
    for (const T x : q) append_field(text_, x);
    for (const T x : v) append_field(text_, x);
    for (const T x : energies) append_field(text_, x);
    for (const double x : contact_force) append_field(text_, static_cast<T>(x));
    end_line(text_);
  } else {
    times_.push_back(t);
    numbers_[0].insert(numbers_[0].end(), q.begin(), q.end());
    numbers_[1].insert(numbers_[1].end(), v.begin(), v.end());
    for (std::size_t k = 0; k < std::size(energies); ++k) numbers_[2 + k].push_back(energies[k]);
    for (const double x : contact_force) numbers_[7].push_back(static_cast<T>(x));
  }
  if (text_.size() >= text_of_block || static_cast<Index>(times_.size()) >= block_ ||
      Clock::now() - written_ > longest_wait)
    write();
}

template <class T>
void Recording<T>::write() {
  written_ = Clock::now();
  if (csv_) {
    csv_->write({text_.data(), text_.size()});
    text_.clear();
    return;
  }
  std::vector<const void*> numbers = {times_.data()};
  const std::span<const std::vector<T>> all = numbers_;
  for (const std::vector<T>& n : all.first(has_contacts_ ? 8 : 7)) numbers.push_back(n.data());
  hdf5_->append(numbers, static_cast<Index>(times_.size()));
  times_.clear();
  for (std::vector<T>& n : numbers_) n.clear();
}

template <class T>
void Recording<T>::close(const std::string& how) {
  write();
  if (csv_) return csv_->close();
  hdf5_->end(how);
  hdf5_->close();
}

template <class T>
void Recording<T>::give_up(const std::string& why) noexcept {
  try {
    if (hdf5_) hdf5_->end(why);
  } catch (...) {  // then it says that it is running, and what was written is there all the same
  }
}

template class Recording<double>;
template class Recording<float>;

}  // namespace tandem::cli
