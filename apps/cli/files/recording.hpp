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
/// run stops early: t, q, v, kinetic, potential, energy, dissipated, work, and with contacts contact_force, the sum of
/// the contact forces on every link that can touch. The file appears with the first state, holds whole states only, and
/// is behind by a second at most.
template <class T>
class Recording {
 public:
  /// `robot`: what the model was loaded by, which an HDF5 file says. `most`: states that will be added at most.
  /// `touching`: links that can touch.
  Recording(const std::string& path, const Model& model, const RobotOptions& robot, std::int64_t most,
            const std::vector<int>& touching);

  /// contact_force: [touching][3] N, along the axes of the world
  void add(double t, std::span<const T> q, std::span<const T> v, const Energies& energies,
           std::span<const double> contact_force);
  /// Writes what there is, and to HDF5 how the run ended: "finished", or why it did not.
  void close(const std::string& how);
  /// After an error, when nothing more can be written: says so in an HDF5 file.
  void give_up(const std::string& why) noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  void begin_csv(const std::string& path, const Model& model, const std::vector<int>& touching);
  void begin_hdf5(const std::string& path, const Model& model, const RobotOptions& robot, std::int64_t most,
                  const std::vector<int>& touching);
  void write();

  std::optional<GrowingText> csv_;
  fmt::memory_buffer text_;
  std::optional<GrowingHdf5> hdf5_;
  Index block_ = 1;  ///< states that are written at once to HDF5
  std::vector<double> times_;
  std::vector<T> numbers_[8];  ///< q, v, kinetic, potential, energy, dissipated, work, contact_force
  bool has_contacts_ = false;
  Clock::time_point written_;  ///< when
};

}  // namespace tandem::cli
