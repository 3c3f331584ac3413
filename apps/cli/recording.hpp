// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hdf5.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// A motion that is written as it is computed, to CSV or HDF5 by the file's name, so that what there is stays when a
/// run stops early: t, q, v, kinetic, potential, energy.
template <class T>
class Recording {
 public:
  /// `most`: states that will be added at most.
  Recording(const std::string& path, const Model& model, std::int64_t most);

  void add(double t, std::span<const T> q, std::span<const T> v, T kinetic, T potential);
  void close();

 private:
  void begin_csv(const std::string& path, const Model& model);
  void begin_hdf5(const std::string& path, const Model& model, std::int64_t most);
  void write();

  std::optional<GrowingFile> csv_;
  fmt::memory_buffer text_;
  std::optional<Hdf5Writer> hdf5_;
  std::vector<double> times_;
  std::vector<T> numbers_[5];  ///< q, v, kinetic, potential, energy
};

}  // namespace tandem::cli
