// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli.hpp"
#include "files/growing_hdf5.hpp"
#include "files/new_file.hpp"
#include "files/numbers.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Where the energy of a run is, J: in the robot, taken by damping, friction and stops so far, given by what drives it
/// so far.
struct Energies {
  double kinetic = 0, potential = 0, dissipated = 0, work = 0;
  double sum() const { return kinetic + potential; }
  /// What stays the same if the integrator makes no error.
  double budget() const { return kinetic + potential + dissipated - work; }
};

/// A motion that is written as it is computed, to CSV or HDF5 by the file's name, so that what there is stays when a
/// run stops early: t, q, v, kinetic, potential, energy, dissipated, work. The file appears with the first state, holds
/// whole states only, and is behind by a second at most.
template <class T>
class Recording {
 public:
  /// `robot`: what the model was loaded by, which an HDF5 file says. `most`: states that will be added at most.
  Recording(const std::string& path, const Model& model, const RobotOptions& robot, std::int64_t most);

  void add(double t, std::span<const T> q, std::span<const T> v, const Energies& energies);
  /// Writes what there is, and to HDF5 how the run ended: "finished", or why it did not.
  void close(const std::string& how);
  /// After an error, when nothing more can be written: says so in an HDF5 file.
  void give_up(const std::string& why) noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  void begin_csv(const std::string& path, const Model& model);
  void begin_hdf5(const std::string& path, const Model& model, const RobotOptions& robot, std::int64_t most);
  void write();

  std::optional<GrowingText> csv_;
  fmt::memory_buffer text_;
  std::optional<GrowingHdf5> hdf5_;
  Index block_ = 1;  ///< states that are written at once to HDF5
  std::vector<double> times_;
  std::vector<T> numbers_[7];  ///< q, v, kinetic, potential, energy, dissipated, work
  Clock::time_point written_;  ///< when
};

}  // namespace tandem::cli
