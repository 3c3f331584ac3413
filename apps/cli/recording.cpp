// SPDX-License-Identifier: Apache-2.0
#include "recording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "csv.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {
namespace {

constexpr std::size_t text_of_block = 1 << 16;  // characters, CSV
constexpr std::size_t states_of_block = 1024;   // HDF5, at most
constexpr std::size_t numbers_of_block = 1 << 21;

/// States that are kept until they are written.
Index block_of(const Model& model) {
  const auto width = static_cast<std::size_t>(model.nq() + model.nv() + 6);
  return static_cast<Index>(std::clamp<std::size_t>(numbers_of_block / width, 1, states_of_block));
}

}  // namespace

template <class T>
Recording<T>::Recording(const std::string& path, const Model& model, std::int64_t most) {
  if (is_hdf5_name(path))
    begin_hdf5(path, model, most);
  else
    begin_csv(path, model);
}

template <class T>
void Recording<T>::begin_csv(const std::string& path, const Model& model) {
  csv_.emplace(path);
  std::vector<std::string> names = {"t"};
  for (int k = 0; k < model.nq(); ++k) names.push_back(fmt::format("q{}", k));
  for (int k = 0; k < model.nv(); ++k) names.push_back(fmt::format("v{}", k));
  names.insert(names.end(), {"kinetic", "potential", "energy", "dissipated", "work"});
  csv_->write(csv_header(names));
}

template <class T>
void Recording<T>::begin_hdf5(const std::string& path, const Model& model, std::int64_t most) {
  hdf5_.emplace(path, path);
  hdf5_->describe("tandem_version", TANDEM_VERSION);
  hdf5_->describe("robot", model.name());
  block_ = block_of(model);
  const Index rows = std::min<Index>(most, block_);
  const auto described = [&](std::size_t dataset, const char* units, const char* meaning) {
    hdf5_->describe(dataset, "units", units);
    hdf5_->describe(dataset, "meaning", meaning);
  };
  described(hdf5_->add<double>("t", {}, rows), "s", "time");
  described(hdf5_->add<T>("q", {model.nq()}, rows), "rad|m", "configuration");
  described(hdf5_->add<T>("v", {model.nv()}, rows), "rad/s|m/s", "velocity");
  described(hdf5_->add<T>("kinetic", {}, rows), "J", "kinetic energy");
  described(hdf5_->add<T>("potential", {}, rows), "J", "potential energy of weight and springs");
  described(hdf5_->add<T>("energy", {}, rows), "J", "sum of both");
  described(hdf5_->add<T>("dissipated", {}, rows), "J", "energy that damping and friction have taken so far");
  described(hdf5_->add<T>("work", {}, rows), "J", "energy that the controller has given so far");
}

template <class T>
void Recording<T>::add(double t, std::span<const T> q, std::span<const T> v, const Energies& e) {
  const T energies[] = {T(e.kinetic), T(e.potential), T(e.kinetic) + T(e.potential), T(e.dissipated), T(e.work)};
  if (csv_) {
    append_field(text_, t);
    for (const T x : q) append_field(text_, x);
    for (const T x : v) append_field(text_, x);
    for (const T x : energies) append_field(text_, x);
    end_line(text_);
  } else {
    times_.push_back(t);
    numbers_[0].insert(numbers_[0].end(), q.begin(), q.end());
    numbers_[1].insert(numbers_[1].end(), v.begin(), v.end());
    for (std::size_t k = 0; k < std::size(energies); ++k) numbers_[2 + k].push_back(energies[k]);
  }
  if (text_.size() >= text_of_block || static_cast<Index>(times_.size()) >= block_) write();
}

template <class T>
void Recording<T>::write() {
  if (csv_) {
    csv_->write({text_.data(), text_.size()});
    text_.clear();
    return;
  }
  const auto states = static_cast<Index>(times_.size());
  hdf5_->append(0, times_.data(), states);
  times_.clear();
  for (std::size_t k = 0; k < std::size(numbers_); ++k) {
    hdf5_->append(k + 1, numbers_[k].data(), states);
    numbers_[k].clear();
  }
  hdf5_->flush();
}

template <class T>
void Recording<T>::close() {
  write();
  if (csv_)
    csv_->close();
  else
    hdf5_->close();
}

template class Recording<double>;
template class Recording<float>;

}  // namespace tandem::cli
